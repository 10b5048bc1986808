/* Limit cycles by shooting and continuation.
 *
 * P(x; T, V) is the state that a run at speed V from the state x reaches after the time T. A limit
 * cycle is a solution of
 *
 *   P(x; T, V) - x = 0,   f.dx = 0 (phase: no motion along the cycle),   t.d(x, T, V) = 0 (arc length)
 *
 * with f the rate of x and t the tangent of the branch, so that points beyond a fold are found like all
 * others (Keller 1977; Seydel, Practical Bifurcation and Stability Analysis, chapter 7). The matrix
 * dP/dx, whose eigenvalues are the Floquet multipliers, comes from one run for each coordinate and
 * each velocity; between two of these Newton's method goes on with Broyden's updates.
 *
 * States are compared in axes that do not spin (linearize.h), velocities over the angular frequency of
 * the cycle, so that all numbers are lengths of about the amplitude. Positions of bodies that spin have no
 * angle of spin, and a common travel of all bodies is left out: both return in no period. */
#include "cli/shooting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/rotation.h"
#include "model/groups.h"
#include "solve/linearize.h"

enum { LOOKS = 100 }; /* times in a period at which the channel is read */

typedef struct shooter {
    kl_hunting *k;
    kl_ride     ride; /* at the speed V */
    double      V, T; /* of the present reference */
    double      omega, amplitude;
    double      stride;              /* step along the branch over the amplitude */
    int         passes;              /* of Newton's method for the present point */
    int         nv, nz, n;           /* n = 2 nv + nz */
    double     *ref;                 /* reference: q, v less that of the start, z, h */
    double     *start_v;             /* nv: velocities of the model's start at V */
    kl_mat3    *axes;                /* of each body at the reference */
    double     *place, *rate, *rest; /* nq, nv (global axes), nz: reference */
    double     *z_size;              /* nz: range of a state over the cycle */
    double     *dx;                  /* nv: scratch */
    /* derivative in the directions U that constraints leave */
    int      r;
    double  *U;       /* n x r, orthonormal */
    double  *J;       /* (r + 2) x (r + 2): dP/dx - 1 and the columns of T and V; two rows below */
    double  *flow;    /* n: rate of the state, unit length */
    double  *tangent; /* n + 2 */
    double  *S, *E, *W; /* n x n each */
    double  *end, *right, *now;
    kl_diag *quiet;
} shooter;

/* ---- states as deviations from the reference ---- */

/* Axes and velocities of the state in the ride, which is evaluated. */
static kl_mat3 axes_of(const shooter *s, int body)
{
    const kl_body *b = &s->ride.m->body[body];
    return kl_body_axes(b, s->ride.s->solver->w->cache + b->cache).A;
}

/* v in global axes */
static void global_rates(const shooter *s, double *rate)
{
    const kl_model *m = s->ride.m;
    memcpy(rate, s->ride.s->solver->s->v, (size_t)m->nv * sizeof *rate);
    for (int i = 0; i < m->nbody; i++) {
        kl_group g = kl_body_group(&m->body[i], KL_ROTATION);
        kl_mat3  A;
        if (!g.nv) continue;
        A = axes_of(s, i);
        kl_store(rate + g.v, kl_mul(&A, kl_load(rate + g.v)));
    }
}

static void remember(shooter *s)
{
    const kl_model *m  = s->ride.m;
    const kl_state *at = s->ride.s->solver->s;
    for (int i = 0; i < m->nbody; i++)
        if (kl_body_turns(&m->body[i])) s->axes[i] = axes_of(s, i);
    memcpy(s->place, at->q, (size_t)m->nq * sizeof(double));
    memcpy(s->rest, at->z, (size_t)m->nz * sizeof(double));
    global_rates(s, s->rate);
}

/* Rotation of a body since the reference, its spin left out. */
static kl_vec3 rotation_since(const shooter *s, int body)
{
    const kl_body *b = &s->ride.m->body[body];
    kl_mat3 A = axes_of(s, body), back = kl_transpose(&s->axes[body]), D = kl_matmul(&A, &back);
    kl_vec3 turn = kl_rotation_log(&D);
    if (!b->type->spin) return turn;
    kl_vec3 n = kl_mul(&A, kl_body_spin(b));
    return kl_axpy(-kl_dot(n, turn), n, turn);
}

