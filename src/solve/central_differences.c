/* Explicit central differences (velocity Verlet) for short events such as crashes:
 *
 *   v(n+1/2) = v(n) + h/2 a(n),   q(n+1) = q(n) (+) h v(n+1/2),   v(n+1) = v(n+1/2) + h/2 a(n+1)
 *
 * a(n+1) is evaluated with the velocity v(n) + h a(n), so that damping needs no matrix either. For a mode
 * with the frequency w and the damping rate c (v' = -c v) the characteristic polynomial has its first root
 * at -1 where
 *
 *   h^2 w^2 + 4 h c = 4,
 *
 * and is stable below. For damping in proportion to the stiffness, c = b w^2, that is
 * h = (2/w) (sqrt(1 + 4 b^2 w^2) - 2 b w). The greatest eigenvalue of w^2 + 4 c/h is estimated
 * (stable_step.h) again and again, so that a contact that begins is seen. The multipliers come from the accelerations; positions
 * and velocities are brought back onto the constraints after each step. No matrix but the mass is
 * factored. */
#include <math.h>
#include <string.h>

#include "solve/integrator.h"
#include "solve/stable_step.h"

typedef struct explicit_run {
    kl_arena      *arena;
    kl_state      *start;
    double        *dx, *before;            /* nv */
    double        *start_a, *start_lambda; /* nv, nlam: accelerations at the start of the step */
    kl_stable_step stability;
    double         stable;          /* longest stable step so far [s]; HUGE_VAL: unknown */
    long           next;            /* step at which it is estimated again */
    kl_crossing   *crossing;        /* nevent */
    signed char *side, *start_side; /* nevent: on which side of each crossing the last step ended */
    kl_powers    power, start_power;
    double       energy, moving; /* balance at the start, largest kinetic energy so far [J] */
    bool         warned;         /* a change of the energy balance */
    bool         judged;         /* the length of the steps that the model asks for */
    bool         touched;        /* the last step passed a crossing */
} explicit_run;

enum { AGAIN = 20 };

static void run_destroy(void *self)
{
    explicit_run *e = self;
    kl_stable_step_close(&e->stability);
    kl_state_destroy(e->start);
    kl_arena_destroy(e->arena);
}

static kl_status run_create(kl_solver *x, void **self)
{
    const kl_model *m = x->model;
    kl_arena       *a = kl_arena_create();
    explicit_run   *e = kl_arena_array(a, explicit_run, 1);
    *self             = NULL;
    if (!e) {
        kl_arena_destroy(a);
        return KL_E_MEMORY;
    }
    *e              = (explicit_run){.arena = a, .stable = HUGE_VAL};
    e->dx           = kl_arena_array(a, double, m->nv + 1);
    e->before       = kl_arena_array(a, double, m->nv + 1);
    e->crossing     = kl_arena_array(a, kl_crossing, m->nevent + 1);
    e->side         = kl_arena_array(a, signed char, m->nevent + 1);
    e->start_a      = kl_arena_array(a, double, m->nv + 1);
    e->start_lambda = kl_arena_array(a, double, m->nlam + 1);
    e->start_side   = kl_arena_array(a, signed char, m->nevent + 1);
    bool opened     = kl_stable_step_open(a, m, &e->stability) == KL_OK;
    e->start        = kl_state_create(m);
    if (!opened || !kl_arena_ok(a) || !e->start) {
        run_destroy(e);
        return KL_E_MEMORY;
    }
    *self = e;
    return KL_OK;
}

/* x->a belongs to the state. `fresh`: from new shapes; else from the shape of the last time. The step does
 * not grow again: yielding lowers frequencies, unloading raises them. */
static kl_status estimate(explicit_run *e, kl_solver *x, bool fresh, kl_diag *diag)
{
    return (fresh ? kl_stable_step_find : kl_stable_step_follow)(&e->stability, x, true, &e->stable,
                                                                 diag);
}

/* Said once, at the start: steps that the model asks for and that are too long, which grow without limit
 * after some time; and damping that shortens the stable step. */
static kl_status judge_steps(explicit_run *e, kl_solver *x, kl_diag *diag)
{
    const kl_settings *s    = &x->model->settings;
    double             free = HUGE_VAL; /* without damping */
    if (e->judged || !isfinite(e->stable)) return KL_OK;
    e->judged = true;
    KL_TRY(kl_stable_step_find(&e->stability, x, false, &free, diag));
    if (s->step > e->stable)
        kl_warn(diag, KL_NOWHERE,
                "steps of %.3g s are longer than the stable step of central differences, about "
                "%.3g s at the start; remove `step` to let the program choose it, or give a "
                "smaller one",
                s->step, e->stable);
    if (e->stable < 0.5 * free)
        kl_note(diag, KL_NOWHERE,
                "damping shortens the stable step of central differences from %.3g s to %.3g s; "
                "reduce damping that grows with the stiffness (`damping` of beams, the second "
                "number of `rayleigh`), or use `integrator: {type: generalized-alpha}`",
                free, e->stable);
    return KL_OK;
}

