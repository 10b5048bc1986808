/* Results files: exact bits, killed writers, and files that are not what they should be. */
#include "unit/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "results/results.h"

/* ---- a folder of its own for each test ---- */

typedef struct place {
    char     folder[64], file[96], other[96];
    kl_diag *diag;
} place;

static int setup(void **state)
{
    place *p = calloc(1, sizeof *p);
    snprintf(p->folder, sizeof p->folder, "/tmp/klingel-results-XXXXXX");
    if (!mkdtemp(p->folder)) return -1;
    snprintf(p->file, sizeof p->file, "%s/out.h5", p->folder);
    snprintf(p->other, sizeof p->other, "%s/other.h5", p->folder);
    p->diag = kl_diag_create();
    *state  = p;
    return 0;
}

static int teardown(void **state)
{
    place *p = *state;
    unlink(p->file), unlink(p->other);
    int left = rmdir(p->folder); /* fails when a test left something behind */
    kl_diag_destroy(p->diag);
    free(p);
    return left;
}

static const char *said(const place *p)
{
    return kl_diag_size(p->diag) > 0 ? kl_diag_at(p->diag, 0)->text : "";
}

#define assert_says(p, words)                                                                      \
    do {                                                                                           \
        if (!strstr(said(p), words)) fail_msg("'%s' does not say '%s'", said(p), words);           \
    } while (0)

/* ---- numbers that can be told again ---- */

static double value_at(int row, int channel) { return sin(0.1 * row + channel) * (channel + 1); }
static double time_at(int row) { return 0.001 * row; }

static kl_channel_info *make_channels(int n)
{
    kl_channel_info *c = calloc((size_t)n, sizeof *c);
    char(*names)[32]   = calloc((size_t)n, sizeof *names);
    for (int i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "body%d.position.x", i);
        c[i] = (kl_channel_info){names[i], i % 3 ? "m" : "", i % 2 ? "of the body" : NULL, i == 1};
    }
    return c;
}

static void free_channels(kl_channel_info *c)
{
    free((void *)(uintptr_t)c[0].name);
    free(c);
}

static void fill_row(double *row, int i, int n)
{
    for (int j = 0; j < n; j++) row[j] = value_at(i, j);
}

static kl_status write_file(place *p, const char *path, int nrow, int n, const char *status)
{
    kl_channel_info *channels = make_channels(n);
    kl_results_info  info     = {.title         = "a title",
                                 .model_file    = "model.yaml",
                                 .model_text    = "model: pendulum\n",
                                 .settings_json = "{\"h\": 1e-3}"};
    double          *row      = calloc((size_t)n, sizeof *row);
    kl_writer       *w        = NULL;
    kl_status        s        = kl_writer_create(path, &info, channels, n, p->diag, &w);
    for (int i = 0; s == KL_OK && i < nrow; i++) {
        fill_row(row, i, n);
        s = kl_writer_row(w, time_at(i), row);
    }
    if (s == KL_OK && status) s = kl_writer_note(w, "status", status);
    if (w) {
        kl_status e = kl_writer_close(w);
        if (s == KL_OK) s = e;
    }
    free(row);
    free_channels(channels);
    return s;
}

/* All that a reader gives must have the bits that were written. */
static void expect_rows(kl_reader *r, int n)
{
    int     rows   = kl_reader_rows(r);
    double *time   = calloc((size_t)rows + 1, sizeof *time);
    double *column = calloc((size_t)rows + 1, sizeof *column);
    assert_int_equal(kl_reader_channels(r), n);
    assert_int_equal(kl_reader_time(r, time), KL_OK);
    for (int i = 0; i < rows; i++) assert_true(time[i] == time_at(i));
    for (int j = 0; j<n; j += n> 50 ? 37 : 1) {
        assert_int_equal(kl_reader_column(r, j, column), KL_OK);
        for (int i = 0; i < rows; i++) assert_true(column[i] == value_at(i, j));
    }
    if (n > 2) { /* two columns in one pass, the later one first */
        int     which[2] = {n - 1, 1};
        double *both[2]  = {column, time};
        assert_int_equal(kl_reader_columns(r, which, 2, both), KL_OK);
        for (int i = 0; i < rows; i++)
            assert_true(column[i] == value_at(i, n - 1) && time[i] == value_at(i, 1));
    }
    free(column);
    free(time);
}

