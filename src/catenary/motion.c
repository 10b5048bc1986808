#include "catenary/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NEGLIGIBLE = 1e-17; /* of the largest entry: columns are cut off there */
/* (dt omega/2)^2 with omega^2 = k/m of a dropper and the mass that a step moves at its ends: beyond
 * this Newmark's rule feeds energy in when the dropper goes slack and taut */
static const double STIFF = 0.25;

/* ---- droppers ---- */

static double stretch(const kl_line *line, int j, const double *d)
{
    const kl_line_dropper *p = &line->dropper[j];
    double                 e = p->nz * (d[p->upper] - d[p->lower]);
    if (line->per == 4) e += p->ny * (d[p->upper + 2] - d[p->lower + 2]);
    return e;
}

static void put_pair(const kl_line *line, int j, double *f)
{
    const kl_line_dropper *p = &line->dropper[j];
    f[p->upper] += p->nz, f[p->lower] -= p->nz;
    if (line->per == 4) f[p->upper + 2] += p->ny, f[p->lower + 2] -= p->ny;
    for (int k = 0; k < line->per; k++) { /* ends that are held take no force */
        if (line->fixed[p->upper + k]) f[p->upper + k] = 0.0;
        if (line->fixed[p->lower + k]) f[p->lower + k] = 0.0;
    }
}

static int smaller_of(int a, int b) { return a < b ? a : b; }
static int larger_of(int a, int b) { return a > b ? a : b; }

/* The column dt^2/4 A^-1 b in place of b: its values at [from, to) are in `room` numbers that begin
 * with the unknown `low`. */
static void make_column(const kl_stepper *s, double *room, int low, int nroom, int from, int to,
                        kl_column *c)
{
    double    unit = 0.25 * s->dt * s->dt;
    kl_window w    = {.low = low, .high = low + nroom, .share = NEGLIGIBLE};
    kl_skyline_solve_window(&s->A, room - low, w, &from, &to);
    for (int i = from - low; i < to - low; i++) room[i] *= unit;
    *c = (kl_column){.from = from, .n = to - from, .value = room + (from - low)};
}

static void add_column(const kl_column *c, double factor, double *x)
{
    double *to = x + c->from;
    for (int i = 0; i < c->n; i++) to[i] += factor * c->value[i];
}

static double column_at(const kl_column *c, int dof)
{
    return dof >= c->from && dof < c->from + c->n ? c->value[dof - c->from] : 0.0;
}

static double own_stretch(const kl_line *line, int j, const kl_column *c)
{
    const kl_line_dropper *p = &line->dropper[j];
    double                 e = p->nz * (column_at(c, p->upper) - column_at(c, p->lower));
    if (line->per == 4) e += p->ny * (column_at(c, p->upper + 2) - column_at(c, p->lower + 2));
    return e;
}

/* ---- creation ---- */

static kl_status factor_step(kl_stepper *s)
{
    const kl_line *line = s->line;
    s->A                = kl_skyline_create(s->arena, line->ndof, line->first);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    for (int i = 0; i < s->A.size; i++)
        s->A.value[i] = line->M.value[i] + 0.5 * s->dt * line->C.value[i] +
                        0.25 * s->dt * s->dt * line->K.value[i];
    return kl_skyline_factor(&s->A, NULL);
}

