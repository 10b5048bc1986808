/* The part of a report on how the run went: cards, settings, statistics, warnings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "post/chart.h"
#include "post/report_parts.h"

kl_report_quality kl_report_quality_of(kl_report *p)
{
    kl_report_quality q       = {.balance = (double)NAN};
    const double     *balance = kl_report_named(p, "energy", "balance");
    double scale  = fmax(kl_report_largest(kl_report_named(p, "energy", "kinetic"), p->rows),
                         kl_report_largest(kl_report_named(p, "energy", "potential"), p->rows));
    double change = 0.0;
    for (int i = 0; balance && i < p->rows; i++)
        change = fmax(change, fabs(balance[i] - balance[0]));
    if (balance && scale > 0.0) q.balance = change / scale;
    q.gap      = kl_report_largest(kl_report_named(p, "drift", "position"), p->rows);
    q.gap_turn = kl_report_largest(kl_report_named(p, "drift", "rotation"), p->rows);
    q.speed =
        kl_report_number(p->statistics, "simulated_s") / kl_report_number(p->statistics, "wall_s");
    return q;
}

static void card(kl_report *p, const char *value, const char *name, bool good)
{
    kl_text_add(&p->page, "<div class=\"card\"><b class=\"%s\">", good ? "" : "poor");
    kl_text_html(&p->page, value);
    kl_text_add(&p->page, "</b><span>%s</span></div>", name);
}

void kl_report_cards(kl_report *p, const kl_report_quality *q)
{
    char text[64];
    bool whole = kl_report_complete(p);
    kl_text_add(&p->page, "<div class=\"cards\">");
    snprintf(text, sizeof text, "%.6g s", p->rows > 0 ? p->time[p->rows - 1] - p->time[0] : 0.0);
    card(p, text, whole ? "simulated, run complete" : "simulated, run not complete", whole);
    if (isfinite(q->speed)) snprintf(text, sizeof text, "%.3g x", q->speed);
    else snprintf(text, sizeof text, "-");
    card(p, text, "real time", true);
    snprintf(text, sizeof text, isfinite(q->balance) ? "%.2g" : "-", q->balance);
    card(p, text, "energy balance error relative to the largest energy",
         !(isfinite(q->balance) && q->balance > 1e-3));
    snprintf(text, sizeof text, "%.2g m", q->gap);
    card(p, text, "largest constraint error", true);
    kl_text_add(&p->page, "</div>\n");
}

void kl_report_run(kl_report *p, const kl_report_quality *q)
{
    const kl_node *s = p->statistics;
    kl_report_heading(p, "The run");
    kl_text_add(&p->page, "<table class=\"facts\">\n");
    const char *status = kl_reader_text(p->r, "status"), *program = kl_reader_text(p->r, "program");
    kl_report_fact(p, "status", "%s", status ? status : "not ended");
    if (program) kl_report_fact(p, "program", "%s", program);
    kl_report_fact(p, "rows kept", "%d, from %.6g to %.6g s", p->rows, p->rows ? p->time[0] : 0.0,
                   p->rows ? p->time[p->rows - 1] : 0.0);
    if (s) {
        double steps = kl_report_number(s, "steps");
        kl_report_fact(p, "integrator", "%s", kl_report_text(s, "integrator"));
        kl_report_fact(p, "steps", "%.0f, from %.3g to %.3g s long; %.0f rejected", steps,
                       kl_report_number(s, "least_step_s"), kl_report_number(s, "largest_step_s"),
                       kl_report_number(s, "rejected"));
        kl_report_fact(p, "Newton iterations", "%.0f, %.2f per step",
                       kl_report_number(s, "iterations"),
                       steps > 0 ? kl_report_number(s, "iterations") / steps : 0.0);
        kl_report_fact(p, "matrix factorizations", "%.0f", kl_report_number(s, "factorizations"));
        kl_report_fact(p, "computing time", "%.3g s, %.3g times real time",
                       kl_report_number(s, "wall_s"), q->speed);
        kl_report_fact(p, "energy dissipated, supplied", "%.6g J, %.6g J",
                       kl_report_number(s, "lost_J"), kl_report_number(s, "supplied_J"));
    }
    if (isfinite(q->balance))
        kl_report_fact(p, "energy balance error", "%.2g of the largest energy", q->balance);
    kl_report_fact(p, "largest constraint error", "%.2g m, %.2g rad", q->gap, q->gap_turn);
    kl_text_add(&p->page, "</table>\n");
}

/* Settings that the results keep, name by name, and parameters that were changed. */
void kl_report_settings(kl_report *p)
{
    const kl_node *s   = kl_report_kept(p, "settings");
    const char    *set = kl_reader_text(p->r, "set");
    if ((!s || s->kind != KL_MAP) && !(set && *set)) return;
    kl_report_heading(p, "Settings");
    kl_text_add(&p->page, "<table class=\"facts\">\n");
    for (const kl_node *c = s && s->kind == KL_MAP ? s->first : NULL; c; c = c->next) {
        char        name[80];
        const char *unit = strrchr(c->key, '_');
        bool        has  = unit && (strcmp(unit, "_s") == 0 || strcmp(unit, "_m") == 0);
        snprintf(name, sizeof name, "%.*s", has ? (int)(unit - c->key) : 60, c->key);
        for (char *k = name; *k; k++)
            if (*k == '_') *k = ' ';
        if (c->kind == KL_SCALAR)
            kl_report_fact(p, name, "%.200s%s%s", c->text, has ? " " : "", has ? unit + 1 : "");
    }
    if (set && *set) kl_report_fact(p, "changed parameters", "%.400s", set);
    kl_text_add(&p->page, "</table>\n");
}

