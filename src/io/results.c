/* Results files: the only place that includes HDF5. The layout is told in docs/results-format.md:
 *
 *     /                 attributes format, version, program, created
 *     /time             [rows]             seconds
 *     /values           [rows x channels]  chunked in bands of rows
 *     /channels/...     [channels]         name, unit, description, own, dataset, column
 *     /model/...        texts: title, file, text, scene, settings
 *     /run/...          texts that are known at the end: status, statistics, ...
 *
 * A row counts when its time is there: values are written and flushed before times, both start as
 * NaN, and a reader drops rows without a time. So a killed run ends with its last whole row.
 *
 * Nothing can be created in single-writer-multiple-reader (SWMR) mode, so the notes of the end are
 * written after the file was closed, in a second, short visit. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "io/results.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <hdf5.h>

#include "base/arena.h"

static const char FORMAT[] = "klingel-results";

enum {
    CHUNK_COLUMNS   = 256,       /* a column of a wide table is read without the others */
    CHUNK_VALUES    = 16 * 1024, /* 128 kB a chunk: one write, and little waste at the end */
    CHUNK_ROWS_MOST = 1024,      /* narrow tables: a chunk of time is 8 kB */
    CACHE_BYTES     = 16 * 1024 * 1024,
    LONGEST_TEXT    = 1 << 30,
};
static const double FLUSH_AFTER = 1.0; /* seconds between two visible states of a slow run */

/* ---- the door: one call at a time, and no printing ---- */

/* HDF5 as packaged is not thread-safe, so this lock is the one global of the library's results. */
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

typedef struct visit {
    H5E_auto2_t print; /* what the program around us had set */
    void       *data;
} visit;

static visit enter(void)
{
    visit v = {0};
    pthread_mutex_lock(&door);
    H5Eget_auto2(H5E_DEFAULT, &v.print, &v.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return v;
}

static void leave(visit v)
{
    H5Eset_auto2(H5E_DEFAULT, v.print, v.data);
    pthread_mutex_unlock(&door);
}

static herr_t first_error(unsigned n, const H5E_error2_t *e, void *text)
{
    if (n == 0) snprintf(text, 200, "%s", e->desc ? e->desc : "");
    return 0;
}

/* Why the last HDF5 call failed, in its own words. */
static const char *reason(char text[200])
{
    snprintf(text, 200, "no reason given");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_error, text);
    return text;
}

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Access to a file: newest layout (SWMR needs it); ids closed with the file; file systems that
 * cannot lock are accepted. */
static hid_t access_list(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG);
    H5Pset_file_locking(fapl, true, true);
    return fapl;
}

/* Lets all further writes of an HDF5 file go nowhere, into shared memory without a name. HDF5
 * cannot close a file that it cannot write (what it leaves in memory crashes later calls); so it
 * closes a dream, and the real file stays in its last good state. */
static void divert(hid_t file)
{
    int *fd = NULL;
    char name[64];
    snprintf(name, sizeof name, "/klingel-%ld", (long)getpid());
    int sink = shm_open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (sink >= 0) shm_unlink(name);
    else sink = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (sink < 0) return;
    if (H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&fd) >= 0 && fd) dup2(sink, *fd);
    close(sink);
}

/* Closes a file with all that is open in it; `good` tells whether its writes went well so far. */
static bool end_file(hid_t file, bool good)
{
    good = good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    if (!good) divert(file);
    return H5Fclose(file) >= 0 && good;
}

/* ---- texts ---- */

/* UTF-8 of fixed size, filled up with zeros: readable everywhere, and nothing on a heap. */
static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size > 0 ? size : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

static bool write_text(hid_t group, const char *name, const char *text)
{
    hid_t  type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    hid_t  set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    herr_t e   = set < 0 ? -1 : H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space), H5Tclose(type);
    return e >= 0;
}

static bool write_attribute(hid_t object, const char *name, const char *text)
{
    hid_t  type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    hid_t  a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t e = a < 0 ? -1 : H5Awrite(a, type, text);
    if (a >= 0) H5Aclose(a);
    H5Sclose(space), H5Tclose(type);
    return e >= 0;
}

/* The bytes of a scalar text, dataset or attribute, into the arena; NULL when it is none. */
static char *read_text(kl_arena *arena, hid_t object, bool attribute)
{
    hid_t type  = attribute ? H5Aget_type(object) : H5Dget_type(object);
    hid_t space = attribute ? H5Aget_space(object) : H5Dget_space(object);
    char *text  = NULL;
    bool  fits  = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                H5Sget_simple_extent_npoints(space) == 1 && H5Tget_size(type) <= LONGEST_TEXT;
    if (fits && (text = kl_arena_take(arena, H5Tget_size(type) + 1))) {
        herr_t e = attribute ? H5Aread(object, type, text)
                             : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
        if (e < 0) text = NULL;
    }
    H5Sclose(space), H5Tclose(type);
    return text;
}

