/* What bodies and elements add to the matrix of the linearised equations. */
#include "dynamics/assembler_parts.h"

#include <assert.h>
#include <string.h>

#include "dynamics/element_mass.h"
#include "dynamics/slopes.h"
#include "model/groups.h"

/* ---- bodies ---- */

/* values(block) += scale * D, D row-major nrow x ncol, through column slots */
static void add_dense(kl_assembler *x, const int *slot, double scale, const double *D, int nrow,
                      int ncol)
{
    for (int c = 0; c < ncol; c++) {
        double *column = x->values + slot[c];
        for (int r = 0; r < nrow; r++) column[r] += scale * D[r * ncol + c];
    }
}

void kl_add_body(const kl_model *m, kl_work *w, kl_assembler *x, int i, kl_weights c,
                 const double *a, const double *dx)
{
    const kl_body *b  = &m->body[i];
    const void    *k  = w->cache + b->cache;
    int            n  = b->nv;
    size_t         n2 = (size_t)n * (size_t)n;
    double        *K = x->dense, *C = K + n2;
    const double  *step = dx && b->type->carry ? dx + b->v : NULL;
    if (n == 0) return;

    /* rows of M D = D' times the rows of M */
    const double *M = w->M + b->M;
    if (step && c.mass != 0.0) {
        memcpy(K, M, n2 * sizeof *K);
        b->type->carry(b->data, step, true, K, n);
        M = K;
    }
    if (c.mass != 0.0) add_dense(x, x->body_slot[i], c.mass, M, n, n);
    if (c.stiffness == 0.0 && c.damping == 0.0) return;
    if (b->type->inertia_tangent && a) {
        /* gravity is an acceleration of the frame: M (a - gravity) */
        kl_body_without_gravity(m, b, a, x->vector);
        b->type->inertia_tangent(b->data, k, x->vector, K, C);
        add_dense(x, x->body_slot[i], c.stiffness, K, n, n);
        if (step) b->type->carry(b->data, step, true, C, n);
        add_dense(x, x->body_slot[i], c.damping, C, n, n);
    }
    if (b->type->own_force) {
        memset(K, 0, 2 * n2 * sizeof *K);
        b->type->own_force(b->data, k, x->vector, K, C);
        add_dense(x, x->body_slot[i], -c.stiffness, K, n, n);
        if (step) b->type->carry(b->data, step, true, C, n);
        add_dense(x, x->body_slot[i], -c.damping, C, n, n);
    }
}

/* ---- elements ---- */

/* Is B that of a point, [I; 0]? */
static bool is_plain(const double *B, int nv)
{
    for (int i = 0; nv == 3 && i < 18; i++)
        if (B[i] != (i == 0 || i == 4 || i == 8)) return false;
    return nv == 3;
}

/* B and Q = stiffness d(Bv)/dx + damping B D of all element markers */
void kl_fill_map(const kl_model *m, const kl_work *w, kl_assembler *x, int i, kl_weights c,
                 const double *dx)
{
    const kl_marker *k = &m->marker[i];
    const kl_body   *b = &m->body[k->body];
    double          *B = x->B + x->map[i], *Q = x->Q + x->map[i], *BD = x->dense;
    if (b->nv == 0) return;
    b->type->map(b->data, w->cache + b->cache, k, B);
    x->plain[i] = is_plain(B, b->nv);
    if (c.stiffness == 0.0 && c.damping == 0.0) return;
    if (c.stiffness != 0.0) b->type->map_rate(b->data, w->cache + b->cache, k, Q);
    if (c.damping == 0.0 && c.stiffness == 1.0) return;
    memcpy(BD, B, 6 * (size_t)b->nv * sizeof *BD);
    if (dx && b->type->carry) b->type->carry(b->data, dx + b->v, true, BD, 6);
    for (int j = 0; j < 6 * b->nv; j++)
        Q[j] = (c.stiffness != 0.0 ? c.stiffness * Q[j] : 0.0) + c.damping * BD[j];
}

static void fill_maps(const kl_model *m, const kl_work *w, kl_assembler *x, kl_weights c,
                      const double *dx)
{
    for (int i = 0; i < m->nmarker_elements; i++) kl_fill_map(m, w, x, i, c, dx);
}

