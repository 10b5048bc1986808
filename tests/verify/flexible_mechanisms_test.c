/* Flexible examples: the rotating beam, a free plate, a double pendulum and a four-bar. References:
 * a geometrically exact beam (kane_spinup_beam.csv), laws of conservation, and the rigid mechanisms,
 * which stiffer and stiffer ones must come to. */
#include "solve/eigenvalues.h"
#include "unit/solve/simulate.h"
#include "verify/example.h"

static example one, other, third;

/* ---- rotating beam ---- */

static const char *const tip[] = {"tip_u2_transverse_m", "tip_u1_axial_m", NULL};

/* the tip lags by 0.57379 m at 6.76 s */
static void a_spinning_beam_lags_as_the_exact_beam_does(void **unused)
{
    (void)unused;
    example_run("rotating-beam", "modes=3", 6.76, 0.04, tip, &one);
    assert_close(example_last(&one, 0), -0.57379, 0.002 * 0.57379);
    /* one mode to three: converges */
    example_run("rotating-beam", "modes=1", 6.76, 0.04, tip, &other);
    example_run("rotating-beam", "modes=6", 6.76, 0.04, tip, &third);
    assert_true(example_apart(&one, &third, 0) < 0.2 * example_apart(&other, &third, 0));
}

/* Without stiffening the softening of the spin is all there is: K - w^2 M is singular where w is the
 * lowest frequency, 3.516 sqrt(EI/m)/L^2 = 3.80 rad/s. */
static void without_stiffening_it_has_a_critical_speed(void **unused)
{
    (void)unused;
    example_run("rotating-beam", "modes=3 stiffening=false speed=3.6", 20.0, 0.05, tip, &one);
    assert_true(example_peak(&one, 0) < 2.0);
    example_try("rotating-beam", "modes=3 stiffening=false speed=4.0", 20.0, 0.05, tip, KL_E_STEP,
                &one);
    assert_non_null(strstr(one.said, "needs `stiffening: true`"));
    example_run("rotating-beam", "modes=3 speed=4.0", 20.0, 0.05, tip, &one);
    assert_true(example_peak(&one, 0) < 0.5);
}

/* ---- free plate ---- */

static void a_free_plate_keeps_momentum_and_energy(void **unused)
{
    (void)unused;
    kl_diag       *d      = kl_diag_create();
    kl_source     *source = NULL;
    kl_model      *m      = NULL;
    kl_simulation *s      = NULL;
    assert_int_equal(kl_source_read(KL_SOURCE_DIR "/examples/free-plate/model.yaml", d, &source),
                     KL_OK);
    assert_int_equal(kl_source_build(source, NULL, 0, d, &m), KL_OK);
    m->settings.tolerance = 1e-9;
    assert_int_equal(kl_simulation_create(m, d, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, d), KL_OK);
    kl_measures    at[2];
    double         energy[2], bent = 0.0;
    const kl_body *b = &m->body[1];
    for (int k = 0; k < 2; k++) {
        while (k && s->solver->s->t < 0.3) {
            assert_int_equal(kl_simulation_step(s, 0.3, d), KL_OK);
            bent = fmax(bent, fabs(s->solver->s->q[b->q + 7]));
        }
        kl_solver *x = s->solver;
        assert_int_equal(kl_eval(m, x->s, x->w), KL_OK);
        b->type->measures(b->data, kl_work_cache(m, x->w, 1), &at[k]);
        energy[k] = at[k].kinetic + b->type->own_energy(b->data, kl_work_cache(m, x->w, 1));
    }
    assert_true(bent > 1e-3); /* it does deform */
    assert_close(kl_norm(kl_sub(at[1].p, at[0].p)), 0.0, 1e-9 * kl_norm(at[0].p));
    assert_close(kl_norm(kl_sub(at[1].L, at[0].L)), 0.0, 1e-5 * kl_norm(at[0].L));
    assert_close(energy[1], energy[0], 1e-5 * energy[0]);
    kl_simulation_destroy(s);
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(d);
}

/* ---- double pendulum and four-bar ---- */

