/* klingel sweep: all runs of a parameter study on all cores, into one table.
 *
 * Each worker is a process of its own (a run that crashes takes no other with it). Runs are handed
 * out through a pipe; a finished run is one line, written in one go, at the end of OUT.csv.part. So
 * a study that was stopped or killed goes on where it was, and the table, sorted by run, is the
 * same whatever the number of workers. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algebra/dense.h"
#include "base/files.h"
#include "cli/analysis.h"
#include "cli/commands.h"
#include "cli/sweep_assess.h"
#include "cli/sweep_files.h"
#include "figures/figure.h"
#include "figures/table_figure.h"
#include "language/inputs.h"
#include "language/study.h"
#include "solve/eigenvalues.h"

enum { MOST_WORKERS = 256, LINE = 1 << 14, WHY = 600 };

typedef struct sweep {
    const kl_study  *study;
    const kl_source *source;
    char             part[1100]; /* journal */
    uint64_t         mark;       /* of study and model: a journal of other ones is of no use */
    bool            *done;
    int              left, quiet, fresh;
    pid_t            parent;
} sweep;

/* How a run went. */
typedef struct outcome {
    char why[WHY]; /* it failed; "" when it did not */
    bool lost;     /* its results file could not be written: the run is done again */
    bool had;      /* an earlier start wrote its results file */
} outcome;

/* ---- one run
 * --------------------------------------------------------------------------------------- */

/* What is gathered of a channel over the rows. */
typedef struct gauge {
    int    channel;
    double from; /* rows before it do not count [s] */
    double least, most, sum, squares, last;
    long   n;
} gauge;

typedef struct gauges {
    gauge *item;
    int    n;
} gauges;

static kl_status gauge_row(void *context, double t, const double *values)
{
    gauges *g = context;
    for (int i = 0; i < g->n; i++) {
        gauge *k = &g->item[i];
        if (t < k->from) continue;
        double v = values[k->channel];
        k->least = k->n ? fmin(k->least, v) : v;
        k->most  = k->n ? fmax(k->most, v) : v;
        k->sum += v;
        k->squares += v * v;
        k->last = v;
        k->n++;
    }
    return KL_OK;
}

static double taken(const gauge *g, kl_study_quantity take)
{
    double n = g->n > 0 ? (double)g->n : 1.0;
    switch (take) {
    case KL_QUANTITY_MIN: return g->least;
    case KL_QUANTITY_MAX: return g->most;
    case KL_QUANTITY_MEAN: return g->sum / n;
    case KL_QUANTITY_RMS: return sqrt(g->squares / n);
    case KL_QUANTITY_AMPLITUDE: return 0.5 * (g->most - g->least);
    default: return g->last;
    }
}

/* Rows need no other channels. */
static void want_gauges(kl_channels *c, const gauges *g)
{
    enum { MOST = 64 };
    int channel[MOST];
    if (g->n > MOST) return;
    for (int i = 0; i < g->n; i++) {
        if (g->item[i].channel < 0) return;
        channel[i] = g->item[i].channel;
    }
    kl_channels_want(c, channel, g->n, true);
}

/* The gauges over the rows of a results file, whose columns they name. */
static kl_status gauge_file(kl_reader *f, gauges *g)
{
    int       rows   = kl_reader_rows(f);
    double   *time   = calloc((size_t)rows + 1, sizeof *time);
    double   *column = calloc((size_t)rows + 1, sizeof *column);
    kl_status status = time && column ? kl_reader_time(f, time) : KL_E_MEMORY;
    for (int i = 0; status == KL_OK && i < g->n; i++) {
        gauges one         = {.item = &g->item[i], .n = 1};
        status             = kl_reader_column(f, g->item[i].channel, column);
        g->item[i].channel = 0;
        for (int row = 0; status == KL_OK && row < rows; row++)
            status = gauge_row(&one, time[row], &column[row]);
    }
    free(time);
    free(column);
    return status;
}