/* rows B into (constraints, bodies) and its transpose */
static void add_rows(const kl_model *m, const kl_work *w, kl_assembler *x, int index)
{
    const kl_element       *e    = &m->element[index];
    const kl_element_slots *s    = &x->slots[index];
    int                     wide = 6 * e->nmarker;
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
                x->values[s->row[j * s->most + c] + k] += v;
                T[c] += v;
            }
        }
    }
}

/* T (6 x nv) = stiffness K_ij B_j + C_ij Q_j, where K, C are 6 x 6 blocks of matrices with `wide`
 * columns */
static inline void add_pair(const double *K, const double *C, int wide, double stiffness,
                            const double *B, const double *Q, int nv, double *T)
{
    for (int r = 0; r < 6; r++)
        for (int p = 0; p < 6; p++) {
            double        k = stiffness * K[r * wide + p], d = C[r * wide + p];
            const double *b = B + p * nv, *q = Q + p * nv;
            if (k == 0.0 && d == 0.0) continue;
            for (int c = 0; c < nv; c++) T[r * nv + c] += k * b[c] + d * q[c];
        }
}

static void pair_columns(const double *K, const double *C, int wide, double stiffness,
                         const double *B, const double *Q, int nv, double *T)
{
    memset(T, 0, 6 * (size_t)nv * sizeof *T);
    /* rigid bodies are most of a vehicle: loops of known length are twice as fast */
    if (nv == 6) add_pair(K, C, wide, stiffness, B, Q, 6, T);
    else add_pair(K, C, wide, stiffness, B, Q, nv, T);
}

/* block -= B' T, T 6 x ncol, through column slots */
static inline void pull_columns(double *values, const int *slot, const double *B, int nrow,
                                const double *T, int ncol)
{
    for (int c = 0; c < ncol; c++) {
        double *column = values + slot[c];
        for (int p = 0; p < 6; p++) {
            double t = T[p * ncol + c];
            if (t == 0.0) continue;
            for (int r = 0; r < nrow; r++) column[r] -= B[p * nrow + r] * t;
        }
    }
}

static void pull_back(kl_assembler *x, const int *slot, const double *B, int nrow, const double *T,
                      int ncol)
{
    if (nrow == 6 && ncol == 6) pull_columns(x->values, slot, B, 6, T, 6);
    else pull_columns(x->values, slot, B, nrow, T, ncol);
}

/* Which columns of marker space the bodies of an element can move: rows of B or Q that are not
 * zero. */
static void find_wanted(const kl_model *m, kl_assembler *x, const kl_element *e)
{
    for (int j = 0; j < e->nmarker; j++) {
        int           nv = m->body[kl_body_of(m, e, j)].nv, at = x->map[e->marker + j];
        const double *B = x->B + at, *Q = x->Q + at;
        for (int p = 0; p < 6; p++) {
            bool moves = false;
            for (int c = 0; c < nv; c++) moves |= B[p * nv + c] != 0.0 || Q[p * nv + c] != 0.0;
            x->wanted[6 * j + p] = moves;
        }
    }
}

kl_slopes kl_slopes_of(const kl_model *m, const kl_state *s, const kl_work *w, kl_assembler *x,
                       const kl_element *e, const double *lambda)
{
    size_t    wide = 6 * (size_t)e->nmarker, nz = (size_t)e->nz;
    kl_slopes t = {.K = x->slopes, .C = x->slopes + wide * wide};
    t.wz = t.C + wide * wide, t.zk = t.wz + wide * nz, t.zc = t.zk + wide * nz;
    t.zz = t.zc + wide * nz;
    memset(x->slopes, 0, kl_slopes_size(e) * sizeof(double));
    kl_reading    in = kl_reading_of(m, s, w, e);
    const double *l  = lambda ? lambda + e->phi : x->none;
    if (e->type->tangent) {
        e->type->tangent(&in, l, &t);
    } else {
        find_wanted(m, x, e);
        kl_difference_slopes(m, e, &in, l, x->wanted, x->room, &t);
    }
    return t;
}

