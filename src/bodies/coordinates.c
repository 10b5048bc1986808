/* Coordinates of an element's own: one to three numbers without mass, such as the arc length along
 * a path or the parameters of a surface. Its only marker shows the numbers as a position and their
 * rates as a velocity, so that elements see them as they see everything else:
 *
 *   r = x,  v = x',  M = 0,  B = [I; 0] (6 x n)
 *
 * Not in the catalogue: elements ask for it through `own` in their table. M is singular there; the
 * constraint that reads the coordinate holds it. */
#include <string.h>

#include "bodies/bodies.h"

typedef kl_coordinates_data coordinates;

typedef struct coordinates_cache {
    int     n;
    kl_vec3 x, v;
} coordinates_cache;

static kl_status coordinates_setup(void *data, const kl_setup *s, kl_body_size *size)
{
    (void)s;
    int n = ((const coordinates *)data)->n;
    *size = (kl_body_size){0};
    kl_size_add(size, KL_SCALARS, n, n);
    return KL_OK;
}

static void coordinates_start(const void *data, double *q, double *v, unsigned char *held_position,
                              unsigned char *held_velocity)
{
    (void)data, (void)q, (void)v, (void)held_position, (void)held_velocity;
}

static kl_vec3 load(const double *x, int n)
{
    return kl_vec(x[0], n > 1 ? x[1] : 0.0, n > 2 ? x[2] : 0.0);
}

static void coordinates_position(const void *data, const double *q, void *c)
{
    coordinates_cache *k = c;
    k->n                 = ((const coordinates *)data)->n;
    k->x                 = load(q, k->n);
}

static void coordinates_velocity(const void *data, const double *v, void *c)
{
    ((coordinates_cache *)c)->v = load(v, ((const coordinates *)data)->n);
}

static void coordinates_advance(const void *data, const double *q, const double *dx, double *q_new)
{
    for (int i = 0; i < ((const coordinates *)data)->n; i++) q_new[i] = q[i] + dx[i];
}

static void coordinates_pose(const void *data, const void *c, const kl_marker *marker, kl_motion *m)
{
    (void)data, (void)marker;
    m->r = ((const coordinates_cache *)c)->x;
    m->A = kl_identity();
}

static void coordinates_twist(const void *data, const void *c, const kl_marker *marker,
                              kl_motion *m)
{
    (void)data, (void)marker;
    m->v = ((const coordinates_cache *)c)->v;
    m->w = m->a0 = m->al0 = kl_vec(0, 0, 0);
}

static void coordinates_map(const void *data, const void *c, const kl_marker *marker, double *B)
{
    (void)c, (void)marker;
    int n = ((const coordinates *)data)->n;
    memset(B, 0, 6 * (size_t)n * sizeof *B);
    for (int i = 0; i < n; i++) B[i * n + i] = 1.0;
}

static void coordinates_map_rate(const void *data, const void *c, const kl_marker *marker,
                                 double *W)
{
    (void)c, (void)marker;
    memset(W, 0, 6 * (size_t)((const coordinates *)data)->n * sizeof *W);
}

static void coordinates_pull(const void *data, const void *c, const kl_marker *marker,
                             const double wrench[6], double *g)
{
    (void)c, (void)marker;
    for (int i = 0; i < ((const coordinates *)data)->n; i++) g[i] += wrench[i];
}

static void coordinates_add_geometric(const void *data, const void *c, const kl_marker *marker,
                                      const double wrench[6], double *K)
{
    (void)data, (void)c, (void)marker, (void)wrench, (void)K;
}

static void coordinates_inertia(const void *data, const void *c, double *M, double *s)
{
    (void)c;
    size_t n = (size_t)((const coordinates *)data)->n;
    memset(M, 0, n * n * sizeof *M);
    memset(s, 0, n * sizeof *s);
}

static void coordinates_measures(const void *data, const void *c, kl_measures *m)
{
    (void)data, (void)c;
    *m = (kl_measures){0};
}

static const kl_key no_keys[] = {{0}};

const kl_body_type kl_coordinates = {.name          = "coordinates",
                                     .help          = "internal coordinates of an element",
                                     .keys          = no_keys,
                                     .data_size     = sizeof(coordinates),
                                     .cache_size    = sizeof(coordinates_cache),
                                     .setup         = coordinates_setup,
                                     .start         = coordinates_start,
                                     .position      = coordinates_position,
                                     .velocity      = coordinates_velocity,
                                     .advance       = coordinates_advance,
                                     .pose          = coordinates_pose,
                                     .twist         = coordinates_twist,
                                     .map           = coordinates_map,
                                     .map_rate      = coordinates_map_rate,
                                     .pull          = coordinates_pull,
                                     .add_geometric = coordinates_add_geometric,
                                     .inertia       = coordinates_inertia,
                                     .measures      = coordinates_measures};
