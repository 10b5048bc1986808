#include "dynamics/element_mass.h"

#include <math.h>
#include <string.h>

#include "model/groups.h"

kl_work *kl_work_create(const kl_model *m)
{
    kl_arena *a = kl_arena_create();
    kl_work  *w = kl_arena_array(a, kl_work, 1);
    if (!w) {
        kl_arena_destroy(a);
        return NULL;
    }
    w->arena         = a;
    w->cache         = kl_arena_take(a, m->cache_bytes);
    w->motion        = kl_arena_array(a, kl_motion, m->nmarker);
    w->phi           = kl_arena_array(a, double, m->nlam);
    w->phi_t         = kl_arena_array(a, double, m->nlam);
    w->rows          = kl_arena_array(a, double, m->nrows);
    w->bias          = kl_arena_array(a, double, m->nlam);
    w->wrench        = kl_arena_array(a, double, 6 * (size_t)m->nmarker);
    w->total         = kl_arena_array(a, double, 6 * (size_t)m->nmarker);
    w->z_dot         = kl_arena_array(a, double, m->nz);
    w->energy        = kl_arena_array(a, double, m->nelement);
    w->loss          = kl_arena_array(a, double, m->nelement);
    w->spent         = kl_arena_array(a, double, m->nelement);
    w->supply        = kl_arena_array(a, double, m->nelement);
    w->M             = kl_arena_array(a, double, m->nM);
    w->s             = kl_arena_array(a, double, m->nv);
    w->g             = kl_arena_array(a, double, m->nv);
    w->element_cache = kl_arena_take(a, m->element_cache_bytes);
    w->accepted      = kl_arena_take(a, m->element_cache_bytes);
    w->seen =
        kl_arena_array(a, double, m->nq + m->nv + m->nz + m->nh + KL_INPUT_NUMBERS * m->ninput + 1);
    w->u     = kl_arena_array(a, double, KL_INPUT_VALUES * m->ninput + 1);
    w->free  = kl_arena_array(a, double, m->nv + 1);
    int most = 1;
    for (int i = 0; i < m->nbody; i++) most = m->body[i].nv > most ? m->body[i].nv : most;
    w->map      = kl_arena_array(a, double, 6 * (size_t)most);
    int history = 0;
    for (int i = 0; i < m->nelement; i++)
        if (m->element[i].nh > history) history = m->element[i].nh;
    w->fresh   = kl_arena_array(a, double, history + 1);
    w->quiet   = kl_arena_array(a, unsigned char, m->nmarker + 1);
    w->near    = kl_arena_array(a, unsigned char, m->nbody + 1);
    w->culprit = -1;
    if (!kl_arena_ok(a)) {
        kl_arena_destroy(a);
        return NULL;
    }
    /* a body may be asked for its measures before the first evaluation */
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        b->type->position(b->data, m->q0 + b->q, w->cache + b->cache);
        b->type->velocity(b->data, m->v0 + b->v, w->cache + b->cache);
    }
    return w;
}

void kl_work_destroy(kl_work *w)
{
    if (w) kl_arena_destroy(w->arena); /* the work area itself lives in it */
}

void *kl_work_cache(const kl_model *m, const kl_work *w, int body)
{
    return w->cache + m->body[body].cache;
}

/* total = wrench - rows' lambda for one element */
static void total_wrench(const kl_element *e, const kl_work *w, const double *lambda, double *total)
{
    int wide = 6 * e->nmarker;
    memcpy(total, w->wrench + 6 * (size_t)e->marker, (size_t)wide * sizeof *total);
    if (!lambda) return;
    for (int k = 0; k < e->nphi; k++) {
        const double *row = w->rows + e->rows + (size_t)k * (size_t)wide;
        double        l   = lambda[e->phi + k];
        for (int i = 0; i < wide; i++) total[i] -= row[i] * l;
    }
}

/* r = M (a - uniform gravity) - s: gravity is what a uniform acceleration of the frame would be */
static void inertia_residual(const kl_model *m, const kl_work *w, const kl_body *b, const double *a,
                             double *r)
{
    const double *M    = w->M + b->M;
    double       *free = w->free;
    kl_body_without_gravity(m, b, a, free);
    for (int i = 0; i < b->nv; i++) {
        double sum = -w->s[b->v + i];
        for (int j = 0; j < b->nv; j++) sum += M[i * b->nv + j] * free[j];
        r[b->v + i] = sum;
    }
}

/* Total wrench of an element, and what it does to its bodies, into w->g. */
static void pull_element(const kl_model *m, kl_work *w, const kl_element *e, const double *a,
                         const double *lambda)
{
    double *total = w->total + 6 * (size_t)e->marker;
    total_wrench(e, w, lambda, total);
    if (e->type->asleep && w->quiet[e->marker]) return;
    kl_element_mass_pull(m, w, e, a, total);
    for (int k = 0; k < e->nmarker; k++) {
        const kl_marker *marker = &m->marker[e->marker + k];
        const kl_body   *b      = &m->body[marker->body];
        b->type->pull(b->data, w->cache + b->cache, marker, total + 6 * (size_t)k, w->g + b->v);
    }
}

