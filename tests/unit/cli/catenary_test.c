/* Catenaries from the command line: statics and runs against the independent reference, bad input. */
#include "unit/cli/run_program.h"

#include <math.h>

#define EXAMPLE(name) KL_SOURCE_DIR "/examples/" name "/model.yaml"

/* Numbers of CSV text, `columns` a row, rows that do not begin with a number left out. */
static int numbers(const char *text, int columns, double *out, int most)
{
    int n = 0;
    for (const char *line = text; line && *line && n < most; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        char *end;
        int   k = 0;
        for (const char *p = line; k < columns; k++, p = *end == ',' ? end + 1 : end) {
            out[n * columns + k] = strtod(p, &end);
            if (end == p) break;
        }
        n += k == columns;
    }
    return n;
}

static int reference(const char *name, int columns, double *out, int most)
{
    static char text[1 << 17];
    char        path[400];
    snprintf(path, sizeof path, KL_SOURCE_DIR "/tests/data/reference/catenary/%s", name);
    read_whole(path, text, sizeof text);
    return numbers(text, columns, out, most);
}

static void statics_are_printed_in_the_columns_of_the_reference(void **state)
{
    world *w = *state;
    double want[80 * 5], have[80 * 5];
    assert_int_equal(run(w, "catenary", "elasticity", EXAMPLE("catenary-en50318"), "--csv"), 0);
    int n = reference("own_en50318_2002_static_elasticity.csv", 5, want, 80);
    assert_int_equal(numbers(w->out, 5, have, 80), n);
    for (int i = 0; i < 5 * n; i++)
        assert_true(fabs(have[i] - want[i]) <= 1e-3 * fabs(want[i]) + 2e-6);
    assert_int_equal(run(w, "catenary", "droppers", EXAMPLE("catenary-2015"), "--csv"), 0);
    n = reference("own_bruni_like_dropper_forces.csv", 3, want, 80);
    assert_int_equal(numbers(w->out, 3, have, 80), n);
    for (int i = 0; i < 3 * n; i++)
        assert_true(fabs(have[i] - want[i]) <= 1e-3 * fabs(want[i]) + 2e-6);
    assert_int_equal(run(w, "catenary", "dropers", EXAMPLE("catenary-2015")), 2);
    assert_says(w->err, "did you mean 'droppers'");
    assert_int_equal(run(w, "catenary", "droppers", EXAMPLE("catenary-2015"), "--span", "11"), 1);
    assert_says(w->err, "10 spans");
}

/* Mean and sigma of the filtered force over spans 5 and 6, read from the results as a user would. */
static void check_run(world *w, const char *set, double mean, double sigma)
{
    static double rows[8000 * 4];
    char          columns[4][32] = {"position_m", "contact_force_N", "contact_force_20Hz_N",
                                    "head_height_m"};
    kl_reader    *r              = NULL;
    int           count          = 0;
    double        sum = 0.0, square = 0.0;
    assert_int_equal(run(w, "run", EXAMPLE("catenary-en50318"), "-q", "-o", "en.h5", "--set", set),
                     0);
    assert_int_equal(kl_reader_open(path_of(w, "en.h5"), NULL, &r), KL_OK);
    int n = kl_reader_rows(r);
    assert_true(n > 6000 && n < 8000);
    for (int k = 0; k < 4; k++) {
        int column = kl_reader_find(r, columns[k]);
        assert_true(column >= 0);
        assert_int_equal(kl_reader_column(r, column, rows + 8000 * k), KL_OK);
    }
    for (int i = 0; i < n; i++) {
        double F = rows[16000 + i];
        if (rows[i] >= 240.0 && rows[i] <= 360.0) sum += F, square += F * F, count++;
    }
    kl_reader_close(r);
    sum /= count;
    double deviation = sqrt(square / count - sum * sum);
    print_message("%s: mean %.2f (%.2f) N, sigma %.2f (%.2f) N\n", set, sum, mean, deviation,
                  sigma);
    assert_true(fabs(sum - mean) < 1.0);
    assert_true(fabs(deviation - sigma) < 1.0);
}

