#include "contact/friction_law.h"

#include <math.h>
#include <string.h>

const kl_friction_row kl_friction_laws[KL_FRICTION_KINDS] = {
    [KL_FRICTION_NONE]         = {.name = "none", .equation = "T = 0", .source = "frictionless"},
    [KL_FRICTION_THRELFALL]    = {.name     = "threlfall",
                                  .equation = "mu = mu_d (1 - exp(-3 s/v1))",
                                  .source   = "Threlfall 1978, eq. 1.27",
                                  .v1       = 1e-2},
    [KL_FRICTION_RAMP]         = {.name     = "ramp",
                                  .equation = "mu = 0 up to v0, linear up to v1, then mu_d",
                                  .source   = "Ambrosio 2003",
                                  .v0       = 1e-4,
                                  .v1       = 1e-2},
    [KL_FRICTION_SMOOTH]       = {.name     = "smooth",
                                  .equation = "mu = mu_d s/sqrt(s^2 + v1^2)",
                                  .source   = "regularised Coulomb law",
                                  .v1       = 1e-2},
    [KL_FRICTION_BENGISU_AKAY] = {.name     = "bengisu-akay",
                                  .equation = "mu_s (1 - (s - v0)^2/v0^2), then mu_d + (mu_s - "
                                              "mu_d) exp(-xi (s - v0))",
                                  .source   = "Bengisu and Akay 1994, eq. 1.28",
                                  .two      = true,
                                  .v0       = 1e-2},
    [KL_FRICTION_STRIBECK]     = {.name = "stribeck",
                                  .equation =
                                      "(mu_d + (mu_s - mu_d) exp(-(s/v0)^2)) tanh(3 s/v1) + viscous s",
                                  .source = "Stribeck 1902",
                                  .two    = true,
                                  .v0     = 1e-1,
                                  .v1     = 1e-2},
    [KL_FRICTION_LUGRE]        = {.name     = "lugre",
                                  .equation = "z' = u - s0 |u| z/g, T = -N (s0 z + s1 z' + viscous u)",
                                  .source   = "Canudas de Wit, Olsson, Astrom and Lischinsky 1995",
                                  .two      = true,
                                  .bristle  = true,
                                  .v0       = 1e-1},
    [KL_FRICTION_STICK_SLIP]   = {.name     = "stick-slip",
                                  .equation = "T = -(k_T g + c_T u), |T| <= mu N",
                                  .source   = "Craveiro Neto 2020, eq. 3.18 to 3.28",
                                  .two      = true,
                                  .gap      = true},
};

const char *const kl_friction_words =
    "none threlfall ramp smooth bengisu-akay stribeck lugre stick-slip";

static void set_default(double *x, double value)
{
    if (!(*x > 0.0)) *x = value;
}

void kl_friction_law_init(kl_friction_law *law)
{
    const kl_friction_row *row = &kl_friction_laws[law->kind];
    set_default(&law->v0, row->v0);
    set_default(&law->v1, row->v1);
    set_default(&law->xi, 50.0);
    set_default(&law->mu_s, law->mu_d);
    set_default(&law->w0, 1e-2);
    set_default(&law->s0, 1e5);
    if (!(law->s1 > 0.0)) law->s1 = law->kind == KL_FRICTION_LUGRE ? sqrt(law->s0) : 0.0;
}

/* ---- coefficient over slip speed ---- */

static double threlfall(const kl_friction_law *p, double s, double *d)
{
    double e = exp(-3.0 * s / p->v1);
    *d       = p->mu_d * 3.0 / p->v1 * e;
    return -p->mu_d * expm1(-3.0 * s / p->v1);
}

static double ramp(const kl_friction_law *p, double s, double *d)
{
    *d = s > p->v0 && s < p->v1 ? p->mu_d / (p->v1 - p->v0) : 0.0;
    return p->mu_d * fmin(fmax((s - p->v0) / (p->v1 - p->v0), 0.0), 1.0);
}

static double smooth(const kl_friction_law *p, double s, double *d)
{
    double root = sqrt(s * s + p->v1 * p->v1);
    *d          = p->mu_d * p->v1 * p->v1 / (root * root * root);
    return p->mu_d * s / root;
}

static double bengisu_akay(const kl_friction_law *p, double s, double *d)
{
    double x = s - p->v0;
    if (x <= 0.0) {
        *d = -2.0 * p->mu_s * x / (p->v0 * p->v0);
        return p->mu_s * (1.0 - x * x / (p->v0 * p->v0));
    }
    double e = (p->mu_s - p->mu_d) * exp(-p->xi * x);
    *d       = -p->xi * e;
    return p->mu_d + e;
}

static double stribeck_level(const kl_friction_law *p, double s, double *d)
{
    double x = s / p->v0, e = (p->mu_s - p->mu_d) * exp(-x * x);
    *d = -2.0 * x / p->v0 * e;
    return p->mu_d + e;
}

