#include "solve/solver.h"
#include "model/groups.h"
#include "script/lua.h"
#include "solve/integrator.h"

#include <math.h>
#include <string.h>

kl_status kl_solver_create(const kl_model *m, kl_solver **out)
{
    kl_arena  *arena = kl_arena_create();
    kl_solver *x     = kl_arena_array(arena, kl_solver, 1);
    *out             = NULL;
    if (!x) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    x->model      = m;
    x->tolerance  = m->settings.tolerance;
    x->arena      = arena;
    x->a          = kl_arena_array(arena, double, m->nv + 1);
    x->lambda     = kl_arena_array(arena, double, m->nlam + 1);
    x->y          = kl_arena_array(arena, double, 2 * (m->nv + m->nz + m->nlam) + 1);
    x->rate       = kl_arena_array(arena, double, m->nlam + 1);
    x->constrains = kl_arena_array(arena, unsigned char, m->nelement + 1);
    for (int i = 0; x->constrains && i < m->nelement; i++)
        x->constrains[i] = m->element[i].nphi > 0;
    x->s      = kl_state_create(m);
    x->w      = kl_work_create(m);
    x->matrix = kl_matrix_create(m, KL_COUPLED_BY_FORCES);
    x->mass   = kl_matrix_create(m, KL_COUPLED_BY_MASS);
    if (!kl_arena_ok(arena) || !x->s || !x->w || !x->matrix || !x->mass) {
        kl_solver_destroy(x);
        return KL_E_MEMORY;
    }
    *out = x;
    return KL_OK;
}

void kl_solver_destroy(kl_solver *x)
{
    if (!x) return;
    kl_matrix_destroy(x->matrix);
    kl_matrix_destroy(x->mass);
    kl_work_destroy(x->w);
    kl_state_destroy(x->s);
    kl_arena_destroy(x->arena); /* the solver itself lives in it */
}

const char *kl_solver_unknown(const kl_model *m, int i)
{
    for (int b = 0; b < m->nbody && i < m->nv; b++)
        if (i >= m->body[b].v && i < m->body[b].v + m->body[b].nv) return m->body[b].name;
    for (int e = 0; e < m->nelement; e++) {
        const kl_element *el = &m->element[e];
        int               k  = i - m->nv - m->nz;
        if (k >= el->phi && k < el->phi + el->nphi) return el->name;
    }
    return "?";
}

kl_status kl_solver_evaluation_failed(const kl_solver *x, kl_status status, kl_diag *diag)
{
    const kl_element *e = x->w->culprit >= 0 ? &x->model->element[x->w->culprit] : NULL;
    if (kl_lua_failure(x->model->lua))
        kl_fail(diag, KL_E_MODEL, KL_NOWHERE, "%s", kl_lua_failure(x->model->lua));
    return kl_fail(diag, status == KL_RETRY ? KL_E_NAN : status, e ? e->place : KL_NOWHERE,
                   "%s '%s' cannot be evaluated at t = %.6g s: %s", e ? e->type->name : "model",
                   e ? e->name : "?", x->s->t,
                   e && status == KL_RETRY && e->type->limit ? e->type->limit
                   : e && status == KL_RETRY                 ? "its direction is not defined there"
                                                             : kl_status_text(status));
}

kl_status kl_solver_singular(const kl_solver *x, kl_diag *diag)
{
    int         column = kl_lu_bad_column(kl_matrix_lu(x->mass));
    const char *name   = column >= 0 ? kl_solver_unknown(x->model, column) : "?";
    int         body   = kl_model_find_body(x->model, name);
    kl_place    place  = body >= 0 ? x->model->body[body].place : KL_NOWHERE;
    bool        point  = body >= 0 && !kl_body_turns(&x->model->body[body]);
    return kl_fail(diag, KL_E_SINGULAR, place,
                   "'%s' has a free motion without mass%s, so its acceleration is not determined; "
                   "give it a mass%s, or add the missing joint",
                   name, point ? "" : " or inertia",
                   point ? "" : " and an inertia, make it a `type: point`");
}

kl_status kl_solve_acceleration(kl_solver *x, double *a, double *lambda, kl_diag *diag)
{
    const kl_model *m      = x->model;
    kl_status       status = kl_eval(m, x->s, x->w);
    if (status != KL_OK) return kl_solver_evaluation_failed(x, status, diag);
    kl_weights only_mass = {.mass = 1.0, .state = 1.0};
    if (kl_matrix_factor(m, x->s, x->w, x->mass, only_mass, NULL, NULL, NULL) != KL_OK)
        return kl_solver_singular(x, diag);

    kl_eval_residual(m, x->w, NULL, NULL, x->y);
    for (int i = 0; i < m->nv; i++) x->y[i] = -x->y[i];
    memset(x->y + m->nv, 0, (size_t)m->nz * sizeof(double));
    kl_eval_gamma(m, x->w, x->y + m->nv + m->nz);
    if (kl_matrix_solve_exact(x->mass, x->y) != KL_OK) return kl_solver_singular(x, diag);
    memcpy(a, x->y, (size_t)m->nv * sizeof(double));
    memcpy(lambda, x->y + m->nv + m->nz, (size_t)m->nlam * sizeof(double));
    kl_eval_residual(m, x->w, a, lambda, x->y); /* the totals, for whoever reads forces */
    return KL_OK;
}

