#include "geometry/curve.h"

#include <math.h>

kl_status kl_curve_add(kl_curve *curve, kl_arena *arena, double u_end, double origin,
                       const kl_vec3 *coef, int degree, int source, bool unit_speed)
{
    void           *pieces = curve->piece;
    kl_curve_piece *piece =
        kl_arena_grow(arena, &pieces, curve->npiece, &curve->piece_capacity, sizeof *curve->piece);
    if (!piece) return KL_E_MEMORY;
    curve->piece = pieces;
    *piece       = (kl_curve_piece){.u          = curve->u_end,
                                    .origin     = origin,
                                    .degree     = degree,
                                    .first      = curve->ncoef,
                                    .source     = source,
                                    .unit_speed = unit_speed};
    for (int k = 0; k <= degree; k++) {
        void    *all = curve->coef;
        kl_vec3 *slot =
            kl_arena_grow(arena, &all, curve->ncoef, &curve->coef_capacity, sizeof *coef);
        if (!slot) return KL_E_MEMORY;
        curve->coef = all;
        *slot       = coef[k];
        curve->ncoef++;
    }
    curve->npiece++;
    curve->u_end = u_end;
    return KL_OK;
}

void kl_curve_eval(const kl_curve *curve, int i, double u, int order, kl_vec3 *d)
{
    static const double   factorial[KL_CURVE_ORDER + 1] = {1, 1, 2, 6, 24, 120};
    const kl_curve_piece *p                             = &curve->piece[i];
    const kl_vec3        *c                             = curve->coef + p->first;
    double                x                             = u - p->origin;
    for (int j = 0; j <= order; j++) d[j] = (kl_vec3){0};
    for (int k = p->degree; k >= 0; k--) {
        for (int j = order; j > 0; j--) d[j] = kl_axpy(x, d[j], d[j - 1]);
        d[0] = kl_axpy(x, d[0], c[k]);
    }
    for (int j = 2; j <= order; j++) d[j] = kl_scale(factorial[j], d[j]);
}

double kl_curve_piece_end(const kl_curve *curve, int i)
{
    return i + 1 < curve->npiece ? curve->piece[i + 1].u : curve->u_end;
}

kl_place kl_curve_place(const kl_curve *curve, int i)
{
    return curve->source_place ? curve->source_place[curve->piece[i].source] : KL_NOWHERE;
}
