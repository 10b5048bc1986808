/* What every unit test includes: cmocka in its needed order, and closeness of numbers. */
#ifndef KL_TESTS_TEST_H
#define KL_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

/* |a - b| <= tolerance, with both values printed when not. */
#define assert_close(a, b, tolerance)                                                              \
    do {                                                                                           \
        double a_ = (a), b_ = (b), t_ = (tolerance);                                               \
        if (!(fabs(a_ - b_) <= t_))                                                                \
            fail_msg("%s = %.15g, %s = %.15g: differ by %.3g, allowed %.3g", #a, a_, #b, b_,       \
                     fabs(a_ - b_), t_);                                                           \
    } while (0)

#endif
