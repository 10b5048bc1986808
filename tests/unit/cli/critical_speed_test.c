/* `klingel critical-speed --shooting`: limit cycles over speed with Floquet multipliers. */
#include "unit/cli/run_program.h"
#include "unit/railway/wheel_rail_reference.h"

#include <math.h>
#include <stdlib.h>

/* Value of a column of the branch at an amplitude [mm]: the reference has the amplitude ascending. */
static double reference_over_amplitude(const reference *r, const char *column, double A)
{
    for (int i = 0; i + 1 < r->nrow; i++) {
        double a = reference_at(r, i, "A_mm"), b = reference_at(r, i + 1, "A_mm");
        if (A < a || A > b) continue;
        double u = reference_at(r, i, column), v = reference_at(r, i + 1, column);
        return u + (v - u) * (A - a) / (b - a);
    }
    fail_msg("amplitude %g mm is not in the reference", A);
    return NAN;
}

/* The row that begins with `kind`; NULL: none. */
static const char *row_of(const char *text, const char *kind, double v[3])
{
    const char *at = strstr(text, kind);
    if (!at) return NULL;
    at   = strstr(at, "  ");
    v[0] = atof(at);
    at   = strstr(at, "m/s") + 3;
    v[1] = atof(at);
    at   = strstr(at, "amplitude") + 9;
    v[2] = atof(at);
    return at;
}

/* Reference vehicles-nonlinear, case C4, found there by shooting with another integrator. Where the
 * largest shift is about the clearance of 6 mm the branch has a sharp bend, between points of the
 * reference that are too far apart to interpolate. */
static void shooting_follows_both_branches_of_the_reference(void **state)
{
    world      *w     = *state;
    const char *model = KL_SOURCE_DIR "/examples/hunting-limit-cycle/model.yaml", *at = NULL;
    reference   r      = reference_read("vehicles-nonlinear/cone_branch_C4.csv");
    int         stable = 0, unstable = 0;
    double      v[3] = {0};
    assert_int_equal(run(w, "critical-speed", model, "--from", "65", "--to", "66.5", "--step",
                         "0.5", "--settle", "4", "--shooting"),
                     0);
    for (const char *p = w->out; (p = strstr(p, "stable  ")) != NULL; p = at) {
        bool is_unstable = p[-1] == 'n';
        at               = row_of(p, "stable", v);
        if (v[2] > 5.97 && v[2] < 6.13) continue;
        double multiplier = atof(strstr(at, "multiplier") + 10);
        double want       = reference_over_amplitude(&r, "largest_multiplier_per_period", v[2]);
        assert_close(v[0] / reference_over_amplitude(&r, "V_m_per_s", v[2]), 1.0, 2e-4);
        assert_close(v[1] / reference_over_amplitude(&r, "f_Hz", v[2]), 1.0, 5e-4);
        assert_close(multiplier, want, 0.02);
        assert_int_equal(is_unstable, want > 1.0);
        is_unstable ? unstable++ : stable++;
    }
    assert_true(stable >= 2 && unstable >= 3);
    double falling[3] = {0};
    assert_non_null(row_of(w->out, "fold", v));
    assert_non_null(row_of(w->out, "nonlinear", falling));
    print_message("fold %.4f m/s, %.4f mm; reference 65.3255 m/s, 6.1176 mm; falling speed %.4f\n",
                  v[0], v[2], falling[0]);
    assert_close(v[0], 65.3255, 0.02);
    assert_close(v[2], 6.1176, 0.03);
    assert_close(falling[0], v[0], 0.1);
    reference_free(&r);
}

/* Carter's formula gives 74.26 m/s. With wheels that roll on rails, no gravity and a wheelset exactly in the middle there is
 * nothing but rounding that accelerates it at the start: that is an equilibrium too. */
static void both_contacts_have_the_critical_speed_of_carter(void **state)
{
    world             *w         = *state;
    const char        *model     = KL_SOURCE_DIR "/examples/carter-wheelset/model.yaml";
    static const char *contact[] = {"contact=linear", "contact=general"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(w, "critical-speed", model, "--linear", "--set", contact[i]), 0);
        const char *row = strstr(w->out, "linear");
        assert_non_null(row);
        assert_close(atof(row + strlen("linear")), 74.26, 0.2);
    }
}

static int commas(const char *line)
{
    int n = 0;
    for (; *line && *line != '\n'; line++) n += *line == ',';
    return n;
}

/* Multipliers are a fifth column, only when they are asked for. */
static void csv_has_multipliers_when_asked_for(void **state)
{
    world      *w     = *state;
    const char *model = KL_SOURCE_DIR "/examples/hunting-limit-cycle/model.yaml";
    int         known = 0;
    assert_int_equal(run(w, "critical-speed", model, "--from", "65", "--to", "66", "--step", "0.5",
                         "--settle", "3", "--shooting", "--csv", "--multipliers"),
                     0);
    const char *line = strchr(w->out, '\n');
    assert_ptr_equal(
        strstr(w->out, "kind,speed_m_per_s,frequency_hz,amplitude_m,floquet_multiplier\n"), w->out);
    for (; line && line[1]; line = strchr(line + 1, '\n')) {
        const char *end = line + 1;
        assert_int_equal(commas(line + 1), 4);
        for (int k = 0; k < 4; k++) end = strchr(end, ',') + 1;
        bool stable   = !strncmp(line + 1, "stable,", 7),
             unstable = !strncmp(line + 1, "unstable,", 9);
        assert_int_equal(stable || unstable, *end != '\n');
        if (stable || unstable) assert_int_equal(stable, atof(end) < 1.0), known++;
    }
    assert_true(known >= 3);
    assert_int_equal(run(w, "critical-speed", model, "--linear", "--csv"), 0);
    assert_ptr_equal(strstr(w->out, "kind,speed_m_per_s,frequency_hz,amplitude_m\n"), w->out);
}

