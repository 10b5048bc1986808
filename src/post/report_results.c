/* The part of a report on what came out: figures, values, limits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "post/chart.h"
#include "post/report_parts.h"

enum { MOST_FIGURES = 8 };

static bool is_used(kl_report *p, int channel)
{
    const double *v = kl_report_column(p, channel);
    return v && kl_report_largest(v, p->rows) > 0.0;
}

/* Asked for; or the model's outputs; and always the energies at the end. */
static int choose(kl_report *p, int *list)
{
    int n = 0;
    for (int i = 0; i < p->q->nchannel; i++) list[n++] = p->q->channels[i];
    for (int i = 0; !p->q->nchannel && i < kl_reader_channels(p->r); i++)
        if (kl_reader_channel(p->r, i)->own) list[n++] = i;
    if (p->q->nchannel) return n;
    static const char *const energies[] = {"energy.kinetic", "energy.potential", "energy.lost",
                                           "energy.supplied", "energy.total"};
    for (size_t i = 0; i < sizeof energies / sizeof *energies; i++) {
        int  k         = kl_reader_find(p->r, energies[i]);
        bool exchanged = i == 2 || i == 3; /* of interest where there is any */
        if (k < 0 || (exchanged && !is_used(p, k))) continue;
        list[n++] = k;
    }
    return n;
}

/* The limit of an output; 0 where it has none. */
static double limit_of(const kl_node *limits, const char *name)
{
    const kl_node *e = limits && limits->kind == KL_LIST ? limits->first : NULL;
    while (e && strcmp(kl_report_text(e, "name"), name) != 0) e = e->next;
    return e ? kl_report_number(e, "limit") : 0.0;
}

/* One figure a unit, further ones when a figure is full. */
static void add_figures(kl_report *p, const int *list, int n)
{
    bool          *done    = kl_arena_array(p->arena, bool, n + 1);
    int            figures = 0;
    const kl_node *limits  = kl_report_kept(p, "limits");
    for (int i = 0; done && i < n && figures < MOST_FIGURES; i++) {
        if (done[i]) continue;
        const char *unit = kl_reader_channel(p->r, list[i])->unit;
        char        label[128];
        snprintf(label, sizeof label, "[%s]", *unit ? unit : "1");
        kl_chart c = {.x_label = "time [s]", .y_label = label, .x = p->time, .n = p->rows};
        for (int k = i; k < n && c.ncurve < 4; k++) {
            const kl_channel_info *info = kl_reader_channel(p->r, list[k]);
            double                *v =
                !done[k] && strcmp(info->unit, unit) == 0 ? kl_report_column(p, list[k]) : NULL;
            if (!v) continue;
            c.curves[c.ncurve++] =
                (kl_chart_curve){.name = info->name, .y = v, .limit = limit_of(limits, info->name)};
            done[k] = true;
        }
        done[i] = true;
        if (c.ncurve == 0) continue;
        kl_text_add(&p->page, "<figure>");
        kl_chart_add(&p->page, &c);
        kl_text_add(&p->page, "<figcaption>Figure %d: ", ++figures);
        for (int k = 0; k < c.ncurve; k++) {
            kl_text_add(&p->page, k ? ", " : "");
            kl_text_html(&p->page, c.curves[k].name);
        }
        kl_text_add(&p->page, "</figcaption></figure>\n");
    }
}

