/* Current collection as whole runs: a pantograph of bodies and joints against the same one of lumped
 * masses; a mechanism under a stitched line in the way of Ambrosio's figure 18; a run that is cut. */
#include <math.h>

#include "algebra/filter.h"
#include "unit/build_model.h"

#include "solve/simulation.h"

enum { MOST = 8000 };

typedef struct record {
    double time[MOST], force[MOST], x[MOST];
    int    n, channel[2];
} record;

static kl_status keep(void *context, double t, const double *values)
{
    record *r = context;
    if (r->n == MOST) return KL_OK;
    r->time[r->n] = t, r->force[r->n] = values[r->channel[0]], r->x[r->n] = values[r->channel[1]];
    r->n++;
    return KL_OK;
}

static void run(kl_source *source, const kl_override *set, int nset, const char *object, record *r)
{
    kl_diag       *d = kl_diag_create();
    kl_model      *m = NULL;
    kl_simulation *s = NULL;
    char           name[64];
    r->n = 0;
    if (kl_source_build(source, set, nset, d, &m) != KL_OK ||
        kl_simulation_create(m, d, &s) != KL_OK) {
        print_messages(d);
        fail_msg("the model was not built");
    }
    snprintf(name, sizeof name, "%s.contact_force", object);
    r->channel[0] = kl_channels_find(s->channels, name);
    snprintf(name, sizeof name, "%s.position", object);
    r->channel[1] = kl_channels_find(s->channels, name);
    assert_true(r->channel[0] >= 0 && r->channel[1] >= 0);
    kl_sink sink = {.context = r, .row = keep};
    if (kl_simulation_run(s, m->settings.end, m->settings.every, &sink, d) != KL_OK) {
        print_messages(d);
        fail_msg("the run failed");
    }
    kl_simulation_destroy(s);
    kl_model_destroy(m);
    kl_diag_destroy(d);
}

typedef struct figures {
    double mean, sigma, most, least;
} figures;

static figures figures_of(record *r, double from, double to)
{
    figures   f = {.most = -HUGE_VAL, .least = HUGE_VAL};
    kl_filter filter;
    int       n = 0;
    assert_int_equal(kl_filter_lowpass(&filter, 6, 20.0, 1.0 / (r->time[1] - r->time[0])), KL_OK);
    kl_filter_run_both_ways(&filter, r->force, r->n);
    for (int i = 0; i < r->n; i++) {
        if (r->x[i] < from || r->x[i] > to) continue;
        f.mean += r->force[i], f.sigma += r->force[i] * r->force[i], n++;
        f.most = fmax(f.most, r->force[i]), f.least = fmin(f.least, r->force[i]);
    }
    assert_true(n > 100);
    f.mean /= n;
    f.sigma = sqrt(f.sigma / n - f.mean * f.mean);
    return f;
}

#define LINE                                                                                       \
    "klingel: 1\nparameters: {speed: 250 km/h}\ngravity: [0, 0, 0]\ncatenaries:\n"                 \
    "  line: {spans: 6, span_length: 60 m, contact_mass: 1.35 kg/m, contact_tension: 20 kN,\n"     \
    "         contact_bending: 195 N m2, contact_damping: [0, 0], messenger_mass: 1.07 kg/m,\n"    \
    "         messenger_tension: 16 kN, messenger_bending: 131.7 N m2, messenger_damping: [0, "    \
    "0],\n"                                                                                        \
    "         droppers: [5, 10.5, 17, 23.5, 30, 36.5, 43, 49.5, 55]}\n"
#define RUN "run: {end: 290 m/speed, every: 1 ms}\n"

static const char lumped[] =
    LINE "forces:\n"
         "  c: {type: pantograph, catenary: line, on: ground, from: 10 m, speed: speed, masses: "
         "[7.2, 15],\n"
         "      stiffness: [4200, 50], damping: [10, 90], uplift: 120 N, ramp_length: 60 m}\n" RUN;

