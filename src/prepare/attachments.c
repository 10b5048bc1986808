/* Attachments of flexible bodies; see the header. The measure is of reduce/compliance.h. A direction in
 * which a body hardly gives, such as along a slender rod, is measured relative to the largest compliance:
 * no mode is missing for it. */
#include "prepare/attachments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "model/start_reading.h"
#include "reduce/compliance.h"

static const double LIMIT = 0.2;

static bool deforms(const kl_model *m, int body, kl_modal_body *p)
{
    return kl_model_modal(m, body, p) && p->n > 0;
}

/* ---- what elements can load ---- */

/* rows of an element's constraints at the start, nphi x 6 nmarker; NULL when it has none */
static double *rows_of(const kl_model *m, const kl_element *e)
{
    size_t           phi = (size_t)e->nphi, nz = (size_t)e->nz, wide = 6 * (size_t)e->nmarker;
    kl_start_reading at;
    if (e->nphi == 0) return NULL;
    bool    good  = kl_start_reading_open(m, e, &at) == KL_OK;
    double *block = calloc(nz + 3 * phi + wide + 1, sizeof *block);
    double *rows  = calloc(phi * wide + 1, sizeof *rows);
    good          = good && block && rows;
    if (good) {
        kl_writing out = {.phi    = block,
                          .phi_t  = block + phi,
                          .bias   = block + 2 * phi,
                          .wrench = block + 3 * phi,
                          .z_dot  = block + 3 * phi + wide,
                          .rows   = rows};
        good           = e->type->eval(&at.in, &out) == KL_OK;
    }
    kl_start_reading_drop(&at);
    free(block);
    if (good) return rows;
    free(rows);
    return NULL;
}

/* a wrench at a marker, global, as one at its node in body axes */
static void to_node(const kl_mat3 *A, kl_vec3 arm, const double wrench[6], double load[6])
{
    kl_vec3 f = kl_mul_t(A, kl_load(wrench)), t = kl_mul_t(A, kl_load(wrench + 3));
    kl_store(load, f);
    kl_store(load + 3, kl_add(t, kl_cross(arm, f)));
}

/* torque, spring about an axis: a moment about the marker's z axis and nothing else */
static bool only_turns(const kl_element *e)
{
    return e->nphi == 0 && e->type->axial && *e->type->axial == '\0';
}

static kl_status take_turn(const kl_marker *marker, kl_attachment *a, kl_arena *arena)
{
    double none[6] = {0};
    a->load        = kl_arena_take(arena, sizeof *a->load);
    if (!a->load) return KL_E_MEMORY;
    memcpy(a->load[0], none, sizeof none);
    kl_store(a->load[0] + 3, kl_axis(&marker->A, 2));
    a->n = 1;
    return KL_OK;
}

static kl_status take_loads(const kl_model *m, const kl_element *e, int k, kl_attachment *a,
                            kl_arena *arena)
{
    const kl_marker *marker = &m->marker[e->marker + k];
    kl_modal_body    p;
    (void)kl_model_modal(m, marker->body, &p);
    a->turns = only_turns(e);
    if (only_turns(e)) return take_turn(marker, a, arena);
    double *rows = rows_of(m, e);
    kl_vec3 r, arm = kl_sub(marker->r, p.file->body->marker[a->marker].position);
    kl_mat3 A, I   = kl_identity();
    kl_model_pose(m, marker->body, &r, &A);
    bool turns = strcmp(e->type->name, "bushing") == 0;
    int  most  = rows ? e->nphi : turns ? 6 : 3;
    a->load    = kl_arena_take(arena, (size_t)most * sizeof *a->load);
    for (int i = 0; a->load && i < most; i++) {
        double unit[6]    = {0};
        unit[i % 6]       = 1.0;
        const double *row = rows ? rows + (size_t)(i * 6 * e->nmarker + 6 * k) : unit;
        to_node(rows ? &A : &I, arm, row, a->load[a->n]);
        double size = 0.0;
        for (int c = 0; c < 6; c++) size = fmax(size, fabs(a->load[a->n][c]));
        a->n += size > 1e-9;
    }
    free(rows);
    return a->load ? KL_OK : KL_E_MEMORY;
}

kl_status kl_attachments_find(const kl_model *m, kl_arena *arena, kl_attachment **list, int *n)
{
    *n    = 0;
    *list = kl_arena_array(arena, kl_attachment, m->nmarker_elements + 1);
    if (!*list) return KL_E_MEMORY;
    for (int i = 0; i < m->nelement; i++)
        for (int k = 0; k < m->element[i].nmarker; k++) {
            const kl_marker *marker = &m->marker[m->element[i].marker + k];
            kl_modal_body    p;
            if (marker->node <= 0 || !deforms(m, marker->body, &p)) continue;
            kl_attachment *a = &(*list)[(*n)++];
            *a = (kl_attachment){.body = marker->body, .element = i, .marker = marker->node - 1};
            KL_TRY(take_loads(m, &m->element[i], k, a, arena));
        }
    return KL_OK;
}

