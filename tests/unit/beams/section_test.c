/* Cross sections of any shape: torsion, shear and shear centre against closed forms and handbook formulas. */
#include "unit/build_model.h"

#include <math.h>

#include "beams/fibres.h"
#include "beams/section_constants.h"
#include "solve/simulation.h"

static kl_section_constants constants_of(const double *p, int n, const double *hole, int nhole)
{
    kl_section_constants c;
    kl_outline           outer = {p, n}, inner = {hole, nhole};
    assert_null(kl_section_constants_of(&outer, &inner, nhole > 0, &c));
    return c;
}

/* Timoshenko and Goodier: J = b h^3 (1/3 - 64/pi^5 h/b sum tanh(n pi b/2h)/n^5) */
static double torsion_of_rectangle(double b, double h)
{
    double sum = 0.0;
    for (int n = 1; n < 60; n += 2) sum += tanh(0.5 * n * KL_PI * b / h) / pow(n, 5);
    return b * h * h * h * (1.0 / 3.0 - 64.0 / pow(KL_PI, 5) * h / b * sum);
}

static void a_rectangle_meets_the_series(void **unused)
{
    (void)unused;
    for (double b = 1.0; b < 30.0; b *= 3.0) {
        const double         p[] = {0, 0, b, 0, b, 1, 0, 1};
        kl_section_constants c   = constants_of(p, 4, NULL, 0);
        assert_close(c.J, torsion_of_rectangle(b, 1.0), 1e-6 * c.J);
        assert_close(c.Iy, b / 12.0, 1e-12 * b);
        assert_close(c.Iz, b * b * b / 12.0, 1e-12 * b * b * b);
        assert_close(c.shear[0], 5.0 / 6.0, 1e-6);
        assert_close(c.shear[1], 5.0 / 6.0, 1e-6);
        assert_close(hypot(c.shear_center[0], c.shear_center[1]), 0.0, 1e-9 * b);
    }
}

/* J = sqrt(3)/80 a^4 of an equilateral triangle */
static void a_triangle_meets_the_closed_form(void **unused)
{
    (void)unused;
    const double         p[] = {2, 3, 3, 3, 2.5, 3 + sqrt(0.75)};
    kl_section_constants c   = constants_of(p, 3, NULL, 0);
    assert_close(c.J, sqrt(3.0) / 80.0, 1e-5 * c.J);
    assert_close(c.Iy, c.Iz, 1e-12);
    assert_close(c.shear[0], c.shear[1], 1e-5); /* isotropic: three axes of symmetry */
    assert_close(c.shear[2], 0.0, 1e-9);
    assert_close(c.center[0], 2.5, 1e-12);
}

static void ring(int n, double r, double *p)
{
    for (int i = 0; i < n; i++) p[2 * i] = r * cos(2 * KL_PI * i / n), p[2 * i + 1] = r * sin(2 * KL_PI * i / n);
}

/* Polygons become circles with the square of the length of their sides, so two of them tell the limit: J = pi (R^4 - r^4)/2;
 * shear 6/7 of a disc, and of a tube Cowper's 6 (1 + m^2)^2/(7 (1 + m^2)^2 + 20 m^2) without lateral contraction. */
static void tubes_and_discs_meet_the_circle(void **unused)
{
    (void)unused;
    double outer[160], inner[160];
    for (double r = 0.0; r < 1.0; r += 0.45) {
        kl_section_constants c[2];
        for (int k = 0; k < 2; k++) {
            int n = 40 << k;
            ring(n, 1.0, outer), ring(n, r, inner);
            c[k] = constants_of(outer, n, inner, r > 0.0 ? n : 0);
        }
        double m = 1.0 + r * r;
        assert_close((4 * c[1].J - c[0].J) / 3, 0.5 * KL_PI * (1 - r * r * r * r), 2e-4);
        assert_close((4 * c[1].shear[0] - c[0].shear[0]) / 3, 6 * m * m / (7 * m * m + 20 * r * r), 2e-4);
    }
}

/* Bredt: J = 4 A^2 / (s/t) of a box with thin walls; 10 : 1 of side to wall leaves 1 % */
static void a_box_meets_bredt(void **unused)
{
    (void)unused;
    const double p[] = {0, 0, 1, 0, 1, 2, 0, 2}, h[] = {0.02, 0.02, 0.98, 0.02, 0.98, 1.98, 0.02, 1.98};
    kl_section_constants c = constants_of(p, 4, h, 4);
    double               A = 0.98 * 1.98, s = 2 * (0.98 + 1.98);
    assert_close(c.J, 4 * A * A / (s / 0.02), 0.01 * c.J);
}

