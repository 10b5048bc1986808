#include "dynamics/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/slopes.h"
#include "model/groups.h"

static const double usual_eps = 1e-11; /* against a scaled matrix whose rows are of size one */

/* Where an element writes: first value of each column of each block, -1 where there is none. */
typedef struct element_slots {
    int *body;   /* [i][j][c]: block (body of marker i, body of marker j) */
    int *row;    /* [j][c]: block (constraints, body of marker j) */
    int *column; /* [i][k]: block (body of marker i, constraint k) */
    int *wz;     /* [i][k]: block (body of marker i, state k) */
    int *zk;     /* [j][c]: block (states, body of marker j) */
    int *zz;     /* [k] */
} element_slots;

struct kl_matrix {
    kl_arena      *arena;
    kl_pattern     p;
    kl_lu         *lu;
    double        *values, *scale, *scratch;
    double        *B, *Q; /* of all element markers: 6 x nv each, at `map` */
    int           *map;
    double        *slopes;    /* K, C, wz, zk, zc, zz of one element */
    void          *room;      /* for differences */
    double        *dense;     /* body block scratch */
    int          **body_slot; /* of each body's own block */
    element_slots *slots;
    int           *eps_slot; /* nlam */
    int           *diagonal; /* nv + nz: where it stands */
    bool          *massless; /* nv + nz: coordinates of elements, whose diagonal tells nothing */
    bool           any_massless;
    int            nv, nz, nlam, most_nv;
    bool           coupled;
    double         eps;   /* of the factors */
    double         moved; /* by the last pass of the last solve: see kl_matrix_weakness */
};

static int body_of(const kl_model *m, const kl_element *e, int i)
{
    return m->marker[e->marker + i].body;
}

static bool couples(const kl_matrix *x, const kl_element *e) { return x->coupled || e->nphi == 0; }

/* ---- pattern and slots
 * --------------------------------------------------------------------------------------------- */

static void announce(const kl_model *m, kl_matrix *x)
{
    int z0 = m->nv, l0 = m->nv + m->nz;
    for (int i = 0; i < m->nbody; i++)
        kl_pattern_add(x->arena, &x->p, m->body[i].v, m->body[i].nv, m->body[i].v, m->body[i].nv);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (int a = 0; a < e->nmarker; a++) {
            const kl_body *ba = &m->body[body_of(m, e, a)];
            for (int b = 0; couples(x, e) && b < e->nmarker; b++) {
                const kl_body *bb = &m->body[body_of(m, e, b)];
                kl_pattern_add(x->arena, &x->p, ba->v, ba->nv, bb->v, bb->nv);
            }
            kl_pattern_add(x->arena, &x->p, l0 + e->phi, e->nphi, ba->v, ba->nv);
            kl_pattern_add(x->arena, &x->p, ba->v, ba->nv, l0 + e->phi, e->nphi);
            kl_pattern_add(x->arena, &x->p, z0 + e->z, e->nz, ba->v, ba->nv);
            kl_pattern_add(x->arena, &x->p, ba->v, ba->nv, z0 + e->z, e->nz);
        }
        kl_pattern_add(x->arena, &x->p, z0 + e->z, e->nz, z0 + e->z, e->nz);
    }
    for (int k = 0; k < m->nlam; k++) kl_pattern_add(x->arena, &x->p, l0 + k, 1, l0 + k, 1);
}

static int *slots_of(kl_matrix *x, int row, int nrow, int column, int ncol)
{
    int *slot = kl_arena_array(x->arena, int, ncol > 0 ? ncol : 1);
    for (int c = 0; slot && nrow > 0 && c < ncol; c++)
        slot[c] = kl_pattern_slot(&x->p, row, column + c);
    return slot;
}

/* slots of (rows of marker i's body) x (n columns from `column`), for all markers, one after the
 * other */
static int *tall_slots(const kl_model *m, kl_matrix *x, const kl_element *e, int column, int n)
{
    int *slot = kl_arena_array(x->arena, int, e->nmarker *n + 1);
    for (int i = 0; slot && i < e->nmarker; i++) {
        const kl_body *b = &m->body[body_of(m, e, i)];
        for (int c = 0; c < n; c++)
            slot[i * n + c] = b->nv ? kl_pattern_slot(&x->p, b->v, column + c) : -1;
    }
    return slot;
}

