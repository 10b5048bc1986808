/* Parts of the flexible body that its files share: data, cache, and who computes what.
 *
 * b = x + X w in the body frame; symbols of docs/theory/flexible.md. Arrays with three rows are
 * stored mode after mode: entry (a, j) of S1 is S1[3 * j + a]; n is the number of modes. */
#ifndef KL_BODIES_FLEXIBLE_H
#define KL_BODIES_FLEXIBLE_H

#include <string.h>

#include "bodies/node_frame.h"
#include "model/interface.h"
#include "reduce/kbody.h"

enum { FLEXIBLE_AS_IN_FILE, FLEXIBLE_MEAN_AXIS, FLEXIBLE_PRINCIPAL_AXIS };
enum { FLEXIBLE_ELIMINATED, FLEXIBLE_CONSTRAINED };
enum { FLEXIBLE_FIELDS = 12 }; /* e_c, then e_c x_d: see flexible_second.c */

/* A frame on nodes that elements may hold on to, from a marker of the reduced body. */
typedef struct flexible_frame {
    const char   *name;
    kl_node_frame kind;
    kl_vec3       position; /* undeformed, in the body */
    double       *X;        /* 3 x n: translation */
    double       *Y;        /* n x kind, mode after mode: how y follows w */
    double       *X2, *Y2;  /* n x 3 x n or NULL: X + sum_i w_i X2_i, Y + sum_i w_i Y2_i */
    double        y0[6];
    kl_mat3       start; /* transposed axes of the undeformed frame */
} flexible_frame;

struct flexible_skin_point;

typedef struct flexible {
    /* as given */
    kl_reduced file;
    int        deforms;             /* 0: the same body, rigid; 2: nonlinear; else modal */
    int        strain;              /* of a nonlinear body: kl_strain_kind */
    int        mass_matrix;         /* of a nonlinear body: 0 lumped, 1 consistent */
    double     count, up_to, share; /* choice of modes; NaN: all */
    kl_list    chosen;
    double     damping, rayleigh[2];
    double     position[3];
    kl_mat3    orientation;
    double     velocity[3], omega[3];
    int        velocity_axes; /* 0: global, 1: body */
    kl_list    deformation, deformation_rate;
    int        fixed; /* bits: position, orientation, velocity, omega, deformation */
    bool       stiffening;
    int        reference, conditions, attach, start;
    /* S-N curve of its material or detail, for `klingel stress`; range NaN: none */
    double sn_range, sn_cycles, sn_slope, sn_knee, sn_slope_after, ultimate;
    int    mean_stress; /* kl_mean_rule */

    /* derived */
    int  n;
    int *mode; /* n: which of the file's; -1: a rigid motion behind them */
    /* n x 6 or NULL: rigid motion that the chosen reference adds to each mode of the file: shift of
     * the centre of mass, turn about it. For the viewer and the stress of the deformed body */
    double *rigid;
    double  m;
    kl_vec3 s0;
    kl_mat3 J0;
    double *S1, *H0; /* 3 x n */
    double *S2;      /* n x 3 x n or NULL: S = s0 + S1 w + w'S2 w/2 */
    /* stiffening, or NULL: n x 12 x n, sum m F.Y of the second-order motion Y and the fields F; the
     * body without it, in mean axes */
    double          *second;
    struct flexible *plain;
    double          *G0;        /* 9 x n */
    double          *J2;        /* n x 9 x n: block i, mode j: J2_ji by rows */
    double          *H1, *H1t;  /* n x 3 x n: block i, mode j: H1_i[:, j] and H1_j[:, i] */
    double          *M, *K, *D; /* n x n: mass, stiffness, damping of the modes */
    bool             diagonal;  /* K and D are */
    int              nframe;
    unsigned char   *used; /* nframe: an element is attached to it */
    flexible_frame  *frame;
    bool             reframed;        /* the file holds nodes, the frame follows mean axes */
    bool             conditioned;     /* rigid motions are among the modes, conditions hold them */
    kl_mat3          principal;       /* columns: principal axes of the undeformed body */
    kl_vec3          spread;          /* products of inertia times this are angles */
    kl_mat3          central_inverse; /* of the inertia about the centre of mass */
    double           gyration;        /* radius of gyration about the reference point [m] */
    double           first; /* its lowest natural frequency [rad/s]; 0: it does not deform */
    double           largest_inertia;   /* largest principal moment of J0 [kg m2] */
    struct nonlinear_mesh       *nodes; /* of a nonlinear body (nonlinear.c) */
    struct flexible_skin_point **skin;  /* of each node of the skin that is held; NULL: none is */
    double                      *none;  /* 3 n zeros: nodes of the skin do not turn */
} flexible;

