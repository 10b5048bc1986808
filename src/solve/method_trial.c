#include "solve/method_trial.h"

#include <math.h>

/* After a trial that did not pay the next one comes so much later. */
enum { GROWTH = 8, MOST_REFUSED = 6 };
/* A guest begins with short steps and low order: steps that do not count, and those that do. */
enum { WARM = 60, TRIAL = 60, LATER = 1000 };

double kl_method_tolerance_of_gear(double tolerance)
{
    return fmin(1e-4, fmax(1e-13, 0.01 * cbrt(tolerance * tolerance)));
}

/* Both are linear in what is counted; the factors [us] were fitted to 16 examples on one machine, and only their
 * ratios matter. An evaluation contains the solution of a system, and the constant is what a step costs besides.
 * This gives 0.3 for a top on a plane, 0.5 for a bogie, 0.7 for a double pendulum, 1.2 for a four-bar and Andrews'
 * squeezer, 1.3 for the flyball governor and 2.0 for a beam of 48 elements. */
double kl_method_price_of_matrix(const kl_model *m, const kl_matrix *x)
{
    double n = kl_matrix_size(x), parts = m->nbody + m->nelement;
    double matrix     = 0.3 + 0.07 * n + 2.5e-4 * kl_lu_work(kl_matrix_lu(x));
    double evaluation = 2.0 + 0.15 * parts + 0.03 * n;
    return matrix / evaluation;
}

static double work_of(double price, const kl_statistics *count)
{
    return (double)count->evaluations + price * (double)count->factorizations;
}

static void count_anew(kl_method_trial *w, double t, double work)
{
    w->steps = 0;
    w->t     = t;
    w->work  = work;
}

static kl_method_verdict compare_host(kl_method_trial *w, double t, double work, long first)
{
    long steps = first;
    for (int k = 0; k < w->refused; k++) steps *= GROWTH;
    if (w->refused >= MOST_REFUSED || w->steps < steps) return KL_METHOD_STAYS;
    w->rival = t > w->t ? (work - w->work) / (t - w->t) : 0.0;
    count_anew(w, t, work);
    if (!(w->rival > 0.0)) return KL_METHOD_STAYS;
    w->steps = -WARM;
    w->on    = true;
    return KL_METHOD_TRIES;
}

/* Does it still do with less? The first time this says that it is kept. */
static kl_method_verdict compare_guest(kl_method_trial *w, double t, double work, double *pays)
{
    const double worth = 0.9; /* a gain that is worth a change */
    bool         first = !w->kept;
    *pays              = t > w->t ? (work - w->work) / (t - w->t) / w->rival : HUGE_VAL;
    count_anew(w, t, work);
    w->on = w->kept = *pays < worth;
    if (w->kept) return first ? KL_METHOD_KEEPS : KL_METHOD_STAYS;
    w->refused++;
    return KL_METHOD_LEAVES;
}

kl_method_verdict kl_method_compare(kl_method_trial *w, double price, double t,
                                    const kl_statistics *count, long first, double *pays)
{
    double work = work_of(price, count);
    *pays       = 0.0;
    if (!w->begun) w->steps = 0;
    if (!w->begun) count_anew(w, t, work);
    w->begun = true;
    w->steps++;
    if (w->on && w->steps == 0) count_anew(w, t, work); /* the steps have grown */
    if (!w->on) return compare_host(w, t, work, first);
    return w->steps < (w->kept ? LATER : TRIAL) ? KL_METHOD_STAYS : compare_guest(w, t, work, pays);
}
