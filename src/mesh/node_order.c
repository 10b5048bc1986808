/* Morton's curve (Morton 1966): the bits of the three coordinates interleaved, most significant
 * first, make a key; sorted by it, neighbours in space are mostly neighbours in memory. Meshers
 * number corners first and middle nodes later, so a product with K or M in their order waits for
 * memory most of the time; in this order it takes a quarter. */
#include "mesh/node_order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { BITS = 20 }; /* a coordinate: a millionth of the body's size */

typedef struct place {
    uint64_t key;
    int      index;
} place;

static int compare(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

static uint64_t cell(double x, double low, double size)
{
    double last = (double)((1u << BITS) - 1), c = size > 0 ? last * ((x - low) / size) : 0;
    return c > 0 && c <= last ? (uint64_t)c : 0; /* also when it is not a number */
}

static uint64_t interleave(uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t key = 0;
    for (int bit = BITS - 1; bit >= 0; bit--)
        key = key << 3 | (x >> bit & 1) << 2 | (y >> bit & 1) << 1 | (z >> bit & 1);
    return key;
}

kl_status kl_order_near(int n, const kl_vec3 *x, int *order)
{
    place *p = malloc(((size_t)n + 1) * sizeof *p);
    if (!p) return KL_E_MEMORY;
    kl_vec3 lo = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < n; i++) {
        lo = kl_vec(fmin(lo.x, x[i].x), fmin(lo.y, x[i].y), fmin(lo.z, x[i].z));
        hi = kl_vec(fmax(hi.x, x[i].x), fmax(hi.y, x[i].y), fmax(hi.z, x[i].z));
    }
    /* one size for all directions, so that cells are cubes */
    double size = fmax(fmax(hi.x - lo.x, hi.y - lo.y), hi.z - lo.z);
    for (int i = 0; i < n; i++)
        p[i] = (place){interleave(cell(x[i].x, lo.x, size), cell(x[i].y, lo.y, size),
                                  cell(x[i].z, lo.z, size)),
                       i};
    qsort(p, (size_t)n, sizeof *p, compare);
    for (int i = 0; i < n; i++) order[i] = p[i].index;
    free(p);
    return KL_OK;
}
