/* The coach in a curve: symmetry of left and right, of forwards and backwards, of table and online
 * contact, convergence over the step, wheel loads against an independent solution. */
#include "verify/example.h"

#include "unit/railway/wheel_rail_reference.h"

static example a, b;

static const char *const leading[] = {"coach.front.lead.rails.Y_left",
                                      "coach.front.lead.rails.Y_right",
                                      "coach.front.lead.rails.Q_left",
                                      "coach.front.lead.rails.Q_right",
                                      "coach.rear.trail.rails.Y_left",
                                      "coach.rear.trail.rails.Y_right",
                                      "coach.rear.trail.rails.Q_left",
                                      "coach.rear.trail.rails.Q_right",
                                      NULL};

/* Largest difference of channel i of one run and channel other[i] of another, over the largest value. */
static double apart(const example *x, const example *y, const int *other)
{
    double most = 0.0, size = 0.0;
    assert_int_equal(x->n, y->n);
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < 8; k++) {
            size = fmax(size, fabs(x->value[i][k]));
            most = fmax(most, fabs(x->value[i][k] - y->value[i][other[k]]));
        }
    return most / size;
}

static void a_right_hand_curve_is_the_mirror_image(void **unused)
{
    (void)unused;
    static const int sides[8] = {1, 0, 3, 2, 5, 4, 7, 6};
    example_run("coach-in-curve", "step=2e-3", 5.0, 0.01, leading, &a);
    example_run("coach-in-curve", "step=2e-3 turn=right", 5.0, 0.01, leading, &b);
    double off = apart(&a, &b, sides);
    print_message("left and right curve differ by %.2g of the largest value\n", off);
    assert_true(off < 1e-6);
}

/* The coach is alike at both ends: turned round, its rear bogie leads and feels the same. */
static void the_coach_turned_round_runs_alike(void **unused)
{
    (void)unused;
    static const int ends[8] = {4, 5, 6, 7, 0, 1, 2, 3};
    example_run("coach-in-curve", "step=2e-3", 5.0, 0.01, leading, &a);
    example_run("coach-in-curve", "step=2e-3 backwards=true", 5.0, 0.01, leading, &b);
    double off = apart(&a, &b, ends);
    print_message("forwards and backwards differ by %.2g of the largest value\n", off);
    assert_true(off < 1e-6);
}

