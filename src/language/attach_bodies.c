/* between: [a, b] without a point: the axes of both bodies, or of markers that are named. Shapes of a
 * contact are in them. */
#include "base/text.h"
#include "language/attach_parts.h"

static kl_status attach_bodies(kl_attaching *a)
{
    const kl_node *between = kl_entry_get(a->e, "between");
    kl_body_frame  f[2];
    if (!between || between->kind != KL_LIST || between->size != 2)
        return kl_attach_missing(a, "`between` must name the two bodies: [ball, ground]");
    kl_status first  = kl_attach_find_frame(a, between->first, &f[0]),
              second = kl_attach_find_frame(a, between->first->next, &f[1]);
    if (first != KL_OK || second != KL_OK) return KL_E_MODEL;
    if (f[0].body == f[1].body)
        return kl_fail(a->s->diag, KL_E_MODEL, between->place,
                       "%s '%s': `between` names '%s' twice; give two different bodies",
                       a->e->section, a->e->name, a->m->body[f[0].body].name);
    for (int i = 0; i < 2; i++) {
        if (f[i].compound)
            return kl_attach_refuse_compound(a->s, a->m, i ? between->first->next : between->first,
                                             &f[i]);
        if (a->m->body[f[i].body].node) f[i].local_A = kl_identity(); /* axes of the section */
        if (!f[i].named) kl_model_pose(a->m, f[i].body, &f[i].r, &f[i].A);
        KL_TRY(kl_attach_add_frame(a, &f[i], a->axial));
    }
    return KL_OK;
}

static void write_bodies(kl_text *t, const kl_model *m, const kl_element *e)
{
    kl_attach_pair.write(t, m, e);
}

static const kl_word_key bodies_keys[] = {{"between", "bodies or groups", "", NULL,
                                           "[first, second]: each shape is given in the axes of "
                                           "its body, or of a marker such as `car.hook`"},
                                          {0}};

const kl_attachment_kind kl_attach_bodies = {
    .name   = "bodies",
    .keys   = bodies_keys,
    .attach = attach_bodies,
    .check  = kl_attach_check_axes,
    .write  = write_bodies,
    .sample = "between: [a, b]",
};
