/* The part of a report on a crash: energy by part over time, stacked, and what each part has in the end. */
#include "post/chart.h"
#include "post/energy_parts.h"
#include "post/report_parts.h"

static void add_table(kl_report *p, const kl_energy_parts *e)
{
    double sum  = 0.0;
    int    last = p->rows - 1;
    for (int k = 0; k < e->n; k++) sum += e->part[k].value[last];
    kl_text_add(&p->page, "<table><thead><tr><th>part</th><th class=\"n\">at the end [kJ]</th><th "
                          "class=\"n\">share [%%]</th></tr></thead>\n");
    for (int k = e->n - 1; k >= 0; k--) {
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, e->part[k].name);
        kl_report_short_cell(p, 1e-3 * e->part[k].value[last]);
        kl_report_rounded_cell(p, 100.0 * e->part[k].value[last] / sum, 1);
        kl_text_add(&p->page, "</tr>\n");
    }
    kl_text_add(&p->page, "</table>\n");
}

void kl_report_energies(kl_report *p)
{
    kl_energy_parts e;
    kl_chart        c = {.x_label = "time [s]",
                         .y_label = "energy [kJ]",
                         .x       = p->time,
                         .n       = p->rows,
                         .stacked = true};
    if (p->rows < 3 || kl_energy_parts_read(p->r, p->arena, &e) != KL_OK || !e.yields) return;
    kl_report_heading(p, "Energy by part");
    add_table(p, &e);
    kl_energy_parts_stack(&e);
    for (int k = e.n - 1; k >= 0; k--) {
        for (int i = 0; i < p->rows; i++) e.part[k].value[i] *= 1e-3;
        c.curves[c.ncurve++] = (kl_chart_curve){.name = e.part[k].name, .y = e.part[k].value};
    }
    kl_report_figure(
        p, &c, "Energy by part over time; the upper edge is constant where nothing is supplied");
}
