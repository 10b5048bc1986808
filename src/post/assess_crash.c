/* Collisions of trains in the manner of EN 15227: mean deceleration of each vehicle, overriding, crush by
 * interface, survival space, and the distribution of the energy.
 *
 * The mean deceleration over a window T is the change of speed |v(t + T) - v(t)| / T, which needs no
 * filter: the speed is the integral of the acceleration. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "post/assess_domains.h"
#include "post/energy_parts.h"

#define SECTION "crash"

static const double GRAVITY = 9.80665, NONE = (double)NAN;

static double setting(const kl_assess_input *in, const char *key, double otherwise)
{
    return kl_assess_setting(in, SECTION, NULL, key, otherwise);
}

/* The n-th output whose own name begins so; NULL: no more. */
static const char *output(const kl_assess_input *in, const char *begin, int n)
{
    for (int i = 0; i < kl_reader_channels(in->reader); i++) {
        const kl_channel_info *c = kl_reader_channel(in->reader, i);
        if (c->own && kl_assess_named(c->name, begin) && n-- == 0) return c->name;
    }
    return NULL;
}

/* The n-th element that is crushed. */
static const char *zone(const kl_assess_input *in, int n)
{
    const char *object;
    for (int i = 0; (object = kl_assess_object(in, ".crush", i)); i++)
        if (kl_assess_has(in, object, ".absorbed") && n-- == 0) return object;
    return NULL;
}