/* A velocity of the frame, or its momentum. */
typedef struct flexible_screw {
    kl_vec3 v, om;
} flexible_screw;

/* One frame in the current state, body axes. */
typedef struct flexible_frame_cache {
    kl_vec3 b, b_rate; /* its position; X w' */
    kl_mat3 R;         /* rotation since the undeformed body */
    kl_vec3 u, u_rate; /* angular velocity E w' and what is left of its rate at w'' = 0 */
    double  y[6], y_rate[6], G[18];
    /* X and Y of this state, and what is left of the rates at w'' = 0 */
    const double *X, *Y;
    kl_vec3       b_bias, y_bias;
} flexible_frame_cache;

/* A node of the skin: a frame that moves with the modes and does not turn. */
typedef struct flexible_skin_point {
    flexible_frame       f;
    flexible_frame_cache rest;
} flexible_skin_point;

typedef struct flexible_cache {
    kl_vec3                r, v, om; /* om body-fixed */
    kl_mat3                A;
    kl_vec3                S, S_rate, S_bias; /* S_rate = S1 w', S_bias: of its rate at w'' = 0 */
    kl_mat3                J;
    double                *w, *w_rate;     /* n */
    double                *S1, *H;         /* 3 x n */
    double                *G;              /* 9 x n: G0_j + sum_i w_i J2_ji */
    double                *H_rate, *H_lag; /* 3 x n: sum_i w'_i H1_i, and sum_i w'_i H1_j[:, i] */
    double                *E;              /* 3 x n: of the marker whose matrix is made, u = E w' */
    double                *scratch;        /* 9 n: sum_i w'_i J2_ki of the tangents */
    flexible_screw        *along;          /* n: see flexible_second.c */
    double                *second;         /* nframe x 6 x n: X and Y with second-order motion */
    flexible_frame_cache  *frame;          /* nframe */
    struct flexible_cache *inner;          /* stiffening: state of the plain body */
} flexible_cache;

size_t flexible_cache_bytes(const flexible *p);
void   flexible_place(void *data, const kl_placement *p);

/* flexible_setup.c: refuses negative Rayleigh coefficients */
kl_status flexible_check_damping(const flexible *p, const kl_setup *s);

extern const kl_key       kl_flexible_keys[];
extern const kl_body_type kl_nonlinear; /* with `flexible: nonlinear` */

/* flexible_inertia.c */
void    flexible_position_inertia(const flexible *p, flexible_cache *c);
void    flexible_velocity_inertia(const flexible *p, flexible_cache *c);
void    flexible_inertia(const void *data, const void *c, double *M, double *s);
void    flexible_inertia_tangent(const void *data, const void *c, const double *a, double *K,
                                 double *C);
void    flexible_turn_rates(const flexible *p, const flexible_cache *c);
kl_mat3 flexible_inertia_rate(const flexible *p, const flexible_cache *c);
void    flexible_measures(const void *data, const void *c, kl_measures *m);

/* flexible_second.c */
kl_status flexible_second_setup(flexible *p, kl_arena *arena);
void      flexible_add_second(int n, const double *second, double sign, double *J2, double *H1,
                              double *H1t);
void      flexible_second_inertia(const flexible *p, const flexible_cache *c, double *M, double *s);
double    flexible_second_energy(const flexible *p, const flexible_cache *c);
void flexible_second_tangent(const flexible *p, const flexible_cache *c, const double *a, double *K,
                             double *C);

/* flexible_marker.c */
void flexible_position_frames(const flexible *p, flexible_cache *c);
void flexible_velocity_frames(const flexible *p, flexible_cache *c);
void flexible_pose(const void *data, const void *c, const kl_marker *marker, kl_motion *m);
void flexible_twist(const void *data, const void *c, const kl_marker *marker, kl_motion *m);
void flexible_map(const void *data, const void *c, const kl_marker *marker, double *B);
void flexible_map_rate(const void *data, const void *c, const kl_marker *marker, double *W);
void flexible_pull(const void *data, const void *c, const kl_marker *marker, const double wrench[6],
                   double *g);
void flexible_add_geometric(const void *data, const void *c, const kl_marker *marker,
                            const double wrench[6], double *K);

