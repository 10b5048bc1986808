#include "solve/kinematics.h"

#include <math.h>
#include <string.h>

#include "model/groups.h"
#include "solve/mobility.h"
#include "solve/motion_text.h"
#include "solve/static_start.h"

/* A moment of the motion, kept to look back at. */
typedef struct moment {
    kl_state *s;
    double   *a;
    double    least; /* pivot of the constraints */
} moment;

typedef struct follower {
    kl_simulation  *sim;
    kl_solver      *x;
    const kl_model *m;
    kl_kinematics  *k;
    kl_diag        *diag;
    kl_arena       *arena;
    moment          last[3]; /* two before, one before, scratch */
    int             nlast;
    double         *dx;
    double          every;
} follower;

static void advance_all(const kl_model *m, const double *q, const double *dx, double *q_new)
{
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        b->type->advance(b->data, q + b->q, dx + b->v, q_new + b->q);
    }
}

/* Positions onto the constraints at the state's time; how far they went. */
static kl_status close_positions(follower *f, double *moved)
{
    kl_solver      *x      = f->x;
    const kl_model *m      = f->m;
    double          before = INFINITY;
    *moved                 = 0.0;
    for (int pass = 0; pass < 15; pass++) {
        kl_eval_motion(m, x->s, x->w);
        KL_TRY(kl_eval_elements(m, x->s, x->w));
        KL_TRY(kl_matrix_factor_projection(m, x->w, x->mass, NULL));
        memset(x->y, 0, (size_t)(m->nv + m->nz) * sizeof(double));
        for (int i = 0; i < m->nlam; i++) x->y[m->nv + m->nz + i] = -x->w->phi[i];
        KL_TRY(kl_matrix_solve(x->mass, x->y));
        memcpy(f->dx, x->y, (size_t)m->nv * sizeof(double));
        double step = kl_increment_norm(m, f->dx, NULL);
        if (!(step < 0.5)) return KL_RETRY;
        *moved += step;
        advance_all(m, x->s->q, f->dx, x->s->q);
        if (step < 1e-14 || (step < 1e-11 && step > 0.3 * before)) break;
        if (pass > 4 && step > 0.9 * before) return KL_RETRY;
        before = step;
    }
    kl_eval_motion(m, x->s, x->w);
    KL_TRY(kl_eval_elements(m, x->s, x->w));
    double gap = 0.0;
    for (int i = 0; i < m->nlam; i++) gap = fmax(gap, fabs(x->w->phi[i]));
    return gap <= 1e-12 * fmax(1.0, m->length) ? KL_OK : KL_RETRY;
}

/* Velocities and accelerations at the closed position, nearest to those carried along. */
static kl_status find_rates(follower *f)
{
    kl_solver      *x = f->x;
    const kl_model *m = f->m;
    KL_TRY(kl_eval(m, x->s, x->w));
    kl_eval_rate(m, x->w, x->rate);
    KL_TRY(kl_matrix_factor_projection(m, x->w, x->mass, NULL));
    memset(x->y, 0, (size_t)(m->nv + m->nz) * sizeof(double));
    for (int i = 0; i < m->nlam; i++) x->y[m->nv + m->nz + i] = -x->rate[i];
    KL_TRY(kl_matrix_solve_exact(x->mass, x->y));
    for (int i = 0; i < m->nv; i++) x->s->v[i] += x->y[i];
    return kl_solve_acceleration(x, x->a, x->lambda, f->diag);
}

/* From the state in the solver to time t in one step. KL_RETRY: too far. */
static kl_status one_step(follower *f, double t)
{
    kl_solver      *x = f->x;
    const kl_model *m = f->m;
    double          h = t - x->s->t, moved;
    for (int i = 0; i < m->nv; i++) f->dx[i] = h * x->s->v[i] + 0.5 * h * h * x->a[i];
    double ahead = kl_increment_norm(m, f->dx, NULL);
    if (!(ahead < 0.3)) return KL_RETRY;
    advance_all(m, x->s->q, f->dx, x->s->q);
    for (int i = 0; i < m->nv; i++) x->s->v[i] += h * x->a[i];
    x->s->t = t;
    KL_TRY(close_positions(f, &moved));
    /* a correction as large as the step means another branch */
    if (moved > 1e-9 + 0.25 * ahead) return KL_RETRY;
    return find_rates(f);
}

static void keep(const follower *f, moment *to)
{
    kl_state_copy(to->s, f->x->s);
    memcpy(to->a, f->x->a, (size_t)f->m->nv * sizeof(double));
}

