/* A report of one run: what was simulated, how well, and what came out, in one HTML file that
 * prints to PDF from any browser. */
#ifndef KL_POST_REPORT_H
#define KL_POST_REPORT_H

#include <stdio.h>

#include "post/skin.h"
#include "post/stress_file.h"
#include "results/results.h"

typedef struct kl_report_request {
    kl_reader  *reader;
    const char *file;    /* name of the results file, shown */
    const char *title;   /* NULL: the model's */
    const char *author;  /* NULL: none */
    const char *limits;  /* limits file of the assessment; NULL: the program's */
    const int *channels; /* figures and table of values; n = 0: outputs of the model and energies */
    int        nchannel;
    const kl_stress_body *stress; /* flexible bodies whose worst points are known; n = 0: none */
    int                   nstress;
    const kl_skin        *skins; /* of flexible bodies in the picture */
    int                   nskin;
} kl_report_request;

kl_status kl_report_write(FILE *f, const kl_report_request *request, kl_diag *diag);

#endif
