/* Models to start from: what `klingel new` writes and `klingel demo` runs. */
#ifndef KL_CLI_STARTERS_H
#define KL_CLI_STARTERS_H

typedef struct kl_starter {
    const char *name, *help;
    const char *text;  /* the model file */
    const char *plot;  /* channels worth a look */
    const char *watch; /* what to see there */
} kl_starter;

extern const kl_starter kl_starters[]; /* ended by a NULL name */

#endif
