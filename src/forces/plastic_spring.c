/* Parts that yield on one coordinate x of a marker pair, with a memory.
 *
 * plastic-hinge: moment M = k (x - xp) about an axis, |M - back| <= Y(p): elastic up to the moment-angle
 * curve Y over the accumulated plastic angle p, unloading with the stiffness k, isotropic or kinematic
 * hardening. Symmetric in both directions.
 *
 * crush: a part that is only pressed. With d = how far its ends have come together beyond the gap:
 *
 *   f = k (d - dp),  0 <= f <= F(dp) r(d'),  dp <= stroke,    f += kb (d - stroke) beyond the stroke
 *
 * dp is the permanent crush, F the force-crush curve, r the factor of the crush speed, kb the stiffness
 * when it has bottomed out. Nothing is crushed beyond the stroke: what has bottomed out is elastic and
 * pushes its ends apart until d = stroke. Unloading is elastic with the stiffness k; there is no tension.
 *
 * The plastic part is found implicitly (return mapping) from the memory of the last accepted step, and
 * the energy spent, the integral of r F over dp, is part of that memory: without r the energy balance
 * closes without integration; r is the mean of both ends of a step (trapezoidal rule). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forces/forces.h"
#include "joints/coordinate.h"
#include "script/function.h"

typedef struct plastic_spring {
    kl_coordinate coordinate;
    double        k, gap, stroke, bottom;
    kl_function  *curve, *rate;
    int           hardening; /* 0 isotropic, 1 kinematic */
    bool          crushes;
    double        x0; /* derived: coordinate at the start */
    kl_vec3
        line[2]; /* derived: from its first point to the second at the start, in the axes of both */
} plastic_spring;

/* What it remembers; the turn comes first, as of all elements that count turns. FACTOR: r at the last step. */
enum { TURN, PLASTIC, ACCUMULATED, SPENT, PHASE, FACTOR, MEMORY };

/* Steps end where it begins to yield, where it is unloaded again, and of a crushed part where it is touched,
 * where its stroke is used up and where it is solid (dp = stroke): the slope of the force changes there.
 * Whether it yields is given by PHASE: above 0 while it does, below 0 while it does not; its size is the
 * distance from the change in units of what is allowed, as found with the last step. */
enum { YIELD, HINGE_EVENTS, TOUCH = HINGE_EVENTS, BOTTOM, SOLID, CRUSH_EVENTS };
static const double SHARE   = 1e-3; /* of the elastic range, of what is allowed beyond its end */
static const double SLOWEST = 1e-4; /* [m/s, rad/s]: rate at which unloading may begin */

typedef struct answer {
    double force, slope; /* against the coordinate's growth (hinge), or pressing (crush) */
    double drag;         /* d force/d speed of pressing, through the factor of the speed */
    double factor;       /* r */
    double plastic, accumulated;
    double energy, spent; /* stored; spent since the last accepted step [J] */
    double room;          /* how far from yielding [m, rad] */
} answer;

static double curve_at(const plastic_spring *p, double x, double *slope)
{
    double y[3];
    kl_function_eval(p->curve, x, NULL, y);
    *slope = y[1];
    return y[0];
}

/* The curve where it is above zero: below, the run stops (plastic_watch). */
static double limit_at(const plastic_spring *p, double x, double *slope)
{
    double y = curve_at(p, x, slope);
    if (y > 0.0) return y;
    *slope = 0.0;
    return 0.0;
}

/* Plastic increment d >= 0 with trial - k d = factor Y(p + d). The difference falls with d, because the
 * curve does not fall faster than k, and its zero lies below trial/k: Newton's method between bounds. */
