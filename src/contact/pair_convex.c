/* Convex shapes with flat parts: distance by GJK (Gilbert, Johnson and Keerthi 1988), depth by the
 * expanding polytope (van den Bergen 2001), both on w(n) = support_1(n) - support_2(-n); then the
 * corners of the two faces that meet, so that a block rests on more than one point. */
#include <math.h>
#include <string.h>

#include "contact/pair.h"

enum { ROUNDS = 128, POINTS = 160, FACES = 400, EDGES = 200 };

typedef struct vertex {
    kl_vec3 w, a, b; /* w = a - b */
} vertex;

typedef struct simplex {
    vertex v[4];
    double share[4]; /* of the point nearest to the origin */
    int    n;
} simplex;

static vertex support(const kl_pair *q, kl_vec3 n)
{
    vertex v;
    v.a = kl_pose_point(&q->A, kl_solid_support(q->a, kl_mul_t(&q->A.A, n)));
    v.b = kl_pose_point(&q->B, kl_solid_support(q->b, kl_mul_t(&q->B.A, kl_neg(n))));
    v.w = kl_sub(v.a, v.b);
    return v;
}

/* ---- nearest point of a simplex to the origin ---- */

/* Weights x >= 0, sum <= 1, of the edges e[0..n) from the newest vertex o to the point of their affine hull nearest to
 * the origin, (e_i.e_j) x_j = -e_i.o, by Cholesky's method with the largest edge first. False: the point lies
 * outside the hull of the vertices, or they are nearly in one line or plane. */
static bool weights_of(double G[3][3], const double *r, int *pick, int n, double *x)
{
    double l[3][3], y[3], d[3];
    for (int i = 1; i < n; i++)
        if (G[pick[i]][pick[i]] > G[pick[0]][pick[0]]) {
            int swap = pick[0];
            pick[0] = pick[i], pick[i] = swap;
        }
    double least = 1e-15 * G[pick[0]][pick[0]], sum = 0.0;
    for (int i = 0; i < n; i++) {
        y[i] = r[pick[i]], d[i] = G[pick[i]][pick[i]];
        for (int k = 0; k < i; k++) {
            double g = G[pick[i]][pick[k]];
            for (int m = 0; m < k; m++) g -= l[i][m] * d[m] * l[k][m];
            l[i][k] = g / d[k];
            d[i] -= l[i][k] * g;
            y[i] -= l[i][k] * y[k];
        }
        if (!(d[i] > least)) return false;
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] = y[i] / d[i];
        for (int k = i + 1; k < n; k++) x[i] -= l[k][i] * x[k];
        if (!(x[i] >= 0.0)) return false;
        sum += x[i];
    }
    return sum <= 1.0;
}

/* The sub-simplex whose hull is nearest. It contains the newest vertex, because without it the search would have
 * ended: at most 8 are tried. */
static kl_vec3 nearest(simplex *s)
{
    int     last = s->n - 1, best_pick[3], best_n = 0;
    kl_vec3 o = s->v[last].w, e[3], best_p = o;
    double  G[3][3], r[3], x[3], best_x[3], least = kl_dot(o, o);
    for (int i = 0; i < last; i++) {
        e[i] = kl_sub(s->v[i].w, o);
        r[i] = -kl_dot(e[i], o);
        for (int j = 0; j <= i; j++) G[i][j] = G[j][i] = kl_dot(e[i], e[j]);
    }
    for (int mask = 1; mask < 1 << last; mask++) {
        int     pick[3], n = 0;
        kl_vec3 p = o;
        for (int i = 0; i < last; i++)
            if (mask >> i & 1) pick[n++] = i;
        if (!weights_of(G, r, pick, n, x)) continue;
        for (int i = 0; i < n; i++) p = kl_axpy(x[i], e[pick[i]], p);
        double d = kl_dot(p, p);
        if (d > least || (d == least && n >= best_n)) continue;
        least = d, best_p = p, best_n = n;
        memcpy(best_x, x, sizeof x), memcpy(best_pick, pick, sizeof pick);
    }
    simplex old = *s;
    double  sum = 0.0;
    for (int i = 0; i < best_n; i++) {
        s->v[i] = old.v[best_pick[i]], s->share[i] = best_x[i];
        sum += best_x[i];
    }
    s->v[best_n] = old.v[last], s->share[best_n] = 1.0 - sum;
    s->n = best_n + 1;
    return best_p;
}

