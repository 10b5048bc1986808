/* Joints with clearance: no constraints, but two parts that touch where the clearance is used up
 * (contact/fit.h), and perhaps an elastic layer between them.
 *
 *   contact   F = -N(d, d') n + T(u, N) at each place that touches, all laws of contact/
 *   layer     F = -(k_l d + c_l d')/n at each of the n ends of the inner part, d: its displacement
 *             across the axis (of a ball: all of it)
 *
 * Ambrosio, challenges in multibody modelling (2019), section 1.4.1. The joint has the markers and the
 * coordinates of the perfect one. */
#include "joints/worn.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "contact/contact_data.h"
#include "joints/coordinate.h"
#include "joints/joints.h"

typedef struct worn {
    kl_contact_data c; /* first: contact functions read it */
    double          layer_k, layer_c;
    double          radius, length, axial; /* NaN: left out */
} worn;

typedef struct traits {
    kl_fit_kind   kind;
    int           nmeasure;
    kl_coordinate measure[2];
} traits;

static const kl_coordinate angle = {KL_ANGLE, 0, 0};

/* ---- elastic layer ---- */

static int ends_of(const worn *p)
{
    return p->c.fit.length > 0.0 && p->c.fit.kind != KL_FIT_BALL ? 2 : 1;
}

/* The part of d that the layer resists: normal to the axis z, or all of it for a ball. */
static kl_vec3 counted(const worn *p, kl_vec3 z, kl_vec3 d)
{
    return p->c.fit.kind == KL_FIT_BALL ? d : kl_axpy(-kl_dot(z, d), z, d);
}

/* Wrenches of the layer, added; energy and loss where they are wanted. */
static void layer_at(const worn *p, const kl_motion m[2], double wrench[12], double sums[2])
{
    int n = ends_of(p);
    for (int k = 0; k < n; k++) {
        double  s = n == 1 ? 0.0 : (k ? 0.5 : -0.5) * p->c.fit.length;
        kl_vec3 z = kl_axis(&m[0].A, 2), arm = kl_scale(s, kl_axis(&m[1].A, 2)),
                e = kl_add(m[1].r, arm), far = kl_sub(e, m[0].r);
        /* both velocities at the same point e in space, so that a common rotation gives no force */
        kl_vec3 v2 = kl_add(m[1].v, kl_cross(m[1].w, arm)),
                v1 = kl_add(m[0].v, kl_cross(m[0].w, far));
        kl_vec3 d = counted(p, z, far), u = counted(p, z, kl_sub(v2, v1));
        kl_vec3 F = kl_scale(-1.0 / n, kl_axpy(p->layer_c, u, kl_scale(p->layer_k, d)));
        double  w[12];
        /* F acts at e on the inner part and -F at the same point on the outer one: no net moment */
        kl_store(w, kl_neg(F)), kl_store(w + 3, kl_neg(kl_cross(far, F)));
        kl_store(w + 6, F), kl_store(w + 9, kl_cross(arm, F));
        for (int i = 0; i < 12; i++) wrench[i] += w[i];
        if (!sums) continue;
        sums[0] += 0.5 * p->layer_k / n * kl_dot(d, d);
        sums[1] += p->layer_c / n * kl_dot(u, u);
    }
}

static void perturb_motion(kl_motion *m, int j, double step, bool speed)
{
    double e[3] = {0};
    e[j % 3]    = step;
    kl_vec3 d   = kl_load(e);
    if (speed && j < 3) m->v = kl_add(m->v, d);
    else if (speed) m->w = kl_add(m->w, d);
    else if (j < 3) m->r = kl_add(m->r, d);
    else {
        kl_mat3 R = kl_rotation_exp(d);
        m->A      = kl_matmul(&R, &m->A);
    }
}

/* K_ij = dw_i/dq_j and C_ij = dw_i/dV_j by central differences; columns 0 to 5 belong to the outer part, 6 to
 * 11 to the inner one. The layer is linear in V and nearly linear in q, so a step of 1e-4 has an error of
 * 1e-8. Contact is not differenced: it has kinks (kl_contact_tangent). */
