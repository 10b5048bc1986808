#include "language/scope.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

kl_status kl_scope_init(kl_scope *s, kl_arena *arena, kl_diag *diag)
{
    *s          = (kl_scope){.arena  = arena,
                             .diag   = diag,
                             .cap    = 16,
                             .prefix = "",
                             .place  = kl_placement_none(),
                             .shared = kl_arena_array(arena, kl_shared, 1)};
    s->variable = kl_arena_array(arena, kl_variable, s->cap);
    s->number   = kl_arena_array(arena, double, s->cap);
    return kl_arena_ok(arena) ? KL_OK : KL_E_MEMORY;
}

static kl_status make_room(kl_scope *s, int more)
{
    if (s->n + more <= s->cap) return KL_OK;
    int          cap      = 2 * (s->n + more);
    kl_variable *variable = kl_arena_array(s->arena, kl_variable, cap);
    double      *number   = kl_arena_array(s->arena, double, cap);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    s->variable = memcpy(variable, s->variable, (size_t)s->n * sizeof *variable);
    s->number   = memcpy(number, s->number, (size_t)s->n * sizeof *number);
    s->cap      = cap;
    return KL_OK;
}

kl_status kl_scope_nest(kl_scope *s, const kl_scope *outer, int n)
{
    *s          = *outer;
    s->cap      = n + 16;
    s->variable = kl_arena_array(s->arena, kl_variable, s->cap);
    s->number   = kl_arena_array(s->arena, double, s->cap);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    memcpy(s->variable, outer->variable, (size_t)n * sizeof *s->variable);
    memcpy(s->number, outer->number, (size_t)n * sizeof *s->number);
    s->n = n;
    return KL_OK;
}

kl_status kl_scope_push(kl_scope *s, const char *name, kl_quantity value, const char *word)
{
    KL_TRY(make_room(s, 1));
    s->variable[s->n] =
        (kl_variable){.name = name, .value = value, .word = word, .state = KL_VARIABLE_DONE};
    s->number[s->n++] = value.value;
    return KL_OK;
}

void kl_scope_pop(kl_scope *s) { s->n--; }

static int place_of(const kl_scope *s, const char *name)
{
    for (int i = s->n - 1; i >= 0; i--) /* inner variables hide outer ones */
        if (strcmp(s->variable[i].name, name) == 0) return i;
    return -1;
}

/* What is kept of conditions on a parameter that was changed from outside; NULL: nothing. */
static kl_compared_words *comparisons_of(const kl_scope *s, const kl_variable *v)
{
    enum { MOST = sizeof s->shared->asked / sizeof *s->shared->asked };
    kl_shared *all = s->shared;
    if (!v->changed || !v->given) return NULL;
    for (int i = 0; i < all->nasked; i++)
        if (all->asked[i].given == v->given) return &all->asked[i];
    if (all->nasked == MOST) return NULL;
    all->asked[all->nasked] = (kl_compared_words){.given = v->given};
    return &all->asked[all->nasked++];
}

static int index_of(const kl_scope *s, const char *name)
{
    int                i   = place_of(s, name);
    kl_compared_words *ask = i >= 0 ? comparisons_of(s, &s->variable[i]) : NULL;
    if (ask) ask->fits = true; /* it stands somewhere: any word may be right there */
    return i;
}

const kl_variable *kl_scope_find(const kl_scope *s, const char *name)
{
    int i = index_of(s, name);
    return i < 0 ? NULL : &s->variable[i];
}

/* ---- parameters: evaluated when first asked for ---------------------------------------------- */

/* Each that waits for another costs some kilobytes of the stack; the names are searched one by one.
 */
enum { DEEPEST_PARAMETER = 300, MOST_PARAMETERS = 10000 };

static kl_status settle(kl_scope *s, int i);

static bool find(const void *context, const char *name, int *index, kl_dim *dim, bool *bare)
{
    kl_scope *s = *(kl_scope *const *)context;
    int       i = index_of(s, name);
    if (i < 0 || settle(s, i) != KL_OK || s->variable[i].word) return false;
    *index = i;
    *dim   = s->variable[i].value.dim;
    *bare  = s->variable[i].value.bare;
    return true;
}

