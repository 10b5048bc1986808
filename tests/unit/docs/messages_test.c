/* docs/messages.md: mistakes, the message that each gives, and the cure. The messages are those
 * that the program gives now. KL_RENEW=1 writes the page anew. */
#include <stdlib.h>

#include "base/text.h"
#include "solve/mobility.h"
#include "solve/simulation.h"
#include "unit/build_model.h"

#define A "bodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
#define AB A "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"

static const struct {
    const char *mistake, *text, *message, *cure;
} cases[] = {
    {"A misspelt key", "bodies:\n  a: {mas: 1}\n", "did you mean `mass`",
     "correct the key; `klingel help rigid` lists the keys"},
    {"A misspelt section", "body:\n  a: {mass: 1}\n", "unknown section",
     "`klingel list` shows the sections"},
    {"A body that does not exist",
     A "joints:\n  j: {type: revolute, between: [grund, a], at: [0, 0, 0]}\n",
     "there is no body 'grund'",
     "list the body under `bodies:`; only `ground` exists without being listed"},
    {"A marker that does not exist",
     A "joints:\n  j: {type: revolute, between: [ground, a.pin], at: [0, 0, 0]}\n",
     "has no marker 'pin'", "define it under `markers:` of the body"},
    {"A type that does not exist",
     AB "joints:\n  j: {type: revolut, between: [a, b], at: [0, 0, 0]}\n", "there is no joint type",
     "`klingel list` shows the types"},
    {"A force under joints",
     AB "joints:\n  s: {type: spring-damper, between: [a, b], at: [0, 0, 0]}\n",
     "belongs under `forces:`", "move it to the other section"},
    {"No type", AB "joints:\n  j: {between: [a, b], at: [0, 0, 0]}\n", "type is missing",
     "give every joint and force a `type`; a body without `type` is rigid"},
    {"No point", AB "joints:\n  j: {type: revolute, between: [a, b]}\n", "`at` is missing",
     "give the position of the joint at the start, or name markers"},
    {"A joint between a body and itself",
     A "joints:\n  j: {type: revolute, between: [a, a], at: [0, 0, 0]}\n", "with itself",
     "name two different bodies"},
    {"A unit that does not fit",
     AB "forces:\n  s: {type: spring-damper, between: [a, b], at: [[0, 0, 0], [1, 0, 0]], "
        "stiffness: 3 kN}\n",
     "expected a stiffness",
     "give the unit that the message shows; `klingel help units` lists the units"},
    {"Hz where rad/s is meant",
     A "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n  d: {type: driver, "
       "of: j, value: {polynomial: [0, 5 Hz]}}\n",
     "rad/s", "an angular speed is in rad/s, rev/s or rpm: `5 rev/s`"},
    {"A parameter that does not exist", "bodies:\n  a: {mass: m}\n", "m",
     "declare it under `parameters:`"},
    {"Parameters that depend on each other", "parameters: {a: b, b: a + 1}\n" A,
     "depends on itself", "give one of them a number"},
    {"A negative mass", "bodies:\n  a: {mass: -1}\n", "must not be negative",
     "masses are zero or positive"},
    {"An inertia that is physically impossible", "bodies:\n  a: {mass: 1, inertia: [1, 1, 5]}\n",
     "none may exceed the sum of the other two",
     "no moment is larger than the sum of the other two; check the unit and the order"},
    {"Two elements with the same name",
     A "joints:\n  a: {type: fixed, between: [ground, a], at: [0, 0, 0]}\n", "is used twice",
     "rename one; bodies, joints and forces share one list of names"},
    {"`like` of an entry that does not exist", "bodies:\n  a: {like: b}\n", "there is no such body",
     "name an entry of the same section, or `template.entry`"},
    {"A template that contains itself",
     "templates: {t: {parts: {p: {template: t}}}}\nparts: {x: {template: t}}\n", "contains itself",
     "remove the part from the template"},
    {"A body that `when` leaves out",
     "parameters: {on: false}\nbodies:\n  a: {mass: 1, when: on}\njoints:\n  j: {type: fixed, "
     "between: [ground, a], at: [0, 0, 0]}\n",
     "left out by its `when`", "give the entries that use it the same `when`"},
    {"A loop without a variable in the name", "bodies:\n  a: {mass: 1, for: {i: 1..3}}\n",
     "its name must contain the loop variable", "write the name as \"a{i}\""},
    {"A spring over a joint that comes later",
     A "joints:\n  d: {type: driver, of: j, value: 1}\n  j: {type: revolute, between: [ground, a], "
       "at: [0, 0, 0]}\n",
     "there is no joint 'j' above", "list a joint before the elements that use it"},
    {"An endless loop in Lua",
     A "forces:\n  f: {type: force, on: a, value: {lua: \"while true do end\"}}\n",
     "check for an infinite loop", "a function of time must end; a loop needs a bound"},
    {"A global in Lua", A "forces:\n  f: {type: force, on: a, value: {lua: \"y = t return y\"}}\n",
     "write `local y",
     "declare variables with `local`; to keep a value between calls use a state of a controller"},
    {"Joints that do not close",
     AB "joints:\n  j: {type: fixed, between: [ground, a], at: [0, 0, 0]}\n  k: {type: fixed, "
        "between: [ground, b], at: [0, 0, 0]}\n  r: {type: distance, between: [a, b], at: [[0, 0, "
        "0], [1, 0, 0]], length: 2}\n",
     "r", "move a body or correct the length; the message gives the joint and its gap in mm"},
    {"A fragment of a model without its bodies",
     "joints:\n  j: {type: revolute, between: "
     "[ground, crank], at: [0, 0, 0]}\n",
     "there is no body 'crank'", "list the body, or include the file that defines it"},
    {"A model without bodies", "run: {end: 1}\n", "has no bodies", "list them under `bodies:`"},
    {"Two drivers of one coordinate",
     A
     "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n  d: {type: driver, of: "
     "j, value: 1}\n  e: {type: driver, of: j, value: 2}\n",
     "already driven by 'd'", "remove one driver, or combine both values with `sum`"},
    {"One key twice in an entry", "bodies:\n  a: {mass: 1, mass: 2}\n", "twice",
     "remove one of them"},
    {"An initial value that contradicts the joints",
     A "joints:\n  j: {type: translational, between: [ground, a], at: [0, 0, 0], start: "
       "{displacement: 1, fixed: [displacement]}}\n  k: {type: distance, between: [ground, a], at: "
       "[[0, 0, -1], [0, 0, 0]]}\n",
     "does not close", "remove `fixed`: initial values that it does not list are only guesses"},
    {"A start velocity that joints do not allow",
     "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0], fixed: "
     "[velocity]}\njoints:\n "
     " j: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n",
     "the initial velocities violate this joint",
     "remove `fixed`, or give a velocity that the joints allow"},
    {"Axes that point in opposite directions",
     "bodies:\n  ground: {markers: {q: {at: [0, 0, 0], axis: z}}}\n  a: {mass: 1, inertia: [1, 1, "
     "1], "
     "markers: {p: {at: [0, 0, 0], axis: -z}}}\njoints:\n  j: {type: revolute, between: [ground.q, "
     "a.p]}\n",
     "in opposite directions", "turn one of the bodies, or one of the axes, by 180 degrees"},
    {"A driver of a coordinate that the joint constrains",
     A
     "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n  d: {type: driver, of: "
     "j, coordinate: displacement, value: 1}\n",
     "constrains its displacement", "drive a coordinate that the joint leaves free"},
    {"A driver that jumps",
     A
     "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n  d: {type: driver, of: "
     "j, value: {step: {to: 1, start: 0.2, end: 0.2}}}\n",
     "jumps", "let the value change over some time"},
    {"A torque on a point mass",
     "bodies:\n  p: {type: point, mass: 1}\nforces:\n  t: {type: torque, on: p, value: 1}\n",
     "without rotation", "give the body an inertia"},
    {"A ratio of gears in kg",
     AB
     "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n  k: {type: revolute, "
     "between: [ground, b], at: [1, 0, 0]}\n  c: {type: coupler, joints: [j, k], ratio: 2 kg}\n",
     "a mass", "the unit of a ratio follows from the coupled coordinates: none, m or 1/m"},
    {"Bodies whose positions do not fit the joints",
     "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], markers: {p: {at: [0.1, 0, 0]}}}\njoints:\n  j: "
     "{type: spherical, between: [ground, a.p], at: [0, 0, 0]}\n",
     "assembly moved 'a'", "nothing if the distance is small; otherwise correct the position"},
    {"A start velocity that was only a guess",
     "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}\njoints:\n  j: {type: "
     "spherical, between: [ground, a], at: [0, 0, 0]}\n",
     "changed the velocity of 'a'",
     "give a velocity that the joints allow, or keep it with `fixed: [velocity]`"},
    {"A closed loop with redundant constraints",
     AB "  c: {mass: 1, inertia: [1, 1, 1], position: [0.5, 1, 0]}\njoints:\n  j: {type: revolute, "
        "between: [ground, a], at: [0, 0, 0], axis: z}\n  k: {type: revolute, between: [a, c], at: "
        "[0, 1, 0], axis: z}\n  l: {type: revolute, between: [c, b], at: [1, 1, 0], axis: z}\n  m: "
        "{type: revolute, between: [b, ground], at: [1, 0, 0], axis: z}\n",
     "m",
     "the model runs; for unique reaction forces replace one revolute joint by `spherical` and "
     "another by `universal` or `cylindrical`"},
    {"A body that can still move",
     A "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n",
     "free:", "`klingel check` lists the degrees of freedom; add a joint if one is not intended"},
    {"Contradicting initial values of two joints",
     AB
     "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0], start: {angle: 30 deg, "
     "fixed: [angle]}}\n  k: {type: revolute, between: [ground, b], at: [1, 0, 0], start: {angle: "
     "40 deg, fixed: [angle]}}\n  c: {type: coupler, joints: [j, k], ratio: 1}\n",
     "does not close", "give the value at one of them only"},
    {"A misspelt start",
     A "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0], start: {angel: 1}}\n",
     "did you mean `angle`", "a start value has the name of the joint's channel"},
    {"An initial value of a coordinate that the joint does not have",
     A "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0], start: {height: 1}}\n",
     "the keys are angle, angular_speed, fixed; `klingel help joints` describes them",
     "a start value has the name of the joint's channel: `klingel help revolute` shows them"},
    {"An input that does not exist",
     A "inputs: {speed: {unit: rad}}\njoints:\n  j: {type: revolute, between: [ground, a], at: [0, "
       "0, 0]}\n  d: {type: driver, of: j, value: {input: sped}}\n",
     "there is no input 'sped'", "define it under `inputs:`"},
    {"A shaft with two fixed bearings (double cardan joint)",
     "bodies:\n  in: {mass: 1, inertia: [1, 1, 1]}\n  mid: {like: in, position: [0.5, 0, 0]}\n  "
     "out: "
     "{like: in, position: [1, 0, 0]}\njoints:\n  left: {type: revolute, between: [ground, in], "
     "at: "
     "[0, 0, 0], axis: x}\n  first: {type: universal, between: [in, mid], at: [0, 0, 0], axis: [z, "
     "y]}\n  second: {type: universal, between: [mid, out], at: [1, 0, 0], axis: [y, z]}\n  right: "
     "{type: revolute, between: [ground, out], at: [1, 0, 0], axis: x}\n",
     "right has 1 redundant constraint",
     "the model runs; for unique bearing forces remove the redundant constraint, here with a "
     "`cylindrical` bearing"},
    {"A mechanism that starts in a singular position",
     "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n  b: {like: a, position: "
     "[2.5, 0, 0]}\n  c: {like: a, position: [2, 0, 0]}\njoints:\n  j: {type: revolute, between: "
     "[ground, a], at: [0, 0, 0], axis: y}\n  k: {type: revolute, between: [ground, b], at: [2, 0, "
     "0], axis: y}\n  l: {type: revolute, between: [a, c], at: [1, 0, 0], axis: y}\n  m: {type: "
     "point-on-line, between: [b, c], at: [3, 0, 0], axis: y}\n",
     "singular position", "start it in a nearby position on the intended branch"},
    {"A linkage that cannot move",
     "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n  b: {like: a, position: "
     "[1.5, 0, 0]}\njoints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n "
     " "
     "k: {type: revolute, between: [a, b], at: [1, 0, 0], axis: z}\n  l: {type: revolute, between: "
     "[b, ground], at: [2, 0, 0], axis: z}\n",
     "locked:", "release a direction that the message names, or correct a length"},
    {"A free body without mass", "bodies:\n  a: {mass: 0}\n", "is not determined",
     "give a mass and an inertia, or the missing joint"},
};

