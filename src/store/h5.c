/* The only file that includes HDF5 (1.10 or newer). First the door itself, then the file driver,
 * then files, texts and tables. */
#include "store/h5.h"

#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <hdf5.h>

enum {
    CACHE_BYTES  = 16 * 1024 * 1024,
    CACHE_SLOTS  = 12421, /* a prime, about a hundred times the chunks that fit */
    LONGEST_TEXT = 1 << 30,
    AFTER_END    = 1024 * 1024, /* a chunk may have its place but not be written yet */
    /* A part whose checksum is wrong may be half written by a live run, so HDF5 reads it again,
     * after 1, 2, 4, ... ns: 2^25 ns = 34 ms in all. Its own 100 attempts never end at a part that
     * a killed run left half written. */
    READ_ATTEMPTS = 25,
};

struct kl_h5 {
    hid_t id, driver;
    int   error; /* errno of the first write that failed; the driver sets it */
    bool  guarded;
    char  why[KL_H5_WHY];
};

/* ---- the door: one call at a time, and no printing ---- */

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER; /* guards all of HDF5, and: */
static bool            met_damage;                       /* HDF5 failed to read something */

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

/* HDF5 leaks its own memory on damaged files and prints errors at the exit of the program: they are
 * switched off. */
static void leave(visit v)
{
    if (!met_damage) H5Eset_auto2(H5E_DEFAULT, v.print, v.data);
    pthread_mutex_unlock(&door);
}

static herr_t first_error(unsigned n, const H5E_error2_t *e, void *text)
{
    if (n == 0) snprintf(text, KL_H5_WHY, "%s", e->desc ? e->desc : "");
    return 0;
}

/* Why the last call failed: the system's word when a write failed, otherwise HDF5's. */
static void find_reason(int error, char why[KL_H5_WHY])
{
    snprintf(why, KL_H5_WHY, "%s", error ? kl_file_reason(error) : "no reason given");
    if (error) return;
    if (H5Eget_num(H5E_DEFAULT) > 0) met_damage = true;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_error, why);
}

/* Ends a visit to a file: what failed is kept in words. */
static bool finish(kl_h5 *f, visit v, bool good)
{
    good = good && f->error == 0;
    if (!good) find_reason(f->error, f->why);
    leave(v);
    return good;
}

/* ---- the driver: plain reads and writes, errors of writing kept to itself ---- */

typedef struct driver_file {
    H5FD_t  base; /* HDF5's part, must be first */
    int     fd;
    bool    writable;
    haddr_t eoa, eof; /* end of what HDF5 uses; end of what was written */
    dev_t   device;
    ino_t   inode;
    int    *error; /* of the kl_h5 */
} driver_file;

typedef struct driver_info {
    int *error;
} driver_info;

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t most)
{
    (void)most;
    const driver_info *info = H5Pget_driver_info(fapl);
    int                how  = flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY;
    if (flags & H5F_ACC_TRUNC) how |= O_TRUNC;
    if (flags & H5F_ACC_CREAT) how |= O_CREAT;
    if (flags & H5F_ACC_EXCL) how |= O_EXCL;
    driver_file *f  = calloc(1, sizeof *f);
    int          fd = f && info ? open(name, how | O_CLOEXEC, 0666) : -1;
    struct stat  s;
    if (fd < 0 || fstat(fd, &s) != 0) {
        if (info) *info->error = errno;
        if (fd >= 0) close(fd);
        free(f);
        return NULL;
    }
    *info->error = 0; /* HDF5 looks for an old file before it makes a new one */
    f->fd        = fd;
    f->writable  = (flags & H5F_ACC_RDWR) != 0;
    f->eof       = (haddr_t)s.st_size;
    f->device    = s.st_dev;
    f->inode     = s.st_ino;
    f->error     = info->error;
    return &f->base;
}

static herr_t driver_close(H5FD_t *base)
{
    driver_file *f = (driver_file *)base;
    if (close(f->fd) != 0 && f->writable && *f->error == 0) *f->error = errno;
    free(f);
    return 0;
}

