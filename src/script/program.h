/* The stack program an expression is compiled to; for the files of this room that run it. */
#ifndef KL_SCRIPT_PROGRAM_H
#define KL_SCRIPT_PROGRAM_H

#include "script/expression.h"

enum {
    KL_MOST_STACK  = 1024, /* values on the stack; the compiler refuses what needs more */
    KL_UNWRAP_SIZE = 3     /* doubles that one unwrap() remembers */
};

typedef enum opcode {
    OP_CONSTANT,
    OP_SYMBOL,
    OP_NEGATE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_CALL1,
    OP_CALL2,
    OP_IF,
    OP_UNWRAP
} opcode;

typedef struct instruction {
    opcode op;
    int    index; /* of a symbol, or of the first double of memory */
    union {
        double value;
        double (*call1)(double);
        double (*call2)(double, double);
    } u;
} instruction;

struct kl_expression {
    const instruction *code;
    int                ncode;
    int               *symbols;
    int                nsymbol, nmemory;
    kl_dim             dim;
    bool               bare;
};

/* The value that n instructions leave on the stack. */
double kl_program_run(const instruction *code, int n, const double *values, double *memory);
/* The most values they have on the stack at once. */
int kl_program_stack(const instruction *code, int n);

/* Functions that C has not, or has differently: nan stays nan, mod has the sign of b. */
double kl_program_min(double a, double b);
double kl_program_max(double a, double b);
double kl_program_mod(double a, double b);

#endif
