/* Kinematics of a mechanism that drivers move in full: positions, velocities and accelerations over
 * time, followed by continuation, and with the masses the forces that this takes (inverse
 * dynamics).
 *
 * On the way three kinds of positions are found and named:
 *   toggle      a body is at rest and turns back while its drive goes on
 *   branching   the constraints lose rank and the motion passes: another branch leaves here
 *   lock-up     the drivers cannot go on: the motion ends */
#ifndef KL_SOLVE_KINEMATICS_H
#define KL_SOLVE_KINEMATICS_H

#include "solve/simulation.h"

typedef enum kl_special_kind { KL_TOGGLE, KL_BRANCHING, KL_LOCK_UP } kl_special_kind;

typedef struct kl_special {
    kl_special_kind kind;
    double          t; /* [s] */
    int             body;
} kl_special;

typedef struct kl_kinematics {
    kl_special special[64];
    int        nspecial; /* may be more than there is room for; the first ones are kept */
    long       steps;
} kl_kinematics;

/* From 0 to `end` with rows each `every`. What was found goes into *k and as notes (lock-up: an
 * error, KL_E_STEP) to the diag. KL_E_MODEL when something is not driven: the diag names what can
 * still move. */
kl_status kl_kinematics_run(kl_simulation *s, double end, double every, const kl_sink *sink,
                            kl_kinematics *k, kl_diag *diag);

#endif
