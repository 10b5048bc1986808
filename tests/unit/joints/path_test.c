/* Followers of lines and surfaces against closed forms and against other joints that hold the same. */
#include <math.h>

#include "geometry/named.h"
#include "unit/build_model.h"

#include "geometry/path.h"
#include "solve/simulation.h"

typedef struct ride {
    built          b;
    kl_simulation *s;
} ride;

static ride start(const char *text)
{
    ride r = {.b = must_build(text)};
    if (kl_simulation_create(r.b.model, r.b.diag, &r.s) != KL_OK ||
        kl_simulation_start(r.s, r.b.diag) != KL_OK) {
        print_messages(r.b.diag);
        fail_msg("the model was not started:\n%s", text);
    }
    return r;
}

static void go(ride *r, double until)
{
    while (r->s->solver->s->t < until)
        if (kl_simulation_step(r->s, until, r->b.diag) != KL_OK) {
            print_messages(r->b.diag);
            fail_msg("the run stopped");
        }
}

static double value(ride *r, const char *channel)
{
    const double *v;
    int           i = kl_channels_find(r->s->channels, channel);
    if (i < 0) fail_msg("no channel %s", channel);
    assert_int_equal(kl_simulation_sample(r->s, r->b.diag, &v), KL_OK);
    return v[i];
}

static void finish(ride *r)
{
    kl_simulation_destroy(r->s);
    built_free(&r->b);
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.12g is not %.12g within %g", a, b, tolerance);
}

/* A helix of radius R that climbs p a radian down: s = g sin(a) t^2/2, reaction from v^2/R cos^2(a) and m g cos(a). */
#define HELIX                                                                                      \
    "klingel: 1\nparameters: {R: 2 m, slope: 20 deg}\n"                                            \
    "tracks: {helix: {start: {position: [R, 0, 20], heading: 90 deg}, layout: [{curve: R, "        \
    "length: 60 m}], "                                                                             \
    "profile: [{grade: -tan(slope), length: 60 m}]%s}}\n"                                          \
    "bodies: {bead: {type: point, mass: 3 kg, position: [2, 0, 20]}}\n"                            \
    "joints: {wire: {type: path, body: bead, track: helix, follow: point}}\n"                      \
    "integrator: {type: runge-kutta, tolerance: 1e-11, length: 1}\n"

static void a_bead_on_a_helix_slides_as_on_an_inclined_plane(void **unused)
{
    (void)unused;
    static const char *const ways[] = {
        "", ", geometry: table, table: {interpolation: quintic, error: 1e-9}"};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text, HELIX, ways[i]);
        ride   r = start(text);
        double a = 20.0 * acos(-1.0) / 180.0, g = 9.81, R = 2.0, t = 3.0, m = 3.0;
        double energy = value(&r, "energy.total");
        go(&r, t);
        double s = 0.5 * g * sin(a) * t * t, v = g * sin(a) * t, angle = s * cos(a) / R;
        near(value(&r, "wire.s"), s, 2e-7);
        near(value(&r, "wire.speed"), v, 1e-7);
        near(value(&r, "bead.position.x"), R * cos(angle), 2e-7);
        near(value(&r, "bead.position.y"), R * sin(angle), 2e-7);
        near(value(&r, "bead.position.z"), 20 - s * sin(a), 2e-7);
        near(value(&r, "wire.lateral"), m * v * v * cos(a) * cos(a) / R, 1e-5);
        near(value(&r, "wire.vertical"), m * g * cos(a), 1e-5);
        near(value(&r, "wire.along"), 0.0, 1e-7);
        near(value(&r, "energy.total"), energy, 2e-5);
        assert_true(value(&r, "drift.position") < 1e-9);
        finish(&r);
    }
}

