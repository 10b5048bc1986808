/* Parts that yield on one coordinate x of a marker pair, with a memory.
 *
 * plastic-hinge: moment M = k (x - xp) about an axis, |M - back| <= Y(p): elastic up to the moment-angle
 * curve Y over the accumulated plastic angle p, unloading with the stiffness k, isotropic or kinematic
 * hardening. Symmetric in both directions.
 *
 * crush: a part that is only pressed. With d = how far its ends have come together beyond the gap:
 *
 *   f = k (d - dp),  0 <= f <= F(dp) r(d'),    f += kb (d - stroke) beyond the stroke
 *
 * dp is the permanent crush, F the force-crush curve, r the factor of the crush speed, kb the stiffness
 * when it has bottomed out. Unloading is elastic with the stiffness k; there is no tension.
 *
 * The plastic part is found implicitly (return mapping) from the memory of the last accepted step, and
 * the energy spent is part of that memory, so that the energy balance closes without integration. */
#include <math.h>
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
} plastic_spring;

/* What it remembers; the turn comes first, as of all elements that count turns. */
enum { TURN, PLASTIC, ACCUMULATED, SPENT, PHASE, MEMORY };

/* Steps end where it is touched, where it begins to yield, and where it is unloaded again: the slope of the
 * force changes there. Whether it yields is given by PHASE: above 0 while it does, below 0 while it does not;
 * its size is the distance from the change in units of what is allowed, as found with the last step. */
enum { TOUCH, YIELD, EVENTS };
static const double SHARE   = 1e-3; /* of the elastic range, of what is allowed beyond its end */
static const double SLOWEST = 1e-4; /* [m/s, rad/s]: rate at which unloading may begin */

