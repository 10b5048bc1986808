#include "contact/pair.h"

#include <math.h>

#define CORE(a, b)                                                                                 \
    {                                                                                              \
        KL_SOLID_##a, KL_SOLID_##b, "core", kl_pair_core                                           \
    }
#define PLANE(a)                                                                                   \
    {                                                                                              \
        KL_SOLID_##a, KL_SOLID_PLANE, "plane", kl_pair_plane                                       \
    }
#define CONVEX(a, b)                                                                               \
    {                                                                                              \
        KL_SOLID_##a, KL_SOLID_##b, "convex", kl_pair_convex                                       \
    }
#define MESH(b)                                                                                    \
    {                                                                                              \
        KL_SOLID_MESH, KL_SOLID_##b, "mesh", kl_pair_mesh                                          \
    }

const kl_pair_row kl_pair_rows[] = {
    CORE(SPHERE, SPHERE),
    CORE(SPHERE, PLANE),
    CORE(SPHERE, CYLINDER),
    CORE(SPHERE, CAPSULE),
    CORE(SPHERE, BOX),
    CORE(SPHERE, CONE),
    CORE(SPHERE, ELLIPSOID),
    CORE(SPHERE, TORUS),
    CORE(SPHERE, REVOLVED_ARC),
    CORE(SPHERE, EXTRUDED_ARC),
    CORE(SPHERE, SURFACE),
    CORE(SPHERE, MESH),
    CORE(CAPSULE, CAPSULE),
    CORE(CAPSULE, CYLINDER),
    CORE(CAPSULE, BOX),
    CORE(CAPSULE, CONE),
    CORE(CAPSULE, ELLIPSOID),
    CORE(CAPSULE, MESH),
    CORE(TORUS, TORUS),
    CORE(TORUS, ELLIPSOID),
    CORE(TORUS, CYLINDER),
    CORE(TORUS, BOX),
    CORE(TORUS, CAPSULE),
    CORE(REVOLVED_ARC, EXTRUDED_ARC),
    CORE(REVOLVED_ARC, CYLINDER),
    CORE(SURFACE, SURFACE),
    CORE(SURFACE, PLANE),
    PLANE(CYLINDER),
    PLANE(CAPSULE),
    PLANE(BOX),
    PLANE(CONE),
    PLANE(ELLIPSOID),
    PLANE(TORUS),
    PLANE(REVOLVED_ARC),
    PLANE(MESH),
    {KL_SOLID_ELLIPSOID, KL_SOLID_ELLIPSOID, "normal", kl_pair_normal},
    CONVEX(CYLINDER, CYLINDER),
    CONVEX(CYLINDER, BOX),
    CONVEX(CYLINDER, CONE),
    CONVEX(BOX, BOX),
    CONVEX(BOX, CONE),
    CONVEX(CONE, CONE),
    CONVEX(ELLIPSOID, BOX),
    CONVEX(ELLIPSOID, CYLINDER),
    MESH(BOX),
    MESH(CYLINDER),
    MESH(MESH),
    {KL_SOLID_CYLINDER, KL_SOLID_CYLINDER, NULL, NULL},
};

static const kl_pair_row hole_row = {KL_SOLID_CYLINDER, KL_SOLID_CYLINDER, "hole", kl_pair_hole};

/* What is hollow is touched from within: by a ball, a pin, or what is a core with a radius. */
static bool hollow_works(const kl_solid *in, const kl_solid *hollow)
{
    if (in->inside) return false;
    if (hollow->kind == KL_SOLID_CYLINDER)
        return in->kind == KL_SOLID_SPHERE || in->kind == KL_SOLID_CAPSULE ||
               in->kind == KL_SOLID_TORUS || in->kind == KL_SOLID_CYLINDER;
    return in->kind == KL_SOLID_SPHERE;
}

const kl_pair_row *kl_pair_row_of(const kl_solid *a, const kl_solid *b, bool *swapped)
{
    if (a->inside || b->inside) {
        bool second = b->inside;
        if (!(second ? hollow_works(a, b) : hollow_works(b, a))) return NULL;
        if (a->kind == KL_SOLID_CYLINDER && b->kind == KL_SOLID_CYLINDER) {
            *swapped = !second;
            return &hole_row;
        }
    }
    for (const kl_pair_row *r = kl_pair_rows; r->find; r++) {
        if (r->a == a->kind && r->b == b->kind) {
            *swapped = r->a == r->b && a->inside; /* the hollow one is the second */
            return r;
        }
        if (r->b == a->kind && r->a == b->kind) {
            *swapped = true;
            return r;
        }
    }
    return NULL;
}

static void turn_round(kl_spots *t)
{
    for (int i = 0; i < t->n; i++) {
        kl_spot *x  = &t->item[i];
        kl_vec3  p  = x->p1;
        int      i1 = x->part[0];
        x->p1 = x->p2, x->p2 = p, x->n = kl_neg(x->n);
        x->part[0] = x->part[1], x->part[1] = i1;
    }
}

void kl_pair_find(const kl_pair *p, const kl_spots *warm, kl_spots *out)
{
    bool               swapped = false;
    const kl_pair_row *row     = kl_pair_row_of(p->a, p->b, &swapped);
    out->n                     = 0;
    if (!row) return;
    kl_pair        other = {p->b, p->a, p->B, p->A};
    const kl_pair *q     = swapped ? &other : p;
    bool           chain =
        q->a->kind == KL_SOLID_REVOLVED_ARC && q->a->narc > 0 && q->b->kind != KL_SOLID_PLANE;
    (chain ? kl_pair_chain : row->find)(q, warm && warm->n > 0 ? warm : NULL, out);
    if (swapped) turn_round(out);
}

