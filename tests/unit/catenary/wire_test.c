/* A single tensioned wire against closed forms: sag, deflection under a point load, frequencies, a
 * moving load, reflection at a lumped mass; order of convergence in mesh and step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/vec.h"
#include "catenary/motion.h"
#include "unit/catenary/designs.h"

static kl_arena *arena; /* of the test that runs */

static int open_arena(void **state) { return (void)state, (arena = kl_arena_create()) ? 0 : -1; }
static int close_arena(void **state) { return (void)state, kl_arena_destroy(arena), 0; }

static kl_line *make(const test_design *t)
{
    kl_line *line = NULL;
    assert_int_equal(kl_line_create(&t->design, arena, NULL, &line), KL_OK);
    return line;
}

static double height(const kl_line *line, const double *u, double x)
{
    kl_wire_point p;
    assert_true(kl_wire_at(&line->wire[0], x, &p));
    return kl_wire_value(&p, u, 0);
}

/* Sag at mid-span, pinned or clamped ends: closed forms of reference/catenary/catenary_static.csv. */
static double sag(double T, double L, bool clamped, double element)
{
    test_design t;
    design_wire(&t, L, T, 195.0);
    t.part.contact.clamped = clamped;
    t.design.element       = element;
    kl_line *line          = make(&t);
    double   z             = -height(line, line->place, 0.5 * L);
    return z;
}

static void sag_is_that_of_the_tensioned_beam(void **state)
{
    (void)state;
    const struct {
        double T, L, pinned, clamped, point;
    } rows[] = {{10000, 30, 0.148963550175, 0.146215343805, 0.0743017879978},
                {20000, 50, 0.206923231294, 0.205295073942, 0.0622531447793},
                {30000, 65, 0.233137911825, 0.231984079053, 0.0540322957042}};
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(sag(rows[i].T, rows[i].L, false, 0.1) / rows[i].pinned - 1.0) < 1e-6);
        assert_true(fabs(sag(rows[i].T, rows[i].L, true, 0.05) / rows[i].clamped - 1.0) < 1e-5);
        test_design t;
        double      w;
        design_wire(&t, rows[i].L, rows[i].T, 195.0);
        t.design.element = 0.05;
        kl_line *line    = make(&t);
        assert_int_equal(kl_line_uplift(line, 0.5 * rows[i].L, 100.0, &w), KL_OK);
        assert_true(fabs(w / rows[i].point - 1.0) < 1e-6);
    }
}

/* Cubic elements: the error of the boundary layer at a clamped end falls with the fourth power. */
static void sag_converges_with_the_mesh(void **state)
{
    (void)state;
    double exact = 0.205295073942, coarse = fabs(sag(20000, 50, true, 0.05) - exact),
           fine = fabs(sag(20000, 50, true, 0.025) - exact);
    print_message("clamped sag: error %.2e, %.2e m\n", coarse, fine);
    assert_true(log2(coarse / fine) > 3.5);
}

/* Free vibration in mode n: f = n/(2L) sqrt(T/mu (1 + EI n^2 pi^2/(T L^2))). */
static double mode_error(int mode, double element, double dt)
{
    test_design t;
    double      L = 50.0, T = 20e3, k = mode * KL_PI / L;
    kl_stepper *s;
    design_wire(&t, L, T, 195.0);
    t.design.element = element;
    kl_line *line    = make(&t);
    double   omega = k * sqrt((T + 195.0 * k * k) / 1.35), end = 10.0 * 2.0 * KL_PI / omega;
    int      steps = (int)round(end / dt);
    assert_int_equal(kl_stepper_create(line, end / steps, arena, NULL, &s), KL_OK);
    double *x = calloc((size_t)kl_stepper_state_size(line), sizeof *x);
    for (int i = 0; i < line->wire[0].n; i++) {
        int dof    = line->wire[0].dof[i];
        x[dof]     = 0.01 * sin(k * line->wire[0].x[i]);
        x[dof + 1] = 0.01 * k * cos(k * line->wire[0].x[i]);
        for (int j = 0; j < 2; j++) x[2 * line->ndof + dof + j] = -omega * omega * x[dof + j];
    }
    for (int i = 0; i < steps; i++) {
        kl_stepper_free_step(s, x);
        kl_stepper_finish(s, x, NULL, 0, NULL, NULL, 1e-12);
    }
    /* after ten periods the phase error is what is left of the velocity */
    double phase = -height(line, x + line->ndof, 0.5 * L / mode) / (0.01 * omega);
    free(x);
    return asin(phase) / (20.0 * KL_PI); /* relative error of the frequency */
}

