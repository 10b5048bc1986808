/* klingel psd: what its peaks belong to. A mass on a spring, 17.4 Hz, is excited at three times speed over wheelbase. */
#include "unit/cli/run_program.h"

#include <math.h>

static void write_text(const world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Runs the model at a speed into out.h5 and keeps its modes. */
static void ride(world *w, const char *speed)
{
    write_text(
        w, "m.yaml",
        "klingel: 1\n"
        "parameters: {speed: 20 m/s, base: 2 m}\n"
        "bodies: {car: {mass: 2 kg, inertia: [1 kg m2, 1 kg m2, 1 kg m2]}}\n"
        "joints: {guide: {type: translational, between: [ground, car], at: [0, 0, 0], axis: x}}\n"
        "forces:\n"
        "  spring: {type: slide-spring-damper, of: guide, stiffness: 24 kN/m, damping: 4 N "
        "s/m}\n"
        "  track: {type: force, on: car, axis: x, value: {expression: \"100 "
        "N*sin(2*pi*3*speed/base*t)\"}}\n"
        "outputs: {a: {of: car, quantity: acceleration.x}}\n"
        "integrator: {tolerance: 1e-6}\n"
        "run: {end: 8, every: 2 ms}\n");
    char set[32];
    snprintf(set, sizeof set, "speed=%s", speed);
    assert_int_equal(run(w, "run", "m.yaml", "-q", "--set", set, "-o", "out.h5"), 0);
    assert_int_equal(run(w, "modes", "m.yaml", "--set", set, "--csv"), 0);
    write_text(w, "modes.csv", w->out);
}

/* The line of the peak nearest to f [Hz] says the words. */
static void assert_peak(const world *w, double f, const char *words)
{
    for (const char *p = w->out; (p = strchr(p, '\n')); p++) {
        char   line[300];
        double at;
        if (sscanf(p + 1, "%lf", &at) != 1 || fabs(at - f) > 0.5) continue;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p + 1, "\n"), p + 1);
        assert_says(line, words);
        return;
    }
    fail_msg("no peak at %g Hz in '%s'", f, w->out);
}

static void peaks_of_the_excitation_move_with_the_speed(void **state)
{
    world *w = *state;
    double f = sqrt(24e3 / 2.0) / (2.0 * acos(-1.0));
    ride(w, "20");
    assert_int_equal(
        run(w, "psd", "out.h5", "a", "--window", "4", "--modes", "modes.csv", "--multiples", "10"),
        0);
    assert_peak(w, f, "natural frequency 17.43 Hz");
    assert_peak(w, 30.0, "excitation, 3 x 10 Hz");
    ride(w, "18");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--window", "4", "--modes", "modes.csv",
                         "--multiples", "9", "--ends", "27"),
                     0);
    assert_peak(w, f, "natural frequency 17.43 Hz");
    assert_peak(w, 27.0, "excitation, 3 x 9 Hz; end of the excitation, 27 Hz");
    /* with the multiples of another speed the peak belongs to nothing */
    assert_int_equal(
        run(w, "psd", "out.h5", "a", "--window", "4", "--modes", "modes.csv", "--multiples", "10"),
        0);
    assert_peak(w, 27.0, "none (nearest natural frequency 17.43 Hz)");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--window", "4"), 0);
    assert_null(strstr(w->out, "none"));
}

static void damped_modes_make_no_peak(void **state)
{
    world *w = *state;
    ride(w, "20");
    write_text(w, "modes.csv",
               "real,imag,frequency_hz,damping_ratio\n-60,90,17.43,0.55\n-60,-90,17.43,0.55\n"
               "-1,200,31.83,0.005\n-1,-200,31.83,0.005\n");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--window", "4", "--modes", "modes.csv"), 0);
    assert_peak(w, 17.43, "none (nearest natural frequency 31.83 Hz)");
}

/* The excitation at 30 Hz lies 0.9 Hz beside a mode: within its half-power band if that is so wide, and nothing else is known. */
static void peaks_may_lie_in_the_half_power_band_of_a_mode(void **state)
{
    static const struct {
        const char *damping, *says;
    } mode[] = {{"0.04", "half-power band of natural frequency 30.9 Hz (damping 4 %)"},
                {"0.01", "none (nearest natural frequency 30.9 Hz)"},
                {"0.20", "none (nearest natural frequency 30.9 Hz)"}};
    world *w = *state;
    ride(w, "20");
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "real,imag,frequency_hz,damping_ratio\n-1,194,30.9,%s\n-1,-194,30.9,%s\n",
                 mode[i].damping, mode[i].damping);
        write_text(w, "modes.csv", text);
        assert_int_equal(run(w, "psd", "out.h5", "a", "--window", "4", "--modes", "modes.csv"), 0);
        assert_peak(w, 30.0, mode[i].says);
    }
}

