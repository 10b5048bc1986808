#include "script/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/test.h"

#define PI 3.14159265358979323846

/* ---- a small model to name things in ---- */

static const struct {
    const char *name, *unit; /* unit NULL: bare */
    double      value;
} things[] = {
    {"L", "m", 0.276},
    {"m", "kg", 1.377},
    {"rear-hinge.angle", "rad", 0.5},
    {"rear", "m", 3},
    {"hinge.angle", "rad", 0.25},
    {"omega", "rad/s", 10},
    {"r", "m", 0.46},
    {"F", "N", 100},
    {"k", NULL, 7},
    {"zero", NULL, 0},
    {"ratio", "", 0.6},
    {"axle-2.x", "m", 2},
    {"l\xc3\xa4nge", "m", 4},
    {"J", "kg m2", 5},
    {"mu", NULL, 0.3},
};
enum { NTHING = sizeof things / sizeof *things };

static bool find(const void *context, const char *name, int *index, kl_dim *dim, bool *bare)
{
    (void)context;
    for (int i = 0; i < NTHING; i++) {
        if (strcmp(things[i].name, name) != 0) continue;
        *index = i;
        *bare  = things[i].unit == NULL;
        *dim   = things[i].unit ? kl_dim_of(things[i].unit) : (kl_dim){{0}};
        return true;
    }
    return false;
}

static const char *const *names(const void *context)
{
    static const char *const list[] = {
        "L", "m", "rear-hinge.angle", "rear", "hinge.angle", "r", "omega", "F", "k", NULL};
    (void)context;
    return list;
}

static const kl_symbols model = {NULL, find, names};

static void fill(double values[NTHING])
{
    for (int i = 0; i < NTHING; i++) values[i] = things[i].value;
}

static kl_quantity number(const char *text)
{
    double      values[NTHING];
    kl_diag    *d = kl_diag_create();
    kl_quantity q = {0};
    fill(values);
    if (kl_expression_number(text, (kl_place){"f", 1, 1}, &model, values, d, &q) != KL_OK)
        fail_msg("`%s`: %s", text, kl_diag_size(d) ? kl_diag_at(d, 0)->text : "no message");
    assert_int_equal(kl_diag_size(d), 0);
    kl_diag_destroy(d);
    return q;
}

/* `unit` NULL: the result is bare. */
static void gives(const char *text, double value, const char *unit)
{
    kl_quantity q = number(text);
    char        have[KL_UNIT_TEXT];
    kl_unit_format(q.dim, have, sizeof have);
    if (!(fabs(q.value - value) <= 1e-14 * fabs(value)))
        fail_msg("`%s` = %.17g, not %.17g", text, q.value, value);
    if (q.bare != (unit == NULL)) fail_msg("`%s` is %sbare", text, q.bare ? "" : "not ");
    if (unit && !kl_dim_equal(q.dim, kl_dim_of(unit)))
        fail_msg("`%s` is in %s, not %s", text, have, unit);
}

static void numbers_carry_units(void **unused)
{
    (void)unused;
    gives("1.22 MN/m", 1.22e6, "N/m");
    gives("70 km/h", 70 / 3.6, "m/s");
    gives("12mm", 0.012, "m");
    gives("-90 deg", -PI / 2, "rad");
    gives("15 kN s/m", 15e3, "N s/m");
    gives("0.5 %", 0.005, "");
    gives("5 1/s", 5, "1/s");
    gives("5 J/(kg K)", 5, "J/kg/K");
    gives("3 N/m^1.5", 3, "N/m^1.5");
    gives("  +3e-2  ", 0.03, NULL);
    gives(".5", 0.5, NULL);
    gives("5.", 5, NULL);
    gives("1.e3 mm", 1, "m");
    gives("3 min", 180, "s");
}

static void a_ratio_is_a_pure_number(void **unused)
{
    (void)unused;
    gives("1:40", 1.0 / 40, "");
    gives("-1:20", -0.05, "");
    gives("2*1:40", 0.05, "");
    gives("1:40 + 0.1", 0.125, "");
}

