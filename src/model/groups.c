#include "model/groups.h"

#include "base/rotation.h"

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

/* Increments of some bodies are no rotation vectors: Newton, which ends at once for those that are. */
void kl_body_turn_to(const kl_body *b, double *q, const kl_mat3 *A, void *cache)
{
    enum { MOST = 30 };
    kl_group  g      = kl_body_group(b, KL_ROTATION);
    kl_marker origin = {.A = kl_identity()};
    kl_motion at     = {.A = kl_identity()};
    double    dx[6] = {0}, zero[6] = {0};
    if (g.nv == 0 || kl_body_deforms(b)) return;
    for (int k = 0; k < MOST; k++) {
        b->type->position(b->data, q, cache);
        b->type->velocity(b->data, zero, cache);
        b->type->pose(b->data, cache, &origin, &at);
        kl_mat3 back = kl_transpose(&at.A), turn = kl_matmul(A, &back);
        kl_vec3 left = kl_rotation_log(&turn);
        if (kl_norm(left) < 1e-14) return;
        kl_axes axes = kl_body_axes(b, cache);
        kl_store(dx + g.v - b->v, kl_mul_t(&axes.A, left));
        b->type->advance(b->data, q, dx, q);
        if (kl_norm(left) < 1e-12) return;
    }
}

kl_vec3 kl_body_spin(const kl_body *b)
{
    bool round;
    return b->type->spin ? b->type->spin(b->data, &round) : kl_vec(0, 0, 0);
}

double kl_body_turn_rate(const kl_body *b, const double *v)
{
    kl_group rotation = kl_body_group(b, KL_ROTATION);
    if (rotation.nv == 0) return 0.0;
    kl_vec3 w = kl_load(v + rotation.v), n = kl_body_spin(b);
    return kl_norm(b->steady ? kl_axpy(-kl_dot(n, w), n, w) : w);
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
