/* Groups of coordinates: what each part of a body's coordinates is, so that no solver counts "the
 * first three are translation".
 *
 * A body type lists its groups in `setup` (kl_size_add). Everyone else asks here. Indices of a group
 * that these functions return count through the whole model: s->q[g.q], s->v[g.v]. */
#ifndef KL_MODEL_GROUPS_H
#define KL_MODEL_GROUPS_H

#include "model/model.h"

/* What all groups of a kind have in common. */
typedef struct kl_group_traits {
    const char        *name;
    const char        *unit, *rate; /* of a coordinate and of its velocity */
    bool               length;  /* the model's length counts as one, else one radian or a plain 1 */
    bool               gravity; /* a uniform acceleration of the frame acts on it */
    bool               vector;  /* three components, which turn with the axes they are seen from */
    const char *const *part;    /* names of the components of a vector; NULL: they are counted */
} kl_group_traits;

const kl_group_traits *kl_group_traits_of(kl_group_kind kind);

/* The group of this kind; nv is 0 where the body has none. */
kl_group kl_body_group(const kl_body *b, kl_group_kind kind);
/* The group that velocity v (counted through the model) of the body belongs to. */
kl_group kl_body_group_at(const kl_body *b, int v);

static inline bool kl_body_moves(const kl_body *b)
{
    return kl_body_group(b, KL_TRANSLATION).nv > 0;
}
static inline bool kl_body_turns(const kl_body *b) { return kl_body_group(b, KL_ROTATION).nv > 0; }
static inline int  kl_body_modes(const kl_body *b) { return kl_body_group(b, KL_MODAL).nv; }
/* Does it deform? */
static inline bool kl_body_deforms(const kl_body *b) { return kl_body_modes(b) > 0; }

/* out (nv of the body) = a - gravity on the coordinates that gravity acts on; a NULL: zero. `a`
 * counts through the model. */
void kl_body_without_gravity(const kl_model *m, const kl_body *b, const double *a, double *out);

/* The axes of the rotational velocities of a body with this cache; those of the body frame unless
 * its type says otherwise. */
kl_axes kl_body_axes(const kl_body *b, const void *cache);

/* Turns a body with these coordinates until its frame has the axes A (to global); q (nq of the body)
 * is changed in place. `cache`: scratch, b->ncache bytes. */
void kl_body_turn_to(const kl_body *b, double *q, const kl_mat3 *A, void *cache);

/* Axis that the axes of its rotation do not follow it about, in these axes; zero: none. */
kl_vec3 kl_body_spin(const kl_body *b);

/* How fast anything on the body goes round at velocities v, counted through the model [rad/s]: its
 * angular velocity, or that of its spin axis where nothing shows how far it has spun. */
double kl_body_turn_rate(const kl_body *b, const double *v);

/* "wheelset.turn_x", "beam.mode_3": a name for velocity v, counted through the model. NULL when out
 * of memory. */
const char *kl_velocity_name(const kl_model *m, int v, kl_arena *arena);

#endif
