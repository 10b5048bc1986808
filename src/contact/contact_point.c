#include "contact/contact_point.h"

#include <float.h>
#include <math.h>
#include <string.h>

static kl_vec3 across(kl_vec3 n, kl_vec3 x) { return kl_axpy(-kl_dot(n, x), n, x); }

static kl_vec3 velocity_at(const kl_motion *m, kl_vec3 c)
{
    return kl_add(m->v, kl_cross(m->w, kl_sub(c, m->r)));
}

static kl_vec3 material(const kl_motion *m, const double *x)
{
    return kl_add(m->r, kl_mul(&m->A, kl_load(x)));
}

static kl_normal_force scaled(kl_normal_force f, double s)
{
    return (kl_normal_force){f.f * s,      f.by_depth * s, f.by_rate * s,
                             f.energy * s, f.loss * s,     f.spring * s};
}

/* Impact speed of a contact that was open at the last step: the speed then, if that was nearer to the touch than
 * this. */
static double first_impact(double depth, double rate, const double *h)
{
    bool near = h[KL_POINT_IMPACT] > 0.0 && -h[KL_POINT_DEPTH] < depth;
    return near ? h[KL_POINT_IMPACT] : rate;
}

/* The step that meets a contact ends just beyond the touch. A damper would give the whole step a force that
 * begins at its end only, and with it the momentum c d' h/2: it acts from the next step on. */
static kl_normal_force first_force(const kl_normal_law *law, double depth, double rate,
                                   const double *h)
{
    double impact = first_impact(depth, rate, h);
    if (law->c == 0.0) return kl_normal_eval(law, depth, rate, impact);
    kl_normal_law spring = *law;
    spring.c             = 0.0;
    return kl_normal_eval(&spring, depth, rate, impact);
}

/* Depth and rate within the last step, at the share s of it: the cubic d(t) through those of both ends. */
typedef struct course {
    double d0, r0, d1, r1; /* rates times the length of the step [m] */
    double dt, impact;
} course;

static course step_phase_of(const kl_contact_state *x, const double *h, double dt)
{
    bool known = h[KL_POINT_STATE] > 0.0;
    return (course){.d0     = h[KL_POINT_DEPTH],
                    .r0     = h[KL_POINT_RATE] * dt,
                    .d1     = x->depth,
                    .r1     = x->rate * dt,
                    .dt     = dt,
                    .impact = known ? h[KL_POINT_IMPACT] : first_impact(x->depth, x->rate, h)};
}

static double depth_within(const course *c, double s)
{
    double u = 1.0 - s;
    return u * u * ((1.0 + 2.0 * s) * c->d0 + s * c->r0) +
           s * s * ((1.0 + 2.0 * u) * c->d1 - u * c->r1);
}

static double rate_within(const course *c, double s)
{
    double u = 1.0 - s;
    return (6.0 * s * u * (c->d1 - c->d0) + u * (1.0 - 3.0 * s) * c->r0 +
            s * (1.0 - 3.0 * u) * c->r1) /
           c->dt;
}

/* At its end f' = f_d d' + f_d' d'' is negative although it was pressed deeper at first. */
bool kl_contact_point_peaks(const kl_contact_state *x, const double *h, double dt)
{
    if (!(dt > 0.0) || !(h[KL_POINT_RATE] > 0.0)) return false;
    course c     = step_phase_of(x, h, dt);
    double bends = (6.0 * (c.d0 - c.d1) + 2.0 * c.r0 + 4.0 * c.r1) / (dt * dt);
    return x->rate < 0.0 || x->normal.by_depth * x->rate + x->normal.by_rate * bends < 0.0;
}

double kl_contact_point_within(const kl_contact_law *law, const kl_contact_state *x,
                               const double *h, double dt, double s)
{
    const kl_normal_law *normal = &law->normal;
    course               c      = step_phase_of(x, h, dt);
    double               d      = fmax(depth_within(&c, s), 0.0);
    if (normal->kind == KL_NORMAL_INDENTATION)
        return law->share * kl_normal_indent(normal, d, h[KL_POINT_DEEPEST]).force.f;
    return law->share * kl_normal_eval(normal, d, rate_within(&c, s), c.impact).f;
}

