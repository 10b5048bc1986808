/* Bump stop: no force inside the free play, a stiffening one beyond it.
 *
 *   d = depth beyond a limit,   f = max(0, k d^n (1 + chi d'))       wrench = -+ row' f
 *
 * chi makes it lose energy without a jump where it starts (Hunt and Crossley 1975); it pushes,
 * never pulls. The limits lie on the travel along the axis, the angle about it, or the distance of
 * the two points. */
#include <math.h>

#include "forces/forces.h"
#include "joints/coordinate.h"

typedef struct bump_stop {
    int    coordinate;
    double lower, upper; /* NaN: none */
    double k, n, chi;
} bump_stop;

static const kl_coordinate coordinates[] = {{KL_DOT2, 2, 0}, {KL_ANGLE, 0, 0}, {KL_DISTANCE, 0, 0}};

typedef struct law {
    double f, dfdx,
        dfdv; /* along +x of the coordinate, positive pushes back from the upper limit */
    double energy, loss;
} law;

static law law_at(const bump_stop *p, double x, double v)
{
    double sign = 0.0, depth = 0.0;
    if (!isnan(p->upper) && x > p->upper) sign = 1.0, depth = x - p->upper;
    else if (!isnan(p->lower) && x < p->lower) sign = -1.0, depth = p->lower - x;
    if (depth <= 0.0) return (law){0};
    double rate = sign * v, elastic = p->k * pow(depth, p->n), factor = 1.0 + p->chi * rate;
    law    l = {.energy = elastic * depth / (p->n + 1.0)};
    if (factor <= 0.0) { /* leaves faster than it pushes: all of the elastic force is lost */
        l.loss = -elastic * rate;
        return l;
    }
    l.f    = sign * elastic * factor;
    l.dfdx = elastic * p->n / depth * factor;
    l.dfdv = elastic * p->chi;
    l.loss = elastic * p->chi * rate * rate;
    return l;
}

static void scalar_of(const kl_reading *in, kl_scalar *x)
{
    const bump_stop *p = in->data;
    kl_coordinate_eval(coordinates[p->coordinate], in->m, in->h[0], x);
}

static kl_status bump_stop_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                                 kl_element_size *size)
{
    (void)m, (void)nmarker;
    const bump_stop *p = data;
    size->nh           = 1;
    size->nevent       = 2;
    if (isnan(p->lower) && isnan(p->upper))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "force '%s': a bump stop needs `lower`, `upper` or both", s->name);
    if (p->lower > p->upper)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "force '%s': lower limit %g is larger than upper limit %g; exchange them",
                       s->name, p->lower, p->upper);
    return KL_OK;
}

/* A start beyond a limit is often a slip: limits count from the initial position, where displacement
 * and angle of a joint are zero unless its `start` gives them. */
static kl_status bump_stop_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    const bump_stop *p = in->data;
    kl_scalar        x;
    KL_TRY(kl_coordinate_start(in, s, out));
    kl_coordinate_eval(coordinates[p->coordinate], in->m, out->h[0], &x);
    bool   above = !isnan(p->upper) && x.x > p->upper;
    double limit = above ? p->upper : p->lower;
    if (!above && !(x.x < p->lower)) return KL_OK;
    bool        turn = coordinates[p->coordinate].kind == KL_ANGLE;
    const char *unit = turn ? "rad" : "m";
    kl_note(s->diag, s->place,
            "force '%s': the coordinate starts at %.4g %s, beyond the %s limit %.4g %s; the stop "
            "pushes with %.4g %s at the start",
            s->name, x.x, unit, above ? "upper" : "lower", limit, unit, fabs(law_at(p, x.x, 0.0).f),
            turn ? "N m" : "N");
    return KL_OK;
}

static kl_status bump_stop_eval(const kl_reading *in, kl_writing *out)
{
    kl_scalar x;
    scalar_of(in, &x);
    law l = law_at(in->data, x.x, kl_scalar_rate(&x, in->m));
    for (int i = 0; i < 12; i++) out->wrench[i] = -l.f * x.row[i];
    out->energy = l.energy;
    out->loss   = l.loss;
    return KL_OK;
}

/* w = -r' f(x, x') with the row r = dx/dq and x' = r V, V the twists of the markers:
 *
 *   dw/dq = -r' (f_x r + f_v d(r V)/dq) - f dr'/dq,      dw/dV = -r' f_v r
 *
 * Without contact f and all its derivatives are zero. */