static const char *const *names(const void *context)
{
    const kl_scope *s    = *(kl_scope *const *)context;
    const char    **list = kl_arena_array(s->arena, const char *, s->n + 1);
    int             n    = 0;
    for (int i = 0; list && i < s->n; i++)
        if (!s->variable[i].word) list[n++] = s->variable[i].name;
    return list;
}

typedef struct handle {
    kl_scope *s;
} handle;

kl_symbols kl_scope_symbols(kl_scope *s)
{
    handle *h = kl_arena_array(s->arena, handle, 1);
    if (h) h->s = s;
    return (kl_symbols){.context = h, .find = h ? find : NULL, .names = names};
}

static kl_status plain_words(kl_scope *s, const kl_node *when, char *text);

static kl_status quantity(kl_scope *s, const char *text, kl_place place, kl_quantity *out)
{
    handle h = {s};
    if (strstr(text, "==") || strstr(text, "!=")) { /* words may be compared */
        char *plain = kl_arena_text(s->arena, text);
        if (!plain) return KL_E_MEMORY;
        KL_TRY(plain_words(s, NULL, plain));
        text = plain;
    }
    kl_symbols symbols = {.context = &h, .find = find, .names = names};
    *out               = (kl_quantity){.value = 0.0, .bare = true};
    return kl_expression_number(text, place, &symbols, s->number, s->diag, out);
}

