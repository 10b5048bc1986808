/* Each stretch where plan and profile keep their formula becomes one or more polynomials of degree
 * 13, the Taylor series around its middle: theta from the curvature's series, x and y by
 * integrating cos and sin of it, z from the profile. A stretch is halved until the last terms do
 * not matter to the fourth derivative. For a clothoid this is the classical Fresnel series, moved
 * along. */
#include "geometry/layout.h"

#include <math.h>

#include "geometry/taylor.h"

/* ---- the plan ---- */

typedef struct plan_state {
    const kl_layout *in;
    int              i;      /* element */
    double           begin;  /* its sigma */
    double           k0, k1; /* curvature at its ends */
    double           p[2];   /* of its shape */
} plan_state;

static double curvature_of(const kl_layout *in, int i)
{
    bool none = i < 0 || i >= in->nplan || in->plan[i].kind != KL_PLAN_CURVE;
    return none ? 0.0 : in->plan[i].curvature;
}

static double roll_of(const kl_layout *in, int i)
{
    bool none = i < 0 || i >= in->nplan || in->plan[i].kind == KL_PLAN_TRANSITION;
    return none ? 0.0 : in->plan[i].roll;
}

static const kl_shape *shape_of(const kl_plan_element *e)
{
    return e->shape ? e->shape : &kl_shape_clothoid;
}

static void plan_enter(plan_state *s, const kl_layout *in, int i, double begin)
{
    const kl_plan_element *e    = &in->plan[i];
    bool                   ramp = e->kind == KL_PLAN_TRANSITION;
    *s                          = (plan_state){.in = in, .i = i, .begin = begin};
    s->k0                       = curvature_of(in, ramp ? i - 1 : i);
    s->k1                       = curvature_of(in, ramp ? i + 1 : i);
    if (ramp) shape_of(e)->setup(fabs(s->k1 - s->k0) * e->length, s->p);
}

/* Curvature around sigma, which is not at a joint. */
static kl_series plan_curvature(const plan_state *s, double sigma)
{
    kl_series              k = {{s->k0}}, f;
    const kl_plan_element *e = &s->in->plan[s->i];
    if (s->k0 == s->k1) return k;
    const kl_shape *shape = shape_of(e);
    /* the cubic parabola grows out of a straight; towards one it runs backwards */
    bool   backwards = shape->from_straight && s->k1 == 0.0;
    double x = (sigma - s->begin) / e->length, from = backwards ? s->k1 : s->k0;
    double rise = backwards ? s->k0 - s->k1 : s->k1 - s->k0;
    double step = backwards ? -1.0 / e->length : 1.0 / e->length, power = 1.0;
    shape->series(s->p, backwards ? 1.0 - x : x, false, &f);
    for (int n = 0; n < KL_SERIES; n++, power *= step) k.c[n] = rise * f.c[n] * power;
    k.c[0] += from;
    return k;
}

/* ---- the profile ---- */

/* One polynomial or circle of the profile; a ramped parabola becomes three. */
typedef struct grade_piece {
    double begin, end;  /* sigma */
    double slope;       /* at the start */
    double bend, bend1; /* d2z/dsigma2 at the start, and its rate; parabola */
    double radius;      /* circle, positive when it bends upwards; 0: polynomial */
    int    source;
} grade_piece;

typedef struct profile {
    grade_piece *piece;
    int          n, capacity;
    double       end, slope;
} profile;

static kl_status profile_add(profile *p, kl_arena *arena, double length, double bend, double bend1,
                             double radius, int source)
{
    if (!(length > 0.0)) return KL_OK; /* a curve between equal slopes has no length */
    void        *data = p->piece;
    grade_piece *g    = kl_arena_grow(arena, &data, p->n, &p->capacity, sizeof *g);
    if (!g) return KL_E_MEMORY;
    p->piece = data;
    p->n++;
    *g = (grade_piece){p->end, p->end + length, p->slope, bend, bend1, radius, source};
    p->end += length;
    if (radius == 0.0) {
        p->slope += length * (bend + 0.5 * length * bend1);
    } else { /* sin of the slope angle grows linearly */
        double sine = p->slope / sqrt(1.0 + p->slope * p->slope) + length / radius;
        p->slope    = sine / sqrt(1.0 - sine * sine);
    }
    return KL_OK;
}

