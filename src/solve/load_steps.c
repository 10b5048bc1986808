/* Quasi-static runs: a chain of equilibria over time (load-steps), or over the arc length of the
 * equilibrium path with one input as the unknown load (arc-length).
 *
 *   r(q, lambda, u, t) = Phi_q' lambda - g - s = 0,   Phi = 0,   z' = 0,   v = 0
 *
 * load-steps: Newton's method at each time; a step that does not converge is halved.
 * arc-length: time is the arc length s of the path, measured as
 *
 *   ds^2 = (|dx|^2/X^2 + du^2/U^2) / 2
 *
 * with U the load that the run begins with per unit of time and X the displacement that goes with it,
 * so that du/ds = U at the start. Predictor along the tangent, corrector in the plane normal to it
 * (Riks 1979, Wempner 1971): limit points of the load are passed. History is committed once a step
 * has converged. */
#include <math.h>
#include <string.h>

#include "solve/integrator.h"

typedef struct path {
    kl_arena  *arena;
    kl_matrix *K;
    kl_state  *kept;
    double    *zero, *kept_lambda, *r, *sum, *tangent, *y, *last;
    bool       factored;   /* K holds a matrix of this path */
    double     h;          /* next step; 0: as far as asked */
    int        input;      /* of arc-length; -1: load-steps */
    double     load;       /* U */
    double     size;       /* X; 0: not yet known */
    double     last_load;  /* of the last step, with `last` */
    double     past[4][2]; /* time and load of the last steps, for limit points */
    int        npast;
} path;

enum { MOST_PASSES = 25 };
static const double converged = 1e-12, stalled = 1e-8, nearly = 1e-6;

static void path_destroy(void *self)
{
    path *p = self;
    kl_matrix_destroy(p->K);
    kl_state_destroy(p->kept);
    kl_arena_destroy(p->arena);
}

static kl_status path_create(kl_solver *x, void **self)
{
    const kl_model *m = x->model;
    kl_arena       *a = kl_arena_create();
    path           *p = kl_arena_array(a, path, 1);
    size_t          n = (size_t)(m->nv + m->nz + m->nlam) + 1;
    *self             = NULL;
    if (!p) {
        kl_arena_destroy(a);
        return KL_E_MEMORY;
    }
    *p             = (path){.arena = a, .input = -1};
    double **all[] = {&p->zero, &p->kept_lambda, &p->r, &p->sum, &p->tangent, &p->y, &p->last};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = kl_arena_array(a, double, n);
    p->K    = kl_matrix_create(m, KL_COUPLED_BY_CONSTRAINTS);
    p->kept = kl_state_create(m);
    if (m->settings.integrator == KL_ARC_LENGTH && m->settings.control.text)
        p->input = kl_model_find_input(m, m->settings.control.text);
    p->load = m->settings.load_step;
    if (!kl_arena_ok(a) || !p->K || !p->kept) {
        path_destroy(p);
        return KL_E_MEMORY;
    }
    *self = p;
    return KL_OK;
}

/* Residual, states and gaps at the present state into y (what Newton has to remove). */
static kl_status imbalance(kl_solver *x, double *y)
{
    const kl_model *m = x->model;
    KL_TRY(kl_eval(m, x->s, x->w));
    kl_eval_residual(m, x->w, NULL, x->lambda, y);
    for (int i = 0; i < m->nv; i++) y[i] = -y[i];
    memcpy(y + m->nv, x->w->z_dot, (size_t)m->nz * sizeof *y);
    for (int i = 0; i < m->nlam; i++) y[m->nv + m->nz + i] = -x->w->phi[i];
    return KL_OK;
}

static kl_status factor(path *p, kl_solver *x, kl_statistics *count)
{
    kl_weights c = {.stiffness = 1.0, .state = 0.0};
    if (x->model->nz > 0) c.state = 1e-12;
    count->factorizations++;
    return kl_matrix_factor(x->model, x->s, x->w, p->K, c, p->zero, x->lambda, NULL);
}