/* Gauss's rule of five points. The trapezoidal rule
 * of the powers alone was measured to lose 1 % of an impact that Runge-Kutta takes in 20 steps. */
enum { GAUSS = 5 };
static const double gauss_at[GAUSS]     = {0.046910077030668004, 0.23076534494715845, 0.5,
                                           0.76923465505284155, 0.953089922969332};
static const double gauss_weight[GAUSS] = {0.11846344252809454, 0.23931433524968324,
                                           0.28444444444444444, 0.23931433524968324,
                                           0.11846344252809454};

double kl_contact_point_lost(const kl_contact_law *law, const kl_contact_state *x, const double *h,
                             double dt)
{
    course c   = step_phase_of(x, h, dt);
    double sum = 0.0;
    if (law->normal.kind == KL_NORMAL_INDENTATION || !(dt > 0.0)) return 0.0;
    for (int i = 0; i < GAUSS; i++)
        sum += gauss_weight[i] * kl_normal_eval(&law->normal, depth_within(&c, gauss_at[i]),
                                                rate_within(&c, gauss_at[i]), c.impact)
                                     .loss;
    return law->share * dt * sum;
}

double kl_contact_point_rub(const kl_contact_state *x)
{
    return x->normal.f > 0.0 ? (x->friction.loss + x->rolling.loss) / x->normal.f : 0.0;
}

/* The normal force rises and falls within a step, while the power over it changes as little as the slip: it is
 * linear between both ends. At an end where there is no contact it is that of the other end. */
double kl_contact_point_rubbed(const kl_contact_law *law, const kl_contact_state *x,
                               const double *h, double dt)
{
    bool   before = h[KL_POINT_STATE] > 0.0, after = x->closed && x->normal.f > 0.0;
    double from = h[KL_POINT_RUB], to = kl_contact_point_rub(x), sum = 0.0;
    if (!(dt > 0.0) || (!before && !after)) return 0.0;
    if (!before) from = to;
    if (!after) to = from;
    if (from == 0.0 && to == 0.0) return 0.0;
    for (int i = 0; i < GAUSS; i++)
        sum += gauss_weight[i] * (from + gauss_at[i] * (to - from)) *
               kl_contact_point_within(law, x, h, dt, gauss_at[i]);
    return dt * sum;
}

