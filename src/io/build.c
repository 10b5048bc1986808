#include "io/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "io/attach.h"
#include "io/start.h"
#include "io/values.h"

struct kl_source {
    kl_arena   *arena;
    kl_node    *root;
    const char *text, *file;
};

/* ---- source
 * ------------------------------------------------------------------------------------------------------------
 */

static kl_status source_of(kl_source **out)
{
    kl_arena  *a = kl_arena_create();
    kl_source *s = kl_arena_array(a, kl_source, 1);
    *out         = s;
    if (!s) {
        kl_arena_destroy(a);
        return KL_E_MEMORY;
    }
    s->arena = a;
    return KL_OK;
}

static kl_status keep_if(kl_status status, kl_source **out)
{
    if (status == KL_OK) return KL_OK;
    kl_source_destroy(*out);
    *out = NULL;
    return status;
}

kl_status kl_source_read(const char *path, kl_diag *diag, kl_source **out)
{
    KL_TRY(source_of(out));
    (*out)->file = kl_arena_text((*out)->arena, path);
    return keep_if(kl_doc_read(path, (*out)->arena, diag, &(*out)->root, &(*out)->text), out);
}

kl_status kl_source_parse(const char *text, size_t length, const char *name, kl_diag *diag,
                          kl_source **out)
{
    KL_TRY(source_of(out));
    (*out)->file = kl_arena_text((*out)->arena, name);
    (*out)->text = kl_arena_text_n((*out)->arena, text, length);
    if (!(*out)->text) return keep_if(KL_E_MEMORY, out);
    return keep_if(kl_doc_parse(text, length, (*out)->file, (*out)->arena, diag, &(*out)->root),
                   out);
}

void kl_source_destroy(kl_source *s)
{
    if (s) kl_arena_destroy(s->arena);
}

const char *kl_source_text(const kl_source *s) { return s->text; }

/* ---- entries: like, for
 * ------------------------------------------------------------------------------------------------
 */

typedef struct builder {
    kl_scope       scope;
    kl_model      *m;
    kl_diag       *diag;
    const kl_node *root;
    const kl_node *section; /* being read */
    const char    *word;    /* "body", "joint", ... */
} builder;

typedef kl_status (*entry_reader)(builder *b, kl_entry *e);

static kl_status follow_like(builder *b, kl_entry *e, const kl_node *n)
{
    enum { MOST = sizeof e->chain / sizeof *e->chain - 1 };
    int depth   = 0;
    e->chain[0] = n;
    e->chain[1] = NULL;
    for (const kl_node *like; (like = kl_node_get(e->chain[depth], "like")) != NULL;) {
        const kl_node *other = like->kind == KL_SCALAR ? kl_node_get(b->section, like->text) : NULL;
        if (!other || other->kind != KL_MAP)
            return kl_fail(b->diag, KL_E_NAME, like->place,
                           "%s '%s' is like '%s', but there is no such %s", b->word, e->name,
                           like->kind == KL_SCALAR ? like->text : "?", b->word);
        for (int i = 0; i <= depth; i++)
            if (e->chain[i] == other)
                return kl_fail(b->diag, KL_E_MODEL, like->place,
                               "%s '%s' is like itself in the end", b->word, e->name);
        if (depth + 1 >= MOST)
            return kl_fail(b->diag, KL_E_MODEL, like->place,
                           "%s '%s': more than %d steps of `like`", b->word, e->name, MOST - 1);
        e->chain[++depth]   = other;
        e->chain[depth + 1] = NULL;
    }
    return KL_OK;
}

static kl_status read_one(builder *b, const kl_node *n, entry_reader read)
{
    kl_entry e = {.place = n->key_place, .section = b->word};
    KL_TRY(kl_scope_text(&b->scope, n->key, n->key_place, &e.name));
    KL_TRY(follow_like(b, &e, n));
    return read(b, &e);
}

