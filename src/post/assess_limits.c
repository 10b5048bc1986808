/* The limits file of an assessment, compared with the built-in one: every name must exist there and every
 * number must be one, so that a misspelt limit is an error. */
#include <math.h>
#include <string.h>

#include "base/share.h"
#include "post/assess.h"

enum { MOST_NAMES = 64 };

static void refuse_name(const kl_node *entry, const kl_node *model, const char *where,
                        kl_diag *diag)
{
    const char *names[MOST_NAMES + 1] = {0};
    int         n                     = 0;
    for (const kl_node *k = model->first; k && n < MOST_NAMES; k = k->next) names[n++] = k->key;
    const char *near = kl_nearest(entry->key, names);
    if (near)
        kl_fail(diag, KL_E_MODEL, entry->key_place, "%s has no entry '%s'; did you mean '%s'?",
                where, entry->key, near);
    else
        kl_fail(diag, KL_E_MODEL, entry->key_place,
                "%s has no entry '%s'; `klingel assess --print-limits` prints all of them", where,
                entry->key);
}

static void refuse_value(const kl_node *entry, const char *what, kl_diag *diag)
{
    kl_fail(diag, KL_E_MODEL, entry->place, "'%s' must be %s%s%s%s", entry->key, what,
            entry->kind == KL_SCALAR ? ", not '" : ", not ",
            entry->kind == KL_SCALAR ? entry->text : kl_node_kind_word(entry->kind),
            entry->kind == KL_SCALAR ? "'; units are part of the names" : "");
}

/* Is a name in a list of the section `checks` of the built-in file? */
static bool in_check(const kl_node *checks, const char *list, const char *name)
{
    const kl_node *names = kl_node_get(checks, list);
    for (const kl_node *k = names ? names->first : NULL; k; k = k->next)
        if (strcmp(k->text, name) == 0) return true;
    return false;
}

/* Rules of the built-in file, and where complaints go. */
typedef struct builtin {
    const kl_node *checks;
    kl_diag       *diag;
} builtin;

static bool map_fits(const kl_node *given, const kl_node *model, const char *where,
                     const builtin *b);

/* Items of a list against the first item of the built-in list: maps with the same names, or rows of as many
 * numbers. */
static bool list_fits(const kl_node *given, const kl_node *model, const builtin *b)
{
    const kl_node *own  = model->first;
    bool           good = true;
    for (const kl_node *k = given->first; own && k; k = k->next) {
        double row[8];
        bool   rows = own->kind == KL_LIST;
        if (k->kind != own->kind ||
            (rows && (k->size != own->size || kl_node_numbers(k, row, 8) != own->size))) {
            kl_fail(b->diag, KL_E_MODEL, k->place,
                    "each item of `%s` must be %s, as `klingel assess --print-limits` shows",
                    given->key, rows ? "a list of as many numbers" : kl_node_kind_word(own->kind));
            good = false;
        } else if (own->kind == KL_MAP) {
            good &= map_fits(k, own, given->key, b);
            for (const kl_node *o = own->first; o; o = o->next)
                if (!kl_node_get(k, o->key)) {
                    kl_fail(b->diag, KL_E_MODEL, k->place, "`%s` is missing in this item of `%s`",
                            o->key, given->key);
                    good = false;
                }
        }
    }
    return good;
}

/* Entries of `given` against those of `model`, a map of the built-in file. */
static bool map_fits(const kl_node *given, const kl_node *model, const char *where,
                     const builtin *b)
{
    bool good = true;
    for (const kl_node *k = given->first; k; k = k->next) {
        const kl_node *own = kl_node_get(model, k->key);
        if (!own) refuse_name(k, model, where, b->diag), good = false;
        else if (k->kind != own->kind)
            refuse_value(k, own->kind == KL_SCALAR ? "a number" : kl_node_kind_word(own->kind),
                         b->diag),
                good = false;
        else if (own->kind == KL_MAP) good &= map_fits(k, own, k->key, b);
        else if (own->kind == KL_LIST) good &= list_fits(k, own, b);
        else if (in_check(b->checks, "greater_than_0", k->key) && !(kl_node_number(k, 0.0) > 0.0))
            refuse_value(k, "a number greater than 0", b->diag), good = false;
        else if (in_check(b->checks, "at_most_100", k->key) && !(kl_node_number(k, 101.0) <= 100.0))
            refuse_value(k, "a percentage up to 100", b->diag), good = false;
        else if (in_check(b->checks, "below_90", k->key) && !(kl_node_number(k, 90.0) < 90.0))
            refuse_value(k, "an angle below 90", b->diag), good = false;
        else if (own->kind == KL_SCALAR && isfinite(kl_node_number(own, NAN)) &&
                 !(kl_node_number(k, -1.0) >= 0.0))
            refuse_value(k, "a number that is not negative", b->diag), good = false;
    }
    return good;
}

/* What a file leaves out is taken from the built-in one. */
static kl_status complete(kl_node *given, const kl_node *model, kl_arena *arena)
{
    kl_node **end = &given->first;
    for (; *end; end = &(*end)->next) {
        const kl_node *own = kl_node_get(model, (*end)->key);
        if (own && own->kind == KL_MAP) KL_TRY(complete(*end, own, arena));
    }
    for (const kl_node *own = model->first; own; own = own->next) {
        bool there = false;
        for (const kl_node *k = given->first; k && !there; k = k->next)
            there = strcmp(k->key, own->key) == 0;
        if (there) continue;
        kl_node *copy = kl_arena_array(arena, kl_node, 1);
        if (!copy) return KL_E_MEMORY;
        *copy      = *own;
        copy->next = NULL;
        *end       = copy;
        end        = &copy->next;
        given->size += 1;
    }
    given->sorted = NULL;
    return KL_OK;
}

static bool limits_fit(kl_node *root, const kl_node *model, const char *file, kl_diag *diag)
{
    if (root->kind != KL_MAP) {
        kl_fail(diag, KL_E_MODEL, (kl_place){.file = file},
                "a limits file is a map of domains; `klingel assess --print-limits` prints one");
        return false;
    }
    const builtin b = {.checks = kl_node_get(model, "checks"), .diag = diag};
    return map_fits(root, model, "the limits file", &b);
}

kl_status kl_assess_limits(const char *file, kl_arena *arena, kl_diag *diag, const kl_node **out)
{
    const kl_share *share = kl_share_find("assessment.yaml");
    kl_node        *own = NULL, *root = NULL;
    if (!share) return KL_E_INTERNAL;
    KL_TRY(kl_doc_parse(share->text, share->size, share->name, arena, diag, &own));
    *out = own;
    if (!file) return KL_OK;
    KL_TRY(kl_doc_read(file, arena, diag, &root, NULL));
    *out = root;
    if (!limits_fit(root, own, file, diag)) return KL_E_MODEL;
    return complete(root, own, arena);
}
