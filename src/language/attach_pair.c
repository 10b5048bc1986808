/* between: [a, b], at, axis; and on: a, at, axis. */
#include "base/text.h"
#include "joints/joints.h"
#include "joints/worn.h"
#include "language/attach_parts.h"
#include "language/joint_start.h"

/* A marker has its own point, so that `at` of the element has no effect. */
static kl_status check_point(kl_attaching *a, bool named)
{
    const kl_node *at = kl_entry_get(a->e, "at");
    if (!at || !named) return KL_OK;
    return kl_fail(
        a->s->diag, KL_E_MODEL, at->place,
        "%s '%s': `at` has no effect, because the element is attached at a named marker; "
        "remove `at`, or name the body without a marker",
        a->e->section, a->e->name);
}

static kl_status attach_pair(kl_attaching *a)
{
    const kl_node *between = kl_entry_get(a->e, "between");
    kl_body_frame  f[2];
    if (!between)
        return kl_attach_missing(a, "`between` is missing; give its two bodies: [ground, crank]");
    if (between->kind != KL_LIST || between->size != 2)
        return kl_fail(
            a->s->diag, KL_E_MODEL, between->place,
            "%s '%s': `between` needs two bodies: [first, second]; `ground` is the fixed body",
            a->e->section, a->e->name);
    /* Find both ends before giving up, so that one reading reports both mistakes. */
    kl_status first  = kl_attach_find_frame(a, between->first, &f[0]),
              second = kl_attach_find_frame(a, between->first->next, &f[1]);
    if (first != KL_OK || second != KL_OK) return KL_E_MODEL;
    if (f[0].body == f[1].body)
        return kl_fail(a->s->diag, KL_E_MODEL, between->place,
                       "%s '%s' connects '%s' with itself; name two different bodies",
                       a->e->section, a->e->name, a->m->body[f[0].body].name);
    if (!kl_entry_get(a->e, "at") && !f[0].named && !f[1].named)
        return kl_attach_missing(a, "`at` is missing; give the point in space: [x, y, z]");
    KL_TRY(check_point(a, f[0].named && f[1].named));
    KL_TRY(kl_attach_place_frames(a, f, 2));
    KL_TRY(kl_attach_add_frame(a, &f[0], a->axial));
    return kl_attach_add_frame(a, &f[1], a->axial);
}

static void write_pair(kl_text *t, const kl_model *m, const kl_element *e)
{
    char a[KL_MARKER_NAME], b[KL_MARKER_NAME];
    kl_text_add(t, "    between: [%s, %s]\n", kl_attach_marker_name(m, e->marker, a),
                kl_attach_marker_name(m, e->marker + 1, b));
}

#define PAIR_ROWS                                                                                  \
    {"between", "two bodies", "", NULL, "[first, second]; `crank.pin` names a marker of a body"},  \
        {"at", "point", "m", "the named marker",                                                   \
         "point in global coordinates in the initial position; two points [[..], [..]] for two "   \
         "ends"},                                                                                  \
        {"axis", "axis", "", "axis of the named marker, or z",                                     \
         "x, y, z, -x, ... or [a, b, c], global; [first, second] if it differs on the two "        \
         "bodies"},                                                                                \
    {                                                                                              \
        "x_axis", "axis", "", "any",                                                               \
            "direction from which the angle is measured; its component normal to the axis is used" \
    }
#define LIMITS_ROW                                                                                 \
    {                                                                                              \
        "limits", "values", "", "none",                                                            \
            "stops on its coordinates: {coordinate, lower, upper, stiffness, damping} as in "      \
            "bump-stop, or "                                                                       \
            "a list of them"                                                                       \
    }
#define FRICTION_ROW                                                                               \
    {                                                                                              \
        "friction", "values", "", "none",                                                          \
            "friction with sticking: {law, mu, radius, preload} or {torque} or {force}; keys as "  \
            "in "                                                                                  \
            "joint-friction"                                                                       \
    }
#define START_ROW                                                                                  \
    {                                                                                              \
        "start", "values", "", "as written",                                                       \
            "initial values of its coordinates and their rates, by the names of the channels; "    \
            "guesses, except those listed in `fixed: [...]`"                                       \
    }