static void a_word_is_a_unit_only_behind_a_number(void **unused)
{
    (void)unused;
    gives("3 m", 3, "m");
    gives("3*m", 3 * 1.377, "kg");
    gives("3 N/m", 3, "N/m");
    gives("3 N / m", 3 / 1.377, "m/s2");
    gives("3 N/(m)", 3 / 1.377, "m/s2");
    gives("3 N*m", 3 * 1.377, "N kg");
    gives("m*9.81 m/s2", 1.377 * 9.81, "N");
    gives("3 m/L", 3 / 0.276, "");
    gives("1/2 m", 0.5, "1/m");
    gives("3 m^2", 3, "m2");
    gives("(3 m)^2", 9, "m2");
}

static void operators_bind_as_in_mathematics(void **unused)
{
    (void)unused;
    gives("2+3*4^2", 50, NULL);
    gives("-2^2", -4, NULL);
    gives("2^-1", 0.5, NULL);
    gives("2^3^2", 512, NULL);
    gives("8/4/2", 1, NULL);
    gives("8-4-2", 2, NULL);
    gives("2*-3", -6, NULL);
    gives("--3", 3, NULL);
    gives("(1+2)*(3-4)", -3, NULL);
    gives("1 + 1 < 3 and not 2 > 3 or 0", 1, NULL);
    gives("not 1 == 1", 0, NULL);
    gives("3 and 0 or 2", 1, NULL);
    gives("1 != 1", 0, NULL);
    gives("1 <= 1", 1, NULL);
    gives("1/40", 0.025, NULL);
}

static void functions_know_what_they_take_and_give(void **unused)
{
    (void)unused;
    gives("min(3, 2, 1)", 1, NULL);
    gives("max(1 m, 2000 mm)", 2, "m");
    gives("max(0, L)", 0.276, "m");
    gives("abs(-3 N)", 3, "N");
    gives("sqrt(2*9.81 m/s2*L)", sqrt(2 * 9.81 * 0.276), "m/s");
    gives("sqrt(L)*sqrt(L)", 0.276, "m");
    gives("sin(90 deg)*0.5", 0.5, NULL);
    gives("cos(60 deg)", 0.5, NULL);
    gives("tan(45 deg)", 1, NULL);
    gives("sin(L/r)", sin(0.276 / 0.46), NULL);
    gives("asin(0.5)", PI / 6, "rad");
    gives("acos(ratio)", acos(0.6), "rad");
    gives("atan(1) + 45 deg", PI / 2, "rad");
    gives("atan2(L, -r)", atan2(0.276, -0.46), "rad");
    gives("exp(1)", exp(1), NULL);
    gives("log(exp(2))", 2, NULL);
    gives("log10(1000)", 3, NULL);
    gives("sinh(1)", sinh(1), NULL);
    gives("cosh(1)", cosh(1), NULL);
    gives("tanh(1)", tanh(1), NULL);
    gives("floor(-2.5)", -3, NULL);
    gives("ceil(-2.5)", -2, NULL);
    gives("round(2.5)", 3, NULL);
    gives("round(ratio)", 1, "");
    gives("mod(370 deg, 360 deg)", PI / 18, "rad");
    gives("mod(-1, 3)", 2, NULL);
    gives("hypot(3 m, 4 m)", 5, "m");
    gives("sign(-3 N)", -1, NULL);
    gives("step(0 m)", 1, NULL);
    gives("if(L > 0, 3 m, 4 mm)", 3, "m");
    gives("if(k < 3, 1, 2)", 2, NULL);
    gives("unwrap(hinge.angle)", 0.25, "rad");
    gives("pi", PI, NULL);
    gives("tau", 2 * PI, NULL);
    gives("L^1.5/L^0.5", 0.276, "m");
    gives("k^mu", pow(7, 0.3), NULL);
    gives("ratio^k", pow(0.6, 7), "");
    /* the list shown to users is the list there is */
    for (const char *const *f = kl_expression_functions(); *f; f++) {
        char text[64];
        snprintf(text, sizeof text, "%s()", *f);
        kl_diag    *d = kl_diag_create();
        kl_quantity q;
        assert_int_equal(kl_expression_number(text, KL_NOWHERE, NULL, NULL, d, &q), KL_E_SYNTAX);
        assert_non_null(strstr(kl_diag_at(d, 0)->text, "takes"));
        kl_diag_destroy(d);
    }
}