/* A plain word that names nothing known. */
static bool is_word(const kl_scope *s, const char *text)
{
    if (!isalpha((unsigned char)*text) || index_of(s, text) >= 0) return false;
    if (strcmp(text, "pi") == 0 || strcmp(text, "tau") == 0) return false;
    for (const char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-' && *p != '.') return false;
    return true;
}

static bool can_be_computed(kl_scope *s, const char *text)
{
    kl_diag    *diag = s->diag;
    kl_quantity q;
    s->diag   = NULL;
    bool good = quantity(s, text, KL_NOWHERE, &q) == KL_OK;
    s->diag   = diag;
    return good;
}

/* "atan2(1)" in quotes is meant as an expression even if it has a mistake: the call of a function. */
static bool calls_function(const char *text)
{
    for (const char *const *f = kl_expression_functions(); *f; f++) {
        size_t n = strlen(*f);
        if (strncmp(text, *f, n) == 0 && text[n] == '(') return true;
    }
    return false;
}

/* A word or a number; true and false are the numbers 1 and 0. */
static kl_status value_of(kl_scope *s, const char *text, bool quoted, kl_place place,
                          kl_quantity *value, const char **word)
{
    bool yes = strcmp(text, "true") == 0, no = strcmp(text, "false") == 0;
    *value = (kl_quantity){.value = yes ? 1.0 : 0.0, .bare = true};
    *word  = NULL;
    if (yes || no) return KL_OK;
    /* in quotes, so that YAML leaves its commas alone: an expression if it is one, else a word */
    bool sum =
        quoted && (calls_function(text) || (strpbrk(text, "+*/^( ") && can_be_computed(s, text)));
    if ((quoted && !sum) || is_word(s, text)) return kl_scope_text(s, text, place, word);
    int i = index_of(s, text);
    if (i >= 0 && settle(s, i) == KL_OK && s->variable[i].word) {
        *word = s->variable[i].word;
        return KL_OK;
    }
    return quantity(s, text, place, value);
}

kl_status kl_scope_value(kl_scope *s, const kl_node *node, const char *what, kl_quantity *value,
                         const char **word)
{
    if (node->kind != KL_SCALAR)
        return kl_fail(s->diag, KL_E_MODEL, node->place,
                       "%s is %s; give one number such as `276 mm`, or a word", what,
                       kl_node_kind_word(node->kind));
    return value_of(s, node->text, node->quoted, node->place, value, word);
}

/* "parameter 'L' is a length in the model (`2 m`); `3kg` is a mass" */
static kl_status other_unit(kl_scope *s, const kl_variable *v, kl_quantity given,
                            kl_quantity changed)
{
    const char *was = kl_dim_word(given.dim), *is = kl_dim_word(changed.dim);
    return kl_fail(s->diag, KL_E_MODEL, (kl_place){.file = v->changer},
                   "parameter '%s' is %s in the model (`%s`), but `%s` is %s", v->name,
                   was ? was : "of another unit", v->given->text, v->changed,
                   is ? is : "something else");
}

/* The value as the model gives it, then what was changed from outside, which must fit it. */
static kl_status evaluate(kl_scope *s, int i)
{
    kl_variable *v     = &s->variable[i];
    kl_quantity  given = {0}, changed = {0};
    const char  *word = NULL, *other = NULL;
    char         what[128];
    snprintf(what, sizeof what, "parameter '%.100s'", v->name);
    KL_TRY(kl_scope_value(s, v->given, what, &given, &word));
    v = &s->variable[i];
    if (v->handed && !v->changed) {
        if (!v->handed->word != !word)
            return kl_fail(s->diag, KL_E_MODEL, v->handed_place,
                           "part '%.*s': parameter '%s' is a %s in the template; this is a %s",
                           (int)strlen(s->prefix) - 1, s->prefix, v->name, word ? "word" : "number",
                           word ? "number" : "word");
        if (!word && !kl_quantity_fits(v->handed->value, given.dim) && !given.bare)
            return kl_fail(
                s->diag, KL_E_MODEL, v->handed_place,
                "part '%.*s': parameter '%s' must have the unit that it has in the template: %s",
                (int)strlen(s->prefix) - 1, s->prefix, v->name,
                kl_dim_word(given.dim) ? kl_dim_word(given.dim) : v->given->text);
        word = v->handed->word;
        if (v->handed->value.bare) given.value = v->handed->value.value;
        else given = v->handed->value;
    }
    if (v->changed && word) {
        KL_TRY(kl_scope_text(s, v->changed, (kl_place){.file = v->changer}, &word));
        word = word ? kl_arena_text(s->arena, word) : NULL;
        v    = &s->variable[i];
    } else if (v->changed) {
        kl_place place = {.file = v->changer};
        KL_TRY(value_of(s, v->changed, false, place, &changed, &other));
        v         = &s->variable[i];
        bool flag = strcmp(v->given->text, "true") == 0 || strcmp(v->given->text, "false") == 0;
        if (other)
            return kl_fail(s->diag, KL_E_MODEL, place, "parameter '%s' is %s, not '%s'", v->name,
                           flag ? "true or false" : "a number", other);
        if (!kl_quantity_fits(changed, given.dim) && !given.bare)
            return other_unit(s, v, given, changed);
        /* a bare number takes the unit that the model gave */
        if (changed.bare) changed.dim = given.dim, changed.bare = given.bare;
        given = changed;
    }
    v->value     = given;
    v->word      = word;
    s->number[i] = given.value;
    return KL_OK;
}

/* A parameter with a mistake that was reported counts as a plain 1, which suits most keys: a mass of zero, for
 * example, would give a second message about the same mistake. */
static void mark_bad(kl_scope *s, kl_variable *v)
{
    v->state                   = KL_VARIABLE_BAD;
    v->value                   = (kl_quantity){.value = 1.0, .bare = true};
    s->number[v - s->variable] = 1.0;
}

static kl_status settle(kl_scope *s, int i)
{
    kl_variable *v = &s->variable[i];
    if (v->state == KL_VARIABLE_DONE) return KL_OK;
    if (v->state == KL_VARIABLE_BAD) return KL_OK; /* already reported */
    if (v->state == KL_VARIABLE_BUSY) {
        kl_fail(
            s->diag, KL_E_MODEL, v->given->place,
            "parameter '%s' depends on itself; give one of the parameters in the cycle a number",
            v->name);
        mark_bad(s, v);
        return KL_OK;
    }
    if (s->depth >= DEEPEST_PARAMETER) {
        kl_fail(s->diag, KL_E_MODEL, v->given->place,
                "parameter '%s' is at the end of a chain of %d parameters that depend on one "
                "another; list parameters before those that use them",
                v->name, DEEPEST_PARAMETER);
        mark_bad(s, v);
        return KL_OK;
    }
    v->state = KL_VARIABLE_BUSY;
    s->depth++;
    kl_status status = evaluate(s, i);
    s->depth--;
    v = &s->variable[i];
    if (status == KL_OK && v->state == KL_VARIABLE_BUSY) v->state = KL_VARIABLE_DONE;
    else mark_bad(s, v);
    return status == KL_E_MEMORY ? status : KL_OK;
}

static bool is_reserved(const char *name)
{
    static const char *const words[] = {"pi", "tau", "and", "or", "not", NULL};
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], name) == 0) return true;
    return false;
}

