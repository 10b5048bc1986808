/* Recursive descent into a small stack program; units are settled on the way and then forgotten.
 *
 * Every operand carries its dimension and, while it is a constant, its value: constants are folded
 * as soon as they meet an operator, so what is left to run is what depends on names.
 */
#include "script/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "script/expression_parts.h"

#define PI 3.14159265358979323846

static void skip_space(compiler *c)
{
    while (is_space(c->text[c->at])) c->at++;
}

/* "a length (m)", "a bare number": an operand for a message. */
static const char *describe(const operand *o, char text[WIDTH])
{
    char        unit[KL_UNIT_TEXT];
    const char *kind = kl_dim_word(o->dim);
    kl_unit_format(o->dim, unit, sizeof unit);
    if (o->bare) return "a bare number";
    if (kl_dim_pure(o->dim)) return "a pure number";
    snprintf(text, WIDTH, "%s (%s)", kind ? kind : "a quantity", unit);
    return text;
}

static kl_status emit(compiler *c, instruction i)
{
    instruction *slot =
        kl_arena_grow(c->arena, (void **)&c->code, c->ncode, &c->cap, sizeof *c->code);
    if (!slot) return KL_E_MEMORY;
    *slot = i;
    c->ncode++;
    return KL_OK;
}

static kl_status emit_constant(compiler *c, double value, operand *o)
{
    o->constant = true;
    o->value    = value;
    o->start    = c->ncode;
    return emit(c, (instruction){.op = OP_CONSTANT, .u.value = value});
}

/* Adds an instruction that uses the values of `o` and of the operands behind it, which are on the stack.
 * If all of them are constants, the program runs now and its result replaces it (constant folding), so
 * `2*pi*r` costs one product at run time. `at` is the place that a message names. */
static kl_status apply(compiler *c, instruction i, operand *o, bool constant, size_t at)
{
    KL_TRY(emit(c, i));
    o->constant = o->constant && constant;
    if (!o->constant) return KL_OK;
    double value = kl_program_run(c->code + o->start, c->ncode - o->start, NULL, NULL);
    if (!isfinite(value))
        return kl_fail(c->diag, KL_E_RANGE, expression_place(c, at), "%s",
                       isnan(value) ? "the value is not a number; check for 0/0 or a function "
                                      "argument outside its range"
                                    : "the value is infinite: it is larger than 1.8e308, or "
                                      "something is divided by zero");
    c->ncode = o->start;
    return emit_constant(c, value, o);
}

/* The common dimension of two operands that are added, compared or chosen from, into `a`. */
static kl_status common_dimension(compiler *c, const char *what, size_t at, operand *a,
                                  const operand *b)
{
    char ta[WIDTH], tb[WIDTH], unit[KL_UNIT_TEXT];
    bool zero_a = a->bare && a->constant && a->value == 0;
    bool zero_b = b->bare && b->constant && b->value == 0;
    if (zero_b) return KL_OK;
    if (zero_a || (a->bare && b->bare)) {
        a->dim  = b->dim;
        a->bare = b->bare;
        return KL_OK;
    }
    if (a->bare || b->bare) {
        const operand *full = a->bare ? b : a;
        if (!kl_dim_pure(full->dim)) {
            kl_unit_format(full->dim, unit, sizeof unit);
            return FAIL(c, at,
                        "cannot apply `%s` to %s and %s; write a unit after the plain number, as "
                        "in `1 %s`, or remove both units",
                        what, describe(a, ta), describe(b, tb), unit);
        }
        a->dim  = full->dim;
        a->bare = false;
        return KL_OK;
    }
    if (kl_dim_fits(a->dim, b->dim)) {
        a->dim = b->dim;
        return KL_OK;
    }
    if (kl_dim_fits(b->dim, a->dim)) return KL_OK;
    const char *hint = kl_dim_hint(b->dim, a->dim);
    return FAIL(c, at, "cannot apply `%s` to %s and %s%s%s", what, describe(a, ta), describe(b, tb),
                hint ? "; " : "", hint ? hint : "");
}