static kl_status run_file(const kl_study *study, const char *path, double *out, kl_diag *diag)
{
    gauges g = {.item = calloc((size_t)study->nresult + 1, sizeof *g.item), .n = study->nresult};
    kl_reader *f      = NULL;
    kl_status  status = g.item ? kl_reader_open(path, diag, &f) : KL_E_MEMORY;
    for (int i = 0; status == KL_OK && i < g.n; i++) {
        g.item[i].channel = kl_reader_find(f, study->result[i].channel);
        g.item[i].from    = study->result[i].from;
    }
    if (status == KL_OK) status = gauge_file(f, &g);
    for (int i = 0; status == KL_OK && i < g.n; i++)
        out[i] = taken(&g.item[i], study->result[i].take);
    kl_reader_close(f);
    free(g.item);
    return status;
}

static kl_status run_channels(const kl_study *study, kl_simulation *s, double *out, kl_diag *diag)
{
    gauges g = {.item = calloc((size_t)study->nresult + 1, sizeof *g.item), .n = study->nresult};
    if (!g.item) return KL_E_MEMORY;
    for (int i = 0; i < g.n; i++) {
        g.item[i].channel = kl_channels_find(s->channels, study->result[i].channel);
        g.item[i].from    = study->result[i].from;
    }
    kl_status status;
    if (study->analysis == KL_STUDY_RUN) {
        const kl_settings *set  = &s->model->settings;
        kl_sink            sink = {.context = &g, .row = gauge_row};
        want_gauges(s->channels, &g);
        /* The gauges see every row of the run; nothing is stored. */
        double end = isnan(study->end) ? set->end : study->end;
        status     = kl_simulation_run(s, end, set->every, &sink, diag);
    } else {
        const double *values;
        status = kl_analysis_find_state(s, KL_AT_REST, diag);
        if (status == KL_OK) status = kl_simulation_sample(s, diag, &values);
        /* One row, after all starting times `from`. */
        if (status == KL_OK) status = gauge_row(&g, HUGE_VAL, values);
    }
    for (int i = 0; i < g.n; i++) out[i] = taken(&g.item[i], study->result[i].take);
    free(g.item);
    return status;
}

/* The eigenvalue that grows most, or decays least; neutral ones only when there is no other. */
static kl_status run_modes(const kl_study *study, kl_simulation *s, double *out, kl_diag *diag)
{
    kl_linear   *l      = NULL;
    kl_spectrum *p      = NULL;
    kl_status    status = kl_analysis_find_state(s, KL_AT_EQUILIBRIUM, diag);
    if (status == KL_OK) status = kl_linearize(s->solver, NULL, diag, &l);
    if (status == KL_OK) status = kl_spectrum_find(s->solver, l, false, diag, &p);
    if (status == KL_OK) {
        const kl_eigenmode *top = NULL;
        for (int i = 0; i < p->n; i++) {
            const kl_eigenmode *e = &p->mode[i];
            if (!top || (top->neutral && !e->neutral) ||
                (top->neutral == e->neutral && e->re > top->re))
                top = e;
        }
        for (int i = 0; i < study->nresult; i++) {
            kl_study_quantity take = study->result[i].take;
            out[i]                 = !top                            ? 0.0
                                     : take == KL_QUANTITY_GROWTH    ? top->re
                                     : take == KL_QUANTITY_FREQUENCY ? top->frequency
                                                                     : top->damping;
        }
    }
    kl_spectrum_destroy(p);
    kl_linear_destroy(l);
    return status;
}

/* Builds the model of a run, and the fingerprint of all files that it is made of; NULL with reasons in the diag. */
static kl_model *build(const sweep *w, int run, char inputs[KL_INPUTS_TEXT], kl_diag *diag)
{
    const kl_study *s    = w->study;
    int             n    = s->nparameter;
    kl_override    *set  = calloc((size_t)n + (size_t)s->nfixed + 1, sizeof *set);
    char           *text = calloc((size_t)s->nparameter + 1, 160);
    kl_model       *m    = NULL;
    for (int p = 0; set && text && p < s->nparameter; p++) {
        kl_study_text(s, run, p, text + 160 * (size_t)p, 160);
        set[p] = (kl_override){.name = s->parameter[p], .text = text + 160 * (size_t)p};
    }
    for (int i = 0; set && i < s->nfixed; i++)
        set[n++] = (kl_override){.name = s->fixed[i], .text = s->fixed_text[i]};
    inputs[0] = '\0';
    if (set && text && kl_source_build(w->source, set, n, diag, &m) != KL_OK) m = NULL;
    if (m) (void)kl_inputs_fingerprint(w->source, set, n, m, inputs);
    free(set);
    free(text);
    return m;
}

