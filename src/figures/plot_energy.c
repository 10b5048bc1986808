/* klingel plot --energies: the parts of the energy over time, one upon the other. */
#include <stdlib.h>
#include <string.h>

#include "figures/plot.h"
#include "post/energy_parts.h"
#include "terminal/options.h"

/* One curve: rows between the two times of the figure. */
static bool add_part(kl_plot *p, const kl_energy_part *part, const double *time, int rows)
{
    kl_curve c = {.name = part->name, .unit = "J"};
    c.x        = malloc(((size_t)rows + 1) * sizeof *c.x);
    c.y        = malloc(((size_t)rows + 1) * sizeof *c.y);
    if (!c.x || !c.y) {
        free(c.x);
        free(c.y);
        return false;
    }
    for (int i = 0; i < rows; i++) {
        if (time[i] < p->from || time[i] > p->to) continue;
        c.x[c.n]   = time[i];
        c.y[c.n++] = part->value[i];
    }
    kl_figure_add(&p->figure, c);
    return true;
}

static kl_status fill(kl_plot *p, kl_arena *arena)
{
    kl_energy_parts parts;
    double         *time = kl_arena_array(arena, double, kl_reader_rows(p->reader[0]) + 1);
    if (!time) return KL_E_MEMORY;
    KL_TRY(kl_reader_time(p->reader[0], time));
    KL_TRY(kl_energy_parts_read(p->reader[0], arena, &parts));
    kl_energy_parts_stack(&parts);
    p->figure.stacked = true;
    /* the uppermost sum first: each smaller one covers a part of it */
    for (int k = parts.n - 1; k >= 0; k--)
        if (!add_part(p, &parts.part[k], time, parts.rows)) return KL_E_MEMORY;
    return KL_OK;
}

int kl_plot_energies(kl_plot *p)
{
    kl_arena *arena = kl_arena_create();
    if (!p->reader[0]) p->reader[0] = kl_open_results(p->file[0], p->diag);
    kl_status status = !p->reader[0] ? KL_E_FILE : arena ? fill(p, arena) : KL_E_MEMORY;
    kl_arena_destroy(arena);
    if (status == KL_E_NAME)
        kl_fail(
            p->diag, status, (kl_place){.file = p->file[0]},
            "the results have no channels `energy.kinetic` and `energy.potential`; run the model "
            "again and record `energy.*`");
    return status == KL_OK ? KL_EXIT_OK : status == KL_E_NAME ? KL_EXIT_USAGE : KL_EXIT_MODEL;
}
