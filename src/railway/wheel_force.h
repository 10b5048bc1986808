/* The force of a rail on a wheel at one contact: Hertz normal force with damping, creep force from
 * the true velocities at the patch. Pure functions in any right-handed axes with x along the rail;
 * the position part is separate, so that it is done once for each position. */
#ifndef KL_RAILWAY_WHEEL_FORCE_H
#define KL_RAILWAY_WHEEL_FORCE_H

#include "railway/creep.h"
#include "railway/hertz.h"
#include "railway/wheel_rail.h"

typedef struct kl_wheel_law {
    const kl_creep_law   *creep;
    kl_creep_options      options;
    kl_friction           friction;
    kl_elastic_pair       steel;
    kl_creep_coefficients given;       /* instead of Kalker's, where not NaN */
    double                stiffness;   /* of a linear normal force [N/m]; 0: Hertz */
    double                damping;     /* N = N_elastic (1 + damping * approach speed) [s/m] */
    double                constant;    /* beside it: damping force over approach speed [N s/m] */
    double                speed_floor; /* creepages fade below this rolling speed [m/s] */
    double                flattest;    /* smallest curvature By that Hertz is given [1/m] */
    const kl_hertz_table *hertz;       /* NULL: without a table */
} kl_wheel_law;

/* What follows from the position. Axes are those of the caller. */
typedef struct kl_wheel_contact {
    kl_vec3         point;   /* on the undeformed wheel, whose radius is that of rolling [m] */
    kl_vec3         x, n;    /* along the rail forward; normal from the rail into the wheel */
    double          depth;   /* > 0 [m] */
    double          elastic; /* normal force without damping and share [N] */
    double          energy;  /* stored [J] */
    double          share;   /* of all forces: below 1 for neighbours that are one patch in truth */
    double          a, b;    /* semi-axes [m] */
    double          friction; /* over that of the law */
    kl_kalker       c;
    double          wheel_u, rail_u, radius;
    kl_touch_region region;
} kl_wheel_contact;

void kl_wheel_contact_of(const kl_wheel_law *law, const kl_touch *t, kl_vec3 x,
                         kl_wheel_contact *c);

/* Kalker's coefficients of an ellipse, or those that the user gives. */
kl_kalker kl_wheel_coefficients(const kl_wheel_law *law, double a_over_b, double a, double b);

typedef struct kl_wheel_force {
    kl_vec3 force, moment; /* on the wheel, at the contact point [N, N m] */
    double  N, Fx, Fy, Mz; /* normal; along, across in the contact plane; about the normal */
    double  xi, eta, phi;  /* creepages [-, -, 1/m] */
    double  mu, slip;      /* friction there; share of the patch that slips, NaN: unknown */
    double  wear;          /* |Fx xi + Fy eta + Mz phi| [N]: energy lost over the distance rolled */
    double  approach;      /* speed at which the surfaces approach [m/s] */
    double  loss;          /* dissipated power [W] */
} kl_wheel_force;

/* `v`: velocity of the wheel's material at the contact point against the rail, `w` its angular
 * velocity against the rail, `forward`: speed of the axle along x against the rail. */
void kl_wheel_force_at(const kl_wheel_law *law, const kl_wheel_contact *c, kl_vec3 v, kl_vec3 w,
                       double forward, kl_wheel_force *out);

#endif