static double sine_of_slope(double slope) { return slope / sqrt(1.0 + slope * slope); }

static kl_status profile_parabola(profile *p, kl_arena *arena, const kl_grade_element *e,
                                  int source, kl_diag *diag)
{
    double change = e->slope - p->slope, ramp = e->ramp, side = change < 0.0 ? -1.0 : 1.0;
    if (change == 0.0) return profile_add(p, arena, e->length, 0.0, 0.0, 0.0, source);
    /* full bend b over the middle: |change| = b (length - ramp) */
    double length = e->radius > 0.0 ? fabs(change) * e->radius + ramp : e->length;
    if (length < 2.0 * ramp)
        return kl_fail(diag, KL_E_RANGE, e->place,
                       "this vertical curve is %g m long, too short for two ramps of %g m; use "
                       "shorter ramps or a larger radius",
                       length, ramp);
    double bend = side * (e->radius > 0.0 ? 1.0 / e->radius : fabs(change) / (length - ramp));
    if (ramp > 0.0) KL_TRY(profile_add(p, arena, ramp, 0.0, bend / ramp, 0.0, source));
    KL_TRY(profile_add(p, arena, length - 2.0 * ramp, bend, 0.0, 0.0, source));
    if (ramp > 0.0) KL_TRY(profile_add(p, arena, ramp, bend, -bend / ramp, 0.0, source));
    return KL_OK;
}

static kl_status profile_circle(profile *p, kl_arena *arena, const kl_grade_element *e, int source)
{
    double change = sine_of_slope(e->slope) - sine_of_slope(p->slope);
    double side   = change < 0.0 ? -1.0 : 1.0;
    if (change == 0.0) return profile_add(p, arena, e->length, 0.0, 0.0, 0.0, source);
    double length = e->radius > 0.0 ? e->radius * fabs(change) : e->length;
    return profile_add(p, arena, length, 0.0, 0.0, side * length / fabs(change), source);
}

static kl_status profile_build(const kl_layout *in, double plan_length, kl_arena *arena,
                               kl_diag *diag, profile *p)
{
    *p = (profile){0};
    if (in->ngrade > 0 && in->grade[0].kind == KL_GRADE_CONSTANT) p->slope = in->grade[0].slope;
    for (int i = 0; i < in->ngrade; i++) {
        const kl_grade_element *e = &in->grade[i];
        switch (e->kind) {
        case KL_GRADE_CONSTANT:
            p->slope = e->slope;
            KL_TRY(profile_add(p, arena, e->length, 0.0, 0.0, 0.0, i));
            break;
        case KL_GRADE_PARABOLA: KL_TRY(profile_parabola(p, arena, e, i, diag)); break;
        case KL_GRADE_CIRCLE: KL_TRY(profile_circle(p, arena, e, i)); break;
        }
        p->slope = e->slope; /* free of rounding */
    }
    if (p->end > plan_length * (1.0 + 1e-9) + 1e-6)
        return kl_fail(
            diag, KL_E_RANGE, in->grade[in->ngrade - 1].place,
            "the profile is %g m long, but the plan only %g m; give both the same length", p->end,
            plan_length);
    /* the last grade holds to the end; what rounding leaves over is given to the last piece */
    if (p->end < plan_length - 1e-9 * plan_length || p->n == 0)
        KL_TRY(profile_add(p, arena, plan_length - p->end, 0.0, 0.0, 0.0,
                           in->ngrade > 0 ? in->ngrade - 1 : 0));
    p->piece[p->n - 1].end = plan_length;
    return KL_OK;
}

/* dz/dsigma around sigma. */
static kl_series profile_slope(const grade_piece *g, double sigma)
{
    double x = sigma - g->begin;
    if (g->radius == 0.0)
        return (kl_series){{g->slope + x * (g->bend + 0.5 * x * g->bend1), g->bend + x * g->bend1,
                            0.5 * g->bend1}};
    kl_series sine = {{sine_of_slope(g->slope) + x / g->radius, 1.0 / g->radius}};
    kl_series w    = kl_series_product(&sine, &sine);
    for (int n = 0; n < KL_SERIES; n++) w.c[n] = -w.c[n];
    w.c[0] += 1.0;
    w = kl_series_power(&w, -0.5);
    return kl_series_product(&sine, &w);
}

