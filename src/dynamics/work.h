/* Scratch for one thread, and the stages that fill it: bodies -> markers -> elements -> M, Phi, g.
 *
 * Nothing here is worth saving: everything follows from the model and a state. Sizes are fixed when
 * the work area is made; no stage allocates. Each stage takes (model, state, work) and writes only
 * to the last. A stage runs only when a number that it reads has changed since it ran last
 * (stages.c), so asking twice costs nothing. */
#ifndef KL_DYNAMICS_WORK_H
#define KL_DYNAMICS_WORK_H

#include "model/model.h"

typedef struct kl_work {
    kl_arena *arena;

    /* what the stages have done, and the numbers that they read */
    unsigned  done;
    double    t;                  /* [s] */
    double   *seen;               /* q, v, z, h, u, one after the other as in a kl_state */
    kl_status located, evaluated; /* how the position stage and the elements ended */

    double *u; /* inputs at t, their rates and second derivatives: written by kl_eval_position */

    /* motion: r and A written by kl_eval_position, the rest by kl_eval_motion */
    unsigned char *cache;  /* of all bodies */
    kl_motion     *motion; /* nmarker */

    /* caches of all elements: of the present position, written by kl_eval_position, and of the last
     * accepted step, written by kl_commit_history */
    unsigned char *element_cache, *accepted;

    /* elements: written by kl_eval_elements */
    double *phi, *phi_t; /* nlam: constraints [m, rad, ...] and their partial time derivative */
    double *rows;        /* nrows: phi' = rows V + phi_t */
    double *bias;        /* nlam: phi'' = rows V' + bias */
    double *wrench;      /* 6 nmarker: applied [N, N m] */
    double *z_dot;       /* nz */
    double *energy, *loss, *supply; /* nelement: [J], [W], [W] */
    double *spent;                  /* nelement: dissipated since the start by yielding [J] */
    unsigned char *quiet;   /* nmarker: of an element that is asleep, velocities are not needed */
    int            culprit; /* element that could not be evaluated, or -1 */
    unsigned char *near;    /* scratch: nbody, bodies that elements of a part hold on to */

    /* inertia: written by kl_eval_inertia */
    double *M; /* nM: mass matrices of the bodies */
    double *s; /* nv: velocity terms */

    /* sums: written by kl_eval_residual */
    double *g;     /* nv: all applied forces and reactions */
    double *total; /* 6 nmarker: wrench - rows' lambda */
    double *free;  /* scratch: accelerations of one body less gravity */
    double *map;   /* scratch: map of one marker, 6 x nv of its body */
    double *fresh; /* scratch: new history of one element */
} kl_work;

kl_work *kl_work_create(const kl_model *m); /* NULL when out of memory */
void     kl_work_destroy(kl_work *w);
void    *kl_work_cache(const kl_model *m, const kl_work *w, int body);

/* As new: every stage runs again, caches of elements are zero. For checkpoints, and after a change
 * of the model's own data. */
void kl_work_invalidate(const kl_model *m, kl_work *w);

/* The stages. Each runs those before it first. */
/* r and A of all markers at the state's t and q, and the position stage of elements. KL_RETRY: an
 * element found no answer; w->culprit is its index. */
kl_status kl_eval_position(const kl_model *m, const kl_state *s, kl_work *w);
/* Velocities too. */
kl_status kl_eval_motion(const kl_model *m, const kl_state *s, kl_work *w);
/* Elements. KL_RETRY or KL_E_NAN leave the index of the element in w->culprit. */
kl_status kl_eval_elements(const kl_model *m, const kl_state *s, kl_work *w);
/* M and s at the motion last evaluated. */
void kl_eval_inertia(const kl_model *m, kl_work *w);
/* All of them. */
kl_status kl_eval(const kl_model *m, const kl_state *s, kl_work *w);

/* For rows: motion of all bodies and of wanted points, and of the elements only those with a flag;
 * `measures`: mass, momentum and energy of the bodies too. What the stages have done is forgotten. */
kl_status kl_eval_flagged(const kl_model *m, const kl_state *s, kl_work *w,
                          const unsigned char *which, bool measures);

/* Of a model evaluated before only the bodies with a flag: M and s of them and all elements that hold on to
 * them. Other bodies and elements keep what they were evaluated with; z' of those elements does not change.
 * `count`: elements evaluated. What the stages have done is forgotten. */
kl_status kl_eval_part(const kl_model *m, const kl_state *s, kl_work *w, const unsigned char *part,
                       int *count);
/* Does an element hold on to one of the bodies with a flag? */
bool kl_element_is_in(const kl_model *m, const kl_element *e, const unsigned char *part);
/* r = M a - s - g + Phi_q' lambda of these bodies, and zero for the others. lambda NULL: zero. */
void kl_eval_part_residual(const kl_model *m, kl_work *w, const unsigned char *part,
                           const double *a, const double *lambda, double *r);

/* r = M a - s - g + Phi_q' lambda, nv. lambda NULL: zero. */
void kl_eval_residual(const kl_model *m, kl_work *w, const double *a, const double *lambda,
                      double *r);
/* Of this the wrenches w->total alone, for whoever reads forces. */
void kl_eval_totals(const kl_model *m, kl_work *w, const double *lambda);
/* rate = Phi_q v + Phi_t, nlam: how fast the constraints are left at the state's velocities. */
void kl_eval_rate(const kl_model *m, const kl_work *w, double *rate);
/* Is constraint k of an element a length [m], or an angle? Its rows decide; coordinates of the
 * element's own, such as the length along a track, only where nothing else is in them. */
bool kl_eval_is_length(const kl_model *m, const kl_work *w, const kl_element *e, int k);
/* out += Phi_q' l, nv. */
void kl_eval_rows_pull(const kl_model *m, const kl_work *w, const double *l, double *out);
/* gamma of Phi_q v' = gamma, nlam. */
void kl_eval_gamma(const kl_model *m, const kl_work *w, double *gamma);

/* One reading of an element; all its numbers are borrowed. */
kl_reading kl_reading_of(const kl_model *m, const kl_state *s, const kl_work *w,
                         const kl_element *e);
/* A step ends at this state: the history of all elements into h_new, nh (it may be s->h), and their
 * caches into the accepted ones. */
void kl_commit_history(const kl_model *m, const kl_state *s, kl_work *w, double *h_new);
/* The same where all elements have just been evaluated at a position that differs by no more than what Newton's
 * method leaves over. Only elements with history or crossings are located again; the caches of others, from
 * which their next search starts, stay as they are. */
void kl_commit_history_near(const kl_model *m, const kl_state *s, kl_work *w, double *h_new);
/* Velocities too of a state that was committed in one of these ways; of any other as kl_eval_motion. */
kl_status kl_eval_committed(const kl_model *m, const kl_state *s, kl_work *w);

/* Of these the caches alone, at the position last evaluated: a step was given back. */
void kl_accept_caches(const kl_model *m, kl_work *w);

/* Power that elements and bodies dissipate at the last evaluated state [W]. */
double kl_eval_loss(const kl_model *m, const kl_work *w);

typedef struct kl_energy {
    double kinetic, potential; /* potential: gravity and springs [J] */
    double spent;              /* dissipated by yielding since the start [J] */
    double loss, supply;       /* powers [W]; supply: actuators, applied loads and drivers */
} kl_energy;
/* At the last evaluated state; lambda gives the power of drivers. */
kl_energy kl_eval_energy(const kl_model *m, const kl_work *w, const double *lambda);

#endif
