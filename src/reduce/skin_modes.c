/* The surface of a mesh: faces sorted by their corners, single ones are outside. */
#include "reduce/skin_modes.h"

#include <stdlib.h>
#include <string.h>

typedef struct face {
    int corner[4]; /* ascending, -1 in front for triangles */
    int shape, element, face;
} face;

static int compare_face(const void *a, const void *b)
{
    const face *p = a, *q = b;
    for (int i = 0; i < 4; i++)
        if (p->corner[i] != q->corner[i]) return p->corner[i] < q->corner[i] ? -1 : 1;
    return 0;
}

static int corners_of(int nodes) { return nodes == 3 || nodes == 6 ? 3 : 4; }

static face make_face(const kl_mesh *m, int shape, int e, int f)
{
    const kl_shape_info *info = kl_shape_info_of((kl_shape)shape);
    const int           *node = &m->block[shape].node[(size_t)e * (size_t)info->nnode];
    face                 out  = {{-1, -1, -1, -1}, shape, e, f};
    int                  n    = corners_of(info->face_nnode[f]);
    for (int i = 0; i < n; i++) {
        int v = node[info->face[f][i]], k = 3;
        /* insertion from the end, largest last */
        for (k = 4 - n + i; k > 4 - n && out.corner[k - 1] > v; k--)
            out.corner[k] = out.corner[k - 1];
        out.corner[k] = v;
    }
    return out;
}

/* triangles of a face by local corner (0..), middles behind */
static int split(int nodes, int (*t)[3])
{
    static const int tri3[1][3] = {{0, 1, 2}}, quad4[2][3] = {{0, 1, 2}, {0, 2, 3}};
    static const int tri6[4][3]  = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
    static const int quad8[6][3] = {{0, 4, 7}, {4, 1, 5}, {5, 2, 6},
                                    {6, 3, 7}, {4, 5, 6}, {4, 6, 7}};
    const int(*from)[3] = nodes == 3 ? tri3 : nodes == 4 ? quad4 : nodes == 6 ? tri6 : quad8;
    int count           = nodes == 3 ? 1 : nodes == 4 ? 2 : nodes == 6 ? 4 : 6;
    memcpy(t, from, (size_t)count * 3 * sizeof(int));
    return count;
}

typedef struct builder {
    const kl_mesh *m;
    kl_kbody_skin *skin;
    int           *number; /* of each mesh node in the skin, or -1 */
    int           *index;  /* mesh node of each skin node */
} builder;

static int number_of(builder *b, int node)
{
    if (b->number[node] < 0) {
        b->index[b->skin->nnode] = node;
        b->number[node]          = b->skin->nnode++;
    }
    return b->number[node];
}

/* writes all triangles of one face; the counter moves with each */
static void add_triangles(builder *b, const face *f)
{
    const kl_shape_info *info = kl_shape_info_of((kl_shape)f->shape);
    const int *node = &b->m->block[f->shape].node[(size_t)f->element * (size_t)info->nnode];
    int        t[6][3], count = split(info->face_nnode[f->face], t);
    for (int i = 0; i < count; i++, b->skin->ntriangle++)
        for (int c = 0; c < 3; c++)
            b->skin->triangle[3 * b->skin->ntriangle + c] =
                number_of(b, node[info->face[f->face][t[i][c]]]);
}

kl_status kl_skin_find(const kl_mesh *m, kl_arena *arena, kl_kbody_skin *skin, int **node_index)
{
    size_t total = 0;
    for (int s = 0; s < KL_SHAPE_COUNT; s++) {
        const kl_shape_info *info = kl_shape_info_of((kl_shape)s);
        total += (size_t)m->block[s].n *
                 (size_t)(info->dimension == 3 ? info->nface : info->dimension == 2);
    }
    face *faces  = malloc((total + 1) * sizeof *faces);
    int  *number = malloc(((size_t)m->nnode + 1) * sizeof(int)),
        *index   = malloc(((size_t)m->nnode + 1) * sizeof(int));
    size_t    n = 0, kept = 0;
    kl_status status = faces && number && index ? KL_OK : KL_E_MEMORY;
    for (int s = 0; s < KL_SHAPE_COUNT && status == KL_OK; s++) {
        const kl_shape_info *info = kl_shape_info_of((kl_shape)s);
        int                  each = info->dimension == 3 ? info->nface : info->dimension == 2;
        for (int e = 0; e < m->block[s].n; e++)
            for (int f = 0; f < each; f++) faces[n++] = make_face(m, s, e, f);
    }
    if (status == KL_OK) {
        qsort(faces, n, sizeof *faces, compare_face);
        for (size_t i = 0; i < n;) {
            size_t same = i + 1;
            while (same < n && compare_face(&faces[i], &faces[same]) == 0) same++;
            if (same == i + 1 || kl_shape_info_of((kl_shape)faces[i].shape)->dimension == 2)
                faces[kept++] = faces[i];
            i = same;
        }
        memset(skin, 0, sizeof *skin);
        skin->triangle = kl_arena_array(arena, int, 18 * kept + 3);
        skin->line     = kl_arena_array(arena, int, 2 * (size_t)m->block[KL_BEAM2].n + 2);
        if (!kl_arena_ok(arena)) status = KL_E_MEMORY;
    }
    if (status == KL_OK) {
        builder b = {m, skin, number, index};
        for (int i = 0; i < m->nnode; i++) number[i] = -1;
        for (size_t i = 0; i < kept; i++) add_triangles(&b, &faces[i]);
        for (int e = 0; e < m->block[KL_BEAM2].n; e++, skin->nline++)
            for (int c = 0; c < 2; c++)
                skin->line[2 * e + c] = number_of(&b, m->block[KL_BEAM2].node[2 * e + c]);
        skin->node_id = kl_arena_array(arena, int, skin->nnode + 1);
        skin->x       = kl_arena_array(arena, kl_vec3, skin->nnode + 1);
        *node_index   = kl_arena_array(arena, int, skin->nnode + 1);
        if (!kl_arena_ok(arena)) status = KL_E_MEMORY;
        for (int i = 0; status == KL_OK && i < skin->nnode; i++) {
            (*node_index)[i] = index[i];
            skin->node_id[i] = m->node_id[index[i]];
            skin->x[i]       = m->x[index[i]];
        }
    }
    free(faces);
    free(number);
    free(index);
    return status;
}

kl_status kl_skin_motion(const kl_system *s, const int *node_index, int n, const double *X,
                         kl_arena *arena, kl_kbody_skin *skin)
{
    skin->motion = kl_arena_array(arena, float, (size_t)skin->nnode *(size_t)n * 3 + 1);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    for (int p = 0; p < skin->nnode; p++)
        for (int j = 0; j < n; j++) {
            double motion[6];
            kl_system_motion(s, node_index[p], X + (size_t)j * (size_t)s->ndof, motion);
            for (int c = 0; c < 3; c++)
                skin->motion[((size_t)p * (size_t)n + (size_t)j) * 3 + (size_t)c] =
                    (float)motion[c];
        }
    return KL_OK;
}