/* What all bodies travel is no deviation: the longest component of the way of the first one. */
static kl_vec3 common_displacement(const shooter *s)
{
    const double    far = 0.5; /* [m] */
    const kl_model *m   = s->ride.m;
    for (int i = 0; i < m->nbody; i++) {
        kl_group g = kl_body_group(&m->body[i], KL_TRANSLATION);
        if (!g.nv) continue;
        kl_vec3 d    = kl_sub(kl_load(s->ride.s->solver->s->q + g.q), kl_load(s->place + g.q));
        double  most = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
        if (most < far) break;
        return kl_vec(fabs(d.x) == most ? d.x : 0.0, fabs(d.y) == most ? d.y : 0.0,
                      fabs(d.z) == most ? d.z : 0.0);
    }
    return kl_vec(0, 0, 0);
}

/* Differences of the coordinates of body b that are plain numbers. */
static void plain_differences(const shooter *s, const kl_body *b, double *out)
{
    const double *q = s->ride.s->solver->s->q;
    for (int v = b->v; v < b->v + b->nv; v++) {
        kl_group g = kl_body_group_at(b, v);
        int      i = g.q + v - g.v;
        out[v]     = g.kind == KL_ROTATION ? 0.0 : q[i] - s->place[i];
    }
}

/* The state of the ride, which is evaluated, less the reference. */
static void deviation(const shooter *s, double *out)
{
    const kl_model *m    = s->ride.m;
    const kl_state *at   = s->ride.s->solver->s;
    kl_vec3         gone = common_displacement(s);
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        kl_group       t = kl_body_group(b, KL_TRANSLATION), r = kl_body_group(b, KL_ROTATION);
        plain_differences(s, b, out);
        if (t.nv) kl_store(out + t.v, kl_sub(kl_load(out + t.v), gone));
        if (r.nv) kl_store(out + r.v, rotation_since(s, i));
    }
    global_rates(s, out + m->nv);
    for (int i = 0; i < m->nv; i++) out[m->nv + i] = (out[m->nv + i] - s->rate[i]) / s->omega;
    for (int i = 0; i < m->nz; i++)
        out[2 * m->nv + i] = (at->z[i] - s->rest[i]) * s->amplitude / s->z_size[i];
}

/* Into the state of the ride, and back. */
static void load_reference(shooter *s)
{
    const kl_model *m  = s->ride.m;
    kl_state       *at = s->ride.s->solver->s;
    const double   *p  = s->ref;
    memcpy(at->q, p, (size_t)m->nq * sizeof *p), p += m->nq;
    for (int i = 0; i < m->nv; i++) at->v[i] = s->start_v[i] + *p++;
    memcpy(at->z, p, (size_t)m->nz * sizeof *p), p += m->nz;
    memcpy(at->h, p, (size_t)m->nh * sizeof *p);
    at->t = m->t0;
}

static void store_reference(shooter *s)
{
    const kl_model *m  = s->ride.m;
    const kl_state *at = s->ride.s->solver->s;
    double         *p  = s->ref;
    memcpy(p, at->q, (size_t)m->nq * sizeof *p), p += m->nq;
    for (int i = 0; i < m->nv; i++) *p++ = at->v[i] - s->start_v[i];
    memcpy(p, at->z, (size_t)m->nz * sizeof *p), p += m->nz;
    memcpy(p, at->h, (size_t)m->nh * sizeof *p);
}

/* The reference, moved by `by` (n, NULL: not at all), on the constraints. */
static kl_status place(shooter *s, const double *by)
{
    const kl_model *m  = s->ride.m;
    kl_solver      *x  = s->ride.s->solver;
    kl_state       *at = x->s;
    load_reference(s);
    KL_TRY(kl_eval_position(m, at, x->w));
    KL_TRY(kl_eval_motion(m, at, x->w));
    remember(s);
    if (!by) return kl_simulation_move(s->ride.s, s->quiet);
    kl_linear_increment(m, x->w, by, s->dx);
    kl_model_advance(m, s->place, s->dx, at->q);
    for (int i = 0; i < m->nv; i++) s->dx[i] = s->rate[i] + s->omega * by[m->nv + i];
    KL_TRY(kl_eval_position(m, at, x->w));
    KL_TRY(kl_eval_motion(m, at, x->w));
    kl_linear_increment(m, x->w, s->dx, at->v); /* from global axes back to those of the bodies */
    for (int i = 0; i < m->nz; i++) at->z[i] += by[2 * m->nv + i] * s->z_size[i] / s->amplitude;
    KL_TRY(kl_assemble(x, s->quiet));
    KL_TRY(kl_simulation_move(s->ride.s, s->quiet));
    return KL_OK;
}

