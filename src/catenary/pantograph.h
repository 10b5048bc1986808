/* A pantograph as a chain of lumped masses, head first: mass i hangs on mass i + 1 by a spring and a
 * damper, the last one on the base. Heights u count from the same level as the contact wire.
 *
 *   m_i u_i'' = ... + uplift on the last mass + lift on the head - sum of contact forces on the head
 *
 * Its own integrator is Newmark's average acceleration with any number of equal steps. */
#ifndef KL_CATENARY_PANTOGRAPH_H
#define KL_CATENARY_PANTOGRAPH_H

#include "base/diag.h"

enum { KL_PANTOGRAPH_MASSES = 4 };

typedef struct kl_pantograph {
    int    n;                               /* masses, 1 to 4 */
    double mass[KL_PANTOGRAPH_MASSES];      /* [kg] */
    double stiffness[KL_PANTOGRAPH_MASSES]; /* to the next mass, the last one to the base [N/m] */
    double damping[KL_PANTOGRAPH_MASSES];   /* [N s/m] */
    double friction[KL_PANTOGRAPH_MASSES];  /* dry, of the same joints [N] */
} kl_pantograph;

/* d, v, a of each mass side by side */
enum { KL_PANTOGRAPH_STATE = 3 * KL_PANTOGRAPH_MASSES };

/* What acts on it over a step: values at its end. */
typedef struct kl_pantograph_load {
    double uplift, lift;     /* on the last mass and on the head [N] */
    double base, base_speed; /* height of the base above its rest [m], [m/s] */
} kl_pantograph_load;

/* A = M + dt/2 C + dt^2/4 K inverted, for steps of dt. */
typedef struct kl_pantograph_stepper {
    const kl_pantograph *of;
    double               dt, inverse[KL_PANTOGRAPH_MASSES][KL_PANTOGRAPH_MASSES];
} kl_pantograph_stepper;

void kl_pantograph_prepare(const kl_pantograph *p, double dt, kl_pantograph_stepper *s);

/* First half of a step, without contact force. */
void kl_pantograph_free_step(const kl_pantograph_stepper *s, const kl_pantograph_load *load,
                             double *state);
/* Downward motion of the head at the end of a step by a unit of contact force [m/N]. */
double kl_pantograph_influence(const kl_pantograph_stepper *s);
/* Second half, with the sum of contact forces. */
void kl_pantograph_finish(const kl_pantograph_stepper *s, double force, double *state);

/* The state at rest with the head at height u under a contact force; returns the uplift force at the lowest
 * mass that balances it. */
double kl_pantograph_rest_uplift(const kl_pantograph *p, double u, double force, double *state);

/* Height of the head at rest above that of the base for a harmonic force on the head: amplitude
 * [m/N] and phase [rad] at a frequency [Hz] (test bench). */
void kl_pantograph_response(const kl_pantograph *p, double frequency, double *amplitude,
                            double *phase);

#endif
