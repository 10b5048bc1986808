/* The assessments, one file each. */
#ifndef KL_POST_ASSESS_DOMAINS_H
#define KL_POST_ASSESS_DOMAINS_H

#include "post/assess.h"

extern const kl_assess_domain kl_assess_railway, kl_assess_comfort, kl_assess_ride, kl_assess_collection;
extern const kl_assess_domain kl_assess_crash;

#endif