static void modes_have_the_frequencies_of_the_tensioned_beam(void **state)
{
    (void)state;
    for (int mode = 1; mode <= 9; mode += 4) assert_true(fabs(mode_error(mode, 0.5, 1e-4)) < 1e-5);
    /* average acceleration: second order in the step */
    double coarse = fabs(mode_error(3, 0.5, 2e-3)), fine = fabs(mode_error(3, 0.5, 1e-3));
    print_message("frequency of mode 3: error %.2e, %.2e\n", coarse, fine);
    assert_true(fabs(log2(coarse / fine) - 2.0) < 0.1);
}

/* ---- a constant force that moves at half the wave speed ---- */

static double moving_load_error(double element, double dt)
{
    char        path[512], text[2048];
    test_design t;
    kl_stepper *s;
    double      V = 60.85806195, worst = 0.0, time = 0.0;
    design_wire(&t, 100.0, 20e3, 195.0);
    t.design.element = element, t.design.gravity = 0.0;
    kl_line *line = make(&t);
    assert_int_equal(kl_stepper_create(line, dt, arena, NULL, &s), KL_OK);
    double *x      = calloc((size_t)kl_stepper_state_size(line), sizeof *x),
           *column = calloc((size_t)s->widest, sizeof *column);
    snprintf(path, sizeof path, "%s/tests/data/reference/catenary/moving_load_v0.5c.csv",
             KL_SOURCE_DIR);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int rows = 0;
    while (fgets(text, sizeof text, file)) {
        double r[10];
        if (sscanf(text, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", r, r + 1, r + 2, r + 3, r + 4,
                   r + 5, r + 6, r + 7, r + 8, r + 9) != 10)
            continue;
        double before[3], after[3];
        for (int k = 0; k < 3; k++) after[k] = height(line, x, 25.0 * (k + 1));
        memcpy(before, after, sizeof before);
        double last = time;
        while (time < r[0] - 1e-12) {
            last = time;
            time += dt;
            kl_push p  = {.force = 100.0};
            bool    on = kl_wire_at(&line->wire[0], V * time, &p.at);
            memcpy(before, after, sizeof before);
            kl_stepper_free_step(s, x);
            if (on) kl_stepper_influence(s, &p, column);
            kl_stepper_finish(s, x, &p, on, NULL, NULL, 1e-12);
            for (int k = 0; k < 3; k++) after[k] = height(line, x, 25.0 * (k + 1));
        }
        double share = time > last ? (r[0] - last) / (time - last) : 1.0;
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(before[k] + share * (after[k] - before[k]) - r[7 + k]));
        rows++;
    }
    fclose(file);
    assert_true(rows > 40);
    free(x), free(column);
    return worst;
}

static void a_moving_load_lifts_the_wire_as_the_modal_series_has_it(void **state)
{
    (void)state;
    double coarse = moving_load_error(0.5, 5e-4), fine = moving_load_error(0.25, 1.25e-4);
    print_message("moving load, largest uplift 83 mm: error %.2e, %.2e m\n", coarse, fine);
    assert_true(fine < 2e-4);
    assert_true(coarse / fine > 2.0);
}

/* ---- a constant force in steady motion on an elastic foundation ---- */

/* Rows of moving_load_steady_foundation.csv: speed, two exponents, deflections at xi. */
static void read_foundation(double speed, double row[11])
{
    char path[512], text[2048];
    bool found = false;
    snprintf(path, sizeof path,
             "%s/tests/data/reference/catenary/moving_load_steady_foundation.csv", KL_SOURCE_DIR);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (!found && fgets(text, sizeof text, file)) {
        char *p = text;
        for (int k = 0; k < 11; k++, p += *p == ',') row[k] = strtod(p, &p);
        found = row[0] == speed && row[1] > 0.0;
    }
    fclose(file);
    assert_true(found);
}

