/* between: [a, b] where b is flexible: the axes of a, then every node of b's skin that its contact can
 * reach, with the triangles between them. */
#include <string.h>

#include "base/text.h"
#include "contact/contact_skin.h"
#include "language/attach_parts.h"
#include "reduce/kbody.h"

enum { MOST = 4000 };

/* The surface of a nonlinear body, its nodes at their initial positions; NULL: it has none. */
static const kl_field *surface_of(const kl_model *m, const kl_body_frame *f)
{
    const kl_compound *c  = f->compound ? &m->compound[f->compound - 1] : NULL;
    const kl_field    *at = c && c->type->shape ? c->type->shape(c->data) : NULL;
    return at && at->ntriangle > 0 ? at : NULL;
}

static const kl_kbody_skin *skin_of_field(kl_attaching *a, const kl_field *at)
{
    kl_kbody_skin *k = kl_arena_array(a->m->arena, kl_kbody_skin, 1);
    kl_vec3       *x = kl_arena_array(a->m->arena, kl_vec3, at->npoint + 1);
    int           *t = kl_arena_array(a->m->arena, int, 3 * at->ntriangle + 1);
    if (!k || !x || !t) return NULL;
    for (int i = 0; i < at->npoint; i++) x[i] = kl_load(at->point + 3 * (size_t)i);
    memcpy(t, at->triangle, 3 * (size_t)at->ntriangle * sizeof *t);
    *k = (kl_kbody_skin){.nnode = at->npoint, .ntriangle = at->ntriangle, .x = x, .triangle = t};
    return k;
}

/* The skin of the second body; NULL: reported. */
static const kl_kbody_skin *skin_of(kl_attaching *a, const kl_body_frame *f, const kl_node *where)
{
    kl_modal_body   modal;
    const char     *name = f->compound ? "this body" : a->m->body[f->body].name;
    const kl_field *at   = surface_of(a->m, f);
    if (at) return skin_of_field(a, at);
    if (!f->compound && kl_model_modal(a->m, f->body, &modal)) {
        if (modal.file->body->skin.ntriangle > 0) return &modal.file->body->skin;
        kl_fail(a->s->diag, KL_E_MODEL, where->place,
                "%s '%s': the file of '%s' has no skin of triangles (beams have none); let the "
                "contact act on a marker of the body, or use solid or shell elements",
                a->e->section, a->e->name, name);
        return NULL;
    }
    kl_fail(a->s->diag, KL_E_MODEL, where->place,
            "%s '%s': `skin` belongs to a flexible body, named second; '%s' is not flexible. "
            "Write `between: [ball, plate], shapes: [{sphere: 50 mm}, skin]`",
            a->e->section, a->e->name, name);
    return NULL;
}

/* Numbers of the nodes that belong to a triangle which the contact can reach, from 1; 0: none. */
static int number_nodes(const void *data, const kl_kbody_skin *k, int *number, int *ntriangle)
{
    int n      = 0;
    *ntriangle = 0;
    for (int t = 0; t < k->ntriangle; t++) {
        bool in = true;
        for (int c = 0; c < 3; c++) in &= kl_contact_skin_holds(data, k->x[k->triangle[3 * t + c]]);
        if (!in) continue;
        ++*ntriangle;
        for (int c = 0; c < 3; c++)
            if (number[k->triangle[3 * t + c]] == 0) number[k->triangle[3 * t + c]] = ++n;
    }
    return n;
}

