/* Reading results, also of a run that is in progress or was killed; see results.c for the layout. */
#include "results/fields.h"
#include "results/results_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "results/drawn_lines.h"

static const char *text_of(const char *text) { return text ? text : ""; }

struct kl_reader {
    kl_arena        *arena;
    kl_diag         *diag; /* borrowed */
    char            *path;
    kl_h5           *file;
    kl_h5_table      time, values;
    int              rows, nchannel;
    kl_channel_info *channels;
    int             *by_name; /* channels in the order of their names */
    int             *column;  /* of each channel in the table */
    bool             unfinished;
};

static kl_status report_damaged(const kl_reader *r, const char *what)
{
    return kl_fail(r->diag, KL_E_FILE, (kl_place){.file = r->path}, "is damaged: %s (%s)", what,
                   kl_h5_error_text(r->file));
}

static kl_status probe_file(const char *path, kl_diag *diag, kl_h5_start *found)
{
    kl_place    at = {.file = path};
    struct stat s;
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return kl_fail(diag, KL_E_FILE, at, "is not an ordinary file");
    if (!kl_h5_probe(path, found))
        return kl_fail(diag, KL_E_FILE, at, "cannot be opened: %s; check the name and the folder",
                       strerror(errno));
    if (found->empty) return kl_fail(diag, KL_E_FILE, at, "is empty");
    if (!found->is_h5)
        return kl_fail(diag, KL_E_FILE, at,
                       "is not a results file; `klingel run MODEL -o FILE.h5` writes one");
    return KL_OK;
}

static kl_status cannot_open(const char *path, const char *why, kl_diag *diag)
{
    kl_place at = {.file = path};
    if (strstr(why, "lock file"))
        return kl_fail(diag, KL_E_FILE, at, "is open in another program; try again later");
    if (strstr(why, "truncated"))
        return kl_fail(diag, KL_E_FILE, at, "is truncated: its end is missing (%s)", why);
    return kl_fail(diag, KL_E_FILE, at, "cannot be read: it is damaged or truncated (%s)", why);
}

/* A file in SWMR mode is read as such. One that is marked otherwise was left in the short visit
 * that writes the notes (a live writer locks it then, and we are refused). */
static kl_status open_file(kl_reader *r)
{
    kl_h5_start found;
    char        why[KL_H5_WHY];
    KL_TRY(probe_file(r->path, r->diag, &found));
    kl_h5_mode mode = found.swmr ? KL_H5_FOLLOW : found.marked ? KL_H5_RESCUE : KL_H5_READ;
    r->unfinished   = mode != KL_H5_READ;
    r->file         = kl_h5_open(r->path, mode, why);
    return r->file ? KL_OK : cannot_open(r->path, why, r->diag);
}

static kl_status check_version(kl_reader *r)
{
    kl_place    at      = {.file = r->path};
    const char *format  = kl_h5_read_attribute(r->file, "/", "format", r->arena);
    const char *version = kl_h5_read_attribute(r->file, "/", "version", r->arena);
    int         major = -1, minor = -1;
    if (format && strncmp(format, "klingel-", 8) == 0 && strcmp(format, KL_RESULTS_FORMAT) != 0)
        return kl_fail(r->diag, KL_E_FILE, at,
                       "contains no results of a run, but %s; show modes with `klingel view`, or "
                       "write results with `klingel run MODEL -o FILE.h5`",
                       format);
    if (!format || strcmp(format, KL_RESULTS_FORMAT) != 0)
        return kl_fail(
            r->diag, KL_E_FILE, at,
            "is an HDF5 file, but not a results file of klingel (no attribute format = \"%s\")",
            KL_RESULTS_FORMAT);
    if (!version || sscanf(version, "%d.%d", &major, &minor) != 2 || major < 1 || minor < 0)
        return kl_fail(r->diag, KL_E_FILE, at, "is damaged: its version is '%s'", text_of(version));
    if (major > KL_RESULTS_MAJOR)
        return kl_fail(r->diag, KL_E_VERSION, at,
                       "has format version %d.%d, this program reads up to %d.x; use a newer "
                       "klingel (the file was written by %s)",
                       major, minor, KL_RESULTS_MAJOR,
                       text_of(kl_h5_read_attribute(r->file, "/", "program", r->arena)));
    return KL_OK;
}

