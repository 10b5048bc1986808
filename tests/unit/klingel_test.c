/* The public library: what its header promises. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "klingel/klingel.h"
#include "results/results.h"
#include "unit/test.h"

static const char *const pendulum =
    "klingel: 1\n"
    "parameters: {L: 1 m, word: slow}\n"
    "inputs: {pull: {unit: N, value: 0 N}}\n"
    "bodies:\n"
    "  bob: {type: point, mass: 2, position: [L, 0, 0]}\n"
    "joints:\n"
    "  rod: {type: distance, between: [ground, bob], at: [[0, 0, 0], [L, 0, 0]]}\n"
    "  plane: {type: point-on-plane, between: [ground, bob], at: [L, 0, 0], axis: y}\n"
    "forces:\n"
    "  pull: {type: force, on: bob, axis: z, value: {input: pull}}\n"
    "outputs:\n"
    "  height: {of: bob, quantity: position.z}\n"
    "run: {end: 0.2, every: 0.05}\n";

static kl_machine *parse(const char *text)
{
    return kl_machine_parse(text, strlen(text), "test.yaml");
}

static kl_machine *must_parse(const char *text)
{
    kl_machine *s = parse(text);
    if (kl_machine_status(s) != KL_OK) fail_msg("%s", kl_machine_message(s, 0));
    return s;
}

static double height(kl_machine *s) { return kl_machine_value(s, kl_machine_channel(s, "height")); }

static void the_header_example_works(void **unused)
{
    (void)unused;
    kl_machine *s     = must_parse(pendulum);
    int         total = kl_machine_channel(s, "energy.total");
    assert_true(isnan(kl_machine_value(s, total))); /* not started */
    assert_int_equal(kl_machine_start(s), KL_OK);
    double before = kl_machine_value(s, total);
    for (int i = 1; i <= 20; i++) assert_int_equal(kl_machine_advance(s, 0.01 * i), KL_OK);
    assert_close(kl_machine_time(s), 0.2, 1e-15);
    assert_close(kl_machine_value(s, total), before, 1e-5);
    assert_true(height(s) < -0.1);
    kl_machine_free(s);
}

static void channels_have_names_and_units(void **unused)
{
    (void)unused;
    kl_machine *s = must_parse(pendulum);
    int         n = kl_machine_channels(s);
    assert_true(n > 10);
    for (int i = 0; i < n; i++) {
        assert_non_null(kl_machine_channel_unit(s, i));
        assert_int_equal(kl_machine_channel(s, kl_machine_channel_name(s, i)), i);
    }
    assert_string_equal(kl_machine_channel_unit(s, kl_machine_channel(s, "bob.velocity.x")), "m/s");
    assert_int_equal(kl_machine_channel(s, "bob.velocity.w"), -1);
    assert_null(kl_machine_channel_name(s, n));
    assert_null(kl_machine_channel_name(s, -1));
    assert_true(isnan(kl_machine_value(s, n)));
    kl_machine_free(s);
}

/* the way is the same in small pieces, up to the error that is allowed */
static void steps_and_pieces_lead_to_the_same_place(void **unused)
{
    (void)unused;
    kl_machine *a = must_parse(pendulum), *b = must_parse(pendulum);
    assert_int_equal(kl_machine_advance(a, 0.2), KL_OK); /* starts by itself */
    int steps = 0;
    for (; kl_machine_time(b) < 0.2; steps++) assert_int_equal(kl_machine_step(b, 0.2), KL_OK);
    assert_true(steps > 3);
    assert_true(height(a) == height(b));
    assert_int_equal(kl_machine_start(b), KL_OK); /* and back */
    assert_close(kl_machine_time(b), 0.0, 0.0);
    assert_int_equal(kl_machine_advance(b, 0.1), KL_OK);
    assert_int_equal(kl_machine_advance(b, 0.2), KL_OK);
    assert_close(height(a), height(b), 1e-6);
    kl_machine_free(a);
    kl_machine_free(b);
}

