/* Spring, damper and actuator on one coordinate x of a marker pair: the distance of two points, the
 * angle about an axis, or the travel along an axis.
 *
 *   f = k (x - x0) + F_s(x - x0) + c x' + F_d(x') + preload + actuator(t),   wrench = -row' f
 *
 * f is positive when it pulls together. F_s and F_d are tabulated characteristics. x0 is the free
 * length; left out, the spring is free of force at the start. Stored energy: k (x - x0)^2 / 2 +
 * integral of F_s + preload x; the damper loses c x'^2; the actuator feeds -actuator x'. F_d loses
 * F_d x' where it opposes the motion and feeds -F_d x' where it drives it, as the torque of a motor over
 * its speed does. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forces/forces.h"
#include "joints/coordinate.h"
#include "script/characteristic.h"
#include "script/jumps.h"

typedef struct spring_damper {
    kl_coordinate     coordinate;
    double            k, c, x0, preload;
    kl_function      *spring, *damper, *actuator;
    kl_characteristic curve; /* of `spring` */
} spring_damper;

/* Force, its parts and slopes at one place. */
typedef struct law {
    double f, dfdx, dfdv;         /* total and derivatives */
    double damping, curve, drive; /* parts: c x', F_d, actuator */
} law;

static law law_at(const spring_damper *p, double x, double v, double t, const double *u)
{
    double e = x - p->x0, y[3];
    law    l = {.f = p->k * e + p->preload, .dfdx = p->k, .dfdv = p->c, .damping = p->c * v};
    if (p->spring) {
        kl_function_eval(p->spring, e, u, y);
        l.f += y[0];
        l.dfdx += y[1];
    }
    if (p->damper) {
        kl_function_eval(p->damper, v, u, y);
        l.curve = y[0];
        l.dfdv += y[1];
    }
    if (p->actuator) {
        kl_function_eval(p->actuator, t, u, y);
        l.drive = y[0];
    }
    l.f += l.damping + l.curve + l.drive;
    return l;
}

/* Half widths of what replaces a jump: of a spring [m, rad], of a damper [m/s, rad/s]. */
static const double spring_width = 1e-5, damper_width = 1e-4;

/* A characteristic with jumps, as of dry friction, becomes one with steep slopes, and that is said. */
static kl_status bridge_jumps(kl_function **f, const char *key, double width, const char *unit,
                              const kl_setup *s)
{
    kl_jumps jumps;
    if (!*f) return KL_OK;
    kl_function_find_jumps(*f, s->u, &jumps);
    if (jumps.n == 0) return KL_OK;
    kl_function *g = kl_function_without_jumps(s->arena, *f, &jumps, width);
    if (!g) return KL_E_MEMORY;
    *f = g;
    kl_note(s->diag, s->place,
            "force '%s': the `%s` characteristic jumps from %.4g to %.4g at %.4g %s; Klingel "
            "replaces the jump by a steep slope of the width %g %s; for dry friction with sticking "
            "give the joint `friction: {mu: 0.1, radius: 10 mm}`",
            s->name, key, jumps.below[0], jumps.above[0], jumps.at[0], unit, 2.0 * width, unit);
    return KL_OK;
}

static kl_status spring_damper_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                                     kl_element_size *size)
{
    (void)nmarker;
    spring_damper *p = data;
    p->coordinate    = *(const kl_coordinate *)s->traits;
    kl_scalar x;
    kl_coordinate_eval(p->coordinate, m, s->turn[0], &x);
    if (isnan(p->x0)) p->x0 = x.x;
    size->nh   = p->coordinate.kind == KL_ANGLE;
    bool turns = p->coordinate.kind == KL_ANGLE;
    KL_TRY(bridge_jumps(&p->spring, "spring", spring_width, turns ? "rad" : "m", s));
    KL_TRY(bridge_jumps(&p->damper, "damper", damper_width, turns ? "rad/s" : "m/s", s));
    if (p->spring && !kl_characteristic_init(&p->curve, s->arena, p->spring)) return KL_E_MEMORY;
    size->nevent = p->curve.ncorner;
    if (p->coordinate.kind == KL_DISTANCE && x.x == 0.0)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "force '%s': its two points coincide at the start, so it has no direction; "
                       "give two points "
                       "with `at: [[...], [...]]`, or use a `bushing`",
                       s->name);
    return KL_OK;
}

