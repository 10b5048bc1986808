#include "base/units.h"

#include <stdlib.h>
#include <string.h>

#include "unit/test.h"

static double factor_of(const char *text)
{
    double factor = NAN;
    if (!kl_unit_parse(text, &factor, NULL)) fail_msg("`%s` is not read as a unit", text);
    return factor;
}

static void same(const char *a, const char *b)
{
    if (!kl_dim_equal(kl_dim_of(a), kl_dim_of(b))) fail_msg("%s and %s differ in dimension", a, b);
    assert_close(factor_of(a) / factor_of(b), 1, 1e-14);
}

static void units_agree_with_their_definitions(void **unused)
{
    (void)unused;
    same("N", "kg m/s2");
    same("Pa", "N/m2");
    same("J", "N m");
    same("W", "J/s");
    same("kWh", "kW h");
    same("V", "W/A");
    same("ohm", "V/A");
    same("\xce\xa9", "ohm");
    same("C", "A s");
    same("F", "C/V");
    same("Wb", "V s");
    same("T", "Wb/m2");
    same("H", "Wb/A");
    same("rpm", "rev/min");
    same("rev", "turn");
    same("\xc2\xb0/s", "deg/s");
    same("Hz", "1/s");
    same("s^-1", "1/s");
    same("N mm2/mm", "mN m");
    same("t/m3", "kg/dm3");
    same("l", "dm3");
    same("ml", "cm3");
    same("\xc2\xb5m", "um");
    same("\xce\xbcm", "um");
    same("N\xc2\xb7m", "N m");
    same("m\xc2\xb2", "m2");
    same("m\xc2\xb3", "m^3");
    same("m/s/s", "m/s2");
    same("J/(kg K)", "J/kg/K");
    same("mi", "mph h");
    same("psi", "lbf/in2");
    same("N/mm", "kN/m");
    same("N/m^1.5", "N/m1.5");
    assert_close(factor_of("km/h"), 1 / 3.6, 1e-16);
    assert_close(factor_of("deg"), acos(-1) / 180, 1e-17);
    assert_close(factor_of("rev"), 2 * acos(-1), 1e-15);
    assert_close(factor_of("bar"), 1e5, 0);
    assert_close(factor_of("lbf"), 0.45359237 * 9.80665, 1e-14); /* the pound at standard gravity */
    assert_close(factor_of("ft"), 12 * 0.0254, 1e-16);
    assert_close(factor_of("%"), 0.01, 0);
    assert_close(factor_of("\xe2\x80\xb0"), 0.001, 0);
    assert_close(factor_of("MN/m"), 1e6, 0);
    assert_close(factor_of(""), 1, 0);
    assert_close(factor_of("1"), 1, 0);
    assert_close(factor_of("  kg m2 "), 1, 0);
}

static void what_is_no_unit_is_refused_and_changes_nothing(void **unused)
{
    (void)unused;
    static const char *const bad[] = {
        "x",    "Mm",    "ks",   "mrpm", "N/",     "/s", "N//m",  "N / m", "J/kg K", "m^0",
        "m0",   "m^1.3", "m^64", "m99",  "m2.5.5", "m_", "m2x",   "2",     "1 m",    "11",
        "N*m",  "(m)",   "1/",   "1/(s", "m\xc2",  "%%", "m^",    "m^x",   "m^2^2",  "N m)",
        "m\n/", "kkg",   "kmin", "mmm",  "min(",   "n",  "1/(s)", "F63",   "pF63",   "km^63 km^63",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double factor = 7;
        kl_dim dim = {.e = {1, 2, 3, 4, 5, 6}}, before = dim;
        if (kl_unit_parse(bad[i], &factor, &dim)) fail_msg("`%s` is taken for a unit", bad[i]);
        assert_true(factor == 7 && kl_dim_equal(dim, before));
    }
}

