#include "geometry/path_rounded.h"

#include <math.h>

#include "geometry/row.h"

typedef struct corner {
    double s, half; /* [m] */
    double row[2][KL_ROW];
} corner;

typedef struct rounded {
    const kl_path *inner;
    int            n;
    corner        *corner; /* ascending, apart from each other */
    const corner  *seam;   /* the corner where a closed path meets itself, at its length; or NULL */
} rounded;

/* The last corner that begins at or before s, or -1. */
static int find(const rounded *p, double s)
{
    int low = 0, high = p->n - 1, found = -1;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (p->corner[middle].s - p->corner[middle].half <= s) found = middle, low = middle + 1;
        else high = middle - 1;
    }
    return found;
}

/* Where the ends belong to either side, `side` chooses. */
static bool inside(const corner *c, double s, int side)
{
    double begin = c->s - c->half, end = c->s + c->half;
    return (s > begin || side >= 0) && (s < end || (s == end && side < 0));
}

static kl_status rounded_eval(const void *data, double s, int side, kl_path_cursor *cursor,
                              kl_path_point *out)
{
    const rounded *p     = data;
    double         along = p->seam && s < p->seam->half ? s + p->inner->length : s;
    int            i     = find(p, along);
    const corner  *c     = i >= 0 ? &p->corner[i] : NULL;
    if (!c || !inside(c, along, side))
        return p->inner->type->eval(p->inner->data, s, side, cursor, out);
    /* behind the seam s itself is the distance from it: no digit of it is lost to the length */
    double from = along == s ? s - c->s : s, h = 2.0 * c->half, x = (from + c->half) / h;
    kl_row_point(KL_TABLE_QUINTIC, c->row[0], c->row[1], h, x, out);
    return KL_OK;
}

static int rounded_rows(const void *data)
{
    const kl_path *inner = ((const rounded *)data)->inner;
    return inner->type->window_rows ? inner->type->window_rows(inner->data) : 0;
}

static const kl_path_type rounded_type = {"rounded", rounded_eval, rounded_rows};

/* Does curvature or the turn of the frame jump from `before`, seen from below, to `after`? */
static kl_status jumps(const kl_path *path, double before, double after, kl_path_cursor *cursor,
                       bool *out)
{
    const double  least = 1e-7; /* [1/m]: at 40 m/s less than 2e-4 m/s2 */
    kl_path_point a, b;
    KL_TRY(kl_path_eval_side(path, before, -1, cursor, &a));
    KL_TRY(kl_path_eval_side(path, after, 1, cursor, &b));
    *out = kl_norm(kl_sub(a.dt, b.dt)) > least || kl_norm(kl_sub(a.kappa, b.kappa)) > least;
    return KL_OK;
}

/* Joints of the path and the ends of the corners, ascending. */
static kl_status collect_joints(const rounded *p, kl_arena *arena, kl_path *path)
{
    const kl_path *inner = p->inner;
    double        *joint = kl_arena_array(arena, double, inner->njoint + 2 * p->n + 1);
    if (!joint) return KL_E_MEMORY;
    int n = 0, k = 0;
    if (p->seam) joint[n++] = p->seam->half;
    for (int i = 0; i < inner->njoint; i++) {
        double s = inner->joint[i];
        if (k < p->n && s == p->corner[k].s) {
            joint[n++] = s - p->corner[k].half;
            joint[n++] = s + p->corner[k].half;
            k++;
        } else joint[n++] = s;
    }
    if (p->seam) joint[n++] = p->seam->s - p->seam->half;
    path->joint = joint, path->njoint = n;
    return KL_OK;
}

/* A corner at s, if there is a jump and room for one between the joints before and after. */
static kl_status round_at(rounded *p, double s, double room, double length, kl_path_cursor *cursor)
{
    const kl_path *inner = p->inner;
    bool           seam  = s == inner->length, jump;
    corner        *c     = &p->corner[p->n];
    *c                   = (corner){.s = s, .half = fmin(0.5 * length, 0.4 * room)};
    KL_TRY(jumps(inner, s, seam ? 0.0 : s, cursor, &jump));
    if (!jump || !(c->half > 1e-6)) return KL_OK;
    for (int k = 0; k < 2; k++) {
        kl_path_point at;
        double        where = k == 0 ? s - c->half : seam ? c->half : s + c->half;
        KL_TRY(kl_path_eval(inner, where, cursor, &at));
        kl_path_row(&at, where, c->row[k]);
    }
    if (seam) p->seam = c;
    p->n++;
    return KL_OK;
}

kl_status kl_path_rounded(const kl_path *inner, double length, kl_arena *arena, const kl_path **out)
{
    kl_path_cursor cursor;
    kl_path       *path = kl_arena_array(arena, kl_path, 1);
    rounded       *p    = kl_arena_array(arena, rounded, 1);
    int            n    = inner->njoint;
    *out                = inner;
    if (!path || !p) return KL_E_MEMORY;
    if (!(length > 0.0) || (n == 0 && !inner->closed)) return KL_OK;
    KL_TRY(kl_path_cursor_init(inner, arena, &cursor));
    p->inner  = inner;
    p->corner = kl_arena_array(arena, corner, n + 1);
    if (!p->corner) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) {
        double s = inner->joint[i], before = i > 0 ? inner->joint[i - 1] : 0.0;
        double after = i + 1 < n ? inner->joint[i + 1] : inner->length;
        KL_TRY(round_at(p, s, fmin(s - before, after - s), length, &cursor));
    }
    if (inner->closed) {
        double first = n > 0 ? inner->joint[0] : inner->length;
        double last  = n > 0 ? inner->length - inner->joint[n - 1] : inner->length;
        KL_TRY(round_at(p, inner->length, fmin(first, last), length, &cursor));
    }
    if (p->n == 0) return KL_OK;
    *path = (kl_path){
        .type = &rounded_type, .data = p, .length = inner->length, .closed = inner->closed};
    *out = path;
    return collect_joints(p, arena, path);
}
