#include "figures/table_figure.h"

#include <math.h>
#include <stdio.h>

#include "figures/figure.h"
#include "figures/gnuplot.h"
#include "terminal/result_files.h"

enum { PANEL_HEIGHT = 240, WIDTH = 800 };

/* The rows of one curve of column k as a block of data. gnuplot sorts them by x (`smooth unique`). */
static void write_rows(FILE *script, const kl_table_figure *t, int k, int group)
{
    fprintf(script, "$c%d_%d << EOD\n", k, group);
    for (int i = 0; i < t->n; i++)
        if (isfinite(t->y[i * t->ncurve + k]) && (!t->group || t->of[i] == group))
            fprintf(script, "%.9g %.9g\n", t->x[i], t->y[i * t->ncurve + k]);
    fprintf(script, "EOD\n");
}

static void write_panel(FILE *script, const kl_table_figure *t, int k)
{
    int n = t->group ? t->ngroup : 1;
    for (int g = 0; g < n; g++) write_rows(script, t, k, g);
    fprintf(script, "set ylabel \"%s\" noenhanced\n", t->name[k]);
    for (int g = 0; g < n; g++) {
        fprintf(script, "%s$c%d_%d using 1:2 ", g ? "" : "plot ", k, g);
        if (t->group)
            fprintf(script,
                    "smooth unique with linespoints pt 7 ps 0.5 lw 2 title \"%s\" noenhanced",
                    t->group[g]);
        else fprintf(script, "with points pt 7 ps 0.6 notitle");
        fprintf(script, g + 1 < n ? ", " : "\n");
    }
}

/* A column without any number has no panel: gnuplot refuses to draw nothing. */
static bool has_numbers(const kl_table_figure *t, int k)
{
    for (int i = 0; i < t->n; i++)
        if (isfinite(t->y[i * t->ncurve + k])) return true;
    return false;
}

static void write_script(FILE *script, const kl_table_figure *t)
{
    int panels = 0;
    for (int k = 0; k < t->ncurve; k++) panels += has_numbers(t, k);
    if (panels == 0) panels = 1;
    kl_figure_start(script, t->file, WIDTH, PANEL_HEIGHT * panels);
    fprintf(script, "set multiplot layout %d,1\nset xlabel '%s'\nset grid\nset key outside right\n",
            panels, t->x_label);
    for (int k = 0; k < t->ncurve; k++)
        if (has_numbers(t, k)) write_panel(script, t, k);
    fprintf(script, "unset multiplot\n");
}

bool kl_table_figure_draw(const kl_table_figure *t)
{
    kl_new_file o;
    kl_gnuplot  g;
    if (!kl_output_open(&o, t->file)) return false;
    bool good = kl_gnuplot_start(&g, &o);
    if (good) {
        write_script(g.script, t);
        good = kl_gnuplot_end(&g);
    }
    if (!good) kl_output_discard(&o);
    return good && kl_output_close(&o);
}
