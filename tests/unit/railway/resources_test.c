/* `profiles:` and `irregularities:` of a model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "railway/irregularity_resource.h"
#include "railway/profile_resource.h"
#include "unit/build_model.h"

#define MODEL(sections)                                                                            \
    "klingel: 1\n" sections "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nrun: {end: 1}\n"

static void a_model_names_profiles(void **unused)
{
    (void)unused;
    built                   b     = must_build(MODEL("profiles:\n"
                                                                           "  head: {of: rail, arc: 300 mm}\n"
                                                                           "  tread: {cone: 1/20}\n"));
    const kl_named_profile *head  = kl_model_find_resource(b.model, "profiles", "head")->data;
    const kl_named_profile *tread = kl_model_find_resource(b.model, "profiles", "tread")->data;
    assert_close(kl_outline_at(&head->outline, kl_outline_nearest(&head->outline, 0, 0)).curvature,
                 -1 / 0.3, 1e-6);
    kl_outline_point p = kl_outline_at(&tread->outline, kl_outline_nearest(&tread->outline, 0, 0));
    assert_close(p.tz / p.ty, 0.05, 1e-9);
    built_free(&b);
}

static void a_model_names_irregularities(void **unused)
{
    (void)unused;
    built b = must_build(
        MODEL("irregularities:\n"
              "  rough: {spectrum: erri-high, shortest: 3 m, longest: 25 m, seed: 4, gauge: 0}\n"));
    const kl_named_irregularity *x =
        kl_model_find_resource(b.model, "irregularities", "rough")->data;
    assert_close(1e6 * kl_irregularity_variance(x->irregularity, KL_TRACK_VERTICAL), 2.59498366,
                 1e-5);
    assert_close(kl_irregularity_variance(x->irregularity, KL_TRACK_GAUGE), 0.0, 0.0);
    built_free(&b);
}

static void an_irregularity_comes_from_a_file(void **unused)
{
    (void)unused;
    char  path[] = "/tmp/klingel-irregularity-XXXXXX", text[400];
    FILE *f      = fdopen(mkstemp(path), "w");
    fprintf(f, "# measured\nkm,s_m,vertical_mm,gauge_mm\n");
    for (int i = 0; i < 20; i++) fprintf(f, "x,%g,%g,%g\n", 0.25 * i, 0.1 * i, 2.0);
    fclose(f);
    snprintf(text, sizeof text, MODEL("irregularities: {m: {file: %s, vertical: 2}}\n"), path);
    built                        b = must_build(text);
    const kl_named_irregularity *x = kl_model_find_resource(b.model, "irregularities", "m")->data;
    kl_irregularity_cursor       cursor = {0};
    kl_irregularity_value        v;
    kl_irregularity_at(x->irregularity, 2.6, &cursor, v);
    assert_close(v[KL_TRACK_VERTICAL][0], 2 * 0.4e-3 * 2.6, 1e-12);
    assert_close(v[KL_TRACK_GAUGE][0], 2e-3, 1e-12);
    assert_close(v[KL_TRACK_LATERAL][0], 0.0, 0.0);
    built_free(&b);
    unlink(path);
}

/* The same track in the forms in which recording cars and spreadsheets write it: all give the same rails. */
static void files_of_recording_cars_are_read(void **unused)
{
    (void)unused;
    static const struct {
        const char *head, *row, *begin; /* of the row: length, vertical [mm], gauge [mm] */
        double      scale;              /* of the length in the file */
    } form[] = {
        {"s_m,vertical_mm,gauge_mm\n", "%.4f,%.4f,%.4f\n", "", 1.0},
        {"s_m;vertical_mm;gauge_mm\n", "%.4f;%.4f;%.4f\n", "", 1.0},
        {"\xEF\xBB\xBFs_km,vertical_mm,gauge_mm\r\n", "%.7f,%.4f,%.4f\r\n", "", 1e-3},
        {"s_m\tvertical_mm\tgauge_mm\n", "%.4f\t%.4f\t%.4f\n", "", 1.0},
        {"s_m vertical_mm  gauge_mm\n", " %.4f  %.4f %.4f\n", "", 1.0},
        {"\"s_m\";\"speed [km/h]\";\"vertical_mm\";\"gauge_mm\"\n", "%.4f;80,5 ;%.4f;%.4f\n", "",
         1.0},
        {"event,s_km,note of the crew,vertical_mm,gauge_mm\n", ",%.7f,bridge 4,%.4f,%.4f\n",
         ", begin: 0 m", 1e-3},
    };
    for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
        char   path[] = "/tmp/klingel-irregularity-XXXXXX", text[400];
        FILE  *f      = fdopen(mkstemp(path), "w");
        double first  = *form[k].begin ? 12345.0 : 0.0;
        fputs(form[k].head, f);
        for (int i = 0; i < 20; i++) {
            snprintf(text, sizeof text, form[k].row, form[k].scale * (first + 0.25 * i), 0.1 * i,
                     2.5);
            for (char *p = text; strchr(form[k].head, ';') && *p; p++)
                if (*p == '.') *p = ','; /* as written where the comma is decimal */
            fputs(text, f);
        }
        fclose(f);
        snprintf(text, sizeof text, MODEL("irregularities: {m: {file: %s%s}}\n"), path,
                 form[k].begin);
        built                        b = must_build(text);
        const kl_named_irregularity *x =
            kl_model_find_resource(b.model, "irregularities", "m")->data;
        kl_irregularity_cursor cursor = {0};
        kl_irregularity_value  v;
        kl_irregularity_at(x->irregularity, 2.6, &cursor, v);
        assert_close(v[KL_TRACK_VERTICAL][0], 0.4e-3 * 2.6, 1e-9);
        assert_close(v[KL_TRACK_GAUGE][0], 2.5e-3, 1e-12);
        built_free(&b);
        unlink(path);
    }
}

