/* `klingel assess` on records whose values are known: sines of force along a straight and a curve. */
#include "post/assess.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/test.h"

static const double PI = 3.141592653589793;

enum { RATE = 400, SECONDS = 60, ROWS = RATE * SECONDS, CHANNELS = 10 };
static const double SPEED = 40.0, AXLE = 112.8e3;

static const kl_channel_info channels[CHANNELS] = {
    {"front.Y_left", "N", "", false},    {"front.Y_right", "N", "", false},
    {"front.Q_left", "N", "", false},    {"front.Q_right", "N", "", false},
    {"front.distance", "m", "", false},  {"front.curvature", "1/m", "", false},
    {"front.wear_left", "N", "", false}, {"front.wear_right", "N", "", false},
    {"floor_a_y", "m/s2", "", true},     {"bogie_a_y", "m/s2", "", true},
};

/* 1200 m straight, then a curve of 500 m radius behind a transition of 100 m. */
static double curvature(double s)
{
    return s < 1200.0 ? 0.0 : s > 1300.0 ? 1.0 / 500.0 : (s - 1200.0) / 100.0 / 500.0;
}

static bool starts_with_impact, jumps;

static void values_at(int i, double *v)
{
    double t = (double)i / RATE, s = SPEED * t, wave = sin(2.0 * PI * s / 25.0);
    v[0] = 15e3 + 8e3 * wave, v[1] = 5e3;
    v[2] = 0.5 * AXLE * (1.0 + 0.3 * wave), v[3] = 0.5 * AXLE * (1.0 - 0.3 * wave);
    v[4] = s, v[5] = curvature(s), v[6] = 40.0, v[7] = 60.0;
    if (starts_with_impact && t < 0.1) v[2] *= 3.0;
    if (jumps && t >= 30.0 && t < 30.2) v[3] = t < 30.15 ? 0.0 : 10.0 * AXLE;
    v[8] = sin(2.0 * PI * 2.0 * t), v[9] = 3.0 * sin(2.0 * PI * 2.0 * t);
}

static void write_record(const char *path, int rows, int every)
{
    kl_diag        *diag = kl_diag_create();
    kl_writer      *w;
    kl_results_info info = {.title = "record"};
    double          v[CHANNELS];
    unlink(path);
    assert_int_equal(kl_writer_create(path, &info, channels, CHANNELS, diag, &w), KL_OK);
    for (int i = 0; i < rows; i += every) {
        values_at(i, v);
        assert_int_equal(kl_writer_row(w, (double)i / RATE, v), KL_OK);
    }
    assert_int_equal(kl_writer_close(w), KL_OK);
    kl_diag_destroy(diag);
}

typedef struct bench {
    kl_diag      *diag;
    kl_arena     *arena;
    kl_reader    *reader;
    kl_assessment a;
    kl_status     status;
} bench;

static bench assess(int rows, int every, const char *domain)
{
    bench          b = {.diag = kl_diag_create(), .arena = kl_arena_create()};
    const kl_node *limits;
    char           path[64];
    snprintf(path, sizeof path, "assess-test-%d.h5", (int)getpid());
    write_record(path, rows, every);
    assert_int_equal(kl_reader_open(path, b.diag, &b.reader), KL_OK);
    assert_int_equal(kl_assess_limits(NULL, b.arena, b.diag, &limits), KL_OK);
    b.status = kl_assess(b.reader, "out.h5", limits, domain, b.arena, b.diag, &b.a);
    unlink(path);
    return b;
}

static void put_away(bench *b)
{
    kl_reader_close(b->reader);
    kl_arena_destroy(b->arena);
    kl_diag_destroy(b->diag);
}

static const kl_assessed *row(const bench *b, const char *quantity)
{
    for (int i = 0; i < b->a.n; i++)
        if (strcmp(b->a.row[i].quantity, quantity) == 0) return &b->a.row[i];
    fail_msg("no row %s", quantity);
    return NULL;
}

static void is(const bench *b, const char *quantity, double value, double tolerance, double limit)
{
    const kl_assessed *r = row(b, quantity);
    if (!(fabs(r->value - value) <= tolerance))
        fail_msg("%s %.9g, not %.9g", quantity, r->value, value);
    if (!(fabs(r->limit - limit) <= 1e-6 * fabs(limit)))
        fail_msg("%s limit %.9g, not %.9g", quantity, r->limit, limit);
    assert_true(fabs(r->utilisation - r->value / r->limit) < 1e-12);
}

