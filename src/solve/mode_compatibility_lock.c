/* What joints lock that no mode can follow.
 *
 * With y_i the sets of reactions that no mode answers to and N what the joints leave free to first
 * order, f_i = y_i.Phi has on N the curvature H_i and no slope. Directions that no H_i bends in are
 * free indeed. Of the others the turns of the body's frame are held; when all H_i vanish on what is
 * left then, the rows only repeat each other there. What still bends cannot be held. */
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "solve/mode_compatibility_set.h"

static const double step  = 4e-3; /* of the scaled coordinates, for differences */
static const double share = 1e-3; /* of the largest curvature: less is none */
static const double none  = 1e-6; /* curvature, scaled rows on scaled coordinates */

typedef struct bending {
    kl_compatibility_search *k;
    int                      n;        /* free directions */
    double                  *N;        /* n x nv, scaled, orthonormal */
    double                  *q, *dx;   /* the body's own coordinates at the start; an increment */
    double                  *H;        /* nset x n x n */
    double                  *f, *bend; /* nset: values; second differences */
    double                   most;     /* largest curvature */
} bending;

/* N <- N - J^+ J N: squares of J have lost half of the digits where a row hardly moves anything */
static kl_status refine(bending *b)
{
    const kl_compatibility_rows *r = &b->k->r;
    int                          m = r->n, nv = r->nv, tall = m > nv ? m : nv, rank;
    double                      *J = kl_arena_array(b->k->a, double, (size_t)m *(size_t)nv + 1);
    double *X = kl_arena_array(b->k->a, double, (size_t)tall *(size_t)b->n + 1);
    if (!kl_arena_ok(b->k->a)) return KL_E_MEMORY;
    for (int p = 0; p < m; p++)
        for (int c = 0; c < nv; c++) {
            J[c * m + p] = r->J[p * nv + c];
            for (int j = 0; j < b->n; j++) X[j * tall + p] += r->J[p * nv + c] * b->N[j * nv + c];
        }
    if (kl_least_squares(m, nv, b->n, J, X, tall, 1e-7, &rank) != KL_OK) return KL_OK;
    for (int j = 0; j < b->n; j++)
        for (int c = 0; c < nv; c++) b->N[j * nv + c] -= X[j * tall + c];
    return KL_OK;
}

/* what the joints to the partner leave free to first order, all other bodies at rest */
static kl_status free_directions(bending *b)
{
    const kl_compatibility_rows *r  = &b->k->r;
    size_t                       nv = (size_t)r->nv;
    double                      *G  = kl_arena_array(b->k->a, double, nv *nv);
    double                      *w  = kl_arena_array(b->k->a, double, nv);
    if (!kl_arena_ok(b->k->a)) return KL_E_MEMORY;
    for (size_t i = 0; i < nv; i++)
        for (size_t j = 0; j < nv; j++)
            for (int p = 0; p < r->n; p++)
                G[i * nv + j] += r->J[(size_t)p * nv + i] * r->J[(size_t)p * nv + j];
    if (kl_symmetric_eigen(r->nv, G, w) != KL_OK) return KL_OK;
    while (b->n < r->nv && w[b->n] < 1e-14 * fmax(1.0, w[nv - 1])) b->n++;
    b->N = G;
    return b->n > 0 ? refine(b) : KL_OK;
}

/* all y_i.Phi at the start moved by h (N_i + N_j) */
static kl_status moved(bending *b, int i, int j, double h, double *f)
{
    kl_compatibility_search     *k    = b->k;
    const kl_compatibility_rows *r    = &k->r;
    const kl_model              *m    = k->x->model;
    const kl_body               *body = &m->body[k->body];
    int                          nv   = body->nv;
    for (int c = 0; c < nv; c++) {
        double sum = b->N[i * nv + c] + (j >= 0 ? b->N[j * nv + c] : 0.0);
        b->dx[c]   = h * sum * r->unit[c];
    }
    body->type->advance(body->data, b->q, b->dx, k->x->s->q + body->q);
    kl_eval_motion(m, k->x->s, k->x->w);
    kl_status status = kl_eval_elements(m, k->x->s, k->x->w);
    memcpy(k->x->s->q + body->q, b->q, (size_t)body->nq * sizeof(double));
    for (int s = 0; s < k->nset; s++) {
        f[s] = 0.0;
        for (int p = 0; p < r->n; p++)
            f[s] += k->Y[s * r->n + p] * r->scale[p] *
                    k->x->w->phi[m->element[r->element[p]].phi + r->row[p]];
    }
    return status;
}

/* Second differences of all f along N_i + N_j: both ways, because f has no slope that matters, and
 * with two steps, so that what is held turns about its axis exactly: an axis that is off by 1e-7
 * makes rows that should repeat each other contradict each other as the body goes round. */