static char *read_text_attribute(kl_arena *arena, hid_t file, const char *name)
{
    if (H5Aexists(file, name) <= 0) return NULL;
    hid_t a    = H5Aopen(file, name, H5P_DEFAULT);
    char *text = a < 0 ? NULL : read_text(arena, a, true);
    if (a >= 0) H5Aclose(a);
    return text;
}

/* ---- writer: creation ---- */

typedef struct note {
    const char  *name, *text;
    struct note *next;
} note;

struct kl_writer {
    kl_arena *arena;
    kl_diag  *diag; /* borrowed */
    char     *path;
    int       lock; /* descriptor that holds a shared lock while this process writes, or -1 */
    hid_t     file, time, values;
    int       nchannel, band;         /* columns; rows a chunk */
    int       held, written;          /* rows in the band; how many of them are in the file */
    hsize_t   base;                   /* rows before the band */
    double   *band_time, *band_value; /* band, band x nchannel */
    double    visible;                /* clock at the last flush [s] */
    note     *notes;
    bool      failed;
};

/* A failure after the start: said once, and nothing is tried any more. */
static kl_status give_up(kl_writer *w, const char *doing)
{
    char why[200];
    w->failed = true;
    return kl_fail(w->diag, KL_E_FILE, (kl_place){.file = w->path},
                   "%s failed (%s); is the disk full?", doing, reason(why));
}

static int rows_of_a_chunk(int nchannel)
{
    int columns = nchannel < CHUNK_COLUMNS ? nchannel : CHUNK_COLUMNS;
    int rows    = 1;
    while (2 * rows * columns <= CHUNK_VALUES && rows < CHUNK_ROWS_MOST) rows *= 2;
    return rows;
}

/* An empty table of doubles that grows downwards; ncolumn 0: a list. */
static hid_t create_table(hid_t file, const char *name, int nrow, int ncolumn)
{
    int     rank    = ncolumn > 0 ? 2 : 1;
    int     columns = ncolumn < CHUNK_COLUMNS ? ncolumn : CHUNK_COLUMNS;
    hsize_t size[2] = {0, (hsize_t)ncolumn}, most[2] = {H5S_UNLIMITED, (hsize_t)ncolumn};
    hsize_t chunk[2] = {(hsize_t)nrow, (hsize_t)columns};
    double  absent   = NAN;
    hid_t   space = H5Screate_simple(rank, size, most), made = H5Pcreate(H5P_DATASET_CREATE);
    hid_t   opened = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(made, rank, chunk);
    H5Pset_fill_value(made, H5T_NATIVE_DOUBLE, &absent);
    H5Pset_chunk_cache(opened, 12421, CACHE_BYTES, 1.0);
    hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, made, opened);
    H5Pclose(opened), H5Pclose(made), H5Sclose(space);
    return set;
}

static const char *text_of(const char *text) { return text ? text : ""; }

/* One column of the catalogue: the text at `offset` in each channel's record. */
static bool write_texts(kl_arena *arena, hid_t group, const char *name,
                        const kl_channel_info *channels, int n, size_t offset)
{
    size_t longest = 1;
    for (int i = 0; i < n; i++) {
        size_t length = strlen(text_of(*(char *const *)((const char *)&channels[i] + offset)));
        if (length > longest) longest = length;
    }
    char *all = kl_arena_take_array(arena, (size_t)n, longest);
    if (!all) return false;
    for (int i = 0; i < n; i++) {
        const char *text = text_of(*(char *const *)((const char *)&channels[i] + offset));
        memcpy(all + (size_t)i * longest, text, strlen(text));
    }
    hsize_t size = (hsize_t)n;
    hid_t   type = text_type(longest), space = H5Screate_simple(1, &size, NULL);
    hid_t   set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    herr_t  e   = set < 0 ? -1 : H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space), H5Tclose(type);
    return e >= 0;
}

static bool write_ints(hid_t group, const char *name, hid_t type, const int *values, int n)
{
    hsize_t size  = (hsize_t)n;
    hid_t   space = H5Screate_simple(1, &size, NULL);
    hid_t   set   = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    herr_t  e = set < 0 ? -1 : H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    return e >= 0;
}

/* All columns stand in the one table today; the catalogue leaves room for others, for channels that
 * are sampled at other times. */
