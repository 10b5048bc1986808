/* The roller coaster as a whole: what must hold whatever the train is made of. At the banked curve the cant is that of
 * equilibrium: nothing sideways, g/cos(cant) into the seat (Ambrosio 2012). Tables and exact geometry give one ride. */
#include <math.h>
#include <stdlib.h>

#include "unit/build_model.h"

#include "solve/simulation.h"

enum { AZ, FZ, LATERAL, S, SPEED, BALANCE, GAP, NCHANNEL };
static const char *const names[NCHANNEL] = {
    "rear_car_az",       "rear_front_wheelset_fz", "passenger_a_lateral", "front.path1.s",
    "front.path1.speed", "energy.balance",         "drift.position"};

typedef struct ride {
    kl_simulation *s;
    int            channel[NCHANNEL], row;
    double         value[2400][NCHANNEL];
} ride;

static kl_status keep(void *context, double t, const double *values)
{
    (void)t;
    ride *r = context;
    for (int k = 0; k < NCHANNEL && r->row < 2400; k++) r->value[r->row][k] = values[r->channel[k]];
    r->row++;
    return KL_OK;
}

static ride *go(const char *geometry, double end, double tolerance)
{
    const kl_override set[]  = {{"geometry", geometry}};
    kl_diag          *diag   = kl_diag_create();
    kl_source        *source = NULL;
    kl_model         *model  = NULL;
    ride             *r      = calloc(1, sizeof *r);
    kl_sink           sink   = {.context = r, .row = keep};
    assert_non_null(r);
    kl_status status =
        kl_source_read(KL_SOURCE_DIR "/examples/roller-coaster/model.yaml", diag, &source);
    if (status == KL_OK) status = kl_source_build(source, set, 1, diag, &model);
    if (status == KL_OK && tolerance > 0.0) model->settings.tolerance = tolerance;
    if (status == KL_OK) status = kl_simulation_create(model, diag, &r->s);
    for (int k = 0; status == KL_OK && k < NCHANNEL; k++) {
        r->channel[k] = kl_channels_find(r->s->channels, names[k]);
        assert_true(r->channel[k] >= 0);
    }
    if (status == KL_OK) status = kl_simulation_run(r->s, end, 0.01, &sink, diag);
    if (status != KL_OK) {
        print_messages(diag);
        fail_msg("the ride stopped");
    }
    kl_simulation_destroy(r->s);
    kl_model_destroy(model);
    kl_source_destroy(source);
    kl_diag_destroy(diag);
    return r;
}

static void the_train_rides_as_it_must(void **unused)
{
    (void)unused;
    ride  *r = go("table", 22.6, 0.0);
    double g = 9.81, cant = 58.1 * acos(-1.0) / 180.0;
    /* at rest on the level after the first second: g, and each wheelset of the rear car carries its share of 645 kg + 90 kg */
    assert_true(fabs(r->value[300][AZ] - g) < 0.01);
    assert_true(fabs(r->value[300][FZ] - g * (645.0 / 2 + 90)) < 60.0);
    /* in the banked curve: a plateau without spikes at the turning points of coordinates */
    double az = 0.0, side = 0.0, peak = 0.0;
    for (int i = 2120; i < 2220; i++) {
        az += r->value[i][AZ] / 100, side += r->value[i][LATERAL] / 100;
        peak = fmax(peak, r->value[i][AZ]);
    }
    assert_true(peak < 18.9);
    assert_true(fabs(az - g / cos(cant)) < 0.4);
    assert_true(fabs(side) < 0.4);
    /* energy: what was lost is counted; joints stay closed */
    double first = r->value[100][BALANCE];
    for (int i = 100; i < r->row; i++) {
        assert_true(fabs(r->value[i][BALANCE] - first) < 1e-4 * fabs(first));
        assert_true(r->value[i][GAP] < 1e-6);
    }
    free(r);
}

static void tables_and_exact_geometry_give_one_ride(void **unused)
{
    (void)unused;
    const double tight = 1e-8; /* so that errors of the integrator, whose steps differ, do not count */
    ride        *a = go("table", 14.0, tight), *b = go("exact", 14.0, tight);
    assert_int_equal(a->row, b->row);
    for (int i = 0; i < a->row; i++) {
        assert_true(fabs(a->value[i][S] - b->value[i][S]) < 1e-4);
        assert_true(fabs(a->value[i][SPEED] - b->value[i][SPEED]) < 1e-4);
        assert_true(fabs(a->value[i][AZ] - b->value[i][AZ]) < 0.01);
        assert_true(fabs(a->value[i][FZ] - b->value[i][FZ]) < 5.0);
    }
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_train_rides_as_it_must),
        cmocka_unit_test(tables_and_exact_geometry_give_one_ride),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
