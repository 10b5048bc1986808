/* klingel report: verdicts on limits against closed forms, and a model that is found again from elsewhere. */
#include "unit/cli/run_program.h"

/* Let go level, a bar of length 2 a on a hinge is lowest at -2 a, where its pin carries
 * m g (1 + 2 m a^2 / J), J about the hinge. */
static const char model[] =
    "klingel: 1\n"
    "title: Pendulum\n"
    "parameters: {a: 250 mm, most: 480 mm}\n"
    "bodies:\n"
    "  arm: {mass: 2, inertia: [0.04, 0.04, 0.001], position: [a, 0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y}\n"
    "outputs:\n"
    "  tip: {of: arm, point: [a, 0, 0], quantity: position.z, limit: most, rule: drawing <7>}\n"
    "  pull: {expression: 'sqrt(hinge.force.x^2 + hinge.force.z^2)', limit: 80 N}\n"
    "run: {end: 2, every: 0.001}\n";

static void write_model(const world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* The cells of the row that begins with `name`, between bars. */
static void row_of(const char *page, const char *name, char *out, size_t size)
{
    char   start[64];
    size_t n = 0;
    snprintf(start, sizeof start, "<tr><td>%s</td>", name);
    const char *p = strstr(page, start);
    if (!p) fail_msg("there is no row '%s'", name);
    for (bool inside = false; *p && strncmp(p, "</tr>", 5) != 0 && n + 1 < size; p++) {
        if (*p == '<') inside = true;
        else if (*p == '>') {
            if (inside && n && out[n - 1] != '|') out[n++] = '|';
            inside = false;
        } else if (!inside) out[n++] = *p;
    }
    out[n] = '\0';
}

static void limits_are_judged_by_the_largest_size(void **state)
{
    world *w    = *state;
    char  *page = calloc(1, 1 << 20), row[200];
    double rest[4];
    write_model(w, "m.yaml", model);
    assert_int_equal(run(w, "run", "m.yaml", "-q", "-o", "m.h5"), 0);
    assert_int_equal(run(w, "report", "m.h5", "-o", "r.html"), 0);
    read_whole(path_of(w, "r.html"), page, 1 << 20);
    row_of(page, "tip", row, sizeof row);
    assert_int_equal(sscanf(row, "tip|drawing &lt;7&gt;|%lf|%lf|%lf|m|%lf", &rest[0], &rest[1],
                            &rest[2], &rest[3]),
                     4);
    assert_close(rest[0], 0.5, 1e-5);
    assert_close(rest[2], 0.48, 1e-12);
    assert_close(rest[3], 104.0, 0.2);
    assert_says(row, "fail");
    row_of(page, "pull", row, sizeof row);
    double a = 0.25, m = 2.0, g = 9.81, j = 0.04 + m * a * a;
    assert_int_equal(
        sscanf(row, "pull|%*[^|]|%lf|%lf|%lf|N|%lf", &rest[0], &rest[1], &rest[2], &rest[3]), 4);
    assert_close(rest[0], m * g * (1.0 + 2.0 * m * a * a / j), 1e-3);
    assert_says(row, "pass");
    assert_says(page, "class=\"limit\"");

    assert_int_equal(run(w, "run", "m.yaml", "-q", "--set", "most=0.6", "-o", "n.h5"), 0);
    assert_int_equal(run(w, "report", "n.h5", "-o", "n.html"), 0);
    read_whole(path_of(w, "n.html"), page, 1 << 20);
    row_of(page, "tip", row, sizeof row);
    assert_says(row, "pass");
    free(page);
}

static void limits_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *output, *said;
    } wrong[] = {
        {"{of: arm, quantity: position.z, limit: 3 kg}", "is in m, but its limit is in kg"},
        {"{of: arm, quantity: position.z, limit: -3}", "above 0"},
        {"{of: arm, quantity: position.z, limit: 0}", "above 0"},
        {"{of: arm, quantity: position.z, rule: x}", "names the source of its `limit`"},
        {"{expression: hinge.angle, limit: 2 N}", "is in rad, but its limit is in N"}};
    world *w = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%.*s  bad: %s\n", (int)(strstr(model, "run:") - model), model,
                 wrong[i].output);
        write_model(w, "bad.yaml", text);
        assert_int_equal(run(w, "check", "bad.yaml"), 1);
        assert_says(w->err, wrong[i].said);
        assert_says(w->err, "bad.yaml:11:");
    }
}

