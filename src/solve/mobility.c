#include "solve/mobility.h"

#include <math.h>
#include <string.h>

#include "algebra/rank.h"
#include "solve/words.h"

/* A pivot of the scaled rows below this counts as none. Assembly leaves gaps of 1e-10 at most, and
 * where it met a singular position its root: 1e-5 would hide real but flat mechanisms, 1e-9 would
 * take a singular position for a regular one. */
static const double rank_tolerance = 1e-7;

enum { MOST_TOLD = 24, MOST_PROBES = 24, MOST_EXTRA = 8, NATURAL_ORDER = 2500, MOST_REPEATS = 8 };

/* ---- the scaled rows of all elements ------------------------------------------------------- */

/* Rows of one element by the velocities of its bodies, lengths over the model's length, each row of
 * unit size. */
typedef struct element_rows {
    int     n, width; /* bodies, columns */
    int    *body, *at;
    double *values; /* nphi x width */
} element_rows;

typedef struct jacobian {
    kl_arena     *arena;
    element_rows *element;
    double       *column; /* nv: physical increment of a scaled unit */
    double       *row;    /* nlam: scaled row over physical row */
} jacobian;

/* Lengths over the model's length; an elastic coordinate by what it moves. */
static void scale_columns(const kl_model *m, const kl_work *w, jacobian *J, double *B)
{
    for (int i = 0; i < m->nbody; i++)
        for (int k = 0; k < m->body[i].nv; k++)
            J->column[m->body[i].v + k] = k < 3 ? m->length : k < 6 ? 1.0 : 0.0;
    for (int i = 0; i < m->nmarker_elements; i++) {
        const kl_body *b = &m->body[m->marker[i].body];
        if (b->nv <= 6) continue;
        b->type->map(b->data, w->cache + b->cache, &m->marker[i], B);
        for (int k = 6; k < b->nv; k++) {
            double size = hypot(hypot(B[k], B[b->nv + k]), B[2 * b->nv + k]);
            if (size > 0.0) J->column[b->v + k] = fmax(J->column[b->v + k], m->length / size);
        }
    }
    for (int i = 0; i < m->nv; i++)
        if (J->column[i] == 0.0) J->column[i] = 1.0;
}

static void list_bodies(const kl_model *m, const kl_element *e, kl_arena *arena, element_rows *r)
{
    r->body = kl_arena_array(arena, int, e->nmarker + 1);
    r->at   = kl_arena_array(arena, int, e->nmarker + 1);
    for (int i = 0; r->body && r->at && i < e->nmarker; i++) {
        int body = m->marker[e->marker + i].body, k = 0;
        if (m->body[body].nv == 0) continue;
        while (k < r->n && r->body[k] != body) k++;
        if (k < r->n) continue;
        r->body[r->n] = body;
        r->at[r->n++] = r->width;
        r->width += m->body[body].nv;
    }
}

static void fill_rows(const kl_model *m, const kl_work *w, const kl_element *e, jacobian *J,
                      element_rows *r, double *B)
{
    int wide = 6 * e->nmarker;
    for (int i = 0; i < e->nmarker; i++) {
        const kl_marker *marker = &m->marker[e->marker + i];
        const kl_body   *b      = &m->body[marker->body];
        int              k      = 0;
        if (b->nv == 0) continue;
        while (r->body[k] != marker->body) k++;
        b->type->map(b->data, w->cache + b->cache, marker, B);
        for (int p = 0; p < e->nphi; p++) {
            const double *row = w->rows + e->rows + (size_t)p * (size_t)wide + 6 * (size_t)i;
            double       *to  = r->values + (size_t)p * (size_t)r->width + r->at[k];
            for (int c = 0; c < b->nv; c++) {
                double sum = 0.0;
                for (int q = 0; q < 6; q++) sum += row[q] * B[q * b->nv + c];
                to[c] += sum * J->column[b->v + c];
            }
        }
    }
    for (int p = 0; p < e->nphi; p++) {
        double *row = r->values + (size_t)p * (size_t)r->width, sum = 0.0;
        for (int c = 0; c < r->width; c++) sum += row[c] * row[c];
        double scale       = sum > 0.0 ? 1.0 / sqrt(sum) : 1.0;
        J->row[e->phi + p] = scale;
        for (int c = 0; c < r->width; c++) row[c] *= scale;
    }
}

