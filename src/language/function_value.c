/* Functions of a model file: a number, a table, a polynomial, a harmonic, a step, an expression, a
 * chunk of Lua, an input, or a sum of these. One line in `kinds` each. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "language/attach.h"
#include "language/resources.h"
#include "language/values.h"
#include "script/lua.h"
#include "store/series_file.h"

enum { WHAT = 256 }; /* longest lead of a message */

/* Numeric parameters that occur in the text. */
static kl_status constants_of(kl_scope *s, kl_code *code)
{
    int n          = 0;
    code->constant = kl_arena_array(s->arena, const char *, s->n + 1);
    code->value    = kl_arena_array(s->arena, double, s->n + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    for (int i = s->n - 1; i >= 0; i--) {
        const kl_variable *v    = &s->variable[i];
        bool               seen = false;
        for (int k = 0; k < n; k++) seen |= strcmp(code->constant[k], v->name) == 0;
        char declared[128]; /* the text has its own */
        snprintf(declared, sizeof declared, "local %.100s =", v->name);
        seen |= strstr(code->text, declared) != NULL;
        if (seen || v->word || !kl_is_name(v->name) || !strstr(code->text, v->name)) continue;
        code->constant[n] = v->name;
        code->value[n++]  = v->value.value;
    }
    return KL_OK;
}

kl_status kl_value_code(kl_scope *s, const kl_node *n, const char *what, kl_code *code)
{
    if (n->kind != KL_SCALAR || !*n->text)
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s: give a Lua text, in quotes or as a block after |", what);
    *code = (kl_code){.text = n->text, .place = n->place};
    if (n->block) code->place.line++, code->place.column = 1;
    return constants_of(s, code);
}

typedef struct function_call {
    kl_scope       *s;
    const kl_model *m;
    const char     *what, *unit, *by;
} function_call;

static kl_status read_function(const function_call *f, const kl_node *n, kl_function **out);

static kl_status made(const function_call *f, kl_function *function, kl_function **out)
{
    *out = function;
    return function ? KL_OK : kl_diag_failed(f->s->diag) ? KL_E_MODEL : KL_E_MEMORY;
}

/* unit of value over argument^power */
static void unit_over(const char *unit, const char *by, int power, char *text, size_t size)
{
    kl_dim d, a;
    double factor;
    if (strcmp(unit, "*") == 0 || !kl_unit_parse(unit, &factor, &d) ||
        !kl_unit_parse(by, &factor, &a)) {
        snprintf(text, size, "*");
        return;
    }
    for (int i = 0; i < KL_NDIM; i++) d.e[i] = (signed char)(d.e[i] - power * a.e[i]);
    kl_unit_format(d, text, size);
    if (!*text) snprintf(text, size, "1");
}

static kl_status function_polynomial(const function_call *f, const kl_node *n, kl_function **out)
{
    double c[16];
    int    k = 0;
    if (n->kind != KL_LIST || n->size < 1 || n->size > 16)
        return kl_fail(f->s->diag, KL_E_MODEL, n->place,
                       "%s: `polynomial` needs 1 to 16 coefficients: [c0, c1, ...]", f->what);
    for (const kl_node *i = n->first; i; i = i->next, k++) {
        char unit[64], what[WHAT];
        unit_over(f->unit, f->by, k, unit, sizeof unit);
        snprintf(what, sizeof what, "%s: polynomial: coefficient c%d", f->what, k);
        KL_TRY(kl_scope_number(f->s, i, what, unit, &c[k]));
    }
    return made(f, kl_function_polynomial(f->s->arena, c, k), out);
}

/* a number of a map by key, with a default when it is absent */
static kl_status number_of(const function_call *f, const kl_node *n, const char *key,
                           const char *unit, double fallback, double *out)
{
    const kl_node *v = kl_node_get(n, key);
    char           what[WHAT];
    *out = fallback;
    snprintf(what, sizeof what, "%s: %s: %s", f->what, n->key, key);
    if (v) return kl_scope_number(f->s, v, what, unit, out);
    if (isnan(fallback))
        return kl_fail(f->s->diag, KL_E_MODEL, n->place,
                       "%s is missing; write for example `%s: 1%s%s`", what, key,
                       strcmp(unit, "*") && *unit ? " " : "", strcmp(unit, "*") ? unit : "");
    return KL_OK;
}

/* A map that holds no other keys. */
static kl_status known_keys(const function_call *f, const kl_node *n, const char *const *keys,
                            const char *shape)
{
    if (n->kind != KL_MAP)
        return kl_fail(f->s->diag, KL_E_MODEL, n->place, "%s: %s is %s; give %s", f->what, n->key,
                       kl_node_kind_word(n->kind), shape);
    for (const kl_node *c = n->first; c; c = c->next) {
        bool found = false;
        for (int i = 0; keys[i]; i++) found |= strcmp(keys[i], c->key) == 0;
        if (found) continue;
        const char *near = kl_nearest(c->key, keys);
        return kl_fail(f->s->diag, KL_E_NAME, c->key_place, "%s: unknown key `%s` in %s%s%s%s",
                       f->what, c->key, n->key, near ? "; did you mean `" : "; give ",
                       near ? near : shape, near ? "`?" : "");
    }
    return KL_OK;
}

static kl_status function_harmonic(const function_call *f, const kl_node *n, kl_function **out)
{
    static const char *const keys[] = {"offset", "amplitude", "phase", "omega", "frequency", NULL};
    double                   offset, amplitude, frequency, phase, omega;
    KL_TRY(known_keys(f, n, keys, "{amplitude: ..., frequency: ...}"));
    KL_TRY(number_of(f, n, "offset", f->unit, 0.0, &offset));
    KL_TRY(number_of(f, n, "amplitude", f->unit, NAN, &amplitude));
    KL_TRY(number_of(f, n, "phase", "rad", 0.0, &phase));
    KL_TRY(number_of(f, n, "omega", "rad/s", 0.0, &omega));
    KL_TRY(number_of(f, n, "frequency", "Hz", 0.0, &frequency));
    if (kl_node_get(n, "omega") && kl_node_get(n, "frequency"))
        return kl_fail(f->s->diag, KL_E_MODEL, n->place,
                       "%s: `harmonic` has both `frequency` and `omega`; give one of them",
                       f->what);
    /* f(x) = offset + amplitude sin(omega x + phase) */
    if (omega == 0.0) omega = 2.0 * KL_PI * frequency;
    if (omega == 0.0)
        return kl_fail(f->s->diag, KL_E_MODEL, n->place,
                       "%s: `harmonic` needs `frequency` in Hz or `omega` in rad/s", f->what);
    return made(f, kl_function_harmonic(f->s->arena, offset, amplitude, omega, phase), out);
}

/* Beyond its ends a characteristic goes on straight, a function of time keeps its value. */
static kl_spline_ends ends_of(const function_call *f)
{
    return strcmp(f->by, "s") == 0 ? KL_ENDS_CONSTANT : KL_ENDS_LINEAR;
}

/* {file: roof.csv, column: roof_z}: a table of text or the results of a run, in SI units. */
static kl_status read_series(const function_call *f, const kl_node *n, bool smooth,
                             kl_function **out)
{
    static const char *const keys[] = {"file", "column", NULL};
    const kl_node           *file = kl_node_get(n, "file"), *column = kl_node_get(n, "column");
    kl_series                series;
    KL_TRY(known_keys(f, n, keys, "{file: motion.csv, column: z}"));
    if (!file || file->kind != KL_SCALAR || !*file->text || (column && column->kind != KL_SCALAR))
        return kl_fail(f->s->diag, KL_E_MODEL, n->place,
                       "%s: `file` is missing; write for example {file: motion.csv, column: z}",
                       f->what);
    const char *name, *path; /* "{roof}" is the value of the parameter `roof` */
    KL_TRY(kl_value_word(f->s, file, f->what, &name));
    if (!(path = kl_path_beside(f->s->arena, file, name))) return KL_E_MEMORY;
    KL_TRY(kl_series_file_read(path, column ? column->text : NULL, file->place, f->s->arena,
                               f->s->diag, &series));
    return made(f,
                kl_function_table_ends(f->s->arena, series.x, series.y, series.n, smooth,
                                       ends_of(f), f->s->diag, file->place),
                out);
}

static kl_status read_table(const function_call *f, const kl_node *n, bool smooth,
                            kl_function **out)
{
    if (n->kind == KL_MAP) return read_series(f, n, smooth, out);
    if (n->kind != KL_LIST || n->size < 2)
        return kl_fail(
            f->s->diag, KL_E_MODEL, n->place,
            "%s: a table needs at least two pairs of numbers, [[x0, y0], [x1, y1], ...], "
            "or a file, {file: name.csv, column: name}",
            f->what);
    double *x = kl_arena_array(f->s->arena, double, n->size),
           *y = kl_arena_array(f->s->arena, double, n->size);
    int k     = 0;
    if (!x || !y) return KL_E_MEMORY;
    for (const kl_node *i = n->first; i; i = i->next, k++) {
        if (i->kind != KL_LIST || i->size != 2)
            return kl_fail(f->s->diag, KL_E_MODEL, i->place,
                           "%s: table: point %d is not a pair [x, y]; give two numbers", f->what,
                           k + 1);
        char what[WHAT];
        snprintf(what, sizeof what, "%s: table: point %d", f->what, k + 1);
        KL_TRY(kl_scope_number(f->s, i->first, what, f->by, &x[k]));
        KL_TRY(kl_scope_number(f->s, i->first->next, what, f->unit, &y[k]));
    }
    return made(
        f, kl_function_table_ends(f->s->arena, x, y, k, smooth, ends_of(f), f->s->diag, n->place),
        out);
}

static kl_status function_table(const function_call *f, const kl_node *n, kl_function **out)
{
    return read_table(f, n, true, out);
}
static kl_status function_linear(const function_call *f, const kl_node *n, kl_function **out)
{
    return read_table(f, n, false, out);
}

static kl_status function_step(const function_call *f, const kl_node *n, kl_function **out)
{
    static const char *const keys[] = {"from", "to", "start", "end", NULL};
    double                   x0 = 0.0, y0 = 0.0, x1 = 0.0, y1 = 0.0;
    KL_TRY(known_keys(f, n, keys, "{from: ..., to: ..., start: ..., end: ...}"));
    KL_TRY(number_of(f, n, "from", f->unit, 0.0, &y0));
    KL_TRY(number_of(f, n, "to", f->unit, NAN, &y1));
    KL_TRY(number_of(f, n, "start", f->by, 0.0, &x0));
    KL_TRY(number_of(f, n, "end", f->by, NAN, &x1));
    if (!(x1 >= x0))
        return kl_fail(
            f->s->diag, KL_E_RANGE, n->place,
            "%s: the step ends at %g before it starts at %g; give an `end` after `start`", f->what,
            x1, x0);
    return made(f, kl_function_step(f->s->arena, x0, y0, x1, y1), out);
}

static kl_status function_input(const function_call *f, const kl_node *n, kl_function **out)
{
    const char *name;
    KL_TRY(kl_value_word(f->s, n, f->what, &name));
    int i = kl_attach_input(f->s, f->m, name);
    if (i < 0)
        return kl_fail(f->s->diag, KL_E_NAME, n->place,
                       "%s: there is no input '%s'; define it under `inputs:`", f->what, name);
    /* an input without a unit fits everywhere */
    const kl_input *input = &f->m->input[i];
    kl_dim          want;
    if (strcmp(f->unit, "*") != 0 && strcmp(input->unit, "1") != 0 &&
        kl_unit_parse(f->unit, &(double){0.0}, &want) && !kl_dim_fits(input->dim, want))
        return kl_fail(f->s->diag, KL_E_MODEL, n->place, "%s: input '%s' is in %s; expected %s",
                       f->what, name, input->unit, f->unit);
    bool time = strcmp(f->by, "s") == 0; /* of a displacement or speed the input is a constant */
    return made(f, kl_function_input(f->s->arena, i, time ? &f->m->ninput : NULL), out);
}

/* An expression of t (of x, where the function is one of a displacement or a speed) and of named
 * inputs. `t` counts as seconds; where that fits no unit it counts as a bare number. */
typedef struct expression_names {
    const function_call *f;
    const char          *argument;
    bool                 bare;
} expression_names;

static bool expression_find(const void *context, const char *name, int *index, kl_dim *dim,
                            bool *bare)
{
    const expression_names *e = context;
    if (strcmp(name, e->argument) == 0) {
        *index = 0;
        *dim   = e->bare ? kl_dim_of("1") : kl_dim_of(e->f->by);
        *bare  = e->bare;
        return true;
    }
    int input = kl_attach_input(e->f->s, e->f->m, name);
    if (input < 0) {
        /* a parameter, which is in the text as its value once it is compiled in earnest */
        const kl_variable *v = kl_scope_find(e->f->s, name);
        if (!v || v->word) return false;
        *index = 0;
        *dim   = v->value.dim;
        *bare  = v->value.bare;
        return true;
    }
    *index = 1 + input;
    *dim   = e->f->m->input[input].dim;
    *bare  = false;
    return true;
}

static kl_status compile_expression(const function_call *f, const kl_node *n, const char *text,
                                    bool bare, kl_diag *diag, kl_expression **out)
{
    expression_names names   = {f, strcmp(f->by, "s") == 0 ? "t" : "x", bare};
    kl_symbols       symbols = {.context = &names, .find = expression_find};
    KL_TRY(kl_expression_compile(text, n->place, &symbols, f->s->arena, diag, out));
    /* An expression of numbers without units is in SI units and fits every key; one with a
     * dimension must have the dimension of the key. */
    kl_dim want, have = kl_expression_dim(*out);
    double factor;
    if (strcmp(f->unit, "*") == 0 || kl_expression_bare(*out)) return KL_OK;
    if (!kl_unit_parse(f->unit, &factor, &want) || kl_dim_fits(have, want)) return KL_OK;
    char        is[KL_UNIT_TEXT];
    const char *hint = kl_dim_hint(have, want);
    kl_unit_format(have, is, sizeof is);
    return kl_fail(diag, KL_E_MODEL, n->place, "%s: the expression is in %s; expected %s%s%s",
                   f->what, *is ? is : "no unit", f->unit, hint ? ": " : "", hint ? hint : "");
}

/* Is the word in the text, by itself? In `3 t` the t is a unit. */
static bool contains_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += n) {
        bool        begins = p == text || !(isalnum((unsigned char)p[-1]) || strchr("_.", p[-1]));
        const char *before = p;
        while (before > text && before[-1] == ' ') before--;
        bool unit = before < p && before > text && strchr("0123456789.", before[-1]);
        if (begins && !unit && !isalnum((unsigned char)p[n]) && p[n] != '_' && p[n] != '.')
            return true;
    }
    return false;
}

