#include "geometry/surface.h"

#include <string.h>

#include "geometry/spatial.h"
#include "geometry/surface_table.h"
#include "unit/geometry/path_laws.h"

static const double PI = 3.14159265358979323846;

static kl_surface_point at(const kl_surface *s, double u, double v)
{
    kl_surface_cursor c = {0};
    kl_surface_point  p;
    assert_int_equal(kl_surface_eval(s, u, v, &c, &p), KL_OK);
    return p;
}

static kl_surface_shape shape_at(const kl_surface *s, double u, double v)
{
    kl_surface_point p = at(s, u, v);
    kl_surface_shape g;
    assert_int_equal(kl_surface_shape_at(s, &p, &g), KL_OK);
    return g;
}

/* first and second derivatives, and Weingarten's derivatives of n, against differences */
static void assert_surface_laws(const kl_surface *s, double u, double v, double h, double tolerance)
{
    kl_surface_point p       = at(s, u, v), pu[4], pv[4];
    kl_surface_shape g       = shape_at(s, u, v), gu[4], gv[4];
    double           step[4] = {-2 * h, -h, h, 2 * h};
    for (int i = 0; i < 4; i++) {
        pu[i] = at(s, u + step[i], v), pv[i] = at(s, u, v + step[i]);
        gu[i] = shape_at(s, u + step[i], v), gv[i] = shape_at(s, u, v + step[i]);
    }
#define D(a, f) slope(a[0].f, a[1].f, a[2].f, a[3].f, h)
    assert_close(vec_error(D(pu, r), p.ru), 0.0, tolerance);
    assert_close(vec_error(D(pv, r), p.rv), 0.0, tolerance);
    assert_close(vec_error(D(pu, ru), p.ruu), 0.0, tolerance);
    assert_close(vec_error(D(pv, ru), p.ruv), 0.0, tolerance);
    assert_close(vec_error(D(pu, rv), p.ruv), 0.0, tolerance);
    assert_close(vec_error(D(pv, rv), p.rvv), 0.0, tolerance);
    assert_close(vec_error(D(gu, n), g.nu), 0.0, tolerance);
    assert_close(vec_error(D(gv, n), g.nv), 0.0, tolerance);
#undef D
    assert_close(kl_dot(g.n, p.ru) + kl_dot(g.n, p.rv), 0.0, 1e-10);
    assert_close(kl_norm(kl_cross(g.t, g.b)) - kl_dot(kl_cross(g.t, g.b), g.n), 0.0, 1e-12);
    assert_close(g.k[0] * g.k[1], g.gauss, 1e-9 * (1 + fabs(g.gauss)));
    assert_close(g.k[0] + g.k[1], 2 * g.mean, 1e-12 * (1 + fabs(g.mean)));
    assert_close(kl_dot(g.direction[0], g.n), 0.0, 1e-9);
    assert_close(kl_norm(g.direction[0]), 1.0, 1e-12);
}

/* half a circle of radius R about (0, 0), from -x to +x over the top: a sphere when turned */
static void sphere_profile(kl_profile *p, double R, kl_arena *arena)
{
    double e = 0.2; /* stay away from the poles */
    kl_profile_begin(p, arena, -R * cos(e), R * sin(e));
    assert_int_equal(kl_profile_arc(p, 0, R, -R, KL_NOWHERE, NULL), KL_OK);
    assert_int_equal(kl_profile_arc(p, R * cos(e), R * sin(e), -R, KL_NOWHERE, NULL), KL_OK);
    assert_int_equal(kl_profile_end(p, 1e-12, NULL), KL_OK);
}

static void a_revolved_arc_is_a_sphere(void **unused)
{
    (void)unused;
    kl_arena   *arena = kl_arena_create();
    kl_profile  profile;
    kl_surface *s;
    double      R = 2.5;
    sphere_profile(&profile, R, arena);
    assert_close(kl_profile_length(&profile), R * (PI - 0.4), 1e-12);
    assert_int_equal(kl_surface_revolution(&profile, 1, 1, arena, &s), KL_OK);
    for (int i = 1; i < 20; i++) {
        double           u = s->u[1] * i / 20, v = 0.7 * i;
        kl_surface_shape g = shape_at(s, u, v);
        assert_close(kl_norm(at(s, u, v).r), R, 1e-12);
        assert_close(g.k[0], g.k[1], 1e-7); /* the root of a difference */
        assert_close(fabs(g.mean), 1 / R, 1e-10);
        assert_close(g.gauss, 1 / (R * R), 1e-10);
        if (i != 10) assert_surface_laws(s, u, v, 1e-3, 1e-8);
    }
    kl_arena_destroy(arena);
}

