/* The frame's equation A' = A [w] is linear: its series around the middle of a stretch follows term
 * by term, (n+1) A_{n+1} = sum A_k [w_{n-k}], starting from the unit matrix; the start of the
 * stretch then fixes the matrix in the middle. Position is the integral of the first column. */
#include "geometry/spatial.h"

#include <math.h>

#include "geometry/taylor.h"

typedef struct laying {
    const kl_spatial_segment *segment;
    double                    begin;
    kl_vec3                   r;
    kl_mat3                   A;
} laying;

static kl_series blend(double f0, double f1, const kl_shape *shape, double x, double length)
{
    kl_series f    = {{f0}}, s;
    double    p[2] = {0}, power = 1.0;
    if (f0 == f1) return f;
    if (!shape) shape = &kl_shape_clothoid;
    shape->series(p, x / length, false, &s);
    for (int n = 0; n < KL_SERIES; n++, power /= length) f.c[n] += (f1 - f0) * s.c[n] * power;
    return f;
}

/* Roll rate around x: the derivative of the roll angle's shape, or the rate given. */
static kl_series roll_rate(const kl_spatial_segment *g, double x)
{
    kl_series angle = blend(0.0, g->roll, g->roll_shape, x, g->length);
    kl_series rate  = blend(g->roll_rate[0], g->roll_rate[1], NULL, x, g->length);
    for (int n = 0; n + 1 < KL_SERIES; n++) rate.c[n] += (n + 1) * angle.c[n + 1];
    return rate;
}

static kl_mat3 value_at(const kl_mat3 *term, double x)
{
    kl_mat3 sum = {{{0}}};
    for (int n = KL_SERIES - 1; n >= 0; n--) sum = kl_mat_axpy(x, &sum, &term[n]);
    return sum;
}

/* Brings a matrix that is almost a rotation back to one: A <- A (3 I - A'A)/2. */
static kl_mat3 orthonormalised(const kl_mat3 *A)
{
    kl_mat3 At = kl_transpose(A), G = kl_matmul(&At, A), I = kl_identity();
    kl_mat3 H = kl_mat_scale(-0.5, &G);
    H         = kl_mat_axpy(1.5, &I, &H);
    return kl_matmul(A, &H);
}

static void stretch_series(const void *context, double a, double b, kl_series *r)
{
    const laying             *l   = context;
    const kl_spatial_segment *g   = l->segment;
    double                    mid = 0.5 * (a + b), at = mid - l->begin;
    kl_series                 wx = roll_rate(g, at);
    kl_series                 up = blend(g->up[0], g->up[1], g->shape, at, g->length);
    kl_series                 wz = blend(g->left[0], g->left[1], g->shape, at, g->length);

    kl_mat3 term[KL_SERIES] = {kl_identity()};
    for (int n = 0; n + 1 < KL_SERIES; n++) {
        kl_mat3 sum = {{{0}}};
        for (int k = 0; k <= n; k++) {
            kl_mat3 W = kl_skew(kl_vec(wx.c[n - k], -up.c[n - k], wz.c[n - k]));
            kl_mat3 P = kl_matmul(&term[k], &W);
            sum       = kl_mat_axpy(1.0, &P, &sum);
        }
        term[n + 1] = kl_mat_scale(1.0 / (n + 1), &sum);
    }
    kl_mat3 back = value_at(term, a - mid), backt = kl_transpose(&back);
    kl_mat3 middle = kl_matmul(&l->A, &backt);
    for (int n = 0; n < KL_SERIES; n++) {
        kl_mat3 A = kl_matmul(&middle, &term[n]);
        for (int i = 0; i < 3; i++) r[i].c[n] = 0.0;
        for (int i = 0; i < 9; i++) r[3 + i].c[n] = A.m[i / 3][i % 3];
    }
    for (int i = 0; i < 3; i++) r[i] = kl_series_integral(&r[3 + 3 * i], 0.0);
    kl_series_anchor(&r[0], a - mid, l->r.x);
    kl_series_anchor(&r[1], a - mid, l->r.y);
    kl_series_anchor(&r[2], a - mid, l->r.z);
}

