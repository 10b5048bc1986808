/* klingel psd and klingel compare: power spectra with confidence, and whether two runs differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/psd_peaks.h"
#include "post/compare_spectra.h"
#include "terminal/options.h"
#include "terminal/result_files.h"

enum { MOST_PEAKS = 12 };

typedef struct request {
    const kl_command *command;
    double            window, from, to, confidence, skip;
    bool              csv;
    kl_peak_origins   origins;
} request;

static bool is_results(const char *name)
{
    size_t n = strlen(name);
    return n > 3 && strcmp(name + n - 3, ".h5") == 0;
}

/* Rows of a window that suit a record: at least eight windows overlap by half, unless asked. */
static int segment_rows(double window, double rate, int n)
{
    double rows = window > 0.0 ? window * rate : 2.0 * n / 9.0;
    return 2 * (int)fmin(0.5 * n, round(0.5 * rows));
}

/* The windows fit into the record. */
static kl_status check_window(const request *q, double rate, int n, kl_diag *diag)
{
    kl_place at    = {.file = "--window"};
    double   least = 4.0 / rate, most = n / rate;
    if (!(q->window > 0.0) || !(rate > 0.0) || least > most) return KL_OK;
    if (q->window > most * (1.0 + 1e-9))
        return kl_fail(diag, KL_E_RANGE, at,
                       "%g s is longer than the record, which has %.4g s after --skip; give a "
                       "shorter window",
                       q->window, most);
    if (q->window < least * (1.0 - 1e-9))
        return kl_fail(
            diag, KL_E_RANGE, at,
            "%g s has fewer than four of the rows, which are %.4g s apart; give a longer "
            "window",
            q->window, 1.0 / rate);
    return KL_OK;
}

static kl_status check_band(const request *q, const kl_density *d, kl_diag *diag)
{
    for (int k = 1; k < d->n; k++)
        if (d->frequency[k] >= q->from && d->frequency[k] <= q->to) return KL_OK;
    return kl_fail(
        diag, KL_E_RANGE, (kl_place){.file = "--from, --to"},
        "no frequency of the spectrum lies in this band; it reaches from %.4g to %.4g Hz "
        "in steps of %.4g Hz",
        d->frequency[1], d->frequency[d->n - 1], d->frequency[1]);
}

/* The density of one channel; the exit code. */
static int density_of(const request *q, kl_reader *r, const char *file, int channel, kl_diag *diag,
                      kl_density *out)
{
    int       n = kl_reader_rows(r), first = 0;
    double   *time = malloc(3 * ((size_t)n + 1) * sizeof *time), *y = time + n, *even = y + n;
    kl_status status = time ? kl_reader_time(r, time) : KL_E_MEMORY;
    if (status == KL_OK) status = kl_reader_column(r, channel, y);
    if (status == KL_OK) {
        while (first < n && time[first] < time[0] + q->skip) first++;
        double rate = kl_equal_steps(time + first, y + first, n - first, even);
        status      = check_window(q, rate, n - first, diag);
        if (status == KL_OK)
            status = kl_density_find(
                even, n - first, rate,
                &(kl_welch){.segment = segment_rows(q->window, rate, n - first)}, out);
        if (status == KL_OK && (status = check_band(q, out, diag)) != KL_OK) kl_density_free(out);
    }
    free(time);
    if (status == KL_OK) return KL_EXIT_OK;
    if (!kl_diag_failed(diag))
        kl_fail(diag, status, (kl_place){.file = file},
                "`%s` has no spectrum: it needs at least 16 rows after --skip and finite values; "
                "run the model longer or with a shorter `every`",
                kl_reader_channel(r, channel)->name);
    kl_print_diag(diag, NULL);
    return KL_EXIT_MODEL;
}

static bool in_band(const request *q, double f) { return f >= q->from && f <= q->to; }

/* Is a peak more than scatter? Its interval must lie above those of the lowest values on both sides, up to
 * the next higher value or the end of the band. */
static bool exceeds_scatter(const request *q, const kl_density *d, int k, double ratio)
{
    if (!in_band(q, d->frequency[k])) return false;
    for (int way = -1; way <= 1; way += 2) {
        double lowest = d->value[k];
        for (int i = k + way; i > 0 && i < d->n && in_band(q, d->frequency[i]); i += way) {
            if (d->value[i] > d->value[k] || (way < 0 && d->value[i] == d->value[k])) break;
            lowest = fmin(lowest, d->value[i]);
        }
        if (!(d->value[k] > ratio * lowest)) return false;
    }
    return true;
}

