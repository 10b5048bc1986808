/* A chart as SVG inside a page: curves over a common axis, one panel. Needs no other program. */
#ifndef KL_POST_CHART_H
#define KL_POST_CHART_H

#include "base/text.h"

enum { KL_CHART_MOST_CURVES = 8 };

typedef struct kl_chart_curve {
    const char   *name;
    const double *y;     /* n; values that are not finite interrupt the curve */
    const double *x;     /* n, ascending; NULL: those of the chart */
    double        limit; /* of its size, drawn as a line where it comes near; 0: none */
} kl_chart_curve;

typedef struct kl_chart {
    const char    *x_label, *y_label;
    const double  *x; /* n, ascending */
    int            n, ncurve;
    bool           stacked; /* curves are sums, the largest first: areas down to zero */
    kl_chart_curve curves[KL_CHART_MOST_CURVES];
} kl_chart;

/* Steps of 1, 2 or 5 times a power of ten that cut `span` into at most `most` parts. */
double kl_chart_step(double span, int most);

/* Adds the <svg> element. Long curves are thinned: lowest and highest of each pixel column stay. */
void kl_chart_add(kl_text *page, const kl_chart *c);

#endif
