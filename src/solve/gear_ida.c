/* Gear's method, variable step and order, on the stabilised index 2 equations. The interface to IDA.
 *
 *   q' = T(q) (v - W^-1 Phi_q' mu) + k (q/|q| - q),   M v' + Phi_q' lambda = g + s,   z' = f_z
 *   Phi_q v + Phi_t = 0,   Phi = 0
 *
 * after Gear, Gupta and Leimkuhler 1985: mu is zero for exact solutions and takes up what the
 * discretisation leaves of Phi. W: unit weights, rotations times the model's length. The term with
 * k keeps Euler parameters at length 1 without a multiplier; A(p) is evaluated at p/|p|. lambda and
 * mu stay out of the error test; restart values come from our own accelerations. Multipliers that no
 * body feels (constraints that repeat others) are kept at the smallest ones: see solve_felt.
 *
 * Newton: with dx the increments of positions, d = dv/c, and c = alpha/h of the BDF formula,
 *
 *   [c^2 M + c C + K, Phi_q'; Phi_q, 0] [d; dlambda] = [r_v; r_lambda/c]
 *   [W, Phi_q'; Phi_q, 0] [dx - d - r_x/c; dmu/c]    = [0; r_mu - Phi_q (d + r_x/c)]
 *
 * two sparse factorisations; what is left out is of the size of h times the rates of the motion and
 * costs iterations, not accuracy. */
#include <ida/ida.h>
#include <math.h>
#include <string.h>

#include "solve/index1.h"
#include "solve/sundials.h"

enum { PASSES = 4 }; /* of a solution: two changes that are alike show what no body feels */

typedef struct gear {
    kl_index1         *ode; /* the part of y that is not multipliers, weights, accepted points */
    kl_solver         *x;
    kl_matrix         *weights; /* [W, Phi_q'; Phi_q, 0] */
    SUNContext         context;
    N_Vector           y, dy, id, peek;
    kl_sundials_linear linear;
    void              *ida;
    double             c, factored; /* of the factored matrix; its time */
    bool               drifts;      /* the part of lambda without effect on any body is not small */
    double             at_t;        /* of the last residual */
    N_Vector           at_y, at_dy;
    double             k;                      /* 1/s: of the length of Euler parameters */
    double            *u, *r_x, *q, *qd, *r_n; /* scratch: nv, nv, nq, nq, nq */
    double            *rate, *soft, *soft_mu;  /* nlam: Phi_q v + Phi_t now; see gear_residual */
    double            *mu_now;                 /* nlam: mu, of no history */
    double            *pull, *pull_mu;         /* nlam: softness times lambda and mu there */
    double            *gap, *mu, *part;        /* scratch: nlam, and nv + nz + nlam twice */
    int                lambda, multiplier;     /* where lambda and mu are in y */
    long               fails;                  /* counted so far */
    long               iterations;
} gear;

/* w = W^-1 x in place */
static void by_weights(const kl_model *m, double *x)
{
    for (int k = 0; k < m->nv; k++) {
        double unit = m->length / m->unit[k];
        x[k] /= unit * unit;
    }
}

/* out <- v - W^-1 Phi_q' mu, at the evaluated state */
static void moved_speed(gear *g, const double *v, const double *mu, double *out)
{
    const kl_model *m = g->x->model;
    memset(out, 0, (size_t)m->nv * sizeof *out);
    kl_eval_rows_pull(m, g->x->w, mu, out);
    by_weights(m, out);
    for (int k = 0; k < m->nv; k++) out[k] = v[k] - out[k];
}

/* Stabilised index 2 (Gear, Gupta and Leimkuhler 1985):
 *
 *   q' = H(q) (v - W^-1 Phi_q' mu),   M v' + Phi_q' lambda = g,   z' = f,   Phi_q v + Phi_t = 0,   Phi = 0
 *
 * The rows of q also pull quaternions back to unit length (k), and two rows integrate loss and supply.
 * The regularisation eps of the matrix is part of the residual here: about 1e-13 of lambda, which bounds
 * the multipliers of redundant constraints. */
