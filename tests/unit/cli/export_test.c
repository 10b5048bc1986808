/* klingel export: tables that read back to the same bits, and every way to ask for the wrong thing.
 */
#include "unit/cli/run_program.h"

#include <sys/stat.h>

#include "post/motion_file.h"

static int count_lines(const char *text)
{
    int n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

static void a_table_starts_with_time_and_reads_back_bit_for_bit(void **state)
{
    world     *w = *state;
    kl_reader *r = NULL;
    write_pendulum(w, "p.h5", 1.5, "complete");
    assert_int_equal(run(w, "export", "p.h5", "hinge.force.y", "bob.position.x"), 0);
    assert_string_equal(w->err, "");
    assert_true(strncmp(w->out, "time,hinge.force.y,bob.position.x\n", 34) == 0);
    assert_int_equal(count_lines(w->out), 1002);

    double *column[3];
    assert_int_equal(kl_reader_open(path_of(w, "p.h5"), NULL, &r), KL_OK);
    for (int j = 0; j < 3; j++) column[j] = calloc(1001, sizeof(double));
    assert_int_equal(kl_reader_time(r, column[0]), KL_OK);
    assert_int_equal(kl_reader_column(r, kl_reader_find(r, "hinge.force.y"), column[1]), KL_OK);
    assert_int_equal(kl_reader_column(r, kl_reader_find(r, "bob.position.x"), column[2]), KL_OK);
    char *p = strchr(w->out, '\n') + 1;
    for (int i = 0; i < 1001; i++)
        for (int j = 0; j < 3; j++) {
            assert_true(strtod(p, &p) == column[j][i]);
            assert_int_equal(*p++, j < 2 ? ',' : '\n');
        }
    for (int j = 0; j < 3; j++) free(column[j]);
    kl_reader_close(r);
}

static void numbers_have_no_digits_too_many(void **state)
{
    world          *w    = *state;
    kl_writer      *file = NULL;
    kl_channel_info c    = {.name = "v"};
    const double    v[]  = {0.1, 1e300, -2.5, NAN, -HUGE_VAL, 1.0 / 3.0};
    assert_int_equal(kl_writer_create(path_of(w, "n.h5"), NULL, &c, 1, NULL, &file), KL_OK);
    for (int i = 0; i < 6; i++) assert_int_equal(kl_writer_row(file, 0.1 * i, &v[i]), KL_OK);
    assert_int_equal(kl_writer_close(file), KL_OK);
    assert_int_equal(run(w, "export", "n.h5"), 0);
    assert_string_equal(w->out, "time,v\n0,0.1\n0.1,1e+300\n0.2,-2.5\n0.30000000000000004,nan\n"
                                "0.4,-inf\n0.5,0.3333333333333333\n");
}

static void without_names_the_outputs_of_the_model_come(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "export", "p.h5"), 0);
    assert_true(strncmp(w->out, "time,x,y\n", 9) == 0);
    assert_int_equal(run(w, "export", "p.h5", "--all"), 0);
    assert_says(w->out, "time,bob.position.x,bob.position.y,bob.velocity.x,hinge.angle,");
}

static void patterns_choose_and_nothing_comes_twice(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "export", "p.h5", "*.force.?", "time", "bob.*.x", "hinge.force.x"), 0);
    assert_true(strncmp(w->out, "time,hinge.force.x,hinge.force.y,bob.position.x,bob.velocity.x\n",
                        63) == 0);
}

static void unknown_channels_are_all_named_with_a_way_out(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(
        run(w, "export", "p.h5", "bob.posiiton.x", "hinge", "q*", "zebra", "x", "-o", "n.csv"), 2);
    assert_says(w->err, "there is no channel 'bob.posiiton.x'; did you mean 'bob.position.x'?");
    assert_says(w->err, "'hinge.*' matches 3 channels");
    assert_says(w->err, "no channel matches the pattern 'q*'");
    assert_says(w->err, "--list");
    assert_says(w->err, "4 errors; nothing was written");
    assert_string_equal(w->out, "");
    assert_false(exists(w, "n.csv"));
}