static void bump_stop_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const bump_stop *p = in->data;
    kl_scalar        x;
    double           rate_slope[12];
    scalar_of(in, &x);
    law l = law_at(p, x.x, kl_scalar_rate(&x, in->m));
    if (l.f == 0.0) return;
    kl_add_outer(-l.dfdx, x.row, x.row, out->K);
    kl_coordinate_curvature(coordinates[p->coordinate], in->m, -l.f, out->K);
    kl_coordinate_rate_slope(coordinates[p->coordinate], in->m, rate_slope);
    kl_add_outer(-l.dfdv, x.row, rate_slope, out->K);
    kl_add_outer(-l.dfdv, x.row, x.row, out->C);
}

/* Contact begins and ends at the limits. The slope of the force has a corner there, or with n < 2 one
 * of infinite curvature. */
static void bump_stop_crossings(const kl_reading *in, kl_crossing *out)
{
    const bump_stop *p = in->data;
    kl_scalar        x;
    scalar_of(in, &x);
    double      rate  = kl_scalar_rate(&x, in->m);
    kl_crossing limit = {.unit = kl_coordinate_unit(coordinates[p->coordinate]),
                         .kind = p->n >= 2.0 ? KL_CROSSING_SWITCH : KL_CROSSING_KINK};
    out[0] = out[1] = limit; /* a value of zero: nothing to cross */
    if (!isnan(p->upper)) out[0].value = p->upper - x.x, out[0].rate = -rate;
    if (!isnan(p->lower)) out[1].value = x.x - p->lower, out[1].rate = rate;
}

static void bump_stop_commit(const kl_reading *in, double *h_new)
{
    kl_scalar x;
    scalar_of(in, &x);
    h_new[0] = x.turn;
}

static void bump_stop_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    kl_scalar x;
    scalar_of(in, &x);
    values[0] = x.x;
    values[1] = law_at(in->data, x.x, kl_scalar_rate(&x, in->m)).f;
}

#define BY_COORDINATE(m_, rad_, d_) "coordinate?" m_ "|" rad_ "|" d_
static const kl_key bump_stop_keys[] = {
    {.name     = "coordinate",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(bump_stop, coordinate),
     .words    = "displacement angle distance",
     .fallback = "displacement",
     .help     = "limited coordinate"},
    {.name     = "lower",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(bump_stop, lower),
     .unit     = BY_COORDINATE("m", "rad", "m"),
     .fallback = "",
     .help     = "lower end of the clearance (default: none)"},
    {.name     = "upper",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(bump_stop, upper),
     .unit     = BY_COORDINATE("m", "rad", "m"),
     .fallback = "",
     .help     = "upper end of the clearance (default: none)"},
    {.name     = "exponent",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(bump_stop, n),
     .unit     = "1",
     .fallback = "1",
     .min      = 1,
     .max      = 10,
     .help     = "n of f = k d^n"},
    {.name   = "stiffness",
     .kind   = KL_KEY_NUMBER,
     .offset = offsetof(bump_stop, k),
     .unit   = BY_COORDINATE("N", "N m", "N") " over " BY_COORDINATE("m", "rad", "m") " ^ exponent",
     .min    = 0,
     .max    = 1e300,
     .help   = "k of f = k d^n; N/m^n or N m/rad^n"},
    {.name     = "damping",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(bump_stop, chi),
     .unit     = BY_COORDINATE("s/m", "s/rad", "s/m"),
     .fallback = "0",
     .min      = 0,
     .max      = 1e300,
     .help     = "chi: relative increase of the force per unit of approach speed"},
    {0}};
static const kl_output bump_stop_outputs[] = {
    {"value", BY_COORDINATE("m", "rad", "m"), "limited coordinate"},
    {"push", BY_COORDINATE("N", "N m", "N"), "restoring force at the limit"},
    {0}};

const kl_element_type kl_bump_stop = {
    .name     = "bump-stop",
    .help     = "stop that limits a displacement, an angle or a distance beyond a clearance",
    .equation = "f = max(0, k d^n (1 + chi d'))",
    .example = "stop: {type: bump-stop, of: guide, lower: -20 mm, upper: 20 mm, stiffness: 1 MN/m}",
    .keys    = bump_stop_keys,
    .outputs = bump_stop_outputs,
    .attach  = &kl_attach_joint,
    .axial   = "coordinate",
    .data_size = sizeof(bump_stop),
    .setup     = bump_stop_setup,
    .start     = bump_stop_start,
    .eval      = bump_stop_eval,
    .tangent   = bump_stop_tangent,
    .crossings = bump_stop_crossings,
    .commit    = bump_stop_commit,
    .output    = bump_stop_output};
