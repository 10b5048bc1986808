/* Shipped rail vehicles: metro trailer in the 200 m curve (Ambrosio and Pombo), freight wagon. */
#include "verify/example.h"

#include "solve/eigenvalues.h"
#include "solve/static_start.h"
#include "solve/statics.h"

static example e;

static double mean_from(const example *x, int channel, double from)
{
    double sum = 0.0;
    int    n   = 0;
    for (int i = 0; i < x->n; i++)
        if (x->t[i] >= from) sum += x->value[i][channel], n++;
    return sum / n;
}

static double least_from(const example *x, int channel, double from)
{
    double least = INFINITY;
    for (int i = 0; i < x->n; i++)
        if (x->t[i] >= from) least = fmin(least, x->value[i][channel]);
    return least;
}

static const char *const metro[] = {"sum_Y", "car.front.lead.rails.angle_right",
                                    "car.front.trail.rails.angle_left", "lift_lead_outer", NULL};

/* m (v^2/R cos - g sin) of 31.2 t is 0 at 10 m/s and 46.7 kN at 20 m/s; the body still sways a little,
 * so 0.5 % of the weight is granted at one instant and 0.1 % in the mean. */
static void lateral_forces_of_the_metro_balance_cant_and_speed(void **unused)
{
    (void)unused;
    example_run("metro-trailer", "speed=10", 9.5, 0.01, metro, &e);
    assert_close(mean_from(&e, 0, 7.0), 0.0, 0.001 * 306e3);
    /* flange contact of the outer leading and the inner trailing wheel of the front bogie, permanent */
    assert_true(least_from(&e, 1, 6.0) > 0.3 && least_from(&e, 2, 6.0) > 0.3);
    assert_true(example_peak(&e, 3) == 0.0);
    example_run("metro-trailer", "speed=20", 4.75, 0.01, metro, &e);
    assert_close(mean_from(&e, 0, 3.5), 46.7e3, 0.001 * 306e3);
    assert_true(example_peak(&e, 3) == 0.0);
}

/* Wheels feel a cant transition when they get there. The first one begins at 30 m, its rounding 0.1 m before. Steps that ran
 * over the beginning showed 46.9 instead of 38.3 kN on the outer wheel before it. */
static void wheels_feel_a_cant_transition_when_they_reach_it(void **unused)
{
    static const char *const channels[] = {"distance", "car.front.lead.rails.Q_left",
                                           "car.front.lead.rails.Q_right", NULL};
    static example           fine;
    (void)unused;
    example_run("metro-trailer", "speed=20", 0.62, 5e-4, channels, &e);
    example_run("metro-trailer", "speed=20 tolerance=1e-9", 0.62, 5e-4, channels, &fine);
    double load = e.value[0][1];
    for (int i = 0; i < e.n; i++)
        for (int k = 1; k < 3; k++)
            if (e.value[i][0] < 29.89) assert_close(e.value[i][k], load, 1e-3 * load);
    assert_true(example_apart(&e, &fine, 1) < 0.1 * load);
    assert_true(example_apart(&e, &fine, 2) < 0.1 * load);
}

/* The paper sees the outer leading wheel lift at the entrance with Kalker's linear law only. */
static void the_outer_wheel_lifts_with_the_linear_law(void **unused)
{
    (void)unused;
    example_run("metro-trailer", "speed=20 law=linear", 2.5, 0.002, metro, &e);
    assert_true(example_peak(&e, 3) > 0.1e-3 && example_peak(&e, 3) < 5e-3);
}

/* In the curve a bogie of the wagon has turned by 7 m/300 m against the body: its flat pivot, of radius b, slides and resists with
 * mu F 2/3 b (Dahl's law is within 1 % of it there), each pivot against the turn of its bogie; the rear one gives way a
 * little after its bogie has entered the curve. */
static void centre_pivots_resist_with_their_friction(void **unused)
{
    static const char *const channels[] = {"wagon.pivot_front.rub.torque.z",
                                           "wagon.pivot_rear.rub.torque.z", NULL};
    (void)unused;
    double load = 16e3 * 9.81 / 2.0 - 2.0 * 12e3, limit = 0.25 * load * 2.0 / 3.0 * 0.15;
    example_run("bogie-wagon", "speed=20", 5.0, 0.01, channels, &e);
    assert_close(example_last(&e, 0), limit, 0.05 * limit);
    assert_close(least_from(&e, 1, 0.0), -limit, 0.05 * limit);
}