kl_status kl_scope_declare(kl_scope *s, const kl_node *section, int first, bool overrule)
{
    if (!section || (section->kind == KL_SCALAR && !*section->text)) return KL_OK;
    if (section->kind != KL_MAP)
        return kl_fail(s->diag, KL_E_MODEL, section->place,
                       "`parameters` is %s; give names and numbers: {L: 276 mm}",
                       kl_node_kind_word(section->kind));
    if (section->size > MOST_PARAMETERS)
        return kl_fail(s->diag, KL_E_RANGE, section->place,
                       "there are %d parameters; at most %d are allowed", section->size,
                       MOST_PARAMETERS);
    KL_TRY(make_room(s, section->size));
    for (const kl_node *n = section->first; n; n = n->next) {
        int i = place_of(s, n->key);
        /* below `first` are parameters of outer scopes, which an inner parameter of the same name hides */
        if (i >= first && !overrule) {
            kl_fail(s->diag, KL_E_NAME, n->key_place,
                    "the name of parameter '%s' is used twice; rename one", n->key);
            continue;
        }
        if (!isalpha((unsigned char)*n->key) && *n->key != '_') {
            kl_fail(s->diag, KL_E_NAME, n->key_place,
                    "the name '%s' does not begin with a letter, so expressions cannot use it; "
                    "begin it with a letter",
                    n->key);
            continue;
        }
        if (strpbrk(n->key, " \t()+*/^,<>=!&|\"'{}[]:#") || is_reserved(n->key)) {
            kl_fail(s->diag, KL_E_NAME, n->key_place,
                    is_reserved(n->key)
                        ? "`%s` is reserved in expressions; choose another name"
                        : "expressions cannot use the name '%s'; use only letters, digits, - and _",
                    n->key);
            continue;
        }
        if (i < first) i = s->n++;
        s->variable[i] = (kl_variable){.name = n->key, .given = n, .value = {.bare = true}};
        s->number[i]   = 0.0;
    }
    return KL_OK;
}

bool kl_scope_change(kl_scope *s, int first, const char *name, const char *text, const char *who)
{
    int i = place_of(s, name);
    if (i < first) return false;
    s->variable[i].changed = text;
    s->variable[i].changer = who;
    return true;
}

bool kl_scope_assign(kl_scope *s, int first, const char *name, kl_quantity value, const char *word,
                     kl_place place)
{
    int i = place_of(s, name);
    if (i < first) return false;
    kl_variable *v = kl_arena_array(s->arena, kl_variable, 1);
    if (!v) return true;
    *v                          = (kl_variable){.value = value, .word = word};
    s->variable[i].handed       = v;
    s->variable[i].handed_place = place;
    return true;
}

kl_status kl_scope_evaluate(kl_scope *s)
{
    for (int i = 0; i < s->n; i++) KL_TRY(settle(s, i));
    return KL_OK;
}