static void runs_give_the_figures_of_the_independent_simulation(void **state)
{
    check_run(*state, "speed=250km/h", 116.6270, 33.5219);
    check_run(*state, "speed=300km/h", 115.8066, 36.2648);
    check_run(*state, "coupling=co-simulation", 116.6270, 33.5219);
}

/* The eight quantities of the assessment, in order; `code`: 4 when a limit is exceeded. */
static void assessed_with(world *w, int code, double value[8])
{
    static const char *const names[] = {
        "mean_N", "sigma_N", "statistical_max_N", "statistical_min_N",
        "max_N",  "min_N",   "uplift_mm",         "contact_loss_percent"};
    assert_int_equal(run(w, "assess", "en.h5", "--csv"), code);
    assert_says(w->out, "quantity,place_m,value,unit,limit,utilisation,verdict\n");
    for (int i = 0; i < 8; i++) {
        char start[40];
        snprintf(start, sizeof start, "\n%s,", names[i]);
        const char *row = strstr(w->out, start);
        assert_non_null(row);
        value[i] = strtod(strchr(row + strlen(start), ',') + 1, NULL);
    }
}

static void assessed(world *w, double value[8]) { assessed_with(w, 0, value); }

/* Figures of the independent simulation; extremes are its least certain ones. */
static void the_assessment_gives_the_figures_of_current_collection(void **state)
{
    world       *w        = *state;
    const double want[]   = {116.627, 33.522, 217.193, 16.061, 187.223, 33.924, 52.674, 0.0};
    const double within[] = {1.0, 1.0, 3.0, 3.0, 9.0, 9.0, 1.0, 0.0};
    double       value[8];
    assert_int_equal(run(w, "run", EXAMPLE("catenary-en50318"), "-q", "-o", "en.h5"), 0);
    assessed(w, value);
    for (int i = 0; i < 8; i++) assert_true(fabs(value[i] - want[i]) <= within[i]);
    assert_int_equal(run(w, "report", "en.h5", "-o", "en.html"), 0);
    static char page[1 << 22];
    read_whole(path_of(w, "en.html"), page, sizeof page);
    assert_says(page, "<h2>Current collection</h2>");
    assert_says(page, "Contact force along the line");
    assert_says(page, "Distribution of the contact force");
    assert_says(page, "<td>sigma_N</td>");
    /* without pre-sag the sigma lies outside the accepted range 26 to 31 N, with 20 mm inside */
    assert_int_equal(
        run(w, "run", EXAMPLE("catenary-en50318"), "-q", "-o", "en.h5", "--set", "presag=20mm"), 0);
    assessed(w, value);
    assert_true(value[0] > 110.0 && value[0] < 120.0);
    assert_true(value[1] > 26.0 && value[1] < 31.0);
    assert_true(value[6] > 48.0 && value[6] < 55.0);
}

/* The parameter `coupling` alone changes no figure, also at 300 km/h. */
static void both_couplings_give_the_same_assessment(void **state)
{
    world            *w      = *state;
    const char *const ways[] = {"coupling=one-system", "coupling=co-simulation"};
    double            have[2][8];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(w, "run", EXAMPLE("catenary-en50318"), "-q", "-o", "en.h5", "--set",
                             "speed=300km/h", "--set", ways[i]),
                         0);
        assessed_with(w, 4, have[i]); /* sigma is 31.5 % of the mean */
    }
    print_message("sigma %.3f and %.3f N\n", have[0][1], have[1][1]);
    for (int k = 0; k < 8; k++) assert_true(fabs(have[0][k] - have[1][k]) < 0.1);
}