/* At the state last evaluated in `w`. */
static kl_status jacobian_create(const kl_model *m, const kl_work *w, jacobian *J)
{
    int most = 6;
    for (int i = 0; i < m->nbody; i++) most = m->body[i].nv > most ? m->body[i].nv : most;
    J->arena   = kl_arena_create();
    J->element = kl_arena_array(J->arena, element_rows, m->nelement + 1);
    J->column  = kl_arena_array(J->arena, double, m->nv + 1);
    J->row     = kl_arena_array(J->arena, double, m->nlam + 1);
    double *B  = kl_arena_array(J->arena, double, 6 * most);
    if (!kl_arena_ok(J->arena)) return KL_E_MEMORY;
    scale_columns(m, w, J, B);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        element_rows     *r = &J->element[i];
        if (e->nphi == 0) continue;
        list_bodies(m, e, J->arena, r);
        r->values = kl_arena_array(J->arena, double, (size_t)e->nphi *(size_t)r->width + 1);
        if (!kl_arena_ok(J->arena)) return KL_E_MEMORY;
        fill_rows(m, w, e, J, r, B);
    }
    return KL_OK;
}

/* Rank of Phi_q; the null space is that of velocities. */
static kl_status rank_by_bodies(const kl_model *m, const jacobian *J, kl_rank **out)
{
    int *size = kl_arena_array(J->arena, int, m->nbody + 1);
    for (int i = 0; size && i < m->nbody; i++) size[i] = m->body[i].nv;
    *out = size ? kl_rank_create(m->nbody, size) : NULL;
    if (!*out) return KL_E_MEMORY;
    for (int i = 0; i < m->nelement; i++) {
        const element_rows *r = &J->element[i];
        kl_rank_add(*out, m->element[i].nphi, r->n, r->body, r->values);
    }
    return kl_rank_eliminate(*out, rank_tolerance, false);
}

/* Rank of Phi_q'; the null space is that of multipliers. Taken in the order of the model where that
 * is affordable, so that it is the later of two rows that repeats the earlier. */
static kl_status rank_by_elements(const kl_model *m, const jacobian *J, kl_rank **out)
{
    kl_arena *scratch = kl_arena_create();
    int      *size    = kl_arena_array(scratch, int, m->nelement + 1);
    int      *touch   = kl_arena_array(scratch, int, m->nelement + 1);
    double   *T       = kl_arena_array(scratch, double, (size_t)m->nlam * 64 + 1);
    *out              = NULL;
    for (int i = 0; size && i < m->nelement; i++) size[i] = m->element[i].nphi;
    if (kl_arena_ok(scratch)) *out = kl_rank_create(m->nelement, size);

    /* elements of each body, as a list of starts */
    int *start = kl_arena_array(scratch, int, m->nbody + 2), total = 0;
    for (int i = 0; start && i < m->nelement; i++)
        for (int k = 0; k < J->element[i].n; k++) start[J->element[i].body[k] + 1]++, total++;
    int *list = kl_arena_array(scratch, int, total + 1);
    int *fill = kl_arena_array(scratch, int, m->nbody + 1);
    if (!*out || !kl_arena_ok(scratch)) {
        kl_arena_destroy(scratch);
        return KL_E_MEMORY;
    }
    for (int i = 0; i < m->nbody; i++) start[i + 1] += start[i], fill[i] = start[i];
    for (int i = 0; i < m->nelement; i++)
        for (int k = 0; k < J->element[i].n; k++) list[fill[J->element[i].body[k]]++] = i;

    for (int b = 0; b < m->nbody; b++) {
        int n = 0, width = 0, nv = m->body[b].nv;
        for (int k = start[b]; k < start[b + 1]; k++)
            touch[n++] = list[k], width += m->element[list[k]].nphi;
        double *block = nv <= 64 ? T : kl_arena_array(scratch, double, (size_t)nv *(size_t)width);
        if (!block) break;
        for (int k = 0, at = 0; k < n; k++) {
            const element_rows *r    = &J->element[touch[k]];
            int                 mine = 0, nphi = m->element[touch[k]].nphi;
            while (r->body[mine] != b) mine++;
            for (int p = 0; p < nphi; p++)
                for (int c = 0; c < nv; c++)
                    block[(size_t)c * (size_t)width + (size_t)(at + p)] =
                        r->values[(size_t)p * (size_t)r->width + (size_t)(r->at[mine] + c)];
            at += nphi;
        }
        if (n > 0) kl_rank_add(*out, nv, n, touch, block);
    }
    kl_status status = kl_arena_ok(scratch) ? KL_OK : KL_E_MEMORY;
    kl_arena_destroy(scratch);
    if (status != KL_OK) return status;
    return kl_rank_eliminate(*out, rank_tolerance, m->nlam <= NATURAL_ORDER);
}

