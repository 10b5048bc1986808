/* A ball that bounces on a plane, as an element of this file alone: depth in the position stage, an
 * elastic force, a crossing where contact begins and ends, no tangent of its own.
 *
 *   d = R - z,   f = k d for d > 0, else 0
 *
 * Dropped from height H it falls for T = sqrt(2 H/g), stays in contact for
 * 2 (pi - atan(v w/g))/w with w^2 = k/m, v = g T, and comes back to H: nothing is lost. */
#include "solve/simulation.h"
#include "unit/own_element.h"

typedef struct ball {
    double radius, k; /* [m], [N/m] */
} ball;

typedef struct ball_cache {
    double depth; /* [m] */
} ball_cache;

static kl_status ball_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                            kl_element_size *size)
{
    (void)data, (void)s, (void)m, (void)nmarker;
    size->nevent = 1;
    size->cache  = sizeof(ball_cache);
    return KL_OK;
}

static int located; /* how often the position stage ran */

static kl_status ball_locate(const kl_reading *in, void *cache)
{
    const ball *p = in->data;
    located++;
    ((ball_cache *)cache)->depth = p->radius - in->m[0].r.z;
    return KL_OK;
}

static double depth_of(const kl_reading *in) { return ((const ball_cache *)in->cache)->depth; }

static kl_status ball_eval(const kl_reading *in, kl_writing *out)
{
    const ball *p = in->data;
    double      d = depth_of(in);
    if (d <= 0.0) return KL_OK;
    out->wrench[2] = p->k * d;
    out->energy    = 0.5 * p->k * d * d;
    return KL_OK;
}

static void ball_crossings(const kl_reading *in, kl_crossing *out)
{
    *out = (kl_crossing){
        .value = -depth_of(in), .rate = in->m[0].v.z, .tolerance = 1e-7, .kind = KL_CROSSING_KINK};
}

static const kl_key          no_keys[]     = {{0}};
static const kl_element_type ball_on_plane = {.name      = "ball-on-plane",
                                              .keys      = no_keys,
                                              .data_size = sizeof(ball),
                                              .setup     = ball_setup,
                                              .locate    = ball_locate,
                                              .eval      = ball_eval,
                                              .crossings = ball_crossings};

static const double G = 9.81, HEIGHT = 0.5, RADIUS = 0.1, K = 1e5; /* m = 1 kg */

static double period(void)
{
    double fall = sqrt(2.0 * HEIGHT / G), w = sqrt(K), v = G * fall;
    return 2.0 * fall + 2.0 * (acos(-1.0) - atan(v * w / G)) / w;
}

static void bounce(int integrator, int bounces, double *height, kl_statistics *count)
{
    own_model o =
        own_begin("klingel: 1\ngravity: [0, 0, -9.81]\nintegrator: {tolerance: 1e-7}\n"
                  "bodies:\n  ball: {mass: 1 kg, inertia: [1, 1, 1], position: [0, 0, 0.6]}\n");
    o.m->settings.integrator = integrator;
    *(ball *)own_add(&o, &ball_on_plane, "floor", (const char *[]){"ball", NULL}) =
        (ball){RADIUS, K};
    own_finish(&o);
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(o.m, o.text.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, o.text.diag), KL_OK);
    double end = bounces * period();
    while (s->solver->s->t < end) assert_int_equal(kl_simulation_step(s, end, o.text.diag), KL_OK);
    *height = s->solver->s->q[o.m->body[1].q + 2] - RADIUS;
    *count  = s->count;
    kl_simulation_destroy(s);
    own_free(&o);
}

static void it_comes_back_to_where_it_was_dropped(void **unused)
{
    (void)unused;
    const int         each[] = {KL_GENERALIZED_ALPHA, KL_RUNGE_KUTTA, KL_GEAR};
    const char *const name[] = {"generalized-alpha", "runge-kutta", "gear"};
    for (int k = 0; k < 3; k++) {
        double        height;
        kl_statistics count;
        bounce(each[k], 5, &height, &count);
        print_message("  %s: %.2e m after 5 bounces, %ld steps\n", name[k], height - HEIGHT,
                      count.steps);
        assert_close(height, HEIGHT, 2e-5);
    }
}

/* A position stage runs once for each position: no more often than states were evaluated, plus the
 * differences of the tangent (three directions to both sides a matrix; turning moves the markers of
 * a rigid body too). */
static void the_position_stage_is_not_repeated(void **unused)
{
    (void)unused;
    double        height;
    kl_statistics count;
    located = 0;
    bounce(KL_GENERALIZED_ALPHA, 2, &height, &count);
    long positions = located - 12 * count.factorizations;
    print_message("  %ld positions for %ld evaluations, %ld steps and %ld matrices\n", positions,
                  count.evaluations, count.steps, count.factorizations);
    /* starts, events and rejected steps evaluate some states beside the iterations */
    assert_true((double)positions < 1.3 * (double)count.evaluations + 40.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_comes_back_to_where_it_was_dropped),
        cmocka_unit_test(the_position_stage_is_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
