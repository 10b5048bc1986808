/* An overhead contact line as an engineer describes it: tension lengths, spans, wires, droppers.
 *
 * x runs along the track, y to the left, z up. Heights count from any level the user likes; the
 * pantograph uses the same one. A line consists of one or more tension lengths; where two of them
 * run side by side the pantograph changes from one contact wire to the other (overlap). */
#ifndef KL_CATENARY_DESIGN_H
#define KL_CATENARY_DESIGN_H

#include "base/diag.h"

/* A wire: tensioned Euler-Bernoulli beam. Its tension is constant (weights or springs at the ends
 * of a tension length keep it so). */
typedef struct kl_wire_data {
    double mass;        /* per length [kg/m] */
    double tension;     /* [N] */
    double bending;     /* EI [N m2] */
    double foundation;  /* springs from height 0, per length [N/m2]; 0: none */
    double alpha, beta; /* C = alpha M + beta K [1/s, s] */
    bool   clamped;     /* ends hold the slope too; else pinned */
} kl_wire_data;

typedef struct kl_dropper_data {
    double  stiffness;                      /* in tension [N/m]; none in compression */
    double  contact_clamp, messenger_clamp; /* masses [kg] */
    double *position; /* npos: from the start of a span of length `span` [m] */
    int     npos;
    double  span;   /* for which positions are given [m]; others are scaled */
    double *length; /* npos unstretched lengths [m]; NULL: found from heights */
} kl_dropper_data;

/* A steady arm holds the contact wire sideways at each support between the ends. */
typedef struct kl_arm_data {
    bool   present;
    double mass;     /* that moves with the wire [kg]; balanced at rest */
    double vertical; /* stiffness from the static position [N/m] */
    double lateral;  /* stiffness [N/m] */
} kl_arm_data;

/* A registration arm carries the hinge of the steady arm: a mass on a spring. */
typedef struct kl_registration_data {
    bool   present;
    double mass, vertical; /* [kg], [N/m] */
} kl_registration_data;

/* A stitch wire under the messenger at each support between the ends. */
typedef struct kl_stitch_data {
    kl_wire_data wire; /* tension 0: no stitch wires */
    double       half; /* half its length [m] */
} kl_stitch_data;

typedef struct kl_tension_length {
    const char *name;
    kl_place    place, dropper_place;
    double      start; /* x of its first support [m] */
    double     *span;  /* nspan lengths [m] */
    int         nspan;
    double     *height;      /* nspan + 1: contact wire at supports [m] */
    double     *stagger;     /* nspan + 1: contact wire at supports [m] */
    double     *messenger_y; /* nspan + 1 [m] */
    double     *encumbrance; /* nspan + 1: messenger above contact wire at supports [m] */
    double      presag;      /* of the contact wire at mid-span [m], scaled with span squared */
    double      presag_span; /* span for which it is given [m] */

    kl_wire_data         contact, messenger;
    kl_dropper_data      dropper;
    kl_arm_data          arm;
    kl_registration_data registration;
    kl_stitch_data       stitch;
    double              *lump_x, *lump_mass; /* nlump: masses on the contact wire [m], [kg] */
    int                  nlump;              /* such as section insulators and joints */
    double               support_stiffness;  /* under the messenger [N/m]; 0: pinned */
    bool                 single; /* a contact wire alone, held at its supports: trolley wire */
} kl_tension_length;

typedef struct kl_catenary_design {
    const char        *name;
    kl_place           place;
    kl_tension_length *part;
    int                npart;
    double             element; /* longest finite element [m] */
    double             gravity; /* [m/s2] */
    /* installation errors: standard deviations with a seed */
    double   dropper_error; /* of the lengths of droppers [m] */
    double   wear;          /* share of the contact wire's section that is worn off, 0 to 0.5 */
    unsigned seed;
} kl_catenary_design;

#endif
