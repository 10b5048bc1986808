/* Friction force over slip velocity and normal force; knows no geometry, so that contacts and joints
 * share it. Vectors are in any axes that do not turn while one call is made; a joint with one
 * direction of slip uses x alone.
 *
 * Laws of slip speed s = |u| give a coefficient, and the force is T = -N mu(s) u/s:
 *
 *   threlfall     mu_d (1 - exp(-3 s/v1))                                (Ambrosio 2019, eq. 1.27)
 *   ramp          0 up to v0, linear up to v1, then mu_d
 *   smooth        mu_d s/sqrt(s^2 + v1^2)
 *   bengisu-akay  mu_s (1 - (s - v0)^2/v0^2) up to v0, then mu_d + (mu_s - mu_d) exp(-xi (s - v0))
 *                 (eq. 1.28 with its signs put right)
 *   stribeck      (mu_d + (mu_s - mu_d) exp(-(s/v0)^2)) tanh(3 s/v1)
 *
 * each plus `viscous` times s. Laws with memory hold a body at rest without creep:
 *
 *   lugre         z' = u - s0 |u| z/g(|u|), g = mu_d + (mu_s - mu_d) exp(-(s/v0)^2)
 *                 T = -N (s0 z + s1 z' + viscous u)       (Canudas de Wit et al. 1995; z is a state)
 *   stick-slip    T = -(k_T g + c_T u), at most mu N: then the elastic gap g is scaled back
 *                 (Craveiro Neto 2020, eq. 3.18 and 3.28; g is a history). While it sticks mu is
 *                 mu_s, while it slips mu_d; with v0 > 0 it slips with the level g of lugre, and
 *                 `viscous` adds to it. With damping the slider is in series with spring and damper:
 *                 k_T g + c_T g' = mu N t while it slips, so that g follows within c_T/k_T. A gap
 *                 scaled back at once would turn by a share of each step, however short it is.
 *
 * The caller carries g and z with the surface that it slips on, which makes them objective. */
#ifndef KL_CONTACT_FRICTION_LAW_H
#define KL_CONTACT_FRICTION_LAW_H

#include <stdbool.h>

#include "base/vec.h"

typedef enum kl_friction_kind {
    KL_FRICTION_NONE,
    KL_FRICTION_THRELFALL,
    KL_FRICTION_RAMP,
    KL_FRICTION_SMOOTH,
    KL_FRICTION_BENGISU_AKAY,
    KL_FRICTION_STRIBECK,
    KL_FRICTION_LUGRE,
    KL_FRICTION_STICK_SLIP,
    KL_FRICTION_KINDS
} kl_friction_kind;

typedef struct kl_friction_law {
    kl_friction_kind kind;
    double           mu_s, mu_d; /* static and dynamic coefficient [-] */
    double           v0, v1;     /* speeds of the law above [m/s] */
    double           xi;         /* bengisu-akay: shape factor [s/m] */
    double           viscous;    /* added coefficient per slip speed [s/m] */
    double           k_t;        /* stick-slip: tangential stiffness [N/m] */
    double           c_t;        /* stick-slip: tangential damping while it sticks [N s/m] */
    double           s0, s1; /* lugre: bristle stiffness [1/m] and damping [s/m] per normal force */
    double           rolling;  /* lever arm of rolling resistance [m] */
    double           spinning; /* lever arm of resistance to spin about the normal [m] */
    double           w0;       /* angular speed at which these are nearly complete [rad/s] */
} kl_friction_law;

/* One line a law, for reading, help and documentation. */
typedef struct kl_friction_row {
    const char *name;
    const char *equation, *source;
    bool        two;     /* has a static coefficient beside the dynamic one */
    bool        gap;     /* keeps an elastic gap as history */
    bool        bristle; /* has a first-order state */
    double      v0, v1;  /* default speeds [m/s]; 0: not used */
} kl_friction_row;

extern const kl_friction_row kl_friction_laws[KL_FRICTION_KINDS];
extern const char *const     kl_friction_words;

/* Fills defaults where numbers are 0: speeds, xi, mu_s = mu_d, w0. */
void kl_friction_law_init(kl_friction_law *law);

typedef struct kl_friction_input {
    kl_vec3 slip;   /* u: velocity over the other body, tangential [m/s] */
    double  normal; /* N >= 0 [N] */
    kl_vec3 gap;    /* stick-slip: elastic gap if nothing slipped since the last step [m] */
    kl_vec3 before; /* stick-slip: elastic gap at the last step [m], */
    double  dt;     /* that was so long ago [s]; 0: the gap follows without delay */
    bool    slips;  /* stick-slip: it slipped at the end of the last step */
    kl_vec3 z;      /* lugre: mean deflection of the bristles [m] */
} kl_friction_input;

typedef struct kl_friction_force {
    kl_vec3 f;         /* T on the body that slips [N] */
    kl_mat3 by_slip;   /* dT/du */
    kl_mat3 by_state;  /* dT/dg or dT/dz */
    kl_vec3 by_normal; /* dT/dN */
    kl_vec3 gap;       /* stick-slip: elastic gap after the return map */
    bool    slips;     /* beyond the static limit, or sliding */
    kl_vec3 z_dot;     /* lugre: z' and its derivatives */
    kl_mat3 z_by_slip, z_by_z;
    double  energy; /* stored [J] */
    double  loss;   /* dissipated power [W] */
    double  over;   /* stick-slip: trial force minus its limit [N]; above 0: it slips */
    double  along;  /* stick-slip: slip speed along the elastic gap [m/s] */
    double  growth; /* stick-slip: mean rate of the elastic gap along itself [m/s] */
} kl_friction_force;

void kl_friction_eval(const kl_friction_law *law, const kl_friction_input *in,
                      kl_friction_force *out);

/* Of stick-slip, at the end of a step: its position between sticking and slipping, in units of what
 * is allowed; a crossing watches its sign. It sticks: by how much the elastic gap may still stretch. It
 * slips: how fast the limit is left behind, s = u.t - g'.t (without damping g' = (mu N)'/k_t); it sticks
 * again where s becomes negative. After a change: by how much the step went beyond it, and no less than
 * what counts as passed. `slid`: it slipped at the end of the step before, dt [s] ago. */
double kl_friction_phase(const kl_friction_law *law, const kl_friction_force *f, double normal,
                         double normal_before, bool slid, double dt);

/* Coefficient at slip speed s and its derivative, of the laws without memory. */
double kl_friction_coefficient(const kl_friction_law *law, double s, double *by_speed);

/* Resisting moment [N m] against the relative angular velocity w [rad/s]: rolling about axes across
 * the normal n, spinning about it; m = -N (rolling w_t/sqrt(|w_t|^2 + w0^2) + spinning ...). */
typedef struct kl_rolling_moment {
    kl_vec3 m;
    kl_mat3 by_spin;      /* dm/dw */
    kl_mat3 by_direction; /* dm/dn */
    kl_vec3 by_normal;    /* dm/dN */
    double  loss;
} kl_rolling_moment;

kl_rolling_moment kl_rolling_eval(const kl_friction_law *law, kl_vec3 n, kl_vec3 w, double normal);

#endif
