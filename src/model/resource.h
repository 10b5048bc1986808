/* Named resources: parts of a model that have no motion of their own and that others refer to by
 * name: tracks, surfaces, profiles, materials, shapes.
 *
 * A kind of resource is a `const` table with the name of its section, like a body or an element. A
 * new one is a file and a line in catalogue.c: reading (with `for`, `like`, `when`, templates and
 * parameters), messages, help pages, schema, `check --full` and `check --diff` come with the table.
 * An element, body or other resource refers to one by a key of kind KL_KEY_RESOURCE. */
#ifndef KL_MODEL_RESOURCE_H
#define KL_MODEL_RESOURCE_H

#include "model/drawn.h"
#include "model/interface.h"

struct kl_resource_reader; /* language/resources.h */

/* A kind of named resource. Entries marked (optional) may be NULL. */
typedef struct kl_resource_type {
    const char *section; /* "tracks": the section of a model file */
    const char *word;    /* "track": one of them, for messages */
    const char *help;    /* one line */
    const char *text;    /* (optional) the body of its help page */
    const char *example; /* an entry as a model file writes it, "{points: [[0, 0, 0], ...]}" */
    size_t      data_size;
    /* What an entry may say, read into the data before `read` and `setup`; NULL: `read` sees to
     * all keys, unknown ones too */
    const kl_key *keys;
    /* (optional) with `keys`: further ones, which `read` looks at */
    const kl_word_key *more;
    /* (optional) reads what keys cannot describe: lists of pieces, several ways to say one thing */
    kl_status (*read)(struct kl_resource_reader *r, void *data);
    /* (optional) checks the data and computes from them; s->model has the resources above */
    kl_status (*setup)(void *data, const kl_setup *s);
    /* (optional) names that are known without being listed, and what they represent */
    const char *const *built_in;
    kl_status (*make)(void *data, const char *name, const kl_setup *s);
    /* (optional) when the model is destroyed; the data may be half filled or zero */
    void (*destroy)(void *data);
    /* (optional) a line to draw with the results; false: nothing to draw, or out of memory */
    bool (*draw)(const void *data, kl_arena *arena, kl_drawn_line *out);
} kl_resource_type;

/* One of them. It stays where it is for as long as the model lives, as do its data. */
typedef struct kl_resource {
    const kl_resource_type *type;
    const char             *name;
    kl_place                place;
    void                   *data;
    const char             *text;   /* as a model file writes it, in one line; NULL: by its keys */
    kl_placement            part;   /* where the part of the model stands that lists it */
    bool                    made;   /* built in, not listed by the model */
    bool                    failed; /* its mistakes have been reported */
} kl_resource;

struct kl_model;

/* Adds one with zeroed data; NULL when out of memory. The name is copied. */
kl_resource *kl_model_add_resource(struct kl_model *m, const kl_resource_type *type,
                                   const char *name, kl_place place);
/* The resource of that name in a section, or NULL. */
const kl_resource *kl_model_find_resource(const struct kl_model *m, const char *section,
                                          const char *name);
/* The resource that has these data, or NULL: the way back from the value of a key. */
const kl_resource *kl_model_resource_of(const struct kl_model *m, const void *data);

/* Those that language/ reads itself, because keys cannot describe them. */
extern const kl_resource_type kl_tracks, kl_surfaces;

#endif
