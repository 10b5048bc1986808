/* What must hold for whatever bytes a mesh reader was given: a sound mesh, or no mesh and a reason.
 */
#ifndef KL_TESTS_FUZZ_MESH_LAW_H
#define KL_TESTS_FUZZ_MESH_LAW_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "mesh/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void expect(bool law)
{
    if (!law) abort();
}

static inline void expect_sound(kl_mesh *m)
{
    for (int i = 0; i < m->nnode; i++) expect(m->node_id[i] > 0 && kl_finite(m->x[i]));
    for (int s = 0; s < KL_SHAPE_COUNT; s++) {
        int n = kl_shape_info_of((kl_shape)s)->nnode;
        for (int i = 0; i < n * m->block[s].n; i++)
            expect(m->block[s].node[i] >= 0 && m->block[s].node[i] < m->nnode);
        for (int i = 0; i < m->block[s].n; i++)
            expect(m->block[s].property[i] >= -1 && m->block[s].property[i] < m->nproperty);
    }
    for (int i = 0; i < m->nset; i++) {
        const kl_set *set = &m->set[i];
        for (int k = 0; k < set->n; k++) {
            if (set->kind == KL_NODE_SET) {
                expect(set->node[k] >= 0 && set->node[k] < m->nnode);
                continue;
            }
            kl_element_ref e = set->element[k];
            expect(e.index >= 0 && e.index < m->block[e.shape].n);
            expect(set->kind != KL_SURFACE_SET || e.face < kl_shape_info_of(e.shape)->nface);
        }
        int n;
        kl_mesh_set_nodes(m, set->name, &n);
    }
    for (int i = 0; i < m->nspring; i++)
        expect(m->spring[i].node[0] >= 0 && m->spring[i].node[0] < m->nnode &&
               m->spring[i].node[1] < m->nnode);
    for (int i = 0; i < m->nmass; i++) expect(m->mass[i].node >= 0 && m->mass[i].node < m->nnode);
    for (int i = 0; i < m->ntie; i++) {
        expect(m->tie[i].n > 0 && m->tie[i].reference >= 0 && m->tie[i].reference < m->nnode);
        for (int k = 0; k < m->tie[i].n; k++)
            expect(m->tie[i].node[k] >= 0 && m->tie[i].node[k] < m->nnode);
    }
    for (int i = 0; i < m->nproperty; i++) {
        expect(m->property[i].material >= -1 && m->property[i].material < m->nmaterial);
        for (int k = 0; k < m->property[i].nply; k++)
            expect(m->property[i].ply[k].material < m->nmaterial);
    }
}

static inline int fuzz_mesh(const uint8_t *data, size_t size, kl_mesh_format format)
{
    static const char *const structural[] = {"skin", "surface-1", "curve-1", NULL};
    kl_read_options options = {.format = format, .structural = structural, .no_includes = true};
    kl_diag        *diag    = kl_diag_create();
    kl_mesh        *mesh    = NULL;
    options.lenient         = size > 0 && (data[size - 1] & 1); /* both ways */
    kl_status status = kl_mesh_read_memory("f", (const char *)data, size, &options, &mesh, diag);
    expect(status == KL_OK ? mesh && !kl_diag_failed(diag) : !mesh && kl_diag_failed(diag));
    if (mesh) {
        expect_sound(mesh);
        kl_mesh_check(mesh, diag);
    }
    kl_mesh_destroy(mesh);
    kl_diag_destroy(diag);
    return 0;
}

#endif
