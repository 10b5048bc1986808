#include "post/vehicle_report.h"

#include <math.h>
#include <string.h>

#include "post/assess.h"
#include "post/report_parts.h"

static const double G = 9.81; /* axle loads are given in tonnes too [m/s2] */

/* ---- what is known without a ride ---- */

static void add_facts(kl_report *p, const kl_vehicle_report *q)
{
    const kl_vehicle *v = q->vehicle;
    kl_report_heading(p, "Vehicle");
    kl_text_add(&p->page, "<table class=\"facts\">\n");
    kl_report_fact(p, "model", "%s", q->model);
    if (*q->settings) kl_report_fact(p, "parameters", "%s", q->settings);
    kl_report_fact(p, "mass", "%.4g t", 1e-3 * v->mass);
    kl_report_fact(p, "height of the centre of mass", "%.3f m", v->centre.z);
    kl_text_add(&p->page, "</table>\n");
}

static void add_loads(kl_report *p, const kl_vehicle *v)
{
    kl_report_heading(p, "Wheel loads");
    kl_text_add(&p->page,
                "<p>Loads of the vehicle in steady rolling "
                "motion.</p>\n<table><thead><tr><th>wheelset</th><th "
                "class=\"n\">axle load [kN]</th><th class=\"n\">[t]</th><th class=\"n\">Q left "
                "[kN]</th><th class=\"n\">Q right [kN]</th></tr></thead>\n");
    for (int i = 0; i < v->nload; i++) {
        const kl_wheelset_load *w    = &v->load[i];
        double                  axle = 1e-3 * (w->left + w->right);
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, w->name);
        kl_report_rounded_cell(p, axle, 2);
        kl_report_rounded_cell(p, axle / G, 2);
        kl_report_rounded_cell(p, 1e-3 * w->left, 2);
        kl_report_rounded_cell(p, 1e-3 * w->right, 2);
        kl_text_add(&p->page, "</tr>\n");
    }
    kl_text_add(&p->page, "</table>\n");
}

static void add_modes(kl_report *p, const kl_vehicle *v)
{
    kl_report_heading(p, "Natural motions");
    if (v->nmode == 0) {
        kl_text_add(&p->page, "<p>Not found: see <code>klingel modes</code>.</p>\n");
        return;
    }
    kl_text_add(&p->page, "<table><thead><tr><th>name</th><th class=\"n\">frequency [Hz]</th><th "
                          "class=\"n\">damping ratio [%%]</th><th>bodies and motions by kinetic "
                          "energy</th></tr></thead>\n");
    for (int i = 0; i < v->nmode; i++) {
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, v->mode[i].name);
        kl_report_rounded_cell(p, v->mode[i].frequency, 3);
        kl_report_rounded_cell(p, 100.0 * v->mode[i].damping, 1);
        kl_report_cell(p, v->mode[i].motion);
        kl_text_add(&p->page, "</tr>\n");
    }
    kl_text_add(&p->page, "</table>\n");
}

static void add_critical(kl_report *p, const kl_vehicle_report *q)
{
    kl_report_heading(p, "Critical speed");
    if (q->critical_failed)
        kl_text_add(&p->page, "<p>Not found: see <code>klingel critical-speed</code>.</p>\n");
    else if (q->ncritical == 0)
        kl_text_add(&p->page,
                    "<p>The linearised vehicle is stable up to %.4g m/s (%.0f km/h).</p>\n",
                    q->nspeed ? q->speed[q->nspeed - 1] : 0.0,
                    q->nspeed ? 3.6 * q->speed[q->nspeed - 1] : 0.0);
    else
        kl_text_add(&p->page, "<table><thead><tr><th>kind</th><th class=\"n\">speed [m/s]</th><th "
                              "class=\"n\">[km/h]</th><th class=\"n\">frequency [Hz]</th><th "
                              "class=\"n\">amplitude [mm]</th></tr></thead>\n");
    for (int i = 0; i < q->ncritical; i++) {
        const kl_critical_row *c = &q->critical[i];
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, c->kind);
        kl_report_rounded_cell(p, c->speed, 2);
        kl_report_rounded_cell(p, 3.6 * c->speed, 0);
        kl_report_rounded_cell(p, c->frequency, 3);
        kl_report_rounded_cell(p, c->amplitude > 0.0 ? 1e3 * c->amplitude : (double)NAN, 3);
        kl_text_add(&p->page, "</tr>\n");
    }
    if (q->ncritical) kl_text_add(&p->page, "</table>\n");
    if (q->nspeed < 2) return;
    kl_chart c  = {.x_label = "speed [m/s]",
                   .y_label = "growth [1/s]",
                   .x       = q->speed,
                   .n       = q->nspeed,
                   .ncurve  = 1};
    c.curves[0] = (kl_chart_curve){.name = "least damped motion", .y = q->growth};
    kl_report_figure(p, &c,
                     "Real part of the eigenvalue of the least damped motion: above zero "
                     "the motion grows");
}

/* ---- rides ---- */

static void warn_unassessed(const kl_vehicle_ride *ride, const kl_diag *why, kl_diag *diag)
{
    int last = kl_diag_size(why) - 1;
    kl_warn(diag, KL_NOWHERE, "ride `%s` is not assessed: %s", ride->name,
            last >= 0 ? kl_diag_at(why, last)->text : "out of memory");
}

