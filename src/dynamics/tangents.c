#include "dynamics/tangents.h"

#include <string.h>

#include "dynamics/slopes.h"

#include "model/groups.h"

static int most_velocities(const kl_model *m)
{
    int most = 6;
    for (int i = 0; i < m->nbody; i++) most = m->body[i].nv > most ? m->body[i].nv : most;
    return most;
}

/* numbers of kl_slopes of one element */
static size_t slopes_size(const kl_element *e)
{
    size_t wide = 6 * (size_t)e->nmarker, nz = (size_t)e->nz;
    return 2 * wide * wide + 3 * wide * nz + nz * nz;
}

/* slopes, a map and a rate of each marker, one product, two body matrices and a vector */
static size_t scratch_size(const kl_model *m)
{
    size_t most = 0, nv = (size_t)most_velocities(m), markers = 0;
    for (int i = 0; i < m->nelement; i++) {
        size_t n = slopes_size(&m->element[i]);
        most     = n > most ? n : most;
        n        = (size_t)m->element[i].nmarker;
        markers  = n > markers ? n : markers;
    }
    return most + 12 * nv * markers + 6 * nv + 2 * nv * nv + nv;
}

kl_tangents *kl_tangents_create(const kl_model *m)
{
    kl_arena    *a  = kl_arena_create();
    kl_tangents *t  = kl_arena_array(a, kl_tangents, 1);
    size_t       nv = (size_t)m->nv, nz = (size_t)m->nz, nlam = (size_t)m->nlam;
    if (!t) {
        kl_arena_destroy(a);
        return NULL;
    }
    *t          = (kl_tangents){.arena = a, .nv = m->nv, .nz = m->nz, .nlam = m->nlam};
    t->M        = kl_arena_array(a, double, nv *nv + 1);
    t->K        = kl_arena_array(a, double, nv *nv + 1);
    t->C        = kl_arena_array(a, double, nv *nv + 1);
    t->J        = kl_arena_array(a, double, nlam *nv + 1);
    t->rz       = kl_arena_array(a, double, nv *nz + 1);
    t->zx       = kl_arena_array(a, double, nz *nv + 1);
    t->zv       = kl_arena_array(a, double, nz *nv + 1);
    t->zz       = kl_arena_array(a, double, nz *nz + 1);
    size_t room = 1;
    for (int i = 0; i < m->nelement; i++)
        if (kl_difference_room(&m->element[i]) > room) room = kl_difference_room(&m->element[i]);
    t->room    = kl_arena_take(a, room);
    t->scratch = kl_arena_array(a, double, scratch_size(m) + 1);
    if (!kl_arena_ok(a)) {
        kl_arena_destroy(a);
        return NULL;
    }
    return t;
}

void kl_tangents_destroy(kl_tangents *t)
{
    if (t) kl_arena_destroy(t->arena); /* the object itself lives in it */
}

/* T (rows at r, columns at c, `wide` columns in all) += s D (n x k) */
static void add(double *T, int wide, int r, int c, double s, const double *D, int n, int k)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            T[(size_t)(r + i) * (size_t)wide + (size_t)(c + j)] += s * D[i * k + j];
}

static void add_body(const kl_model *m, const kl_work *w, const kl_body *b, const double *a,
                     kl_tangents *t)
{
    int         n = b->nv;
    double     *K = t->scratch, *C = K + n * n, *free = C + n * n;
    const void *cache = w->cache + b->cache;
    if (n == 0) return;
    add(t->M, t->nv, b->v, b->v, 1.0, w->M + b->M, n, n);
    if (b->type->inertia_tangent) {
        /* gravity is an acceleration of the frame: M (a - gravity) */
        kl_body_without_gravity(m, b, a, free);
        b->type->inertia_tangent(b->data, cache, free, K, C);
        add(t->K, t->nv, b->v, b->v, 1.0, K, n, n);
        add(t->C, t->nv, b->v, b->v, 1.0, C, n, n);
    }
    if (b->type->own_force) {
        memset(K, 0, 2 * (size_t)(n * n) * sizeof *K);
        b->type->own_force(b->data, cache, free, K, C);
        add(t->K, t->nv, b->v, b->v, -1.0, K, n, n);
        add(t->C, t->nv, b->v, b->v, -1.0, C, n, n);
    }
}

/* Maps of the markers of one element: B and W = d(B v)/dx, 6 x nv each, `most` columns apart. */
typedef struct maps {
    double *B, *W, *T;
    int     stride;
} maps;

static void fill_maps(const kl_model *m, const kl_work *w, const kl_element *e, maps *p)
{
    for (int i = 0; i < e->nmarker; i++) {
        const kl_marker *k = &m->marker[e->marker + i];
        const kl_body   *b = &m->body[k->body];
        if (b->nv == 0) continue;
        b->type->map(b->data, w->cache + b->cache, k, p->B + i * p->stride);
        b->type->map_rate(b->data, w->cache + b->cache, k, p->W + i * p->stride);
    }
}

/* T (n x nv) = P (n rows of `wide`, six columns from `at`) B (6 x nv) */
static void times_map(const double *P, int wide, int n, const double *B, int nv, double *T)
{
    for (int r = 0; r < n; r++)
        for (int c = 0; c < nv; c++) {
            double sum = 0.0;
            for (int p = 0; p < 6; p++) sum += P[r * wide + p] * B[p * nv + c];
            T[r * nv + c] = sum;
        }
}