void kl_contact_point_eval(const kl_contact_law *law, const kl_spot *s, const kl_motion m[2],
                           const double *h, double dt, const double *z, kl_contact_state *x)
{
    memset(x, 0, sizeof *x);
    x->n     = s->n;
    x->depth = -s->gap;
    x->c     = law->acts == KL_CONTACT_FIRST    ? s->p1
               : law->acts == KL_CONTACT_SECOND ? s->p2
                                                : kl_scale(0.5, kl_add(s->p1, s->p2));
    x->w     = kl_sub(velocity_at(&m[0], x->c), velocity_at(&m[1], x->c));
    x->rate  = kl_dot(x->n, x->w);
    x->u     = across(x->n, x->w);
    if (law->normal.kind == KL_NORMAL_INDENTATION)
        x->stays = kl_normal_indent(&law->normal, 0.0, h[KL_POINT_DEEPEST]).stays;
    x->closed  = x->depth > x->stays;
    bool known = h[KL_POINT_STATE] > 0.0;
    if (!x->closed && !(z && known))
        return; /* bristles follow the slip until the end of the step */

    x->normal = scaled(law->normal.kind == KL_NORMAL_INDENTATION
                           ? kl_normal_indent(&law->normal, x->depth, h[KL_POINT_DEEPEST]).force
                       : known ? kl_normal_eval(&law->normal, x->depth, x->rate, h[KL_POINT_IMPACT])
                               : first_force(&law->normal, x->depth, x->rate, h),
                       law->share);
    kl_friction_input in = {.slip = x->u, .normal = x->normal.f, .slips = h[KL_POINT_STATE] == 2.0};
    if (kl_friction_laws[law->friction.kind].gap && known) {
        x->e0     = kl_mul(&m[1].A, kl_load(h + KL_POINT_GAP));
        in.before = across(x->n, x->e0);
        in.dt     = fmax(dt, DBL_MIN); /* at the last step itself nothing has changed */
        if (dt > 0.0) {
            kl_vec3 both = kl_add(kl_mul(&m[1].A, kl_load(h + KL_POINT_SLIP)), x->u);
            x->e0        = kl_axpy(0.5 * dt, both, x->e0);
        } else {
            x->e0 = kl_add(x->e0, kl_sub(material(&m[0], h + KL_POINT_ON1), s->p1));
            x->e0 = kl_sub(x->e0, kl_sub(material(&m[1], h + KL_POINT_ON2), s->p2));
        }
    }
    if (z) x->e0 = kl_mul(&m[1].A, kl_load(z));
    x->e   = across(x->n, x->e0);
    in.gap = in.z = x->e;
    kl_friction_eval(&law->friction, &in, &x->friction);
    /* all power that friction takes, also that into the elastic gap:
     * unlike the dissipated power it does not jump where sticking becomes slipping */
    x->friction.loss = -kl_dot(x->friction.f, x->u);
    x->rolling       = kl_rolling_eval(&law->friction, x->n, kl_sub(m[0].w, m[1].w), x->normal.f);
    x->F             = kl_axpy(-x->normal.f, x->n, x->friction.f);
    x->M             = x->rolling.m;
}

/* ---- derivatives ---- */

/* How everything moves with one of the 12 increments: geometry first. */
typedef struct moved {
    kl_vec3 r[2], turn[2]; /* of the markers */
    kl_vec3 p1, p2, n;
} moved;

/* An increment of marker 1 moves all rigidly, and marker 2 back. */
static moved move(const kl_spot *s, const kl_motion m[2], const kl_spot_slopes *d, int j)
{
    moved  x    = {0};
    double e[3] = {0};
    e[j % 3]    = 1.0;
    kl_vec3 a = kl_load(e), dr = {0}, turn = {0};
    if (j % 6 < 3) dr = a;
    else turn = a;
    if (j >= 6) {
        x.r[1] = dr, x.turn[1] = turn;
        x.p1 = d->p1[j - 6], x.p2 = d->p2[j - 6], x.n = d->n[j - 6];
        return x;
    }
    x.r[0] = dr, x.turn[0] = turn;
    kl_vec3 back = kl_neg(kl_add(dr, kl_cross(turn, kl_sub(m[1].r, m[0].r))));
    double  b[6] = {back.x, back.y, back.z, -turn.x, -turn.y, -turn.z};
    x.p1         = kl_add(dr, kl_cross(turn, kl_sub(s->p1, m[0].r)));
    x.p2         = kl_add(dr, kl_cross(turn, kl_sub(s->p2, m[0].r)));
    x.n          = kl_cross(turn, s->n);
    for (int k = 0; k < 6; k++) {
        x.p1 = kl_axpy(b[k], d->p1[k], x.p1);
        x.p2 = kl_axpy(b[k], d->p2[k], x.p2);
        x.n  = kl_axpy(b[k], d->n[k], x.n);
    }
    return x;
}

static kl_vec3 point_of(const kl_contact_law *law, const moved *x)
{
    return law->acts == KL_CONTACT_FIRST    ? x->p1
           : law->acts == KL_CONTACT_SECOND ? x->p2
                                            : kl_scale(0.5, kl_add(x->p1, x->p2));
}

/* d(P x) = P dx - (dn.x) n - (n.x) dn with P = I - n n' */
static kl_vec3 across_slope(kl_vec3 n, kl_vec3 dn, kl_vec3 x, kl_vec3 dx)
{
    kl_vec3 y = across(n, dx);
    y         = kl_axpy(-kl_dot(dn, x), n, y);
    return kl_axpy(-kl_dot(n, x), dn, y);
}

