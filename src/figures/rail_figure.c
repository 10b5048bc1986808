#include "figures/rail_figure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "figures/gnuplot.h"
#include "terminal/result_files.h"

static const double DEGREE = 57.29577951308232;

static const char *const BLUE = "#0072b2", *const ORANGE = "#d55e00", *const GREY = "#888888";

static void begin(FILE *f, const char *title, int height)
{
    fprintf(f,
            "set encoding utf8\n"
            "set terminal svg noenhanced font 'Helvetica,14' background 'white' size 900,%d\n"
            "set border 3 lc rgb '#555555' lw 1\n"
            "set tics nomirror out scale 0.6 textcolor rgb '#222222'\n"
            "set grid xtics ytics lt 1 lw 0.8 lc rgb '#e4e4e4'\n"
            "set key above left Left reverse\nset title ",
            height);
    kl_gnuplot_quote(f, title);
    fprintf(f, "\n");
}

/* ---- one function a figure ---- */

/* Title of a curve of the second pair. */
static void plot_other(FILE *f, const kl_rail_figure_data *d, const char *data, const char *columns,
                       const char *colour)
{
    if (!d->other) return;
    fprintf(f, ", %s using %s with lines lw 2 dt 2 lc rgb '%s' title ", data, columns, colour);
    kl_gnuplot_quote(f, d->other->wheel_name);
}

static void write_rolling_radius(FILE *f, const char *name, const kl_rail_figure_data *d)
{
    fprintf(f, "%s << EOD\n", name);
    for (int i = 0; d && i < d->n; i++)
        if (isfinite(d->state[i].delta_r))
            fprintf(f, "%.6g %.6g %.6g\n", 1e3 * d->state[i].y, 1e3 * d->state[i].delta_r,
                    1e3 * d->state[i].delta_r_level);
    fprintf(f, "EOD\n");
}

static void draw_rolling_radius(FILE *f, const kl_rail_figure_data *d)
{
    write_rolling_radius(f, "$d", d);
    write_rolling_radius(f, "$e", d->other);
    fprintf(f,
            "set xlabel 'lateral displacement to the right [mm]'\n"
            "set ylabel 'rolling radius, right minus left [mm]'\n"
            "plot $d using 1:3 with lines lw 1 lc rgb '%s' title 'without roll', $d using 1:2 with "
            "lines lw 2 lc rgb '%s' title 'with roll'",
            GREY, BLUE);
    plot_other(f, d, "$e", "1:2", ORANGE);
    fprintf(f, "\n");
}

static void draw_contact_angle(FILE *f, const kl_rail_figure_data *d)
{
    fprintf(f, "$d << EOD\n");
    for (int i = 0; i < d->n; i++)
        if (isfinite(d->state[i].delta_r))
            fprintf(f, "%.6g %.6g %.6g\n", 1e3 * d->state[i].y,
                    DEGREE * kl_contact_angle(&d->state[i].touch[KL_RIGHT]),
                    DEGREE * kl_contact_angle(&d->state[i].touch[KL_LEFT]));
    fprintf(f,
            "EOD\n"
            "set xlabel 'lateral displacement to the right [mm]'\n"
            "set ylabel 'contact angle [deg]'\n"
            "plot $d using 1:2 with lines lw 2 lc rgb '%s' title 'right', $d using 1:3 with lines "
            "lw 2 dt 2 lc rgb '%s' title 'left'\n",
            ORANGE, BLUE);
}

static void write_conicity(FILE *f, const char *name, const kl_rail_figure_data *d)
{
    fprintf(f, "%s << EOD\n", name);
    for (int k = 1; d && 1e-4 * k <= kl_conicity_most(d->delta_r); k++) {
        double w = kl_conicity_wavelength(d->delta_r, 1e-4 * k);
        double h = kl_conicity_harmonic(d->delta_r, 1e-4 * k);
        if (isfinite(w) && isfinite(h)) fprintf(f, "%.6g %.6g %.6g\n", 0.1 * k, w, h);
    }
    fprintf(f, "EOD\n");
}

static void draw_conicity(FILE *f, const kl_rail_figure_data *d)
{
    write_conicity(f, "$d", d);
    write_conicity(f, "$e", d->other);
    fprintf(f,
            "set xlabel 'amplitude [mm]'\nset ylabel 'equivalent conicity'\nset yrange [0:]\n"
            "set arrow 1 from 3, graph 0 to 3, graph 1 nohead dt 3 lc rgb '%s'\n"
            "plot $d using 1:2 with lines lw 2 lc rgb '%s' title 'wavelength method (EN 15302)', "
            "$d using 1:3 with lines lw 2 dt 3 lc rgb '%s' title 'harmonic linearisation'",
            GREY, BLUE, GREY);
    plot_other(f, d, "$e", "1:2", ORANGE);
    fprintf(f, "\n");
}

static void outline(FILE *f, const char *name, const kl_outline *o, double dy, double dz)
{
    fprintf(f, "%s << EOD\n", name);
    for (int i = 0; i <= o->n; i++) {
        kl_outline_rates r = kl_outline_rates_at(o, i < o->n ? (kl_outline_place){i, 0.0}
                                                             : (kl_outline_place){i - 1, 1.0});
        fprintf(f, "%.7g %.7g\n", 1e3 * (r.y + dy), 1e3 * (r.z + dz));
    }
    fprintf(f, "EOD\n");
}