/* Ten times the stiffness, a tenth of the deformation: how far the mechanism is from the rigid one. */
static void comes_to_the_rigid_one(const char *name, const char *const *channels, double end)
{
    double off[2];
    example_run(name, "flexible=false", end, 0.01, channels, &one);
    for (int i = 0; i < 2; i++) {
        example_run(name, i ? "E=21000GPa" : "E=2100GPa", end, 0.01, channels, &other);
        off[i] = example_apart(&one, &other, 0);
    }
    if (!(off[1] < 0.2 * off[0] && off[0] < 0.01 * example_peak(&one, 0)))
        fail_msg("%s: %.3g from rigid, ten times stiffer %.3g", name, off[0], off[1]);
}

static void more_modes_change_less(const char *name, const char *const *channels, double end,
                                   double share)
{
    example_run(name, "modes=8", end, 0.01, channels, &one);
    example_run(name, "modes=4", end, 0.01, channels, &other);
    if (!(example_apart(&one, &other, 0) < share * example_peak(&one, 0)))
        fail_msg("%s: four modes instead of eight change %.3g", name,
                 example_apart(&one, &other, 0));
}

static void a_double_pendulum_keeps_energy_and_comes_to_the_rigid_one(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"tip_x_m", "energy_J", "energy.kinetic", NULL};
    example_run("flexible-double-pendulum", "", 0.6, 0.01, channels, &one);
    for (int i = 0; i < one.n; i++)
        assert_close(one.value[i][1], one.value[0][1], 1e-5 * example_peak(&one, 2));
    comes_to_the_rigid_one("flexible-double-pendulum", channels, 0.6);
    more_modes_change_less("flexible-double-pendulum", channels, 0.6, 1e-4);
}

/* The bars cut into rigid links on hinges with springs EI/h: geometrically exact, and without modes. */
static void write_links(int n, char *text, size_t size)
{
    double h = 1.0 / n, m = 7850 * 0.02 * 0.005 * h, EI = 210e9 * 0.02 * pow(0.005, 3) / 12;
    double J    = m * h * h / 12 + 7850 * 0.02 * pow(0.005, 3) / 12 * h;
    size_t used = 0;
#define SAY(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
    SAY("klingel: 1\nparameters: {n: %d, h: %.17g m, J: %.17g}\nbodies:\n", n, h, J);
    SAY("  \"link{i}\": {for: {i: 1..2*n}, mass: %.17g, inertia: [J, J, J], position: [(i - "
        "0.5)*h, "
        "0, 0]}\n",
        m);
    SAY("joints:\n  pin1: {type: revolute, between: [ground, link1], at: [0, 0, 0], axis: y}\n");
    SAY("  \"pin{i}\": {for: {i: 2..2*n}, type: revolute, between: [\"link{i-1}\", \"link{i}\"], "
        "at: "
        "[(i - 1)*h, 0, 0], axis: y}\n");
    SAY("forces:\n  \"spring{i}\": {for: {i: 2..2*n}, when: \"i != n + 1\", type: "
        "rotational-spring-damper, of: \"pin{i}\", stiffness: %.17g}\n",
        EI / h);
    SAY("outputs:\n  tip_x_m: {of: \"link{2*n}\", point: [h/2, 0, 0], quantity: position.x}\n"
        "integrator: {tolerance: 1e-7}\n");
#undef SAY
    assert_true(used < size);
}

static void a_double_pendulum_moves_as_a_chain_of_rigid_links(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"tip_x_m", NULL};
    static char              text[4096];
    static rows              chain;
    example_run("flexible-double-pendulum", "", 0.6, 0.02, channels, &one);
    example_run("flexible-double-pendulum", "flexible=false", 0.6, 0.02, channels, &other);
    write_links(12, text, sizeof text);
    built b;
    assert_int_equal(try_build(text, &b), KL_OK);
    simulate(&b, 0.6, 0.02, channels, &chain, NULL);
    built_free(&b);
    double off = 0.0;
    assert_int_equal(chain.count, one.n);
    for (int i = 0; i < one.n; i++) off = fmax(off, fabs(chain.value[i][0] - one.value[i][0]));
    double bent = example_apart(&one, &other, 0);
    if (!(off < 0.01 * bent)) fail_msg("%.3g m off, of %.3g m that bending does", off, bent);
}

