/* Diagnostics: what is wrong, where, and what to do. The library never prints; it collects messages
 * here.
 *
 * A message reads `file:line:column: what, and what to do`. Collect as many as possible in one run.
 */
#ifndef KL_BASE_DIAG_H
#define KL_BASE_DIAG_H

#include <stdbool.h>

#include "klingel/status.h"

/* A place in a text file. line 0: the file as a whole; file NULL: no file. Borrowed text. */
typedef struct kl_place {
    const char *file;
    int         line, column; /* from 1 */
} kl_place;

typedef enum kl_severity { KL_NOTE, KL_WARNING, KL_ERROR } kl_severity;

typedef struct kl_message {
    kl_severity severity;
    kl_status   status; /* of an error */
    const char *text;   /* complete line, with its place in front */
} kl_message;

typedef struct kl_diag kl_diag;

kl_diag *kl_diag_create(void);
void     kl_diag_destroy(kl_diag *d);
void     kl_diag_clear(kl_diag *d);

/* Adds an error and returns `status`, so that `return kl_fail(...)` reads well. A NULL diag
 * swallows the text. */
kl_status kl_fail(kl_diag *d, kl_status status, kl_place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void kl_warn(kl_diag *d, kl_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void kl_note(kl_diag *d, kl_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Tells where the model places the part `name` (of a template). A message whose place is in another
 * file than that begins with the part that it is about, because the reader can change only the file
 * of the model: `in part 'coach' (model.yaml:4:3): ...`. Texts are copied. */
void kl_diag_part(kl_diag *d, const char *name, kl_place place);

int               kl_diag_count(const kl_diag *d, kl_severity severity);
int               kl_diag_size(const kl_diag *d);
const kl_message *kl_diag_at(const kl_diag *d, int i);
bool              kl_diag_failed(const kl_diag *d); /* any error yet? */
kl_status         kl_diag_status(const kl_diag *d); /* that of the first error, or KL_OK */

/* The word of `words` (NULL-terminated list) nearest to `word`, or NULL when none is near enough to
 * suggest. */
const char *kl_nearest(const char *word, const char *const *words);

#define KL_NOWHERE ((kl_place){0})

#endif
