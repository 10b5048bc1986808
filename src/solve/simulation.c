#include "solve/simulation.h"

#include <math.h>
#include <string.h>

#include "model/fingerprint.h"
#include "model/groups.h"
#include "solve/method_change.h"
#include "solve/sag.h"
#include "solve/static_start.h"
#include "solve/statics.h"

/* by kl_integrator_kind: Newmark and HHT are parameter sets of generalized-alpha */
static const kl_integrator *const integrators[] = {[KL_AUTO]              = &kl_generalized_alpha,
                                                   [KL_GENERALIZED_ALPHA] = &kl_generalized_alpha,
                                                   [KL_NEWMARK]           = &kl_generalized_alpha,
                                                   [KL_HHT]               = &kl_generalized_alpha,
                                                   [KL_RUNGE_KUTTA]       = &kl_runge_kutta,
                                                   [KL_GEAR]              = &kl_gear,
                                                   [KL_LOAD_STEPS]        = &kl_load_steps,
                                                   [KL_ARC_LENGTH]        = &kl_load_steps,
                                                   [KL_CENTRAL_DIFFERENCES] =
                                                       &kl_central_differences};

bool kl_is_quasi_static(const kl_model *m)
{
    return integrators[m->settings.integrator]->quasi_static;
}

kl_status kl_simulation_create(const kl_model *m, kl_diag *diag, kl_simulation **out)
{
    kl_arena      *arena = kl_arena_create();
    kl_simulation *s     = kl_arena_array(arena, kl_simulation, 1);
    *out                 = NULL;
    if (!s) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    s->arena       = arena;
    s->model       = m;
    s->a           = kl_arena_array(arena, double, m->nv + 1);
    s->lambda      = kl_arena_array(arena, double, m->nlam + 1);
    s->reported    = kl_arena_array(arena, int, m->nelement + m->nbody + 1);
    s->integrator  = integrators[m->settings.integrator];
    s->fingerprint = kl_model_fingerprint(m);
    s->chatter     = kl_chatter_create(m, arena);
    s->automatic   = m->settings.integrator == KL_AUTO;
    s->bound       = kl_method_bound(m);
    if (s->integrator == &kl_gear && m->settings.formulation != KL_STABILIZED)
        s->integrator = &kl_gear_index1;
    kl_status status =
        s->chatter && kl_arena_ok(arena) ? kl_channels_create(m, diag, &s->channels) : KL_E_MEMORY;
    if (status == KL_OK) status = kl_solver_create(m, &s->solver);
    if (status == KL_OK && !(s->between = kl_state_create(m))) status = KL_E_MEMORY;
    if (status == KL_OK && !(s->before = kl_state_create(m))) status = KL_E_MEMORY;
    if (status == KL_OK) status = kl_events_create(m, &s->events);
    if (status == KL_OK && s->automatic && !s->bound) {
        s->scratch = kl_method_scratch_create(m);
        s->quiet   = kl_diag_create();
        if (!s->scratch || !s->quiet) status = KL_E_MEMORY;
    }
    if (status == KL_OK) kl_method_set_event_rules(s);
    const kl_code *ending = &m->settings.stop_when;
    if (status == KL_OK && ending->text)
        status = kl_channels_compile(s->channels, ending->text, ending->place, diag, &s->ending);
    if (s->ending) s->memory = kl_arena_array(arena, double, kl_expression_nmemory(s->ending) + 1);
    if (status == KL_OK && !kl_arena_ok(arena)) status = KL_E_MEMORY;
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
    kl_method_scratch_destroy(s->scratch);
    kl_chatter_destroy(s->chatter);
    if (s->quiet) kl_diag_destroy(s->quiet);
    kl_state_destroy(s->between);
    kl_state_destroy(s->before);
    kl_events_destroy(s->events);
    kl_solver_destroy(s->solver);
    kl_channels_destroy(s->channels);
    kl_arena_destroy(s->arena); /* the simulation itself lives in it */
}

/* To the equilibrium that the model asks for. At rest the given velocities come back afterwards; a steady
 * motion keeps those that were found: wheels roll at the rate at which no creep force turns them. */
