#include "unit/test.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static double number(const char *text)
{
    double      v   = -777.0;
    const char *end = text + strlen(text);
    assert_ptr_equal(kl_scan_number(text, end, &v), end);
    return v;
}

static void same_bits(const char *text)
{
    double a = number(text), b = strtod(text, NULL);
    if (memcmp(&a, &b, sizeof a) != 0) fail_msg("'%s' gave %.17g, strtod %.17g", text, a, b);
}

static uint64_t next(uint64_t *state) /* splitmix64 */
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z          = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z          = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void every_number_rounds_like_strtod(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    char     text[64];
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next(&state);
        double   v;
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v)) continue;
        snprintf(text, sizeof text, "%.*g", 1 + (int)(next(&state) % 20), v);
        same_bits(text);
    }
    for (int i = 0; i < 100000; i++) { /* what meshes are full of */
        uint64_t r = next(&state);
        int      n = (int)(r % 19), e = (int)(r >> 32) % 60 - 30;
        snprintf(text, sizeof text, "%s%" PRIu64 ".%0*" PRIu64 "e%d", r & 64 ? "-" : "",
                 next(&state) % 1000000000u, n, next(&state) % 1000000000u, e);
        same_bits(text);
    }
}

static void hard_cases_round_right(void **unused)
{
    (void)unused;
    static const char *const hard[] = {
        "9007199254740993", /* 2^53 + 1: half way, to even */
        "9007199254740995",
        "9007199254740992999999999",
        "9007199254740993.00000000000000000000000000000000000000000001",
        "0.500000000000000166533453693773481063544750213623046875",
        "3.518437208883201171875e13",
        "62.5364939768271845828",
        "8.10109172351e-10",
        "1.7976931348623157e308",
        "1.7976931348623159e308", /* overflows */
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324", /* just below half the smallest */
        "2.4703282292062328e-324",
        "0.000000000000000000000000000000000000000000000000000000000000000000001e70",
        "100000000000000000000000000000000000000000000000000e-50",
        "1e99999999999",
        "1e-99999999999",
        "0e999999999999",
        "-0.0",
        ".5",
        "5.",
        "+7",
    };
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) same_bits(hard[i]);
}

static void a_thousand_digits_decide_a_half_way_case(void **unused)
{
    (void)unused;
    char text[1200] = "9007199254740993.";
    memset(text + 17, '0', 1000);
    same_bits(text); /* exactly half way: to even, down */
    text[1010] = '1';
    same_bits(text); /* a hair above: up */
    assert_true(number(text) == 9007199254740994.0);
}

static void the_locale_changes_nothing(void **unused)
{
    (void)unused;
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    for (size_t i = 0; i < sizeof comma / sizeof *comma; i++)
        if (setlocale(LC_NUMERIC, comma[i])) break;
    assert_true(number("62.5364939768271845828") == 62.5364939768271845828);
    assert_true(number("1.25") == 1.25);
    setlocale(LC_NUMERIC, "C");
}

static void other_programs_exponents_are_read(void **unused)
{
    (void)unused;
    double      v;
    const char *text = "1.5-3";
    assert_ptr_equal(kl_scan_number_bare_exponent(text, text + 5, &v), text + 5);
    assert_true(v == 1.5e-3);
    assert_ptr_equal(kl_scan_number(text, text + 5, &v), text + 3);
    assert_true(v == 1.5);
    assert_true(number("1.5D+3") == 1500.0);
    assert_true(isnan(number("NaN")));
    assert_true(number("-inf") == -(double)INFINITY);
    const char *dofs = "12dofs"; /* the letter is not of an exponent */
    assert_ptr_equal(kl_scan_number(dofs, dofs + 6, &v), dofs + 2);
}

static void what_is_no_number_is_refused(void **unused)
{
    (void)unused;
    static const char *const bad[] = {"", "-", ".", "+.", "e5", "abc", "-e", " 1"};
    double                   v;
    long long                n;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(kl_scan_number(bad[i], bad[i] + strlen(bad[i]), &v));
        assert_null(kl_scan_integer(bad[i], bad[i] + strlen(bad[i]), &n));
    }
    const char *big = "99999999999999999999";
    assert_null(kl_scan_integer(big, big + strlen(big), &n));
    const char *fine = "-9223372036854775807,";
    assert_ptr_equal(kl_scan_integer(fine, fine + strlen(fine), &n), fine + strlen(fine) - 1);
    assert_true(n == -9223372036854775807LL);
}

static void nothing_behind_the_end_is_touched(void **unused)
{
    (void)unused;
    const char *text = "12.5e37";
    double      v;
    assert_ptr_equal(kl_scan_number(text, text + 2, &v), text + 2);
    assert_true(v == 12.0);
    assert_ptr_equal(kl_scan_number(text, text + 5, &v), text + 4); /* the e has no digits */
    assert_true(v == 12.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_rounds_like_strtod),
        cmocka_unit_test(hard_cases_round_right),
        cmocka_unit_test(a_thousand_digits_decide_a_half_way_case),
        cmocka_unit_test(the_locale_changes_nothing),
        cmocka_unit_test(other_programs_exponents_are_read),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(nothing_behind_the_end_is_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
