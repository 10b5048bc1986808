#include "post/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/doc.h"
#include "post/chart.h"
#include "post/ride.h"
#include "post/view.h"

enum { MOST_FIGURES = 8, MOST_ROWS = 200 };

typedef struct report {
    const kl_report_request *q;
    kl_reader               *r;
    kl_arena                *arena;
    kl_text                  page;
    const kl_node           *scene, *statistics; /* NULL when the results hold none */
    double                  *time;
    int                      rows;
} report;

/* ---- reading ---- */

/* JSON of the results as a tree; NULL when absent or damaged. */
static const kl_node *kept(report *p, const char *name)
{
    const char *text = kl_reader_text(p->r, name);
    kl_node    *root = NULL;
    if (!text || kl_doc_parse(text, strlen(text), name, p->arena, NULL, &root) != KL_OK)
        return NULL;
    return root;
}

static const char *text_of(const kl_node *map, const char *key)
{
    const kl_node *n = kl_node_get(map, key);
    return n && n->kind == KL_SCALAR ? n->text : "";
}

static double number_of(const kl_node *map, const char *key)
{
    const char *text = text_of(map, key);
    char       *end;
    double      v = strtod(text, &end);
    return end == text ? (double)NAN : v;
}

/* A whole column, owned by the arena; NULL when there is none. */
static double *column(report *p, int channel)
{
    if (channel < 0 || p->rows == 0) return NULL;
    double *v = kl_arena_array(p->arena, double, p->rows);
    return v && kl_reader_column(p->r, channel, v) == KL_OK ? v : NULL;
}

static double *named_column(report *p, const char *object, const char *part)
{
    char name[512];
    snprintf(name, sizeof name, "%s.%s", object, part);
    return column(p, kl_reader_find(p->r, name));
}

static double largest(const double *v, int n)
{
    double most = 0.0;
    for (int i = 0; v && i < n; i++)
        if (isfinite(v[i])) most = fmax(most, fabs(v[i]));
    return most;
}

/* ---- pieces of a page ---- */

static void heading(report *p, const char *text) { kl_text_add(&p->page, "<h2>%s</h2>\n", text); }

static void cell(report *p, const char *text)
{
    kl_text_add(&p->page, "<td>");
    kl_text_html(&p->page, text);
    kl_text_add(&p->page, "</td>");
}

static void number_cell(report *p, double value)
{
    if (isfinite(value)) kl_text_add(&p->page, "<td class=\"n\">%.6g</td>", value);
    else kl_text_add(&p->page, "<td class=\"n\">-</td>");
}

__attribute__((format(printf, 3, 4))) static void fact(report *p, const char *name,
                                                       const char *format, ...)
{
    char    value[512];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    kl_text_add(&p->page, "<tr><th>%s</th>", name);
    cell(p, value);
    kl_text_add(&p->page, "</tr>\n");
}

/* ---- head ---- */

static const char style[] =
    "<style>body.report{overflow:auto;background:#fff;color:#1c242c;font:13.5px/1.5 system-ui,"
    "-apple-system,'Segoe UI','Noto Sans','Liberation Sans',sans-serif;margin:0}"
    ".report main{max-width:820px;margin:0 auto;padding:36px 28px 60px}"
    ".report h1{font-size:25px;margin:0 0 4px;line-height:1.2}.report "
    "h2{font-size:16px;margin:32px "
    "0 8px;padding-bottom:4px;border-bottom:2px solid #0f6ab4}.report .sub{color:#55606c;margin:0 "
    "0 "
    "18px}.report table{border-collapse:collapse;width:100%;font-size:12.5px;margin:6px 0 14px}"
    ".report th,.report td{text-align:left;padding:3px 8px;border-bottom:1px solid #dde3e8;"
    "vertical-align:top;font-weight:400}.report th{color:#55606c}.report thead th{font-weight:600;"
    "border-bottom:1.5px solid #9aa6b2}.report "
    ".n{text-align:right;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}.report table.facts th{width:38%}.cards{display:grid;grid-template-columns:"
    "repeat(4,1fr);gap:10px;margin:14px 0}.card{border:1px solid "
    "#dde3e8;border-radius:8px;padding:8px "
    "12px}.card b{display:block;font-size:18px;font-weight:600;font-variant-numeric:tabular-nums}"
    ".card span{color:#55606c;font-size:12px}.good{color:#00714f}.poor{color:#a24a00}"
    "figure{margin:10px 0;break-inside:avoid}figcaption{color:#55606c;font-size:12px}"
    ".picture{position:relative;height:360px;background:#eef1f4;border-radius:8px;overflow:hidden}"
    ".picture img{width:100%;height:100%;object-fit:cover;display:block}"
    "svg.chart{width:100%;height:auto}.chart .grid{stroke:#e3e8ec;stroke-width:1}"
    ".chart .tick{font:10.5px system-ui,sans-serif;fill:#55606c}.chart .label{font:11px "
    "system-ui,sans-serif;fill:#1c242c}.chart .curve{fill:none;stroke-width:1.5;stroke-linejoin:"
    "round}pre{background:#f5f7f9;border:1px solid #dde3e8;border-radius:6px;padding:10px 12px;"
    "font:11.5px/1.45 ui-monospace,'DejaVu Sans Mono',monospace;white-space:pre-wrap;"
    "overflow-wrap:anywhere}footer{color:#55606c;font-size:12px;margin-top:36px}"
    "@media print{@page{size:A4;margin:16mm 14mm}.report main{padding:0;max-width:none}"
    ".report h2{break-after:avoid}.report tr{break-inside:avoid}.noprint{display:none}}</style>\n";