/* ---- one period ---- */

static kl_status advance(shooter *s, double until)
{
    while (s->ride.s->solver->s->t < until) KL_TRY(kl_simulation_step(s->ride.s, until, s->quiet));
    return KL_OK;
}

static kl_status shooting_residual(shooter *s, double *out)
{
    kl_solver *x = s->ride.s->solver;
    KL_TRY(kl_eval_position(s->ride.m, x->s, x->w));
    KL_TRY(kl_eval_motion(s->ride.m, x->s, x->w));
    deviation(s, out);
    return KL_OK;
}

/* Runs for the time T from the reference moved by `by`; `end`: deviation from the reference after it,
 * `start` (or NULL): the one that was left of `by` on the constraints. */
static kl_status shoot(shooter *s, const double *by, double *start, double *end)
{
    KL_TRY(place(s, by));
    double t0 = s->ride.s->solver->s->t;
    if (start) KL_TRY(shooting_residual(s, start));
    for (int i = 1; i <= LOOKS; i++) KL_TRY(advance(s, t0 + s->T * i / LOOKS));
    return shooting_residual(s, end);
}

/* Half of largest less smallest value of the channel over the period, from the reference. */
static kl_status measure(shooter *s)
{
    int    channel;
    double y[LOOKS + 2], low = INFINITY, high = -INFINITY;
    KL_TRY(kl_hunting_channel(s->k, &s->ride, &channel));
    KL_TRY(place(s, NULL));
    double t0 = s->ride.s->solver->s->t;
    for (int i = 0; i < LOOKS + 2; i++) {
        const double *values;
        if (i) KL_TRY(advance(s, t0 + s->T * i / LOOKS));
        KL_TRY(kl_simulation_sample(s->ride.s, s->quiet, &values));
        y[i] = values[channel];
        for (int j = 0; j < s->nz; j++)
            s->z_size[j] = fmax(s->z_size[j], fabs(s->ride.s->solver->s->z[j] - s->rest[j]));
        if (i < 2) continue;
        /* the parabola through three values */
        double slope = 0.5 * (y[i] - y[i - 2]), bend = y[i] - 2.0 * y[i - 1] + y[i - 2];
        double peak = y[i - 1];
        if (fabs(slope) < fabs(bend)) peak -= 0.5 * slope * slope / bend;
        low = fmin(low, peak), high = fmax(high, peak);
    }
    s->amplitude = 0.5 * (high - low);
    return KL_OK;
}

static kl_status go_to_speed(shooter *s, double V)
{
    kl_ride_close(&s->ride);
    s->k->tolerance = 2e-5 * s->amplitude; /* derivatives need runs that differ by less than 1e-3 */
    kl_status status = kl_ride_open(s->k, V, &s->ride);
    s->k->tolerance  = 0.0;
    KL_TRY(status);
    KL_TRY(kl_simulation_start(s->ride.s, s->quiet));
    memcpy(s->start_v, s->ride.s->solver->s->v, (size_t)s->nv * sizeof(double));
    s->V = V;
    return KL_OK;
}

/* ---- derivatives ---- */

/* Scales of the unknowns T and V, so that all are lengths of about the amplitude. */
static double time_scale(const shooter *s) { return s->amplitude * s->omega; }
static double speed_scale(const shooter *s) { return s->amplitude / (0.1 * s->V); }

/* The next column of U: what is new in `a` (n numbers, destroyed). */
static void extend_basis(shooter *s, double *a, double least)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->r; i++) {
            const double *u = s->U + (size_t)i * (size_t)s->n;
            kl_vaxpy(s->n, -kl_vdot(s->n, u, a), u, a);
        }
    double length = kl_vnorm(s->n, a);
    if (length < least) return;
    double *u = s->U + (size_t)s->r++ * (size_t)s->n;
    for (int i = 0; i < s->n; i++) u[i] = a[i] / length;
}

