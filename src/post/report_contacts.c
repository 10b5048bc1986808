/* Tables of a report on contacts: what each did in total, and its impacts in the order of time. Impacts are
 * distinguished as the recorded rows show them: those between two rows count as one, with their number. */
#include <math.h>
#include <string.h>

#include "post/report_parts.h"

enum { MOST_CONTACTS = 64, MOST_IMPACTS = 40 };

typedef struct touched {
    const char   *name;
    const double *impacts, *speed, *normal, *depth, *lost, *peak;
} touched;

static bool read_contact(kl_report *p, const char *object, touched *t)
{
    *t = (touched){.name    = object,
                   .impacts = kl_report_named(p, object, "impacts"),
                   .speed   = kl_report_named(p, object, "impact_speed"),
                   .normal  = kl_report_named(p, object, "normal"),
                   .depth   = kl_report_named(p, object, "penetration"),
                   .lost    = kl_report_named(p, object, "lost"),
                   .peak    = kl_report_named(p, object, "peak")};
    return t->impacts && t->normal && t->depth && t->lost;
}

static int find_contacts(kl_report *p, touched *t)
{
    static const char part[] = ".impacts";
    int               n      = 0;
    for (int c = 0; c < kl_reader_channels(p->r) && n < MOST_CONTACTS; c++) {
        const char *name   = kl_reader_channel(p->r, c)->name;
        size_t      length = strlen(name), tail = sizeof part - 1;
        if (length <= tail || strcmp(name + length - tail, part) != 0) continue;
        const char *object = kl_arena_format(p->arena, "%.*s", (int)(length - tail), name);
        if (object && read_contact(p, object, &t[n])) n++;
    }
    return n;
}

static double share_closed(const kl_report *p, const touched *t)
{
    int closed = 0;
    for (int i = 0; i < p->rows; i++) closed += t->depth[i] > 0.0;
    return 100.0 * closed / fmax(1.0, p->rows);
}

static void add_totals(kl_report *p, const touched *t, int n)
{
    kl_text_add(&p->page,
                "<table>\n<tr><th>contact</th><th>impacts</th><th>closed [%% of rows]</th>"
                "<th>largest normal force [N]</th><th>largest penetration [m]</th>"
                "<th>energy lost [J]</th></tr>\n");
    for (int i = 0; i < n; i++) {
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, t[i].name);
        kl_report_rounded_cell(p, t[i].impacts[p->rows - 1], 0);
        kl_report_short_cell(p, share_closed(p, &t[i]));
        kl_report_short_cell(p, kl_report_largest(t[i].peak ? t[i].peak : t[i].normal, p->rows));
        kl_report_short_cell(p, kl_report_largest(t[i].depth, p->rows));
        kl_report_short_cell(p, t[i].lost[p->rows - 1]);
        kl_text_add(&p->page, "</tr>\n");
    }
    kl_text_add(&p->page, "</table>\n");
}

/* Largest normal force until the next impact. */
static double peak_from(const kl_report *p, const touched *t, int row)
{
    double most = t->peak[row];
    for (int k = row + 1; k < p->rows && t->impacts[k] == t->impacts[row]; k++)
        most = fmax(most, t->peak[k]);
    return most;
}

static int add_impacts_at(kl_report *p, const touched *t, int row)
{
    double more = t->impacts[row] - t->impacts[row - 1];
    if (!(more > 0.0)) return 0;
    kl_text_add(&p->page, "<tr>");
    kl_report_cell(p, t->name);
    kl_report_number_cell(p, p->time[row]);
    kl_report_rounded_cell(p, more, 0);
    kl_report_short_cell(p, t->speed ? t->speed[row] : (double)NAN);
    kl_report_short_cell(p, t->peak ? peak_from(p, t, row) : (double)NAN);
    kl_text_add(&p->page, "</tr>\n");
    return 1;
}

static void add_list(kl_report *p, const touched *t, int n)
{
    int shown = 0;
    kl_text_add(&p->page, "<table>\n<tr><th>contact</th><th>until time [s]</th><th>impacts</th>"
                          "<th>approach speed [m/s]</th><th>largest normal force after it [N]</th>"
                          "</tr>\n");
    for (int row = 1; row < p->rows && shown < MOST_IMPACTS; row++)
        for (int i = 0; i < n && shown < MOST_IMPACTS; i++) shown += add_impacts_at(p, &t[i], row);
    kl_text_add(&p->page, "</table>\n");
    if (shown == MOST_IMPACTS)
        kl_text_add(&p->page, "<p>The first %d rows with impacts are listed.</p>\n", MOST_IMPACTS);
}

void kl_report_contacts(kl_report *p)
{
    touched t[MOST_CONTACTS];
    int     n = p->rows > 1 ? find_contacts(p, t) : 0;
    if (n == 0) return;
    double all = 0.0;
    for (int i = 0; i < n; i++) all += t[i].impacts[p->rows - 1];
    kl_report_heading(p, "Contacts");
    add_totals(p, t, n);
    if (all > 0.0) add_list(p, t, n);
}
