/* klingel kinematics and klingel inverse: the motion that drivers prescribe, and the forces it
 * takes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis.h"
#include "cli/commands.h"
#include "solve/kinematics.h"
#include "solve/mobility.h"

typedef struct follow {
    const kl_analysis *a;
    kl_recorder        recorder;
    const char        *output;
    double             end;
    bool               csv, forces;       /* forces: inverse dynamics */
    double            *least, *most, *at; /* of each channel: extremes, time of the larger one */
    long               rows;
} follow;

/* Efforts of drivers and reactions of joints. */
static bool is_force(const kl_channel *c)
{
    return strstr(c->name, ".effort") || strstr(c->name, ".force.") ||
           strstr(c->name, ".torque.") || strstr(c->name, ".moment.") || strstr(c->name, ".power");
}

static kl_status row(void *context, double t, const double *values)
{
    follow            *f = context;
    const kl_channels *c = f->a->s->channels;
    for (int i = 0; i < kl_channels_count(c); i++) {
        if (f->rows == 0) f->least[i] = f->most[i] = values[i], f->at[i] = t;
        if (fabs(values[i]) > fmax(fabs(f->least[i]), fabs(f->most[i]))) f->at[i] = t;
        f->least[i] = fmin(f->least[i], values[i]);
        f->most[i]  = fmax(f->most[i], values[i]);
    }
    f->rows++;
    if (f->csv && !f->forces) kl_print_row(c, t, values);
    if (f->csv && f->forces) {
        printf("%.17g", t);
        for (int i = 0; i < kl_channels_count(c); i++)
            if (is_force(kl_channels_at(c, i))) printf(",%.17g", values[i]);
        printf("\n");
    }
    return f->recorder.writer ? kl_recorder_row(&f->recorder, t, values) : KL_OK;
}

static void print_head(const follow *f)
{
    const kl_channels *c = f->a->s->channels;
    if (!f->forces) {
        kl_print_header(c, "time");
        return;
    }
    printf("time");
    for (int i = 0; i < kl_channels_count(c); i++)
        if (is_force(kl_channels_at(c, i))) printf(",%s", kl_channels_at(c, i)->name);
    printf("\n");
}

/* Is channel i shown in the summary? Forces of inverse dynamics; else outputs of the model, or what it records. */
static bool is_shown(const follow *f, int i, bool own)
{
    const kl_channel *k = kl_channels_at(f->a->s->channels, i);
    return f->forces ? is_force(k) : own ? k->own : k->recorded;
}

/* Rounding errors of a channel follow from the largest values with its unit, such as the other reactions: 1e-12 of them
 * is printed as 0. */
static double without_noise(const follow *f, int i, bool own, double value)
{
    const kl_channels *c     = f->a->s->channels;
    double             scale = 0.0;
    for (int k = 0; k < kl_channels_count(c); k++)
        if (is_shown(f, k, own) && !strcmp(kl_channels_at(c, k)->unit, kl_channels_at(c, i)->unit))
            scale = fmax(scale, fmax(fabs(f->least[k]), fabs(f->most[k])));
    return fabs(value) < 1e-12 * scale ? 0.0 : value;
}

static void print_extremes(const follow *f)
{
    const kl_channels *c = f->a->s->channels;
    printf("%-32s %14s %14s %-8s %s\n", f->forces ? "force" : "output", "smallest", "largest",
           "unit", "largest magnitude at [s]");
    bool own = false;
    for (int i = 0; i < kl_channels_count(c); i++) own |= kl_channels_at(c, i)->own;
    for (int i = 0; i < kl_channels_count(c); i++) {
        const kl_channel *k = kl_channels_at(c, i);
        if (!is_shown(f, i, own)) continue;
        printf("%-32s %14.6g %14.6g %-8s %.6g\n", k->name, without_noise(f, i, own, f->least[i]),
               without_noise(f, i, own, f->most[i]), k->unit, f->at[i]);
    }
}

static kl_status run(const kl_analysis *a, void *data, kl_diag *diag)
{
    follow *f = data;
    f->a      = a;
    if (f->forces) kl_mobility_warn(a->l.model, diag);
    const kl_settings *set = &f->a->l.model->settings;
    size_t             n   = (size_t)kl_channels_count(f->a->s->channels) + 1;
    kl_kinematics      k;
    f->least = calloc(3 * n, sizeof *f->least);
    if (!f->least) return KL_E_MEMORY;
    f->most = f->least + n;
    f->at   = f->most + n;
    if (f->output) KL_TRY(kl_recorder_open(f->output, f->a, diag, &f->recorder));
    if (f->csv) print_head(f);
    kl_sink   sink = {.context = f, .row = row};
    kl_status status =
        kl_kinematics_run(f->a->s, isnan(f->end) ? set->end : f->end, set->every, &sink, &k, diag);
    kl_status closed = kl_recorder_close(&f->recorder, status == KL_OK ? "complete" : "failed");
    if (!f->csv && f->rows > 0) print_extremes(f);
    return status == KL_OK ? closed : status;
}

static int follow_command(const kl_command *command, bool forces, int argc, char **argv)
{
    kl_texts        set       = {0};
    follow          f         = {.forces = forces, .end = NAN};
    const kl_option options[] = {
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set, "set a parameter (may be repeated)"},
        {"output", 'o', "OUT.h5", KL_OPTION_TEXT, &f.output, "results file to write"},
        {"csv", 0, NULL, KL_OPTION_FLAG, &f.csv, "print all channels over time as CSV"},
        {"end", 0, "T", KL_OPTION_TIME, &f.end, "end time [s] (default: from the model)"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(command, options, argc, argv, &rest);
    if (code == KL_OPTIONS_OK) code = kl_analysis_run(command, &rest, &set, run, &f);
    free(f.least);
    kl_texts_free(&set);
    return code;
}

static int kinematics(int argc, char **argv)
{
    return follow_command(&kl_command_kinematics, false, argc, argv);
}

static int inverse(int argc, char **argv)
{
    return follow_command(&kl_command_inverse, true, argc, argv);
}

const kl_command kl_command_kinematics = {
    .name      = "kinematics",
    .arguments = "MODEL.yaml",
    .summary   = "motion prescribed by drivers; dead points and lock-up",
    .run       = kinematics,
    .help      = "  klingel kinematics examples/driven-four-bar/model.yaml\n"
                 "  klingel kinematics model.yaml --csv > motion.csv\n"
                 "\n"
                 "Every degree of freedom needs a driver.\n"};

const kl_command kl_command_inverse = {.name      = "inverse",
                                       .arguments = "MODEL.yaml",
                                       .summary = "driver and joint forces of a prescribed motion",
                                       .run     = inverse,
                                       .help =
                                           "  klingel inverse examples/driven-four-bar/model.yaml\n"
                                           "  klingel inverse model.yaml --csv > forces.csv\n"
                                           "\n"
                                           "Every degree of freedom needs a driver.\n"};
