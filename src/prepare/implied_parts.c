#include "prepare/implied_parts.h"

#include <string.h>

#include "bodies/bodies.h"
#include "joints/joints.h"

static unsigned implied_parts_of(const kl_body *b)
{
    return b->type->implied_parts ? b->type->implied_parts(b->data) : 0;
}

static kl_status add_fixed(kl_model *m, const char *name, kl_place place, int body_a,
                           const kl_marker *a, int body_b, const kl_marker *b)
{
    kl_element *e = kl_model_add_element(m, &kl_fixed, name, place, true);
    if (!name || !e || !e->data) return KL_E_MEMORY;
    KL_TRY(kl_model_add_marker(m, body_a, a));
    KL_TRY(kl_model_add_marker(m, body_b, b));
    m->element[m->nelement - 1].nmarker = 2;
    m->element[m->nelement - 1].made    = true;
    return KL_OK;
}

/* The frame of the reference conditions stays on the ground. */
static kl_status hold_conditions(kl_model *m, int body)
{
    kl_marker ground = {.A = kl_identity()},
              frame  = {.A = kl_identity(), .node = KL_MARKER_CONDITIONS};
    return add_fixed(m, kl_arena_format(m->arena, "%s.reference", m->body[body].name),
                     m->body[body].place, 0, &ground, body, &frame);
}

/* ---- virtual bodies ---- */

/* The body that rides on a marker's frame; made when the first element asks for it. */
typedef struct virtual_body {
    int     body, node, index; /* flexible body, its frame, the virtual body */
    kl_vec3 position;          /* of the frame in the flexible body */
} virtual_body;

static kl_status add_virtual(kl_model *m, int body, const kl_marker *at, virtual_body *v)
{
    kl_motion   start;
    const char *name  = kl_arena_format(m->arena, "%s.virtual_%d", m->body[body].name, at->node);
    kl_marker   frame = *at;
    frame.A           = kl_identity();
    kl_model_motion(m, &frame, &start);
    kl_body *b = name ? kl_model_add_body(m, &kl_rigid, name, m->body[body].place) : NULL;
    if (!b || !b->data) return KL_E_MEMORY;
    kl_store(kl_body_value(b, "position"), start.r);
    kl_store(kl_body_value(b, "velocity"), start.v);
    kl_store(kl_body_value(b, "omega"), start.w);
    *(kl_mat3 *)kl_body_value(b, "orientation")  = start.A;
    *(kl_mat3 *)kl_body_value(b, "inertia_axes") = kl_identity();
    b->hidden = b->made = true;
    *v = (virtual_body){.body = body, .node = at->node, .index = m->nbody - 1, .position = at->r};
    return KL_OK;
}

/* Elements on bodies that wish so are moved to virtual ones. */
static kl_status move_elements(kl_model *m, kl_diag *diag)
{
    int           nmarker = m->nmarker, n = 0;
    virtual_body *list = kl_arena_array(m->arena, virtual_body, nmarker + 1);
    if (!list) return KL_E_MEMORY;
    for (int i = 0; i < nmarker; i++) {
        kl_marker *k    = &m->marker[i];
        int        body = k->body, which = 0;
        if (!(implied_parts_of(&m->body[body]) & KL_IMPLIED_VIRTUAL)) continue;
        if (k->node <= KL_MARKER_SKIN) continue; /* takes forces only: nothing to ride on */
        kl_setup s = {.name  = m->body[body].name,
                      .place = m->body[body].place,
                      .diag  = diag,
                      .arena = m->arena};
        KL_TRY(m->body[body].type->attach(m->body[body].data, &s, k));
        while (which < n && (list[which].body != body || list[which].node != k->node)) which++;
        if (which == n) KL_TRY(add_virtual(m, body, k, &list[n++]));
        k       = &m->marker[i];
        k->r    = kl_sub(k->r, list[which].position);
        k->node = 0;
        k->body = list[which].index;
    }
    for (int i = 0; i < n; i++) {
        kl_marker on   = {.r = list[i].position, .A = kl_identity(), .node = list[i].node},
                  ride = {.A = kl_identity()};
        KL_TRY(add_fixed(m, kl_arena_format(m->arena, "%s.joint", m->body[list[i].index].name),
                         m->body[list[i].body].place, list[i].body, &on, list[i].index, &ride));
    }
    return n > 0 ? kl_model_start_bodies(m, diag) : KL_OK;
}

bool kl_implied_parts_needed(const kl_model *m)
{
    for (int i = 0; i < m->nbody; i++)
        if (implied_parts_of(&m->body[i])) return true;
    return false;
}

void kl_implied_parts_drop(kl_body *b)
{
    static const char *const keys[] = {"conditions", "attach"};
    if (!b->type->implied_parts) return;
    for (int i = 0; i < 2; i++) {
        int *word = kl_body_value(b, keys[i]);
        if (word) *word = 0; /* eliminated, marker */
    }
}

kl_status kl_implied_parts_add(kl_model *m, kl_diag *diag)
{
    bool virtual = false;
    int nbody    = m->nbody;
    for (int i = 0; i < nbody; i++)
        virtual |= (implied_parts_of(&m->body[i]) & KL_IMPLIED_VIRTUAL) != 0;
    if (virtual) KL_TRY(move_elements(m, diag));
    for (int i = 0; i < nbody; i++)
        if (implied_parts_of(&m->body[i]) & KL_IMPLIED_CONDITIONS) KL_TRY(hold_conditions(m, i));
    return KL_OK;
}
