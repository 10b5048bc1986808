/* Points on a surface whose table is read from a file through a window that moves with each of them
 * (Ambrosio 2019, figure 1.6), against the surface itself. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "geometry/named.h"
#include "model/resource.h"
#include "store/surface_file.h"
#include "unit/solve/simulate.h"

static const char *const model =
    "klingel: 1\nsurfaces: {bowl: {%s}}\n"
    "bodies:\n"
    "  a: {type: point, mass: 1, position: [0.6, 0.2, 0.23], velocity: [0, 0.5, 0]}\n"
    "  b: {type: point, mass: 1, position: [-0.7, -0.5, 0.36]}\n"
    "joints:\n  on_a: {type: point-on-surface, body: a, surface: bowl}\n"
    "  on_b: {type: point-on-surface, body: b, surface: bowl}\n"
    "integrator: {type: runge-kutta, tolerance: 1e-9}\n";
static const char *const net =
    "net: [[[-1, -1, 1], [-1, 0, 0.5], [-1, 1, 1]], [[0, -1, 0.5], [0, 0, 0], [0, 1, 0.5]], "
    "[[1, -1, 1], [1, 0, 0.5], [1, 1, 1]]], spline: cubic";
static const char *const names[] = {"a.position.x", "a.position.y", "b.position.x", "b.position.z",
                                    NULL};

static built model_with(const char *surface)
{
    char text[2048];
    snprintf(text, sizeof text, model, surface);
    return must_build(text);
}

static const kl_surface *surface_of(const kl_model *m)
{
    const kl_resource *r = kl_model_find_resource(m, "surfaces", "bowl");
    return ((const kl_named_surface *)r->data)->surface;
}

static void a_window_over_a_table_gives_the_motion_on_the_surface(void **unused)
{
    (void)unused;
    static rows                     exact, found;
    static const int                windows[]  = {0, 12};
    char                            path[64]   = "/tmp/klingel-surface-XXXXXX", text[128];
    kl_arena                       *arena      = kl_arena_create();
    const kl_surface_table_settings settings   = {.method = KL_TABLE_CUBIC};
    kl_surface_table                table      = {0};
    int                             descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    built b = model_with(net);
    simulate(&b, 2.0, 0.02, names, &exact, NULL);
    assert_int_equal(
        kl_surface_file_write(path, surface_of(b.model), &settings, "bowl", arena, b.diag, &table),
        KL_OK);
    built_free(&b);
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, windows[k] ? "file: %s, window: %d" : "file: %s", path,
                 windows[k]);
        b = model_with(text);
        assert_true((kl_surface_window_bytes(surface_of(b.model)) > 0) == (windows[k] > 0));
        simulate(&b, 2.0, 0.02, names, &found, NULL);
        assert_int_equal(found.count, exact.count);
        for (int i = 0; i < found.count; i++)
            for (int c = 0; c < 4; c++) assert_close(found.value[i][c], exact.value[i][c], 1e-6);
        built_free(&b);
    }
    remove(path);
    kl_arena_destroy(arena);
}

static void a_window_that_is_too_small_is_refused(void **unused)
{
    (void)unused;
    char  text[2048];
    built b;
    snprintf(text, sizeof text, model, "file: no.ksurf, window: 2");
    assert_int_not_equal(try_build(text, &b), KL_OK);
    assert_non_null(strstr(kl_diag_at(b.diag, 0)->text, "window is 2"));
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_over_a_table_gives_the_motion_on_the_surface),
        cmocka_unit_test(a_window_that_is_too_small_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
