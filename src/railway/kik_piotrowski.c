#include "railway/kik_piotrowski.h"

#include <math.h>

#include "base/vec.h"

#include "geometry/gauss.h"
#include "railway/contact_trace.h"
#include "railway/touch_search.h"

/* Share of the approach that overlaps in the patch: fitted to Hertz by the authors. */
static const double SHARE = 0.55;

/* ---- strips ---- */

/* The place on the wheel, going `way` from the contact, where penetration has fallen by `drop`. */
static double edge_of(const kl_trace_data *f, const kl_trace_stand *s, kl_trace_node n, double way,
                      double drop)
{
    double        top = n.d, end = way > 0.0 ? f->wheel->n : 0.0;
    kl_trace_node last = n;
    while (n.d > top - drop) {
        if (n.w == end) return end;
        last     = n;
        double w = way > 0.0 ? fmin(n.w + 0.5, end) : fmax(n.w - 0.5, end);
        n        = kl_trace_node_at(f, s, w, n.foot);
    }
    double a = last.w, b = n.w;
    for (int k = 0; k < 25; k++) {
        kl_trace_node mid = kl_trace_node_at(f, s, 0.5 * (a + b), last.foot);
        if (mid.d > top - drop) a = mid.w;
        else b = mid.w;
    }
    return 0.5 * (a + b);
}

static void fill_side(const kl_trace_data *f, const kl_trace_stand *s, const kl_wheel_pose *pose,
                      const kl_trace_node *top, double edge, int n, kl_touch_strip *out)
{
    kl_trace_node a = *top;
    double        y = 0.0;
    for (int k = 0; k < n; k++) {
        /* narrow at the deepest point, where 1/rho is, and at the edge */
        double        x   = 0.5 - 0.5 * cos(KL_PI * (k + 1.0) / n);
        double        w   = top->w + (edge - top->w) * x;
        kl_trace_node b   = kl_trace_node_at(f, s, w, a.foot);
        kl_trace_node mid = kl_trace_node_at(f, s, 0.5 * (a.w + w), a.foot);
        kl_touch      t   = {0};
        kl_trace_curvatures(f, s, &mid, pose, &t);
        double width = hypot(b.p.y - a.p.y, b.p.z - a.p.z), sign = edge < top->w ? -1.0 : 1.0;
        out[k] = (kl_touch_strip){.y     = y + 0.5 * sign * width,
                                  .width = width,
                                  .gap   = fmax(0.0, top->d - mid.d),
                                  .Ax    = fmax(t.Ax, 0.01),
                                  .u     = kl_trace_joint_at(f, kl_trace_place(f, mid.w)).u};
        y += sign * width;
        a = b;
    }
}

bool kl_touch_strips(const kl_contact_search *search, const kl_wheel_pose *pose,
                     const kl_touch *touch, double drop, kl_touch_strip strip[KL_STRIPS])
{
    if (search->find != kl_touch_find) return false;
    const kl_trace_data *f = search->data;
    kl_trace_stand       s = kl_trace_stand_of(pose);
    int                  i = (int)touch->foot < f->rail->n ? (int)touch->foot : f->rail->n - 1;
    kl_trace_node n = kl_trace_node_at(f, &s, touch->w, (kl_outline_place){i, touch->foot - i});
    fill_side(f, &s, pose, &n, edge_of(f, &s, n, -1.0, drop), KL_STRIPS / 2, strip);
    fill_side(f, &s, pose, &n, edge_of(f, &s, n, 1.0, drop), KL_STRIPS / 2, strip + KL_STRIPS / 2);
    return true;
}

/* ---- integrals ---- */

typedef struct strip_line {
    double a, y, T;
} strip_line;

/* Integral over x of sqrt(a^2 - x^2)/sqrt(x^2 + y^2), by x = |y| sinh(t), t = T (1 - q^2). */
static double integrand(const void *context, double q)
{
    const strip_line *l = context;
    double            x = l->y * sinh(l->T * (1.0 - q * q));
    return 4.0 * l->T * q * sqrt(fmax(0.0, l->a * l->a - x * x));
}

static double line_integral(double a, double y)
{
    strip_line l = {a, fabs(y), asinh(a / fabs(y))};
    return kl_gauss(integrand, &l, 0.0, 1.0);
}

bool kl_kik_piotrowski(const kl_contact_search *search, const kl_wheel_pose *pose,
                       const kl_touch *touch, double contact_modulus, kl_overlap_patch *out)
{
    double drop = SHARE * touch->depth, I1 = 0.0, I2 = 0.0, moment = 0.0;
    *out = (kl_overlap_patch){0};
    if (!(touch->depth > 0.0) || !kl_touch_strips(search, pose, touch, drop, out->strip))
        return false;
    for (int k = 0; k < KL_STRIPS; k++) {
        const kl_touch_strip *s = &out->strip[k];
        double                a = sqrt(fmax(0.0, drop - s->gap) / s->Ax);
        out->a[k]               = a;
        if (!(a > 0.0) || !(s->width > 0.0)) continue;
        I1 += 0.5 * KL_PI * a * a * s->width;
        I2 += line_integral(a, s->y) * s->width;
        moment += 0.5 * KL_PI * a * a * s->width * s->y;
        out->area += 2.0 * a * s->width;
        out->inner = fmin(out->inner, s->y - 0.5 * s->width);
        out->outer = fmax(out->outer, s->y + 0.5 * s->width);
    }
    if (!(I1 > 0.0)) return false;
    out->N      = KL_PI * contact_modulus * touch->depth * I1 / I2;
    out->p0     = out->N * sqrt(drop / fmax(touch->Ax, 0.01)) / I1;
    out->center = moment / I1;
    return true;
}

/* A strip of penetration d is sqrt(d/Ax) long: the integral of (d - Ax x^2)^2 along it is
 * (16/15) d^2.5/sqrt(Ax). */
static void add_overlap(const kl_touch_strip *strip, double depth, double sum[2])
{
    for (int k = 0; k < KL_STRIPS; k++) {
        double d = fmax(0.0, depth - strip[k].gap),
               w = pow(d, 2.5) / sqrt(strip[k].Ax) * strip[k].width;
        sum[0] += w, sum[1] += w * strip[k].u;
    }
}

double kl_overlap_center(const kl_contact_search *search, const kl_wheel_pose *pose,
                         const kl_touch *touch, int n)
{
    double sum[2] = {0},
           last   = -INFINITY; /* contacts are sorted; `last`: end of the overlap before */
    for (int i = 0; i < n; i++) {
        kl_touch_strip strip[KL_STRIPS];
        if (touch[i].wheel_u < last || !(touch[i].depth > 0.0)) continue;
        /* of contacts that share one overlap the deepest represents all */
        int best = i;
        if (!kl_touch_strips(search, pose, &touch[i], touch[i].depth, strip)) return NAN;
        for (int k = i + 1; k < n && touch[k].wheel_u < strip[KL_STRIPS - 1].u; k++)
            if (touch[k].depth > touch[best].depth) best = k;
        if (best != i) kl_touch_strips(search, pose, &touch[best], touch[best].depth, strip);
        add_overlap(strip, touch[best].depth, sum);
        last = strip[KL_STRIPS - 1].u;
    }
    return sum[0] > 0.0 ? sum[1] / sum[0] : (double)NAN;
}
