/* Classes: International Institute of Welding, recommendations for fatigue design (Hobbacher 2016),
 * section 3.2: range at 2e6 cycles, m = 3 down to 1e7 cycles, then 5 for loads of varying size. */
#include "cli/stress_curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/expression.h"

/* A number with or without a unit of that dimension. */
static bool quantity(const char *text, const char *unit, double *value)
{
    kl_quantity q;
    kl_diag    *diag   = kl_diag_create();
    kl_status   status = kl_expression_number(text, KL_NOWHERE, &(kl_symbols){0}, NULL, diag, &q);
    kl_diag_destroy(diag);
    if (status != KL_OK || !isfinite(q.value) || !kl_quantity_fits(q, kl_dim_of(unit)))
        return false;
    *value = q.value;
    return true;
}

static bool is_stress(const char *text, double *value)
{
    return quantity(text, "Pa", value) && *value >= 1e4;
}

int kl_sn_read_stress(const kl_command *command, const char *option, const char *text,
                      double *value)
{
    if (is_stress(text, value)) return KL_EXIT_OK;
    return kl_usage_error(
        command, "--%s: '%s' is not a stress; give a number with a unit, for example 510MPa",
        option, text);
}

int kl_sn_read_mean(const kl_command *command, const char *text, kl_mean_rule *mean)
{
    for (int i = 0; kl_mean_words[i]; i++)
        if (strcmp(text, kl_mean_words[i]) == 0) {
            *mean = (kl_mean_rule)i;
            return KL_EXIT_OK;
        }
    return kl_usage_error(command, "--mean must be none, goodman, gerber or swt, not '%s'", text);
}

static int read_class(const kl_command *command, const char *text, kl_sn_curve *c)
{
    char *end;
    double class = strtod(text + 3, &end);
    if (end == text + 3 || *end || !(class > 0.0) || !isfinite(class))
        return kl_usage_error(
            command, "--sn: '%s' is not a FAT class; give one in MPa, for example FAT90", text);
    c->range = class * 1e6, c->cycles = 2e6, c->slope = 3.0, c->knee = 1e7, c->slope_after = 5.0;
    return KL_EXIT_OK;
}

/* `given`: a bit for each key that there was */
static int read_item(const kl_command *command, const char *item, kl_sn_curve *c, unsigned *given)
{
    const struct {
        const char *name, *unit;
        double     *to;
    } keys[]         = {{"range", "Pa", &c->range},
                        {"cycles", "1", &c->cycles},
                        {"slope", "1", &c->slope},
                        {"knee", "1", &c->knee},
                        {"slope_after", "1", &c->slope_after}};
    const char *sign = strchr(item, '=');
    for (size_t i = 0; sign && i < sizeof keys / sizeof *keys; i++) {
        if (strlen(keys[i].name) != (size_t)(sign - item) ||
            strncmp(keys[i].name, item, (size_t)(sign - item)) != 0)
            continue;
        if (*given & 1u << i)
            return kl_usage_error(command, "--sn: '%s' is given twice", keys[i].name);
        *given |= 1u << i;
        if (i == 0) return kl_sn_read_stress(command, "sn range", sign + 1, &c->range);
        if (quantity(sign + 1, keys[i].unit, keys[i].to)) return KL_EXIT_OK;
        return kl_usage_error(command, "--sn: '%s' is not a number", sign + 1);
    }
    return kl_usage_error(command,
                          "--sn: '%s' is not understood; give FAT90, or some of range=90MPa, "
                          "cycles=2e6, slope=3, knee=1e7, slope_after=5",
                          item);
}

int kl_sn_read(const kl_command *command, const char *text, kl_sn_curve *curve)
{
    char     item[128];
    unsigned given = 0;
    if (strncmp(text, "FAT", 3) == 0) return read_class(command, text, curve);
    while (*text) {
        size_t n = strcspn(text, ",");
        snprintf(item, sizeof item, "%.*s", (int)n, text);
        int code = read_item(command, item, curve, &given);
        if (code != KL_EXIT_OK) return code;
        text += n + (text[n] == ',');
    }
    return KL_EXIT_OK;
}

int kl_sn_read_measure(const kl_command *command, const char *text, kl_stress_measure *measure)
{
    *measure = KL_MEASURE_VON_MISES;
    if (!text) return KL_EXIT_OK;
    for (int i = 0; kl_measure_words[i]; i++)
        if (strcmp(text, kl_measure_words[i]) == 0) {
            *measure = (kl_stress_measure)i;
            return KL_EXIT_OK;
        }
    return kl_usage_error(
        command, "--measure must be von-mises, principal or critical-plane, not '%s'", text);
}

void kl_sn_warn_measure(void)
{
    kl_diag *diag = kl_diag_create();
    kl_warn(diag, (kl_place){0},
            "the damage counts cycles of the signed von Mises stress, the default; it adds cycles "
            "where shear dominates or the stress changes its direction; give `--measure "
            "critical-plane` for multiaxial stress, `klingel stress --weld` for the stress at a "
            "weld toe, or `--measure von-mises` to keep this measure without a warning");
    kl_print_diag(diag, NULL);
    kl_diag_destroy(diag);
}