/* A parameter with the name of the argument would be taken for it, or the other way round. */
static kl_status no_parameter_called(const function_call *f, const kl_node *n, const char *argument)
{
    if (n->kind != KL_SCALAR || !kl_scope_find(f->s, argument) || !contains_word(n->text, argument))
        return KL_OK;
    return kl_fail(f->s->diag, KL_E_NAME, n->place,
                   "%s: in this expression `%s` is the %s, but there is also a parameter '%s'; "
                   "rename the parameter, here and under `parameters:`",
                   f->what, argument, strcmp(argument, "t") ? "argument" : "time", argument);
}

static kl_status function_expression(const function_call *f, const kl_node *n, kl_function **out)
{
    const char    *argument = strcmp(f->by, "s") == 0 ? "t" : "x", *plain, *keep[64];
    kl_expression *e        = NULL;
    int            k        = 0;
    KL_TRY(no_parameter_called(f, n, argument));
    if (n->kind != KL_SCALAR)
        return kl_fail(f->s->diag, KL_E_MODEL, n->place, "%s: expression is %s; give one text",
                       f->what, kl_node_kind_word(n->kind));
    /* as written, for messages with the right column */
    kl_diag  *first  = kl_diag_create();
    kl_status united = compile_expression(f, n, n->text, false, first, &e);
    bool      bare = united != KL_OK && compile_expression(f, n, n->text, true, NULL, &e) == KL_OK;
    kl_diag_destroy(first);
    if (united != KL_OK && !bare) return compile_expression(f, n, n->text, false, f->s->diag, &e);
    /* with the values of all parameters, for good */
    keep[k++] = argument;
    for (const char *const *name = kl_expression_functions(); *name && k < 63; name++)
        keep[k++] = *name;
    keep[k] = NULL;
    KL_TRY(kl_scope_plain(f->s, n->text, keep, NULL, NULL, &plain));
    KL_TRY(compile_expression(f, n, plain, bare, f->s->diag, &e));
    return made(f, kl_function_expression(f->s->arena, e, plain), out);
}

