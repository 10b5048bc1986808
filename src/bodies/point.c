/* Point mass: three coordinates, no rotation. Its markers keep their axes.
 *
 *   M = m I,  B = [I; 0] */
#include <string.h>

#include "bodies/bodies.h"
#include "bodies/point.h"
#include "model/model.h"

typedef struct point_cache {
    kl_vec3 r, v;
} point_cache;

static void point_place(void *data, const kl_placement *p)
{
    point *b = data;
    kl_store(b->position, kl_place_point(p, kl_load(b->position)));
    kl_store(b->velocity, kl_place_arrow(p, kl_load(b->velocity)));
}

static kl_status point_setup(void *data, const kl_setup *s, kl_body_size *size)
{
    (void)data, (void)s;
    *size = (kl_body_size){0};
    kl_size_add(size, KL_TRANSLATION, 3, 3);
    return KL_OK;
}

static kl_status point_attach(void *data, const kl_setup *s, kl_marker *marker)
{
    (void)data;
    double beside = kl_norm(marker->r);
    if (beside > 0.0 && beside > 1e-9 * (s->model ? kl_model_extent(s->model, false) : 0.0))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "'%s' is a point mass, so joints and forces must attach at its position, "
                       "not %g m away; for an arm use a rigid body with an inertia",
                       s->name, beside);
    marker->r = kl_vec(0, 0, 0); /* rounding of the numbers written */
    return KL_OK;
}

static void point_start(const void *data, double *q, double *v, unsigned char *held_position,
                        unsigned char *held_velocity)
{
    const point *p = data;
    memcpy(q, p->position, sizeof p->position);
    memcpy(v, p->velocity, sizeof p->velocity);
    memset(held_position, p->fixed & 1, 3);
    memset(held_velocity, (p->fixed >> 1) & 1, 3);
}

static void point_position(const void *data, const double *q, void *c)
{
    (void)data;
    ((point_cache *)c)->r = kl_load(q);
}

static void point_velocity(const void *data, const double *v, void *c)
{
    (void)data;
    ((point_cache *)c)->v = kl_load(v);
}

static void point_advance(const void *data, const double *q, const double *dx, double *q_new)
{
    (void)data;
    for (int i = 0; i < 3; i++) q_new[i] = q[i] + dx[i];
}

static void point_pose(const void *data, const void *c, const kl_marker *marker, kl_motion *m)
{
    (void)data;
    m->r = ((const point_cache *)c)->r;
    m->A = marker->A;
}

static void point_twist(const void *data, const void *c, const kl_marker *marker, kl_motion *m)
{
    (void)data, (void)marker;
    m->v = ((const point_cache *)c)->v;
    m->w = m->a0 = m->al0 = kl_vec(0, 0, 0);
}

static void point_map(const void *data, const void *c, const kl_marker *marker, double *B)
{
    (void)data, (void)c, (void)marker;
    memset(B, 0, 18 * sizeof *B);
    B[0] = B[4] = B[8] = 1.0;
}

static void point_map_rate(const void *data, const void *c, const kl_marker *marker, double *W)
{
    (void)data, (void)c, (void)marker;
    memset(W, 0, 18 * sizeof *W);
}

static void point_pull(const void *data, const void *c, const kl_marker *marker,
                       const double wrench[6], double *g)
{
    (void)data, (void)c, (void)marker;
    for (int i = 0; i < 3; i++) g[i] += wrench[i];
}

static void point_add_geometric(const void *data, const void *c, const kl_marker *marker,
                                const double wrench[6], double *K)
{
    (void)data, (void)c, (void)marker, (void)wrench, (void)K;
}

static void point_inertia(const void *data, const void *c, double *M, double *s)
{
    (void)c;
    const point *p = data;
    memset(M, 0, 9 * sizeof *M);
    memset(s, 0, 3 * sizeof *s);
    M[0] = M[4] = M[8] = p->mass;
}

static void point_measures(const void *data, const void *c, kl_measures *m)
{
    const point       *p        = data;
    const point_cache *k        = c;
    kl_vec3            momentum = kl_scale(p->mass, k->v);
    *m                          = (kl_measures){.mass    = p->mass,
                                                .center  = k->r,
                                                .p       = momentum,
                                                .L       = kl_cross(k->r, momentum),
                                                .kinetic = 0.5 * kl_dot(momentum, k->v)};
}

static const kl_key point_keys[] = {
    {.name   = "mass",
     .kind   = KL_KEY_NUMBER,
     .offset = offsetof(point, mass),
     .unit   = "kg",
     .min    = 0,
     .max    = 1e300,
     .help   = "mass; 0 is allowed only if joints determine the motion of the point"},
    {.name     = "position",
     .kind     = KL_KEY_NUMBERS,
     .offset   = offsetof(point, position),
     .unit     = "m",
     .size     = 3,
     .fallback = "[0, 0, 0]",
     .help     = "initial position, global"},
    {.name     = "velocity",
     .kind     = KL_KEY_NUMBERS,
     .offset   = offsetof(point, velocity),
     .unit     = "m/s",
     .size     = 3,
     .fallback = "[0, 0, 0]",
     .help     = "initial velocity, global"},
    {.name     = "fixed",
     .kind     = KL_KEY_WORDS,
     .offset   = offsetof(point, fixed),
     .words    = "position velocity",
     .fallback = "[]",
     .help     = "initial values that assembly must keep; the others are initial guesses"},
    {0}};

const kl_body_type kl_point = {.name          = "point",
                               .help          = "point mass: three coordinates, no rotation",
                               .example       = "bob: {type: point, mass: 0.5 kg, "
                                                "position: [1, 0, 0]}",
                               .keys          = point_keys,
                               .data_size     = sizeof(point),
                               .cache_size    = sizeof(point_cache),
                               .stiff_axes    = true,
                               .place         = point_place,
                               .setup         = point_setup,
                               .attach        = point_attach,
                               .start         = point_start,
                               .position      = point_position,
                               .velocity      = point_velocity,
                               .advance       = point_advance,
                               .pose          = point_pose,
                               .twist         = point_twist,
                               .map           = point_map,
                               .map_rate      = point_map_rate,
                               .pull          = point_pull,
                               .add_geometric = point_add_geometric,
                               .inertia       = point_inertia,
                               .measures      = point_measures};
