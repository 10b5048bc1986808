/* Matrices with tangents of elements from earlier ones. What an element adds is linear in the weights of
 * stiffness and damping, so both parts are kept, value by value. */
#include <stdlib.h>
#include <string.h>

#include "dynamics/assembler_parts.h"
#include "dynamics/element_mass.h"

/* What one element adds: values at slots, part by part. */
typedef struct kept_tangent {
    int     n;
    int    *slot;
    double *stiffness, *damping; /* n: for unit weights */
    bool    known;
} kept_tangent;

typedef struct kl_kept_tangents {
    kept_tangent *of;     /* nelement; n 0: not kept */
    double       *values; /* nnz: scratch, zero between calls */
} kl_kept_tangents;

/* Values of an element at most, beyond which reading them takes as long as making them. */
enum { MOST_KEPT = 600 };

static int count_values(const kl_model *m, const kl_element *e)
{
    int nv = 0;
    if (e->type->link || e->type->stiffness) return 0;
    for (int i = 0; i < e->nmarker; i++) nv += m->body[kl_body_of(m, e, i)].nv;
    int n = (nv + e->nz) * (nv + e->nz);
    return n <= MOST_KEPT ? n : 0;
}

static void take_slots(kept_tangent *k, int first, int n)
{
    for (int i = 0; first >= 0 && i < n; i++) k->slot[k->n++] = first + i;
}

static int by_slot(const void *pa, const void *pb)
{
    int a = *(const int *)pa, b = *(const int *)pb;
    return (a > b) - (a < b);
}

/* Each slot once, in order: two markers may be on one body. */
static void list_slots(const kl_model *m, const kl_assembler *x, int index, kept_tangent *k)
{
    const kl_element       *e    = &m->element[index];
    const kl_element_slots *slot = &x->slots[index];
    for (int i = 0; i < e->nmarker; i++) {
        const kl_body *bi = &m->body[kl_body_of(m, e, i)];
        if (bi->nv == 0) continue;
        for (int j = 0; j < e->nmarker; j++) {
            const kl_body *bj = &m->body[kl_body_of(m, e, j)];
            if (bj->nv == 0 || (!kl_assembler_couples(x, e) && bi != bj)) continue;
            for (int c = 0; c < bj->nv; c++)
                take_slots(k, slot->body[(i * e->nmarker + j) * slot->most + c], bi->nv);
        }
        for (int z = 0; z < e->nz; z++) take_slots(k, slot->wz[i * e->nz + z], bi->nv);
        for (int c = 0; e->nz > 0 && c < bi->nv; c++)
            take_slots(k, slot->zk[i * slot->most + c], e->nz);
    }
    for (int z = 0; z < e->nz; z++) take_slots(k, slot->zz[z], e->nz);
    qsort(k->slot, (size_t)k->n, sizeof *k->slot, by_slot);
    int n = 0;
    for (int i = 0; i < k->n; i++)
        if (i == 0 || k->slot[i] != k->slot[n - 1]) k->slot[n++] = k->slot[i];
    k->n = n;
}

static bool create_kept(const kl_model *m, kl_assembler *x)
{
    kl_arena         *a = x->arena;
    kl_kept_tangents *k = kl_arena_array(a, kl_kept_tangents, 1);
    if (!k) return false;
    k->values = kl_arena_array(a, double, x->p.nnz + 1);
    k->of     = kl_arena_array(a, kept_tangent, m->nelement + 1);
    for (int i = 0; k->of && i < m->nelement; i++) {
        kept_tangent *t    = &k->of[i];
        size_t        room = (size_t)count_values(m, &m->element[i]);
        if (room == 0) continue;
        t->slot      = kl_arena_array(a, int, room);
        t->stiffness = kl_arena_array(a, double, room);
        t->damping   = kl_arena_array(a, double, room);
        if (kl_arena_ok(a)) list_slots(m, x, i, t);
    }
    if (kl_arena_ok(a)) x->kept = k;
    return kl_arena_ok(a);
}

/* Takes the values at the element's slots out of the scratch. */
static void gather(kl_assembler *x, const kept_tangent *k, double *part)
{
    for (int i = 0; i < k->n; i++) {
        part[i]               = x->values[k->slot[i]];
        x->values[k->slot[i]] = 0.0;
    }
}

static void renew_tangent(const kl_model *m, const kl_state *s, kl_work *w, kl_assembler *x,
                          int index, const double *lambda, const double *dx)
{
    const kl_element *e       = &m->element[index];
    kept_tangent     *k       = &x->kept->of[index];
    double           *values  = x->values;
    const kl_weights  part[2] = {{.stiffness = 1.0}, {.damping = 1.0}};
    kl_slopes         t;
    x->values = x->kept->values;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < e->nmarker; j++) kl_fill_map(m, w, x, e->marker + j, part[i], dx);
        if (i == 0) t = kl_slopes_of(m, s, w, x, e, lambda);
        kl_spread_slopes(m, w, x, index, part[i], &t, 1.0 - i);
        gather(x, k, i == 0 ? k->stiffness : k->damping);
    }
    x->values = values;
    k->known  = true;
}

static void add_kept(kl_assembler *x, const kept_tangent *k, kl_weights c)
{
    for (int i = 0; i < k->n; i++)
        x->values[k->slot[i]] += c.stiffness * k->stiffness[i] + c.damping * k->damping[i];
}

kl_status kl_assemble_kept(const kl_model *m, const kl_state *s, kl_work *w, kl_assembler *x,
                           kl_weights c, const double *a, const double *lambda, const double *dx,
                           const unsigned char *renew)
{
    if (!x->kept && !create_kept(m, x)) return KL_E_MEMORY;
    memset(x->values, 0, (size_t)x->p.nnz * sizeof(double));
    for (int i = 0; i < m->nbody; i++) kl_add_body(m, w, x, i, c, a, dx);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        kept_tangent     *k = &x->kept->of[i];
        if (k->n > 0 && (!renew || !k->known || kl_element_is_in(m, e, renew)))
            renew_tangent(m, s, w, x, i, lambda, dx);
        if (k->n > 0) add_kept(x, k, c);
        if (k->n > 0 && e->nphi == 0 && !kl_element_mass(e)) continue;
        for (int j = 0; j < e->nmarker; j++) kl_fill_map(m, w, x, e->marker + j, c, dx);
        kl_add_element(m, s, w, x, i, c, lambda, dx, k->n == 0);
    }
    for (int k = 0; k < m->nz; k++) x->values[x->diagonal[m->nv + k]] += c.state;
    return KL_OK;
}