/* Sum of the wheel loads of wheelsets `names` of a vehicle that stands in steady motion [t]. */
static double mass_on_rails(const char *model, const char *load, const char *const *wheels)
{
    double sum = 0.0;
    example_run(model, load, 0.02, 0.01, wheels, &e);
    for (int i = 0; wheels[i]; i++) sum += e.value[0][i] / 9.81e3;
    printf("%s %s: %.3f t on the rails\n", model, load, sum);
    return sum;
}

/* Tare and laden: at rest in steady motion the rails carry the masses of all bodies, given in the READMEs. */
static void wheels_carry_tare_and_laden_vehicles(void **unused)
{
    (void)unused;
    static const char *const car[]   = {"car.front.lead.rails.Q_left",
                                        "car.front.lead.rails.Q_right",
                                        "car.front.trail.rails.Q_left",
                                        "car.front.trail.rails.Q_right",
                                        "car.rear.lead.rails.Q_left",
                                        "car.rear.lead.rails.Q_right",
                                        "car.rear.trail.rails.Q_left",
                                        "car.rear.trail.rails.Q_right",
                                        NULL};
    static const char *const wagon[] = {"wagon.lead.rails.Q_left", "wagon.lead.rails.Q_right",
                                        "wagon.trail.rails.Q_left", "wagon.trail.rails.Q_right",
                                        NULL};
    static const char *const six[]   = {"wagon.front.lead.rails.Q_left",
                                        "wagon.front.middle.rails.Q_left",
                                        "wagon.front.trail.rails.Q_left",
                                        "wagon.rear.lead.rails.Q_left",
                                        "wagon.rear.middle.rails.Q_left",
                                        "wagon.rear.trail.rails.Q_left",
                                        NULL};
    assert_close(2.0 * mass_on_rails("bogie-wagon", "axles=3", six), 28.6, 0.01);
    for (int i = 0; i < 6; i++) assert_close(e.value[0][i], 28.6e3 * 9.81 / 12.0, 30.0);
    assert_close(2.0 * mass_on_rails("bogie-wagon", "axles=3 load=laden", six), 84.6, 0.02);
    assert_close(mass_on_rails("metro-trailer", "load=tare", car), 31.2, 0.01);
    assert_close(mass_on_rails("metro-trailer", "load=laden", car), 51.2, 0.01);
    assert_close(mass_on_rails("light-rail-vehicle", "load=tare", car), 35.52, 0.01);
    assert_close(mass_on_rails("light-rail-vehicle", "load=laden", car), 44.52, 0.01);
    assert_close(mass_on_rails("freight-wagon", "gust=0 load=tare", wagon), 12.0, 0.01);
    assert_close(mass_on_rails("freight-wagon", "gust=0 load=laden", wagon), 40.0, 0.01);
}

static double correlation(const example *x, int a, int b, double from)
{
    double ma = mean_from(x, a, from), mb = mean_from(x, b, from), aa = 0.0, bb = 0.0, ab = 0.0;
    for (int i = 0; i < x->n; i++) {
        double u = x->value[i][a] - ma, v = x->value[i][b] - mb;
        if (x->t[i] >= from) aa += u * u, bb += v * v, ab += u * v;
    }
    return ab / sqrt(aa * bb);
}

static const char *const line[] = {"curvature", "Y_lead_right", "Y_lead_left", "distance", NULL};

/* In curves both wheels of the leading wheelset push outward: their sum follows the size of the
 * curvature; on the straight before the first curve it is that of the inclined rails alone. */
static void forces_of_the_light_rail_vehicle_follow_the_curvature(void **unused)
{
    (void)unused;
    static const char *const set[]   = {"track=nominal", "track=measured irregularities=measured"};
    static const double      least[] = {0.9, 0.8};
    for (int k = 0; k < 2; k++) {
        example_run("light-rail-vehicle", set[k], 24.0, 0.02, line, &e);
        double straight = 0.0;
        for (int i = 0; i < e.n; i++) {
            if (e.value[i][3] > 30.0 && e.value[i][3] < 35.0)
                straight = fmax(straight, fabs(e.value[i][1] - e.value[i][2]));
            /* force of the wheelset on the rails to the right, with its sign */
            e.value[i][4] = e.value[i][1] - e.value[i][2];
        }
        double with_sign = correlation(&e, 0, 4, 0.0);
        for (int i = 0; i < e.n; i++) {
            e.value[i][0] = fabs(e.value[i][0]);
            e.value[i][1] += e.value[i][2];
        }
        double r = correlation(&e, 0, 1, 0.0);
        print_message("%s: correlation %.3f of Y right - left with the curvature, both signed\n",
                      set[k], with_sign);
        assert_true(with_sign > 0.85);
        print_message(
            "%s: correlation %.3f of Y left + right with the curvature; left - right %.0f N "
            "on the straight\n",
            set[k], r, straight);
        assert_true(r > least[k]);
        assert_true(straight < 500.0);
    }
}

