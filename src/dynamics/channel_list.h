/* What channels.c (names) and channel_values.c (values) share; included only by these two. */
#ifndef KL_DYNAMICS_CHANNEL_LIST_H
#define KL_DYNAMICS_CHANNEL_LIST_H

#include "dynamics/channels.h"

enum { POINT_VALUES = 27, SYSTEM_VALUES = 12, COMPOUND_VALUES = 13, MOST_FIXED = 4 };

typedef struct output {
    int            channel;
    int            marker, value; /* of a point: which of POINT_VALUES */
    kl_vec3        start;         /* of a point */
    kl_expression *expression;
    double        *memory;
} output;

struct kl_channels {
    kl_arena   *arena;
    kl_channel *list;
    int         n, cap;
    double     *values;
    int        *body, *element, *input; /* first channel of each */
    int         system, compound;
    output     *outputs;
    int         noutput;
    /* for expressions: parameters follow the channels */
    const kl_model *model;
    int            *sorted; /* by name, of the first nsorted */
    int             nsorted;
    const char    **names;

    /* parts that a row evaluates, as bits (channel_values.c) */
    unsigned char *body_part, *element_part;
    unsigned       system_part;
    bool           point_accelerations; /* of outputs */
    kl_expression *fixed[MOST_FIXED];   /* compiled for others: every row has what they read */
    int            nfixed;
};

/* Outputs of an element's own. */
int kl_channel_outputs(const kl_element *e);
/* The marker whose force and torque are reported: that of the second body, or the only one. Behind it a
 * follower of a line or surface has its own coordinates. -1: of elements with more there is none. */
int  kl_channel_marker(const kl_element *e);
bool kl_channel_nodes(const kl_element *e);
/* Modes of a body that was made rigid: they read zero, so that what asks for them need not be
 * changed. */
int kl_channel_locked_modes(const kl_body *b);

#endif
