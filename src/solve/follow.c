#include "solve/follow.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "solve/words.h"

enum { MOST_TOLD = 3 }; /* sets a body */

typedef struct rows {
    int      n, nv;
    int     *element, *row;  /* n: whose */
    kl_vec3 *force, *moment; /* what a unit reaction does to the body, global */
    double  *scale;          /* n: of the row */
    double  *J;              /* n x nv, scaled */
} rows;

/* rows of all constraints on the body, in units of each coordinate, of unit size on rigid motion */
static kl_status gather(const kl_model *m, const kl_work *w, int body, kl_arena *a, rows *r)
{
    const kl_body *b = &m->body[body];
    double        *B = kl_arena_array(a, double, 6 * (size_t)b->nv);
    *r               = (rows){.nv = b->nv};
    r->element       = kl_arena_array(a, int, m->nlam + 1);
    r->row           = kl_arena_array(a, int, m->nlam + 1);
    r->force         = kl_arena_array(a, kl_vec3, m->nlam + 1);
    r->moment        = kl_arena_array(a, kl_vec3, m->nlam + 1);
    r->scale         = kl_arena_array(a, double, m->nlam + 1);
    r->J             = kl_arena_array(a, double, (size_t)(m->nlam + 1) * (size_t)b->nv);
    if (!kl_arena_ok(a)) return KL_E_MEMORY;
    for (int e = 0; e < m->nelement; e++) {
        const kl_element *el = &m->element[e];
        for (int k = 0; k < el->nphi; k++) {
            double *to = r->J + (size_t)r->n * (size_t)b->nv, size = 0.0;
            bool    mine = false;
            memset(to, 0, (size_t)b->nv * sizeof *to);
            for (int i = 0; i < el->nmarker; i++) {
                const kl_marker *marker = &m->marker[el->marker + i];
                if (marker->body != body) continue;
                const double *row = w->rows + el->rows + (size_t)(k * el->nmarker + i) * 6;
                mine              = true;
                b->type->map(b->data, w->cache + b->cache, marker, B);
                r->force[r->n]  = kl_load(row);
                r->moment[r->n] = kl_load(row + 3);
                for (int c = 0; c < b->nv; c++)
                    for (int p = 0; p < 6; p++) to[c] += row[p] * B[p * b->nv + c];
            }
            for (int c = 0; c < b->nv; c++) {
                to[c] *= m->unit[b->v + c];
                if (c < 6) size += to[c] * to[c];
            }
            if (!mine || !(size > 0.0)) continue;
            for (int c = 0; c < b->nv; c++) to[c] /= sqrt(size);
            r->element[r->n] = e, r->row[r->n] = k;
            r->scale[r->n] = 1.0 / sqrt(size);
            r->n++;
        }
    }
    return KL_OK;
}

/* vectors y with |y'A| below `limit`: columns of V from the front; returns how many */
static int silent(int n, int width, const double *A, int stride, double limit, double *V, double *w)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int c = 0; c < width; c++) sum += A[i * stride + c] * A[j * stride + c];
            V[j * n + i] = sum;
        }
    if (kl_symmetric_eigen(n, V, w) != KL_OK) return 0;
    int count = 0;
    while (count < n && w[count] < limit * limit) count++;
    return count;
}

/* ---- what a set locks ---- */

/* One body under analysis. */
typedef struct look {
    kl_solver *x;
    kl_arena  *a;
    int        body;
    rows       r;
    double    *N; /* free x nv: what its joints leave free, other bodies at rest; scaled */
    int        free;
    double    *q, *dx; /* the body's own coordinates at the start; an increment */
    kl_follow *list;
    int        n;
} look;

/* y.Phi at the start moved by h (N_i + N_j) */
static kl_status moved(look *k, const double *y, int i, int j, double h, double *f)
{
    const kl_model *m  = k->x->model;
    const kl_body  *b  = &m->body[k->body];
    int             nv = b->nv;
    for (int c = 0; c < nv; c++) {
        double sum = k->N[i * nv + c] + (j >= 0 ? k->N[j * nv + c] : 0.0);
        k->dx[c]   = h * sum * m->unit[b->v + c];
    }
    b->type->advance(b->data, k->q, k->dx, k->x->s->q + b->q);
    kl_eval_motion(m, k->x->s, k->x->w);
    kl_status status = kl_eval_elements(m, k->x->s, k->x->w);
    *f               = 0.0;
    for (int p = 0; p < k->r.n; p++)
        *f += y[p] * k->r.scale[p] * k->x->w->phi[m->element[k->r.element[p]].phi + k->r.row[p]];
    memcpy(k->x->s->q + b->q, k->q, (size_t)b->nq * sizeof(double));
    return status;
}

/* Curvature of y.Phi on what is free, by differences both ways: f has no slope, so two values do.
 */
