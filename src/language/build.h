/* From the text of a model file to a frozen model. */
#ifndef KL_LANGUAGE_BUILD_H
#define KL_LANGUAGE_BUILD_H

#include "language/scope.h"
#include "model/model.h"

/* A model file as read: kept, so that a model can be built again with other parameters without
 * parsing. */
typedef struct kl_source kl_source;

kl_status   kl_source_read(const char *path, kl_diag *diag, kl_source **out);
kl_status   kl_source_parse(const char *text, size_t length, const char *name, kl_diag *diag,
                            kl_source **out);
void        kl_source_destroy(kl_source *s);
const char *kl_source_text(const kl_source *s);

/* Builds and freezes. The model borrows the source's texts: destroy the model first. */
kl_status kl_source_build(const kl_source *s, const kl_override *set, int nset, kl_diag *diag,
                          kl_model **out);

/* Keys of the sections `run` and `integrator`, for help pages. */
extern const kl_key kl_run_keys[], kl_integrator_keys[];

#endif
