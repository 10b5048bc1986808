#include "geometry/path_check.h"

#include <math.h>
#include <stdlib.h>

/* ---- extremes ---- */

static void larger(kl_extreme *e, double value, double s)
{
    if (value > e->value) *e = (kl_extreme){value, s};
}

/* Steeper than 60 degrees, neither roll against level nor a plan says much. */
static const double GENTLE = 0.25; /* cosine squared */

/* Roll against level from the heights of the left and up axes, with two derivatives. Where it is
 * too steep: false, and the turn of the frame about the way in its place. */
static bool roll_of(const kl_path_point *p, double f[3])
{
    double y = kl_axis(&p->A, 1).z, z = kl_axis(&p->A, 2).z, w = y * y + z * z;
    if (w < GENTLE) {
        f[0] = 0.0;
        f[1] = kl_dot(p->kappa, p->t);
        f[2] = kl_dot(p->dkappa, p->t) + kl_dot(p->kappa, p->dt);
        return false;
    }
    double y1 = kl_path_axis_d1(p, 1).z, z1 = kl_path_axis_d1(p, 2).z;
    double y2 = kl_path_axis_d2(p, 1).z, z2 = kl_path_axis_d2(p, 2).z;
    double n = y1 * z - y * z1;
    f[0]     = atan2(y, z);
    f[1]     = n / w;
    f[2]     = (y2 * z - y * z2) / w - n * 2.0 * (y * y1 + z * z1) / (w * w);
    return true;
}

/* Curvatures seen from above, in the upright plane, and in space. */
static void curvatures(const kl_path_point *p, double *plan, double *vertical, double *whole)
{
    kl_vec3 t = p->t, k = p->dt;
    double  c = hypot(t.x, t.y);
    *whole    = kl_norm(k);
    *plan     = c * c > GENTLE ? fabs(t.x * k.y - t.y * k.x) / (c * c * c) : 0.0;
    *vertical = c > 1e-6 ? fabs(k.z) / c : *whole; /* the slope angle by length */
}

static void check_point(const kl_path_point *p, double s, kl_path_report *r)
{
    double plan, vertical, whole, roll[3];
    curvatures(p, &plan, &vertical, &whole);
    /* kept as curvatures while looking; turned into radii at the end */
    larger(&r->radius, whole, s);
    larger(&r->plan_radius, plan, s);
    larger(&r->vertical_radius, vertical, s);
    larger(&r->slope, fabs(asin(fmax(-1.0, fmin(1.0, p->t.z)))), s);
    larger(&r->lateral_jerk, kl_norm(kl_axpy(-kl_dot(p->ddt, p->t), p->t, p->ddt)), s);
    if (roll_of(p, roll)) larger(&r->roll, fabs(roll[0]), s);
    larger(&r->roll_rate, fabs(roll[1]), s);
    larger(&r->roll_jerk, fabs(roll[2]), s);
    r->low  = kl_vec(fmin(r->low.x, p->r.x), fmin(r->low.y, p->r.y), fmin(r->low.z, p->r.z));
    r->high = kl_vec(fmax(r->high.x, p->r.x), fmax(r->high.y, p->r.y), fmax(r->high.z, p->r.z));
}

/* ---- jumps ---- */

static void jump(kl_jumps *j, double size, double least, double s)
{
    if (!(size > least)) return;
    j->count++;
    if (size > j->largest) j->largest = size, j->s = s;
}

/* Below these a jump is rounding: [m], [rad], [1/m]. */
static const double LEAST_GAP = 1e-7, LEAST_ANGLE = 1e-7, LEAST_CURVATURE = 1e-8;

static void check_interval(const kl_path_point *p, const kl_path_point *q, double s,
                           kl_path_report *r)
{
    double  roll[2][3];
    kl_vec3 y0 = kl_axis(&p->A, 1), y1 = kl_axis(&q->A, 1), t = q->t;
    jump(&r->gap, kl_norm(kl_sub(q->r, p->r)), LEAST_GAP, s);
    jump(&r->kink, atan2(kl_norm(kl_cross(p->t, q->t)), kl_dot(p->t, q->t)), LEAST_ANGLE, s);
    y0 = kl_axpy(-kl_dot(y0, t), t, y0);
    jump(&r->twist, fabs(atan2(kl_dot(kl_cross(y0, y1), t), kl_dot(y0, y1))), LEAST_ANGLE, s);
    jump(&r->curvature, kl_norm(kl_sub(q->dt, p->dt)), LEAST_CURVATURE, s);
    if (roll_of(p, roll[0]) == roll_of(q, roll[1]))
        jump(&r->roll_rate_jump, fabs(roll[1][1] - roll[0][1]), LEAST_CURVATURE, s);
}

