/* Normal laws: force never pulls, derivatives, stored energy, and the restitution that they deliver
 * against the tables of the reference. */
#include <stdio.h>

#include "unit/test.h"

#include "base/vec.h"
#include "contact/normal_law.h"
#include "unit/csv_table.h"

static kl_normal_law law_of(kl_normal_kind kind, kl_arena *arena)
{
    static const double x[] = {0, 1e-3, 2e-3, 4e-3}, y[] = {0, 10, 35, 150};
    kl_normal_law       law = {.kind        = kind,
                               .k           = 2e7,
                               .restitution = 0.6,
                               .compliance  = 2e-12,
                               .length      = 0.02,
                               .radius      = 1e-2};
    if (kind == KL_NORMAL_LINEAR || kind == KL_NORMAL_TABLE) law.c = 40.0;
    if (kind == KL_NORMAL_TABLE)
        assert_true(kl_characteristic_init(
            &law.table, arena,
            kl_function_table_ends(arena, x, y, 4, true, KL_ENDS_LINEAR, NULL, KL_NOWHERE)));
    kl_normal_law_init(&law);
    return law;
}

static void every_law_has_its_row_and_its_word(void **unused)
{
    (void)unused;
    char words[256] = "";
    for (int k = 0; k < KL_NORMAL_KINDS; k++) {
        strcat(words, kl_normal_laws[k].name);
        if (k + 1 < KL_NORMAL_KINDS) strcat(words, " ");
    }
    assert_string_equal(words, kl_normal_words);
}

static void derivatives_and_energy_agree_with_differences_of_every_law(void **unused)
{
    (void)unused;
    kl_arena *arena = kl_arena_create();
    for (int k = 0; k < KL_NORMAL_KINDS; k++) {
        kl_normal_law law = law_of((kl_normal_kind)k, arena);
        for (int i = 0; i < 40; i++) {
            double          d = 1e-4 * (1 + i % 8), v = -0.3 + 0.13 * (i / 8), h = 1e-8, w = 1e-6;
            kl_normal_force f = kl_normal_eval(&law, d, v, 0.5);
            kl_normal_force a = kl_normal_eval(&law, d + h, v, 0.5),
                            b = kl_normal_eval(&law, d - h, v, 0.5),
                            p = kl_normal_eval(&law, d, v + w, 0.5),
                            q = kl_normal_eval(&law, d, v - w, 0.5);
            assert_true(f.f >= 0.0);
            assert_close(f.by_depth, (a.f - b.f) / (2 * h), 1e-4 * fabs(f.by_depth) + 1e-6);
            assert_close(f.by_rate, (p.f - q.f) / (2 * w), 1e-4 * fabs(f.by_rate) + 1e-6);
            /* power in = energy stored + loss */
            double stored = (a.energy - b.energy) / (2 * h) * v;
            assert_close(f.f * v, stored + f.loss, 1e-4 * (fabs(f.f * v) + fabs(stored)));
            assert_true(f.loss >= -1e-9);
        }
        assert_true(kl_normal_eval(&law, 0.0, 1.0, 1.0).f == 0.0);
        assert_true(kl_normal_eval(&law, 1e-6, -1e6, 1.0).f >= 0.0);
    }
    kl_arena_destroy(arena);
}

/* the closed form, and a run of the law itself, against the reference's integration */
static void delivered_restitution_is_that_of_the_reference(void **unused)
{
    (void)unused;
    table t = table_read(KL_SOURCE_DIR "/tests/data/reference/restitution_laws.csv");
    assert_int_equal(t.rows, 12);
    for (int i = 0; i < t.rows; i++) {
        double e = table_at(&t, i, 0);
        for (int k = 0; k < 3; k++) {
            kl_normal_law law = {
                .kind = (kl_normal_kind)(KL_NORMAL_HUNT_CROSSLEY + k), .k = 1e9, .restitution = e};
            kl_normal_law_init(&law);
            assert_close(law.beta, table_at(&t, i, 1 + k), 1e-10 * law.beta);
            assert_close(kl_normal_delivered(&law, 1.0, 1.0), table_at(&t, i, 4 + k), 1e-11);
            law.exact = true;
            kl_normal_law_init(&law);
            assert_close(kl_normal_delivered(&law, 1.0, 1.0), e, 1e-12);
        }
    }
    table_free(&t);
}