/* The force grows smoothly over 380 m, so that no wave is left at 400 m. Largest difference of the
 * deflections there, over the largest deflection. */
static double foundation_error(double speed, double element, double dt)
{
    const double xi[] = {0, 0.5, 1, 2, 5, 10, 20, 50};
    double       row[11], worst = 0.0, x = 0.0;
    test_design  t;
    kl_stepper  *s;
    read_foundation(speed, row);
    design_wire(&t, 500.0, 20e3, 195.0);
    t.part.contact.foundation = 100.0;
    t.design.element = element, t.design.gravity = 0.0;
    kl_line *line = make(&t);
    assert_int_equal(kl_stepper_create(line, dt, arena, NULL, &s), KL_OK);
    double *state  = calloc((size_t)kl_stepper_state_size(line), sizeof *state),
           *column = calloc((size_t)s->widest, sizeof *column);
    for (int i = 1; x < 400.0; i++) {
        x         = speed * dt * i;
        double  g = fmin(1.0, x / 380.0), grow = g * g * g * (10.0 - 15.0 * g + 6.0 * g * g);
        kl_push p = {.force = 100.0 * grow};
        assert_true(kl_wire_at(&line->wire[0], x, &p.at));
        kl_stepper_free_step(s, state);
        kl_stepper_influence(s, &p, column);
        kl_stepper_finish(s, state, &p, 1, NULL, NULL, 1e-12);
    }
    for (int k = 0; k < 8; k++)
        for (int side = -1; side <= 1; side += 2) {
            double w = height(line, state, x + side * xi[k]);
            worst    = fmax(worst, fabs(w - row[3 + k]) / row[3]);
        }
    free(state), free(column);
    return worst;
}

static void a_moving_load_on_a_foundation_is_steady_as_the_closed_form_has_it(void **state)
{
    (void)state;
    double slow = foundation_error(60.0, 0.2, 1e-3), fast = foundation_error(100.0, 0.2, 6e-4);
    double coarse = foundation_error(60.0, 1.0, 2e-3);
    print_message(
        "on a foundation: error %.2e at 60 m/s, %.2e at 100 m/s; with elements of 1 m %.2e\n", slow,
        fast, coarse);
    assert_true(slow < 5e-4 && fast < 5e-3);
    assert_true(coarse > 4.0 * slow);
}

/* ---- a harmonic wave at a lumped mass ---- */

/* Rows of wave_mass_coefficients.csv. A wave of frequency f arrives at a mass of 1 kg: amplitude behind it over that
 * of the wave. The wire is so long that nothing comes back from its ends meanwhile. */
static double transmitted(double f)
{
    test_design t;
    kl_stepper *s;
    double      L = 240.0, lump = 120.0, mass = 1.0, c = sqrt(20e3 / 1.35), omega = 2.0 * KL_PI * f;
    double      dt = fmin(1e-3, 0.01 / f), most = 0.0;
    design_wire(&t, L, 20e3, 0.0);
    t.design.element = fmin(0.25, 0.02 * c / f), t.design.gravity = 0.0;
    t.part.lump_x = &lump, t.part.lump_mass = &mass, t.part.nlump = 1;
    kl_line *line = make(&t);
    assert_int_equal(kl_stepper_create(line, dt, arena, NULL, &s), KL_OK);
    double *x      = calloc((size_t)kl_stepper_state_size(line), sizeof *x),
           *column = calloc((size_t)s->widest, sizeof *column);
    for (int i = 1; dt * i < 1.4; i++) { /* a force at 60 m sends waves of F c/(2 T omega) */
        double  now = dt * i, grow = now < 0.5 ? sin(KL_PI * now) : 1.0;
        kl_push p = {.force = 100.0 * grow * grow * cos(omega * now)};
        assert_true(kl_wire_at(&line->wire[0], 60.0, &p.at));
        kl_stepper_free_step(s, x);
        kl_stepper_influence(s, &p, column);
        kl_stepper_finish(s, x, &p, 1, NULL, NULL, 1e-12);
        /* it needs 0.74 s from 60 to 150 m; nothing is back from the end before 1.9 s */
        if (now > 1.25) most = fmax(most, fabs(height(line, x, 150.0)));
    }
    free(x), free(column);
    return most / (100.0 * c / (2.0 * 20e3 * omega));
}

