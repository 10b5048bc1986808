/* How joints and forces hold on to bodies: frames in space or markers, and the signals of controllers. */
#include "language/attach_parts.h"

#include "language/joint_start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "language/reduced.h"
#include "reduce/kbody.h"

const char *const kl_attach_keys[] = {"type",  "like",  "for",    "when", "between", "at",
                                      "axis",  "on",    "x_axis", "of",   "joints",  "pilot",
                                      "nodes", "start", "body",   NULL};

/* A frame in space, or already on a body (named marker). */
typedef struct frame {
    int     body;
    bool    named;
    kl_vec3 r;       /* global */
    kl_mat3 A;       /* global */
    kl_vec3 local_r; /* of a named marker: in the body, kept to the bit */
    kl_mat3 local_A;
    int     node;
    bool    turned; /* of a named marker: the element gave its axes */
} frame;

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
                           "%s: x_axis lies along the axis; give a direction across it", what);
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

/* Axes read in a part, as they stand in space: x and z are arrows, z of a turn turns round in a
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

kl_status kl_attach_markers(kl_scope *s, kl_model *m, const kl_entry *body, int index)
{
    static const char *const known[] = {"at", "axis", "x_axis", "orientation", "on", "spins", NULL};
    const kl_node           *list    = kl_entry_get(body, "markers");
    if (!list) return KL_OK;
    if (list->kind != KL_MAP)
        return kl_fail(s->diag, KL_E_MODEL, list->place,
                       "body '%s': markers is %s; give names: {pin: {at: [x, y, z]}}", body->name,
                       kl_node_kind_word(list->kind));
    kl_placement mirror = {
        .R = kl_identity(), .mirrored = s->place.mirrored, .mirror = s->place.mirror};
    for (const kl_node *n = list->first; n; n = n->next) {
        if (n->kind != KL_MAP) {
            kl_fail(s->diag, KL_E_MODEL, n->place,
                    "marker '%s' is %s; give {at: [x, y, z], axis: z}", n->key,
                    kl_node_kind_word(n->kind));
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
                    "marker '%s': `on` names a marker of a flexible body's file; '%s' is rigid",
                    n->key, body->name);
        KL_TRY(read_spins(s, n, &m->body[index], k));
        if (at) (void)kl_value_vec3(s, at, what_at, "m", &k->r);
        if (turn) (void)kl_value_rotation(s, turn, "marker: orientation", &k->A);
        else (void)read_axes(s, kl_node_get(n, "axis"), kl_node_get(n, "x_axis"), what_axis, &k->A);
        k->r = kl_mirror(&mirror, k->r);
        k->A = placed_axes(&mirror, &k->A, false);
    }
    return KL_OK;
}

/* Markers of the model that say which of the file's they are fixed to. */
static kl_status hang_markers(kl_model *m, int index, const kl_kbody *file, kl_diag *diag)
{
    for (int i = 0; i < m->nnamed; i++) {
        kl_named *n = &m->named[i];
        if (n->body != index || !n->on || !*n->on) continue;
        if (strcmp(n->on, "frame") == 0) n->node = KL_MARKER_FRAME;
        for (int k = 0; k < file->nmarker; k++)
            if (strcmp(file->marker[k].name, n->on) == 0) n->node = k + 1;
        if (n->node == 0)
            kl_fail(diag, KL_E_NAME, m->body[index].place,
                    "body '%s': its file has no marker '%s' that '%s' could be fixed to",
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
        if (file) KL_TRY(hang_markers(m, index, file, diag));
        const char *own = kl_arena_format(m->arena, "%s.frame", m->body[index].name);
        if (file && own && kl_model_find_named(m, own) < 0) {
            kl_named *named = kl_model_add_named(m, "frame", index);
            if (!named) return KL_E_MEMORY;
            named->node = KL_MARKER_FRAME;
        }
        for (int i = 0; file && i < file->nmarker; i++) {
            const kl_kbody_marker *mark = &file->marker[i];
            const char *full = kl_arena_format(m->arena, "%s.%s", m->body[index].name, mark->name);
            if (full && kl_model_find_named(m, full) >= 0) {
                kl_note(diag, b->place,
                        "body '%s': its own marker '%s' hides the one of the body file", b->name,
                        mark->name);
                continue;
            }
            kl_named *named = kl_model_add_named(m, mark->name, index);
            if (!full || !named) return KL_E_MEMORY;
            named->r    = mark->position;
            named->A    = mark->axes;
            named->node = i + 1;
        }
    }
    return KL_OK;
}

/* Does its body file lack, so that nobody knows its markers? That has been told. */
static bool is_unread(const kl_body *b)
{
    for (const kl_key *k = b->type->keys; k && k->name; k++) {
        if (k->kind != KL_KEY_REDUCED) continue;
        return !((const kl_reduced *)(const void *)((const char *)b->data + k->offset))->body;
    }
    return false;
}

static kl_status tell_no_marker(kl_scope *s, const kl_model *m, kl_place place, int body,
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

/* "crank.pin": a marker that the body crank names under `markers`; "crank": the body alone. */
static kl_status find_frame(kl_scope *s, const kl_model *m, const kl_node *where, frame *f)
{
    const char *name;
    *f = (frame){.A = kl_identity()};
    if (where->kind != KL_SCALAR)
        return kl_fail(s->diag, KL_E_MODEL, where->place,
                       "here stands %s; give the name of one body, or of a marker: crank.pin",
                       kl_node_kind_word(where->kind));
    KL_TRY(kl_value_word(s, where, "a body or marker", &name));
    f->body         = kl_attach_find(s, m, name, kl_model_find_body, NULL);
    int         k   = kl_attach_find(s, m, name, kl_model_find_named, NULL);
    const char *dot = strrchr(name, '.');
    if (f->body >= 0) return KL_OK;
    if (k >= 0) {
        /* a named marker is given in the body: carry it to where the body stands */
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
    return tell_no_marker(s, m, where->place, owner, dot + 1);
}

kl_status kl_attach_point(kl_scope *s, const kl_model *m, const kl_node *of, int *body,
                          kl_marker *at)
{
    frame f;
    KL_TRY(find_frame(s, m, of, &f));
    *body = f.body;
    *at   = (kl_marker){.A = kl_identity()};
    if (f.named) *at = (kl_marker){.r = f.local_r, .A = f.local_A, .node = f.node};
    return KL_OK;
}

static kl_status add_frame(kl_scope *s, kl_model *m, const frame *f, bool axial)
{
    kl_vec3   r;
    kl_mat3   A;
    kl_marker local = {.r = f->local_r, .A = f->local_A, .node = f->node};
    if (f->named && !f->turned && s->place.mirrored && axial) {
        kl_vec3 x = kl_axis(&local.A, 0), z = kl_neg(kl_axis(&local.A, 2));
        local.A = kl_from_axes(x, kl_cross(z, x), z);
    }
    if (!f->named) {
        kl_model_pose(m, f->body, &r, &A);
        kl_mat3 At = kl_transpose(&A);
        local.r    = kl_mul(&At, kl_sub(f->r, r));
        local.A    = kl_matmul(&At, &f->A);
    }
    return kl_model_add_marker(m, f->body, &local);
}

/* `at` is one point or a list of two; the i-th of them */
static const kl_node *ith(const kl_node *n, int i)
{
    bool two = n && n->kind == KL_LIST && n->size == 2;
    return two ? (i == 0 ? n->first : n->first->next) : n;
}

/* Gives a named marker the axes that the element asks for. */
static kl_status turn_named(kl_scope *s, const kl_model *m, const kl_entry *e, const kl_node *axis,
                            const kl_node *x_axis, frame *f, bool axial)
{
    char    what[160];
    kl_vec3 r;
    kl_mat3 A;
    snprintf(what, sizeof what, "%s '%.100s': axis", e->section, e->name);
    KL_TRY(read_axes(s, axis, x_axis, what, &f->A));
    f->A = placed_axes(&s->place, &f->A, axial);
    kl_model_pose(m, f->body, &r, &A);
    A          = kl_transpose(&A);
    f->local_A = kl_matmul(&A, &f->A);
    f->turned  = true;
    return KL_OK;
}

/* An axis list of two: [x, y] or [[..], [..]]; three numbers are one axis. */
static kl_status place_frames(kl_scope *s, const kl_model *m, const kl_entry *e, frame f[2], int n,
                              bool axial)
{
    const kl_node *at = kl_entry_get(e, "at"), *axis = kl_entry_get(e, "axis"),
                  *x_axis = kl_entry_get(e, "x_axis");
    char what[160];
    for (int i = 0; i < n; i++) {
        if (f[i].named) {
            /* its own axes; those of a reduced body's marker only where the element gives none */
            if (f[i].node != 0 && (axis || x_axis))
                KL_TRY(turn_named(s, m, e, ith(axis, i), ith(x_axis, i), &f[i], axial));
            continue;
        }
        bool points          = at && at->kind == KL_LIST && at->first && at->first->kind == KL_LIST;
        const kl_node *point = points ? ith(at, i) : at;
        int            other = 1 - i;
        /* without a point of its own a body takes that of the other's named marker, axes and all */
        if (!point && n == 2 && f[other].named) {
            f[i].r = f[other].r;
            f[i].A = f[other].A;
            if (f[other].node == 0 || (!axis && !x_axis)) continue;
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

static kl_status missing(kl_scope *s, const kl_entry *e, const char *what)
{
    return kl_fail(s->diag, KL_E_MODEL, e->place, "%s '%s': %s", e->section, e->name, what);
}

static kl_status attach_pair(kl_scope *s, kl_model *m, const kl_entry *e, bool axial)
{
    const kl_node *between = kl_entry_get(e, "between");
    frame          f[2];
    if (!between)
        return missing(s, e, "`between` is missing; give its two bodies: [ground, crank]");
    if (between->kind != KL_LIST || between->size != 2)
        return kl_fail(s->diag, KL_E_MODEL, between->place,
                       "%s '%s': between wants two bodies, [first, second]", e->section, e->name);
    kl_status first  = find_frame(s, m, between->first, &f[0]),
              second = find_frame(s, m, between->first->next, &f[1]);
    if (first != KL_OK || second != KL_OK) return KL_E_MODEL;
    if (f[0].body == f[1].body)
        return kl_fail(s->diag, KL_E_MODEL, between->place,
                       "%s '%s' stands between '%s' and itself", e->section, e->name,
                       m->body[f[0].body].name);
    if (!kl_entry_get(e, "at") && !f[0].named && !f[1].named)
        return missing(s, e, "`at` is missing; give the point in space: [x, y, z]");
    KL_TRY(place_frames(s, m, e, f, 2, axial));
    KL_TRY(add_frame(s, m, &f[0], axial));
    return add_frame(s, m, &f[1], axial);
}

static kl_status attach_one(kl_scope *s, kl_model *m, const kl_entry *e, bool axial)
{
    const kl_node *on = kl_entry_get(e, "on");
    frame          f[2];
    if (!on) return missing(s, e, "`on` is missing; give the body it acts on");
    KL_TRY(find_frame(s, m, on, &f[0]));
    if (!f[0].named && !kl_entry_get(e, "at")) {
        /* without a point: the reference point of the body */
        kl_mat3 A;
        kl_model_pose(m, f[0].body, &f[0].r, &A);
    }
    KL_TRY(place_frames(s, m, e, f, 1, axial));
    return add_frame(s, m, &f[0], axial);
}

/* Without a body that carries it, a line or surface stands where the part stands that lists it. */
static void place_carrier(const kl_model *m, const kl_element_type *type, const void *data,
                          frame *carrier)
{
    for (const kl_key *k = type->keys; k->name; k++) {
        if (k->kind != KL_KEY_RESOURCE) continue;
        const void *used     = *(const void *const *)(const void *)((const char *)data + k->offset);
        const kl_resource *r = kl_model_resource_of(m, used);
        if (r) carrier->r = r->part.r, carrier->A = r->part.R;
    }
}

/* What carries the line or surface, what follows it, and the element's own coordinates. The body
 * follows with its own axes, or with those of its named marker. */
static kl_status attach_follow(kl_scope *s, kl_model *m, const kl_entry *e,
                               const kl_element_type *type, const void *data)
{
    const kl_node *body = kl_entry_get(e, "body"), *on = kl_entry_get(e, "on"),
                  *at = kl_entry_get(e, "at");
    frame   carrier   = {.A = kl_identity()}, f;
    kl_vec3 r;
    kl_mat3 A;
    if (!body) return missing(s, e, "`body` is missing; give the body that follows");
    if (on) KL_TRY(find_frame(s, m, on, &carrier));
    KL_TRY(find_frame(s, m, body, &f));
    if (f.body == carrier.body)
        return kl_fail(s->diag, KL_E_MODEL, body->place, "%s '%s': '%s' cannot follow itself",
                       e->section, e->name, m->body[f.body].name);
    if (!carrier.named) kl_model_pose(m, carrier.body, &carrier.r, &carrier.A);
    if (!carrier.named && carrier.body == 0) place_carrier(m, type, data, &carrier);
    KL_TRY(add_frame(s, m, &carrier, false));
    if (!f.named) {
        kl_model_pose(m, f.body, &r, &A);
        f.r = r, f.A = A;
        char what[160];
        snprintf(what, sizeof what, "%s '%.100s': at", e->section, e->name);
        if (at) {
            KL_TRY(kl_value_vec3(s, at, what, "m", &f.r));
            f.r = kl_place_point(&s->place, f.r);
        }
    }
    KL_TRY(add_frame(s, m, &f, false));
    kl_coordinates_data own  = {type->own};
    const char         *name = kl_arena_format(m->arena, "%s.s", e->name);
    kl_marker           mark = {.A = kl_identity()};
    if (!name || !kl_model_add_own(m, &kl_coordinates, name, e->place, &own)) return KL_E_MEMORY;
    return kl_model_add_marker(m, m->nbody - 1, &mark);
}

/* The two markers of joint `name`, once more; its index in *found. */
static kl_status copy_joint(kl_scope *s, kl_model *m, const kl_node *where, int *found)
{
    const char *name;
    KL_TRY(kl_value_word(s, where, "a joint", &name));
    int index = kl_attach_find(s, m, name, kl_model_find_element, NULL),
        line  = kl_attach_dropped(s, name);
    if (index == m->nelement - 1) index = -1; /* itself */
    if (index < 0 && line > 0)
        return kl_fail(s->diag, KL_E_NAME, where->place,
                       "the joint '%s' is left out by its `when` in line %d; give what uses it the "
                       "same `when`",
                       name, line);
    /* what its own bodies lack has been told */
    if (index >= 0 && m->element[index].nmarker == 0 && kl_diag_failed(s->diag)) return KL_E_NAME;
    if (index >= 0 && m->element[index].nmarker != 2)
        return kl_fail(s->diag, KL_E_NAME, where->place,
                       "'%s' is a %s, which is no joint between two bodies", name,
                       m->element[index].type->name);
    if (index < 0) {
        const char *near = kl_attach_near_element(s, m, name, m->nelement - 1);
        return kl_fail(s->diag, KL_E_NAME, where->place, "there is no joint '%s' above%s%s%s", name,
                       near ? "; did you mean '" : "; joints must come before what uses them",
                       near ? near : "", near ? "'?" : "");
    }
    for (int i = 0; i < 2; i++) {
        kl_marker copy = m->marker[m->element[index].marker + i];
        KL_TRY(kl_model_add_marker(m, copy.body, &copy));
    }
    *found = index;
    return KL_OK;
}

static kl_status attach_joint(kl_scope *s, kl_model *m, const kl_entry *e, bool axial)
{
    const kl_node *of = kl_entry_get(e, "of");
    if (of && kl_entry_get(e, "between"))
        return missing(s, e, "give `of` a joint or `between` two bodies, not both");
    if (of) return copy_joint(s, m, of, m->element[m->nelement - 1].of);
    if (!kl_entry_get(e, "between"))
        return missing(s, e, "`of` is missing; give the joint it works on, or `between` and `at`");
    return attach_pair(s, m, e, axial);
}

static kl_status attach_joints(kl_scope *s, kl_model *m, const kl_entry *e, bool axial)
{
    (void)axial;
    const kl_node *joints = kl_entry_get(e, "joints");
    if (!joints) return missing(s, e, "`joints` is missing; give the two joints: [first, second]");
    if (joints->kind != KL_LIST || joints->size != 2)
        return kl_fail(s->diag, KL_E_MODEL, joints->place,
                       "%s '%s': joints wants two names, [first, second]", e->section, e->name);
    int *of = m->element[m->nelement - 1].of;
    KL_TRY(copy_joint(s, m, joints->first, &of[0]));
    KL_TRY(copy_joint(s, m, joints->first->next, &of[1]));
    if (of[0] == of[1])
        return kl_fail(s->diag, KL_E_MODEL, joints->place,
                       "%s '%s' couples '%s' with itself; give two different joints", e->section,
                       e->name, m->element[of[0]].name);
    return KL_OK;
}

static kl_status attach_set(kl_scope *s, kl_model *m, const kl_entry *e, bool axial)
{
    (void)axial;
    const kl_node *pilot = kl_entry_get(e, "pilot"), *nodes = kl_entry_get(e, "nodes");
    frame          f, p;
    if (!pilot) return missing(s, e, "`pilot` is missing; give the body that leads");
    if (!nodes)
        return missing(s, e, "`nodes` is missing; give the bodies that follow: [a, b, ...]");
    if (nodes->kind != KL_LIST || nodes->size < 1)
        return kl_fail(s->diag, KL_E_MODEL, nodes->place,
                       "%s '%s': nodes wants a list of the bodies that follow: [a, b, ...]",
                       e->section, e->name);
    KL_TRY(find_frame(s, m, pilot, &p));
    for (const kl_node *n = nodes->first; n; n = n->next) {
        KL_TRY(find_frame(s, m, n, &f));
        if (f.body == p.body)
            return kl_fail(s->diag, KL_E_MODEL, n->place,
                           "%s '%s': the pilot is among its own nodes", e->section, e->name);
        /* both markers where the node stands, with global axes */
        kl_mat3 A;
        if (!f.named) kl_model_pose(m, f.body, &f.r, &A);
        f.A     = kl_identity();
        f.named = p.named = false;
        p.r = f.r, p.A = f.A;
        KL_TRY(add_frame(s, m, &p, false));
        KL_TRY(add_frame(s, m, &f, false));
    }
    return KL_OK;
}

/* ---- signals --------------------------------------------------------------------------------- */

/* The pair of frames of joint `joint`, or of a body or marker against ground: shared by all signals
 * of the element that name the same. */
static kl_status pair_of(kl_scope *s, kl_model *m, const kl_signal *const *before, int n,
                         const char *object, kl_signal *one)
{
    size_t length = strlen(object);
    for (int i = 0; i < n; i++)
        if (before[i]->marker >= 0 && strncmp(before[i]->text, object, length) == 0 &&
            before[i]->text[length] == '.' && before[i]->what == before[i]->text + length + 1) {
            one->marker = before[i]->marker;
            one->body   = before[i]->body;
            one->joint  = before[i]->joint;
            return KL_OK;
        }
    int     first = m->element[m->nelement - 1].marker;
    int     joint = kl_attach_find(s, m, object, kl_model_find_element, NULL);
    kl_node where = {.kind = KL_SCALAR, .text = object, .place = one->place};
    one->marker   = m->nmarker - first;
    one->body     = joint < 0;
    if (joint >= 0) return copy_joint(s, m, &where, &one->joint);
    frame f, ground = {.A = kl_identity()};
    KL_TRY(find_frame(s, m, &where, &f));
    if (!f.named) kl_model_pose(m, f.body, &f.r, &f.A);
    KL_TRY(add_frame(s, m, &ground, false));
    return add_frame(s, m, &f, false);
}

/* "front.hinge.angle": the longest front part that names something, and what of it */
static kl_status find_signal(kl_scope *s, kl_model *m, const kl_signal *const *before, int n,
                             kl_signal *one)
{
    if (strncmp(one->text, "input.", 6) == 0) {
        one->what  = one->text + 6;
        one->input = kl_attach_input(s, m, one->what);
        if (one->input >= 0) return KL_OK;
        return kl_fail(s->diag, KL_E_NAME, one->place,
                       "there is no input '%s'; name it under `inputs:`", one->what);
    }
    for (size_t k = strlen(one->text); k-- > 0;) {
        if (one->text[k] != '.') continue;
        const char *object = kl_arena_text_n(s->arena, one->text, k);
        if (!object) return KL_E_MEMORY;
        if (kl_attach_find(s, m, object, kl_model_find_body, NULL) < 0 &&
            kl_attach_find(s, m, object, kl_model_find_named, NULL) < 0 &&
            kl_attach_find(s, m, object, kl_model_find_element, NULL) < 0)
            continue;
        const char *whole = object;
        if (kl_attach_find(s, m, object, kl_model_find_element, &whole) < 0 &&
            kl_attach_find(s, m, object, kl_model_find_named, &whole) < 0)
            (void)kl_attach_find(s, m, object, kl_model_find_body, &whole);
        one->text = kl_arena_format(s->arena, "%s%s", whole, one->text + k);
        if (!one->text) return KL_E_MEMORY;
        one->what = one->text + strlen(whole) + 1;
        return pair_of(s, m, before, n, whole, one);
    }
    const char *dot = strchr(one->text, '.');
    const char *object =
        dot ? kl_arena_text_n(s->arena, one->text, (size_t)(dot - one->text)) : one->text;
    const char *near = kl_attach_near_element(s, m, object, m->nelement - 1);
    if (!near) near = kl_attach_near_body(s, m, object);
    return kl_fail(s->diag, KL_E_NAME, one->place,
                   "'%s' names no quantity of a joint or body (such as hinge.angle or "
                   "cart.velocity.x)%s%s%s",
                   one->text, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static kl_status attach_signals(kl_scope *s, kl_model *m, const kl_element_type *type, char *data)
{
    enum { MOST = 256 };
    const kl_signal *before[MOST];
    int              n      = 0;
    kl_status        status = KL_OK;
    for (const kl_key *k = type->keys; k->name; k++) {
        if (k->kind != KL_KEY_SIGNALS) continue;
        kl_signals *list = *(kl_signals **)(void *)(data + k->offset);
        for (int i = 0; list && i < list->n; i++) {
            kl_status one = find_signal(s, m, before, n, &list->item[i]);
            if (one != KL_OK) status = one;
            if (n < MOST) before[n++] = &list->item[i];
        }
    }
    return status;
}

/* Does the axis belong to a turn? See kl_element_type. */
static bool is_axial(const kl_element_type *type, const void *data)
{
    if (!type->axial || !*type->axial) return type->axial != NULL;
    for (const kl_key *k = type->keys; k->name; k++) {
        if (strcmp(k->name, type->axial) != 0) continue;
        int         choice = *(const int *)(const void *)((const char *)data + k->offset);
        const char *word   = k->words;
        for (; choice > 0 && strchr(word, ' '); choice--) word = strchr(word, ' ') + 1;
        return strncmp(word, "angle", 5) == 0;
    }
    return false;
}

kl_status kl_attach_element(kl_scope *s, kl_model *m, const kl_entry *e,
                            const kl_element_type *type, void *data)
{
    static kl_status (*const ways[])(kl_scope * s, kl_model * m, const kl_entry *e,
                                     bool axial) = {[KL_ATTACH_PAIR]   = attach_pair,
                                                    [KL_ATTACH_ONE]    = attach_one,
                                                    [KL_ATTACH_JOINT]  = attach_joint,
                                                    [KL_ATTACH_JOINTS] = attach_joints,
                                                    [KL_ATTACH_SET]    = attach_set};
    if (type->attach == KL_ATTACH_SIGNALS) return attach_signals(s, m, type, data);
    if (type->attach == KL_ATTACH_FOLLOW) return attach_follow(s, m, e, type, data);
    KL_TRY(ways[type->attach](s, m, e, is_axial(type, data)));
    KL_TRY(kl_attach_check_axes(s, m, e, type));
    return kl_attach_check_sense(s, m, e, type, data);
}
