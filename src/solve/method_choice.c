#include "solve/method_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/groups.h"

static const double COST =
    12.0; /* steps of generalized-alpha for one of Runge-Kutta: measured 11 to 12 */
static const double REACH =
    4.0; /* |h rate| up to which the pair of order 8 is stable, with a margin */
static const double ERROR =
    0.084; /* of generalized-alpha with a spectral radius of 0.9, over h^3 v'' */

const char *kl_method_bound(const kl_model *m)
{
    const kl_settings *s = &m->settings;
    if (!isnan(s->step)) return "steps are fixed";
    if (s->spectral_radius != 0.9) return "a spectral radius is given";
    if (m->interval > 0.0) return "parts of the model have their own time steps";
    for (int i = 0; i < m->nelement; i++)
        if (m->element[i].path_dependent)
            return "forces depend on the history of contacts or material";
    for (int i = 1; i < m->nbody; i++) {
        if (kl_body_deforms(&m->body[i])) return "there are flexible bodies";
    }
    return NULL;
}

double kl_method_for_accuracy(int integrator, double accuracy)
{
    double tolerance = integrator == KL_RUNGE_KUTTA ? 1e-3 * accuracy
                       : integrator == KL_GEAR      ? 1e-4 * accuracy
                                                    : pow(0.01 * accuracy, 1.5);
    return fmax(tolerance, 1e-15);
}

double kl_method_tolerance(double tolerance)
{
    return fmin(1e-4, fmax(1e-13, 0.1 * cbrt(tolerance * tolerance)));
}

/* ---- how fast things change ---- */

/* Accelerations at the solver's state moved by dx and dv; the state is that of `base` afterwards. */
static kl_status acceleration_at(kl_solver *x, const kl_state *base, const double *dx,
                                 const double *dv, double *a, double *lambda, kl_diag *diag)
{
    const kl_model *m = x->model;
    if (dx) kl_model_advance(m, base->q, dx, x->s->q);
    for (int k = 0; dv && k < m->nv; k++) x->s->v[k] = base->v[k] + dv[k];
    kl_status status = kl_solve_acceleration(x, a, lambda, diag);
    kl_state_copy(x->s, base);
    return status;
}

static double scaled(const kl_model *m, double *d, double to)
{
    double size = kl_increment_norm(m, d, NULL);
    if (!(size > 0.0) || !isfinite(size)) return 0.0;
    for (int k = 0; k < m->nv; k++) d[k] *= to / size;
    return size;
}

struct kl_method_scratch {
    kl_arena *arena;
    kl_state *base;
    kl_diag  *diag;
    double   *a0, *a, *d, *lambda;
};
typedef kl_method_scratch scratch;

/* A direction in which all coordinates take part, the same in every run. */
static void any_direction(const kl_model *m, double *d)
{
    unsigned seed = 12345u;
    for (int k = 0; k < m->nv; k++) {
        seed = seed * 1103515245u + 12345u;
        d[k] = m->unit[k] * (0.5 + (double)(seed >> 16 & 0xff) / 256.0) * (k % 2 ? -1.0 : 1.0);
    }
}

/* Largest |A_x| (stiffness over mass) or |A_v| (damping over mass) by the power method on differences
 * of the accelerations. */
static kl_status largest(kl_solver *x, scratch *w, bool position, double *out)
{
    enum { PASSES = 6 };
    const kl_model *m    = x->model;
    const double    tiny = 1e-6;
    *out                 = 0.0;
    any_direction(m, w->d);
    double speed = position ? 1.0 : fmax(1.0, kl_increment_norm(m, w->base->v, NULL));
    for (int pass = 0; pass < PASSES; pass++) {
        if (scaled(m, w->d, tiny * speed) == 0.0) return KL_OK;
        KL_TRY(acceleration_at(x, w->base, position ? w->d : NULL, position ? NULL : w->d, w->a,
                               w->lambda, w->diag));
        for (int k = 0; k < m->nv; k++) w->d[k] = w->a[k] - w->a0[k];
        *out = kl_increment_norm(m, w->d, NULL) / (tiny * speed);
    }
    return KL_OK;
}

/* |v''|, by a difference along the motion. */
static kl_status jerk_of(kl_solver *x, scratch *w, double pace, double *out)
{
    const kl_model *m  = x->model;
    double          dt = 1e-5 / pace;
    for (int k = 0; k < m->nv; k++) {
        w->d[k] = dt * (w->base->v[k] + 0.5 * dt * w->a0[k]);
        x->s->v[k] += dt * w->a0[k];
    }
    x->s->t += dt;
    KL_TRY(acceleration_at(x, w->base, w->d, NULL, w->a, w->lambda, w->diag));
    for (int k = 0; k < m->nv; k++) w->d[k] = (w->a[k] - w->a0[k]) / dt;
    *out = kl_increment_norm(m, w->d, NULL);
    return KL_OK;
}