static kl_status require_pure(compiler *c, const char *what, const operand *o)
{
    char text[WIDTH];
    if (o->bare || kl_dim_pure(o->dim)) return KL_OK;
    return FAIL(
        c, o->at,
        "%s needs a number without a unit, got %s; divide it by a reference value of the same unit",
        what, describe(o, text));
}

static kl_status require_angle(compiler *c, const char *what, const operand *o)
{
    char   text[WIDTH];
    kl_dim angle = {.e = {[KL_DIM_ANGLE] = 2}};
    if (o->bare || kl_dim_pure(o->dim) || kl_dim_equal(o->dim, angle)) return KL_OK;
    return FAIL(c, o->at,
                "%s needs an angle or a number without a unit, got %s; divide it by a "
                "reference value of the same unit",
                what, describe(o, text));
}

static kl_status parse_binary(compiler *c, int level, operand *o);
static kl_status parse_unary(compiler *c, operand *o);

/* Bytes of the number that starts here with a digit or a point, or 0. Fortran's exponents stay out,
 * as does all that kl_scan_number takes for a sign or a word. */
static size_t scan_number(const char *text, double *value)
{
    if (!is_digit(text[0]) && (text[0] != '.' || !is_digit(text[1]))) return 0;
    return (size_t)(kl_scan_number(text, text + strspn(text, "0123456789.eE+-"), value) - text);
}

/* The rest of a ratio of two plain numbers, such as the inclination 1:40 = 1/40. It is a pure number and
 * not a bare one, so that `end: 1:40` (meant as minutes and seconds) is refused by its dimension. */
static kl_status parse_ratio(compiler *c, double first, operand *o)
{
    double second;
    size_t at = ++c->at;
    c->at += scan_number(c->text + at, &second);
    if (second == 0.0 || is_name_start(c->text[c->at]))
        return FAIL(c, at,
                    "a ratio such as 1:40 consists of two numbers without units, the second "
                    "one not zero");
    c->ncode = o->start;
    o->bare  = false;
    o->dim   = (kl_dim){{0}};
    return emit_constant(c, first / second, o);
}

static kl_status parse_number(compiler *c, operand *o)
{
    double number, factor = 1;
    size_t used;
    size_t at = c->at;
    c->at += scan_number(c->text + c->at, &number);
    if (!isfinite(number))
        return FAIL(c, at, "this number is too large; the largest is about 1.8e308");

    o->bare = false;
    switch (kl_unit_scan(c->text + c->at, &used, &factor, &o->dim)) {
    case KL_UNIT_NONE: o->bare = true; break;
    case KL_UNIT_FOUND: c->at += used; break;
    case KL_UNIT_AMBIGUOUS:
        return FAIL(c, c->at + used,
                    "a product after `/` is ambiguous; write brackets as in `J/(kg K)`, or put the "
                    "divisor last");
    case KL_UNIT_POWER:
        return FAIL(c, c->at + used,
                    "a unit has a power such as m2, s^-1 or m^1.5 (at most 63); to raise a whole "
                    "quantity write (3 m)^2");
    }
    KL_TRY(emit_constant(c, number * factor, o));
    if (!isfinite(o->value))
        return FAIL(c, at, "this number is too large; the largest is about 1.8e308");

    if (o->bare && c->text[c->at] == ':' && is_digit(c->text[c->at + 1]))
        return parse_ratio(c, number, o);

    // what follows directly must not be another value
    skip_space(c);
    char next = c->text[c->at];
    if (next == '^' && !o->bare)
        return FAIL(c, c->at, "to raise a whole quantity write (3 m)^2, for a square metre m2");
    if (next == '%' || is_name_start(next)) {
        char name[LONGEST_NAME + 1];
        word w = expression_word(c);
        if (expression_copy_word(&w, 0, name) && expression_is_keyword(name)) return KL_OK;
        if (next == '%') return FAIL(c, c->at, "unexpected second unit; write `*` between factors");
        return expression_misplaced_word(c, true);
    }
    return KL_OK;
}