static kl_status read_catalogue(kl_reader *r)
{
    int n       = kl_h5_count(r->file, "channels/name");
    r->nchannel = n;
    if (n < 1) return report_damaged(r, "its list of channels cannot be read");
    const char **name = kl_h5_read_texts(r->file, "channels/name", n, r->arena);
    const char **unit = kl_h5_read_texts(r->file, "channels/unit", n, r->arena);
    const char **what = kl_h5_read_texts(r->file, "channels/description", n, r->arena);
    int         *own  = kl_h5_read_ints(r->file, "channels/own", n, r->arena);
    r->column         = kl_h5_read_ints(r->file, "channels/column", n, r->arena);
    r->channels       = kl_arena_array(r->arena, kl_channel_info, n);
    r->by_name        = kl_arena_array(r->arena, int, n);
    if (!kl_arena_ok(r->arena)) return KL_E_MEMORY;
    if (!name || !unit || !what || !own || !r->column)
        return report_damaged(r, "its list of channels cannot be read");
    for (int i = 0; i < n; i++) {
        if (r->column[i] < 0 || r->column[i] >= r->values.ncolumn)
            return report_damaged(r, "its list of channels does not fit its table");
        r->channels[i] = (kl_channel_info){name[i], unit[i], what[i], own[i] != 0};
    }
    return KL_OK;
}

/* Sorts by heap: qsort has no way to hand the names to the comparison. */
static void sift_down(const kl_reader *r, int *order, int root, int n)
{
    for (int child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n &&
            strcmp(r->channels[order[child]].name, r->channels[order[child + 1]].name) < 0)
            child++;
        if (strcmp(r->channels[order[root]].name, r->channels[order[child]].name) >= 0) return;
        int t        = order[root];
        order[root]  = order[child];
        order[child] = t;
    }
}

static void sort_names(kl_reader *r)
{
    int *order = r->by_name, n = r->nchannel;
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n / 2 - 1; i >= 0; i--) sift_down(r, order, i, n);
    for (int last = n - 1; last > 0; last--) {
        int t       = order[0];
        order[0]    = order[last];
        order[last] = t;
        sift_down(r, order, 0, last);
    }
}

/* Rows without a time at the end were begun by a run that was killed: they do not count. */
static kl_status count_rows(kl_reader *r)
{
    int times = 0, rows = 0;
    if (!kl_h5_rows(r->file, r->time, &times) || !kl_h5_rows(r->file, r->values, &rows))
        return report_damaged(r, "its tables have the wrong shape");
    for (r->rows = times < rows ? times : rows; r->rows > 0; r->rows--) {
        double time;
        if (!kl_h5_get(r->file, r->time, r->rows - 1, 1, 0, 0, &time))
            return report_damaged(r, "its times cannot be read");
        if (!isnan(time)) break;
    }
    return KL_OK;
}

static kl_status open_objects(kl_reader *r)
{
    KL_TRY(open_file(r));
    KL_TRY(check_version(r));
    if (!kl_h5_open_table(r->file, "time", &r->time) ||
        !kl_h5_open_table(r->file, "values", &r->values))
        return report_damaged(r, "it has no tables of time and values");
    if (r->time.ncolumn != 0 || r->values.ncolumn < 1)
        return report_damaged(r, "its tables have the wrong shape");
    KL_TRY(read_catalogue(r));
    sort_names(r);
    return count_rows(r);
}

kl_status kl_reader_open(const char *path, kl_diag *diag, kl_reader **out)
{
    *out             = NULL;
    kl_arena  *arena = kl_arena_create();
    kl_reader *r     = arena ? kl_arena_array(arena, kl_reader, 1) : NULL;
    if (!r) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    *r               = (kl_reader){.arena = arena, .diag = diag};
    r->path          = kl_arena_text(arena, path);
    kl_status status = r->path ? open_objects(r) : KL_E_MEMORY;
    if (status == KL_OK) *out = r;
    else kl_reader_close(r);
    return status;
}

void kl_reader_close(kl_reader *r)
{
    if (!r) return;
    char why[KL_H5_WHY];
    kl_h5_close(r->file, why);
    kl_arena_destroy(r->arena);
}

int                    kl_reader_rows(const kl_reader *r) { return r->rows; }
int                    kl_reader_channels(const kl_reader *r) { return r->nchannel; }
const kl_channel_info *kl_reader_channel(const kl_reader *r, int i) { return &r->channels[i]; }
bool                   kl_reader_unfinished(const kl_reader *r) { return r->unfinished; }

bool kl_reader_running(const kl_reader *r)
{
    return r->unfinished && !kl_h5_has_no_writer(r->path);
}

