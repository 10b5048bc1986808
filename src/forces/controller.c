/* Controller: a function of the user, in Lua, between measured quantities and forces.
 *
 *   F = f(x, z, t),   z' = g(x, z, t)
 *
 * x: coordinates and rates of joints and bodies, named inputs; F: forces and torques along such
 * coordinates; z: own states. With row the derivative of a coordinate by marker motion, the wrench
 * of an output is F row', and the tangent follows by the chain rule from differences of f by its
 * few arguments:
 *
 *   K = sum dF/dx row_F' row_x + F D_F,     C = sum dF/dx' row_F' row_x
 *
 * With `every` it is a sampled controller: F is computed at t = 0, every, 2 every, ... and held
 * between. The history holds turns of angles, then the time of the next sample and F. */
#include <math.h>
#include <string.h>

#include "forces/forces.h"
#include "joints/coordinate.h"
#include "model/model.h"
#include "script/lua.h"

enum { MOST_SIGNALS = 48, MOST_STATES = 16, MOST_VALUES = 2 * MOST_SIGNALS + MOST_STATES + 1 };

/* What a quantity belongs to: the axis of a joint or force, two points and the line between them, or
 * a body. `speed` of a spring-damper is the rate of its length, that of a joint is along its axis. */
enum { OF_AXIS = 1, OF_POINTS = 2, OF_BODY = 4 };

/* What `joint.angle` or `body.velocity.x` mean: a coordinate of the pair, its rate, or a turning
 * rate about a global axis, which is the rate of no coordinate. */
typedef struct meaning {
    const char   *what, *unit;
    kl_coordinate c;
    int           of;
    bool          rate, turning; /* turning: about global axis c.a */
    bool          input, output;
    bool          pulls; /* a positive force acts against the coordinate */
} meaning;

static const meaning meanings[] = {
    {"angle", "rad", {KL_ANGLE, 0, 0}, OF_AXIS, .input = true},
    {"angular_speed", "rad/s", {KL_ANGLE, 0, 0}, OF_AXIS, .rate = true, .input = true},
    {"displacement", "m", {KL_DOT2, 2, 0}, OF_AXIS, .input = true},
    {"speed", "m/s", {KL_DOT2, 2, 0}, OF_AXIS, .rate = true, .input = true},
    {"length", "m", {KL_DISTANCE, 0, 0}, OF_AXIS | OF_POINTS, .input = true},
    {"length_rate", "m/s", {KL_DISTANCE, 0, 0}, OF_AXIS | OF_POINTS, .rate = true, .input = true},
    {"speed", "m/s", {KL_DISTANCE, 0, 0}, OF_POINTS, .rate = true, .input = true},
    {"force", "N", {KL_DOT2, 2, 0}, OF_AXIS, .output = true},
    {"torque", "N m", {KL_ANGLE, 0, 0}, OF_AXIS, .output = true},
    {"pull", "N", {KL_DISTANCE, 0, 0}, OF_POINTS, .output = true, .pulls = true},
#define XYZ(name, unit_, kind, ...)                                                                \
    {name ".x", unit_, {kind, 0, 0}, OF_BODY, __VA_ARGS__},                                        \
        {name ".y", unit_, {kind, 1, 0}, OF_BODY, __VA_ARGS__},                                    \
    {                                                                                              \
        name ".z", unit_, {kind, 2, 0}, OF_BODY, __VA_ARGS__                                       \
    }
    XYZ("position", "m", KL_GLOBAL, .input = true),
    XYZ("velocity", "m/s", KL_GLOBAL, .rate = true, .input = true),
    XYZ("omega", "rad/s", KL_GLOBAL, .rate = true, .turning = true, .input = true),
    XYZ("force", "N", KL_GLOBAL, .output = true),
    XYZ("torque", "N m", KL_GLOBAL, .turning = true, .output = true),
};

