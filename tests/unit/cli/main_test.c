/* The frame: help, versions, misspelt commands and options. */
#include "unit/cli/run_program.h"

/* Longest line and number of lines. */
static void measure(const char *text, int *width, int *height)
{
    int column = 0;
    *width = *height = 0;
    for (; *text; text++) {
        bool continues = ((unsigned char)*text & 0xC0) == 0x80;
        if (*text == '\n') column = 0, ++*height;
        else if (!continues) column++;
        if (column > *width) *width = column;
    }
}

static void the_overview_fits_a_terminal(void **state)
{
    world *w = *state;
    int    width, height;
    assert_int_equal(run(w, "--help"), 0);
    measure(w->out, &width, &height);
    assert_true(width <= 80 && height <= 40);
    assert_says(w->out, "export");
    assert_string_equal(w->err, "");
}

static void nothing_at_all_is_answered_with_the_overview(void **state)
{
    world *w = *state;
    assert_int_equal(run_with(w, NULL, (const char *const[]){NULL}), 2);
    assert_says(w->err, "usage: klingel COMMAND");
}

static void the_version_is_told(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "--version"), 0);
    assert_true(strncmp(w->out, "klingel ", 8) == 0);
}

/* Names of commands are the first words of the indented lines of the overview. */
static void every_command_has_help_that_fits_a_terminal(void **state)
{
    world *w = *state;
    char   overview[1 << 16], name[64];
    int    found = 0, width, height;
    assert_int_equal(run(w, "--help"), 0);
    snprintf(overview, sizeof overview, "%s", w->out);
    for (char *line = strtok(overview, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "  ", 2) != 0 || sscanf(line, "%63s", name) != 1) continue;
        found++;
        assert_int_equal(run(w, name, "--help"), 0);
        measure(w->out, &width, &height);
        if (width > 80) fail_msg("`klingel %s --help` is %d columns wide", name, width);
        if (height > 24) fail_msg("`klingel %s --help` has %d lines", name, height);
        assert_says(w->out, name);
        assert_says(w->out, "--help");
        assert_int_equal(run(w, name, "--no-such-option"), 2);
        assert_says(w->err, "no option --no-such-option");
    }
    assert_true(found >= 3);
}

static void a_misspelt_command_gets_a_suggestion(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "exprot"), 2);
    assert_says(w->err, "did you mean 'export'?");
    assert_int_equal(run(w, "zzzzzzzz"), 2);
    assert_says(w->err, "no command 'zzzzzzzz'");
    assert_null(strstr(w->err, "did you mean"));
}

static void options_are_checked_and_suggested(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "export", "p.h5", "--evry", "3"), 2);
    assert_says(w->err, "did you mean --every?");
    assert_int_equal(run(w, "export", "p.h5", "--every"), 2);
    assert_says(w->err, "--every needs a value: N");
    assert_int_equal(run(w, "export", "p.h5", "--every", "0"), 2);
    assert_says(w->err, "not a whole number of at least 1");
    assert_int_equal(run(w, "export", "p.h5", "--every", "3x"), 2);
    assert_int_equal(run(w, "export", "p.h5", "--every", "99999999999"), 2);
    assert_int_equal(run(w, "export", "p.h5", "--from", "soon"), 2);
    assert_says(w->err, "'soon' is not a time");
    assert_int_equal(run(w, "export", "p.h5", "--from=nan"), 2);
    assert_int_equal(run(w, "export", "p.h5", "--all=yes"), 2);
    assert_says(w->err, "takes no value");
    assert_int_equal(run(w, "export", "p.h5", "-z"), 2);
    assert_says(w->err, "no option -z");
    assert_int_equal(run(w, "export"), 2);
    assert_says(w->err, "give a results file");
}

/* All forms of one call. */
static void options_may_be_written_in_any_usual_way(void **state)
{
    world *w = *state;
    char   expected[1 << 16];
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "export", "p.h5", "--from", "-1", "--every", "500", "x"), 0);
    snprintf(expected, sizeof expected, "%s", w->out);
    assert_int_equal(run(w, "export", "--every=500", "--from=-1", "p.h5", "x"), 0);
    assert_string_equal(w->out, expected);
    assert_int_equal(run(w, "export", "p.h5", "--every", "500", "--", "x"), 0);
    assert_string_equal(w->out, expected);
    assert_int_equal(run(w, "export", "-oa.csv", "p.h5", "--every", "500", "x"), 0);
    read_whole(path_of(w, "a.csv"), w->out, sizeof w->out);
    assert_string_equal(w->out, expected);
}

