/* Solids that deform with a field of the results: the surface of finite elements, a tube about the line
 * of a beam. A row of their displacements stands behind the channels (kl_frames_row). */
#include <math.h>
#include <string.h>

#include "post/solids.h"
#include "results/fields.h"

enum { CORNERS = 12 }; /* of a tube */
static const double SLENDER =
    0.008; /* radius of a tube over the size of its beam, as in the viewer */

static const unsigned char inks[][3] = {{47, 127, 184}, {224, 160, 51}, {45, 157, 124}};

/* Catenaries have a rise only and are drawn by the viewer alone. */
static bool drawn(const kl_field_points *f)
{
    return f->width == 3 && (f->ntriangle > 0 || f->nline > 0);
}

int kl_solids_row_size(kl_reader *r)
{
    int                    n = 0, size = kl_reader_channels(r);
    const kl_field_points *list = kl_reader_fields(r, &n);
    for (int i = 0; i < n; i++)
        if (drawn(&list[i])) size += (3 + list[i].nvalue) * list[i].npoint;
    return size;
}

/* The last row of a field that is not behind time t; fields may be recorded less often than channels. */
static kl_status row_at(kl_reader *r, const kl_field_points *f, double t, int *row)
{
    int low = 0, high = f->rows - 1;
    while (low < high) {
        int    middle = low + (high - low + 1) / 2;
        double at;
        KL_TRY(kl_reader_field(r, f, middle, 1, &at, NULL, NULL));
        if (at <= t) low = middle;
        else high = middle - 1;
    }
    *row = low;
    return KL_OK;
}

kl_status kl_solids_field_row(kl_reader *r, double t, double *row)
{
    int                    n    = 0, at;
    const kl_field_points *list = kl_reader_fields(r, &n);
    row += kl_reader_channels(r);
    for (int i = 0; i < n; i++) {
        if (!drawn(&list[i])) continue;
        size_t size = (size_t)(3 + list[i].nvalue) * (size_t)list[i].npoint;
        memset(row, 0, size * sizeof *row);
        if (list[i].rows > 0) {
            KL_TRY(row_at(r, &list[i], t, &at));
            KL_TRY(kl_reader_field(r, &list[i], at, 1, NULL, row, NULL));
        }
        row += size;
    }
    return KL_OK;
}

/* ---- places ---- */

static kl_vec3 place(const kl_solid *s, const double *row, int point)
{
    kl_vec3 x = kl_load(s->field->point + 3 * (size_t)point);
    return row ? kl_add(x, kl_load(row + s->first + 3 * (size_t)point)) : x;
}

kl_vec3 kl_solid_field_displacement(const kl_solid *s, const double *row, int vertex)
{
    int point = s->radius > 0.0 ? vertex / CORNERS : vertex;
    return kl_load(row + s->first + 3 * (size_t)point);
}

/* The normal of the line before, moved on to the new direction, so that the tube does not twist. */
static kl_vec3 carried(kl_vec3 normal, kl_vec3 along)
{
    kl_vec3 n = kl_axpy(-kl_dot(normal, along), along, normal);
    if (!(kl_norm(n) > 1e-6))
        n = kl_cross(fabs(along.x) < 0.7 ? kl_vec(1, 0, 0) : kl_vec(0, 1, 0), along);
    return kl_unit(n);
}

static void place_line(const kl_solid *s, const double *row, int first, int n, kl_vec3 *x)
{
    kl_vec3 normal = kl_vec(0, 0, 0);
    for (int i = 0; i < n; i++) {
        kl_vec3 at    = place(s, row, first + i);
        kl_vec3 d     = kl_sub(place(s, row, first + (i + 1 < n ? i + 1 : i)),
                               place(s, row, first + (i > 0 ? i - 1 : i)));
        kl_vec3 along = kl_norm(d) > 0.0 ? kl_unit(d) : kl_vec(1, 0, 0);
        normal        = carried(normal, along);
        kl_vec3 side  = kl_cross(along, normal);
        for (int k = 0; k < CORNERS; k++) {
            double a = 2.0 * KL_PI * k / CORNERS;
            x[CORNERS * i + k] =
                kl_axpy(s->radius * sin(a), side, kl_axpy(s->radius * cos(a), normal, at));
        }
    }
}

