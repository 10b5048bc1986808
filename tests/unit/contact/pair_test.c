/* Contact points of pairs of shapes: the reference's pairs, and random pairs of every kind against
 * brute force. KL_PAIRS sets how many of each kind (200; 10000 in the full tests). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "unit/test.h"

#include "base/rotation.h"
#include "contact/contact_mesh.h"
#include "contact/pair.h"
#include "unit/csv_table.h"

/* ---- the reference ---- */

typedef struct file {
    table t;
    int   row;
} file;

static double at(const file *f, const char *name)
{
    const char *word = f->t.header; /* names, each ended by zero */
    for (int c = 0; c < f->t.columns; c++, word += strlen(word) + 1)
        if (strcmp(word, name) == 0) return table_at(&f->t, f->row, c);
    fail_msg("no column %s", name);
    return 0.0;
}

static kl_pose pose_at(const file *f, const char *c, const char *q)
{
    char    name[2][32];
    double  r[3], p[4];
    kl_pose out;
    for (int i = 0; i < 3; i++) {
        snprintf(name[0], sizeof name[0], "%s%c", c, "xyz"[i]);
        r[i] = at(f, name[0]);
    }
    for (int i = 0; i < 4; i++) {
        snprintf(name[1], sizeof name[1], "%s%c", q, "wxyz"[i]);
        p[i] = at(f, name[1]);
    }
    kl_quat_normalize(p);
    out.r = kl_load(r), out.A = kl_quat_matrix(p);
    return out;
}

static kl_vec3 vec_at(const file *f, const char *name)
{
    char   text[32];
    double x[3];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s%c", name, "xyz"[i]);
        x[i] = at(f, text);
    }
    return kl_load(x);
}

static file open_file(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, KL_SOURCE_DIR "/tests/data/reference/%s.csv", name);
    file f = {table_read(path), 0};
    assert_true(f.t.rows >= 10);
    return f;
}

static kl_spot nearest_of(const kl_solid *a, kl_pose A, const kl_solid *b, kl_pose B)
{
    kl_pair  p = {a, b, A, B};
    kl_spots s;
    kl_pair_find(&p, NULL, &s);
    const kl_spot *t = kl_spots_nearest(&s);
    assert_non_null(t);
    /* the points belong together */
    kl_vec3 d = kl_sub(kl_sub(t->p2, t->p1), kl_scale(t->gap, t->n));
    assert_close(kl_norm(d), 0.0, 1e-11);
    assert_close(kl_norm(t->n), 1.0, 1e-12);
    return *t;
}

static void tori_are_those_of_the_reference(void **unused)
{
    (void)unused;
    file f = open_file("pairs_torus_torus");
    for (f.row = 0; f.row < f.t.rows; f.row++) {
        kl_solid a = {.kind = KL_SOLID_TORUS, .radius = at(&f, "R1"), .tube = at(&f, "r1")},
                 b = {.kind = KL_SOLID_TORUS, .radius = at(&f, "R2"), .tube = at(&f, "r2")};
        kl_pose A = pose_at(&f, "c1", "q1"), B = pose_at(&f, "c2", "q2");
        kl_spot s = nearest_of(&a, A, &b, B);
        assert_close(s.gap, at(&f, "gap"), 1e-12);
        assert_close(kl_norm(kl_sub(s.p1, vec_at(&f, "p1"))), 0.0, 1e-7);
        assert_close(kl_norm(kl_sub(s.n, vec_at(&f, "n"))), 0.0, 1e-7);
        /* the next local minimum, where the reference found one */
        double second = at(&f, "gap_second"), best = 1.0;
        if (isnan(second)) continue;
        kl_pair  p = {&a, &b, A, B};
        kl_spots all;
        kl_pair_find(&p, NULL, &all);
        for (int i = 0; i < all.n; i++) best = fmin(best, fabs(all.item[i].gap - second));
        assert_close(best, 0.0, 1e-12);
    }
    table_free(&f.t);
}

/* A journal in a bearing, in the plane: balls have the same gap, normal and points. */
static void circles_in_circles_are_those_of_the_reference(void **unused)
{
    (void)unused;
    file f = open_file("contact_circle_in_circle");
    for (f.row = 0; f.row < f.t.rows; f.row++) {
        kl_solid journal = {.kind = KL_SOLID_SPHERE, .radius = at(&f, "journal_R")},
                 bearing = {.kind = KL_SOLID_SPHERE, .radius = at(&f, "bearing_R"), .inside = true};
        kl_pose J        = {kl_vec(at(&f, "journal_cx"), at(&f, "journal_cy"), 0), kl_identity()},
                B        = {kl_vec(at(&f, "bearing_cx"), at(&f, "bearing_cy"), 0), kl_identity()};
        kl_spot s        = nearest_of(&journal, J, &bearing, B);
        assert_close(s.gap, -at(&f, "penetration"), 1e-14);
        kl_vec3 n = kl_vec(at(&f, "nx"), at(&f, "ny"), 0),
                p = kl_vec(at(&f, "journal_pt_x"), at(&f, "journal_pt_y"), 0);
        assert_close(kl_norm(kl_sub(s.n, n)), 0.0, 1e-10);
        assert_close(kl_norm(kl_sub(s.p1, p)), 0.0, 1e-12);
    }
    table_free(&f.t);
}

