/* klingel fe as a user meets it: table, report, figure, and what it says when there is none. */
#include "unit/cli/run_program.h"

static void write_text(const world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void begins_with(const world *w, const char *name, const char *bytes, size_t n)
{
    char  head[16] = {0};
    FILE *f        = fopen(path_of(w, name), "rb");
    assert_non_null(f);
    assert_int_equal(fread(head, 1, n, f), n);
    fseek(f, 0, SEEK_END);
    assert_true(ftell(f) > 2000); /* a picture, not an empty frame */
    fclose(f);
    assert_memory_equal(head, bytes, n);
}

#define NODES "*NODE\n1,0,0,0\n2,1,0,0\n3,2,0,0\n4,2,1,0\n5,1,1,0\n6,0,1,0\n"
#define STEEL "materials: {s: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}}\nmodes: 5\n"

static void write_bodies(const world *w)
{
    write_text(w, "plate.inp", NODES "*ELEMENT,TYPE=S4,ELSET=E\n1,1,2,5,6\n2,2,3,4,5\n");
    write_text(w, "beam.inp", NODES "*ELEMENT,TYPE=B31,ELSET=E\n1,1,2\n2,2,3\n3,3,4\n");
    write_text(w, "plate.yaml",
               "mesh: plate.inp\n" STEEL "sections: {E: {material: s, thickness: 10 mm}}\n");
    write_text(w, "beam.yaml",
               "mesh: beam.inp\n" STEEL "sections: {E: {material: s, section: circle, radius: 20 "
               "mm}}\n");
    write_text(w, "bare.yaml",
               "mesh: plate.inp\n" STEEL
               "sections: {E: {material: s, thickness: 10 mm}}\nskin: no\n");
}

static void modes_come_as_table_report_and_body(void **state)
{
    world *w = *state;
    write_bodies(w);
    assert_int_equal(run(w, "fe", "plate.yaml", "--csv", "-q", "-o", "plate.kbody"), 0);
    assert_says(w->out, "mode,frequency_hz\n1,");
    assert_null(strstr(w->out, "\n6,"));
    begins_with(w, "plate.kbody", "\211HDF", 4);
    assert_int_equal(run(w, "fe", "plate.yaml", "--report"), 0);
    assert_says(w->out, "mass               157 kg");
    assert_says(w->out, "effective mass");
    assert_says(w->out, "condition");
    assert_says(w->out, "MB (peak)");
    assert_says(w->err, "factor ...");
}

static void modes_of_shells_and_beams_are_drawn(void **state)
{
    world *w = *state;
    write_bodies(w);
    assert_int_equal(run(w, "fe", "plate.yaml", "-q", "--figure", "plate.png"), 0);
    begins_with(w, "plate.png", "\211PNG", 4);
    assert_int_equal(run(w, "fe", "beam.yaml", "-q", "--figure", "beam.svg"), 0);
    begins_with(w, "beam.svg", "<?xml", 5);
}

static void what_cannot_be_drawn_or_written_is_told(void **state)
{
    world *w = *state;
    write_bodies(w);
    assert_int_not_equal(run(w, "fe", "bare.yaml", "-q", "--figure", "a.png"), 0);
    assert_says(w->err, "has no surface to draw");
    assert_int_not_equal(run(w, "fe", "plate.yaml", "-q", "--figure", "none/a.png"), 0);
    assert_says(w->err, "none/a.png could not be written: there is no such file or folder");
    assert_int_not_equal(run(w, "fe", "plate.yaml", "-q", "-o", "none/a.kbody"), 0);
    assert_says(w->err, "none/a.kbody");
    assert_int_equal(run(w, "fe", "plate.yaml"), 2);
    assert_says(w->err, "give at least one of -o");
}

/* The lines of the modes say the same in both; effective masses do not. */
static void principal_axes_report_the_frequencies_of_the_free_body(void **state)
{
    world *w = *state;
    char   mean[200];
    write_bodies(w);
    write_text(w, "turned.yaml",
               "mesh: beam.inp\n" STEEL "sections: {E: {material: s, section: circle, radius: 20 "
               "mm}}\nreference: principal-axis\n");
    assert_int_equal(run(w, "fe", "beam.yaml", "-q", "--report"), 0);
    const char *line = strstr(w->out, "\n   1 ");
    assert_non_null(line);
    snprintf(mean, sizeof mean, "%.19s", line);
    assert_says(mean, " Hz");
    assert_int_equal(run(w, "fe", "turned.yaml", "-q", "--report"), 0);
    assert_says(w->out, mean);
    assert_says(w->out, "residuals of the free body");
}

/* two cubes on one node */
static void a_mesh_with_a_pivot_gives_no_body(void **state)
{
    world *w = *state;
    write_text(w, "touch.inp",
               "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
               "9,2,1,1\n10,2,2,1\n11,1,2,1\n12,1,1,2\n13,2,1,2\n14,2,2,2\n15,1,2,2\n"
               "*ELEMENT,TYPE=C3D8,ELSET=E\n1,1,2,3,4,5,6,7,8\n2,7,9,10,11,12,13,14,15\n");
    write_text(w, "touch.yaml",
               "mesh: touch.inp\nmaterial: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}\n");
    assert_int_not_equal(run(w, "fe", "touch.yaml", "-q", "--csv", "-o", "touch.kbody"), 0);
    assert_says(w->err, "3 motions without stiffness");
    assert_says(w->err, "no body was written");
    assert_string_equal(w->out, "");
    assert_null(fopen(path_of(w, "touch.kbody"), "rb"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(modes_come_as_table_report_and_body),
        CASE(modes_of_shells_and_beams_are_drawn),
        CASE(what_cannot_be_drawn_or_written_is_told),
        CASE(principal_axes_report_the_frequencies_of_the_free_body),
        CASE(a_mesh_with_a_pivot_gives_no_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
