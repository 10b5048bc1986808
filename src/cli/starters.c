#include "cli/starters.h"

#include <stddef.h>

#include "base/share.h"

const kl_starter kl_starters[] = {
    {"pendulum", "a bar that swings from a hinge",
     "klingel: 1                          # version of the language\n"
     "title: Pendulum\n"
     "\n"
     "parameters:                         # change them here or with --set L=2m\n"
     "  L: 1 m\n"
     "  m: 2 kg\n"
     "  start: 30 deg                     # from the vertical\n"
     "\n"
     "bodies:\n"
     "  bar:                              # a slender bar; z points up, y is the hinge\n"
     "    mass: m\n"
     "    inertia: [m*L^2/12, m*L^2/12, 0]        # about the centre of mass, in body axes\n"
     "    position: [L/2*sin(start), 0, -L/2*cos(start)]\n"
     "    orientation: {axis: y, angle: -start}\n"
     "\n"
     "joints:\n"
     "  hinge: {type: revolute, between: [ground, bar], at: [0, 0, 0], axis: y}\n"
     "\n"
     "forces:\n"
     "  bearing: {type: rotational-spring-damper, of: hinge, damping: 0.05 N m s/rad}\n"
     "\n"
     "outputs:\n"
     "  tip: {of: bar, point: [0, 0, -L/2], quantity: position.x}      # point in the body\n"
     "\n"
     "run: {end: 10, every: 10 ms}\n",
     "tip hinge.angle",
     "The oscillation decays slowly; the channel energy.lost shows the dissipated energy.", NULL},
    {"four-bar", "crank, coupler and rocker, driven at constant speed",
     "klingel: 1\n"
     "title: Four-bar linkage\n"
     "\n"
     "parameters:\n"
     "  a: 0.1 m                          # crank\n"
     "  speed: 60 rpm\n"
     "\n"
     "bodies:                             # initial guesses: assembly closes the loop\n"
     "  crank: {mass: 0.5 kg, inertia: [1e-4, 1e-3, 1e-3], position: [0, 0, a/2]}\n"
     "  coupler: {mass: 1.0 kg, inertia: [1e-3, 8e-3, 8e-3], position: [0.15, 0, 0.15]}\n"
     "  rocker: {mass: 0.8 kg, inertia: [8e-4, 4e-3, 4e-3], position: [0.3, 0, 0.1]}\n"
     "\n"
     "joints:\n"
     "  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: y}\n"
     "  B: {type: revolute, between: [crank, coupler], at: [0, 0, a], axis: y}\n"
     "  # a spherical and a universal joint avoid the redundant constraints of four revolutes\n"
     "  C: {type: spherical, between: [coupler, rocker], at: [0.3, 0, 0.2]}\n"
     "  D: {type: universal, between: [ground, rocker], at: [0.3, 0, 0], axis: [y, x]}\n"
     "  motor: {type: driver, of: A, value: {polynomial: [0, speed]}}\n"
     "\n"
     "outputs:\n"
     "  pin.z: {of: coupler, point: [0.15, 0, 0.05], quantity: position.z}\n"
     "\n"
     "run: {end: 2, every: 5 ms}\n",
     "A.angle motor.effort", "motor.effort is the torque that turns the crank at constant speed.",
     NULL},
    {"slider-crank", "an engine's crank, rod and piston",
     "klingel: 1\n"
     "title: Slider-crank\n"
     "\n"
     "parameters: {r: 50 mm, l: 150 mm, speed: 1200 rpm}\n"
     "\n"
     "bodies:\n"
     "  crank: {mass: 2 kg, inertia: [1e-3, 2e-3, 2e-3], position: [0, 0, 0]}\n"
     "  rod: {mass: 0.6 kg, inertia: [1e-4, 1.5e-3, 1.5e-3], position: [r + l/2, 0, 0]}\n"
     "  piston: {mass: 0.4 kg, inertia: [1e-4, 1e-4, 1e-4], position: [r + l, 0, 0]}\n"
     "\n"
     "joints:\n"
     "  main: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: y}\n"
     "  pin: {type: revolute, between: [crank, rod], at: [r, 0, 0], axis: y}\n"
     "  wrist: {type: point-on-line, between: [rod, piston], at: [r + l, 0, 0], axis: y}\n"
     "  bore: {type: translational, between: [ground, piston], at: [r + l, 0, 0], axis: x}\n"
     "  motor: {type: driver, of: main, value: {polynomial: [0, speed]}}\n"
     "\n"
     "outputs:\n"
     "  stroke: {expression: bore.displacement}\n"
     "\n"
     "run: {end: 0.1, every: 0.2 ms}\n",
     "stroke pin.force.x",
     "pin.force.x shows the inertia forces at multiples of the crank frequency.", NULL},
    {"cart", "an inverted pendulum on a cart, balanced by a controller in Lua",
     "klingel: 1\n"
     "title: Cart with an inverted pendulum\n"
     "\n"
     "parameters: {L: 0.6 m, lean: 8 deg}\n"
     "\n"
     "bodies:\n"
     "  cart: {mass: 1 kg, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0]}\n"
     "  pole: {mass: 0.2 kg, inertia: [6e-3, 6e-3, 1e-5], position: [0, 0, L/2]}\n"
     "\n"
     "joints:\n"
     "  rail: {type: translational, between: [ground, cart], at: [0, 0, 0], axis: x}\n"
     "  hinge: {type: revolute, between: [cart, pole], at: [0, 0, 0], axis: y,\n"
     "          start: {angle: lean, fixed: [angle]}}      # starts at this angle\n"
     "\n"
     "forces:\n"
     "  balance:\n"
     "    type: controller\n"
     "    inputs: {x: rail.displacement, v: rail.speed, a: hinge.angle, w: hinge.angular_speed}\n"
     "    outputs: {F: rail.force}\n"
     "    states: {e: 0}                  # integral of the cart's position\n"
     "    lua: |\n"
     "      F = 40*a + 8*w + 3*x + 5*v + 0.5*e\n"
     "      F = math.max(-20, math.min(20, F))     -- the motor's limit\n"
     "      e_dot = x\n"
     "\n"
     "run: {end: 8, every: 10 ms}\n",
     "rail.displacement balance.F",
     "The cart moves under the falling pole and returns to its start.", NULL},
    {"quarter-car", "a quarter car that drives over a bump",
     "klingel: 1\n"
     "title: Quarter car over a bump\n"
     "\n"
     "parameters: {bump: 40 mm}\n"
     "\n"
     "bodies:\n"
     "  road: {mass: 0, position: [0, 0, 0]}            # massless, moved by the driver\n"
     "  wheel: {mass: 40 kg, inertia: [1, 1, 1], position: [0, 0, 0.3]}\n"
     "  body: {mass: 320 kg, inertia: [50, 50, 50], position: [0, 0, 0.8]}\n"
     "\n"
     "joints:\n"
     "  lift: {type: translational, between: [ground, road], at: [0, 0, 0], axis: z}\n"
     "  profile: {type: driver, of: lift, coordinate: displacement,\n"
     "            value: {sum: [{step: {to: bump, start: 0.9, end: 1.0}},\n"
     "                          {step: {to: -bump, start: 1.0, end: 1.1}}]}}\n"
     "  strut: {type: translational, between: [ground, wheel], at: [0, 0, 0.3], axis: z}\n"
     "  guide: {type: translational, between: [wheel, body], at: [0, 0, 0.8], axis: z}\n"
     "\n"
     "forces:                             # preloads carry the weight, so the model starts in "
     "equilibrium\n"
     "  tyre: {type: spring-damper, between: [road, wheel], at: [[0, 0, 0], [0, 0, 0.3]],\n"
     "         stiffness: 200 kN/m, preload: -360*9.81}\n"
     "  spring: {type: spring-damper, between: [wheel, body], at: [[0, 0, 0.3], [0, 0, 0.8]],\n"
     "           stiffness: 20 kN/m, damping: 1.5 kN s/m, preload: -320*9.81}\n"
     "\n"
     "outputs:\n"
     "  comfort: {expression: body.acceleration.z / 9.81}\n"
     "\n"
     "run: {end: 4, every: 5 ms}\n",
     "wheel.position.z body.position.z",
     "The wheel follows the bump; the body moves little more than half as far.", NULL},
    {"catenary", "a pantograph that runs along an overhead contact line",
     "klingel: 1\n"
     "title: Pantograph and catenary\n"
     "\n"
     "parameters:                         # change them here or with --set speed=300km/h\n"
     "  speed: 250 km/h\n"
     "  presag: 30 mm                     # sag of the contact wire at mid-span\n"
     "  tension: 20 kN                    # of the contact wire\n"
     "\n"
     "catenaries:\n"
     "  line:                             # ten spans; dropper lengths are computed\n"
     "    spans: 10\n"
     "    span_length: 60 m\n"
     "    presag: presag\n"
     "    contact_mass: 1.35 kg/m\n"
     "    contact_tension: tension\n"
     "    contact_bending: 195 N m2\n"
     "    messenger_mass: 1.07 kg/m\n"
     "    messenger_tension: 16 kN\n"
     "    messenger_bending: 131.7 N m2\n"
     "    droppers: [5, 10.5, 17, 23.5, 30, 36.5, 43, 49.5, 55]\n"
     "\n"
     "forces:\n"
     "  collector:                        # masses, springs and dampers: head first, base last\n"
     "    type: pantograph\n"
     "    catenary: line\n"
     "    on: ground\n"
     "    from: 10 m\n"
     "    speed: speed\n"
     "    masses: [7.2, 15]\n"
     "    stiffness: [4200, 50]\n"
     "    damping: [10, 90]\n"
     "    uplift: 120 N\n"
     "    ramp_length: 60 m\n"
     "\n"
     "outputs:\n"
     "  contact_force_N: {expression: collector.contact_force}\n"
     "  contact_force_20Hz_N: {expression: contact_force_N, lowpass: 20 Hz}\n"
     "  head_height_m: {expression: collector.head_height}\n"
     "  position_m: {expression: collector.position}\n"
     "\n"
     "run: {end: 530 m/speed, every: 1 ms}\n",
     "contact_force_20Hz_N", "The contact force rises at the supports and falls at mid-span.",
     NULL},
    {"manchester-coach",
     "a passenger coach with two bogies on straight track (Manchester vehicle 1)", NULL,
     "body_y front_y",
     "A gust of wind excites the car body and the motion decays; with `--set speed=100` the "
     "vehicle hunts.",
     "models/manchester-coach.yaml"},
    {"metro-trailer", "a metro trailer car with two bogies in a curve of 200 m radius", NULL,
     "Y_lead_outer Y_trail_inner sum_Y",
     "The outer leading and the inner trailing wheel of each bogie run on their flanges.",
     "models/metro-trailer.yaml"},
    {"light-rail-vehicle", "a light rail vehicle with motor and trailer bogie on a winding line",
     NULL, "Y_lead_left Y_lead_right curvature",
     "The lateral wheel forces follow the curvature of the line.",
     "models/light-rail-vehicle.yaml"},
    {"freight-wagon", "a two-axle freight wagon on leaf springs with friction", NULL,
     "body_y front_y",
     "Friction in the links of the leaf springs holds the wheelsets; with less of it the wagon "
     "hunts earlier.",
     "models/freight-wagon.yaml"},
    {"coach-train", "a train of coaches with buffers and couplers", NULL, "pull_1 speed_first",
     "The brakes act on all cars; the couplings carry the differences between the brake forces.",
     "models/coach-train.yaml"},
    {0}};

const char *kl_starter_text(const kl_starter *s)
{
    const kl_share *file = s->share ? kl_share_find(s->share) : NULL;
    return s->share ? file ? file->text : NULL : s->text;
}