/* The first error in words that fit into a field of a table. */
static void reason_of(const kl_diag *diag, kl_status status, char *why, size_t size)
{
    const char *text = NULL;
    for (int i = 0; diag && !text && i < kl_diag_size(diag); i++)
        if (kl_diag_at(diag, i)->severity == KL_ERROR) text = kl_diag_at(diag, i)->text;
    snprintf(why, size, "%s%s%s", kl_status_text(status), text ? ": " : "", text ? text : "");
    for (char *c = why; *c; c++)
        if (*c == ',') *c = ';';
        else if (*c == '"') *c = '\'';
        else if (*c == '\n' || *c == '\r') *c = ' ';
}

/* A run with a results file, which is kept or only read. */
static kl_status run_with_file(const sweep *w, int run, const char *inputs, kl_simulation *s,
                               double *out, outcome *o, kl_diag *diag)
{
    char path[1200];
    if (w->study->keep) kl_study_file(w->study, run, path, sizeof path);
    else snprintf(path, sizeof path, "%s-run%d.h5", w->part, run + 1);
    kl_study_run r      = {.study  = w->study,
                           .source = w->source,
                           .run    = run,
                           .path   = path,
                           .inputs = inputs,
                           .parent = w->parent};
    kl_status    status = KL_OK;
    o->had              = w->study->keep && !w->fresh && kl_sweep_has_run(&r, s);
    if (!o->had) status = kl_sweep_record(&r, s, &o->lost, diag);
    if (status == KL_OK)
        status = w->study->analysis == KL_STUDY_ASSESS ? kl_sweep_assess(w->study, path, out, diag)
                                                       : run_file(w->study, path, out, diag);
    if (!w->study->keep) (void)remove(path);
    return status;
}

static kl_status analyse(const sweep *w, int run, const char *inputs, kl_simulation *s, double *out,
                         outcome *o, kl_diag *diag)
{
    if (w->study->analysis == KL_STUDY_MODES) return run_modes(w->study, s, out, diag);
    if (w->study->analysis == KL_STUDY_ASSESS || w->study->keep)
        return run_with_file(w, run, inputs, s, out, o, diag);
    return run_channels(w->study, s, out, diag);
}

static void compute(const sweep *w, int run, double *out, outcome *o)
{
    *o                  = (outcome){.why = ""};
    kl_diag       *diag = kl_diag_create();
    char           inputs[KL_INPUTS_TEXT];
    kl_model      *m      = diag ? build(w, run, inputs, diag) : NULL;
    kl_simulation *s      = NULL;
    kl_status      status = m ? kl_simulation_create(m, diag, &s) : KL_E_MODEL;
    if (status == KL_OK) status = analyse(w, run, inputs, s, out, o, diag);
    if (status != KL_OK) reason_of(diag, status, o->why, sizeof o->why);
    kl_simulation_destroy(s);
    kl_model_destroy(m);
    kl_diag_destroy(diag);
}

/* ---- journal
 * ---------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, const char *text)
{
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001B3u; /* FNV-1a */
    return h;
}

/* One line of a finished run. */
static int format_line(const sweep *w, int run, const double *out, const char *why, char *line)
{
    int n = snprintf(line, LINE, "%d", run + 1);
    for (int i = 0; i < w->study->nresult && n < LINE - WHY - 64; i++)
        n += !*why ? snprintf(line + n, (size_t)(LINE - n), ",%.17g", out[i])
                   : snprintf(line + n, (size_t)(LINE - n), ",nan");
    n += snprintf(line + n, (size_t)(LINE - n), ",%s\n", *why ? why : "ok");
    return n;
}

/* Marks the runs that the journal has; a torn last line is cut off. False: of another study. */
static bool read_journal(sweep *w)
{
    FILE *f = fopen(w->part, "r");
    char  line[LINE];
    long  whole = 0;
    if (!f) return false;
    char head[64];
    snprintf(head, sizeof head, "# klingel sweep %016llx\n", (unsigned long long)w->mark);
    bool ours = fgets(line, sizeof line, f) && strcmp(line, head) == 0;
    whole     = ours ? ftell(f) : 0;
    while (ours && fgets(line, sizeof line, f)) {
        if (!strchr(line, '\n')) break;
        int run = atoi(line);
        if (run >= 1 && run <= w->study->nrun && !w->done[run - 1])
            w->done[run - 1] = true, w->left--;
        whole = ftell(f);
    }
    fclose(f);
    if (ours && truncate(w->part, whole) != 0) return false;
    return ours;
}