/* ---- stepping along free directions ---------------------------------------------------------- */

/* Everything about one analysis. */
typedef struct analysis {
    kl_solver      *x;
    const kl_model *m;
    kl_mobility    *b;
    kl_arena       *scratch;
    double         *q0, *best_q; /* start; where the rank was highest of all that moved */
    double         *direction;   /* nprobe x nv: orthonormal in scaled units */
    double         *reached;     /* what was reached of each, the same */
    double         *dx, *column; /* increment; scale of the start */
    double         *row;
    int             nprobe, ndirection;
    int             best_rank, displaced_rank;
    bool            moved;
} analysis;

static double scaled_gap(const analysis *a)
{
    double worst = 0.0;
    for (int k = 0; k < a->m->nlam; k++) worst = fmax(worst, fabs(a->x->w->phi[k]) * a->row[k]);
    return worst;
}

kl_status kl_constraint_rank(const kl_solver *x, int *rank, double *least)
{
    jacobian  J      = {0};
    kl_rank  *r      = NULL;
    kl_status status = jacobian_create(x->model, x->w, &J);
    if (status == KL_OK) status = rank_by_bodies(x->model, &J, &r);
    if (status == KL_OK) *rank = kl_rank_value(r);
    if (status == KL_OK && least) *least = kl_rank_least(r);
    kl_rank_destroy(r);
    kl_arena_destroy(J.arena);
    return status;
}

/* Back onto the constraints with the least change; `reached` (scaled) follows. */
static kl_status assemble_again(analysis *a, double *reached)
{
    const kl_model *m = a->m;
    kl_solver      *x = a->x;
    for (int pass = 0; pass < 40 && scaled_gap(a) > 1e-13; pass++) {
        KL_TRY(kl_matrix_factor_projection(m, x->w, x->mass, NULL));
        memset(x->y, 0, (size_t)(m->nv + m->nz) * sizeof(double));
        for (int k = 0; k < m->nlam; k++) x->y[m->nv + m->nz + k] = -x->w->phi[k];
        KL_TRY(kl_matrix_solve(x->mass, x->y));
        double most = 0.0;
        for (int k = 0; k < m->nv; k++) {
            reached[k] += x->y[k] / a->column[k];
            most = fmax(most, fabs(x->y[k] / a->column[k]));
        }
        if (!(most < 1.0)) return KL_RETRY;
        memcpy(a->dx, x->y, (size_t)m->nv * sizeof(double));
        kl_model_advance(m, x->s->q, a->dx, x->s->q);
        kl_eval_motion(m, x->s, x->w);
        KL_TRY(kl_eval_elements(m, x->s, x->w));
        if (most < 1e-14) break;
    }
    return scaled_gap(a) < 1e-8 ? KL_OK : KL_RETRY;
}

/* Steps along `direction` (scaled, unit size), assembles again and looks at the rank. `reached` is
 * zero where it does not move. */
static kl_status probe_by(analysis *a, const double *direction, double step, double *reached)
{
    const kl_model *m    = a->m;
    kl_solver      *x    = a->x;
    double          most = 0.0;
    for (int k = 0; k < m->nv; k++) most = fmax(most, fabs(direction[k]));
    if (most == 0.0) return KL_OK;
    for (int k = 0; k < m->nv; k++) {
        reached[k] = step / most * direction[k];
        a->dx[k]   = reached[k] * a->column[k];
    }
    kl_model_advance(m, a->q0, a->dx, x->s->q);
    kl_eval_motion(m, x->s, x->w);
    kl_status status = kl_eval_elements(m, x->s, x->w);
    int       rank   = 0;
    if (status == KL_OK) KL_TRY(kl_constraint_rank(a->x, &rank, NULL));
    if (status == KL_OK && rank > a->displaced_rank) a->displaced_rank = rank;
    if (status == KL_OK) status = assemble_again(a, reached);
    if (status == KL_E_MEMORY) return status;

    double along = 0.0, size = 0.0;
    for (int k = 0; k < m->nv; k++) {
        reached[k] *= most / step; /* back to the unit size of the direction */
        along += reached[k] * direction[k];
        size += reached[k] * reached[k];
    }
    bool follows = status == KL_OK && along > 0.1 && size < 100.0;
    if (!follows) {
        memset(reached, 0, (size_t)m->nv * sizeof(double));
        return KL_OK;
    }
    KL_TRY(kl_constraint_rank(a->x, &rank, NULL));
    if (!a->moved || rank > a->best_rank) {
        a->best_rank = rank;
        memcpy(a->best_q, x->s->q, (size_t)m->nq * sizeof(double));
    }
    a->moved = true;
    return KL_OK;
}

