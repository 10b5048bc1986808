/* Creep laws against independent figures: Kalker's table, Polach's formula, a converged FASTSIM;
 * and how far each is from Kalker's exact theory. */
#include "unit/railway/wheel_rail_reference.h"

#include "railway/creep_table.h"
#include "railway/half_space.h"

static kl_creep_input input_at(const reference *r, int i)
{
    double ratio = reference_at(r, i, "a_over_b");
    return (kl_creep_input){
        ratio,
        {reference_at(r, i, "ux"), reference_at(r, i, "uy"), reference_at(r, i, "uphi")},
        kl_kalker_of(ratio, 0.28)};
}

/* Largest difference of the law from the columns Fx, Fy, Mz with this ending. */
static void distance(const char *file, const char *ending, const char *law, int grid, int n,
                     double worst[3])
{
    static const char *const columns[] = {"Fx_over_muN", "Fy_over_muN", "Mz_over_muNc"};
    reference                r         = reference_read(file);
    kl_creep_options         o         = kl_creep_defaults();
    kl_arena                *arena     = kl_arena_create();
    assert_int_equal(r.nrow, 134);
    if (strcmp(law, "table") == 0) o.table = kl_creep_table_create(arena);
    o.strips = o.cells = grid;
    for (int k = 0; k < n; k++) worst[k] = 0.0;
    for (int i = 0; i < r.nrow; i++) {
        kl_creep_input  in = input_at(&r, i);
        kl_creep_output out;
        kl_creep_law_find(law)->force(&o, &in, &out);
        for (int k = 0; k < n; k++) {
            char name[64];
            snprintf(name, sizeof name, "%s%s", columns[k], ending);
            double d = fabs(out.f[k] - reference_at(&r, i, name));
            if (!(d <= worst[k])) worst[k] = d;
        }
    }
    reference_free(&r);
    kl_arena_destroy(arena);
}

static void kalkers_table_is_reproduced(void **state)
{
    (void)state;
    reference r = reference_read("wheel-rail/kalker_coefficients.csv");
    assert_int_equal(r.nrow, 57);
    for (int i = 0; i < r.nrow; i++) {
        double    ratio = reference_at(&r, i, "ratio");
        kl_kalker c     = kl_kalker_of(strcmp(r.first[i], "a/b") == 0 ? ratio : 1.0 / ratio,
                                   reference_at(&r, i, "nu"));
        assert_close(c.c11, reference_at(&r, i, "C11"), 1e-9);
        assert_close(c.c22, reference_at(&r, i, "C22"), 1e-9);
        assert_close(c.c23, reference_at(&r, i, "C23"), 1e-9);
        assert_close(c.c33, reference_at(&r, i, "C33"), 1e-9);
    }
    reference_free(&r);
}

/* Values of the reference's own interpolation. */
static void coefficients_between_the_entries_are_those_of_the_reference(void **state)
{
    (void)state;
    static const double expected[3][4] = {{0.5, 3.7335, 3.0256, 0.9435},
                                          {1.0, 4.2262, 3.7049, 1.4881},
                                          {2.0, 5.2037, 4.9715, 2.6566}};
    for (int i = 0; i < 3; i++) {
        kl_kalker c = kl_kalker_of(expected[i][0], 0.28);
        assert_close(c.c11, expected[i][1], 6e-5);
        assert_close(c.c22, expected[i][2], 6e-5);
        assert_close(c.c23, expected[i][3], 6e-5);
    }
}

/* No jump where the table ends, and the known limit for a/b -> 0. */
static void coefficients_go_on_beyond_the_table(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        double    in = side ? 9.9999 : 0.100001, out = side ? 10.0001 : 0.099999;
        kl_kalker p = kl_kalker_of(in, 0.28), q = kl_kalker_of(out, 0.28);
        assert_close(p.c11 / q.c11, 1.0, 1e-4);
        assert_close(p.c22 / q.c22, 1.0, 1e-4);
        assert_close(p.c23 / q.c23, 1.0, 1e-4);
        assert_close(p.c33 / q.c33, 1.0, 1e-4);
    }
    const double pi = acos(-1.0);
    kl_kalker    c  = kl_kalker_of(1e-6, 0.25);
    assert_close(c.c11, pi * pi / (4.0 * 0.75), 1e-4);
    assert_close(c.c22, pi * pi / 4.0, 1e-4);
}

