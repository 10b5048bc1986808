#include "io/scope.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

kl_status kl_scope_init(kl_scope *s, kl_arena *arena, kl_diag *diag)
{
    *s        = (kl_scope){.arena = arena, .diag = diag, .cap = 16};
    s->name   = kl_arena_array(arena, const char *, s->cap + 1);
    s->value  = kl_arena_array(arena, kl_quantity, s->cap);
    s->number = kl_arena_array(arena, double, s->cap);
    s->word   = kl_arena_array(arena, const char *, s->cap);
    return kl_arena_ok(arena) ? KL_OK : KL_E_MEMORY;
}

static kl_status make_room(kl_scope *s)
{
    if (s->n < s->cap) return KL_OK;
    int   cap = 2 * s->cap, n = s->n;
    void *name   = kl_arena_array(s->arena, const char *, cap + 1),
         *value  = kl_arena_array(s->arena, kl_quantity, cap);
    void *number = kl_arena_array(s->arena, double, cap),
         *word   = kl_arena_array(s->arena, const char *, cap);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    s->name   = memcpy(name, s->name, (size_t)n * sizeof *s->name);
    s->value  = memcpy(value, s->value, (size_t)n * sizeof *s->value);
    s->number = memcpy(number, s->number, (size_t)n * sizeof *s->number);
    s->word   = memcpy(word, s->word, (size_t)n * sizeof *s->word);
    s->cap    = cap;
    return KL_OK;
}

kl_status kl_scope_push(kl_scope *s, const char *name, kl_quantity value, const char *word)
{
    KL_TRY(make_room(s));
    s->name[s->n]   = name;
    s->value[s->n]  = value;
    s->number[s->n] = value.value;
    s->word[s->n]   = word;
    s->name[++s->n] = NULL;
    return KL_OK;
}

void kl_scope_pop(kl_scope *s) { s->name[--s->n] = NULL; }

static int index_of(const kl_scope *s, const char *name)
{
    for (int i = s->n - 1; i >= 0; i--) /* inner variables hide outer ones */
        if (strcmp(s->name[i], name) == 0) return i;
    return -1;
}

static bool find(const void *context, const char *name, int *index, kl_dim *dim, bool *bare)
{
    const kl_scope *s = context;
    int             i = index_of(s, name);
    if (i < 0 || s->word[i]) return false;
    *index = i;
    *dim   = s->value[i].dim;
    *bare  = s->value[i].bare;
    return true;
}

static const char *const *names(const void *context) { return ((const kl_scope *)context)->name; }

static kl_status quantity(kl_scope *s, const char *text, kl_place place, kl_quantity *out)
{
    kl_symbols symbols = {.context = s, .find = find, .names = names};
    return kl_expression_number(text, place, &symbols, s->number, s->diag, out);
}

static const kl_override *override_of(const kl_override *set, int nset, const char *name)
{
    for (int i = nset - 1; i >= 0; i--)
        if (strcmp(set[i].name, name) == 0) return &set[i];
    return NULL;
}

/* A plain word that names nothing known. */
static bool is_word(const kl_scope *s, const char *text)
{
    if (!isalpha((unsigned char)*text) || index_of(s, text) >= 0) return false;
    if (strcmp(text, "pi") == 0 || strcmp(text, "tau") == 0) return false;
    for (const char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-') return false;
    return true;
}

/* A parameter is a number; a word or text that is no expression stays a word, for choices (`when`,
 * words of keys). */
static kl_status parameter(kl_scope *s, const kl_node *n, const kl_override *set)
{
    kl_quantity given = {.bare = true}, changed = {.bare = true};
    if (n->kind != KL_SCALAR)
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "parameter '%s' is %s; give one number such as `276 mm`", n->key,
                       kl_node_kind_word(n->kind));
    if (index_of(s, n->key) >= 0)
        return kl_fail(s->diag, KL_E_NAME, n->key_place, "parameter '%s' is there twice", n->key);
    if (n->quoted || is_word(s, n->text))
        return kl_scope_push(s, n->key, given, set ? kl_arena_text(s->arena, set->text) : n->text);
    if (quantity(s, n->text, n->place, &given) != KL_OK)
        return kl_scope_push(s, n->key, given, NULL);
    if (set) {
        kl_place command = {.file = "--set"};
        if (quantity(s, set->text, command, &changed) != KL_OK) return KL_E_MODEL;
        if (!kl_quantity_fits(changed, given.dim) && !given.bare)
            return kl_fail(s->diag, KL_E_MODEL, command,
                           "parameter '%s' was given with another unit than '%s' has in the model",
                           n->key, set->text);
        /* a bare number takes the unit that the model gave */
        if (changed.bare) changed.dim = given.dim, changed.bare = given.bare;
        given = changed;
    }
    return kl_scope_push(s, n->key, given, NULL);
}

