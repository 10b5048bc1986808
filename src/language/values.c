#include "language/values.h"

#include "language/contact_shapes.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "base/text.h"
#include "catalogue.h"
#include "language/attach.h"
#include "language/reduced.h"
#include "language/resources.h"
#include "model/key_unit.h"
#include "script/lua.h"

enum { WHAT = 256 }; /* longest lead of a message */

const kl_node *kl_entry_get(const kl_entry *e, const char *key)
{
    for (int i = 0; e->chain[i]; i++) {
        const kl_node *n = kl_node_get(e->chain[i], key);
        if (n) return n;
    }
    return NULL;
}

bool kl_is_name(const char *text)
{
    static const char *const lua[] = {"and",   "break", "do",       "else",  "elseif", "end",
                                      "false", "for",   "function", "goto",  "if",     "in",
                                      "local", "nil",   "not",      "or",    "repeat", "return",
                                      "then",  "true",  "until",    "while", NULL};
    if (!isalpha((unsigned char)*text) && *text != '_') return false;
    for (const char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_') return false;
    for (int i = 0; lua[i]; i++)
        if (strcmp(lua[i], text) == 0) return false;
    return true;
}

typedef struct place_of_key {
    kl_scope       *s;
    kl_model       *m;
    const kl_entry *e;
    const kl_key   *keys, *key;
    const kl_node  *node;
    const char     *what;
    char           *data;
} place_of_key;

static int word_index(const char *words, const char *word)
{
    size_t n = strlen(word);
    int    i = 0;
    for (const char *p = words; *p; i++) {
        size_t length = strcspn(p, " ");
        if (length == n && strncmp(p, word, n) == 0) return i;
        p += length;
        while (*p == ' ') p++;
    }
    return -1;
}

static void unit_of_key(const place_of_key *p, char *text, size_t size)
{
    kl_key_unit(p->keys, p->data, p->key->unit ? p->key->unit : "1", text, size);
}

static kl_status in_range(const place_of_key *p, double v)
{
    const kl_key *k = p->key;
    if (k->negative && v < 0.0)
        kl_warn(p->s->diag, p->node->place, "%s is %g; a negative value %s", p->what, v,
                k->negative);
    if (k->min == 0.0 && k->max == 0.0) return KL_OK;
    if (v >= k->min && v <= k->max) return KL_OK;
    if (k->max >= 1e300)
        return kl_fail(p->s->diag, KL_E_RANGE, p->node->place, "%s is %g; it must %s", p->what, v,
                       k->min > 0.0 ? "be positive" : "not be negative");
    return kl_fail(p->s->diag, KL_E_RANGE, p->node->place,
                   "%s is %g; it must lie between %g and %g", p->what, v, k->min, k->max);
}

/* A ratio of a travel to an angle is a length to most (the radius of a pinion): rad may be left out
 * of a quotient. */
static bool is_ratio_without_rad(const place_of_key *p, const char *unit)
{
    kl_dim      want = kl_dim_of(unit);
    kl_quantity q;
    kl_diag    *diag = p->s->diag;
    if (!strstr(p->key->unit, " over ") || strchr(p->key->unit, '^')) return false;
    if (p->node->kind != KL_SCALAR) return false;
    p->s->diag           = NULL;
    kl_status status     = kl_scope_quantity(p->s, p->node, &q);
    p->s->diag           = diag;
    want.e[KL_DIM_ANGLE] = 0;
    return status == KL_OK && !q.bare && kl_dim_equal(q.dim, want);
}

static kl_status key_number(const place_of_key *p)
{
    char   unit[128];
    double v = NAN;
    unit_of_key(p, unit, sizeof unit);
    *(double *)(void *)(p->data + p->key->offset) = NAN; /* no zero that others stumble over */
    if (p->node) {
        bool ratio = p->key->unit && is_ratio_without_rad(p, unit);
        KL_TRY(kl_scope_number(p->s, p->node, p->what, ratio ? "*" : unit, &v));
        KL_TRY(in_range(p, v));
    }
    *(double *)(void *)(p->data + p->key->offset) = v;
    return KL_OK;
}

static kl_status key_numbers(const place_of_key *p)
{
    return kl_value_numbers(p->s, p->node, p->what, p->key->unit ? p->key->unit : "1", p->key->size,
                            (double *)(void *)(p->data + p->key->offset));
}

static kl_status key_axis(const place_of_key *p)
{
    kl_vec3 *axis = (kl_vec3 *)(void *)(p->data + p->key->offset);
    *axis         = kl_vec(0, 0, 0); /* absent */
    return p->node ? kl_value_axis(p->s, p->node, p->what, axis) : KL_OK;
}

static kl_status key_rotation(const place_of_key *p)
{
    return kl_value_rotation(p->s, p->node, p->what, (kl_mat3 *)(void *)(p->data + p->key->offset));
}

static kl_status key_inertia(const place_of_key *p)
{
    double   x[6] = {0};
    kl_mat3 *J    = (kl_mat3 *)(void *)(p->data + p->key->offset);
    int      n    = p->node->size;
    if (p->node->kind != KL_LIST || (n != 3 && n != 6) || p->node->first->kind == KL_LIST)
        return kl_fail(
            p->s->diag, KL_E_MODEL, p->node->place,
            "%s is %s; give three moments [xx, yy, zz] or six entries [xx, yy, zz, xy, xz, "
            "yz] of the inertia tensor",
            p->what,
            p->node->kind != KL_LIST ? kl_node_kind_word(p->node->kind)
            : n == 3 || n == 6       ? "a list of lists"
                                     : "a list of another length");
    KL_TRY(kl_value_numbers(p->s, p->node, p->what, p->key->unit, n, x));
    /* xy, xz, yz are entries of the tensor, J_xy = -int x y dm, not the products of inertia. */
    *J = (kl_mat3){{{x[0], x[3], x[4]}, {x[3], x[1], x[5]}, {x[4], x[5], x[2]}}};
    return KL_OK;
}

/* number, 3, 6 (diagonal) or 36 numbers; row and column 3 to 5 are rotations, so their units differ
 * by m and rad */
static kl_status key_matrix6(const place_of_key *p)
{
    double        *K = (double *)(void *)(p->data + p->key->offset);
    const kl_node *n = p->node;
    memset(K, 0, 36 * sizeof *K);
    if (n->kind == KL_SCALAR) {
        double v = 0.0;
        KL_TRY(kl_scope_number(p->s, n, p->what, p->key->unit, &v));
        /* one number: translations only; K[7 i] is entry (i, i) of the 6 x 6 matrix */
        for (int i = 0; i < 3; i++) K[7 * i] = v;
        return KL_OK;
    }
    /* six rows of six, distinguished from six numbers by its first item */
    bool square = n->kind == KL_LIST && n->size == 6 && n->first->kind == KL_LIST;
    if (n->kind != KL_LIST || (n->size != 3 && n->size != 6 && n->size != 36))
        return kl_fail(p->s->diag, KL_E_MODEL, n->place,
                       "%s: give 3 numbers (along x, y, z), 6 numbers (along and about x, y, z) or "
                       "a 6 x 6 matrix",
                       p->what);
    bool                     damping     = strcmp(p->key->unit, "N s/m") == 0;
    static const char *const units[2][4] = {{"N/m", "N/rad", "N", "N m/rad"},
                                            {"N s/m", "N s/rad", "N s", "N m s/rad"}};
    int                      i           = 0;
    for (const kl_node *c = n->first; c; c = c->next, i++) {
        if (square && (c->kind != KL_LIST || c->size != 6))
            return kl_fail(p->s->diag, KL_E_MODEL, c->place, "%s: row %d does not have six numbers",
                           p->what, i);
        int j = 0;
        for (const kl_node *d = square ? c->first : c; d; d = square ? d->next : NULL, j++) {
            /* a matrix by rows, 36 numbers in one list, or the diagonal */
            int row = square          ? i
                      : n->size == 36 ? i / 6
                                      : i,
                col = square          ? j
                      : n->size == 36 ? i % 6
                                      : i;
            char what[WHAT];
            snprintf(what, sizeof what, "%s: entry %d", p->what, (square ? row * 6 + col : i) + 1);
            KL_TRY(kl_scope_number(p->s, d, what, units[damping][2 * (row > 2) + (col > 2)],
                                   &K[6 * row + col]));
        }
    }
    return KL_OK;
}

static kl_status key_function(const place_of_key *p)
{
    kl_function **out = (kl_function **)(void *)(p->data + p->key->offset);
    char          unit[128];
    *out = NULL;
    if (!p->node) return KL_OK;
    unit_of_key(p, unit, sizeof unit);
    kl_function_units of = {p->what, unit, p->key->by ? p->key->by : "s"};
    return kl_value_function(p->s, p->m, p->node, &of, out);
}

static kl_status unknown_word(const place_of_key *p, const kl_node *n, const char *word)
{
    char        list[512] = "", copy[256];
    const char *words[32];
    int         k = 0;
    snprintf(copy, sizeof copy, "%s", p->key->words);
    for (char *w = copy; *w && k < 31;) {
        words[k++] = w;
        w += strcspn(w, " ");
        while (*w == ' ') *w++ = '\0';
    }
    words[k]         = NULL;
    const char *near = kl_nearest(word, words);
    if (near)
        return kl_fail(p->s->diag, KL_E_MODEL, n->place, "%s is '%s'; did you mean '%s'?", p->what,
                       word, near);
    for (int i = 0; i < k; i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s",
                 i == 0      ? ""
                 : i + 1 < k ? ", "
                             : " or ",
                 words[i]);
    }
    return kl_fail(p->s->diag, KL_E_MODEL, n->place, "%s is '%s'; give %s", p->what, word, list);
}