/* to (nv_i x k, at row r, column c) -= B' T (6 x k) */
static void pull_back(double *to, int wide, int r, int c, const double *B, int nv, const double *T,
                      int k)
{
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0.0;
            for (int p = 0; p < 6; p++) sum += B[p * nv + i] * T[p * k + j];
            to[(size_t)(r + i) * (size_t)wide + (size_t)(c + j)] -= sum;
        }
}

/* to (n x nv at row r, column c) += P B, row by row */
static void push(double *to, int wide, int r, int c, const double *P, int pwide, int n,
                 const double *B, int nv)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < nv; j++) {
            double sum = 0.0;
            for (int p = 0; p < 6; p++) sum += P[i * pwide + p] * B[p * nv + j];
            to[(size_t)(r + i) * (size_t)wide + (size_t)(c + j)] += sum;
        }
}

static void add_element(const kl_model *m, const kl_state *s, const kl_work *w, const kl_element *e,
                        const double *lambda, kl_tangents *t)
{
    int       wide = 6 * e->nmarker, nz = e->nz, most = most_velocities(m);
    kl_slopes k = {.K = t->scratch};
    k.C = k.K + wide * wide, k.wz = k.C + wide * wide, k.zk = k.wz + wide * nz;
    k.zc = k.zk + wide * nz, k.zz = k.zc + wide * nz;
    maps p = {.B = k.zz + nz * nz, .stride = 6 * most};
    p.W = p.B + e->nmarker * p.stride, p.T = p.W + e->nmarker * p.stride;
    double *G = p.T + p.stride;
    memset(t->scratch, 0, slopes_size(e) * sizeof(double));
    kl_reading in = kl_reading_of(m, s, w, e);
    if (e->type->tangent) e->type->tangent(&in, lambda + e->phi, &k);
    else kl_difference_slopes(m, e, &in, lambda + e->phi, NULL, t->room, &k);
    fill_maps(m, w, e, &p);

    for (int j = 0; j < e->nmarker; j++) {
        const kl_body *bj = &m->body[m->marker[e->marker + j].body];
        const double  *B = p.B + j * p.stride, *W = p.W + j * p.stride;
        if (bj->nv == 0) continue;
        push(t->J, t->nv, e->phi, bj->v, w->rows + e->rows + 6 * (size_t)j, wide, e->nphi, B,
             bj->nv);
        push(t->zx, t->nv, e->z, bj->v, k.zk + 6 * j, wide, nz, B, bj->nv);
        push(t->zx, t->nv, e->z, bj->v, k.zc + 6 * j, wide, nz, W, bj->nv);
        push(t->zv, t->nv, e->z, bj->v, k.zc + 6 * j, wide, nz, B, bj->nv);
        for (int i = 0; i < e->nmarker; i++) {
            const kl_body *bi = &m->body[m->marker[e->marker + i].body];
            const double  *Bi = p.B + i * p.stride;
            if (bi->nv == 0) continue;
            const double *Kij = k.K + 6 * i * wide + 6 * j, *Cij = k.C + 6 * i * wide + 6 * j;
            times_map(Kij, wide, 6, B, bj->nv, p.T);
            pull_back(t->K, t->nv, bi->v, bj->v, Bi, bi->nv, p.T, bj->nv);
            times_map(Cij, wide, 6, W, bj->nv, p.T);
            pull_back(t->K, t->nv, bi->v, bj->v, Bi, bi->nv, p.T, bj->nv);
            times_map(Cij, wide, 6, B, bj->nv, p.T);
            pull_back(t->C, t->nv, bi->v, bj->v, Bi, bi->nv, p.T, bj->nv);
        }
        /* d(B' total)/dx at fixed wrench, and by z */
        memset(G, 0, (size_t)(bj->nv * bj->nv) * sizeof *G);
        bj->type->add_geometric(bj->data, w->cache + bj->cache, &m->marker[e->marker + j],
                                w->total + 6 * (size_t)(e->marker + j), G);
        add(t->K, t->nv, bj->v, bj->v, -1.0, G, bj->nv, bj->nv);
        if (nz) pull_back(t->rz, t->nz, bj->v, e->z, B, bj->nv, k.wz + 6 * j * nz, nz);
    }
    add(t->zz, t->nz, e->z, e->z, 1.0, k.zz, nz, nz);
}

void kl_tangents_eval(const kl_model *m, const kl_state *s, kl_work *w, const double *a,
                      const double *lambda, kl_tangents *t)
{
    size_t nv = (size_t)m->nv, nz = (size_t)m->nz;
    memset(t->M, 0, nv * nv * sizeof(double));
    memset(t->K, 0, nv * nv * sizeof(double));
    memset(t->C, 0, nv * nv * sizeof(double));
    memset(t->J, 0, (size_t)m->nlam * nv * sizeof(double));
    memset(t->rz, 0, nv * nz * sizeof(double));
    memset(t->zx, 0, nv * nz * sizeof(double));
    memset(t->zv, 0, nv * nz * sizeof(double));
    memset(t->zz, 0, nz * nz * sizeof(double));
    for (int i = 0; i < m->nbody; i++) add_body(m, w, &m->body[i], a, t);
    for (int i = 0; i < m->nelement; i++) add_element(m, s, w, &m->element[i], lambda, t);
}
