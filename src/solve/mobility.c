#include "solve/mobility.h"

#include <math.h>
#include <string.h>

#include "solve/mobility_text.h"
#include "solve/scaled_rows.h"

enum { MOST_PROBES = 24, MOST_EXTRA = 8 };

/* ---- stepping along free directions ---------------------------------------------------------- */

static double scaled_gap(const kl_mobility_search *a)
{
    double worst = 0.0;
    for (int k = 0; k < a->m->nlam; k++) worst = fmax(worst, fabs(a->x->w->phi[k]) * a->row[k]);
    return worst;
}

kl_status kl_constraint_rank(const kl_solver *x, int *rank, double *least)
{
    kl_scaled_rows J      = {0};
    kl_rank       *r      = NULL;
    kl_status      status = kl_scaled_rows_create(x->model, x->w, &J);
    if (status == KL_OK) status = kl_rank_by_bodies(x->model, &J, &r);
    if (status == KL_OK) *rank = kl_rank_value(r);
    if (status == KL_OK && least) *least = kl_rank_least(r);
    kl_rank_destroy(r);
    kl_arena_destroy(J.arena);
    return status;
}

/* Back onto the constraints with the least change; `reached` (scaled) follows. */
static kl_status assemble_again(kl_mobility_search *a, double *reached)
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
static kl_status probe_by(kl_mobility_search *a, const double *direction, double step,
                          double *reached)
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
static kl_status probe(kl_mobility_search *a, const double *direction, double *reached)
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
static void mark_core(const kl_model *m, const kl_scaled_rows *J, const kl_rank *by_elements,
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
static kl_status find_directions(kl_mobility_search *a, const kl_rank *by_bodies, const bool *core)
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
static int span_reached(const kl_mobility_search *a)
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
static kl_status probe_all(kl_mobility_search *a)
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

/* ---- the analysis
 * --------------------------------------------------------------------------------------------- */

static kl_status evaluate_at(kl_mobility_search *a, const double *q)
{
    memcpy(a->x->s->q, q, (size_t)a->m->nq * sizeof(double));
    return kl_eval(a->m, a->x->s, a->x->w);
}

/* A joint that the program made holds a massless body of its own, so its rows never repeat others.
 * They only look alike where a mode turns a marker by far more than it moves the body (one node of
 * solid elements under a load of its own): beside that number the one of the massless body is lost.
 */
static bool all_made(const kl_model *m, const bool *core)
{
    bool made = false;
    for (int e = 0; e < m->nelement; e++) {
        if (core[e] && !m->element[e].made) return false;
        made |= core[e];
    }
    return made;
}

/* Rows depend on each other: find out in which way. */
static kl_status analyse_dependence(kl_mobility_search *a, const kl_scaled_rows *J,
                                    const kl_rank *by_bodies)
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

    kl_rank       *by_elements = NULL;
    kl_scaled_rows moved       = {0};
    KL_TRY(kl_rank_by_elements(m, J, &by_elements));
    mark_core(m, J, by_elements, lambda, element, body);
    if (all_made(m, element)) {
        kl_rank_destroy(by_elements);
        b->rank     = m->nlam;
        b->mobility = b->freedom = m->nv - m->nlam;
        return KL_OK;
    }
    a->best_rank = a->displaced_rank = b->rank;
    kl_status status                 = find_directions(a, by_bodies, body);
    if (status == KL_OK) status = probe_all(a);
    if (status == KL_OK) {
        b->locked   = a->ndirection - span_reached(a);
        b->singular = a->moved && a->best_rank > b->rank ? a->best_rank - b->rank : 0;
        /* a position nearby that closes and has the rank of any position around is a regular one: there
         * the motions are as many as nv - rank, and those that a step from here did not reach (bodies
         * that deform come back from short steps only) are not locked */
        if (b->singular > 0 && a->best_rank >= a->displaced_rank) b->locked = 0;
        int regular  = b->locked > 0 && a->displaced_rank > a->best_rank ? a->displaced_rank
                                                                         : b->rank + b->singular;
        b->redundant = b->nlam - regular;
        b->mobility  = b->freedom - b->singular - b->locked;
        if (b->mobility < 0) b->mobility = 0;
    }
    /* dependent constraints, at the position with the highest rank */
    if (status == KL_OK && b->singular > 0) {
        kl_rank_destroy(by_elements);
        by_elements = NULL;
        status      = evaluate_at(a, a->best_q);
        if (status == KL_OK) status = kl_scaled_rows_create(m, a->x->w, &moved);
        if (status == KL_OK) status = kl_rank_by_elements(m, &moved, &by_elements);
    }
    if (status == KL_OK) status = evaluate_at(a, a->q0);
    if (status == KL_OK) status = kl_mobility_describe_redundant(a, by_elements);
    if (status == KL_OK) kl_mobility_describe_positions(a, element, body);
    kl_rank_destroy(by_elements);
    kl_arena_destroy(moved.arena);
    return status;
}

static kl_status analyse(kl_mobility_search *a, kl_diag *diag)
{
    const kl_model *m      = a->m;
    kl_mobility    *b      = a->b;
    kl_scaled_rows  J      = {0};
    kl_rank        *r      = NULL;
    kl_status       status = kl_eval(m, a->x->s, a->x->w);
    if (status != KL_OK)
        return kl_fail(diag, status == KL_RETRY ? KL_E_NAN : status, KL_NOWHERE,
                       "the constraints cannot be evaluated at this position");
    status = kl_scaled_rows_create(m, a->x->w, &J);
    if (status == KL_OK) status = kl_rank_by_bodies(m, &J, &r);
    if (status == KL_OK) {
        a->column   = J.column;
        a->row      = J.row;
        b->rank     = kl_rank_value(r);
        b->mobility = b->freedom = m->nv - b->rank;
        status                   = kl_mobility_describe_motions(a, r);
    }
    if (status == KL_OK && b->rank < m->nlam) status = analyse_dependence(a, &J, r);
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
    *b                   = (kl_mobility){.arena = arena, .nv = m->nv, .nlam = m->nlam};
    kl_mobility_search a = {.x = x, .m = m, .b = b, .scratch = kl_arena_create()};
    a.q0                 = kl_arena_array(a.scratch, double, m->nq + 1);
    a.dx                 = kl_arena_array(a.scratch, double, m->nv + 1);

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
