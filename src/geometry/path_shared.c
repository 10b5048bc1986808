/* What is read does not depend on which window it comes from, so the answer is the same whoever
 * asked before. A place takes the window nearest to it; a window not used yet is taken when all
 * others are farther away than one of them is long (a train's wheelsets share one, two trains do
 * not). */
#include "geometry/path_shared.h"

#include <math.h>
#include <stdatomic.h>

enum { WINDOWS = 8 };

typedef struct shared {
    const kl_path *inner;
    atomic_flag    busy;
    kl_path_cursor cursor[WINDOWS];
    double         last[WINDOWS]; /* place read last [m] */
    double         reach;         /* about the length of a window [m] */
    int            used;
} shared;

static int choose(shared *p, double s)
{
    int    best = 0;
    double near = HUGE_VAL;
    for (int i = 0; i < p->used; i++)
        if (fabs(p->last[i] - s) < near) near = fabs(p->last[i] - s), best = i;
    if (near > p->reach && p->used < WINDOWS) best = p->used++;
    p->last[best] = s;
    return best;
}

static kl_status shared_eval(const void *data, double s, int side, kl_path_cursor *cursor,
                             kl_path_point *out)
{
    (void)cursor;
    shared *p = *(shared *const *)data;
    while (atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire)) {
    }
    kl_status status = p->inner->type->eval(p->inner->data, s, side, &p->cursor[choose(p, s)], out);
    atomic_flag_clear_explicit(&p->busy, memory_order_release);
    return status;
}

static const kl_path_type shared_type = {"shared table", shared_eval, NULL};

kl_status kl_path_shared(const kl_path *inner, kl_arena *arena, const kl_path **out)
{
    int rows = inner->type->window_rows ? inner->type->window_rows(inner->data) : 0;
    *out     = inner;
    if (rows == 0) return KL_OK;
    kl_path *path = kl_arena_array(arena, kl_path, 1);
    shared  *p    = kl_arena_array(arena, shared, 1);
    shared **data = kl_arena_array(arena, shared *, 1);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    p->inner = inner;
    p->reach = 0.25 * (double)rows; /* rows stand a decimetre or more apart */
    atomic_flag_clear(&p->busy);
    for (int i = 0; i < WINDOWS; i++) KL_TRY(kl_path_cursor_init(inner, arena, &p->cursor[i]));
    *data = p;
    *path = (kl_path){.type   = &shared_type,
                      .data   = data,
                      .length = inner->length,
                      .closed = inner->closed,
                      .joint  = inner->joint,
                      .njoint = inner->njoint};
    *out  = path;
    return KL_OK;
}
