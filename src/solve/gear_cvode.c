/* Gear's method, variable step and order, on the index 1 equations. The interface to CVODE.
 *
 *   q' = T(q) v,   [M, Phi_q'; Phi_q, 0] [v'; lambda] = [g + s; gamma],   z' = f_z
 *
 * The constraints hold through their second derivative only. What drifts is brought back either by
 * projecting each accepted point onto Phi = 0 and Phi_q v + Phi_t = 0 (Eich 1993; the change counts
 * in CVODE's history), or by Baumgarte's terms gamma - 2 b Phi' - b^2 Phi (Baumgarte 1972). This is
 * the way of many multibody programs. It passes singular positions, where the stabilised index 2
 * form of gear_ida.c does not converge at tight tolerances, and takes about half as many steps;
 * that form needs no solve for accelerations and costs less a step.
 *
 * Newton wants (I - h J)^-1 with J = df/dy, which is dense because f holds the inverse of the
 * saddle matrix. With c = 1/(h beta) of the BDF formula, dv = c w and increments dx = r_x + w, the
 * extended system is as sparse as that of any other integrator:
 *
 *   [c^2 M + c C + K, Phi_q'; Phi_q, 0] [w; dlambda] = [c M r_v - K r_x; c Phi_q r_v / (c + b)^2]
 *
 * and (c - f_z) dz = c r_z + ... is in it too. K r_x comes from one evaluation at positions
 * moved by r_x. What is left out, derivatives of Phi_q v' by positions and velocities, is of the
 * size of h times the rates of the motion and costs iterations, not accuracy. */
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <math.h>
#include <string.h>

#include "dynamics/element_mass.h"
#include "solve/index1.h"
#include "solve/sundials.h"

typedef struct gear {
    kl_index1         *ode;
    kl_solver         *x;
    kl_matrix         *newton; /* the extended system; x->matrix is that of the accelerations */
    SUNContext         context;
    N_Vector           y, peek;
    kl_sundials_linear linear;
    void              *cvode;
    double             c;               /* of the factored matrix */
    double            *moved, *r_x, *q; /* nv, nv, nq: residual and increments */
    double            *d;               /* nv + nz + nlam: right-hand side and solution */
    double            *here, *z_here;   /* nv, nz: residual and z' before positions are moved */
    double            *projected;       /* n */
    bool               project;
    long               fails, iterations; /* counted so far */
    bool               corner;            /* forces have a corner here: begin with low order */
} gear;

