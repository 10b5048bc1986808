#include "dynamics/assembler.h"

#include <string.h>

#include "dynamics/assembler_parts.h"
#include "dynamics/element_mass.h"
#include "dynamics/slopes.h"

/* velocities of the largest body that an element holds on to */
static int largest_body(const kl_model *m, const kl_element *e)
{
    int most = 0;
    for (int k = 0; k < e->nmarker; k++) {
        int nv = m->body[kl_body_of(m, e, k)].nv;
        most   = nv > most ? nv : most;
    }
    return most;
}

bool kl_assembler_couples(const kl_assembler *x, const kl_element *e)
{
    if (x->coupling == KL_COUPLED_BY_MASS) return kl_element_mass(e) != NULL;
    return x->coupling == KL_COUPLED_BY_CONSTRAINTS || !e->type->only_constrains;
}

/* ---- pattern and slots ---- */

static void announce_pattern(const kl_model *m, kl_assembler *x)
{
    int z0 = m->nv, l0 = m->nv + m->nz;
    for (int i = 0; i < m->nbody; i++)
        kl_pattern_add(x->arena, &x->p, m->body[i].v, m->body[i].nv, m->body[i].v, m->body[i].nv);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (int a = 0; a < e->nmarker; a++) {
            const kl_body *ba = &m->body[kl_body_of(m, e, a)];
            for (int b = 0; kl_assembler_couples(x, e) && !e->type->link && b < e->nmarker; b++) {
                const kl_body *bb = &m->body[kl_body_of(m, e, b)];
                kl_pattern_add(x->arena, &x->p, ba->v, ba->nv, bb->v, bb->nv);
            }
            kl_pattern_add(x->arena, &x->p, l0 + e->phi, e->nphi, ba->v, ba->nv);
            kl_pattern_add(x->arena, &x->p, ba->v, ba->nv, l0 + e->phi, e->nphi);
            if (x->coupling == KL_COUPLED_BY_MASS) continue;
            kl_pattern_add(x->arena, &x->p, z0 + e->z, e->nz, ba->v, ba->nv);
            kl_pattern_add(x->arena, &x->p, ba->v, ba->nv, z0 + e->z, e->nz);
        }
        kl_pattern_add(x->arena, &x->p, z0 + e->z, e->nz, z0 + e->z, e->nz);
    }
    for (int k = 0; k < x->nlinked; k++) {
        const kl_body *a = &m->body[x->linked[k][0]], *b = &m->body[x->linked[k][1]];
        kl_pattern_add(x->arena, &x->p, a->v, a->nv, b->v, b->nv);
        kl_pattern_add(x->arena, &x->p, b->v, b->nv, a->v, a->nv);
    }
    for (int k = 0; k < m->nlam; k++) kl_pattern_add(x->arena, &x->p, l0 + k, 1, l0 + k, 1);
}

static int *slots_of(kl_assembler *x, int row, int nrow, int column, int ncol)
{
    int *slot = kl_arena_array(x->arena, int, ncol > 0 ? ncol : 1);
    for (int c = 0; slot && nrow > 0 && c < ncol; c++)
        slot[c] = kl_pattern_slot(&x->p, row, column + c);
    return slot;
}

/* slots of (rows of marker i's body) x (n columns from `column`), for all markers, one after the
 * other */
static int *tall_slots(const kl_model *m, kl_assembler *x, const kl_element *e, int column, int n)
{
    int *slot = kl_arena_array(x->arena, int, e->nmarker *n + 1);
    for (int i = 0; slot && i < e->nmarker; i++) {
        const kl_body *b = &m->body[kl_body_of(m, e, i)];
        for (int c = 0; c < n; c++)
            slot[i * n + c] = b->nv ? kl_pattern_slot(&x->p, b->v, column + c) : -1;
    }
    return slot;
}

/* slots of (n rows from `row`) x (columns of marker j's body), `most` apart */
static int *wide_slots(const kl_model *m, kl_assembler *x, const kl_element *e, int row, int n)
{
    int  most = largest_body(m, e);
    int *slot = kl_arena_array(x->arena, int, (n > 0 ? e->nmarker * most : 0) + 1);
    for (int j = 0; slot && n > 0 && j < e->nmarker; j++) {
        const kl_body *b = &m->body[kl_body_of(m, e, j)];
        for (int c = 0; c < b->nv; c++) slot[j * most + c] = kl_pattern_slot(&x->p, row, b->v + c);
    }
    return slot;
}

