/* The flexible body: its inertia is that of its points, a free one keeps momentum and energy, a
 * stiff one moves as a rigid one, and what cannot be is refused in words. */
#include "unit/bodies/cloud.h"

#include "algebra/dense.h"
#include "dynamics/work.h"
#include "unit/solve/simulate.h"

/* A run that may end before its time. */
static kl_status simulate_to(built *b, double end, double every, rows *r)
{
    r->n = r->count     = 0;
    kl_simulation *s    = NULL;
    kl_sink        sink = {.row = rows_take, .context = r};
    assert_int_equal(kl_simulation_create(b->model, b->diag, &s), KL_OK);
    kl_status status = kl_simulation_run(s, end, every, &sink, b->diag);
    kl_simulation_destroy(s);
    return status;
}

static const char path[] = "/tmp/kl_flexible_test.kbody";

/* F = M a - s against the sum over points of m B'(B a + a0), at a random state */
static void inertia_is_the_sum_over_its_points(void **unused)
{
    (void)unused;
    cloud    c    = cloud_make(9);
    unsigned seed = 4;
    cloud_write(&c, path);
    built b = must_build(
        "klingel: 1\nbodies: {f: {type: flexible, file: /tmp/kl_flexible_test.kbody}}\n");
    kl_state *s = kl_state_create(b.model);
    kl_work  *w = kl_work_create(b.model);
    enum { N = CLOUD_MODES, NV = 6 + N };
    double dx[NV], q[NV + 1], a[NV], sum[NV] = {0};
    for (int trial = 0; trial < 5; trial++) {
        for (int i = 0; i < NV; i++)
            dx[i] = noise(&seed), s->v[i] = noise(&seed), a[i] = noise(&seed), sum[i] = 0;
        memcpy(q, s->q, sizeof q);
        b.model->body[1].type->advance(b.model->body[1].data, q, dx, s->q);
        kl_eval_motion(b.model, s, w);
        kl_eval_inertia(b.model, w);

        double  p[4] = {s->q[3], s->q[4], s->q[5], s->q[6]};
        kl_mat3 A    = kl_quat_matrix(p);
        kl_vec3 om = kl_load(s->v + 3), al = kl_load(a + 3), lin = kl_load(a);
        for (int k = 0; k < CLOUD_POINTS; k++) {
            kl_vec3 r = c.x[k], rate = {0, 0, 0}, second = {0, 0, 0};
            for (int j = 0; j < N; j++) {
                r      = kl_axpy(s->q[7 + j], c.X[k][j], r);
                rate   = kl_axpy(s->v[6 + j], c.X[k][j], rate);
                second = kl_axpy(a[6 + j], c.X[k][j], second);
            }
            kl_vec3 acc = kl_add(kl_add(kl_cross(al, r), second),
                                 kl_cross(om, kl_axpy(2.0, rate, kl_cross(om, r))));
            kl_vec3 f = kl_scale(c.m[k], kl_add(kl_mul_t(&A, lin), acc)), turn = kl_cross(r, f);
            kl_vec3 global = kl_mul(&A, f);
            double  six[6];
            kl_store(six, global), kl_store(six + 3, turn);
            for (int i = 0; i < 6; i++) sum[i] += six[i];
            for (int j = 0; j < N; j++) sum[6 + j] += kl_dot(c.X[k][j], f);
        }
        for (int i = 0; i < NV; i++) {
            double F = -w->s[i];
            for (int j = 0; j < NV; j++) F += w->M[i * NV + j] * a[j];
            assert_close(F, sum[i], 1e-12 * (1 + fabs(sum[i])) * 20);
        }
    }
    kl_state_destroy(s);
    kl_work_destroy(w);
    built_free(&b);
}