static void cone_cylinder_and_torus_have_their_curvatures(void **unused)
{
    (void)unused;
    kl_arena   *arena = kl_arena_create();
    kl_profile  p;
    kl_surface *s;
    /* a conical wheel tread: R = 0.45 + x/20, one curvature zero, the other cos(angle)/R */
    kl_profile_begin(&p, arena, -0.07, 0.45 - 0.07 / 20);
    assert_int_equal(kl_profile_line(&p, 0.07, 0.45 + 0.07 / 20, KL_NOWHERE, NULL), KL_OK);
    assert_int_equal(kl_profile_end(&p, 0, NULL), KL_OK);
    assert_int_equal(kl_surface_revolution(&p, 1, 1, arena, &s), KL_OK);
    kl_surface_shape g = shape_at(s, 0.5 * s->u[1], 1.0);
    assert_close(g.gauss, 0.0, 1e-12);
    assert_close(fmax(fabs(g.k[0]), fabs(g.k[1])), cos(atan(0.05)) / 0.45, 1e-9);

    /* torus: tube of radius 1 swept along a circle of radius 5 */
    kl_spatial_segment circle = {.length = 10 * PI, .left = {0.2, 0.2}};
    kl_spatial         in     = {.segment = &circle, .n = 1, .A = kl_identity()};
    kl_curve          *curve;
    assert_int_equal(kl_spatial_build(&in, arena, NULL, &curve, NULL), KL_OK);
    kl_path   *path = make_path(curve, (kl_frame_settings){0}, NULL, arena);
    kl_profile tube;
    kl_profile_begin(&tube, arena, 1, 0);
    assert_int_equal(kl_profile_arc(&tube, -1, 0, 1, KL_NOWHERE, NULL), KL_OK);
    assert_int_equal(kl_profile_arc(&tube, 1, 0, 1, KL_NOWHERE, NULL), KL_OK);
    assert_int_equal(kl_profile_end(&tube, 1e-12, NULL), KL_OK);
    assert_int_equal(kl_surface_sweep(&tube, path, arena, &s), KL_OK);
    for (int i = 1; i < 12; i++) {
        double angle = 0.5 * i; /* from the inner side (left is inwards) */
        g            = shape_at(s, angle, 7.0 + i);
        double k     = -cos(angle) / (5 - cos(angle));
        assert_close(g.gauss, k, 1e-9);
        assert_surface_laws(s, angle, 7.0 + i, 1e-3, 1e-7);
    }
    kl_arena_destroy(arena);
}

/* A profile whose last point is its first goes round: arcs as they are, splines smoothly. */
static void a_profile_that_ends_where_it_began_is_periodic(void **unused)
{
    (void)unused;
    static const double tube[8] = {1, 3, 0, 2, -1, 3, 0, 4};
    kl_arena           *arena   = kl_arena_create();
    for (int spline = 0; spline < 2; spline++) {
        kl_profile  p;
        kl_surface *s;
        kl_profile_begin(&p, arena, 0, 4);
        for (int i = 0; !spline && i < 4; i++)
            assert_int_equal(kl_profile_arc(&p, tube[2 * i], tube[2 * i + 1], -1, KL_NOWHERE, NULL),
                             KL_OK);
        if (spline)
            assert_int_equal(kl_profile_points(&p, tube, 4, KL_QUINTIC, KL_NOWHERE, NULL), KL_OK);
        assert_int_equal(kl_profile_end(&p, 1e-12, NULL), KL_OK);
        assert_int_equal(kl_surface_revolution(&p, 1, 1, arena, &s), KL_OK);
        assert_true(s->closed_u && s->closed_v);
        assert_true(kl_surface_inside(s, -2.4e-13, 1.0) && kl_surface_inside(s, 100.0, 1.0));
        assert_surface_laws(s, 0.0, 1.0, 1e-3, 1e-6); /* over the seam */
        assert_close(vec_error(at(s, 0.3, 1.0).r, at(s, 0.3 + 3 * s->u[1], 1.0).r), 0.0, 1e-12);
    }
    kl_profile open;
    kl_profile_begin(&open, arena, 0, 4);
    assert_int_equal(kl_profile_points(&open, tube, 3, KL_QUINTIC, KL_NOWHERE, NULL), KL_OK);
    assert_int_equal(kl_profile_end(&open, 0, NULL), KL_OK);
    assert_false(open.closed);
    kl_arena_destroy(arena);
}