/* States of an element: how they act on the body of marker i and how that body acts on them. */
static void add_states(kl_assembler *x, const kl_element *e, const kl_element_slots *slot,
                       const kl_slopes *t, int i, const double *B, const double *Q, int nv,
                       double stiffness, double state)
{
    int wide = 6 * e->nmarker, nz = e->nz;
    for (int k = 0; k < nz; k++)
        for (int r = 0; r < nv; r++) {
            double by_z = 0.0, by_x = 0.0;
            for (int p = 0; p < 6; p++) {
                by_z += B[p * nv + r] * t->wz[(6 * i + p) * nz + k];
                by_x += stiffness * t->zk[k * wide + 6 * i + p] * B[p * nv + r] +
                        t->zc[k * wide + 6 * i + p] * Q[p * nv + r];
            }
            x->values[slot->wz[i * nz + k] + r] -= state * by_z;
            x->values[slot->zk[i * slot->most + r] + k] -= by_x;
        }
}

/* d(B' total)/dx at fixed wrench */
static void add_geometric(const kl_model *m, const kl_work *w, kl_assembler *x, int marker,
                          double scale)
{
    int            i = m->marker[marker].body;
    const kl_body *b = &m->body[i];
    memset(x->dense, 0, (size_t)(b->nv * b->nv) * sizeof *x->dense);
    b->type->add_geometric(b->data, w->cache + b->cache, &m->marker[marker],
                           w->total + 6 * (size_t)marker, x->dense);
    add_dense(x, x->body_slot[i], -scale, x->dense, b->nv, b->nv);
}

/* block -= scale Bi' K Bj with the 3 x 3 block K of a matrix with n columns and the translations of the
 * maps */
static void pull_block(kl_assembler *x, const int *slot, double scale, const double *K, int n,
                       const double *Bi, int ni, const double *Bj, int nj)
{
    for (int c = 0; c < nj; c++) {
        double *column = x->values + slot[c], t[3];
        for (int p = 0; p < 3; p++)
            t[p] = scale *
                   (K[p * n] * Bj[c] + K[p * n + 1] * Bj[nj + c] + K[p * n + 2] * Bj[2 * nj + c]);
        for (int r = 0; r < ni; r++)
            column[r] -= Bi[r] * t[0] + Bi[ni + r] * t[1] + Bi[2 * ni + r] * t[2];
    }
}

/* block -= scale K over all pairs of markers, K (3 nmarker)^2 by rows; for other bodies than points
 * -= Bi' K J with the maps J of the columns times `mapped`. */
static void add_blocks(const kl_model *m, kl_assembler *x, int index, double scale, double mapped,
                       const double *J)
{
    const kl_element       *e    = &m->element[index];
    const kl_element_slots *slot = &x->slots[index];
    int                     n    = 3 * e->nmarker;
    for (int i = 0; i < e->nmarker; i++) {
        int            mi = e->marker + i;
        const kl_body *bi = &m->body[m->marker[mi].body];
        for (int j = 0; bi->nv > 0 && j < e->nmarker; j++) {
            int            mj = e->marker + j;
            const kl_body *bj = &m->body[m->marker[mj].body];
            const double  *K  = x->slopes + (size_t)(3 * i * n + 3 * j);
            const int     *at = slot->body + (i * e->nmarker + j) * slot->most;
            if (bj->nv == 0) continue;
            if (x->plain[mi] && x->plain[mj]) {
                for (int c = 0; c < 3; c++)
                    for (int r = 0; r < 3; r++) x->values[at[c] + r] -= scale * K[r * n + c];
            } else {
                pull_block(x, at, mapped, K, n, x->B + x->map[mi], bi->nv, J + x->map[mj], bj->nv);
            }
        }
    }
}

/* The tangent of an element whose forces follow from positions and velocities alone; most of its bodies
 * are points. */
static void add_stiffness(const kl_model *m, const kl_state *s, const kl_work *w, kl_assembler *x,
                          int index, kl_weights c)
{
    const kl_element *e  = &m->element[index];
    kl_reading        in = kl_reading_of(m, s, w, e);
    if (e->type->damping && e->type->damping(&in, x->slopes))
        add_blocks(m, x, index, c.damping, 1.0, x->Q);
    if (c.stiffness == 0.0) return;
    e->type->stiffness(&in, x->slopes);
    add_blocks(m, x, index, c.stiffness, c.stiffness, x->B);
    for (int i = 0; i < e->nmarker; i++) {
        int mi = e->marker + i;
        if (!x->plain[mi] && m->body[m->marker[mi].body].nv > 0)
            add_geometric(m, w, x, mi, c.stiffness);
    }
}

