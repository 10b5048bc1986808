/* Rigid node set: several bodies held to a pilot body as one (a spider); paper 004, section 4.2.
 *
 * Markers come in pairs (on the pilot, on the node), each pair at the place of its node. A node
 * that carries rotation is held in six directions, a point mass in three (`rotations: false`). */
#include <string.h>

#include "joints/coordinate.h"
#include "joints/joints.h"
#include "model/model.h"

typedef struct rigid_set {
    bool rotations;
} rigid_set;

static const kl_coordinate held[6] = {{KL_GLOBAL, 0, 0}, {KL_GLOBAL, 1, 0}, {KL_GLOBAL, 2, 0},
                                      {KL_DOT1, 0, 1},   {KL_DOT1, 1, 2},   {KL_DOT1, 2, 0}};

static int rows_a_node(const rigid_set *p) { return p->rotations ? 6 : 3; }

static kl_status rigid_set_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                                 kl_element_size *size)
{
    (void)m;
    const rigid_set  *p = data;
    const kl_element *e = &s->model->element[kl_model_find_element(s->model, s->name)];
    size->nphi          = rows_a_node(p) * (nmarker / 2);
    for (int i = 0; p->rotations && i < nmarker; i++) {
        const kl_body *b = &s->model->body[s->model->marker[e->marker + i].body];
        if (b->type->stiff_axes)
            return kl_fail(
                s->diag, KL_E_MODEL, s->place,
                "joint '%s': '%s' is a %s mass without rotation, so the set would fix the rotation "
                "of all bodies; write `rotations: false`, or give it an inertia (a rigid body)",
                s->name, b->name, b->type->name);
    }
    return KL_OK;
}

static kl_status rigid_set_eval(const kl_reading *in, kl_writing *out)
{
    int each = rows_a_node(in->data), wide = 6 * in->nmarker;
    for (int node = 0; node < in->nmarker / 2; node++)
        for (int k = 0; k < each; k++) {
            int       row = node * each + k;
            kl_scalar x;
            kl_coordinate_eval(held[k], in->m + 2 * node, 0.0, &x);
            out->phi[row] = x.x;
            memcpy(out->rows + (size_t)row * (size_t)wide + 12 * (size_t)node, x.row, sizeof x.row);
            if (out->bias) out->bias[row] = x.bias;
        }
    return KL_OK;
}

static void rigid_set_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    int each = rows_a_node(in->data), wide = 6 * in->nmarker;
    for (int node = 0; node < in->nmarker / 2; node++) {
        double K[144] = {0};
        for (int k = 0; k < each; k++)
            kl_coordinate_curvature(held[k], in->m + 2 * node, -lambda[node * each + k], K);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++)
                out->K[(size_t)(12 * node + i) * (size_t)wide + (size_t)(12 * node + j)] +=
                    K[12 * i + j];
    }
}

static bool rigid_set_upright(const kl_reading *in)
{
    const rigid_set *p = in->data;
    for (int i = 0; p->rotations && i + 1 < in->nmarker; i += 2)
        for (int k = 0; k < 3; k++)
            if (kl_dot(kl_axis(&in->m[i].A, k), kl_axis(&in->m[i + 1].A, k)) < 0.0) return false;
    return true;
}

static const kl_key rigid_set_keys[] = {
    {.name     = "rotations",
     .kind     = KL_KEY_FLAG,
     .offset   = offsetof(rigid_set, rotations),
     .fallback = "true",
     .help     = "also constrain the rotations of the nodes; false for point masses"},
    {0}};
static const kl_output no_outputs[] = {{0}};

const kl_element_type kl_rigid_set = {
    .name            = "rigid-set",
    .help            = "rigid connection of several bodies to a pilot body",
    .equation        = "every node moves with the pilot",
    .example         = "spider: {type: rigid-set, pilot: hub, nodes: [rim-1, rim-2, rim-3]}",
    .keys            = rigid_set_keys,
    .outputs         = no_outputs,
    .attach          = &kl_attach_set,
    .data_size       = sizeof(rigid_set),
    .only_constrains = true,
    .setup           = rigid_set_setup,
    .eval            = rigid_set_eval,
    .tangent         = rigid_set_tangent,
    .upright         = rigid_set_upright};
