#include "post/energy_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Elements of a group have a channel `energy` and, to distinguish them from others, a channel `beside`. The values
 * of the channel `without` are not counted. */
typedef struct group {
    const char *key, *name, *energy, *beside, *without;
    bool        yields;
} group;

static const group groups[] = {
    {"crush", "crush zones", ".absorbed", ".crush", NULL, true},
    {"hinges", "plastic hinges", ".absorbed", ".plastic_angle", NULL, true},
    {"yielding", "yielding beams and bodies", ".plastic_energy", ".elastic_energy", NULL, true},
    {"contact", "contact", ".lost", ".gap", ".lost_friction", false},
    {"friction", "friction of contacts", ".lost_friction", ".gap", NULL, false},
};

/* A part smaller than this share of the largest sum of all parts is left out of the figure. */
static const double VISIBLE = 1e-4;

static double *zeros(kl_arena *arena, int n)
{
    double *x = kl_arena_array(arena, double, n > 0 ? n : 1);
    if (x) memset(x, 0, (size_t)(n > 0 ? n : 1) * sizeof *x);
    return x;
}

static kl_status add_column(kl_reader *r, int channel, double sign, double *scratch, int n,
                            double *sum)
{
    if (channel < 0) return KL_OK;
    KL_TRY(kl_reader_column(r, channel, scratch));
    for (int i = 0; i < n; i++) sum[i] += sign * scratch[i];
    return KL_OK;
}

/* The channel of the object whose channel `name` ends in `part`, with another ending; -1: none. */
static int neighbour(kl_reader *r, const char *name, size_t tail, const char *part)
{
    char other[512];
    if (!part) return -1;
    snprintf(other, sizeof other, "%.*s%s", (int)(strlen(name) - tail), name, part);
    return kl_reader_find(r, other);
}

static kl_status sum_group(kl_reader *r, const group *g, double *scratch, int n, double *sum)
{
    size_t tail = strlen(g->energy);
    for (int c = 0; c < kl_reader_channels(r); c++) {
        const char *name = kl_reader_channel(r, c)->name;
        size_t      size = strlen(name);
        if (size <= tail || strcmp(name + size - tail, g->energy) != 0) continue;
        if (neighbour(r, name, tail, g->beside) < 0) continue;
        KL_TRY(add_column(r, c, 1.0, scratch, n, sum));
        KL_TRY(add_column(r, neighbour(r, name, tail, g->without), -1.0, scratch, n, sum));
    }
    return KL_OK;
}

static void add_part(kl_energy_parts *out, const char *key, const char *name, double *value)
{
    out->part[out->n++] = (kl_energy_part){.key = key, .name = name, .value = value};
}

/* Energy lost less that of all groups: dampers, friction in joints, damping of flexible bodies. */
static kl_status add_dissipated(kl_reader *r, kl_arena *arena, double *scratch,
                                kl_energy_parts *out)
{
    int     n = out->rows, lost = kl_reader_find(r, "energy.lost");
    double *rest = zeros(arena, n);
    if (!rest) return KL_E_MEMORY;
    KL_TRY(add_column(r, lost, 1.0, scratch, n, rest));
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        double *sum = zeros(arena, n), most = 0.0;
        if (!sum) return KL_E_MEMORY;
        KL_TRY(sum_group(r, &groups[k], scratch, n, sum));
        for (int i = 0; i < n; i++) rest[i] -= sum[i], most = fmax(most, fabs(sum[i]));
        if (groups[k].yields && most > 0.0) out->yields = true;
        add_part(out, groups[k].key, groups[k].name, sum);
    }
    if (lost >= 0) add_part(out, "dampers", "dampers and joints", rest);
    return KL_OK;
}

static kl_status add_stored(kl_reader *r, kl_arena *arena, double *scratch, kl_energy_parts *out)
{
    int     n         = out->rows;
    double *potential = zeros(arena, n), *kinetic = zeros(arena, n), least = HUGE_VAL;
    if (!potential || !kinetic) return KL_E_MEMORY;
    KL_TRY(add_column(r, kl_reader_find(r, "energy.potential"), 1.0, scratch, n, potential));
    KL_TRY(add_column(r, kl_reader_find(r, "energy.kinetic"), 1.0, scratch, n, kinetic));
    for (int i = 0; i < n; i++) least = fmin(least, potential[i]);
    for (int i = 0; i < n; i++) potential[i] -= least; /* its zero is arbitrary */
    add_part(out, "potential", "potential", potential);
    add_part(out, "kinetic", "kinetic", kinetic);
    return KL_OK;
}

static void leave_out_small(kl_energy_parts *p)
{
    double most = 0.0;
    int    kept = 0;
    for (int i = 0; i < p->rows; i++) {
        double sum = 0.0;
        for (int k = 0; k < p->n; k++) sum += fmax(0.0, p->part[k].value[i]);
        most = fmax(most, sum);
    }
    for (int k = 0; k < p->n; k++) {
        double own = 0.0;
        for (int i = 0; i < p->rows; i++) own = fmax(own, fabs(p->part[k].value[i]));
        if (own > VISIBLE * most) p->part[kept++] = p->part[k];
    }
    p->n = kept;
}

kl_status kl_energy_parts_read(kl_reader *r, kl_arena *arena, kl_energy_parts *out)
{
    *out = (kl_energy_parts){.rows = kl_reader_rows(r)};
    if (kl_reader_find(r, "energy.kinetic") < 0 || kl_reader_find(r, "energy.potential") < 0)
        return KL_E_NAME;
    double *scratch = zeros(arena, out->rows);
    if (!scratch) return KL_E_MEMORY;
    KL_TRY(add_dissipated(r, arena, scratch, out));
    KL_TRY(add_stored(r, arena, scratch, out));
    leave_out_small(out);
    return KL_OK;
}

void kl_energy_parts_stack(kl_energy_parts *p)
{
    for (int k = 1; k < p->n; k++)
        for (int i = 0; i < p->rows; i++) p->part[k].value[i] += p->part[k - 1].value[i];
}