/* How many lines of the band have an origin: how easily a peak finds one by chance. */
static double share_with_origin(const request *q, const kl_density *d)
{
    int n = 0, near = 0;
    for (int k = 1; k < d->n; k++) {
        if (!in_band(q, d->frequency[k])) continue;
        n++;
        near += kl_peak_has_origin(&q->origins, d->frequency[k], d->frequency[1]);
    }
    return n > 0 ? (double)near / n : 0.0;
}

static void print_density(const request *q, const char *file, const kl_channel_info *c,
                          const kl_density *d)
{
    double low, high;
    kl_density_interval(d, q->confidence, &low, &high);
    if (q->csv) {
        for (int k = 1; k < d->n; k++)
            if (in_band(q, d->frequency[k]))
                printf("%s,%s,%.9g,%.9g,%.9g,%.9g\n", file, c->name, d->frequency[k], d->value[k],
                       low * d->value[k], high * d->value[k]);
        return;
    }
    printf("%s: %s: %d windows of %.4g s (Hann, half overlap), %.0f degrees of freedom\n", file,
           c->name, d->segments, 1.0 / d->frequency[1], d->freedom);
    printf("  the true density is between %.2f and %.2f times the estimate with %g %% confidence\n",
           low, high, 100.0 * q->confidence);
    bool   known = kl_peak_origins_known(&q->origins);
    double bin   = d->frequency[1];
    printf("  %12s %14s  (%s)2/Hz", "peak [Hz]", "density", *c->unit ? c->unit : "1");
    if (known) printf("   within one line (%.4g Hz) of", bin);
    putchar('\n');
    int shown = 0;
    for (int last = 0; shown < MOST_PEAKS; shown++) { /* the largest ones first */
        int best = 0;
        for (int k = 2; k < d->n - 1; k++) {
            if ((last && d->value[k] >= d->value[last]) || !exceeds_scatter(q, d, k, high / low))
                continue;
            if (!best || d->value[k] > d->value[best]) best = k;
        }
        if (!best) break;
        char origin[240] = "";
        if (known) kl_peak_origin(&q->origins, d->frequency[best], bin, origin, sizeof origin);
        printf("  %12.4g %14.5g%s%s\n", d->frequency[best], d->value[best], known ? "   " : "",
               origin);
        last = best;
    }
    if (known && shown > 0)
        printf("  (by chance: %.0f %% of all lines of the band have such an origin)\n",
               100.0 * share_with_origin(q, d));
    if (shown == 0)
        puts("  no peak is higher than the scatter; for a motion that rings after an event skip "
             "its start (`--skip`) and take longer windows (`-w`); for a random motion shorter "
             "windows reduce the scatter");
}

/* Densities of one results file, one channel after the other. */
static int psd_file(const request *q, const char *file, char **channels, int n)
{
    kl_diag     *diag   = kl_diag_create();
    kl_reader   *reader = kl_open_results(file, diag);
    kl_selection s      = {0};
    int          code   = reader ? KL_EXIT_OK : KL_EXIT_MODEL;
    if (code == KL_EXIT_OK && !kl_select_channels(reader, file, channels, n, diag, &s)) {
        kl_print_diag(diag, NULL);
        code = KL_EXIT_USAGE;
    }
    for (int i = 0; code == KL_EXIT_OK && i < s.n; i++) {
        kl_density d;
        code = density_of(q, reader, file, s.channels[i], diag, &d);
        if (code != KL_EXIT_OK) break;
        print_density(q, file, kl_reader_channel(reader, s.channels[i]), &d);
        kl_density_free(&d);
    }
    kl_selection_free(&s);
    kl_reader_close(reader);
    kl_diag_destroy(diag);
    return code;
}

/* What both commands share: options, and results before channels. */
static int parse(request *q, const kl_option *options, int argc, char **argv, kl_arguments *rest,
                 int *nfile)
{
    int code = kl_options_parse(q->command, options, argc, argv, rest);
    if (code != KL_OPTIONS_OK) return code;
    for (*nfile = 0; *nfile < rest->n && is_results(rest->items[*nfile]);) ++*nfile;
    if (*nfile == 0) return kl_usage_error(q->command, "give a results file (.h5)");
    if (*nfile == rest->n)
        return kl_usage_error(q->command, "give a channel; `klingel export %s --list` lists them",
                              rest->items[0]);
    if (q->window < 0.0 || q->skip < 0.0)
        return kl_usage_error(q->command, "--window and --skip must not be negative");
    if (!(q->from < q->to)) return kl_usage_error(q->command, "--from must be below --to");
    return KL_OPTIONS_OK;
}

static int read_modes(const char *path, request *q)
{
    kl_diag *diag = kl_diag_create();
    bool     read = kl_peak_origins_read(path, diag, &q->origins) == KL_OK;
    if (!read) kl_print_diag(diag, NULL), kl_peak_origins_free(&q->origins);
    kl_diag_destroy(diag);
    return read ? KL_EXIT_OK : KL_EXIT_MODEL;
}

