/* klingel fe --advise MODEL.yaml: which modes the flexible bodies of a model need. */
#ifndef KL_CLI_ADVISE_H
#define KL_CLI_ADVISE_H

#include "cli/model_options.h"

typedef struct kl_advice_request {
    const char     *model;
    const kl_texts *set;       /* parameters of the model */
    double          frequency; /* of what excites the model [Hz]; NaN: from its output rate */
    double          error;     /* wanted, of the response */
    int             threads;   /* of the factorisation; 0: one */
} kl_advice_request;

/* Prints a proposal for each body file as YAML with comments; the exit code. */
int kl_advise(const kl_advice_request *q);

#endif
