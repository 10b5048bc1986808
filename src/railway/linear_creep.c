/* Linear creep of a wheelset on straight track: Carter's two creep forces and the difference of the
 * rolling radii of coned wheels (Carter 1926; paper 004 eq. 6.1 and 6.2).
 *
 * Marker i is on the track: x along it, y to the left, z up. Marker j is on the wheelset, between
 * the wheels; its y axis is the axle's. The wheelset runs at V = v_x + speed: `speed` is added to
 * the motion of the bodies, so a model may be in a frame that runs along with the train. Each
 * wheel (s = +1 left, -1 right) is at s l and rolls on r0 + s conicity y; the axle turns at
 * V/r0.
 *
 *   lateral slip         v_y - V psi               force  -f22 slip / V     a wheel
 *   longitudinal slip    -s (l psi' + V conicity y / r0)      -f11 slip / V
 *
 * with psi the yaw angle of the axle relative to the track, v_y the lateral speed in track axes: together
 * -2 f22 (y'/V - psi) along the axle and -2 f11 (l^2 psi'/V + l conicity y/r0) about z. Both are
 * exact in psi: slip is measured along and across the axle as it stands.
 *
 * With another creep law than `linear` the two forces of a wheel are limited together by friction
 * times its constant load; with `conicity_cubic` the rolling radius changes by conicity y +
 * conicity_cubic y^3. Both serve studies of limit cycles without a contact search. */
#include <math.h>
#include <string.h>

#include "railway/creep.h"
#include "railway/railway.h"

typedef struct linear_creep {
    double f11, f22;         /* longitudinal, lateral [N] a wheel */
    double conicity, radius; /* [-], [m] */
    double l;                /* half the distance of the contact points [m] */
    double speed;            /* [m/s] */
    double cubic;            /* of the rolling radius over the shift [1/m2] */
    int    creep;            /* index into kl_creep_laws */
    double load, friction;   /* of a wheel [N]; [-] */
} linear_creep;

/* All that is measured, in track axes. */
typedef struct creep {
    double  y, yaw, yaw_rate, V;
    kl_vec3 axle, ahead, up;          /* unit, in the plane of the track */
    double  lateral, longitudinal;    /* slip [m/s]: along the axle; ahead, of the left wheel */
    double lateral_force, left_force; /* [N]: both wheels; left wheel ahead (the right: negative) */
    double moment;                    /* about z */
} creep;

/* Forces of the left wheel ahead and of one wheel along the axle, for its creepages. */
static void wheel_forces(const linear_creep *p, double xi, double eta, double *ahead, double *along)
{
    double limit = p->friction * p->load;
    if (p->creep == 0 || !(limit > 0.0)) {
        *ahead = -p->f11 * xi, *along = -p->f22 * eta;
        return;
    }
    kl_creep_input   in = {1.0, {xi, eta, 0.0}, {p->f11 / limit, p->f22 / limit, 0.0, 0.0}};
    kl_creep_options o  = kl_creep_defaults();
    kl_creep_output  out;
    kl_creep_laws[p->creep].force(&o, &in, &out);
    *ahead = limit * out.f[0], *along = limit * out.f[1];
}

static void creep_eval(const linear_creep *p, const kl_motion *m, creep *c)
{
    kl_vec3 ex = kl_axis(&m[0].A, 0), ey = kl_axis(&m[0].A, 1), axle = kl_axis(&m[1].A, 1);
    kl_vec3 d = kl_sub(m[1].r, m[0].r), rate = kl_sub(m[1].w, m[0].w);
    /* relative velocity as the track sees it, and the speed of the frame */
    kl_vec3 v   = kl_sub(kl_sub(m[1].v, m[0].v), kl_cross(m[0].w, d));
    v           = kl_axpy(p->speed, ex, v);
    c->up       = kl_axis(&m[0].A, 2);
    c->axle     = kl_unit(kl_axpy(-kl_dot(axle, c->up), c->up, axle));
    c->ahead    = kl_cross(c->axle, c->up);
    c->V        = kl_dot(v, ex);
    c->y        = kl_dot(d, ey);
    c->yaw      = atan2(-kl_dot(c->axle, ex), kl_dot(c->axle, ey));
    c->yaw_rate = kl_dot(rate, c->up);

    /* creepage has no meaning at rest: below 1 mm/s it fades */
    const double rest = 1e-3;
    double       V    = copysign(hypot(c->V, rest), c->V);
    c->lateral        = kl_dot(v, c->axle);
    double growth     = p->conicity * c->y + p->cubic * c->y * c->y * c->y;
    c->longitudinal   = -(p->l * c->yaw_rate + V * growth / p->radius);
    wheel_forces(p, c->longitudinal / fabs(V), c->lateral / fabs(V), &c->left_force,
                 &c->lateral_force);
    c->lateral_force *= 2.0;
    c->moment = -2.0 * p->l * c->left_force;
}

static kl_status linear_creep_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                                    kl_element_size *size)
{
    (void)data, (void)s, (void)m, (void)nmarker, (void)size;
    return KL_OK;
}

