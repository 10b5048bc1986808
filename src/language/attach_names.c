/* Names as a part sees them: its own first, then those of the part around it, and so on. */
#include <stdlib.h>
#include <string.h>

#include "language/attach_parts.h"

/* Index of `name` as seen from the part, its whole name in `whole`; -1: none. */
int kl_attach_find(const kl_scope *s, const kl_model *m, const char *name, kl_attach_finder find,
                   const char **whole)
{
    size_t n = strlen(s->prefix);
    for (;;) {
        const char *full =
            n == 0 ? name : kl_arena_format(s->arena, "%.*s%s", (int)n, s->prefix, name);
        int i = full ? find(m, full) : -1;
        if (i >= 0 && whole) *whole = full;
        if (i >= 0 || n == 0) return i;
        for (n--; n > 0 && s->prefix[n - 1] != '.';) n--;
    }
}

const char *kl_attach_whole_name(const kl_scope *s, const kl_model *m, const char *name,
                                 const kl_names *others)
{
    const char *whole = NULL;
    if (kl_attach_find(s, m, name, kl_model_find_body, &whole) >= 0) return whole;
    if (kl_attach_find(s, m, name, kl_model_find_element, &whole) >= 0) return whole;
    for (size_t n = strlen(s->prefix); n > 0;) {
        const char *full = kl_arena_format(s->arena, "%.*s%s", (int)n, s->prefix, name);
        if (full && kl_names_get(others, full) >= 0) return full;
        for (n--; n > 0 && s->prefix[n - 1] != '.';) n--;
    }
    return NULL;
}

int kl_attach_input(const kl_scope *s, const kl_model *m, const char *name)
{
    return kl_attach_find(s, m, name, kl_model_find_input, NULL);
}

/* Line of the entry that `name` or its first part names in a list; 0: it is not there. */
static int line_in(const kl_scope *s, const kl_names *list, const char *name)
{
    const char *full = kl_arena_format(s->arena, "%s%s", s->prefix, name);
    int         line = full ? kl_names_get(list, full) : -1;
    if (line < 0) line = kl_names_get(list, name);
    const char *dot = strrchr(name, '.');
    if (line < 0 && dot) {
        const char *part = kl_arena_format(s->arena, "%.*s", (int)(dot - name), name);
        return part ? line_in(s, list, part) : 0;
    }
    return line < 0 ? 0 : line;
}

int kl_attach_dropped(const kl_scope *s, const char *name)
{
    return line_in(s, &s->shared->dropped, name);
}

/* The name nearest to `name`, as one would write it in this part. */
static const char *nearest_name(const kl_scope *s, const char *name, int n,
                                const char *(*at)(const kl_model *m, int i), const kl_model *m)
{
    enum { ENOUGH = 20 }; /* mistakes; beyond, looking for suggestions costs more than it helps */
    if (kl_diag_count(s->diag, KL_ERROR) > ENOUGH) return NULL;
    const char **names = malloc(((size_t)n + 1) * sizeof *names), *near = NULL;
    size_t       cut = strlen(s->prefix);
    for (int i = 0; names && i < n; i++) {
        const char *full = at(m, i);
        names[i]         = strncmp(full, s->prefix, cut) == 0 ? full + cut : full;
    }
    if (names) {
        names[n] = NULL;
        near     = kl_nearest(name, names);
    }
    free((void *)names);
    return near;
}

static const char *body_name(const kl_model *m, int i) { return m->body[i].name; }
static const char *element_name(const kl_model *m, int i) { return m->element[i].name; }

const char *kl_attach_near_body(const kl_scope *s, const kl_model *m, const char *name)
{
    return nearest_name(s, name, m->nbody, body_name, m);
}

const char *kl_attach_near_element(const kl_scope *s, const kl_model *m, const char *name, int n)
{
    return nearest_name(s, name, n, element_name, m);
}

/* The parameter that holds this word, or NULL. */
static const char *holder_of(const kl_scope *s, const char *word)
{
    for (int i = s->n - 1; i >= 0; i--)
        if (s->variable[i].word && strcmp(s->variable[i].word, word) == 0)
            return s->variable[i].name;
    return NULL;
}

/* Line of a loop over an empty range that would create a name with this beginning; 0: none. */
static int empty_loop(const kl_scope *s, const char *name)
{
    const char *full = kl_arena_format(s->arena, "%s%s", s->prefix, name);
    for (int n = full ? (int)strlen(full) : 0; n > 0; n--) {
        const char *stem = kl_arena_format(s->arena, "%.*s", n, full);
        int         line = stem ? kl_names_get(&s->shared->empty, stem) : -1;
        if (line > 0) return line;
    }
    return 0;
}

/* "rod.tip" where the beam 'rod' has no node 'tip': the beam, or NULL. */
static const kl_compound *owner_of_node(const kl_scope *s, const kl_model *m, const char *name)
{
    const char *dot  = strrchr(name, '.');
    const char *stem = dot ? kl_arena_format(s->arena, "%.*s", (int)(dot - name), name) : NULL;
    int         i    = stem ? kl_attach_find(s, m, stem, kl_model_find_compound, NULL) : -1;
    return i < 0 ? NULL : &m->compound[i];
}

int kl_attach_body(kl_scope *s, const kl_model *m, const kl_node *where, const char *name)
{
    int index = kl_attach_find(s, m, name, kl_model_find_body, NULL), line;
    if (index >= 0 || line_in(s, &s->shared->broken, name) > 0)
        return index; /* a further message would lead astray */
    if ((line = kl_attach_dropped(s, name)) > 0) {
        kl_fail(s->diag, KL_E_NAME, where->place,
                "body '%s' is left out by %s `when` in line %d; give this entry the same `when`, "
                "or change the condition",
                name, strchr(name, '.') ? "the" : "its", line);
        return -1;
    }
    if (kl_attach_find(s, m, name, kl_model_find_element, NULL) >= 0) {
        kl_fail(s->diag, KL_E_NAME, where->place,
                "'%s' is a joint or force, not a body; name a body", name);
        return -1;
    }
    if ((line = empty_loop(s, name)) > 0) {
        kl_fail(s->diag, KL_E_NAME, where->place,
                "there is no body '%s': the `for` in line %d has an empty range and creates "
                "nothing; write the smaller number first, as in 1..3",
                name, line);
        return -1;
    }
    const kl_compound *owner = owner_of_node(s, m, name);
    if (owner && strcmp(owner->type->name, "beam") == 0) {
        kl_fail(s->diag, KL_E_NAME, where->place,
                "beam '%s' has no node '%s'; name %s.start, %s.end, or a place that you add to its "
                "`stations:`",
                owner->name, strrchr(name, '.') + 1, owner->name, owner->name);
        return -1;
    }
    const char *near = kl_attach_near_body(s, m, name), *handed = holder_of(s, name);
    int         part = (int)strlen(s->prefix) - 1; /* without its dot */
    if (part > 0 && handed) {
        kl_fail(s->diag, KL_E_NAME, where->place,
                "part '%.*s': its parameter '%s' names the body '%s', which does not exist; set "
                "`parameters: {%s: ...}` of the part to the name of a body",
                part, s->prefix, handed, name, handed);
        return -1;
    }
    kl_fail(s->diag, KL_E_NAME, where->place, "%s%.*s%sthere is no body '%s'%s%s%s",
            part > 0 ? "part '" : "", part > 0 ? part : 0, s->prefix, part > 0 ? "': " : "", name,
            near ? "; did you mean '"
                 : "; define it under `bodies:` (the fixed body is called 'ground')",
            near ? near : "", near ? "'?" : "");
    return -1;
}
