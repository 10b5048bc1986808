/* Contact examples against the reference files that list numbers instead of a motion: periods, amplitudes,
 * impacts, statistics. Run by hand it prints the table of docs/theory/contact.md. */
#include "verify/example.h"

#include "contact/contact_data.h"
#include "unit/csv_table.h"

static example e;

static table reference(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/reference/%s.csv", KL_SOURCE_DIR, name);
    return table_read(path);
}

static double field(const table *t, int row, const char *name)
{
    const char *word = t->header; /* names, each ended by zero */
    for (int c = 0; c < t->columns; c++, word += strlen(word) + 1)
        if (strcmp(word, name) == 0) return table_at(t, row, c);
    fail_msg("the reference has no column %s", name);
    return 0.0;
}

static void meets(const char *file, const char *what, double value, double expected, double allowed)
{
    double off = fabs(value - expected) / fabs(expected);
    print_message("%-36s %-24s %-14.9g off by %.1e\n", file, what, value, off);
    if (!(off <= allowed)) fail_msg("%s, %s: %.9g, expected %.9g", file, what, value, expected);
}

/* Time at which channel k passes `level` upwards for the n-th time after t0, between rows by the line. */
static double passes(int k, double level, double t0, int n)
{
    for (int i = 1; i < e.n; i++) {
        double a = e.value[i - 1][k] - level, b = e.value[i][k] - level;
        if (e.t[i - 1] < t0 || !(a < 0.0 && b >= 0.0) || --n > 0) continue;
        return e.t[i - 1] + (e.t[i] - e.t[i - 1]) * a / (a - b);
    }
    fail_msg("the channel does not pass %g", level);
    return 0.0;
}

/* Stick and slip on the belt: the period is measured where the block moves with the belt, x = v t. */
static void belt_has_the_limit_cycles_of_the_reference(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"x_m", NULL};
    static const int         rows[]     = {2, 4, 5}; /* 0.05, 0.2, 0.5 m/s */
    table                    t          = reference("belt_limit_cycles");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char   set[64], what[64];
        double speed = field(&t, rows[i], "belt_speed_m_s"), low = 1.0, high = -1.0;
        double middle = 0.3 * 9.81 / 100.0, period = field(&t, rows[i], "period_s");
        snprintf(set, sizeof set, "speed=%g tolerance=1e-8", speed);
        example_run("belt", set, 0.6 + 1.8 * period, 1e-3, channels, &e);
        double first = passes(0, middle, 0.1, 1), second = passes(0, middle, first + 1e-3, 1);
        for (int k = 0; k < e.n; k++)
            if (e.t[k] > first) low = fmin(low, e.value[k][0]), high = fmax(high, e.value[k][0]);
        snprintf(what, sizeof what, "period at %g m/s", speed);
        meets("belt_limit_cycles", what, second - first, period, 1e-5);
        snprintf(what, sizeof what, "amplitude at %g m/s", speed);
        meets("belt_limit_cycles", what, 0.5 * (high - low), field(&t, rows[i], "amplitude_m"),
              1e-4);
    }
    table_free(&t);
}

static void ball_in_a_bowl_has_the_periods_of_the_reference(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"theta_rad", NULL};
    table                    t          = reference("bowl_period");
    for (int i = 1; i < t.rows - 1; i += 2) { /* 90 degrees leave the bowl */
        char   set[64], what[64];
        double degrees = field(&t, i, "amplitude_deg");
        snprintf(set, sizeof set, "angle=%gdeg tolerance=1e-7", degrees);
        example_run("ball-in-bowl", set, 3.3, 2e-3, channels, &e);
        double first = passes(0, 0.0, 0.0, 1), second = passes(0, 0.0, 0.0, 2);
        snprintf(what, sizeof what, "period at %g degrees", degrees);
        meets("bowl_period", what, second - first, field(&t, i, "period_s"), 2e-5);
    }
    table_free(&t);
}

/* One impact: rebound speed for three laws and four restitutions. */
static void impacts_are_those_of_three_laws(void **unused)
{
    (void)unused;
    static const char *const laws[]     = {"lankarani-nikravesh", "hunt-crossley", "flores"};
    static const char *const channels[] = {"v_m_s", "h_m", NULL};
    table                    t          = reference("contact_impact_models");
    for (int i = 0; i < t.rows; i++) {
        char        set[160], what[64];
        const char *law = laws[(int)field(&t, i, "model_id")];
        snprintf(set, sizeof set, "law=%s restitution=%g R=0.1 m=1 k=5e8 drop=0.9", law,
                 field(&t, i, "e_nominal"));
        example_run("bouncing-ball", set, 0.431, 1e-3, channels, &e);
        double v = example_last(&e, 0), h = example_last(&e, 1);
        snprintf(what, sizeof what, "%.13s %g rebound", law, field(&t, i, "e_nominal"));
        meets("contact_impact_models", what, sqrt(v * v + 2.0 * 9.81 * h),
              field(&t, i, "v_out_m_s"), 1e-8);
    }
    table_free(&t);
}