static kl_status linear_creep_eval(const kl_reading *in, kl_writing *out)
{
    creep c;
    creep_eval(in->data, in->m, &c);
    kl_vec3 f = kl_scale(c.lateral_force, c.axle), n = kl_scale(c.moment, c.up);
    kl_vec3 d = kl_sub(in->m[1].r, in->m[0].r);
    kl_store(out->wrench + 6, f);
    kl_store(out->wrench + 9, n);
    kl_store(out->wrench, kl_neg(f));
    kl_store(out->wrench + 3, kl_neg(kl_add(n, kl_cross(d, f))));
    /* power that leaves the bodies; what slips is lost, the rest comes from whatever pulls */
    double given = kl_dot(f, in->m[1].v) + kl_dot(n, in->m[1].w) -
                   kl_dot(f, kl_add(in->m[0].v, kl_cross(in->m[0].w, d))) - kl_dot(n, in->m[0].w);
    out->loss   = -(c.lateral_force * c.lateral + 2.0 * c.left_force * c.longitudinal);
    out->supply = given + out->loss;
    return KL_OK;
}

static void linear_creep_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    creep c;
    creep_eval(in->data, in->m, &c);
    values[0] = c.y;
    values[1] = c.yaw;
    values[2] = c.lateral_force;
    values[3] = c.left_force;
    values[4] = c.V;
}

static const kl_key linear_creep_keys[] = {
    {.name   = "f11",
     .kind   = KL_KEY_NUMBER,
     .offset = offsetof(linear_creep, f11),
     .unit   = "N",
     .min    = 0,
     .max    = 1e300,
     .help   = "longitudinal creep coefficient of a wheel: force per creepage"},
    {.name   = "f22",
     .kind   = KL_KEY_NUMBER,
     .offset = offsetof(linear_creep, f22),
     .unit   = "N",
     .min    = 0,
     .max    = 1e300,
     .help   = "lateral creep coefficient of a wheel"},
    {.name   = "conicity",
     .kind   = KL_KEY_NUMBER,
     .offset = offsetof(linear_creep, conicity),
     .unit   = "1",
     .help   = "equivalent conicity: change of rolling radius per lateral displacement"},
    {.name   = "radius",
     .kind   = KL_KEY_NUMBER,
     .offset = offsetof(linear_creep, radius),
     .unit   = "m",
     .min    = 1e-300,
     .max    = 1e300,
     .help   = "rolling radius in the middle of the track"},
    {.name   = "half_gauge",
     .kind   = KL_KEY_NUMBER,
     .offset = offsetof(linear_creep, l),
     .unit   = "m",
     .min    = 1e-300,
     .max    = 1e300,
     .help   = "half the distance between the contact points"},
    {.name     = "conicity_cubic",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(linear_creep, cubic),
     .unit     = "1/m2",
     .fallback = "0",
     .help     = "coefficient of the cubic change of the rolling radius with lateral displacement"},
    {.name     = "creep",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(linear_creep, creep),
     .words    = "linear heuristic polach",
     .fallback = "linear",
     .help     = "law of the creep force; all except linear are limited by friction"},
    {.name     = "load",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(linear_creep, load),
     .unit     = "N",
     .fallback = "0",
     .min      = 0,
     .max      = 1e300,
     .help     = "vertical load of a wheel for the friction limit; 0: no limit"},
    {.name     = "friction",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(linear_creep, friction),
     .unit     = "1",
     .fallback = "0.3",
     .min      = 0,
     .max      = 10,
     .help     = "friction coefficient"},
    {.name     = "speed",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(linear_creep, speed),
     .unit     = "m/s",
     .fallback = "0",
     .help = "running speed, added to the motion of the bodies: the model is described in a frame "
             "that moves along the track"},
    {0}};
static const kl_output linear_creep_outputs[] = {
    {"shift", "m", "lateral displacement of the wheelset from the track centre"},
    {"yaw", "rad", "yaw angle of the axle relative to the track"},
    {"lateral_force", "N", "creep force of both wheels along the axle"},
    {"longitudinal_force", "N",
     "longitudinal creep force of the left wheel; the right wheel has the opposite force"},
    {"running_speed", "m/s", "speed along the track"},
    {0}};

const kl_element_type kl_linear_creep = {
    .name     = "linear-creep",
    .help     = "Carter's wheelset: linear creep forces of two coned wheels on straight track",
    .equation = "F_y = -2 f22 (y'/V - psi), M_z = -2 f11 (l^2 psi'/V + l conicity y/r0)",
    .example  = "rails: {type: linear-creep, between: [ground, wheelset], at: [0, 0, 0], f11: 7.44 "
                "MN, f22: 6.79 MN, conicity: 0.1174, radius: 0.45, half_gauge: 0.7452, speed: 70 "
                "m/s}",
    .keys     = linear_creep_keys,
    .outputs  = linear_creep_outputs,
    .attach   = &kl_attach_pair,
    .data_size = sizeof(linear_creep),
    .setup     = linear_creep_setup,
    .eval      = linear_creep_eval,
    .output    = linear_creep_output};
