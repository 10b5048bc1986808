/* The reduced body that a model names: a .kbody file, or a body file that is reduced now.
 *
 * What was reduced is kept in the folder `.klingel` beside the body file, under a name that holds a
 * hash of the body file, of parameters set from outside and of all files it names, so that the next run reads it back and a change
 * of any of them is noticed. A folder that cannot be written costs time only. */
#ifndef KL_LANGUAGE_REDUCED_H
#define KL_LANGUAGE_REDUCED_H

#include "language/scope.h"
#include "model/model.h"
#include "reduce/kbody.h"

struct kl_node;

/* The body belongs to the model. `path` as seen from here; `place` for messages; `set` takes the
 * place of parameters of a body file. */
kl_status kl_reduced_read(kl_model *m, const char *path, const kl_override *set, int nset,
                          kl_place place, kl_diag *diag, const kl_kbody **out);
/* Takes the mirror image of the body, if it is asked for. */
kl_status kl_reduced_mirror(kl_model *m, kl_reduced *reduced);
/* A body file whose contents are written in the model file `from` itself; `text` is how it is written and
 * distinguishes two of them. Reduced each time. */
kl_status kl_reduced_from_node(kl_model *m, const struct kl_node *node, const char *from,
                               const char *text, kl_diag *diag, const kl_kbody **out);

/* The mesh of a body file, not reduced: fills to->mesh and to->recipe, which live as long as the model. */
kl_status kl_reduced_mesh(kl_model *m, const char *path, const kl_override *set, int nset,
                          kl_place place, kl_diag *diag, kl_reduced *to);
/* The same for contents that are written in the model file `from` itself. */
kl_status kl_reduced_mesh_from_node(kl_model *m, const struct kl_node *node, const char *from,
                                    kl_diag *diag, kl_reduced *to);

#endif
