/* Frames on bodies: named markers, points and axes in space, and the markers that a body lists. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "language/attach_parts.h"
#include "language/reduced.h"
#include "reduce/kbody.h"

/* ---- frames ---------------------------------------------------------------------------------- */

/* z along `z`; x along the part of `x_hint` normal to it, or any normal; for z up the axes are the
 * global ones */
static kl_status axes(kl_scope *s, const kl_node *where, const char *what, kl_vec3 z,
                      const kl_vec3 *x_hint, kl_mat3 *A)
{
    kl_vec3 x = kl_normal_to(z);
    if (x_hint) {
        x = kl_sub(*x_hint, kl_scale(kl_dot(*x_hint, z), z));
        if (kl_norm(x) < 1e-9)
            return kl_fail(s->diag, KL_E_RANGE, where->place,
                           "%s and `x_axis` are parallel; give an `x_axis` normal to the axis",
                           what);
        x = kl_unit(x);
    }
    *A = kl_from_axes(x, kl_cross(z, x), z);
    return KL_OK;
}

static kl_status read_axes(kl_scope *s, const kl_node *axis, const kl_node *x_axis,
                           const char *what, kl_mat3 *A)
{
    kl_vec3 z = kl_vec(0, 0, 1), x;
    if (axis) KL_TRY(kl_value_axis(s, axis, what, &z));
    if (x_axis) KL_TRY(kl_value_axis(s, x_axis, what, &x));
    return axes(s, axis ? axis : x_axis, what, z, x_axis ? &x : NULL, A);
}

/* Axes read in a part, as they are in space: x and z are arrows, z of a turn turns round in a
 * mirror, y follows. */
static kl_mat3 placed_axes(const kl_placement *p, const kl_mat3 *A, bool axial)
{
    if (!p->mirrored) return p->turned ? kl_matmul(&p->R, A) : *A;
    kl_vec3 x = kl_place_arrow(p, kl_axis(A, 0));
    kl_vec3 z = axial ? kl_place_turn(p, kl_axis(A, 2)) : kl_place_arrow(p, kl_axis(A, 2));
    return kl_from_axes(x, kl_cross(z, x), z);
}

static bool has_file(const kl_body *b)
{
    for (const kl_key *k = b->type->keys; k && k->name; k++)
        if (k->kind == KL_KEY_REDUCED) return true;
    return false;
}

/* `spins: false`: a marker that does not take part in the spin of a body with `spin_axis`. */
static kl_status read_spins(kl_scope *s, const kl_node *marker, const kl_body *b, kl_named *k)
{
    const kl_node *n     = kl_node_get(marker, "spins");
    bool           spins = true;
    if (!n || kl_value_flag(s, n, "marker: spins", &spins) != KL_OK || spins) return KL_OK;
    k->node                  = KL_MARKER_UNSPUN;
    const kl_body_type *type = b->type->variant ? b->type->variant(b->data) : b->type;
    if (type->spin) return KL_OK;
    kl_fail(s->diag, KL_E_MODEL, n->place,
            "marker '%s': `spins: false` is for bodies with a spin axis, and '%s' has none; give "
            "it `spin_axis: y` (the axis that it spins about), or leave `spins` out",
            marker->key, b->name);
    return KL_OK;
}

/* Markers that the type of the body brings along, unless the model has one of that name. */
static kl_status add_own_markers(kl_model *m, const kl_node *list, const kl_placement *mirror,
                                 int index)
{
    const kl_body    *b = &m->body[index];
    kl_builtin_marker own[KL_BUILTIN_MARKERS];
    int               n = b->type->markers ? b->type->markers(b->data, own) : 0;
    for (int i = 0; i < n; i++) {
        if (list && list->kind == KL_MAP && kl_node_get(list, own[i].name)) continue;
        kl_named *k = kl_model_add_named(m, own[i].name, index);
        if (!k) return KL_E_MEMORY;
        k->on = "";
        k->r  = kl_mirror(mirror, own[i].r);
        if (!own[i].spins) k->node = KL_MARKER_UNSPUN;
    }
    return KL_OK;
}

