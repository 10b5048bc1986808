/* klingel vehicle: the report of a rail vehicle has what the single commands say, and its exit code. */
#include "unit/cli/run_program.h"

static const char coach[] = KL_SOURCE_DIR "/examples/manchester-coach/model.yaml";

static char *page_of(const world *w, const char *name)
{
    char *page = calloc(1, 1 << 23);
    assert_non_null(page);
    read_whole(path_of(w, name), page, 1 << 23);
    return page;
}

static void the_report_has_every_part(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "vehicle", coach, "--set", "gust=0", "--to", "100", "--step", "10",
                         "--ride", "straight: speed=60, end=10", "--ride",
                         "curve: track=curve, speed=22, end=20, transition=60", "-o", "v.html"),
                     0);
    char *page = page_of(w, "v.html");
    assert_says(page, "Wheel loads");
    assert_says(page,
                "<td class=\"n\">109.10</td>"); /* leading axle: 44.482 t g/4 and 5 N of pitch */
    assert_says(page, "lower sway");
    assert_says(page, "upper sway");
    assert_says(page, "<td>linear</td><td class=\"n\">8"); /* 81.7 m/s with conicity 0.2 */
    assert_says(page, "Ride straight");
    assert_says(page, "Ride curve");
    assert_says(page, "radius of 600 m");
    assert_says(page, "within</td>");
    free(page);
    assert_int_equal(access(path_of(w, "v-curve.h5"), F_OK), 0);
}

/* 30 m/s in 600 m without cant leave 1.5 m/s2 and more: above the usual limit. */
static void an_exceeded_limit_is_the_exit_code(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "vehicle", coach, "--set", "gust=0", "--to", "20", "--ride",
                         "fast: track=curve, speed=30, end=16", "-o", "v.html"),
                     4);
    char *page = page_of(w, "v.html");
    assert_says(page, "exceeded");
    free(page);
}

/* A ride that fails is missing; the others are reported, and the exit code says so. */
static void a_failed_ride_is_no_success(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "vehicle", coach, "--set", "gust=0", "--to", "20", "--ride",
                         "good: irregularities=good, speed=60, end=5", "--ride", "odd: sped=3",
                         "--ride", "short: irregularities=good, speed=60, end=1", "-o", "v.html"),
                     1);
    assert_says(w->err, "ride `odd` failed and is missing in the report");
    assert_says(w->err, "ride `short` is not assessed: v-short.h5: the run covers");
    char *page = page_of(w, "v.html");
    assert_says(page, "the run failed");
    assert_says(page, "not assessed");
    assert_says(page, "straight.sum_Y_2m");
    free(page);
    assert_int_equal(run(w, "vehicle", coach, "--set", "gust=0", "--to", "20", "--ride",
                         "good: irregularities=good, speed=60, end=5", "--parameter", "velocity",
                         "-o", "v.html"),
                     1);
    assert_says(w->err, "the critical speed is missing in the report");
    page = page_of(w, "v.html");
    assert_null(strstr(page, "is stable up to"));
    free(page);
}

static void mistakes_name_the_remedy(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "vehicle", KL_SOURCE_DIR "/examples/double-pendulum/model.yaml"), 1);
    assert_says(w->err, "has no wheels on rails");
    assert_int_equal(run(w, "vehicle", coach, "--to", "20", "--ride", "curve: fast"), 2);
    assert_says(w->err, "--ride needs \"NAME: PARAMETER=VALUE, ...\"");
    assert_int_equal(
        run(w, "vehicle", coach, "--to", "20", "--ride", "odd: sped=3", "-o", "v.html"), 1);
    assert_says(w->err, "sped");
    assert_says(w->err, "no ride completed");
    assert_int_not_equal(access(path_of(w, "v.html"), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_report_has_every_part),
        CASE(an_exceeded_limit_is_the_exit_code),
        CASE(a_failed_ride_is_no_success),
        CASE(mistakes_name_the_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
