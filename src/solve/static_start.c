#include "solve/static_start.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "dynamics/tangents.h"
#include "model/groups.h"
#include "solve/integrator.h"

/* Unknowns, and equations in the same order: of the accelerations that are free (each with the
 * equation that its coordinate moves as little as it can), of increments (equations of motion), of
 * multipliers (positions of joints) and of the multipliers of that least move (their accelerations). */
typedef struct search {
    kl_solver      *x;
    const kl_model *m;
    kl_arena       *arena;
    kl_tangents    *t;
    int             n, nfree;
    int            *free;  /* nv: its place among the free accelerations, -1: a mode that is held */
    double         *A, *y; /* n x n by columns, n */
    double         *row, *column; /* n: scales */
    double         *a, *lambda, *dx;
    double         *first; /* nv: what was not balanced at first */
    double          share; /* of it that stays so */
    kl_state       *kept;
    int             body;       /* the first that asks */
    bool            moves, all; /* speeds are given; all flexible bodies are meant */
    kl_tangents    *beside;     /* its rows J at states nearby */
    kl_state       *base;
} search;

enum { MOST_UNKNOWNS = 4000, MOST_VARIED = 200 };

static bool needs_static_start(const search *k, const kl_body *b)
{
    if (k->all && kl_body_deforms(b)) return true;
    return kl_body_deforms(b) && b->type->implied_parts &&
           (b->type->implied_parts(b->data) & KL_IMPLIED_STATIC_START) != 0;
}

static int first_static_body(const search *k)
{
    for (int i = 0; i < k->m->nbody; i++)
        if (needs_static_start(k, &k->m->body[i])) return i;
    return -1;
}

static kl_status open_search(kl_solver *x, search *k)
{
    const kl_model *m = x->model;
    kl_arena       *a = k->arena;
    k->free           = kl_arena_array(a, int, m->nv + 1);
    if (!k->free) return KL_E_MEMORY;
    for (int i = 0; i < m->nbody; i++)
        for (int j = m->body[i].v; j < m->body[i].v + m->body[i].nv; j++) {
            bool mode  = kl_body_group_at(&m->body[i], j).kind == KL_MODAL;
            k->free[j] = needs_static_start(k, &m->body[i]) && mode ? -1 : k->nfree++;
        }
    k->n = k->nfree + m->nv + 2 * m->nlam;
    if (k->n > MOST_UNKNOWNS) return KL_E_RANGE;
    size_t n  = (size_t)k->n;
    k->A      = kl_arena_array(a, double, n *n + 1);
    k->y      = kl_arena_array(a, double, n + 1);
    k->row    = kl_arena_array(a, double, n + 1);
    k->column = kl_arena_array(a, double, n + 1);
    k->a      = kl_arena_array(a, double, m->nv + 1);
    k->lambda = kl_arena_array(a, double, m->nlam + 1);
    k->dx     = kl_arena_array(a, double, m->nv + 1);
    k->first  = kl_arena_array(a, double, m->nv + 1);
    k->t      = kl_tangents_create(m);
    k->kept   = kl_state_create(m);
    k->base   = kl_state_create(m);
    k->beside = kl_tangents_create(m);
    for (int j = 0; j < m->nv && m->nv <= MOST_VARIED; j++) k->moves |= m->v0[j] != 0.0;
    return kl_arena_ok(a) && k->t && k->kept && k->base && k->beside ? KL_OK : KL_E_MEMORY;
}

static double *at(search *k, int row, int column)
{
    return k->A + (size_t)column * (size_t)k->n + (size_t)row;
}

/* Unknowns: free accelerations a, increments dx, multipliers lambda, multipliers mu of the least move.
 *
 *   W dx + J_f' mu = 0        least move in the weighted norm, for the free coordinates
 *   M a + K dx + J' lambda = -r,   J dx = -Phi,   J_f a = ... (constraint at the acceleration level) */
static void fill(search *k)
{
    const kl_model    *m  = k->m;
    const kl_tangents *t  = k->t;
    int                dx = k->nfree, la = dx + m->nv, mu = la + m->nlam;
    memset(k->A, 0, (size_t)k->n * (size_t)k->n * sizeof *k->A);
    for (int i = 0; i < m->nv; i++)
        for (int j = 0; j < m->nv; j++) {
            size_t ij = (size_t)i * (size_t)m->nv + (size_t)j;
            if (k->free[j] >= 0) *at(k, dx + i, k->free[j]) = t->M[ij];
            *at(k, dx + i, dx + j) = t->K[ij];
        }
    for (int c = 0; c < m->nlam; c++)
        for (int j = 0; j < m->nv; j++) {
            double v               = t->J[(size_t)c * (size_t)m->nv + (size_t)j];
            *at(k, dx + j, la + c) = v;
            *at(k, la + c, dx + j) = v;
            if (k->free[j] < 0) continue;
            *at(k, mu + c, k->free[j]) = v;
            *at(k, k->free[j], mu + c) = v;
        }
    for (int j = 0; j < m->nv; j++)
        if (k->free[j] >= 0) *at(k, k->free[j], dx + j) = 1.0 / (m->unit[j] * m->unit[j]);
}

