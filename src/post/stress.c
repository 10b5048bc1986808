#include "post/stress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "post/critical_plane.h"

const char *const kl_measure_words[] = {"von-mises", "principal", "critical-plane", NULL};

const char *kl_stress_point_name(const kl_kbody *b, int point, char text[KL_POINT_NAME])
{
    const kl_kbody_stress   *s       = &b->stress;
    bool                     node    = s->node_id[point] >= 0;
    int                      layer   = s->layer ? s->layer[point] : 0, at;
    static const char *const faces[] = {" bottom", "", " top"};
    at = snprintf(text, KL_POINT_NAME, "%s %d", node ? "node" : "element",
                  node ? s->node_id[point] : s->element_id[point]);
    if (layer > 0) at += snprintf(text + at, (size_t)(KL_POINT_NAME - at), " ply %d", layer);
    if (layer < 0) at += snprintf(text + at, (size_t)(KL_POINT_NAME - at), " fibre %d", -layer);
    snprintf(text + at, (size_t)(KL_POINT_NAME - at), "%s",
             s->face ? faces[s->face[point] + 1] : "");
    return text;
}

double kl_von_mises(const double s[6])
{
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    double shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * shear);
}

double kl_signed_von_mises(const double s[6])
{
    double v = kl_von_mises(s);
    return s[0] + s[1] + s[2] < 0.0 ? -v : v;
}

/* Closed form of the cubic by angle: the deviator's invariants give three cosines a third of a turn
 * apart. */
void kl_principal(const double s[6], double p[3])
{
    const double third = 2.0943951023931953;
    double       mean  = (s[0] + s[1] + s[2]) / 3.0;
    double       x = s[0] - mean, y = s[1] - mean, z = s[2] - mean, xy = s[3], yz = s[4], zx = s[5];
    double       j2     = 0.5 * (x * x + y * y + z * z) + xy * xy + yz * yz + zx * zx;
    double       j3     = x * (y * z - yz * yz) - xy * (xy * z - yz * zx) + zx * (xy * yz - y * zx);
    double       radius = 2.0 * sqrt(j2 / 3.0);
    double       cosine = j2 > 0.0 ? 0.5 * j3 * pow(3.0 / j2, 1.5) : 1.0;
    double       angle  = acos(fmax(-1.0, fmin(1.0, cosine))) / 3.0;
    p[0]                = mean + radius * cos(angle);
    p[1]                = mean + radius * cos(angle - third);
    p[2]                = mean + radius * cos(angle + third);
}

/* ---- recovery ---- */

static int mode_of(const kl_modal_run *r, int j) { return r->mode ? r->mode[j] : j; }

static void combine(const kl_modal_run *r, const double *per_mode, int point, const double *w,
                    double out[6])
{
    const double *at = per_mode + (size_t)point * (size_t)r->body->nmode * 6;
    memset(out, 0, 6 * sizeof *out);
    for (int j = 0; j < r->n; j++) {
        if (mode_of(r, j) < 0) continue;
        const double *unit = at + 6 * (size_t)mode_of(r, j);
        for (int c = 0; c < 6; c++) out[c] += unit[c] * w[j];
    }
}

void kl_stress_at(const kl_modal_run *r, int point, const double *w, double stress[6])
{
    combine(r, r->body->stress.stress, point, w, stress);
}

void kl_strain_at(const kl_modal_run *r, int point, const double *w, double strain[6])
{
    combine(r, r->body->stress.strain, point, w, strain);
}

/* what another frame than the file's adds */
static void add_rigid(const kl_modal_run *r, kl_vec3 x, const double *w, double moved[3],
                      double *turned)
{
    if (!r->rigid) return;
    kl_vec3 shift = {0, 0, 0}, turn = {0, 0, 0}, arm = kl_sub(x, kl_kbody_centre(r->body));
    for (int j = 0; j < r->n; j++) {
        shift = kl_axpy(w[j], kl_load(r->rigid + 6 * (size_t)j), shift);
        turn  = kl_axpy(w[j], kl_load(r->rigid + 6 * (size_t)j + 3), turn);
    }
    kl_store(moved, kl_add(kl_load(moved), kl_add(shift, kl_cross(turn, arm))));
    if (turned) kl_store(turned, kl_add(kl_load(turned), turn));
}

void kl_skin_moved(const kl_modal_run *r, int node, const double *w, double moved[3])
{
    const float *at = r->body->skin.motion + (size_t)node * (size_t)r->body->nmode * 3;
    memset(moved, 0, 3 * sizeof *moved);
    for (int j = 0; j < r->n; j++)
        for (int c = 0; mode_of(r, j) >= 0 && c < 3; c++)
            moved[c] += (double)at[3 * (size_t)mode_of(r, j) + (size_t)c] * w[j];
    add_rigid(r, r->body->skin.x[node], w, moved, NULL);
}