/* Tumbling and swinging with nobody near. */
static void a_free_body_keeps_momentum_and_energy(void **unused)
{
    (void)unused;
    static rows r;
    cloud       c = cloud_make(9);
    cloud_write(&c, path);
    static const char *const names[] = {"px", "py",           "pz",    "Lx", "Ly",
                                        "Lz", "energy.total", "f.w.1", NULL};
    built                    b       = must_build(
                                 "klingel: 1\ngravity: 0\n"
                                                          "bodies: {f: {type: flexible, file: /tmp/kl_flexible_test.kbody,\n"
                                                          "  velocity: [0.1, -0.2, 0.3], omega: [0.9, 0.7, -0.4],\n"
                                                          "  deformation: [0.1, 0, -0.05, 0.1], deformation_rate: [0, 0.2]}}\n"
                                                          "outputs: {px: {expression: f.momentum.x}, py: {expression: f.momentum.y},\n"
                                                          "  pz: {expression: f.momentum.z}, Lx: {expression: f.angular_momentum.x},\n"
                                                          "  Ly: {expression: f.angular_momentum.y}, Lz: {expression: f.angular_momentum.z}}\n"
                                                          "integrator: {type: runge-kutta, tolerance: 1e-12}\n");
    simulate(&b, 10, 0.5, names, &r, NULL);
    for (int i = 1; i < r.count; i++)
        for (int k = 0; k < 7; k++) assert_close(r.value[i][k], r.value[0][k], 2e-8);
    assert_true(fabs(r.value[r.count - 1][7] - r.value[0][7]) > 1e-3); /* it did swing */
    built_free(&b);
}

/* `flexible: false` is a rigid body with the same mass, centre and inertia. */
static void without_modes_it_is_rigid(void **unused)
{
    (void)unused;
    static rows   flexible, rigid;
    cloud         c                              = cloud_make(9);
    kl_arena     *a                              = kl_arena_create();
    double        Mff[CLOUD_MODES * CLOUD_MODES] = {0};
    kl_invariants v                              = {0};
    char          text[1024];
    cloud_invariants(&c, a, &v, Mff);
    cloud_write(&c, path);
    static const char *const names[] = {"f.position.x", "f.position.y", "f.omega.z", NULL};
    static const char       *rest =
        ", velocity: [0.1, -0.2, 0.3], omega: [0.9, 0.7, -0.4]}}\nrun: {end: 1}\n";
    snprintf(text, sizeof text,
             "klingel: 1\nbodies: {f: {type: flexible, file: %s, flexible: false%s", path, rest);
    built one = must_build(text);
    snprintf(text, sizeof text,
             "klingel: 1\nbodies: {f: {mass: %.17g, inertia_about: reference, center: [%.17g, "
             "%.17g, %.17g], inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]%s",
             v.m, v.s0.x / v.m, v.s0.y / v.m, v.s0.z / v.m, v.J0.m[0][0], v.J0.m[1][1],
             v.J0.m[2][2], v.J0.m[0][1], v.J0.m[0][2], v.J0.m[1][2], rest);
    built two = must_build(text);
    simulate(&one, 1, 0.1, names, &flexible, NULL);
    simulate(&two, 1, 0.1, names, &rigid, NULL);
    for (int i = 0; i < rigid.count; i++)
        for (int k = 0; k < 3; k++) assert_close(flexible.value[i][k], rigid.value[i][k], 1e-9);
    built_free(&one);
    built_free(&two);
    kl_arena_destroy(a);
}

/* Mode 1 moves node n of the triad onto the line through k and m, where its frame ends. */
static void a_triad_that_folds_ends_the_run_in_words(void **unused)
{
    (void)unused;
    cloud   c = cloud_make(9);
    kl_vec3 a = kl_sub(c.x[2], c.x[1]), b = kl_sub(c.x[3], c.x[1]);
    kl_vec3 off = kl_axpy(-kl_dot(a, b) / kl_dot(a, a), a, b);
    for (int p = 1; p <= 3; p++)
        for (int j = 0; j < CLOUD_MODES; j++) c.X[p][j] = kl_vec(0, 0, 0);
    c.X[3][0] = kl_neg(off);
    cloud_write(&c, path);
    static const char *const attach[] = {"marker", "virtual-body"};
    for (int i = 0; i < 2; i++) {
        static rows r;
        char        text[512];
        snprintf(text, sizeof text,
                 "klingel: 1\ngravity: 0\n"
                 "bodies: {f: {type: flexible, file: %s, deformation_rate: [20], attach: %s}}\n"
                 "forces: {pull: {type: force, on: f.triad, axis: x, value: 0.01}}\n",
                 path, attach[i]);
        built     built_one = must_build(text);
        kl_status status    = simulate_to(&built_one, 0.2, 0.001, &r);
        assert_int_equal(status, KL_E_STOPPED);
        assert_true(r.count > 20 && r.count < 100); /* about 1/20 s */
        const char *warning = kl_diag_at(built_one.diag, kl_diag_size(built_one.diag) - 2)->text;
        const char *end     = kl_diag_at(built_one.diag, kl_diag_size(built_one.diag) - 1)->text;
        if (!strstr(warning, "almost lie on a line")) fail_msg("%s", warning);
        if (!strstr(end, "stopped at t = 0.0") || !strstr(end, "'f'") ||
            !strstr(end, "marker 'triad' (node 1)") || !strstr(end, "nodes 1, 2, 3 lie on a line"))
            fail_msg("%s", end);
        built_free(&built_one);
    }
}

