/* Series spring-damper (Maxwell element) between two points, with a parallel spring if wanted.
 *
 *   f = k_p (l - l0) + f_s,   f_s = k (l - l0 - z),   c z' + F(z') = f_s,   wrench = -row' f
 *
 * z is the length of the damper: a first-order state. F is the tabulated force of a hydraulic damper over its
 * speed, which must rise, so that the force of the spring determines the speed. Stored: k_p (l-l0)^2/2 + f_s^2/(2 k);
 * lost: f_s z'. */
#include <math.h>

#include "forces/forces.h"
#include "joints/coordinate.h"
#include "model/model.h"
#include "script/function.h"

typedef struct series_spring_damper {
    double       k, c, parallel, l0;
    kl_function *damper; /* F; NULL: c */
} series_spring_damper;

static const kl_coordinate by_distance = {KL_DISTANCE, 0, 0};

/* Force of the damper at speed v, and its slope. */
static double force_of(const series_spring_damper *p, double v, const double *u, double *slope)
{
    double y[3], c = isnan(p->c) ? 0.0 : p->c;
    kl_function_eval(p->damper, v, u, y);
    *slope = c + y[1];
    return c * v + y[0];
}

/* Does F rise with the speed everywhere, and is it zero at rest? Looked at from 1e-6 to 100 m/s both ways. */
static kl_status check_rising(const series_spring_damper *p, const kl_setup *s)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        double slope, last = 0.0, from = 0.0, rest = force_of(p, 0.0, s->u, &slope);
        if (rest != 0.0)
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "force '%s': the `damper` characteristic gives %.4g N at rest; it must "
                           "be 0 there",
                           s->name, rest);
        for (double v = 1e-6; v < 100.0; v *= 1.1) {
            double f = sign * force_of(p, sign * v, s->u, &slope);
            if (!(f > last))
                return kl_fail(s->diag, KL_E_RANGE, s->place,
                               "force '%s': the `damper` characteristic does not rise from %.4g to "
                               "%.4g m/s; in series with a spring it must, because its force "
                               "determines its speed",
                               s->name, sign * from, sign * v);
            last = f, from = v;
        }
    }
    return KL_OK;
}

/* Speed of the damper under the force f, and its slope dz'/df: Newton's method between two bounds. */
static double speed_of(const series_spring_damper *p, double f, const double *u, double *slope)
{
    *slope = p->damper ? 0.0 : 1.0 / p->c;
    if (!p->damper) return f / p->c;
    double far = 1e-3, sign = f < 0.0 ? -1.0 : 1.0, low = 0.0, rise;
    for (int i = 0; i < 60; i++, low = far, far *= 4.0)
        if (sign * force_of(p, sign * far, u, &rise) >= fabs(f)) break;
    double v = 0.5 * (low + far);
    for (int i = 0; i < 200; i++) {
        double over = sign * force_of(p, sign * v, u, &rise) - fabs(f);
        if (over > 0.0) far = v;
        else low = v;
        double next = rise > 0.0 ? v - over / rise : low;
        if (!(next >= low && next <= far)) next = 0.5 * (low + far);
        bool done = fabs(next - v) <= 1e-14 * far;
        v         = next;
        if (done) break;
    }
    (void)force_of(p, sign * v, u, &rise);
    *slope = 1.0 / rise;
    return sign * v;
}

static kl_status series_spring_damper_setup(void *data, const kl_setup *s, const kl_motion *m,
                                            int nmarker, kl_element_size *size)
{
    (void)nmarker;
    series_spring_damper *p = data;
    double                l = kl_norm(kl_sub(m[1].r, m[0].r));
    if (isnan(p->l0)) p->l0 = l;
    size->nz = 1;
    if (l == 0.0)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "force '%s': its two points coincide at the start, so it has no direction; "
                       "give two points "
                       "with `at: [[...], [...]]`",
                       s->name);
    if (isnan(p->c) && !p->damper)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "force '%s': give `damping` in N s/m, or `damper` for a table of force "
                       "over speed",
                       s->name);
    return p->damper ? check_rising(p, s) : KL_OK;
}

static kl_status series_spring_damper_start(const kl_reading *in, const kl_setup *s,
                                            kl_element_start *out)
{
    (void)in;
    /* z is a length like those of positions, whose error is measured against the length of the model;
     * it acts through a stiff spring, though, so it should be known five times better */
    out->scale[0] = 0.2 * s->model->length;
    return KL_OK;
}

