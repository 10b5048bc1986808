/* Track irregularities that a model names under `irregularities`. An element refers to them by a key
 * of kind KL_KEY_RESOURCE with `words` "irregularities" and gets a `const kl_named_irregularity *`. */
#ifndef KL_RAILWAY_IRREGULARITY_RESOURCE_H
#define KL_RAILWAY_IRREGULARITY_RESOURCE_H

#include "model/resource.h"
#include "railway/irregularity.h"

typedef struct kl_named_irregularity {
    int              spectrum, two_sided, band;
    double           shortest, longest, seed, lines, start, ramp, begin;
    double           wavelength, amplitude;                 /* of a single wave */
    double           vertical, lateral, cross_level, gauge; /* factors */
    kl_file          file, table;
    kl_irregularity *irregularity;
} kl_named_irregularity;

extern const kl_resource_type kl_irregularities;

#endif