static void store_column(double *K, int j, kl_vec3 F, kl_vec3 M1, kl_vec3 M2)
{
    double w[12];
    kl_store(w, F), kl_store(w + 3, M1), kl_store(w + 6, kl_neg(F)), kl_store(w + 9, M2);
    for (int i = 0; i < 12; i++) K[12 * i + j] += w[i];
}

/* Column of the wrenches for dF, dM and a moved point dc. */
static void add_column(const kl_contact_state *x, const kl_motion m[2], const moved *g, kl_vec3 dc,
                       kl_vec3 dF, kl_vec3 dM, int j, double *K)
{
    kl_vec3 M1 = kl_cross(kl_sub(dc, g->r[0]), x->F), M2 = kl_cross(kl_sub(dc, g->r[1]), x->F);
    M1 = kl_add(kl_add(M1, kl_cross(kl_sub(x->c, m[0].r), dF)), dM);
    M2 = kl_add(kl_add(M2, kl_cross(kl_sub(x->c, m[1].r), dF)), dM);
    store_column(K, j, dF, M1, kl_neg(M2));
}

typedef struct change { /* of what the laws read */
    double  depth, rate;
    kl_vec3 n, u, e, spin;
} change;

/* dF and dM of the laws for a change of their arguments. N also scales friction and rolling resistance. */
static kl_vec3 force_change(const kl_contact_state *x, const change *d, bool memory, kl_vec3 *dM,
                            double *dN)
{
    *dN        = x->normal.by_depth * d->depth + x->normal.by_rate * d->rate;
    kl_vec3 dF = kl_axpy(-*dN, x->n, kl_scale(-x->normal.f, d->n));
    dF         = kl_add(dF, kl_mul(&x->friction.by_slip, d->u));
    dF         = kl_axpy(*dN, x->friction.by_normal, dF);
    if (memory) dF = kl_add(dF, kl_mul(&x->friction.by_state, d->e));
    *dM = kl_axpy(*dN, x->rolling.by_normal, kl_mul(&x->rolling.by_spin, d->spin));
    *dM = kl_add(*dM, kl_mul(&x->rolling.by_direction, d->n));
    return dF;
}

static void store_z(double *zx, int nz, int wide, int iz, int j, kl_vec3 v)
{
    double x[3];
    (void)nz;
    kl_store(x, v);
    for (int i = 0; i < 3; i++) zx[(iz + i) * wide + j] += x[i];
}

/* The wrenches are w_1 = (F, (c - r_1) x F + M) and w_2 = -(F, (c - r_2) x F + M), with F = -N n + T. So
 *
 *   dF = -dN n - N dn + T_u du + T_N dN + T_e de,   dN = N_d dd + N_d' dd'
 *
 * Columns 0 to 5 are the increments (dr, dtheta) of the first marker, 6 to 11 those of the second. */
