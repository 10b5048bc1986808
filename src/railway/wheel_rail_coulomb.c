/* A wheelset on rails with Coulomb's law and a tangential stiffness (paper 004, chapter 6: the penalty
 * method of finite element contact, here in continuous time).
 *
 *   N = eps_N d (1 + c d'),   T = -eps_T g,  |T| <= mu N,   g' = v - (|g| - mu N/eps_T)+ / tau g/|g|
 *
 * d: penetration; v: velocity of the wheel's surface against the rail in the contact plane, along the rail
 * and across; g: two states of each wheel, the elastic part of the way slid. What goes beyond the limit of
 * friction is slid off within tau. Below the limit the law is a spring with memory: it knows no creepage,
 * and it takes no energy. Several contacts of a wheel share its spring in proportion to their load. */
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "railway/railway.h"
#include "railway/wheel_rail_parts.h"

static const double TAU = 1e-4; /* [s] */

typedef struct coulomb_wheels {
    wheel_rail base; /* geometry and normal force */
    double     tangential;
} coulomb_wheels;

/* One wheel: normal load, slip velocity and forces. */
typedef struct wheel_slip {
    double N, v[2], g_dot[2], T[2]; /* along the rail, across */
} wheel_slip;

/* Normal forces and slip of wheel k; the slip is the mean of its contacts by load. */
static void contact_state_of(const coulomb_wheels *p, const kl_motion *m, const wheel_state *w,
                             const double *g, kl_wheel_force f[KL_TOUCH_MOST], wheel_slip *s)
{
    *s = (wheel_slip){.N = 0.0};
    for (int i = 0; i < w->n; i++) {
        const kl_wheel_contact *c = &w->contact[i];
        kl_wheel_rail_force(&p->base, &p->base.law, m, c, &f[i]);
        kl_vec3 d = kl_sub(m[1].r, m[0].r), spin = kl_sub(m[1].w, m[0].w);
        kl_vec3 v = kl_sub(kl_sub(m[1].v, m[0].v), kl_cross(m[0].w, d));
        v         = kl_axpy(p->base.speed, c->x, v);
        v         = kl_add(v, kl_cross(spin, kl_sub(c->point, m[1].r)));
        s->N += f[i].N;
        s->v[0] += f[i].N * kl_dot(v, c->x);
        s->v[1] += f[i].N * kl_dot(v, kl_cross(c->n, c->x));
    }
    double size = hypot(g[0], g[1]), most = p->base.friction * s->N / p->tangential;
    double over = size > most ? (size - most) / (TAU * size) : 0.0;
    for (int k = 0; k < 2; k++) {
        if (s->N > 0.0) s->v[k] /= s->N;
        s->T[k]     = -p->tangential * g[k] * (size > most ? most / size : 1.0);
        s->g_dot[k] = s->v[k] - over * g[k];
    }
}

static kl_status coulomb_eval(const kl_reading *in, kl_writing *out)
{
    const coulomb_wheels   *p = in->data;
    const wheel_rail_cache *c = in->cache;
    for (int k = 0; k < 2; k++) {
        kl_wheel_force f[KL_TOUCH_MOST];
        wheel_slip     s;
        contact_state_of(p, in->m, &c->wheel[k], in->z + 2 * k, f, &s);
        for (int q = 0; q < 2; q++) out->z_dot[2 * k + q] = s.g_dot[q];
        for (int i = 0; i < c->wheel[k].n; i++) {
            const kl_wheel_contact *at     = &c->wheel[k].contact[i];
            double                  share  = s.N > 0.0 ? f[i].N / s.N : 0.0;
            kl_vec3                 across = kl_cross(at->n, at->x);
            kl_vec3 T  = kl_add(kl_scale(share * s.T[0], at->x), kl_scale(share * s.T[1], across));
            f[i].force = kl_add(f[i].force, T);
            kl_wheel_rail_add(in->m, at->point, &f[i], out->wrench);
            out->loss += f[i].loss;
            /* elastic work of both directions comes back */
            out->supply -=
                p->base.speed * kl_dot(f[i].force, at->x) + at->share * at->elastic * f[i].approach;
        }
        /* what the spring does not store is lost */
        for (int q = 0; q < 2 && s.N > 0.0; q++) {
            out->loss -= s.T[q] * (s.v[q] - s.g_dot[q]);
            out->supply += s.T[q] * s.g_dot[q];
        }
    }
    return KL_OK;
}

static kl_status coulomb_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    (void)in;
    /* lengths, like those of positions */
    for (int k = 0; k < 4; k++) out->scale[k] = 1e-2 * s->model->length;
    return KL_OK;
}

