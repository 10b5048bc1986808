/* Motion of a catenary about its static shape: Newmark's average acceleration with one factored
 * matrix, slack droppers and contact forces as a small problem on top.
 *
 * With d~ and v~ predicted from the last step (Ambrosio, multidisciplinary multibody, eq. 24 to 26):
 *   A a = -C v~ - K d~ + sum E_j p_j + sum b_c F_c,   A = M + dt/2 C + dt^2/4 K
 * A holds every dropper taut and never changes. The displacement that a unit pair of forces causes,
 * z_j = dt^2/4 A^-1 E_j, dies out within some metres, so each z_j is kept as a short column.
 *
 * Newmark's rule takes (T_n + T_n+1)/2 as the tension of a dropper during a step. One that goes slack
 * or taut within it thereby gains or loses energy, the more the stiffer it is. Droppers that are stiff
 * for the step take the tension that keeps the energy instead: (U_n+1 - U_n)/(s_n+1 - s_n), U = k/2
 * max(0, s)^2 with the stretch s (discrete gradient; Gonzalez 1996). */
#ifndef KL_CATENARY_MOTION_H
#define KL_CATENARY_MOTION_H

#include "catenary/line.h"
#include "model/interface.h"

/* Part of a displacement field that is zero outside [from, from + n). */
typedef struct kl_column {
    int     from, n;
    double *value;
} kl_column;

typedef struct kl_stepper {
    const kl_line *line;
    kl_arena      *arena;
    double         dt;     /* [s] */
    kl_skyline     A;      /* factored */
    kl_column     *column; /* ndropper: displacement by a unit of p */
    double        *own;    /* ndropper: stretch of each dropper by its own column [m/N] */
    bool          *stiff;  /* ndropper: takes the tension that keeps the energy */
    int            widest; /* of all columns, contacts included */
} kl_stepper;

/* Factors the matrix of a step; everything lives in the arena. */
kl_status kl_stepper_create(const kl_line *line, double dt, kl_arena *arena, kl_diag *diag,
                            kl_stepper **out);

/* State of a line: d, v, a (ndof each), then of the droppers (ndropper each) p, and stretch and p at
 * the start of the step. */
int kl_stepper_state_size(const kl_line *line);

/* Where something pushes the wire: the place at the end of the step, the force's influence. */
typedef struct kl_push {
    const kl_line_wire *wire;
    kl_wire_point       at;
    double              force;     /* [N] upwards on the wire */
    double              influence; /* own displacement by a unit force [m/N] */
    kl_column           column;
} kl_push;

/* First half of a step: predicts and solves without pushes; all droppers as taut. */
void kl_stepper_free_step(const kl_stepper *s, double *state);
/* The influence of a push (push->at is set). Its column takes `room`, stepper->widest numbers. */
void kl_stepper_influence(const kl_stepper *s, kl_push *push, double *room);

/* What finds the force of a push from the displacement `w` and rate of the wire there that all
 * others cause: it must satisfy its law with w + influence F. */
typedef double (*kl_push_law)(void *context, int push, double w, double slope);

/* Second half: forces of pushes by `law` (NULL: as they are) and droppers that go slack, iterated until
 * displacements change by less than `tolerance`; then the state of the end of the step. The number
 * of iterations, or -1 when it did not converge. */
int kl_stepper_finish(const kl_stepper *s, double *state, kl_push *push, int npush, kl_push_law law,
                      void *context, double tolerance);

/* The first part of kl_stepper_finish: displacements and forces of droppers only. */
int kl_stepper_settle(const kl_stepper *s, double *state, kl_push *push, int npush, kl_push_law law,
                      void *context, double tolerance);
/* Takes kl_stepper_settle back: `state` again is as kl_stepper_free_step made it of `before`. */
void kl_stepper_undo_settle(const kl_stepper *s, const double *before, double *state);

/* Tension of dropper j at this state [N]. */
double kl_stepper_dropper_force(const kl_line *line, const double *state, int j);
/* Kinetic and strain energy about the static shape, slack droppers seen to [J]. `scratch`: ndof. */
double kl_stepper_energy(const kl_stepper *s, const double *state, double *scratch);

/* All wires as a field; the values at a displacement `d` (ndof). */
kl_status kl_line_field(const kl_line *line, kl_arena *arena, kl_field *out);
void      kl_line_field_values(const kl_line *line, const double *d, double *rise, double *pull);

#endif
