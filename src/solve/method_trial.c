#include "solve/method_trial.h"

#include <math.h>

/* A trial costs as much as some 500 steps of generalized-alpha: first after so many steps, then more rarely. */
enum { FIRST = 3000, GROWTH = 8, MOST_REFUSED = 6 };
/* Gear's method begins with order 1: steps that do not count, and those that do. */
enum { WARM = 60, TRIAL = 60, LATER = 1000 };

double kl_method_tolerance_of_gear(double tolerance)
{
    return fmin(1e-4, fmax(1e-13, 0.01 * cbrt(tolerance * tolerance)));
}

/* A matrix with constraints takes about the time of an evaluation (measured: 1.1 to 1.6 of one with the governor,
 * Andrews' squeezer and a four-bar), one of free bodies little (a top on a plane: 0.1). */
static double work_of(const kl_model *m, const kl_statistics *count)
{
    double price = m->nlam > 0 ? 1.0 : 0.1;
    return (double)count->evaluations + price * (double)count->factorizations;
}

static void count_anew(kl_method_trial *w, double t, double work)
{
    w->steps = 0;
    w->t     = t;
    w->work  = work;
}

static long steps_before_trial(const kl_method_trial *w)
{
    long steps = FIRST;
    for (int k = 0; k < w->refused; k++) steps *= GROWTH;
    return steps;
}

static kl_method_verdict compare_alpha(kl_method_trial *w, double t, double work)
{
    if (w->refused >= MOST_REFUSED || w->steps < steps_before_trial(w)) return KL_METHOD_STAYS;
    w->rival = t > w->t ? (work - w->work) / (t - w->t) : 0.0;
    count_anew(w, t, work);
    if (!(w->rival > 0.0)) return KL_METHOD_STAYS;
    w->steps = -WARM;
    return KL_METHOD_TRIES_GEAR;
}

/* Does it still do with less? The first time this says that it is kept. */
static kl_method_verdict compare_gear(kl_method_trial *w, double t, double work, double *pays)
{
    const double worth = 0.9; /* a gain that is worth a change */
    bool         first = !w->kept;
    *pays              = t > w->t ? (work - w->work) / (t - w->t) / w->rival : HUGE_VAL;
    count_anew(w, t, work);
    w->kept = *pays < worth;
    if (w->kept) return first ? KL_METHOD_KEEPS_GEAR : KL_METHOD_STAYS;
    w->refused++;
    return KL_METHOD_LEAVES_GEAR;
}

kl_method_verdict kl_method_compare(kl_method_trial *w, const kl_model *m, double t,
                                    const kl_statistics *count, bool gear, double *pays)
{
    double work = work_of(m, count);
    *pays       = 0.0;
    if (!w->begun) w->steps = 0;
    if (!w->begun || (gear && w->steps == -1)) count_anew(w, t, work); /* the order has grown */
    w->begun = true;
    w->steps++;
    if (!gear) return compare_alpha(w, t, work);
    return w->steps < (w->kept ? LATER : TRIAL) ? KL_METHOD_STAYS : compare_gear(w, t, work, pays);
}