static kl_status settle(kl_simulation *s, kl_diag *diag)
{
    kl_solver      *x = s->solver;
    const kl_model *m = s->model;
    if (m->settings.start == KL_START_GIVEN) return KL_OK;
    /* eigenvalues of a long train take longer than its run, which shows what grows */
    kl_equilibrium e       = {.moving = m->settings.start == KL_START_STEADY, .judged = 200};
    bool           vehicle = e.moving && m->velocities_relax;
    memcpy(s->a, x->s->v, (size_t)m->nv * sizeof(double));
    double *height = vehicle ? kl_arena_array(s->arena, double, m->nbody) : NULL;
    if (vehicle && !height) return KL_E_MEMORY;
    if (vehicle) KL_TRY(kl_eval(m, x->s, x->w));
    if (vehicle) kl_sag_heights(m, x, height);
    KL_TRY(kl_find_equilibrium(x, &e, diag));
    if (vehicle) KL_TRY(kl_sag_check(m, x, height, diag));
    if (!e.moving) memcpy(x->s->v, s->a, (size_t)m->nv * sizeof(double));
    return kl_assemble_velocity(x, diag);
}

/* Accelerations and reactions at the present state. In a quasi-static run nothing accelerates, and
 * the reactions are those that its equilibrium was found with. */
static kl_status balance(kl_simulation *s, double *a, double *lambda, kl_diag *diag)
{
    kl_solver      *x = s->solver;
    const kl_model *m = s->model;
    if (!s->integrator->quasi_static) return kl_solve_acceleration(x, a, lambda, diag);
    memset(a, 0, (size_t)m->nv * sizeof *a);
    if (lambda != x->lambda) memcpy(lambda, x->lambda, (size_t)m->nlam * sizeof *lambda);
    KL_TRY(kl_eval(m, x->s, x->w));
    kl_eval_totals(m, x->w, lambda);
    return KL_OK;
}

/* ---- values ---- */

static kl_moment moment_of(const kl_simulation *s)
{
    return (kl_moment){.a        = s->a,
                       .lambda   = s->lambda,
                       .lost     = s->count.lost,
                       .supplied = s->count.supplied,
                       .step     = s->count.step,
                       .order    = s->count.order};
}

kl_status kl_simulation_sample(kl_simulation *s, kl_diag *diag, const double **values)
{
    kl_solver *x = s->solver;
    KL_TRY(balance(s, s->a, s->lambda, diag));
    kl_moment now = moment_of(s);
    *values       = kl_channels_eval(s->channels, s->model, x->s, x->w, &now);
    return KL_OK;
}

/* Evaluates what rows need, at x->s. `solve`: accelerations and reactions too. */
static kl_status evaluate_row(kl_simulation *s, bool solve, const unsigned char *some,
                              kl_diag *diag)
{
    kl_solver *x = s->solver;
    if (solve) return balance(s, s->a, s->lambda, diag);
    bool measures = kl_channels_reads(s->channels) & KL_READS_MEASURES;
    return some ? kl_eval_flagged(s->model, x->s, x->w, some, measures)
                : kl_eval_elements(s->model, x->s, x->w);
}

/* x->s, which was interpolated and evaluated, onto the constraints. Its accelerations are solved for before it moves,
 * so that one matrix serves both; they belong to the state on the constraints as well as the
 * interpolation is exact, unless that was far off. */
static kl_status meet_constraints(kl_simulation *s, bool solved, const unsigned char *some,
                                  kl_diag *diag)
{
    const double far = 1e-5; /* of the model's length */
    double       gap = kl_solver_onto_constraints(s->solver, solved);
    if (gap == 0.0) return KL_OK;
    if (gap <= far && solved) return kl_eval(s->model, s->solver->s, s->solver->w);
    return evaluate_row(s, solved, some, diag);
}

/* The channels that rows need, at x->s; `at`, if any, says what a look into the step has found. Some rows
 * have all, so that energies are seen where they are not recorded. */
static kl_status sample_row(kl_simulation *s, const kl_look *at, kl_diag *diag,
                            const double **values)
{
    enum { SOME = 64 };
    kl_solver           *x     = s->solver;
    unsigned             reads = kl_channels_reads(s->channels);
    bool                 all   = !(reads & KL_READS_ENERGY) && s->row % SOME == 1;
    const unsigned char *some  = all ? NULL : kl_channels_elements(s->channels);
    bool                 solve = s->integrator->quasi_static ||
                 ((all || reads & KL_READS_ACCELERATIONS) && !(at && at->forces));
    KL_TRY(evaluate_row(s, solve, some, diag));
    if (at && at->near) KL_TRY(meet_constraints(s, solve, some, diag));
    if (all || reads) kl_eval_totals(s->model, x->w, s->lambda);
    kl_moment now = moment_of(s);
    *values       = all ? kl_channels_eval(s->channels, s->model, x->s, x->w, &now)
                        : kl_channels_row(s->channels, s->model, x->s, x->w, &now);
    return KL_OK;
}

/* What a look into the last step puts aside. */
typedef struct saved_state {
    kl_state     *s;
    kl_statistics count;
} saved_state;

static void end_interpolation(kl_simulation *s, const saved_state *before)
{
    s->solver->s = before->s;
    s->count     = before->count;
}

