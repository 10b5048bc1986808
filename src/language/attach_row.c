/* body: a, nodes: [b, c, d]: a marker on the body, then one on each node, with the axes of the nodes. A beam's
 * name represents its nodes in order. */
#include "base/text.h"
#include "language/attach_parts.h"

static kl_status add_body(kl_attaching *a, kl_body_frame *f)
{
    if (!f->named) kl_model_pose(a->m, f->body, &f->r, &f->A);
    return kl_attach_add_frame(a, f, false);
}

static kl_status add_toucher(kl_attaching *a, const kl_node *where)
{
    kl_body_frame f;
    KL_TRY(kl_attach_find_frame(a, where, &f));
    if (f.compound) return kl_attach_refuse_compound(a->s, a->m, where, &f);
    return add_body(a, &f);
}

static kl_status add_nodes(kl_attaching *a, const kl_node *where)
{
    kl_body_frame f;
    KL_TRY(kl_attach_find_frame(a, where, &f));
    if (!f.compound) return add_body(a, &f);
    const kl_compound *whole = &a->m->compound[f.compound - 1];
    for (int i = 0; i < whole->nbody; i++) {
        kl_body_frame node = {.body = whole->body + i};
        KL_TRY(add_body(a, &node));
    }
    return KL_OK;
}

static kl_status attach_row(kl_attaching *a)
{
    const kl_node *body = kl_entry_get(a->e, "body"), *nodes = kl_entry_get(a->e, "nodes");
    if (!body)
        return kl_attach_missing(a, "`body` is missing; name the body that touches the nodes");
    if (!nodes || (nodes->kind == KL_LIST && nodes->size < 1))
        return kl_attach_missing(a, "`nodes` must name a beam or list bodies in a row: [a, b, c]");
    KL_TRY(add_toucher(a, body));
    if (nodes->kind != KL_LIST) return add_nodes(a, nodes);
    for (const kl_node *n = nodes->first; n; n = n->next) KL_TRY(add_nodes(a, n));
    return KL_OK;
}

static void write_row(kl_text *t, const kl_model *m, const kl_element *e)
{
    char name[KL_MARKER_NAME];
    kl_text_add(t, "    body: %s\n    nodes: [", kl_attach_marker_name(m, e->marker, name));
    for (int i = 1; i < e->nmarker; i++)
        kl_text_add(t, i > 1 ? ", %s" : "%s", kl_attach_marker_name(m, e->marker + i, name));
    kl_text_add(t, "]\n");
}

static const kl_word_key row_keys[] = {
    {"body", "body", "", NULL, "body that touches, or a marker of it"},
    {"nodes", "bodies", "", NULL,
     "bodies in a row that carry the second shape, or the name of a beam: all of its nodes"},
    {0}};

const kl_attachment_kind kl_attach_row = {
    .name   = "row",
    .keys   = row_keys,
    .attach = attach_row,
    .check  = kl_attach_check_axes,
    .write  = write_row,
    .loaded = 1,
    .sample = "body: c, nodes: [a, b]",
};