static double flow(const plastic_spring *p, double trial, double accumulated, double factor,
                   double *hardening)
{
    enum { MOST = 60 };
    double d = 0.0, low = 0.0, high = trial / p->k;
    for (int pass = 0; pass < MOST; pass++) {
        double slope, f = trial - p->k * d - factor * limit_at(p, accumulated + d, &slope);
        *hardening  = factor * slope;
        double next = d + f / (p->k + *hardening);
        if (f > 0.0) low = d;
        else high = d;
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        double step = next - d;
        d           = next;
        if (fabs(step) <= 1e-14 * (accumulated + d)) break;
    }
    return d;
}

/* Integral of the curve over a plastic increment: what yielding spends on the way from the memory to
 * here, so that stored and spent energy together are the work of the force. */
static double work(const plastic_spring *p, double from, double by)
{
    enum { PANELS = 16 };
    static const double at[3]    = {0.1127016653792583, 0.5, 0.8872983346207417};
    static const double share[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    double              sum = 0.0, unused, h = by / PANELS;
    for (int i = 0; i < PANELS; i++)
        for (int k = 0; k < 3; k++)
            sum += share[k] * h * limit_at(p, from + h * (i + at[k]), &unused);
    return sum;
}

/* The centre of the elastic range after the plastic angle ep. */
static double back_at(const plastic_spring *p, double ep, double *slope)
{
    double unused;
    return copysign(curve_at(p, fabs(ep), slope) - curve_at(p, 0.0, &unused), ep);
}

/* Plastic increment d >= 0 of kinematic hardening: s (trial - k s d - back(ep + s d)) = Y(0). */
static double shift(const plastic_spring *p, double s, double trial, double ep, double *slope)
{
    enum { MOST = 50 };
    double d = 0.0, unused, first = curve_at(p, 0.0, &unused);
    for (int pass = 0; pass < MOST; pass++) {
        double f    = s * (trial - back_at(p, ep + s * d, slope)) - p->k * d - first;
        double step = f / (p->k + *slope);
        d           = fmax(0.0, d + step);
        if (fabs(step) <= 1e-14 * (1.0 + d)) break;
    }
    return d;
}

static answer hinge(const plastic_spring *p, double x, const double *h)
{
    double was = fmax(h[ACCUMULATED], 0.0), unused, first = curve_at(p, 0.0, &unused);
    double trial = p->k * (x - h[PLASTIC]), back = 0.0, range = curve_at(p, was, &unused);
    answer a   = {.plastic = h[PLASTIC], .accumulated = was, .slope = p->k};
    double now = 0.0;
    if (p->hardening == 1) {
        back  = back_at(p, h[PLASTIC], &unused);
        range = first;
    }
    double s = trial - back > 0.0 ? 1.0 : -1.0, over = s * (trial - back) - range;
    a.room = fmax(0.0, -over / p->k);
    if (over > 0.0) {
        double hardening = 0.0, d;
        d                = p->hardening == 1 ? shift(p, s, trial, h[PLASTIC], &hardening)
                                             : flow(p, s * trial, was, 1.0, &hardening);
        a.plastic += s * d;
        a.accumulated += d;
        a.slope = p->k * hardening / (p->k + hardening);
    }
    a.force = p->k * (x - a.plastic);
    if (p->hardening == 1) now = work(p, 0.0, fabs(a.plastic)) - first * fabs(a.plastic);
    a.energy  = 0.5 * a.force * (x - a.plastic) + now;
    double by = a.accumulated - was;
    if (by > 0.0) a.spent = p->hardening == 1 ? first * by : work(p, was, by);
    return a;
}

/* Factor of the force at a speed of crushing, and its slope. */
static double factor_at(const plastic_spring *p, double speed, double *slope)
{
    double y[3] = {1.0, 0.0, 0.0};
    if (p->rate) kl_function_eval(p->rate, fmax(speed, 0.0), NULL, y);
    *slope = speed > 0.0 && y[0] > 0.0 ? y[1] : 0.0;
    return fmax(y[0], 0.0);
}

/* Crushing from dp = was with a trial force above what it bears: up to the stroke. */
static void press(const plastic_spring *p, double trial, double was, double rate, double before,
                  answer *a)
{
    double hardening = 0.0, unused, by = flow(p, trial, was, a->factor, &hardening);
    if (was + by < p->stroke) {
        double limit = limit_at(p, was + by, &unused);
        a->slope     = p->k * hardening / (p->k + hardening);
        a->drag      = rate * limit * p->k / (p->k + hardening);
    }
    a->plastic = a->accumulated = fmin(was + by, p->stroke);
    a->spent                    = 0.5 * (before + a->factor) * work(p, was, a->plastic - was);
}

static answer crush(const plastic_spring *p, double d, double speed, const double *h)
{
    double was   = fmax(h[PLASTIC], 0.0), unused, rate;
    answer a     = {.plastic = was, .accumulated = was};
    a.factor     = factor_at(p, speed, &rate);
    double trial = p->k * (d - was), limit = a.factor * limit_at(p, was, &unused);
    a.room = fmax(0.0, was < p->stroke ? limit / p->k - (d - was) : limit / p->k);
    if (trial <= 0.0) return a;
    a.slope = p->k;
    if (trial > limit && was < p->stroke) press(p, trial, was, rate, h[FACTOR], &a);
    a.force       = p->k * (d - a.plastic);
    a.energy      = 0.5 * a.force * (d - a.plastic);
    double beyond = d - p->stroke;
    if (beyond > 0.0) {
        a.force += p->bottom * beyond;
        a.slope += p->bottom;
        a.energy += 0.5 * p->bottom * beyond * beyond;
    }
    return a;
}

static void scalar_of(const kl_reading *in, kl_scalar *x)
{
    const plastic_spring *p = in->data;
    kl_coordinate_eval(p->coordinate, in->m, in->h[TURN], x);
}

/* Pressing counts from the gap on: d = x0 - gap - x. */
static answer spring_response(const kl_reading *in, const kl_scalar *x)
{
    const plastic_spring *p = in->data;
    if (!p->crushes) return hinge(p, x->x - p->x0, in->h);
    return crush(p, p->x0 - p->gap - x->x, -kl_scalar_rate(x, in->m), in->h);
}

/* ---- checks of the curves ---- */

/* What a curve must be. */
typedef struct demand {
    const char        *key, *unit; /* of its argument */
    const kl_function *f;
    double             reach;    /* range that is looked at if the curve has no corners */
    double             end;      /* it is not read beyond */
    double             steepest; /* slope below which there is no unique solution */
    const char        *why;      /* what that means, and the remedy */
} demand;

/* `most`: the largest value so far */
static kl_status check_at(const demand *c, const kl_setup *s, double x, double by, double *most)
{
    double y[3], before[3];
    kl_function_eval(c->f, x, NULL, y);
    *most = fmax(*most, y[0]);
    if (!(y[0] >= 0.0))
        return kl_fail(
            s->diag, KL_E_RANGE, s->place,
            "force '%s': `%s` is %.4g at %.4g %s; give values that are not negative "
            "(beyond its last point a table is extrapolated with its end slope; two equal "
            "values at its end keep it constant)",
            s->name, c->key, y[0], x, c->unit);
    if (!(by > 0.0)) return KL_OK;
    kl_function_eval(c->f, x - by, NULL, before);
    if (y[0] - before[0] < c->steepest * by - 1e-9 * before[0])
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "force '%s': `%s` decreases beyond %.4g %s; %s", s->name, c->key, x - by,
                       c->unit, c->why);
    return KL_OK;
}

