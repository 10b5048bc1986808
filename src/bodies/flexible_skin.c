/* Nodes of a flexible body's skin, which contacts hold on to: b = x + X w with the motion of the skin
 * that the body file keeps for drawing, in the reference that the model chose. They do not turn against
 * the body frame, so they take forces and no moments. */
#include <string.h>

#include "bodies/flexible.h"

/* X of mode j at a node: the motion of the file and the rigid motion that the reference adds. */
static kl_vec3 motion_of(const flexible *p, int node, int j)
{
    const kl_kbody *b = p->file.body;
    kl_vec3         x = {0};
    int             m = p->mode[j];
    if (m >= 0) {
        const float *at = b->skin.motion + 3 * ((size_t)node * (size_t)b->nmode + (size_t)m);
        x               = kl_vec((double)at[0], (double)at[1], (double)at[2]);
    }
    if (!p->rigid) return x;
    kl_vec3 arm = kl_sub(b->skin.x[node], kl_kbody_centre(b));
    return kl_add(kl_add(x, kl_load(p->rigid + 6 * j)),
                  kl_cross(kl_load(p->rigid + 6 * j + 3), arm));
}

kl_status flexible_attach_skin(flexible *p, const kl_setup *s, int node)
{
    const kl_kbody_skin *skin = &p->file.body->skin;
    size_t               n    = (size_t)p->n;
    if (node >= skin->nnode)
        return kl_fail(s->diag, KL_E_MODEL, s->place, "body '%s': its skin has no node %d", s->name,
                       node + 1);
    if (!p->skin) {
        p->skin = kl_arena_array(s->arena, flexible_skin_point *, skin->nnode);
        p->none = kl_arena_array(s->arena, double, 3 * n + 1);
        if (p->second && p->n > 0)
            kl_warn(s->diag, s->place,
                    "body '%s': contact with its skin leaves out the second-order motion of "
                    "`stiffening`; keep deflections small relative to its size, or let the contact "
                    "act on a marker",
                    s->name);
    }
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    if (p->skin[node]) return KL_OK;
    flexible_skin_point *k = kl_arena_array(s->arena, flexible_skin_point, 1);
    double              *X = kl_arena_array(s->arena, double, 3 * n + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    for (int j = 0; j < p->n; j++) kl_store(X + 3 * j, motion_of(p, node, j));
    k->f          = (flexible_frame){.name     = "skin",
                                     .kind     = KL_FRAME_ROTATION,
                                     .position = skin->x[node],
                                     .X        = X,
                                     .Y        = p->none,
                                     .start    = kl_identity()};
    k->rest       = (flexible_frame_cache){.R = kl_identity(), .X = X, .Y = p->none};
    p->skin[node] = k;
    return KL_OK;
}

kl_vec3 flexible_skin_place(const flexible *p, const flexible_cache *c, int node)
{
    const flexible_skin_point *k = p->skin[node];
    kl_vec3                    b = k->f.position;
    for (int j = 0; j < p->n; j++) b = kl_axpy(c->w[j], kl_load(k->f.X + 3 * j), b);
    return b;
}
