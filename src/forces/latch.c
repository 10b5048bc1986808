/* Latch: free until a coordinate reaches its mark, then held there for good; or held from the start
 * and set free at a given time. Deployable structures are made of these.
 *
 *   held:  f = k (x - mark) + c x'        wrench = -row' f        free: f = 0
 *
 * It is as stiff as its seat, not rigid: a rigid one would stop the parts within no time, with
 * forces without bound, where a real one rings. What it is depends on its history, which changes
 * only with an accepted step; the step ends where the mark is reached, so that it holds from there.
 * What its spring stores when it is set free is lost. */
#include <math.h>
#include <stdio.h>

#include "forces/forces.h"
#include "joints/coordinate.h"

typedef struct latch {
    int    coordinate;
    double mark; /* NaN: where it starts */
    double k, c;
    bool   closed; /* held from the start */
    double until;  /* [s] set free then; NaN: never */

    double side; /* derived: +1 where the mark is reached from below */
} latch;

/* its history: the angle so far, its state */
enum { ANGLE, STATE, NHISTORY };
enum { AS_AT_START, CAUGHT, HELD, RELEASED }; /* CAUGHT: with the last step */

static const kl_coordinate coordinates[] = {{KL_DOT2, 2, 0}, {KL_ANGLE, 0, 0}, {KL_DISTANCE, 0, 0}};

static void scalar_of(const kl_reading *in, kl_scalar *x)
{
    const latch *p = in->data;
    kl_coordinate_eval(coordinates[p->coordinate], in->m, in->h[ANGLE], x);
}

static bool is_held(const kl_reading *in)
{
    const latch *p = in->data;
    int          s = (int)in->h[STATE];
    return s == CAUGHT || s == HELD || (s == AS_AT_START && p->closed);
}

static bool is_waiting(const kl_reading *in)
{
    return !is_held(in) && (int)in->h[STATE] == AS_AT_START;
}

static kl_status latch_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                             kl_element_size *size)
{
    (void)nmarker;
    latch    *p = data;
    kl_scalar x;
    size->nh     = NHISTORY;
    size->nevent = 2;
    kl_coordinate_eval(coordinates[p->coordinate], m, s->turn[0], &x);
    if (isnan(p->mark) && !p->closed)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "force '%s': an open latch needs `mark`, the position at which it closes",
                       s->name);
    if (isnan(p->mark)) p->mark = x.x;
    if (!isnan(p->until) && !p->closed)
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "force '%s': `until` releases a closed latch; add `closed: true`, or remove `until`",
            s->name);
    p->side = x.x <= p->mark ? 1.0 : -1.0;
    return KL_OK;
}

static kl_status latch_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    (void)in;
    out->h[ANGLE] = s->turn[0];
    return KL_OK;
}

static double force_of(const kl_reading *in, const kl_scalar *x)
{
    const latch *p = in->data;
    return is_held(in) ? p->k * (x->x - p->mark) + p->c * kl_scalar_rate(x, in->m) : 0.0;
}

static kl_status latch_eval(const kl_reading *in, kl_writing *out)
{
    const latch *p = in->data;
    kl_scalar    x;
    if (!is_held(in)) return KL_OK;
    scalar_of(in, &x);
    double f = force_of(in, &x), d = x.x - p->mark, v = kl_scalar_rate(&x, in->m);
    for (int i = 0; i < 12; i++) out->wrench[i] = -f * x.row[i];
    out->energy = 0.5 * p->k * d * d;
    out->loss   = p->c * v * v;
    return KL_OK;
}

/* w = -r' f(x, x') with the row r = dx/dq and x' = r V, V the twists of the markers:
 *
 *   dw/dq = -r' (f_x r + f_v d(r V)/dq) - f dr'/dq,      dw/dV = -r' f_v r
 *
 * Here f_x = k and f_v = c while the latch holds. */
static void latch_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const latch  *p = in->data;
    kl_coordinate c = coordinates[p->coordinate];
    kl_scalar     x;
    double        rate_slope[12];
    if (!is_held(in)) return;
    scalar_of(in, &x);
    kl_add_outer(-p->k, x.row, x.row, out->K);
    kl_coordinate_curvature(c, in->m, -force_of(in, &x), out->K);
    kl_coordinate_rate_slope(c, in->m, rate_slope);
    kl_add_outer(-p->c, x.row, rate_slope, out->K);
    kl_add_outer(-p->c, x.row, x.row, out->C);
}

/* The mark is reached; the time is up. A step that caught shows by how much it went beyond the
 * mark, so that it can be taken back and shortened. */
