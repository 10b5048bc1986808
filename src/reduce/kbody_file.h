/* The file of a reduced flexible body: HDF5, docs/kbody-format.md. */
#ifndef KL_REDUCE_KBODY_FILE_H
#define KL_REDUCE_KBODY_FILE_H

#include "base/diag.h"
#include "reduce/kbody.h"

enum { KL_KBODY_MAJOR = 1, KL_KBODY_MINOR = 3 };

/* Writes through a file beside it and renames, so that a half-written body never takes the name. */
kl_status kl_kbody_write(const kl_kbody *b, const char *path, kl_diag *diag);
/* Can a body be written there? Asked before the work: a mesh or a model given as its name by
 * mistake survives, and a folder that is not there is reported at once. */
kl_status kl_kbody_check_name(const char *path, kl_diag *diag);
/* Reads and checks (sizes, finite numbers, symmetry). On success *b is the caller's:
 * kl_kbody_destroy. */
kl_status kl_kbody_read(const char *path, kl_kbody **b, kl_diag *diag);

#endif