/* Waves that three axles 2 m apart follow at 20 m/s: in phase at multiples of 10 Hz, turning a quarter of it beside. */
static void peaks_are_compared_with_waves_that_fit_axles(void **state)
{
    world *w = *state;
    ride(w, "20");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--window", "4", "--from", "5", "--to", "55",
                         "--axles", "3,1 m,-1000 mm", "--speed", "72km/h"),
                     0);
    assert_peak(w, 30.0, "excitation, waves in phase at the axles, 30 Hz");
    assert_peak(w, 17.43, "excitation, waves by which the axles turn their frame, 17.5 Hz");
    /* 23 of 40 lines a period: a quarter of it on both sides of waves in phase, and one line more */
    assert_says(w->out, "by chance: 57 % of all lines");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--window", "4", "--to", "18.9", "--axles",
                         "0,2,4", "--speed", "20"),
                     0);
    assert_says(w->out, "by chance: 44 %"); /* 3 + 23 + 7 of 75, up to 20 Hz */
    assert_int_equal(
        run(w, "psd", "out.h5", "a", "--window", "4", "--axles", "0,1.25,2.5", "--speed", "20"), 0);
    assert_peak(w, 30.0, "excitation, between waves in phase and turning ones, 28 to 32 Hz");
    assert_peak(w, 17.43, "excitation, between waves in phase and turning ones, 16 to 20 Hz");
    /* in waves of odd multiples of speed/(2 x 20/12 m) they rise in turn */
    assert_int_equal(run(w, "psd", "out.h5", "a", "--window", "4", "--axles", "0,1.6667,3.3333",
                         "--speed", "20"),
                     0);
    assert_peak(w, 30.0, "none");
    /* two axles turn what they carry in the middle between waves in phase */
    assert_int_equal(
        run(w, "psd", "out.h5", "a", "--window", "4", "--axles", "0,1", "--speed", "20"), 0);
    assert_peak(w, 30.0, "axles turn their frame, 30 Hz");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--axles", "1,1", "--speed", "20"), 2);
    assert_says(w->err, "two axles at different places");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--axles", "1,2"), 2);
    assert_says(w->err, "--axles and --speed belong together");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--axles", "1,2", "--speed", "20N"), 2);
    assert_says(w->err, "70km/h");
}

static void windows_and_bands_beside_the_record_are_refused(void **state)
{
    world *w = *state;
    ride(w, "20");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--window", "9"), 1);
    assert_says(w->err, "longer than the record, which has 8");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--skip", "4", "--window", "5"), 1);
    assert_int_equal(run(w, "psd", "out.h5", "a", "--window", "1ms"), 1);
    assert_says(w->err, "fewer than four of the rows");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--from", "300"), 1);
    assert_says(w->err, "to 250");
    assert_int_equal(run(w, "psd", "out.h5", "a", "--to", "0.01", "--csv"), 1);
}

static void other_files_are_refused(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    write_text(w, "bad.csv", "time,x\n0,1\n");
    write_text(w, "cut.csv", "real,imag,frequency_hz,damping_ratio\n-1,200,31.8,0.01\n-1,200\n");
    assert_int_equal(run(w, "psd", "p.h5", "x", "--modes", "bad.csv"), 1);
    assert_says(w->err, "bad.csv:1:1: expected the columns");
    assert_says(w->err, "klingel modes MODEL.yaml --csv");
    assert_int_equal(run(w, "psd", "p.h5", "x", "--modes", "cut.csv"), 1);
    assert_says(w->err, "cut.csv:3:1");
    assert_int_equal(run(w, "psd", "p.h5", "x", "--modes", "missing.csv"), 1);
    assert_says(w->err, "missing.csv");
    assert_int_equal(run(w, "psd", "p.h5", "x", "--multiples", "-1"), 2);
    assert_says(w->err, "must not be negative");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(peaks_of_the_excitation_move_with_the_speed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(damped_modes_make_no_peak, setup, teardown),
        cmocka_unit_test_setup_teardown(peaks_may_lie_in_the_half_power_band_of_a_mode, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(peaks_are_compared_with_waves_that_fit_axles, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(windows_and_bands_beside_the_record_are_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(other_files_are_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
