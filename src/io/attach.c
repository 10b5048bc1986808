#include "io/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const kl_attach_keys[] = {"type",  "like",   "for", "between", "at",
                                      "axis",  "x_axis", "on",  "of",      "joints",
                                      "pilot", "nodes",  NULL};

/* A frame in space, or already on a body (named marker). */
typedef struct frame {
    int     body;
    bool    named;
    kl_vec3 r; /* global */
    kl_mat3 A; /* global */
} frame;

int kl_attach_body(kl_scope *s, const kl_model *m, const kl_node *where, const char *name)
{
    int index = kl_model_find_body(m, name);
    if (index >= 0) return index;
    const char **names = malloc(((size_t)m->nbody + 1) * sizeof *names);
    const char  *near  = NULL;
    if (names) {
        for (int i = 0; i < m->nbody; i++) names[i] = m->body[i].name;
        names[m->nbody] = NULL;
        near            = kl_nearest(name, names);
    }
    kl_fail(s->diag, KL_E_NAME, where->place, "there is no body '%s'%s%s%s", name,
            near ? "; did you mean '" : "; the body that does not move is called 'ground'",
            near ? near : "", near ? "'?" : "");
    free((void *)names);
    return -1;
}

/* z along `z`; x along the part of `x_hint` normal to it, or any normal; for z up the axes are the
 * global ones */
static kl_status axes(kl_scope *s, const kl_node *where, const char *what, kl_vec3 z,
                      const kl_vec3 *x_hint, kl_mat3 *A)
{
    kl_vec3 x = kl_normal_to(z);
    if (x_hint) {
        x = kl_sub(*x_hint, kl_scale(kl_dot(*x_hint, z), z));
        if (kl_norm(x) < 1e-9)
            return kl_fail(s->diag, KL_E_RANGE, where->place, "%s: x_axis lies along the axis",
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

kl_status kl_attach_markers(kl_scope *s, kl_model *m, const kl_entry *body, int index)
{
    static const char *const known[] = {"at", "axis", "x_axis", NULL};
    const kl_node           *list    = kl_entry_get(body, "markers");
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
            continue;
        }
        kl_entry entry = {
            .name = n->key, .section = "marker", .place = n->place, .chain = {n, NULL}};
        kl_values_unknown(s, &entry, "marker", NULL, known);
        kl_named *k = kl_model_add_named(m, n->key, index);
        if (!k) return KL_E_MEMORY;
        const kl_node *at = kl_node_get(n, "at");
        if (at) (void)kl_value_vec3(s, at, "marker: at", "m", &k->r);
        (void)read_axes(s, kl_node_get(n, "axis"), kl_node_get(n, "x_axis"), "marker: axis", &k->A);
    }
    return KL_OK;
}

/* "crank.pin": a marker that the body crank names under `markers`; "crank": the body alone. */
static kl_status find_frame(kl_scope *s, const kl_model *m, const kl_node *where, frame *f)
{
    const char *name;
    *f = (frame){.A = kl_identity()};
    KL_TRY(kl_value_word(s, where, "a body or marker", &name));
    f->body         = kl_model_find_body(m, name);
    const char *dot = strrchr(name, '.');
    if (f->body >= 0 || !dot) {
        f->body = kl_attach_body(s, m, where, name);
        return f->body < 0 ? KL_E_NAME : KL_OK;
    }
    char *body = kl_arena_text_n(s->arena, name, (size_t)(dot - name));
    if (!body) return KL_E_MEMORY;
    f->body = kl_attach_body(s, m, where, body);
    if (f->body < 0) return KL_E_NAME;
    for (int i = 0; i < m->nnamed; i++) {
        const kl_named *k = &m->named[i];
        if (k->body != f->body || strcmp(k->name, dot + 1) != 0) continue;
        /* a named marker is given in the body: carry it to where the body stands */
        kl_vec3 r;
        kl_mat3 A;
        kl_model_pose(m, f->body, &r, &A);
        f->named = true;
        f->r     = kl_add(r, kl_mul(&A, k->r));
        f->A     = kl_matmul(&A, &k->A);
        return KL_OK;
    }
    return kl_fail(
        s->diag, KL_E_NAME, where->place,
        "body '%s' has no marker '%s'; name it under its `markers:` {%s: {at: [x, y, z]}}", body,
        dot + 1, dot + 1);
}

static kl_status add_frame(kl_model *m, const frame *f)
{
    kl_vec3 r;
    kl_mat3 A;
    kl_model_pose(m, f->body, &r, &A);
    kl_mat3   At    = kl_transpose(&A);
    kl_marker local = {.r = kl_mul(&At, kl_sub(f->r, r)), .A = kl_matmul(&At, &f->A)};
    return kl_model_add_marker(m, f->body, &local);
}

/* `at` is one point or a list of two; the i-th of them */
static const kl_node *ith(const kl_node *n, int i)
{
    bool two = n && n->kind == KL_LIST && n->size == 2;
    return two ? (i == 0 ? n->first : n->first->next) : n;
}

/* An axis list of two: [x, y] or [[..], [..]]; three numbers are one axis. */
static kl_status place_frames(kl_scope *s, const kl_entry *e, frame f[2], int n)
{
    const kl_node *at = kl_entry_get(e, "at"), *axis = kl_entry_get(e, "axis"),
                  *x_axis = kl_entry_get(e, "x_axis");
    char what[160];
    snprintf(what, sizeof what, "%s '%.100s': at", e->section, e->name);
    for (int i = 0; i < n; i++) {
        if (f[i].named) continue;
        const kl_node *point = ith(at, i);
        int            other = 1 - i;
        /* without a point of its own a body takes that of the other's named marker, axes and all */
        if (!point && n == 2 && f[other].named) {
            f[i].r = f[other].r;
            f[i].A = f[other].A;
            continue;
        }
        if (point) KL_TRY(kl_value_vec3(s, point, what, "m", &f[i].r));
        snprintf(what, sizeof what, "%s '%.100s': axis", e->section, e->name);
        KL_TRY(read_axes(s, ith(axis, i), ith(x_axis, i), what, &f[i].A));
    }
    return KL_OK;
}

static kl_status missing(kl_scope *s, const kl_entry *e, const char *what)
{
    return kl_fail(s->diag, KL_E_MODEL, e->place, "%s '%s': %s", e->section, e->name, what);
}

static kl_status attach_pair(kl_scope *s, kl_model *m, const kl_entry *e)
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
    KL_TRY(place_frames(s, e, f, 2));
    KL_TRY(add_frame(m, &f[0]));
    return add_frame(m, &f[1]);
}