static int driver_compare(const H5FD_t *a, const H5FD_t *b)
{
    const driver_file *f = (const driver_file *)a, *g = (const driver_file *)b;
    if (f->device != g->device) return f->device < g->device ? -1 : 1;
    return f->inode == g->inode ? 0 : f->inode < g->inode ? -1 : 1;
}

static herr_t driver_query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)base)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t eoa)
{
    (void)type;
    ((driver_file *)base)->eoa = eoa;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)base)->eof;
}

/* What lies behind the end reads as zeros. */
static herr_t driver_read(H5FD_t *base, H5FD_mem_t type, hid_t list, haddr_t at, size_t n, void *to)
{
    (void)type, (void)list;
    const driver_file *f = (const driver_file *)base;
    char              *p = to;
    while (n > 0) {
        ssize_t got = pread(f->fd, p, n, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        p += got, at += (haddr_t)got, n -= (size_t)got;
    }
    memset(p, 0, n);
    return 0;
}

/* After the first failure nothing is written any more: the file keeps its last good state. */
static herr_t driver_write(H5FD_t *base, H5FD_mem_t type, hid_t list, haddr_t at, size_t n,
                           const void *from)
{
    (void)type, (void)list;
    driver_file *f   = (driver_file *)base;
    const char  *p   = from;
    haddr_t      end = at + n;
    while (n > 0 && *f->error == 0) {
        ssize_t put = pwrite(f->fd, p, n, (off_t)at);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) *f->error = errno ? errno : EIO;
        else p += put, at += (haddr_t)put, n -= (size_t)put;
    }
    if (end > f->eof) f->eof = end;
    return 0;
}

static herr_t driver_truncate(H5FD_t *base, hid_t list, hbool_t closing)
{
    (void)list, (void)closing;
    driver_file *f = (driver_file *)base;
    if (f->eoa == f->eof) return 0;
    if (*f->error == 0 && ftruncate(f->fd, (off_t)f->eoa) != 0) *f->error = errno;
    f->eof = f->eoa;
    return 0;
}

/* Readers hold no lock, or a run could not end while somebody looks on; they only see to it that
 * nobody is in the short visit of the end, for which they wait. File systems that cannot lock are
 * accepted. */
static herr_t driver_lock(H5FD_t *base, hbool_t writing)
{
    const driver_file    *f      = (const driver_file *)base;
    const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
    for (int i = 0; i < 50; i++) {
        if (flock(f->fd, (writing ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0) {
            if (!f->writable) flock(f->fd, LOCK_UN);
            return 0;
        }
        if (errno != EWOULDBLOCK) return 0;
        nanosleep(&moment, NULL);
    }
    return -1;
}

/* HDF5 gives its lock back when SWMR mode starts. A writer keeps a shared one, as a sign of life:
 * readers share it, and a repair is refused. */
static herr_t driver_unlock(H5FD_t *base)
{
    const driver_file *f = (const driver_file *)base;
    flock(f->fd, f->writable ? LOCK_SH : LOCK_UN);
    return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 2)
    .version = H5FD_CLASS_VERSION,
    .value   = 600, /* of the range left to programs that are not registered */
#endif
    .name      = "klingel",
    .maxaddr   = ((haddr_t)1 << 62),
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(driver_info),
    .open      = driver_open,
    .close     = driver_close,
    .cmp       = driver_compare,
    .query     = driver_query,
    .get_eoa   = driver_get_eoa,
    .set_eoa   = driver_set_eoa,
    .get_eof   = driver_get_eof,
    .read      = driver_read,
    .write     = driver_write,
    .truncate  = driver_truncate,
    .lock      = driver_lock,
    .unlock    = driver_unlock,
    .fl_map    = H5FD_FLMAP_DICHOTOMY,
};

/* ---- files ---- */

/* The layout that SWMR needs; what is open in a file is closed with it. The driver is registered
 * for each file, so that nothing of it outlives the file. */
static hid_t access_list(kl_h5 *f)
{
    driver_info info = {&f->error};
    hid_t       fapl = H5Pcreate(H5P_FILE_ACCESS);
    f->driver        = H5FDregister(&driver);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG);
    H5Pset_driver(fapl, f->driver, &info);
    return fapl;
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

/* Signature, version, two sizes, and in version 3 the flags "open for writing" (1) and "open for
 * SWMR writing" (4). HDF5 file format specification, II.A. */
bool kl_h5_probe(const char *path, kl_h5_start *start)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char              bytes[12]    = {0};
    *start                                  = (kl_h5_start){0};
    FILE *f                                 = kl_file_open(path);
    if (!f) return false;
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    start->empty  = n == 0;
    start->is_h5  = n == sizeof bytes && memcmp(bytes, signature, sizeof signature) == 0;
    start->marked = start->is_h5 && bytes[8] >= 3 && (bytes[11] & 1) != 0;
    start->swmr   = start->is_h5 && bytes[8] >= 3 && (bytes[11] & 4) != 0;
    return true;
}