static void names_may_have_dots_and_hyphens(void **unused)
{
    (void)unused;
    gives("rear-hinge.angle - hinge.angle", 0.25, "rad");
    gives("rear-L", 3 - 0.276, "m");
    gives("rear-hinge.angle-hinge.angle", 0.25, "rad");
    gives("axle-2.x-2 mm", 1.998, "m");
    gives("k-2", 5, NULL);
    gives("l\xc3\xa4nge/2", 2, "m");
    gives("k-k-k", -7, NULL);
}

static void rad_is_treated_kindly_in_sums(void **unused)
{
    (void)unused;
    gives("r*omega + 3 m/s", 7.6, "m/s");
    gives("3 m/s - r*omega", -1.6, "m/s");
    gives("J*omega^2 + 1 N m", 501, "N m");
    gives("max(r*omega, 3 m/s)", 4.6, "m/s");
}

static void zero_needs_no_unit_and_bare_adds_to_pure(void **unused)
{
    (void)unused;
    gives("L + 0", 0.276, "m");
    gives("0 + L", 0.276, "m");
    gives("0 - L", -0.276, "m");
    gives("1 + L/r", 1.6, "");
    gives("if(k > 0, 0, 3 N)", 0, "N");
}

/* ---- mistakes ---- */

/* A wrong text, and how its message begins: column and text. */
static const char *const mistakes[][2] = {
    {"5 Nm", "3: unknown unit `Nm`; write `N m`, with a space"},
    {"5 mmm", "3: unknown unit `mmm`"},
    {"3 m + 2", "5: cannot apply `+` to a length (m) and a bare number; write a unit after the "
                "plain number, as in `1 m`, or remove both units"},
    {"L + zero", "3: cannot apply `+` to a length (m) and a bare number"},
    {"L + m", "3: cannot apply `+` to a length (m) and a mass (kg)"},
    {"5 Hz + omega", "6: cannot apply `+` to a frequency (1/s) and an angular velocity "
                     "(rad/s); divide by `1 rev` to count revolutions"},
    {"L > 2", "3: cannot apply `>` to a length (m) and a bare number"},
    {"min(1, 2, 3 m)", "11: cannot apply `min()` to a bare number and a length (m)"},
    {"if(1, L, m)", "10: cannot apply `if()` to a length (m) and a mass (kg)"},
    {"if(L, 1, 2)", "4: the condition of if() needs a number without a unit, got a length (m)"},
    {"sin(L)", "5: sin() needs an angle or a number without a unit, got a length (m)"},
    {"sin(omega)", "5: sin() needs an angle or a number without a unit, got an angular velocity"},
    {"exp(L)", "5: exp() needs a number without a unit, got a length (m)"},
    {"exp(90 deg)", "5: exp() needs a number without a unit, got an angle (rad)"},
    {"floor(2.5 m)", "7: floor() needs a number without a unit"},
    {"2^(3 m)", "3: an exponent needs a number without a unit, got a length (m)"},
    {"L^0.3", "3: a length (m) to the power 0.3 has no unit"},
    {"L^k", "3: a length (m) can only be raised to a constant"},
    {"(1 m)^64", "7: a length (m) to the power 64 has no unit"},
    {"(1 m)^60*(1 m)^60", "9: the power of a unit exceeds 63"},
    {"3 m ^2", "5: to raise a whole quantity write (3 m)^2"},
    {"3 m^k", "4: a unit has a power such as m2"},
    {"5 J/kg K", "8: a product after `/` is ambiguous"},
    {"rear-hing.angle", "6: unknown name `hing.angle`; did you mean `hinge.angle`?"},
    {"rearhinge.angle", "1: unknown name `rearhinge.angle`; did you mean `rear-hinge.angle`?"},
    {"omga", "1: unknown name `omga`; did you mean `omega`?"},
    {"L / s", "5: unknown name `s`; if it is a unit, write it directly after a number"},
    {"foo", "1: unknown name `foo`; define it under `parameters:`"},
    {"inf", "1: `inf` is not a number; give a finite number"},
    {"sqrt", "1: `sqrt` is a function; write sqrt(...)"},
    {"sqr", "1: unknown name `sqr`; did you mean the function sqrt(...)?"},
    {"3 L", "3: an operator is missing before `L`; write `*` for a product"},
    {"L m", "3: an operator is missing before `m`; write `*` for a product"},
    {"L mm", "3: a unit must directly follow a number; here write `*1 mm`"},
    {"3 foo", "3: unknown unit `foo`"},
    {"3 kNm", "3: unknown unit `kNm`; write `kN m`, with a space"},
    {"3 meter", "3: unknown unit `meter`"},
    {"3 (4)", "3: an operator is missing here; write `*` for a product"},
    {"3 4", "3: an operator is missing here; write `*` for a product"},
    {"3,5 m", "2: unexpected `,`; write decimals with a point"},
    {"1/0", "2: the value is infinite: it is larger than 1.8e308, or something is divided by zero"},
    {"log(0)",
     "1: the value is infinite: it is larger than 1.8e308, or something is divided by zero"},
    {"1e400", "1: this number is too large"},
    {"1 < k < 3", "7: comparisons cannot be chained"},
    {"min(1)", "1: min() takes two or more values, not 1"},
    {"sin(1, 2)", "1: sin() takes one value, not 2"},
    {"if(1, 2)", "1: if() takes three values, not 2"},
    {"if(1, 2, 3, 4)", "1: if() takes three values, not 4"},
    {"sin(1,)", "7: a value is missing after `,`"},
    {"sin(1", "6: `,` or `)` is missing in sin(...)"},
    {"sine(3)", "1: unknown function `sine`; did you mean `sin"},
    {"ln(3)", "1: unknown function `ln`; did you mean `log`?"},
    {"k(3)", "2: `k` is not a function; write `*` for a product"},
    {"(3", "1: this `(` has no matching `)`"},
    {"(3 m 4", "6: `)` is missing here"},
    {"3)", "2: this `)` has no matching `(`"},
    {"()", "2: unexpected `)`; expected a value"},
    {"", "1: the value is empty"},
    {"  ", "3: the expression is not complete"},
    {"3 +", "4: the expression is not complete"},
    {"3**2", "3: write a power with `^`"},
    {"k = 3", "3: write `==` to compare"},
    {"k && 3", "3: combine conditions with `and` or `or`"},
    {"!k", "1: write `not` instead of `!`"},
    {"l\xc3\xa4nge + 2", "7: cannot apply `+` to a length (m)"}, /* columns count characters */
    {"3 \x01", "3: unexpected control character"},
    {"1:0", "3: a ratio such as 1:40 consists of two numbers without units"},
    {"1:40m", "3: a ratio such as 1:40"},
    {"1 m:40", "4: unexpected `:`"},
    {"2 s + 1:40", "5: cannot apply `+` to a time (s) and a pure number"},
    {"k ? 1 : 2", "3: unexpected `?`"},
};