/* Waves of 10, 40 and 110 m, one in each band: a band leaves its own wave and no other. */
static void a_band_leaves_its_wavelengths_of_a_file(void **unused)
{
    (void)unused;
    const double pi     = acos(-1.0);
    char         path[] = "/tmp/klingel-irregularity-XXXXXX", text[400];
    FILE        *f      = fdopen(mkstemp(path), "w");
    fprintf(f, "s_m,vertical_mm\n");
    for (int i = 0; i < 8000; i++) {
        double s = 0.25 * i + 0.05 * (i % 2); /* uneven steps */
        fprintf(f, "%.4f,%.9f\n", s,
                sin(2 * pi * s / 10) + sin(2 * pi * s / 40) + sin(2 * pi * s / 110));
    }
    fclose(f);
    for (int k = 0; k < 3; k++) {
        static const double wave[] = {10, 40, 110};
        snprintf(text, sizeof text, MODEL("irregularities: {m: {file: %s, band: D%d}}\n"), path,
                 k + 1);
        built                        b = must_build(text);
        const kl_named_irregularity *x =
            kl_model_find_resource(b.model, "irregularities", "m")->data;
        kl_irregularity_cursor cursor = {0};
        double                 worst  = 0.0;
        for (double s = 700.0; s < 1300.0; s += 1.3) {
            kl_irregularity_value v;
            kl_irregularity_at(x->irregularity, s, &cursor, v);
            worst = fmax(worst, fabs(v[KL_TRACK_VERTICAL][0] - 1e-3 * sin(2 * pi * s / wave[k])));
        }
        print_message("D%d: largest difference from its wave %.3f mm of 1 mm\n", k + 1,
                      1e3 * worst);
        assert_true(worst < 0.03e-3);
        built_free(&b);
    }
    snprintf(text, sizeof text, MODEL("irregularities: {m: {spectrum: erri-high, band: D1}}\n"));
    built                        b = must_build(text);
    const kl_named_irregularity *x = kl_model_find_resource(b.model, "irregularities", "m")->data;
    assert_close(1e6 * kl_irregularity_variance(x->irregularity, KL_TRACK_VERTICAL), 2.59498366,
                 1e-5);
    built_free(&b);
    unlink(path);
}

