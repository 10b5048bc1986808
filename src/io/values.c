#include "io/values.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "io/attach.h"
#include "io/reduced.h"
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

/* ---- plain values ---------------------------------------------------------------------------- */

static kl_status wrong_length(kl_scope *s, const kl_node *n, const char *what, int size)
{
    const char *shape = size == 3 ? ": [x, y, z]" : "";
    if (n->kind == KL_LIST)
        return kl_fail(s->diag, KL_E_MODEL, n->place, "%s is a list of %d; give %d numbers%s", what,
                       n->size, size, shape);
    return kl_fail(s->diag, KL_E_MODEL, n->place, "%s is %s; give a list of %d numbers%s", what,
                   kl_node_kind_word(n->kind), size, shape);
}

static kl_status numbers(kl_scope *s, const kl_node *n, const char *what, const char *unit,
                         int size, double *out)
{
    if (n->kind != KL_LIST || n->size != size) return wrong_length(s, n, what, size);
    kl_status status = KL_OK;
    int       i      = 0;
    for (const kl_node *c = n->first; c; c = c->next, i++) {
        char item[WHAT];
        snprintf(item, sizeof item, "%s[%d]", what, i);
        kl_status one = kl_scope_number(s, c, item, unit, &out[i]);
        if (one != KL_OK) status = one;
    }
    return status;
}

kl_status kl_value_vec3(kl_scope *s, const kl_node *n, const char *what, const char *unit,
                        kl_vec3 *out)
{
    double x[3] = {0};
    KL_TRY(numbers(s, n, what, unit, 3, x));
    *out = kl_load(x);
    return KL_OK;
}

kl_status kl_value_word(kl_scope *s, const kl_node *n, const char *what, const char **out)
{
    if (n->kind != KL_SCALAR)
        return kl_fail(s->diag, KL_E_MODEL, n->place, "%s is %s; give one word", what,
                       kl_node_kind_word(n->kind));
    KL_TRY(kl_scope_text(s, n->text, n->place, out));
    const kl_variable *v = kl_scope_find(s, *out);
    if (v && v->word) *out = v->word;
    return KL_OK;
}

static kl_status axis_by_letter(const char *text, kl_vec3 *out)
{
    double      sign = *text == '-' ? -1.0 : 1.0;
    const char *p    = *text == '-' || *text == '+' ? text + 1 : text;
    if (p[0] < 'x' || p[0] > 'z' || p[1]) return KL_E_MODEL;
    *out = kl_vec(p[0] == 'x' ? sign : 0, p[0] == 'y' ? sign : 0, p[0] == 'z' ? sign : 0);
    return KL_OK;
}

kl_status kl_value_axis(kl_scope *s, const kl_node *n, const char *what, kl_vec3 *out)
{
    if (n->kind == KL_SCALAR) {
        const char *word = NULL;
        KL_TRY(kl_value_word(s, n, what, &word));
        if (axis_by_letter(word, out) == KL_OK) return KL_OK;
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s is '%s'; give x, y, z, -x, -y, -z or a direction such as [0, 0, 1]",
                       what, word);
    }
    double x[3] = {0};
    KL_TRY(numbers(s, n, what, "*", 3, x));
    kl_vec3 v = kl_load(x);
    if (!(kl_norm(v) > 0.0))
        return kl_fail(s->diag, KL_E_RANGE, n->place,
                       "%s has length %g; give a direction such as [0, 0, 1]", what, kl_norm(v));
    *out = fabs(kl_norm(v) - 1.0) < 1e-15 ? v : kl_unit(v); /* a unit vector keeps its bits */
    return KL_OK;
}

/* ---- rotations ------------------------------------------------------------------------------- */

static kl_status by_axis_angle(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    kl_vec3        axis;
    double         angle = 0.0;
    const kl_node *a     = kl_node_get(n, "angle");
    KL_TRY(kl_value_axis(s, kl_node_get(n, "axis"), what, &axis));
    if (!a)
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s has an axis but no angle; give {axis: z, angle: 90 deg}", what);
    KL_TRY(kl_scope_number(s, a, what, "rad", &angle));
    *out = kl_rotation_exp(kl_scale(angle, axis));
    return KL_OK;
}

static kl_status by_quaternion(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    double p[4] = {0};
    KL_TRY(numbers(s, kl_node_get(n, "quaternion"), what, "1", 4, p));
    double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (!(fabs(size - 1.0) < 1e-3))
        return kl_fail(s->diag, KL_E_RANGE, n->place,
                       "%s: the quaternion has length %g; give a unit quaternion, scalar first",
                       what, size);
    kl_quat_normalize(p);
    *out = kl_quat_matrix(p);
    return KL_OK;
}