static void limits_are_not_kept_by_what_is_missing(void **state)
{
    static const char *const names[] = {"never", "often"};
    static const char *const said[]  = {"no numbers", "values missing"};
    world                   *w       = *state;
    char                    *page    = calloc(1, 1 << 20), row[200], text[1400];
    snprintf(text, sizeof text,
             "%.*s  never: {expression: \"sqrt(tip - 1 m)\", limit: 2}\n  often: {expression: "
             "\"sqrt(tip + 0.4 m)\", limit: 2}\n%s",
             (int)(strstr(model, "run:") - model), model, strstr(model, "run:"));
    write_model(w, "m.yaml", text);
    assert_int_equal(run(w, "run", "m.yaml", "-q", "--end", "0.5", "-o", "it's m.h5"), 0);
    assert_int_equal(run(w, "report", "it's m.h5", "-o", "r.html"), 0);
    read_whole(path_of(w, "r.html"), page, 1 << 20);
    for (int i = 0; i < 2; i++) {
        row_of(page, names[i], row, sizeof row);
        assert_says(row, said[i]);
    }
    assert_says(page, "klingel run m.yaml --end 0.5 -o ");
    assert_null(strstr(page, "klingel view it&#39;s m.h5"));
    free(page);
}

/* A force that is no number from 0.2 s on ends the run; its report says so and judges nothing. */
static void a_failed_run_keeps_its_limits_only_so_far(void **state)
{
    world *w    = *state;
    char  *page = calloc(1, 1 << 20), row[200], text[1400];
    snprintf(text, sizeof text,
             "%.*sforces:\n  f: {type: force, on: arm, axis: z, value: {expression: \"sqrt(0.2 - "
             "t)\"}}\n%s",
             (int)(strstr(model, "outputs:") - model), model, strstr(model, "outputs:"));
    write_model(w, "m.yaml", text);
    int code = run(w, "run", "m.yaml", "-q", "-o", "m.h5");
    if (code == 1) fail_msg("%s", w->err);
    assert_int_equal(code, 3);
    assert_int_equal(run(w, "report", "m.h5", "-o", "r.html"), 0);
    read_whole(path_of(w, "r.html"), page, 1 << 20);
    row_of(page, "pull", row, sizeof row);
    assert_says(row, "pass so far");
    assert_says(page, "did not reach its end");
    assert_null(strstr(page, "<p>None.</p>"));
    free(page);
}

static void without_limits_nothing_is_judged(void **state)
{
    world *w    = *state;
    char  *page = calloc(1, 1 << 20);
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "report", "p.h5", "-o", "p.html"), 0);
    read_whole(path_of(w, "p.html"), page, 1 << 20);
    assert_null(strstr(page, "Assessment"));
    free(page);
}

