/* One finite element of a nonlinear body, seen by the solvers: forces on the markers that are its nodes.
 * History: the plastic states of its points, then its enhanced strain, where the search for the next
 * one begins. */
#include <stdio.h>
#include <string.h>

#include "bodies/nonlinear.h"

static const kl_large_solid *solid_of(const kl_reading *in)
{
    return &((const nonlinear_solid *)in->data)->s;
}

static void positions(const kl_reading *in, kl_vec3 *x)
{
    for (int a = 0; a < in->nmarker; a++) x[a] = in->m[a].r;
}

/* the states are doubles only, one after the other */
static const kl_plastic_state *states(const kl_large_solid *s, const kl_reading *in)
{
    return s->law->nrow ? (const kl_plastic_state *)(const void *)in->h : NULL;
}

static const double *modes(const kl_large_solid *s, const kl_reading *in)
{
    return s->law->nrow && s->nmode ? in->h + s->npoint * KL_PLASTIC_NUMBERS : NULL;
}

static kl_status solid_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                             kl_element_size *size)
{
    const kl_large_solid *e = &((const nonlinear_solid *)data)->s;
    (void)s, (void)m, (void)nmarker;
    if (e->law->nrow) size->nh = e->npoint * KL_PLASTIC_NUMBERS + e->nmode;
    return KL_OK;
}

double nonlinear_mass_damping(const nonlinear_piece *p, const kl_reading *in, double *wrench)
{
    double loss = 0.0;
    for (int a = 0; p->rayleigh[0] > 0.0 && a < in->nmarker; a++) {
        kl_vec3 v = in->m[a].v, f = kl_scale(-p->rayleigh[0] * p->mass[a], v);
        kl_store(wrench + 6 * a, kl_add(kl_load(wrench + 6 * a), f));
        loss -= kl_dot(f, v);
    }
    return loss;
}

const double *nonlinear_consistent_mass(const void *data)
{
    return ((const nonlinear_piece *)data)->beyond; /* both kinds begin with it */
}

static void velocities(const kl_reading *in, kl_vec3 *v)
{
    for (int a = 0; a < in->nmarker; a++) v[a] = in->m[a].v;
}

/* damping a M + b K, K that of the elastic material */
static kl_status add_damping(const kl_reading *in, const kl_vec3 *x, kl_writing *out)
{
    const nonlinear_solid *e = in->data;
    double                 f[3 * KL_LARGE_NODES], power, b = e->p.rayleigh[1];
    kl_vec3                v[KL_LARGE_NODES];
    out->loss = nonlinear_mass_damping(&e->p, in, out->wrench);
    if (!(b > 0.0)) return KL_OK;
    velocities(in, v);
    KL_TRY(kl_large_solid_damp(&e->s, x, v, f, &power, NULL));
    out->loss += b * power;
    for (int a = 0; a < e->s.nnode; a++)
        for (int k = 0; k < 3; k++) out->wrench[6 * a + k] -= b * f[3 * a + k];
    return KL_OK;
}

static kl_status solid_eval(const kl_reading *in, kl_writing *out)
{
    const kl_large_solid *s = solid_of(in);
    kl_vec3               x[KL_LARGE_NODES];
    kl_large_answer       at;
    positions(in, x);
    KL_TRY(kl_large_solid_eval(s, x, states(s, in), modes(s, in), &at, NULL));
    for (int a = 0; a < s->nnode; a++)
        for (int k = 0; k < 3; k++) out->wrench[6 * a + k] = -at.f[3 * a + k];
    out->energy = at.stored;
    out->spent  = at.work;
    return add_damping(in, x, out);
}

static void solid_stiffness(const kl_reading *in, double *K)
{
    const kl_large_solid *s = solid_of(in);
    kl_vec3               x[KL_LARGE_NODES];
    kl_large_answer       at;
    int                   n = 9 * s->nnode * s->nnode;
    positions(in, x);
    if (kl_large_solid_eval(s, x, states(s, in), modes(s, in), &at, K) != KL_OK)
        memset(K, 0, (size_t)n * sizeof *K); /* eval has reported it */
    for (int i = 0; i < n; i++) K[i] = -K[i];
}