/* In an upright circle: v^2 = v0^2 - 2 g R (1 - cos), N = m v^2/R + m g cos. The pendulum's other name. */
static void a_bead_in_a_loop_is_a_pendulum(void **unused)
{
    (void)unused;
    ride r = start("klingel: 1\ngravity: 9.81\n"
                   "tracks: {loop: {segments: [{length: 12*pi*1 m, up: 1/(3 m)}]}}\n"
                   "bodies: {bead: {type: point, mass: 2 kg, position: [0, 0, 0]}}\n"
                   "joints: {wire: {type: path, body: bead, track: loop, follow: point, s: 0, "
                   "speed: 13 m/s}}\n"
                   "integrator: {type: runge-kutta, tolerance: 1e-11, length: 1}\n");
    for (double t = 0.3; t < 1.6; t += 0.3) {
        go(&r, t);
        double angle = value(&r, "wire.s") / 3.0,
               v2    = 13.0 * 13.0 - 2 * 9.81 * 3.0 * (1 - cos(angle));
        near(value(&r, "wire.speed"), sqrt(v2), 1e-6);
        near(value(&r, "wire.vertical"), 2.0 * v2 / 3.0 + 2.0 * 9.81 * cos(angle), 1e-5);
        near(value(&r, "bead.position.z"), 3.0 * (1 - cos(angle)), 1e-8);
    }
    finish(&r);
}

static const char car[] =
    "klingel: 1\n"
    "tracks: {line: {layout: [straight 10 m, transition 30 m, {curve: 40 m, length: 60 m, cant: 20 "
    "deg}, transition 30 m, "
    "straight 30 m], profile: [{grade: 0, length: 20}, {to: -10 deg, radius: 60 m}, {grade: -10 "
    "deg, length: 100}]%s}}\n"
    "bodies: {car: {mass: 500, inertia: [90, 200, 240], position: [2, 0, 0.4], velocity: [12, 0, "
    "0]}}\n"
    "joints: {ride: {type: path, body: car, track: line, offset: [0, 0, 0.4]%s}}\n"
    "integrator: {type: runge-kutta, tolerance: 1e-10, length: 10}\n";

static void tables_and_exact_geometry_agree(void **unused)
{
    (void)unused;
    char text[2][2048];
    snprintf(text[0], sizeof text[0], car, "", "");
    snprintf(text[1], sizeof text[1], car,
             ", geometry: table, table: {interpolation: cubic, error: 1e-6}", "");
    ride a = start(text[0]), b = start(text[1]);
    for (double t = 1; t < 8.5; t += 1) {
        go(&a, t);
        go(&b, t);
        near(value(&a, "ride.s"), value(&b, "ride.s"), 2e-5);
        near(value(&a, "car.position.y"), value(&b, "car.position.y"), 2e-5);
        near(value(&a, "ride.vertical"), value(&b, "ride.vertical"), 0.05); /* of 5 kN */
        near(value(&a, "ride.roll_torque"), value(&b, "ride.roll_torque"), 0.05);
    }
    finish(&a);
    finish(&b);
}

/* What the track does not push along, it cannot change: energy stays on any line. */
static void a_car_keeps_its_energy_and_its_axes(void **unused)
{
    (void)unused;
    char text[2048];
    snprintf(text, sizeof text, car, ", resample: {spacing: 4 m}, spline: quintic", "");
    ride   r      = start(text);
    double energy = value(&r, "energy.total");
    go(&r, 7.0);
    near(value(&r, "energy.total"), energy, 2e-3); /* of 36 kJ */
    assert_true(value(&r, "drift.position") < 1e-8 && value(&r, "drift.rotation") < 1e-8);
    finish(&r);
}

static void a_free_roll_swings_like_a_pendulum_under_the_line(void **unused)
{
    (void)unused;
    /* a gondola whose centre of mass hangs 1 m below the rope: T = 2 pi sqrt((J + m l^2)/(m g l)) */
    ride r = start(
        "klingel: 1\ntracks: {rope: {points: [[0, 0, 0], [100, 0, 0]], spline: linear}}\n"
        "bodies: {cabin: {mass: 100, inertia: [50, 60, 60], position: [5, 0.001, -1], velocity: "
        "[3, 0, 0]}}\n"
        "joints: {hook: {type: path, body: cabin, at: [5, 0, 0], track: rope, follow: direction}}\n"
        "integrator: {tolerance: 1e-10, length: 1}\n");
    double omega = sqrt(100 * 9.81 / (50 + 100)), first = value(&r, "cabin.position.y");
    go(&r, 2 * acos(-1.0) / omega);
    near(value(&r, "cabin.position.y"), first, 1e-4 * fabs(first) + 1e-9);
    near(value(&r, "cabin.velocity.x"), 3.0, 1e-9);
    finish(&r);
}

