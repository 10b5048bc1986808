/* Rigid motions that held unknowns leave free, in words: what is left, and what to hold for it. */
#ifndef KL_REDUCE_FREE_MOTION_H
#define KL_REDUCE_FREE_MOTION_H

#include "base/text.h"
#include "mesh/system.h"

/* Names of nodes that a user has given, for messages; the others go by their number. */
typedef struct kl_node_names {
    int                n;
    const int         *node; /* indices in the system */
    const char *const *name;
} kl_node_names;

/* Rigid motions v = shift + turn x (x - middle) / size, one of them a column of six. */
typedef struct kl_free_motions {
    int     n;
    double  v[36];
    kl_vec3 middle; /* of the held nodes */
    double  size;   /* of the body */
} kl_free_motions;

/* Those that move none of the held unknowns (`fixed`: ndof, or NULL). */
void kl_free_motions_find(const kl_system *s, const unsigned char *fixed, kl_free_motions *f);
/* "shift along y, turn about the line through (0, 0, 1) along x; hold also {17: [x, y]}" */
void kl_free_motions_describe(const kl_system *s, const unsigned char *fixed,
                              const kl_free_motions *f, const kl_node_names *names, kl_text *t);

#endif
