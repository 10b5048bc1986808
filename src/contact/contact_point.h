/* One contact point of two moving shapes: kinematics, force and their derivatives.
 *
 * With unit normal n from body 1 to body 2, gap g and a point c that both forces act at:
 *
 *   d = -g,  d' = n.w,  w = v1(c) - v2(c),  u = w - (n.w) n
 *   F1 = -N(d, d') n + T(u, N, e),  F2 = -F1
 *
 * e is the elastic tangential gap (stick-slip) or the bristle deflection (LuGre), carried in the axes
 * of body 2. Since the last accepted step, a time dt ago, it has grown by the slip:
 *
 *   e = P (A2 e_h + dt/2 (A2 u_h + u)),  P = 1 - n n'                    while time passes
 *   e = P (A2 e_h + (x1 - p1) - (x2 - p2))                               at one and the same time
 *
 * The second form is that of Craveiro Neto 2020, eq. 3.25 to 3.28, with x1, x2 the material points
 * that touched then and p1, p2 those that touch now; statics and linearisation need it, for they move
 * without velocity. In a run the first is used: the second takes the chord of a rolling surface for
 * its arc, which was measured to shake a rolling disc. A common rigid motion of both bodies changes
 * nothing in either. */
#ifndef KL_CONTACT_CONTACT_POINT_H
#define KL_CONTACT_CONTACT_POINT_H

#include "contact/friction_law.h"
#include "contact/normal_law.h"
#include "contact/pair.h"
#include "model/interface.h"

enum { KL_CONTACT_FIRST, KL_CONTACT_SECOND, KL_CONTACT_MIDDLE }; /* where the forces act */

/* History of a contact point. */
enum {
    KL_POINT_STATE,  /* 0 open, 1 closed and sticking, 2 closed and slipping */
    KL_POINT_IMPACT, /* rate at first touch [m/s]; while open: approach speed of the last step */
    KL_POINT_DEPTH,  /* penetration depth at the last step [m]; negative while open */
    KL_POINT_RATE,   /* its rate [m/s] */
    KL_POINT_RUB,    /* power of friction and rolling resistance over the normal force [m/s] */
    KL_POINT_SHORT,  /* what follows belongs to friction that remembers a gap */
    KL_POINT_GAP    = KL_POINT_SHORT,   /* elastic gap in axes of body 2 [m], 3 numbers */
    KL_POINT_ON1    = KL_POINT_GAP + 3, /* material point of body 1, marker axes [m] */
    KL_POINT_ON2    = KL_POINT_ON1 + 3,
    KL_POINT_SLIP   = KL_POINT_ON2 + 3,  /* slip in axes of body 2 [m/s] */
    KL_POINT_NORMAL = KL_POINT_SLIP + 3, /* normal force [N] */
    /* of stick-slip: above 0 while it sticks, below 0 while it slips; how far from the change, in
     * units of what is allowed */
    KL_POINT_PHASE = KL_POINT_NORMAL + 1,
    KL_POINT_DEEPEST =
        KL_POINT_PHASE + 1, /* law indentation: greatest depth so far [m]; kept while open */
    KL_POINT_HISTORY = KL_POINT_DEEPEST + 1
};

typedef struct kl_contact_law {
    kl_normal_law   normal;
    kl_friction_law friction;
    int             acts;  /* KL_CONTACT_FIRST ... */
    double          share; /* of stiffness, with several slices */
} kl_contact_law;

typedef struct kl_contact_state { /* at one point, now */
    kl_vec3 c, n, w, u, e0, e;    /* e0: before the projection */
    double  depth, rate;
    double
        stays; /* law indentation: depth of the indentation before this step, where forces begin; else 0 */
    bool              closed;
    kl_normal_force   normal;
    kl_friction_force friction;
    kl_rolling_moment rolling;
    kl_vec3           F, M; /* on body 1: force at c, resisting moment */
} kl_contact_state;

/* Energy [J] that the normal force dissipated since the last step, `dt` ago, at a place that continues `h` and
 * now has the state `x`. */
double kl_contact_point_lost(const kl_contact_law *law, const kl_contact_state *x, const double *h,
                             double dt);

/* The same of friction, rolling and spinning resistance, with what the elastic gap takes. */
double kl_contact_point_rubbed(const kl_contact_law *law, const kl_contact_state *x,
                               const double *h, double dt);
/* Their power over the normal force; 0 without one. */
double kl_contact_point_rub(const kl_contact_state *x);

/* Was the normal force largest within that step? And the force at the share s of it. */
bool   kl_contact_point_peaks(const kl_contact_state *x, const double *h, double dt);
double kl_contact_point_within(const kl_contact_law *law, const kl_contact_state *x,
                               const double *h, double dt, double s);

/* `h`: its history, `dt` ago; `z`: its bristles in axes of body 2, or NULL. */
void kl_contact_point_eval(const kl_contact_law *law, const kl_spot *s, const kl_motion m[2],
                           const double *h, double dt, const double *z, kl_contact_state *out);

/* Derivatives of p1, p2 and n by the six increments of marker 2 (dr, dtheta), global. */
typedef struct kl_spot_slopes {
    kl_vec3 p1[6], p2[6], n[6];
} kl_spot_slopes;

/* Adds to K, C (12 x 12) and with bristles to wz, zk, zc, zz (states iz ...). */
void kl_contact_point_tangent(const kl_contact_law *law, const kl_spot *s, const kl_motion m[2],
                              const kl_contact_state *x, const double *h, double dt,
                              const double *z, const kl_spot_slopes *slopes, int iz, int nz,
                              kl_slopes *out);

#endif
