/* A figure of a table: columns over another one, each in a panel of its own. */
#ifndef KL_FIGURES_TABLE_FIGURE_H
#define KL_FIGURES_TABLE_FIGURE_H

#include <stdbool.h>

typedef struct kl_table_figure {
    const char        *file;    /* .svg, .png or .pdf to write */
    const char        *x_label; /* with its unit */
    const double      *x;       /* n */
    const char *const *name;    /* ncurve */
    const double      *y;       /* n x ncurve, row after row; not finite: no point */
    int                n, ncurve;
    const char *const *group; /* ngroup names of curves; NULL: points */
    const int         *of;    /* n: the curve that a row belongs to */
    int                ngroup;
} kl_table_figure;

/* Prints the reason of a failure and returns false. */
bool kl_table_figure_draw(const kl_table_figure *t);

#endif
