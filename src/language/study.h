/* A parameter study: which parameters take which values, what is computed, what is kept of it.
 *
 *   model: model.yaml                 # beside the study file
 *   analysis: run                     # or modes, statics, assess
 *   method: grid                      # or list, random, latin-hypercube
 *   samples: 200                      # of random and latin-hypercube
 *   seed: 1
 *   set: {irregularities: good}       # the same in every run
 *   end: 20                           # end time of the runs [s]; default: that of the model
 *   keep: runs/{speed}-{conicity}.h5  # results files of run and assess that are kept
 *   parameters:
 *     speed: {from: 50 m/s, to: 100 m/s, count: 11}     # count: of a grid
 *     conicity: [0.05, 0.1, 0.2]      # values, numbers or words: [true, false]
 *   results:
 *     y_max: {of: y_m, take: max}     # min, max, mean, rms, last, amplitude: of a channel
 *     level: {of: y_m, take: mean, from: 10}            # of the rows from 10 s on
 *     growth: {take: growth}          # of modes: largest real part
 *     sum_Y: {of: straight.sum_Y_2m, take: utilisation}   # of assess: value or utilisation of a quantity;
 *                                     # without `of` the most used limit
 *
 * A grid takes every combination, the last parameter fastest; a list takes the first values of all,
 * then the second, ...; random draws each parameter evenly between its bounds; a Latin hypercube
 * puts one sample into each of `samples` slices of every parameter. The same seed gives the same
 * values.
 */
#ifndef KL_LANGUAGE_STUDY_H
#define KL_LANGUAGE_STUDY_H

#include "base/arena.h"
#include "base/diag.h"

typedef enum kl_study_analysis {
    KL_STUDY_RUN,
    KL_STUDY_MODES,
    KL_STUDY_STATICS,
    KL_STUDY_ASSESS
} kl_study_analysis;

/* The number that a result takes from a channel, from the modes or from an assessment. */
typedef enum kl_study_quantity {
    KL_QUANTITY_MIN,
    KL_QUANTITY_MAX,
    KL_QUANTITY_MEAN,
    KL_QUANTITY_RMS,
    KL_QUANTITY_LAST,
    KL_QUANTITY_AMPLITUDE, /* half of max - min */
    KL_QUANTITY_GROWTH,    /* of modes from here on */
    KL_QUANTITY_FREQUENCY,
    KL_QUANTITY_DAMPING,
    KL_QUANTITY_VALUE, /* of an assessment from here on */
    KL_QUANTITY_UTILISATION,
    KL_NQUANTITY
} kl_study_quantity;

typedef struct kl_study_result {
    const char *name,
        *channel; /* a quantity of an assessment; NULL: of modes, or the most used limit */
    kl_study_quantity take;
    double            from; /* rows before this time do not count [s] */
    kl_place          place;
} kl_study_result;

typedef struct kl_study {
    kl_arena         *arena;
    const char       *file, *text, *model; /* model: path, resolved from the study's folder */
    kl_study_analysis analysis;
    const char      **parameter; /* nparameter names */
    const char      **unit;
    const char     ***words; /* of a parameter whose values are words: they; NULL: numbers */
    int               nparameter;
    const char     **fixed, **fixed_text; /* nfixed parameters that do not vary, and their values */
    int              nfixed;
    double           end;   /* of the runs [s]; NaN: that of the model */
    const char      *keep;  /* names of results files, with {PARAMETER} or {run}; NULL: none kept */
    double          *value; /* nrun x nparameter, in the unit; places in the list of words */
    int              nrun;
    kl_study_result *result;
    int              nresult;
} kl_study;

kl_status kl_study_read(const char *path, kl_diag *diag, kl_study **out);
void      kl_study_destroy(kl_study *s);

/* Keeps the results files of all runs. `names` is the name of a file in which each {PARAMETER} stands for its
 * value and {run} for the number of the run, or a folder. Every run must have a file of its own. `place` is
 * where the user wrote it. */
kl_status kl_study_keep(kl_study *s, const char *names, kl_place place, kl_diag *diag);

/* The kept file of a run. */
void kl_study_file(const kl_study *s, int run, char *path, size_t size);

/* Value of parameter `p` in run `run` as a table has it: "74.25", "true". */
void kl_study_number(const kl_study *s, int run, int p, char *text, size_t size);

/* The same as a model file would have it: "74.25 m/s". */
void kl_study_text(const kl_study *s, int run, int p, char *text, size_t size);

#endif