static void latch_crossings(const kl_reading *in, kl_crossing *out)
{
    const latch *p = in->data;
    int          s = (int)in->h[STATE];
    out[0] = out[1] = (kl_crossing){0}; /* nothing more to meet */
    if (s == CAUGHT || is_waiting(in)) {
        kl_scalar x;
        scalar_of(in, &x);
        out[0] = (kl_crossing){.value = p->side * (p->mark - x.x),
                               .rate  = -p->side * kl_scalar_rate(&x, in->m),
                               .unit  = kl_coordinate_unit(coordinates[p->coordinate]),
                               .kind  = KL_CROSSING_JUMP};
    }
    if (!isnan(p->until))
        out[1] = (kl_crossing){.value = p->until - in->t,
                               .rate  = -1.0,
                               .unit  = KL_CROSSING_S,
                               .kind  = KL_CROSSING_JUMP};
}

static void latch_commit(const kl_reading *in, double *h_new)
{
    const latch *p = in->data;
    kl_scalar    x;
    scalar_of(in, &x);
    h_new[ANGLE] = x.turn;
    if (is_waiting(in) && p->side * (x.x - p->mark) >= 0.0) h_new[STATE] = CAUGHT;
    if ((int)in->h[STATE] == CAUGHT) h_new[STATE] = HELD;
    if (is_held(in) && in->t >= p->until) h_new[STATE] = RELEASED;
}

static void latch_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    kl_scalar x;
    scalar_of(in, &x);
    values[0] = x.x;
    values[1] = -force_of(in, &x);
    values[2] = is_held(in) ? 1.0 : 0.0;
}

static void latch_watch(const kl_reading *in, kl_notice *notice)
{
    const latch *p  = in->data;
    int          s  = (int)in->h[STATE];
    notice->count   = s == RELEASED ? 2 : s != AS_AT_START;
    notice->is_note = true;
    snprintf(notice->text, sizeof notice->text, s != RELEASED ? "locks at %.6g %s" : "is released",
             p->mark, coordinates[p->coordinate].kind == KL_ANGLE ? "rad" : "m");
}

#define BY_COORDINATE(m_, rad_, d_) "coordinate?" m_ "|" rad_ "|" d_
static const kl_key latch_keys[] = {
    {.name     = "coordinate",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(latch, coordinate),
     .words    = "displacement angle distance",
     .fallback = "displacement",
     .help     = "coordinate that the latch holds"},
    {.name     = "mark",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(latch, mark),
     .unit     = BY_COORDINATE("m", "rad", "m"),
     .fallback = "",
     .help =
         "position at which it closes and holds (default for a closed latch: initial position)"},
    {.name   = "stiffness",
     .kind   = KL_KEY_NUMBER,
     .offset = offsetof(latch, k),
     .unit   = BY_COORDINATE("N/m", "N m/rad", "N/m"),
     .min    = 0,
     .max    = 1e300,
     .help   = "stiffness of the closed latch"},
    {.name     = "damping",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(latch, c),
     .unit     = BY_COORDINATE("N s/m", "N m s/rad", "N s/m"),
     .fallback = "0",
     .min      = 0,
     .max      = 1e300,
     .help     = "damping of the closed latch"},
    {.name     = "closed",
     .kind     = KL_KEY_FLAG,
     .offset   = offsetof(latch, closed),
     .fallback = "false",
     .help     = "closed from the start"},
    {.name     = "until",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(latch, until),
     .unit     = "s",
     .fallback = "",
     .min      = 0,
     .max      = 1e300,
     .help     = "time at which a closed latch is released permanently"},
    {0}};
static const kl_output latch_outputs[] = {
    {"value", BY_COORDINATE("m", "rad", "m"), "value of the coordinate"},
    {"push", BY_COORDINATE("N", "N m", "N"), "force or torque along the coordinate"},
    {"held", "1", "1 while it is closed, 0 while it is open"},
    {0}};

const kl_element_type kl_latch = {
    .name = "latch",
    .help = "latch: holds a displacement, an angle or a distance from the position `mark` on, or "
            "until a given time",
    .equation = "held: f = k (x - mark) + c x'",
    .example =
        "lock: {type: latch, of: hinge, coordinate: angle, mark: 90 deg, stiffness: 5 kN m/rad, "
        "damping: 20 N m s/rad}",
    .keys      = latch_keys,
    .outputs   = latch_outputs,
    .attach    = &kl_attach_joint,
    .axial     = "coordinate",
    .data_size = sizeof(latch),
    .setup     = latch_setup,
    .start     = latch_start,
    .eval      = latch_eval,
    .tangent   = latch_tangent,
    .crossings = latch_crossings,
    .commit    = latch_commit,
    .output    = latch_output,
    .watch     = latch_watch};