/* Where users of other programs got stuck with model input and assembly, and the mistakes above that
 * this is here. */
static const struct {
    const char *thread, *happened, *mistakes[3];
} known[] = {
    {"StemVibrations/STEM#315",
     "speed and wheels had to be given twice",
     {"Two drivers of one coordinate", "Two elements with the same name"}},
    {"gdbaldw/BlenderAndMBDyn#13",
     "a node was missing; the solver spoke of a token in a line",
     {"A body that does not exist", "A fragment of a model without its bodies"}},
    {"SciML/ModelingToolkit.jl#5011",
     "default start values became conditions",
     {"An initial value that contradicts the joints", "A start velocity that was only a guess"}},
    {"RobotLocomotion/drake#18803",
     "loops could not be written",
     {"A closed loop with redundant constraints"}},
    {"jgerstmayr/EXUDYN#39",
     "a loop of hinges in space was singular",
     {"A closed loop with redundant constraints"}},
    {"OpenModelica/OpenModelica#8365, #8116",
     "a double cardan joint ended in an internal error",
     {"A shaft with two fixed bearings (double cardan joint)"}},
    {"OpenModelica/OpenModelica#4525",
     "redundant start equations were reported unclearly",
     {"Contradicting initial values of two joints", "A start velocity that joints do not allow"}},
    {"modelica/ModelicaStandardLibrary#944, #3875",
     "examples were nearly singular at the start",
     {"A mechanism that starts in a singular position"}},
    {"simbody/simbody#162",
     "a weld was assembled half a turn wrong",
     {"Axes that point in opposite directions"}},
    {"simbody/simbody#167",
     "assembling an assembled model made it worse",
     {"Bodies whose positions do not fit the joints"}},
    {"simbody/simbody#718, opensim-org/opensim-gui#86",
     "assembly failed and named no joint",
     {"Joints that do not close"}},
    {"realthunder/FreeCAD_assembly3#778",
     "the program gave only the number of free motions",
     {"A body that can still move"}},
    {"FreeCAD/FreeCAD#20377, #18406, #23002",
     "constraints were dropped in silence",
     {"A linkage that cannot move", "A closed loop with redundant constraints"}},
    {"google-deepmind/mujoco#172, #2698", "four-bars came apart", {"Joints that do not close"}},
};

