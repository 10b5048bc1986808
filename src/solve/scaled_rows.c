#include "solve/scaled_rows.h"

#include <math.h>

#include "model/groups.h"

/* A pivot of the scaled rows below this counts as none. Assembly leaves gaps of 1e-10 at most, and
 * where it met a singular position its root: 1e-5 would hide real but flat mechanisms, 1e-9 would
 * take a singular position for a regular one. */
static const double rank_tolerance = 1e-7;

enum { NATURAL_ORDER = 2500 };

/* What a modal coordinate moves at the markers, at most [m]: into J->column. */
static void find_modal_motion(const kl_model *m, const kl_work *w, kl_scaled_rows *J, double *B)
{
    for (int i = 0; i < m->nmarker_elements; i++) {
        const kl_body *b     = &m->body[m->marker[i].body];
        kl_group       modes = kl_body_group(b, KL_MODAL);
        if (modes.nv == 0) continue;
        b->type->map(b->data, w->cache + b->cache, &m->marker[i], B);
        for (int k = modes.v - b->v; k < modes.v - b->v + modes.nv; k++) {
            double size         = hypot(hypot(B[k], B[b->nv + k]), B[2 * b->nv + k]);
            J->column[b->v + k] = fmax(J->column[b->v + k], size);
        }
    }
}

/* The scale of modes from their motion: that of the model's length. A mode that hardly moves a marker, as
 * torsion of a rod between pins on its axis, gets a scale like the others: by its own it would turn rounding
 * errors into rows. */
static void scale_modes(const kl_model *m, const kl_body *b, kl_scaled_rows *J)
{
    const double share = 1e-3;
    kl_group     modes = kl_body_group(b, KL_MODAL);
    double       most  = 0.0;
    for (int k = modes.v; k < modes.v + modes.nv; k++) most = fmax(most, J->column[k]);
    for (int k = modes.v; k < modes.v + modes.nv; k++)
        J->column[k] = most > 0.0 ? m->length / fmax(J->column[k], share * most) : 1.0;
}

/* Lengths over the model's length; an elastic coordinate by what it moves. */
static void scale_columns(const kl_model *m, const kl_work *w, kl_scaled_rows *J, double *B)
{
    for (int i = 0; i < m->nbody; i++)
        for (int k = m->body[i].v; k < m->body[i].v + m->body[i].nv; k++) {
            kl_group_kind kind = kl_body_group_at(&m->body[i], k).kind;
            J->column[k]       = kl_group_traits_of(kind)->length ? m->length
                                 : kind == KL_MODAL               ? 0.0
                                                                  : 1.0;
        }
    find_modal_motion(m, w, J, B);
    for (int i = 0; i < m->nbody; i++) scale_modes(m, &m->body[i], J);
}

static void list_bodies(const kl_model *m, const kl_element *e, kl_arena *arena, kl_element_rows *r)
{
    r->body = kl_arena_array(arena, int, e->nmarker + 1);
    r->at   = kl_arena_array(arena, int, e->nmarker + 1);
    for (int i = 0; r->body && r->at && i < e->nmarker; i++) {
        int body = m->marker[e->marker + i].body, k = 0;
        if (m->body[body].nv == 0) continue;
        while (k < r->n && r->body[k] != body) k++;
        if (k < r->n) continue;
        r->body[r->n] = body;
        r->at[r->n++] = r->width;
        r->width += m->body[body].nv;
    }
}

static void fill_rows(const kl_model *m, const kl_work *w, const kl_element *e, kl_scaled_rows *J,
                      kl_element_rows *r, double *B)
{
    int wide = 6 * e->nmarker;
    for (int i = 0; i < e->nmarker; i++) {
        const kl_marker *marker = &m->marker[e->marker + i];
        const kl_body   *b      = &m->body[marker->body];
        int              k      = 0;
        if (b->nv == 0) continue;
        while (r->body[k] != marker->body) k++;
        b->type->map(b->data, w->cache + b->cache, marker, B);
        for (int p = 0; p < e->nphi; p++) {
            const double *row = w->rows + e->rows + (size_t)p * (size_t)wide + 6 * (size_t)i;
            double       *to  = r->values + (size_t)p * (size_t)r->width + r->at[k];
            for (int c = 0; c < b->nv; c++) {
                double sum = 0.0;
                for (int q = 0; q < 6; q++) sum += row[q] * B[q * b->nv + c];
                to[c] += sum * J->column[b->v + c];
            }
        }
    }
    for (int p = 0; p < e->nphi; p++) {
        double *row = r->values + (size_t)p * (size_t)r->width, sum = 0.0;
        for (int c = 0; c < r->width; c++) sum += row[c] * row[c];
        double scale       = sum > 0.0 ? 1.0 / sqrt(sum) : 1.0;
        J->row[e->phi + p] = scale;
        for (int c = 0; c < r->width; c++) row[c] *= scale;
    }
}

