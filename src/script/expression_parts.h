/* What the files of the compiler of expressions share: expression.c (grammar and units),
 * expression_tables.c (functions and operators), expression_words.c (names, and messages about text
 * that is no expression).
 */
#ifndef KL_SCRIPT_EXPRESSION_PARTS_H
#define KL_SCRIPT_EXPRESSION_PARTS_H

#include "script/program.h"

enum {
    LONGEST_TEXT = 10000,
    DEEPEST      = 200,
    LONGEST_NAME = 255,
    WIDTH        = 160 /* room for a described operand */
};

/* What a function asks of its arguments and gives back. */
typedef enum rule {
    RULE_SAME,    /* keeps the dimension */
    RULE_ROOT,    /* halves it */
    RULE_PURE,    /* wants a pure number, gives one that is bare */
    RULE_WHOLE,   /* wants a pure number and keeps it as it is */
    RULE_TURN,    /* wants an angle or a pure number, gives a bare one */
    RULE_ARC,     /* wants a pure number, gives an angle */
    RULE_ANY,     /* any, gives a bare number */
    RULE_ALIKE,   /* two or more of one dimension, which it keeps */
    RULE_TWO,     /* exactly two of one dimension, which it keeps */
    RULE_BEARING, /* two of one dimension, gives an angle */
    RULE_IF,
    RULE_UNWRAP
} rule;

typedef struct function {
    const char *name;
    rule        rule;
    double (*call1)(double);
    double (*call2)(double, double);
} function;

typedef enum meaning { MEANS_SUM, MEANS_PRODUCT, MEANS_COMPARISON, MEANS_LOGIC } meaning;
enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT };

typedef struct operation {
    const char *sign;
    int         level;
    meaning     meaning;
    opcode      op;
    double (*call2)(double, double);
} operation;

/* The function of this name, or NULL. */
const function *expression_function(const char *name);
/* The operator at the place of reading, or NULL. */
const operation *expression_operation(const char *text);
/* Logical negation; it is the operation of `not`, which stands in front of one value. */
double expression_not(double a);

typedef struct compiler {
    const char       *text;
    size_t            at; /* next byte to read */
    kl_place          place;
    const kl_symbols *symbols;
    kl_arena         *arena;
    kl_diag          *diag;
    instruction      *code;
    int               ncode, cap, nmemory, depth;
} compiler;

/* A part already compiled: code from `start` on leaves its value on the stack. */
typedef struct operand {
    kl_dim dim;
    bool   bare, constant;
    double value; /* of a constant */
    int    start;
    size_t at; /* its position in the text */
} operand;

/* The place in the file of byte `at` of the text; columns count characters, not bytes. */
kl_place expression_place(const compiler *c, size_t at);

#define FAIL(c, at, ...) kl_fail((c)->diag, KL_E_SYNTAX, expression_place((c), (at)), __VA_ARGS__)

static inline bool is_space(char ch) { return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r'; }
static inline bool is_digit(char ch) { return ch >= '0' && ch <= '9'; }
static inline bool is_name_start(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' ||
           (unsigned char)ch >= 0x80;
}
static inline bool is_name(char ch) { return is_name_start(ch) || is_digit(ch) || ch == '.'; }

/* Lengths of the words that may be here: `rear-hinge.angle` or only `rear`; longest last. */
typedef struct word {
    const char *start;
    size_t      length[16];
    int         n;
} word;

/* The word at the place of reading, not yet consumed. */
word expression_word(const compiler *c);
/* Its i-th length as a string; false: it is too long for a name. */
bool expression_copy_word(const word *w, int i, char name[LONGEST_NAME + 1]);
/* The longest name of the model at this word: its operand, its index and its bytes. */
bool expression_find_name(const compiler *c, const word *w, char name[LONGEST_NAME + 1], operand *o,
                          int *index, size_t *used);

/* `and`, `or`, `not` */
bool expression_is_keyword(const char *name);

/* Messages about text that is no expression; each reports one error and returns its status. */
kl_status expression_unknown_name(compiler *c, const word *w);
kl_status expression_unknown_function(compiler *c, const char *name);
/* A word in the place of an operator, behind a number perhaps meant as a unit. */
kl_status expression_misplaced_word(compiler *c, bool behind_number);
kl_status expression_missing_value(compiler *c); /* a character that cannot begin a value */
kl_status expression_trailing(compiler *c);      /* text behind the end of an expression */

#endif
