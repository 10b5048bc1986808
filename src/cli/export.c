/* klingel export: results as a table for other programs, or a list of what there is. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/export_field.h"
#include "cli/export_motion.h"
#include "store/mat.h"
#include "terminal/csv_rows.h"
#include "terminal/options.h"
#include "terminal/result_files.h"

typedef struct request {
    const char            *file, *output, *format_name, *field;
    const kl_table_format *format;
    bool                   all, list;
    double                 from, to, speed;
    kl_table               table;
} request;

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

static int print_list(kl_reader *r)
{
    int name = widest(r, false), unit = widest(r, true);
    for (int i = 0; i < kl_reader_channels(r); i++) {
        const kl_channel_info *c    = kl_reader_channel(r, i);
        const char            *mark = c->own ? (*c->description ? "output: " : "output") : "";
        printf("%-*s  %-*s  %s%s\n", name, c->name, unit, *c->unit ? c->unit : "-", mark,
               c->description);
    }
    return KL_EXIT_OK;
}

/* ---- the table ---- */

/* Rows between the two times; a time that was typed with fewer digits still counts. */
static bool choose_rows(request *q, double *time)
{
    kl_table *t = &q->table;
    int       n = kl_reader_rows(t->reader);
    if (!time || kl_reader_time(t->reader, time) != KL_OK) return false;
    double slack = n > 0 ? 1e-9 * fmax(fabs(time[0]), fabs(time[n - 1])) : 0.0;
    t->time      = time;
    t->row0      = 0;
    t->row1      = n;
    while (t->row0 < n && time[t->row0] < q->from - slack) t->row0++;
    while (t->row1 > t->row0 && time[t->row1 - 1] > q->to + slack) t->row1--;
    return true;
}

/* To standard output; a reader that went away (`| head`) is no mistake. */
static int to_stdout(const request *q, kl_diag *diag)
{
    signal(SIGPIPE, SIG_IGN);
    errno            = 0;
    kl_status status = q->format->write(stdout, &q->table);
    if (status != KL_OK) {
        kl_print_diag(diag, NULL);
        return kl_exit_code(status);
    }
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    if (good || errno == EPIPE) return KL_EXIT_OK;
    fprintf(stderr, "klingel export: cannot write: %s\n", strerror(errno));
    return KL_EXIT_MODEL;
}

static int to_file(const request *q, kl_diag *diag)
{
    kl_new_file o;
    if (!kl_output_open(&o, q->output)) return KL_EXIT_MODEL;
    kl_status status = q->format->write(o.stream, &q->table);
    if (status == KL_OK) return kl_output_close(&o) ? KL_EXIT_OK : KL_EXIT_MODEL;
    kl_output_discard(&o);
    kl_print_diag(diag, NULL);
    return kl_exit_code(status);
}

static int write_table(request *q, double *time, kl_diag *diag)
{
    if (!choose_rows(q, time)) {
        kl_print_diag(diag, "nothing was written");
        return KL_EXIT_MODEL;
    }
    if (!q->format->text && !kl_mat_fits(kl_reader_rows(q->table.reader), q->table.selection.n))
        return kl_usage_error(&kl_command_export,
                              "this exceeds 2 GB, the largest MAT file; choose fewer channels, or "
                              "a shorter time with --from and --to");
    return q->output ? to_file(q, diag) : to_stdout(q, diag);
}

/* Bodies in motion; what is asked for by channels would not be in it. */
static int export_motion(request *q, int nname, kl_diag *diag)
{
    if (nname > 0 || q->all)
        return kl_usage_error(&kl_command_export,
                              "%s contains the motion of all bodies; do not name channels",
                              q->output);
    double           *time = malloc(((size_t)kl_reader_rows(q->table.reader) + 1) * sizeof *time);
    kl_motion_request m    = {
           .file = q->file, .output = q->output, .speed = isnan(q->speed) ? 0.0 : q->speed};
    int code = KL_EXIT_MODEL;
    if (choose_rows(q, time)) {
        int every     = q->table.every;
        m.every_given = every > 0;
        m.frames =
            (kl_frames){q->table.reader, time, q->table.row0, q->table.row1, every ? every : 1};
        code = kl_motion_export(&m, diag);
    } else kl_print_diag(diag, "nothing was written");
    free(time);
    return code;
}

/* All points of a field. */
static int export_field(const request *q)
{
    if (!q->output) return kl_export_field(q->table.reader, q->field, q->from, q->to, stdout);
    size_t n = strlen(q->output);
    if (n > 4 && strcmp(q->output + n - 4, ".pvd") == 0)
        return kl_export_field_vtk(q->table.reader, q->field, q->from, q->to, q->output);
    kl_new_file o;
    if (!kl_output_open(&o, q->output)) return KL_EXIT_MODEL;
    int code = kl_export_field(q->table.reader, q->field, q->from, q->to, o.stream);
    if (code == KL_EXIT_OK) return kl_output_close(&o) ? KL_EXIT_OK : KL_EXIT_MODEL;
    kl_output_discard(&o);
    return code;
}