/* free fall from the side: z'' = -g/1 at first whatever L; but the place depends on L */
static void a_parameter_that_is_set_changes_the_model(void **unused)
{
    (void)unused;
    kl_machine *s = must_parse(pendulum);
    assert_close(kl_machine_parameter(s, "L"), 1.0, 0.0);
    assert_int_equal(kl_machine_set_text(s, "L", "500 mm"), KL_OK);
    assert_close(kl_machine_parameter(s, "L"), 0.5, 1e-15);
    assert_int_equal(kl_machine_start(s), KL_OK);
    assert_close(kl_machine_value(s, kl_machine_channel(s, "bob.position.x")), 0.5, 1e-12);
    assert_int_equal(kl_machine_set(s, "L", 0.25), KL_OK);
    assert_true(isnan(height(s))); /* before its start again */
    assert_int_equal(kl_machine_start(s), KL_OK);
    assert_close(kl_machine_value(s, kl_machine_channel(s, "bob.position.x")), 0.25, 1e-12);
    kl_machine_free(s);
}

static void a_value_that_makes_no_model_leaves_the_machine_as_it_was(void **unused)
{
    (void)unused;
    kl_machine *s = must_parse(pendulum);
    assert_int_equal(kl_machine_advance(s, 0.1), KL_OK);
    double at = height(s);
    assert_int_not_equal(kl_machine_set_text(s, "L", "3 kg"), KL_OK);
    assert_int_not_equal(kl_machine_status(s), KL_OK);
    assert_true(kl_machine_messages(s) > 0);
    assert_int_not_equal(kl_machine_set(s, "LL", 3.0), KL_OK);
    assert_non_null(strstr(kl_machine_message(s, 0), "LL"));
    assert_int_equal(kl_machine_set(s, "L", NAN), KL_E_RANGE);
    assert_int_equal(kl_machine_set(s, NULL, 1.0), KL_E_USAGE);
    assert_true(height(s) == at);
    assert_int_equal(kl_machine_advance(s, 0.2), KL_OK);
    assert_int_equal(kl_machine_messages(s), 0);
    kl_machine_free(s);
}

/* with pull = m g the bob stays where it is */
static void an_input_is_held_until_it_is_set_again(void **unused)
{
    (void)unused;
    kl_machine *s = must_parse(pendulum);
    assert_int_equal(kl_machine_input(s, "pull", 2.0 * 9.81), KL_OK);
    assert_int_equal(kl_machine_advance(s, 0.1), KL_OK);
    assert_close(height(s), 0.0, 1e-12);
    assert_int_equal(kl_machine_start(s), KL_OK); /* a new start keeps it */
    assert_int_equal(kl_machine_advance(s, 0.1), KL_OK);
    assert_close(height(s), 0.0, 1e-12);
    assert_int_equal(kl_machine_input(s, "pull", 0.0), KL_OK);
    assert_int_equal(kl_machine_advance(s, 0.1), KL_OK); /* to the same time: values follow */
    assert_close(kl_machine_value(s, kl_machine_channel(s, "bob.acceleration.z")), -9.81, 1e-9);
    assert_int_equal(kl_machine_advance(s, 0.11), KL_OK);
    assert_close(height(s), -0.5 * 9.81 * 1e-4, 1e-8);
    assert_int_equal(kl_machine_input(s, "pul", 0.0), KL_E_NAME);
    assert_non_null(strstr(kl_machine_message(s, 0), "did you mean 'pull'?"));
    assert_int_equal(kl_machine_input(s, "pull", INFINITY), KL_E_RANGE);
    kl_machine_free(s);
}

