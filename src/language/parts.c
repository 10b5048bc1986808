#include "language/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "catalogue.h"

enum { MOST_PARTS = 100000, MOST_TURNS = 100000, DEEPEST = 32 };

/* ---- entries: like, when, for ---------------------------------------------------------------- */

/* The entry `name` of the section being read: of this part, or `template.name`, or of the model. */
static const kl_node *entry_of(const kl_builder *b, const char *name)
{
    const kl_part *parts[2] = {b->now, b->part[0]};
    for (int k = 0; k < 2; k++)
        for (int i = parts[k]->nroot - 1; i >= 0; i--) {
            const kl_node *n = kl_node_get(kl_node_get(parts[k]->root[i], b->section), name);
            if (n) return n;
        }
    const char *dot = strchr(name, '.');
    char        first[128];
    if (!dot || (size_t)(dot - name) >= sizeof first) return NULL;
    snprintf(first, sizeof first, "%.*s", (int)(dot - name), name);
    for (int i = b->part[0]->nroot - 1; i >= 0; i--) {
        const kl_node *t = kl_node_get(kl_node_get(b->part[0]->root[i], "templates"), first);
        const kl_node *n = kl_node_get(kl_node_get(t, b->section), dot + 1);
        if (n) return n;
    }
    return NULL;
}

static const char *near_entry(const kl_builder *b, const char *name, const char *self)
{
    const char *names[256];
    int         n = 0;
    for (int i = 0; i < b->now->nroot; i++) {
        const kl_node *s = kl_node_get(b->now->root[i], b->section);
        for (const kl_node *c = s && s->kind == KL_MAP ? s->first : NULL; c && n < 255; c = c->next)
            if (strcmp(c->key, self) != 0) names[n++] = c->key;
    }
    names[n] = NULL;
    return kl_nearest(name, names);
}

/* ---- like an entry that `for` makes ---- */

typedef struct wanted_name {
    const char    *name;
    const kl_node *entry; /* that makes it */
    int            n;     /* variables that are pushed */
    bool           found;
} wanted_name;

static void search(kl_builder *b, const kl_node *n, const kl_node *variable, wanted_name *w);

static void search_with(kl_builder *b, const kl_node *n, const kl_node *variable, kl_quantity value,
                        const char *word, wanted_name *w)
{
    if (kl_scope_push(&b->now->scope, variable->key, value, word) != KL_OK) return;
    w->n++;
    search(b, n, variable->next, w);
    if (w->found) return; /* the variables stay: they belong to what is found */
    kl_scope_pop(&b->now->scope);
    w->n--;
}

/* Tries all members of the range for one whose name is wanted. Mistakes in it are reported when the
 * entry itself is read. */
static void search(kl_builder *b, const kl_node *n, const kl_node *variable, wanted_name *w)
{
    kl_scope   *s    = &b->now->scope;
    kl_diag    *diag = s->diag;
    const char *dots =
                   variable && variable->kind == KL_SCALAR ? strstr(variable->text, "..") : NULL,
               *name = NULL;
    int from = 0, to = -1;
    if (!variable) {
        s->diag  = NULL;
        w->found = kl_scope_text(s, n->key, n->key_place, &name) == KL_OK && name &&
                   strcmp(name, w->name) == 0;
        s->diag = diag;
        return;
    }
    if (dots) {
        const char *left =
            kl_arena_text_n(s->arena, variable->text, (size_t)(dots - variable->text));
        s->diag = NULL;
        bool ok = left && kl_scope_integer(s, left, variable->place, "", &from) == KL_OK &&
                  kl_scope_integer(s, dots + 2, variable->place, "", &to) == KL_OK;
        s->diag = diag;
        for (int i = from; ok && i <= to && i - from < MOST_TURNS && !w->found; i++)
            search_with(b, n, variable, (kl_quantity){.value = i, .bare = true}, NULL, w);
        return;
    }
    for (const kl_node *c = variable->kind == KL_LIST ? variable->first : NULL; c && !w->found;
         c                = c->next) {
        kl_quantity value;
        const char *word;
        s->diag = NULL;
        bool ok = kl_scope_value(s, c, "", &value, &word) == KL_OK;
        s->diag = diag;
        if (ok) search_with(b, n, variable, value, word, w);
    }
}