static kl_status argument_count(compiler *c, const function *f, size_t at, int n)
{
    static const struct {
        int         least, most;
        const char *text;
    } wants[] = {
        [RULE_SAME] = {1, 1, "one"}, [RULE_ROOT] = {1, 1, "one"},
        [RULE_PURE] = {1, 1, "one"}, [RULE_WHOLE] = {1, 1, "one"},
        [RULE_TURN] = {1, 1, "one"}, [RULE_ARC] = {1, 1, "one"},
        [RULE_ANY] = {1, 1, "one"},  [RULE_ALIKE] = {2, 10000, "two or more"},
        [RULE_TWO] = {2, 2, "two"},  [RULE_BEARING] = {2, 2, "two"},
        [RULE_IF] = {3, 3, "three"}, [RULE_UNWRAP] = {1, 1, "one"},
    };
    if (n >= wants[f->rule].least && n <= wants[f->rule].most) return KL_OK;
    return FAIL(c, at, "%s() takes %s value%s, not %d", f->name, wants[f->rule].text,
                wants[f->rule].most == 1 ? "" : "s", n);
}

/* One value in: checks it and applies the function. */
static kl_status call_one(compiler *c, const function *f, size_t at, operand *o)
{
    char        name[16], text[WIDTH];
    instruction i = {.op = OP_CALL1, .u.call1 = f->call1};
    snprintf(name, sizeof name, "%s()", f->name);
    switch (f->rule) {
    case RULE_ROOT:
        if (!o->bare && !kl_dim_power(o->dim, 0.5, &o->dim))
            return FAIL(c, o->at,
                        "the square root of %s has no unit; take the root of a quantity such as m2",
                        describe(o, text));
        break;
    case RULE_PURE:
    case RULE_ARC:
    case RULE_WHOLE:
        KL_TRY(require_pure(c, name, o));
        if (f->rule == RULE_PURE) o->bare = true;
        if (f->rule == RULE_ARC) o->bare = false, o->dim.e[KL_DIM_ANGLE] = 2;
        break;
    case RULE_TURN:
        KL_TRY(require_angle(c, name, o));
        o->bare = true;
        break;
    case RULE_ANY: o->bare = true; break;
    case RULE_UNWRAP:
        KL_TRY(require_angle(c, name, o));
        if (o->constant) return KL_OK;
        i = (instruction){.op = OP_UNWRAP, .index = c->nmemory};
        c->nmemory += KL_UNWRAP_SIZE;
        break;
    default: break;
    }
    if (o->bare) o->dim = (kl_dim){{0}};
    return apply(c, i, o, true, at);
}

/* Another value for a function that works on pairs. */
static kl_status call_two(compiler *c, const function *f, operand *o, const operand *next)
{
    char name[16];
    snprintf(name, sizeof name, "%s()", f->name);
    KL_TRY(common_dimension(c, name, next->at, o, next));
    if (f->rule == RULE_BEARING) {
        o->dim  = (kl_dim){.e = {[KL_DIM_ANGLE] = 2}};
        o->bare = false;
    }
    return apply(c, (instruction){.op = OP_CALL2, .u.call2 = f->call2}, o, next->constant,
                 next->at);
}

/* if(condition, a, b): all three are on the stack. */
static kl_status call_if(compiler *c, size_t at, operand *o, const operand arg[3])
{
    operand chosen = arg[1];
    KL_TRY(require_pure(c, "the condition of if()", &arg[0]));
    KL_TRY(common_dimension(c, "if()", arg[2].at, &chosen, &arg[2]));
    *o      = arg[0];
    o->dim  = chosen.dim;
    o->bare = chosen.bare;
    return apply(c, (instruction){.op = OP_IF}, o, arg[1].constant && arg[2].constant, at);
}

