#include "geometry/profile.h"

#include <math.h>

#include "geometry/taylor.h"

void kl_profile_begin(kl_profile *p, kl_arena *arena, double a, double b)
{
    *p                   = (kl_profile){.arena = arena, .begin = {a, b}, .a = a, .b = b};
    p->curve.source_word = "part";
}

static kl_status begin_part(kl_profile *p, double a, double b, kl_place place, kl_diag *diag)
{
    if (!isfinite(a) || !isfinite(b))
        return kl_fail(diag, KL_E_NAN, place, "profile: point (%g, %g) is not finite", a, b);
    if (a == p->a && b == p->b)
        return kl_fail(diag, KL_E_RANGE, place,
                       "profile: this part ends where it begins, at (%g, %g); remove it", a, b);
    void     *data = p->place;
    kl_place *slot = kl_arena_grow(p->arena, &data, p->parts, &p->place_capacity, sizeof *slot);
    if (!slot) return KL_E_MEMORY;
    p->place = data, p->curve.source_place = data;
    *slot = place;
    p->parts++;
    return KL_OK;
}

kl_status kl_profile_line(kl_profile *p, double a, double b, kl_place place, kl_diag *diag)
{
    KL_TRY(begin_part(p, a, b, place, diag));
    double  length = hypot(a - p->a, b - p->b), u = p->curve.u_end;
    kl_vec3 coef[2] = {{p->a, p->b, 0}, {(a - p->a) / length, (b - p->b) / length, 0}};
    KL_TRY(kl_curve_add(&p->curve, p->arena, u + length, u, coef, 1, p->parts - 1, true));
    p->a = a, p->b = b;
    return KL_OK;
}

typedef struct circle {
    double ca, cb, radius, angle; /* centre; |radius|; angle at the present position */
    double rate;                  /* of the angle by length, signed */
} circle;

static void circle_series(const void *context, double u0, double u1, kl_series *r)
{
    const circle *c     = context;
    kl_series     phase = {{c->angle + 0.5 * (u1 - u0) * c->rate, c->rate}};
    kl_series_cos_sin(&phase, &r[0], &r[1]);
    for (int n = 0; n < KL_SERIES; n++)
        r[0].c[n] *= c->radius, r[1].c[n] *= c->radius, r[2].c[n] = 0.0;
    r[0].c[0] += c->ca;
    r[1].c[0] += c->cb;
}

static void circle_advance(void *context, const kl_series *r, double x)
{
    circle *c = context;
    (void)r;
    c->angle += 2.0 * x * c->rate;
}

static const kl_taylor circle_taylor = {circle_series, circle_advance};

kl_status kl_profile_arc(kl_profile *p, double a, double b, double radius, kl_place place,
                         kl_diag *diag)
{
    KL_TRY(begin_part(p, a, b, place, diag));
    double chord = hypot(a - p->a, b - p->b), half = 0.5 * chord, R = fabs(radius);
    if (!(R >= half * (1.0 - 1e-12)) || !isfinite(R))
        return kl_fail(
            diag, KL_E_RANGE, place,
            "profile: an arc over a chord of %g m needs a radius of at least %g m, got %g", chord,
            half, radius);
    /* the centre lies to the left of the chord when it bends left */
    double side = radius > 0.0 ? 1.0 : -1.0, rise = sqrt(fmax(R * R - half * half, 0.0));
    double ta = (a - p->a) / chord, tb = (b - p->b) / chord;
    circle c      = {.ca     = 0.5 * (a + p->a) - side * rise * tb,
                     .cb     = 0.5 * (b + p->b) + side * rise * ta,
                     .radius = R,
                     .rate   = side / R};
    c.angle       = atan2(p->b - c.cb, p->a - c.ca);
    double length = 2.0 * R * asin(fmin(1.0, half / R));
    KL_TRY(kl_taylor_lay(&circle_taylor, &c, p->arena, &p->curve, p->curve.u_end + length,
                         p->parts - 1, true, place, diag));
    p->a = a, p->b = b;
    return KL_OK;
}

/* Whether the last of n points is the first, within 1e-9 of how far they reach. */
static bool is_closed(const kl_vec3 *point, int n)
{
    double size = 0.0;
    for (int i = 1; i < n - 1; i++) size = fmax(size, kl_norm(kl_sub(point[i], point[0])));
    return kl_norm(kl_sub(point[n - 1], point[0])) <= 1e-9 * size;
}

kl_status kl_profile_points(kl_profile *p, const double *ab, int n, kl_interpolation kind,
                            kl_place place, kl_diag *diag)
{
    if (n < 1)
        return kl_fail(diag, KL_E_RANGE, place, "the profile has no points; give at least two");
    KL_TRY(begin_part(p, ab[0], ab[1], place, diag));
    kl_vec3 *point = kl_arena_array(p->arena, kl_vec3, n + 1);
    if (!point) return KL_E_MEMORY;
    point[0] = kl_vec(p->a, p->b, 0);
    for (int i = 0; i < n; i++) point[i + 1] = kl_vec(ab[2 * i], ab[2 * i + 1], 0);
    kl_control_points in = {.point  = point,
                            .n      = n + 1,
                            .kind   = kind,
                            .whole  = place,
                            .closed = n > 2 && p->parts == 1 && is_closed(point, n + 1)};
    if (in.closed) in.n = n; /* the first point represents the last */
    kl_curve *curve = NULL;
    KL_TRY(kl_curve_through(&in, p->arena, diag, &curve, NULL));
    double begin = p->curve.u_end;
    for (int i = 0; i < curve->npiece; i++) {
        const kl_curve_piece *q = &curve->piece[i];
        KL_TRY(kl_curve_add(&p->curve, p->arena, begin + kl_curve_piece_end(curve, i),
                            begin + q->origin, curve->coef + q->first, q->degree, p->parts - 1,
                            false));
    }
    p->a = ab[2 * n - 2], p->b = ab[2 * n - 1];
    return KL_OK;
}

kl_status kl_profile_end(kl_profile *p, double tolerance, kl_diag *diag)
{
    if (p->parts == 0)
        return kl_fail(diag, KL_E_MODEL, KL_NOWHERE, "the profile has no parts; give at least one");
    KL_TRY(kl_arc_build(&p->curve, tolerance, p->arena, diag, &p->arc));
    p->closed = hypot(p->a - p->begin[0], p->b - p->begin[1]) <= 1e-9 * p->arc->length;
    return KL_OK;
}

double kl_profile_length(const kl_profile *p) { return p->arc->length; }

void kl_profile_eval(const kl_profile *p, double w, int *hint, kl_vec3 d[3])
{
    *hint = kl_arc_find(p->arc, w, w >= p->arc->length ? -1 : 1, *hint);
    kl_arc_eval(p->arc, *hint, w, 2, d);
}
