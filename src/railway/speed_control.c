/* A driver who keeps to a speed along the track: a force on one body of a vehicle, in the direction
 * of the track abreast of it.
 *
 * With a timetable (no limits given) the force is
 *
 *     F = k (s_ref(t) - s) + c (s_ref'(t) - v),    s_ref' = speed(s_ref), s_ref(0) = s(0)
 *
 * so the vehicle keeps the speed exactly however large the resistance is, and a search for steady
 * motion finds it held along the track. With `traction` or `braking` the force is limited, and a
 * vehicle that cannot keep up must not be pulled back to a timetable:
 *
 *     F = c (speed(s) - v), between -braking and traction
 *
 * A run that starts in steady motion holds the speed v0 of the start by F = k (s0 + v0 t - s) + c (v0 - v) there, which
 * fades into the limited force over the first 0.2 s: nothing would be steady under brakes.
 *
 * Marker 0 carries the track, marker 1 is the point that is pulled. */
#include <math.h>
#include <string.h>

#include "geometry/named.h"
#include "model/model.h"
#include "railway/pair_slopes.h"
#include "railway/railway.h"
#include "railway/track_place.h"
#include "script/function.h"

typedef struct speed_control {
    /* keys */
    kl_function          *speed; /* over the length along the track [m/s] */
    const kl_named_track *track; /* NULL: straight along x of marker 0 */
    double                k, c, traction, braking, until;
    /* from setup */
    double     s0;          /* length along the track at the start [m] */
    double     v0;          /* speed along the track at the start [m/s] */
    bool       steady;      /* the run starts in steady motion */
    double     first, last; /* the profile's range; constant outside [m] */
    bool       timetable;
    kl_spline *ahead; /* of the timetable: s over t; NULL: constant speed */
} speed_control;

typedef struct speed_cache {
    bool    known;
    double  s;    /* [m] */
    kl_vec3 x;    /* direction of the track there, global */
    kl_vec3 bend; /* its derivative by s [1/m] */
    double  pace; /* metres along x of the point for a metre of s */
    /* not kept with an accepted step; a window of a long table lies behind */
    kl_rails_cursor cursor;
} speed_cache;

/* ---- set-up ---- */

static double speed_at(const speed_control *p, double s)
{
    double v[3];
    kl_function_eval(p->speed, fmin(fmax(s, p->first), p->last), NULL, v);
    return v[0];
}

/* Its derivative by s. */
static double speed_rise(const speed_control *p, double s)
{
    double v[3];
    kl_function_eval(p->speed, fmin(fmax(s, p->first), p->last), NULL, v);
    return s > p->first && s < p->last ? v[1] : 0.0;
}

/* The range in which the profile has points; without any it is constant everywhere. */
static kl_status profile_range(speed_control *p, const kl_setup *s)
{
    int n    = kl_function_corners(p->speed, NULL, 0);
    p->first = p->last = 0.0;
    if (n < 2) return KL_OK;
    double *corner = kl_arena_array(s->arena, double, n);
    if (!corner) return KL_E_MEMORY;
    n        = kl_function_corners(p->speed, corner, n);
    p->first = corner[0], p->last = corner[n - 1];
    return KL_OK;
}

/* Time over length: dt = ds/speed(s), Simpson's rule on short pieces; the spline gives s over t. */
static kl_status make_timetable(speed_control *p, const kl_setup *s)
{
    enum { PIECES = 2000 };
    const double slowest = 0.1;
    double       way     = speed_at(p, p->s0) < 0.0 ? -1.0 : 1.0;
    double       end     = way > 0.0 ? p->last : p->first;
    if (way * (end - p->s0) <= 0.0) return KL_OK; /* constant from the start on */
    double *t = kl_arena_array(s->arena, double, PIECES + 1);
    double *x = kl_arena_array(s->arena, double, PIECES + 1);
    if (!t || !x) return KL_E_MEMORY;
    double ds = (end - p->s0) / PIECES;
    x[0]      = p->s0;
    for (int i = 1; i <= PIECES; i++) {
        double at[3] = {x[i - 1], x[i - 1] + 0.5 * ds, x[i - 1] + ds}, v[3];
        for (int k = 0; k < 3; k++) {
            v[k] = speed_at(p, at[k]);
            if (!(way * v[k] >= slowest))
                return kl_fail(
                    s->diag, KL_E_RANGE, s->place,
                    "speed-control '%s': the speed is %.4g m/s at %.6g m of the track; a "
                    "timetable needs at least 0.1 m/s all the way. To stop, give "
                    "`braking: 100 kN`",
                    s->name, v[k], at[k]);
        }
        x[i] = p->s0 + i * ds;
        t[i] = t[i - 1] + ds / 6.0 * (1.0 / v[0] + 4.0 / v[1] + 1.0 / v[2]);
    }
    p->ahead = kl_spline_create(s->arena, t, x, PIECES + 1, KL_SPLINE_CUBIC, KL_ENDS_LINEAR);
    return p->ahead ? KL_OK : KL_E_MEMORY;
}