static double stribeck(const kl_friction_law *p, double s, double *d)
{
    double dl, level = stribeck_level(p, s, &dl), t = tanh(3.0 * s / p->v1);
    *d = dl * t + level * 3.0 / p->v1 * (1.0 - t * t);
    return level * t;
}

static double (*const coefficient[KL_FRICTION_KINDS])(const kl_friction_law *, double, double *) = {
    [KL_FRICTION_THRELFALL] = threlfall, [KL_FRICTION_RAMP] = ramp,
    [KL_FRICTION_SMOOTH] = smooth,       [KL_FRICTION_BENGISU_AKAY] = bengisu_akay,
    [KL_FRICTION_STRIBECK] = stribeck,
};

double kl_friction_coefficient(const kl_friction_law *law, double s, double *by_speed)
{
    double d = 0.0, mu = coefficient[law->kind] ? coefficient[law->kind](law, s, &d) : 0.0;
    if (by_speed) *by_speed = d + law->viscous;
    return mu + law->viscous * s;
}

/* ---- forces ---- */

/* c 1 + d a b' */
static kl_mat3 scaled_plus_outer(double c, double d, kl_vec3 a, kl_vec3 b)
{
    kl_mat3 one = kl_identity(), ab = kl_outer(a, b), I = kl_mat_scale(c, &one);
    return kl_mat_axpy(d, &ab, &I);
}

/* T = -N (mu/s) u; dT/du = -N (mu/s (1 - e e') + mu' e e'), e = u/s */
static void of_speed(const kl_friction_law *law, const kl_friction_input *in,
                     kl_friction_force *out)
{
    double  s = kl_norm(in->slip), slope, mu = kl_friction_coefficient(law, s, &slope);
    double  secant = s > 1e-12 ? mu / s : slope;
    kl_vec3 e      = s > 1e-12 ? kl_scale(1.0 / s, in->slip) : (kl_vec3){0};
    out->by_normal = kl_scale(-secant, in->slip);
    out->f         = kl_scale(in->normal, out->by_normal);
    out->by_slip   = scaled_plus_outer(-in->normal * secant, -in->normal * (slope - secant), e, e);
    out->loss      = in->normal * mu * s;
    out->slips     = s > fmax(law->v1, law->v0);
}

/* z' = u - s0 |u| z/g(|u|) */
static void lugre(const kl_friction_law *law, const kl_friction_input *in, kl_friction_force *out)
{
    double  s = kl_norm(in->slip), dg, g = stribeck_level(law, s, &dg);
    kl_vec3 e = s > 0.0 ? kl_scale(1.0 / s, in->slip) : (kl_vec3){0};
    double  a = law->s0 * s / g, a_s = law->s0 / g * (1.0 - s * dg / g); /* a = s0 s/g(s) */
    out->z_dot     = kl_axpy(-a, in->z, in->slip);
    out->z_by_slip = scaled_plus_outer(1.0, -a_s, in->z, e);
    out->z_by_z    = scaled_plus_outer(-a, 0.0, e, e);

    kl_vec3 mu     = kl_axpy(law->s1, out->z_dot, kl_scale(law->s0, in->z));
    mu             = kl_axpy(law->viscous, in->slip, mu);
    out->by_normal = kl_neg(mu);
    out->f         = kl_scale(-in->normal, mu);
    kl_mat3 by     = scaled_plus_outer(law->s1 + law->viscous, -law->s1 * a_s, in->z, e);
    out->by_slip   = kl_mat_scale(-in->normal, &by);
    out->by_state  = scaled_plus_outer(-in->normal * (law->s0 - law->s1 * a), 0.0, e, e);
    /* the bristles belong to the normal force, so nothing is kept when it goes: no stored energy */
    out->loss  = -kl_dot(out->f, in->slip);
    out->slips = law->s0 * kl_norm(in->z) > 0.9 * law->mu_d && s > 0.0;
}

/* The elastic gap after dt of k g + c g' = mu N t, from `before` on. */
static kl_vec3 relaxed_gap(const kl_friction_law *law, const kl_friction_input *in, kl_vec3 limit)
{
    if (law->c_t <= 0.0 || in->dt <= 0.0) return limit;
    return kl_axpy(exp(-law->k_t / law->c_t * in->dt), kl_sub(in->before, limit), limit);
}

/* trial T = -(k g + c u); beyond mu N it is scaled back to -mu N t, t = trial direction. With v0 the
 * coefficient falls from mu_s to mu_d over the slip speed */
