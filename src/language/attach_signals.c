/* A pair of markers for each joint or body whose quantities the keys of the element name. */
#include <string.h>

#include "language/attach_parts.h"

/* The pair of frames of joint `joint`, or of a body or marker against ground: shared by all signals
 * of the element that name the same. */
static kl_status pair_of(kl_attaching *a, const kl_signal *const *before, int n, const char *object,
                         kl_signal *one)
{
    size_t length = strlen(object);
    for (int i = 0; i < n; i++)
        if (before[i]->marker >= 0 && strncmp(before[i]->text, object, length) == 0 &&
            before[i]->text[length] == '.' && before[i]->what == before[i]->text + length + 1) {
            one->marker = before[i]->marker;
            one->body   = before[i]->body;
            one->joint  = before[i]->joint;
            return KL_OK;
        }
    int     first = a->m->element[a->m->nelement - 1].marker;
    int     joint = kl_attach_find(a->s, a->m, object, kl_model_find_element, NULL);
    kl_node where = {.kind = KL_SCALAR, .text = object, .place = one->place};
    one->marker   = a->m->nmarker - first;
    one->body     = joint < 0;
    if (joint >= 0) return kl_attach_copy_joint(a, &where, &one->joint);
    kl_body_frame f, ground = {.A = kl_identity()};
    KL_TRY(kl_attach_find_frame(a, &where, &f));
    if (!f.named) kl_model_pose(a->m, f.body, &f.r, &f.A);
    KL_TRY(kl_attach_add_frame(a, &ground, false));
    return kl_attach_add_frame(a, &f, false);
}

/* "front.hinge.angle": the longest front part that names something, and what of it */
static kl_status find_signal(kl_attaching *a, const kl_signal *const *before, int n, kl_signal *one)
{
    if (strncmp(one->text, "input.", 6) == 0) {
        one->what  = one->text + 6;
        one->input = kl_attach_input(a->s, a->m, one->what);
        if (one->input >= 0) return KL_OK;
        return kl_fail(a->s->diag, KL_E_NAME, one->place,
                       "there is no input '%s'; define it under `inputs:`", one->what);
    }
    for (size_t k = strlen(one->text); k-- > 0;) {
        if (one->text[k] != '.') continue;
        const char *object = kl_arena_text_n(a->s->arena, one->text, k);
        if (!object) return KL_E_MEMORY;
        if (kl_attach_find(a->s, a->m, object, kl_model_find_body, NULL) < 0 &&
            kl_attach_find(a->s, a->m, object, kl_model_find_named, NULL) < 0 &&
            kl_attach_find(a->s, a->m, object, kl_model_find_element, NULL) < 0)
            continue;
        const char *whole = object;
        if (kl_attach_find(a->s, a->m, object, kl_model_find_element, &whole) < 0 &&
            kl_attach_find(a->s, a->m, object, kl_model_find_named, &whole) < 0)
            (void)kl_attach_find(a->s, a->m, object, kl_model_find_body, &whole);
        one->text = kl_arena_format(a->s->arena, "%s%s", whole, one->text + k);
        if (!one->text) return KL_E_MEMORY;
        one->what = one->text + strlen(whole) + 1;
        return pair_of(a, before, n, whole, one);
    }
    const char *dot = strchr(one->text, '.');
    const char *object =
        dot ? kl_arena_text_n(a->s->arena, one->text, (size_t)(dot - one->text)) : one->text;
    const char *near = kl_attach_near_element(a->s, a->m, object, a->m->nelement - 1);
    if (!near) near = kl_attach_near_body(a->s, a->m, object);
    return kl_fail(a->s->diag, KL_E_NAME, one->place,
                   "there is no quantity '%s'; name one of a joint or body, such as hinge.angle or "
                   "cart.velocity.x%s%s%s",
                   one->text, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Each signal gets a pair of markers: of its joint, or of its body against ground. `before` are the
 * signals of this element so far, because signals of one object share their pair. */
static kl_status attach_signals(kl_attaching *a)
{
    enum { MOST = 256 };
    const kl_signal *before[MOST];
    int              n      = 0;
    kl_status        status = KL_OK;
    for (const kl_key *k = a->type->keys; k->name; k++) {
        if (k->kind != KL_KEY_SIGNALS) continue;
        kl_signals *list = *(kl_signals **)(void *)((char *)a->data + k->offset);
        for (int i = 0; list && i < list->n; i++) {
            kl_status one = find_signal(a, before, n, &list->item[i]);
            if (one != KL_OK) status = one;
            if (n < MOST) before[n++] = &list->item[i];
        }
    }
    return status;
}

const kl_attachment_kind kl_attach_signals = {
    .name   = "signals",
    .attach = attach_signals,
    .sample = "inputs: {x: j1.angle, v: j1.angular_speed, y: j2.displacement, w: j2.speed}, "
              "states: {e: 0.2}, "
              "outputs: {T: j1.torque, F: j2.force}, lua: \"T = sin(x) - 0.3*v*y + e*e; F = x*w - "
              "y + t; e_dot = x - e*w\"",
};