static int gear_residual(realtype t, N_Vector yy, N_Vector yp, N_Vector rr, void *self)
{
    gear           *g = self;
    kl_solver      *x = g->x;
    const kl_model *m = x->model;
    const kl_work  *w = x->w;
    const double   *y = N_VGetArrayPointer(yy), *dy = N_VGetArrayPointer(yp);
    double         *r      = N_VGetArrayPointer(rr);
    kl_status       status = kl_index1_evaluate(g->ode, t, y);
    g->at_t = t, g->at_y = yy, g->at_dy = yp;
    if (status != KL_OK) return status == KL_RETRY || status == KL_E_NAN ? 1 : -1;

    moved_speed(g, y + m->nq, g->mu_now, g->u);
    kl_index1_rates(m, y, g->u, g->qd);
    for (int k = 0; k < m->nq; k++) r[k] = dy[k] - g->qd[k] - g->k * (g->ode->s->q[k] - y[k]);
    kl_eval_residual(m, x->w, dy + m->nq, y + g->lambda, r + m->nq);
    double *rz = r + m->nq + m->nv;
    for (int k = 0; k < m->nz; k++) rz[k] = dy[m->nq + m->nv + k] - w->z_dot[k];
    double loss = kl_eval_loss(m, w), supply = 0.0;
    for (int k = 0; k < m->nelement; k++) supply += w->supply[k];
    for (int k = 0; k < m->nlam; k++) supply += y[g->lambda + k] * w->phi_t[k];
    rz[m->nz]     = dy[g->ode->n - 2] - loss;
    rz[m->nz + 1] = dy[g->ode->n - 1] - supply;
    kl_eval_rate(m, w, g->rate);
    for (int k = 0; k < m->nlam; k++) {
        g->pull[k]           = g->soft[k] * y[g->lambda + k];
        g->pull_mu[k]        = g->soft_mu[k] * g->mu_now[k];
        r[g->lambda + k]     = g->rate[k] - g->pull[k];
        r[g->multiplier + k] = w->phi[k] - g->pull_mu[k];
    }
    return 0;
}

static int gear_matrix(realtype t, realtype c, N_Vector yy, N_Vector yp, N_Vector rr, SUNMatrix J,
                       void *self, N_Vector t1, N_Vector t2, N_Vector t3)
{
    gear           *g = self;
    kl_solver      *x = g->x;
    const kl_model *m = x->model;
    const double   *y = N_VGetArrayPointer(yy), *dy = N_VGetArrayPointer(yp);
    (void)rr, (void)J, (void)t1, (void)t2, (void)t3;
    if (kl_index1_evaluate(g->ode, t, y) != KL_OK) return 1;
    kl_eval_residual(m, x->w, dy + m->nq, y + g->lambda, x->y); /* totals, for the tangents */
    kl_weights weights = {.mass = c * c, .stiffness = 1.0, .damping = c, .state = c};
    g->ode->factorizations += 2;
    g->c        = c;
    g->factored = t;
    if (kl_matrix_factor(m, g->ode->s, x->w, x->matrix, weights, dy + m->nq, y + g->lambda, NULL) !=
        KL_OK)
        return 1;
    if (kl_matrix_factor_projection(m, x->w, g->weights, NULL) != KL_OK) return 1;
    for (int k = 0; k < m->nlam; k++) {
        g->soft[k]    = c * kl_matrix_eps(x->matrix, k);
        g->soft_mu[k] = kl_matrix_eps(g->weights, k) / c;
    }
    return 0;
}

/* Rate of the constraints if positions moved by dx and velocities stayed, into x->rate. */
static kl_status rate_after(gear *g, const double *dx)
{
    kl_solver      *x = g->x;
    const kl_model *m = x->model;
    kl_state       *s = g->ode->s;
    memcpy(g->q, s->q, (size_t)m->nq * sizeof *g->q);
    kl_model_advance(m, g->q, dx, s->q);
    kl_eval_motion(m, s, x->w);
    kl_status status = kl_eval_elements(m, s, x->w);
    kl_eval_rate(m, x->w, x->rate);
    memcpy(s->q, g->q, (size_t)m->nq * sizeof *g->q);
    return status;
}

/* y <- matrix^-1 y, but of the multipliers that no body feels only what brings `now` (nlam) back to
 * the smallest ones, eps now/times. Constraints that repeat others contradict them by the square of
 * the gap while Newton is under way; through the softness alone that would become multipliers
 * without bound. `pull`: what softness put into y (nlam), over `scale`. */
static kl_status solve_with_minimum_norm(gear *g, kl_matrix *a, const double *pull, double scale,
                                         const double *now, double times, double *y)
{
    const kl_model *m     = g->x->model;
    int             first = m->nv + m->nz, n = first + m->nlam;
    memset(g->part, 0, (size_t)first * sizeof *g->part);
    for (int k = 0; k < m->nlam; k++) {
        y[first + k] -= pull[k] / scale;
        g->part[first + k] = kl_matrix_eps(a, k) * now[k] / times;
    }
    KL_TRY(kl_matrix_solve_passes(a, y, PASSES));
    KL_TRY(kl_matrix_solve(a, g->part));
    double unfelt = 0.0, most = 0.0;
    for (int k = 0; k < m->nlam; k++) {
        unfelt = fmax(unfelt, fabs(g->part[first + k]) * times);
        most   = fmax(most, fabs(now[k]));
    }
    if (a == g->x->matrix) g->drifts = unfelt > 1e-6 * most;
    for (int k = 0; k < n; k++) y[k] += g->part[k];
    return KL_OK;
}

