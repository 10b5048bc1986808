/* One element of a beam (beam_strain.h) between two or three rigid nodes.
 *
 *   stress = C (strain - rest) + beta C strain',   energy = sum w (strain - rest)' C (strain - rest) / 2
 *
 * A distributed load q f(t) acts on the nodes with the integrals of their shape functions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "beams/beam.h"
#include "script/function.h"

static const kl_output outputs[] = {
    {"N", "N", "axial force in the middle of the element, tension positive"},
    {"Qy", "N", "shear force along the section's y axis"},
    {"Qz", "N", "shear force along the section's z axis"},
    {"Mx", "N m", "torque"},
    {"My", "N m", "bending moment about the section's y axis"},
    {"Mz", "N m", "bending moment about the section's z axis"},
    {0}};

static void frames_of(const kl_motion *m, int n, kl_vec3 *r, kl_mat3 *A)
{
    for (int i = 0; i < n; i++) r[i] = m[i].r, A[i] = m[i].A;
}

/* Strains at the start are free of stress but for the pretension. */
static kl_status piece_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                             kl_element_size *size)
{
    kl_beam_piece *p = data;
    kl_vec3        r[KL_BEAM_NODES];
    kl_mat3        A[KL_BEAM_NODES];
    kl_beam_shape  shape;
    frames_of(m, nmarker, r, A);
    if (!kl_beam_shape_of(&p->rule, r, A, &shape))
        return kl_fail(
            s->diag, KL_E_RANGE, s->place,
            "beam '%s': one of its elements turns by half a turn at the start; give more "
            "`elements`",
            s->name);
    for (int k = 0; k < p->rule.npoint && k < KL_BEAM_POINTS; k++) {
        memcpy(p->rest[k], shape.at[k].strain, sizeof p->rest[k]);
        p->rest[k][0] -= p->beam->pretension / p->beam->law.C[0];
    }
    size->cache = size->buffer = sizeof(kl_beam_shape);
    return KL_OK;
}

static kl_status piece_locate(const kl_reading *in, void *cache)
{
    const kl_beam_piece *p = in->data;
    kl_vec3              r[KL_BEAM_NODES];
    kl_mat3              A[KL_BEAM_NODES];
    frames_of(in->m, p->rule.n, r, A);
    return kl_beam_shape_of(&p->rule, r, A, cache) ? KL_OK : KL_RETRY;
}

static void velocities_of(const kl_reading *in, double *V)
{
    for (int i = 0; i < in->nmarker; i++) {
        kl_store(V + 6 * i, in->m[i].v);
        kl_store(V + 6 * i + 3, in->m[i].w);
    }
}

/* Stress of all points; loss: dissipated power. */
static double stresses_of(const kl_reading *in, double stress[KL_BEAM_POINTS][6], double *loss)
{
    const kl_beam_piece *p = in->data;
    const kl_beam_shape *s = in->cache;
    const double        *C = p->beam->law.C;
    double               V[KL_BEAM_WIDE], rate[6], energy = 0.0, beta = p->beam->damping;
    *loss = 0.0;
    if (beta > 0.0) velocities_of(in, V);
    for (int k = 0; k < p->rule.npoint; k++) {
        if (beta > 0.0) kl_beam_strain_rate(&p->rule, s, k, V, rate);
        for (int i = 0; i < 6; i++) {
            double e     = s->at[k].strain[i] - p->rest[k][i];
            stress[k][i] = C[i] * e;
            energy += 0.5 * p->rule.weight[k] * C[i] * e * e;
            if (!(beta > 0.0)) continue;
            stress[k][i] += beta * C[i] * rate[i];
            *loss += p->rule.weight[k] * beta * C[i] * rate[i] * rate[i];
        }
    }
    return energy;
}

