/* klingel vehicle: a rail vehicle as a document: loads, natural motions, critical speed, rides with their
 * assessment.
 *
 * Critical speed and rides are what `klingel critical-speed` and `klingel run` do; each is a process of its own, so
 * that one that fails takes no other with it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/check_vehicle.h"
#include "cli/commands.h"
#include "cli/hunting.h"
#include "cli/model_options.h"
#include "terminal/result_files.h"

enum { MOST_ARGUMENTS = 200, MOST_SPEEDS = 200, MOST_CRITICAL = 400 };

typedef struct request {
    const char *model, *output, *title, *limits, *parameter;
    kl_texts    set, rides;
    double      from, to, step;
    bool        nonlinear;
    kl_arena   *arena;
    kl_diag    *diag;
} request;

/* ---- other commands ---- */

/* The command with these words in a process of its own; its standard output goes to `out`, or nowhere. */
static int call(const kl_command *command, char **words, int n, FILE *out)
{
    fflush(stdout);
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
        if (out) dup2(fileno(out), STDOUT_FILENO);
        int code = command->run(n, words);
        fflush(stdout);
        _exit(code);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) return KL_EXIT_NUMERICAL;
    return WIFEXITED(status) ? WEXITSTATUS(status) : KL_EXIT_NUMERICAL;
}

typedef struct words {
    char *item[MOST_ARGUMENTS];
    int   n;
} words;

static void add_word(const request *q, words *w, const char *text)
{
    if (w->n < MOST_ARGUMENTS - 1) w->item[w->n++] = kl_arena_text(q->arena, text);
    w->item[w->n] = NULL;
}

static void add_pair(const request *q, words *w, const char *option, const char *text)
{
    add_word(q, w, option);
    add_word(q, w, text);
}

static void add_set(const request *q, words *w)
{
    for (int i = 0; i < q->set.n; i++) add_pair(q, w, "--set", q->set.items[i]);
}

/* ---- critical speed ---- */

static int read_critical(const request *q, FILE *f, kl_critical_row *row)
{
    char   line[300], kind[100];
    int    n = 0;
    double speed, frequency, amplitude;
    rewind(f);
    while (n < MOST_CRITICAL && fgets(line, sizeof line, f))
        if (sscanf(line, "%99[^,],%lf,%lf,%lf", kind, &speed, &frequency, &amplitude) == 4)
            row[n++] =
                (kl_critical_row){kl_arena_text(q->arena, kind), speed, frequency, amplitude};
    return n;
}

/* Critical speeds; how many, or -1 when the search failed. */
static int find_critical(const request *q, kl_critical_row *row)
{
    words w   = {0};
    FILE *out = tmpfile();
    char  number[40];
    if (!out) return -1;
    add_word(q, &w, "critical-speed");
    add_word(q, &w, q->model);
    add_set(q, &w);
    add_pair(q, &w, "--parameter", q->parameter);
    const double      value[] = {q->from, q->to, q->step};
    const char *const name[]  = {"--from", "--to", "--step"};
    for (int i = 0; i < 3; i++) {
        snprintf(number, sizeof number, "%.17g", value[i]);
        add_pair(q, &w, name[i], number);
    }
    if (!q->nonlinear) add_word(q, &w, "--linear");
    add_word(q, &w, "--csv");
    int code = call(&kl_command_critical_speed, w.item, w.n, out);
    int n    = code == KL_EXIT_OK ? read_critical(q, out, row) : -1;
    fclose(out);
    return n;
}

/* Growth of the least damped motion over the speed. */
static int find_growth(const request *q, const kl_source *source, double *speed, double *growth)
{
    int        n = 0;
    kl_hunting k = {.source = source, .nset = q->set.n + 1, .diag = kl_diag_create()};
    k.set        = kl_overrides(&q->set, 1, q->arena, q->diag);
    if (k.set) k.set[q->set.n] = (kl_override){q->parameter, k.value};
    for (double at = q->from; k.set && at <= q->to * (1.0 + 1e-12) && n < MOST_SPEEDS;
         at += q->step) {
        double frequency;
        if (kl_hunting_growth(&k, at, &growth[n], &frequency) == KL_OK) speed[n++] = at;
    }
    kl_hunting_discard_copy(&k);
    kl_diag_destroy(k.diag);
    return n;
}

/* ---- rides ---- */

/* "curve: track=curve, speed=30" into name, settings and words of `klingel run`; false: no such form. */
static bool parse_ride(const request *q, const char *text, kl_vehicle_ride *ride, words *w)
{
    const char *colon = strchr(text, ':');
    ride->name        = colon ? kl_arena_text_n(q->arena, text, (size_t)(colon - text)) : "ride";
    const char *p     = colon ? colon + 1 : text;
    p += strspn(p, " ");
    ride->settings = kl_arena_text(q->arena, p);
    for (; *p; p += strspn(p, ", ")) {
        size_t n   = strcspn(p, ",");
        char  *one = kl_arena_text_n(q->arena, p, n);
        bool   end = one && strncmp(one, "end=", 4) == 0;
        if (!one || !strchr(one, '=')) return false;
        add_pair(q, w, end ? "--end" : "--set", end ? one + 4 : one);
        p += n;
    }
    return true;
}