static bool start_journal(const sweep *w)
{
    FILE *f = fopen(w->part, "w");
    if (!f) return false;
    fprintf(f, "# klingel sweep %016llx\n", (unsigned long long)w->mark);
    return fclose(f) == 0;
}

/* The table, sorted by run, from the journal. *failed: runs that did not end well. */
static bool write_table(const sweep *w, FILE *out, int *failed)
{
    const kl_study *s     = w->study;
    char          **lines = calloc((size_t)s->nrun + 1, sizeof *lines);
    FILE           *f     = fopen(w->part, "r");
    char            line[LINE];
    bool            ok = lines && f;
    while (ok && fgets(line, sizeof line, f)) {
        int run = atoi(line);
        if (line[0] == '#' || run < 1 || run > s->nrun || lines[run - 1]) continue;
        const char *rest = strchr(line, ',');
        lines[run - 1]   = malloc(strlen(rest ? rest : "") + 1);
        if (lines[run - 1]) strcpy(lines[run - 1], rest ? rest : "");
    }
    if (f) fclose(f);
    if (ok) {
        fprintf(out, "run");
        for (int p = 0; p < s->nparameter; p++) fprintf(out, ",%s", s->parameter[p]);
        for (int i = 0; i < s->nresult; i++) fprintf(out, ",%s", s->result[i].name);
        fprintf(out, ",status\n");
    }
    for (int run = 0; ok && run < s->nrun; run++) {
        fprintf(out, "%d", run + 1);
        for (int p = 0; p < s->nparameter; p++) {
            char value[160];
            kl_study_number(s, run, p, value, sizeof value);
            fprintf(out, ",%s", value);
        }
        fprintf(out, "%s", lines[run] ? lines[run] : ",missing\n");
        const char *status = lines[run] ? strrchr(lines[run], ',') : NULL;
        if (!status || strcmp(status, ",ok\n") != 0) ++*failed;
    }
    for (int run = 0; lines && run < s->nrun; run++) free(lines[run]);
    free(lines);
    return ok;
}

/* ---- workers
 * ------------------------------------------------------------------------------------------- */

/* One line of progress for a kept file, in one go because the workers share the terminal. */
static void announce(const sweep *w, int run, const outcome *o)
{
    char path[1200], line[2000];
    if (!w->study->keep || w->quiet) return;
    kl_study_file(w->study, run, path, sizeof path);
    int n = snprintf(line, sizeof line, "%s%s%s\n", path,
                     *o->why  ? ": "
                     : o->had ? ": of an earlier start"
                              : "",
                     o->why);
    (void)!write(STDERR_FILENO, line, (size_t)n);
}

/* Takes runs from the pipe until it ends, or until the parent process has ended: runs in the pipe
 * outlive it, and orphaned workers would continue. */
static void work(const sweep *w, int jobs)
{
    int     journal = open(w->part, O_WRONLY | O_APPEND);
    double *out     = calloc((size_t)w->study->nresult + 1, sizeof *out);
    char   *line    = malloc(LINE);
    int     run;
    while (journal >= 0 && out && line && read(jobs, &run, sizeof run) == (ssize_t)sizeof run) {
        outcome o;
        if (getppid() != w->parent) break;
        compute(w, run, out, &o);
        if (getppid() != w->parent) break;
        if (o.lost) fprintf(stderr, "run %d: %s\n", run + 1, o.why);
        if (o.lost) break;
        announce(w, run, &o);
        int n = format_line(w, run, out, o.why, line);
        if (write(journal, line, (size_t)n) != n) break; /* disk full: the run is done again */
    }
    free(line);
    free(out);
    if (journal >= 0) close(journal);
}

