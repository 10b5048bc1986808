/* Mass of beams: lumped at the nodes or consistent with the shape functions. */
#include "unit/solve/load.h"

#include <math.h>

#include "solve/eigenvalues.h"
#include "solve/simulation.h"

#define ROD                                                                                                                       \
    "klingel: 1\ngravity: %s\nsections: {bar: {shape: rectangle, width: 10 mm, height: 10 mm}}\n"                                \
    "materials: {stuff: {E: 1 GPa, nu: 0.25, density: 1000}}\nbodies:\n"                                                         \
    "  rod: {type: beam, from: [0, 0, 0], to: [1, 0, 0], section: bar, material: stuff, elements: %d, element_nodes: %d, mass_matrix: %s%s}\n"

static loaded rod(const char *gravity, int elements, int nodes, bool consistent, const char *start, const char *more)
{
    char text[2000];
    int  n = snprintf(text, sizeof text, ROD, gravity, elements, nodes, consistent ? "consistent" : "lumped", start);
    snprintf(text + n, sizeof text - (size_t)n, "%s", more);
    return load_text(text, NULL, 0, false);
}

/* Frequency [rad/s] nearest to a given one. */
static double frequency(int elements, int nodes, bool consistent, double near)
{
    char text[2000];
    int  n = snprintf(text, sizeof text, ROD, "0", elements, nodes, consistent ? "consistent" : "lumped", "");
    snprintf(text + n, sizeof text - (size_t)n, "joints:\n  c: {type: fixed, between: [ground, rod.start]}\n");
    loaded       at   = load_text(text, NULL, 0, true);
    kl_linear   *l    = NULL;
    kl_spectrum *all  = NULL;
    double       best = 0.0;
    assert_int_equal(kl_linearize(at.x, NULL, at.diag, &l), KL_OK);
    assert_int_equal(kl_spectrum_find(at.x, l, false, at.diag, &all), KL_OK);
    for (int i = 0; i < all->n; i++)
        if (fabs(all->mode[i].im - near) < fabs(best - near)) best = all->mode[i].im;
    kl_spectrum_destroy(all);
    kl_linear_destroy(l);
    unload(&at);
    return best;
}

/* A bar with c = 1000 m/s, k = pi/2: lumped 2c/h sin(kh/2), consistent c/h sqrt(6 (1 - cos kh)/(2 + cos kh)). */
static void a_bar_has_the_frequencies_of_the_difference_equations(void **unused)
{
    (void)unused;
    double k = 0.5 * KL_PI, c = 1000.0, h = 1.0 / 8;
    assert_close(frequency(8, 2, false, c * k), 2 * c / h * sin(0.5 * k * h), 1e-7 * c);
    assert_close(frequency(8, 2, true, c * k), c / h * sqrt(6 * (1 - cos(k * h)) / (2 + cos(k * h))), 1e-7 * c);
}

/* Two nodes: second order from both sides; three nodes: fourth order. */
static void frequencies_converge_at_the_order_of_the_elements(void **unused)
{
    (void)unused;
    double exact = 500.0 * KL_PI;
    for (int consistent = 0; consistent < 2; consistent++)
        for (int nodes = 2; nodes < 4; nodes++) {
            double coarse = frequency(4, nodes, consistent, exact) / exact - 1.0, fine = frequency(8, nodes, consistent, exact) / exact - 1.0;
            assert_close(log2(coarse / fine), 2.0 * (nodes - 1), 0.06);
            if (nodes == 2) assert_true(consistent ? coarse > 0.0 : coarse < 0.0);
        }
}

/* ---- motion ---- */

typedef struct seen {
    const char *name[3];
    int         channel[3];
    double      last[3], least, most; /* of the third */
    int         rows;
} seen;

static kl_status see(void *context, double t, const double *values)
{
    seen *k = context;
    (void)t;
    for (int i = 0; i < 3; i++) k->last[i] = values[k->channel[i]];
    if (k->rows++ == 0) k->least = k->most = k->last[2];
    k->least = fmin(k->least, k->last[2]), k->most = fmax(k->most, k->last[2]);
    return KL_OK;
}

static seen run(loaded *b, double end, const char *x, const char *z, const char *third)
{
    kl_simulation *s    = NULL;
    seen           k    = {.name = {x, z, third}};
    kl_sink        sink = {.context = &k, .row = see};
    assert_int_equal(kl_simulation_create(b->model, b->diag, &s), KL_OK);
    for (int i = 0; i < 3; i++) assert_true((k.channel[i] = kl_channels_find(s->channels, k.name[i])) >= 0);
    kl_status status = kl_simulation_run(s, end, end / 20, &sink, b->diag);
    if (status != KL_OK) print_messages(b->diag);
    assert_int_equal(status, KL_OK);
    kl_simulation_destroy(s);
    unload(b);
    return k;
}

static seen swing(const char *integrator, bool consistent)
{
    char more[400];
    snprintf(more, sizeof more, "joints:\n  pin: {type: revolute, between: [ground, rod.start], axis: y}\nintegrator: {%s}\n", integrator);
    loaded b = rod("9.81", 4, 2, consistent, "", more);
    return run(&b, 0.05, "rod.end.position.x", "rod.end.position.z", "energy.balance");
}

/* A swinging elastic beam: every integrator sees the same mass, energy is kept, and the mass matters. */
static void all_integrators_see_the_same_mass(void **unused)
{
    (void)unused;
    static const char *const method[] = {"type: gear, tolerance: 1e-8", "type: gear, formulation: stabilized, tolerance: 1e-8", "type: gear, formulation: baumgarte, tolerance: 1e-8",
                                         "type: runge-kutta, tolerance: 1e-7", "type: central-differences", "type: hht, tolerance: 1e-8"};
    seen exact = swing("tolerance: 1e-9", true), lumped = swing("tolerance: 1e-8", false);
    assert_true(fabs(exact.last[1] - lumped.last[1]) > 1e-4);
    assert_close(exact.least, exact.most, 1e-7);
    for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
        seen k = swing(method[i], true);
        assert_close(k.last[0], exact.last[0], 2e-6);
        assert_close(k.last[1], exact.last[1], 2e-6);
    }
}

/* A rod that spins freely keeps its energy m w^2 L^2/24 (consistent mass has the exact moment of inertia, lumped 1 + 2/n^2 times as much). */
static void a_spinning_rod_has_the_right_moment_of_inertia(void **unused)
{
    (void)unused;
    loaded b = rod("0", 4, 2, true, ", omega: [0, 0, 1], velocity: [0, -0.5, 0]", "");
    seen  k = run(&b, 0.01, "rod.end.position.x", "rod.end.position.z", "energy.kinetic");
    double m = 0.1, rotary = 0.5 * 1000 * 1e-8 / 12;
    assert_close(k.most, m / 24 + rotary, 1e-6 * m / 24);
    b = rod("0", 4, 2, false, ", omega: [0, 0, 1], velocity: [0, -0.5, 0]", "");
    k = run(&b, 0.01, "rod.end.position.x", "rod.end.position.z", "energy.kinetic");
    assert_close(k.most, m / 24 * (1 + 2.0 / 16) + rotary, 1e-6 * m / 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_has_the_frequencies_of_the_difference_equations),
        cmocka_unit_test(frequencies_converge_at_the_order_of_the_elements),
        cmocka_unit_test(all_integrators_see_the_same_mass),
        cmocka_unit_test(a_spinning_rod_has_the_right_moment_of_inertia),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