/* The entry whose `for` makes `name`, with the variables of that turn pushed. */
static const kl_node *entry_by_loop(kl_builder *b, const char *name, int *pushed)
{
    wanted_name w = {.name = name};
    for (int i = b->now->nroot - 1; i >= 0; i--) {
        const kl_node *all = kl_node_get(b->now->root[i], b->section);
        for (const kl_node *n = all && all->kind == KL_MAP ? all->first : NULL; n; n = n->next) {
            const kl_node *range = kl_node_get(n, "for");
            size_t         plain = strcspn(n->key, "{");
            if (!range || range->kind != KL_MAP || strncmp(n->key, name, plain) != 0) continue;
            search(b, n, range->first, &w);
            if (!w.found) continue;
            *pushed = w.n;
            return n;
        }
    }
    return NULL;
}

static kl_status follow_like(kl_builder *b, kl_entry *e, const kl_node *n, int *pushed)
{
    enum { MOST = sizeof e->chain / sizeof *e->chain - 1 };
    int depth   = 0;
    e->chain[0] = n;
    e->chain[1] = NULL;
    for (const kl_node *like; (like = kl_node_get(e->chain[depth], "like")) != NULL;) {
        if (like->kind != KL_SCALAR)
            return kl_fail(b->diag, KL_E_MODEL, like->place,
                           "%s '%s': like is %s; give the name of one %s", b->word, e->name,
                           kl_node_kind_word(like->kind), b->word);
        const kl_node *other = entry_of(b, like->text);
        /* "wheel3" may be made by a loop "wheel{i}" that is not expanded yet: then its variable is bound to 3 */
        if (!other && *pushed == 0 && !kl_node_get(n, "for"))
            other = entry_by_loop(b, like->text, pushed);
        if (!other || other->kind != KL_MAP) {
            const char *near = near_entry(b, like->text, e->name);
            return kl_fail(b->diag, KL_E_NAME, like->place,
                           "%s '%s': `like` names '%s', but there is no such %s%s%s%s", b->word,
                           e->name, like->text, b->word, near ? "; did you mean '" : "",
                           near ? near : "", near ? "'?" : "");
        }
        /* chains are short (16 entries), so comparing with all of them is the simplest search for a cycle */
        for (int i = 0; i <= depth; i++)
            if (e->chain[i] == other)
                return kl_fail(
                    b->diag, KL_E_MODEL, like->place,
                    "%s '%s': `like` leads back to itself; write the keys of one of them in full",
                    b->word, e->name);
        if (depth + 1 >= MOST)
            return kl_fail(
                b->diag, KL_E_MODEL, like->place,
                "%s '%s': `like` is chained more than %d times; refer to the first entry directly",
                b->word, e->name, MOST - 1);
        e->chain[++depth]   = other;
        e->chain[depth + 1] = NULL;
    }
    return KL_OK;
}

static kl_scope *scope_of(kl_builder *b) { return &b->now->scope; }

static kl_status read_one(kl_builder *b, const kl_node *n, kl_entry_reader read)
{
    kl_scope   *s = scope_of(b);
    kl_entry    e = {.place = n->key_place, .section = b->word};
    const char *name;
    bool        wanted = true;
    KL_TRY(kl_scope_text(s, n->key, n->key_place, &name));
    e.name = *s->prefix ? kl_arena_format(s->arena, "%s%s", s->prefix, name) : name;
    if (!e.name) return KL_E_MEMORY;
    const kl_node *when = kl_node_get(n, "when");
    if (when) KL_TRY(kl_scope_condition(s, when, &wanted));
    if (!wanted) {
        /* Remembered with its line: a later reference to it can then name the `when` that omitted
         * it. */
        kl_names_put(&s->shared->dropped, s->arena, e.name, when->place.line);
        return KL_OK;
    }
    int       pushed = 0;
    kl_status status = follow_like(b, &e, n, &pushed);
    if (status == KL_OK) status = read(b, &e);
    for (s = scope_of(b); pushed > 0; pushed--) kl_scope_pop(s);
    /* References to an entry with a mistake are not reported again as missing. */
    if (status != KL_OK) kl_names_put(&s->shared->broken, s->arena, e.name, e.place.line);
    return status;
}

/* {i: 0..n}, {i: [1, 3, 5]} or {side: [left, right]}; several variables: all combinations */
static kl_status loop(kl_builder *b, const kl_node *n, const kl_node *variable,
                      kl_entry_reader read);