static kl_status parse_call(compiler *c, const function *f, size_t at, operand *o)
{
    operand arg[3];
    int     n      = 0;
    bool    paired = f->call2 != NULL;
    c->at++;    // the bracket
    skip_space(c);
    while (c->text[c->at] != ')') {
        operand *next = &arg[n < 3 ? n : 2];
        KL_TRY(parse_binary(c, LEVEL_OR, next));
        n++;
        if (paired && n == 1) *o = *next;
        if (paired && n > 1) KL_TRY(call_two(c, f, o, next));
        if (c->text[c->at] == ',') {
            c->at++;
            skip_space(c);
            if (c->text[c->at] == ')') return FAIL(c, c->at, "a value is missing after `,`");
        } else if (c->text[c->at] != ')') {
            return FAIL(c, c->at, "`,` or `)` is missing in %s(...)", f->name);
        }
    }
    KL_TRY(argument_count(c, f, at, n));
    c->at++;
    o->at = at;
    if (paired) return KL_OK;
    if (f->rule == RULE_IF) KL_TRY(call_if(c, at, o, arg));
    else {
        *o = arg[0];
        KL_TRY(call_one(c, f, at, o));
    }
    o->at = at;
    return KL_OK;
}

static kl_status parse_word(compiler *c, operand *o)
{
    word   w = expression_word(c);
    char   name[LONGEST_NAME + 1];
    size_t at = c->at, used = 0;
    int    index;

    // a name of the model first: it may hide a constant, and a function is known by its bracket
    if (expression_find_name(c, &w, name, o, &index, &used)) {
        size_t end = at + used;
        while (is_space(c->text[end])) end++;
        if (c->text[end] != '(') {
            c->at    = at + used;
            o->at    = at;
            o->start = c->ncode;
            return emit(c, (instruction){.op = OP_SYMBOL, .index = index});
        }
    }
    size_t end = at + w.length[0];
    while (is_space(c->text[end])) end++;
    if (c->text[end] == '(' && expression_copy_word(&w, 0, name)) {
        const function *f = expression_function(name);
        if (f) {
            c->at = end;
            return parse_call(c, f, at, o);
        }
        if (used) return FAIL(c, end, "`%s` is not a function; write `*` for a product", name);
        return expression_unknown_function(c, name);
    }
    bool pi  = w.length[0] == 2 && memcmp(w.start, "pi", 2) == 0;
    bool tau = w.length[0] == 3 && memcmp(w.start, "tau", 3) == 0;
    if (!pi && !tau) return expression_unknown_name(c, &w);
    c->at += w.length[0];
    *o = (operand){.bare = true, .at = at};
    return emit_constant(c, pi ? PI : 2 * PI, o);
}

static kl_status parse_primary(compiler *c, operand *o)
{
    char ch = c->text[c->at];
    *o      = (operand){.at = c->at};
    if (is_digit(ch) || (ch == '.' && is_digit(c->text[c->at + 1]))) return parse_number(c, o);
    if (is_name_start(ch)) return parse_word(c, o);
    if (ch != '(') return expression_missing_value(c);

    size_t open = c->at++;
    KL_TRY(parse_binary(c, LEVEL_OR, o));
    if (c->text[c->at] != ')') {
        if (c->text[c->at] == '\0') return FAIL(c, open, "this `(` has no matching `)`; add one");
        return FAIL(c, c->at, "`)` is missing here");
    }
    c->at++;
    o->at = open;
    return KL_OK;
}

/* base ^ exponent; a base with a unit needs a constant exponent, for the unit to be known. */
static kl_status power(compiler *c, size_t at, operand *base, const operand *exponent)
{
    char text[WIDTH];
    KL_TRY(require_pure(c, "an exponent", exponent));
    if (!base->bare && !kl_dim_pure(base->dim)) {
        if (!exponent->constant)
            return FAIL(c, exponent->at, "%s can only be raised to a constant",
                        describe(base, text));
        kl_dim raised;
        if (!kl_dim_power(base->dim, exponent->value, &raised))
            return FAIL(c, exponent->at,
                        "%s to the power %g has no unit; powers of units are multiples of one half",
                        describe(base, text), exponent->value);
        base->dim = raised;
    }
    return apply(c, (instruction){.op = OP_CALL2, .u.call2 = pow}, base, exponent->constant, at);
}