static kl_status curvature(look *k, const double *y, double *H)
{
    const double h = 1e-3;
    double       there, back, own[2];
    int          n = k->free;
    for (int i = 0; i < n; i++) {
        KL_TRY(moved(k, y, i, -1, h, &there));
        KL_TRY(moved(k, y, i, -1, -h, &back));
        H[i * n + i] = (there + back) / (h * h);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            KL_TRY(moved(k, y, i, j, h, &there));
            KL_TRY(moved(k, y, i, j, -h, &back));
            own[0] = H[i * n + i], own[1] = H[j * n + j];
            H[i * n + j] = H[j * n + i] = 0.5 * ((there + back) / (h * h) - own[0] - own[1]);
        }
    return KL_OK;
}

/* a less its parts along the n axes, of unit length; false where nothing is left */
static bool apart(const kl_vec3 *axis, int n, kl_vec3 *a)
{
    for (int i = 0; i < n; i++) *a = kl_axpy(-kl_dot(axis[i], *a), axis[i], *a);
    double size = kl_norm(*a);
    if (size < 1e-3) return false;
    *a = kl_scale(1.0 / size, *a);
    return true;
}

/* Turns of the frame that are locked: part of locked directions and of no other. */
static void find_axes(const look *k, const double *V, const bool *locked, kl_follow *f)
{
    const kl_model *m = k->x->model;
    kl_vec3         axis[3];
    kl_motion       frame;
    kl_marker       at = {.body = k->body, .A = kl_identity(), .node = KL_MARKER_FRAME};
    const kl_body  *b  = &m->body[k->body];
    int             nv = b->nv, n = 0, first = 0;
    b->type->motion(b->data, k->x->w->cache + b->cache, &at, &frame);
    for (int pass = 0; pass < 2; pass++) { /* those that move first, so that they are left out */
        for (int i = 0; i < k->free && n < 3; i++) {
            double turn[3] = {0}, size = 0.0;
            if (locked[i] != (pass == 1)) continue;
            for (int j = 0; j < k->free; j++)
                for (int c = 0; c < 3; c++) turn[c] += V[i * k->free + j] * k->N[j * nv + 3 + c];
            for (int c = 0; c < 3; c++) size = fmax(size, fabs(turn[c]));
            axis[n] = kl_load(turn);
            if (size > 1e-6 && apart(axis, n, &axis[n])) n++;
        }
        if (pass == 0) first = n;
    }
    for (int i = first; i < n; i++) f->axis[f->naxis++] = kl_mul(&frame.A, axis[i]);
}

/* f's curvature on the free directions, and what it locks */
static kl_status find_lock(look *k, const double *y, kl_follow *f)
{
    size_t  n      = (size_t)k->free;
    double *H      = kl_arena_array(k->a, double, n *n + 1);
    double *value  = kl_arena_array(k->a, double, n + 1);
    bool   *locked = kl_arena_array(k->a, bool, n + 1);
    if (!kl_arena_ok(k->a)) return KL_E_MEMORY;
    kl_status status = n > 0 ? curvature(k, y, H) : KL_RETRY;
    /* the caches belong to the start again */
    KL_TRY(kl_eval(k->x->model, k->x->s, k->x->w));
    if (status != KL_OK || kl_symmetric_eigen(k->free, H, value) != KL_OK) return KL_OK;
    double most = 0.0;
    bool   up = false, down = false;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(value[i]));
    if (most < 1e-6 * k->x->model->length) return KL_OK; /* rows that repeat each other */
    for (size_t i = 0; i < n; i++) {
        locked[i] = fabs(value[i]) > 1e-3 * most;
        up |= locked[i] && value[i] > 0.0;
        down |= locked[i] && value[i] < 0.0;
    }
    if (up && down) return KL_OK; /* two branches meet here: nothing is locked */
    for (size_t i = 0; i < n; i++) f->locked += locked[i];
    find_axes(k, H, locked, f);
    return KL_OK;
}

/* ---- in words ---- */

static void tell_who(const look *k, const double *y, kl_follow *f)
{
    const kl_model *m    = k->x->model;
    const rows     *r    = &k->r;
    kl_line         l    = {.arena = k->a};
    double          most = 0.0;
    int             last = -1;
    for (int i = 0; i < r->n; i++) most = fmax(most, fabs(y[i]));
    kl_line_add(&l, "no mode of '%s' can follow ", m->body[k->body].name);
    f->partner = -2; /* none seen */
    for (int i = 0; i < r->n; i++) {
        if (fabs(y[i]) < 0.05 * most) continue;
        const kl_element *e     = &m->element[r->element[i]];
        bool              point = kl_norm(r->force[i]) > 0.0;
        if (r->element[i] != last)
            kl_line_add(&l, "%sjoint %s", last >= 0 ? " against " : "", e->name);
        kl_line_add(&l, r->element[i] == last ? " and " : point ? " along " : " about ");
        kl_line_axis(&l, point ? r->force[i] : r->moment[i]);
        last = r->element[i];
        for (int j = 0; j < e->nmarker; j++) {
            int other = m->marker[e->marker + j].body;
            if (other == k->body) continue;
            f->partner = f->partner == -2 || f->partner == other ? other : -1;
        }
    }
    if (f->partner < 0) f->partner = -1;
    kl_line_add(&l, ": together they can load it but not deform it");
    f->text  = l.text;
    f->place = last >= 0 ? m->element[last].place : KL_NOWHERE;
}

