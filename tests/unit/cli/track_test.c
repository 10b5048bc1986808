#include "unit/cli/run_program.h"

#define EXAMPLES KL_SOURCE_DIR "/examples/tracks/"

static void write_text(const world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void an_example_becomes_a_table_and_figures(void **state)
{
    world            *w         = *state;
    const char *const figures[] = {"plan", "profile", "curvature", "cant", "space"};
    char              name[64], start[64];
    assert_int_equal(
        run(w, "track", EXAMPLES "railway.yaml", "-o", "r.ktrack", "--figures", "figures"), 0);
    assert_string_equal(w->err, "");
    assert_says(w->out, "smallest radius");
    assert_says(w->out, "table");
    assert_says(w->out, "r.ktrack\n");
    assert_true(exists(w, "r.ktrack"));
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "figures/%s.svg", figures[i]);
        assert_says(w->out, name);
        read_whole(path_of(w, name), start, sizeof start);
        assert_says(start, "<?xml");
    }
    /* a table can be looked at again */
    assert_int_equal(run(w, "track", "r.ktrack", "--csv", "r.csv"), 0);
    assert_says(w->out, "smallest radius");
    read_whole(path_of(w, "r.csv"), start, sizeof start);
    assert_says(start, "L,g.x,g.y,g.z,t.x");
}

static void the_default_name_and_parameters_work(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "track", EXAMPLES "roller-coaster.yaml", "--set", "spline=cubic", "-s",
                         "spacing=2m", "--quiet"),
                     0);
    assert_string_equal(w->out, "roller-coaster.ktrack\n");
    assert_true(exists(w, "roller-coaster.ktrack"));
    assert_int_equal(run(w, "track", EXAMPLES "roller-coaster.yaml", "--set", "splin=cubic"), 1);
    assert_says(w->err, "no parameter 'splin'");
    assert_int_equal(run(w, "track", EXAMPLES "roller-coaster.yaml", "--set", "spline"), 2);
}

static void checks_warn_and_name_the_line(void **state)
{
    world *w = *state;
    write_text(w, "t.yaml",
               "klingel: 1\n"
               "track:\n"
               "  layout:\n"
               "    - straight 40 m\n"
               "    - curve 50 m radius for 60 m cant 3 deg\n" /* no transition */
               "    - straight 40 m\n"
               "  profile: [{grade: 0, length: 20 m}, {grade: 3 %, length: 50 m}]\n"
               "  checks: {radius: 80 m, slope: 1 deg, roll_jerk: 1 deg/m2}\n");
    assert_int_equal(run(w, "track", "t.yaml"), 0);
    assert_says(w->err, "t.yaml:5:7: warning: the radius is 50.0");
    assert_says(w->err, "the roll jumps by 3 deg");
    assert_says(w->err, "t.yaml:4:7: warning: the direction has a kink of 1.72 deg at 20 m");
    assert_says(w->err, "the slope is 1.718 deg");
    assert_true(exists(w, "t.ktrack"));

    /* a way that runs through itself */
    write_text(w, "eight.yaml",
               "klingel: 1\n"
               "track:\n"
               "  points: [[0,0,0], [40,20,0], [60,0,0], [40,-20,0], [0,0.01,0], [-40,20,0]]\n");
    assert_int_equal(run(w, "track", "eight.yaml"), 0);
    assert_says(w->err, "the track crosses itself");
}

static void mistakes_leave_nothing_behind(void **state)
{
    world *w = *state;
    write_text(w, "bad.yaml",
               "klingel: 1\ntrack:\n  points: [[0,0,0], [1,0,.nan], [2,0,0], [2,0,0]]\n");
    assert_int_equal(run(w, "track", "bad.yaml", "-o", "b.ktrack"), 1);
    assert_says(w->err, "bad.yaml:3:26: control point 2: z is .nan");
    assert_says(w->err, "no track was written");
    assert_string_equal(w->out, "");
    assert_false(exists(w, "b.ktrack"));
    assert_int_equal(run(w, "track", "none.yaml"), 1);
    assert_says(w->err, "none.yaml");
    assert_int_equal(run(w, "track"), 2);
    assert_says(w->err, "the track is missing; name its file");
    assert_int_equal(run(w, "track", "a.yaml", "b.yaml"), 2);
    assert_int_equal(run(w, "track", EXAMPLES "railway.yaml", "-o", "/nowhere/r.ktrack"), 1);
    assert_says(w->err, "/nowhere/r.ktrack: cannot be created");
    write_text(w, "own.yaml", "klingel: 1\ntrack: {layout: [straight 5 m]}\n");
    assert_int_equal(run(w, "track", "own.yaml", "-o", "own.yaml"), 2);
    assert_says(w->err, "would overwrite its source");
    write_text(w, "fake.ktrack", "klingel: 1\n");
    assert_int_equal(run(w, "track", "fake.ktrack"), 1);
    assert_says(w->err, "is not a track file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_example_becomes_a_table_and_figures),
        CASE(the_default_name_and_parameters_work),
        CASE(checks_warn_and_name_the_line),
        CASE(mistakes_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
