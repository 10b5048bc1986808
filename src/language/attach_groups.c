/* between: [group, group]; a group is a body, a list of bodies, or a pattern such as ball*. One marker for
 * each body that belongs to either, in the order of their names. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contact/contact_group.h"
#include "language/attach_parts.h"

enum { MOST = 2000 };

typedef struct member {
    const char   *name;
    kl_body_frame f;
    unsigned char side;
} member;

typedef struct members {
    member *item;
    int     n;
} members;

static bool matches(const char *pattern, const char *name)
{
    if (*pattern == '*') return matches(pattern + 1, name) || (*name && matches(pattern, name + 1));
    return *pattern == *name && (!*pattern || matches(pattern + 1, name + 1));
}

static kl_status take(kl_attaching *a, const kl_body_frame *f, const kl_node *where, unsigned side,
                      members *all)
{
    const char *name = a->m->body[f->body].name;
    for (int i = 0; i < all->n; i++)
        if (all->item[i].f.body == f->body) return all->item[i].side |= (unsigned char)side, KL_OK;
    if (all->n == MOST)
        return kl_fail(a->s->diag, KL_E_RANGE, where->place,
                       "%s '%s': more than %d bodies; split the group", a->e->section, a->e->name,
                       MOST);
    all->item[all->n++] = (member){name, *f, (unsigned char)side};
    return KL_OK;
}

static kl_status take_named(kl_attaching *a, const kl_node *n, unsigned side, members *all)
{
    kl_body_frame f;
    const char   *word;
    KL_TRY(kl_value_word(a->s, n, "a group", &word));
    if (!strchr(word, '*')) {
        KL_TRY(kl_attach_find_frame(a, n, &f));
        if (!f.named) kl_model_pose(a->m, f.body, &f.r, &f.A);
        return take(a, &f, n, side, all);
    }
    bool any = false;
    for (int i = 1; i < a->m->nbody; i++) {
        if (!matches(word, a->m->body[i].name)) continue;
        f = (kl_body_frame){.body = i};
        kl_model_pose(a->m, i, &f.r, &f.A);
        KL_TRY(take(a, &f, n, side, all));
        any = true;
    }
    if (any) return KL_OK;
    return kl_fail(a->s->diag, KL_E_NAME, n->place,
                   "%s '%s': no body has a name that matches '%s'; check the pattern",
                   a->e->section, a->e->name, word);
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const member *)x)->name, ((const member *)y)->name);
}

static kl_status attach_groups(kl_attaching *a)
{
    const kl_node *between = kl_entry_get(a->e, "between");
    members        all     = {.item = kl_arena_array(a->m->arena, member, MOST)};
    unsigned char *side    = kl_arena_array(a->m->arena, unsigned char, MOST);
    if (!all.item || !side) return KL_E_MEMORY;
    if (!between || between->kind != KL_LIST || between->size != 2)
        return kl_attach_missing(a, "`between` must name the two groups: [ball*, [floor, wall]]");
    int k = 0;
    for (const kl_node *g = between->first; g; g = g->next, k++) {
        if (g->kind != KL_LIST) KL_TRY(take_named(a, g, 1u << k, &all));
        for (const kl_node *n = g->kind == KL_LIST ? g->first : NULL; n; n = n->next)
            KL_TRY(take_named(a, n, 1u << k, &all));
    }
    /* In the order of the bodies' names, so that results do not depend on the order of the text. */
    qsort(all.item, (size_t)all.n, sizeof *all.item, by_name);
    for (int i = 0; i < all.n; i++) {
        side[i] = all.item[i].side;
        KL_TRY(kl_attach_add_frame(a, &all.item[i].f, a->axial));
    }
    return kl_contact_group_members(a->data, side, all.n, a->m->arena);
}

static void write_groups(kl_text *t, const kl_model *m, const kl_element *e)
{
    for (int k = 0; k < 2; k++) {
        kl_text_add(t, k ? ", [" : "    between: [[");
        for (int i = 0, n = 0; i < e->nmarker; i++) {
            char name[KL_MARKER_NAME];
            if (!(kl_contact_group_side(e->data, i) & (1u << k))) continue;
            kl_text_add(t, n++ ? ", %s" : "%s", kl_attach_marker_name(m, e->marker + i, name));
        }
        kl_text_add(t, "]");
    }
    kl_text_add(t, "]\n");
}

static const kl_word_key groups_keys[] = {
    {"between", "bodies or groups", "", NULL,
     "[first, second]: each a body, a list of bodies, or a pattern such as ball*"},
    {0}};

const kl_attachment_kind kl_attach_groups = {
    .name   = "groups",
    .keys   = groups_keys,
    .attach = attach_groups,
    .write  = write_groups,
    .loaded = -1,
    .sample = "between: [[a, b, c], [a, b, c]]",
};

bool kl_attach_is_group(const kl_node *between)
{
    for (const kl_node *g = between && between->kind == KL_LIST ? between->first : NULL; g;
         g                = g->next)
        if (g->kind == KL_LIST || (g->kind == KL_SCALAR && strchr(g->text, '*'))) return true;
    return false;
}