/* What is left of the equations, with the sign of the right-hand side, with the rows of `t`. */
static void leave(search *k, const kl_tangents *t)
{
    const kl_model *m  = k->m;
    kl_solver      *x  = k->x;
    int             dx = k->nfree, la = dx + m->nv, mu = la + m->nlam;
    memset(k->y, 0, (size_t)k->n * sizeof *k->y);
    kl_eval_residual(m, x->w, k->a, k->lambda, k->y + dx);
    for (int i = 0; i < m->nv; i++) k->y[dx + i] = k->share * k->first[i] - k->y[dx + i];
    for (int c = 0; c < m->nlam; c++) k->y[la + c] = -x->w->phi[c];
    kl_eval_gamma(m, x->w, k->y + mu);
    for (int c = 0; c < m->nlam; c++)
        for (int j = 0; j < m->nv; j++)
            k->y[mu + c] -= t->J[(size_t)c * (size_t)m->nv + (size_t)j] * k->a[j];
}

/* Rows and columns of size one; then a little in the corners of constraints lets those pass that
 * repeat others. It is in the matrix only, so it costs iterations and no accuracy. */
static kl_status solve(search *k)
{
    const double    eps = 1e-12;
    const kl_model *m   = k->m;
    int             n = k->n, la = k->nfree + m->nv, mu = la + m->nlam;
    for (int i = 0; i < n; i++) k->row[i] = k->column[i] = 1.0;
    for (int pass = 0; pass < 6; pass++) {
        for (int by = 0; by < 2; by++)
            for (int i = 0; i < n; i++) {
                double most = 0.0;
                for (int j = 0; j < n; j++)
                    most = fmax(most, fabs(by ? *at(k, j, i) : *at(k, i, j)));
                double s = most > 0.0 ? 1.0 / sqrt(most) : 1.0;
                (by ? k->column : k->row)[i] *= s;
                for (int j = 0; j < n; j++) *(by ? at(k, j, i) : at(k, i, j)) *= s;
            }
    }
    for (int c = 0; c < m->nlam; c++) {
        *at(k, la + c, la + c) -= eps;
        *at(k, mu + c, mu + c) -= eps;
    }
    for (int i = 0; i < n; i++) k->y[i] *= k->row[i];
    KL_TRY(kl_dense_solve(n, 1, k->A, k->y));
    for (int i = 0; i < n; i++) k->y[i] *= k->column[i];
    return KL_OK;
}

/* Velocities of the start at the present position. Assembly pays a little with the rates of modes,
 * which are at rest here as far as joints allow. */
static kl_status evaluate(search *k, kl_diag *diag)
{
    enum { PASSES = 3 };
    kl_solver      *x = k->x;
    const kl_model *m = k->m;
    memcpy(x->s->v, m->v0, (size_t)m->nv * sizeof(double));
    for (int pass = 0; pass < PASSES; pass++) {
        for (int j = 0; j < m->nv; j++)
            if (k->free[j] < 0) x->s->v[j] = m->v0[j];
        KL_TRY(kl_assemble_velocity(x, diag));
    }
    return kl_eval(m, x->s, x->w);
}

/* What moves is carried along by what it hangs on: velocities and accelerations follow positions, and a
 * spin beyond the lowest frequency is more than Newton may leave out. Their columns by differences. */
static kl_status vary(search *k)
{
    const kl_model *m  = k->m;
    kl_solver      *x  = k->x;
    int             dx = k->nfree, mu = dx + m->nv + m->nlam;
    kl_state_copy(k->base, x->s);
    for (int j = 0; j < m->nv; j++) {
        double h = 1e-6 * m->unit[j];
        for (int side = -1; side <= 1; side += 2) {
            memset(k->dx, 0, (size_t)m->nv * sizeof(double));
            k->dx[j] = side * h;
            kl_state_copy(x->s, k->base);
            kl_model_advance(m, k->base->q, k->dx, x->s->q);
            KL_TRY(evaluate(k, NULL));
            kl_tangents_rows(m, x->w, k->beside);
            leave(k, k->beside);
            for (int i = 0; i < k->n; i++) {
                if (i < dx || (i >= dx + m->nv && i < mu)) continue; /* known */
                if (side < 0) *at(k, i, dx + j) = 0.0;
                *at(k, i, dx + j) -= side * k->y[i] / (2.0 * h);
            }
        }
    }
    kl_state_copy(x->s, k->base);
    KL_TRY(evaluate(k, NULL));
    kl_eval_residual(m, x->w, k->a, k->lambda, k->dx);
    return KL_OK;
}