static void a_driven_car_keeps_its_timetable(void **unused)
{
    (void)unused;
    char text[2048];
    snprintf(text, sizeof text, car, "",
             ", drive_speed: {harmonic: {offset: 8, amplitude: 3, omega: 2}}");
    ride r = start(text);
    go(&r, 5.0);
    near(value(&r, "ride.speed"), 8 + 3 * sin(10.0), 1e-8);
    near(value(&r, "ride.s"), 2 + 40 + 1.5 * (1 - cos(10.0)), 1e-7);
    finish(&r);
    snprintf(text, sizeof text, car, "", ", drive_s: {polynomial: [2, 8, 0.5]}");
    r = start(text);
    go(&r, 3.0);
    near(value(&r, "ride.s"), 2 + 24 + 4.5, 1e-8);
    near(value(&r, "ride.speed"), 11, 1e-8);
    /* work of the drive is what the energy grew by */
    near(value(&r, "energy.balance"), 0.5 * 500 * 64 + 500 * 9.81 * 0.4, 2.0);
    finish(&r);
}

/* A straight-axed helical groove on a drum is a screw. */
static void a_helical_groove_is_a_screw(void **unused)
{
    (void)unused;
    static const char text[] =
        "klingel: 1\ngravity: 0\n%s"
        "bodies:\n  drum: {mass: 10, inertia: [0.2, 0.2, 0.3], orientation: {axis: z, angle: 0}}\n"
        "  nut: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.1, 0, 0]}\n"
        "joints:\n  bearing: {type: revolute, between: [ground, drum], at: [0, 0, 0], axis: z}\n"
        "  guide: {type: translational, between: [ground, nut], at: [0.1, 0, 0], axis: z}\n  %s\n"
        "forces: {motor: {type: torque, on: drum, axis: z, value: 0.5}}\n"
        "integrator: {type: runge-kutta, tolerance: 1e-11, length: 1}\n";
    char one[2048], two[2048];
    snprintf(one, sizeof one, text,
             "tracks: {groove: {start: {position: [0.1, 0, 0], heading: -90 deg}, layout: [{curve: "
             "0.1, turn: right, length: 20*pi*0.1 "
             "m}], profile: [{grade: 0.2, length: 20*pi*0.1 m}]}}\n",
             "roller: {type: spatial-cam, body: nut, on: drum, track: groove, s: 0}");
    /* the nut rises 0.2 * 0.1 m a radian that the drum turns */
    snprintf(
        two, sizeof two, text, "",
        "roller: {type: screw, between: [drum, nut], at: [0, 0, 0], axis: z, pitch: 2*pi*-0.02}");
    ride a = start(one), b = start(two);
    go(&a, 3.0);
    go(&b, 3.0);
    near(value(&a, "bearing.angle"), value(&b, "bearing.angle"), 1e-7);
    near(value(&a, "nut.position.z"), value(&b, "nut.position.z"), 1e-8);
    assert_true(fabs(value(&a, "bearing.angle")) > 3.0);
    finish(&a);
    finish(&b);
}

/* On a sphere a point mass is a spherical pendulum: the same as on a massless rod. */
static void a_point_on_a_sphere_hangs_as_on_a_rod(void **unused)
{
    (void)unused;
    static const char text[] = "klingel: 1\n%sbodies: {bob: {type: point, mass: 1, position: [0.8, "
                               "0, -0.6], velocity: [0, 1.5, 0]}}\njoints: {%s}\n"
                               "integrator: {type: runge-kutta, tolerance: 1e-11, length: 1}\n";
    char              one[1024], two[1024];
    snprintf(one, sizeof one, text,
             "surfaces: {ball: {revolution: [[-1, 0], {to: [0, 1], radius: -1}, {to: [1, 0], "
             "radius: -1}]}}\n",
             "it: {type: point-on-surface, body: bob, surface: ball}");
    snprintf(two, sizeof two, text, "",
             "it: {type: distance, between: [ground, bob], at: [[0, 0, 0], [0.8, 0, -0.6]]}");
    ride a = start(one), b = start(two);
    go(&a, 2.0);
    go(&b, 2.0);
    static const char *const channels[] = {"bob.position.x", "bob.position.y", "bob.position.z",
                                           "bob.velocity.y"};
    for (int i = 0; i < 4; i++) near(value(&a, channels[i]), value(&b, channels[i]), 1e-6);
    /* the normal points out of the ball, the ball pulls inwards */
    double pull =
        hypot(hypot(value(&b, "it.force.x"), value(&b, "it.force.y")), value(&b, "it.force.z"));
    near(fabs(value(&a, "it.normal")), pull, 1e-5);
    finish(&a);
    finish(&b);
}