/* true: apart, and p, the points on both; `start`: a direction from the first shape to the second */
static bool gjk(const kl_pair *q, kl_vec3 start, double scale, simplex *s, kl_vec3 *p)
{
    *p   = kl_norm(start) > 0.0 ? kl_neg(start) : kl_vec(1, 0, 0);
    s->n = 0;
    for (int k = 0; k < ROUNDS; k++) {
        kl_vec3 n   = kl_neg(kl_unit(*p));
        vertex  v   = support(q, n);
        double  far = kl_norm(*p);
        /* how much nearer the hull can come */
        if (s->n > 0 && far + kl_dot(v.w, n) <= 1e-14 * far + 1e-16 * scale) return true;
        for (int i = 0; i < s->n; i++)
            if (kl_norm(kl_sub(s->v[i].w, v.w)) <= 1e-15 * scale) return far > 1e-12 * scale;
        simplex last = *s;
        s->v[s->n++] = v;
        kl_vec3 next = nearest(s);
        if (kl_norm(next) <= 1e-12 * scale) return false;
        if (s->n == 4) { /* holds the origin, or is so flat that its shares are rounding */
            if (kl_norm(next) <= far) return false;
            for (int i = 0; i < 3; i++) s->v[i] = s->v[i + 1];
            s->n = 3;
            next = nearest(s);
        }
        if (k > 0 && kl_norm(next) >= far * (1.0 - 1e-16) && last.n > 1) {
            *s = last; /* nothing gained */
            return true;
        }
        *p = next;
    }
    return kl_norm(*p) > 1e-12 * scale;
}

/* ---- expanding polytope ---- */

typedef struct face {
    int     v[3];
    kl_vec3 n;
    double  d;
    bool    dead;
} face;

typedef struct polytope {
    vertex v[POINTS];
    face   f[FACES];
    int    nv, nf;
} polytope;

/* false: no room, or no area */
static bool add_face(polytope *p, int a, int b, int c)
{
    kl_vec3 n = kl_cross(kl_sub(p->v[b].w, p->v[a].w), kl_sub(p->v[c].w, p->v[a].w));
    double  l = kl_norm(n);
    if (p->nf >= FACES || !(l > 0.0)) return false;
    face f        = {.v = {a, b, c}, .n = kl_scale(1.0 / l, n)};
    f.d           = kl_dot(f.n, p->v[a].w);
    p->f[p->nf++] = f;
    return true;
}

/* A tetrahedron that contains the origin, from the last simplex of GJK, which may be a point, an edge or a
 * triangle. Each missing vertex is a support point in a direction normal to the simplex so far; a vertex closer
 * than 1e-9 of the size is rejected as degenerate. All faces are listed counterclockwise seen from outside, so
 * that their normals point outwards. */
