#include "railway/creep_table.h"

#include <math.h>

#include "base/vec.h"
#include "railway/creep_laws.h"

enum { NA = 49, NB = 113, NS = 81, CELLS = 240, STRIPS = 12 };

/* Of one strip: force along x and y, moment, share that slips. */
typedef struct strip_force {
    float v[4];
} strip_force;

struct kl_creep_table {
    double       at[STRIPS], weight[STRIPS]; /* Gauss's rule on [0, 1] */
    strip_force *strip;                      /* NA NB NS */
};

/* From a slope to [0, 1) and back. A strip slips from its leading edge on where a slope exceeds that
 * of the bound, 4/pi: there its forces have a corner, and there is a node, in the middle. */
static double slope_to_unit(double x) { return x / (4.0 / KL_PI + x); }
static double stretch(double t) { return 4.0 / KL_PI * t / (1.0 - t); }

static void roll(double A, double B, double S, strip_force *out)
{
    double px = 0.0, py = 0.0, x = 1.0, dx = 2.0 / CELLS, sum[4] = {0};
    for (int i = 0; i < CELLS; i++) {
        double step = i == 0 ? 0.5 * dx : dx, middle = x - 0.5 * step;
        x -= step;
        px -= A * step;
        py -= (B + S * middle) * step;
        double bound = 2.0 / KL_PI * (1.0 - x * x), size2 = px * px + py * py;
        if (size2 > bound * bound) {
            double cut = bound / sqrt(size2);
            px *= cut, py *= cut;
            sum[3] += 1.0 / CELLS;
        }
        sum[0] += px * dx, sum[1] += py * dx, sum[2] += x * py * dx;
    }
    for (int k = 0; k < 4; k++) out->v[k] = (float)sum[k];
}

