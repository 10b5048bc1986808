/* The Manchester coach on waves, on irregular track and in curves against an independent solution (references `vehicles`): vertical
 * frequency response, rms accelerations, steady curving. The reference leaves out series stiffness, traction rods and
 * bump stops and has constant creep coefficients. */
#include "verify/example.h"

#include "base/vec.h"
#include "unit/railway/wheel_rail_reference.h"

#define LINEAR_VEHICLE "series=0 cpz_series=0 rod=false stops=false f11=9.695e6 gust=0 "

static example e;

/* Amplitude of a channel at frequency f [Hz] over the last whole periods, at most `span` seconds. */
static double amplitude_at(const example *x, int channel, double f, double span)
{
    double end = x->t[x->n - 1], from = end - floor(span * f) / f, dt = x->t[1] - x->t[0];
    double re = 0.0, im = 0.0;
    for (int i = 0; i < x->n; i++) {
        if (x->t[i] <= from + 0.5 * dt) continue;
        re += x->value[i][channel] * cos(2.0 * KL_PI * f * x->t[i]);
        im += x->value[i][channel] * sin(2.0 * KL_PI * f * x->t[i]);
    }
    return 2.0 * hypot(re, im) * dt / (end - from);
}

static const char *const vertical[] = {"coach.floor_front_z", "frame_z", "coach.floor_middle_z",
                                       NULL};

/* Variant LP: with longitudinal motion and preload. Both of its nearly undamped longitudinal modes are
 * below the frequencies taken here. 0.5 % are granted. */
static void waves_of_the_track_shake_the_coach_as_in_the_reference(void **unused)
{
    (void)unused;
    static const double frequency[] = {2.0, 3.0, 5.0, 8.0};
    const double        V = 44.7, amplitude = 1e-3;
    reference           r    = reference_read("vehicles/coach_vertical_frf.csv");
    int                 rows = 0;
    for (int k = 0; k < 4; k++) {
        char   set[256];
        double f = frequency[k];
        snprintf(set, sizeof set,
                 LINEAR_VEHICLE
                 "tolerance=1e-8 irregularities=wave speed=%g wavelength=%.12g wave_amplitude=%g",
                 V, V / f, amplitude);
        example_run("manchester-coach", set, 12.0, 1.0 / 160.0, vertical, &e);
        for (int i = 0, output = 0; i < r.nrow; i++) {
            if (strcmp(r.first[i], "LP") != 0 || reference_at(&r, i, "V_m_per_s") != V ||
                reference_at(&r, i, "f_Hz") != f)
                continue;
            double want = reference_at(&r, i, "abs_1_per_s2"),
                   got  = amplitude_at(&e, output, f, 4.0) / amplitude;
            print_message("%g Hz, %s: %.2f 1/s2, reference %.2f\n", f, vertical[output], got, want);
            assert_close(got, want, 0.005 * want);
            output++, rows++;
        }
    }
    assert_int_equal(rows, 8);
    reference_free(&r);
}

/* The track of a spectrum has exact variances in narrow bands, so that the rms scatters less than that of
 * random noise, whose scatter in 100 s the reference gives; here are 60 s. */
static void rms_on_the_spectrum_is_that_of_the_reference(void **unused)
{
    (void)unused;
    static const int channel[] = {0, 2, 1}; /* above the front bogie, centre, front frame */
    reference        r         = reference_read("vehicles/coach_vertical_rms.csv");
    example_run("manchester-coach", LINEAR_VEHICLE "irregularities=vertical speed=44.7", 65.0,
                0.032, vertical, &e);
    int rows = 0;
    for (int i = 0; i < r.nrow; i++) {
        if (strcmp(r.first[i], "LP") != 0 || reference_at(&r, i, "wavelength_min_m") != 3.0 ||
            reference_at(&r, i, "wavelength_max_m") != 100.0)
            continue;
        double want = reference_at(&r, i, "rms_m_per_s2"), squares = 0.0;
        double scatter =
            sqrt(100.0 / 60.0) * reference_at(&r, i, "relative_std_error_of_rms_in_100s");
        int n = 0;
        for (int k = 0; k < e.n; k++)
            if (e.t[k] > 5.0) squares += e.value[k][channel[rows]] * e.value[k][channel[rows]], n++;
        double got = sqrt(squares / n);
        print_message("%s: rms %.4f m/s2, reference %.4f, scatter %.4f\n", vertical[channel[rows]],
                      got, want, scatter * want);
        assert_close(got, want, 2.0 * scatter * want);
        rows++;
    }
    assert_int_equal(rows, 3);
    reference_free(&r);
}

