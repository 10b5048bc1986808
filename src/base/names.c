#include "base/names.h"

#include <stdint.h>
#include <string.h>

typedef struct kl_name {
    const char *name; /* NULL: free */
    uint32_t    hash;
    int         index;
} kl_name;

static uint32_t hash_of(const char *name)
{
    uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *name; name++) h = (h ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return (uint32_t)(h ^ (h >> 32));
}

/* The slot that has the name, or the free one where it belongs. The table is never full. */
static kl_name *find(kl_name *slot, int cap, const char *name, uint32_t hash)
{
    uint32_t mask = (uint32_t)cap - 1, i = hash & mask;
    while (slot[i].name && (slot[i].hash != hash || strcmp(slot[i].name, name) != 0))
        i = (i + 1) & mask;
    return &slot[i];
}

bool kl_names_put(kl_names *t, kl_arena *a, const char *name, int index)
{
    if (2 * (t->n + 1) > t->cap) {
        int      cap  = t->cap ? 2 * t->cap : 64;
        kl_name *more = kl_arena_array(a, kl_name, cap);
        if (!more) return false;
        for (int i = 0; i < t->cap; i++)
            if (t->slot[i].name) *find(more, cap, t->slot[i].name, t->slot[i].hash) = t->slot[i];
        t->slot = more;
        t->cap  = cap;
    }
    uint32_t hash = hash_of(name);
    kl_name *s    = find(t->slot, t->cap, name, hash);
    if (!s->name) t->n++;
    *s = (kl_name){name, hash, index};
    return true;
}

int kl_names_get(const kl_names *t, const char *name)
{
    if (t->n == 0) return -1;
    const kl_name *s = find(t->slot, t->cap, name, hash_of(name));
    return s->name ? s->index : -1;
}
