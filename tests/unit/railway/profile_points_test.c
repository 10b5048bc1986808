/* Profiles from files in all formats, axes, units and orders give one outline; bad ones are refused
 * by name. */
#include "railway/profile_points.h"

#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "railway/profiles.h"

enum { MOST = 1000 };

typedef struct list {
    int    n;
    double y[MOST], z[MOST]; /* mm, y outward, z up */
} list;

static list sample(const kl_outline *o, double from_y, double step)
{
    list l = {0};
    for (double s = 0.0; s <= kl_outline_length(o) && l.n < MOST; s += step) {
        kl_outline_rates r = kl_outline_rates_at(o, kl_outline_find(o, s));
        if (r.y < from_y) continue;
        l.y[l.n] = 1e3 * r.y, l.z[l.n++] = 1e3 * r.z;
    }
    return l;
}

static list wheel_points(void)
{
    kl_arena  *arena = kl_arena_create();
    kl_outline o;
    assert_int_equal(kl_wheel_s1002(arena, &o), KL_OK);
    list l = sample(&o, -0.0699, 0.25e-3);
    kl_arena_destroy(arena);
    return l;
}

static list rail_points(void)
{
    kl_arena  *arena = kl_arena_create();
    kl_outline o;
    assert_int_equal(kl_rail_from_head(&kl_rail_60e1, arena, &o), KL_OK);
    list l = sample(&o, -1.0, 0.25e-3);
    kl_arena_destroy(arena);
    return l;
}

typedef struct file {
    char  path[64];
    FILE *stream;
} file;

static file file_make(void)
{
    file f   = {"/tmp/klingel-profile-XXXXXX", NULL};
    f.stream = fdopen(mkstemp(f.path), "w");
    assert_non_null(f.stream);
    return f;
}

typedef struct result {
    kl_arena         *arena;
    kl_diag          *diag;
    kl_status         status;
    kl_outline        outline;
    kl_profile_report report;
    kl_profile_points points;
} result;

static result read_file(file *f, kl_profile_kind kind, kl_profile_options options)
{
    result r = {.arena = kl_arena_create(), .diag = kl_diag_create()};
    fclose(f->stream);
    r.status = kl_profile_file_read(f->path, r.arena, r.diag, &r.points);
    if (r.status == KL_OK)
        r.status = kl_outline_from_points(&r.points, kind, &options, r.arena, r.diag, &r.outline,
                                          &r.report);
    unlink(f->path);
    return r;
}

static void result_free(result *r)
{
    kl_arena_destroy(r->arena);
    kl_diag_destroy(r->diag);
}

/* Points and, away from the joints, curvature of the outline are those of S1002. */
static void assert_is_s1002(const result *r, double tolerance)
{
    if (r->status != KL_OK) fail_msg("%s", kl_diag_at(r->diag, 0)->text);
    kl_arena  *arena = kl_arena_create();
    kl_outline o;
    assert_int_equal(kl_wheel_s1002(arena, &o), KL_OK);
    for (double s = 25e-3; s < kl_outline_length(&o) - 3e-3; s += 1e-3) {
        kl_outline_point a = kl_outline_at(&o, kl_outline_find(&o, s));
        kl_outline_point b = kl_outline_at(&r->outline, kl_outline_nearest(&r->outline, a.y, a.z));
        assert_close(hypot(a.y - b.y, a.z - b.z), 0.0, tolerance);
        bool joint = false;
        for (double d = -2e-3; d <= 2e-3; d += 0.5e-3)
            joint = joint || fabs(kl_outline_at(&o, kl_outline_find(&o, s + d)).curvature -
                                  a.curvature) > 0.2 * fabs(a.curvature) + 1.0;
        assert_close(a.ty * b.tz - a.tz * b.ty, 0.0, joint ? 3e-3 : 5e-4);
        if (!joint) assert_close(b.curvature, a.curvature, 0.02 * fabs(a.curvature) + 0.05);
    }
    kl_arena_destroy(arena);
}