static void ellipsoids_are_those_of_the_reference(void **unused)
{
    (void)unused;
    file f = open_file("pairs_ellipsoid_ellipsoid");
    for (f.row = 0; f.row < f.t.rows; f.row++) {
        kl_solid a = {.kind = KL_SOLID_ELLIPSOID, .size = vec_at(&f, "a1")},
                 b = {.kind = KL_SOLID_ELLIPSOID, .size = vec_at(&f, "a2")};
        kl_spot s  = nearest_of(&a, pose_at(&f, "c1", "q1"), &b, pose_at(&f, "c2", "q2"));
        assert_close(s.gap, at(&f, "gap"), 1e-12);
        assert_close(kl_norm(kl_sub(s.p1, vec_at(&f, "p1"))), 0.0, 1e-7);
        assert_close(kl_norm(kl_sub(s.p2, vec_at(&f, "p2"))), 0.0, 1e-7);
    }
    table_free(&f.t);
}

static void arcs_are_those_of_the_reference(void **unused)
{
    (void)unused;
    file f = open_file("pairs_revolved_extruded");
    for (f.row = 0; f.row < f.t.rows; f.row++) {
        kl_solid a = {.kind = KL_SOLID_REVOLVED_ARC,
                      .side = 1.0,
                      .arc  = {{at(&f, "c1"), at(&f, "c2")},
                               at(&f, "r"),
                               {at(&f, "th0"), at(&f, "th1")}}},
                 b = {.kind = KL_SOLID_EXTRUDED_ARC,
                      .side = at(&f, "side"),
                      .z    = {at(&f, "z0"), at(&f, "z1")},
                      .arc  = {{at(&f, "xc"), at(&f, "yc")},
                               at(&f, "ra"),
                               {at(&f, "b0"), at(&f, "b1")}}};
        kl_spot s  = nearest_of(&a, pose_at(&f, "cA", "qA"), &b, pose_at(&f, "cB", "qB"));
        assert_close(s.gap, at(&f, "gap"), 1e-12);
        assert_close(kl_norm(kl_sub(s.p1, vec_at(&f, "pA"))), 0.0, 1e-6);
        assert_close(kl_norm(kl_sub(s.p2, vec_at(&f, "pB"))), 0.0, 1e-6);
    }
    table_free(&f.t);
}

static void pins_are_those_of_the_reference(void **unused)
{
    (void)unused;
    file f = open_file("pairs_cylinder_in_cylinder");
    for (f.row = 0; f.row < f.t.rows; f.row++) {
        kl_solid pin  = {.kind = KL_SOLID_CYLINDER, .radius = at(&f, "r"), .half = at(&f, "h")};
        kl_solid hole = {
            .kind = KL_SOLID_CYLINDER, .radius = at(&f, "R"), .half = at(&f, "H"), .inside = true};
        kl_pose A = pose_at(&f, "cp", "qp"), B = pose_at(&f, "c0", "q0");
        assert_close(nearest_of(&pin, A, &hole, B).gap, at(&f, "gap"), 1e-13);
        assert_close(nearest_of(&hole, B, &pin, A).gap, at(&f, "gap"), 1e-13); /* either order */
    }
    table_free(&f.t);
}

/* ---- random pairs ---- */

static unsigned long long seed = 1;

static double uniform(double a, double b)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return a + (b - a) * (double)(seed >> 11) / 9007199254740992.0;
}

static kl_vec3 direction(void)
{
    double z = uniform(-1, 1), a = uniform(0, 2 * KL_PI), r = sqrt(1 - z * z);
    return kl_vec(r * cos(a), r * sin(a), z);
}

static kl_pose any_pose(void)
{
    return (kl_pose){kl_scale(uniform(0, 1), direction()),
                     kl_rotation_exp(kl_scale(uniform(0, 3.1), direction()))};
}

static const kl_hull *knob;   /* a mesh that is not convex */
static kl_surface    *saddle; /* a curved patch */

static void bump(const void *context, double u, double v, kl_surface_point *out)
{
    (void)context;
    double k = 0.15;
    *out     = (kl_surface_point){.r   = kl_vec(u, v, k * (u * u - v * v)),
                                  .ru  = kl_vec(1, 0, 2 * k * u),
                                  .rv  = kl_vec(0, 1, -2 * k * v),
                                  .ruu = kl_vec(0, 0, 2 * k),
                                  .rvv = kl_vec(0, 0, -2 * k)};
}

