#include "post/chart.h"

#include <string.h>

#include "unit/test.h"

static void steps_are_one_two_or_five_times_a_power_of_ten(void **unused)
{
    (void)unused;
    assert_close(kl_chart_step(1.0, 5), 0.2, 1e-15);
    assert_close(kl_chart_step(7.0, 8), 1.0, 1e-15);
    assert_close(kl_chart_step(4200.0, 10), 500.0, 1e-9);
    assert_close(kl_chart_step(3e-5, 6), 5e-6, 1e-18);
    assert_true(kl_chart_step(0.0, 5) > 0.0 && kl_chart_step((double)NAN, 5) > 0.0);
}

static void a_chart_of_gaps_and_constants_holds_no_nan(void **unused)
{
    (void)unused;
    double x[5] = {0, 1, 2, 3, 4}, gap[5] = {1, (double)NAN, 3, (double)INFINITY, 5},
           flat[5] = {7, 7, 7, 7, 7};
    kl_chart c     = {.x_label = "t",
                      .y_label = "<y>",
                      .x       = x,
                      .n       = 5,
                      .ncurve  = 2,
                      .curves  = {{.name = "a & b", .y = gap}, {.name = "flat", .y = flat}}};
    kl_text  t     = {0};
    kl_chart_add(&t, &c);
    assert_false(t.failed);
    assert_null(strstr(t.data, "nan"));
    assert_null(strstr(t.data, "inf"));
    assert_non_null(strstr(t.data, "a &amp; b"));
    kl_text_free(&t);
    c.n = 0;
    kl_chart_add(&t, &c);
    assert_null(strstr(t.data, "nan"));
    kl_text_free(&t);
}

static void a_long_curve_keeps_its_peak(void **unused)
{
    (void)unused;
    enum { N = 100000 };
    static double x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = i;
    y[54321]   = 10.0;
    kl_chart c = {.x_label = "",
                  .y_label = "",
                  .x       = x,
                  .n       = N,
                  .ncurve  = 1,
                  .curves  = {{.name = "y", .y = y}}};
    kl_text  t = {0};
    kl_chart_add(&t, &c);
    assert_true(t.n < 60000);
    assert_non_null(strstr(t.data, " 26.0L")); /* the top of the frame */
    kl_text_free(&t);
}

/* Two curves of one wave; the second lies 100 behind, and so does its peak. */
static void a_curve_may_have_its_own_abscissa(void **unused)
{
    (void)unused;
    double   x[3] = {100, 200, 300}, behind[3] = {0, 100, 200}, y[3] = {0, 1, 0};
    kl_chart c = {.x_label = "s",
                  .y_label = "y",
                  .x       = x,
                  .n       = 3,
                  .ncurve  = 2,
                  .curves  = {{.name = "a", .y = y}, {.name = "b", .y = y, .x = behind}}};
    kl_text  t = {0};
    kl_chart_add(&t, &c);
    /* the frame goes from 74 (0 m) to 708 (300 m) */
    assert_non_null(strstr(t.data, "M285.3 200.0L496.7 26.0L708.0 200.0"));
    assert_non_null(strstr(t.data, "M74.0 200.0L285.3 26.0L496.7 200.0"));
    kl_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_may_have_its_own_abscissa),
        cmocka_unit_test(steps_are_one_two_or_five_times_a_power_of_ten),
        cmocka_unit_test(a_chart_of_gaps_and_constants_holds_no_nan),
        cmocka_unit_test(a_long_curve_keeps_its_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