static void rows_are_chosen_by_time_and_number(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "export", "p.h5", "x", "--from", "2.3", "--to", "2.6", "--every", "10"),
                     0);
    assert_int_equal(count_lines(w->out), 5);
    assert_says(w->out, "time,x\n2.3000000000000003,"); /* a bit more than was typed */
    assert_says(w->out, "\n2.6,");
    assert_int_equal(run(w, "export", "p.h5", "x", "--from", "20"), 0);
    assert_string_equal(w->out, "time,x\n");
}

static void the_list_tells_name_unit_and_meaning(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "export", "p.h5", "--list"), 0);
    assert_int_equal(count_lines(w->out), 9);
    assert_says(w->out, "bob.velocity.x  m/s   velocity of the bob\n");
    assert_says(w->out, "output: height\n");
}

static void a_file_appears_whole_or_not_at_all(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "export", "p.h5", "x", "-o", "x.csv"), 0);
    assert_string_equal(w->out, "");
    read_whole(path_of(w, "x.csv"), w->out, sizeof w->out);
    assert_int_equal(count_lines(w->out), 1002);
    assert_int_equal(run(w, "export", "p.h5", "x", "-o", "nowhere/x.csv"), 1);
    assert_says(w->err, "nowhere/x.csv could not be written");
    assert_int_equal(run(w, "export", "p.h5", "x", "-o", "/dev/full"), 1);
    assert_says(w->err, "the disk is full");
    assert_int_equal(run(w, "export", "p.h5", "-o", "./p.h5"), 2);
    assert_says(w->err, "would overwrite the results");
    assert_int_equal(run(w, "export", "p.h5", "--list"), 0);
}

static void endings_of_other_kinds_of_files_are_refused(void **state)
{
    static const char *const names[] = {"x.gltf", "x.GLB", "x.vtk", "x.xlsx"};
    world                   *w       = *state;
    write_pendulum(w, "p.h5", 1.5, "complete");
    for (int i = 0; i < 4; i++) {
        assert_int_equal(run(w, "export", "p.h5", "-o", names[i]), 2);
        assert_says(w->err, "unknown file type");
        assert_false(exists(w, names[i]));
    }
    assert_int_equal(run(w, "export", "p.h5", "-o", "x.xlsx", "--format", "csv"), 0);
    assert_int_equal(run(w, "export", "p.h5", "-o", "x.mp4", "--speed", "0"), 2);
}

static void a_run_that_did_not_end_well_is_said(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "interrupted");
    assert_int_equal(run(w, "export", "p.h5", "x", "--every", "500"), 0);
    assert_says(w->err, "not completed (interrupted); it contains 1001 rows");
}

static void a_reader_that_goes_away_is_no_mistake(void **state)
{
    world *w = *state;
    char   name[200], first[8];
    int    ends[2], status = 0;
    write_pendulum(w, "p.h5", 1.0, "complete");
    snprintf(name, sizeof name, "%s", path_of(w, "p.h5"));
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        char *const argv[] = {(char[]){"klingel"}, (char[]){"export"}, name, (char[]){"--all"},
                              NULL};
        int         err    = open(path_of(w, "stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(ends[1], STDOUT_FILENO), dup2(err, STDERR_FILENO);
        close(ends[0]);
        execv(KL_PROGRAM, argv);
        _exit(127);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], first, 8), 8);
    close(ends[0]);
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    read_whole(path_of(w, "stderr"), w->err, sizeof w->err);
    assert_string_equal(w->err, "");
}

static void files_that_are_no_results_are_refused(void **state)
{
    world *w = *state;
    FILE  *f = fopen(path_of(w, "model.yaml"), "w");
    fputs("title: not results\n", f);
    fclose(f);
    assert_int_equal(run(w, "export", "model.yaml"), 1);
    assert_says(w->err, "model.yaml: is not a results file");
    assert_int_equal(run(w, "export", "absent.h5"), 1);
    assert_says(w->err, "No such file");
    assert_int_equal(run(w, "repair", "absent.h5"), 1);
    assert_int_equal(run(w, "plot", "absent.h5", "x"), 1);
}