static void tell_lock(const look *k, kl_follow *f)
{
    const kl_model *m = k->x->model;
    kl_line         l = {.arena = k->a};
    if (f->locked == 0) return;
    kl_line_add(&l, "This locks ");
    if (f->naxis > 0) kl_line_add(&l, "the turn of '%s' about ", m->body[f->body].name);
    for (int i = 0; i < f->naxis; i++) {
        if (i) kl_line_add(&l, " and ");
        kl_line_axis(&l, f->axis[i]);
    }
    if (f->locked > f->naxis)
        kl_line_add(&l, "%s%d way%s in which it could bend", f->naxis ? " and " : "",
                    f->locked - f->naxis, f->locked - f->naxis == 1 ? "" : "s");
    kl_line_add(&l, ", which the real body is free to do. The rows of these joints are the same "
                    "here and wherever they hold (a singular position that is never left), so no "
                    "reaction of finite size can hold it");
    f->locks = l.text;
}

/* ---- one body ---- */

/* what the joints leave free to first order */
static kl_status free_directions(look *k)
{
    size_t  nv = (size_t)k->r.nv;
    double *G  = kl_arena_array(k->a, double, nv *nv);
    double *w  = kl_arena_array(k->a, double, nv);
    if (!kl_arena_ok(k->a)) return KL_E_MEMORY;
    for (size_t i = 0; i < nv; i++)
        for (size_t j = 0; j < nv; j++)
            for (int p = 0; p < k->r.n; p++)
                G[i * nv + j] += k->r.J[(size_t)p * nv + i] * k->r.J[(size_t)p * nv + j];
    if (kl_symmetric_eigen(k->r.nv, G, w) != KL_OK) return KL_OK;
    while (k->free < k->r.nv && w[k->free] < 1e-14 * fmax(1.0, w[nv - 1])) k->free++;
    k->N = G;
    return KL_OK;
}

static kl_status add_set(look *k, const double *y)
{
    kl_follow *f = &k->list[k->n++];
    *f           = (kl_follow){.body = k->body, .partner = -1};
    tell_who(k, y, f);
    if (f->partner >= 0) KL_TRY(find_lock(k, y, f)); /* else those at the other ends may give way */
    tell_lock(k, f);
    return kl_arena_ok(k->a) ? KL_OK : KL_E_MEMORY;
}

static kl_status look_at(look *k)
{
    const kl_model *m = k->x->model;
    const kl_body  *b = &m->body[k->body];
    KL_TRY(gather(m, k->x->w, k->body, k->a, &k->r));
    size_t  n = (size_t)k->r.n, nv = (size_t)b->nv;
    double *V     = kl_arena_array(k->a, double, n *n + 1),
           *value = kl_arena_array(k->a, double, n + 1);
    double *G     = kl_arena_array(k->a, double, n *nv + 1),
           *Z     = kl_arena_array(k->a, double, n *n + 1);
    double *y     = kl_arena_array(k->a, double, n + 1);
    k->q          = kl_arena_array(k->a, double, b->nq);
    k->dx         = kl_arena_array(k->a, double, nv);
    if (!kl_arena_ok(k->a)) return KL_E_MEMORY;
    memcpy(k->q, k->x->s->q + b->q, (size_t)b->nq * sizeof(double));
    if (n < 2) return KL_OK;
    KL_TRY(free_directions(k));

    /* balanced reactions, then those among them that deform nothing */
    const rows *r      = &k->r;
    int         modes  = r->nv - 6;
    int         nequal = silent(r->n, 6, r->J, r->nv, 1e-7, V, value);
    for (int i = 0; i < nequal; i++)
        for (int c = 0; c < modes; c++)
            for (int p = 0; p < r->n; p++)
                G[i * modes + c] += V[i * r->n + p] * r->J[p * r->nv + 6 + c];
    int none = nequal > 0 ? silent(nequal, modes, G, modes, 1e-7, Z, value) : 0;
    for (int i = 0; i < none && i < MOST_TOLD; i++) {
        for (int p = 0; p < r->n; p++) {
            y[p] = 0.0;
            for (int q = 0; q < nequal; q++) y[p] += Z[i * nequal + q] * V[q * r->n + p];
        }
        KL_TRY(add_set(k, y));
    }
    return KL_OK;
}

kl_status kl_follow_find(kl_solver *x, kl_arena *a, kl_follow **list, int *n)
{
    const kl_model *m = x->model;
    int             k = 0;
    *n                = 0;
    for (int i = 0; i < m->nbody; i++) k += m->body[i].nv > 6;
    *list = kl_arena_array(a, kl_follow, MOST_TOLD * k + 1);
    if (!*list) return KL_E_MEMORY;
    if (k == 0) return KL_OK;
    KL_TRY(kl_eval(m, x->s, x->w));
    for (int i = 0; i < m->nbody; i++) {
        look one = {.x = x, .a = a, .body = i, .list = *list + *n};
        if (m->body[i].nv <= 6) continue;
        KL_TRY(look_at(&one));
        *n += one.n;
    }
    return KL_OK;
}
