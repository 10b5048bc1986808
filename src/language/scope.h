/* Names and values while a model is built: parameters, changed from outside or not, and the
 * variables of `for`.
 *
 * Parameters may be given in any order; each is evaluated when it is first asked for. Text in names
 * may hold {expression}: `link{i+1}` becomes `link4`. */
#ifndef KL_LANGUAGE_SCOPE_H
#define KL_LANGUAGE_SCOPE_H

#include "base/names.h"
#include "language/doc.h"
#include "model/placement.h"
#include "script/expression.h"

typedef struct kl_override {
    const char *name, *text; /* parameter and its new value, as in a model file */
} kl_override;

/* A name with what it represents. */
typedef struct kl_variable {
    const char               *name;
    kl_quantity               value;
    const char               *word;    /* value of a variable that is a word, else NULL */
    const kl_node            *given;   /* of a parameter: the node with its value */
    const char               *changed; /* text that replaces the value, or NULL */
    const char               *changer; /* origin of that text, for messages: "--set" */
    const struct kl_variable *handed;  /* the value that a part was placed with, or NULL */
    kl_place                  handed_place;
    enum { KL_VARIABLE_OPEN, KL_VARIABLE_BUSY, KL_VARIABLE_DONE, KL_VARIABLE_BAD } state;
} kl_variable;

/* The words with which conditions compared a parameter that --set changed, to refuse a
 * misspelt word. */
typedef struct kl_compared_words {
    const kl_node *given; /* whose: the parameter's own value */
    const char    *words; /* those it was compared with: "'pin', 'roller'" */
    bool           fits;  /* it was one of them, or stands somewhere else too */
} kl_compared_words;

/* What all scopes of a model share. */
typedef struct kl_shared {
    kl_compared_words asked[16];
    int               nasked;
    kl_names          dropped;   /* entries that a `when` leaves out: line of the `when` */
    kl_names          empty;     /* names that loops over an empty range begin with: line */
    kl_names          broken;    /* entries with an error, which has been reported: their line */
    kl_names          driven;    /* "joint.coordinate" that a driver sets: its index */
    const void       *key[1024]; /* kl_key whose default has been read, by hash */
    const kl_node    *fallback[1024]; /* and its tree */
} kl_shared;

typedef struct kl_scope {
    kl_arena    *arena;
    kl_diag     *diag;
    kl_variable *variable; /* inner ones behind outer ones, which they hide */
    double      *number;   /* value of each, side by side for expressions */
    int          n, cap;
    int          depth;  /* parameters that wait for one another */
    const char  *prefix; /* of names: "" or "front." */
    kl_placement place;  /* of the part being read */
    kl_shared   *shared;
} kl_scope;

kl_status kl_scope_init(kl_scope *s, kl_arena *arena, kl_diag *diag);
/* A scope inside another one: sees its first `n` variables. */
kl_status kl_scope_nest(kl_scope *s, const kl_scope *outer, int n);

/* Adds the parameters of one section. Behind those of the same name from before `first` they hide;
 * one at or behind `first` is overruled when `overrule` (a file over what it includes), otherwise
 * it is an error. */
kl_status kl_scope_declare(kl_scope *s, const kl_node *section, int first, bool overrule);
/* Changes a declared parameter at or behind `first`; false: there is none. */
bool kl_scope_change(kl_scope *s, int first, const char *name, const char *text, const char *who);
/* Assigns a value to a declared parameter; false: there is no such parameter. */
bool kl_scope_assign(kl_scope *s, int first, const char *name, kl_quantity value, const char *word,
                     kl_place place);
/* Evaluates all that are still open. */
kl_status kl_scope_evaluate(kl_scope *s);

/* All of that for one section of a file that is no model; overrides take the place of values. */
kl_status kl_scope_parameters(kl_scope *s, const kl_node *section, const kl_override *set,
                              int nset);

/* Variables of loops: push, run, pop. */
kl_status kl_scope_push(kl_scope *s, const char *name, kl_quantity value, const char *word);
void      kl_scope_pop(kl_scope *s);
/* The variable of that name, innermost first, or NULL. */
const kl_variable *kl_scope_find(const kl_scope *s, const char *name);

/* A number or word, as parameters and members of `for` are: *word is NULL for a number. */
kl_status kl_scope_value(kl_scope *s, const kl_node *node, const char *what, kl_quantity *value,
                         const char **word);
/* A number with the unit's dimension ("*": any). Says what is wrong with the object's name in
 * front. */
kl_status kl_scope_number(kl_scope *s, const kl_node *node, const char *what, const char *unit,
                          double *out);
/* The same with the unit that it was written in; `node` must be a scalar. */
kl_status kl_scope_quantity(kl_scope *s, const kl_node *node, kl_quantity *out);
/* A whole number, for ranges. */
kl_status kl_scope_integer(kl_scope *s, const char *text, kl_place place, const char *what,
                           int *out);
/* Text with its {...} filled in, owned by the arena. */
kl_status kl_scope_text(kl_scope *s, const char *text, kl_place place, const char **out);
/* Is the condition of `when` true? `n > 3`, `sprung`, `drive == electric`. */
kl_status kl_scope_condition(kl_scope *s, const kl_node *node, bool *out);
/* Refuses words set from outside that conditions ask for and that are none of those asked for; warns
 * when only one word is known. */
void kl_scope_report_unused(const kl_scope *s);

/* For kl_expression_compile: the numbers of the scope, and suggestions. */
kl_symbols kl_scope_symbols(kl_scope *s);

/* `text` with every number of the scope written as its value, every other word as `rename` gives it
 * (NULL, or when it gives NULL: as it is): an expression that needs no scope. Words of `keep`
 * (NULL-terminated) stay. */
typedef const char *(*kl_rename)(const void *context, const char *word);
kl_status kl_scope_plain(kl_scope *s, const char *text, const char *const *keep, kl_rename rename,
                         const void *context, const char **out);

#endif
