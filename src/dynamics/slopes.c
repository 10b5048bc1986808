#include "dynamics/slopes.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"

static const double ROOT = 6e-6; /* cube root of the rounding unit: best for central differences */

/* What depends on the motion: w = wrench - rows' lambda and z'. */
typedef struct values {
    double *w; /* 6 nmarker, then z' */
    bool    good;
} values;

/* All that a difference needs, laid out in the caller's room. */
typedef struct differ {
    const kl_model   *m;
    const kl_element *e;
    const double     *lambda;
    kl_reading        at;    /* the moved reading */
    kl_motion        *moved; /* nmarker */
    double           *z;
    double           *phi, *phi_t, *rows;
    values            base, up, down;
    bool              based; /* base is evaluated */
    void             *cache; /* of a moved position */
} differ;

static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

static size_t numbers(const kl_element *e)
{
    size_t wide = 6 * (size_t)e->nmarker, nphi = (size_t)e->nphi, nz = (size_t)e->nz;
    return 3 * (wide + nz) + nz + nphi * (2 + wide);
}

size_t kl_difference_room(const kl_element *e)
{
    return aligned((size_t)e->ncache) + aligned((size_t)e->nmarker * sizeof(kl_motion)) +
           aligned(numbers(e) * sizeof(double));
}

static differ lay_out(const kl_model *m, const kl_element *e, const kl_reading *in,
                      const double *lambda, void *room)
{
    unsigned char *at   = room;
    size_t         wide = 6 * (size_t)e->nmarker, nphi = (size_t)e->nphi, nz = (size_t)e->nz;
    differ         d = {.m = m, .e = e, .lambda = lambda, .at = *in, .cache = at};
    at += aligned((size_t)e->ncache);
    d.moved = (kl_motion *)(void *)at;
    at += aligned((size_t)e->nmarker * sizeof(kl_motion));
    double *x = (double *)(void *)at;
    d.base.w  = x, x += wide + nz;
    d.up.w    = x, x += wide + nz;
    d.down.w  = x, x += wide + nz;
    d.z       = x, x += nz;
    d.phi     = x, x += nphi;
    d.phi_t   = x, x += nphi;
    d.rows    = x;
    return d;
}

static void evaluate(differ *d, const kl_reading *in, values *v)
{
    const kl_element *e    = d->e;
    size_t            wide = 6 * (size_t)e->nmarker, nphi = (size_t)e->nphi;
    kl_writing        out = {
               .phi = d->phi, .phi_t = d->phi_t, .rows = d->rows, .wrench = v->w, .z_dot = v->w + wide};
    memset(v->w, 0, (wide + (size_t)e->nz) * sizeof *v->w);
    memset(d->phi, 0, nphi * (2 + wide) * sizeof *d->phi);
    v->good = e->type->eval(in, &out) == KL_OK;
    for (size_t k = 0; k < nphi; k++)
        for (size_t i = 0; i < wide; i++) v->w[i] -= d->rows[k * wide + i] * d->lambda[k];
}

/* The same at another position: its search starts where that of the last accepted step ended. */
static void evaluate_moved(differ *d, const kl_reading *base, values *v)
{
    const kl_element *e = d->e;
    if (e->ncache) {
        d->at.cache = d->cache;
        memcpy(d->cache, base->cache, (size_t)e->ncache);
    }
    v->good = !e->type->locate || e->type->locate(&d->at, d->cache) == KL_OK;
    if (v->good) evaluate(d, &d->at, v);
}

/* Adds the slope to column j of W (6 nmarker rows) and Z (nz rows), `wide` columns each. Where one side
 * cannot be evaluated, a one-sided difference is used. */
static void add_column(differ *d, const kl_reading *in, double step, int j, int wide, double *W,
                       double *Z)
{
    int n = 6 * d->e->nmarker, nz = d->e->nz;
    if (!d->up.good && !d->down.good) return;
    values *up = &d->up, *down = &d->down;
    double  span = 2.0 * step;
    if (!up->good || !down->good) {
        if (!d->based) evaluate(d, in, &d->base);
        d->based = true;
        if (!d->base.good) return;
        if (!up->good) up = &d->base;
        else down = &d->base;
        span = step;
    }
    for (int i = 0; i < n; i++) W[i * wide + j] += (up->w[i] - down->w[i]) / span;
    for (int k = 0; k < nz; k++) Z[k * wide + j] += (up->w[n + k] - down->w[n + k]) / span;
}

/* Moves column `c` (of six) of one marker by `step`, in position or in velocity. */
static void perturb_column(kl_motion *m, int c, double step, bool velocity)
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
    if (velocity) return ROOT * (1.0 + kl_norm(c < 3 ? m->v : m->w));
    return ROOT * (c < 3 ? length : 1.0);
}

static void by_motion(differ *d, const kl_reading *in, bool velocity, const unsigned char *wanted,
                      double *W, double *Z)
{
    int wide = 6 * in->nmarker;
    d->at    = *in;
    d->at.m  = d->moved;
    memcpy(d->moved, in->m, (size_t)in->nmarker * sizeof *d->moved);
    for (int j = 0; j < wide; j++) {
        if (wanted && !wanted[j]) continue;
        kl_motion       *moved = &d->moved[j / 6];
        const kl_motion *was   = &in->m[j / 6];
        double           step  = step_of(was, j % 6, d->m->length, velocity);
        for (int side = 0; side < 2; side++) {
            values *v = side ? &d->down : &d->up;
            *moved    = *was;
            perturb_column(moved, j % 6, side ? -step : step, velocity);
            if (velocity) evaluate(d, &d->at, v);
            else evaluate_moved(d, in, v);
        }
        *moved = *was;
        add_column(d, in, step, j, wide, W, Z);
    }
}

static void by_states(differ *d, const kl_reading *in, double *W, double *Z)
{
    int nz = d->e->nz;
    if (nz == 0) return;
    d->at   = *in;
    d->at.z = d->z;
    memcpy(d->z, in->z, (size_t)nz * sizeof *d->z);
    for (int j = 0; j < nz; j++) {
        /* a thousand times the size that is negligible */
        double step = ROOT * (1e3 * d->m->z_scale[d->e->z + j] + fabs(in->z[j]));
        d->z[j]     = in->z[j] + step;
        evaluate(d, &d->at, &d->up);
        d->z[j] = in->z[j] - step;
        evaluate(d, &d->at, &d->down);
        d->z[j] = in->z[j];
        add_column(d, in, step, j, nz, W, Z);
    }
}

void kl_difference_slopes(const kl_model *m, const kl_element *e, const kl_reading *in,
                          const double *lambda, const unsigned char *wanted, void *room,
                          kl_slopes *out)
{
    differ d = lay_out(m, e, in, lambda, room);
    by_motion(&d, in, false, wanted, out->K, out->zk);
    by_motion(&d, in, true, wanted, out->C, out->zc);
    by_states(&d, in, out->wz, out->zz);
}