bool kl_h5_has_no_writer(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return true;
    bool alone = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    close(fd);
    return alone;
}

/* Ends the visit that opens a file: it stays, or all of it goes. */
static kl_h5 *opened(kl_h5 *f, visit v, hid_t access, bool good, char why[KL_H5_WHY])
{
    good = good && f->error == 0;
    if (!good) find_reason(f->error, why); /* before another call takes HDF5's memory of it */
    H5Pclose(access);
    if (good) {
        leave(v);
        return f;
    }
    if (f->id >= 0) H5Fclose(f->id);
    H5FDunregister(f->driver);
    leave(v);
    free(f);
    return NULL;
}

kl_h5 *kl_h5_create(const char *path, char why[KL_H5_WHY])
{
    kl_h5 *f = calloc(1, sizeof *f);
    snprintf(why, KL_H5_WHY, "out of memory");
    if (!f) return NULL;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666); /* HDF5 forgets why this fails */
    if (fd < 0) {
        snprintf(why, KL_H5_WHY, "%s", kl_file_reason(errno));
        free(f);
        return NULL;
    }
    close(fd);
    visit v    = enter();
    hid_t fapl = access_list(f);
    f->id      = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    return opened(f, v, fapl, f->id >= 0, why);
}

/* In SWMR mode the end that the first block shows is that of the start: opened for writing and
 * closed, the file would be cut there. So it is first moved to where the file really ends, and on.
 */
static bool move_end(hid_t file) { return H5Fincrement_filesize(file, AFTER_END) >= 0; }

kl_h5 *kl_h5_open(const char *path, kl_h5_mode mode, char why[KL_H5_WHY])
{
    const unsigned flags[] = {
        [KL_H5_READ] = H5F_ACC_RDONLY,   [KL_H5_FOLLOW] = H5F_ACC_RDONLY | H5F_ACC_SWMR_READ,
        [KL_H5_RESCUE] = H5F_ACC_RDONLY, [KL_H5_CHANGE] = H5F_ACC_RDWR,
        [KL_H5_REPAIR] = H5F_ACC_RDWR,
    };
    kl_h5 *f = calloc(1, sizeof *f);
    snprintf(why, KL_H5_WHY, "out of memory");
    if (!f) return NULL;
    visit v    = enter();
    hid_t fapl = access_list(f);
    if (mode == KL_H5_RESCUE || mode == KL_H5_REPAIR) ignore_marks(fapl);
    if (mode == KL_H5_FOLLOW) H5Pset_metadata_read_attempts(fapl, READ_ATTEMPTS);
    f->id = H5Fopen(path, flags[mode], fapl);
    return opened(f, v, fapl, f->id >= 0 && (mode != KL_H5_REPAIR || move_end(f->id)), why);
}

bool kl_h5_close(kl_h5 *f, char why[KL_H5_WHY])
{
    if (!f) return true;
    visit v      = enter();
    bool  closed = H5Fclose(f->id) >= 0;
    H5FDunregister(f->driver);
    bool good = finish(f, v, closed);
    snprintf(why, KL_H5_WHY, "%s", f->why);
    free(f);
    return good;
}

