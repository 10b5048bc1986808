/* Friction laws: coefficients, derivatives against differences, dissipation, sticking without creep,
 * and forces that turn with the axes. */
#include <stdio.h>
#include <string.h>

#include "unit/test.h"

#include "base/rotation.h"
#include "contact/friction_law.h"

static kl_friction_law law_of(int kind)
{
    kl_friction_law law = {.kind    = (kl_friction_kind)kind,
                           .mu_s    = 0.5,
                           .mu_d    = 0.3,
                           .viscous = 0.01,
                           .k_t     = 1e4,
                           .c_t     = 3.0,
                           .s0      = 1e3,
                           .s1      = 5.0};
    kl_friction_law_init(&law);
    return law;
}

static kl_friction_force at(const kl_friction_law *law, kl_friction_input in)
{
    kl_friction_force out;
    kl_friction_eval(law, &in, &out);
    return out;
}

static void every_law_has_its_row_and_its_word(void **unused)
{
    (void)unused;
    char words[256] = "";
    for (int k = 0; k < KL_FRICTION_KINDS; k++) {
        strcat(words, kl_friction_laws[k].name);
        if (k + 1 < KL_FRICTION_KINDS) strcat(words, " ");
    }
    assert_string_equal(words, kl_friction_words);
}

/* T by slip, gap, z and N; z' by slip and z */
static void derivatives_agree_with_differences_of_every_law(void **unused)
{
    (void)unused;
    for (int k = 0; k < KL_FRICTION_KINDS; k++) {
        kl_friction_law law = law_of(k);
        for (int i = 0; i < 12; i++) {
            double            size = 3e-3 * (1 << i % 6);
            kl_friction_input in   = {.slip   = kl_vec(size, -0.7 * size, 0.0),
                                      .normal = 20.0,
                                      .gap    = kl_vec(1e-4 * (1 + i % 5), 2e-4, 0),
                                      .slips  = i % 2,
                                      .z      = kl_vec(1e-4, -5e-5, 0)};
            kl_friction_force f    = at(&law, in);
            for (int j = 0; j < 3; j++) {
                double h[3] = {0}, s = 1e-8;
                h[j]                 = s;
                kl_vec3           e  = kl_load(h);
                kl_friction_input up = in, down = in;
                up.slip = kl_add(in.slip, e), down.slip = kl_sub(in.slip, e);
                kl_friction_force a = at(&law, up), b = at(&law, down);
                kl_vec3           d     = kl_scale(0.5 / s, kl_sub(a.f, b.f));
                double            scale = 1e-5 * (kl_norm(d) + 100.0);
                assert_close(kl_norm(kl_sub(d, kl_axis(&f.by_slip, j))), 0.0, scale);
                d = kl_scale(0.5 / s, kl_sub(a.z_dot, b.z_dot));
                assert_close(kl_norm(kl_sub(d, kl_axis(&f.z_by_slip, j))), 0.0, 1e-5);
                up = down = in;
                up.gap = kl_add(in.gap, e), down.gap = kl_sub(in.gap, e);
                up.z = kl_add(in.z, e), down.z = kl_sub(in.z, e);
                a = at(&law, up), b = at(&law, down);
                d = kl_scale(0.5 / s, kl_sub(a.f, b.f));
                assert_close(kl_norm(kl_sub(d, kl_axis(&f.by_state, j))), 0.0,
                             1e-5 * kl_norm(d) + 1e-3);
                d = kl_scale(0.5 / s, kl_sub(a.z_dot, b.z_dot));
                assert_close(kl_norm(kl_sub(d, kl_axis(&f.z_by_z, j))), 0.0,
                             1e-5 * (1 + kl_norm(d)));
            }
            kl_friction_input up = in, down = in;
            up.normal += 1e-5, down.normal -= 1e-5;
            kl_vec3 d = kl_scale(0.5e5, kl_sub(at(&law, up).f, at(&law, down).f));
            assert_close(kl_norm(kl_sub(d, f.by_normal)), 0.0, 1e-6);
        }
    }
}