void kl_marker_moved(const kl_modal_run *r, const kl_kbody_marker *m, const double *w,
                     double moved[3], double *turned)
{
    double unused[3], *turn = turned ? turned : unused;
    memset(moved, 0, 3 * sizeof *moved);
    memset(turn, 0, 3 * sizeof *turn);
    for (int j = 0; j < r->n; j++)
        for (int c = 0; mode_of(r, j) >= 0 && c < 3; c++) {
            moved[c] += m->translation[3 * mode_of(r, j) + c] * w[j];
            turn[c] += m->rotation[3 * mode_of(r, j) + c] * w[j];
        }
    add_rigid(r, m->position, w, moved, turn);
}

void kl_stress_history(const kl_modal_run *r, int point, double *stress)
{
    for (int i = 0; i < r->rows; i++)
        kl_stress_at(r, point, r->w + (size_t)i * (size_t)r->n, stress + 6 * (size_t)i);
}

/* ---- envelope: blocks of points times blocks of rows, as products of matrices ---- */

enum { POINTS = 8, ROWS = 2048 };

typedef struct room {
    double   *modes;   /* n x 6 POINTS: stress per unit of each coordinate */
    double   *stress;  /* ROWS x 6 POINTS */
    double   *history; /* POINTS x rows: the measure */
    double   *scratch; /* rows */
    kl_cycle *cycles;  /* rows */
} room;

static bool room_make(const kl_modal_run *r, room *k)
{
    size_t rows = (size_t)r->rows + 1;
    *k          = (room){malloc(6 * POINTS * ((size_t)r->n + 1) * sizeof(double)),
                         malloc(6 * POINTS * ROWS * sizeof(double)), malloc(POINTS * rows * sizeof(double)),
                         malloc(rows * sizeof(double)), malloc(rows * sizeof(kl_cycle))};
    return k->modes && k->stress && k->history && k->scratch && k->cycles;
}

static void room_free(room *k)
{
    free(k->modes);
    free(k->stress);
    free(k->history);
    free(k->scratch);
    free(k->cycles);
}

static double measure_of(kl_stress_measure measure, const double s[6], double von_mises)
{
    if (measure != KL_MEASURE_PRINCIPAL) return s[0] + s[1] + s[2] < 0.0 ? -von_mises : von_mises;
    double p[3];
    kl_principal(s, p);
    return p[0] >= -p[2] ? p[0] : p[2];
}

/* stress modes of `count` points side by side */
static void gather(const kl_modal_run *r, int first, int count, double *modes)
{
    for (int j = 0; j < r->n; j++)
        for (int q = 0; q < count; q++) {
            double       *to = modes + 6 * ((size_t)j * (size_t)count + (size_t)q);
            const double *from =
                r->body->stress.stress +
                6 * ((size_t)(first + q) * (size_t)r->body->nmode + (size_t)mode_of(r, j));
            if (mode_of(r, j) < 0) memset(to, 0, 6 * sizeof *to);
            else memcpy(to, from, 6 * sizeof *to);
        }
}

static void update_hot_spot(const kl_modal_run *r, kl_stress_measure measure, int row,
                            const double s[6], kl_hot_spot *h, double *history)
{
    double v = kl_von_mises(s), x = history[row] = measure_of(measure, s, v);
    h->least = fmin(h->least, x), h->most = fmax(h->most, x);
    if (!(v > h->von_mises)) return;
    h->von_mises = v;
    h->time      = r->time[row];
    memcpy(h->stress, s, sizeof h->stress);
}

static void scan_block(const kl_modal_run *r, kl_stress_measure measure, int first, int count,
                       room *k, kl_hot_spot *spot)
{
    size_t wide = 6 * (size_t)count, rows = (size_t)r->rows;
    gather(r, first, count, k->modes);
    for (int row = 0; row < r->rows; row += ROWS) {
        int some = r->rows - row < ROWS ? r->rows - row : ROWS;
        kl_gemm(false, false, (int)wide, some, r->n, 1.0, k->modes, (int)wide,
                r->w + (size_t)row * (size_t)r->n, r->n, 0.0, k->stress, (int)wide);
        for (int i = 0; i < some; i++)
            for (int q = 0; q < count; q++)
                update_hot_spot(r, measure, row + i, k->stress + (size_t)i * wide + 6 * (size_t)q,
                                &spot[first + q], k->history + (size_t)q * rows);
    }
}

kl_status kl_stress_envelope(const kl_modal_run *r, kl_stress_measure measure,
                             const kl_sn_curve *curve, kl_hot_spot *spot)
{
    room          k;
    kl_plane_room planes = {0};
    bool          plane = measure == KL_MEASURE_CRITICAL_PLANE, there = room_make(r, &k);
    int           n = r->body->stress.n;
    if (there && plane) there = kl_plane_room_make(r, &planes) == KL_OK;
    for (int first = 0; there && first < n; first += POINTS) {
        int count = n - first < POINTS ? n - first : POINTS;
        for (int q = 0; q < count; q++)
            spot[first + q] = (kl_hot_spot){.point     = first + q,
                                            .von_mises = -1.0,
                                            .damage    = (double)NAN,
                                            .least     = HUGE_VAL,
                                            .most      = -HUGE_VAL};
        scan_block(r, measure, first, count, &k, spot);
        for (int q = 0; q < count; q++) {
            const double *x = k.history + (size_t)q * (size_t)r->rows;
            kl_hot_spot  *h = &spot[first + q];
            h->von_mises    = fmax(h->von_mises, 0.0);
            if (plane) kl_critical_plane(r, curve, &planes, h);
            else if (curve)
                h->damage =
                    kl_sn_damage(curve, k.cycles, kl_rainflow(x, r->rows, k.scratch, k.cycles));
        }
    }
    room_free(&k);
    kl_plane_room_free(&planes);
    return there ? KL_OK : KL_E_MEMORY;
}

