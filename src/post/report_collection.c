/* Figures of a report on current collection: contact force along the line, distribution of the contact
 * force. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "post/chart.h"
#include "post/collection_figures.h"
#include "post/report_parts.h"

enum { MOST_COLLECTORS = 4, CLASSES = 40 };

/* One pantograph: force filtered at 20 Hz, place, rows that count. */
typedef struct trace {
    const char   *name;
    double       *force;
    const double *x, *evaluated;
} trace;

static const double *column(kl_report *p, const char *object, const char *part, int i)
{
    char name[64];
    snprintf(name, sizeof name, i ? "%s_%d" : "%s", part, i + 1);
    return kl_report_named(p, object, name);
}

static bool read_trace(kl_report *p, const char *object, int i, trace *t)
{
    const double *force = column(p, object, "contact_force", i);
    t->x                = column(p, object, "position", i);
    t->evaluated        = column(p, object, "evaluated", i);
    t->force            = kl_arena_array(p->arena, double, p->rows + 1);
    if (!force || !t->x || !t->evaluated || !t->force) return false;
    t->name     = i ? kl_arena_format(p->arena, "%s, pantograph %d", object, i + 1) : object;
    double rate = (p->rows - 1) / (p->time[p->rows - 1] - p->time[0]);
    kl_collection_filter(force, p->rows, 20.0, rate, t->force);
    return t->name != NULL;
}

/* All pantographs of the run. */
static int find_traces(kl_report *p, trace *t)
{
    static const char part[] = ".evaluated";
    int               n      = 0;
    for (int c = 0; c < kl_reader_channels(p->r) && n < MOST_COLLECTORS; c++) {
        const char *name   = kl_reader_channel(p->r, c)->name;
        size_t      length = strlen(name), tail = sizeof part - 1;
        if (length <= tail || strcmp(name + length - tail, part) != 0) continue;
        const char *object = kl_arena_format(p->arena, "%.*s", (int)(length - tail), name);
        for (int i = 0; object && n < MOST_COLLECTORS && read_trace(p, object, i, &t[n]); i++) n++;
    }
    return n;
}

static void add_force(kl_report *p, const trace *t, int n)
{
    for (int i = 0; i < n; i++) {
        kl_chart c  = {.x_label = "place along the line [m]",
                       .y_label = "contact force [N]",
                       .x       = t[i].x,
                       .n       = p->rows,
                       .ncurve  = 1};
        c.curves[0] = (kl_chart_curve){.name = t[i].name, .y = t[i].force};
        kl_report_figure(p, &c, "Contact force along the line, low-pass filtered at 20 Hz");
    }
}

/* Share of the evaluated rows in classes of the force. */
static void add_histogram(kl_report *p, const trace *t, int n)
{
    double  *x = kl_arena_array(p->arena, double, CLASSES), low = HUGE_VAL, high = -HUGE_VAL;
    kl_chart c = {.x_label = "contact force [N]", .y_label = "share of rows [%]", .n = CLASSES};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < p->rows; k++)
            if (t[i].evaluated[k] > 0.5)
                low = fmin(low, t[i].force[k]), high = fmax(high, t[i].force[k]);
    if (!x || !(high > low)) return;
    double width = (high - low) / CLASSES;
    for (int k = 0; k < CLASSES; k++) x[k] = low + (k + 0.5) * width;
    c.x = x;
    for (int i = 0; i < n; i++) {
        double *share = kl_arena_array(p->arena, double, CLASSES), count = 0.0;
        if (!share) return;
        for (int k = 0; k < p->rows; k++) {
            if (t[i].evaluated[k] < 0.5) continue;
            int class_ = (int)((t[i].force[k] - low) / width);
            share[class_ < CLASSES ? class_ : CLASSES - 1] += 1.0;
            count += 1.0;
        }
        for (int k = 0; k < CLASSES && count > 0.0; k++) share[k] *= 100.0 / count;
        c.curves[c.ncurve++] = (kl_chart_curve){.name = t[i].name, .y = share};
    }
    kl_report_figure(p, &c, "Distribution of the contact force in the evaluated part of the line");
}

void kl_report_collection(kl_report *p)
{
    trace t[MOST_COLLECTORS];
    int   n = p->rows > 2 ? find_traces(p, t) : 0;
    if (n == 0) return;
    add_force(p, t, n);
    add_histogram(p, t, n);
}
