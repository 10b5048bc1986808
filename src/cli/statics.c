/* klingel statics: the equilibrium near the start, reactions, preloads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis.h"
#include "cli/commands.h"
#include "model/groups.h"
#include "solve/mobility.h"
#include "solve/preload.h"
#include "solve/static_start.h"
#include "solve/statics.h"

typedef struct statics_options {
    const char *output;
    bool        csv, moving, relax, preload;
} statics_options;

/* The equilibrium is iterated to about 1e-9 of the largest value: smaller ones are rounding noise. */
static double without_noise(double x, double scale) { return fabs(x) < 1e-8 * scale ? 0.0 : x; }

static void print_bodies(const kl_model *m, const kl_work *w)
{
    for (int i = 1; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        kl_vec3        from;
        kl_mat3        A_from;
        kl_marker      origin = {.body = i, .A = kl_identity()};
        kl_motion      now;
        if (!kl_body_moves(b) || b->quiet) continue;
        kl_model_pose(m, i, &from, &A_from);
        kl_body_motion(b, w->cache + b->cache, &origin, &now);
        /* Angle of the rotation from A_from to A: trace(A_from' A) = 1 + 2 cos(angle). */
        double trace = 0.0;
        for (int j = 0; j < 3; j++) trace += kl_dot(kl_axis(&now.A, j), kl_axis(&A_from, j));
        double size = fmax(m->length, kl_norm(now.r));
        printf("  %-24s at [%.9g, %.9g, %.9g] m, moved %.6g mm and %.6g deg\n", b->name,
               without_noise(now.r.x, size), without_noise(now.r.y, size),
               without_noise(now.r.z, size),
               1e3 * without_noise(kl_norm(kl_sub(now.r, from)), size),
               acos(fmin(1.0, fmax(-1.0, 0.5 * (trace - 1.0)))) * 180.0 / KL_PI);
    }
}

/* What acts between a body and many nodes: the sum on all nodes. Moments are about different points. */
static void print_force_on_nodes(const kl_element *e, const double *total, double largest)
{
    double sum[3] = {0};
    for (int j = 1; j < e->nmarker; j++)
        for (int k = 0; k < 3; k++) sum[k] += total[6 * (e->marker + j) + k];
    for (int k = 0; k < 3; k++) sum[k] = without_noise(sum[k], largest);
    printf("  %-24s force [%.6g, %.6g, %.6g] N on its %d nodes together\n", e->name, sum[0], sum[1],
           sum[2], e->nmarker - 1);
}

/* Force and moment of each element on the body of its second marker. */
static void print_forces(const kl_model *m, const kl_work *w)
{
    double largest = 0.0; /* force, or moment over the length of the model [N] */
    for (int i = 0; i < 6 * m->nmarker_elements; i++)
        largest = fmax(largest, fabs(w->total[i]) / (i % 6 < 3 ? 1.0 : m->length));
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        double            t[6];
        if (e->type->attach == &kl_attach_row) {
            print_force_on_nodes(e, w->total, largest);
            continue;
        }
        for (int k = 0; k < 6; k++)
            t[k] = without_noise(w->total[6 * (size_t)(e->marker + e->nmarker - 1) + (size_t)k],
                                 largest * (k < 3 ? 1.0 : m->length));
        printf("  %-24s force [%.6g, %.6g, %.6g] N, moment [%.6g, %.6g, %.6g] N m\n", e->name, t[0],
               t[1], t[2], t[3], t[4], t[5]);
    }
}

static void print_channels(const kl_channels *c, const double *values)
{
    printf("channel,value,unit\n");
    for (int i = 0; i < kl_channels_count(c); i++)
        if (kl_channels_at(c, i)->recorded)
            printf("%s,%.17g,%s\n", kl_channels_at(c, i)->name, values[i],
                   kl_channels_at(c, i)->unit);
}

/* Values of all channels at the equilibrium: no accelerations, its multipliers. */
static const double *sample(const kl_analysis *a)
{
    kl_solver *x = a->s->solver;
    (void)kl_eval(a->l.model, x->s, x->w);
    kl_eval_residual(a->l.model, x->w, x->a, x->lambda, x->y);
    kl_moment now = {.a = x->a, .lambda = x->lambda};
    return kl_channels_eval(a->s->channels, a->l.model, x->s, x->w, &now);
}