static kl_status speed_control_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                                     kl_element_size *size)
{
    (void)nmarker;
    speed_control *p     = data;
    kl_vec3        local = kl_mul_t(&m[0].A, kl_sub(m[1].r, m[0].r));
    p->s0                = local.x;
    if (p->track) KL_TRY(kl_track_place_find(p->track->path, local, s->arena, &p->s0));
    kl_vec3 forward = kl_vec(1.0, 0.0, 0.0);
    if (p->track) {
        const kl_rails  middle = {.path = p->track->path};
        kl_rails_cursor cursor = {0};
        kl_rail_point   at;
        KL_TRY(kl_path_cursor_init(p->track->path, s->arena, &cursor.path));
        KL_TRY(kl_rail_at(&middle, 0, p->s0, &cursor, &at));
        forward = kl_axis(&at.A, 0);
    }
    p->v0        = kl_dot(kl_mul_t(&m[0].A, kl_sub(m[1].v, m[0].v)), forward);
    p->timetable = isnan(p->traction) && isnan(p->braking);
    p->steady    = !p->timetable && s->model && s->model->settings.start == KL_START_STEADY;
    KL_TRY(profile_range(p, s));
    if (p->timetable) KL_TRY(make_timetable(p, s));
    size_t window = p->track ? kl_path_window_bytes(p->track->path) : 0;
    size->buffer  = sizeof(speed_cache) - offsetof(speed_cache, cursor) + window;
    size->cache   = sizeof(speed_cache) + window;
    return KL_OK;
}

/* ---- motion ---- */

static kl_status speed_control_locate(const kl_reading *in, void *cache)
{
    const speed_control *p     = in->data;
    speed_cache         *c     = cache;
    const speed_cache   *last  = in->accepted;
    const kl_motion     *m     = in->m;
    const kl_path       *path  = p->track ? p->track->path : NULL;
    kl_vec3              local = kl_mul_t(&m[0].A, kl_sub(m[1].r, m[0].r));
    kl_rail_point        at;
    if (path) kl_path_cursor_place(path, c + 1, &c->cursor.path);
    c->s = last && last->known ? last->s : p->s0;
    KL_TRY(kl_track_abreast(path, local, &c->cursor, &c->s, &at));
    /* s follows from (point - r(s)).x(s) = 0 */
    double  speed = kl_norm(at.dr);
    kl_vec3 bend  = kl_axpy(speed * at.bend_y, kl_axis(&at.A, 1),
                            kl_scale(speed * at.bend_z, kl_axis(&at.A, 2)));
    c->pace       = speed - kl_dot(kl_sub(local, at.r), bend);
    c->x          = kl_mul(&m[0].A, kl_axis(&at.A, 0));
    c->bend       = kl_mul(&m[0].A, bend);
    c->known      = true;
    return KL_OK;
}

/* Velocity of the point against the track. */
static kl_vec3 velocity_of(const kl_motion *m)
{
    kl_vec3 d = kl_sub(m[1].r, m[0].r);
    return kl_sub(kl_sub(m[1].v, m[0].v), kl_cross(m[0].w, d));
}

static double running_speed(const kl_motion *m, const speed_cache *c)
{
    return kl_dot(velocity_of(m), c->x);
}

