/* Data of a rigid body, and what both its kinds share: with axes that are fixed in it (rigid.c) and
 * with axes that do not spin (spinning.c). */
#ifndef KL_BODIES_RIGID_H
#define KL_BODIES_RIGID_H

#include "model/interface.h"

typedef struct rigid {
    /* as given */
    double  mass;
    kl_mat3 inertia;       /* about `inertia_at`, in axes `inertia_axes` */
    kl_mat3 inertia_axes;  /* those axes in the body */
    int     inertia_about; /* 0: centre of mass, 1: reference point */
    bool    round;         /* derived: looks the same whatever its spin angle */
    double  center[3];     /* centre of mass in the body */
    double  position[3];
    kl_mat3 orientation;
    double  velocity[3], omega[3];
    int     velocity_axes; /* 0: global, 1: body */
    int     fixed;         /* bits: position, orientation, velocity, omega */
    kl_vec3 spin_axis;     /* in the body; zero: none */
    /* derived */
    kl_mat3 J; /* about the reference point, body axes */
} rigid;

/* First moment m c, in the body. */
static inline kl_vec3 rigid_moment(const rigid *p) { return kl_scale(p->mass, kl_load(p->center)); }

/* Inertia about the reference point; refuses what no body can have. */
kl_status rigid_take_inertia(rigid *p, const kl_setup *s);
void      rigid_place(void *data, const kl_placement *p);
void      rigid_start(const void *data, double *q, double *v, unsigned char *held_position,
                      unsigned char *held_velocity);

/* The table of a rigid body with `spin_axis`. */
extern const kl_body_type kl_spinning;
extern const kl_key       kl_rigid_keys[];

#endif