static void a_mat_file_has_all_numbers_by_columns(void **state)
{
    world *w = *state;
    double y[2], last;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "export", "p.h5", "x", "y", "--every", "500", "-o", "p.mat"), 0);
    assert_int_equal(run(w, "export", "p.h5", "y", "--every", "500"), 0);
    FILE *f = fopen(path_of(w, "p.mat"), "rb");
    assert_int_equal(fseek(f, -8L * 3, SEEK_END),
                     0); /* three rows: the last column ends the file */
    assert_int_equal(fread(y, 8, 2, f) + fread(&last, 8, 1, f), 3);
    fclose(f);
    const char *line = strstr(w->out, "\n0,");
    assert_true(strtod(line + 3, NULL) == y[0]);
    line = strstr(w->out, "\n10,");
    assert_true(strtod(line + 4, NULL) == last);

    assert_int_equal(run(w, "export", "p.h5", "--format", "mat"), 2);
    assert_says(w->err, "give a name with -o FILE.mat");
    assert_int_equal(run(w, "export", "p.h5", "--format", "xls"), 2);
    assert_says(w->err, "--format must be csv or mat, not 'xls'");
    assert_int_equal(run(w, "export", "p.h5", "-f", "csv", "-o", "q.mat", "x"), 0);
    read_whole(path_of(w, "q.mat"), w->out, sizeof w->out);
    assert_true(strncmp(w->out, "time,x\n", 7) == 0);
}

/* Results with a scene of one body that moves. */
static void write_moving(const world *w, const char *name)
{
    static const kl_channel_info c[] = {
        {.name = "a.position.x"}, {.name = "a.position.y"}, {.name = "a.position.z"}};
    const kl_results_info info = {
        .title      = "moving",
        .scene_json = "{\"length\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": "
                      "\"a\", \"type\": \"rigid\", \"points\": [[0, 0, 1]]}]}"};
    kl_writer *file = NULL;
    assert_int_equal(kl_writer_create(path_of(w, name), &info, c, 3, NULL, &file), KL_OK);
    for (int i = 0; i < 1000; i++) {
        double row[3] = {1e-3 * i, 0, 0};
        assert_int_equal(kl_writer_row(file, 1e-3 * i, row), KL_OK);
    }
    assert_int_equal(kl_writer_close(file), KL_OK);
}

static void motion_goes_to_paraview_and_browsers(void **state)
{
    world *w = *state;
    write_moving(w, "m.h5");
    assert_int_equal(run(w, "export", "m.h5", "-o", "m.pvd"), 0);
    assert_says(w->err, "one row in 5 of 1000 rows");
    assert_true(exists(w, "m.pvd") && exists(w, "m/frame-00199.vtp"));
    assert_false(exists(w, "m/frame-00200.vtp"));
    assert_int_equal(run(w, "export", "m.h5", "-o", "n.pvd", "--every", "100"), 0);
    assert_true(exists(w, "n/frame-00009.vtp"));
    assert_false(exists(w, "n/frame-00010.vtp"));
    assert_int_equal(run(w, "export", "m.h5", "-o", "m.glb"), 0);
    assert_true(exists(w, "m.glb"));
    assert_int_equal(run(w, "export", "m.h5", "a.position.x", "-o", "m.glb"), 2);
    assert_says(w->err, "do not name channels");
    assert_int_equal(run(w, "export", "m.h5", "--from", "7", "-o", "e.glb"), 1);
    assert_says(w->err, "no rows in this time range");
    assert_false(exists(w, "e.glb"));
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "export", "p.h5", "-o", "p.glb"), 1);
    assert_says(w->err, "does not describe its bodies");
}

