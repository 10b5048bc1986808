#include "cli/stress_weld.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/commands.h"
#include "post/structural_stress.h"

static bool read_weld(const char *text, kl_weld *w)
{
    double v[7];
    int    n = 0;
    for (const char *p = text; n < 7; n++) {
        size_t      length = strcspn(p, ",");
        const char *end    = p + length;
        if (kl_scan_number(p, end, &v[n]) != end || !isfinite(v[n])) return false;
        p = end + (*end == ',');
        if (n == 6 && *end) return false;
        if (n < 6 && !*end) return false;
    }
    *w = (kl_weld){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, v[6]};
    return v[6] > 0.0 && hypot(hypot(v[3], v[4]), v[5]) > 0.0;
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

static void print_weld(const kl_stress_body *b, const kl_weld *w, const kl_weld_reading reading[2],
                       const double *s)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < b->run.rows; i++) least = fmin(least, s[i]), most = fmax(most, s[i]);
    printf(
        "%s: structural stress at the weld toe (%g, %g, %g) m, plate of %g mm: %.5g to %.5g MPa\n",
        b->name, w->toe[0], w->toe[1], w->toe[2], 1e3 * w->thickness, 1e-6 * least, 1e-6 * most);
    double edge = fmax(reading[0].edge, reading[1].edge),
           away = fmax(reading[0].away, reading[1].away);
    if (edge > 0.4 * w->thickness)
        fprintf(
            stderr,
            "%s: note: the surface has edges of %.3g mm there; values converge when they are at "
            "most 0.4 t = %.3g mm\n",
            b->name, 1e3 * edge, 400.0 * w->thickness);
    if (away > 0.05 * w->thickness)
        fprintf(
            stderr,
            "%s: note: the places 0.4 t and 1.0 t in front of the toe are up to %.3g mm off the "
            "surface; check the toe and the direction\n",
            b->name, 1e3 * away);
}

int kl_stress_weld_print(const kl_stress_bodies *s, const char *text)
{
    kl_weld weld;
    if (!read_weld(text, &weld))
        return kl_usage_error(
            &kl_command_stress,
            "--weld: '%s': give a point of the toe, a direction along the surface "
            "away from the weld and the thickness of the plate, all in m: "
            "x,y,z,dx,dy,dz,t, for example 0.99,-0.73,0.08,0,1,0,0.016",
            text);
    for (int i = 0; i < s->n; i++) {
        const kl_stress_body *b = &s->list[i];
        size_t                n = (size_t)b->run.rows + 1;
        kl_weld_reading       reading[2];
        double               *work   = malloc(2 * n * sizeof *work);
        kl_cycle             *cycles = malloc(n * sizeof *cycles);
        kl_status             status =
            work && cycles ? kl_weld_readings(b->run.body, &weld, reading) : KL_E_MEMORY;
        if (status == KL_OK) status = kl_weld_history(&b->run, &weld, reading, work);
        if (status == KL_OK) {
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
    return KL_EXIT_OK;
}
