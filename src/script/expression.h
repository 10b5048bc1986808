/* Arithmetic with names and units: "2*pi*r", "1.22 MN/m", "hinge.angle - pivot.angle".
 *
 *   a unit is directly behind a number and takes the longest chain of unit symbols;
 *   elsewhere a word is a name; products need `*`
 *   + - * / ^ and parentheses; < <= > >= == !=, and, or, not give 1 or 0
 *   min max (two or more), abs sqrt exp log log10 sinh cosh tanh floor ceil round mod hypot sign
 *   step, sin cos tan (of an angle or a number), asin acos atan atan2 (give an angle),
 *   if(condition, a, b), unwrap(angle); pi and tau unless a name of the model hides them
 *
 * Units are checked while compiling. Adding a bare number to one with a unit is an error (zero is
 * not: it is the same in all units); see base/units.h for what is said about rad.
 */
#ifndef KL_SCRIPT_EXPRESSION_H
#define KL_SCRIPT_EXPRESSION_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/units.h"

typedef struct kl_expression kl_expression;

/* The names an expression may use. */
typedef struct kl_symbols {
    const void *context;
    /* True when `name` is known; sets its index into `values`, its dimension and whether it is a
     * bare number. */
    bool (*find)(const void *context, const char *name, int *index, kl_dim *dim, bool *bare);
    const char *const *(*names)(const void *context); /* for suggestions, may be NULL */
} kl_symbols;

/* Compiles `text`, whose first character is at `place`. `symbols` may be NULL: no names. The
 * result lives in `arena`. On failure one error is in `diag`, with the column inside the text. */
kl_status kl_expression_compile(const char *text, kl_place place, const kl_symbols *symbols,
                                kl_arena *arena, kl_diag *diag, kl_expression **out);

/* The value in SI units; no allocation. `values` by index of the symbols; `memory` holds
 * kl_expression_nmemory doubles that start zeroed and is written by unwrap(); may be NULL if that
 * is 0. */
double kl_expression_eval(const kl_expression *e, const double *values, double *memory);

kl_dim kl_expression_dim(const kl_expression *e);
bool   kl_expression_bare(const kl_expression *e);
int    kl_expression_nmemory(const kl_expression *e);
/* Is it a number already, with no name in it? */
bool kl_expression_constant(const kl_expression *e);
/* Indices of the symbols it reads, each once, in order of appearance; writes at most `capacity`,
 * returns how many there are. */
int kl_expression_symbols(const kl_expression *e, int *index, int capacity);

/* Value, first and second derivative by x of an expression whose symbol 0 is x and whose symbol i
 * is u[i-1], held: exact, no allocation. unwrap() does nothing here; at a corner the branch taken
 * counts. */
void kl_expression_derivatives(const kl_expression *e, double x, const double *u, double out[3]);

/* A number that changes when another branch is taken: of a comparison, if, abs, min, max, mod,
 * floor, sign or step. Where it does not change, the expression is smooth. */
unsigned long kl_expression_branch(const kl_expression *e, double x, const double *u);
/* Does it have branches at all? */
bool kl_expression_branches(const kl_expression *e);

/* One number at once: compiles, evaluates with `values`, and refuses a result that is not finite.
 */
kl_status kl_expression_number(const char *text, kl_place place, const kl_symbols *symbols,
                               const double *values, kl_diag *diag, kl_quantity *out);

/* The functions it knows, NULL-terminated; for documentation and suggestions. */
const char *const *kl_expression_functions(void);

#endif
