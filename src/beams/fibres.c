#include "beams/fibres.h"

#include <math.h>
#include <string.h>

/* Appends the points of a rectangle: ny x nz cells with 2 x 2 Gauss points each, which give area and
 * second moments exactly. */
static void add_rectangle(kl_fibres *f, double y0, double y1, double z0, double z1, int ny, int nz)
{
    const double g  = 0.5 / sqrt(3.0);
    double       dy = (y1 - y0) / ny, dz = (z1 - z0) / nz;
    for (int i = 0; i < 2 * ny; i++)
        for (int j = 0; j < 2 * nz; j++) {
            double at_y     = floor(0.5 * i) + 0.5 + (i % 2 ? g : -g),
                   at_z     = floor(0.5 * j) + 0.5 + (j % 2 ? g : -g);
            f->y[f->n]      = y0 + dy * at_y;
            f->z[f->n]      = z0 + dz * at_z;
            f->area[f->n++] = 0.25 * dy * dz;
        }
}

/* A ring from radius a to b: nr rings of nt sectors; the radius of each ring keeps its second moment. */
static void add_ring(kl_fibres *f, double a, double b, int nr, int nt)
{
    for (int i = 0; i < nr; i++) {
        double r0 = a + (b - a) * i / nr, r1 = a + (b - a) * (i + 1) / nr;
        double area = KL_PI * (r1 * r1 - r0 * r0), r = sqrt(0.5 * (r0 * r0 + r1 * r1));
        for (int k = 0; k < nt; k++) {
            double angle    = 2.0 * KL_PI * (k + 0.5) / nt;
            f->y[f->n]      = r * cos(angle);
            f->z[f->n]      = r * sin(angle);
            f->area[f->n++] = area / nt;
        }
    }
}

/* Cuts a polygon (n points) with the half plane axis value >= at (side 1) or <= at (side -1). */
static int cut(const double *in, int n, int axis, double at, double side, double *out)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        const double *a = in + 2 * i, *b = in + 2 * ((i + 1) % n);
        double        da = side * (a[axis] - at), db = side * (b[axis] - at);
        if (da >= 0.0) out[2 * m] = a[0], out[2 * m + 1] = a[1], m++;
        if ((da > 0.0 && db < 0.0) || (da < 0.0 && db > 0.0)) {
            double part    = da / (da - db);
            out[2 * m]     = a[0] + part * (b[0] - a[0]);
            out[2 * m + 1] = a[1] + part * (b[1] - a[1]);
            m++;
        }
    }
    return m;
}

/* Area and its first moments of the part of an outline in a cell. `room`: two polygons of 2 n + 8 points. */
static void part_in_cell(const kl_outline *o, const double low[2], const double high[2],
                         double *room, double moment[6])
{
    double *a = room, *b = room + 4 * o->n + 16;
    memcpy(a, o->point, 2 * (size_t)o->n * sizeof *a);
    int n = cut(a, o->n, 0, low[0], 1.0, b);
    n     = cut(b, n, 0, high[0], -1.0, a);
    n     = cut(a, n, 1, low[1], 1.0, b);
    n     = cut(b, n, 1, high[1], -1.0, a);
    kl_outline_moments(&(kl_outline){a, n}, moment);
}

/* A fibre at the centroid of its cell leaves out the second moments of the cell about itself. A linear map
 * of all positions, L L'_grid^-1 of the Cholesky factors, gives the whole section the right ones: elastic
 * stiffness does not depend on the grid. */
static void keep_moments(kl_fibres *f, const kl_beam_section *s)
{
    double yy = 0.0, yz = 0.0, zz = 0.0;
    for (int i = 0; i < f->n; i++) {
        yy += f->area[i] * f->y[i] * f->y[i];
        yz += f->area[i] * f->y[i] * f->z[i];
        zz += f->area[i] * f->z[i] * f->z[i];
    }
    double a = sqrt(yy), b = yz / a, c = sqrt(zz - b * b);
    double A = sqrt(s->Iz), B = s->Iyz / A, C = sqrt(s->Iy - B * B);
    for (int i = 0; i < f->n; i++) {
        double along = f->y[i] / a, across = (f->z[i] - b * along) / c;
        f->y[i] = A * along;
        f->z[i] = B * along + C * across;
    }
}

