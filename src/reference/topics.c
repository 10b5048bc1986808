/* Sections and topics of the reference that are prose. Everything said here is tried by the tests:
 * blocks between ```yaml lines are read as models where they begin with `klingel:`. */
#include "reference/reference.h"

const kl_topic kl_topics[] = {
    {"parameters", "section", "named numbers and words for use in all other sections",
     "    parameters: {L: 276 mm, m: 1.377 kg, speed: 70 km/h, ratio: 2/3, side: left}\n"
     "\n"
     "A parameter is a number with or without a unit, an expression of the parameters before it, "
     "or\n"
     "a word. `--set L=300mm` on the command line changes one without editing the file.\n"},
    {"include", "section", "other files whose sections are included",
     "    include: [profiles.yaml, bogie/suspension.yaml]\n"
     "\n"
     "File names are relative to the folder of the including file. A file that several others\n"
     "include is read once; a file must not include itself. A parameter, `run` key or\n"
     "`title` of the including file takes precedence over the included one.\n"
     "`klingel:vehicles/coach.yaml` and `klingel:vehicles/running-gear.yaml` are files of the\n"
     "program: templates of rail vehicles and their parts.\n"},
    {"templates", "section", "assemblies that are defined once and used several times with `parts`",
     "    templates:\n"
     "      bogie:\n"
     "        parameters: {wheelbase: 2.56 m, car: none}      # defaults; a part may give others\n"
     "        bodies: {frame: {mass: 2615, inertia: [1722, 1476, 3067]}}\n"
     "        forces: ...\n"
     "\n"
     "A template contains parameters, inputs, bodies, joints, forces, outputs, parts and named "
     "resources\n"
     "such as tracks. Points and directions are in the axes of the template. A name is searched "
     "first\n"
     "in the template, then outside.\n"},
    {"parts", "section", "instances of templates: position, orientation, mirror image, parameters",
     "    parts:\n"
     "      front: {template: bogie, at: [9.5, 0, 0], parameters: {wheelbase: 2.4 m}}\n"
     "      rear: {like: front, at: [-9.5, 0, 0], orientation: {axis: z, angle: 180 deg}}\n"
     "      right: {template: arm, mirror: y}                 # y changes its sign\n"
     "\n"
     "Names become `front.frame`. A word parameter may name a body outside: `parameters: {car: "
     "body}`.\n"
     "`--set front.wheelbase=2.5m` changes one part. A mirrored part is a complete\n"
     "mirror image; the angle of its cylindrical and screw joints has the opposite sign.\n"},
    {"gravity", "section", "acceleration of gravity (default: [0, 0, -9.81] m/s2)",
     "    gravity: [0, 0, -9.81]     # a vector, m/s2\n"
     "    gravity: 1.62              # a number points down, against z\n"},
    {"inputs", "section", "named numbers set from outside: C library, coupling",
     "    inputs:\n"
     "      throttle: {unit: N m, value: 0.5}     # initial value, default 0\n"
     "\n"
     "Wherever a function is allowed, `{input: throttle}` has this value; a controller reads it "
     "as\n"
     "`input.throttle`, and it is recorded under this name.\n"},
    {"bodies", "section", "bodies of the model: names, each with its keys",
     "    bodies:\n"
     "      crank: {mass: 2 kg, inertia: [0.01, 0.02, 0.02], position: [0.1, 0, 0]}\n"
     "      rod: {like: crank, mass: 3 kg}                # as crank, with another mass\n"
     "      bob: {type: point, mass: 1 kg}\n"
     "\n"
     "The default `type` is rigid. `ground` is the fixed body and need not be listed. A body\n"
     "can define frames under `markers`, in its own axes: `markers: {pin: {at: [0.1, 0, 0], axis: "
     "y}}`;\n"
     "joints and forces then write `crank.pin`. On a flexible body `on: left` names the marker of "
     "the body\n"
     "file to which it is fixed; the default is the nearest marker.\n"
     "A rigid body that spins fast (wheelset, rotor) has `spin_axis: y`; its markers rotate with "
     "it unless\n"
     "they have `spins: false`. `ground.origin` is the origin of the model's axes.\n"
     "\n"
     "Initial values are guesses; assembly changes them by the smallest amount that closes the "
     "joints.\n"
     "`fixed: [position, orientation]` keeps them unchanged.\n"},
    {"outputs", "section", "further channels: points of bodies, arithmetic over channels",
     "    outputs:\n"
     "      tip: {of: crank, point: [0.2, 0, 0], quantity: position.x}     # point in the body\n"
     "      pin_v: {of: crank.pin, quantity: velocity.x}                   # a marker of it\n"
     "      fold: {expression: hinge.angle - pivot.angle, limit: 30 deg, rule: drawing 7}\n"
     "\n"
     "A `limit` is the largest allowed absolute value; the report checks it and names the `rule`.\n"
     "`lowpass: 20 Hz` beside an expression that names an output above filters that output when "
     "the run\n"
     "has ended (Butterworth filter of order 6, forwards and backwards, without phase shift).\n"
     "Quantities of a point: position, displacement, velocity, acceleration, omega, alpha,\n"
     "accelerometer (its reading: acceleration minus gravity, in body axes), body_velocity and\n"
     "body_acceleration (without gravity, in body axes), each with .x, .y or .z. Every body, joint "
     "and force also has standard channels (`klingel help NAME`),\n"
     "and the system has energy.kinetic, .potential, .total, .lost, .supplied, .balance and\n"
     "drift.position, .rotation, .rate.\n"},
    {"run", "section", "simulated time and output interval", "    run: {end: 5, every: 10 ms}\n"},
    {"integrator", "section", "integrator, tolerance and step size",
     "    integrator: {tolerance: 1e-8}          # adaptive step\n"
     "    integrator: {step: 1 ms}               # fixed step\n"},
    {"units", "topic", "numbers with units; list of units",
     "Write a unit directly after a number: `1.22 MN/m`, `70 km/h`, `12 mm`, `90 deg`, `15 kN "
     "s/m`.\n"
     "A unit is the longest chain of unit symbols; a space multiplies, `/` divides by the next "
     "symbol, a\n"
     "power follows its symbol: m2, m^2, s^-1, m^1.5. A number without a unit is in the SI unit\n"
     "of its key.\n"
     "\n"
     "Every key has a dimension, and a unit of another dimension is an error. Angle is a "
     "dimension: Hz is\n"
     "not rad/s, and N m (a torque) differs from N m/rad (a stiffness).\n"
     "\n"
     "    m g s rad deg rev N Pa J W Hz K A V t min h % bar rpm     and more, with the usual "
     "prefixes\n"},
    {"expressions", "topic", "expressions can be used for every number",
     "    2*pi*r, -L/2, m*(a^2 + b^2)/12, if(n > 3, 1 mm, 2 mm)\n"
     "\n"
     "Operators + - * / ^ and parentheses; < <= > >= == !=, and, or, not give 1 or 0. Functions: "
     "min\n"
     "max abs sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh floor ceil round "
     "mod\n"
     "hypot sign step if unwrap. Constants pi and tau. Write `*` for products; a word is a "
     "parameter.\n"
     "A ratio of two numbers may be written with a colon: the inclination 1:40 is 1/40. Quote an\n"
     "expression that contains a comma: \"max(a, b)\". Adding a bare number to one with a unit is\n"
     "an error. A parameter that is a word can be compared: if(drive == electric, 2 kN, 0 N).\n"
     "\n"
     "An optional key accepts the word `none`, which means that it is not given. Templates use it "
     "to\n"
     "pass on a choice: `track: \"{track}\"` with the parameter `track: none`.\n"},
    {"functions", "topic", "functions of time, of a displacement or of an input",
     "    value: 3 N m                                            constant\n"
     "    value: {polynomial: [0, 2 rad/s]}                       c0 + c1 x + c2 x^2 ...\n"
     "    value: {harmonic: {amplitude: 5 mm, frequency: 2 Hz}}   offset, phase, omega too\n"
     "    value: {table: [[0, 0], [1, 2], [3, 2]]}                smooth curve through points\n"
     "    value: {linear_table: [[0, 0], [1, 2]]}                 straight lines\n"
     "    value: {table: {file: roof.csv, column: roof_z}}        a column over the first one; SI "
     "units\n"
     "    value: {table: {file: coach.h5, column: roof_z}}        a channel of another run over "
     "time\n"
     "    value: {step: {from: 0, to: 1, start: 1, end: 2}}       smooth, C2\n"
     "    value: {expression: \"2*t + 0.1*sin(3*t)\"}              of t (of x over a "
     "displacement)\n"
     "    value: {lua: \"t < 1 and 0 or 5*(t - 1)\"}               Lua; see `klingel help lua`\n"
     "    value: {input: throttle}                                a named input\n"
     "    value: {sum: [1, {input: throttle}]}                    any of these, added\n\n"
     "Outside its points a table over time keeps its end value. A table over a displacement or\n"
     "velocity (a characteristic) is monotone between its points and is extrapolated with the "
     "slope\n"
     "of its last two points.\n"},
    {"orientation", "topic", "orientation of a body or marker",
     "    orientation: {axis: z, angle: 90 deg}\n"
     "    orientation: {quaternion: [1, 0, 0, 0]}            scalar first\n"
     "    orientation: {euler: [10 deg, 20 deg, 0]}          about z, x, z of the turned body\n"
     "    orientation: {cardan: [10 deg, 20 deg, 0]}         about x, y, z of the turned body\n"
     "    orientation: {x: [1, 1, 0], y: [0, 1, 0]}          x along the first, y in their "
     "plane\n"},
    {"for", "topic", "several entries from one, with a loop variable",
     "    bodies:\n"
     "      \"link{i}\": {for: {i: 1..n}, mass: 1 kg, position: [i*L, 0, 0]}\n"
     "      \"wheel-{side}\": {for: {side: [left, right]}, mass: 20 kg}\n"
     "\n"
     "A name contains {variable} or any whole-number expression of it: `between: [\"link{i}\",\n"
     "\"link{i+1}\"]`. Several variables give all combinations.\n"},
    {"when", "topic", "optional entries of a model",
     "    parameters: {sprung: true, drive: electric, n: 4}\n"
     "    forces:\n"
     "      spring: {type: ..., when: sprung}\n"
     "      motor: {type: ..., when: drive == electric}\n"
     "      fifth: {type: ..., when: n > 4}\n"},
    {"lua", "topic", "functions and controllers in Lua 5.4, in a sandbox",
     "    value: {lua: \"t < 1 and 0 or 5*(t - 1)\"}           of t, or of x over a displacement\n"
     "    value: {lua: \"if t < 1 then return 0 end return k*(t - 1)\"}\n"
     "\n"
     "and the force `controller`, which measures, sets forces and has its own states. A function "
     "can use\n"
     "its inputs, parameters that are numbers (in SI), `t`, and `math` without random; its members "
     "also\n"
     "by their bare names. Variables are `local`; no value is kept between calls. There is no\n"
     "string library, pcall, load, coroutine, metatable or file. A call may take 1 000 000 "
     "instructions,\n"
     "all functions of a model 8 MB.\n"},
    {"markers", "topic", "named points and axes of a body",
     "    bodies:\n"
     "      arm: {mass: 2 kg, inertia: [1, 1, 1], markers: {tip: {at: [0.5, 0, 0], axis: y}}}\n"
     "    joints:\n"
     "      hinge: {type: revolute, between: [ground, arm.tip]}\n"
     "\n"
     "`at`, `axis` and `x_axis` (or `orientation`) of a marker are in the axes of the body, from "
     "its\n"
     "reference point. Joints, forces and outputs name it as `arm.tip`. An `axis` of the joint or\n"
     "force, in global axes, replaces the axis of the marker.\n"},
    {"study", "topic", "a study.yaml: parameters and results of `klingel sweep`",
     "    model: lift.yaml\n"
     "    parameters:\n"
     "      load: [100 kg, 200 kg, 300 kg]                 a list, or\n"
     "      L: {from: 1 m, to: 2 m, count: 11}             a range\n"
     "    results:\n"
     "      highest: {of: deck.position.z, take: max}      a channel and its value\n"
     "    end: 5                                           optional: simulated time\n"
     "    keep: runs/{L}-{load}.h5                         optional: keep the results files\n"
     "\n"
     "`take` is min, max, mean, rms, last or amplitude; with `analysis: modes` growth, frequency "
     "or\n"
     "damping. `analysis` is run (default), modes, statics or assess. `method` is grid (default: "
     "all\n"
     "combinations), list, random or latin-hypercube with `samples` and `seed`. `set` gives "
     "values\n"
     "that are the same in all runs. `klingel sweep study.yaml` writes study.csv.\n"
     "\n"
     "`keep` is the name of the results file of each run: {L} is the value of the parameter `L`,\n"
     "{run} the number of the run. A folder has the files run-1.h5, run-2.h5, ... A run whose "
     "file\n"
     "is there already is not computed again (`--fresh` computes all).\n"},
    {"like", "topic", "an entry that copies another one except for some keys",
     "    bodies:\n"
     "      front: {mass: 10 kg, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
     "      rear: {like: front, position: [-1, 0, 0]}\n"},
    {0}};