static kl_status function_lua(const function_call *f, const kl_node *n, kl_function **out)
{
    const char *argument[] = {strcmp(f->by, "s") == 0 ? "t" : "x", NULL};
    kl_code     code;
    double      y, x = 0.0;
    KL_TRY(no_parameter_called(f, n, argument[0]));
    KL_TRY(kl_value_code(f->s, n, f->what, &code));
    kl_lua_code c        = {.text     = code.text,
                            .object   = f->what,
                            .place    = code.place,
                            .argument = argument,
                            .constant = code.constant,
                            .value    = code.value};
    int         function = kl_lua_compile(f->m->lua, &c, f->s->diag);
    if (function < 0) return KL_E_MODEL;
    /* Call it once at x = 0: mistakes of the text appear now, with its place, and not in the
     * run. */
    if (kl_lua_call(f->m->lua, function, &x, &y) != KL_OK)
        return kl_fail(f->s->diag, KL_E_MODEL, KL_NOWHERE, "%s", kl_lua_failure(f->m->lua));
    return made(f, kl_function_lua(f->s->arena, f->m->lua, function), out);
}

static kl_status function_sum(const function_call *f, const kl_node *n, kl_function **out)
{
    kl_function *parts[16];
    int          k = 0;
    if (n->kind != KL_LIST || n->size < 1 || n->size > 16)
        return kl_fail(f->s->diag, KL_E_MODEL, n->place,
                       "%s: `sum` needs a list of 1 to 16 functions", f->what);
    for (const kl_node *i = n->first; i; i = i->next, k++) KL_TRY(read_function(f, i, &parts[k]));
    return made(f, kl_function_sum(f->s->arena, parts, k), out);
}

