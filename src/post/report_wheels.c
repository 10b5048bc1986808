/* Figures of a report on wheel forces: Y, Q and Y/Q over the track, the track below, and the forces in the
 * sharpest curve. Y and Q are low-pass filtered at 20 Hz as in the assessment. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/filter.h"
#include "post/chart.h"
#include "post/report_parts.h"
#include "post/statistics.h"

enum { MOST_WHEELSETS = 32, SHOWN = KL_CHART_MOST_CURVES };
static const double CURVED = 1.0 / 5000.0; /* from here on a track is a curve [1/m] */

typedef struct wheels {
    const char *name;
    double     *Y[2], *Q[2]; /* left, right; filtered [kN] */
    double     *ratio;       /* the larger Y/Q of both wheels */
    double     *sum;         /* Y left - Y right [kN] */
} wheels;

typedef struct track {
    const double *place;            /* rows [m] */
    double       *curvature, *cant; /* rows [1/km], [mrad]; NULL: not recorded */
} track;

static double *filtered(kl_report *p, const char *object, const char *part)
{
    kl_filter f;
    double   *x    = kl_report_named(p, object, part);
    double    rate = (p->rows - 1) / (p->time[p->rows - 1] - p->time[0]);
    if (!x || kl_filter_lowpass(&f, 4, 20.0, rate) != KL_OK) return x;
    kl_filter_run_both_ways(&f, x, p->rows);
    for (int i = 0; i < p->rows; i++) x[i] *= 1e-3;
    return x;
}

static bool read_wheels(kl_report *p, const char *object, wheels *w)
{
    static const char *const Y[2] = {"Y_left", "Y_right"}, *const Q[2] = {"Q_left", "Q_right"};
    *w       = (wheels){.name = object};
    w->ratio = kl_arena_array(p->arena, double, p->rows);
    w->sum   = kl_arena_array(p->arena, double, p->rows);
    for (int k = 0; k < 2; k++) {
        w->Y[k] = filtered(p, object, Y[k]);
        w->Q[k] = filtered(p, object, Q[k]);
        if (!w->Y[k] || !w->Q[k]) return false;
    }
    double Q0 = 0.5 * (kl_mean(w->Q[0], p->rows) + kl_mean(w->Q[1], p->rows));
    for (int i = 0; w->ratio && w->sum && i < p->rows; i++) {
        double left  = w->Y[0][i] / fmax(w->Q[0][i], 0.01 * Q0),
               right = w->Y[1][i] / fmax(w->Q[1][i], 0.01 * Q0);
        w->ratio[i]  = fmax(left, right);
        w->sum[i]    = w->Y[0][i] - w->Y[1][i];
    }
    return w->ratio && w->sum;
}

static int find_wheels(kl_report *p, wheels *w)
{
    static const char part[] = ".Y_left";
    int               n      = 0;
    for (int c = 0; c < kl_reader_channels(p->r) && n < MOST_WHEELSETS; c++) {
        const char *name   = kl_reader_channel(p->r, c)->name;
        size_t      length = strlen(name), tail = sizeof part - 1;
        if (length <= tail || strcmp(name + length - tail, part) != 0) continue;
        const char *object = kl_arena_format(p->arena, "%.*s", (int)(length - tail), name);
        if (object && read_wheels(p, object, &w[n])) n++;
    }
    return n;
}

static double *scaled(double *x, int n, double factor)
{
    for (int i = 0; x && i < n; i++) x[i] *= factor;
    return x;
}

/* Place on the track: of the leading wheelset, or the time where the vehicle stands over moving rails. */
static track read_track(kl_report *p, const wheels *w)
{
    track t     = {.place = kl_report_named(p, w->name, "distance")};
    t.curvature = scaled(kl_report_named(p, w->name, "curvature"), p->rows, 1e3);
    t.cant      = scaled(kl_report_named(p, w->name, "cant"), p->rows, 1e3);
    return t;
}

static kl_chart chart_over(const kl_report *p, const track *t, const char *y_label)
{
    return (kl_chart){.x_label = t->place ? "distance along the track [m]" : "time [s]",
                      .y_label = y_label,
                      .x       = t->place ? t->place : p->time,
                      .n       = p->rows};
}

