#include "cli/stress_weld.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/commands.h"
#include "post/structural_stress.h"

/* x,y,z,dx,dy,dz and the thickness or the word `edge` */
static bool read_weld(const char *text, kl_weld *w)
{
    double      v[6], *thickness = &w->thickness;
    const char *p = text;
    for (int n = 0; n < 6; n++) {
        const char *end = p + strcspn(p, ",");
        if (kl_scan_number(p, end, &v[n]) != end || !isfinite(v[n]) || *end != ',') return false;
        p = end + 1;
    }
    *w = (kl_weld){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, 0.0};
    if (hypot(hypot(v[3], v[4]), v[5]) == 0.0) return false;
    if (strcmp(p, "edge") == 0) return true;
    const char *end = p + strlen(p);
    return kl_scan_number(p, end, thickness) == end && isfinite(*thickness) && *thickness > 0.0;
}

static void print_life(const kl_stress_body *b, const double *s, double span, double *scratch,
                       kl_cycle *cycles)
{
    int    n      = kl_rainflow(s, b->run.rows, scratch, cycles);
    double damage = kl_sn_damage(b->curve, cycles, n);
    if (damage > 0.0)
        printf("  damage %.4g; fatigue life: %.4g repetitions of this run, %.4g h\n", damage,
               1.0 / damage, span / damage / 3600.0);
    else printf("  fatigue life: unlimited according to this S-N curve\n");
}

/* How far the places are from the surface at most [m]. */
static double distance_of(const kl_weld *w, const kl_weld_reading reading[KL_WELD_MOST])
{
    double away = 0.0;
    for (int k = 0; k < kl_weld_rule_of(w).n; k++) away = fmax(away, reading[k].away);
    return away;
}

/* Range of the structural stress s over the run. Notes say when the extrapolation is doubtful: the
 * surface mesh is coarser than the rule of the reference points needs, or the points lie off the
 * surface. */
static void print_weld(const kl_stress_body *b, const kl_weld *w,
                       const kl_weld_reading reading[KL_WELD_MOST], const double *s)
{
    kl_weld_rule rule  = kl_weld_rule_of(w);
    double       least = HUGE_VAL, most = -HUGE_VAL, edge = 0.0, away = distance_of(w, reading);
    char         plate[64] = "edge of a plate";
    for (int i = 0; i < b->run.rows; i++) least = fmin(least, s[i]), most = fmax(most, s[i]);
    for (int k = 0; k < rule.n; k++) edge = fmax(edge, reading[k].edge);
    if (w->thickness > 0.0) snprintf(plate, sizeof plate, "plate of %g mm", 1e3 * w->thickness);
    printf("%s: structural stress at the weld toe (%g, %g, %g) m, %s: %.5g to %.5g MPa\n", b->name,
           w->toe[0], w->toe[1], w->toe[2], plate, 1e-6 * least, 1e-6 * most);
    if (edge > rule.largest)
        fprintf(stderr,
                "%s: note: the surface mesh has edges of %.3g mm there; values converge when they "
                "are at most %.3g mm\n",
                b->name, 1e3 * edge, 1e3 * rule.largest);
    if (away > 0.1 * rule.place[0])
        fprintf(
            stderr,
            "%s: note: the places %.3g to %.3g mm in front of the toe are up to %.3g mm off the "
            "surface; check the toe and the direction\n",
            b->name, 1e3 * rule.place[0], 1e3 * rule.place[rule.n - 1], 1e3 * away);
}

/* The toe belongs to another body, or to none. */
static bool is_elsewhere(const kl_weld *w, const kl_weld_reading reading[KL_WELD_MOST])
{
    kl_weld_rule rule = kl_weld_rule_of(w);
    return distance_of(w, reading) > 0.5 * rule.place[rule.n - 1];
}

int kl_stress_weld_print(const kl_stress_bodies *s, const char *text)
{
    kl_weld weld;
    double  nearest = HUGE_VAL;
    int     printed = 0;
    if (!read_weld(text, &weld))
        return kl_usage_error(
            &kl_command_stress,
            "--weld: '%s': give a point of the toe, a direction along the surface "
            "away from the weld and the thickness of the plate, all in m (or `edge`, "
            "for a toe on the edge of a plate): "
            "x,y,z,dx,dy,dz,t, for example 0.99,-0.73,0.08,0,1,0,0.016",
            text);
    for (int i = 0; i < s->n; i++) {
        const kl_stress_body *b = &s->list[i];
        /* `work` holds the history, and behind it the turning points that the rainflow count
         * needs. */
        size_t          n = (size_t)b->run.rows + 1;
        kl_weld_reading reading[KL_WELD_MOST];
        double         *work   = malloc(2 * n * sizeof *work);
        kl_cycle       *cycles = malloc(n * sizeof *cycles);
        kl_status       status =
            work && cycles ? kl_weld_readings(b->run.body, &weld, reading) : KL_E_MEMORY;
        bool elsewhere = status == KL_OK && is_elsewhere(&weld, reading);
        if (elsewhere) nearest = fmin(nearest, distance_of(&weld, reading));
        if (elsewhere) {
            free(work), free(cycles);
            continue;
        }
        if (status == KL_OK) status = kl_weld_history(&b->run, &weld, reading, work);
        if (status == KL_OK) {
            printed++;
            print_weld(b, &weld, reading, work);
            if (b->curve)
                print_life(b, work, b->run.time[b->run.rows - 1] - b->run.time[0], work + n,
                           cycles);
        } else
            fprintf(stderr, "%s: %s\n", b->name,
                    status == KL_E_MEMORY ? "out of memory" : "it has no surface with stress data");
        free(work), free(cycles);
        if (status != KL_OK) return kl_exit_code(status);
    }
    if (printed > 0) return KL_EXIT_OK;
    fprintf(
        stderr,
        "--weld: the places in front of the toe are %.3g mm off the surface of each flexible "
        "body; give the toe in m and in axes of the body, and the direction along its surface\n",
        1e3 * nearest);
    return KL_EXIT_MODEL;
}
