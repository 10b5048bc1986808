/* klingel stress: displacement, strain and stress of flexible bodies after a run; the worst points
 * and their fatigue. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/stress_curve.h"
#include "cli/stress_sites.h"
#include "cli/stress_weld.h"
#include "cli/vtk_series.h"
#include "script/expression.h"
#include "terminal/result_files.h"

typedef struct request {
    const char       *file, *output, *points, *times, *sn, *mean, *ultimate, *measure, *weld;
    double            from, to, apart;
    int               top;
    kl_stress_bodies  bodies;
    kl_stress_sites   sites;
    int              *row, nrow;
    kl_sn_curve       curve; /* of the command line */
    kl_stress_measure how;
} request;

/* ---- the curve ---- */

/* Over the curve of the model, where it has one: --sn and --mean may be given alone. */
static int read_curve(request *q, kl_stress_body *b, kl_sn_curve *c)
{
    bool any  = q->sn || q->mean || q->ultimate;
    int  code = KL_EXIT_OK;
    if (!b->curve && any)
        *c = (kl_sn_curve){.cycles = 2e6, .slope = 3.0, .mean = c->mean, .ultimate = c->ultimate};
    if (q->sn) code = kl_sn_read(&kl_command_stress, q->sn, c);
    if (code == KL_EXIT_OK && q->mean)
        code = kl_sn_read_mean(&kl_command_stress, q->mean, &c->mean);
    if (code == KL_EXIT_OK && q->ultimate)
        code = kl_sn_read_stress(&kl_command_stress, "ultimate", q->ultimate, &c->ultimate);
    if (code != KL_EXIT_OK || (!b->curve && !any)) return code;
    const char *fault = kl_sn_fault(c);
    if (fault && !(c->range > 0.0))
        return kl_usage_error(&kl_command_stress,
                              "body '%s' has no S-N curve: give one with --sn FAT90 or in the "
                              "model with sn_range",
                              b->name);
    if (fault) return kl_usage_error(&kl_command_stress, "S-N curve: %s", fault);
    b->curve = c;
    return KL_EXIT_OK;
}

static int read_curves(request *q)
{
    int code = KL_EXIT_OK;
    for (int i = 0; i < q->bodies.n && code == KL_EXIT_OK; i++) {
        q->bodies.list[i].measure = q->how;
        code                      = read_curve(q, &q->bodies.list[i], &q->bodies.curve[i]);
    }
    return code;
}

/* ---- times ---- */

static int nearest_row(const kl_modal_run *r, double t)
{
    int best = 0;
    for (int i = 1; i < r->rows; i++)
        if (fabs(r->time[i] - t) < fabs(r->time[best] - t)) best = i;
    return best;
}

/* rows at which a body was worst */
static kl_status worst_rows(request *q)
{
    for (int i = 0; i < q->bodies.n; i++) {
        kl_stress_body *b = &q->bodies.list[i];
        if (!b->spot) KL_TRY(kl_stress_bodies_envelope(&q->bodies, i));
        int worst = 0;
        for (int p = 1; p < b->run.body->stress.n; p++)
            if (b->spot[p].von_mises > b->spot[worst].von_mises) worst = p;
        int  row  = nearest_row(&b->run, b->spot[worst].time);
        bool have = false;
        for (int k = 0; k < q->nrow; k++) have |= q->row[k] == row;
        if (!have) q->row[q->nrow++] = row;
    }
    return KL_OK;
}

static kl_status add_time(request *q, const char *word, kl_diag *diag)
{
    const kl_modal_run *r = &q->bodies.list[0].run;
    kl_quantity         t;
    kl_diag            *quiet = kl_diag_create();
    kl_status status = kl_expression_number(word, KL_NOWHERE, &(kl_symbols){0}, NULL, quiet, &t);
    kl_diag_destroy(quiet);
    double first = r->time[0], last = r->time[r->rows - 1],
           slack = 1e-9 * fmax(fabs(first), fabs(last));
    if (status != KL_OK || !kl_quantity_fits(t, kl_dim_of("s")))
        return kl_fail(
            diag, KL_E_RANGE, KL_NOWHERE,
            "--times: '%s' is not a time; give seconds separated by commas, `worst` or `all`",
            word);
    if (t.value < first - slack || t.value > last + slack)
        return kl_fail(diag, KL_E_RANGE, (kl_place){.file = q->file},
                       "--times: %g s is outside the results, which last from %g to %g s", t.value,
                       first, last);
    int row = nearest_row(r, t.value);
    if (fabs(r->time[row] - t.value) > slack)
        kl_note(diag, (kl_place){.file = q->file}, "%g s was not recorded; the nearest is %.9g s",
                t.value, r->time[row]);
    q->row[q->nrow++] = row;
    return KL_OK;
}