static kl_status measure_stiffness(kl_solver *x, scratch *w, double tolerance, bool stiffness,
                                   kl_method_steps *out)
{
    const double slowest = 1e-2; /* 1/s */
    double       jerk, stiff = 0.0, damped = 0.0;
    KL_TRY(acceleration_at(x, w->base, NULL, NULL, w->a0, w->lambda, w->diag));
    double pace = fmax(kl_increment_norm(x->model, w->base->v, NULL),
                       sqrt(kl_increment_norm(x->model, w->a0, NULL)));
    pace        = fmax(pace, slowest);
    KL_TRY(jerk_of(x, w, pace, &jerk));
    if (stiffness) KL_TRY(largest(x, w, true, &stiff));
    if (stiffness) KL_TRY(largest(x, w, false, &damped));
    out->rate = fmax(sqrt(stiff), damped);
    out->now  = jerk > 0.0 ? cbrt(0.5 * tolerance / (ERROR * jerk)) : HUGE_VAL;
    /* a run sees faster changes than its start */
    out->alpha       = fmin(out->now, cbrt(0.5 * tolerance / ERROR) / pace);
    out->runge_kutta = 3.3 / pace * pow(kl_method_tolerance(tolerance), 0.125);
    if (out->rate > 0.0) out->runge_kutta = fmin(out->runge_kutta, REACH / out->rate);
    return isfinite(jerk) && isfinite(out->rate) ? KL_OK : KL_RETRY;
}

kl_status kl_method_measure(kl_method_scratch *w, kl_solver *x, double tolerance, bool stiffness,
                            kl_method_steps *out)
{
    *out = (kl_method_steps){0};
    kl_state_copy(w->base, x->s);
    kl_status status = measure_stiffness(x, w, tolerance, stiffness, out);
    kl_state_copy(x->s, w->base);
    if (kl_diag_size(w->diag) > 0) kl_diag_clear(w->diag);
    return status;
}

kl_method_scratch *kl_method_scratch_create(const kl_model *m)
{
    kl_arena          *arena = kl_arena_create();
    kl_method_scratch *w     = kl_arena_array(arena, kl_method_scratch, 1);
    if (!w) {
        kl_arena_destroy(arena);
        return NULL;
    }
    w->arena  = arena;
    w->base   = kl_state_create(m);
    w->diag   = kl_diag_create();
    w->a0     = kl_arena_array(arena, double, m->nv + 1);
    w->a      = kl_arena_array(arena, double, m->nv + 1);
    w->d      = kl_arena_array(arena, double, m->nv + 1);
    w->lambda = kl_arena_array(arena, double, m->nlam + 1);
    if (w->base && w->diag && kl_arena_ok(arena)) return w;
    kl_method_scratch_destroy(w);
    return NULL;
}

void kl_method_scratch_destroy(kl_method_scratch *w)
{
    if (!w) return;
    kl_diag_destroy(w->diag);
    kl_state_destroy(w->base);
    kl_arena_destroy(w->arena); /* itself lives in it */
}

bool kl_method_smooth(const kl_method_steps *at) { return at->runge_kutta > COST * at->alpha; }

/* ---- while running ---- */

enum { LOOKS = sizeof((kl_method_watch *)NULL)->alpha / sizeof(double) };

/* The shortest step of generalized-alpha of the last looks: the jerk may vanish for a moment. */
static double shortest_alpha(const kl_method_watch *w)
{
    double alpha = HUGE_VAL;
    for (int k = 0; k < LOOKS; k++) alpha = fmin(alpha, w->alpha[k]);
    return alpha;
}

bool kl_method_is_near(const kl_method_watch *w)
{
    double least = HUGE_VAL, most = 0.0;
    for (int k = 0; k < LOOKS; k++)
        least = fmin(least, w->means[k]), most = fmax(most, w->means[k]);
    return w->looks >= LOOKS && most < 1.5 * least && most < COST * shortest_alpha(w);
}

bool kl_method_is_inefficient(kl_method_watch *w, kl_method_scratch *room, kl_solver *x,
                              double tolerance, double h, bool runge_kutta, char *why, size_t size)
{
    const long      window = runge_kutta ? 16 : 250L << (w->looks < 10 ? w->looks : 10);
    kl_method_steps at;
    w->steps++, w->span += h;
    if (w->steps < window) return false;
    double mean = w->span / (double)w->steps;
    w->steps    = 0;
    w->span     = 0.0;
    w->mean     = mean;
    if (!runge_kutta && w->rival > 1.2 * COST * mean) { /* measured, not estimated */
        snprintf(why, size, "steps of %.2g s before, %.2g s with generalized-alpha", w->rival,
                 mean);
        return true;
    }
    if (kl_method_measure(room, x, tolerance, !runge_kutta, &at) != KL_OK) return false;
    w->means[w->looks % LOOKS]   = mean;
    w->alpha[w->looks++ % LOOKS] = at.now;
    if (!runge_kutta) {
        snprintf(why, size, "steps of %.2g s instead of %.2g s", at.runge_kutta, mean);
        return at.runge_kutta > 1.6 * COST * mean;
    }
    snprintf(why, size, "stiff forces hold explicit steps at %.2g s", mean);
    return w->looks >= LOOKS && mean < 0.5 * COST * shortest_alpha(w);
}
