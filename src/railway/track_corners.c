#include "railway/track_corners.h"

#include <math.h>

/* How much slope, vertical curvature and its rise of either rail jump at s, at most: those of the path, and of its
 * frame that rolls at the rate kappa t, at y beside it. */
typedef struct jump {
    double slope, bend, rise; /* [-], [1/m], [1/m2] */
} jump;

static kl_status jump_at(const kl_path *path, double s, double half_gauge, kl_path_cursor *cursor,
                         jump *out)
{
    kl_path_point a, b;
    KL_TRY(kl_path_eval_side(path, s, -1, cursor, &a));
    KL_TRY(kl_path_eval_side(path, s, 1, cursor, &b));
    kl_vec3 up = kl_axis(&a.A, 2);
    out->slope =
        kl_norm(kl_sub(b.t, a.t)) + half_gauge * fabs(kl_dot(kl_sub(b.kappa, a.kappa), a.t));
    out->bend = fabs(kl_dot(kl_sub(b.dt, a.dt), up)) +
                half_gauge * fabs(kl_dot(kl_sub(b.dkappa, a.dkappa), a.t));
    out->rise = fabs(kl_dot(kl_sub(b.ddt, a.ddt), up)) +
                half_gauge * fabs(kl_dot(kl_sub(b.ddkappa, a.ddkappa), a.t));
    return KL_OK;
}

kl_status kl_track_corners_find(const kl_path *path, double half_gauge, kl_arena *arena,
                                kl_track_corners *out)
{
    /* at 100 m/s a wheel gets 1 mm/s or 1 m/s2 there, less than it has from the waviness of any rail; a rise that
     * lasts for the rounding of 0.2 m changes the slope by 1e-4 */
    const jump     matters = {1e-5, 1e-4, 1e-2};
    kl_path_cursor cursor  = {0};
    double        *s       = kl_arena_array(arena, double, path->njoint + 1);
    *out                   = (kl_track_corners){.s = s, .round = path->closed ? path->length : 0.0};
    if (!s) return KL_E_MEMORY;
    KL_TRY(kl_path_cursor_init(path, arena, &cursor));
    for (int i = 0; i < path->njoint; i++) {
        jump here;
        KL_TRY(jump_at(path, path->joint[i], half_gauge, &cursor, &here));
        out->sharp |= here.slope > matters.slope;
        if (here.slope > matters.slope || here.bend > matters.bend || here.rise > matters.rise)
            s[out->n++] = path->joint[i];
    }
    return KL_OK;
}

/* Corner i, counted on round after round where the track is closed. */
static double place_of(const kl_track_corners *c, int i)
{
    int round = (int)floor((double)i / c->n);
    return c->s[i - round * c->n] + round * c->round;
}

/* The number of the last corner at or before s. */
static int corner_before(const kl_track_corners *c, double s)
{
    int rounds = c->round > 0.0 ? (int)floor(s / c->round) : 0, i = -1;
    while (i + 1 < c->n && c->s[i + 1] + rounds * c->round <= s) i++;
    return rounds * c->n + i;
}

/* Between the corners a and b the parabola (s - a)(b - s)/(b - a) with alternating sign, whose slopes agree at
 * the corners; beyond the ends of an open track the straight line. */
double kl_track_corners_value(const kl_track_corners *c, double s, double *slope)
{
    int    i    = corner_before(c, s);
    double sign = i % 2 == 0 ? 1.0 : -1.0;
    if (c->round == 0.0 && i < 0) {
        *slope = 1.0;
        return s - c->s[0];
    }
    double a = place_of(c, i);
    if (c->round == 0.0 && i == c->n - 1) {
        *slope = sign;
        return sign * (s - a);
    }
    double b = place_of(c, i + 1);
    *slope   = sign * (a + b - 2.0 * s) / (b - a);
    return sign * (s - a) * (b - s) / (b - a);
}
