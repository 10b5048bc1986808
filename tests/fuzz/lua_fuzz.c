/* Any text as the Lua function of a controller: it compiles or is refused, ends, and leaves nothing
 * behind. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "script/lua.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const in[] = {"x", "v", "t", NULL}, *const out[] = {"F", "e_dot", NULL};
    if (size > 4000) return 0;
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size]   = '\0';
    kl_lua *pool = kl_lua_create();
    for (int named = 0; named < 2; named++) {
        kl_lua_code c = {.text = text, .object = "f", .argument = in, .result = named ? out : NULL};
        int         f = kl_lua_compile(pool, &c, NULL);
        double      x[] = {0.1, -2.0, 3.0}, y[2];
        if (f >= 0) (void)kl_lua_call(pool, f, x, y);
    }
    kl_lua_destroy(pool);
    free(text);
    return 0;
}
