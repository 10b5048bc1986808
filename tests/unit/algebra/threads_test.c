/* A program that uses the library has one thread, unless it asks for more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algebra/dense.h"
#include "unit/test.h"

static int threads_now(void)
{
    char  line[256];
    int   n = 0;
    FILE *f = fopen("/proc/self/status", "r");
    if (!f) return 1; /* no Linux */
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "Threads:", 8) == 0) n = atoi(line + 8);
    fclose(f);
    return n;
}

static void nothing_starts_threads_by_default(void **unused)
{
    (void)unused;
    assert_int_equal(threads_now(), 1);
    assert_int_equal(kl_blas_ready(), KL_OK);
    assert_int_equal(threads_now(), 1);
}

static void threads_that_are_asked_for_are_used(void **unused)
{
    (void)unused;
    int before = kl_blas_threads(2);
    assert_int_equal(before, 1);
    assert_int_equal(kl_blas_ready(), KL_OK);
    assert_int_equal(kl_blas_threads(before), 2);
}

/* Begins again without the variable that the test runner sets. */
int main(int argc, char **argv)
{
    (void)argc;
    if (getenv("OPENBLAS_NUM_THREADS") && unsetenv("OPENBLAS_NUM_THREADS") == 0)
        execv("/proc/self/exe", argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_starts_threads_by_default),
        cmocka_unit_test(threads_that_are_asked_for_are_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