static void every_suggested_unit_is_a_unit(void **unused)
{
    (void)unused;
    for (const char *const *n = kl_unit_names(); *n; n++)
        assert_true(kl_unit_parse(*n, NULL, NULL));
}

static void any_dimension_reads_back_from_its_text(void **unused)
{
    (void)unused;
    srand(1);
    for (int k = 0; k < 20000; k++) {
        kl_dim d      = {{0}};
        int    widest = k < 10000 ? 4 : 127;
        for (int i = 0; i < KL_NDIM; i++)
            if (rand() % 2) d.e[i] = (signed char)(rand() % (2 * widest + 1) - widest);
        char   text[KL_UNIT_TEXT];
        double factor;
        kl_dim back;
        kl_unit_format(d, text, sizeof text);
        if (!kl_unit_parse(text, &factor, &back) || !kl_dim_equal(d, back))
            fail_msg("`%s` does not read back", text);
        assert_close(factor, 1, 0);
    }
}

static void formatted_units_are_those_an_engineer_writes(void **unused)
{
    (void)unused;
    static const char *const pairs[][2] = {
        {"kN/mm", "N/m"},
        {"kg m2/s2", "N m"},
        {"kN m/deg", "N m/rad"},
        {"kg/s", "N s/m"},
        {"m/s2", "m/s2"},
        {"rpm", "rad/s"},
        {"t mm2", "kg m2"},
        {"Hz", "1/s"},
        {"MPa", "Pa"},
        {"kg m2/s3", "W"},
        {"%", ""},
        {"m rad/s", "m rad/s"},
        {"N m s/deg", "N m s/rad"},
        {"J/(kg K)", "m2/(s2 K)"},
        {"1/(s3 m^0.5)", "1/(m^0.5 s3)"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[KL_UNIT_TEXT];
        kl_unit_format(kl_dim_of(pairs[i][0]), text, sizeof text);
        assert_string_equal(text, pairs[i][1]);
    }
    char tiny[3];
    kl_unit_format(kl_dim_of("kg m2"), tiny, sizeof tiny);
    assert_string_equal(tiny, "kg");
    assert_string_equal(kl_dim_word(kl_dim_of("kN")), "a force");
    assert_string_equal(kl_dim_word(kl_dim_of("MN/m")), "a stiffness");
    assert_string_equal(kl_dim_word(kl_dim_of("%")), "a number");
    assert_null(kl_dim_word(kl_dim_of("kg5")));
}

static void fits(const char *have, const char *want, bool expected)
{
    bool got = kl_dim_fits(kl_dim_of(have), kl_dim_of(want));
    if (got != expected) fail_msg("%s %s %s", have, got ? "fits" : "does not fit", want);
    if (got) assert_null(kl_dim_hint(kl_dim_of(have), kl_dim_of(want)));
}

static void rad_is_dropped_where_that_is_a_habit_and_never_added(void **unused)
{
    (void)unused;
    fits("m rad/s", "m/s", true);       /* r omega */
    fits("kg m2 rad2/s2", "N m", true); /* J omega^2 */
    fits("N m rad/s", "W", true);       /* torque times omega */
    fits("rad2/s2", "rad/s2", true);    /* omega times omega */
    fits("m rad2/s2", "m/s2", true);    /* r omega^2 */
    fits("1/s", "rad/s", false);        /* Hz is not rad/s */
    fits("rad/s", "1/s", false);        /* nor the other way round: a factor of 2 pi */
    fits("rad", "", false);             /* 90 deg is not a friction coefficient */
    fits("", "rad", false);
    fits("N m", "N m/rad", false);
    fits("N m/rad", "N m", false);
    fits("m/s", "m rad/s", false);
    fits("kg", "m", false);
    assert_non_null(kl_dim_hint(kl_dim_of("1/s"), kl_dim_of("rad/s")));
    assert_non_null(kl_dim_hint(kl_dim_of("rad/s"), kl_dim_of("1/s")));
    assert_non_null(kl_dim_hint(kl_dim_of("N m/rad"), kl_dim_of("N m")));
    assert_null(kl_dim_hint(kl_dim_of("kg"), kl_dim_of("N m")));
    kl_quantity bare = {.value = 3, .bare = true}, pure = {.value = 3};
    assert_true(kl_quantity_fits(bare, kl_dim_of("N/m")));
    assert_true(kl_quantity_fits(pure, kl_dim_of("%")));
    assert_false(kl_quantity_fits(pure, kl_dim_of("N/m")));
}

static void powers_are_halves_within_their_range(void **unused)
{
    (void)unused;
    kl_dim d;
    assert_true(kl_dim_power(kl_dim_of("m2/s2"), 0.5, &d) && kl_dim_equal(d, kl_dim_of("m/s")));
    assert_true(kl_dim_power(kl_dim_of("m"), 1.5, &d) && kl_dim_equal(d, kl_dim_of("m^1.5")));
    assert_true(kl_dim_power(kl_dim_of("m3"), 1.0 / 3, &d) && kl_dim_equal(d, kl_dim_of("m")));
    assert_false(kl_dim_power(kl_dim_of("m"), 0.3, &d));
    assert_false(kl_dim_power(kl_dim_of("m"), 64, &d));
    assert_false(kl_dim_power(kl_dim_of("m"), NAN, &d));
    assert_false(kl_dim_power(kl_dim_of("m"), INFINITY, &d));
    assert_false(kl_dim_combine(kl_dim_of("m60"), kl_dim_of("m4"), 1, &d));
    assert_true(kl_dim_combine(kl_dim_of("m60"), kl_dim_of("m4"), -1, &d));
}

static void a_chain_behind_a_number_is_as_long_as_it_can_be(void **unused)
{
    (void)unused;
    static const struct {
        const char         *text;
        kl_unit_scan_result result;
        size_t              used;
    } cases[] = {
        {" kN s/m + 3", KL_UNIT_FOUND, 7},
        {"m/L", KL_UNIT_FOUND, 1},
        {"m*m", KL_UNIT_FOUND, 1},
        {"m / s", KL_UNIT_FOUND, 1},
        {"m L", KL_UNIT_FOUND, 1},
        {"L", KL_UNIT_NONE, 0},
        {"", KL_UNIT_NONE, 0},
        {" 1/s", KL_UNIT_FOUND, 4},
        {" 1/40", KL_UNIT_NONE, 0},
        {"J/(kg K)*2", KL_UNIT_FOUND, 8},
        {"N/(m)", KL_UNIT_FOUND, 1},
        {"N/(m L)", KL_UNIT_FOUND, 1},
        {"J/kg K", KL_UNIT_AMBIGUOUS, 5},
        {"m^x", KL_UNIT_POWER, 1},
        {"m^2^2", KL_UNIT_POWER, 3},
        {"N min(2)", KL_UNIT_FOUND, 1},
        {"m-2", KL_UNIT_FOUND, 1},
        {"% ", KL_UNIT_FOUND, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t used = 0;
        double factor;
        kl_dim dim;
        if (kl_unit_scan(cases[i].text, &used, &factor, &dim) != cases[i].result ||
            used != cases[i].used)
            fail_msg("`%s`: used %zu", cases[i].text, used);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_agree_with_their_definitions),
        cmocka_unit_test(what_is_no_unit_is_refused_and_changes_nothing),
        cmocka_unit_test(every_suggested_unit_is_a_unit),
        cmocka_unit_test(any_dimension_reads_back_from_its_text),
        cmocka_unit_test(formatted_units_are_those_an_engineer_writes),
        cmocka_unit_test(rad_is_dropped_where_that_is_a_habit_and_never_added),
        cmocka_unit_test(powers_are_halves_within_their_range),
        cmocka_unit_test(a_chain_behind_a_number_is_as_long_as_it_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
