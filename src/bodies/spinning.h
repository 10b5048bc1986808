/* What a body with a spin axis keeps of its position and velocity, and the frame of its markers that do
 * not spin. */
#ifndef KL_BODIES_SPINNING_H
#define KL_BODIES_SPINNING_H

#include "bodies/rigid.h"

/* Frame of markers that do not spin. */
typedef struct level {
    kl_vec3 N, K, J;
    double  t;
    kl_mat3 G;   /* body axes without spin to global */
    kl_vec3 arm; /* of the marker, global */
} level;

typedef struct spinning_cache {
    kl_vec3 r, v;
    kl_mat3 F, R, A; /* A = F R */
    kl_mat3 J;       /* about the reference point, axes of F */
    kl_vec3 S;       /* m c, axes of F */
    double  phi;
    kl_vec3 om, g0;          /* axes of F */
    double  s;               /* n.om */
    level   flat;            /* for markers with `spins: false`, without arm */
    kl_vec3 flat_w, flat_al; /* its angular velocity, and acceleration at om' = 0 */
} spinning_cache;

kl_status spinning_setup(void *data, const kl_setup *s, kl_body_size *size);

/* The frame of markers with `spins: false`, from k->F. */
level level_frame(const rigid *p, const spinning_cache *k);
/* How that frame turns, from k->om. */
void level_rates(spinning_cache *k);
/* The frame with the arm of one of its markers. */
level level_of(const spinning_cache *k, const kl_marker *marker);
/* As the functions of kl_body_type, for such a marker. */
void level_twist(const spinning_cache *k, const kl_marker *marker, kl_motion *m);
void level_map(const spinning_cache *k, const level *l, double *B);
void level_map_rate(const spinning_cache *k, const level *l, double *W);
void level_pull(const spinning_cache *k, const level *l, const double wrench[6], double *g);
void level_add_geometric(const spinning_cache *k, const level *l, const double wrench[6],
                         double *K);

#endif
