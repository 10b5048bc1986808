/* A run that cannot go on: what it says, how it ends, and the model that it leaves. */
#include "unit/cli/run_program.h"

static void save(const world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* The bushing ends where its frames have turned by a whole turn. */
static const char *const bushing = "forces: {b: {type: bushing, between: [ground, a], at: [0, 0, "
                                   "0], stiffness: [1, 1, 1, 1, 1, 1]}}\n";

static void a_failed_run_of_several_files_leaves_one_that_can_be_run_again(void **state)
{
    world *w = *state;
    char   text[1000];
    assert_int_equal(mkdir(path_of(w, "sub"), 0700), 0);
    assert_int_equal(mkdir(path_of(w, "far"), 0700), 0);
    save(w, "sub/wheel.yaml",
         "klingel: 1\nparameters: {spin: 1 rad/s, J: 1}\n"
         "bodies: {a: {mass: 1, inertia: [J, J, J], omega: [0, 0, spin]}}\n"
         "joints: {h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}}\n");
    snprintf(text, sizeof text, "klingel: 1\ninclude: [sub/wheel.yaml]\n%srun: {end: 3}\n",
             bushing);
    save(w, "m.yaml", text);
    assert_int_equal(run(w, "run", "m.yaml", "--set", "spin=9", "-o", "far/m.h5"), 3);
    assert_says(w->err, "bushing 'b'");
    assert_says(w->err, "far/m.h5.failed.yaml");
    /* it starts just before, and ends with the same words */
    assert_int_equal(run(w, "run", "far/m.h5.failed.yaml", "-o", "again.h5"), 3);
    assert_says(w->err, "bushing 'b'");
    assert_int_equal(run(w, "check", "far/m.h5.failed.yaml"), 0);
}

static void what_cannot_begin_is_a_mistake_in_the_model(void **state)
{
    world *w = *state;
    save(w, "free.yaml", "klingel: 1\nbodies: {a: {mass: 0, inertia: [0, 0, 0]}}\n");
    assert_int_equal(run(w, "run", "free.yaml"), 1);
    save(w, "nan.yaml",
         "klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
         "forces: {f: {type: force, on: a, value: {lua: 0/0}}}\n");
    assert_int_equal(run(w, "run", "nan.yaml"), 1);
    assert_says(w->err, "force 'f'");
    save(w, "open.yaml",
         "klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
         "joints: {j: {type: fixed, between: [ground, a], at: [0, 0, 0]},\n"
         "         k: {type: distance, between: [ground, a], at: [[1, 0, 0], [0, 0, 0]], length: "
         "2}}\n");
    assert_int_equal(run(w, "run", "open.yaml"), 1);
    assert_says(w->err, "nothing was run");
}

static void outputs_that_are_no_numbers_are_told(void **state)
{
    world *w = *state;
    save(w, "o.yaml",
         "klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
         "outputs: {o: {expression: 1/(a.position.x - a.position.x)}}\nrun: {end: 0.05}\n");
    assert_int_equal(run(w, "run", "o.yaml"), 0);
    assert_says(w->err, "output 'o' is not a finite number at any time");
}

static void times_take_units_on_the_command_line(void **state)
{
    world *w = *state;
    save(w, "u.yaml", "klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n");
    assert_int_equal(run(w, "run", "u.yaml", "-o", "u.h5", "--end", "50ms"), 0);
    assert_int_equal(run(w, "export", "u.h5", "time", "--from", "0.04 s"), 0);
    assert_int_equal(run(w, "run", "u.yaml", "--end", "5kg"), 2);
    assert_says(w->err, "'5kg' is a mass; give a time");
    assert_int_equal(run(w, "run", "u.yaml", "--set", "q=3"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_failed_run_of_several_files_leaves_one_that_can_be_run_again),
        CASE(what_cannot_begin_is_a_mistake_in_the_model),
        CASE(outputs_that_are_no_numbers_are_told),
        CASE(times_take_units_on_the_command_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