static void write_text(world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* A run that ends within the middle fifth is assessed as far as it goes, and says so; limits that mean
 * nothing are refused instead of passed over. */
static void the_assessment_says_what_it_cannot_judge(void **state)
{
    world *w = *state;
    double value[8];
    assert_int_equal(run(w, "run", EXAMPLE("catenary-en50318"), "-q", "-o", "en.h5", "--end", "4"),
                     0);
    assessed(w, value);
    assert_says(w->err, "only a part of the line that is evaluated");
    assert_says(w->err, "figures cover 240.");
    assert_says(w->err, "to 287.");
    const struct {
        const char *limits, *words;
    } bad[] = {
        {"current_collection: {max_M: 300}\n", "l.yaml:1:22: current_collection has no entry "
                                               "'max_M'; did you mean 'max_N'?"},
        {"current_colection: {max_N: 300}\n", "did you mean 'current_collection'?"},
        {"current_collection: {max_N: 300 N}\n",
         "'max_N' must be a number that is not negative, not '300 N'"},
        {"current_collection: {max_N: -300}\n", "'max_N' must be a number that is not negative"},
        {"current_collection: {max_N: [1, 2]}\n", "'max_N' must be a number, not a list"},
        {"current_collection: {low_pass_hz: 900}\n", "can be filtered between 0 and 500 Hz"},
        {"- 1\n", "a limits file is a map of domains"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(w, "l.yaml", bad[i].limits);
        assert_int_equal(run(w, "assess", "en.h5", "--limits", "l.yaml"), 1);
        assert_says(w->err, bad[i].words);
    }
    /* a limit of zero that is met */
    write_text(w, "l.yaml", "current_collection: {contact_loss_percent: 0}\n");
    assert_int_equal(run(w, "assess", "en.h5", "--limits", "l.yaml"), 0);
    assert_int_equal(run(w, "assess", "--print-limits"), 0);
    write_text(w, "l.yaml", w->out);
    assert_int_equal(run(w, "assess", "en.h5", "--limits", "l.yaml"), 0);
}

/* Mean and sigma of a run of examples/catenary-roof; `set` may be NULL. */
static void collect_on_roof(world *w, const char *model, const char *set, double *mean,
                            double *sigma)
{
    double value[8];
    if (set) assert_int_equal(run(w, "run", model, "-q", "-o", "en.h5", "--set", set), 0);
    else assert_int_equal(run(w, "run", model, "-q", "-o", "en.h5"), 0);
    assessed(w, value);
    *mean = value[0], *sigma = value[1];
}

/* The base moves as the roof of a car: as a table of text, as the results of the car, and with the car
 * in the same model, on whose 32 t the pantograph has no effect. */
static void a_roof_moves_the_base_from_a_file_from_results_and_in_one_model(void **state)
{
    world *w = *state;
    char   set[512];
    double mean[4], sigma[4];
    assert_int_equal(
        run(w, "run", KL_SOURCE_DIR "/examples/catenary-roof/vehicle.yaml", "-q", "-o", "car.h5"),
        0);
    snprintf(set, sizeof set, "roof=%s", path_of(w, "car.h5"));
    collect_on_roof(w, EXAMPLE("catenary-roof"), NULL, &mean[0], &sigma[0]);
    collect_on_roof(w, EXAMPLE("catenary-roof"), set, &mean[1], &sigma[1]);
    collect_on_roof(w, KL_SOURCE_DIR "/examples/catenary-roof/together.yaml", NULL, &mean[2],
                    &sigma[2]);
    collect_on_roof(w, EXAMPLE("catenary-roof"), "share=0", &mean[3], &sigma[3]);
    for (int i = 0; i < 4; i++) print_message("mean %.3f N, sigma %.3f N\n", mean[i], sigma[i]);
    for (int i = 1; i < 3; i++) {
        assert_true(fabs(mean[i] - mean[0]) < 0.02);
        assert_true(fabs(sigma[i] - sigma[0]) < 0.02);
    }
    assert_true(fabs(sigma[3] - sigma[0]) > 0.1);
}

/* Figures over the values of a parameter are those of the assessment; the worst values are named. */
static void figures_are_printed_over_a_parameter(void **state)
{
    world *w = *state;
    double value[8], rows[6 * 9];
    assert_int_equal(run(w, "run", EXAMPLE("catenary-en50318"), "-q", "-o", "en.h5"), 0);
    assessed(w, value);
    assert_int_equal(run(w, "catenary", "figures", EXAMPLE("catenary-en50318"), "--csv", "--over",
                         "step=1ms,2ms"),
                     0);
    assert_says(w->out, "step,pantograph,mean_N,sigma_N,");
    const char *row = strstr(w->out, "\n1ms,1,");
    assert_non_null(row);
    assert_int_equal(numbers(row + 5, 9, rows, 1), 1);
    for (int k = 0; k < 8; k++) assert_true(fabs(rows[1 + k] - value[k]) < 1e-3 + 1e-5 * value[k]);
    assert_int_equal(run(w, "catenary", "figures", EXAMPLE("catenary-en50318"), "--set", "spans=10",
                         "--set", "count=2", "--over", "distance=40m,60m,80m"),
                     0);
    assert_says(w->out, "largest sigma of pantograph 2:");
    assert_says(w->out, "at distance = 60m");
    assert_int_equal(run(w, "catenary", "figures", EXAMPLE("catenary-en50318"), "--over", "step"),
                     2);
    assert_says(w->err, "--over needs NAME=VALUE,VALUE");
}

static void a_force_moves_over_a_wire_as_the_modal_series_has_it(void **state)
{
    world *w = *state;
    double want[60 * 10], have[1800 * 6], worst = 0.0;
    assert_int_equal(run(w, "run", EXAMPLE("tensioned-wire"), "-q", "-o", "w.h5"), 0);
    assert_int_equal(run(w, "export", "w.h5", "position_m", "w_load_m", "w_25m", "w_50m", "w_75m",
                         "-o", "w.csv"),
                     0);
    static char text[1 << 18];
    read_whole(path_of(w, "w.csv"), text, sizeof text);
    int m = numbers(text, 6, have, 1800), n = reference("moving_load_v0.5c.csv", 10, want, 60),
        hits = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k + 1 < m; k++) { /* rows on both sides of the reference time */
            double *a = have + 6 * k, *b = a + 6, t = want[10 * i];
            if (t < a[0] || t > b[0]) continue;
            double s = (t - a[0]) / (b[0] - a[0]);
            for (int c = 0; c < 4; c++)
                worst =
                    fmax(worst, fabs(a[2 + c] + s * (b[2 + c] - a[2 + c]) - want[10 * i + 6 + c]));
            hits++;
            break;
        }
    print_message("%d times, worst %.2e m\n", hits, worst);
    assert_true(hits > 20 && worst < 3e-4);
}

/* Largest difference of a column of a run from curves of wave_mass_reflection.csv, each `later`
 * seconds later, on which it is the sum. */
static double worst_difference(const double *have, int m, int column, const double *wave, int n,
                               const int *curve, const double *later, int ncurve)
{
    double worst = 0.0;
    for (int i = 0; i < m; i++) {
        double sum = 0.0;
        for (int k = 0; k < ncurve; k++) {
            double at   = (have[4 * i] - later[k]) / (wave[4] - wave[0]);
            int    left = (int)floor(at);
            if (left < 0 || left + 1 >= n) continue; /* no wave before and after */
            double s = at - left;
            sum += (1.0 - s) * wave[4 * left + curve[k]] + s * wave[4 * (left + 1) + curve[k]];
        }
        worst = fmax(worst, fabs(have[4 * i + column] - sum));
    }
    return worst;
}

/* The pulse of 10 mm that examples/tensioned-wire/pulse.yaml sends: before the mass the incident and
 * the reflected one, behind it the transmitted one (closed form, infinite string). */
static void a_mass_on_the_wire_reflects_and_transmits_the_pulse(void **state)
{
    world        *w = *state;
    static double wave[500 * 4], have[1000 * 4];
    static char   text[1 << 18];
    enum { INCIDENT = 1, TRANSMITTED, REFLECTED };
    const double c = sqrt(20e3 / 1.35), before[] = {10.0 / c, 30.0 / c}, behind = 30.0 / c;
    const int    both[] = {INCIDENT, REFLECTED}, passed = TRANSMITTED;
    int          n = reference("wave_mass_reflection.csv", 4, wave, 500);
    double       error[2];
    assert_true(n > 300);
    const char *const element[] = {"element=0.2m", "element=0.05m"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(w, "run", KL_SOURCE_DIR "/examples/tensioned-wire/pulse.yaml", "-q",
                             "--set", element[i], "-o", "p.h5"),
                         0);
        assert_int_equal(run(w, "export", "p.h5", "w_30m", "w_40m", "w_50m", "-o", "p.csv"), 0);
        read_whole(path_of(w, "p.csv"), text, sizeof text);
        int    m    = numbers(text, 4, have, 1000);
        double back = worst_difference(have, m, 1, wave, n, both, before, 2);
        double on   = worst_difference(have, m, 3, wave, n, &passed, &behind, 1);
        print_message("%s, %d rows: worst %.2e m before the mass, %.2e m behind it\n", element[i],
                      m, back, on);
        assert_true(m > 700);
        error[i] = fmax(back, on);
    }
    assert_true(error[1] < 2e-5 && error[0] > 2.0 * error[1]);
}