/* The right wheel in the middle of the track, and lines to its contact points at even shifts. */
static void draw_contacts(FILE *f, const kl_rail_figure_data *d)
{
    const kl_rolling_state *mid  = &d->state[d->n / 2];
    double                  lift = 0.012; /* the wheel is drawn above its rail */
    outline(f, "$wheel", d->wheel, d->half, mid->height + lift);
    outline(f, "$rail", d->rail, 0.0, 0.0);
    if (d->other) outline(f, "$other", d->other->wheel, d->other->half, mid->height + lift);
    fprintf(f, "$lines << EOD\n");
    for (int i = 0; i < d->n; i += 5) {
        const kl_touch *t = &d->state[i].touch[KL_RIGHT];
        if (!isfinite(d->state[i].delta_r)) continue;
        fprintf(f, "%.7g %.7g\n%.7g %.7g\n\n", 1e3 * t->rail.y, 1e3 * t->rail.z,
                1e3 * (t->wheel_u + d->half), 1e3 * (d->radius - t->radius + mid->height + lift));
    }
    fprintf(f,
            "EOD\n"
            "set size ratio -1\n"
            "set xlabel 'distance from the track centre [mm]'\n"
            "set ylabel 'height [mm]'\n"
            "plot $lines with lines lw 0.8 lc rgb '%s' title 'contact points at one lateral "
            "displacement', $wheel with lines lw 2 lc rgb '%s' title 'right wheel (drawn 12 mm "
            "higher)', $rail with lines lw 2 lc rgb '%s' title 'right rail'",
            GREY, ORANGE, BLUE);
    plot_other(f, d, "$other", "1:2", "#009e73");
    fprintf(f, "\n");
}

static const struct {
    const char *file, *what;
    int         height;
    void (*draw)(FILE *f, const kl_rail_figure_data *d);
} figures[] = {
    {"rolling-radius.svg", "rolling radius difference", 480, draw_rolling_radius},
    {"contact-angle.svg", "contact angles relative to the track plane", 480, draw_contact_angle},
    {"conicity.svg", "equivalent conicity", 480, draw_conicity},
    {"contacts.svg", "contact points of wheel and rail", 560, draw_contacts},
};

static bool draw(int i, const kl_rail_figure_data *d, const char *title, const char *folder)
{
    char        path[4096], words[400];
    kl_new_file o;
    kl_gnuplot  g;
    snprintf(path, sizeof path, "%s/%s", folder, figures[i].file);
    snprintf(words, sizeof words, "%.300s: %s", title, figures[i].what);
    if (!kl_output_open(&o, path)) return false;
    bool good = kl_gnuplot_start(&g, &o);
    if (good) {
        begin(g.script, words, figures[i].height);
        figures[i].draw(g.script, d);
        good = kl_gnuplot_end(&g);
    }
    if (!good) {
        kl_output_discard(&o);
        return false;
    }
    if (!kl_output_close(&o)) return false;
    fprintf(stderr, "%s\n", path);
    return true;
}

/* The text of a figure goes into the page as it is: SVG is part of HTML. */
static bool include_figure(FILE *page, const char *folder, const char *file)
{
    char   path[4096], text[4097] = {0};
    size_t n;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    bool first = true;
    while ((n = fread(text, 1, sizeof text - 1, f)) > 0) {
        const char *from = first ? strstr(text, "<svg") : text; /* no XML head within a page */
        if (!from) from = text;
        fwrite(from, 1, n - (size_t)(from - text), page);
        first = false;
    }
    fclose(f);
    return true;
}

static bool write_page(const char *title, const char *folder)
{
    char        path[4096];
    kl_new_file o;
    bool        good = true;
    snprintf(path, sizeof path, "%s/index.html", folder);
    if (!kl_output_open(&o, path)) return false;
    fprintf(o.stream, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>");
    for (const char *p = title; *p; p++)
        *p == '<'   ? fputs("&lt;", o.stream)
        : *p == '&' ? fputs("&amp;", o.stream)
                    : fputc(*p, o.stream);
    fprintf(o.stream, "</title><style>body{max-width:950px;margin:2em auto;font-family:sans-serif}"
                      "svg{max-width:100%%;height:auto;margin-bottom:2em}</style>\n");
    for (size_t i = 0; i < sizeof figures / sizeof figures[0] && good; i++)
        good = include_figure(o.stream, folder, figures[i].file);
    fprintf(o.stream, "</html>\n");
    if (!good) {
        kl_output_discard(&o);
        return false;
    }
    if (!kl_output_close(&o)) return false;
    fprintf(stderr, "%s\n", path);
    return true;
}

bool kl_rail_figures(const kl_rail_figure_data *d, const char *title, const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "cannot write %s: %s\n", folder, strerror(errno));
        return false;
    }
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        if (!draw((int)i, d, title, folder)) return false;
    return write_page(title, folder);
}