/* Velocities (over c), states and lambda into x->y; positions into g->u; mu (over c) into g->mu.
 * `rate`: right-hand side of the velocity constraints. A kept matrix serves another c too: with
 * c^2 M in its corner, s = (c/c_old)^2 asks only for r/s on the right and s lambda in the answer.
 */
static int solve_parts(gear *g, const double *b, double c, const double *rate)
{
    kl_solver      *x = g->x;
    const kl_model *m = x->model;
    double         *d = x->y, *l = d + m->nv + m->nz, s = c * c / (g->c * g->c);
    for (int k = 0; k < m->nv; k++) d[k] = b[m->nq + k] / s;
    for (int k = m->nv; k < m->nv + m->nz; k++) d[k] = b[m->nq + k];
    for (int k = 0; k < m->nlam; k++) l[k] = rate[k] / c;
    if (solve_with_minimum_norm(g, x->matrix, g->pull, c, N_VGetArrayPointer(g->at_y) + g->lambda,
                                s, d) != KL_OK)
        return 1;
    for (int k = 0; k < m->nlam; k++) l[k] *= s;

    for (int k = 0; k < m->nv; k++) g->u[k] = d[k] + g->r_x[k] / c;
    kl_matrix_rows_times(m, x->w, g->weights, g->u, g->gap);
    memset(g->mu, 0, (size_t)(m->nv + m->nz) * sizeof *g->mu);
    for (int k = 0; k < m->nlam; k++) g->mu[m->nv + m->nz + k] = b[g->multiplier + k] - g->gap[k];
    if (solve_with_minimum_norm(g, g->weights, g->pull_mu, 1.0, g->mu_now, c, g->mu) != KL_OK)
        return 1;
    for (int k = 0; k < m->nv; k++) g->u[k] += g->mu[k];
    return 0;
}

static int gear_solve(void *self, double *out, const double *b)
{
    gear           *g = self;
    kl_solver      *x = g->x;
    const kl_model *m = x->model;
    const double   *q = g->ode->s->q;
    double          c = g->c, *d = x->y;
    (void)IDAGetCurrentCj(g->ida, &c);
    /* what no body feels turns with the bodies: an old matrix would leave a part of it, and the
     * history of order 5 carries on 63 times that */
    if (g->drifts && g->factored != g->at_t &&
        gear_matrix(g->at_t, c, g->at_y, g->at_dy, NULL, NULL, g, NULL, NULL, NULL) != 0)
        return 1;

    /* what the equations of q ask for, as increments, and what is normal to all increments */
    kl_index1_speeds(m, q, b, g->r_x);
    kl_index1_rates(m, q, g->r_x, g->qd);
    for (int k = 0; k < m->nq; k++) g->r_n[k] = (b[k] - g->qd[k]) / (c + g->k);
    if (solve_parts(g, b, c, b + g->lambda) != 0) return 1;

    /* positions that move as far as velocities change turn the constraints under the velocities:
     * without this Newton would seem not to converge when steps are short */
    double moved = kl_increment_norm(m, g->u, NULL) * g->ode->pace;
    if (m->nlam > 0 && moved > 0.02 * c * kl_increment_norm(m, d, NULL)) {
        if (rate_after(g, g->u) != KL_OK) return 1;
        for (int k = 0; k < m->nlam; k++) x->rate[k] = b[g->lambda + k] + g->rate[k] - x->rate[k];
        if (solve_parts(g, b, c, x->rate) != 0) return 1;
    }
    kl_index1_rates(m, q, g->u, out);
    for (int k = 0; k < m->nq; k++) out[k] += g->r_n[k];
    for (int k = 0; k < m->nv; k++) out[m->nq + k] = c * d[k];
    memcpy(out + m->nq + m->nv, d + m->nv, (size_t)m->nz * sizeof *d);
    for (int k = 2; k > 0; k--) out[g->ode->n - k] = b[g->ode->n - k] / c;
    memcpy(out + g->lambda, d + m->nv + m->nz, (size_t)m->nlam * sizeof *d);
    memset(out + g->multiplier, 0, (size_t)m->nlam * sizeof *out);
    for (int k = 0; k < m->nlam; k++) g->mu_now[k] += c * g->mu[m->nv + m->nz + k];
    return 0;
}

