/* A wheelset: a body that spins about its axle, with the dimensions of its wheels. Elements that roll it on
 * rails read them through kl_body_type.wheels. */
#ifndef KL_BODIES_WHEELSET_H
#define KL_BODIES_WHEELSET_H

#include "bodies/rigid.h"

typedef struct wheelset {
    rigid     rigid; /* first: the functions of a body that spins read it */
    kl_wheels wheels;
    double    box;     /* axle boxes at y = +-box [m] */
    double    rolling; /* speed at which it rolls at the start [m/s] */
} wheelset;

kl_status        wheelset_setup(void *data, const kl_setup *s, kl_body_size *size);
const kl_wheels *wheelset_wheels(const void *data);
int              wheelset_markers(const void *data, kl_builtin_marker *out);

extern const kl_key kl_wheelset_keys[];

#endif