/* three turns, each about an axis of the body as turned so far: A = R1 R2 R3 */
static kl_status by_turns(kl_scope *s, const kl_node *n, const char *key, const char *axes,
                          const char *what, kl_mat3 *out)
{
    double angle[3] = {0};
    KL_TRY(numbers(s, kl_node_get(n, key), what, "rad", 3, angle));
    *out = kl_identity();
    for (int i = 0; i < 3; i++) {
        double e[3]      = {0, 0, 0};
        e[axes[i] - 'x'] = angle[i];
        kl_mat3 R        = kl_rotation_exp(kl_load(e));
        *out             = kl_matmul(out, &R);
    }
    return KL_OK;
}

static kl_status by_euler(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    return by_turns(s, n, "euler", "zxz", what, out);
}
static kl_status by_cardan(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    return by_turns(s, n, "cardan", "xyz", what, out);
}

/* the columns of A one below the other as rows: kept to the bit */
static kl_status by_matrix(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    double x[9] = {0};
    KL_TRY(numbers(s, kl_node_get(n, "matrix"), what, "1", 9, x));
    kl_mat3 A  = {{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}}};
    kl_mat3 At = kl_transpose(&A), I = kl_matmul(&At, &A);
    double  off = 0.0;
    for (int i = 0; i < 9; i++) off = fmax(off, fabs(I.m[i / 3][i % 3] - (i % 4 == 0)));
    if (!(off < 1e-9) || kl_dot(kl_cross(kl_axis(&A, 0), kl_axis(&A, 1)), kl_axis(&A, 2)) < 0.0)
        return kl_fail(s->diag, KL_E_RANGE, n->place,
                       "%s: the matrix is no rotation: its columns must be unit vectors at right "
                       "angles, right-handed",
                       what);
    *out = A;
    return KL_OK;
}

/* x along the first vector, y in the plane of both */
static kl_status by_vectors(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    kl_vec3        x, y;
    const kl_node *second = kl_node_get(n, "y");
    KL_TRY(kl_value_axis(s, kl_node_get(n, "x"), what, &x));
    if (!second)
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s has x but no y; give {x: [...], y: [...]}", what);
    KL_TRY(kl_value_axis(s, second, what, &y));
    kl_vec3 z = kl_cross(x, y);
    if (kl_norm(z) < 1e-9)
        return kl_fail(s->diag, KL_E_RANGE, n->place,
                       "%s: x and y point the same way, so they make no plane", what);
    z    = kl_unit(z);
    *out = kl_from_axes(x, kl_cross(z, x), z);
    return KL_OK;
}

kl_status kl_value_rotation(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    static const struct {
        const char *key;
        kl_status (*read)(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out);
        const char *with; /* the other key of this way */
    } ways[] = {{"axis", by_axis_angle, "angle"}, {"quaternion", by_quaternion, ""},
                {"euler", by_euler, ""},          {"cardan", by_cardan, ""},
                {"matrix", by_matrix, ""},        {"x", by_vectors, "y"}};
    for (size_t i = 0; n->kind == KL_MAP && i < sizeof ways / sizeof *ways; i++) {
        if (!kl_node_get(n, ways[i].key)) continue;
        for (const kl_node *c = n->first; c; c = c->next)
            if (strcmp(c->key, ways[i].key) && strcmp(c->key, ways[i].with))
                return kl_fail(s->diag, KL_E_MODEL, c->key_place,
                               "%s: `%s` does not go with `%s`; give one of them", what, c->key,
                               ways[i].key);
        return ways[i].read(s, n, what, out);
    }
    return kl_fail(s->diag, KL_E_MODEL, n->place,
                   "%s: give {axis: z, angle: 90 deg}, {quaternion: [w, x, y, z]}, {euler: [...]} "
                   "(about z, x, z), {cardan: [...]} "
                   "(about x, y, z), {x: [...], y: [...]} or {matrix: [9 numbers, by rows]}",
                   what);
}

