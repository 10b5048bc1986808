/* Tracks as solids that are at rest: two rails and sleepers along a line, or one bar where a line
 * has no gauge. */
#include <math.h>
#include <string.h>

#include "post/solids.h"

enum { MOST_SLEEPERS = 4000, CORNERS = 4 };

static const unsigned char steel[3] = {92, 99, 108}, wood[3] = {150, 132, 108};

/* A place of a line and its axes. */
typedef struct line {
    kl_vec3 at, along, left, up;
} line;

typedef struct maker {
    kl_solid              *s;
    const kl_track_points *t;
} maker;

static kl_vec3 point(const kl_track_points *t, int i) { return kl_load(t->position + 3 * i); }

/* The frame of point i: along the chord of its neighbours, up as the track says. */
static line frame_at(const kl_track_points *t, int i)
{
    line    l = {.at = point(t, i)};
    kl_vec3 d = kl_sub(point(t, i + 1 < t->n ? i + 1 : i), point(t, i > 0 ? i - 1 : i));
    l.along   = kl_norm(d) > 0.0 ? kl_unit(d) : kl_vec(1, 0, 0);
    kl_vec3 n = kl_load(t->normal + 3 * i);
    kl_vec3 y = kl_cross(n, l.along);
    if (!(kl_norm(y) > 1e-9))
        y = kl_cross(fabs(l.along.z) < 0.9 ? kl_vec(0, 0, 1) : kl_vec(0, 1, 0), l.along);
    l.left = kl_unit(y);
    l.up   = kl_cross(l.along, l.left);
    return l;
}

static void add_quad(maker *m, int a, int b, int c, int d, const unsigned char ink[3])
{
    const int corners[6] = {a, b, c, a, c, d};
    memcpy(m->s->triangle + 3 * m->s->ntriangle, corners, sizeof corners);
    for (int k = 0; k < 2; k++) memcpy(m->s->ink + 3 * (m->s->ntriangle + k), ink, 3);
    m->s->ntriangle += 2;
}

/* The corners of a section, `side` to the left of the line, its top at the line. */
static void add_section(maker *m, const line *l, double side, double width, double height)
{
    static const int corner[CORNERS][2] = {{-1, 0}, {1, 0}, {1, -1}, {-1, -1}};
    for (int k = 0; k < CORNERS; k++) {
        kl_vec3 v                     = kl_axpy(side + 0.5 * width * corner[k][0], l->left, l->at);
        m->s->vertex[m->s->nvertex++] = kl_axpy(height * corner[k][1], l->up, v);
    }
}

static void add_bar(maker *m, double side, double width, double height)
{
    int first = m->s->nvertex;
    for (int i = 0; i < m->t->n; i++) {
        line l = frame_at(m->t, i);
        add_section(m, &l, side, width, height);
        for (int k = 0; i > 0 && k < CORNERS; k++) {
            int a = first + CORNERS * (i - 1) + k,
                b = first + CORNERS * (i - 1) + (k + 1) % CORNERS;
            add_quad(m, a, b, b + CORNERS, a + CORNERS, steel);
        }
    }
}

static void add_sleeper(maker *m, line l, double gauge)
{
    static const int side[6][4] = {{0, 1, 2, 3}, {7, 6, 5, 4}, {0, 4, 5, 1},
                                   {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};
    int              first      = m->s->nvertex;
    kl_vec3          middle     = kl_axpy(-0.1 * gauge, l.up, l.at);
    for (int end = -1; end <= 1; end += 2) {
        l.at = kl_axpy(0.085 * gauge * end, l.along, middle);
        add_section(m, &l, 0.0, 1.7 * gauge, 0.1 * gauge);
    }
    for (int k = 0; k < 6; k++)
        add_quad(m, first + side[k][0], first + side[k][1], first + side[k][2], first + side[k][3],
                 wood);
}

static double length_of(const kl_track_points *t)
{
    double sum = 0.0;
    for (int i = 1; i < t->n; i++) sum += kl_norm(kl_sub(point(t, i), point(t, i - 1)));
    return sum;
}

/* Sleepers at equal distances, on the chords between points. */
static void add_sleepers(maker *m, double spacing)
{
    double s = 0.0, next = 0.5 * spacing;
    for (int i = 1; i < m->t->n; i++) {
        double chord = kl_norm(kl_sub(point(m->t, i), point(m->t, i - 1)));
        for (; next <= s + chord && chord > 0.0; next += spacing) {
            line l = frame_at(m->t, i - 1);
            l.at   = kl_axpy((next - s) / chord, kl_sub(point(m->t, i), l.at), l.at);
            add_sleeper(m, l, m->t->gauge);
        }
        s += chord;
    }
}

static void add_track(kl_solid *s, const kl_track_points *t, double size, kl_arena *arena)
{
    bool   rails   = t->gauge > 0.0;
    double spacing = fmax(0.55 * t->gauge, length_of(t) / MOST_SLEEPERS);
    int    ties = rails ? (int)(length_of(t) / spacing) + 2 : 0, bars = rails ? 2 : 1;
    maker  m = {.s = s, .t = t};
    *s       = (kl_solid){.name = kl_arena_text(arena, t->name)};
    memcpy(s->color, steel, 3);
    for (int k = 0; k < 7; k++) s->channel[k] = -1;
    s->vertex   = kl_arena_array(arena, kl_vec3, CORNERS * (bars * t->n + 2 * ties));
    s->triangle = kl_arena_array(arena, int, 6 * (bars * CORNERS * t->n + 6 * ties));
    s->ink      = kl_arena_array(arena, unsigned char, 6 * (bars * CORNERS * t->n + 6 * ties));
    if (!s->vertex || !s->triangle || !s->ink) return;
    if (!rails) {
        add_bar(&m, 0.0, 0.01 * size, 0.01 * size);
        return;
    }
    for (int k = -1; k <= 1; k += 2)
        add_bar(&m, 0.524 * t->gauge * k, 0.047 * t->gauge, 0.1 * t->gauge);
    add_sleepers(&m, spacing);
}

kl_status kl_solids_add_tracks(kl_solids *s, kl_reader *r, kl_arena *arena)
{
    int                    n    = 0;
    const kl_track_points *list = kl_reader_tracks(r, &n);
    kl_solid              *all  = kl_arena_array(arena, kl_solid, s->n + n + 1);
    if (!all) return KL_E_MEMORY;
    memcpy(all, s->list, (size_t)s->n * sizeof *all);
    s->list = all;
    for (int i = 0; i < n; i++) {
        kl_solid *one = &s->list[s->n];
        add_track(one, &list[i], s->length, arena);
        if (one->ntriangle == 0) continue;
        s->nvertex += one->nvertex;
        s->ntriangle += one->ntriangle;
        s->n++;
    }
    return kl_arena_ok(arena) ? KL_OK : KL_E_MEMORY;
}