kl_status kl_attach_markers(kl_scope *s, kl_model *m, const kl_entry *body, int index)
{
    static const char *const known[] = {"at", "axis", "x_axis", "orientation", "on", "spins", NULL};
    const kl_node           *list    = kl_entry_get(body, "markers");
    kl_placement             mirror  = {
                     .R = kl_identity(), .mirrored = s->place.mirrored, .mirror = s->place.mirror};
    KL_TRY(add_own_markers(m, list, &mirror, index));
    if (!list) return KL_OK;
    if (list->kind != KL_MAP)
        return kl_fail(s->diag, KL_E_MODEL, list->place,
                       "body '%s': markers is %s; give names: {pin: {at: [x, y, z]}}", body->name,
                       kl_node_kind_word(list->kind));
    for (const kl_node *n = list->first; n; n = n->next) {
        if (n->kind != KL_MAP) {
            kl_fail(s->diag, KL_E_MODEL, n->place,
                    "marker '%s' is %s; give {at: [x, y, z], axis: z}", n->key,
                    kl_node_kind_word(n->kind));
            /* elements that name it get no second message */
            if (!kl_model_add_named(m, n->key, index)) return KL_E_MEMORY;
            continue;
        }
        kl_entry entry = {
            .name = n->key, .section = "marker", .place = n->place, .chain = {n, NULL}};
        char what_at[160], what_axis[160];
        snprintf(what_at, sizeof what_at, "marker '%.100s': at", n->key);
        snprintf(what_axis, sizeof what_axis, "marker '%.100s': axis", n->key);
        kl_values_unknown(s, &entry, "marker", NULL, known);
        kl_named *k = kl_model_add_named(m, n->key, index);
        if (!k) return KL_E_MEMORY;
        const kl_node *at = kl_node_get(n, "at"), *turn = kl_node_get(n, "orientation");
        const kl_node *on = kl_node_get(n, "on");
        k->on             = "";
        if (on) (void)kl_value_word(s, on, "marker: on", &k->on);
        if (on && !has_file(&m->body[index]))
            kl_fail(s->diag, KL_E_MODEL, on->place,
                    "marker '%s': `on` names a marker of a body file, but '%s' is rigid and has "
                    "none; remove `on`",
                    n->key, body->name);
        KL_TRY(read_spins(s, n, &m->body[index], k));
        if (at) (void)kl_value_vec3(s, at, what_at, "m", &k->r);
        if (turn) (void)kl_value_rotation(s, turn, "marker: orientation", &k->A);
        else (void)read_axes(s, kl_node_get(n, "axis"), kl_node_get(n, "x_axis"), what_axis, &k->A);
        /* in a mirrored part x and z are mirrored and y = z x x, so that the axes stay right-handed */
        k->r = kl_mirror(&mirror, k->r);
        k->A = placed_axes(&mirror, &k->A, false);
    }
    return KL_OK;
}

/* Markers of the model that say which of the file's they are fixed to. */
static kl_status fix_markers_to_file(kl_model *m, int index, const kl_kbody *file, kl_diag *diag)
{
    for (int i = 0; i < m->nnamed; i++) {
        kl_named *n = &m->named[i];
        if (n->body != index || !n->on || !*n->on) continue;
        if (strcmp(n->on, "frame") == 0) n->node = KL_MARKER_FRAME;
        for (int k = 0; k < file->nmarker; k++)
            if (strcmp(file->marker[k].name, n->on) == 0) n->node = k + 1;
        if (n->node == 0)
            kl_fail(diag, KL_E_NAME, m->body[index].place,
                    "body '%s': its body file has no marker '%s', on which marker '%s' is placed; "
                    "add it to the body file, or name another marker in `on`",
                    m->body[index].name, n->on, n->name);
    }
    return KL_OK;
}

