/* Fatigue by the critical plane: cycles are counted of the normal stress of a fixed plane through the point,
 *
 *   s(t) = n' sigma(t) n,
 *
 * and the plane counts on which it does the most damage. The planes are perpendicular to the surface: their normals n lie in the
 * plane of the two larger eigenvectors of sum_j var(w_j) S_j^2, because on a free surface the traction on the third vanishes. They are
 * turned by 10 degrees from one to the next, so that the stress is found to cos^2(5 degrees), 0.8 %.
 *
 * s(t) is smooth. The von Mises stress with the sign of the trace, and the principal stress of largest size, jump between tension
 * and compression where a point is mainly sheared; each jump adds a false cycle, and more rows find more of them. */
#ifndef KL_POST_CRITICAL_PLANE_H
#define KL_POST_CRITICAL_PLANE_H

#include "klingel/status.h"
#include "post/stress.h"

enum { KL_PLANES = 18 };

/* Memory of one search after the other. */
typedef struct kl_plane_room {
    double   *variance; /* n: of each coordinate over the run */
    double   *modes;    /* n x KL_PLANES: normal stress per unit of each coordinate */
    double   *history;  /* rows x KL_PLANES */
    double   *one;      /* rows: of one plane */
    double   *scratch;  /* rows */
    kl_cycle *cycles;   /* rows */
} kl_plane_room;

kl_status kl_plane_room_make(const kl_modal_run *r, kl_plane_room *room);
void      kl_plane_room_free(kl_plane_room *room);

/* Sets `least`, `most` and, with a curve, `damage` of the spot from its critical plane; without a curve it is the plane with the
 * largest range of stress. */
void kl_critical_plane(const kl_modal_run *r, const kl_sn_curve *curve, kl_plane_room *room,
                       kl_hot_spot *spot);

#endif
