#include "language/joint_extras.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forces/forces.h"
#include "joints/worn.h"
#include "language/attach_parts.h"

/* ---- clearance ---- */

/* {radial: value} of a bare value. */
static kl_node *as_radial(kl_arena *arena, const kl_node *n)
{
    kl_node *value = kl_arena_array(arena, kl_node, 1), *map = kl_arena_array(arena, kl_node, 1);
    if (!value || !map) return NULL;
    *value = *n, value->key = "radial", value->next = NULL;
    *map = (kl_node){.kind = KL_MAP, .place = n->place, .first = value, .size = 1};
    return map;
}

kl_status kl_joint_clearance(kl_scope *s, kl_model *m, const kl_entry *e,
                             const kl_element_type **type, kl_entry *values)
{
    const kl_node *n     = kl_entry_get(e, "clearance");
    double         holds = 1.0;
    if (!n) return KL_OK;
    const kl_element_type *worn = kl_worn_type_of(*type);
    if (!worn)
        return kl_fail(s->diag, KL_E_MODEL, n->key_place,
                       "%s '%s': `clearance` belongs to revolute, cylindrical, spherical and "
                       "translational joints; a %s has none",
                       e->section, e->name, (*type)->name);
    if (n->kind == KL_SCALAR) n = as_radial(m->arena, n);
    if (!n) return KL_E_MEMORY;
    if (n->kind != KL_MAP)
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s '%s': give `clearance: {radial: 0.1 mm, radius: 10 mm, stiffness: 10 "
                       "MN/m, law: linear}`",
                       e->section, e->name);
    const kl_node *when = kl_node_get(n, "when");
    if (when) KL_TRY(kl_scope_number(s, when, "when", "1", &holds));
    if (holds == 0.0) return KL_OK; /* the perfect joint */
    *type   = worn;
    *values = (kl_entry){.name = e->name, .section = e->section, .place = n->place, .chain = {n}};
    kl_values_unknown(s, values, worn->name, worn->keys, (const char *const[]){"when", NULL});
    return KL_OK;
}

/* ---- limits ---- */

static bool has_output(const kl_element_type *type, const char *name)
{
    for (const kl_output *o = type->outputs; o && o->name; o++)
        if (strcmp(o->name, name) == 0) return true;
    return false;
}

/* Which coordinate is meant where none is named. */
static const char *usual_coordinate(const kl_element_type *type)
{
    if (has_output(type, "displacement") && !has_output(type, "angle")) return "displacement";
    if (has_output(type, "length")) return "distance";
    return "angle";
}

/* Adds an element of this type on the markers of the joint, its keys those of the map `n`, then those
 * of `rest`. */
static kl_status add_part(kl_scope *s, kl_model *m, const kl_element_type *type, const char *name,
                          const char *section, const kl_node *n, const kl_node *rest, int joint)
{
    kl_entry entry = {.name = name, .section = section, .place = n->place, .chain = {n, rest}};
    kl_values_unknown(s, &entry, type->name, type->keys, NULL);
    kl_element *part = kl_model_add_element(m, type, name, n->place, false);
    if (!part || !part->data) return KL_E_MEMORY;
    KL_TRY(kl_values_read(s, m, &entry, type->keys, part->data));
    KL_TRY(kl_attach_copy_markers(m, joint, type));
    part           = &m->element[m->nelement - 1];
    part->nmarker  = 2;
    part->of[0]    = joint;
    kl_attaching a = {.s = s, .m = m, .e = &entry, .type = part->type, .data = part->data};
    return kl_attach_check_joint(&a);
}

static kl_status add_limit(kl_scope *s, kl_model *m, const kl_entry *e, const kl_node *n, int joint,
                           int number)
{
    /* The limit is a bump stop on the joint; the coordinate need not be written if the joint has
     * only one: `rest` supplies it as a default. */
    kl_node usual = {.kind  = KL_SCALAR,
                     .place = n->place,
                     .text  = usual_coordinate(m->element[joint].type),
                     .key   = "coordinate"},
            rest  = {.kind = KL_MAP, .place = n->place, .first = &usual, .size = 1};
    char name[300];
    snprintf(name, sizeof name, number > 1 ? "%.250s.limits%d" : "%.250s.limits", e->name, number);
    if (n->kind != KL_MAP)
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s '%s': give `limits: {lower: -30 deg, upper: 30 deg, stiffness: 1 kN "
                       "m/rad}`",
                       e->section, e->name);
    return add_part(s, m, &kl_bump_stop, name, "limits of joint", n, &rest, joint);
}

kl_status kl_joint_limits(kl_scope *s, kl_model *m, const kl_entry *e)
{
    const kl_node *n     = kl_entry_get(e, "limits");
    int            joint = kl_model_find_element(m, e->name), number = 0;
    if (!n) return KL_OK;
    if (!m->element[joint].joint || m->element[joint].nmarker != 2)
        return kl_fail(s->diag, KL_E_MODEL, n->key_place,
                       "%s '%s': `limits` belongs to a joint between two bodies", e->section,
                       e->name);
    if (n->kind != KL_LIST) return add_limit(s, m, e, n, joint, 1);
    for (const kl_node *c = n->first; c; c = c->next)
        KL_TRY(add_limit(s, m, e, c, joint, ++number));
    return KL_OK;
}

/* ---- friction ---- */

static bool has_key(const kl_element_type *type, const char *name)
{
    for (const kl_key *k = type->keys; k && k->name; k++)
        if (strcmp(k->name, name) == 0) return true;
    return false;
}

kl_status kl_joint_friction_read(kl_scope *s, kl_model *m, const kl_entry *e)
{
    const kl_node *n     = kl_entry_get(e, "friction");
    int            joint = m->nelement - 1;
    char           name[300];
    if (n && has_key(m->element[joint].type, "friction") && kl_entry_get(e, "clearance"))
        kl_warn(s->diag, n->key_place,
                "%s '%s': `friction` acts without clearance only; with it give the law in "
                "`clearance: {..., friction: threlfall, mu: 0.1}`",
                e->section, e->name);
    if (!n || has_key(m->element[joint].type, "friction")) return KL_OK;
    if (!m->element[joint].joint || m->element[joint].nmarker != 2)
        return kl_fail(s->diag, KL_E_MODEL, n->key_place,
                       "%s '%s': `friction` belongs to revolute, translational, cylindrical, "
                       "spherical and universal joints, not to a %s; give it to one of those",
                       e->section, e->name, m->element[joint].type->name);
    if (n->kind != KL_MAP)
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s '%s': give `friction: {mu: 0.1, radius: 10 mm}`, or a constant "
                       "`friction: {torque: 2 N m}`",
                       e->section, e->name);
    snprintf(name, sizeof name, "%.250s.friction", e->name);
    return add_part(s, m, &kl_joint_friction, name, "friction of joint", n, NULL, joint);
}