/* slots of (rows of marker i's body) x (columns of marker j's body) for all pairs */
static int *pair_slots(const kl_model *m, kl_assembler *x, const kl_element *e)
{
    if (e->type->link) return NULL; /* looked up link by link */
    int  most = largest_body(m, e);
    int *slot = kl_arena_array(x->arena, int, e->nmarker * e->nmarker * most + 1);
    for (int a = 0; slot && a < e->nmarker; a++)
        for (int b = 0; b < e->nmarker; b++) {
            const kl_body *ba = &m->body[kl_body_of(m, e, a)], *bb = &m->body[kl_body_of(m, e, b)];
            for (int c = 0; c < most; c++)
                slot[(a * e->nmarker + b) * most + c] =
                    ba->nv && c < bb->nv ? kl_pattern_slot(&x->p, ba->v, bb->v + c) : -1;
        }
    return slot;
}

static void find_slots(const kl_model *m, kl_assembler *x)
{
    int z0 = m->nv, l0 = m->nv + m->nz;
    for (int i = 0; i < m->nbody; i++)
        x->body_slot[i] = slots_of(x, m->body[i].v, m->body[i].nv, m->body[i].v, m->body[i].nv);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        kl_element_slots *s = &x->slots[i];
        s->most             = largest_body(m, e);
        s->row              = wide_slots(m, x, e, l0 + e->phi, e->nphi);
        s->column           = tall_slots(m, x, e, l0 + e->phi, e->nphi);
        s->zk               = wide_slots(m, x, e, z0 + e->z, e->nz);
        s->wz               = tall_slots(m, x, e, z0 + e->z, e->nz);
        s->zz               = slots_of(x, z0 + e->z, e->nz, z0 + e->z, e->nz);
        s->body             = pair_slots(m, x, e);
    }
    for (int k = 0; k < x->p.n; k++) x->diagonal[k] = kl_pattern_slot(&x->p, k, k);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static void take_scratch(const kl_model *m, kl_assembler *x)
{
    size_t nB = 0, slopes = 1, room = 1, markers = 1, constraints = 1;
    for (int i = 0; x->map && i < m->nmarker; i++) {
        x->map[i] = (int)nB;
        nB += 6 * (size_t)m->body[m->marker[i].body].nv;
    }
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        slopes              = larger(slopes, kl_slopes_size(e));
        markers             = larger(markers, (size_t)e->nmarker);
        constraints         = larger(constraints, (size_t)e->nphi);
        if (!e->type->tangent && !e->type->stiffness && !e->type->link)
            room = larger(room, kl_difference_room(e));
    }
    size_t nv = (size_t)x->most_nv;
    x->B      = kl_arena_array(x->arena, double, nB + 1);
    x->Q      = kl_arena_array(x->arena, double, nB + 1);
    x->slopes = kl_arena_array(x->arena, double, slopes);
    x->room   = kl_arena_take(x->arena, room);
    x->plain  = kl_arena_array(x->arena, bool, (size_t)m->nmarker + 1);
    x->wanted = kl_arena_array(x->arena, unsigned char, 6 * markers);
    x->dense  = kl_arena_array(x->arena, double, 3 * nv * larger(nv, 6) + 1);
    x->vector = kl_arena_array(x->arena, double, 2 * nv + 1);
    x->none   = kl_arena_array(x->arena, double, constraints);
}

