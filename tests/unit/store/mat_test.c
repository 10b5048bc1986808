/* MAT files, read back by a small reader of the level 5 format that shares nothing with the writer.
 */
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/mat.h"

/* One array of the file: class, size, name, and where its contents begin. */
typedef struct array {
    uint32_t             class_;
    int32_t              rows, columns;
    char                 name[64];
    const unsigned char *contents, *end;
} array;

static uint32_t word(const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

/* Steps over an element: its data and size; the next one begins at a multiple of 8. */
static const unsigned char *element(const unsigned char **p, uint32_t type, uint32_t *bytes)
{
    const unsigned char *data = *p + 8;
    assert_int_equal(word(*p), type);
    *bytes = word(*p + 4);
    *p     = data + (*bytes + 7) / 8 * 8;
    return data;
}

static array next_array(const unsigned char **p)
{
    array                a = {0};
    uint32_t             n, inner;
    const unsigned char *q = element(p, 14, &n);
    a.end                  = q + n;
    a.class_               = word(element(&q, 6, &inner)) & 0xFF;
    assert_int_equal(inner, 8);
    const unsigned char *size = element(&q, 5, &inner);
    assert_int_equal(inner, 8);
    a.rows                    = (int32_t)word(size);
    a.columns                 = (int32_t)word(size + 4);
    const unsigned char *name = element(&q, 1, &inner);
    memcpy(a.name, name, inner);
    a.contents = q;
    return a;
}

static void expect_text(const array *a, const char *name, const uint16_t *units, int n)
{
    uint32_t             bytes;
    const unsigned char *p    = a->contents;
    const unsigned char *data = element(&p, 17, &bytes);
    assert_int_equal(a->class_, 4);
    assert_string_equal(a->name, name);
    assert_int_equal(a->rows, n > 0 ? 1 : 0);
    assert_int_equal(a->columns, n);
    assert_int_equal(bytes, 2 * n);
    assert_memory_equal(data, units, bytes);
    assert_ptr_equal(p, a->end);
}

static unsigned char *contents(FILE *f, size_t *n)
{
    fflush(f);
    *n                   = (size_t)ftell(f);
    unsigned char *bytes = malloc(*n + 1);
    rewind(f);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    return bytes;
}

static void texts_lists_and_matrices_read_back(void **state)
{
    (void)state;
    const char *const list[]   = {"x", "", "a longer name"};
    const double      values[] = {1, 2, 3, 4, 5, 6};
    FILE             *f        = tmpfile();
    size_t            n;
    uint32_t          bytes;
    kl_mat_begin(f, "a head");
    kl_mat_text(f, "title", "t\xC3\xBC\xE2\x82\xAC\xF0\x9F\x9A\x82"); /* t, ue, euro, railway car */
    kl_mat_texts(f, "names", list, 3);
    kl_mat_matrix(f, "values", 2, 3);
    fwrite(values, sizeof *values, 6, f);
    unsigned char       *file = contents(f, &n);
    const unsigned char *p    = file + 128;

    assert_memory_equal(file, "a head          ", 16);
    assert_int_equal(word(file + 124), 0x4D490100);
    array a = next_array(&p);
    expect_text(&a, "title", (const uint16_t[]){'t', 0xFC, 0x20AC, 0xD83D, 0xDE82}, 5);

    a = next_array(&p);
    assert_int_equal(a.class_, 1);
    assert_string_equal(a.name, "names");
    assert_int_equal(a.rows * a.columns, 3);
    const unsigned char *q = a.contents;
    array                c = next_array(&q);
    expect_text(&c, "", (const uint16_t[]){'x'}, 1);
    c = next_array(&q);
    expect_text(&c, "", (const uint16_t[]){0}, 0);
    c = next_array(&q);
    assert_int_equal(c.columns, 13);
    assert_ptr_equal(q, a.end);

    a = next_array(&p);
    assert_int_equal(a.class_, 6);
    assert_string_equal(a.name, "values");
    assert_true(a.rows == 2 && a.columns == 3);
    assert_memory_equal(element(&a.contents, 9, &bytes), values, sizeof values);
    assert_ptr_equal(p, file + n);
    free(file);
}

static void bytes_that_are_no_letters_are_replaced(void **state)
{
    (void)state;
    const char *const bad[] = {"\xFF", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FILE  *f = tmpfile();
        size_t n;
        kl_mat_text(f, "t", bad[i]);
        unsigned char       *file = contents(f, &n);
        const unsigned char *p    = file;
        array                a    = next_array(&p);
        uint16_t             unit;
        assert_true(a.columns >= 1);
        memcpy(&unit, a.contents + 8, 2);
        assert_int_equal(unit, 0xFFFD);
        free(file);
    }
}

static void what_is_too_large_is_known_before(void **state)
{
    (void)state;
    assert_true(kl_mat_fits(0, 0));
    assert_true(kl_mat_fits(10000, 20000));
    assert_false(kl_mat_fits(20000, 20000));
    assert_false(kl_mat_fits(2000000000, 2000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_lists_and_matrices_read_back),
        cmocka_unit_test(bytes_that_are_no_letters_are_replaced),
        cmocka_unit_test(what_is_too_large_is_known_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
