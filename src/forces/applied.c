/* Applied force and torque on one marker, along the marker's z axis as it is now (`follows: true`)
 * or as it stood at the start: wrench = value(t) direction. */
#include <string.h>

#include "forces/forces.h"
#include "script/function.h"

typedef struct applied {
    kl_function *value;
    bool         follows;
    kl_vec3      direction; /* global, at the start */
    int          block;     /* 0: force, 3: moment */
} applied;

static const int on_force = 0, on_torque = 3;

static kl_status applied_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                               kl_element_size *size)
{
    (void)nmarker, (void)size;
    applied *p   = data;
    p->direction = kl_axis(&m[0].A, 2);
    p->block     = *(const int *)s->traits;
    return KL_OK;
}

static double value_at(const applied *p, const kl_reading *in)
{
    double f[3];
    kl_function_eval(p->value, in->t, in->u, f);
    return f[0];
}

static kl_status applied_eval(const kl_reading *in, kl_writing *out)
{
    const applied *p = in->data;
    kl_vec3        e = p->follows ? kl_axis(&in->m[0].A, 2) : p->direction,
            w        = kl_scale(value_at(p, in), e);
    kl_store(out->wrench + p->block, w);
    out->supply = kl_dot(w, p->block == 0 ? in->m[0].v : in->m[0].w);
    return KL_OK;
}

static void applied_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const applied *p = in->data;
    if (!p->follows) return;
    /* dtheta x w = -[w] dtheta */
    kl_mat3 S = kl_skew(kl_scale(value_at(p, in), kl_axis(&in->m[0].A, 2)));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out->K[(p->block + i) * 6 + 3 + j] -= S.m[i][j];
}

static void applied_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    values[0] = value_at(in->data, in);
}

#define FOLLOWS                                                                                    \
    {                                                                                              \
        .name = "follows", .kind = KL_KEY_FLAG, .offset = offsetof(applied, follows),              \
        .fallback = "false",                                                                       \
        .help     = "the direction rotates with the body instead of being fixed in space"          \
    }
static const kl_key    force_keys[]     = {{.name   = "value",
                                            .kind   = KL_KEY_FUNCTION,
                                            .offset = offsetof(applied, value),
                                            .unit   = "N",
                                            .help   = "force along the axis as a function of time"},
                                           FOLLOWS,
                                           {0}};
static const kl_key    torque_keys[]    = {{.name   = "value",
                                            .kind   = KL_KEY_FUNCTION,
                                            .offset = offsetof(applied, value),
                                            .unit   = "N m",
                                            .help   = "torque about the axis as a function of time"},
                                           FOLLOWS,
                                           {0}};
static const kl_output force_outputs[]  = {{"value", "N", "force along the axis"}, {0}};
static const kl_output torque_outputs[] = {{"value", "N m", "torque about the axis"}, {0}};

const kl_element_type kl_force = {
    .name = "force",
    .help = "force at a point of a body; its direction is fixed in space or rotates with the body",
    .equation  = "f = value(t) axis",
    .example   = "wind: {type: force, on: car, at: [0, 0, 2], axis: y, value: 2 kN}",
    .keys      = force_keys,
    .outputs   = force_outputs,
    .attach    = &kl_attach_one,
    .data_size = sizeof(applied),
    .traits    = &on_force,
    .setup     = applied_setup,
    .eval      = applied_eval,
    .tangent   = applied_tangent,
    .output    = applied_output};
const kl_element_type kl_torque = {
    .name      = "torque",
    .help      = "torque on a body; its direction is fixed in space or rotates with the body",
    .equation  = "n = value(t) axis",
    .example   = "motor: {type: torque, on: crank, axis: z, value: 0.033 N m}",
    .keys      = torque_keys,
    .outputs   = torque_outputs,
    .attach    = &kl_attach_one,
    .axial     = "",
    .turns     = 1,
    .data_size = sizeof(applied),
    .traits    = &on_torque,
    .setup     = applied_setup,
    .eval      = applied_eval,
    .tangent   = applied_tangent,
    .output    = applied_output};