static void is_refused(const char *text, const char *message)
{
    double      values[NTHING];
    char        expected[400];
    kl_quantity q = {.value = 17};
    kl_diag    *d = kl_diag_create();
    fill(values);
    kl_status s = kl_expression_number(text, (kl_place){"f", 2, 1}, &model, values, d, &q);
    snprintf(expected, sizeof expected, "f:2:%s", message);
    if (s == KL_OK) fail_msg("`%s` is accepted", text);
    assert_int_equal(kl_diag_size(d), 1);
    if (strncmp(kl_diag_at(d, 0)->text, expected, strlen(expected)) != 0)
        fail_msg("`%s`: %s", text, kl_diag_at(d, 0)->text);
    assert_true(q.value == 17);
    kl_diag_destroy(d);
}

static void mistakes_are_reported_with_place_and_remedy(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        is_refused(mistakes[i][0], mistakes[i][1]);
}

static void a_result_that_is_not_finite_is_refused(void **unused)
{
    (void)unused;
    static const char *const cases[] = {"1/zero", "log(-k)", "zero/zero", "k^k^k^k", "-1/zero"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double      values[NTHING];
        kl_quantity q;
        kl_diag    *d = kl_diag_create();
        fill(values);
        assert_int_equal(kl_expression_number(cases[i], KL_NOWHERE, &model, values, d, &q),
                         KL_E_NAN);
        assert_int_equal(kl_diag_size(d), 1);
        kl_diag_destroy(d);
    }
}