void kl_contact_point_tangent(const kl_contact_law *law, const kl_spot *s, const kl_motion m[2],
                              const kl_contact_state *x, const double *h, double dt,
                              const double *z, const kl_spot_slopes *slopes, int iz, int nz,
                              kl_slopes *out)
{
    bool    known = h[KL_POINT_STATE] > 0.0;
    bool    gap = kl_friction_laws[law->friction.kind].gap && known, memory = gap || z;
    bool    follow = z && known; /* else the caller lets the bristles relax */
    kl_vec3 dM, A2e = {0};
    double  dN;
    if (memory) A2e = kl_mul(&m[1].A, kl_load(z ? z : h + KL_POINT_GAP));
    if (!x->closed && !follow) return;
    for (int j = 0; j < 12; j++) {
        moved   g  = move(s, m, slopes, j);
        kl_vec3 dc = point_of(law, &g), dw, de0 = {0};
        /* w = v_1(c) - v_2(c): at fixed velocities only the arms c - r change */
        dw = kl_sub(kl_cross(m[0].w, kl_sub(dc, g.r[0])), kl_cross(m[1].w, kl_sub(dc, g.r[1])));
        change d = {.n = g.n};
        /* d = n.(p1 - p2); dn.(p1 - p2) is zero, because p1 - p2 is along n and dn normal to n */
        d.depth = kl_dot(s->n, kl_sub(g.p1, g.p2));
        d.rate  = kl_dot(g.n, x->w) + kl_dot(x->n, dw);
        d.u     = across_slope(x->n, g.n, x->w, dw);
        /* e0 = A2 e_h + ...: the stored vector rotates with body 2 (both forms: contact_point.h) */
        if (memory) de0 = kl_cross(g.turn[1], A2e);
        if (gap && dt > 0.0) {
            kl_vec3 uh = kl_mul(&m[1].A, kl_load(h + KL_POINT_SLIP));
            de0        = kl_axpy(0.5 * dt, kl_add(kl_cross(g.turn[1], uh), d.u), de0);
        } else if (gap) {
            kl_vec3 x1 = kl_mul(&m[0].A, kl_load(h + KL_POINT_ON1)),
                    x2 = kl_mul(&m[1].A, kl_load(h + KL_POINT_ON2));
            de0        = kl_add(de0, kl_sub(kl_add(g.r[0], kl_cross(g.turn[0], x1)), g.p1));
            de0        = kl_sub(de0, kl_sub(kl_add(g.r[1], kl_cross(g.turn[1], x2)), g.p2));
        }
        if (memory) d.e = across_slope(x->n, g.n, x->e0, de0);
        kl_vec3 dF = force_change(x, &d, memory, &dM, &dN);
        add_column(x, m, &g, dc, dF, dM, j, out->K);
        if (follow) {
            kl_vec3 dz =
                kl_add(kl_mul(&x->friction.z_by_slip, d.u), kl_mul(&x->friction.z_by_z, d.e));
            /* z is in the axes of body 2: d(A2' z') = A2' (dz' - dtheta_2 x z') */
            dz = kl_sub(dz, kl_cross(g.turn[1], x->friction.z_dot));
            store_z(out->zk, nz, 12, iz, j, kl_mul_t(&m[1].A, dz));
        }
    }
    for (int j = 0; j < 12;
         j++) { /* velocities: dw = dv + dw x (c - r), of the second marker negative */
        moved  none = {0};
        double e[3] = {0}, sign = j < 6 ? 1.0 : -1.0;
        e[j % 3]  = sign;
        kl_vec3 a = kl_load(e), arm = kl_sub(x->c, m[j / 6].r);
        kl_vec3 dw = j % 6 < 3 ? a : kl_cross(a, arm);
        change  d  = {.rate = kl_dot(x->n, dw), .u = across(x->n, dw)};
        if (j % 6 >= 3) d.spin = a;
        if (gap && dt > 0.0) d.e = kl_scale(0.5 * dt, d.u); /* trapezoidal rule over the step */
        kl_vec3 dF = force_change(x, &d, memory, &dM, &dN);
        add_column(x, m, &none, (kl_vec3){0}, dF, dM, j, out->C);
        if (follow)
            store_z(out->zc, nz, 12, iz, j, kl_mul_t(&m[1].A, kl_mul(&x->friction.z_by_slip, d.u)));
    }
    for (int j = 0; z && j < 3; j++) { /* bristles */
        kl_vec3 de = across(x->n, kl_axis(&m[1].A, j)), dF = kl_mul(&x->friction.by_state, de);
        double  w[12];
        kl_store(w, dF), kl_store(w + 3, kl_cross(kl_sub(x->c, m[0].r), dF));
        kl_store(w + 6, kl_neg(dF)), kl_store(w + 9, kl_neg(kl_cross(kl_sub(x->c, m[1].r), dF)));
        for (int i = 0; i < 12; i++) out->wz[nz * i + iz + j] += w[i];
        if (follow)
            store_z(out->zz, nz, nz, iz, iz + j,
                    kl_mul_t(&m[1].A, kl_mul(&x->friction.z_by_z, de)));
    }
}