static void add_head(report *p, const char *title)
{
    kl_text_add(&p->page,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"generator\" content=\"klingel " KL_VERSION "\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
                "<title>");
    kl_text_html(&p->page, title);
    kl_text_add(&p->page,
                "</title>\n</head>\n<body class=\"report\" data-page=\"report\">\n<main>\n<h1>");
    kl_text_html(&p->page, title);
    kl_text_add(&p->page, "</h1>\n<p class=\"sub\">");
    if (p->q->author) {
        kl_text_html(&p->page, p->q->author);
        kl_text_add(&p->page, " &middot; ");
    }
    kl_text_html(&p->page, p->q->file);
    const char *created = kl_reader_text(p->r, "created"),
               *program = kl_reader_text(p->r, "program");
    if (created) {
        kl_text_add(&p->page, " &middot; ");
        kl_text_html(&p->page, created);
    }
    if (program) {
        kl_text_add(&p->page, " &middot; ");
        kl_text_html(&p->page, program);
    }
    kl_text_add(&p->page, "</p>\n");
}

/* The picture is drawn by the viewer when the page is opened. */
static void add_picture(report *p)
{
    if (!p->scene) return;
    kl_text_add(&p->page, "<figure><div class=\"picture\" data-time=\"%.9g\"></div></figure>\n",
                p->rows > 0 ? p->time[0] : 0.0);
}

/* ---- how well it ran ---- */

typedef struct quality {
    double balance;       /* largest change of the energy balance over the largest energy */
    double gap, gap_turn; /* [m], [rad] */
    double speed;         /* simulated over wall time */
} quality;

static quality quality_of(report *p)
{
    quality       q       = {.balance = (double)NAN};
    const double *balance = named_column(p, "energy", "balance");
    double        scale   = fmax(largest(named_column(p, "energy", "kinetic"), p->rows),
                                 largest(named_column(p, "energy", "potential"), p->rows));
    double        change  = 0.0;
    for (int i = 0; balance && i < p->rows; i++)
        change = fmax(change, fabs(balance[i] - balance[0]));
    if (balance && scale > 0.0) q.balance = change / scale;
    q.gap      = largest(named_column(p, "drift", "position"), p->rows);
    q.gap_turn = largest(named_column(p, "drift", "rotation"), p->rows);
    q.speed    = number_of(p->statistics, "simulated_s") / number_of(p->statistics, "wall_s");
    return q;
}

static void card(report *p, const char *value, const char *name, bool good)
{
    kl_text_add(&p->page, "<div class=\"card\"><b class=\"%s\">", good ? "" : "poor");
    kl_text_html(&p->page, value);
    kl_text_add(&p->page, "</b><span>%s</span></div>", name);
}

