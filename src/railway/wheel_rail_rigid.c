/* A wheelset on straight rails that touch and do not give: rigid contact by constraints, for quasi-static
 * work.
 *
 *   d_k(q) = 0,   d_k' = -n_k . (v_wheel - v_rail),   k = left, right
 *
 * d_k: largest penetration of wheel k, from the contact search on the surfaces in space; n_k: normal there,
 * from the rail into the wheel. The multipliers are the normal forces N_k. The wheels cannot leave the
 * rails: a negative N says that they would. Where the place of contact jumps, d is continuous and n is not.
 *
 * Creep forces do not depend on the normal force: F = -f11 xi, -f22 eta - f23 phi, M = f23 eta - f33 phi with
 * coefficients that the user gives. */
#include <math.h>
#include <stdio.h>

#include "base/rotation.h"
#include "railway/railway.h"
#include "railway/wheel_rail_keys.h"
#include "railway/wheel_rail_parts.h"

enum { WIDE = 12 };

static const double REACH = 30e-3; /* within which a profile finds its rail [m] */

/* The deepest contact of wheel k; NULL: it is nowhere near its rail. */
static const kl_wheel_contact *deepest(const wheel_rail_cache *c, int k)
{
    const kl_wheel_contact *best = NULL;
    for (int i = 0; i < c->wheel[k].n; i++) {
        const kl_wheel_contact *at = &c->wheel[k].contact[i];
        if (!best || at->depth > best->depth) best = at;
    }
    return best;
}

static kl_status rigid_locate(const kl_reading *in, void *cache)
{
    KL_TRY(kl_wheel_rail_locate(in, cache));
    for (int k = 0; k < 2; k++)
        if (!deepest(cache, k)) return KL_RETRY;
    return KL_OK;
}

/* d' = row V. */
static void row_of(const kl_motion *m, const kl_wheel_contact *c, double row[WIDE])
{
    kl_store(row, c->n);
    kl_store(row + 3, kl_cross(kl_sub(c->point, m[0].r), c->n));
    kl_store(row + 6, kl_neg(c->n));
    kl_store(row + 9, kl_neg(kl_cross(kl_sub(c->point, m[1].r), c->n)));
}

static double rate_of(const kl_motion *m, const kl_wheel_contact *c)
{
    double row[WIDE], sum = 0.0;
    row_of(m, c, row);
    for (int j = 0; j < 2; j++)
        sum += kl_dot(kl_load(row + 6 * j), m[j].v) + kl_dot(kl_load(row + 6 * j + 3), m[j].w);
    return sum;
}

/* Rates of both penetrations after the markers moved on for the time h with velocities held. */
static kl_status rates_after(const kl_reading *in, double h, double rate[2])
{
    wheel_rail_cache cache = {0};
    kl_motion        m[2]  = {in->m[0], in->m[1]};
    kl_reading       there = *in;
    for (int j = 0; j < 2; j++) {
        kl_mat3 R = kl_rotation_exp(kl_scale(h, m[j].w));
        m[j].r    = kl_axpy(h, m[j].v, m[j].r);
        m[j].A    = kl_matmul(&R, &m[j].A);
    }
    there.m = m;
    KL_TRY(rigid_locate(&there, &cache));
    for (int k = 0; k < 2; k++) rate[k] = rate_of(m, deepest(&cache, k));
    return KL_OK;
}

/* d'' = rows V' + bias: the rate of d' along the motion, by central differences. */
static kl_status set_bias(const kl_reading *in, double bias[2])
{
    const wheel_rail *p     = in->data;
    double            speed = 1e-3, before[2], after[2];
    for (int j = 0; j < 2; j++)
        speed = fmax(speed, fmax(kl_norm(in->m[j].v), p->radius * kl_norm(in->m[j].w)));
    double h = 1e-5 / speed;
    KL_TRY(rates_after(in, -h, before));
    KL_TRY(rates_after(in, h, after));
    for (int k = 0; k < 2; k++) bias[k] = (after[k] - before[k]) / (2.0 * h);
    return KL_OK;
}

/* Force and moment of creep at a contact, and what they take; axes as in kl_wheel_force_at. */
static void creep_at(const wheel_rail *p, const kl_motion *m, const kl_wheel_contact *c,
                     kl_wheel_force *out)
{
    kl_vec3 d = kl_sub(m[1].r, m[0].r), w = kl_sub(m[1].w, m[0].w);
    kl_vec3 centre  = kl_sub(kl_sub(m[1].v, m[0].v), kl_cross(m[0].w, d));
    centre          = kl_axpy(p->speed, c->x, centre);
    kl_vec3 v       = kl_add(centre, kl_cross(w, kl_sub(c->point, m[1].r)));
    double  rolling = kl_dot(centre, c->x) - 0.5 * kl_dot(v, c->x);
    double  V       = hypot(rolling, p->speed_floor);
    kl_vec3 ex = kl_scale(rolling < 0.0 ? -1.0 : 1.0, c->x), ey = kl_cross(c->n, ex);
    double  xi = kl_dot(v, ex) / V, eta = kl_dot(v, ey) / V, phi = kl_dot(w, c->n) / V;
    out->Fx     = -p->f11 * xi;
    out->Fy     = -p->f22 * eta - p->f23 * phi;
    out->Mz     = p->f23 * eta - p->f33 * phi;
    out->force  = kl_add(kl_scale(out->Fx, ex), kl_scale(out->Fy, ey));
    out->moment = kl_scale(out->Mz, c->n);
    out->loss   = -V * (out->Fx * xi + out->Fy * eta + out->Mz * phi);
}