static void layer_tangent(const worn *p, const kl_motion m[2], kl_slopes *out)
{
    for (int j = 0; j < 24; j++) {
        bool      speed  = j >= 12;
        double    up[12] = {0}, down[12] = {0}, step = j % 6 < 3 && !speed ? 1e-4 : 1e-5;
        kl_motion a[2] = {m[0], m[1]}, b[2] = {m[0], m[1]};
        perturb_motion(&a[j % 12 / 6], j % 6, step, speed);
        perturb_motion(&b[j % 12 / 6], j % 6, -step, speed);
        layer_at(p, a, up, NULL);
        layer_at(p, b, down, NULL);
        double *K = speed ? out->C : out->K;
        for (int i = 0; i < 12; i++) K[12 * i + j % 12] += (up[i] - down[i]) / (2.0 * step);
    }
}

static bool has_layer(const worn *p) { return p->layer_k > 0.0 || p->layer_c > 0.0; }

/* ---- the element ---- */

/* Without a law that pushes, a layer alone is a bushing. */
static bool touches(const worn *p) { return p->c.material > 0 || !isnan(p->c.k) || p->c.force; }

/* A start deep inside, from a fifth of the smaller part on, is mostly a slip in the positions of the bodies. */
static void warn_of_start(const worn *p, const kl_setup *s, const kl_motion m[2])
{
    const kl_fit *f     = &p->c.fit;
    double        reach = f->kind == KL_FIT_BLOCK ? fmin(f->size[0], f->size[1]) : f->radius;
    kl_pose       at[2] = {{m[0].r, m[0].A}, {m[1].r, m[1].A}};
    kl_spots      spots;
    double        deepest = 0.0;
    if (!touches(p) || !(reach > 0.0)) return;
    kl_fit_find(f, &at[0], &at[1], &spots);
    for (int i = 0; i < spots.n; i++) deepest = fmax(deepest, -spots.item[i].gap);
    if (deepest <= 0.2 * reach) return;
    kl_vec3 d = kl_sub(m[1].r, m[0].r);
    kl_warn(
        s->diag, s->place,
        "joint '%s': its parts penetrate each other by %.4g m where their bodies are described "
        "(before assembly and `start`); the second body's point lies at [%.3g, %.3g, %.3g] m from "
        "the first one's, and the clearance is %g m: correct the positions, `at` or `axis`",
        s->name, deepest, d.x + 0.0, d.y + 0.0, d.z + 0.0, f->radial);
}

static kl_status worn_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                            kl_element_size *size)
{
    worn         *p = data;
    const traits *t = s->traits;
    kl_fit       *f = &p->c.fit;
    (void)nmarker;
    f->kind   = t->kind;
    f->axial  = p->axial;
    f->length = isnan(p->length) ? 0.0 : p->length;
    f->radius = isnan(p->radius) ? 0.0 : p->radius;
    if (f->kind != KL_FIT_BLOCK && !isnan(p->radius) && p->radius <= f->radial)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "joint '%s': `radius` is %g m and the clearance %g m; give a `radius` "
                       "larger than the clearance",
                       s->name, p->radius, f->radial);
    if ((f->kind == KL_FIT_SLEEVE || f->kind == KL_FIT_BLOCK) && !(f->length > 0.0))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "joint '%s': give `length`, the distance between the two ends of the guide",
                       s->name);
    if (!touches(p) && !has_layer(p))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "joint '%s': give the clearance a `stiffness`, a `material` such as "
                       "steel-steel, or an elastic layer `layer_stiffness`",
                       s->name);
    p->c.slots       = touches(p) ? kl_fit_slots(f) : 0;
    p->c.speed_limit = (double)INFINITY;
    p->c.reach       = f->radius > 0.0 ? f->radius : 1.0;
    kl_contact_fill(&p->c);
    p->c.laws.share = kl_contact_share(&p->c, f->length > 0.0 ? 2 : 1);
    double inner    = f->radius - f->radial,
           curve    = f->radial > 0.0 && inner > 0.0 ? 0.5 * (1.0 / inner - 1.0 / f->radius) : 0.0;
    /* a ball in its socket touches at a point; a pin along its length */
    if (!(p->c.line > 0.0)) p->c.line = f->length;
    if (touches(p)) KL_TRY(kl_contact_hertz(&p->c, s, f->kind == KL_FIT_BALL ? curve : 0.0, curve));
    if (touches(p)) KL_TRY(kl_contact_check(&p->c, s));
    warn_of_start(p, s, m);
    kl_contact_sizes(&p->c, size);
    size->nh++; /* turns of the angle, last */
    return KL_OK;
}

