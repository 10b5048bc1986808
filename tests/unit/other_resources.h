/* Sections of the catalogue in models that tests write for every type. */
#ifndef KL_TESTS_OTHER_RESOURCES_H
#define KL_TESTS_OTHER_RESOURCES_H

#include <stdio.h>

#include "catalogue.h"

/* Appends a resource `the-SECTION` of every kind, as its own example, but for tracks and surfaces,
 * which the tests write themselves. */
static inline void add_other_resources(char *text, size_t size)
{
    for (int i = 0; kl_resource_types[i]; i++) {
        const kl_resource_type *r = kl_resource_types[i];
        if (r == &kl_tracks || r == &kl_surfaces) continue;
        snprintf(text + strlen(text), size - strlen(text), "%s: {the-%s: %s}\n", r->section,
                 r->section, r->example);
    }
}

/* "forces:" and a new line for an element that does not stand among the joints above it. */
static inline const char *section_line(const kl_element_type *t, char line[80])
{
    const kl_element_section *s = kl_section_of(t);
    snprintf(line, 80, "%s%s", s->joints ? "" : s->section, s->joints ? "" : ":\n");
    return line;
}

#endif