kl_status kl_scaled_rows_create(const kl_model *m, const kl_work *w, kl_scaled_rows *J)
{
    int most = 6;
    for (int i = 0; i < m->nbody; i++) most = m->body[i].nv > most ? m->body[i].nv : most;
    J->arena   = kl_arena_create();
    J->element = kl_arena_array(J->arena, kl_element_rows, m->nelement + 1);
    J->column  = kl_arena_array(J->arena, double, m->nv + 1);
    J->row     = kl_arena_array(J->arena, double, m->nlam + 1);
    double *B  = kl_arena_array(J->arena, double, 6 * most);
    if (!kl_arena_ok(J->arena)) return KL_E_MEMORY;
    scale_columns(m, w, J, B);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        kl_element_rows  *r = &J->element[i];
        if (e->nphi == 0) continue;
        list_bodies(m, e, J->arena, r);
        r->values = kl_arena_array(J->arena, double, (size_t)e->nphi *(size_t)r->width + 1);
        if (!kl_arena_ok(J->arena)) return KL_E_MEMORY;
        fill_rows(m, w, e, J, r, B);
    }
    return KL_OK;
}

kl_status kl_rank_by_bodies(const kl_model *m, const kl_scaled_rows *J, kl_rank **out)
{
    int *size = kl_arena_array(J->arena, int, m->nbody + 1);
    for (int i = 0; size && i < m->nbody; i++) size[i] = m->body[i].nv;
    *out = size ? kl_rank_create(m->nbody, size) : NULL;
    if (!*out) return KL_E_MEMORY;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element_rows *r = &J->element[i];
        kl_rank_add(*out, m->element[i].nphi, r->n, r->body, r->values);
    }
    return kl_rank_eliminate(*out, rank_tolerance, false);
}

kl_status kl_rank_by_elements(const kl_model *m, const kl_scaled_rows *J, kl_rank **out)
{
    kl_arena *scratch = kl_arena_create();
    int      *size    = kl_arena_array(scratch, int, m->nelement + 1);
    int      *touch   = kl_arena_array(scratch, int, m->nelement + 1);
    double   *T       = kl_arena_array(scratch, double, (size_t)m->nlam * 64 + 1);
    *out              = NULL;
    for (int i = 0; size && i < m->nelement; i++) size[i] = m->element[i].nphi;
    if (kl_arena_ok(scratch)) *out = kl_rank_create(m->nelement, size);

    /* elements of each body, as a list of starts */
    int *start = kl_arena_array(scratch, int, m->nbody + 2), total = 0;
    for (int i = 0; start && i < m->nelement; i++)
        for (int k = 0; k < J->element[i].n; k++) start[J->element[i].body[k] + 1]++, total++;
    int *list = kl_arena_array(scratch, int, total + 1);
    int *fill = kl_arena_array(scratch, int, m->nbody + 1);
    if (!*out || !kl_arena_ok(scratch)) {
        kl_arena_destroy(scratch);
        return KL_E_MEMORY;
    }
    for (int i = 0; i < m->nbody; i++) start[i + 1] += start[i], fill[i] = start[i];
    for (int i = 0; i < m->nelement; i++)
        for (int k = 0; k < J->element[i].n; k++) list[fill[J->element[i].body[k]]++] = i;

    for (int b = 0; b < m->nbody; b++) {
        int n = 0, width = 0, nv = m->body[b].nv;
        for (int k = start[b]; k < start[b + 1]; k++)
            touch[n++] = list[k], width += m->element[list[k]].nphi;
        double *block = nv <= 64 ? T : kl_arena_array(scratch, double, (size_t)nv *(size_t)width);
        if (!block) break;
        for (int k = 0, at = 0; k < n; k++) {
            const kl_element_rows *r    = &J->element[touch[k]];
            int                    mine = 0, nphi = m->element[touch[k]].nphi;
            while (r->body[mine] != b) mine++;
            for (int p = 0; p < nphi; p++)
                for (int c = 0; c < nv; c++)
                    block[(size_t)c * (size_t)width + (size_t)(at + p)] =
                        r->values[(size_t)p * (size_t)r->width + (size_t)(r->at[mine] + c)];
            at += nphi;
        }
        if (n > 0) kl_rank_add(*out, nv, n, touch, block);
    }
    kl_status status = kl_arena_ok(scratch) ? KL_OK : KL_E_MEMORY;
    kl_arena_destroy(scratch);
    if (status != KL_OK) return status;
    return kl_rank_eliminate(*out, rank_tolerance, m->nlam <= NATURAL_ORDER);
}
