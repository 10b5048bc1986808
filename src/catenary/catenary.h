/* The resource `catenaries` of a model: what its entry says, and the finite element line made of it.
 */
#ifndef KL_CATENARY_CATENARY_H
#define KL_CATENARY_CATENARY_H

#include "catenary/line.h"
#include "model/resource.h"

typedef enum kl_line_layout { KL_TROLLEY, KL_SIMPLE, KL_STITCHED } kl_line_layout;

typedef struct kl_catenary {
    /* keys */
    int     layout; /* kl_line_layout */
    double  start, spans;
    kl_list span_length, heights, stagger, messenger_stagger, encumbrance;
    double  presag;
    double  mass[3], tension[3], bending[3]; /* contact wire, messenger, stitch wire */
    double  foundation;
    double  damping[3][2];                   /* alpha [1/s], beta [s] */
    int     ends;                            /* 0: pinned, 1: clamped */
    kl_list droppers, dropper_lengths, lumps, lump_masses;
    double  dropper_stiffness, contact_clamp, messenger_clamp;
    double  arm_mass, arm_stiffness, arm_lateral, registration_mass, registration_stiffness;
    double  support_stiffness, stitch_length;
    double  sections, overlap, rise, overlap_spacing;
    double  dropper_error, wear, seed;
    double  element, gravity;
    /* made of them */
    kl_catenary_design design;
    kl_line           *line;
} kl_catenary;

/* How waves travel along a line (Wu and Brennan 1999): speeds, share that a dropper of the messenger
 * reflects, and for a pantograph of speed v the Doppler factor (c - v)/(c + v). */
typedef struct kl_wave_figures {
    double contact, messenger; /* wave speeds sqrt(T/mu) [m/s]; messenger NaN: none */
    double reflection;         /* sqrt(T mu) of the messenger over that of both wires */
    double doppler, gain;      /* at speed v; reflection over Doppler factor: the amplification */
} kl_wave_figures;
kl_wave_figures kl_catenary_waves(const kl_catenary *c, double speed);

extern const kl_resource_type kl_catenaries;

#endif