static kl_status make_columns(kl_stepper *s)
{
    const kl_line *line = s->line;
    double        *x    = kl_arena_array(s->arena, double, line->ndof);
    s->column           = kl_arena_array(s->arena, kl_column, line->ndropper + 1);
    s->own              = kl_arena_array(s->arena, double, line->ndropper + 1);
    s->stiff            = kl_arena_array(s->arena, bool, line->ndropper + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    s->widest = 8 * line->per;
    for (int j = 0; j < line->ndropper; j++) {
        const kl_line_dropper *p = &line->dropper[j];
        kl_column             *c = &s->column[j];
        memset(x, 0, (size_t)line->ndof * sizeof *x);
        put_pair(line, j, x);
        make_column(s, x, 0, line->ndof, smaller_of(p->upper, p->lower),
                    larger_of(p->upper, p->lower) + line->per, c);
        double *kept = kl_arena_array(s->arena, double, c->n);
        if (!kept) return KL_E_MEMORY;
        memcpy(kept, c->value, (size_t)c->n * sizeof *kept);
        c->value    = kept;
        s->own[j]   = own_stretch(line, j, c);
        s->stiff[j] = p->k * s->own[j] > STIFF * (1.0 - p->k * s->own[j]);
        s->widest   = larger_of(s->widest, c->n);
    }
    /* pushes act between droppers, where columns are about as wide */
    s->widest = smaller_of(line->ndof, line->ndropper ? 2 * s->widest : line->ndof);
    return KL_OK;
}

kl_status kl_stepper_create(const kl_line *line, double dt, kl_arena *arena, kl_diag *diag,
                            kl_stepper **out)
{
    kl_stepper *s = kl_arena_array(arena, kl_stepper, 1);
    *out          = s;
    if (!s) return KL_E_MEMORY;
    *s               = (kl_stepper){.line = line, .arena = arena, .dt = dt};
    kl_status status = factor_step(s);
    if (status == KL_E_SINGULAR)
        kl_fail(diag, status, line->design->place,
                "catenary '%s': its equations of motion are singular; check for a wire without "
                "mass or tension",
                line->design->name);
    return status == KL_OK ? make_columns(s) : status;
}

int kl_stepper_state_size(const kl_line *line) { return 3 * line->ndof + 3 * line->ndropper; }

/* ---- a step ---- */

/* Stretch and p of all droppers at the start of the step. */
static void note_start(const kl_stepper *s, double *state)
{
    const kl_line *line  = s->line;
    const double  *p     = state + 3 * line->ndof;
    double        *start = state + 3 * line->ndof + line->ndropper;
    for (int j = 0; j < line->ndropper; j++) {
        start[j]                  = line->dropper[j].rest + stretch(line, j, state);
        start[line->ndropper + j] = p[j];
    }
}

void kl_stepper_free_step(const kl_stepper *s, double *state)
{
    const kl_line *line = s->line;
    int            n    = line->ndof;
    double        *d = state, *v = d + n, *a = v + n, dt = s->dt;
    note_start(s, state);
    for (int i = 0; i < n; i++) {
        d[i] += dt * v[i] + 0.25 * dt * dt * a[i];
        v[i] += 0.5 * dt * a[i];
        a[i] = 0.0;
    }
    kl_skyline_multiply(&line->K, d, a);
    if (line->damped) kl_skyline_multiply(&line->C, v, a);
    for (int i = 0; i < n; i++) a[i] = line->fixed[i] ? 0.0 : -a[i];
    kl_skyline_solve(&s->A, a);
    for (int i = 0; i < n; i++) d[i] += 0.25 * dt * dt * a[i];
}

void kl_stepper_influence(const kl_stepper *s, kl_push *push, double *room)
{
    const kl_wire_point *p    = &push->at;
    int                  last = s->line->ndof - s->widest;
    int                  low  = larger_of(
                          0, smaller_of(p->dof[0] - s->widest / 2, last)); /* the push in the middle of the room */
    memset(room, 0, (size_t)s->widest * sizeof *room);
    for (int k = 0; k < 4; k++) {
        int dof = p->dof[k / 2] + k % 2;
        if (!s->line->fixed[dof]) room[dof - low] += p->N[k];
    }
    make_column(s, room, low, s->widest, p->dof[0], p->dof[1] + 2, &push->column);
    push->influence = 0.0;
    for (int k = 0; k < 4; k++)
        push->influence += p->N[k] * column_at(&push->column, p->dof[k / 2] + k % 2);
}

/* Force at rest beyond that of its spring: 0 when it is taut there. */
static double excess(const kl_line_dropper *d) { return d->force - d->k * d->rest; }

/* The mean tension of a dropper over a step in which its stretch goes from s0 to s1:
 * (U(s1) - U(s0))/(s1 - s0) with U = k/2 max(0, s)^2, hence exactly the energy that it stores. */
static double mean_tension(double k, double s0, double s1)
{
    if (s0 >= 0.0 && s1 >= 0.0) return 0.5 * k * (s0 + s1);
    if (s0 <= 0.0 && s1 <= 0.0) return 0.0;
    double t0 = fmax(0.0, s0), t1 = fmax(0.0, s1);
    return 0.5 * k * (t1 * t1 - t0 * t0) / (s1 - s0);
}

/* The stretch s1 with (1 - c) s1 + 2 c/k mean_tension(s0, s1) = R, where c = k own < 1: the left side
 * grows with s1, so there is one. */
static double stretch_with_mean_tension(double c, double s0, double R)
{
    double b;
    if (s0 >= 0.0) {
        if (R - c * s0 >= 0.0) return R - c * s0; /* taut all the time */
        b = (1.0 - c) * s0 - R;                   /* goes slack: quadratic in s0 - s1 */
        return s0 - 0.5 * (b + sqrt(b * b + 4.0 * (1.0 - c) * c * s0 * s0)) / (1.0 - c);
    }
    if (R <= 0.0) return R / (1.0 - c); /* slack all the time */
    b = (1.0 - c) * s0 + R;             /* goes taut */
    return 0.5 * (b + sqrt(b * b - 4.0 * R * s0));
}

/* p of a dropper that is stiff for the step, which began with p0 and the stretch s0: what the mean of
 * p0 and p takes back leaves the mean tension of the step. */
static double stiff_dropper(const kl_line_dropper *of, double own, double others, double s0,
                            double p0)
{
    double R  = of->rest + others + own * (of->k * s0 + 2.0 * excess(of) - p0);
    double s1 = stretch_with_mean_tension(of->k * own, s0, R);
    return of->k * (s0 + s1) - 2.0 * mean_tension(of->k, s0, s1) + 2.0 * excess(of) - p0;
}

/* One dropper: the force p that takes back what it cannot do, given all others. Returns how far
 * its ends move by the change. */
static double update_dropper(const kl_stepper *s, int j, double *d, double *p, const double *start)
{
    const kl_line_dropper *of     = &s->line->dropper[j];
    double                 others = stretch(s->line, j, d) - s->own[j] * *p, now = 0.0;
    if (s->stiff[j])
        now = stiff_dropper(of, s->own[j], others, start[j], start[s->line->ndropper + j]);
    else if (of->rest + others <
             0.0) /* slack: p = k e - T + F0 with T = 0 and e = others + own p */
        now = (of->k * others + of->force) / (1.0 - of->k * s->own[j]);
    double change = now - *p;
    if (change == 0.0) return 0.0;
    add_column(&s->column[j], change, d);
    *p = now;
    return fabs(change) * s->own[j];
}

static double update_push(kl_push *push, int index, double *d, kl_push_law law, void *context)
{
    double w      = kl_wire_value(&push->at, d, 0) - push->influence * push->force;
    double force  = law(context, index, w, kl_wire_slope(&push->at, d, 0));
    double change = force - push->force;
    add_column(&push->column, change, d);
    push->force = force;
    return fabs(change) * push->influence;
}

/* First guess: droppers keep the stretch with which the step began, pushes keep their force. */
static void start_from_last(const kl_stepper *s, double *d, double *p, const kl_push *push,
                            int npush)
{
    const kl_line *line  = s->line;
    const double  *start = p + line->ndropper;
    for (int j = 0; j < line->ndropper; j++) {
        const kl_line_dropper *of = &line->dropper[j];
        if (s->stiff[j]) p[j] = 2.0 * (of->k * fmin(start[j], 0.0) + excess(of)) - p[j];
        if (p[j] != 0.0) add_column(&s->column[j], p[j], d);
    }
    for (int i = 0; i < npush; i++) add_column(&push[i].column, push[i].force, d);
}

/* The accelerations and velocities that belong to the forces found. */
static void complete(const kl_stepper *s, double *state, const kl_push *push, int npush)
{
    int           n = s->line->ndof;
    double       *v = state + n, *a = v + n, unit = 4.0 / (s->dt * s->dt);
    const double *p = a + n;
    for (int j = 0; j < s->line->ndropper; j++)
        if (p[j] != 0.0) add_column(&s->column[j], unit * p[j], a);
    for (int i = 0; i < npush; i++) add_column(&push[i].column, unit * push[i].force, a);
    for (int i = 0; i < n; i++) v[i] += 0.5 * s->dt * a[i];
}

int kl_stepper_settle(const kl_stepper *s, double *state, kl_push *push, int npush, kl_push_law law,
                      void *context, double tolerance)
{
    enum { MOST = 2000 };
    double *d = state, *p = state + 3 * s->line->ndof;
    int     passes = 0;
    start_from_last(s, d, p, push, npush);
    for (double change = HUGE_VAL; change > tolerance && passes < MOST; passes++) {
        change = 0.0;
        for (int i = 0; i < npush && law; i++)
            change = fmax(change, update_push(&push[i], i, d, law, context));
        for (int j = 0; j < s->line->ndropper; j++)
            change = fmax(change, update_dropper(s, j, d, &p[j], p + s->line->ndropper));
    }
    return passes < MOST ? passes : -1;
}

int kl_stepper_finish(const kl_stepper *s, double *state, kl_push *push, int npush, kl_push_law law,
                      void *context, double tolerance)
{
    int passes = kl_stepper_settle(s, state, push, npush, law, context, tolerance);
    complete(s, state, push, npush);
    return passes;
}

void kl_stepper_undo_settle(const kl_stepper *s, const double *before, double *state)
{
    int           n = s->line->ndof;
    const double *v = before + n, *a = v + n, *now = state + 2 * n;
    double        dt = s->dt, quarter = 0.25 * dt * dt;
    for (int i = 0; i < n; i++) state[i] = before[i] + dt * v[i] + quarter * (a[i] + now[i]);
    memcpy(state + 3 * n, before + 3 * n, (size_t)s->line->ndropper * sizeof *state);
}

/* ---- what can be asked ---- */

double kl_stepper_dropper_force(const kl_line *line, const double *state, int j)
{
    const kl_line_dropper *d = &line->dropper[j];
    return fmax(0.0, d->k * (d->rest + stretch(line, j, state)));
}

double kl_stepper_energy(const kl_stepper *s, const double *state, double *scratch)
{
    const kl_line *line = s->line;
    int            n    = line->ndof;
    double         sum  = 0.0;
    memset(scratch, 0, (size_t)n * sizeof *scratch);
    kl_skyline_multiply(&line->M, state + n, scratch);
    for (int i = 0; i < n; i++) sum += 0.5 * state[n + i] * scratch[i];
    memset(scratch, 0, (size_t)n * sizeof *scratch);
    kl_skyline_multiply(&line->K, state, scratch);
    for (int i = 0; i < n; i++) sum += 0.5 * state[i] * scratch[i];
    for (int j = 0; j < line->ndropper; j++) { /* true energy in place of 1/2 k e^2 */
        const kl_line_dropper *d = &line->dropper[j];
        double                 e = stretch(line, j, state);
        double                 t = fmax(0.0, d->rest + e), t0 = fmax(0.0, d->rest);
        sum += 0.5 * d->k * (t * t - t0 * t0) - d->force * e - 0.5 * d->k * e * e;
    }
    return sum;
}
