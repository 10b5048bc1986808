#include "geometry/layout.h"

#include <string.h>

#include "base/arena.h"
#include "unit/geometry/path_laws.h"

static kl_plan_element straight(double length)
{
    return (kl_plan_element){.kind = KL_PLAN_STRAIGHT, .length = length};
}

static kl_plan_element bend(double radius, double length, double roll)
{
    return (kl_plan_element){
        .kind = KL_PLAN_CURVE, .length = length, .curvature = 1.0 / radius, .roll = roll};
}

static kl_plan_element transition(double length, const char *shape)
{
    const kl_shape *s = kl_shape_find(shape);
    assert_non_null(s);
    return (kl_plan_element){.kind = KL_PLAN_TRANSITION, .length = length, .shape = s};
}

static kl_curve *lay(const kl_layout *layout, kl_arena *arena, kl_piecewise *roll)
{
    kl_diag  *diag  = kl_diag_create();
    kl_curve *curve = NULL;
    kl_status s     = kl_layout_build(layout, arena, diag, &curve, roll);
    if (s != KL_OK && kl_diag_size(diag) > 0) fail_msg("%s", kl_diag_at(diag, 0)->text);
    assert_int_equal(s, KL_OK);
    kl_diag_destroy(diag);
    return curve;
}

/* derivatives by sigma, found by search */
static void at(const kl_curve *curve, double u, kl_vec3 d[6])
{
    int i = 0;
    while (i + 1 < curve->npiece && curve->piece[i + 1].u <= u) i++;
    kl_curve_eval(curve, i, u, 5, d);
}

static void a_clothoid_agrees_with_the_fresnel_series(void **unused)
{
    (void)unused;
    kl_arena       *arena = kl_arena_create();
    double          R = 300.0, L = 200.0;
    kl_plan_element plan[] = {transition(L, "clothoid"), bend(R, 400.0, 0.0)};
    kl_curve       *curve  = lay(&(kl_layout){.plan = plan, .nplan = 2}, arena, NULL);
    for (int i = 0; i <= 20; i++) {
        double s = L * i / 20, A = 0.5 / (R * L), x = 0.0, y = 0.0, term = s;
        /* x = sum (-1)^n A^2n s^(4n+1)/((2n)! (4n+1)), y likewise with odd powers */
        for (int n = 0; n < 20; n++) {
            x += (n % 2 ? -1 : 1) * term / (4 * n + 1);
            term *= A * s * s / (2 * n + 1);
            y += (n % 2 ? -1 : 1) * term / (4 * n + 3);
            term *= A * s * s / (2 * n + 2);
        }
        kl_vec3 d[6];
        at(curve, s, d);
        assert_close(d[0].x, x, 1e-11);
        assert_close(d[0].y, y, 1e-11);
        double theta = A * s * s, k = s / (R * L);
        assert_close(vec_error(d[1], kl_vec(cos(theta), sin(theta), 0)), 0.0, 1e-13);
        assert_close(d[1].x * d[2].y - d[1].y * d[2].x, k, 1e-14);
    }
    kl_arena_destroy(arena);
}

static void a_circle_is_a_circle_to_its_fifth_derivative(void **unused)
{
    (void)unused;
    kl_arena       *arena  = kl_arena_create();
    double          R      = -25.0;
    kl_plan_element plan[] = {bend(R, 400.0, 0.0)};
    kl_layout       in     = {.plan = plan, .nplan = 1, .start = {3, 4, 5}, .heading = 0.3};
    kl_curve       *curve  = lay(&in, arena, NULL);
    for (int i = 0; i <= 40; i++) {
        double  s = 10.0 * i, a = 0.3 + s / R;
        kl_vec3 d[6];
        at(curve, s, d);
        kl_vec3 want = kl_vec(3 + R * (sin(a) - sin(0.3)), 4 - R * (cos(a) - cos(0.3)), 5);
        assert_close(vec_error(d[0], want), 0.0, 1e-11);
        for (int n = 1; n < 6; n++) {
            double  f = pow(R, 1 - n), p = 1.5707963267948966 * (n - 1);
            kl_vec3 e = kl_vec(f * cos(a + p), f * sin(a + p), 0);
            assert_close(vec_error(d[n], e), 0.0, 1e-9 * fabs(f));
        }
    }
    kl_arena_destroy(arena);
}

/* heading and position by summing the curvature's definition: a second road for every shape */
static double shape_value(const char *name, double x)
{
    const double pi = 3.14159265358979323846;
    switch (name[0]) {
    case 'b': return x * x * (3 - 2 * x);
    case 'h': return x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
    case 'v': return pow(x, 4) * (35 + x * (-84 + x * (70 - 20 * x)));
    case 's': return x - sin(2 * pi * x) / (2 * pi);
    }
    return name[1] == 'o' ? (1 - cos(pi * x)) / 2 : x;
}

