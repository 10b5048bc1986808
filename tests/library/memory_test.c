/* Memory: every public call survives that any one of our allocations fails, and leaks nothing; and
 * between two outputs our code allocates nothing.
 *
 * The linker sends the library's calls of malloc and its kin here (--wrap); those of other
 * libraries (libyaml, KLU, HDF5) go past. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "klingel/klingel.h"
#include "solve/simulation.h"
#include "unit/build_model.h"

enum { MOST = 1 << 16 };

static long        taken;       /* allocations so far */
static const void *block[MOST]; /* not yet freed */
static long        live;
static long        fail_at; /* this one fails; 0: none */
static bool        did_fail;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void  __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *text);
void  __wrap_free(void *p);

static bool fails(void)
{
    if (++taken != fail_at) return false;
    did_fail = true;
    return true;
}

/* Only blocks that were taken here count: realpath() and others hand us some of their own. */
static void *count(void *p)
{
    if (!p) return NULL;
    if (live == MOST) abort();
    block[live++] = p;
    return p;
}

static void forget(const void *p)
{
    for (long i = live; i-- > 0;)
        if (block[i] == p) {
            block[i] = block[--live];
            return;
        }
}

void *__wrap_malloc(size_t n) { return fails() ? NULL : count(__real_malloc(n)); }
void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : count(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t n)
{
    if (fails()) return NULL;
    forget(p);
    return count(__real_realloc(p, n));
}

char *__wrap_strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    char  *p = __wrap_malloc(n);
    return p ? memcpy(p, text, n) : NULL;
}

void __wrap_free(void *p)
{
    forget(p);
    __real_free(p);
}

/* ---- every allocation fails once ---- */

static const char *const model =
    "klingel: 1\n"
    "parameters: {L: 1 m, n: 2, kind: soft}\n"
    "inputs: {pull: {unit: N}}\n"
    "bodies:\n"
    "  \"link{i}\": {for: {i: 1..n}, mass: 2, inertia: [1, 1, 1], position: [L*i, 0, 0],\n"
    "             markers: {tip: {at: [L/2, 0, 0]}}}\n"
    "  bob: {type: point, mass: 2, position: [3*L, 0, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, link1], at: [0, 0, 0], axis: y}\n"
    "  b: {type: spherical, between: [link1.tip, link2]}\n"
    "  rod: {type: distance, between: [ground, bob], at: [[0, 0, 1], [3*L, 0, 0]]}\n"
    "forces:\n"
    "  pull: {type: force, on: bob, axis: z, value: {input: pull}}\n"
    "  s: {type: spring-damper, between: [ground, bob], at: [[0, 1, 0], [3*L, 0, 0]],\n"
    "      spring: {table: [[-1, -10], [0, 0], [1, 20]]}, damping: 3}\n"
    "outputs:\n"
    "  height: {of: bob, quantity: position.z}\n"
    "  double: {expression: 2*a.angle + 1 rad}\n"
    "run: {end: 0.01, every: 0.01}\n";

/* A whole life. Any call may fail; `sound` is cleared when one fails without a reason. */
static bool life(const char *text, const char *path, bool *sound)
{
    kl_machine *s = kl_machine_parse(text, strlen(text), "test.yaml");
    if (!s) return false;
    kl_status first = kl_machine_status(s);
    bool      good  = first == KL_OK;
    good &= kl_machine_set(s, "L", 1.5) == KL_OK;
    good &= kl_machine_set_text(s, "kind", "hard") == KL_OK;
    good &= kl_machine_input(s, "pull", 3.0) == KL_OK;
    good &= kl_machine_start(s) == KL_OK;
    good &= kl_machine_advance(s, 0.002) == KL_OK;
    good &= kl_machine_input(s, "pull", 4.0) == KL_OK;
    good &= kl_machine_step(s, 0.003) == KL_OK;
    good &= kl_machine_run(s, path) == KL_OK;
    good &= kl_machine_set(s, "L", 1.0) == KL_OK;
    good &= kl_machine_start(s) == KL_OK;
    /* a call fails for want of memory, or because an earlier one did */
    *sound = good || did_fail;
    if (!*sound) print_message("%s\n", kl_machine_message(s, 0));
    kl_machine_free(s);
    return good;
}