bool        kl_h5_failed(const kl_h5 *f) { return f->error != 0; }
const char *kl_h5_error_text(kl_h5 *f) { return f->why; }

bool kl_h5_start_swmr(kl_h5 *f)
{
    visit v = enter();
    return finish(f, v, H5Fstart_swmr_write(f->id) >= 0);
}

/* ---- texts and numbers ---- */

static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size > 0 ? size : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

void kl_h5_guard(kl_h5 *f) { f->guarded = true; }

/* How an array is laid out: as one block, or in a guarded file in chunks of about 1 MB, each with a
 * checksum that HDF5 compares when it is read. */
static hid_t layout(const kl_h5 *f, hid_t type, int rank, const hsize_t *dims)
{
    enum { CHUNK = 1 << 20 };
    hid_t   made     = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[8] = {0}, row = H5Tget_size(type);
    for (int i = 0; i < rank; i++) chunk[i] = dims[i];
    for (int i = 1; i < rank; i++) row *= dims[i];
    if (!f->guarded || rank < 1 || row == 0 || dims[0] == 0 || row > UINT32_MAX / 2) return made;
    hsize_t most = row < CHUNK ? CHUNK / row : 1, parts = (dims[0] + most - 1) / most;
    chunk[0] = (dims[0] + parts - 1) / parts; /* alike, so that the last one wastes no room */
    H5Pset_chunk(made, rank, chunk);
    H5Pset_fletcher32(made);
    return made;
}

/* A new dataset with its groups, written whole. rank 0: a scalar. */
static bool write_whole(kl_h5 *f, const char *name, hid_t type, hid_t memory, int rank,
                        const int *size, const void *values)
{
    hsize_t dims[8] = {0};
    for (int i = 0; i < rank && i < 8; i++) dims[i] = (hsize_t)(size[i] > 0 ? size[i] : 0);
    hid_t links = H5Pcreate(H5P_LINK_CREATE), made = layout(f, type, rank, dims);
    H5Pset_create_intermediate_group(links, 1);
    hid_t  space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, dims, NULL);
    hid_t  set   = H5Dcreate2(f->id, name, type, space, links, made, H5P_DEFAULT);
    herr_t e     = set < 0 ? -1 : H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space), H5Pclose(links), H5Pclose(made);
    return e >= 0;
}

bool kl_h5_write_text(kl_h5 *f, const char *name, const char *text)
{
    visit v    = enter();
    hid_t type = text_type(strlen(text));
    if (H5Lexists(f->id, name, H5P_DEFAULT) > 0) H5Ldelete(f->id, name, H5P_DEFAULT);
    bool good = write_whole(f, name, type, type, 0, NULL, text);
    H5Tclose(type);
    return finish(f, v, good);
}

bool kl_h5_write_texts(kl_h5 *f, const char *name, const char *const *texts, int n)
{
    size_t longest = 1;
    for (int i = 0; i < n; i++)
        if (strlen(texts[i]) > longest) longest = strlen(texts[i]);
    char *block = calloc((size_t)n + 1, longest);
    if (!block) return false;
    for (int i = 0; i < n; i++) memcpy(block + (size_t)i * longest, texts[i], strlen(texts[i]));
    visit v    = enter();
    hid_t type = text_type(longest);
    bool  good = write_whole(f, name, type, type, 1, &n, block);
    H5Tclose(type);
    free(block);
    return finish(f, v, good);
}

bool kl_h5_write_ints(kl_h5 *f, const char *name, const int *values, int n)
{
    visit v = enter();
    return finish(f, v, write_whole(f, name, H5T_STD_I32LE, H5T_NATIVE_INT, 1, &n, values));
}

bool kl_h5_write_doubles(kl_h5 *f, const char *name, const double *values, int rank,
                         const int *size)
{
    visit v = enter();
    return finish(f, v,
                  write_whole(f, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, rank, size, values));
}

