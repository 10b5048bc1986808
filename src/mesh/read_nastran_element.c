/* Nastran bulk data: solids, shells, beams.
 *
 * Node orders: CTETRA is canonical. CHEXA and CPENTA have the edges of the bottom, then the
 * vertical ones, then those of the top. */
#include <math.h>
#include <string.h>

#include "mesh/read_nastran.h"

enum { MOST_NODES = 20 };

static const double degree = 3.14159265358979323846 / 180.0;

static const int hex20_order[]   = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                    10, 11, 16, 17, 18, 19, 12, 13, 14, 15};
static const int wedge15_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11};

static void put_in_set(bulk *b, const bulk_property *p, kl_shape shape, int index)
{
    kl_mesh_set_put_element(b->r->mesh, p->set, (kl_element_ref){shape, index, 0});
}

/* EID, PID, nodes; quadratic when all its middle nodes are there. */
static void solid(bulk *b, kl_shape linear, kl_shape quadratic, const int *order)
{
    int id, few = kl_shape_info_of(linear)->nnode, many = kl_shape_info_of(quadratic)->nnode;
    int n = 0, node[MOST_NODES], canonical[MOST_NODES];
    if (!bulk_whole(b, 1, 0, &id)) return;
    for (int i = 0; i < many; i++) n += !bulk_empty(b, 3 + i);
    if (n != few && n != many) {
        bulk_refuse(b, 0, "%s %d has %d nodes: give all %d or only the %d corners", bulk_name(b),
                    id, n, many, few);
        return;
    }
    const bulk_property *p  = bulk_property_at(b, 2, id, KL_SOLID);
    bool                 ok = p != NULL;
    for (int i = 0; i < n; i++) {
        node[i] = bulk_node(b, 3 + i);
        ok      = ok && node[i] >= 0;
    }
    if (!ok) return;
    kl_shape shape = n == few ? linear : quadratic;
    for (int i = 0; i < n; i++) canonical[i] = node[n == many && order ? order[i] : i];
    int index =
        kl_import_element(b->r, b->card->t, b->card->first, shape, id, p->property, canonical);
    if (index >= 0) put_in_set(b, p, shape, index);
}

void bulk_read_ctetra(bulk *b) { solid(b, KL_TET4, KL_TET10, NULL); }
void bulk_read_chexa(bulk *b) { solid(b, KL_HEX8, KL_HEX20, hex20_order); }
void bulk_read_cpenta(bulk *b) { solid(b, KL_WEDGE6, KL_WEDGE15, wedge15_order); }

/* THETA as an angle from side 1-2, or as a system whose x axis is projected. */
static bool material_angle(bulk *b, int i, kl_shape shape, int index)
{
    kl_mesh  *m     = b->r->mesh;
    double   *angle = &m->block[shape].angle[index];
    long long frame;
    if (!bulk_is_whole(b, i, &frame)) {
        bool ok = bulk_real(b, i, 0.0, angle);
        *angle *= degree;
        return ok;
    }
    int        n    = kl_shape_info_of(shape)->nnode;
    const int *node = &m->block[shape].node[(size_t)index * (size_t)n];
    kl_vec3    x    = kl_vec(0, 0, 0);
    kl_mat3    axes;
    for (int k = 0; k < n; k++) x = kl_axpy(1.0 / n, m->x[node[k]], x);
    if (frame < 0 || frame > 0x7fffffff || !bulk_axes(b, (int)frame, x, &axes)) return false;
    *angle = kl_shell_angle(m, shape, index, kl_axis(&axes, 0));
    return true;
}

/* Own thicknesses at the corners, at field i: their mean, when they are near it. 0: none. */
static bool own_thickness(bulk *b, int i, int n, int id, double *mean)
{
    double t[4];
    int    given = 0;
    *mean        = 0.0;
    if (!bulk_reals(b, i, n, 0.0, t)) return false;
    for (int k = 0; k < n; k++) {
        given += t[k] > 0.0;
        *mean += t[k] / n;
    }
    if (given == 0) {
        *mean = 0.0;
        return true;
    }
    for (int k = 0; k < n; k++) {
        if (fabs(t[k] - *mean) <= 1e-6 * *mean) continue;
        kl_warn(b->r->diag, kl_source_place(b->card->t, b->card->first),
                "%s %d: its corner thicknesses differ; their mean %g is used", bulk_name(b), id,
                *mean);
        break;
    }
    return true;
}

/* EID, PID, nodes, THETA, ZOFFS; thicknesses in the second line */
static void shell(bulk *b, kl_shape shape, int thickness_at)
{
    int    id, n = kl_shape_info_of(shape)->nnode, node[4];
    double offset, thickness;
    if (!bulk_whole(b, 1, 0, &id)) return;
    const bulk_property *p  = bulk_property_at(b, 2, id, KL_SHELL);
    bool                 ok = p != NULL;
    for (int i = 0; i < n; i++) {
        node[i] = bulk_node(b, 3 + i);
        ok      = ok && node[i] >= 0;
    }
    if (!ok || !bulk_real(b, 3 + n + 1, 0.0, &offset) ||
        !own_thickness(b, thickness_at, n, id, &thickness))
        return;
    int property = bulk_moved_shell(b, p->property, offset, thickness);
    int index    = kl_import_element(b->r, b->card->t, b->card->first, shape, id, property, node);
    if (index < 0) return;
    material_angle(b, 3 + n, shape, index);
    put_in_set(b, p, shape, index);
}