static bool solid_damping(const kl_reading *in, double *C)
{
    const nonlinear_solid *e = in->data;
    double                 f[3 * KL_LARGE_NODES], power, a = e->p.rayleigh[0], b = e->p.rayleigh[1];
    kl_vec3                x[KL_LARGE_NODES], v[KL_LARGE_NODES];
    int                    n = 3 * e->s.nnode;
    if (a == 0.0 && b == 0.0) return false;
    positions(in, x);
    velocities(in, v);
    if (b == 0.0 || kl_large_solid_damp(&e->s, x, v, f, &power, C) != KL_OK)
        memset(C, 0, (size_t)(n * n) * sizeof *C);
    for (int i = 0; i < n * n; i++) C[i] *= -b;
    for (int i = 0; i < n; i++) C[i * n + i] -= a * e->p.mass[i / 3];
    return true;
}

static void solid_commit(const kl_reading *in, double *h_new)
{
    const kl_large_solid *s = solid_of(in);
    kl_vec3               x[KL_LARGE_NODES];
    kl_large_answer       at;
    positions(in, x);
    if (kl_large_solid_eval(s, x, states(s, in), modes(s, in), &at, NULL) != KL_OK) return;
    kl_large_solid_commit(s, x, states(s, in), at.mode, (kl_plastic_state *)(void *)h_new);
    memcpy(h_new + s->npoint * KL_PLASTIC_NUMBERS, at.mode, (size_t)s->nmode * sizeof *h_new);
}

/* Stress of the points carried to the nodes; plastic strain is not negative there. */
static void solid_point_values(const kl_reading *in, double *values)
{
    const kl_large_solid *s = solid_of(in);
    kl_vec3               x[KL_LARGE_NODES];
    kl_large_answer       at;
    kl_large_point        point[KL_LARGE_POINTS];
    double                volume = 0.0, share[KL_LARGE_POINTS];
    memset(values, 0, (size_t)(NONLINEAR_VALUES * s->nnode) * sizeof *values);
    positions(in, x);
    if (kl_large_solid_eval(s, x, states(s, in), modes(s, in), &at, NULL) != KL_OK) return;
    kl_large_solid_points(s, x, states(s, in), at.mode, point);
    for (int p = 0; p < s->npoint; p++) volume += s->volume[p];
    for (int a = 0; a < s->nnode; a++, values += NONLINEAR_VALUES) {
        double stress[6] = {0}, plastic = 0.0;
        kl_large_solid_shares(s, a, share);
        for (int p = 0; p < s->npoint; p++) {
            plastic += share[p] * point[p].a;
            for (int k = 0; k < 6; k++) stress[k] += share[p] * point[p].stress[k];
        }
        values[NONLINEAR_ENERGY]  = (at.stored + at.work) / volume;
        values[NONLINEAR_MISES]   = kl_mises(stress);
        values[NONLINEAR_PLASTIC] = plastic > 0.0 ? plastic : 0.0;
    }
}

/* After a step: is the element inside out where its integration points do not see it? After a failed step:
 * was it about to be? */
static void solid_watch(const kl_reading *in, kl_notice *notice)
{
    const nonlinear_solid *e = in->data;
    kl_vec3                x[KL_LARGE_NODES];
    const double           flat = 0.2;
    positions(in, x);
    if (kl_large_solid_is_inside_out(&e->s, x)) {
        notice->stop = true;
        notice->count++;
        snprintf(
            notice->text, sizeof notice->text,
            "(element %d of the mesh) turns inside out at a corner or an edge; refine the "
            "mesh there, reduce the load, or check the material",
            e->p.id);
        return;
    }
    if (!notice->failed) return;
    double least = kl_large_solid_least_volume(&e->s, x);
    if (least > flat) return;
    notice->stop = true;
    notice->count++;
    snprintf(notice->text, sizeof notice->text,
             "(element %d of the mesh) turns inside out: at one point %.2g of its volume is left; "
             "refine the mesh there, reduce the load, or check the material",
             e->p.id, least);
}

const kl_element_type kl_nonlinear_solid = {
    .name      = "solid-element",
    .help      = "finite element of a nonlinear body",
    .data_size = sizeof(nonlinear_solid),
    .limit     = "the element is distorted so far that it turns inside out; refine the mesh there, "
                 "reduce the load, or check the material",
    .switching =
        "the element is small or distorted and vibrates fast; use larger elements, a fixed "
        "`step` under `integrator`, or damping of the body",
    .setup        = solid_setup,
    .eval         = solid_eval,
    .stiffness    = solid_stiffness,
    .damping      = solid_damping,
    .point_values = solid_point_values,
    .mass         = nonlinear_consistent_mass,
    .watch        = solid_watch,
    .commit       = solid_commit};