/* Values of a row at a time within the last step. After success the solver is there until
 * end_interpolation brings the present state back. */
static kl_status interpolate_at(kl_simulation *s, double t, saved_state *before, kl_diag *diag,
                                const double **values)
{
    kl_look at = {.s = s->between, .a = s->a, .lambda = s->lambda};
    *before    = (saved_state){s->solver->s, s->count};
    KL_TRY(s->integrator->look(s->self, s->solver, t, &at, diag));
    /* what the end of the step changed was not so before it; a row that misses that end by rounding only
     * belongs to it */
    if (s->model->nh > 0 && t < s->solver->s->t - 2.0 * kl_events_near(t))
        memcpy(s->between->h, s->before->h, (size_t)s->model->nh * sizeof(double));
    s->count.lost = at.energy[0], s->count.supplied = at.energy[1];
    s->solver->s     = s->between;
    kl_status status = sample_row(s, &at, diag, values);
    if (status != KL_OK) end_interpolation(s, before);
    return status;
}

/* ---- the condition that ends a run ---- */

/* Does it hold now? */
static kl_status ending_holds_now(kl_simulation *s, kl_diag *diag, bool *truth)
{
    const double *unused;
    *truth = false;
    if (!s->ending) return KL_OK;
    KL_TRY(sample_row(s, NULL, diag, &unused));
    *truth = kl_channels_value(s->channels, s->ending, s->memory) > 0.0;
    return KL_OK;
}

/* Does it hold at a time within the last step? */
static kl_status ending_holds_at(kl_simulation *s, double t, kl_diag *diag, bool *truth)
{
    saved_state   before;
    const double *unused;
    KL_TRY(interpolate_at(s, t, &before, diag, &unused));
    *truth = kl_channels_value(s->channels, s->ending, s->memory) > 0.0;
    end_interpolation(s, &before);
    return KL_OK;
}

/* Where it becomes true within the last step, which began at t0; HUGE_VAL: nowhere. It is asked at the
 * end of the step and at a thousand times of the run, so that the answer does not depend on rows. */
static kl_status find_ending(kl_simulation *s, double t0, kl_diag *diag, double *when)
{
    enum { LOOKS = 1000 };
    const kl_model *m  = s->model;
    double          t1 = s->solver->s->t, grid = (m->settings.end - m->t0) / LOOKS, low = t0, high;
    bool            was = s->truth, truth = false;
    *when = HUGE_VAL;
    for (;; low = high, was = truth) {
        high = grid > 0.0 ? m->t0 + grid * (floor((low - m->t0) / grid * (1.0 + 1e-12)) + 1.0) : t1;
        if (!(high > low) || high > t1) high = t1;
        KL_TRY(ending_holds_at(s, high, diag, &truth));
        if ((truth && !was) || high >= t1) break;
    }
    s->truth = truth;
    if (!truth || was) return KL_OK;
    while (high - low > kl_events_near(high) + 1e-9 * grid) {
        double middle = 0.5 * (low + high);
        KL_TRY(ending_holds_at(s, middle, diag, &truth));
        if (truth) high = middle;
        else low = middle;
    }
    *when = high;
    return KL_OK;
}

/* ---- the start ---- */

/* The integrator and the events look at the state anew. */
static kl_status begin(kl_simulation *s, kl_diag *diag)
{
    s->anew = s->ended = false;
    KL_TRY(ending_holds_now(s, diag, &s->truth));
    kl_events_begin(s->events, s->solver);
    return s->integrator->begin(s->self, s->solver, diag);
}

/* Friction that depends on reactions, which depend on friction: a few passes at the start. */
static kl_status start_reactions(kl_simulation *s, kl_diag *diag)
{
    enum { PASSES = 4 };
    kl_solver *x = s->solver;
    for (int pass = 0; s->model->reads_reactions && pass < PASSES; pass++) {
        kl_commit_history(s->model, x->s, x->w, x->s->h);
        KL_TRY(balance(s, x->a, x->lambda, diag));
    }
    return KL_OK;
}

kl_status kl_simulation_start(kl_simulation *s, kl_diag *diag)
{
    kl_solver *x = s->solver;
    s->count     = (kl_statistics){.limiting = -1};
    KL_TRY(kl_assemble_start(x, diag));
    KL_TRY(settle(s, diag));
    KL_TRY(kl_method_choose(s));
    KL_TRY(balance(s, x->a, x->lambda, diag));
    KL_TRY(start_reactions(s, diag));
    return begin(s, diag);
}

/* ---- steps and events ---- */

/* Velocities onto the constraints as an impulse of their forces would take them, M dv + Phi_q' p =
 * 0: drivers whose speed jumps pull the bodies along. What that does to the kinetic energy, they
 * feed in. */
