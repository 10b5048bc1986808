#include "cli/catenary_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis.h"
#include "cli/commands.h"
#include "post/collection_figures.h"

enum { MOST_PANTOGRAPHS = 8, MOST_VALUES = 500, NCHANNEL = 5, TEXT = 200 };

/* force, position, evaluated, support, uplift of one pantograph */
static const char *const parts[NCHANNEL] = {"contact_force", "position", "evaluated", "support",
                                            "support_uplift"};

/* What is kept of a run: rows of all channels of all pantographs. */
typedef struct record {
    int     channel[MOST_PANTOGRAPHS][NCHANNEL], n;
    double *value[MOST_PANTOGRAPHS][NCHANNEL];
    int     rows, room;
} record;

/* A result of the study. */
typedef struct outcome {
    char   value[TEXT]; /* of the parameter, as written */
    int    pantograph;  /* from 1 */
    double sigma;
} outcome;

typedef struct study {
    const char *path, *name; /* of the model; of the parameter, NULL: none */
    bool        csv;
    outcome    *list;
    int         n;
} study;

static kl_status keep_row(void *context, double t, const double *values)
{
    record *r = context;
    (void)t;
    if (r->rows == r->room) return KL_OK;
    for (int i = 0; i < r->n; i++)
        for (int k = 0; k < NCHANNEL; k++) r->value[i][k][r->rows] = values[r->channel[i][k]];
    r->rows++;
    return KL_OK;
}

/* The channels of pantograph i of an element; false when it has none. */
static bool find_channels(const kl_channels *c, const char *element, int i, int *channel)
{
    char name[512], suffix[16] = "";
    if (i > 0) snprintf(suffix, sizeof suffix, "_%d", i + 1);
    for (int k = 0; k < NCHANNEL; k++) {
        snprintf(name, sizeof name, "%.400s.%s%s", element, parts[k], suffix);
        if ((channel[k] = kl_channels_find(c, name)) < 0) return false;
    }
    return true;
}

static void find_pantographs(const kl_simulation *s, record *r)
{
    const kl_model *m = s->model;
    for (int e = 0; e < m->nelement; e++)
        for (int i = 0; r->n < MOST_PANTOGRAPHS; i++, r->n++)
            if (!find_channels(s->channels, m->element[e].name, i, r->channel[r->n])) break;
}

static bool take_room(record *r, int room)
{
    bool ok = true;
    r->room = room;
    for (int i = 0; i < r->n; i++)
        for (int k = 0; k < NCHANNEL; k++)
            ok &= (r->value[i][k] = malloc((size_t)room * sizeof(double))) != NULL;
    return ok;
}

static void free_room(record *r)
{
    for (int i = 0; i < r->n; i++)
        for (int k = 0; k < NCHANNEL; k++) free(r->value[i][k]);
}

static void print_figures(study *u, const char *value, int i, const kl_collection_figures *f)
{
    printf(u->csv ? "%s,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n"
                  : "%-14s %4d %9.2f %8.2f %9.1f %9.1f %8.1f %8.1f %8.2f %8.2f\n",
           value, i + 1, f->mean, f->sigma, f->mean + 3.0 * f->sigma, f->mean - 3.0 * f->sigma,
           f->most, f->least, 1e3 * f->uplift, 100.0 * f->lost);
    outcome *o = &u->list[u->n++];
    snprintf(o->value, sizeof o->value, "%s", value);
    o->pantograph = i + 1, o->sigma = f->sigma;
}

static kl_status evaluate(study *u, const char *value, record *r, double every, kl_diag *diag)
{
    double *filtered = malloc((size_t)r->rows * sizeof *filtered + 1);
    if (!filtered) return KL_E_MEMORY;
    for (int i = 0; i < r->n; i++) {
        double             **v = r->value[i];
        kl_collection_record k = {.force     = v[0],
                                  .filtered  = filtered,
                                  .x         = v[1],
                                  .evaluated = v[2],
                                  .support   = v[3],
                                  .uplift    = v[4],
                                  .n         = r->rows};
        /* EN 50367 evaluates the contact force up to 20 Hz */
        kl_collection_filter(v[0], r->rows, 20.0, 1.0 / every, filtered);
        kl_collection_figures f = kl_collection_figures_of(&k);
        if (f.rows < 2) {
            free(filtered);
            return kl_fail(diag, KL_E_MODEL, (kl_place){.file = u->path},
                           "%s%s%s: pantograph %d does not reach the part of the line that is "
                           "evaluated; run longer, or give it another `evaluate: [from, to]`",
                           u->name ? u->name : "", u->name ? " = " : "", value, i + 1);
        }
        if (kl_collection_is_part(&k))
            kl_warn(diag, (kl_place){.file = u->path},
                    "%s%s%s: pantograph %d runs over only a part of the line that is evaluated: "
                    "the figures cover %.5g to %.5g m; run longer, or give it another `evaluate: "
                    "[from, to]`",
                    u->name ? u->name : "", u->name ? " = " : "", value, i + 1, f.from, f.to);
        print_figures(u, value, i, &f);
    }
    free(filtered);
    return KL_OK;
}

