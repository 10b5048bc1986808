#include "contact/broad.h"

#include <math.h>
#include <stdlib.h>

kl_broad *kl_broad_create(int n, kl_arena *arena)
{
    kl_broad *b = kl_arena_array(arena, kl_broad, 1);
    if (!b) return NULL;
    b->n     = n;
    b->box   = kl_arena_array(arena, kl_broad_box, n);
    b->order = kl_arena_array(arena, int, n);
    if (!kl_arena_ok(arena)) return NULL;
    for (int i = 0; i < n; i++) b->order[i] = i;
    return b;
}

static double along(kl_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* The axis on which the finite boxes spread most. */
static int widest(const kl_broad *b)
{
    double best = -1.0;
    int    axis = 0;
    for (int k = 0; k < 3; k++) {
        double sum = 0.0, square = 0.0, n = 0.0;
        for (int i = 0; i < b->n; i++) {
            double m = 0.5 * (along(b->box[i].low, k) + along(b->box[i].high, k));
            if (isfinite(m)) sum += m, square += m * m, n += 1.0;
        }
        double spread = n > 0.0 ? square / n - (sum / n) * (sum / n) : 0.0;
        if (spread > best) best = spread, axis = k;
    }
    return axis;
}

static bool apart(const kl_broad_box *a, const kl_broad_box *b)
{
    return a->high.x < b->low.x || b->high.x < a->low.x || a->high.y < b->low.y ||
           b->high.y < a->low.y || a->high.z < b->low.z || b->high.z < a->low.z;
}

static int ascending(const void *x, const void *y)
{
    const int *a = x, *b = y;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : (a[1] > b[1]) - (a[1] < b[1]);
}

int kl_broad_pairs(kl_broad *b, int (*pair)[2], int capacity)
{
    int axis = widest(b), count = 0;
    for (int i = 1; i < b->n; i++) { /* insertion: nearly sorted from the last call */
        int    x = b->order[i], j = i;
        double low = along(b->box[x].low, axis);
        for (; j > 0 && along(b->box[b->order[j - 1]].low, axis) > low; j--)
            b->order[j] = b->order[j - 1];
        b->order[j] = x;
    }
    for (int i = 0; i < b->n; i++) {
        const kl_broad_box *a = &b->box[b->order[i]];
        for (int j = i + 1; j < b->n; j++) {
            const kl_broad_box *c = &b->box[b->order[j]];
            if (along(c->low, axis) > along(a->high, axis)) break;
            if (apart(a, c)) continue;
            int x = b->order[i], y = b->order[j];
            if (count < capacity) pair[count][0] = x < y ? x : y, pair[count][1] = x < y ? y : x;
            count++;
        }
    }
    qsort(pair, (size_t)(count < capacity ? count : capacity), sizeof *pair, ascending);
    return count;
}
