/* The constraint rows of all elements by the velocities of bodies, scaled so that their rank means
 * something: lengths over the model's length, each row of unit size. */
#ifndef KL_SOLVE_SCALED_ROWS_H
#define KL_SOLVE_SCALED_ROWS_H

#include "algebra/rank.h"
#include "dynamics/work.h"

/* Rows of one element by the velocities of its bodies, lengths over the model's length, each row of
 * unit size. */
typedef struct kl_element_rows {
    int     n, width; /* bodies, columns */
    int    *body, *at;
    double *values; /* nphi x width */
} kl_element_rows;

typedef struct kl_scaled_rows {
    kl_arena        *arena;
    kl_element_rows *element;
    double          *column; /* nv: physical increment of a scaled unit */
    double          *row;    /* nlam: scaled row over physical row */
} kl_scaled_rows;

/* At the state last evaluated in `w`. What was made lives in J->arena, also after a failure. */
kl_status kl_scaled_rows_create(const kl_model *m, const kl_work *w, kl_scaled_rows *J);

/* Rank of Phi_q; the null space is that of velocities. */
kl_status kl_rank_by_bodies(const kl_model *m, const kl_scaled_rows *J, kl_rank **out);

/* Rank of Phi_q'; the null space is that of multipliers. Taken in the order of the model where that
 * is affordable, so that it is the later of two rows that repeats the earlier. */
kl_status kl_rank_by_elements(const kl_model *m, const kl_scaled_rows *J, kl_rank **out);

#endif