/* A ball of triangles with a dent: z grows less where it points up. */
static void make_knob(kl_arena *arena, kl_diag *diag)
{
    enum { M = 12, N = 8 };
    kl_vec3 point[M * (N - 1) + 2];
    int     corner[2 * M * (N - 1)][3], n = 0, t = 0;
    for (int j = 1; j < N; j++)
        for (int i = 0; i < M; i++) {
            double th = KL_PI * j / N, ph = 2 * KL_PI * i / M, r = 0.5 - 0.2 * exp(-4 * th * th);
            point[n++] = kl_vec(r * sin(th) * cos(ph), r * sin(th) * sin(ph), r * cos(th));
        }
    point[n] = kl_vec(0, 0, 0.3), point[n + 1] = kl_vec(0, 0, -0.5);
    for (int i = 0; i < M; i++) {
        int k = (i + 1) % M, last = M * (N - 2);
        corner[t][0] = n, corner[t][1] = i, corner[t++][2] = k;
        corner[t][0] = n + 1, corner[t][1] = last + k, corner[t++][2] = last + i;
        for (int j = 0; j + 2 < N; j++) {
            int a = M * j + i, b = M * j + k, c = a + M, d = b + M;
            corner[t][0] = a, corner[t][1] = c, corner[t++][2] = b;
            corner[t][0] = b, corner[t][1] = c, corner[t++][2] = d;
        }
    }
    kl_hull *h = NULL;
    assert_int_equal(
        kl_hull_create(point, n + 2, (const int(*)[3])corner, t, (kl_place){0}, arena, diag, &h),
        KL_OK);
    knob = h;
}

static kl_solid random_solid(kl_solid_kind kind)
{
    kl_solid s = {.kind    = kind,
                  .radius  = uniform(0.2, 0.6),
                  .tube    = uniform(0.05, 0.18),
                  .half    = uniform(0.2, 0.8),
                  .size    = kl_vec(uniform(0.2, 0.7), uniform(0.2, 0.7), uniform(0.2, 0.7)),
                  .side    = 1.0,
                  .z       = {-uniform(0.3, 1), uniform(0.3, 1)},
                  .mesh    = knob,
                  .surface = saddle};
    double   w = uniform(0.4, 0.9);
    if (kind == KL_SOLID_REVOLVED_ARC)
        s.arc = (kl_arc2){{uniform(0.05, 0.3), 0.0}, uniform(0.2, 0.4), {-w, w}};
    if (kind == KL_SOLID_EXTRUDED_ARC)
        s.arc = (kl_arc2){{-1.0, 0.0}, uniform(0.9, 1.3), {-0.6 * w, 0.6 * w}};
    return s;
}

/* A point of the surface: the foot of a random one. */
static kl_vec3 surface_point(const kl_solid *s, const kl_pose *P)
{
    kl_vec3   c, h;
    kl_offset d = {0};
    kl_solid_types[s->kind].bounds(s, &c, &h);
    c = kl_add(
        c, kl_vec(uniform(-1.2, 1.2) * h.x, uniform(-1.2, 1.2) * h.y, uniform(-1.2, 1.2) * h.z));
    kl_solid_project(s, c, &d);
    return kl_pose_point(P, d.foot);
}

static double far_of(const kl_solid *s, const kl_pose *P, kl_vec3 p)
{
    kl_offset d = {0};
    kl_solid_project(s, kl_pose_local(P, p), &d);
    return d.d;
}

/* n.(c2 - c1) - h1(n) - h2(-n): no direction gives more than the gap */
static double between(const kl_pair *p, kl_vec3 n)
{
    kl_vec3 a = kl_pose_point(&p->A, kl_solid_support(p->a, kl_mul_t(&p->A.A, n))),
            b = kl_pose_point(&p->B, kl_solid_support(p->b, kl_mul_t(&p->B.A, kl_neg(n))));
    return kl_dot(n, kl_sub(b, a));
}

/* Brings the second shape near the first: gaps from -3 % of the size to 20 %. */
static kl_spot bring_near(kl_pair *p, double size)
{
    kl_spots s;
    double   want = size * uniform(-0.03, 0.2);
    p->A = any_pose(), p->B = any_pose();
    p->B.r = kl_axpy(3.0 * size, direction(), p->A.r);
    if (p->b->kind == KL_SOLID_PLANE) p->B.r = kl_axpy(-3.0 * size, kl_axis(&p->B.A, 2), p->A.r);
    for (int k = 0; k < 4; k++) {
        kl_pair_find(p, NULL, &s);
        const kl_spot *t = kl_spots_nearest(&s);
        assert_non_null(t);
        p->B.r = kl_axpy(want - t->gap, t->n, p->B.r);
    }
    kl_pair_find(p, NULL, &s);
    return *kl_spots_nearest(&s);
}

