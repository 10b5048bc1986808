/* klingel catenary TOOL MODEL: statics of the catenary of a model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catenary/catenary.h"
#include "catenary/elements.h"
#include "catenary/line_modes.h"
#include "catenary/pantograph.h"
#include "cli/catenary_figures.h"
#include "cli/commands.h"
#include "cli/model_options.h"

/* What every tool is given. */
typedef struct job {
    const kl_model    *model;
    const kl_catenary *catenary;
    int                span;  /* from 0 */
    int                count; /* of modes */
    bool               csv;
    kl_diag           *diag;
} job;

typedef struct tool {
    const char *name;
    int (*run)(const job *j);
} tool;

static double span_start(const kl_catenary *c, int span)
{
    double x = c->design.part[0].start;
    for (int i = 0; i < span; i++) x += c->design.part[0].span[i];
    return x;
}

static int out_of_memory(const job *j)
{
    kl_fail(j->diag, KL_E_MEMORY, KL_NOWHERE, "out of memory");
    return KL_EXIT_MODEL;
}

/* Uplift under 100 and 200 N at every node of the contact wire in one span. */
static int elasticity(const job *j)
{
    const kl_line      *line = j->catenary->line;
    const kl_line_wire *w    = kl_line_find(line, KL_WIRE_CONTACT, 0);
    double              from = span_start(j->catenary, j->span);
    double              to   = from + j->catenary->design.part[0].span[j->span];
    if (j->csv)
        puts("x_in_span_m,uplift_100N_mm,elasticity_100N_mm_per_N,uplift_200N_mm,"
             "elasticity_200N_mm_per_N");
    else
        printf("span %d of catenary '%s'\n  x in span    uplift at 100 N  elasticity   uplift at "
               "200 N  elasticity\n          m                 mm       mm/N                 mm"
               "        mm/N\n",
               j->span + 1, j->catenary->design.name);
    for (int i = 0; i < w->n; i++) {
        double u[2];
        if (w->x[i] < from - 1e-6 || w->x[i] > to + 1e-6) continue;
        for (int k = 0; k < 2; k++)
            if (kl_line_uplift(line, w->x[i], 100.0 * (k + 1), &u[k]) != KL_OK)
                return out_of_memory(j);
        printf(j->csv ? "%.6f,%.6f,%.6f,%.6f,%.6f\n" : "%11.3f %18.3f %10.4f %18.3f %11.4f\n",
               w->x[i] - from, 1e3 * u[0], 10.0 * u[0], 1e3 * u[1], 5.0 * u[1]);
    }
    return KL_EXIT_OK;
}

static int droppers(const job *j)
{
    const kl_line *line = j->catenary->line;
    if (j->csv) puts("x_in_span_m,contact_wire_height_m,static_dropper_force_N");
    else
        printf("span %d of catenary '%s'\n  x in span  wire height  length (unstretched)    force\n"
               "          m            m                     m        N\n",
               j->span + 1, j->catenary->design.name);
    for (int i = 0; i < line->ndropper; i++) {
        const kl_line_dropper *d = &line->dropper[i];
        if (d->part != 0 || d->span != j->span) continue;
        if (j->csv) printf("%.6f,%.6f,%.6f\n", d->in_span, line->place[d->lower], d->force);
        else
            printf("%11.3f %12.4f %21.4f %8.2f%s\n", d->in_span, line->place[d->lower], d->length,
                   d->force, d->rest < 0.0 ? "  slack" : "");
    }
    return KL_EXIT_OK;
}

/* Test bench: a harmonic force on the head of each pantograph. */
static int response(const job *j)
{
    puts(j->csv ? "pantograph,frequency_Hz,head_mm_per_N,phase_deg"
                : "pantograph        frequency   head motion    phase\n"
                  "                         Hz          mm/N      deg");
    for (int i = 0; i < j->model->nelement; i++) {
        const kl_element  *e = &j->model->element[i];
        const kl_catenary *line;
        double             speed, amplitude, phase;
        if (e->type != &kl_pantograph_force) continue;
        const kl_pantograph *p = kl_pantograph_of(e->data, &line, &speed);
        for (int k = 0; k <= 80 && p->n > 0; k++) {
            double f = 0.2 * pow(10.0, k / 32.0); /* 0.2 to 63 Hz */
            kl_pantograph_response(p, f, &amplitude, &phase);
            printf(j->csv ? "%s,%.6g,%.6g,%.4f\n" : "%-16s %10.3f %13.4f %8.1f\n", e->name, f,
                   1e3 * amplitude, phase * 180.0 / KL_PI);
        }
    }
    return KL_EXIT_OK;
}

static const char *const wire_names[] = {
    [KL_WIRE_CONTACT] = "contact", [KL_WIRE_MESSENGER] = "messenger", [KL_WIRE_STITCH] = "stitch"};

/* Natural frequencies of the wires about their static shape. */
static int modes(const job *j)
{
    kl_line_mode *mode = calloc((size_t)j->count, sizeof *mode);
    if (!mode) return out_of_memory(j);
    kl_status status = kl_line_modes(j->catenary->line, j->count, mode, NULL, j->diag);
    if (status == KL_OK)
        puts(j->csv ? "mode,frequency_Hz,damping_ratio,largest_at_m,wire,direction"
                    : "mode   frequency   damping   largest at   wire       direction\n"
                      "              Hz                      m");
    for (int i = 0; i < j->count && status == KL_OK; i++)
        printf(j->csv ? "%d,%.10g,%.6g,%.4f,%s,%s\n" : "%4d %11.4f %8.3f%% %12.2f   %-10s %s\n",
               i + 1, mode[i].frequency, (j->csv ? 1.0 : 100.0) * mode[i].damping, mode[i].x,
               wire_names[mode[i].wire], mode[i].lateral ? "lateral" : "vertical");
    free(mode);
    return status == KL_E_MEMORY ? out_of_memory(j) : kl_exit_code(status);
}

