/* Files of wheel and rail profiles: two columns of numbers, Simpack (.prw, .prr), MiniProf (.whl,
 * .ban). Points come out as they are written, in the file's own axes and order; what the file says
 * about units and mirroring comes along. */
#ifndef KL_STORE_PROFILE_FILE_H
#define KL_STORE_PROFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

typedef enum kl_profile_format {
    KL_PROFILE_COLUMNS,
    KL_PROFILE_SIMPACK,
    KL_PROFILE_MINIPROF
} kl_profile_format;

typedef struct kl_profile_points {
    const char       *file;
    kl_profile_format format;
    int               n;
    double *y, *z;    /* first and second coordinate, as written; Simpack: mirrored, turned and
                                shifted as the file asks, in its units */
    int    *line;     /* of each point */
    double  unit;     /* metres a unit, if the file says so; 0: it does not */
    bool    reversed; /* Simpack: `inversion` asks for the opposite order */
} kl_profile_points;

/* "two columns", "Simpack", "MiniProf" */
const char *kl_profile_format_name(kl_profile_format format);

/* From text of n bytes, which ends with a zero; `path` is its name in messages. */
kl_status kl_profile_file_parse(const char *path, const char *text, size_t n, kl_arena *arena,
                                kl_diag *diag, kl_profile_points *out);
kl_status kl_profile_file_read(const char *path, kl_arena *arena, kl_diag *diag,
                               kl_profile_points *out);

#endif