bool kl_h5_write_floats(kl_h5 *f, const char *name, const float *values, int rank, const int *size)
{
    visit v = enter();
    return finish(f, v, write_whole(f, name, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, rank, size, values));
}

static void *read_array(kl_h5 *f, const char *name, int64_t n, hid_t memory, size_t bytes,
                        kl_arena *arena)
{
    visit v      = enter();
    hid_t set    = H5Dopen2(f->id, name, H5P_DEFAULT);
    void *values = NULL;
    if (set >= 0) {
        hid_t space = H5Dget_space(set), type = H5Dget_type(set);
        if (H5Sget_simple_extent_npoints(space) == n && H5Tget_class(type) == H5T_FLOAT)
            values = kl_arena_take_array(arena, (size_t)n, bytes);
        if (values && n > 0 && H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
            values = NULL;
        H5Tclose(type), H5Sclose(space), H5Dclose(set);
    }
    finish(f, v, values != NULL);
    return values;
}

double *kl_h5_read_doubles(kl_h5 *f, const char *name, int64_t n, kl_arena *arena)
{
    return read_array(f, name, n, H5T_NATIVE_DOUBLE, sizeof(double), arena);
}

float *kl_h5_read_floats(kl_h5 *f, const char *name, int64_t n, kl_arena *arena)
{
    return read_array(f, name, n, H5T_NATIVE_FLOAT, sizeof(float), arena);
}

bool kl_h5_make_group(kl_h5 *f, const char *name)
{
    visit v     = enter();
    hid_t group = H5Gcreate2(f->id, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group >= 0) H5Gclose(group);
    return finish(f, v, group >= 0);
}

bool kl_h5_write_attribute(kl_h5 *f, const char *name, const char *key, const char *text)
{
    visit v    = enter();
    hid_t type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    hid_t a =
        H5Acreate_by_name(f->id, name, key, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    herr_t e = a < 0 ? -1 : H5Awrite(a, type, text);
    if (a >= 0) H5Aclose(a);
    H5Sclose(space), H5Tclose(type);
    return finish(f, v, e >= 0);
}

static bool is_fixed_text(hid_t type)
{
    return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
           H5Tget_size(type) > 0 && H5Tget_size(type) <= LONGEST_TEXT;
}

char *kl_h5_read_attribute(kl_h5 *f, const char *name, const char *key, kl_arena *arena)
{
    visit v = enter();
    hid_t a = -1;
    if (H5Aexists_by_name(f->id, name, key, H5P_DEFAULT) > 0)
        a = H5Aopen_by_name(f->id, name, key, H5P_DEFAULT, H5P_DEFAULT);
    char *text = NULL;
    if (a >= 0) {
        hid_t type = H5Aget_type(a), space = H5Aget_space(a);
        if (is_fixed_text(type) && H5Sget_simple_extent_npoints(space) == 1)
            text = kl_arena_take(arena, H5Tget_size(type) + 1);
        if (text && H5Aread(a, type, text) < 0) text = NULL;
        H5Sclose(space), H5Tclose(type), H5Aclose(a);
    }
    finish(f, v, text != NULL);
    return text;
}

/* The n texts of a dataset, each ended by a zero, `stride` bytes apart. */
static char *read_texts(hid_t file, const char *name, int n, size_t *stride, kl_arena *arena)
{
    hid_t set = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    if (set < 0) return NULL;
    hid_t  type = H5Dget_type(set), space = H5Dget_space(set), memory = -1;
    char  *block = NULL;
    size_t size  = H5Tget_size(type);
    if (is_fixed_text(type) && H5Sget_simple_extent_npoints(space) == n &&
        size < LONGEST_TEXT / ((size_t)n + 1)) {
        *stride = size + 1;
        memory  = text_type(size + 1);
        H5Tset_cset(memory, H5Tget_cset(type));
        block = kl_arena_take_array(arena, (size_t)n, size + 1);
        if (block && H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) < 0) block = NULL;
        H5Tclose(memory);
    }
    H5Sclose(space), H5Tclose(type), H5Dclose(set);
    return block;
}

char *kl_h5_read_text(kl_h5 *f, const char *name, kl_arena *arena)
{
    size_t stride;
    visit  v    = enter();
    char  *text = read_texts(f->id, name, 1, &stride, arena);
    finish(f, v, text != NULL);
    return text;
}

const char **kl_h5_read_texts(kl_h5 *f, const char *name, int n, kl_arena *arena)
{
    size_t       stride = 0;
    visit        v      = enter();
    char        *block  = read_texts(f->id, name, n, &stride, arena);
    const char **texts  = block ? kl_arena_array(arena, const char *, n) : NULL;
    for (int i = 0; texts && i < n; i++) texts[i] = block + (size_t)i * stride;
    finish(f, v, texts != NULL);
    return texts;
}

int *kl_h5_read_ints(kl_h5 *f, const char *name, int n, kl_arena *arena)
{
    visit v      = enter();
    hid_t set    = H5Dopen2(f->id, name, H5P_DEFAULT);
    int  *values = NULL;
    if (set >= 0) {
        hid_t space = H5Dget_space(set), type = H5Dget_type(set);
        if (H5Sget_simple_extent_npoints(space) == n && H5Tget_class(type) == H5T_INTEGER)
            values = kl_arena_array(arena, int, n);
        if (values && H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
            values = NULL;
        H5Tclose(type), H5Sclose(space), H5Dclose(set);
    }
    finish(f, v, values != NULL);
    return values;
}

int kl_h5_count(kl_h5 *f, const char *name)
{
    visit    v     = enter();
    hid_t    set   = H5Dopen2(f->id, name, H5P_DEFAULT);
    hid_t    space = set < 0 ? -1 : H5Dget_space(set);
    hssize_t n     = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    bool good = n >= 0 && n <= INT_MAX;
    finish(f, v, good);
    return good ? (int)n : -1;
}

static const char *member_name(hid_t group, hsize_t i, kl_arena *arena)
{
    ssize_t size =
        H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    char *name = size > 0 && size < LONGEST_TEXT ? kl_arena_take(arena, (size_t)size + 1) : NULL;
    if (!name) return NULL;
    size = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, (size_t)size + 1,
                              H5P_DEFAULT);
    return size > 0 ? name : NULL;
}

const char **kl_h5_list(kl_h5 *f, const char *group, int *n, kl_arena *arena)
{
    visit        v    = enter();
    hid_t        g    = H5Gopen2(f->id, group, H5P_DEFAULT);
    H5G_info_t   info = {0};
    const char **list = NULL;
    *n                = 0;
    if (g >= 0 && H5Gget_info(g, &info) >= 0 && info.nlinks > 0 && info.nlinks < 100000)
        list = kl_arena_array(arena, const char *, info.nlinks);
    for (hsize_t i = 0; list && i < info.nlinks; i++) {
        list[*n] = member_name(g, i, arena);
        *n += list[*n] != NULL;
    }
    if (g >= 0) H5Gclose(g);
    finish(f, v, true);
    return list;
}

/* ---- tables ---- */

static hid_t table_access(void)
{
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(dapl, CACHE_SLOTS, CACHE_BYTES, 0.75);
    return dapl;
}

bool kl_h5_create_table(kl_h5 *f, const char *name, int ncolumn, int chunk_rows, int chunk_columns,
                        kl_h5_table *out)
{
    int     rank    = ncolumn > 0 ? 2 : 1;
    hsize_t size[2] = {0, (hsize_t)ncolumn}, most[2] = {H5S_UNLIMITED, (hsize_t)ncolumn};
    hsize_t chunk[2] = {(hsize_t)chunk_rows, (hsize_t)chunk_columns};
    double  absent   = (double)NAN;
    visit   v        = enter();
    hid_t   space = H5Screate_simple(rank, size, most), made = H5Pcreate(H5P_DATASET_CREATE);
    hid_t   dapl = table_access(), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    H5Pset_chunk(made, rank, chunk);
    H5Pset_fill_value(made, H5T_NATIVE_DOUBLE, &absent);
    *out    = (kl_h5_table){.ncolumn = ncolumn};
    out->id = H5Dcreate2(f->id, name, H5T_IEEE_F64LE, space, links, made, dapl);
    H5Pclose(links), H5Pclose(dapl), H5Pclose(made), H5Sclose(space);
    return finish(f, v, out->id >= 0);
}

/* Shape of a table as it is now; false when it is none. */
static bool shape(hid_t set, hsize_t size[2])
{
    hid_t space = H5Dget_space(set);
    int   rank  = H5Sget_simple_extent_ndims(space);
    size[1]     = 0;
    bool good   = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, size, NULL) == rank;
    if (space >= 0) H5Sclose(space);
    return good && size[0] <= INT_MAX && size[1] <= INT_MAX;
}