/* Roark: torsion of an angle, K1 + K2 + alpha D^4, good to a percent; the shear centre of thin legs is where they meet */
static void an_angle_meets_the_handbook(void **unused)
{
    (void)unused;
    const double         p[] = {0, 0, 10, 0, 10, 1, 1, 1, 1, 10, 0, 10};
    kl_section_constants c   = constants_of(p, 6, NULL, 0);
    double K = 10 * (1 / 3.0 - 0.021 * (1 - 1 / 120000.0)) + 9 * (1 / 3.0 - 0.105 / 9) + 0.07 * pow(2 * (2 - sqrt(2)), 4);
    assert_close(c.J, K, 0.01 * K);
    assert_close(c.center[0] + c.shear_center[0], 0.5, 0.05);
    assert_close(c.shear_center[0], c.shear_center[1], 1e-9);
    assert_close(c.Iyz, 10 * (5 - c.center[0]) * (0.5 - c.center[1]) + 9 * (0.5 - c.center[0]) * (5.5 - c.center[1]), 1e-9);
}

/* thin walls: the shear centre is b^2 h^2 t/(4 Iy) outside the middle of the web */
static void a_channel_meets_thin_wall_theory(void **unused)
{
    (void)unused;
    for (double t = 0.4; t > 0.05; t *= 0.5) {
        double       H = 10, B = 5, b = B - 0.5 * t, h = H - t;
        const double p[] = {0, 0, B, 0, B, t, t, t, t, H - t, B, H - t, B, H, 0, H};
        kl_section_constants c = constants_of(p, 8, NULL, 0);
        double e = b * b * h * h * t / (4 * c.Iy);
        assert_close(c.center[0] + c.shear_center[0], 0.5 * t - e, 0.1 * t);
        assert_close(c.J, (2 * b + h) * t * t * t / 3, 0.6 * t / 10 * c.J);
    }
}

/* The same section turned and moved has the same constants, its tensor of shear turns with it. */
static void constants_do_not_depend_on_axes(void **unused)
{
    (void)unused;
    const double a = 0.4, p[] = {0, 0, 10, 0, 10, 1, 1, 1, 1, 6, 0, 6};
    double       q[12];
    for (int i = 0; i < 6; i++) {
        q[2 * i]     = 3 + cos(a) * p[2 * i] - sin(a) * p[2 * i + 1];
        q[2 * i + 1] = -2 + sin(a) * p[2 * i] + cos(a) * p[2 * i + 1];
    }
    kl_section_constants c = constants_of(p, 6, NULL, 0), d = constants_of(q, 6, NULL, 0);
    assert_close(c.J, d.J, 1e-9 * c.J);
    assert_close(d.shear_center[0], cos(a) * c.shear_center[0] - sin(a) * c.shear_center[1], 1e-7);
    assert_close(d.shear[0] + d.shear[1], c.shear[0] + c.shear[1], 1e-7);
    assert_close(d.shear[0] * d.shear[1] - d.shear[2] * d.shear[2], c.shear[0] * c.shear[1] - c.shear[2] * c.shear[2], 1e-7);
}

static void outlines_that_enclose_nothing_are_refused(void **unused)
{
    (void)unused;
    kl_section_constants c;
    const double         line[] = {0, 0, 1, 1, 2, 2}, bow[] = {0, 0, 2, 2, 2, 0, 0, 1}, square[] = {0, 0, 1, 0, 1, 1, 0, 1};
    const double         far[] = {3, 3, 4, 3, 4, 4};
    kl_outline           hole  = {far, 3};
    assert_non_null(strstr(kl_section_constants_of(&(kl_outline){line, 3}, NULL, 0, &c), "no area"));
    assert_non_null(strstr(kl_section_constants_of(&(kl_outline){bow, 4}, NULL, 0, &c), "cross each other"));
    assert_non_null(strstr(kl_section_constants_of(&(kl_outline){square, 4}, &hole, 1, &c), "not inside"));
}

/* ---- in a beam ---- */

static double last[8];

static kl_status keep(void *context, double t, const double *values)
{
    const kl_simulation *s = context;
    (void)t;
    for (int i = 0; i < 4; i++) {
        const char *names[] = {"uy", "uz", "twist", "ux"};
        last[i]             = 1e4 * values[kl_channels_find(s->channels, names[i])];
    }
    return KL_OK;
}