static kl_status run_begin(void *self, kl_solver *x, kl_diag *diag)
{
    explicit_run *e = self;
    e->power        = (kl_powers){0};
    e->next         = 0;
    if (!isnan(x->model->settings.step) && e->judged) return KL_OK;
    KL_TRY(estimate(e, x, true, diag));
    return judge_steps(e, x, diag);
}

/* Positions back onto the constraints, by the least change. */
static kl_status close_gaps(explicit_run *e, kl_solver *x)
{
    const kl_model *m = x->model;
    if (m->nlam == 0) return KL_OK;
    KL_TRY(kl_eval_elements(m, x->s, x->w));
    KL_TRY(kl_matrix_factor_projection(m, x->w, x->mass, NULL));
    memset(x->y, 0, (size_t)(m->nv + m->nz) * sizeof(double));
    for (int i = 0; i < m->nlam; i++) x->y[m->nv + m->nz + i] = -x->w->phi[i];
    KL_TRY(kl_matrix_solve(x->mass, x->y));
    memcpy(e->dx, x->y, (size_t)m->nv * sizeof(double));
    kl_model_advance(m, x->s->q, e->dx, x->s->q);
    return KL_OK;
}

/* From the state with its accelerations over h. */
static kl_status advance(explicit_run *e, kl_solver *x, double h, kl_diag *diag)
{
    const kl_model *m = x->model;
    double         *v = x->s->v;
    for (int i = 0; i < m->nv; i++) e->dx[i] = h * (v[i] + 0.5 * h * x->a[i]);
    kl_model_advance(m, x->s->q, e->dx, x->s->q);
    for (int i = 0; i < m->nz; i++) x->s->z[i] += h * x->w->z_dot[i];
    for (int i = 0; i < m->nv; i++) v[i] += h * x->a[i]; /* for forces that depend on it */
    memcpy(e->before, x->a, (size_t)m->nv * sizeof(double));
    KL_TRY(close_gaps(e, x));
    KL_TRY(kl_solve_acceleration(x, x->a, x->lambda, diag));
    for (int i = 0; i < m->nv; i++) v[i] += 0.5 * h * (x->a[i] - e->before[i]);
    if (m->nlam > 0) KL_TRY(kl_assemble_velocity(x, diag));
    return kl_eval_elements(m, x->s, x->w);
}

/* Has the step passed a crossing? What touches now may be stiffer than all before. */
static bool passed_crossing(explicit_run *e, kl_solver *x)
{
    const kl_model *m      = x->model;
    bool            passed = false;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *el = &m->element[i];
        kl_reading        in = kl_reading_of(m, x->s, x->w, el);
        if (el->nevent > 0) el->type->crossings(&in, e->crossing + el->event);
    }
    for (int k = 0; k < m->nevent; k++) {
        if (isnan(e->crossing[k].rate)) continue; /* found in the history: nothing begins there */
        double      value = e->crossing[k].value;
        signed char side  = value > 0.0 ? 1 : value < 0.0 ? -1 : 0; /* 0: none there */
        passed |= side != e->side[k];
        e->side[k] = side;
    }
    return passed;
}

/* Back to the start of the last step. */
static void run_back(void *self, kl_solver *x)
{
    explicit_run   *e = self;
    const kl_model *m = x->model;
    kl_state_copy(x->s, e->start);
    memcpy(x->a, e->start_a, (size_t)m->nv * sizeof(double));
    memcpy(x->lambda, e->start_lambda, (size_t)m->nlam * sizeof(double));
    memcpy(e->side, e->start_side, (size_t)m->nevent);
    e->power = e->start_power;
}

static void keep_start(explicit_run *e, const kl_solver *x)
{
    const kl_model *m = x->model;
    kl_state_copy(e->start, x->s);
    memcpy(e->start_a, x->a, (size_t)m->nv * sizeof(double));
    memcpy(e->start_lambda, x->lambda, (size_t)m->nlam * sizeof(double));
    memcpy(e->start_side, e->side, (size_t)m->nevent);
    e->start_power = e->power;
}

/* A contact that begins may be stiffer than all before, and a whole step into it would feed energy: with a
 * shorter stable step the step is taken back, to be repeated. */
static kl_status take_back(explicit_run *e, kl_solver *x, kl_diag *diag, bool *again)
{
    double before = e->stable;
    KL_TRY(estimate(e, x, true, diag));
    *again = e->stable < 0.98 * before;
    if (!*again) return kl_eval_elements(x->model, x->s, x->w);
    run_back(e, x);
    return KL_OK;
}