/* The highest utilisation of a ride, and how many quantities exceed their limits. */
static void add_summary_row(kl_report *p, const kl_vehicle_ride *ride, const kl_node *limits,
                            kl_diag *diag, kl_vehicle_verdict *verdict)
{
    kl_assessment a     = {0};
    int           worst = -1, above = 0;
    kl_diag      *own = kl_diag_create();
    kl_text_add(&p->page, "<tr>");
    kl_report_cell(p, ride->name);
    kl_report_cell(p, ride->settings);
    if (!ride->reader ||
        kl_assess(ride->reader, ride->file, limits, NULL, p->arena, own, &a) != KL_OK) {
        kl_report_cell(p, ride->reader ? "not assessed" : "the run failed");
        kl_text_add(&p->page, "<td></td><td></td></tr>\n");
        if (ride->reader) warn_unassessed(ride, own, diag), verdict->unassessed++;
    } else {
        for (int i = 0; i < a.n; i++) {
            above += a.row[i].verdict == KL_EXCEEDS_LIMIT;
            if (a.row[i].verdict == KL_NO_LIMIT) continue;
            if (worst < 0 || a.row[i].utilisation > a.row[worst].utilisation) worst = i;
        }
        kl_report_cell(p, worst < 0 ? "" : a.row[worst].quantity);
        kl_report_rounded_cell(p, worst < 0 ? (double)NAN : 100.0 * a.row[worst].utilisation, 0);
        if (above) kl_text_add(&p->page, "<td class=\"unit poor\">%d exceeded</td></tr>\n", above);
        else kl_text_add(&p->page, "<td class=\"unit good\">within</td></tr>\n");
    }
    verdict->exceeded += above;
    kl_diag_destroy(own);
}

static void add_summary(kl_report *p, const kl_vehicle_report *q, const kl_node *limits,
                        kl_diag *diag, kl_vehicle_verdict *verdict)
{
    kl_report_heading(p, "Rides");
    kl_text_add(&p->page, "<table><thead><tr><th>ride</th><th>parameters</th><th>most used "
                          "limit</th><th class=\"n\">utilisation [%%]</th><th>verdict</th></tr>"
                          "</thead>\n");
    for (int i = 0; i < q->nride; i++) add_summary_row(p, &q->ride[i], limits, diag, verdict);
    kl_text_add(&p->page, "</table>\n<p>The limits are common values; a verdict is not a "
                          "certificate.</p>\n");
}

/* The pages of one ride; `first` is the one that the picture shows. */
static kl_status add_ride(kl_report *p, const kl_vehicle_ride *ride,
                          const kl_report_request *request)
{
    char title[300];
    if (!ride->reader) return KL_OK;
    KL_TRY(kl_report_read(p, request));
    snprintf(title, sizeof title, "Ride %.100s", ride->name);
    kl_text_add(&p->page, "<h1>");
    kl_text_html(&p->page, title);
    kl_text_add(&p->page, "</h1>\n<p class=\"sub\">");
    kl_text_html(&p->page, ride->settings);
    kl_text_add(&p->page, " &middot; %s &middot; %.4g s</p>\n", ride->file,
                p->rows > 1 ? p->time[p->rows - 1] : 0.0);
    kl_report_assessments(p);
    return KL_OK;
}

static kl_status compose(kl_report *p, const kl_vehicle_report *q, kl_report_request *request,
                         kl_diag *diag, kl_vehicle_verdict *verdict)
{
    const kl_node *limits = NULL;
    int            first  = -1;
    KL_TRY(kl_assess_limits(q->limits, p->arena, diag, &limits));
    for (int i = 0; i < q->nride; i++) {
        request[i] = (kl_report_request){
            .reader = q->ride[i].reader, .file = q->ride[i].file, .limits = q->limits};
        if (first < 0 && q->ride[i].reader) first = i;
    }
    if (first < 0) return KL_E_FILE;
    KL_TRY(kl_report_read(p, &request[first]));
    kl_report_head(p, q->title);
    kl_report_picture(p);
    add_summary(p, q, limits, diag, verdict);
    add_facts(p, q);
    add_loads(p, q->vehicle);
    add_modes(p, q->vehicle);
    add_critical(p, q);
    for (int i = 0; i < q->nride; i++) KL_TRY(add_ride(p, &q->ride[i], &request[i]));
    kl_text_add(&p->page, "<footer>Written by klingel " KL_VERSION ".</footer>\n</main>\n");
    return kl_report_read(p, &request[first]); /* what the picture shows */
}

kl_status kl_vehicle_report_write(FILE *f, const kl_vehicle_report *q, kl_diag *diag,
                                  kl_vehicle_verdict *verdict)
{
    kl_report_request request[KL_VEHICLE_MOST_RIDES];
    kl_report         p = {.arena = kl_arena_create()};
    if (!p.arena) return KL_E_MEMORY;
    *verdict         = (kl_vehicle_verdict){0};
    kl_status status = compose(&p, q, request, diag, verdict);
    if (status == KL_OK && (p.page.failed || !kl_arena_ok(p.arena))) status = KL_E_MEMORY;
    if (status == KL_OK) status = kl_report_finish(f, &p, diag);
    kl_text_free(&p.page);
    kl_arena_destroy(p.arena);
    return status;
}
