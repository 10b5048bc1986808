/* Kinetic energy of a body with second-order motion u = X w + w'Y w/2 (geometric stiffening).
 *
 * Y itself is not known, only what it does on the twelve fields F = (e_c, e_c x_d):
 * <F, Y> = sum m F.Y (reduce/geometric.h). That gives the momentum P = R V + B w' of the body, its rigid
 * mass R(w) to second and B(w) to first order; not the energy w'.Mff(w) w'/2 of the modes, in which
 * Y meets X and itself. With Mff left constant a bent body whose frame is held at nodes can lose all
 * mass: a bent rod swings about its chord when it is twisted, the momentum of that swing is counted
 * and its energy is not. So energy is split where momentum splits it,
 *
 *   T = P.R^-1 P/2 + w'.(M1 - B1'R1^-1 B1) w'/2,      R1, B1, M1: of u = X w alone, in mean axes
 *
 * into that of the momentum and that of the motion about it, and only the second, which is never
 * negative, is left as it is without stiffening. Both are the same whatever the frame is tied to; in
 * mean axes, because there what is left out, X meeting Y, is least. Beside the energy of the momenta
 * with the constant M1 (flexible_inertia.c) this is E(R, B) - E(R1, B1), of the modes alone:
 *
 *   E = p.z/2,   p = B w',   R z = p,   R z' = p' - R'z
 *   F_j = B_j.z' + (B'_j - dB/dw_j w').z + z.(dR/dw_j) z/2 */
#include <string.h>

#include "bodies/flexible.h"

enum { FIELDS = FLEXIBLE_FIELDS };

/* ---- results of the fields ---- */

/* J2 += sign (G + G')/2 and H1 += sign sum m x x Y, W = sum m Y x', for all pairs of modes */
void flexible_add_second(int modes, const double *second, double sign, double *J2, double *H1,
                         double *H1t)
{
    size_t n = (size_t)modes;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            kl_mat3 W = flexible_mat3(second + FIELDS * (i * n + j) + 3),
                    T = kl_inertia_of_moments(&W);
            double h[3], *J = J2 + 9 * (i * n + j);
            kl_store(h, kl_neg(flexible_cross_of(&W)));
            for (int c = 0; c < 3; c++) {
                for (int d = 0; d < 3; d++) J[3 * c + d] += sign * 0.5 * (T.m[c][d] + T.m[d][c]);
                H1[3 * (i * n + j) + (size_t)c] += sign * h[c];
                H1t[3 * (j * n + i) + (size_t)c] += sign * h[c];
            }
        }
}

/* the body without its second-order motion, in mean axes */
kl_status flexible_second_setup(flexible *p, kl_arena *arena)
{
    if (!p->second) return KL_OK;
    size_t    n = (size_t)p->n, nn = n * n;
    flexible *plain = kl_arena_array(arena, flexible, 1);
    double   *J2    = kl_arena_array(arena, double, 9 * nn + 1);
    double   *H1    = kl_arena_array(arena, double, 3 * nn + 1),
           *H1t     = kl_arena_array(arena, double, 3 * nn + 1);
    int *mode       = kl_arena_array(arena, int, n + 6);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    memcpy(J2, p->J2, 9 * nn * sizeof(double));
    memcpy(H1, p->H1, 3 * nn * sizeof(double));
    memcpy(H1t, p->H1t, 3 * nn * sizeof(double));
    memcpy(mode, p->mode, n * sizeof(int));
    flexible_add_second(p->n, p->second, -1.0, J2, H1, H1t);
    *plain       = (flexible){.n    = p->n,
                              .mode = mode,
                              .m    = p->m,
                              .s0   = p->s0,
                              .J0   = p->J0,
                              .S1   = p->S1,
                              .H0   = p->H0,
                              .G0   = p->G0,
                              .J2   = J2,
                              .H1   = H1,
                              .H1t  = H1t,
                              .M    = p->M,
                              .K    = p->K};
    p->plain     = plain;
    bool already = !p->conditioned && flexible_reference_of(p) == FLEXIBLE_MEAN_AXIS;
    return already ? KL_OK : flexible_to_mean_axes(plain, arena);
}

/* ---- momentum ---- */

typedef flexible_screw screw;

static screw screw_axpy(double a, screw x, screw y)
{
    return (screw){kl_axpy(a, x.v, y.v), kl_axpy(a, x.om, y.om)};
}

static double screw_dot(screw a, screw b) { return kl_dot(a.v, b.v) + kl_dot(a.om, b.om); }

/* [m, S; J] z */
static screw momentum(double m, kl_vec3 S, const kl_mat3 *J, screw z)
{
    return (screw){kl_axpy(m, z.v, kl_cross(z.om, S)), kl_add(kl_cross(S, z.v), kl_mul(J, z.om))};
}