void kl_solid_field_place(const kl_solid *s, const double *row, kl_vec3 *x)
{
    const kl_field_points *f = s->field;
    for (int i = 0; !(s->radius > 0.0) && i < f->npoint; i++) x[i] = place(s, row, i);
    for (int l = 0, first = 0; s->radius > 0.0 && l < f->nline; first += f->line[l++])
        place_line(s, row, first, f->line[l], x + CORNERS * first);
}

/* ---- making them ---- */

static double size_of(const kl_field_points *f)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < f->npoint; i++) {
            low  = fmin(low, f->point[3 * i + k]);
            high = fmax(high, f->point[3 * i + k]);
        }
        sum += (high - low) * (high - low);
    }
    return sqrt(sum);
}

static void join_rings(kl_solid *s, int from)
{
    for (int k = 0; k < CORNERS; k++) {
        int       a = from + k, b = from + (k + 1) % CORNERS;
        const int corner[6] = {a, b, b + CORNERS, a, b + CORNERS, a + CORNERS};
        memcpy(s->triangle + 3 * s->ntriangle, corner, sizeof corner);
        s->ntriangle += 2;
    }
}

static bool make_tubes(kl_solid *s, kl_arena *arena)
{
    const kl_field_points *f      = s->field;
    int                    points = 0;
    for (int l = 0; l < f->nline; l++) {
        if (f->line[l] < 1 || f->line[l] > f->npoint - points) return false;
        points += f->line[l];
    }
    s->radius   = SLENDER * size_of(f);
    s->nvertex  = CORNERS * points;
    s->triangle = kl_arena_array(arena, int, 6 * CORNERS * points + 1);
    if (!(s->radius > 0.0) || !s->triangle) return false;
    for (int l = 0, first = 0; l < f->nline; first += f->line[l++])
        for (int i = 0; i + 1 < f->line[l]; i++) join_rings(s, CORNERS * (first + i));
    return true;
}

static bool make_surface(kl_solid *s, kl_arena *arena)
{
    const kl_field_points *f = s->field;
    s->nvertex               = f->npoint;
    s->ntriangle             = f->ntriangle;
    s->triangle              = kl_arena_array(arena, int, 3 * (size_t)f->ntriangle);
    if (s->triangle) memcpy(s->triangle, f->triangle, 3 * (size_t)f->ntriangle * sizeof(int));
    return s->triangle != NULL;
}

static bool make(kl_solid *s, int number, kl_arena *arena)
{
    for (int k = 0; k < 7; k++) s->channel[k] = -1;
    memcpy(s->color, inks[(size_t)number % (sizeof inks / sizeof *inks)], 3);
    if (!(s->field->ntriangle > 0 ? make_surface(s, arena) : make_tubes(s, arena))) return false;
    s->vertex = kl_arena_array(arena, kl_vec3, (size_t)s->nvertex + 1);
    s->ink    = kl_arena_array(arena, unsigned char, 3 * (size_t)s->ntriangle + 1);
    if (!s->vertex || !s->ink) return false;
    for (int t = 0; t < s->ntriangle; t++) memcpy(s->ink + 3 * t, s->color, 3);
    kl_solid_field_place(s, NULL, s->vertex);
    return s->ntriangle > 0;
}

kl_status kl_solids_add_fields(kl_solids *s, kl_reader *r, kl_arena *arena)
{
    int                    n = 0, first = kl_reader_channels(r);
    const kl_field_points *list = kl_reader_fields(r, &n);
    kl_solid              *all  = kl_arena_array(arena, kl_solid, s->n + n + 1);
    if (!all) return KL_E_MEMORY;
    memcpy(all, s->list, (size_t)s->n * sizeof *all);
    s->list = all;
    for (int i = 0; i < n; i++) {
        if (!drawn(&list[i])) continue;
        kl_solid *one = &s->list[s->n];
        *one          = (kl_solid){.name = list[i].name, .field = &list[i], .first = first};
        first += (3 + list[i].nvalue) * list[i].npoint;
        if (!make(one, i, arena)) continue;
        s->nvertex += one->nvertex;
        s->ntriangle += one->ntriangle;
        s->n++;
    }
    return kl_arena_ok(arena) ? KL_OK : KL_E_MEMORY;
}