static void scalar_of(const kl_reading *in, kl_scalar *x)
{
    const spring_damper *p = in->data;
    kl_coordinate_eval(p->coordinate, in->m, p->coordinate.kind == KL_ANGLE ? in->h[0] : 0.0, x);
}

static kl_status spring_damper_eval(const kl_reading *in, kl_writing *out)
{
    const spring_damper *p = in->data;
    kl_scalar            x;
    scalar_of(in, &x);
    if (p->coordinate.kind == KL_DISTANCE && x.x == 0.0) return KL_RETRY;
    double v = kl_scalar_rate(&x, in->m), e = x.x - p->x0;
    law    l = law_at(p, x.x, v, in->t, in->u);
    for (int i = 0; i < 12; i++) out->wrench[i] = -l.f * x.row[i];
    out->energy = 0.5 * p->k * e * e + p->preload * e +
                  (p->spring ? kl_characteristic_work(&p->curve, e, in->u) : 0.0);
    out->loss   = l.damping * v + fmax(l.curve * v, 0.0);
    out->supply = -l.drive * v + fmax(-l.curve * v, 0.0);
    return KL_OK;
}

static void spring_damper_crossings(const kl_reading *in, kl_crossing *out)
{
    const spring_damper *p = in->data;
    kl_scalar            x;
    scalar_of(in, &x);
    double rate = kl_scalar_rate(&x, in->m);
    for (int i = 0; i < p->curve.ncorner; i++)
        out[i] = (kl_crossing){.value = x.x - p->x0 - p->curve.corner[i],
                               .rate  = rate,
                               .unit  = kl_coordinate_unit(p->coordinate),
                               .kind  = KL_CROSSING_KINK,
                               .mild  = true};
}

/* w = -r' f(x, x') with the row r = dx/dq and x' = r V, V the twists of the markers:
 *
 *   dw/dq = -r' (f_x r + f_v d(r V)/dq) - f dr'/dq,      dw/dV = -r' f_v r
 *
 * The term with dr/dq is the geometric stiffness of a preloaded spring. */
static void spring_damper_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const spring_damper *p = in->data;
    kl_scalar            x;
    scalar_of(in, &x);
    double v = kl_scalar_rate(&x, in->m), rate_slope[12];
    law    l = law_at(p, x.x, v, in->t, in->u);
    kl_add_outer(-l.dfdx, x.row, x.row, out->K);
    kl_coordinate_curvature(p->coordinate, in->m, -l.f, out->K);
    if (l.dfdv == 0.0) return;
    kl_coordinate_rate_slope(p->coordinate, in->m, rate_slope);
    kl_add_outer(-l.dfdv, x.row, rate_slope, out->K);
    kl_add_outer(-l.dfdv, x.row, x.row, out->C);
}

static void spring_damper_commit(const kl_reading *in, double *h_new)
{
    const spring_damper *p = in->data;
    if (p->coordinate.kind != KL_ANGLE) return;
    kl_scalar x;
    scalar_of(in, &x);
    h_new[0] = x.turn;
}

static void spring_damper_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    kl_scalar x;
    scalar_of(in, &x);
    double v  = kl_scalar_rate(&x, in->m);
    values[0] = x.x;
    values[1] = v;
    values[2] = law_at(in->data, x.x, v, in->t, in->u).f;
}

/* Does the characteristic drive at standstill, as a motor with its starting torque does? That of a damper
 * passes through the origin, so that one which feeds energy has the wrong sign. */
static bool is_motor(const spring_damper *p, double force, const double *u)
{
    double y[3];
    kl_function_eval(p->damper, 0.0, u, y);
    return fabs(y[0]) > 0.01 * fabs(force);
}