/* A body in its state, and what of it E needs. */
typedef struct mover {
    const flexible       *p;
    const flexible_cache *c;
    kl_vec3               centre;
    kl_mat3               inverse; /* of the inertia about the centre */
    kl_mat3               J_rate;
    screw                 z;
} mover;

/* R z = f */
static screw velocity_of(const mover *k, screw f)
{
    screw z;
    z.om = kl_mul(&k->inverse, kl_sub(f.om, kl_cross(k->centre, f.v)));
    z.v  = kl_sub(kl_scale(1.0 / k->p->m, f.v), kl_cross(z.om, k->centre));
    return z;
}

static screw column(const double *S, const double *H, int j)
{
    return (screw){kl_load(S + 3 * j), kl_load(H + 3 * j)};
}

/* sum_j x_j B_j */
static screw sum(int n, const double *S, const double *H, const double *x)
{
    screw s = {{0, 0, 0}, {0, 0, 0}};
    for (int j = 0; j < n; j++) s = screw_axpy(x[j], column(S, H, j), s);
    return s;
}

static screw B_of(const mover *k, int j) { return column(k->c->S1, k->c->H, j); }

static mover second_order_motion_of(const flexible *p, const flexible_cache *c)
{
    mover   k = {.p = p, .c = c, .centre = kl_scale(1.0 / p->m, c->S)};
    kl_mat3 S = kl_skew(c->S), SS = kl_matmul(&S, &S), J = kl_mat_axpy(1.0 / p->m, &SS, &c->J);
    double  least = 1e-13 * (p->J0.m[0][0] + p->J0.m[1][1] + p->J0.m[2][2]); /* a line is thin */
    for (int d = 0; d < 3; d++) J.m[d][d] += least;
    k.inverse = kl_inverse(&J);
    k.J_rate  = flexible_inertia_rate(p, c);
    k.z       = velocity_of(&k, sum(p->n, c->S1, c->H, c->w_rate));
    return k;
}

static kl_mat3 symmetric(const double *G) /* G + G' */
{
    kl_mat3 A = flexible_mat3(G), At = kl_transpose(&A);
    return kl_mat_axpy(1.0, &A, &At);
}

/* (dR/dw_j) z */
static screw R_by(const mover *k, int j, screw z)
{
    kl_mat3 J = symmetric(k->c->G + 9 * j);
    return momentum(0.0, kl_load(k->c->S1 + 3 * j), &J, z);
}

static screw R_rate(const mover *k, screw z) { return momentum(0.0, k->c->S_rate, &k->J_rate, z); }

/* B'_j - (dB/dw_j) w': what shifts of the centre of mass cannot do */
static screw lead(const mover *k, int j)
{
    return (screw){{0, 0, 0}, kl_sub(kl_load(k->c->H_rate + 3 * j), kl_load(k->c->H_lag + 3 * j))};
}

/* z' at w'' */
static screw z_rate(const mover *k, const double *w_acc)
{
    const flexible_cache *c = k->c;
    int                   n = k->p->n;
    screw                 f = {c->S_bias, {0, 0, 0}};
    for (int j = 0; j < n; j++) f.om = kl_axpy(c->w_rate[j], kl_load(c->H_rate + 3 * j), f.om);
    if (w_acc) f = screw_axpy(1.0, sum(n, c->S1, c->H, w_acc), f);
    return velocity_of(k, screw_axpy(-1.0, R_rate(k, k->z), f));
}

/* ---- what E adds to mass and forces ---- */

static void add_energy(const mover *k, double sign, double *M, double *s)
{
    int   n = k->p->n, N = n + 6;
    screw bias = z_rate(k, NULL);
    for (int j = 0; j < n; j++) {
        screw  Z     = velocity_of(k, B_of(k, j));
        double force = screw_dot(B_of(k, j), bias) + screw_dot(lead(k, j), k->z) +
                       0.5 * screw_dot(k->z, R_by(k, j, k->z));
        s[6 + j] -= sign * force;
        for (int i = 0; i < j; i++) {
            double mass = sign * screw_dot(B_of(k, i), Z);
            M[(6 + i) * N + 6 + j] += mass;
            M[(6 + j) * N + 6 + i] += mass;
        }
        M[(6 + j) * N + 6 + j] += sign * screw_dot(B_of(k, j), Z);
    }
}

void flexible_second_inertia(const flexible *p, const flexible_cache *c, double *M, double *s)
{
    mover with = second_order_motion_of(p, c), without = second_order_motion_of(p->plain, c->inner);
    add_energy(&with, 1.0, M, s);
    add_energy(&without, -1.0, M, s);
}