static void add_values(kl_report *p, const int *list, int n)
{
    kl_text_add(&p->page,
                "<table><thead><tr><th>channel</th><th>unit</th><th class=\"n\">smallest</th><th "
                "class=\"n\">at [s]</th><th class=\"n\">largest</th><th class=\"n\">at [s]</th><th "
                "class=\"n\">mean</th><th class=\"n\">r.m.s.</th></tr></thead>\n");
    for (int i = 0; i < n && i < KL_REPORT_MOST_ROWS; i++) {
        const kl_channel_info *info = kl_reader_channel(p->r, list[i]);
        const double          *v    = kl_report_column(p, list[i]);
        double                 sum = 0.0, squares = 0.0;
        int                    low = -1, high = -1, count = 0;
        for (int k = 0; v && k < p->rows; k++) {
            if (!isfinite(v[k])) continue;
            if (low < 0 || v[k] < v[low]) low = k;
            if (high < 0 || v[k] > v[high]) high = k;
            sum += v[k];
            squares += v[k] * v[k];
            count++;
        }
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, info->name);
        kl_report_cell(p, info->unit);
        kl_report_number_cell(p, low < 0 ? (double)NAN : v[low]);
        kl_report_number_cell(p, low < 0 ? (double)NAN : p->time[low]);
        kl_report_number_cell(p, high < 0 ? (double)NAN : v[high]);
        kl_report_number_cell(p, high < 0 ? (double)NAN : p->time[high]);
        kl_report_number_cell(p, count ? sum / count : (double)NAN);
        kl_report_number_cell(p, count ? sqrt(squares / count) : (double)NAN);
        kl_text_add(&p->page, "</tr>\n");
    }
    kl_text_add(&p->page, "</table>\n");
}

void kl_report_results(kl_report *p)
{
    int  n    = kl_reader_channels(p->r);
    int *list = kl_arena_array(p->arena, int, n + p->q->nchannel + 6);
    if (!list) return;
    n = choose(p, list);
    kl_report_heading(p, "Results");
    if (p->rows == 0) {
        kl_text_add(&p->page, "<p class=\"poor\">The results contain no rows.</p>\n");
        return;
    }
    add_figures(p, list, n);
    add_values(p, list, n);
}

/* A limit is kept only where every row up to the end of the run has a number below it. */
static const char *limit_verdict(kl_report *p, const double *v, double most, double limit)
{
    int finite = 0;
    for (int i = 0; i < p->rows; i++) finite += isfinite(v[i]);
    if (most > limit) return "fail";
    if (finite == 0) return "no numbers";
    if (finite < p->rows) return "values missing";
    return kl_report_complete(p) ? "pass" : "pass so far";
}

/* Verdicts on outputs that have a limit: its largest size in the recorded rows against it. */
void kl_report_limits(kl_report *p)
{
    const kl_node *list = kl_report_kept(p, "limits");
    if (!list || list->kind != KL_LIST || !list->first || p->rows == 0) return;
    kl_report_heading(p, "Assessment");
    kl_text_add(&p->page,
                "<table><thead><tr><th>output</th><th>rule</th><th class=\"n\">largest absolute "
                "value</th><th class=\"n\">at [s]</th><th class=\"n\">limit</th><th>unit</th><th "
                "class=\"n\">utilisation [%%]</th><th>verdict</th></tr></thead>\n");
    for (const kl_node *e = list->first; e; e = e->next) {
        const double *v     = kl_report_column(p, kl_reader_find(p->r, kl_report_text(e, "name")));
        double        limit = kl_report_number(e, "limit"), most = kl_report_largest(v, p->rows);
        int           when = 0;
        if (!v) continue;
        while (when < p->rows - 1 && fabs(v[when]) != most) when++;
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, kl_report_text(e, "name"));
        kl_report_cell(p, kl_report_text(e, "rule"));
        const char *said = limit_verdict(p, v, most, limit);
        bool        none = strcmp(said, "no numbers") == 0;
        kl_report_number_cell(p, none ? (double)NAN : most);
        kl_report_number_cell(p, none ? (double)NAN : p->time[when]);
        kl_report_number_cell(p, limit);
        kl_report_cell(p, kl_report_text(e, "unit"));
        kl_report_number_cell(p, none ? (double)NAN : 100.0 * most / limit);
        kl_text_add(&p->page, "<td class=\"%s\">%s</td></tr>\n",
                    strcmp(said, "pass") == 0 ? "good" : "poor", said);
    }
    kl_text_add(&p->page, "</table>\n");
}
