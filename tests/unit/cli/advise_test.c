/* Modes that do not answer where a body is held: told when a model is read, and advised on. */
#include "unit/cli/run_program.h"

static void shell(const world *w, const char *command)
{
    char text[1000];
    snprintf(text, sizeof text, "cd %s && %s", w->folder, command);
    assert_int_equal(system(text), 0);
}

/* the cantilever of the examples with one vibration mode: it bends along y or z, not both */
static void write_poor(world *w)
{
    shell(w, "cp " KL_SOURCE_DIR "/examples/fatigue-beam/* .");
    shell(w, "sed -i '/^statics/d; /^interfaces/d; /^stress/d; s/^modes.*/modes: 1/' beam.yaml");
}

static void a_reaction_that_modes_do_not_answer_is_told(void **state)
{
    world *w = *state;
    write_poor(w);
    assert_int_equal(run(w, "check", "model.yaml"), 0);
    assert_says(w->err, "warning: body 'beam': its 1 modes omit");
    assert_says(w->err, "marker 'tip' along");
    assert_says(w->err, "where 'load' loads it");
    assert_says(w->err, "interfaces: [tip]");
    /* what it proposes silences it */
    shell(w, "printf 'statics: attachment\\ninterfaces: [tip, root]\\n' >> beam.yaml");
    assert_int_equal(run(w, "check", "model.yaml"), 0);
    assert_null(strstr(w->err, "warning"));
}

static void what_is_advised_can_be_pasted_and_keeps_its_word(void **state)
{
    world *w = *state;
    write_poor(w);
    assert_int_equal(run(w, "fe", "--advise", "model.yaml", "--frequency", "100"), 0);
    assert_says(w->out, "reference: mean-axis");
    assert_says(w->out, "interfaces: {root: [x, y, z, rx, ry, rz], tip: [x, y, z]}");
    assert_says(w->out, "forces at tip: 0 % of the static compliance omitted");
    shell(w,
          "cp stdout advice; sed -i '/^modes/d; /^reference/d' beam.yaml; cat advice >> beam.yaml");
    assert_int_equal(run(w, "check", "model.yaml"), 0);
    assert_null(strstr(w->err, "warning"));
    /* a higher frequency asks for more modes */
    shell(w, "cp " KL_SOURCE_DIR "/examples/fatigue-beam/beam.yaml .");
    assert_int_equal(run(w, "fe", "--advise", "model.yaml", "--frequency", "100"), 0);
    int few = 0, many = 0;
    assert_int_equal(sscanf(strstr(w->out, "\nmodes: "), "\nmodes: %d", &few), 1);
    assert_int_equal(run(w, "fe", "--advise", "model.yaml", "--frequency", "3000"), 0);
    assert_int_equal(sscanf(strstr(w->out, "\nmodes: "), "\nmodes: %d", &many), 1);
    assert_true(many > few && few >= 4);
}

static void parameters_that_the_model_sets_count(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "fe", "--advise",
                         KL_SOURCE_DIR "/examples/flexible-four-bar/model.yaml", "--frequency",
                         "100"),
                     0);
    assert_says(w->out, "crank.yaml, body 'crank', E = ");
    assert_says(w->out, "statics: attachment");
}

static void advice_that_cannot_be_given_is_refused_in_words(void **state)
{
    world *w = *state;
    write_poor(w);
    assert_int_equal(run(w, "fe", "--advise", "no.yaml"), 1);
    assert_int_equal(run(w, "fe", "--advise", "model.yaml", "-o", "a.kbody"), 2);
    assert_says(w->err, "writes no body");
    assert_int_equal(run(w, "fe", "--advise", "model.yaml", "--frequency", "-1"), 2);
    assert_int_equal(run(w, "fe", "--advise"), 2);
    assert_says(w->err, "give one model");
    shell(w, "printf 'klingel: 1\\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\\n' > rigid.yaml");
    assert_int_equal(run(w, "fe", "--advise", "rigid.yaml"), 1);
    assert_says(w->err, "has no flexible bodies");
    assert_int_equal(run(w, "fe", "--advise", "model.yaml", "--set", "flexible=false"), 1);
    assert_says(w->err, "has no modes here");
    assert_int_equal(run(w, "fe", "--advise", "model.yaml", "--set", "nothing=3"), 1);
    assert_says(w->err, "no parameter 'nothing'");
    assert_int_equal(run(w, "fe", "beam.yaml", "--csv", "--set", "size=3"), 2);
    assert_says(w->err, "--set applies only with --advise");
}

