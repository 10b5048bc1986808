/* Materials and pairs of materials that a contact may name instead of giving numbers. Elastic data
 * are those of design standards; friction scatters by a third from surface to surface, so that these
 * are starting values, each with its source. There is no restitution: it depends on the parts and on
 * the impact speed more than on the material. */
#ifndef KL_CONTACT_MATERIAL_H
#define KL_CONTACT_MATERIAL_H

#include <stddef.h>

typedef struct kl_material {
    const char *name;
    double      young;   /* E [Pa] */
    double      poisson; /* nu [-] */
    double      density; /* [kg/m3] */
    const char *source;
} kl_material;

typedef struct kl_material_pair {
    const char *name; /* "steel-rubber": first and second surface */
    const char *a, *b;
    double      mu_s, mu_d; /* dry [-] */
    const char *source;
} kl_material_pair;

extern const kl_material      kl_materials[];      /* ended by a NULL name */
extern const kl_material_pair kl_material_pairs[]; /* ended by a NULL name */

/* The words of all pairs, separated by blanks, in the order of the table. */
extern const char *const kl_material_words;

const kl_material *kl_material_find(const char *name); /* NULL: unknown */

#endif
