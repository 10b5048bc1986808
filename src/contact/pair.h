/* Which pairs of shapes can touch, and where: nearest or deepest points of a pair.
 *
 * Each pair has a way of search:
 *
 *   core    one shape is a point, a line, a circle or a patch with a radius round it; the signed
 *           distance of the other is smallest at the contact. All local minima are found: from a net
 *           of places, then by bisection (line, circle) or Newton's method (patch) on the
 *           orthogonality conditions (Ambrosio 2019, eq. 1.23; Craveiro Neto 2020, eq. 3.24).
 *   plane   corners and rim points of the other shape
 *   normal  the largest s(n) = n.(c2 - c1) - h1(n) - h2(-n) over directions n, h: support function.
 *           Positive: distance; negative: shortest way out. Newton's method on the sphere.
 *   convex  the same for shapes with flat parts: GJK and expanding polytope, then the corners of the
 *           faces that meet
 *   hole    a pin inside a cylinder: one contact at each end of what they share
 *   mesh    edges and corners of a mesh against the signed distance of the other shape
 *
 * Results are in the order of their keys and depend on nothing but the arguments. */
#ifndef KL_CONTACT_PAIR_H
#define KL_CONTACT_PAIR_H

#include "contact/contact_shape.h"

enum { KL_PAIR_SPOTS = 16 };

/* One place where two shapes are nearest or overlap most. Global axes. */
typedef struct kl_spot {
    double  gap;     /* [m]; negative: penetration */
    kl_vec3 p1, p2;  /* on shape 1 and shape 2; p2 - p1 = gap n */
    kl_vec3 n;       /* unit, from shape 1 to shape 2 */
    int     key;     /* 0 .. KL_PAIR_SPOTS - 1: the same place as before has the same key */
    double  at[2];   /* parameters of the search */
    double  foot[2]; /* of a general surface as shape 2: parameters of p2 */
    int     part[2]; /* of chains of arcs: which arcs touch, from 0 */
    bool    idle;    /* the end of an arc beyond which the chain is deeper: no contact of its own */
} kl_spot;

typedef struct kl_spots {
    int     n;
    kl_spot item[KL_PAIR_SPOTS];
} kl_spots;

typedef struct kl_pair {
    const kl_solid *a, *b;
    kl_pose         A, B;
} kl_pair;

typedef struct kl_pair_row {
    kl_solid_kind a, b;
    const char   *way; /* of search */
    /* `warm`: what was found at a place near by, where search may begin; NULL: search everywhere */
    void (*find)(const kl_pair *p, const kl_spots *warm, kl_spots *out);
} kl_pair_row;

extern const kl_pair_row kl_pair_rows[]; /* ended by find NULL */

/* The row of a pair of kinds, and whether they are in the other order; NULL: they cannot touch. */
const kl_pair_row *kl_pair_row_of(const kl_solid *a, const kl_solid *b, bool *swapped);

/* Finds all touches, those of the pair with the smallest gap first only if the table says so. */
void kl_pair_find(const kl_pair *p, const kl_spots *warm, kl_spots *out);

/* The one with the smallest gap; NULL: none. */
const kl_spot *kl_spots_nearest(const kl_spots *t);

/* Are the keys of this pair numbers in the order in which places were found? They change where a place comes or
 * goes, or passes the start of a circle: kl_spots_keep_keys. */
bool kl_pair_numbers_places(const kl_solid *a, const kl_solid *b);

/* Gives the places of `to` the keys of those in `from` nearest to them, a little earlier; new places get free keys
 * below `slots`, the deepest first. */
void kl_spots_keep_keys(const kl_spots *from, int slots, kl_spots *to);

/* Curvatures of the gap, A x^2 + B y^2 [1/m], for kl_hertz_stiffness; 0 where a shape is sharp. */
void kl_pair_curvature(const kl_pair *p, const kl_spot *t, double *A, double *B);

/* Number of slices of a pin for a relative error of its stiffness against tilting, see pair_hole.c; 0: the
 * error is not in the range that 1 to KL_PAIR_SPOTS slices have. */
int kl_pair_slices(double error);

/* Number of keys of way `convex`: one for each edge of two faces that meet, and one for the deepest point. */
int kl_pair_convex_keys(const kl_solid *a, const kl_solid *b);

/* the ways of search */
void kl_pair_core(const kl_pair *p, const kl_spots *warm, kl_spots *out);
void kl_pair_chain(const kl_pair *p, const kl_spots *warm, kl_spots *out);
void kl_pair_plane(const kl_pair *p, const kl_spots *warm, kl_spots *out);
void kl_pair_normal(const kl_pair *p, const kl_spots *warm, kl_spots *out);
void kl_pair_convex(const kl_pair *p, const kl_spots *warm, kl_spots *out);
void kl_pair_hole(const kl_pair *p, const kl_spots *warm, kl_spots *out);
void kl_pair_mesh(const kl_pair *p, const kl_spots *warm, kl_spots *out);

/* helpers of the ways of search */
static inline kl_vec3 kl_pose_point(const kl_pose *P, kl_vec3 x)
{
    return kl_add(P->r, kl_mul(&P->A, x));
}
static inline kl_vec3 kl_pose_local(const kl_pose *P, kl_vec3 x)
{
    return kl_mul_t(&P->A, kl_sub(x, P->r));
}
void kl_spots_add(kl_spots *t, const kl_spot *item);

#endif
