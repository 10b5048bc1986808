/* Driver: a coordinate of a marker pair follows a function of time, x = f(t).
 *
 *   Phi = x - f(t),   Phi_t = -f',   Phi'' = row V' + bias - f''
 *
 * Coordinates: angle about the axis (counting turns), displacement along it, x, y, z along the axes
 * of the first marker, or the distance of the two points. */
#include <math.h>
#include <string.h>

#include "joints/coordinate.h"
#include "joints/joints.h"
#include "model/model.h"
#include "script/function.h"

typedef struct driver {
    int          coordinate;
    kl_function *value;
} driver;

/* in the order of the words of the key */
static const kl_coordinate coordinates[] = {{KL_ANGLE, 0, 0}, {KL_DOT2, 2, 0}, {KL_DOT2, 0, 0},
                                            {KL_DOT2, 1, 0},  {KL_DOT2, 2, 0}, {KL_DISTANCE, 0, 0}};

static double driver_turn(const void *data, const double *u)
{
    const driver *p = data;
    double        f[3];
    if (coordinates[p->coordinate].kind != KL_ANGLE || !p->value) return NAN;
    kl_function_eval(p->value, 0.0, u, f);
    return f[0];
}

/* No machine can follow a jump: a jump of the value is an error, a jump of its rate a warning. */
static kl_status check_corners(const driver *p, const kl_setup *s)
{
    double at[64], before[3], after[3];
    int    n = kl_function_corners(p->value, at, 64), warnings = 0;
    double end = s->model->settings.end;
    for (int i = 0; i < n && n <= 64; i++) {
        if (at[i] <= 0.0 || at[i] >= end) continue;
        kl_function_eval(p->value, nextafter(at[i], -HUGE_VAL), s->u, before);
        kl_function_eval(p->value, nextafter(at[i], HUGE_VAL), s->u, after);
        double jump = after[0] - before[0], kick = after[1] - before[1];
        /* between the two times the steeper side may well have moved it */
        double moved = 4e-16 * fabs(at[i]) * (fabs(before[1]) + fabs(after[1]));
        double size  = 1e-9 * (1.0 + fabs(before[0]) + fabs(after[0])) + 4.0 * moved;
        if (fabs(jump) > size)
            return kl_fail(
                s->diag, KL_E_MODEL, s->place,
                "joint '%s': its value jumps by %.6g at t = %.6g s, so the velocity would be "
                "infinite; let the value change over a time interval, for example with `step`",
                s->name, jump, at[i]);
        if (fabs(kick) <= 1e-9 * (1.0 + fabs(before[1]) + fabs(after[1])) || warnings++ > 0)
            continue;
        bool last = i == n - 1;
        kl_warn(s->diag, s->place,
                "joint '%s': its speed jumps from %.6g to %.6g at t = %.6g s%s; this is an impact, "
                "whose energy is not part of the energy balance; %s",
                s->name, before[1], after[1], at[i],
                last ? ", where the table ends and its last value is held while the run continues"
                     : "",
                last ? "use a `step`, which comes to rest, or end the run there"
                     : "use a smooth `table` instead of `linear_table`, or a `step`");
    }
    return KL_OK;
}

static double value_at(const driver *p, const double *u, double t)
{
    double f[3];
    kl_function_eval(p->value, t, u, f);
    return f[0];
}

/* Jumps that no corner announces (floor of an expression, a branch in Lua): where the value moves
 * further between two samples than the smaller of its rates explains (the other may be a difference
 * across the jump itself), the interval is halved as long as the change stays in one half. */
