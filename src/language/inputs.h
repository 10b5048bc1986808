/* All that a model was built from: its file, what it includes, and the files that it names. */
#ifndef KL_LANGUAGE_INPUTS_H
#define KL_LANGUAGE_INPUTS_H

#include "language/build.h"

enum { KL_INPUTS_TEXT = 24 };

/* A text that changes with the contents of any of these files: the model file and included ones, each file that a value in
 * them, a changed parameter (`set`) or a body file names. Names put together from parameters ("{place}.msh") count where they
 * lead to a flexible body of `m`. */
kl_status kl_inputs_fingerprint(const kl_source *s, const kl_override *set, int nset,
                                const kl_model *m, char text[KL_INPUTS_TEXT]);

#endif