/* A characteristic beyond its points is a guess, and a damper that feeds energy is a mistake: each is
 * said once. */
static void spring_damper_watch(const kl_reading *in, kl_notice *notice)
{
    const spring_damper *p = in->data;
    kl_scalar            x;
    double               range[2], y[3] = {0};
    scalar_of(in, &x);
    double      v = kl_scalar_rate(&x, in->m), e = x.x - p->x0;
    const char *unit = p->coordinate.kind == KL_ANGLE ? "rad" : "m";
    if (p->damper) kl_function_eval(p->damper, v, in->u, y);
    if (y[0] * v < 0.0 && !is_motor(p, y[0], in->u)) {
        notice->count = 3;
        snprintf(notice->text, sizeof notice->text,
                 "supplies energy: the `damper` characteristic gives a force of the sign opposite "
                 "to the speed %.4g %s/s; check the signs of its points",
                 v, unit);
    } else if (kl_function_outside(p->damper, v, range)) {
        notice->count = 2;
        snprintf(notice->text, sizeof notice->text,
                 "leaves the points of its `damper` characteristic: speed %.4g %s/s, points from "
                 "%.4g to %.4g; add points there",
                 v, unit, range[0], range[1]);
    } else if (kl_function_outside(p->spring, e, range)) {
        notice->count = 1;
        snprintf(notice->text, sizeof notice->text,
                 "leaves the points of its `spring` characteristic: extension %.4g %s, points from "
                 "%.4g to %.4g; add points there",
                 e, unit, range[0], range[1]);
    }
}

/* ---- three types that differ in their coordinate and units
 * ---------------------------------------------------------- */

static const kl_coordinate by_distance = {KL_DISTANCE, 0, 0}, by_angle = {KL_ANGLE, 0, 0},
                           by_slide = {KL_DOT2, 2, 0};

#define SPRING_KEYS(free_word, force, length, rate, k_unit, c_unit, sense)                         \
    {.name     = "stiffness",                                                                      \
     .kind     = KL_KEY_NUMBER,                                                                    \
     .offset   = offsetof(spring_damper, k),                                                       \
     .unit     = k_unit,                                                                           \
     .fallback = "0",                                                                              \
     .help     = "linear stiffness"},                                                                  \
        {.name     = "damping",                                                                    \
         .kind     = KL_KEY_NUMBER,                                                                \
         .offset   = offsetof(spring_damper, c),                                                   \
         .unit     = c_unit,                                                                       \
         .fallback = "0",                                                                          \
         .negative = "supplies energy to the system",                                              \
         .help     = "linear damping"},                                                                \
        {.name     = free_word,                                                                    \
         .kind     = KL_KEY_NUMBER,                                                                \
         .offset   = offsetof(spring_damper, x0),                                                  \
         .unit     = length,                                                                       \
         .fallback = "",                                                                           \
         .help     = "length, angle or displacement without spring force (default: initial value)"},   \
        {.name     = "preload",                                                                    \
         .kind     = KL_KEY_NUMBER,                                                                \
         .offset   = offsetof(spring_damper, preload),                                             \
         .unit     = force,                                                                        \
         .fallback = "0",                                                                          \
         .help     = "constant force added to all others; " sense},                                    \
        {.name     = "spring",                                                                     \
         .kind     = KL_KEY_FUNCTION,                                                              \
         .offset   = offsetof(spring_damper, spring),                                              \
         .unit     = force,                                                                        \
         .by       = length,                                                                       \
         .fallback = "",                                                                           \
         .help     = "characteristic: force as a function of extension"},                              \
        {.name     = "damper",                                                                     \
         .kind     = KL_KEY_FUNCTION,                                                              \
         .offset   = offsetof(spring_damper, damper),                                              \
         .unit     = force,                                                                        \
         .by       = rate,                                                                         \
         .fallback = "",                                                                           \
         .help = "characteristic: force as a function of the rate of extension; a negative value " \
                 "at zero rate acts as a motor, whose work counts as supplied energy"},            \
        {.name     = "actuator",                                                                   \
         .kind     = KL_KEY_FUNCTION,                                                              \
         .offset   = offsetof(spring_damper, actuator),                                            \
         .unit     = force,                                                                        \
         .fallback = "",                                                                           \
         .help     = "force or torque as a function of time or of an input; " sense},                  \
    {                                                                                              \
        0                                                                                          \
    }

