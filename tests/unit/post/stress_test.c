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
    assert_int_equal(kl_stress_envelope(&run, KL_MEASURE_VON_MISES, &curve, spot), KL_OK);
    assert_close(spot[0].von_mises, 2.2e8, 1);
    assert_close(spot[0].time, 0, 0);
    assert_close(spot[0].least, -1.8e8, 1);
    assert_close(spot[0].damage, 4 * pow(4.0, 3) / 1e6, 1e-12);
    assert_close(spot[1].von_mises, sqrt(3) * 0.5e8, 1);
    assert_close(spot[1].time, 0.5, 1e-12);
    kl_hot_spots_sort(spot, POINTS);
    assert_int_equal(spot[0].point, 0);
    assert_int_equal(kl_stress_envelope(&run, KL_MEASURE_VON_MISES, NULL, spot), KL_OK);
    assert_true(isnan(spot[0].damage));
}

/* Point 0 is pulled in a direction that no axis has, point 1 sheared: its planes under 45 degrees have +-tau. Twice as many rows change
 * the damage by nothing; that of the signed von Mises stress, whose sign under shear is rounding, or here that of a small pressure that
 * oscillates faster, grows with them. */
static void the_critical_plane_counts_what_happens_and_not_the_rows(void **unused)
{
    (void)unused;
    enum { FINE = 4001 };
    const double  n[3]                   = {0.48, 0.6, 0.64}, tau = 1e8;
    double        stress[POINTS * 2 * 6] = {0};
    static double time[FINE], w[FINE * 2];
    const double  pull[6] = {n[0] * n[0], n[1] * n[1], n[2] * n[2], n[0] * n[1], n[1] * n[2], n[2] * n[0]};
    for (int c = 0; c < 6; c++) stress[c] = 2e8 * pull[c];
    stress[(1 * 2 + 0) * 6 + 4] = tau; /* yz */
    for (int c = 0; c < 3; c++) stress[(1 * 2 + 1) * 6 + c] = 1e3;
    kl_kbody    body  = {.nmode = 2, .stress = {.n = POINTS, .stress = stress}};
    kl_sn_curve curve = {.range = 1e8, .cycles = 1e6, .slope = 3};
    kl_hot_spot spot[POINTS];
    double      damage[2][POINTS], jumping[2];
    for (int fine = 0; fine < 2; fine++) {
        int rows = fine ? FINE : (FINE - 1) / 10 + 1;
        for (int i = 0; i < rows; i++) {
            time[i]      = 4.0 * i / (rows - 1);
            w[2 * i]     = sin(2 * KL_PI * time[i]);
            w[2 * i + 1] = cos(2 * KL_PI * (fine ? 200.0 : 20.0) * time[i] + 0.3);
        }
        kl_modal_run run = {.body = &body, .n = 2, .rows = rows, .time = time, .w = w};
        assert_int_equal(kl_stress_envelope(&run, KL_MEASURE_VON_MISES, &curve, spot), KL_OK);
        jumping[fine] = spot[1].damage;
        assert_int_equal(kl_stress_envelope(&run, KL_MEASURE_CRITICAL_PLANE, &curve, spot), KL_OK);
        for (int p = 0; p < POINTS; p++) damage[fine][p] = spot[p].damage;
        assert_close(spot[0].most, 2e8, 1.0);
        assert_close(spot[1].most / tau, 1.0, 0.016);
    }
    /* four periods that begin at zero: three whole cycles and two halves of twice the amplitude, and two halves of the amplitude */
    double cycles = 3.5 + 2 * 0.5 * 0.125;
    assert_close(damage[1][0] / (cycles * pow(4.0, 3) / 1e6), 1.0, 1e-3);
    assert_close(damage[1][1] / (cycles * pow(2.0, 3) / 1e6), 1.0, 0.05);
    for (int p = 0; p < POINTS; p++) assert_close(damage[0][p] / damage[1][p], 1.0, 2e-3);
    assert_true(jumping[1] > 5.0 * jumping[0]);
    /* without a curve: the plane with the largest range */
    kl_modal_run run = {.body = &body, .n = 2, .rows = FINE, .time = time, .w = w};
    assert_int_equal(kl_stress_envelope(&run, KL_MEASURE_CRITICAL_PLANE, NULL, spot), KL_OK);
    assert_true(isnan(spot[1].damage));
    assert_close((spot[1].most - spot[1].least) / (2 * tau), 1.0, 0.016);
}

enum { MANY = 37, LONG = 5000, FEW = 5 };

static double random_number(void) { return 2.0 * rand() / (double)RAND_MAX - 1.0; }