/* Moves the state by an increment of (x, z, lambda); its size over the model. */
static double move(path *p, kl_solver *x, const double *y)
{
    const kl_model *m = x->model;
    kl_model_advance(m, x->s->q, y, x->s->q);
    for (int i = 0; i < m->nv; i++) p->sum[i] += y[i];
    for (int i = 0; i < m->nz; i++) x->s->z[i] += y[m->nv + i];
    for (int i = 0; i < m->nlam; i++) x->lambda[i] += y[m->nv + m->nz + i];
    return kl_increment_norm(m, y, NULL);
}

/* d(imbalance)/d(load) times the load U, by a difference: exact where loads are linear in it. */
static kl_status load_direction(path *p, kl_solver *x, double *out)
{
    int    n  = x->model->nv + x->model->nz + x->model->nlam;
    double u0 = x->s->u[p->input];
    KL_TRY(imbalance(x, p->r));
    x->s->u[p->input] = u0 + p->load;
    kl_status status  = imbalance(x, out);
    x->s->u[p->input] = u0;
    KL_TRY(status);
    for (int i = 0; i < n; i++) out[i] -= p->r[i];
    return kl_eval(x->model, x->s, x->w);
}

/* Scalar product of increments, angles against lengths as the model measures them. */
static double product(const kl_model *m, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < m->nv; i++) sum += a[i] * b[i] / (m->unit[i] * m->unit[i]);
    return sum;
}

/* Does this pass need a new matrix? In a large model a factorisation takes as long as dozens of solutions: the first pass uses
 * the matrix of the last step, the second one a new matrix, and later passes keep it while changes shrink to a twentieth. With
 * 20 000 hexahedra that takes two factorisations instead of five. */
static bool needs_matrix(const path *p, const kl_model *m, int pass, double ratio)
{
    const int    large = 5000; /* velocities */
    const double fast  = 0.05;
    if (m->nv < large || !p->factored) return true;
    return pass == 1 || (pass > 1 && ratio > fast);
}

/* Newton at fixed load and time; KL_RETRY: did not converge. */
static kl_status newton(path *p, kl_solver *x, kl_statistics *count)
{
    double before = HUGE_VAL, ratio = HUGE_VAL;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        KL_TRY(imbalance(x, p->y));
        if (needs_matrix(p, x->model, pass, ratio)) {
            p->factored = false;
            KL_TRY(factor(p, x, count));
            p->factored = true;
        }
        KL_TRY(kl_matrix_solve(p->K, p->y));
        double size = move(p, x, p->y);
        count->iterations++;
        if (!(size < 10.0)) return KL_RETRY;
        if (size < converged || (size < stalled && size > 0.5 * before)) return imbalance(x, p->y);
        ratio  = size / before;
        before = size;
    }
    return KL_RETRY;
}

/* Tangent of the path, by p->sum of the next step: x part for a change U of the load. */
static kl_status take_tangent(path *p, kl_solver *x, kl_statistics *count)
{
    KL_TRY(load_direction(p, x, p->tangent));
    KL_TRY(factor(p, x, count));
    return kl_matrix_solve(p->K, p->tangent);
}

/* One step of arc length ds; KL_RETRY: did not converge. */
static kl_status arc_step(path *p, kl_solver *x, double ds, kl_statistics *count, kl_diag *diag)
{
    const kl_model *m = x->model;
    int             n = m->nv + m->nz + m->nlam;
    KL_TRY(take_tangent(p, x, count));
    double size2 = product(m, p->tangent, p->tangent);
    if (p->size == 0.0) p->size = sqrt(size2);
    if (!(p->size > 0.0))
        return kl_fail(
            diag, KL_E_MODEL, KL_NOWHERE,
            "the load `%s` of arc-length moves nothing; let a force use it: `value: {input: %s}`",
            m->input[p->input].name, m->input[p->input].name);
    double X2    = p->size * p->size;
    double along = product(m, p->tangent, p->last) / X2 + p->last_load / p->load;
    double step  = ds / sqrt(0.5 * (size2 / X2 + 1.0));
    if (along < 0.0) step = -step;
    memset(p->sum, 0, (size_t)m->nv * sizeof *p->sum);
    for (int i = 0; i < n; i++) p->y[i] = step * p->tangent[i];
    memcpy(p->last, p->y, (size_t)m->nv * sizeof *p->last); /* normal of the plane until the end */
    (void)move(p, x, p->y);
    x->s->u[p->input] += step * p->load;
    double moved = step, before = HUGE_VAL;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        KL_TRY(take_tangent(p, x, count));
        memcpy(p->y, p->r, (size_t)n * sizeof *p->y);
        KL_TRY(kl_matrix_solve(p->K, p->y));
        double normal = product(m, p->last, p->tangent) / X2 + step;
        double change = -product(m, p->last, p->y) / X2 / normal;
        for (int i = 0; i < n; i++) p->y[i] += change * p->tangent[i];
        double now = fmax(move(p, x, p->y), fabs(change) * p->size * 1e-3);
        x->s->u[p->input] += change * p->load;
        moved += change;
        count->iterations++;
        if (!(now < 10.0)) return KL_RETRY;
        if (now < converged || (now < stalled && now > 0.5 * before)) {
            memcpy(p->last, p->sum, (size_t)m->nv * sizeof *p->last);
            p->last_load = moved * p->load;
            return imbalance(x, p->y);
        }
        before = now;
    }
    return KL_RETRY;
}

