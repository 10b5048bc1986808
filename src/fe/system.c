/* The finite element system: memory and numbering. */
#include "fe/system.h"

#include <stdlib.h>

kl_status kl_system_init(kl_system *s, int nnode)
{
    *s         = (kl_system){.nnode = nnode};
    size_t n   = nnode > 0 ? (size_t)nnode : 1;
    s->node_id = calloc(n, sizeof(int));
    s->x       = calloc(n, sizeof(kl_vec3));
    s->dof     = malloc(6 * n * sizeof(int));
    if (!s->node_id || !s->x || !s->dof) {
        kl_system_free(s);
        return KL_E_MEMORY;
    }
    for (size_t i = 0; i < 6 * n; i++) s->dof[i] = -1;
    return KL_OK;
}

kl_status kl_system_number(kl_system *s)
{
    int used = 0;
    for (int i = 0; i < 6 * s->nnode; i++) used += s->dof[i] >= 0;
    free(s->dof_node);
    free(s->dof_component);
    s->ndof          = used;
    s->dof_node      = malloc(((size_t)used + 1) * sizeof(int));
    s->dof_component = malloc((size_t)used + 1);
    if (!s->dof_node || !s->dof_component) return KL_E_MEMORY;
    for (int d = 0; d < used; d++) s->dof_node[d] = -1;
    for (int i = 0; i < 6 * s->nnode; i++) {
        int d = s->dof[i];
        if (d < 0) continue;
        if (d >= used || s->dof_node[d] >= 0) return KL_E_RANGE;
        s->dof_node[d]      = i / 6;
        s->dof_component[d] = (unsigned char)(i % 6);
    }
    return KL_OK;
}

void kl_system_free(kl_system *s)
{
    free(s->node_id);
    free(s->x);
    free(s->dof);
    free(s->dof_node);
    free(s->dof_component);
    kl_symmetric_free(&s->K);
    kl_symmetric_free(&s->M);
    *s = (kl_system){0};
}