static void every_transition_is_the_integral_of_its_curvature(void **unused)
{
    (void)unused;
    const char *const shapes[] = {"clothoid", "bloss", "cosine", "sine", "helmert", "viennese"};
    double            R = 150.0, L = 120.0;
    for (int k = 0; k < 6; k++) {
        kl_arena       *arena  = kl_arena_create();
        kl_plan_element plan[] = {transition(L, shapes[k]), bend(R, 50.0, 0.0)};
        kl_curve       *curve  = lay(&(kl_layout){.plan = plan, .nplan = 2}, arena, NULL);
        enum { STEPS = 20000 };
        double h = L / STEPS, theta = 0.0, x = 0.0, y = 0.0;
        for (int i = 0; i < STEPS; i++) { /* Simpson for theta, midpoint values for x and y */
            double k0  = shape_value(shapes[k], (double)i / STEPS) / R;
            double k1  = shape_value(shapes[k], (i + 0.5) / STEPS) / R;
            double k2  = shape_value(shapes[k], (i + 1.0) / STEPS) / R;
            double mid = theta + h * (5 * k0 + 8 * k1 - k2) / 24,
                   end = theta + h * (k0 + 4 * k1 + k2) / 6;
            x += h * (cos(theta) + 4 * cos(mid) + cos(end)) / 6;
            y += h * (sin(theta) + 4 * sin(mid) + sin(end)) / 6;
            theta = end;
        }
        kl_vec3 d[6];
        at(curve, L, d);
        assert_close(d[0].x, x, 1e-9);
        assert_close(d[0].y, y, 1e-9);
        assert_close(atan2(d[1].y, d[1].x), theta, 1e-11);
        kl_arena_destroy(arena);
    }
}

static void a_cubic_parabola_lies_on_one_and_meets_the_curve(void **unused)
{
    (void)unused;
    kl_arena       *arena = kl_arena_create();
    double          R = 200.0, L = 100.0;
    kl_plan_element plan[] = {straight(50.0), transition(L, "cubic-parabola"), bend(-R, 80.0, 0.0),
                              transition(L, "cubic-parabola"), straight(50.0)};
    kl_curve       *curve  = lay(&(kl_layout){.plan = plan, .nplan = 5}, arena, NULL);
    kl_vec3         d[6];
    at(curve, 50.0 + L, d);
    double a = -d[0].y / pow(d[0].x - 50.0, 3);
    assert_close(kl_norm(d[2]), 1.0 / R, 1e-12);
    for (int i = 1; i < 20; i++) {
        at(curve, 50.0 + L * i / 20, d);
        assert_close(-d[0].y, a * pow(d[0].x - 50.0, 3), 1e-9);
    }
    /* the way out mirrors the way in: same turn, same sagitta seen from the end */
    kl_vec3 in[6], out[6];
    at(curve, 50.0 + 0.37 * L, in);
    at(curve, 50.0 + 2 * L + 80.0 - 0.37 * L, out);
    assert_close(kl_norm(in[2]), kl_norm(out[2]), 1e-12);
    assert_close(out[2].z, 0.0, 0.0);
    kl_arena_destroy(arena);
}

static void vertical_curves_have_their_radius(void **unused)
{
    (void)unused;
    kl_arena        *arena   = kl_arena_create();
    kl_plan_element  plan[]  = {straight(400.0)};
    kl_grade_element grade[] = {
        {.kind = KL_GRADE_CONSTANT, .length = 50.0, .slope = 0.0},
        {.kind = KL_GRADE_CIRCLE, .slope = -1.0, .radius = 30.0},
        {.kind = KL_GRADE_CONSTANT, .length = 40.0, .slope = -1.0},
        {.kind = KL_GRADE_CIRCLE, .slope = 0.2, .radius = 45.0},
        {.kind = KL_GRADE_PARABOLA, .slope = 0.0, .radius = 500.0, .ramp = 10.0}};
    kl_layout in   = {.plan = plan, .nplan = 1, .grade = grade, .ngrade = 5, .start = {0, 0, 60}};
    kl_path  *path = make_path(lay(&in, arena, NULL), (kl_frame_settings){0}, NULL, arena);
    double    quarter = 0.7853981633974483;
    /* length along the first circle is R times its angle */
    kl_path_point p = path_at(path, 50.0 + 0.5 * 30.0 * quarter);
    assert_close(kl_norm(p.dt), 1.0 / 30.0, 1e-10);
    assert_close(p.t.z, -sin(0.5 * quarter), 1e-9);
    assert_close(p.r.z, 60.0 - 30.0 * (1.0 - cos(0.5 * quarter)), 1e-9);
    p = path_at(path, 50.0 + 30.0 * quarter + 40.0 * sqrt(2.0) + 45.0 * quarter);
    assert_close(p.t.z, 0.0, 1e-8);
    assert_close(p.A.m[1][1], 1.0, 1e-14);
    for (int i = 1; i < 60; i++) assert_path_laws(path, path->length * i / 61.3, 1e-2, 2e-6);
    p = path_at(path, path->length);
    assert_close(p.t.z, 0.0, 1e-12);
    kl_arena_destroy(arena);
}