static void polach_is_the_formula_to_rounding(void **state)
{
    (void)state;
    double worst[3];
    distance("wheel-rail/creepforce_polach.csv", "", "polach", 1, 2, worst);
    assert_true(worst[0] <= 5.1e-6 && worst[1] <= 5.1e-6); /* five digits in the file */
}

static void fastsim_is_the_converged_one(void **state)
{
    (void)state;
    double worst[3];
    distance("wheel-rail/creepforce_fastsim.csv", "", "fastsim", 400, 3, worst);
    for (int k = 0; k < 3; k++) assert_true(worst[k] <= 1e-5); /* five digits in the file */
}

static void the_table_is_close_to_the_converged_fastsim(void **state)
{
    (void)state;
    double worst[3];
    distance("wheel-rail/creepforce_fastsim.csv", "", "table", 400, 3, worst);
    print_message("table: worst distance from FASTSIM fx %.4f, fy %.4f, mz %.4f\n", worst[0],
                  worst[1], worst[2]);
    for (int k = 0; k < 3; k++) assert_true(worst[k] <= 0.002);
}

/* Any ellipse, creepage and sign, not only those of the reference. */
static void the_table_is_close_to_fastsim_anywhere(void **state)
{
    (void)state;
    kl_arena        *arena = kl_arena_create();
    kl_creep_options o = kl_creep_defaults(), fine = o;
    unsigned         seed  = 7;
    double           worst = 0.0;
    o.table                = kl_creep_table_create(arena);
    fine.strips = fine.cells = 400;
    for (int i = 0; i < 300; i++) {
        double x[4];
        for (int k = 0; k < 4; k++) {
            seed = seed * 1664525u + 1013904223u;
            x[k] = seed / 2147483648.0 - 1.0;
        }
        double          ratio = exp(2.0 * x[3]);
        kl_creep_input  in    = {ratio, {x[0], x[1], 2.0 * x[2]}, kl_kalker_of(ratio, 0.28)};
        kl_creep_output a, b;
        kl_creep_law_find("table")->force(&o, &in, &a);
        kl_creep_law_find("fastsim")->force(&fine, &in, &b);
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(a.f[k] - b.f[k]));
        assert_close(a.slip, b.slip, 0.03);
    }
    print_message("table: worst distance from FASTSIM at random places %.4f\n", worst);
    assert_true(worst < 0.002);
    kl_arena_destroy(arena);
}

/* Measured in other programs too; printed so that a user knows what a law costs in accuracy. */
static void the_distance_from_the_exact_theory_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *law;
        int         grid;
        double      limit[2];
    } cases[] = {{"polach", 1, {0.24, 0.32}},
                 {"fastsim", 100, {0.045, 0.105}},
                 {"fastsim", 10, {0.05, 0.16}},
                 {"table", 400, {0.045, 0.105}}};
    for (int i = 0; i < 4; i++) {
        double worst[3] = {0};
        distance("wheel-rail/creepforce_contact.csv", "_h0", cases[i].law, cases[i].grid, 2, worst);
        print_message("%s, grid %d: worst distance from CONTACT fx %.3f, fy %.3f\n", cases[i].law,
                      cases[i].grid, worst[0], worst[1]);
        assert_true(worst[0] <= cases[i].limit[0] && worst[1] <= cases[i].limit[1]);
    }
}

/* Polach 2005: falling friction, longitudinal. */
static void traction_curves_fall_with_the_slip_velocity(void **state)
{
    (void)state;
    reference r = reference_read("wheel-rail/polach2005_traction_curve.csv");
    assert_true(r.nrow > 50);
    for (int i = 0; i < r.nrow; i++) {
        kl_creep_options o  = kl_creep_defaults();
        kl_friction      f  = {reference_at(&r, i, "mu0"), reference_at(&r, i, "A"),
                               reference_at(&r, i, "B_s_per_m")};
        double           xi = reference_at(&r, i, "creep_long"), force[3];
        o.kA                = reference_at(&r, i, "kA");
        o.kS                = reference_at(&r, i, "kS");
        kl_patch p          = {.a  = reference_at(&r, i, "a_m"),
                               .b  = reference_at(&r, i, "b_m"),
                               .N  = reference_at(&r, i, "Q_N"),
                               .G  = reference_at(&r, i, "G_Pa"),
                               .mu = kl_friction_at(&f, xi * reference_at(&r, i, "V_m_per_s")),
                               .c  = kl_kalker_of(1.0, 0.28)};
        kl_creep_force(kl_creep_law_find("polach"), &o, &p, (double[]){xi, 0.0, 0.0}, force, NULL);
        assert_close(force[0], reference_at(&r, i, "Fx_N"), 0.006);
    }
    reference_free(&r);
}