const kl_spot *kl_spots_nearest(const kl_spots *t)
{
    const kl_spot *best = NULL;
    for (int i = 0; i < t->n; i++)
        if (!t->item[i].idle && (!best || t->item[i].gap < best->gap)) best = &t->item[i];
    return best;
}

bool kl_pair_numbers_places(const kl_solid *a, const kl_solid *b)
{
    bool               swapped = false;
    const kl_pair_row *row     = kl_pair_row_of(a, b, &swapped);
    if (!row) return false;
    if (row->find == kl_pair_mesh) return true;
    if (row->find != kl_pair_core || a->narc + b->narc > 0) return false;
    const kl_solid *first = swapped ? b : a, *second = swapped ? a : b;
    bool            on_convex =
        first->kind == KL_SOLID_CAPSULE && !second->inside && kl_solid_types[second->kind].convex;
    return first->kind != KL_SOLID_SPHERE && !on_convex;
}

/* The nearest of both lists that have no partner yet: i of `to`, k of `from`. */
static bool nearest_places(const kl_spots *from, int slots, const int *taken, const kl_spots *to,
                           const int *key, int *i, int *k)
{
    double least = (double)INFINITY;
    for (int m = 0; m < to->n; m++)
        for (int j = 0; key[m] < 0 && j < from->n; j++) {
            double far      = kl_norm(kl_sub(from->item[j].p1, to->item[m].p1));
            bool   has_slot = from->item[j].key >= 0 && from->item[j].key < slots;
            if (taken[j] || !has_slot || !(far < least)) continue;
            least = far, *i = m, *k = j;
        }
    return least < (double)INFINITY;
}

/* More places than slots: those that are closed take the slots of open ones. */
static void close_in_slots(int slots, kl_spots *t)
{
    for (int m = 0; m < t->n; m++) {
        int open = m;
        if (t->item[m].key < slots || t->item[m].gap >= 0.0) continue;
        for (int i = 0; i < t->n; i++)
            if (t->item[i].key < slots && t->item[i].gap > t->item[open].gap) open = i;
        if (t->item[open].gap < 0.0) continue;
        int swap          = t->item[m].key;
        t->item[m].key    = t->item[open].key;
        t->item[open].key = swap;
    }
}

void kl_spots_keep_keys(const kl_spots *from, int slots, kl_spots *to)
{
    int  key[KL_PAIR_SPOTS], taken[KL_PAIR_SPOTS] = {0}, i = 0, k = 0, next = slots;
    bool used[KL_PAIR_SPOTS] = {false};
    for (int m = 0; m < to->n; m++) key[m] = -1;
    while (nearest_places(from, slots, taken, to, key, &i, &k)) {
        key[i] = from->item[k].key, taken[k] = 1;
        used[key[i]] = true;
    }
    for (;;) {
        int deepest = -1, free_key = 0;
        for (int m = 0; m < to->n; m++)
            if (key[m] < 0 && (deepest < 0 || to->item[m].gap < to->item[deepest].gap)) deepest = m;
        if (deepest < 0) break;
        while (free_key < slots && used[free_key]) free_key++;
        key[deepest] = free_key < slots ? free_key : next++;
        if (free_key < slots) used[free_key] = true;
    }
    for (int m = 0; m < to->n; m++) to->item[m].key = key[m];
    close_in_slots(slots, to);
}

void kl_spots_add(kl_spots *t, const kl_spot *item)
{
    if (t->n < KL_PAIR_SPOTS) t->item[t->n++] = *item;
}

/* With principal curvatures k, k' of both surfaces and the angle w between their directions:
 * 2 (A + B) = sum of all four, 2 (B - A) = |(k1 - k1') e^(2 i 0) + (k2 - k2') e^(2 i w)|. */
void kl_pair_curvature(const kl_pair *p, const kl_spot *t, double *A, double *B)
{
    double  k1[2] = {0, 0}, k2[2] = {0, 0};
    kl_vec3 d1 = kl_normal_to(t->n), d2 = d1;
    *A = *B                 = 0.0;
    const kl_solid_type *ta = &kl_solid_types[p->a->kind], *tb = &kl_solid_types[p->b->kind];
    if (!ta->curvature || !tb->curvature) return;
    ta->curvature(p->a, kl_pose_local(&p->A, t->p1), k1, &d1);
    tb->curvature(p->b, kl_pose_local(&p->B, t->p2), k2, &d2);
    d1 = kl_mul(&p->A.A, d1), d2 = kl_mul(&p->B.A, d2);
    double c = kl_dot(d1, d2), s = kl_dot(kl_cross(d1, d2), t->n), w = atan2(s, c);
    double e1 = k1[0] - k1[1], e2 = k2[0] - k2[1];
    double sum  = 0.5 * (k1[0] + k1[1] + k2[0] + k2[1]),
           diff = 0.5 * sqrt(fmax(0.0, e1 * e1 + e2 * e2 + 2.0 * e1 * e2 * cos(2.0 * w)));
    *A = 0.5 * (sum - diff), *B = 0.5 * (sum + diff);
}
