/* Joints that are lists of primitives: each row of the list is one coordinate of the marker pair
 * that must keep its value. A new joint of this family is a list and an entry at the end of the
 * file.
 *
 *   revolute       d = 0 (3), z_i.x_j = z_i.y_j = 0
 *   cylindrical    x_i.d = y_i.d = 0, z_i.x_j = z_i.y_j = 0
 *   translational  cylindrical and x_i.y_j = 0
 *   universal      d = 0, z_i.z_j = 0
 *   screw          cylindrical and z_i.d - (pitch/2 pi) angle = const
 *
 * Nikravesh, Computer-Aided Analysis of Mechanical Systems (1988), ch. 7, has the same table. */
#include <math.h>
#include <string.h>

#include "joints/coordinate.h"
#include "joints/joints.h"

enum { MOST_ROWS = 6, MOST_MEASURES = 2 };

#define POINT                                                                                      \
    {KL_GLOBAL, 0, 0}, {KL_GLOBAL, 1, 0}, { KL_GLOBAL, 2, 0 }
#define Z_PARALLEL                                                                                 \
    {KL_DOT1, 2, 0}, { KL_DOT1, 2, 1 }
#define ON_LINE                                                                                    \
    {KL_DOT2, 0, 0}, { KL_DOT2, 1, 0 }

/* What makes one joint of the family. */
typedef struct traits {
    int           nrow;
    kl_coordinate row[MOST_ROWS];
    unsigned      aligned; /* bit k: axis k of both markers must point the same way, not opposite */
    int           nmeasure; /* coordinates left free that are reported with their rates */
    kl_coordinate measure[MOST_MEASURES];
    bool          helix; /* last row: displacement along z minus pitch times turns */
} traits;

typedef struct lower_pair {
    const traits *traits;
    double        pitch;  /* [m] a turn */
    double        length; /* [m] of a distance joint */
    double        target; /* of the last row: length, or helix at the start */
    bool second; /* z axes are held parallel by x and y of the first body: the second spins */
} lower_pair;

static const kl_coordinate angle = {KL_ANGLE, 0, 0};

static bool has_angle(const traits *t) { return t->nmeasure > 0 && t->measure[0].kind == KL_ANGLE; }

static double turn_of(const lower_pair *p, const double *h)
{
    return has_angle(p->traits) ? h[0] : 0.0;
}

/* Coordinate of row k. z_i.x_j = z_i.y_j = 0 and x_i.z_j = y_i.z_j = 0 say the same; the second has rows
 * and reactions that do not go round when the second body spins about its z axis. */
static kl_coordinate row_of(const lower_pair *p, int k, const kl_motion *m)
{
    kl_coordinate c     = p->traits->row[k];
    bool          holds = c.kind == KL_DOT1 && c.a == 2 && c.b != 2;
    bool          spins = m[1].spins && !m[0].spins;
    return holds && spins ? (kl_coordinate){KL_DOT1, c.b, 2} : c;
}

/* Row k as a scalar of the pair, the helix with its two coordinates joined. */
static void row_eval(const lower_pair *p, int k, const kl_motion *m, const double *h,
                     kl_scalar *out)
{
    const traits *t = p->traits;
    kl_coordinate_eval(row_of(p, k, m), m, 0.0, out);
    if (!t->helix || k != t->nrow - 1) return;
    kl_scalar a;
    kl_coordinate_eval(angle, m, h[0], &a);
    double lead = p->pitch / (2.0 * KL_PI);
    out->x -= lead * a.x;
    out->bias -= lead * a.bias;
    for (int i = 0; i < 12; i++) out->row[i] -= lead * a.row[i];
}