static void the_doctor_names_every_library_with_its_version(void **state)
{
    static const char *const libraries[] = {"HDF5 ", "libyaml ", "Lua ", "OpenBLAS "};
    world                   *w           = *state;
    assert_int_equal(run(w, "doctor"), 0);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const char *at = strstr(w->out, libraries[i]);
        if (!at || !strchr("0123456789", at[strlen(libraries[i])]))
            fail_msg("no version of %s", libraries[i]);
    }
}

/* A long type and a long name stay apart from what follows. */
static void columns_of_check_stay_apart(void **state)
{
    world *w = *state;
    FILE  *f = fopen(path_of(w, "m.yaml"), "w");
    assert_non_null(f);
    fputs("klingel: 1\nbodies: {bar: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n  hinge: {type: "
          "revolute, between: [ground, bar], at: [0, 0, 0]}\nforces:\n  a-name-of-some-length: "
          "{type: rotational-spring-damper, of: hinge, stiffness: 1}\n",
          f);
    fclose(f);
    assert_int_equal(run(w, "check", "m.yaml"), 0);
    assert_says(w->out, "rotational-spring-damper ground - bar");
    assert_says(w->out, "a-name-of-some-length rotational-spring-damper");
}

/* A table that a shell redirects to a full disk: not complete, and not exit code 0. `stdout` of the folder
 * becomes a link to a device that takes nothing. */
static void a_full_disk_behind_standard_output_is_an_error(void **state)
{
    world *w = *state;
    if (access("/dev/full", W_OK) != 0) skip();
    write_pendulum(w, "p.h5", 1.0, "complete");
    unlink(path_of(w, "stdout"));
    assert_int_equal(symlink("/dev/full", path_of(w, "stdout")), 0);
    assert_int_equal(run(w, "list"), 1);
    assert_says(w->err, "standard output could not be written completely");
    assert_int_equal(run(w, "export", "p.h5"), 1);
    assert_int_equal(run(w, "--help"), 1);
    assert_int_equal(run(w, "no-such-command"), 2); /* writes nothing there */
    unlink(path_of(w, "stdout"));
}

/* Templates of vehicle parts: each has a line in the list and a page with its law, parameters and elements. */
static void templates_of_vehicles_have_help(void **state)
{
    world *w = *state;
    char   list[1 << 16], name[64];
    int    found = 0, width, height;
    assert_int_equal(run(w, "list"), 0);
    char *at = strstr(w->out, "Templates of rail vehicles");
    assert_non_null(at);
    snprintf(list, sizeof list, "%s", strchr(at, '\n') + 1);
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "  ", 2) != 0 || sscanf(line, "%63s", name) != 1) continue;
        found++;
        measure(line, &width, &height);
        if (width < 30 || width > 80) fail_msg("the line of '%s' in the list is '%s'", name, line);
        assert_int_equal(run(w, "help", name), 0);
        char *page = strstr(w->out, "(template)");
        measure(page ? page : w->out, &width, &height);
        if (width > 80) fail_msg("`klingel help %s` is %d columns wide", name, width);
        assert_says(w->out, "(template)");
        assert_says(w->out, "Parameters with their default values");
        assert_says(w->out, "include: [klingel:vehicles/");
    }
    assert_true(found >= 25);
    assert_int_equal(run(w, "help", "air_spring"), 0);
    assert_says(w->out, "1.5 cm2\n                    area times discharge coefficient");
    assert_int_equal(run(w, "help", "leaf_sprng"), 2);
    assert_says(w->err, "did you mean 'leaf_spring'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_overview_fits_a_terminal),
        CASE(nothing_at_all_is_answered_with_the_overview),
        CASE(the_version_is_told),
        CASE(every_command_has_help_that_fits_a_terminal),
        CASE(templates_of_vehicles_have_help),
        CASE(a_misspelt_command_gets_a_suggestion),
        CASE(options_are_checked_and_suggested),
        CASE(options_may_be_written_in_any_usual_way),
        CASE(the_doctor_names_every_library_with_its_version),
        CASE(columns_of_check_stay_apart),
        CASE(a_full_disk_behind_standard_output_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