static kl_status loop_turn(kl_builder *b, const kl_node *n, const kl_node *variable,
                           kl_quantity value, const char *word, kl_entry_reader read)
{
    if (++b->turns > MOST_TURNS) {
        kl_fail(b->diag, KL_E_RANGE, n->key_place,
                "the `for` of %s '%s' creates more than %d entries; use a smaller range", b->word,
                n->key, MOST_TURNS);
        return KL_E_MEMORY; /* stops the reading */
    }
    KL_TRY(kl_scope_push(scope_of(b), variable->key, value, word));
    kl_status status = loop(b, n, variable->next, read);
    kl_scope_pop(scope_of(b));
    return status == KL_E_MEMORY || kl_diag_count(b->diag, KL_ERROR) > 1000 ? KL_E_MEMORY : KL_OK;
}

/* The name that the entries of a loop begin with: `a{i}` gives "a", in a part "front.a". */
static const char *loop_stem(kl_builder *b, const char *key)
{
    const kl_scope *s = scope_of(b);
    const char *stem  = kl_arena_format(s->arena, "%s%.*s", s->prefix, (int)strcspn(key, "{"), key);
    return stem ? stem : "";
}

static kl_status loop_range(kl_builder *b, const kl_node *n, const kl_node *variable,
                            const char *dots, kl_entry_reader read)
{
    kl_scope   *s    = scope_of(b);
    int         from = 0, to = 0;
    const char *left  = kl_arena_text_n(s->arena, variable->text, (size_t)(dots - variable->text));
    kl_place    place = variable->place;
    if (!left) return KL_E_MEMORY;
    KL_TRY(kl_scope_integer(s, left, place, "the start of the range", &from));
    place.column += (int)(dots - variable->text) + 2;
    KL_TRY(kl_scope_integer(s, dots + 2, place, "the end of the range", &to));
    if ((long)to - from >= MOST_TURNS)
        return kl_fail(b->diag, KL_E_RANGE, variable->place,
                       "the range %d..%d has more than %d members; use a smaller range", from, to,
                       MOST_TURNS);
    if (from > to) /* allowed: 1..n with n = 0 */
        kl_names_put(&s->shared->empty, s->arena, loop_stem(b, n->key), n->key_place.line);
    for (int i = from; i <= to; i++)
        KL_TRY(loop_turn(b, n, variable, (kl_quantity){.value = i, .bare = true}, NULL, read));
    return KL_OK;
}

/* All values of one variable of `for`, and for each of them all values of the variables after it. */
static kl_status loop(kl_builder *b, const kl_node *n, const kl_node *variable,
                      kl_entry_reader read)
{
    if (!variable) return read_one(b, n, read);
    if (variable->kind == KL_SCALAR && strstr(variable->text, ".."))
        return loop_range(b, n, variable, strstr(variable->text, ".."), read);
    if (variable->kind != KL_LIST)
        return kl_fail(b->diag, KL_E_MODEL, variable->place,
                       "`for` needs a range or a list: {i: 0..9} or {side: [left, right]}");
    for (const kl_node *c = variable->first; c; c = c->next) {
        kl_quantity value;
        const char *word;
        KL_TRY(kl_scope_value(scope_of(b), c, "a member of `for`", &value, &word));
        KL_TRY(loop_turn(b, n, variable, value, word, read));
    }
    return KL_OK;
}

static kl_status read_entry(kl_builder *b, const kl_node *n, kl_entry_reader read)
{
    const kl_resource_type *resource = kl_resource_type_of(b->section);
    if (n->kind != KL_MAP && resource)
        return kl_fail(b->diag, KL_E_MODEL, n->place, "%s '%s' is %s; give its keys, such as %s",
                       b->word, n->key, kl_node_kind_word(n->kind), resource->example);
    if (n->kind != KL_MAP)
        return kl_fail(b->diag, KL_E_MODEL, n->place, "%s '%s' is %s; give its keys: {%s}", b->word,
                       n->key, kl_node_kind_word(n->kind),
                       strcmp(b->section, "bodies") == 0    ? "mass: 1 kg, inertia: [1, 1, 1]"
                       : strcmp(b->section, "outputs") == 0 ? "expression: hinge.angle"
                       : strcmp(b->section, "inputs") == 0  ? "unit: N"
                       : strcmp(b->section, "parts") == 0   ? "template: NAME"
                                                            : "type: NAME, ...");
    const kl_node *range = kl_node_get(n, "for");
    if (!range) return read_one(b, n, read);
    if (range->kind != KL_MAP)
        return kl_fail(b->diag, KL_E_MODEL, range->place,
                       "`for` needs {i: 0..9} or {side: [left, right]}");
    if (!strchr(n->key, '{'))
        return kl_fail(b->diag, KL_E_NAME, n->key_place,
                       "`for` creates %s '%s' several times, so its name must contain the loop "
                       "variable: \"%s{%s}\"",
                       b->word, n->key, n->key, range->first ? range->first->key : "i");
    b->turns = 0;
    return loop(b, n, range->first, read);
}