static kl_status jump_velocities(kl_simulation *s, bool *jumped)
{
    kl_solver      *x       = s->solver;
    const kl_model *m       = s->model;
    const double    nothing = 1e-9; /* of the fastest: drivers follow smooth functions */
    double          largest = 0.0, speed = 0.0;
    kl_eval_rate(m, x->w, x->rate);
    for (int k = 0; k < m->nlam; k++) largest = fmax(largest, fabs(x->rate[k]));
    for (int k = 0; k < m->nv; k++) speed = fmax(speed, fabs(x->s->v[k]));
    *jumped = largest > nothing * fmax(speed, m->length);
    if (!*jumped) return KL_OK;
    double kinetic = kl_eval_energy(m, x->w, NULL).kinetic;
    memset(x->y, 0, (size_t)(m->nv + m->nz) * sizeof(double));
    for (int k = 0; k < m->nlam; k++) x->y[m->nv + m->nz + k] = -x->rate[k];
    KL_TRY(kl_matrix_solve_exact(x->mass, x->y));
    for (int k = 0; k < m->nv; k++) x->s->v[k] += x->y[k];
    kl_eval_motion(m, x->s, x->w);
    s->count.supplied += kl_eval_energy(m, x->w, NULL).kinetic - kinetic;
    return KL_OK;
}

kl_status kl_simulation_jump(kl_simulation *s, kl_diag *diag)
{
    kl_solver *x = s->solver;
    bool       jumped;
    KL_TRY(balance(s, x->a, x->lambda, diag));
    KL_TRY(jump_velocities(s, &jumped));
    s->anew = true;
    return balance(s, x->a, x->lambda, diag);
}

kl_status kl_simulation_move(kl_simulation *s, kl_diag *diag)
{
    KL_TRY(kl_simulation_jump(s, diag));
    return begin(s, diag);
}

kl_status kl_simulation_input(kl_simulation *s, kl_diag *diag)
{
    kl_solver *x = s->solver;
    bool       jumped;
    if (!s->integrator->change || s->anew) return kl_simulation_jump(s, diag);
    KL_TRY(balance(s, x->a, x->lambda, diag));
    KL_TRY(jump_velocities(s, &jumped));
    if (jumped) return kl_simulation_jump(s, diag);
    s->integrator->change(s->self, x);
    return KL_OK;
}

/* Takes the last step back. An integrator that can do so loses nothing by it, others restart. */
static kl_status reject_last_step(kl_simulation *s, const kl_statistics *count, kl_diag *diag)
{
    kl_solver *x = s->solver;
    if (s->integrator->back) s->integrator->back(s->self, x);
    kl_state_copy(x->s, s->before);
    s->count.steps = count->steps, s->count.rejected++;
    s->count.lost = count->lost, s->count.supplied = count->supplied;
    if (s->integrator->back) {
        if (kl_eval_position(s->model, x->s, x->w) == KL_OK) kl_accept_caches(s->model, x->w);
        return KL_OK;
    }
    KL_TRY(balance(s, x->a, x->lambda, diag));
    kl_accept_caches(s->model, x->w);
    return s->integrator->begin(s->self, x, diag);
}

/* A crossing was met: what has to begin again depends on what changes there. */
static void cross(kl_simulation *s)
{
    kl_crossing_kind kind = s->events->kind;
    if (kind == KL_CROSSING_SWITCH) { /* forces have continuous slopes: go on */
        if (s->integrator->cut) s->integrator->cut(s->self);
        return;
    }
    if (kind == KL_CROSSING_JUMP || !s->integrator->bend) s->anew = true;
    else s->integrator->bend(s->self);
}

/* A step that ends before a crossing, or beyond it by no more than is allowed; and before corners
 * that are only found on the way. */
