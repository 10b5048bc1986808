/* Stress of a reduced body over a run, from its modal coordinates:
 *
 *   sigma(p, t) = sum_j S_j(p) w_j(t)
 *
 * at the points that the body file keeps (stress/position). Order xx yy zz xy yz zx, body axes. */
#ifndef KL_POST_STRESS_H
#define KL_POST_STRESS_H

#include "klingel/status.h"
#include "post/fatigue.h"
#include "reduce/kbody.h"

/* Modal coordinates over time. */
typedef struct kl_modal_run {
    const kl_kbody *body;
    /* n: which of the body's modes each coordinate is, -1: rigid motion only; NULL: the first n */
    const int    *mode;
    int           n, rows;
    const double *time; /* rows */
    const double *w;    /* rows x n, row by row */
    /* n x 6 or NULL: rigid motion that a coordinate adds to its mode, where the model chose another
     * frame than the file: shift of the centre of mass, then turn about it */
    const double *rigid;
} kl_modal_run;

/* The one number that cycles are counted of. */
typedef enum kl_stress_measure {
    KL_MEASURE_VON_MISES, /* with the sign of the trace */
    KL_MEASURE_PRINCIPAL, /* the principal stress of largest size, with its sign */
    KL_MEASURE_CRITICAL_PLANE, /* the normal stress of the plane with the largest damage (critical_plane.h) */
} kl_stress_measure;
extern const char *const kl_measure_words[]; /* in its order, NULL at the end */

/* What happened at a point. */
typedef struct kl_hot_spot {
    int    point;
    double von_mises, time; /* the largest, and when */
    double stress[6];       /* then */
    double least, most;     /* of the measure */
    double damage;          /* of the run; NaN without a curve */
} kl_hot_spot;

/* "node 17", "node 17 top", "node 17 ply 2 bottom", "element 5 fibre 3" */
enum { KL_POINT_NAME = 64 };
const char *kl_stress_point_name(const kl_kbody *b, int point, char text[KL_POINT_NAME]);

double kl_von_mises(const double s[6]);
/* With the sign of the trace: tension positive. What cycles are counted of. */
double kl_signed_von_mises(const double s[6]);
/* Principal stresses, largest first. */
void kl_principal(const double s[6], double p[3]);

/* Stress (or strain) at a point for one row of modal coordinates. */
void kl_stress_at(const kl_modal_run *r, int point, const double *w, double stress[6]);
void kl_strain_at(const kl_modal_run *r, int point, const double *w, double strain[6]);
/* How a point moved from its position in the undeformed body, seen from the floating frame: a
 * node of the skin, or a marker (translation; `turned`, unless NULL, its small rotation). */
void kl_skin_moved(const kl_modal_run *r, int node, const double *w, double moved[3]);
void kl_marker_moved(const kl_modal_run *r, const kl_kbody_marker *m, const double *w,
                     double moved[3], double *turned);

/* The history of one point: rows of six. */
void kl_stress_history(const kl_modal_run *r, int point, double *stress);

/* All points of the body into `spot` (r->body->stress.n). `curve` may be NULL. Memory grows with
 * the rows and with the points, not with their product. */
kl_status kl_stress_envelope(const kl_modal_run *r, kl_stress_measure measure,
                             const kl_sn_curve *curve, kl_hot_spot *spot);
/* The worst first: by damage where it was asked for, else by von Mises stress. */
void kl_hot_spots_sort(kl_hot_spot *spot, int n);
/* Of all n spots, sorted, the local maxima to the front: points that have no worse one within
 * `apart` [m]; how many were found, at most `most`. Points that nothing happens at are left out. */
int kl_hot_spots_pick(const kl_kbody *b, kl_hot_spot *spot, int n, double apart, int most);
/* A twentieth of the diagonal of the box around the points, or one and a half mean edges of the
 * surface where that is more, so that neighbours are compared on coarse meshes too [m]. */
double kl_hot_spots_apart(const kl_kbody *b);

#endif
