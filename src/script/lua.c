/* The door to Lua.
 *
 * A function of the user becomes the chunk
 *
 *     local x, v, t = ... local F, e_dot = nil <text> \n return F, e_dot
 *
 * on the line where the text is in the model file, so that Lua's line numbers are those of the
 * file. Its only upvalue is a locked table: reading what is not there and setting anything are
 * errors. Nothing survives a call, so a function is pure and any state may run it. */
#include "script/lua.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

enum {
    MOST_STATES       = 64, /* threads that call at once; more wait */
    MOST_BYTES        = 8 * 1024 * 1024,
    MOST_INSTRUCTIONS = 1000000,
    TICK              = 100, /* instructions between two looks at the clock */
    MOST_TEXT         = 100000
};

static const double MOST_SECONDS = 0.5; /* of one call; a million instructions take 0.01 */

/* A function as taken in: what each state needs to make its own. */
typedef struct code {
    char   *chunk, *text;
    bool    expression; /* the text is an expression: the chunk says `return` in front of it */
    bool    one_value;  /* a function of one value, not a controller with named outputs */
    char   *object, *file;
    int     line, column; /* of the file, of the chunk's first line */
    int     nin, nout;
    char  **constant;
    double *value;
    int     nconstant;
    char  **argument;
} code;

/* A Lua state with its budget. */
typedef struct box {
    lua_State *L;
    size_t     used;
    long       left;    /* instructions of this call */
    double     started; /* processor time at its first tick [s]; 0: none yet */
    int        made; /* functions that this state has compiled: 0 .. made-1, at registry[i + 1] */
    int       *ref;
} box;

struct kl_lua {
    code      *list;
    int        n, cap;
    atomic_int busy[MOST_STATES];
    box       *state[MOST_STATES];
    atomic_int failed; /* 1: being written, 2: there */
    char       failure[600];
};

/* ---- the sandbox ----------------------------------------------------------------------------- */

static void *allocate(void *context, void *old, size_t old_size, size_t size)
{
    box   *b    = context;
    size_t have = old ? old_size : 0;
    if (size == 0) {
        b->used -= have;
        free(old);
        return NULL;
    }
    if (size > have && b->used + (size - have) > MOST_BYTES) return NULL;
    void *p = realloc(old, size);
    if (p) b->used = b->used - have + size;
    return p;
}

static double thread_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void on_tick(lua_State *L, lua_Debug *event)
{
    (void)event;
    void *context;
    lua_getallocf(L, &context);
    box *b = context;
    b->left -= TICK;
    /* one instruction may join or compare strings of megabytes */
    double now = thread_time();
    if (b->started == 0.0) b->started = now;
    if (now - b->started > MOST_SECONDS)
        luaL_error(L, "one call took more than %f seconds; make the texts that it handles shorter",
                   MOST_SECONDS);
    if (b->left <= 0)
        luaL_error(L, "one call executed more than %d instructions; check for an infinite loop",
                   MOST_INSTRUCTIONS);
}

/* reading a name that is not there */
static int unknown_name(lua_State *L)
{
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    return luaL_error(
        L,
        "there is no name '%s' here; define it under `parameters:`, or use t, math or an "
        "input of the controller",
        name);
}

static int cannot_set(lua_State *L)
{
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    return luaL_error(L, "'%s' is not a variable of this function; write `local %s = ...`", name,
                      name);
}

static void push_math(lua_State *L)
{
    static const char *const removed[] = {"random", "randomseed"};
    luaL_requiref(L, "math", luaopen_math, 0);
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++) {
        lua_pushnil(L);
        lua_setfield(L, -2, removed[i]);
    }
}

/* An empty table in front of the one on top of the stack, which it replaces: readable, nothing
 * else. */
static void lock_table(lua_State *L)
{
    lua_newtable(L); /* what the user sees */
    lua_newtable(L); /* its metatable */
    lua_newtable(L); /* behind the real table: unknown names */
    lua_pushcfunction(L, unknown_name);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -4);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, cannot_set);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_remove(L, -2);
}

/* The locked table of names for one function: math, its members, constants. */
static void push_names(lua_State *L, const code *c)
{
    lua_newtable(L);
    push_math(L);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_settable(L, -5);
    }
    lock_table(L);
    lua_setfield(L, -2, "math");
    for (int i = 0; i < c->nconstant; i++) {
        lua_pushnumber(L, c->value[i]);
        lua_setfield(L, -2, c->constant[i]);
    }
    lock_table(L);
}