static kl_status choose_times(request *q, kl_diag *diag)
{
    int    rows = q->bodies.list[0].run.rows;
    size_t most = (size_t)rows + (size_t)q->bodies.n + strlen(q->times) + 1;
    q->row      = malloc(most * sizeof *q->row);
    if (!q->row) return KL_E_MEMORY;
    if (strcmp(q->times, "all") == 0) {
        for (int i = 0; i < rows; i++) q->row[q->nrow++] = i;
        return KL_OK;
    }
    if (strcmp(q->times, "worst") == 0) return worst_rows(q);
    kl_status status = KL_OK;
    for (const char *p = q->times; *p;) {
        char   word[64];
        size_t n = strcspn(p, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, p);
        kl_status one = add_time(q, word, diag);
        if (one != KL_OK) status = one;
        p += n + (p[n] == ',');
    }
    return status;
}

/* ---- files ---- */

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

static kl_stress_request content(const request *q)
{
    return (kl_stress_request){.body  = q->bodies.list,
                               .nbody = q->bodies.n,
                               .site  = q->sites.list,
                               .nsite = q->sites.n,
                               .row   = q->row,
                               .nrow  = q->nrow};
}

static int write_csv(const request *q)
{
    kl_new_file       o;
    kl_stress_request c = content(q);
    if (!kl_output_open(&o, q->output)) return KL_EXIT_MODEL;
    (void)kl_stress_write_csv(o.stream, &c); /* a stream that failed is reported on closing */
    return kl_output_close(&o) ? KL_EXIT_OK : KL_EXIT_MODEL;
}

static int write_h5(const request *q)
{
    char              why[KL_H5_WHY] = "", part[4200];
    kl_stress_request c              = content(q);
    snprintf(part, sizeof part, "%s.%ld.part", q->output, (long)getpid());
    kl_h5 *f    = kl_h5_create(part, why);
    bool   good = f && kl_stress_write_h5(f, &c);
    if (f && !good) snprintf(why, sizeof why, "%s", kl_h5_error_text(f));
    good = f && kl_h5_close(f, why) && good && rename(part, q->output) == 0;
    if (good) return KL_EXIT_OK;
    unlink(part);
    fprintf(stderr, "%s: cannot be written: %s\n", q->output, *why ? why : "HDF5 refused");
    return KL_EXIT_MODEL;
}

static bool write_sheet(const kl_stress_body *b, int row, const char *path)
{
    kl_new_file o;
    if (!kl_output_open(&o, path)) return false;
    if (kl_stress_write_vtp(o.stream, b, row) == KL_OK) return kl_output_close(&o);
    if (!kl_output_discard(&o)) fprintf(stderr, "%s could not be written: out of memory\n", path);
    return false;
}

static int write_vtp(const request *q)
{
    if (q->bodies.n > 1 || q->nrow > 1)
        return kl_usage_error(&kl_command_stress, "a .vtp file contains one body at one time; name "
                                                  "one body, or write a series with -o NAME.pvd");
    return write_sheet(&q->bodies.list[0], q->nrow ? q->row[0] : -1, q->output) ? KL_EXIT_OK
                                                                                : KL_EXIT_MODEL;
}

static int write_pvd(const request *q)
{
    kl_vtk_series s;
    char          path[4300], name[160];
    bool          good   = kl_vtk_series_open(&s, q->output);
    int           frames = q->nrow ? q->nrow : 1;
    if (!good) return KL_EXIT_MODEL;
    for (int k = 0; k < frames; k++)
        for (int i = 0; good && i < q->bodies.n; i++) {
            const kl_stress_body *b = &q->bodies.list[i];
            snprintf(name, sizeof name, "%.120s-%s%05d", b->name, q->nrow ? "" : "worst-", k);
            kl_vtk_series_add(&s, q->nrow ? b->run.time[q->row[k]] : 0.0, i, name, path,
                              sizeof path);
            good = write_sheet(b, q->nrow ? q->row[k] : -1, path);
        }
    if (good) return kl_vtk_series_close(&s) ? KL_EXIT_OK : KL_EXIT_MODEL;
    kl_vtk_series_discard(&s);
    return KL_EXIT_MODEL;
}

