/* A figure of a table: one column as points over another. */
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
} kl_table_figure;

/* Prints the reason of a failure and returns false. */
bool kl_table_figure_draw(const kl_table_figure *t);

#endif