static double size_of(const kl_solid *s)
{
    kl_vec3 c, h;
    kl_solid_types[s->kind].bounds(s, &c, &h);
    return isinf(h.x) ? 0.0 : kl_norm(h);
}

static int  failures;
static void complain(const kl_pair_row *r, int i, const char *what, double a, double b)
{
    if (failures++ < 20)
        printf("%s-%s pair %d: %s %.12g %.12g\n", kl_solid_types[r->a].name,
               kl_solid_types[r->b].name, i, what, a, b);
}

static void check_pair(const kl_pair_row *r, int i, int samples)
{
    kl_solid a = random_solid(r->a), b = random_solid(r->b);
    kl_pair  p      = {.a = &a, .b = &b};
    double   size   = size_of(&a) + size_of(&b);
    kl_spot  t      = bring_near(&p, size);
    bool     convex = strcmp(r->way, "convex") == 0 || strcmp(r->way, "normal") == 0;
    /* the points lie on their surfaces */
    if (fabs(far_of(&a, &p.A, t.p1)) > 1e-7 * size)
        complain(r, i, "point 1 off", far_of(&a, &p.A, t.p1), t.gap);
    if (fabs(far_of(&b, &p.B, t.p2)) > 1e-7 * size)
        complain(r, i, "point 2 off", far_of(&b, &p.B, t.p2), t.gap);
    for (int k = 0; k < samples; k++) {
        if (convex) {
            double s = between(&p, k % 2 ? direction()
                                         : kl_unit(kl_axpy(uniform(0, 0.1), direction(), t.n)));
            if (s > t.gap + 1e-9 * size) complain(r, i, "a direction separates more", s, t.gap);
        }
        if (convex && t.gap < 0.0) continue;
        /* an open patch has a distance on its own side only: its points against the other */
        bool open = a.kind == KL_SOLID_SPHERE &&
                    (b.kind == KL_SOLID_EXTRUDED_ARC || b.kind == KL_SOLID_SURFACE);
        double d = open ? far_of(&a, &p.A, surface_point(&b, &p.B))
                        : far_of(&b, &p.B, surface_point(&a, &p.A));
        /* behind an open patch and beside it are one step apart: no smallest value there */
        if (d < 0.0 && (a.kind == KL_SOLID_REVOLVED_ARC || b.kind == KL_SOLID_REVOLVED_ARC ||
                        b.kind == KL_SOLID_EXTRUDED_ARC || b.kind == KL_SOLID_SURFACE))
            continue;
        if (d < t.gap - 1e-9 * size) complain(r, i, "a point is nearer", d, t.gap);
    }
    /* a warm search from the same place gives the same */
    kl_spots all, again;
    kl_pair_find(&p, NULL, &all);
    kl_pair_find(&p, &all, &again);
    if (fabs(kl_spots_nearest(&again)->gap - t.gap) > 1e-10 * size)
        complain(r, i, "warm search differs", kl_spots_nearest(&again)->gap, t.gap);
}

/* A ball carried over the patch: each warm search starts from the one before, and finds what a search
 * everywhere finds. */
static void check_ball_over_patch(void)
{
    kl_solid ball = {.kind = KL_SOLID_SPHERE, .radius = 0.1},
             hill = {.kind = KL_SOLID_SURFACE, .side = 1.0, .surface = saddle};
    kl_pair  p    = {&ball, &hill, {{-0.6, -0.5, 0.2}, kl_identity()}, any_pose()};
    kl_vec3  from = p.A.r;
    kl_spots last, warm = {0}, cold;
    kl_pose  local = {from, kl_identity()};
    for (int k = 0; k <= 100; k++) {
        local.r = kl_axpy(0.012 * k, kl_vec(1, 0.8, 0), from);
        p.A.r   = kl_pose_point(&p.B, local.r);
        last    = warm;
        kl_pair_find(&p, k ? &last : NULL, &warm);
        kl_pair_find(&p, NULL, &cold);
        assert_close(warm.item[0].gap, cold.item[0].gap, 1e-12);
        assert_close(kl_norm(kl_sub(warm.item[0].p2, cold.item[0].p2)), 0.0, 1e-7);
    }
}