static const char *const carter = KL_SOURCE_DIR "/examples/carter-wheelset/model.yaml";

/* Carter's wheelset is unstable from 74.26 m/s on. Where the search begins above, it goes down, and a model that is
 * unstable at every speed, such as a free wheelset, is an error. */
static void a_search_that_begins_unstable_goes_down(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "critical-speed", carter, "--linear", "--from", "90", "--to", "95"), 0);
    assert_null(strstr(w->out, "stable from"));
    assert_close(atof(strstr(w->out, "linear") + 6), 74.2595, 1e-3);
    assert_says(w->err, "unstable at 90 m/s already");
    assert_int_equal(run(w, "critical-speed", carter, "--linear", "--from", "90", "--csv"), 0);
    assert_close(atof(strstr(w->out, "linear,") + 7), 74.2595, 1e-3);
    assert_int_equal(run(w, "critical-speed", carter, "--linear", "--to", "70"), 0);
    assert_says(w->out, "stable from 10 to 70 m/s");
    assert_int_equal(
        run(w, "critical-speed", carter, "--linear", "--set", "ky=0", "--set", "kpsi=0"), 1);
    assert_says(w->err, "at every speed down to");
}

/* The friction springs of the wagon and its wheels that roll leave twelve eigenvalues of zero; their rounding noise is no
 * instability. */
static void eigenvalues_of_zero_do_not_grow(void **state)
{
    world      *w     = *state;
    const char *model = KL_SOURCE_DIR "/examples/freight-wagon/model.yaml";
    assert_int_equal(run(w, "critical-speed", model, "--linear", "--to", "12"), 0);
    assert_says(w->out, "stable from 10 to 12 m/s");
}

/* The limit cycle of the cone with flanges exists down to 65.3 m/s (reference vehicles-nonlinear, case C4): a search
 * down to 66 m/s has not found its end. */
static void a_cycle_at_the_lowest_speed_is_no_critical_speed(void **state)
{
    world      *w     = *state;
    const char *model = KL_SOURCE_DIR "/examples/hunting-limit-cycle/model.yaml";
    assert_int_equal(run(w, "critical-speed", model, "--from", "66", "--to", "66.5", "--step",
                         "0.5", "--settle", "4"),
                     0);
    assert_says(w->out, "nonlinear: below 66 m/s");
    assert_int_equal(run(w, "critical-speed", model, "--from", "66", "--to", "66.5", "--step",
                         "0.5", "--settle", "4", "--csv"),
                     0);
    assert_null(strstr(w->out, "nonlinear"));
    assert_says(w->err, "nonlinear: below 66 m/s");
}

/* Above the linear critical speed a model that starts in its equilibrium hunts too, once it is disturbed. */
static void a_start_in_the_equilibrium_is_disturbed(void **state)
{
    world      *w     = *state;
    const char *model = KL_SOURCE_DIR "/examples/hunting-limit-cycle/model.yaml";
    assert_int_equal(run(w, "critical-speed", model, "--set", "y0=0", "--from", "80", "--to", "90",
                         "--step", "10", "--settle", "4"),
                     0);
    assert_says(w->out, "limit-cycle");
    assert_null(strstr(w->out, "decays"));
    assert_says(w->err, "starts in its equilibrium");
}

/* A bogie with S1002 wheels, about a minute: the motion ends at the fold of the branch. */
static void both_ways_to_the_nonlinear_critical_speed_agree(void **state)
{
    world      *w       = *state;
    const char *model   = KL_SOURCE_DIR "/examples/bogie-hunting/model.yaml";
    double      fold[3] = {0}, falling[3] = {0}, edge[3] = {0};
    if (!getenv("KL_SLOW")) {
        skip();
        return;
    }
    assert_int_equal(run(w, "critical-speed", model, "--set", "wheels=S1002", "--from", "24",
                         "--to", "32", "--step", "2", "--settle", "5", "--shooting"),
                     0);
    assert_non_null(row_of(w->out, "nonlinear", falling));
    assert_non_null(row_of(w->out, "fold", fold));
    assert_non_null(row_of(w->out, "unstable", edge));
    print_message("falling speed %.3f m/s, fold %.3f m/s\n", falling[0], fold[0]);
    assert_close(falling[0] / fold[0], 1.0, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_contacts_have_the_critical_speed_of_carter, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(shooting_follows_both_branches_of_the_reference, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(csv_has_multipliers_when_asked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(a_search_that_begins_unstable_goes_down, setup, teardown),
        cmocka_unit_test_setup_teardown(eigenvalues_of_zero_do_not_grow, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cycle_at_the_lowest_speed_is_no_critical_speed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_start_in_the_equilibrium_is_disturbed, setup, teardown),
        cmocka_unit_test_setup_teardown(both_ways_to_the_nonlinear_critical_speed_agree, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
