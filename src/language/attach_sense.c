/* Attachments that can be written down but make no sense. */
#include <string.h>

#include "language/attach_parts.h"

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; p && *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (strcspn(p, " ") == n && strncmp(p, word, n) == 0) return true;
    return false;
}

static bool measures(const kl_element_type *joint, const char *word)
{
    for (const kl_output *o = joint->outputs; o && o->name; o++)
        if (strcmp(o->name, word) == 0) return true;
    return false;
}

/* The word that `data` has for the key, or NULL. */
static const char *choice_of(const kl_scope *s, const kl_element_type *type, const char *name,
                             const char *data)
{
    for (const kl_key *k = type->keys; k->name; k++) {
        if (strcmp(k->name, name) != 0 || k->kind != KL_KEY_WORD) continue;
        const char *word   = k->words;
        int         choice = *(const int *)(const void *)(data + k->offset);
        for (; choice > 0 && strchr(word, ' '); choice--) word = strchr(word, ' ') + 1;
        return kl_arena_text_n(s->arena, word, strcspn(word, " "));
    }
    return NULL;
}

/* A coordinate that the joint holds cannot be driven, coupled or limited; a coupler needs one that the
 * joint measures. */
static kl_status check_coordinate(kl_scope *s, const kl_model *m, const kl_entry *e, int joint,
                                  const char *word, bool measured)
{
    const kl_element *j    = &m->element[joint];
    const char       *what = j->type->name;
    if (has_word(j->type->holds, word))
        return kl_fail(s->diag, KL_E_MODEL, e->place,
                       "%s '%s': the %s '%s' constrains its %s, which therefore cannot be driven "
                       "or loaded; %s",
                       e->section, e->name, what, j->name, word,
                       measures(j->type, "angle") && measures(j->type, "displacement")
                           ? "use its angle or its displacement"
                       : measures(j->type, "angle")        ? "use its angle"
                       : measures(j->type, "displacement") ? "use its displacement"
                                                           : "choose another joint");
    if (measured && !measures(j->type, word))
        return kl_fail(
            s->diag, KL_E_MODEL, e->place,
            "%s '%s': the %s joint '%s' has no single %s that could be coupled; use joints "
            "with one axis, such as `revolute` or `translational`",
            e->section, e->name, what, j->name, word);
    return KL_OK;
}

/* A body whose axes never turn takes no torque and guides nothing. */
kl_status kl_attach_check_axes(kl_attaching *a)
{
    const kl_model        *m    = a->m;
    const kl_entry        *e    = a->e;
    const kl_element_type *type = a->type;
    const kl_element      *me   = &m->element[m->nelement - 1];
    for (int i = me->marker; i < m->nmarker; i++) {
        const kl_body *b    = &m->body[m->marker[i].body];
        int            pair = (i - me->marker) % 2;
        if (!(type->turns & (1u << pair)) || !b->type->stiff_axes) continue;
        return kl_fail(a->s->diag, KL_E_MODEL, e->place,
                       "%s '%s': '%s' is a %s mass without rotation, so a %s cannot act %s; %s",
                       e->section, e->name, b->name, b->type->name, type->name,
                       me->joint ? "there" : "on it",
                       me->joint ? "use `spherical` or `distance`, or make the body rigid: `type: "
                                   "rigid` with an `inertia`"
                                 : "make the body rigid: `type: rigid` with an `inertia`");
    }
    return KL_OK;
}

kl_status kl_attach_check_joints(kl_attaching *a)
{
    const int *of = a->m->element[a->m->nelement - 1].of;
    KL_TRY(kl_attach_check_axes(a));
    for (int k = 0; k < 2; k++) {
        const char *one = choice_of(a->s, a->type, k ? "second" : "first", a->data);
        if (one) KL_TRY(check_coordinate(a->s, a->m, a->e, of[k], one, true));
    }
    return KL_OK;
}

kl_status kl_attach_check_joint(kl_attaching *a)
{
    kl_scope   *s    = a->s;
    int         of   = a->m->element[a->m->nelement - 1].of[0];
    const char *word = choice_of(s, a->type, "coordinate", a->data);
    KL_TRY(kl_attach_check_axes(a));
    if (of < 0 || !word) return KL_OK;
    KL_TRY(check_coordinate(s, a->m, a->e, of, word, false));
    if (!a->type->turn) return KL_OK; /* no driver */
    if (strcmp(word, "z") == 0) word = "displacement";
    const char *key   = kl_arena_format(s->arena, "%d.%s", of, word);
    int         other = key ? kl_names_get(&s->shared->driven, key) : -1;
    if (other >= 0)
        return kl_fail(s->diag, KL_E_MODEL, a->e->place,
                       "%s '%s': the %s of '%s' is already driven by '%s'; remove one of the "
                       "drivers, or combine both values with `sum`",
                       a->e->section, a->e->name, word, a->m->element[of].name,
                       a->m->element[other].name);
    if (!key || !kl_names_put(&s->shared->driven, s->arena, key, a->m->nelement - 1))
        return KL_E_MEMORY;
    return KL_OK;
}