/* figures runs the model itself, once for each value */
static const tool tools[] = {{"elasticity", elasticity},
                             {"droppers", droppers},
                             {"modes", modes},
                             {"response", response},
                             {"figures", NULL}};
enum { NTOOL = sizeof tools / sizeof *tools };

static const tool *tool_named(const char *name)
{
    const char *names[NTOOL + 1] = {0};
    for (int i = 0; i < NTOOL; i++) {
        names[i] = tools[i].name;
        if (strcmp(tools[i].name, name) == 0) return &tools[i];
    }
    const char *near = kl_nearest(name, names);
    if (near)
        kl_usage_error(&kl_command_catenary, "there is no catenary tool '%s'; did you mean '%s'?",
                       name, near);
    else
        kl_usage_error(&kl_command_catenary,
                       "there is no catenary tool '%s'; the tools are elasticity, droppers, "
                       "modes, response and figures",
                       name);
    return NULL;
}

/* The only catenary of the model, or the one asked for. */
static const kl_catenary *catenary_of(const kl_model *m, const char *name, kl_diag *diag)
{
    const kl_resource *found = NULL;
    int                n     = 0;
    for (int i = 0; i < m->nresource; i++) {
        const kl_resource *r = m->resource[i];
        if (r->type != &kl_catenaries || (name && strcmp(r->name, name) != 0)) continue;
        found = r, n++;
    }
    if (n == 1) return found->data;
    kl_fail(diag, KL_E_MODEL, (kl_place){.file = m->file},
            n == 0 ? "the model has no such catenary; define it under `catenaries:`"
                   : "the model has several catenaries; choose one with --catenary NAME");
    return NULL;
}

typedef struct tool_options {
    const char *name; /* of the catenary */
    int         span, count;
    bool        csv;
} tool_options;

static int run_tool(const tool *t, const kl_model *m, const tool_options *o, kl_diag *diag)
{
    const kl_catenary *c = catenary_of(m, o->name, diag);
    if (!c) return KL_EXIT_MODEL;
    int n = c->design.part[0].nspan;
    job j = {.model    = m,
             .catenary = c,
             .span     = o->span ? o->span - 1 : (n - 1) / 2,
             .count    = o->count,
             .csv      = o->csv,
             .diag     = diag};
    if (o->span <= n) return t->run(&j);
    kl_fail(diag, KL_E_RANGE, KL_NOWHERE, "--span %d: catenary '%s' has only %d spans", o->span,
            c->design.name, n);
    return KL_EXIT_MODEL;
}

static int run(int argc, char **argv)
{
    kl_texts        set       = {0};
    const char     *over      = NULL;
    tool_options    o         = {.count = 20};
    const kl_option options[] = {
        {"csv", 0, NULL, KL_OPTION_FLAG, &o.csv, "print CSV"},
        {"span", 0, "N", KL_OPTION_COUNT, &o.span, "span to print (default: the middle one)"},
        {"catenary", 0, "NAME", KL_OPTION_TEXT, &o.name,
         "catenary to use if the model has several"},
        {"count", 0, "N", KL_OPTION_COUNT, &o.count, "modes: number of modes (default 20)"},
        {"over", 0, "NAME=A,B,C", KL_OPTION_TEXT, &over, "figures: values of a parameter"},
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set, "set a parameter (may be repeated)"},
        {0}};
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_catenary, options, argc, argv, &rest);
    const tool  *t    = NULL;
    if (code == KL_OPTIONS_OK && rest.n != 2)
        code = kl_usage_error(&kl_command_catenary,
                              "give a tool and a model: `klingel catenary droppers model.yaml`");
    if (code == KL_OPTIONS_OK && !(t = tool_named(rest.items[0]))) code = KL_EXIT_USAGE;
    if (code != KL_OPTIONS_OK) {
        kl_texts_free(&set);
        return code;
    }
    if (!t->run) {
        code = kl_catenary_figures(rest.items[1], &set, over, o.csv);
        kl_texts_free(&set);
        return code;
    }
    kl_loaded l;
    kl_diag  *diag = kl_diag_create();
    code           = kl_loaded_open(&kl_command_catenary, rest.items[1], &set, diag, &l);
    if (code == KL_EXIT_OK) code = run_tool(t, l.model, &o, diag);
    kl_print_diag(diag, NULL);
    kl_loaded_close(&l);
    kl_diag_destroy(diag);
    kl_texts_free(&set);
    return code;
}

const kl_command kl_command_catenary = {
    .name      = "catenary",
    .arguments = "TOOL MODEL.yaml",
    .summary   = "overhead contact line: elasticity, droppers, modes, pantographs",
    .run       = run,
    .help      = "tools:\n"
                 "  elasticity   uplift of the contact wire under 100 and 200 N along a span\n"
                 "  droppers     height, length and static force of each dropper of a span\n"
                 "  modes        natural frequencies of the wires about their static shape\n"
                 "  response     test bench: motion of pantograph heads under a harmonic force\n"
                 "  figures      runs, with figures of current collection for each value of --over\n\n"
                 "  klingel catenary elasticity examples/catenary-en50318/model.yaml --csv\n"
                 "  klingel catenary droppers model.yaml --span 3 --set presag=30mm\n"
                 "  klingel catenary modes examples/tensioned-wire/model.yaml --count 5\n"
                 "  klingel catenary figures model.yaml --over presag=0mm,20mm,30mm\n"};
