/* of: joint; and joints: [j1, j2]. The element gets copies of the markers of these joints. */
#include "base/rotation.h"
#include "base/text.h"
#include "forces/forces.h"
#include "joints/joints.h"
#include "language/attach_parts.h"

/* Frames of a universal joint whose angle is that about its first axis. Any other x axis of the second body
 * turns with its own axis and is parallel to the first one twice a turn: there it gives no angle, and past
 * it an angle that differs by pi. The second axis itself is always normal to the first, z_i.z_j = 0:
 *
 *   first: z = z_i, x = z_j at the start         second: x = z_j, z = z_i at the start */
static void turn_to_first_axis(const kl_model *m, kl_marker f[2])
{
    kl_vec3 r, z[2];
    kl_mat3 A[2];
    for (int i = 0; i < 2; i++) {
        kl_model_pose(m, f[i].body, &r, &A[i]);
        z[i] = kl_mul(&A[i], kl_axis(&f[i].A, 2));
    }
    kl_vec3 y = kl_cross(z[0], z[1]);
    if (kl_norm(y) < 1e-9) return; /* parallel: the joint says so */
    y           = kl_unit(y);
    kl_mat3 g[] = {kl_from_axes(kl_cross(y, z[0]), y, z[0]),
                   kl_from_axes(z[1], y, kl_cross(z[1], y))};
    for (int i = 0; i < 2; i++) {
        A[i]   = kl_transpose(&A[i]);
        f[i].A = kl_matmul(&A[i], &g[i]);
    }
}

kl_status kl_attach_copy_markers(kl_model *m, int joint, const kl_element_type *type)
{
    const kl_element *e    = &m->element[joint];
    kl_marker         f[2] = {m->marker[e->marker], m->marker[e->marker + 1]};
    /* friction acts about both axes, all others act on the angle */
    if (e->type == &kl_universal && type != &kl_joint_friction) turn_to_first_axis(m, f);
    for (int i = 0; i < 2; i++) KL_TRY(kl_model_add_marker(m, f[i].body, &f[i]));
    return KL_OK;
}

/* The two markers of joint `name`, once more; its index in *found. */
kl_status kl_attach_copy_joint(kl_attaching *a, const kl_node *where, int *found)
{
    const char *name;
    KL_TRY(kl_value_word(a->s, where, "a joint", &name));
    int index = kl_attach_find(a->s, a->m, name, kl_model_find_element, NULL),
        line  = kl_attach_dropped(a->s, name);
    if (index == a->m->nelement - 1) index = -1; /* itself */
    if (index < 0 && line > 0)
        return kl_fail(
            a->s->diag, KL_E_NAME, where->place,
            "joint '%s' is left out by its `when` in line %d; give this entry the same `when`, or "
            "change the condition",
            name, line);
    /* what its own bodies lack has been reported */
    if (index >= 0 && a->m->element[index].nmarker == 0 && kl_diag_failed(a->s->diag))
        return KL_E_NAME;
    if (index >= 0 && a->m->element[index].nmarker != 2)
        return kl_fail(
            a->s->diag, KL_E_NAME, where->place,
            "'%s' is a %s, which does not connect two bodies; name a joint between two bodies",
            name, a->m->element[index].type->name);
    if (index < 0) {
        const char *near = kl_attach_near_element(a->s, a->m, name, a->m->nelement - 1);
        return kl_fail(a->s->diag, KL_E_NAME, where->place,
                       "there is no joint '%s' above this entry%s%s%s", name,
                       near ? "; did you mean '" : "; list a joint before the elements that use it",
                       near ? near : "", near ? "'?" : "");
    }
    KL_TRY(kl_attach_copy_markers(a->m, index, a->type));
    *found = index;
    return KL_OK;
}

static kl_status attach_joint(kl_attaching *a)
{
    const kl_node *of = kl_entry_get(a->e, "of");
    if (of && kl_entry_get(a->e, "between"))
        return kl_attach_missing(a, "give `of` a joint or `between` two bodies, not both");
    if (of) return kl_attach_copy_joint(a, of, a->m->element[a->m->nelement - 1].of);
    if (!kl_entry_get(a->e, "between"))
        return kl_attach_missing(
            a, "`of` is missing; name the joint it acts on, or give `between` and `at`");
    return kl_attach_pair.attach(a);
}

static void write_joint(kl_text *t, const kl_model *m, const kl_element *e)
{
    if (e->of[0] >= 0) kl_text_add(t, "    of: %s\n", m->element[e->of[0]].name);
    else kl_attach_pair.write(t, m, e);
}

static const kl_word_key joint_keys[] = {
    {"of", "joint", "", "none", "joint whose frames it shares; or give `between` and `at`"},
    {"between", "two bodies", "", "none", "[first, second], instead of `of`"},
    {"at", "point", "m", "the named marker",
     "point in global coordinates in the initial position; two points [[..], [..]] for two ends"},
    {"axis", "axis", "", "axis of the named marker, or z", "x, y, z, -x, ... or [a, b, c], global"},
    {"x_axis", "axis", "", "any", "direction from which the angle is measured"},
    {0}};

const kl_attachment_kind kl_attach_joint = {
    .name   = "joint",
    .keys   = joint_keys,
    .attach = attach_joint,
    .check  = kl_attach_check_joint,
    .write  = write_joint,
    .sample = "between: [a, b], at: [0.5, 0.2, 0.1], axis: [1, 2, 3]",
};

/* ---- two joints ---- */

static kl_status attach_joints(kl_attaching *a)
{
    const kl_node *joints = kl_entry_get(a->e, "joints");
    if (!joints)
        return kl_attach_missing(a, "`joints` is missing; give the two joints: [first, second]");
    if (joints->kind != KL_LIST || joints->size != 2)
        return kl_fail(a->s->diag, KL_E_MODEL, joints->place,
                       "%s '%s': `joints` needs two names: [first, second]", a->e->section,
                       a->e->name);
    /* The coupler gets copies of the markers of both joints, so that its coordinates are theirs. */
    int *of = a->m->element[a->m->nelement - 1].of;
    KL_TRY(kl_attach_copy_joint(a, joints->first, &of[0]));
    KL_TRY(kl_attach_copy_joint(a, joints->first->next, &of[1]));
    if (of[0] == of[1])
        return kl_fail(a->s->diag, KL_E_MODEL, joints->place,
                       "%s '%s' couples '%s' with itself; give two different joints", a->e->section,
                       a->e->name, a->m->element[of[0]].name);
    return KL_OK;
}

static void write_joints(kl_text *t, const kl_model *m, const kl_element *e)
{
    kl_text_add(t, "    joints: [%s, %s]\n", m->element[e->of[0]].name, m->element[e->of[1]].name);
}

static const kl_word_key joints_keys[] = {
    {"joints", "two joints", "", NULL, "[first, second], both listed above it"}, {0}};

const kl_attachment_kind kl_attach_joints = {
    .name   = "joints",
    .keys   = joints_keys,
    .attach = attach_joints,
    .check  = kl_attach_check_joints,
    .write  = write_joints,
    .loaded = -1,
    .sample = "joints: [j1, j2]",
};