static kl_status lower_pair_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                                  kl_element_size *size)
{
    (void)nmarker;
    lower_pair *p = data;
    p->traits     = s->traits;
    size->nphi    = p->traits->nrow;
    size->nh      = has_angle(p->traits);

    int last = p->traits->nrow - 1;
    if (p->traits->row[last].kind == KL_DISTANCE) {
        double now = kl_norm(kl_sub(m[1].r, m[0].r));
        if (isnan(p->length)) p->length = now;
        p->target = p->length;
        if (p->target <= 0.0)
            return kl_fail(
                s->diag, KL_E_RANGE, s->place,
                "joint '%s': its two points coincide, so their distance has no direction; use "
                "`spherical` to keep two points together",
                s->name);
    }
    /* z_i.z_j = 0 does not say which way to turn where they are parallel */
    const kl_coordinate *r    = &p->traits->row[last];
    kl_vec3              z[2] = {kl_axis(&m[0].A, 2), kl_axis(&m[1].A, 2)};
    if (r->kind == KL_DOT1 && r->a == 2 && r->b == 2 && fabs(kl_dot(z[0], z[1])) > 1.0 - 1e-9)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "joint '%s': its two axes are parallel, but they must be perpendicular; "
                       "give both, for example `axis: [x, y]`",
                       s->name);
    if (p->traits->helix) {
        kl_scalar x;
        row_eval(p, last, m, s->turn, &x);
        p->target = x.x;
    }
    return KL_OK;
}

static kl_status lower_pair_eval(const kl_reading *in, kl_writing *out)
{
    const lower_pair *p = in->data;
    for (int k = 0; k < p->traits->nrow; k++) {
        kl_scalar x;
        row_eval(p, k, in->m, in->h, &x);
        if (p->traits->row[k].kind == KL_DISTANCE && x.x == 0.0) return KL_RETRY;
        out->phi[k] = x.x - (k == p->traits->nrow - 1 ? p->target : 0.0);
        memcpy(out->rows + 12 * k, x.row, sizeof x.row);
        if (out->bias) out->bias[k] = x.bias;
    }
    return KL_OK;
}

/* Constraint forces w = -Phi_q' lambda change with the position at fixed lambda: dw/dq = -lambda dPhi_q'/dq.
 * A screw has Phi = d - pitch/(2 pi) angle in its last row. */
static void lower_pair_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    const lower_pair *p = in->data;
    for (int k = 0; k < p->traits->nrow; k++)
        kl_coordinate_curvature(row_of(p, k, in->m), in->m, -lambda[k], out->K);
    if (p->traits->helix)
        kl_coordinate_curvature(angle, in->m,
                                lambda[p->traits->nrow - 1] * p->pitch / (2.0 * KL_PI), out->K);
}

static void lower_pair_commit(const kl_reading *in, double *h_new)
{
    const lower_pair *p = in->data;
    if (!has_angle(p->traits)) return;
    kl_scalar a;
    kl_coordinate_eval(angle, in->m, in->h[0], &a);
    h_new[0] = a.turn;
}

static void lower_pair_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const lower_pair *p = in->data;
    for (int k = 0; k < p->traits->nmeasure; k++) {
        kl_scalar x;
        kl_coordinate_eval(p->traits->measure[k], in->m, turn_of(p, in->h), &x);
        values[2 * k]     = x.x;
        values[2 * k + 1] = kl_scalar_rate(&x, in->m);
    }
}

static bool lower_pair_upright(const kl_reading *in)
{
    const lower_pair *p = in->data;
    for (int k = 0; k < 3; k++) {
        bool must = p->traits->aligned & (1u << k);
        if (must && kl_dot(kl_axis(&in->m[0].A, k), kl_axis(&in->m[1].A, k)) < 0.0) return false;
    }
    return true;
}

/* ---- the family ------------------------------------------------------------------------------ */

static const traits fixed_traits = {
    .nrow = 6, .row = {POINT, {KL_DOT1, 0, 1}, {KL_DOT1, 1, 2}, {KL_DOT1, 2, 0}}, .aligned = 7};
static const traits spherical_traits     = {.nrow = 3, .row = {POINT}};
static const traits revolute_traits      = {.nrow     = 5,
                                            .row      = {POINT, Z_PARALLEL},
                                            .aligned  = 4,
                                            .nmeasure = 1,
                                            .measure  = {{KL_ANGLE, 0, 0}}};
static const traits universal_traits     = {.nrow = 4, .row = {POINT, {KL_DOT1, 2, 2}}};
static const traits cylindrical_traits   = {.nrow     = 4,
                                            .row      = {ON_LINE, Z_PARALLEL},
                                            .aligned  = 4,
                                            .nmeasure = 2,
                                            .measure  = {{KL_ANGLE, 0, 0}, {KL_DOT2, 2, 0}}};