/* A body that deforms may not come back from a long step: what did not move tries a short one. */
static kl_status probe(analysis *a, const double *direction, double *reached)
{
    double most = 0.0;
    KL_TRY(probe_by(a, direction, 0.02, reached));
    for (int k = 0; k < a->m->nv; k++) most = fmax(most, fabs(reached[k]));
    return most > 0.0 ? KL_OK : probe_by(a, direction, 0.001, reached);
}

static double dot(int n, const double *p, const double *q)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += p[i] * q[i];
    return sum;
}

/* v less its parts along the n rows of Q, to unit size; its size before that. */
static double orthonormalize(int nv, const double *Q, int n, double *v)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            const double *q = Q + (size_t)i * (size_t)nv;
            double        c = dot(nv, q, v);
            for (int k = 0; k < nv; k++) v[k] -= c * q[k];
        }
    double size = sqrt(dot(nv, v, v));
    for (int k = 0; size > 0.0 && k < nv; k++) v[k] /= size;
    return size;
}

/* A number in (-1, 1) that is the same on every machine. */
static double scatter(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

/* Bodies of elements whose rows depend on each other. */
static void mark_core(const kl_model *m, const jacobian *J, const kl_rank *by_elements,
                      double *lambda, bool *core_element, bool *core_body)
{
    const int *column = kl_rank_free(by_elements);
    for (int i = 0; i < kl_rank_nullity(by_elements); i++) {
        memset(lambda, 0, (size_t)m->nlam * sizeof *lambda);
        lambda[column[i]] = 1.0;
        kl_rank_null(by_elements, lambda);
        for (int e = 0; e < m->nelement; e++)
            for (int k = 0; k < m->element[e].nphi; k++)
                core_element[e] |= fabs(lambda[m->element[e].phi + k]) > 1e-6;
    }
    for (int e = 0; e < m->nelement; e++)
        for (int k = 0; core_element[e] && k < J->element[e].n; k++)
            core_body[J->element[e].body[k]] = true;
}

/* Free directions that move the core: all of them, or random mixtures where there are many. */
static kl_status find_directions(analysis *a, const kl_rank *by_bodies, const bool *core)
{
    const kl_model *m      = a->m;
    const int      *column = kl_rank_free(by_bodies);
    int             n      = kl_rank_nullity(by_bodies);
    unsigned        seed   = 1;
    bool            many   = n > 4 * MOST_PROBES;
    for (int i = 0; i < (many ? MOST_PROBES : n) && a->ndirection < MOST_PROBES; i++) {
        double *v = a->direction + (size_t)a->ndirection * (size_t)m->nv, size = 0.0;
        memset(v, 0, (size_t)m->nv * sizeof *v);
        for (int k = 0; many && k < n; k++) v[column[k]] = scatter(&seed);
        if (!many) v[column[i]] = 1.0;
        kl_rank_null(by_bodies, v);
        for (int b = 0; b < m->nbody; b++)
            for (int k = 0; core[b] && k < m->body[b].nv; k++)
                size = fmax(size, fabs(v[m->body[b].v + k]));
        if (size < 1e-9) continue;
        if (orthonormalize(m->nv, a->direction, a->ndirection, v) > 1e-9) a->ndirection++;
    }
    return KL_OK;
}

/* Dimension of what was reached. */
static int span_reached(const analysis *a)
{
    int nv = a->m->nv, n = 0;
    for (int i = 0; i < a->nprobe; i++) {
        double *v = a->reached + (size_t)i * (size_t)nv;
        double *w = a->reached + (size_t)n * (size_t)nv;
        if (orthonormalize(nv, a->reached, n, v) < 0.1) continue;
        if (v != w) memcpy(w, v, (size_t)nv * sizeof *v);
        n++;
    }
    return n;
}

/* Steps along each direction and along mixtures (a branching point may hide from the first). */
static kl_status probe_all(analysis *a)
{
    int      nv = a->m->nv, extra = a->ndirection > 1 ? MOST_EXTRA : 0;
    unsigned seed  = 7;
    double  *mixed = kl_arena_array(a->scratch, double, nv + 1);
    if (!mixed) return KL_E_MEMORY;
    for (int i = 0; i < a->ndirection + extra; i++) {
        double *d = a->direction + (size_t)i * (size_t)nv;
        if (i >= a->ndirection) {
            memset(mixed, 0, (size_t)nv * sizeof *mixed);
            for (int k = 0; k < a->ndirection; k++) {
                double c = scatter(&seed);
                for (int j = 0; j < nv; j++)
                    mixed[j] += c * a->direction[(size_t)k * (size_t)nv + (size_t)j];
            }
            (void)orthonormalize(nv, NULL, 0, mixed);
            d = mixed;
        }
        KL_TRY(probe(a, d, a->reached + (size_t)a->nprobe * (size_t)nv));
        a->nprobe++;
    }
    return KL_OK;
}

/* ---- findings -------------------------------------------------------------------------------- */

static int body_of_column(const kl_model *m, int column)
{
    int b = 0;
    while (b + 1 < m->nbody && column >= m->body[b].v + m->body[b].nv) b++;
    return b;
}

static int element_of_row(const kl_model *m, int row)
{
    int e = 0;
    while (e + 1 < m->nelement && row >= m->element[e].phi + m->element[e].nphi) e++;
    return e;
}

/* Who leads a motion: the first body that moves well and hangs on the ground by a joint, or the one
 * that the direction was found from. */
static int leader_of(const kl_model *m, const double *dx, int found)
{
    double most = 0.0;
    for (int b = 0; b < m->nbody; b++) most = fmax(most, kl_motion_amount(m, dx, b));
    for (int b = 0; b < m->nbody; b++) {
        if (kl_motion_amount(m, dx, b) < 0.2 * most || m->body[b].nv == 0) continue;
        for (int i = 0; i < m->nelement; i++) {
            const kl_element *e    = &m->element[i];
            bool              mine = false, ground = false;
            for (int k = 0; k < e->nmarker; k++) {
                int body = m->marker[e->marker + k].body;
                mine |= body == b;
                ground |= m->body[body].nv == 0;
            }
            if (mine && ground && e->nphi >= 3) return b;
        }
    }
    return found;
}

static kl_status tell_motions(analysis *a, const kl_rank *by_bodies)
{
    const kl_model *m      = a->m;
    kl_mobility    *b      = a->b;
    const int      *column = kl_rank_free(by_bodies);
    int             n      = b->freedom < MOST_TOLD ? b->freedom : MOST_TOLD;
    b->motion              = kl_arena_array(b->arena, kl_free_motion, n + 1);
    for (int i = 0; b->motion && i < n; i++) {
        double *dx = kl_arena_array(b->arena, double, m->nv + 1), most = 0.0;
        if (!dx) return KL_E_MEMORY;
        dx[column[i]] = 1.0;
        kl_rank_null(by_bodies, dx);
        for (int k = 0; k < m->nv; k++) dx[k] *= a->column[k];
        for (int k = 0; k < m->nbody; k++) most = fmax(most, kl_motion_amount(m, dx, k));
        for (int k = 0; k < m->nv; k++) dx[k] /= most;
        /* a body leads one motion only, or many would begin alike */
        int found = body_of_column(m, column[i]), lead = leader_of(m, dx, found);
        for (int k = 0; k < b->nmotion; k++)
            if (b->motion[k].body == lead) lead = found;
        b->motion[b->nmotion++] =
            (kl_free_motion){.body = lead,
                             .dx   = dx,
                             .text = kl_words_of_motion(b->arena, m, a->x->w, dx, lead, 1e-6)};
    }
    return kl_arena_ok(b->arena) ? KL_OK : KL_E_MEMORY;
}

/* "along z" for a row that holds a point, "about x" for one that holds an angle */
static void line_row(kl_line *l, const kl_model *m, const kl_work *w, int row)
{
    const kl_element *e = &m->element[element_of_row(m, row)];
    const double     *r =
        w->rows + e->rows + (size_t)(row - e->phi) * 6 * (size_t)e->nmarker + 6 * (e->nmarker - 1);
    kl_vec3 force = kl_load(r), moment = kl_load(r + 3);
    bool    point = kl_norm(force) > 0.0;
    kl_line_add(l, point ? "along " : "about ");
    kl_line_axis(l, point ? force : moment);
}

static const char *kind_word(const kl_element *e) { return e->joint ? "joint" : "force"; }

/* One element that repeats `count` rows of the elements in `with`. */
static const char *repeat_text(analysis *a, const kl_rank *r, int element, int count,
                               const int *with, int nwith)
{
    const kl_model *m      = a->m;
    kl_line         l      = {.arena = a->b->arena};
    const int      *column = kl_rank_free(r);
    kl_line_add(&l, "%s %s repeats %d of the directions that ", kind_word(&m->element[element]),
                m->element[element].name, count);
    if (nwith == 0) {
        kl_line_add(&l, "it already holds itself, or that nothing can move");
    } else {
        kl_line_add(&l, nwith == 1 ? "joint " : "joints ");
        kl_line_elements(&l, m, with, nwith);
        kl_line_add(&l, nwith == 1 ? " already holds" : " already hold");
    }
    for (int i = 0, told = 0; i < kl_rank_nullity(r); i++) {
        if (element_of_row(m, column[i]) != element) continue;
        kl_line_add(&l, told++ ? ", " : ": ");
        line_row(&l, m, a->x->w, column[i]);
    }
    return l.text;
}

/* Which elements repeat which, from the null space of the multipliers at the evaluated position. */
static kl_status tell_repeats(analysis *a, const kl_rank *r)
{
    const kl_model *m      = a->m;
    kl_mobility    *b      = a->b;
    const int      *column = kl_rank_free(r);
    int             n      = kl_rank_nullity(r);
    double         *lambda = kl_arena_array(a->scratch, double, m->nlam + 1);
    int            *with   = kl_arena_array(a->scratch, int, m->nelement + 1);
    bool           *in     = kl_arena_array(a->scratch, bool, m->nelement + 1);
    bool           *all    = kl_arena_array(a->scratch, bool, m->nelement + 1);
    b->repeat              = kl_arena_array(b->arena, kl_repeat, n + 1);
    if (!kl_arena_ok(a->scratch) || !b->repeat) return KL_E_MEMORY;

    for (int i = 0; i < n;) {
        int element = element_of_row(m, column[i]), count = 0, nwith = 0;
        memset(in, 0, (size_t)m->nelement * sizeof *in);
        for (; i < n && element_of_row(m, column[i]) == element; i++, count++) {
            memset(lambda, 0, (size_t)m->nlam * sizeof *lambda);
            lambda[column[i]] = 1.0;
            kl_rank_null(r, lambda);
            for (int e = 0; e < m->nelement; e++)
                for (int k = 0; k < m->element[e].nphi; k++)
                    in[e] |= fabs(lambda[m->element[e].phi + k]) > 1e-6;
        }
        for (int e = 0; e < m->nelement; e++) {
            all[e] |= in[e];
            if (in[e] && e != element) with[nwith++] = e;
        }
        b->repeat[b->nrepeat++] =
            (kl_repeat){.element = element,
                        .count   = count,
                        .text    = repeat_text(a, r, element, count, with, nwith)};
    }
    int nall = 0;
    for (int e = 0; e < m->nelement; e++)
        if (all[e]) with[nall++] = e;
    kl_line l = {.arena = b->arena};
    if (nall) kl_line_elements(&l, m, with, nall);
    b->undetermined = nall ? l.text : NULL;
    return kl_arena_ok(b->arena) ? KL_OK : KL_E_MEMORY;
}

/* Names of the core elements for the sentences about positions. */
static const char *core_names(analysis *a, const bool *core)
{
    const kl_model *m = a->m;
    kl_line         l = {.arena = a->b->arena};
    int            *e = kl_arena_array(a->scratch, int, m->nelement + 1), n = 0;
    for (int i = 0; e && i < m->nelement; i++)
        if (core[i]) e[n++] = i;
    if (e) kl_line_elements(&l, m, e, n);
    return l.text;
}

static bool is_driver(const kl_element *e) { return strcmp(e->type->name, "driver") == 0; }

/* Joints that each leave something free, and together nothing: a rigid beam between two pins. A
 * driver of a joint in the loop, or of one of its bodies, is meant to hold it. */
static bool hold_each_other(const analysis *a, const bool *core, const bool *body)
{
    const kl_model *m    = a->m;
    bool            free = false;
    if (a->ndirection > 0 || a->b->redundant <= 0) return false;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (int k = 0; is_driver(e) && k < e->nmarker; k++)
            if (m->marker[e->marker + k].body > 0 && body[m->marker[e->marker + k].body])
                return false;
        free |= core[i] && e->nphi < 6;
    }
    return free;
}