/* Blocks and products of matrices against the sum at one point after the other; a coordinate that is no mode. */
static void the_envelope_agrees_with_one_history_after_the_other(void **unused)
{
    (void)unused;
    static double stress[MANY * FEW * 6], w[LONG * 4], time[LONG], history[LONG * 6];
    const int     mode[4] = {3, 0, -1, 4};
    kl_hot_spot   spot[MANY];
    srand(11);
    for (int i = 0; i < MANY * FEW * 6; i++) stress[i] = random_number();
    for (int i = 0; i < LONG * 4; i++) w[i] = random_number();
    for (int i = 0; i < LONG; i++) time[i] = i;
    kl_kbody     body = {.nmode = FEW, .stress = {.n = MANY, .stress = stress}};
    kl_modal_run run  = {.body = &body, .mode = mode, .n = 4, .rows = LONG, .time = time, .w = w};
    for (int measure = 0; measure < 2; measure++) {
        assert_int_equal(kl_stress_envelope(&run, (kl_stress_measure)measure, NULL, spot), KL_OK);
        for (int p = 0; p < MANY; p++) {
            double worst = 0, most = -1e30, q[3];
            kl_stress_history(&run, p, history);
            for (int i = 0; i < LONG; i++) {
                const double *s = history + 6 * i;
                worst           = fmax(worst, kl_von_mises(s));
                kl_principal(s, q);
                double x = measure ? (fabs(q[0]) >= fabs(q[2]) ? q[0] : q[2]) : kl_signed_von_mises(s);
                most     = fmax(most, x);
            }
            assert_close(spot[p].von_mises, worst, 1e-12);
            assert_close(spot[p].most, most, 1e-12);
            assert_close(kl_von_mises(history + 6 * (int)spot[p].time), worst, 1e-12);
        }
    }
}

/* Two hills on a line of points: two hot spots, however fine the points, and not the slope between. */
static void hot_spots_are_local_maxima_that_lie_apart(void **unused)
{
    (void)unused;
    static kl_vec3     x[1001];
    static kl_hot_spot spot[1001];
    for (int n = 101; n <= 1001; n += 900) {
        for (int i = 0; i < n; i++) {
            double at = i / (n - 1.0), a = (at - 0.25) / 0.1, b = (at - 0.8) / 0.08;
            x[i]    = kl_vec(at, 0, 0);
            spot[i] = (kl_hot_spot){.point = i, .von_mises = 100 * exp(-a * a) + 70 * exp(-b * b), .damage = (double)NAN};
        }
        kl_kbody body = {.stress = {.n = n, .position = x}};
        assert_close(kl_hot_spots_apart(&body), 0.05, 1e-12);
        kl_hot_spots_sort(spot, n);
        assert_int_equal(kl_hot_spots_pick(&body, spot, n, 0.05, 10), 2);
        assert_close(x[spot[0].point].x, 0.25, 1e-3);
        assert_close(x[spot[1].point].x, 0.8, 2e-3);
        kl_hot_spots_sort(spot, n);
        assert_int_equal(kl_hot_spots_pick(&body, spot, n, 0.05, 1), 1);
        kl_hot_spots_sort(spot, n);
        assert_int_equal(kl_hot_spots_pick(&body, spot, n, 2.0, 10), 1);
    }
    for (int i = 0; i < 3; i++) spot[i] = (kl_hot_spot){.point = i};
    kl_kbody body = {.stress = {.n = 3, .position = x}};
    assert_int_equal(kl_hot_spots_pick(&body, spot, 3, 0.05, 10), 0);
}

/* A rigid part moves markers and skin as a rigid body and stresses nothing. */
static void another_frame_moves_the_surface_and_stresses_nothing(void **unused)
{
    (void)unused;
    kl_vec3         at       = kl_vec(0.3, -0.2, 0.5);
    float           motion[3] = {0.5f, 0, 0};
    double          translation[3] = {0.5, 0, 0}, rotation[3] = {0, 0.1, 0}, stress[6] = {7, 0, 0, 0, 0, 0};
    const double    rigid[12] = {0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 1}, w[2] = {2, 0.25};
    const int       mode[2]   = {0, -1};
    kl_kbody_marker marker    = {.position = at, .translation = translation, .rotation = rotation};
    kl_kbody        body      = {.nmode = 1, .inertia = {.m = 2, .s0 = kl_vec(0.2, 0, 0)}, .stress = {.n = 1, .stress = stress},
                                 .skin = {.nnode = 1, .x = &at, .motion = motion}};
    kl_modal_run    run       = {.body = &body, .mode = mode, .n = 2, .rows = 1, .w = w, .rigid = rigid};
    double          moved[3], turned[3], again[3], s[6];
    kl_marker_moved(&run, &marker, w, moved, turned);
    kl_skin_moved(&run, 0, w, again);
    kl_stress_at(&run, 0, w, s);
    /* 2 * 0.5 + 0.25 * (shift + turn x (at - centre)) */
    const double expected[3] = {1 + 0.25 * (1 + 0.2), 0.25 * (2 + 0.2), 0.25 * 3};
    for (int c = 0; c < 3; c++) {
        assert_close(moved[c], expected[c], 1e-12);
        assert_close(again[c], expected[c], 1e-12);
    }
    assert_close(turned[1], 0.2, 1e-12);
    assert_close(turned[2], 0.25, 1e-12);
    assert_close(s[0], 14, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(von_mises_and_principal_stresses_agree_with_known_states),
        cmocka_unit_test(principal_stresses_keep_the_invariants),
        cmocka_unit_test(the_envelope_finds_the_largest_stress_its_time_and_its_damage),
        cmocka_unit_test(the_critical_plane_counts_what_happens_and_not_the_rows),
        cmocka_unit_test(the_envelope_agrees_with_one_history_after_the_other),
        cmocka_unit_test(hot_spots_are_local_maxima_that_lie_apart),
        cmocka_unit_test(another_frame_moves_the_surface_and_stresses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