static bool run_workers(const sweep *w, int workers)
{
    int   jobs[2];
    pid_t child[MOST_WORKERS];
    if (pipe(jobs) != 0) return false;
    signal(SIGPIPE, SIG_IGN);
    fflush(NULL);
    int n = 0;
    for (; n < workers; n++) {
        child[n] = fork();
        if (child[n] < 0) break;
        if (child[n] == 0) {
            close(jobs[1]);
            work(w, jobs[0]);
            _exit(0);
        }
    }
    close(jobs[0]);
    int  given  = 0;
    bool counts = !w->quiet && !w->study->keep && isatty(STDERR_FILENO);
    for (int run = 0; run < w->study->nrun && n > 0; run++) {
        if (w->done[run]) continue;
        if (write(jobs[1], &run, sizeof run) != (ssize_t)sizeof run) break; /* no worker is left */
        given++;
        if (counts) fprintf(stderr, "\r%d of %d", given, w->left);
    }
    close(jobs[1]);
    for (int i = 0; i < n; i++)
        while (waitpid(child[i], NULL, 0) < 0 && errno == EINTR) continue;
    if (counts) fprintf(stderr, "\n");
    return n > 0;
}

/* ---- the command
 * ------------------------------------------------------------------------------------------ */

enum { MOST_CURVES = 12, CURVE_NAME = 200 }; /* of one panel, and characters of a name */

/* ---- figure
 * -------------------------------------------------------------------------------------------- */

/* The results of each run from the table; a run that failed has no numbers. */
static double *read_results(const sweep *w, const char *table)
{
    const kl_study *s = w->study;
    double         *y = calloc((size_t)s->nrun * (size_t)s->nresult + 1, sizeof *y);
    FILE           *f = fopen(table, "r");
    char            line[LINE];
    for (int i = 0; y && i < s->nrun * s->nresult; i++) y[i] = (double)NAN;
    while (y && f && fgets(line, sizeof line, f)) {
        int   run = atoi(line) - 1;
        char *p   = line;
        if (run < 0 || run >= s->nrun) continue;
        for (int k = 0; p && k <= s->nparameter; k++) p = strchr(p + (k > 0), ',');
        for (int k = 0; p && k < s->nresult; k++) {
            y[run * s->nresult + k] = strtod(p + 1, &p);
            p                       = strchr(p, ',');
        }
    }
    if (f) fclose(f);
    return y;
}

/* Curves of a figure: runs that differ in parameter p alone are one curve, named after the others. */
typedef struct run_groups {
    int  *of; /* of each run */
    char *text;
    char *name[MOST_CURVES + 1];
    int   n; /* 0: too many, or one parameter: points */
} run_groups;

static void group_runs(const kl_study *s, int p, run_groups *g)
{
    *g = (run_groups){.of   = calloc((size_t)s->nrun + 1, sizeof(int)),
                      .text = calloc(MOST_CURVES + 1, CURVE_NAME)};
    if (!g->of || !g->text || s->nparameter < 2) return;
    for (int i = 0; i < s->nrun; i++) {
        char name[CURVE_NAME] = "", value[80];
        int  k                = 0;
        for (int j = 0; j < s->nparameter; j++) {
            size_t n = strlen(name);
            if (j == p) continue;
            kl_study_text(s, i, j, value, sizeof value);
            snprintf(name + n, sizeof name - n, "%s%s %s", n ? ", " : "", s->parameter[j], value);
        }
        while (k < g->n && strcmp(g->name[k], name) != 0) k++;
        if (k == MOST_CURVES) {
            g->n = 0;
            return;
        }
        g->of[i] = k;
        if (k < g->n) continue;
        g->name[k] = g->text + (size_t)k * CURVE_NAME;
        snprintf(g->name[g->n++], CURVE_NAME, "%s", name);
    }
    if (g->n == s->nrun) g->n = 0; /* one point each */
}