static kl_status watched_step(kl_simulation *s, double until, kl_diag *diag)
{
    enum { MOST = 200 }; /* far more than the bisection of any step takes */
    kl_solver    *x      = s->solver;
    kl_events    *e      = s->events;
    kl_statistics count  = s->count;
    double        ending = HUGE_VAL; /* where the condition was seen to become true */
    bool          truth  = s->truth;
    kl_state_copy(s->before, x->s);
    for (int tries = 0; tries < MOST; tries++) {
        double t0 = s->before->t, stop = fmin(until, e->aim), ahead = kl_events_ahead(e, t0);
        /* what lies further ahead must not shorten this step */
        if (!s->integrator->bend || ahead - t0 < 2.0 * s->integrator->next(s->self))
            stop = fmin(stop, ahead);
        KL_TRY(s->integrator->step(s->self, x, stop, &s->count, diag));
        double corner = kl_events_branch(e, x->w->u, t0, x->s->t);
        if (corner <= x->s->t) {
            KL_TRY(reject_last_step(s, &count, diag));
            until = fmin(until, nextafter(corner, -HUGE_VAL));
            if (until <= t0 + kl_events_near(t0)) return KL_OK; /* the next step goes across */
            continue;
        }
        kl_passing passing = kl_events_check(e, x, t0);
        if (passing != KL_PASSED_TOO_FAR) {
            if (passing == KL_PASSED_CROSSING) cross(s);
            s->ended = x->s->t == ending;
            if (s->ended || !s->ending) return KL_OK;
            KL_TRY(find_ending(s, t0, diag, &ending));
            if (ending >= x->s->t) {
                s->ended = ending == x->s->t;
                return KL_OK;
            }
            s->truth = truth;
            KL_TRY(reject_last_step(s, &count, diag));
            kl_events_begin(e, x);
            until = fmin(until, ending);
            continue;
        }
        /* a stop that is stiff for the step throws back what runs into it, and says nothing of where
         * it was met: then by halves */
        if (tries > 10) e->aim = fmin(e->aim, 0.5 * (t0 + x->s->t));
        KL_TRY(reject_last_step(s, &count, diag));
    }
    return kl_step_failed(x, e->aim - x->s->t, &s->count,
                          "the time of a contact event was not found", diag);
}

/* A body whose modes move it by many times the size of the model is no body any more. */
static kl_status check_deformation(const kl_simulation *s, const kl_body *b, kl_diag *diag)
{
    const double    most  = 100.0; /* sizes of the mechanism */
    const kl_model *m     = s->model;
    kl_group        modes = kl_body_group(b, KL_MODAL);
    for (int k = 0; k < modes.nv; k++)
        if (!(fabs(s->solver->s->q[modes.q + k]) <= most * m->unit[modes.v + k]))
            return kl_fail(diag, KL_E_STEP, b->place,
                           "stopped at t = %.9g s: the deformation of '%s' exceeds %g times the "
                           "size of the model and grows without limit; a body that rotates faster "
                           "than its lowest natural frequency needs `stiffening: true`; otherwise "
                           "check for loads above its buckling load",
                           s->solver->s->t, b->name, most);
    return KL_OK;
}

/* A motion that has left everything behind will not come back, and takes ever shorter steps. */
static kl_status check_divergence(const kl_simulation *s, kl_diag *diag)
{
    const double    far = 1e9; /* sizes of the mechanism */
    const kl_model *m   = s->model;
    for (int i = 1; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        if (kl_body_deforms(b)) KL_TRY(check_deformation(s, b, diag));
        kl_group moves = kl_body_group(b, KL_TRANSLATION);
        for (int k = moves.q; k < moves.q + moves.nq; k++)
            if (!(fabs(s->solver->s->q[k] - m->q0[k]) <= far * m->length))
                return kl_fail(diag, KL_E_STEP, b->place,
                               "stopped at t = %.9g s: '%s' is %.3g m away from its initial "
                               "position, so the motion grows without limit; check for negative "
                               "stiffness or damping, a missing joint, or a constant force",
                               s->solver->s->t, b->name,
                               fabs(s->solver->s->q[b->q + k] - m->q0[b->q + k]));
    }
    return KL_OK;
}

static kl_status any_step(kl_simulation *s, double stop, kl_diag *diag)
{
    bool watch = s->events->n > 0 || s->events->nbranched > 0 || s->ending;
    return watch ? watched_step(s, stop, diag)
                 : s->integrator->step(s->self, s->solver, stop, &s->count, diag);
}

/* A step; where Runge-Kutta was chosen and fails, generalized-alpha takes over. */
static kl_status robust_step(kl_simulation *s, double stop, kl_diag *diag)
{
    if (!kl_method_may_fail(s)) return any_step(s, stop, diag);
    kl_status status = any_step(s, stop, s->quiet);
    if (kl_diag_size(s->quiet) > 0 || kl_diag_failed(s->quiet)) kl_diag_clear(s->quiet);
    if (status != KL_E_STEP) return status;
    KL_TRY(kl_method_replace(s));
    s->anew = false;
    KL_TRY(balance(s, s->solver->a, s->solver->lambda, diag));
    KL_TRY(s->integrator->begin(s->self, s->solver, diag));
    return any_step(s, stop, diag);
}