static void random_pairs_of_every_kind_agree_with_brute_force(void **unused)
{
    (void)unused;
    const char *many  = getenv("KL_PAIRS");
    int         count = many ? atoi(many) : 200;
    double      u[2]  = {-0.8, 0.8};
    kl_arena   *arena = kl_arena_create();
    kl_diag    *diag  = kl_diag_create();
    make_knob(arena, diag);
    assert_int_equal(kl_surface_freeform((kl_surface_function){NULL, bump}, u, u, arena, &saddle),
                     KL_OK);
    for (const kl_pair_row *r = kl_pair_rows; r->find; r++) {
        bool    slow  = r->a == KL_SOLID_SURFACE || strcmp(r->way, "mesh") == 0;
        int     n     = slow && many ? (count + 9) / 10 : count; /* all of them, but for 10^4 */
        clock_t start = clock();
        for (int i = 0; i < n; i++) check_pair(r, i, slow ? 20 : 60);
        if (getenv("KL_PRINT"))
            printf("%s-%s (%s): %.1f us a check\n", kl_solid_types[r->a].name,
                   kl_solid_types[r->b].name, r->way,
                   1e6 * (double)(clock() - start) / CLOCKS_PER_SEC / n);
    }
    check_ball_over_patch();
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
    assert_int_equal(failures, 0);
}

/* d is a signed distance: its gradient is n, and its foot is on the surface */
static void distances_have_unit_gradients(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KL_SOLID_KINDS; kind++) {
        if (kind == KL_SOLID_SURFACE || kind >= KL_SOLID_MESH) continue;
        for (int i = 0; i < 100; i++) {
            kl_solid  s = random_solid((kl_solid_kind)kind);
            kl_vec3   p = kl_scale(uniform(0.1, 2), direction()), e = direction();
            kl_offset d = {0}, up = {0}, down = {0};
            kl_solid_project(&s, p, &d);
            kl_solid_project(&s, kl_axpy(1e-6, e, p), &up);
            kl_solid_project(&s, kl_axpy(-1e-6, e, p), &down);
            double a = (up.d - d.d) * 1e6, b = (d.d - down.d) * 1e6;
            if (fabs(a - b) < 1e-4) assert_close(0.5 * (a + b), kl_dot(d.n, e), 1e-5);
            kl_solid_project(&s, d.foot, &up);
            assert_close(up.d, 0.0, 1e-9);
        }
    }
}

/* 002 table 1.1: 100 pairs of circles at random, also deep inside each other; here thin rings */
/* Plain Newton's method on the orthogonality conditions d.t1 = d.t2 = 0 of two circles in a plane, d from
 * one point to the other, from angles at random (Ambrosio 2019, table 1.1). True: the nearest points. */
static bool newton_finds(const double c[2], double r1, double r2)
{
    double a = uniform(-KL_PI, KL_PI), b = uniform(-KL_PI, KL_PI);
    for (int k = 0; k < 50; k++) {
        double d[2]  = {c[0] + r2 * cos(b) - r1 * cos(a), c[1] + r2 * sin(b) - r1 * sin(a)};
        double t1[2] = {-sin(a), cos(a)}, t2[2] = {-sin(b), cos(b)};
        double f = d[0] * t1[0] + d[1] * t1[1], g = d[0] * t2[0] + d[1] * t2[1];
        double fa = -r1 - (d[0] * cos(a) + d[1] * sin(a)), fb = r2 * cos(a - b),
               ga = -r1 * cos(a - b), gb = r2 - (d[0] * cos(b) + d[1] * sin(b)),
               det = fa * gb - fb * ga;
        if (det == 0.0) return false;
        a -= (f * gb - fb * g) / det, b -= (fa * g - f * ga) / det;
    }
    double x = c[0] + r2 * cos(b) - r1 * cos(a), y = c[1] + r2 * sin(b) - r1 * sin(a);
    return fabs(hypot(x, y) - fabs(hypot(c[0], c[1]) - r1 - r2)) < 1e-9;
}

static void circles_at_random_are_all_found(void **unused)
{
    (void)unused;
    int newton = 0;
    for (int i = 0; i < 100; i++) {
        double c[2] = {uniform(1, 3) * (i % 2 ? 1 : -1), uniform(-3, 3)}, r1 = uniform(0.2, 0.5),
               r2    = uniform(0.2, 0.5);
        kl_solid one = {.kind = KL_SOLID_CYLINDER, .radius = r1, .half = 0.5},
                 two = {.kind = KL_SOLID_CYLINDER, .radius = r2, .half = 0.5};
        kl_pose A = {.A = kl_identity()}, B = {.r = {c[0], c[1], 0}, .A = kl_identity()};
        newton += newton_finds(c, r1, r2);
        assert_close(nearest_of(&one, A, &two, B).gap, hypot(c[0], c[1]) - r1 - r2, 1e-9);
    }
    print_message("100 pairs of circles: plain Newton finds %d, the search finds 100\n", newton);
    assert_true(newton < 90);
    for (int i = 0; i < 100; i++) {
        kl_solid a = {.kind = KL_SOLID_CAPSULE, .radius = uniform(0.2, 1)},
                 b = {.kind = KL_SOLID_CAPSULE, .radius = uniform(0.2, 1)};
        kl_pose A = any_pose(), B = any_pose();
        assert_close(nearest_of(&a, A, &b, B).gap, kl_norm(kl_sub(A.r, B.r)) - a.radius - b.radius,
                     1e-12);
    }
}

