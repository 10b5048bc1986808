/* Force elements of the railway: one file each. */
#ifndef KL_RAILWAY_RAILWAY_H
#define KL_RAILWAY_RAILWAY_H

#include "model/interface.h"

extern const kl_element_type kl_linear_creep, kl_wheel_rail;

#endif
