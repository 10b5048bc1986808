/* Loading a model for a subcommand: file, --set, messages. */
#ifndef KL_CLI_MODEL_OPTIONS_H
#define KL_CLI_MODEL_OPTIONS_H

#include "language/build.h"
#include "terminal/options.h"

typedef struct kl_loaded {
    kl_source *source;
    kl_model  *model;
    char *file, *set; /* of kl_loaded_from_results: name of the model file, NAME=VALUE a line */
} kl_loaded;

/* Exit code; on failure the diag has the reasons and nothing is left to unload. */
int kl_loaded_open(const kl_command *command, const char *path, const kl_texts *set, kl_diag *diag,
                   kl_loaded *out);
/* The same from the text that a results file keeps, with the parameters of that run. */
int  kl_loaded_from_results(const kl_command *command, const char *results, kl_diag *diag,
                            kl_loaded *out);
void kl_loaded_close(kl_loaded *l);

/* "NAME=VALUE" of all --set as a list with room for `more` entries behind them; NULL with a message when a
 * text is not of that form, or memory is short. */
kl_override *kl_overrides(const kl_texts *set, int more, kl_arena *arena, kl_diag *diag);

#endif
