/* klingel plot: figures of all three kinds, and names that must not become commands. */
#include "unit/cli/run_program.h"

static void start_of(const world *w, const char *name, unsigned char *bytes, size_t n)
{
    FILE *f = fopen(path_of(w, name), "rb");
    assert_non_null(f);
    assert_int_equal(fread(bytes, 1, n, f), n);
    fclose(f);
}

static void figures_come_as_svg_png_and_pdf(void **state)
{
    world        *w = *state;
    unsigned char start[5];
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "plot", "p.h5", "x", "y", "-o", "a.svg"), 0);
    assert_string_equal(w->out, "a.svg\n");
    assert_string_equal(w->err, "");
    assert_int_equal(run(w, "plot", "p.h5", "x", "-o", "a.png"), 0);
    assert_int_equal(run(w, "plot", "p.h5", "x", "-o", "a.pdf"), 0);
    start_of(w, "a.svg", start, 5);
    assert_memory_equal(start, "<?xml", 5);
    start_of(w, "a.png", start, 4);
    assert_memory_equal(start, "\x89PNG", 4);
    start_of(w, "a.pdf", start, 5);
    assert_memory_equal(start, "%PDF-", 5);
}

static void the_figure_is_named_after_the_first_channel(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "plot", "p.h5", "hinge.force.*"), 0);
    assert_true(exists(w, "hinge.force.x.svg"));
}

static void units_and_names_stand_in_the_figure(void **state)
{
    world      *w = *state;
    static char svg[1 << 20];
    const char *words[] = {"A pendulum",
                           "hinge.force [N]",
                           "hinge.force.x",
                           "hinge.force.y",
                           "time [s]",
                           "bob.velocity.x [m/s]",
                           NULL};
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "plot", "p.h5", "hinge.force.*", "bob.velocity.x", "-o", "a.svg"), 0);
    read_whole(path_of(w, "a.svg"), svg, sizeof svg);
    for (int i = 0; words[i]; i++) assert_says(svg, words[i]);
}

static void several_results_are_told_apart_by_their_names(void **state)
{
    world      *w = *state;
    static char svg[1 << 20];
    write_pendulum(w, "low.h5", 0.5, "complete");
    write_pendulum(w, "high.h5", 2.5, "complete");
    assert_int_equal(
        run(w, "plot", "low.h5", "high.h5", "hinge.angle", "-t", "Two_runs", "-o", "a.svg"), 0);
    read_whole(path_of(w, "a.svg"), svg, sizeof svg);
    assert_says(svg, ">low<");
    assert_says(svg, ">high<");
    assert_says(svg, "Two_runs");
    assert_says(svg, "hinge.angle [rad]");
    assert_int_equal(run(w, "plot", "low.h5", "high.h5", "y", "--x", "x", "-o", "b.svg"), 0);
    read_whole(path_of(w, "b.svg"), svg, sizeof svg);
    assert_says(svg, "x [m]");
}

/* Quotes, command substitution, line breaks and pipes in all places where a name can stand. */
static void names_cannot_become_commands(void **state)
{
    world          *w      = *state;
    kl_writer      *file   = NULL;
    const char     *evil   = "a'; set print 'owned'; print 1; `touch owned`\nsystem('touch owned')";
    kl_channel_info c[2]   = {{.name = evil, .unit = "`touch owned`'\"$(touch owned)"},
                              {.name = "x"}};
    kl_results_info info   = {.title = "\\n'`touch owned`' @macro \"`touch owned`\""};
    double          row[2] = {0};
    assert_int_equal(kl_writer_create(path_of(w, "'`touch owned`.h5"), &info, c, 2, NULL, &file),
                     KL_OK);
    for (int i = 0; i < 5; i++) {
        row[0] = i, row[1] = i * i;
        assert_int_equal(kl_writer_row(file, i, row), KL_OK);
    }
    assert_int_equal(kl_writer_close(file), KL_OK);
    if (run(w, "plot", "'`touch owned`.h5", "*") != 0) fail_msg("%s", w->err);
    if (run(w, "plot", "'`touch owned`.h5", "./'`touch owned`.h5", "*", "--x", "x", "-o",
            "|touch owned;'`touch owned`.svg") != 0)
        fail_msg("%s", w->err);
    assert_false(exists(w, "owned"));
    assert_true(exists(w, "|touch owned;'`touch owned`.svg"));
}