/* ---- what comes back ---- */

static void ten_thousand_rows_of_200_come_back_bit_for_bit(void **state)
{
    place     *p = *state;
    kl_reader *r = NULL;
    assert_int_equal(write_file(p, p->file, 10000, 200, "complete"), KL_OK);
    assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
    assert_int_equal(kl_reader_rows(r), 10000);
    assert_false(kl_reader_unfinished(r));

    double *all = calloc(10000 * 200, sizeof *all);
    int     list[200];
    for (int j = 0; j < 200; j++) list[j] = j;
    assert_int_equal(kl_reader_block(r, list, 200, 0, 10000, all), KL_OK);
    for (int i = 0; i < 10000; i++)
        for (int j = 0; j < 200; j++) assert_true(all[i * 200 + j] == value_at(i, j));
    free(all);
    kl_reader_close(r);
}

static void special_numbers_keep_their_bits(void **state)
{
    place          *p     = *state;
    kl_writer      *w     = NULL;
    kl_reader      *r     = NULL;
    kl_channel_info c     = {.name = "x"};
    const double    odd[] = {-0.0, HUGE_VAL, -HUGE_VAL, (double)NAN, 5e-324, 1.7976931348623157e308,
                             0.1};
    assert_int_equal(kl_writer_create(p->file, NULL, &c, 1, p->diag, &w), KL_OK);
    for (int i = 0; i < 7; i++) assert_int_equal(kl_writer_row(w, i, &odd[i]), KL_OK);
    assert_int_equal(kl_writer_close(w), KL_OK);
    double back[7];
    assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
    assert_int_equal(kl_reader_rows(r), 7);
    assert_int_equal(kl_reader_column(r, 0, back), KL_OK);
    assert_memory_equal(back, odd, sizeof odd);
    kl_reader_close(r);
}

static void scattered_channels_and_rows_come_in_the_order_asked(void **state)
{
    place     *p = *state;
    kl_reader *r = NULL;
    assert_int_equal(write_file(p, p->file, 3000, 300, NULL), KL_OK);
    assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
    const int list[] = {299, 3, 4, 5, 0, 257, 3};
    double   *v      = calloc(7 * 1000, sizeof *v);
    assert_int_equal(kl_reader_block(r, list, 7, 1234, 1000, v), KL_OK);
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < 7; j++) assert_true(v[7 * i + j] == value_at(1234 + i, list[j]));
    free(v);
    kl_reader_close(r);
}

static void channels_are_found_by_name_with_all_that_was_said(void **state)
{
    place     *p = *state;
    kl_reader *r = NULL;
    assert_int_equal(write_file(p, p->file, 3, 60, NULL), KL_OK);
    assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
    for (int i = 0; i < 60; i++) {
        char name[32];
        snprintf(name, sizeof name, "body%d.position.x", i);
        assert_int_equal(kl_reader_find(r, name), i);
    }
    assert_int_equal(kl_reader_find(r, "body"), -1);
    assert_int_equal(kl_reader_find(r, "zebra"), -1);
    const kl_channel_info *c = kl_reader_channel(r, 1);
    assert_string_equal(c->name, "body1.position.x");
    assert_string_equal(c->unit, "m");
    assert_string_equal(c->description, "of the body");
    assert_true(c->own);
    assert_string_equal(kl_reader_channel(r, 0)->unit, "");
    assert_string_equal(kl_reader_channel(r, 0)->description, "");
    assert_false(kl_reader_channel(r, 0)->own);
    kl_reader_close(r);
}