static void stick_slip(const kl_friction_law *law, const kl_friction_input *in,
                       kl_friction_force *out)
{
    kl_vec3 pull = kl_axpy(law->c_t, in->slip, kl_scale(law->k_t, in->gap));
    double  s = kl_norm(in->slip), slope = 0.0;
    double  mu   = (law->v0 > 0.0 ? stribeck_level(law, s, &slope) : law->mu_d) + law->viscous * s;
    double  size = kl_norm(pull), limit = (in->slips ? mu : fmax(mu, law->mu_s)) * in->normal;
    slope += law->viscous;
    out->over  = size - limit;
    out->along = size > 0.0 ? kl_dot(in->slip, pull) / size : 0.0;
    out->slips = size > limit;
    if (!out->slips) {
        out->f        = kl_neg(pull);
        out->gap      = in->gap;
        out->by_slip  = scaled_plus_outer(-law->c_t, 0.0, pull, pull);
        out->by_state = scaled_plus_outer(-law->k_t, 0.0, pull, pull);
        out->loss     = law->c_t * kl_dot(in->slip, in->slip);
    } else {
        double  bound  = mu * in->normal;
        kl_vec3 t      = kl_scale(1.0 / size, pull);
        kl_vec3 e      = s > 0.0 ? kl_scale(1.0 / s, in->slip) : (kl_vec3){0};
        kl_mat3 across = scaled_plus_outer(-bound / size, bound / size, t, t);
        out->f         = kl_scale(-bound, t);
        out->gap       = relaxed_gap(law, in, kl_scale(bound / law->k_t, t));
        if (in->dt > 0.0) out->growth = kl_dot(t, kl_sub(out->gap, in->before)) / in->dt;
        kl_mat3 te     = kl_outer(t, e);
        out->by_slip   = kl_mat_scale(law->c_t, &across);
        out->by_slip   = kl_mat_axpy(-in->normal * slope, &te, &out->by_slip);
        out->by_state  = kl_mat_scale(law->k_t, &across);
        out->by_normal = kl_scale(-mu, t);
        out->loss      = bound * kl_dot(in->slip, t);
    }
    out->energy = 0.5 * law->k_t * kl_dot(out->gap, out->gap);
}

void kl_friction_eval(const kl_friction_law *law, const kl_friction_input *in,
                      kl_friction_force *out)
{
    memset(out, 0, sizeof *out);
    if (law->kind == KL_FRICTION_STICK_SLIP) stick_slip(law, in, out);
    else if (law->kind == KL_FRICTION_LUGRE) lugre(law, in, out);
    else if (law->kind != KL_FRICTION_NONE) of_speed(law, in, out);
}

/* A change of state is met within this share of the elastic gap at the limit force, or when the slip
 * is slower than SLOWEST. */
static const double SHARE_OF_GAP = 1e-3;
static const double SLOWEST      = 1e-6; /* [m/s] */

double kl_friction_phase(const kl_friction_law *law, const kl_friction_force *f, double normal,
                         double normal_before, bool slid, double dt)
{
    double unit   = SHARE_OF_GAP * law->mu_s * normal;
    double beyond = unit > 0.0 ? fmax(fabs(f->over) / unit, 0.3) : 0.3;
    if (!f->slips) return beyond;
    if (!slid || !(dt > 0.0)) return -beyond;
    double growth =
        law->c_t > 0.0 ? f->growth : law->mu_d * (normal - normal_before) / (law->k_t * dt);
    return (growth - f->along) / SLOWEST;
}

/* ---- rolling and spinning ---- */

/* m = -N arm a/sqrt(|a|^2 + w0^2) of the part a = P w; its slope J = -N arm (1/root - a a'/root^3) */
static kl_mat3 resist(double arm, double normal, double w0, kl_vec3 a, kl_rolling_moment *out)
{
    double root    = sqrt(kl_dot(a, a) + w0 * w0);
    out->by_normal = kl_axpy(-arm / root, a, out->by_normal);
    out->loss += normal * arm * kl_dot(a, a) / root;
    return scaled_plus_outer(-normal * arm / root, normal * arm / (root * root * root), a, a);
}

kl_rolling_moment kl_rolling_eval(const kl_friction_law *law, kl_vec3 n, kl_vec3 w, double normal)
{
    kl_rolling_moment out = {0};
    if (law->rolling <= 0.0 && law->spinning <= 0.0) return out;
    kl_vec3 spin = kl_scale(kl_dot(w, n), n);
    kl_mat3 N = kl_outer(n, n), one = kl_identity(), T = kl_mat_axpy(-1.0, &N, &one);
    kl_mat3 Jr = resist(law->rolling, normal, law->w0, kl_sub(w, spin), &out),
            Js = resist(law->spinning, normal, law->w0, spin, &out);
    kl_mat3 r = kl_matmul(&Jr, &T), s = kl_matmul(&Js, &N);
    out.by_spin = kl_mat_axpy(1.0, &r, &s);
    /* both parts change with n: d(spin) = (n w' + (n.w) 1) dn */
    kl_mat3 J = kl_mat_axpy(-1.0, &Jr, &Js), D = scaled_plus_outer(kl_dot(n, w), 1.0, n, w);
    out.by_direction = kl_matmul(&J, &D);
    out.m            = kl_scale(normal, out.by_normal);
    return out;
}