typedef struct controller {
    kl_signals *inputs, *outputs;
    kl_table   *states;
    kl_code     code;
    double      every; /* [s] between samples; 0: continuous */
    /* derived */
    kl_lua        *lua;
    int            function;
    const meaning *in[MOST_SIGNALS], *out[MOST_SIGNALS];
    int            nin, nout, nz;
    kl_output      list[MOST_VALUES]; /* channels */
} controller;

static bool measures(const kl_element_type *type, const char *word)
{
    for (const kl_output *o = type->outputs; o && o->name; o++)
        if (strcmp(o->name, word) == 0) return true;
    return false;
}

static int owner_of(const kl_setup *s, const kl_signal *one)
{
    if (one->body || one->joint < 0) return OF_BODY;
    const kl_element_type *type = s->model->element[one->joint].type;
    return measures(type, "length") && !measures(type, "displacement") ? OF_POINTS : OF_AXIS;
}

static const meaning *meaning_of(const char *what, int owner, bool output)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(meanings[i].what, what) == 0 && (meanings[i].of & owner) &&
            (output ? meanings[i].output : meanings[i].input))
            return &meanings[i];
    return NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Value and row of a signal; h is the turn of the pair for angles. */
static void signal_eval(const meaning *w, const kl_motion *m, double turn, kl_scalar *out)
{
    if (!w->turning) {
        kl_coordinate_eval(w->c, m, turn, out);
        for (int k = 0; k < 12 && w->pulls; k++) out->row[k] = -out->row[k];
        return;
    }
    memset(out, 0, sizeof *out);
    out->row[3 + w->c.a] = -1.0;
    out->row[9 + w->c.a] = 1.0;
}

/* All arguments of the function: inputs, states, t. Rows of the inputs in `rows` unless NULL. */
static void arguments(const controller *p, const kl_reading *in, double *x, kl_scalar *rows)
{
    for (int i = 0; i < p->nin; i++) {
        const kl_signal *s = &p->inputs->item[i];
        kl_scalar        one;
        if (s->input >= 0) {
            x[i] = in->u[s->input];
            continue;
        }
        signal_eval(p->in[i], in->m + s->marker, in->h[i], &one);
        x[i] = p->in[i]->rate ? kl_scalar_rate(&one, in->m + s->marker) : one.x;
        if (rows) rows[i] = one;
    }
    for (int k = 0; k < p->nz; k++) x[p->nin + k] = in->z[k];
    x[p->nin + p->nz] = in->t;
}

/* Outputs held since the last sample, behind the time of the next. */
static const double *held(const controller *p, const double *h)
{
    return p->every > 0.0 ? h + p->nin + 1 : NULL;
}

/* Outputs and state rates. */
static kl_status controller_values(const controller *p, const kl_reading *in, const double *x,
                                   double *y)
{
    const double *hold = held(p, in->h);
    if (!hold || p->nz > 0) KL_TRY(kl_lua_call(p->lua, p->function, x, y));
    if (hold) memcpy(y, hold, (size_t)p->nout * sizeof *y);
    return KL_OK;
}

static kl_status controller_eval(const kl_reading *in, kl_writing *out)
{
    const controller *p = in->data;
    double            x[MOST_VALUES], y[MOST_VALUES];
    arguments(p, in, x, NULL);
    KL_TRY(controller_values(p, in, x, y));
    for (int o = 0; o < p->nout; o++) {
        const kl_signal *s = &p->outputs->item[o];
        kl_scalar        one;
        signal_eval(p->out[o], in->m + s->marker, 0.0, &one);
        for (int k = 0; k < 12 && out->wrench; k++)
            out->wrench[6 * s->marker + k] += y[o] * one.row[k];
        out->supply += y[o] * kl_scalar_rate(&one, in->m + s->marker);
    }
    for (int k = 0; k < p->nz && out->z_dot; k++) {
        if (!isfinite(y[p->nout + k])) return KL_E_NAN;
        out->z_dot[k] = y[p->nout + k];
    }
    return KL_OK;
}

/* ---- tangent --------------------------------------------------------------------------------- */

