#include "solve/method_change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How exactly steps end at crossings. Explicit steps of fixed length have no error control that would
 * see a stop which begins within them. An integrator that cannot take a step back would restart for
 * a crossing at which forces keep their slopes, and its error control sees those. */
void kl_method_set_event_rules(kl_simulation *s)
{
    bool blind           = s->integrator == &kl_runge_kutta && !isnan(s->model->settings.step);
    s->events->continues = s->integrator->bend && !blind;
    s->events->lenient   = !s->integrator->back || s->integrator->short_steps;
}

static kl_status use_method(kl_simulation *s, const kl_integrator *method)
{
    kl_solver *x         = s->solver;
    double     tolerance = s->model->settings.tolerance;
    s->integrator->destroy(s->self);
    s->self       = NULL;
    s->integrator = method;
    kl_method_set_event_rules(s);
    s->watch     = (kl_method_watch){0};
    x->tolerance = method == &kl_runge_kutta   ? kl_method_tolerance(tolerance)
                   : method == &kl_gear_index1 ? kl_method_tolerance_of_gear(tolerance)
                                               : tolerance;
    kl_matrix_invalidate(x->matrix);
    s->anew = true;
    return method->create(x, &s->self);
}

/* For the state where the run begins or is resumed. */
kl_status kl_method_choose(kl_simulation *s)
{
    kl_method_steps at;
    if (!s->automatic) return KL_OK;
    /* no knowledge from the run so far, so that a restarted run continues identically */
    s->bound   = kl_method_bound(s->model);
    s->watch   = (kl_method_watch){0};
    s->latest  = 0.0;
    s->changes = 0;
    memset(s->trial, 0, sizeof s->trial);
    const kl_integrator *best = &kl_generalized_alpha;
    if (s->bound) {
        snprintf(s->chosen, sizeof s->chosen, "%s", s->bound);
    } else if (kl_method_measure(s->scratch, s->solver, s->model->settings.tolerance, true, &at) !=
               KL_OK) {
        snprintf(s->chosen, sizeof s->chosen, "accelerations near the start are not defined");
    } else {
        bool smooth = kl_method_smooth(&at);
        best        = smooth ? &kl_runge_kutta : best;
        snprintf(s->chosen, sizeof s->chosen,
                 smooth ? "smooth motion, fastest rate of the equations %.2g 1/s"
                        : "stiff forces, fastest rate of the equations %.2g 1/s",
                 at.rate);
    }
    return best != s->integrator ? use_method(s, best) : KL_OK;
}

/* A guest beside its host, by work. */
static kl_status try_guest(kl_simulation *s, kl_method_trial *trial, long first,
                           const kl_integrator *host, const kl_integrator *guest)
{
    double pays, t = s->solver->s->t;
    double price = kl_method_price_of_matrix(s->model, s->solver->matrix);
    switch (kl_method_compare(trial, price, t, &s->count, first, &pays)) {
    case KL_METHOD_TRIES:
        snprintf(s->chosen, sizeof s->chosen, "on trial since t = %.4g s", t);
        return use_method(s, guest);
    case KL_METHOD_KEEPS:
        snprintf(s->chosen, sizeof s->chosen, "since t = %.4g s: %.2g of the work of %s", t, pays,
                 host->name);
        return KL_OK;
    case KL_METHOD_LEAVES:
        snprintf(s->chosen, sizeof s->chosen, "since t = %.4g s: %s takes %.2g times the work", t,
                 guest->name, pays);
        return use_method(s, host);
    case KL_METHOD_STAYS: break;
    }
    return KL_OK;
}

/* Generalized-alpha beside Runge-Kutta, Gear's method beside generalized-alpha where that was the choice. Not where
 * joints stick and slip, whose events begin methods again and again. */
static kl_status compare_methods(kl_simulation *s)
{
    kl_method_trial *explicit_host = &s->trial[0], *implicit_host = &s->trial[1];
    bool             explicit_now = s->integrator == &kl_runge_kutta;
    if (s->model->reads_reactions) return KL_OK;
    if (explicit_now) *implicit_host = (kl_method_trial){0};
    if (explicit_now || (explicit_host->on && !explicit_host->kept))
        return try_guest(s, explicit_host,
                         kl_method_is_near(&s->watch) ? KL_TRIAL_OF_NEAR_RIVAL
                                                      : KL_TRIAL_BESIDE_RUNGE_KUTTA,
                         &kl_runge_kutta, &kl_generalized_alpha);
    return try_guest(s, implicit_host, KL_TRIAL_BESIDE_ALPHA, &kl_generalized_alpha,
                     &kl_gear_index1);
}

/* Before a step: would the other method do with less than the last one took? */
kl_status kl_method_reconsider(kl_simulation *s)
{
    double h = s->latest;
    enum { MOST = 6 }; /* changes of the method */
    char why[128];
    s->latest = 0.0;
    if (!s->automatic || s->bound || !(h > 0.0)) return KL_OK;
    KL_TRY(compare_methods(s));
    /* what was compared by its work is not left for an estimate */
    if (s->trial[0].on || s->trial[1].on || s->changes >= MOST) return KL_OK;
    bool explicit_now = s->integrator == &kl_runge_kutta;
    if (!kl_method_is_inefficient(&s->watch, s->scratch, s->solver, s->model->settings.tolerance, h,
                                  explicit_now, why, sizeof why))
        return KL_OK;
    snprintf(s->chosen, sizeof s->chosen, "since t = %.4g s: %s", s->solver->s->t, why);
    s->changes++;
    /* friction that sticks is stiff and comes back: short steps of its events do not tell otherwise */
    if (explicit_now && s->model->reads_reactions) s->bound = "friction sticks in this run";
    double taken = s->watch.mean;
    if (!explicit_now && s->watch.rival > 0.0) s->changes = MOST; /* both have been tried */
    KL_TRY(use_method(s, explicit_now ? &kl_generalized_alpha : &kl_runge_kutta));
    if (explicit_now) s->watch.rival = taken;
    return KL_OK;
}

bool kl_method_may_fail(const kl_simulation *s)
{
    return s->automatic && s->integrator != &kl_generalized_alpha;
}

kl_status kl_method_replace(kl_simulation *s)
{
    snprintf(s->chosen, sizeof s->chosen, "since t = %.4g s: %s could not continue",
             s->solver->s->t, s->integrator->name);
    s->bound = "another method failed in this run";
    return use_method(s, &kl_generalized_alpha);
}