/* {i: 0..n}, {i: [1, 3, 5]} or {side: [left, right]}; several variables: all combinations */
static kl_status loop(builder *b, const kl_node *n, const kl_node *variable, entry_reader read);

static kl_status loop_turn(builder *b, const kl_node *n, const kl_node *variable, kl_quantity value,
                           const char *word, entry_reader read)
{
    KL_TRY(kl_scope_push(&b->scope, variable->key, value, word));
    kl_status status = loop(b, n, variable->next, read);
    kl_scope_pop(&b->scope);
    return status == KL_E_MEMORY ? status : KL_OK;
}

static kl_status loop_range(builder *b, const kl_node *n, const kl_node *variable, const char *dots,
                            entry_reader read)
{
    enum { MOST = 1000000 };
    int         from = 0, to = 0;
    const char *left =
        kl_arena_text_n(b->scope.arena, variable->text, (size_t)(dots - variable->text));
    kl_place place = variable->place;
    if (!left) return KL_E_MEMORY;
    KL_TRY(kl_scope_integer(&b->scope, left, place, "the start of the range", &from));
    place.column += (int)(dots - variable->text) + 2;
    KL_TRY(kl_scope_integer(&b->scope, dots + 2, place, "the end of the range", &to));
    if (to - from >= MOST)
        return kl_fail(b->diag, KL_E_RANGE, variable->place, "the range has more than %d members",
                       MOST);
    for (int i = from; i <= to; i++)
        KL_TRY(loop_turn(b, n, variable, (kl_quantity){.value = i, .bare = true}, NULL, read));
    return KL_OK;
}

static kl_status loop(builder *b, const kl_node *n, const kl_node *variable, entry_reader read)
{
    if (!variable) return read_one(b, n, read);
    if (variable->kind == KL_SCALAR && strstr(variable->text, ".."))
        return loop_range(b, n, variable, strstr(variable->text, ".."), read);
    if (variable->kind != KL_LIST)
        return kl_fail(b->diag, KL_E_MODEL, variable->place,
                       "`for` wants a range or a list: {i: 0..9} or {side: [left, right]}");
    for (const kl_node *c = variable->first; c; c = c->next) {
        char *end;
        if (c->kind != KL_SCALAR)
            return kl_fail(b->diag, KL_E_MODEL, c->place,
                           "a member of `for` is a number or a word");
        double v      = strtod(c->text, &end);
        bool   number = end != c->text && !*end && !c->quoted;
        KL_TRY(loop_turn(b, n, variable, (kl_quantity){.value = number ? v : 0.0, .bare = true},
                         number ? NULL : c->text, read));
    }
    return KL_OK;
}

static kl_status read_section(builder *b, const char *name, const char *word, entry_reader read)
{
    b->section = kl_node_get(b->root, name);
    b->word    = word;
    if (!b->section || (b->section->kind == KL_SCALAR && !*b->section->text)) return KL_OK;
    if (b->section->kind != KL_MAP)
        return kl_fail(b->diag, KL_E_MODEL, b->section->place,
                       "`%s` is %s; give names, each with its keys", name,
                       kl_node_kind_word(b->section->kind));
    for (const kl_node *n = b->section->first; n; n = n->next) {
        if (n->kind != KL_MAP) {
            kl_fail(b->diag, KL_E_MODEL, n->place, "%s '%s' is %s; give its keys: {type: ..., ...}",
                    word, n->key, kl_node_kind_word(n->kind));
            continue;
        }
        const kl_node *range = kl_node_get(n, "for");
        kl_status      status;
        if (range && range->kind != KL_MAP)
            status = kl_fail(b->diag, KL_E_MODEL, range->place,
                             "`for` wants {i: 0..9} or {side: [left, right]}");
        else if (range && !strchr(n->key, '{'))
            status = kl_fail(b->diag, KL_E_NAME, n->key_place,
                             "%s '%s' is made several times by `for`, so its name must hold a "
                             "variable, such as \"%s{%s}\"",
                             word, n->key, n->key, range->first ? range->first->key : "i");
        else status = range ? loop(b, n, range->first, read) : read_one(b, n, read);
        if (status == KL_E_MEMORY) return status;
    }
    return KL_OK;
}