/* Block (body of marker i, body of marker j) of a link; slots are looked up. */
static void add_link_block(const kl_model *m, kl_assembler *x, const kl_element *e, int i, int j,
                           const double *K, const double *C, int wide, double stiffness)
{
    const kl_body *bi = &m->body[kl_body_of(m, e, i)], *bj = &m->body[kl_body_of(m, e, j)];
    int            at = x->map[e->marker + i], jt = x->map[e->marker + j];
    if (bi->nv == 0 || bj->nv == 0) return;
    for (int c = 0; c < bj->nv; c++) x->link_slot[c] = kl_pattern_slot(&x->p, bi->v, bj->v + c);
    if (x->link_slot[0] < 0) return; /* not in the pattern: Newton does without it */
    pair_columns(K, C, wide, stiffness, x->B + jt, x->Q + jt, bj->nv, x->dense);
    pull_back(x, x->link_slot, x->B + at, bi->nv, x->dense, bj->nv);
}

static void add_links(const kl_model *m, const kl_state *s, kl_work *w, kl_assembler *x,
                      const kl_element *e, kl_weights c)
{
    kl_reading in = kl_reading_of(m, s, w, e);
    kl_link    link;
    for (int k = 0; k < KL_MOST_LINKS && e->type->link(&in, k, &link); k++) {
        int       wide = 6 * link.n;
        kl_slopes t    = {.K = x->slopes, .C = x->slopes + wide * wide};
        memset(x->slopes, 0, 2 * (size_t)(wide * wide) * sizeof(double));
        e->type->link_tangent(&in, k, &t);
        for (int a = 0; a < link.n; a++)
            for (int b = 0; b < link.n; b++)
                add_link_block(m, x, e, link.marker[a], link.marker[b], t.K + 6 * a * wide + 6 * b,
                               t.C + 6 * a * wide + 6 * b, wide, c.stiffness);
    }
    for (int i = 0; i < e->nmarker; i++) {
        const double *total = w->total + 6 * (size_t)(e->marker + i);
        bool          any   = false;
        for (int p = 0; p < 6; p++) any |= total[p] != 0.0;
        if (any && c.stiffness != 0.0 && m->body[kl_body_of(m, e, i)].nv > 0)
            add_geometric(m, w, x, e->marker + i, c.stiffness);
    }
}

/* Tangent of one element. Its wrenches w_i (6 numbers, on marker i) act on the velocities of body i as
 * g_i = B_i' w_i, where B_i maps velocities of the body to the twist of the marker. The residual of the
 * equations of motion is M v' - g + ..., so every part enters the matrix with a minus sign:
 *
 *   -B_i' (stiffness K_ij B_j + C_ij Q_j)     K = dw/d(position of marker j), C = dw/d(its twist)
 *   -stiffness dB_i'/dx w_i                   geometric part, at fixed wrench
 *   -B_i' dw_i/dz, -df/dx, -df/dz             states z' = f of the element
 *
 * with Q_j = stiffness d(B_j v)/dx + damping B_j D from fill_maps. Constraint forces are part of w,
 * with the multipliers `lambda` at their present values. `state`: 0 leaves out the parts of the last line
 * that have neither weight. */
void kl_spread_slopes(const kl_model *m, const kl_work *w, kl_assembler *x, int index, kl_weights c,
                      const kl_slopes *t, double state)
{
    const kl_element       *e    = &m->element[index];
    const kl_element_slots *slot = &x->slots[index];
    int                     wide = 6 * e->nmarker, nz = e->nz;
    for (int i = 0; i < e->nmarker; i++) {
        const kl_body *bi = &m->body[kl_body_of(m, e, i)];
        int            at = x->map[e->marker + i];
        const double  *Bi = x->B + at;
        if (bi->nv == 0) continue; /* the ground has no equations */
        for (int j = 0; j < e->nmarker; j++) {
            const kl_body *bj = &m->body[kl_body_of(m, e, j)];
            /* pure constraints couple bodies through their rows; the pattern may omit these blocks */
            if (bj->nv == 0 || (!kl_assembler_couples(x, e) && bi != bj)) continue;
            int jt = x->map[e->marker + j];
            pair_columns(t->K + 6 * i * wide + 6 * j, t->C + 6 * i * wide + 6 * j, wide,
                         c.stiffness, x->B + jt, x->Q + jt, bj->nv, x->dense);
            pull_back(x, slot->body + (i * e->nmarker + j) * slot->most, Bi, bi->nv, x->dense,
                      bj->nv);
        }
        if (c.stiffness != 0.0) add_geometric(m, w, x, e->marker + i, c.stiffness);
        add_states(x, e, slot, t, i, Bi, x->Q + at, bi->nv, c.stiffness, state);
    }
    /* stored by columns, zz by rows; kl_assemble_matrix adds state I */
    for (int k = 0; k < nz; k++)
        for (int r = 0; r < nz; r++) x->values[slot->zz[k] + r] -= state * t->zz[r * nz + k];
}