static void add_cards(report *p, const quality *q)
{
    char        text[64];
    const char *status = kl_reader_text(p->r, "status");
    bool        whole  = status && strcmp(status, "complete") == 0;
    kl_text_add(&p->page, "<div class=\"cards\">");
    snprintf(text, sizeof text, "%.6g s", p->rows > 0 ? p->time[p->rows - 1] - p->time[0] : 0.0);
    card(p, text, whole ? "simulated, run complete" : "simulated, run not complete", whole);
    if (isfinite(q->speed)) snprintf(text, sizeof text, "%.3g x", q->speed);
    else snprintf(text, sizeof text, "-");
    card(p, text, "real time", true);
    snprintf(text, sizeof text, isfinite(q->balance) ? "%.2g" : "-", q->balance);
    card(p, text, "energy balance error, of the largest energy",
         !(isfinite(q->balance) && q->balance > 1e-3));
    snprintf(text, sizeof text, "%.2g m", q->gap);
    card(p, text, "largest gap of a joint", true);
    kl_text_add(&p->page, "</div>\n");
}

static void add_run(report *p, const quality *q)
{
    const kl_node *s = p->statistics;
    heading(p, "The run");
    kl_text_add(&p->page, "<table class=\"facts\">\n");
    const char *status = kl_reader_text(p->r, "status"), *program = kl_reader_text(p->r, "program");
    fact(p, "status", "%s", status ? status : "not ended");
    if (program) fact(p, "program", "%s", program);
    fact(p, "rows kept", "%d, from %.6g to %.6g s", p->rows, p->rows ? p->time[0] : 0.0,
         p->rows ? p->time[p->rows - 1] : 0.0);
    if (s) {
        double steps = number_of(s, "steps");
        fact(p, "integrator", "%s", text_of(s, "integrator"));
        fact(p, "steps", "%.0f, from %.3g to %.3g s long; %.0f rejected", steps,
             number_of(s, "least_step_s"), number_of(s, "largest_step_s"),
             number_of(s, "rejected"));
        fact(p, "Newton iterations", "%.0f, %.2f a step", number_of(s, "iterations"),
             steps > 0 ? number_of(s, "iterations") / steps : 0.0);
        fact(p, "matrix factorizations", "%.0f", number_of(s, "factorizations"));
        fact(p, "computing time", "%.3g s, %.3g times real time", number_of(s, "wall_s"), q->speed);
        fact(p, "energy lost, supplied", "%.6g J, %.6g J", number_of(s, "lost_J"),
             number_of(s, "supplied_J"));
    }
    if (isfinite(q->balance))
        fact(p, "energy balance error", "%.2g of the largest energy", q->balance);
    fact(p, "largest gap of a joint", "%.2g m, %.2g rad", q->gap, q->gap_turn);
    kl_text_add(&p->page, "</table>\n");
}

/* Settings that the results keep, name by name, and parameters that were changed. */
static void add_settings(report *p)
{
    const kl_node *s   = kept(p, "settings");
    const char    *set = kl_reader_text(p->r, "set");
    if ((!s || s->kind != KL_MAP) && !(set && *set)) return;
    heading(p, "Settings");
    kl_text_add(&p->page, "<table class=\"facts\">\n");
    for (const kl_node *c = s && s->kind == KL_MAP ? s->first : NULL; c; c = c->next) {
        char        name[80];
        const char *unit = strrchr(c->key, '_');
        bool        has  = unit && (strcmp(unit, "_s") == 0 || strcmp(unit, "_m") == 0);
        snprintf(name, sizeof name, "%.*s", has ? (int)(unit - c->key) : 60, c->key);
        for (char *k = name; *k; k++)
            if (*k == '_') *k = ' ';
        if (c->kind == KL_SCALAR)
            fact(p, name, "%.200s%s%s", c->text, has ? " " : "", has ? unit + 1 : "");
    }
    if (set && *set) fact(p, "changed parameters", "%.400s", set);
    kl_text_add(&p->page, "</table>\n");
}

static void add_warnings(report *p)
{
    const char *text = kl_reader_text(p->r, "warnings");
    heading(p, "Warnings");
    if (!text || !*text) {
        kl_text_add(&p->page, "<p>None.</p>\n");
        return;
    }
    kl_text_add(&p->page, "<pre class=\"poor\">");
    kl_text_html(&p->page, text);
    kl_text_add(&p->page, "</pre>\n");
}

