/* Explicit central differences (velocity Verlet) for short events such as crashes:
 *
 *   v(n+1/2) = v(n) + h/2 a(n),   q(n+1) = q(n) (+) h v(n+1/2),   v(n+1) = v(n+1/2) + h/2 a(n+1)
 *
 * Stable for h < 2/omega with the highest frequency omega of the model. It is estimated by the power
 * method on differences of accelerations, again and again, so that a contact that begins is seen. The
 * multipliers come from the accelerations; positions and velocities are brought back onto the
 * constraints after each step. No matrix but the mass is factored. */
#include <math.h>
#include <string.h>

#include "solve/integrator.h"

typedef struct explicit_run {
    kl_arena    *arena;
    kl_state    *kept, *start;
    double      *dx, *shape, *before; /* nv */
    double      *lambda;
    double       omega2;   /* square of the highest frequency [1/s2] */
    long         next;     /* step at which it is estimated again */
    kl_crossing *crossing; /* nevent */
    signed char *side;     /* nevent: on which side of each crossing the last step ended */
    kl_powers    power;
    double       energy, moving; /* balance at the start, largest kinetic energy so far [J] */
    bool         warned;         /* that energy has appeared or gone */
} explicit_run;

enum { FIRST_PASSES = 50, LATER_PASSES = 3, AGAIN = 20 };

static void run_destroy(void *self)
{
    explicit_run *e = self;
    kl_state_destroy(e->kept);
    kl_state_destroy(e->start);
    kl_arena_destroy(e->arena);
}

/* A shape with all frequencies in it. */
static void seed_shape(explicit_run *e, const kl_model *m)
{
    unsigned seed = 1;
    for (int i = 0; i < m->nv; i++) {
        seed        = seed * 1664525u + 1013904223u;
        e->shape[i] = m->unit[i] * ((double)(seed >> 8) / 8388608.0 - 1.0);
    }
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
    *e          = (explicit_run){.arena = a};
    e->dx       = kl_arena_array(a, double, m->nv + 1);
    e->shape    = kl_arena_array(a, double, m->nv + 1);
    e->before   = kl_arena_array(a, double, m->nv + 1);
    e->lambda   = kl_arena_array(a, double, m->nlam + 1);
    e->crossing = kl_arena_array(a, kl_crossing, m->nevent + 1);
    e->side     = kl_arena_array(a, signed char, m->nevent + 1);
    e->kept     = kl_state_create(m);
    e->start    = kl_state_create(m);
    if (!kl_arena_ok(a) || !e->kept || !e->start) {
        run_destroy(e);
        return KL_E_MEMORY;
    }
    seed_shape(e, m);
    *self = e;
    return KL_OK;
}

/* Highest frequency: x->a belongs to the state. */
static kl_status estimate(explicit_run *e, kl_solver *x, int passes, kl_diag *diag)
{
    const kl_model *m     = x->model;
    const double    small = 1e-7;
    double          now   = 0.0;
    memcpy(e->before, x->a, (size_t)m->nv * sizeof(double));
    kl_state_copy(e->kept, x->s);
    for (int pass = 0; pass < passes; pass++) {
        double size = kl_increment_norm(m, e->shape, NULL);
        if (!(size > 0.0) || !isfinite(size)) break;
        for (int i = 0; i < m->nv; i++) e->dx[i] = small / size * e->shape[i];
        kl_model_advance(m, e->kept->q, e->dx, x->s->q);
        kl_status status = kl_solve_acceleration(x, e->shape, e->lambda, diag);
        if (status != KL_OK) {
            kl_state_copy(x->s, e->kept);
            return status;
        }
        for (int i = 0; i < m->nv; i++) e->shape[i] -= e->before[i];
        now = kl_increment_norm(m, e->shape, NULL) / small;
    }
    kl_state_copy(x->s, e->kept);
    e->omega2 = fmax(now, e->omega2); /* yielding lowers it, unloading raises it again */
    return KL_OK;
}

static kl_status run_begin(void *self, kl_solver *x, kl_diag *diag)
{
    explicit_run *e = self;
    e->power        = (kl_powers){0};
    e->next         = 0;
    return isnan(x->model->settings.step) ? estimate(e, x, FIRST_PASSES, diag) : KL_OK;
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
        double      value = e->crossing[k].value;
        signed char side  = value > 0.0 ? 1 : value < 0.0 ? -1 : 0; /* 0: none there */
        passed |= side != e->side[k];
        e->side[k] = side;
    }
    return passed;
}

/* A contact that begins may be stiffer than all before, and a whole step into it would feed energy: with a
 * higher frequency the step is taken back, to be repeated with a shorter one. */
static kl_status take_back(explicit_run *e, kl_solver *x, kl_diag *diag, bool *again)
{
    double before = e->omega2;
    *again        = false;
    seed_shape(e, x->model); /* that of before does not contain the contact */
    KL_TRY(estimate(e, x, FIRST_PASSES, diag));
    if (e->omega2 < 1.05 * before) return KL_OK;
    *again = true;
    kl_state_copy(x->s, e->start);
    KL_TRY(kl_solve_acceleration(x, x->a, x->lambda, diag));
    passed_crossing(e, x); /* sides as they were */
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
        100.0 * fabs(sum - e->energy) / e->moving, x->s->t, count->step);
}

static kl_status run_step(void *self, kl_solver *x, double until, kl_statistics *count,
                          kl_diag *diag)
{
    explicit_run      *e     = self;
    const kl_settings *s     = &x->model->settings;
    const double       share = 0.9; /* of the stable step */
    double             whole = until - x->s->t, h = s->step;
    bool               free = isnan(h), again = false;
    if (free && count->steps >= e->next) {
        if (count->steps > 0) KL_TRY(estimate(e, x, LATER_PASSES, diag));
        e->next = count->steps + AGAIN;
    }
    if (isnan(h)) h = e->omega2 > 0.0 ? share * 2.0 / sqrt(e->omega2) : whole;
    if (s->max_step > 0.0) h = fmin(h, s->max_step);
    /* equal steps up to the next row: unequal ones excite high frequencies though each is stable */
    double steps = ceil(whole / h * (1.0 - 1e-9));
    bool   last  = steps <= 1.0;
    h            = last ? whole : whole / steps;
    KL_TRY(kl_eval(x->model, x->s, x->w)); /* the estimate looked elsewhere */
    kl_state_copy(e->start, x->s);
    x->s->t          = last ? until : x->s->t + h;
    kl_status status = advance(e, x, h, diag);
    if (status == KL_RETRY) { /* there is no shorter step to try: this one is stable */
        kl_state_copy(x->s, e->start);
        return kl_step_failed(x, h, count, "an element could not be evaluated", diag);
    }
    KL_TRY(status);
    if (passed_crossing(e, x) && free) KL_TRY(take_back(e, x, diag, &again));
    if (again)
        return run_step(self, x, until, count, diag); /* the frequency only grows: not for ever */
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

const kl_integrator kl_central_differences = {.name    = "central-differences",
                                              .create  = run_create,
                                              .destroy = run_destroy,
                                              .begin   = run_begin,
                                              .step    = run_step};
