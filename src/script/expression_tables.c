/* The functions and the binary operators of expressions. */
#include <math.h>
#include <string.h>

#include "script/expression_parts.h"

static double f_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
static double f_step(double x) { return x >= 0 ? 1 : x < 0 ? 0 : x; }
static double f_less(double a, double b) { return a < b; }
static double f_less_equal(double a, double b) { return a <= b; }
static double f_greater(double a, double b) { return a > b; }
static double f_greater_equal(double a, double b) { return a >= b; }
static double f_equal(double a, double b) { return a == b; }
static double f_unequal(double a, double b) { return a != b; }
static double f_and(double a, double b) { return a != 0 && b != 0; }
static double f_or(double a, double b) { return a != 0 || b != 0; }
double        expression_not(double a) { return a == 0; }

static const function functions[] = {
    {"abs", RULE_SAME, fabs, NULL},
    {"sqrt", RULE_ROOT, sqrt, NULL},
    {"exp", RULE_PURE, exp, NULL},
    {"log", RULE_PURE, log, NULL},
    {"log10", RULE_PURE, log10, NULL},
    {"sinh", RULE_PURE, sinh, NULL},
    {"cosh", RULE_PURE, cosh, NULL},
    {"tanh", RULE_PURE, tanh, NULL},
    {"floor", RULE_WHOLE, floor, NULL},
    {"ceil", RULE_WHOLE, ceil, NULL},
    {"round", RULE_WHOLE, round, NULL},
    {"sign", RULE_ANY, f_sign, NULL},
    {"step", RULE_ANY, f_step, NULL},
    {"sin", RULE_TURN, sin, NULL},
    {"cos", RULE_TURN, cos, NULL},
    {"tan", RULE_TURN, tan, NULL},
    {"asin", RULE_ARC, asin, NULL},
    {"acos", RULE_ARC, acos, NULL},
    {"atan", RULE_ARC, atan, NULL},
    {"atan2", RULE_BEARING, NULL, atan2},
    {"min", RULE_ALIKE, NULL, kl_program_min},
    {"max", RULE_ALIKE, NULL, kl_program_max},
    {"hypot", RULE_ALIKE, NULL, hypot},
    {"mod", RULE_TWO, NULL, kl_program_mod},
    {"if", RULE_IF, NULL, NULL},
    {"unwrap", RULE_UNWRAP, NULL, NULL},
};

static const char *const function_names[] = {
    "abs",  "sqrt",  "exp",  "log",  "log10", "sinh", "cosh",  "tanh",   "floor",
    "ceil", "round", "sign", "step", "sin",   "cos",  "tan",   "asin",   "acos",
    "atan", "atan2", "min",  "max",  "mod",   "if",   "hypot", "unwrap", NULL,
};

const char *const *kl_expression_functions(void) { return function_names; }

/* Binary operators; a longer operator is listed before its prefix. */
/* A longer operator is listed before its prefix: `<=` before `<`. */
static const operation operations[] = {
    {"or", LEVEL_OR, MEANS_LOGIC, OP_CALL2, f_or},
    {"and", LEVEL_AND, MEANS_LOGIC, OP_CALL2, f_and},
    {"<=", LEVEL_COMPARE, MEANS_COMPARISON, OP_CALL2, f_less_equal},
    {">=", LEVEL_COMPARE, MEANS_COMPARISON, OP_CALL2, f_greater_equal},
    {"==", LEVEL_COMPARE, MEANS_COMPARISON, OP_CALL2, f_equal},
    {"!=", LEVEL_COMPARE, MEANS_COMPARISON, OP_CALL2, f_unequal},
    {"<", LEVEL_COMPARE, MEANS_COMPARISON, OP_CALL2, f_less},
    {">", LEVEL_COMPARE, MEANS_COMPARISON, OP_CALL2, f_greater},
    {"+", LEVEL_SUM, MEANS_SUM, OP_ADD, NULL},
    {"-", LEVEL_SUM, MEANS_SUM, OP_SUBTRACT, NULL},
    {"*", LEVEL_PRODUCT, MEANS_PRODUCT, OP_MULTIPLY, NULL},
    {"/", LEVEL_PRODUCT, MEANS_PRODUCT, OP_DIVIDE, NULL},
};

const function *expression_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    return NULL;
}

const operation *expression_operation(const char *text)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        size_t n = strlen(operations[i].sign);
        if (strncmp(text, operations[i].sign, n) != 0) continue;
        if (operations[i].meaning == MEANS_LOGIC && is_name(text[n])) continue; /* `order` */
        return &operations[i];
    }
    return NULL;
}