static void restore_moment(follower *f, const moment *to)
{
    kl_state_copy(f->x->s, to->s);
    memcpy(f->x->a, to->a, (size_t)f->m->nv * sizeof(double));
}

static void note(follower *f, kl_special_kind kind, double t, int body)
{
    kl_kinematics *k    = f->k;
    int            room = (int)(sizeof k->special / sizeof *k->special);
    if (k->nspecial < room) k->special[k->nspecial] = (kl_special){kind, t, body};
    k->nspecial++;
}

/* ---- toggle: a body is at rest ----------------------------------------------------------------
 */

static double scaled(const kl_model *m, const kl_body *b, const double *u, const double *v)
{
    double sum = 0.0;
    for (int k = 0; k < b->nv; k++) {
        double unit = m->unit[b->v + k];
        sum += u[b->v + k] * v[b->v + k] / (unit * unit);
    }
    return sum;
}

/* Root of the cubic through values and slopes at both ends of a step of size h; 0 .. 1. */
static double cubic_root(double y0, double d0, double y1, double d1, double h)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 60; i++) {
        double s = 0.5 * (low + high), r = 1.0 - s;
        double y = y0 * r * r * (1.0 + 2.0 * s) + h * d0 * s * r * r +
                   y1 * s * s * (3.0 - 2.0 * s) - h * d1 * s * s * r;
        if ((y > 0.0) == (y0 > 0.0)) low = s;
        else high = s;
    }
    return 0.5 * (low + high);
}

/* Bodies whose velocity turned round while others went on. */
static void find_toggles(follower *f, const moment *before)
{
    const kl_model *m = f->m;
    const double   *u = before->s->v, *v = f->x->s->v, *au = before->a, *av = f->x->a;
    int             turned = 0, moving = 0;
    double          most = 0.0;
    for (int i = 0; i < m->nbody; i++) most = fmax(most, scaled(m, &m->body[i], v, v));
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < m->nbody; i++) {
            const kl_body *b = &m->body[i];
            double uu = scaled(m, b, u, u), vv = scaled(m, b, v, v), uv = scaled(m, b, u, v);
            if (b->nv == 0 || fmax(uu, vv) < 1e-20 * most) continue;
            bool round = uv < -0.99 * sqrt(uu * vv) && uv < 0.0;
            if (pass == 0) {
                moving++;
                turned += round;
                continue;
            }
            if (!round || turned == moving) continue; /* the drive itself turned back */
            double y0 = uu, y1 = uv, d0 = scaled(m, b, u, au), d1 = scaled(m, b, u, av);
            double h = f->x->s->t - before->s->t;
            note(f, KL_TOGGLE, before->s->t + h * cubic_root(y0, d0, y1, d1, h), i);
        }
}

/* ---- branching: the rank is lost and found again
 * ------------------------------------------------- */

static kl_status least_pivot(follower *f, double *least)
{
    int rank;
    KL_TRY(kl_eval(f->m, f->x->s, f->x->w));
    KL_TRY(kl_constraint_rank(f->x, &rank, least));
    if (rank < f->m->nv) *least = 0.0; /* fully driven: every velocity has a pivot */
    return KL_OK;
}

/* Golden section for the smallest pivot between two moments, each time stepped to from the first.
 */
static kl_status narrow(follower *f, const moment *from, double to, double *place, double *least)
{
    const double g   = 0.6180339887498949;
    double       low = from->s->t, high = to;
    double       p[2] = {high - g * (high - low), low + g * (high - low)}, y[2] = {NAN, NAN};
    for (int pass = 0; pass < 60; pass++) {
        for (int i = 0; i < 2; i++) {
            if (!isnan(y[i])) continue;
            restore_moment(f, from);
            kl_status status = one_step(f, p[i]);
            if (status == KL_OK) status = least_pivot(f, &y[i]);
            if (status == KL_E_MEMORY) return status;
            if (status != KL_OK) y[i] = 0.0; /* not to be followed there: as singular as can be */
        }
        bool left = y[0] < y[1];
        *place    = left ? p[0] : p[1];
        *least    = left ? y[0] : y[1];
        if (high - low < 1e-12 * fmax(1.0, fabs(high))) break;
        if (left) high = p[1], p[1] = p[0], y[1] = y[0], p[0] = high - g * (high - low), y[0] = NAN;
        else low = p[0], p[0] = p[1], y[0] = y[1], p[1] = low + g * (high - low), y[1] = NAN;
    }
    return KL_OK;
}