static kl_status bend_along(bending *b, int i, int j, double *bend)
{
    int nset = b->k->nset;
    for (int s = 0; s < nset; s++) bend[s] = 0.0;
    for (int half = 0; half < 2; half++) {
        double h = half ? 0.5 * step : step, weight = half ? 4.0 / 3.0 : -1.0 / 3.0;
        for (int side = -1; side <= 1; side += 2) {
            KL_TRY(moved(b, i, j, side * h, b->f));
            for (int s = 0; s < nset; s++) bend[s] += weight * b->f[s] / (h * h);
        }
    }
    return KL_OK;
}

static kl_status curvature(bending *b)
{
    int n = b->n, nset = b->k->nset;
    for (int i = 0; i < n; i++) {
        KL_TRY(bend_along(b, i, -1, b->bend));
        for (int s = 0; s < nset; s++) b->H[(s * n + i) * n + i] = b->bend[s];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            KL_TRY(bend_along(b, i, j, b->bend));
            for (int s = 0; s < nset; s++) {
                double *H    = b->H + s * n * n;
                H[i * n + j] = H[j * n + i] = 0.5 * (b->bend[s] - H[i * n + i] - H[j * n + j]);
            }
        }
    return KL_OK;
}

/* how much direction c (n) turns the frame, body axes */
static kl_vec3 turn_of(const bending *b, const double *c)
{
    double turn[3] = {0};
    int    nv      = b->k->r.nv;
    for (int j = 0; j < b->n; j++)
        for (int i = 0; i < 3; i++) turn[i] += c[j] * b->N[j * nv + b->k->r.turn + i];
    return kl_load(turn);
}

/* Axes that directions `from` to `to` (columns of V) turn the frame about, less those in axis[0..n):
 * all of them together, so that none rests on a direction that hardly turns. Returns n with these. */
static int add_axes(const bending *b, const double *V, int from, int to, kl_vec3 *axis, int n)
{
    const double least = 1e-4; /* of a turn beside other motion */
    double       T[9]  = {0}, w[3];
    for (int i = from; i < to; i++) {
        double  t[3];
        kl_vec3 turn = turn_of(b, V + i * b->n);
        for (int k = 0; k < n; k++) turn = kl_axpy(-kl_dot(axis[k], turn), axis[k], turn);
        kl_store(t, turn);
        for (int k = 0; k < 9; k++) T[k] += t[k / 3] * t[k % 3];
    }
    if (kl_symmetric_eigen(3, T, w) != KL_OK) return n;
    for (int k = 2; k >= 0 && n < 3; k--)
        if (w[k] > least * least) axis[n++] = kl_load(T + 3 * k);
    return n;
}

/* Two axes in a plane of coordinates are better told by these. */
static void plain_axes(kl_vec3 *axis, int n)
{
    double A[9];
    for (int i = 0; i < n; i++) kl_store(A + 3 * i, axis[i]);
    if (n < 2 || kl_row_echelon(n, 3, A, 0, NULL) < n) return;
    for (int i = 0; i < n; i++)
        if (kl_norm(kl_load(A + 3 * i)) > 1.0 + 1e-6) return;
    for (int i = 0; i < n; i++) axis[i] = kl_load(A + 3 * i);
}

/* Most bodies are drawn along their axes: what differences leave beside them is taken away. */
static void clean_axes(kl_vec3 *axis, int n)
{
    const double noise = 1e-7;
    plain_axes(axis, n);
    for (int i = 0; i < n; i++) {
        double a[3];
        kl_store(a, axis[i]);
        for (int c = 0; c < 3; c++)
            if (fabs(a[c]) < noise) a[c] = 0.0;
        axis[i] = kl_unit(kl_load(a));
    }
}

/* Turns of the frame that are part of what bends (columns of V from `flat` on) and of nothing that
 * is free. Axes of the body; `global` turns them. */
static void find_axes(const bending *b, const double *V, int flat, kl_compatibility_lock *lock,
                      kl_vec3 *global)
{
    const kl_model *m    = b->k->x->model;
    const kl_body  *body = &m->body[b->k->body];
    kl_marker       at   = {.body = b->k->body, .A = kl_identity(), .node = KL_MARKER_FRAME};
    kl_motion       frame;
    kl_vec3         axis[3];
    kl_body_motion(body, b->k->x->w->cache + body->cache, &at, &frame);
    int first = add_axes(b, V, 0, flat, axis, 0), n = add_axes(b, V, flat, b->n, axis, first);
    clean_axes(axis, first);
    if (first > 0) lock->spin = kl_mul(&frame.A, axis[0]);
    for (int i = first; i < n; i++) lock->axis[lock->naxis++] = axis[i];
    clean_axes(lock->axis, lock->naxis);
    for (int i = 0; i < lock->naxis; i++) global[i] = kl_mul(&frame.A, lock->axis[i]);
    plain_axes(global, lock->naxis);
}

