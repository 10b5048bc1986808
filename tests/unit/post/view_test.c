#include "post/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "post/pack.h"
#include "store/h5.h"
#include "unit/test.h"

static const kl_channel_info channels[] = {
    {.name = "a.position.x", .unit = "m"},   {.name = "a.position.y", .unit = "m"},
    {.name = "a.position.z", .unit = "m"},   {.name = "a.orientation.0", .unit = "1"},
    {.name = "a.velocity.x", .unit = "m/s"}, {.name = "energy.total", .unit = "N m"},
};
enum { NCHANNEL = sizeof channels / sizeof *channels };

/* The writer refuses a time that goes back: another program may not. */
static void put_time(const char *path, int row, double time)
{
    char        why[KL_H5_WHY] = "";
    kl_h5      *f              = kl_h5_open(path, KL_H5_CHANGE, why);
    kl_h5_table table          = {0};
    assert_true(f && kl_h5_open_table(f, "/time", &table));
    assert_true(kl_h5_put(f, table, row, 1, &time));
    assert_true(kl_h5_close(f, why));
}

/* Results of n rows in a new file, opened for reading. */
static kl_reader *results_with(const char *path, int n, const char *scene, double last,
                               kl_diag *diag)
{
    kl_writer      *w    = NULL;
    kl_results_info info = {.title      = "<script>alert(1)</script>",
                            .model_text = "title: </script> & more\n",
                            .scene_json = scene};
    unlink(path);
    assert_int_equal(kl_writer_create(path, &info, channels, NCHANNEL, diag, &w), KL_OK);
    for (int i = 0; i < n; i++) {
        double row[NCHANNEL] = {0.1 * i, 1.0,      i == 3 ? (double)NAN : 2.0,
                                1.0,     1e-3 * i, 1e6 + 1e-3 * i};
        assert_int_equal(kl_writer_row(w, 0.01 * i, row), KL_OK);
    }
    assert_int_equal(kl_writer_close(w), KL_OK);
    if (n > 0) put_time(path, n - 1, last);
    kl_reader *r = NULL;
    assert_int_equal(kl_reader_open(path, diag, &r), KL_OK);
    return r;
}

static kl_reader *results(const char *path, int n, kl_diag *diag)
{
    return results_with(path, n, "{\"bodies\": [], \"elements\": []}", 0.01 * (n - 1), diag);
}

static char *page_of(kl_reader *r, int every, kl_diag *diag, kl_view_summary *s)
{
    char           *text    = NULL;
    size_t          n       = 0;
    FILE           *f       = open_memstream(&text, &n);
    kl_view_source  source  = {.reader = r, .label = "x.h5"};
    kl_view_options options = {.every = every};
    assert_int_equal(kl_view_write_data(f, &source, 0, &options, diag, s), KL_OK);
    fclose(f);
    return text;
}

static void a_page_keeps_all_rows_of_a_small_result(void **unused)
{
    (void)unused;
    kl_diag        *diag = kl_diag_create();
    kl_reader      *r    = results("view_test_a.h5", 50, diag);
    kl_view_summary s;
    char           *page = page_of(r, 0, diag, &s);
    assert_int_equal(s.rows, 50);
    assert_int_equal(s.frames, 50);
    assert_int_equal(s.frame_every, 1);
    assert_int_equal(s.sample_every, 1);
    assert_int_equal(s.bodies, 1);
    assert_non_null(strstr(page, "id=\"k0-head\""));
    assert_non_null(strstr(page, "id=\"k0-time\""));
    assert_non_null(strstr(page, "id=\"k0-0\""));
    free(page);
    kl_reader_close(r);
    kl_diag_destroy(diag);
    unlink("view_test_a.h5");
}

static void every_nth_row_is_kept_when_asked_for(void **unused)
{
    (void)unused;
    kl_diag        *diag = kl_diag_create();
    kl_reader      *r    = results("view_test_b.h5", 50, diag);
    kl_view_summary s;
    free(page_of(r, 7, diag, &s));
    assert_int_equal(s.frames, 8); /* rows 0, 7, ..., 49 */
    kl_reader_close(r);
    kl_diag_destroy(diag);
    unlink("view_test_b.h5");
}

