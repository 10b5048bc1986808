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

/* ---- checkpoints ---- */

enum { PACK_VERSION = 1, PACK_HEAD = 12, PACK_COUNT = 10 };

int kl_simulation_pack_size(const kl_simulation *s)
{
    return PACK_HEAD + PACK_COUNT + s->solver->s->n;
}

/* What must agree for a checkpoint to belong to a model. */
static void pack_sizes(const kl_model *m, double *sizes)
{
    const double list[] = {m->nq, m->nv, m->nz, m->nh, m->ninput, m->nlam};
    memcpy(sizes, list, sizeof list);
}

void kl_simulation_pack(const kl_simulation *s, double *pack)
{
    const kl_statistics *c  = &s->count;
    const kl_state      *at = s->solver->s;
    pack[0] = PACK_VERSION, pack[1] = at->t, pack[2] = s->begin, pack[3] = (double)s->row;
    pack[4] = s->checkpoint, pack[5] = (double)s->mark;
    pack_sizes(s->model, pack + 6);
    const double count[PACK_COUNT] = {(double)c->steps,
                                      (double)c->rejected,
                                      (double)c->iterations,
                                      (double)c->factorizations,
                                      (double)c->evaluations,
                                      c->least_step,
                                      c->largest_step,
                                      c->lost,
                                      c->supplied,
                                      (double)c->limiting};
    memcpy(pack + PACK_HEAD, count, sizeof count);
    memcpy(pack + PACK_HEAD + PACK_COUNT, at->x, (size_t)at->n * sizeof *pack);
}

/* Forgets all that does not follow from the state: the same after a checkpoint as in a new process.
 */
static kl_status renew(kl_simulation *s, kl_diag *diag)
{
    kl_solver *x = s->solver;
    s->integrator->destroy(s->self);
    s->self = NULL;
    kl_matrix_forget(x->matrix);
    kl_matrix_forget(x->mass);
    KL_TRY(s->integrator->create(x, &s->self));
    KL_TRY(kl_solve_acceleration(x, x->a, x->lambda, diag));
    return s->integrator->begin(s->self, x, diag);
}

kl_status kl_simulation_resume(kl_simulation *s, const double *pack, int n, kl_diag *diag)
{
    double    sizes[6];
    kl_state *at = s->solver->s;
    pack_sizes(s->model, sizes);
    if (n < PACK_HEAD || pack[0] != PACK_VERSION)
        return kl_fail(diag, KL_E_VERSION, KL_NOWHERE,
                       "the checkpoint has version %g, this program reads %d",
                       n > 0 ? pack[0] : 0.0, PACK_VERSION);
    if (n != kl_simulation_pack_size(s) || memcmp(sizes, pack + 6, sizeof sizes) != 0)
        return kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                       "the checkpoint belongs to another model: it has %g coordinates and %g "
                       "multipliers, this model %d and %d; restart with the model that was run",
                       pack[6], pack[11], s->model->nq, s->model->nlam);
    const double *c = pack + PACK_HEAD;
    s->begin = pack[2], s->row = (long)pack[3], s->checkpoint = pack[4], s->mark = (long)pack[5];
    s->count = (kl_statistics){.steps          = (long)c[0],
                               .rejected       = (long)c[1],
                               .iterations     = (long)c[2],
                               .factorizations = (long)c[3],
                               .evaluations    = (long)c[4],
                               .least_step     = c[5],
                               .largest_step   = c[6],
                               .lost           = c[7],
                               .supplied       = c[8],
                               .limiting       = (int)c[9]};
    at->t    = pack[1];
    memcpy(at->x, c + PACK_COUNT, (size_t)at->n * sizeof *c);
    return renew(s, diag);
}

static kl_status take_checkpoint(kl_simulation *s, const kl_sink *sink, kl_diag *diag)
{
    s->mark++;
    if (sink->checkpoint) {
        kl_arena *scratch = kl_arena_create();
        double   *pack    = kl_arena_array(scratch, double, kl_simulation_pack_size(s));
        if (pack) kl_simulation_pack(s, pack);
        kl_status status = pack ? sink->checkpoint(sink->context, pack) : KL_E_MEMORY;
        kl_arena_destroy(scratch);
        KL_TRY(status);
    }
    return renew(s, diag);
}

/* ---- a run ---- */

static double row_time(const kl_simulation *s, double end, double every, long rows)
{
    return s->row >= rows ? end : s->begin + (double)s->row * every;
}

/* A checkpoint that falls beside a row by rounding stands at the row. */
static double checkpoint_time(const kl_simulation *s, double end, double every)
{
    if (!(s->checkpoint > 0.0)) return HUGE_VAL;
    double mark = s->begin + (double)s->mark * s->checkpoint;
    double row = s->begin + round((mark - s->begin) / every) * every, near = 1e-6 * every;
    if (fabs(mark - end) < near) return end;
    return fabs(mark - row) < near ? row : mark;
}

kl_status kl_simulation_run(kl_simulation *s, double end, double every, const kl_sink *sink,
                            kl_diag *diag)
{
    if (!((end - s->model->t0) / every <= KL_MOST_ROWS))
        return kl_fail(diag, KL_E_RANGE, KL_NOWHERE,
                       "%.4g s with a row each %.4g s are more than %d rows; give a larger `every` "
                       "under `run`",
                       end, every, KL_MOST_ROWS);
    if (s->row == 0) {
        KL_TRY(kl_simulation_start(s, diag));
        s->begin = s->solver->s->t;
        s->row   = 1;
        s->mark  = 1;
        KL_TRY(hand_over(s, sink, diag));
    }
    long rows = (long)ceil((end - s->begin) / every * (1.0 - 1e-12));
    while (s->row <= rows) {
        double next = row_time(s, end, every, rows), mark = checkpoint_time(s, end, every);
        double stop = fmin(s->integrator->look ? end : next, mark);
        KL_TRY(kl_simulation_step(s, stop, diag));
        double now = s->solver->s->t;
        for (; s->row <= rows && next < now; next = row_time(s, end, every, rows)) {
            KL_TRY(hand_over_between(s, next, sink, diag));
            s->row++;
        }
        bool cut = sink->go_on && !sink->go_on(sink->context, now);
        if (cut || (s->row <= rows && next == now)) KL_TRY(hand_over(s, sink, diag));
        if (s->row <= rows && next == now) s->row++;
        if (now == mark && s->row <= rows) KL_TRY(take_checkpoint(s, sink, diag));
        if (cut) return KL_E_INTERRUPTED;
    }
    return KL_OK;
}