static void a_model_with_mistakes_is_a_machine_that_says_so(void **unused)
{
    (void)unused;
    kl_machine *s =
        parse("klingel: 1\nbodies:\n  a: {mass: -1, inertia: [1, 1, 1]}\n  b: {mss: 1}\n");
    assert_non_null(s);
    assert_int_not_equal(kl_machine_status(s), KL_OK);
    assert_true(kl_machine_messages(s) >= 2);
    assert_non_null(strstr(kl_machine_message(s, 0), "test.yaml:3:"));
    kl_status first = kl_machine_status(s);
    assert_int_equal(kl_machine_start(s), first);
    assert_int_equal(kl_machine_advance(s, 1.0), first);
    assert_int_equal(kl_machine_run(s, "/nowhere.h5"), first);
    assert_int_equal(kl_machine_input(s, "u", 1.0), first);
    assert_true(kl_machine_messages(s) >= 2); /* still there */
    assert_int_equal(kl_machine_channels(s), 0);
    kl_machine_free(s);

    s = kl_machine_load("/no/such/file.yaml");
    assert_int_equal(kl_machine_status(s), KL_E_FILE);
    assert_int_equal(kl_machine_set(s, "a", 1.0), KL_E_FILE);
    kl_machine_free(s);
}

/* a parameter may be what is wrong: then setting it mends the model */
static void setting_a_parameter_can_mend_a_model(void **unused)
{
    (void)unused;
    kl_machine *s =
        parse("klingel: 1\nparameters: {m: -1}\nbodies:\n  a: {type: point, mass: m}\n");
    assert_int_not_equal(kl_machine_status(s), KL_OK);
    assert_int_equal(kl_machine_set(s, "m", 1.0), KL_OK);
    assert_int_equal(kl_machine_start(s), KL_OK);
    kl_machine_free(s);
}

static void calls_that_make_no_sense_are_refused(void **unused)
{
    (void)unused;
    kl_machine *s = must_parse(pendulum);
    assert_int_equal(kl_machine_advance(s, 0.1), KL_OK);
    assert_int_equal(kl_machine_advance(s, 0.05), KL_E_USAGE);
    assert_int_equal(kl_machine_advance(s, NAN), KL_E_USAGE);
    assert_int_equal(kl_machine_run(s, NULL), KL_E_USAGE);
    assert_int_equal(kl_machine_run(s, "/no/such/folder/out.h5"), KL_E_FILE);
    assert_true(kl_machine_messages(s) > 0);
    kl_machine_free(s);

    kl_machine *none = NULL;
    assert_int_not_equal(kl_machine_status(none), KL_OK);
    assert_int_not_equal(kl_machine_start(none), KL_OK);
    assert_int_not_equal(kl_machine_set(none, "a", 1.0), KL_OK);
    assert_int_not_equal(kl_machine_input(none, "a", 1.0), KL_OK);
    assert_int_equal(kl_machine_channel(none, "a"), -1);
    assert_int_equal(kl_machine_messages(none), 0);
    assert_null(kl_machine_message(none, 0));
    kl_machine_watch(none, NULL, NULL);
    kl_machine_free(none);
    s = kl_machine_parse(NULL, 0, NULL);
    assert_int_equal(kl_machine_status(s), KL_E_USAGE);
    kl_machine_free(s);
}

static bool until_a_tenth(void *asked, double t)
{
    ++*(int *)asked;
    return t < 0.1;
}

static void who_watches_can_stop(void **unused)
{
    (void)unused;
    kl_machine *s     = must_parse(pendulum);
    int         asked = 0;
    kl_machine_watch(s, until_a_tenth, &asked);
    assert_int_equal(kl_machine_advance(s, 1.0), KL_E_INTERRUPTED);
    assert_true(asked > 1 && kl_machine_time(s) >= 0.1 && kl_machine_time(s) < 0.5);
    assert_false(isnan(height(s)));
    kl_machine_watch(s, NULL, NULL);
    assert_int_equal(kl_machine_advance(s, 1.0), KL_OK);
    assert_close(kl_machine_time(s), 1.0, 0.0);
    kl_machine_free(s);
}