void bulk_read_cquad4(bulk *b) { shell(b, KL_QUAD4, 11); }
void bulk_read_ctria3(bulk *b) { shell(b, KL_TRI3, 11); }

/* ---- beams ---- */

/* The offset as a key beside its grid point; zeros of either sign are one. */
static uint64_t offset_key(int node, kl_vec3 offset)
{
    const double v[3] = {offset.x + 0.0, offset.y + 0.0, offset.z + 0.0};
    uint64_t     key  = (uint64_t)node * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 3; k++) {
        uint64_t bits;
        memcpy(&bits, &v[k], sizeof bits);
        key = (key ^ bits) * 0xbf58476d1ce4e5b9u;
        key ^= key >> 31;
    }
    return key;
}

/* The node made before at this offset of this grid point, so that beams in a row meet there. */
static int known_offset(bulk *b, uint64_t key, int node, kl_vec3 offset)
{
    const kl_mesh *m = b->r->mesh;
    int            i = kl_int_map_find(&b->offset_map, key);
    if (i < 0 || m->tie[i].reference != node) return -1;
    int    made = m->tie[i].node[0];
    double away = kl_norm(kl_sub(kl_sub(m->x[made], m->x[node]), offset));
    return away <= 1e-6 * kl_norm(offset) ? made : -1;
}

/* A node at the end of an offset, tied rigidly to its grid point. */
static int offset_node(bulk *b, int node, kl_vec3 offset, int id)
{
    if (kl_norm(offset) == 0.0) return node;
    uint64_t key  = offset_key(node, offset);
    int      made = known_offset(b, key, node, offset);
    if (made >= 0) return made;
    if (b->next_id >= 0x7ffffffe) {
        bulk_refuse(b, 0, "%s %d: there is no free node number for its offset; renumber the mesh",
                    bulk_name(b), id);
        return -1;
    }
    made       = kl_import_node(b->r, b->card->t, b->card->first, ++b->next_id,
                                kl_add(b->r->mesh->x[node], offset));
    kl_tie tie = {
        .id = id, .kind = KL_RBE2, .reference = node, .components = 0x3f, .n = 1, .node = &made};
    if (made < 0) return -1;
    int at = kl_mesh_add_tie(b->r->mesh, &tie);
    if (at < 0 || !kl_int_map_put(b->r->arena, &b->offset_map, key, at)) b->r->status = KL_E_MEMORY;
    return made;
}

/* X1, X2, X3 in the axes of end A, or a third grid point G0. */
static bool beam_vector(bulk *b, int end, kl_vec3 *v)
{
    long long g0;
    double    x[3];
    kl_mat3   axes;
    if (bulk_is_whole(b, 5, &g0) && bulk_empty(b, 6) && bulk_empty(b, 7)) {
        int node = bulk_node(b, 5);
        if (node < 0) return false;
        *v = kl_sub(b->r->mesh->x[node], b->r->mesh->x[end]);
        return true;
    }
    if (!bulk_reals(b, 5, 3, 0.0, x)) return false;
    *v = kl_load(x);
    /* OFFT begins with B where the vector is in basic axes */
    bulk_field offt = bulk_at(b, 8);
    if (offt.first < offt.last && kl_upper(*offt.first) == 'B') return true;
    if (!bulk_node_axes(b, end, &axes)) return false;
    *v = kl_mul(&axes, *v);
    return true;
}

/* EID, PID, GA, GB, X1 or G0, X2, X3, OFFT; PA, PB, W1A ... W3B. CBEAM alike. */
void bulk_read_cbar(bulk *b)
{
    int     id, end[2];
    double  w[6];
    kl_vec3 v;
    if (!bulk_whole(b, 1, 0, &id)) return;
    const bulk_property *p = bulk_property_at(b, 2, id, KL_BEAM);
    end[0]                 = bulk_node(b, 3);
    end[1]                 = bulk_node(b, 4);
    if (!p || end[0] < 0 || end[1] < 0 || !beam_vector(b, end[0], &v) ||
        !bulk_reals(b, 11, 6, 0.0, w))
        return;
    if (!bulk_empty(b, 9) || !bulk_empty(b, 10)) {
        bulk_refuse(b, 9,
                    "%s %d: released directions (PA, PB) are not supported; model it as a joint",
                    bulk_name(b), id);
        return;
    }
    bulk_field offt = bulk_at(b, 8);
    bool local = (w[0] != 0 || w[1] != 0 || w[2] != 0 || w[3] != 0 || w[4] != 0 || w[5] != 0) &&
                 offt.last - offt.first == 3 &&
                 (kl_upper(offt.first[1]) == 'O' || kl_upper(offt.first[2]) == 'O');
    if (local) {
        bulk_refuse(b, 8,
                    "%s %d: offsets in element axes (OFFT) cannot be used; give them in the "
                    "displacement axes of the nodes (OFFT = GGG)",
                    bulk_name(b), id);
        return;
    }
    for (int k = 0; k < 2; k++) {
        kl_mat3 axes;
        if (!bulk_node_axes(b, end[k], &axes)) return;
        end[k] = offset_node(b, end[k], kl_mul(&axes, kl_load(w + 3 * k)), id);
        if (end[k] < 0) return;
    }
    int index = kl_import_element(b->r, b->card->t, b->card->first, KL_BEAM2, id, p->property, end);
    if (index < 0) return;
    b->r->mesh->block[KL_BEAM2].orientation[index] = v;
    put_in_set(b, p, KL_BEAM2, index);
}
