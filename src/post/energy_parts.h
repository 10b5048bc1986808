/* Energy of a run by part over time: dissipated by each group of elements, stored, kinetic. The sum of all
 * parts is constant where nothing is supplied and the energy balance closes. */
#ifndef KL_POST_ENERGY_PARTS_H
#define KL_POST_ENERGY_PARTS_H

#include "base/arena.h"
#include "results/results.h"

enum { KL_ENERGY_MOST_PARTS = 8 };

typedef struct kl_energy_part {
    const char *key, *name; /* "crush", "crush zones" */
    double     *value;      /* each row [J] */
} kl_energy_part;

typedef struct kl_energy_parts {
    int            n, rows;
    bool           yields; /* something was crushed or yielded: the run is a crash */
    kl_energy_part part[KL_ENERGY_MOST_PARTS];
} kl_energy_parts;

/* Parts from the bottom of a stacked figure to its top: dissipated by crush zones, plastic hinges, yielding
 * beams and bodies, contacts, friction of contacts, dampers and joints; then potential from its smallest
 * value, then kinetic. Groups without energy are left out. KL_E_NAME: the results have no energies. */
kl_status kl_energy_parts_read(kl_reader *r, kl_arena *arena, kl_energy_parts *out);

/* Replaces each part by the sum of it and all parts below it. */
void kl_energy_parts_stack(kl_energy_parts *parts);

#endif