static void a_saved_state_is_returned_to(void **unused)
{
    (void)unused;
    kl_machine *a = must_parse(pendulum), *b = must_parse(pendulum);
    double      state[128], on, again[2];
    size_t      n = kl_machine_state_size(a);
    assert_true(n > 0 && n <= 128);
    assert_int_equal(kl_machine_save(a, state, n), KL_E_USAGE); /* before the start */
    assert_int_equal(kl_machine_advance(a, 0.1), KL_OK);
    assert_int_equal(kl_machine_save(a, state, n - 1), KL_E_USAGE);
    assert_int_equal(kl_machine_save(a, state, n), KL_OK);
    double here = height(a);
    assert_int_equal(kl_machine_advance(a, 0.2), KL_OK);
    on = height(a);
    /* into the same machine and into another one */
    for (int k = 0; k < 2; k++) {
        kl_machine *m = k ? b : a;
        assert_int_equal(kl_machine_restore(m, state, n), KL_OK);
        assert_close(kl_machine_time(m), 0.1, 0.0);
        assert_close(height(m), here, 0.0);
        assert_int_equal(kl_machine_advance(m, 0.2), KL_OK);
        again[k] = height(m);
    }
    assert_true(again[0] == again[1]);
    assert_close(again[0], on, 1e-8);
    /* what is not a state of this model, or of this version, is refused */
    assert_int_equal(kl_machine_restore(b, state, n - 1), KL_E_MODEL);
    state[0] += 1.0;
    assert_int_equal(kl_machine_restore(b, state, n), KL_E_VERSION);
    assert_int_equal(kl_machine_advance(b, 0.2), KL_OK); /* from its start */
    kl_machine_free(a);
    kl_machine_free(b);
}

/* The same sizes and names, another mass, another axis, or a number that is not one. */
static void a_state_of_another_model_is_refused(void **unused)
{
    (void)unused;
    static const char *const text =
        "klingel: 1\nparameters: {m: 1 kg}\nbodies:\n  a: {mass: m, inertia: [0.01, 0.01, 0.01], "
        "velocity: [1, 1, 0]}\njoints:\n  g: {type: translational, between: [ground, a], at: [0, "
        "0, "
        "0], axis: %s}\nforces:\n  s: {type: slide-spring-damper, of: g, stiffness: %s}\nrun: "
        "{end: "
        "1, every: 0.1}\n";
    static const char *const other[][3] = {
        {"x", "5", NULL}, {"y", "5", "same size"}, {"x", "6", "same size"}};
    double state[128], bad[128];
    size_t n = 0;
    for (int k = 0; k < 3; k++) {
        char model[512];
        snprintf(model, sizeof model, text, other[k][0], other[k][1]);
        kl_machine *m = must_parse(model);
        if (k == 0) {
            assert_int_equal(kl_machine_advance(m, 0.5), KL_OK);
            n = kl_machine_state_size(m);
            assert_true(n <= 128);
            assert_int_equal(kl_machine_save(m, state, n), KL_OK);
            assert_int_equal(kl_machine_restore(m, state, n), KL_OK);
            for (size_t i = 0; i < n; i++) { /* whatever is not a number is found */
                memcpy(bad, state, sizeof state);
                bad[i] = i % 2 ? NAN : INFINITY;
                assert_int_not_equal(kl_machine_restore(m, bad, n), KL_OK);
            }
            assert_non_null(strstr(kl_machine_message(m, 0), "not finite"));
            for (size_t i = 0; i < n;
                 i++) { /* and whatever was changed: time, Euler parameters, ... */
                memcpy(bad, state, sizeof state);
                bad[i] = i % 2 ? 2.0 * state[i] + 1.0 : nextafter(state[i], HUGE_VAL);
                assert_int_not_equal(kl_machine_restore(m, bad, n), KL_OK);
            }
            assert_non_null(strstr(kl_machine_message(m, 0), "changed after it was saved"));
            assert_int_equal(kl_machine_set(m, "m", 7.0), KL_OK);
            assert_int_equal(kl_machine_restore(m, state, n), KL_E_MODEL);
            assert_non_null(strstr(kl_machine_message(m, 0), "other parameters"));
            assert_int_equal(kl_machine_set(m, "m", 1.0), KL_OK);
            assert_int_equal(kl_machine_restore(m, state, n), KL_OK);
        } else {
            assert_true(kl_machine_state_size(m) == n);
            assert_int_equal(kl_machine_restore(m, state, n), KL_E_MODEL);
            assert_non_null(strstr(kl_machine_message(m, 0), other[k][2]));
        }
        kl_machine_free(m);
    }
}