static const char *const curving[] = {
    "coach.front.lead.rails.Q_left",  "coach.front.lead.rails.Q_right",
    "coach.front.trail.rails.Q_left", "coach.front.trail.rails.Q_right",
    "coach.front.lead.rails.Y_left",  "coach.front.lead.rails.Y_right",
    "coach.front.lead.rails.shift",   NULL};

/* A left-hand curve whose cant balances the speed. Cones on the knife edges of rails with an effective
 * conicity of the reference's, lambda = tan/(1 - tan r0/l). The reference asks for 0.2 % of the static wheel
 * load and is exact to first order in the conicity: 31 N and 0.07 mm at 0.1. */
static void the_coach_runs_through_a_curve_as_in_the_reference(void **unused)
{
    (void)unused;
    const double R = 3000.0, V = 20.0, lambda = 0.1, r0 = 0.46, l = 0.75, load = 54546.0;
    double       cone = lambda / (1.0 + lambda * r0 / l), angle = atan(V * V / (9.81 * R));
    char         set[256];
    snprintf(set, sizeof set,
             LINEAR_VEHICLE
             "track=curve radius=%g speed=%g cant=%.9g conicity=%.9g rail_radius=0.001",
             R, V, 1.5 * sin(angle), cone);
    example_run("manchester-coach", set, 40.0, 0.1, curving, &e);
    reference loads = reference_read("vehicles/coach_wheel_loads.csv");
    reference shift = reference_read("vehicles/coach_curving.csv");
    int       rows  = 0;
    for (int i = 0; i < loads.nrow; i++) {
        if (reference_at(&loads, i, "R_m") != R || reference_at(&loads, i, "conicity") != lambda ||
            reference_at(&loads, i, "bump_stop") != 0.0 ||
            reference_at(&loads, i, "cant_deficiency_m_per_s2") != 0.0)
            continue;
        static const char *const Q[] = {"Q_left1_N", "Q_right1_N", "Q_left2_N", "Q_right2_N"};
        for (int k = 0; k < 4; k++) {
            double want = reference_at(&loads, i, Q[k]);
            print_message("%s %.1f N, reference %.1f N\n", curving[k], example_last(&e, k), want);
            assert_close(example_last(&e, k), want, 0.002 * load);
        }
        /* forces on the rails outward; the reference has those on the wheelset to the left */
        double sum = example_last(&e, 5) - example_last(&e, 4);
        print_message("sum of Y %.1f N, reference %.1f N\n", sum,
                      reference_at(&loads, i, "Y_sum1_N"));
        assert_close(sum, reference_at(&loads, i, "Y_sum1_N"), 0.002 * load);
        rows++;
    }
    for (int i = 0; i < shift.nrow; i++) {
        if (strcmp(shift.first[i], "GSRP") != 0 || reference_at(&shift, i, "R_m") != R ||
            reference_at(&shift, i, "conicity") != lambda ||
            reference_at(&shift, i, "cant_deficiency_m_per_s2") != 0.0)
            continue;
        double want = reference_at(&shift, i, "y1_mm");
        print_message("shift %.4f mm, reference %.4f mm\n", 1e3 * example_last(&e, 6), want);
        assert_close(1e3 * example_last(&e, 6), want, 0.07);
        rows++;
    }
    assert_int_equal(rows, 2);
    reference_free(&loads);
    reference_free(&shift);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_of_the_track_shake_the_coach_as_in_the_reference),
        cmocka_unit_test(rms_on_the_spectrum_is_that_of_the_reference),
        cmocka_unit_test(the_coach_runs_through_a_curve_as_in_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