/* Two rails and sleepers every 0.55 gauges, on a straight of 10 m. */
static void tracks_go_with_the_motion(void **state)
{
    world *w    = *state;
    char  *text = calloc(1, 1 << 20);
    FILE  *f    = fopen(path_of(w, "m.yaml"), "w");
    assert_non_null(f);
    fputs("klingel: 1\ntracks:\n  way: {gauge: 1 m, layout: [{straight: 10 m}]}\n"
          "bodies: {car: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
          "joints: {run: {type: path, body: car, track: way}}\nrun: "
          "{end: 0.1, every: 0.05}\n",
          f);
    fclose(f);
    assert_int_equal(run(w, "run", "m.yaml", "-q", "-o", "m.h5"), 0);
    assert_int_equal(run(w, "export", "m.h5", "-o", "m.glb"), 0);
    read_whole(path_of(w, "m.glb"), text, 1 << 20);
    assert_non_null(strstr(text + 20, "\"name\":\"way\",\"mesh\":1"));
    assert_int_equal(run(w, "export", "m.h5", "-o", "m.pvd"), 0);
    assert_int_equal(run(w, "export", "m.h5", "-o", "m.csv"), 0);
    free(text);
}

static void films_are_made_by_ffmpeg_or_it_is_asked_for(void **state)
{
    world            *w      = *state;
    const char *const call[] = {"export", "m.h5", "-o", "m.mp4", "--speed", "1", NULL};
    write_moving(w, "m.h5");
    assert_int_equal(run_with(w, "PATH=/nowhere", call), 1);
    assert_says(w->err, "apt install ffmpeg");
    assert_false(exists(w, "m.mp4"));
    /* in its place a script that counts the bytes it gets */
    char  where[512];
    FILE *f = fopen(path_of(w, "ffmpeg"), "w");
    fprintf(f, "#!/bin/sh\nfor last; do :; done\nwc -c > \"${last#file:}\"\n");
    fclose(f);
    chmod(path_of(w, "ffmpeg"), 0755);
    snprintf(where, sizeof where, "PATH=%s:/usr/bin:/bin", path_of(w, "."));
    assert_int_equal(run_with(w, where, call), 0);
    assert_says(w->err, "30 frames");
    char said[64] = "";
    read_whole(path_of(w, "m.mp4"), said, sizeof said);
    assert_int_equal(atol(said), 30L * 1280 * 720 * 3);
    assert_int_equal(run(w, "export", "m.h5", "-o", "m.csv", "--speed", "2"), 2);
}

/* A beam is one line through its nodes, which move. */
static void a_bent_beam_is_a_line_of_vtk(void **state)
{
    world      *w = *state;
    static char first[1 << 16], last[1 << 16];
    assert_int_equal(
        run(w, "run", KL_SOURCE_DIR "/examples/elastica/model.yaml", "-q", "-o", "e.h5"), 0);
    assert_int_equal(run(w, "export", "e.h5", "--field", "rod", "-o", "rod.pvd"), 0);
    assert_true(exists(w, "rod.pvd"));
    read_whole(path_of(w, "rod/frame-00000.vtp"), first, sizeof first);
    read_whole(path_of(w, "rod/frame-00001.vtp"), last, sizeof last);
    assert_says(first, "NumberOfLines=\"1\"");
    assert_says(first, "<Lines>");
    assert_true(strcmp(strstr(first, "<Points>"), strstr(last, "<Points>")) != 0);
    assert_string_equal(strstr(first, "<Lines>"), strstr(last, "<Lines>"));
}

