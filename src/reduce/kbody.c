/* The reduced body: life, and what follows from its invariants. */
#include "reduce/kbody.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"

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

kl_status kl_kbody_effective_mass(const kl_kbody *b, double effective[6])
{
    size_t  n = (size_t)b->nmode;
    double *R = malloc((n * n + 1) * sizeof(double)), *L = malloc((6 * n + 1) * sizeof(double)),
           unused[6];
    kl_status status = R && L ? KL_OK : KL_E_MEMORY;
    for (int k = 0; k < 6; k++) effective[k] = 0.0;
    if (status == KL_OK) {
        memcpy(R, b->Mff, n * n * sizeof(double));
        for (int j = 0; j < b->nmode; j++) kl_kbody_participation(b, j, L + 6 * j, unused);
        status = kl_cholesky(b->nmode, R);
    }
    if (status == KL_OK) {
        kl_right_divide(6, b->nmode, R, L, 6);
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < 6; k++) effective[k] += L[6 * j + k] * L[6 * j + k];
    }
    free(R);
    free(L);
    return status;
}

bool kl_kbody_is_orthogonal(const kl_kbody *b)
{
    size_t n = (size_t)b->nmode;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double m = b->Mff[i * n + j];
            if (m * m > 1e-12 * b->Mff[i * n + i] * b->Mff[j * n + j]) return false;
        }
    return true;
}