/* Steps that are too long for a contact feed energy without becoming unstable: one warning reports this. */
static void watch_energy(explicit_run *e, const kl_solver *x, const kl_statistics *count,
                         kl_diag *diag)
{
    const double most = 0.05;
    kl_energy    now  = kl_eval_energy(x->model, x->w, x->lambda);
    double       sum  = now.kinetic + now.potential + now.spent + count->lost - count->supplied;
    if (count->steps <= 1) e->energy = sum;
    e->moving = fmax(e->moving, now.kinetic);
    if (e->warned || fabs(sum - e->energy) <= most * e->moving) return;
    e->warned     = true;
    kl_place none = {0};
    kl_warn(
        diag, none,
        "the energy balance has changed by %.0f %% of the kinetic energy at t = %.4g s: steps of "
        "%.3g s are too long for this motion, perhaps for a stiff contact; give a smaller `step` "
        "or "
        "`max_step`, or a softer contact",
        100.0 * fabs(sum - e->energy) / e->moving, x->s->t, count->largest_step);
}

/* Length of the next step: equal ones up to the next row, because unequal ones excite high frequencies
 * though each is stable. */
static double step_length(const explicit_run *e, const kl_settings *s, double whole)
{
    const double share = 0.9; /* of the stable step */
    double       h     = isnan(s->step) ? fmin(share * e->stable, whole) : s->step;
    if (s->max_step > 0.0) h = fmin(h, s->max_step);
    double steps = ceil(whole / h * (1.0 - 1e-9));
    return steps <= 1.0 ? whole : whole / steps;
}

/* Is what the step touched stiffer than all before? The step after a touch is judged as well: a force such as
 * k d^1.5 has no stiffness yet where the touch is found, at d = 0. */
static kl_status judge_touch(explicit_run *e, kl_solver *x, bool *again, kl_diag *diag)
{
    bool passed = passed_crossing(e, x);
    if (passed || e->touched) KL_TRY(take_back(e, x, diag, again));
    if (!*again) e->touched = passed;
    return KL_OK;
}

/* One step from the state with its accelerations; *again: it was taken back for a shorter one. */
static kl_status try_step(explicit_run *e, kl_solver *x, double until, double h, bool *again,
                          const kl_statistics *count, kl_diag *diag)
{
    bool last = h >= until - x->s->t;
    *again    = false;
    KL_TRY(kl_eval(x->model, x->s, x->w)); /* the estimate looked elsewhere */
    keep_start(e, x);
    x->s->t          = last ? until : x->s->t + h;
    kl_status status = advance(e, x, h, diag);
    if (status == KL_OK && isnan(x->model->settings.step)) status = judge_touch(e, x, again, diag);
    if (status != KL_RETRY) return status;
    run_back(e, x); /* there is no shorter step to try: this one is stable */
    return kl_step_failed(x, h, count, "an element could not be evaluated", diag);
}

static kl_status run_step(void *self, kl_solver *x, double until, kl_statistics *count,
                          kl_diag *diag)
{
    explicit_run      *e     = self;
    const kl_settings *s     = &x->model->settings;
    bool               again = true;
    double             h     = 0.0;
    if (isnan(s->step) && count->steps >= e->next) {
        if (count->steps > 0) KL_TRY(estimate(e, x, false, diag));
        e->next = count->steps + AGAIN;
    }
    while (again) { /* each time the step becomes shorter */
        h = step_length(e, s, until - x->s->t);
        if (!(x->s->t + h > x->s->t))
            return kl_step_failed(x, h, count, "the stable step is below the rounding of time",
                                  diag);
        KL_TRY(try_step(e, x, until, h, &again, count, diag));
    }
    kl_commit_history(x->model, x->s, x->w, x->s->h);
    kl_count_energy(x, h, &e->power, count);
    count->steps++;
    count->evaluations++;
    count->step  = h;
    count->order = 2;
    if (count->steps == 1 || h < count->least_step) count->least_step = h;
    if (h > count->largest_step) count->largest_step = h;
    if (count->steps % AGAIN == 1) watch_energy(e, x, count, diag);
    if (isfinite(kl_increment_norm(x->model, x->s->v, NULL))) return KL_OK;
    return kl_step_failed(x, h, count, "the explicit method became unstable", diag);
}

const kl_integrator kl_central_differences = {.name        = "central-differences",
                                              .create      = run_create,
                                              .destroy     = run_destroy,
                                              .begin       = run_begin,
                                              .step        = run_step,
                                              .back        = run_back,
                                              .short_steps = true};