static int gear_rate(realtype t, N_Vector y, N_Vector dy, void *self)
{
    gear     *g = self;
    kl_status s = kl_index1_rate(g->ode, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    return s == KL_OK ? 0 : s == KL_RETRY ? 1 : -1;
}

static int gear_matrix(realtype t, N_Vector yy, N_Vector fy, SUNMatrix A, booleantype jok,
                       booleantype *jcur, realtype h, void *self, N_Vector t1, N_Vector t2,
                       N_Vector t3)
{
    gear           *g = self;
    kl_solver      *x = g->x;
    const kl_model *m = x->model;
    const double   *a = N_VGetArrayPointer(fy) + m->nq, c = 1.0 / h;
    (void)A, (void)jok, (void)t1, (void)t2, (void)t3;
    *jcur = SUNTRUE;
    if (kl_index1_evaluate(g->ode, t, N_VGetArrayPointer(yy)) != KL_OK) return 1;
    kl_eval_residual(m, x->w, a, g->ode->lambda, x->y); /* totals, for the tangents */
    kl_weights weights = {.mass = c * c, .stiffness = 1.0, .damping = c, .state = c};
    g->ode->factorizations++;
    g->c        = c;
    kl_status s = kl_matrix_factor(m, g->ode->s, x->w, g->newton, weights, a, g->ode->lambda, NULL);
    return s == KL_OK ? 0 : s == KL_E_MEMORY ? -1 : 1;
}

/* g->d -= (K r_x; -df_z/dx r_x): residual and z' at positions moved by r_x, less those here. */
static int take_moved(gear *g)
{
    kl_solver      *x = g->x;
    const kl_model *m = x->model;
    kl_state       *s = g->ode->s;
    memcpy(g->q, s->q, (size_t)m->nq * sizeof *g->q);
    kl_eval_residual(m, x->w, g->ode->a, g->ode->lambda, g->here);
    memcpy(g->z_here, x->w->z_dot, (size_t)m->nz * sizeof *g->z_here);
    kl_model_advance(m, g->q, g->r_x, s->q);
    g->ode->evaluations++;
    kl_status status = kl_eval(m, s, x->w);
    memcpy(s->q, g->q, (size_t)m->nq * sizeof *g->q);
    if (status != KL_OK) return 1;
    kl_eval_residual(m, x->w, g->ode->a, g->ode->lambda, g->moved);
    for (int k = 0; k < m->nv; k++) g->d[k] -= g->moved[k] - g->here[k];
    for (int k = 0; k < m->nz; k++) g->d[m->nv + k] += x->w->z_dot[k] - g->z_here[k];
    return 0;
}

static int gear_solve(void *self, double *out, const double *b)
{
    gear           *g = self;
    kl_solver      *x = g->x;
    const kl_model *m = x->model;
    const double   *q = g->ode->s->q, *r_v = b + m->nq;
    double          h = 1.0 / g->c, *d = g->d, *l = d + m->nv + m->nz;
    (void)CVodeGetCurrentGamma(g->cvode, &h);
    double c = 1.0 / h, beta = g->ode->baumgarte, s = c * c / (g->c * g->c);

    kl_index1_speeds(m, q, b, g->r_x);
    memset(d, 0, (size_t)(m->nv + m->nz + m->nlam) * sizeof *d);
    kl_mass_times(m, x->w, c, r_v, d);
    for (int k = 0; k < m->nz; k++) d[m->nv + k] = c * b[m->nq + m->nv + k];
    kl_matrix_rows_times(m, x->w, g->newton, r_v, l);
    for (int k = 0; k < m->nlam; k++) l[k] *= c / ((c + beta) * (c + beta));
    if (kl_increment_norm(m, g->r_x, NULL) > 1e-3 * h * kl_increment_norm(m, r_v, NULL) &&
        take_moved(g) != 0)
        return 1;

    /* a kept matrix serves another c too: see gear_ida.c */
    for (int k = 0; k < m->nv; k++) d[k] /= s;
    if (kl_matrix_solve(g->newton, d) != KL_OK) return 1;

    for (int k = 0; k < m->nv; k++) g->moved[k] = g->r_x[k] + d[k];
    kl_index1_rates(m, q, g->moved, out);
    kl_index1_rates(m, q, g->r_x, g->q);
    for (int k = 0; k < m->nq; k++) out[k] += b[k] - g->q[k]; /* what no increment reaches */
    for (int k = 0; k < m->nv; k++) out[m->nq + k] = c * d[k];
    memcpy(out + m->nq + m->nv, d + m->nv, (size_t)m->nz * sizeof *d);
    for (int k = 2; k > 0; k--) out[g->ode->n - k] = b[g->ode->n - k];
    return 0;
}

static int gear_project(realtype t, N_Vector y, N_Vector change, realtype allowed, N_Vector error,
                        void *self)
{
    gear         *g   = self;
    const double *now = N_VGetArrayPointer(y);
    double       *out = N_VGetArrayPointer(change);
    (void)allowed, (void)error;
    memcpy(g->projected, now, (size_t)g->ode->n * sizeof *now);
    kl_status s = kl_index1_project(g->ode, t, g->projected);
    if (s != KL_OK) return s == KL_E_MEMORY ? -1 : 1;
    for (int k = 0; k < g->ode->n; k++) out[k] = g->projected[k] - now[k];
    return 0;
}

static int gear_weights(N_Vector y, N_Vector weight, void *self)
{
    gear *g = self;
    kl_index1_weights(g->ode, N_VGetArrayPointer(y), N_VGetArrayPointer(weight));
    return 0;
}

static void gear_destroy(void *self)
{
    gear *g = self;
    if (!g) return;
    kl_index1 *ode = g->ode;
    if (g->cvode) CVodeFree(&g->cvode);
    kl_sundials_linear_destroy(&g->linear);
    if (g->y) N_VDestroy(g->y);
    if (g->peek) N_VDestroy(g->peek);
    if (g->context) SUNContext_Free(&g->context);
    kl_matrix_destroy(g->newton);
    kl_index1_destroy(ode); /* its arena holds `g` */
}

static int configure(gear *g)
{
    int flag = CVodeInit(g->cvode, gear_rate, 0.0, g->y);
    flag |= CVodeSetUserData(g->cvode, g);
    flag |= CVodeSetErrHandlerFn(g->cvode, kl_sundials_silence, NULL);
    flag |= CVodeWFtolerances(g->cvode, gear_weights);
    flag |= kl_sundials_linear_create(&g->linear, gear_solve, g, g->context);
    if (flag == 0) flag |= CVodeSetLinearSolver(g->cvode, g->linear.solver, g->linear.matrix);
    if (flag == 0) flag |= CVodeSetLinSysFn(g->cvode, gear_matrix);
    if (flag == 0) flag |= CVodeSetLinearSolutionScaling(g->cvode, SUNFALSE);
    flag |= CVodeSetMaxNumSteps(g->cvode, -1);
    flag |= CVodeSetMaxErrTestFails(g->cvode, 30);
    flag |= CVodeSetMaxConvFails(g->cvode, 30);
    flag |= CVodeSetMaxNonlinIters(g->cvode, 6);
    flag |= CVodeSetMaxHnilWarns(g->cvode, -1);
    if (flag == 0 && g->project) {
        flag |= CVodeSetProjFn(g->cvode, gear_project);
        flag |= CVodeSetProjErrEst(g->cvode, SUNFALSE);
        flag |= CVodeSetMaxNumProjFails(g->cvode, 30);
    }
    return flag;
}

/* Far from any singular position already, what a projection adds there of rounding errors (see
 * singular.c) is more than a tolerance below 1e-12 allows, and steps would become short and of low
 * order. So at such tolerances the projection is always soft and f always on the constraints; and
 * below 1e-13 nothing is left that could be held. */
static void choose_projection(kl_index1 *ode, bool project)
{
    const double tight = 1e-12, least = 1e-13;
    if (!project || ode->tolerance >= tight) return;
    ode->always = true;
    ode->floor  = least;
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
    g->ode     = ode;
    g->x       = x;
    g->project = m->settings.formulation == KL_PROJECTION;
    choose_projection(ode, g->project);
    g->moved     = kl_arena_array(ode->arena, double, m->nv + 1);
    g->r_x       = kl_arena_array(ode->arena, double, m->nv + 1);
    g->here      = kl_arena_array(ode->arena, double, m->nv + 1);
    g->z_here    = kl_arena_array(ode->arena, double, m->nz + 1);
    g->q         = kl_arena_array(ode->arena, double, m->nq + 1);
    g->d         = kl_arena_array(ode->arena, double, m->nv + m->nz + m->nlam + 1);
    g->projected = kl_arena_array(ode->arena, double, ode->n);
    g->newton    = kl_matrix_create(m, KL_COUPLED_BY_FORCES);
    bool ok = kl_arena_ok(ode->arena) && g->newton && SUNContext_Create(NULL, &g->context) == 0;
    ok      = ok && (g->y = kl_sundials_vector(ode->n, g->context)) != NULL;
    ok      = ok && (g->peek = kl_sundials_vector(ode->n, g->context)) != NULL;
    if (ok) g->cvode = CVodeCreate(CV_BDF, g->context);
    if (!ok || !g->cvode || configure(g) != 0) {
        gear_destroy(g);
        return KL_E_MEMORY;
    }
    *self = g;
    return KL_OK;
}

static kl_status gear_begin(void *self, kl_solver *x, kl_diag *diag)
{
    gear              *g = self;
    const kl_settings *s = &x->model->settings;
    (void)diag;
    if (s->formulation == KL_BAUMGARTE)
        g->ode->baumgarte = isnan(s->baumgarte) ? 0.0 : s->baumgarte;
    KL_TRY(kl_index1_begin(g->ode, N_VGetArrayPointer(g->y)));
    if (s->formulation == KL_BAUMGARTE && isnan(s->baumgarte))
        g->ode->baumgarte = 20.0 * fmax(g->ode->pace, 1.0);
    kl_matrix_invalidate(g->newton);
    kl_matrix_soften(g->newton, 10.0);
    double first = isnan(s->first_step) ? 0.1 / g->ode->pace * sqrt(x->tolerance) : s->first_step;
    int    flag  = CVodeReInit(g->cvode, x->s->t, g->y);
    flag |= CVodeSetInitStep(g->cvode, first);
    g->fails = g->iterations = 0;
    g->corner                = false;
    return flag == 0 ? KL_OK : KL_E_INTERNAL;
}

static void count_more(gear *g, kl_statistics *count)
{
    long errors = 0, solves = 0, iterations = 0;
    (void)CVodeGetNumErrTestFails(g->cvode, &errors);
    (void)CVodeGetNumStepSolveFails(g->cvode, &solves);
    (void)CVodeGetNumNonlinSolvIters(g->cvode, &iterations);
    count->rejected += errors + solves - g->fails;
    count->iterations += iterations - g->iterations;
    g->fails      = errors + solves;
    g->iterations = iterations;
    (void)CVodeGetLastOrder(g->cvode, &count->order);
}

static kl_status gear_step(void *self, kl_solver *x, double until, kl_statistics *count,
                           kl_diag *diag)
{
    gear              *g = self;
    const kl_settings *s = &x->model->settings;
    double             t = x->s->t, h = 0.0;
    double             most = isnan(s->max_step) ? 1e30 : s->max_step;
    if (g->corner) KL_TRY(gear_begin(g, x, diag));
    int flag = CVodeSetMaxStep(g->cvode, fmin(kl_index1_longest(g->ode), most));
    if (flag == 0) flag = CVodeSetStopTime(g->cvode, until);
    if (flag == 0) flag = CVode(g->cvode, until, g->y, &t, CV_ONE_STEP);
    count_more(g, count);
    if (flag < 0) {
        (void)CVodeGetCurrentStep(g->cvode, &h);
        return kl_step_failed(x, h, count,
                              flag == CV_ERR_FAILURE ? "the error remains above the tolerance"
                                                     : "the Newton iteration does not converge",
                              diag);
    }
    const double *y = N_VGetArrayPointer(g->y);
    KL_TRY(kl_index1_settle(g->ode, t, y));
    kl_index1_accept(g->ode, t, y, count);
    return kl_index1_same_branch(g->ode, count, diag);
}

static kl_status gear_look(void *self, kl_solver *x, double t, kl_look *out, kl_diag *diag)
{
    gear *g = self;
    (void)x, (void)diag;
    (void)CVodeGetDky(g->cvode, t, 0, g->peek);
    kl_index1_state(g->ode, t, N_VGetArrayPointer(g->peek), out->s, out->energy);
    out->near = g->project;
    return KL_OK;
}

/* A polynomial through the last points cannot follow a corner, so the integrator restarts there; where
 * only the branch of a law changes, it continues. */
static void gear_bend(void *self) { ((gear *)self)->corner = true; }

static double gear_next(const void *self)
{
    double h = HUGE_VAL;
    (void)CVodeGetCurrentStep(((const gear *)self)->cvode, &h);
    return h;
}

const kl_integrator kl_gear_index1 = {.name    = "gear",
                                      .create  = gear_create,
                                      .destroy = gear_destroy,
                                      .begin   = gear_begin,
                                      .step    = gear_step,
                                      .look    = gear_look,
                                      .bend    = gear_bend,
                                      .next    = gear_next};
