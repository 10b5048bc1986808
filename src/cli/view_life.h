/* Fatigue damage on the surfaces of flexible bodies, for a page. */
#ifndef KL_CLI_VIEW_LIFE_H
#define KL_CLI_VIEW_LIFE_H

#include "cli/view_skins.h"

/* Gives each skin whose body has stress the damage of the run by the S-N curve `text` ("FAT71", or keys
 * over the curve of the model) and the stress measure. KL_EXIT_OK, or what went wrong was reported. */
int kl_view_life(kl_view_skins *s, const char *results, kl_reader *r, const char *text,
                 const char *measure);

#endif