static const char *const wagon[] = {"energy.balance", "front_y", "energy.lost", NULL};

static void the_energy_balance_of_the_wagon_is_closed(void **unused)
{
    (void)unused;
    example_run("freight-wagon", "irregularities=good", 2.0, 0.01, wagon, &e);
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < e.n; i++) {
        least = fmin(least, e.value[i][0]), most = fmax(most, e.value[i][0]);
    }
    assert_true(example_last(&e, 2) > 10.0);
    assert_true(most - least < 0.05 * example_last(&e, 2));
}

/* Growth of the fastest growing motion of the wagon that rolls steadily. */
static double wagon_growth(const char *speed, const char *bolt)
{
    kl_override    set[] = {{"speed", speed}, {"bolt", bolt}, {"gust", "0"}};
    kl_equilibrium q     = {.moving = true};
    kl_diag       *d     = kl_diag_create();
    kl_source     *source;
    kl_model      *m;
    kl_simulation *s;
    kl_linear     *l;
    kl_spectrum   *spectrum = NULL;
    kl_status      status =
        kl_source_read(KL_SOURCE_DIR "/examples/freight-wagon/model.yaml", d, &source);
    if (status == KL_OK) status = kl_source_build(source, set, 3, d, &m);
    if (status == KL_OK) status = kl_simulation_create(m, d, &s);
    if (status == KL_OK) status = kl_assemble_start(s->solver, d);
    if (status == KL_OK) status = kl_find_equilibrium(s->solver, &q, d);
    if (status == KL_OK) status = kl_linearize(s->solver, NULL, d, &l);
    if (status == KL_OK) status = kl_spectrum_find(s->solver, l, false, d, &spectrum);
    if (status != KL_OK) print_messages(d);
    assert_int_equal(status, KL_OK);
    double most = -INFINITY;
    for (int i = 0; i < spectrum->n; i++)
        if (spectrum->mode[i].im > 1.0) most = fmax(most, spectrum->mode[i].re);
    kl_spectrum_destroy(spectrum);
    kl_linear_destroy(l);
    kl_simulation_destroy(s);
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(d);
    return most;
}

/* Links that stick hold the wheelsets: with little friction the wagon hunts at a speed at which more
 * friction keeps it quiet. */
static void less_friction_lowers_the_critical_speed(void **unused)
{
    (void)unused;
    double little = wagon_growth("23", "0.05"), usual = wagon_growth("23", "0.2"),
           slow = wagon_growth("14", "0.05"), fast = wagon_growth("33", "0.2");
    if (!(little > 0.0 && usual < 0.0 && slow < 0.0 && fast > 0.0))
        fail_msg("growth: %g and %g at 23 m/s, %g at 14, %g at 33 m/s", little, usual, slow, fast);
}

/* All cars brake with 45 kN: 44.5 t each slow down by 1.01 m/s2 once the brakes are on everywhere. */
static void a_train_brakes(void **unused)
{
    (void)unused;
    static const char *const names[] = {"car1.front.lead.rails.running_speed", "pull_1", "press_1",
                                        NULL};
    example_run("coach-train", "cars=2 braking=45e3", 6.0, 0.05, names, &e);
    double before = 0.0;
    for (int i = 0; i < e.n; i++)
        if (fabs(e.t[i] - 4.0) < 0.01) before = e.value[i][0];
    assert_close((before - example_last(&e, 0)) / 2.0, 45e3 / 44482.0, 0.04 * 45e3 / 44482.0);
    assert_true(example_last(&e, 1) > 0.0 && example_last(&e, 2) > 0.0);
}

static double speed_lost(const char *set, double from, double to)
{
    static const char *const names[] = {"coach.front.lead.rails.running_speed", NULL};
    double                   before  = NAN;
    example_run("manchester-coach", set, to, 0.05, names, &e);
    for (int i = 0; i < e.n; i++)
        if (fabs(e.t[i] - from) < 1e-6) before = e.value[i][0];
    return before - example_last(&e, 0);
}

/* Torques of 2 kN m on four axles with wheels of 0.46 m: F = 4 T/r decelerates the mass and the rotating wheelsets,
 * m + 4 Iy/r^2. What a coasting coach loses to creepage is taken off. */
