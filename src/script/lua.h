/* Functions that a user writes in Lua 5.4, in a sandbox: pure functions of numbers.
 *
 * A function sees its arguments, constants, and of Lua's library only `math` without random
 * (its members also by their bare names: sin, sqrt, pi). There is no string library, no pcall, no
 * load, no coroutines, no metatables, no way to files or to other functions, and nothing that
 * remembers: global names cannot be set. Limits a call: 1 000 000 instructions; 8 MB for all
 * functions of a model. What is longer or larger is stopped with a message.
 *
 * Any number of threads may call at once: each takes a Lua state from the pool while it calls. */
#ifndef KL_SCRIPT_LUA_H
#define KL_SCRIPT_LUA_H

#include "base/arena.h"
#include "base/diag.h"
#include "script/function.h"

typedef struct kl_lua kl_lua;

kl_lua *kl_lua_create(void); /* NULL when out of memory */
void    kl_lua_destroy(kl_lua *pool);

enum { KL_LUA_NAMES = 100 }; /* most arguments and results together */

typedef struct kl_lua_code {
    const char        *text, *object; /* object: names it in messages, "force 'balance'" */
    kl_place           place;         /* of the first line of the text */
    const char *const *argument;      /* names, NULL-terminated */
    const char *const *result;   /* names that the code sets; NULL: the code is an expression or
                                  * returns one value */
    const char *const *constant; /* names, NULL-terminated, or NULL */
    const double      *value;    /* of the constants */
} kl_lua_code;

/* Takes a function in. Returns its number, or -1 after telling what is wrong, with its line. All is
 * copied. Not to be called while others call functions. */
int kl_lua_compile(kl_lua *pool, const kl_lua_code *code, kl_diag *diag);

/* Evaluates: `in` and `out` in the order of the names. KL_E_MODEL when the code fails; results are
 * then NaN, and the first such message is kept. */
kl_status kl_lua_call(kl_lua *pool, int function, const double *in, double *out);
/* "model.yaml:12: force 'balance': ...", or NULL. */
const char *kl_lua_failure(const kl_lua *pool);

/* A function of one variable; its derivatives are differences. */
kl_function *kl_function_lua(kl_arena *a, kl_lua *pool, int function);

#endif