static kl_status parse_power(compiler *c, operand *o)
{
    KL_TRY(parse_primary(c, o));
    skip_space(c);
    if (c->text[c->at] != '^') return KL_OK;
    size_t  at = c->at++;
    operand exponent;
    KL_TRY(parse_unary(c, &exponent));    // so that x^-2 reads and 2^3^2 is 2^9
    return power(c, at, o, &exponent);
}

static bool at_not(const compiler *c)
{
    return strncmp(c->text + c->at, "not", 3) == 0 && !is_name(c->text[c->at + 3]);
}

/* A sign or `not` in front; every way down the grammar passes here, so depth is counted here. */
static kl_status parse_unary(compiler *c, operand *o)
{
    skip_space(c);
    if (c->depth >= DEEPEST)
        return FAIL(c, c->at,
                    "brackets are nested more than %d levels deep; define parts of the expression "
                    "as parameters",
                    DEEPEST);
    c->depth++;
    size_t    at     = c->at;
    kl_status status = KL_OK;
    if (c->text[c->at] == '-' || c->text[c->at] == '+') {
        bool minus = c->text[c->at++] == '-';
        status     = parse_unary(c, o);
        if (!status && minus) status = apply(c, (instruction){.op = OP_NEGATE}, o, true, at);
        o->at = at;
    } else if (at_not(c)) {
        c->at += 3;
        status = parse_binary(c, LEVEL_COMPARE, o);
        if (!status) status = require_pure(c, "not", o);
        o->bare = true;
        if (!status)
            status =
                apply(c, (instruction){.op = OP_CALL1, .u.call1 = expression_not}, o, true, at);
        o->at = at;
    } else {
        status = parse_power(c, o);
    }
    c->depth--;
    return status;
}

static kl_status combine(compiler *c, const operation *op, size_t at, operand *a, const operand *b)
{
    instruction i = {.op = op->op, .u.call2 = op->call2};
    switch (op->meaning) {
    case MEANS_SUM: KL_TRY(common_dimension(c, op->sign, at, a, b)); break;
    case MEANS_COMPARISON:
        KL_TRY(common_dimension(c, op->sign, at, a, b));
        a->bare = true;
        break;
    case MEANS_LOGIC:
        KL_TRY(require_pure(c, op->sign, a));
        KL_TRY(require_pure(c, op->sign, b));
        a->bare = true;
        break;
    case MEANS_PRODUCT:
        if (!kl_dim_combine(a->dim, b->dim, op->op == OP_MULTIPLY ? 1 : -1, &a->dim))
            return FAIL(c, at, "the power of a unit exceeds 63; check the exponents");
        a->bare = a->bare && b->bare;
        break;
    }
    if (a->bare) a->dim = (kl_dim){{0}};
    return apply(c, i, a, b->constant, at);
}

static kl_status parse_binary(compiler *c, int level, operand *o)
{
    KL_TRY(parse_unary(c, o));
    for (;;) {
        skip_space(c);
        const operation *op = expression_operation(c->text + c->at);
        if (!op || op->level < level) return KL_OK;
        size_t at = c->at;
        c->at += strlen(op->sign);
        operand right;
        KL_TRY(parse_binary(c, op->level + 1, &right));
        KL_TRY(combine(c, op, at, o, &right));
        const operation *next =
            op->meaning == MEANS_COMPARISON ? expression_operation(c->text + c->at) : NULL;
        if (next && next->meaning == MEANS_COMPARISON)
            return FAIL(c, c->at, "comparisons cannot be chained; write `a < b and b < c`");
    }
}

/* Which symbols the program reads, each once, in order. */
static kl_status collect_symbols(kl_arena *arena, kl_expression *e)
{
    e->symbols = kl_arena_array(arena, int, e->ncode);
    if (!e->symbols) return KL_E_MEMORY;
    for (int i = 0; i < e->ncode; i++) {
        if (e->code[i].op != OP_SYMBOL) continue;
        int k = 0;
        while (k < e->nsymbol && e->symbols[k] != e->code[i].index) k++;
        if (k == e->nsymbol) e->symbols[e->nsymbol++] = e->code[i].index;
    }
    return KL_OK;
}