static void two_columns_are_read_in_any_axes_unit_and_order(void **unused)
{
    (void)unused;
    list l = wheel_points();
    for (int k = 0; k < 16; k++) {
        double sy = k & 1 ? -1 : 1, sz = k & 2 ? -1 : 1, unit = k & 4 ? 1e-3 : 1.0;
        file   f = file_make();
        fprintf(f.stream, k & 1 ? "# a wheel\n" : "y;z\n");
        for (int i = 0; i < l.n; i++) {
            int j = k & 8 ? l.n - 1 - i : i;
            fprintf(f.stream, k & 4 ? "%.7f %.7f\n" : "%.4f, %.4f # mm\n", sy * unit * l.y[j],
                    sz * unit * l.z[j]);
        }
        result r = read_file(&f, KL_PROFILE_WHEEL, (kl_profile_options){0});
        assert_is_s1002(&r, 1e-6);
        assert_close(r.report.unit, k & 4 ? 1.0 : 1e-3, 1e-12);
        assert_true(r.report.reversed == ((k & 8) != 0));
        assert_non_null(strstr(r.report.axes, k & 1 ? "towards the track" : "field side"));
        assert_non_null(strstr(r.report.axes, k & 2 ? "z down" : "z up"));
        assert_true(r.report.deviation < 2e-6);
        result_free(&r);
    }
}

static void simpack_and_miniprof_files_are_read(void **unused)
{
    (void)unused;
    list l = wheel_points();
    file f = file_make();
    fprintf(f.stream, "header.begin\n  version = 1\n  type = 1\nheader.end\nspline.begin\n  "
                      "shift.y = 5.0\n  mirror.z = 1\n"
                      "  inversion = 0\n  units.len = 'mm'\n  units.len.f = 1000\n  point.begin\n");
    for (int i = 0; i < l.n; i++) fprintf(f.stream, "    %.6f %.6f 1\n", l.y[i] - 5.0, -l.z[i]);
    fprintf(f.stream, "  point.end\nspline.end\n");
    result r = read_file(&f, KL_PROFILE_WHEEL, (kl_profile_options){0});
    assert_int_equal(r.points.format, KL_PROFILE_SIMPACK);
    assert_is_s1002(&r, 1e-6);
    result_free(&r);
    f = file_make();
    fprintf(f.stream, "ProgramName=MINIPROF\r\nColumnDef=X,Y,A,C,N\r\nXYPoints=%d\r\n\r\n", l.n);
    for (int i = 0; i < l.n; i++)
        fprintf(f.stream, "%.4f\t%.4f\t0.1\t0.2\t%d\r\n", l.y[i] + 70.0, l.z[i], i);
    r = read_file(&f, KL_PROFILE_WHEEL, (kl_profile_options){0});
    assert_int_equal(r.points.format, KL_PROFILE_MINIPROF);
    /* measured from the back of the flange: the running circle is 70 mm from it */
    assert_close(r.report.origin[0], 0.070, 0.2e-3);
    assert_int_equal(r.status, KL_OK);
    result_free(&r);
}

static void a_rail_is_read_upside_down_and_its_sides_go_on(void **unused)
{
    (void)unused;
    list l = rail_points();
    file f = file_make();
    for (int i = 0; i < l.n; i++)
        if (l.z[i] > -14.0) fprintf(f.stream, "%.4f %.4f\n", l.y[i], -l.z[i]);
    result r = read_file(&f, KL_PROFILE_RAIL, (kl_profile_options){0});
    assert_int_equal(r.status, KL_OK);
    assert_non_null(strstr(r.report.axes, "z down"));
    kl_outline_rates end = kl_outline_rates_at(&r.outline, (kl_outline_place){0, 0.0});
    assert_close(end.z, -0.030, 1e-4);
    /* the crown has 300 mm radius, to 1 % */
    assert_close(kl_outline_at(&r.outline, kl_outline_nearest(&r.outline, 2e-3, 0.0)).curvature,
                 -1.0 / 0.3, 0.01 / 0.3);
    assert_close(kl_outline_at(&r.outline, kl_outline_nearest(&r.outline, 18e-3, -1e-3)).curvature,
                 -1.0 / 0.08, 0.01 / 0.08);
    result_free(&r);
}

