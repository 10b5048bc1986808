/* klingel view --live: runs a model and shows its motion while it is computed. */
#ifndef KL_CLI_LIVE_H
#define KL_CLI_LIVE_H

#include "terminal/options.h"

typedef struct kl_live {
    const char *output; /* results file; NULL: named after the model */
    int         port;   /* 0: any that is free */
    bool        no_open;
    kl_texts    set;
} kl_live;

/* Exit code. */
int kl_live_run(const kl_live *live, const char *model);

/* Opens a page with the desktop's program for pages, where there is a desktop. */
void kl_open_in_browser(const char *address);

#endif