static void tell_positions(analysis *a, const bool *core, const bool *body)
{
    kl_mobility *b    = a->b;
    const char  *name = core_names(a, core);
    if (b->singular > 0)
        b->singular_text = kl_arena_format(
            b->arena,
            "singular position: here %d direction%s free, a step away %d; joints %s line up so "
            "that %d of their constraints repeat%s others in this position only. The mechanism may "
            "change its branch here; start beside it to choose one",
            b->freedom, b->freedom == 1 ? " is" : "s are", b->freedom - b->singular, name,
            b->singular, b->singular == 1 ? "s" : "");
    if (b->locked > 0)
        b->locked_text = kl_arena_format(
            b->arena,
            "locked: joints %s leave %d direction%s free to first order that cannot be moved in. "
            "If it should move, free a direction (a cylindrical or point-on-line joint for one of "
            "them), or let a body deform",
            name, b->locked, b->locked == 1 ? "" : "s");
    else if (hold_each_other(a, core, body))
        b->locked_text = kl_arena_format(
            b->arena,
            "locked: what one of the joints %s leaves free another holds, so nothing between them "
            "can move. If it should move, free a direction (a cylindrical or point-on-line joint "
            "for one of them), or let a body deform",
            name);
}

/* ---- the analysis
 * --------------------------------------------------------------------------------------------- */