/* An arc turned about the y axis is a ball, with factors an ellipsoid; extruded between nodes that do not turn a cylinder. */
static void a_point_on_arcs_keeps_to_balls_eggs_and_cylinders(void **unused)
{
    (void)unused;
    static const char text[] =
        "klingel: 1\nsurfaces: {ball: {revolved_arc: {center: [0, 0], first: [0, -1], last: [0, "
        "1]}},\n"
        "  egg: {revolved_arc: {center: [0, 0], first: [0, -1], last: [0, 1]}, x_factor: 2, "
        "z_factor: 0.5},\n"
        "  trough: {extruded_arc: {center: [0, 0.2], first: [-0.6, -0.6], last: [0.6, -0.6]}, "
        "nodes: [{at: [0, 0, 0], orientation: "
        "{x: [0, 1, 0], y: [0, 0, 1]}}, {at: [9, 0, 0], orientation: {x: [0, 1, 0], y: [0, 0, "
        "1]}}]}}\n"
        "bodies: {%sbob: {type: point, mass: 1, position: [0.8, 0, -0.6], velocity: [0, 1.5, 0]},\n"
        "  rider: {type: point, mass: 1, position: [2, 0, -0.5], velocity: [0, 0.3, 1]},\n"
        "  bead: {type: point, mass: 2, position: [1, 0.4, -0.7165], velocity: [0.5, 0, 0]}}\n"
        "joints: {it: {type: %s}, on_egg: {type: point-on-surface, body: rider, surface: egg},\n"
        "  rolls: {type: point-on-surface, body: bead, surface: trough}}\n"
        "integrator: {type: runge-kutta, tolerance: 1e-11, length: 1}\n";
    char one[2048], two[2048];
    snprintf(one, sizeof one, text, "ground: {shape: [{surface: egg}, {surface: trough}]}, ",
             "point-on-surface, body: bob, surface: ball");
    snprintf(two, sizeof two, text, "",
             "distance, between: [ground, bob], at: [[0, 0, 0], [0.8, 0, -0.6]]");
    ride a = start(one), b = start(two);
    assert_int_equal(a.b.model->body[0].nshape, 2);
    double energy = value(&a, "energy.total");
    go(&a, 1.5);
    go(&b, 1.5);
    static const char *const channels[] = {"bob.position.x", "bob.position.y", "bob.position.z",
                                           "bob.velocity.y"};
    for (int i = 0; i < 4; i++) near(value(&a, channels[i]), value(&b, channels[i]), 1e-6);
    double x = value(&a, "rider.position.x") / 2, y = value(&a, "rider.position.y"),
           z = value(&a, "rider.position.z") / 0.5;
    near(x * x + y * y + z * z, 1.0, 1e-9);
    near(hypot(value(&a, "bead.position.y"), value(&a, "bead.position.z") - 0.2), 1.0, 1e-9);
    near(value(&a, "bead.velocity.x"), 0.5, 1e-9); /* nothing pushes along */
    near(value(&a, "energy.total"), energy, 1e-7);
    finish(&a);
    finish(&b);
}

/* Forces of followers are told as those of any joint; what their axes are off by is an angle, not a length. */
static void followers_tell_force_and_gap_as_all_joints_do(void **unused)
{
    (void)unused;
    ride r = start("klingel: 1\ntracks: {line: {layout: [{curve: 30 m, length: 60 m}]}}\n"
                   "bodies: {car: {mass: 2, inertia: [1, 1, 1]}}\n"
                   "joints: {ride: {type: path, body: car, track: line, s: 3, speed: 10}}\n");
    go(&r, 1.0);
    double angle = value(&r, "ride.s") / 30.0, lateral = value(&r, "ride.lateral");
    near(lateral, 2.0 * 100.0 / 30.0, 1e-4);
    near(value(&r, "ride.force.x"), -sin(angle) * lateral, 1e-6);
    near(value(&r, "ride.force.y"), cos(angle) * lateral, 1e-6);
    near(value(&r, "ride.force.z"), 2.0 * 9.81, 1e-6);
    const kl_element *e = &r.b.model->element[0];
    for (int k = 0; k < e->nphi; k++)
        assert_int_equal(kl_eval_is_length(r.b.model, r.s->solver->w, e, k), k < 3);
    finish(&r);
}

