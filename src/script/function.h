/* Functions of one variable x (time or a displacement) and of named inputs u, with two derivatives
 * by x. Made once in an arena, then const: evaluation allocates nothing.
 *
 * A constructor returns NULL when the arena has failed or, where it takes a diag, after saying what
 * is wrong with its data.
 */
#ifndef KL_SCRIPT_FUNCTION_H
#define KL_SCRIPT_FUNCTION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/spline.h"
#include "base/text.h"
#include "script/expression.h"

typedef struct kl_function kl_function;

/* Value, first and second derivative by x. `u` may be NULL if the function has no inputs. */
void kl_function_eval(const kl_function *f, double x, const double *u, double out[3]);

kl_function *kl_function_constant(kl_arena *a, double value);
/* c[0] + c[1] x + c[2] x^2 + ... */
kl_function *kl_function_polynomial(kl_arena *a, const double *c, int n);
/* offset + amplitude sin(omega x + phase) */
kl_function *kl_function_harmonic(kl_arena *a, double offset, double amplitude, double omega,
                                  double phase);
/* Through points: a C2 spline or straight lines; the end values hold outside. */
kl_function *kl_function_table(kl_arena *a, const double *x, const double *y, int n, bool smooth,
                               kl_diag *diag, kl_place place);
/* The same with a choice of what follows outside. Linear ends suit a force law: smooth means a monotone C1
 * curve then, which continues with the secant of its last two points. */
kl_function *kl_function_table_ends(kl_arena *a, const double *x, const double *y, int n,
                                    bool smooth, kl_spline_ends ends, kl_diag *diag,
                                    kl_place place);
/* From y0 up to x0 to y1 from x1 on, by a quintic: C2. x0 == x1 gives a jump. */
kl_function *kl_function_step(kl_arena *a, double x0, double y0, double x1, double y1);
/* u[index]. Its derivatives by time are u[*count + index] and u[2 *count + index]; `count` NULL: they
 * are zero. Expressions take inputs as held. */
kl_function *kl_function_input(kl_arena *a, int index, const int *count);
/* An expression whose symbol 0 is x and whose symbol i is u[i-1]; `e` and `text`, which it was
 * compiled from, must live as long. Its corners (of if, abs, min, ...) are not known to
 * kl_function_corners; kl_function_branch shows when one was passed. */
kl_function *kl_function_expression(kl_arena *a, const kl_expression *e, const char *text);
kl_function *kl_function_sum(kl_arena *a, kl_function *const *parts, int n);

/* Abscissae where a derivative jumps (points of linear tables, ends of tables and steps), for
 * restarts of an integrator. Ascending, each once. Writes at most `capacity`; returns how many
 * there are, or with too small a capacity a number that is enough. */
int kl_function_corners(const kl_function *f, double *x, int capacity);

/* A number that changes where the function has a corner that kl_function_corners does not know. */
unsigned long kl_function_branch(const kl_function *f, double x, const double *u);
/* Has it such corners? */
bool kl_function_branches(const kl_function *f);

/* May it begin to change without prior indication? True of expressions. */
bool kl_function_hides(const kl_function *f);

/* Is x outside the points of a table? `range`: its first and last point. Other functions have no
 * range. */
bool kl_function_outside(const kl_function *f, double x, double range[2]);

/* Appends the function as a model file writes it; `inputs` names u. */
void kl_function_write(const kl_function *f, const char *const *inputs, kl_text *t);

/* A further kind of function: its table and its data, which must outlive it. `corners` as above and
 * may be NULL: none. */
typedef struct kl_function_type {
    const char *name;
    void (*eval)(const void *data, double x, const double *u, double out[3]);
    int (*corners)(const void *data, double *x, int capacity);
    void (*write)(const void *data, const char *const *inputs, kl_text *t);
    /* (optional, both or neither) see kl_function_branch */
    unsigned long (*branch)(const void *data, double x, const double *u);
    bool (*branches)(const void *data);
    /* (optional) first and last point of what it was made from */
    void (*range)(const void *data, double range[2]);
} kl_function_type;
kl_function *kl_function_create(kl_arena *a, const kl_function_type *type, const void *data);

#endif
