#include "railway/distance_grid.h"

#include <math.h>

double kl_outline_depth(const kl_outline *o, kl_outline_place foot, double y, double z, double *ny,
                        double *nz)
{
    kl_outline_rates r = kl_outline_rates_at(o, foot);
    double           v = sqrt(r.y1 * r.y1 + r.z1 * r.z1), dy = y - r.y, dz = z - r.z;
    *ny = -r.z1 / v, *nz = r.y1 / v;
    double d   = -(dy * *ny + dz * *nz);
    bool   end = (foot.i == 0 && foot.t <= 0.0) || (foot.i == o->n - 1 && foot.t >= 1.0);
    if (!end) return d;
    /* beyond an end the distance is that of the end point */
    double far = hypot(dy, dz), along = fabs(dy * r.y1 + dz * r.z1) / v;
    if (along <= 1e-9 || far == 0.0) return d;
    *ny = dy / far, *nz = dz / far;
    return -far;
}

/* The outline with the middles of its pieces side by side: the nearest one is asked for often. */
typedef struct middles {
    const kl_outline *o;
    double           *y, *z; /* o->n */
} middles;

static kl_status find_middles(const kl_outline *o, kl_arena *arena, middles *out)
{
    *out = (middles){o, kl_arena_array(arena, double, o->n), kl_arena_array(arena, double, o->n)};
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    for (int i = 0; i < o->n; i++) {
        kl_outline_rates r = kl_outline_rates_at(o, (kl_outline_place){i, 0.5});
        out->y[i] = r.y, out->z[i] = r.z;
    }
    return KL_OK;
}

/* The same place as that of kl_outline_nearest. */
static kl_outline_place nearest(const middles *m, double y, double z)
{
    double best  = INFINITY;
    int    start = 0;
    for (int i = 0; i < m->o->n; i++) {
        double dy = y - m->y[i], dz = z - m->z[i], d = dy * dy + dz * dz;
        if (d < best) best = d, start = i;
    }
    return kl_outline_foot(m->o, y, z, (kl_outline_place){start, 0.5});
}

static double exact(const middles *m, double y, double z, int *piece)
{
    double           ny, nz;
    kl_outline_place p = nearest(m, y, z);
    *piece             = p.i;
    return kl_outline_depth(m->o, p, y, z, &ny, &nz);
}

/* At the ends of the outline, far below its top, the distance jumps: nothing touches there. */
static bool at_end(const kl_outline *o, int piece) { return piece < 3 || piece >= o->n - 3; }

/* Interpolation error at four places of each cell near the surface. Deeper inside, where the nearest
 * place may jump, the bound is only compared with zero. */
static void measure_slack(const middles *rail, kl_distance_grid *g)
{
    static const double at[4][2] = {{0.5, 0.5}, {0.5, 0.02}, {0.02, 0.5}, {0.25, 0.75}};
    double              worst    = 0.0;
    for (int j = 0; j < g->nz - 1; j++)
        for (int i = 0; i < g->ny - 1; i++) {
            double d = (double)g->d[j * g->ny + i];
            if (fabs(d) > 2.0 * g->cell) continue;
            for (int k = 0; k < 4; k++) {
                int    piece;
                double y = g->y0 + (i + at[k][0]) * g->cell, z = g->z0 + (j + at[k][1]) * g->cell;
                double lack = -kl_distance_bound(g, y, z, &piece);
                lack += exact(rail, y, z, &piece);
                if (lack > worst && !at_end(rail->o, piece)) worst = lack;
            }
        }
    g->slack = 1.5 * worst + 1e-6;
}

/* Value and derivatives at a corner: the gradient is that of the normal; the second derivatives are
 * those of a family of parallel curves, k t t' with k the curvature of the one through the corner. */
static kl_distance_node node_at(const middles *m, double y, double z, double cell)
{
    kl_outline_place p = nearest(m, y, z);
    kl_outline_point r = kl_outline_at(m->o, p);
    double           ny, nz, d = kl_outline_depth(m->o, p, y, z, &ny, &nz);
    double           k = r.curvature / fmax(1.0 + r.curvature * d, 0.1);
    return (kl_distance_node){d, -ny * cell, -nz * cell, k * r.ty * r.tz * cell * cell};
}

/* Cells near the surface in which interpolation agrees with the outline to LIMIT at nine places. */
static void measure_cells(const middles *rail, kl_distance_grid *g)
{
    static const double LIMIT = 2e-8;
    for (int j = 0; j < g->nz - 1; j++)
        for (int i = 0; i < g->ny - 1; i++) {
            int    k     = j * g->ny + i;
            double worst = 0.0;
            if (fabs(g->node[k].d) > 3.0 * g->cell) continue;
            g->good[k] = 1;
            for (int e = 0; e < 9 && g->good[k]; e++) {
                double y = g->y0 + (i + 0.1 + 0.4 * (e % 3)) * g->cell;
                double z = g->z0 + (j + 0.1 + 0.4 * (int)(e / 3)) * g->cell, d = INFINITY, ny, nz;
                int    piece, foot;
                double truth = exact(rail, y, z, &piece);
                (void)kl_distance_near(g, y, z, &d, &ny, &nz, &foot);
                worst = fmax(worst, fabs(d - truth));
                if (!(worst < LIMIT) || at_end(rail->o, piece)) g->good[k] = 0;
            }
            if (g->good[k]) g->error = fmax(g->error, worst);
        }
}

kl_status kl_distance_grid_create(const kl_outline *rail, double cell, kl_arena *arena,
                                  kl_distance_grid *out)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < rail->n; i++)
        for (int e = 0; e < 2; e++) {
            kl_outline_rates r = kl_outline_rates_at(rail, (kl_outline_place){i, e});
            low[0] = fmin(low[0], r.y), high[0] = fmax(high[0], r.y);
            low[1] = fmin(low[1], r.z), high[1] = fmax(high[1], r.z);
        }
    *out    = (kl_distance_grid){.cell = cell, .per = 1.0 / cell, .border = 4 * cell};
    out->y0 = low[0] - out->border, out->z0 = low[1];
    out->ny   = (int)ceil((high[0] + out->border - out->y0) / cell) + 1;
    out->nz   = (int)ceil((high[1] + out->border - out->z0) / cell) + 1;
    out->d    = kl_arena_array(arena, float, out->ny * out->nz);
    out->foot = kl_arena_array(arena, short, out->ny * out->nz);
    out->node = kl_arena_array(arena, kl_distance_node, out->ny * out->nz);
    out->good = kl_arena_array(arena, unsigned char, out->ny * out->nz);
    middles m;
    KL_TRY(find_middles(rail, arena, &m));
    for (int j = 0; j < out->nz; j++)
        for (int i = 0; i < out->ny; i++) {
            int    piece, k = j * out->ny + i;
            double y = out->y0 + i * cell, z = out->z0 + j * cell, d = exact(&m, y, z, &piece);
            out->d[k]    = (float)d;
            out->foot[k] = (short)piece;
            if (fabs(d) < 5.0 * cell) out->node[k] = node_at(&m, y, z, cell);
            else out->node[k].d = d;
        }
    measure_slack(&m, out);
    measure_cells(&m, out);
    return KL_OK;
}