static void several_bounces_are_those_of_the_reference(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"height_m", "floor.impacts", "floor.impact_speed", NULL};
    table                    t          = reference("contact_bouncing_ball_LN"),
          n                             = reference("contact_bouncing_ball_LN_impacts");
    double worst                        = 0.0;
    example_run("bouncing-ball", "restitution=0.8 R=0.1 m=1 k=1e7 drop=0.9", 3.0, 0.002, channels,
                &e);
    for (int i = 0; i < e.n; i++) worst = fmax(worst, fabs(e.value[i][0] - table_at(&t, i, 1)));
    print_message("%-36s %-24s off by %.1e m\n", "contact_bouncing_ball_LN", "height", worst);
    assert_true(e.n == t.rows && worst < 1e-8);
    for (int k = 0; k < n.rows; k++)
        for (int i = 0; i < e.n; i++)
            if (e.value[i][1] == k + 1) {
                meets("contact_bouncing_ball_LN_impacts", "speed", e.value[i][2],
                      field(&n, k, "v_in_m_s"), 1e-8);
                break;
            }
    table_free(&t), table_free(&n);
}

/* Speed of each impact of a dropped ball; the file has a column of words. */
static void impacts_of_a_dropped_ball_are_those_of_the_reference(void **unused)
{
    (void)unused;
    static const struct {
        const char *word, *set;
    } laws[] = {
        {"HC", "law=hunt-crossley"}, {"LN", "law=lankarani-nikravesh"}, {"Flores", "law=flores"}};
    static const char *const channels[] = {"floor.impacts", "floor.impact_speed", NULL};
    for (size_t l = 0; l < sizeof laws / sizeof *laws; l++) {
        FILE *f = fopen(KL_SOURCE_DIR "/tests/data/reference/drop_impacts.csv", "r");
        char  line[512], word[32];
        int   number, compared = 0;
        assert_non_null(f);
        example_run("bouncing-ball", laws[l].set, 2.0, 1e-3, channels, &e);
        while (f && fgets(line, sizeof line, f)) {
            double t, duration, speed;
            if (sscanf(line, "%31[^,],%d,%lf,%lf,%lf", word, &number, &t, &duration, &speed) != 5 ||
                strcmp(word, laws[l].word) != 0)
                continue;
            for (int i = 0; i < e.n; i++)
                if (e.value[i][0] == number) {
                    meets("drop_impacts", laws[l].set, e.value[i][1], speed, 1e-8);
                    compared++;
                    break;
                }
        }
        if (f) fclose(f);
        assert_true(compared >= 3);
    }
}

/* A rigid reference: bounces last no time. With a law that delivers the restitution 0.7 the time of the fourth
 * impact comes nearer to it as 1/k^0.4, the duration of a Hertz impact. */
static void compliant_bounces_approach_the_rigid_ones(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"v_m_s", "floor.impacts", "h_m", NULL};
    table                    t          = reference("contact_bouncing_ball_restitution");
    double                   late[3], exact = 0.0;
    for (int i = 0; i < t.rows; i++)
        if (field(&t, i, "e") == 0.7 && field(&t, i, "impact_no") == 4.0)
            exact = field(&t, i, "t_impact_s");
    for (int k = 0; k < 3; k++) {
        char   set[160];
        double nominal =
            1.0 - kl_hysteresis_factor(0.7) / 1.5; /* of hunt-crossley: beta = 3/2 (1 - e) */
        snprintf(set, sizeof set, "law=hunt-crossley restitution=%.15g R=0.1 m=1 k=%g drop=0.9",
                 nominal, 1e8 * pow(100.0, k));
        example_run("bouncing-ball", set, 1.8, 1e-3, channels, &e);
        for (int i = e.n - 1; i > 0 && e.value[i][1] >= 4.0; i--) /* the last flight before it */
            if (e.value[i - 1][1] == 3.0) {
                double v = e.value[i - 1][0], h = e.value[i - 1][2];
                late[k] = e.t[i - 1] + (v + sqrt(v * v + 2.0 * 9.81 * h)) / 9.81 - exact;
            }
        print_message("%-36s k = %-20.0e fourth impact late by %.2e s\n",
                      "contact_bouncing_ball_restitution", 1e8 * pow(100.0, k), late[k]);
    }
    for (int k = 1; k < 3; k++) assert_close(late[k] / late[k - 1], pow(100.0, -0.4), 0.02);
    table_free(&t);
}

/* Largest difference from the ideal slider-crank falls with the clearance; peaks and the number of impacts are
 * those of the reference. */