static void pairs_without_a_way_are_refused(void **unused)
{
    (void)unused;
    kl_solid plane = {.kind = KL_SOLID_PLANE}, hole = {.kind = KL_SOLID_CYLINDER, .inside = true},
             box = {.kind = KL_SOLID_BOX}, pin = {.kind = KL_SOLID_CYLINDER};
    bool swapped;
    assert_null(kl_pair_row_of(&plane, &plane, &swapped));
    assert_null(kl_pair_row_of(&hole, &box, &swapped));
    assert_string_equal(kl_pair_row_of(&hole, &pin, &swapped)->way, "hole");
    assert_true(swapped);
}

/* a cube on a plane stands on four corners; on another cube on the corners of what they share */
static void blocks_stand_on_their_corners(void **unused)
{
    (void)unused;
    kl_solid box       = {.kind = KL_SOLID_BOX, .size = {0.1, 0.2, 0.3}},
             plane     = {.kind = KL_SOLID_PLANE},
             table_top = {.kind = KL_SOLID_BOX, .size = {1, 1, 0.05}};
    kl_pose  up = {{0, 0, 0.299}, kl_identity()}, low = {{0.95, 0, -0.05}, kl_identity()};
    kl_pair  p = {&box, &plane, up, {{0, 0, 0}, kl_identity()}};
    kl_spots s;
    int      deep = 0;
    kl_pair_find(&p, NULL, &s);
    for (int i = 0; i < s.n; i++) deep += fabs(s.item[i].gap + 0.001) < 1e-12;
    assert_int_equal(deep, 4);
    p = (kl_pair){&box, &table_top, up, low};
    kl_pair_find(&p, NULL, &s);
    deep        = 0;
    double left = 1.0;
    for (int i = 0; i < s.n; i++) {
        deep += fabs(s.item[i].gap + 0.001) < 1e-12;
        left = fmin(left, s.item[i].p1.x);
        assert_close(s.item[i].n.z, -1.0, 1e-12);
    }
    assert_int_equal(deep, 4);
    assert_close(left, -0.05, 1e-12);
}

/* Least gap of a pin in a hole over a net of angles, both ends of what each line of the pin shares with the hole.
 * The largest distance is stationary, so a net of step w misses it by about r w^2/8. */
static double gap_on_a_net(const kl_solid *pin, const kl_pose *A, const kl_solid *hole, int n)
{
    double most = -1.0;
    for (int i = 0; i < n; i++) {
        double  a = 2 * KL_PI * i / n, low = -pin->half, high = pin->half;
        kl_vec3 d = kl_axis(&A->A, 2),
                x = kl_pose_point(A, kl_vec(pin->radius * cos(a), pin->radius * sin(a), 0));
        double s = (-hole->half - x.z) / d.z, t = (hole->half - x.z) / d.z;
        low = fmax(low, fmin(s, t)), high = fmin(high, fmax(s, t));
        if (low > high) continue;
        most = fmax(most, hypot(x.x + low * d.x, x.y + low * d.y));
        most = fmax(most, hypot(x.x + high * d.x, x.y + high * d.y));
    }
    return hole->radius - most;
}

/* Pins that are tilted, that stand out of the hole or end near its mouth. */
static void random_pins_in_holes_agree_with_brute_force(void **unused)
{
    (void)unused;
    enum { NET = 3000 };
    for (int i = 0; i < 400; i++) {
        kl_solid pin  = {.kind = KL_SOLID_CYLINDER, .radius = 1.0, .half = uniform(0.3, 3)},
                 hole = {.kind   = KL_SOLID_CYLINDER,
                         .radius = 1.01,
                         .half   = uniform(0.3, 3),
                         .inside = true};
        double  off = pow(10, uniform(-6, -1)), tilt = pow(10, uniform(-6, -0.5));
        double  turn = uniform(0, 6);
        kl_pose A    = {
               kl_vec(off * cos(turn), off * sin(turn), uniform(-0.6, 0.6) * (pin.half + hole.half)),
               kl_rotation_exp(kl_scale(tilt, direction()))};
        kl_pose B     = {{0, 0, 0}, kl_identity()};
        kl_mat3 spin  = kl_rotation_exp(kl_vec(0, 0, uniform(-3, 3)));
        A.A           = kl_matmul(&A.A, &spin);
        double gap    = nearest_of(&pin, A, &hole, B).gap;
        double wanted = gap_on_a_net(&pin, &A, &hole, NET), w = 2 * KL_PI / NET;
        if (!(gap <= wanted + 1e-12) || !(wanted - gap < w * w))
            fail_msg("pin %d: gap %.9g m, on a net %.9g m", i, gap, wanted);
    }
}