static void a_four_bar_of_flexible_links_comes_to_the_rigid_one(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"rocker_angle_rad", "coupler_x_m", "drift.position",
                                           NULL};
    comes_to_the_rigid_one("flexible-four-bar", channels, 0.3);
    more_modes_change_less("flexible-four-bar", channels, 0.3, 1e-4);
    assert_true(example_peak(&one, 2) < 1e-9);
}

/* ---- one word ---- */

/* what an example asks of its modes reads zero where they stand still */
static void every_flexible_example_is_made_rigid_by_one_word(void **unused)
{
    (void)unused;
    static const char *const names[][2] = {
        {"free-plate", "bend"},
        {"rotating-beam", "tip_u1_axial_m"},
        {"fatigue-beam", "tip_m"},
        {"flexible-double-pendulum", "tip_x_m"},
        {"flexible-four-bar", "rocker_angle_rad"},
        {"flexible-slider-crank", "mid_over_L"},
        {"sar-antenna", "twist_m"},
    };
    const int still[] = {0, 1, 2, 5}; /* channels that tell of deformation alone */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const channels[] = {names[i][1], NULL};
        example_run(names[i][0], "flexible=false", 0.01, 0.001, channels, &one);
        for (size_t k = 0; k < sizeof still / sizeof *still; k++)
            if ((int)i == still[k]) assert_true(example_peak(&one, 0) < 1e-6);
    }
}

/* ---- linear modes ---- */

/* clamped and pinned at one end, free at the other: (beta/L)^2 sqrt(EI/m) */
static void linear_modes_of_a_beam_on_a_joint_are_those_of_beam_theory(void **unused)
{
    (void)unused;
    static const struct {
        const char *joint;
        double      beta[3];
    } list[] = {
        {"fixed, between: [ground, beam.root]", {1.8751041, 4.6940911, 7.8547574}},
        {"revolute, between: [ground, beam.root], axis: z", {3.9266023, 7.0685827, 10.2101761}}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char         text[512];
        kl_diag     *d      = kl_diag_create();
        kl_source   *source = NULL;
        kl_model    *m      = NULL;
        kl_solver   *x      = NULL;
        kl_linear   *linear = NULL;
        kl_spectrum *modes  = NULL;
        snprintf(text, sizeof text,
                 "klingel: 1\ngravity: 0\nbodies: {beam: {type: flexible, file: "
                 "beam.yaml}}\njoints: {root: {type: %s}}\n",
                 list[i].joint);
        assert_int_equal(kl_source_parse(text, strlen(text),
                                         KL_SOURCE_DIR "/examples/rotating-beam/x.yaml", d,
                                         &source),
                         KL_OK);
        assert_int_equal(kl_source_build(source, NULL, 0, d, &m), KL_OK);
        assert_int_equal(kl_solver_create(m, &x), KL_OK);
        assert_int_equal(kl_assemble(x, d), KL_OK);
        assert_int_equal(kl_linearize(x, NULL, d, &linear), KL_OK);
        assert_int_equal(kl_spectrum_find(x, linear, true, d, &modes), KL_OK);
        for (int k = 0, n = 0; n < 3; k++) {
            assert_true(k < modes->n);
            if (modes->mode[k].neutral || modes->mode[k].im <= 0.0) continue;
            double w = list[i].beta[n] * list[i].beta[n] * sqrt(1.4e4 / 1.2) / 100.0;
            assert_close(modes->mode[k].im, w, 3e-4 * w);
            n++;
        }
        kl_spectrum_destroy(modes);
        kl_linear_destroy(linear);
        kl_solver_destroy(x);
        kl_model_destroy(m);
        kl_source_destroy(source);
        kl_diag_destroy(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spinning_beam_lags_as_the_exact_beam_does),
        cmocka_unit_test(without_stiffening_it_has_a_critical_speed),
        cmocka_unit_test(a_free_plate_keeps_momentum_and_energy),
        cmocka_unit_test(a_double_pendulum_keeps_energy_and_comes_to_the_rigid_one),
        cmocka_unit_test(a_double_pendulum_moves_as_a_chain_of_rigid_links),
        cmocka_unit_test(a_four_bar_of_flexible_links_comes_to_the_rigid_one),
        cmocka_unit_test(every_flexible_example_is_made_rigid_by_one_word),
        cmocka_unit_test(linear_modes_of_a_beam_on_a_joint_are_those_of_beam_theory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