kl_status kl_simulation_step(kl_simulation *s, double until, kl_diag *diag)
{
    kl_solver *x      = s->solver;
    kl_corner  corner = kl_events_corner(s->events, x->s->t);
    KL_TRY(kl_method_reconsider(s));
    if (corner.before <= x->s->t + kl_events_near(x->s->t)) { /* nothing fits in between */
        x->s->t = corner.after;
        KL_TRY(kl_simulation_jump(s, diag));
        if (x->s->t >= until) return KL_OK;
        corner = kl_events_corner(s->events, x->s->t);
    }
    double stop = fmin(fmin(until, corner.before), kl_events_tick(s->events, x->s->t));
    if (s->anew) {
        s->anew = false;
        KL_TRY(balance(s, x->a, x->lambda, diag));
        KL_TRY(s->integrator->begin(s->self, x, diag));
    }
    s->ended  = false;
    double t0 = x->s->t;
    /* for rows within the step */
    memcpy(s->before->h, x->s->h, (size_t)s->model->nh * sizeof(double));
    KL_TRY(robust_step(s, stop, diag));
    s->latest = x->s->t - t0;
    KL_TRY(check_divergence(s, diag));
    KL_TRY(kl_chatter_check(s->chatter, x, diag));
    corner = kl_events_corner(s->events, t0); /* one may have been found on the way */
    if (x->s->t < corner.before) return KL_OK;
    x->s->t = corner.after;
    return kl_simulation_jump(s, diag);
}

/* Energy with what was lost and supplied, at the state that kl_channels_eval saw last. */
static double total_energy(kl_simulation *s)
{
    kl_system_values e = kl_channels_system(s->channels);
    s->liveliest       = fmax(s->liveliest, e.kinetic);
    return e.balance;
}

/* Work of the largest force or reaction over a billionth of the model's length [J]: less is rounding, as in
 * a model at rest, whose kinetic energy is rounding too. */
static double least_energy(const kl_simulation *s)
{
    kl_solver      *x       = s->solver;
    const kl_model *m       = s->model;
    const double   *wrench  = x->w->total;
    double          largest = 0.0;
    if (kl_eval(m, x->s, x->w) != KL_OK) return 0.0;
    kl_eval_totals(m, x->w, x->lambda);
    for (int k = 0; k < 6 * m->nmarker; k++)
        largest = fmax(largest, fabs(wrench[k]) * (k % 6 < 3 ? m->length : 1.0));
    return 1e-9 * largest;
}

/* Equal steps have no error control: what they did to the energy is the only sign of it. */
static void warn_of_energy(kl_simulation *s, kl_diag *diag)
{
    const double share = 0.1;
    double       step = s->model->settings.step, change = total_energy(s) - s->total;
    if (isnan(step) || !(fabs(change) > share * s->liveliest)) return;
    if (fabs(change) < least_energy(s)) return;
    kl_warn(diag, KL_NOWHERE,
            "the energy balance is off by %.3g J (largest kinetic energy %.3g J): steps of %.3g s "
            "are too long for the fastest motion of this model; use a shorter `step`, or remove it "
            "to get an adaptive step size",
            change, s->liveliest, step);
}

/* The row of the state that kl_channels_eval saw last. */
static kl_status pass_row(kl_simulation *s, const double *values, const kl_sink *sink)
{
    double           total = total_energy(s);
    kl_system_values d     = kl_channels_system(s->channels);
    s->worst = (kl_drift){fmax(s->worst.position, d.position), fmax(s->worst.rotation, d.rotation),
                          fmax(s->worst.rate, d.rate)};
    if (s->row == 1 && isnan(s->total)) s->total = total;
    return sink->row(sink->context, s->solver->s->t, values);
}

/* A row of the present state. */
static kl_status write_row(kl_simulation *s, const kl_sink *sink, kl_diag *diag)
{
    const double *values;
    KL_TRY(s->row <= 1 ? kl_simulation_sample(s, diag, &values)
                       : sample_row(s, NULL, diag, &values));
    return pass_row(s, values, sink);
}

/* A row at a time within the last step. */
static kl_status write_row_within_step(kl_simulation *s, double t, const kl_sink *sink,
                                       kl_diag *diag)
{
    saved_state   before;
    const double *values;
    KL_TRY(interpolate_at(s, t, &before, diag, &values));
    kl_status status = pass_row(s, values, sink);
    end_interpolation(s, &before);
    return status;
}

/* ---- checkpoints ---- */

/* version, time, first row, rows, interval and number of checkpoints; the model; sizes; and at the end
 * the fingerprint of all numbers before it */
enum { PACK_VERSION = 3, PACK_MODEL = 6, PACK_SIZES, PACK_HEAD = 13, PACK_COUNT = 10 };

int kl_simulation_pack_size(const kl_simulation *s)
{
    return PACK_HEAD + PACK_COUNT + s->solver->s->n + 1;
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
    pack[PACK_MODEL] = s->fingerprint;
    pack_sizes(s->model, pack + PACK_SIZES);
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
    int last   = kl_simulation_pack_size(s) - 1;
    pack[last] = kl_numbers_fingerprint(pack, last);
}

