/* A pin inside a hole. The distance from the axis of the hole is convex along each line of the pin's
 * surface, so the smallest gap lies at an end of the part that both share: at the end of the pin or at
 * the mouth of the hole. One contact for each end; a tilted pin carries a moment, and a parallel one
 * rests on both without choosing. With slices, each disc of the pin has its own contact. */
#include <math.h>

#include "contact/pair.h"

enum { NET = 24, ROUGH = 14 }; /* steps of golden section to 1e-3 of the net's width */

typedef struct pin {
    double  r, h, R, H;   /* pin and hole */
    kl_vec3 c, d, e1, e2; /* centre and axes of the pin in the axes of the hole */
    double  s;            /* slice: where along the pin; NaN: an end */
    int     end;          /* -1 or 1 */
} pin;

/* Point of the pin at angle phi, at that end of what lies within the hole; false: nothing does. `mouth`: that
 * end is the mouth of the hole, not that of the pin. */
static bool at_angle(const pin *p, double phi, kl_vec3 *x, bool *mouth)
{
    kl_vec3 e = kl_axpy(sin(phi), p->e2, kl_scale(cos(phi), p->e1)), base = kl_axpy(p->r, e, p->c);
    double  low = -p->h, high = p->h, s = p->s;
    if (fabs(p->d.z) > 1e-12) {
        double a = (-p->H - base.z) / p->d.z, b = (p->H - base.z) / p->d.z;
        low = fmax(low, fmin(a, b)), high = fmin(high, fmax(a, b));
    } else if (fabs(base.z) > p->H) {
        return false;
    }
    if (low > high) return false;
    *mouth = isnan(s) && (p->end > 0 ? high < p->h : low > -p->h);
    if (isnan(s)) s = p->end > 0 ? high : low;
    if (s < low || s > high) return false;
    *x = kl_axpy(s, p->d, base);
    return true;
}

static double reach(const pin *p, double phi)
{
    kl_vec3 x;
    bool    mouth;
    return at_angle(p, phi, &x, &mouth) ? hypot(x.x, x.y) : -1.0;
}

/* The distance from the axis is stationary at its largest value, so a search by values finds the angle to the
 * root of rounding only, and the direction of the force would be as rough. Newton's method on the derivative,
 *
 *     x = c + r e + s d,  (rho^2)'/2 = x.x',  (rho^2)''/2 = x'.x' + x.x''   (across the axis of the hole),
 *
 * with s' = -r e'_z/d_z at the mouth of the hole and 0 at the end of the pin. False: it does not converge. */
static bool stationary(const pin *p, double *phi)
{
    double at = *phi;
    for (int i = 0; i < 8; i++) {
        kl_vec3 x, e = kl_axpy(sin(at), p->e2, kl_scale(cos(at), p->e1)),
                   f = kl_axpy(cos(at), p->e2, kl_scale(-sin(at), p->e1));
        bool mouth;
        if (!at_angle(p, at, &x, &mouth)) return false;
        double  s1 = mouth ? -p->r * f.z / p->d.z : 0.0, s2 = mouth ? p->r * e.z / p->d.z : 0.0;
        kl_vec3 x1   = kl_axpy(s1, p->d, kl_scale(p->r, f)),
                x2   = kl_axpy(s2, p->d, kl_scale(-p->r, e));
        double slope = x.x * x1.x + x.y * x1.y,
               bend  = x1.x * x1.x + x1.y * x1.y + x.x * x2.x + x.y * x2.y;
        if (!(bend < 0.0)) return false; /* no largest value */
        double step = -slope / bend;
        at += step;
        if (!(fabs(at - *phi) < 0.02)) return false;
        if (fabs(step) > 1e-15) continue;
        *phi = at;
        return true;
    }
    *phi = at;
    return true;
}

/* The farthest point within [a, b]: golden section, then Newton's method. */
static double farthest(const pin *p, double a, double b)
{
    const double g = 0.61803398874989485;
    double       x = b - g * (b - a), y = a + g * (b - a), fx = reach(p, x), fy = reach(p, y);
    for (int i = 0; i < 60 && b - a > 1e-9; i++) {
        double middle = 0.5 * (a + b);
        if (i == ROUGH && stationary(p, &middle)) return middle;
        if (fx > fy) b = y, y = x, fy = fx, x = b - g * (b - a), fx = reach(p, x);
        else a = x, x = y, fx = fy, y = a + g * (b - a), fy = reach(p, y);
    }
    return 0.5 * (a + b);
}

static void add_end(const kl_pair *q, const pin *p, int key, const kl_spots *warm, kl_spots *out)
{
    double  wide = 2.0 * KL_PI / NET, phi = 0.0, best = -2.0;
    kl_vec3 x;
    for (int i = 0; i < NET; i++)
        if (reach(p, wide * i) > best) best = reach(p, wide * i), phi = wide * i;
    (void)warm;
    if (best < 0.0) return;
    phi = farthest(p, phi - wide, phi + wide);
    bool mouth;
    if (!at_angle(p, phi, &x, &mouth)) return;
    double  rho = hypot(x.x, x.y);
    kl_vec3 e   = rho > 0.0 ? kl_vec(x.x / rho, x.y / rho, 0) : kl_vec(1, 0, 0);
    kl_spot t   = {.gap = p->R - rho,
                   .p1  = kl_pose_point(&q->B, x),
                   .p2  = kl_pose_point(&q->B, kl_vec(p->R * e.x, p->R * e.y, x.z)),
                   .n   = kl_mul(&q->B.A, e),
                   .key = key,
                   .at  = {phi, 0.0}};
    kl_spots_add(out, &t);
}

/* A pin of length L and stiffness K that is tilted by a small angle a has the penetration a s at s, and the
 * moment M = (K/L) integral of a s^2 ds = K a L^2/12. With n slices at the middles s_i of their parts,
 *
 *     M_n = (K/n) a sum s_i^2 = K a L^2/12 (1 - 1/n^2),
 *
 * so 1/n^2 is the relative error of the moment. The resultant force of a linear law is exact. */
int kl_pair_slices(double error)
{
    if (!(error > 0.0) || error > 1.0) return 0;
    double n = ceil(1.0 / sqrt(error) - 1e-9); /* 1/n^2 typed with few digits means n */
    return n > KL_PAIR_SPOTS ? 0 : (int)n;
}

void kl_pair_hole(const kl_pair *q, const kl_spots *warm, kl_spots *out)
{
    kl_mat3 T = kl_transpose(&q->B.A), A = kl_matmul(&T, &q->A.A);
    pin     p = {
            q->a->radius,   q->a->half,     q->b->radius,   q->b->half,  kl_pose_local(&q->B, q->A.r),
            kl_axis(&A, 2), kl_axis(&A, 0), kl_axis(&A, 1), (double)NAN, 0};
    int slices = q->a->slices;
    if (slices > KL_PAIR_SPOTS) slices = KL_PAIR_SPOTS;
    for (int k = 0; k < slices; k++) {
        p.s = -p.h + (k + 0.5) * 2.0 * p.h / slices;
        add_end(q, &p, k, warm, out);
    }
    if (slices > 0) return;
    for (int k = 0; k < 2; k++) {
        p.end = k ? 1 : -1;
        add_end(q, &p, k, warm, out);
    }
}
