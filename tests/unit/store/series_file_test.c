/* One column of a text file over another, and the mistakes such files have. */
#include "store/series_file.h"

#include <stdio.h>
#include <string.h>

#include "unit/test.h"

static const char path[] = "series_file_test.csv";

static kl_status read_text(const char *text, const char *column, kl_arena *arena, kl_diag *diag,
                           kl_series *out)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    kl_status status =
        kl_series_file_read(path, column, (kl_place){"model.yaml", 3, 5}, arena, diag, out);
    remove(path);
    return status;
}

static void expect(const char *text, const char *column, int n, double last)
{
    kl_arena *arena = kl_arena_create();
    kl_diag  *diag  = kl_diag_create();
    kl_series s;
    assert_int_equal(read_text(text, column, arena, diag, &s), KL_OK);
    assert_int_equal(s.n, n);
    assert_true(s.y[n - 1] == last);
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

static void columns_are_found_by_name_and_by_place(void **state)
{
    (void)state;
    expect("time,a [m],b\n0,1,2\n1,3,4\n", "a", 2, 3.0);
    expect("time,a [m],b\n0,1,2\n1,3,4\n", "b", 2, 4.0);
    expect("# measured\n0;1;2\n\n1;3;4\r\n", NULL, 2, 3.0);
    expect("time,a\n0,1\n1,2\n1,5\n2,7\n", "a", 3, 7.0); /* rows of an event count once */
}

static void refuse(const char *text, const char *column, const char *place)
{
    kl_arena *arena = kl_arena_create();
    kl_diag  *diag  = kl_diag_create();
    kl_series s;
    assert_true(read_text(text, column, arena, diag, &s) != KL_OK);
    assert_int_equal(strncmp(kl_diag_at(diag, 0)->text, place, strlen(place)), 0);
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

static void mistakes_name_their_place(void **state)
{
    (void)state;
    refuse("time,a\n0,1\n1,much\n", "a", "series_file_test.csv:3:3:"); /* in the file */
    refuse("time,a\n0,1\n1,2\n", "b", "model.yaml:3:5:");              /* in the model */
    refuse("0,1\n1,2\n", "a", "series_file_test.csv:1:1:");
    refuse("time,a\n0,1\n", "a", "model.yaml:3:5:");
    refuse("", NULL, "model.yaml:3:5:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_name_and_by_place),
        cmocka_unit_test(mistakes_name_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