/* A choice that also takes true and false: the parameter that is named, as of any flag. */
static int flag_index(const place_of_key *p)
{
    bool flag  = false;
    int  found = word_index(p->key->words, "true");
    if (found < 0 || p->node->kind != KL_SCALAR || !kl_scope_find(p->s, p->node->text)) return -1;
    if (kl_value_flag(p->s, p->node, p->what, &flag) != KL_OK) return -1;
    return flag ? found : word_index(p->key->words, "false");
}

static kl_status key_word(const place_of_key *p)
{
    const char *word = NULL;
    KL_TRY(kl_value_word(p->s, p->node, p->what, &word));
    int i = word_index(p->key->words, word);
    if (i < 0) i = flag_index(p);
    if (i < 0) return unknown_word(p, p->node, word);
    *(int *)(void *)(p->data + p->key->offset) = i;
    return KL_OK;
}

static kl_status key_words(const place_of_key *p)
{
    int           *bits = (int *)(void *)(p->data + p->key->offset);
    const kl_node *n    = p->node;
    *bits               = 0;
    for (const kl_node *c = n->kind == KL_LIST ? n->first : n; c;
         c                = n->kind == KL_LIST ? c->next : NULL) {
        const char *word = NULL;
        KL_TRY(kl_value_word(p->s, c, p->what, &word));
        int i = word_index(p->key->words, word);
        if (i < 0) return unknown_word(p, c, word);
        *bits |= 1 << i;
    }
    return KL_OK;
}

