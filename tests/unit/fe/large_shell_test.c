/* Shells with large rotations: laws that hold for any element, not numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/rotation.h"
#include "fe/large_shell.h"

enum { NODES = KL_LARGE_SHELL_NODES, DOF = KL_LARGE_SHELL_DOF };

static double noise(unsigned *seed) /* -1..1 */
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static const kl_material STEEL = {
    .name = "steel", .kind = KL_ISOTROPIC, .rho = 7850, .E = 210e9, .nu = 0.3};
static const kl_property SHEET = {
    .name = "sheet", .kind = KL_SHELL, .material = 0, .thickness = 0.05};

typedef struct trial {
    kl_fe_element         e;
    kl_large_shell        s;
    kl_vec3               x[NODES];
    kl_mat3               A[NODES];
    kl_large_shell_answer at;
} trial;

/* a warped element of about one metre, not deformed */
static void begin(trial *t, kl_shape shape)
{
    static const double corner[4][2] = {{0, 0}, {1, 0.1}, {1.1, 0.9}, {-0.1, 0.8}};
    memset(t, 0, sizeof *t);
    t->e = (kl_fe_element){.shape = shape, .property = &SHEET, .material = &STEEL};
    for (int a = 0; a < NODES; a++) {
        t->e.x[a] = kl_vec(corner[a][0], corner[a][1], a == 2 ? 0.06 : 0.0);
        t->x[a]   = t->e.x[a];
        t->A[a]   = kl_identity();
    }
    assert_int_equal(kl_large_shell_init(&t->e, &t->s), KL_OK);
}

static void turn(trial *t, kl_vec3 phi, kl_vec3 shift)
{
    kl_mat3 R = kl_rotation_exp(phi);
    for (int a = 0; a < t->s.n; a++) {
        t->x[a] = kl_add(shift, kl_mul(&R, t->x[a]));
        t->A[a] = kl_matmul(&R, &t->A[a]);
    }
}

/* node a by six small numbers */
static void move(trial *t, int a, const double *dx)
{
    kl_mat3 R = kl_rotation_exp(kl_load(dx + 3));
    t->x[a]   = kl_add(t->x[a], kl_load(dx));
    t->A[a]   = kl_matmul(&R, &t->A[a]);
}

static void shake(trial *t, double size)
{
    unsigned seed = 11;
    for (int a = 0; a < t->s.n; a++) {
        double dx[6];
        for (int i = 0; i < 6; i++) dx[i] = size * noise(&seed);
        move(t, a, dx);
    }
}

static void eval(trial *t, double *K)
{
    assert_int_equal(kl_large_shell_eval(&t->s, t->x, t->A, NULL, 0.0, &t->at, K, NULL), KL_OK);
}

static const kl_shape SHAPES[] = {KL_TRI3, KL_QUAD4};

static void a_rigid_motion_gives_no_force(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        trial t;
        begin(&t, SHAPES[k]);
        turn(&t, kl_vec(2.0, -1.0, 0.7), kl_vec(3, 4, 5));
        eval(&t, NULL);
        /* against the force of a strain of 1: E t L = 1e10 N */
        for (int i = 0; i < 6 * t.s.n; i++) assert_true(fabs(t.at.f[i]) < 1e-13 * 1e10);
    }
}

/* far turned and much deformed: the force is the gradient of the energy, the tangent that of the force */
static void force_and_tangent_are_derivatives(void **state)
{
    (void)state;
    const double h = 1e-6;
    for (int k = 0; k < 2; k++) {
        trial  t;
        double K[DOF * DOF], most_f = 0.0, most_K = 0.0, off_f = 0.0, off_K = 0.0;
        begin(&t, SHAPES[k]);
        turn(&t, kl_vec(1.0, -1.5, 0.7), kl_vec(1, 2, 3));
        shake(&t, 0.2);
        eval(&t, K);
        int n = 6 * t.s.n;
        for (int j = 0; j < n; j++) {
            trial  side[2] = {t, t};
            double dx[6]   = {0};
            for (int i = 0; i < 2; i++) {
                dx[j % 6] = i ? -h : h;
                move(&side[i], j / 6, dx);
                eval(&side[i], NULL);
            }
            double f = (side[0].at.stored - side[1].at.stored) / (2 * h);
            most_f   = fmax(most_f, fabs(t.at.f[j]));
            off_f    = fmax(off_f, fabs(f - t.at.f[j]));
            for (int i = 0; i < n; i++) {
                double d = (side[0].at.f[i] - side[1].at.f[i]) / (2 * h);
                most_K   = fmax(most_K, fabs(d));
                off_K    = fmax(off_K, fabs(d - K[i * n + j]));
            }
        }
        assert_true(off_f < 1e-8 * most_f);
        assert_true(off_K < 1e-8 * most_K);
    }
}

