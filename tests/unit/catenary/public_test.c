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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wires_and_pantograph_go_back_bit_for_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
