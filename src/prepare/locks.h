/* Joints that modes of a flexible body cannot follow, and the turns that they lock: held by joints
 * of their own, because no solver can hold them otherwise (solve/mode_compatibility.h). */
#ifndef KL_PREPARE_LOCKS_H
#define KL_PREPARE_LOCKS_H

#include "model/model.h"

/* One turn that is held. */
typedef struct kl_lock {
    int       body, partner; /* by index, the same each time a model is built */
    kl_marker on, frame;     /* of the partner, of the body's frame; z axes stay perpendicular */
    kl_place  place;
} kl_lock;

typedef struct kl_locks {
    kl_arena        *arena; /* owns the list; NULL when there are none */
    kl_lock         *item;
    int              n;
    kl_located_text *loose; /* who cannot be followed and locks nothing */
    int              nloose;
} kl_locks;

/* What a frozen model locks; reports it as a warning. What cannot be held is an error. */
kl_status kl_locks_find(const kl_model *m, kl_diag *diag, kl_locks *locks);

/* Stores the joints that lock nothing in the model; `klingel check` reports them. */
kl_status kl_locks_store(kl_model *m, const kl_locks *locks);

/* Adds the joints, before the model is frozen. */
kl_status kl_locks_add(kl_model *m, const kl_locks *locks);

#endif
