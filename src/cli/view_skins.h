/* Surfaces of flexible bodies for a page. The model that the results keep is built again, which
 * finds its reduced bodies and the modes that were used; or the scene names them (`kbody`). */
#ifndef KL_CLI_VIEW_SKINS_H
#define KL_CLI_VIEW_SKINS_H

#include "cli/model_options.h"
#include "post/view.h"

enum { KL_MOST_SKINS = 32 };

typedef struct kl_view_skins {
    kl_arena *arena;
    kl_skin   list[KL_MOST_SKINS];
    kl_kbody *body[KL_MOST_SKINS];
    float    *damage[KL_MOST_SKINS]; /* of a skin, or NULL */
    int       n;
    kl_loaded loaded; /* the model, when it was built again */
    bool      again;
} kl_view_skins;

/* Looks for the reduced bodies as the model named them, beside the model and beside the results.
 * One that is not found is reported, and drawn like a rigid body. */
void kl_view_skins_find(kl_view_skins *s, const char *results, kl_view_source *source);

/* What had to be left out. */
void kl_view_skins_report(const kl_view_skins *s, const char *results);
void kl_view_skins_free(kl_view_skins *s);

#endif