/* One step of Newton; its size. */
static kl_status improve(search *k, kl_diag *diag, double *size)
{
    const kl_model *m = k->m;
    kl_solver      *x = k->x;
    KL_TRY(evaluate(k, diag));
    kl_eval_residual(m, x->w, k->a, k->lambda,
                     k->dx); /* leaves the totals that the tangents need */
    kl_tangents_eval(m, x->s, x->w, k->a, k->lambda, k->t);
    fill(k);
    if (k->moves && vary(k) != KL_OK) {
        k->moves = false; /* joints that repeat each other allow no velocities beside */
        kl_state_copy(x->s, k->base);
        return improve(k, diag, size);
    }
    leave(k, k->t);
    KL_TRY(solve(k));
    memcpy(k->dx, k->y + k->nfree, (size_t)m->nv * sizeof(double));
    *size = kl_increment_norm(m, k->dx, NULL);
    if (!isfinite(*size)) return KL_E_SINGULAR;
    for (int j = 0; j < m->nv; j++)
        if (k->free[j] >= 0) k->a[j] += k->y[k->free[j]];
    for (int c = 0; c < m->nlam; c++) k->lambda[c] += k->y[k->nfree + m->nv + c];
    kl_model_advance(m, x->s->q, k->dx, x->s->q);
    return KL_OK;
}

/* The loads of the start in so many equal parts, each to rounding. KL_RETRY: too much at once. */
static kl_status deform_in(search *k, int parts, kl_diag *diag)
{
    enum { MOST = 20 };
    const double    done = 1e-13, near = 1e-9, longest = 0.1; /* lengths of the model, radian */
    const kl_model *m = k->m;
    kl_solver      *x = k->x;
    kl_state_copy(x->s, k->kept);
    memset(k->a, 0, (size_t)m->nv * sizeof(double));
    memset(k->lambda, 0, (size_t)m->nlam * sizeof(double));
    KL_TRY(evaluate(k, diag));
    kl_eval_residual(m, x->w, NULL, NULL, k->first);
    for (int part = 1; part <= parts; part++) {
        double before = INFINITY, size = INFINITY;
        bool   found = false;
        k->share     = 1.0 - (double)part / parts;
        for (int pass = 0; pass < MOST && !found; pass++, before = size) {
            KL_TRY(improve(k, diag, &size));
            if (size > longest) return KL_RETRY;
            found = size < done || (size < near && size > 0.5 * before);
        }
        if (!found) return KL_RETRY;
    }
    KL_TRY(evaluate(k, diag));
    kl_commit_history(m, x->s, x->w, x->s->h);
    return KL_OK;
}

static kl_status not_found(const search *k, kl_status status, kl_diag *diag)
{
    const kl_body *b = &k->m->body[k->body];
    if (status == KL_E_MEMORY || kl_diag_failed(diag)) return status;
    if (status == KL_E_RANGE)
        return kl_fail(diag, status, b->place,
                       "body '%s': `start: static` needs %d equations, more than the limit of %d; "
                       "use `run: {start: equilibrium}` or damping",
                       b->name, k->n, MOST_UNKNOWNS);
    return kl_fail(
        diag, KL_E_STEP, b->place,
        "body '%s': no static deformation was found for `start: static`; its initial loads are too "
        "large (rotation above its lowest natural frequency without `stiffening: true`, or a load "
        "above buckling), or its modes can move without stiffness",
        b->name);
}

static kl_status deform(search *k, kl_diag *diag)
{
    enum { MOST = 256 };
    kl_status status = KL_RETRY;
    kl_state_copy(k->kept, k->x->s);
    for (int parts = 1; parts <= MOST; parts *= 4) {
        status = deform_in(k, parts, diag);
        if (status == KL_OK || status == KL_E_MEMORY || kl_diag_failed(diag)) return status;
    }
    return status;
}

static kl_status deform_asked(search *k, kl_diag *diag)
{
    k->body = first_static_body(k);
    if (k->body < 0) return KL_OK;
    k->arena         = kl_arena_create();
    kl_status status = open_search(k->x, k);
    if (status == KL_OK) status = deform(k, diag);
    if (status != KL_OK) status = not_found(k, status, diag);
    kl_tangents_destroy(k->t);
    kl_tangents_destroy(k->beside);
    kl_state_destroy(k->base);
    kl_state_destroy(k->kept);
    kl_arena_destroy(k->arena);
    return status;
}

kl_status kl_assemble_start(kl_solver *x, kl_diag *diag)
{
    search k = {.x = x, .m = x->model};
    KL_TRY(kl_assemble(x, diag));
    return x->model->saved ? KL_OK : deform_asked(&k, diag);
}

kl_status kl_deform_statically(kl_solver *x)
{
    search k = {.x = x, .m = x->model, .all = true};
    return deform_asked(&k, NULL);
}
