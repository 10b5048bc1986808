/* Designs that tests of the catenary share: the two reference models and a single wire. */
#ifndef KL_TESTS_CATENARY_DESIGNS_H
#define KL_TESTS_CATENARY_DESIGNS_H

#include <string.h>

#include "catenary/line.h"

enum { MOST_SPANS = 200 };

typedef struct test_design {
    kl_catenary_design design;
    kl_tension_length  part;
    double             span[MOST_SPANS], zero[MOST_SPANS + 1], over[MOST_SPANS + 1];
    double             stagger[MOST_SPANS + 1], position[16];
} test_design;

static inline void set_spans(test_design *t, int nspan, double length)
{
    for (int i = 0; i < nspan; i++) t->span[i] = length;
    for (int i = 0; i <= nspan; i++) t->over[i] = 1.2;
    t->part.span = t->span, t->part.nspan = nspan;
    t->part.height = t->zero, t->part.stagger = t->stagger, t->part.messenger_y = t->zero;
    t->part.encumbrance = t->over;
    t->part.presag_span = t->part.dropper.span = length;
    t->part.dropper.position                   = t->position;
    t->design                                  = (kl_catenary_design){
                                         .name = "line", .part = &t->part, .npart = 1, .element = 1.1, .gravity = 9.81};
}

/* EN 50318:2002, as reference/catenary/README.md writes it: no steady arms, no damping. */
static inline void design_en50318(test_design *t, int nspan, double presag)
{
    const double at[] = {5, 10.5, 17, 23.5, 30, 36.5, 43, 49.5, 55};
    *t                = (test_design){0};
    set_spans(t, nspan, 60.0);
    memcpy(t->position, at, sizeof at);
    t->part.contact      = (kl_wire_data){.mass = 1.35, .tension = 20e3, .bending = 195};
    t->part.messenger    = (kl_wire_data){.mass = 1.07, .tension = 16e3, .bending = 131.7};
    t->part.dropper.npos = 9, t->part.dropper.stiffness = 1e5;
    t->part.presag = presag;
}

/* The recalled model of the 2015 benchmark: pre-sag 55 mm, clamps, steady arms, damping. */
static inline void design_2015(test_design *t, int nspan)
{
    *t = (test_design){0};
    set_spans(t, nspan, 55.0);
    for (int i = 0; i < 9; i++) t->position[i] = 4.5 + 5.75 * i;
    t->part.contact = (kl_wire_data){
        .mass = 1.35, .tension = 22e3, .bending = 195, .alpha = 0.0125, .beta = 1e-4};
    t->part.messenger = (kl_wire_data){
        .mass = 1.08, .tension = 16e3, .bending = 131.7, .alpha = 0.0125, .beta = 1e-4};
    t->part.dropper.npos = 9, t->part.dropper.stiffness = 1e5;
    t->part.dropper.contact_clamp = 0.165, t->part.dropper.messenger_clamp = 0.195;
    t->part.arm    = (kl_arm_data){.present = true, .mass = 0.297, .vertical = 262, .lateral = 1e6};
    t->part.presag = 0.055;
    t->design.element = 1.15; /* the mesh of the independent solution */
}

/* One wire between two pinned or clamped ends. */
static inline void design_wire(test_design *t, double length, double tension, double bending)
{
    *t = (test_design){0};
    set_spans(t, 1, length);
    t->part.contact = (kl_wire_data){.mass = 1.35, .tension = tension, .bending = bending};
    t->part.single  = true;
}

#endif
