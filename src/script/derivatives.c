/* Value and two derivatives of an expression by one variable, in one run of its program.
 *
 * Every number on the stack becomes a triple (f, f', f''), a Taylor polynomial cut after the second
 * order, and every operator its rule for such triples (Griewank and Walther, Evaluating
 * Derivatives, chapter 13). So derivatives are exact; where a function jumps or has a corner, those
 * of the branch taken count.
 */
#include <math.h>

#include "script/program.h"

typedef struct triple {
    double f, d, dd;
} triple;

static triple constant(double value) { return (triple){value, 0, 0}; }

static triple product(triple a, triple b)
{
    return (triple){a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
}

/* q = a/b from q b = a. */
static triple quotient(triple a, triple b)
{
    triple q = {.f = a.f / b.f};
    q.d      = (a.d - q.f * b.d) / b.f;
    q.dd     = (a.dd - 2 * q.d * b.d - q.f * b.dd) / b.f;
    return q;
}

/* g(a) from the value and derivatives of g at a.f. A part that does not move adds nothing, even
 * where g has no finite slope. */
static triple chain(triple a, double g, double dg, double ddg)
{
    if (a.d == 0 && a.dd == 0) return constant(g);
    return (triple){g, dg * a.d, ddg * a.d * a.d + (a.dd != 0 ? dg * a.dd : 0)};
}

/* ---- functions of one value: g' and g'' at x, with g known ---- */

static void sin_slope(double x, double g, double d[2]) { d[0] = cos(x), d[1] = -g; }
static void cos_slope(double x, double g, double d[2]) { d[0] = -sin(x), d[1] = -g; }
static void tan_slope(double x, double g, double d[2])
{
    (void)x;
    d[0] = 1 + g * g;
    d[1] = 2 * g * d[0];
}
static void asin_slope(double x, double g, double d[2])
{
    (void)g;
    d[0] = 1 / sqrt(1 - x * x);
    d[1] = x * d[0] * d[0] * d[0];
}
static void acos_slope(double x, double g, double d[2])
{
    asin_slope(x, g, d);
    d[0] = -d[0];
    d[1] = -d[1];
}
static void atan_slope(double x, double g, double d[2])
{
    (void)g;
    d[0] = 1 / (1 + x * x);
    d[1] = -2 * x * d[0] * d[0];
}
static void exp_slope(double x, double g, double d[2])
{
    (void)x;
    d[0] = d[1] = g;
}
static void log_slope(double x, double g, double d[2])
{
    (void)g;
    d[0] = 1 / x;
    d[1] = -1 / (x * x);
}
static void log10_slope(double x, double g, double d[2])
{
    log_slope(x, g, d);
    d[0] /= log(10);
    d[1] /= log(10);
}
static void sinh_slope(double x, double g, double d[2]) { d[0] = cosh(x), d[1] = g; }
static void cosh_slope(double x, double g, double d[2]) { d[0] = sinh(x), d[1] = g; }
static void tanh_slope(double x, double g, double d[2])
{
    (void)x;
    d[0] = 1 - g * g;
    d[1] = -2 * g * d[0];
}
static void sqrt_slope(double x, double g, double d[2])
{
    d[0] = 0.5 / g;
    d[1] = -0.5 * d[0] / x;
}
static void abs_slope(double x, double g, double d[2])
{
    (void)g;
    d[0] = x < 0 ? -1 : 1;
    d[1] = 0;
}

/* What is not here is flat between its jumps: floor, sign, step, comparisons. */
static const struct {
    double (*g)(double);
    void (*slope)(double x, double g, double d[2]);
} slopes[] = {
    {sin, sin_slope},     {cos, cos_slope},   {tan, tan_slope},   {asin, asin_slope},
    {acos, acos_slope},   {atan, atan_slope}, {exp, exp_slope},   {log, log_slope},
    {log10, log10_slope}, {sinh, sinh_slope}, {cosh, cosh_slope}, {tanh, tanh_slope},
    {sqrt, sqrt_slope},   {fabs, abs_slope},
};

static triple call_one(double (*g)(double), triple a)
{
    double value = g(a.f), d[2] = {0, 0};
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; i++)
        if (slopes[i].g == g) slopes[i].slope(a.f, value, d);
    return chain(a, value, d[0], d[1]);
}

/* ---- functions of two values ---- */

static triple power(triple a, triple b)
{
    double f = pow(a.f, b.f), p = b.f;
    if (b.d == 0 && b.dd == 0) {    // p a^(p-1) is zero, not 0 * inf, when p is
        double d  = p == 0 ? 0 : p * pow(a.f, p - 1);
        double dd = p == 0 || p == 1 ? 0 : p * (p - 1) * pow(a.f, p - 2);
        return chain(a, f, d, dd);
    }
    triple log_a    = chain(a, log(a.f), 1 / a.f, -1 / (a.f * a.f));
    triple exponent = product(b, log_a);
    return chain(exponent, f, f, f);
}

static triple length(triple a, triple b)
{
    double f = hypot(a.f, b.f);
    if (f == 0) return constant(0);    // a corner
    double d = (a.f * a.d + b.f * b.d) / f;
    return (triple){f, d, (a.d * a.d + a.f * a.dd + b.d * b.d + b.f * b.dd - d * d) / f};
}