static int gear_weights(N_Vector y, N_Vector weight, void *self)
{
    gear   *g = self;
    double *w = N_VGetArrayPointer(weight);
    kl_index1_weights(g->ode, N_VGetArrayPointer(y), w);
    for (int k = g->lambda; k < g->lambda + 2 * g->x->model->nlam; k++) w[k] = 1e-30;
    return 0;
}

static void gear_destroy(void *self)
{
    gear *g = self;
    if (!g) return;
    kl_index1 *ode       = g->ode;
    N_Vector   vectors[] = {g->y, g->dy, g->id, g->peek};
    if (g->ida) IDAFree(&g->ida);
    kl_sundials_linear_destroy(&g->linear);
    for (int k = 0; k < 4; k++)
        if (vectors[k]) N_VDestroy(vectors[k]);
    if (g->context) SUNContext_Free(&g->context);
    kl_matrix_destroy(g->weights);
    kl_index1_destroy(ode); /* its arena holds `g` */
}

static int configure(gear *g, const kl_settings *s)
{
    int flag = IDAInit(g->ida, gear_residual, 0.0, g->y, g->dy);
    flag |= IDASetUserData(g->ida, g);
    flag |= IDASetErrHandlerFn(g->ida, kl_sundials_silence, NULL);
    flag |= IDAWFtolerances(g->ida, gear_weights);
    flag |= kl_sundials_linear_create(&g->linear, gear_solve, g, g->context);
    if (flag == 0) flag |= IDASetLinearSolver(g->ida, g->linear.solver, g->linear.matrix);
    if (flag == 0) flag |= IDASetJacFn(g->ida, gear_matrix);
    if (flag == 0) flag |= IDASetLinearSolutionScaling(g->ida, SUNFALSE);
    flag |= IDASetId(g->ida, g->id);
    flag |= IDASetSuppressAlg(g->ida, SUNTRUE);
    flag |= IDASetMaxNumSteps(g->ida, -1);
    flag |= IDASetMaxErrTestFails(g->ida, 30);
    flag |= IDASetMaxConvFails(g->ida, 30);
    flag |= IDASetMaxNonlinIters(g->ida, 6);
    if (!isnan(s->max_step)) flag |= IDASetMaxStep(g->ida, s->max_step);
    return flag;
}

static kl_status gear_create(kl_solver *x, void **self)
{
    const kl_model *m = x->model;
    kl_index1      *ode;
    *self = NULL;
    KL_TRY(kl_index1_create(x, &ode));
    gear *g = kl_arena_array(ode->arena, gear, 1);
    if (!g) {
        kl_index1_destroy(ode);
        return KL_E_MEMORY;
    }
    g->ode        = ode;
    g->x          = x;
    g->lambda     = ode->n;
    g->multiplier = ode->n + m->nlam;
    int n         = ode->n + 2 * m->nlam;
    g->u          = kl_arena_array(ode->arena, double, m->nv + 1);
    g->r_x        = kl_arena_array(ode->arena, double, m->nv + 1);
    g->q          = kl_arena_array(ode->arena, double, m->nq + 1);
    g->qd         = kl_arena_array(ode->arena, double, m->nq + 1);
    g->r_n        = kl_arena_array(ode->arena, double, m->nq + 1);
    g->rate       = kl_arena_array(ode->arena, double, m->nlam + 1);
    g->soft       = kl_arena_array(ode->arena, double, m->nlam + 1);
    g->soft_mu    = kl_arena_array(ode->arena, double, m->nlam + 1);
    g->gap        = kl_arena_array(ode->arena, double, m->nlam + 1);
    g->mu         = kl_arena_array(ode->arena, double, m->nv + m->nz + m->nlam + 1);
    g->mu_now     = kl_arena_array(ode->arena, double, m->nlam + 1);
    g->part       = kl_arena_array(ode->arena, double, m->nv + m->nz + m->nlam + 1);
    g->pull       = kl_arena_array(ode->arena, double, m->nlam + 1);
    g->pull_mu    = kl_arena_array(ode->arena, double, m->nlam + 1);
    g->weights    = kl_matrix_create(m, KL_COUPLED_BY_MASS);
    bool ok = kl_arena_ok(ode->arena) && g->weights && SUNContext_Create(NULL, &g->context) == 0;
    N_Vector *vectors[] = {&g->y, &g->dy, &g->id, &g->peek};
    for (int k = 0; ok && k < 4; k++)
        ok = (*vectors[k] = kl_sundials_vector(n, g->context)) != NULL;
    for (int k = 0; ok && k < ode->n; k++) N_VGetArrayPointer(g->id)[k] = 1.0;
    if (ok) g->ida = IDACreate(g->context);
    if (!ok || !g->ida || configure(g, &m->settings) != 0) {
        gear_destroy(g);
        return KL_E_MEMORY;
    }
    *self = g;
    return KL_OK;
}