static void add_leading(kl_report *p, const track *t, const wheels *w)
{
    static const char *const side[2] = {"left", "right"};
    kl_chart                 c       = chart_over(p, t, "force [kN]");
    for (int k = 0; k < 2; k++) {
        c.curves[c.ncurve++] =
            (kl_chart_curve){.name = kl_arena_format(p->arena, "Q %s", side[k]), .y = w->Q[k]};
        c.curves[c.ncurve++] =
            (kl_chart_curve){.name = kl_arena_format(p->arena, "Y %s", side[k]), .y = w->Y[k]};
    }
    const char *caption = kl_arena_format(
        p->arena, "Wheel forces Y and Q of %s, low-pass filtered at 20 Hz", w->name);
    if (caption) kl_report_figure(p, &c, caption);
}

static void add_all(kl_report *p, const track *t, const wheels *w, int n)
{
    kl_chart ratio = chart_over(p, t, "Y/Q"), sum = chart_over(p, t, "sum Y [kN]");
    for (int i = 0; i < n && i < SHOWN; i++) {
        ratio.curves[ratio.ncurve++] = (kl_chart_curve){.name = w[i].name, .y = w[i].ratio};
        sum.curves[sum.ncurve++]     = (kl_chart_curve){.name = w[i].name, .y = w[i].sum};
    }
    kl_report_figure(p, &ratio, "Y/Q of the worse wheel of each wheelset");
    kl_report_figure(p, &sum, "Sum of lateral forces of each wheelset, Y left - Y right");
}

static void add_track(kl_report *p, const track *t)
{
    if (!t->curvature || !(kl_report_largest(t->curvature, p->rows) > 0.0)) return;
    kl_chart c           = chart_over(p, t, "curvature [1/km], cant [mrad]");
    c.curves[c.ncurve++] = (kl_chart_curve){.name = "curvature", .y = t->curvature};
    if (t->cant) c.curves[c.ncurve++] = (kl_chart_curve){.name = "cant", .y = t->cant};
    kl_report_figure(p, &c, "The track at the leading wheelset");
}

/* ---- the sharpest curve ---- */

static double median_where(kl_report *p, const double *x, const double *c, double most)
{
    double *part = kl_arena_array(p->arena, double, p->rows);
    int     n    = 0;
    for (int i = 0; part && i < p->rows; i++)
        if (fabs(c[i]) > 0.999 * most) part[n++] = x[i];
    if (n == 0) return (double)NAN;
    kl_sort_numbers(part, n);
    return kl_percentile(part, n, 0.5, KL_PERCENTILE_LINEAR);
}

/* Medians over the rows in which each wheelset is on the sharpest curve. */
static void add_curve(kl_report *p, const wheels *w, int n)
{
    const double *c    = kl_report_named(p, w->name, "curvature");
    double        most = kl_report_largest(c, p->rows);
    if (!c || most < CURVED) return;
    kl_text_add(&p->page,
                "<p>Medians in the curve with a radius of %.4g m [kN]:</p>\n<table><thead><tr>"
                "<th>wheelset</th><th class=\"n\">Y left</th><th class=\"n\">Y right</th><th "
                "class=\"n\">Q left</th><th class=\"n\">Q right</th><th class=\"n\">sum Y</th><th "
                "class=\"n\">Y/Q</th></tr></thead>\n",
                1.0 / most);
    for (int i = 0; i < n; i++) {
        const double *own = kl_report_named(p, w[i].name, "curvature");
        const double *x[] = {w[i].Y[0], w[i].Y[1], w[i].Q[0], w[i].Q[1], w[i].sum, w[i].ratio};
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, w[i].name);
        for (size_t k = 0; k < sizeof x / sizeof *x; k++)
            kl_report_short_cell(p, own ? median_where(p, x[k], own, most) : (double)NAN);
        kl_text_add(&p->page, "</tr>\n");
    }
    kl_text_add(&p->page, "</table>\n");
}

void kl_report_wheels(kl_report *p)
{
    wheels w[MOST_WHEELSETS];
    int    n = find_wheels(p, w);
    if (n == 0) return;
    track t = read_track(p, w);
    add_leading(p, &t, w);
    add_all(p, &t, w, n);
    add_track(p, &t);
    add_curve(p, w, n);
}
