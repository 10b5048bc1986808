/* body: a, at, on: b. The markers: what carries a line or surface, what follows it, and the element's
 * own coordinates. */
#include <stdio.h>

#include "base/text.h"
#include "language/attach_parts.h"

/* Without a body that carries it, a line or surface stands where the part stands that lists it. */
static void place_carrier(const kl_model *m, const kl_element_type *type, const void *data,
                          kl_body_frame *carrier)
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
static kl_status attach_follow(kl_attaching *a)
{
    const kl_node *body = kl_entry_get(a->e, "body"), *on = kl_entry_get(a->e, "on"),
                  *at     = kl_entry_get(a->e, "at");
    kl_body_frame carrier = {.A = kl_identity()}, f;
    kl_vec3       r;
    kl_mat3       A;
    if (!body) return kl_attach_missing(a, "`body` is missing; give the body that follows");
    if (on) KL_TRY(kl_attach_find_frame(a, on, &carrier));
    KL_TRY(kl_attach_find_frame(a, body, &f));
    if (f.body == carrier.body)
        return kl_fail(a->s->diag, KL_E_MODEL, body->place, "%s '%s': '%s' cannot follow itself",
                       a->e->section, a->e->name, a->m->body[f.body].name);
    if (!carrier.named) kl_model_pose(a->m, carrier.body, &carrier.r, &carrier.A);
    if (!carrier.named && carrier.body == 0) place_carrier(a->m, a->type, a->data, &carrier);
    KL_TRY(kl_attach_add_frame(a, &carrier, false));
    if (!f.named) {
        kl_model_pose(a->m, f.body, &r, &A);
        f.r = r, f.A = A;
        char what[160];
        snprintf(what, sizeof what, "%s '%.100s': at", a->e->section, a->e->name);
        if (at) {
            KL_TRY(kl_value_vec3(a->s, at, what, "m", &f.r));
            f.r = kl_place_point(&a->s->place, f.r);
        }
    }
    KL_TRY(kl_attach_add_frame(a, &f, false));
    return kl_attach_own(a);
}

static void write_follow(kl_text *t, const kl_model *m, const kl_element *e)
{
    char a[KL_MARKER_NAME], b[KL_MARKER_NAME];
    kl_text_add(t, "    on: %s\n    body: %s\n", kl_attach_marker_name(m, e->marker, a),
                kl_attach_marker_name(m, e->marker + 1, b));
}

static const kl_word_key follow_keys[] = {
    {"body", "body", "", NULL,
     "body that follows, with its own axes, or a marker of it: `car.hook`"},
    {"at", "point", "m", "the reference point",
     "point of the body that follows, in global coordinates in the initial position"},
    {"on", "body", "", "ground", "body that carries the line or surface, or a marker of it"},
    {0}};

const kl_attachment_kind kl_attach_follow = {
    .name   = "follow",
    .keys   = follow_keys,
    .attach = attach_follow,
    .write  = write_follow,
    .loaded = 2,
    .sample = "body: a, at: [0.1, 0.2, 0.4], on: b",
};
