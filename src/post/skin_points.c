#include "post/skin_points.h"

#include <stdlib.h>

static int by_id(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static int layer_of(const kl_kbody_stress *s, int p) { return s->layer ? s->layer[p] : 0; }
static int face_of(const kl_kbody_stress *s, int p) { return s->face ? s->face[p] : 0; }

/* leaves out of a node's chain what is not its outermost ply */
static void keep_last_ply(const kl_kbody_stress *s, kl_skin_points *r, int node)
{
    int last = 0;
    for (int p = r->first[node]; p >= 0; p = r->next[p])
        if (layer_of(s, p) > last) last = layer_of(s, p);
    for (int *link = &r->first[node]; *link >= 0;)
        if (layer_of(s, *link) > 0 && layer_of(s, *link) < last) *link = r->next[*link];
        else link = &r->next[*link];
}

bool kl_skin_points_find(const kl_kbody *b, bool outer, kl_skin_points *r)
{
    const kl_kbody_stress *s     = &b->stress;
    int                    n     = b->skin.nnode;
    int                   *pairs = malloc((2 * (size_t)n + 2) * sizeof *pairs);
    r->first                     = malloc(((size_t)n + 1) * sizeof *r->first);
    r->next                      = malloc(((size_t)s->n + 1) * sizeof *r->next);
    r->node                      = malloc(((size_t)s->n + 1) * sizeof *r->node);
    r->found                     = 0;
    if (!pairs || !r->first || !r->next || !r->node) {
        free(pairs);
        return false;
    }
    for (int i = 0; i < n; i++) pairs[2 * i] = b->skin.node_id[i], pairs[2 * i + 1] = i;
    qsort(pairs, (size_t)n, 2 * sizeof *pairs, by_id);
    for (int i = 0; i < n; i++) r->first[i] = -1;
    for (int p = 0; p < s->n; p++) {
        int  key[2] = {s->node_id[p], 0};
        bool hidden = outer && (face_of(s, p) < 0 || layer_of(s, p) < -1);
        int *hit =
            key[0] >= 0 && n > 0 ? bsearch(key, pairs, (size_t)n, 2 * sizeof *pairs, by_id) : NULL;
        r->next[p] = -1;
        r->node[p] = hit ? hit[1] : -1;
        if (!hit || hidden) continue;
        r->found += r->first[hit[1]] < 0;
        r->next[p]       = r->first[hit[1]];
        r->first[hit[1]] = p;
    }
    for (int i = 0; outer && i < n; i++) keep_last_ply(s, r, i);
    free(pairs);
    return true;
}

void kl_skin_points_free(kl_skin_points *r)
{
    free(r->first);
    free(r->next);
    free(r->node);
}