static const traits translational_traits = {.nrow     = 5,
                                            .row      = {ON_LINE, Z_PARALLEL, {KL_DOT1, 0, 1}},
                                            .aligned  = 5,
                                            .nmeasure = 1,
                                            .measure  = {{KL_DOT2, 2, 0}}};
static const traits planar_traits        = {.nrow     = 3,
                                            .row      = {Z_PARALLEL, {KL_DOT2, 2, 0}},
                                            .aligned  = 4,
                                            .nmeasure = 1,
                                            .measure  = {{KL_ANGLE, 0, 0}}};
static const traits screw_traits         = {.nrow     = 5,
                                            .row      = {ON_LINE, Z_PARALLEL, {KL_DOT2, 2, 0}},
                                            .aligned  = 4,
                                            .nmeasure = 2,
                                            .measure  = {{KL_ANGLE, 0, 0}, {KL_DOT2, 2, 0}},
                                            .helix    = true};
static const traits distance_traits      = {
         .nrow = 1, .row = {{KL_DISTANCE, 0, 0}}, .nmeasure = 1, .measure = {{KL_DISTANCE, 0, 0}}};
static const traits point_on_line_traits = {
    .nrow = 2, .row = {ON_LINE}, .nmeasure = 1, .measure = {{KL_DOT2, 2, 0}}};
static const traits point_on_plane_traits = {.nrow = 1, .row = {{KL_DOT2, 2, 0}}};
static const traits parallel_traits       = {.nrow = 2, .row = {Z_PARALLEL}, .aligned = 4};
static const traits perpendicular_traits  = {.nrow = 1, .row = {{KL_DOT1, 2, 2}}};

static const kl_key no_keys[]    = {{0}};
static const kl_key screw_keys[] = {
    {.name   = "pitch",
     .kind   = KL_KEY_NUMBER,
     .offset = offsetof(lower_pair, pitch),
     .unit   = "m",
     .help   = "displacement along the axis per revolution; negative for a left-hand thread"},
    {0}};
static const kl_key distance_keys[] = {
    {.name     = "length",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(lower_pair, length),
     .unit     = "m",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "distance between the points (default: initial distance)"},
    {0}};

#define ANGLE_OUTPUTS                                                                              \
    {"angle", "rad", "angle of rotation of the second body about the axis, counting revolutions"}, \
    {                                                                                              \
        "angular_speed", "rad/s", "rate of the angle"                                              \
    }
#define SLIDE_OUTPUTS                                                                              \
    {"displacement", "m", "displacement of the second body along the axis"},                       \
    {                                                                                              \
        "speed", "m/s", "rate of the displacement"                                                 \
    }
static const kl_output no_outputs[]       = {{0}};
static const kl_output angle_outputs[]    = {ANGLE_OUTPUTS, {0}};
static const kl_output slide_outputs[]    = {SLIDE_OUTPUTS, {0}};
static const kl_output both_outputs[]     = {ANGLE_OUTPUTS, SLIDE_OUTPUTS, {0}};
static const kl_output distance_outputs[] = {{"length", "m", "distance between the two points"},
                                             {"speed", "m/s", "rate of the length"},
                                             {0}};

/* the mirror image of a right-hand thread is a left-hand one */
static void lower_pair_mirror(void *data)
{
    lower_pair *p = data;
    p->pitch      = -p->pitch;
}

#define LOWER_PAIR(ident, words, axial_, turns_, holds_, keys_, outputs_, equation_, help_,        \
                   example_)                                                                       \
    const kl_element_type kl_##ident = {.name            = words,                                  \
                                        .help            = help_,                                  \
                                        .equation        = equation_,                              \
                                        .example         = example_,                               \
                                        .keys            = keys_,                                  \
                                        .outputs         = outputs_,                               \
                                        .attach          = &kl_attach_pair,                        \
                                        .axial           = axial_,                                 \
                                        .turns           = turns_,                                 \
                                        .holds           = holds_,                                 \
                                        .mirror          = lower_pair_mirror,                      \
                                        .data_size       = sizeof(lower_pair),                     \
                                        .traits          = &ident##_traits,                        \
                                        .only_constrains = true,                                   \
                                        .setup           = lower_pair_setup,                       \
                                        .start           = kl_coordinate_start,                    \
                                        .eval            = lower_pair_eval,                        \
                                        .tangent         = lower_pair_tangent,                     \
                                        .commit          = lower_pair_commit,                      \
                                        .output          = lower_pair_output,                      \
                                        .upright         = lower_pair_upright}

