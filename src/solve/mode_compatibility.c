#include "solve/mode_compatibility.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "model/groups.h"
#include "solve/mode_compatibility_set.h"

/* ---- rows on a body ---- */

static kl_status take_rows(kl_arena *a, int most, int nv, kl_compatibility_rows *r)
{
    *r         = (kl_compatibility_rows){.nv = nv};
    r->element = kl_arena_array(a, int, most + 1);
    r->row     = kl_arena_array(a, int, most + 1);
    r->partner = kl_arena_array(a, int, most + 1);
    r->point   = kl_arena_array(a, int, most + 1);
    r->force   = kl_arena_array(a, kl_vec3, most + 1);
    r->moment  = kl_arena_array(a, kl_vec3, most + 1);
    r->scale   = kl_arena_array(a, double, most + 1);
    r->at      = kl_arena_array(a, kl_vec3, most + 1);
    r->J       = kl_arena_array(a, double, (size_t)(most + 1) * (size_t)nv);
    r->unit    = kl_arena_array(a, double, nv);
    return kl_arena_ok(a) ? KL_OK : KL_E_MEMORY;
}

/* The first of the bodies that are fixed to each other, for each body: they are one partner. */
static int *whole_bodies(const kl_model *m, kl_arena *a)
{
    int *root = kl_arena_array(a, int, m->nbody + 1);
    for (int i = 0; root && i < m->nbody; i++) root[i] = i;
    for (bool again = root != NULL; again;) {
        again = false;
        for (int e = 0; e < m->nelement; e++) {
            const kl_element *el = &m->element[e];
            if (el->nphi < 6 || el->nmarker != 2 || strcmp(el->type->name, "fixed") != 0) continue;
            int p = m->marker[el->marker].body, q = m->marker[el->marker + 1].body;
            if (kl_body_deforms(&m->body[p]) || kl_body_deforms(&m->body[q]) || root[p] == root[q])
                continue;
            root[p] = root[q] = root[p] < root[q] ? root[p] : root[q];
            again             = true;
        }
    }
    return root;
}

/* The number of the point that a marker hangs on; the row's moment is carried there. */
static int point_of(const kl_model *m, const kl_work *w, int marker, int *of,
                    kl_compatibility_rows *r)
{
    kl_vec3 here = w->motion[marker].r;
    int     node = m->marker[marker].node, p = 0;
    while (p < r->npoint && !(node > 0 && m->marker[of[p]].node == node) &&
           !(kl_norm(kl_sub(r->at[p], here)) < 1e-9 * m->length))
        p++;
    if (p == r->npoint) r->at[p] = here, of[p] = marker, r->npoint++;
    r->moment[r->n] = kl_add(r->moment[r->n], kl_cross(kl_sub(here, r->at[p]), r->force[r->n]));
    return p;
}

/* row k of an element in units of each coordinate, of unit size on rigid motion; false: not on it */
static bool one_row(const kl_model *m, const kl_work *w, const kl_element *el, int k, int body,
                    double *B, int *of, kl_compatibility_rows *r)
{
    const kl_body *b  = &m->body[body];
    double        *to = r->J + (size_t)r->n * (size_t)b->nv, size = 0.0;
    bool           mine = false;
    memset(to, 0, (size_t)b->nv * sizeof *to);
    for (int i = 0; i < el->nmarker; i++) {
        const kl_marker *marker = &m->marker[el->marker + i];
        if (marker->body != body) continue;
        const double *row = w->rows + el->rows + (size_t)(k * el->nmarker + i) * 6;
        mine              = true;
        b->type->map(b->data, w->cache + b->cache, marker, B);
        r->force[r->n]  = kl_load(row);
        r->moment[r->n] = kl_load(row + 3);
        r->point[r->n]  = point_of(m, w, el->marker + i, of, r);
        for (int c = 0; c < b->nv; c++)
            for (int p = 0; p < 6; p++) to[c] += row[p] * B[p * b->nv + c];
    }
    for (int c = 0; c < b->nv; c++) {
        to[c] *= r->unit[c];
        if (c < 6) size += to[c] * to[c];
    }
    if (!mine || !(size > 0.0)) return false;
    for (int c = 0; c < b->nv; c++) to[c] /= sqrt(size);
    r->scale[r->n] = 1.0 / sqrt(size);
    return true;
}