static void a_mass_transmits_harmonic_waves_as_the_closed_form_has_it(void **state)
{
    (void)state;
    const double rows[][2] = {{5, 0.995461819324}, {10, 0.982209239413}, {20, 0.934042630561}};
    for (int i = 0; i < 3; i++) {
        double share = transmitted(rows[i][0]);
        print_message("%g Hz: transmitted %.5f, closed form %.5f\n", rows[i][0], share, rows[i][1]);
        assert_true(fabs(share / rows[i][1] - 1.0) < 5e-3);
    }
}

/* ---- a pulse at a lumped mass ---- */

/* f(t) = 0.01 exp(-u^2), u = (t - 0.05)/0.01, and its first three derivatives */
static void pulse(double t, double f[4])
{
    double u = (t - 0.05) / 0.01;
    f[0]     = 0.01 * exp(-u * u);
    f[1]     = -2.0 * u * f[0] / 0.01;
    f[2]     = (4.0 * u * u - 2.0) * f[0] / 1e-4;
    f[3]     = (12.0 * u - 8.0 * u * u * u) * f[0] / 1e-6;
}

static void a_mass_reflects_and_transmits_a_pulse_as_the_closed_form_has_it(void **state)
{
    (void)state;
    test_design t;
    kl_stepper *s;
    double      L = 40.0, lump = 20.0, mass = 1.0, c = sqrt(20e3 / 1.35);
    double      through = 0.0, back = 0.0;
    design_wire(&t, L, 20e3, 0.0);
    t.design.element = 0.02; /* the kink at the mass is rounded over an element */
    t.design.gravity = 0.0;
    t.part.lump_x = &lump, t.part.lump_mass = &mass, t.part.nlump = 1;
    kl_line *line = make(&t);
    assert_int_equal(kl_stepper_create(line, 1e-4, arena, NULL, &s), KL_OK);
    double *x = calloc((size_t)kl_stepper_state_size(line), sizeof *x);
    for (int i = 0; i < line->wire[0].n; i++) { /* w = f(t - (x - 20)/c) at t = -0.05 */
        int    dof = line->wire[0].dof[i];
        double at  = -0.05 - (line->wire[0].x[i] - lump) / c, f[4];
        pulse(at, f);
        for (int k = 0; k < 3; k++)
            x[k * line->ndof + dof] = f[k], x[k * line->ndof + dof + 1] = -f[k + 1] / c;
    }
    for (int i = 0; i < 1700; i++) {
        kl_stepper_free_step(s, x);
        kl_stepper_finish(s, x, NULL, 0, NULL, NULL, 1e-12);
        double now = -0.05 + 1e-4 * (i + 1);
        through    = fmax(through, height(line, x, 25.0));
        if (now > 0.07)
            back = fmin(back, height(line, x, 15.0)); /* the incident pulse has passed */
    }
    print_message("transmitted %.8f m, reflected %.8f m\n", through, back);
    assert_true(fabs(through / 0.009301705829 - 1.0) < 1e-3);
    assert_true(fabs(back / -0.002323448047 - 1.0) < 2e-3);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sag_is_that_of_the_tensioned_beam, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(sag_converges_with_the_mesh, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(modes_have_the_frequencies_of_the_tensioned_beam,
                                        open_arena, close_arena),
        cmocka_unit_test_setup_teardown(a_moving_load_lifts_the_wire_as_the_modal_series_has_it,
                                        open_arena, close_arena),
        cmocka_unit_test_setup_teardown(
            a_moving_load_on_a_foundation_is_steady_as_the_closed_form_has_it, open_arena,
            close_arena),
        cmocka_unit_test_setup_teardown(a_mass_transmits_harmonic_waves_as_the_closed_form_has_it,
                                        open_arena, close_arena),
        cmocka_unit_test_setup_teardown(
            a_mass_reflects_and_transmits_a_pulse_as_the_closed_form_has_it, open_arena,
            close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
