/* The flexible examples against references that nobody here tuned: the slider-crank (beam theory in
 * a floating frame, and a geometrically exact beam). */
#include "unit/build.h"

#include <stdlib.h>

#include "solve/simulation.h"

typedef struct outcome {
    double first_peak, last[2]; /* of channel 0; of both at the end */
    double series[600];
    int    n;
} outcome;

typedef struct watcher {
    int     channel[2];
    outcome *o;
} watcher;

static kl_status take(void *context, double t, const double *values)
{
    watcher *w = context;
    double   x = values[w->channel[0]];
    if (t < 0.01 && fabs(x) > fabs(w->o->first_peak)) w->o->first_peak = x;
    if (w->o->n < 600) w->o->series[w->o->n++] = x;
    w->o->last[0] = x;
    w->o->last[1] = values[w->channel[1]];
    return KL_OK;
}

/* Runs an example with `set` ("a=b c=d") to `end`. */
static outcome run(const char *example, const char *set, const char *one, const char *two, double end, double every)
{
    char        path[1024], words[512];
    kl_override over[12];
    int         n = 0;
    outcome     o = {0};
    double      step = NAN;
    snprintf(path, sizeof path, "%s/examples/%s/model.yaml", KL_SOURCE_DIR, example);
    snprintf(words, sizeof words, "%s", set);
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
        char *equals  = strchr(w, '=');
        *equals       = '\0';
        if (strcmp(w, "step") == 0) {
            step = strtod(equals + 1, NULL);
            continue;
        }
        over[n++]     = (kl_override){.name = w, .text = equals + 1};
    }
    kl_diag       *d = kl_diag_create();
    kl_source     *source = NULL;
    kl_model      *m = NULL;
    kl_simulation *s = NULL;
    kl_status      status = kl_source_read(path, d, &source);
    if (status == KL_OK) status = kl_source_build(source, over, n, d, &m);
    if (status == KL_OK && !isnan(step)) m->settings.step = step;
    if (status == KL_OK) status = kl_simulation_create(m, d, &s);
    if (status == KL_OK) {
        watcher w    = {{kl_channels_find(s->channels, one), kl_channels_find(s->channels, two)}, &o};
        kl_sink sink = {.context = &w, .row = take};
        status       = kl_simulation_run(s, end, every, &sink, d);
    }
    if (status != KL_OK) {
        print_messages(d);
        fail_msg("%s with %s does not run", example, set);
    }
    kl_simulation_destroy(s);
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(d);
    return o;
}

static outcome crank(const char *set) { return run("flexible-slider-crank", set, "mid_over_L", "slider_x_m", 0.0065, 1e-4); }

/* flex_slider_crank_*.csv of the reference: 0.010445 with enough modes, 0.01036 with four in the
 * plane; 0.009723 of the geometrically exact beam, 0.00964 with four */
static void the_slider_crank_bends_as_beams_do(void **unused)
{
    (void)unused;
    assert_close(crank("").first_peak, 0.010445, 0.003 * 0.010445);
    assert_close(crank("modes=8").first_peak, 0.01036, 0.003 * 0.01036);
    assert_close(crank("stiffening=true").first_peak, 0.009723, 0.003 * 0.009723);
    assert_close(crank("stiffening=true modes=8").first_peak, 0.00964, 0.004 * 0.00964);
    assert_close(crank("flexible=false").first_peak, 0.0, 1e-9);
}

/* mean and principal axes, eliminated and constrained, markers and virtual bodies: one motion */
static void how_the_motion_is_written_down_does_not_matter(void **unused)
{
    (void)unused;
    static const char *const ways[] = {
        "reference=principal-axis", "conditions=constrained", "attach=virtual-body",
        "reference=principal-axis conditions=constrained"};
    char    set[256];
    outcome mean = crank("section=rectangle modes=8 step=2e-6");
    assert_true(mean.n == 66 && fabs(mean.first_peak) > 0.01);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        double worst = 0;
        snprintf(set, sizeof set, "section=rectangle modes=8 step=2e-6 %s", ways[i]);
        outcome o = crank(set);
        for (int k = 0; k < mean.n; k++) worst = fmax(worst, fabs(o.series[k] - mean.series[k]));
        print_message("%s: %.2e of the peak\n", ways[i], worst / fabs(mean.first_peak));
        /* principal axes are conditions of their own: another frame, the same shapes */
        if (!(worst < 1e-6 * fabs(mean.first_peak))) fail_msg("%s differs by %.3g of the peak", ways[i], worst / fabs(mean.first_peak));
    }
}

/* kane_spinup_beam.csv: the tip lags by 0.57379 m at 6.76 s */
static void a_spinning_beam_lags_as_the_exact_beam_does(void **unused)
{
    (void)unused;
    outcome o = run("rotating-beam", "modes=3", "tip_u2_transverse_m", "tip_u1_axial_m", 6.76, 0.04);
    assert_close(o.last[0], -0.57379, 0.002 * 0.57379);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slider_crank_bends_as_beams_do),
        cmocka_unit_test(how_the_motion_is_written_down_does_not_matter),
        cmocka_unit_test(a_spinning_beam_lags_as_the_exact_beam_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