/* r of one body, all forces on it being in w->g. */
static void body_residual(const kl_model *m, kl_work *w, const kl_body *b, const double *a,
                          double *r)
{
    if (b->type->own_force)
        b->type->own_force(b->data, w->cache + b->cache, w->g + b->v, NULL, NULL);
    inertia_residual(m, w, b, a, r);
    for (int k = 0; k < b->nv; k++) r[b->v + k] -= w->g[b->v + k];
}

void kl_eval_residual(const kl_model *m, kl_work *w, const double *a, const double *lambda,
                      double *r)
{
    memset(w->g, 0, (size_t)m->nv * sizeof(double));
    for (int i = 0; i < m->nelement; i++) pull_element(m, w, &m->element[i], a, lambda);
    for (int i = 0; i < m->nbody; i++) body_residual(m, w, &m->body[i], a, r);
}

void kl_eval_part_residual(const kl_model *m, kl_work *w, const unsigned char *part,
                           const double *a, const double *lambda, double *r)
{
    memset(w->g, 0, (size_t)m->nv * sizeof(double));
    memset(r, 0, (size_t)m->nv * sizeof(double));
    for (int i = 0; i < m->nelement; i++)
        if (kl_element_is_in(m, &m->element[i], part))
            pull_element(m, w, &m->element[i], a, lambda);
    for (int i = 0; i < m->nbody; i++)
        if (part[i]) body_residual(m, w, &m->body[i], a, r);
}

void kl_eval_totals(const kl_model *m, kl_work *w, const double *lambda)
{
    for (int i = 0; i < m->nelement; i++)
        total_wrench(&m->element[i], w, lambda, w->total + 6 * (size_t)m->element[i].marker);
}

/* rows of an element times one pair of vectors of each of its markers */
static double row_times(const double *row, const kl_motion *m, int nmarker, bool accelerations)
{
    double sum = 0.0;
    for (int i = 0; i < nmarker; i++, row += 6) {
        kl_vec3 v = accelerations ? m[i].a0 : m[i].v, w = accelerations ? m[i].al0 : m[i].w;
        sum += kl_dot(kl_load(row), v) + kl_dot(kl_load(row + 3), w);
    }
    return sum;
}

bool kl_eval_is_length(const kl_model *m, const kl_work *w, const kl_element *e, int k)
{
    const double *row   = w->rows + e->rows + (size_t)k * 6 * (size_t)e->nmarker;
    bool          turns = false, slides = false;
    for (int i = 0; i < e->nmarker; i++) {
        bool own = m->body[m->marker[e->marker + i].body].own;
        for (int c = 0; c < 3; c++) {
            if (row[6 * i + c] != 0.0 && !own) return true;
            slides |= row[6 * i + c] != 0.0;
            turns |= row[6 * i + 3 + c] != 0.0;
        }
    }
    return slides && !turns;
}

void kl_eval_rate(const kl_model *m, const kl_work *w, double *rate)
{
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (int k = 0; k < e->nphi; k++)
            rate[e->phi + k] = w->phi_t[e->phi + k] +
                               row_times(w->rows + e->rows + (size_t)k * 6 * (size_t)e->nmarker,
                                         w->motion + e->marker, e->nmarker, false);
    }
}

void kl_eval_rows_pull(const kl_model *m, const kl_work *w, const double *l, double *out)
{
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (int j = 0; e->nphi > 0 && j < e->nmarker; j++) {
            const kl_marker *marker    = &m->marker[e->marker + j];
            const kl_body   *b         = &m->body[marker->body];
            double           wrench[6] = {0};
            for (int k = 0; k < e->nphi; k++) {
                const double *row = w->rows + e->rows + (size_t)(k * e->nmarker + j) * 6;
                for (int p = 0; p < 6; p++) wrench[p] += row[p] * l[e->phi + k];
            }
            b->type->pull(b->data, w->cache + b->cache, marker, wrench, out + b->v);
        }
    }
}

void kl_eval_gamma(const kl_model *m, const kl_work *w, double *gamma)
{
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (int k = 0; k < e->nphi; k++)
            gamma[e->phi + k] = -w->bias[e->phi + k] -
                                row_times(w->rows + e->rows + (size_t)k * 6 * (size_t)e->nmarker,
                                          w->motion + e->marker, e->nmarker, true);
    }
}

double kl_eval_loss(const kl_model *m, const kl_work *w)
{
    double sum = 0.0;
    for (int i = 0; i < m->nelement; i++) sum += w->loss[i];
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        if (b->type->own_loss) sum += b->type->own_loss(b->data, w->cache + b->cache);
    }
    return sum;
}

kl_energy kl_eval_energy(const kl_model *m, const kl_work *w, const double *lambda)
{
    kl_energy sum = {.loss = kl_eval_loss(m, w), .kinetic = kl_element_mass_energy(m, w)};
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        kl_measures    t;
        b->type->measures(b->data, w->cache + b->cache, &t);
        sum.kinetic += t.kinetic;
        sum.potential -= t.mass * kl_dot(m->gravity, t.center);
        if (b->type->own_energy) sum.potential += b->type->own_energy(b->data, w->cache + b->cache);
    }
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        sum.potential += w->energy[i];
        sum.spent += w->spent[i];
        sum.supply += w->supply[i];
        /* reaction power: -lambda . rows V = lambda phi_t on the constraints */
        for (int k = 0; lambda && k < e->nphi; k++)
            sum.supply += lambda[e->phi + k] * w->phi_t[e->phi + k];
    }
    return sum;
}
