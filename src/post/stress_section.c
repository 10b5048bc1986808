/* Hot spots in a report. */
#include <stdlib.h>
#include <string.h>

#include "post/stress_file.h"

enum { SPOTS = 10 };

static void add_head(kl_text *page, const kl_stress_body *b)
{
    const kl_modal_run *r = &b->run;
    kl_text_add(page, "<p>");
    kl_text_html(page, b->name);
    kl_text_add(page, ": %d points, %d modes, %g to %g s.</p>\n<table><thead><tr><th>point</th>",
                r->body->stress.n, r->n, r->time[0], r->time[r->rows - 1]);
    static const char *const heads[] = {"x [m]",  "y [m]",      "z [m]",   "von Mises [MPa]",
                                        "at [s]", "from [MPa]", "to [MPa]"};
    for (int i = 0; i < 7; i++) kl_text_add(page, "<th class=\"n\">%s</th>", heads[i]);
    kl_text_add(page, "%s</tr></thead>\n", b->curve ? "<th class=\"n\">damage</th>" : "");
}

static void add_spot(kl_text *page, const kl_stress_body *b, const kl_hot_spot *h)
{
    char         name[KL_POINT_NAME];
    kl_vec3      x        = b->run.body->stress.position[h->point];
    const double values[] = {x.x,           x.y, x.z, 1e-6 * h->von_mises, h->time, 1e-6 * h->least,
                             1e-6 * h->most};
    kl_text_add(page, "<tr><td>%s</td>", kl_stress_point_name(b->run.body, h->point, name));
    for (int i = 0; i < 7; i++) kl_text_add(page, "<td class=\"n\">%.5g</td>", values[i]);
    if (b->curve) kl_text_add(page, "<td class=\"n\">%.4g</td>", h->damage);
    kl_text_add(page, "</tr>\n");
}

static void add_curve(kl_text *page, const kl_stress_body *b, const kl_hot_spot *worst)
{
    const kl_sn_curve *c    = b->curve;
    double             span = b->run.time[b->run.rows - 1] - b->run.time[0];
    if (!c) return;
    kl_text_add(page, "<p>S-N curve: %g MPa at %g cycles, slope %g", 1e-6 * c->range, c->cycles,
                c->slope);
    if (c->knee > 0.0) kl_text_add(page, ", knee at %g cycles", c->knee);
    if (c->slope_after > 0.0) kl_text_add(page, ", then %g", c->slope_after);
    kl_text_add(page, "; mean stress: %s. ", kl_mean_words[c->mean]);
    if (worst->damage > 0.0)
        kl_text_add(
            page,
            "Fatigue life at the most stressed point: %.4g repetitions of this run, %.4g h.</p>\n",
            1.0 / worst->damage, span / worst->damage / 3600.0);
    else kl_text_add(page, "No damage according to this curve.</p>\n");
}

kl_status kl_stress_section(kl_text *page, const kl_stress_body *list, int n)
{
    for (int i = 0; i < n; i++) {
        const kl_stress_body *b     = &list[i];
        int                   count = b->run.body->stress.n;
        kl_hot_spot          *h     = malloc(((size_t)count + 1) * sizeof *h);
        if (!h) return KL_E_MEMORY;
        memcpy(h, b->spot, (size_t)count * sizeof *h);
        kl_hot_spots_sort(h, count);
        int found =
            kl_hot_spots_pick(b->run.body, h, count, kl_hot_spots_apart(b->run.body), SPOTS);
        if (i == 0) kl_text_add(page, "<h2>Hot spots</h2>\n");
        add_head(page, b);
        for (int k = 0; k < found; k++) add_spot(page, b, &h[k]);
        kl_text_add(page, "</table>\n");
        if (found) add_curve(page, b, h);
        else kl_text_add(page, "<p>All stresses are zero.</p>\n");
        free(h);
    }
    return KL_OK;
}
