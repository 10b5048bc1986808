/* Coupler: coordinates of two joints keep a ratio, x2 - ratio x1 = const: gears, belts, rack and
 * pinion, levers.
 *
 * Markers 0, 1 are those of the first joint, 2, 3 those of the second. */
#include <string.h>

#include "joints/coordinate.h"
#include "joints/joints.h"

typedef struct coupler {
    int    first, second; /* coordinate of each joint */
    double ratio;         /* dx2/dx1 */
    double target;        /* x2 - ratio x1 at the start */
} coupler;

static const kl_coordinate coordinates[] = {{KL_ANGLE, 0, 0}, {KL_DOT2, 2, 0}};

static void coupler_scalars(const coupler *p, const kl_motion *m, const double *h, kl_scalar *x1,
                            kl_scalar *x2)
{
    kl_coordinate_eval(coordinates[p->first], m, h[0], x1);
    kl_coordinate_eval(coordinates[p->second], m + 2, h[1], x2);
}

static kl_status coupler_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                               kl_element_size *size)
{
    (void)nmarker;
    coupler *p = data;
    if (p->ratio == 0.0)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "joint '%s': ratio is 0, which only fixes the second coordinate; use a "
                       "`driver` with a constant value instead",
                       s->name);
    kl_scalar x1, x2;
    coupler_scalars(p, m, s->turn, &x1, &x2);
    p->target  = x2.x - p->ratio * x1.x;
    size->nphi = 1;
    size->nh   = 2;
    return KL_OK;
}

static kl_status coupler_eval(const kl_reading *in, kl_writing *out)
{
    const coupler *p = in->data;
    kl_scalar      x1, x2;
    coupler_scalars(p, in->m, in->h, &x1, &x2);
    out->phi[0] = x2.x - p->ratio * x1.x - p->target;
    for (int i = 0; i < 12; i++) {
        out->rows[i]      = -p->ratio * x1.row[i];
        out->rows[12 + i] = x2.row[i];
    }
    if (out->bias) out->bias[0] = x2.bias - p->ratio * x1.bias;
    return KL_OK;
}

/* Phi = x2 - ratio x1, so that dw/dq = -lambda (d2x2/dq2 - ratio d2x1/dq2): one block for each joint. */
static void coupler_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    const coupler *p = in->data;
    double         K[2][144];
    memset(K, 0, sizeof K);
    kl_coordinate_curvature(coordinates[p->first], in->m, p->ratio * lambda[0], K[0]);
    kl_coordinate_curvature(coordinates[p->second], in->m + 2, -lambda[0], K[1]);
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) out->K[(12 * b + i) * 24 + 12 * b + j] += K[b][12 * i + j];
}

static void coupler_commit(const kl_reading *in, double *h_new)
{
    kl_scalar x1, x2;
    coupler_scalars(in->data, in->m, in->h, &x1, &x2);
    h_new[0] = x1.turn;
    h_new[1] = x2.turn;
}

static void coupler_output(const kl_reading *in, const double *lambda, double *values)
{
    kl_scalar x1, x2;
    coupler_scalars(in->data, in->m, in->h, &x1, &x2);
    values[0] = x1.x;
    values[1] = x2.x;
    values[2] = -lambda[0];
}

static const kl_key coupler_keys[] = {{.name     = "first",
                                       .kind     = KL_KEY_WORD,
                                       .offset   = offsetof(coupler, first),
                                       .words    = "angle displacement",
                                       .fallback = "angle",
                                       .help     = "coordinate of the first joint"},
                                      {.name     = "second",
                                       .kind     = KL_KEY_WORD,
                                       .offset   = offsetof(coupler, second),
                                       .words    = "angle displacement",
                                       .fallback = "angle",
                                       .help     = "coordinate of the second joint"},
                                      {.name   = "ratio",
                                       .kind   = KL_KEY_NUMBER,
                                       .offset = offsetof(coupler, ratio),
                                       .unit   = "second?rad|m over first?rad|m",
                                       .help   = "change of the second coordinate divided by the "
                                                 "change of the first; negative for external gears"},
                                      {0}};

static const kl_output coupler_outputs[] = {
    {"first", "first?rad|m", "coordinate of the first joint"},
    {"second", "second?rad|m", "coordinate of the second joint"},
    {"effort", "second?N m|N", "force or torque along the second coordinate"},
    {0}};

const kl_element_type kl_coupler = {
    .name     = "coupler",
    .help     = "keeps a constant ratio between two joint coordinates: gear, belt, rack and pinion",
    .equation = "x2 - ratio x1 = const",
    .example  = "mesh: {type: coupler, joints: [axle-1, axle-2], ratio: -2}",
    .keys     = coupler_keys,
    .outputs  = coupler_outputs,
    .attach   = &kl_attach_joints,
    .data_size       = sizeof(coupler),
    .only_constrains = true,
    .setup           = coupler_setup,
    .start           = kl_coordinate_start,
    .eval            = coupler_eval,
    .tangent         = coupler_tangent,
    .commit          = coupler_commit,
    .output          = coupler_output};