/* A car written on the track, but with axes of its own, is turned there and not moved along; s counts on, round after round. */
static void a_car_on_a_closed_track_starts_where_it_stands_and_counts_its_laps(void **unused)
{
    (void)unused;
    for (int way = 1; way >= -1; way -= 2) {
        char text[1024];
        snprintf(text, sizeof text,
                 "klingel: 1\ntracks: {ring: {points: [[0, -10, 0], [10, 0, 0], [0, 10, 0], [-10, "
                 "0, 0]], closed: true, spline: quintic}}\n"
                 "bodies: {car: {mass: 2, inertia: [1, 1, 1], position: [10, 0, 0], velocity: [0, "
                 "%d, 0]}}\n"
                 "joints: {ride: {type: path, body: car, track: ring}}\nintegrator: {type: gear, "
                 "tolerance: 1e-9}\n",
                 30 * way);
        ride                  r      = start(text);
        const kl_named_track *ring   = r.b.model->resource[0]->data;
        double                length = ring->path->length, energy;
        near(value(&r, "car.position.x"), 10.0, 1e-9);
        near(value(&r, "ride.s"), 0.25 * length, 1e-6);
        near(value(&r, "ride.speed"), 30.0 * way, 1e-6);
        energy = value(&r, "energy.total");
        go(&r, 20.0);
        assert_true(way * value(&r, "ride.s") > 8.0 * length); /* nine laps, and s does not wrap */
        near(value(&r, "energy.total"), energy,
             1e-6 * energy); /* a thousand times the integrator's tolerance */
        near(value(&r, "drift.position"), 0.0, 1e-8);
        finish(&r);
    }
}

/* ---- what goes wrong ---- */

static kl_status nothing(void *context, double t, const double *values)
{
    (void)values;
    *(double *)context = t;
    return KL_OK;
}

static bool told(const kl_diag *d, const char *part)
{
    for (int i = 0; i < kl_diag_size(d); i++)
        if (strstr(kl_diag_at(d, i)->text, part)) return true;
    return false;
}

/* Keeps the last two rows of a run. */
typedef struct rows {
    ride  *r;
    double t[2], s[2], lateral[2], pitch[2];
} rows;

static kl_status keep_row(void *context, double t, const double *values)
{
    rows              *k = context;
    const kl_channels *c = k->r->s->channels;
    k->t[0] = k->t[1], k->s[0] = k->s[1], k->lateral[0] = k->lateral[1], k->pitch[0] = k->pitch[1];
    k->t[1]       = t;
    k->s[1]       = values[kl_channels_find(c, "ride.s")];
    k->lateral[1] = values[kl_channels_find(c, "ride.lateral")];
    k->pitch[1]   = values[kl_channels_find(c, "ride.yaw_torque")];
    return KL_OK;
}

/* The last row is one on the track: forces and torques are those of the row before, not of a straight line behind the end. */
static void a_car_that_runs_out_of_track_stops_at_its_end(void **unused)
{
    (void)unused;
    static const struct {
        double      x, speed, time, s;
        const char *says;
    } ways[] = {{2, 10, 1.8, 20, "'ride' left the end of track 'line'"},
                {8, -10, 0.8, 0, "'ride' left the beginning of track 'line'"}};
    static const char *const integrators[] = {"generalized-alpha", "gear", "runge-kutta"};
    for (int i = 0; i < 6; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "klingel: 1\nparameters: {R: 30 m}\ntracks: {line: {layout: [{curve: R, length: "
                 "20 m}]}}\n"
                 "bodies: {car: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
                 "joints: {ride: {type: path, body: car, track: line, s: %g, speed: %g}}\n"
                 "integrator: {type: %s}\n",
                 ways[i / 3].x, ways[i / 3].speed, integrators[i % 3]);
        ride    r    = {.b = must_build(text)};
        rows    kept = {.r = &r};
        kl_sink sink = {.context = &kept, .row = keep_row};
        assert_int_equal(kl_simulation_create(r.b.model, r.b.diag, &r.s), KL_OK);
        assert_int_equal(kl_simulation_run(r.s, 5.0, 0.09, &sink, r.b.diag), KL_E_STOPPED);
        near(kept.t[1], ways[i / 3].time, 1e-5);
        near(kept.s[1], ways[i / 3].s, 1e-6);
        near(kept.lateral[1], 2.0 * 100.0 / 30.0, 1e-3);
        near(kept.lateral[1], kept.lateral[0], 1e-3);
        near(kept.pitch[1], kept.pitch[0], 1e-3);
        assert_true(told(r.b.diag, ways[i / 3].says));
        finish(&r);
    }
}

