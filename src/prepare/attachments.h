/* Where joints and forces hold on to flexible bodies, and how well the chosen modes answer there. */
#ifndef KL_PREPARE_ATTACHMENTS_H
#define KL_PREPARE_ATTACHMENTS_H

#include "model/model.h"

/* A marker of a reduced body that an element holds on to, with the loads it can bring: wrenches at
 * the marker's node, in body axes, for unit reactions (joints) or unit forces. */
typedef struct kl_attachment {
    int body, element;
    int marker; /* of the reduced body */
    int n;
    double (*load)[6];
    bool turns; /* it is there to bring a moment: a torque, a spring about an axis */
} kl_attachment;

/* Does a load push or only turn? */
bool kl_attachment_is_force(const double load[6]);

/* All of a frozen model, in its initial position. The list lives in `arena`. */
kl_status kl_attachments_find(const kl_model *m, kl_arena *arena, kl_attachment **list, int *n);

/* Of the give of a marker under one of these loads: what the modes miss, over the largest give of
 * that marker under a unit force or moment of the same kind, whatever its direction. */
double kl_attachment_omitted(const double *full, const double *reduced, int wide, int marker,
                             const double load[6]);

/* Warns, once a marker, where the modes miss more than a fifth: under forces, and under moments of
 * what is there to bring them. A joint that keeps a rod from twisting is seldom there to twist it. */
kl_status kl_attachments_check(const kl_model *m, kl_diag *diag);

#endif