/* ---- functions ------------------------------------------------------------------------------- */

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
                       "%s: polynomial wants 1 to 16 coefficients [c0, c1, ...]", f->what);
    for (const kl_node *i = n->first; i; i = i->next, k++) {
        char unit[64], what[WHAT];
        unit_over(f->unit, f->by, k, unit, sizeof unit);
        snprintf(what, sizeof what, "%s: polynomial[%d]", f->what, k);
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
        return kl_fail(f->s->diag, KL_E_MODEL, n->place, "%s is missing; give it%s%s", what,
                       strcmp(unit, "*") ? " in " : "", strcmp(unit, "*") ? unit : "");
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
                       "%s: harmonic has `frequency` and `omega`; give one of them", f->what);
    if (omega == 0.0) omega = 2.0 * KL_PI * frequency;
    if (omega == 0.0)
        return kl_fail(f->s->diag, KL_E_MODEL, n->place,
                       "%s: harmonic wants `frequency` [Hz] or `omega` [rad/s]", f->what);
    return made(f, kl_function_harmonic(f->s->arena, offset, amplitude, omega, phase), out);
}

static kl_status read_table(const function_call *f, const kl_node *n, bool smooth,
                            kl_function **out)
{
    if (n->kind != KL_LIST || n->size < 2)
        return kl_fail(f->s->diag, KL_E_MODEL, n->place,
                       "%s: a table wants two or more pairs [[x0, y0], [x1, y1], ...]", f->what);
    double *x = kl_arena_array(f->s->arena, double, n->size),
           *y = kl_arena_array(f->s->arena, double, n->size);
    int k     = 0;
    if (!x || !y) return KL_E_MEMORY;
    for (const kl_node *i = n->first; i; i = i->next, k++) {
        if (i->kind != KL_LIST || i->size != 2)
            return kl_fail(f->s->diag, KL_E_MODEL, i->place, "%s: table[%d] is not a pair [x, y]",
                           f->what, k);
        char what[WHAT];
        snprintf(what, sizeof what, "%s: table[%d]", f->what, k);
        KL_TRY(kl_scope_number(f->s, i->first, what, f->by, &x[k]));
        KL_TRY(kl_scope_number(f->s, i->first->next, what, f->unit, &y[k]));
    }
    /* beyond its ends a characteristic goes on straight, a function of time keeps its value */
    kl_spline_ends ends = strcmp(f->by, "s") == 0 ? KL_ENDS_CONSTANT : KL_ENDS_LINEAR;
    return made(f, kl_function_table_ends(f->s->arena, x, y, k, smooth, ends, f->s->diag, n->place),
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
                       "%s: there is no input '%s'; name it under `inputs:`", f->what, name);
    /* an input without a unit fits everywhere */
    const kl_input *input = &f->m->input[i];
    kl_dim          want;
    if (strcmp(f->unit, "*") != 0 && strcmp(input->unit, "1") != 0 &&
        kl_unit_parse(f->unit, &(double){0.0}, &want) && !kl_dim_fits(input->dim, want))
        return kl_fail(f->s->diag, KL_E_MODEL, n->place, "%s: input '%s' is in %s; wants %s",
                       f->what, name, input->unit, f->unit);
    return made(f, kl_function_input(f->s->arena, i), out);
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
        /* a parameter, which stands in the text as its value once it is compiled in earnest */
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
    kl_dim want, have = kl_expression_dim(*out);
    double factor;
    if (strcmp(f->unit, "*") == 0 || kl_expression_bare(*out)) return KL_OK;
    if (!kl_unit_parse(f->unit, &factor, &want) || kl_dim_fits(have, want)) return KL_OK;
    char        is[KL_UNIT_TEXT];
    const char *hint = kl_dim_hint(have, want);
    kl_unit_format(have, is, sizeof is);
    return kl_fail(diag, KL_E_MODEL, n->place, "%s: the expression is in %s; wants %s%s%s", f->what,
                   *is ? is : "no unit", f->unit, hint ? ": " : "", hint ? hint : "");
}

/* Is the word in the text, by itself? */
static bool mentions(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += n) {
        bool begins = p == text || !(isalnum((unsigned char)p[-1]) || strchr("_.", p[-1]));
        if (begins && !isalnum((unsigned char)p[n]) && p[n] != '_' && p[n] != '.') return true;
    }
    return false;
}