static void a_marble_stops_at_the_edge_of_its_surface(void **unused)
{
    (void)unused;
    ride    r    = {.b = must_build(
                        "klingel: 1\nsurfaces: {table: {net: [[[0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, "
                              "0]]]}}\n"
                              "bodies: {marble: {type: point, mass: 1, position: [0.2, 0.5, 0], velocity: [2, "
                              "0, 0]}}\n"
                              "joints: {ride: {type: point-on-surface, body: marble, surface: table}}\n")};
    double  last = 0.0;
    kl_sink sink = {.context = &last, .row = nothing};
    assert_int_equal(kl_simulation_create(r.b.model, r.b.diag, &r.s), KL_OK);
    assert_int_equal(kl_simulation_run(r.s, 5.0, 0.3, &sink, r.b.diag), KL_E_STOPPED);
    near(last, 0.4, 1e-6);
    assert_true(told(r.b.diag, "left surface 'table' at its edge"));
    finish(&r);
}

static void a_car_too_slow_for_the_hill_rolls_back_and_says_so(void **unused)
{
    (void)unused;
    double  last = 0.0;
    kl_sink sink = {.context = &last, .row = nothing};
    ride    r    = {.b = must_build("klingel: 1\ntracks: {line: {layout: [straight 60 m], profile: "
                                          "[{grade: 0, length: 20}, {to: 20 deg, radius: 20}, "
                                          "{grade: 20 deg, length: 30}]}}\n"
                                          "bodies: {car: {mass: 1, inertia: [1, 1, 1], position: [15, 0, 0], "
                                          "velocity: [6, 0, 0]}}\n"
                                          "joints: {ride: {type: path, body: car, track: line}}\n")};
    assert_int_equal(kl_simulation_create(r.b.model, r.b.diag, &r.s), KL_OK);
    assert_int_equal(kl_simulation_run(r.s, 5.0, 0.1, &sink, r.b.diag), KL_OK);
    assert_true(told(r.b.diag, "reversed at s = "));
    finish(&r);
}