/* ---- bodies, joints, forces
 * -------------------------------------------------------------------------------------------- */

static kl_status fresh_name(builder *b, const kl_entry *e)
{
    bool taken =
        kl_model_find_body(b->m, e->name) >= 0 || kl_model_find_element(b->m, e->name) >= 0;
    for (const char *p = e->name; *p; p++)
        if (strchr(" \t\"'[],:", *p) || !*e->name)
            return kl_fail(b->diag, KL_E_NAME, e->place,
                           "the name '%s' holds '%c'; use letters, digits, - and _", e->name, *p);
    static const char *const reserved[] = {"energy", "drift", "input", "time"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(e->name, reserved[i]) == 0)
            return kl_fail(b->diag, KL_E_NAME, e->place,
                           "'%s' is the name of standard channels; choose another", e->name);
    if (taken)
        return kl_fail(
            b->diag, KL_E_NAME, e->place,
            "the name '%s' is there twice; bodies, joints and forces share one list of names",
            e->name);
    return KL_OK;
}

static const kl_body_type *body_type_of(builder *b, const kl_entry *e)
{
    const kl_node *t    = kl_entry_get(e, "type");
    const char    *word = "rigid", *names[32];
    int            n    = 0;
    if (t && kl_value_word(&b->scope, t, "type", &word) != KL_OK) return NULL;
    for (int i = 1; kl_body_types[i] && n < 31; i++) {
        if (strcmp(kl_body_types[i]->name, word) == 0) return kl_body_types[i];
        names[n++] = kl_body_types[i]->name;
    }
    names[n]         = NULL;
    const char *near = kl_nearest(word, names);
    kl_fail(b->diag, KL_E_NAME, t->place, "body '%s': there is no body type '%s'%s%s%s", e->name,
            word, near ? "; did you mean '" : "; see `klingel list`", near ? near : "",
            near ? "'?" : "");
    return NULL;
}

static kl_status read_body(builder *b, kl_entry *e)
{
    static const char *const also[] = {"type", "like", "for", "markers", "shape", NULL};
    KL_TRY(fresh_name(b, e));
    const kl_body_type *type = body_type_of(b, e);
    if (!type) return KL_E_MODEL;
    kl_values_unknown(&b->scope, e, type->name, type->keys, also);
    kl_body *body = kl_model_add_body(b->m, type, e->name, e->place);
    if (!body || !body->data) return KL_E_MEMORY;
    KL_TRY(kl_attach_markers(&b->scope, b->m, e, b->m->nbody - 1));
    return kl_values_read(&b->scope, b->m, e, type->keys, body->data);
}

static const kl_element_type *element_type_of(builder *b, const kl_entry *e,
                                              const kl_element_type *const *types)
{
    const kl_node *t = kl_entry_get(e, "type");
    const char    *word, *names[64];
    int            n = 0;
    if (!t) {
        kl_fail(b->diag, KL_E_MODEL, e->place,
                "%s '%s': type is missing; `klingel list` shows the types", b->word, e->name);
        return NULL;
    }
    if (kl_value_word(&b->scope, t, "type", &word) != KL_OK) return NULL;
    for (; *types; types++) {
        if (strcmp((*types)->name, word) == 0) return *types;
        if (n < 63) names[n++] = (*types)->name;
    }
    names[n]         = NULL;
    const char *near = kl_nearest(word, names);
    kl_fail(b->diag, KL_E_NAME, t->place, "%s '%s': there is no %s type '%s'%s%s%s", b->word,
            e->name, b->word, word, near ? "; did you mean '" : "; `klingel list` shows the types",
            near ? near : "", near ? "'?" : "");
    return NULL;
}

