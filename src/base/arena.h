/* An arena: many small allocations that live and die together.
 *
 * Memory comes zeroed and aligned for any type. An arena that fails stays failed and hands out NULL
 * from then on, so that a builder may allocate freely and ask once, at the end, with kl_arena_ok().
 */
#ifndef KL_BASE_ARENA_H
#define KL_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct kl_arena kl_arena;

kl_arena *kl_arena_create(void);         /* NULL when out of memory */
void      kl_arena_destroy(kl_arena *a); /* accepts NULL */
void     *kl_arena_take(kl_arena *a, size_t bytes);
bool      kl_arena_ok(const kl_arena *a);
size_t    kl_arena_bytes(const kl_arena *a); /* handed out so far */

/* Copies of text, owned by the arena. NULL in, NULL out. */
char *kl_arena_text(kl_arena *a, const char *text);
char *kl_arena_text_n(kl_arena *a, const char *text, size_t length);
char *kl_arena_format(kl_arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `n` zeroed objects of a type; n * sizeof is checked for overflow. */
void *kl_arena_take_array(kl_arena *a, size_t n, size_t size);
#define kl_arena_array(a, type, n) ((type *)kl_arena_take_array((a), (size_t)(n), sizeof(type)))

/* A list that grows: makes room for one more element of `size` bytes in *data (n used, *cap there),
 * doubling. The old copy stays in the arena, so growth costs at most twice the final size. Returns
 * the slot of element n, or NULL. */
void *kl_arena_grow(kl_arena *a, void **data, int n, int *cap, size_t size);

#endif