/* The text as an expression of `argument`: `3*time` becomes `3*t`. */
static kl_status suggest_expression(const function_call *f, const kl_node *n, const char *argument)
{
    kl_text     t    = {0};
    const char *kind = strcmp(argument, "t") ? "its argument" : "time";
    for (const char *p = n->text; *p;) {
        size_t k    = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
        bool   time = k == 4 && strncmp(p, "time", 4) == 0;
        kl_text_put(&t, time ? argument : p, time ? strlen(argument) : k ? k : 1);
        p += k ? k : 1;
    }
    char     *text = kl_text_finish(&t);
    kl_status s    = kl_fail(f->s->diag, KL_E_NAME, n->place,
                             "%s: a value that depends on %s is written {expression: \"%s\"}, where "
                                "`%s` is the variable",
                             f->what, kind, text ? text : n->text, argument);
    free(text);
    return s;
}

/* `value: F*sin(t)`: a text is a number; what follows the argument says that it does. */
static kl_status no_bare_expression(const function_call *f, const kl_node *n)
{
    const char       *argument = strcmp(f->by, "s") == 0 ? "t" : "x";
    const char *const names[]  = {argument, "time"};
    for (int i = 0; i < 2; i++)
        if (contains_word(n->text, names[i]) && !kl_scope_find(f->s, names[i]))
            return suggest_expression(f, n, argument);
    return KL_OK;
}