/* A parameter with the name of the argument would be taken for it, or the other way round. */
static kl_status no_parameter_called(const function_call *f, const kl_node *n, const char *argument)
{
    if (n->kind != KL_SCALAR || !kl_scope_find(f->s, argument) || !mentions(n->text, argument))
        return KL_OK;
    return kl_fail(f->s->diag, KL_E_NAME, n->place,
                   "%s: here `%s` is the %s, but the model has a parameter '%s' too; give the "
                   "parameter another name",
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

static kl_status read_code(kl_scope *s, const kl_node *n, const char *what, kl_code *code);

static kl_status function_lua(const function_call *f, const kl_node *n, kl_function **out)
{
    const char *argument[] = {strcmp(f->by, "s") == 0 ? "t" : "x", NULL};
    kl_code     code;
    double      y, x = 0.0;
    KL_TRY(no_parameter_called(f, n, argument[0]));
    KL_TRY(read_code(f->s, n, f->what, &code));
    kl_lua_code c        = {.text     = code.text,
                            .object   = f->what,
                            .place    = code.place,
                            .argument = argument,
                            .constant = code.constant,
                            .value    = code.value};
    int         function = kl_lua_compile(f->m->lua, &c, f->s->diag);
    if (function < 0) return KL_E_MODEL;
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
                       "%s: sum wants a list of 1 to 16 functions", f->what);
    for (const kl_node *i = n->first; i; i = i->next, k++) KL_TRY(read_function(f, i, &parts[k]));
    return made(f, kl_function_sum(f->s->arena, parts, k), out);
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

static kl_status read_function(const function_call *f, const kl_node *n, kl_function **out)
{
    if (n->kind == KL_SCALAR) {
        double value = 0.0;
        KL_TRY(kl_scope_number(f->s, n, f->what, f->unit, &value));
        return made(f, kl_function_constant(f->s->arena, value), out);
    }
    for (size_t i = 0;
         n->kind == KL_MAP && n->size == 1 && i < sizeof function_kinds / sizeof *function_kinds;
         i++)
        if (strcmp(n->first->key, function_kinds[i].key) == 0)
            return function_kinds[i].read(f, n->first, out);
    return kl_fail(f->s->diag, KL_E_MODEL, n->place,
                   "%s: give a number, {table: [[x, y], ...]}, {linear_table: ...}, {polynomial: "
                   "[...]}, {harmonic: {amplitude, "
                   "frequency}}, {step: {to, end}}, {expression: \"2*t\"}, {lua: \"2*t\"}, {input: "
                   "name} or {sum: "
                   "[...]}",
                   f->what);
}

/* ---- by key ---------------------------------------------------------------------------------- */

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
        kl_warn(p->s->diag, p->node->place, "%s is %g, below zero: %s", p->what, v, k->negative);
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

/* numbers of different units: "N|N|N|N m|N m|N m" */
static kl_status key_numbers_of_units(const place_of_key *p)
{
    double        *out  = (double *)(void *)(p->data + p->key->offset);
    const char    *unit = p->key->unit;
    const kl_node *c    = p->node->first;
    int            size = p->key->size, i = 0;
    if (p->node->kind != KL_LIST || p->node->size != size)
        return wrong_length(p->s, p->node, p->what, size);
    for (; c; c = c->next, i++) {
        char item[WHAT], one[64];
        snprintf(item, sizeof item, "%s[%d]", p->what, i);
        snprintf(one, sizeof one, "%.*s", (int)strcspn(unit, "|"), unit);
        KL_TRY(kl_scope_number(p->s, c, item, one, &out[i]));
        if (strchr(unit, '|')) unit = strchr(unit, '|') + 1;
    }
    return KL_OK;
}

static kl_status key_numbers(const place_of_key *p)
{
    if (p->key->unit && strchr(p->key->unit, '|')) return key_numbers_of_units(p);
    return numbers(p->s, p->node, p->what, p->key->unit ? p->key->unit : "1", p->key->size,
                   (double *)(void *)(p->data + p->key->offset));
}

static kl_status key_axis(const place_of_key *p)
{
    return kl_value_axis(p->s, p->node, p->what, (kl_vec3 *)(void *)(p->data + p->key->offset));
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
    if (p->node->kind != KL_LIST || (n != 3 && n != 6))
        return kl_fail(
            p->s->diag, KL_E_MODEL, p->node->place,
            "%s: give three moments [xx, yy, zz] or six entries [xx, yy, zz, xy, xz, yz]", p->what);
    KL_TRY(numbers(p->s, p->node, p->what, p->key->unit, n, x));
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
        for (int i = 0; i < 3; i++) K[7 * i] = v;
        return KL_OK;
    }
    bool square = n->kind == KL_LIST && n->size == 6 && n->first->kind == KL_LIST;
    if (n->kind != KL_LIST || (n->size != 3 && n->size != 6 && n->size != 36))
        return kl_fail(p->s->diag, KL_E_MODEL, n->place,
                       "%s: give 3 numbers (x, y, z), 6 (and about x, y, z) or a 6 x 6 matrix",
                       p->what);
    bool                     damping     = strcmp(p->key->unit, "N s/m") == 0;
    static const char *const units[2][4] = {{"N/m", "N/rad", "N", "N m/rad"},
                                            {"N s/m", "N s/rad", "N s", "N m s/rad"}};
    int                      i           = 0;
    for (const kl_node *c = n->first; c; c = c->next, i++) {
        if (square && (c->kind != KL_LIST || c->size != 6))
            return kl_fail(p->s->diag, KL_E_MODEL, c->place, "%s: row %d has not six numbers",
                           p->what, i);
        int j = 0;
        for (const kl_node *d = square ? c->first : c; d; d = square ? d->next : NULL, j++) {
            int row = square          ? i
                      : n->size == 36 ? i / 6
                                      : i,
                col = square          ? j
                      : n->size == 36 ? i % 6
                                      : i;
            char what[WHAT];
            snprintf(what, sizeof what, "%s[%d]%s", p->what, square ? row * 6 + col : i, "");
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
    function_call f = {
        .s = p->s, .m = p->m, .what = p->what, .unit = unit, .by = p->key->by ? p->key->by : "s"};
    return read_function(&f, p->node, out);
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

static kl_status key_word(const place_of_key *p)
{
    const char *word = NULL;
    KL_TRY(kl_value_word(p->s, p->node, p->what, &word));
    int i = word_index(p->key->words, word);
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

static kl_status key_flag(const place_of_key *p)
{
    const char *word = NULL;
    KL_TRY(kl_value_word(p->s, p->node, p->what, &word));
    const kl_variable *v   = kl_scope_find(p->s, word); /* a parameter that is true or false */
    bool               yes = strcmp(word, "true") == 0 || (v && !v->word && v->value.value == 1.0),
         no                = strcmp(word, "false") == 0 || (v && !v->word && v->value.value == 0.0);
    if (!yes && !no)
        return kl_fail(p->s->diag, KL_E_MODEL, p->node->place, "%s is '%s'; give true or false",
                       p->what, word);
    *(bool *)(void *)(p->data + p->key->offset) = yes;
    return KL_OK;
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
        if (!kl_is_name(n->key))
            return kl_fail(s->diag, KL_E_NAME, n->key_place,
                           "%s: '%s' is no name of a variable; use letters, digits and _", p->what,
                           n->key);
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
        if (!kl_is_name(n->key))
            return kl_fail(s->diag, KL_E_NAME, n->key_place,
                           "%s: '%s' is no name of a variable; use letters, digits and _", p->what,
                           n->key);
        t->name[t->n] = n->key;
        KL_TRY(kl_scope_number(s, n, p->what, "*", &t->value[t->n]));
        t->n++;
    }
    return KL_OK;
}

/* Parameters that are numbers and stand in the text. */
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

static kl_status read_code(kl_scope *s, const kl_node *n, const char *what, kl_code *code)
{
    if (n->kind != KL_SCALAR || !*n->text)
        return kl_fail(s->diag, KL_E_MODEL, n->place, "%s: give text in Lua, in quotes or below |",
                       what);
    *code = (kl_code){.text = n->text, .place = n->place};
    if (n->block) code->place.line++;
    return constants_of(s, code);
}

static kl_status key_code(const place_of_key *p)
{
    return read_code(p->s, p->node, p->what, (kl_code *)(void *)(p->data + p->key->offset));
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

/* Tells that there is no line or surface of that name. */
static kl_status no_such(const place_of_key *p, const char *word, const char *kind,
                         const char *section, const char *const *names)
{
    const char *near = kl_nearest(word, names);
    if (near)
        return kl_fail(p->s->diag, KL_E_NAME, p->node->place,
                       "%s: there is no %s '%s'; did you mean '%s'?", p->what, kind, word, near);
    return kl_fail(p->s->diag, KL_E_NAME, p->node->place,
                   "%s: there is no %s '%s'; name it under `%s:`", p->what, kind, word, section);
}

static kl_status key_track(const place_of_key *p)
{
    const char     *word = NULL;
    const kl_model *m    = p->m;
    KL_TRY(kl_value_word(p->s, p->node, p->what, &word));
    int i = kl_model_find_line(m, word);
    if (i >= 0) {
        *(const kl_guide **)(void *)(p->data + p->key->offset) = &m->line[i];
        return KL_OK;
    }
    const char **names = kl_arena_array(p->s->arena, const char *, m->nline + 1);
    if (!names) return KL_E_MEMORY;
    for (int k = 0; k < m->nline; k++) names[k] = m->line[k].name;
    return no_such(p, word, "track", "tracks", names);
}

static kl_status key_surface(const place_of_key *p)
{
    const char     *word = NULL;
    const kl_model *m    = p->m;
    KL_TRY(kl_value_word(p->s, p->node, p->what, &word));
    int i = kl_model_find_skin(m, word);
    if (i >= 0) {
        *(const kl_sheet **)(void *)(p->data + p->key->offset) = &m->skin[i];
        return KL_OK;
    }
    const char **names = kl_arena_array(p->s->arena, const char *, m->nskin + 1);
    if (!names) return KL_E_MEMORY;
    for (int k = 0; k < m->nskin; k++) names[k] = m->skin[k].name;
    return no_such(p, word, "surface", "surfaces", names);
}

static kl_status key_list(const place_of_key *p)
{
    kl_list *list = (kl_list *)(void *)(p->data + p->key->offset);
    *list         = (kl_list){0};
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
    return list->n ? numbers(p->s, p->node, p->what, p->key->unit, list->n, list->value) : KL_OK;
}

/* A file beside the model file. */
static kl_status key_reduced(const place_of_key *p)
{
    kl_reduced *to   = (kl_reduced *)(void *)(p->data + p->key->offset);
    const char *name = NULL, *model = p->m->file ? p->m->file : "";
    KL_TRY(kl_value_word(p->s, p->node, p->what, &name));
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
    return kl_reduced_read(p->m, path, p->node->place, p->s->diag, &to->body);
}

static kl_status (*const readers[])(const place_of_key *p) = {
    [KL_KEY_NUMBER] = key_number,     [KL_KEY_NUMBERS] = key_numbers,
    [KL_KEY_AXIS] = key_axis,         [KL_KEY_ROTATION] = key_rotation,
    [KL_KEY_INERTIA] = key_inertia,   [KL_KEY_MATRIX6] = key_matrix6,
    [KL_KEY_FUNCTION] = key_function, [KL_KEY_WORD] = key_word,
    [KL_KEY_WORDS] = key_words,       [KL_KEY_FLAG] = key_flag,
    [KL_KEY_SIGNALS] = key_signals,   [KL_KEY_TABLE] = key_table,
    [KL_KEY_CODE] = key_code,         [KL_KEY_TEXT] = key_text,
    [KL_KEY_TRACK] = key_track,       [KL_KEY_SURFACE] = key_surface,
    [KL_KEY_LIST] = key_list,         [KL_KEY_REDUCED] = key_reduced};

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
            bool plain = !k->unit || strpbrk(k->unit, "?*|");
            kl_fail(s->diag, KL_E_MODEL, e->place, "%s is missing; give it%s%s (%s)", what,
                    plain ? "" : " in ", plain ? "" : k->unit, k->help);
            if (k->kind == KL_KEY_NUMBER) *(double *)(void *)((char *)data + k->offset) = NAN;
            status = KL_E_MODEL;
            continue;
        }
        bool may_be_absent =
            k->kind == KL_KEY_NUMBER || k->kind == KL_KEY_FUNCTION || k->kind == KL_KEY_TEXT;
        if (!p.node && (*k->fallback || !may_be_absent)) p.node = fallback_node(s, k);
        if (!p.node && *k->fallback) return KL_E_MEMORY;
        kl_status one = readers[k->kind](&p);
        if (one != KL_OK) status = one;
        if (one == KL_E_MEMORY) return one;
    }
    return status;
}

/* Where the keys of `type` are listed. */
static const char *help_page(const char *type)
{
    static const char *const pages[][2] = {{"input", "inputs"},   {"output", "outputs"},
                                           {"part", "parts"},     {"template", "templates"},
                                           {"marker", "markers"}, {"ground", "bodies"}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(pages[i][0], type) == 0) return pages[i][1];
    return type;
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
            const char *near  = kl_nearest(c->key, known);
            const char *quote = *e->name ? "'" : "";
            if (near)
                kl_fail(s->diag, KL_E_NAME, c->key_place,
                        "unknown key `%s` in %s%s%s%s%s; did you mean `%s`?", c->key, type,
                        *quote ? " " : "", quote, e->name, quote, near);
            else
                kl_fail(s->diag, KL_E_NAME, c->key_place,
                        "unknown key `%s` in %s%s%s%s%s; `klingel help %s` lists the keys", c->key,
                        type, *quote ? " " : "", quote, e->name, quote, help_page(type));
        }
}
