/* Runs gnuplot: a script goes in through a pipe, the figure comes out into a file of ours. No shell
 * and no file name ever reaches gnuplot. */
#ifndef KL_FIGURES_GNUPLOT_H
#define KL_FIGURES_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/files.h"

typedef struct kl_gnuplot {
    FILE              *script; /* write the commands here */
    FILE              *errors; /* what gnuplot says */
    const kl_new_file *figure; /* what it writes to */
    pid_t              child;
} kl_gnuplot;

/* Starts gnuplot with its output going to `figure`, which is borrowed. A reason of failure is printed. */
bool kl_gnuplot_start(kl_gnuplot *g, const kl_new_file *figure);

/* Ends the script and waits; when gnuplot complains, its words are printed. */
bool kl_gnuplot_end(kl_gnuplot *g);

/* The first executable file of that name in the folders of PATH. */
bool kl_find_program(const char *name, char *path, size_t size);

/* Text in single quotes, in which gnuplot replaces nothing. */
void kl_gnuplot_quote(FILE *script, const char *text);

#endif
