/* Assessment of a run in the terms of a standard: quantities with place, limit and verdict.
 *
 * A domain (railway, comfort, ride, current collection) is one file with a `kl_assess_domain` and one
 * line in assess_domains.c. It looks at the channels that a run recorded and adds rows. Zones, filters
 * and limits come from a data file (share/assessment.yaml) that a user can replace. */
#ifndef KL_POST_ASSESS_H
#define KL_POST_ASSESS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "language/doc.h"
#include "results/results.h"

typedef enum kl_verdict { KL_NO_LIMIT, KL_WITHIN_LIMIT, KL_EXCEEDS_LIMIT } kl_verdict;

typedef struct kl_assessed {
    const char *quantity, *unit;
    double      place; /* along the track [m]; NaN: none */
    double      value;
    double      limit;       /* NaN: none */
    double      utilisation; /* value over limit; NaN: no limit */
    kl_verdict  verdict;
} kl_assessed;

typedef struct kl_assessment {
    kl_arena    *arena;
    kl_assessed *row;
    int          n, most;
} kl_assessment;

/* What a domain reads. Columns are read once and kept. */
typedef struct kl_assess_input {
    kl_reader     *reader;
    const char    *file;   /* for messages */
    const kl_node *limits; /* root of the limits file */
    kl_arena      *arena;
    kl_diag       *diag;
    const double  *time; /* rows */
    int            rows;
    double         rate;    /* rows a second; rows are at equal steps */
    double       **column;  /* by channel, at equal steps; NULL until needed */
    double       **raw;     /* by channel, as recorded; NULL: not read ahead */
    bool          *refused; /* a channel had a unit of another kind: there will be no assessment */
} kl_assess_input;

typedef struct kl_assess_domain {
    const char *name, *help;
    /* Channels that are read in one pass beforehand, which saves time: endings of names (".Y_left") and
     * beginnings of own names ("floor_"); ended by NULL. NULL: none. */
    const char *const *reads;
    /* Are the channels of this domain there? */
    bool (*suits)(const kl_assess_input *in);
    kl_status (*run)(const kl_assess_input *in, kl_assessment *out);
} kl_assess_domain;

extern const kl_assess_domain *const kl_assess_domains[]; /* ended by NULL */

/* Assesses results by every domain that suits them, or by the one named. KL_E_MODEL with a message
 * when none suits or the record is too short or too coarse. */
kl_status kl_assess(kl_reader *reader, const char *file, const kl_node *limits, const char *domain,
                    kl_arena *arena, kl_diag *diag, kl_assessment *out);

/* The limits file: the user's, or with NULL the one that comes with the program. */
kl_status kl_assess_limits(const char *file, kl_arena *arena, kl_diag *diag, const kl_node **out);

/* A value or limit of a row as a table shows it, and its unit there: forces in kN unless the quantity's
 * name says N, all else unchanged. */
double kl_assess_shown(const kl_assessed *r, double x, const char **unit);

/* ---- for domains ---- */

/* Prepares an input whose reader, file, limits, arena and diag are given: time, rate, room for columns. */
kl_status kl_assess_begin(kl_assess_input *in);

/* A channel's values on all rows in `unit`, or NULL when the results have no such channel. The name is
 * `object` followed by `part`. A channel of another kind (a force where an acceleration is needed) is
 * refused with a message. */
double *kl_assess_column(const kl_assess_input *in, const char *object, const char *part,
                         const char *unit);
bool    kl_assess_has(const kl_assess_input *in, const char *object, const char *part);

/* The n-th object (from 0) whose channel OBJECT + part exists; NULL: no more. */
const char *kl_assess_object(const kl_assess_input *in, const char *part, int n);

/* Does the object's own name, without the parts that it belongs to, begin so? `car2.floor_front` does
 * begin with `floor_`. */
bool kl_assess_named(const char *object, const char *begin);

/* A number of the limits file, `otherwise` where it has none. */
double kl_assess_setting(const kl_assess_input *in, const char *section, const char *group,
                         const char *key, double otherwise);

/* Adds a row; a limit of NaN is none. The quantity is copied. */
__attribute__((format(printf, 6, 7))) void kl_assess_add(kl_assessment *out, double place,
                                                         double value, const char *unit,
                                                         double limit, const char *quantity, ...);

/* Space for n numbers, all zero, that lives as long as the assessment. */
double *kl_assess_space(const kl_assess_input *in, int n);

/* Complains when the rows are too far apart; false then. */
bool kl_assess_rate_suffices(const kl_assess_input *in, const char *domain, double least);

#endif