/* Starts S and ends E of runs with one coordinate changed each, by columns. */
static kl_status sample_columns(shooter *s, const double *end, double size, int *count)
{
    size_t n = (size_t)s->n;
    *count   = 0;
    s->r     = 0;
    for (int j = 0; j < s->n; j++) {
        double *S = s->S + n * (size_t)*count, *E = s->E + n * (size_t)*count;
        memset(s->now, 0, n * sizeof(double));
        s->now[j] = size;
        KL_TRY(shoot(s, s->now, S, E));
        if (kl_vnorm(s->n, S) < 1e-2 * size) continue; /* held, or an angle of spin */
        kl_vaxpy(s->n, -1.0, end, E);
        memcpy(s->now, S, n * sizeof(double));
        extend_basis(s, s->now, 1e-2 * size);
        ++*count;
    }
    return KL_OK;
}

/* The column of U'(...) in row-reduced form: out (r) = U' a. */
static void reduce(const shooter *s, const double *a, double *out)
{
    for (int i = 0; i < s->r; i++) out[i] = kl_vdot(s->n, s->U + (size_t)i * (size_t)s->n, a);
}

/* dP/dx in the directions U, over J (leading dimension r + 2): E = (dP/dx) S, so dP/dx U = E S^+ U. */
static kl_status reduce_columns(shooter *s, int count)
{
    int     n = s->n, r = s->r, rank, rows = r + 2;
    double *A = s->W, *B = A + (size_t)n * (size_t)n, *C = B + (size_t)n * (size_t)n;
    memcpy(A, s->S, (size_t)n * (size_t)count * sizeof(double));
    memset(B, 0, (size_t)n * (size_t)n * sizeof(double));
    memcpy(B, s->U, (size_t)n * (size_t)r * sizeof(double));
    KL_TRY(kl_least_squares(n, count, r, A, B, n, 1e-4, &rank));
    kl_gemm(false, false, n, r, count, 1.0, s->E, n, B, n, 0.0, C, n);
    kl_gemm(true, false, r, r, n, 1.0, s->U, n, C, n, 0.0, s->J, rows);
    return KL_OK;
}

/* Rate of the state at the end of a period, and dP/dT. */
static kl_status find_flow(shooter *s)
{
    const double h  = 2e-3;
    double       t0 = s->ride.m->t0;
    KL_TRY(place(s, NULL));
    for (int i = 1; i < LOOKS; i++) KL_TRY(advance(s, t0 + s->T * i / LOOKS));
    KL_TRY(advance(s, t0 + s->T * (1.0 - h)));
    KL_TRY(shooting_residual(s, s->now));
    KL_TRY(advance(s, t0 + s->T * (1.0 + h)));
    KL_TRY(shooting_residual(s, s->flow));
    kl_vaxpy(s->n, -1.0, s->now, s->flow);
    for (int i = 0; i < s->n; i++) s->flow[i] /= 2.0 * h * s->T;
    return KL_OK;
}

/* Largest Floquet multiplier. The one of the flow f, which is 1, is taken out: dP/dx (1 - f f'/(f'f))
 * has the same eigenvalues but a zero in its place. */
static kl_status largest_multiplier(shooter *s, const double *flow, double *out)
{
    int     r = s->r, rows = r + 2;
    double *A = s->W, *f = A + (size_t)r * (size_t)r, *wr = f + r, *wi = wr + r;
    double  square = kl_vdot(r, flow, flow);
    memset(f, 0, (size_t)r * sizeof *f);
    for (int j = 0; j < r; j++) {
        memcpy(A + (size_t)j * (size_t)r, s->J + (size_t)j * (size_t)rows,
               (size_t)r * sizeof(double));
        kl_vaxpy(r, flow[j] / square, A + (size_t)j * (size_t)r, f);
    }
    for (int j = 0; j < r; j++) kl_vaxpy(r, -flow[j], f, A + (size_t)j * (size_t)r);
    KL_TRY(kl_general_eigen(r, A, wr, wi, NULL));
    *out = 0.0;
    for (int i = 0; i < r; i++) *out = fmax(*out, hypot(wr[i], wi[i]));
    return KL_OK;
}