/* slots of (n rows from `row`) x (columns of marker j's body), `most_nv` apart */
static int *wide_slots(const kl_model *m, kl_matrix *x, const kl_element *e, int row, int n)
{
    int *slot = kl_arena_array(x->arena, int, e->nmarker * x->most_nv + 1);
    for (int j = 0; slot && n > 0 && j < e->nmarker; j++) {
        const kl_body *b = &m->body[body_of(m, e, j)];
        for (int c = 0; c < b->nv; c++)
            slot[j * x->most_nv + c] = kl_pattern_slot(&x->p, row, b->v + c);
    }
    return slot;
}

static void find_slots(const kl_model *m, kl_matrix *x)
{
    int z0 = m->nv, l0 = m->nv + m->nz;
    for (int i = 0; i < m->nbody; i++)
        x->body_slot[i] = slots_of(x, m->body[i].v, m->body[i].nv, m->body[i].v, m->body[i].nv);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        element_slots    *s = &x->slots[i];
        s->row              = wide_slots(m, x, e, l0 + e->phi, e->nphi);
        s->column           = tall_slots(m, x, e, l0 + e->phi, e->nphi);
        s->zk               = wide_slots(m, x, e, z0 + e->z, e->nz);
        s->wz               = tall_slots(m, x, e, z0 + e->z, e->nz);
        s->zz               = slots_of(x, z0 + e->z, e->nz, z0 + e->z, e->nz);
        s->body = kl_arena_array(x->arena, int, e->nmarker * e->nmarker * x->most_nv + 1);
        for (int a = 0; s->body && a < e->nmarker; a++)
            for (int b = 0; b < e->nmarker; b++) {
                const kl_body *ba = &m->body[body_of(m, e, a)], *bb = &m->body[body_of(m, e, b)];
                for (int c = 0; c < x->most_nv; c++)
                    s->body[(a * e->nmarker + b) * x->most_nv + c] =
                        ba->nv && c < bb->nv ? kl_pattern_slot(&x->p, ba->v, bb->v + c) : -1;
            }
    }
    for (int k = 0; k < m->nlam; k++) x->eps_slot[k] = kl_pattern_slot(&x->p, l0 + k, l0 + k);
    for (int k = 0; k < l0; k++) x->diagonal[k] = kl_pattern_slot(&x->p, k, k);
}

static int slopes_size(const kl_element *e)
{
    int wide = 6 * e->nmarker;
    return 2 * wide * wide + 3 * wide * e->nz + e->nz * e->nz;
}