static void lankarani_nikravesh_never_delivers_less_than_two_thirds(void **unused)
{
    (void)unused;
    kl_normal_law law = {.kind = KL_NORMAL_LANKARANI_NIKRAVESH, .k = 1e9, .restitution = 0.0};
    kl_normal_law_init(&law);
    assert_close(kl_normal_delivered(&law, 1.0, 1.0), 0.663, 5e-4);
}

static void kelvin_voigt_delivers_the_root_of_its_energy_ratio_well_above_v0(void **unused)
{
    (void)unused;
    kl_normal_law law = {.kind = KL_NORMAL_KELVIN_VOIGT, .k = 1e6, .restitution = 0.49};
    kl_normal_law_init(&law);
    assert_close(law.v0, 0.1, 0.0);
    assert_close(kl_normal_delivered(&law, 2.0, 50.0), 0.7, 1e-4);
    /* below v0 less of the stiffness resists on the way in, so more comes back */
    assert_true(kl_normal_delivered(&law, 2.0, 0.05) > 0.75);
}

/* e = exp(-zeta pi/sqrt(1 - zeta^2)) holds until the force vanishes, which is before d = 0 */
static void linear_law_without_damping_gives_all_back(void **unused)
{
    (void)unused;
    kl_normal_law law = {.kind = KL_NORMAL_LINEAR, .k = 1e5};
    kl_normal_law_init(&law);
    assert_close(kl_normal_delivered(&law, 3.0, 2.0), 1.0, 1e-9);
    law.c      = 0.1 * sqrt(1e5 * 3.0); /* zeta 0.05 */
    double got = kl_normal_delivered(&law, 3.0, 2.0), full = exp(-0.05 * KL_PI / sqrt(1 - 0.0025));
    assert_true(got > full && got < full + 0.01);
}

static void hertz_stiffness_is_eq_9_for_a_sphere_and_falls_for_ellipses(void **unused)
{
    (void)unused;
    double h = 2.0 * kl_hertz_compliance(210e9, 0.3), R = 0.05;
    assert_close(kl_hertz_stiffness(0.5 / R, 0.5 / R, h), 34401045807.7, 1.0);
    assert_close(kl_hertz_stiffness(0.5 / R, 0.5 / R, h), 0.4244 * sqrt(R) / h, 2e-4 * 3.44e10);
    /* nearly round goes over into round; the order of A and B does not matter */
    assert_close(kl_hertz_stiffness(10.0, 10.001, h) / kl_hertz_stiffness(10.0, 10.0, h), 1.0,
                 1e-4);
    assert_close(kl_hertz_stiffness(3.0, 20.0, h), kl_hertz_stiffness(20.0, 3.0, h), 1.0);
    /* crossed cylinders of radius ratio 2 (A/B = 0.5): Johnson's F_2 gives 1.4 % below round */
    double round = kl_hertz_stiffness(sqrt(0.5), sqrt(0.5), h);
    assert_close(kl_hertz_stiffness(0.5, 1.0, h) / round, 1.0, 0.03);
}

static void line_contact_solves_its_logarithm(void **unused)
{
    (void)unused;
    kl_normal_law law = law_of(KL_NORMAL_HERTZ_LINE, NULL);
    for (double d = 1e-9; d < 1e-4; d *= 3.0) {
        double f = kl_normal_eval(&law, d, 0.0, 0.0).f, x = f * law.compliance / law.length;
        assert_close(x * (log(4.0 * law.radius / x) + 1.0), d, 1e-12 * d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_has_its_row_and_its_word),
        cmocka_unit_test(derivatives_and_energy_agree_with_differences_of_every_law),
        cmocka_unit_test(delivered_restitution_is_that_of_the_reference),
        cmocka_unit_test(lankarani_nikravesh_never_delivers_less_than_two_thirds),
        cmocka_unit_test(kelvin_voigt_delivers_the_root_of_its_energy_ratio_well_above_v0),
        cmocka_unit_test(linear_law_without_damping_gives_all_back),
        cmocka_unit_test(hertz_stiffness_is_eq_9_for_a_sphere_and_falls_for_ellipses),
        cmocka_unit_test(line_contact_solves_its_logarithm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