/* dy/dx_i by central differences */
static bool slope(const controller *p, double *x, int i, double *dy)
{
    double up[MOST_VALUES], down[MOST_VALUES], keep = x[i], h = 6e-6 * (1e-2 + fabs(keep));
    x[i]    = keep + h;
    bool ok = kl_lua_call(p->lua, p->function, x, up) == KL_OK;
    x[i]    = keep - h;
    ok      = ok && kl_lua_call(p->lua, p->function, x, down) == KL_OK;
    x[i]    = keep;
    for (int k = 0; ok && k < p->nout + p->nz; k++) dy[k] = (up[k] - down[k]) / (2.0 * h);
    for (int k = 0; p->every > 0.0 && k < p->nout; k++) dy[k] = 0.0; /* held */
    return ok;
}

/* M[row0 + i][col0 + j] += s a_i b_j */
static void add(double *M, int wide, int row0, int col0, double s, const double *a, const double *b)
{
    if (s == 0.0) return;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) M[(row0 + i) * wide + col0 + j] += s * a[i] * b[j];
}

static void by_input(const controller *p, const kl_reading *in, int i, const double *dy,
                     const kl_scalar *input, const kl_scalar *output, kl_slopes *out)
{
    const kl_signal *s    = &p->inputs->item[i];
    int              wide = 6 * in->nmarker, col = 6 * s->marker;
    double           turn[12] = {0};
    bool             rate     = p->in[i]->rate;
    if (rate && !p->in[i]->turning) kl_coordinate_rate_slope(p->in[i]->c, in->m + s->marker, turn);
    for (int o = 0; o < p->nout; o++) {
        int row = 6 * p->outputs->item[o].marker;
        add(rate ? out->C : out->K, wide, row, col, dy[o], output[o].row, input->row);
        if (rate) add(out->K, wide, row, col, dy[o], output[o].row, turn);
    }
    for (int k = 0; k < p->nz; k++)
        for (int j = 0; j < 12; j++) {
            double d = dy[p->nout + k];
            (rate ? out->zc : out->zk)[k * wide + col + j] += d * input->row[j];
            if (rate) out->zk[k * wide + col + j] += d * turn[j];
        }
}

/* w = sum_o r_o' y_o(x, z), z' = g(x, z), with the row r_o of the driven coordinate of output o and the
 * measured inputs x:
 *
 *   dw/dq = sum_o y_o dr_o'/dq + r_o' sum_i dy_o/dx_i dx_i/dq,   dw/dz = r_o' dy_o/dz,   dz'/dz = dg/dz
 *
 * dy and dg are differences of the Lua function by one argument each; all rows are exact. */
static void controller_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const controller *p = in->data;
    double            x[MOST_VALUES], y[MOST_VALUES], dy[MOST_VALUES];
    kl_scalar         input[MOST_SIGNALS], output[MOST_SIGNALS];
    int               wide = 6 * in->nmarker;
    arguments(p, in, x, input);
    if (controller_values(p, in, x, y) != KL_OK) return;
    for (int o = 0; o < p->nout; o++) {
        int    at     = 6 * p->outputs->item[o].marker;
        double D[144] = {0};
        signal_eval(p->out[o], in->m + p->outputs->item[o].marker, 0.0, &output[o]);
        if (!p->out[o]->turning)
            kl_coordinate_curvature(p->out[o]->c, in->m + p->outputs->item[o].marker,
                                    p->out[o]->pulls ? -y[o] : y[o], D);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) out->K[(at + i) * wide + at + j] += D[12 * i + j];
    }
    for (int i = 0; i < p->nin; i++)
        if (p->inputs->item[i].input < 0 && slope(p, x, i, dy))
            by_input(p, in, i, dy, &input[i], output, out);
    for (int k = 0; k < p->nz; k++) {
        if (!slope(p, x, p->nin + k, dy)) continue;
        for (int o = 0; o < p->nout; o++)
            for (int j = 0; j < 12; j++)
                out->wz[(6 * p->outputs->item[o].marker + j) * p->nz + k] +=
                    dy[o] * output[o].row[j];
        for (int l = 0; l < p->nz; l++) out->zz[l * p->nz + k] += dy[p->nout + l];
    }
}

