/* Shared by the files that read a body file: where they read, and the checks of keys and words. */
#ifndef KL_LANGUAGE_BODY_PARTS_H
#define KL_LANGUAGE_BODY_PARTS_H

#include "language/body.h"
#include "language/values.h"

typedef struct kl_body_reader {
    const char   *path;
    kl_arena     *arena;
    kl_diag      *diag;
    kl_scope      scope;
    kl_body_file *out;
    double        length, mass, time; /* units of the mesh in SI */
    bool          lenient;   /* structural parts of a mesh that are not understood are left out */
    double        thickness; /* of shells that `box` made; 0: none */
} kl_body_reader;

/* Every key of the map is one of `keys`. */
kl_status kl_body_check_keys(kl_body_reader *r, const kl_node *map, const char *what,
                             const char *const *keys);
/* The number of a key in SI units; a key that is absent leaves *out unchanged. */
kl_status kl_body_number(kl_body_reader *r, const kl_node *map, const char *key, const char *what,
                         const char *unit, double *out);
/* Index of the word in a list that ends with NULL. */
kl_status kl_body_choice(kl_body_reader *r, const kl_node *n, const char *what,
                         const char *const *words, int *out);

/* Materials and sections, assigned to the elements of the mesh (body_sections.c). */
kl_status kl_body_read_materials(kl_body_reader *r, const kl_node *root);

#endif