/* small displacements: the linear element, whatever the rotation */
static void small_displacements_give_the_linear_element(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        trial  t;
        double K[DOF * DOF], u[DOF], most = 0.0, off = 0.0, size = 1e-7;
        begin(&t, SHAPES[k]);
        int      n    = 6 * t.s.n;
        unsigned seed = 5;
        for (int i = 0; i < n; i++) u[i] = size * noise(&seed);
        for (int a = 0; a < t.s.n; a++) move(&t, a, u + 6 * a);
        kl_mat3 R = kl_rotation_exp(kl_vec(0.3, 2.0, -1.0));
        turn(&t, kl_vec(0.3, 2.0, -1.0), kl_vec(0, 0, 0));
        eval(&t, NULL);
        assert_int_equal(kl_fe_type_of(SHAPES[k])->stiffness(&t.e, NULL, K), KL_OK);
        for (int a = 0; a < 2 * t.s.n; a++) {
            double f[3] = {0};
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < n; j++) f[i] += K[(3 * a + i) * n + j] * u[j];
            kl_vec3 there = kl_mul(&R, kl_load(f)), d = kl_sub(there, kl_load(t.at.f + 3 * a));
            most = fmax(most, kl_norm(there));
            off  = fmax(off, kl_norm(d));
        }
        assert_true(off < 20 * size * most); /* of second order */
    }
}

/* damping takes the power that it says, none in rigid motion, and C is its slope */
static void damping_takes_power(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        trial                 t;
        kl_large_shell_answer one, two;
        double                K[DOF * DOF], C[DOF * DOF], V[DOF], power = 0.0, off = 0.0;
        unsigned              seed = 3;
        begin(&t, SHAPES[k]);
        shake(&t, 0.1);
        int n = 6 * t.s.n;
        for (int i = 0; i < n; i++) V[i] = noise(&seed);
        eval(&t, NULL);
        assert_int_equal(kl_large_shell_eval(&t.s, t.x, t.A, V, 1e-3, &one, K, C), KL_OK);
        for (int i = 0; i < n; i++) {
            double d = one.f[i] - t.at.f[i], f = 0.0;
            power += d * V[i];
            for (int j = 0; j < n; j++) f += C[i * n + j] * V[j];
            off = fmax(off, fabs(f - d));
        }
        assert_true(one.loss > 0.0);
        assert_true(fabs(power - one.loss) < 1e-9 * one.loss);
        assert_true(off < 1e-9 * one.loss);
        for (int a = 0; a < t.s.n; a++) {
            kl_vec3 w = kl_vec(1, 2, 3), v = kl_add(kl_vec(4, 5, 6), kl_cross(w, t.x[a]));
            kl_store(V + 6 * a, v), kl_store(V + 6 * a + 3, w);
        }
        assert_int_equal(kl_large_shell_eval(&t.s, t.x, t.A, V, 1e-3, &two, NULL, NULL), KL_OK);
        assert_true(fabs(two.loss) < 1e-12 * one.loss); /* rounding of K */
    }
}

static void a_node_far_from_its_element_is_refused(void **state)
{
    (void)state;
    trial  t;
    double dx[6] = {0, 0, 0, 2.0, 0, 0};
    begin(&t, KL_QUAD4);
    move(&t, 1, dx);
    assert_int_equal(kl_large_shell_eval(&t.s, t.x, t.A, NULL, 0.0, &t.at, NULL, NULL), KL_RETRY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_motion_gives_no_force),
        cmocka_unit_test(force_and_tangent_are_derivatives),
        cmocka_unit_test(small_displacements_give_the_linear_element),
        cmocka_unit_test(damping_takes_power),
        cmocka_unit_test(a_node_far_from_its_element_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