/* Nodes and weights of Gauss-Legendre on [0, 1], by Newton's method on the polynomial. */
static void place_strips(kl_creep_table *t)
{
    for (int i = 0; i < STRIPS; i++) {
        double x = cos(KL_PI * (i + 0.75) / (STRIPS + 0.5)), slope = 1.0;
        for (int pass = 0; pass < 20; pass++) {
            double p = 1.0, before = 0.0;
            for (int k = 0; k < STRIPS; k++) {
                double next = ((2 * k + 1) * x * p - k * before) / (k + 1);
                before = p, p = next;
            }
            slope = STRIPS * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        t->at[i]     = 0.5 * (1.0 + x);
        t->weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
}

const kl_creep_table *kl_creep_table_create(kl_arena *arena)
{
    kl_creep_table *t = kl_arena_array(arena, kl_creep_table, 1);
    if (!t) return NULL;
    t->strip = kl_arena_array(arena, strip_force, NA * NB * NS);
    if (!t->strip) return NULL;
    place_strips(t);
    for (int i = 0; i < NA; i++)
        for (int j = 0; j < NB; j++)
            for (int k = 0; k < NS; k++) {
                /* the last node is full slip: a slope so large that more changes nothing */
                double A = stretch(fmin((double)i / (NA - 1), 0.9999));
                double b = 2.0 * j / (NB - 1) - 1.0,
                       S = stretch(fmin((double)k / (NS - 1), 0.9999));
                double B = copysign(stretch(fmin(fabs(b), 0.9999)), b);
                roll(A, B, S, &t->strip[(i * NB + j) * NS + k]);
            }
    return t;
}

static int cell_of(double u, int n, double *x)
{
    double at = u * (n - 1);
    int    i  = at < n - 2 ? (int)at : n - 2;
    *x        = at - i;
    return i;
}

/* sin x for |x| <= pi/2 to 1e-9, without a call: gcc makes two at a time. */
static inline double sine(double x)
{
    double q = x * x;
    return x *
           (1.0 -
            q / 6.0 *
                (1.0 -
                 q / 20.0 *
                     (1.0 - q / 42.0 * (1.0 - q / 72.0 * (1.0 - q / 110.0 * (1.0 - q / 156.0))))));
}

typedef struct slopes {
    double x0, xy, y0, spin; /* of fastsim.c */
} slopes;

/* The place of a spin in the table, the same for all strips of a patch. */
typedef struct spin_place {
    int    k;    /* cell */
    double x;    /* place in the cell */
    double sign; /* of the spin */
} spin_place;

static spin_place place_of(double spin)
{
    spin_place p = {.sign = spin < 0.0 ? -1.0 : 1.0};
    p.k          = cell_of(slope_to_unit(fabs(spin)), NS, &p.x);
    return p;
}

/* Of a strip of half length h with the slopes A/h and B/h. */
static void interpolate(const kl_creep_table *t, double A, double B, double h, const spin_place *p,
                        double out[4])
{
    const double unit = 4.0 / KL_PI * h; /* slope_to_unit(A/h) without the division by h */
    double       sign = A < 0.0 ? -1.0 : 1.0, x[2], v[4] = {0}, b = p->sign * B;
    int          i = cell_of(fabs(A) / (unit + fabs(A)), NA, &x[0]);
    int          j = cell_of(0.5 * (1.0 + b / (unit + fabs(b))), NB, &x[1]);
    for (int e = 0; e < 4; e++) {
        int                ei = e & 1, ej = e >> 1;
        const strip_force *s = &t->strip[((i + ei) * NB + j + ej) * NS + p->k];
        double             w = (ei ? x[0] : 1.0 - x[0]) * (ej ? x[1] : 1.0 - x[1]), w1 = w * p->x;
        double             w0 = w - w1;
        for (int q = 0; q < 4; q++) v[q] += w0 * (double)s[0].v[q] + w1 * (double)s[1].v[q];
    }
    out[0] = sign * v[0], out[1] = p->sign * v[1], out[2] = p->sign * v[2], out[3] = v[3];
}

/* Adds the strips between the angles `from` and `to` of Y, densest at `from`. */
static void add_strips(const kl_creep_table *t, const slopes *s, const spin_place *p, double from,
                       double to, double sum[5])
{
    double Y[STRIPS], h[STRIPS], range = to - from;
    for (int i = 0; i < STRIPS; i++) {
        double angle = from + range * t->at[i] * t->at[i];
        Y[i]         = sine(angle);
        h[i]         = sine(0.5 * KL_PI - fabs(angle));
    }
    for (int i = 0; i < STRIPS; i++) {
        double area = fabs(range) * 2.0 * t->at[i] * t->weight[i] * h[i];
        double cube = h[i] * h[i] * h[i] * area, f[4];
        interpolate(t, s->x0 + s->xy * Y[i], s->y0, h[i], p, f);
        sum[0] += cube * f[0];
        sum[1] += cube * f[1];
        sum[2] += cube * h[i] * f[2];
        sum[3] += cube * Y[i] * f[0];
        sum[4] += h[i] * area * f[3];
    }
}

/* Strips are dense where the longitudinal slope changes its sign: there they change most. */
void kl_creep_by_table(const kl_creep_options *o, const kl_creep_input *in, kl_creep_output *out)
{
    const kl_creep_table *t = o->table;
    if (!t) {
        kl_fastsim(o, in, out);
        return;
    }
    double     root = sqrt(in->a_over_b), spin = 4.0 / KL_PI * in->c.c23 * in->u[2], sum[5] = {0};
    slopes     s     = {.x0   = 3.0 / 8.0 * in->c.c11 * in->u[0],
                        .xy   = -spin / in->a_over_b,
                        .y0   = 3.0 / 8.0 * in->c.c22 * in->u[1],
                        .spin = spin};
    spin_place place = place_of(spin);
    double     turn  = fabs(s.x0) < 0.999 * fabs(s.xy) ? asin(-s.x0 / s.xy) : 0.0;
    add_strips(t, &s, &place, turn, 0.5 * KL_PI, sum);
    add_strips(t, &s, &place, turn, -0.5 * KL_PI, sum);
    out->f[0] = sum[0];
    out->f[1] = sum[1];
    out->f[2] = root * sum[2] - sum[3] / root;
    out->slip = sum[4] / (0.5 * KL_PI);
}