/* Where the timetable is at t, and its speed. */
static void timetable_at(const speed_control *p, double t, double *s, double *v)
{
    double out[3];
    if (p->ahead) {
        kl_spline_eval(p->ahead, t, out);
        *s = out[0], *v = out[1];
    } else {
        *v = speed_at(p, p->s0);
        *s = p->s0 + *v * t;
    }
}

static const double FADE = 0.2; /* in which forces come and go [s] */

/* 0 at x = 0, 1 from x = 1 on: a quintic, so that forces change smoothly. */
static double rise(double x)
{
    x = fmin(1.0, x);
    return x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
}

/* 1 until the driver lets go, 0 from `FADE` later on. */
static double hold(const speed_control *p, double t)
{
    return isnan(p->until) || t <= p->until ? 1.0 : 1.0 - rise((t - p->until) / FADE);
}

/* 0 at a start in steady motion, 1 from `FADE` later on. */
static double begun_at(const speed_control *p, double t)
{
    return p->steady ? rise(t / FADE) : 1.0;
}

/* The force within its limits. */
static double limited(const speed_control *p, double f)
{
    if (!isnan(p->traction)) f = fmin(f, p->traction);
    if (!isnan(p->braking)) f = fmax(f, -p->braking);
    return f;
}

static double drive(const speed_control *p, const kl_motion *m, const speed_cache *c, double t)
{
    double s, v, share = hold(p, t);
    if (share == 0.0) return 0.0;
    if (p->timetable) {
        timetable_at(p, t, &s, &v);
        return share * (p->k * (s - c->s) + p->c * (v - running_speed(m, c)));
    }
    double begun = begun_at(p, t);
    double F     = begun * limited(p, p->c * (speed_at(p, c->s) - running_speed(m, c)));
    if (begun < 1.0)
        F += (1.0 - begun) *
             (p->k * (p->s0 + p->v0 * t - c->s) + p->c * (p->v0 - running_speed(m, c)));
    return share * F;
}

/* Derivatives of the force by s and by the running speed. */
static void drive_slopes(const speed_control *p, const kl_motion *m, const speed_cache *c, double t,
                         double *by_s, double *by_v)
{
    double share = hold(p, t);
    *by_s        = -share * p->k;
    *by_v        = -share * p->c;
    if (p->timetable) return;
    double f = p->c * (speed_at(p, c->s) - running_speed(m, c));
    if (limited(p, f) != f) share = 0.0;
    double begun = begun_at(p, t), held = hold(p, t) * (1.0 - begun);
    *by_s = begun * share * p->c * speed_rise(p, c->s) - held * p->k;
    *by_v = -begun * share * p->c - held * p->c;
}

static kl_status speed_control_eval(const kl_reading *in, kl_writing *out)
{
    const speed_cache *c = in->cache;
    double             F = drive(in->data, in->m, c, in->t);
    kl_vec3            f = kl_scale(F, c->x), d = kl_sub(in->m[1].r, in->m[0].r);
    kl_store(out->wrench, kl_neg(f));
    kl_store(out->wrench + 3, kl_neg(kl_cross(d, f)));
    kl_store(out->wrench + 6, f);
    out->supply = F * running_speed(in->m, c);
    return KL_OK;
}

/* The change of the wrenches when marker 1 moves by `e` and the force changes by `df`. */
static void put_column(double D[12][6], int j, kl_vec3 d, kl_vec3 e, kl_vec3 f, kl_vec3 df)
{
    double column[12] = {0};
    kl_store(column, kl_neg(df));
    kl_store(column + 3, kl_neg(kl_add(kl_cross(e, f), kl_cross(d, df))));
    kl_store(column + 6, df);
    for (int i = 0; i < 12; i++) D[i][j] = column[i];
}

/* f = F x with F(s, V), V = u.x; moving marker 1 by e changes s by e.x/pace, x by bend ds and u by
 * -w0 x e. */