/* A grid of cells over the outline: a fibre for each, at the centroid of what is in the cell. */
static bool add_outline(kl_fibres *f, const kl_beam_section *s, int ny, int nz, kl_arena *arena)
{
    double  low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    int     most = s->outline->n + (s->opening ? s->opening->n : 0);
    double *room = kl_arena_array(arena, double, 8 * most + 32);
    if (!room) return false;
    for (int i = 0; i < 2 * s->outline->n; i++) {
        low[i % 2]  = fmin(low[i % 2], s->outline->point[i]);
        high[i % 2] = fmax(high[i % 2], s->outline->point[i]);
    }
    double dy = (high[0] - low[0]) / (2 * ny), dz = (high[1] - low[1]) / (2 * nz);
    for (int i = 0; i < 2 * ny; i++)
        for (int j = 0; j < 2 * nz; j++) {
            double from[2] = {low[0] + i * dy, low[1] + j * dz},
                   to[2]   = {from[0] + dy, from[1] + dz};
            double in[6], out[6] = {0};
            part_in_cell(s->outline, from, to, room, in);
            if (s->opening) part_in_cell(s->opening, from, to, room, out);
            double area = in[0] - out[0];
            if (!(area > 1e-9 * dy * dz)) continue;
            f->y[f->n]      = (in[1] - out[1]) / area;
            f->z[f->n]      = (in[2] - out[2]) / area;
            f->area[f->n++] = area;
        }
    keep_moments(f, s);
    return true;
}

/* Fibres of a section with given numbers of cells; NULL: out of memory. */
static kl_fibres *fibres_of_grid(const kl_beam_section *s, int ny, int nz, kl_arena *arena)
{
    int        most = 4 * (ny + 1) * (nz + 2) * 3;
    kl_fibres *f    = kl_arena_array(arena, kl_fibres, 1);
    if (!f) return NULL;
    *f      = (kl_fibres){0};
    f->y    = kl_arena_array(arena, double, most);
    f->z    = kl_arena_array(arena, double, most);
    f->area = kl_arena_array(arena, double, most);
    if (!kl_arena_ok(arena)) return NULL;
    if (s->shape == KL_SECTION_RECTANGLE)
        add_rectangle(f, -0.5 * s->width, 0.5 * s->width, -0.5 * s->height, 0.5 * s->height, ny,
                      nz);
    if (s->outline && !add_outline(f, s, ny, nz, arena)) return NULL;
    if (s->shape == KL_SECTION_CIRCLE) add_ring(f, 0.0, s->radius, nz, 4 * (ny + 1));
    if (s->shape == KL_SECTION_TUBE)
        add_ring(f, s->radius - s->thickness, s->radius, ny, 4 * (nz / 4 + 1));
    return f;
}

/* ---- how many fibres ---- */

/* Moments of a perfectly plastic section, for bending in some directions between both axes, each with the
 * strain at the edge a few times that of first yield: M = sum a s d, s = max(-1, min(1, d/(share edge))). */
enum { DIRECTIONS = 5, LEVELS = 4, MOMENTS = DIRECTIONS * LEVELS };

static void moments_of(const kl_fibres *f, const double edge[2], double *M)
{
    static const double share[LEVELS] = {0.8, 0.5, 0.25, 0.02};
    memset(M, 0, MOMENTS * sizeof *M);
    for (int k = 0; k < DIRECTIONS; k++) {
        double angle = 0.5 * KL_PI * k / (DIRECTIONS - 1);
        double along = cos(angle) / edge[0], across = sin(angle) / edge[1];
        for (int i = 0; i < f->n; i++) {
            double d = along * f->y[i] + across * f->z[i];
            for (int l = 0; l < LEVELS; l++)
                M[k * LEVELS + l] += f->area[i] * d * fmax(-1.0, fmin(1.0, d / share[l]));
        }
    }
}

/* Largest error of the moments with these cells; negative: out of memory. */
static double error_with(const kl_beam_section *s, int ny, int nz, const double edge[2],
                         const double *exact, kl_arena *arena)
{
    double     M[MOMENTS], worst = 0.0;
    kl_fibres *f = fibres_of_grid(s, ny, nz, arena);
    if (!f) return -1.0;
    moments_of(f, edge, M);
    for (int k = 0; k < MOMENTS; k++) worst = fmax(worst, fabs(M[k] / exact[k] - 1.0));
    return worst;
}

static int refined_count(int n)
{
    return n + 2 * (n / 4 + 1);
} /* even ones: cells end at the middle */

/* As few cells as give the moments to FIBRE_ERROR of those of a fine grid. The number grows in the
 * direction that lessens the error more. */
