/* A spring along an axis whose load makes dry friction: leaf springs, side bearers, centre pivots,
 * buffers and draft gears of rail vehicles.
 *
 * u is the compression along z of marker i, counted from the start (positive: the markers approach).
 *
 *   N = load + k u + k3 u^3 (>= 0 when `unilateral`),   push = N + c u'
 *
 * A unilateral spring never pulls: damping takes away no more than N and the friction along it leave.
 *
 * Friction acts along the same axis (`line`), in the plane across it (`plane`) or about it (`turn`, at
 * the radius `arm`). w is the slip velocity, y0 the presliding length, g (|g| <= 1) the state:
 *
 *   f = (limit + friction |N|) g,   g' = (w - |w| g) / y0
 *
 * the law of Dahl (1968), which Fancher (1980) uses for leaf springs: the force approaches its limit
 * exponentially over the distance y0 whatever the speed. Stored: L y0 |g|^2 / 2 with L the largest
 * friction force; lost: L |w| |g|^2; a load that changes while g is not zero feeds L' y0 |g|^2 / 2. */
#include <math.h>

#include "forces/forces.h"
#include "model/model.h"

enum { ALONG, ACROSS, ABOUT };

typedef struct friction_spring {
    int    direction;
    bool   unilateral;
    double k, k3, c, load, friction, limit, presliding, arm;
    double x0;   /* of the start [m] */
    double seat; /* compression at which a unilateral spring leaves its seat [m] */
} friction_spring;

/* All that follows from the motion. */
typedef struct slide {
    kl_vec3 x, y, z;     /* axes of marker i */
    kl_vec3 d, v;        /* of marker j, seen from i, global */
    double  u, rate;     /* compression and its rate */
    double  N, slope;    /* spring and its slope; both zero where it does not press */
    double  L, dL;       /* largest friction and its time derivative */
    double  w[2], speed; /* slip; its size */
    int     n;           /* numbers of g in use */
} slide;

static double elastic(const friction_spring *p, double u)
{
    return p->load + u * (p->k + p->k3 * u * u);
}

static void slip_of(const friction_spring *p, const kl_motion *m, slide *s)
{
    s->n = p->direction == ACROSS ? 2 : 1;
    if (p->direction == ALONG) s->w[0] = -s->rate;
    if (p->direction == ACROSS) s->w[0] = kl_dot(s->v, s->x), s->w[1] = kl_dot(s->v, s->y);
    if (p->direction == ABOUT) s->w[0] = p->arm * kl_dot(kl_sub(m[1].w, m[0].w), s->z);
    s->speed = s->n == 2 ? hypot(s->w[0], s->w[1]) : fabs(s->w[0]);
}

static slide slide_of(const friction_spring *p, const kl_motion *m)
{
    slide s = {.x = kl_axis(&m[0].A, 0), .y = kl_axis(&m[0].A, 1), .z = kl_axis(&m[0].A, 2)};
    s.d     = kl_sub(m[1].r, m[0].r);
    s.v     = kl_sub(kl_sub(m[1].v, m[0].v), kl_cross(m[0].w, s.d));
    s.u     = p->x0 - kl_dot(s.d, s.z);
    s.rate  = -kl_dot(s.v, s.z);
    s.N     = elastic(p, s.u);
    s.slope = p->k + 3.0 * p->k3 * s.u * s.u;
    if (p->unilateral && s.N < 0.0) s.N = s.slope = 0.0;
    s.L  = p->limit + p->friction * fabs(s.N);
    s.dL = p->friction * copysign(s.slope, s.N * s.slope) * s.rate;
    slip_of(p, m, &s);
    return s;
}

/* Energy of the spring; where it has left its seat it keeps what it had at N = 0. */
static double stored(const friction_spring *p, double u)
{
    if (p->unilateral) u = fmax(u, p->seat);
    return u * (p->load + u * (0.5 * p->k + 0.25 * p->k3 * u * u));
}

/* N = 0: Newton's method from above, where N is convex in the size of u. */
static double find_seat(const friction_spring *p)
{
    double u = -p->load / p->k;
    for (int pass = 0; pass < 60; pass++) {
        double step = elastic(p, u) / (p->k + 3.0 * p->k3 * u * u);
        u -= step;
        if (fabs(step) <= 1e-15 * fabs(u)) break;
    }
    return u;
}

static kl_status friction_spring_setup(void *data, const kl_setup *s, const kl_motion *m,
                                       int nmarker, kl_element_size *size)
{
    (void)nmarker;
    friction_spring *p = data;
    p->x0              = kl_dot(kl_sub(m[1].r, m[0].r), kl_axis(&m[0].A, 2));
    size->nz           = p->direction == ACROSS ? 2 : 1;
    size->nevent       = p->unilateral;
    if (p->unilateral && !(p->k > 0.0))
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "friction-spring '%s': a unilateral spring needs a positive `stiffness`",
                       s->name);
    if (p->unilateral) p->seat = find_seat(p);
    if (p->direction == ABOUT && !(p->arm > 0.0))
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "friction-spring '%s': friction about the axis needs the radius at which it "
                       "acts, for example `arm: 200 mm`",
                       s->name);
    return KL_OK;
}

static kl_status friction_spring_start(const kl_reading *in, const kl_setup *s,
                                       kl_element_start *out)
{
    /* g follows the slip over the length y0, so an error d of a position is an error d/y0 of g. Errors of
     * positions are measured against the length of the model; g should be known ten times better, because
     * friction makes a corner in g where the slip turns round. */
    const friction_spring *p = in->data;
    for (int i = 0; i < out->nz; i++)
        out->scale[i] = fmax(1.0, 0.1 * s->model->length / p->presliding);
    return KL_OK;
}