LOWER_PAIR(fixed, "fixed", NULL, 3, "angle displacement x y z distance", no_keys, no_outputs,
           "d = 0, x_i.y_j = y_i.z_j = z_i.x_j = 0", "rigid connection of two bodies",
           "weld: {type: fixed, between: [frame, bracket], at: [0, 0, 1]}");
LOWER_PAIR(spherical, "spherical", NULL, 0, "displacement x y z distance", no_keys, no_outputs,
           "d = 0", "ball joint: two points coincide",
           "ball: {type: spherical, between: [arm, wheel], at: [0, 0.5, 0.3]}");
LOWER_PAIR(revolute, "revolute", "", 3, "displacement x y z distance", no_keys, angle_outputs,
           "d = 0, z_i.x_j = z_i.y_j = 0", "hinge: allows rotation about its axis",
           "hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y}");
LOWER_PAIR(universal, "universal", NULL, 3, "displacement x y z distance", no_keys, no_outputs,
           "d = 0, z_i.z_j = 0",
           "Cardan joint: two points coincide, and the axis on the first body stays perpendicular "
           "to the axis on the second",
           "cross: {type: universal, between: [shaft, rod], at: [0, 0, 0], axis: [y, z]}");
LOWER_PAIR(cylindrical, "cylindrical", NULL, 3, "x y", no_keys, both_outputs,
           "x_i.d = y_i.d = 0, z_i.x_j = z_i.y_j = 0",
           "allows rotation about its axis and displacement along it",
           "sleeve: {type: cylindrical, between: [rail, slider], at: [0, 0, 0], axis: x}");
LOWER_PAIR(translational, "translational", NULL, 3, "angle x y", no_keys, slide_outputs,
           "x_i.d = y_i.d = 0, z_i.x_j = z_i.y_j = x_i.y_j = 0",
           "prismatic joint: allows displacement along its axis, no rotation",
           "guide: {type: translational, between: [ground, piston], at: [0, 0, 0], axis: z}");
LOWER_PAIR(planar, "planar", "", 3, "displacement z", no_keys, angle_outputs,
           "z_i.d = 0, z_i.x_j = z_i.y_j = 0",
           "allows displacement in the plane normal to its axis and rotation about the axis",
           "table: {type: planar, between: [ground, puck], at: [0, 0, 0], axis: z}");
LOWER_PAIR(screw, "screw", NULL, 3, "x y", screw_keys, both_outputs,
           "cylindrical, z_i.d - (pitch/2 pi) angle = const",
           "rotation about its axis with displacement by the pitch per revolution",
           "spindle: {type: screw, between: [ground, nut], at: [0, 0, 0], axis: z, pitch: 5 mm}");
LOWER_PAIR(distance, "distance", NULL, 0, "distance", distance_keys, distance_outputs,
           "|d| = length", "massless rod with ball joints: keeps the distance between two points",
           "rod: {type: distance, between: [ground, bob], at: [[0, 0, 0], [1, 0, 0]]}");
LOWER_PAIR(point_on_line, "point-on-line", NULL, 1, "x y", no_keys, slide_outputs,
           "x_i.d = y_i.d = 0", "a point of the second body stays on a line of the first",
           "ride: {type: point-on-line, between: [slot, pin], at: [0, 0, 0], axis: x}");
LOWER_PAIR(point_on_plane, "point-on-plane", NULL, 1, "displacement z", no_keys, no_outputs,
           "z_i.d = 0",
           "a point of the second body stays in a plane of the first, normal to the axis",
           "foot: {type: point-on-plane, between: [ground, leg], at: [0, 0, 0], axis: z}");
LOWER_PAIR(parallel, "parallel", NULL, 3, "", no_keys, no_outputs, "z_i.x_j = z_i.y_j = 0",
           "two axes stay parallel; the points are free",
           "keep: {type: parallel, between: [ground, table], at: [0, 0, 0], axis: z}");
LOWER_PAIR(perpendicular, "perpendicular", NULL, 3, "", no_keys, no_outputs, "z_i.z_j = 0",
           "two axes stay perpendicular; the points are free",
           "square: {type: perpendicular, between: [a, b], at: [0, 0, 0], axis: [x, y]}");