/* All results over one parameter: the one asked for, or the first. */
static int draw_study(const sweep *w, const char *table, const char *figure, const char *over)
{
    const kl_study *s = w->study;
    int             p = 0;
    while (over && p < s->nparameter && strcmp(s->parameter[p], over) != 0) p++;
    if (p == s->nparameter)
        return kl_usage_error(&kl_command_sweep, "--x: the study has no parameter `%s`", over);
    double      *x = calloc((size_t)s->nrun + 1, sizeof *x), *y = read_results(w, table);
    const char **name = calloc((size_t)s->nresult + 1, sizeof *name);
    char         label[300];
    bool         good = x && y && name;
    for (int i = 0; good && i < s->nrun; i++)
        x[i] = s->value[(size_t)i * (size_t)s->nparameter + (size_t)p];
    for (int k = 0; good && k < s->nresult; k++) name[k] = s->result[k].name;
    snprintf(label, sizeof label, *s->unit[p] ? "%s [%s]" : "%s", s->parameter[p], s->unit[p]);
    run_groups g;
    group_runs(s, p, &g);
    kl_table_figure t = {.file    = figure,
                         .x_label = label,
                         .x       = x,
                         .name    = name,
                         .y       = y,
                         .n       = s->nrun,
                         .ncurve  = s->nresult,
                         .group   = g.n ? (const char *const *)g.name : NULL,
                         .of      = g.of,
                         .ngroup  = g.n};
    good              = good && g.of && g.text && kl_table_figure_draw(&t);
    if (good && !w->quiet) fprintf(stderr, "figure: %s\n", figure);
    free(x);
    free(y);
    free(name);
    free(g.of);
    free(g.text);
    return good ? KL_EXIT_OK : KL_EXIT_MODEL;
}

/* The channels asked for exist in the model of the first run. A journal of other files than this model is made of is
 * of no use. */