static kl_status compile(compiler *c, kl_expression **out)
{
    operand o;
    if (memchr(c->text, '\0', LONGEST_TEXT + 1) == NULL)
        return FAIL(c, 0,
                    "the expression is longer than %d bytes; define parts of it as parameters",
                    LONGEST_TEXT);
    KL_TRY(parse_binary(c, LEVEL_OR, &o));
    if (c->text[c->at] != '\0') return expression_trailing(c);
    if (kl_program_stack(c->code, c->ncode) > KL_MOST_STACK)
        return FAIL(c, 0, "the expression is nested too deeply; define parts of it as parameters");

    kl_expression *e = kl_arena_take(c->arena, sizeof *e);
    if (!e) return KL_E_MEMORY;
    *e = (kl_expression){
        .code = c->code, .ncode = c->ncode, .nmemory = c->nmemory, .dim = o.dim, .bare = o.bare};
    KL_TRY(collect_symbols(c->arena, e));
    *out = e;
    return KL_OK;
}

kl_status kl_expression_compile(const char *text, kl_place place, const kl_symbols *symbols,
                                kl_arena *arena, kl_diag *diag, kl_expression **out)
{
    compiler  c = {.text = text, .place = place, .symbols = symbols, .arena = arena, .diag = diag};
    kl_status status = compile(&c, out);
    if (status == KL_E_MEMORY) kl_fail(diag, status, place, "out of memory");
    return status;
}

double kl_expression_eval(const kl_expression *e, const double *values, double *memory)
{
    return kl_program_run(e->code, e->ncode, values, memory);
}

kl_dim kl_expression_dim(const kl_expression *e) { return e->dim; }
bool   kl_expression_bare(const kl_expression *e) { return e->bare; }
int    kl_expression_nmemory(const kl_expression *e) { return e->nmemory; }
bool   kl_expression_constant(const kl_expression *e) { return e->nsymbol == 0; }

int kl_expression_symbols(const kl_expression *e, int *index, int capacity)
{
    for (int i = 0; i < e->nsymbol && i < capacity; i++) index[i] = e->symbols[i];
    return e->nsymbol;
}

/* The common case, a sign and a literal, needs no compiler. False: let the compiler look at it. */
static bool plain_number(const char *text, kl_quantity *out)
{
    bool        negative = false;
    size_t      used;
    kl_quantity q      = {.bare = true};
    double      factor = 1;
    while (is_space(*text)) text++;
    if (*text == '-' || *text == '+') negative = *text++ == '-';
    used = scan_number(text, &q.value);
    if (used == 0) return false;
    text += used;
    while (is_space(*text)) text++;
    if (*text != '\0') {
        if (kl_unit_scan(text, &used, &factor, &q.dim) != KL_UNIT_FOUND) return false;
        q.bare = false;
        text += used;
        while (is_space(*text)) text++;
        if (*text != '\0') return false;
    }
    q.value *= negative ? -factor : factor;
    if (!isfinite(q.value)) return false;
    *out = q;
    return true;
}

kl_status kl_expression_number(const char *text, kl_place place, const kl_symbols *symbols,
                               const double *values, kl_diag *diag, kl_quantity *out)
{
    if (plain_number(text, out)) return KL_OK;
    kl_arena      *arena  = kl_arena_create();
    kl_expression *e      = NULL;
    kl_status      status = kl_expression_compile(text, place, symbols, arena, diag, &e);
    if (status == KL_OK) {
        kl_quantity q = {kl_expression_eval(e, values, NULL), e->dim, e->bare};
        if (isfinite(q.value)) *out = q;
        else
            status = kl_fail(diag, KL_E_NAN, place,
                             "`%.200s` gives %s, not a finite number; check for a division by zero "
                             "or a function outside its range",
                             text, isnan(q.value) ? "nan" : "infinity");
    }
    kl_arena_destroy(arena);
    return status;
}