int kl_reader_find(const kl_reader *r, const char *name)
{
    int low = 0, high = r->nchannel - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        int order  = strcmp(name, r->channels[r->by_name[middle]].name);
        if (order == 0) return r->by_name[middle];
        if (order < 0) high = middle - 1;
        else low = middle + 1;
    }
    return -1;
}

kl_status kl_reader_refresh(kl_reader *r)
{
    if (!kl_h5_refresh(r->file, r->time) || !kl_h5_refresh(r->file, r->values))
        return report_damaged(r, "its tables cannot be read again");
    return count_rows(r);
}

kl_status kl_reader_time(kl_reader *r, double *time)
{
    bool good = r->rows == 0 || kl_h5_get(r->file, r->time, 0, r->rows, 0, 0, time);
    return good ? KL_OK : report_damaged(r, "its times cannot be read");
}

kl_status kl_reader_column(kl_reader *r, int channel, double *values)
{
    return kl_reader_block(r, &channel, 1, 0, r->rows, values);
}

/* How many of the channels from i on are adjacent in the table. */
static int run_length(const kl_reader *r, const int *channels, int n, int i)
{
    int k = 1;
    while (i + k < n && r->column[channels[i + k]] == r->column[channels[i]] + k) k++;
    return k;
}

/* Neighbours are read together; each such run goes through a buffer unless it is all there is. */
static kl_status read_block(kl_reader *r, const int *channels, int n, int row0, int nrow,
                            double *values)
{
    int k = 0;
    for (int i = 0; i < n; i += k) {
        k             = run_length(r, channels, n, i);
        double *cells = values;
        if (k < n && !(cells = malloc((size_t)nrow * (size_t)k * sizeof *cells)))
            return KL_E_MEMORY;
        bool good = kl_h5_get(r->file, r->values, row0, nrow, r->column[channels[i]], k, cells);
        for (int row = 0; good && k < n && row < nrow; row++)
            memcpy(values + (size_t)row * (size_t)n + i, cells + (size_t)row * (size_t)k,
                   (size_t)k * sizeof *cells);
        if (k < n) free(cells);
        if (!good) return report_damaged(r, "its values cannot be read");
    }
    return KL_OK;
}

kl_status kl_reader_block(kl_reader *r, const int *channels, int nchannel, int row0, int nrow,
                          double *values)
{
    bool sense = row0 >= 0 && nrow >= 0 && row0 <= r->rows - nrow && nchannel >= 0;
    for (int i = 0; sense && i < nchannel; i++)
        sense = channels[i] >= 0 && channels[i] < r->nchannel;
    if (!sense)
        return kl_fail(r->diag, KL_E_USAGE, (kl_place){.file = r->path},
                       "rows %d to %d of %d or a missing channel were requested", row0, row0 + nrow,
                       r->rows);
    if (nrow == 0 || nchannel == 0) return KL_OK;
    return read_block(r, channels, nchannel, row0, nrow, values);
}

kl_status kl_reader_columns(kl_reader *r, const int *channels, int nchannel, double *const *values)
{
    /* a band of rows, all channels of it, must stay in the cache of the table (16 MB, store/h5.c) */
    const int values_of_a_band = 1024 * 1024;
    int       band             = values_of_a_band / (r->nchannel > 0 ? r->nchannel : 1) + 1;
    double   *cells            = malloc((size_t)band * (size_t)(nchannel + 1) * sizeof *cells);
    kl_status status           = cells ? KL_OK : KL_E_MEMORY;
    for (int row0 = 0; status == KL_OK && row0 < r->rows; row0 += band) {
        int nrow = r->rows - row0 < band ? r->rows - row0 : band;
        status   = kl_reader_block(r, channels, nchannel, row0, nrow, cells);
        for (int i = 0; status == KL_OK && i < nchannel; i++)
            for (int row = 0; row < nrow; row++)
                values[i][row0 + row] = cells[(size_t)row * (size_t)nchannel + (size_t)i];
    }
    free(cells);
    return status;
}

int kl_reader_checkpoint_size(kl_reader *r)
{
    kl_h5_table t;
    if (kl_h5_count(r->file, "restart/state") < 0) return 0;
    return kl_h5_open_table(r->file, "restart/state", &t) && t.ncolumn > 1 ? t.ncolumn - 1 : 0;
}