kl_matrix *kl_matrix_create(const kl_model *m, bool coupled)
{
    kl_arena  *a = kl_arena_create();
    kl_matrix *x = kl_arena_array(a, kl_matrix, 1);
    if (!x) {
        kl_arena_destroy(a);
        return NULL;
    }
    x->arena = a;
    x->nv = m->nv, x->nz = m->nz, x->nlam = m->nlam;
    x->coupled = coupled;
    x->eps     = usual_eps;
    x->p.n     = m->nv + m->nz + m->nlam;
    for (int i = 0; i < m->nbody; i++)
        if (m->body[i].nv > x->most_nv) x->most_nv = m->body[i].nv;
    announce(m, x);
    x->map       = kl_arena_array(a, int, m->nmarker + 1);
    x->body_slot = kl_arena_array(a, int *, m->nbody);
    x->slots     = kl_arena_array(a, element_slots, m->nelement + 1);
    x->eps_slot  = kl_arena_array(a, int, m->nlam + 1);
    x->diagonal  = kl_arena_array(a, int, m->nv + m->nz + 1);
    x->massless  = kl_arena_array(a, bool, m->nv + m->nz + 1);
    for (int i = 0; x->massless && i < m->nbody; i++)
        for (int k = 0; m->body[i].own && k < m->body[i].nv; k++)
            x->massless[m->body[i].v + k] = x->any_massless = true;
    int nB = 0, most = 1;
    for (int i = 0; x->map && i < m->nmarker; i++) {
        x->map[i] = nB;
        nB += 6 * m->body[m->marker[i].body].nv;
    }
    for (int i = 0; i < m->nelement; i++)
        if (slopes_size(&m->element[i]) > most) most = slopes_size(&m->element[i]);
    x->B        = kl_arena_array(a, double, nB + 1);
    x->Q        = kl_arena_array(a, double, nB + 1);
    x->slopes   = kl_arena_array(a, double, most);
    size_t room = 1;
    for (int i = 0; i < m->nelement; i++)
        if (kl_difference_room(&m->element[i]) > room) room = kl_difference_room(&m->element[i]);
    x->room  = kl_arena_take(a, room);
    x->dense = kl_arena_array(
        a, double, 3 * (size_t)x->most_nv * (size_t)(x->most_nv > 6 ? x->most_nv : 6) + 1);
    x->scale   = kl_arena_array(a, double, x->p.n + 1);
    x->scratch = kl_arena_array(a, double, 2 * (size_t)x->p.n + 1);
    if (!kl_arena_ok(a) || !kl_pattern_close(a, &x->p)) {
        kl_arena_destroy(a);
        return NULL;
    }
    x->values = kl_arena_array(a, double, x->p.nnz);
    find_slots(m, x);
    if (kl_arena_ok(a) && x->p.n > 0) x->lu = kl_lu_create(&x->p);
    if (!kl_arena_ok(a) || (x->p.n > 0 && !x->lu)) {
        kl_lu_destroy(x->lu);
        kl_arena_destroy(a);
        return NULL;
    }
    return x;
}

void kl_matrix_destroy(kl_matrix *x)
{
    if (!x) return;
    kl_lu_destroy(x->lu);
    kl_arena_destroy(x->arena);
}

/* ---- assembly -------------------------------------------------------------------------------- */

/* values(block) += scale * D, D row-major nrow x ncol, through column slots */
static void add_dense(kl_matrix *x, const int *slot, double scale, const double *D, int nrow,
                      int ncol)
{
    for (int c = 0; c < ncol; c++) {
        double *column = x->values + slot[c];
        for (int r = 0; r < nrow; r++) column[r] += scale * D[r * ncol + c];
    }
}

/* C (n x k) = A (n x l) B (l x k) */
static void multiply(const double *A, const double *B, int n, int l, int k, double *C)
{
    for (int i = 0; i < n; i++) {
        double *row = C + (size_t)i * (size_t)k;
        for (int j = 0; j < k; j++) row[j] = 0.0;
        for (int p = 0; p < l; p++) {
            double        f = A[i * l + p];
            const double *b = B + (size_t)p * (size_t)k;
            for (int j = 0; j < k; j++) row[j] += f * b[j];
        }
    }
}

static void add_bodies(const kl_model *m, kl_work *w, kl_matrix *x, kl_weights c, const double *a,
                       const double *dx)
{
    int     n2 = x->most_nv * x->most_nv;
    double *D = x->dense, *MD = D + n2, *C = MD + n2;
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        const void    *k = w->cache + b->cache;
        int            n = b->nv;
        if (n == 0) continue;
        bool turned = dx && b->type->increment;
        if (turned) b->type->increment(b->data, dx + b->v, D);
        const double *M = w->M + b->M;
        if (turned) {
            multiply(M, D, n, n, n, MD);
            M = MD;
        }
        add_dense(x, x->body_slot[i], c.mass, M, n, n);
        if (c.stiffness == 0.0 && c.damping == 0.0) continue;
        if (b->type->inertia_tangent && a) {
            /* gravity is an acceleration of the frame: M (a - gravity) */
            double *free = x->scratch, *K = MD;
            kl_body_without_gravity(m, b, a, free);
            b->type->inertia_tangent(b->data, k, free, K, C);
            add_dense(x, x->body_slot[i], c.stiffness, K, n, n);
            if (turned) {
                multiply(C, D, n, n, n, K);
                memcpy(C, K, (size_t)(n * n) * sizeof *C);
            }
            add_dense(x, x->body_slot[i], c.damping, C, n, n);
        }
        if (b->type->own_force) {
            double *K = MD;
            memset(K, 0, (size_t)(n * n) * sizeof *K);
            memset(C, 0, (size_t)(n * n) * sizeof *C);
            b->type->own_force(b->data, k, x->scratch, K, C);
            add_dense(x, x->body_slot[i], -c.stiffness, K, n, n);
            add_dense(x, x->body_slot[i], -c.damping, C, n, n);
        }
    }
}

