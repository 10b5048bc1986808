/* klingel modes: the linear model about an equilibrium or a state, its eigenvalues and modes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catenary/catenary.h"
#include "cli/analysis.h"
#include "cli/commands.h"
#include "cli/modes_scene.h"
#include "results/linear_file.h"

typedef struct modes_options {
    const char       *output, *animate, *at;
    bool              csv, rest;
    int               mode;
    kl_analysis_state where;
} modes_options;

static void print_csv(const kl_spectrum *s)
{
    printf("real,imag,frequency_hz,damping_ratio\n");
    for (int i = 0; i < s->n; i++)
        printf("%.15g,%.15g,%.15g,%.15g\n", s->mode[i].re, s->mode[i].im, s->mode[i].frequency,
               s->mode[i].damping);
}

static void print_table(const kl_spectrum *s)
{
    printf("%4s %12s %12s %14s %9s  %s\n", "mode", "real [1/s]", "imag [1/s]", "frequency [Hz]",
           "damping", "motion");
    for (int i = 0; i < s->n; i++) {
        const kl_eigenmode *e = &s->mode[i];
        if (e->im < 0.0) continue; /* the other one of a pair */
        bool        moves = !strstr(e->text, "state of a force");
        const char *mark  = e->neutral    ? moves ? " (rigid body motion)" : ""
                            : e->re > 0.0 ? " (unstable)"
                                          : "";
        printf("%4d %12.6g %12.6g %14.6g %8.3f%%  %s%s\n", i + 1, e->re, e->im, e->frequency,
               fabs(e->damping) < 5e-6 ? 0.0 : 100.0 * e->damping, e->text,
               e->re > 1e-9 * hypot(e->re, e->im) || e->neutral ? mark : "");
    }
    if (s->unstable) printf("unstable: %d eigenvalues have a positive real part\n", s->unstable);
    else printf("stable: no eigenvalue has a positive real part\n");
}

/* States of forces add eigenvalues to those of the motion. At rest bristles keep any deflection, and so does every
 * integrator: an eigenvalue of zero that is no rigid body motion, and where there are several, their
 * eigenvectors mix both. */
static void explain_zeros(const kl_model *m, const kl_spectrum *s, kl_diag *diag)
{
    int zeros = 0, i = 0;
    for (int k = 0; k < s->n; k++) zeros += s->mode[k].neutral;
    while (i < m->nelement && m->element[i].nz == 0) i++;
    if (zeros == 0 || i == m->nelement) return;
    kl_note(diag, m->element[i].place,
            "%d eigenvalues are zero. Some may not be rigid body motions: '%s' has %d states of "
            "its own, "
            "and a state that keeps its value at rest, such as a bristle of `friction: lugre`, "
            "has the eigenvalue zero too. `friction: stick-slip` has no such states",
            zeros, m->element[i].name, m->element[i].nz);
}

/* One period of a mode, large enough to see, as results that any viewer of runs plays. */
static kl_status animate(const kl_analysis *a, const kl_eigenmode *e, const char *path,
                         kl_diag *diag)
{
    enum { FRAMES = 60 };
    kl_solver      *x = a->s->solver;
    const kl_model *m = a->l.model;
    kl_recorder     r;
    KL_TRY(kl_recorder_open(path, a, diag, &r));
    kl_state *base = kl_state_create(m);
    double   *y = calloc((size_t)m->nv + 1, sizeof *y), *dx = calloc((size_t)m->nv + 1, sizeof *dx);
    kl_status status = base && y && dx ? KL_OK : KL_E_MEMORY;
    double    size   = 0.1; /* of the model's length, and radian */
    double    period = e->im > 0.0 ? 2.0 * KL_PI / e->im : 1.0;
    if (base) kl_state_copy(base, x->s);
    for (int k = 0; k <= FRAMES && status == KL_OK; k++) {
        double phase = 2.0 * KL_PI * k / FRAMES;
        for (int i = 0; i < m->nv; i++)
            y[i] = size * (e->shape[0][i] * cos(phase) - e->shape[1][i] * sin(phase));
        kl_eval_motion(m, base, x->w);
        kl_linear_increment(m, x->w, y, dx);
        kl_state_copy(x->s, base);
        kl_model_advance(m, base->q, dx, x->s->q);
        const double *values;
        status = kl_simulation_sample(a->s, diag, &values);
        if (status == KL_OK) status = kl_recorder_row(&r, period * k / FRAMES, values);
    }
    if (base) kl_state_copy(x->s, base);
    kl_state_destroy(base);
    free(y);
    free(dx);
    kl_status closed = kl_recorder_close(&r, status == KL_OK ? "complete" : "failed");
    return status == KL_OK ? closed : status;
}

static bool is_mat(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".mat") == 0;
}