static void values_that_are_not_finite_are_left_out(void **state)
{
    world          *w    = *state;
    kl_writer      *file = NULL;
    kl_channel_info c[3] = {
        {.name = "some"}, {.name = "none", .unit = "m"}, {.name = "still", .unit = "s"}};
    static char svg[1 << 20];
    assert_int_equal(kl_writer_create(path_of(w, "n.h5"), NULL, c, 3, NULL, &file), KL_OK);
    for (int i = 0; i < 10000; i++) {
        double row[3] = {i % 7 ? i : (double)NAN, i % 2 ? (double)NAN : HUGE_VAL, 3.0};
        assert_int_equal(kl_writer_row(file, i, row), KL_OK);
    }
    assert_int_equal(kl_writer_close(file), KL_OK);
    assert_int_equal(run(w, "plot", "n.h5", "-o", "n.svg"), 0);
    assert_string_equal(w->err, "");
    read_whole(path_of(w, "n.svg"), svg, sizeof svg);
    assert_says(svg, "no finite values");
}

static void a_run_with_one_row_or_none_is_drawn(void **state)
{
    world          *w = *state;
    kl_channel_info c = {.name = "v", .unit = "m"};
    for (int rows = 0; rows < 2; rows++) {
        kl_writer *file  = NULL;
        double     value = 1.0;
        assert_int_equal(kl_writer_create(path_of(w, "n.h5"), NULL, &c, 1, NULL, &file), KL_OK);
        if (rows) assert_int_equal(kl_writer_row(file, 0.0, &value), KL_OK);
        assert_int_equal(kl_writer_close(file), KL_OK);
        assert_int_equal(run(w, "plot", "n.h5", "v"), 0);
        assert_true(exists(w, "v.svg"));
        unlink(path_of(w, "v.svg"));
    }
}

static void a_missing_gnuplot_is_named_with_its_package(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    const char *const call[] = {"plot", "p.h5", "x", NULL};
    assert_int_equal(run_with(w, "PATH=/nowhere", call), 1);
    assert_says(w->err, "apt install gnuplot-nox");
    assert_false(exists(w, "x.svg"));
}

static void wrong_calls_are_refused(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "plot"), 2);
    assert_int_equal(run(w, "plot", "p.h5", "x", "-o", "x.jpg"), 2);
    assert_says(w->err, ".svg, .png or .pdf");
    assert_int_equal(run(w, "plot", "p.h5", "hinge.angel"), 2);
    assert_says(w->err, "did you mean 'hinge.angle'?");
    assert_says(w->err, "no figure was drawn");
    assert_int_equal(run(w, "plot", "p.h5", "x", "--x", "bob.position"), 2);
    assert_says(w->err, "'bob.position.*' matches 2 channels");
    assert_int_equal(run(w, "plot", "p.h5", "x", "-o", "nowhere/x.svg"), 1);
}

static void too_many_curves_are_refused(void **state)
{
    world          *w    = *state;
    kl_writer      *file = NULL;
    kl_channel_info c[70];
    char            names[70][16];
    double          row[70] = {0};
    for (int i = 0; i < 70; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        c[i] = (kl_channel_info){.name = names[i]};
    }
    assert_int_equal(kl_writer_create(path_of(w, "n.h5"), NULL, c, 70, NULL, &file), KL_OK);
    assert_int_equal(kl_writer_row(file, 0.0, row), KL_OK);
    assert_int_equal(kl_writer_close(file), KL_OK);
    assert_int_equal(run(w, "plot", "n.h5", "*"), 2);
    assert_says(w->err, "a figure shows at most");
}

/* Numbers of the longest path of an SVG file. */
static int longest_path(const char *svg, double *v, int most)
{
    const char *best = NULL;
    size_t      size = 0;
    for (const char *p = strstr(svg, " d='"); p; p = strstr(p + 4, " d='")) {
        size_t n = strcspn(p + 4, "'");
        if (n > size) size = n, best = p + 4;
    }
    int n = 0;
    for (const char *p = best; p && p < best + size && n < most; n++) {
        char *end;
        p += strcspn(p, "0123456789-.");
        v[n] = strtod(p, &end);
        p    = end;
    }
    return n;
}

/* Two roads: the rate by the program's own differences, and the channel that holds it. */
static void rates_of_a_phase_plane_are_right(void **state)
{
    enum { MOST = 4000 };
    world  *w     = *state;
    char   *svg   = calloc(1, 1 << 20);
    double *first = calloc(MOST, sizeof *first), *second = calloc(MOST, sizeof *second);
    write_pendulum(w, "p.h5", 1.5, "complete");
    assert_int_equal(run(w, "plot", "p.h5", "x", "--phase", "-t", "same", "-o", "a.svg"), 0);
    assert_int_equal(
        run(w, "plot", "p.h5", "bob.position.x", "--phase", "-t", "same", "-o", "b.svg"), 0);
    read_whole(path_of(w, "a.svg"), svg, 1 << 20);
    int n = longest_path(svg, first, MOST);
    read_whole(path_of(w, "b.svg"), svg, 1 << 20);
    assert_int_equal(longest_path(svg, second, MOST), n);
    assert_true(n > 1000);
    for (int i = 0; i < n; i++) assert_close(first[i], second[i], 2.0); /* of some hundred pixels */
    free(first);
    free(second);
    free(svg);
}

