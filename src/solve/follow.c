#include "solve/follow.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "solve/words.h"

typedef struct rows {
    int      n, nv;
    int     *element, *row;  /* n: whose */
    kl_vec3 *force, *moment; /* what a unit reaction does to the body, global */
    double  *J;              /* n x nv, scaled */
} rows;

/* rows of all constraints on the body, in units of each coordinate, of unit size on rigid motion */
static kl_status gather(const kl_model *m, const kl_work *w, int body, kl_arena *a, rows *r)
{
    const kl_body *b = &m->body[body];
    double        *B = kl_arena_array(a, double, 6 * (size_t)b->nv);
    *r               = (rows){.nv = b->nv};
    r->element       = kl_arena_array(a, int, m->nlam + 1);
    r->row           = kl_arena_array(a, int, m->nlam + 1);
    r->force         = kl_arena_array(a, kl_vec3, m->nlam + 1);
    r->moment        = kl_arena_array(a, kl_vec3, m->nlam + 1);
    r->J             = kl_arena_array(a, double, (size_t)(m->nlam + 1) * (size_t)b->nv);
    if (!kl_arena_ok(a)) return KL_E_MEMORY;
    for (int e = 0; e < m->nelement; e++) {
        const kl_element *el = &m->element[e];
        for (int k = 0; k < el->nphi; k++) {
            double *to = r->J + (size_t)r->n * (size_t)b->nv, size = 0.0;
            bool    mine = false;
            memset(to, 0, (size_t)b->nv * sizeof *to);
            for (int i = 0; i < el->nmarker; i++) {
                const kl_marker *marker = &m->marker[el->marker + i];
                if (marker->body != body || marker->node == KL_MARKER_CONDITIONS) continue;
                const double *row = w->rows + el->rows + (size_t)(k * el->nmarker + i) * 6;
                mine              = true;
                b->type->map(b->data, w->cache + b->cache, marker, B);
                r->force[r->n]  = kl_load(row);
                r->moment[r->n] = kl_load(row + 3);
                for (int c = 0; c < b->nv; c++)
                    for (int p = 0; p < 6; p++) to[c] += row[p] * B[p * b->nv + c];
            }
            for (int c = 0; c < b->nv; c++) {
                to[c] *= m->unit[b->v + c];
                if (c < 6) size += to[c] * to[c];
            }
            if (!mine || !(size > 0.0)) continue;
            for (int c = 0; c < b->nv; c++) to[c] /= sqrt(size);
            r->element[r->n] = e, r->row[r->n] = k;
            r->n++;
        }
    }
    return KL_OK;
}

/* vectors y with |y'A| below `limit`: columns of V from the front; returns how many */
static int silent(int n, int width, const double *A, int stride, double limit, double *V, double *w)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int c = 0; c < width; c++) sum += A[i * stride + c] * A[j * stride + c];
            V[j * n + i] = sum;
        }
    if (kl_symmetric_eigen(n, V, w) != KL_OK) return 0;
    int count = 0;
    while (count < n && w[count] < limit * limit) count++;
    return count;
}

static void tell(const kl_model *m, int body, const rows *r, const double *y, kl_arena *a,
                 kl_diag *diag)
{
    kl_line l    = {.arena = a};
    double  most = 0.0;
    int     last = -1, told = 0;
    for (int i = 0; i < r->n; i++) most = fmax(most, fabs(y[i]));
    kl_line_add(&l, "no mode of '%s' can follow ", m->body[body].name);
    for (int i = 0; i < r->n; i++) {
        if (fabs(y[i]) < 0.05 * most) continue;
        bool point = kl_norm(r->force[i]) > 0.0;
        if (r->element[i] != last)
            kl_line_add(&l, "%sjoint %s", told ? " against " : "", m->element[r->element[i]].name);
        kl_line_add(&l, r->element[i] == last ? " and " : point ? " along " : " about ");
        kl_line_axis(&l, point ? r->force[i] : r->moment[i]);
        last = r->element[i];
        told++;
    }
    kl_line_add(&l,
                ": together they can load it but not deform it, so they hold its frame where the "
                "real body would give way. Add modes that move there (`statics: attachment` with "
                "these markers as `interfaces` in the body file), allow `stiffening`, or free one "
                "of these directions");
    if (last >= 0 && l.text) kl_warn(diag, m->element[last].place, "%s", l.text);
}

static kl_status look_at(const kl_model *m, const kl_work *w, int body, kl_diag *diag)
{
    enum { MOST_TOLD = 3 };
    kl_arena *a      = kl_arena_create();
    rows      r      = {0};
    kl_status status = a ? gather(m, w, body, a, &r) : KL_E_MEMORY;
    size_t    n      = status == KL_OK ? (size_t)r.n : 0;
    double   *V = kl_arena_array(a, double, n *n + 1), *value = kl_arena_array(a, double, n + 1);
    double   *G = kl_arena_array(a, double, n *(size_t)(m->body[body].nv) + 1);
    double   *Z = kl_arena_array(a, double, n *n + 1), *y = kl_arena_array(a, double, n + 1);
    if (status == KL_OK && !kl_arena_ok(a)) status = KL_E_MEMORY;
    if (status == KL_OK && n > 1) {
        /* balanced reactions, then those among them that deform nothing */
        int k = silent(r.n, 6, r.J, r.nv, 1e-7, V, value), modes = r.nv - 6;
        for (int i = 0; i < k; i++)
            for (int c = 0; c < modes; c++)
                for (int p = 0; p < r.n; p++)
                    G[i * modes + c] += V[i * r.n + p] * r.J[p * r.nv + 6 + c];
        int none = k > 0 ? silent(k, modes, G, modes, 1e-7, Z, value) : 0;
        for (int i = 0; i < none && i < MOST_TOLD; i++) {
            for (int p = 0; p < r.n; p++) {
                y[p] = 0.0;
                for (int q = 0; q < k; q++) y[p] += Z[i * k + q] * V[q * r.n + p];
            }
            tell(m, body, &r, y, a, diag);
        }
    }
    kl_arena_destroy(a);
    return status;
}

kl_status kl_follow_tell(const kl_model *m, const kl_work *w, kl_diag *diag)
{
    for (int i = 0; i < m->nbody; i++)
        if (m->body[i].nv > 6) KL_TRY(look_at(m, w, i, diag));
    return KL_OK;
}
