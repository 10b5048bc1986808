/* Ride comfort of floor points, in the manner of EN 12299, ISO 2631 and Sperling.
 *
 * A floor point NAME is three channels floor_NAME_x, floor_NAME_y, floor_NAME_z: accelerations in car body
 * axes without gravity [m/s2]. Weighted root mean squares of blocks of 5 s; percentiles over the blocks.
 * A seat at that point is three more: seat_NAME_y, seat_NAME_z and back_NAME_x. With the roll rate of the
 * car body, floor_NAME_roll [rad/s], entries into curves are judged too (comfort_transitions.h). */
#include <math.h>
#include <string.h>

#include "post/assess_domains.h"
#include "post/comfort.h"
#include "post/comfort_transitions.h"
#include "post/welch.h"

static const char *const SECTION = "comfort";

static bool is_floor(const kl_assess_input *in, const char *object)
{
    return kl_assess_named(object, "floor_") && kl_assess_has(in, object, "_x") &&
           kl_assess_has(in, object, "_y");
}

static bool comfort_suits(const kl_assess_input *in)
{
    const char *object;
    for (int i = 0; (object = kl_assess_object(in, "_z", i)); i++)
        if (is_floor(in, object)) return true;
    return false;
}

/* Whole blocks of the record. */
static int block_count(const kl_assess_input *in)
{
    return (int)(in->rows / (kl_assess_setting(in, SECTION, NULL, "block_s", 5.0) * in->rate) +
                 1e-9);
}

/* Weighted block values of one direction, sorted; how many. */
static int block_values(const kl_assess_input *in, const double *a, const char *weighting,
                        double *blocks, int most)
{
    double *y = kl_assess_space(in, in->rows);
    if (!y || kl_weighting_apply(kl_weighting_find(weighting), a, in->rows, in->rate, y) != KL_OK)
        return 0;
    double seconds = kl_assess_setting(in, SECTION, NULL, "block_s", 5.0);
    int    n       = kl_block_rms(y, in->rows, in->rate, seconds, most, blocks);
    kl_sort_numbers(blocks, n);
    return n;
}

/* The percentile `share` of the weighted block values of one channel; NaN when there is none. */
static double block_percentile(const kl_assess_input *in, const char *object, const char *part,
                               const char *weighting, double share)
{
    const double *a      = kl_assess_column(in, object, part, "m/s2");
    int           most   = block_count(in);
    double       *blocks = kl_assess_space(in, most);
    if (!a || !blocks) return (double)NAN;
    int n = block_values(in, a, weighting, blocks, most);
    return n > 0 ? kl_percentile(blocks, n, share, KL_PERCENTILE_LINEAR) : (double)NAN;
}

/* `car.floor_front` becomes `car.seat_front`. */
static const char *seat_of(const kl_assess_input *in, const char *floor, const char *word)
{
    const char *dot  = strrchr(floor, '.');
    const char *name = dot ? dot + 1 : floor;
    return kl_arena_format(in->arena, "%.*s%s%s", (int)(name - floor), floor, word,
                           name + strlen("floor"));
}

/* N_VA where the point has a seat with a backrest. */
static void seated_row(const kl_assess_input *in, const char *object, double z_p95, double share,
                       kl_assessment *out)
{
    const char *seat = seat_of(in, object, "seat"), *back = seat_of(in, object, "back");
    if (!seat || !back || !kl_assess_has(in, seat, "_y") || !kl_assess_has(in, seat, "_z") ||
        !kl_assess_has(in, back, "_x"))
        return;
    double y = block_percentile(in, seat, "_y", "Wd", share),
           z = block_percentile(in, seat, "_z", "Wb", share),
           x = block_percentile(in, back, "_x", "Wc", share);
    kl_assess_add(out, (double)NAN, kl_comfort_seated(z_p95, y, z, x), "1",
                  kl_assess_setting(in, SECTION, NULL, "N_VA", (double)NAN), "%s.N_VA", object);
}

static kl_status sperling_rows(const kl_assess_input *in, const char *object, const double *a,
                               bool lateral, kl_assessment *out)
{
    static const double seconds = 5.0; /* blocks of both definitions: lines of 0.2 Hz */
    kl_density          d;
    kl_welch            how  = {.segment = 2 * (int)(0.5 * seconds * in->rate)};
    kl_sperling         kind = lateral ? KL_SPERLING_COMFORT_LATERAL : KL_SPERLING_COMFORT_VERTICAL;
    const char         *axis = lateral ? "y" : "z";
    KL_TRY(kl_density_find(a, in->rows, in->rate, &how, &d));
    double limit = kl_assess_setting(in, SECTION, NULL, "sperling", (double)NAN);
    kl_assess_add(out, (double)NAN, kl_sperling_of_density(kind, d.frequency, d.value, d.n), "1",
                  limit, "%s.Wz_%s_weighting", object, axis);
    /* amplitudes of the lines: sqrt(2 S df) */
    double *line = kl_assess_space(in, d.n);
    int n = 0, first = (int)ceil(0.5 / d.frequency[1]), last = (int)floor(30.0 / d.frequency[1]);
    for (int k = first; line && k <= last && k < d.n; k++)
        line[n++] = sqrt(2.0 * d.value[k] * d.frequency[1]);
    kl_assess_add(out, (double)NAN, kl_sperling_harmonic(kind, line, d.frequency + first, n), "1",
                  limit, "%s.Wz_%s_harmonic", object, axis);
    kl_density_free(&d);
    return KL_OK;
}

