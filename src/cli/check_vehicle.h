/* What `klingel check` says of a rail vehicle. */
#ifndef KL_CLI_CHECK_VEHICLE_H
#define KL_CLI_CHECK_VEHICLE_H

#include "base/diag.h"
#include "model/model.h"

/* Axle and wheel loads, centre of mass and natural frequencies of the vehicle that rolls steadily, and
 * what is not alike on its left and right side. Says nothing of a model without wheels on rails; what
 * cannot be found is a warning. */
void kl_check_vehicle(const kl_model *m, kl_diag *diag);

#endif
