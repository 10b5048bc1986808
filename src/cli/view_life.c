#include "cli/view_life.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/stress_bodies.h"
#include "cli/stress_curve.h"

/* Of the points at a node (both sides of a shell, plies) the worst. */
static float damage_at(const kl_stress_body *b, int node)
{
    double worst = 0.0;
    for (int p = b->skin.first[node]; p >= 0; p = b->skin.next[p])
        worst = fmax(worst, b->spot[p].damage);
    return (float)worst;
}

static kl_status paint(kl_view_skins *s, const kl_stress_body *b)
{
    const kl_modal_run *run = &b->run;
    for (int i = 0; i < s->n; i++) {
        if (strcmp(s->list[i].body, b->name) != 0) continue;
        s->damage[i] = calloc((size_t)run->body->skin.nnode + 1, sizeof *s->damage[i]);
        if (!s->damage[i]) return KL_E_MEMORY;
        for (int k = 0; k < run->body->skin.nnode; k++) s->damage[i][k] = damage_at(b, k);
        s->list[i].damage = s->damage[i];
        s->list[i].span   = run->time[run->rows - 1] - run->time[0];
    }
    return KL_OK;
}

/* Each body by the curve of the model, with what the command line says over it. */
static int take_curves(kl_stress_bodies *bodies, const char *text, const char *measure)
{
    kl_stress_measure how;
    int               wrong = kl_sn_read_measure(&kl_command_view, measure, &how);
    if (wrong != KL_EXIT_OK) return wrong;
    for (int i = 0; i < bodies->n; i++) {
        kl_stress_body *b = &bodies->list[i];
        kl_sn_curve    *c = &bodies->curve[i];
        if (!b->curve)
            *c = (kl_sn_curve){
                .cycles = 2e6, .slope = 3.0, .mean = c->mean, .ultimate = c->ultimate};
        int code = kl_sn_read(&kl_command_view, text, c);
        if (code != KL_EXIT_OK) return code;
        const char *fault = kl_sn_fault(c);
        if (fault) return kl_usage_error(&kl_command_view, "S-N curve: %s", fault);
        b->curve   = c;
        b->measure = how;
    }
    return KL_EXIT_OK;
}

int kl_view_life(kl_view_skins *s, const char *results, kl_reader *r, const char *text,
                 const char *measure)
{
    kl_stress_bodies bodies;
    kl_diag         *diag = kl_diag_create();
    kl_time_range    all  = {-HUGE_VAL, HUGE_VAL};
    kl_status        status =
        kl_stress_bodies_open(&bodies, &kl_command_view, results, r, NULL, 0, all, diag);
    int code = status == KL_OK ? take_curves(&bodies, text, measure) : kl_exit_code(status);
    for (int i = 0; code == KL_EXIT_OK && i < bodies.n; i++) {
        status = kl_stress_bodies_envelope(&bodies, i);
        if (status == KL_OK) status = paint(s, &bodies.list[i]);
        if (status != KL_OK) code = kl_exit_code(status);
    }
    if (code == KL_EXIT_OK && bodies.n > 0 && !measure) kl_sn_warn_measure();
    if (status != KL_OK) kl_print_diag(diag, "nothing was written");
    kl_stress_bodies_close(&bodies);
    kl_diag_destroy(diag);
    return code;
}
