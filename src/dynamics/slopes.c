#include "dynamics/slopes.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"

typedef struct values {
    double w[6 * KL_SLOPES_MARKERS]; /* wrench - rows' lambda */
    double z[KL_SLOPES_STATES];      /* z' */
} values;

static void evaluate(const kl_element_type *type, const kl_reading *in, int nphi,
                     const double *lambda, values *v)
{
    double     phi[KL_SLOPES_ROWS] = {0}, phi_t[KL_SLOPES_ROWS] = {0};
    double     rows[KL_SLOPES_ROWS * 6 * KL_SLOPES_MARKERS] = {0};
    int        wide                                         = 6 * in->nmarker;
    kl_writing out = {.phi = phi, .phi_t = phi_t, .rows = rows, .wrench = v->w, .z_dot = v->z};
    memset(v, 0, sizeof *v);
    if (type->eval(in, &out) != KL_OK) return;
    for (int k = 0; k < nphi; k++)
        for (int i = 0; i < wide; i++) v->w[i] -= rows[k * wide + i] * lambda[k];
}

/* Moves column `c` (of six) of one marker by `step`, in position or in velocity. */
static void nudge(kl_motion *m, int c, double step, bool velocity)
{
    double d[3] = {0, 0, 0};
    d[c % 3]    = step;
    kl_vec3 e   = kl_load(d);
    if (velocity) {
        if (c < 3) m->v = kl_add(m->v, e);
        else m->w = kl_add(m->w, e);
    } else if (c < 3) {
        m->r = kl_add(m->r, e);
    } else {
        kl_mat3 R = kl_rotation_exp(e);
        m->A      = kl_matmul(&R, &m->A);
    }
}

static double step_of(const kl_motion *m, int c, double length, bool velocity)
{
    const double root = 6e-6; /* cube root of the rounding unit: best for central differences */
    if (velocity) return root * (1.0 + kl_norm(c < 3 ? m->v : m->w));
    return root * (c < 3 ? length : 1.0);
}

static void by_motion(const kl_element_type *type, const kl_reading *in, int nphi, int nz,
                      const double *lambda, double length, bool velocity, double *W, double *Z)
{
    kl_motion  moved[KL_SLOPES_MARKERS];
    kl_reading at   = *in;
    int        wide = 6 * in->nmarker;
    at.m            = moved;
    for (int j = 0; j < wide; j++) {
        double step = step_of(&in->m[j / 6], j % 6, length, velocity);
        values up, down;
        memcpy(moved, in->m, (size_t)in->nmarker * sizeof *moved);
        nudge(&moved[j / 6], j % 6, step, velocity);
        evaluate(type, &at, nphi, lambda, &up);
        memcpy(moved, in->m, (size_t)in->nmarker * sizeof *moved);
        nudge(&moved[j / 6], j % 6, -step, velocity);
        evaluate(type, &at, nphi, lambda, &down);
        for (int i = 0; i < wide; i++) W[i * wide + j] += (up.w[i] - down.w[i]) / (2.0 * step);
        for (int k = 0; k < nz; k++) Z[k * wide + j] += (up.z[k] - down.z[k]) / (2.0 * step);
    }
}

void kl_difference_slopes(const kl_element_type *type, const kl_reading *in, int nphi, int nz,
                          const double *lambda, double length, kl_slopes *out)
{
    if (in->nmarker > KL_SLOPES_MARKERS || nphi > KL_SLOPES_ROWS || nz > KL_SLOPES_STATES) return;
    by_motion(type, in, nphi, nz, lambda, length, false, out->K, out->zk);
    by_motion(type, in, nphi, nz, lambda, length, true, out->C, out->zc);

    double     z[KL_SLOPES_STATES];
    kl_reading at = *in;
    at.z          = z;
    for (int j = 0; j < nz; j++) {
        double step = 6e-6 * (1e-3 + fabs(in->z[j]));
        values up, down;
        memcpy(z, in->z, (size_t)nz * sizeof *z);
        z[j] += step;
        evaluate(type, &at, nphi, lambda, &up);
        z[j] -= 2.0 * step;
        evaluate(type, &at, nphi, lambda, &down);
        for (int i = 0; i < 6 * in->nmarker; i++)
            out->wz[i * nz + j] += (up.w[i] - down.w[i]) / (2.0 * step);
        for (int k = 0; k < nz; k++) out->zz[k * nz + j] += (up.z[k] - down.z[k]) / (2.0 * step);
    }
}