static kl_status run_simulation(study *u, const char *value, kl_simulation *s, kl_diag *diag)
{
    const kl_settings *set  = &s->model->settings;
    record             r    = {0};
    kl_sink            sink = {.context = &r, .row = keep_row};
    find_pantographs(s, &r);
    if (r.n == 0)
        return kl_fail(diag, KL_E_MODEL, (kl_place){.file = u->path},
                       "the model has no `pantograph` and no `catenary-contact`; add one under "
                       "`forces:` (`klingel help pantograph`)");
    int       rows   = (int)((set->end - s->model->t0) / set->every) + 2;
    kl_status status = take_room(&r, rows) ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) status = kl_simulation_run(s, set->end, set->every, &sink, diag);
    if (status == KL_OK) status = evaluate(u, value, &r, set->every, diag);
    free_room(&r);
    return status;
}

/* One run with the parameter at `value`. */
static int run_value(study *u, const kl_texts *set, const char *value)
{
    char         text[2 * TEXT];
    const char **items = malloc((size_t)(set->n + 1) * sizeof *items);
    kl_texts     all   = {.items = items, .n = set->n};
    kl_diag     *diag  = kl_diag_create();
    kl_analysis  a;
    if (!items || !diag) return free(items), kl_diag_destroy(diag), kl_exit_code(KL_E_MEMORY);
    for (int i = 0; i < set->n; i++) items[i] = set->items[i];
    snprintf(text, sizeof text, "%s=%s", u->name ? u->name : "", value);
    if (u->name) items[all.n++] = text;
    int code = kl_analysis_open(&kl_command_catenary, u->path, &all, diag, &a);
    if (code == KL_EXIT_OK) {
        code = kl_exit_code(run_simulation(u, value, a.s, diag));
        kl_analysis_close(&a);
    }
    kl_print_diag(diag, NULL);
    kl_diag_destroy(diag);
    free(items);
    return code;
}

/* Values at which the last pantograph has the largest sigma among their neighbours, worst first. */
static void print_worst(study *u)
{
    int last = 0, n = 0;
    for (int i = 0; i < u->n; i++)
        if (u->list[i].pantograph > last) last = u->list[i].pantograph;
    outcome *own = u->list;
    for (int i = 0; i < u->n; i++)
        if (u->list[i].pantograph == last) own[n++] = u->list[i];
    if (n < 3) return;
    printf("largest sigma of pantograph %d:", last);
    for (int shown = 0; shown < 3; shown++) {
        int worst = -1;
        for (int i = 0; i < n; i++) {
            bool peak = (i == 0 || fabs(own[i].sigma) > fabs(own[i - 1].sigma)) &&
                        (i == n - 1 || fabs(own[i].sigma) >= fabs(own[i + 1].sigma));
            if (peak && own[i].sigma > 0.0 && (worst < 0 || own[i].sigma > own[worst].sigma))
                worst = i;
        }
        if (worst < 0) break;
        printf("%s %.1f N at %s = %s", shown ? "," : "", own[worst].sigma, u->name,
               own[worst].value);
        own[worst].sigma = -own[worst].sigma; /* taken; its size still counts for its neighbours */
    }
    putchar('\n');
}

static void print_head(const study *u)
{
    if (u->csv)
        printf("%s,pantograph,mean_N,sigma_N,statistical_max_N,statistical_min_N,max_N,min_N,"
               "uplift_mm,contact_loss_percent\n",
               u->name ? u->name : "value");
    else
        printf("%-14s   no      mean    sigma  stat.max  stat.min  largest smallest   uplift     "
               "loss\n%-14s              N        N         N         N        N        N       "
               "mm        %%\n",
               u->name ? u->name : "", "");
}

int kl_catenary_figures(const char *path, const kl_texts *set, const char *over, bool csv)
{
    char        name[TEXT] = "", value[TEXT];
    const char *p          = over ? strchr(over, '=') : NULL;
    if (over && (!p || p == over || p - over >= TEXT || !p[1]))
        return kl_usage_error(&kl_command_catenary,
                              "--over needs NAME=VALUE,VALUE,..., for example --over "
                              "presag=0mm,20mm,30mm");
    if (over) snprintf(name, sizeof name, "%.*s", (int)(p - over), over);
    study u = {.path = path,
               .name = over ? name : NULL,
               .csv  = csv,
               .list = calloc((size_t)MOST_VALUES * MOST_PANTOGRAPHS, sizeof *u.list)};
    if (!u.list) return kl_exit_code(KL_E_MEMORY);
    print_head(&u);
    int code = KL_EXIT_OK, count = 0;
    if (!over) code = run_value(&u, set, "");
    while (p && *p && code == KL_EXIT_OK && count++ < MOST_VALUES) {
        size_t length = strcspn(++p, ",");
        snprintf(value, sizeof value, "%.*s", (int)length, p);
        code = run_value(&u, set, value);
        p += length;
        fflush(stdout);
    }
    if (code == KL_EXIT_OK && over && !csv) print_worst(&u);
    free(u.list);
    return code;
}
