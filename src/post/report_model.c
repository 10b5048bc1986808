/* The part of a report on the model: bodies, loads on the ground, joints and forces. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "post/report_parts.h"

static void vector_cell(kl_report *p, const kl_node *list)
{
    kl_text_add(&p->page, "<td class=\"n\">");
    int k = 0;
    for (const kl_node *c = list ? list->first : NULL; c && k < 3; c = c->next, k++)
        kl_text_add(&p->page, "%s%.5g", k ? ", " : "", strtod(c->text, NULL));
    kl_text_add(&p->page, "</td>");
}

static void add_bodies(kl_report *p)
{
    const kl_node *bodies = kl_node_get(p->scene, "bodies");
    double         total  = 0.0;
    int            n      = 0;
    kl_text_add(&p->page, "<table><thead><tr><th>body</th><th>type</th><th class=\"n\">mass "
                          "[kg]</th><th class=\"n\">centre of mass [m]</th><th "
                          "class=\"n\">inertia xx, yy, zz [kg m&sup2;]</th></tr></thead>\n");
    for (const kl_node *b = bodies ? bodies->first : NULL; b; b = b->next) {
        if (strcmp(kl_report_text(b, "type"), "ground") == 0) continue;
        total += kl_report_number(b, "mass");
        if (n++ >= KL_REPORT_MOST_ROWS) continue;
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, kl_report_text(b, "name"));
        kl_report_cell(p, kl_report_text(b, "type"));
        kl_report_number_cell(p, kl_report_number(b, "mass"));
        vector_cell(p, kl_node_get(b, "center"));
        vector_cell(p, kl_node_get(b, "inertia"));
        kl_text_add(&p->page, "</tr>\n");
    }
    kl_text_add(&p->page, "<tr><th>total of %d</th><td></td>", n);
    kl_report_number_cell(p, total);
    kl_text_add(&p->page, "<td></td><td></td></tr></table>\n");
}

/* Bodies that an element joins, each once: "ground, crank". */
static void joined(kl_report *p, const kl_node *element)
{
    const kl_node *markers = kl_node_get(element, "markers");
    const char    *last    = "";
    kl_text_add(&p->page, "<td>");
    for (const kl_node *m = markers ? markers->first : NULL; m; m = m->next) {
        const char *name = kl_report_text(m, "body");
        if (strcmp(name, last) == 0) continue;
        if (*last) kl_text_add(&p->page, ", ");
        kl_text_html(&p->page, name);
        last = name;
    }
    kl_text_add(&p->page, "</td>");
}

/* Largest size of a vector channel and when it was; NaN where there is none. */
static double peak(kl_report *p, const char *object, const char *part, double *when)
{
    const double *v[3];
    double        most = -1.0;
    char          name[32];
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%s.%c", part, "xyz"[k]);
        v[k] = kl_report_named(p, object, name);
        if (!v[k]) return (double)NAN;
    }
    for (int i = 0; i < p->rows; i++) {
        double size = sqrt(v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i]);
        if (size > most) most = size, *when = p->time[i];
    }
    return most < 0.0 ? (double)NAN : most;
}

static void add_elements(kl_report *p)
{
    const kl_node *elements = kl_node_get(p->scene, "elements");
    int            n        = 0;
    if (!elements || !elements->first) return;
    kl_text_add(&p->page,
                "<table><thead><tr><th>joint or force</th><th>type</th><th>between</th><th "
                "class=\"n\">largest force [N]</th><th class=\"n\">at [s]</th><th "
                "class=\"n\">largest torque [N m]</th></tr></thead>\n");
    for (const kl_node *e = elements->first; e && n < KL_REPORT_MOST_ROWS; e = e->next, n++) {
        double when  = (double)NAN, unused;
        double force = peak(p, kl_report_text(e, "name"), "force", &when);
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, kl_report_text(e, "name"));
        kl_report_cell(p, kl_report_text(e, "type"));
        joined(p, e);
        kl_report_number_cell(p, force);
        kl_report_number_cell(p, when);
        kl_report_number_cell(p, peak(p, kl_report_text(e, "name"), "torque", &unused));
        kl_text_add(&p->page, "</tr>\n");
    }
    kl_text_add(&p->page, "</table>\n");
}

static bool on_ground(const kl_node *scene, const kl_node *element)
{
    const kl_node *markers = kl_node_get(element, "markers"),
                  *bodies  = kl_node_get(scene, "bodies");
    for (const kl_node *m = markers ? markers->first : NULL; m; m = m->next)
        for (const kl_node *b = bodies ? bodies->first : NULL; b; b = b->next)
            if (strcmp(kl_report_text(b, "type"), "ground") == 0 &&
                strcmp(kl_report_text(b, "name"), kl_report_text(m, "body")) == 0)
                return true;
    return false;
}