/* Over the range of its points and ten times as far, because tables are extrapolated. */
static kl_status check_curve(const demand *c, const kl_setup *s)
{
    enum { SAMPLES = 2000, FAR = 10 };
    int     room   = kl_function_corners(c->f, NULL, 0);
    double *corner = kl_arena_array(s->arena, double, room + 1), last = c->reach, most = 0.0;
    if (!corner) return KL_E_MEMORY;
    int n = kl_function_corners(c->f, corner, room);
    if (n > 0 && corner[n - 1] > 0.0) last = corner[n - 1];
    double far = fmin(c->end, n > 0 ? FAR * last : last);
    last       = fmin(c->end, last);
    for (int i = 0; i < n; i++)
        if (corner[i] >= 0.0 && corner[i] <= far) KL_TRY(check_at(c, s, corner[i], 0.0, &most));
    for (int i = 0; i <= SAMPLES; i++)
        KL_TRY(check_at(c, s, last * i / SAMPLES, i > 0 ? last / SAMPLES : 0.0, &most));
    KL_TRY(check_at(c, s, far, far > last ? far - last : 0.0, &most));
    if (most > 0.0) return KL_OK;
    return kl_fail(s->diag, KL_E_RANGE, s->place,
                   "force '%s': `%s` is zero everywhere, so the part has no effect; give a positive "
                   "value or remove the part",
                   s->name, c->key);
}