/* Modes that turn a marker by far more than they move the body: smaller units, so that no row is
 * larger than 1 in any and rounding stays small beside what is looked for. */
static void scale_rotating_modes(kl_compatibility_rows *r)
{
    for (int c = r->frame; c < r->nv; c++) {
        double most = 1.0;
        for (int i = 0; i < r->n; i++) most = fmax(most, fabs(r->J[i * r->nv + c]));
        r->unit[c] /= most;
        for (int i = 0; i < r->n; i++) r->J[i * r->nv + c] /= most;
    }
}

/* rows of all constraints on the body */
static kl_status gather(const kl_model *m, const kl_work *w, int body, kl_arena *a,
                        kl_compatibility_rows *r)
{
    const kl_body *b  = &m->body[body];
    double        *B  = kl_arena_array(a, double, 6 * (size_t)b->nv);
    int           *of = kl_arena_array(a, int, m->nlam + 1), *root = whole_bodies(m, a);
    KL_TRY(take_rows(a, m->nlam, b->nv, r));
    r->frame = b->nv - kl_body_modes(b);
    r->turn  = kl_body_group(b, KL_ROTATION).v - b->v;
    for (int c = 0; c < b->nv; c++) r->unit[c] = m->unit[b->v + c];
    for (int e = 0; e < m->nelement; e++) {
        const kl_element *el    = &m->element[e];
        int               other = -2; /* none seen */
        for (int i = 0; i < el->nmarker; i++) {
            int at = root[m->marker[el->marker + i].body];
            if (at != body) other = other == -2 || other == at ? at : -1;
        }
        for (int k = 0; k < el->nphi; k++) {
            if (!one_row(m, w, el, k, body, B, of, r)) continue;
            r->element[r->n] = e, r->row[r->n] = k;
            r->partner[r->n] = other < 0 ? -1 : other;
            r->n++;
        }
    }
    scale_rotating_modes(r);
    return KL_OK;
}

/* those of them that have this partner; all: -1 */
static kl_status choose(const kl_compatibility_rows *from, int partner, kl_arena *a,
                        kl_compatibility_rows *to)
{
    KL_TRY(take_rows(a, from->n, from->nv, to));
    to->frame = from->frame, to->turn = from->turn;
    to->npoint = from->npoint, to->at = from->at, to->unit = from->unit;
    for (int i = 0; i < from->n; i++) {
        if (partner >= 0 && from->partner[i] != partner) continue;
        int n          = to->n++;
        to->element[n] = from->element[i], to->row[n] = from->row[i];
        to->partner[n] = from->partner[i], to->point[n] = from->point[i];
        to->force[n] = from->force[i], to->moment[n] = from->moment[i];
        to->scale[n] = from->scale[i];
        memcpy(to->J + (size_t)n * (size_t)to->nv, from->J + (size_t)i * (size_t)to->nv,
               (size_t)to->nv * sizeof *to->J);
    }
    return KL_OK;
}

/* ---- sets that no mode answers to ---- */

/* vectors y with |y'A| below `limit`: columns of V from the front; returns how many */
static int null_vectors(int n, int width, const double *A, int stride, double limit, double *V,
                        double *w)
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

/* Gauss-Jordan elimination with row pivoting: A becomes reduced row echelon form, B follows its row operations;
 * returns the rank. Entries below 1e-4 of the largest count as zero. */