/* B and Q = stiffness W + damping B D of all element markers */
static void fill_maps(const kl_model *m, kl_work *w, kl_matrix *x, kl_weights c, const double *dx)
{
    double *D = x->dense, *BD = D + x->most_nv * x->most_nv;
    for (int i = 0; i < m->nmarker_elements; i++) {
        const kl_marker *k = &m->marker[i];
        const kl_body   *b = &m->body[k->body];
        double          *B = x->B + x->map[i], *Q = x->Q + x->map[i];
        if (b->nv == 0) continue;
        b->type->map(b->data, w->cache + b->cache, k, B);
        if (c.stiffness == 0.0 && c.damping == 0.0) continue;
        b->type->map_rate(b->data, w->cache + b->cache, k, Q);
        const double *by = B;
        if (dx && b->type->increment) {
            b->type->increment(b->data, dx + b->v, D);
            multiply(B, D, 6, b->nv, b->nv, BD);
            by = BD;
        }
        for (int j = 0; j < 6 * b->nv; j++) Q[j] = c.stiffness * Q[j] + c.damping * by[j];
    }
}

/* rows B into (constraints, bodies) and its transpose */
static void add_rows(const kl_model *m, const kl_work *w, kl_matrix *x, int index)
{
    const kl_element *e    = &m->element[index];
    element_slots    *s    = &x->slots[index];
    int               wide = 6 * e->nmarker;
    for (int j = 0; j < e->nmarker; j++) {
        int            marker = e->marker + j;
        const kl_body *b      = &m->body[m->marker[marker].body];
        const double  *B      = x->B + x->map[marker];
        for (int k = 0; b->nv && k < e->nphi; k++) {
            const double *row = w->rows + e->rows + (size_t)k * (size_t)wide + 6 * (size_t)j;
            double       *T   = x->values + s->column[j * e->nphi + k];
            for (int c = 0; c < b->nv; c++) {
                double v = 0.0;
                for (int p = 0; p < 6; p++) v += row[p] * B[p * b->nv + c];
                x->values[s->row[j * x->most_nv + c] + k] += v;
                T[c] += v;
            }
        }
    }
}

/* T (6 x nv) = stiffness K_ij B_j + C_ij Q_j, where K, C are 6 x 6 blocks of matrices with `wide`
 * columns */
static void pair_columns(const double *K, const double *C, int wide, double stiffness,
                         const double *B, const double *Q, int nv, double *T)
{
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < nv; c++) {
            double v = 0.0;
            for (int p = 0; p < 6; p++)
                v += stiffness * K[r * wide + p] * B[p * nv + c] + C[r * wide + p] * Q[p * nv + c];
            T[r * nv + c] = v;
        }
}

