/* Names in expressions, and messages about text that is no expression: which mistake was probably
 * made, and what to write instead.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "script/expression_parts.h"

/* Where byte `at` of the text is in the file; columns count characters, not bytes. */
kl_place expression_place(const compiler *c, size_t at)
{
    kl_place p = c->place;
    for (size_t i = 0; i < at; i++)
        if (((unsigned char)c->text[i] & 0xc0) != 0x80) p.column++;
    return p;
}

word expression_word(const compiler *c)
{
    word   w = {.start = c->text + c->at};
    size_t n = 0;
    for (;;) {
        while (is_name(w.start[n])) n++;
        w.length[w.n++] = n;
        bool more       = w.start[n] == '-' && is_name(w.start[n + 1]) && w.start[n + 1] != '.';
        if (!more || w.n == (int)(sizeof w.length / sizeof *w.length)) return w;
        n++;
    }
}

bool expression_copy_word(const word *w, int i, char name[LONGEST_NAME + 1])
{
    if (w->length[i] > LONGEST_NAME) return false;
    memcpy(name, w->start, w->length[i]);
    name[w->length[i]] = '\0';
    return true;
}

/* The longest known name at this word. */
bool expression_find_name(const compiler *c, const word *w, char name[LONGEST_NAME + 1], operand *o,
                          int *index, size_t *used)
{
    for (int i = w->n - 1; i >= 0 && c->symbols && c->symbols->find; i--) {
        if (!expression_copy_word(w, i, name)) continue;
        *o     = (operand){0};
        *index = -1;
        if (!c->symbols->find(c->symbols->context, name, index, &o->dim, &o->bare)) continue;
        *used = w->length[i];
        if (o->bare) o->dim = (kl_dim){{0}};
        return true;
    }
    return false;
}

bool expression_is_keyword(const char *name)
{
    return strcmp(name, "and") == 0 || strcmp(name, "or") == 0 || strcmp(name, "not") == 0;
}

/* Suggestions for words of one letter would be any letter. */
static const char *nearest(const char *name, const char *const *list)
{
    return list && strlen(name) > 1 ? kl_nearest(name, list) : NULL;
}

/* Expressions over channels know the time by its full name `time`, functions of time as `t`. */
static bool knows(const compiler *c, const char *name)
{
    int    index;
    kl_dim dim;
    bool   bare;
    return c->symbols && c->symbols->find &&
           c->symbols->find(c->symbols->context, name, &index, &dim, &bare);
}

static bool listed(const char *name, const char *const *list)
{
    for (int i = 0; list && list[i]; i++)
        if (strcmp(list[i], name) == 0) return true;
    return false;
}

/* An unknown name: suggest the nearest known one. */
kl_status expression_unknown_name(compiler *c, const word *w)
{
    const char *const *list =
        c->symbols && c->symbols->names ? c->symbols->names(c->symbols->context) : NULL;
    char name[LONGEST_NAME + 1];
    bool unit = expression_copy_word(w, 0, name) && kl_unit_parse(name, NULL, NULL);
    if (strcmp(name, "t") == 0 && knows(c, "time"))
        return kl_fail(c->diag, KL_E_NAME, expression_place(c, c->at),
                       "there is no channel `t`; did you mean `time`?");
    if (strcmp(name, "time") == 0 && listed("t", list))
        return kl_fail(c->diag, KL_E_NAME, expression_place(c, c->at),
                       "unknown name `time`; in a function the time is `t`");
    for (int i = w->n - 1; i >= 0; i--) {
        const char *near = expression_copy_word(w, i, name) ? nearest(name, list) : NULL;
        if (near)
            return kl_fail(c->diag, KL_E_NAME, expression_place(c, c->at),
                           "unknown name `%s`; did you mean `%s`?%s", name, near,
                           unit ? " (Write a unit directly after a number, as in `3 N/m`.)" : "");
    }
    if (!expression_copy_word(w, 0, name))
        return FAIL(c, c->at, "the name is longer than %d bytes; use a shorter name", LONGEST_NAME);
    if (unit)
        return kl_fail(
            c->diag, KL_E_NAME, expression_place(c, c->at),
            "unknown name `%s`; if it is a unit, write it directly after a number and without "
            "spaces around `/`, as in `3 N/m`; otherwise define it under `parameters:`",
            name);
    if (strcmp(name, "inf") == 0 || strcmp(name, "nan") == 0)
        return kl_fail(c->diag, KL_E_NAME, expression_place(c, c->at),
                       "`%s` is not a number; give a finite number", name);
    const char *near = nearest(name, kl_expression_functions());
    if (near)
        return kl_fail(c->diag, KL_E_NAME, expression_place(c, c->at),
                       strcmp(name, near) ? "unknown name `%s`; did you mean the function %s(...)?"
                                          : "`%s` is a function; write %s(...)",
                       name, near);
    if (knows(c, "time"))
        return kl_fail(c->diag, KL_E_NAME, expression_place(c, c->at),
                       "there is no channel or output `%s` above this entry; list an output before "
                       "the outputs that use it, or define a parameter `%s`",
                       name, name);
    if (listed("t", list))
        return kl_fail(
            c->diag, KL_E_NAME, expression_place(c, c->at),
            "unknown name `%s`; a function knows the time `t` and the parameters: define "
            "`%s` under `parameters:`",
            name, name);
    return kl_fail(c->diag, KL_E_NAME, expression_place(c, c->at),
                   "unknown name `%s`; define it under `parameters:`", name);
}