static kl_status evaluate_at(analysis *a, const double *q)
{
    memcpy(a->x->s->q, q, (size_t)a->m->nq * sizeof(double));
    return kl_eval(a->m, a->x->s, a->x->w);
}

/* Rows depend on each other: find out in which way. */
static kl_status look_closer(analysis *a, const jacobian *J, const kl_rank *by_bodies)
{
    const kl_model *m       = a->m;
    kl_mobility    *b       = a->b;
    size_t          nprobes = MOST_PROBES + MOST_EXTRA;
    double         *lambda  = kl_arena_array(a->scratch, double, m->nlam + 1);
    bool           *element = kl_arena_array(a->scratch, bool, m->nelement + 1);
    bool           *body    = kl_arena_array(a->scratch, bool, m->nbody + 1);
    a->direction            = kl_arena_array(a->scratch, double, nprobes *(size_t)m->nv + 1);
    a->reached              = kl_arena_array(a->scratch, double, nprobes *(size_t)m->nv + 1);
    a->best_q               = kl_arena_array(a->scratch, double, m->nq + 1);
    if (!kl_arena_ok(a->scratch)) return KL_E_MEMORY;

    kl_rank *by_elements = NULL;
    jacobian moved       = {0};
    KL_TRY(rank_by_elements(m, J, &by_elements));
    mark_core(m, J, by_elements, lambda, element, body);
    a->best_rank = a->displaced_rank = b->rank;
    kl_status status                 = find_directions(a, by_bodies, body);
    if (status == KL_OK) status = probe_all(a);
    if (status == KL_OK) {
        b->locked    = a->ndirection - span_reached(a);
        b->singular  = a->moved && a->best_rank > b->rank ? a->best_rank - b->rank : 0;
        int regular  = b->locked > 0 && a->displaced_rank > a->best_rank ? a->displaced_rank
                                                                         : b->rank + b->singular;
        b->redundant = b->nlam - regular;
        b->mobility  = b->freedom - b->singular - b->locked;
        if (b->mobility < 0) b->mobility = 0;
    }
    /* who repeats whom, seen from where the rank is highest */
    if (status == KL_OK && b->singular > 0) {
        kl_rank_destroy(by_elements);
        by_elements = NULL;
        status      = evaluate_at(a, a->best_q);
        if (status == KL_OK) status = jacobian_create(m, a->x->w, &moved);
        if (status == KL_OK) status = rank_by_elements(m, &moved, &by_elements);
    }
    if (status == KL_OK) status = evaluate_at(a, a->q0);
    if (status == KL_OK) status = tell_repeats(a, by_elements);
    if (status == KL_OK) tell_positions(a, element, body);
    kl_rank_destroy(by_elements);
    kl_arena_destroy(moved.arena);
    return status;
}

