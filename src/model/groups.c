#include "model/groups.h"

static const char *const places[] = {"x", "y", "z"};
static const char *const turns[]  = {"turn_x", "turn_y", "turn_z"};

static const kl_group_traits traits[] = {
    [KL_TRANSLATION] = {.name    = "translation",
                        .unit    = "m",
                        .rate    = "m/s",
                        .length  = true,
                        .gravity = true,
                        .vector  = true,
                        .part    = places},
    [KL_ROTATION] =
        {.name = "rotation", .unit = "rad", .rate = "rad/s", .vector = true, .part = turns},
    [KL_MODAL]   = {.name = "mode", .unit = "1", .rate = "1/s"},
    [KL_SCALARS] = {.name = "travel", .unit = "m", .rate = "m/s", .length = true},
};

const kl_group_traits *kl_group_traits_of(kl_group_kind kind) { return &traits[kind]; }

static kl_group in_model(const kl_body *b, kl_group g)
{
    g.q += b->q;
    g.v += b->v;
    return g;
}

kl_group kl_body_group(const kl_body *b, kl_group_kind kind)
{
    for (int i = 0; i < b->ngroup; i++)
        if (b->group[i].kind == kind) return in_model(b, b->group[i]);
    return (kl_group){.kind = kind, .q = b->q + b->nq, .v = b->v + b->nv};
}

kl_group kl_body_group_at(const kl_body *b, int v)
{
    int i = 0;
    while (i + 1 < b->ngroup && v - b->v >= b->group[i].v + b->group[i].nv) i++;
    return in_model(b, b->group[i]);
}

void kl_body_without_gravity(const kl_model *m, const kl_body *b, const double *a, double *out)
{
    double g[3];
    kl_store(g, m->gravity);
    for (int i = 0; i < b->nv; i++) out[i] = a ? a[b->v + i] : 0.0;
    for (int i = 0; i < b->ngroup; i++)
        if (traits[b->group[i].kind].gravity)
            for (int k = 0; k < 3; k++) out[b->group[i].v + k] -= g[k];
}

kl_axes kl_body_axes(const kl_body *b, const void *cache)
{
    if (b->type->axes) return b->type->axes(b->data, cache);
    kl_marker origin = {.A = kl_identity()};
    kl_motion at     = {.A = kl_identity()};
    if (kl_body_turns(b)) kl_body_motion(b, cache, &origin, &at);
    return (kl_axes){.A = at.A, .w = at.w};
}

const char *kl_velocity_name(const kl_model *m, int v, kl_arena *arena)
{
    int i = 0;
    while (i + 1 < m->nbody && v >= m->body[i].v + m->body[i].nv) i++;
    const kl_body         *b = &m->body[i];
    kl_group               g = kl_body_group_at(b, v);
    const kl_group_traits *t = &traits[g.kind];
    if (t->part) return kl_arena_format(arena, "%s.%s", b->name, t->part[v - g.v]);
    if (g.kind == KL_SCALARS && g.nv == 1) return kl_arena_format(arena, "%s.%s", b->name, t->name);
    return kl_arena_format(arena, "%s.%s_%d", b->name, t->name, v - g.v + 1);
}