/* ---- the measure ---- */

bool kl_attachment_is_force(const double load[6]) { return kl_norm(kl_load(load)) > 1e-6; }

static double compliance_along(const double *G, int wide, int marker, const double load[6])
{
    double sum = 0.0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            sum += load[i] * G[(6 * marker + i) * wide + 6 * marker + j] * load[j];
    return sum;
}

/* largest of the translations' or the rotations' own block */
static double largest_compliance(const double *G, int wide, int marker, int first)
{
    double A[9], w[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = G[(6 * marker + first + i) * wide + 6 * marker + first + j];
    return kl_symmetric_eigen(3, A, w) == KL_OK ? w[2] : 0.0;
}

double kl_attachment_omitted(const double *full, const double *reduced, int wide, int marker,
                             const double load[6])
{
    double missing = compliance_along(full, wide, marker, load) -
                     compliance_along(reduced, wide, marker, load),
           scale = 0;
    for (int part = 0; part < 6; part += 3) {
        kl_vec3 l = kl_load(load + part);
        scale += kl_dot(l, l) * largest_compliance(full, wide, marker, part);
    }
    return scale > 0.0 ? fmax(0.0, missing) / scale : 0.0;
}

/* ---- warnings ---- */

static const char *direction_of(const double load[6], char text[80])
{
    static const char *const names[] = {"along x", "along y", "along z",
                                        "about x", "about y", "about z"};
    double                   size    = 0.0;
    int                      most    = 0;
    for (int c = 0; c < 6; c++)
        if (fabs(load[c]) > size) size = fabs(load[c]), most = c;
    bool only = true;
    for (int c = 0; c < 6; c++) only = only && (c == most || fabs(load[c]) < 1e-6 * size);
    const double *l = load + 3 * (most / 3);
    if (only) snprintf(text, 80, "%s", names[most]);
    else
        snprintf(text, 80, "%s (%.2g, %.2g, %.2g)", most < 3 ? "along" : "about", l[0], l[1], l[2]);
    return text;
}

static void warn(const kl_model *m, const kl_modal_body *p, const kl_attachment *a, double miss,
                 const double load[6], kl_diag *diag)
{
    char        text[80];
    const char *marker = p->file->body->marker[a->marker].name;
    kl_warn(diag, m->body[a->body].place,
            "body '%s': its %d modes omit %.0f %% of the static compliance at marker '%s' %s, "
            "where '%s' loads it; write `statics: attachment` and `interfaces: [%s]` in the body "
            "file, or run `klingel fe --advise`",
            m->body[a->body].name, p->n, 100 * miss, marker, direction_of(load, text),
            m->element[a->element].name, marker);
}

static kl_status check_body(const kl_model *m, int body, const kl_attachment *list, int n,
                            kl_diag *diag)
{
    kl_modal_body p;
    (void)kl_model_modal(m, body, &p);
    const kl_kbody *b    = p.file->body;
    int             wide = 6 * b->nmarker, modes = p.n - p.nrigid;
    double         *G = malloc(((size_t)wide * (size_t)wide + 1) * sizeof *G);
    if (!G) return KL_E_MEMORY;
    kl_status status = kl_compliance_of_modes(b, modes, p.mode, G);
    for (int k = 0; status == KL_OK && k < b->nmarker; k++) {
        const kl_attachment *worst = NULL;
        const double        *load  = NULL;
        double               most  = LIMIT;
        for (int i = 0; i < n; i++)
            for (int j = 0; list[i].body == body && list[i].marker == k && j < list[i].n; j++) {
                if (!list[i].turns && !kl_attachment_is_force(list[i].load[j])) continue;
                double miss = kl_attachment_omitted(b->compliance, G, wide, k, list[i].load[j]);
                if (miss > most) most = miss, worst = &list[i], load = list[i].load[j];
            }
        if (worst) warn(m, &p, worst, most, load, diag);
    }
    free(G);
    return status == KL_E_SINGULAR ? KL_OK
                                   : status; /* rigid motion among the modes: not measured */
}

kl_status kl_attachments_check(const kl_model *m, kl_diag *diag)
{
    kl_attachment *list;
    int            n;
    kl_arena      *arena  = kl_arena_create();
    kl_status      status = arena ? KL_OK : KL_E_MEMORY;
    bool           any    = false;
    for (int i = 0; i < m->nbody; i++) {
        kl_modal_body p;
        any |= deforms(m, i, &p) && p.file->body->compliance;
    }
    if (any && status == KL_OK) status = kl_attachments_find(m, arena, &list, &n);
    for (int i = 0; any && status == KL_OK && i < m->nbody; i++) {
        kl_modal_body p;
        if (deforms(m, i, &p) && p.file->body->compliance) status = check_body(m, i, list, n, diag);
    }
    kl_arena_destroy(arena);
    return status;
}