/* The middle of the last ring of the tube and the radius of the ring, in the last row. */
static double end_of_tube(world *w, kl_vec3 *end)
{
    enum { CORNERS = 12 };
    kl_reader *r    = NULL;
    kl_diag   *diag = kl_diag_create();
    kl_arena  *a    = kl_arena_create();
    kl_solids  s;
    assert_int_equal(kl_reader_open(path_of(w, "e.h5"), diag, &r), KL_OK);
    assert_int_equal(kl_solids_read(r, "e.h5", a, diag, &s), KL_OK);
    assert_int_equal(kl_solids_add_fields(&s, r, a), KL_OK);
    assert_int_equal(s.n, 1);
    double  *time = calloc((size_t)kl_reader_rows(r), sizeof *time);
    double  *row  = calloc((size_t)kl_solids_row_size(r), sizeof *row);
    kl_vec3 *x    = calloc((size_t)s.nvertex, sizeof *x);
    assert_int_equal(kl_reader_time(r, time), KL_OK);
    kl_frames f = {r, time, 0, kl_reader_rows(r), 1};
    assert_int_equal(kl_frames_row(&f, kl_frames_count(&f) - 1, row), KL_OK);
    kl_solid_place(&s.list[0], row, x);
    kl_vec3 middle = kl_vec(0, 0, 0), *ring = x + s.nvertex - CORNERS;
    for (int i = 0; i < CORNERS; i++) middle = kl_axpy(1.0 / CORNERS, ring[i], middle);
    kl_vec3 node  = kl_vec(row[kl_reader_find(r, "rod.end.position.x")],
                           row[kl_reader_find(r, "rod.end.position.y")],
                           row[kl_reader_find(r, "rod.end.position.z")]);
    *end          = kl_sub(node, middle);
    double radius = kl_norm(kl_sub(ring[0], middle));
    free(x);
    free(row);
    free(time);
    kl_reader_close(r);
    kl_arena_destroy(a);
    kl_diag_destroy(diag);
    return radius;
}

/* Results with beams only: VTK and films show tubes that follow the nodes, glTF says that it does not. */
static void beams_are_tubes_that_follow_their_nodes(void **state)
{
    world      *w = *state;
    static char first[1 << 17], last[1 << 17];
    kl_vec3     off;
    assert_int_equal(
        run(w, "run", KL_SOURCE_DIR "/examples/elastica/model.yaml", "-q", "-o", "e.h5"), 0);
    assert_int_equal(run(w, "export", "e.h5", "-o", "e.pvd"), 0);
    read_whole(path_of(w, "e/frame-00000.vtp"), first, sizeof first);
    read_whole(path_of(w, "e/frame-00010.vtp"), last, sizeof last);
    assert_true(strcmp(strstr(first, "Name=\"Points\""), strstr(last, "Name=\"Points\"")) != 0);
    assert_string_equal(strstr(first, "<Polys>"), strstr(last, "<Polys>"));
    assert_close(end_of_tube(w, &off), 0.008, 1e-9);
    assert_close(kl_norm(off), 0.0, 1e-9);
    assert_int_equal(run(w, "export", "e.h5", "-o", "e.glb"), 1);
    assert_says(w->err, "NAME.pvd and films");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(beams_are_tubes_that_follow_their_nodes),
        CASE(a_table_starts_with_time_and_reads_back_bit_for_bit),
        CASE(numbers_have_no_digits_too_many),
        CASE(without_names_the_outputs_of_the_model_come),
        CASE(patterns_choose_and_nothing_comes_twice),
        CASE(unknown_channels_are_all_named_with_a_way_out),
        CASE(rows_are_chosen_by_time_and_number),
        CASE(the_list_tells_name_unit_and_meaning),
        CASE(a_file_appears_whole_or_not_at_all),
        CASE(endings_of_other_kinds_of_files_are_refused),
        CASE(a_run_that_did_not_end_well_is_said),
        CASE(a_mat_file_has_all_numbers_by_columns),
        CASE(a_reader_that_goes_away_is_no_mistake),
        CASE(files_that_are_no_results_are_refused),
        CASE(motion_goes_to_paraview_and_browsers),
        CASE(tracks_go_with_the_motion),
        CASE(films_are_made_by_ffmpeg_or_it_is_asked_for),
        CASE(a_bent_beam_is_a_line_of_vtk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
