/* A model as written: its file and all that it includes, each as a tree. For the files that build a
 * model from it. */
#ifndef KL_LANGUAGE_SOURCE_H
#define KL_LANGUAGE_SOURCE_H

#include "language/build.h"

struct kl_source {
    kl_arena    *arena;
    const char  *text, *file; /* of the main file */
    kl_node    **root;        /* an included file is before the one that includes it */
    const char **path;        /* of each root, to distinguish files */
    int          n, cap, path_cap;
};

#endif