/* How the energy balance and the gaps of joints went over time. */
static void add_quality_figures(report *p)
{
    static const struct {
        const char *name, *unit, *title;
    } what[] = {{"energy.balance", "N m", "Energy balance: change of total + lost - supplied"},
                {"drift.position", "m", "Largest gap of a joint"},
                {"drift.rotation", "rad", "Largest angle error of a joint"}};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        char    label[40];
        double *v = column(p, kl_reader_find(p->r, what[i].name));
        if (!v || p->rows < 2) continue;
        for (int k = p->rows - 1; i == 0 && k >= 0; k--)
            v[k] -= v[0]; /* what counts is its change */
        if (largest(v, p->rows) == 0.0) continue;
        snprintf(label, sizeof label, "[%s]", what[i].unit);
        kl_chart c = {
            .x_label = "time [s]", .y_label = label, .x = p->time, .n = p->rows, .ncurve = 1};
        c.curves[0] = (kl_chart_curve){.name = what[i].name, .y = v};
        kl_text_add(&p->page, "<figure>");
        kl_chart_add(&p->page, &c);
        kl_text_add(&p->page, "<figcaption>%s</figcaption></figure>\n", what[i].title);
    }
}

/* ---- model ---- */

static void vector_cell(report *p, const kl_node *list)
{
    kl_text_add(&p->page, "<td class=\"n\">");
    int k = 0;
    for (const kl_node *c = list ? list->first : NULL; c && k < 3; c = c->next, k++)
        kl_text_add(&p->page, "%s%.5g", k ? ", " : "", strtod(c->text, NULL));
    kl_text_add(&p->page, "</td>");
}

static void add_bodies(report *p)
{
    const kl_node *bodies = kl_node_get(p->scene, "bodies");
    double         total  = 0.0;
    int            n      = 0;
    kl_text_add(&p->page, "<table><thead><tr><th>body</th><th>type</th><th class=\"n\">mass "
                          "[kg]</th><th class=\"n\">centre of mass [m]</th><th "
                          "class=\"n\">inertia xx, yy, zz [kg m&sup2;]</th></tr></thead>\n");
    for (const kl_node *b = bodies ? bodies->first : NULL; b; b = b->next) {
        if (strcmp(text_of(b, "type"), "ground") == 0) continue;
        total += number_of(b, "mass");
        if (n++ >= MOST_ROWS) continue;
        kl_text_add(&p->page, "<tr>");
        cell(p, text_of(b, "name"));
        cell(p, text_of(b, "type"));
        number_cell(p, number_of(b, "mass"));
        vector_cell(p, kl_node_get(b, "center"));
        vector_cell(p, kl_node_get(b, "inertia"));
        kl_text_add(&p->page, "</tr>\n");
    }
    kl_text_add(&p->page, "<tr><th>%d in all</th><td></td>", n);
    number_cell(p, total);
    kl_text_add(&p->page, "<td></td><td></td></tr></table>\n");
}

/* Bodies that an element joins, each once: "ground, crank". */
static void joined(report *p, const kl_node *element)
{
    const kl_node *markers = kl_node_get(element, "markers");
    const char    *last    = "";
    kl_text_add(&p->page, "<td>");
    for (const kl_node *m = markers ? markers->first : NULL; m; m = m->next) {
        const char *name = text_of(m, "body");
        if (strcmp(name, last) == 0) continue;
        if (*last) kl_text_add(&p->page, ", ");
        kl_text_html(&p->page, name);
        last = name;
    }
    kl_text_add(&p->page, "</td>");
}

/* Largest size of a vector channel and when it was; NaN where there is none. */
static double peak(report *p, const char *object, const char *part, double *when)
{
    const double *v[3];
    double        most = -1.0;
    char          name[32];
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%s.%c", part, "xyz"[k]);
        v[k] = named_column(p, object, name);
        if (!v[k]) return (double)NAN;
    }
    for (int i = 0; i < p->rows; i++) {
        double size = sqrt(v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i]);
        if (size > most) most = size, *when = p->time[i];
    }
    return most;
}