static bool write_catalogue(hid_t file, const kl_channel_info *channels, int n)
{
    kl_arena        *arena  = kl_arena_create();
    int             *own    = arena ? kl_arena_array(arena, int, n) : NULL;
    int             *column = arena ? kl_arena_array(arena, int, n) : NULL;
    kl_channel_info *where  = arena ? kl_arena_array(arena, kl_channel_info, n) : NULL;
    hid_t            group  = H5Gcreate2(file, "channels", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool             good   = group >= 0 && own && column && where;
    for (int i = 0; good && i < n; i++) {
        own[i]        = channels[i].own;
        column[i]     = i;
        where[i].name = "/values";
    }
    size_t name = offsetof(kl_channel_info, name), unit = offsetof(kl_channel_info, unit);
    size_t description = offsetof(kl_channel_info, description);
    good               = good && write_texts(arena, group, "name", channels, n, name) &&
           write_texts(arena, group, "unit", channels, n, unit) &&
           write_texts(arena, group, "description", channels, n, description) &&
           write_texts(arena, group, "dataset", where, n, name) &&
           write_ints(group, "own", H5T_STD_U8LE, own, n) &&
           write_ints(group, "column", H5T_STD_I32LE, column, n);
    if (group >= 0) H5Gclose(group);
    kl_arena_destroy(arena);
    return good;
}

static bool write_info(hid_t file, const kl_results_info *info)
{
    time_t    now = time(NULL);
    struct tm utc;
    char      created[32] = "", version[32];
    if (gmtime_r(&now, &utc)) strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(version, sizeof version, "%d.%d", KL_RESULTS_MAJOR, KL_RESULTS_MINOR);
    hid_t group = H5Gcreate2(file, "model", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool  good  = group >= 0 && write_attribute(file, "format", FORMAT) &&
                write_attribute(file, "version", version) &&
                write_attribute(file, "program", "klingel " KL_VERSION) &&
                write_attribute(file, "created", created);
    const char *const texts[][2] = {{"title", info->title},
                                    {"file", info->model_file},
                                    {"text", info->model_text},
                                    {"scene", info->scene_json},
                                    {"settings", info->settings_json}};
    for (size_t i = 0; good && i < sizeof texts / sizeof *texts; i++)
        if (texts[i][1]) good = write_text(group, texts[i][0], texts[i][1]);
    if (group >= 0) H5Gclose(group);
    return good;
}

/* Every object of the file, then SWMR mode. */
static bool create_objects(kl_writer *w, const char *part, const kl_results_info *info,
                           const kl_channel_info *channels)
{
    hid_t fapl = access_list();
    w->file    = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    if (w->file < 0 || !write_info(w->file, info)) return false;
    if (!write_catalogue(w->file, channels, w->nchannel)) return false;
    hid_t run = H5Gcreate2(w->file, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (run < 0) return false;
    H5Gclose(run);
    w->time   = create_table(w->file, "time", w->band, 0);
    w->values = create_table(w->file, "values", w->band, w->nchannel);
    if (w->time < 0 || w->values < 0 || !write_attribute(w->time, "unit", "s")) return false;
    return H5Fstart_swmr_write(w->file) >= 0;
}

/* A name that is free, beside the final one: a rename cannot cross file systems. */
static int create_part(kl_arena *arena, const char *path, char **part)
{
    int fd = -1;
    errno  = 0;
    for (int i = 0; fd < 0 && i < 100 && (i == 0 || errno == EEXIST); i++) {
        *part = kl_arena_format(arena, "%s.%ld-%d.part", path, (long)getpid(), i);
        if (!*part) return -1;
        fd = open(*part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return fd;
}

/* Only a results file, another HDF5 file or an empty one may be replaced: a model given by mistake
 * as the name of the results must survive. */
static kl_status may_replace(const char *path, kl_diag *diag)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    kl_place                   at           = {.file = path};
    struct stat                s;
    if (stat(path, &s) != 0) return KL_OK;
    if (!S_ISREG(s.st_mode))
        return kl_fail(diag, KL_E_FILE, at,
                       "is not an ordinary file; give the name of a file for the results");
    if (s.st_size == 0) return KL_OK;
    unsigned char start[8] = {0};
    FILE         *f        = fopen(path, "rb");
    size_t        n        = f ? fread(start, 1, sizeof start, f) : 0;
    if (f) fclose(f);
    if (n == sizeof start && memcmp(start, signature, sizeof start) == 0) return KL_OK;
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
    if (n < 1) return kl_fail(diag, KL_E_USAGE, at, "no channel to record");
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

/* Frees a writer; what is still open of its file is closed without being looked at. */
static void discard(kl_writer *w)
{
    if (w->file >= 0) {
        visit v = enter();
        end_file(w->file, false); /* only a failed start comes here with an open file */
        leave(v);
    }
    if (w->lock >= 0) close(w->lock);
    kl_arena_destroy(w->arena);
}

static kl_status start(kl_writer *w, const kl_results_info *info, const kl_channel_info *channels)
{
    kl_place at   = {.file = w->path};
    char    *part = NULL, why[200];
    w->lock       = create_part(w->arena, w->path, &part);
    if (w->lock < 0)
        return kl_fail(w->diag, KL_E_FILE, at, "cannot be created: %s", strerror(errno));

    visit v    = enter();
    bool  good = create_objects(w, part, info, channels);
    if (!good) reason(why);
    leave(v);

    kl_status status = KL_OK;
    if (!good)
        status = kl_fail(w->diag, KL_E_FILE, at, "cannot be started (%s); is the disk full?", why);
    else if (rename(part, w->path) != 0)
        status = kl_fail(w->diag, KL_E_FILE, at, "cannot be created: %s", strerror(errno));
    if (status != KL_OK) unlink(part);
    // a shared lock tells `repair` that this process is alive; readers of HDF5 share it
    else flock(w->lock, LOCK_SH | LOCK_NB);
    return status;
}

kl_status kl_writer_create(const char *path, const kl_results_info *info,
                           const kl_channel_info *channels, int nchannel, kl_diag *diag,
                           kl_writer **out)
{
    static const kl_results_info nothing = {0};
    *out                                 = NULL;
    kl_arena *arena                      = kl_arena_create();
    if (!arena) return KL_E_MEMORY;

    // a symbolic link stays one: its target is replaced
    char      *target = realpath(path, NULL);
    kl_writer *w      = kl_arena_array(arena, kl_writer, 1);
    if (w) {
        *w =
            (kl_writer){.arena = arena, .diag = diag, .lock = -1, .file = -1, .nchannel = nchannel};
        w->path = kl_arena_text(arena, target ? target : path);
    }
    free(target);

    kl_status status = w && w->path ? may_replace(w->path, diag) : KL_E_MEMORY;
    if (status == KL_OK) status = check_channels(arena, path, channels, nchannel, diag);
    if (status == KL_OK) {
        w->band      = rows_of_a_chunk(nchannel);
        w->band_time = kl_arena_array(arena, double, w->band);
        w->band_value =
            kl_arena_take_array(arena, (size_t)w->band * (size_t)nchannel, sizeof(double));
        w->visible = clock_now();
        status     = kl_arena_ok(arena) ? start(w, info ? info : &nothing, channels) : KL_E_MEMORY;
    }
    if (status != KL_OK) {
        if (w) discard(w);
        else kl_arena_destroy(arena);
        return status;
    }
    *out = w;
    return KL_OK;
}

/* ---- writer: rows ---- */

/* Rows first .. first + n of the file, from memory; ncolumn 0: a list. */
static bool put_rows(hid_t set, hsize_t first, hsize_t n, int ncolumn, const double *values)
{
    int     rank    = ncolumn > 0 ? 2 : 1;
    hsize_t size[2] = {first + n, (hsize_t)ncolumn}, at[2] = {first, 0};
    hsize_t part[2] = {n, (hsize_t)ncolumn};
    if (H5Dset_extent(set, size) < 0) return false;
    hid_t  file = H5Dget_space(set), memory = H5Screate_simple(rank, part, NULL);
    herr_t e = H5Sselect_hyperslab(file, H5S_SELECT_SET, at, NULL, part, NULL);
    if (e >= 0) e = H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values);
    H5Sclose(memory), H5Sclose(file);
    return e >= 0;
}

/* What the band holds goes to the file and becomes visible: first the values, then their times. */
static kl_status write_band(kl_writer *w)
{
    hsize_t first = w->base + (hsize_t)w->written, n = (hsize_t)(w->held - w->written);
    if (n == 0) return KL_OK;
    visit         v      = enter();
    const double *values = w->band_value + (size_t)w->written * (size_t)w->nchannel;
    bool good = put_rows(w->values, first, n, w->nchannel, values) && H5Dflush(w->values) >= 0 &&
                put_rows(w->time, first, n, 0, w->band_time + w->written) && H5Dflush(w->time) >= 0;
    kl_status status = good ? KL_OK : give_up(w, "writing");
    leave(v);
    w->written = w->held;
    if (w->held == w->band) {
        w->base += (hsize_t)w->band;
        w->held = w->written = 0;
    }
    w->visible = clock_now();
    return status;
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

kl_status kl_writer_flush(kl_writer *w) { return w->failed ? KL_E_FILE : write_band(w); }

/* ---- writer: the end ---- */

kl_status kl_writer_note(kl_writer *w, const char *name, const char *text)
{
    note *n = w->notes;
    while (n && strcmp(n->name, name) != 0) n = n->next;
    if (!n && (n = kl_arena_array(w->arena, note, 1))) {
        n->name  = kl_arena_text(w->arena, name);
        n->next  = w->notes;
        w->notes = n;
    }
    if (n) n->text = kl_arena_text(w->arena, text_of(text));
    return kl_arena_ok(w->arena) ? KL_OK : KL_E_MEMORY;
}

/* The second, short visit: texts for which no place could be kept. */
static bool write_notes(const char *path, const note *notes)
{
    hid_t fapl = access_list(), file = H5Fopen(path, H5F_ACC_RDWR, fapl);
    H5Pclose(fapl);
    if (file < 0) return false;
    hid_t group = H5Gopen2(file, "run", H5P_DEFAULT);
    bool  good  = group >= 0;
    for (const note *n = notes; good && n; n = n->next) {
        if (H5Lexists(group, n->name, H5P_DEFAULT) > 0) H5Ldelete(group, n->name, H5P_DEFAULT);
        good = write_text(group, n->name, n->text);
    }
    return end_file(file, good);
}

static bool notes_complete(const note *n)
{
    for (; n; n = n->next)
        if (!n->name || !n->text) return false;
    return true;
}

kl_status kl_writer_close(kl_writer *w)
{
    if (!w) return KL_OK;
    kl_status status = kl_writer_flush(w);

    visit v     = enter();
    bool  ended = end_file(w->file, !w->failed);
    w->file     = -1;
    if (!ended && !w->failed) status = give_up(w, "ending the file");
    if (w->lock >= 0) close(w->lock);
    w->lock = -1;
    if (!w->failed && notes_complete(w->notes) && !write_notes(w->path, w->notes))
        status = give_up(w, "writing the end of the file");
    leave(v);

    discard(w);
    return status;
}

/* ---- reader ---- */

struct kl_reader {
    kl_arena        *arena;
    kl_diag         *diag; /* borrowed */
    char            *path;
    hid_t            file, time, values;
    int              rows, nchannel;
    kl_channel_info *channels;
    int             *by_name; /* channels in the order of their names */
    int             *column;  /* of each channel in the table */
    bool             unfinished;
};

static kl_status damaged(const kl_reader *r, const char *what)
{
    char why[200];
    return kl_fail(r->diag, KL_E_FILE, (kl_place){.file = r->path}, "is damaged: %s (%s)", what,
                   reason(why));
}

/* The first bytes of an HDF5 file: signature, version, two sizes, and the flags "open for writing"
 * (1) and "open for SWMR writing" (4) of version 3. HDF5 file format specification, II.A. */
static kl_status look_at_start(const char *path, kl_diag *diag, bool *marked, bool *swmr)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    kl_place                   at           = {.file = path};
    struct stat                s;
    if (stat(path, &s) != 0)
        return kl_fail(diag, KL_E_FILE, at, "cannot be opened: %s", strerror(errno));
    if (!S_ISREG(s.st_mode)) return kl_fail(diag, KL_E_FILE, at, "is not an ordinary file");
    FILE *f = fopen(path, "rb");
    if (!f) return kl_fail(diag, KL_E_FILE, at, "cannot be opened: %s", strerror(errno));
    unsigned char start[12] = {0};
    size_t        n         = fread(start, 1, sizeof start, f);
    fclose(f);
    if (n == 0) return kl_fail(diag, KL_E_FILE, at, "is empty");
    if (n < sizeof start || memcmp(start, signature, sizeof signature) != 0)
        return kl_fail(diag, KL_E_FILE, at,
                       "is not a results file; `klingel run MODEL -o FILE.h5` makes one");
    *marked = start[8] >= 3 && (start[11] & 1) != 0;
    *swmr   = start[8] >= 3 && (start[11] & 4) != 0;
    return KL_OK;
}

/* Two switches of HDF5's own h5clear: take a file although it is marked as open for writing, and
 * although its end moved after its first block was written. */
static void ignore_marks(hid_t fapl)
{
    static const char *const names[] = {"clear_status_flags", "skip_eof_check"};
    hbool_t                  yes     = true;
    for (int i = 0; i < 2; i++)
        if (H5Pexist(fapl, names[i]) > 0) H5Pset(fapl, names[i], &yes);
}

static kl_status cannot_open(const char *path, kl_diag *diag)
{
    char     why[200];
    kl_place at = {.file = path};
    reason(why);
    if (strstr(why, "lock"))
        return kl_fail(diag, KL_E_FILE, at, "another program has it open; try again later");
    if (strstr(why, "truncated"))
        return kl_fail(diag, KL_E_FILE, at, "is cut off: its end is missing (%s)", why);
    return kl_fail(diag, KL_E_FILE, at, "cannot be read: it is damaged or cut off (%s)", why);
}

/* A file in SWMR mode is read as such. One that is marked otherwise was left in the short visit
 * that writes the notes (a live writer locks it then, and we are refused). */
static kl_status open_file(kl_reader *r)
{
    bool marked = false, swmr = false;
    KL_TRY(look_at_start(r->path, r->diag, &marked, &swmr));
    hid_t fapl = access_list();
    if (marked && !swmr) ignore_marks(fapl);
    r->unfinished = marked || swmr;
    r->file       = H5Fopen(r->path, H5F_ACC_RDONLY | (swmr ? H5F_ACC_SWMR_READ : 0), fapl);
    H5Pclose(fapl);
    return r->file >= 0 ? KL_OK : cannot_open(r->path, r->diag);
}

static kl_status check_version(kl_reader *r)
{
    kl_place    at      = {.file = r->path};
    const char *format  = read_text_attribute(r->arena, r->file, "format");
    const char *version = read_text_attribute(r->arena, r->file, "version");
    int         major = -1, minor = -1;
    if (!format || strcmp(format, FORMAT) != 0)
        return kl_fail(r->diag, KL_E_FILE, at,
                       "is an HDF5 file, but not one of klingel's results (no attribute format = "
                       "\"%s\")",
                       FORMAT);
    if (!version || sscanf(version, "%d.%d", &major, &minor) != 2 || major < 1 || minor < 0)
        return kl_fail(r->diag, KL_E_FILE, at, "is damaged: its version is '%s'", text_of(version));
    if (major > KL_RESULTS_MAJOR)
        return kl_fail(r->diag, KL_E_VERSION, at,
                       "has format version %d.%d, this program reads up to %d.x; use a newer "
                       "klingel (the file was written by %s)",
                       major, minor, KL_RESULTS_MAJOR,
                       text_of(read_text_attribute(r->arena, r->file, "program")));
    return KL_OK;
}

/* A list of fixed-size texts: n pointers into one block, or NULL. */
static const char **read_texts(kl_reader *r, const char *name, int n)
{
    hid_t set = H5Dopen2(r->file, name, H5P_DEFAULT);
    if (set < 0) return NULL;
    hid_t        type = H5Dget_type(set), space = H5Dget_space(set);
    const char **texts = NULL;
    size_t       size  = H5Tget_size(type);
    bool fits = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && size > 0 &&
                size < LONGEST_TEXT / ((size_t)n + 1) && H5Sget_simple_extent_npoints(space) == n;
    hid_t memory = fits ? text_type(size + 1) : -1; /* one more: a zero at each end */
    char *block  = fits ? kl_arena_take_array(r->arena, (size_t)n, size + 1) : NULL;
    if (memory >= 0) H5Tset_cset(memory, H5Tget_cset(type));
    if (block && H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) >= 0)
        texts = kl_arena_array(r->arena, const char *, n);
    for (int i = 0; texts && i < n; i++) texts[i] = block + (size_t)i * (size + 1);
    if (memory >= 0) H5Tclose(memory);
    H5Sclose(space), H5Tclose(type), H5Dclose(set);
    return texts;
}

static int *read_ints(kl_reader *r, const char *name, int n)
{
    hid_t set = H5Dopen2(r->file, name, H5P_DEFAULT);
    if (set < 0) return NULL;
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    int  *values = NULL;
    if (H5Sget_simple_extent_npoints(space) == n && H5Tget_class(type) == H5T_INTEGER)
        values = kl_arena_array(r->arena, int, n);
    if (values && H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        values = NULL;
    H5Tclose(type), H5Sclose(space), H5Dclose(set);
    return values;
}

static kl_status read_catalogue(kl_reader *r, int ncolumn)
{
    int          n           = r->nchannel;
    const char **name        = read_texts(r, "channels/name", n);
    const char **unit        = read_texts(r, "channels/unit", n);
    const char **description = read_texts(r, "channels/description", n);
    int         *own         = read_ints(r, "channels/own", n);
    r->column                = read_ints(r, "channels/column", n);
    r->channels              = kl_arena_array(r->arena, kl_channel_info, n);
    r->by_name               = kl_arena_array(r->arena, int, n);
    if (!kl_arena_ok(r->arena)) return KL_E_MEMORY;
    if (!name || !unit || !description || !own || !r->column)
        return damaged(r, "its list of channels cannot be read");
    for (int i = 0; i < n; i++) {
        if (r->column[i] < 0 || r->column[i] >= ncolumn)
            return damaged(r, "its list of channels does not fit its table");
        r->channels[i] = (kl_channel_info){name[i], unit[i], description[i], own[i] != 0};
    }
    return KL_OK;
}

/* Sorts by heap: qsort has no way to hand the names to the comparison. */
static void sift(const kl_reader *r, int *order, int root, int n)
{
    for (int child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n &&
            strcmp(r->channels[order[child]].name, r->channels[order[child + 1]].name) < 0)
            child++;
        if (strcmp(r->channels[order[root]].name, r->channels[order[child]].name) >= 0) return;
        int t       = order[root];
        order[root] = order[child], order[child] = t;
    }
}

static void sort_names(kl_reader *r)
{
    int *order = r->by_name, n = r->nchannel;
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n / 2 - 1; i >= 0; i--) sift(r, order, i, n);
    for (int last = n - 1; last > 0; last--) {
        int t    = order[0];
        order[0] = order[last], order[last] = t;
        sift(r, order, 0, last);
    }
}

/* Sizes of the two tables; false when they are none. */
static bool table_size(const kl_reader *r, hsize_t *rows, hsize_t *ncolumn)
{
    hsize_t size[2] = {0, 0}, times[2] = {0, 0};
    hid_t   values = H5Dget_space(r->values), time = H5Dget_space(r->time);
    bool    good = H5Sget_simple_extent_ndims(values) == 2 && H5Sget_simple_extent_ndims(time) == 1;
    good         = good && H5Sget_simple_extent_dims(values, size, NULL) == 2 &&
           H5Sget_simple_extent_dims(time, times, NULL) == 1;
    if (values >= 0) H5Sclose(values);
    if (time >= 0) H5Sclose(time);
    *rows    = size[0] < times[0] ? size[0] : times[0];
    *ncolumn = size[1];
    return good && *rows <= INT_MAX && *ncolumn <= INT_MAX;
}

static bool get_cells(hid_t set, hsize_t row0, hsize_t nrow, int column0, int ncolumn,
                      double *values)
{
    bool    list  = ncolumn == 0;
    hsize_t at[2] = {row0, (hsize_t)column0}, part[2] = {nrow, (hsize_t)ncolumn};
    hid_t   file = H5Dget_space(set), memory = H5Screate_simple(list ? 1 : 2, part, NULL);
    herr_t  e = H5Sselect_hyperslab(file, H5S_SELECT_SET, at, NULL, part, NULL);
    if (e >= 0) e = H5Dread(set, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values);
    H5Sclose(memory), H5Sclose(file);
    return e >= 0;
}

/* Rows without a time at the end were begun by a run that was killed: they do not count. */
static kl_status count_rows(kl_reader *r)
{
    hsize_t rows = 0, ncolumn = 0;
    if (!table_size(r, &rows, &ncolumn)) return damaged(r, "its tables have the wrong shape");
    while (rows > 0) {
        double time;
        if (!get_cells(r->time, rows - 1, 1, 0, 0, &time))
            return damaged(r, "its times cannot be read");
        if (!isnan(time)) break;
        rows--;
    }
    r->rows = (int)rows;
    return KL_OK;
}

static hid_t open_table(hid_t file, const char *name)
{
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(dapl, 12421, CACHE_BYTES, 0.75);
    hid_t set = H5Dopen2(file, name, dapl);
    H5Pclose(dapl);
    if (set < 0) return -1;
    hid_t type = H5Dget_type(set);
    bool  good = H5Tget_class(type) == H5T_FLOAT;
    H5Tclose(type);
    if (good) return set;
    H5Dclose(set);
    return -1;
}

static kl_status open_objects(kl_reader *r)
{
    KL_TRY(open_file(r));
    KL_TRY(check_version(r));
    r->time   = open_table(r->file, "time");
    r->values = open_table(r->file, "values");
    if (r->time < 0 || r->values < 0) return damaged(r, "it has no tables of time and values");
    hsize_t rows = 0, ncolumn = 0;
    if (!table_size(r, &rows, &ncolumn)) return damaged(r, "its tables have the wrong shape");
    hid_t    names = H5Dopen2(r->file, "channels/name", H5P_DEFAULT);
    hid_t    space = names < 0 ? -1 : H5Dget_space(names);
    hssize_t n     = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    if (space >= 0) H5Sclose(space);
    if (names >= 0) H5Dclose(names);
    if (n < 1 || n > INT_MAX) return damaged(r, "its list of channels cannot be read");
    r->nchannel = (int)n;
    KL_TRY(read_catalogue(r, (int)ncolumn));
    sort_names(r);
    return count_rows(r);
}

kl_status kl_reader_open(const char *path, kl_diag *diag, kl_reader **out)
{
    *out            = NULL;
    kl_arena *arena = kl_arena_create();
    if (!arena) return KL_E_MEMORY;
    kl_reader *r = kl_arena_array(arena, kl_reader, 1);
    if (!r) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    *r      = (kl_reader){.arena = arena, .diag = diag, .file = -1, .time = -1, .values = -1};
    r->path = kl_arena_text(arena, path);

    kl_status status = KL_E_MEMORY;
    if (r->path) {
        visit v = enter();
        status  = open_objects(r);
        leave(v);
    }
    if (status != KL_OK) kl_reader_close(r);
    else *out = r;
    return status;
}

void kl_reader_close(kl_reader *r)
{
    if (!r) return;
    if (r->file >= 0) {
        visit v = enter();
        H5Fclose(r->file);
        leave(v);
    }
    kl_arena_destroy(r->arena);
}

int                    kl_reader_rows(const kl_reader *r) { return r->rows; }
int                    kl_reader_channels(const kl_reader *r) { return r->nchannel; }
const kl_channel_info *kl_reader_channel(const kl_reader *r, int i) { return &r->channels[i]; }
bool                   kl_reader_unfinished(const kl_reader *r) { return r->unfinished; }

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
    visit     v      = enter();
    bool      good   = H5Drefresh(r->time) >= 0 && H5Drefresh(r->values) >= 0;
    kl_status status = good ? count_rows(r) : damaged(r, "its tables cannot be read again");
    leave(v);
    return status;
}

kl_status kl_reader_time(kl_reader *r, double *time)
{
    if (r->rows == 0) return KL_OK;
    visit     v = enter();
    kl_status status =
        get_cells(r->time, 0, (hsize_t)r->rows, 0, 0, time) ? KL_OK : damaged(r, "its times");
    leave(v);
    return status;
}

kl_status kl_reader_column(kl_reader *r, int channel, double *values)
{
    return kl_reader_block(r, &channel, 1, 0, r->rows, values);
}

/* How many of the channels from i on stand side by side in the table. */
static int run_length(const kl_reader *r, const int *channels, int n, int i)
{
    int k = 1;
    while (i + k < n && r->column[channels[i + k]] == r->column[channels[i]] + k) k++;
    return k;
}

/* Neighbours are read together; each such run goes through one buffer unless it is all there is. */
static kl_status read_block(kl_reader *r, const int *channels, int n, int row0, int nrow,
                            double *values)
{
    int k = 0;
    for (int i = 0; i < n; i += k) {
        k             = run_length(r, channels, n, i);
        int     first = r->column[channels[i]];
        double *run   = values;
        if (k < n && !(run = malloc((size_t)nrow * (size_t)k * sizeof *run))) return KL_E_MEMORY;
        bool good = get_cells(r->values, (hsize_t)row0, (hsize_t)nrow, first, k, run);
        for (int row = 0; good && k < n && row < nrow; row++)
            memcpy(values + (size_t)row * (size_t)n + i, run + (size_t)row * (size_t)k,
                   (size_t)k * sizeof *run);
        if (k < n) free(run);
        if (!good) return damaged(r, "its values cannot be read");
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
                       "rows %d to %d of %d were asked for, or a channel that is not there", row0,
                       row0 + nrow, r->rows);
    if (nrow == 0 || nchannel == 0) return KL_OK;
    visit     v      = enter();
    kl_status status = read_block(r, channels, nchannel, row0, nrow, values);
    leave(v);
    return status;
}

static char *text_at(kl_reader *r, const char *group, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%.200s", group, name);
    if (H5Lexists(r->file, group, H5P_DEFAULT) <= 0) return NULL;
    if (H5Lexists(r->file, path, H5P_DEFAULT) <= 0) return NULL;
    hid_t set  = H5Dopen2(r->file, path, H5P_DEFAULT);
    char *text = set < 0 ? NULL : read_text(r->arena, set, false);
    if (set >= 0) H5Dclose(set);
    return text;
}

const char *kl_reader_text(kl_reader *r, const char *name)
{
    bool  attribute = strcmp(name, "program") == 0 || strcmp(name, "created") == 0;
    visit v         = enter();
    char *text      = attribute                    ? read_text_attribute(r->arena, r->file, name)
                      : strcmp(name, "model") == 0 ? text_at(r, "model", "text")
                                                   : text_at(r, "model", name);
    if (!text && !attribute) text = text_at(r, "run", name);
    leave(v);
    return text;
}

/* ---- repair ---- */

/* True when no other process holds a lock on the file: writers share one as long as they live. */
static bool nobody_there(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return true;
    bool alone = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    close(fd);
    return alone;
}

/* In SWMR mode the end that the first block tells is that of the start: opened for writing and
 * closed, the file would be cut there. So the end is moved to where the file really ends, and a bit
 * on, for a chunk that has its place but was not written yet. */
static kl_status clear_marks(const char *path, kl_diag *diag)
{
    hid_t fapl = access_list();
    ignore_marks(fapl);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, fapl);
    H5Pclose(fapl);
    if (file < 0) return cannot_open(path, diag);
    bool good = H5Fincrement_filesize(file, 1024 * 1024) >= 0;
    return end_file(file, good) ? KL_OK
                                : kl_fail(diag, KL_E_FILE, (kl_place){.file = path},
                                          "could not be repaired; is the disk full?");
}