#define HELD_BAR                                                                                   \
    "file: {mesh: {line: [[0, 0, 0], [1 m, 0, 0]], parts: 40}, materials: {steel: {E: 210 GPa, "   \
    "nu: 0.3, density: 7850 kg/m3}}, sections: {line: {material: steel, section: rectangle, "      \
    "width: 20 mm, height: 30 mm, orientation: [0, 1, 0]}}, modes: 8, reference: {root: all}, "    \
    "stiffening: yes, markers: {root: {at: [0, 0, 0]}, tip: {at: [1, 0, 0]}}}"

/* 18 mm off at rest, the frame held at the root: bent so far that the momentum of second-order motion
 * outweighs the constant mass of the eight modes. Energy and momentum are kept all the same. */
static void a_stiffened_body_in_free_flight_keeps_its_energy(void **unused)
{
    (void)unused;
    static const char *const names[] = {"kinetic", "energy", "f.w.1", "px", "Lz", NULL};
    static rows              r;
    built                    b = must_build(
                           "klingel: 1\ngravity: 0\nbodies: {f: {type: flexible, stiffening: true, omega: [0, 0, 3], "
                                              "deformation: [0.02, 0.01], " HELD_BAR "}}\n"
                                              "outputs: {kinetic: {expression: f.kinetic_energy}, energy: {expression: energy.total}, "
                                              "px: "
                                              "{expression: f.momentum.x}, Lz: {expression: f.angular_momentum.z}}\n"
                                              "integrator: {type: runge-kutta, tolerance: 1e-11}\n");
    simulate(&b, 0.002, 0.0001, names, &r, NULL);
    for (int k = 0; k < r.count; k++) {
        assert_true(r.value[k][0] > 0.0);
        assert_close(r.value[k][1], r.value[0][1], 1e-6 * r.value[0][1]);
        assert_close(r.value[k][3], r.value[0][3], 1e-6);
        assert_close(r.value[k][4], r.value[0][4], 1e-6);
    }
    assert_true(fabs(r.value[r.count - 1][2] - r.value[0][2]) > 1e-3); /* it did swing */
    built_free(&b);
}

/* Its modes may be bent by a tenth of its length, each in any direction, and the last one twisted by 0.1
 * rad. Twist swings what is bent aside, which inertia that is cut off behind
 * second order does not bear without limit: it ends at half a radian. */
static void the_mass_of_a_stiffened_body_is_positive(void **unused)
{
    (void)unused;
    enum { N = 8, NV = 6 + N };
    built b =
        must_build("klingel: 1\nbodies: {f: {type: flexible, stiffening: true, " HELD_BAR "}}\n");
    kl_state *s    = kl_state_create(b.model);
    kl_work  *w    = kl_work_create(b.model);
    unsigned  seed = 7;
    /* 0.1 rad at the tip: sqrt(rho I_p L/2) = 0.0158 */
    const double twist = 0.1 * sqrt(7850 * 0.02 * 0.03 * (4e-4 + 9e-4) / 12 / 2);
    for (int trial = 0; trial < 50; trial++) {
        for (int j = 0; j < N - 1; j++) s->q[7 + j] = 0.1 * noise(&seed) / (1 + j);
        s->q[7 + N - 1] = twist * noise(&seed);
        kl_eval_motion(b.model, s, w);
        kl_eval_inertia(b.model, w);
        assert_int_equal(kl_cholesky(NV, w->M), KL_OK);
    }
    kl_state_destroy(s);
    kl_work_destroy(w);
    built_free(&b);
}

/* Principal axes turn with a slender body that is bent far enough; kept among the modes, they follow
 * small turns only. */
static void axes_that_turn_against_the_modes_end_the_run_in_words(void **unused)
{
    (void)unused;
    static rows r;
    bool        told = false;
    built       b    = must_build(
                 "klingel: 1\ngravity: 0\nbodies: {f: {type: flexible, conditions: constrained, reference: "
                          "principal-axis, omega: [0, 0, 3], deformation: [0.03, 0.03], " HELD_BAR "}}\n");
    assert_int_not_equal(simulate_to(&b, 0.02, 0.001, &r), KL_OK);
    for (int k = 0; k < (int)kl_diag_size(b.diag); k++)
        told |= strstr(kl_diag_at(b.diag, k)->text, "relative to its modes") != NULL;
    assert_true(told);
    built_free(&b);
}

