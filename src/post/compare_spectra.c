#include "post/compare_spectra.h"

#include <math.h>
#include <stdlib.h>

#include "post/statistics.h"

static double two_sided(double ratio, double freedom_a, double freedom_b)
{
    double below = kl_f_distribution(ratio, freedom_b, freedom_a);
    double above = kl_f_distribution(1.0 / ratio, freedom_a, freedom_b);
    return fmin(1.0, 2.0 * fmin(below, above));
}

/* The ratio above 1 (or below, with `up` false) where p falls to the threshold. */
static double ratio_at(double threshold, double freedom_a, double freedom_b, bool up)
{
    double inside = 0.0, outside = 1.0; /* logarithms of the ratio, by size */
    while (two_sided(exp(up ? outside : -outside), freedom_a, freedom_b) > threshold &&
           outside < 500.0)
        outside *= 2.0;
    for (int k = 0; k < 80; k++) {
        double middle    = 0.5 * (inside + outside);
        bool   is_inside = two_sided(exp(up ? middle : -middle), freedom_a, freedom_b) > threshold;
        *(is_inside ? &inside : &outside) = middle;
    }
    return exp(up ? outside : -outside);
}

kl_status kl_spectra_compare(const kl_density *a, const kl_density *b, double from, double to,
                             double alpha, kl_comparison *out)
{
    *out = (kl_comparison){0};
    if (a->n != b->n || a->n < 3 ||
        fabs(a->frequency[1] - b->frequency[1]) > 1e-9 * a->frequency[1])
        return KL_E_RANGE;
    out->line = calloc((size_t)a->n, sizeof *out->line);
    if (!out->line) return KL_E_MEMORY;
    for (int k = 1; k < a->n - 1; k++) { /* the mean and half the rate have other distributions */
        if (a->frequency[k] < from || a->frequency[k] > to) continue;
        kl_spectral_line *l = &out->line[out->n++];
        *l                  = (kl_spectral_line){
                             .frequency = a->frequency[k], .first = a->value[k], .second = b->value[k], .p = 1.0};
        l->ratio = l->second / l->first;
        if (l->first > 0.0 && l->second > 0.0) l->p = two_sided(l->ratio, a->freedom, b->freedom);
    }
    if (out->n == 0) {
        kl_comparison_free(out);
        return KL_E_RANGE;
    }
    out->threshold = -expm1(log1p(-alpha) / out->n);
    out->low       = ratio_at(out->threshold, a->freedom, b->freedom, false);
    out->high      = ratio_at(out->threshold, a->freedom, b->freedom, true);
    for (int k = 0; k < out->n; k++)
        out->different += out->line[k].different = out->line[k].p < out->threshold;
    return KL_OK;
}

void kl_comparison_free(kl_comparison *c)
{
    free(c->line);
    *c = (kl_comparison){0};
}
