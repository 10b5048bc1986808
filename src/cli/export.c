/* klingel export: results as a table of text, or a list of what there is. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/results.h"

enum { BLOCK_VALUES = 1 << 18 }; /* 2 MB of numbers are read at a time */

typedef struct request {
    const char  *file, *output;
    bool         all, list;
    int          every;
    double       from, to;
    kl_selection selection;
    int          row0, row1; /* rows from row0 on, before row1 */
    double      *time;
} request;

/* ---- numbers and names in CSV ---- */

/* The shortest of 15, 16 or 17 digits that reads back as the same number: 0.1 stays "0.1". */
static void print_number(FILE *f, double value)
{
    char text[32];
    if (!isfinite(value)) {
        fputs(isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf", f);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, f);
}

/* Names are quoted only where a comma, a quote or a line break would be misread (RFC 4180). */
static void print_name(FILE *f, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        fputs(name, f);
        return;
    }
    fputc('"', f);
    for (; *name; name++) {
        if (*name == '"') fputc('"', f);
        fputc(*name, f);
    }
    fputc('"', f);
}

static void print_rows(FILE *f, const request *q, const double *values, int row0, int nrow)
{
    int n = q->selection.n;
    for (int i = 0; i < nrow && !ferror(f); i++) {
        if ((row0 + i - q->row0) % q->every != 0) continue;
        print_number(f, q->time[row0 + i]);
        for (int j = 0; j < n; j++) {
            fputc(',', f);
            print_number(f, values[(size_t)i * (size_t)n + (size_t)j]);
        }
        fputc('\n', f);
    }
}

static kl_status write_csv(FILE *f, kl_reader *r, const request *q)
{
    int     n    = q->selection.n;
    int     rows = n > 0 && BLOCK_VALUES / n > 1 ? BLOCK_VALUES / n : 1;
    double *v    = malloc(((size_t)rows * (size_t)n + 1) * sizeof *v);
    if (!v) return KL_E_MEMORY;
    fputs("time", f);
    for (int j = 0; j < n; j++) {
        fputc(',', f);
        print_name(f, kl_reader_channel(r, q->selection.channels[j])->name);
    }
    fputc('\n', f);
    kl_status status = KL_OK;
    for (int row = q->row0; status == KL_OK && row < q->row1 && !ferror(f); row += rows) {
        int nrow = q->row1 - row < rows ? q->row1 - row : rows;
        status   = kl_reader_block(r, q->selection.channels, n, row, nrow, v);
        if (status == KL_OK) print_rows(f, q, v, row, nrow);
    }
    free(v);
    return status;
}

/* ---- the list of channels ---- */

static int widest(const kl_reader *r, bool unit)
{
    int most = 4;
    for (int i = 0; i < kl_reader_channels(r); i++) {
        const kl_channel_info *c = kl_reader_channel(r, i);
        int                    w = (int)strlen(unit ? c->unit : c->name);
        if (w > most) most = w;
    }
    return most;
}

static void print_list(kl_reader *r)
{
    int name = widest(r, false), unit = widest(r, true);
    for (int i = 0; i < kl_reader_channels(r); i++) {
        const kl_channel_info *c    = kl_reader_channel(r, i);
        const char            *mark = c->own ? (*c->description ? "output: " : "output") : "";
        printf("%-*s  %-*s  %s%s\n", name, c->name, unit, *c->unit ? c->unit : "-", mark,
               c->description);
    }
}

/* ---- the command ---- */

/* Rows between the two times; a time that was typed with fewer digits still counts. */
static bool choose_rows(kl_reader *r, request *q)
{
    int n   = kl_reader_rows(r);
    q->time = malloc(((size_t)n + 1) * sizeof *q->time);
    if (!q->time || kl_reader_time(r, q->time) != KL_OK) return false;
    double slack = n > 0 ? 1e-9 * fmax(fabs(q->time[0]), fabs(q->time[n - 1])) : 0.0;
    q->row0      = 0;
    q->row1      = n;
    while (q->row0 < n && q->time[q->row0] < q->from - slack) q->row0++;
    while (q->row1 > q->row0 && q->time[q->row1 - 1] > q->to + slack) q->row1--;
    return true;
}

/* To standard output; a reader that went away (`| head`) is no mistake. */
static int to_stdout(kl_reader *r, const request *q, kl_diag *diag)
{
    signal(SIGPIPE, SIG_IGN);
    kl_status status = write_csv(stdout, r, q);
    if (status != KL_OK) {
        kl_print_diag(diag, NULL);
        return kl_exit_code(status);
    }
    errno     = 0;
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    if (good || errno == EPIPE || errno == 0) return KL_EXIT_OK;
    fprintf(stderr, "klingel export: cannot write: %s\n", strerror(errno));
    return KL_EXIT_MODEL;
}

static int to_file(kl_reader *r, const request *q, kl_diag *diag)
{
    kl_output o;
    if (!kl_output_open(&o, q->output)) return KL_EXIT_MODEL;
    kl_status status = write_csv(o.stream, r, q);
    if (status == KL_OK) return kl_output_close(&o) ? KL_EXIT_OK : KL_EXIT_MODEL;
    kl_output_discard(&o);
    kl_print_diag(diag, NULL);
    return kl_exit_code(status);
}

static int export_from(kl_reader *r, request *q, char *const *names, int nname, kl_diag *diag)
{
    if (q->list) {
        print_list(r);
        return KL_EXIT_OK;
    }
    bool chosen = nname > 0 ? kl_select_channels(r, q->file, names, nname, diag, &q->selection)
                            : kl_select_default(r, q->all, &q->selection);
    if (!chosen) {
        kl_print_diag(diag, "nothing was written");
        return KL_EXIT_USAGE;
    }
    if (!choose_rows(r, q)) {
        kl_print_diag(diag, "nothing was written");
        return KL_EXIT_MODEL;
    }
    return q->output ? to_file(r, q, diag) : to_stdout(r, q, diag);
}

static int export_run(int argc, char **argv)
{
    request         q         = {.every = 1, .from = -HUGE_VAL, .to = HUGE_VAL};
    const kl_option options[] = {
        {"output", 'o', "FILE", KL_OPTION_TEXT, &q.output, "write here (default: standard output)"},
        {"all", 'a', NULL, KL_OPTION_FLAG, &q.all, "all channels, not only the model's outputs"},
        {"list", 'l', NULL, KL_OPTION_FLAG, &q.list, "list the channels: name, unit, meaning"},
        {"every", 0, "N", KL_OPTION_COUNT, &q.every, "every N-th row only"},
        {"from", 0, "T", KL_OPTION_NUMBER, &q.from, "rows from time T [s] on"},
        {"to", 0, "T", KL_OPTION_NUMBER, &q.to, "rows up to time T [s]"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_export, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n < 1) return kl_usage_error(&kl_command_export, "which results? give a file");
    q.file = rest.items[0];
    if (q.output && kl_same_file(q.file, q.output))
        return kl_usage_error(&kl_command_export, "%s would overwrite the results", q.output);

    kl_diag   *diag = kl_diag_create();
    kl_reader *r    = kl_open_results(q.file, diag);
    code            = r ? export_from(r, &q, rest.items + 1, rest.n - 1, diag) : KL_EXIT_MODEL;
    kl_reader_close(r);
    kl_diag_destroy(diag);
    kl_selection_free(&q.selection);
    free(q.time);
    return code;
}

const kl_command kl_command_export = {
    .name      = "export",
    .arguments = "OUT.h5 [CHANNEL...] [-o FILE.csv]",
    .summary   = "write results as a table (CSV)",
    .run       = export_run,
    .help      = "Without CHANNEL: the outputs that the model defines, or all channels if it\n"
                 "defines none. A CHANNEL may be a pattern, in quotes because of the shell:\n\n"
                 "  klingel export out.h5 --list\n"
                 "  klingel export out.h5 crank.position.x 'pivot.force.*' -o crank.csv\n"
                 "  klingel export out.h5 --from 1 --to 2 --every 10 | head\n",
};