kl_status kl_attach_reduced(kl_model *m, int index, kl_diag *diag)
{
    const kl_body *b = &m->body[index];
    for (const kl_key *k = b->type->keys; k && k->name; k++) {
        if (k->kind != KL_KEY_REDUCED) continue;
        kl_reduced *reduced = (kl_reduced *)(void *)((char *)b->data + k->offset);
        KL_TRY(kl_reduced_mirror(m, reduced));
        const kl_kbody *file = reduced->body;
        if (file) KL_TRY(fix_markers_to_file(m, index, file, diag));
        const char *own = kl_arena_format(m->arena, "%s.frame", m->body[index].name);
        if (file && own && kl_model_find_named(m, own) < 0) {
            kl_named *named = kl_model_add_named(m, "frame", index);
            if (!named) return KL_E_MEMORY;
            named->node = KL_MARKER_FRAME;
        }
        for (int i = 0; file && i < file->nmarker; i++) {
            const kl_kbody_marker *mark = &file->marker[i];
            const char *full = kl_arena_format(m->arena, "%s.%s", m->body[index].name, mark->name);
            /* the model has the last word: its marker keeps the name */
            if (full && kl_model_find_named(m, full) >= 0) {
                kl_note(diag, b->place,
                        "body '%s': marker '%s' of the model replaces the marker of the same name "
                        "in the body file",
                        b->name, mark->name);
                continue;
            }
            kl_named *named = kl_model_add_named(m, mark->name, index);
            if (!full || !named) return KL_E_MEMORY;
            named->r = mark->position;
            named->A = mark->axes;
            /* 0 means no node, so markers of the file count from 1 */
            named->node = i + 1;
        }
    }
    return KL_OK;
}

/* Does its body file lack, so that nobody knows its markers? That has been reported. */
static bool is_unread(const kl_body *b)
{
    for (const kl_key *k = b->type->keys; k && k->name; k++) {
        if (k->kind != KL_KEY_REDUCED) continue;
        return !((const kl_reduced *)(const void *)((const char *)b->data + k->offset))->body;
    }
    return false;
}

static kl_status report_no_marker(kl_scope *s, const kl_model *m, kl_place place, int body,
                                  const char *name)
{
    const char **names = malloc(((size_t)m->nnamed + 1) * sizeof *names);
    int          n     = 0;
    for (int i = 0; names && i < m->nnamed; i++)
        if (m->named[i].body == body) names[n++] = m->named[i].name;
    if (names) names[n] = NULL;
    const char *near = names ? kl_nearest(name, names) : NULL, *owner = m->body[body].name;
    free((void *)names);
    if (near)
        return kl_fail(s->diag, KL_E_NAME, place,
                       "body '%s' has no marker '%s'; did you mean '%s.%s'?", owner, name, owner,
                       near);
    return kl_fail(
        s->diag, KL_E_NAME, place,
        "body '%s' has no marker '%s'; name it under its `markers:` {%s: {at: [x, y, z]}}", owner,
        name, name);
}

/* A node of a compound has its own position, as a named marker does; axes are the global
 * ones unless the element gives others. */
static void take_node(const kl_model *m, kl_body_frame *f)
{
    kl_mat3 A;
    kl_model_pose(m, f->body, &f->r, &A);
    f->named   = true;
    f->local_r = kl_vec(0, 0, 0);
    f->local_A = kl_transpose(&A);
    f->A       = kl_identity();
    f->node    = KL_MARKER_FRAME;
}

kl_status kl_attach_refuse_compound(kl_scope *s, const kl_model *m, const kl_node *where,
                                    const kl_body_frame *f)
{
    const kl_compound *c = &m->compound[f->compound - 1];
    return kl_fail(s->diag, KL_E_NAME, where->place,
                   "'%s' is a %s of %d nodes; name the node, for example `%s` or `%s`", c->name,
                   c->type->name, c->nbody, m->body[c->body].name,
                   m->body[c->body + c->nbody - 1].name);
}