/* A ball falls by h on a spring: approach speed sqrt(2 g h), largest force m g + sqrt((m g)^2 + k m v^2). */
static void impacts_are_listed(void **state)
{
    world *w    = *state;
    char  *page = calloc(1, 1 << 20), row[200];
    double impacts, closed, force, until, number, speed, peak;
    write_model(
        w, "b.yaml",
        "klingel: 1\nbodies:\n  ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.2]}\n"
        "contacts:\n  floor: {between: [ball, ground], shapes: [{sphere: 0.1}, plane], law: "
        "linear, stiffness: 1e6}\nrun: {end: 0.25, every: 0.05}\nintegrator: {type: "
        "generalized-alpha, tolerance: 1e-8}\n"); /* forces are seen at ends of steps: short ones */
    assert_int_equal(run(w, "run", "b.yaml", "-q", "-o", "b.h5"), 0);
    assert_int_equal(run(w, "report", "b.h5", "-o", "b.html"), 0);
    read_whole(path_of(w, "b.html"), page, 1 << 20);
    row_of(page, "floor", row, sizeof row);
    assert_int_equal(sscanf(row, "floor|%lf|%lf|%lf", &impacts, &closed, &force), 3);
    assert_close(impacts, 1.0, 1e-12);
    assert_close(force, 9.81 + sqrt(9.81 * 9.81 + 1e6 * 2 * 9.81 * 0.1),
                 14.0); /* at ends of steps */
    row_of(strstr(page, "until time"), "floor", row, sizeof row);
    assert_int_equal(sscanf(row, "floor|%lf|%lf|%lf|%lf", &until, &number, &speed, &peak), 4);
    assert_close(until, 0.15, 1e-12);
    assert_close(speed, sqrt(2 * 9.81 * 0.1), 1e-3);
    assert_close(peak, force, 1e-9);
    free(page);
}

/* Results elsewhere, read from elsewhere: the folder of the run is kept. */
static void a_model_is_found_again_from_another_folder(void **state)
{
    world *w = *state, other = {0};
    char   results[100];
    write_model(w, "part.yaml",
                "templates:\n  stick:\n    bodies:\n      rod: {mass: 1, inertia: [0.1, 0.1, 0.1], "
                "position: [0, 0, 0]}\n");
    write_model(w, "m.yaml",
                "klingel: 1\ninclude: [part.yaml]\nparts: {one: {template: stick}}\n"
                "joints:\n  pin: {type: revolute, between: [ground, one.rod], at: [0.1, 0, 0], "
                "axis: y}\nrun: {end: 0.2, every: 0.01}\n");
    assert_int_equal(run(w, "run", "m.yaml", "-q", "--checkpoint", "0.1", "-o", "m.h5"), 0);
    snprintf(other.folder, sizeof other.folder, "/tmp/klingel-other-XXXXXX");
    assert_non_null(mkdtemp(other.folder));
    snprintf(results, sizeof results, "%s/m.h5", w->folder);
    assert_int_equal(run(&other, "run", "--restart", results, "--end", "0.3", "-q", "-o", "on.h5"),
                     0);
    assert_true(exists(&other, "on.h5"));
    remove(path_of(&other, "on.h5"));
    remove(path_of(&other, "stdout"));
    remove(path_of(&other, "stderr"));
    assert_int_equal(rmdir(other.folder), 0);
}

/* Stress of a run from a body that is another one by now would be wrong. */
static void a_body_that_changed_since_the_run_is_refused(void **state)
{
    static const char beam[] =
        "mesh: {line: [[0, 0, 0], [1 m, 0, 0]], parts: 4}\nmaterials: {m: {E: %d GPa, nu: 0.3, "
        "density: 7850 kg/m3}}\nsections: {line: {material: m, section: circle, radius: 10 mm}}\n"
        "modes: 4\nmarkers: {root: {at: [0, 0, 0]}}\nstress: {nodes: surface}\n";
    world *w = *state;
    char   text[600];
    for (int pass = 0; pass < 2; pass++) {
        snprintf(text, sizeof text, beam, pass ? 70 : 210);
        write_model(w, "beam.yaml", text);
        if (!pass) {
            write_model(w, "m.yaml",
                        "klingel: 1\nbodies: {b: {type: flexible, file: beam.yaml}}\n"
                        "run: {end: 0.01, every: 0.005}\n");
            assert_int_equal(run(w, "run", "m.yaml", "-q", "--checkpoint", "0.005", "-o", "m.h5"),
                             0);
            assert_int_equal(run(w, "stress", "m.h5"), 0);
        }
    }
    assert_int_equal(run(w, "stress", "m.h5"), 1);
    assert_says(w->err, "'b' has changed since this run");
    assert_int_not_equal(run(w, "run", "--restart", "m.h5", "--end", "0.02"), 0);
    assert_says(w->err, "'b' has changed since this run");
}

