#include "solve/simulation.h"

#include <math.h>
#include <string.h>

#include "solve/statics.h"

/* by kl_integrator_kind: Newmark and HHT are parameter sets of generalized-alpha */
static const kl_integrator *const integrators[] = {[KL_GENERALIZED_ALPHA] = &kl_generalized_alpha,
                                                   [KL_NEWMARK]           = &kl_generalized_alpha,
                                                   [KL_HHT]               = &kl_generalized_alpha,
                                                   [KL_RUNGE_KUTTA]       = &kl_runge_kutta,
                                                   [KL_GEAR]              = &kl_gear};

kl_status kl_simulation_create(const kl_model *m, kl_diag *diag, kl_simulation **out)
{
    kl_arena      *arena = kl_arena_create();
    kl_simulation *s     = kl_arena_array(arena, kl_simulation, 1);
    *out                 = NULL;
    if (!s) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    s->arena         = arena;
    s->model         = m;
    s->a             = kl_arena_array(arena, double, m->nv + 1);
    s->lambda        = kl_arena_array(arena, double, m->nlam + 1);
    s->integrator    = integrators[m->settings.integrator];
    kl_status status = kl_arena_ok(arena) ? kl_channels_create(m, diag, &s->channels) : KL_E_MEMORY;
    if (status == KL_OK) status = kl_solver_create(m, &s->solver);
    if (status == KL_OK && !(s->between = kl_state_create(m))) status = KL_E_MEMORY;
    if (status == KL_OK) status = s->integrator->create(s->solver, &s->self);
    if (status != KL_OK) {
        kl_simulation_destroy(s);
        return status;
    }
    *out = s;
    return KL_OK;
}

void kl_simulation_destroy(kl_simulation *s)
{
    if (!s) return;
    if (s->self) s->integrator->destroy(s->self);
    kl_state_destroy(s->between);
    kl_solver_destroy(s->solver);
    kl_channels_destroy(s->channels);
    kl_arena_destroy(s->arena); /* the simulation itself lives in it */
}

/* To the equilibrium that the model asks for; velocities come back afterwards. */
static kl_status settle(kl_simulation *s, kl_diag *diag)
{
    kl_solver      *x = s->solver;
    const kl_model *m = s->model;
    if (m->settings.start == KL_START_GIVEN) return KL_OK;
    kl_equilibrium e = {.moving = m->settings.start == KL_START_STEADY};
    memcpy(s->a, x->s->v, (size_t)m->nv * sizeof(double));
    KL_TRY(kl_find_equilibrium(x, &e, diag));
    memcpy(x->s->v, s->a, (size_t)m->nv * sizeof(double));
    return kl_assemble_velocity(x, diag);
}

kl_status kl_simulation_start(kl_simulation *s, kl_diag *diag)
{
    kl_solver *x = s->solver;
    s->count     = (kl_statistics){.limiting = -1};
    KL_TRY(kl_assemble(x, diag));
    KL_TRY(settle(s, diag));
    KL_TRY(kl_solve_acceleration(x, x->a, x->lambda, diag));
    return s->integrator->begin(s->self, x, diag);
}

kl_status kl_simulation_step(kl_simulation *s, double until, kl_diag *diag)
{
    return s->integrator->step(s->self, s->solver, until, &s->count, diag);
}

kl_status kl_simulation_sample(kl_simulation *s, kl_diag *diag, const double **values)
{
    kl_solver *x = s->solver;
    KL_TRY(kl_solve_acceleration(x, s->a, s->lambda, diag));
    kl_moment now = {
        .a = s->a, .lambda = s->lambda, .lost = s->count.lost, .supplied = s->count.supplied};
    *values = kl_channels_eval(s->channels, s->model, x->s, x->w, &now);
    return KL_OK;
}

static kl_status hand_over(kl_simulation *s, const kl_sink *sink, kl_diag *diag)
{
    const double *values;
    KL_TRY(kl_simulation_sample(s, diag, &values));
    return sink->row(sink->context, s->solver->s->t, values);
}

/* A row at a time within the last step; the present state comes back as it was. */
static kl_status hand_over_between(kl_simulation *s, double t, const kl_sink *sink, kl_diag *diag)
{
    kl_state     *now = s->solver->s;
    kl_statistics end = s->count;
    double        energy[2];
    s->integrator->look(s->self, t, s->between, energy);
    s->count.lost = energy[0], s->count.supplied = energy[1];
    s->solver->s     = s->between;
    kl_status status = hand_over(s, sink, diag);
    s->solver->s     = now;
    s->count         = end;
    return status;
}

static double row_time(double begin, double end, double every, long k, long rows)
{
    return k >= rows ? end : begin + (double)k * every;
}

kl_status kl_simulation_run(kl_simulation *s, double end, double every, const kl_sink *sink,
                            kl_diag *diag)
{
    if (!((end - s->model->t0) / every <= KL_MOST_ROWS))
        return kl_fail(diag, KL_E_RANGE, KL_NOWHERE,
                       "%.4g s with a row each %.4g s are more than %d rows; give a larger `every` "
                       "under `run`",
                       end, every, KL_MOST_ROWS);
    KL_TRY(kl_simulation_start(s, diag));
    KL_TRY(hand_over(s, sink, diag));
    double begin = s->solver->s->t;
    long   rows = (long)ceil((end - begin) / every * (1.0 - 1e-12)), k = 1;
    while (k <= rows) {
        double next = row_time(begin, end, every, k, rows);
        KL_TRY(kl_simulation_step(s, s->integrator->look ? end : next, diag));
        double now = s->solver->s->t;
        for (; k <= rows && next < now; next = row_time(begin, end, every, ++k, rows))
            KL_TRY(hand_over_between(s, next, sink, diag));
        bool stop = sink->go_on && !sink->go_on(sink->context, now);
        if (stop || (k <= rows && next == now)) KL_TRY(hand_over(s, sink, diag));
        if (stop) return KL_E_INTERRUPTED;
        if (k <= rows && next == now) k++;
    }
    return KL_OK;
}