static int export_from(request *q, char *const *names, int nname, kl_diag *diag)
{
    kl_reader    *r         = q->table.reader;
    kl_selection *selection = &q->table.selection;
    if (q->list) return print_list(r);
    if (q->field) return export_field(q);
    if (q->output && kl_motion_file(q->output)) return export_motion(q, nname, diag);
    if (q->table.every == 0) q->table.every = 1;
    bool chosen = nname > 0 ? kl_select_channels(r, q->file, names, nname, diag, selection)
                            : kl_select_default(r, q->all, selection);
    if (!chosen) {
        kl_print_diag(diag, "nothing was written");
        return KL_EXIT_USAGE;
    }
    double *time = malloc(((size_t)kl_reader_rows(r) + 1) * sizeof *time);
    int     code = write_table(q, time, diag);
    kl_selection_free(selection);
    free(time);
    return code;
}

/* ---- the command ---- */

/* An ending that belongs to a kind of file which is not written here. */
static bool foreign_ending(const char *name)
{
    static const char *const plain[] = {"csv", "mat", "txt", "dat", "pvd", "glb", "mp4", "gif"};
    const char              *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    if (!dot || strncmp(name, "/dev/", 5) == 0) return false;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(dot + 1, plain[i]) == 0) return false;
    return true;
}

/* By --format, or by the ending of the file's name; CSV when neither says anything. */
static int choose_format(request *q)
{
    if (!q->format_name && q->output && foreign_ending(q->output))
        return kl_usage_error(
            &kl_command_export,
            "%s: unknown file type; use .csv, .mat, .pvd, .glb, .mp4 or .gif, or give --format csv",
            q->output);
    if (q->format_name && !(q->format = kl_table_format_find(q->format_name)))
        return kl_usage_error(&kl_command_export, "--format must be csv or mat, not '%s'",
                              q->format_name);
    if (!q->format && q->output) q->format = kl_table_format_of_file(q->output);
    if (!q->format) q->format = kl_table_format_find("csv");
    if (!q->format->text && !q->output)
        return kl_usage_error(&kl_command_export,
                              "a %s file cannot go to standard output; give a name with -o FILE.%s",
                              q->format->name, q->format->name);
    return KL_OPTIONS_OK;
}

static int export_run(int argc, char **argv)
{
    request         q         = {.from = -HUGE_VAL, .to = HUGE_VAL, .speed = (double)NAN};
    const kl_option options[] = {
        {"output", 'o', "FILE", KL_OPTION_TEXT, &q.output,
         "file to write (default: standard output)"},
        {"format", 'f', "csv|mat", KL_OPTION_TEXT, &q.format_name,
         "file format (default: ending of FILE, or csv)"},
        {"all", 'a', NULL, KL_OPTION_FLAG, &q.all, "export all channels"},
        {"list", 'l', NULL, KL_OPTION_FLAG, &q.list, "list the channels with unit and meaning"},
        {"field", 0, "NAME", KL_OPTION_TEXT, &q.field,
         "export a field as CSV, or as VTK with -o NAME.pvd"},
        {"every", 0, "N", KL_OPTION_COUNT, &q.table.every, "export every N-th row"},
        {"from", 0, "T", KL_OPTION_TIME, &q.from, "first time [s]"},
        {"to", 0, "T", KL_OPTION_TIME, &q.to, "last time [s]"},
        {"speed", 0, "X", KL_OPTION_NUMBER, &q.speed, "playback speed of a film (1: real time)"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_export, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n < 1) return kl_usage_error(&kl_command_export, "give a results file (.h5)");
    q.file = rest.items[0];
    if (!isnan(q.speed) && (!(q.speed > 0.0) || !q.output || !kl_motion_file(q.output)))
        return kl_usage_error(&kl_command_export,
                              "--speed must be positive and applies only to .mp4 and .gif");
    if (q.output && kl_same_file(q.file, q.output))
        return kl_usage_error(&kl_command_export, "%s would overwrite the results", q.output);
    code = choose_format(&q);
    if (code != KL_OPTIONS_OK) return code;

    kl_diag *diag  = kl_diag_create();
    q.table.reader = kl_open_results(q.file, diag);
    code = q.table.reader ? export_from(&q, rest.items + 1, rest.n - 1, diag) : KL_EXIT_MODEL;
    kl_reader_close(q.table.reader);
    kl_diag_destroy(diag);
    return code;
}

const kl_command kl_command_export = {
    .name      = "export",
    .arguments = "OUT.h5 [CHANNEL...] [-o FILE.csv|mat|pvd|glb|mp4|gif]",
    .summary   = "export results as CSV, MAT, VTK, glTF or film",
    .run       = export_run,
    .help = "Without CHANNEL the outputs of the model are exported, or all channels if it has\n"
            "no outputs. CHANNEL may be a pattern in quotes. Formats for the motion of all\n"
            "bodies: .pvd (ParaView), .glb (browsers, Blender), .mp4 and .gif (need ffmpeg).\n"
            "\n"
            "  klingel export out.h5 crank.position.x 'pivot.force.*' -o crank.csv\n"
            "  klingel export out.h5 --from 1 --to 2 --every 10 | head\n"
            "  klingel export out.h5 --all -o out.mat\n"
            "  klingel export out.h5 -o out.mp4 --speed 0.5\n",
};
