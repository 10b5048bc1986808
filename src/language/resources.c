#include "language/resources.h"

#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "language/attach.h"

const char *kl_path_beside(kl_arena *arena, const kl_node *node, const char *name)
{
    const char *from  = node->place.file;
    const char *slash = from ? strrchr(from, '/') : NULL;
    if (*name == '/' || !slash) return kl_arena_text(arena, name);
    return kl_arena_format(arena, "%.*s/%s", (int)(slash - from), from, name);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Keys that belong to the entry, not to the resource. */
static bool is_entry_key(const char *key)
{
    return strcmp(key, "like") == 0 || strcmp(key, "for") == 0 || strcmp(key, "when") == 0;
}

/* The entry and what it is `like` as one map, under its full name; NULL: no memory. */
static const kl_node *whole_entry(const kl_entry *e, kl_arena *arena)
{
    kl_node *all = kl_arena_array(arena, kl_node, 1), **link;
    if (!all) return NULL;
    *all       = *e->chain[0];
    all->key   = e->name;
    bool alone = !e->chain[1];
    for (const kl_node *c = all->first; c && alone; c = c->next) alone = !is_entry_key(c->key);
    if (alone) return all;
    all->first = NULL, all->sorted = NULL, all->size = 0;
    link = &all->first;
    for (int i = 0; e->chain[i]; i++)
        for (const kl_node *c = e->chain[i]->first; c; c = c->next) {
            if (is_entry_key(c->key) || kl_node_get(all, c->key)) continue;
            if (!(*link = kl_arena_array(arena, kl_node, 1))) return NULL;
            **link        = *c;
            (*link)->next = NULL;
            link          = &(*link)->next;
            all->size++;
        }
    return all;
}

static kl_setup setup_of(kl_scope *s, kl_model *m, const kl_resource *r)
{
    return (kl_setup){.name  = r->name,
                      .place = r->place,
                      .diag  = s->diag,
                      .arena = m->arena,
                      .lua   = m->lua,
                      .model = m};
}

/* Keys of the type, then what it reads itself, then what it computes. */
static kl_status fill(kl_resource_reader *r)
{
    const kl_resource_type *type   = r->resource->type;
    kl_status               status = KL_OK;
    if (type->keys) {
        static const char *const common[] = {"like", "for", "when"};
        const char              *also[64];
        int                      n = 0;
        for (size_t i = 0; i < sizeof common / sizeof *common; i++) also[n++] = common[i];
        for (const kl_word_key *k = type->more; k && k->name && n < 63; k++) also[n++] = k->name;
        also[n] = NULL;
        kl_values_unknown(r->s, r->e, type->word, type->keys, also);
        status = kl_values_read(r->s, r->m, r->e, type->keys, r->resource->data);
    }
    if (type->read && status != KL_E_MEMORY) {
        kl_status more = type->read(r, r->resource->data);
        if (more != KL_OK) status = more;
    }
    if (status != KL_OK || !type->setup) return status;
    kl_setup s = setup_of(r->s, r->m, r->resource);
    return type->setup(r->resource->data, &s);
}

/* One line that gives the same resource again. Parameters of the model stay by name; those of a part
 * and variables of `for` become values. */
static const char *text_of(const kl_builder *b, const kl_node *node)
{
    kl_scope *s = &b->now->scope;
    if (s->n == b->nglobal && !b->now->template) return kl_value_text(s, node, b->m->arena);
    kl_node plain;
    if (kl_value_plain(s, node, &plain) != KL_OK) return NULL;
    return kl_value_text(NULL, &plain, b->m->arena);
}

static kl_status read_resource(kl_builder *b, kl_entry *e)
{
    const kl_resource_type *type = kl_resource_type_of(b->section);
    if (kl_model_find_resource(b->m, b->section, e->name))
        return kl_fail(b->diag, KL_E_NAME, e->place,
                       "the name '%s' is used twice under `%s`; rename one", e->name, b->section);
    kl_resource *resource = kl_model_add_resource(b->m, type, e->name, e->place);
    if (!resource) return KL_E_MEMORY;
    resource->part       = b->now->scope.place;
    resource->failed     = true; /* until it is read */
    kl_resource_reader r = {.s        = &b->now->scope,
                            .m        = b->m,
                            .e        = e,
                            .node     = whole_entry(e, b->m->arena),
                            .resource = resource,
                            .arena    = b->m->arena,
                            .diag     = b->diag};
    if (!r.node) return KL_E_MEMORY;
    if (type->read && !(resource->text = text_of(b, r.node))) return KL_E_MEMORY;
    int before = kl_diag_count(b->diag, KL_ERROR);
    KL_TRY(fill(&r));
    resource->failed = kl_diag_count(b->diag, KL_ERROR) > before;
    return KL_OK;
}

kl_status kl_resources_read(kl_builder *b)
{
    for (int i = 0; kl_resource_types[i]; i++)
        KL_TRY(kl_parts_read(b, kl_resource_types[i]->section, kl_resource_types[i]->word,
                             read_resource));
    return KL_OK;
}

kl_status kl_resource_refuse_mirror(const kl_resource_reader *r)
{
    if (!r->s->place.mirrored) return KL_OK;
    return kl_fail(r->diag, KL_E_MODEL, r->resource->place,
                   "%s '%s': this part has `mirror`, but a %s cannot be mirrored; define it "
                   "outside the template under `%s:`",
                   r->resource->type->word, r->resource->name, r->resource->type->word,
                   r->resource->type->section);
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Of the part itself first, then of the part around it, and so on. */
static const kl_resource *seen_from(const kl_scope *s, const kl_model *m, const char *section,
                                    const char *name)
{
    for (size_t n = strlen(s->prefix);;) {
        const char *full = n ? kl_arena_format(s->arena, "%.*s%s", (int)n, s->prefix, name) : name;
        const kl_resource *r = full ? kl_model_find_resource(m, section, full) : NULL;
        if (r || n == 0) return r;
        for (n--; n > 0 && s->prefix[n - 1] != '.';) n--;
    }
}

static bool is_built_in(const kl_resource_type *type, const char *name)
{
    for (int i = 0; type->built_in && type->built_in[i]; i++)
        if (strcmp(type->built_in[i], name) == 0) return true;
    return false;
}

static kl_status make_built_in(kl_scope *s, kl_model *m, const kl_resource_type *type,
                               const char *name, kl_place place, const kl_resource **out)
{
    kl_resource *r = kl_model_add_resource(m, type, name, place);
    if (!r) return KL_E_MEMORY;
    kl_setup setup = setup_of(s, m, r);
    r->made        = true;
    *out           = r;
    return type->make(r->data, name, &setup);
}

static kl_status report_unknown(kl_scope *s, const kl_model *m, const kl_resource_type *type,
                                const kl_node *node, const char *what, const char *name)
{
    int n = 0, nbuilt = 0;
    while (type->built_in && type->built_in[nbuilt]) nbuilt++;
    const char **names = malloc(((size_t)m->nresource + (size_t)nbuilt + 1) * sizeof *names);
    /* Inside a part the names are written without the name of the part. */
    size_t cut = strlen(s->prefix);
    if (!names) return KL_E_MEMORY;
    for (int i = 0; i < m->nresource; i++) {
        const char *full = m->resource[i]->name;
        if (m->resource[i]->type == type)
            names[n++] = strncmp(full, s->prefix, cut) == 0 ? full + cut : full;
    }
    for (int i = 0; i < nbuilt; i++) names[n++] = type->built_in[i];
    names[n]         = NULL;
    const char *near = kl_nearest(name, names);
    int         line = kl_attach_dropped(s, name);
    if (line > 0)
        kl_fail(s->diag, KL_E_NAME, node->place,
                "%s: the %s '%s' is left out by its `when` in line %d; give this entry the same "
                "`when`, or "
                "change the condition",
                what, type->word, name, line);
    else if (near)
        kl_fail(s->diag, KL_E_NAME, node->place, "%s: there is no %s '%s'; did you mean '%s'?",
                what, type->word, name, near);
    else
        kl_fail(s->diag, KL_E_NAME, node->place, "%s: there is no %s '%s'; define it under `%s:`",
                what, type->word, name, type->section);
    free((void *)names);
    return KL_E_NAME;
}

kl_status kl_resource_find(kl_scope *s, kl_model *m, const kl_node *node, const char *what,
                           const char *section, const kl_resource **out)
{
    const kl_resource_type *type = kl_resource_type_of(section);
    const char             *name = NULL;
    *out                         = NULL;
    if (!type)
        return kl_fail(s->diag, KL_E_MODEL, node->place,
                       "%s: the catalogue of this program has no section `%s`", what, section);
    KL_TRY(kl_value_word(s, node, what, &name));
    const kl_resource *r = seen_from(s, m, section, name);
    if (!r && is_built_in(type, name)) KL_TRY(make_built_in(s, m, type, name, node->place, &r));
    if (!r) return report_unknown(s, m, type, node, what, name);
    if (r->failed) return KL_E_MODEL; /* its own mistake is already reported */
    *out = r;
    return KL_OK;
}