typedef struct answer {
    double force, slope; /* against the coordinate's growth (hinge), or pressing (crush) */
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

/* Plastic increment d >= 0 with trial - k d = Y(p + d) (+ back), by Newton's method; the difference
 * falls with d because the curve does not. */
static double flow(const plastic_spring *p, double trial, double accumulated, double factor,
                   double *hardening)
{
    enum { MOST = 50 };
    double d = 0.0;
    for (int pass = 0; pass < MOST; pass++) {
        double slope, f = trial - p->k * d - factor * curve_at(p, accumulated + d, &slope);
        *hardening  = factor * slope;
        double step = f / (p->k + *hardening);
        d           = fmax(0.0, d + step);
        if (fabs(step) <= 1e-14 * (1.0 + d)) break;
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
            sum += share[k] * h * curve_at(p, from + h * (i + at[k]), &unused);
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

static answer crush(const plastic_spring *p, double d, double speed, const double *h)
{
    double was = fmax(h[PLASTIC], 0.0), unused, factor = 1.0, y[3];
    answer a = {.plastic = was, .accumulated = was};
    if (p->rate && speed > 0.0) {
        kl_function_eval(p->rate, speed, NULL, y);
        factor = y[0];
    }
    double trial = p->k * (d - was);
    a.room       = fmax(0.0, factor * curve_at(p, was, &unused) / p->k - (d - was));
    if (trial <= 0.0) return a;
    a.slope = p->k;
    if (trial > factor * curve_at(p, was, &unused)) {
        double hardening = 0.0, by = flow(p, trial, was, factor, &hardening);
        a.plastic += by;
        a.accumulated = a.plastic;
        a.slope       = p->k * hardening / (p->k + hardening);
    }
    a.force  = p->k * (d - a.plastic);
    a.energy = 0.5 * a.force * (d - a.plastic);
    if (a.plastic > was) a.spent = factor * work(p, was, a.plastic - was);
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
static answer answer_at(const kl_reading *in, const kl_scalar *x)
{
    const plastic_spring *p = in->data;
    if (!p->crushes) return hinge(p, x->x - p->x0, in->h);
    return crush(p, p->x0 - p->gap - x->x, -kl_scalar_rate(x, in->m), in->h);
}

/* A curve that falls has no unique answer: looked at over the range that its corners span. */
static kl_status check_curve(const plastic_spring *p, const kl_setup *s, const char *what)
{
    enum { SAMPLES = 2000, CORNERS = 64 };
    double corner[CORNERS], before = 0.0, last = p->crushes ? 1.0 : KL_PI;
    int    n = kl_function_corners(p->curve, corner, CORNERS);
    if (n > 0 && n <= CORNERS && corner[n - 1] > 0.0) last = corner[n - 1];
    for (int i = 0; i <= SAMPLES; i++) {
        double unused, x = last * i / SAMPLES, y = curve_at(p, x, &unused);
        if (!(y >= 0.0))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "force '%s': `%s` is %.4g at %.4g; give values that are not negative",
                           s->name, what, y, x);
        if (!p->crushes && y < before * (1.0 - 1e-9))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "force '%s': `%s` falls at %.4g; a hinge that softens has no unique "
                           "solution, so give moments that rise or stay",
                           s->name, what, x);
        before = y;
    }
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
    size->nh = MEMORY, size->nevent = EVENTS;
    if (p->crushes && p->coordinate.kind == KL_DISTANCE && x.x == 0.0)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "force '%s': its two points coincide at the start, so it has no direction; "
                       "give two points with `at: [[...], [...]]`",
                       s->name);
    return check_curve(p, s, p->crushes ? "force" : "moment");
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
    return KL_OK;
}

static kl_status plastic_eval(const kl_reading *in, kl_writing *out)
{
    const plastic_spring *p = in->data;
    kl_scalar             x;
    scalar_of(in, &x);
    if (p->coordinate.kind == KL_DISTANCE && x.x == 0.0) return KL_RETRY;
    answer a    = answer_at(in, &x);
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
    answer a    = answer_at(in, &x);
    double sign = p->crushes ? 1.0 : -1.0;
    kl_add_outer(-a.slope, x.row, x.row, out->K);
    kl_coordinate_curvature(p->coordinate, in->m, sign * a.force, out->K);
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
    out[TOUCH] = (kl_crossing){.value = (double)NAN, .rate = (double)NAN};
    if (p->crushes)
        out[TOUCH] = (kl_crossing){.value = fmax(in->h[PLASTIC], 0.0) - (p->x0 - p->gap - x.x),
                                   .rate  = kl_scalar_rate(&x, in->m),
                                   .kind  = KL_CROSSING_KINK};
    out[YIELD] = (kl_crossing){
        .value = in->h[PHASE], .rate = (double)NAN, .tolerance = 1.0, .kind = KL_CROSSING_KINK};
}

static void plastic_commit(const kl_reading *in, double *h_new)
{
    const plastic_spring *p = in->data;
    kl_scalar             x;
    scalar_of(in, &x);
    answer a = answer_at(in, &x);
    if (p->coordinate.kind == KL_ANGLE) h_new[TURN] = x.turn;
    h_new[PLASTIC]     = a.plastic;
    h_new[ACCUMULATED] = a.accumulated;
    h_new[SPENT]       = in->h[SPENT] + a.spent;
    h_new[PHASE]       = phase_of(in, &x, &a);
}

static void plastic_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const plastic_spring *p = in->data;
    kl_scalar             x;
    scalar_of(in, &x);
    answer a  = answer_at(in, &x);
    values[0] = p->crushes ? p->x0 - p->gap - x.x : x.x - p->x0;
    values[1] = a.force;
    values[2] = a.plastic;
    values[3] = in->h[SPENT] + a.spent;
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
     .help     = "crush at which it bottoms out; default: never"},
    {.name     = "bottom_stiffness",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(bottom),
     .unit     = "N/m",
     .fallback = "0",
     .min      = 0,
     .max      = 1e300,
     .help     = "further stiffness beyond the stroke"},
    {.name     = "rate_factor",
     .kind     = KL_KEY_FUNCTION,
     .offset   = AT(rate),
     .unit     = "1",
     .by       = "m/s",
     .fallback = "",
     .help     = "factor of the force over the crush speed; default: 1"},
    {0}};

static const kl_output crush_outputs[] = {{"approach", "m", "approach of its ends since the start"},
                                          {"push", "N", "pressing force"},
                                          {"crush", "m", "permanent crush"},
                                          {"absorbed", "N m", "energy absorbed by crushing"},
                                          {0}};

static const kl_key hinge_keys[] = {
    {.name   = "moment",
     .kind   = KL_KEY_FUNCTION,
     .offset = AT(curve),
     .unit   = "N m",
     .by     = "rad",
     .help   = "yield moment over accumulated plastic angle: a number, or a table that rises"},
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
                                          {"absorbed", "N m", "energy absorbed by yielding"},
                                          {0}};

#define FUNCTIONS                                                                                  \
    .data_size = sizeof(plastic_spring), .setup = plastic_setup, .start = plastic_start,           \
    .eval = plastic_eval, .tangent = plastic_tangent, .commit = plastic_commit,                    \
    .crossings = plastic_crossings, .output = plastic_output

const kl_element_type kl_crush = {
    .name     = "crush",
    .help     = "part that is crushed between two points: honeycomb, crash buffer, car end",
    .equation = "f = k (d - dp),  0 <= f <= F(dp) r(d'),  d = l0 - gap - l",
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