static kl_status attach_one(kl_scope *s, kl_model *m, const kl_entry *e)
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
    KL_TRY(place_frames(s, e, f, 1));
    return add_frame(m, &f[0]);
}

/* The two markers of joint `name`, once more. */
static kl_status copy_joint(kl_scope *s, kl_model *m, const kl_node *where)
{
    const char *name;
    KL_TRY(kl_value_word(s, where, "a joint", &name));
    int index = kl_model_find_element(m, name);
    if (index == m->nelement - 1) index = -1; /* itself */
    if (index < 0 || m->element[index].nmarker != 2) {
        const char **names = malloc(((size_t)m->nelement + 1) * sizeof *names);
        const char  *near  = NULL;
        if (names) {
            int n = 0;
            for (int i = 0; i + 1 < m->nelement; i++) names[n++] = m->element[i].name;
            names[n] = NULL;
            near     = kl_nearest(name, names);
        }
        kl_fail(s->diag, KL_E_NAME, where->place, "there is no joint '%s' above%s%s%s", name,
                near ? "; did you mean '" : "; joints must come before what uses them",
                near ? near : "", near ? "'?" : "");
        free((void *)names);
        return KL_E_NAME;
    }
    for (int i = 0; i < 2; i++) {
        kl_marker copy = m->marker[m->element[index].marker + i];
        KL_TRY(kl_model_add_marker(m, copy.body, &copy));
    }
    return KL_OK;
}

static kl_status attach_joint(kl_scope *s, kl_model *m, const kl_entry *e)
{
    const kl_node *of = kl_entry_get(e, "of");
    if (of && kl_entry_get(e, "between"))
        return missing(s, e, "give `of` a joint or `between` two bodies, not both");
    if (of) return copy_joint(s, m, of);
    if (!kl_entry_get(e, "between"))
        return missing(s, e, "`of` is missing; give the joint it works on, or `between` and `at`");
    return attach_pair(s, m, e);
}