static kl_status check_jumps(const driver *p, const kl_setup *s)
{
    enum { SAMPLES = 500, HALVES = 40 };
    double end = s->model->settings.end, before[3], after[3];
    if (!(end > 0.0 && isfinite(end))) return KL_OK;
    kl_function_eval(p->value, 0.0, s->u, before);
    for (int i = 1; i <= SAMPLES; i++, memcpy(before, after, sizeof before)) {
        double low = end * (i - 1) / SAMPLES, high = end * i / SAMPLES;
        kl_function_eval(p->value, high, s->u, after);
        double change = fabs(after[0] - before[0]), rate = fmin(fabs(before[1]), fabs(after[1]));
        if (!(change > 4.0 * (high - low) * rate + 1e-9 * (1.0 + fabs(after[0])))) continue;
        double f_low = before[0], f_high = after[0];
        for (int k = 0; k < HALVES && fabs(f_high - f_low) > 0.3 * change; k++) {
            double middle = 0.5 * (low + high), f = value_at(p, s->u, middle);
            if (fabs(f - f_low) > fabs(f_high - f)) high = middle, f_high = f;
            else low = middle, f_low = f;
        }
        if (fabs(f_high - f_low) > 0.3 * change)
            return kl_fail(
                s->diag, KL_E_MODEL, s->place,
                "joint '%s': its value jumps by %.6g at t = %.6g s, so the velocity would be "
                "infinite; let the value change over a time interval, for example with `step`",
                s->name, f_high - f_low, high);
    }
    return KL_OK;
}

static kl_status driver_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                              kl_element_size *size)
{
    (void)m, (void)nmarker;
    size->nphi = 1;
    size->nh   = 1;
    KL_TRY(check_corners(data, s));
    return check_jumps(data, s);
}

static kl_status driver_eval(const kl_reading *in, kl_writing *out)
{
    const driver *p = in->data;
    kl_scalar     x;
    double        f[3];
    kl_coordinate_eval(coordinates[p->coordinate], in->m, in->h[0], &x);
    kl_function_eval(p->value, in->t, in->u, f);
    out->phi[0]   = x.x - f[0];
    out->phi_t[0] = -f[1];
    memcpy(out->rows, x.row, sizeof x.row);
    if (out->bias) out->bias[0] = x.bias - f[2];
    return KL_OK;
}

/* Constraint forces w = -Phi_q' lambda change with the position at fixed lambda: dw/dq = -lambda dPhi_q'/dq. */
static void driver_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    const driver *p = in->data;
    kl_coordinate_curvature(coordinates[p->coordinate], in->m, -lambda[0], out->K);
}

static void driver_commit(const kl_reading *in, double *h_new)
{
    const driver *p = in->data;
    kl_scalar     x;
    kl_coordinate_eval(coordinates[p->coordinate], in->m, in->h[0], &x);
    h_new[0] = x.turn;
}

static void driver_output(const kl_reading *in, const double *lambda, double *values)
{
    const driver *p = in->data;
    kl_scalar     x;
    double        f[3];
    kl_coordinate_eval(coordinates[p->coordinate], in->m, in->h[0], &x);
    kl_function_eval(p->value, in->t, in->u, f);
    values[0] = x.x;
    values[1] = -lambda[0];
    values[2] = -lambda[0] * f[1]; /* effort times rate: what the drive feeds in */
}

static const kl_key driver_keys[] = {{.name     = "coordinate",
                                      .kind     = KL_KEY_WORD,
                                      .offset   = offsetof(driver, coordinate),
                                      .words    = "angle displacement x y z distance",
                                      .fallback = "angle",
                                      .help     = "coordinate that is driven"},
                                     {.name   = "value",
                                      .kind   = KL_KEY_FUNCTION,
                                      .offset = offsetof(driver, value),
                                      .unit   = "coordinate?rad|m|m|m|m|m",
                                      .help   = "the coordinate as a function of time"},
                                     {0}};

static const kl_output driver_outputs[] = {
    {"value", "coordinate?rad|m|m|m|m|m", "driven coordinate"},
    {"effort", "coordinate?N m|N|N|N|N|N", "driving force or torque along the coordinate"},
    {"power", "W", "power supplied by the driver"},
    {0}};

const kl_element_type kl_driver = {
    .name     = "driver",
    .help     = "prescribes a joint or body coordinate as a function of time",
    .equation = "x = f(t)",
    .example =
        "motor: {type: driver, of: hinge, coordinate: angle, value: {polynomial: [0, 10 rad/s]}}",
    .keys            = driver_keys,
    .outputs         = driver_outputs,
    .attach          = &kl_attach_joint,
    .axial           = "coordinate",
    .data_size       = sizeof(driver),
    .turn            = driver_turn,
    .only_constrains = true,
    .setup           = driver_setup,
    .start           = kl_coordinate_start,
    .eval            = driver_eval,
    .tangent         = driver_tangent,
    .commit          = driver_commit,
    .output          = driver_output};
