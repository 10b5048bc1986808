/* The mechanics of the beam element alone: forces are the gradient of the strain energy, the tangent is their derivative,
 * rigid motion changes nothing, constant strains are met exactly. */
#include <string.h>

#include "base/rotation.h"
#include "base/turn.h"
#include "beams/beam_strain.h"
#include "unit/build_model.h"

static const double stiffness[6] = {40.0, 15.0, 12.0, 3.0, 5.0, 7.0};
static const double before[6]    = {0.02, -0.01, 0.03, 0.1, -0.2, 0.15}; /* strains at rest */

typedef struct nodes {
    kl_vec3 r[3];
    kl_mat3 A[3];
} nodes;

static kl_vec3 any(unsigned *seed, double size)
{
    return kl_vec(size * noise(seed), size * noise(seed), size * noise(seed));
}

/* A bent and twisted element somewhere in space. */
static nodes bent(int n, unsigned *seed, double size)
{
    nodes   x;
    kl_vec3 place = any(seed, 3.0);
    kl_mat3 turn  = kl_rotation_exp(any(seed, 2.0));
    for (int i = 0; i < n; i++) {
        kl_mat3 own = kl_rotation_exp(any(seed, size));
        x.r[i]      = kl_add(
                 place, kl_mul(&turn, kl_add(kl_vec(0.8 * i / (n - 1), 0, 0), any(seed, 0.1 * size))));
        x.A[i] = kl_matmul(&turn, &own);
    }
    return x;
}

static void stresses(const kl_beam_rule *b, const kl_beam_shape *s, double stress[2][6],
                     double C[2][36])
{
    memset(C, 0, 2 * 36 * sizeof(double));
    for (int p = 0; p < b->npoint; p++)
        for (int k = 0; k < 6; k++) {
            stress[p][k] = stiffness[k] * (s->at[p].strain[k] - before[k]);
            C[p][7 * k]  = stiffness[k];
        }
}

static double energy(const kl_beam_rule *b, const nodes *x)
{
    kl_beam_shape s;
    double        sum = 0.0;
    assert_true(kl_beam_shape_of(b, x->r, x->A, &s));
    for (int p = 0; p < b->npoint; p++)
        for (int k = 0; k < 6; k++)
            sum += 0.5 * b->weight[p] * stiffness[k] * (s.at[p].strain[k] - before[k]) *
                   (s.at[p].strain[k] - before[k]);
    return sum;
}

static void forces(const kl_beam_rule *b, const nodes *x, double *wrench)
{
    kl_beam_shape s;
    double        stress[2][6], C[2][36];
    assert_true(kl_beam_shape_of(b, x->r, x->A, &s));
    stresses(b, &s, stress, C);
    kl_beam_forces(b, &s, stress, wrench);
}

static nodes moved(const nodes *x, int k, double by)
{
    nodes  y    = *x;
    int    node = k / 6, part = k % 6;
    double d[3] = {0};
    d[part % 3] = by;
    if (part < 3) y.r[node] = kl_add(y.r[node], kl_load(d));
    else {
        kl_mat3 turn = kl_rotation_exp(kl_load(d));
        y.A[node]    = kl_matmul(&turn, &x->A[node]);
    }
    return y;
}

static void forces_are_the_gradient_of_the_energy(void **unused)
{
    (void)unused;
    const double step = 1e-6;
    for (int n = 2; n <= 3; n++)
        for (unsigned seed = 1; seed < 8; seed++) {
            unsigned     s = seed;
            kl_beam_rule b = kl_beam_rule_of(n, 0.7);
            nodes        x = bent(n, &s, 0.6);
            double       wrench[18];
            forces(&b, &x, wrench);
            for (int k = 0; k < 6 * n; k++) {
                nodes up = moved(&x, k, step), down = moved(&x, k, -step);
                assert_close(wrench[k], (energy(&b, &up) - energy(&b, &down)) / (2 * step), 2e-8);
            }
        }
}

static void tangent_is_the_derivative_of_the_forces(void **unused)
{
    (void)unused;
    const double step = 1e-6;
    for (int n = 2; n <= 3; n++)
        for (unsigned seed = 1; seed < 8; seed++) {
            unsigned      s = seed;
            kl_beam_rule  b = kl_beam_rule_of(n, 0.7);
            nodes         x = bent(n, &s, seed < 5 ? 0.4 : 1.0);
            kl_beam_shape shape;
            double        stress[2][6], C[2][36], K[18 * 18];
            assert_true(kl_beam_shape_of(&b, x.r, x.A, &shape));
            stresses(&b, &shape, stress, C);
            kl_beam_tangent(&b, &shape, stress, C, K);
            for (int k = 0; k < 6 * n; k++) {
                double up[18], down[18];
                nodes  a = moved(&x, k, step), c = moved(&x, k, -step);
                forces(&b, &a, up);
                forces(&b, &c, down);
                for (int r = 0; r < 6 * n; r++)
                    assert_close(K[r * 6 * n + k], (up[r] - down[r]) / (2 * step), 4e-7);
            }
        }
}