kl_status kl_reader_checkpoint(kl_reader *r, double *values)
{
    kl_h5_table t;
    int         rows = 0, n = kl_reader_checkpoint_size(r);
    kl_place    at    = {.file = r->path};
    double     *whole = n > 0 ? kl_arena_array(r->arena, double, n + 1) : NULL;
    if (n > 0 && !whole) return KL_E_MEMORY;
    if (n > 0 && kl_h5_open_table(r->file, "restart/state", &t) && kl_h5_rows(r->file, t, &rows))
        while (rows-- > 0) {
            if (!kl_h5_get(r->file, t, rows, 1, 0, n + 1, whole)) continue;
            if (whole[n] != kl_results_check(whole, n))
                continue; /* begun by a run that was killed */
            memcpy(values, whole, (size_t)n * sizeof *values);
            return KL_OK;
        }
    return kl_fail(r->diag, KL_E_FILE, at,
                   n > 0 ? "ended before its first checkpoint; run the model again"
                         : "contains no checkpoints, so the run cannot be continued; run the model "
                           "again with `--checkpoint SECONDS`");
}

const char *kl_reader_text(kl_reader *r, const char *name)
{
    char        path[300];
    const char *text = NULL;
    if (strcmp(name, "program") == 0 || strcmp(name, "created") == 0)
        return kl_h5_read_attribute(r->file, "/", name, r->arena);
    snprintf(path, sizeof path, "model/%.250s", strcmp(name, "model") == 0 ? "text" : name);
    text = kl_h5_read_text(r->file, path, r->arena);
    if (text) return text;
    snprintf(path, sizeof path, "run/%.250s", name);
    return kl_h5_read_text(r->file, path, r->arena);
}

const kl_track_points *kl_reader_tracks(kl_reader *r, int *n)
{
    return kl_drawn_lines_read(r->file, r->arena, n);
}

const kl_field_points *kl_reader_fields(kl_reader *r, int *n)
{
    int              count = 0;
    const char     **name  = kl_h5_list(r->file, "/fields", &count, r->arena);
    kl_field_points *list  = name ? kl_arena_array(r->arena, kl_field_points, count) : NULL;
    *n                     = 0;
    for (int i = 0; list && i < count; i++)
        *n += kl_field_open(r->file, r->arena, name[i], &list[*n]);
    return list;
}

kl_status kl_reader_field(kl_reader *r, const kl_field_points *f, int row0, int nrow, double *time,
                          double *rise, double *pull)
{
    bool good = !time || kl_h5_get(r->file, f->time, row0, nrow, 0, 0, time);
    if (good && rise) good = kl_h5_get(r->file, f->rise, row0, nrow, 0, f->width * f->npoint, rise);
    /* values are behind the motion; rows of both at once are not asked for */
    for (int k = 0; good && rise && nrow == 1 && k < f->nvalue; k++)
        good = kl_h5_get(r->file, f->value[k], row0, 1, 0, f->npoint,
                         rise + (size_t)(f->width + k) * (size_t)f->npoint);
    if (good && pull && f->nlink > 0)
        good = kl_h5_get(r->file, f->pull, row0, nrow, 0, f->nlink, pull);
    return good ? KL_OK : report_damaged(r, "a field cannot be read");
}

/* ---- repair ---- */

static kl_status inspect(const char *path, kl_diag *diag, kl_repair_report *report)
{
    kl_reader *r = NULL;
    KL_TRY(kl_reader_open(path, diag, &r));
    *report = (kl_repair_report){.was_marked = r->unfinished, .rows = r->rows};
    bool good =
        r->rows == 0 || (kl_h5_get(r->file, r->time, 0, 1, 0, 0, &report->first_time) &&
                         kl_h5_get(r->file, r->time, r->rows - 1, 1, 0, 0, &report->last_time));
    kl_status status = good ? KL_OK : report_damaged(r, "its times cannot be read");
    kl_reader_close(r);
    return status;
}

kl_status kl_results_repair(const char *path, kl_diag *diag, kl_repair_report *report)
{
    const kl_results_note killed = {.path = "run/status", .text = "killed"};
    kl_place              at     = {.file = path};
    char                  why[KL_H5_WHY];
    KL_TRY(inspect(path, diag, report));
    if (!report->was_marked) return KL_OK;
    if (!kl_h5_has_no_writer(path))
        return kl_fail(diag, KL_E_FILE, at, "is in use by a running process and was not changed");
    if (!kl_results_write_notes(path, &killed, KL_H5_REPAIR, why))
        return kl_fail(diag, KL_E_FILE, at, "could not be repaired: %s", why);
    return KL_OK;
}