static void a_rail_swept_along_a_canted_track_obeys_the_laws(void **unused)
{
    (void)unused;
    kl_arena          *arena     = kl_arena_create();
    kl_spatial_segment segment[] = {
        {.length = 30, .left = {0, 0.01}, .up = {0.002, 0}, .roll = 0.1},
        {.length = 40, .left = {0.01, 0.01}}};
    kl_spatial   in = {.segment = segment, .n = 2, .A = kl_identity()};
    kl_curve    *curve;
    kl_piecewise roll;
    assert_int_equal(kl_spatial_build(&in, arena, NULL, &curve, &roll), KL_OK);
    kl_frame_settings set  = {.kind = KL_FRAME_MINIMAL_ROTATION};
    kl_path          *path = make_path(curve, set, &roll, arena);
    double      head[]     = {-0.02, 0.003, 0.0, 0.0035, 0.015, 0.003, 0.03, -0.002, 0.036, -0.014};
    kl_profile  p;
    kl_surface *s;
    kl_profile_begin(&p, arena, -0.036, -0.014);
    assert_int_equal(kl_profile_points(&p, head, 5, KL_CUBIC, KL_NOWHERE, NULL), KL_OK);
    assert_int_equal(kl_profile_line(&p, 0.036, -0.03, KL_NOWHERE, NULL), KL_OK);
    assert_int_equal(kl_profile_end(&p, 1e-10, NULL), KL_OK);
    assert_int_equal(kl_surface_sweep(&p, path, arena, &s), KL_OK);
    for (int i = 1; i < 10; i++) assert_surface_laws(s, 0.007 * i, 6.1 * i, 1e-5, 2e-4);
    kl_surface_place(
        s, (kl_pose){{1, 2, 3}, kl_from_axes(kl_vec(0, 1, 0), kl_vec(0, 0, 1), kl_vec(1, 0, 0))});
    for (int i = 1; i < 10; i++) assert_surface_laws(s, 0.007 * i, 6.1 * i, 1e-5, 2e-4);
    kl_arena_destroy(arena);
}