static void length_and_depth_are_capped(void **unused)
{
    (void)unused;
    enum { LONG = 20000 };
    static char text[LONG + 1];
    kl_quantity q;
    double      values[NTHING];
    fill(values);
    memset(text, '(', 300);
    assert_int_equal(kl_expression_number(text, KL_NOWHERE, NULL, NULL, NULL, &q), KL_E_SYNTAX);
    memset(text, '-', LONG);
    assert_int_equal(kl_expression_number(text, KL_NOWHERE, NULL, NULL, NULL, &q), KL_E_SYNTAX);
    text[9000] = '\0';
    assert_int_equal(kl_expression_number(text, KL_NOWHERE, NULL, NULL, NULL, &q), KL_E_SYNTAX);

    // 180 levels, each of which holds two values on the stack, still run
    char *p = text;
    for (int i = 0; i < 90; i++) p += sprintf(p, "k*0+1*max(k,0+1*(");
    p += sprintf(p, "1");
    for (int i = 0; i < 2 * 90; i++) *p++ = ')';
    *p = '\0';
    assert_int_equal(kl_expression_number(text, KL_NOWHERE, &model, values, NULL, &q), KL_OK);
    assert_close(q.value, 7, 0);

    // 10 000 bytes are enough for a sum of 5000 terms
    p = text;
    for (int i = 0; i < 4999; i++) p += sprintf(p, "k+");
    sprintf(p, "k");
    assert_int_equal(kl_expression_number(text, KL_NOWHERE, &model, values, NULL, &q), KL_OK);
    assert_close(q.value, 35000, 0);
}

/* ---- laws ---- */

/* A random expression of bare numbers, written twice (with literals, with names) and computed here
 * as it is written. */
typedef struct made {
    char   literal[4000], named[4000];
    double value;
} made;

static double draw(double low, double high) { return low + (high - low) * rand() / RAND_MAX; }

static void make(int depth, double *values, int *nvalue, made *out)
{
    static const char *const signs[] = {"+", "-", "*", "/", "<", ">="};
    static const char *const calls[] = {"sin", "abs", "exp", "tanh", "floor"};
    double (*const called[])(double) = {sin, fabs, exp, tanh, floor};
    int choice                       = depth == 0 ? 0 : rand() % 4;
    if (choice == 0) {
        out->value      = draw(0, 4);
        values[*nvalue] = out->value;
        sprintf(out->literal, "%.17g", out->value);
        sprintf(out->named, "v%d", (*nvalue)++);
        return;
    }
    made *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    make(depth - 1, values, nvalue, a);
    if (choice == 1) {
        int f = rand() % 5;
        snprintf(out->literal, sizeof out->literal, "%s(%.3900s)", calls[f], a->literal);
        snprintf(out->named, sizeof out->named, "%s(%.3900s)", calls[f], a->named);
        out->value = called[f](a->value);
    } else {
        int op = rand() % 6;
        make(depth - 1, values, nvalue, b);
        snprintf(out->literal, sizeof out->literal, "(%.1900s%s%.1900s)", a->literal, signs[op],
                 b->literal);
        snprintf(out->named, sizeof out->named, "(%.1900s %s %.1900s)", a->named, signs[op],
                 b->named);
        double x = a->value, y = b->value;
        double results[] = {x + y, x - y, x * y, x / y, x < y, x >= y};
        out->value       = results[op];
    }
    free(a);
    free(b);
}