/* ---- history and channels -------------------------------------------------------------------- */

/* Outputs now, held until the next multiple of `every`. */
static void take_sample(const controller *p, const kl_reading *in, double *h)
{
    double x[MOST_VALUES], y[MOST_VALUES];
    arguments(p, in, x, NULL);
    if (kl_lua_call(p->lua, p->function, x, y) != KL_OK) return;
    memcpy(h + p->nin + 1, y, (size_t)p->nout * sizeof *y);
    h[p->nin] = (floor(in->t / p->every * (1.0 + 1e-12)) + 1.0) * p->every;
}

static void controller_commit(const kl_reading *in, double *h_new)
{
    const controller *p = in->data;
    for (int i = 0; i < p->nin; i++) {
        const kl_signal *s = &p->inputs->item[i];
        kl_scalar        one;
        if (s->input >= 0 || p->in[i]->c.kind != KL_ANGLE) continue;
        signal_eval(p->in[i], in->m + s->marker, in->h[i], &one);
        h_new[i] = one.turn;
    }
    if (p->every > 0.0 && in->t >= h_new[p->nin]) take_sample(p, in, h_new);
}

/* The next sample: forces jump there. */
static void controller_crossings(const kl_reading *in, kl_crossing *out)
{
    const controller *p = in->data;
    out[0]              = (kl_crossing){.value = in->h[p->nin] - in->t,
                                        .rate  = -1.0,
                                        .unit  = KL_CROSSING_S,
                                        .kind  = KL_CROSSING_JUMP};
}

static void controller_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const controller *p = in->data;
    double            x[MOST_VALUES], y[MOST_VALUES];
    arguments(p, in, x, NULL);
    (void)controller_values(p, in, x, y);
    for (int o = 0; o < p->nout; o++) values[o] = y[o];
    for (int i = 0; i < p->nin + p->nz; i++) values[p->nout + i] = x[i];
}

static const kl_output *controller_describe(const void *data)
{
    return ((const controller *)data)->list;
}

/* ---- setup ----------------------------------------------------------------------------------- */

/* What a joint holds neither moves nor takes a force. */
static kl_status moves(const kl_setup *s, const kl_signal *one, const meaning *w)
{
    if (one->joint < 0) return KL_OK;
    const kl_element *j    = &s->model->element[one->joint];
    const char       *word = w->c.kind == KL_ANGLE      ? "angle"
                             : w->c.kind == KL_DISTANCE ? "distance"
                                                        : "displacement";
    if (!j->type->holds || !strstr(j->type->holds, word)) return KL_OK;
    return kl_fail(s->diag, KL_E_MODEL, one->place,
                   "force '%s': '%s' is always zero or without effect, because the %s '%s' "
                   "constrains its %s%s",
                   s->name, one->text, j->type->name, j->name, word,
                   strcmp(word, "angle") ? strstr(j->type->holds, "angle")
                                               ? ""
                                               : "; use angle, angular_speed or torque"
                                         : "; use displacement, speed or force");
}

/* The quantities that an owner has, as a message lists them. */
static const char *choices_of(int owner, bool output)
{
    if (owner == OF_BODY)
        return output ? "force.x, torque.z, ..." : "position.x, velocity.y, omega.z, ...";
    if (owner == OF_POINTS)
        return output ? "pull (positive pulls the points together)" : "length or speed";
    return output ? "force or torque"
                  : "angle, angular_speed, displacement, speed, length or length_rate";
}