static int turn_index(const worn *p)
{
    return KL_CONTACT_HEAD + p->c.slots * kl_contact_point_size(&p->c);
}

static kl_status worn_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    kl_scalar x;
    KL_TRY(kl_contact_start(in, s, out));
    kl_coordinate_eval(angle, in->m, s->turn[0], &x);
    out->h[turn_index(in->data)] = x.turn;
    return KL_OK;
}

static kl_status worn_eval(const kl_reading *in, kl_writing *out)
{
    const worn *p = in->data;
    KL_TRY(kl_contact_eval(in, out));
    double sums[2] = {0};
    if (has_layer(p) && out->wrench) layer_at(p, in->m, out->wrench, sums);
    out->energy += sums[0];
    out->loss += sums[1];
    return KL_OK;
}

static void worn_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    const worn *p = in->data;
    kl_contact_tangent(in, lambda, out);
    if (has_layer(p)) layer_tangent(p, in->m, out);
}

static void worn_commit(const kl_reading *in, double *h)
{
    int       last = turn_index(in->data);
    kl_scalar x;
    kl_contact_commit(in, h);
    kl_coordinate_eval(angle, in->m, in->h[last], &x);
    h[last] = x.turn;
}

/* Sine of the angle between both axes. */
static double tilt_of(const kl_motion m[2])
{
    return kl_norm(kl_cross(kl_axis(&m[0].A, 2), kl_axis(&m[1].A, 2)));
}

static void put_own(const worn *p, const kl_reading *in, double *v)
{
    kl_vec3 d = counted(p, kl_axis(&in->m[0].A, 2), kl_sub(in->m[1].r, in->m[0].r));
    v[0]      = kl_norm(d);
    v[1]      = asin(fmin(tilt_of(in->m), 1.0));
}

static int put_measures(const traits *t, const kl_reading *in, double *v)
{
    for (int k = 0; k < t->nmeasure; k++) {
        kl_scalar x;
        kl_coordinate_eval(t->measure[k], in->m, in->h[turn_index(in->data)], &x);
        v[2 * k]     = x.x;
        v[2 * k + 1] = kl_scalar_rate(&x, in->m);
    }
    return 2 * t->nmeasure;
}

static void output_of(const traits *t, const kl_reading *in, double *v)
{
    v += put_measures(t, in, v);
    put_own(in->data, in, v);
    kl_contact_output(in, NULL, v + 2);
}

static void worn_watch(const kl_reading *in, kl_notice *notice)
{
    const worn *p = in->data;
    if (touches(p)) kl_contact_watch(in, notice);
}

/* ---- keys and types ---- */

#define OWN_NUMBER(name_, field_, unit_, fallback_, help_)                                         \
    {                                                                                              \
        .name = name_, .kind = KL_KEY_NUMBER, .offset = offsetof(worn, field_), .unit = unit_,     \
        .fallback = fallback_, .max = 1e300, .help = help_                                         \
    }
#define RADIAL                                                                                     \
    {                                                                                              \
        .name = "radial", .kind = KL_KEY_NUMBER, .offset = offsetof(worn, c.fit.radial),           \
        .unit = "m", .max = 1.0, .help = "radial clearance: half the difference of the diameters"  \
    }
