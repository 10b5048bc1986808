/* A spectrogram as a script for gnuplot: frequency over time, density as colour on a logarithmic
 * scale of six decades below the highest. The colours (dark blue to yellow, equally bright steps)
 * are distinguished by colour-blind readers, too, and in print without colour. */
#include <math.h>

#include "figures/gnuplot.h"
#include "figures/plot.h"

static const double DECADES = 6.0;

enum { WIDTH = 800, PANEL = 250, TOP = 66, BOTTOM = 62, GAP = 62, LEFT = 88, RIGHT = 120 };

static double highest(const kl_spectrum_map *m)
{
    double most = 0.0;
    for (size_t i = 0; i < (size_t)m->ntime * (size_t)m->nfrequency; i++)
        most = fmax(most, m->density[i]);
    return most;
}

/* A map as a matrix for gnuplot: rows of frequency, columns of time. */
static void write_map(FILE *s, const kl_spectrum_map *m, int index)
{
    double most  = highest(m);
    double floor = most > 0.0 ? log10(most) - DECADES : 0.0;
    fprintf(s, "$map%d << EOD\n", index);
    for (int k = 0; k < m->nfrequency; k++) {
        for (int i = 0; i < m->ntime; i++) {
            double d = m->density[(size_t)i * (size_t)m->nfrequency + (size_t)k];
            fprintf(s, "%s%.5g", i ? " " : "", d > 0.0 ? fmax(log10(d), floor) : floor);
        }
        fputc('\n', s);
    }
    fprintf(s, "EOD\n");
}

static void write_panel(FILE *s, const kl_plot *p, int index, int height)
{
    const kl_spectrum_map *m   = &p->map[index];
    double                 top = 1.0 - (double)(TOP + index * (PANEL + GAP)) / height;
    double dt = m->ntime > 1 ? (m->time[m->ntime - 1] - m->time[0]) / (m->ntime - 1) : m->window;
    double df = m->frequency[1], most = highest(m), high = most > 0.0 ? log10(most) : 1.0;
    char   label[KL_LABEL + 100], unit[90];
    fprintf(s, "set tmargin at screen %g\nset bmargin at screen %g\n", top,
            top - (double)PANEL / height);
    kl_figure_unit(unit, sizeof unit, p->map_unit[index]);
    snprintf(label, sizeof label, "%.200s: log₁₀ of density in %s", p->map_name[index], unit);
    fprintf(s, "set label 2 ");
    kl_gnuplot_quote(s, label);
    fprintf(s, " at graph 0, graph 1.07 left noenhanced\n");
    fprintf(s, "set xrange [%.9g:%.9g]\nset yrange [0:%.9g]\n", m->time[0] - 0.5 * dt,
            m->time[m->ntime - 1] + 0.5 * dt, m->frequency[m->nfrequency - 1]);
    fprintf(s, "set cbrange [%.6g:%.6g]\n", high - DECADES, high);
    fprintf(s, "plot $map%d matrix using (%.12g+$1*%.12g):($2*%.12g):3 with image notitle\n", index,
            m->time[0], dt, df);
}

void kl_spectrogram_write(FILE *s, const kl_plot *p)
{
    int height = TOP + p->nmap * (PANEL + GAP) - GAP + BOTTOM;
    for (int i = 0; i < p->nmap; i++) write_map(s, &p->map[i], i);
    kl_figure_start(s, p->output, WIDTH, height);
    fprintf(s,
            "set border 15 lc rgb '#555555' lw 1\nset tics nomirror out scale 0.6\n"
            "set palette defined (0 '#00204c', 0.25 '#39486b', 0.5 '#7b7b78', 0.75 '#b8a965', "
            "1 '#ffea46')\n"
            "set multiplot\nset lmargin at screen %g\nset rmargin at screen %g\n"
            "set ylabel 'frequency [Hz]' offset 0.5,0\n",
            (double)LEFT / WIDTH, 1.0 - (double)RIGHT / WIDTH);
    fprintf(s, "set label 1 ");
    kl_gnuplot_quote(s, p->figure.title);
    fprintf(s, " at screen %g, screen %g left noenhanced\n", (double)LEFT / WIDTH,
            1.0 - 18.0 / height);
    for (int i = 0; i < p->nmap; i++) {
        if (i == p->nmap - 1) fprintf(s, "set xlabel 'time [s]'\n");
        write_panel(s, p, i, height);
        fprintf(s, "unset label 1\n");
    }
    fprintf(s, "unset multiplot\n");
}