static kl_status attach_joints(kl_scope *s, kl_model *m, const kl_entry *e)
{
    const kl_node *joints = kl_entry_get(e, "joints");
    if (!joints) return missing(s, e, "`joints` is missing; give the two joints: [first, second]");
    if (joints->kind != KL_LIST || joints->size != 2)
        return kl_fail(s->diag, KL_E_MODEL, joints->place,
                       "%s '%s': joints wants two names, [first, second]", e->section, e->name);
    KL_TRY(copy_joint(s, m, joints->first));
    return copy_joint(s, m, joints->first->next);
}

static kl_status attach_set(kl_scope *s, kl_model *m, const kl_entry *e)
{
    const kl_node *pilot = kl_entry_get(e, "pilot"), *nodes = kl_entry_get(e, "nodes");
    frame          f, p;
    if (!pilot) return missing(s, e, "`pilot` is missing; give the body that leads");
    if (!nodes || nodes->kind != KL_LIST || nodes->size < 1)
        return missing(s, e, "`nodes` is missing; give the bodies that follow: [a, b, ...]");
    KL_TRY(find_frame(s, m, pilot, &p));
    for (const kl_node *n = nodes->first; n; n = n->next) {
        KL_TRY(find_frame(s, m, n, &f));
        if (f.body == p.body)
            return kl_fail(s->diag, KL_E_MODEL, n->place,
                           "%s '%s': the pilot is among its own nodes", e->section, e->name);
        /* both markers where the node stands, with global axes */
        kl_mat3 A;
        if (!f.named) kl_model_pose(m, f.body, &f.r, &A);
        f.A = kl_identity();
        p.r = f.r, p.A = f.A;
        KL_TRY(add_frame(m, &p));
        KL_TRY(add_frame(m, &f));
    }
    return KL_OK;
}

kl_status kl_attach_element(kl_scope *s, kl_model *m, const kl_entry *e, kl_attach how)
{
    static kl_status (*const ways[])(kl_scope * s, kl_model * m,
                                     const kl_entry *e) = {[KL_ATTACH_PAIR]   = attach_pair,
                                                           [KL_ATTACH_ONE]    = attach_one,
                                                           [KL_ATTACH_JOINT]  = attach_joint,
                                                           [KL_ATTACH_JOINTS] = attach_joints,
                                                           [KL_ATTACH_SET]    = attach_set};
    return ways[how](s, m, e);
}

/* ---- help
 * ------------------------------------------------------------------------------------------------------------
 */

static const kl_attach_key pair_help[] = {
    {"between", "two bodies", "", NULL, "[first, second]; `crank.pin` names a marker of a body"},
    {"at", "point", "m", "the named marker",
     "in space, as the model stands at the start; two points [[..], [..]] for two ends"},
    {"axis", "axis", "", "z", "x, y, z, -x, ... or [a, b, c]; two axes where they differ"},
    {"x_axis", "axis", "", "any", "where the angle counts from; only its part normal to the axis"},
    {0}};
static const kl_attach_key one_help[] = {
    {"on", "body", "", NULL, "body it acts on, or a marker of it: `crank.pin`"},
    {"at", "point", "m", "the reference point", "in space, as the model stands at the start"},
    {"axis", "axis", "", "z", "direction: x, y, z, -x, ... or [a, b, c]"},
    {0}};
static const kl_attach_key joint_help[] = {
    {"of", "joint", "", "none", "joint whose frames it shares; or give `between` and `at`"},
    {"between", "two bodies", "", "none", "[first, second], instead of `of`"},
    {"at", "point", "m", "the named marker", "in space; two points [[..], [..]] for two ends"},
    {"axis", "axis", "", "z", "x, y, z, -x, ... or [a, b, c]"},
    {"x_axis", "axis", "", "any", "where the angle counts from"},
    {0}};
static const kl_attach_key joints_help[] = {
    {"joints", "two joints", "", NULL, "[first, second], both listed above it"}, {0}};
static const kl_attach_key set_help[] = {{"pilot", "body", "", NULL, "body that leads"},
                                         {"nodes", "bodies", "", NULL, "bodies that follow it"},
                                         {0}};

const kl_attach_key *kl_attach_help(kl_attach how)
{
    static const kl_attach_key *const tables[] = {[KL_ATTACH_PAIR]   = pair_help,
                                                  [KL_ATTACH_ONE]    = one_help,
                                                  [KL_ATTACH_JOINT]  = joint_help,
                                                  [KL_ATTACH_JOINTS] = joints_help,
                                                  [KL_ATTACH_SET]    = set_help};
    return tables[how];
}
