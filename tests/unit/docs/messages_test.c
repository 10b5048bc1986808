/* docs/messages.md: mistakes, the message that each gives, and the cure. The messages are those
 * that the program gives now. KL_RENEW=1 writes the page anew. */
#include <stdlib.h>

#include "base/text.h"
#include "solve/mobility.h"
#include "solve/simulation.h"
#include "unit/build.h"

#define A "bodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
#define AB A "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"

static const struct {
    const char *mistake, *text, *message, *cure;
} cases[] = {
    {"A misspelt key", "bodies:\n  a: {mas: 1}\n", "did you mean `mass`",
     "write the key that is meant; `klingel help rigid` lists them"},
    {"A misspelt section", "body:\n  a: {mass: 1}\n", "unknown section",
     "`klingel list` shows the sections"},
    {"A body that is not there",
     A "joints:\n  j: {type: revolute, between: [grund, a], at: [0, 0, 0]}\n",
     "there is no body 'grund'",
     "ground is there without being listed; all other bodies stand under `bodies:`"},
    {"A marker that is not there",
     A "joints:\n  j: {type: revolute, between: [ground, a.pin], at: [0, 0, 0]}\n",
     "has no marker 'pin'", "name it under the body's `markers:`"},
    {"A type that is not there",
     AB "joints:\n  j: {type: revolut, between: [a, b], at: [0, 0, 0]}\n", "there is no joint type",
     "`klingel list` shows the types"},
    {"A force under joints",
     AB "joints:\n  s: {type: spring-damper, between: [a, b], at: [0, 0, 0]}\n",
     "belongs under `forces:`", "move it to the other section"},
    {"No type", AB "joints:\n  j: {between: [a, b], at: [0, 0, 0]}\n", "type is missing",
     "every joint and force has a type; bodies are rigid unless told"},
    {"No point", AB "joints:\n  j: {type: revolute, between: [a, b]}\n", "`at` is missing",
     "give the point in space where the joint stands at the start, or name markers"},
    {"A joint between a body and itself",
     A "joints:\n  j: {type: revolute, between: [a, a], at: [0, 0, 0]}\n", "and itself",
     "name two different bodies"},
    {"A unit that does not fit",
     AB "forces:\n  s: {type: spring-damper, between: [a, b], at: [[0, 0, 0], [1, 0, 0]], "
        "stiffness: 3 kN}\n",
     "wants a stiffness", "give the unit that the key wants; `klingel help units` tells"},
    {"Hz where rad/s is meant",
     A "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n  d: {type: driver, "
       "of: j, value: {polynomial: [0, 5 Hz]}}\n",
     "rad/s", "an angular speed is in rad/s, rev/s or rpm: `5 rev/s`"},
    {"A parameter that is not there", "bodies:\n  a: {mass: m}\n", "m",
     "declare it under `parameters:`"},
    {"Parameters in a circle", "parameters: {a: b, b: a + 1}\n" A, "needs itself in the end",
     "give one of them a number"},
    {"A negative mass", "bodies:\n  a: {mass: -1}\n", "must not be negative",
     "masses are zero or positive"},
    {"An inertia that no body has", "bodies:\n  a: {mass: 1, inertia: [1, 1, 5]}\n",
     "larger than the sum of the other two",
     "no moment is larger than the sum of the other two; check the unit and the order"},
    {"Two things of one name",
     A "joints:\n  a: {type: fixed, between: [ground, a], at: [0, 0, 0]}\n", "is there twice",
     "bodies, joints and forces share one list of names"},
    {"Like something that is not there", "bodies:\n  a: {like: b}\n", "there is no such body",
     "name an entry of the same section, or `template.entry`"},
    {"A template that contains itself",
     "templates: {t: {parts: {p: {template: t}}}}\nparts: {x: {template: t}}\n",
     "places itself in the end", "take the part out of the template"},
    {"A body that `when` leaves out",
     "parameters: {on: false}\nbodies:\n  a: {mass: 1, when: on}\njoints:\n  j: {type: fixed, "
     "between: [ground, a], at: [0, 0, 0]}\n",
     "left out by its `when`", "give what uses it the same `when`"},
    {"A loop without a variable in the name", "bodies:\n  a: {mass: 1, for: {i: 1..3}}\n",
     "its name must hold a variable", "write the name as \"a{i}\""},
    {"A spring over a joint that comes later",
     A "joints:\n  d: {type: driver, of: j, value: 1}\n  j: {type: revolute, between: [ground, a], "
       "at: [0, 0, 0]}\n",
     "there is no joint 'j' above", "list a joint before what uses it"},
    {"An endless loop in Lua",
     A "forces:\n  f: {type: force, on: a, value: {lua: \"while true do end\"}}\n",
     "does a loop never end", "a function of time must end; a loop needs a bound"},
    {"A global in Lua", A "forces:\n  f: {type: force, on: a, value: {lua: \"y = t return y\"}}\n",
     "write `local y",
     "declare variables with local; what must be remembered is a state of a controller"},
    {"Joints that do not close",
     AB "joints:\n  j: {type: fixed, between: [ground, a], at: [0, 0, 0]}\n  k: {type: fixed, "
        "between: [ground, b], at: [0, 0, 0]}\n  r: {type: distance, between: [a, b], at: [[0, 0, "
        "0], [1, 0, 0]], length: 2}\n",
     "r", "the message names the joint and its gap in mm: move a body, or mend the length"},
    {"A fragment without bodies (nothing to stand on)",
     "joints:\n  j: {type: revolute, between: "
     "[ground, crank], at: [0, 0, 0]}\n",
     "there is no body 'crank'",
     "list the body, or include the file that does; the message names what is missing and what is "
     "near"},
    {"A model without bodies", "run: {end: 1}\n", "has no bodies", "list them under `bodies:`"},
    {"A thing said twice, and differently",
     A
     "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n  d: {type: driver, of: "
     "j, value: 1}\n  e: {type: driver, of: j, value: 2}\n",
     "already driven by 'd'",
     "say it once; two drivers of one coordinate become the `sum` of both"},
    {"One key twice in an entry", "bodies:\n  a: {mass: 1, mass: 2}\n", "twice",
     "take one of them out"},
    {"A start value that nothing can meet",
     A "joints:\n  j: {type: translational, between: [ground, a], at: [0, 0, 0], start: "
       "{displacement: 1, fixed: [displacement]}}\n  k: {type: distance, between: [ground, a], at: "
       "[[0, 0, -1], [0, 0, 0]]}\n",
     "does not close", "values are guesses unless `fixed` names them: leave `fixed` out"},
    {"A start velocity that joints do not allow",
     "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0], fixed: "
     "[velocity]}\njoints:\n "
     " j: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n",
     "the start velocities pull it apart", "leave `fixed` out, or give a velocity that fits"},
    {"Axes that point against each other",
     "bodies:\n  ground: {markers: {q: {at: [0, 0, 0], axis: z}}}\n  a: {mass: 1, inertia: [1, 1, "
     "1], "
     "markers: {p: {at: [0, 0, 0], axis: -z}}}\njoints:\n  j: {type: revolute, between: [ground.q, "
     "a.p]}\n",
     "against each other", "turn one of the bodies, or one of the axes, by 180 degrees"},
    {"A driver of what the joint holds",
     A
     "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n  d: {type: driver, of: "
     "j, coordinate: displacement, value: 1}\n",
     "holds its displacement", "drive a coordinate that the joint leaves free"},
    {"A driver that jumps",
     A
     "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n  d: {type: driver, of: "
     "j, value: {step: {to: 1, start: 0.2, end: 0.2}}}\n",
     "jumps", "let the value change over some time"},
    {"A torque on a point mass",
     "bodies:\n  p: {type: point, mass: 1}\nforces:\n  t: {type: torque, on: p, value: 1}\n",
     "cannot turn", "give the body an inertia"},
    {"A ratio of gears in kg",
     AB
     "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n  k: {type: revolute, "
     "between: [ground, b], at: [1, 0, 0]}\n  c: {type: coupler, joints: [j, k], ratio: 2 kg}\n",
     "a mass", "the unit of a ratio follows from what it couples: none, m or 1/m"},
    {"Bodies that are not where the joints want them",
     "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], markers: {p: {at: [0.1, 0, 0]}}}\njoints:\n  j: "
     "{type: spherical, between: [ground, a.p], at: [0, 0, 0]}\n",
     "assembly moved 'a'", "nothing, if it is near; else write the position as the note says"},
    {"A start velocity that was only a guess",
     "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}\njoints:\n  j: {type: "
     "spherical, between: [ground, a], at: [0, 0, 0]}\n",
     "changed the velocity of 'a'", "give one that fits, or keep it with `fixed: [velocity]`"},
    {"A loop that holds more than it must (in space)",
     AB "  c: {mass: 1, inertia: [1, 1, 1], position: [0.5, 1, 0]}\njoints:\n  j: {type: revolute, "
        "between: [ground, a], at: [0, 0, 0], axis: z}\n  k: {type: revolute, between: [a, c], at: "
        "[0, 1, 0], axis: z}\n  l: {type: revolute, between: [c, b], at: [1, 1, 0], axis: z}\n  m: "
        "{type: revolute, between: [b, ground], at: [1, 0, 0], axis: z}\n",
     "m",
     "it runs as it is; to have forces that are determined, make one hinge `spherical` and "
     "another `universal` or cylindrical"},
    {"A body that can still move",
     A "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n", "free:",
     "`klingel check` names each motion that is left; add a joint if it should not be there"},
    {"A body that nothing holds and that has no mass", "bodies:\n  a: {mass: 0}\n",
     "is not determined", "give a mass and an inertia, or the missing joint"},
};

