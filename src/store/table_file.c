#include "store/table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

kl_status kl_table_file_begin(kl_table_file *t, const char *path, kl_arena *arena, kl_diag *diag)
{
    kl_place    at = {.file = path};
    struct stat s;
    char        why[KL_H5_WHY] = "";
    *t                         = (kl_table_file){.path = kl_arena_text(arena, path)};
    t->part                    = kl_arena_format(arena, "%s.%ld.part", path, (long)getpid());
    if (!t->path || !t->part) return KL_E_MEMORY;
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return kl_fail(diag, KL_E_FILE, at, "is not a regular file; give another name");
    t->file = kl_h5_create(t->part, why);
    if (t->file) return KL_OK;
    unlink(t->part);
    return kl_fail(diag, KL_E_FILE, at, "cannot be created: %s", why);
}

kl_status kl_table_file_end(kl_table_file *t, kl_status status, kl_diag *diag)
{
    kl_place at             = {.file = t->path};
    char     why[KL_H5_WHY] = "";
    bool     broken         = status == KL_E_FILE;
    if (broken) snprintf(why, sizeof why, "%s", kl_h5_error_text(t->file));
    bool closed = kl_h5_close(t->file, broken ? (char[KL_H5_WHY]){0} : why);
    if (status == KL_OK && !closed) status = KL_E_FILE, broken = true;
    if (status == KL_OK && rename(t->part, t->path) != 0) {
        snprintf(why, sizeof why, "%s", kl_file_reason(errno));
        status = KL_E_FILE, broken = true;
    }
    if (status == KL_OK) return KL_OK;
    unlink(t->part);
    return broken ? kl_fail(diag, KL_E_FILE, at, "could not be written: %s", why) : status;
}

bool kl_table_file_stamp(kl_h5 *f, const char *format, int major, int minor)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d", major, minor);
    return kl_h5_write_attribute(f, "/", "format", format) &&
           kl_h5_write_attribute(f, "/", "version", version) &&
           kl_h5_write_attribute(f, "/", "program", "klingel " KL_VERSION);
}

static kl_status check_stamp(kl_h5 *f, const char *path, const char *format, const char *word,
                             int major, kl_arena *arena, kl_diag *diag)
{
    kl_place    at    = {.file = path};
    const char *is    = kl_h5_read_attribute(f, "/", "format", arena);
    const char *which = kl_h5_read_attribute(f, "/", "version", arena);
    int         has = 0, minor = 0;
    if (!is || strcmp(is, format) != 0)
        return kl_fail(diag, KL_E_FILE, at, "is not %s file (its format is '%s', not '%s')", word,
                       is ? is : "", format);
    if (!which || sscanf(which, "%d.%d", &has, &minor) != 2 || has < 1 || minor < 0)
        return kl_fail(diag, KL_E_FILE, at, "is damaged: its version is '%s'", which ? which : "");
    if (has > major)
        return kl_fail(
            diag, KL_E_VERSION, at,
            "has format version %d.%d, this program reads up to %d.x; use a newer klingel", has,
            minor, major);
    return KL_OK;
}

kl_status kl_table_file_open(const char *path, const char *format, const char *word, int major,
                             kl_arena *arena, kl_diag *diag, kl_h5 **out)
{
    kl_place    at = {.file = path};
    kl_h5_start start;
    char        why[KL_H5_WHY] = "";
    *out                       = NULL;
    if (!kl_h5_probe(path, &start))
        return kl_fail(diag, KL_E_FILE, at, "cannot be opened: %s", kl_file_reason(errno));
    if (!start.is_h5)
        return kl_fail(diag, KL_E_FILE, at, "is not %s file (it is not an HDF5 file)", word);
    kl_h5 *f = kl_h5_open(path, KL_H5_READ, why);
    if (!f) return kl_fail(diag, KL_E_FILE, at, "cannot be opened: %s", why);
    kl_status status = check_stamp(f, path, format, word, major, arena, diag);
    if (status == KL_OK) *out = f;
    else kl_h5_close(f, why);
    return status;
}
