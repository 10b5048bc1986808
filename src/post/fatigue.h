/* From a stress history to damage: rainflow cycles, an S-N curve with a correction for the mean,
 * Palmgren and Miner's sum.
 *
 *   D = sum n_i / N(S_i),   N(S) = N0 (S0 / S)^m   down to the knee, then
 *   with the second slope, or for ever
 *
 * S is a stress range (twice the amplitude), as in the classes of welded details. Cycles are
 * counted as ASTM E1049-85, section 5.4.4, says: closed ones whole, those that stay open half. */
#ifndef KL_POST_FATIGUE_H
#define KL_POST_FATIGUE_H

#include <stdbool.h>

typedef struct kl_cycle {
    double range, mean; /* in the unit of the history */
    double count;       /* 1, or 0.5 */
} kl_cycle;

/* Cycles of the n values into `cycles` (room for n); how many. Needs n doubles of scratch. Values
 * that are not finite are passed over. */
int kl_rainflow(const double *x, int n, double *scratch, kl_cycle *cycles);

/* How a cycle about a mean stress is turned into one about zero that is as bad. */
typedef enum kl_mean_rule {
    KL_MEAN_NONE,
    KL_MEAN_GOODMAN, /* S / (1 - mean / ultimate); pressure does not help */
    KL_MEAN_GERBER,  /* S / (1 - (mean / ultimate)^2), tension only */
    KL_MEAN_SWT, /* Smith, Watson, Topper: 2 sqrt(largest * S/2); nothing when all is pressure */
} kl_mean_rule;

typedef struct kl_sn_curve {
    double       range, cycles; /* a point of the curve: S0 [Pa], N0 */
    double       slope;         /* m */
    double       knee;          /* cycles; 0: none */
    double       slope_after;   /* beyond the knee; 0: below the knee's range nothing is harmed */
    kl_mean_rule mean;
    double       ultimate; /* [Pa], for Goodman and Gerber */
} kl_sn_curve;

/* The words of kl_mean_rule, in its order, NULL at the end. */
extern const char *const kl_mean_words[];
/* What is wrong with a curve, or NULL. */
const char *kl_sn_fault(const kl_sn_curve *c);

/* The range about zero that is as bad as this cycle; HUGE_VAL where the mean alone breaks it. */
double kl_sn_equivalent(const kl_sn_curve *c, double range, double mean);
/* Cycles to failure at a range about zero; HUGE_VAL: any number. */
double kl_sn_life(const kl_sn_curve *c, double range);
/* Damage of the history: 1 is failure. */
double kl_sn_damage(const kl_sn_curve *c, const kl_cycle *cycles, int n);

#endif