static void mistakes_are_told_with_a_remedy(void **unused)
{
    (void)unused;
    static const char *const head = "klingel: 1\nbodies: {car: {mass: 1, inertia: [1, 1, 1]}}\n";
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"tracks: {line: {layout: [straight 20 m]}}\njoints: {ride: {type: path, body: car, track: "
         "lin}}\n",
         "did you mean 'line'?"},
        {"joints: {ride: {type: path, body: car, track: line}}\n", "define it under `tracks:`"},
        {"tracks: {line: {layout: [straight 20 m]}}\njoints: {ride: {type: path, track: line}}\n",
         "give the body that follows"},
        {"tracks: {line: {layout: [straight 20 m]}}\njoints: {ride: {type: path, body: car, track: "
         "line, s: 30 m}}\n",
         "goes from 0 to 20 m"},
        {"tracks: {line: {layout: [straight 20 m]}}\njoints: {ride: {type: path, body: car, on: "
         "car, track: line}}\n",
         "cannot follow itself"},
        {"tracks: {line: {layout: [straight 20 m], geometry: tabel}}\n", "did you mean 'table'?"},
        {"tracks: {line: {file: nowhere.yaml}}\n", "nowhere.yaml"},
        {"tracks: {line: {points: [[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 1, 0]]}}\n", "point"},
        {"tracks: {line: {points: [[0, 0, 0], [.nan, 0, 0], [2, 1, 0]]}}\n", "nan"},
        {"tracks: [1]\n", "`tracks` is a list"},
        {"surfaces: {s: {}}\n", "its kind is missing"},
        {"surfaces: {s: {net: [[1]]}}\n", "a net is a list of rows"},
        {"surfaces: {s: {net: [[[0,0,0],[0,1,0]],[[1,0,0],[1,1,0]]], spline: akima}}\n",
         "give linear, cubic, quintic"},
        {"surfaces: {s: {revolved_arc: {center: [0, 0], first: [1, 0], last: [0, 2]}}}\n",
         "first and last are 1 and 2 m from the center"},
        {"surfaces: {s: {extruded_arc: {center: [0, 0], first: [1, 0], last: [0, 1]}}}\n",
         "extruded between two nodes"},
        {"surfaces: {s: {sweep: [[0, 0], [1, 0]], track: t}}\n", "there is no track 't'"},
        {"tracks: {line: {layout: [straight 20 m]}}\njoints: {ride: {type: path, body: car, track: "
         "line, drive_s: 1, drive_speed: 2}}\n",
         "remove one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char  text[1024];
        built b;
        snprintf(text, sizeof text, "%s%s", head, cases[i].text);
        if (try_build(text, &b) == KL_OK) fail_msg("built: %s", text);
        if (!told(b.diag, cases[i].says)) {
            print_messages(b.diag);
            fail_msg("'%s' was not told for %s", cases[i].says, cases[i].text);
        }
        built_free(&b);
    }
}

/* What strikes a body that follows is told when the model is read; a drawn surface must be there. */
static void jumps_of_the_track_are_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *track, *says;
    } cases[] = {
        {"layout: [straight 10 m, transition 5 m, curve 20 m radius for 9 m cant 9 deg], corners: "
         "0",
         "the rotation rate of its frame jumps by"},
        {"layout: [straight 10 m, transition 5 m, curve 20 m radius for 9 m cant 9 deg]", NULL},
        {"points: [[0, 0, 0], [10, 0, 0], [20, 5, 0]], spline: linear",
         "has a kink of 26.6 deg at 10 m"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "klingel: 1\ntracks: {line: {%s}}\nbodies: {car: {mass: 1, inertia: [1, 1, 1]}}\n",
                 cases[i].track);
        built b = must_build(text);
        if (cases[i].says ? !told(b.diag, cases[i].says) : kl_diag_size(b.diag) > 0) {
            print_messages(b.diag);
            fail_msg("case %zu", i);
        }
        built_free(&b);
    }
    built b;
    assert_true(
        try_build(
            "klingel: 1\nbodies: {rock: {mass: 1, inertia: [1, 1, 1], shape: {surface: s}}}\n",
            &b) != KL_OK);
    assert_true(told(b.diag, "there is no surface 's'"));
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bead_on_a_helix_slides_as_on_an_inclined_plane),
        cmocka_unit_test(a_bead_in_a_loop_is_a_pendulum),
        cmocka_unit_test(tables_and_exact_geometry_agree),
        cmocka_unit_test(a_car_keeps_its_energy_and_its_axes),
        cmocka_unit_test(a_free_roll_swings_like_a_pendulum_under_the_line),
        cmocka_unit_test(a_driven_car_keeps_its_timetable),
        cmocka_unit_test(a_helical_groove_is_a_screw),
        cmocka_unit_test(a_point_on_a_sphere_hangs_as_on_a_rod),
        cmocka_unit_test(a_point_on_arcs_keeps_to_balls_eggs_and_cylinders),
        cmocka_unit_test(a_car_that_runs_out_of_track_stops_at_its_end),
        cmocka_unit_test(a_marble_stops_at_the_edge_of_its_surface),
        cmocka_unit_test(a_car_too_slow_for_the_hill_rolls_back_and_says_so),
        cmocka_unit_test(followers_tell_force_and_gap_as_all_joints_do),
        cmocka_unit_test(a_car_on_a_closed_track_starts_where_it_stands_and_counts_its_laps),
        cmocka_unit_test(jumps_of_the_track_are_told),
        cmocka_unit_test(mistakes_are_told_with_a_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