static int find_axle_peaks(const char *axles, const char *speed, request *q)
{
    kl_diag *diag = kl_diag_create();
    bool     found =
        kl_axle_peaks_find(axles, speed, fmin(q->to, 1e4), diag, &q->origins.axles) == KL_OK;
    if (!found) kl_print_diag(diag, NULL), kl_peak_origins_free(&q->origins);
    kl_diag_destroy(diag);
    return found ? KL_EXIT_OK : KL_EXIT_USAGE;
}

static int psd_run(int argc, char **argv)
{
    request         q     = {.command = &kl_command_psd, .to = HUGE_VAL, .confidence = 0.95};
    const char     *modes = NULL, *axles = NULL, *speed = NULL;
    const kl_option options[] = {
        {"csv", 0, NULL, KL_OPTION_FLAG, &q.csv, "print CSV"},
        {"window", 'w', "S", KL_OPTION_TIME, &q.window,
         "window length [s] (default: 2/9 of the run)"},
        {"skip", 0, "S", KL_OPTION_TIME, &q.skip, "time to omit at the start of the run"},
        {"from", 0, "HZ", KL_OPTION_NUMBER, &q.from, "lowest frequency"},
        {"to", 0, "HZ", KL_OPTION_NUMBER, &q.to, "highest frequency"},
        {"confidence", 0, "P", KL_OPTION_NUMBER, &q.confidence, "confidence level (default 0.95)"},
        {"modes", 0, "FILE.csv", KL_OPTION_TEXT, &modes,
         "compare peaks with natural frequencies (from `klingel modes MODEL --csv`)"},
        {"multiples", 0, "HZ", KL_OPTION_NUMBER, &q.origins.multiples,
         "compare peaks with its multiples"},
        {"axles", 0, "X,X,...", KL_OPTION_TEXT, &axles,
         "compare peaks with waves that fit axles at these places along the track"},
        {"speed", 0, "V", KL_OPTION_TEXT, &speed, "of the axles, such as 70km/h"},
        {"ends", 0, "HZ", KL_OPTION_NUMBER, &q.origins.ends, "highest frequency of the excitation"},
        {0}};
    kl_arguments rest;
    int          nfile, code = parse(&q, options, argc, argv, &rest, &nfile);
    if (code != KL_OPTIONS_OK) return code;
    if (!(q.confidence > 0.0 && q.confidence < 1.0))
        return kl_usage_error(q.command, "--confidence must be between 0 and 1");
    if (q.origins.multiples < 0.0 || q.origins.ends < 0.0)
        return kl_usage_error(q.command, "--multiples and --ends must not be negative");
    if (!axles != !speed)
        return kl_usage_error(q.command, "--axles and --speed belong together; give both");
    code = modes ? read_modes(modes, &q) : KL_EXIT_OK;
    if (code == KL_EXIT_OK && axles) code = find_axle_peaks(axles, speed, &q);
    if (code != KL_EXIT_OK) return code;
    if (q.csv) puts("file,channel,frequency_hz,density,low,high");
    for (int i = 0; i < nfile && code == KL_EXIT_OK; i++)
        code = psd_file(&q, rest.items[i], rest.items + nfile, rest.n - nfile);
    kl_peak_origins_free(&q.origins);
    return code;
}

const kl_command kl_command_psd = {
    .name      = "psd",
    .arguments = "OUT.h5... CHANNEL...",
    .summary   = "power spectral densities with confidence intervals",
    .run       = psd_run,
    .help      = "  klingel psd out.h5 car.acceleration.y              print the largest peaks\n"
                 "  klingel psd a.h5 b.h5 car.acceleration.y --csv     print CSV\n"
                 "  klingel psd out.h5 frame.acceleration.y --axles 1.7,0,-1.7 --speed 70km/h\n"
                 "  klingel plot a.h5 b.h5 car.acceleration.y --psd    draw a figure\n",
};

/* ---- compare ---- */