static kl_status check_range(const kl_path *path, double a, double b, double step,
                             kl_path_cursor *cursor, kl_path_report *r)
{
    double count = fmin(fmax(ceil((b - a) / step), 8.0), 1e8);
    int    n     = (int)count;
    for (int i = 0; i <= n; i++) {
        double        s = i == n ? b : a + (b - a) * i / n;
        kl_path_point p;
        KL_TRY(kl_path_eval_side(path, s, i == n ? -1 : 1, cursor, &p));
        check_point(&p, s, r);
    }
    return KL_OK;
}

static void into_radius(kl_extreme *e) { e->value = e->value > 0.0 ? 1.0 / e->value : HUGE_VAL; }

kl_status kl_path_check(const kl_path *path, double step, kl_arena *arena, kl_path_report *r)
{
    kl_path_cursor cursor;
    kl_path_point  p, q;
    KL_TRY(kl_path_cursor_init(path, arena, &cursor));
    if (!(step > 0.0)) step = fmin(0.5, 1e-3 * path->length);
    *r       = (kl_path_report){.length = path->length,
                                .low    = {HUGE_VAL, HUGE_VAL, HUGE_VAL},
                                .high   = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    double a = 0.0;
    for (int i = 0; i <= path->njoint; i++) {
        double b = i < path->njoint ? path->joint[i] : path->length;
        KL_TRY(check_range(path, a, b, step, &cursor, r));
        a = b;
        if (i == path->njoint && !path->closed) break;
        KL_TRY(kl_path_eval_side(path, b, -1, &cursor, &p));
        KL_TRY(kl_path_eval_side(path, i == path->njoint ? 0.0 : b, 1, &cursor, &q));
        check_interval(&p, &q, b, r);
    }
    into_radius(&r->radius);
    into_radius(&r->plan_radius);
    into_radius(&r->vertical_radius);
    return KL_OK;
}

kl_status kl_path_jumps(const kl_path *path, kl_arena *arena, kl_jumps *kink, kl_jumps *turn)
{
    const double   least_turn = 1e-6; /* [1/m]: at 100 m/s an angular velocity of 1e-4 rad/s */
    kl_path_cursor cursor;
    kl_path_point  p, q;
    *kink = *turn = (kl_jumps){0};
    KL_TRY(kl_path_cursor_init(path, arena, &cursor));
    for (int i = 0; i < path->njoint + path->closed; i++) {
        double s = i < path->njoint ? path->joint[i] : path->length;
        KL_TRY(kl_path_eval_side(path, s, -1, &cursor, &p));
        KL_TRY(kl_path_eval_side(path, i < path->njoint ? s : 0.0, 1, &cursor, &q));
        kl_mat3 *A = &p.A, *B = &q.A;
        double   angle = 0.0;
        for (int k = 0; k < 3; k++)
            angle = fmax(angle, atan2(kl_norm(kl_cross(kl_axis(A, k), kl_axis(B, k))),
                                      kl_dot(kl_axis(A, k), kl_axis(B, k))));
        jump(kink, angle, LEAST_ANGLE, s);
        jump(turn, kl_norm(kl_sub(p.kappa, q.kappa)), least_turn, s);
    }
    return KL_OK;
}

/* ---- crossings ---- */

/* Chords of the path sorted into cubes; only chords in neighbouring cubes can meet. */
typedef struct chord {
    long long cube; /* x, y, z packed */
    int       i;
} chord;

typedef struct chords {
    const kl_vec3 *r;
    int            n; /* chords; n + 1 points */
    double         step, cube;
    kl_vec3        origin;
} chords;

static long long pack(long long x, long long y, long long z)
{
    return (x << 42) ^ (y << 21) ^ z; /* 21 bits each: two million cubes a side */
}

static void cube_of(const chords *c, int i, long long k[3])
{
    kl_vec3 m = kl_scale(0.5, kl_add(c->r[i], c->r[i + 1]));
    k[0]      = (long long)floor((m.x - c->origin.x) / c->cube) + 1;
    k[1]      = (long long)floor((m.y - c->origin.y) / c->cube) + 1;
    k[2]      = (long long)floor((m.z - c->origin.z) / c->cube) + 1;
}

static int by_cube(const void *a, const void *b)
{
    const chord *x = a, *y = b;
    if (x->cube != y->cube) return x->cube < y->cube ? -1 : 1;
    return x->i - y->i;
}

static double clamp01(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

/* Distance of two segments, and where along each it is least (Ericson, Real-Time Collision
 * Detection, section 5.1.9). */
static double segment_distance(kl_vec3 p, kl_vec3 p1, kl_vec3 q, kl_vec3 q1, double *a, double *b)
{
    kl_vec3 d = kl_sub(p1, p), e = kl_sub(q1, q), w = kl_sub(p, q);
    double  dd = kl_dot(d, d), ee = kl_dot(e, e), de = kl_dot(d, e), dw = kl_dot(d, w),
           ew  = kl_dot(e, w);
    double det = dd * ee - de * de;
    *a         = det > 1e-12 * dd * ee ? clamp01((de * ew - dw * ee) / det) : 0.0;
    *b         = clamp01((*a * de + ew) / ee);
    *a         = clamp01((*b * de - dw) / dd);
    return kl_norm(kl_sub(kl_axpy(*a, d, p), kl_axpy(*b, e, q)));
}

typedef struct crossing_list {
    kl_meeting *out;
    int         capacity, n;
    double      apart;  /* crossings nearer than this along both parts are one */
    double      period; /* of a closed path, else 0 */
} crossing_list;

static bool nearby(const crossing_list *l, double a, double b)
{
    double way = fabs(a - b);
    return fmin(way, l->period > 0.0 ? l->period - way : way) <= l->apart;
}

static bool same_crossing(const crossing_list *l, const kl_meeting *a, const kl_meeting *b)
{
    return (nearby(l, a->s[0], b->s[0]) && nearby(l, a->s[1], b->s[1])) ||
           (nearby(l, a->s[0], b->s[1]) && nearby(l, a->s[1], b->s[0]));
}

static void note_crossing(crossing_list *l, kl_meeting c)
{
    int last = l->n < l->capacity ? l->n : l->capacity;
    for (int i = last - 1; i >= 0; i--) {
        kl_meeting *k = &l->out[i];
        if (!same_crossing(l, k, &c)) continue;
        if (c.distance < k->distance) *k = c;
        return;
    }
    if (l->n < l->capacity) l->out[l->n] = c;
    l->n++;
}

/* All chords j > i in the cubes around chord i. */
static void compare_chord(const chords *c, const chord *sorted, int i, double clearance,
                          double apart, double length, bool closed, crossing_list *list)
{
    long long k[3];
    cube_of(c, i, k);
    for (int n = 0; n < 27; n++) {
        chord key = {pack(k[0] + n % 3 - 1, k[1] + n / 3 % 3 - 1, k[2] + n / 9 - 1), i + 1};
        int   low = 0, high = c->n;
        while (low < high) { /* first chord of that cube behind i */
            int mid = (low + high) / 2;
            if (by_cube(&sorted[mid], &key) < 0) low = mid + 1;
            else high = mid;
        }
        for (; low < c->n && sorted[low].cube == key.cube; low++) {
            int    j   = sorted[low].i;
            double way = (j - i) * c->step, a, b;
            if (way < apart || (closed && length - way < apart)) continue;
            double d = segment_distance(c->r[i], c->r[i + 1], c->r[j], c->r[j + 1], &a, &b);
            if (d <= clearance)
                note_crossing(list, (kl_meeting){{(i + a) * c->step, (j + b) * c->step}, d});
        }
    }
}

kl_status kl_path_crossings(const kl_path *path, double clearance, double apart, kl_meeting *out,
                            int capacity, int *n)
{
    kl_path_cursor cursor;
    kl_arena      *arena = kl_arena_create();
    double         step  = fmax(fmin(1.0, path->length / 200.0), path->length / 2e6);
    chords         c     = {.n = (int)ceil(path->length / step)};
    *n                   = 0;
    c.step               = path->length / c.n;
    kl_vec3  *r          = kl_arena_array(arena, kl_vec3, c.n + 1);
    chord    *sorted     = kl_arena_array(arena, chord, c.n);
    kl_status status = kl_arena_ok(arena) ? kl_path_cursor_init(path, arena, &cursor) : KL_E_MEMORY;
    for (int i = 0; status == KL_OK && i <= c.n; i++) {
        kl_path_point p;
        status = kl_path_eval_side(path, i * c.step, i == c.n ? -1 : 1, &cursor, &p);
        if (status == KL_OK) r[i] = p.r;
    }
    if (status == KL_OK) {
        c.r = r, c.cube = c.step + clearance, c.origin = r[0];
        for (int i = 0; i <= c.n; i++)
            c.origin = kl_vec(fmin(c.origin.x, r[i].x), fmin(c.origin.y, r[i].y),
                              fmin(c.origin.z, r[i].z));
        for (int i = 0; i < c.n; i++) {
            long long k[3];
            cube_of(&c, i, k);
            sorted[i] = (chord){pack(k[0], k[1], k[2]), i};
        }
        qsort(sorted, (size_t)c.n, sizeof *sorted, by_cube);
        if (!(apart > 0.0)) apart = 10.0 * (clearance + c.step);
        crossing_list list = {out, capacity, 0, fmax(apart, 2.0 * c.step),
                              path->closed ? path->length : 0.0};
        for (int i = 0; i < c.n; i++)
            compare_chord(&c, sorted, i, clearance, apart, path->length, path->closed, &list);
        *n = list.n;
    }
    kl_arena_destroy(arena);
    return status;
}
