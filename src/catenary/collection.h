/* Current collection: one catenary, one or more pantographs, the contact between them.
 *
 * All that changes is one block of numbers (the state), so that a copy of it is a rollback. A step
 * solves catenary, pantographs and contact together (one system). A head may also be prescribed, as
 * another program or a multibody model moves it: then the step finds contact forces for that head. */
#ifndef KL_CATENARY_COLLECTION_H
#define KL_CATENARY_COLLECTION_H

#include "catenary/contact_law.h"
#include "catenary/motion.h"
#include "catenary/pantograph.h"

/* Where an overlap ends and the next one begins, three contact wires meet: the most above a strip. */
enum {
    KL_MOST_PANTOGRAPHS = 4,
    KL_MOST_STRIPS      = 2,
    KL_MOST_WIRES       = 3,
    KL_STRIP_SLOTS      = KL_MOST_WIRES * KL_MOST_STRIPS
};

/* One pantograph as the collection sees it. */
typedef struct kl_collector {
    bool          prescribed; /* the motion of the head is prescribed; else lumped masses */
    bool          constant;   /* no head at all: a force that moves along the wire */
    kl_pantograph pantograph;
    kl_strip_law  law;
    int           nstrip;  /* 1 or 2 */
    double        spacing; /* between strips [m] */
    double        width;   /* of a strip across the track [m]; 0: no wire is beside it */
} kl_collector;

/* Where a pantograph is at the end of a step and what acts on it. */
typedef struct kl_collector_input {
    double             x, speed; /* of the head along the line [m], [m/s] */
    kl_pantograph_load load;     /* of lumped masses */
    double             z, rate;  /* of a prescribed head [m], [m/s] */
    double             y;        /* of its middle [m] */
} kl_collector_input;

/* One strip under one contact wire. */
typedef struct kl_wire_contact {
    double present;      /* 1; 0: there is no such wire here, all else is 0 */
    double force;        /* [N] */
    double impact;       /* speed at which the contact began [m/s] */
    double height, rate; /* of the wire as the strip moves along it [m], [m/s] */
    double lateral;      /* y of the wire [m] */
    double compliance;   /* looking ahead: of the height by the force [m/N] */
} kl_wire_contact;

/* Values of a pantograph at the end of a step; part of the state. */
typedef struct kl_collector_output {
    double          x;                    /* [m] */
    double          force;                /* sum of contact forces [N] */
    double          head, rate;           /* height of the head and its speed [m], [m/s] */
    double          wire;                 /* height of the lowest wire above the head's place [m] */
    double          lateral;              /* y of that wire on the strip [m] */
    kl_wire_contact slot[KL_STRIP_SLOTS]; /* each strip and wire */
} kl_collector_output;

typedef struct kl_collection {
    const kl_line         *line;
    kl_stepper            *stepper;
    const kl_collector    *collector;
    kl_pantograph_stepper *lumped; /* n */
    int                    n;
    double                 dt;
    kl_place               place; /* for messages: of the line, unless the owner sets its own */
} kl_collection;

/* `collector` is borrowed; everything else lives in the arena. dt: step of the catenary [s]. */
kl_status kl_collection_create(const kl_line *line, const kl_collector *collector, int n, double dt,
                               kl_arena *arena, kl_diag *diag, kl_collection **out);

int kl_collection_state_size(const kl_collection *c);

/* Line and pantographs at rest in contact. KL_E_MODEL with a message when a prescribed head starts
 * above the wire or a pantograph starts beside the line. */
kl_status kl_collection_start(const kl_collection *c, const kl_collector_input *in, double *state,
                              kl_diag *diag);

/* One step of dt. KL_E_STEP when the contact does not converge. */
kl_status kl_collection_step(const kl_collection *c, const kl_collector_input *in, double *state);

/* What the strip of a prescribed head will meet one step ahead: each wire there moves with its contact
 * force F as height + compliance (F - force). */
typedef struct kl_collector_outlook {
    kl_wire_contact wire[KL_MOST_WIRES];
} kl_collector_outlook;

/* Looks one step ahead with contact forces as they are: `in` holds places and speeds at its end,
 * `ahead` receives the state as the next step begins with it. */
void kl_collection_predict(const kl_collection *c, const kl_collector_input *in,
                           const double *state, double *ahead, kl_collector_outlook *out);
/* kl_collection_step that continues from this prediction: the free motion of the wires is not computed
 * again. */
kl_status kl_collection_step_predicted(const kl_collection *c, const kl_collector_input *in,
                                       const double *ahead, double *state);

const kl_collector_output *kl_collection_output(const kl_collection *c, const double *state, int i);
/* d, v, a of the line at this state. */
const double *kl_collection_line(const kl_collection *c, const double *state);
const double *kl_collection_masses(const kl_collection *c, const double *state, int i);

#endif