/* A pin parallel to its hole touches in the direction of its displacement, however small the clearance: the
 * distance is stationary there, and a direction from values alone would be rough by 1e-8 and more. */
static void parallel_pins_touch_in_the_direction_of_their_displacement(void **unused)
{
    (void)unused;
    kl_solid pin  = {.kind = KL_SOLID_CYLINDER, .radius = 0.01, .half = 0.02},
             hole = {.kind = KL_SOLID_CYLINDER, .half = 0.03, .inside = true};
    for (int i = 0; i < 500; i++) {
        double   a = uniform(0, 2 * KL_PI), off = pow(10, uniform(-8, -4));
        kl_vec3  n = kl_vec(cos(a), sin(a), 0);
        kl_mat3  R = kl_rotation_exp(kl_vec(0, 0, uniform(-3, 3)));
        kl_pair  p = {&pin, &hole, {kl_scale(off, n), R}, {{0, 0, 0}, kl_identity()}};
        kl_spots s;
        hole.radius = pin.radius + uniform(0, 1.5) * off;
        kl_pair_find(&p, NULL, &s);
        assert_int_equal(s.n, 2);
        for (int k = 0; k < 2; k++) /* rounding of the size over the displacement */
            assert_close(kl_norm(kl_sub(s.item[k].n, n)), 0.0, 1e-17 / off + 1e-14);
    }
}

/* A cylinder along a box, level and tilted, apart and overlapping by 1e-14 to 0.03 of a metre: a line of contact has
 * two points, the same two at any gap, and the normal of the face. */
static void cylinders_along_a_box_touch_at_two_points(void **unused)
{
    (void)unused;
    kl_solid roll = {.kind = KL_SOLID_CYLINDER, .radius = 0.05, .half = 0.1},
             box  = {.kind = KL_SOLID_BOX, .size = {0.5, 0.5, 0.05}};
    kl_mat3 flat  = kl_rotation_exp(kl_vec(-0.5 * KL_PI, 0, 0));
    kl_pair p     = {&roll, &box, {{0, 0, 0}, flat}, {{0, 0, -0.05}, kl_identity()}};
    for (int i = 0; i < 5000; i++) {
        kl_spots s;
        double   gap  = fmax(uniform(-0.5, 0.5) * pow(10, uniform(-14, -1)), -0.03),
               tilt   = i % 3 ? uniform(-0.5, 0.5) * pow(10, uniform(-14, -1)) : 0.0;
        kl_mat3 yaw   = kl_rotation_exp(kl_vec(0, 0, i % 2 ? uniform(0, 3) : 0.0)),
                level = kl_rotation_exp(kl_vec(tilt, 0, 0));
        level = kl_matmul(&level, &flat), p.A.A = kl_matmul(&yaw, &level);
        p.A.r = kl_vec(i % 5 ? uniform(-0.3, 0.3) : 0.0, i % 7 ? uniform(-0.3, 0.3) : 0.0, 0);
        kl_vec3 down = kl_mul_t(&p.A.A, kl_vec(0, 0, -1));
        p.A.r.z      = gap - kl_pose_point(&p.A, kl_solid_support(&roll, down)).z;
        kl_pair_find(&p, NULL, &s);
        double low = fmin(s.item[0].gap, s.item[1].gap), high = fmax(s.item[0].gap, s.item[1].gap);
        if (s.n != 2 || s.item[0].key != 0 || s.item[1].key != 1)
            fail_msg("gap %g, tilt %g: %d points", gap, tilt, s.n);
        assert_close(low, gap, 1e-11);
        assert_close(high, gap + 0.2 * sin(fabs(tilt)), 1e-11);
        assert_close(kl_norm(kl_cross(s.item[0].n, kl_vec(0, 0, 1))), 0.0, 1e-12);
    }
}

/* Pairs with flat and round parts whose penetration has several local minima: where faces of the polytope
 * lie in one plane, rounding can break it, and a local minimum is left. */