static void print_comparison(const request *q, const kl_comparison *c, double alpha)
{
    if (q->csv) {
        puts("frequency_hz,healthy,damaged,ratio,p_value,different,limit");
        for (int k = 0; k < c->n; k++)
            printf("%.9g,%.9g,%.9g,%.9g,%.6g,%d,%.6g\n", c->line[k].frequency, c->line[k].first,
                   c->line[k].second, c->line[k].ratio, c->line[k].p, c->line[k].different,
                   c->line[k].limit);
        return;
    }
    printf("the spectra %s (false alarm rate %g; p = %.2g for the shape in the whole band)\n",
           c->differs ? "differ" : "do not differ", alpha, c->p);
    if (c->n >= KL_LEAST_LINES)
        printf("level in the band: %.3f times the level of the first run (%s: p = %.2g)\n",
               c->level.ratio, c->level.different ? "a difference" : "within the scatter",
               c->level.p);
    printf("%d of %d frequencies differ%s; ratios between %.3f and %.3f are within the scatter "
           "(median "
           "of the limits)\n",
           c->different, c->n, c->n >= KL_LEAST_LINES ? ", apart from the level" : "",
           1.0 / c->limit, c->limit);
    if (c->different > 0) printf("  %22s %12s %12s\n", "band [Hz]", "ratio [dB]", "p");
    for (int k = 0; k < c->n; k++) {
        if (!c->line[k].different) continue;
        /* Neighbouring frequencies that differ are one band, reported with its smallest p value. */
        int end = k, best = k;
        for (; end + 1 < c->n && c->line[end + 1].different; end++)
            if (c->line[end + 1].p < c->line[best].p) best = end + 1;
        printf("  %10.4g .. %-9.4g %12.2f %12.2g\n", c->line[k].frequency, c->line[end].frequency,
               10.0 * log10(c->line[best].ratio), c->line[best].p);
        k = end;
    }
}

/* The density of the one channel in one of the results. */
static int one_density(const request *q, const char *file, const char *channel, kl_density *out)
{
    kl_diag   *diag   = kl_diag_create();
    kl_reader *reader = kl_open_results(file, diag);
    int        code   = KL_EXIT_MODEL;
    if (reader) {
        int k = kl_select_one(reader, file, channel, diag);
        if (k < 0) kl_print_diag(diag, NULL), code = KL_EXIT_USAGE;
        else code = density_of(q, reader, file, k, diag, out);
    }
    kl_reader_close(reader);
    kl_diag_destroy(diag);
    return code;
}

static int compare_run(int argc, char **argv)
{
    request         q         = {.command = &kl_command_compare, .to = HUGE_VAL};
    double          alpha     = 0.05;
    const kl_option options[] = {
        {"csv", 0, NULL, KL_OPTION_FLAG, &q.csv, "print CSV"},
        {"window", 'w', "S", KL_OPTION_TIME, &q.window,
         "window length [s] (default: 2/9 of the run)"},
        {"skip", 0, "S", KL_OPTION_TIME, &q.skip, "time to omit at the start of each run"},
        {"from", 0, "HZ", KL_OPTION_NUMBER, &q.from, "lowest frequency"},
        {"to", 0, "HZ", KL_OPTION_NUMBER, &q.to, "highest frequency"},
        {"alarms", 0, "RATE", KL_OPTION_NUMBER, &alpha, "false alarm rate (default 0.05)"},
        {0}};
    kl_arguments rest;
    int          nfile, code = parse(&q, options, argc, argv, &rest, &nfile);
    if (code != KL_OPTIONS_OK) return code;
    if (nfile != 2 || rest.n != 3)
        return kl_usage_error(q.command, "give two results and one channel");
    if (!(alpha > 0.0 && alpha < 1.0))
        return kl_usage_error(q.command, "--alarms must be between 0 and 1");
    kl_density    d[2] = {{0}, {0}};
    kl_comparison c    = {0};
    code               = KL_EXIT_OK;
    for (int i = 0; i < 2 && code == KL_EXIT_OK; i++)
        code = one_density(&q, rest.items[i], rest.items[2], &d[i]);
    if (code == KL_EXIT_OK) {
        if (kl_spectra_compare(&d[0], &d[1], q.from, q.to, alpha, &c) == KL_OK)
            print_comparison(&q, &c, alpha);
        else
            code = kl_usage_error(
                q.command, "the two spectra have no common frequencies in that band; runs need "
                           "the same `every` and --window, at least two windows, and --from to "
                           "--to inside it");
    }
    for (int i = 0; i < 2; i++) kl_density_free(&d[i]);
    kl_comparison_free(&c);
    return code;
}

const kl_command kl_command_compare = {
    .name      = "compare",
    .arguments = "HEALTHY.h5 DAMAGED.h5 CHANNEL",
    .summary   = "frequencies at which the spectra of two runs differ",
    .run       = compare_run,
    .help      = "  klingel compare a.h5 b.h5 frame.acceleration.y --from 20 --to 150\n\n"
                 "The spectra are tested against the scatter that both runs show in 16 parts of\n"
                 "their length, so runs on different tracks may be compared. The level, which\n"
                 "depends on the track, is tested apart from the shape. A false alarm has the\n"
                 "probability --alarms. Short windows give narrow limits.\n",
};
