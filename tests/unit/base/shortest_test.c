#include "unit/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shortest.h"

static void known_numbers_look_as_a_person_writes_them(void **state)
{
    (void)state;
    const struct {
        double      value;
        const char *text;
    } known[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0, "1"},
        {-2.5, "-2.5"},
        {0.1, "0.1"},
        {100.0, "100"},
        {123456789.0, "123456789"},
        {0.30000000000000004, "0.30000000000000004"},
        {1.0 / 3.0, "0.3333333333333333"},
        {1e-4, "0.0001"},
        {1e-5, "1e-05"},
        {1.5e-7, "1.5e-07"},
        {9.9999999999999995e22, "1e+23"},
        {1e300, "1e+300"},
        {999999999999999.9, "999999999999999.9"},
        {9007199254740993.0, "9007199254740992"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {5e-324, "4.94065645841247e-324"},
        {(double)NAN, "nan"},
        {HUGE_VAL, "inf"},
        {-HUGE_VAL, "-inf"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[KL_SHORTEST];
        assert_int_equal(kl_print_shortest(text, known[i].value), (int)strlen(known[i].text));
        assert_string_equal(text, known[i].text);
    }
}

/* Random bits, and numbers that a person would type. */
static void every_number_reads_back_and_is_no_longer_than_17_digits_are(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 300000; i++) {
        char   text[KL_SHORTEST], long_text[40];
        double value;
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        if (i % 3 == 0) value = (double)(int64_t)(x % 2000001 - 1000000) / 1000.0;
        else if (i % 3 == 1) value = ldexp((double)(x >> 11), (int)(x % 60) - 80);
        else memcpy(&value, &x, sizeof value);
        if (!isfinite(value)) continue;
        int n = kl_print_shortest(text, value);
        assert_true(strtod(text, NULL) == value);
        assert_true(n <= snprintf(long_text, sizeof long_text, "%.17g", value));
        if (i % 3 == 0) assert_true(n <= 8); /* -999.999 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers_look_as_a_person_writes_them),
        cmocka_unit_test(every_number_reads_back_and_is_no_longer_than_17_digits_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