kl_status kl_scope_parameters(kl_scope *s, const kl_node *section, const kl_override *set, int nset)
{
    if (section && section->kind != KL_MAP)
        return kl_fail(s->diag, KL_E_MODEL, section->place,
                       "`parameters` is %s; give names and numbers: {L: 276 mm}",
                       kl_node_kind_word(section->kind));
    for (const kl_node *n = section ? section->first : NULL; n; n = n->next)
        if (parameter(s, n, override_of(set, nset, n->key)) == KL_E_MEMORY) return KL_E_MEMORY;
    s->nparameter = s->n;
    for (int i = 0; i < nset; i++) {
        if (index_of(s, set[i].name) >= 0) continue;
        const char *near = kl_nearest(set[i].name, s->name);
        kl_fail(s->diag, KL_E_NAME, (kl_place){.file = "--set"},
                "the model has no parameter '%s'%s%s%s", set[i].name,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return kl_diag_failed(s->diag) ? KL_E_MODEL : KL_OK;
}

kl_status kl_scope_number(kl_scope *s, const kl_node *node, const char *what, const char *unit,
                          double *out)
{
    kl_quantity q;
    kl_dim      want = {{0}};
    double      factor;
    if (node->kind != KL_SCALAR)
        return kl_fail(s->diag, KL_E_MODEL, node->place, "%s is %s; give one number", what,
                       kl_node_kind_word(node->kind));
    if (node->quoted && !*node->text)
        return kl_fail(s->diag, KL_E_MODEL, node->place, "%s is empty; give a number", what);
    KL_TRY(quantity(s, node->text, node->place, &q));
    *out = q.value;
    if (strcmp(unit, "*") == 0) return KL_OK;
    if (!kl_unit_parse(unit, &factor, &want))
        return kl_fail(s->diag, KL_E_INTERNAL, node->place, "unit '%s' of %s", unit, what);
    if (kl_quantity_fits(q, want)) return KL_OK;
    char        is[64];
    const char *word = kl_dim_word(q.dim), *wants = kl_dim_word(want);
    kl_unit_format(q.dim, is, sizeof is);
    return kl_fail(s->diag, KL_E_MODEL, node->place, "%s is `%s`, %s%s%s; wants %s%s%s%s", what,
                   node->text, word ? word : "in ", word ? "" : is, "",
                   wants ? wants : "a plain number", strcmp(unit, "1") ? " in " : "",
                   strcmp(unit, "1") ? unit : "", "");
}

kl_status kl_scope_integer(kl_scope *s, const char *text, kl_place place, const char *what,
                           int *out)
{
    kl_quantity q;
    KL_TRY(quantity(s, text, place, &q));
    double nearest = round(q.value);
    if (fabs(q.value - nearest) > 1e-9 || fabs(nearest) > 1e9)
        return kl_fail(s->diag, KL_E_MODEL, place, "%s is %g; give a whole number", what, q.value);
    *out = (int)nearest;
    return KL_OK;
}

kl_status kl_scope_text(kl_scope *s, const char *text, kl_place place, const char **out)
{
    *out = text;
    if (!strchr(text, '{')) return KL_OK;
    char   buffer[1024];
    size_t n = 0;
    for (const char *p = text; *p;) {
        if (*p != '{') {
            if (n + 2 > sizeof buffer)
                return kl_fail(s->diag, KL_E_MODEL, place, "the name '%.40s...' is too long", text);
            buffer[n++] = *p++;
            continue;
        }
        const char *end = strchr(p, '}');
        if (!end) return kl_fail(s->diag, KL_E_SYNTAX, place, "'%s': the `{` has no `}`", text);
        const char *inner = kl_arena_text_n(s->arena, p + 1, (size_t)(end - p - 1));
        if (!inner) return KL_E_MEMORY;
        int i = index_of(s, inner), number = 0;
        if (i >= 0 && s->word[i]) {
            n += (size_t)snprintf(buffer + n, sizeof buffer - n, "%s", s->word[i]);
        } else {
            KL_TRY(kl_scope_integer(s, inner, place, "what stands in { }", &number));
            n += (size_t)snprintf(buffer + n, sizeof buffer - n, "%d", number);
        }
        if (n + 2 > sizeof buffer)
            return kl_fail(s->diag, KL_E_MODEL, place, "the name '%.40s...' is too long", text);
        p = end + 1;
    }
    *out = kl_arena_text_n(s->arena, buffer, n);
    return *out ? KL_OK : KL_E_MEMORY;
}
