/* The part of a report on assessments: one table for each standard that suits the run, and its figures. */
#include <math.h>

#include "post/assess.h"
#include "post/report_parts.h"

typedef struct assessment_section {
    const char *domain, *heading, *standards;
    void (*figures)(kl_report *p); /* NULL: none */
} assessment_section;

static const assessment_section sections[] = {
    {"railway", "Running safety and track loading", "EN 14363 and UIC 518", kl_report_wheels},
    {"comfort", "Ride comfort", "EN 12299, ISO 2631 and Sperling", NULL},
    {"current-collection", "Current collection", "EN 50318 and EN 50367", kl_report_collection},
    {"crash", "Collision", "EN 15227", NULL},
};

/* Place, value, unit and limit of a row, as they are shown. */
static void add_row(kl_report *p, const kl_assessed *r)
{
    const char *unit;
    kl_report_cell(p, r->quantity);
    kl_report_rounded_cell(p, r->place, 1);
    kl_report_short_cell(p, kl_assess_shown(r, r->value, &unit));
    kl_text_add(&p->page, "<td class=\"unit\">%s</td>", unit);
    kl_report_short_cell(p, kl_assess_shown(r, r->limit, &unit));
    kl_report_rounded_cell(p, 100.0 * r->utilisation, 0);
}

static void add_table(kl_report *p, const kl_assessment *a)
{
    static const char *const word[] = {"", "within", "exceeded"};
    kl_text_add(&p->page, "<table><thead><tr><th>quantity</th><th class=\"n\">place [m]</th><th "
                          "class=\"n\">value</th><th>unit</th><th class=\"n\">limit</th><th "
                          "class=\"n\">utilisation [%%]</th><th>verdict</th></tr></thead>\n");
    for (int i = 0; i < a->n; i++) {
        const kl_assessed *r = &a->row[i];
        kl_text_add(&p->page, "<tr>");
        add_row(p, r);
        kl_text_add(&p->page, "<td class=\"unit %s\">%s</td></tr>\n",
                    r->verdict == KL_EXCEEDS_LIMIT ? "poor" : "good", word[r->verdict]);
    }
    kl_text_add(&p->page, "</table>\n");
}

/* Why a run with the right channels was not assessed, and warnings. */
static void add_messages(kl_report *p, const kl_diag *diag)
{
    for (int i = 0; i < kl_diag_size(diag); i++) {
        kl_text_add(&p->page, "<p class=\"poor\">");
        kl_text_html(&p->page, kl_diag_at(diag, i)->text);
        kl_text_add(&p->page, "</p>\n");
    }
}

static void add_section(kl_report *p, const assessment_section *s, const kl_node *limits)
{
    kl_assessment a      = {0};
    kl_diag      *diag   = kl_diag_create();
    kl_status     status = kl_assess(p->r, p->q->file, limits, s->domain, p->arena, diag, &a);
    if (status != KL_E_NAME) { /* the run has the channels */
        kl_report_heading(p, s->heading);
        kl_text_add(&p->page, "<p>Evaluated in the manner of %s.</p>\n", s->standards);
        if (status == KL_OK) add_table(p, &a);
        add_messages(p, diag);
        if (status == KL_OK && s->figures) s->figures(p);
    }
    kl_diag_destroy(diag);
}

void kl_report_assessments(kl_report *p)
{
    const kl_node *limits = NULL;
    if (p->rows < 3 || kl_assess_limits(p->q->limits, p->arena, NULL, &limits) != KL_OK) return;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        add_section(p, &sections[i], limits);
}