static kl_status series_spring_damper_eval(const kl_reading *in, kl_writing *out)
{
    const series_spring_damper *p = in->data;
    kl_scalar                   l;
    kl_coordinate_eval(by_distance, in->m, 0.0, &l);
    if (l.x == 0.0) return KL_RETRY;
    double e = l.x - p->l0, f = p->k * (e - in->z[0]);
    for (int i = 0; i < 12; i++) out->wrench[i] = -(f + p->parallel * e) * l.row[i];
    double slope;
    out->z_dot[0] = speed_of(p, f, in->u, &slope);
    out->energy   = 0.5 * f * f / p->k + 0.5 * p->parallel * e * e;
    out->loss     = f * out->z_dot[0];
    return KL_OK;
}

/* w = -r' (k (e - z) + kp e), z' = k (e - z)/c, with the row r = de/dq and the damper's displacement z:
 *
 *   dw/dq = -r' (k + kp) r - (k (e - z) + kp e) dr'/dq,   dw/dz = k r',   dz'/dq = k/c r,   dz'/dz = -k/c
 *
 * with the slope dF/dz' instead of c for a table. */
static void series_spring_damper_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const series_spring_damper *p = in->data;
    kl_scalar                   l;
    kl_coordinate_eval(by_distance, in->m, 0.0, &l);
    double e = l.x - p->l0, f = p->k * (e - in->z[0]), slope;
    (void)speed_of(p, f, in->u, &slope);
    kl_add_outer(-(p->k + p->parallel), l.row, l.row, out->K);
    kl_coordinate_curvature(by_distance, in->m, -(f + p->parallel * e), out->K);
    for (int i = 0; i < 12; i++) {
        out->wz[i] += p->k * l.row[i];
        out->zk[i] += p->k * slope * l.row[i];
    }
    out->zz[0] -= p->k * slope;
}

static void series_spring_damper_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const series_spring_damper *p = in->data;
    double                      e = kl_norm(kl_sub(in->m[1].r, in->m[0].r)) - p->l0;
    values[0]                     = e + p->l0;
    values[1]                     = in->z[0];
    values[2]                     = p->k * (e - in->z[0]) + p->parallel * e;
}

static const kl_key    series_keys[]    = {{.name   = "stiffness",
                                            .kind   = KL_KEY_NUMBER,
                                            .offset = offsetof(series_spring_damper, k),
                                            .unit   = "N/m",
                                            .min    = 1e-300,
                                            .max    = 1e300,
                                            .help   = "stiffness of the spring in series"},
                                           {.name     = "damping",
                                            .kind     = KL_KEY_NUMBER,
                                            .offset   = offsetof(series_spring_damper, c),
                                            .unit     = "N s/m",
                                            .fallback = "",
                                            .min      = 1e-300,
                                            .max      = 1e300,
                                            .help     = "damping of the damper in series"},
                                           {.name     = "damper",
                                            .kind     = KL_KEY_FUNCTION,
                                            .offset   = offsetof(series_spring_damper, damper),
                                            .unit     = "N",
                                            .by       = "m/s",
                                            .fallback = "",
                                            .help = "force of the damper as a rising function of its "
                                                          "speed, instead of `damping` or added to it"},
                                           {.name     = "parallel",
                                            .kind     = KL_KEY_NUMBER,
                                            .offset   = offsetof(series_spring_damper, parallel),
                                            .unit     = "N/m",
                                            .fallback = "0",
                                            .help     = "stiffness of a spring in parallel to both"},
                                           {.name     = "length",
                                            .kind     = KL_KEY_NUMBER,
                                            .offset   = offsetof(series_spring_damper, l0),
                                            .unit     = "m",
                                            .fallback = "",
                                            .help     = "free length (default: initial length)"},
                                           {0}};
static const kl_output series_outputs[] = {{"length", "m", "distance between its points"},
                                           {"damper_length", "m", "extension of the damper"},
                                           {"pull", "N", "force, positive in tension"},
                                           {0}};

const kl_element_type kl_series_spring_damper = {
    .states_relax = true,
    .name         = "series-spring-damper",
    .help         = "spring and damper in series (Maxwell) between two points",
    .equation     = "f = k (l - l0 - z) + k_p (l - l0), c z' + F(z') = k (l - l0 - z)",
    .example   = "yaw: {type: series-spring-damper, between: [frame, car], at: [[0, 1, 0], [1, 1, "
                 "0]], stiffness: 5 MN/m, "
                 "damping: 200 kN s/m}",
    .keys      = series_keys,
    .outputs   = series_outputs,
    .attach    = &kl_attach_pair,
    .data_size = sizeof(series_spring_damper),
    .setup     = series_spring_damper_setup,
    .start     = series_spring_damper_start,
    .eval      = series_spring_damper_eval,
    .tangent   = series_spring_damper_tangent,
    .output    = series_spring_damper_output};
