/* Figures of current collection: contact force filtered, its mean, standard deviation and extremes,
 * loss of contact, uplift at the supports. */
#ifndef KL_POST_COLLECTION_FIGURES_H
#define KL_POST_COLLECTION_FIGURES_H

#include <stdbool.h>

/* Channels of one pantograph on n rows at equal steps. */
typedef struct kl_collection_record {
    const double *force, *filtered; /* [N] */
    const double *x, *evaluated;    /* [m]; 1 where the row counts */
    const double *support, *uplift; /* x of the nearest support and uplift there [m] */
    int           n;
} kl_collection_record;

/* Of those rows that count. */
typedef struct kl_collection_figures {
    double mean, sigma, most, least, from, to, speed; /* [N], [m]; speed is left to the caller */
    double uplift, uplift_at;                         /* [m] */
    double lost;                                      /* share of rows without contact */
    int    rows;                                      /* below 2: figures are not numbers */
} kl_collection_figures;

/* Butterworth low-pass of order 6, forwards and backwards; with too low a rate a copy. */
void kl_collection_filter(const double *force, int n, double corner, double rate, double *out);

kl_collection_figures kl_collection_figures_of(const kl_collection_record *r);

/* The run begins or ends within the part of the line that counts. */
bool kl_collection_is_part(const kl_collection_record *r);

#endif
