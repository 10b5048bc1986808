/* Frame G of markers with `spins: false`: it follows the axis N = F n and stays level about it. Its
 * direction K is that of a fixed global direction u, across the axis (u is z unless the axis starts
 * near z, then x):
 *
 *   K = (u - N (N.u)) / c,  c = |u - N (N.u)|,  J = N x K
 *   w_G = Q w,  Q = P + t N K',  t = (N.u)/c
 *
 * the turn about N that keeps K level being t K.w. F itself would turn about N along a canted curve
 * (parallel transport). There is no such frame where N is along u: a wheelset that stands upright. */
#include <math.h>
#include <string.h>

#include "bodies/spinning.h"

/* u across the axis N, of unit length; *t = (N.u)/c */
static kl_vec3 level_direction(kl_vec3 N, kl_vec3 u, double *t)
{
    const double least = 1e-9; /* keeps numbers finite where the axis points along u */
    kl_vec3      K     = kl_axpy(-kl_dot(N, u), N, u);
    double       c     = fmax(kl_norm(K), least);
    *t                 = kl_dot(N, u) / c;
    return kl_scale(1.0 / c, K);
}

level level_frame(const rigid *p, const spinning_cache *k)
{
    /* K as it is in the body at the start, where G and the body axes are the same */
    kl_vec3 N0      = kl_mul(&p->orientation, p->spin_axis);
    kl_vec3 u       = fabs(N0.z) < 0.8 ? kl_vec(0, 0, 1) : kl_vec(1, 0, 0);
    level   l       = {.N = kl_mul(&k->F, p->spin_axis)};
    kl_vec3 kb      = kl_mul_t(&p->orientation, level_direction(N0, u, &l.t));
    l.K             = level_direction(l.N, u, &l.t);
    l.J             = kl_cross(l.N, l.K);
    kl_mat3 in_body = kl_from_axes(p->spin_axis, kb, kl_cross(p->spin_axis, kb));
    kl_mat3 now = kl_from_axes(l.N, l.K, l.J), back = kl_transpose(&in_body);
    l.G = kl_matmul(&now, &back);
    return l;
}

level level_of(const spinning_cache *k, const kl_marker *marker)
{
    level l = k->flat;
    l.arm   = kl_mul(&l.G, marker->r);
    return l;
}

/* Q z */
static kl_vec3 level_turn(const level *l, kl_vec3 z)
{
    return kl_axpy(l->t * kl_dot(l->K, z) - kl_dot(l->N, z), l->N, z);
}

/* Change of Q z along the increment y, for z = F e with e fixed: dz = P y x z, dN = y x N,
 * dK = Q y x K, dt = (1 + t^2) J.y. All global. */
static kl_vec3 level_change(const level *l, kl_vec3 y, kl_vec3 z)
{
    kl_vec3 across_y = kl_axpy(-kl_dot(l->N, y), l->N, y);
    kl_vec3 dz = kl_cross(across_y, z), dN = kl_cross(y, l->N);
    kl_vec3 dK = kl_cross(level_turn(l, y), l->K);
    double  Kz = kl_dot(l->K, z), Nz = kl_dot(l->N, z);
    double  dt = (1.0 + l->t * l->t) * kl_dot(l->J, y);
    double  by_N =
        dt * Kz + l->t * (kl_dot(dK, z) + kl_dot(l->K, dz)) - kl_dot(dN, z) - kl_dot(l->N, dz);
    return kl_add(dz, kl_axpy(l->t * Kz - Nz, dN, kl_scale(by_N, l->N)));
}

void level_rates(spinning_cache *k)
{
    kl_vec3 w  = kl_mul(&k->F, k->om);
    k->flat_w  = level_turn(&k->flat, w);
    k->flat_al = level_change(&k->flat, w, w);
}

void level_twist(const spinning_cache *k, const kl_marker *marker, kl_motion *m)
{
    kl_vec3 arm = kl_mul(&k->flat.G, marker->r), speed = kl_cross(k->flat_w, arm);
    m->v   = kl_add(k->v, speed);
    m->w   = k->flat_w;
    m->al0 = k->flat_al;
    m->a0  = kl_add(kl_cross(k->flat_al, arm), kl_cross(k->flat_w, speed));
}

/* writes (v, w) into column j of a 6 x 6 matrix */
static void put_column(double *B, int j, kl_vec3 v, kl_vec3 w)
{
    double x[6];
    kl_store(x, v);
    kl_store(x + 3, w);
    for (int i = 0; i < 6; i++) B[6 * i + j] = x[i];
}

void level_map(const spinning_cache *k, const level *l, double *B)
{
    memset(B, 0, 36 * sizeof *B);
    for (int j = 0; j < 3; j++) {
        kl_vec3 turn = level_turn(l, kl_axis(&k->F, j));
        B[7 * j]     = 1.0;
        put_column(B, 3 + j, kl_cross(turn, l->arm), turn);
    }
}

void level_map_rate(const spinning_cache *k, const level *l, double *W)
{
    kl_vec3 w = kl_mul(&k->F, k->om), turn = level_turn(l, w);
    memset(W, 0, 36 * sizeof *W);
    for (int j = 0; j < 3; j++) {
        kl_vec3 y = kl_axis(&k->F, j), dw = level_change(l, y, w);
        kl_vec3 d_arm = kl_cross(level_turn(l, y), l->arm);
        put_column(W, 3 + j, kl_add(kl_cross(dw, l->arm), kl_cross(turn, d_arm)), dw);
    }
}

/* F' Q' n,  Q' n = n + (t K - N) N.n */
void level_pull(const spinning_cache *k, const level *l, const double wrench[6], double *g)
{
    kl_vec3 about = kl_add(kl_load(wrench + 3), kl_cross(l->arm, kl_load(wrench)));
    double  along = kl_dot(l->N, about);
    kl_vec3 pull  = kl_axpy(along * l->t, l->K, kl_axpy(-along, l->N, about));
    for (int i = 0; i < 3; i++) g[i] += wrench[i];
    kl_store(g + 3, kl_add(kl_load(g + 3), kl_mul_t(&k->F, pull)));
}

void level_add_geometric(const spinning_cache *k, const level *l, const double wrench[6], double *K)
{
    kl_vec3 f = kl_load(wrench), about = kl_add(kl_load(wrench + 3), kl_cross(l->arm, f));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            kl_vec3 z = kl_axis(&k->F, i), y = kl_axis(&k->F, j);
            kl_vec3 d_about = kl_cross(kl_cross(level_turn(l, y), l->arm), f);
            K[6 * (3 + i) + 3 + j] +=
                kl_dot(level_change(l, y, z), about) + kl_dot(level_turn(l, z), d_about);
        }
}
