/* Figures of a report on wheel forces: Y, Q and Y/Q over the track, the track below, and the forces in the
 * sharpest curve. Y and Q are those of the assessment, filtered alike. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "post/chart.h"
#include "post/report_parts.h"
#include "post/statistics.h"
#include "post/wheel_forces.h"

enum { SHOWN = KL_CHART_MOST_CURVES };
static const double CURVED = 1.0 / 5000.0; /* from here on a track is a curve [1/m] */

typedef struct wheels {
    kl_wheel_forces force; /* Y, Q and sum in kN */
    double         *ratio; /* the larger Y/Q of both wheels */
} wheels;

typedef struct track {
    const double *place;            /* rows [m]; NULL: not known, figures are drawn over the time */
    double       *curvature, *cant; /* rows [1/km], [mrad]; NULL: not recorded */
} track;

static double *scaled(double *x, int n, double factor)
{
    for (int i = 0; x && i < n; i++) x[i] *= factor;
    return x;
}

static double *larger(kl_report *p, const double *a, const double *b)
{
    double *x = kl_arena_array(p->arena, double, p->rows);
    for (int i = 0; x && i < p->rows; i++) x[i] = fmax(a[i], b[i]);
    return x;
}

/* The wheelsets as the assessment reads them, with the filter of the limits file. */
static int find_wheels(kl_report *p, wheels **out)
{
    kl_wheel_forces *force = NULL;
    int              n     = 0;
    kl_assess_input  in    = {.reader = p->r, .file = p->q->file, .arena = p->arena};
    if (kl_assess_limits(p->q->limits, p->arena, NULL, &in.limits) != KL_OK ||
        kl_assess_begin(&in) != KL_OK || kl_wheel_forces_read(&in, &force, &n) != KL_OK)
        return 0;
    *out = kl_arena_array(p->arena, wheels, n > 0 ? n : 1);
    for (int i = 0; *out && i < n; i++) {
        kl_wheel_forces *f = &force[i];
        for (int k = 0; k < 2; k++) scaled(f->Y[k], p->rows, 1e-3), scaled(f->Q[k], p->rows, 1e-3);
        scaled(f->sum, p->rows, 1e-3);
        (*out)[i] = (wheels){.force = *f, .ratio = larger(p, f->ratio[0], f->ratio[1])};
        if (!(*out)[i].ratio) return 0;
    }
    return *out ? n : 0;
}

/* The track as the leading wheelset finds it. */
static track read_track(kl_report *p, const wheels *w)
{
    track t     = {.place = w->force.distance};
    t.curvature = scaled(kl_report_named(p, w->force.name, "curvature"), p->rows, 1e3);
    t.cant      = scaled(kl_report_named(p, w->force.name, "cant"), p->rows, 1e3);
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
        c.curves[c.ncurve++] = (kl_chart_curve){.name = kl_arena_format(p->arena, "Q %s", side[k]),
                                                .y    = w->force.Q[k]};
        c.curves[c.ncurve++] = (kl_chart_curve){.name = kl_arena_format(p->arena, "Y %s", side[k]),
                                                .y    = w->force.Y[k]};
    }
    const char *caption =
        kl_arena_format(p->arena, "Wheel forces Y and Q of %s, low-pass filtered", w->force.name);
    if (caption) kl_report_figure(p, &c, caption);
}

static void add_all(kl_report *p, const track *t, const wheels *w, int n)
{
    kl_chart ratio = chart_over(p, t, "Y/Q"), sum = chart_over(p, t, "sum Y [kN]");
    for (int i = 0; i < n && i < SHOWN; i++) {
        const kl_wheel_forces *f     = &w[i].force;
        const double          *x     = t->place ? f->distance : NULL; /* each one where it is */
        ratio.curves[ratio.ncurve++] = (kl_chart_curve){.name = f->name, .y = w[i].ratio, .x = x};
        sum.curves[sum.ncurve++]     = (kl_chart_curve){.name = f->name, .y = f->sum, .x = x};
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
    const double *c    = kl_report_named(p, w->force.name, "curvature");
    double        most = kl_report_largest(c, p->rows);
    if (!c || most < CURVED) return;
    kl_text_add(&p->page,
                "<p>Medians in the curve with a radius of %.4g m [kN]:</p>\n<table><thead><tr>"
                "<th>wheelset</th><th class=\"n\">Y left</th><th class=\"n\">Y right</th><th "
                "class=\"n\">Q left</th><th class=\"n\">Q right</th><th class=\"n\">sum Y</th><th "
                "class=\"n\">Y/Q</th></tr></thead>\n",
                1.0 / most);
    for (int i = 0; i < n; i++) {
        const kl_wheel_forces *f   = &w[i].force;
        const double          *own = f->curvature;
        const double          *x[] = {f->Y[0], f->Y[1], f->Q[0], f->Q[1], f->sum, w[i].ratio};
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, f->name);
        for (size_t k = 0; k < sizeof x / sizeof *x; k++)
            kl_report_short_cell(p, own ? median_where(p, x[k], own, most) : (double)NAN);
        kl_text_add(&p->page, "</tr>\n");
    }
    kl_text_add(&p->page, "</table>\n");
}

void kl_report_wheels(kl_report *p)
{
    wheels *w = NULL;
    int     n = find_wheels(p, &w);
    if (n == 0) return;
    track t = read_track(p, w);
    add_leading(p, &t, w);
    add_all(p, &t, w, n);
    add_track(p, &t);
    add_curve(p, w, n);
}