/* A thousand kilometres need no more memory than one: nothing is allocated on the way. */
static void a_thousand_kilometres_take_no_memory(void **unused)
{
    (void)unused;
    built b = must_build(MODEL("irregularities: {m: {spectrum: erri-low, lines: 200, seed: 3}}\n"));
    const kl_named_irregularity *x = kl_model_find_resource(b.model, "irregularities", "m")->data;
    kl_irregularity_cursor       cursor = {0};
    size_t                       before = kl_arena_bytes(b.model->arena);
    double                       sum    = 0.0;
    int                          n      = 0;
    for (double s = 0.0; s < 1e6; s += 173.0, n++) {
        kl_irregularity_value v;
        kl_irregularity_at(x->irregularity, s, &cursor, v);
        sum += v[KL_TRACK_VERTICAL][0] * v[KL_TRACK_VERTICAL][0];
    }
    assert_true(kl_arena_bytes(b.model->arena) == before);
    assert_close(sum / n / kl_irregularity_variance(x->irregularity, KL_TRACK_VERTICAL), 1.0, 0.1);
    built_free(&b);
}

/* Density 1e-6 from 0.1 to 1 rad/m: a variance of 0.9e-6 m2 when the band covers it. */
static void a_spectrum_comes_from_a_table(void **unused)
{
    (void)unused;
    char  path[] = "/tmp/klingel-spectrum-XXXXXX", text[400];
    FILE *f      = fdopen(mkstemp(path), "w");
    fprintf(f, "W_rad_per_m,lateral\n0.1,1e-6\n0.2,1e-6\n0.5,1e-6\n1,1e-6\n");
    fclose(f);
    snprintf(
        text, sizeof text,
        MODEL("irregularities: {m: {table: %s, shortest: 6.2831853 m, longest: 62.831853 m}}\n"),
        path);
    built                        b = must_build(text);
    const kl_named_irregularity *x = kl_model_find_resource(b.model, "irregularities", "m")->data;
    assert_close(kl_irregularity_variance(x->irregularity, KL_TRACK_LATERAL), 0.9e-6, 1e-9);
    assert_close(kl_irregularity_variance(x->irregularity, KL_TRACK_VERTICAL), 0.0, 0.0);
    built_free(&b);
    unlink(path);
}

static void refused(const char *text, const char *words)
{
    built b;
    assert_int_not_equal(try_build(text, &b), KL_OK);
    assert_true(kl_diag_size(b.diag) > 0);
    if (!strstr(kl_diag_at(b.diag, 0)->text, words))
        fail_msg("'%s' is not in: %s", words, kl_diag_at(b.diag, 0)->text);
    built_free(&b);
}

static void mistakes_are_told(void **unused)
{
    (void)unused;
    refused(MODEL("profiles: {a: {of: rail}}\n"), "give one of");
    refused(MODEL("profiles: {a: {of: rail, cone: 0.1}}\n"), "cannot be a cone");
    refused(MODEL("profiles: {a: {file: no-such.whl}}\n"), "no-such.whl");
    refused(MODEL("irregularities: {a: {shortest: 30 m, longest: 3 m}}\n"),
            "must be positive and increase");
    refused(MODEL("irregularities: {a: {spectrum: erri-medium}}\n"), "erri");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_names_profiles),
        cmocka_unit_test(a_model_names_irregularities),
        cmocka_unit_test(an_irregularity_comes_from_a_file),
        cmocka_unit_test(files_of_recording_cars_are_read),
        cmocka_unit_test(a_spectrum_comes_from_a_table),
        cmocka_unit_test(a_band_leaves_its_wavelengths_of_a_file),
        cmocka_unit_test(a_thousand_kilometres_take_no_memory),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