static kl_status analyse(analysis *a, kl_diag *diag)
{
    const kl_model *m      = a->m;
    kl_mobility    *b      = a->b;
    jacobian        J      = {0};
    kl_rank        *r      = NULL;
    kl_status       status = kl_eval(m, a->x->s, a->x->w);
    if (status != KL_OK)
        return kl_fail(diag, status == KL_RETRY ? KL_E_NAN : status, KL_NOWHERE,
                       "the constraints cannot be evaluated at this position");
    status = jacobian_create(m, a->x->w, &J);
    if (status == KL_OK) status = rank_by_bodies(m, &J, &r);
    if (status == KL_OK) {
        a->column   = J.column;
        a->row      = J.row;
        b->rank     = kl_rank_value(r);
        b->mobility = b->freedom = m->nv - b->rank;
        status                   = tell_motions(a, r);
    }
    if (status == KL_OK && b->rank < m->nlam) status = look_closer(a, &J, r);
    kl_rank_destroy(r);
    kl_arena_destroy(J.arena);
    return status;
}

kl_status kl_mobility_find(kl_solver *x, kl_diag *diag, kl_mobility **out)
{
    const kl_model *m     = x->model;
    kl_arena       *arena = kl_arena_create();
    kl_mobility    *b     = kl_arena_array(arena, kl_mobility, 1);
    *out                  = NULL;
    if (!b) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    *b         = (kl_mobility){.arena = arena, .nv = m->nv, .nlam = m->nlam};
    analysis a = {.x = x, .m = m, .b = b, .scratch = kl_arena_create()};
    a.q0       = kl_arena_array(a.scratch, double, m->nq + 1);
    a.dx       = kl_arena_array(a.scratch, double, m->nv + 1);

    kl_status status = kl_arena_ok(a.scratch) ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        memcpy(a.q0, x->s->q, (size_t)m->nq * sizeof(double));
        status = analyse(&a, diag);
        (void)evaluate_at(&a, a.q0);
    }
    kl_arena_destroy(a.scratch);
    if (status != KL_OK) {
        kl_mobility_destroy(b);
        return status;
    }
    *out = b;
    return KL_OK;
}

