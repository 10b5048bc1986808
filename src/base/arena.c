#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGN = 64,
    BLOCK = 64 * 1024,
    SMALL = 2048
}; /* a cache line, so that hot arrays never share one */

typedef struct block {
    struct block *next;
    size_t        used, size; /* bytes of payload */
} block;

struct kl_arena {
    block *first;
    size_t bytes;
    bool   failed;
};

static size_t round_up(size_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }

kl_arena *kl_arena_create(void) { return calloc(1, sizeof(kl_arena)); }

void kl_arena_destroy(kl_arena *a)
{
    if (!a) return;
    for (block *b = a->first; b;) {
        block *next = b->next;
        free(b);
        b = next;
    }
    free(a);
}

bool kl_arena_ok(const kl_arena *a) { return a && !a->failed; }

size_t kl_arena_bytes(const kl_arena *a) { return a ? a->bytes : 0; }

static unsigned char *payload(block *b)
{
    uintptr_t start = (uintptr_t)(b + 1);
    return (unsigned char *)(b + 1) + (round_up(start) - start);
}

/* Blocks grow with the arena, so that one for a single number costs little. */
static block *block_create(size_t bytes, size_t taken)
{
    size_t usual = taken < SMALL ? SMALL : taken < BLOCK ? taken : BLOCK;
    size_t size  = bytes > usual ? bytes : usual;
    if (size > SIZE_MAX - sizeof(block) - ALIGN) return NULL;
    block *b = calloc(1, sizeof(block) + ALIGN + size);
    if (b) b->size = size;
    return b;
}

void *kl_arena_take(kl_arena *a, size_t bytes)
{
    if (!a || a->failed) return NULL;
    if (bytes > SIZE_MAX / 2) {
        a->failed = true;
        return NULL;
    }
    size_t need = bytes < ALIGN / 4 ? (bytes + 15) / 16 * 16 : round_up(bytes);
    if (need == 0) need = 16;
    block *b = a->first;
    if (b && need >= ALIGN) b->used = round_up(b->used);
    if (!b || b->used > b->size || b->size - b->used < need) {
        b = block_create(need, a->bytes);
        if (!b) {
            a->failed = true;
            return NULL;
        }
        b->next  = a->first;
        a->first = b;
    }
    void *p = payload(b) + b->used;
    b->used += need;
    a->bytes += need;
    return p;
}

void *kl_arena_take_array(kl_arena *a, size_t n, size_t size)
{
    if (a && size && n > SIZE_MAX / size) {
        a->failed = true;
        return NULL;
    }
    return kl_arena_take(a, n * size);
}

char *kl_arena_text_n(kl_arena *a, const char *text, size_t length)
{
    if (!text) return NULL;
    char *copy = kl_arena_take(a, length + 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

char *kl_arena_text(kl_arena *a, const char *text)
{
    return text ? kl_arena_text_n(a, text, strlen(text)) : NULL;
}

char *kl_arena_format(kl_arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int   n    = vsnprintf(NULL, 0, format, args);
    char *text = n < 0 ? NULL : kl_arena_take(a, (size_t)n + 1);
    if (text) vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void *kl_arena_grow(kl_arena *a, void **data, int n, int *cap, size_t size)
{
    if (n >= *cap) {
        int   bigger = *cap ? 2 * *cap : 8;
        void *wider  = kl_arena_take_array(a, (size_t)bigger, size);
        if (!wider) return NULL;
        if (n > 0) memcpy(wider, *data, (size_t)n * size);
        *data = wider;
        *cap  = bigger;
    }
    return (char *)*data + (size_t)n * size;
}