static kl_status read_element(builder *b, kl_entry *e, const kl_element_type *const *types,
                              bool joint)
{
    KL_TRY(fresh_name(b, e));
    const kl_element_type *type = element_type_of(b, e, types);
    if (!type) return KL_E_MODEL;
    kl_values_unknown(&b->scope, e, type->name, type->keys, kl_attach_keys);
    kl_element *element = kl_model_add_element(b->m, type, e->name, e->place, joint);
    if (!element || !element->data) return KL_E_MEMORY;
    kl_status values  = kl_values_read(&b->scope, b->m, e, type->keys, element->data);
    kl_status markers = kl_attach_element(&b->scope, b->m, e, type->attach);
    element           = &b->m->element[b->m->nelement - 1];
    element->nmarker  = b->m->nmarker - element->marker;
    return values != KL_OK ? values : markers;
}

static kl_status read_joint(builder *b, kl_entry *e)
{
    return read_element(b, e, kl_joint_types, true);
}
static kl_status read_force(builder *b, kl_entry *e)
{
    return read_element(b, e, kl_force_types, false);
}

/* ---- inputs, outputs, settings
 * ------------------------------------------------------------------------------------------ */

static kl_status read_input(builder *b, kl_entry *e)
{
    static const char *const also[] = {"unit", "value", "for", "like", NULL};
    kl_values_unknown(&b->scope, e, "input", NULL, also);
    const kl_node *unit = kl_entry_get(e, "unit"), *value = kl_entry_get(e, "value");
    kl_input      *input = kl_model_add_input(b->m, e->name);
    double         factor;
    if (!input) return KL_E_MEMORY;
    input->unit = unit && unit->kind == KL_SCALAR ? unit->text : "1";
    if (!kl_unit_parse(input->unit, &factor, &input->dim))
        return kl_fail(b->diag, KL_E_MODEL, unit->place, "input '%s': '%s' is not a unit", e->name,
                       input->unit);
    char text[64];
    kl_unit_format(input->dim, text, sizeof text);
    input->unit = kl_arena_text(b->m->arena, *text ? text : "1");
    return value ? kl_scope_number(&b->scope, value, "input: value", input->unit, &input->value)
                 : KL_OK;
}

static kl_status read_output(builder *b, kl_entry *e)
{
    static const char *const also[] = {"of",  "point", "quantity", "expression",
                                       "for", "like",  NULL};
    kl_values_unknown(&b->scope, e, "output", NULL, also);
    const kl_node *of = kl_entry_get(e, "of"), *point = kl_entry_get(e, "point"),
                  *quantity   = kl_entry_get(e, "quantity");
    const kl_node *expression = kl_entry_get(e, "expression");
    if (expression && !of && !point && !quantity) {
        kl_wanted *w = kl_model_add_wanted(b->m, e->name, expression->place);
        if (!w) return KL_E_MEMORY;
        if (expression->kind != KL_SCALAR)
            return kl_fail(b->diag, KL_E_MODEL, expression->place,
                           "output '%s': expression is %s; give one text", e->name,
                           kl_node_kind_word(expression->kind));
        return kl_scope_text(&b->scope, expression->text, expression->place, &w->expression);
    }
    if (expression || !of || !quantity)
        return kl_fail(b->diag, KL_E_MODEL, e->place,
                       "output '%s': give {of: body, point: [x, y, z], quantity: position.x} or "
                       "{expression: ...}",
                       e->name);
    const char *body, *word;
    kl_marker   local = {.A = kl_identity()};
    KL_TRY(kl_value_word(&b->scope, of, "of", &body));
    KL_TRY(kl_value_word(&b->scope, quantity, "quantity", &word));
    int index = kl_attach_body(&b->scope, b->m, of, body);
    if (index < 0) return KL_E_NAME;
    if (point) KL_TRY(kl_value_vec3(&b->scope, point, "output: point", "m", &local.r));
    KL_TRY(kl_model_add_marker(b->m, index, &local));
    kl_wanted *w = kl_model_add_wanted(b->m, e->name, quantity->place);
    if (!w) return KL_E_MEMORY;
    w->marker   = b->m->nmarker - 1;
    w->quantity = word;
    return KL_OK;
}

