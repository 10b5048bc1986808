/* Spectra of track irregularities, tracks made from them, and rails that lie where they say. */
#include "railway/irregularity.h"

#include "unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "railway/rails.h"
#include "unit/railway/wheel_rail_reference.h"

static const kl_track_spectrum *spectrum(const char *name)
{
    for (const kl_track_spectrum *s = kl_track_spectra; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    fail_msg("no spectrum %s", name);
    return NULL;
}

static void densities_are_those_of_the_samples(void **unused)
{
    (void)unused;
    static const char *const names[][2] = {
        {"ERRI_B176_low", "erri-low"}, {"ERRI_B176_high", "erri-high"}, {"FRA_class_1", "fra-1"},
        {"FRA_class_4", "fra-4"},      {"FRA_class_5", "fra-5"},        {"FRA_class_6", "fra-6"}};
    reference t    = reference_read("wheel-rail/track_psd_samples.csv");
    int       seen = 0;
    for (int i = 0; i < t.nrow; i++)
        for (int k = 0; k < 6; k++) {
            if (strcmp(t.first[i], names[k][0]) != 0) continue;
            const kl_track_spectrum *s = spectrum(names[k][1]);
            double                   W = reference_at(&t, i, "Omega_rad_per_m"),
                   v = reference_at(&t, i, "S_vertical"), l = reference_at(&t, i, "S_lateral");
            double c = reference_at(&t, i, "S_crosslevel") *
                       (s->fra ? 1.0 : 1.5 * 1.5); /* angle to height */
            assert_close(kl_track_density(s, KL_TRACK_VERTICAL, W), v, 1e-6 * v);
            assert_close(kl_track_density(s, KL_TRACK_LATERAL, W), l, 1e-6 * l);
            assert_close(kl_track_density(s, KL_TRACK_CROSS_LEVEL, W), c, 1e-6 * c);
            seen++;
        }
    assert_true(seen >= 24);
    reference_free(&t);
}

static kl_irregularity *synthesise(const char *name, kl_irregularity_band band,
                                   unsigned long long seed, kl_arena *arena)
{
    kl_irregularity       *i;
    kl_irregularity_source source = {
        .spectrum = spectrum(name), .band = band, .seed = seed, .scale = {1, 1, 1, 1}};
    assert_int_equal(kl_irregularity_synthesise(&source, KL_NOWHERE, arena, NULL, &i), KL_OK);
    return i;
}

static void variances_in_the_bands_are_exact(void **unused)
{
    (void)unused;
    reference t     = reference_read("assessment/irregularity_variance.csv");
    kl_arena *arena = kl_arena_create();
    for (int i = 0; i < t.nrow; i++) {
        kl_irregularity_band band = {reference_at(&t, i, "wavelength_min_m"),
                                     reference_at(&t, i, "wavelength_max_m")};
        kl_irregularity     *x =
            synthesise(strcmp(t.first[i], "low") == 0 ? "erri-low" : "erri-high", band, 1, arena);
        int    c    = strcmp(t.second[i], "vertical") == 0  ? KL_TRACK_VERTICAL
                      : strcmp(t.second[i], "lateral") == 0 ? KL_TRACK_LATERAL
                                                            : KL_TRACK_CROSS_LEVEL;
        double unit = c == KL_TRACK_CROSS_LEVEL ? 1e6 / (1.5 * 1.5) : 1e6;
        double want = reference_at(&t, i, "variance_one_sided_mm2_or_mrad2");
        assert_close(unit * kl_irregularity_variance(x, c), want, 1e-6 * want);
    }
    kl_arena_destroy(arena);
    reference_free(&t);
}

/* One realisation of 2000 m may differ by three standard errors (README of the reference: 0.089 in D1). */
static void a_realisation_has_the_variance_of_its_band(void **unused)
{
    (void)unused;
    kl_arena              *arena  = kl_arena_create();
    kl_irregularity       *x      = synthesise("erri-low", kl_band_d1, 7, arena);
    kl_irregularity_cursor cursor = {0};
    double                 sum    = 0.0;
    enum { N = 8000 };
    for (int i = 0; i < N; i++) {
        kl_irregularity_value v;
        kl_irregularity_at(x, 500e3 + 0.25 * i, &cursor, v); /* far along the line, too */
        sum += v[KL_TRACK_VERTICAL][0] * v[KL_TRACK_VERTICAL][0];
    }
    assert_close(1e6 * sum / N, 0.968793898, 3 * 0.0891377 * 0.97);
    kl_arena_destroy(arena);
}

static void seeds_differ_and_repeat(void **unused)
{
    (void)unused;
    kl_arena        *arena      = kl_arena_create();
    kl_irregularity *a          = synthesise("fra-5", kl_band_d1, 1, arena),
                    *b          = synthesise("fra-5", kl_band_d1, 1, arena),
                    *c          = synthesise("fra-5", kl_band_d1, 2, arena);
    kl_irregularity_cursor k[4] = {{0}};
    kl_irregularity_value  v[4];
    kl_irregularity_at(a, 12.3, &k[0], v[0]);
    /* by another way to the same place: values must not depend on the cursor */
    for (double s = 0.0; s < 12.0; s += 0.3) kl_irregularity_at(b, s, &k[1], v[1]);
    kl_irregularity_at(b, 12.3, &k[1], v[1]);
    kl_irregularity_at(c, 12.3, &k[2], v[2]);
    assert_memory_equal(v[0], v[1], sizeof v[0]);
    assert_true(fabs(v[0][0][0] - v[2][0][0]) > 1e-5);
    kl_arena_destroy(arena);
}

static void derivatives_are_those_of_the_values(void **unused)
{
    (void)unused;
    kl_arena        *arena = kl_arena_create();
    kl_irregularity *x     = synthesise("erri-high", (kl_irregularity_band){3, 150}, 3, arena);
    kl_irregularity_start(x, 10.0, 20.0);
    kl_irregularity_cursor k = {0};
    for (double s = 5.0; s < 60.0; s += 0.77) {
        kl_irregularity_value a, b, v;
        double                h = 1e-4;
        kl_irregularity_at(x, s - h, &k, a);
        kl_irregularity_at(x, s + h, &k, b);
        kl_irregularity_at(x, s, &k, v);
        for (int c = 0; c < KL_TRACK_CHANNELS; c++) {
            assert_close((b[c][0] - a[c][0]) / (2 * h), v[c][1], 1e-9);
            assert_close((b[c][1] - a[c][1]) / (2 * h), v[c][2], 1e-7);
            if (s < 10.0) assert_close(v[c][0], 0.0, 0.0);
        }
    }
    kl_arena_destroy(arena);
}

/* ---- rails ---- */

static void each_rail_lies_where_its_two_channels_say(void **unused)
{
    (void)unused;
    enum { N = 50 };
    static double s[N], ly[N], lz[N], ry[N], rz[N];
    for (int i = 0; i < N; i++) {
        s[i] = i, ly[i] = 1e-3 * sin(0.3 * i), lz[i] = 2e-3 * cos(0.2 * i);
        ry[i] = -1e-3 * cos(0.25 * i), rz[i] = 1e-3 * sin(0.15 * i);
    }
    kl_arena           *arena = kl_arena_create();
    kl_irregularity    *x;
    const double *const left[2] = {ly, lz}, *const right[2] = {ry, rz};
    assert_int_equal(kl_irregularity_of_rails(s, left, right, N, KL_NOWHERE, arena, NULL, &x),
                     KL_OK);
    kl_rails        rails  = {.irregularity = x};
    kl_rails_cursor cursor = {0};
    kl_rail_point   p;
    assert_int_equal(kl_rail_at(&rails, 1, 20.0, &cursor, &p), KL_OK);
    assert_close(p.off_y[0], ly[20], 1e-12);
    assert_close(p.off_z[0], lz[20], 1e-12);
    assert_int_equal(kl_rail_at(&rails, -1, 20.0, &cursor, &p), KL_OK);
    assert_close(p.off_y[0], ry[20], 1e-12);
    assert_close(p.off_z[0], rz[20], 1e-12);
    /* the frame points along the rail, and the bend is the derivative of its direction */
    kl_rail_point a, b;
    double        h = 1e-4;
    assert_int_equal(kl_rail_at(&rails, -1, 20.3 - h, &cursor, &a), KL_OK);
    assert_int_equal(kl_rail_at(&rails, -1, 20.3 + h, &cursor, &b), KL_OK);
    assert_int_equal(kl_rail_at(&rails, -1, 20.3, &cursor, &p), KL_OK);
    kl_vec3 turn = kl_scale(1.0 / (2 * h), kl_sub(kl_axis(&b.A, 0), kl_axis(&a.A, 0)));
    assert_close(kl_dot(turn, kl_axis(&p.A, 1)), p.bend_y, 1e-6);
    assert_close(kl_dot(turn, kl_axis(&p.A, 2)), p.bend_z, 1e-6);
    kl_arena_destroy(arena);
}

static void unsorted_samples_are_refused(void **unused)
{
    (void)unused;
    kl_arena           *arena = kl_arena_create();
    kl_diag            *diag  = kl_diag_create();
    kl_irregularity    *x;
    double              s[] = {0, 1, 1, 2, 3}, v[5] = {0};
    const double *const value[KL_TRACK_CHANNELS] = {v};
    assert_int_not_equal(kl_irregularity_sampled(s, value, 5, KL_NOWHERE, arena, diag, &x), KL_OK);
    assert_non_null(strstr(kl_diag_at(diag, 0)->text, "must increase"));
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

/* Nodes are computed in blocks, from node to node by turning cosines: what a cursor that runs along the
 * track reads is what a new one reads there, and across the borders of blocks nothing jumps. */
static void a_place_does_not_depend_on_the_way_to_it(void **unused)
{
    (void)unused;
    kl_arena              *arena = kl_arena_create();
    kl_irregularity       *i     = synthesise("erri-low", kl_band_d1, 3, arena);
    kl_irregularity_cursor along = {0};
    const double           block = KL_IRREGULARITY_BLOCK * 3.0 / 8.0; /* [m] */
    for (int k = -40; k < 400; k++) {
        kl_irregularity_cursor fresh = {0};
        kl_irregularity_value  a, b, c;
        kl_irregularity_at(i, 0.37 * k, &along, a);
        kl_irregularity_at(i, 0.37 * k, &fresh, b);
        assert_memory_equal(a, b, sizeof a);
        kl_irregularity_at(i, block * (k / 8) - 1e-9, &fresh, b);
        kl_irregularity_at(i, block * (k / 8) + 1e-9, &fresh, c);
        for (int q = 0; q < KL_TRACK_CHANNELS; q++) {
            assert_close(b[q][0], c[q][0], 1e-10);
            assert_close(b[q][1], c[q][1], 1e-10);
            assert_close(b[q][2], c[q][2], 1e-8);
        }
    }
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_does_not_depend_on_the_way_to_it),
        cmocka_unit_test(densities_are_those_of_the_samples),
        cmocka_unit_test(variances_in_the_bands_are_exact),
        cmocka_unit_test(a_realisation_has_the_variance_of_its_band),
        cmocka_unit_test(seeds_differ_and_repeat),
        cmocka_unit_test(derivatives_are_those_of_the_values),
        cmocka_unit_test(each_rail_lies_where_its_two_channels_say),
        cmocka_unit_test(unsorted_samples_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