static void add_tangent(const kl_model *m, const kl_state *s, kl_work *w, kl_matrix *x, int index,
                        kl_weights c, const double *lambda)
{
    const kl_element *e    = &m->element[index];
    element_slots    *slot = &x->slots[index];
    int               wide = 6 * e->nmarker, nz = e->nz;
    size_t            square = (size_t)wide * (size_t)wide;
    kl_slopes         t      = {.K = x->slopes, .C = x->slopes + square};
    t.wz = t.C + square, t.zk = t.wz + wide * nz, t.zc = t.zk + wide * nz, t.zz = t.zc + wide * nz;
    memset(x->slopes, 0, (size_t)slopes_size(e) * sizeof(double));

    double        none[64] = {0};
    kl_reading    in       = kl_reading_of(m, s, w, e);
    const double *l        = lambda ? lambda + e->phi : none;
    if (e->nphi > 64 && !lambda) return; /* no multipliers: nothing but rows */
    if (e->type->tangent) e->type->tangent(&in, l, &t);
    else kl_difference_slopes(m, e, &in, l, NULL, x->room, &t);

    double *T = x->dense;
    for (int i = 0; i < e->nmarker; i++) {
        const kl_body *bi = &m->body[body_of(m, e, i)];
        const double  *Bi = x->B + x->map[e->marker + i];
        if (bi->nv == 0) continue;
        for (int j = 0; j < e->nmarker; j++) {
            const kl_body *bj = &m->body[body_of(m, e, j)];
            if (bj->nv == 0 || (!couples(x, e) && bi != bj)) continue;
            const int *where = slot->body + (i * e->nmarker + j) * x->most_nv;
            pair_columns(t.K + 6 * i * wide + 6 * j, t.C + 6 * i * wide + 6 * j, wide, c.stiffness,
                         x->B + x->map[e->marker + j], x->Q + x->map[e->marker + j], bj->nv, T);
            for (int cc = 0; cc < bj->nv; cc++) {
                double *column = x->values + where[cc];
                for (int r = 0; r < bi->nv; r++) {
                    double v = 0.0;
                    for (int p = 0; p < 6; p++) v += Bi[p * bi->nv + r] * T[p * bj->nv + cc];
                    column[r] -= v;
                }
            }
        }
        /* d(B' total)/dx at fixed wrench */
        double *G = x->dense;
        memset(G, 0, (size_t)(bi->nv * bi->nv) * sizeof *G);
        bi->type->add_geometric(bi->data, w->cache + bi->cache, &m->marker[e->marker + i],
                                w->total + 6 * (size_t)(e->marker + i), G);
        add_dense(x, x->body_slot[body_of(m, e, i)], -c.stiffness, G, bi->nv, bi->nv);

        for (int k = 0; k < nz; k++)
            for (int r = 0; r < bi->nv; r++) {
                double by_z = 0.0, by_x = 0.0;
                for (int p = 0; p < 6; p++) {
                    by_z += Bi[p * bi->nv + r] * t.wz[(6 * i + p) * nz + k];
                    by_x +=
                        c.stiffness * t.zk[k * wide + 6 * i + p] * Bi[p * bi->nv + r] +
                        t.zc[k * wide + 6 * i + p] * x->Q[x->map[e->marker + i] + p * bi->nv + r];
                }
                x->values[slot->wz[i * nz + k] + r] -= by_z;
                x->values[slot->zk[i * x->most_nv + r] + k] -= by_x;
            }
    }
    for (int k = 0; k < nz; k++)
        for (int r = 0; r < nz; r++) x->values[slot->zz[k] + r] -= t.zz[r * nz + k];
}

/* What a diagonal too small to scale by is taken for: the geometric mean of the others. */
static double typical_diagonal(const double *diagonal, const bool *massless, int n)
{
    double sum   = 0.0;
    int    count = 0;
    for (int c = 0; c < n; c++)
        if (diagonal[c] > 0.0 && !massless[c]) sum += log(diagonal[c]), count++;
    return count ? exp(sum / count) : 1.0;
}

/* Unit diagonal for the bodies, unit rows for the constraints: then eps means something. */
static void find_scale(kl_matrix *x)
{
    const kl_pattern *p    = &x->p;
    const double      tiny = 1e-12;
    int               n    = x->nv + x->nz;
    double            most = 0.0, least = HUGE_VAL;
    for (int c = 0; c < n; c++) {
        x->scale[c] = fabs(x->values[x->diagonal[c]]);
        if (x->massless[c]) continue;
        most  = fmax(most, x->scale[c]);
        least = fmin(least, x->scale[c]);
    }
    bool   fine    = least > tiny * most && !x->any_massless;
    double typical = fine ? least : typical_diagonal(x->scale, x->massless, n);
    for (int c = 0; c < n; c++) {
        bool good   = x->scale[c] > tiny * typical && !x->massless[c];
        x->scale[c] = 1.0 / sqrt(good ? x->scale[c] : typical);
    }
    for (int k = 0; k < x->nlam; k++) {
        double square = 0.0;
        for (int i = p->start[n + k]; i < p->start[n + k + 1]; i++) {
            double v = p->row[i] < x->nv ? x->values[i] * x->scale[p->row[i]] : 0.0;
            square += v * v;
        }
        x->scale[n + k] = square > 0.0 ? 1.0 / sqrt(square) : 1.0;
    }
}