/* The pivot falls to zero along two lines: their meeting point, from both sides and ever nearer. */
static void sharpen(follower *f, const moment *from, double span, double *place)
{
    for (double d = 1e-2 * span; d > 5e-4 * span; d *= 0.1) {
        double y[2] = {0.0, 0.0};
        for (int i = 0; i < 2; i++) {
            restore_moment(f, from);
            if (one_step(f, *place + (i ? d : -d)) != KL_OK || least_pivot(f, &y[i]) != KL_OK)
                return;
        }
        if (y[0] + y[1] > 0.0) *place += d * (y[0] - y[1]) / (y[0] + y[1]);
    }
}

static kl_status find_branching(follower *f)
{
    const moment *two = &f->last[0], *one = &f->last[1];
    double        now, place, least;
    KL_TRY(least_pivot(f, &now));
    /* steps as small as before a lock-up see rounding, no dips */
    bool wide = f->nlast >= 2 && f->x->s->t - two->s->t > 1e-3 * f->every;
    bool dip  = wide && one->least < two->least && one->least <= now && one->least < 0.1;
    if (dip) {
        keep(f, &f->last[2]);
        KL_TRY(narrow(f, two, f->last[2].s->t, &place, &least));
        if (least < 1e-4) {
            sharpen(f, two, f->last[2].s->t - two->s->t, &place);
            note(f, KL_BRANCHING, place, 0);
        }
        restore_moment(f, &f->last[2]);
    }
    /* the moments move on */
    moment oldest = f->last[0];
    f->last[0]    = f->last[1];
    f->last[1]    = oldest;
    keep(f, &f->last[1]);
    f->last[1].least = now;
    f->nlast         = f->nlast < 2 ? f->nlast + 1 : 2;
    return KL_OK;
}

/* ---- the motion
 * ------------------------------------------------------------------------------------ */

static kl_status locked_up(follower *f)
{
    int fastest = 0;
    (void)kl_increment_norm(f->m, f->x->s->v, &fastest);
    note(f, KL_LOCK_UP, f->x->s->t, fastest);
    return kl_fail(f->diag, KL_E_STEP, f->m->body[fastest].place,
                   "lock-up at t = %.7g s: the drivers cannot move the mechanism further; '%s' "
                   "would need an infinite velocity. The mechanism has reached a dead point; "
                   "reduce the range of the driver, or change a length",
                   f->x->s->t, f->m->body[fastest].name);
}

/* To time `t` in as many steps as it takes. */
static kl_status follow(follower *f, double t, double every)
{
    double h = t - f->x->s->t;
    while (f->x->s->t < t) {
        const moment *before = &f->last[1];
        double        to     = f->x->s->t + h >= t - 1e-9 * every ? t : f->x->s->t + h;
        kl_status     status = one_step(f, to);
        if (status == KL_E_MEMORY) return status;
        if (status != KL_OK) {
            restore_moment(f, before);
            h = 0.5 * (to - f->x->s->t);
            if (h < 1e-7 * every) {
                (void)kl_eval(f->m, f->x->s, f->x->w);
                return locked_up(f);
            }
            continue;
        }
        kl_commit_history(f->m, f->x->s, f->x->w, f->x->s->h);
        f->k->steps++;
        find_toggles(f, before);
        KL_TRY(find_branching(f));
        h *= 2.0;
    }
    return KL_OK;
}

/* No driver prescribes how a body deforms. */
static kl_status check_rigid(follower *f)
{
    const kl_model *m = f->m;
    for (int i = 0; i < m->nbody; i++)
        if (kl_body_deforms(&m->body[i]))
            return kl_fail(
                f->diag, KL_E_MODEL, m->body[i].place,
                "kinematics needs rigid bodies, but '%s' is flexible; make it rigid with "
                "`flexible: false`, or use `klingel run`, which also computes the forces of "
                "drivers and joints (`start: static` avoids initial vibration)",
                m->body[i].name);
    return KL_OK;
}

/* Everything must be driven. */
static kl_status check_driven(follower *f)
{
    kl_mobility *b = NULL;
    KL_TRY(check_rigid(f));
    KL_TRY(kl_mobility_find(f->x, f->diag, &b));
    kl_status status = KL_OK;
    if (b->mobility > 0)
        status = kl_fail(f->diag, KL_E_MODEL, KL_NOWHERE,
                         "kinematics needs a driver for every degree of freedom: %d %s not driven "
                         "(%s%s); add a joint with `type: driver` for each",
                         b->mobility, b->mobility == 1 ? "is" : "are",
                         b->nmotion ? b->motion[0].text : "?", b->nmotion > 1 ? ", ..." : "");
    kl_mobility_destroy(b);
    return status;
}