static kl_status check_curves(const plastic_spring *p, const kl_setup *s)
{
    const demand moment = {"moment",
                           "rad",
                           p->curve,
                           KL_PI,
                           HUGE_VAL,
                           0.0,
                           "a hinge that softens has no unique solution, so give moments that "
                           "increase or stay equal"};
    const demand force  = {"force",
                           "m",
                           p->curve,
                           10.0,
                           p->stroke,
                           -p->k,
                           "a force that falls faster than `stiffness` has no unique solution, so "
                            "give a greater stiffness or let it fall more slowly"};
    const demand rate   = {"rate_factor", "m/s", p->rate, 100.0, HUGE_VAL, -HUGE_VAL, ""};
    if (!p->crushes) return check_curve(&moment, s);
    KL_TRY(check_curve(&force, s));
    return p->rate ? check_curve(&rate, s) : KL_OK;
}

static kl_vec3 line_of(const kl_motion *m)
{
    kl_vec3 d = kl_sub(m[1].r, m[0].r);
    return kl_scale(1.0 / kl_norm(d), d);
}

/* The force has no direction where its two points meet: it must be solid before. */
static kl_status take_line(plastic_spring *p, const kl_setup *s, const kl_motion *m)
{
    bool   ends = isfinite(p->stroke);
    double most = p->gap + (ends ? p->stroke : 0.0);
    if (p->x0 == 0.0)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "force '%s': its two points coincide at the start, so it has no direction; "
                       "give two points with `at: [[...], [...]]`",
                       s->name);
    if (most >= p->x0 * (1.0 - 1e-9))
        return kl_fail(
            s->diag, KL_E_RANGE, s->place,
            "force '%s': its two points are %.4g m apart at the start, but %s %.4g m, so that "
            "the bodies would pass through each other; give points that are further apart "
            "with `at: [[...], [...]]`, or a smaller `%s`",
            s->name, p->x0, ends ? "`gap` and `stroke` together are" : "`gap` is", most,
            ends ? "stroke" : "gap");
    for (int i = 0; i < 2; i++) p->line[i] = kl_mul_t(&m[i].A, line_of(m));
    return KL_OK;
}

static kl_status plastic_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                               kl_element_size *size)
{
    (void)nmarker;
    plastic_spring *p = data;
    kl_scalar       x;
    p->coordinate = *(const kl_coordinate *)s->traits;
    p->crushes    = p->coordinate.kind != KL_ANGLE;
    kl_coordinate_eval(p->coordinate, m, s->turn[0], &x);
    p->x0 = x.x;
    if (isnan(p->stroke)) p->stroke = HUGE_VAL;
    size->nh = MEMORY, size->nevent = p->crushes ? CRUSH_EVENTS : HINGE_EVENTS;
    /* a hinge yields over the time of the motion and is met by its events, a bumper in an impact */
    size->path_dependent = p->crushes;
    if (p->crushes) KL_TRY(take_line(p, s, m));
    return check_curves(p, s);
}