/* ---- the worst points ---- */

static int by_damage(const void *a, const void *b)
{
    const kl_hot_spot *x = a, *y = b;
    if (x->damage != y->damage && !isnan(x->damage) && !isnan(y->damage))
        return x->damage < y->damage ? 1 : -1;
    if (x->von_mises != y->von_mises) return x->von_mises < y->von_mises ? 1 : -1;
    return (x->point > y->point) - (x->point < y->point);
}

void kl_hot_spots_sort(kl_hot_spot *spot, int n)
{
    qsort(spot, (size_t)n, sizeof *spot, by_damage);
}

/* of triangles and lines, 0 without any */
static double mean_edge(const kl_kbody_skin *s)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * s->ntriangle; i++) {
        int next = i % 3 == 2 ? i - 2 : i + 1;
        sum += kl_norm(kl_sub(s->x[s->triangle[i]], s->x[s->triangle[next]]));
    }
    for (int i = 0; i < s->nline; i++)
        sum += kl_norm(kl_sub(s->x[s->line[2 * i]], s->x[s->line[2 * i + 1]]));
    int n = 3 * s->ntriangle + s->nline;
    return n > 0 ? sum / n : 0.0;
}

double kl_hot_spots_apart(const kl_kbody *b)
{
    const kl_vec3 *x = b->stress.position;
    if (b->stress.n == 0) return 0.0;
    kl_vec3 lo = x[0], hi = x[0];
    for (int i = 1; i < b->stress.n; i++) {
        lo = kl_vec(fmin(lo.x, x[i].x), fmin(lo.y, x[i].y), fmin(lo.z, x[i].z));
        hi = kl_vec(fmax(hi.x, x[i].x), fmax(hi.y, x[i].y), fmax(hi.z, x[i].z));
    }
    return fmax(0.05 * kl_norm(kl_sub(hi, lo)), 1.5 * mean_edge(&b->skin));
}

/* Points seen so far, in cells as wide as the distance: who is near lies in one of 27. */
typedef struct cells {
    int    *head, *next; /* size; n */
    size_t  size;
    double  width;
    kl_vec3 origin;
} cells;

static size_t cell_of(const cells *g, kl_vec3 x, const int shift[3])
{
    double at[3] = {x.x - g->origin.x, x.y - g->origin.y, x.z - g->origin.z};
    size_t h     = 0;
    for (int a = 0; a < 3; a++)
        h = h * 73856093u + (size_t)((long long)floor(at[a] / g->width) + shift[a] + 19349663);
    return h % g->size;
}

static bool near_larger_stress(const cells *g, const kl_kbody *b, const kl_hot_spot *spot,
                               kl_vec3 x)
{
    for (int c = 0; c < 27; c++) {
        int shift[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
        for (int i = g->head[cell_of(g, x, shift)]; i >= 0; i = g->next[i])
            if (kl_norm(kl_sub(b->stress.position[spot[i].point], x)) <= g->width) return true;
    }
    return false;
}

int kl_hot_spots_pick(const kl_kbody *b, kl_hot_spot *spot, int n, double apart, int most)
{
    static const int here[3] = {0, 0, 0};
    int              found   = 0;
    if (!(apart > 0.0)) return n < most ? n : most;
    cells g   = {.size = 2 * (size_t)n + 1, .width = apart, .origin = b->stress.position[0]};
    g.head    = malloc(g.size * sizeof *g.head);
    g.next    = malloc(((size_t)n + 1) * sizeof *g.next);
    int *kept = malloc(((size_t)most + 1) * sizeof *kept);
    if (!g.head || !g.next || !kept) most = 0;
    for (size_t i = 0; most > 0 && i < g.size; i++) g.head[i] = -1;
    for (int i = 0; i < n && found < most && spot[i].von_mises > 0.0; i++) {
        kl_vec3 x  = b->stress.position[spot[i].point];
        size_t  in = cell_of(&g, x, here);
        if (!near_larger_stress(&g, b, spot, x)) kept[found++] = i;
        g.next[i]  = g.head[in];
        g.head[in] = i;
    }
    for (int k = 0; k < found; k++) { /* kept[k] >= k: what is overwritten was looked at */
        kl_hot_spot swap = spot[k];
        spot[k]          = spot[kept[k]];
        spot[kept[k]]    = swap;
    }
    free(g.head);
    free(g.next);
    free(kept);
    return found;
}