kl_status kl_value_flag(kl_scope *s, const kl_node *n, const char *what, bool *out)
{
    const char *word = NULL;
    KL_TRY(kl_value_word(s, n, what, &word));
    const kl_variable *v   = kl_scope_find(s, word); /* a parameter that is true or false */
    bool               yes = strcmp(word, "true") == 0 || (v && !v->word && v->value.value == 1.0),
         no                = strcmp(word, "false") == 0 || (v && !v->word && v->value.value == 0.0);
    if (!yes && !no && v && !v->word)
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s is the parameter '%s', which is %g; give it true or false", what, word,
                       v->value.value);
    if (!yes && !no)
        return kl_fail(s->diag, KL_E_MODEL, n->place, "%s is '%s'; give true or false", what, word);
    *out = yes;
    return KL_OK;
}

static kl_status key_flag(const place_of_key *p)
{
    return kl_value_flag(p->s, p->node, p->what, (bool *)(void *)(p->data + p->key->offset));
}

/* Names of variables, which functions of state read in Lua. */
static kl_status check_name(const place_of_key *p, const kl_node *n)
{
    if (kl_is_name(n->key)) return KL_OK;
    return kl_fail(
        p->s->diag, KL_E_NAME, n->key_place,
        "%s: '%s' is not a valid variable name; use letters, digits and _, and no word of "
        "Lua such as `end`",
        p->what, n->key);
}

