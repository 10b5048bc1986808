/* Frames on nodes; see the header.
 *
 * Rotations: with t = |theta|, R' R^T = [T theta'],
 *
 *   T = I + a [theta] + b [theta]^2,  a = (1 - cos t)/t^2,  b = (t - sin t)/t^3
 *
 * Triads: with n = d1 x d2,
 *
 *   om = e1 x d1'/|d1| + e1 (e3 . n')/|n|,  n' = d1' x d2 + d1 x d2'
 *
 * The first term turns e1, the second about e1. Paper 000 writes the same motion with unit vectors
 * (eq. 52-55); the derivatives here are of this form and are checked against differences. */
#include "bodies/node_frame.h"

#include <string.h>

#include "base/rotation.h"

/* ---- rotations ---- */

/* a, b and their derivatives by t over t: series where the quotients lose digits */
static void coefficients(double t2, double *a, double *b, double *a1, double *b1)
{
    if (t2 < 1e-2) {
        *a  = 1.0 / 2 - t2 * (1.0 / 24 - t2 * (1.0 / 720 - t2 / 40320));
        *b  = 1.0 / 6 - t2 * (1.0 / 120 - t2 * (1.0 / 5040 - t2 / 362880));
        *a1 = -1.0 / 12 + t2 * (1.0 / 180 - t2 * (1.0 / 6720 - t2 / 453600));
        *b1 = -1.0 / 60 + t2 * (1.0 / 1260 - t2 * (1.0 / 60480 - t2 / 4989600));
        return;
    }
    double t = sqrt(t2), s = sin(t), c = cos(t);
    *a  = (1 - c) / t2;
    *b  = (t - s) / (t2 * t);
    *a1 = (t * s - 2 * (1 - c)) / (t2 * t2);
    *b1 = (3 * s - t * (2 + c)) / (t2 * t2 * t);
}

/* [theta]^2 = theta theta' - t^2 I;  R = I + sin t / t [theta] + a [theta]^2 with sin t / t = 1 - b t^2. R may
 * be NULL. */
static void rotation_place(const double *y, kl_mat3 *R, double *G)
{
    kl_vec3 th = kl_load(y);
    double  a, b, a1, b1, t2 = kl_dot(th, th);
    coefficients(t2, &a, &b, &a1, &b1);
    kl_mat3 S = kl_skew(th);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double one = i == j, square = y[i] * y[j] - (i == j ? t2 : 0.0);
            G[3 * i + j] = one + a * S.m[i][j] + b * square;
            if (R) R->m[i][j] = one + (1.0 - b * t2) * S.m[i][j] + a * square;
        }
}

/* T u = u + a theta x u + b (theta (theta.u) - t^2 u) */
static void rotation_rate(const double *y, const double *uu, double *Q)
{
    kl_vec3 th = kl_load(y), u = kl_load(uu);
    double  a, b, a1, b1, t2 = kl_dot(th, th), along = kl_dot(th, u);
    coefficients(t2, &a, &b, &a1, &b1);
    kl_vec3 cross = kl_cross(th, u), twice = kl_axpy(-t2, u, kl_scale(along, th));
    kl_mat3 by_length = kl_outer(kl_axpy(b1, twice, kl_scale(a1, cross)), th);
    kl_mat3 U = kl_skew(u), tu = kl_outer(th, u), ut = kl_outer(u, th);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Q[3 * i + j] = by_length.m[i][j] - a * U.m[i][j] +
                           b * ((i == j ? along : 0.0) + tu.m[i][j] - 2 * ut.m[i][j]);
}

/* ---- triads ---- */

typedef struct triad {
    kl_vec3 d1, d2, n, e1, e2, e3;
    double  l1, ln; /* |d1|, |n| */
} triad;

static triad triad_of(const double *y)
{
    triad t = {.d1 = kl_load(y), .d2 = kl_load(y + 3)};
    t.n     = kl_cross(t.d1, t.d2);
    t.l1    = kl_norm(t.d1);
    t.ln    = kl_norm(t.n);
    t.e1    = kl_unit(t.d1);
    t.e2    = kl_unit(t.n);
    t.e3    = kl_cross(t.e1, t.e2);
    return t;
}