/* out.html and "curve" become out-curve.h5 */
static const char *ride_file(const request *q, const char *ride)
{
    const char *dot  = strrchr(q->output, '.');
    int         n    = dot ? (int)(dot - q->output) : (int)strlen(q->output);
    char       *file = kl_arena_format(q->arena, "%.*s-%s.h5", n, q->output, ride);
    for (char *c = file ? strrchr(file, '/') : NULL; c && (c = strchr(c + 1, '/'));) *c = '-';
    return file;
}

/* `failed` becomes the exit code of a ride that failed. */
static kl_status run_ride(const request *q, const char *text, kl_vehicle_ride *ride, int *failed)
{
    words w = {0};
    add_word(q, &w, "run");
    add_word(q, &w, q->model);
    add_set(q, &w);
    if (!parse_ride(q, text, ride, &w))
        return kl_fail(q->diag, KL_E_USAGE, (kl_place){.file = "--ride"},
                       "--ride needs \"NAME: PARAMETER=VALUE, ...\", for example --ride \"curve: "
                       "track=curve, speed=30\", not '%s'",
                       text);
    const char *file = ride_file(q, ride->name), *slash = file ? strrchr(file, '/') : NULL;
    if (!file) return KL_E_MEMORY;
    ride->file = slash ? slash + 1 : file;
    add_pair(q, &w, "-o", file);
    fprintf(stderr, "ride %s: %s\n", ride->name, *ride->settings ? ride->settings : q->model);
    int code = call(&kl_command_run, w.item, w.n, NULL);
    if (code == KL_EXIT_INTERRUPTED) return KL_E_INTERRUPTED;
    if (code == KL_EXIT_OK) ride->reader = kl_open_results(file, q->diag);
    if (ride->reader) return KL_OK;
    *failed = code == KL_EXIT_OK ? KL_EXIT_MODEL : code;
    kl_warn(q->diag, (kl_place){.file = file},
            "ride `%s` failed and is missing in the report; the messages above say why",
            ride->name);
    return KL_OK;
}

/* ---- all ---- */

static kl_status write_page(const request *q, const kl_vehicle_report *page,
                            kl_vehicle_verdict *verdict)
{
    kl_new_file o;
    if (!kl_output_open(&o, q->output)) return KL_E_FILE;
    kl_status status = kl_vehicle_report_write(o.stream, page, q->diag, verdict);
    if (status != KL_OK) kl_output_discard(&o);
    else if (!kl_output_close(&o)) status = KL_E_FILE;
    if (status == KL_E_FILE && !kl_diag_failed(q->diag))
        kl_fail(q->diag, KL_E_FILE, (kl_place){.file = q->output},
                "no ride completed, so there is no report; the messages above say why");
    return status;
}

static char *joined(const request *q)
{
    char *all = kl_arena_text(q->arena, "");
    for (int i = 0; all && i < q->set.n; i++)
        all = kl_arena_format(q->arena, "%s%s%s", all, i ? ", " : "", q->set.items[i]);
    return all;
}

/* `code`: the exit code of what failed, or of the verdict. A part that fails is missing in the report; the
 * others are there. */
static kl_status report(const request *q, const kl_loaded *l, int *code)
{
    kl_vehicle         vehicle;
    kl_vehicle_verdict verdict                     = {0};
    kl_vehicle_ride    ride[KL_VEHICLE_MOST_RIDES] = {{0}};
    kl_vehicle_report  page                        = {.model = q->model, .limits = q->limits};
    kl_critical_row   *row    = kl_arena_array(q->arena, kl_critical_row, MOST_CRITICAL);
    double            *speed  = kl_arena_array(q->arena, double, 2 * MOST_SPEEDS);
    kl_status          status = row && speed ? KL_OK : KL_E_MEMORY;
    const char        *title  = q->title ? q->title : l->model->title;
    page.title                = title && *title ? title : q->model;
    page.settings             = joined(q);
    fprintf(stderr, "loads and natural motions\n");
    if (status == KL_OK) status = kl_vehicle_find(l->model, q->arena, q->diag, &vehicle);
    if (status == KL_OK) status = vehicle.sag;
    if (status != KL_OK) return status;
    fprintf(stderr, "critical speed\n");
    page.vehicle   = &vehicle;
    page.critical  = row;
    page.ncritical = find_critical(q, row);
    if (page.ncritical < 0) {
        page.ncritical       = 0;
        page.critical_failed = true;
        *code                = KL_EXIT_MODEL;
        kl_warn(q->diag, (kl_place){.file = q->model},
                "the critical speed is missing in the report; the messages above say why");
    }
    page.speed  = speed;
    page.growth = speed + MOST_SPEEDS;
    page.nspeed = find_growth(q, l->source, speed, speed + MOST_SPEEDS);
    int n       = q->rides.n ? q->rides.n : 1;
    for (int i = 0; i < n && status == KL_OK; i++)
        status = run_ride(q, q->rides.n ? q->rides.items[i] : "ride:", &ride[page.nride++], code);
    page.ride = ride;
    if (status == KL_OK) status = write_page(q, &page, &verdict);
    if (*code == KL_EXIT_OK && verdict.unassessed) *code = KL_EXIT_MODEL;
    if (*code == KL_EXIT_OK && verdict.exceeded) *code = KL_EXIT_LIMIT;
    for (int i = 0; i < page.nride; i++) kl_reader_close(ride[i].reader);
    return status;
}

