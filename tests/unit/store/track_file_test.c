#include "store/track_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "geometry/layout.h"
#include "store/h5.h"
#include "store/table_file.h"
#include "unit/geometry/path_laws.h"

static char folder[] = "/tmp/klingel-track-XXXXXX";

static const char *file(const char *name)
{
    static char path[2][200];
    static int  turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"a.ktrack", "long.ktrack", "other.h5", "text", NULL};
    for (int i = 0; names[i]; i++) unlink(file(names[i]));
    return rmdir(folder);
}

/* `km` kilometres of curves left and right with cant and transitions */
static kl_path *line(int km, kl_arena *arena)
{
    kl_plan_element *plan = kl_arena_array(arena, kl_plan_element, 4 * km);
    for (int i = 0; i < 4 * km; i += 4) {
        double side = i % 8 ? -1.0 : 1.0;
        plan[i]     = (kl_plan_element){.kind = KL_PLAN_STRAIGHT, .length = 300};
        plan[i + 1] = (kl_plan_element){.kind = KL_PLAN_TRANSITION, .length = 150};
        plan[i + 2] = (kl_plan_element){
            .kind = KL_PLAN_CURVE, .length = 400, .curvature = side / 600, .roll = -0.1 * side};
        plan[i + 3] = (kl_plan_element){.kind = KL_PLAN_TRANSITION, .length = 150};
    }
    kl_piecewise *law   = kl_arena_array(arena, kl_piecewise, 1);
    kl_layout     in    = {.plan = plan, .nplan = 4 * km};
    kl_curve     *curve = NULL;
    assert_int_equal(kl_layout_build(&in, arena, NULL, &curve, law), KL_OK);
    return make_path(curve, (kl_frame_settings){0}, law, arena);
}

static void write_line(const kl_path *exact, const char *name, double error, kl_arena *arena,
                       kl_path_table *table)
{
    kl_table_settings set   = {.method = KL_TABLE_CUBIC, .error = {error, error, error, error}};
    kl_track_texts    texts = {"A line", "level", "line.yaml", "klingel: 1\n"};
    assert_int_equal(kl_track_file_write(file(name), exact, &set, &texts, arena, NULL, table),
                     KL_OK);
}

static void what_is_written_comes_back(void **unused)
{
    (void)unused;
    kl_arena      *arena = kl_arena_create();
    kl_path       *exact = line(3, arena);
    kl_path_table  table;
    kl_track_file *f;
    write_line(exact, "a.ktrack", 1e-7, arena, &table);
    assert_int_equal(kl_track_file_open(file("a.ktrack"), 0, NULL, &f), KL_OK);
    const kl_path *path  = kl_track_file_path(f);
    kl_track_texts texts = kl_track_file_texts(f);
    assert_string_equal(texts.title, "A line");
    assert_string_equal(texts.frame, "level");
    assert_string_equal(texts.source_text, "klingel: 1\n");
    assert_int_equal(kl_track_file_table(f)->nrow, table.nrow);
    assert_close(path->length, exact->length, 0.0);
    for (int i = 0; i <= 1000; i++) {
        kl_path_point p = path_at(path, path->length * i / 1000),
                      q = path_at(exact, path->length * i / 1000);
        assert_close(vec_error(p.r, q.r), 0.0, 2e-7);
        assert_close(vec_error(p.kappa, q.kappa), 0.0, 5e-7);
    }
    kl_track_file_close(f);
    kl_arena_destroy(arena);
}

static void a_window_on_the_file_gives_the_same_bits(void **unused)
{
    (void)unused;
    kl_arena      *arena = kl_arena_create();
    kl_path_table  table;
    kl_track_file *whole, *part;
    write_line(line(3, arena), "a.ktrack", 1e-8, arena, &table);
    assert_int_equal(kl_track_file_open(file("a.ktrack"), 0, NULL, &whole), KL_OK);
    assert_int_equal(kl_track_file_open(file("a.ktrack"), 64, NULL, &part), KL_OK);
    const kl_path *a = kl_track_file_path(whole), *b = kl_track_file_path(part);
    kl_path_cursor ca, cb;
    assert_int_equal(kl_path_cursor_init(a, arena, &ca), KL_OK);
    assert_int_equal(kl_path_cursor_init(b, arena, &cb), KL_OK);
    for (int i = 0; i < 3000; i++) { /* forward like a vehicle, then to random places */
        double        s = a->length * (i < 2000 ? i / 2000.0 : fmod(i * 0.618034, 1.0));
        kl_path_point p, q;
        assert_int_equal(kl_path_eval(a, s, &ca, &p), KL_OK);
        assert_int_equal(kl_path_eval(b, s, &cb, &q), KL_OK);
        assert_memory_equal(&p, &q, sizeof p);
    }
    kl_track_file_close(whole);
    kl_track_file_close(part);
    kl_arena_destroy(arena);
}