/* angular velocity of the frame when its arms move with v1, v2 */
static kl_vec3 triad_turn(const triad *t, kl_vec3 v1, kl_vec3 v2)
{
    kl_vec3 n_rate = kl_add(kl_cross(v1, t->d2), kl_cross(t->d1, v2));
    return kl_axpy(kl_dot(t->e3, n_rate) / t->ln, t->e1, kl_scale(1 / t->l1, kl_cross(t->e1, v1)));
}

static void unit_arms(int c, kl_vec3 *v1, kl_vec3 *v2)
{
    double e[6] = {0};
    e[c]        = 1.0;
    *v1         = kl_load(e);
    *v2         = kl_load(e + 3);
}

static void put_column(double *M, int c, kl_vec3 a) { M[c] = a.x, M[6 + c] = a.y, M[12 + c] = a.z; }

static void triad_map(const double *y, double *G)
{
    triad t = triad_of(y);
    for (int c = 0; c < 6; c++) {
        kl_vec3 v1, v2;
        unit_arms(c, &v1, &v2);
        put_column(G, c, triad_turn(&t, v1, v2));
    }
}

static void triad_rate(const double *y, const double *u, double *Q)
{
    triad   t  = triad_of(y);
    kl_vec3 u1 = kl_load(u), u2 = kl_load(u + 3);
    kl_vec3 n_rate = kl_add(kl_cross(u1, t.d2), kl_cross(t.d1, u2));
    double  spin   = kl_dot(t.e3, n_rate) / t.ln;
    for (int c = 0; c < 6; c++) {
        kl_vec3 v1, v2;
        unit_arms(c, &v1, &v2);
        kl_vec3 turn = triad_turn(&t, v1, v2);
        /* e1/|d1| = d1/|d1|^2 */
        kl_vec3 first   = kl_scale(1 / (t.l1 * t.l1), kl_axpy(-2 * kl_dot(t.e1, v1), t.e1, v1));
        kl_vec3 de1     = kl_scale(1 / t.l1, kl_axpy(-kl_dot(t.e1, v1), t.e1, v1));
        kl_vec3 de3     = kl_cross(turn, t.e3);
        kl_vec3 dn      = kl_add(kl_cross(v1, t.d2), kl_cross(t.d1, v2));
        kl_vec3 dn_rate = kl_add(kl_cross(u1, v2), kl_cross(v1, u2));
        double  dspin =
            (kl_dot(de3, n_rate) + kl_dot(t.e3, dn_rate) - spin * kl_dot(t.e2, dn)) / t.ln;
        kl_vec3 sum = kl_add(kl_cross(first, u1), kl_axpy(dspin, t.e1, kl_scale(spin, de1)));
        put_column(Q, c, sum);
    }
}

/* ---- both ---- */

kl_mat3 kl_node_frame_axes(kl_node_frame kind, const double *y)
{
    if (kind == KL_FRAME_ROTATION) return kl_rotation_exp(kl_load(y));
    triad t = triad_of(y);
    return kl_from_axes(t.e1, t.e2, t.e3);
}

void kl_node_frame_map(kl_node_frame kind, const double *y, double *G)
{
    if (kind == KL_FRAME_ROTATION) rotation_place(y, NULL, G);
    else triad_map(y, G);
}

void kl_node_frame_place(kl_node_frame kind, const double *y, kl_mat3 *R, double *G)
{
    if (kind == KL_FRAME_ROTATION) {
        rotation_place(y, R, G);
        return;
    }
    *R = kl_node_frame_axes(kind, y);
    triad_map(y, G);
}

void kl_node_frame_rate(kl_node_frame kind, const double *y, const double *u, double *Q)
{
    if (kind == KL_FRAME_ROTATION) rotation_rate(y, u, Q);
    else triad_rate(y, u, Q);
}

double kl_node_frame_spread(kl_node_frame kind, const double *y)
{
    if (kind == KL_FRAME_ROTATION) return 1.0;
    triad  t = triad_of(y);
    double l = t.l1 * kl_norm(t.d2);
    return l > 0.0 ? t.ln / l : 0.0;
}