/* a moment at the tip, which modes that bend do not answer */
static void moments_are_judged_where_something_is_there_to_bring_them(void **state)
{
    world *w = *state;
    shell(w, "cp " KL_SOURCE_DIR "/examples/fatigue-beam/* .");
    assert_int_equal(run(w, "check", "model.yaml"), 0);
    assert_null(strstr(w->err, "warning")); /* a clamp that could twist it */
    shell(w, "sed -i 's/200 N/200 N m/; s/type: force, on: beam.tip, axis: z/type: torque, on: "
             "beam.tip, axis: x/' "
             "model.yaml");
    assert_int_equal(run(w, "check", "model.yaml"), 0);
    assert_says(
        w->err,
        "omit 100 % of the static compliance at marker 'tip' about x, where 'load' loads it");
    assert_int_equal(run(w, "fe", "--advise", "model.yaml", "--frequency", "100"), 0);
    assert_says(w->out, "tip: [rx]}");
    assert_says(w->out, "moments at tip: 0 % of the static compliance omitted");
    assert_null(strstr(w->out, "forces at tip"));
    /* what it proposes silences it */
    shell(w, "cp stdout advice; sed -i '/^modes/d; /^reference/d; /^statics/d; /^interfaces/d' "
             "beam.yaml; cat advice >> beam.yaml");
    assert_int_equal(run(w, "check", "model.yaml"), 0);
    assert_null(strstr(w->err, "warning"));
}

/* of a body without its mesh: what its modes miss, from the compliance that it keeps */
static void a_reduced_body_is_judged_by_what_it_keeps(void **state)
{
    world *w = *state;
    write_poor(w);
    assert_int_equal(run(w, "fe", "beam.yaml", "-o", "beam.kbody", "-q"), 0);
    shell(w, "sed -i 's/beam.yaml/beam.kbody/' model.yaml");
    assert_int_equal(run(w, "fe", "--advise", "model.yaml", "--frequency", "100"), 0);
    assert_says(w->out, "is already reduced: only its 1 existing modes can be evaluated");
    assert_says(w->out, "no choice of these modes has an error below 1 %");
    assert_says(w->out, "statics: attachment, interfaces: {root: [x, y, z, rx, ry, rz]");
    shell(w, "sed -i 's/^modes.*/modes: 20/' beam.yaml");
    assert_int_equal(run(w, "fe", "beam.yaml", "-o", "beam.kbody", "-q"), 0);
    assert_int_equal(run(w, "fe", "--advise", "model.yaml", "--frequency", "100"), 0);
    assert_says(w->out, "modes omit at most 1 % and reach 100 Hz:\nmodes: 15\n");
}

static void bodies_in_parts_and_parameters_of_the_model_count(void **state)
{
    world *w = *state;
    write_poor(w);
    shell(w, "printf 'klingel: 1\ntemplates:\n  arm:\n    bodies: {beam: {type: flexible, file: "
             "beam.yaml}}\n    joints: {clamp: {type: fixed, between: [ground, beam.root]}}\n"
             "parameters: {which: tip}\nparts: {left: {template: arm}}\n"
             "forces: {pull: {type: force, on: \"left.beam.{which}\", axis: x, value: 1}}\n"
             "run: {end: 1, every: 0.1}\n' > parts.yaml");
    assert_int_equal(run(w, "fe", "--advise", "parts.yaml", "--frequency", "100"), 0);
    assert_says(w->out, "body 'left.beam'");
    assert_says(w->out, "tip (node 623): pull");
    assert_int_equal(run(w, "fe", "--advise", "parts.yaml", "--set", "which=root"), 0);
    assert_says(w->out, "root (node 622): left.clamp, pull");
    assert_null(strstr(w->out, "tip (node"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_reaction_that_modes_do_not_answer_is_told),
        CASE(what_is_advised_can_be_pasted_and_keeps_its_word),
        CASE(parameters_that_the_model_sets_count),
        CASE(advice_that_cannot_be_given_is_refused_in_words),
        CASE(moments_are_judged_where_something_is_there_to_bring_them),
        CASE(a_reduced_body_is_judged_by_what_it_keeps),
        CASE(bodies_in_parts_and_parameters_of_the_model_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
