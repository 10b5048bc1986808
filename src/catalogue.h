/* All kinds of bodies, elements and named resources. A new one is a file and a line in catalogue.c.
 */
#ifndef KL_CATALOGUE_H
#define KL_CATALOGUE_H

#include <string.h>

#include "model/resource.h"

/* A section of a model file whose entries are elements. */
typedef struct kl_element_section {
    const char                   *section; /* "joints" */
    const char                   *word;    /* "joint": one of them, for messages */
    const char                   *help;    /* one line */
    const char                   *text;    /* the body of its help page */
    const kl_element_type *const *types;   /* ended by NULL */
    const kl_element_type        *usual;   /* of an entry that says no `type`; NULL: it must */
    bool                          joints;  /* they count as joints in models and messages */
} kl_element_section;

extern const kl_element_section      kl_element_sections[]; /* ended by a NULL section */
extern const kl_body_type *const     kl_body_types[];       /* ended by NULL, as the others */
extern const kl_element_type *const  kl_joint_types[];
extern const kl_element_type *const  kl_force_types[];
extern const kl_element_type *const  kl_contact_types[];
extern const kl_resource_type *const kl_resource_types[]; /* in the order they are read in */

/* The kind of resource that a section lists, or NULL. */
static inline const kl_resource_type *kl_resource_type_of(const char *section)
{
    for (int i = 0; kl_resource_types[i]; i++)
        if (strcmp(kl_resource_types[i]->section, section) == 0) return kl_resource_types[i];
    return NULL;
}

/* The section that lists elements of this type, or NULL. */
static inline const kl_element_section *kl_section_of(const kl_element_type *type)
{
    for (const kl_element_section *s = kl_element_sections; s->section; s++)
        for (int i = 0; s->types[i]; i++)
            if (s->types[i] == type) return s;
    return NULL;
}

/* "joint", "force": what messages call an element of this type. */
static inline const char *kl_element_word(const kl_element_type *type)
{
    const kl_element_section *s = kl_section_of(type);
    return s ? s->word : "element";
}

/* Names of all sections of elements and resources; returns how many, at most `most`. */
static inline int kl_catalogue_sections(const char **names, int most)
{
    int n = 0;
    for (const kl_element_section *s = kl_element_sections; s->section && n < most; s++)
        names[n++] = s->section;
    for (int i = 0; kl_resource_types[i] && n < most; i++)
        names[n++] = kl_resource_types[i]->section;
    return n;
}

#endif