static kl_status read_part(kl_builder *b, kl_part *p, const char *section, const char *word,
                           kl_entry_reader read)
{
    for (int i = 0; i < p->nroot; i++) {
        const kl_node *list = kl_node_get(p->root[i], section);
        if (!list || (list->kind == KL_SCALAR && !*list->text)) continue;
        if (list->kind != KL_MAP) {
            kl_fail(b->diag, KL_E_MODEL, list->place,
                    "`%s` is %s; give names, each with its keys: {NAME: {...}}; `klingel help %s` "
                    "shows an example",
                    section, kl_node_kind_word(list->kind), section);
            continue;
        }
        for (const kl_node *n = list->first; n; n = n->next) {
            b->now     = p;
            b->section = section;
            b->word    = word;
            if (read_entry(b, n, read) == KL_E_MEMORY) return KL_E_MEMORY;
        }
    }
    return KL_OK;
}

kl_status kl_parts_read(kl_builder *b, const char *section, const char *word, kl_entry_reader read)
{
    for (int i = 0; i < b->npart; i++) KL_TRY(read_part(b, b->part[i], section, word, read));
    return KL_OK;
}

/* ---- templates ------------------------------------------------------------------------------- */

static kl_part *new_part(kl_builder *b)
{
    kl_part  *p    = kl_arena_array(b->m->arena, kl_part, 1);
    kl_part **slot = kl_arena_grow(b->m->arena, (void **)&b->part, b->npart, &b->cap, sizeof *slot);
    if (!p || !slot) return NULL;
    *slot = p;
    b->npart++;
    return p;
}

static const kl_node *template_of(kl_builder *b, const kl_entry *e, const kl_node *t)
{
    const char *name, *names[256];
    int         n = 0;
    if (kl_value_word(scope_of(b), t, "template", &name) != KL_OK) return NULL;
    for (int i = b->part[0]->nroot - 1; i >= 0; i--) {
        const kl_node *all  = kl_node_get(b->part[0]->root[i], "templates");
        const kl_node *here = kl_node_get(all, name);
        if (here && here->kind == KL_MAP) return here;
        if (here) {
            kl_fail(b->diag, KL_E_MODEL, here->place,
                    "template '%s' is %s; give its sections: {bodies: ..., joints: ...}", name,
                    kl_node_kind_word(here->kind));
            return NULL;
        }
        for (const kl_node *c = all && all->kind == KL_MAP ? all->first : NULL; c && n < 255;
             c                = c->next)
            names[n++] = c->key;
    }
    names[n]         = NULL;
    const char *near = kl_nearest(name, names);
    kl_fail(b->diag, KL_E_NAME, t->place, "part '%s': there is no template '%s'%s%s%s", e->name,
            name, near ? "; did you mean '" : "; define it under `templates:`", near ? near : "",
            near ? "'?" : "");
    return NULL;
}

/* at, orientation, mirror, as seen from the part around it */
static kl_status placement_of(kl_builder *b, const kl_entry *e, kl_placement *out)
{
    kl_scope      *s     = scope_of(b);
    kl_placement   inner = kl_placement_none();
    const kl_node *at = kl_entry_get(e, "at"), *orientation = kl_entry_get(e, "orientation"),
                  *mirror = kl_entry_get(e, "mirror");
    char what[256];
    snprintf(what, sizeof what, "part '%.200s': at", e->name);
    if (at) KL_TRY(kl_value_vec3(s, at, what, "m", &inner.r));
    snprintf(what, sizeof what, "part '%.200s': orientation", e->name);
    if (orientation) {
        KL_TRY(kl_value_rotation(s, orientation, what, &inner.R));
        inner.turned = true;
    }
    if (mirror) {
        const char *word;
        KL_TRY(kl_value_word(s, mirror, "part: mirror", &word));
        if (strlen(word) != 1 || *word < 'x' || *word > 'z')
            return kl_fail(
                b->diag, KL_E_MODEL, mirror->place,
                "part '%s': mirror is '%s'; give x, y or z, the coordinate that changes sign",
                e->name, word);
        inner.mirrored = true;
        inner.mirror   = *word - 'x';
    }
    *out = kl_placement_chain(&s->place, &inner);
    return KL_OK;
}

