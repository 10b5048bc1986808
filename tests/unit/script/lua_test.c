/* The sandbox: pure functions of numbers, stopped within a second whatever they do. */
#include "script/lua.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "unit/test.h"

static const char *const xt[] = {"x", "t", NULL};

/* Compiles and calls with x = 2, t = 3; the first message in `why`. */
static kl_status run(const char *text, const char *const *result, double *y, char why[600])
{
    static const char *const constant[] = {"k", NULL};
    static const double      value[]    = {10.0};
    kl_lua                  *pool       = kl_lua_create();
    kl_diag                 *diag       = kl_diag_create();
    kl_lua_code              c          = {.text     = text,
                                           .object   = "force 'f'",
                                           .place    = {"m.yaml", 7, 3},
                                           .argument = xt,
                                           .result   = result,
                                           .constant = constant,
                                           .value    = value};
    double                   in[]       = {2.0, 3.0};
    int                      f          = kl_lua_compile(pool, &c, diag);
    kl_status                s          = f < 0 ? KL_E_MODEL : kl_lua_call(pool, f, in, y);
    const char *text1 = kl_diag_size(diag) ? kl_diag_at(diag, 0)->text : kl_lua_failure(pool);
    snprintf(why, 600, "%s", text1 ? text1 : "");
    kl_diag_destroy(diag);
    kl_lua_destroy(pool);
    return s;
}

static void assert_value(const char *text, double want)
{
    double y;
    char   why[600];
    if (run(text, NULL, &y, why) != KL_OK) fail_msg("%s: %s", text, why);
    assert_close(y, want, 1e-12);
}

static void assert_stopped(const char *text, const char *message)
{
    double  y;
    char    why[600];
    clock_t start = clock();
    if (run(text, NULL, &y, why) == KL_OK) fail_msg("%s was not stopped", text);
    if (!strstr(why, message)) fail_msg("%s: wanted '%s', got '%s'", text, message, why);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 1.0);
}

static void expressions_and_statements_give_numbers(void **unused)
{
    (void)unused;
    assert_value("x*t + k", 16.0);
    assert_value("return x", 2.0);
    assert_value("if x > 1 then return math.sqrt(4*x*x) else return 0 end", 4.0);
    assert_value("local s = 0 for i = 1, 10 do s = s + i end return s", 55.0);
    assert_value("sin(0) + max(1, 2) + pi - math.pi", 2.0);
    assert_value("local a = {1, 2, 3} return a[2] + #a", 5.0);
    assert_value("local function f(n) return n < 2 and 1 or n*f(n - 1) end return f(5)", 120.0);
}

static void several_results_are_set_by_name(void **unused)
{
    (void)unused;
    static const char *const result[] = {"F", "e_dot", NULL};
    double                   y[2];
    char                     why[600];
    assert_int_equal(run("F = -k*x\ne_dot = t", result, y, why), KL_OK);
    assert_close(y[0], -20.0, 0.0);
    assert_close(y[1], 3.0, 0.0);
    assert_int_equal(run("F = 1", result, y, why), KL_E_MODEL);
    assert_non_null(strstr(why, "result 2 is nil"));
    assert_int_equal(run("F = 1\n\nG = 2", result, y, why), KL_E_MODEL);
    assert_string_equal(why, "m.yaml:9:1: force 'f': Lua: 'G' is not a variable of this function; "
                             "write `local G = ...`");
}

static void nothing_survives_a_call(void **unused)
{
    (void)unused;
    assert_stopped("count = 1 return 1", "'count' is not a variable");
    assert_stopped("math.memory = 1 return 1", "'memory' is not a variable");
    assert_stopped("math.sin = 1 return 1", "'sin' is not a variable");
    assert_stopped("_ENV.x = 1 return 1", "'x' is not a variable");
}

static void whatever_never_ends_is_stopped(void **unused)
{
    (void)unused;
    assert_stopped("while true do end", "more than 1000000 instructions");
    assert_stopped("::a:: goto a", "more than 1000000 instructions");
    assert_stopped("for i = 1, 1e300 do end return 1", "more than 1000000 instructions");
    assert_stopped("repeat until false", "more than 1000000 instructions");
    assert_stopped("local function f(n) return 1 + f(n) end return f(1)", "Lua: ");
    assert_stopped("local function f(n) return f(n) end return f(1)", "instructions");
}

static void whatever_grows_without_end_is_stopped(void **unused)
{
    (void)unused;
    assert_stopped("local s = 'x' while true do s = s .. s end", "needs more than 8 MB");
    assert_stopped("local a = {} local i = 0 while true do i = i + 1 a[i] = {i} end", "Lua: ");
    assert_stopped("local a = {} while true do a = {a} end", "Lua: ");
    assert_stopped("return ('x'):rep(1e9)", "Lua: ");
}

