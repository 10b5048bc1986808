#include "solve/solver.h"
#include "model/groups.h"
#include "script/lua.h"

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
    x->model     = m;
    x->tolerance = m->settings.tolerance;
    x->arena     = arena;
    x->a         = kl_arena_array(arena, double, m->nv + 1);
    x->lambda    = kl_arena_array(arena, double, m->nlam + 1);
    x->y         = kl_arena_array(arena, double, m->nv + m->nz + m->nlam + 1);
    x->rate      = kl_arena_array(arena, double, m->nlam + 1);
    x->s         = kl_state_create(m);
    x->w         = kl_work_create(m);
    x->matrix    = kl_matrix_create(m, KL_COUPLED_BY_FORCES);
    x->mass      = kl_matrix_create(m, KL_COUPLED_BY_MASS);
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