static const struct format {
    const char *ending;
    bool        surface; /* no histories */
    int (*write)(const request *q);
} formats[] = {{".csv", false, write_csv},
               {".h5", false, write_h5},
               {".hdf5", false, write_h5},
               {".vtp", true, write_vtp},
               {".pvd", true, write_pvd}};

static const struct format *format_of(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (ends_in(path, formats[i].ending)) return &formats[i];
    return NULL;
}

/* ---- the table ---- */

static void print_spots(const request *q, const kl_stress_body *b)
{
    const kl_kbody     *k = b->run.body;
    const kl_modal_run *r = &b->run;
    int                 n = k->stress.n;
    kl_hot_spot        *h = malloc(((size_t)n + 1) * sizeof *h);
    if (!h) return;
    memcpy(h, b->spot, (size_t)n * sizeof *h);
    kl_hot_spots_sort(h, n);
    double apart = q->apart > 0.0 ? q->apart : kl_hot_spots_apart(k);
    int    found = kl_hot_spots_pick(k, h, n, apart, q->top);
    printf("%s: %d points, %d rows from %g to %g s; largest stresses at least %.3g m apart\n",
           b->name, n, r->rows, r->time[0], r->time[r->rows - 1], apart);
    printf("  %-24s %10s %10s %10s %11s %10s %10s %10s%s\n", "point", "x [m]", "y [m]", "z [m]",
           "Mises [MPa]", "at [s]", "from [MPa]", "to [MPa]", b->curve ? "     damage" : "");
    for (int i = 0; i < found; i++) {
        char    name[KL_POINT_NAME];
        kl_vec3 x = k->stress.position[h[i].point];
        printf("  %-24s %10.5g %10.5g %10.5g %11.5g %10.6g %10.5g %10.5g",
               kl_stress_point_name(k, h[i].point, name), x.x, x.y, x.z, 1e-6 * h[i].von_mises,
               h[i].time, 1e-6 * h[i].least, 1e-6 * h[i].most);
        if (b->curve) printf(" %10.4g", h[i].damage);
        printf("\n");
    }
    if (found == 0) printf("  all stresses are zero\n");
    double span = r->time[r->rows - 1] - r->time[0];
    if (b->curve && found && h[0].damage > 0.0)
        printf("  fatigue life: %.4g repetitions of this run, %.4g h\n", 1.0 / h[0].damage,
               span / h[0].damage / 3600.0);
    else if (b->curve && found) printf("  fatigue life: unlimited according to this S-N curve\n");
    free(h);
}

static bool any_curve(const request *q)
{
    for (int i = 0; i < q->bodies.n; i++)
        if (q->bodies.list[i].curve) return true;
    return false;
}

static int produce(request *q, kl_diag *diag)
{
    bool      worst  = !q->points && !q->times;
    kl_status status = KL_OK;
    int       code   = read_curves(q);
    if (code != KL_EXIT_OK) return code;
    if (q->weld) return kl_stress_weld_print(&q->bodies, q->weld);
    if (worst && !q->measure && any_curve(q)) kl_sn_warn_measure();
    for (int i = 0; worst && status == KL_OK && i < q->bodies.n; i++)
        status = kl_stress_bodies_envelope(&q->bodies, i);
    if (status == KL_OK && q->points)
        status = kl_stress_sites_find(&q->sites, &q->bodies, q->points, q->file, diag);
    if (status == KL_OK && q->times) status = choose_times(q, diag);
    if (status != KL_OK) {
        kl_print_diag(diag, "nothing was written");
        return kl_exit_code(status);
    }
    kl_print_diag(diag, NULL);
    for (int i = 0; worst && i < q->bodies.n; i++) print_spots(q, &q->bodies.list[i]);
    if (q->output) return format_of(q->output)->write(q);
    kl_stress_request c = content(q);
    if (!worst) (void)kl_stress_write_csv(stdout, &c);
    return KL_EXIT_OK;
}