/* f = n/(2 L) sqrt(T/mu + EI/mu (n pi/L)^2), damping (alpha/omega + beta omega)/2. */
static void modes_of_a_wire_are_those_of_the_tensioned_beam(void **state)
{
    world       *w  = *state;
    const double pi = 3.14159265358979323846, T = 20e3, mu = 1.35, EI = 195.0, L = 100.0;
    double       rows[40 * 3], worst = 0.0;
    assert_int_equal(run(w, "catenary", "modes", EXAMPLE("tensioned-wire"), "--csv", "--count",
                         "30", "--set", "element=1m"),
                     0);
    assert_says(w->out, "mode,frequency_Hz,damping_ratio,largest_at_m,wire,direction\n");
    assert_int_equal(numbers(w->out, 3, rows, 40), 30);
    for (int i = 0; i < 30; i++) {
        double k = (i + 1) * pi / L, f = k / (2.0 * pi) * sqrt((T + EI * k * k) / mu);
        worst = fmax(worst, fabs(rows[3 * i + 1] / f - 1.0));
    }
    print_message("30 modes, elements of 1 m: worst error of the frequency %.2e\n", worst);
    assert_true(worst < 2e-5);
    FILE *f = fopen(path_of(w, "d.yaml"), "w");
    fputs(
        "klingel: 1\ncatenaries:\n  a: {layout: trolley, spans: 1, span_length: 100 m, "
        "contact_mass: 1.35 kg/m,\n"
        "      contact_tension: 20 kN, contact_bending: 195 N m2, contact_damping: [0.2, 0.001],\n"
        "      stagger: 0.1 m}\nbodies: {b: {type: point, mass: 1 kg}}\n",
        f);
    fclose(f);
    assert_int_equal(run(w, "catenary", "modes", "d.yaml", "--csv", "--count", "8"), 0);
    assert_int_equal(numbers(w->out, 3, rows, 40), 8);
    for (int i = 0; i < 8; i++) { /* each one vertical and lateral */
        double omega = 2.0 * pi * rows[3 * i + 1];
        assert_true(fabs(rows[3 * i + 1] - (i / 2 + 1) * sqrt(T / mu) / (2.0 * L)) < 2e-3);
        assert_true(fabs(rows[3 * i + 2] - 0.5 * (0.2 / omega + 0.001 * omega)) < 1e-6);
    }
    assert_says(w->out, "contact,lateral");
    assert_says(w->out, "contact,vertical");
    assert_int_equal(run(w, "modes", EXAMPLE("tensioned-wire")), 0);
    assert_says(w->err, "klingel catenary modes");
    assert_int_equal(run(w, "catenary", "modes", EXAMPLE("tensioned-wire"), "--count", "9999"), 1);
    assert_says(w->err, "its mesh resolves only");
}