/* What `klingel check` says about the joints: the first line that holds `wanted`. */
static void word_of_check(kl_solver *x, kl_diag *diag, const char *wanted, char out[2000])
{
    kl_mobility *m = NULL;
    assert_int_equal(kl_mobility_find(x, diag, &m), KL_OK);
    const char *lines[4] = {m->nrepeat ? m->repeat[0].text : NULL, m->singular_text, m->locked_text,
                            NULL};
    char        motion[500];
    snprintf(motion, sizeof motion, "free: %s", m->nmotion ? m->motion[0].text : "");
    if (m->nmotion) lines[3] = motion;
    for (int i = 0; i < 4 && !*out; i++)
        if (lines[i] && strstr(lines[i], wanted)) snprintf(out, 2000, "%s", lines[i]);
    kl_mobility_destroy(m);
}

/* The first error of building and starting, or what is told besides. */
static void message_of(const char *body, const char *wanted, char out[2000])
{
    char text[3000];
    snprintf(text, sizeof text, "klingel: 1\n%s", body);
    built          b;
    kl_simulation *s      = NULL;
    kl_status      status = try_build(text, &b);
    const double  *values;
    if (status == KL_OK) status = kl_simulation_create(b.model, b.diag, &s);
    if (status == KL_OK) status = kl_simulation_start(s, b.diag);
    if (status == KL_OK) status = kl_simulation_sample(s, b.diag, &values);
    *out = '\0';
    for (int i = 0; i < kl_diag_size(b.diag) && !*out; i++)
        if (kl_diag_at(b.diag, i)->severity == KL_ERROR)
            snprintf(out, 2000, "%s", kl_diag_at(b.diag, i)->text);
    for (int i = 0; i < kl_diag_size(b.diag) && !*out; i++)
        snprintf(out, 2000, "%s", kl_diag_at(b.diag, i)->text);
    if (!*out && s) word_of_check(s->solver, b.diag, wanted, out);
    kl_simulation_destroy(s);
    built_free(&b);
}

