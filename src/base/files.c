#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *kl_file_open(const char *path)
{
    struct stat about;
    int         fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe must not block here */
    if (fd < 0) return NULL;
    int   error = fstat(fd, &about) != 0      ? errno
                  : S_ISDIR(about.st_mode)    ? EISDIR
                  : !S_ISREG(about.st_mode)   ? ESPIPE
                  : fcntl(fd, F_SETFL, 0) < 0 ? errno
                                              : 0;
    FILE *f     = error == 0 ? fdopen(fd, "rb") : NULL;
    if (f) return f;
    if (error == 0) error = errno;
    close(fd);
    errno = error;
    return NULL;
}

const char *kl_file_reason(int error)
{
    static const struct {
        int         error;
        const char *reason;
    } known[] = {
        {ENOENT, "there is no such file or folder; check the name"},
        {EISDIR, "this is a folder; name a file in it"},
        {EACCES, "no permission to use this file; change its permissions"},
        {ESPIPE, "this is a pipe or a device; give an ordinary file"},
        {ENOSPC, "the disk is full; free some space"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].error == error) return known[i].reason;
    return strerror(error);
}

bool kl_new_file_open(kl_new_file *f, const char *path)
{
    struct stat about;
    *f = (kl_new_file){0};
    if (snprintf(f->path, sizeof f->path, "%s", path) >= (int)sizeof f->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return false;
    }
    bool direct = there && !S_ISREG(about.st_mode);
    if (direct) snprintf(f->part, sizeof f->part, "%s", path);
    else snprintf(f->part, sizeof f->part, "%s.%ld.part", path, (long)getpid());
    f->stream = fopen(f->part, direct ? "wb" : "w+b"); /* figures are read back to check them */
    return f->stream != NULL;
}

void kl_new_file_discard(kl_new_file *f)
{
    if (f->stream) fclose(f->stream);
    f->stream = NULL;
    if (f->part[0] && strcmp(f->part, f->path) != 0) unlink(f->part);
}

bool kl_new_file_close(kl_new_file *f)
{
    bool  good   = fflush(f->stream) == 0 && !ferror(f->stream);
    int   error  = good ? 0 : errno ? errno : EIO;
    FILE *stream = f->stream;
    f->stream    = NULL;
    if (fclose(stream) != 0 && good) good = false, error = errno;
    if (good && strcmp(f->part, f->path) != 0 && rename(f->part, f->path) != 0)
        good = false, error = errno;
    if (good) return true;
    kl_new_file_discard(f);
    errno = error;
    return false;
}