/* Forgets all that does not follow from the state: the same after a checkpoint as in a new process.
 */
static kl_status renew(kl_simulation *s, kl_diag *diag)
{
    kl_solver *x = s->solver;
    s->integrator->destroy(s->self);
    s->self = NULL;
    kl_matrix_invalidate(x->matrix);
    kl_matrix_invalidate(x->mass);
    kl_work_invalidate(x->model, x->w);
    KL_TRY(s->integrator->create(x, &s->self));
    KL_TRY(kl_method_choose(s));
    KL_TRY(balance(s, x->a, x->lambda, diag));
    return begin(s, diag);
}

/* What happened before the checkpoint was reported by the run that wrote it. */
static void skip_reported_notices(kl_simulation *s)
{
    const kl_model *m = s->model;
    kl_eval_motion(m, s->solver->s, s->solver->w);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e      = &m->element[i];
        kl_notice         notice = {0};
        if (!e->type->watch) continue;
        kl_reading in = kl_reading_of(m, s->solver->s, s->solver->w, e);
        e->type->watch(&in, &notice);
        if (notice.is_note) s->reported[i] = notice.count;
    }
}

/* May a state of n numbers be resumed with this model? */
static kl_status check_pack(const kl_simulation *s, const double *pack, int n, kl_diag *diag)
{
    const kl_model *m = s->model;
    double          sizes[PACK_HEAD - PACK_SIZES];
    if (n < 1 || pack[0] != PACK_VERSION)
        return kl_fail(
            diag, KL_E_VERSION, KL_NOWHERE,
            "this state has layout version %g and this program reads version %d; run the "
            "model again from its start",
            n > 0 ? pack[0] : 0.0, PACK_VERSION);
    if (n != kl_simulation_pack_size(s))
        return kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                       "this state has %d numbers, a state of this model has %d; restart with the "
                       "model that was run",
                       n, kl_simulation_pack_size(s));
    pack_sizes(m, sizes);
    bool same = true;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        same = same && sizes[k] == pack[PACK_SIZES + k];
    if (!same)
        return kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                       "this state belongs to another model: it has %g coordinates and %g "
                       "multipliers, this model %d and %d; restart with the model that was run",
                       pack[PACK_SIZES], pack[PACK_HEAD - 1], m->nq, m->nlam);
    if (pack[PACK_MODEL] != s->fingerprint)
        return kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                       "this state belongs to another model of the same size, or to other "
                       "parameters; restart with the model and the parameters that were run");
    for (int k = 0; k < n; k++)
        if (!isfinite(pack[k]))
            return kl_fail(diag, KL_E_RANGE, KL_NOWHERE,
                           "number %d of this state is not finite, so the state is damaged; save "
                           "it again, or start from the beginning",
                           k + 1);
    if (pack[n - 1] != kl_numbers_fingerprint(pack, n - 1))
        return kl_fail(
            diag, KL_E_RANGE, KL_NOWHERE,
            "numbers of this state were changed after it was saved, so it may be no state "
            "of the model; restore the state as it was saved, with all digits");
    return KL_OK;
}

kl_status kl_simulation_resume(kl_simulation *s, const double *pack, int n, kl_diag *diag)
{
    kl_state *at = s->solver->s;
    KL_TRY(check_pack(s, pack, n, diag));
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
    s->total = NAN; /* of the first row, which another run wrote */
    at->t    = pack[1];
    memcpy(at->x, c + PACK_COUNT, (size_t)at->n * sizeof *c);
    skip_reported_notices(s);
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

/* Each notice once, or the end of the run. */
static kl_status report_notice(kl_simulation *s, const char *name, kl_place place,
                               const kl_notice *notice, int *reported, kl_diag *diag)
{
    double t = s->solver->s->t;
    if (notice->stop)
        return kl_fail(diag, KL_E_STOPPED, place,
                       "stopped at t = %.6g s: '%s' %s; the rows computed so far are kept", t, name,
                       notice->text);
    if (notice->count <= *reported) return KL_OK;
    *reported = notice->count;
    if (notice->is_note) kl_note(diag, place, "at t = %.6g s '%s' %s", t, name, notice->text);
    else kl_warn(diag, place, "at t = %.6g s '%s' %s", t, name, notice->text);
    return KL_OK;
}

static kl_status check_bodies(kl_simulation *s, bool failed, kl_diag *diag)
{
    const kl_model *m = s->model;
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b      = &m->body[i];
        kl_notice      notice = {.failed = failed};
        if (!b->type->watch) continue;
        b->type->watch(b->data, s->solver->s->q + b->q, s->solver->s->v + b->v, &notice);
        KL_TRY(report_notice(s, b->name, b->place, &notice, &s->reported[m->nelement + i], diag));
    }
    return KL_OK;
}