#define AXIAL                                                                                      \
    OWN_NUMBER("axial", axial, "m", "", "axial clearance on each side; default: no axial limit")
#define RADIUS                                                                                     \
    OWN_NUMBER(                                                                                    \
        "radius", radius, "m", "",                                                                 \
        "radius of the outer part; friction acts there, and the Hertz stiffness follows from it")
#define LENGTH                                                                                     \
    OWN_NUMBER("length", length, "m", "",                                                          \
               "distance between the two ends of the inner part that touch; 0: the clearance "     \
               "does not limit the tilt")
#define LAYER                                                                                      \
    OWN_NUMBER("layer_stiffness", layer_k, "N/m", "0",                                             \
               "stiffness of an elastic layer between the parts"),                                 \
        OWN_NUMBER("layer_damping", layer_c, "N s/m", "0", "damping of that layer")

static const kl_key pin_keys[] = {
    RADIAL, AXIAL, RADIUS, LENGTH, LAYER, KL_CONTACT_LAW_KEYS_WITHOUT_LENGTH, {0}};
static const kl_key sleeve_keys[] = {
    RADIAL, RADIUS, LENGTH, LAYER, KL_CONTACT_LAW_KEYS_WITHOUT_LENGTH, {0}};
static const kl_key ball_keys[]  = {RADIAL, RADIUS, LAYER, KL_CONTACT_LAW_KEYS_WITHOUT_LENGTH, {0}};
static const kl_key block_keys[] = {
    RADIAL,
    LENGTH,
    {.name   = "size",
     .kind   = KL_KEY_NUMBERS,
     .offset = offsetof(worn, c.fit.size),
     .unit   = "m",
     .size   = 2,
     .help   = "width and height of the inner part along x and y of the joint"},
    LAYER,
    KL_CONTACT_LAW_KEYS_WITHOUT_LENGTH,
    {0}};

#define ANGLE_ROWS                                                                                 \
    {"angle", "rad", "rotation about the axis"}, { "angular_speed", "rad/s", "rate of the angle" }
#define SLIDE_ROWS                                                                                 \
    {"displacement", "m", "displacement along the axis"},                                          \
    {                                                                                              \
        "speed", "m/s", "rate of the displacement"                                                 \
    }
#define OWN_ROWS                                                                                   \
    {"eccentricity", "m", "displacement that the clearance limits"},                               \
        {"tilt", "rad", "angle between the axes of both parts"}, KL_CONTACT_OUTPUT_ROWS,           \
    {                                                                                              \
        0                                                                                          \
    }

static const kl_output pin_outputs[]    = {ANGLE_ROWS, OWN_ROWS};
static const kl_output sleeve_outputs[] = {ANGLE_ROWS, SLIDE_ROWS, OWN_ROWS};
static const kl_output ball_outputs[]   = {OWN_ROWS};
static const kl_output block_outputs[]  = {SLIDE_ROWS, OWN_ROWS};

static const traits pin_traits = {.kind = KL_FIT_PIN, .nmeasure = 1, .measure = {{KL_ANGLE, 0, 0}}};
static const traits sleeve_traits = {
    .kind = KL_FIT_SLEEVE, .nmeasure = 2, .measure = {{KL_ANGLE, 0, 0}, {KL_DOT2, 2, 0}}};
static const traits ball_traits  = {.kind = KL_FIT_BALL};
static const traits block_traits = {
    .kind = KL_FIT_BLOCK, .nmeasure = 1, .measure = {{KL_DOT2, 2, 0}}};