/* J of the reference, without its last row, and the largest multiplier. */
static kl_status differentiate(shooter *s, double *multiplier)
{
    const double step = 1e-3; /* of the speed */
    int          count, rows;
    double       V = s->V;
    KL_TRY(shoot(s, NULL, NULL, s->end));
    KL_TRY(sample_columns(s, s->end, 1e-3 * s->amplitude, &count));
    KL_TRY(reduce_columns(s, count));
    rows = s->r + 2;
    KL_TRY(find_flow(s));
    double *column = s->J + (size_t)rows * (size_t)s->r;
    reduce(s, s->flow, column);
    double length = kl_vnorm(s->r, column);
    KL_TRY(largest_multiplier(s, column, multiplier));
    for (int i = 0; i < s->r; i++) {
        double *J = s->J + (size_t)rows * (size_t)i;
        J[i] -= 1.0;
        J[s->r]     = column[i] / length;
        J[s->r + 1] = 0.0;
    }
    for (int i = 0; i < s->r; i++) column[i] /= time_scale(s);
    column[s->r] = column[s->r + 1] = 0.0;
    double *last                    = column + rows;
    KL_TRY(go_to_speed(s, V * (1.0 + step)));
    KL_TRY(shoot(s, NULL, NULL, s->now));
    KL_TRY(go_to_speed(s, V));
    kl_vaxpy(s->n, -1.0, s->end, s->now);
    reduce(s, s->now, last);
    for (int i = 0; i < s->r; i++) last[i] /= step * V * speed_scale(s);
    last[s->r] = last[s->r + 1] = 0.0;
    return KL_OK;
}

/* ---- Newton's method ---- */

/* The last row of J: d(x, T, V) along the tangent is given; `hold`: the speed is. */
static void set_last_row(shooter *s, bool hold)
{
    int     r = s->r, rows = r + 2;
    double *at = s->right;
    if (hold) memset(at, 0, (size_t)rows * sizeof *at), at[r + 1] = 1.0;
    else {
        reduce(s, s->tangent, at);
        at[r] = s->tangent[s->n], at[r + 1] = s->tangent[s->n + 1];
    }
    for (int j = 0; j < rows; j++) s->J[(size_t)j * (size_t)rows + (size_t)r + 1] = at[j];
}

/* u = J^-1 b, in place. */
static kl_status solve(shooter *s, double *b)
{
    int rows = s->r + 2;
    memcpy(s->W, s->J, (size_t)rows * (size_t)rows * sizeof(double));
    return kl_dense_solve(rows, 1, s->W, b);
}

/* The reference moves by u = (directions U, T, V), in scaled numbers. */
static kl_status move(shooter *s, const double *u)
{
    double V = s->V + u[s->r + 1] / speed_scale(s);
    memset(s->now, 0, (size_t)s->n * sizeof(double));
    for (int i = 0; i < s->r; i++) kl_vaxpy(s->n, u[i], s->U + (size_t)i * (size_t)s->n, s->now);
    KL_TRY(place(s, s->now));
    store_reference(s);
    s->T += u[s->r] / time_scale(s);
    if (!(s->T > 0.0 && V > 0.0)) return KL_RETRY;
    return V == s->V ? KL_OK : go_to_speed(s, V);
}

/* Newton's method with Broyden's updates from the reference on: largest gap of the period over the
 * amplitude. */
static kl_status correct(shooter *s, bool hold, double *gap)
{
    const double done = 2e-5, good_enough = 1e-3, lost = 2.0;
    double       last = HUGE_VAL;
    double      *u    = s->right + s->n + 2;
    set_last_row(s, hold);
    for (int pass = 0; pass < 10; pass++) {
        int rows  = s->r + 2;
        s->passes = pass;
        KL_TRY(shoot(s, NULL, NULL, s->end));
        reduce(s, s->end, s->right);
        s->right[s->r] = s->right[s->r + 1] = 0.0;
        *gap                                = kl_vnorm(s->r, s->right) / s->amplitude;
        if (*gap < done) return KL_OK;
        if (!(*gap < lost) || (pass > 2 && *gap > 2.0 * last)) return KL_RETRY;
        if (pass >
            0) { /* Broyden: J u should have been the change of the gap, so J += gap u'/(u'u) */
            double square = kl_vdot(rows, u, u);
            for (int j = 0; j < rows; j++)
                kl_vaxpy(s->r, u[j] / square, s->right, s->J + (size_t)j * (size_t)rows);
        }
        if (pass > 3 && *gap > 0.7 * last && *gap < good_enough) return KL_OK;
        last = *gap;
        for (int i = 0; i < rows; i++) u[i] = -s->right[i];
        KL_TRY(solve(s, u));
        KL_TRY(move(s, u));
    }
    return *gap < good_enough ? KL_OK : KL_RETRY;
}

