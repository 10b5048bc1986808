/* Rides of the locomotive with rigid, flexible and cracked bogie frames: what their spectra say.
 *
 * With KL_SLOW as long as the paper's, on three tracks; otherwise 6 s on one track. */
#include "unit/cli/run_program.h"

#include <math.h>

enum { LINES = 200 };

static bool slow(void) { return getenv("KL_SLOW") != NULL; }

/* NAME.h5: a ride with a frame, on a track, with a modulus of elasticity of the frame [GPa] */
static void ride(world *w, const char *name, const char *frame, int track, double modulus)
{
    char file[40], kind[40], seed[40], stiffness[40];
    snprintf(file, sizeof file, "%s.h5", name);
    snprintf(kind, sizeof kind, "frame=%s", frame);
    snprintf(seed, sizeof seed, "seed=%d", track);
    snprintf(stiffness, sizeof stiffness, "modulus=%gGPa", modulus);
    const char *model = KL_SOURCE_DIR "/examples/locomotive/model.yaml";
    assert_int_equal(run(w, "run", model, "-q", "--end", slow() ? "25" : "6", "--set", "row=1ms",
                         "--set", "attach=marker", "--set", kind, "--set", seed, "--set", stiffness,
                         "-o", file),
                     0);
}

/* modes.csv: natural frequencies at 70 km/h; `w->out` holds them too */
static void find_modes(world *w, const char *frame)
{
    char        kind[40];
    const char *model = KL_SOURCE_DIR "/examples/locomotive/model.yaml";
    snprintf(kind, sizeof kind, "frame=%s", frame);
    assert_int_equal(run(w, "modes", model, "--csv", "--set", kind, "--set", "irregularities=none",
                         "--set", "attach=marker"),
                     0);
    FILE *f = fopen(path_of(w, "modes.csv"), "w");
    assert_non_null(f);
    fputs(w->out, f);
    fclose(f);
}

static bool differ(world *w, const char *a, const char *b, const char *from, const char *to,
                   const char *window)
{
    assert_int_equal(run(w, "compare", a, b, "P_lateral_acceleration", "--skip", "2", "--from",
                         from, "--to", to, "--window", window, "--alarms", "0.01"),
                     0);
    print_message("%s %s, windows of %s s: %.*s\n", a, b, window, (int)strcspn(w->out, "\n"),
                  w->out);
    return strstr(w->out, "the spectra differ") != NULL;
}

/* Density of P in the second ride over that in the first, at multiples of 4 Hz; ratio[0] is at 4 Hz. */
static void ratios_below_20_hz(world *w, const char *a, const char *b, double ratio[5])
{
    assert_int_equal(run(w, "compare", a, b, "P_lateral_acceleration", "--skip", "2", "--from", "3",
                         "--to", "21", "--window", "0.25", "--csv"),
                     0);
    const char *line = w->out;
    for (int i = 0; i < 5; i++) {
        double f, first, second;
        assert_non_null(line = strchr(line, '\n'));
        line++;
        assert_int_equal(sscanf(line, "%lf,%lf,%lf", &f, &first, &second), 3);
        assert_close(f, 4.0 * (i + 1), 0.05);
        ratio[i] = second / first;
        print_message("%s: %g Hz %.3f\n", b, f, ratio[i]);
    }
}

/* Below 20 Hz the spectra of the rigid and of the flexible frame are equal within the scatter of Welch's estimate with eight
 * windows. Short windows show what such an estimate cannot: a ratio that falls from 1 at 4 Hz. It is the
 * quasi-static deformation of the frame, because it is proportional to 1/E: with the fourfold modulus a quarter of it remains. */
static void frames_differ_below_20_hz_by_their_compliance(void **state)
{
    world *w = *state;
    double soft[5], stiff[5];
    ride(w, "rigid", "rigid", 301, 210.0);
    ride(w, "flexible", "flexible", 301, 210.0);
    ride(w, "stiff", "flexible", 301, 840.0);
    assert_false(differ(w, "rigid.h5", "flexible.h5", "0", "20", "0"));
    ratios_below_20_hz(w, "rigid.h5", "flexible.h5", soft);
    ratios_below_20_hz(w, "rigid.h5", "stiff.h5", stiff);
    assert_close(soft[0], 1.0, 0.05);
    assert_true(soft[2] < 0.9 && soft[3] < 0.8);
    for (int i = 0; i < 4; i++) assert_close(1.0 - stiff[i], 0.25 * (1.0 - soft[i]), 0.03);
}

/* Spectra of the rigid frame have peaks although it has no lightly damped mode there (42 Hz at 70 km/h). The three axles of a bogie follow
 * the same irregularities one after the other: they cancel in a wave that lifts neighbours in turn (odd multiples of speed/(2 wheelbase):
 * 40.0 Hz at 70 km/h, 34.3 Hz at 60 km/h) and add up between such waves. So the peak belongs to a wavelength and moves with the speed. */