static kl_status no_quantity(const kl_setup *s, const kl_signal *one, int owner, bool output)
{
    static const char *const measured[] = {
        "angle", "angular_speed", "displacement", "speed", "length", "length_rate", NULL};
    const char *near  = owner != OF_AXIS || output ? NULL : kl_nearest(one->what, measured);
    const char *which = owner == OF_BODY ? "body" : s->model->element[one->joint].type->name;
    return kl_fail(s->diag, KL_E_NAME, one->place,
                   "force '%s': %s '%s': the %s '%.*s' has no quantity `%s`; %s%s%sgive %s",
                   s->name, output ? "output" : "input", one->name, which,
                   (int)(one->what - one->text) - 1, one->text, one->what,
                   near ? "did you mean `" : "", near ? near : "", near ? "`? Otherwise " : "",
                   choices_of(owner, output));
}

static kl_status find_meanings(const kl_setup *s, const kl_signals *signals, bool output,
                               const meaning **out)
{
    kl_status status = KL_OK;
    for (int i = 0; i < signals->n; i++) {
        const kl_signal *one = &signals->item[i];
        out[i]               = NULL;
        if (one->input >= 0 && output)
            status = kl_fail(s->diag, KL_E_NAME, one->place,
                             "force '%s': output '%s': '%s' is an input, which is set from outside "
                             "the model; name a force or torque, such as hinge.torque",
                             s->name, one->name, one->text);
        if (one->input >= 0) continue;
        int owner = owner_of(s, one);
        out[i]    = meaning_of(one->what, owner, output);
        if (!out[i]) status = no_quantity(s, one, owner, output);
    }
    for (int i = 0; i < signals->n && status == KL_OK; i++)
        if (out[i]) status = moves(s, &signals->item[i], out[i]);
    return status;
}

/* One name represents one thing among inputs, states, outputs and t. */
static kl_status check_unique_names(const kl_setup *s, const char *const *argument,
                                    const char *const *result)
{
    const char *all[2 * MOST_VALUES + 2];
    int         n = 0;
    while (*argument) all[n++] = *argument++;
    while (*result) all[n++] = *result++;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(all[i], all[k]) == 0)
                return kl_fail(s->diag, KL_E_NAME, s->place,
                               "force '%s': the name '%s' occurs twice among its inputs, states, "
                               "outputs and t; rename one",
                               s->name, all[i]);
    return KL_OK;
}

static kl_status compile(controller *p, const kl_setup *s)
{
    const char *argument[MOST_VALUES + 1], *result[MOST_VALUES + 1];
    int         n = 0, k = 0;
    for (int i = 0; i < p->nin; i++) argument[n++] = p->inputs->item[i].name;
    for (int i = 0; i < p->nz; i++) argument[n++] = p->states->name[i];
    argument[n++] = "t";
    argument[n]   = NULL;
    for (int i = 0; i < p->nout; i++) result[k++] = p->outputs->item[i].name;
    for (int i = 0; i < p->nz; i++)
        result[k++] = kl_arena_format(s->arena, "%s_dot", p->states->name[i]);
    result[k] = NULL;
    KL_TRY(check_unique_names(s, argument, result));
    kl_lua_code c = {.text     = p->code.text,
                     .object   = kl_arena_format(s->arena, "force '%s'", s->name),
                     .place    = p->code.place,
                     .argument = argument,
                     .result   = result,
                     .constant = p->code.constant,
                     .value    = p->code.value};
    p->lua        = s->lua;
    p->function   = kl_lua_compile(s->lua, &c, s->diag);
    return p->function < 0 ? KL_E_MODEL : KL_OK;
}

static void list_channels(controller *p)
{
    int n = 0;
    for (int i = 0; i < p->nout; i++)
        p->list[n++] = (kl_output){p->outputs->item[i].name, p->out[i]->unit, "output"};
    for (int i = 0; i < p->nin; i++)
        p->list[n++] =
            (kl_output){p->inputs->item[i].name, p->in[i] ? p->in[i]->unit : "1", "input"};
    for (int i = 0; i < p->nz; i++) p->list[n++] = (kl_output){p->states->name[i], "1", "state"};
}

