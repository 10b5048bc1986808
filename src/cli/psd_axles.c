#include "cli/psd_axles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "script/expression.h"

static const double TWO_PI = 6.283185307179586;

enum { MOST_AXLES = 64, MOST_PEAKS = 10000, STEPS = 64 };

typedef struct axles {
    double x[MOST_AXLES], speed; /* x: from their mean, in wavelengths at 1 Hz, thus x/speed [s] */
    int    n;
} axles;

static kl_status quantity(const char *option, const char *text, const char *unit,
                          const char *example, kl_diag *diag, double *out)
{
    kl_quantity q;
    kl_diag    *quiet = kl_diag_create();
    bool        good =
        quiet &&
        kl_expression_number(text, KL_NOWHERE, &(kl_symbols){0}, NULL, quiet, &q) == KL_OK &&
        isfinite(q.value) && kl_quantity_fits(q, kl_dim_of(unit));
    kl_diag_destroy(quiet);
    if (good) *out = q.value;
    return good ? KL_OK
                : kl_fail(diag, KL_E_USAGE, (kl_place){.file = option},
                          "'%s': write for example %s", text, example);
}

static kl_status read_axles(const char *text, const char *speed, kl_diag *diag, axles *a)
{
    const char *example = "1.7,0,-1.7 (places along the track [m])";
    double      mean    = 0.0;
    KL_TRY(quantity("--speed", speed, "m/s", "70km/h", diag, &a->speed));
    if (!(a->speed > 0.0))
        return kl_fail(diag, KL_E_USAGE, (kl_place){.file = "--speed"}, "must be positive");
    for (const char *p = text; a->n < MOST_AXLES;) {
        char   word[64];
        size_t n = strcspn(p, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, p);
        KL_TRY(
            quantity("--axles", n < sizeof word ? word : text, "m", example, diag, &a->x[a->n++]));
        if (p[n] == '\0') break;
        p += n + 1;
    }
    for (int i = 0; i < a->n; i++) mean += a->x[i] / a->n;
    double apart = 0.0;
    for (int i = 0; i < a->n; i++) {
        a->x[i] = (a->x[i] - mean) / a->speed;
        apart   = fmax(apart, fabs(a->x[i]));
    }
    if (apart > 0.0) return KL_OK;
    return kl_fail(diag, KL_E_USAGE, (kl_place){.file = "--axles"},
                   "give at least two axles at different places, such as %s", example);
}

/* Share of the greatest possible push, or turn, at f [Hz]. */
static double share(const axles *a, bool turns, double f)
{
    double re = 0.0, im = 0.0, total = 0.0;
    for (int i = 0; i < a->n; i++) {
        double weight = turns ? a->x[i] : 1.0;
        double phase  = TWO_PI * f * a->x[i];
        re += weight * cos(phase), im += weight * sin(phase);
        total += fabs(weight);
    }
    return hypot(re, im) / total;
}

static double span(const axles *a)
{
    double least = a->x[0], most = a->x[0];
    for (int i = 1; i < a->n; i++) least = fmin(least, a->x[i]), most = fmax(most, a->x[i]);
    return most - least;
}

/* Steps through the frequencies, and by a parabola to the maximum between steps. */
static void find(const axles *a, bool turns, double to, kl_axle_peaks *out)
{
    double h = 1.0 / (STEPS * span(a)), last = to + (a->n - 1) / span(a); /* one period further */
    for (int k = 1; (k - 1) * h <= last && out->n < MOST_PEAKS; k++) {
        double before = share(a, turns, (k - 1) * h), at = share(a, turns, k * h),
               after = share(a, turns, (k + 1) * h), bend = before - 2.0 * at + after;
        if (at < before || at <= after || at * at < 0.5) continue;
        double f = h * (k + (bend < 0.0 ? 0.5 * (before - after) / bend : 0.0));
        if (f <= last) out->peak[out->n++] = (kl_axle_peak){.frequency = f, .turns = turns};
    }
}

kl_status kl_axle_peaks_find(const char *text, const char *speed, double to, kl_diag *diag,
                             kl_axle_peaks *out)
{
    axles a = {.n = 0};
    *out    = (kl_axle_peaks){0};
    KL_TRY(read_axles(text, speed, diag, &a));
    if (!(out->peak = calloc(MOST_PEAKS, sizeof *out->peak))) return KL_E_MEMORY;
    find(&a, false, to, out);
    find(&a, true, to, out);
    return KL_OK;
}

void kl_axle_peaks_free(kl_axle_peaks *p)
{
    free(p->peak);
    *p = (kl_axle_peaks){0};
}