static int kept_specials(const follower *f)
{
    const int room = (int)(sizeof f->k->special / sizeof *f->k->special);
    return f->k->nspecial < room ? f->k->nspecial : room;
}

/* The bodies that reverse together with number i are one event, reported with the first of them. */
static bool is_same_event(const follower *f, int i, int j)
{
    const kl_special *a = &f->k->special[i], *b = &f->k->special[j];
    return b->kind == KL_TOGGLE && fabs(a->t - b->t) <= 1e-3 * f->every;
}

static bool was_reported(const follower *f, int i)
{
    for (int j = 0; j < i; j++)
        if (is_same_event(f, i, j)) return true;
    return false;
}

static void report_dead_point(const follower *f, int i)
{
    enum { NAMED = 4 };
    kl_line l = {.arena = f->arena};
    int     n = 0;
    for (int j = i; j < kept_specials(f); j++) {
        if (!is_same_event(f, i, j)) continue;
        if (n++ < NAMED)
            kl_line_add(&l, "%s%s", n > 1 ? ", " : "", f->m->body[f->k->special[j].body].name);
    }
    if (n > NAMED) kl_line_add(&l, " and %d more", n - NAMED);
    kl_note(f->diag, KL_NOWHERE, "dead point at t = %.9g s: %s %s", f->k->special[i].t, l.text,
            n == 1 ? "stops and reverses" : "stop and reverse");
}

/* One line for each event, of many only the first ones and how many there are. */
static void report_events(const follower *f)
{
    enum { MOST = 10 };
    int points = 0;
    for (int i = 0; i < kept_specials(f); i++) {
        const kl_special *s = &f->k->special[i];
        if (s->kind == KL_TOGGLE && !was_reported(f, i)) {
            if (++points <= MOST) report_dead_point(f, i);
        } else if (s->kind == KL_BRANCHING)
            kl_note(f->diag, KL_NOWHERE,
                    "bifurcation at t = %.9g s: the constraints lose rank and the motion has "
                    "several branches; the smooth branch was followed",
                    s->t);
    }
    if (points > MOST)
        kl_note(f->diag, KL_NOWHERE, "%s%d more dead points follow",
                f->k->nspecial > kept_specials(f) ? "at least " : "", points - MOST);
}

static kl_status follow_all(follower *f, double end, double every, const kl_sink *sink)
{
    kl_solver *x = f->x;
    KL_TRY(kl_assemble_start(x, f->diag));
    KL_TRY(check_driven(f));
    KL_TRY(find_rates(f));
    KL_TRY(find_branching(f));
    long rows = (long)floor(end / every * (1.0 + 1e-12) + 1e-9);
    for (long i = 0; i <= rows; i++) {
        if (i > 0) KL_TRY(follow(f, (double)i * every, every));
        const double *values;
        KL_TRY(kl_simulation_sample(f->sim, f->diag, &values));
        if (sink->row) KL_TRY(sink->row(sink->context, x->s->t, values));
        if (sink->continue_run && !sink->continue_run(sink->context, x->s->t))
            return KL_E_INTERRUPTED;
    }
    return KL_OK;
}

kl_status kl_kinematics_run(kl_simulation *s, double end, double every, const kl_sink *sink,
                            kl_kinematics *k, kl_diag *diag)
{
    const kl_model *m = s->model;
    follower        f = {.sim = s, .x = s->solver, .m = m, .k = k, .diag = diag, .every = every};
    *k                = (kl_kinematics){0};
    f.arena           = kl_arena_create();
    f.dx              = kl_arena_array(f.arena, double, m->nv + 1);
    bool ok           = true;
    for (int i = 0; i < 3; i++) {
        f.last[i].s = kl_state_create(m);
        f.last[i].a = kl_arena_array(f.arena, double, m->nv + 1);
        ok &= f.last[i].s != NULL;
    }
    kl_status status = ok && kl_arena_ok(f.arena) ? follow_all(&f, end, every, sink) : KL_E_MEMORY;
    report_events(&f);
    for (int i = 0; i < 3; i++) kl_state_destroy(f.last[i].s);
    kl_arena_destroy(f.arena);
    return status;
}
