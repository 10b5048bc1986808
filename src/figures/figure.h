/* A figure: curves grouped by unit into panels that are above each other over one axis; written
 * as a script for gnuplot. Knows nothing of files or options. */
#ifndef KL_FIGURES_FIGURE_H
#define KL_FIGURES_FIGURE_H

#include <stdbool.h>
#include <stdio.h>

enum {
    KL_MOST_SOURCES = 32, /* results that are laid over each other */
    KL_MOST_CURVES  = 60, /* more is a carpet */
    KL_MOST_PANELS  = 8,
    KL_LABEL        = 240, /* bytes of a label */
};

typedef struct kl_curve {
    int         source; /* which of the results */
    int         panel;
    const char *name, *unit; /* borrowed */
    double     *x, *y;       /* n; values that are not finite interrupt the curve */
    int         n;
} kl_curve;

typedef struct kl_panel {
    const char *unit, *prefix;    /* prefix of the label, or NULL */
    int         ncurve, nchannel; /* different names among its curves */
    double      low, high;        /* finite values, before offset and scale; none: low > high */
    double      from, to;         /* what the axis shows, with offset and scale */
    double      offset;           /* taken off: the rest would not show */
    int         exponent;         /* values are shown divided by 10^exponent */
    bool        named;            /* the label says what is shown, not only its unit */
    bool        key;              /* does it need a legend? */
    char        label[KL_LABEL];
} kl_panel;

typedef struct kl_figure {
    const char *title;  /* empty: none */
    const char *x_unit; /* NULL: time */
    char        x_label[KL_LABEL];
    char        source_label[KL_MOST_SOURCES][KL_LABEL];
    int         nsource;
    kl_curve    curves[KL_MOST_CURVES];
    int         ncurve;
    kl_panel    panels[KL_MOST_PANELS];
    int         npanel;
    double      x_low, x_high, x_from, x_to; /* of all curves; shown */
    bool        stacked;      /* curves are sums, the largest first: areas down to zero */
    bool        log_x, log_y; /* logarithmic axes: what is not positive is left out */
} kl_figure;

/* Empties a figure. */
void kl_figure_init(kl_figure *f);

/* True when a curve of that unit still fits. */
bool kl_figure_has_room(const kl_figure *f, const char *unit);

/* Takes a curve with its x and y, which are thinned in place and freed with the figure: over time
 * the lowest and highest value of each of 2000 intervals stay. */
void kl_figure_add(kl_figure *f, kl_curve curve);

/* A unit for people: rad/s² for rad/s2. */
void kl_figure_unit(char *text, size_t size, const char *unit);

/* The head of any script: kind of file by its name, size of the canvas (800 is the usual width). */
void kl_figure_start(FILE *script, const char *file_name, int width, int height);

/* The script for a file of that name; false when it does not end in .svg, .png or .pdf. */
bool kl_figure_can_draw(const char *file_name);
void kl_figure_write(FILE *script, kl_figure *f, const char *file_name);

void kl_figure_free(kl_figure *f);

#endif
