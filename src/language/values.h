/* Values of a model file by their keys: the one place where the schema of a type becomes numbers.
 */
#ifndef KL_LANGUAGE_VALUES_H
#define KL_LANGUAGE_VALUES_H

#include "language/scope.h"
#include "model/model.h"
#include "script/function.h"

/* An entry of a section with what it is `like`: the first that has a key gives it. */
typedef struct kl_entry {
    const char    *name; /* filled in */
    kl_place       place;
    const char    *section;   /* "body", "joint", ... for messages */
    const kl_node *chain[16]; /* the entry, what it is like, and so on; NULL-terminated */
} kl_entry;

const kl_node *kl_entry_get(const kl_entry *e, const char *key);

/* Fills `data` from the entry by the keys of a type. Missing and wrong ones are reported; all are
 * looked at. */
kl_status kl_values_read(kl_scope *s, kl_model *m, const kl_entry *e, const kl_key *keys,
                         void *data);
/* Every key of the entry must be in `keys` or in `also` (NULL-terminated). `type` names the type in
 * messages. */
void kl_values_unknown(kl_scope *s, const kl_entry *e, const char *type, const kl_key *keys,
                       const char *const *also);

/* Single values for the builder. `what` leads the messages: "body 'crank': position". */
kl_status kl_value_vec3(kl_scope *s, const kl_node *n, const char *what, const char *unit,
                        kl_vec3 *out);
kl_status kl_value_axis(kl_scope *s, const kl_node *n, const char *what, kl_vec3 *out);
kl_status kl_value_rotation(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out);
kl_status kl_value_flag(kl_scope *s, const kl_node *n, const char *what, bool *out);
/* The word at `n` with its {...} filled in, or the word that a parameter of that name holds. */
kl_status kl_value_word(kl_scope *s, const kl_node *n, const char *what, const char **out);

/* As a model file writes it, on one line; words of parameters of `s` (or NULL) are filled in. */
const char *kl_value_text(const kl_scope *s, const kl_node *n, kl_arena *arena);

/* The tree with parameters and loop variables of `s` as values, so that it needs no scope. */
kl_status kl_value_plain(kl_scope *s, const kl_node *n, kl_node *out);

/* Exactly `size` numbers; of different units: "N|N|N m", the last for all that follow. */
kl_status kl_value_numbers(kl_scope *s, const kl_node *n, const char *what, const char *unit,
                           int size, double *out);
/* Text in Lua, with the parameters that are in it. */
kl_status kl_value_code(kl_scope *s, const kl_node *n, const char *what, kl_code *code);

typedef struct kl_function_units {
    const char *what, *unit, *by; /* lead of messages; unit of the value and of the argument */
} kl_function_units;

kl_status kl_value_function(kl_scope *s, const kl_model *m, const kl_node *n,
                            const kl_function_units *of, kl_function **out);

/* May it be a variable of a Lua function? */
bool kl_is_name(const char *text);

#endif