/* Adds the distributed load; returns its power. */
static double add_load(const kl_reading *in, double *wrench)
{
    static const double  share[2][KL_BEAM_NODES] = {{0.5, 0.5, 0.0}, {1.0 / 6, 4.0 / 6, 1.0 / 6}};
    const kl_beam_piece *p                       = in->data;
    kl_vec3              q                       = kl_load(p->beam->load);
    double               y[3] = {1.0, 0.0, 0.0}, power = 0.0;
    if (kl_norm(q) == 0.0) return 0.0;
    if (p->beam->load_factor) kl_function_eval(p->beam->load_factor, in->t, in->u, y);
    for (int i = 0; i < p->rule.n; i++) {
        kl_vec3 f = kl_scale(y[0] * p->rule.length * share[p->rule.n - 2][i], q);
        for (int k = 0; k < 3; k++) wrench[6 * i + k] += k == 0 ? f.x : k == 1 ? f.y : f.z;
        power += kl_dot(f, in->m[i].v);
    }
    return power;
}

static kl_status piece_eval(const kl_reading *in, kl_writing *out)
{
    const kl_beam_piece *p = in->data;
    const kl_beam_shape *s = in->cache;
    double               stress[KL_BEAM_POINTS][6];
    out->energy = stresses_of(in, stress, &out->loss);
    kl_beam_forces(&p->rule, s, stress, out->wrench);
    for (int i = 0; i < 6 * p->rule.n; i++) out->wrench[i] = -out->wrench[i];
    out->supply = add_load(in, out->wrench);
    return KL_OK;
}

/* The derivative of the damping stress by position is left out: it is damping times velocity times
 * strain, which no step size notices. */
static void piece_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const kl_beam_piece *p = in->data;
    const kl_beam_shape *s = in->cache;
    double               stress[KL_BEAM_POINTS][6], C[KL_BEAM_POINTS][36] = {{0}}, loss;
    double               beta = p->beam->damping;
    int                  size = 36 * p->rule.n * p->rule.n;
    for (int k = 0; k < p->rule.npoint; k++)
        for (int i = 0; i < 6; i++) C[k][7 * i] = p->beam->law.C[i];
    (void)stresses_of(in, stress, &loss);
    kl_beam_tangent(&p->rule, s, stress, C, out->K);
    for (int i = 0; i < size; i++) out->K[i] = -out->K[i];
    if (!(beta > 0.0) || !out->C) return;
    memset(stress, 0, sizeof stress);
    kl_beam_tangent(&p->rule, s, stress, C, out->C);
    for (int i = 0; i < size; i++) out->C[i] *= -beta;
}

static void piece_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const kl_beam_piece *p = in->data;
    double               stress[KL_BEAM_POINTS][6], loss;
    (void)stresses_of(in, stress, &loss);
    memset(values, 0, 6 * sizeof *values);
    for (int k = 0; k < p->rule.npoint; k++)
        for (int i = 0; i < 6; i++) values[i] += stress[k][i] / p->rule.npoint;
}

/* A compression beyond half the length is no longer a beam: its section would pass through itself. */
static void piece_watch(const kl_reading *in, kl_notice *notice)
{
    const kl_beam_piece *p = in->data;
    const kl_beam_shape *s = in->cache;
    for (int k = 0; k < p->rule.npoint; k++)
        if (s->at[k].strain[0] < -0.99) {
            notice->stop = true;
            notice->count++;
            snprintf(notice->text, sizeof notice->text,
                     "is turned inside out: it is compressed to %.3g of its length; give the beam "
                     "more `elements` or check its loads",
                     1.0 + s->at[k].strain[0]);
            return;
        }
}

static const kl_key no_keys[] = {{0}};

const kl_element_type kl_beam_element = {
    .name      = "beam-element",
    .help      = "an element of a beam",
    .equation  = "stress = C (strain - rest) + damping C strain'",
    .keys      = no_keys,
    .outputs   = outputs,
    .data_size = sizeof(kl_beam_piece),
    .setup     = piece_setup,
    .locate    = piece_locate,
    .eval      = piece_eval,
    .tangent   = piece_tangent,
    .output    = piece_output,
    .watch     = piece_watch,
    .limit     = "two neighbouring nodes of the beam are turned against each other by half a turn; "
                 "give more `elements`"};
