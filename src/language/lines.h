/* Lines and surfaces of a model: the sections `tracks` and `surfaces`. */
#ifndef KL_LANGUAGE_LINES_H
#define KL_LANGUAGE_LINES_H

#include "language/parts.h"

/* Reads both into the model. Mistakes are told; KL_E_MEMORY alone stops it. */
kl_status kl_lines_read(kl_builder *b);

/* One surface of the section `surfaces`. */
kl_status kl_surface_read(kl_builder *b, const kl_node *n);

#endif