static void peaks_of_the_rigid_frame_are_waves_that_fit_its_axles(void **state)
{
    world *w = *state;
    char   text[2000];
    double P[5];
    FILE  *f = fopen(path_of(w, "waves.yaml"), "w");
    assert_non_null(f);
    fputs("model: " KL_SOURCE_DIR "/examples/locomotive/model.yaml\nend: 2.2 s\nmethod: list\n"
          "set: {irregularities: wave, channel: cross_level, row: 1 ms, attach: marker}\n"
          "parameters:\n"
          "  speed: [70 km/h, 70 km/h, 60 km/h, 60 km/h, 60 km/h]\n"
          "  frequency: [40.03 Hz, 43.3 Hz, 34.31 Hz, 37.1 Hz, 40.03 Hz]\n"
          "results: {P: {of: P_lateral_acceleration, take: rms, from: 1.6 s}}\n",
          f);
    fclose(f);
    assert_int_equal(run(w, "sweep", "waves.yaml", "-q"), 0);
    read_whole(path_of(w, "waves.csv"), text, sizeof text);
    const char *line = text;
    for (int i = 0; i < 5; i++) {
        assert_non_null(line = strchr(line, '\n'));
        assert_int_equal(sscanf(++line, "%*d,%*f,%*f,%lf,ok", &P[i]), 1);
        print_message("%.*s\n", (int)strcspn(line, "\n"), line);
    }
    assert_true(P[0] < 0.4 * P[1]);
    assert_true(P[2] < 0.4 * P[3]);
    assert_true(P[2] < 0.4 * P[4]); /* 40 Hz is no minimum at 60 km/h */
}

/* Peaks that `klingel psd` cannot assign, of those it prints for the ride. With --axles nearly every frequency would have an origin here. */
static int peaks_without_origin(world *w, const char *file)
{
    assert_int_equal(run(w, "psd", file, "P_lateral_acceleration", "--skip", "2", "--window", "0.5",
                         "--from", "20", "--to", "130", "--modes", "modes.csv", "--multiples",
                         "11.438", "--ends", "155.6"),
                     0);
    print_message("%s", w->out);
    int n = 0;
    for (const char *p = w->out; (p = strstr(p, "none (")); p++) n++;
    assert_non_null(strstr(w->out, "natural frequency"));
    return n;
}

/* Frequency of the largest mean density of the rides below 5 Hz, with lines 1/4 Hz apart */
static double hunting_peak(world *w, const char *const *rides, int n)
{
    double sum[LINES] = {0.0}, f[LINES] = {0.0};
    int    lines = 0, best = 0;
    for (int r = 0; r < n; r++) {
        assert_int_equal(run(w, "psd", rides[r], "leading_wheelset_lateral_acceleration", "--skip",
                             "2", "--window", "4", "--to", "5", "--csv"),
                         0);
        lines = 0;
        for (const char *p = w->out; (p = strstr(p, "acceleration,")); p++, lines++) {
            double density;
            assert_int_equal(sscanf(p, "acceleration,%lf,%lf", &f[lines], &density), 2);
            sum[lines] += density;
        }
    }
    for (int i = 1; i < lines; i++)
        if (sum[i] > sum[best]) best = i;
    return f[best];
}

/* Distance to the nearest oscillation of 1 to 5 Hz with 30 to 60 % damping: the hunting modes of this locomotive */
static double distance_to_hunting(const char *modes, double peak)
{
    double least = HUGE_VAL;
    for (const char *p = modes; (p = strchr(p, '\n')); p++) {
        double re, im, f, damping;
        if (sscanf(p + 1, "%lf,%lf,%lf,%lf", &re, &im, &f, &damping) != 4) continue;
        if (f > 1.0 && f < 5.0 && damping > 0.3 && damping < 0.6)
            least = fmin(least, fabs(f - peak));
    }
    return least;
}

static void long_rides_show_modes_and_cracks(void **state)
{
    static const char *const healthy[] = {"h1.h5", "h2.h5", "h3.h5"};
    static const char *const cracked[] = {"c1.h5", "c2.h5", "c3.h5"};
    world                   *w         = *state;
    if (!slow()) {
        print_message("with KL_SLOW=1 only\n");
        return;
    }
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "h%d", i + 1);
        ride(w, name, "flexible", 301 + i, 210.0);
        snprintf(name, sizeof name, "c%d", i + 1);
        ride(w, name, "cracked", 301 + i, 210.0);
    }
    find_modes(w, "flexible");
    static char modes[sizeof w->out];
    memcpy(modes, w->out, sizeof modes);
    for (int i = 0; i < 3; i++) assert_int_equal(peaks_without_origin(w, healthy[i]), 0);
    double peak = hunting_peak(w, healthy, 3);
    print_message("hunting %.2f Hz, %.2f Hz from the linearised frequency\n", peak,
                  distance_to_hunting(modes, peak));
    assert_true(distance_to_hunting(modes, peak) <= 0.25);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            assert_true(differ(w, healthy[a], cracked[b], "20", "120", "0.25"));
            if (a < b) assert_false(differ(w, healthy[a], healthy[b], "20", "120", "0.25"));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(frames_differ_below_20_hz_by_their_compliance),
                                       CASE(peaks_of_the_rigid_frame_are_waves_that_fit_its_axles),
                                       CASE(long_rides_show_modes_and_cracks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