static void extruded_and_revolved_arcs_follow_their_equations(void **unused)
{
    (void)unused;
    kl_arena *arena = kl_arena_create();
    double    c[2] = {0.4, -0.1}, first[2] = {0.4 + 0.3 * cos(0.4), -0.1 + 0.3 * sin(0.4)},
           last[2] = {0.4 + 0.3 * cos(-0.9), -0.1 + 0.3 * sin(-0.9)};
    kl_arc2 arc;
    assert_int_equal(kl_arc2_make(c, first, last, 1e-4, &arc), KL_OK);
    assert_close(arc.theta[0], 0.4, 1e-12);
    assert_close(arc.theta[1], -0.9, 1e-12);
    kl_mat3     turned = kl_from_axes(kl_vec(cos(0.3), sin(0.3), 0), kl_vec(-sin(0.3), cos(0.3), 0),
                                      kl_vec(0, 0, 1));
    kl_pose     node[2] = {{{0, 0, 0}, kl_identity()}, {{0.1, 0, 3}, turned}};
    kl_surface *e, *r;
    assert_int_equal(kl_surface_extruded_arc(&arc, node, arena, &e), KL_OK);
    kl_surface_point p = at(e, 0.25, 0.1);
    kl_vec3 f = kl_vec(0.3 * cos(0.1) + 0.4, 0.3 * sin(0.1) - 0.1, 0); /* eq. 5.1 to 5.3 by hand */
    kl_vec3 want =
        kl_add(kl_scale(0.375, f), kl_scale(0.625, kl_add(kl_mul(&turned, f), kl_vec(0.1, 0, 3))));
    assert_close(vec_error(p.r, want), 0.0, 1e-14);
    for (int i = -4; i < 5; i++) assert_surface_laws(e, 0.2 * i, -0.2 + 0.1 * i, 1e-3, 1e-9);

    assert_int_equal(kl_surface_revolved_arc(&arc, 1.2, 0.8, node[1], arena, &r), KL_OK);
    p            = at(r, 0.7, -0.3);
    double  R    = 0.3 * cos(-0.3) + 0.4;
    kl_vec3 eq54 = kl_vec(R * 1.2 * cos(0.7), 0.3 * sin(-0.3) - 0.1, -R * 0.8 * sin(0.7));
    assert_close(vec_error(p.r, kl_add(node[1].r, kl_mul(&turned, eq54))), 0.0, 1e-14);
    for (int i = 0; i < 8; i++) assert_surface_laws(r, 0.8 * i, -0.8 + 0.1 * i, 1e-3, 1e-8);

    /* factors 1 and a centre on the axis: a sphere */
    double zero[2] = {0, 0}, top[2] = {0, 0.5}, side[2] = {0.5, 0};
    assert_int_equal(kl_arc2_make(zero, top, side, 1e-4, &arc), KL_OK);
    assert_int_equal(kl_surface_revolved_arc(&arc, 1, 1, node[0], arena, &r), KL_OK);
    assert_close(shape_at(r, 1.0, 0.4).gauss, 4.0, 1e-9);
    /* a pole has no normal */
    kl_surface_point pole = at(r, 1.0, 0.5 * PI);
    kl_surface_shape g;
    assert_int_equal(kl_surface_shape_at(r, &pole, &g), KL_E_SINGULAR);
    double wrong[2] = {0.5, 0.5};
    assert_int_equal(kl_arc2_make(zero, top, wrong, 1e-4, &arc), KL_E_RANGE);
    kl_arena_destroy(arena);
}

static void wave_surface(const void *context, double u, double v, kl_surface_point *p)
{
    (void)context;
    double a = 0.3;
    p->r     = kl_vec(u, v, a * sin(u) * cos(0.7 * v));
    p->ru    = kl_vec(1, 0, a * cos(u) * cos(0.7 * v));
    p->rv    = kl_vec(0, 1, -0.7 * a * sin(u) * sin(0.7 * v));
    p->ruu   = kl_vec(0, 0, -a * sin(u) * cos(0.7 * v));
    p->ruv   = kl_vec(0, 0, -0.7 * a * cos(u) * sin(0.7 * v));
    p->rvv   = kl_vec(0, 0, -0.49 * a * sin(u) * cos(0.7 * v));
}

static kl_surface *waves(kl_arena *arena)
{
    kl_surface  *s;
    const double u[2] = {0, 4}, v[2] = {-1, 2};
    assert_int_equal(
        kl_surface_freeform((kl_surface_function){NULL, wave_surface}, u, v, arena, &s), KL_OK);
    return s;
}