/* A marker is the point at which it stands. */
static void outputs_of_a_marker_are_those_of_its_point(void **unused)
{
    (void)unused;
    static const char *const names[] = {"there", "here", NULL};
    static rows              r;
    built                    b = must_build(
                           "klingel: 1\nbodies: {f: {type: flexible, omega: [0, 0, 3], deformation: [0.02, "
                                              "0.01], " HELD_BAR
                           "}}\noutputs: {there: {of: f, point: [1, 0, 0], quantity: velocity.y}, here: {of: f.tip, "
                                              "quantity: velocity.y}}\n");
    simulate(&b, 0.01, 0.001, names, &r, NULL);
    for (int k = 0; k < r.count; k++) assert_true(r.value[k][0] == r.value[k][1]);
    assert_true(fabs(r.value[r.count - 1][0] - 3.0) > 0.1);
    built_free(&b);
}

static void mistakes_are_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *keys, *words;
    } wrong[] = {
        {"", "file is missing"},
        {"file: /tmp/no_such.kbody", "/tmp/no_such.kbody"},
        {"file: /tmp/no_such.yaml", "/tmp/no_such.yaml"},
        {"file: /tmp/kl_flexible_test.kbody, modes: 9", "has 4; request fewer"},
        {"file: /tmp/kl_flexible_test.kbody, modes: 1.5", "whole number"},
        {"file: /tmp/kl_flexible_test.kbody, pick: [1, 7]", "there is no mode 7"},
        {"file: /tmp/kl_flexible_test.kbody, pick: [1, 1]", "occurs twice"},
        {"file: /tmp/kl_flexible_test.kbody, pick: [1], up_to: 9 Hz",
         "give either `pick` or `up_to`"},
        {"file: /tmp/kl_flexible_test.kbody, up_to: 0.1 Hz", "none of the 4 modes"},
        {"file: /tmp/kl_flexible_test.kbody, deformation: [1, 2, 3, 4, 5]", "has 5 numbers"},
        {"file: /tmp/kl_flexible_test.kbody, deformation: {a: 1}", "list of numbers"},
        {"file: /tmp/kl_flexible_test.kbody, rayleigh: [-1, 0]", "must not be negative"},
        {"modes: 100, file: {mesh: {line: [[0, 0, 0], [1, 0, 0]], parts: 2}, materials: {m: {E: "
         "1e9, "
         "nu: 0.3, density: 1000}}, sections: {line: {material: m, section: circle, radius: "
         "0.01}}, modes: 2, markers: {node: {at: [0, 0, 0]}}}",
         "but its `file: {...}` has 2"},
        {"file: /tmp/kl_flexible_test.kbody, mods: 3", "did you mean `modes`"},
    };
    cloud c = cloud_make(9);
    cloud_write(&c, path);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char  text[512];
        built b;
        bool  said = false;
        /* and nobody complains of markers that the body would have */
        snprintf(text, sizeof text,
                 "klingel: 1\nbodies: {f: {type: flexible%s%s}}\n"
                 "joints:\n  j: {type: revolute, between: [ground, f.node]}\n"
                 "  d: {type: driver, of: j, value: 0}\n",
                 *wrong[i].keys ? ", " : "", wrong[i].keys);
        assert_int_not_equal(try_build(text, &b), KL_OK);
        for (int k = 0; k < kl_diag_size(b.diag); k++)
            said |= strstr(kl_diag_at(b.diag, k)->text, wrong[i].words) != NULL;
        if (!said || kl_diag_count(b.diag, KL_ERROR) != 1) {
            print_messages(b.diag);
            fail_msg("{%s} does not say '%s', and that alone", wrong[i].keys, wrong[i].words);
        }
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertia_is_the_sum_over_its_points),
        cmocka_unit_test(a_free_body_keeps_momentum_and_energy),
        cmocka_unit_test(without_modes_it_is_rigid),
        cmocka_unit_test(a_triad_that_folds_ends_the_run_in_words),
        cmocka_unit_test(a_stiffened_body_in_free_flight_keeps_its_energy),
        cmocka_unit_test(the_mass_of_a_stiffened_body_is_positive),
        cmocka_unit_test(axes_that_turn_against_the_modes_end_the_run_in_words),
        cmocka_unit_test(outputs_of_a_marker_are_those_of_its_point),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
