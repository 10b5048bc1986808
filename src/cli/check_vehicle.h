/* What `klingel check` and `klingel vehicle` say of a rail vehicle that rolls steadily. */
#ifndef KL_CLI_CHECK_VEHICLE_H
#define KL_CLI_CHECK_VEHICLE_H

#include "base/diag.h"
#include "model/model.h"

typedef struct kl_wheelset_load {
    const char *name;
    double      left, right; /* Q [N] */
} kl_wheelset_load;

typedef struct kl_vehicle_mode {
    double      frequency, damping; /* [Hz], ratio */
    const char *motion;             /* bodies and motions by their energy */
    const char *name;               /* "lower sway", "pitch", "hunting"; "": none */
} kl_vehicle_mode;

typedef struct kl_vehicle {
    kl_arena         *arena;
    kl_wheelset_load *load;
    int               nload;
    double            mass;   /* [kg] */
    kl_vec3           centre; /* of mass [m] */
    const char       *car;    /* the heaviest body */
    kl_vehicle_mode  *mode;   /* the slowest ones */
    int               nmode;
    bool              large;  /* too many coordinates for its modes */
    bool              steady; /* modes were found */
} kl_vehicle;

/* How many wheelsets on rails the model has. */
int kl_vehicle_wheelsets(const kl_model *m);

/* Axle and wheel loads, centre of mass and natural frequencies of the vehicle that rolls steadily. What is
 * not alike on its left and right side, and what cannot be found, are warnings. */
kl_status kl_vehicle_find(const kl_model *m, kl_arena *arena, kl_diag *diag, kl_vehicle *out);

/* Prints them. Says nothing of a model without wheels on rails. */
void kl_check_vehicle(const kl_model *m, kl_diag *diag);

#endif