/* A cantilever of 1 m with loads of 1e-4 N, so that theory of first order holds, along x and z at the centroid of its end. */
static void bend(const char *section, const char *more)
{
    char text[1400];
    snprintf(text, sizeof text,
             "klingel: 1\ngravity: 0\nmaterials: {stuff: {E: 1 GPa, nu: 0.25, density: 1000%s}}\nsections: {s: %s}\nbodies:\n"
             "  rod: {type: beam, from: [0, 0, 0], to: [1, 0, 0], section: s, material: stuff, elements: 8, element_nodes: 3}\n"
             "joints:\n  c: {type: fixed, between: [ground, rod.start]}\nforces:\n  f: {type: force, on: rod.end, axis: z, value: {expression: \"1e-4 N/s*t\"}}\n"
             "  pull: {type: force, on: rod.end, axis: x, value: {expression: \"1e-4 N/s*t\"}}\n"
             "outputs:\n  ux: {expression: rod.end.position.x - 1 m}\n  uy: {expression: rod.end.position.y}\n  uz: {expression: rod.end.position.z}\n"
             "  twist: {expression: \"2*rod.end.orientation.1\"}\nintegrator: {type: load-steps}\n", more, section);
    built          b = must_build(text);
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    kl_sink   sink   = {.context = s, .row = keep};
    kl_status status = kl_simulation_run(s, 1.0, 1.0, &sink, b.diag);
    if (status != KL_OK) print_messages(b.diag);
    assert_int_equal(status, KL_OK);
    kl_simulation_destroy(s);
    built_free(&b);
}

/* u = L^3/3E I^-1 Q + L/G (A k)^-1 Q, and a twist Q ys L/GJ that moves the centroid about the shear centre */
static void check_bending(const kl_section_constants *c)
{
    double E = 1e9, G = 0.4e9, det = c->Iy * c->Iz - c->Iyz * c->Iyz, twist = c->shear_center[0] / (G * c->J);
    double soft = c->shear[0] * c->shear[1] - c->shear[2] * c->shear[2];
    double uz = c->Iz / (3 * E * det) + c->shear[0] / (soft * G * c->area) + twist * c->shear_center[0];
    double uy = -c->Iyz / (3 * E * det) - c->shear[2] / (soft * G * c->area) - twist * c->shear_center[1];
    double size = fabs(uz);
    /* Q at the centroid has the arm ys: Mx = -ys Qz about the shear centre */
    assert_close(last[2], -twist, 1e-4 * (fabs(twist) + 1e-6));
    assert_close(last[1], uz, 1e-4 * size);
    assert_close(last[0], uy, 1e-4 * size);
    assert_close(last[3], 1.0 / (E * c->area), 1e-4 / (E * c->area));
}

static void unsymmetric_sections_bend_and_twist(void **unused)
{
    (void)unused;
    const double angle[] = {0, 0, 0.06, 0, 0.06, 0.01, 0.01, 0.01, 0.01, 0.1, 0, 0.1};
    const double channel[] = {0, -0.05, 0.05, -0.05, 0.05, -0.042, 0.006, -0.042, 0.006, 0.042, 0.05, 0.042, 0.05, 0.05, 0, 0.05};
    kl_section_constants c = constants_of(angle, 6, NULL, 0);
    bend("{shape: polygon, points: [[0, 0], [0.06, 0], [0.06, 0.01], [0.01, 0.01], [0.01, 0.1], [0, 0.1]]}", "");
    check_bending(&c);
    c = constants_of(channel, 8, NULL, 0);
    bend("{shape: channel, height: 0.1, width: 0.05, flange: 0.008, web: 0.006}", "");
    check_bending(&c);
}

/* The keys of an I give what its outline gives, also if it yields later. */
static void an_i_is_its_outline(void **unused)
{
    (void)unused;
    const double i[] = {-0.03, -0.05, 0.03, -0.05, 0.03, -0.042, 0.003, -0.042, 0.003, 0.042, 0.03, 0.042,
                        0.03, 0.05, -0.03, 0.05, -0.03, 0.042, -0.003, 0.042, -0.003, -0.042, -0.03, -0.042};
    kl_section_constants c = constants_of(i, 12, NULL, 0);
    assert_close(c.Iy, (0.06 * 1e-3 - 0.054 * 0.084 * 0.084 * 0.084) / 12, 1e-9 * c.Iy);
    bend("{shape: i, height: 0.1, width: 0.06, flange: 0.008, web: 0.006}", "");
    check_bending(&c);
    bend("{shape: i, height: 0.1, width: 0.06, flange: 0.008, web: 0.006, fibres: [12, 20]}", ", yield_stress: 1 GPa");
    check_bending(&c);
}

