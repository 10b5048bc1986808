/* What the files of `klingel plot` share: one figure that is asked for, and how it is filled. */
#ifndef KL_FIGURES_PLOT_H
#define KL_FIGURES_PLOT_H

#include "figures/figure.h"
#include "post/power_spectrum.h"
#include "terminal/result_files.h"

typedef enum kl_plot_kind {
    KL_PLOT_TIME,        /* channels over time */
    KL_PLOT_OVER,        /* over another channel */
    KL_PLOT_PHASE,       /* their rates over themselves */
    KL_PLOT_PSD,         /* power spectral density */
    KL_PLOT_SPECTROGRAM, /* the same over time, as colours */
    KL_PLOT_ENERGIES,    /* parts of the energy over time, stacked */
} kl_plot_kind;

enum { KL_MOST_MAPS = 4 };

typedef struct kl_plot {
    const kl_command *command; /* named in messages about wrong usage */
    kl_plot_kind      kind;
    const char       *file[KL_MOST_SOURCES];
    kl_reader        *reader[KL_MOST_SOURCES]; /* NULL until it is opened */
    int               nfile;
    const char       *output, *x, *title; /* may be NULL */
    double            from, to;           /* [s] */
    double            window;             /* of spectra [s]; 0: chosen */
    char            **channels;           /* names or patterns */
    int               nchannel;
    kl_diag          *diag;
    kl_figure         figure;
    char              units[KL_MOST_CURVES][80]; /* of rates and densities */
    /* of a spectrogram */
    kl_spectrum_map map[KL_MOST_MAPS];
    const char     *map_name[KL_MOST_MAPS], *map_unit[KL_MOST_MAPS];
    int             nmap;
} kl_plot;

/* Opens what is not open yet and fills the figure from the channels asked for; exit code. */
int kl_plot_fill(kl_plot *p);

/* Fills the figure with the energies by part of the first result; exit code. */
int kl_plot_energies(kl_plot *p);

/* Adds channels of one result by number; exit code. */
int kl_plot_add(kl_plot *p, int file, const int *channels, int n);

/* Title, names of axes and of files. */
void kl_plot_label(kl_plot *p);

/* Draws the figure into p->output; exit code. */
int kl_plot_draw(kl_plot *p);

/* Empties the figure and closes nothing. */
void kl_plot_clear(kl_plot *p);

/* A set of figures that suits the results, into the folder p->output; exit code. */
int kl_plot_auto(kl_plot *p, const char *ending);

/* Script of the spectrogram. */
void kl_spectrogram_write(FILE *script, const kl_plot *p);

#endif