int kl_row_echelon(int n, int width, double *A, int also, double *B)
{
    const double least = 1e-4;
    int          done  = 0;
    double       most  = 0.0;
    for (int i = 0; i < n * width; i++) most = fmax(most, fabs(A[i]));
    for (int c = 0; c < width && done < n; c++) {
        int best = done;
        for (int i = done; i < n; i++)
            if (fabs(A[i * width + c]) > fabs(A[best * width + c])) best = i;
        double pivot = A[best * width + c];
        if (fabs(pivot) <= least * most) continue;
        for (int j = 0; j < width; j++) {
            double t            = A[best * width + j] / pivot;
            A[best * width + j] = A[done * width + j], A[done * width + j] = t;
        }
        for (int j = 0; j < also; j++) {
            double t           = B[best * also + j] / pivot;
            B[best * also + j] = B[done * also + j], B[done * also + j] = t;
        }
        for (int i = 0; i < n; i++) {
            double f = A[i * width + c];
            if (i == done || f == 0.0) continue;
            for (int j = 0; j < width; j++) A[i * width + j] -= f * A[done * width + j];
            for (int j = 0; j < also; j++) B[i * also + j] -= f * B[done * also + j];
        }
        done++;
    }
    return done;
}

/* Of all bases of the silent reactions the one that a reader understands: each loads the last point
 * in one direction only. What loads no point is joints that repeat each other whatever the body. */
static kl_status choose_readable_basis(kl_compatibility_search *k)
{
    const kl_compatibility_rows *r     = &k->r;
    int                          width = 6 * r->npoint;
    double *W = kl_arena_array(k->a, double, (size_t)k->nset *(size_t)width + 1);
    if (!W) return KL_E_MEMORY;
    for (int s = 0; s < k->nset; s++)
        for (int i = 0; i < r->n; i++) {
            double  y  = k->Y[s * r->n + i] * r->scale[i], load[6];
            double *to = W + (size_t)s * (size_t)width + 6 * (r->npoint - 1 - r->point[i]);
            kl_store(load, kl_scale(k->x->model->length, r->force[i]));
            kl_store(load + 3, r->moment[i]);
            for (int c = 0; c < 6; c++) to[c] += y * load[c];
        }
    k->nset = kl_row_echelon(k->nset, width, W, r->n, k->Y);
    for (int s = 0; s < k->nset; s++) {
        double *y = k->Y + (size_t)s * (size_t)r->n, most = 0.0;
        for (int i = 0; i < r->n; i++) most = fmax(most, fabs(y[i]));
        for (int i = 0; i < r->n; i++) y[i] = fabs(y[i]) < 1e-6 * most ? 0.0 : y[i] / most;
    }
    return KL_OK;
}

/* balanced reactions, then those among them that deform nothing, into Y */
static kl_status find_sets(kl_compatibility_search *k)
{
    const kl_compatibility_rows *r = &k->r;
    size_t                       n = (size_t)r->n, nv = (size_t)r->nv;
    double                      *V     = kl_arena_array(k->a, double, n *n + 1);
    double                      *value = kl_arena_array(k->a, double, n + 1);
    double                      *G     = kl_arena_array(k->a, double, n *nv + 1);
    double                      *Z     = kl_arena_array(k->a, double, n *n + 1);
    k->Y                               = kl_arena_array(k->a, double, n *n + 1);
    k->nset                            = 0;
    if (!kl_arena_ok(k->a)) return KL_E_MEMORY;
    if (n < 2) return KL_OK;
    int modes  = r->nv - r->frame,
        nequal = null_vectors(r->n, r->frame, r->J, r->nv, 1e-7, V, value);
    for (int i = 0; i < nequal; i++)
        for (int c = 0; c < modes; c++)
            for (int p = 0; p < r->n; p++)
                G[i * modes + c] += V[i * r->n + p] * r->J[p * r->nv + r->frame + c];
    k->nset = nequal > 0 ? null_vectors(nequal, modes, G, modes, 1e-7, Z, value) : 0;
    for (int i = 0; i < k->nset; i++)
        for (int p = 0; p < r->n; p++)
            for (int q = 0; q < nequal; q++)
                k->Y[i * r->n + p] += Z[i * nequal + q] * V[q * r->n + p];
    return choose_readable_basis(k);
}