/* frames on three nodes that come onto a line */
void flexible_watch(const void *data, const double *q, kl_notice *notice);

/* flexible_rigid.c: the body with its rigid motions as modes n .. n + 5, each of unit modal mass */
kl_status flexible_extend(flexible *p, kl_arena *arena);

/* flexible_reference.c: the frame of the reference conditions is marker KL_MARKER_CONDITIONS */
kl_status flexible_refer(flexible *p, const kl_setup *s);
kl_status flexible_to_mean_axes(flexible *p, kl_arena *arena);
void      flexible_condition_pose(const flexible *p, const flexible_cache *c, kl_motion *m);
void      flexible_condition_twist(const flexible *p, const flexible_cache *c, kl_motion *m);
void      flexible_condition_map(const flexible *p, const flexible_cache *c, double *B);
void      flexible_condition_map_rate(const flexible *p, const flexible_cache *c, double *W);
void flexible_condition_pull(const flexible *p, const flexible_cache *c, const double wrench[6],
                             double *g);
void flexible_watch_conditions(const flexible *p, const double *w, kl_notice *notice);
void flexible_condition_geometric(const flexible *p, const flexible_cache *c,
                                  const double wrench[6], double *K);

/* flexible_setup.c */
kl_status flexible_setup(void *data, const kl_setup *s, kl_body_size *size);
kl_status flexible_attach(void *data, const kl_setup *s, kl_marker *marker);

/* flexible_skin.c: makes the point of a node of the skin; where it is in body axes */
kl_status flexible_attach_skin(flexible *p, const kl_setup *s, int node);
kl_vec3   flexible_skin_place(const flexible *p, const flexible_cache *c, int node);

/* what ties the frame in the body file; FLEXIBLE_AS_IN_FILE: nodes that it holds */
static inline int flexible_file_reference(const flexible *p)
{
    const char *word = p->file.body->reference;
    return strcmp(word, "mean-axis") == 0        ? FLEXIBLE_MEAN_AXIS
           : strcmp(word, "principal-axis") == 0 ? FLEXIBLE_PRINCIPAL_AXIS
                                                 : FLEXIBLE_AS_IN_FILE;
}

/* what ties the frame in the model */
static inline int flexible_reference_of(const flexible *p)
{
    return p->reference == FLEXIBLE_AS_IN_FILE ? flexible_file_reference(p) : p->reference;
}

/* mass of the modes beside what momentum takes: see flexible_second.c */
static inline const double *flexible_modal_mass(const flexible *p)
{
    return p->plain ? p->plain->M : p->M;
}

/* y += a x, long enough to be worth a loop of its own */
static inline void flexible_add(int n, double a, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] += a * x[i];
}

/* y += sum_i a_i x_i over n blocks of `size` numbers that follow each other; four at a time, so that y is
 * read and written a quarter as often */
static inline void flexible_add_blocks(int n, int size, const double *a, const double *restrict x,
                                       double *restrict y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4, x += 4 * size) {
        const double *b = x + size, *c = b + size, *d = c + size;
        for (int k = 0; k < size; k++)
            y[k] += (a[i] * x[k] + a[i + 1] * b[k]) + (a[i + 2] * c[k] + a[i + 3] * d[k]);
    }
    for (; i < n; i++, x += size)
        for (int k = 0; k < size; k++) y[k] += a[i] * x[k];
}

static inline kl_mat3 flexible_mat3(const double *p)
{
    return (kl_mat3){{{p[0], p[1], p[2]}, {p[3], p[4], p[5]}, {p[6], p[7], p[8]}}};
}

/* sum m F x G of two fields, from W = sum m F G' */
static inline kl_vec3 flexible_cross_of(const kl_mat3 *W)
{
    return kl_vec(W->m[1][2] - W->m[2][1], W->m[2][0] - W->m[0][2], W->m[0][1] - W->m[1][0]);
}

static inline kl_vec3 flexible_axis(int a) { return kl_vec(a == 0, a == 1, a == 2); }

static inline kl_vec3 flexible_centre_of(const flexible *p) { return kl_scale(1.0 / p->m, p->s0); }

/* inertia about the centre of mass */
static inline kl_mat3 flexible_central(const flexible *p)
{
    kl_vec3 c  = flexible_centre_of(p);
    kl_mat3 cc = kl_outer(c, c), t = kl_inertia_of_moments(&cc);
    return kl_mat_axpy(-p->m, &t, &p->J0);
}

#endif
