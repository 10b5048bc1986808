#include "mesh/line_mesh.h"

static int add_leg(kl_mesh *m, int set, int from, kl_vec3 a, kl_vec3 b, int parts)
{
    for (int k = 1; k <= parts; k++) {
        double  s       = (double)k / parts;
        kl_vec3 x       = kl_add(kl_scale(1.0 - s, a), kl_scale(s, b));
        int     node    = kl_mesh_add_node(m, m->nnode + 1, x);
        int     ends[2] = {from, node};
        int     e       = kl_mesh_add_element(m, KL_BEAM2, m->block[KL_BEAM2].n + 1, -1, ends);
        kl_mesh_set_put_element(m, set, (kl_element_ref){.shape = KL_BEAM2, .index = e});
        from = node;
    }
    return from;
}

kl_status kl_mesh_line(const kl_vec3 *point, int n, int parts, kl_mesh **out, kl_diag *diag)
{
    kl_mesh *m = kl_mesh_create("line");
    *out       = NULL;
    if (!m) return kl_fail(diag, KL_E_MEMORY, KL_NOWHERE, "out of memory");
    int set  = kl_mesh_set(m, KL_ELEMENT_SET, "line");
    int from = kl_mesh_add_node(m, 1, point[0]);
    for (int i = 1; i < n && kl_mesh_ok(m); i++)
        from = add_leg(m, set, from, point[i - 1], point[i], parts);
    kl_status status = kl_mesh_finish(m, diag);
    if (status != KL_OK) {
        kl_mesh_destroy(m);
        return status;
    }
    *out = m;
    return KL_OK;
}