static kl_status point_rows(const kl_assess_input *in, const char *object, kl_assessment *out)
{
    static const char *const part[3] = {"_x", "_y", "_z"}, *const weighting[3] = {"Wd", "Wd", "Wb"};
    double  p95[3], p50[3], share = 0.95;
    int     most = block_count(in), n = 0;
    int     full    = (int)kl_assess_setting(in, SECTION, NULL, "blocks", 60.0);
    double  seconds = kl_assess_setting(in, SECTION, NULL, "block_s", 5.0);
    double *blocks  = kl_assess_space(in, most);
    if (!blocks) return KL_E_MEMORY;
    share = kl_assess_setting(in, SECTION, NULL, "percentile", 95.0) / 100.0;
    for (int k = 0; k < 3; k++) {
        const double *a = kl_assess_column(in, object, part[k], "m/s2");
        if (!a) return KL_E_FILE;
        n      = block_values(in, a, weighting[k], blocks, most);
        p95[k] = kl_percentile(blocks, n, share, KL_PERCENTILE_LINEAR);
        p50[k] = kl_percentile(blocks, n, 0.5, KL_PERCENTILE_LINEAR);
        kl_assess_add(out, (double)NAN, p95[k], "m/s2", (double)NAN, "%s.a%cP95", object, 'X' + k);
    }
    if (n < full)
        kl_warn(in->diag, (kl_place){.file = in->file},
                "`%s`: %d blocks of %g s instead of %d; a full evaluation needs a run of %g s",
                object, n, seconds, full, seconds * full);
    kl_assess_add(out, (double)NAN, kl_comfort_mean(p95[0], p95[1], p95[2]), "1",
                  kl_assess_setting(in, SECTION, NULL, "N_MV", (double)NAN), "%s.N_MV", object);
    kl_assess_add(out, (double)NAN, kl_comfort_standing(p50[0], p50[1], p50[2], p95[1]), "1",
                  kl_assess_setting(in, SECTION, NULL, "N_VD", (double)NAN), "%s.N_VD", object);
    seated_row(in, object, p95[2], share, out);
    KL_TRY(sperling_rows(in, object, kl_assess_column(in, object, "_y", "m/s2"), true, out));
    KL_TRY(sperling_rows(in, object, kl_assess_column(in, object, "_z", "m/s2"), false, out));
    /* ISO 2631-1: root mean square of the whole ride, Wk vertical and Wd lateral */
    double *y = kl_assess_space(in, in->rows);
    for (int k = 1; y && k < 3; k++) {
        KL_TRY(kl_weighting_apply(kl_weighting_find(k == 2 ? "Wk" : "Wd"),
                                  kl_assess_column(in, object, part[k], "m/s2"), in->rows, in->rate,
                                  y));
        kl_assess_add(out, (double)NAN, kl_root_mean_square(y, in->rows), "m/s2", (double)NAN,
                      "%s.iso2631_%s", object, part[k] + 1);
    }
    return kl_assess_transitions(in, object, out);
}

static kl_status comfort_run(const kl_assess_input *in, kl_assessment *out)
{
    double      least = kl_assess_setting(in, SECTION, NULL, "least_rate_hz", 100.0);
    double      block = kl_assess_setting(in, SECTION, NULL, "block_s", 5.0);
    const char *object;
    if (!kl_assess_rate_suffices(in, "comfort", least)) return KL_E_RANGE;
    if (!(block * in->rate >= 2.0)) {
        kl_fail(in->diag, KL_E_RANGE, (kl_place){.file = in->file},
                "comfort: `block_s: %g` of the limits file is too short; give 5", block);
        return KL_E_RANGE;
    }
    if (in->rows < block * in->rate) {
        kl_fail(in->diag, KL_E_RANGE, (kl_place){.file = in->file},
                "comfort needs a run of at least %g s, the results cover %.3g s; use a later "
                "`end` in `run`",
                block, in->rows / in->rate);
        return KL_E_RANGE;
    }
    for (int i = 0; (object = kl_assess_object(in, "_z", i)); i++)
        if (is_floor(in, object)) KL_TRY(point_rows(in, object, out));
    return KL_OK;
}

static const char *const channels[] = {"floor_", "seat_", "back_", ".curvature", ".distance", NULL};

const kl_assess_domain kl_assess_comfort = {
    .reads = channels,
    .name  = "comfort",
    .help =
        "ride comfort following EN 12299, ISO 2631 and Sperling; needs outputs floor_NAME_x, "
        "floor_NAME_y, floor_NAME_z [m/s2]; with floor_NAME_roll [rad/s] also entries into curves, "
        "with seat_NAME_y, seat_NAME_z, back_NAME_x also seated comfort",
    .suits = comfort_suits,
    .run   = comfort_run,
};
