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

/* Farthest point of the ellipse x = C + r (cos(phi) g1 + sin(phi) g2) from the origin of the plane. With
 * A (cos(a), sin(a)) = (C.g1, C.g2) and r/2 (g1.g1 - g2.g2, 2 g1.g2) = B (cos(2 b), sin(2 b)),
 *
 *     (|x|^2 - constant)/r = 2 A cos(phi - a) + B cos(2 (phi - b)).
 *
 * The second term is the same at b + t, b - t and opposite to both, so phi lies in the same quarter beside b as a.
 * There |a - b| folds to t1 <= pi/2, and the slope A sin(t1 - t) - B sin(2 t) falls through zero once, between 0 and
 * t1: Newton's method within that bracket. */
static double farthest_of_ellipse(kl_vec3 C, kl_vec3 g1, kl_vec3 g2, double r)
{
    double a1 = C.x * g1.x + C.y * g1.y, a2 = C.x * g2.x + C.y * g2.y, A = hypot(a1, a2);
    double p = 0.5 * r * (g1.x * g1.x + g1.y * g1.y - g2.x * g2.x - g2.y * g2.y),
           q = r * (g1.x * g2.x + g1.y * g2.y), B = hypot(p, q);
    double b = B > 0.0 ? 0.5 * atan2(q, p) : 0.0, u = cos(b), v = sin(b);
    double along = a1 * u + a2 * v, across = a2 * u - a1 * v;
    double t1 = atan2(fabs(across), fabs(along)), low = 0.0, high = t1, t = t1;
    for (int i = 0; i < 60; i++) {
        double slope = A * sin(t1 - t) - B * sin(2.0 * t);
        if (slope > 0.0) low = t;
        else high = t;
        double next = t + slope / (A * cos(t1 - t) + 2.0 * B * cos(2.0 * t));
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        if (fabs(next - t) <= 1e-16) break;
        t = next;
    }
    return b + atan2(across < 0.0 ? -sin(t) : sin(t), along < 0.0 ? -cos(t) : cos(t));
}

/* The angle of the farthest point where that end lies within the hole on all sides, or the mouth of the hole cuts
 * through the pin on all sides: both are ellipses across the axis. False: the end is partly within the hole. */
static bool on_ellipse(const pin *p, double *phi)
{
    double  s    = isnan(p->s) ? p->end * p->h : p->s;
    kl_vec3 disc = kl_axpy(s, p->d, p->c);
    double  wide = p->r * hypot(p->e1.z, p->e2.z); /* of the disc along the axis of the hole */
    if (fabs(disc.z) + wide <= p->H) {
        *phi = farthest_of_ellipse(disc, p->e1, p->e2, p->r);
        return true;
    }
    if (!isnan(p->s) || !(fabs(p->d.z) > 1e-12)) return false;
    double out = p->end * p->d.z > 0.0 ? p->H : -p->H; /* the mouth on this side */
    double cut = (out - p->c.z) / p->d.z, most = wide / fabs(p->d.z);
    if (!(cut - most >= -p->h && cut + most <= p->h)) return false;
    kl_vec3 g1 = kl_axpy(-p->e1.z / p->d.z, p->d, p->e1),
            g2 = kl_axpy(-p->e2.z / p->d.z, p->d, p->e2);
    *phi       = farthest_of_ellipse(kl_axpy(cut, p->d, p->c), g1, g2, p->r);
    return true;
}

/* Any other end: on a net of angles, then near the best of them. False: nothing lies within the hole. */
static bool on_net(const pin *p, double *phi)
{
    double wide = 2.0 * KL_PI / NET, best = -1.0;
    for (int i = 0; i < NET; i++) {
        double at = reach(p, wide * i);
        if (at > best) best = at, *phi = wide * i;
    }
    if (best < 0.0) return false;
    *phi = farthest(p, *phi - wide, *phi + wide);
    return true;
}

static void add_end(const kl_pair *q, const pin *p, int key, kl_spots *out)
{
    double  phi = 0.0;
    kl_vec3 x;
    bool    mouth;
    if (!on_ellipse(p, &phi) && !on_net(p, &phi)) return;
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
    (void)warm;
    if (slices > KL_PAIR_SPOTS) slices = KL_PAIR_SPOTS;
    for (int k = 0; k < slices; k++) {
        p.s = -p.h + (k + 0.5) * 2.0 * p.h / slices;
        add_end(q, &p, k, out);
    }
    if (slices > 0) return;
    for (int k = 0; k < 2; k++) {
        p.end = k ? 1 : -1;
        add_end(q, &p, k, out);
    }
}