kl_status kl_scope_parameters(kl_scope *s, const kl_node *section, const kl_override *set, int nset)
{
    KL_TRY(kl_scope_declare(s, section, 0, false));
    for (int i = 0; i < nset; i++)
        if (!kl_scope_change(s, 0, set[i].name, set[i].text, "--set"))
            kl_fail(s->diag, KL_E_NAME, (kl_place){.file = "--set"}, "there is no parameter '%s'",
                    set[i].name);
    KL_TRY(kl_scope_evaluate(s));
    return kl_diag_failed(s->diag) ? KL_E_MODEL : KL_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static kl_status unit_misfit(kl_scope *s, const kl_node *node, const char *what, kl_quantity q,
                             kl_dim want, const char *unit)
{
    char        is[KL_UNIT_TEXT];
    const char *word = kl_dim_word(q.dim), *wants = kl_dim_word(want),
               *hint = kl_dim_hint(q.dim, want);
    kl_unit_format(q.dim, is, sizeof is);
    return kl_fail(s->diag, KL_E_MODEL, node->place, "%s is `%.200s`, %s%s; expected %s%s%s%s%s%s",
                   what, node->text, word ? word : "in ", word ? "" : is,
                   wants               ? wants
                   : strcmp(unit, "1") ? "a number"
                                       : "a plain number",
                   strcmp(unit, "1") ? " such as `5 " : "", strcmp(unit, "1") ? unit : "",
                   strcmp(unit, "1") ? "`" : "", hint ? "; " : "", hint ? hint : "");
}

static bool listed(const char *const *list, const char *word)
{
    for (; list && *list; list++)
        if (strcmp(*list, word) == 0) return true;
    return false;
}

/* What YAML counts as other things than numbers, or as numbers that are none. */
static bool is_no_number(const char *text)
{
    static const char *const words[] = {"true",  "false", "yes",  "no",   "on",   "off",  "null",
                                        "~",     ".nan",  ".NaN", ".NAN", ".inf", ".Inf", ".INF",
                                        "-.inf", "nan",   "NaN",  "inf",  "-inf", "NAN",  NULL};
    return listed(words, text);
}

/* A parameter that is a word where a number is needed. Numbers in quotes and decimal commas are the
 * usual causes; the remedy is at the place of the parameter, not of its use. */
static kl_status refuse_word(kl_scope *s, const kl_node *node, const char *what,
                             const kl_variable *v)
{
    char        line[40] = "";
    const char *remedy   = "give a number there";
    bool decimal = strspn(v->word, "+-0123456789,") == strlen(v->word) && strchr(v->word, ',');
    if (v->given && v->given->place.line > 0)
        snprintf(line, sizeof line, " (line %d)", v->given->place.line);
    if (decimal) remedy = "write it without quotes and with a decimal point, such as 3.5";
    else if (strpbrk(v->word, "0123456789+-*/("))
        remedy = "write it without quotes, as a number or an expression";
    return kl_fail(s->diag, KL_E_MODEL, node->place,
                   "%s is `%s`, but the parameter '%s'%s is the word '%s'; %s", what, node->text,
                   v->name, line, v->word, remedy);
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
    if (!*node->text)
        return kl_fail(s->diag, KL_E_MODEL, node->place, "%s is empty; give a number", what);
    /* A parameter may hold a word; only numbers are accepted here. */
    const kl_variable *v = kl_scope_find(s, node->text);
    if (v && v->word) return refuse_word(s, node, what, v);
    if (!v && is_no_number(node->text))
        return kl_fail(s->diag, KL_E_MODEL, node->place, "%s is `%s`; give a number", what,
                       node->text);
    KL_TRY(quantity(s, node->text, node->place, &q));
    *out = q.value;
    if (strcmp(unit, "*") == 0) return KL_OK;
    if (!kl_unit_parse(unit, &factor, &want))
        return kl_fail(s->diag, KL_E_INTERNAL, node->place, "unit '%s' of %s", unit, what);
    return kl_quantity_fits(q, want) ? KL_OK : unit_misfit(s, node, what, q, want, unit);
}

kl_status kl_scope_quantity(kl_scope *s, const kl_node *node, kl_quantity *out)
{
    return quantity(s, node->text, node->place, out);
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
        if (!end)
            return kl_fail(s->diag, KL_E_SYNTAX, place,
                           "'%s': the `{` has no matching `}`; add one", text);
        const char *inner = kl_arena_text_n(s->arena, p + 1, (size_t)(end - p - 1));
        if (!inner) return KL_E_MEMORY;
        int i = index_of(s, inner), number = 0;
        /* {side} of a word is the word itself; anything else between braces is a whole number */
        if (i >= 0) KL_TRY(settle(s, i));
        if (i >= 0 && s->variable[i].word) {
            n += (size_t)snprintf(buffer + n, sizeof buffer - n, "%s", s->variable[i].word);
        } else {
            KL_TRY(kl_scope_integer(s, inner, place, "the text between { and }", &number));
            n += (size_t)snprintf(buffer + n, sizeof buffer - n, "%d", number);
        }
        if (n + 2 > sizeof buffer)
            return kl_fail(s->diag, KL_E_MODEL, place, "the name '%.40s...' is too long", text);
        p = end + 1;
    }
    *out = kl_arena_text_n(s->arena, buffer, n);
    return *out ? KL_OK : KL_E_MEMORY;
}

