/* `klingel rail profile` and `klingel rail conicity` as a user calls them. */
#include "unit/cli/run_program.h"

#define REFERENCE KL_SOURCE_DIR "/tests/data/reference/wheel-rail/"

static double cell(const char *line, int column)
{
    for (; column > 0; column--) line = strchr(line, ',') + 1;
    return atof(line);
}

/* The row of a table of text whose first cell is `first`. */
static const char *row_of(const char *text, const char *first)
{
    size_t n = strlen(first);
    for (const char *p = text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        if (strncmp(p, first, n) == 0 && p[n] == ',') return p;
    fail_msg("no row %s", first);
    return NULL;
}

static void the_table_has_the_columns_and_values_of_the_reference(void **state)
{
    world      *w = *state;
    static char reference[1 << 16];
    read_whole(REFERENCE "rrd_S1002_60E1_1in40.csv", reference, sizeof reference);
    assert_int_equal(run(w, "rail", "profile", "S1002", "60E1", "--inclination", "1:40", "--csv"),
                     0);
    assert_int_equal(strcspn(w->out, "\n"), strcspn(reference, "\r\n"));
    assert_memory_equal(w->out, reference, strcspn(reference, "\r\n"));
    static const char *const shifts[] = {"0.0", "0.2", "0.3", "3.0", "4.9", "5.0", "6.2", "6.3"};
    for (int i = 0; i < 8; i++) {
        const char *have = row_of(w->out, shifts[i]), *want = row_of(reference, shifts[i]);
        assert_close(cell(have, 1), cell(want, 1), 2e-2);
        assert_close(cell(have, 6), cell(want, 6), 0.02);
    }
}

static void conicity_is_printed_over_amplitude(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "rail", "profile", "S1002", "60E1", "--conicity"), 0);
    assert_close(cell(row_of(w->out, "3.0"), 1), 0.177, 5e-4);
    assert_close(cell(row_of(w->out, "3.0"), 2), 0.1786, 2e-4);
    assert_int_equal(run(w, "rail", "conicity", REFERENCE "rrd_S1002_60E1_1in40.csv"), 0);
    assert_close(cell(row_of(w->out, "3"), 1), 0.177, 5e-4);
    assert_int_equal(run(w, "rail", "conicity", REFERENCE "en15302_delta_r.csv"), 0);
    assert_says(w->out, "case,amplitude_mm,tan_gamma_e_wavelength_method,tan_gamma_e_harmonic");
    assert_says(w->out, "\nE2,3,");
}

static void a_cone_has_its_own_conicity(void **state)
{
    world *w = *state;
    assert_int_equal(
        run(w, "rail", "profile", "cone:1/20", "arc:300mm", "--inclination", "0", "--conicity"), 0);
    /* roll moves the contact a little: 0.05 l0/(l0 - r tan(gamma)) */
    assert_close(cell(row_of(w->out, "3.0"), 1), 0.05, 3e-3);
}

static void the_report_says_jumps_and_what_was_read(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "rail", "profile", "S1002", REFERENCE "rail_60E1_head.csv"), 0);
    assert_says(w->out, "y towards the field side, z up");
    assert_says(w->out, "contact jumps");
    assert_says(w->out, "by the wavelength (EN 15302)");
}

static void mistakes_are_told_with_a_remedy(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "rail", "profile", "S1003", "60E1"), 1);
    assert_says(w->err, "did you mean `S1002`?");
    assert_int_equal(run(w, "rail", "profile", "S1002", "60E1", "--gauge", "1400mm"), 1);
    assert_says(w->err, "does not fit the track");
    assert_int_equal(run(w, "rail", "profile", "S1002", "60E1", "--gauge", "1435kg"), 2);
    assert_says(w->err, "is not a length");
    assert_int_equal(run(w, "rail", "profile", "S1002", "60E1", "--inclination", "steep"), 2);
    assert_int_equal(run(w, "rail", "profile", "cone", "60E1"), 1);
    assert_says(w->err, "cone:1/20");
    assert_int_equal(run(w, "rail", "profile", "S1002"), 2);
}

/* Two wheels on one rail: both conicities are printed, the page has every figure with both curves. */
static void a_second_wheel_is_drawn_over_the_first(void **state)
{
    world *w = *state;
    char   text[1 << 16];
    assert_int_equal(
        run(w, "rail", "profile", "S1002", "60E1", "--over", "cone:1/20", "--figures", "f"), 0);
    const char *at = strstr(w->out, "(EN 15302): ");
    assert_non_null(at);
    assert_close(atof(at + 12), 0.1771, 5e-4);
    at = strstr(at, "S1002, ");
    assert_non_null(at);
    assert_true(atof(at + 7) > 0.045 && atof(at + 7) < 0.06);
    read_whole(path_of(w, "f/rolling-radius.svg"), text, sizeof text);
    assert_non_null(strstr(text, "cone:1/20"));
    read_whole(path_of(w, "f/index.html"), text, sizeof text);
    assert_non_null(strstr(text, "<svg"));
    assert_null(strstr(text, "<?xml"));
    assert_int_equal(run(w, "rail", "profile", "S1002", "60E1", "--over", "nothing.whl"), 1);
    assert_non_null(strstr(w->err, "nothing.whl"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_table_has_the_columns_and_values_of_the_reference,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(conicity_is_printed_over_amplitude, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cone_has_its_own_conicity, setup, teardown),
        cmocka_unit_test_setup_teardown(the_report_says_jumps_and_what_was_read, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_are_told_with_a_remedy, setup, teardown),
        cmocka_unit_test_setup_teardown(a_second_wheel_is_drawn_over_the_first, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