static kl_status balance(const kl_analysis *a, const statics_options *o, kl_diag *diag)
{
    kl_solver     *x = a->s->solver;
    kl_equilibrium e = {.moving = o->moving, .relax = o->relax};
    KL_TRY(kl_find_equilibrium(x, &e, diag));
    const double *values = sample(a);
    if (o->csv) {
        print_channels(a->s->channels, values);
    } else {
        printf("%sequilibrium found in %d iterations%s%s\n",
               e.unstable > 0    ? "unstable "
               : e.unstable == 0 ? "stable "
                                 : "",
               e.iterations, e.peaks ? " and dynamic relaxation" : "",
               e.unstable < 0 ? "; its stability was not checked" : "");
        if (kl_norm(e.omega) > 0.0)
            printf("steady motion in a frame that rotates with (%.9g, %.9g, %.9g) rad/s\n",
                   e.omega.x, e.omega.y, e.omega.z);
        print_bodies(a->l.model, x->w);
        printf("reaction forces and applied forces, acting on the second body named\n");
        print_forces(a->l.model, x->w);
    }
    if (!o->output) return KL_OK;
    kl_recorder r;
    KL_TRY(kl_recorder_open(o->output, a, diag, &r));
    kl_status status = kl_recorder_row(&r, x->s->t, values);
    kl_status closed = kl_recorder_close(&r, status == KL_OK ? "complete" : "failed");
    return status == KL_OK ? closed : status;
}

/* Entries KEY[1], KEY[2], ... of one force, as one line of a model; returns the last of them. */
static int print_list(const kl_preload *p, int first, const char *name)
{
    int last = first, element = p->item[first].element;
    while (last + 1 < p->n && p->item[last + 1].element == element) last++;
    printf("  %s: {%.*s: [", name, (int)strcspn(p->item[first].key, "["), p->item[first].key);
    for (int i = first; i <= last; i++)
        printf("%s%.12g %s", i > first ? ", " : "", p->item[i].value, p->item[i].unit);
    printf("]}    # was [");
    for (int i = first; i <= last; i++) printf("%s%.12g", i > first ? ", " : "", p->item[i].before);
    printf("]\n");
    return last;
}

/* Free lengths that make the start an equilibrium. */
static kl_status find_preloads(const kl_analysis *a, const statics_options *o, kl_diag *diag)
{
    kl_preload *p = NULL;
    KL_TRY(kl_find_preload(a->s->solver, diag, &p));
    if (o->csv) printf("force,key,value,unit\n");
    else printf("the initial position is an equilibrium with:\nforces:\n");
    for (int i = 0; i < p->n; i++) {
        const kl_preloaded *k    = &p->item[i];
        const char         *name = a->l.model->element[k->element].name;
        bool                list = strchr(k->key, '[') != NULL;
        if (o->csv) printf("%s,%s,%.17g,%s\n", name, k->key, k->value, k->unit);
        else if (list) i = print_list(p, i, name);
        else
            printf("  %s: {%s: %.12g %s}    # was %.12g\n", name, k->key, k->value, k->unit,
                   k->before);
    }
    kl_preload_destroy(p);
    return KL_OK;
}

static kl_status find_statics(const kl_analysis *a, void *data, kl_diag *diag)
{
    const statics_options *o = data;
    kl_mobility_warn(a->l.model, diag);
    KL_TRY(kl_assemble_start(a->s->solver, diag));
    return o->preload ? find_preloads(a, o, diag) : balance(a, o, diag);
}

static int statics(int argc, char **argv)
{
    kl_texts        set       = {0};
    statics_options o         = {0};
    const kl_option options[] = {
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set, "set a parameter (may be repeated)"},
        {"output", 'o', "OUT.h5", KL_OPTION_TEXT, &o.output, "results file to write (one row)"},
        {"csv", 0, NULL, KL_OPTION_FLAG, &o.csv, "print all channels as CSV: channel,value,unit"},
        {"moving", 'm', NULL, KL_OPTION_FLAG, &o.moving,
         "keep the initial velocities and find the steady motion"},
        {"relax", 0, NULL, KL_OPTION_FLAG, &o.relax,
         "start with dynamic relaxation before Newton iterations"},
        {"preload", 'p', NULL, KL_OPTION_FLAG, &o.preload,
         "find preloads of springs for which the initial position is an equilibrium"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_statics, options, argc, argv, &rest);
    if (code == KL_OPTIONS_OK)
        code = kl_analysis_run(&kl_command_statics, &rest, &set, find_statics, &o);
    kl_texts_free(&set);
    return code;
}

const kl_command kl_command_statics = {
    .name      = "statics",
    .arguments = "MODEL.yaml",
    .summary   = "equilibrium, reaction forces, preloads of springs",
    .run       = statics,
    .help      = "  klingel statics examples/double-pendulum/model.yaml\n"
                 "  klingel statics model.yaml --preload\n"
                 "\n"
                 "The search follows decreasing potential energy from the initial position. If the\n"
                 "initial position is an equilibrium, it is kept, also when it is unstable.\n"};