static void there_is_no_way_out(void **unused)
{
    (void)unused;
    static const char *const names[] = {
        "pcall",  "load",           "loadstring", "dofile",  "require",      "io",
        "os",     "string",         "coroutine",  "debug",   "setmetatable", "getmetatable",
        "rawset", "collectgarbage", "print",      "package", "_G",           "tostring",
        "select", "next",           "error",      "table",   "utf8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[100], want[60];
        snprintf(text, sizeof text, "local a = %s return 1", names[i]);
        snprintf(want, sizeof want, "there is no name '%s' here", names[i]);
        assert_stopped(text, want);
    }
    assert_stopped("return math.random()", "there is no name 'random' here");
    assert_stopped("return string.rep('x', 1e9)", "there is no name 'string' here");
    assert_stopped("return ('x').rep", "Lua: ");
    assert_stopped("\x1bLua", "m.yaml:7:3: force 'f': Lua: "); /* no compiled code */
}

static void mistakes_are_told_with_their_line(void **unused)
{
    (void)unused;
    assert_stopped("local a = 1\nlocal b = = 2\nreturn a", "m.yaml:8:1: force 'f': Lua: ");
    assert_stopped("local a = 1\n\nreturn a + nix",
                   "m.yaml:9:1: force 'f': Lua: there is no name 'nix'");
    assert_stopped("return 'five'", "the result has the type string, expected a number");
    assert_stopped("return {}", "the result has the type table, expected a number");
    assert_stopped("return", "the result has the type nil, expected a number");
    char deep[3000];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_stopped(deep, "Lua: ");
    /* few instructions, each on megabytes */
    assert_stopped("local s = 'xxxxxxxxxxxxxxxx' for i = 1, 17 do s = s..s end "
                   "for i = 1, 300000 do local q = s..'x' end return 1",
                   "one call took more than");
    assert_stopped("local s = 'xxxxxxxxxxxxxxxx' for i = 1, 17 do s = s..s end local q = s..'' "
                   "local n = 0 for i = 1, 400000 do if s < q then n = n + 1 end end return n",
                   "one call took more than");
}

static void after_a_failure_the_pool_works_on(void **unused)
{
    (void)unused;
    kl_lua     *pool = kl_lua_create();
    kl_lua_code c    = {
           .text = "if x > 0 then while true do end end return x", .object = "f", .argument = xt};
    int    f     = kl_lua_compile(pool, &c, NULL);
    double bad[] = {1, 0}, good[] = {-1, 0}, y;
    assert_true(f >= 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(kl_lua_call(pool, f, bad, &y), KL_E_MODEL);
        assert_true(isnan(y));
        assert_int_equal(kl_lua_call(pool, f, good, &y), KL_OK);
        assert_close(y, -1.0, 0.0);
    }
    /* one that is refused is in nobody's way */
    c.text = "=k";
    assert_true(kl_lua_compile(pool, &c, NULL) < 0);
    /* a function that comes later is known to a state that is already there */
    c.text = "x + 1";
    int g  = kl_lua_compile(pool, &c, NULL);
    assert_int_equal(kl_lua_call(pool, g, good, &y), KL_OK);
    assert_close(y, 0.0, 0.0);
    kl_lua_destroy(pool);
}

static void derivatives_of_a_function_of_one_variable_are_close(void **unused)
{
    (void)unused;
    static const char *const one[] = {"t", NULL};
    kl_arena                *a     = kl_arena_create();
    kl_lua                  *pool  = kl_lua_create();
    kl_lua_code              c     = {.text = "sin(3*t) + t^3", .object = "f", .argument = one};
    kl_function             *f     = kl_function_lua(a, pool, kl_lua_compile(pool, &c, NULL));
    for (double t = -2; t < 2; t += 0.37) {
        double y[3];
        kl_function_eval(f, t, NULL, y);
        assert_close(y[0], sin(3 * t) + t * t * t, 1e-14);
        assert_close(y[1], 3 * cos(3 * t) + 3 * t * t, 1e-9);
        assert_close(y[2], -9 * sin(3 * t) + 6 * t, 1e-7);
    }
    kl_lua_destroy(pool);
    kl_arena_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_and_statements_give_numbers),
        cmocka_unit_test(several_results_are_set_by_name),
        cmocka_unit_test(nothing_survives_a_call),
        cmocka_unit_test(whatever_never_ends_is_stopped),
        cmocka_unit_test(whatever_grows_without_end_is_stopped),
        cmocka_unit_test(there_is_no_way_out),
        cmocka_unit_test(mistakes_are_told_with_their_line),
        cmocka_unit_test(after_a_failure_the_pool_works_on),
        cmocka_unit_test(derivatives_of_a_function_of_one_variable_are_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