/* Values that the entry hands to the parameters of the template, as seen from outside. */
static void report_no_parameter(kl_builder *b, const kl_entry *e, const kl_part *p,
                                const char *template, const kl_node *n)
{
    const kl_scope *s     = &p->scope;
    const char    **names = kl_arena_array(s->arena, const char *, s->n - b->nglobal + 1);
    for (int i = b->nglobal; names && i < s->n; i++) names[i - b->nglobal] = s->variable[i].name;
    const char *near = names ? kl_nearest(n->key, names) : NULL;
    kl_fail(b->diag, KL_E_NAME, n->key_place,
            "part '%s': template '%s' has no parameter '%s'; %s%s%sdeclare it there under "
            "`parameters:` with a default",
            e->name, template, n->key, near ? "did you mean '" : "", near ? near : "",
            near ? "'? Otherwise " : "");
}

static kl_status set_template_parameters(kl_builder *b, const kl_entry *e, kl_part *p,
                                         const char *template)
{
    for (int k = 0; e->chain[k]; k++) {
        const kl_node *list = kl_node_get(e->chain[k], "parameters");
        if (!list) continue;
        if (list->kind != KL_MAP)
            return kl_fail(b->diag, KL_E_MODEL, list->place,
                           "part '%s': parameters is %s; give {name: value}", e->name,
                           kl_node_kind_word(list->kind));
        for (const kl_node *n = list->first; n; n = n->next) {
            kl_quantity value;
            const char *word;
            bool        nearer = false; /* a nearer entry of the `like` chain gives it */
            for (int i = 0; i < k; i++)
                nearer |= kl_node_get(kl_node_get(e->chain[i], "parameters"), n->key) != NULL;
            if (nearer || kl_scope_value(scope_of(b), n, n->key, &value, &word) != KL_OK) continue;
            if (!kl_scope_assign(&p->scope, b->nglobal, n->key, value, word, n->place))
                report_no_parameter(b, e, p, template, n);
        }
    }
    return KL_OK;
}

/* --set front.wheelbase=3 */
static void change_from_outside(kl_builder *b, kl_part *p)
{
    size_t n = strlen(p->scope.prefix);
    for (int i = 0; i < b->nset; i++)
        if (strncmp(b->set[i].name, p->scope.prefix, n) == 0 &&
            kl_scope_change(&p->scope, p->template ? b->nglobal : 0, b->set[i].name + n,
                            b->set[i].text, "--set"))
            b->used[i] = true;
}