/* ---- the branch ---- */

/* Short steps where the branch bends: `cosine` of the angle between the last tangent and this one. */
static void choose_stride(shooter *s, double cosine)
{
    if (cosine < 0.97) s->stride = fmax(0.5 * s->stride, 0.015);
    else if (cosine > 0.99 && s->passes <= 3) s->stride = fmin(1.5 * s->stride, 0.3);
}

/* The tangent at the reference, on in the direction of the last one. */
static kl_status find_tangent(shooter *s)
{
    int r = s->r;
    set_last_row(s, false);
    memset(s->right, 0, (size_t)(r + 2) * sizeof(double));
    s->right[r + 1] = 1.0;
    KL_TRY(solve(s, s->right));
    double length = kl_vnorm(r + 2, s->right);
    choose_stride(s, 1.0 / length);
    memset(s->tangent, 0, (size_t)s->n * sizeof(double));
    for (int i = 0; i < r; i++)
        kl_vaxpy(s->n, s->right[i] / length, s->U + (size_t)i * (size_t)s->n, s->tangent);
    s->tangent[s->n]     = s->right[r] / length;
    s->tangent[s->n + 1] = s->right[r + 1] / length;
    return KL_OK;
}

/* At a limit cycle: its amplitude, its multipliers, and the direction in which the branch continues. */
static kl_status describe(shooter *s, kl_branch_point *p)
{
    KL_TRY(measure(s));
    s->omega = 2.0 * KL_PI / s->T;
    KL_TRY(differentiate(s, &p->multiplier));
    p->speed     = s->V;
    p->frequency = 1.0 / s->T;
    p->amplitude = s->amplitude;
    return find_tangent(s);
}

/* From the motion left in k to the limit cycle at this speed. */
static kl_status first_point(shooter *s, kl_branch_point *p)
{
    double    gap, multiplier;
    kl_status status = KL_RETRY;
    for (int pass = 0; pass < 3 && status == KL_RETRY; pass++) {
        KL_TRY(measure(s));
        KL_TRY(differentiate(s, &multiplier));
        status = correct(s, true, &gap);
        if (status == KL_RETRY && !(gap < 0.5)) return KL_RETRY;
    }
    KL_TRY(status);
    memset(s->tangent, 0, (size_t)(s->n + 2) * sizeof(double));
    s->tangent[s->n + 1] = -1.0; /* towards lower speeds */
    return describe(s, p);
}

/* The next limit cycle along the branch; the step is halved until Newton's method gets there. */
static kl_status next_point(shooter *s, const kl_branch_range *range, double *kept, double *matrix)
{
    const double V = s->V, T = s->T;
    size_t       nref = (size_t)(s->ride.m->nq + s->nv + s->nz + s->ride.m->nh);
    int          r    = s->r;
    double       gap, along = fabs(s->tangent[s->n + 1]) / speed_scale(s);
    double       ds = fmin(s->stride * s->amplitude, range->step / fmax(along, 1e-300));
    memcpy(kept, s->ref, nref * sizeof *kept);
    memcpy(matrix, s->J, (size_t)(r + 2) * (size_t)(r + 2) * sizeof *matrix);
    for (int half = 0; half < 5; half++, ds *= 0.5, s->stride = ds / s->amplitude) {
        double *u = s->right + s->n + 2;
        reduce(s, s->tangent, u);
        u[r] = s->tangent[s->n], u[r + 1] = s->tangent[s->n + 1];
        for (int i = 0; i < r + 2; i++) u[i] *= ds;
        kl_status status = move(s, u);
        if (status == KL_OK) status = correct(s, false, &gap);
        if (status == KL_OK || status == KL_E_MEMORY) return status;
        memcpy(s->ref, kept, nref * sizeof *kept);
        memcpy(s->J, matrix, (size_t)(r + 2) * (size_t)(r + 2) * sizeof *matrix);
        s->T = T;
        KL_TRY(go_to_speed(s, V));
    }
    return KL_RETRY;
}

