/* klingel report: a run as a document, ready to send. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/stress_bodies.h"
#include "cli/view_skins.h"
#include "post/report.h"
#include "terminal/options.h"
#include "terminal/result_files.h"

/* out-report.html for folder/out.h5 */
static void default_output(const char *results, char *path, size_t size)
{
    const char *base   = strrchr(results, '/');
    const char *stem   = base ? base + 1 : results;
    const char *dot    = strrchr(stem, '.');
    int         length = dot && dot > stem ? (int)(dot - stem) : (int)strlen(stem);
    snprintf(path, size, "%.*s-report.html", length, stem);
}

static int write_report(const char *output, const kl_report_request *q, kl_diag *diag)
{
    kl_new_file o;
    if (!kl_output_open(&o, output)) return KL_EXIT_MODEL;
    kl_status status = kl_report_write(o.stream, q, diag);
    if (status != KL_OK) {
        kl_output_discard(&o);
        kl_print_diag(diag, "nothing was written");
        return kl_exit_code(status);
    }
    if (!kl_output_close(&o)) return KL_EXIT_MODEL;
    fprintf(stderr, "report: %s (open it in a browser; print it there to get a PDF)\n", output);
    return KL_EXIT_OK;
}

/* Flexible bodies that keep stress: their hot spots belong into the report. */
static void add_stress(kl_report_request *q, kl_stress_bodies *s, const char *path)
{
    const char   *scene = kl_reader_text(q->reader, "scene");
    kl_time_range all   = {-HUGE_VAL, HUGE_VAL};
    kl_diag      *diag  = kl_diag_create();
    kl_status     status;
    if (!scene || !strstr(scene, "\"type\": \"flexible\"") || !diag) {
        kl_diag_destroy(diag);
        return;
    }
    status = kl_stress_bodies_open(s, &kl_command_report, path, q->reader, NULL, 0, all, diag);
    for (int i = 0; status == KL_OK && i < s->n; i++) status = kl_stress_bodies_envelope(s, i);
    if (status == KL_OK) q->stress = s->list, q->nstress = s->n;
    else if (!s->open && kl_diag_size(diag))
        fprintf(stderr,
                "%s: note: the report has no hot spots, because the model cannot be rebuilt "
                "here:\n%s\n",
                path, kl_diag_at(diag, 0)->text);
    kl_diag_destroy(diag);
}

/* Their surfaces for the picture, unless it was said already that the model cannot be built. */
static void add_skins(kl_report_request *q, kl_view_skins *s, const char *path, bool built)
{
    kl_view_source source = {.reader = q->reader, .label = q->file};
    if (built) kl_view_skins_find(s, path, &source);
    q->skins = source.skins;
    q->nskin = source.nskin;
}

static int report_file(kl_report_request *q, const char *output, const kl_arguments *rest)
{
    kl_selection     selection = {0};
    kl_stress_bodies bodies    = {0};
    kl_view_skins    skins     = {0};
    kl_diag         *diag      = kl_diag_create();
    const char      *slash     = strrchr(rest->items[0], '/');
    int              code      = KL_EXIT_MODEL;
    q->file                    = slash ? slash + 1 : rest->items[0];
    q->reader                  = kl_open_results(rest->items[0], diag);
    if (q->reader && rest->n > 1 &&
        !kl_select_channels(q->reader, rest->items[0], rest->items + 1, rest->n - 1, diag,
                            &selection)) {
        kl_print_diag(diag, "nothing was written");
        code = KL_EXIT_USAGE;
    } else if (q->reader) {
        q->channels = selection.channels;
        q->nchannel = selection.n;
        add_stress(q, &bodies, rest->items[0]);
        add_skins(q, &skins, rest->items[0], bodies.open);
        code = write_report(output, q, diag);
    }
    kl_stress_bodies_close(&bodies);
    kl_view_skins_free(&skins);
    kl_selection_free(&selection);
    kl_reader_close(q->reader);
    kl_diag_destroy(diag);
    return code;
}

static int report_run(int argc, char **argv)
{
    const char       *output    = NULL;
    kl_report_request q         = {0};
    const kl_option   options[] = {
          {"output", 'o', "FILE", KL_OPTION_TEXT, &output,
           "report to write (default: named after the results, in this folder)"},
          {"title", 't', "TEXT", KL_OPTION_TEXT, &q.title, "title (default: title of the model)"},
          {"author", 0, "TEXT", KL_OPTION_TEXT, &q.author, "author, shown below the title"},
          {"limits", 'l', "FILE", KL_OPTION_TEXT, &q.limits,
           "limits of the assessment (see `klingel assess --print-limits`)"},
          {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_report, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n < 1) return kl_usage_error(&kl_command_report, "give a results file (.h5)");
    char path[4096];
    default_output(rest.items[0], path, sizeof path);
    if (!output) output = path;
    if (kl_same_file(rest.items[0], output))
        return kl_usage_error(&kl_command_report, "%s would overwrite the results", output);
    return report_file(&q, output, &rest);
}

const kl_command kl_command_report = {
    .name      = "report",
    .arguments = "OUT.h5 [CHANNEL...] [-o REPORT.html]",
    .summary   = "write an HTML report with figures, tables and run statistics",
    .run       = report_run,
    .help = "The report is one HTML file that needs no network and can be printed to PDF from\n"
            "a browser. Without CHANNEL it shows the outputs of the model and the energies.\n"
            "\n"
            "  klingel report out.h5\n"
            "  klingel report out.h5 'pivot.force.*' --author 'A. Engineer' -o pivot.html\n",
};
