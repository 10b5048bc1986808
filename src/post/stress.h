/* Stress of a reduced body over a run, from its modal coordinates:
 *
 *   sigma(p, t) = sum_j S_j(p) w_j(t)
 *
 * at the points that the body file keeps (stress/position). Order xx yy zz xy yz zx, body axes. */
#ifndef KL_POST_STRESS_H
#define KL_POST_STRESS_H

#include "fe/kbody.h"
#include "klingel/status.h"
#include "post/fatigue.h"

/* Modal coordinates over time. */
typedef struct kl_modal_run {
    const kl_kbody *body;
    const int      *mode; /* n: which of the body's modes each coordinate is; NULL: the first n */
    int             n, rows;
    const double   *time; /* rows */
    const double   *w;    /* rows x n, row by row */
} kl_modal_run;

/* What happened at a point. */
typedef struct kl_hot_spot {
    int    point;
    double von_mises, time; /* the largest, and when */
    double stress[6];       /* then */
    double least, most;     /* of the signed von Mises stress, its sign that of the trace */
    double damage;          /* of the run; NaN without a curve */
} kl_hot_spot;

double kl_von_mises(const double s[6]);
/* With the sign of the trace: tension positive. What cycles are counted of. */
double kl_signed_von_mises(const double s[6]);
/* Principal stresses, largest first. */
void kl_principal(const double s[6], double p[3]);

/* Stress (or strain) at a point for one row of modal coordinates. */
void kl_stress_at(const kl_modal_run *r, int point, const double *w, double stress[6]);
void kl_strain_at(const kl_modal_run *r, int point, const double *w, double strain[6]);
/* How a point of the skin moved from where it stands in the undeformed body. */
void kl_skin_moved(const kl_modal_run *r, int node, const double *w, double moved[3]);

/* The history of one point: rows of six. */
void kl_stress_history(const kl_modal_run *r, int point, double *stress);

/* All points of the body into `spot` (r->body->stress.n). `curve` may be NULL. */
kl_status kl_stress_envelope(const kl_modal_run *r, const kl_sn_curve *curve, kl_hot_spot *spot);
/* The worst first: by damage where it was asked for, else by von Mises stress. */
void kl_hot_spots_sort(kl_hot_spot *spot, int n);

#endif