static double largest(const double *v, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

static double mean_deceleration(const double *v, int n, int window, double rate)
{
    double most = 0.0;
    for (int i = 0; i + window < n; i++) most = fmax(most, fabs(v[i + window] - v[i]));
    return most * rate / window;
}

static kl_status add_decelerations(const kl_assess_input *in, kl_assessment *out)
{
    const char *name;
    int         window = (int)lround(setting(in, "window_s", 0.12) * in->rate);
    if (window < 1) window = 1;
    for (int k = 0; (name = output(in, "speed_", k)); k++) {
        const double *v = kl_assess_column(in, name, "", "m/s");
        if (!v) return KL_E_MEMORY;
        if (in->rows <= window)
            return kl_fail(in->diag, KL_E_RANGE, (kl_place){.file = in->file},
                           "the run of %.4g s is shorter than the window of the mean deceleration, "
                           "%.4g s; run longer, or change window_s of crash in the limits",
                           in->time[in->rows - 1] - in->time[0], window / in->rate);
        kl_assess_add(out, NONE, mean_deceleration(v, in->rows, window, in->rate) / GRAVITY, "g",
                      setting(in, "mean_deceleration_g", 5.0), "%s.mean_deceleration", name);
    }
    return KL_OK;
}

static kl_status add_overriding(const kl_assess_input *in, kl_assessment *out)
{
    const char *name;
    for (int k = 0; (name = output(in, "overriding", k)); k++) {
        const double *v = kl_assess_column(in, name, "", "m");
        if (!v) return KL_E_MEMORY;
        kl_assess_add(out, NONE, 1e3 * largest(v, in->rows), "mm",
                      setting(in, "overriding_mm", 100.0), "%s", name);
    }
    return KL_OK;
}

/* Shortening of a survival space since the start, against a share of its length. */
static kl_status add_survival(const kl_assess_input *in, kl_assessment *out)
{
    const char *name;
    for (int k = 0; (name = output(in, "survival_", k)); k++) {
        const double *v    = kl_assess_column(in, name, "", "m");
        double        lost = 0.0;
        if (!v) return KL_E_MEMORY;
        for (int i = 0; i < in->rows; i++) lost = fmax(lost, v[0] - v[i]);
        kl_assess_add(out, NONE, 1e3 * lost, "mm", 1e3 * setting(in, "survival_share", 0.01) * v[0],
                      "%s.shortening", name);
    }
    return KL_OK;
}

/* Crush against the stroke, from outputs crush_NAME and stroke_NAME; without them of each zone. */
static kl_status add_crush(const kl_assess_input *in, kl_assessment *out)
{
    const char *name;
    char        other[256];
    for (int k = 0; (name = output(in, "crush_", k)); k++) {
        const double *v  = kl_assess_column(in, name, "", "m"), *stroke;
        const char   *at = strstr(name, "crush_");
        snprintf(other, sizeof other, "%.*sstroke_%s", (int)(at - name), name, at + 6);
        stroke = kl_assess_column(in, other, "", "m");
        if (!v) return KL_E_MEMORY;
        kl_assess_add(out, NONE, largest(v, in->rows), "m", stroke ? stroke[0] : NONE, "%s", name);
    }
    for (int i = 0; !output(in, "crush_", 0) && (name = zone(in, i)); i++) {
        const double *v = kl_assess_column(in, name, ".crush", "m");
        if (!v) return KL_E_MEMORY;
        kl_assess_add(out, NONE, largest(v, in->rows), "m", NONE, "%s.crush", name);
    }
    return KL_OK;
}

/* Energies at the end: of interfaces (outputs energy_NAME), or of each zone. */
static kl_status add_interfaces(const kl_assess_input *in, kl_assessment *out)
{
    const char *name;
    for (int k = 0; (name = output(in, "energy_", k)); k++) {
        const double *v = kl_assess_column(in, name, "", "J");
        if (!v) return KL_E_MEMORY;
        kl_assess_add(out, NONE, 1e-3 * v[in->rows - 1], "kJ", NONE, "%s", name);
    }
    for (int i = 0; !output(in, "energy_", 0) && (name = zone(in, i)); i++) {
        const double *v = kl_assess_column(in, name, ".absorbed", "J");
        if (!v) return KL_E_MEMORY;
        kl_assess_add(out, NONE, 1e-3 * v[in->rows - 1], "kJ", NONE, "%s.absorbed", name);
    }
    return KL_OK;
}

/* Change of the energy balance over the energy lost. */
static void add_balance(const kl_assess_input *in, kl_assessment *out)
{
    const double *balance = kl_assess_column(in, "energy", ".balance", "J");
    const double *lost    = kl_assess_column(in, "energy", ".lost", "J");
    double        most    = 0.0;
    if (!balance || !lost || !(lost[in->rows - 1] > 0.0)) return;
    for (int i = 0; i < in->rows; i++) most = fmax(most, fabs(balance[i] - balance[0]));
    kl_assess_add(out, NONE, 100.0 * most / lost[in->rows - 1], "%",
                  setting(in, "energy_balance_percent", 1.0), "energy_balance");
}

/* What became of the energy: each part at the end. */
static kl_status add_energy_table(const kl_assess_input *in, kl_assessment *out)
{
    kl_energy_parts parts;
    kl_status       status = kl_energy_parts_read(in->reader, in->arena, &parts);
    if (status == KL_E_NAME) return KL_OK; /* not recorded */
    KL_TRY(status);
    for (int k = 0; k < parts.n; k++)
        if (strcmp(parts.part[k].key, "kinetic") == 0)
            kl_assess_add(out, NONE, 1e-3 * parts.part[k].value[0], "kJ", NONE,
                          "part.kinetic_at_start");
    for (int k = 0; k < parts.n; k++)
        kl_assess_add(out, NONE, 1e-3 * parts.part[k].value[parts.rows - 1], "kJ", NONE, "part.%s",
                      parts.part[k].key);
    add_balance(in, out);
    return KL_OK;
}

static bool crash_suits(const kl_assess_input *in) { return zone(in, 0) != NULL; }

static kl_status crash_run(const kl_assess_input *in, kl_assessment *out)
{
    if (!kl_assess_rate_suffices(in, "crash", 100.0)) return KL_E_RANGE;
    KL_TRY(add_decelerations(in, out));
    KL_TRY(add_overriding(in, out));
    KL_TRY(add_survival(in, out));
    KL_TRY(add_crush(in, out));
    KL_TRY(add_interfaces(in, out));
    return add_energy_table(in, out);
}

const kl_assess_domain kl_assess_crash = {
    .name = "crash",
    .help =
        "collisions, following EN 15227; needs a `crush` element; outputs speed_NAME [m/s] of a "
        "vehicle, overriding_NAME [m], survival_NAME (length) [m], crush_NAME and stroke_NAME "
        "[m] and energy_NAME [J] of an interface",
    .suits = crash_suits,
    .run   = crash_run,
};
