/* The law `table`: FASTSIM with its strips tabulated, which gives the forces of a very fine grid at the
 * price of a coarse one.
 *
 * A strip of FASTSIM (fastsim.c) at Y of half length h, with X = h x and tractions in units of h^2, is
 *
 *   dpx = -A dx,  dpy = -(B + S x) dx,  |p| <= 2/pi (1 - x^2),  x from 1 to -1
 *   A = (x0 + xy Y)/h,  B = y0/h,  S = yx
 *
 * so three numbers give its force, its moment and the share that slips, whatever the ellipse, the
 * material and the creepages are. The table holds them over A >= 0, B and S >= 0; the rest follows
 * by symmetry. Strips are added by Gauss's rule in the angle of Y. */
#ifndef KL_RAILWAY_CREEP_TABLE_H
#define KL_RAILWAY_CREEP_TABLE_H

#include "base/arena.h"
#include "railway/creep.h"

typedef struct kl_creep_table kl_creep_table;

/* Made in half a second; NULL: out of memory. Differs from FASTSIM on 400 x 400 cells by less than
 * 0.002 of mu N. */
const kl_creep_table *kl_creep_table_create(kl_arena *arena);

/* The law; without options->table it is FASTSIM on the grid of the options. */
void kl_creep_by_table(const kl_creep_options *o, const kl_creep_input *in, kl_creep_output *out);

#endif
