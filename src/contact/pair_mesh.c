/* A mesh against a box, a cylinder or another mesh: the signed distance of the other shape along the
 * edges of the mesh, and of the mesh at corners of the other. The deepest places that are not side
 * by side are kept. */
#include <math.h>

#include "contact/contact_mesh.h"
#include "contact/pair.h"

enum { CANDIDATES = 256 };

typedef struct found {
    kl_spot item[CANDIDATES];
    int     n;
    double  margin, best;
} found;

static void note(found *f, const kl_spot *t)
{
    if (t->gap > f->best + f->margin) return;
    if (t->gap < f->best) f->best = t->gap;
    int at = f->n < CANDIDATES ? f->n++ : 0;
    if (at == 0 && f->n == CANDIDATES)
        for (int i = 1; i < CANDIDATES; i++)
            if (f->item[i].gap > f->item[at].gap) at = i;
    if (f->n < CANDIDATES || t->gap < f->item[at].gap || at == f->n - 1) f->item[at] = *t;
}

static double signed_distance_at(const kl_solid *s, const kl_pose *S, kl_vec3 p, kl_offset *d)
{
    *d = (kl_offset){0};
    kl_solid_project(s, kl_pose_local(S, p), d);
    return d->d;
}

static void note_point(const kl_solid *s, const kl_pose *S, kl_vec3 p, bool second, found *f)
{
    kl_offset d;
    signed_distance_at(s, S, p, &d);
    kl_vec3 n = kl_mul(&S->A, d.n), foot = kl_pose_point(S, d.foot);
    kl_spot t = {.gap = d.d, .p1 = p, .p2 = foot, .n = kl_neg(n)};
    if (second) t.p1 = foot, t.p2 = p, t.n = n;
    note(f, &t);
}

/* The slope of a distance along an edge changes its sign once where the other shape is convex. */
static void edge(const kl_pair *q, kl_vec3 a, kl_vec3 b, found *f)
{
    kl_vec3   e = kl_sub(b, a);
    kl_offset d;
    double    low = 0.0, high = 1.0, length = kl_norm(e);
    double fa = signed_distance_at(q->b, &q->B, a, &d), fb = signed_distance_at(q->b, &q->B, b, &d);
    if (fmin(fa, fb) - 0.5 * length > f->best + f->margin) return; /* the slope is 1 at most */
    for (int i = 0; i < 40; i++) {
        double  x = 0.5 * (low + high);
        kl_vec3 p = kl_axpy(x, e, a);
        signed_distance_at(q->b, &q->B, p, &d);
        if (kl_dot(kl_mul(&q->B.A, d.n), e) > 0.0) high = x;
        else low = x;
    }
    if (low > 1e-9 && high < 1.0 - 1e-9)
        note_point(q->b, &q->B, kl_axpy(0.5 * (low + high), e, a), false, f);
}

static void corners_of(const kl_pair *q, found *f)
{
    const kl_solid *s = q->b;
    if (s->kind == KL_SOLID_MESH) {
        for (int i = 0; i < s->mesh->npoint; i++)
            note_point(q->a, &q->A, kl_pose_point(&q->B, s->mesh->point[i]), true, f);
    } else if (s->kind == KL_SOLID_BOX) {
        for (int k = 0; k < 8; k++)
            note_point(q->a, &q->A,
                       kl_pose_point(&q->B, kl_vec(k & 1 ? s->size.x : -s->size.x,
                                                   k & 2 ? s->size.y : -s->size.y,
                                                   k & 4 ? s->size.z : -s->size.z)),
                       true, f);
    } else {
        for (int k = 0; k < 48; k++) {
            double phi = 2.0 * KL_PI * (k % 24) / 24.0;
            note_point(q->a, &q->A,
                       kl_pose_point(&q->B, kl_vec(s->radius * cos(phi), s->radius * sin(phi),
                                                   k < 24 ? -s->half : s->half)),
                       true, f);
        }
    }
}

/* Deepest first; none within `apart` of one that is taken. */
static void choose(found *f, double apart, kl_spots *out)
{
    while (out->n < 8) {
        int best = -1;
        for (int i = 0; i < f->n; i++) {
            if (f->item[i].gap > f->best + f->margin) continue;
            if (best < 0 || f->item[i].gap < f->item[best].gap) best = i;
        }
        if (best < 0) return;
        kl_spot t = f->item[best];
        t.key     = out->n;
        kl_spots_add(out, &t);
        for (int i = 0; i < f->n; i++)
            if (kl_norm(kl_sub(f->item[i].p1, t.p1)) < apart) f->item[i].gap = (double)INFINITY;
    }
}

void kl_pair_mesh(const kl_pair *q, const kl_spots *warm, kl_spots *out)
{
    const kl_hull *h = q->a->mesh;
    kl_vec3        c, half;
    found          f = {.best = (double)INFINITY};
    (void)warm;
    kl_hull_bounds(h, &c, &half);
    f.margin = 0.02 * kl_norm(half);
    for (int i = 0; i < h->npoint; i++)
        note_point(q->b, &q->B, kl_pose_point(&q->A, h->point[i]), false, &f);
    for (int t = 0; t < h->ntriangle; t++)
        for (int k = 0; k < 3; k++) {
            int a = h->corner[t][k], b = h->corner[t][(k + 1) % 3];
            if (a < b)
                edge(q, kl_pose_point(&q->A, h->point[a]), kl_pose_point(&q->A, h->point[b]), &f);
        }
    corners_of(q, &f);
    choose(&f, 0.1 * kl_norm(half), out);
}
