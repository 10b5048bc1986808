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
    {"plastic_strain", "1", "largest accumulated plastic strain of its fibres"},
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
            "beam '%s': one of its elements is bent by 180 deg at the start; give more `elements`",
            s->name);
    for (int k = 0; k < p->rule.npoint && k < KL_BEAM_POINTS; k++) {
        memcpy(p->rest[k], shape.at[k].strain, sizeof p->rest[k]);
        p->rest[k][0] -= p->beam->pretension / p->beam->law.C[0];
    }
    size->path_dependent = p->beam->fibres != NULL;
    if (p->beam->fibres) size->nh = 1 + KL_FIBRE_NUMBERS * p->beam->fibres->n * p->rule.npoint;
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

/* What the section answers at all points. */
typedef struct answer {
    double stress[KL_BEAM_POINTS][6], C[KL_BEAM_POINTS][36];
    double energy, loss, spent, most_plastic;
} answer;

/* Memory of the fibres at a point, behind the energy spent so far. */
static const kl_fibre_memory *memory_of(const double *h, const kl_fibres *f, int point)
{
    return (const kl_fibre_memory *)(const void *)(h + 1) + (size_t)point * (size_t)f->n;
}

static void stress_of(const kl_beam_law *law, const double e[6], double stress[6])
{
    for (int i = 0; i < 6; i++) stress[i] = law->C[i] * e[i];
    if (!law->coupled) return;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            if (i != j) stress[i] += law->full[6 * i + j] * e[j];
}

static void elastic_at(const kl_beam_piece *p, int k, const double e[6], answer *a)
{
    const kl_beam_law *law = &p->beam->law;
    memcpy(a->C[k], law->full, sizeof a->C[k]);
    stress_of(law, e, a->stress[k]);
    for (int i = 0; i < 6; i++) a->energy += 0.5 * p->rule.weight[k] * a->stress[k][i] * e[i];
}

/* Elastic section, or fibres; `h_new` (may be NULL): their new memory. */
static void section_at(const kl_reading *in, int k, double *h_new, answer *a)
{
    const kl_beam_piece *p   = in->data;
    const kl_beam_shape *s   = in->cache;
    const kl_fibres     *f   = p->beam->fibres;
    kl_fibre_memory     *now = NULL;
    kl_fibres_answer     all;
    double               e[6];
    for (int i = 0; i < 6; i++) e[i] = s->at[k].strain[i] - p->rest[k][i];
    if (!f) {
        elastic_at(p, k, e, a);
        return;
    }
    if (h_new) now = (kl_fibre_memory *)(void *)(h_new + 1) + (size_t)k * (size_t)f->n;
    kl_fibres_stress(f, e, memory_of(in->h, f, k), now, &all);
    memcpy(a->stress[k], all.stress, sizeof all.stress);
    memcpy(a->C[k], all.C, sizeof all.C);
    a->energy += p->rule.weight[k] * all.stored;
    a->spent += p->rule.weight[k] * all.spent;
    a->most_plastic = fmax(a->most_plastic, all.most_plastic);
}

/* Adds the stress of material damping at point k. */
static void damping_at(const kl_reading *in, int k, const double *V, answer *a)
{
    const kl_beam_piece *p    = in->data;
    double               beta = p->beam->damping, rate[6], push[6];
    kl_beam_strain_rate(&p->rule, in->cache, k, V, rate);
    stress_of(&p->beam->law, rate, push);
    for (int i = 0; i < 6; i++) {
        a->stress[k][i] += beta * push[i];
        a->loss += p->rule.weight[k] * beta * push[i] * rate[i];
    }
}

static void section_response(const kl_reading *in, double *h_new, answer *a)
{
    const kl_beam_piece *p = in->data;
    double               V[KL_BEAM_WIDE];
    a->energy = a->loss = a->spent = a->most_plastic = 0.0;
    if (p->beam->damping > 0.0) velocities_of(in, V);
    for (int k = 0; k < p->rule.npoint; k++) {
        section_at(in, k, h_new, a);
        if (p->beam->damping > 0.0) damping_at(in, k, V, a);
    }
}

/* The first number of the history is the energy spent so far. */
static void piece_commit(const kl_reading *in, double *h_new)
{
    answer a;
    if (!((const kl_beam_piece *)in->data)->beam->fibres) return;
    section_response(in, h_new, &a);
    h_new[0] = in->h[0] + a.spent;
}

/* Adds the distributed load q, with the weights of consistent nodal loads (1/2, 1/2 and Simpson's 1/6, 4/6,
 * 1/6); returns its power. */
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
    answer               a;
    section_response(in, NULL, &a);
    out->energy = a.energy;
    out->loss   = a.loss;
    out->spent  = p->beam->fibres ? in->h[0] + a.spent : 0.0;
    kl_beam_forces(&p->rule, s, a.stress, out->wrench);
    for (int i = 0; i < 6 * p->rule.n; i++) out->wrench[i] = -out->wrench[i];
    out->supply = add_load(in, out->wrench);
    return KL_OK;
}

/* The element applies minus the gradient of its energy, therefore the signs. C uses the elastic law at zero
 * stress: with stress = C (e + beta e'), dw/dV = -beta B' C B has no geometric part.
 * The derivative of the damping stress by position is left out: it is damping times velocity times
 * strain, which no step size notices. */
static void piece_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const kl_beam_piece *p = in->data;
    const kl_beam_shape *s = in->cache;
    answer               a;
    int                  size = 36 * p->rule.n * p->rule.n;
    section_response(in, NULL, &a);
    kl_beam_tangent(&p->rule, s, a.stress, a.C, out->K);
    for (int i = 0; i < size; i++) out->K[i] = -out->K[i];
    if (!(p->beam->damping > 0.0) || !out->C) return;
    memset(a.stress, 0, sizeof a.stress);
    for (int k = 0; k < p->rule.npoint; k++) memcpy(a.C[k], p->beam->law.full, sizeof a.C[k]);
    kl_beam_tangent(&p->rule, s, a.stress, a.C, out->C);
    for (int i = 0; i < size; i++) out->C[i] *= -p->beam->damping;
}

static void piece_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const kl_beam_piece *p = in->data;
    answer               a;
    section_response(in, NULL, &a);
    memset(values, 0, 6 * sizeof *values);
    for (int k = 0; k < p->rule.npoint; k++)
        for (int i = 0; i < 6; i++) values[i] += a.stress[k][i] / p->rule.npoint;
    values[6] = a.most_plastic;
}

/* At an axial strain of -1 the element has no length and its direction reverses; stop just before. */
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

static const double *piece_mass(const void *data)
{
    const kl_beam_piece *p = data;
    return p->beam->mass_matrix ? p->mass : NULL;
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
    .mass      = piece_mass,
    .tangent   = piece_tangent,
    .commit    = piece_commit,
    .output    = piece_output,
    .watch     = piece_watch,
    .limit = "two neighbouring nodes of the beam are rotated by 180 deg relative to each other; "
             "give more `elements`"};