/* ---- laying ---- */

typedef struct laying {
    plan_state         plan;
    const grade_piece *grade;
    kl_vec3            r; /* present position */
    double             theta;
} laying;

/* Series of theta, x, y, z around the middle of [a, b], anchored at a. */
static void stretch_series(const void *context, double a, double b, kl_series *r)
{
    const laying *l   = context;
    double        mid = 0.5 * (a + b), x = a - mid;
    kl_series     k     = plan_curvature(&l->plan, mid), c, s;
    kl_series     theta = kl_series_integral(&k, 0.0), dz = profile_slope(l->grade, mid);
    kl_series_anchor(&theta, x, l->theta);
    kl_series_cos_sin(&theta, &c, &s);
    r[0] = kl_series_integral(&c, 0.0);
    r[1] = kl_series_integral(&s, 0.0);
    r[2] = kl_series_integral(&dz, 0.0);
    r[3] = theta;
    kl_series_anchor(&r[0], x, l->r.x);
    kl_series_anchor(&r[1], x, l->r.y);
    kl_series_anchor(&r[2], x, l->r.z);
}

static void stretch_advance(void *context, const kl_series *r, double x)
{
    laying *l = context;
    l->r = kl_vec(kl_series_value(&r[0], x), kl_series_value(&r[1], x), kl_series_value(&r[2], x));
    l->theta = kl_series_value(&r[3], x);
}

static const kl_taylor layout_taylor = {stretch_series, stretch_advance};

/* ---- checks ---- */

static kl_status check_transition(const kl_layout *in, int i, kl_diag *diag)
{
    const kl_plan_element *e     = &in->plan[i];
    const kl_shape        *shape = shape_of(e);
    if (i + 1 < in->nplan && in->plan[i + 1].kind == KL_PLAN_TRANSITION)
        return kl_fail(
            diag, KL_E_MODEL, in->plan[i + 1].place,
            "two transitions follow each other; insert a curve or a straight between them");
    double k0 = curvature_of(in, i - 1), k1 = curvature_of(in, i + 1), p[2];
    if (!shape->from_straight) return KL_OK;
    if (k0 != 0.0 && k1 != 0.0)
        return kl_fail(
            diag, KL_E_MODEL, e->place,
            "a cubic parabola must begin or end at a straight; use a clothoid between two curves");
    if (!shape->setup(fabs(k1 - k0) * e->length, p))
        return kl_fail(diag, KL_E_RANGE, e->place,
                       "a cubic parabola of %g m cannot reach a radius of %g m (its direction "
                       "changes by at most 24 degrees); use a clothoid or a shorter transition",
                       e->length, 1.0 / fabs(k1 - k0));
    return KL_OK;
}

static kl_status check_plan(const kl_layout *in, kl_diag *diag)
{
    kl_status worst = KL_OK;
    if (in->nplan < 1)
        return kl_fail(diag, KL_E_MODEL, in->place,
                       "a layout needs at least one straight or curve");
    for (int i = 0; i < in->nplan; i++) {
        const kl_plan_element *e = &in->plan[i];
        kl_status              s = KL_OK;
        if (!(e->length > 0.0) || !isfinite(e->length))
            s = kl_fail(diag, KL_E_RANGE, e->place, "length is %g m; it must be positive",
                        e->length);
        else if (!isfinite(e->curvature) || !isfinite(e->roll))
            s = kl_fail(diag, KL_E_NAN, e->place, "curvature %g 1/m or cant %g rad is not finite",
                        e->curvature, e->roll);
        else if (e->kind == KL_PLAN_TRANSITION) s = check_transition(in, i, diag);
        if (s != KL_OK) worst = s;
    }
    return worst;
}

