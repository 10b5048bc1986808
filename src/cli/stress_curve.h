/* An S-N curve from the command line. */
#ifndef KL_CLI_STRESS_CURVE_H
#define KL_CLI_STRESS_CURVE_H

#include "cli/commands.h"
#include "post/fatigue.h"
#include "post/stress.h"

/* Reads "range=90MPa,cycles=2e6,slope=3,knee=1e7,slope_after=5" or a class "FAT90" over `curve`,
 * which holds what is not given. KL_EXIT_OK, or a usage error that was reported. */
int kl_sn_read(const kl_command *command, const char *text, kl_sn_curve *curve);
/* A stress: "510MPa". */
int kl_sn_read_stress(const kl_command *command, const char *option, const char *text,
                      double *value);
int kl_sn_read_mean(const kl_command *command, const char *text, kl_mean_rule *mean);

/* --measure; NULL: the signed von Mises stress. KL_EXIT_OK, or a usage error that was reported. */
int kl_sn_read_measure(const kl_command *command, const char *text, kl_stress_measure *measure);
/* Prints which stress the cycles were counted of, where the user did not choose it, and what to choose. */
void kl_sn_warn_measure(void);

#endif
