#include "mesh/box_mesh.h"

#include <math.h>
#include <stdlib.h>

/* Nodes lie on a grid of half cells, of which hexahedra use every second point. */
typedef struct grid {
    const kl_box *box;
    kl_mesh      *m;
    int           n[3]; /* points along each direction */
    int          *node; /* of each point; -1: not used yet */
} grid;

int kl_box_thin(const kl_box *box)
{
    if (kl_shape_info_of(box->shape)->dimension == 3) return -1;
    return box->parts[1] == 0 ? 1 : 2;
}

/* Place of half-cell point i along direction k, 0..1 before scaling; walls are one cell thick. */
static double along(const kl_box *b, int k, int i)
{
    int    parts = b->parts[k];
    double s     = 0.5 * i;
    if (parts == 0) return 0.5; /* middle surface */
    if (b->wall <= 0.0 || k == 0) return s / parts;
    double wall = b->wall / b->size[k];
    if (s <= 1.0) return s * wall;
    if (s >= parts - 1.0) return 1.0 - (parts - s) * wall;
    return wall + (s - 1.0) / (parts - 2.0) * (1.0 - 2.0 * wall);
}

static kl_vec3 place(const kl_box *b, const int i[3])
{
    double x = b->size[0] * along(b, 0, i[0]), y = b->size[1] * (along(b, 1, i[1]) - 0.5);
    double z = b->size[2] * (along(b, 2, i[2]) - 0.5);
    if (b->radius == 0.0) return kl_vec(x, y, z);
    double turn = x / b->radius, r = b->radius + z;
    return kl_vec(r * sin(turn), y, r * cos(turn) - b->radius);
}

/* A whole circle has no ends. */
static bool is_closed(const kl_box *b)
{
    double circle = 2.0 * acos(-1.0) * fabs(b->radius);
    return fabs(b->size[0] - circle) < 1e-9 * circle;
}

static int node_at(grid *g, const int at[3])
{
    int  i[3] = {is_closed(g->box) ? at[0] % (g->n[0] - 1) : at[0], at[1], at[2]};
    int *slot = &g->node[(i[2] * g->n[1] + i[1]) * g->n[0] + i[0]];
    if (*slot >= 0) return *slot;
    *slot = kl_mesh_add_node(g->m, g->m->nnode + 1, place(g->box, i));
    static const char *const names[3][2] = {{"x0", "x1"}, {"y0", "y1"}, {"z0", "z1"}};
    for (int k = 0; *slot >= 0 && k < 3; k++)
        for (int end = 0; end < 2; end++)
            if (g->n[k] > 1 && i[k] == end * (g->n[k] - 1))
                kl_mesh_set_put_node(g->m, kl_mesh_set(g->m, KL_NODE_SET, names[k][end]), *slot);
    if (*slot >= 0 && 2 * i[0] == g->n[0] - 1)
        kl_mesh_set_put_node(g->m, kl_mesh_set(g->m, KL_NODE_SET, "middle"), *slot);
    return *slot;
}

static void add(grid *g, kl_shape shape, const int *node)
{
    int id = kl_mesh_count(g->m) + 1, e = kl_mesh_add_element(g->m, shape, id, -1, node);
    kl_mesh_set_put_element(g->m, kl_mesh_set(g->m, KL_ELEMENT_SET, "box"),
                            (kl_element_ref){.shape = shape, .index = e});
}

static void add_hexahedron(grid *g, const int c[3])
{
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int              node[8];
    for (int a = 0; a < 8; a++) {
        int i[3];
        for (int k = 0; k < 3; k++) i[k] = 2 * (c[k] + corner[a][k]);
        node[a] = node_at(g, i);
    }
    add(g, KL_HEX8, node);
}

/* Six tetrahedra about the diagonal of a cell (Kuhn 1960): neighbours fit without turning cells. */
static void add_tetrahedra(grid *g, const int c[3])
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    static const int edge[6][2]  = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (int t = 0; t < 6; t++) {
        int corner[4][3], node[10];
        for (int k = 0; k < 3; k++) corner[0][k] = 2 * c[k];
        for (int a = 1; a < 4; a++)
            for (int k = 0; k < 3; k++)
                corner[a][k] = corner[a - 1][k] + (order[t][a - 1] == k ? 2 : 0);
        if (t > 2) /* odd orders are inside out */
            for (int k = 0; k < 3; k++) {
                int swap     = corner[1][k];
                corner[1][k] = corner[2][k], corner[2][k] = swap;
            }
        for (int a = 0; a < 4; a++) node[a] = node_at(g, corner[a]);
        for (int e = 0; e < 6; e++) {
            int middle[3];
            for (int k = 0; k < 3; k++)
                middle[k] = (corner[edge[e][0]][k] + corner[edge[e][1]][k]) / 2;
            node[4 + e] = node_at(g, middle);
        }
        add(g, KL_TET10, node);
    }
}

/* The normal points along +y or +z. Triangles share the diagonal from the first corner. */
static void add_shells(grid *g, const int c[3])
{
    static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int              thin = kl_box_thin(g->box), first = (thin + 1) % 3, second = (thin + 2) % 3;
    int              node[4], half[3];
    for (int a = 0; a < 4; a++) {
        int i[3] = {2 * c[0], 2 * c[1], 2 * c[2]};
        i[first] += 2 * corner[a][0];
        i[second] += 2 * corner[a][1];
        node[a] = node_at(g, i);
    }
    if (g->box->shape == KL_QUAD4) {
        add(g, KL_QUAD4, node);
        return;
    }
    for (int k = 1; k < 3; k++) {
        half[0] = node[0], half[1] = node[k], half[2] = node[k + 1];
        add(g, KL_TRI3, half);
    }
}

static void add_cell(grid *g, const int c[3])
{
    if (kl_box_thin(g->box) >= 0) add_shells(g, c);
    else if (g->box->shape == KL_TET10) add_tetrahedra(g, c);
    else add_hexahedron(g, c);
}

static int cells(const kl_box *b, int k) { return b->parts[k] > 0 ? b->parts[k] : 1; }

static bool is_hollow(const kl_box *b, const int c[3])
{
    return b->wall > 0.0 && c[1] > 0 && c[1] < b->parts[1] - 1 && c[2] > 0 &&
           c[2] < b->parts[2] - 1;
}

static void add_cells(grid *g)
{
    int c[3];
    for (c[0] = 0; c[0] < cells(g->box, 0); c[0]++)
        for (c[1] = 0; c[1] < cells(g->box, 1); c[1]++)
            for (c[2] = 0; c[2] < cells(g->box, 2); c[2]++)
                if (!is_hollow(g->box, c)) add_cell(g, c);
}

kl_status kl_mesh_box(const kl_box *box, kl_mesh **out, kl_diag *diag)
{
    grid   g     = {.box = box, .m = kl_mesh_create("box")};
    size_t total = 1;
    *out         = NULL;
    for (int k = 0; k < 3; k++) g.n[k] = 2 * box->parts[k] + 1, total *= (size_t)g.n[k];
    g.node = g.m ? malloc(total * sizeof *g.node) : NULL;
    for (size_t i = 0; g.node && i < total; i++) g.node[i] = -1;
    if (g.node) add_cells(&g);
    kl_status status = g.node ? kl_mesh_finish(g.m, diag)
                              : kl_fail(diag, KL_E_MEMORY, KL_NOWHERE, "out of memory");
    free(g.node);
    if (status == KL_OK) *out = g.m;
    else kl_mesh_destroy(g.m);
    return status;
}
