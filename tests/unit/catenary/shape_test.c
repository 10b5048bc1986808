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

/* Lengths found from heights, given back as lengths, lead to the same heights and forces. */
static void lengths_lead_back_to_heights(void **state)
{
    (void)state;
    test_design t, u;
    double      lengths[9];
    design_en50318(&t, 1, 0.03);
    kl_line *line = make(&t);
    for (int i = 0; i < 9; i++) lengths[i] = line->dropper[i].length;
    design_en50318(&u, 1, 0.0); /* wanted heights differ: lengths decide */
    u.part.dropper.length = lengths;
    kl_line *back         = make(&u);
    for (int i = 0; i < 9; i++) {
        const kl_line_dropper *a = &line->dropper[i], *b = &back->dropper[i];
        assert_true(fabs(line->place[a->lower] - back->place[b->lower]) < 1e-6);
        assert_true(fabs(a->force - b->force) < 1e-3);
    }
}

/* Installation errors: equal for a seed, different for another, of the size that was asked for. */
static void installation_errors_follow_their_seed(void **state)
{
    (void)state;
    test_design t;
    double      first[90], sum = 0.0;
    design_en50318(&t, 10, 0.0);
    kl_line *exact         = make(&t);
    t.design.dropper_error = 2e-3, t.design.seed = 7;
    kl_line *line = make(&t), *again = make(&t);
    for (int i = 0; i < 90; i++) {
        first[i] = line->dropper[i].length - exact->dropper[i].length;
        sum += first[i] * first[i];
        assert_true(line->dropper[i].force == again->dropper[i].force);
    }
    assert_true(fabs(sqrt(sum / 90.0) / 2e-3 - 1.0) < 0.25);
    t.design.seed = 8;
    assert_true(fabs(make(&t)->dropper[3].length - line->dropper[3].length) > 1e-9);
    assert_true(fabs(line->place[line->dropper[40].lower]) > 1e-5);
}

/* Stagger: the wire stands at its places sideways, droppers lean, vertical forces stay. */
static void stagger_makes_the_line_three_dimensional(void **state)
{
    (void)state;
    test_design t;
    design_en50318(&t, 4, 0.0);
    kl_line *plane = make(&t);
    for (int i = 0; i <= 4; i++) t.stagger[i] = i % 2 ? -0.2 : 0.2;
    t.part.arm    = (kl_arm_data){.present = true, .mass = 0.3, .vertical = 200, .lateral = 1e6};
    kl_line *line = make(&t);
    assert_int_equal(plane->per, 2);
    assert_int_equal(line->per, 4);
    for (int i = 0; i <= 4; i++)
        assert_true(fabs(line->place[line->support[i].dof + 2] - t.stagger[i]) < 1e-9);
    for (int i = 0; i < line->ndropper; i++) {
        const kl_line_dropper *d = &line->dropper[i];
        assert_true(fabs(d->force * d->nz - plane->dropper[i].force) < 1e-6);
        assert_true(d->force >= plane->dropper[i].force);
        /* equilibrium of moments: lateral pull of a dropper is F ny */
        double dy = line->place[d->upper + 2] - line->place[d->lower + 2];
        assert_true(fabs(d->ny - dy / hypot(dy, line->place[d->upper] - line->place[d->lower])) <
                    1e-12);
    }
}

static double uplift_at(const kl_line *line, double x)
{
    double u;
    assert_int_equal(kl_line_uplift(line, x, 100.0, &u), KL_OK);
    return u;
}

/* A stitch wire softens the line at its supports, and droppers carry the whole contact wire. */
static void stitch_wires_soften_the_supports(void **state)
{
    (void)state;
    test_design t;
    design_en50318(&t, 4, 0.0);
    kl_line *simple = make(&t);
    t.part.stitch   = (kl_stitch_data){.wire = {.mass = 0.31, .tension = 3500}, .half = 7.5};
    kl_line *line   = make(&t);
    double   sum    = 0.0;
    assert_int_equal(line->nwire, 2 + 3);
    for (int i = 9; i < 18; i++) sum += line->dropper[i].force;
    assert_true(fabs(sum / (1.35 * 9.81 * 60.0) - 1.0) < 1e-6);
    double soft = uplift_at(line, 120.0) / uplift_at(line, 150.0);
    double hard = uplift_at(simple, 120.0) / uplift_at(simple, 150.0);
    print_message("elasticity support/mid-span: simple %.3f, stitched %.3f\n", hard, soft);
    assert_true(soft > 1.2 * hard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(dropper_forces_are_those_of_the_independent_solution,
                                        open_arena, close_arena),
        cmocka_unit_test_setup_teardown(lengths_lead_back_to_heights, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(installation_errors_follow_their_seed, open_arena,
                                        close_arena),
        cmocka_unit_test_setup_teardown(stagger_makes_the_line_three_dimensional, open_arena,
                                        close_arena),
        cmocka_unit_test_setup_teardown(stitch_wires_soften_the_supports, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(elasticity_is_that_of_the_independent_solution, open_arena,
                                        close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
