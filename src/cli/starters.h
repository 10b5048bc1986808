/* Models to start from: what `klingel new` writes and `klingel demo` runs. */
#ifndef KL_CLI_STARTERS_H
#define KL_CLI_STARTERS_H

typedef struct kl_starter {
    const char *name, *help;
    const char *text;  /* the model file, or NULL: it is the file `share` of the program */
    const char *plot;  /* channels worth a look */
    const char *watch; /* what to see there */
    const char *share;
} kl_starter;

extern const kl_starter kl_starters[]; /* ended by a NULL name */

/* The model file of a starter; NULL: the program was built without it. */
const char *kl_starter_text(const kl_starter *s);

#endif