/* Force of the damper along the axis. */
static double damping_of(const friction_spring *p, const slide *s, const double *g)
{
    if (!p->unilateral) return p->c * s->rate;
    if (!(s->slope > 0.0)) return 0.0;
    return fmax(p->c * s->rate, fmin(0.0, (p->direction == ALONG ? s->L * g[0] : 0.0) - s->N));
}

static kl_status friction_spring_eval(const kl_reading *in, kl_writing *out)
{
    const friction_spring *p    = in->data;
    slide                  s    = slide_of(p, in->m);
    const double          *g    = in->z;
    double                 damp = damping_of(p, &s, g), size = 0.0;
    kl_vec3                f = kl_scale(s.N + damp, s.z), n = {0, 0, 0};
    for (int i = 0; i < s.n; i++) {
        out->z_dot[i] = (s.w[i] - s.speed * g[i]) / p->presliding;
        size += g[i] * g[i];
    }
    if (p->direction == ALONG) f = kl_axpy(-s.L * g[0], s.z, f);
    if (p->direction == ACROSS) f = kl_axpy(-s.L * g[0], s.x, kl_axpy(-s.L * g[1], s.y, f));
    if (p->direction == ABOUT) n = kl_scale(-s.L * g[0] * p->arm, s.z);
    kl_store(out->wrench + 6, f);
    kl_store(out->wrench + 9, n);
    kl_store(out->wrench, kl_neg(f));
    kl_store(out->wrench + 3, kl_neg(kl_add(n, kl_cross(s.d, f))));
    out->energy = stored(p, s.u) + 0.5 * s.L * p->presliding * size;
    out->loss   = damp * s.rate + s.L * s.speed * size;
    out->supply = 0.5 * s.dL * p->presliding * size;
    return KL_OK;
}

/* Where a unilateral spring leaves its seat. */
static void friction_spring_crossings(const kl_reading *in, kl_crossing *out)
{
    const friction_spring *p = in->data;
    slide                  s = slide_of(p, in->m);
    out[0]                   = (kl_crossing){.value = s.u - p->seat,
                                             .rate  = s.rate,
                                             .unit  = KL_CROSSING_M,
                                             .kind  = p->c > 0.0 ? KL_CROSSING_JUMP : KL_CROSSING_KINK,
                                             .mild  = true};
}

static void friction_spring_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    slide s   = slide_of(in->data, in->m);
    values[0] = s.u;
    values[1] = s.N;
    values[2] = s.L;
    values[3] = s.L * in->z[0];
    values[4] = s.n == 2 ? s.L * in->z[1] : 0.0;
}

#define NUMBER(key_, field_, unit_, fallback_, min_, help_)                                        \
    {                                                                                              \
        .name = key_, .kind = KL_KEY_NUMBER, .offset = offsetof(friction_spring, field_),          \
        .unit = unit_, .fallback = fallback_, .min = min_, .max = 1e300, .help = help_             \
    }

static const kl_key friction_spring_keys[] = {
    {.name     = "direction",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(friction_spring, direction),
     .words    = "line plane turn",
     .fallback = "line",
     .help = "direction of the friction: along the axis of the spring (line), in the plane normal "
             "to it (plane), or rotation about it (turn)"},
    NUMBER("stiffness", k, "N/m", "0", 0.0, "stiffness of the spring along the axis"),
    NUMBER("cubic", k3, "N/m3", "0", 0.0,
           "cubic stiffness: force divided by the cube of the compression"),
    NUMBER("damping", c, "N s/m", "0", 0.0, "viscous damping along the axis"),
    NUMBER("load", load, "N", "0", 0.0, "compressive force of the spring at the start"),
    NUMBER("friction", friction, "1", "0", 0.0,
           "coefficient of friction: largest friction force divided by the spring force"),
    NUMBER("limit", limit, "N", "0", 0.0,
           "largest friction force that does not depend on the load"),
    NUMBER("presliding", presliding, "m", "1 mm", 1e-12,
           "distance over which friction builds up (y0)"),
    NUMBER("arm", arm, "m", "0", 0.0, "radius at which the friction acts, for `direction: turn`"),
    {.name     = "unilateral",
     .kind     = KL_KEY_FLAG,
     .offset   = offsetof(friction_spring, unilateral),
     .fallback = "false",
     .help     = "the spring acts in compression only; without compression there is no friction"},
    {0}};

static const kl_output friction_spring_outputs[] = {
    {"compression", "m", "compression since the start"},
    {"push", "N", "force of the spring, positive in compression"},
    {"largest_friction", "N", "limit of the friction force"},
    {"friction", "N", "friction force against the slip: along the axis, along x, or at the arm"},
    {"friction_y", "N", "friction force along y, for `direction: plane`"},
    {0}};

const kl_element_type kl_friction_spring = {
    .name = "friction-spring",
    .help = "spring with dry friction proportional to its load: leaf spring, side bearer, pivot, "
            "buffer",
    .equation = "N = load + k u + k3 u^3, f = (limit + friction |N|) g, g' = (w - |w| g)/y0",
    .example  = "leaf: {type: friction-spring, between: [axle, car], at: [[0, 1, 0.5], [0, 1, 1]], "
                "stiffness: 1 MN/m, load: 90 kN, friction: 0.08}",
    .keys     = friction_spring_keys,
    .outputs  = friction_spring_outputs,
    .attach   = &kl_attach_pair,
    .data_size = sizeof(friction_spring),
    .setup     = friction_spring_setup,
    .start     = friction_spring_start,
    .eval      = friction_spring_eval,
    .crossings = friction_spring_crossings,
    .output    = friction_spring_output};