static const kl_key distance_keys[] = {SPRING_KEYS("length", "N", "m", "m/s", "N/m", "N s/m",
                                                   "a positive value pulls the points together")};
static const kl_key slide_keys[]    = {SPRING_KEYS("length", "N", "m", "m/s", "N/m", "N s/m",
                                                   "a positive value acts against the displacement")};
static const kl_key angle_keys[]    = {SPRING_KEYS("angle", "N m", "rad", "rad/s", "N m/rad",
                                                   "N m s/rad",
                                                   "a positive value acts against the rotation")};

static const kl_output distance_outputs[] = {{"length", "m", "distance between its points"},
                                             {"speed", "m/s", "rate of the length"},
                                             {"pull", "N", "force, positive in tension"},
                                             {0}};
static const kl_output slide_outputs[]    = {{"displacement", "m", "displacement along the axis"},
                                             {"speed", "m/s", "rate of the displacement"},
                                             {"pull", "N", "force opposite to the displacement"},
                                             {0}};
static const kl_output angle_outputs[]    = {{"angle", "rad", "angle of rotation about the axis"},
                                             {"angular_speed", "rad/s", "rate of the angle"},
                                             {"pull", "N m", "torque opposite to the rotation"},
                                             {0}};

#define SPRING_FUNCTIONS                                                                           \
    .data_size = sizeof(spring_damper), .setup = spring_damper_setup,                              \
    .start = kl_coordinate_start, .eval = spring_damper_eval,                                      \
    .crossings = spring_damper_crossings, .tangent = spring_damper_tangent,                        \
    .commit = spring_damper_commit, .output = spring_damper_output, .watch = spring_damper_watch

const kl_element_type kl_spring_damper = {
    .name     = "spring-damper",
    .help     = "spring, damper and actuator between two points",
    .equation = "f = k (l - l0) + F_s(l - l0) + c l' + F_d(l') + preload + actuator(t)",
    .example  = "strut: {type: spring-damper, between: [wheel, body], at: [[0, 0, 0], [0, 0, 1]], "
                "stiffness: 20 kN/m}",
    .keys     = distance_keys,
    .outputs  = distance_outputs,
    .attach   = &kl_attach_pair,
    .traits   = &by_distance,
    SPRING_FUNCTIONS};
const kl_element_type kl_rotational_spring_damper = {
    .name     = "rotational-spring-damper",
    .help     = "spring, damper and motor about an axis, for example of a revolute joint",
    .equation = "n = k (angle - angle0) + F_s + c angle' + F_d(angle') + preload + actuator(t)",
    .example  = "torsion: {type: rotational-spring-damper, of: hinge, stiffness: 12 N m/rad}",
    .keys     = angle_keys,
    .outputs  = angle_outputs,
    .attach   = &kl_attach_joint,
    .axial    = "",
    .turns    = 3,
    .traits   = &by_angle,
    SPRING_FUNCTIONS};
const kl_element_type kl_slide_spring_damper = {
    .name     = "slide-spring-damper",
    .help     = "spring, damper and actuator along an axis, for example of a translational joint",
    .equation = "f = k (z_i.d - x0) + F_s + c x' + F_d(x') + preload + actuator(t)",
    .example  = "buffer: {type: slide-spring-damper, of: guide, stiffness: 1 kN/m}",
    .keys     = slide_keys,
    .outputs  = slide_outputs,
    .attach   = &kl_attach_joint,
    .turns    = 1,
    .traits   = &by_slide,
    SPRING_FUNCTIONS};
