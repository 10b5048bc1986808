/* Normal force of a compliant contact over penetration depth d [m] and its rate d' [m/s].
 *
 * Every law is an elastic part f_e(d) times or plus a part that dissipates energy; the force pushes
 * and never pulls. One data table (kl_normal_laws) names them; one function evaluates them.
 *
 *   linear               f = k d^n + c d'
 *   hertz                f = k d^n, n = 3/2                                   (point contact)
 *   hertz-line           d = (f s/L)(ln(4 L R/(f s)) + 1), s = 1/(pi E*)        (line contact)
 *   kelvin-voigt         f = k d^n (e + (1 - e)(3 r^2 - 2 r^3)), r = d'/v0 in [0, 1]
 *                        (Ambrosio 2019, eq. 1.25; e is an energy ratio, the rebound is near its
 *                        square root)
 *   hunt-crossley        f = k d^n (1 + 3/2 (1 - e) d'/v)
 *   lankarani-nikravesh  f = k d^n (1 + 3/4 (1 - e^2) d'/v)                    (eq. 1.26)
 *   flores               f = k d^n (1 + 8 (1 - e)/(5 e) d'/v)
 *   table                f = F(d) + c d'
 *   indentation          f = k d, from the deepest point D back with k/e^2: f = k/e^2 (d - D (1 - e^2)), an
 *                        indentation D (1 - e^2) stays (Walton and Braun 1986; kl_normal_indent)
 *
 * v is the impact speed: the rate at first touch, remembered until separation, and never below
 * `speed_floor`. d'/v is limited to `rate_limit`, 1 as in section 1.3.2, so
 * that a body at rest on another can be hit. With
 * `exact` the factor of the three laws with hysteresis is chosen so that an undisturbed impact
 * rebounds with `restitution` itself. */
#ifndef KL_CONTACT_NORMAL_LAW_H
#define KL_CONTACT_NORMAL_LAW_H

#include <stdbool.h>

#include "script/characteristic.h"

typedef enum kl_normal_kind {
    KL_NORMAL_LINEAR,
    KL_NORMAL_HERTZ,
    KL_NORMAL_HERTZ_LINE,
    KL_NORMAL_KELVIN_VOIGT,
    KL_NORMAL_HUNT_CROSSLEY,
    KL_NORMAL_LANKARANI_NIKRAVESH,
    KL_NORMAL_FLORES,
    KL_NORMAL_TABLE,
    KL_NORMAL_INDENTATION,
    KL_NORMAL_KINDS,
    KL_NORMAL_AUTO = KL_NORMAL_KINDS /* as a key: hunt-crossley or hertz */
} kl_normal_kind;

typedef struct kl_normal_law {
    kl_normal_kind    kind;
    double            k;           /* stiffness [N/m^n] */
    double            n;           /* exponent [-] */
    double            c;           /* viscous damping [N s/m]: linear, table */
    double            restitution; /* e [-], asked for; of kelvin-voigt the energy ratio c_e */
    double            v0;          /* kelvin-voigt: rate at which loading is complete [m/s] */
    double            speed_floor; /* smallest impact speed [m/s] */
    double            rate_limit;  /* largest d'/v that counts; 0: 1 */
    bool              exact;       /* rebounds with `restitution` itself */
    double            compliance;  /* hertz-line: s = h_1 + h_2 [1/Pa] */
    double            length;      /* hertz-line: L [m] */
    double            radius;      /* hertz-line: R_1 + R_2, of a pin in a hole R_2 - R_1 [m] */
    kl_characteristic table;       /* table: F(d) [N] */

    double beta; /* derived: hysteresis factor [-] */
} kl_normal_law;

/* Force with derivatives and energy terms. f_e d' is the power that the elastic part stores. */
typedef struct kl_normal_force {
    double f;        /* [N], >= 0 */
    double by_depth; /* df/dd [N/m] */
    double by_rate;  /* df/dd' [N s/m] */
    double energy;   /* stored [J] */
    double loss;     /* dissipated power [W] */
    double spring;   /* f without the damper's share c d' [N] */
} kl_normal_force;

/* What a law needs, for reading, help and documentation. */
typedef struct kl_normal_row {
    const char *name;
    const char *equation, *source;
    double      exponent;       /* default n; 0: the law has none */
    bool        hysteresis;     /* k d^n (1 + beta d'/v) */
    bool        viscous;        /* takes c */
    bool        rebounds;       /* needs a restitution */
    double (*factor)(double e); /* beta; NULL: none */
} kl_normal_row;

extern const kl_normal_row kl_normal_laws[KL_NORMAL_KINDS];

/* The words of all laws, separated by blanks, in the order of kl_normal_kind. */
extern const char *const kl_normal_words;

/* Fills the derived numbers; defaults for n, v0 and speed_floor where they are 0. */
void kl_normal_law_init(kl_normal_law *law);

/* `impact`: rate at first touch [m/s]; only laws with hysteresis use it. */
kl_normal_force kl_normal_eval(const kl_normal_law *law, double depth, double rate, double impact);

/* Law indentation: with the greatest depth so far [m]. */
typedef struct kl_indented {
    kl_normal_force force;
    double          spent; /* by yielding so far [J] */
    double          stays; /* depth of the permanent indentation [m] */
} kl_indented;
kl_indented kl_normal_indent(const kl_normal_law *law, double depth, double deepest);

/* Ratio of rebound to approach speed of mass `mass` [kg] that hits at `speed` [m/s] and is otherwise
 * free: what the law delivers, where `restitution` is what was asked for. */
double kl_normal_delivered(const kl_normal_law *law, double mass, double speed);

/* The same for k d^n (1 + beta d'/v): it depends on beta only. And beta of a wanted ratio. */
double kl_hysteresis_delivered(double beta);
double kl_hysteresis_factor(double e);

/* h = (1 - nu^2)/(pi E) [1/Pa], of one surface (Lankarani 1995; Ambrosio 2009, eq. 9). */
double kl_hertz_compliance(double young, double poisson);

/* k of f = k d^(3/2) [N/m^1.5] for surfaces whose distance near the contact is A x^2 + B y^2
 * [1/m], both positive, and h_1 + h_2 [1/Pa]. A = B = 1/(2 R) is eq. 9: 4/(3 pi) sqrt(R)/(h_1 +
 * h_2). Elliptic integrals after Johnson, Contact Mechanics (1985), section 4.2. */
double kl_hertz_stiffness(double A, double B, double compliance);

/* Highest impact speed of eq. 10: 1e-5 sqrt(E/rho) [m/s]. */
double kl_hertz_speed_limit(double young, double density);

#endif
