#include "script/program.h"

#include <math.h>

#define PI 3.14159265358979323846

double kl_program_min(double a, double b) { return a < b || isnan(a) ? a : b; }
double kl_program_max(double a, double b) { return a > b || isnan(a) ? a : b; }
double kl_program_mod(double a, double b) { return a - b * floor(a / b); }

/* What unwrap() remembers: whether it has run, the last angle it saw, the turns counted so far. */
enum { RAN, LAST, TURNS };

static double unwrap(double angle, double *memory)
{
    if (!memory) return angle;
    if (memory[RAN] != 0 && isfinite(angle))
        memory[TURNS] -= round((angle - memory[LAST]) / (2 * PI));
    if (isfinite(angle)) {
        memory[RAN]  = 1;
        memory[LAST] = angle;
    }
    return angle + 2 * PI * memory[TURNS];
}

double kl_program_run(const instruction *code, int n, const double *values, double *memory)
{
    double stack[KL_MOST_STACK + 1], *top = stack; /* [0] is not used */
    for (const instruction *i = code; i < code + n; i++) {
        switch (i->op) {
        case OP_CONSTANT: *++top = i->u.value; break;
        case OP_SYMBOL: *++top = values[i->index]; break;
        case OP_NEGATE: *top = -*top; break;
        case OP_ADD: top--, *top += top[1]; break;
        case OP_SUBTRACT: top--, *top -= top[1]; break;
        case OP_MULTIPLY: top--, *top *= top[1]; break;
        case OP_DIVIDE: top--, *top /= top[1]; break;
        case OP_CALL1: *top = i->u.call1(*top); break;
        case OP_CALL2: top--, *top = i->u.call2(top[0], top[1]); break;
        case OP_IF: top -= 2, *top = *top != 0 ? top[1] : top[2]; break;
        case OP_UNWRAP: *top = unwrap(*top, memory ? memory + i->index : NULL); break;
        }
    }
    return *top;
}

static int stack_change(opcode op)
{
    switch (op) {
    case OP_CONSTANT:
    case OP_SYMBOL: return 1;
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
    case OP_DIVIDE:
    case OP_CALL2: return -1;
    case OP_IF: return -2;
    case OP_NEGATE:
    case OP_CALL1:
    case OP_UNWRAP: break;
    }
    return 0;
}

int kl_program_stack(const instruction *code, int n)
{
    int depth = 0, most = 0;
    for (int i = 0; i < n; i++) {
        depth += stack_change(code[i].op);
        if (depth > most) most = depth;
    }
    return most;
}