/* ---- one body ---- */

static kl_status add(kl_compatibility_search *k, const bool *mark, bool yes,
                     const kl_compatibility_lock *lock)
{
    int count = 0;
    for (int i = 0; i < k->nset; i++) count += mark[i] == yes;
    if (count == 0) return KL_OK;
    kl_incompatibility *f = &k->list[k->n++];
    *f                    = (kl_incompatibility){.body = k->body, .partner = k->partner};
    if (lock) f->locked = lock->locked, f->naxis = lock->naxis, f->spin = lock->spin;
    for (int i = 0; i < f->naxis; i++) f->axis[i] = lock->axis[i];
    kl_incompatibility_describe(k, mark, yes, f);
    kl_incompatibility_describe_lock(k, f);
    return kl_arena_ok(k->a) ? KL_OK : KL_E_MEMORY;
}

/* joints to one partner: those that lock something, and those that only repeat each other */
static kl_status examine_partner(kl_compatibility_search *k, int partner)
{
    kl_compatibility_lock lock = {0};
    k->partner                 = partner;
    KL_TRY(choose(&k->all, partner, k->a, &k->r));
    KL_TRY(find_sets(k));
    if (k->nset == 0) return KL_OK;
    KL_TRY(kl_compatibility_find_lock(k, &lock));
    KL_TRY(add(k, lock.bends, true, &lock));
    return add(k, lock.bends, false, NULL);
}

/* Sets across several partners: those at the other ends may give way, so that nothing is said of
 * what they lock. */
static kl_status examine_several_partners(kl_compatibility_search *k)
{
    k->partner = -1;
    KL_TRY(choose(&k->all, -1, k->a, &k->r));
    KL_TRY(find_sets(k));
    bool *across = kl_arena_array(k->a, bool, k->nset + 1);
    if (!across) return KL_E_MEMORY;
    for (int s = 0; s < k->nset; s++) {
        int first = -2;
        for (int i = 0; i < k->r.n; i++) {
            if (fabs(k->Y[s * k->r.n + i]) < 0.02) continue;
            across[s] |= first != -2 && first != k->r.partner[i];
            across[s] |= k->r.partner[i] < 0;
            first = k->r.partner[i];
        }
    }
    return add(k, across, true, NULL);
}

static kl_status examine_body(kl_compatibility_search *k)
{
    const kl_model *m        = k->x->model;
    int             partners = 0;
    bool           *seen     = kl_arena_array(k->a, bool, m->nbody + 1);
    if (!seen) return KL_E_MEMORY;
    KL_TRY(gather(m, k->x->w, k->body, k->a, &k->all));
    for (int i = 0; i < k->all.n; i++) {
        int partner = k->all.partner[i];
        partners += partner < 0 || !seen[partner];
        if (partner < 0 || seen[partner]) continue;
        seen[partner] = true;
        KL_TRY(examine_partner(k, partner));
    }
    return partners > 1 ? examine_several_partners(k) : KL_OK;
}

kl_status kl_incompatibility_find(kl_solver *x, kl_arena *a, kl_incompatibility **list, int *n)
{
    const kl_model *m    = x->model;
    int             most = 0;
    *n                   = 0;
    for (int i = 0; i < m->nbody; i++) most += kl_body_deforms(&m->body[i]) ? 2 * m->nbody + 1 : 0;
    *list = kl_arena_array(a, kl_incompatibility, most + 1);
    if (!*list) return KL_E_MEMORY;
    if (most == 0) return KL_OK;
    KL_TRY(kl_eval(m, x->s, x->w));
    for (int i = 0; i < m->nbody; i++) {
        kl_compatibility_search one = {.x = x, .a = a, .body = i, .list = *list + *n};
        if (!kl_body_deforms(&m->body[i])) continue;
        KL_TRY(examine_body(&one));
        *n += one.n;
    }
    return KL_OK;
}