static kl_status rigid_eval(const kl_reading *in, kl_writing *out)
{
    const wheel_rail       *p = in->data;
    const wheel_rail_cache *c = in->cache;
    for (int k = 0; k < 2; k++) {
        const kl_wheel_contact *at = deepest(c, k);
        kl_wheel_force          f;
        if (out->phi) out->phi[k] = at->depth;
        if (out->rows) row_of(in->m, at, out->rows + (size_t)k * WIDE);
        creep_at(p, in->m, at, &f);
        if (out->wrench) kl_wheel_rail_add(in->m, at->point, &f, out->wrench);
        out->loss += f.loss;
        out->supply -= p->speed * kl_dot(f.force, at->x);
    }
    return out->bias ? set_bias(in, out->bias) : KL_OK;
}

static kl_status rigid_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                             kl_element_size *size)
{
    wheel_rail *p = data;
    p->E = 210e9, p->nu = 0.28, p->grid = 1.0, p->online = 1;
    p->reach =
        p->wheel || p->rail ? REACH : (double)INFINITY; /* a cone has its contact in closed form */
    p->radius_right = p->friction_right = p->stiffness = (double)NAN;
    KL_TRY(kl_wheel_rail_setup(data, s, m, nmarker, size));
    size->nphi = 2;
    return KL_OK;
}

enum { SHIFT, YAW, ROLL, N_LEFT, N_RIGHT, ANGLE_LEFT, ANGLE_RIGHT, R_LEFT, R_RIGHT };

static void rigid_output(const kl_reading *in, const double *lambda, double *values)
{
    const wheel_rail       *p  = in->data;
    const wheel_rail_cache *c  = in->cache;
    kl_vec3                 ex = kl_axis(&c->middle.A, 0), ey = kl_axis(&c->middle.A, 1),
            ez    = kl_axis(&c->middle.A, 2);
    kl_vec3 axle  = kl_mul(&in->m[1].A, p->axle);
    values[SHIFT] = kl_dot(kl_sub(in->m[1].r, c->middle.r), ey);
    values[YAW]   = atan2(-kl_dot(axle, ex), kl_dot(axle, ey));
    values[ROLL]  = atan2(kl_dot(axle, ez), kl_dot(axle, ey));
    for (int k = 0; k < 2; k++) {
        const kl_wheel_contact *at = deepest(c, k);
        values[N_LEFT + k]         = lambda[k];
        values[ANGLE_LEFT + k]     = atan2(-side_of(k) * kl_dot(at->n, ey), kl_dot(at->n, ez));
        values[R_LEFT + k]         = at->radius;
    }
}

#define NUMBER KL_WHEEL_RAIL_NUMBER

static const kl_key rigid_keys[] = {
    KL_WHEEL_RAIL_WHEELS,
    KL_WHEEL_RAIL_TRACK,
    NUMBER("f11", f11, "N", "0", 0.0, 1e300, "longitudinal creep coefficient of a wheel"),
    NUMBER("f22", f22, "N", "0", 0.0, 1e300, "lateral creep coefficient of a wheel"),
    NUMBER("f23", f23, "N m", "0", -1e300, 1e300, "spin creep coefficient of a wheel"),
    NUMBER("f33", f33, "N m2", "0", 0.0, 1e300, "spin moment coefficient of a wheel"),
    KL_WHEEL_RAIL_SPEED,
    {0}};

static const kl_output rigid_outputs[] = {
    {"shift", "m", "lateral displacement of the wheelset from the track centre, to the left"},
    {"yaw", "rad", "yaw angle of the axle relative to the track"},
    {"roll", "rad",
     "roll angle of the axle relative to the track; positive: the left wheel is higher"},
    {"N_left", "N", "normal force of the left wheel; negative: it would lift off"},
    {"N_right", "N", "normal force of the right wheel; negative: it would lift off"},
    {"angle_left", "rad", "contact angle of the left wheel; positive: the rail pushes inward"},
    {"angle_right", "rad", "contact angle of the right wheel; positive: the rail pushes inward"},
    {"radius_left", "m", "rolling radius of the left wheel"},
    {"radius_right", "m", "rolling radius of the right wheel"},
    {0}};

const kl_element_type kl_rigid_wheel_rail = {
    .name     = "rigid-wheel-rail",
    .help     = "a wheelset on straight rails by constraints: rigid contact, for quasi-static work",
    .equation = "penetration of each wheel = 0, creep force -f11 xi, -f22 eta - f23 phi",
    .example =
        "rails: {type: rigid-wheel-rail, between: [ground, wheelset], at: [[0, 0, 0], [0, 0, "
        "0.46]], radius: 0.46, conicity: 0.05, rail_radius: 0.3}",
    .keys      = rigid_keys,
    .outputs   = rigid_outputs,
    .attach    = &kl_attach_pair,
    .rolls     = 1u << 1,
    .data_size = sizeof(wheel_rail),
    .setup     = rigid_setup,
    .locate    = rigid_locate,
    .limit =
        "a wheel is more than 30 mm away from its rail; place the wheelset on the rails, or use "
        "the force `wheel-rail`, which can lift and derail",
    .eval   = rigid_eval,
    .output = rigid_output,
    .watch  = kl_wheel_rail_watch};
