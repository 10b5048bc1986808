#include "post/comfort_transitions.h"

#include <math.h>

#include "post/comfort.h"

static const double WINDOW = 1.0; /* of the sliding means [s] */
static const double AFTER  = 1.6; /* the acceleration counts so long behind the transition [s] */
static const double CURVED = 1.0 / 5000.0; /* from here on a track is a curve [1/m] */

/* mean[i] of the rows i - rows/2 .. i + rows/2 that exist. */
static void sliding_mean(const double *x, int n, int rows, double *mean)
{
    double sum  = 0.0;
    int    from = 0, to = 0; /* rows from .. to - 1 are in the sum */
    for (int i = 0; i < n; i++) {
        for (; to < n && to <= i + rows / 2; to++) sum += x[to];
        for (; from < i - rows / 2; from++) sum -= x[from];
        mean[i] = sum / (to - from);
    }
}

static int inside(int i, int n) { return i < 0 ? 0 : i > n - 1 ? n - 1 : i; }

static double largest(const double *x, int from, int to)
{
    double most = 0.0;
    for (int i = from; i <= to; i++) most = fmax(most, fabs(x[i]));
    return most;
}

kl_transition_figures kl_transition_figures_of(const kl_transition *t, double *work)
{
    kl_transition_figures f    = {0};
    int                   rows = (int)lround(WINDOW * t->rate);
    sliding_mean(t->acceleration, t->n, rows, work);
    f.acceleration = largest(work, t->first, inside(t->last + (int)lround(AFTER * t->rate), t->n));
    for (int i = inside(t->first - rows, t->n); i <= inside(t->last - rows, t->n); i++)
        f.jerk = fmax(f.jerk, fabs(work[inside(i + rows, t->n)] - work[i]) / WINDOW);
    sliding_mean(t->roll, t->n, rows, work);
    f.roll = largest(work, t->first, t->last);
    return f;
}

/* Curvature under the middle of the vehicle: mean of all wheelsets; NULL when none was recorded. */
static double *vehicle_curvature(const kl_assess_input *in)
{
    const char *wheelset;
    int         count = 0;
    double     *mean  = kl_assess_space(in, in->rows);
    for (; mean && (wheelset = kl_assess_object(in, ".curvature", count)); count++) {
        const double *c = kl_assess_column(in, wheelset, ".curvature", "1/m");
        for (int i = 0; c && i < in->rows; i++) mean[i] += c[i];
    }
    for (int i = 0; mean && count && i < in->rows; i++) mean[i] /= count;
    return count ? mean : NULL;
}

/* The next stretch behind row `from` over which the size of the curvature grows to that of a curve. */
static bool next_entry(const double *curvature, int n, int from, int *first, int *last)
{
    const double rounding = 1e-9; /* of rounding [1/m] */
    for (int i = from; i < n - 1; i++) {
        if (!(fabs(curvature[i + 1]) > fabs(curvature[i]) + rounding)) continue;
        *first = i;
        while (i < n - 1 && fabs(curvature[i + 1]) > fabs(curvature[i]) + rounding) i++;
        *last = i;
        if (fabs(curvature[i]) > CURVED) return true;
    }
    return false;
}

kl_status kl_assess_transitions(const kl_assess_input *in, const char *object, kl_assessment *out)
{
    static const char *const word[2] = {"seated", "standing"};
    kl_transition t = {.acceleration = kl_assess_column(in, object, "_y", "m/s2"), .n = in->rows};
    t.roll          = kl_assess_column(in, object, "_roll", "rad/s");
    t.rate          = in->rate;
    if (!t.acceleration || !t.roll) return KL_OK;
    double       *curvature = vehicle_curvature(in), *work = kl_assess_space(in, in->rows);
    const char   *leading  = kl_assess_object(in, ".distance", 0);
    const double *place    = leading ? kl_assess_column(in, leading, ".distance", "m") : NULL;
    double        worst[2] = {-1.0, -1.0}, where[2] = {(double)NAN, (double)NAN};
    if (!curvature || !work) return KL_OK;
    for (int from = 0; next_entry(curvature, in->rows, from, &t.first, &t.last);
         from     = t.last + 1) {
        kl_transition_figures f = kl_transition_figures_of(&t, work);
        for (int standing = 0; standing < 2; standing++) {
            double p = kl_comfort_transition(standing, f.acceleration, f.jerk, f.roll);
            if (p > worst[standing])
                worst[standing] = p, where[standing] = place ? place[t.first] : (double)NAN;
        }
    }
    for (int standing = 0; standing < 2; standing++)
        if (worst[standing] >= 0.0)
            kl_assess_add(out, where[standing], worst[standing], "%",
                          kl_assess_setting(in, "comfort", NULL,
                                            standing ? "P_CT_standing" : "P_CT_seated",
                                            (double)NAN),
                          "%s.P_CT_%s", object, word[standing]);
    return KL_OK;
}