/* G (kept x kept) = sum of (P'H_i P)^2, P's columns (n each) the directions that are looked at */
static kl_status squares(const bending *b, const double *P, int kept, double *G)
{
    size_t  n = (size_t)b->n, k = (size_t)kept;
    double *HP = kl_arena_array(b->k->a, double, n *k + 1);
    double *R  = kl_arena_array(b->k->a, double, k *k + 1);
    if (!kl_arena_ok(b->k->a)) return KL_E_MEMORY;
    memset(G, 0, k * k * sizeof *G);
    for (int s = 0; s < b->k->nset; s++) {
        const double *H = b->H + (size_t)s * n * n;
        kl_gemm(false, false, b->n, kept, b->n, 1.0, H, b->n, P, b->n, 0.0, HP, b->n);
        kl_gemm(true, false, kept, kept, b->n, 1.0, P, b->n, HP, b->n, 0.0, R, kept);
        kl_gemm(false, false, kept, kept, kept, 1.0, R, kept, R, kept, 1.0, G, kept);
    }
    return KL_OK;
}

/* Eigenvectors of G over it, those without curvature first; returns how many have none. */
static int flat_first(const bending *b, int kept, double *G, double *w)
{
    int flat = 0;
    if (kl_symmetric_eigen(kept, G, w) != KL_OK) return kept;
    while (flat < kept && sqrt(fmax(w[flat], 0.0)) <= share * b->most) flat++;
    return flat;
}

/* How many directions still bend when the turns about the axes are held. P, G: n x n */
static kl_status count_bending_directions(const bending *b, const kl_compatibility_lock *lock,
                                          double *P, double *G, double *w, int *count)
{
    int           n = b->n, nv = b->k->r.nv, kept = n - lock->naxis;
    const double *turn = b->N + b->k->r.turn;
    memset(P, 0, (size_t)n * (size_t)n * sizeof *P);
    for (int a = 0; a < lock->naxis; a++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                P[i * n + j] += kl_dot(lock->axis[a], kl_load(turn + i * nv)) *
                                kl_dot(lock->axis[a], kl_load(turn + j * nv));
    *count = 0;
    /* its first columns turn about none of the axes */
    if (kept == 0 || kl_symmetric_eigen(n, P, w) != KL_OK) return KL_OK;
    KL_TRY(squares(b, P, kept, G));
    *count = kept - flat_first(b, kept, G, w);
    return KL_OK;
}

static kl_status take_room(bending *b, kl_compatibility_lock *lock)
{
    kl_compatibility_search *k    = b->k;
    const kl_body           *body = &k->x->model->body[k->body];
    size_t                   n = (size_t)b->n, nset = (size_t)k->nset;
    b->q        = kl_arena_array(k->a, double, body->nq);
    b->dx       = kl_arena_array(k->a, double, body->nv);
    b->H        = kl_arena_array(k->a, double, nset *n *n + 1);
    b->f        = kl_arena_array(k->a, double, nset);
    b->bend     = kl_arena_array(k->a, double, nset);
    lock->bends = kl_arena_array(k->a, bool, nset);
    if (!kl_arena_ok(k->a)) return KL_E_MEMORY;
    memcpy(b->q, k->x->s->q + body->q, (size_t)body->nq * sizeof(double));
    return KL_OK;
}

/* which sets have a curvature at all */
static bool any_bends(bending *b, kl_compatibility_lock *lock)
{
    bool any = false;
    for (int s = 0; s < b->k->nset; s++) {
        double most = 0.0;
        for (int i = 0; i < b->n * b->n; i++) most = fmax(most, fabs(b->H[s * b->n * b->n + i]));
        lock->bends[s] = most > none;
        any |= lock->bends[s];
        b->most = fmax(b->most, most);
    }
    return any;
}

kl_status kl_compatibility_find_lock(kl_compatibility_search *k, kl_compatibility_lock *lock)
{
    bending b = {.k = k};
    *lock     = (kl_compatibility_lock){0};
    KL_TRY(free_directions(&b));
    KL_TRY(take_room(&b, lock));
    kl_status status = b.n > 0 ? curvature(&b) : KL_RETRY;
    KL_TRY(kl_eval(k->x->model, k->x->s, k->x->w)); /* the caches belong to the start again */
    if (status != KL_OK || !any_bends(&b, lock)) return KL_OK;

    size_t  n = (size_t)b.n;
    double *G = kl_arena_array(k->a, double, n *n + 1), *w = kl_arena_array(k->a, double, n + 1);
    double *P = kl_arena_array(k->a, double, n *n + 1);
    kl_vec3 global[3];
    int     rest = 0;
    if (!kl_arena_ok(k->a)) return KL_E_MEMORY;
    for (size_t i = 0; i < n; i++) P[i * n + i] = 1.0;
    KL_TRY(squares(&b, P, b.n, G));
    find_axes(&b, G, flat_first(&b, b.n, G, w), lock, global);
    KL_TRY(count_bending_directions(&b, lock, P, G, w, &rest));
    for (int i = 0; i < lock->naxis; i++) lock->axis[i] = global[i];
    lock->locked = lock->naxis + rest;
    return KL_OK;
}
