#include "post/wheel_forces.h"

#include <math.h>
#include <string.h>

#include "algebra/filter.h"
#include "post/statistics.h"

static const char *const SECTION = "railway";

static bool is_wheelset(const kl_assess_input *in, const char *object)
{
    return kl_assess_has(in, object, ".Y_right") && kl_assess_has(in, object, ".Q_left") &&
           kl_assess_has(in, object, ".Q_right");
}

bool kl_has_wheelsets(const kl_assess_input *in)
{
    const char *object;
    for (int i = 0; (object = kl_assess_object(in, ".Y_left", i)); i++)
        if (is_wheelset(in, object)) return true;
    return false;
}

kl_status kl_assess_no_filter(const kl_assess_input *in, const char *group, const char *key)
{
    return kl_fail(in->diag, KL_E_RANGE, (kl_place){.file = in->file},
                   "the filter `%s.%s` of the limits file is impossible with %.4g rows per second: "
                   "its corner must be above 0 and below half of that, and a band needs a lower "
                   "and a higher corner",
                   group, key, in->rate);
}

static kl_status filtered(const kl_assess_input *in, const kl_filter *f, const char *object,
                          const char *part, double **out)
{
    const double *raw = kl_assess_column(in, object, part, "N");
    *out              = kl_assess_space(in, in->rows);
    if (!raw || !*out) return KL_E_MEMORY;
    memcpy(*out, raw, (size_t)in->rows * sizeof **out);
    kl_filter_run_both_ways(f, *out, in->rows);
    return KL_OK;
}

/* Distance along the track: recorded, or the running speed added up. */
static kl_status read_distance(const kl_assess_input *in, kl_wheel_forces *w)
{
    int n       = in->rows;
    w->distance = kl_assess_column(in, w->name, ".distance", "m");
    if (!w->distance) {
        const double *v = kl_assess_column(in, w->name, ".running_speed", "m/s");
        double       *s = v ? kl_assess_space(in, n) : NULL;
        for (int i = 1; s && i < n; i++) s[i] = s[i - 1] + 0.5 * (v[i] + v[i - 1]) / in->rate;
        w->distance = s;
    }
    for (int i = 1; w->distance && i < n; i++)
        if (w->distance[i] < w->distance[i - 1] - 1e-9)
            return kl_fail(
                in->diag, KL_E_RANGE, (kl_place){.file = in->file},
                "the vehicle runs backwards at t = %.4g s; assess a run in one direction",
                in->time[i]);
    w->curvature = kl_assess_column(in, w->name, ".curvature", "1/m");
    return KL_OK;
}

static kl_status read_wheelset(const kl_assess_input *in, const kl_filter *f, const char *object,
                               kl_wheel_forces *w)
{
    static const char *const Y[2] = {".Y_left", ".Y_right"}, *const Q[2] = {".Q_left", ".Q_right"};
    int n = in->rows;
    *w    = (kl_wheel_forces){.name = object};
    for (int k = 0; k < 2; k++) {
        KL_TRY(filtered(in, f, object, Y[k], &w->Y[k]));
        KL_TRY(filtered(in, f, object, Q[k], &w->Q[k]));
        w->Q0 += 0.5 * kl_mean(w->Q[k], n);
        w->ratio[k] = kl_assess_space(in, n);
    }
    w->sum = kl_assess_space(in, n);
    if (!w->sum || !w->ratio[0] || !w->ratio[1]) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) {
        w->sum[i] = w->Y[0][i] - w->Y[1][i];
        /* a wheel that lifts has no ratio; a hundredth of its load keeps the number finite */
        for (int k = 0; k < 2; k++) w->ratio[k][i] = w->Y[k][i] / fmax(w->Q[k][i], 0.01 * w->Q0);
    }
    return read_distance(in, w);
}

kl_status kl_wheel_forces_read(const kl_assess_input *in, kl_wheel_forces **set, int *n)
{
    kl_filter   f;
    const char *object;
    int         most   = 0;
    double      corner = kl_assess_setting(in, SECTION, NULL, "low_pass_hz", 20.0);
    *set               = NULL;
    *n                 = 0;
    if (kl_filter_lowpass(&f, 4, corner, in->rate) != KL_OK)
        return kl_assess_no_filter(in, SECTION, "low_pass_hz");
    for (int i = 0; (object = kl_assess_object(in, ".Y_left", i)); i++) {
        if (!is_wheelset(in, object)) continue;
        if (!kl_arena_grow(in->arena, (void **)set, *n, &most, sizeof **set)) return KL_E_MEMORY;
        KL_TRY(read_wheelset(in, &f, object, &(*set)[(*n)++]));
    }
    return KL_OK;
}
