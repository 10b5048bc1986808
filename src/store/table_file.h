/* What the files of lookup tables share: they appear under their name when they are whole, and say
 * what they are and which version. */
#ifndef KL_STORE_TABLE_FILE_H
#define KL_STORE_TABLE_FILE_H

#include "base/diag.h"
#include "store/h5.h"

typedef struct kl_table_file {
    kl_h5      *file;
    const char *path, *part; /* final name; where it is made */
} kl_table_file;

kl_status kl_table_file_begin(kl_table_file *t, const char *path, kl_arena *arena, kl_diag *diag);

/* Closes; with KL_OK the file takes its name, otherwise it goes away. Failures of writing are reported
 * here; returns `status` or what went wrong. */
kl_status kl_table_file_end(kl_table_file *t, kl_status status, kl_diag *diag);

/* Attributes format, version and program. */
bool kl_table_file_stamp(kl_h5 *f, const char *format, int major, int minor);

/* Opens a file that must carry `format` in a version up to `major`. `word`: "a track". */
kl_status kl_table_file_open(const char *path, const char *format, const char *word, int major,
                             kl_arena *arena, kl_diag *diag, kl_h5 **out);

#endif