/* Fibres of a section that does not yet yield bend as the elastic section does. */
static void fibres_of_a_polygon_keep_its_stiffness(void **unused)
{
    (void)unused;
    /* cells along the slope are cut */
    const char *corner = "{shape: polygon, points: [[0, 0], [0.06, 0], [0, 0.1]], hole: [[0.01, 0.01], [0.02, 0.01], [0.01, 0.03]], fibres: [20, 20]}";
    double      elastic[4];
    bend(corner, "");
    memcpy(elastic, last, sizeof elastic);
    bend(corner, ", yield_stress: 1 GPa");
    for (int i = 0; i < 4; i++) assert_close(last[i], elastic[i], 1e-6 * fabs(elastic[i]));
}

/* Plastic moment over the yield stress about an axis at an angle: sum a |distance|. */
static double plastic_modulus(const kl_fibres *f, double angle)
{
    double sum = 0.0;
    for (int i = 0; i < f->n; i++) sum += f->area[i] * fabs(cos(angle) * f->z[i] - sin(angle) * f->y[i]);
    return sum;
}

/* Without `fibres` there are as many as give 0.5 %: closed forms in the directions that are known */
static void chosen_fibres_give_the_plastic_moment(void **unused)
{
    (void)unused;
    static const double t = 0.1; /* wall */
    const double point[] = {-0.5, -1, 0.5, -1, 0.5, -0.9, 0.05, -0.9, 0.05, 0.9, 0.5, 0.9,
                            0.5, 1, -0.5, 1, -0.5, 0.9, -0.05, 0.9, -0.05, -0.9, -0.5, -0.9};
    kl_outline   corners = {point, 12};
    struct {
        kl_beam_section s;
        double          about_y, about_z;
    } list[] = {
        {{.shape = KL_SECTION_CIRCLE, .radius = 1.0}, 4.0 / 3.0, 4.0 / 3.0},
        {{.shape = KL_SECTION_TUBE, .radius = 1.0, .thickness = t}, 4.0 / 3.0 * (1.0 - pow(1.0 - t, 3)), 4.0 / 3.0 * (1.0 - pow(1.0 - t, 3))},
        {{.shape = KL_SECTION_RECTANGLE, .width = 2.0, .height = 3.0}, 2.0 * 9.0 / 4.0, 3.0 * 4.0 / 4.0},
        {{.shape = KL_SECTION_I, .outline = &corners, .area = 0.38, .Iy = (8.0 - 0.9 * 1.8 * 1.8 * 1.8) / 12, .Iz = (0.2 + 1.8e-3) / 12}, (4.0 - 0.9 * 1.8 * 1.8) / 4.0, (2.0 * t * 1.0 + (2.0 - 2.0 * t) * t * t) / 4.0},
    };
    kl_arena                    *arena = kl_arena_create();
    const kl_structural_material steel = {0};
    const kl_beam_law            law   = {0};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        kl_fibres *f = kl_fibres_create(&list[i].s, &steel, &law, arena);
        assert_non_null(f);
        assert_close(plastic_modulus(f, 0.0), list[i].about_y, 6e-3 * list[i].about_y);
        assert_close(plastic_modulus(f, 0.5 * KL_PI), list[i].about_z, 6e-3 * list[i].about_z);
        for (int k = 0; i < 2 && k < 7; k++) assert_close(plastic_modulus(f, 0.1 * k), list[i].about_y, 6e-3 * list[i].about_y);
        assert_true(f->n < 1200);
    }
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rectangle_meets_the_series),
        cmocka_unit_test(a_triangle_meets_the_closed_form),
        cmocka_unit_test(tubes_and_discs_meet_the_circle),
        cmocka_unit_test(a_box_meets_bredt),
        cmocka_unit_test(an_angle_meets_the_handbook),
        cmocka_unit_test(a_channel_meets_thin_wall_theory),
        cmocka_unit_test(an_i_is_its_outline),
        cmocka_unit_test(constants_do_not_depend_on_axes),
        cmocka_unit_test(outlines_that_enclose_nothing_are_refused),
        cmocka_unit_test(unsymmetric_sections_bend_and_twist),
        cmocka_unit_test(fibres_of_a_polygon_keep_its_stiffness),
        cmocka_unit_test(chosen_fibres_give_the_plastic_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