/* Compiles the functions that this state does not know yet; under lua_pcall. */
static int make_functions(lua_State *L)
{
    const kl_lua *pool = lua_touserdata(L, 1);
    box          *b    = lua_touserdata(L, 2);
    for (; b->made < pool->n; b->made++) {
        const code *c   = &pool->list[b->made];
        b->ref[b->made] = LUA_NOREF;
        if (!c->chunk) continue; /* was refused and is never called */
        if (luaL_loadbufferx(L, c->chunk, strlen(c->chunk), "=k", "t") != LUA_OK)
            return lua_error(L);
        push_names(L, c);
        lua_setupvalue(L, -2, 1);
        b->ref[b->made] = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    return 0;
}

static void box_destroy(box *b)
{
    if (!b) return;
    if (b->L) lua_close(b->L);
    free(b->ref);
    free(b);
}

static box *box_create(void)
{
    box *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->L = lua_newstate(allocate, b);
    if (!b->L) {
        box_destroy(b);
        return NULL;
    }
    lua_sethook(b->L, on_tick, LUA_MASKCOUNT, TICK);
    return b;
}

/* ---- the pool -------------------------------------------------------------------------------- */

kl_lua *kl_lua_create(void) { return calloc(1, sizeof(kl_lua)); }

static void free_names(char **names, int n)
{
    for (int i = 0; names && i < n; i++) free(names[i]);
    free((void *)names);
}

void kl_lua_destroy(kl_lua *pool)
{
    if (!pool) return;
    for (int i = 0; i < MOST_STATES; i++) box_destroy(pool->state[i]);
    for (int i = 0; i < pool->n; i++) {
        code *c = &pool->list[i];
        free(c->chunk);
        free(c->text);
        free(c->object);
        free(c->file);
        free(c->value);
        free_names(c->constant, c->nconstant);
        free_names(c->argument, c->nin);
    }
    free(pool->list);
    free(pool);
}

static char *copy(const char *text)
{
    size_t n = strlen(text ? text : "") + 1;
    char  *p = malloc(n);
    if (p) memcpy(p, text ? text : "", n);
    return p;
}

static int count(const char *const *names)
{
    int n = 0;
    while (names && names[n]) n++;
    return n;
}

static char **copy_names(const char *const *names, int n)
{
    char **list = calloc((size_t)n + 1, sizeof *list);
    for (int i = 0; list && i < n; i++) list[i] = copy(names[i]);
    return list;
}

static void put_names(kl_text *t, const char *const *names, const char *suffix)
{
    for (int i = 0; names && names[i]; i++)
        kl_text_add(t, "%s%s%s", i ? "," : "", names[i], suffix);
}

static char *chunk_of(const kl_lua_code *c, bool expression)
{
    kl_text t = {0};
    kl_text_add(&t, "local ");
    put_names(&t, c->argument, "");
    kl_text_add(&t, "=... ");
    if (c->result && c->result[0]) {
        kl_text_add(&t, "local ");
        put_names(&t, c->result, "");
        kl_text_add(&t, " ");
    }
    kl_text_add(&t, "%s%s", expression ? "return " : "", c->text);
    if (c->result) {
        kl_text_add(&t, "\nreturn ");
        put_names(&t, c->result, "");
    }
    return kl_text_finish(&t);
}

static kl_status failed_at(kl_diag *diag, const code *c, const char *message)
{
    /* "k:3: what": line 3 of the chunk */
    kl_place place = {.file = c->file, .line = c->line, .column = c->column};
    int      line = 0, used = 0;
    if (sscanf(message, "k:%d: %n", &line, &used) == 1 && used > 0) {
        place.line = c->line + line - 1;
        if (line > 1) place.column = 1;
        message += used;
    }
    if (strcmp(message, "not enough memory") == 0)
        message = "needs more than 8 MB of memory; check for an endless recursion or a table that "
                  "grows without limit";
    return kl_fail(diag, KL_E_MODEL, place, "%s: Lua: %s", c->object, message);
}

/* Compiles in a separate state to obtain the message of the error. */
/* Lua says what is wrong with the text; the remedy is the form that the text must have. */
static kl_status syntax_error(kl_diag *diag, const code *c, const char *message)
{
    char text[512];
    snprintf(text, sizeof text, "%.300s; %s", message,
             c->one_value ? "write an expression such as `2*t`, or complete statements such as "
                            "`if t < 1 then return 0 end return 2*t`"
                          : "complete the statement, for example `if x > 0 then F = 1 else F = 0 "
                            "end`");
    return failed_at(diag, c, text);
}

static kl_status try_chunk(const code *c, const char *chunk, kl_diag *diag)
{
    box *b = box_create();
    if (!b) return KL_E_MEMORY;
    b->left          = MOST_INSTRUCTIONS;
    b->started       = 0.0;
    kl_status status = KL_OK;
    if (luaL_loadbufferx(b->L, chunk, strlen(chunk), "=k", "t") != LUA_OK)
        status = syntax_error(diag, c, lua_tostring(b->L, -1));
    box_destroy(b);
    return status;
}

int kl_lua_compile(kl_lua *pool, const kl_lua_code *given, kl_diag *diag)
{
    if (pool->n == pool->cap) {
        int   cap  = pool->cap ? 2 * pool->cap : 8;
        code *more = realloc(pool->list, (size_t)cap * sizeof *more);
        if (!more) return -1;
        pool->list = more;
        pool->cap  = cap;
    }
    code *c     = &pool->list[pool->n];
    *c          = (code){.text      = copy(given->text),
                         .object    = copy(given->object),
                         .file      = copy(given->place.file),
                         .line      = given->place.line > 0 ? given->place.line : 1,
                         .column    = given->place.column > 0 ? given->place.column : 1,
                         .nin       = count(given->argument),
                         .nout      = given->result ? count(given->result) : 1,
                         .one_value = !given->result,
                         .nconstant = count(given->constant)};
    c->constant = copy_names(given->constant, c->nconstant);
    c->argument = copy_names(given->argument, c->nin);
    c->value    = calloc((size_t)c->nconstant + 1, sizeof *c->value);
    for (int i = 0; c->value && i < c->nconstant; i++) c->value[i] = given->value[i];
    pool->n++; /* from here kl_lua_destroy frees it */
    if (c->nin + c->nout > KL_LUA_NAMES) {
        kl_fail(diag, KL_E_RANGE, given->place, "%s: more than %d inputs, outputs and states",
                c->object, KL_LUA_NAMES);
        return -1;
    }
    if (strlen(given->text) > MOST_TEXT) {
        kl_fail(diag, KL_E_RANGE, given->place, "%s: the Lua text is longer than %d characters",
                c->object, MOST_TEXT);
        return -1;
    }
    /* a single value may be written as an expression */
    char *chunk = given->result ? NULL : chunk_of(given, true);
    if (chunk && try_chunk(c, chunk, NULL) != KL_OK) {
        free(chunk);
        chunk = NULL;
    }
    c->expression = chunk != NULL;
    if (!chunk) {
        chunk = chunk_of(given, false);
        if (!chunk || try_chunk(c, chunk, diag) != KL_OK) {
            free(chunk);
            return -1;
        }
    }
    c->chunk = chunk;
    return pool->n - 1;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static box *take_state(kl_lua *pool, int *slot)
{
    for (int i = 0;; i = (i + 1) % MOST_STATES) {
        int idle = 0;
        if (!atomic_compare_exchange_strong(&pool->busy[i], &idle, 1)) continue;
        if (!pool->state[i]) pool->state[i] = box_create();
        if (!pool->state[i]) {
            atomic_store(&pool->busy[i], 0);
            return NULL;
        }
        *slot = i;
        return pool->state[i];
    }
}

static void keep_failure(kl_lua *pool, const code *c, const char *message)
{
    int none = 0;
    if (!atomic_compare_exchange_strong(&pool->failed, &none, 1)) return;
    kl_diag *d = kl_diag_create();
    failed_at(d, c, message);
    if (kl_diag_size(d) > 0)
        snprintf(pool->failure, sizeof pool->failure, "%.590s", kl_diag_at(d, 0)->text);
    kl_diag_destroy(d);
    atomic_store(&pool->failed, 2);
}

const char *kl_lua_failure(const kl_lua *pool)
{
    return pool && atomic_load(&pool->failed) == 2 ? pool->failure : NULL;
}

/* Runs the function on the numbers; under lua_pcall, so that memory may end anywhere. */
static int run_function(lua_State *L)
{
    const code   *c   = lua_touserdata(L, 1);
    const double *in  = lua_touserdata(L, 2);
    double       *out = lua_touserdata(L, 3);
    int           ref = (int)lua_tointeger(L, 4);
    luaL_checkstack(L, c->nin + c->nout + 8, "too many values");
    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
    for (int i = 0; i < c->nin; i++) lua_pushnumber(L, in[i]);
    lua_call(L, c->nin, c->nout);
    for (int i = 0; i < c->nout; i++) {
        int at = i - c->nout;
        if (lua_type(L, at) != LUA_TNUMBER && c->one_value)
            return luaL_error(
                L,
                "the result has the type %s, expected a number; write an expression such as `2*t`, "
                "or end every branch with `return` and a number",
                luaL_typename(L, at));
        if (lua_type(L, at) != LUA_TNUMBER)
            return luaL_error(
                L,
                "result %d is %s, not a number; assign a number to every output and to every rate",
                i + 1, luaL_typename(L, at));
        out[i] = (double)lua_tonumber(L, at);
    }
    return 0;
}

static int call_state(kl_lua *pool, box *b, const code *c, int function, const double *in,
                      double *out)
{
    lua_State *L = b->L;
    /* numbers go as light pointers: read only inside the call */
    union {
        const void *from;
        void       *to;
    } p;
    b->left    = MOST_INSTRUCTIONS;
    b->started = 0.0;
    if (b->made < pool->n) {
        int *more = realloc(b->ref, (size_t)pool->n * sizeof *more);
        if (!more) {
            lua_pushstring(L, "not enough memory");
            return LUA_ERRMEM;
        }
        b->ref = more;
        lua_pushcfunction(L, make_functions);
        lua_pushlightuserdata(L, pool);
        lua_pushlightuserdata(L, b);
        int status = lua_pcall(L, 2, 0, 0);
        if (status != LUA_OK) return status;
    }
    lua_pushcfunction(L, run_function);
    p.from = c;
    lua_pushlightuserdata(L, p.to);
    p.from = in;
    lua_pushlightuserdata(L, p.to);
    lua_pushlightuserdata(L, out);
    lua_pushinteger(L, b->ref[function]);
    return lua_pcall(L, 4, 0, 0);
}

kl_status kl_lua_call(kl_lua *pool, int function, const double *in, double *out)
{
    const code *c    = &pool->list[function];
    int         slot = 0;
    box        *b    = take_state(pool, &slot);
    for (int i = 0; i < c->nout; i++) out[i] = NAN;
    if (!b) return KL_E_MEMORY;
    int status = call_state(pool, b, c, function, in, out);
    if (status != LUA_OK) {
        const char *message = lua_tostring(b->L, -1);
        keep_failure(pool, c, message ? message : "failed");
        for (int i = 0; i < c->nout; i++) out[i] = NAN;
        /* a state that ran out of something starts afresh */
        box_destroy(b);
        pool->state[slot] = NULL;
    }
    atomic_store(&pool->busy[slot], 0);
    return status == LUA_OK ? KL_OK : KL_E_MODEL;
}

/* ---- functions of one variable --------------------------------------------------------------- */

typedef struct of_one {
    kl_lua *pool;
    int     function;
} of_one;

/* Five points: the first derivative to h^4, the second too. */
static void of_one_eval(const void *data, double x, const double *u, double out[3])
{
    const of_one *f = data;
    double        h = 1e-3 * (1e-2 + fabs(x)), y[5];
    (void)u;
    for (int i = 0; i < 5; i++) {
        double at = x + (i - 2) * h;
        if (kl_lua_call(f->pool, f->function, &at, &y[i]) != KL_OK) {
            out[0] = out[1] = out[2] = NAN;
            return;
        }
    }
    out[0] = y[2];
    out[1] = (y[0] - 8 * y[1] + 8 * y[3] - y[4]) / (12 * h);
    out[2] = (-y[0] + 16 * y[1] - 30 * y[2] + 16 * y[3] - y[4]) / (12 * h * h);
}

static void of_one_write(const void *data, const char *const *inputs, kl_text *t)
{
    const of_one *f = data;
    const code   *c = &f->pool->list[f->function];
    kl_text       s = {0};
    (void)inputs;
    /* `return` allows locals before an expression */
    for (int i = 0; i < c->nconstant; i++) {
        kl_text_add(&s, "local %s = ", c->constant[i]);
        kl_text_number(&s, c->value[i]);
        kl_text_add(&s, " ");
    }
    kl_text_add(&s, "%s%s", c->nconstant && c->expression ? "return " : "", c->text);
    char *text = kl_text_finish(&s);
    kl_text_add(t, "{lua: ");
    kl_text_json(t, text ? text : "");
    kl_text_add(t, "}");
    free(text);
}

static const kl_function_type of_one_type = {
    .name = "lua", .eval = of_one_eval, .write = of_one_write};

kl_function *kl_function_lua(kl_arena *a, kl_lua *pool, int function)
{
    of_one *f = kl_arena_take(a, sizeof *f);
    if (f) *f = (of_one){pool, function};
    return kl_function_create(a, &of_one_type, f);
}
