/* The list of assessments: one line each. */
#include "post/assess_domains.h"

#include <stddef.h>

const kl_assess_domain *const kl_assess_domains[] = {
    &kl_assess_railway,    &kl_assess_comfort, &kl_assess_ride,
    &kl_assess_collection, &kl_assess_crash,   NULL,
};