static void add_tangent(const kl_model *m, const kl_state *s, kl_work *w, kl_assembler *x,
                        int index, kl_weights c, const double *lambda)
{
    kl_slopes t = kl_slopes_of(m, s, w, x, &m->element[index], lambda);
    kl_spread_slopes(m, w, x, index, c, &t, 1.0);
}

/* mass m_ij Bi' Bj D over all pairs of markers, translations alone */
static void add_element_mass(const kl_model *m, kl_assembler *x, int index, double scale,
                             const double *dx)
{
    const kl_element       *e    = &m->element[index];
    const kl_element_slots *slot = &x->slots[index];
    const double           *mass = kl_element_mass(e);
    for (int j = 0; mass && j < e->nmarker; j++) {
        const kl_body *bj = &m->body[kl_body_of(m, e, j)];
        double        *BD = x->dense;
        if (bj->nv == 0) continue;
        memcpy(BD, x->B + x->map[e->marker + j], 3 * (size_t)bj->nv * sizeof *BD);
        if (dx && bj->type->carry) bj->type->carry(bj->data, dx + bj->v, true, BD, 3);
        for (int i = 0; i < e->nmarker; i++) {
            const kl_body *bi   = &m->body[kl_body_of(m, e, i)];
            double         k    = -scale * mass[i * e->nmarker + j];
            double         K[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
            if (bi->nv == 0) continue;
            pull_block(x, slot->body + (i * e->nmarker + j) * slot->most, 1.0, K, 3,
                       x->B + x->map[e->marker + i], bi->nv, BD, bj->nv);
        }
    }
}

/* All of one element, maps being filled. */
void kl_add_element(const kl_model *m, const kl_state *s, kl_work *w, kl_assembler *x, int index,
                    kl_weights c, const double *lambda, const double *dx, bool tangent)
{
    const kl_element *e = &m->element[index];
    add_rows(m, w, x, index);
    if (c.mass != 0.0) add_element_mass(m, x, index, c.mass, dx);
    if (!tangent) return;
    if (e->type->link) add_links(m, s, w, x, e, c);
    else if (!e->type->stiffness) add_tangent(m, s, w, x, index, c, lambda);
    else add_stiffness(m, s, w, x, index, c);
}

/* The matrix of one Newton step, unknowns (v, z, lambda):
 *
 *   [ mass M + tangents   -B' dw/dz        Phi_q' ]
 *   [ -df/d(x, v)         state I - df/dz  0      ]
 *   [ Phi_q               0                0      ]
 */
void kl_assemble_matrix(const kl_model *m, const kl_state *s, kl_work *w, kl_assembler *x,
                        kl_weights c, const double *a, const double *lambda, const double *dx)
{
    bool tangents = c.stiffness != 0.0 || c.damping != 0.0;
    assert(!tangents || x->coupling != KL_COUPLED_BY_MASS);
    memset(x->values, 0, (size_t)x->p.nnz * sizeof(double));
    for (int i = 0; i < m->nbody; i++) kl_add_body(m, w, x, i, c, a, dx);
    fill_maps(m, w, x, c, dx);
    for (int i = 0; i < m->nelement; i++) kl_add_element(m, s, w, x, i, c, lambda, dx, tangents);
    for (int k = 0; k < m->nz; k++) x->values[x->diagonal[m->nv + k]] += c.state;
}

void kl_assemble_rows(const kl_model *m, const kl_work *w, kl_assembler *x)
{
    memset(x->values, 0, (size_t)x->p.nnz * sizeof(double));
    fill_maps(m, w, x, (kl_weights){0}, NULL);
    for (int i = 0; i < m->nelement; i++) add_rows(m, w, x, i);
}