/* "crank.pin": a marker that the body crank names under `markers`; "crank": the body alone. */
static kl_status find_frame(kl_scope *s, const kl_model *m, const kl_node *where, kl_body_frame *f)
{
    const char *name;
    *f = (kl_body_frame){.A = kl_identity()};
    if (where->kind != KL_SCALAR)
        return kl_fail(s->diag, KL_E_MODEL, where->place,
                       "this is %s; give the name of one body, or of a marker such as crank.pin",
                       kl_node_kind_word(where->kind));
    KL_TRY(kl_value_word(s, where, "a body or marker", &name));
    f->body         = kl_attach_find(s, m, name, kl_model_find_body, NULL);
    int         k   = kl_attach_find(s, m, name, kl_model_find_named, NULL);
    const char *dot = strrchr(name, '.');
    if (f->body >= 0) {
        if (m->body[f->body].node) take_node(m, f);
        return KL_OK;
    }
    int compound = kl_attach_find(s, m, name, kl_model_find_compound, NULL);
    if (compound >= 0) {
        f->compound = 1 + compound;
        f->body     = m->compound[compound].body;
        return m->compound[compound].nbody > 0 ? KL_OK : KL_E_NAME;
    }
    if (k < 0 && strcmp(name, "ground.origin") == 0) { /* there without being listed */
        *f =
            (kl_body_frame){.body = 0, .named = true, .A = kl_identity(), .local_A = kl_identity()};
        return KL_OK;
    }
    if (k >= 0) {
        /* a named marker is given in the body: carry it to the position of the body */
        const kl_named *marker = &m->named[k];
        kl_vec3         r;
        kl_mat3         A;
        kl_model_pose(m, marker->body, &r, &A);
        f->body    = marker->body;
        f->named   = true;
        f->local_r = marker->r;
        f->local_A = marker->A;
        f->node    = marker->node;
        f->r       = kl_add(r, kl_mul(&A, marker->r));
        f->A       = kl_matmul(&A, &marker->A);
        return KL_OK;
    }
    char *body = dot ? kl_arena_text_n(s->arena, name, (size_t)(dot - name)) : NULL;
    if (dot && !body) return KL_E_MEMORY;
    int owner = dot ? kl_attach_find(s, m, body, kl_model_find_body, NULL) : -1;
    if (owner < 0) {
        kl_attach_body(s, m, where, name);
        return KL_E_NAME;
    }
    if (is_unread(&m->body[owner]) && kl_diag_failed(s->diag)) return KL_E_NAME;
    return report_no_marker(s, m, where->place, owner, dot + 1);
}

kl_status kl_attach_point(kl_scope *s, const kl_model *m, const kl_node *of, int *body,
                          kl_marker *at)
{
    kl_body_frame f;
    KL_TRY(find_frame(s, m, of, &f));
    if (f.compound) return kl_attach_refuse_compound(s, m, of, &f);
    *body = f.body;
    *at   = (kl_marker){.A = kl_identity()};
    if (f.named) *at = (kl_marker){.r = f.local_r, .A = f.local_A, .node = f.node};
    if (m->body[f.body].node) at->A = kl_identity();
    return KL_OK;
}

kl_status kl_attach_find_frame(kl_attaching *a, const kl_node *where, kl_body_frame *f)
{
    return find_frame(a->s, a->m, where, f);
}

kl_status kl_attach_add_frame(kl_attaching *a, const kl_body_frame *f, bool axial)
{
    kl_model *m = a->m;
    kl_vec3   r;
    kl_mat3   A;
    kl_marker local = {.r = f->local_r, .A = f->local_A, .node = f->node};
    /* A mirror image reverses the sense of an angle about z: the reflected frame is left-handed.
     * Reversing z (and y = z x x with it) makes it right-handed again. */
    if (f->named && !f->turned && a->s->place.mirrored && axial) {
        kl_vec3 x = kl_axis(&local.A, 0), z = kl_neg(kl_axis(&local.A, 2));
        local.A = kl_from_axes(x, kl_cross(z, x), z);
    }
    int body =
        f->compound ? kl_model_holder(m, f->compound - 1, f->r, a->e->place, a->s->diag) : f->body;
    if (body < 0) return KL_E_MODEL;
    if (!f->named) {
        kl_model_pose(m, body, &r, &A);
        kl_mat3 At = kl_transpose(&A);
        local.r    = kl_mul(&At, kl_sub(f->r, r));
        local.A    = kl_matmul(&At, &f->A);
    }
    return kl_model_add_marker(m, body, &local);
}

/* `at` is one point or a list of two; the i-th of them */
static const kl_node *ith(const kl_node *n, int i)
{
    bool two = n && n->kind == KL_LIST && n->size == 2;
    return two ? (i == 0 ? n->first : n->first->next) : n;
}