bool kl_h5_open_table(kl_h5 *f, const char *name, kl_h5_table *out)
{
    visit   v       = enter();
    hid_t   dapl    = table_access();
    hsize_t size[2] = {0, 0};
    out->id         = H5Dopen2(f->id, name, dapl);
    H5Pclose(dapl);
    bool good = out->id >= 0 && shape(out->id, size);
    if (good) {
        hid_t type = H5Dget_type(out->id);
        good       = H5Tget_class(type) == H5T_FLOAT;
        H5Tclose(type);
    }
    out->ncolumn = (int)size[1];
    return finish(f, v, good);
}

bool kl_h5_rows(kl_h5 *f, kl_h5_table t, int *rows)
{
    hsize_t size[2] = {0, 0};
    visit   v       = enter();
    bool    good    = shape(t.id, size);
    *rows           = (int)size[0];
    return finish(f, v, good);
}

bool kl_h5_refresh(kl_h5 *f, kl_h5_table t)
{
    visit v = enter();
    return finish(f, v, H5Drefresh(t.id) >= 0);
}

/* Selects part of a table and moves it from or to memory. */
static bool transfer(kl_h5_table t, const hsize_t at[2], const hsize_t part[2], const double *from,
                     double *to)
{
    hid_t  file = H5Dget_space(t.id), memory = H5Screate_simple(t.ncolumn > 0 ? 2 : 1, part, NULL);
    herr_t e = H5Sselect_hyperslab(file, H5S_SELECT_SET, at, NULL, part, NULL);
    if (e >= 0)
        e = from ? H5Dwrite(t.id, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, from)
                 : H5Dread(t.id, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, to);
    H5Sclose(memory), H5Sclose(file);
    return e >= 0;
}

