/* The laws of creep that have a file of their own; kl_creep_laws lists them all. */
#ifndef KL_RAILWAY_CREEP_LAWS_H
#define KL_RAILWAY_CREEP_LAWS_H

#include "railway/creep.h"

void kl_fastsim(const kl_creep_options *o, const kl_creep_input *in, kl_creep_output *out);

#endif