/* What bodies and elements have to say after a step. KL_E_STOPPED: one of them ends the run. */
static kl_status report_notices(kl_simulation *s, kl_diag *diag)
{
    const kl_model *m     = s->model;
    const kl_state *at    = s->solver->s;
    bool            fresh = false;
    KL_TRY(check_bodies(s, false, diag));
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        if (!e->type->watch) continue;
        if (!fresh) kl_eval_committed(m, at, s->solver->w);
        fresh             = true;
        kl_reading in     = kl_reading_of(m, at, s->solver->w, e);
        kl_notice  notice = {0};
        e->type->watch(&in, &notice);
        KL_TRY(report_notice(s, e->name, e->place, &notice, &s->reported[i], diag));
    }
    return KL_OK;
}

static double row_time(const kl_simulation *s, double end, double every, long rows)
{
    return kl_events_snap(s->events, s->row >= rows ? end : s->begin + (double)s->row * every);
}

/* A checkpoint that falls beside a row by rounding is at the row. */
static double checkpoint_time(const kl_simulation *s, double end, double every)
{
    if (!(s->checkpoint > 0.0)) return HUGE_VAL;
    double mark = s->begin + (double)s->mark * s->checkpoint;
    double row = s->begin + round((mark - s->begin) / every) * every, near = 1e-6 * every;
    if (fabs(mark - end) < near) mark = end;
    return kl_events_snap(s->events, fabs(mark - row) < near ? row : mark);
}

/* Finite elements that flow: within a step their history is neither that of its start nor of its end, so
 * a row ends a step. */
static bool remembers_path(const kl_model *m)
{
    for (int i = 0; i < m->nelement; i++)
        if (m->element[i].type->stiffness && m->element[i].nh > 0) return true;
    return false;
}

kl_status kl_simulation_run(kl_simulation *s, double end, double every, const kl_sink *sink,
                            kl_diag *diag)
{
    if (!((end - s->model->t0) / every <= KL_MOST_ROWS))
        return kl_fail(diag, KL_E_RANGE, KL_NOWHERE,
                       "%.4g s with an output interval of %.4g s give more than %d rows; use a "
                       "larger `every` under `run`",
                       end, every, KL_MOST_ROWS);
    if (s->row == 0) {
        KL_TRY(kl_simulation_start(s, diag));
        s->begin = s->solver->s->t;
        s->row   = 1;
        s->mark  = 1;
        s->total = NAN, s->liveliest = 0.0;
        KL_TRY(write_row(s, sink, diag));
        KL_TRY(check_bodies(s, true, diag)); /* executed once, so its cost is negligible */
    }
    long rows           = (long)ceil((end - s->begin) / every * (1.0 - 1e-12));
    bool rows_end_steps = remembers_path(s->model);
    while (s->row <= rows) {
        double    next = row_time(s, end, every, rows), mark = checkpoint_time(s, end, every);
        double    last = kl_events_snap(s->events, end);
        double    stop = fmin(s->integrator->look && !rows_end_steps ? last : next, mark);
        kl_status gone = kl_simulation_step(s, stop, diag);
        if (gone != KL_OK) {
            if (gone != KL_E_MEMORY)
                (void)check_bodies(s, true, diag); /* an element may give the reason */
            return gone;
        }
        double now = s->solver->s->t;
        /* before the rows, which move the work area to other times */
        kl_status seen = report_notices(s, diag);
        for (; s->row <= rows && next < now; next = row_time(s, end, every, rows)) {
            KL_TRY(write_row_within_step(s, next, sink, diag));
            s->row++;
        }
        bool cut = s->ended || seen != KL_OK ||
                   (sink->continue_run && !sink->continue_run(sink->context, now));
        if (cut || (s->row <= rows && next == now))
            KL_TRY(s->anew || !s->integrator->look ? write_row(s, sink, diag)
                                                   : write_row_within_step(s, now, sink, diag));
        if (s->row <= rows && next == now) s->row++;
        if (now == mark && s->row <= rows) KL_TRY(take_checkpoint(s, sink, diag));
        if (seen != KL_OK) return seen;
        if (s->ended) {
            kl_note(diag, s->model->settings.stop_when.place,
                    "the run ended at t = %.9g s, where `%s` became true", now,
                    s->model->settings.stop_when.text);
            return KL_OK;
        }
        if (cut) return KL_E_INTERRUPTED;
    }
    warn_of_energy(s, diag);
    return KL_OK;
}