/* With `n` pairs of bodies that links couple. */
static kl_assembler *create(const kl_model *m, kl_coupling coupling, int (*pair)[2], int n)
{
    kl_arena     *a = kl_arena_create();
    kl_assembler *x = kl_arena_array(a, kl_assembler, 1);
    if (!x) {
        kl_arena_destroy(a);
        return NULL;
    }
    *x    = (kl_assembler){.arena = a, .coupling = coupling};
    x->nv = m->nv, x->nz = m->nz, x->nlam = m->nlam;
    x->p.n = m->nv + m->nz + m->nlam;
    for (int i = 0; i < m->nbody; i++)
        if (m->body[i].nv > x->most_nv) x->most_nv = m->body[i].nv;
    x->linked    = kl_arena_take_array(a, (size_t)n + 1, sizeof *x->linked);
    x->link_slot = kl_arena_array(a, int, x->most_nv + 1);
    if (x->linked && n > 0) memcpy(x->linked, pair, (size_t)n * sizeof *x->linked);
    x->nlinked = x->linked ? n : 0;
    announce_pattern(m, x);
    x->map       = kl_arena_array(a, int, m->nmarker + 1);
    x->body_slot = kl_arena_array(a, int *, m->nbody);
    x->slots     = kl_arena_array(a, kl_element_slots, m->nelement + 1);
    x->diagonal  = kl_arena_array(a, int, x->p.n + 1);
    take_scratch(m, x);
    if (kl_arena_ok(a) && kl_pattern_close(a, &x->p)) {
        x->values = kl_arena_array(a, double, x->p.nnz + 1);
        find_slots(m, x);
        if (kl_arena_ok(a)) return x;
    }
    kl_arena_destroy(a);
    return NULL;
}

kl_assembler *kl_assembler_create(const kl_model *m, kl_coupling coupling)
{
    return create(m, coupling, NULL, 0);
}

/* ---- links ---- */

typedef struct pair_list {
    int (*pair)[2]; /* room for `most`; NULL: only counted */
    int n, most;
} pair_list;

static void take_pair(pair_list *l, int a, int b)
{
    for (int i = 0; i < l->n && l->pair; i++)
        if (l->pair[i][0] == a && l->pair[i][1] == b) return;
    if (l->pair && l->n < l->most) l->pair[l->n][0] = a, l->pair[l->n][1] = b;
    if (!l->pair || l->n < l->most) l->n++;
}

/* Calls `see` for each pair of bodies that a link couples now; false when one of the calls is. */
static bool each_linked(const kl_model *m, const kl_state *s, const kl_work *w,
                        bool (*see)(void *context, int a, int b), void *context)
{
    kl_link link;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        if (!e->type->link) continue;
        kl_reading in = kl_reading_of(m, s, w, e);
        for (int k = 0; k < KL_MOST_LINKS && e->type->link(&in, k, &link); k++)
            for (int a = 0; a < link.n; a++)
                for (int b = a + 1; b < link.n; b++)
                    if (!see(context, kl_body_of(m, e, link.marker[a]),
                             kl_body_of(m, e, link.marker[b])))
                        return false;
    }
    return true;
}

typedef struct pattern_of {
    const kl_model   *m;
    const kl_pattern *p;
} pattern_of;

static bool is_covered(void *context, int a, int b)
{
    const pattern_of *c  = context;
    const kl_body    *ba = &c->m->body[a], *bb = &c->m->body[b];
    return ba->nv == 0 || bb->nv == 0 || kl_pattern_slot(c->p, ba->v, bb->v) >= 0;
}

bool kl_assembler_covers(const kl_model *m, const kl_state *s, const kl_work *w,
                         const kl_assembler *x)
{
    pattern_of c = {m, &x->p};
    return each_linked(m, s, w, is_covered, &c);
}

static bool note_pair(void *context, int a, int b)
{
    if (a < b) take_pair(context, a, b);
    else take_pair(context, b, a);
    return true;
}

/* Links of before stay while they are not many more than those of now, so that pairs that come and go
 * do not change the pattern each time. */
kl_assembler *kl_assembler_renew(const kl_model *m, const kl_state *s, const kl_work *w,
                                 const kl_assembler *x)
{
    pair_list count = {0};
    each_linked(m, s, w, note_pair, &count);
    bool      keep = x->nlinked <= 3 * count.n + 16;
    kl_arena *room = kl_arena_create();
    pair_list all  = {.most = count.n + x->nlinked};
    all.pair       = kl_arena_take_array(room, (size_t)all.most + 1, sizeof *all.pair);
    if (!all.pair) {
        kl_arena_destroy(room);
        return NULL;
    }
    each_linked(m, s, w, note_pair, &all);
    for (int i = 0; keep && i < x->nlinked; i++) note_pair(&all, x->linked[i][0], x->linked[i][1]);
    kl_assembler *fresh = create(m, x->coupling, all.pair, all.n);
    kl_arena_destroy(room);
    return fresh;
}

void kl_assembler_destroy(kl_assembler *x)
{
    if (x) kl_arena_destroy(x->arena); /* the object itself lives in it */
}