/* HIC from rows that miss the blow says so. */
static void hic_from_coarse_rows_is_warned_of(void **state)
{
    world *w    = *state;
    char  *page = calloc(1, 1 << 20);
    write_model(w, "h.yaml",
                "klingel: 1\n"
                "parameters: {row: 10 ms}\n"
                "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                "outputs:\n"
                "  head_x: {of: b, quantity: accelerometer.x}\n"
                "  head_y: {of: b, quantity: accelerometer.y}\n"
                "  head_z: {of: b, quantity: accelerometer.z}\n"
                "run: {end: 1, every: row}\n");
    for (int fine = 0; fine < 2; fine++) {
        assert_int_equal(
            run(w, "run", "h.yaml", "-q", "--set", fine ? "row=1 ms" : "row=10 ms", "-o", "h.h5"),
            0);
        assert_int_equal(run(w, "report", "h.h5", "-o", "h.html"), 0);
        read_whole(path_of(w, "h.html"), page, 1 << 20);
        assert_says(page, "HIC15");
        assert_int_equal(strstr(page, "run: {every: 1 ms}") != NULL, !fine);
    }
    free(page);
}

/* In a curve without cant the wheelsets together carry m v^2/R: 44.482 t at 30 m/s on 600 m. */
static void lateral_forces_in_a_curve_add_up(void **state)
{
    static const char *const wheelset[] = {"coach.front.lead.rails", "coach.front.trail.rails",
                                           "coach.rear.lead.rails", "coach.rear.trail.rails"};
    world                   *w          = *state;
    char                    *page       = calloc(1, 1 << 22), row[300];
    double                   sum        = 0.0;
    assert_int_equal(run(w, "run", KL_SOURCE_DIR "/examples/coach-in-curve/model.yaml", "-q",
                         "--end", "9", "-o", "c.h5"),
                     0);
    assert_int_equal(run(w, "report", "c.h5", "-o", "c.html"), 0);
    read_whole(path_of(w, "c.html"), page, 1 << 22);
    assert_says(page, "Running safety and track loading");
    assert_says(page, "large_radius.sum_Y_2m"); /* a curve of 600 m is none of small radius */
    assert_says(page, "Ride comfort");
    assert_says(page, "P_CT_standing");
    assert_says(page, "radius of 600 m");
    for (int i = 0; i < 4; i++) {
        double x[6];
        char   name[100];
        row_of(page, wheelset[i], row, sizeof row);
        assert_int_equal(sscanf(row, "%99[^|]|%lf|%lf|%lf|%lf|%lf|%lf", name, &x[0], &x[1], &x[2],
                                &x[3], &x[4], &x[5]),
                         7);
        assert_close(x[4], x[0] - x[1], 0.02); /* sum Y; figures of four digits */
        sum += x[4];
    }
    assert_close(sum, -44.482 * 900.0 / 600.0, 0.2);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(lateral_forces_in_a_curve_add_up),
        CASE(hic_from_coarse_rows_is_warned_of),
        CASE(limits_are_judged_by_the_largest_size),
        CASE(limits_that_do_not_fit_are_refused),
        CASE(limits_are_not_kept_by_what_is_missing),
        CASE(a_failed_run_keeps_its_limits_only_so_far),
        CASE(without_limits_nothing_is_judged),
        CASE(impacts_are_listed),
        CASE(a_body_that_changed_since_the_run_is_refused),
        CASE(a_model_is_found_again_from_another_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