static int open_and_produce(request *q, const kl_arguments *rest)
{
    kl_diag      *diag = kl_diag_create(), *build = kl_diag_create();
    kl_reader    *r     = kl_open_results(q->file, diag);
    kl_time_range range = {q->from, q->to};
    int           code  = KL_EXIT_MODEL;
    if (r) {
        kl_status status = kl_stress_bodies_open(&q->bodies, &kl_command_stress, q->file, r,
                                                 rest->items + 1, rest->n - 1, range, build);
        if (status == KL_OK) code = produce(q, diag);
        else {
            kl_print_diag(build, NULL);
            code = kl_exit_code(status);
        }
        kl_stress_bodies_close(&q->bodies);
    }
    free(q->row);
    kl_reader_close(r);
    kl_diag_destroy(build);
    kl_diag_destroy(diag);
    return code;
}

static int check_request(request *q)
{
    const kl_command *c = &kl_command_stress;
    if (q->points && q->times)
        return kl_usage_error(c, "give --points for histories or --times for fields, not both");
    if (q->weld && (q->points || q->times || q->output))
        return kl_usage_error(c,
                              "--weld prints one line; give it without -o, --points and --times");
    if (q->output && !format_of(q->output))
        return kl_usage_error(c, "%s: unknown file type; use .csv, .h5, .vtp or .pvd", q->output);
    if (q->output && q->points && format_of(q->output)->surface)
        return kl_usage_error(c, "histories of points are written as .csv or .h5, not %s",
                              q->output);
    if (q->output && kl_same_file(q->file, q->output))
        return kl_usage_error(c, "%s would overwrite the results", q->output);
    if (q->apart < 0.0)
        return kl_usage_error(c, "--apart must be a positive distance, not %g m", q->apart);
    return kl_sn_read_measure(c, q->measure, &q->how);
}

static int run_stress(int argc, char **argv)
{
    request         q         = {.from = -HUGE_VAL, .to = HUGE_VAL, .top = 10};
    const kl_option options[] = {
        {"output", 'o', "FILE", KL_OPTION_TEXT, &q.output,
         "file to write: .csv, .h5, .vtp or .pvd"},
        {"points", 'p', "P,...", KL_OPTION_TEXT, &q.points,
         "histories at markers, nodes, element:5, hot or hot:3"},
        {"times", 't', "T,...", KL_OPTION_TEXT, &q.times,
         "fields at these times [s], `worst` or `all`"},
        {"sn", 0, "CURVE", KL_OPTION_TEXT, &q.sn,
         "FAT90, or range=90MPa,cycles=2e6,slope=3,knee=1e7"},
        {"mean", 0, "RULE", KL_OPTION_TEXT, &q.mean,
         "mean stress correction: none, goodman, gerber or swt"},
        {"ultimate", 0, "STRESS", KL_OPTION_TEXT, &q.ultimate, "tensile strength: 510MPa"},
        {"measure", 0, "WORD", KL_OPTION_TEXT, &q.measure,
         "von-mises (signed), principal, critical-plane"},
        {"weld", 0, "X,...", KL_OPTION_TEXT, &q.weld,
         "stress at a weld toe: x,y,z,dx,dy,dz,t|edge [m]"},
        {"top", 0, "N", KL_OPTION_COUNT, &q.top, "number of hot spots in the table (default 10)"},
        {"apart", 0, "M", KL_OPTION_NUMBER, &q.apart, "smallest distance between hot spots [m]"},
        {"from", 0, "T", KL_OPTION_TIME, &q.from, "first time [s]"},
        {"to", 0, "T", KL_OPTION_TIME, &q.to, "last time [s]"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_stress, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n < 1) return kl_usage_error(&kl_command_stress, "give a results file (.h5)");
    q.file = rest.items[0];
    code   = check_request(&q);
    return code == KL_EXIT_OK ? open_and_produce(&q, &rest) : code;
}

const kl_command kl_command_stress = {
    .name      = "stress",
    .arguments = "OUT.h5 [BODY...] [-o FILE]",
    .summary   = "stress and fatigue of flexible bodies after a run",
    .run       = run_stress,
    .help      = "Without --points or --times: the largest von Mises stress at each point; with\n"
                 "an S-N curve the damage (rainflow, Miner). Needs `stress:` in the body file.\n\n"
                 "  klingel stress out.h5 --sn FAT90 --measure critical-plane -o hot.vtp\n"
                 "  klingel stress out.h5 rod --points tip,1711,hot:3 -o histories.csv\n",
};