static bool choose_cells(const kl_beam_section *s, int *ny, int *nz)
{
    enum { FINE = 96 };
    static const double FIBRE_ERROR = 5e-3;
    kl_arena           *room        = kl_arena_create();
    kl_fibres          *fine        = room ? fibres_of_grid(s, FINE, FINE, room) : NULL;
    double              exact[MOMENTS], edge[2] = {0.0, 0.0}, error = fine ? HUGE_VAL : -1.0;
    for (int i = 0; fine && i < fine->n; i++) {
        edge[0] = fmax(edge[0], fabs(fine->y[i]));
        edge[1] = fmax(edge[1], fabs(fine->z[i]));
    }
    if (fine) moments_of(fine, edge, exact);
    *ny = *nz = 2;
    if (fine) error = error_with(s, *ny, *nz, edge, exact, room);
    while (error > FIBRE_ERROR && *ny < FINE && *nz < FINE) {
        double wide = error_with(s, refined_count(*ny), *nz, edge, exact, room);
        double high = error_with(s, *ny, refined_count(*nz), edge, exact, room);
        double both = error_with(s, refined_count(*ny), refined_count(*nz), edge, exact, room);
        error       = fmin(wide, fmin(high, both));
        if (both < 0.9 * fmin(wide, high))
            *ny = refined_count(*ny), *nz = refined_count(*nz), error = both;
        else if (wide < high) *ny = refined_count(*ny);
        else *nz = refined_count(*nz);
    }
    kl_arena_destroy(room);
    return error >= 0.0;
}

kl_fibres *kl_fibres_create(const kl_beam_section *s, const kl_structural_material *m,
                            const kl_beam_law *law, kl_arena *arena)
{
    bool given = s->fibres[0] >= 1.0 && s->fibres[1] >= 1.0;
    int  ny = given ? (int)s->fibres[0] : 0, nz = given ? (int)s->fibres[1] : 0;
    if (s->shape == KL_SECTION_NUMBERS || s->shape == KL_SECTION_STIFFNESS) return NULL;
    if (!given && !choose_cells(s, &ny, &nz)) return NULL;
    kl_fibres *f = fibres_of_grid(s, ny, nz, arena);
    if (!f) return NULL;
    f->material = m;
    memcpy(f->C, law->full, sizeof f->C);
    return f;
}

/* Plane sections: a fibre at (y, z) has the axial strain e = gamma_x + z kappa_y - y kappa_z. Sums over fibres:
 *
 *   N = sum a s,  My = sum a s z,  Mz = -sum a s y,   C = sum a (ds/de) b b' with b = (1, z, -y)
 *
 * Shear and torsion stay elastic and do not interact with yielding. */
void kl_fibres_stress(const kl_fibres *f, const double strain[6], const kl_fibre_memory *memory,
                      kl_fibre_memory *now, kl_fibres_answer *out)
{
    memset(out, 0, sizeof *out);
    double N = 0, My = 0, Mz = 0, k00 = 0, k01 = 0, k02 = 0, k11 = 0, k12 = 0, k22 = 0;
    for (int i = 0; i < f->n; i++) {
        double         y = f->y[i], z = f->z[i], a = f->area[i];
        double         e    = strain[0] + z * strain[4] - y * strain[5];
        kl_fibre_state s    = kl_fibre_stress(f->material, e, &memory[i]);
        double         push = a * s.now.stress, give = a * s.slope;
        N += push, My += z * push, Mz -= y * push;
        k00 += give, k01 += z * give, k02 -= y * give;
        k11 += z * z * give, k12 -= y * z * give, k22 += y * y * give;
        out->stored += a * s.stored;
        out->spent += a * s.spent;
        out->most_plastic = fmax(out->most_plastic, s.now.accumulated);
        if (now) now[i] = s.now;
    }
    const double block[3][3] = {{k00, k01, k02}, {k01, k11, k12}, {k02, k12, k22}};
    const int    at[3]       = {0, 4, 5};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) out->C[6 * at[r] + at[c]] = block[r][c];
    out->stress[0] = N, out->stress[4] = My, out->stress[5] = Mz;
    for (int k = 1; k < 4; k++) {
        for (int j = 1; j < 4; j++) {
            out->stress[k] += f->C[6 * k + j] * strain[j];
            out->C[6 * k + j] = f->C[6 * k + j];
        }
        out->stored += 0.5 * out->stress[k] * strain[k];
    }
}