static void a_run_writes_what_stepping_gives(void **unused)
{
    (void)unused;
    char path[64];
    snprintf(path, sizeof path, "/tmp/klingel-test-%d.h5", (int)getpid());
    kl_machine *s = must_parse(pendulum);
    assert_close(kl_machine_end(s), 0.2, 0.0);
    assert_close(kl_machine_every(s), 0.05, 0.0);
    assert_int_equal(kl_machine_run(s, path), KL_OK);
    double last = height(s);
    assert_close(kl_machine_time(s), 0.2, 1e-15);
    kl_diag   *diag = kl_diag_create();
    kl_reader *r    = NULL;
    assert_int_equal(kl_reader_open(path, diag, &r), KL_OK);
    double column[16];
    assert_int_equal(kl_reader_rows(r), 5);
    assert_int_equal(kl_reader_column(r, kl_reader_find(r, "height"), column), KL_OK);
    assert_true(column[4] == last);
    assert_string_equal(kl_reader_text(r, "status"), "complete");
    assert_string_equal(kl_reader_text(r, "model"), pendulum);
    kl_reader_close(r);
    kl_diag_destroy(diag);
    assert_int_equal(kl_machine_start(s), KL_OK);
    assert_int_equal(kl_machine_advance(s, 0.2), KL_OK); /* rows lie within steps */
    assert_close(height(s), last, 1e-14);
    kl_machine_free(s);
    remove(path);
}

/* ---- several threads, each on machines of its own ---- */

enum { THREADS = 4 };

typedef struct worker {
    double rope, end; /* handed in; height at the end */
    int    number;
    bool   ok;
} worker;

static void *work(void *context)
{
    worker     *w = context;
    char        path[64];
    kl_machine *s = parse(pendulum), *wrong = parse("klingel: 1\nbodies: {a: {mass: x}}\n");
    snprintf(path, sizeof path, "/tmp/klingel-thread-%d-%d.h5", (int)getpid(), w->number);
    w->ok = kl_machine_status(wrong) != KL_OK && kl_machine_set(s, "L", w->rope) == KL_OK &&
            kl_machine_run(s, path) == KL_OK;
    w->end = height(s);
    w->ok &= kl_machine_start(s) == KL_OK && kl_machine_advance(s, 0.1) == KL_OK;
    kl_machine_free(wrong);
    kl_machine_free(s);
    remove(path);
    return NULL;
}

static void threads_do_not_disturb_each_other(void **unused)
{
    (void)unused;
    worker    alone[THREADS], together[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        alone[i] = together[i] = (worker){.rope = 0.5 + 0.25 * i, .number = i};
        work(&alone[i]);
        assert_true(alone[i].ok);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, &together[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_true(together[i].ok);
        assert_true(together[i].end == alone[i].end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_example_works),
        cmocka_unit_test(channels_have_names_and_units),
        cmocka_unit_test(steps_and_pieces_lead_to_the_same_place),
        cmocka_unit_test(a_parameter_that_is_set_changes_the_model),
        cmocka_unit_test(a_value_that_makes_no_model_leaves_the_machine_as_it_was),
        cmocka_unit_test(an_input_is_held_until_it_is_set_again),
        cmocka_unit_test(a_model_with_mistakes_is_a_machine_that_says_so),
        cmocka_unit_test(setting_a_parameter_can_mend_a_model),
        cmocka_unit_test(calls_that_make_no_sense_are_refused),
        cmocka_unit_test(who_watches_can_stop),
        cmocka_unit_test(a_saved_state_is_returned_to),
        cmocka_unit_test(a_state_of_another_model_is_refused),
        cmocka_unit_test(a_run_writes_what_stepping_gives),
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
