/* The flexible slider-crank against references that nobody here tuned: beam theory in a floating
 * frame, and a geometrically exact beam. */
#include "reference/write_model.h"
#include "verify/example.h"

static const char *const channels[] = {"mid_over_L", "slider_x_m", "slider_a_m_s2", NULL};

static example one, other;

static void crank(const char *set, example *e)
{
    example_run("flexible-slider-crank", set, 0.0065, 1e-4, channels, e);
}

static double peak(const char *set)
{
    crank(set, &one);
    return example_peak(&one, 0);
}

/* flex_slider_crank_*.csv of the reference: 0.010445 with enough modes, 0.01036 with four in the
 * plane; 0.009723 of the geometrically exact beam, 0.00964 with four */
static void the_slider_crank_bends_as_beams_do(void **unused)
{
    (void)unused;
    assert_close(peak(""), 0.010445, 0.001 * 0.010445);
    assert_close(peak("modes=8"), 0.01036, 0.001 * 0.01036);
    assert_close(peak("stiffening=true"), 0.009723, 0.001 * 0.009723);
    assert_close(peak("stiffening=true modes=8"), 0.00964, 0.002 * 0.00964);
    assert_close(peak("flexible=false"), 0.0, 1e-9);
}

/* paper 000, figure 7 */
static void bending_leaves_the_slider_where_it_was(void **unused)
{
    (void)unused;
    crank("flexible=false", &one);
    crank("", &other);
    assert_true(example_apart(&one, &other, 2) < 1e-4 * example_peak(&one, 2));
    crank("stiffening=true", &other);
    assert_true(example_apart(&one, &other, 2) < 0.01 * example_peak(&one, 2));
}

/* mean and principal axes, eliminated and constrained, markers and virtual bodies: one motion */
static void how_the_motion_is_written_down_does_not_matter(void **unused)
{
    (void)unused;
    static const char *const ways[] = {"reference=principal-axis",
                                       "conditions=constrained",
                                       "attach=virtual-body",
                                       "reference=principal-axis conditions=constrained",
                                       "stiffening=true",
                                       "stiffening=true conditions=constrained",
                                       "stiffening=true attach=virtual-body"};
    char                     set[256];
    crank("section=rectangle", &one);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(set, sizeof set, "section=rectangle %s", ways[i]);
        crank(set, strcmp(ways[i], "stiffening=true") == 0 ? &one : &other);
        if (strcmp(ways[i], "stiffening=true") == 0) continue;
        double worst = example_apart(&one, &other, 0) / example_peak(&one, 0);
        if (!(worst < 1e-6)) fail_msg("%s differs by %.3g of the peak", ways[i], worst);
    }
}

/* one, three, five, seven in the plane: those between are odd about the middle */
static void the_deflection_converges_in_the_modes(void **unused)
{
    (void)unused;
    double last = peak("modes=16"), before = HUGE_VAL;
    for (int n = 2; n <= 14; n += 4) {
        char set[32];
        snprintf(set, sizeof set, "modes=%d", n);
        double off = fabs(peak(set) - last);
        assert_true(off < 0.5 * before);
        before = off;
    }
    assert_true(before < 1e-3 * last);
}

/* second order: halving the step divides the error of the deflection by four */
static void the_integrator_keeps_its_order(void **unused)
{
    (void)unused;
    static const char *const sets[] = {"modes=8", "modes=8 stiffening=true",
                                       "modes=8 attach=virtual-body"};
    static example           exact;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char set[64];
        snprintf(set, sizeof set, "%s step=1e-6", sets[i]);
        crank(set, &exact);
        snprintf(set, sizeof set, "%s step=2e-5", sets[i]);
        crank(set, &one);
        snprintf(set, sizeof set, "%s step=1e-5", sets[i]);
        crank(set, &other);
        double ratio = example_apart(&one, &exact, 0) / example_apart(&other, &exact, 0);
        if (!(ratio > 3.6 && ratio < 4.5))
            fail_msg("%s: halving the step divides the error by %.3g", sets[i], ratio);
    }
}

static void a_round_rod_has_no_principal_axes(void **unused)
{
    (void)unused;
    example_try("flexible-slider-crank", "reference=principal-axis", 0.001, 1e-4, channels,
                KL_E_SINGULAR, &one);
    assert_non_null(strstr(one.said, "three different principal moments"));
    example_try("flexible-slider-crank", "modes=40", 0.001, 1e-4, channels, KL_E_RANGE, &one);
    assert_non_null(strstr(one.said, "`modes: 40` exceeds the 16 modes in `pick`"));
}

/* virtual bodies and conditions are the program's own: a model written in full asks for them again */
static void a_model_written_in_full_is_the_same_model(void **unused)
{
    (void)unused;
    static const kl_override sets[] = {{"attach", "virtual-body"}, {"conditions", "constrained"}};
    for (int i = 0; i < 2; i++) {
        static const char *const path = KL_SOURCE_DIR "/examples/flexible-slider-crank/model.yaml";
        kl_diag                 *d    = kl_diag_create();
        kl_source               *source[2] = {NULL, NULL};
        kl_model                *m[2]      = {NULL, NULL};
        kl_text                  t         = {0};
        assert_int_equal(kl_source_read(path, d, &source[0]), KL_OK);
        assert_int_equal(kl_source_build(source[0], &sets[i], 1, d, &m[0]), KL_OK);
        kl_write_model(&t, m[0]);
        char *text = kl_text_finish(&t);
        assert_int_equal(kl_source_parse(text, strlen(text), path, d, &source[1]), KL_OK);
        if (kl_source_build(source[1], NULL, 0, d, &m[1]) != KL_OK) {
            print_messages(d);
            fail_msg("with %s: %s it cannot be read again", sets[i].name, sets[i].text);
        }
        assert_int_equal(m[1]->nbody, m[0]->nbody);
        assert_int_equal(m[1]->nlam, m[0]->nlam);
        for (int k = 0; k < m[0]->nq; k++) assert_close(m[1]->q0[k], m[0]->q0[k], 1e-12);
        for (int k = 0; k < 2; k++) kl_model_destroy(m[k]), kl_source_destroy(source[k]);
        free(text);
        kl_diag_destroy(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slider_crank_bends_as_beams_do),
        cmocka_unit_test(bending_leaves_the_slider_where_it_was),
        cmocka_unit_test(how_the_motion_is_written_down_does_not_matter),
        cmocka_unit_test(the_deflection_converges_in_the_modes),
        cmocka_unit_test(the_integrator_keeps_its_order),
        cmocka_unit_test(a_round_rod_has_no_principal_axes),
        cmocka_unit_test(a_model_written_in_full_is_the_same_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