const kl_key kl_run_keys[] = {{.name     = "end",
                               .kind     = KL_KEY_NUMBER,
                               .offset   = offsetof(kl_settings, end),
                               .unit     = "s",
                               .fallback = "1",
                               .min      = 0,
                               .max      = 1e300,
                               .help     = "simulated time"},
                              {.name     = "every",
                               .kind     = KL_KEY_NUMBER,
                               .offset   = offsetof(kl_settings, every),
                               .unit     = "s",
                               .fallback = "0.01",
                               .min      = 1e-300,
                               .max      = 1e300,
                               .help     = "time between recorded rows"},
                              {0}};

const kl_key kl_integrator_keys[] = {
    {.name     = "type",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_settings, integrator),
     .words    = "generalized-alpha newmark hht",
     .fallback = "generalized-alpha",
     .help     = "method"},
    {.name     = "tolerance",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, tolerance),
     .unit     = "1",
     .fallback = "1e-9",
     .min      = 1e-15,
     .max      = 0.1,
     .help     = "local error of a step, over the size of the mechanism (or in radian)"},
    {.name     = "step",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, step),
     .unit     = "s",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "fixed step; left out: found from the tolerance"},
    {.name     = "max_step",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, max_step),
     .unit     = "s",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "largest step"},
    {.name     = "first_step",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, first_step),
     .unit     = "s",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "first step; left out: found"},
    {.name     = "spectral_radius",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, spectral_radius),
     .unit     = "1",
     .fallback = "0.9",
     .min      = 0,
     .max      = 1,
     .help     = "numerical damping of high frequencies: 1 none, 0 most"},
    {.name     = "length",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, length),
     .unit     = "m",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "size that tolerances refer to; left out: the extent of the model"},
    {0}};

static kl_status read_settings(builder *b, const char *name, const kl_key *keys)
{
    const kl_node *n = kl_node_get(b->root, name);
    if (n && n->kind == KL_SCALAR && !*n->text) n = NULL;
    if (n && n->kind != KL_MAP)
        return kl_fail(b->diag, KL_E_MODEL, n->place, "`%s` is %s; give its keys, such as %s", name,
                       kl_node_kind_word(n->kind),
                       strcmp(name, "run") ? "{tolerance: 1e-8}" : "{end: 5, every: 0.01}");
    kl_entry e = {.name    = "",
                  .section = name,
                  .place   = n ? n->place : (kl_place){.file = b->m->file},
                  .chain   = {n, NULL}};
    kl_values_unknown(&b->scope, &e, name, keys, NULL);
    return kl_values_read(&b->scope, b->m, &e, keys, &b->m->settings);
}