/* A product of units written in one word, as in `Nm`: the bytes of the first unit, else 0. */
static size_t joined_units(const char *name)
{
    static const char *const last[] = {"m", "mm", "m2", "s", NULL};
    char                     first[LONGEST_NAME + 1];
    for (int i = 0; last[i]; i++) {
        size_t n = strlen(name), m = strlen(last[i]);
        if (n <= m || strcmp(name + n - m, last[i]) != 0) continue;
        memcpy(first, name, n - m);
        first[n - m] = '\0';
        kl_dim a, b;
        if (kl_unit_parse(first, NULL, &a) && kl_unit_parse(last[i], NULL, &b) &&
            !kl_dim_equal(a, b))
            return n - m;
    }
    return 0;
}

/* A word where an operator should stand, perhaps meant as a unit (behind_number). */
kl_status expression_misplaced_word(compiler *c, bool behind_number)
{
    word    w = expression_word(c);
    char    name[LONGEST_NAME + 1];
    operand o;
    int     index;
    size_t  used;
    bool    constant =
        expression_copy_word(&w, 0, name) && (strcmp(name, "pi") == 0 || strcmp(name, "tau") == 0);
    if (constant || expression_find_name(c, &w, name, &o, &index, &used))
        return FAIL(c, c->at, "an operator is missing before `%s`; write `*` for a product", name);
    if (!expression_copy_word(&w, 0, name))
        return FAIL(c, c->at, "the name is longer than %d bytes; use a shorter name", LONGEST_NAME);
    const char *near  = nearest(name, kl_unit_names());
    size_t      split = behind_number ? joined_units(name) : 0;
    if (split)
        return kl_fail(c->diag, KL_E_NAME, expression_place(c, c->at),
                       "unknown unit `%s`; write `%.*s %s`, with a space", name, (int)split, name,
                       name + split);
    if (behind_number)
        return kl_fail(c->diag, KL_E_NAME, expression_place(c, c->at), "unknown unit `%s`%s%s%s",
                       name, near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
    if (kl_unit_parse(name, NULL, NULL))
        return FAIL(c, c->at, "a unit must directly follow a number; here write `*1 %s`", name);
    return FAIL(c, c->at, "an operator is missing before `%s`; write `*` for a product", name);
}

kl_status expression_unknown_function(compiler *c, const char *name)
{
    const char *near = nearest(name, kl_expression_functions());
    for (const char *const *f = kl_expression_functions(); *f; f++) /* "sine", "cosine": not sinh */
        if (strncmp(name, *f, strlen(*f)) == 0 && strlen(*f) > 2) near = *f;
    if (strcmp(name, "ln") == 0) near = "log";
    if (near)
        return kl_fail(c->diag, KL_E_NAME, expression_place(c, c->at),
                       "unknown function `%s`; did you mean `%s`?", name, near);
    return kl_fail(c->diag, KL_E_NAME, expression_place(c, c->at),
                   "unknown function `%s`; there are sin, cos, sqrt, min, max, if and others",
                   name);
}

/* A character that cannot begin a value. */
kl_status expression_missing_value(compiler *c)
{
    char ch = c->text[c->at];
    if (ch == '\0')
        return FAIL(c, c->at,
                    c->at == 0 ? "the value is empty; write a number or an expression"
                               : "the expression is not complete; a value is missing at its end");
    if (ch == '!') return FAIL(c, c->at, "write `not` instead of `!`");
    if (ch == '*' && c->at > 0 && c->text[c->at - 1] == '*')
        return FAIL(c, c->at, "write a power with `^`");
    if ((unsigned char)ch < 0x20 || ch == 0x7f)
        return FAIL(c, c->at, "unexpected control character; expected a value");
    if (strncmp(c->text + c->at, ".nan", 4) == 0 || strncmp(c->text + c->at, ".inf", 4) == 0)
        return FAIL(c, c->at, "`%.4s` is not a number; give a finite number", c->text + c->at);
    return FAIL(c, c->at, "unexpected `%c`; expected a value", ch);
}

/* What is behind the end of a complete expression. */
kl_status expression_trailing(compiler *c)
{
    char ch = c->text[c->at];
    if (is_name_start(ch)) return expression_misplaced_word(c, false);
    if (is_digit(ch) || ch == '.' || ch == '(')
        return FAIL(c, c->at, "an operator is missing here; write `*` for a product");
    if (ch == ')') return FAIL(c, c->at, "this `)` has no matching `(`; remove it");
    if (ch == ',') return FAIL(c, c->at, "unexpected `,`; write decimals with a point, as in 2.5");
    if (ch == '=') return FAIL(c, c->at, "write `==` to compare");
    if (ch == '&' || ch == '|') return FAIL(c, c->at, "combine conditions with `and` or `or`");
    if (ch == '^')
        return FAIL(c, c->at, "a power of a power is ambiguous; write brackets, as in (a^b)^c");
    if ((unsigned char)ch < 0x20 || ch == 0x7f)
        return FAIL(c, c->at, "unexpected control character; remove it");
    return FAIL(c, c->at, "unexpected `%c`; expected an operator or the end of the expression", ch);
}