static void strain_rates_are_those_of_the_motion(void **unused)
{
    (void)unused;
    const double step = 1e-6;
    for (int n = 2; n <= 3; n++) {
        unsigned      s = 5;
        kl_beam_rule  b = kl_beam_rule_of(n, 0.7);
        nodes         x = bent(n, &s, 0.7), up = x, down = x;
        double        V[18], rate[6];
        kl_beam_shape at, a, c;
        for (int k = 0; k < 6 * n; k++) V[k] = noise(&s);
        for (int i = 0; i < n; i++) {
            kl_vec3 turn = kl_scale(step, kl_load(V + 6 * i + 3));
            kl_mat3 U = kl_rotation_exp(turn), D = kl_rotation_exp(kl_neg(turn));
            up.r[i]   = kl_axpy(step, kl_load(V + 6 * i), x.r[i]);
            down.r[i] = kl_axpy(-step, kl_load(V + 6 * i), x.r[i]);
            up.A[i]   = kl_matmul(&U, &x.A[i]);
            down.A[i] = kl_matmul(&D, &x.A[i]);
        }
        assert_true(kl_beam_shape_of(&b, x.r, x.A, &at) && kl_beam_shape_of(&b, up.r, up.A, &a) &&
                    kl_beam_shape_of(&b, down.r, down.A, &c));
        for (int p = 0; p < b.npoint; p++) {
            kl_beam_strain_rate(&b, &at, p, V, rate);
            for (int k = 0; k < 6; k++)
                assert_close(rate[k], (a.at[p].strain[k] - c.at[p].strain[k]) / (2 * step), 1e-8);
        }
    }
}

static void rigid_motion_changes_no_strain(void **unused)
{
    (void)unused;
    for (int n = 2; n <= 3; n++)
        for (unsigned seed = 1; seed < 20; seed++) {
            unsigned      s  = seed;
            kl_beam_rule  b  = kl_beam_rule_of(n, 0.7);
            nodes         x  = bent(n, &s, 0.8), y;
            kl_vec3       by = any(&s, 4.0);
            kl_mat3       Q  = kl_rotation_exp(any(&s, 3.0));
            kl_beam_shape a, c;
            for (int i = 0; i < n; i++) {
                y.r[i] = kl_add(by, kl_mul(&Q, x.r[i]));
                y.A[i] = kl_matmul(&Q, &x.A[i]);
            }
            assert_true(kl_beam_shape_of(&b, x.r, x.A, &a) && kl_beam_shape_of(&b, y.r, y.A, &c));
            for (int p = 0; p < b.npoint; p++)
                for (int k = 0; k < 6; k++)
                    assert_close(a.at[p].strain[k], c.at[p].strain[k], 1e-12);
        }
}

/* Uniform stretch and twist of any size, and uniform bending, whatever the number of nodes. */
static void constant_strains_are_exact(void **unused)
{
    (void)unused;
    for (int n = 2; n <= 3; n++) {
        kl_beam_rule  b = kl_beam_rule_of(n, 0.7);
        kl_vec3       r[3];
        kl_mat3       A[3];
        kl_beam_shape s;
        for (int i = 0; i < n; i++) {
            double at = 0.7 * i / (n - 1);
            r[i]      = kl_vec(1.3 * at, 0, 0);
            A[i]      = kl_rotation_exp(kl_vec(0.9 * at, 0, 0));
        }
        assert_true(kl_beam_shape_of(&b, r, A, &s));
        for (int p = 0; p < b.npoint; p++) {
            const double twisted[6] = {0.3, 0, 0, 0.9, 0, 0};
            for (int k = 0; k < 6; k++) assert_close(s.at[p].strain[k], twisted[k], 1e-14);
        }
        for (int i = 0; i < n; i++) A[i] = kl_rotation_exp(kl_vec(0, 0, 2.1 * i / (n - 1)));
        assert_true(kl_beam_shape_of(&b, r, A, &s));
        for (int p = 0; p < b.npoint; p++) assert_close(s.at[p].strain[5], 3.0, 1e-14);
    }
}

static void series_and_closed_form_agree(void **unused)
{
    (void)unused;
    kl_turn_values below = kl_turn_series(1.0), above = kl_turn_series(1.0 + 1e-15);
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++) assert_close(below.c[k][d], above.c[k][d], 3e-15);
    double a = 2.5; /* sin a / a, (1 - cos a)/a^2 by other means */
    above    = kl_turn_series(a * a);
    assert_close(above.c[0][0], 0.23938885764158260, 1e-15);
}

static void half_a_turn_within_an_element_is_refused(void **unused)
{
    (void)unused;
    kl_beam_rule  b    = kl_beam_rule_of(2, 1.0);
    kl_vec3       r[2] = {{0, 0, 0}, {1, 0, 0}};
    kl_mat3       A[2] = {kl_identity(), kl_rotation_exp(kl_vec(0, 0, 3.1))};
    kl_beam_shape s;
    assert_false(kl_beam_shape_of(&b, r, A, &s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(tangent_is_the_derivative_of_the_forces),
        cmocka_unit_test(strain_rates_are_those_of_the_motion),
        cmocka_unit_test(rigid_motion_changes_no_strain),
        cmocka_unit_test(constant_strains_are_exact),
        cmocka_unit_test(series_and_closed_form_agree),
        cmocka_unit_test(half_a_turn_within_an_element_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
