/* The reduced body: life, and what follows from its invariants. */
#include "fe/kbody.h"

#include <string.h>

kl_kbody *kl_kbody_create(void)
{
    kl_arena *arena = kl_arena_create();
    if (!arena) return NULL;
    kl_kbody *b = kl_arena_array(arena, kl_kbody, 1);
    if (!b) {
        kl_arena_destroy(arena);
        return NULL;
    }
    b->arena = arena;
    return b;
}

void kl_kbody_destroy(kl_kbody *b)
{
    if (b) kl_arena_destroy(b->arena);
}

const kl_kbody_marker *kl_kbody_find_marker(const kl_kbody *b, const char *name)
{
    for (int i = 0; i < b->nmarker; i++)
        if (strcmp(b->marker[i].name, name) == 0) return &b->marker[i];
    return NULL;
}

kl_vec3 kl_kbody_centre(const kl_kbody *b)
{
    return b->inertia.m > 0 ? kl_scale(1 / b->inertia.m, b->inertia.s0) : b->inertia.s0;
}

kl_mat3 kl_kbody_central_inertia(const kl_kbody *b)
{
    kl_vec3 c = kl_kbody_centre(b);
    kl_mat3 I = kl_identity(), o = kl_outer(c, c);
    kl_mat3 J = kl_mat_axpy(-b->inertia.m * kl_dot(c, c), &I, &b->inertia.J0);
    return kl_mat_axpy(b->inertia.m, &o, &J);
}

void kl_kbody_participation(const kl_kbody *b, int mode, double L[6], double effective[6])
{
    kl_vec3 P = kl_load(b->inertia.S1 + 3 * mode), H = kl_load(b->inertia.H0 + 3 * mode);
    kl_store(L, P);
    kl_store(L + 3, kl_sub(H, kl_cross(kl_kbody_centre(b), P)));
    double mass = b->Mff[(size_t)mode * (size_t)b->nmode + (size_t)mode];
    for (int k = 0; k < 6; k++) effective[k] = mass > 0 ? L[k] * L[k] / mass : 0.0;
}
