/* of: joint; and joints: [j1, j2]. The element gets copies of the markers of these joints. */
#include "base/text.h"
#include "language/attach_parts.h"

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
    for (int i = 0; i < 2; i++) {
        kl_marker copy = a->m->marker[a->m->element[index].marker + i];
        KL_TRY(kl_model_add_marker(a->m, copy.body, &copy));
    }
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