static kl_status gear_begin(void *self, kl_solver *x, kl_diag *diag)
{
    gear              *g = self;
    const kl_model    *m = x->model;
    const kl_settings *s = &m->settings;
    double            *y = N_VGetArrayPointer(g->y), *dy = N_VGetArrayPointer(g->dy);
    (void)diag;
    KL_TRY(kl_index1_begin(g->ode, y));
    memcpy(dy, g->ode->known.dy, (size_t)g->ode->n * sizeof *dy);
    memcpy(y + g->lambda, g->ode->lambda, (size_t)m->nlam * sizeof *y);
    memset(y + g->multiplier, 0, (size_t)m->nlam * sizeof *y);
    memset(dy + g->lambda, 0, 2 * (size_t)m->nlam * sizeof *y);
    g->drifts = false;
    memset(g->mu_now, 0, (size_t)m->nlam * sizeof *y);
    memset(g->soft, 0, (size_t)m->nlam * sizeof *y);
    memset(g->soft_mu, 0, (size_t)m->nlam * sizeof *y);
    kl_matrix_invalidate(g->weights);
    kl_matrix_soften(g->weights, 10.0);
    kl_matrix_soften(x->matrix, 10.0);
    g->k         = g->ode->pace;
    double first = isnan(s->first_step) ? 0.1 / g->ode->pace * sqrt(x->tolerance) : s->first_step;
    int    flag  = IDAReInit(g->ida, x->s->t, g->y, g->dy);
    flag |= IDASetInitStep(g->ida, first);
    g->fails = 0;
    return flag == 0 ? KL_OK : KL_E_INTERNAL;
}

static void count_more(gear *g, kl_statistics *count)
{
    long errors = 0, solves = 0, iterations = 0;
    (void)IDAGetNumErrTestFails(g->ida, &errors);
    (void)IDAGetNumStepSolveFails(g->ida, &solves);
    (void)IDAGetNumNonlinSolvIters(g->ida, &iterations);
    if (errors + solves < g->fails) g->fails = 0; /* counts start anew after a restart */
    if (iterations < g->iterations) g->iterations = 0;
    count->rejected += errors + solves - g->fails;
    count->iterations += iterations - g->iterations;
    g->fails      = errors + solves;
    g->iterations = iterations;
    (void)IDAGetLastOrder(g->ida, &count->order);
}

static kl_status gear_step(void *self, kl_solver *x, double until, kl_statistics *count,
                           kl_diag *diag)
{
    gear  *g = self;
    double t = x->s->t, h = 0.0;
    int    flag = IDASetMaxStep(
           g->ida, fmin(kl_index1_longest(g->ode),
                     isnan(x->model->settings.max_step) ? 1e30 : x->model->settings.max_step));
    if (flag == 0) flag = IDASetStopTime(g->ida, until);
    if (flag == 0) flag = IDASolve(g->ida, until, &t, g->y, g->dy, IDA_ONE_STEP);
    count_more(g, count);
    if (flag < 0) {
        (void)IDAGetCurrentStep(g->ida, &h);
        return kl_step_failed(x, h, count,
                              flag == IDA_ERR_FAIL
                                  ? "the error remains above the tolerance"
                                  : "the Newton iteration does not converge (near singular "
                                    "positions use `formulation: projection`)",
                              diag);
    }
    const double *y = N_VGetArrayPointer(g->y), *dy = N_VGetArrayPointer(g->dy);
    KL_TRY(kl_index1_accept_with(g->ode, t, y, dy + x->model->nq, y + g->lambda, count));
    return kl_index1_same_branch(g->ode, count, diag);
}

static kl_status gear_look(void *self, kl_solver *x, double t, kl_look *out, kl_diag *diag)
{
    gear *g = self;
    (void)x, (void)diag;
    (void)IDAGetDky(g->ida, t, 0, g->peek);
    kl_index1_state(g->ode, t, N_VGetArrayPointer(g->peek), out->s, out->energy);
    return KL_OK;
}

const kl_integrator kl_gear = {.name    = "gear",
                               .create  = gear_create,
                               .destroy = gear_destroy,
                               .begin   = gear_begin,
                               .step    = gear_step,
                               .look    = gear_look};
