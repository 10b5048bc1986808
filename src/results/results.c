/* Results files; docs/results-format.md describes the layout:
 *
 *     /                 attributes format, version, program, created
 *     /time             [rows]             seconds
 *     /values           [rows x channels]  chunked in bands of rows
 *     /channels/...     [channels]         name, unit, description, own, dataset, column
 *     /model/...        texts: title, file, text, scene, settings
 *     /restart/state    [checkpoints x numbers]  in runs with checkpoints, each with a check number
 *     /run/...          texts that are known at the end: status, statistics, ...
 *
 * A row counts when its time is there: values are written and flushed before times, both start as
 * NaN, and a reader drops rows without a time. So a killed run ends with its last whole row.
 *
 * Nothing can be created in single-writer-multiple-reader mode, so the notes of the end are written
 * after the file was closed, in a second, short visit.
 *
 * No compression: shuffle and deflate 1 took 17 % off the numbers of a mechanism and made writing
 * eight times slower. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "results/fields.h"
#include "results/results_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "results/drawn_lines.h"

enum {
    CHUNK_COLUMNS   = 256,       /* a column of a wide table is read without all the others */
    CHUNK_VALUES    = 16 * 1024, /* 128 kB a chunk: one write, and little waste at the end */
    CHUNK_ROWS_MOST = 1024,      /* narrow tables: a chunk of times is 8 kB */
};
static const double FLUSH_AFTER = 1.0; /* seconds between two visible states of a slow run */

