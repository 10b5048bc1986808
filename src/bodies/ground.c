/* Ground: a body without coordinates. Its markers do not move. */
#include "bodies/bodies.h"

static kl_status ground_setup(void *data, const kl_setup *s, kl_body_size *size)
{
    (void)data, (void)s;
    *size = (kl_body_size){0};
    return KL_OK;
}

static void ground_start(const void *data, double *q, double *v, unsigned char *held_position,
                         unsigned char *held_velocity)
{
    (void)data, (void)q, (void)v, (void)held_position, (void)held_velocity;
}

static void ground_set(const void *data, const double *x, void *c) { (void)data, (void)x, (void)c; }

static void ground_advance(const void *data, const double *q, const double *dx, double *q_new)
{
    (void)data, (void)q, (void)dx, (void)q_new;
}

static void ground_pose(const void *data, const void *c, const kl_marker *marker, kl_motion *m)
{
    (void)data, (void)c;
    m->r = marker->r;
    m->A = marker->A;
}

static void ground_twist(const void *data, const void *c, const kl_marker *marker, kl_motion *m)
{
    (void)data, (void)c, (void)marker;
    m->v = m->w = m->a0 = m->al0 = kl_vec(0, 0, 0);
}

static void ground_map(const void *data, const void *c, const kl_marker *marker, double *B)
{
    (void)data, (void)c, (void)marker, (void)B;
}

static void ground_pull(const void *data, const void *c, const kl_marker *marker,
                        const double wrench[6], double *g)
{
    (void)data, (void)c, (void)marker, (void)wrench, (void)g;
}

static void ground_inertia(const void *data, const void *c, double *M, double *s)
{
    (void)data, (void)c, (void)M, (void)s;
}

static void ground_measures(const void *data, const void *c, kl_measures *m)
{
    (void)data, (void)c;
    *m = (kl_measures){0};
}

static const kl_key ground_keys[] = {{0}};

const kl_body_type kl_ground = {.name          = "ground",
                                .help          = "the fixed body",
                                .keys          = ground_keys,
                                .setup         = ground_setup,
                                .start         = ground_start,
                                .position      = ground_set,
                                .velocity      = ground_set,
                                .advance       = ground_advance,
                                .pose          = ground_pose,
                                .twist         = ground_twist,
                                .map           = ground_map,
                                .map_rate      = ground_map,
                                .pull          = ground_pull,
                                .add_geometric = ground_pull,
                                .inertia       = ground_inertia,
                                .measures      = ground_measures};