static void expect(world *w, const char *set, const char *words)
{
    assert_int_equal(run(w, "run", EXAMPLE("catenary-en50318"), "-o", "x.h5", "--set", set), 1);
    assert_says(w->err, words);
    assert_says(w->err, "model.yaml:"); /* names the line */
}

static void bad_input_is_refused_with_a_remedy(void **state)
{
    world *w = *state;
    expect(w, "presag=0.9m", "would need a compressive force");
    expect(w, "step=0.02s", "too long for the contact");
    expect(w, "speed=1500m/s", "passes more than an element");
    FILE *f = fopen(path_of(w, "a.yaml"), "w");
    fputs("klingel: 1\n"
          "catenaries:\n"
          "  a: {span_length: 60 m, contact_mass: 1 kg/m, contact_tension: 0 N, droppers: [30]}\n"
          "  b: {span_length: 60 m, contact_mass: 1 kg/m, contact_tension: 20 kN, droppers: [30, "
          "70]}\n"
          "  c: {span_length: 60 m, contact_mass: 1 kg/m, contact_tension: 20 kN, droppers: [30],\n"
          "      encumbrance: 0.2 m}\n"
          "bodies: {b: {type: point, mass: 1 kg}}\n",
          f);
    fclose(f);
    assert_int_equal(run(w, "check", "a.yaml"), 1);
    assert_says(w->err, "a.yaml:3:3: catenary 'a': contact_tension is 0 N");
    assert_says(w->err, "a.yaml:4:3: catenary 'b': dropper 2 at 70 m is not inside the span");
    assert_says(w->err, "no room for the dropper at");
    f = fopen(path_of(w, "b.yaml"), "w");
    fputs("klingel: 1\n"
          "catenaries:\n"
          "  a: {spans: 2, span_length: 60 m, contact_mass: 1 kg/m, contact_tension: 20 kN,\n"
          "      droppers: [10, 20, 30, 40, 50]}\n"
          "forces:\n"
          "  p: {type: pantograph, catenary: a, on: ground, from: 10 m, speed: 80 m/s, uplift: 100 "
          "N,\n"
          "      masses: [7, 15], stiffness: [4200, 50], damping: [10, 90]}\n"
          "run: {end: 2 s}\n",
          f);
    fclose(f);
    assert_int_equal(run(w, "run", "b.yaml"), 1);
    assert_says(w->err, "b.yaml:6:3: force 'p': the line is too short: the run ends at x = 170 m");
}