static kl_status place_part(kl_builder *b, kl_entry *e)
{
    static const char *const known[] = {"template", "at",  "orientation", "mirror", "parameters",
                                        "like",     "for", "when",        NULL};
    kl_part                 *outer   = b->now;
    const kl_node           *t       = kl_entry_get(e, "template");
    kl_values_unknown(scope_of(b), e, "part", NULL, known);
    if (!t)
        return kl_fail(b->diag, KL_E_MODEL, e->place,
                       "part '%s': `template` is missing; give the name of one under `templates:`",
                       e->name);
    const kl_node *template = template_of(b, e, t);
    if (!template) return KL_E_NAME;
    int depth = 0;
    for (const kl_part *o = outer; o; o = o->outer, depth++)
        if (o->template == template)
            return kl_fail(b->diag, KL_E_MODEL, t->place,
                           "template '%s' contains itself; remove this part", t->text);
    if (depth > DEEPEST || b->npart >= MOST_PARTS) {
        kl_fail(b->diag, KL_E_RANGE, t->place,
                depth > DEEPEST ? "parts are nested more than %d levels deep; use fewer levels"
                                : "the model has more than %d parts; use fewer",
                depth > DEEPEST ? DEEPEST : MOST_PARTS);
        return KL_E_MEMORY;
    }
    if (kl_names_get(&b->outputs, e->name) >= 0)
        return kl_fail(b->diag, KL_E_NAME, e->place,
                       "the name of part '%s' is used twice; rename one", e->name);
    kl_names_put(&b->outputs, b->m->arena, e->name, b->npart);
    if (outer == b->part[0]) kl_diag_part(b->diag, e->name, e->place);

    kl_placement place;
    KL_TRY(placement_of(b, e, &place));
    kl_part        *p    = new_part(b);
    const kl_node **root = kl_arena_array(b->m->arena, const kl_node *, 1);
    if (!p || !root) return KL_E_MEMORY;
    *root = template;
    *p    = (kl_part){.root = root, .nroot = 1, .template = template, .outer = outer};
    KL_TRY(kl_scope_nest(&p->scope, &b->part[0]->scope, b->nglobal));
    p->scope.prefix = kl_arena_format(b->m->arena, "%s.", e->name);
    p->scope.place  = place;
    if (!p->scope.prefix) return KL_E_MEMORY;
    KL_TRY(kl_scope_declare(&p->scope, kl_node_get(template, "parameters"), b->nglobal, false));
    KL_TRY(set_template_parameters(b, e, p, t->text));
    change_from_outside(b, p);
    KL_TRY(kl_scope_evaluate(&p->scope));

    /* parts inside, with this one around them */
    const char *section = b->section, *word = b->word;
    kl_status   status = read_part(b, p, "parts", "part", place_part);
    b->now             = outer;
    b->section         = section;
    b->word            = word;
    return status;
}

static void check_template(kl_builder *b, const kl_node *t)
{
    static const char *const fixed[] = {"parameters", "inputs", "bodies", "outputs", "parts"};
    const char              *known[64];
    int                      n = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) known[n++] = fixed[i];
    n += kl_catalogue_sections(known + n, 63 - n);
    known[n]   = NULL;
    kl_entry e = {.name = t->key, .section = "template", .chain = {t, NULL}};
    if (t->kind == KL_MAP) kl_values_unknown(&b->part[0]->scope, &e, "template", NULL, known);
}

kl_status kl_parts_open(kl_builder *b, const kl_source *source)
{
    kl_part *p = new_part(b);
    if (!p) return KL_E_MEMORY;
    p->root  = (const kl_node *const *)source->root;
    p->nroot = source->n;
    KL_TRY(kl_scope_init(&p->scope, b->m->arena, b->diag));
    for (int i = 0; i < p->nroot; i++)
        if (kl_scope_declare(&p->scope, kl_node_get(p->root[i], "parameters"), 0, true) ==
            KL_E_MEMORY)
            return KL_E_MEMORY;
    b->used = kl_arena_array(b->m->arena, bool, b->nset + 1);
    if (!b->used) return KL_E_MEMORY;
    change_from_outside(b, p);
    KL_TRY(kl_scope_evaluate(&p->scope));
    b->nglobal = p->scope.n;

    for (int i = 0; i < p->nroot; i++) {
        const kl_node *all = kl_node_get(p->root[i], "templates");
        if (all && all->kind != KL_MAP && !(all->kind == KL_SCALAR && !*all->text))
            kl_fail(b->diag, KL_E_MODEL, all->place,
                    "`templates` is %s; give names, each with its sections",
                    kl_node_kind_word(all->kind));
        for (const kl_node *t = all && all->kind == KL_MAP ? all->first : NULL; t; t = t->next)
            check_template(b, t);
    }
    KL_TRY(read_part(b, p, "parts", "part", place_part));
    b->outputs = (kl_names){0};

    /* parameters of parts ("front.wheelbase") are only known now, so a wrong --set is found last */
    for (int i = 0; i < b->nset; i++) {
        if (b->used[i]) continue;
        const char **names = kl_arena_array(b->m->arena, const char *, p->scope.n + 1);
        for (int k = 0; names && k < b->nglobal; k++) names[k] = p->scope.variable[k].name;
        const char *near = names ? kl_nearest(b->set[i].name, names) : NULL;
        kl_fail(b->diag, KL_E_NAME, (kl_place){.file = "--set"},
                "the model has no parameter '%s'%s%s%s", b->set[i].name,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return KL_OK;
}