static void spectra_and_phase_planes_are_drawn_with_their_units(void **state)
{
    world      *w = *state;
    static char svg[1 << 21];
    write_pendulum(w, "p.h5", 1.0, "complete");
    write_pendulum(w, "q.h5", 2.0, "complete");
    assert_int_equal(run(w, "plot", "p.h5", "q.h5", "x", "bob.velocity.x", "--psd", "-o", "a.svg"),
                     0);
    read_whole(path_of(w, "a.svg"), svg, sizeof svg);
    const char *words[] = {"frequency [Hz]", "PSD x [m²/Hz]", "(m/s)²/Hz", "10⁻²", ">q<", NULL};
    for (int i = 0; words[i]; i++) assert_says(svg, words[i]);
    assert_int_equal(run(w, "plot", "p.h5", "x", "bob.position.x", "--psd", "-o", "b.svg"), 0);
    read_whole(path_of(w, "b.svg"), svg, sizeof svg);
    assert_says(svg, "PSD [m²/Hz]"); /* no word in common, one blank */
    assert_int_equal(run(w, "plot", "p.h5", "bob.position.x", "--phase"), 0);
    read_whole(path_of(w, "bob.position.x-phase.svg"), svg, sizeof svg);
    assert_says(svg, "bob.position.x [m]");
    assert_says(svg, "rate of bob.position.x [m/s]");
    assert_int_equal(run(w, "plot", "p.h5", "y", "x", "--spectrogram", "-o", "s.svg"), 0);
    read_whole(path_of(w, "s.svg"), svg, sizeof svg);
    assert_says(svg, "x: log₁₀ of density in m²/Hz");
    assert_string_equal(w->err, "");
    assert_int_equal(run(w, "plot", "p.h5", "x", "--spectrogram", "--window", "2", "-o", "s.pdf"),
                     0);
}

static void a_set_of_figures_comes_without_choosing(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    write_pendulum(w, "q.h5", 2.0, "complete");
    assert_int_equal(run(w, "plot", "p.h5", "q.h5", "--auto", "-o", "set", "--format", "png"), 0);
    const char *names[] = {"set/outputs.png",
                           "set/positions.png",
                           "set/forces.png",
                           "set/phase.png",
                           "set/spectra.png",
                           "set/energy.png",
                           NULL};
    for (int i = 0; names[i]; i++) {
        assert_true(exists(w, names[i]));
        assert_says(w->out, names[i]);
    }
    assert_false(exists(w, "set/accelerations.png"));
    assert_int_equal(run(w, "plot", "p.h5", "--auto"), 0);
    assert_true(exists(w, "figures/outputs.svg"));
    assert_int_equal(run(w, "plot", "p.h5", "--auto", "-o", "p.h5"), 1);
    assert_says(w->err, "a file of this name exists");
}

static void kinds_of_figures_that_do_not_go_together_are_refused(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "plot", "p.h5", "x", "--psd", "--phase"), 2);
    assert_says(w->err, "give only one of");
    assert_int_equal(run(w, "plot", "p.h5", "x", "hinge.angle", "--phase"), 2);
    assert_says(w->err, "have different units");
    assert_int_equal(run(w, "plot", "p.h5", "p.h5", "x", "--spectrogram"), 2);
    assert_int_equal(run(w, "plot", "p.h5", "x", "--window", "3"), 2);
    assert_int_equal(run(w, "plot", "p.h5", "x", "--psd", "--window", "-3"), 2);
    assert_int_equal(run(w, "plot", "p.h5", "x", "--auto"), 2);
    assert_int_equal(run(w, "plot", "p.h5", "--auto", "--format", "gif"), 2);
    assert_says(w->err, "svg, png or pdf");
    assert_int_equal(run(w, "plot", "p.h5", "x", "--from", "3", "--to", "2"), 2);
    assert_int_equal(run(w, "plot", "p.h5", "x", "--psd", "--to", "0.05"), 2);
    assert_says(w->err, "'x' has no spectrum");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(figures_come_as_svg_png_and_pdf),
        CASE(the_figure_is_named_after_the_first_channel),
        CASE(units_and_names_stand_in_the_figure),
        CASE(several_results_are_told_apart_by_their_names),
        CASE(names_cannot_become_commands),
        CASE(values_that_are_not_finite_are_left_out),
        CASE(a_run_with_one_row_or_none_is_drawn),
        CASE(a_missing_gnuplot_is_named_with_its_package),
        CASE(wrong_calls_are_refused),
        CASE(too_many_curves_are_refused),
        CASE(rates_of_a_phase_plane_are_right),
        CASE(spectra_and_phase_planes_are_drawn_with_their_units),
        CASE(a_set_of_figures_comes_without_choosing),
        CASE(kinds_of_figures_that_do_not_go_together_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