static void speed_control_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const kl_motion   *m        = in->m;
    const speed_cache *c        = in->cache;
    double             K[12][6] = {{0}}, C[12][6] = {{0}}, w[12] = {0}, by_s, by_v;
    kl_vec3            d = kl_sub(m[1].r, m[0].r), u = velocity_of(m);
    double             F = drive(in->data, m, c, in->t);
    kl_vec3            f = kl_scale(F, c->x);
    drive_slopes(in->data, m, c, in->t, &by_s, &by_v);
    put_column(K, 0, d, kl_vec(0, 0, 0), f, f); /* the wrenches themselves */
    for (int i = 0; i < 12; i++) w[i] = K[i][0];
    for (int j = 0; j < 3; j++) {
        double one[3] = {0};
        one[j]        = 1.0;
        kl_vec3 e     = kl_load(one);
        double  ds = kl_dot(e, c->x) / c->pace, dV = ds * kl_dot(u, c->bend);
        dV -= kl_dot(kl_cross(m[0].w, e), c->x);
        put_column(K, j, d, e, f, kl_axpy(by_s * ds + by_v * dV, c->x, kl_scale(F * ds, c->bend)));
        put_column(C, j, d, kl_vec(0, 0, 0), f, kl_scale(by_v * kl_dot(e, c->x), c->x));
    }
    kl_pair_slopes(m, w, K, C, out);
}

static void speed_control_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const speed_control *p = in->data;
    const speed_cache   *c = in->cache;
    double               s = c->s;
    values[0]              = drive(p, in->m, c, in->t);
    values[1]              = running_speed(in->m, c);
    values[2]              = speed_at(p, c->s);
    if (p->timetable) timetable_at(p, in->t, &s, &values[2]);
    values[3] = c->s;
}

static const kl_key speed_control_keys[] = {
    {.name   = "speed",
     .kind   = KL_KEY_FUNCTION,
     .offset = offsetof(speed_control, speed),
     .unit   = "m/s",
     .by     = "m",
     .help   = "speed to keep: a number, or a table over the length along the track, whose end "
               "values hold outside"},
    {.name     = "track",
     .kind     = KL_KEY_RESOURCE,
     .offset   = offsetof(speed_control, track),
     .words    = "tracks",
     .fallback = "",
     .help     = "the track named under `tracks`; default: straight along x of the first marker"},
    {.name     = "stiffness",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(speed_control, k),
     .unit     = "N/m",
     .fallback = "20 kN/m",
     .max      = 1e300,
     .help     = "force per metre behind the timetable"},
    {.name     = "damping",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(speed_control, c),
     .unit     = "N s/m",
     .fallback = "50 kN s/m",
     .max      = 1e300,
     .help     = "force per m/s below the required speed"},
    {.name     = "traction",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(speed_control, traction),
     .unit     = "N",
     .fallback = "",
     .max      = 1e300,
     .help = "largest tractive force; if it is given, the force depends on the speed only, without "
             "a timetable"},
    {.name     = "braking",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(speed_control, braking),
     .unit     = "N",
     .fallback = "",
     .max      = 1e300,
     .help = "largest braking force; if it is given, the force depends on the speed only, without "
             "a timetable"},
    {.name     = "until",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(speed_control, until),
     .unit     = "s",
     .fallback = "",
     .help = "time at which the control is switched off, over 0.2 s; then the vehicle coasts or "
             "other forces brake it"},
    {0}};

static const kl_output speed_control_outputs[] = {{"pull", "N", "force on the body, forward"},
                                                  {"running_speed", "m/s", "speed along the track"},
                                                  {"set_speed", "m/s", "required speed"},
                                                  {"distance", "m", "length along the track"},
                                                  {0}};

const kl_element_type kl_speed_control = {
    .name = "speed-control",
    .help =
        "speed control of a vehicle: constant speed, or a speed over the length along the track",
    .equation = "F = k (s_ref(t) - s) + c (s_ref' - v); with limits F = c (speed(s) - v)",
    .example  = "driver: {type: speed-control, between: [ground, car], at: [[0, 0, 0], [0, 0, 1]], "
                "speed: 30 m/s}",
    .keys     = speed_control_keys,
    .outputs  = speed_control_outputs,
    .attach   = &kl_attach_pair,
    .data_size = sizeof(speed_control),
    .setup     = speed_control_setup,
    .locate    = speed_control_locate,
    .eval      = speed_control_eval,
    .tangent   = speed_control_tangent,
    .output    = speed_control_output};