bool kl_h5_put(kl_h5 *f, kl_h5_table t, int64_t row0, int nrow, const double *values)
{
    hsize_t at[2] = {(hsize_t)row0, 0}, part[2] = {(hsize_t)nrow, (hsize_t)t.ncolumn};
    hsize_t size[2] = {at[0] + part[0], part[1]};
    visit   v       = enter();
    bool    good    = H5Dset_extent(t.id, size) >= 0 && transfer(t, at, part, values, NULL);
    return finish(f, v, good);
}

bool kl_h5_change_column(kl_h5 *f, kl_h5_table t, int row0, int nrow, int column,
                         const double *values)
{
    hsize_t at[2] = {(hsize_t)row0, (hsize_t)column}, part[2] = {(hsize_t)nrow, 1};
    visit   v = enter();
    return finish(f, v, transfer(t, at, part, values, NULL));
}

bool kl_h5_flush(kl_h5 *f, kl_h5_table t)
{
    visit v = enter();
    return finish(f, v, H5Dflush(t.id) >= 0);
}

bool kl_h5_get(kl_h5 *f, kl_h5_table t, int row0, int nrow, int column0, int ncolumn,
               double *values)
{
    hsize_t at[2] = {(hsize_t)row0, (hsize_t)column0}, part[2] = {(hsize_t)nrow, (hsize_t)ncolumn};
    visit   v = enter();
    return finish(f, v, transfer(t, at, part, NULL, values));
}