/* The load that an element puts on the ground, along gravity, in each row; NULL where it records no
 * force. Channels hold the force on the second body, so its sign depends on which end is ground. */
static double *load_of(kl_report *p, const kl_node *e, const double g[3])
{
    const kl_node *markers = kl_node_get(e, "markers"),
                  *second  = markers && markers->first ? markers->first->next : NULL;
    const double *v[3];
    double        size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double       *load = kl_arena_array(p->arena, double, p->rows + 1);
    bool          to   = second && strcmp(kl_report_text(second, "body"), "ground") == 0;
    for (int k = 0; k < 3; k++) {
        char part[16];
        snprintf(part, sizeof part, "force.%c", "xyz"[k]);
        v[k] = kl_report_named(p, kl_report_text(e, "name"), part);
        if (!v[k] || !load) return NULL;
    }
    for (int i = 0; i < p->rows; i++) {
        double along = (v[0][i] * g[0] + v[1][i] * g[1] + v[2][i] * g[2]) / size;
        load[i]      = to ? along : -along;
    }
    return load;
}

/* Loads on the ground: axle loads of a vehicle, bearings of a machine. */
static void add_loads(kl_report *p)
{
    const kl_node *elements = kl_node_get(p->scene, "elements"),
                  *gravity  = kl_node_get(p->scene, "gravity");
    double g[3] = {0}, first = 0.0, mean = 0.0;
    int    n = 0, k = 0;
    for (const kl_node *c = gravity ? gravity->first : NULL; c && k < 3; c = c->next)
        g[k++] = strtod(c->text, NULL);
    if (!(g[0] * g[0] + g[1] * g[1] + g[2] * g[2] > 0.0) || p->rows == 0) return;
    for (const kl_node *e = elements ? elements->first : NULL; e && n < KL_REPORT_MOST_ROWS;
         e                = e->next) {
        double *load = on_ground(p->scene, e) ? load_of(p, e, g) : NULL;
        if (!load || kl_report_largest(load, p->rows) == 0.0) continue;
        if (n++ == 0)
            kl_text_add(
                &p->page,
                "<table><thead><tr><th>load on the ground, along gravity</th><th class=\"n\">at "
                "the start [N]</th><th class=\"n\">mean [N]</th><th class=\"n\">smallest "
                "[N]</th><th class=\"n\">largest [N]</th></tr></thead>\n");
        double sum = 0.0, low = load[0], high = load[0];
        for (int i = 0; i < p->rows; i++)
            sum += load[i] / p->rows, low = fmin(low, load[i]), high = fmax(high, load[i]);
        kl_text_add(&p->page, "<tr>");
        kl_report_cell(p, kl_report_text(e, "name"));
        kl_report_number_cell(p, load[0]);
        kl_report_number_cell(p, sum);
        kl_report_number_cell(p, low);
        kl_report_number_cell(p, high);
        kl_text_add(&p->page, "</tr>\n");
        first += load[0];
        mean += sum;
    }
    if (n == 0) return;
    kl_text_add(&p->page, "<tr><th>total of %d</th>", n);
    kl_report_number_cell(p, first);
    kl_report_number_cell(p, mean);
    kl_text_add(&p->page, "<td></td><td></td></tr></table>\n");
}

void kl_report_model(kl_report *p)
{
    if (!p->scene) return;
    kl_report_heading(p, "The model");
    kl_text_add(&p->page, "<table class=\"facts\">\n");
    const char *file = kl_reader_text(p->r, "file");
    if (file) kl_report_fact(p, "model file", "%s", file);
    const kl_node *g = kl_node_get(p->scene, "gravity");
    if (g && g->size == 3)
        kl_report_fact(p, "gravity", "%s, %s, %s m/s2", g->first->text, g->first->next->text,
                       g->first->next->next->text);
    if (p->statistics)
        kl_report_fact(
            p, "size", "%.0f bodies, %.0f joints and forces, %.0f velocities, %.0f constraints",
            kl_report_number(p->statistics, "bodies"), kl_report_number(p->statistics, "elements"),
            kl_report_number(p->statistics, "unknowns"),
            kl_report_number(p->statistics, "constraints"));
    kl_text_add(&p->page, "</table>\n");
    add_bodies(p);
    add_loads(p);
    add_elements(p);
}