/* Wires step on their own and have no coordinates in the linear model. */
static void point_to_wires(const kl_model *m, kl_diag *diag)
{
    for (int i = 0; i < m->nresource; i++)
        if (m->resource[i]->type == &kl_catenaries) {
            kl_warn(diag, (kl_place){.file = m->file},
                    "these are the modes of the bodies; `klingel catenary modes %s` prints the "
                    "modes of catenary '%s'",
                    m->file ? m->file : "MODEL.yaml", m->resource[i]->name);
            return;
        }
}

static kl_status analyse(const kl_analysis *a, void *data, kl_diag *diag)
{
    const modes_options *o = data;
    /* E y' = A y about this state; the eigenvalues mean something only where it is an equilibrium
     * or a steady motion, so the residual acceleration is checked below. */
    KL_TRY(kl_analysis_find_state(a->s, o->where, diag));
    kl_linear   *l      = NULL;
    kl_spectrum *s      = NULL;
    kl_status    status = kl_linearize(a->s->solver, o->output ? a->s->channels : NULL, diag, &l);
    if (status == KL_OK) status = kl_spectrum_find(a->s->solver, l, true, diag, &s);
    if (status == KL_OK && l->residual_acceleration > 1e-6)
        kl_warn(diag, KL_NOWHERE,
                "this is not an equilibrium: '%s' accelerates at %.3g times gravity; the "
                "eigenvalues are valid only at this instant",
                a->l.model->body[l->residual_body].name, l->residual_acceleration);
    if (status == KL_OK) point_to_wires(a->l.model, diag);
    if (status == KL_OK) explain_zeros(a->l.model, s, diag);
    if (status == KL_OK && o->csv) print_csv(s);
    if (status == KL_OK && !o->csv) print_table(s);
    if (status == KL_OK && o->output) status = kl_linear_write(o->output, a->l.model, l, s, diag);
    if (status == KL_OK && o->output && !is_mat(o->output) && s->n > 0 && s->mode[0].shape[0])
        status = kl_modes_scene_of(a, s, o->output, diag);
    if (status == KL_OK && o->animate) {
        if (o->mode > s->n)
            status = kl_fail(diag, KL_E_RANGE, KL_NOWHERE,
                             "there is no mode %d; the model has %d modes", o->mode, s->n);
        else status = animate(a, &s->mode[o->mode - 1], o->animate, diag);
    }
    kl_spectrum_destroy(s);
    kl_linear_destroy(l);
    return status;
}

static int modes(int argc, char **argv)
{
    kl_texts        set       = {0};
    modes_options   o         = {.at = "equilibrium", .mode = 1};
    const kl_option options[] = {
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set, "set a parameter (may be repeated)"},
        {"output", 'o', "OUT.h5", KL_OPTION_TEXT, &o.output,
         "write the linear model (E, A, B, C, D) and modes; .mat for MATLAB"},
        {"csv", 0, NULL, KL_OPTION_FLAG, &o.csv, "print the eigenvalues as CSV"},
        {"at", 0, "WHERE", KL_OPTION_TEXT, &o.at,
         "equilibrium (default; keeps initial velocities) or start"},
        {"rest", 0, NULL, KL_OPTION_FLAG, &o.rest, "linearise at the equilibrium at rest"},
        {"animate", 'a', "OUT.h5", KL_OPTION_TEXT, &o.animate,
         "write one period of a mode as a results file"},
        {"mode", 'n', "N", KL_OPTION_COUNT, &o.mode,
         "number of the mode for --animate (default 1)"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_modes, options, argc, argv, &rest);
    o.where           = o.rest ? KL_AT_REST : KL_AT_EQUILIBRIUM;
    if (code == KL_OPTIONS_OK && strcmp(o.at, "equilibrium") != 0) {
        if (strcmp(o.at, "start") == 0) o.where = KL_AT_START;
        else
            code = kl_usage_error(&kl_command_modes, "--at must be equilibrium or start, not '%s'",
                                  o.at);
    }
    if (code == KL_OPTIONS_OK) code = kl_analysis_run(&kl_command_modes, &rest, &set, analyse, &o);
    kl_texts_free(&set);
    return code;
}

const kl_command kl_command_modes = {
    .name      = "modes",
    .arguments = "MODEL.yaml",
    .summary   = "eigenvalues, mode shapes and linear model at an equilibrium",
    .run       = modes,
    .help      = "  klingel modes examples/carter-wheelset/model.yaml --set speed=80\n"
                 "  klingel modes model.yaml -o linear.mat\n"
                 "  klingel modes model.yaml -o modes.h5 && klingel view modes.h5\n"
                 "  klingel modes model.yaml --animate mode3.h5 --mode 3\n"
                 "\n"
                 "The frequency is |eigenvalue|/(2 pi), the damping ratio -real/|eigenvalue|.\n"};