/* Where the markers go is seen to by attach.c. */
static kl_status key_signals(const place_of_key *p)
{
    kl_scope   *s    = p->s;
    kl_signals *list = kl_arena_array(s->arena, kl_signals, 1);
    if (p->node->kind != KL_MAP)
        return kl_fail(s->diag, KL_E_MODEL, p->node->place,
                       "%s is %s; give names: {x: hinge.angle, v: cart.velocity.x}", p->what,
                       kl_node_kind_word(p->node->kind));
    if (list) list->item = kl_arena_array(s->arena, kl_signal, p->node->size + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    *(kl_signals **)(void *)(p->data + p->key->offset) = list;
    for (const kl_node *n = p->node->first; n; n = n->next) {
        kl_signal *one = &list->item[list->n];
        *one =
            (kl_signal){.name = n->key, .marker = -1, .joint = -1, .input = -1, .place = n->place};
        KL_TRY(check_name(p, n));
        KL_TRY(kl_value_word(s, n, p->what, &one->text));
        list->n++;
    }
    return KL_OK;
}

static kl_status key_table(const place_of_key *p)
{
    kl_scope *s = p->s;
    kl_table *t = kl_arena_array(s->arena, kl_table, 1);
    if (p->node->kind != KL_MAP)
        return kl_fail(s->diag, KL_E_MODEL, p->node->place, "%s is %s; give {name: number}",
                       p->what, kl_node_kind_word(p->node->kind));
    if (t) t->name = kl_arena_array(s->arena, const char *, p->node->size + 1);
    if (t) t->value = kl_arena_array(s->arena, double, p->node->size + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    *(kl_table **)(void *)(p->data + p->key->offset) = t;
    for (const kl_node *n = p->node->first; n; n = n->next) {
        KL_TRY(check_name(p, n));
        t->name[t->n] = n->key;
        KL_TRY(kl_scope_number(s, n, p->what, "*", &t->value[t->n]));
        t->n++;
    }
    return KL_OK;
}

static kl_status key_code(const place_of_key *p)
{
    return kl_value_code(p->s, p->node, p->what, (kl_code *)(void *)(p->data + p->key->offset));
}

static kl_status key_text(const place_of_key *p)
{
    *(kl_code *)(void *)(p->data + p->key->offset) = (kl_code){.text = NULL};
    if (!p->node) return KL_OK;
    if (p->node->kind != KL_SCALAR || !*p->node->text)
        return kl_fail(p->s->diag, KL_E_MODEL, p->node->place,
                       "%s: give an expression over channels, such as \"cart.position.x > 2 m\"",
                       p->what);
    *(kl_code *)(void *)(p->data + p->key->offset) =
        (kl_code){.text = p->node->text, .place = p->node->place};
    return KL_OK;
}

/* One name, or a list of them where the key takes several. */
static kl_status key_resource(const place_of_key *p)
{
    int            n    = p->key->size > 1 ? p->key->size : 1;
    const void   **to   = (const void **)(void *)(p->data + p->key->offset);
    const kl_node *node = p->node && p->node->kind == KL_LIST && n > 1 ? p->node->first : p->node;
    for (int i = 0; i < n; i++) to[i] = NULL;
    if (!p->node) return KL_OK;
    if (p->node->kind == KL_LIST && n > 1 && p->node->size != n)
        return kl_fail(p->s->diag, KL_E_MODEL, p->node->place,
                       "%s has %d names; give %d, or one for all", p->what, p->node->size, n);
    for (int i = 0; i < n; i++) {
        const kl_resource *r;
        KL_TRY(kl_resource_find(p->s, p->m, node, p->what, p->key->words, &r));
        to[i] = r->data;
        if (p->node->kind == KL_LIST && n > 1) node = node->next;
    }
    return KL_OK;
}

static kl_status key_file(const place_of_key *p)
{
    kl_file    *to   = (kl_file *)(void *)(p->data + p->key->offset);
    const char *name = NULL;
    *to              = (kl_file){0};
    if (!p->node) return KL_OK;
    KL_TRY(kl_value_word(p->s, p->node, p->what, &name));
    if (!*name)
        return kl_fail(p->s->diag, KL_E_MODEL, p->node->place,
                       "%s is empty; give the name of a file", p->what);
    *to = (kl_file){.name  = kl_arena_text(p->m->arena, name),
                    .path  = kl_path_beside(p->m->arena, p->node, name),
                    .place = p->node->place};
    return to->name && to->path ? KL_OK : KL_E_MEMORY;
}

/* [[a, b], [c, d], ...]: rows of key->size numbers, one after the other */
static kl_status key_rows(const place_of_key *p, kl_list *list)
{
    int width   = p->key->size;
    list->value = kl_arena_array(p->m->arena, double, width * p->node->size);
    if (!list->value) return KL_E_MEMORY;
    for (const kl_node *row = p->node->first; row; row = row->next, list->n += width)
        KL_TRY(kl_value_numbers(p->s, row, p->what, p->key->unit, width, list->value + list->n));
    return KL_OK;
}

static kl_status key_list(const place_of_key *p)
{
    kl_list *list = (kl_list *)(void *)(p->data + p->key->offset);
    *list         = (kl_list){0};
    if (p->key->size > 1 && p->node->kind == KL_LIST && p->node->first &&
        p->node->first->kind == KL_LIST)
        return key_rows(p, list);
    if (p->node->kind == KL_SCALAR) {
        /* one number is a list of one */
        list->value = kl_arena_array(p->m->arena, double, 1);
        if (!list->value) return KL_E_MEMORY;
        list->n = 1;
        return kl_scope_number(p->s, p->node, p->what, p->key->unit, list->value);
    }
    if (p->node->kind != KL_LIST)
        return kl_fail(p->s->diag, KL_E_MODEL, p->node->place, "%s is %s; give a list of numbers",
                       p->what, kl_node_kind_word(p->node->kind));
    list->value = kl_arena_array(p->m->arena, double, p->node->size + 1);
    if (!list->value) return KL_E_MEMORY;
    list->n = p->node->size;
    return list->n ? kl_value_numbers(p->s, p->node, p->what, p->key->unit, list->n, list->value)
                   : KL_OK;
}

static kl_status key_texts(const place_of_key *p)
{
    kl_text_list  *to = (kl_text_list *)(void *)(p->data + p->key->offset);
    const kl_node *n  = p->node;
    *to               = (kl_text_list){0};
    if (!n) return KL_OK;
    bool list = n->kind == KL_LIST;
    int  size = list ? n->size : 1;
    to->item  = kl_arena_array(p->m->arena, const char *, size + 1);
    to->place = kl_arena_array(p->m->arena, kl_place, size + 1);
    if (!to->item || !to->place) return KL_E_MEMORY;
    for (const kl_node *c = list ? n->first : n; c; c = list ? c->next : NULL) {
        if (c->kind != KL_SCALAR || !*c->text)
            return kl_fail(p->s->diag, KL_E_MODEL, c->place,
                           "%s: %s; give a text, or a list of texts", p->what,
                           kl_node_kind_word(c->kind));
        to->place[to->n]  = c->place;
        to->item[to->n++] = c->text;
    }
    return KL_OK;
}

static bool names_a_file(const char *key)
{
    static const char *const keys[] = {"title", "mesh",  "vectors", "stiffness",
                                       "dof",   "nodes", "file"};
    for (size_t i = 0; key && i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0) return true;
    return false;
}

/* A tree that needs no scope: parameters and loop variables of the model are there as values.
 * Names of `keep`, the tree's own parameters, stay. */
static kl_status without_scope(kl_scope *s, const kl_node *n, const char *const *keep, kl_node *out)
{
    *out = *n;
    if (n->kind == KL_SCALAR) {
        const kl_variable *v = kl_scope_find(s, n->text);
        for (int i = 0; keep[i] && v; i++)
            if (strcmp(keep[i], n->text) == 0) v = NULL;
        if (strchr(n->text, '{') && !keep[0])
            return kl_scope_text(s, n->text, n->place, &out->text);
        if (n->quoted || names_a_file(n->key)) return KL_OK;
        if (v && v->word) out->text = v->word;
        else KL_TRY(kl_scope_plain(s, n->text, keep, NULL, NULL, &out->text));
        return KL_OK;
    }
    kl_node **link = &out->first;
    out->sorted    = NULL;
    for (const kl_node *c = n->first; c; c = c->next, link = &(*link)->next) {
        if (!(*link = kl_arena_array(s->arena, kl_node, 1))) return KL_E_MEMORY;
        KL_TRY(without_scope(s, c, keep, *link));
    }
    *link = NULL;
    return KL_OK;
}

kl_status kl_value_plain(kl_scope *s, const kl_node *n, kl_node *out)
{
    static const char *const none[] = {NULL};
    return without_scope(s, n, none, out);
}

/* Does the entry ask for the mesh itself, as `by` of the key says: "KEY WORD"? */
static bool wants_mesh(const place_of_key *p)
{
    const char *blank = p->key->by ? strchr(p->key->by, ' ') : NULL, *word = NULL;
    char        key[32];
    if (!blank) return false;
    snprintf(key, sizeof key, "%.*s", (int)(blank - p->key->by), p->key->by);
    const kl_node *n = kl_entry_get(p->e, key);
    return n && kl_value_word(p->s, n, p->what, &word) == KL_OK && strcmp(word, blank + 1) == 0;
}

/* What a body file holds, in the model itself. */
static kl_status reduced_in_place(const place_of_key *p, kl_reduced *to)
{
    const kl_node *own = kl_node_get(p->node, "parameters");
    const char   **keep =
        kl_arena_array(p->s->arena, const char *, own && own->kind == KL_MAP ? own->size + 1 : 1);
    kl_node tree;
    int     n = 0;
    if (!keep) return KL_E_MEMORY;
    for (const kl_node *c = own && own->kind == KL_MAP ? own->first : NULL; c; c = c->next)
        keep[n++] = c->key;
    KL_TRY(without_scope(p->s, p->node, keep, &tree));
    to->file = kl_value_text(NULL, &tree, p->m->arena);
    if (!to->file) return KL_E_MEMORY;
    const char *from = p->m->file ? p->m->file : "";
    if (wants_mesh(p)) return kl_reduced_mesh_from_node(p->m, &tree, from, p->s->diag, to);
    return kl_reduced_from_node(p->m, &tree, from, to->file, p->s->diag, &to->body);
}

/* A parameter of a body file: an expression without names, or the word that a parameter of the model holds. */
static kl_status reduced_parameter(const place_of_key *p, const kl_node *c, const char **plain)
{
    if (c->kind != KL_SCALAR)
        return kl_fail(p->s->diag, KL_E_MODEL, c->place, "%s: %s is %s; give a number or a word",
                       p->what, c->key, kl_node_kind_word(c->kind));
    if (strchr(c->text, '{')) return kl_scope_text(p->s, c->text, c->place, plain);
    const kl_variable *v = kl_scope_find(p->s, c->text);
    if (!v || !v->word || c->quoted) return kl_scope_plain(p->s, c->text, NULL, NULL, NULL, plain);
    *plain = v->word;
    return KL_OK;
}

/* {body: panel.yaml, angle: ply}: parameters of the body file */
static kl_status reduced_parameters(const place_of_key *p, kl_override *set, int *nset,
                                    kl_reduced *to)
{
    kl_text t = {0};
    kl_text_add(&t, "{body: ");
    kl_text_json(&t, to->file);
    for (const kl_node *c = p->node->first; c; c = c->next) {
        if (strcmp(c->key, "body") == 0) continue;
        const char *plain  = NULL;
        kl_status   status = reduced_parameter(p, c, &plain);
        if (status != KL_OK) {
            free(kl_text_finish(&t));
            return status;
        }
        set[(*nset)++] = (kl_override){.name = c->key, .text = plain};
        kl_text_add(&t, ", %s: %s", c->key, plain);
    }
    kl_text_add(&t, "}");
    char *text = kl_text_finish(&t);
    to->text   = text ? kl_arena_text(p->m->arena, text) : NULL;
    free(text);
    return to->text ? KL_OK : KL_E_MEMORY;
}

/* A file beside the model file, what is in such a file, or {body: file, parameter: value, ...}. */
static kl_status key_reduced(const place_of_key *p)
{
    kl_reduced    *to   = (kl_reduced *)(void *)(p->data + p->key->offset);
    const char    *name = NULL, *model = p->m->file ? p->m->file : "";
    bool           map  = p->node->kind == KL_MAP;
    const kl_node *body = map ? kl_node_get(p->node, "body") : p->node;
    kl_override   *set  = NULL;
    int            nset = 0;
    if (!body) return reduced_in_place(p, to);
    KL_TRY(kl_value_word(p->s, body, p->what, &name));
    if (!*name)
        return kl_fail(p->s->diag, KL_E_MODEL, p->node->place,
                       "%s is empty; give the name of a file, such as rod.kbody or rod.yaml",
                       p->what);
    const char *slash = strrchr(model, '/');
    to->file          = kl_arena_text(p->m->arena, name);
    const char *path  = *name == '/' || !slash ? to->file
                                               : kl_arena_format(p->m->arena, "%.*s/%s",
                                                                 (int)(slash - model), model, name);
    if (!to->file || !path) return KL_E_MEMORY;
    if (map) {
        set = kl_arena_array(p->m->arena, kl_override, p->node->size + 1);
        if (!set) return KL_E_MEMORY;
        KL_TRY(reduced_parameters(p, set, &nset, to));
    }
    if (wants_mesh(p))
        return kl_reduced_mesh(p->m, path, set, nset, p->node->place, p->s->diag, to);
    return kl_reduced_read(p->m, path, set, nset, p->node->place, p->s->diag, &to->body);
}

static kl_status key_shapes(const place_of_key *p)
{
    return kl_contact_shapes_read(p->s, p->m, p->node, p->what,
                                  (kl_shapes *)(void *)(p->data + p->key->offset));
}

/* Writes a tree as YAML in one line, with parameters that hold words replaced by them. Texts with
 * characters that YAML would interpret are quoted. */
static void put_node(kl_text *t, const kl_scope *s, const kl_node *n)
{
    if (n->kind == KL_SCALAR) {
        const kl_variable *v = s ? kl_scope_find(s, n->text) : NULL;
        if (v && v->word && !n->quoted) kl_text_add(t, "%s", v->word);
        else if (n->quoted || !*n->text || strpbrk(n->text, ",[]{}#:")) kl_text_json(t, n->text);
        else kl_text_add(t, "%s", n->text);
        return;
    }
    bool map = n->kind == KL_MAP;
    kl_text_add(t, map ? "{" : "[");
    for (const kl_node *c = n->first; c; c = c->next) {
        if (c != n->first) kl_text_add(t, ", ");
        if (map) kl_text_json(t, c->key);
        if (map) kl_text_add(t, ": ");
        put_node(t, s, c);
    }
    kl_text_add(t, map ? "}" : "]");
}

const char *kl_value_text(const kl_scope *s, const kl_node *n, kl_arena *arena)
{
    kl_text t = {0};
    put_node(&t, s, n);
    char       *text = kl_text_finish(&t);
    const char *kept = text ? kl_arena_text(arena, text) : NULL;
    free(text);
    return kept;
}

static kl_status (*const readers[])(const place_of_key *p) = {
    [KL_KEY_NUMBER] = key_number,     [KL_KEY_NUMBERS] = key_numbers,
    [KL_KEY_AXIS] = key_axis,         [KL_KEY_ROTATION] = key_rotation,
    [KL_KEY_INERTIA] = key_inertia,   [KL_KEY_MATRIX6] = key_matrix6,
    [KL_KEY_FUNCTION] = key_function, [KL_KEY_WORD] = key_word,
    [KL_KEY_WORDS] = key_words,       [KL_KEY_FLAG] = key_flag,
    [KL_KEY_SIGNALS] = key_signals,   [KL_KEY_TABLE] = key_table,
    [KL_KEY_CODE] = key_code,         [KL_KEY_TEXT] = key_text,
    [KL_KEY_SHAPES] = key_shapes,     [KL_KEY_RESOURCE] = key_resource,
    [KL_KEY_FILE] = key_file,         [KL_KEY_LIST] = key_list,
    [KL_KEY_REDUCED] = key_reduced,   [KL_KEY_TEXTS] = key_texts};

/* A default is text of the model language, read by the same door, once a model. */
static const kl_node *fallback_node(kl_scope *s, const kl_key *k)
{
    enum { SLOTS = sizeof s->shared->key / sizeof *s->shared->key };
    size_t   i = ((size_t)(const void *)k / sizeof *k) % SLOTS;
    kl_node *n = NULL;
    for (int tries = 0; tries < 8; tries++, i = (i + 1) % SLOTS) {
        if (s->shared->key[i] == k) return s->shared->fallback[i];
        if (!s->shared->key[i]) break;
    }
    if (kl_doc_parse(k->fallback, strlen(k->fallback), "default", s->arena, s->diag, &n) != KL_OK)
        return NULL;
    s->shared->key[i]      = k;
    s->shared->fallback[i] = n;
    return n;
}

/* Is it the word `none`, or a parameter or text that represents it? A key that may be left out is left
 * out so; templates hand a choice on to their parts with it. */
static bool is_none(kl_scope *s, const kl_node *n)
{
    const char *text = n->text;
    if (n->kind != KL_SCALAR) return false;
    const kl_variable *v = kl_scope_find(s, text);
    if (v) return v->word && strcmp(v->word, "none") == 0;
    if (strchr(text, '{') && kl_scope_text(s, text, n->place, &text) != KL_OK) return false;
    return strcmp(text, "none") == 0;
}

kl_status kl_values_read(kl_scope *s, kl_model *m, const kl_entry *e, const kl_key *keys,
                         void *data)
{
    kl_status status = KL_OK;
    for (const kl_key *k = keys; k->name; k++) {
        char what[WHAT];
        snprintf(what, sizeof what, "%s%s%s%s%s", e->section, *e->name ? " '" : "", e->name,
                 *e->name ? "': " : ": ", k->name);
        place_of_key p = {.s    = s,
                          .m    = m,
                          .e    = e,
                          .keys = keys,
                          .key  = k,
                          .node = kl_entry_get(e, k->name),
                          .what = what,
                          .data = data};
        if (!p.node && !k->fallback) {
            /* A key whose unit depends on others has no unit to suggest. */
            bool plain = !k->unit || strpbrk(k->unit, "?*|");
            kl_fail(s->diag, KL_E_MODEL, e->place, "%s is missing; give it%s%s (%s)", what,
                    plain ? "" : " in ", plain ? "" : k->unit, k->help);
            /* NAN keeps later checks of this entry from reporting a second mistake about a value of
             * 0. */
            if (k->kind == KL_KEY_NUMBER) *(double *)(void *)((char *)data + k->offset) = NAN;
            status = KL_E_MODEL;
            continue;
        }
        bool may_be_absent = k->kind == KL_KEY_NUMBER || k->kind == KL_KEY_FUNCTION ||
                             k->kind == KL_KEY_TEXT || k->kind == KL_KEY_RESOURCE ||
                             k->kind == KL_KEY_FILE || k->kind == KL_KEY_AXIS ||
                             k->kind == KL_KEY_TEXTS;
        if (p.node && k->fallback && !*k->fallback && may_be_absent && is_none(s, p.node))
            p.node = NULL;
        if (!p.node && (*k->fallback || !may_be_absent)) p.node = fallback_node(s, k);
        if (!p.node && *k->fallback) return KL_E_MEMORY;
        kl_status one = readers[k->kind](&p);
        if (one != KL_OK) status = one;
        if (one == KL_E_MEMORY) return one;
    }
    return status;
}

/* The help page that lists the keys of `type`; NULL: none, the message lists them all. */
static const char *help_page(const char *type)
{
    static const char *const pages[][2] = {{"input", "inputs"},       {"output", "outputs"},
                                           {"part", "parts"},         {"template", "templates"},
                                           {"marker", "markers"},     {"ground", "bodies"},
                                           {"the start of", "joints"}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(pages[i][0], type) == 0) return pages[i][1];
    static const char *const none[] = {"shape", "cylinder", "arc", "node"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (strcmp(none[i], type) == 0) return NULL;
    for (int i = 0; kl_resource_types[i]; i++)
        if (strcmp(kl_resource_types[i]->word, type) == 0) return kl_resource_types[i]->section;
    return type;
}

/* Words of other programs and of other sections for a key of this entry, or NULL. */
static const char *usual_key(const char *word, const char *const *keys)
{
    static const char *const same[][2] = {{"point", "at"},       {"position", "at"},
                                          {"location", "at"},    {"bodies", "between"},
                                          {"body", "on"},        {"direction", "axis"},
                                          {"k", "stiffness"},    {"c", "damping"},
                                          {"m", "mass"},         {"friction_coefficient", "mu"},
                                          {"force", "value"},    {"torque", "value"},
                                          {"force", "actuator"}, {"torque", "actuator"},
                                          {"motor", "actuator"}, {"angular_velocity", "omega"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        for (int j = 0; strcmp(same[i][0], word) == 0 && keys[j]; j++)
            if (strcmp(keys[j], same[i][1]) == 0) return keys[j];
    return NULL;
}

/* `tol` represents `tolerance`: the only key that begins with the word, or NULL. */
static const char *completed(const char *word, const char *const *keys)
{
    const char *found = NULL;
    size_t      n     = strlen(word);
    for (; n >= 3 && *keys; keys++) {
        if (strncmp(*keys, word, n) != 0) continue;
        if (found) return NULL;
        found = *keys;
    }
    return found;
}

enum { MOST_LISTED = 12 }; /* keys in a message; more of them are looked up with klingel help */

/* "the keys are a, b, c; ", or "" for a long list. */
static const char *listed(const kl_scope *s, const char *const *keys, int n, const char *end)
{
    const char *text = "";
    if (n > MOST_LISTED) return text;
    for (int i = 0; i < n && text; i++)
        text =
            kl_arena_format(s->arena, "%s%s%s", i ? text : "the keys are ", i ? ", " : "", keys[i]);
    text = text && n > 0 ? kl_arena_format(s->arena, "%s%s", text, end) : text;
    return text ? text : "";
}

void kl_values_unknown(kl_scope *s, const kl_entry *e, const char *type, const kl_key *keys,
                       const char *const *also)
{
    const char *known[96];
    int         n = 0;
    for (const kl_key *k = keys; k && k->name && n < 95; k++) known[n++] = k->name;
    for (; also && *also && n < 95; also++) known[n++] = *also;
    known[n] = NULL;
    for (int i = 0; e->chain[i]; i++)
        for (const kl_node *c = e->chain[i]->first; c; c = c->next) {
            bool found = false;
            for (int j = 0; j < n; j++) found |= strcmp(known[j], c->key) == 0;
            if (found) continue;
            const char *near = kl_nearest(c->key, known);
            if (!near) near = usual_key(c->key, known);
            if (!near) near = completed(c->key, known);
            const char *quote = *e->name ? "'" : "";
            if (strchr(c->key, ')')) /* `{expression: hypot(a, b)}` reads as two keys */
                kl_fail(s->diag, KL_E_NAME, c->key_place,
                        "an expression that contains a comma must be quoted: \"hypot(a, b)\"");
            else if (near)
                kl_fail(s->diag, KL_E_NAME, c->key_place,
                        "unknown key `%s` in %s%s%s%s%s; did you mean `%s`?", c->key, type,
                        *quote ? " " : "", quote, e->name, quote, near);
            else if (!help_page(type))
                kl_fail(s->diag, KL_E_NAME, c->key_place, "unknown key `%s` in %s%s%s%s%s; %s",
                        c->key, type, *quote ? " " : "", quote, e->name, quote,
                        listed(s, known, n, ""));
            else
                kl_fail(s->diag, KL_E_NAME, c->key_place,
                        "unknown key `%s` in %s%s%s%s%s; %s`klingel help %s` %s", c->key, type,
                        *quote ? " " : "", quote, e->name, quote, listed(s, known, n, "; "),
                        help_page(type), n <= MOST_LISTED ? "describes them" : "lists the keys");
        }
}