static void least_penetration_is_found_among_local_ones(void **unused)
{
    (void)unused;
    static const struct {
        kl_solid a, b;
        kl_vec3  A[2], B[2]; /* position and rotation vector */
    } list[] = {
        {{.kind = KL_SOLID_CYLINDER, .radius = 0.259407043904, .half = 0.520142128835},
         {.kind = KL_SOLID_BOX, .size = {0.612775623137, 0.463891567048, 0.364174469688}},
         {{0.379172308748, 0.886007952268, -0.243089580916},
          {-1.88962136355, -1.32897595496, 1.35449750421}},
         {{-0.271560112668, 0.493042869982, -1.41499371148},
          {0.00221774765396, -0.799072697485, -0.459424193921}}},
        {{.kind = KL_SOLID_CYLINDER, .radius = 0.425906090054, .half = 0.646016983774},
         {.kind = KL_SOLID_BOX, .size = {0.672926956074, 0.612092989371, 0.668127753455}},
         {{0.298032573725, 0.0787429060612, 0.0318560542055},
          {0.204708956702, 0.0734434114166, 0.317727170509}},
         {{1.44422846826, -0.54451863488, 1.29325697463},
          {3.5419478834e-05, -0.000466673191204, -0.000227733080554}}},
        {{.kind = KL_SOLID_BOX, .size = {0.256858397669, 0.392534701873, 0.594518612378}},
         {.kind = KL_SOLID_CONE, .radius = 0.391167534024, .half = 0.241712657808},
         {{0.0107473300277, 0.0338716288949, 0.0126100388549},
          {0.164329076823, -2.10592066712, -0.134054879697}},
         {{-0.997190510074, 0.66658624998, 0.0866397867174},
          {-0.667179260836, -0.20990586656, -0.676368655104}}},
    };
    for (int i = 0; i < 3; i++) {
        kl_pose A     = {list[i].A[0], kl_rotation_exp(list[i].A[1])},
                B     = {list[i].B[0], kl_rotation_exp(list[i].B[1])};
        kl_pair p     = {&list[i].a, &list[i].b, A, B};
        kl_spot t     = nearest_of(p.a, A, p.b, B);
        double  least = -1.0;
        for (int k = 0; k < 20000; k++) least = fmax(least, between(&p, direction()));
        assert_true(t.gap < 0.0);
        assert_true(t.gap > least - 1e-12);          /* no direction separates with less */
        assert_close(t.gap, between(&p, t.n), 1e-8); /* and this one does */
    }
}

/* The moment of a slightly tilted pin against the integral over its length, K a L^2/12: the error is no
 * larger than the one asked for, and one slice less would be too few. */
static void slices_keep_the_error_asked_for(void **unused)
{
    (void)unused;
    const double error[] = {1.0, 0.25, 0.1, 0.04, 0.01, 0.004}, tilt = 1e-5, half = 0.05;
    for (int i = 0; i < 6; i++) {
        int      n    = kl_pair_slices(error[i]);
        kl_solid pin  = {.kind = KL_SOLID_CYLINDER, .radius = 0.05, .half = half, .slices = n},
                 hole = {.kind = KL_SOLID_CYLINDER, .radius = 0.05, .half = 1.0, .inside = true};
        kl_pair  p    = {&pin,
                         &hole,
                         {{1e-4, 0, 0}, kl_rotation_exp(kl_vec(0, tilt, 0))},
                         {{0, 0, 0}, kl_identity()}};
        kl_spots s;
        double   moment = 0.0, exact = tilt * half * half / 3.0;
        kl_pair_find(&p, NULL, &s);
        assert_int_equal(s.n, n);
        for (int k = 0; k < n; k++)
            moment -= s.item[k].gap * kl_pose_local(&p.A, s.item[k].p1).z / n;
        double off = 1.0 - moment / exact;
        assert_close(off, 1.0 / (n * n), 1e-3);
        assert_true(off <= error[i] + 1e-3);
        assert_true(n == 1 || 1.0 / ((n - 1) * (n - 1)) > error[i]);
    }
    assert_int_equal(kl_pair_slices(0.01), 10);
    assert_int_equal(kl_pair_slices(0.003), 0); /* more than there can be */
    assert_int_equal(kl_pair_slices(-1.0), 0);
    assert_int_equal(kl_pair_slices((double)NAN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tori_are_those_of_the_reference),
        cmocka_unit_test(circles_in_circles_are_those_of_the_reference),
        cmocka_unit_test(ellipsoids_are_those_of_the_reference),
        cmocka_unit_test(arcs_are_those_of_the_reference),
        cmocka_unit_test(pins_are_those_of_the_reference),
        cmocka_unit_test(distances_have_unit_gradients),
        cmocka_unit_test(random_pairs_of_every_kind_agree_with_brute_force),
        cmocka_unit_test(circles_at_random_are_all_found),
        cmocka_unit_test(pairs_without_a_way_are_refused),
        cmocka_unit_test(blocks_stand_on_their_corners),
        cmocka_unit_test(slices_keep_the_error_asked_for),
        cmocka_unit_test(random_pins_in_holes_agree_with_brute_force),
        cmocka_unit_test(parallel_pins_touch_in_the_direction_of_their_displacement),
        cmocka_unit_test(cylinders_along_a_box_touch_at_two_points),
        cmocka_unit_test(least_penetration_is_found_among_local_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