static kl_status read_head(builder *b)
{
    const kl_node *version              = kl_node_get(b->root, "klingel"),
                  *title                = kl_node_get(b->root, "title"),
                  *gravity              = kl_node_get(b->root, "gravity");
    static const char *const sections[] = {"klingel", "title",  "parameters", "gravity",
                                           "inputs",  "bodies", "joints",     "forces",
                                           "outputs", "run",    "integrator", "state", NULL};
    for (const kl_node *n = b->root->first; n; n = n->next) {
        bool known = false;
        for (int i = 0; sections[i]; i++) known |= strcmp(sections[i], n->key) == 0;
        const char *near = known ? NULL : kl_nearest(n->key, sections);
        if (!known)
            kl_fail(b->diag, KL_E_NAME, n->key_place, "unknown section `%s`%s%s%s", n->key,
                    near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
    }
    if (!version)
        kl_fail(b->diag, KL_E_MODEL, (kl_place){.file = b->m->file},
                "the line `klingel: 1` (version of the language) is missing; put it first");
    else if (version->kind != KL_SCALAR || strcmp(version->text, "1") != 0)
        kl_fail(b->diag, KL_E_VERSION, version->place,
                "this model is written in version %s of the language; this program reads version 1",
                version->kind == KL_SCALAR ? version->text : "?");
    b->m->title = title && title->kind == KL_SCALAR ? kl_arena_text(b->m->arena, title->text) : "";
    b->m->gravity = kl_vec(0, 0, -9.81);
    if (gravity && gravity->kind == KL_SCALAR) {
        /* one number points down, against z */
        double g = 9.81;
        KL_TRY(kl_scope_number(&b->scope, gravity, "gravity", "m/s2", &g));
        b->m->gravity = kl_vec(0, 0, -g);
    } else if (gravity) {
        KL_TRY(kl_value_vec3(&b->scope, gravity, "gravity", "m/s2", &b->m->gravity));
    }
    return KL_OK;
}

static kl_status keep_parameters(builder *b)
{
    b->m->parameter = kl_arena_array(b->m->arena, kl_parameter, b->scope.nparameter + 1);
    if (!b->m->parameter) return KL_E_MEMORY;
    for (int i = 0; i < b->scope.nparameter; i++)
        if (!b->scope.word[i])
            b->m->parameter[b->m->nparameter++] =
                (kl_parameter){b->scope.name[i], b->scope.value[i]};
    return KL_OK;
}

/* Everything that can be looked at is looked at, so that one run tells all mistakes. */
static kl_status build(builder *b, const kl_override *set, int nset)
{
    kl_model *m = b->m;
    if (b->root->kind != KL_MAP)
        return kl_fail(b->diag, KL_E_MODEL, b->root->place,
                       "a model file is a map that begins with `klingel: 1`; this is %s",
                       kl_node_kind_word(b->root->kind));
    KL_TRY(kl_scope_init(&b->scope, m->arena, b->diag));
    if (kl_scope_parameters(&b->scope, kl_node_get(b->root, "parameters"), set, nset) ==
        KL_E_MEMORY)
        return KL_E_MEMORY;
    KL_TRY(keep_parameters(b));
    if (read_head(b) == KL_E_MEMORY) return KL_E_MEMORY;
    if (!kl_model_add_body(m, kl_body_types[0], "ground", KL_NOWHERE)) return KL_E_MEMORY;
    (void)read_settings(b, "run", kl_run_keys);
    (void)read_settings(b, "integrator", kl_integrator_keys);
    KL_TRY(read_section(b, "inputs", "input", read_input));
    KL_TRY(read_section(b, "bodies", "body", read_body));
    if (kl_model_start_bodies(m, b->diag) == KL_E_MEMORY) return KL_E_MEMORY;
    KL_TRY(read_section(b, "joints", "joint", read_joint));
    KL_TRY(read_section(b, "forces", "force", read_force));
    m->nmarker_elements = m->nmarker;
    KL_TRY(read_section(b, "outputs", "output", read_output));
    if (kl_diag_failed(b->diag)) return kl_diag_status(b->diag);
    KL_TRY(kl_model_freeze(m, b->diag));
    return kl_start_read(m, kl_node_get(b->root, "state"), b->diag);
}

kl_status kl_source_build(const kl_source *s, const kl_override *set, int nset, kl_diag *diag,
                          kl_model **out)
{
    builder b = {.diag = diag, .root = s->root, .m = kl_model_create()};
    *out      = NULL;
    if (!b.m) return KL_E_MEMORY;
    b.m->file        = s->file;
    kl_status status = build(&b, set, nset);
    if (status == KL_OK && !kl_arena_ok(b.m->arena)) status = KL_E_MEMORY;
    if (status != KL_OK) {
        if (status == KL_E_MEMORY && !kl_diag_failed(diag))
            kl_fail(diag, status, KL_NOWHERE, "out of memory while building the model");
        kl_model_destroy(b.m);
        return status;
    }
    *out = b.m;
    return KL_OK;
}
