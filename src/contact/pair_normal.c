/* Two ellipsoids: s(n) = n.D - h1(n) - h2(n), h = sqrt(n' S n), S = A diag(a^2) A'. Its largest value
 * over unit vectors n is the distance, or minus the shortest way out of an overlap. */
#include <math.h>

#include "contact/pair.h"

enum { STARTS = 200, TRIES = 8 };

typedef struct problem {
    kl_vec3 D;
    kl_mat3 S[2];
} problem;

static kl_mat3 spread(const kl_solid *s, const kl_mat3 *A)
{
    kl_vec3 a = s->size;
    kl_mat3 B = *A, T = kl_transpose(A);
    for (int i = 0; i < 3; i++)
        B.m[i][0] *= a.x * a.x, B.m[i][1] *= a.y * a.y, B.m[i][2] *= a.z * a.z;
    return kl_matmul(&B, &T);
}

/* Value, gradient G = D - S1 n/h1 - S2 n/h2 and, when wanted, -(S/h - S n n' S/h^3) summed. */
static double value(const problem *p, kl_vec3 n, kl_vec3 *G, kl_mat3 *H)
{
    double s = kl_dot(n, p->D);
    *G       = p->D;
    if (H) *H = (kl_mat3){0};
    for (int i = 0; i < 2; i++) {
        kl_vec3 m = kl_mul(&p->S[i], n);
        double  h = sqrt(kl_dot(n, m));
        s -= h;
        *G = kl_axpy(-1.0 / h, m, *G);
        if (!H) continue;
        kl_mat3 mm = kl_outer(m, m);
        *H         = kl_mat_axpy(-1.0 / h, &p->S[i], H);
        *H         = kl_mat_axpy(1.0 / (h * h * h), &mm, H);
    }
    return s;
}

/* Newton's method in the tangent plane of the sphere, uphill always. */
static double climb(const problem *p, kl_vec3 *n)
{
    kl_vec3 G;
    kl_mat3 H;
    double  s = value(p, *n, &G, &H);
    for (int k = 0; k < 60; k++) {
        kl_vec3 t = kl_normal_to(*n), b = kl_cross(*n, t);
        double  gt = kl_dot(G, t), gb = kl_dot(G, b), c = kl_dot(G, *n);
        kl_vec3 Ht = kl_mul(&H, t), Hb = kl_mul(&H, b);
        double  tt = kl_dot(t, Ht) - c, tb = kl_dot(t, Hb), bb = kl_dot(b, Hb) - c;
        double  det = tt * bb - tb * tb, x, y;
        if (tt < 0.0 && det > 0.0) {
            x = -(bb * gt - tb * gb) / det, y = -(tt * gb - tb * gt) / det;
        } else {
            double size = fabs(tt) + fabs(tb) + fabs(bb);
            x = gt / size, y = gb / size;
        }
        double length = hypot(x, y), cut = length > 0.5 ? 0.5 / length : 1.0;
        if (length < 1e-15) break;
        bool moved = false;
        for (int j = 0; j < 30 && !moved; j++, cut *= 0.5) {
            kl_vec3 m = kl_unit(kl_axpy(cut * x, t, kl_axpy(cut * y, b, *n))), g;
            kl_mat3 h;
            double  v = value(p, m, &g, &h);
            if (v < s - 1e-15 * (1.0 + fabs(s))) continue;
            moved = v > s || length > 1e-12;
            *n = m, s = v, G = g, H = h;
        }
        if (!moved || length < 1e-14) break;
    }
    return s;
}

static kl_vec3 spiral(int i)
{
    double z = 1.0 - (2.0 * i + 1.0) / STARTS, r = sqrt(1.0 - z * z), a = 2.39996322972865332 * i;
    return kl_vec(r * cos(a), r * sin(a), z);
}

/* From the line of centres and the best places of an even net on the sphere. */
static double search(const problem *p, kl_vec3 *best_n)
{
    double  top[TRIES], best;
    kl_vec3 start[TRIES], G;
    int     n = 0;
    *best_n   = kl_norm(p->D) > 0.0 ? kl_unit(p->D) : kl_vec(0, 0, 1);
    best      = climb(p, best_n);
    if (best > 0.0) return best; /* apart: there is one only */
    for (int i = 0; i < STARTS; i++) {
        kl_vec3 d  = spiral(i);
        double  s  = value(p, d, &G, NULL);
        int     at = n < TRIES ? n++ : -1;
        for (int k = 0; at < 0 && k < TRIES; k++)
            if (top[k] < s && (at < 0 || top[k] < top[at])) at = k;
        if (at >= 0) top[at] = s, start[at] = d;
    }
    for (int k = 0; k < n; k++) {
        double s = climb(p, &start[k]);
        if (s > best) best = s, *best_n = start[k];
    }
    return best;
}

void kl_pair_normal(const kl_pair *q, const kl_spots *warm, kl_spots *out)
{
    problem p = {kl_sub(q->B.r, q->A.r), {spread(q->a, &q->A.A), spread(q->b, &q->B.A)}};
    kl_vec3 n;
    double  s;
    if (warm) n = warm->item[0].n, s = climb(&p, &n);
    if (!warm || s < 0.9 * warm->item[0].gap - 1e-3 * q->a->size.x) s = search(&p, &n);
    kl_vec3 m1 = kl_mul(&p.S[0], n), m2 = kl_mul(&p.S[1], n);
    kl_spot t = {.gap = s,
                 .p1  = kl_axpy(1.0 / sqrt(kl_dot(n, m1)), m1, q->A.r),
                 .p2  = kl_axpy(-1.0 / sqrt(kl_dot(n, m2)), m2, q->B.r),
                 .n   = n};
    kl_spots_add(out, &t);
}