/* Newton's divided differences of n points (t, u): u = d0 + (t - t0) (d1 + (t - t1) (d2 + ...)). */
static void divided_differences(int n, double (*at)[2], double *d)
{
    for (int i = 0; i < n; i++) d[i] = at[i][1];
    for (int k = 1; k < n; k++)
        for (int i = n - 1; i >= k; i--) d[i] = (d[i] - d[i - 1]) / (at[i][0] - at[i - k][0]);
}

/* The polynomial at t, with its first two derivatives. */
static void polynomial(int n, double (*at)[2], const double *d, double t, double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    for (int i = n - 1; i >= 0; i--) {
        double x = t - at[i][0];
        out[2]   = 2.0 * out[1] + x * out[2];
        out[1]   = out[0] + x * out[1];
        out[0]   = d[i] + x * out[0];
    }
}

/* Where the load was largest or smallest: of the polynomial through the last four points (three after
 * the first two steps), whose error is of fourth order in the step. */
static void note_limit(path *p, const kl_solver *x, kl_diag *diag)
{
    enum { LAST = 3 };
    memmove(p->past[0], p->past[1], LAST * sizeof p->past[0]);
    p->past[LAST][0] = x->s->t;
    p->past[LAST][1] = x->s->u[p->input];
    if (++p->npast < 3) return;
    double s0 = p->past[2][1] - p->past[1][1], s1 = p->past[3][1] - p->past[2][1];
    if (!(s0 * s1 < 0.0)) return;
    int n          = p->npast == 3 ? 3 : 4;
    double(*at)[2] = p->past + 4 - n, d[4], value[3], t = p->past[2][0];
    divided_differences(n, at, d);
    for (int pass = 0; pass < 5;
         pass++) { /* Newton's method for slope 0, inside the last two steps */
        polynomial(n, at, d, t, value);
        t = fmin(fmax(t - value[1] / value[2], p->past[1][0]), p->past[3][0]);
    }
    polynomial(n, at, d, t, value);
    kl_note(diag, KL_NOWHERE, "limit point at t = %.6g: `%s` reaches %.9g %s", t,
            x->model->input[p->input].name, value[0], x->model->input[p->input].unit);
}

static void keep(path *p, const kl_solver *x)
{
    kl_state_copy(p->kept, x->s);
    memcpy(p->kept_lambda, x->lambda, (size_t)x->model->nlam * sizeof(double));
}

static void restore(path *p, kl_solver *x)
{
    kl_state_copy(x->s, p->kept);
    memcpy(x->lambda, p->kept_lambda, (size_t)x->model->nlam * sizeof(double));
}

static void accept(path *p, kl_solver *x, double h, kl_statistics *count)
{
    const kl_model *m = x->model;
    x->s->t           = p->kept->t + h;
    memset(x->a, 0, (size_t)m->nv * sizeof(double));
    kl_commit_history(m, x->s, x->w, p->kept->h);
    memcpy(x->s->h, p->kept->h, (size_t)m->nh * sizeof(double));
    count->steps++;
    count->step  = h;
    count->order = 1;
    if (count->steps == 1 || h < count->least_step) count->least_step = h;
    if (h > count->largest_step) count->largest_step = h;
}