static bool first_tetrahedron(const kl_pair *q, const simplex *s, double scale, polytope *p)
{
    static const double axis[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    p->nv = p->nf = 0;
    for (int i = 0; i < s->n; i++) p->v[p->nv++] = s->v[i];
    for (int i = 0; i < 6 && p->nv < 2; i++) {
        vertex v = support(q, kl_load(axis[i]));
        if (p->nv == 0 || kl_norm(kl_sub(v.w, p->v[0].w)) > 1e-9 * scale) p->v[p->nv++] = v;
    }
    if (p->nv < 2) return false;
    if (p->nv == 2) {
        kl_vec3 e = kl_unit(kl_sub(p->v[1].w, p->v[0].w)), t = kl_normal_to(e), b = kl_cross(e, t);
        for (int i = 0; i < 6 && p->nv == 2; i++) {
            vertex  v = support(q, kl_axpy(sin(i * KL_PI / 3), b, kl_scale(cos(i * KL_PI / 3), t)));
            kl_vec3 d = kl_sub(v.w, p->v[0].w);
            if (kl_norm(kl_cross(d, e)) > 1e-9 * scale) p->v[p->nv++] = v;
        }
    }
    if (p->nv == 3) {
        kl_vec3 n = kl_unit(kl_cross(kl_sub(p->v[1].w, p->v[0].w), kl_sub(p->v[2].w, p->v[0].w)));
        for (int i = 0; i < 2 && p->nv == 3; i++) {
            vertex v = support(q, kl_scale(i ? -1.0 : 1.0, n));
            if (fabs(kl_dot(kl_sub(v.w, p->v[0].w), n)) > 1e-9 * scale) p->v[p->nv++] = v;
        }
    }
    if (p->nv < 4) return false;
    kl_vec3 a = kl_sub(p->v[1].w, p->v[0].w), b = kl_sub(p->v[2].w, p->v[0].w),
            c = kl_sub(p->v[3].w, p->v[0].w);
    if (kl_dot(kl_cross(a, b), c) > 0.0) {
        vertex swap = p->v[1];
        p->v[1] = p->v[2], p->v[2] = swap;
    }
    return add_face(p, 0, 1, 2) && add_face(p, 0, 3, 1) && add_face(p, 0, 2, 3) &&
           add_face(p, 1, 3, 2);
}

/* Does a face go from b to a, the other way round than its neighbour across that edge? */
static bool has_edge(const face *f, int b, int a)
{
    for (int k = 0; k < 3; k++)
        if (f->v[k] == b && f->v[(k + 1) % 3] == a) return true;
    return false;
}

static bool meets(const face *f, const face *g)
{
    for (int k = 0; k < 3; k++)
        if (has_edge(g, f->v[(k + 1) % 3], f->v[k])) return true;
    return false;
}

/* Faces that the point w sees from more than `above` over them and that hang together with `first`.
 * They are marked dead. Returns how many. */
static int mark_seen(polytope *p, int first, kl_vec3 w, double above)
{
    int seen[FACES], reached = 1, n = 0;
    seen[n++] = first;
    for (int i = 0; i < p->nf; i++) {
        const face *f = &p->f[i];
        if (i == first || f->dead) continue;
        if (kl_dot(f->n, kl_sub(w, p->v[f->v[0]].w)) > above) seen[n++] = i;
    }
    for (int i = 0; i < reached; i++)
        for (int j = reached; j < n; j++)
            if (meets(&p->f[seen[i]], &p->f[seen[j]])) {
                int swap      = seen[reached];
                seen[reached] = seen[j], seen[j] = swap, reached++;
            }
    for (int i = 0; i < reached; i++) p->f[seen[i]].dead = true;
    return reached;
}

/* Edges between dead faces and living ones, in the direction of the dead. -1: too many. */
static int horizon(const polytope *p, int edge[EDGES][2])
{
    int n = 0;
    for (int i = 0; i < p->nf; i++) {
        const face *f = &p->f[i];
        for (int k = 0; f->dead && k < 3; k++) {
            int a = f->v[k], b = f->v[(k + 1) % 3], twin = -1;
            for (int j = 0; j < n; j++)
                if (edge[j][0] == b && edge[j][1] == a) twin = j;
            if (twin >= 0) {
                n--;
                edge[twin][0] = edge[n][0], edge[twin][1] = edge[n][1];
            } else {
                if (n >= EDGES) return -1;
                edge[n][0] = a, edge[n][1] = b, n++;
            }
        }
    }
    return n;
}

/* Takes away face `first` and those with it that v sees, and closes the hole with faces from v. Faces in
 * one plane with v go as well, because slivers would take their place. Rounding may leave a hole that
 * is not a disc (m faces, m + 2 edges round them), and the surface would no longer be closed: then those
 * that v sees beyond doubt. */
static bool widen(polytope *p, int first, int v, double scale)
{
    static const double above[] = {-1e-14, 0.0, 1e-14, 1e-12};
    int                 edge[EDGES][2], n = 0;
    bool                disc = false;
    for (int k = 0; k < 4 && !disc; k++) {
        int m = mark_seen(p, first, p->v[v].w, above[k] * scale);
        n     = horizon(p, edge);
        disc  = n == m + 2;
        for (int i = 0; i < p->nf && !disc; i++) p->f[i].dead = false;
    }
    if (!disc) return false;
    int live = 0; /* move the living together */
    for (int i = 0; i < p->nf; i++)
        if (!p->f[i].dead) p->f[live++] = p->f[i];
    p->nf = live;
    for (int j = 0; j < n; j++)
        if (!add_face(p, edge[j][0], edge[j][1], v)) return false;
    return true;
}

static int closest(const polytope *p)
{
    int best = 0;
    for (int i = 1; i < p->nf; i++)
        if (p->f[i].d < p->f[best].d) best = i;
    return best;
}

/* The outward normal of the face of w that is nearest to the origin. False: the polytope ended before
 * it met that face; n is the direction of least depth that was seen. */
static bool epa(const kl_pair *q, const simplex *s, double scale, kl_vec3 *n)
{
    polytope p;
    double   least = (double)INFINITY;
    *n             = kl_unit(kl_sub(q->B.r, q->A.r));
    if (kl_norm(*n) == 0.0) *n = kl_vec(0, 0, 1);
    if (!first_tetrahedron(q, s, scale, &p)) return false;
    for (int k = 0; k < ROUNDS && p.nv < POINTS; k++) {
        int     first = closest(&p);
        kl_vec3 m     = p.f[first].n;
        vertex  v     = support(q, m);
        double  depth = kl_dot(v.w, m);
        if (depth < least) least = depth, *n = m;
        /* no direction needs less depth than the nearest face */
        if (depth - p.f[first].d <= 1e-12 * scale) return true;
        p.v[p.nv++] = v;
        if (!widen(&p, first, p.nv - 1, scale)) return false;
    }
    return false;
}

static void from_simplex(const simplex *s, kl_vec3 p, kl_spot *t)
{
    t->n   = kl_neg(kl_unit(p));
    t->gap = kl_norm(p);
    t->p1 = t->p2 = (kl_vec3){0};
    for (int i = 0; i < s->n; i++) {
        t->p1 = kl_axpy(s->share[i], s->v[i].a, t->p1);
        t->p2 = kl_axpy(s->share[i], s->v[i].b, t->p2);
    }
}

/* Shapes that are apart by less than this share of their size are parted further for an exact direction. */
static const double NEAR = 0.02;

/* The polytope is exact for flat parts only. The second shape is moved out along n by the depth and a
 * little more; the direction of the shortest distance there needs no more depth than n did. Repeated
 * until nothing is gained, it gives the depth and points on both surfaces. */
static void part(const kl_pair *q, kl_vec3 n, double scale, kl_spot *t)
{
    vertex v     = support(q, n);
    double depth = kl_dot(v.w, n), more = NEAR * scale;
    *t            = (kl_spot){.gap = -depth, .n = n, .p1 = v.a, .p2 = kl_axpy(-depth, n, v.a)};
    kl_pair moved = *q;
    for (int k = 0; k < 40; k++) {
        simplex s;
        kl_vec3 p, shift = kl_scale(depth + more, n);
        kl_spot try = {0};
        moved.B.r   = kl_add(q->B.r, shift);
        if (!gjk(&moved, n, scale, &s, &p)) return;
        from_simplex(&s, p, &try);
        /* as the support points give it: a flat simplex may have ended far from the nearest point */
        double next = kl_dot(support(q, try.n).w, try.n), gain = depth - next;
        if (gain < -1e-12 * scale) return; /* rounding in a flat simplex */
        try.p2  = kl_sub(try.p2, shift);
        try.gap = -next;
        try.p2  = kl_axpy(try.gap, try.n, try.p1);
        *t      = try;
        n = try.n, depth = next;
        if (gain <= 1e-15 * scale) return;
    }
}

/* The least deep of some directions: axes of both shapes, which are normals of their flat parts,
 * three rings about n, and a net all round. Returns its depth. */
static double shallowest(const kl_pair *q, kl_vec3 *n)
{
    static const double tilt[] = {0.02, 0.06, 0.15};
    kl_vec3             e = kl_normal_to(*n), c = kl_cross(*n, e), list[84], best = *n;
    double              least = kl_dot(support(q, *n).w, *n);
    for (int k = 0; k < 12; k++) {
        kl_vec3 axis = kl_axis(k < 6 ? &q->A.A : &q->B.A, k % 3);
        list[k]      = k % 6 < 3 ? axis : kl_neg(axis);
    }
    for (int k = 0; k < 24; k++) {
        double angle = k * KL_PI / 4, t = tilt[k / 8];
        list[12 + k] = kl_unit(kl_axpy(t * sin(angle), c, kl_axpy(t * cos(angle), e, *n)));
    }
    for (int k = 0; k < 48; k++) { /* all round, along a spiral */
        double z = 1.0 - (2.0 * k + 1.0) / 48.0, r = sqrt(1.0 - z * z), a = 2.399963229728653 * k;
        list[36 + k] = kl_vec(r * cos(a), r * sin(a), z);
    }
    for (int k = 0; k < 84; k++) {
        double depth = kl_dot(support(q, list[k]).w, list[k]);
        if (depth < least) least = depth, best = list[k];
    }
    for (double turn = 0.1; turn > 1e-3; turn *= 0.6) { /* and about the best of them */
        kl_vec3 from = best;
        e = kl_normal_to(from), c = kl_cross(from, e);
        for (int k = 0; k < 8; k++) {
            double  a     = (k + 5.0 * turn) * KL_PI / 4;
            kl_vec3 m     = kl_unit(kl_axpy(turn * sin(a), c, kl_axpy(turn * cos(a), e, from)));
            double  depth = kl_dot(support(q, m).w, m);
            if (depth < least) least = depth, best = m;
        }
    }
    *n = best;
    return least;
}

/* A polytope that ended early may have left a local minimum: start again where another direction needs less
 * depth. */
static void leave_local_minimum(const kl_pair *q, double scale, kl_spot *t)
{
    for (int k = 0; k < 4; k++) {
        kl_vec3 n = t->n;
        kl_spot try;
        if (!(shallowest(q, &n) < -t->gap - 1e-10 * scale)) return;
        part(q, n, scale, &try);
        if (try.gap > t->gap) *t = try;
    }
}

static double off_surface(const kl_solid *s, const kl_pose *P, kl_vec3 x)
{
    kl_offset o = {0};
    kl_solid_project(s, kl_pose_local(P, x), &o);
    return fabs(o.d);
}

static double distance_to_both(const kl_pair *q, const kl_spot *t)
{
    return fmax(off_surface(q->a, &q->A, t->p1), off_surface(q->b, &q->B, t->p2));
}

/* Two round parts, such as rims, touch where the support points face each other: the part of w across n
 * is zero. Newton's method with differences for the two angles of n. */
static kl_spot facing_supports(const kl_pair *q, kl_vec3 n)
{
    const double step = 1e-6;
    vertex       v    = support(q, n);
    for (int k = 0; k < 12; k++) {
        kl_vec3 e = kl_normal_to(n), c = kl_cross(n, e);
        vertex  a      = support(q, kl_unit(kl_axpy(step, e, n))),
               b       = support(q, kl_unit(kl_axpy(step, c, n)));
        double J[3][4] = {{kl_dot(kl_sub(a.w, v.w), e) / step, kl_dot(kl_sub(b.w, v.w), e) / step,
                           0, -kl_dot(v.w, e)},
                          {kl_dot(kl_sub(a.w, v.w), c) / step, kl_dot(kl_sub(b.w, v.w), c) / step,
                           0, -kl_dot(v.w, c)}};
        double det     = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        if (!(fabs(det) > 0.0)) break;
        double x = (J[0][3] * J[1][1] - J[0][1] * J[1][3]) / det,
               y = (J[0][0] * J[1][3] - J[0][3] * J[1][0]) / det;
        if (!(hypot(x, y) < 0.1)) break;
        n = kl_unit(kl_axpy(y, c, kl_axpy(x, e, n)));
        v = support(q, n);
        if (hypot(x, y) < 1e-15) break;
    }
    double  depth = kl_dot(v.w, n);
    kl_spot t     = {.gap = -depth, .n = n, .p1 = v.a, .p2 = kl_axpy(-depth, n, v.a)};
    return t;
}

/* Corners may lie this far beside the face below them, as a share of the size of the shapes. */
static const double SLACK = 1e-9;

/* Moves x along n onto the surface of a shape. False: there is no such point. */
static bool onto_surface(const kl_solid *s, const kl_pose *P, kl_vec3 n, double scale, kl_vec3 *x)
{
    for (int k = 0; k < 6; k++) {
        kl_offset o = {0};
        kl_solid_project(s, kl_pose_local(P, *x), &o);
        if (fabs(o.d) <= 1e-11 * scale) return true;
        double slope = kl_dot(kl_mul(&P->A, o.n), n);
        if (!(fabs(slope) > 0.1)) return fabs(o.d) <= 2.0 * SLACK * scale; /* beside an edge */
        *x = kl_axpy(-o.d / slope, n, *x);
    }
    return false;
}

/* Lines of round shapes that are not quite parallel lie beside their surfaces. */
static bool onto_both(const kl_pair *q, double scale, kl_spot *t)
{
    if (!onto_surface(q->a, &q->A, t->n, scale, &t->p1)) return false;
    if (!onto_surface(q->b, &q->B, t->n, scale, &t->p2)) return false;
    t->gap = kl_dot(kl_sub(t->p2, t->p1), t->n);
    return true;
}

/* The barycentric shares of a simplex give the depth more accurately than the position. Where the points
 * do not lie on both surfaces, others for the same direction are tried: the support point of either shape,
 * and the place where support points face each other. */
static void polish(const kl_pair *q, double scale, kl_spot *t)
{
    double off = distance_to_both(q, t);
    if (off <= 1e-10 * scale) return;
    vertex  v      = support(q, t->n);
    kl_spot try[3] = {*t, *t, facing_supports(q, t->n)};
    try[0].p1 = v.a, try[0].p2 = kl_axpy(t->gap, t->n, v.a);
    try[1].p2 = v.b, try[1].p1 = kl_axpy(-t->gap, t->n, v.b);
    for (int k = 0; k < 3; k++) {
        double here = distance_to_both(q, &try[k]);
        if (here < off && try[k].gap > t->gap - 1e-9 * scale) off = here, *t = try[k];
    }
    /* an edge along a line of a cone, where none of them is exact: a little less deep, but on both */
    kl_spot last = *t;
    if (off <= 1e-9 * scale) return;
    if (onto_both(q, scale, &last) && last.gap >= t->gap - 1e-9 * scale) {
        *t = last;
    } else { /* past a rim: the nearest points */
        kl_offset a = {0}, b = {0};
        kl_solid_project(q->a, kl_pose_local(&q->A, t->p1), &a);
        kl_solid_project(q->b, kl_pose_local(&q->B, t->p2), &b);
        t->p1 = kl_pose_point(&q->A, a.foot), t->p2 = kl_pose_point(&q->B, b.foot);
    }
}

/* ---- the faces that meet ---- */

typedef struct flat {
    int     n;
    double  x[KL_FACE_POINTS][2];
    kl_vec3 p[KL_FACE_POINTS];
    kl_vec3 normal; /* of three or more */
} flat;

static void flat_of(const kl_solid *s, const kl_pose *P, kl_vec3 n, kl_vec3 t, kl_vec3 b, flat *f)
{
    kl_vec3 corner[KL_FACE_POINTS];
    f->n = kl_solid_types[s->kind].face
               ? kl_solid_types[s->kind].face(s, kl_mul_t(&P->A, n), corner)
               : 0;
    for (int i = 0; i < f->n; i++) {
        f->p[i]    = kl_pose_point(P, corner[i]);
        f->x[i][0] = kl_dot(f->p[i], t), f->x[i][1] = kl_dot(f->p[i], b);
    }
    if (f->n >= 3)
        f->normal = kl_unit(kl_cross(kl_sub(f->p[1], f->p[0]), kl_sub(f->p[2], f->p[0])));
}

/* A vertex of what two faces share, seen along n. Its key is the edge that begins at it: that of a corner of
 * the first face, or those of the second behind them. An edge contributes once at most, so a point keeps its
 * key while it moves from a corner to a crossing of edges. */
typedef struct shared {
    int    n, key[KL_PAIR_SPOTS];
    double x[KL_PAIR_SPOTS][2];
} shared;

static void push(shared *s, const double *x, int key)
{
    if (s->n == KL_PAIR_SPOTS) return;
    s->x[s->n][0] = x[0], s->x[s->n][1] = x[1], s->key[s->n++] = key;
}

/* The part of `s` beside the line from a to b where side > 0 (Sutherland and Hodgman 1974). Points beyond it
 * by less than `slack` count, so that a line along an edge does not come and go. */
static void cut(shared *s, const double *a, const double *b, double side, double slack, int key)
{
    shared old = *s;
    double dx = b[0] - a[0], dy = b[1] - a[1], l = hypot(dx, dy), d[KL_PAIR_SPOTS];
    if (l == 0.0) return;
    for (int i = 0; i < old.n; i++)
        d[i] = side * (dx * (old.x[i][1] - a[1]) - dy * (old.x[i][0] - a[0])) / l;
    s->n = 0;
    for (int i = 0; i < old.n; i++) {
        int    j  = (i + 1) % old.n;
        bool   in = d[i] >= -slack, next_in = d[j] >= -slack;
        double f    = fmin(fmax(d[i] / (d[i] - d[j]), 0.0), 1.0),
               x[2] = {old.x[i][0] + f * (old.x[j][0] - old.x[i][0]),
                       old.x[i][1] + f * (old.x[j][1] - old.x[i][1])};
        if (in) push(s, old.x[i], old.key[i]);
        if (in == next_in || (old.n == 2 && i == 1)) continue; /* a line has no way back */
        push(s, x, old.n == 2 ? in : in ? key : old.key[i]);
    }
}

/* Which way round the corners of a face go, seen along n. */
static double orientation_sign(const flat *f)
{
    double area = 0.0;
    for (int i = 0; i < f->n; i++) {
        const double *a = f->x[i], *b = f->x[(i + 1) % f->n];
        area += a[0] * b[1] - a[1] * b[0];
    }
    return area < 0.0 ? -1.0 : 1.0;
}

static void add(kl_vec3 p1, kl_vec3 p2, kl_vec3 n, int key, kl_spots *out)
{
    kl_spot t = {.gap = kl_dot(kl_sub(p2, p1), n), .p1 = p1, .p2 = p2, .n = n, .key = key};
    t.p2      = kl_axpy(t.gap, n, p1);
    for (int i = 0; i < out->n; i++)
        if (kl_norm(kl_sub(out->item[i].p1, p1)) < 1e-9 + 1e-6 * kl_norm(kl_sub(p1, p2))) return;
    kl_spots_add(out, &t);
}

/* Point of the plane or line of f that lies from p along n. */
static kl_vec3 drop(const flat *f, kl_vec3 p, kl_vec3 n)
{
    kl_vec3 d = kl_sub(f->p[0], p);
    if (f->n >= 3) return kl_axpy(kl_dot(d, f->normal) / kl_dot(n, f->normal), n, p);
    kl_vec3 l = kl_sub(f->p[1], f->p[0]), across = kl_axpy(-kl_dot(l, n), n, l);
    double  s = -kl_dot(d, across) / kl_dot(across, across); /* share of l below p */
    return kl_axpy(kl_dot(kl_axpy(s, l, d), n), n, p);
}

/* Nearest points of the segments a and b: x on a, y on b. */
static void segments(const kl_vec3 a[2], const kl_vec3 b[2], kl_vec3 *x, kl_vec3 *y)
{
    kl_vec3 e = kl_sub(a[1], a[0]), f = kl_sub(b[1], b[0]), d = kl_sub(b[0], a[0]);
    double  ee = kl_dot(e, e), ff = kl_dot(f, f), ef = kl_dot(e, f), det = ee * ff - ef * ef,
           s = det > 1e-20 * ee * ff ? (kl_dot(d, e) * ff - kl_dot(d, f) * ef) / det : 0.5;
    s        = fmin(fmax(s, 0.0), 1.0);
    double t = fmin(fmax((s * ef - kl_dot(d, f)) / ff, 0.0), 1.0);
    s        = fmin(fmax((t * ef + kl_dot(d, e)) / ee, 0.0), 1.0);
    *x = kl_axpy(s, e, a[0]), *y = kl_axpy(t, f, b[0]);
}

/* The edge of a face that the point p lies on; false: none. */
static bool edge_at(const flat *f, kl_vec3 p, double slack, kl_vec3 edge[2])
{
    for (int i = 0; i < (f->n == 2 ? 1 : f->n); i++) {
        kl_vec3 a = f->p[i], e = kl_unit(kl_sub(f->p[(i + 1) % f->n], a)), d = kl_sub(p, a);
        if (kl_norm(kl_axpy(-kl_dot(d, e), e, d)) > slack) continue;
        edge[0] = a, edge[1] = f->p[(i + 1) % f->n];
        return true;
    }
    return false;
}

/* The depth is stationary at the direction of the touch, so a search for the least depth finds that
 * direction to the root of rounding only, and the forces would be as rough. What decides it gives it exactly:
 * the normal of a face that takes part, or the nearest points of the axis of a cylinder and of an edge. */
static void settle_direction(const kl_pair *q, double scale, kl_spot *t)
{
    const double    near     = 1e-6;
    const kl_solid *solid[2] = {q->a, q->b};
    const kl_pose  *pose[2]  = {&q->A, &q->B};
    flat            f[2];
    kl_vec3         n = t->n, e = kl_normal_to(n), c = kl_cross(n, e), edge[2], x, y;
    for (int i = 0; i < 2; i++) flat_of(solid[i], pose[i], i ? kl_neg(n) : n, e, c, &f[i]);
    for (int i = 0; i < 2; i++) {
        double side = f[i].n >= 3 ? kl_dot(f[i].normal, n) : 0.0;
        if (f[i].n < 3 || kl_norm(kl_cross(f[i].normal, n)) > near) continue;
        t->n = kl_scale(side < 0.0 ? -1.0 : 1.0, f[i].normal);
        return;
    }
    for (int i = 0; i < 2; i++) {
        const kl_solid *s = solid[i];
        if (s->kind != KL_SOLID_CYLINDER || f[i].n != 2 || f[1 - i].n < 2) continue;
        if (solid[1 - i]->kind != KL_SOLID_BOX) continue;
        if (!edge_at(&f[1 - i], i ? t->p1 : t->p2, near * scale, edge)) continue;
        const kl_vec3 axis[2] = {kl_pose_point(pose[i], kl_vec(0, 0, -s->half)),
                                 kl_pose_point(pose[i], kl_vec(0, 0, s->half))};
        segments(axis, edge, &x, &y);
        kl_vec3 m = kl_scale(i ? -1.0 : 1.0, kl_unit(kl_sub(y, x)));
        if (kl_dot(m, n) < 0.0) m = kl_neg(m); /* the axis itself lies inside */
        if (kl_norm(kl_cross(m, n)) < 1e2 * near) t->n = m;
    }
}

/* Two lines side by side: the ends of what they share. */
static void parallel(const flat *a, const flat *b, kl_vec3 n, kl_spots *out)
{
    kl_vec3 e = kl_unit(kl_sub(a->p[1], a->p[0])), f = kl_unit(kl_sub(b->p[1], b->p[0]));
    if (fabs(kl_dot(e, f)) < 0.995) return;
    double a0 = 0.0, a1 = kl_norm(kl_sub(a->p[1], a->p[0])),
           b0 = kl_dot(kl_sub(b->p[0], a->p[0]), e), b1 = kl_dot(kl_sub(b->p[1], a->p[0]), e);
    double low = fmax(a0, fmin(b0, b1)), high = fmin(a1, fmax(b0, b1));
    if (low > high) return;
    for (int k = 0; k < 2; k++) {
        double x = k ? high : low;
        add(kl_axpy(x, e, a->p[0]),
            kl_axpy((x - b0) / (b1 - b0), kl_sub(b->p[1], b->p[0]), b->p[0]), n, k, out);
    }
}

static void faces(const kl_pair *q, const kl_spot *t, double scale, kl_spots *out)
{
    kl_vec3 e = kl_normal_to(t->n), c = kl_cross(t->n, e);
    flat    a, b;
    flat_of(q->a, &q->A, t->n, e, c, &a);
    flat_of(q->b, &q->B, kl_neg(t->n), e, c, &b);
    if (a.n < 2 || b.n < 2) return;
    if (a.n == 2 && b.n == 2) {
        parallel(&a, &b, t->n, out);
        return;
    }
    const flat *line = a.n == 2   ? &a
                       : b.n == 2 ? &b
                                  : NULL,
               *f = line ? line : &a, *g = f == &a ? &b : &a;
    shared s = {.n = 0};
    for (int i = 0; i < f->n; i++) push(&s, f->x[i], i);
    for (int j = 0; j < g->n; j++)
        cut(&s, g->x[j], g->x[(j + 1) % g->n], orientation_sign(g), SLACK * scale, f->n + j);
    for (int i = 0; i < s.n; i++) {
        kl_vec3 p = kl_axpy(s.x[i][1], c, kl_scale(s.x[i][0], e));
        add(drop(&a, p, t->n), drop(&b, p, t->n), t->n, s.key[i], out);
    }
}

/* Points that lie on both surfaces and not deeper than the deepest, which is `depth`. */
static void keep_those_on_surfaces(const kl_pair *q, double scale, double depth, kl_spots *out)
{
    int n = 0;
    for (int i = 0; i < out->n; i++) {
        kl_spot t = out->item[i];
        if (!onto_both(q, scale, &t) || t.gap < -depth - 1e-9 * scale) continue;
        out->item[n++] = t;
    }
    out->n = n;
}

static int corners_of_face(const kl_solid *s)
{
    if (!kl_solid_types[s->kind].face) return 0;
    return s->kind == KL_SOLID_BOX ? 4 : KL_FACE_POINTS;
}

int kl_pair_convex_keys(const kl_solid *a, const kl_solid *b)
{
    int n = corners_of_face(a), m = corners_of_face(b);
    return n == 0 || m == 0 ? 1 : n + m < KL_PAIR_SPOTS ? n + m + 1 : KL_PAIR_SPOTS;
}

/* The nearest points of shapes that are apart. False: they overlap, or touch within rounding. Close together
 * the direction of p is mostly rounding, so part() improves it: the separation along any n is a lower bound of
 * the distance and |p| an upper bound. Where they differ, n belongs to another face. */
static bool apart(const kl_pair *q, double scale, simplex *s, kl_spot *t)
{
    kl_vec3 p;
    if (!gjk(q, kl_sub(q->B.r, q->A.r), scale, s, &p)) return false;
    from_simplex(s, p, t);
    double far = t->gap;
    if (far >= NEAR * scale) return true;
    part(q, t->n, scale, t);
    return t->gap >= far - 1e-12 * scale;
}

static void deepest(const kl_pair *q, double scale, kl_spot *t)
{
    simplex s;
    kl_vec3 n;
    if (apart(q, scale, &s, t)) return;
    bool sure = epa(q, &s, scale, &n);
    part(q, n, scale, t);
    if (!sure) leave_local_minimum(q, scale, t);
    polish(q, scale, t);
}

void kl_pair_convex(const kl_pair *q, const kl_spots *warm, kl_spots *out)
{
    kl_spot t = {0};
    kl_vec3 c, h, g;
    (void)warm;
    kl_solid_types[q->a->kind].bounds(q->a, &c, &h);
    kl_solid_types[q->b->kind].bounds(q->b, &c, &g);
    double scale = kl_norm(h) + kl_norm(g);
    deepest(q, scale, &t);
    if (kl_norm(t.n) == 0.0) return;
    settle_direction(q, scale, &t);
    faces(q, &t, scale, out);
    keep_those_on_surfaces(q, scale, -t.gap, out);
    double nearest_gap = (double)INFINITY;
    for (int i = 0; i < out->n; i++) nearest_gap = fmin(nearest_gap, out->item[i].gap);
    double level = out->n >= KL_FACE_POINTS ? 1e-6 : 1e-9; /* of discs see kl_rim_phase */
    if (nearest_gap <= t.gap + level * scale) return;
    /* no corner is as deep: the point itself, with a key of its own */
    t.key = kl_pair_convex_keys(q->a, q->b) - 1;
    for (int i = 0; i < out->n; i++)
        if (out->item[i].key == t.key) out->item[i] = out->item[--out->n];
    kl_spots_add(out, &t);
}
