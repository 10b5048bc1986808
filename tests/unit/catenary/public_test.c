/* A catenary through the public header: steps, values, a state that is kept and restored. */
#include <math.h>
#include <stdlib.h>

#include "klingel/klingel.h"
#include "unit/test.h"

/* Contact force at `until`. */
static double force_at(kl_machine *m, double until)
{
    assert_int_equal(kl_machine_advance(m, until), KL_OK);
    return kl_machine_value(m, kl_machine_channel(m, "contact_force_N"));
}

static void wires_and_pantograph_go_back_bit_for_bit(void **state)
{
    const char *coupling[] = {"one-system", "co-simulation"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        kl_machine *m = kl_machine_load(KL_SOURCE_DIR "/examples/catenary-en50318/model.yaml");
        assert_non_null(m);
        assert_int_equal(kl_machine_set_text(m, "spans", "4"), KL_OK);
        assert_int_equal(kl_machine_set_text(m, "speed", "300 km/h"), KL_OK);
        assert_int_equal(kl_machine_set_text(m, "coupling", coupling[i]), KL_OK);
        assert_int_equal(kl_machine_start(m), KL_OK);
        size_t  n    = kl_machine_state_size(m);
        double *kept = malloc(n * sizeof *kept);
        double  here = force_at(m, 0.4);
        assert_int_equal(kl_machine_save(m, kept, n), KL_OK);
        double later = force_at(m, 0.6);
        assert_true(here > 0.0 && later > 0.0 && here != later);
        assert_int_equal(kl_machine_restore(m, kept, n), KL_OK);
        assert_true(kl_machine_time(m) == 0.4);
        assert_true(force_at(m, 0.6) == later);
        free(kept);
        kl_machine_free(m);
    }
}

static kl_machine *started(const char *path)
{
    kl_machine *m = kl_machine_load(path);
    assert_non_null(m);
    assert_int_equal(kl_machine_start(m), KL_OK);
    return m;
}

static double value_of(kl_machine *m, const char *channel)
{
    return kl_machine_value(m, kl_machine_channel(m, channel));
}

static void three_wires_meet_above_two_strips(void **state)
{
    kl_machine *m = started(KL_SOURCE_DIR "/tests/data/catenary/three-wires.yaml");
    (void)state;
    for (int i = 1; i <= 20; i++) {
        double force = force_at(m, i * 1e-3);
        assert_true(force > 90.0 && force < 160.0);
    }
    kl_machine_free(m);
}

/* 1 m from a strip of 1.6 m the wire is at rest, however high the strip is. */
static void a_strip_beside_the_wire_leaves_it_at_rest(void **state)
{
    kl_machine *m = started(KL_SOURCE_DIR "/tests/data/catenary/strip-beside.yaml");
    (void)state;
    assert_true(force_at(m, 1.0) == 0.0);
    assert_true(value_of(m, "strip.position.z") > 5.2);
    assert_true(fabs(value_of(m, "wire_height_m") - 5.0) < 0.02);
    assert_true(value_of(m, "coupling_energy_J") == 0.0);
    kl_machine_free(m);
}

/* In the overlap the strip touches both wires: bodies and wires feel the same forces. */
static void changing_the_wire_produces_no_energy(void **state)
{
    kl_machine *m = started(KL_SOURCE_DIR "/tests/data/catenary/strip-overlap.yaml");
    (void)state;
    assert_int_equal(kl_machine_advance(m, 3.8), KL_OK);
    assert_true(fabs(value_of(m, "coupling_energy_J")) < 1e-6);
    kl_machine_free(m);
}

/* Lists belong to the whole line: supports at 0, 50, 90, 140, 180, 225, 280 m. */
static void lists_go_along_all_tension_lengths(void **state)
{
    const char  *place[]  = {"50 m", "140 m", "225 m"};
    const double height[] = {5.01, 5.03 + 0.5 / 4.0, 5.05}; /* half way through the overlap */
    (void)state;
    for (int i = 0; i < 3; i++) {
        kl_machine *m = kl_machine_load(KL_SOURCE_DIR "/tests/data/catenary/sections.yaml");
        assert_non_null(m);
        assert_int_equal(kl_machine_set_text(m, "place", place[i]), KL_OK);
        assert_int_equal(kl_machine_start(m), KL_OK);
        assert_int_equal(kl_machine_advance(m, 0.01), KL_OK);
        assert_true(fabs(value_of(m, "wire_height_m") - height[i]) < 1e-6);
        assert_true(fabs(value_of(m, "wire_lateral_m") + 0.2) < 1e-3);
        assert_true(fabs(value_of(m, "probe_m")) < 1e-9); /* on the second tension length */
        kl_machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wires_and_pantograph_go_back_bit_for_bit),
        cmocka_unit_test(three_wires_meet_above_two_strips),
        cmocka_unit_test(a_strip_beside_the_wire_leaves_it_at_rest),
        cmocka_unit_test(changing_the_wire_produces_no_energy),
        cmocka_unit_test(lists_go_along_all_tension_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
