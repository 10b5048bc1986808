#include "geometry/piecewise_scalar.h"

#include <math.h>
#include <string.h>

void kl_piecewise_begin(kl_piecewise *law, double x) { *law = (kl_piecewise){.end = x}; }

static kl_piecewise_piece *law_append(kl_piecewise *law, kl_arena *arena)
{
    void               *data = law->piece;
    kl_piecewise_piece *p = kl_arena_grow(arena, &data, law->n, &law->capacity, sizeof *law->piece);
    if (!p) return NULL;
    law->piece = data;
    *p         = (kl_piecewise_piece){0};
    law->n++;
    return p;
}

kl_status kl_piecewise_add(kl_piecewise *law, kl_arena *arena, double length, double f0, double f1,
                           const kl_shape *shape)
{
    if (!(length > 0.0)) return KL_E_USAGE;
    if (!shape || shape->from_straight)
        shape = &kl_shape_clothoid; /* the parabola's ramp is linear */
    double kink = shape->kink;
    for (int part = 0; part < (kink > 0.0 ? 2 : 1); part++) {
        kl_piecewise_piece *p = law_append(law, arena);
        if (!p) return KL_E_MEMORY;
        *p = (kl_piecewise_piece){
            .x = law->end + part * kink * length, .f0 = f0, .f1 = f1, .shape = shape};
        if (part == 1) p->c[0] = kink;                  /* where in the shape this piece begins */
        p->c[1] = kink > 0.0 && part == 0 ? kink : 1.0; /* and where it ends */
    }
    law->end += length;
    return KL_OK;
}

kl_status kl_piecewise_add_polynomial(kl_piecewise *law, kl_arena *arena, double length,
                                      const double c[KL_NCOEFFICIENT])
{
    if (!(length > 0.0)) return KL_E_USAGE;
    kl_piecewise_piece *p = law_append(law, arena);
    if (!p) return KL_E_MEMORY;
    p->x = law->end;
    memcpy(p->c, c, sizeof p->c);
    law->end += length;
    return KL_OK;
}

kl_status kl_piecewise_through(kl_piecewise *law, kl_arena *arena, kl_arena *scratch,
                               kl_interpolation kind, const double *x, const double *f, int n,
                               bool closed)
{
    int       np     = closed ? n : n - 1;
    kl_points points = {.n = n, .dim = 1, .closed = closed, .x = x, .f = f};
    kl_pieces found;
    KL_TRY(kl_interpolate_pieces(kind, &points, NULL, &found, scratch));
    kl_piecewise_begin(law, x[0]);
    for (int i = 0; i < found.n; i++) {
        kl_piecewise_piece *p = law_append(law, arena);
        if (!p) return KL_E_MEMORY;
        p->x = found.x[i];
        memcpy(p->c, found.c + (size_t)i * KL_NCOEFFICIENT, sizeof p->c);
    }
    law->end    = x[np];
    law->period = closed ? x[np] - x[0] : 0.0;
    return KL_OK;
}

static double piece_end(const kl_piecewise *law, int i)
{
    return i + 1 < law->n ? law->piece[i + 1].x : law->end;
}

static bool inside(const kl_piecewise *law, int i, double x, int side)
{
    double a = law->piece[i].x, b = piece_end(law, i);
    return side < 0 ? x > a && x <= b : x >= a && x < b;
}

static int law_find(const kl_piecewise *law, double x, int side, int hint)
{
    for (int i = hint; i <= hint + 1; i++)
        if (i >= 0 && i < law->n && inside(law, i, x, side)) return i;
    int low = 0, high = law->n - 1;
    while (low < high) {
        int mid = (low + high + 1) / 2;
        if (side < 0 ? law->piece[mid].x < x : law->piece[mid].x <= x) low = mid;
        else high = mid - 1;
    }
    return low;
}

static void eval_polynomial(const kl_piecewise_piece *p, double x, double f[KL_LAW_DERIVATIVES])
{
    double d[KL_LAW_DERIVATIVES] = {0};
    for (int k = KL_NCOEFFICIENT - 1; k >= 0; k--) {
        for (int j = KL_LAW_DERIVATIVES - 1; j > 0; j--) d[j] = d[j] * x + d[j - 1];
        d[0] = d[0] * x + p->c[k];
    }
    f[0] = d[0], f[1] = d[1], f[2] = 2.0 * d[2], f[3] = 6.0 * d[3];
}

static void eval_shape(const kl_piecewise_piece *p, double x, double length, int side,
                       double f[KL_LAW_DERIVATIVES])
{
    double    part = p->c[1] - p->c[0], scale = part / length, rise = p->f1 - p->f0;
    kl_series s;
    f[0] = p->f0, f[1] = f[2] = f[3] = 0.0;
    if (rise == 0.0) return;
    double parameters[2] = {0};
    p->shape->series(parameters, p->c[0] + x * scale, side < 0, &s);
    f[0] += rise * s.c[0];
    f[1] = rise * s.c[1] * scale;
    f[2] = 2.0 * rise * s.c[2] * scale * scale;
    f[3] = 6.0 * rise * s.c[3] * scale * scale * scale;
}

void kl_piecewise_eval(const kl_piecewise *law, double x, int side, int *hint,
                       double f[KL_LAW_DERIVATIVES])
{
    f[0] = f[1] = f[2] = f[3] = 0.0;
    if (law->n == 0) return;
    double begin = law->piece[0].x;
    if (law->period > 0.0) {
        x -= law->period * floor((x - begin) / law->period);
        if (side < 0 && x == begin) x = law->end;
    }
    bool before = x<begin, after = x> law->end;
    if (before) x = begin, side = 1;
    if (after) x = law->end, side = -1;
    if (x == law->end && law->period == 0.0) side = -1;
    int i = law_find(law, x, side, hint ? *hint : 0);
    if (hint) *hint = i;
    const kl_piecewise_piece *p = &law->piece[i];
    if (p->shape) eval_shape(p, x - p->x, piece_end(law, i) - p->x, side, f);
    else eval_polynomial(p, x - p->x, f);
    if (before || after) f[1] = f[2] = f[3] = 0.0;
}

void kl_piecewise_map(kl_piecewise *law, double (*map)(const void *context, double x),
                      const void   *context)
{
    for (int i = 0; i < law->n; i++) {
        kl_piecewise_piece *p     = &law->piece[i];
        double              begin = map(context, p->x), end = map(context, piece_end(law, i));
        double              ratio = (piece_end(law, i) - p->x) / (end - begin), power = 1.0;
        for (int k = 0; !p->shape && k < KL_NCOEFFICIENT; k++, power *= ratio) p->c[k] *= power;
    }
    for (int i = 0; i < law->n; i++) law->piece[i].x = map(context, law->piece[i].x);
    law->end = map(context, law->end);
    if (law->period > 0.0) law->period = law->end - law->piece[0].x;
}