static void no_text_of_a_model_becomes_markup(void **unused)
{
    (void)unused;
    kl_diag        *diag = kl_diag_create();
    kl_reader      *r    = results("view_test_c.h5", 5, diag);
    char           *text = NULL;
    size_t          n    = 0;
    FILE           *f    = open_memstream(&text, &n);
    kl_view_summary s;
    kl_view_source  source  = {.reader = r, .label = "x.h5"};
    kl_view_options options = {0};
    kl_view_write(f, &source, 1, &options, diag, &s);
    fclose(f);
    assert_null(strstr(text, "alert(1)</script>"));
    assert_non_null(strstr(text, "&lt;script&gt;"));
    free(text);
    kl_reader_close(r);
    kl_diag_destroy(diag);
    unlink("view_test_c.h5");
}

static void results_without_rows_make_a_page(void **unused)
{
    (void)unused;
    kl_diag        *diag = kl_diag_create();
    kl_reader      *r    = results("view_test_d.h5", 0, diag);
    kl_view_summary s;
    free(page_of(r, 0, diag, &s));
    assert_int_equal(s.frames, 0);
    kl_reader_close(r);
    kl_diag_destroy(diag);
    unlink("view_test_d.h5");
}

static void time_that_goes_back_and_a_damaged_scene_are_noted(void **unused)
{
    (void)unused;
    static const struct {
        const char *scene;
        double      last;
        bool        bad_scene;
        int         backward;
    } cases[] = {
        {"{\"bodies\": [], \"elements\": [], \"title\": \"}\\\"]\"}\n", 0.09, false, 0},
        {"{\"bodies\": [", -1.0, true, 1},
        {"[]", -INFINITY, true, 1},
        {"{\"bodies\": [], \"elements\": []} more", 1.0, true, 0},
        {"{\"bodies\": [], \"elements\": \"", 1.0, true, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kl_diag        *diag = kl_diag_create();
        kl_reader      *r = results_with("view_test_e.h5", 10, cases[i].scene, cases[i].last, diag);
        kl_view_summary s;
        free(page_of(r, 0, diag, &s));
        assert_int_equal(s.bad_scene, cases[i].bad_scene);
        assert_int_equal(s.backward, cases[i].backward);
        kl_reader_close(r);
        kl_diag_destroy(diag);
    }
    unlink("view_test_e.h5");
}

/* RFC 4648, section 10 */
static void base64_is_that_of_the_standard(void **unused)
{
    (void)unused;
    const char *in[]  = {"", "f", "fo", "foo", "foob", "fooba", "foobar"};
    const char *out[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    for (int i = 0; i < 7; i++) {
        char  *text = NULL;
        size_t n = 0, written = 0;
        FILE  *f = open_memstream(&text, &n);
        assert_true(kl_pack_base64(f, (const unsigned char *)in[i], strlen(in[i]), &written));
        fclose(f);
        assert_string_equal(text, out[i]);
        assert_int_equal(written, strlen(out[i]));
        free(text);
    }
}

static void planes_hold_the_bytes_low_first(void **unused)
{
    (void)unused;
    const float   values[2] = {1.0f, -2.0f}; /* 3f800000, c0000000 */
    unsigned char planes[8];
    kl_pack_planes(values, 2, planes);
    const unsigned char want[8] = {0, 0, 0, 0, 0x80, 0x00, 0x3f, 0xc0};
    assert_memory_equal(planes, want, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_keeps_all_rows_of_a_small_result),
        cmocka_unit_test(every_nth_row_is_kept_when_asked_for),
        cmocka_unit_test(no_text_of_a_model_becomes_markup),
        cmocka_unit_test(results_without_rows_make_a_page),
        cmocka_unit_test(time_that_goes_back_and_a_damaged_scene_are_noted),
        cmocka_unit_test(base64_is_that_of_the_standard),
        cmocka_unit_test(planes_hold_the_bytes_low_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