static void torque_on_the_axles_brakes_the_coach(void **unused)
{
    (void)unused;
    const double m = 32e3 + 2.0 * 2615.0 + 4.0 * 1813.0, r = 0.46;
    double       a         = 4.0 * 2e3 / r / (m + 4.0 * 112.0 / (r * r));
    double       coasts    = speed_lost("coast=true gust=0", 3.0, 5.0);
    double       brakes_by = speed_lost("torque=-2e3 gust=0", 3.0, 5.0) - coasts;
    double       drives_by = speed_lost("torque=2e3 gust=0", 3.0, 5.0) - coasts;
    print_message("coasting %.4f m/s in 2 s; braking %.5f, driving %.5f, m v' = F: %.5f m/s\n",
                  coasts, brakes_by, drives_by, 2.0 * a);
    assert_true(coasts > 0.0 && coasts < 0.02);
    assert_close(brakes_by, 2.0 * a, 1e-3 * 2.0 * a);
    assert_close(drives_by, -2.0 * a, 1e-3 * 2.0 * a);
}

/* Sum of the brake forces [N] of cars first..last at time t, as the model's brakes come on: by a quintic in 2.5 s, each
 * car 26 m/wave later than the one ahead. */
static double brakes(int first, int last, double wave, double t)
{
    double sum = 0.0;
    for (int i = first; i <= last; i++) {
        double x = fmin(fmax((t - 1.0 - (i - 1) * 26.0 / wave) / 2.5, 0.0), 1.0);
        sum += 45e3 * x * x * x * (10.0 - x * (15.0 - 6.0 * x));
    }
    return sum;
}

/* Cars ahead brake first, so that the cars behind run onto them. In a rigid train the buffers between cars j and j + 1
 * would press with what the brakes ahead do more than their share; the springs of the real one add a dynamic part. */
static void cars_run_onto_those_that_brake_first(int cars, double wave, double end)
{
    static const char *const names[] = {"press_1",
                                        "pull_1",
                                        "car1.front.lead.rails.running_speed",
                                        "car1.front.lead.rails.Q_left",
                                        "car1.front.lead.rails.Q_right",
                                        "middle",
                                        NULL};
    char                     set[64];
    snprintf(set, sizeof set, "cars=%d wave=%g braking=45e3", cars, wave);
    example_run("coach-train", set, end, 0.01, names, &e);
    double rigid = 0.0, seen = 0.0, least = INFINITY, before = 0.0;
    int    j = cars / 2;
    for (int i = 0; i < e.n; i++) {
        double t = e.t[i];
        rigid    = fmax(rigid, brakes(1, j, wave, t) - (double)j / cars * brakes(1, cars, wave, t));
        if (t <= 1.0) before = e.value[i][5]; /* of the pull ahead */
        seen  = fmax(seen, e.value[i][5] - before);
        least = fmin(least, fmin(e.value[i][3], e.value[i][4]));
    }
    print_message("train of %d: middle buffers press with %.1f kN, %.1f kN if it were rigid; least "
                  "wheel load of the first wheelset %.1f kN\n",
                  cars, 1e-3 * seen, 1e-3 * rigid, 1e-3 * least);
    assert_true(seen > 0.95 * rigid && seen < 1.5 * rigid);
    assert_true(least > 0.0);
}

static void a_train_in_an_s_curve_brakes(void **unused)
{
    (void)unused;
    bool slow = getenv("KL_SLOW") != NULL;
    cars_run_onto_those_that_brake_first(slow ? 20 : 3, slow ? 250.0 : 25.0, slow ? 8.0 : 6.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lateral_forces_of_the_metro_balance_cant_and_speed),
        cmocka_unit_test(wheels_feel_a_cant_transition_when_they_reach_it),
        cmocka_unit_test(the_outer_wheel_lifts_with_the_linear_law),
        cmocka_unit_test(centre_pivots_resist_with_their_friction),
        cmocka_unit_test(wheels_carry_tare_and_laden_vehicles),
        cmocka_unit_test(forces_of_the_light_rail_vehicle_follow_the_curvature),
        cmocka_unit_test(the_energy_balance_of_the_wagon_is_closed),
        cmocka_unit_test(less_friction_lowers_the_critical_speed),
        cmocka_unit_test(a_train_brakes),
        cmocka_unit_test(torque_on_the_axles_brakes_the_coach),
        cmocka_unit_test(a_train_in_an_s_curve_brakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