static triple bearing(triple y, triple x)
{
    double f = atan2(y.f, x.f), r2 = x.f * x.f + y.f * y.f;
    double d = (x.f * y.d - y.f * x.d) / r2;
    return (triple){f, d, (x.f * y.dd - y.f * x.dd - 2 * (x.f * x.d + y.f * y.d) * d) / r2};
}

static triple remainder_of(triple a, triple b)
{
    double turns = floor(a.f / b.f);
    return (triple){kl_program_mod(a.f, b.f), a.d - turns * b.d, a.dd - turns * b.dd};
}

static triple smaller_of(triple a, triple b) { return a.f < b.f || isnan(a.f) ? a : b; }
static triple larger_of(triple a, triple b) { return a.f > b.f || isnan(a.f) ? a : b; }

static const struct {
    double (*g)(double, double);
    triple (*rule)(triple, triple);
} rules[] = {
    {pow, power},
    {hypot, length},
    {atan2, bearing},
    {kl_program_mod, remainder_of},
    {kl_program_min, smaller_of},
    {kl_program_max, larger_of},
};

static triple call_two(double (*g)(double, double), triple a, triple b)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].g == g) return rules[i].rule(a, b);
    return constant(g(a.f, b.f));
}

void kl_expression_derivatives(const kl_expression *e, double x, const double *u, double out[3])
{
    triple stack[KL_MOST_STACK + 1], *top = stack;
    for (const instruction *i = e->code; i < e->code + e->ncode; i++) {
        switch (i->op) {
        case OP_CONSTANT: *++top = constant(i->u.value); break;
        case OP_SYMBOL:
            *++top = i->index == 0 ? (triple){x, 1, 0} : constant(u[i->index - 1]);
            break;
        case OP_NEGATE: *top = (triple){-top->f, -top->d, -top->dd}; break;
        case OP_ADD:
            top--;
            *top = (triple){top->f + top[1].f, top->d + top[1].d, top->dd + top[1].dd};
            break;
        case OP_SUBTRACT:
            top--;
            *top = (triple){top->f - top[1].f, top->d - top[1].d, top->dd - top[1].dd};
            break;
        case OP_MULTIPLY: top--, *top = product(top[0], top[1]); break;
        case OP_DIVIDE: top--, *top = quotient(top[0], top[1]); break;
        case OP_CALL1: *top = call_one(i->u.call1, *top); break;
        case OP_CALL2: top--, *top = call_two(i->u.call2, top[0], top[1]); break;
        case OP_IF: top -= 2, *top = top->f != 0 ? top[1] : top[2]; break;
        case OP_UNWRAP: break;
        }
    }
    out[0] = top->f;
    out[1] = top->d;
    out[2] = top->dd;
}

/* ---- branches ---- */

static bool is_smooth(double (*g)(double))
{
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; i++)
        if (slopes[i].g == g) return g != (double (*)(double))fabs;
    return false;
}

/* Which branch a function of two values takes: numbers that differ from branch to branch. */
static double branch_of_two(double (*g)(double, double), double a, double b)
{
    if (g == kl_program_min || g == kl_program_max) return a < b;
    if (g == kl_program_mod) return floor(a / b);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].g == g) return 0.0; /* smooth */
    return g(a, b);                      /* comparisons and their like: flat but for jumps */
}

static unsigned long mix(unsigned long hash, double branch)
{
    return hash * 1099511628211ul + (unsigned long)(long)branch + 7ul;
}

unsigned long kl_expression_branch(const kl_expression *e, double x, const double *u)
{
    double        stack[KL_MOST_STACK + 1], *top = stack;
    unsigned long hash = 1469598103934665603ul;
    for (const instruction *i = e->code; i < e->code + e->ncode; i++) {
        switch (i->op) {
        case OP_CONSTANT: *++top = i->u.value; break;
        case OP_SYMBOL: *++top = i->index == 0 ? x : u[i->index - 1]; break;
        case OP_NEGATE: *top = -*top; break;
        case OP_ADD: top--, *top += top[1]; break;
        case OP_SUBTRACT: top--, *top -= top[1]; break;
        case OP_MULTIPLY: top--, *top *= top[1]; break;
        case OP_DIVIDE: top--, *top /= top[1]; break;
        case OP_CALL1:
            if (i->u.call1 == (double (*)(double))fabs) hash = mix(hash, *top < 0.0);
            *top = i->u.call1(*top);
            if (!is_smooth(i->u.call1) && i->u.call1 != (double (*)(double))fabs)
                hash = mix(hash, fmin(fmax(*top, -1e15), 1e15));
            break;
        case OP_CALL2:
            top--;
            hash = mix(hash, fmin(fmax(branch_of_two(i->u.call2, top[0], top[1]), -1e15), 1e15));
            *top = i->u.call2(top[0], top[1]);
            break;
        case OP_IF:
            top -= 2, hash = mix(hash, *top != 0.0), *top = *top != 0.0 ? top[1] : top[2];
            break;
        case OP_UNWRAP: break;
        }
    }
    return hash;
}

bool kl_expression_branches(const kl_expression *e)
{
    for (const instruction *i = e->code; i < e->code + e->ncode; i++) {
        if (i->op == OP_IF) return true;
        if (i->op == OP_CALL1 && !is_smooth(i->u.call1)) return true;
        if (i->op != OP_CALL2) continue;
        bool smooth = i->u.call2 == (double (*)(double, double))pow ||
                      i->u.call2 == (double (*)(double, double))hypot ||
                      i->u.call2 == (double (*)(double, double))atan2;
        if (!smooth) return true;
    }
    return false;
}