/* The whole catenary is in the checkpoint: a run that was cut goes on with the same bits. */
static void a_run_that_is_cut_goes_on_with_the_same_bits(void **state)
{
    world      *w = *state;
    static char whole[1 << 16], parts[1 << 16];
    const char *model = EXAMPLE("catenary-en50318");
    assert_int_equal(run(w, "run", model, "-q", "--set", "spans=4", "--checkpoint", "0.1", "--end",
                         "0.3", "-o", "a.h5"),
                     0);
    assert_int_equal(run(w, "run", model, "-q", "--set", "spans=4", "--checkpoint", "0.1", "--end",
                         "0.25", "-o", "b.h5"),
                     0);
    assert_int_equal(run(w, "run", "-q", "--restart", "b.h5", "--end", "0.3"), 0);
    const char *const files[] = {"a.h5", "b.h5"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(w, "export", files[i], "contact_force_N", "head_height_m"), 0);
        snprintf(i ? parts : whole, sizeof whole, "%s", w->out);
        assert_int_equal(run(w, "export", files[i], "--field", "collector", "--from", "0.27"), 0);
        assert_says(w->out, "time_s,x_m,y_m,z_m,rise_m\n0.28,");
    }
    assert_string_equal(whole, parts);
    assert_true(strlen(whole) > 5000);
}

static void a_strip_that_starts_above_the_wire_is_refused(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "run", EXAMPLE("catenary-stitched"), "-o", "s.h5", "--set", "z=3.4m"),
                     1);
    assert_says(w->err, "starts above the contact wire");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(statics_are_printed_in_the_columns_of_the_reference),
        TEST(runs_give_the_figures_of_the_independent_simulation),
        TEST(the_assessment_gives_the_figures_of_current_collection),
        TEST(the_assessment_says_what_it_cannot_judge),
        TEST(both_couplings_give_the_same_assessment),
        TEST(a_roof_moves_the_base_from_a_file_from_results_and_in_one_model),
        TEST(figures_are_printed_over_a_parameter),
        TEST(a_force_moves_over_a_wire_as_the_modal_series_has_it),
        TEST(a_mass_on_the_wire_reflects_and_transmits_the_pulse),
        TEST(modes_of_a_wire_are_those_of_the_tensioned_beam),
        TEST(bad_input_is_refused_with_a_remedy),
        TEST(a_run_that_is_cut_goes_on_with_the_same_bits),
        TEST(a_strip_that_starts_above_the_wire_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