static kl_status controller_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                                  kl_element_size *size)
{
    (void)m, (void)nmarker;
    controller *p = data;
    p->nin        = p->inputs->n;
    p->nout       = p->outputs->n;
    p->nz         = p->states->n;
    if (p->nin > MOST_SIGNALS || p->nout > MOST_SIGNALS || p->nz > MOST_STATES)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "force '%s': at most %d inputs, %d outputs and %d states", s->name,
                       MOST_SIGNALS, MOST_SIGNALS, MOST_STATES);
    KL_TRY(find_meanings(s, p->inputs, false, p->in));
    KL_TRY(find_meanings(s, p->outputs, true, p->out));
    KL_TRY(compile(p, s));
    list_channels(p);
    size->nz = p->nz;
    size->nh = p->nin + (p->every > 0.0 ? 1 + p->nout : 0);
    if (p->every > 0.0) size->nevent = 1;
    return KL_OK;
}

/* History: the angles that it measures, to the turn. */
static kl_status controller_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    const controller *p = in->data;
    double            x[MOST_VALUES], y[MOST_VALUES];
    for (int i = 0; i < p->nin; i++) {
        int joint = p->inputs->item[i].joint;
        out->h[i] = joint >= 0 ? s->model->element[joint].turn : 0.0;
    }
    memcpy(out->z, p->states->value, (size_t)p->nz * sizeof *out->z);

    /* tried once in the initial position, so that what never works is reported before anything runs */
    kl_reading at = *in;
    at.z = out->z, at.h = out->h;
    arguments(p, &at, x, NULL);
    if (kl_lua_call(p->lua, p->function, x, y) == KL_OK) {
        if (p->every > 0.0) take_sample(p, &at, out->h);
        return KL_OK;
    }
    return kl_fail(s->diag, KL_E_MODEL, KL_NOWHERE, "%s", kl_lua_failure(p->lua));
}

static const kl_key controller_keys[] = {
    {.name     = "inputs",
     .kind     = KL_KEY_SIGNALS,
     .offset   = offsetof(controller, inputs),
     .fallback = "{}",
     .help =
         "measured quantities by name: {x: guide.displacement, w: rotor.omega.z, u: input.set}; of "
         "a spring-damper: length and speed, the rate of its length"},
    {.name   = "outputs",
     .kind   = KL_KEY_SIGNALS,
     .offset = offsetof(controller, outputs),
     .help   = "forces and torques that it sets, by name: {F: guide.force, T: hinge.torque, lift: "
               "car.force.z, P: cylinder.pull}; a positive pull pulls two points together"},
    {.name     = "states",
     .kind     = KL_KEY_TABLE,
     .offset   = offsetof(controller, states),
     .fallback = "{}",
     .help     = "states with their initial values: {e: 0}; the Lua text sets e_dot"},
    {.name   = "lua",
     .kind   = KL_KEY_CODE,
     .offset = offsetof(controller, code),
     .help   = "Lua text that assigns every output, and NAME_dot of every state; t is the time"},
    {.name     = "every",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(controller, every),
     .unit     = "s",
     .fallback = "0",
     .max      = 1e300,
     .help = "time between samples of a digital controller, which holds its outputs between them "
             "(default: continuous)"},
    {0}};

const kl_element_type kl_controller = {
    .name     = "controller",
    .help     = "controller in Lua: computes forces from measured quantities, with its own states",
    .equation = "F = f(x, z, t), z' = g(x, z, t)",
    .example =
        "servo: {type: controller, inputs: {x: hinge.angle, v: hinge.angular_speed}, "
        "outputs: {T: hinge.torque}, states: {e: 0}, lua: \"T = -5*x - v - 2*e; e_dot = x\"}",
    .keys      = controller_keys,
    .attach    = &kl_attach_signals,
    .data_size = sizeof(controller),
    .setup     = controller_setup,
    .start     = controller_start,
    .eval      = controller_eval,
    .tangent   = controller_tangent,
    .crossings = controller_crossings,
    .commit    = controller_commit,
    .switching =
        "give the controller `every: 1 ms`, the time between its samples, or let its output "
        "change over a small range of its inputs instead of at once",
    .describe = controller_describe,
    .output   = controller_output};
