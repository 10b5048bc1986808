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

/* Keys that all rigid bodies have; the data of each kind begin with a `rigid`. */
#define KL_RIGID_KEYS                                                                              \
    {.name   = "mass",                                                                             \
     .kind   = KL_KEY_NUMBER,                                                                      \
     .offset = offsetof(rigid, mass),                                                              \
     .unit   = "kg",                                                                               \
     .min    = 0,                                                                                  \
     .max    = 1e300,                                                                              \
     .help   = "mass; 0 is allowed only if joints determine the motion of the body"},                \
        {.name     = "inertia",                                                                    \
         .kind     = KL_KEY_INERTIA,                                                               \
         .offset   = offsetof(rigid, inertia),                                                     \
         .unit     = "kg m2",                                                                      \
         .fallback = "[0, 0, 0]",                                                                  \
         .help     = "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]: entries of the inertia tensor"},       \
        {.name     = "inertia_about",                                                              \
         .kind     = KL_KEY_WORD,                                                                  \
         .offset   = offsetof(rigid, inertia_about),                                               \
         .words    = "center reference",                                                           \
         .fallback = "center",                                                                     \
         .help = "reference point of the inertia: centre of mass or reference point of the body"}, \
        {.name     = "inertia_axes",                                                               \
         .kind     = KL_KEY_ROTATION,                                                              \
         .offset   = offsetof(rigid, inertia_axes),                                                \
         .fallback = "{axis: z, angle: 0}",                                                        \
         .help     = "orientation of the axes of the inertia, relative to the body"},                  \
        {.name     = "center",                                                                     \
         .kind     = KL_KEY_NUMBERS,                                                               \
         .offset   = offsetof(rigid, center),                                                      \
         .unit     = "m",                                                                          \
         .size     = 3,                                                                            \
         .fallback = "[0, 0, 0]",                                                                  \
         .help     = "centre of mass relative to the reference point, in body axes"},                  \
        {.name     = "position",                                                                   \
         .kind     = KL_KEY_NUMBERS,                                                               \
         .offset   = offsetof(rigid, position),                                                    \
         .unit     = "m",                                                                          \
         .size     = 3,                                                                            \
         .fallback = "[0, 0, 0]",                                                                  \
         .help     = "initial position of the reference point, global"},                               \
        {.name     = "orientation",                                                                \
         .kind     = KL_KEY_ROTATION,                                                              \
         .offset   = offsetof(rigid, orientation),                                                 \
         .fallback = "{axis: z, angle: 0}",                                                        \
         .help =                                                                                   \
             "initial orientation: {axis, angle}, {quaternion}, {euler}, {cardan} or {x, y} (two " \
             "vectors)"},                                                                          \
        {.name     = "velocity",                                                                   \
         .kind     = KL_KEY_NUMBERS,                                                               \
         .offset   = offsetof(rigid, velocity),                                                    \
         .unit     = "m/s",                                                                        \
         .size     = 3,                                                                            \
         .fallback = "[0, 0, 0]",                                                                  \
         .help     = "initial velocity of the reference point"},                                       \
        {.name     = "omega",                                                                      \
         .kind     = KL_KEY_NUMBERS,                                                               \
         .offset   = offsetof(rigid, omega),                                                       \
         .unit     = "rad/s",                                                                      \
         .size     = 3,                                                                            \
         .fallback = "[0, 0, 0]",                                                                  \
         .help     = "initial angular velocity"},                                                      \
        {.name     = "velocity_axes",                                                              \
         .kind     = KL_KEY_WORD,                                                                  \
         .offset   = offsetof(rigid, velocity_axes),                                               \
         .words    = "global body",                                                                \
         .fallback = "global",                                                                     \
         .help     = "axes in which velocity and omega are given"},                                    \
    {                                                                                              \
        .name = "fixed", .kind = KL_KEY_WORDS, .offset = offsetof(rigid, fixed),                   \
        .words = "position orientation velocity omega", .fallback = "[]",                          \
        .help = "initial values that assembly must keep; the others are initial guesses"           \
    }

/* Has a marker the axes of its body? Most have, and need no product of matrices. */
static inline bool kl_marker_is_plain(const kl_marker *k)
{
    const double(*A)[3] = k->A.m;
    return A[0][1] == 0.0 && A[0][2] == 0.0 && A[1][2] == 0.0 && A[0][0] == 1.0 && A[1][1] == 1.0;
}

/* The table of a rigid body with `spin_axis`. */
extern const kl_body_type kl_spinning;
extern const kl_key       kl_rigid_keys[];

#endif