static void smoothing_keeps_to_the_deviation_asked_for(void **unused)
{
    (void)unused;
    list     l    = rail_points();
    unsigned seed = 3;
    file     f    = file_make();
    for (int i = 0; i < l.n; i++) {
        seed = seed * 1664525u + 1013904223u;
        fprintf(f.stream, "%.5f %.5f\n", l.y[i], l.z[i] + 0.02 * (seed / 4294967296.0 - 0.5));
    }
    result r = read_file(&f, KL_PROFILE_RAIL, (kl_profile_options){.smoothing = 20e-6});
    assert_int_equal(r.status, KL_OK);
    assert_true(r.report.deviation <= 20e-6 && r.report.deviation > 5e-6);
    result_free(&r);
}

/* ---- mistakes ---- */

static void refused(file *f, kl_profile_kind kind, kl_profile_options options, const char *words)
{
    result r = read_file(f, kind, options);
    assert_int_not_equal(r.status, KL_OK);
    assert_true(kl_diag_size(r.diag) > 0);
    if (!strstr(kl_diag_at(r.diag, 0)->text, words))
        fail_msg("'%s' is not in: %s", words, kl_diag_at(r.diag, 0)->text);
    result_free(&r);
}

static file listed(const list *l, double sy, double sz, double unit)
{
    file f = file_make();
    for (int i = 0; i < l->n; i++)
        fprintf(f.stream, "%.6g %.6g\n", sy * unit * l->y[i], sz * unit * l->z[i]);
    return f;
}

static void bad_profiles_are_refused_by_name(void **unused)
{
    (void)unused;
    list               l         = wheel_points(), w;
    kl_profile_options automatic = {0}, out_up = {.y = KL_AXIS_OUT, .z = KL_HEIGHT_UP};
    file               f = listed(&l, -1, 1, 1.0);
    refused(&f, KL_PROFILE_WHEEL, out_up, "mirrored");
    f = listed(&l, 1, -1, 1.0);
    refused(&f, KL_PROFILE_WHEEL, out_up, "upside down");
    f = listed(&l, 1, 1, 12.0);
    refused(&f, KL_PROFILE_WHEEL, automatic, "wrong units");
    f = listed(&l, 1, 1, 1.0);
    refused(&f, KL_PROFILE_WHEEL, (kl_profile_options){.unit = 1.0}, "wrong units");
    /* no flange: the tread alone */
    w = (list){0};
    for (int i = 0; i < l.n; i++)
        if (l.y[i] > -25.0) w.y[w.n] = l.y[i], w.z[w.n++] = l.z[i];
    f = listed(&w, 1, 1, 1.0);
    refused(&f, KL_PROFILE_WHEEL, automatic, "no flange");
    /* a gap in the flange root */
    w = (list){0};
    for (int i = 0; i < l.n; i++)
        if (l.y[i] < -38.0 || l.y[i] > -30.0) w.y[w.n] = l.y[i], w.z[w.n++] = l.z[i];
    f = listed(&w, 1, 1, 1.0);
    refused(&f, KL_PROFILE_WHEEL, automatic, "has a gap");
    /* a point out of order makes a loop */
    w        = l;
    w.y[200] = l.y[230], w.z[200] = l.z[230] + 0.01, w.y[230] = l.y[200],
    w.z[230] = l.z[200] - 0.01;
    f        = listed(&w, 1, 1, 1.0);
    refused(&f, KL_PROFILE_WHEEL, automatic, "crosses itself");
    f = file_make();
    fprintf(f.stream, "1 2\n3 4\n5 x\n");
    refused(&f, KL_PROFILE_WHEEL, automatic, ":3:3:");
    f = file_make();
    fprintf(f.stream, "1 2\n3\n");
    refused(&f, KL_PROFILE_WHEEL, automatic, "needs y and z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_columns_are_read_in_any_axes_unit_and_order),
        cmocka_unit_test(simpack_and_miniprof_files_are_read),
        cmocka_unit_test(a_rail_is_read_upside_down_and_its_sides_go_on),
        cmocka_unit_test(smoothing_keeps_to_the_deviation_asked_for),
        cmocka_unit_test(bad_profiles_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
