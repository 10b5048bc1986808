/* pilot: a, nodes: [b, c, ...]. A pair of markers for each node. */
#include "base/text.h"
#include "language/attach_parts.h"

static kl_status attach_set(kl_attaching *a)
{
    const kl_node *pilot = kl_entry_get(a->e, "pilot"), *nodes = kl_entry_get(a->e, "nodes");
    kl_body_frame  f, p;
    if (!pilot)
        return kl_attach_missing(a, "`pilot` is missing; name the body that all `nodes` follow");
    if (!nodes)
        return kl_attach_missing(a, "`nodes` is missing; give the bodies that follow: [a, b, ...]");
    if (nodes->kind != KL_LIST || nodes->size < 1)
        return kl_fail(a->s->diag, KL_E_MODEL, nodes->place,
                       "%s '%s': `nodes` needs a list of bodies: [a, b, ...]", a->e->section,
                       a->e->name);
    KL_TRY(kl_attach_find_frame(a, pilot, &p));
    for (const kl_node *n = nodes->first; n; n = n->next) {
        KL_TRY(kl_attach_find_frame(a, n, &f));
        if (f.body == p.body)
            return kl_fail(
                a->s->diag, KL_E_MODEL, n->place,
                "%s '%s': the pilot is listed among its own nodes; remove it from `nodes`",
                a->e->section, a->e->name);
        /* both markers at the position of the node, with global axes */
        kl_mat3 A;
        if (!f.named) kl_model_pose(a->m, f.body, &f.r, &A);
        f.A     = kl_identity();
        f.named = p.named = false;
        p.r = f.r, p.A = f.A;
        KL_TRY(kl_attach_add_frame(a, &p, false));
        KL_TRY(kl_attach_add_frame(a, &f, false));
    }
    return KL_OK;
}

static void write_set(kl_text *t, const kl_model *m, const kl_element *e)
{
    kl_text_add(t, "    pilot: %s\n    nodes: [", m->body[m->marker[e->marker].body].name);
    for (int i = 1; i < e->nmarker; i += 2)
        kl_text_add(t, "%s%s", i > 1 ? ", " : "", m->body[m->marker[e->marker + i].body].name);
    kl_text_add(t, "]\n");
}

static const kl_word_key set_keys[] = {
    {"pilot", "body", "", NULL, "body that all nodes follow"},
    {"nodes", "bodies", "", NULL, "bodies that follow the pilot"},
    {0}};

const kl_attachment_kind kl_attach_set = {
    .name   = "set",
    .keys   = set_keys,
    .attach = attach_set,
    .check  = kl_attach_check_axes,
    .write  = write_set,
    .nodes  = true,
    .sample = "pilot: a, nodes: [b, c]",
};
