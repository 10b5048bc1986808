/* Where a part of a model stands: a frame, and perhaps a mirror.
 *
 * A point p of the part comes to  r + R S p,  S = diag(1, .., -1, ..) with the -1 at the mirrored
 * axis. A mirrored body keeps right-handed axes: a point u of it comes to S u in its own axes, its
 * rotation A to R S A S, its inertia J to S J S. A velocity is an arrow, R S v; an angular velocity
 * turns the other way, -R S w.
 *
 * Where nothing is turned or mirrored nothing is computed, so that a part at the origin gives the
 * same bits as the same lines without a part. */
#ifndef KL_MODEL_PLACEMENT_H
#define KL_MODEL_PLACEMENT_H

#include <stdbool.h>

#include "base/vec.h"

typedef struct kl_placement {
    kl_vec3 r;
    kl_mat3 R;
    bool    turned;   /* R is not the identity */
    bool    mirrored; /* then `mirror` is 0, 1 or 2 */
    int     mirror;
} kl_placement;

static inline kl_placement kl_placement_none(void) { return (kl_placement){.R = kl_identity()}; }

/* S p */
static inline kl_vec3 kl_mirror(const kl_placement *p, kl_vec3 a)
{
    if (!p->mirrored) return a;
    double x[3];
    kl_store(x, a);
    x[p->mirror] = -x[p->mirror];
    return kl_load(x);
}

/* S A S */
static inline kl_mat3 kl_mirror_tensor(const kl_placement *p, const kl_mat3 *A)
{
    kl_mat3 B = *A;
    for (int i = 0; p->mirrored && i < 3; i++)
        for (int j = 0; j < 3; j++)
            if ((i == p->mirror) != (j == p->mirror)) B.m[i][j] = -B.m[i][j];
    return B;
}

/* R S a */
static inline kl_vec3 kl_place_arrow(const kl_placement *p, kl_vec3 a)
{
    a = kl_mirror(p, a);
    return p->turned ? kl_mul(&p->R, a) : a;
}

static inline kl_vec3 kl_place_point(const kl_placement *p, kl_vec3 a)
{
    return kl_add(p->r, kl_place_arrow(p, a));
}

/* An angular velocity, a torque, the axis of a turn: -R S a when mirrored. */
static inline kl_vec3 kl_place_turn(const kl_placement *p, kl_vec3 a)
{
    a = kl_place_arrow(p, a);
    return p->mirrored ? kl_neg(a) : a;
}

/* R S A S */
static inline kl_mat3 kl_place_rotation(const kl_placement *p, const kl_mat3 *A)
{
    kl_mat3 B = kl_mirror_tensor(p, A);
    return p->turned ? kl_matmul(&p->R, &B) : B;
}

/* What is at `inner` in a part that is at `outer`: outer after inner. */
static inline kl_placement kl_placement_chain(const kl_placement *outer, const kl_placement *inner)
{
    kl_placement p = *outer;
    p.r            = kl_place_point(outer, inner->r);
    p.R            = kl_place_rotation(outer, &inner->R);
    p.turned       = outer->turned || inner->turned;
    /* R1 S1 R2 S2 = (R1 S1 R2 S1) S1 S2; two mirrors are half a turn about the third axis, S1 S2 */
    if (inner->mirrored && !outer->mirrored) {
        p.mirrored = true;
        p.mirror   = inner->mirror;
    } else if (inner->mirrored) {
        p.mirrored = false;
        if (outer->mirror != inner->mirror) {
            kl_mat3 S                         = kl_identity();
            S.m[outer->mirror][outer->mirror] = S.m[inner->mirror][inner->mirror] = -1.0;
            p.R      = kl_matmul(&p.R, &S);
            p.turned = true;
        }
    }
    return p;
}

#endif