static kl_status plastic_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    double first[1] = {0};
    (void)in;
    kl_element_start turn = *out;
    turn.nh = 1, turn.h = first;
    const plastic_spring *p = in->data;
    if (p->coordinate.kind == KL_ANGLE) KL_TRY(kl_coordinate_start(in, s, &turn));
    out->h[TURN]  = first[0];
    out->h[PHASE] = -1.0 / SHARE; /* it does not yield */
    if (p->crushes) {
        kl_scalar x;
        scalar_of(in, &x);
        out->h[FACTOR] = spring_response(in, &x).factor;
    }
    return KL_OK;
}

static kl_status plastic_eval(const kl_reading *in, kl_writing *out)
{
    const plastic_spring *p = in->data;
    kl_scalar             x;
    scalar_of(in, &x);
    if (p->coordinate.kind == KL_DISTANCE && x.x == 0.0) return KL_RETRY;
    answer a    = spring_response(in, &x);
    double sign = p->crushes ? 1.0 : -1.0;
    for (int i = 0; i < 12; i++) out->wrench[i] = sign * a.force * x.row[i];
    out->energy = a.energy;
    out->spent  = in->h[SPENT] + a.spent;
    return KL_OK;
}

static void plastic_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const plastic_spring *p = in->data;
    kl_scalar             x;
    scalar_of(in, &x);
    answer a    = spring_response(in, &x);
    double sign = p->crushes ? 1.0 : -1.0;
    kl_add_outer(-a.slope, x.row, x.row, out->K);
    kl_coordinate_curvature(p->coordinate, in->m, sign * a.force, out->K);
    if (a.drag == 0.0) return;
    double rate_slope[12];
    kl_coordinate_rate_slope(p->coordinate, in->m, rate_slope);
    kl_add_outer(-a.drag, x.row, rate_slope, out->K);
    kl_add_outer(-a.drag, x.row, x.row, out->C);
}

/* How far the step that ends now is from the change between yielding and not, see PHASE. */
static double phase_of(const kl_reading *in, const kl_scalar *x, const answer *a)
{
    const plastic_spring *p  = in->data;
    double                by = a->accumulated - fmax(in->h[ACCUMULATED], 0.0);
    double                unused, first = curve_at(p, 0.0, &unused);
    double                unit  = SHARE * fmax(first / p->k, 1e-9);
    double                grows = p->crushes || a->plastic < in->h[PLASTIC] ? -1.0 : 1.0;
    double                rate  = grows * kl_scalar_rate(x, in->m) / SLOWEST;
    const double          least = 0.3; /* no less, so that the change counts as passed */
    if (!(in->h[PHASE] > 0.0))
        return by > 0.0 ? fmax(by / unit, least) : -fmax(a->room / unit, least);
    /* a step that went beyond the turning point has yielded too, but its rate has changed its sign */
    return by > 0.0 && rate >= 0.0 ? fmax(rate, least) : -fmax(fabs(rate), least);
}

static void plastic_crossings(const kl_reading *in, kl_crossing *out)
{
    const plastic_spring *p = in->data;
    kl_scalar             x;
    scalar_of(in, &x);
    out[YIELD] = (kl_crossing){
        .value = in->h[PHASE], .rate = (double)NAN, .tolerance = 1.0, .kind = KL_CROSSING_KINK};
    if (!p->crushes) return;
    double d = p->x0 - p->gap - x.x, rate = kl_scalar_rate(&x, in->m), unused;
    double at[CRUSH_EVENTS] = {[TOUCH] = fmax(in->h[PLASTIC], 0.0), [BOTTOM] = p->stroke};
    if (isfinite(p->stroke))
        at[SOLID] = p->stroke + in->h[FACTOR] * limit_at(p, p->stroke, &unused) / p->k;
    for (int i = TOUCH; i < CRUSH_EVENTS; i++) {
        bool there = i == TOUCH || (isfinite(p->stroke) && (i == SOLID || p->bottom > 0.0));
        out[i]     = (kl_crossing){.value = there ? at[i] - d : (double)NAN,
                                   .rate  = there ? rate : (double)NAN,
                                   .kind  = KL_CROSSING_KINK};
    }
}

