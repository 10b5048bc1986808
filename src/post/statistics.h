/* Statistics of evaluations: percentiles, sections, regression, windows along the track, and the
 * distributions behind confidence intervals. */
#ifndef KL_POST_STATISTICS_H
#define KL_POST_STATISTICS_H

#include "klingel/status.h"

/* Definitions of a percentile differ for short lists; p is a share from 0 to 1, N the count. */
typedef enum kl_percentile_rule {
    KL_PERCENTILE_LINEAR,  /* interpolated at position p (N - 1), counted from 0: the default */
    KL_PERCENTILE_NEAREST, /* value number ceil(p N) of the sorted list */
    KL_PERCENTILE_HAZEN,   /* interpolated at position p N - 1/2, counted from 0 */
} kl_percentile_rule;

void   kl_sort_numbers(double *x, int n);
double kl_percentile(const double *sorted, int n, double p, kl_percentile_rule rule);

double kl_mean(const double *x, int n);
double kl_standard_deviation(const double *x, int n); /* with n - 1 */
double kl_root_mean_square(const double *x, int n);

/* Straight line by least squares. */
typedef struct kl_regression {
    double intercept, slope;
    double residual; /* standard deviation about the line, with n - 2 */
    double mean_x, sum_xx;
    int    n;
} kl_regression;

kl_status kl_regression_fit(const double *x, const double *y, int n, kl_regression *out);
/* Value at x plus `quantile` times the standard error of one more observation there. */
double kl_regression_bound(const kl_regression *r, double x, double quantile);

/* Windows of `length` at starts first, first + step, ... that lie inside the record. The signal keeps
 * each value until the next row, so that rows at equal distances give the mean of the rows in the window.
 * `s` must not fall. Returns how many windows were written, at most `most`. */
typedef struct kl_windows {
    double first, length, step;
    int    most;
} kl_windows;
int kl_window_means(const double *s, const double *y, int n, const kl_windows *w, double *mean);
int kl_window_rms(const double *s, const double *y, int n, const kl_windows *w, double *rms);

/* Quantiles of Student's t and of chi-square with `freedom` degrees of freedom. */
double kl_student_quantile(double p, double freedom);
double kl_chi_square_quantile(double p, double freedom);
/* Cumulative F distribution: P(ratio of two variances <= x). */
double kl_f_distribution(double x, double freedom1, double freedom2);

#endif