static void worn_slider_crank_has_the_statistics_of_the_reference(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"x_m", "a_m_s2", "bearing.impacts", "bearing.peak",
                                           NULL};
    table                    t          = reference("slidercrank_statistics");
    double                   apart[2];
    for (int k = 0; k < 2; k++) { /* 0.1 mm and 0.01 mm */
        char   set[64];
        double c = field(&t, k + 1, "clearance_m");
        snprintf(set, sizeof set, "clearance=%g", c);
        example_run("worn-slider-crank", set, 0.024, 0.024 / 2000, channels, &e);
        apart[k] = 0.0;
        for (int i = 0; i < e.n; i++) {
            double a = 5000.0 * 2.0 * KL_PI / 60.0 * e.t[i], s = 0.05 * sin(a);
            double ideal = 0.05 * cos(a) + sqrt(0.12 * 0.12 - s * s);
            apart[k]     = fmax(apart[k], fabs(e.value[i][0] - ideal));
        }
        print_message("%-36s clearance %-14g %.3g mm from the ideal slider\n", "slidercrank_ideal",
                      c, 1e3 * apart[k]);
        assert_true(apart[k] < 2.0 * c);
        meets("slidercrank_statistics", "impacts", example_last(&e, 2),
              field(&t, k + 1, "nimpact_ref"), 0.0);
    }
    assert_true(apart[1] < 0.2 * apart[0]);
    table_free(&t);
}

/* Forces on the floor's point instead of the ball's: variant D of football_variants. */
static void football_on_the_point_of_the_floor(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"x_m", "y_m", "z_m", NULL};
    example_run("football", "mu=0.5 point=second tolerance=1e-9", 10.0, 0.1, channels, &e);
    static const double end[3] = {0.0903625667404, 0.0440188126694, 0.113662142987};
    for (int k = 0; k < 3; k++) {
        print_message("%-36s %-24s %.6f, off by %.1e m\n", "football_variants", "D at 10 s",
                      example_last(&e, k), fabs(example_last(&e, k) - end[k]));
        assert_close(example_last(&e, k), end[k], 1e-4);
    }
}

/* The energy that a contact says to have dissipated is that of the balance of the run. */
static void contacts_know_what_they_dissipate(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *set, *lost;
        double      end, allowed;
    } runs[] = {{"bouncing-ball", "law=flores", "floor.lost", 2.0, 1e-4},
                {"bouncing-ball", "law=lankarani-nikravesh", "floor.lost", 2.0, 1e-4},
                {"worn-slider-crank", "clearance=0.1mm", "bearing.lost", 0.012, 5e-5},
                {"billiard-ball", "vx=2", "cloth.lost", 0.5, 1e-7},
                {"football", "mu=0.5 integrator=5 tolerance=1e-9", "floor.lost", 1.0, 1e-4}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const char *const channels[] = {runs[i].lost, "energy.lost", NULL};
        example_run(runs[i].name, runs[i].set, runs[i].end, runs[i].end / 20, channels, &e);
        meets(runs[i].name, runs[i].lost, example_last(&e, 0), example_last(&e, 1),
              runs[i].allowed);
    }
}

/* The search must find the same places from any start: a wheel moves across the rail, and each place is
 * searched for from the one before and from nothing. */
static void arcs_are_found_alike_from_any_start(void **unused)
{
    (void)unused;
    kl_diag   *d      = kl_diag_create();
    kl_source *source = NULL;
    kl_model  *m      = NULL;
    int        both   = 0;
    assert_int_equal(
        kl_source_read(KL_SOURCE_DIR "/examples/wheelset-of-arcs/model.yaml", d, &source), KL_OK);
    assert_int_equal(kl_source_build(source, NULL, 0, d, &m), KL_OK);
    for (int i = 0; i < m->nelement; i++) {
        if (strcmp(m->element[i].name, "right") != 0) continue;
        const kl_contact_data *p     = m->element[i].data;
        kl_motion              at[2] = {{.A = kl_identity()}, {.A = kl_identity()}};
        kl_spots               last  = {0};
        for (int k = 0; k <= 60; k++) {
            kl_spots cold, warm;
            at[0].r = kl_vec(0, 0.0002 * k, 0.001);
            kl_contact_find(p, at, NULL, &cold);
            kl_contact_find(p, at, k ? &last : NULL, &warm);
            assert_int_equal(cold.n, warm.n);
            for (int j = 0; j < cold.n; j++) {
                const kl_spot *a = &cold.item[j], *b = &warm.item[j];
                if (a->gap > 2e-3) continue;
                assert_close(a->gap, b->gap, 1e-9);
                assert_true(a->idle == b->idle);
                both += j == 6 && !a->idle && a->gap > cold.item[7].gap && a->gap < 0.0;
            }
            /* the joint with the tread is deeper here (0.49 mm), yet the flange root touches (0.46 mm) */
            if (k == 41) assert_true(!cold.item[6].idle && cold.item[6].gap > -4.7e-4);
            last = warm;
        }
    }
    assert_true(both > 0); /* flange root and tread touch, and the tread is deeper */
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(belt_has_the_limit_cycles_of_the_reference),
        cmocka_unit_test(ball_in_a_bowl_has_the_periods_of_the_reference),
        cmocka_unit_test(impacts_are_those_of_three_laws),
        cmocka_unit_test(several_bounces_are_those_of_the_reference),
        cmocka_unit_test(impacts_of_a_dropped_ball_are_those_of_the_reference),
        cmocka_unit_test(compliant_bounces_approach_the_rigid_ones),
        cmocka_unit_test(worn_slider_crank_has_the_statistics_of_the_reference),
        cmocka_unit_test(football_on_the_point_of_the_floor),
        cmocka_unit_test(contacts_know_what_they_dissipate),
        cmocka_unit_test(arcs_are_found_alike_from_any_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