static void texts_and_notes_are_kept(void **state)
{
    place          *p    = *state;
    kl_writer      *w    = NULL;
    kl_reader      *r    = NULL;
    kl_channel_info c    = {.name = "größe.x", .unit = "µm", .description = "Maß"};
    kl_results_info info = {.title = "", .model_text = "a: 1\nb: ü\n"};
    assert_int_equal(kl_writer_create(p->file, &info, &c, 1, p->diag, &w), KL_OK);
    assert_int_equal(kl_writer_note(w, "status", "failed"), KL_OK);
    assert_int_equal(kl_writer_note(w, "statistics", "{\"steps\": 12}"), KL_OK);
    assert_int_equal(kl_writer_note(w, "status", "complete"), KL_OK);
    assert_int_equal(kl_writer_close(w), KL_OK);
    assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
    assert_string_equal(kl_reader_text(r, "title"), "");
    assert_string_equal(kl_reader_text(r, "model"), "a: 1\nb: ü\n");
    assert_string_equal(kl_reader_text(r, "status"), "complete");
    assert_string_equal(kl_reader_text(r, "statistics"), "{\"steps\": 12}");
    assert_non_null(strstr(kl_reader_text(r, "program"), "klingel"));
    assert_non_null(kl_reader_text(r, "created"));
    assert_null(kl_reader_text(r, "scene"));
    assert_null(kl_reader_text(r, "nonsense"));
    assert_string_equal(kl_reader_channel(r, 0)->name, "größe.x");
    assert_string_equal(kl_reader_channel(r, 0)->unit, "µm");
    kl_reader_close(r);
}

static void a_row_of_twenty_thousand_columns_works(void **state)
{
    place     *p = *state;
    kl_reader *r = NULL;
    int        n = 20000;
    assert_int_equal(write_file(p, p->file, 150, n, "complete"), KL_OK);
    assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
    assert_int_equal(kl_reader_rows(r), 150);
    expect_rows(r, n);
    kl_reader_close(r);
}

static void a_run_without_rows_is_a_readable_file(void **state)
{
    place     *p = *state;
    kl_reader *r = NULL;
    assert_int_equal(write_file(p, p->file, 0, 3, "complete"), KL_OK);
    assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
    assert_int_equal(kl_reader_rows(r), 0);
    expect_rows(r, 3);
    kl_reader_close(r);
}

/* ---- while it runs ---- */

/* Another process, made before any file is open here: HDF5 would find open files again after a
 * fork. It works when it is told to and exits with what `work` returns. */
typedef struct other {
    pid_t child;
    int   to, from; /* pipes */
} other;

static void wait_for_sign(int from)
{
    char sign;
    if (read(from, &sign, 1) != 1) _exit(99);
}

static void give_sign(int to)
{
    if (write(to, "x", 1) != 1) _exit(98);
}

static other start_other(place *p, int (*work)(place *, int from, int to))
{
    int there[2], back[2];
    assert_true(pipe(there) == 0 && pipe(back) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(there[1]), close(back[0]);
        wait_for_sign(there[0]);
        _exit(work(p, there[0], back[1]));
    }
    close(there[0]), close(back[1]);
    return (other){child, there[1], back[0]};
}

