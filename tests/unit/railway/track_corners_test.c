/* The function whose zeros are the corners of a track: smooth, and with a zero at each corner only. */
#include "railway/track_corners.h"

#include <math.h>

#include "unit/test.h"

static void check(const kl_track_corners *c, double from, double to, int zeros)
{
    const double h = 1e-3;
    double       before, slope, last = kl_track_corners_value(c, from, &before);
    int          found = 0;
    for (double s = from + h; s < to; s += h) {
        double value = kl_track_corners_value(c, s, &slope);
        found += (value > 0.0) != (last > 0.0);
        /* a parabola between two points has the mean of their slopes; its bend is 10 1/m at most */
        assert_true(fabs((value - last) / h - 0.5 * (slope + before)) < 1e-2);
        last = value, before = slope;
    }
    assert_int_equal(found, zeros);
}

static void it_is_smooth_and_has_a_zero_at_each_corner(void **unused)
{
    (void)unused;
    const double     s[]  = {29.9, 30.1, 54.9, 55.1, 400.0};
    kl_track_corners open = {.s = s, .n = 5}, one = {.s = s, .n = 1};
    check(&open, -20.0003, 450.0, 5);
    check(&one, -20.0003, 450.0, 1);
    for (int i = 0; i < 5; i++) {
        double slope;
        assert_true(fabs(kl_track_corners_value(&open, s[i], &slope)) < 1e-12);
        assert_true(fabs(fabs(slope) - 1.0) < 1e-12);
    }
}

/* With an odd number of corners too, whose signs alternate from round to round. */
static void a_closed_track_has_them_in_each_round(void **unused)
{
    (void)unused;
    const double     s[]   = {10.0, 40.0, 75.0};
    kl_track_corners three = {.s = s, .n = 3, .round = 100.0},
                     two   = {.s = s, .n = 2, .round = 100.0};
    check(&three, -199.9997, 300.0, 15);
    check(&two, -199.9997, 300.0, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_smooth_and_has_a_zero_at_each_corner),
        cmocka_unit_test(a_closed_track_has_them_in_each_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
