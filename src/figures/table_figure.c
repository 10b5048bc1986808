#include "figures/table_figure.h"

#include <math.h>
#include <stdio.h>

#include "figures/figure.h"
#include "figures/gnuplot.h"
#include "terminal/result_files.h"

static void write_script(FILE *script, const kl_table_figure *t)
{
    kl_figure_start(script, t->file, 800, 450);
    fprintf(script, "set xlabel '%s'\nset grid\nset key outside top center horizontal\n",
            t->x_label);
    for (int k = 0; k < t->ncurve; k++) {
        fprintf(script, "$c%d << EOD\n", k);
        for (int i = 0; i < t->n; i++)
            if (isfinite(t->y[i * t->ncurve + k]))
                fprintf(script, "%.9g %.9g\n", t->x[i], t->y[i * t->ncurve + k]);
        fprintf(script, "EOD\n");
    }
    for (int k = 0; k < t->ncurve; k++)
        fprintf(script, "%s$c%d using 1:2 with points pt 7 ps 0.6 title \"%s\" noenhanced%s",
                k ? "" : "plot ", k, t->name[k], k + 1 < t->ncurve ? ", " : "\n");
}

bool kl_table_figure_draw(const kl_table_figure *t)
{
    kl_new_file o;
    kl_gnuplot  g;
    if (!kl_output_open(&o, t->file)) return false;
    bool good = kl_gnuplot_start(&g, o.stream);
    if (good) {
        write_script(g.script, t);
        good = kl_gnuplot_end(&g);
    }
    if (!good) kl_output_discard(&o);
    return good && kl_output_close(&o);
}
