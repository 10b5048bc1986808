#include "mesh/id_map.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SPARE = 1024, SPARSEST = 4 }; /* the table may be this many times larger than it need be */

static int *slot(const kl_id_map *map, int id)
{
    uint32_t h = (uint32_t)id * 2654435761u;
    unsigned i = (h ^ (h >> 15)) & (unsigned)(map->size - 1);
    while (map->value[i] && map->id[i] != id) i = (i + 1) & (unsigned)(map->size - 1);
    return &map->value[i];
}

int kl_id_map_find(const kl_id_map *map, int id)
{
    if (id >= 0 && id < map->ndirect) return map->direct[id] - 1;
    return map->size ? *slot(map, id) - 1 : -1;
}

/* Makes the table reach beyond `id`, and takes over what was hashed before. */
static bool widen(kl_id_map *map, int id)
{
    int  wide = id < INT_MAX / 2 ? 2 * id + SPARE : INT_MAX;
    int *more = realloc(map->direct, (size_t)wide * sizeof *more);
    if (!more) return false;
    memset(more + map->ndirect, 0, (size_t)(wide - map->ndirect) * sizeof *more);
    map->direct = more;
    for (int i = 0; i < map->size; i++)
        if (map->value[i] && map->id[i] >= map->ndirect && map->id[i] < wide)
            more[map->id[i]] = map->value[i];
    map->ndirect = wide;
    return true;
}

static bool grow_hash(kl_id_map *map)
{
    kl_id_map bigger = *map;
    bigger.size      = map->size ? 2 * map->size : SPARE;
    bigger.id        = malloc((size_t)bigger.size * sizeof(int));
    bigger.value     = calloc((size_t)bigger.size, sizeof(int));
    if (!bigger.id || !bigger.value) {
        free(bigger.id);
        free(bigger.value);
        return false;
    }
    for (int i = 0; i < map->size; i++) {
        if (!map->value[i]) continue;
        int *to                      = slot(&bigger, map->id[i]);
        bigger.id[to - bigger.value] = map->id[i];
        *to                          = map->value[i];
    }
    free(map->id);
    free(map->value);
    *map = bigger;
    return true;
}

bool kl_id_map_put(kl_id_map *map, int id, int index)
{
    bool dense = id >= 0 && id / SPARSEST <= map->n + SPARE;
    if (dense && id >= map->ndirect && !widen(map, id)) return false;
    map->n++;
    if (id >= 0 && id < map->ndirect) {
        map->direct[id] = index + 1;
        return true;
    }
    if (2 * (map->used + 1) > map->size && !grow_hash(map)) return false;
    int *to                  = slot(map, id);
    map->id[to - map->value] = id;
    *to                      = index + 1;
    map->used++;
    return true;
}

void kl_id_map_free(kl_id_map *map)
{
    free(map->direct);
    free(map->id);
    free(map->value);
    *map = (kl_id_map){0};
}