static double net_error(int n, kl_interpolation kind)
{
    kl_arena *arena = kl_arena_create();
    kl_vec3  *point = kl_arena_array(arena, kl_vec3, (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double u = 4.0 * i / (n - 1), v = -1 + 3.0 * j / (n - 1);
            point[i * n + j] = kl_vec(u, v, 0.3 * sin(u) * cos(0.7 * v));
        }
    kl_net      net = {.point = point, .nu = n, .nv = n, .kind = kind};
    kl_surface *s;
    double      worst = 0.0;
    assert_int_equal(kl_surface_net(&net, arena, NULL, &s), KL_OK);
    for (int i = 0; i <= 97; i++)
        for (int j = 0; j <= 97; j++) {
            kl_surface_point p = at(s, s->u[1] * i / 97, s->v[1] * j / 97);
            worst              = fmax(worst, fabs(p.r.z - 0.3 * sin(p.r.x) * cos(0.7 * p.r.y)));
        }
    assert_surface_laws(s, 0.31 * s->u[1], 0.57 * s->v[1], 1e-3, 1e-7);
    kl_arena_destroy(arena);
    return worst;
}

static void nets_converge_with_their_order(void **unused)
{
    (void)unused;
    /* over two doublings: on coarse nets the uneven knots still matter */
    assert_true(0.5 * log2(net_error(21, KL_CUBIC) / net_error(81, KL_CUBIC)) > 3.8);
    assert_true(0.5 * log2(net_error(21, KL_QUINTIC) / net_error(81, KL_QUINTIC)) > 5.7);
}

static void a_closed_net_closes(void **unused)
{
    (void)unused;
    kl_arena *arena = kl_arena_create();
    kl_vec3   point[24 * 5];
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 5; j++)
            point[i * 5 + j] = kl_vec(j, cos(2 * PI * i / 24), sin(2 * PI * i / 24));
    kl_net      net = {.point = point, .nu = 24, .nv = 5, .kind = KL_QUINTIC, .closed_u = true};
    kl_surface *s;
    assert_int_equal(kl_surface_net(&net, arena, NULL, &s), KL_OK);
    for (int i = 0; i < 50; i++) {
        double u = s->u[1] * (i / 20.0 - 1), v = 0.08 * i;
        assert_close(hypot(at(s, u, v).r.y, at(s, u, v).r.z), 1.0, 1e-5);
        assert_close(fabs(shape_at(s, u, v).mean), 0.5, 1e-3);
    }
    kl_diag *diag = kl_diag_create();
    point[7].x    = (double)NAN;
    assert_int_equal(kl_surface_net(&net, arena, diag, &s), KL_E_NAN);
    net.nu = 2;
    assert_int_equal(kl_surface_net(&net, arena, diag, &s), KL_E_RANGE);
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

static void by_length_the_middle_lines_have_unit_speed(void **unused)
{
    (void)unused;
    kl_arena   *arena = kl_arena_create();
    kl_surface *s     = waves(arena), *l;
    assert_int_equal(kl_surface_by_length(s, 1e-10, arena, NULL, &l), KL_OK);
    for (int i = 1; i < 10; i++) {
        kl_surface_point p = at(l, 0.1 * i * l->u[1], 0.0), q;
        (void)p;
        /* find the middle: v at which y = 0.5, and u at which x = 2 */
        double low = 0, high = l->v[1];
        for (int k = 0; k < 60; k++)
            *(at(l, 0.0, 0.5 * (low + high)).r.y < 0.5 ? &low : &high) = 0.5 * (low + high);
        q = at(l, 0.1 * i * l->u[1], low);
        assert_close(kl_norm(q.ru), 1.0, 1e-6);
        assert_close(kl_dot(q.ru, q.ruu), 0.0, 1e-4);
        assert_surface_laws(l, 0.1 * i * l->u[1], 0.05 * i * l->v[1], 1e-3, 1e-6);
    }
    kl_arena_destroy(arena);
}

static void a_surface_table_keeps_its_error(void **unused)
{
    (void)unused;
    for (int method = 0; method < 2; method++) {
        kl_arena                 *arena = kl_arena_create();
        kl_surface               *s     = waves(arena), *t;
        double                    e     = method == KL_TABLE_LINEAR ? 1e-4 : 1e-6;
        kl_surface_table         *table;
        kl_surface_table_settings set = {.method = (kl_table_method)method, .error = {e, e}};
        assert_int_equal(kl_surface_table_in_memory(s, &set, arena, NULL, &table), KL_OK);
        assert_int_equal(kl_surface_from_table(table, arena, &t), KL_OK);
        assert_true(table->error[0] <= e && table->error[1] <= e);
        kl_surface_cursor c = {0};
        for (int i = 0; i <= 60; i++)
            for (int j = 0; j <= 60; j++) {
                double           u = 4.0 * i / 60, v = -1 + 3.0 * j / 60, cell[KL_CELL];
                kl_surface_shape g = shape_at(s, u, v);
                assert_int_equal(kl_surface_table_cell(table, u, v, &c, cell), KL_OK);
                assert_close(vec_error(kl_load(cell + KL_CELL_G), at(s, u, v).r), 0.0, 1.8 * e);
                assert_close(vec_error(kl_load(cell + KL_CELL_N), g.n), 0.0, 1.8 * e);
                assert_close(vec_error(kl_load(cell + KL_CELL_T), g.t), 0.0, 1.8 * e);
                assert_close(vec_error(at(t, u, v).r, at(s, u, v).r), 0.0, 1.8 * e);
            }
        if (method == KL_TABLE_CUBIC)
            assert_close(shape_at(t, 1.3, 0.4).gauss, shape_at(s, 1.3, 0.4).gauss, 1e-3);
        kl_arena_destroy(arena);
    }
}

typedef struct store {
    const kl_surface_table *table;
    int                     calls;
} store;

static kl_status store_read(void *context, int u0, int nu, int v0, int nv, double *cells)
{
    store *s = context;
    s->calls++;
    assert_true(u0 >= 0 && v0 >= 0 && u0 + nu <= s->table->nu && v0 + nv <= s->table->nv);
    for (int i = 0; i < nu; i++)
        memcpy(cells + (size_t)i * (size_t)nv * KL_CELL,
               s->table->cells + ((size_t)(u0 + i) * (size_t)s->table->nv + (size_t)v0) * KL_CELL,
               (size_t)nv * KL_CELL * sizeof *cells);
    return KL_OK;
}

static void a_surface_window_gives_the_same_bits_as_memory(void **unused)
{
    (void)unused;
    kl_arena                 *arena = kl_arena_create();
    kl_surface               *s     = waves(arena), *a, *b;
    kl_surface_table         *table;
    kl_surface_table_settings set = {.method = KL_TABLE_CUBIC, .error = {1e-7, 1e-7}};
    assert_int_equal(kl_surface_table_in_memory(s, &set, arena, NULL, &table), KL_OK);
    kl_surface_table through = *table;
    store            from    = {table, 0};
    through.cells = NULL, through.window_u = 12, through.window_v = 10;
    through.source = (kl_cell_source){&from, store_read};
    assert_int_equal(kl_surface_from_table(table, arena, &a), KL_OK);
    assert_int_equal(kl_surface_from_table(&through, arena, &b), KL_OK);
    kl_surface_cursor ca = {0}, cb;
    assert_int_equal(kl_surface_cursor_init(b, arena, &cb), KL_OK);
    for (int i = 0; i < 2000; i++) { /* a contact point that wanders over the surface */
        double           u = 2 + 1.9 * sin(0.005 * i), v = 0.5 + 1.4 * cos(0.0037 * i);
        kl_surface_point p, q;
        assert_int_equal(kl_surface_eval(a, u, v, &ca, &p), KL_OK);
        assert_int_equal(kl_surface_eval(b, u, v, &cb, &q), KL_OK);
        assert_memory_equal(&p, &q, sizeof p);
    }
    assert_true(from.calls > 3 && from.calls < 200);
    through.window_u = 2;
    assert_int_equal(kl_surface_from_table(&through, arena, &b), KL_E_MODEL);
    kl_arena_destroy(arena);
}

static void bad_profiles_are_told_why(void **unused)
{
    (void)unused;
    kl_arena  *arena = kl_arena_create();
    kl_diag   *diag  = kl_diag_create();
    kl_profile p;
    kl_profile_begin(&p, arena, 0, 0);
    assert_int_equal(kl_profile_arc(&p, 2, 0, 0.5, KL_NOWHERE, diag), KL_E_RANGE);
    assert_int_equal(kl_profile_line(&p, 0, 0, KL_NOWHERE, diag), KL_E_RANGE);
    assert_int_equal(kl_profile_line(&p, (double)NAN, 0, KL_NOWHERE, diag), KL_E_NAN);
    kl_profile_begin(&p, arena, 0, 0);
    assert_int_equal(kl_profile_end(&p, 0, diag), KL_E_MODEL);
    assert_non_null(strstr(kl_diag_at(diag, 0)->text, "radius of at least 1 m"));
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_revolved_arc_is_a_sphere),
        cmocka_unit_test(cone_cylinder_and_torus_have_their_curvatures),
        cmocka_unit_test(a_profile_that_ends_where_it_began_is_periodic),
        cmocka_unit_test(a_rail_swept_along_a_canted_track_obeys_the_laws),
        cmocka_unit_test(extruded_and_revolved_arcs_follow_their_equations),
        cmocka_unit_test(nets_converge_with_their_order),
        cmocka_unit_test(a_closed_net_closes),
        cmocka_unit_test(by_length_the_middle_lines_have_unit_speed),
        cmocka_unit_test(a_surface_table_keeps_its_error),
        cmocka_unit_test(a_surface_window_gives_the_same_bits_as_memory),
        cmocka_unit_test(bad_profiles_are_told_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
