/* Static shape of catenaries against an independent solution and closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/catenary/designs.h"

/* Rows of a reference file: `columns` numbers each; lines that begin otherwise are skipped. */
static int read_rows(const char *name, int columns, double (*rows)[10], int most)
{
    char path[512], text[2048];
    snprintf(path, sizeof path, "%s/tests/data/reference/catenary/%s", KL_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int n = 0;
    while (n < most && fgets(text, sizeof text, file)) {
        char *p = text, *end;
        int   k = 0;
        while (k < columns) {
            rows[n][k] = strtod(p, &end);
            if (end == p) break;
            k++, p = *end == ',' ? end + 1 : end;
        }
        if (k == columns) n++;
    }
    fclose(file);
    return n;
}

static kl_arena *arena; /* of the test that runs */

static int open_arena(void **state) { return (void)state, (arena = kl_arena_create()) ? 0 : -1; }
static int close_arena(void **state) { return (void)state, kl_arena_destroy(arena), 0; }

static kl_line *make(const test_design *t)
{
    kl_line *line = NULL;
    assert_int_equal(kl_line_create(&t->design, arena, NULL, &line), KL_OK);
    return line;
}

static void check_droppers(const test_design *t, const char *file, int column, double tolerance)
{
    double   rows[16][10];
    kl_line *line = make(t);
    int      n    = read_rows(file, column + 1, rows, 16);
    assert_int_equal(n, 9);
    for (int i = 0; i < n; i++) {
        const kl_line_dropper *d = &line->dropper[5 * 9 + i];
        assert_true(fabs(d->in_span - rows[i][0]) < 1e-9);
        assert_true(fabs(d->force / rows[i][column] - 1.0) < tolerance);
    }
}

static void dropper_forces_are_those_of_the_independent_solution(void **state)
{
    (void)state;
    test_design t;
    design_en50318(&t, 10, 0.0);
    check_droppers(&t, "own_en50318_2002_dropper_forces.csv", 1, 1e-7);
    design_2015(&t, 10);
    check_droppers(&t, "own_bruni_like_dropper_forces.csv", 2, 1e-3);
}

static double worst_elasticity(const test_design *t, const char *file, int *count)
{
    double   rows[100][10], worst = 0.0, uplift;
    kl_line *line  = make(t);
    double   begin = 4.0 * t->part.span[0]; /* span 5 */
    *count         = read_rows(file, 5, rows, 100);
    for (int i = 0; i < *count; i++)
        for (int k = 0; k < 2; k++) {
            assert_int_equal(kl_line_uplift(line, begin + rows[i][0], 100.0 * (k + 1), &uplift),
                             KL_OK);
            worst = fmax(worst, fabs(uplift * 1e3 / rows[i][1 + 2 * k] - 1.0));
        }
    return worst;
}

static void elasticity_is_that_of_the_independent_solution(void **state)
{
    (void)state;
    test_design t;
    int         n;
    design_en50318(&t, 10, 0.0);
    double worst = worst_elasticity(&t, "own_en50318_2002_static_elasticity.csv", &n);
    print_message("EN 50318: %d points, worst %.2e\n", n, worst);
    assert_true(n > 50 && worst < 1e-3); /* 1e-7 but where droppers are slack */
    design_2015(&t, 10);
    worst = worst_elasticity(&t, "own_bruni_like_static_elasticity.csv", &n);
    print_message("2015: %d points, worst %.2e\n", n, worst);
    assert_true(n > 40 && worst < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(dropper_forces_are_those_of_the_independent_solution,
                                        open_arena, close_arena),
        cmocka_unit_test_setup_teardown(elasticity_is_that_of_the_independent_solution, open_arena,
                                        close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