static int vehicle_run_checked(request *q)
{
    kl_loaded l;
    int       code = kl_loaded_open(&kl_command_vehicle, q->model, &q->set, q->diag, &l);
    if (code != KL_EXIT_OK) {
        kl_print_diag(q->diag, "no report was written");
        return code;
    }
    kl_status status = KL_OK;
    if (kl_vehicle_wheelsets(l.model) == 0)
        status = kl_fail(q->diag, KL_E_MODEL, (kl_place){.file = q->model},
                         "the model has no wheels on rails; `klingel vehicle` needs `wheel-rail` "
                         "elements. For other models use `klingel run` and `klingel report`");
    if (status == KL_OK) status = report(q, &l, &code);
    kl_loaded_close(&l);
    kl_print_diag(q->diag, status == KL_OK ? NULL : "no report was written");
    if (status != KL_OK) return kl_exit_code(status);
    fprintf(stderr, "report: %s (open it in a browser; print it there to get a PDF)\n", q->output);
    return code;
}

static int vehicle_run(int argc, char **argv)
{
    request q = {
        .output = "vehicle.html", .parameter = "speed", .from = 10.0, .to = 150.0, .step = 5.0};
    const kl_option options[] = {
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &q.set, "set a parameter (may be repeated)"},
        {"ride", 'r', "RIDE", KL_OPTION_TEXTS, &q.rides,
         "run to assess: \"NAME: PARAMETER=VALUE, ...\""},
        {"output", 'o', "FILE", KL_OPTION_TEXT, &q.output,
         "report to write (default vehicle.html)"},
        {"title", 't', "TEXT", KL_OPTION_TEXT, &q.title, "title (default: title of the model)"},
        {"limits", 'l', "FILE", KL_OPTION_TEXT, &q.limits,
         "limits file (see `klingel assess --print-limits`)"},
        {"parameter", 'p', "NAME", KL_OPTION_TEXT, &q.parameter,
         "parameter for the running speed (default: speed)"},
        {"from", 0, "V", KL_OPTION_NUMBER, &q.from, "lowest speed [m/s] (default 10)"},
        {"to", 0, "V", KL_OPTION_NUMBER, &q.to, "highest speed [m/s] (default 150)"},
        {"step", 0, "V", KL_OPTION_NUMBER, &q.step, "speed increment [m/s] (default 5)"},
        {"nonlinear", 0, NULL, KL_OPTION_FLAG, &q.nonlinear,
         "also the nonlinear critical speed (minutes)"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_vehicle, options, argc, argv, &rest);
    if (code == KL_OPTIONS_OK && rest.n != 1)
        code = kl_usage_error(&kl_command_vehicle,
                              rest.n ? "give one model file"
                                     : "the model is missing; name its file, such as model.yaml");
    if (code == KL_OPTIONS_OK && q.rides.n > KL_VEHICLE_MOST_RIDES)
        code = kl_usage_error(&kl_command_vehicle, "a report has at most %d rides, %d are given",
                              KL_VEHICLE_MOST_RIDES, q.rides.n);
    if (code == KL_OPTIONS_OK && !(q.from > 0.0 && q.to > q.from && q.step > 0.0))
        code = kl_usage_error(&kl_command_vehicle,
                              "speeds must be positive, and --to must be larger than --from");
    if (code == KL_OPTIONS_OK) {
        q.model = rest.items[0];
        q.arena = kl_arena_create();
        q.diag  = kl_diag_create();
        code    = q.arena && q.diag ? vehicle_run_checked(&q) : KL_EXIT_NUMERICAL;
        kl_arena_destroy(q.arena);
        kl_diag_destroy(q.diag);
    }
    kl_texts_free(&q.set);
    kl_texts_free(&q.rides);
    return code;
}

const kl_command kl_command_vehicle = {
    .name      = "vehicle",
    .arguments = "MODEL.yaml [--ride RIDE]... [-o REPORT.html]",
    .summary   = "report on a rail vehicle: loads, modes, critical speed, rides",
    .run       = vehicle_run,
    .help = "  klingel vehicle model.yaml --set profile=S1002 --ride \"straight: speed=50\" \\\n"
            "    --ride \"curve: track=curve, speed=30, end=20\" -o coach.html\n"
            "\n"
            "Results of rides are kept beside the report. Exit code 4: a limit is exceeded;\n"
            "1 or 3: a part failed and is missing in the report.\n"};