static void full_speed_gives_the_dynamic_coefficient(void **unused)
{
    (void)unused;
    for (int k = KL_FRICTION_THRELFALL; k <= KL_FRICTION_STRIBECK; k++) {
        kl_friction_law law = law_of(k);
        assert_close(kl_friction_coefficient(&law, 5.0, NULL), 0.3 + 0.05, 1e-5);
        assert_close(kl_friction_coefficient(&law, 0.0, NULL), 0.0, 1e-15);
    }
    kl_friction_law law = law_of(KL_FRICTION_BENGISU_AKAY);
    assert_close(kl_friction_coefficient(&law, law.v0, NULL), 0.5 + 0.01 * law.v0, 1e-12);
    /* lugre in steady sliding: s0 z = g(s) u/s */
    law                  = law_of(KL_FRICTION_LUGRE);
    kl_friction_input in = {.slip = kl_vec(2, 0, 0), .normal = 10, .z = kl_vec(0.3 / law.s0, 0, 0)};
    kl_friction_force f  = at(&law, in);
    assert_close(kl_norm(f.z_dot), 0.0, 1e-9);
    assert_close(f.f.x, -10.0 * (0.3 + 0.02), 1e-9);
}

/* static limit while it sticks, dynamic one while it slips */
static void stick_slip_breaks_loose_at_the_static_limit(void **unused)
{
    (void)unused;
    kl_friction_law law = law_of(KL_FRICTION_STICK_SLIP);
    law.c_t             = 0.0;
    kl_friction_force f = at(&law, (kl_friction_input){.normal = 10, .gap = kl_vec(0, 4.9e-4, 0)});
    assert_false(f.slips);
    assert_close(f.f.y, -4.9, 1e-12);
    f = at(&law, (kl_friction_input){.normal = 10, .gap = kl_vec(0, 5.1e-4, 0)});
    assert_true(f.slips);
    assert_close(f.f.y, -3.0, 1e-12);
    assert_close(f.gap.y, 3e-4, 1e-16);
    f = at(&law, (kl_friction_input){.normal = 10, .gap = kl_vec(0, 3.1e-4, 0), .slips = true});
    assert_true(f.slips);
    f = at(&law, (kl_friction_input){.normal = 10, .gap = kl_vec(0, 2.9e-4, 0), .slips = true});
    assert_false(f.slips);
}

static void forces_turn_with_the_axes_and_never_feed_energy(void **unused)
{
    (void)unused;
    kl_mat3 A = kl_rotation_exp(kl_vec(0.3, -1.1, 0.7));
    for (int k = 0; k < KL_FRICTION_KINDS; k++) {
        kl_friction_law   law    = law_of(k);
        kl_friction_input in     = {.slip   = kl_vec(0.02, -0.05, 0),
                                    .normal = 7,
                                    .gap    = kl_vec(1e-4, 3e-4, 0),
                                    .z      = kl_vec(1e-4, -2e-4, 0)},
                          turned = in;
        turned.slip = kl_mul(&A, in.slip), turned.gap = kl_mul(&A, in.gap),
        turned.z            = kl_mul(&A, in.z);
        kl_friction_force f = at(&law, in), g = at(&law, turned);
        assert_close(kl_norm(kl_sub(kl_mul(&A, f.f), g.f)), 0.0, 1e-13);
        if (k != KL_FRICTION_STICK_SLIP && k != KL_FRICTION_LUGRE) {
            assert_true(f.loss >= 0.0);
            assert_close(f.loss, -kl_dot(f.f, in.slip), 1e-12);
        }
    }
}

static void rolling_resistance_opposes_its_own_part_of_the_spin(void **unused)
{
    (void)unused;
    kl_friction_law law = {.rolling = 1e-3, .spinning = 5e-4};
    kl_friction_law_init(&law);
    kl_vec3           n = kl_vec(0, 0, 1), w = kl_vec(3, 4, 2);
    kl_rolling_moment m = kl_rolling_eval(&law, n, w, 100.0);
    assert_close(m.m.x, -0.1 * 0.6, 1e-6);
    assert_close(m.m.y, -0.1 * 0.8, 1e-6);
    assert_close(m.m.z, -0.05, 1e-5);
    for (int j = 0; j < 3; j++) {
        double h[3] = {0};
        h[j]        = 1e-6;
        kl_vec3 d   = kl_scale(0.5e6, kl_sub(kl_rolling_eval(&law, n, kl_add(w, kl_load(h)), 100).m,
                                             kl_rolling_eval(&law, n, kl_sub(w, kl_load(h)), 100).m));
        assert_close(kl_norm(kl_sub(d, kl_axis(&m.by_spin, j))), 0.0, 1e-8);
    }
    assert_close(m.loss, -kl_dot(m.m, w), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_has_its_row_and_its_word),
        cmocka_unit_test(derivatives_agree_with_differences_of_every_law),
        cmocka_unit_test(full_speed_gives_the_dynamic_coefficient),
        cmocka_unit_test(stick_slip_breaks_loose_at_the_static_limit),
        cmocka_unit_test(forces_turn_with_the_axes_and_never_feed_energy),
        cmocka_unit_test(rolling_resistance_opposes_its_own_part_of_the_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
