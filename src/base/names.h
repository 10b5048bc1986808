/* Names to numbers: a hash table in an arena. Names are borrowed. A zeroed table is empty. */
#ifndef KL_BASE_NAMES_H
#define KL_BASE_NAMES_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct kl_names {
    struct kl_name *slot; /* open addressing, a power of two */
    int             n, cap;
} kl_names;

/* Adds a name, or gives the one there a new number. False when out of memory. */
bool kl_names_put(kl_names *t, kl_arena *a, const char *name, int index);
int  kl_names_get(const kl_names *t, const char *name); /* -1 when it is not there */

#endif
