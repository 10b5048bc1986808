/* Symmetric matrices with a narrow profile: long structures numbered from one end to the other.
 *
 * Row i holds the entries from column first[i] to i. Factors keep that profile, so that storage,
 * factorization and solution cost grow linearly with the length of the structure. */
#ifndef KL_ALGEBRA_SKYLINE_H
#define KL_ALGEBRA_SKYLINE_H

#include "base/arena.h"
#include "klingel/status.h"

typedef struct kl_skyline {
    int     n;
    int    *first; /* n: first column of each row */
    int    *start; /* n: value[start[i] + j] is the entry (i, j), first[i] <= j <= i */
    int     size;  /* number of values */
    double *value;
} kl_skyline;

/* A zero matrix; `first` is copied. Memory belongs to the arena: ask kl_arena_ok(). */
kl_skyline kl_skyline_create(kl_arena *arena, int n, const int *first);

/* Entry (i, j), i >= j, inside the profile. */
static inline double *kl_skyline_at(const kl_skyline *A, int i, int j)
{
    return &A->value[A->start[i] + j];
}

/* y += A x */
void kl_skyline_multiply(const kl_skyline *A, const double *x, double *y);

/* A = L D L' in place. KL_E_SINGULAR with the row in *bad (unless NULL) when a pivot is not
 * positive: the structure can move freely there. */
kl_status kl_skyline_factor(kl_skyline *A, int *bad);

/* x <- A^-1 x, with the factors. */
void kl_skyline_solve(const kl_skyline *A, double *x);

/* The same for a right-hand side that is zero outside [*from, *to): entries of the solution below
 * `share` of the largest one are cut off on both sides, and the interval grows to what remains, but
 * not beyond [low, high). Only x[low] to x[high - 1] are touched; outside the interval they must be
 * zero. */
typedef struct kl_window {
    int    low, high;
    double share;
} kl_window;
void kl_skyline_solve_window(const kl_skyline *A, double *x, kl_window w, int *from, int *to);

#endif
