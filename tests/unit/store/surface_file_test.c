#include "store/surface_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/test.h"

static const char *const PATH = "/tmp/klingel-surface-test.ksurf";

/* The paper's spherical cap (Ambrosio 2019, eq. 1.11), away from its pole. */
static void cap(const void *context, double u, double v, kl_surface_point *p)
{
    double R = *(const double *)context, cu = cos(u), su = sin(u), cv = cos(v), sv = sin(v);
    p->r   = kl_vec(R * cu * cv, R * cu * sv, R * su);
    p->ru  = kl_vec(-R * su * cv, -R * su * sv, R * cu);
    p->rv  = kl_vec(-R * cu * sv, R * cu * cv, 0);
    p->ruu = kl_vec(-R * cu * cv, -R * cu * sv, -R * su);
    p->ruv = kl_vec(R * su * sv, -R * su * cv, 0);
    p->rvv = kl_vec(-R * cu * cv, -R * cu * sv, 0);
}

static const double radius = 2.0;

static kl_surface *make_cap(kl_arena *arena)
{
    const double u[2] = {0, 1.4}, v[2] = {0, 1.57};
    kl_surface  *s;
    assert_int_equal(kl_surface_freeform((kl_surface_function){&radius, cap}, u, v, arena, &s),
                     KL_OK);
    s->flip = true; /* outwards */
    return s;
}

static void write_cap(kl_arena *arena, double error, kl_surface_table *t)
{
    kl_surface_table_settings set = {.method = KL_TABLE_CUBIC, .error = {error, error}};
    assert_int_equal(kl_surface_file_write(PATH, make_cap(arena), &set, "cap", arena, NULL, t),
                     KL_OK);
}

static void a_surface_comes_back_whole_and_through_a_window(void **unused)
{
    (void)unused;
    kl_arena         *arena = kl_arena_create();
    kl_surface_table  t;
    kl_surface_file  *whole, *part;
    kl_surface_cursor a, b;
    write_cap(arena, 1e-8, &t);
    assert_int_equal(kl_surface_file_open(PATH, 0, NULL, &whole), KL_OK);
    assert_int_equal(kl_surface_file_open(PATH, 10, NULL, &part), KL_OK);
    const kl_surface *s = kl_surface_file_surface(whole), *w = kl_surface_file_surface(part);
    assert_int_equal(kl_surface_cursor_init(s, arena, &a), KL_OK);
    assert_int_equal(kl_surface_cursor_init(w, arena, &b), KL_OK);
    for (int i = 0; i < 2000; i++) {
        double           u = 0.7 + 0.69 * sin(0.004 * i), v = 0.78 + 0.77 * cos(0.0031 * i);
        kl_surface_point p, q;
        kl_surface_shape g;
        assert_int_equal(kl_surface_eval(s, u, v, &a, &p), KL_OK);
        assert_int_equal(kl_surface_eval(w, u, v, &b, &q), KL_OK);
        assert_memory_equal(&p, &q, sizeof p);
        assert_close(kl_norm(p.r), radius, 4e-8);
        assert_int_equal(kl_surface_shape_at(s, &p, &g), KL_OK);
        assert_true(kl_dot(g.n, p.r) > 0.0); /* the side was kept */
        assert_close(g.mean, -1 / radius, 2e-3);
    }
    assert_true(b.reads > 5 && b.reads < 500);
    kl_surface_file_close(whole);
    kl_surface_file_close(part);
    kl_arena_destroy(arena);
    unlink(PATH);
}

static void what_is_no_surface_is_refused(void **unused)
{
    (void)unused;
    kl_diag         *diag = kl_diag_create();
    kl_surface_file *f;
    assert_int_equal(kl_surface_file_open("/nowhere.ksurf", 0, diag, &f), KL_E_FILE);
    FILE *text = fopen(PATH, "w");
    fputs("hello\n", text);
    fclose(text);
    assert_int_equal(kl_surface_file_open(PATH, 0, diag, &f), KL_E_FILE);
    assert_non_null(strstr(kl_diag_at(diag, 1)->text, "is not a surface file"));
    kl_diag_destroy(diag);
    unlink(PATH);
}

static void a_pole_is_told_and_nothing_is_left(void **unused)
{
    (void)unused;
    kl_arena                 *arena = kl_arena_create();
    kl_diag                  *diag  = kl_diag_create();
    kl_surface               *s     = make_cap(arena);
    kl_surface_table          t;
    kl_surface_table_settings set = {.method = KL_TABLE_CUBIC};
    s->u[1]                       = 1.5707963267948966;
    assert_int_equal(kl_surface_file_write(PATH, s, &set, "", arena, diag, &t), KL_E_SINGULAR);
    assert_non_null(strstr(kl_diag_at(diag, 0)->text, "a pole"));
    assert_int_equal(access(PATH, F_OK), -1);
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_surface_comes_back_whole_and_through_a_window),
        cmocka_unit_test(what_is_no_surface_is_refused),
        cmocka_unit_test(a_pole_is_told_and_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