static const char bodies[] = LINE
    "bodies:\n"
    "  carriage: {mass: 1000 kg, inertia: [1, 1, 1], position: [10 m, 0, -1 m], velocity: [speed, "
    "0, 0]}\n"
    "  frame: {mass: 15 kg, inertia: [1, 1, 1], position: [10 m, 0, 17 mm], velocity: [speed, 0, "
    "0]}\n"
    "  head: {mass: 7.2 kg, inertia: [1, 1, 1], position: [10 m, 0, 8.64 mm], velocity: [speed, 0, "
    "0]}\n"
    "joints:\n"
    "  rail: {type: translational, between: [ground, carriage], at: [10 m, 0, -1 m], axis: x}\n"
    "  drive: {type: driver, of: rail, coordinate: displacement, value: {polynomial: [0, speed]}}\n"
    "  lift: {type: translational, between: [carriage, frame], at: [10 m, 0, 0], axis: z}\n"
    "  bow: {type: translational, between: [frame, head], at: [10 m, 0, 0], axis: z}\n"
    "forces:\n"
    "  k2: {type: slide-spring-damper, of: lift, stiffness: 50, damping: 90, length: 0 m}\n"
    "  k1: {type: slide-spring-damper, of: bow, stiffness: 4200, damping: 10, length: 0 m}\n"
    "  up: {type: force, on: frame, axis: z,\n"
    "       value: {linear_table: [[0, 36], [60 m/speed, 120], [100, 120]]}}\n"
    "  c: {type: catenary-contact, catenary: line, pilot: ground, nodes: [head], interval: 1 "
    "ms}\n" RUN;

static kl_source *parse(const char *text)
{
    kl_source *s = NULL;
    kl_diag   *d = kl_diag_create();
    if (kl_source_parse(text, strlen(text), "test.yaml", d, &s) != KL_OK) print_messages(d);
    kl_diag_destroy(d);
    assert_non_null(s);
    return s;
}

static record first, second;

static void bodies_and_lumped_masses_collect_the_same_current(void **unused)
{
    (void)unused;
    kl_source *a = parse(lumped), *b = parse(bodies);
    run(a, NULL, 0, "c", &first);
    run(b, NULL, 0, "c", &second);
    figures l = figures_of(&first, 120.0, 270.0), m = figures_of(&second, 120.0, 270.0);
    print_message("lumped: mean %.2f, sigma %.2f N; bodies: mean %.2f, sigma %.2f N\n", l.mean,
                  l.sigma, m.mean, m.sigma);
    assert_true(fabs(l.mean - m.mean) < 1.0);
    assert_true(fabs(l.sigma - m.sigma) < 1.0);
    kl_source_destroy(a), kl_source_destroy(b);
}

/* Paper 001: at 80 m/s about 200 N, between 100 and 300 N. */
static void a_mechanism_under_a_stitched_line_stays_between_the_usual_forces(void **unused)
{
    (void)unused;
    kl_diag   *d = kl_diag_create();
    kl_source *s = NULL;
    assert_int_equal(kl_source_read(KL_SOURCE_DIR "/examples/catenary-stitched/model.yaml", d, &s),
                     KL_OK);
    const kl_override set = {.name = "spans", .text = "6"};
    run(s, &set, 1, "touch", &first);
    figures f = figures_of(&first, 108.0, 216.0);
    print_message("mean %.1f, sigma %.1f, from %.1f to %.1f N\n", f.mean, f.sigma, f.least, f.most);
    assert_true(f.mean > 190.0 && f.mean < 220.0);
    assert_true(f.sigma < 0.3 * f.mean);
    assert_true(f.least > 50.0 && f.most < 350.0);
    kl_source_destroy(s);
    kl_diag_destroy(d);
}

/* Two tension lengths side by side: the pantograph changes from one contact wire to the other without
 * losing contact, though each wire ends half a metre above it. */
static void a_pantograph_changes_over_in_an_overlap(void **unused)
{
    (void)unused;
    static const char overlap[] =
        "klingel: 1\ncatenaries:\n"
        "  line: {sections: 2, spans: 5, overlap: 2, rise: 0.5 m, span_length: 54 m, contact_mass: "
        "1.35 kg/m,\n"
        "         contact_tension: 20 kN, contact_bending: 195 N m2, messenger_mass: 1.07 kg/m,\n"
        "         droppers: [4.5, 13.5, 22.5, 31.5, 40.5, 49.5], arm_mass: 0.3 kg, arm_stiffness: "
        "200 N/m}\n"
        "forces:\n"
        "  c: {type: pantograph, catenary: line, on: ground, from: 60 m, speed: 60 m/s, masses: "
        "[7.2, 15],\n"
        "      stiffness: [4200, 50], damping: [10, 90], uplift: 120 N}\n"
        "run: {end: 5, every: 1 ms}\n";
    kl_source *s = parse(overlap);
    run(s, NULL, 0, "c", &first);
    for (int i = 500; i < first.n; i++) assert_true(first.force[i] > 0.0);
    figures f = figures_of(&first, 162.0, 270.0); /* where both wires are */
    print_message("overlap: mean %.1f, from %.1f to %.1f N\n", f.mean, f.least, f.most);
    assert_true(f.mean > 100.0 && f.mean < 130.0);
    kl_source_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_and_lumped_masses_collect_the_same_current),
        cmocka_unit_test(a_pantograph_changes_over_in_an_overlap),
        cmocka_unit_test(a_mechanism_under_a_stitched_line_stays_between_the_usual_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
