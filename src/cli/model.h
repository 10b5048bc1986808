/* Loading a model for a subcommand: file, --set, messages. */
#ifndef KL_CLI_MODEL_H
#define KL_CLI_MODEL_H

#include "cli/options.h"
#include "io/build.h"

typedef struct kl_loaded {
    kl_source *source;
    kl_model  *model;
} kl_loaded;

/* Exit code; on failure the diag has the reasons and nothing is left to unload. */
int  kl_loaded_open(const kl_command *command, const char *path, const kl_texts *set, kl_diag *diag,
                    kl_loaded *out);
void kl_loaded_close(kl_loaded *l);

#endif