/* A contact that holds nothing, or is about to: its force is rounding beside the largest one. */
static const kl_element *open_contact(kl_solver *x)
{
    const kl_model   *m       = x->model;
    const double      nothing = 1e-6;
    const kl_element *open    = NULL;
    double            largest = 0.0, least = HUGE_VAL;
    if (kl_eval(m, x->s, x->w) != KL_OK) return NULL;
    for (int k = 0; k < 6 * m->nmarker; k++) largest = fmax(largest, fabs(x->w->wrench[k]));
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e    = &m->element[i];
        double            most = 0.0;
        for (int k = 6 * e->marker; k < 6 * (e->marker + e->nmarker); k++)
            most = fmax(most, fabs(x->w->wrench[k]));
        if (e->type->too_stiff && most < least) least = most, open = e;
    }
    return least <= nothing * largest ? open : NULL;
}

/* Without inertia, a body that only an open contact would hold has no equilibrium. */
static kl_status open_contact_failed(const kl_element *open, double t, kl_diag *diag)
{
    return kl_fail(
        diag, KL_E_STEP, open->place,
        "at t = %.6g s no equilibrium was found, and %s '%s' is open, so it holds no body. "
        "Quasi-static runs need every body held: start in contact with `run: {start: "
        "equilibrium}`, hold the body with a joint or a soft spring, or take "
        "`integrator: {type: auto}`",
        t, open->type->name, open->name);
}

static kl_status path_step(void *self, kl_solver *x, double until, kl_statistics *count,
                           kl_diag *diag)
{
    path  *p     = self;
    double whole = until - x->s->t, h = p->h > 0.0 ? fmin(p->h, whole) : whole;
    double least = 1e-9 * x->model->settings.every;
    double row   = x->model->settings.every;
    if (h > row) h = row;
    if (h > whole * (1.0 - nearly)) h = whole; /* times of rows are rounded: no step of 1e-16 s */
    keep(p, x);
    double last_load = p->last_load;
    for (;; h *= 0.5) {
        double    end    = h == whole ? until : p->kept->t + h;
        kl_status status = KL_OK;
        if (p->input < 0) {
            x->s->t = end;
            memset(p->sum, 0, (size_t)x->model->nv * sizeof *p->sum);
            status = newton(p, x, count);
        } else status = arc_step(p, x, h, count, diag);
        if (status == KL_E_MEMORY || status == KL_E_MODEL) return status;
        if (status == KL_OK) {
            accept(p, x, h, count);
            x->s->t = end;
            if (p->input >= 0) note_limit(p, x, diag);
            p->h = 2.0 * h;
            return KL_OK;
        }
        p->factored = false;
        restore(p, x);
        p->last_load = last_load;
        count->rejected++;
        if (h >= least) continue;
        const kl_element *open = open_contact(x);
        return open ? open_contact_failed(open, x->s->t, diag)
                    : kl_step_failed(x, h, count, "no equilibrium was found", diag);
    }
}

/* The start must be an equilibrium too. */
static kl_status path_begin(void *self, kl_solver *x, kl_diag *diag)
{
    path         *p     = self;
    kl_statistics count = {.limiting = -1};
    memset(x->s->v, 0, (size_t)x->model->nv * sizeof(double));
    memset(x->a, 0, (size_t)x->model->nv * sizeof(double));
    p->h = 0.0;
    keep(p, x);
    kl_status status = newton(p, x, &count);
    if (status == KL_OK || status == KL_E_MEMORY) return status;
    restore(p, x);
    const kl_element *open = open_contact(x);
    if (open) return open_contact_failed(open, x->s->t, diag);
    return kl_fail(
        diag, KL_E_STEP, KL_NOWHERE,
        "no equilibrium was found at the start of the load steps; let the loads begin at "
        "zero, and check that joints hold every body");
}

const kl_integrator kl_load_steps = {.name         = "load-steps",
                                     .quasi_static = true,
                                     .create       = path_create,
                                     .destroy      = path_destroy,
                                     .begin        = path_begin,
                                     .step         = path_step};