static bool find_v(const void *context, const char *name, int *index, kl_dim *dim, bool *bare)
{
    (void)context;
    if (name[0] != 'v' || strspn(name + 1, "0123456789") != strlen(name + 1)) return false;
    *index = atoi(name + 1);
    *dim   = (kl_dim){{0}};
    *bare  = true;
    return true;
}

static void folded_and_run_and_computed_by_hand_are_the_same_bits(void **unused)
{
    (void)unused;
    const kl_symbols symbols = {NULL, find_v, NULL};
    int              finite  = 0;
    srand(7);
    for (int trial = 0; trial < 3000; trial++) {
        static made    e;
        double         values[64];
        int            n     = 0;
        kl_arena      *arena = kl_arena_create();
        kl_expression *folded, *run;
        make(5, values, &n, &e);
        kl_status s = kl_expression_compile(e.literal, KL_NOWHERE, NULL, arena, NULL, &folded);
        assert_int_equal(kl_expression_compile(e.named, KL_NOWHERE, &symbols, arena, NULL, &run),
                         KL_OK);
        double value = kl_expression_eval(run, values, NULL);
        assert_true(value == e.value || (isnan(value) && isnan(e.value)));
        if (s == KL_OK) assert_true(kl_expression_eval(folded, NULL, NULL) == e.value);
        if (s == KL_OK) assert_true(kl_expression_constant(folded));
        finite += s == KL_OK;
        int index[64];
        assert_int_equal(kl_expression_symbols(run, index, 64), n);
        for (int i = 0; i < n; i++) assert_int_equal(index[i], i);
        kl_arena_destroy(arena);
    }
    assert_true(finite > 2500);
}

/* Writes a random expression of lengths, masses and times, right or wrong. */
static void write_any(int depth, char *out, size_t size)
{
    static const char *const leaves[] = {"a", "b", "c", "d", "e", "f", "2", "0", "0.5"};
    static const char *const shapes[] = {
        "(%.300s + %.300s)",     "(%.300s - %.300s)",         "%.300s*%.300s",
        "%.300s/(%.300s)",       "max(%.300s, %.300s)",       "hypot(%.300s, %.300s)",
        "atan2(%.300s, %.300s)", "if(%.300s > 0, %.300s, 0)", "(%.300s < %.300s)",
    };
    static const char *const ones[] = {"sqrt(abs(%.300s))", "(%.300s)^2",    "-(%.300s)",
                                       "sin(%.300s)",       "exp(%.300s)",   "(%.300s)^-0.5",
                                       "sign(%.300s)",      "floor(%.300s)", "(%.300s)^1.5"};
    char                     a[400], b[400];
    if (depth == 0) {
        snprintf(out, size, "%s", leaves[rand() % 9]);
        return;
    }
    write_any(rand() % depth, a, sizeof a);
    write_any(rand() % depth, b, sizeof b);
    if (rand() % 3 == 0) snprintf(out, size, ones[rand() % 9], a);
    else snprintf(out, size, shapes[rand() % 9], a, b);
}

static const char *const letter_units[] = {"m", "kg", "s", "N", "m/s", "m"};

static bool find_letter(const void *context, const char *name, int *index, kl_dim *dim, bool *bare)
{
    (void)context;
    if (name[0] < 'a' || name[0] > 'f' || name[1] != '\0') return false;
    *index = name[0] - 'a';
    *dim   = kl_dim_of(letter_units[*index]);
    *bare  = false;
    return true;
}

/* Numbers in units of 4^-p times the SI unit: exact in binary, and so are their roots. */
static double scale_of(kl_dim d, const int p[KL_NDIM])
{
    int halves = 0;
    for (int i = 0; i < KL_NDIM; i++) halves += p[i] * d.e[i];
    return ldexp(1, halves);
}