/* The axes that the element asks for at a frame with the axes `A` of a named marker; with `x_axis`
 * alone the z axis of the marker is kept. */
static kl_status asked_axes(kl_attaching *a, const kl_node *axis, const kl_node *x_axis, kl_mat3 *A)
{
    kl_scope *s = a->s;
    char      what[160];
    kl_vec3   x;
    snprintf(what, sizeof what, "%s '%.100s': axis", a->e->section, a->e->name);
    if (!axis) {
        KL_TRY(kl_value_axis(s, x_axis, what, &x));
        x = kl_place_arrow(&s->place, x);
        return axes(s, x_axis, what, kl_axis(A, 2), &x, A);
    }
    KL_TRY(read_axes(s, axis, x_axis, what, A));
    *A = placed_axes(&s->place, A, a->axial);
    return KL_OK;
}

static kl_status turn_named(kl_attaching *a, const kl_node *axis, const kl_node *x_axis,
                            kl_body_frame *f)
{
    kl_vec3 r;
    kl_mat3 A;
    KL_TRY(asked_axes(a, axis, x_axis, &f->A));
    kl_model_pose(a->m, f->body, &r, &A);
    A          = kl_transpose(&A);
    f->local_A = kl_matmul(&A, &f->A);
    f->turned  = axis != NULL;
    return KL_OK;
}

kl_status kl_attach_place_frames(kl_attaching *a, kl_body_frame f[2], int n)
{
    kl_scope       *s     = a->s;
    const kl_entry *e     = a->e;
    bool            axial = a->axial;
    const kl_node  *at = kl_entry_get(e, "at"), *axis = kl_entry_get(e, "axis"),
                  *x_axis = kl_entry_get(e, "x_axis");
    char          what[160];
    kl_body_frame marker[2] = {f[0], f[n - 1]}; /* as named, with their own axes */
    for (int i = 0; i < n; i++) {
        bool turns = axis || x_axis;
        if (f[i].named) {
            if (turns) KL_TRY(turn_named(a, ith(axis, i), ith(x_axis, i), &f[i]));
            continue;
        }
        bool points          = at && at->kind == KL_LIST && at->first && at->first->kind == KL_LIST;
        const kl_node *point = points ? ith(at, i) : at;
        int            other = 1 - i;
        /* without a point of its own a body takes that of the other's named marker, axes and all */
        if (!point && n == 2 && marker[other].named) {
            f[i].r = marker[other].r;
            f[i].A = marker[other].A;
            if (turns) KL_TRY(asked_axes(a, ith(axis, i), ith(x_axis, i), &f[i].A));
            continue;
        }
        snprintf(what, sizeof what, "%s '%.100s': at", e->section, e->name);
        if (point) {
            KL_TRY(kl_value_vec3(s, point, what, "m", &f[i].r));
            f[i].r = kl_place_point(&s->place, f[i].r);
        }
        snprintf(what, sizeof what, "%s '%.100s': axis", e->section, e->name);
        KL_TRY(read_axes(s, ith(axis, i), ith(x_axis, i), what, &f[i].A));
        f[i].A = placed_axes(&s->place, &f[i].A, axial);
    }
    return KL_OK;
}

kl_status kl_attach_own(kl_attaching *a)
{
    kl_coordinates_data own  = {a->type->own};
    const char         *name = kl_arena_format(a->m->arena, "%s.s", a->e->name);
    kl_marker           mark = {.A = kl_identity()};
    if (!name || !kl_model_add_own(a->m, &kl_coordinates, name, a->e->place, &own))
        return KL_E_MEMORY;
    return kl_model_add_marker(a->m, a->m->nbody - 1, &mark);
}

kl_status kl_attach_missing(kl_attaching *a, const char *what)
{
    return kl_fail(a->s->diag, KL_E_MODEL, a->e->place, "%s '%s': %s", a->e->section, a->e->name,
                   what);
}

const char *kl_attach_marker_name(const kl_model *m, int i, char text[KL_MARKER_NAME])
{
    snprintf(text, KL_MARKER_NAME, "%.250s.m%d", m->body[m->marker[i].body].name, i);
    return text;
}
