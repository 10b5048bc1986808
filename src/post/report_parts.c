#include "post/report_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* JSON of the results as a tree; NULL when absent or damaged. */
const kl_node *kl_report_kept(kl_report *p, const char *name)
{
    const char *text = kl_reader_text(p->r, name);
    kl_node    *root = NULL;
    if (!text || kl_doc_parse(text, strlen(text), name, p->arena, NULL, &root) != KL_OK)
        return NULL;
    return root;
}

const char *kl_report_text(const kl_node *map, const char *key)
{
    const kl_node *n = kl_node_get(map, key);
    return n && n->kind == KL_SCALAR ? n->text : "";
}

double kl_report_number(const kl_node *map, const char *key)
{
    const char *text = kl_report_text(map, key);
    char       *end;
    double      v = strtod(text, &end);
    return end == text ? (double)NAN : v;
}

bool kl_report_complete(const kl_report *p)
{
    const char *status = kl_reader_text(p->r, "status");
    return status && strcmp(status, "complete") == 0;
}

/* A whole column, owned by the arena; NULL when there is none. */
double *kl_report_column(kl_report *p, int channel)
{
    if (channel < 0 || p->rows == 0) return NULL;
    double *v = kl_arena_array(p->arena, double, p->rows);
    return v && kl_reader_column(p->r, channel, v) == KL_OK ? v : NULL;
}

double *kl_report_named(kl_report *p, const char *object, const char *part)
{
    char name[512];
    snprintf(name, sizeof name, "%s.%s", object, part);
    return kl_report_column(p, kl_reader_find(p->r, name));
}

double kl_report_largest(const double *v, int n)
{
    double most = 0.0;
    for (int i = 0; v && i < n; i++)
        if (isfinite(v[i])) most = fmax(most, fabs(v[i]));
    return most;
}

/* ---- pieces of a page ---- */

void kl_report_heading(kl_report *p, const char *text)
{
    kl_text_add(&p->page, "<h2>%s</h2>\n", text);
}

void kl_report_cell(kl_report *p, const char *text)
{
    kl_text_add(&p->page, "<td>");
    kl_text_html(&p->page, text);
    kl_text_add(&p->page, "</td>");
}

void kl_report_number_cell(kl_report *p, double value)
{
    if (isfinite(value)) kl_text_add(&p->page, "<td class=\"n\">%.6g</td>", value);
    else kl_text_add(&p->page, "<td class=\"n\">-</td>");
}

void kl_report_short_cell(kl_report *p, double value)
{
    if (isfinite(value)) kl_text_add(&p->page, "<td class=\"n\">%.4g</td>", value);
    else kl_text_add(&p->page, "<td class=\"n\">-</td>");
}

void kl_report_rounded_cell(kl_report *p, double value, int decimals)
{
    if (isfinite(value)) kl_text_add(&p->page, "<td class=\"n\">%.*f</td>", decimals, value);
    else kl_text_add(&p->page, "<td class=\"n\">-</td>");
}

void kl_report_figure(kl_report *p, const kl_chart *c, const char *caption)
{
    kl_text_add(&p->page, "<figure>");
    kl_chart_add(&p->page, c);
    kl_text_add(&p->page, "<figcaption>");
    kl_text_html(&p->page, caption);
    kl_text_add(&p->page, "</figcaption></figure>\n");
}

__attribute__((format(printf, 3, 4))) void kl_report_fact(kl_report *p, const char *name,
                                                          const char *format, ...)
{
    char    value[512];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    kl_text_add(&p->page, "<tr><th>%s</th>", name);
    kl_report_cell(p, value);
    kl_text_add(&p->page, "</tr>\n");
}