static void what_the_unit_check_accepts_does_not_depend_on_the_units(void **unused)
{
    (void)unused;
    const kl_symbols symbols = {NULL, find_letter, NULL};
    int              checked = 0, refused = 0;
    srand(11);
    for (int trial = 0; trial < 30000; trial++) {
        char           text[400];
        kl_arena      *arena = kl_arena_create();
        kl_expression *e;
        write_any(4, text, sizeof text);
        if (kl_expression_compile(text, KL_NOWHERE, &symbols, arena, NULL, &e) == KL_OK) {
            double    values[6], scaled[6];
            const int p[KL_NDIM] = {1, -2, 3, 0, 0, 0};
            for (int i = 0; i < 6; i++) {
                values[i] = draw(-2, 3);
                scaled[i] = values[i] * scale_of(kl_dim_of(letter_units[i]), p);
            }
            double here  = kl_expression_eval(e, values, NULL);
            double there = kl_expression_eval(e, scaled, NULL);
            double k     = kl_expression_bare(e) ? 1 : scale_of(kl_expression_dim(e), p);
            if (isfinite(here) && isfinite(there) && fabs(here) < 1e100) {
                if (!(fabs(there - k * here) <= 1e-10 * fabs(k * here)))
                    fail_msg("%s: %.17g, scaled %.17g, expected %.17g", text, here, there,
                             k * here);
                checked++;
            }
        } else {
            refused++;
        }
        kl_arena_destroy(arena);
    }
    assert_true(checked > 5000 && refused > 5000);
}

/* functions of x = v0 with the constant v1 */
static const char *const smooth_functions[] = {
    "v0",
    "3",
    "v1*v0^2",
    "sin(3*v0)",
    "cos(v0)/v0",
    "tan(v0/3)",
    "asin(v0/4)",
    "acos(v0/4)",
    "atan(v0)",
    "exp(-v0^2)",
    "log(v0)",
    "log10(1+v0)",
    "sinh(v0)*cosh(v0)",
    "tanh(v0)",
    "sqrt(v0)",
    "abs(1-v0)",
    "v0^v1",
    "v1^v0",
    "v0^v0",
    "v0^0",
    "v0^1",
    "1/(1+v0^2)",
    "hypot(v0, 2*v0^2)",
    "atan2(v0^2, 1-v0)",
    "mod(5*v0, v1)",
    "mod(v1, v0)",
    "min(v0, v1, v0^2)",
    "max(v0, v1)",
    "if(v0 > 1, v0^3, -v0)",
    "floor(v0) + v0",
    "sign(v0-5)*v0",
    "step(v0)*v0^2",
    "unwrap(v0)",
    "-v0*(v0 < 9)",
    "v1-v0",
    "v0+v1",
    "v0-v1",
    "(v0-1)^2*sqrt(v0/v1)",
};

/* (f(x + h) - f(x - h))/(2 h) = f1 + h^2/6 f3: near zero the third derivative f3 of the logarithm is 1e4 */
static void derivatives_agree_with_differences(const char *text, const kl_expression *e, double x)
{
    const double u[] = {1.7}, values[] = {x, u[0]}, h = 1e-5;
    double       at[3], up[3], down[3];
    kl_expression_derivatives(e, x, u, at);
    kl_expression_derivatives(e, x + h, u, up);
    kl_expression_derivatives(e, x - h, u, down);
    double value = kl_expression_eval(e, values, NULL);
    if (at[0] != value) fail_msg("%s: %.17g, %.17g", text, at[0], value);
    for (int k = 1; k < 3; k++) {
        double difference = (up[k - 1] - down[k - 1]) / (2 * h);
        if (!(fabs(at[k] - difference) <= 2e-8 * (1 + fabs(difference)) + 1e-6 * (x < 0.2)))
            fail_msg("derivative %d of %s at %g: %.12g, by differences %.12g", k, text, x, at[k],
                     difference);
    }
}

static void derivatives_are_those_of_the_value(void **unused)
{
    (void)unused;
    const kl_symbols symbols = {NULL, find_v, NULL};
    for (size_t i = 0; i < sizeof smooth_functions / sizeof *smooth_functions; i++) {
        kl_arena      *arena = kl_arena_create();
        kl_expression *e;
        const char    *text = smooth_functions[i];
        assert_int_equal(kl_expression_compile(text, KL_NOWHERE, &symbols, arena, NULL, &e), KL_OK);
        for (double x = 0.137; x < 3; x += 0.391) derivatives_agree_with_differences(text, e, x);
        kl_arena_destroy(arena);
    }
}

