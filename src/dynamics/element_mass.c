#include "dynamics/element_mass.h"

#include <string.h>

/* B x of a marker, translations, for the velocities or accelerations x of its body. */
static kl_vec3 translation_of(const kl_model *m, kl_work *w, int marker, const double *x)
{
    const kl_marker *k      = &m->marker[marker];
    const kl_body   *b      = &m->body[k->body];
    double           out[3] = {0};
    if (b->nv == 0) return kl_vec(0, 0, 0);
    b->type->map(b->data, w->cache + b->cache, k, w->map);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < b->nv; c++) out[r] += w->map[r * b->nv + c] * x[b->v + c];
    return kl_load(out);
}

static void add_force(double *wrench, double scale, kl_vec3 f)
{
    wrench[0] += scale * f.x, wrench[1] += scale * f.y, wrench[2] += scale * f.z;
}

void kl_element_mass_pull(const kl_model *m, kl_work *w, const kl_element *e, const double *a,
                          double *total)
{
    const double *mass = kl_element_mass(e);
    for (int j = 0; mass && j < e->nmarker; j++) {
        kl_vec3 A = kl_sub(w->motion[e->marker + j].a0, m->gravity);
        if (a) A = kl_add(A, translation_of(m, w, e->marker + j, a));
        for (int i = 0; i < e->nmarker; i++)
            add_force(total + 6 * (size_t)i, -mass[i * e->nmarker + j], A);
    }
}

static void element_times(const kl_model *m, kl_work *w, const kl_element *e, double factor,
                          const double *v, double *out)
{
    const double *mass = kl_element_mass(e);
    for (int j = 0; mass && j < e->nmarker; j++) {
        kl_vec3 V = translation_of(m, w, e->marker + j, v);
        for (int i = 0; i < e->nmarker; i++) {
            const kl_marker *k         = &m->marker[e->marker + i];
            const kl_body   *b         = &m->body[k->body];
            double           wrench[6] = {0};
            add_force(wrench, factor * mass[i * e->nmarker + j], V);
            b->type->pull(b->data, w->cache + b->cache, k, wrench, out + b->v);
        }
    }
}

void kl_mass_times(const kl_model *m, kl_work *w, double factor, const double *v, double *out)
{
    for (int k = 0; k < m->nbody; k++) {
        const kl_body *b = &m->body[k];
        const double  *M = w->M + b->M;
        for (int i = 0; i < b->nv; i++)
            for (int j = 0; j < b->nv; j++)
                out[b->v + i] += factor * M[i * b->nv + j] * v[b->v + j];
    }
    for (int i = 0; i < m->nelement; i++) element_times(m, w, &m->element[i], factor, v, out);
}

double kl_element_mass_energy(const kl_model *m, const kl_work *w)
{
    double sum = 0.0;
    for (int k = 0; k < m->nelement; k++) {
        const kl_element *e    = &m->element[k];
        const kl_motion  *at   = w->motion + e->marker;
        const double     *mass = kl_element_mass(e);
        for (int i = 0; mass && i < e->nmarker; i++)
            for (int j = 0; j < e->nmarker; j++)
                sum += 0.5 * mass[i * e->nmarker + j] * kl_dot(at[i].v, at[j].v);
    }
    return sum;
}