static kl_status scale_and_factor(kl_matrix *x)
{
    const kl_pattern *p = &x->p;
    if (p->n == 0) return KL_OK;
    find_scale(x);
    for (int c = 0; c < p->n; c++)
        for (int i = p->start[c]; i < p->start[c + 1]; i++)
            x->values[i] *= x->scale[c] * x->scale[p->row[i]];
    for (int k = 0; k < x->nlam; k++) x->values[x->eps_slot[k]] = -x->eps;
    return kl_lu_factor(x->lu, x->values);
}

kl_status kl_matrix_factor(const kl_model *m, const kl_state *s, kl_work *w, kl_matrix *x,
                           kl_weights c, const double *a, const double *lambda, const double *dx)
{
    memset(x->values, 0, (size_t)x->p.nnz * sizeof(double));
    /* what a reaction does to the diagonal of a massless body says nothing about its size */
    x->any_massless = false;
    for (int i = 0; i < m->nbody; i++)
        for (int k = 0, n = m->body[i].nv; k < n; k++) {
            bool none = m->body[i].own || w->M[m->body[i].M + k * (n + 1)] == 0.0;
            x->massless[m->body[i].v + k] = none;
            x->any_massless |= none;
        }
    add_bodies(m, w, x, c, a, dx);
    fill_maps(m, w, x, c, dx);
    bool tangents = c.stiffness != 0.0 || c.damping != 0.0;
    for (int i = 0; i < m->nelement; i++) {
        add_rows(m, w, x, i);
        if (tangents) add_tangent(m, s, w, x, i, c, lambda);
    }
    for (int i = 0; i < m->nelement; i++)
        for (int k = 0; k < m->element[i].nz; k++) x->values[x->slots[i].zz[k] + k] += c.state;
    return scale_and_factor(x);
}

/* What assembly pays for moving velocity coordinate k, squared. */
static double weight_of(const kl_model *m, int k)
{
    double length = m->length / m->unit[k];
    return m->weight ? m->weight[k] : length * length;
}

kl_status kl_matrix_factor_projection(const kl_model *m, kl_work *w, kl_matrix *x,
                                      const unsigned char *held)
{
    memset(x->values, 0, (size_t)x->p.nnz * sizeof(double));
    x->any_massless = false;
    for (int i = 0; i < m->nbody; i++)
        for (int k = 0; k < m->body[i].nv; k++) {
            x->massless[m->body[i].v + k] = m->body[i].own;
            x->any_massless |= m->body[i].own;
        }
    fill_maps(m, w, x, (kl_weights){0}, NULL);
    for (int i = 0; i < m->nelement; i++) add_rows(m, w, x, i);
    for (int i = 0; i < m->nelement; i++)
        for (int k = 0; k < m->element[i].nz; k++) x->values[x->slots[i].zz[k] + k] = 1.0;

    /* a held velocity or position has no column and no row in Phi_q */
    for (int c = 0; held && c < x->p.n; c++)
        for (int i = x->p.start[c]; i < x->p.start[c + 1]; i++) {
            int r = x->p.row[i];
            if ((c < x->nv && held[c]) || (r < x->nv && held[r])) x->values[i] = 0.0;
        }
    for (int i = 0; i < m->nbody; i++)
        for (int k = 0; k < m->body[i].nv; k++)
            x->values[x->body_slot[i][k] + k] = weight_of(m, m->body[i].v + k);
    return scale_and_factor(x);
}

/* ---- solving --------------------------------------------------------------------------------- */

kl_status kl_matrix_solve(const kl_matrix *x, double *y)
{
    if (x->p.n == 0) return KL_OK;
    for (int i = 0; i < x->p.n; i++) y[i] *= x->scale[i];
    KL_TRY(kl_lu_solve(x->lu, y));
    for (int i = 0; i < x->p.n; i++) y[i] *= x->scale[i];
    return KL_OK;
}