static void a_part_that_does_not_move_has_no_slope(void **unused)
{
    (void)unused;
    const kl_symbols symbols = {NULL, find_v, NULL};
    const double     u[]     = {0};
    double           out[3];
    kl_arena        *arena = kl_arena_create();
    kl_expression   *e;
    assert_int_equal(kl_expression_compile("v0*sqrt(v1) + v1^0.5 + (v0-2)^2 + hypot(v1, v1)",
                                           KL_NOWHERE, &symbols, arena, NULL, &e),
                     KL_OK);
    kl_expression_derivatives(e, 2, u, out);
    assert_close(out[0], 0, 0);
    assert_close(out[1], 0, 0);
    assert_close(out[2], 2, 0);
    kl_arena_destroy(arena);
}

static void unwrap_follows_an_angle_through_many_turns(void **unused)
{
    (void)unused;
    kl_arena      *arena = kl_arena_create();
    kl_expression *e;
    double         memory[6] = {0}, values[NTHING] = {0};
    kl_status      s = kl_expression_compile("unwrap(hinge.angle) + 0*unwrap(rear-hinge.angle)",
                                             KL_NOWHERE, &model, arena, NULL, &e);
    assert_int_equal(s, KL_OK);
    assert_int_equal(kl_expression_nmemory(e), 6);
    for (int direction = 1; direction >= -1; direction -= 2) {
        memset(memory, 0, sizeof memory);
        for (int i = 0; i < 2000; i++) {
            double angle = direction * 0.05 * i;
            values[2]    = atan2(sin(3 * angle), cos(3 * angle));
            values[4]    = atan2(sin(angle), cos(angle));
            assert_close(kl_expression_eval(e, values, memory), angle, 1e-11);
        }
    }
    kl_arena_destroy(arena);
}

static bool find_tau(const void *context, const char *name, int *index, kl_dim *dim, bool *bare)
{
    (void)context;
    *index = 0;
    *dim   = kl_dim_of("s");
    *bare  = false;
    return strcmp(name, "tau") == 0;
}

static void a_name_of_the_model_hides_a_constant(void **unused)
{
    (void)unused;
    kl_quantity  q;
    kl_symbols   nothing = {0}, time_constant = {NULL, find_tau, NULL};
    const double value = 3;
    assert_int_equal(kl_expression_number("2*tau", KL_NOWHERE, &time_constant, &value, NULL, &q),
                     KL_OK);
    assert_close(q.value, 6, 0);
    assert_true(kl_dim_equal(q.dim, kl_dim_of("s")));
    assert_int_equal(kl_expression_number("2*tau", KL_NOWHERE, &nothing, NULL, NULL, &q), KL_OK);
    assert_close(q.value, 4 * PI, 1e-15);
    assert_int_equal(kl_expression_number("L", KL_NOWHERE, &nothing, NULL, NULL, &q), KL_E_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_carry_units),
        cmocka_unit_test(a_word_is_a_unit_only_behind_a_number),
        cmocka_unit_test(operators_bind_as_in_mathematics),
        cmocka_unit_test(functions_know_what_they_take_and_give),
        cmocka_unit_test(names_may_have_dots_and_hyphens),
        cmocka_unit_test(rad_is_treated_kindly_in_sums),
        cmocka_unit_test(zero_needs_no_unit_and_bare_adds_to_pure),
        cmocka_unit_test(a_ratio_is_a_pure_number),
        cmocka_unit_test(mistakes_are_reported_with_place_and_remedy),
        cmocka_unit_test(a_result_that_is_not_finite_is_refused),
        cmocka_unit_test(length_and_depth_are_capped),
        cmocka_unit_test(folded_and_run_and_computed_by_hand_are_the_same_bits),
        cmocka_unit_test(what_the_unit_check_accepts_does_not_depend_on_the_units),
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(a_part_that_does_not_move_has_no_slope),
        cmocka_unit_test(unwrap_follows_an_angle_through_many_turns),
        cmocka_unit_test(a_name_of_the_model_hides_a_constant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