/* ---- conditions ---- */

static size_t token(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || (p[n] && strchr("_.-", p[n]))) n++;
    return n;
}

static bool is_token(const char *p, size_t n, const char *word)
{
    return strlen(word) == n && strncmp(p, word, n) == 0;
}

/* The variable called like the token, if it holds a word. */
static const kl_variable *word_called(kl_scope *s, const char *p, size_t n)
{
    const char *name = kl_arena_text_n(s->arena, p, n);
    int         i    = name ? place_of(s, name) : -1;
    return i >= 0 && settle(s, i) == KL_OK && s->variable[i].word ? &s->variable[i] : NULL;
}

/* Keeps that a condition asked whether `v` is this word. */
static void keep_asked(kl_scope *s, const kl_variable *v, const char *p, size_t n, bool same)
{
    kl_compared_words *ask = comparisons_of(s, v);
    if (!ask) return;
    const char *word = kl_arena_format(s->arena, "'%.*s'", (int)n, p);
    ask->fits |= same;
    if (!word || (ask->words && strstr(ask->words, word))) return;
    ask->words = kl_arena_format(s->arena, "%s%s%s", ask->words ? ask->words : "",
                                 ask->words ? ", " : "", word);
}

void kl_scope_report_unused(const kl_scope *s)
{
    for (int i = 0; i < s->n; i++) {
        const kl_variable       *v   = &s->variable[i];
        const kl_compared_words *ask = v->word ? comparisons_of(s, v) : NULL;
        if (!ask || ask->fits || !ask->words || strcmp(v->word, v->given->text) == 0) continue;
        const char *own = kl_arena_format(s->arena, "'%s'", v->given->text);
        bool too = own && !strstr(ask->words, own); /* the model's own word is not compared */
        /* with one word known, any other may mean "not that one": whether it is used may depend on a
         * part that is left out */
        bool        several = too || strchr(ask->words, ',');
        const char *text    = kl_arena_format(
               s->arena,
               "parameter '%s' is '%s', but no condition of the model compares with that word; "
                  "possible words are %s%s%s",
               v->name, v->word, too ? own : "", too ? ", " : "", ask->words);
        kl_place place = {.file = v->changer};
        if (text && several) kl_fail(s->diag, KL_E_MODEL, place, "%s", text);
        else if (text) kl_warn(s->diag, place, "%s", text);
    }
}

/* `drive == electric`, with the variable drive: the length of all of it, and whether it holds. 0: no
 * such comparison. */
static size_t compare(kl_scope *s, const char *text, size_t name, const kl_variable *v, bool *holds)
{
    const char *word = v->word;
    const char *p    = text + name;
    while (*p == ' ') p++;
    bool equal = strncmp(p, "==", 2) == 0;
    if (!equal && strncmp(p, "!=", 2) != 0) return 0;
    p += 2;
    while (*p == ' ') p++;
    char        quote = *p == '\'' || *p == '"' ? *p : '\0';
    const char *begin = quote ? p + 1 : p,
               *end   = quote ? strchr(begin, quote) : begin + token(begin);
    if (!end || (end == begin && !quote)) return 0;
    size_t             n     = (size_t)(end - begin);
    const kl_variable *other = quote ? NULL : word_called(s, begin, n);
    bool               same  = other ? strcmp(other->word, word) == 0 : is_token(begin, n, word);
    keep_asked(s, v, begin, n, same || !equal || other);
    *holds = same == equal;
    return (size_t)(end - text) + (quote != '\0');
}

/* The expression with comparisons of words, true and false as 1 and 0, every sign in its column. In a
 * condition (`when`) a word must be compared; `when` NULL: no condition. */
static kl_status plain_words(kl_scope *s, const kl_node *when, char *text)
{
    for (char *p = text; *p;) {
        size_t n   = isalpha((unsigned char)*p) || *p == '_' ? token(p) : 0;
        bool   yes = is_token(p, n, "true"), holds = yes;
        if (n == 0) {
            p++;
            continue;
        }
        const kl_variable *v = word_called(s, p, n);
        size_t span = v ? compare(s, p, n, v, &holds) : yes || is_token(p, n, "false") ? n : 0;
        if (v && span == 0 && when)
            return kl_fail(s->diag, KL_E_MODEL, when->place,
                           "`when: %s`: '%.*s' is the word '%s'; compare it: `%.*s == %s`",
                           when->text, (int)n, p, v->word, (int)n, p, v->word);
        if (span > 0) {
            memset(p, ' ', span);
            *p = holds ? '1' : '0';
        }
        p += span > 0 ? span : n;
    }
    return KL_OK;
}

