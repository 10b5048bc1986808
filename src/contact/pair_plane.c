/* Corners, rims and deepest points of a shape over a plane. The plane is the second shape. */
#include <math.h>

#include "contact/contact_mesh.h"
#include "contact/pair.h"

typedef struct ground {
    kl_vec3 n;   /* of the plane, in the axes of the shape, towards which the material ends */
    double  off; /* height over the plane of the shape's origin */
} ground;

static void add_point(const kl_pair *q, const ground *g, kl_vec3 x, int key, kl_spots *out)
{
    kl_vec3 n = kl_mul(&q->A.A, g->n), p = kl_pose_point(&q->A, x);
    double  gap = g->off + kl_dot(g->n, x);
    kl_spot t   = {.gap = gap, .p1 = p, .p2 = kl_axpy(-gap, n, p), .n = kl_neg(n), .key = key};
    kl_spots_add(out, &t);
}

/* Four points of a rim of radius r in the plane z, the deepest first. */
static void add_rim(const kl_pair *q, const ground *g, double r, double z, int key, kl_spots *out)
{
    double  phase = kl_rim_phase(kl_neg(g->n));
    kl_vec3 e     = kl_vec(cos(phase), sin(phase), 0);
    kl_vec3 s = kl_vec(-e.y, e.x, 0), c = kl_vec(0, 0, z);
    add_point(q, g, kl_axpy(r, e, c), key, out);
    if (r == 0.0) return;
    add_point(q, g, kl_axpy(r, s, c), key + 1, out);
    add_point(q, g, kl_axpy(-r, s, c), key + 2, out);
    add_point(q, g, kl_axpy(-r, e, c), key + 3, out);
}

static void add_box(const kl_pair *q, const ground *g, kl_vec3 h, kl_spots *out)
{
    for (int k = 0; k < 8; k++)
        add_point(q, g, kl_vec(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z), k, out);
}

/* Deepest point of an arc turned about y: where its normal is against the plane's, or an end. */
static double deepest_of_arc(const ground *g, const kl_arc2 *arc, double side, kl_vec3 *deepest)
{
    double  across = hypot(g->n.x, g->n.z), best = (double)INFINITY;
    kl_vec3 e   = across > 1e-12 ? kl_vec(-g->n.x / across, 0, -g->n.z / across) : kl_vec(1, 0, 0);
    double  low = fmin(arc->theta[0], arc->theta[1]), high = fmax(arc->theta[0], arc->theta[1]);
    double  want = atan2(-side * g->n.y, side * across), turn = want - low;
    turn -= 2.0 * KL_PI * floor(turn / (2.0 * KL_PI));
    double angle[3] = {low, high, low + turn};
    for (int k = 0; k < (turn <= high - low ? 3 : 2); k++) {
        double  R = arc->c[0] + arc->radius * cos(angle[k]);
        kl_vec3 p = kl_axpy(R, e, kl_vec(0, arc->c[1] + arc->radius * sin(angle[k]), 0));
        if (kl_dot(p, g->n) < best) best = kl_dot(p, g->n), *deepest = p;
    }
    return best;
}

/* The deepest point of all arcs of a chain. */
static void add_revolved(const kl_pair *q, const ground *g, const kl_solid *s, kl_spots *out)
{
    double  best    = (double)INFINITY;
    kl_vec3 deepest = {0}, p;
    int     part    = 0;
    for (int i = 0; i < (s->narc ? s->narc : 1); i++) {
        double d =
            deepest_of_arc(g, s->narc ? &s->arcs[i] : &s->arc, s->narc ? s->sides[i] : s->side, &p);
        if (d < best - 1e-15) best = d, deepest = p, part = i;
    }
    add_point(q, g, deepest, 0, out);
    if (out->n > 0) out->item[out->n - 1].part[0] = part;
}

static void add_mesh(const kl_pair *q, const ground *g, const kl_solid *s, kl_spots *out)
{
    kl_vec3 corner[KL_FACE_POINTS];
    int     n       = kl_hull_face(s->mesh, kl_neg(g->n), 0.1, corner);
    kl_vec3 deepest = kl_hull_support(s->mesh, kl_neg(g->n));
    for (int k = 0; k < n; k++) add_point(q, g, corner[k], k, out);
    for (int k = 0; k < n; k++)
        if (kl_norm(kl_sub(corner[k], deepest)) == 0.0) return;
    add_point(q, g, deepest, n, out); /* one that lies farther out took its place */
}

void kl_pair_plane(const kl_pair *q, const kl_spots *warm, kl_spots *out)
{
    const kl_solid *s = q->a;
    kl_vec3         n = kl_axis(&q->B.A, 2);
    ground          g = {kl_mul_t(&q->A.A, n), kl_dot(n, kl_sub(q->A.r, q->B.r))};
    (void)warm;
    switch (s->kind) {
    case KL_SOLID_CYLINDER:
        add_rim(q, &g, s->radius, -s->half, 0, out);
        if (s->half > 0.0) add_rim(q, &g, s->radius, s->half, 4, out);
        break;
    case KL_SOLID_CONE:
        add_rim(q, &g, s->radius, -s->half, 0, out);
        add_rim(q, &g, s->tube, s->half, 4, out);
        break;
    case KL_SOLID_CAPSULE:
        for (int k = 0; k < 2; k++)
            add_point(q, &g, kl_axpy(-s->radius, g.n, kl_vec(0, 0, k ? s->half : -s->half)), k,
                      out);
        break;
    case KL_SOLID_TORUS: {
        int first = out->n;
        add_rim(q, &g, s->radius, 0.0, 0, out);
        for (int i = first; i < out->n; i++) {
            kl_spot *t = &out->item[i];
            t->p1      = kl_axpy(s->tube, t->n, t->p1);
            t->gap -= s->tube;
        }
        break;
    }
    case KL_SOLID_BOX: add_box(q, &g, s->size, out); break;
    case KL_SOLID_REVOLVED_ARC: add_revolved(q, &g, s, out); break;
    case KL_SOLID_MESH: add_mesh(q, &g, s, out); break;
    default: add_point(q, &g, kl_solid_support(s, kl_neg(g.n)), 0, out);
    }
}
