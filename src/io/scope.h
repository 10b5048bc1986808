/* Names and values while a model is built: parameters, changed from outside or not, and the
 * variables of `for`.
 *
 * Text in names may hold {expression}: `link{i+1}` becomes `link4`. */
#ifndef KL_IO_SCOPE_H
#define KL_IO_SCOPE_H

#include "io/doc.h"
#include "script/expression.h"

typedef struct kl_override {
    const char *name, *text; /* parameter and its new value, as in a model file */
} kl_override;

typedef struct kl_scope {
    kl_arena    *arena;
    kl_diag     *diag;
    const char **name; /* NULL-terminated, for suggestions */
    kl_quantity *value;
    double      *number; /* value[i].value, side by side for expressions */
    const char **word;   /* of a variable that runs over words, else NULL */
    int          n, cap;
    int          nparameter; /* the first ones; loop variables come behind */
} kl_scope;

kl_status kl_scope_init(kl_scope *s, kl_arena *arena, kl_diag *diag);
/* The `parameters` section; later ones may use earlier ones. Overrides take the place of values. */
kl_status kl_scope_parameters(kl_scope *s, const kl_node *section, const kl_override *set,
                              int nset);

/* Variables of loops: push, run, pop. */
kl_status kl_scope_push(kl_scope *s, const char *name, kl_quantity value, const char *word);
void      kl_scope_pop(kl_scope *s);

/* A number with the unit's dimension ("*": any). Says what is wrong with the object's name in
 * front. */
kl_status kl_scope_number(kl_scope *s, const kl_node *node, const char *what, const char *unit,
                          double *out);
/* A whole number, for ranges. */
kl_status kl_scope_integer(kl_scope *s, const char *text, kl_place place, const char *what,
                           int *out);
/* Text with its {...} filled in, owned by the arena. */
kl_status kl_scope_text(kl_scope *s, const char *text, kl_place place, const char **out);

#endif