static void plastic_commit(const kl_reading *in, double *h_new)
{
    const plastic_spring *p = in->data;
    kl_scalar             x;
    scalar_of(in, &x);
    answer a = spring_response(in, &x);
    if (p->coordinate.kind == KL_ANGLE) h_new[TURN] = x.turn;
    h_new[PLASTIC]     = a.plastic;
    h_new[ACCUMULATED] = a.accumulated;
    h_new[SPENT]       = in->h[SPENT] + a.spent;
    h_new[PHASE]       = phase_of(in, &x, &a);
    h_new[FACTOR]      = a.factor;
}

static void plastic_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const plastic_spring *p = in->data;
    kl_scalar             x;
    scalar_of(in, &x);
    answer a  = spring_response(in, &x);
    values[0] = p->crushes ? p->x0 - p->gap - x.x : x.x - p->x0;
    values[1] = a.force;
    values[2] = a.plastic;
    values[3] = in->h[SPENT] + a.spent;
}

/* Pressed, and the line of its points points backwards as both ends see it. */
static bool has_passed(const plastic_spring *p, const kl_motion *m, double x)
{
    if (!(p->x0 - p->gap - x > 0.0)) return false;
    kl_vec3 now = line_of(m);
    for (int i = 0; i < 2; i++)
        if (kl_dot(kl_mul(&m[i].A, p->line[i]), now) >= 0.0) return false;
    return true;
}

/* The ends may pass each other; a curve that is not looked at so far, or an expression, may be negative
 * where the run comes. */
static void plastic_watch(const kl_reading *in, kl_notice *notice)
{
    const plastic_spring *p = in->data;
    double                unused, y[3] = {0}, dp = fmax(in->h[PLASTIC], 0.0);
    kl_scalar             x;
    if (!p->crushes) return;
    scalar_of(in, &x);
    if (has_passed(p, in->m, x.x)) {
        notice->stop = true, notice->count = 1;
        snprintf(
            notice->text, sizeof notice->text,
            "is crushed so far that its two points have passed each other (%.4g m apart at the "
            "start); give it more `force`, or a `stroke` with `bottom_stiffness`",
            p->x0);
        return;
    }
    double f = curve_at(p, dp, &unused), speed = fmax(0.0, -kl_scalar_rate(&x, in->m));
    if (p->rate) kl_function_eval(p->rate, speed, NULL, y);
    if (f >= 0.0 && y[0] >= 0.0) return;
    notice->stop = true, notice->count = 1;
    if (f < 0.0)
        snprintf(notice->text, sizeof notice->text,
                 "has a negative `force` of %.4g N at a crush of %.4g m; give its curve further "
                 "points, or a `stroke`",
                 f, dp);
    else
        snprintf(notice->text, sizeof notice->text,
                 "has a negative `rate_factor` of %.4g at %.4g m/s; give it further points", y[0],
                 speed);
}

static const kl_coordinate by_distance = {KL_DISTANCE, 0, 0}, by_angle = {KL_ANGLE, 0, 0};

#define AT(field) offsetof(plastic_spring, field)

