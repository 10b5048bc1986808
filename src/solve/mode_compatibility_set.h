/* What the search for joints that no mode can follow is made of: rows on one body, sets of reactions
 * that no mode answers to, what they lock, and all that in words. */
#ifndef KL_SOLVE_MODE_COMPATIBILITY_SET_H
#define KL_SOLVE_MODE_COMPATIBILITY_SET_H

#include "solve/mode_compatibility.h"

/* Rows of constraints on one body. */
typedef struct kl_compatibility_rows {
    int      n, nv;
    int      frame, turn;    /* columns of the frame, before those of modes; its first rotation */
    int     *element, *row;  /* n: whose */
    int     *partner;        /* n: the body at the other end; -1: several, or it itself */
    int     *point;          /* n: of the body, by number */
    kl_vec3 *force, *moment; /* n: what a unit reaction does to the body at its point, global */
    double  *scale;          /* n: of the row */
    double  *unit;           /* nv: of the coordinates */
    double  *J;              /* n x nv, in these units and scaled: of unit size on rigid motion */
    int      npoint;
    kl_vec3 *at; /* npoint: where, global */
} kl_compatibility_rows;

/* One body under analysis. */
typedef struct kl_compatibility_search {
    kl_solver            *x;
    kl_arena             *a;
    int                   body;
    kl_compatibility_rows all;     /* on the body */
    kl_compatibility_rows r;       /* those that are looked at now */
    int                   partner; /* at their other end; -1: several */
    double               *Y;       /* nset x r.n: each no mode answers to, of largest entry 1 */
    int                   nset;
    kl_incompatibility   *list;
    int                   n;
} kl_compatibility_search;

/* What a lock is made of. `bends` (nset): which sets have a curvature and so take part. */
typedef struct kl_compatibility_lock {
    int     locked, naxis; /* as in kl_incompatibility */
    kl_vec3 axis[3], spin;
    bool   *bends;
} kl_compatibility_lock;

/* Curvature of all sets on what the joints to the partner leave free, and what it locks. */
kl_status kl_compatibility_find_lock(kl_compatibility_search *k, kl_compatibility_lock *lock);

/* "no mode of 'rod' can follow joint L along x against joint R along x (to stretch it)": the sets
 * whose mark is `yes`. */
void kl_incompatibility_describe(const kl_compatibility_search *k, const bool *mark, bool yes,
                                 kl_incompatibility *f);
/* "This locks the turn of 'rod' about y ..." */
void kl_incompatibility_describe_lock(const kl_compatibility_search *k, kl_incompatibility *f);

/* Rows of A (n x width) to reduced echelon form: pivots 1, alone in their columns, columns in turn
 * from the first. The same is done to the rows of B (n x also), which may be NULL. Returns how many
 * pivots there are; rows without one come last. */
int kl_row_echelon(int n, int width, double *A, int also, double *B);

#endif
