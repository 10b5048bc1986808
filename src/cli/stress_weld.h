/* klingel stress --weld: structural stress and fatigue at the toe of a weld. */
#ifndef KL_CLI_STRESS_WELD_H
#define KL_CLI_STRESS_WELD_H

#include "cli/stress_bodies.h"

/* `text`: x,y,z,dx,dy,dz,t or x,y,z,dx,dy,dz,edge. Prints for every body; KL_EXIT_OK, or what went wrong was reported. */
int kl_stress_weld_print(const kl_stress_bodies *s, const char *text);

#endif
