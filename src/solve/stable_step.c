/* The power method on differences of accelerations, with position and velocity moved together; see the header. */
#include "solve/stable_step.h"

#include <math.h>
#include <string.h>

enum { FIRST_PASSES = 50, LATER_PASSES = 3 };

kl_status kl_stable_step_open(kl_arena *a, const kl_model *m, kl_stable_step *e)
{
    e->dx     = kl_arena_array(a, double, m->nv + 1);
    e->shape  = kl_arena_array(a, double, m->nv + 1);
    e->before = kl_arena_array(a, double, m->nv + 1);
    e->lambda = kl_arena_array(a, double, m->nlam + 1);
    e->kept   = kl_state_create(m);
    return kl_arena_ok(a) && e->kept ? KL_OK : KL_E_MEMORY;
}

void kl_stable_step_close(kl_stable_step *e) { kl_state_destroy(e->kept); }

/* A shape with all frequencies in it. */
static void seed_shape(kl_stable_step *e, const kl_model *m, double sign)
{
    unsigned seed = 1;
    for (int i = 0; i < m->nv; i++) {
        seed        = seed * 1664525u + 1013904223u;
        e->shape[i] = sign * m->unit[i] * ((double)(seed >> 8) / 8388608.0 - 1.0);
    }
}

/* The operator K + pace C (both over the mass) on the shape: its size in *out [1/s2]. The same sense every
 * time, so that what is only pressed stays pressed. */
static kl_status apply(kl_stable_step *e, kl_solver *x, double pace, double *out, kl_diag *diag)
{
    const kl_model *m     = x->model;
    const double    small = 1e-7;
    double          size  = kl_increment_norm(m, e->shape, NULL);
    *out                  = 0.0;
    if (!(size > 0.0) || !isfinite(size)) return KL_OK;
    for (int i = 0; i < m->nv; i++) {
        e->dx[i]   = small / size * e->shape[i];
        x->s->v[i] = e->kept->v[i] + pace * e->dx[i];
    }
    kl_model_advance(m, e->kept->q, e->dx, x->s->q);
    KL_TRY(kl_solve_acceleration(x, e->shape, e->lambda, diag));
    for (int i = 0; i < m->nv; i++) e->shape[i] = e->before[i] - e->shape[i];
    *out = kl_increment_norm(m, e->shape, NULL) / small;
    return KL_OK;
}

/* Longest stable step h = 2/sqrt(L), L the greatest eigenvalue of K + (4/h) C: the power method, in which h
 * follows its estimate. With damping alone h -> sqrt(h/c), which halves the error in its logarithm. A step
 * longer than the run is no limit (HUGE_VAL): nothing acts, or there is only rounding. */
static kl_status passes_of(kl_stable_step *e, kl_solver *x, int passes, bool damped, double *stable,
                           kl_diag *diag)
{
    const double run  = x->model->settings.end - x->model->t0;
    const double span = run > 0.0 ? run : 1.0;
    double       L = 0.0, h = fmin(*stable, span);
    for (int pass = 0; pass < passes; pass++) {
        KL_TRY(apply(e, x, damped ? 4.0 / h : 0.0, &L, diag));
        if (!isfinite(L)) return KL_RETRY;
        h = L * span * span > 4.0 ? 2.0 / sqrt(L) : span;
        if (L * span * span < 1e-6) break;
    }
    *stable = h < span ? h : HUGE_VAL;
    return KL_OK;
}

/* From shapes of both senses, because what touches may push only when it is pressed. */
static kl_status both_senses(kl_stable_step *e, kl_solver *x, bool damped, double *stable,
                             kl_diag *diag)
{
    for (int sense = -1; sense <= 1; sense += 2) {
        double h = *stable;
        seed_shape(e, x->model, sense);
        kl_status status = passes_of(e, x, FIRST_PASSES, damped, &h, diag);
        *stable          = fmin(*stable, h);
        kl_state_copy(x->s, e->kept);
        if (status != KL_OK) return status;
    }
    return KL_OK;
}

/* The state to which differences are taken. */
static void keep(kl_stable_step *e, const kl_solver *x)
{
    memcpy(e->before, x->a, (size_t)x->model->nv * sizeof(double));
    kl_state_copy(e->kept, x->s);
}

kl_status kl_stable_step_find(kl_stable_step *e, kl_solver *x, bool damped, double *h,
                              kl_diag *diag)
{
    keep(e, x);
    return both_senses(e, x, damped, h, diag);
}

kl_status kl_stable_step_follow(kl_stable_step *e, kl_solver *x, bool damped, double *h,
                                kl_diag *diag)
{
    /* the last sense may have met nothing */
    if (!(kl_increment_norm(x->model, e->shape, NULL) > 0.0))
        return kl_stable_step_find(e, x, damped, h, diag);
    keep(e, x);
    double    found  = *h;
    kl_status status = passes_of(e, x, LATER_PASSES, damped, &found, diag);
    *h               = fmin(*h, found);
    kl_state_copy(x->s, e->kept);
    return status;
}
