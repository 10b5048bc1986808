/* Normal force between a collector strip and the contact wire.
 *
 *   F = K delta^n (1 + 3 (1 - e^2)/4 delta'/delta'(-)) > 0
 *
 * delta: penetration depth [m]; delta'(-): speed at which this contact began; e: coefficient of
 * restitution; a contact that exists from the start (impact 0) loses nothing (Lankarani and Nikravesh 1990; Ambrosio, multidisciplinary multibody, eq. 10). n = 1,
 * e = 1 is the one-sided spring of EN 50318. */
#ifndef KL_CATENARY_CONTACT_LAW_H
#define KL_CATENARY_CONTACT_LAW_H

typedef struct kl_strip_law {
    double stiffness;   /* K [N/m^n] */
    double exponent;    /* n */
    double restitution; /* e */
} kl_strip_law;

/* Stiffness at a depth of 1 mm, of the order of that at rest [N/m]. */
double kl_strip_secant(const kl_strip_law *law);
/* A step may let a head on this stiffness turn by so much of its oscillation [rad]. */
#define KL_STRIP_TURN 0.5

/* Force [N] at a depth and its rate; `impact` is the speed at which the contact began [m/s]. */
double kl_strip_force(const kl_strip_law *law, double depth, double rate, double impact);

/* The force F that satisfies F = force(depth - G F), where the rate follows the depth as
 * rate + slope (depth - ...): `depth`, `rate` without the force, G: compliance of both sides [m/N]. */
double kl_strip_solve(const kl_strip_law *law, double depth, double rate, double slope, double G,
                      double impact);

#endif
