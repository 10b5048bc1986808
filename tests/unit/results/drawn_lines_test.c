/* Which tracks and rails a picture of a model shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/build.h"
#include "results/drawn_lines.h"
#include "results/scene.h"
#include "unit/test.h"

#define TRACK "tracks: {curve: {layout: [straight 50 m, {curve: 300 m, length: 50 m}]}}\n"
#define TWO_TRACKS                                                                                 \
    "tracks: {curve: {layout: [straight 50 m, {curve: 300 m, length: 50 m}]}, "                    \
    "other: {layout: [straight 90 m]}}\n"
#define AXLE                                                                                       \
    "bodies:\n  axle: {type: wheelset, mass: 1500, inertia: [900, 100, 900], radius: 0.46, "       \
    "wheel: "                                                                                      \
    "S1002, position: [0, 0, 0.46]}\n"

static kl_model *built(const char *text)
{
    kl_diag   *diag   = kl_diag_create();
    kl_source *source = NULL;
    kl_model  *model  = NULL;
    assert_int_equal(kl_source_parse(text, strlen(text), "m.yaml", diag, &source), KL_OK);
    assert_int_equal(kl_source_build(source, NULL, 0, diag, &model), KL_OK);
    kl_source_destroy(source);
    kl_diag_destroy(diag);
    return model;
}

/* Lines that are drawn, and whether a wheelset stands on straight rails. */
static void expect(const char *text, int lines, bool straight)
{
    kl_model *m     = built(text);
    kl_arena *arena = kl_arena_create();
    int       n;
    char     *json = kl_scene_json(m);
    kl_drawn_lines(m, arena, &n);
    assert_int_equal(n, lines);
    assert_int_equal(strstr(json, "\"straight\"") != NULL, straight);
    if (straight) assert_non_null(strstr(json, "\"gauge\": 1.435"));
    free(json);
    kl_arena_destroy(arena);
    kl_model_destroy(m);
}

static void only_the_rails_that_a_vehicle_runs_on_are_drawn(void **unused)
{
    (void)unused;
    const char *end = "run: {end: 1, every: 0.1}\n";
    char        text[1024];
    snprintf(text, sizeof text,
             "klingel: 1\n" TRACK AXLE "forces:\n  rails: {type: wheel-rail, between: "
             "[ground.origin, axle.centre], rail: 60E1, inclination: 1/40, track: curve}\n%s",
             end);
    expect(text, 1, false);
    snprintf(text, sizeof text,
             "klingel: 1\n" TRACK AXLE
             "forces:\n  rails: {type: wheel-rail, between: [ground.origin, axle.centre], rail: "
             "60E1, inclination: 1/40}\n%s",
             end);
    expect(text, 0, true);
    snprintf(text, sizeof text,
             "klingel: 1\n" TWO_TRACKS AXLE
             "forces:\n  rails: {type: wheel-rail, between: [ground.origin, axle.centre], rail: "
             "60E1, inclination: 1/40, track: curve}\n%s",
             end);
    expect(text, 1, false);
}

static void a_track_that_nothing_could_follow_is_scenery(void **unused)
{
    (void)unused;
    expect("klingel: 1\n" TRACK
           "bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\nrun: {end: 1, every: 0.1}\n",
           1, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_rails_that_a_vehicle_runs_on_are_drawn),
        cmocka_unit_test(a_track_that_nothing_could_follow_is_scenery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