static void table_and_online_contact_agree(void **unused)
{
    (void)unused;
    static const int same[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    example_run("coach-in-curve", "step=2e-3 irregularities=good", 4.0, 0.01, leading, &a);
    example_run("coach-in-curve", "step=2e-3 irregularities=good search=online", 4.0, 0.01, leading,
                &b);
    double off = apart(&a, &b, same);
    print_message("table and online contact differ by %.2g of the largest value\n", off);
    assert_true(off < 0.02);
}

static int by_size(const void *x, const void *y)
{
    double d = *(const double *)x - *(const double *)y;
    return (d > 0.0) - (d < 0.0);
}

static double percentile(const example *x, int channel, double p)
{
    static double v[EXAMPLE_ROWS];
    for (int i = 0; i < x->n; i++) v[i] = x->value[i][channel];
    qsort(v, (size_t)x->n, sizeof *v, by_size);
    return v[(int)(p * (x->n - 1))];
}

/* 99.85 % of Y and Q of the leading outer wheel on irregular track, with steps of 1 ms and 0.5 ms. */
static void halving_the_step_changes_percentiles_little(void **unused)
{
    (void)unused;
    example_run("coach-in-curve", "step=1e-3 irregularities=good", 5.0, 0.0025, leading, &a);
    example_run("coach-in-curve", "step=5e-4 irregularities=good", 5.0, 0.0025, leading, &b);
    for (int k = 1; k <= 3; k += 2) {
        double coarse = percentile(&a, k, 0.9985), fine = percentile(&b, k, 0.9985);
        print_message("%s: 99.85 %% is %.1f N, with half the step %.1f N\n", leading[k], coarse,
                      fine);
        assert_close(coarse, fine, 0.01 * fabs(fine));
    }
}

/* Steady curving without bump stops, conicity 0.1, lateral acceleration 1 m/s2. The reference leaves
 * out the gyroscopic load transfer of the wheelsets, 160 N a wheel, which is added; it asks for 0.2 %
 * of a wheel's load, that is 0.4 % in the difference of both wheels over the axle load. */
static void wheel_loads_in_curves_are_those_of_the_reference(void **unused)
{
    (void)unused;
    static const char *const loads[] = {"coach.front.lead.rails.Q_left",
                                        "coach.front.lead.rails.Q_right",
                                        "coach.front.trail.rails.Q_left",
                                        "coach.front.trail.rails.Q_right",
                                        "coach.rear.lead.rails.Q_left",
                                        "coach.rear.lead.rails.Q_right",
                                        "coach.rear.trail.rails.Q_left",
                                        "coach.rear.trail.rails.Q_right",
                                        NULL};
    reference                r       = reference_read("vehicles/coach_wheel_loads.csv");
    int                      rows    = 0;
    for (int i = 0; i < r.nrow; i++) {
        double R = reference_at(&r, i, "R_m"), aq = reference_at(&r, i, "cant_deficiency_m_per_s2");
        if (reference_at(&r, i, "conicity") != 0.1 || reference_at(&r, i, "bump_stop") != 0.0 ||
            aq != 1.0 || !isfinite(R))
            continue;
        char set[256];
        snprintf(
            set, sizeof set,
            "profile=cone conicity=0.1 law=linear f11=9.695e6 radius=%g speed=%.9g transition=100 "
            "coach.stops=false coach.rod=false coach.series=0 coach.cpz_series=0",
            R, sqrt(R));
        example_run("coach-in-curve", set, 420.0 / sqrt(R), 0.5, loads, &a);
        for (int axle = 0; axle < 4; axle++) {
            char   name[2][24];
            double left = a.value[a.n - 1][2 * axle], right = a.value[a.n - 1][2 * axle + 1];
            snprintf(name[0], sizeof name[0], "Q_left%d_N", axle + 1);
            snprintf(name[1], sizeof name[1], "Q_right%d_N", axle + 1);
            double exact =
                reference_at(&r, i, name[1]) - reference_at(&r, i, name[0]) + 2.0 * 160.0;
            assert_close((right - left) / (right + left), exact / 109092.0, 0.004);
        }
        rows++;
    }
    assert_int_equal(rows, 3);
    reference_free(&r);
}

/* Twist of 3 per mille over the whole coach: torsion of both suspension stages in closed form. It leaves
 * out that wheelsets shift and roll a little on the canted rails: 5 % are granted. */
static void twisted_track_unloads_wheels(void **unused)
{
    (void)unused;
    static const char *const names[] = {"unloading", "distance", NULL};
    const double kpz = 1.22e6, ksz = 430e3, bar = 940e3, ksr = 10.5e3, t = 0.003, w = 1.5;
    double       k1 = 2.0 * kpz, k2 = 2.0 * ksz + bar + 2.0 * ksr,
           k12   = k2 * 2.0 * k1 / (k2 + 2.0 * k1) / 2.0;
    double exact = (k1 * 1.28 + k12 * 9.5) * t / w / w / 54546.0;
    example_run("coach-on-twist", "", 18.0, 0.1, names, &a);
    double most = example_peak(&a, 0);
    print_message("twist unloads a wheel by %.1f %%, closed form %.1f %%\n", 100.0 * most,
                  100.0 * exact);
    assert_close(most, exact, 0.05 * exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_hand_curve_is_the_mirror_image),
        cmocka_unit_test(the_coach_turned_round_runs_alike),
        cmocka_unit_test(table_and_online_contact_agree),
        cmocka_unit_test(halving_the_step_changes_percentiles_little),
        cmocka_unit_test(twisted_track_unloads_wheels),
        cmocka_unit_test(wheel_loads_in_curves_are_those_of_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
