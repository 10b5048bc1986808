#include "model/resource.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"

/* "tracks/main": names of different sections do not meet */
static const char *full_name(kl_arena *a, const char *section, const char *name)
{
    return kl_arena_format(a, "%s/%s", section, name);
}

kl_resource *kl_model_add_resource(kl_model *m, const kl_resource_type *type, const char *name,
                                   kl_place place)
{
    const char   *full = full_name(m->arena, type->section, name);
    kl_resource  *r    = kl_arena_take(m->arena, sizeof *r);
    kl_resource **slot = kl_arena_grow(m->arena, (void **)&m->resource, m->nresource,
                                       &m->cap_resource, sizeof *slot);
    if (!full || !r || !slot) return NULL;
    *r = (kl_resource){.type  = type,
                       .name  = full + strlen(type->section) + 1,
                       .place = place,
                       .part  = kl_placement_none(),
                       .data  = kl_arena_take(m->arena, type->data_size)};
    if (!r->data || !kl_names_put(&m->resource_names, m->arena, full, m->nresource)) return NULL;
    *slot = r;
    m->nresource++;
    if (type->destroy && kl_model_at_end(m, type->destroy, r->data) != KL_OK) return NULL;
    return r;
}

const kl_resource *kl_model_find_resource(const kl_model *m, const char *section, const char *name)
{
    char full[600];
    if (snprintf(full, sizeof full, "%s/%s", section, name) >= (int)sizeof full) return NULL;
    int i = kl_names_get(&m->resource_names, full);
    return i >= 0 ? m->resource[i] : NULL;
}

const kl_resource *kl_model_resource_of(const kl_model *m, const void *data)
{
    for (int i = 0; data && i < m->nresource; i++)
        if (m->resource[i]->data == data) return m->resource[i];
    return NULL;
}
