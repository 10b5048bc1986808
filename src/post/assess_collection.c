/* Current collection in the manner of EN 50318 and EN 50367: contact force filtered at 20 Hz, its
 * mean, standard deviation and extremes, loss of contact, uplift at the supports.
 *
 * Force target over speed (AC): F_m <= constant + factor v^2, v in km/h; sigma <= share F_m. */
#include <math.h>
#include <stdio.h>

#include "post/assess_domains.h"
#include "post/collection_figures.h"

#define SECTION "current_collection"

static double setting(const kl_assess_input *in, const char *key, double otherwise)
{
    return kl_assess_setting(in, SECTION, NULL, key, otherwise);
}

static const double *channel(const kl_assess_input *in, const char *object, const char *name,
                             const char *unit, int i)
{
    char part[64];
    if (i == 0) snprintf(part, sizeof part, ".%s", name);
    else snprintf(part, sizeof part, ".%s_%d", name, i + 1);
    return kl_assess_column(in, object, part, unit);
}

static kl_status read_record(const kl_assess_input *in, const char *object, int i,
                             kl_collection_record *r)
{
    *r           = (kl_collection_record){.n     = in->rows,
                                          .force = channel(in, object, "contact_force", "N", i)};
    r->x         = channel(in, object, "position", "m", i);
    r->evaluated = channel(in, object, "evaluated", "1", i);
    r->support   = channel(in, object, "support", "m", i);
    r->uplift    = channel(in, object, "support_uplift", "m", i);
    double *own  = kl_assess_space(in, r->n);
    if (!r->force || !r->x || !r->evaluated || !r->support || !r->uplift)
        return kl_fail(in->diag, KL_E_NAME, (kl_place){.file = in->file},
                       "current collection needs the channels contact_force, position, evaluated, "
                       "support and support_uplift of `%s`; record them in `run: {record: ...}`",
                       object);
    if (!own) return KL_E_MEMORY;
    kl_collection_filter(r->force, r->n, setting(in, "low_pass_hz", 20.0), in->rate, own);
    r->filtered = own;
    return KL_OK;
}

static void add_rows(const kl_assess_input *in, const kl_collection_figures *f, const char *suffix,
                     kl_assessment *out)
{
    const double none = (double)NAN;
    double       kmh  = 3.6 * f->speed;
    double       target =
        setting(in, "mean_constant_N", 70.0) + setting(in, "mean_per_kmh2_N", 0.00097) * kmh * kmh;
    kl_assess_add(out, none, f->mean, "N", target, "mean_N%s", suffix);
    kl_assess_add(out, none, f->sigma, "N", setting(in, "sigma_share", 0.3) * f->mean, "sigma_N%s",
                  suffix);
    kl_assess_add(out, none, f->mean + 3.0 * f->sigma, "N", none, "statistical_max_N%s", suffix);
    kl_assess_add(out, none, f->mean - 3.0 * f->sigma, "N", none, "statistical_min_N%s", suffix);
    kl_assess_add(out, none, f->most, "N", setting(in, "max_N", 350.0), "max_N%s", suffix);
    kl_assess_add(out, none, f->least, "N", none, "min_N%s", suffix);
    kl_assess_add(out, f->uplift_at, 1e3 * f->uplift, "mm", setting(in, "uplift_mm", 120.0),
                  "uplift_mm%s", suffix);
    kl_assess_add(out, none, 100.0 * f->lost, "%", setting(in, "contact_loss_percent", 0.2),
                  "contact_loss_percent%s", suffix);
}

/* Rows that count at the start or at the end of the run: it covers a part of the place only. */
static void warn_of_part(const kl_assess_input *in, const char *object, int i,
                         const kl_collection_record *r, const kl_collection_figures *f)
{
    if (!kl_collection_is_part(r)) return;
    kl_warn(in->diag, (kl_place){.file = in->file},
            "pantograph %d of '%s' runs over only a part of the line that is evaluated: the "
            "figures cover %.5g to %.5g m; let it start earlier or run longer, or give it another "
            "`evaluate: [from, to]`",
            i + 1, object, f->from, f->to);
}

static kl_status assess_one(const kl_assess_input *in, const char *object, int i,
                            kl_assessment *out)
{
    kl_collection_record  r;
    kl_collection_figures f;
    char                  suffix[8] = "";
    KL_TRY(read_record(in, object, i, &r));
    f = kl_collection_figures_of(&r);
    if (f.rows < 2)
        return kl_fail(in->diag, KL_E_MODEL, (kl_place){.file = in->file},
                       "%s does not reach the part of the line that is evaluated; run longer, or "
                       "give the pantograph another `evaluate: [from, to]`",
                       object);
    warn_of_part(in, object, i, &r, &f);
    f.speed = (r.x[r.n - 1] - r.x[0]) / (in->time[r.n - 1] - in->time[0]);
    if (i > 0) snprintf(suffix, sizeof suffix, "_%d", i + 1);
    add_rows(in, &f, suffix, out);
    return KL_OK;
}

/* The n-th element with a contact force along a line. */
static const char *collector(const kl_assess_input *in, int n)
{
    const char *object;
    for (int i = 0; (object = kl_assess_object(in, ".contact_force", i)); i++)
        if (kl_assess_has(in, object, ".evaluated") && n-- == 0) return object;
    return NULL;
}

static bool collection_suits(const kl_assess_input *in) { return collector(in, 0) != NULL; }

static kl_status collection_run(const kl_assess_input *in, kl_assessment *out)
{
    const char *object;
    double      corner = setting(in, "low_pass_hz", 20.0);
    if (!kl_assess_rate_suffices(in, "current collection", 100.0)) return KL_E_RANGE;
    if (!(corner > 0.0 && corner < 0.5 * in->rate))
        return kl_fail(in->diag, KL_E_RANGE, (kl_place){.file = in->file},
                       "low_pass_hz of current_collection is %g Hz; %.4g rows per second can be "
                       "filtered between 0 and %.4g Hz",
                       corner, in->rate, 0.5 * in->rate);
    for (int k = 0; (object = collector(in, k)); k++)
        for (int i = 0; i == 0 || channel(in, object, "evaluated", "1", i); i++)
            KL_TRY(assess_one(in, object, i, out));
    return KL_OK;
}

const kl_assess_domain kl_assess_collection = {
    .name  = "current-collection",
    .help  = "contact force of pantographs, following EN 50318 and EN 50367; needs the channels "
             "contact_force, position and evaluated of a `pantograph` or `catenary-contact`",
    .suits = collection_suits,
    .run   = collection_run,
};