static const struct {
    const char *key;
    kl_status (*read)(const function_call *f, const kl_node *n, kl_function **out);
} function_kinds[] = {{"table", function_table},
                      {"linear_table", function_linear},
                      {"polynomial", function_polynomial},
                      {"harmonic", function_harmonic},
                      {"step", function_step},
                      {"expression", function_expression},
                      {"lua", function_lua},
                      {"input", function_input},
                      {"sum", function_sum}};

/* The kind of function that was probably meant, or NULL. */
static const char *near_kind(const char *key)
{
    enum { N = sizeof function_kinds / sizeof *function_kinds };
    const char *names[N + 1] = {NULL};
    for (int i = 0; i < N; i++) names[i] = function_kinds[i].key;
    return kl_nearest(key, names);
}

static kl_status read_function(const function_call *f, const kl_node *n, kl_function **out)
{
    if (n->kind == KL_SCALAR) {
        double value = 0.0;
        KL_TRY(no_bare_expression(f, n));
        KL_TRY(kl_scope_number(f->s, n, f->what, f->unit, &value));
        return made(f, kl_function_constant(f->s->arena, value), out);
    }
    for (size_t i = 0;
         n->kind == KL_MAP && n->size == 1 && i < sizeof function_kinds / sizeof *function_kinds;
         i++)
        if (strcmp(n->first->key, function_kinds[i].key) == 0)
            return function_kinds[i].read(f, n->first, out);
    const char *near = n->kind == KL_MAP && n->size == 1 ? near_kind(n->first->key) : NULL;
    if (near)
        return kl_fail(f->s->diag, KL_E_NAME, n->place,
                       "%s: there is no function `%s`; did you mean `%s`?", f->what, n->first->key,
                       near);
    return kl_fail(f->s->diag, KL_E_MODEL, n->place,
                   "%s: give a number, {table: [[x, y], ...]}, {linear_table: ...}, {polynomial: "
                   "[...]}, {harmonic: {amplitude, "
                   "frequency}}, {step: {to, end}}, {expression: \"2*t\"}, {lua: \"2*t\"}, {input: "
                   "name} or {sum: "
                   "[...]}",
                   f->what);
}

kl_status kl_value_function(kl_scope *s, const kl_model *m, const kl_node *n,
                            const kl_function_units *of, kl_function **out)
{
    function_call f = {.s = s, .m = m, .what = of->what, .unit = of->unit, .by = of->by};
    return read_function(&f, n, out);
}
