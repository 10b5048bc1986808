/* The part of a report on fields of finite elements: the largest value of each, where and when. */
#include <stdlib.h>

#include "post/report_parts.h"
#include "results/fields.h"

typedef struct peak {
    double value, time;
    int    point;
} peak;

/* Largest values over all rows; false: the results cannot be read. */
static bool find_peaks(kl_report *p, const kl_field_points *f, peak *most)
{
    double *row  = malloc(((size_t)((f->width + f->nvalue) * f->npoint) + 1) * sizeof *row), t;
    bool    good = row != NULL;
    for (int i = 0; good && i < f->rows; i++) {
        good = kl_reader_field(p->r, f, i, 1, &t, row, NULL) == KL_OK;
        for (int k = 0; good && k < f->nvalue; k++)
            for (int j = 0; j < f->npoint; j++) {
                double v = row[(f->width + k) * f->npoint + j];
                if (v > most[k].value) most[k] = (peak){v, t, j};
            }
    }
    free(row);
    return good;
}

static void add_peaks(kl_report *p, const kl_field_points *f)
{
    peak most[KL_FIELD_VALUES] = {{0}};
    if (!find_peaks(p, f, most)) return;
    for (int k = 0; k < f->nvalue; k++) {
        const double *x = f->point + 3 * (size_t)most[k].point;
        kl_text_add(&p->page, "<tr><td>");
        kl_text_html(&p->page, f->name);
        kl_text_add(&p->page, "</td><td>");
        kl_text_html(&p->page, f->value_name[k]);
        kl_text_add(&p->page, "</td><td>%.4g</td><td>", most[k].value);
        kl_text_html(&p->page, f->value_unit[k]);
        kl_text_add(&p->page, "</td><td>%.4g</td><td>%.4g, %.4g, %.4g</td></tr>\n", most[k].time,
                    x[0], x[1], x[2]);
    }
}

void kl_report_fields(kl_report *p)
{
    int                    n = 0, values = 0;
    const kl_field_points *list = kl_reader_fields(p->r, &n);
    for (int i = 0; i < n; i++) values += list[i].nvalue;
    if (values == 0) return;
    kl_text_add(&p->page,
                "<h2 id=\"fields\">Largest values of finite elements</h2>\n<table><tr><th>body</th>"
                "<th>value</th><th>largest</th><th>unit</th><th>time [s]</th>"
                "<th>place at the start [m]</th></tr>\n");
    for (int i = 0; i < n; i++) add_peaks(p, &list[i]);
    kl_text_add(&p->page, "</table>\n");
}