static void put_cell(kl_text *t, const char *text)
{
    for (; *text; text++) kl_text_add(t, *text == '|' ? "\\%c" : "%c", *text);
}

static void put_known(kl_text *t)
{
    kl_text_add(
        t, "\n## Problems reported by users of other programs\n\nThe table lists public reports "
           "about model input and assembly, and the corresponding mistakes above.\n\n"
           "| thread | what happened | mistake |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        kl_text_add(t, "| %s | %s | ", known[i].thread, known[i].happened);
        for (int k = 0; k < 3 && known[i].mistakes[k]; k++) {
            bool there = false;
            for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
                there |= strcmp(cases[c].mistake, known[i].mistakes[k]) == 0;
            if (!there) fail_msg("no mistake is called '%s'", known[i].mistakes[k]);
            kl_text_add(t, "%s%s", k ? "; " : "", known[i].mistakes[k]);
        }
        kl_text_add(t, " |\n");
    }
}

static void every_mistake_gives_its_message_and_the_page_shows_it(void **unused)
{
    (void)unused;
    kl_text t = {0};
    kl_text_add(&t,
                "# Messages and what to do about them\n\nA test compares this page with the "
                "messages of the program.\n\n| mistake | message | what to do |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[2000];
        message_of(cases[i].text, cases[i].message, message);
        if (!strstr(message, cases[i].message))
            fail_msg("%s: wanted '%s', got '%s'", cases[i].mistake, cases[i].message, message);
        const char *shown =
            strncmp(message, "test.yaml", 9) == 0 ? strchr(message, ' ') + 1 : message;
        kl_text_add(&t, "| %s | ", cases[i].mistake);
        put_cell(&t, shown);
        kl_text_add(&t, " | %s |\n", cases[i].cure);
    }
    put_known(&t);
    char *want = kl_text_finish(&t);
    if (getenv("KL_RENEW")) {
        FILE *f = fopen(KL_SOURCE_DIR "/docs/messages.md", "wb");
        assert_non_null(f);
        fputs(want, f);
        fclose(f);
    }
    char *have = calloc(1, 1 << 18);
    FILE *f    = fopen(KL_SOURCE_DIR "/docs/messages.md", "rb");
    assert_non_null(f);
    (void)!fread(have, 1, (1 << 18) - 1, f);
    fclose(f);
    if (strcmp(have, want) != 0)
        fail_msg("docs/messages.md is not what the program says; renew it with KL_RENEW=1 "
                 "build/tests/unit-docs-messages_test");
    free(have);
    free(want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_gives_its_message_and_the_page_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
