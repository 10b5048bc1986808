/* Numbers of nodes and elements to indices.
 *
 * Most meshes number densely: those ids go into a plain table, which reads in the order of the file
 * and so stays in the cache. Ids far above the count of entries go into a hash table. */
#ifndef KL_MESH_ID_MAP_H
#define KL_MESH_ID_MAP_H

#include <stdbool.h>

typedef struct kl_id_map {
    int  n;          /* entries */
    int  ndirect;    /* ids below this are in `direct`, all others in the hash table */
    int *direct;     /* index + 1; 0: none */
    int  size, used; /* of the hash table: a power of two, at most half full */
    int *id;
    int *value; /* index + 1; 0: free */
} kl_id_map;

int  kl_id_map_find(const kl_id_map *map, int id);     /* index or -1 */
bool kl_id_map_put(kl_id_map *map, int id, int index); /* a new id; false: out of memory */
void kl_id_map_free(kl_id_map *map);

#endif
