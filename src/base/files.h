/* One way to open an input, one way to write a file. */
#ifndef KL_BASE_FILES_H
#define KL_BASE_FILES_H

#include <stdbool.h>
#include <stdio.h>

/* Opens an ordinary file for reading. NULL: errno says why; a pipe or a device, which could keep the
 * program waiting for ever, gives ESPIPE, a folder EISDIR. */
FILE *kl_file_open(const char *path);

/* What an error number of the above means for the user, and what to do. */
const char *kl_file_reason(int error);

/* A file that appears whole or not at all: it is written beside its name and renamed at the end. A
 * device or a pipe is written to directly. */
typedef struct kl_new_file {
    char  path[4096], part[4128];
    FILE *stream;
} kl_new_file;

/* False: errno says why, nothing was made. */
bool kl_new_file_open(kl_new_file *f, const char *path);
/* Flushes, closes and renames. False: errno says why; the old file, if any, is as it was. */
bool kl_new_file_close(kl_new_file *f);
/* Removes what was written. */
void kl_new_file_discard(kl_new_file *f);

#endif