double flexible_second_energy(const flexible *p, const flexible_cache *c)
{
    mover  k[2] = {second_order_motion_of(p, c), second_order_motion_of(p->plain, c->inner)};
    double E[2];
    for (int i = 0; i < 2; i++)
        E[i] = 0.5 * screw_dot(k[i].z, sum(p->n, k[i].c->S1, k[i].c->H, c->w_rate));
    return E[0] - E[1];
}

/* ---- and to their tangents ---- */

/* (dB/dw_k) x */
static screw B_by(const mover *k, int mode, const double *x)
{
    const flexible *p  = k->p;
    size_t          at = 3 * (size_t)mode * (size_t)p->n;
    screw           s  = {{0, 0, 0}, {0, 0, 0}};
    for (int j = 0; j < p->n; j++) {
        s.om = kl_axpy(x[j], kl_load(p->H1 + at + 3 * (size_t)j), s.om);
        if (p->S2) s.v = kl_axpy(x[j], kl_load(p->S2 + at + 3 * (size_t)j), s.v);
    }
    return s;
}

/* by w_m and w'_m: z, z', and the column m of (dB/dw) w' */
typedef struct change {
    screw z_w, z_v, acc_w, acc_v;
} change;

static change change_of(const mover *k, int m, screw acc, const double *w_acc)
{
    change        d;
    const double *rate   = k->c->w_rate;
    screw         turned = R_by(k, m, k->z), ahead = B_by(k, m, rate);
    screw         B_rate  = {ahead.v, kl_load(k->c->H_rate + 3 * m)}; /* S2 is symmetric */
    kl_mat3       J_rate  = symmetric(k->c->scratch + 9 * m);         /* of dJ/dw_m */
    screw         turning = momentum(0.0, ahead.v, &J_rate, k->z);
    d.z_w                 = velocity_of(k, screw_axpy(-1.0, turned, ahead));
    d.z_v                 = velocity_of(k, B_of(k, m));
    d.acc_w               = screw_axpy(-1.0, turning, B_by(k, m, w_acc));
    d.acc_w = screw_axpy(-1.0, screw_axpy(1.0, R_rate(k, d.z_w), R_by(k, m, acc)), d.acc_w);
    d.acc_w = velocity_of(k, d.acc_w);
    d.acc_v = screw_axpy(1.0, ahead, screw_axpy(-1.0, turned, B_rate));
    d.acc_v = velocity_of(k, screw_axpy(-1.0, R_rate(k, d.z_v), d.acc_v));
    return d;
}

/* what the second derivatives of B and R by w_m and w_j do: z.(d2R) z/2 = S2.(v x om) + om.J2 om */
static double curve(const mover *k, int m, int j, screw acc)
{
    const flexible *p  = k->p;
    size_t          at = (size_t)m * (size_t)p->n + (size_t)j;
    kl_mat3         J2 = flexible_mat3(p->J2 + 9 * at);
    double          f  = kl_dot(kl_load(p->H1 + 3 * at), acc.om);
    if (p->S2) f += kl_dot(kl_load(p->S2 + 3 * at), kl_add(acc.v, kl_cross(k->z.v, k->z.om)));
    return f + kl_dot(k->z.om, kl_mul(&J2, k->z.om));
}

static void add_tangent(const mover *k, double sign, const double *w_acc, double *K, double *C)
{
    int    n = k->p->n, N = n + 6;
    screw  acc   = z_rate(k, w_acc);
    screw *along = k->c->along;
    for (int j = 0; j < n; j++) along[j] = screw_axpy(1.0, R_by(k, j, k->z), lead(k, j));
    for (int m = 0; m < n; m++) {
        change        d  = change_of(k, m, acc, w_acc);
        size_t        at = 3 * (size_t)m * (size_t)n;
        const double *H = k->p->H1 + at, *Ht = k->p->H1t + at;
        for (int j = 0; j < n; j++) {
            screw   B    = B_of(k, j);
            kl_vec3 skew = kl_sub(kl_load(H + 3 * j), kl_load(Ht + 3 * j));
            K[(6 + j) * N + 6 + m] +=
                sign * (screw_dot(B, d.acc_w) + screw_dot(along[j], d.z_w) + curve(k, m, j, acc));
            C[(6 + j) * N + 6 + m] +=
                sign * (screw_dot(B, d.acc_v) + screw_dot(along[j], d.z_v) + kl_dot(skew, k->z.om));
        }
    }
}

void flexible_second_tangent(const flexible *p, const flexible_cache *c, const double *a, double *K,
                             double *C)
{
    mover with = second_order_motion_of(p, c), without = second_order_motion_of(p->plain, c->inner);
    flexible_turn_rates(p->plain, c->inner);
    add_tangent(&with, 1.0, a + 6, K, C);
    add_tangent(&without, -1.0, a + 6, K, C);
}