static void cant_follows_the_plan(void **unused)
{
    (void)unused;
    kl_arena       *arena  = kl_arena_create();
    double          roll   = -1.014;
    kl_plan_element plan[] = {straight(100.0), transition(60.0, "clothoid"), bend(30.0, 80.0, roll),
                              transition(60.0, "cosine"), straight(100.0)};
    kl_piecewise    law;
    kl_path        *path = make_path(lay(&(kl_layout){.plan = plan, .nplan = 5}, arena, &law),
                                     (kl_frame_settings){0}, &law, arena);
    kl_path_point   p    = path_at(path, 130.0);
    assert_close(asin(p.A.m[2][1]), 0.5 * roll, 1e-12);
    assert_close(kl_dot(p.kappa, p.t), roll / 60.0, 1e-12);
    p = path_at(path, 200.0);
    assert_close(asin(p.A.m[2][1]), roll, 1e-12);
    p = path_at(path, 260.0);
    assert_close(asin(p.A.m[2][1]), roll * 0.5 * (1 + cos(3.14159265358979 * 20 / 60)), 1e-12);
    for (int i = 1; i < 80; i++) assert_path_laws(path, path->length * i / 81.7, 1e-2, 2e-6);
    kl_arena_destroy(arena);
}

static void bad_layouts_are_told_where_and_why(void **unused)
{
    (void)unused;
    const struct {
        kl_plan_element  plan[3];
        int              nplan;
        kl_grade_element grade[2];
        int              ngrade;
        const char      *text;
    } bad[] = {
        {{{0}}, 0, {{0}}, 0, "at least one"},
        {{straight(-1.0)}, 1, {{0}}, 0, "it must be positive"},
        {{straight((double)NAN)}, 1, {{0}}, 0, "it must be positive"},
        {{transition(10, "bloss"), transition(10, "bloss")}, 2, {{0}}, 0, "two transitions"},
        {{bend(50, 10, 0), transition(10, "cubic-parabola"), bend(60, 10, 0)},
         3,
         {{0}},
         0,
         "must begin or end at a straight"},
        {{transition(100, "cubic-parabola"), bend(50, 10, 0)}, 2, {{0}}, 0, "24 degrees"},
        {{straight(10)},
         1,
         {{.kind = KL_GRADE_CONSTANT, .length = 20}},
         1,
         "give both the same length"},
        {{straight(10)}, 1, {{.kind = KL_GRADE_CIRCLE, .slope = 0.1}}, 1, "either a length or"},
        {{straight(10)},
         1,
         {{.kind = KL_GRADE_CONSTANT, .length = 5, .slope = 99}},
         1,
         "too steep"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        kl_arena *arena = kl_arena_create();
        kl_diag  *diag  = kl_diag_create();
        kl_curve *curve = NULL;
        kl_layout in    = {.plan   = bad[i].plan,
                           .nplan  = bad[i].nplan,
                           .grade  = bad[i].grade,
                           .ngrade = bad[i].ngrade};
        assert_true(kl_layout_build(&in, arena, diag, &curve, NULL) < 0);
        assert_true(kl_diag_size(diag) > 0);
        if (!strstr(kl_diag_at(diag, 0)->text, bad[i].text))
            fail_msg("case %zu says: %s", i, kl_diag_at(diag, 0)->text);
        kl_diag_destroy(diag);
        kl_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clothoid_agrees_with_the_fresnel_series),
        cmocka_unit_test(a_circle_is_a_circle_to_its_fifth_derivative),
        cmocka_unit_test(every_transition_is_the_integral_of_its_curvature),
        cmocka_unit_test(a_cubic_parabola_lies_on_one_and_meets_the_curve),
        cmocka_unit_test(vertical_curves_have_their_radius),
        cmocka_unit_test(cant_follows_the_plan),
        cmocka_unit_test(bad_layouts_are_told_where_and_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