static int end_other(const other *o)
{
    int status = 0;
    waitpid(o->child, &status, 0);
    close(o->to), close(o->from);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

static void add_rows(kl_writer *w, int first, int end, int n)
{
    double row[40];
    for (int i = first; i < end; i++) {
        fill_row(row, i, n);
        assert_int_equal(kl_writer_row(w, time_at(i), row), KL_OK);
    }
}

/* Sees 10 rows, then 30; keeps the file open while the writer ends it. */
static int follow(place *p, int from, int to)
{
    kl_reader *r = NULL;
    double     x[30];
    if (kl_reader_open(p->file, NULL, &r) != KL_OK) return 1;
    if (!kl_reader_running(r) || kl_reader_rows(r) != 10) return 2;
    give_sign(to);
    wait_for_sign(from);
    if (kl_reader_refresh(r) != KL_OK || kl_reader_rows(r) != 30) return 3;
    if (kl_reader_column(r, 4, x) != KL_OK) return 4;
    for (int i = 0; i < 30; i++)
        if (x[i] != value_at(i, 4)) return 5;
    give_sign(to);
    wait_for_sign(from);
    if (kl_reader_running(r)) return 6;
    kl_reader_close(r);
    if (kl_reader_open(p->file, NULL, &r) != KL_OK) return 7;
    if (kl_reader_unfinished(r) || kl_reader_rows(r) != 31) return 8;
    kl_reader_close(r);
    return 0;
}

static void a_reader_follows_a_run_which_ends_well_all_the_same(void **state)
{
    place           *p        = *state;
    other            o        = start_other(p, follow);
    kl_channel_info *channels = make_channels(5);
    kl_writer       *w        = NULL;
    char             sign;
    assert_int_equal(kl_writer_create(p->file, NULL, channels, 5, p->diag, &w), KL_OK);
    add_rows(w, 0, 10, 5);
    assert_int_equal(kl_writer_flush(w), KL_OK);
    give_sign(o.to);
    if (read(o.from, &sign, 1) == 1) {
        add_rows(w, 10, 30, 5);
        assert_int_equal(kl_writer_flush(w), KL_OK);
        give_sign(o.to);
    }
    if (read(o.from, &sign, 1) == 1) {
        add_rows(w, 30, 31, 5);
        assert_int_equal(kl_writer_note(w, "status", "complete"), KL_OK);
        assert_int_equal(kl_writer_close(w), KL_OK);
        give_sign(o.to);
    }
    assert_int_equal(end_other(&o), 0);
    free_channels(channels);
}

/* Each thread writes and reads its own file, again and again. */
static void *write_and_read(void *file)
{
    kl_diag         *diag     = kl_diag_create();
    kl_channel_info *channels = make_channels(30);
    double           row[30], column[300];
    intptr_t         wrong = 0;
    for (int round = 0; round < 5 && !wrong; round++) {
        kl_writer *w = NULL;
        kl_reader *r = NULL;
        wrong |= kl_writer_create(file, NULL, channels, 30, diag, &w) != KL_OK;
        for (int i = 0; i < 300 && !wrong; i++) {
            fill_row(row, i, 30);
            wrong |= kl_writer_row(w, time_at(i), row) != KL_OK;
            if (i % 50 == 0) wrong |= kl_writer_flush(w) != KL_OK;
        }
        wrong |= kl_writer_close(w) != KL_OK || kl_reader_open(file, diag, &r) != KL_OK;
        wrong = wrong || kl_reader_rows(r) != 300 || kl_reader_column(r, 29, column) != KL_OK;
        for (int i = 0; i < 300 && !wrong; i++) wrong |= column[i] != value_at(i, 29);
        kl_reader_close(r);
    }
    free_channels(channels);
    kl_diag_destroy(diag);
    return (void *)wrong;
}

static void files_in_different_threads_do_not_disturb_each_other(void **state)
{
    place    *p = *state;
    pthread_t threads[4];
    char      files[4][100];
    for (int i = 0; i < 4; i++) {
        snprintf(files[i], sizeof files[i], "%s/thread%d.h5", p->folder, i);
        assert_int_equal(pthread_create(&threads[i], NULL, write_and_read, files[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
        unlink(files[i]);
    }
}

/* A child that writes without end; the flush after each 7th row makes partial chunks common. */
/* Says that it is ready behind a flush: what is read after a kill is what was flushed. */
static void write_for_ever(const char *path, int ready)
{
    int              n        = 40;
    kl_channel_info *channels = make_channels(n);
    double           row[40];
    kl_writer       *w = NULL;
    if (kl_writer_create(path, NULL, channels, n, NULL, &w) != KL_OK) _exit(1);
    for (int i = 0;; i++) {
        fill_row(row, i, n);
        if (kl_writer_row(w, time_at(i), row) != KL_OK) _exit(2);
        if (i % 7 == 0 && kl_writer_flush(w) != KL_OK) _exit(3);
        if (i == 21 && write(ready, "x", 1) != 1) _exit(4);
    }
}

static void run_and_kill(const char *path, int trial)
{
    int  ready[2];
    char sign;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) write_for_ever(path, ready[1]);
    close(ready[1]);
    assert_int_equal(read(ready[0], &sign, 1), 1);
    close(ready[0]);
    struct timespec wait = {.tv_nsec = 1000000L * (3 + 7 * trial % 40) + 12345L * trial};
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static int trials(void)
{
    const char *n = getenv("KL_KILL_TRIALS"); /* more of them for a thorough run */
    return n ? atoi(n) : 10;
}

static void a_killed_run_leaves_a_readable_file_and_repair_makes_it_ordinary(void **state)
{
    place *p = *state;
    for (int trial = 0; trial < trials(); trial++) {
        kl_reader *r = NULL;
        run_and_kill(p->file, trial);
        assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
        assert_true(kl_reader_unfinished(r) && !kl_reader_running(r));
        int rows = kl_reader_rows(r);
        assert_true(rows >= 20);
        expect_rows(r, 40);
        kl_reader_close(r);

        kl_repair_report report;
        assert_int_equal(kl_results_repair(p->file, p->diag, &report), KL_OK);
        assert_true(report.was_marked);
        assert_int_equal(report.rows, rows);
        assert_true(report.first_time == 0.0 && report.last_time == time_at(rows - 1));

        assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
        assert_false(kl_reader_unfinished(r));
        assert_int_equal(kl_reader_rows(r), rows);
        assert_string_equal(kl_reader_text(r, "status"), "killed");
        expect_rows(r, 40);
        kl_reader_close(r);

        assert_int_equal(kl_results_repair(p->file, p->diag, &report), KL_OK);
        assert_false(report.was_marked);
    }
}

/* Short runs one after another: the kill falls into starts and ends as well. */
static void a_kill_at_the_start_or_the_end_of_a_run_leaves_a_readable_file_too(void **state)
{
    place *p = *state;
    assert_int_equal(write_file(p, p->file, 50, 40, "complete"), KL_OK);
    for (int trial = 0; trial < trials(); trial++) {
        pid_t child = fork();
        if (child == 0)
            for (;;)
                if (write_file(p, p->file, 50, 40, "complete") != KL_OK) _exit(1);
        struct timespec wait = {.tv_nsec = 5000000L + 1234567L * trial};
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        kl_reader *r = NULL;
        if (kl_reader_open(p->file, p->diag, &r) != KL_OK) fail_msg("trial %d: %s", trial, said(p));
        expect_rows(r, 40);
        kl_reader_close(r);
        kl_repair_report report;
        assert_int_equal(kl_results_repair(p->file, p->diag, &report), KL_OK);
        assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
        expect_rows(r, 40);
        kl_reader_close(r);
        char command[96]; /* the half of a file that was being started */
        for (int i = 0; i < 3; i++) {
            snprintf(command, sizeof command, "%.60s.%ld-%d.part", p->file, (long)child, i);
            unlink(command);
        }
    }
}

static int try_to_repair(place *p, int from, int to)
{
    kl_repair_report report;
    (void)from, (void)to;
    kl_status s = kl_results_repair(p->file, p->diag, &report);
    return s == KL_E_FILE && strstr(said(p), "running process") ? 0 : 1;
}

static void a_file_that_is_being_written_is_not_repaired(void **state)
{
    place          *p = *state;
    other           o = start_other(p, try_to_repair);
    kl_channel_info c = {.name = "x"};
    kl_writer      *w = NULL;
    assert_int_equal(kl_writer_create(p->file, NULL, &c, 1, p->diag, &w), KL_OK);
    give_sign(o.to);
    assert_int_equal(end_other(&o), 0);
    assert_int_equal(kl_writer_close(w), KL_OK);
}

/* ---- files that are not what they should be ---- */

static void write_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static char *read_bytes(const char *path, size_t *n)
{
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    char *bytes = malloc((size_t)s.st_size + 1);
    FILE *f     = fopen(path, "rb");
    *n          = fread(bytes, 1, (size_t)s.st_size, f);
    fclose(f);
    return bytes;
}

static void expect_refused(place *p, kl_status status, const char *words)
{
    kl_reader *r = NULL;
    kl_diag_clear(p->diag);
    assert_int_equal(kl_reader_open(p->file, p->diag, &r), status);
    assert_null(r);
    assert_says(p, words);
    assert_says(p, p->file);
}

static void a_missing_an_empty_and_a_foreign_file_are_told_apart(void **state)
{
    place *p = *state;
    expect_refused(p, KL_E_FILE, "No such file");
    write_bytes(p->file, "", 0);
    expect_refused(p, KL_E_FILE, "is empty");
    write_bytes(p->file, "time,x\n0,1\n1,2\n", 15);
    expect_refused(p, KL_E_FILE, "not a results file");
    write_bytes(p->file, "\211HDF", 4);
    expect_refused(p, KL_E_FILE, "not a results file");
    write_bytes(p->file, "\211HDF\r\n\032\n and then nothing sensible at all", 41);
    expect_refused(p, KL_E_FILE, "damaged or truncated");
}

static void a_cut_off_file_is_refused_or_read_right(void **state)
{
    place *p = *state;
    size_t n = 0;
    assert_int_equal(write_file(p, p->file, 400, 40, "complete"), KL_OK);
    char *bytes = read_bytes(p->file, &n);
    for (int part = 1; part < 20; part++) {
        write_bytes(p->file, bytes, n * (size_t)part / 20);
        expect_refused(p, KL_E_FILE, "truncated");
    }
    write_bytes(p->file, bytes, n - 1);
    expect_refused(p, KL_E_FILE, "truncated");
    free(bytes);
}

/* A reader either takes the file or says what is wrong. */
static bool reads_or_complains(place *p)
{
    kl_reader *r = NULL;
    double     column[200];
    kl_diag_clear(p->diag);
    if (kl_reader_open(p->file, p->diag, &r) != KL_OK) return kl_diag_failed(p->diag);
    bool sane = kl_reader_rows(r) <= 200;
    if (sane) kl_reader_column(r, 0, column);
    kl_reader_text(r, "status");
    kl_reader_close(r);
    return sane;
}

/* In a process of its own: HDF5 loses memory over damaged files. */
static void a_flipped_bit_never_crashes_the_reader(void **state)
{
    place *p = *state;
    size_t n = 0;
    assert_int_equal(write_file(p, p->file, 100, 10, "complete"), KL_OK);
    char *bytes = read_bytes(p->file, &n);
    pid_t child = fork();
    if (child == 0) {
        unsigned seed = 12345;
        for (int trial = 0; trial < 400; trial++) {
            seed       = seed * 1103515245u + 12345u;
            size_t at  = trial < 200 ? (seed >> 8) % (n < 4096 ? n : 4096) : (seed >> 8) % n;
            char   bit = (char)(1 << (seed >> 4) % 8);
            bytes[at] ^= bit;
            write_bytes(p->file, bytes, n);
            bytes[at] ^= bit;
            if (!reads_or_complains(p)) _exit(1);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    free(bytes);
}

static void bad_calls_are_refused(void **state)
{
    place          *p      = *state;
    kl_writer      *w      = NULL;
    kl_reader      *r      = NULL;
    kl_channel_info two[2] = {{.name = "x"}, {.name = "x"}}, nameless = {.unit = "m"};
    assert_int_equal(kl_writer_create(p->file, NULL, two, 2, p->diag, &w), KL_E_NAME);
    assert_says(p, "two channels are named 'x'");
    assert_int_equal(kl_writer_create(p->file, NULL, two, 0, p->diag, &w), KL_E_USAGE);
    assert_int_equal(kl_writer_create(p->file, NULL, &nameless, 1, p->diag, &w), KL_E_USAGE);
    assert_int_equal(access(p->file, F_OK), -1);

    assert_int_equal(write_file(p, p->file, 10, 3, NULL), KL_OK);
    assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
    double v[30];
    int    good = 0, bad = 3;
    assert_int_equal(kl_reader_block(r, &good, 1, 5, 6, v), KL_E_USAGE);
    assert_int_equal(kl_reader_block(r, &good, 1, -1, 2, v), KL_E_USAGE);
    assert_int_equal(kl_reader_block(r, &bad, 1, 0, 1, v), KL_E_USAGE);
    assert_int_equal(kl_reader_block(r, &good, 1, 5, 5, v), KL_OK);
    kl_reader_close(r);
}

/* ---- what is there already ---- */

static void a_failed_start_leaves_the_old_file_as_it_was(void **state)
{
    place          *p      = *state;
    kl_writer      *w      = NULL;
    kl_reader      *r      = NULL;
    kl_channel_info two[2] = {{.name = "x"}, {.name = "x"}};
    assert_int_equal(write_file(p, p->file, 5, 3, "complete"), KL_OK);
    assert_int_equal(kl_writer_create(p->file, NULL, two, 2, p->diag, &w), KL_E_NAME);

    // no room for a new file: the limit stands for a full disk
    struct rlimit was, tiny;
    getrlimit(RLIMIT_FSIZE, &was);
    tiny          = was;
    tiny.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tiny);
    kl_status s = write_file(p, p->file, 5, 3, "complete");
    setrlimit(RLIMIT_FSIZE, &was);
    assert_int_equal(s, KL_E_FILE);

    assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
    assert_int_equal(kl_reader_rows(r), 5);
    expect_rows(r, 3);
    kl_reader_close(r);
}

static void a_full_disk_is_told_once_and_keeps_what_was_written(void **state)
{
    place        *p = *state;
    kl_reader    *r = NULL;
    struct rlimit was, small;
    getrlimit(RLIMIT_FSIZE, &was);
    small          = was;
    small.rlim_cur = 500 * 1024;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    kl_status s = write_file(p, p->file, 20000, 10, "complete");
    setrlimit(RLIMIT_FSIZE, &was);
    assert_int_equal(s, KL_E_FILE);
    assert_int_equal(kl_diag_count(p->diag, KL_ERROR), 1);
    assert_says(p, "File too large");

    assert_int_equal(kl_reader_open(p->file, p->diag, &r), KL_OK);
    assert_true(kl_reader_rows(r) > 1000);
    assert_true(kl_reader_unfinished(r));
    expect_rows(r, 10);
    kl_reader_close(r);
    assert_int_equal(write_file(p, p->other, 100, 10, "complete"), KL_OK);
}

static void a_model_is_not_overwritten_by_mistake(void **state)
{
    place *p = *state;
    size_t n = 0;
    write_bytes(p->file, "model: pendulum\n", 16);
    assert_int_equal(write_file(p, p->file, 5, 3, NULL), KL_E_FILE);
    assert_says(p, "not a results file");
    char *bytes = read_bytes(p->file, &n);
    assert_memory_equal(bytes, "model: pendulum\n", 16);
    free(bytes);
    assert_int_equal(write_file(p, p->folder, 5, 3, NULL), KL_E_FILE);
    assert_int_equal(write_file(p, "/nowhere/at/all.h5", 5, 3, NULL), KL_E_FILE);
}

static void a_new_run_replaces_the_old_results_behind_a_link(void **state)
{
    place      *p = *state;
    kl_reader  *r = NULL;
    struct stat s;
    assert_int_equal(write_file(p, p->other, 5, 3, NULL), KL_OK);
    assert_int_equal(symlink(p->other, p->file), 0);
    assert_int_equal(write_file(p, p->file, 9, 3, NULL), KL_OK);
    assert_int_equal(lstat(p->file, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    assert_int_equal(kl_reader_open(p->other, p->diag, &r), KL_OK);
    assert_int_equal(kl_reader_rows(r), 9);
    kl_reader_close(r);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(ten_thousand_rows_of_200_come_back_bit_for_bit),
        CASE(special_numbers_keep_their_bits),
        CASE(scattered_channels_and_rows_come_in_the_order_asked),
        CASE(channels_are_found_by_name_with_all_that_was_said),
        CASE(texts_and_notes_are_kept),
        CASE(a_row_of_twenty_thousand_columns_works),
        CASE(a_run_without_rows_is_a_readable_file),
        CASE(a_reader_follows_a_run_which_ends_well_all_the_same),
        CASE(files_in_different_threads_do_not_disturb_each_other),
        CASE(a_killed_run_leaves_a_readable_file_and_repair_makes_it_ordinary),
        CASE(a_kill_at_the_start_or_the_end_of_a_run_leaves_a_readable_file_too),
        CASE(a_file_that_is_being_written_is_not_repaired),
        CASE(a_missing_an_empty_and_a_foreign_file_are_told_apart),
        CASE(a_cut_off_file_is_refused_or_read_right),
        CASE(a_flipped_bit_never_crashes_the_reader),
        CASE(bad_calls_are_refused),
        CASE(a_failed_start_leaves_the_old_file_as_it_was),
        CASE(a_full_disk_is_told_once_and_keeps_what_was_written),
        CASE(a_model_is_not_overwritten_by_mistake),
        CASE(a_new_run_replaces_the_old_results_behind_a_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