static kl_status add_nodes(kl_attaching *a, const kl_body_frame *f, const kl_kbody_skin *k,
                           const kl_node *where)
{
    int *number = kl_arena_array(a->m->arena, int, k->nnode + 1), ntriangle = 0;
    if (!number) return KL_E_MEMORY;
    int n = number_nodes(a->data, k, number, &ntriangle);
    if (n == 0)
        return kl_fail(
            a->s->diag, KL_E_MODEL, where->place,
            "%s '%s': no triangle of the skin is inside the box; enlarge `from` and `to`, "
            "which are in the axes of the body",
            a->e->section, a->e->name);
    if (n > MOST)
        return kl_fail(
            a->s->diag, KL_E_RANGE, where->place,
            "%s '%s': the skin has %d nodes, more than %d; give the part that can touch: "
            "{skin: {from: [x, y, z], to: [x, y, z]}}",
            a->e->section, a->e->name, n, MOST);
    int(*triangle)[3] = kl_arena_take_array(a->m->arena, (size_t)ntriangle, sizeof *triangle);
    int     *order    = kl_arena_array(a->m->arena, int, n);
    kl_vec3 *at       = kl_arena_array(a->m->arena, kl_vec3, n);
    if (!kl_arena_ok(a->m->arena)) return KL_E_MEMORY;
    for (int i = 0; i < k->nnode; i++)
        if (number[i]) order[number[i] - 1] = i, at[number[i] - 1] = k->x[i];
    const kl_field *surface = surface_of(a->m, f);
    for (int i = 0; i < n; i++) {
        kl_marker m  = {.r = at[i], .A = kl_identity(), .node = KL_MARKER_SKIN - order[i]};
        int       on = f->body;
        if (surface) { /* a node of a nonlinear body is a body itself, or a place on a rigid part */
            on += surface->body[order[i]];
            m.r    = kl_load(surface->local + 3 * (size_t)order[i]);
            m.node = 0;
        }
        KL_TRY(kl_model_add_marker(a->m, on, &m));
    }
    int used = 0;
    for (int t = 0; t < k->ntriangle; t++) {
        bool in = true;
        for (int c = 0; c < 3; c++)
            in &= kl_contact_skin_holds(a->data, k->x[k->triangle[3 * t + c]]);
        for (int c = 0; in && c < 3; c++) triangle[used][c] = number[k->triangle[3 * t + c]] - 1;
        used += in;
    }
    kl_contact_skin_take(a->data, triangle, ntriangle, at);
    return KL_OK;
}

static kl_status attach_skin(kl_attaching *a)
{
    const kl_node *between = kl_entry_get(a->e, "between"), *shapes = kl_entry_get(a->e, "shapes");
    kl_body_frame  f[2];
    if (!between || between->kind != KL_LIST || between->size != 2)
        return kl_attach_missing(a, "`between` must name the two bodies: [ball, plate]");
    /* the element searches the triangles of its second shape */
    if (kl_contact_is_skin(shapes->first))
        return kl_attach_missing(a, "`skin` must be the second shape; exchange the two bodies and "
                                    "the two shapes");
    kl_status first  = kl_attach_find_frame(a, between->first, &f[0]),
              second = kl_attach_find_frame(a, between->first->next, &f[1]);
    if (first != KL_OK || second != KL_OK) return KL_E_MODEL;
    if (f[0].compound) return kl_attach_refuse_compound(a->s, a->m, between->first, &f[0]);
    const kl_kbody_skin *k = skin_of(a, &f[1], between->first->next);
    if (!k) return KL_E_MODEL;
    if (!f[0].named) kl_model_pose(a->m, f[0].body, &f[0].r, &f[0].A);
    KL_TRY(kl_attach_add_frame(a, &f[0], a->axial));
    return add_nodes(a, &f[1], k, between->first->next);
}

static void write_skin(kl_text *t, const kl_model *m, const kl_element *e)
{
    char name[KL_MARKER_NAME];
    kl_text_add(t, "    between: [%s, %s]\n", kl_attach_marker_name(m, e->marker, name),
                m->body[m->marker[e->marker + 1].body].name);
}

static const kl_word_key skin_keys[] = {
    {"between", "two bodies, the second flexible", "", NULL,
     "[body that touches, flexible body whose skin it touches]"},
    {0}};

const kl_attachment_kind kl_attach_skin = {
    .name   = "skin",
    .keys   = skin_keys,
    .attach = attach_skin,
    .write  = write_skin,
    .loaded = 1,
};

bool kl_contact_is_skin(const kl_node *shape)
{
    if (!shape) return false;
    if (shape->kind == KL_SCALAR) return strcmp(shape->text, "skin") == 0;
    return shape->kind == KL_MAP && kl_node_get(shape, "skin");
}

bool kl_contact_names_skin(const kl_node *shapes)
{
    for (const kl_node *c = shapes && shapes->kind == KL_LIST ? shapes->first : NULL; c;
         c                = c->next)
        if (kl_contact_is_skin(c)) return true;
    return false;
}
