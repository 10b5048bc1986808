/* Stress recovery: invariants of the tensor, sums over modes, and a point whose history is known. */
#include "unit/test.h"

#include <stdlib.h>

#include "post/stress.h"

static void von_mises_and_principal_stresses_agree_with_known_states(void **unused)
{
    (void)unused;
    const double pull[6] = {100, 0, 0, 0, 0, 0}, shear[6] = {0, 0, 0, 40, 0, 0}, water[6] = {-5, -5, -5, 0, 0, 0};
    double       p[3];
    assert_close(kl_von_mises(pull), 100, 1e-12);
    assert_close(kl_von_mises(shear), 40 * sqrt(3), 1e-12);
    assert_close(kl_von_mises(water), 0, 1e-12);
    const double push[6] = {0, -70, 0, 0, 0, 0};
    assert_close(kl_signed_von_mises(push), -70, 1e-12);
    kl_principal(shear, p);
    assert_close(p[0], 40, 1e-12);
    assert_close(p[1], 0, 1e-12);
    assert_close(p[2], -40, 1e-12);
    kl_principal(water, p);
    for (int i = 0; i < 3; i++) assert_close(p[i], -5, 1e-12);
}

/* Trace, sum of squares and determinant of random tensors come back from the principal stresses. */
static void principal_stresses_keep_the_invariants(void **unused)
{
    (void)unused;
    srand(3);
    for (int trial = 0; trial < 200; trial++) {
        double s[6], p[3];
        for (int c = 0; c < 6; c++) s[c] = rand() / (double)RAND_MAX - 0.5;
        kl_principal(s, p);
        double squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
        double det = s[0] * (s[1] * s[2] - s[4] * s[4]) - s[3] * (s[3] * s[2] - s[4] * s[5]) + s[5] * (s[3] * s[4] - s[1] * s[5]);
        assert_close(p[0] + p[1] + p[2], s[0] + s[1] + s[2], 1e-14);
        assert_close(p[0] * p[0] + p[1] * p[1] + p[2] * p[2], squares, 1e-13);
        assert_close(p[0] * p[1] * p[2], det, 1e-13);
        assert_true(p[0] >= p[1] && p[1] >= p[2]);
    }
}

enum { MODES = 3, POINTS = 2, ROWS = 401 };

/* Point 0: mode 1 pulls along x; point 1: mode 2 shears. Coordinates are chosen modes 2 and 1, in that order. */
static void the_envelope_finds_the_largest_stress_its_time_and_its_damage(void **unused)
{
    (void)unused;
    double stress[POINTS * MODES * 6] = {0}, strain[POINTS * MODES * 6] = {0};
    stress[(0 * MODES + 1) * 6 + 0] = 2e8;
    stress[(1 * MODES + 2) * 6 + 3] = 1e8;
    kl_kbody     body = {.nmode = MODES, .stress = {.n = POINTS, .stress = stress, .strain = strain}};
    const int    mode[2] = {2, 1};
    double       time[ROWS], w[ROWS * 2];
    for (int i = 0; i < ROWS; i++) {
        time[i]      = i * 0.01;
        w[2 * i]     = 0.5 * sin(KL_PI * time[i]);          /* mode 2: two turns of 2 s */
        w[2 * i + 1] = 0.1 + cos(2 * KL_PI * time[i]);      /* mode 1: four turns about 0.1 */
    }
    kl_modal_run run = {.body = &body, .mode = mode, .n = 2, .rows = ROWS, .time = time, .w = w};
    kl_sn_curve  curve = {.range = 1e8, .cycles = 1e6, .slope = 3};
    kl_hot_spot  spot[POINTS];
    assert_int_equal(kl_stress_envelope(&run, &curve, spot), KL_OK);
    assert_close(spot[0].von_mises, 2.2e8, 1);
    assert_close(spot[0].time, 0, 0);
    assert_close(spot[0].least, -1.8e8, 1);
    assert_close(spot[0].damage, 4 * pow(4.0, 3) / 1e6, 1e-12);
    assert_close(spot[1].von_mises, sqrt(3) * 0.5e8, 1);
    assert_close(spot[1].time, 0.5, 1e-12);
    kl_hot_spots_sort(spot, POINTS);
    assert_int_equal(spot[0].point, 0);
    assert_int_equal(kl_stress_envelope(&run, NULL, spot), KL_OK);
    assert_true(isnan(spot[0].damage));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(von_mises_and_principal_stresses_agree_with_known_states),
        cmocka_unit_test(principal_stresses_keep_the_invariants),
        cmocka_unit_test(the_envelope_finds_the_largest_stress_its_time_and_its_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