/* Every law: linear limit, odd, mirror images, never more than friction gives (linear aside). */
static void every_law_keeps_the_symmetries(void **state)
{
    (void)state;
    kl_creep_options o = kl_creep_defaults();
    for (const kl_creep_law *l = kl_creep_laws; l->name; l++)
        for (int i = 0; i < 60; i++) {
            double ratio = 0.3 + 0.05 * i, ux = 0.02 * i, uy = 0.6 - 0.03 * i, us = 0.015 * i;
            kl_creep_input  in = {ratio, {ux, uy, us}, kl_kalker_of(ratio, 0.28)}, other = in;
            kl_creep_output f, g;
            l->force(&o, &in, &f);
            for (int k = 0; k < 3; k++) other.u[k] = -in.u[k];
            l->force(&o, &other, &g);
            for (int k = 0; k < 3; k++) assert_close(f.f[k], -g.f[k], 1e-12);
            other.u[0] = ux; /* mirror at the plane y = 0 */
            l->force(&o, &other, &g);
            assert_close(f.f[0], g.f[0], 1e-12);
            assert_close(f.f[1], -g.f[1], 1e-12);
            if (strcmp(l->name, "linear") != 0) assert_true(hypot(f.f[0], f.f[1]) <= 1.03);
        }
}

static void small_creepage_gives_kalkers_linear_force(void **state)
{
    (void)state;
    kl_creep_options o = kl_creep_defaults();
    o.strips = o.cells = 100;
    for (const kl_creep_law *l = kl_creep_laws; l->name; l++)
        for (int k = 0; k < 3; k++) {
            kl_creep_input  in = {1.4, {0}, kl_kalker_of(1.4, 0.28)};
            kl_creep_output f, exact;
            in.u[k] = 1e-4;
            l->force(&o, &in, &f);
            kl_creep_laws[0].force(&o, &in, &exact);
            assert_close(f.f[0], exact.f[0], 2e-3 * in.u[k] * in.c.c11);
            assert_close(f.f[1], exact.f[1], 2e-2 * in.u[k] * in.c.c23);
        }
}

/* Own solver of the exact theory against CONTACT, on every 27th case: 0.02 with coarse grids. */
static void half_spaces_are_near_contact(void **state)
{
    (void)state;
    reference r     = reference_read("wheel-rail/creepforce_contact.csv");
    double    worst = 0.0;
    for (int i = 5; i < r.nrow; i += 27) {
        kl_creep_input  in = input_at(&r, i);
        kl_creep_output out;
        kl_half_space_law.force(NULL, &in, &out);
        worst = fmax(worst, fabs(out.f[0] - reference_at(&r, i, "Fx_over_muN_h0")));
        worst = fmax(worst, fabs(out.f[1] - reference_at(&r, i, "Fy_over_muN_h0")));
    }
    print_message("half-space: worst distance from CONTACT %.4f\n", worst);
    assert_true(worst <= 0.02);
    reference_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kalkers_table_is_reproduced),
        cmocka_unit_test(coefficients_between_the_entries_are_those_of_the_reference),
        cmocka_unit_test(coefficients_go_on_beyond_the_table),
        cmocka_unit_test(polach_is_the_formula_to_rounding),
        cmocka_unit_test(fastsim_is_the_converged_one),
        cmocka_unit_test(the_table_is_close_to_the_converged_fastsim),
        cmocka_unit_test(the_table_is_close_to_fastsim_anywhere),
        cmocka_unit_test(the_distance_from_the_exact_theory_is_known),
        cmocka_unit_test(traction_curves_fall_with_the_slip_velocity),
        cmocka_unit_test(every_law_keeps_the_symmetries),
        cmocka_unit_test(small_creepage_gives_kalkers_linear_force),
        cmocka_unit_test(half_spaces_are_near_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