static kl_status coulomb_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                               kl_element_size *size)
{
    coulomb_wheels *p = data;
    wheel_rail     *b = &p->base;
    b->E = 210e9, b->nu = 0.28;
    b->grid = 1.0, b->speed_floor = 0.01, b->gauge = 1.435;
    b->radius_right = b->friction_right = (double)NAN;
    b->f11 = b->f22 = b->f23 = b->f33 = (double)NAN;
    KL_TRY(kl_wheel_rail_setup(data, s, m, nmarker, size));
    b->law.friction =
        (kl_friction){0.0, 1.0, 0.0}; /* no creep force: the springs are this element's */
    size->nz = 4;
    return KL_OK;
}

enum { SHIFT, YAW, RUNNING_SPEED, N_LEFT, N_RIGHT, T_LEFT, T_RIGHT, NOUTPUT };

static void coulomb_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const coulomb_wheels   *p  = in->data;
    const wheel_rail_cache *c  = in->cache;
    const kl_motion        *m  = in->m;
    kl_vec3                 ex = kl_axis(&c->middle.A, 0), ey = kl_axis(&c->middle.A, 1);
    kl_vec3                 axle = kl_mul(&m[1].A, p->base.axle);
    values[SHIFT]                = kl_dot(kl_sub(m[1].r, c->middle.r), ey);
    values[YAW]                  = atan2(-kl_dot(axle, ex), kl_dot(axle, ey));
    values[RUNNING_SPEED]        = kl_dot(kl_sub(m[1].v, m[0].v), ex) + p->base.speed;
    for (int k = 0; k < 2; k++) {
        kl_wheel_force f[KL_TOUCH_MOST];
        wheel_slip     s;
        contact_state_of(p, m, &c->wheel[k], in->z + 2 * k, f, &s);
        values[N_LEFT + k] = s.N;
        values[T_LEFT + k] = s.N > 0.0 ? hypot(s.T[0], s.T[1]) : 0.0;
    }
}

#define NUMBER(key_, field_, unit_, fallback_, min_, max_, help_)                                  \
    {                                                                                              \
        .name = key_, .kind = KL_KEY_NUMBER, .offset = offsetof(coulomb_wheels, field_),           \
        .unit = unit_, .fallback = fallback_, .min = min_, .max = max_, .help = help_              \
    }

static const kl_key coulomb_keys[] = {
    NUMBER("radius", base.radius, "m", "0.46", 0.05, 2.0, "wheel radius at the running circle"),
    NUMBER("half_gauge", base.half_gauge, "m", "0.75", 0.1, 2.0,
           "half the distance between the running circles"),
    NUMBER("conicity", base.conicity, "1", "0.05", -1.0, 1.0,
           "tangent of the cone angle of the wheels; positive: the radius falls outward"),
    NUMBER("rail_radius", base.rail_radius, "m", "0.04", 0.0, 10.0, "radius of the round rails"),
    NUMBER("stiffness", base.stiffness, "N/m", "1e8", 1.0, 1e300,
           "normal stiffness of a contact, eps_N"),
    NUMBER("tangential_stiffness", tangential, "N/m", NULL, 1.0, 1e300,
           "tangential stiffness of a contact, eps_T"),
    NUMBER("friction", base.friction, "1", "0.3", 0.0, 10.0, "friction coefficient"),
    NUMBER("damping", base.damping, "s/m", "1", 0.0, 10.0,
           "c of N = k d^1.5 (1 + c d'), with the approach speed d'"),
    NUMBER("speed", base.speed, "m/s", "0", 0.0, 0.0,
           "running speed, added to the motion of the bodies"),
    {0}};

static const kl_output coulomb_outputs[] = {
    {"shift", "m", "lateral displacement of the wheelset from the track centre, to the left"},
    {"yaw", "rad", "yaw angle of the axle relative to the track"},
    {"running_speed", "m/s", "speed along the track"},
    {"N_left", "N", "normal force of the left wheel"},
    {"N_right", "N", "normal force of the right wheel"},
    {"T_left", "N", "tangential force of the left wheel"},
    {"T_right", "N", "tangential force of the right wheel"},
    {0}};

const kl_element_type kl_wheel_rail_coulomb = {
    .name     = "wheel-rail-coulomb",
    .help     = "conical wheels on round rails: Coulomb friction with a tangential stiffness",
    .equation = "N = eps_N d (1 + c d'), T = -eps_T g, |T| <= mu N, g' = slip velocity",
    .example = "rails: {type: wheel-rail-coulomb, between: [ground, wheelset], at: [[0, 0, 0], [0, "
               "0, 0.45]], "
               "radius: 0.45, half_gauge: 0.7452, conicity: 0.1174, tangential_stiffness: 3.6e7}",
    .keys    = coulomb_keys,
    .outputs = coulomb_outputs,
    .attach  = &kl_attach_pair,
    .rolls   = 1u << 1,
    .data_size = sizeof(coulomb_wheels),
    .setup     = coulomb_setup,
    .start     = coulomb_start,
    .locate    = kl_wheel_rail_locate,
    .eval      = coulomb_eval,
    .output    = coulomb_output,
    .watch     = kl_wheel_rail_watch};
