/* The Manchester coach against an independent solution of the same vehicle (references `vehicles`): critical speeds with the
 * exact geometry of cones on rails, vertical modes, wheel loads under lateral acceleration. */
#include "verify/example.h"

#include "solve/eigenvalues.h"
#include "solve/static_start.h"
#include "solve/statics.h"
#include "unit/railway/wheel_rail_reference.h"

/* The reference leaves out series stiffness, traction rods and bump stops and has constant creep coefficients. */
#define LINEAR_VEHICLE                                                                             \
    {"series", "0"}, {"cpz_series", "0"}, {"rod", "false"}, {"stops", "false"}, { "f11", "9.695e6" }

typedef struct coach {
    kl_diag       *d;
    kl_source     *source;
    kl_model      *m;
    kl_simulation *s;
    kl_linear     *l;
    kl_spectrum   *spectrum;
} coach;

/* The coach that rolls steadily, linearised. */
static coach coach_at(double speed, double conicity, double side)
{
    char        text[3][32];
    kl_override set[] = {
        LINEAR_VEHICLE, {"speed", text[0]}, {"conicity", text[1]}, {"side", text[2]}};
    double         number[3] = {speed, conicity, side};
    kl_equilibrium e         = {.moving = true};
    coach          c         = {.d = kl_diag_create()};
    for (int i = 0; i < 3; i++) snprintf(text[i], sizeof text[i], "%.12g", number[i]);
    kl_status status =
        kl_source_read(KL_SOURCE_DIR "/examples/manchester-coach/model.yaml", c.d, &c.source);
    if (status == KL_OK)
        status = kl_source_build(c.source, set, (int)(sizeof set / sizeof *set), c.d, &c.m);
    if (status == KL_OK) status = kl_simulation_create(c.m, c.d, &c.s);
    if (status == KL_OK) status = kl_assemble_start(c.s->solver, c.d);
    if (status == KL_OK) status = kl_find_equilibrium(c.s->solver, &e, c.d);
    if (status == KL_OK) status = kl_linearize(c.s->solver, NULL, c.d, &c.l);
    if (status == KL_OK) status = kl_spectrum_find(c.s->solver, c.l, false, c.d, &c.spectrum);
    if (status != KL_OK) print_messages(c.d);
    assert_int_equal(status, KL_OK);
    return c;
}

static void coach_free(coach *c)
{
    kl_spectrum_destroy(c->spectrum);
    kl_linear_destroy(c->l);
    kl_simulation_destroy(c->s);
    kl_model_destroy(c->m);
    kl_source_destroy(c->source);
    kl_diag_destroy(c->d);
}

/* The oscillation that grows fastest or decays slowest near an angular frequency. */
static double growth_near(double speed, double conicity, double omega)
{
    coach  c    = coach_at(speed, conicity, 0.0);
    double most = -INFINITY;
    for (int i = 0; i < c.spectrum->n; i++) {
        const kl_eigenmode *p = &c.spectrum->mode[i];
        if (fabs(p->im - omega) < 0.02 * omega) most = fmax(most, p->re);
    }
    coach_free(&c);
    return most;
}

/* Rigid contact there, Hertz here: 0.2 % between them, 0.5 % are granted. */
static void the_coach_hunts_from_its_critical_speed_on(void **unused)
{
    (void)unused;
    reference r    = reference_read("vehicles/coach_critical_speed.csv");
    int       rows = 0;
    for (int i = 0; i < r.nrow; i++) {
        if (strcmp(r.first[i], "3D") != 0) continue;
        double V = reference_at(&r, i, "Vc_m_per_s"), cone = reference_at(&r, i, "conicity");
        double omega = reference_at(&r, i, "omega_rad_per_s");
        double below = growth_near(0.995 * V, cone, omega);
        double above = growth_near(1.005 * V, cone, omega);
        if (!(below < 0.0 && above > 0.0))
            fail_msg("conicity %g: growth %g below and %g above %g m/s", cone, below, above, V);
        rows++;
    }
    assert_int_equal(rows, 3);
    reference_free(&r);
}

/* Body bounce and pitch, frames: variant LP has longitudinal motion and preload; wheels there follow rigid rails. */
static void vertical_modes_are_those_of_the_reference(void **unused)
{
    (void)unused;
    reference r    = reference_read("vehicles/coach_vertical_modes.csv");
    coach     c    = coach_at(20.0, 0.1, 0.0);
    int       rows = 0;
    for (int i = 0; i < r.nrow; i++) {
        double k = reference_at(&r, i, "k");
        if (strcmp(r.first[i], "LP") != 0 || !(k == 2 || (k >= 4 && k <= 8))) continue;
        double re = reference_at(&r, i, "re"), im = reference_at(&r, i, "im"), off = INFINITY;
        for (int q = 0; q < c.spectrum->n; q++)
            off = fmin(off, hypot(c.spectrum->mode[q].re - re, c.spectrum->mode[q].im - im));
        if (off > 0.005 * hypot(re, im)) fail_msg("mode %g is %g 1/s off", k, off);
        rows++;
    }
    assert_int_equal(rows, 6);
    coach_free(&c);
    reference_free(&r);
}

/* Straight track, lateral acceleration 0 and 1 m/s2. The reference asks for 0.2 % of the static wheel load. */
static void wheel_loads_are_those_of_the_reference(void **unused)
{
    (void)unused;
    static const char *const axle[] = {"front.lead", "front.trail", "rear.lead", "rear.trail"};
    reference                r      = reference_read("vehicles/coach_wheel_loads.csv");
    int                      rows   = 0;
    for (int i = 0; i < r.nrow; i++) {
        if (isfinite(reference_at(&r, i, "R_m")) || reference_at(&r, i, "bump_stop") != 0.0)
            continue;
        coach         c     = coach_at(20.0, reference_at(&r, i, "conicity"),
                                       reference_at(&r, i, "cant_deficiency_m_per_s2"));
        const double *value = NULL;
        assert_int_equal(kl_simulation_sample(c.s, c.d, &value), KL_OK);
        for (int k = 0; k < 8; k++) {
            const char *side = k % 2 ? "right" : "left";
            char        channel[64], column[32];
            snprintf(channel, sizeof channel, "coach.%s.rails.Q_%s", axle[k / 2], side);
            snprintf(column, sizeof column, "Q_%s%d_N", side, k / 2 + 1);
            int at = kl_channels_find(c.s->channels, channel);
            assert_true(at >= 0);
            assert_close(value[at], reference_at(&r, i, column), 0.002 * 54546.0);
        }
        /* sway: roll of the car body under the lateral acceleration */
        int roll = kl_channels_find(c.s->channels, "body_roll");
        assert_true(roll >= 0);
        assert_close(fabs(value[roll]), 1e-3 * fabs(reference_at(&r, i, "body_roll_mrad")), 2e-4);
        coach_free(&c);
        rows++;
    }
    assert_int_equal(rows, 4);
    reference_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_coach_hunts_from_its_critical_speed_on),
                                       cmocka_unit_test(vertical_modes_are_those_of_the_reference),
                                       cmocka_unit_test(wheel_loads_are_those_of_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