void kl_mobility_destroy(kl_mobility *b)
{
    if (b) kl_arena_destroy(b->arena); /* the findings themselves live in it */
}

void kl_mobility_tell(const kl_model *m, const kl_mobility *b, kl_diag *diag)
{
    kl_place whole = {.file = m->file};
    kl_note(diag, whole, "%d degree%s of freedom (%d velocities, %d constraints, rank %d)",
            b->mobility, b->mobility == 1 ? "" : "s", b->nv, b->nlam, b->rank);
    for (int i = 0; i < b->nmotion; i++) kl_note(diag, whole, "free: %s", b->motion[i].text);
    if (b->nmotion < b->freedom)
        kl_note(diag, whole, "free: %d more directions", b->freedom - b->nmotion);
    int told = b->nrepeat > MOST_REPEATS ? MOST_REPEATS - 1 : b->nrepeat;
    for (int i = 0; i < told; i++)
        kl_warn(diag, m->element[b->repeat[i].element].place, "%s", b->repeat[i].text);
    if (told < b->nrepeat) {
        int rows = 0;
        for (int i = told; i < b->nrepeat; i++) rows += b->repeat[i].count;
        kl_warn(diag, whole, "%d more joints repeat %d directions in the same way",
                b->nrepeat - told, rows);
    }
    if (b->undetermined)
        kl_warn(diag, whole,
                "the model runs, but not all reactions of %s are determined: of all that would do "
                "the smallest are reported",
                b->undetermined);
    if (b->singular_text) kl_warn(diag, whole, "%s", b->singular_text);
    if (b->locked_text) kl_warn(diag, whole, "%s", b->locked_text);
}

void kl_mobility_warn(const kl_model *m, kl_diag *diag)
{
    kl_solver   *x     = NULL;
    kl_mobility *b     = NULL;
    kl_diag     *quiet = kl_diag_create(); /* what is wrong is said by the analysis itself */
    kl_place     place = {.file = m->file};
    bool         found = m->nlam > 0 && quiet && kl_solver_create(m, &x) == KL_OK &&
                 kl_assemble(x, quiet) == KL_OK && kl_mobility_find(x, quiet, &b) == KL_OK;
    if (found && b->redundant > 0 && b->undetermined)
        kl_warn(
            diag, place,
            "%d constraint%s repeat%s others: reactions are not determined at %s, and the smallest "
            "are given; `klingel check` says which",
            b->redundant, b->redundant == 1 ? "" : "s", b->redundant == 1 ? "s" : "",
            b->undetermined);
    if (found && b->locked_text) kl_warn(diag, place, "%s", b->locked_text);
    kl_mobility_destroy(b);
    kl_solver_destroy(x);
    kl_diag_destroy(quiet);
}