static kl_status follow_branch(shooter *s, const kl_branch_range *range, double *kept,
                               double *matrix, kl_branch_point_found *found, void *context)
{
    kl_branch_point p;
    KL_TRY(first_point(s, &p));
    for (int i = 1; found(context, &p) && i < range->most; i++) {
        if (p.amplitude < range->rest || p.speed < range->from || p.speed > range->to) break;
        KL_TRY(next_point(s, range, kept, matrix));
        KL_TRY(describe(s, &p));
    }
    return KL_OK;
}

/* Room for all arrays in one block. */
static double *make_room(shooter *s, const kl_model *m)
{
    size_t  n = (size_t)(2 * m->nv + m->nz), all = (size_t)(m->nq + m->nv + m->nz + m->nh + 1);
    size_t  w    = n * n + 4 * n + 16;
    double *room = calloc(2 * all + (size_t)(m->nq + 3 * m->nv + 2 * m->nz) + 8 * n + 32 + 8 * w,
                          sizeof *room);
    double *p    = room;
    if (!room) return NULL;
    s->nv = m->nv, s->nz = m->nz, s->n = (int)n;
    s->ref     = p, p += 2 * all; /* and one kept for going back */
    s->start_v = p, p += m->nv;
    s->place   = p, p += m->nq;
    s->rate    = p, p += m->nv;
    s->dx      = p, p += m->nv;
    s->rest    = p, p += m->nz;
    s->z_size  = p, p += m->nz;
    s->flow    = p, p += n;
    s->end     = p, p += n;
    s->now     = p, p += n;
    s->tangent = p, p += n + 4;
    s->right   = p, p += 2 * n + 8; /* a right-hand side, and the last step */
    s->U       = p, p += w;
    s->S       = p, p += w;
    s->E       = p, p += w;
    s->J       = p, p += 2 * w; /* and one kept */
    s->W       = p;
    return room;
}

kl_status kl_branch_follow(kl_hunting *k, double speed, double frequency,
                           const kl_branch_range *range, kl_branch_point_found *found,
                           void *context)
{
    shooter   s      = {.k = k, .quiet = kl_diag_create()};
    kl_status status = s.quiet && k->q && frequency > 0.0 ? KL_OK : KL_RETRY;
    double   *room   = NULL;
    if (status == KL_OK) status = kl_ride_open(k, speed, &s.ride);
    if (status == KL_OK) {
        room   = make_room(&s, s.ride.m);
        s.axes = calloc((size_t)s.ride.m->nbody + 1, sizeof *s.axes);
        if (!room || !s.axes) status = KL_E_MEMORY;
    }
    if (status == KL_OK) status = go_to_speed(&s, speed);
    if (status == KL_OK) {
        const kl_model *m = s.ride.m;
        double         *p = s.ref;
        memcpy(p, k->q, (size_t)m->nq * sizeof *p), p += m->nq;
        /* velocities relative to the steady rolling motion, which alone depends on the speed */
        for (int i = 0; i < m->nv; i++) *p++ = k->v[i] - k->v0[i];
        memcpy(p, k->z, (size_t)m->nz * sizeof *p), p += m->nz;
        memcpy(p, k->h, (size_t)m->nh * sizeof *p);
        for (int i = 0; i < m->nz; i++) s.z_size[i] = 1e-300;
        /* unknowns of shooting: the state at the start of a period and the period T = 2 pi/omega itself */
        s.T         = 1.0 / frequency;
        s.omega     = 2.0 * KL_PI * frequency;
        size_t all  = (size_t)(m->nq + m->nv + m->nz + m->nh + 1);
        size_t w    = (size_t)s.n * (size_t)s.n + 4 * (size_t)s.n + 16;
        s.amplitude = 1.0;
        s.stride    = 0.03;
        status      = follow_branch(&s, range, s.ref + all, s.J + w, found, context);
    }
    kl_ride_close(&s.ride);
    kl_diag_destroy(s.quiet);
    free(s.axes);
    free(room);
    return status;
}