#define WORN(ident, part_, words, axial_, help_, example_)                                         \
    static void part_##_output(const kl_reading *in, const double *lambda, double *values)         \
    {                                                                                              \
        (void)lambda;                                                                              \
        output_of(&part_##_traits, in, values);                                                    \
    }                                                                                              \
    const kl_element_type kl_worn_##ident = {                                                      \
        .name      = words,                                                                        \
        .help      = help_,                                                                        \
        .equation  = "F = -N(d, d') n + T(u, N) where the parts touch",                            \
        .example   = example_,                                                                     \
        .keys      = part_##_keys,                                                                 \
        .outputs   = part_##_outputs,                                                              \
        .attach    = &kl_attach_pair,                                                              \
        .axial     = axial_,                                                                       \
        .turns     = 3,                                                                            \
        .data_size = sizeof(worn),                                                                 \
        .traits    = &part_##_traits,                                                              \
        .setup     = worn_setup,                                                                   \
        .start     = worn_start,                                                                   \
        .locate    = kl_contact_locate,                                                            \
        .eval      = worn_eval,                                                                    \
        .tangent   = worn_tangent,                                                                 \
        .crossings = kl_contact_crossings,                                                         \
        .commit    = worn_commit,                                                                  \
        .output    = part_##_output,                                                               \
        .watch     = worn_watch}

WORN(revolute, pin, "worn-revolute", "",
     "hinge with clearance: a pin in a bore, with collars; usually given as `clearance` of a "
     "revolute joint",
     "hinge: {type: worn-revolute, between: [ground, arm], at: [0, 0, 0], axis: y, radial: 0.1 mm, "
     "axial: 0.2 mm, radius: 10 mm, length: 20 mm, law: linear, stiffness: 10 MN/m, damping: 100}");
WORN(cylindrical, sleeve, "worn-cylindrical", NULL,
     "sleeve with clearance: a pin that turns and slides in a bore; usually given as `clearance` "
     "of a cylindrical joint",
     "sleeve: {type: worn-cylindrical, between: [rail, slider], at: [0, 0, 0], axis: x, radial: "
     "0.1 mm, "
     "radius: 10 mm, length: 40 mm, law: linear, stiffness: 10 MN/m}");
WORN(spherical, ball, "worn-spherical", NULL,
     "ball joint with clearance: a ball in its socket; usually given as `clearance` of a spherical "
     "joint",
     "ball: {type: worn-spherical, between: [arm, wheel], at: [0, 0.5, 0.3], radial: 0.1 mm, "
     "radius: 10 mm, "
     "material: steel-steel, restitution: 0.8}");
WORN(translational, block, "worn-translational", NULL,
     "guide with clearance: a block in a slot; usually given as `clearance` of a translational "
     "joint",
     "guide: {type: worn-translational, between: [ground, piston], at: [0, 0, 0], axis: z, radial: "
     "0.1 mm, "
     "length: 60 mm, size: [20 mm, 20 mm], law: linear, stiffness: 10 MN/m}");

static const struct {
    const kl_element_type *perfect, *worn;
} both[] = {{&kl_revolute, &kl_worn_revolute},
            {&kl_cylindrical, &kl_worn_cylindrical},
            {&kl_spherical, &kl_worn_spherical},
            {&kl_translational, &kl_worn_translational}};

const kl_element_type *kl_worn_type_of(const kl_element_type *perfect)
{
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        if (both[i].perfect == perfect) return both[i].worn;
    return NULL;
}

bool kl_is_worn(const kl_element_type *type) { return type->setup == worn_setup; }

void kl_worn_describe(const kl_element_type *type, const void *data, kl_text *t)
{
    const worn   *p = data;
    const traits *k = type->traits;
    double        r = 1e3 * p->c.fit.radial, tilt = 2.0 * p->c.fit.radial / p->c.fit.length;
    kl_text_add(t,
                k->kind == KL_FIT_BALL ? "x, y and z are free within %.4g mm"
                                       : "x and y are free within %.4g mm",
                r);
    if (k->kind == KL_FIT_PIN && isnan(p->axial)) kl_text_add(t, ", z is free");
    else if (k->kind == KL_FIT_PIN) kl_text_add(t, ", z within %.4g mm", 1e3 * p->axial);
    if (k->kind == KL_FIT_BALL) return;
    if (p->c.fit.length > 0.0) kl_text_add(t, ", tilt of the axis within %.4g mrad", 1e3 * tilt);
    else kl_text_add(t, ", tilt of the axis is free (give `length` to limit it)");
}