static const char *text_of(const char *text) { return text ? text : ""; }

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A number between 1 and 2 that hardly any other numbers have. */
double kl_results_check(const double *values, int n)
{
    uint64_t sum = 1469598103934665603u, bits; /* FNV-1a over words */
    for (int i = 0; i < n; i++) {
        memcpy(&bits, &values[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
        sum ^= sum >> 29;
    }
    return 1.0 + (double)(sum >> 12) / 4503599627370496.0;
}

/* ---- writer: the start ---- */

struct kl_writer {
    kl_arena        *arena;
    kl_diag         *diag; /* borrowed */
    char            *path;
    kl_h5           *file;
    kl_h5_table      time, values, state;
    kl_field_table  *field;
    int              nfield;
    int              ncheckpoint, state_size; /* checkpoints so far; their numbers, with check */
    double          *state_row;
    int              nchannel, band; /* columns; rows a chunk */
    int              held, written;  /* rows in the band; how many of them are in the file */
    int64_t          base;           /* rows before the band */
    double          *band_time, *band_value; /* band, band x nchannel */
    double           visible;                /* clock at the last flush [s] */
    double           kept;                   /* time of the last row in the file [s]; NaN: none */
    kl_results_note *notes;
    bool             failed;
};

/* A failure after the start: said once, and nothing is tried any more. */
static kl_status fail_writer(kl_writer *w, const char *doing, const char *why)
{
    kl_place place = {.file = w->path};
    w->failed      = true;
    if (isnan(w->kept)) return kl_fail(w->diag, KL_E_FILE, place, "%s failed: %s", doing, why);
    double now = w->held > 0 ? w->band_time[w->held - 1] : w->kept;
    return kl_fail(w->diag, KL_E_FILE, place,
                   "stopped at t = %.6g s: %s failed: %s; rows up to t = %.6g s are kept", now,
                   doing, why, w->kept);
}

static int rows_of_a_chunk(int nchannel)
{
    int columns = nchannel < CHUNK_COLUMNS ? nchannel : CHUNK_COLUMNS;
    int rows    = 1;
    while (2 * rows * columns <= CHUNK_VALUES && rows < CHUNK_ROWS_MOST) rows *= 2;
    return rows;
}

static bool write_catalogue(kl_h5 *file, const kl_channel_info *channels, int n)
{
    kl_arena    *arena = kl_arena_create();
    bool         good  = arena != NULL;
    const char **text  = good ? kl_arena_array(arena, const char *, 4 * n) : NULL;
    int         *own   = good ? kl_arena_array(arena, int, 2 * n) : NULL;
    if (!text || !own) good = false;
    for (int i = 0; good && i < n; i++) {
        text[i]         = channels[i].name;
        text[n + i]     = text_of(channels[i].unit);
        text[2 * n + i] = text_of(channels[i].description);
        text[3 * n + i] = "/values"; /* room for tables with other times */
        own[i]          = channels[i].own;
        own[n + i]      = i;
    }
    good = good && kl_h5_write_texts(file, "channels/name", text, n) &&
           kl_h5_write_texts(file, "channels/unit", text + n, n) &&
           kl_h5_write_texts(file, "channels/description", text + 2 * n, n) &&
           kl_h5_write_texts(file, "channels/dataset", text + 3 * n, n) &&
           kl_h5_write_ints(file, "channels/own", own, n) &&
           kl_h5_write_ints(file, "channels/column", own + n, n);
    kl_arena_destroy(arena);
    return good;
}

static bool write_info(kl_h5 *file, const kl_results_info *info)
{
    time_t    now = time(NULL);
    struct tm utc;
    char      created[32] = "", version[32];
    if (gmtime_r(&now, &utc)) strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(version, sizeof version, "%d.%d", KL_RESULTS_MAJOR, KL_RESULTS_MINOR);
    const char *const attributes[][2] = {{"format", KL_RESULTS_FORMAT},
                                         {"version", version},
                                         {"program", "klingel " KL_VERSION},
                                         {"created", created}};
    const char *const texts[][2]      = {
             {"model/title", info->title},        {"model/file", info->model_file},
             {"model/folder", info->folder},      {"model/text", info->model_text},
             {"model/scene", info->scene_json},   {"model/settings", info->settings_json},
             {"model/limits", info->limits_json}, {"model/set", info->set},
             {"model/inputs", info->inputs}};
    bool good = true;
    for (int i = 0; good && i < 4; i++)
        good = kl_h5_write_attribute(file, "/", attributes[i][0], attributes[i][1]);
    for (size_t i = 0; good && i < sizeof texts / sizeof *texts; i++)
        if (texts[i][1]) good = kl_h5_write_text(file, texts[i][0], texts[i][1]);
    return good;
}

static bool create_fields(kl_writer *w, const kl_results_info *info)
{
    w->nfield = info->nfield;
    w->field  = kl_arena_array(w->arena, kl_field_table, w->nfield + 1);
    bool good = w->field != NULL;
    for (int i = 0; good && i < w->nfield; i++) {
        w->field[i].of = info->fields[i];
        good           = kl_field_create(w->file, w->arena, &w->field[i]);
    }
    return good;
}

/* Every object of the file, then SWMR mode. */
static bool create_objects(kl_writer *w, const kl_results_info *info,
                           const kl_channel_info *channels)
{
    int columns = w->nchannel < CHUNK_COLUMNS ? w->nchannel : CHUNK_COLUMNS;
    if (info->checkpoint_size > 0) {
        w->state_size = info->checkpoint_size + 1;
        w->state_row  = kl_arena_array(w->arena, double, w->state_size);
        int wide      = w->state_size < CHUNK_VALUES ? w->state_size : CHUNK_VALUES;
        if (!w->state_row || !kl_h5_make_group(w->file, "restart") ||
            !kl_h5_create_table(w->file, "restart/state", w->state_size, 1, wide, &w->state))
            return false;
    }
    int                  nline = 0;
    const kl_drawn_line *line  = info->lines ? kl_drawn_lines(info->lines, w->arena, &nline) : NULL;
    return write_info(w->file, info) && kl_drawn_lines_write(w->file, line, nline) &&
           create_fields(w, info) && write_catalogue(w->file, channels, w->nchannel) &&
           kl_h5_make_group(w->file, "run") &&
           kl_h5_create_table(w->file, "time", 0, w->band, 0, &w->time) &&
           kl_h5_create_table(w->file, "values", w->nchannel, w->band, columns, &w->values) &&
           kl_h5_write_attribute(w->file, "time", "unit", "s") && kl_h5_start_swmr(w->file);
}

/* An empty file with a name that is free, beside the final one: a rename cannot cross file systems.
 */
static char *create_part(kl_arena *arena, const char *path)
{
    char *part = NULL;
    int   fd   = -1;
    errno      = EEXIST;
    for (int i = 0; fd < 0 && i < 100 && errno == EEXIST; i++) {
        part = kl_arena_format(arena, "%s.%ld-%d.part", path, (long)getpid(), i);
        fd   = part ? open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    }
    if (fd >= 0) close(fd);
    return fd >= 0 ? part : NULL;
}

/* Readers that just look are given a moment to go. */
static bool remains_open_elsewhere(const char *path)
{
    const struct timespec moment = {.tv_nsec = 40 * 1000 * 1000};
    for (int i = 0; i < 5; i++) {
        if (kl_h5_has_no_writer(path)) return false;
        nanosleep(&moment, NULL);
    }
    return true;
}

/* Only a results file, another HDF5 file or an empty one may be replaced: a model given by mistake
 * as the name of the results must survive. */
kl_status kl_writer_may_replace(const char *path, kl_diag *diag)
{
    kl_place    at = {.file = path};
    kl_h5_start found;
    struct stat s;
    if (stat(path, &s) != 0) return KL_OK;
    if (!S_ISREG(s.st_mode))
        return kl_fail(diag, KL_E_FILE, at,
                       "is not an ordinary file; give the name of a file for the results");
    if (kl_h5_probe(path, &found) && found.marked && remains_open_elsewhere(path))
        return kl_fail(diag, KL_E_FILE, at,
                       "another run is writing it; give another name with -o, or wait until it "
                       "ends");
    if (kl_h5_probe(path, &found) && (found.empty || found.is_h5)) return KL_OK;
    return kl_fail(diag, KL_E_FILE, at,
                   "exists and is not a results file; choose another name or remove it first");
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static kl_status check_channels(kl_arena *arena, const char *path, const kl_channel_info *channels,
                                int n, kl_diag *diag)
{
    kl_place at = {.file = path};
    if (n < 1)
        return kl_fail(diag, KL_E_USAGE, at,
                       "no channel is selected for recording; check `record` under `run:`");
    const char **names = kl_arena_array(arena, const char *, n);
    if (!names) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) {
        names[i] = text_of(channels[i].name);
        if (!names[i][0])
            return kl_fail(diag, KL_E_USAGE, at, "channel number %d has no name", i + 1);
    }
    qsort(names, (size_t)n, sizeof *names, by_text);
    for (int i = 1; i < n; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return kl_fail(diag, KL_E_NAME, at, "two channels are named '%s'", names[i]);
    return KL_OK;
}

static kl_status start(kl_writer *w, const kl_results_info *info, const kl_channel_info *channels)
{
    kl_place at   = {.file = w->path};
    char    *part = create_part(w->arena, w->path), why[KL_H5_WHY] = "";
    if (!part)
        return kl_fail(w->diag, KL_E_FILE, at, "cannot be created: %s", kl_file_reason(errno));

    w->file   = kl_h5_create(part, why);
    bool good = w->file && create_objects(w, info, channels);
    if (w->file && !good) snprintf(why, sizeof why, "%s", kl_h5_error_text(w->file));
    if (good && rename(part, w->path) != 0) {
        good = false;
        snprintf(why, sizeof why, "%s", kl_file_reason(errno));
    }
    if (good) return KL_OK;
    unlink(part);
    return kl_fail(w->diag, KL_E_FILE, at, "cannot be started: %s", why);
}

static void discard(kl_writer *w)
{
    char why[KL_H5_WHY];
    kl_h5_close(w->file, why);
    kl_arena_destroy(w->arena);
}

/* The writer with its memory, not yet a file. A symbolic link stays one: its target is replaced. */
static kl_writer *prepare(const char *path, int nchannel, kl_diag *diag)
{
    kl_arena  *arena  = kl_arena_create();
    kl_writer *w      = arena ? kl_arena_array(arena, kl_writer, 1) : NULL;
    char      *target = realpath(path, NULL);
    if (w) {
        *w      = (kl_writer){.arena = arena, .diag = diag, .nchannel = nchannel, .kept = NAN};
        w->path = kl_arena_text(arena, target ? target : path);
        w->band = rows_of_a_chunk(nchannel > 0 ? nchannel : 1);
        if (nchannel > 0)
            w->band_value = kl_arena_array(arena, double, (size_t)w->band *(size_t)nchannel);
        w->band_time = kl_arena_array(arena, double, w->band);
        w->visible   = clock_now();
    }
    free(target);
    if (w && kl_arena_ok(arena)) return w;
    kl_arena_destroy(arena);
    return NULL;
}

kl_status kl_writer_create(const char *path, const kl_results_info *info,
                           const kl_channel_info *channels, int nchannel, kl_diag *diag,
                           kl_writer **out)
{
    static const kl_results_info nothing = {0};
    *out                                 = NULL;
    kl_writer *w                         = prepare(path, nchannel, diag);
    if (!w) return KL_E_MEMORY;
    kl_status status = kl_writer_may_replace(w->path, diag);
    if (status == KL_OK) status = check_channels(w->arena, path, channels, nchannel, diag);
    if (status == KL_OK) status = start(w, info ? info : &nothing, channels);
    if (status == KL_OK) *out = w;
    else discard(w);
    return status;
}

/* ---- writer: rows ---- */

/* What the band holds goes to the file and becomes visible: first the values, then their times. */
static kl_status write_band(kl_writer *w)
{
    int64_t first = w->base + w->written;
    int     n     = w->held - w->written;
    if (n == 0) return KL_OK;
    const double *values = w->band_value + (size_t)w->written * (size_t)w->nchannel;
    bool          good   = kl_h5_put(w->file, w->values, first, n, values) &&
                kl_h5_flush(w->file, w->values) &&
                kl_h5_put(w->file, w->time, first, n, w->band_time + w->written) &&
                kl_h5_flush(w->file, w->time);
    if (!good) return fail_writer(w, "writing", kl_h5_error_text(w->file));
    w->kept    = w->band_time[w->held - 1];
    w->written = w->held;
    if (w->held == w->band) {
        w->base += w->band;
        w->held = w->written = 0;
    }
    w->visible = clock_now();
    return KL_OK;
}

kl_status kl_writer_row(kl_writer *w, double time, const double *values)
{
    if (w->failed) return KL_E_FILE;
    if (!isfinite(time))
        return kl_fail(w->diag, KL_E_NAN, (kl_place){.file = w->path}, "a row at time %g", time);
    w->band_time[w->held] = time;
    memcpy(w->band_value + (size_t)w->held * (size_t)w->nchannel, values,
           (size_t)w->nchannel * sizeof *values);
    w->held++;
    if (w->held == w->band || clock_now() - w->visible > FLUSH_AFTER) return write_band(w);
    return KL_OK;
}

kl_status kl_writer_checkpoint(kl_writer *w, const double *values)
{
    KL_TRY(kl_writer_flush(w));
    int n = w->state_size - 1;
    if (n < 0) return KL_E_USAGE;
    memcpy(w->state_row, values, (size_t)n * sizeof *values);
    w->state_row[n] = kl_results_check(values, n);
    if (!kl_h5_put(w->file, w->state, w->ncheckpoint, 1, w->state_row) ||
        !kl_h5_flush(w->file, w->state))
        return fail_writer(w, "writing a checkpoint", kl_h5_error_text(w->file));
    w->ncheckpoint++;
    return KL_OK;
}

kl_status kl_writer_rename(kl_writer *w, const char *path)
{
    char       *target = realpath(path, NULL);
    const char *name   = kl_arena_text(w->arena, target ? target : path);
    free(target);
    if (!name) return KL_E_MEMORY;
    if (rename(w->path, name) != 0) return fail_writer(w, "naming the file", kl_file_reason(errno));
    w->path = kl_arena_text(w->arena, name);
    return w->path ? KL_OK : KL_E_MEMORY;
}

kl_status kl_writer_flush(kl_writer *w) { return w->failed ? KL_E_FILE : write_band(w); }

kl_status kl_writer_field(kl_writer *w, int i, double time, const double *rise, const double *pull)
{
    if (w->failed) return KL_E_FILE;
    return kl_field_row(w->file, &w->field[i], time, rise, pull)
               ? KL_OK
               : fail_writer(w, "writing a field", kl_h5_error_text(w->file));
}

kl_status kl_writer_derive(kl_writer *w, int from, int to, kl_column_change change,
                           const void *context)
{
    KL_TRY(kl_writer_flush(w));
    int     n = (int)w->base + w->held;
    double *x = malloc(((size_t)n + 1) * sizeof *x);
    if (!x) return KL_E_MEMORY;
    bool      good   = n == 0 || kl_h5_get(w->file, w->values, 0, n, from, 1, x);
    kl_status status = good ? change(x, n, context) : KL_E_FILE;
    if (status == KL_OK && n > 0)
        good =
            kl_h5_change_column(w->file, w->values, 0, n, to, x) && kl_h5_flush(w->file, w->values);
    free(x);
    return good ? status : fail_writer(w, "filtering a channel", kl_h5_error_text(w->file));
}

/* ---- writer: the end ---- */

kl_status kl_writer_note(kl_writer *w, const char *name, const char *text)
{
    const char *path = kl_arena_format(w->arena, "run/%s", name);
    if (!path) return KL_E_MEMORY;
    kl_results_note *n = w->notes;
    while (n && strcmp(n->path, path) != 0) n = n->next;
    if (!n) {
        if (!(n = kl_arena_array(w->arena, kl_results_note, 1))) return KL_E_MEMORY;
        *n       = (kl_results_note){.path = path, .text = "", .next = w->notes};
        w->notes = n;
    }
    const char *copy = kl_arena_text(w->arena, text_of(text));
    if (!copy) return KL_E_MEMORY;
    n->text = copy;
    return KL_OK;
}

/* The second, short visit: texts for which no place could be kept. A note's name is in its
 * path, four characters after the start. */
bool kl_results_write_notes(const char *path, const kl_results_note *notes, kl_h5_mode mode,
                            char why[KL_H5_WHY])
{
    kl_h5 *file = kl_h5_open(path, mode, why);
    if (!file) return false;
    bool good = true;
    for (const kl_results_note *n = notes; good && n; n = n->next)
        good = kl_h5_write_text(file, n->path, n->text);
    if (!good) snprintf(why, KL_H5_WHY, "%s", kl_h5_error_text(file));
    char last[KL_H5_WHY];
    return kl_h5_close(file, good ? why : last) && good;
}

kl_status kl_writer_close(kl_writer *w)
{
    if (!w) return KL_OK;
    char      why[KL_H5_WHY];
    kl_status status = kl_writer_flush(w);
    bool      ended  = kl_h5_close(w->file, why);
    w->file          = NULL;
    if (!ended && !w->failed) status = fail_writer(w, "ending the file", why);
    if (!w->failed && !kl_results_write_notes(w->path, w->notes, KL_H5_CHANGE, why))
        status = fail_writer(w, "writing the end of the file", why);
    discard(w);
    return status;
}