/* What `klingel check` says about the joints. */
static void word_of_check(kl_solver *x, kl_diag *diag, char out[2000])
{
    kl_mobility *m = NULL;
    assert_int_equal(kl_mobility_find(x, diag, &m), KL_OK);
    const char *text = m->nrepeat         ? m->repeat[0].text
                       : m->singular_text ? m->singular_text
                       : m->locked_text   ? m->locked_text
                       : m->nmotion       ? m->motion[0].text
                                          : "";
    snprintf(out, 2000, "%s%s", m->nmotion && text == m->motion[0].text ? "free: " : "", text);
    kl_mobility_destroy(m);
}

/* The first error of building and starting, or what is told besides. */
static void message_of(const char *body, char out[2000])
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
    if (!*out && s) word_of_check(s->solver, b.diag, out);
    kl_simulation_destroy(s);
    built_free(&b);
}

static void put_cell(kl_text *t, const char *text)
{
    for (; *text; text++) kl_text_add(t, *text == '|' ? "\\%c" : "%c", *text);
}

static void every_mistake_gives_its_message_and_the_page_shows_it(void **unused)
{
    (void)unused;
    kl_text t = {0};
    kl_text_add(&t,
                "# Messages and what to do about them\n\nMade by the tests from what the program "
                "says.\n\n| mistake | message | what to do |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[2000];
        message_of(cases[i].text, message);
        if (!strstr(message, cases[i].message))
            fail_msg("%s: wanted '%s', got '%s'", cases[i].mistake, cases[i].message, message);
        const char *shown =
            strncmp(message, "test.yaml", 9) == 0 ? strchr(message, ' ') + 1 : message;
        kl_text_add(&t, "| %s | ", cases[i].mistake);
        put_cell(&t, shown);
        kl_text_add(&t, " | %s |\n", cases[i].cure);
    }
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