kl_status kl_scope_condition(kl_scope *s, const kl_node *node, bool *out)
{
    *out = true;
    if (node->kind != KL_SCALAR || !*node->text)
        return kl_fail(s->diag, KL_E_MODEL, node->place,
                       "`when` needs a condition: a parameter that is true or false, `n > 3`, or "
                       "`drive == electric`");
    char       *text = kl_arena_text(s->arena, node->text);
    kl_quantity q;
    if (!text) return KL_E_MEMORY;
    KL_TRY(plain_words(s, node, text));
    KL_TRY(quantity(s, text, node->place, &q));
    *out = q.value != 0.0;
    return KL_OK;
}

/* ---- expressions that need no scope ---------------------------------------------------------- */

static void put_value(kl_text *t, const kl_quantity *q)
{
    char unit[KL_UNIT_TEXT] = "";
    if (!q->bare) kl_unit_format(q->dim, unit, sizeof unit);
    kl_text_add(t, "(");
    kl_text_number(t, q->value);
    kl_text_add(t, "%s%s)", *unit ? " " : "", unit);
}

static bool in_name(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_' || ch == '.' || (unsigned char)ch >= 0x80;
}

/* Lengths of the words that may be at `p`, as kl_expression reads them: `rear-hinge.angle` or
 * only `rear`; longest last. */
static int word_lengths(const char *p, size_t length[16])
{
    size_t n = 0;
    for (int k = 0;;) {
        while (in_name(p[n])) n++;
        length[k++] = n;
        bool more   = p[n] == '-' && in_name(p[n + 1]) && p[n + 1] != '.';
        if (!more || k == 16) return k;
        n++;
    }
}

/* Writes the word at `p` as it is known: by value, by its other name, or as it is. */
static kl_status plain_word(kl_scope *s, kl_text *t, const char **p, const char *const *keep,
                            kl_rename rename, const void *context)
{
    size_t length[16];
    int    n = word_lengths(*p, length);
    for (int k = n - 1; k >= 0; k--) {
        const char *word = kl_arena_text_n(s->arena, *p, length[k]);
        if (!word) return KL_E_MEMORY;
        bool        stays = listed(keep, word);
        int         i     = stays ? -1 : index_of(s, word);
        const char *other = i >= 0 || stays || !rename ? NULL : rename(context, word);
        if (i >= 0) KL_TRY(settle(s, i));
        if (i >= 0 && s->variable[i].word) i = -1;
        if (i < 0 && !other && !stays && k > 0) continue;
        if (i >= 0) put_value(t, &s->variable[i].value);
        else kl_text_add(t, "%s", other ? other : word);
        *p += length[k];
        return KL_OK;
    }
    return KL_OK;
}

kl_status kl_scope_plain(kl_scope *s, const char *text, const char *const *keep, kl_rename rename,
                         const void *context, const char **out)
{
    kl_text   t      = {0};
    kl_status status = KL_OK;
    for (const char *p = text; *p && status == KL_OK;) {
        if (!in_name(*p)) {
            kl_text_put(&t, p++, 1);
            continue;
        }
        if (!isdigit((unsigned char)*p) && *p != '.') {
            status = plain_word(s, &t, &p, keep, rename, context);
            continue;
        }
        /* a number and the unit behind it */
        char  *end;
        size_t used = 0;
        double factor;
        kl_dim dim;
        (void)strtod(p, &end);
        if (end == p) end++;
        if (kl_unit_scan(end, &used, &factor, &dim) == KL_UNIT_FOUND) end += used;
        kl_text_put(&t, p, (size_t)(end - p));
        p = end;
    }
    char *plain = kl_text_finish(&t);
    *out        = kl_arena_text(s->arena, plain);
    free(plain);
    return status != KL_OK ? status : *out ? KL_OK : KL_E_MEMORY;
}
