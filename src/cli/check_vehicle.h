/* What `klingel check` and `klingel vehicle` say of a rail vehicle that rolls steadily. */
#ifndef KL_CLI_CHECK_VEHICLE_H
#define KL_CLI_CHECK_VEHICLE_H

#include "base/diag.h"
#include "model/model.h"
#include "post/vehicle_report.h"

/* How many wheelsets on rails the model has. */
int kl_vehicle_wheelsets(const kl_model *m);

/* Axle and wheel loads, centre of mass and natural frequencies of the vehicle that rolls steadily. What is
 * not alike on its left and right side, and what cannot be found, are warnings. */
kl_status kl_vehicle_find(const kl_model *m, kl_arena *arena, kl_diag *diag, kl_vehicle *out);

/* Prints them. Says nothing of a model without wheels on rails. */
kl_status kl_check_vehicle(const kl_model *m, kl_diag *diag);

#endif