void kl_report_warnings(kl_report *p)
{
    const char *kept[2] = {kl_reader_text(p->r, "failure"), kl_reader_text(p->r, "warnings")};
    kl_report_heading(p, "Warnings");
    if (!kl_report_complete(p))
        kl_text_add(&p->page,
                    "<p class=\"poor\">The run did not reach its end time; the last row is at %.6g "
                    "s.</p>\n",
                    p->rows > 0 ? p->time[p->rows - 1] : 0.0);
    for (int i = 0; i < 2; i++) {
        if (!kept[i] || !*kept[i]) continue;
        kl_text_add(&p->page, "<pre class=\"poor\">");
        kl_text_html(&p->page, kept[i]);
        kl_text_add(&p->page, "</pre>\n");
    }
    if (kl_report_complete(p) && !(kept[1] && *kept[1])) kl_text_add(&p->page, "<p>None.</p>\n");
}

/* How the energy balance and the gaps of joints went over time. */
void kl_report_quality_figures(kl_report *p)
{
    static const struct {
        const char *name, *unit, *title;
    } what[] = {{"energy.balance", "J", "Energy balance: change of total + lost - supplied"},
                {"drift.position", "m", "Largest position error of a joint"},
                {"drift.rotation", "rad", "Largest angle error of a joint"}};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        char    label[40];
        double *v = kl_report_column(p, kl_reader_find(p->r, what[i].name));
        if (!v || p->rows < 2) continue;
        for (int k = p->rows - 1; i == 0 && k >= 0; k--)
            v[k] -= v[0]; /* what counts is its change */
        if (kl_report_largest(v, p->rows) == 0.0) continue;
        snprintf(label, sizeof label, "[%s]", what[i].unit);
        kl_chart c = {
            .x_label = "time [s]", .y_label = label, .x = p->time, .n = p->rows, .ncurve = 1};
        c.curves[0] = (kl_chart_curve){.name = what[i].name, .y = v};
        kl_text_add(&p->page, "<figure>");
        kl_chart_add(&p->page, &c);
        kl_text_add(&p->page, "<figcaption>%s</figcaption></figure>\n", what[i].title);
    }
}