static void stretch_advance(void *context, const kl_series *r, double x)
{
    laying *l = context;
    l->r = kl_vec(kl_series_value(&r[0], x), kl_series_value(&r[1], x), kl_series_value(&r[2], x));
    for (int i = 0; i < 9; i++) l->A.m[i / 3][i % 3] = kl_series_value(&r[3 + i], x);
    l->A = orthonormalised(&l->A);
}

static const kl_taylor spatial_taylor = {stretch_series, stretch_advance};

static kl_status check_segments(const kl_spatial *in, kl_diag *diag)
{
    kl_status worst = KL_OK;
    if (in->n < 1)
        return kl_fail(diag, KL_E_MODEL, in->place, "a track needs at least one segment");
    for (int i = 0; i < in->n; i++) {
        const kl_spatial_segment *g = &in->segment[i];
        if (!(g->length > 0.0) || !isfinite(g->length))
            worst = kl_fail(diag, KL_E_RANGE, g->place, "length is %g m; it must be positive",
                            g->length);
        else if (!isfinite(g->left[0] + g->left[1] + g->up[0] + g->up[1] + g->roll +
                           g->roll_rate[0] + g->roll_rate[1]))
            worst = kl_fail(diag, KL_E_NAN, g->place, "a curvature or roll angle is not finite");
        else if (g->roll != 0.0 && (g->roll_rate[0] != 0.0 || g->roll_rate[1] != 0.0))
            worst = kl_fail(diag, KL_E_MODEL, g->place, "give either a roll or a roll rate");
        else if ((g->shape && g->shape->from_straight) ||
                 (g->roll_shape && g->roll_shape->from_straight))
            worst = kl_fail(diag, KL_E_MODEL, g->place,
                            "a cubic parabola can be used only in `layout`; use a clothoid here");
    }
    return worst;
}

static double next_kink(const kl_spatial_segment *g, double begin, double at, double stop)
{
    const kl_shape *shape[2] = {g->shape, g->roll_shape};
    for (int i = 0; i < 2; i++) {
        if (!shape[i] || shape[i]->kink == 0.0) continue;
        double kink = begin + shape[i]->kink * g->length;
        if (kink > at && kink < stop) stop = kink;
    }
    return stop;
}

/* The roll angle over one segment, from *angle on. */
static kl_status add_roll(const kl_spatial_segment *g, kl_arena *arena, kl_piecewise *roll,
                          double *angle)
{
    double r0 = g->roll_rate[0], r1 = g->roll_rate[1], L = g->length, begin = *angle;
    *angle += g->roll + 0.5 * (r0 + r1) * L;
    if (r0 == 0.0 && r1 == 0.0)
        return kl_piecewise_add(roll, arena, L, begin, *angle, g->roll_shape);
    const double c[KL_NCOEFFICIENT] = {begin, r0, 0.5 * (r1 - r0) / L};
    return kl_piecewise_add_polynomial(roll, arena, L, c);
}

kl_status kl_spatial_build(const kl_spatial *in, kl_arena *arena, kl_diag *diag, kl_curve **out,
                           kl_piecewise *roll)
{
    KL_TRY(check_segments(in, diag));
    kl_curve *curve  = kl_arena_array(arena, kl_curve, 1);
    kl_place *places = kl_arena_array(arena, kl_place, in->n);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    curve->source_word = "segment", curve->source_place = places;
    curve->most = in->most;
    if (roll) kl_piecewise_begin(roll, 0.0);
    laying l     = {.r = in->start, .A = in->A};
    double angle = 0.0;
    for (int i = 0; i < in->n; i++) {
        const kl_spatial_segment *g = &in->segment[i];
        places[i]                   = g->place;
        l.segment = g, l.begin = curve->u_end;
        double end = l.begin + g->length;
        while (curve->u_end < end) {
            double stop = next_kink(g, l.begin, curve->u_end, end);
            KL_TRY(kl_taylor_lay(&spatial_taylor, &l, arena, curve, stop, i, true, g->place, diag));
        }
        if (roll) KL_TRY(add_roll(g, arena, roll, &angle));
    }
    *out = curve;
    return KL_OK;
}