static long memory_now(void)
{
    long  pages = 0, ignored = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%ld %ld", &ignored, &pages) != 2) pages = 0;
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

/* The figure that users plan with: a train of ten wheelsets, each with a window, on 1000 km. */
static void a_thousand_kilometres_need_less_than_100_megabytes(void **unused)
{
    (void)unused;
    kl_arena      *arena = kl_arena_create();
    kl_path_table  table;
    kl_track_file *f;
    write_line(line(1000, arena), "long.ktrack", 1e-7, arena, &table);
    kl_arena_destroy(arena);
    long before = memory_now();
    assert_int_equal(kl_track_file_open(file("long.ktrack"), 0, NULL, &f), KL_OK);
    const kl_path *path = kl_track_file_path(f);
    assert_close(path->length, 1e6, 1e-3);
    assert_true((double)table.nrow * KL_ROW * 8 > 50e6); /* else it would prove nothing */
    arena = kl_arena_create();
    kl_path_cursor cursor[10];
    for (int w = 0; w < 10; w++)
        assert_int_equal(kl_path_cursor_init(path, arena, &cursor[w]), KL_OK);
    long reads = 0;
    for (int i = 0; i < 100000; i++)
        for (int w = 0; w < 10; w++) {
            kl_path_point p;
            assert_int_equal(kl_path_eval(path, 10.0 * i + 3.0 * w, &cursor[w], &p), KL_OK);
        }
    for (int w = 0; w < 10; w++) reads += cursor[w].reads;
    long used = memory_now() - before;
    printf("1000 km: %d rows, file %.0f MB; 10 cursors used %.1f MB and %ld reads\n", table.nrow,
           table.nrow * KL_ROW * 8e-6, used * 1e-6, reads);
    assert_true(used < 60L * 1000 * 1000);
    kl_track_file_close(f);
    kl_arena_destroy(arena);
}

static void says(kl_status expected, const char *path, const char *words)
{
    kl_diag       *diag = kl_diag_create();
    kl_track_file *f    = NULL;
    assert_int_equal(kl_track_file_open(path, 0, diag, &f), expected);
    assert_null(f);
    if (!strstr(kl_diag_at(diag, 0)->text, words))
        fail_msg("'%s' was not said but '%s'", words, kl_diag_at(diag, 0)->text);
    kl_diag_destroy(diag);
}

static void other_files_are_told_apart(void **unused)
{
    (void)unused;
    char   why[KL_H5_WHY];
    kl_h5 *h = kl_h5_create(file("other.h5"), why);
    assert_non_null(h);
    assert_true(kl_h5_write_attribute(h, "/", "format", "klingel-results"));
    assert_true(kl_h5_close(h, why));
    FILE *t = fopen(file("text"), "w");
    fputs("klingel: 1\n", t);
    fclose(t);
    says(KL_E_FILE, file("nothing.ktrack"), "cannot be opened: there is no such file");
    says(KL_E_FILE, file("text"), "it is not an HDF5 file");
    says(KL_E_FILE, file("other.h5"), "its format is 'klingel-results', not 'klingel-track'");
}

/* A file with nothing but its head. */
static void write_head(const char *version, const char *interpolation)
{
    char   why[KL_H5_WHY];
    kl_h5 *h = kl_h5_create(file("a.ktrack"), why);
    assert_non_null(h);
    assert_true(kl_h5_write_attribute(h, "/", "format", "klingel-track"));
    assert_true(kl_h5_write_attribute(h, "/", "version", version));
    assert_true(kl_h5_write_attribute(h, "/", "interpolation", interpolation));
    assert_true(kl_h5_close(h, why));
}

static void damaged_and_newer_files_are_refused(void **unused)
{
    (void)unused;
    write_head("2.0", "cubic");
    says(KL_E_VERSION, file("a.ktrack"), "has format version 2.0, this program reads up to 1.x");
    write_head("one", "cubic");
    says(KL_E_FILE, file("a.ktrack"), "is damaged: its version is 'one'");
    write_head("1.0", "septic");
    says(KL_E_FILE, file("a.ktrack"), "its interpolation is unknown");
    write_head("1.0", "cubic");
    says(KL_E_FILE, file("a.ktrack"), "table/rows cannot be read");

    /* rows that the pieces speak of are gone */
    kl_arena     *arena = kl_arena_create();
    kl_path_table table;
    kl_h5_table   rows;
    double        one[KL_ROW];
    char          why[KL_H5_WHY];
    write_line(line(1, arena), "a.ktrack", 1e-6, arena, &table);
    kl_h5 *h = kl_h5_open(file("a.ktrack"), KL_H5_CHANGE, why);
    assert_non_null(h);
    assert_true(kl_h5_open_table(h, "table/rows", &rows));
    assert_true(kl_h5_get(h, rows, 3, 1, 0, KL_ROW, one));
    assert_true(kl_h5_put(h, rows, 3, 1, one)); /* the table ends here */
    assert_true(kl_h5_close(h, why));
    says(KL_E_FILE, file("a.ktrack"), "its pieces do not fit its rows");
    kl_arena_destroy(arena);
}

/* One number of one row is wrong: the row is named, whether the table is read whole or through a window. */
static void a_damaged_row_is_named(void **unused)
{
    (void)unused;
    const struct {
        int         column;
        double      value;
        const char *says;
    } cases[] = {
        {KL_ROW_B2 + 1, (double)NAN, "): b''.y is not finite"},
        {KL_ROW_G + 1, 1e3,
         "): its distance from the previous row exceeds the length along the track"},
        {KL_ROW_N + 1, 0.5, "): an axis is not a unit vector"},
        {KL_ROW_L, -5.0, "row 4 (at -5 m): its length is smaller than the length of the previous row"}};
    for (int i = 0; i < 8; i++) {
        kl_arena      *arena = kl_arena_create();
        kl_diag       *diag  = kl_diag_create();
        kl_track_file *f     = NULL;
        kl_path_table  table;
        kl_h5_table    rows;
        char           why[KL_H5_WHY];
        write_line(line(1, arena), "a.ktrack", 1e-6, arena, &table);
        double *all = kl_arena_array(arena, double, (size_t)table.nrow *KL_ROW);
        kl_h5  *h   = kl_h5_open(file("a.ktrack"), KL_H5_CHANGE, why);
        assert_true(kl_h5_open_table(h, "table/rows", &rows));
        assert_true(kl_h5_get(h, rows, 0, table.nrow, 0, KL_ROW, all));
        all[3 * KL_ROW + cases[i % 4].column] = cases[i % 4].value;
        assert_true(kl_h5_put(h, rows, 0, table.nrow, all));
        assert_true(kl_h5_close(h, why));
        assert_int_equal(kl_track_file_open(file("a.ktrack"), i < 4 ? 0 : 16, diag, &f), KL_E_FILE);
        const char *text = kl_diag_at(diag, 0)->text;
        if (!strstr(text, "a.ktrack: is damaged: row 4 (at ") || !strstr(text, cases[i % 4].says))
            fail_msg("%d: '%s'", i, text);
        kl_diag_destroy(diag);
        kl_arena_destroy(arena);
    }
}

static void a_newer_minor_version_reads(void **unused)
{
    (void)unused;
    kl_arena *arena = kl_arena_create();
    kl_h5    *h     = NULL;
    char      why[KL_H5_WHY];
    write_head("1.7", "cubic");
    assert_int_equal(
        kl_table_file_open(file("a.ktrack"), "klingel-track", "a track", 1, arena, NULL, &h),
        KL_OK);
    kl_h5_close(h, why);
    kl_arena_destroy(arena);
}

static void a_failed_write_leaves_the_old_file(void **unused)
{
    (void)unused;
    kl_arena         *arena = kl_arena_create();
    kl_diag          *diag  = kl_diag_create();
    kl_path          *exact = line(1, arena);
    kl_path_table     table;
    kl_track_file    *f;
    kl_table_settings few   = {.method = KL_TABLE_LINEAR, .max_rows = 10};
    kl_track_texts    texts = {0};
    write_line(exact, "a.ktrack", 1e-6, arena, &table);
    assert_int_equal(
        kl_track_file_write(file("a.ktrack"), exact, &few, &texts, arena, diag, &table),
        KL_E_RANGE);
    assert_int_equal(kl_track_file_open(file("a.ktrack"), 0, diag, &f), KL_OK);
    kl_track_file_close(f);
    assert_int_equal(
        kl_track_file_write("/nowhere/x.ktrack", exact, &few, &texts, arena, diag, &table),
        KL_E_FILE);
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(a_window_on_the_file_gives_the_same_bits),
        cmocka_unit_test(a_thousand_kilometres_need_less_than_100_megabytes),
        cmocka_unit_test(other_files_are_told_apart),
        cmocka_unit_test(damaged_and_newer_files_are_refused),
        cmocka_unit_test(a_damaged_row_is_named),
        cmocka_unit_test(a_newer_minor_version_reads),
        cmocka_unit_test(a_failed_write_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