static void add_elements(report *p)
{
    const kl_node *elements = kl_node_get(p->scene, "elements");
    int            n        = 0;
    if (!elements || !elements->first) return;
    kl_text_add(&p->page,
                "<table><thead><tr><th>joint or force</th><th>type</th><th>between</th><th "
                "class=\"n\">largest force [N]</th><th class=\"n\">at [s]</th><th "
                "class=\"n\">largest torque [N m]</th></tr></thead>\n");
    for (const kl_node *e = elements->first; e && n < MOST_ROWS; e = e->next, n++) {
        double when  = (double)NAN, unused;
        double force = peak(p, text_of(e, "name"), "force", &when);
        kl_text_add(&p->page, "<tr>");
        cell(p, text_of(e, "name"));
        cell(p, text_of(e, "type"));
        joined(p, e);
        number_cell(p, force);
        number_cell(p, when);
        number_cell(p, peak(p, text_of(e, "name"), "torque", &unused));
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
            if (strcmp(text_of(b, "type"), "ground") == 0 &&
                strcmp(text_of(b, "name"), text_of(m, "body")) == 0)
                return true;
    return false;
}

/* The load that an element puts on the ground, along gravity, in each row; NULL where it records no
 * force. Channels hold the force on the second body, so its sign depends on which end is ground. */
static double *load_of(report *p, const kl_node *e, const double g[3])
{
    const kl_node *markers = kl_node_get(e, "markers"),
                  *second  = markers && markers->first ? markers->first->next : NULL;
    const double *v[3];
    double        size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double       *load = kl_arena_array(p->arena, double, p->rows + 1);
    bool          to   = second && strcmp(text_of(second, "body"), "ground") == 0;
    for (int k = 0; k < 3; k++) {
        char part[16];
        snprintf(part, sizeof part, "force.%c", "xyz"[k]);
        v[k] = named_column(p, text_of(e, "name"), part);
        if (!v[k] || !load) return NULL;
    }
    for (int i = 0; i < p->rows; i++) {
        double along = (v[0][i] * g[0] + v[1][i] * g[1] + v[2][i] * g[2]) / size;
        load[i]      = to ? along : -along;
    }
    return load;
}

/* Loads on the ground: axle loads of a vehicle, bearings of a machine. */
static void add_loads(report *p)
{
    const kl_node *elements = kl_node_get(p->scene, "elements"),
                  *gravity  = kl_node_get(p->scene, "gravity");
    double g[3] = {0}, first = 0.0, mean = 0.0;
    int    n = 0, k = 0;
    for (const kl_node *c = gravity ? gravity->first : NULL; c && k < 3; c = c->next)
        g[k++] = strtod(c->text, NULL);
    if (!(g[0] * g[0] + g[1] * g[1] + g[2] * g[2] > 0.0) || p->rows == 0) return;
    for (const kl_node *e = elements ? elements->first : NULL; e && n < MOST_ROWS; e = e->next) {
        double *load = on_ground(p->scene, e) ? load_of(p, e, g) : NULL;
        if (!load || largest(load, p->rows) == 0.0) continue;
        if (n++ == 0)
            kl_text_add(&p->page, "<table><thead><tr><th>load on the ground, along gravity</th><th "
                                  "class=\"n\">at the start [N]</th><th "
                                  "class=\"n\">mean [N]</th><th class=\"n\">least [N]</th><th "
                                  "class=\"n\">largest [N]</th></tr></thead>\n");
        double sum = 0.0, low = load[0], high = load[0];
        for (int i = 0; i < p->rows; i++)
            sum += load[i] / p->rows, low = fmin(low, load[i]), high = fmax(high, load[i]);
        kl_text_add(&p->page, "<tr>");
        cell(p, text_of(e, "name"));
        number_cell(p, load[0]);
        number_cell(p, sum);
        number_cell(p, low);
        number_cell(p, high);
        kl_text_add(&p->page, "</tr>\n");
        first += load[0];
        mean += sum;
    }
    if (n == 0) return;
    kl_text_add(&p->page, "<tr><th>%d in all</th>", n);
    number_cell(p, first);
    number_cell(p, mean);
    kl_text_add(&p->page, "<td></td><td></td></tr></table>\n");
}

static void add_model(report *p)
{
    if (!p->scene) return;
    heading(p, "The model");
    kl_text_add(&p->page, "<table class=\"facts\">\n");
    const char *file = kl_reader_text(p->r, "file");
    if (file) fact(p, "model file", "%s", file);
    const kl_node *g = kl_node_get(p->scene, "gravity");
    if (g && g->size == 3)
        fact(p, "gravity", "%s, %s, %s m/s2", g->first->text, g->first->next->text,
             g->first->next->next->text);
    if (p->statistics)
        fact(p, "size", "%.0f bodies, %.0f joints and forces, %.0f velocities, %.0f constraints",
             number_of(p->statistics, "bodies"), number_of(p->statistics, "elements"),
             number_of(p->statistics, "unknowns"), number_of(p->statistics, "constraints"));
    kl_text_add(&p->page, "</table>\n");
    add_bodies(p);
    add_loads(p);
    add_elements(p);
}

/* ---- results ---- */

/* Asked for; or the model's outputs; and always the energies at the end. */
static int choose(report *p, int *list)
{
    int n = 0;
    for (int i = 0; i < p->q->nchannel; i++) list[n++] = p->q->channels[i];
    for (int i = 0; !p->q->nchannel && i < kl_reader_channels(p->r); i++)
        if (kl_reader_channel(p->r, i)->own) list[n++] = i;
    if (p->q->nchannel) return n;
    static const char *const energies[] = {"energy.kinetic", "energy.potential", "energy.total"};
    for (int i = 0; i < 3; i++) {
        int k = kl_reader_find(p->r, energies[i]);
        if (k >= 0) list[n++] = k;
    }
    return n;
}

/* One figure a unit, further ones when a figure is full. */
static void add_figures(report *p, const int *list, int n)
{
    bool *done    = kl_arena_array(p->arena, bool, n + 1);
    int   figures = 0;
    for (int i = 0; done && i < n && figures < MOST_FIGURES; i++) {
        if (done[i]) continue;
        const char *unit = kl_reader_channel(p->r, list[i])->unit;
        char        label[128];
        snprintf(label, sizeof label, "[%s]", *unit ? unit : "1");
        kl_chart c = {.x_label = "time [s]", .y_label = label, .x = p->time, .n = p->rows};
        for (int k = i; k < n && c.ncurve < 4; k++) {
            const kl_channel_info *info = kl_reader_channel(p->r, list[k]);
            double *v = !done[k] && strcmp(info->unit, unit) == 0 ? column(p, list[k]) : NULL;
            if (!v) continue;
            c.curves[c.ncurve++] = (kl_chart_curve){.name = info->name, .y = v};
            done[k]              = true;
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

static void add_values(report *p, const int *list, int n)
{
    kl_text_add(&p->page,
                "<table><thead><tr><th>channel</th><th>unit</th><th class=\"n\">least</th><th "
                "class=\"n\">at [s]</th><th class=\"n\">largest</th><th class=\"n\">at [s]</th><th "
                "class=\"n\">mean</th><th class=\"n\">r.m.s.</th></tr></thead>\n");
    for (int i = 0; i < n && i < MOST_ROWS; i++) {
        const kl_channel_info *info = kl_reader_channel(p->r, list[i]);
        const double          *v    = column(p, list[i]);
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
        cell(p, info->name);
        cell(p, info->unit);
        number_cell(p, low < 0 ? (double)NAN : v[low]);
        number_cell(p, low < 0 ? (double)NAN : p->time[low]);
        number_cell(p, high < 0 ? (double)NAN : v[high]);
        number_cell(p, high < 0 ? (double)NAN : p->time[high]);
        number_cell(p, count ? sum / count : (double)NAN);
        number_cell(p, count ? sqrt(squares / count) : (double)NAN);
        kl_text_add(&p->page, "</tr>\n");
    }
    kl_text_add(&p->page, "</table>\n");
}

static void add_results(report *p)
{
    int  n    = kl_reader_channels(p->r);
    int *list = kl_arena_array(p->arena, int, n + p->q->nchannel + 4);
    if (!list) return;
    n = choose(p, list);
    heading(p, "Results");
    if (p->rows == 0) {
        kl_text_add(&p->page, "<p class=\"poor\">The run left no rows.</p>\n");
        return;
    }
    add_figures(p, list, n);
    add_values(p, list, n);
}

/* Verdicts that an assessment left in the results: [{"name", "rule", "unit", "value", "limit"}]. */
static void add_assessment(report *p)
{
    const kl_node *list = kept(p, "assessment");
    if (!list || list->kind != KL_LIST || !list->first) return;
    heading(p, "Assessment");
    kl_text_add(&p->page,
                "<table><thead><tr><th>quantity</th><th>rule</th><th class=\"n\">value</th>"
                "<th class=\"n\">limit</th><th>unit</th><th class=\"n\">utilisation</th>"
                "<th>verdict</th></tr></thead>\n");
    for (const kl_node *e = list->first; e; e = e->next) {
        double value = number_of(e, "value"), limit = number_of(e, "limit"), used = value / limit;
        kl_text_add(&p->page, "<tr>");
        cell(p, text_of(e, "name"));
        cell(p, text_of(e, "rule"));
        number_cell(p, value);
        number_cell(p, limit);
        cell(p, text_of(e, "unit"));
        kl_text_add(&p->page, "<td class=\"n\">%.0f %%</td><td class=\"%s\">%s</td></tr>\n",
                    100.0 * used, used <= 1.0 ? "good" : "poor", used <= 1.0 ? "pass" : "fail");
    }
    kl_text_add(&p->page, "</table>\n");
}

/* --set of each parameter that was changed, a line of `set` each, quoted for a shell. */
static void add_changes(report *p)
{
    const char *set = kl_reader_text(p->r, "set");
    while (set && *set) {
        int  n = (int)strcspn(set, "\n");
        char one[256];
        snprintf(one, sizeof one, " --set '%.*s'", n < 200 ? n : 200, set);
        kl_text_html(&p->page, one);
        set += n + (set[n] == '\n');
    }
}

static void add_reproduction(report *p)
{
    const char *model = kl_reader_text(p->r, "model"), *file = kl_reader_text(p->r, "file");
    heading(p, "How to reproduce");
    kl_text_add(&p->page, "<pre>klingel run ");
    kl_text_html(&p->page, file && *file ? file : "model.yaml");
    add_changes(p);
    kl_text_add(&p->page, " -o ");
    kl_text_html(&p->page, p->q->file);
    kl_text_add(&p->page, "\nklingel report ");
    kl_text_html(&p->page, p->q->file);
    kl_text_add(&p->page, "\nklingel view ");
    kl_text_html(&p->page, p->q->file);
    kl_text_add(&p->page, "</pre>\n");
    if (!model || !*model) return;
    kl_text_add(&p->page, "<p>The model, as it was read:</p>\n<pre>");
    kl_text_html(&p->page, model);
    kl_text_add(&p->page, "</pre>\n");
}

/* ---- the whole ---- */

static kl_status compose(report *p)
{
    const char *title = p->q->title ? p->q->title : kl_reader_text(p->r, "title");
    p->rows           = kl_reader_rows(p->r);
    p->time           = kl_arena_array(p->arena, double, p->rows + 1);
    if (!p->time) return KL_E_MEMORY;
    KL_TRY(kl_reader_time(p->r, p->time));
    p->scene      = kept(p, "scene");
    p->statistics = kept(p, "statistics");
    quality q     = quality_of(p);
    add_head(p, title && *title ? title : p->q->file);
    add_picture(p);
    add_cards(p, &q);
    add_assessment(p);
    add_results(p);
    KL_TRY(kl_ride_section(&p->page, p->r, p->time, p->rows, p->arena));
    KL_TRY(kl_stress_section(&p->page, p->q->stress, p->q->nstress));
    add_model(p);
    add_settings(p);
    add_run(p, &q);
    add_quality_figures(p);
    add_warnings(p);
    add_reproduction(p);
    kl_text_add(&p->page, "<footer>Written by klingel " KL_VERSION ".</footer>\n</main>\n");
    return p->page.failed || !kl_arena_ok(p->arena) ? KL_E_MEMORY : KL_OK;
}

/* The motion at the start is all that the picture needs: one frame. */
static kl_status write_picture_data(FILE *f, const report *p, kl_diag *diag)
{
    kl_view_source  source  = {.reader = p->r, .label = p->q->file};
    kl_view_options options = {.every = p->rows > 0 ? p->rows : 1, .motion_only = true};
    kl_view_summary summary;
    if (!p->scene) return KL_OK;
    KL_TRY(kl_view_write_data(f, &source, 0, &options, diag, &summary));
    return kl_view_write_viewer(f, diag);
}

kl_status kl_report_write(FILE *f, const kl_report_request *request, kl_diag *diag)
{
    report p = {.q = request, .r = request->reader, .arena = kl_arena_create()};
    if (!p.arena) return KL_E_MEMORY;
    kl_status status = compose(&p);
    if (status == KL_OK) {
        fwrite(p.page.data, 1, p.page.n, f);
        status = write_picture_data(f, &p, diag);
        fwrite(style, 1, sizeof style - 1, f);
        fputs("</body>\n</html>\n", f);
        if (status == KL_OK && ferror(f)) status = KL_E_FILE;
    }
    kl_text_free(&p.page);
    kl_arena_destroy(p.arena);
    if (status != KL_OK && !kl_diag_failed(diag))
        kl_fail(diag, status, (kl_place){.file = request->file}, "%s", kl_status_text(status));
    return status;
}