static kl_status inspect(const char *path, kl_diag *diag, kl_repair_report *report)
{
    kl_reader *r      = NULL;
    kl_status  status = kl_reader_open(path, diag, &r);
    if (status != KL_OK) return status;
    *report = (kl_repair_report){.was_marked = r->unfinished, .rows = r->rows};
    visit v = enter();
    if (r->rows > 0 && !(get_cells(r->time, 0, 1, 0, 0, &report->first_time) &&
                         get_cells(r->time, (hsize_t)r->rows - 1, 1, 0, 0, &report->last_time)))
        status = damaged(r, "its times cannot be read");
    leave(v);
    kl_reader_close(r);
    return status;
}

kl_status kl_results_repair(const char *path, kl_diag *diag, kl_repair_report *report)
{
    KL_TRY(inspect(path, diag, report));
    if (!report->was_marked) return KL_OK;
    if (!nobody_there(path))
        return kl_fail(diag, KL_E_FILE, (kl_place){.file = path},
                       "a running process writes or reads it; nothing was changed");
    const note killed = {.name = "status", .text = "killed"};
    visit      v      = enter();
    kl_status  status = clear_marks(path, diag);
    if (status == KL_OK && !write_notes(path, &killed))
        status = kl_fail(diag, KL_E_FILE, (kl_place){.file = path},
                         "the note that its run was killed could not be added");
    leave(v);
    return status;
}