static kl_status check_grades(const kl_layout *in, kl_diag *diag)
{
    kl_status worst = KL_OK;
    for (int i = 0; i < in->ngrade; i++) {
        const kl_grade_element *e     = &in->grade[i];
        bool                    curve = e->kind != KL_GRADE_CONSTANT;
        if (!isfinite(e->slope) || fabs(e->slope) > 20.0)
            worst = kl_fail(diag, KL_E_RANGE, e->place,
                            "a grade of %g is too steep for a profile; use `segments` or `points`",
                            e->slope);
        else if (!(e->length >= 0.0) || !(e->radius >= 0.0) || !(e->ramp >= 0.0) ||
                 !isfinite(e->length + e->radius + e->ramp))
            worst = kl_fail(diag, KL_E_RANGE, e->place,
                            "length, radius and ramp must be positive, got %g, %g and %g m",
                            e->length, e->radius, e->ramp);
        else if (curve ? (e->length > 0.0) == (e->radius > 0.0) : !(e->length > 0.0))
            worst = kl_fail(diag, KL_E_RANGE, e->place, "%s",
                            curve ? "a vertical curve needs either a length or a radius"
                                  : "a grade needs a positive length");
    }
    return worst;
}

/* ---- the cant along the plan ---- */

static kl_status build_roll(const kl_layout *in, kl_arena *arena, kl_piecewise *roll)
{
    kl_piecewise_begin(roll, 0.0);
    for (int i = 0; i < in->nplan; i++) {
        const kl_plan_element *e    = &in->plan[i];
        bool                   ramp = e->kind == KL_PLAN_TRANSITION;
        double f0 = roll_of(in, ramp ? i - 1 : i), f1 = roll_of(in, ramp ? i + 1 : i);
        KL_TRY(kl_piecewise_add(roll, arena, e->length, f0, f1, shape_of(e)));
    }
    return KL_OK;
}

/* No slope anywhere: sigma is the length. */
static bool is_level(const profile *p)
{
    for (int i = 0; i < p->n; i++) {
        const grade_piece *g = &p->piece[i];
        if (g->slope != 0.0 || g->bend != 0.0 || g->bend1 != 0.0 || g->radius != 0.0) return false;
    }
    return true;
}

kl_status kl_layout_build(const kl_layout *in, kl_arena *arena, kl_diag *diag, kl_curve **out,
                          kl_piecewise *roll)
{
    KL_TRY(check_plan(in, diag));
    KL_TRY(check_grades(in, diag));
    kl_curve *curve  = kl_arena_array(arena, kl_curve, 1);
    kl_place *places = kl_arena_array(arena, kl_place, in->nplan);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    double length = 0.0;
    for (int i = 0; i < in->nplan; i++) length += in->plan[i].length, places[i] = in->plan[i].place;
    profile grades;
    KL_TRY(profile_build(in, length, arena, diag, &grades));

    laying l           = {.r = in->start, .theta = in->heading};
    bool   level       = is_level(&grades);
    curve->source_word = "segment", curve->source_place = places;
    curve->most = in->most;

    /* walk along plan and profile together, from joint to joint; joints that only rounding holds
     * apart are one */
    double sigma = 0.0, near = 1e-10 + 1e-13 * length;
    int    g = 0;
    for (int i = 0; i < in->nplan; i++) {
        const kl_plan_element *e   = &in->plan[i];
        double                 end = i + 1 < in->nplan ? sigma + e->length : length;
        double kink = e->kind == KL_PLAN_TRANSITION ? sigma + shape_of(e)->kink * e->length : sigma;
        plan_enter(&l.plan, in, i, sigma);
        while (sigma < end) {
            while (g + 1 < grades.n && grades.piece[g].end <= sigma + near) g++;
            l.grade     = &grades.piece[g];
            double stop = fmin(end, l.grade->end);
            if (kink > sigma + near) stop = fmin(stop, kink);
            if (end - stop < near) stop = end;
            KL_TRY(kl_taylor_lay(&layout_taylor, &l, arena, curve, stop, i, level, e->place, diag));
            sigma = stop;
        }
    }
    *out = curve;
    return roll ? build_roll(in, arena, roll) : KL_OK;
}