static void sections_forces_and_limits_are_those_of_the_record(void **unused)
{
    (void)unused;
    bench b = assess(ROWS, 1, "railway");
    assert_int_equal(b.status, KL_OK);
    /* 1200 m of straight hold four sections of 250 m, 1100 m of curve eleven of 100 m */
    assert_true(row(&b, "straight.sections")->value == 4.0);
    assert_true(row(&b, "small_radius.sections")->value >= 10.0 &&
                row(&b, "small_radius.sections")->value <= 11.0);
    /* a mean over 2 m of a wave of 25 m keeps sin(0.08 pi)/(0.08 pi); 1.6 Hz pass the filter of 20 Hz */
    double gain = sin(0.08 * PI) / (0.08 * PI), limit = 10e3 + AXLE / 3.0;
    is(&b, "straight.sum_Y_2m", 10e3 + 8e3 * gain, 15.0, limit);
    is(&b, "straight.Q_max", 0.5 * AXLE * 1.3, 60.0, 90e3 + 0.5 * AXLE);
    is(&b, "straight.Y_quasi_static", 15e3, 20.0, 60e3);
    is(&b, "straight.Q_quasi_static", 0.5 * AXLE, 60.0, 145e3);
    is(&b, "wheel_unloading", 0.3, 1e-3, 0.6);
    /* 1.6 Hz: the band is 0.2 to 3.6 Hz, the mean value is not in it */
    const kl_assessed *rms = row(&b, "instability_sum_Y_rms");
    assert_true(fabs(rms->value - 8e3 / sqrt(2.0)) < 400.0 && fabs(rms->limit - 0.5 * limit) < 1.0);
    assert_true(fabs(row(&b, "front.wear_number")->value - 60.0) < 1e-9);
    assert_true(row(&b, "front.wear_number")->verdict == KL_NO_LIMIT);
    is(&b, "floor_a.lateral_acceleration", 1.0, 0.02, 2.5);
    is(&b, "floor_a.lateral_acceleration_rms", 1.0 / sqrt(2.0), 0.01, 0.5);
    assert_true(row(&b, "floor_a.lateral_acceleration_rms")->verdict == KL_EXCEEDS_LIMIT);
    assert_true(row(&b, "straight.sum_Y_2m")->verdict == KL_WITHIN_LIMIT);
    put_away(&b);
}

/* An impact of the start counts in the assessment; a warning says so. */
static void an_impact_at_the_start_gives_a_warning(void **unused)
{
    (void)unused;
    bench b = assess(ROWS, 1, "railway");
    assert_int_equal(kl_diag_count(b.diag, KL_WARNING), 0);
    put_away(&b);
    starts_with_impact = true;
    b                  = assess(ROWS, 1, "railway");
    starts_with_impact = false;
    assert_int_equal(b.status, KL_OK);
    assert_int_equal(kl_diag_count(b.diag, KL_WARNING), 1);
    assert_non_null(strstr(kl_diag_at(b.diag, 0)->text, "in the first 0.5 s of the run"));
    put_away(&b);
}

/* A wheel that lifts and lands makes the filter ring below zero; more than all of a load cannot go. */
static void a_wheel_that_lifts_is_unloaded_wholly(void **unused)
{
    (void)unused;
    jumps   = true;
    bench b = assess(ROWS, 1, "railway");
    jumps   = false;
    assert_true(row(&b, "wheel_unloading")->value == 1.0);
    put_away(&b);
}

static void unsuitable_records_are_refused_with_a_remedy(void **unused)
{
    (void)unused;
    bench b = assess(ROWS, 8, "railway"); /* 50 rows a second */
    assert_int_equal(b.status, KL_E_RANGE);
    assert_non_null(strstr(kl_diag_at(b.diag, 0)->text, "every: 5 ms"));
    put_away(&b);
    b = assess(2 * RATE, 1, "railway"); /* 80 m */
    assert_int_equal(b.status, KL_E_RANGE);
    assert_non_null(strstr(kl_diag_at(b.diag, 0)->text, "no section is complete"));
    put_away(&b);
    b = assess(ROWS, 1, "comfort"); /* floor_a has one direction only */
    assert_int_equal(b.status, KL_E_NAME);
    put_away(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_forces_and_limits_are_those_of_the_record),
        cmocka_unit_test(an_impact_at_the_start_gives_a_warning),
        cmocka_unit_test(a_wheel_that_lifts_is_unloaded_wholly),
        cmocka_unit_test(unsuitable_records_are_refused_with_a_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
