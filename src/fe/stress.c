/* Stress and strain modes: sigma_j = D B u_j at element centres, or the mean over the elements
 * around a node. For solids of higher order evaluation at the nodes and averaging is what users of
 * finite element programs expect; the centres are the more accurate points. */
#include "fe/stress.h"

#include <stdlib.h>
#include <string.h>

#include "fe/element.h"

enum { MAX_DOF = KL_MAX_ELEMENT_DOF };

typedef struct recovery {
    const kl_mesh   *m;
    const kl_system *s;
    int              n;
    const double    *X;
    double           side;
    kl_kbody_stress *out;
} recovery;

/* adds the element's strain and stress modes at r, times weight, to point p */
static kl_status add_at(const recovery *w, kl_shape shape, int index, const double r[3],
                        double weight, int p)
{
    double            strain[6 * MAX_DOF], stress[6 * MAX_DOF];
    const kl_fe_type *type = kl_fe_type_of(shape);
    int        nnode = kl_shape_info_of(shape)->nnode, each = type->ndof_node, dof = nnode * each;
    const int *node = &w->m->block[shape].node[(size_t)index * (size_t)nnode];
    kl_fe_element e;
    kl_fe_gather(w->m, shape, index, &e);
    KL_TRY(type->strain(&e, r, strain, stress));
    for (int j = 0; j < w->n; j++) {
        double  u[MAX_DOF], motion[6];
        double *to_strain = w->out->strain + ((size_t)p * (size_t)w->n + (size_t)j) * 6;
        double *to_stress = w->out->stress + ((size_t)p * (size_t)w->n + (size_t)j) * 6;
        for (int a = 0; a < nnode; a++) {
            kl_system_motion(w->s, node[a], w->X + (size_t)j * (size_t)w->s->ndof, motion);
            for (int c = 0; c < each; c++) u[each * a + c] = motion[c];
        }
        for (int i = 0; i < 6; i++)
            for (int d = 0; d < dof; d++) {
                to_strain[i] += weight * strain[i * dof + d] * u[d];
                to_stress[i] += weight * stress[i * dof + d] * u[d];
            }
    }
    return KL_OK;
}

/* natural coordinates of the centre or a node */
static void place_of(const recovery *w, kl_shape shape, int local, double r[3])
{
    int dimension = kl_shape_info_of(shape)->dimension;
    if (dimension == 3 && local < 0) kl_shape_centre(shape, r);
    else if (dimension == 3) kl_shape_node(shape, local, r);
    else if (dimension == 1) r[0] = local < 0 ? 0 : local == 0 ? -1 : 1, r[1] = r[2] = 0;
    else {
        static const double tri[3][2]  = {{0, 0}, {1, 0}, {0, 1}},
                            quad[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
        const double *at = local < 0 ? NULL : shape == KL_TRI3 ? tri[local] : quad[local];
        double        c  = shape == KL_TRI3 ? 1.0 / 3 : 0;
        r[0] = at ? at[0] : c, r[1] = at ? at[1] : c, r[2] = w->side;
    }
}

static kl_vec3 centre_of(const kl_mesh *m, kl_shape shape, int index)
{
    const kl_shape_info *info = kl_shape_info_of(shape);
    kl_vec3              c    = {0, 0, 0};
    for (int i = 0; i < info->ncorner; i++)
        c = kl_axpy(1.0 / info->ncorner,
                    m->x[m->block[shape].node[(size_t)index * (size_t)info->nnode + (size_t)i]], c);
    return c;
}

/* all elements around wanted nodes; number[node] is the point, count[node] the elements */
static kl_status nodal_points(const recovery *w, const int *point_of, const int *count)
{
    for (int s = 0; s < KL_SHAPE_COUNT; s++) {
        int nnode = kl_shape_info_of((kl_shape)s)->nnode;
        for (int e = 0; e < w->m->block[s].n; e++)
            for (int a = 0; a < nnode; a++) {
                int node = w->m->block[s].node[(size_t)e * (size_t)nnode + (size_t)a];
                if (point_of[node] < 0) continue;
                double r[3];
                place_of(w, (kl_shape)s, a, r);
                KL_TRY(add_at(w, (kl_shape)s, e, r, 1.0 / count[node], point_of[node]));
            }
    }
    return KL_OK;
}

static void count_elements(const kl_mesh *m, int *count)
{
    for (int s = 0; s < KL_SHAPE_COUNT; s++) {
        size_t nnode = (size_t)kl_shape_info_of((kl_shape)s)->nnode;
        for (size_t i = 0; i < (size_t)m->block[s].n * nnode; i++) count[m->block[s].node[i]]++;
    }
}

kl_status kl_stress_modes(const kl_mesh *m, const kl_system *s, const kl_stress_points *where,
                          int n, const double *X, kl_arena *arena, kl_kbody_stress *out,
                          kl_diag *diag)
{
    size_t total = (size_t)where->nelement + (size_t)where->nnode;
    *out         = (kl_kbody_stress){.n = (int)total};
    if (total == 0) return KL_OK;
    out->element_id  = kl_arena_array(arena, int, total);
    out->node_id     = kl_arena_array(arena, int, total);
    out->position    = kl_arena_array(arena, kl_vec3, total);
    out->strain      = kl_arena_array(arena, double, total *(size_t)n * 6);
    out->stress      = kl_arena_array(arena, double, total *(size_t)n * 6);
    int *point_of    = malloc(((size_t)m->nnode + 1) * sizeof(int)),
        *count       = calloc((size_t)m->nnode + 1, sizeof(int));
    kl_status status = kl_arena_ok(arena) && point_of && count ? KL_OK : KL_E_MEMORY;
    recovery  w      = {m, s, n, X, where->side, out};
    for (int i = 0; status == KL_OK && i < where->nelement; i++) {
        kl_element_ref ref = where->element[i];
        double         r[3];
        place_of(&w, ref.shape, -1, r);
        out->element_id[i] = m->block[ref.shape].id[ref.index];
        out->node_id[i]    = -1;
        out->position[i]   = centre_of(m, ref.shape, ref.index);
        status             = add_at(&w, ref.shape, ref.index, r, 1.0, i);
    }
    if (status == KL_OK && where->nnode > 0) {
        for (int i = 0; i < m->nnode; i++) point_of[i] = -1;
        count_elements(m, count);
        for (int i = 0; i < where->nnode; i++) {
            int p = where->nelement + i, node = where->node[i];
            point_of[node]     = p;
            out->element_id[p] = -1;
            out->node_id[p]    = m->node_id[node];
            out->position[p]   = m->x[node];
        }
        status = nodal_points(&w, point_of, count);
    }
    free(point_of);
    free(count);
    if (status == KL_E_MODEL)
        kl_fail(diag, status, (kl_place){m->source, 0, 0}, "stress at a folded element");
    return status;
}
