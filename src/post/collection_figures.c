#include "post/collection_figures.h"

#include <math.h>
#include <string.h>

#include "algebra/filter.h"

void kl_collection_filter(const double *force, int n, double corner, double rate, double *out)
{
    kl_filter f;
    memcpy(out, force, (size_t)n * sizeof *out);
    if (kl_filter_lowpass(&f, 6, corner, rate) == KL_OK) kl_filter_run_both_ways(&f, out, n);
}

static void sum_rows(const kl_collection_record *r, kl_collection_figures *f)
{
    for (int i = 0; i < r->n; i++) {
        if (r->evaluated[i] < 0.5) continue;
        double F = r->filtered[i];
        f->mean += F, f->sigma += F * F;
        f->most = fmax(f->most, F), f->least = fmin(f->least, F);
        f->from = fmin(f->from, r->x[i]), f->to = fmax(f->to, r->x[i]);
        f->lost += !(r->force[i] > 0.0);
        f->rows++;
    }
    f->mean /= f->rows;
    f->sigma = sqrt(fmax(0.0, f->sigma / f->rows - f->mean * f->mean));
    f->lost /= f->rows;
}

/* Largest uplift at the supports of the evaluated part, while they are the nearest ones. */
static void find_uplift(const kl_collection_record *r, kl_collection_figures *f)
{
    const double beside = 1.0; /* [m] rows seldom meet a support exactly */
    for (int i = 0; i < r->n; i++) {
        if (r->support[i] < f->from - beside || r->support[i] > f->to + beside) continue;
        if (r->uplift[i] > f->uplift) f->uplift = r->uplift[i], f->uplift_at = r->support[i];
    }
}

kl_collection_figures kl_collection_figures_of(const kl_collection_record *r)
{
    kl_collection_figures f = {
        .most = -HUGE_VAL, .least = HUGE_VAL, .from = HUGE_VAL, .to = -HUGE_VAL};
    sum_rows(r, &f);
    find_uplift(r, &f);
    return f;
}

bool kl_collection_is_part(const kl_collection_record *r)
{
    return r->n > 0 && (r->evaluated[0] > 0.5 || r->evaluated[r->n - 1] > 0.5);
}
