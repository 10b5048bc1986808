/* Data files that are part of the program: limits of standards, vehicle parts. They come from the
 * folder `share` and are compiled in (cmake/embed.cmake). */
#ifndef KL_BASE_SHARE_H
#define KL_BASE_SHARE_H

#include <stddef.h>

typedef struct kl_share {
    const char *name; /* below `share`: "assessment.yaml" */
    const char *text; /* ends with a zero that `size` does not count */
    size_t      size;
} kl_share;

extern const kl_share kl_share_files[]; /* ended by a NULL name */

/* The file of that name, or NULL. */
const kl_share *kl_share_find(const char *name);

#endif