/* ---- onto the constraints ---- */

static double largest_of(const double *x, int n)
{
    double largest = 0.0;
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(x[k]));
    return largest;
}

/* dx of [M, Phi_q'; Phi_q, -eps] [dx; p] = [0; -gap] into x->y. False: out of proportion to the gap, as
 * near a singular position. */
static bool least_change(kl_solver *x, const double *gap)
{
    const kl_model *m    = x->model;
    const double    most = 1e3;
    int             n    = m->nv + m->nz;
    double unit = fmin(m->length, 1.0); /* a constraint is a length, an angle or a cosine */
    memset(x->y, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < m->nlam; k++) x->y[n + k] = -gap[k];
    if (kl_matrix_solve(x->mass, x->y) != KL_OK) return false;
    return kl_increment_norm(m, x->y, NULL) <= most * largest_of(gap, m->nlam) / unit;
}

static kl_status factor_mass(kl_solver *x, const kl_state *s)
{
    kl_weights only_mass = {.mass = 1.0, .state = 1.0};
    kl_eval_inertia(x->model, x->w);
    return kl_matrix_factor(x->model, s, x->w, x->mass, only_mass, NULL, NULL, NULL);
}

/* Rows evaluate no inertia. */
static kl_status factor_here(kl_solver *x)
{
    KL_TRY(kl_eval_flagged(x->model, x->s, x->w, x->constrains, true));
    return factor_mass(x, x->s);
}

/* Positions; constraints are evaluated at `s`. One matrix serves all passes: an interpolated state is so near
 * that each pass leaves the square of the gap, or the gap times the change. */
static kl_status move_onto(kl_solver *x, kl_state *s, double worth)
{
    enum { PASSES = 3 };
    const kl_model *m = x->model;
    for (int pass = 0; pass < PASSES; pass++) {
        if (largest_of(x->w->phi, m->nlam) <= worth || !least_change(x, x->w->phi)) break;
        kl_model_advance(m, s->q, x->y, s->q);
        KL_TRY(kl_eval_flagged(m, s, x->w, x->constrains, true));
    }
    return KL_OK;
}

/* Velocities, likewise; the rate is in x->rate. */
static kl_status turn_onto(kl_solver *x, kl_state *s, double worth)
{
    enum { PASSES = 2 };
    const kl_model *m = x->model;
    for (int pass = 0; pass < PASSES; pass++) {
        if (pass > 0) KL_TRY(kl_eval_flagged(m, s, x->w, x->constrains, true));
        kl_eval_rate(m, x->w, x->rate);
        if (largest_of(x->rate, m->nlam) <= worth || !least_change(x, x->rate)) break;
        for (int k = 0; k < m->nv; k++) s->v[k] += x->y[k];
    }
    return KL_OK;
}

double kl_solver_onto_constraints(kl_solver *x, bool solved)
{
    const kl_model *m = x->model;
    if (m->nlam == 0) return 0.0;
    /* below these a state counts as exact: velocities to a hundredth of a loose tolerance, because each matrix costs as
     * much as some rows */
    double speed = fmax(kl_increment_norm(m, x->s->v, NULL), 1e-2); /* 1/s */
    double worth = 1e-10 * m->length, slow = fmax(1e-9, 1e-2 * x->tolerance) * m->length * speed;
    double gap = largest_of(x->w->phi, m->nlam);
    kl_eval_rate(m, x->w, x->rate);
    double rate = largest_of(x->rate, m->nlam);
    if (gap <= worth && rate <= slow) return 0.0;
    if ((solved || factor_here(x) == KL_OK) && move_onto(x, x->s, worth) == KL_OK)
        (void)turn_onto(x, x->s, slow);
    return fmax(gap, rate / speed) / m->length;
}

kl_drift kl_solver_drift(const kl_solver *x)
{
    const kl_model *m = x->model;
    kl_drift        d = {0};
    kl_eval_rate(m, x->w, x->rate);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (int k = 0; k < e->nphi; k++) {
            double *worst = kl_eval_is_length(m, x->w, e, k) ? &d.position : &d.rotation;
            *worst        = fmax(*worst, fabs(x->w->phi[e->phi + k]));
            d.rate        = fmax(d.rate, fabs(x->rate[e->phi + k]));
        }
    }
    return d;
}