/* Largest change over the largest value. */
static double moved(const double *old, const double *new, int n)
{
    double change = 0.0, size = 1e-300;
    for (int i = 0; i < n; i++) {
        change = fmax(change, fabs(new[i] - old[i]));
        size   = fmax(size, fabs(new[i]));
    }
    return change / size;
}

/* (K - eps) y_k+1 = rhs - eps lambda_k: the proximal point iteration towards eps = 0.
 *
 * Along a direction that no body feels (redundant loops, singular positions) the right-hand side
 * holds only errors r, and each pass adds the same r/eps: lambda_k = lambda + k r/eps. When the
 * change no longer shrinks, that is all that is left of it, and taking k times the last change back
 * gives the smallest multipliers. */
static kl_status proximal(kl_matrix *x, double *y, int most, double enough)
{
    int     n = x->p.n, first = x->nv + x->nz;
    double *rhs = x->scratch, *old = rhs + n, last = HUGE_VAL;
    x->moved = 0.0;
    if (n == 0) return KL_OK;
    for (int i = 0; i < n; i++) rhs[i] = y[i] * x->scale[i];
    for (int pass = 1; pass <= most; pass++) {
        memcpy(y, rhs, (size_t)n * sizeof *y);
        for (int i = first; pass > 1 && i < n; i++) y[i] -= x->eps * old[i];
        KL_TRY(kl_lu_solve(x->lu, y));
        if (pass > 1) x->moved = moved(old, y, first);
        if (pass == most) break;
        double change = 0.0, size = 0.0;
        for (int i = first; i < n; i++) {
            double d = fabs(pass > 1 ? y[i] - old[i] : y[i]), a = fabs(y[i]);
            change = d > change ? d : change;
            size   = a > size ? a : size;
            if (!(d <= 1e300)) return KL_E_SINGULAR;
        }
        if (change <= enough * size + 1e-300) break;
        if (pass > 2 && change > 0.5 * last) {
            for (int i = first; i < n; i++) y[i] -= pass * (y[i] - old[i]);
            break;
        }
        last = change;
        memcpy(old, y, (size_t)n * sizeof *y);
    }
    for (int i = 0; i < n; i++) y[i] *= x->scale[i];
    return KL_OK;
}

kl_status kl_matrix_solve_exact(kl_matrix *x, double *y) { return proximal(x, y, 30, 1e-12); }

kl_status kl_matrix_solve_passes(kl_matrix *x, double *y, int passes)
{
    return proximal(x, y, passes, 1e-14);
}

void kl_matrix_rows_times(const kl_model *m, const kl_work *w, const kl_matrix *x, const double *u,
                          double *out)
{
    memset(out, 0, (size_t)m->nlam * sizeof *out);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e    = &m->element[i];
        size_t            wide = 6 * (size_t)e->nmarker;
        for (int j = 0; e->nphi > 0 && j < e->nmarker; j++) {
            const kl_body *b        = &m->body[body_of(m, e, j)];
            const double  *B        = x->B + x->map[e->marker + j];
            double         speed[6] = {0};
            for (int p = 0; p < 6; p++)
                for (int c = 0; c < b->nv; c++) speed[p] += B[p * b->nv + c] * u[b->v + c];
            for (int k = 0; k < e->nphi; k++) {
                const double *row = w->rows + e->rows + (size_t)k * wide + 6 * (size_t)j;
                for (int p = 0; p < 6; p++) out[e->phi + k] += row[p] * speed[p];
            }
        }
    }
}

int           kl_matrix_size(const kl_matrix *x) { return x->p.n; }
int           kl_matrix_nonzeros(const kl_matrix *x) { return x->p.nnz; }
const kl_lu  *kl_matrix_lu(const kl_matrix *x) { return x->lu; }
const double *kl_matrix_scale(const kl_matrix *x) { return x->scale; }

double kl_matrix_eps(const kl_matrix *x, int k)
{
    double e = x->scale[x->nv + x->nz + k];
    return x->eps / (e * e);
}

double kl_matrix_weakness(const kl_matrix *x) { return x->moved; }

void kl_matrix_soften(kl_matrix *x, double factor) { x->eps = factor * usual_eps; }

void kl_matrix_forget(kl_matrix *x)
{
    if (x->lu) kl_lu_forget(x->lu);
}