static kl_status check_channels(sweep *w, kl_diag *diag)
{
    char         inputs[KL_INPUTS_TEXT];
    kl_model    *m = build(w, 0, inputs, diag);
    kl_channels *c = NULL;
    if (!m) return kl_diag_failed(diag) ? kl_diag_status(diag) : KL_E_MEMORY;
    w->mark          = mix(w->mark, inputs);
    kl_status status = kl_channels_create(m, diag, &c);
    for (int i = 0; status == KL_OK && i < w->study->nresult; i++) {
        const kl_study_result *r = &w->study->result[i];
        if (!r->channel || w->study->analysis == KL_STUDY_ASSESS ||
            kl_channels_find(c, r->channel) >= 0)
            continue;
        int          n     = kl_channels_count(c);
        const char **names = calloc((size_t)n + 1, sizeof *names);
        for (int k = 0; names && k < n; k++) names[k] = kl_channels_at(c, k)->name;
        const char *near = names ? kl_nearest(r->channel, names) : NULL;
        kl_fail(diag, KL_E_NAME, r->place, "result '%s': there is no channel `%s`%s%s%s", r->name,
                r->channel, near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
        free(names);
    }
    kl_channels_destroy(c);
    kl_model_destroy(m);
    return kl_diag_failed(diag) ? kl_diag_status(diag) : status;
}

static int run_study(sweep *w, const char *output, int workers, bool fresh)
{
    /* a run whose file is kept is judged by this file, not by the journal */
    bool going = !fresh && !w->study->keep && read_journal(w);
    if (!going) {
        memset(w->done, 0, (size_t)w->study->nrun * sizeof *w->done);
        w->left = w->study->nrun;
        if (!start_journal(w)) {
            fprintf(stderr, "%s: cannot be written: %s\n", w->part, kl_file_reason(errno));
            unlink(w->part);
            return KL_EXIT_MODEL;
        }
    } else if (!w->quiet && w->left < w->study->nrun) {
        fprintf(stderr, "%d of %d runs are already done\n", w->study->nrun - w->left,
                w->study->nrun);
    }
    if (w->left > 0 && !run_workers(w, workers < w->left ? workers : w->left)) {
        fprintf(stderr, "no worker could be started: %s\n", strerror(errno));
        return KL_EXIT_NUMERICAL;
    }
    /* workers only append to the journal; what it contains is what was computed, also before a crash */
    memset(w->done, 0, (size_t)w->study->nrun * sizeof *w->done);
    w->left = w->study->nrun;
    if (!read_journal(w) || w->left > 0) {
        fprintf(stderr,
                "%d runs are missing because a worker process ended early; repeat the command to "
                "continue\n",
                w->left);
        return KL_EXIT_NUMERICAL;
    }
    kl_new_file f;
    int         failed = 0;
    bool        ok     = kl_new_file_open(&f, output);
    /* under a temporary name until complete, so that an interrupted command leaves no half table */
    if (ok && !write_table(w, f.stream, &failed)) kl_new_file_discard(&f), ok = false;
    else ok = ok && kl_new_file_close(&f);
    if (!ok) {
        fprintf(stderr, "%s: cannot be written: %s\n", output, kl_file_reason(errno));
        return KL_EXIT_MODEL;
    }
    (void)remove(w->part);
    if (!w->quiet) fprintf(stderr, "%d runs: %s\n", w->study->nrun, output);
    if (!w->quiet && failed > 0)
        fprintf(stderr, "%d of them failed; the column `status` gives the reason\n", failed);
    return KL_EXIT_OK;
}

static int sweep_run(int argc, char **argv)
{
    const char     *output = NULL, *figure = NULL, *over = NULL, *keep = NULL;
    int             workers = 0;
    bool            fresh = false, quiet = false;
    const kl_option options[] = {
        {"output", 'o', "OUT.csv", KL_OPTION_TEXT, &output,
         "table to write (default: named after the study)"},
        {"figure", 0, "FIGURE", KL_OPTION_TEXT, &figure,
         "draw the results over a parameter (.svg, .png or .pdf)"},
        {"x", 'x', "NAME", KL_OPTION_TEXT, &over,
         "parameter on the horizontal axis of the figure (default: the first)"},
        {"keep", 0, "FILES", KL_OPTION_TEXT, &keep,
         "keep the results files: a folder, or names such as 'runs/{speed}.h5'"},
        {"workers", 'j', "N", KL_OPTION_COUNT, &workers,
         "number of processes (default: one per core)"},
        {"fresh", 0, NULL, KL_OPTION_FLAG, &fresh, "discard the runs of an earlier start"},
        {"quiet", 'q', NULL, KL_OPTION_FLAG, &quiet, "print no progress and no summary"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_sweep, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n != 1)
        return kl_usage_error(&kl_command_sweep,
                              rest.n ? "give one study file"
                                     : "the study is missing; name its file, such as study.yaml");
    if (figure && !kl_figure_can_draw(figure))
        return kl_usage_error(&kl_command_sweep,
                              "the name of a figure must end in .svg, .png or .pdf");
    char path[1024];
    snprintf(path, sizeof path, "%.1000s", rest.items[0]);
    char *dot = strrchr(path, '.');
    snprintf(dot && dot > strrchr(path, '/') ? dot : path + strlen(path), 16, ".csv");
    if (!output) output = path;
    if (workers == 0) workers = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (workers < 1) workers = 1;
    if (workers > MOST_WORKERS) workers = MOST_WORKERS;

    kl_diag   *diag   = kl_diag_create();
    kl_study  *study  = NULL;
    kl_source *source = NULL;
    sweep      w      = {.quiet = quiet, .fresh = fresh, .parent = getpid()};
    kl_status  status = diag ? kl_study_read(rest.items[0], diag, &study) : KL_E_MEMORY;
    if (status == KL_OK && keep)
        status = kl_study_keep(study, keep, (kl_place){.file = "--keep"}, diag);
    if (status == KL_OK) status = kl_source_read(study->model, diag, &source);
    if (status == KL_OK) {
        (void)kl_blas_threads(1); /* the cores are for the workers, and sums keep their order */
        w.study  = study;
        w.source = source;
        w.mark   = mix(mix(0xCBF29CE484222325u, study->text), kl_source_text(source));
        w.done   = calloc((size_t)study->nrun + 1, sizeof *w.done);
        w.left   = study->nrun;
        snprintf(w.part, sizeof w.part, "%.1000s.part", output);
        status = w.done ? check_channels(&w, diag) : KL_E_MEMORY;
    }
    code = status == KL_OK ? run_study(&w, output, workers, fresh) : kl_exit_code(status);
    if (code == KL_EXIT_OK && figure) code = draw_study(&w, output, figure, over);
    kl_print_diag(diag, status == KL_OK ? NULL : "nothing was run");
    free(w.done);
    kl_source_destroy(source);
    kl_study_destroy(study);
    kl_diag_destroy(diag);
    return code;
}

const kl_command kl_command_sweep = {
    .name      = "sweep",
    .arguments = "STUDY.yaml",
    .summary   = "run a parameter study on all cores and write one table",
    .run       = sweep_run,
    .help      = "`klingel help study` describes a study.\n\n"
                 "  klingel sweep examples/carter-wheelset/study.yaml -o table.csv\n"
                 "\n"
                 "  klingel sweep study.yaml --keep 'runs/{speed}-{conicity}.h5'\n"
                 "\n"
                 "If a study was stopped, the same command continues it.\n"};