static void a_failed_allocation_is_told_and_leaks_nothing(void **unused)
{
    (void)unused;
    char path[64];
    bool sound = true;
    snprintf(path, sizeof path, "/tmp/klingel-memory-%d.h5", (int)getpid());
    fail_at = 0;
    assert_true(life(model, path, &sound)); /* what others allocate once is there now */
    long failures = 0, told = 0;
    for (fail_at = 1;; fail_at++) {
        long before = live;
        taken       = 0;
        did_fail    = false;
        bool good   = life(model, path, &sound);
        if (live != before)
            fail_msg("%ld blocks leaked when allocation %ld failed", live - before, fail_at);
        if (!sound) fail_msg("a call failed although allocation %ld was not reached", fail_at);
        if (!did_fail) break;
        failures++;
        told += !good;
    }
    remove(path);
    /* HDF5 asks its driver for a file once more when the first answer was no */
    print_message("%ld allocations failed, %ld of them were told\n", failures, told);
    assert_true(failures > 100);
    assert_true(told >= failures - 1);
    fail_at = 0;
}

/* messages need memory too */
static void mistakes_are_told_without_memory(void **unused)
{
    (void)unused;
    static const char *const wrong = "klingel: 1\nparameters: {a: 1 m, b: a + 1 kg}\n"
                                     "bodies:\n  x: {mss: 1, mass: -1}\n  y: {type: rigd}\n"
                                     "joints:\n  j: {type: revolute, between: [x, z], at: [0, 0]}\n"
                                     "outputs: {o: {expression: q.w}}\n";
    for (fail_at = 1;; fail_at++) {
        long before   = live;
        taken         = 0;
        did_fail      = false;
        kl_machine *s = kl_machine_parse(wrong, strlen(wrong), "test.yaml");
        assert_true(!s || kl_machine_status(s) != KL_OK);
        kl_machine_free(s);
        assert_int_equal(live, before);
        if (!did_fail) break;
    }
    fail_at = 0;
}

/* ---- nothing is allocated between two outputs ---- */

static long allocations_in_motion(const char *path, double warm, double end, double every)
{
    kl_diag       *diag   = kl_diag_create();
    kl_source     *source = NULL;
    kl_model      *m      = NULL;
    kl_simulation *s      = NULL;
    const double  *values;
    assert_int_equal(kl_source_read(path, diag, &source), KL_OK);
    assert_int_equal(kl_source_build(source, NULL, 0, diag, &m), KL_OK);
    assert_int_equal(kl_simulation_create(m, diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, diag), KL_OK);
    while (s->solver->s->t < warm) assert_int_equal(kl_simulation_step(s, warm, diag), KL_OK);
    assert_int_equal(kl_simulation_sample(s, diag, &values), KL_OK);
    long before = taken, steps = s->count.steps;
    for (double t = warm + every; t < end; t += every) {
        while (s->solver->s->t < t) assert_int_equal(kl_simulation_step(s, t, diag), KL_OK);
        assert_int_equal(kl_simulation_sample(s, diag, &values), KL_OK);
    }
    assert_true(s->count.steps > steps + 20);
    long during = taken - before;
    kl_simulation_destroy(s);
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(diag);
    return during;
}

static void nothing_is_allocated_between_outputs(void **unused)
{
    (void)unused;
    static const char *const names[] = {"double-pendulum",   "n-four-bar",
                                        "flyball-governor",  "flexible-double-pendulum",
                                        "flexible-four-bar", "free-plate"};
    fail_at                          = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        snprintf(path, sizeof path, KL_SOURCE_DIR "/examples/%s/model.yaml", names[i]);
        long n = allocations_in_motion(path, 0.05, 0.3, 0.01);
        if (n != 0) fail_msg("%s: %ld allocations", names[i], n);
    }
}

/* the same through the library, where messages are forgotten at each call */
static void nothing_is_allocated_by_advance(void **unused)
{
    (void)unused;
    fail_at       = 0;
    kl_machine *s = kl_machine_load(KL_SOURCE_DIR "/examples/double-pendulum/model.yaml");
    assert_int_equal(kl_machine_advance(s, 0.05), KL_OK);
    long before = taken;
    for (int i = 6; i < 50; i++) assert_int_equal(kl_machine_advance(s, 0.01 * i), KL_OK);
    assert_int_equal(taken - before, 0);
    kl_machine_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_allocation_is_told_and_leaks_nothing),
        cmocka_unit_test(mistakes_are_told_without_memory),
        cmocka_unit_test(nothing_is_allocated_between_outputs),
        cmocka_unit_test(nothing_is_allocated_by_advance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