static const kl_key crush_keys[] = {
    {.name   = "force",
     .kind   = KL_KEY_FUNCTION,
     .offset = AT(curve),
     .unit   = "N",
     .by     = "m",
     .help   = "force over permanent crush: a number, or a table"},
    {.name   = "stiffness",
     .kind   = KL_KEY_NUMBER,
     .offset = AT(k),
     .unit   = "N/m",
     .min    = 1e-300,
     .max    = 1e300,
     .help   = "elastic stiffness of loading and unloading"},
    {.name     = "gap",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(gap),
     .unit     = "m",
     .fallback = "0",
     .min      = 0,
     .max      = 1e300,
     .help     = "gap: approach of the ends before the force begins"},
    {.name     = "stroke",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(stroke),
     .unit     = "m",
     .fallback = "",
     .min      = 0,
     .max      = 1e300,
     .help = "largest crush: beyond it the part has bottomed out and is elastic; must be less than "
             "the distance of the points minus the gap; default: no limit"},
    {.name     = "bottom_stiffness",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(bottom),
     .unit     = "N/m",
     .fallback = "0",
     .min      = 0,
     .max      = 1e300,
     .help     = "stiffness beyond the stroke, added to `stiffness`"},
    {.name     = "rate_factor",
     .kind     = KL_KEY_FUNCTION,
     .offset   = AT(rate),
     .unit     = "1",
     .by       = "m/s",
     .fallback = "",
     .help     = "factor of the force as a function of the crush speed; default: 1"},
    {0}};

static const kl_output crush_outputs[] = {{"approach", "m", "approach of its ends since the start"},
                                          {"push", "N", "compressive force"},
                                          {"crush", "m", "permanent crush"},
                                          {"absorbed", "J", "energy absorbed by crushing"},
                                          {0}};

static const kl_key hinge_keys[] = {
    {.name   = "moment",
     .kind   = KL_KEY_FUNCTION,
     .offset = AT(curve),
     .unit   = "N m",
     .by     = "rad",
     .help   = "yield moment as a function of the accumulated plastic angle: a number, or an "
               "increasing table"},
    {.name   = "stiffness",
     .kind   = KL_KEY_NUMBER,
     .offset = AT(k),
     .unit   = "N m/rad",
     .min    = 1e-300,
     .max    = 1e300,
     .help   = "elastic stiffness of loading and unloading"},
    {.name     = "hardening",
     .kind     = KL_KEY_WORD,
     .offset   = AT(hardening),
     .words    = "isotropic kinematic",
     .fallback = "isotropic",
     .help = "hardening: yielding enlarges the elastic range (isotropic) or shifts it (kinematic)"},
    {0}};

static const kl_output hinge_outputs[] = {{"angle", "rad", "angle since the start"},
                                          {"moment", "N m", "moment against the rotation"},
                                          {"plastic_angle", "rad", "permanent angle"},
                                          {"absorbed", "J", "energy absorbed by yielding"},
                                          {0}};

#define FUNCTIONS                                                                                  \
    .data_size = sizeof(plastic_spring), .setup = plastic_setup, .start = plastic_start,           \
    .eval = plastic_eval, .tangent = plastic_tangent, .commit = plastic_commit,                    \
    .crossings = plastic_crossings, .output = plastic_output, .watch = plastic_watch

const kl_element_type kl_crush = {
    .name     = "crush",
    .help     = "part that is crushed between two points: honeycomb, crash buffer, car end",
    .equation = "f = k (d - dp),  0 <= f <= F(dp) r(d'),  dp <= stroke,  d = l0 - gap - l",
    .example =
        "nose: {type: crush, between: [front, back], at: [[0, 0, 0], [1, 0, 0]], force: 2 MN, "
        "stiffness: 1 GN/m}",
    .keys    = crush_keys,
    .outputs = crush_outputs,
    .attach  = &kl_attach_pair,
    .traits  = &by_distance,
    FUNCTIONS};
const kl_element_type kl_plastic_hinge = {
    .name     = "plastic-hinge",
    .help     = "hinge that yields: moment over plastic angle, with elastic unloading",
    .equation = "M = k (angle - plastic),  |M - back| <= Y(accumulated)",
    .example  = "knee: {type: plastic-hinge, of: hinge, moment: 2 kN m, stiffness: 500 kN m/rad}",
    .keys     = hinge_keys,
    .outputs  = hinge_outputs,
    .attach   = &kl_attach_joint,
    .axial    = "",
    .turns    = 3,
    .traits   = &by_angle,
    FUNCTIONS};