#define CLEARANCE_ROW                                                                              \
    {                                                                                              \
        "clearance", "values", "", "none",                                                         \
            "radial clearance, or {radial, axial, radius, length, law, stiffness, ...}: makes "    \
            "it a joint with clearance; keys as in worn-revolute and the other worn joints, and "  \
            "`when`"                                                                               \
    }

static const kl_word_key pair_keys[]    = {PAIR_ROWS, {0}};
static const kl_word_key plain_keys[]   = {PAIR_ROWS, LIMITS_ROW, {0}};
static const kl_word_key start_keys[]   = {PAIR_ROWS, START_ROW, LIMITS_ROW, {0}};
static const kl_word_key fitted_keys[]  = {PAIR_ROWS,     START_ROW,    LIMITS_ROW,
                                           CLEARANCE_ROW, FRICTION_ROW, {0}};
static const kl_word_key fitted_plain[] = {PAIR_ROWS, LIMITS_ROW, CLEARANCE_ROW, FRICTION_ROW, {0}};
static const kl_word_key cross_keys[]   = {
      PAIR_ROWS,
      {"limits", "values", "", "none",
       "stops on the angle about its axis on the first body, 0 in the initial position: {lower, "
         "upper, stiffness, damping} as in bump-stop; for the angle about the other axis exchange the "
         "bodies"},
      FRICTION_ROW,
      {0}};

const kl_attachment_kind kl_attach_pair = {
    .name   = "pair",
    .keys   = pair_keys,
    .attach = attach_pair,
    .check  = kl_attach_check_axes,
    .write  = write_pair,
    .sample = "between: [a, b], at: [[0.2, 0.1, 0], [0.9, 0.4, 0.3]], axis: [[1, 2, 3], [0, 1, 1]]",
};

/* ---- one body ---- */

static kl_status attach_one(kl_attaching *a)
{
    const kl_node *on = kl_entry_get(a->e, "on");
    kl_body_frame  f[2];
    if (!on) return kl_attach_missing(a, "`on` is missing; give the body it acts on");
    KL_TRY(kl_attach_find_frame(a, on, &f[0]));
    if (!f[0].named && !kl_entry_get(a->e, "at")) {
        /* without a point: the reference point of the body */
        kl_mat3 A;
        kl_model_pose(a->m, f[0].body, &f[0].r, &A);
    }
    KL_TRY(check_point(a, f[0].named));
    KL_TRY(kl_attach_place_frames(a, f, 1));
    return kl_attach_add_frame(a, &f[0], a->axial);
}

static void write_one(kl_text *t, const kl_model *m, const kl_element *e)
{
    char a[KL_MARKER_NAME];
    kl_text_add(t, "    on: %s\n", kl_attach_marker_name(m, e->marker, a));
}

static const kl_word_key one_keys[] = {
    {"on", "body", "", NULL, "body it acts on, or a marker of it: `crank.pin`"},
    {"at", "point", "m", "the reference point",
     "point in global coordinates in the initial position"},
    {"axis", "axis", "", "axis of the named marker, or z",
     "direction: x, y, z, -x, ... or [a, b, c], global"},
    {"x_axis", "axis", "", "any",
     "direction of the x axis of its frame; its component normal to the axis is used"},
    {0}};

const kl_attachment_kind kl_attach_one = {
    .name   = "one",
    .keys   = one_keys,
    .attach = attach_one,
    .check  = kl_attach_check_axes,
    .write  = write_one,
    .sample = "on: a, at: [0.3, 0, 0.1], axis: [1, 1, 0]",
};

const kl_word_key *kl_attach_help(const kl_element_type *type)
{
    bool starts = kl_joint_start_suits(type), fits = kl_worn_type_of(type);
    if (fits) return starts ? fitted_keys : fitted_plain;
    if (starts) return start_keys;
    if (type == &kl_universal) return cross_keys;
    if (type->only_constrains && type->attach == &kl_attach_pair) return plain_keys;
    return type->attach ? type->attach->keys : NULL;
}
