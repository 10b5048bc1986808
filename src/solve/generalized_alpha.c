/* Generalized-alpha on the rotation group for the stabilised index 2 equations.
 *
 *   q1 = q0 (+) dx,   dx = h v0 + h^2 ((1/2 - beta) a0 + beta a1) + correction
 *   v1 = v0 + h ((1 - gamma) a0 + gamma a1)
 *   (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) v1' + alpha_f v0'
 *   M v1' + Phi_q' lambda = g + s,   Phi_q v1 + Phi_t = 0
 *   Phi(q1, t1) = 0 by the correction, along Phi_q'
 *
 * rho is the spectral radius at infinite frequency: alpha_m = (2 rho - 1)/(rho + 1), alpha_f =
 * rho/(rho + 1), gamma = 1/2 + alpha_f - alpha_m, beta = (gamma + 1/2)^2 / 4. First-order states z
 * follow the velocity formula.
 *
 * Chung and Hulbert 1993; on Lie groups Arnold and Bruels 2007, Bruels, Cardona and Arnold 2012;
 * stabilised index 2 (after Gear, Gupta, Leimkuhler 1985) Arnold, Bruels and Cardona 2015. The
 * auxiliary acceleration a represents v' at t + theta h, theta = alpha_m - alpha_f: it starts there
 * and is re-based when h changes, or lambda falls to first order.
 *
 * Index 3 with velocities projected afterwards would cost one solve less a step, but its lambda and
 * then the positions were measured to be of first order: the position constraint puts its local
 * error h^3 into h^2 a1.
 *
 * Where we differ: both constraints are met with one factored matrix and two right-hand sides an
 * iteration; the matrix is kept over steps while Newton converges fast. A kept matrix serves another step size
 * too: with c2 M in its corner, c2' = s c2 asks only for r/s on the right and s lambda in the
 * answer. */
#include <math.h>
#include <string.h>

#include "solve/between.h"
#include "solve/integrator.h"
#include "solve/partial_evaluation.h"
#include "solve/stable_step.h"

typedef struct parameters {
    double alpha_m, alpha_f, beta, gamma;
    double theta; /* alpha_m - alpha_f */
    double error; /* local error of the position over h^3 a' */
} parameters;

/* What a step changes, as it was before the step. */
typedef struct past {
    kl_state *s, *older; /* older: before the step before, if h_older is not 0 */
    double   *acc, *acc_old, *aux, *lambda, *lambda_old;
    double   *zd, *zb, *zdd;
    double    h_old, h_older, h_aux;
    bool      bends;
    kl_powers power;
    double    energy[2]; /* lost and supplied [J] */
} past;

typedef struct alpha {
    kl_arena  *arena;
    parameters p;
    kl_state  *trial;
    double    *acc, *aux, *lambda, *dx; /* of the trial: v', auxiliary, multipliers, increment */
    double    *aux0, *acc_old, *lambda_old;
    double    *zd, *zb, *zd0, *zb0; /* z' and its auxiliary, trial and start */
    double    *zdd, *z_scale;       /* z'' at the start, largest z so far */
    double     h;                   /* proposed next step */
    double     h_aux, h_old;        /* step that aux0 belongs to; last step, 0: none */
    double     h_older;             /* the step before that, 0: none */
    double     c2;                  /* of the factored matrix; 0: none */
    bool       made, fresh;         /* the matrix was made in this step, and with all tangents */
    double     slow;                /* a convergence factor above it asks for a new matrix */
    bool       renews;              /* it is made again in a step where Newton is slow */
    bool       stale;               /* the matrix should be made anew */
    bool       anew;                /* with all tangents */
    bool       bends;               /* accelerations have a corner at the start of the step */
    bool       thorough;            /* a matrix for each iteration: the step has failed without */
    double     damping; /* share of each change that is made: 1, less where thorough ones cycle */
    bool       first;   /* the last step was the first one since the integrator began */
    double     speed;   /* estimated convergence factor */
    int        used;    /* iterations of the last attempt */
    int        least;   /* fewest iterations of a step with this matrix, 0: none yet */
    int        wasted;  /* iterations beyond that since it was made */
    kl_partial partial; /* bodies that have settled are left out of further evaluations */
    double     last_change;  /* of Newton's method in the step, over what is allowed */
    int        growth_count; /* steps in a row after which a much longer one would do */
    kl_powers  power;
    double     tolerance, newton;

    /* for looks into the last step, and to take it back */
    past        before;
    double     *jerk;      /* v'' where the integrator began */
    double      energy[2]; /* lost and supplied at the end of the step [J] */
    kl_between *between;
    kl_state   *middle; /* of a step whose lost energy is uncertain */

    kl_stable_step stability;
    double         longest; /* stable step [s]; HUGE_VAL: any */
} alpha;

static parameters from_radius(double rho)
{
    parameters p = {.alpha_m = (2.0 * rho - 1.0) / (rho + 1.0), .alpha_f = rho / (rho + 1.0)};
    p.gamma      = 0.5 + p.alpha_f - p.alpha_m;
    p.beta       = 0.25 * (p.gamma + 0.5) * (p.gamma + 0.5);
    return p;
}

/* HHT: alpha_m = 0, alpha_f = (1 - rho)/(1 + rho); Newmark: both zero, damping through gamma. */
static parameters parameters_of(const kl_settings *s)
{
    double     rho = s->spectral_radius;
    parameters p   = from_radius(rho);
    if (s->integrator == KL_HHT) {
        rho     = fmax(rho, 0.5); /* HHT cannot damp more */
        p       = (parameters){.alpha_f = (1.0 - rho) / (1.0 + rho)};
        p.gamma = 0.5 + p.alpha_f;
        p.beta  = 0.25 * (1.0 + p.alpha_f) * (1.0 + p.alpha_f);
    }
    if (s->integrator == KL_NEWMARK) {
        /* radius at infinity of Newmark with beta = (gamma + 1/2)^2/4: (1 - sqrt(..)): gamma = (3 -
         * rho)/(2 (1 + rho)) */
        p = (parameters){.gamma = (3.0 - rho) / (2.0 * (1.0 + rho))};
        if (s->beta > 0.0) p.gamma = 0.5;
        if (s->gamma > 0.0) p.gamma = s->gamma;
        p.beta = s->beta > 0.0 ? s->beta : 0.25 * (p.gamma + 0.5) * (p.gamma + 0.5);
    }
    p.theta = p.alpha_m - p.alpha_f;
    p.error = fabs(1.0 / 6.0 - p.beta - 0.5 * p.theta);
    return p;
}

/* What is left of an increment is left of the velocity times 1/h and adds up over the steps, so it must be
 * far below the local error of the step: this share of it. Where dampers forget such errors more may be
 * left: in models without constraints whose states relax, and where creep forces hold the wheels (accelerations
 * of a locomotive are wrong by 0.214 instead of 0.212 m/s2, in half the time; with 1e-3 by 0.28).
 * Friction with states is the exception: slip to and fro in the size of the error adds up to creep. Under
 * vehicles that roll nothing rests: forces of the couplers of a train change by less than 1 N of 60 kN. */
static double newton_share(const kl_model *m)
{
    bool plain = m->nz > 0 && m->nlam == 0, rolls = m->velocities_relax;
    if (plain && m->states_relax) return rolls ? 1e-2 : 1e-3;
    if (plain && rolls) return 3e-3;
    return m->states_relax && rolls ? 3e-4 : 1e-5;
}

/* Where Newton may stop, given the local error. */
static double newton_limit(const kl_model *m, double error)
{
    double share = newton_share(m);
    return fmin(1e-5 * share, fmax(1e-15, share * error));
}

static void alpha_destroy(void *self)
{
    alpha *i = self;
    if (!i) return;
    kl_stable_step_close(&i->stability);
    kl_state_destroy(i->trial);
    kl_state_destroy(i->middle);
    kl_state_destroy(i->before.s);
    kl_state_destroy(i->before.older);
    kl_between_destroy(i->between);
    kl_arena_destroy(i->arena);
}

/* Newmark with 2 beta < gamma and steps of its own choice. */
static bool conditional(const alpha *i, const kl_model *m)
{
    return 2.0 * i->p.beta < i->p.gamma * (1.0 - 1e-9) && isnan(m->settings.step);
}

static kl_status alpha_create(kl_solver *x, void **self)
{
    const kl_model *m     = x->model;
    kl_arena       *arena = kl_arena_create();
    alpha          *i     = kl_arena_array(arena, alpha, 1);
    *self                 = NULL;
    if (!i) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    i->arena = arena;
    i->p     = parameters_of(&m->settings);
    /* Tangents of wheels on rails cost as much as eight iterations, and two or three decades are soon reached. */
    i->slow = m->velocities_relax ? 0.3 : 0.1;
    for (int k = 0; k < m->nelement; k++)
        i->renews |= m->element[k].type->stiffness && m->element[k].nh > 0;
    past    *b         = &i->before;
    double **vectors[] = {&i->acc, &i->aux,     &i->dx,  &i->aux0, &i->acc_old,
                          &b->acc, &b->acc_old, &b->aux, &i->jerk};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = kl_arena_array(arena, double, m->nv + 1);
    double **states[] = {&i->zd,  &i->zb,      &i->zd0, &i->zb0, &i->zdd,
                         &b->zdd, &i->z_scale, &b->zd,  &b->zb};
    for (size_t k = 0; k < sizeof states / sizeof *states; k++)
        *states[k] = kl_arena_array(arena, double, m->nz + 1);
    double **multipliers[] = {&i->lambda, &i->lambda_old, &b->lambda, &b->lambda_old};
    for (size_t k = 0; k < sizeof multipliers / sizeof *multipliers; k++)
        *multipliers[k] = kl_arena_array(arena, double, m->nlam + 1);
    /* equal steps iterate down to rounding: there every body is evaluated to the end */
    bool by_parts = !i->renews && isnan(m->settings.step);
    bool partial  = kl_partial_create(&i->partial, m, arena, by_parts);
    i->trial      = kl_state_create(m);
    i->middle     = kl_state_create(m);
    b->s          = kl_state_create(m);
    b->older      = kl_state_create(m);
    i->between    = kl_between_create(m);
    i->tolerance  = x->tolerance;
    i->newton     = newton_limit(m, isnan(m->settings.step) ? i->tolerance : 0.0);
    i->longest    = HUGE_VAL;
    bool limited  = !conditional(i, m) || kl_stable_step_open(arena, m, &i->stability) == KL_OK;
    if (!partial || !limited || !kl_arena_ok(arena) || !i->trial || !i->middle || !b->s ||
        !b->older || !i->between) {
        alpha_destroy(i);
        return KL_E_MEMORY;
    }
    *self = i;
    return KL_OK;
}

/* The shortest time in which the motion now changes something: length over speed, root of length
 * over acceleration. */
static double motion_rate(const kl_solver *x)
{
    double rate = fmax(kl_increment_norm(x->model, x->s->v, NULL),
                       sqrt(kl_increment_norm(x->model, x->a, NULL)));
    return rate > 0.0 && isfinite(rate) ? 1.0 / rate : 1.0;
}

/* v'' and z'' by a difference over a small time, into i->jerk and i->zdd; the solver's state comes
 * back as it was. */
static kl_status find_jerk(alpha *i, kl_solver *x, double dt, kl_diag *diag)
{
    const kl_model *m = x->model;
    kl_state_copy(i->trial, x->s);
    KL_TRY(kl_eval(m, x->s, x->w));
    memcpy(i->zd0, x->w->z_dot, (size_t)m->nz * sizeof(double));
    for (int k = 0; k < m->nz; k++) x->s->z[k] += dt * i->zd0[k];
    for (int k = 0; k < m->nv; k++) i->dx[k] = dt * (x->s->v[k] + 0.5 * dt * x->a[k]);
    kl_model_advance(m, i->trial->q, i->dx, x->s->q);
    for (int k = 0; k < m->nv; k++) x->s->v[k] += dt * x->a[k];
    x->s->t += dt;
    kl_status status = kl_solve_acceleration(x, i->acc, i->lambda, diag);
    bool      known  = status == KL_OK;
    for (int k = 0; k < m->nv; k++) i->jerk[k] = known ? (i->acc[k] - x->a[k]) / dt : 0.0;
    for (int k = 0; k < m->nz; k++) i->zdd[k] = (x->w->z_dot[k] - i->zd0[k]) / dt;
    kl_state_copy(x->s, i->trial);
    return status;
}

/* Such a method is stable for w h < 1/sqrt(gamma/2 - beta), where gamma is 1/2 with or without damping (Hughes 1987). Steps
 * are limited to a share of that for the highest natural frequency w now: contacts that stiffen raise it, and
 * from 0.8 on, where a vibration takes about three steps, even a little nonlinearity feeds it. */
static kl_status limit_steps(alpha *i, kl_solver *x, kl_diag *diag)
{
    const double SHARE = 0.6;
    double explicit    = HUGE_VAL; /* 2/w */
    if (!conditional(i, x->model)) return KL_OK;
    KL_TRY(kl_stable_step_find(&i->stability, x, false, &explicit, diag));
    i->longest = SHARE * 0.5 * explicit / sqrt(0.5 * i->p.gamma - i->p.beta);
    return KL_OK;
}

static kl_status alpha_begin(void *self, kl_solver *x, kl_diag *diag)
{
    alpha             *i = self;
    const kl_model    *m = x->model;
    const kl_settings *s = &m->settings;
    double             T = motion_rate(x), dt = 1e-5 * fmin(T, isnan(s->step) ? T : 10.0 * s->step);
    kl_matrix_soften(x->matrix, 1.0); /* another method may have used it before */
    KL_TRY(limit_steps(i, x, diag));
    KL_TRY(find_jerk(i, x, dt, diag));
    double change = kl_increment_norm(m, i->jerk, NULL);

    /* the step whose error is a tenth of what is allowed, but never more than a hundredth of the
     * pace */
    i->h = fmin(1e-2 * T, change > 0.0 ? cbrt(0.1 * i->tolerance / (i->p.error * change)) : T);
    if (!isnan(s->first_step)) i->h = s->first_step;
    if (!isnan(s->step)) i->h = s->step;
    for (int k = 0; k < m->nv; k++) i->aux0[k] = x->a[k] + i->p.theta * i->h * i->jerk[k];
    KL_TRY(kl_eval(m, x->s, x->w));
    for (int k = 0; k < m->nz; k++) {
        i->zd0[k]     = x->w->z_dot[k];
        i->zb0[k]     = i->zd0[k] + i->p.theta * i->h * i->zdd[k];
        i->z_scale[k] = fabs(x->s->z[k]);
    }
    i->h_aux        = i->h;
    i->bends        = false;
    i->growth_count = 0;
    i->h_old = i->h_older = 0.0;
    i->c2                 = 0.0;
    i->stale = i->anew  = true;
    i->speed            = 0.5;
    i->power            = (kl_powers){.begun = false};
    kl_statistics dummy = {0};
    kl_count_energy(x, 0.0, &i->power, &dummy);
    return KL_OK;
}

/* ---- one attempt ----------------------------------------------------------------------------- */

/* Positions, velocities and states that belong to the accelerations of the trial. */
static void follow_accelerations(alpha *i, const kl_solver *x, double h)
{
    const kl_model   *m = x->model;
    const parameters *p = &i->p;
    for (int k = 0; k < m->nv; k++) {
        i->aux[k] =
            ((1.0 - p->alpha_f) * i->acc[k] + p->alpha_f * x->a[k] - p->alpha_m * i->aux0[k]) /
            (1.0 - p->alpha_m);
        i->dx[k] = h * x->s->v[k] + h * h * ((0.5 - p->beta) * i->aux0[k] + p->beta * i->aux[k]);
        i->trial->v[k] = x->s->v[k] + h * ((1.0 - p->gamma) * i->aux0[k] + p->gamma * i->aux[k]);
    }
    for (int k = 0; k < m->nz; k++) {
        i->zb[k] =
            ((1.0 - p->alpha_f) * i->zd[k] + p->alpha_f * i->zd0[k] - p->alpha_m * i->zb0[k]) /
            (1.0 - p->alpha_m);
        i->trial->z[k] = x->s->z[k] + h * ((1.0 - p->gamma) * i->zb0[k] + p->gamma * i->zb[k]);
    }
}

static void predict(alpha *i, const kl_solver *x, double h)
{
    const kl_model *m = x->model;
    double          r = i->h_old > 0.0 && !i->bends ? fmin(h / i->h_old, 2.0) : 0.0;
    for (int k = 0; k < m->nv; k++) i->acc[k] = x->a[k] + r * (x->a[k] - i->acc_old[k]);
    for (int k = 0; k < m->nlam; k++)
        i->lambda[k] = x->lambda[k] + r * (x->lambda[k] - i->lambda_old[k]);
    memcpy(i->zd, i->zd0, (size_t)m->nz * sizeof(double));
}

/* change <- D change: what increments at the trial position add to dx */
static void carry_back(alpha *i, const kl_model *m, double *change)
{
    for (int k = 0; k < m->nbody; k++) {
        const kl_body *b = &m->body[k];
        if (b->type->carry) b->type->carry(b->data, i->dx + b->v, false, change + b->v, 1);
    }
}

typedef struct coefficients {
    double c2, c1, cz, ca; /* d acc, d v, d z' and d aux by increments */
} coefficients;

static coefficients coefficients_of(const parameters *p, double h)
{
    coefficients c;
    double       ratio = (1.0 - p->alpha_m) / (1.0 - p->alpha_f);
    c.c2               = ratio / (p->beta * h * h);
    c.c1               = p->gamma / (p->beta * h);
    c.cz               = ratio / (p->gamma * h);
    c.ca               = 1.0 / (p->beta * h * h);
    return c;
}

/* May the kept matrix serve a step with this c2? First-order states and stiff forces want their
 * own. */
static bool serves(const alpha *i, const kl_model *m, double c2)
{
    if (i->stale || i->c2 <= 0.0) return false;
    double s = c2 / i->c2;
    /* c1 goes with the root of s: damping and states are wrong by that much, which Newton makes good */
    if (m->nz > 0) return fabs(sqrt(s) - 1.0) < 0.1;
    /* as long as Newton converges fast the forces are small beside the mass, more so in shorter
     * steps; in longer ones the matrix may lack stiffness */
    return i->speed <= i->slow ? s > 1.0 / 30.0 && s < 1e6 : s > 0.4 && s < 2.5;
}

static kl_status make_matrix(alpha *i, kl_solver *x, coefficients c, kl_statistics *count)
{
    kl_weights weights = {.mass = c.c2, .stiffness = 1.0, .damping = c.c1, .state = c.cz};
    count->factorizations++;
    i->c2    = 0.0;
    bool all = i->anew || i->thorough || !i->partial.used;
    KL_TRY(i->partial.used
               ? kl_matrix_factor_kept(x->model, i->trial, x->w, x->matrix, weights, i->acc,
                                       i->lambda, i->dx, all ? NULL : i->partial.slow)
               : kl_matrix_factor(x->model, i->trial, x->w, x->matrix, weights, i->acc, i->lambda,
                                  i->dx));
    memset(i->partial.slow, 0, (size_t)x->model->nbody);
    i->c2    = c.c2;
    i->fresh = all;
    i->made  = true;
    i->stale = i->anew = false;
    i->speed           = 0.1;
    i->least = i->wasted = 0;
    return KL_OK;
}

/* Norms of what one iteration changed: with the velocities, and the positions alone. */
typedef struct change {
    double motion, position;
} change;

/* Positions alone onto Phi = 0: the part of Phi that the change of the velocities does not take
 * away goes into dx, in the direction of Phi_q', and nowhere else. It is the second right-hand side. */
static void project_position(const alpha *i, const kl_solver *x, coefficients c, double *y)
{
    const kl_model *m = x->model;
    memset(y, 0, (size_t)(m->nv + m->nz) * sizeof *y);
    for (int k = 0; k < m->nlam; k++)
        y[m->nv + m->nz + k] = i->partial.settled[k] ? 0.0 : x->rate[k] / c.c1 - x->w->phi[k];
}

static void take_position(alpha *i, const kl_model *m, double *y, change *size)
{
    carry_back(i, m, y);
    size->position = kl_increment_norm(m, y, NULL);
    for (int k = 0; k < m->nv; k++) i->dx[k] += y[k];
}

/* Where a contact is open in one iteration and closed in the next, each with its own matrix, two equal
 * changes to and fro may follow each other for ever: shorter ones end between. */
static void damp_cycle(alpha *i, double size, double last, double *y, int n)
{
    bool shrinks = !(last > 0.0) || size < 0.9 * last;
    i->damping   = shrinks ? fmin(1.0, 2.0 * i->damping) : fmax(0.1, 0.5 * i->damping);
    for (int k = 0; k < n; k++) y[k] *= i->damping;
}

/* Multipliers that no force feels (redundant loops) would walk at random, r/eps a time; with eps
 * lambda on the right they are pulled to the smallest ones instead. The price is a gap of eps
 * lambda h^2/m, below rounding.
 *
 * Solves for the change and applies it to the trial. The multipliers belong to
 * the velocity constraint: Phi_q (v + c1 d) + Phi_t = 0. */
static kl_status newton_change(alpha *i, kl_solver *x, coefficients c, double last, change *size,
                               int *which)
{
    const kl_model *m        = x->model;
    double         *position = x->y + m->nv + m->nz + m->nlam;
    /* the kept matrix was made for i->c2: scaling rows by 1/s and multipliers by s corrects the inertia
     * terms */
    double s = c.c2 / i->c2;
    kl_eval_rate(m, x->w, x->rate);
    for (int k = 0; k < m->nv; k++) x->y[k] = -x->y[k] / s;
    for (int k = 0; k < m->nz; k++) x->y[m->nv + k] = -(i->zd[k] - x->w->z_dot[k]);
    for (int k = 0; k < m->nlam; k++)
        x->y[m->nv + m->nz + k] =
            i->partial.settled[k]
                ? 0.0
                : kl_matrix_eps(x->matrix, k) * i->lambda[k] / s - x->rate[k] / c.c1;
    if (m->nlam > 0) project_position(i, x, c, position);
    KL_TRY((m->nlam > 0 ? kl_matrix_solve_two : kl_matrix_solve)(x->matrix, x->y));
    carry_back(i, m, x->y);
    *size = (change){.motion = kl_increment_norm(m, x->y, which)};
    if (i->thorough) damp_cycle(i, size->motion, last, x->y, m->nv + m->nz + m->nlam);
    for (int k = 0; k < m->nv; k++) {
        i->dx[k] += x->y[k];
        i->trial->v[k] += c.c1 * x->y[k];
        i->acc[k] += c.c2 * x->y[k];
        i->aux[k] += c.ca * x->y[k];
    }
    i->last_change = size->motion / i->tolerance;
    for (int k = 0; k < m->nz; k++) {
        double dz = x->y[m->nv + k], scale = kl_state_scale(m, k, i->z_scale[k]);
        i->last_change = fmax(i->last_change, fabs(dz) / (scale * i->tolerance));
        i->trial->z[k] += dz;
        i->zd[k] += c.cz * dz;
        i->zb[k] += dz / (i->p.gamma * (i->trial->t - x->s->t));
    }
    for (int k = 0; k < m->nlam; k++) i->lambda[k] += s * x->y[m->nv + m->nz + k];
    if (m->nlam > 0) take_position(i, m, position, size);
    return isfinite(size->motion) && isfinite(size->position) ? KL_OK : KL_RETRY;
}

/* A sequence of changes that should shrink. Once it may stall: just beside a singular position the
 * first change closes the gap of the prediction and the second what that did to the velocities,
 * which is as large; only then does it contract. Near a singular position rounding errors r set a
 * floor of r/(2 sqrt(eps)) in the directions that are about to lose their constraint: iterating
 * further would only pump them up. */
typedef struct sequence {
    double speed;  /* estimated factor from one change to the next */
    double limit;  /* what may be left */
    double floor;  /* below it a change that no longer shrinks is taken for rounding */
    double last;   /* change before, 0: none yet */
    bool   stalls; /* the last change did not shrink */
    bool   diverges, close;
} sequence;

/* Rounding of the places, some 1e-15 of the size, over 2 sqrt(eps). */
static const double PLACE_NOISE = 5e-10;

/* Takes the next change in; true when what is left of the sum is below the limit. */
static bool settled(sequence *s, double size)
{
    bool below = size < fmax(s->floor, 1e2 * s->limit);
    if (s->last > 0.0) {
        bool shrinks = size < 0.9 * s->last;
        /* rounding gives no information about the matrix: keep what is known of its speed */
        if (!shrinks && below) return true;
        /* the first change may be large in a direction that converges fast: the factor of the slow
         * one is forgotten slowly, or what is left would be underestimated step after step */
        s->speed    = fmax(0.5 * s->speed, size / s->last);
        s->diverges = !shrinks && (s->stalls || size > 2.0 * s->last);
        s->stalls   = !shrinks;
    }
    s->last  = size;
    s->close = below;
    return size < 1e-15 || (s->speed < 0.9 && s->speed / (1.0 - s->speed) * size < s->limit);
}

/* Elements and residual x->y at the trial. */
static kl_status evaluate(alpha *i, kl_solver *x, int iteration, kl_statistics *count)
{
    kl_iterate at = {.s         = i->trial,
                     .a         = i->acc,
                     .lambda    = i->lambda,
                     .z_dot     = i->zd,
                     .speed     = i->speed,
                     .limit     = i->newton,
                     .iteration = iteration,
                     .all       = i->thorough};
    return kl_partial_evaluate(&i->partial, x, &at, count);
}

/* Newton from the accelerations and multipliers of the trial. KL_RETRY: did not converge. */
static kl_status attempt(alpha *i, kl_solver *x, double h, double until, kl_statistics *count)
{
    const int       most = i->thorough ? 30 : 8;
    const kl_model *m    = x->model;
    coefficients    c    = coefficients_of(&i->p, h);
    kl_state_copy(i->trial, x->s);
    i->trial->t = fabs(x->s->t + h - until) < 1e-9 * h ? until : x->s->t + h;
    follow_accelerations(i, x, h);

    /* what is left of a position does not go into the velocities: it may be larger */
    sequence motion   = {.speed = i->speed, .limit = i->newton},
             position = {.speed = i->speed, .limit = 1e1 * i->newton};
    motion.floor      = 1e-8 * kl_increment_norm(m, i->dx, NULL);
    position.floor    = fmax(motion.floor, PLACE_NOISE);
    change now        = {0};
    i->damping        = 1.0;
    for (int k = 0; k < most; k++) {
        kl_model_advance(m, x->s->q, i->dx, i->trial->q);
        if (evaluate(i, x, k, count) != KL_OK) return KL_RETRY;
        /* finite elements that begin or cease to flow: their evaluation costs nearly as much as a matrix */
        bool slow = k > 1 && i->renews && fmax(motion.speed, position.speed) > 0.2;
        if ((k == 0 && !serves(i, m, c.c2)) || slow || i->thorough) {
            KL_TRY(make_matrix(i, x, c, count));
            motion.speed = position.speed = i->speed;
        }
        count->iterations++;
        i->used = k + 1;
        KL_TRY(newton_change(i, x, c, motion.last, &now, &count->limiting));
        kl_partial_note(&i->partial, m, x->y, 1.0);
        /* velocities do not follow a correction of positions, and the error of the forces there adds up */
        if (m->nlam > 0) kl_partial_note(&i->partial, m, x->y + m->nv + m->nz + m->nlam, 10.0);
        bool moved = settled(&motion, now.motion), placed = settled(&position, now.position);
        i->speed = fmax(motion.speed, position.speed);
        if (!i->thorough && (motion.diverges || position.diverges)) return KL_RETRY;
        if (moved && placed) break;
        if (k == most - 1 && !(motion.close && position.close)) return KL_RETRY;
    }
    /* a last change that is more than rounding counts too: a driver may take a single iteration */
    if (now.position > 1e-10) kl_model_advance(m, x->s->q, i->dx, i->trial->q);
    return KL_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The auxiliary acceleration belongs to a step size: move it to another. Where nothing is known of
 * the slope of v', because it has a corner here or because the last step was so short that its
 * differences are rounding, it begins as v'. */
static void rebase(alpha *i, const kl_solver *x, double h)
{
    const kl_model *m = x->model;
    if (h > 2.0 * i->h_aux) i->bends = true;
    if (h == i->h_aux && !i->bends) return;
    double r = i->bends ? 0.0 : h / i->h_aux;
    for (int k = 0; k < m->nv; k++) i->aux0[k] = x->a[k] + r * (i->aux0[k] - x->a[k]);
    for (int k = 0; k < m->nz; k++) i->zb0[k] = i->zd0[k] + r * (i->zb0[k] - i->zd0[k]);
    i->h_aux = h;
}

/* Then the step itself shows the slope: a = v' + theta h v''. */
static void learn_slope(alpha *i, const kl_solver *x)
{
    const kl_model *m = x->model;
    for (int k = 0; k < m->nv; k++) i->aux0[k] = x->a[k] + i->p.theta * (i->acc[k] - x->a[k]);
    for (int k = 0; k < m->nz; k++) i->zb0[k] = i->zd0[k] + i->p.theta * (i->zd[k] - i->zd0[k]);
}

/* Internal coordinates of elements have no mass. Constraints determine their velocities, but no force
 * determines their accelerations: the recurrence alpha_f a_n + (1 - alpha_f) a_(n+1) = 0 would make
 * them oscillate with the factor -alpha_f/(1 - alpha_f) per step. They are therefore set to the
 * difference quotient (v_(n+1) - v_n)/h. */
static void reset_massless_accelerations(alpha *i, const kl_solver *x, double h)
{
    const kl_model *m = x->model;
    for (int b = 0; b < m->nbody; b++)
        for (int k = m->body[b].v; m->body[b].own && k < m->body[b].v + m->body[b].nv; k++)
            i->acc[k] = i->aux[k] = (i->trial->v[k] - x->s->v[k]) / h;
}

static void swap_older(past *b)
{
    kl_state *older = b->older;
    b->older        = b->s;
    b->s            = older;
}

/* All that a step changes, to and fro. */
static void remember(alpha *i, const kl_solver *x, const kl_statistics *count)
{
    const kl_model *m  = x->model;
    past           *b  = &i->before;
    size_t          nv = (size_t)m->nv * sizeof(double), nl = (size_t)m->nlam * sizeof(double),
           nz = (size_t)m->nz * sizeof(double);
    swap_older(b);
    kl_state_copy(b->s, x->s);
    memcpy(b->acc, x->a, nv), memcpy(b->acc_old, i->acc_old, nv), memcpy(b->aux, i->aux0, nv);
    memcpy(b->lambda, x->lambda, nl), memcpy(b->lambda_old, i->lambda_old, nl);
    memcpy(b->zd, i->zd0, nz), memcpy(b->zb, i->zb0, nz), memcpy(b->zdd, i->zdd, nz);
    b->h_old = i->h_old, b->h_older = i->h_older, b->h_aux = i->h_aux;
    b->bends     = i->bends;
    b->power     = i->power;
    b->energy[0] = count->lost, b->energy[1] = count->supplied;
}

static void alpha_back(void *self, kl_solver *x)
{
    alpha          *i  = self;
    const kl_model *m  = x->model;
    past           *b  = &i->before;
    size_t          nv = (size_t)m->nv * sizeof(double), nl = (size_t)m->nlam * sizeof(double),
           nz = (size_t)m->nz * sizeof(double);
    kl_state_copy(x->s, b->s);
    memcpy(x->a, b->acc, nv), memcpy(i->acc_old, b->acc_old, nv), memcpy(i->aux0, b->aux, nv);
    memcpy(x->lambda, b->lambda, nl), memcpy(i->lambda_old, b->lambda_old, nl);
    memcpy(i->zd0, b->zd, nz), memcpy(i->zb0, b->zb, nz), memcpy(i->zdd, b->zdd, nz);
    i->h_old = b->h_old, i->h_older = b->h_older, i->h_aux = b->h_aux;
    i->bends = b->bends;
    i->power = b->power;
    swap_older(b); /* the next step swaps them again */
}

static kl_step last_step(const alpha *i, const kl_model *m)
{
    const past *b     = &i->before;
    bool        third = i->h_older > 0.0 && i->h_old < 4.0 * i->h_older;
    return (kl_step){.start = b->s,
                     .end   = i->trial,
                     .older = third ? b->older : NULL,
                     .a     = {b->acc, i->acc},
                     .z_dot = {b->zd, i->zd},
                     .exact = m->nlam == 0};
}

/* Error control of the motion does not see the curvature of the dissipated power: after a kink, for example where the
 * damper of a contact lets go, a long step follows, and the powers at its ends are not sufficient. Simpson's rule with the
 * middle of the step is used if their uncertainty exceeds a millionth of the energy lost or supplied, or what a loose
 * tolerance asks for. */
static void refine_lost(alpha *i, kl_solver *x, double h, kl_statistics *count)
{
    const kl_model *m         = x->model;
    double          exchanged = fmax(fabs(count->lost), fabs(count->supplied));
    if (!(i->power.rough > fmax(1e-6, 10.0 * i->tolerance) * exchanged)) return;
    kl_step step = last_step(i, m);
    kl_between_state(i->between, &step, x->s->t - 0.5 * h, i->middle);
    memcpy(i->middle->h, i->before.s->h, (size_t)m->nh * sizeof(double));
    if (kl_eval(m, i->middle, x->w) == KL_OK) {
        double ends   = i->power.before[0] + i->power.now[0];
        double better = h / 6.0 * (ends + 4.0 * kl_eval_loss(m, x->w));
        count->lost += better - i->power.lost;
    }
    (void)kl_eval(m, x->s, x->w);
    if (m->reads_reactions) kl_eval_totals(m, x->w, x->lambda);
}

/* The older a matrix, the more iterations a step takes. It is made anew when the iterations beyond the
 * fewest of a step have cost as much as two new matrices: one of a beam takes the time of 5 iterations,
 * with 100 elements as with 1000. Where forces have kinks or inputs are set, iterations vary for other
 * reasons than age. */
static void judge_matrix(alpha *i, const kl_model *m)
{
    enum { PRICE = 10 };
    if (i->least == 0 || i->used < i->least) i->least = i->used;
    i->wasted += i->used - i->least;
    bool smooth = m->nevent == 0 && m->ninput == 0;
    if (i->speed > i->slow || (smooth && i->wasted >= PRICE)) i->stale = true;
    /* tangents of the bodies that settled last were not what it lacked */
    i->anew |= i->stale && i->made;
    i->made = false;
}

static void accept(alpha *i, kl_solver *x, double h, kl_statistics *count)
{
    const kl_model *m = x->model;
    reset_massless_accelerations(i, x, h);
    memcpy(i->acc_old, x->a, (size_t)m->nv * sizeof(double));
    memcpy(i->lambda_old, x->lambda, (size_t)m->nlam * sizeof(double));
    memcpy(x->a, i->acc, (size_t)m->nv * sizeof(double));
    memcpy(x->lambda, i->lambda, (size_t)m->nlam * sizeof(double));
    memcpy(i->aux0, i->aux, (size_t)m->nv * sizeof(double));
    for (int k = 0; k < m->nz; k++) {
        i->zdd[k]     = (i->zd[k] - i->zd0[k]) / h;
        i->z_scale[k] = fmax(i->z_scale[k], fabs(i->trial->z[k]));
    }
    memcpy(i->zd0, i->zd, (size_t)m->nz * sizeof(double));
    memcpy(i->zb0, i->zb, (size_t)m->nz * sizeof(double));
    /* the last evaluation was before the last change, which may be large where states are stiff; powers
     * of this step belong to the history before it, so that what begins at its end costs nothing yet */
    if (m->nz > 0 && i->last_change > 1e-2) (void)kl_eval(m, i->trial, x->w);
    if (m->reads_reactions) kl_eval_totals(m, x->w, i->lambda);
    kl_commit_history_near(m, i->trial, x->w, x->s->h);
    memcpy(i->trial->h, x->s->h, (size_t)m->nh * sizeof(double));
    kl_state_copy(x->s, i->trial);
    kl_count_energy(x, h, &i->power, count);
    kl_between_renew(i->between);
    i->first   = i->h_old == 0.0;
    i->h_older = i->bends ? 0.0 : i->h_old;
    i->h_old   = h;
    refine_lost(i, x, h, count);
    i->energy[0] = count->lost, i->energy[1] = count->supplied;
    count->step  = h;
    count->order = 2;
    count->steps++;
    if (count->least_step == 0.0 || h < count->least_step) count->least_step = h;
    if (h > count->largest_step) count->largest_step = h;
    i->fresh = i->bends = false;
    judge_matrix(i, m);
}

/* Local error of first-order states over what is allowed: h^3 d^3z/dt^3 / 6 from the bend of z' in
 * the step, a little more than the formula's own. */
static double state_error_of(const alpha *i, const kl_model *m, double h)
{
    double largest = 0.0;
    for (int k = 0; k < m->nz; k++) {
        double scale = kl_state_scale(m, k, fmax(i->z_scale[k], fabs(i->trial->z[k])));
        largest      = fmax(largest, h / 6.0 * fabs(i->zd[k] - i->zd0[k] - h * i->zdd[k]) / scale);
    }
    return largest / i->tolerance;
}

/* Local error of the position, over what is allowed: error h^3 v'' of the formula, and h^3/12 [v,
 * v'] because exp of the mean velocity is not the path of a turning one; (h^2/6) (D v' - v') is the
 * latter for any body. */
static double error_of(alpha *i, const kl_solver *x, double h, int *which)
{
    const kl_model *m = x->model;
    memcpy(x->y, i->acc, (size_t)m->nv * sizeof(double));
    carry_back(i, m, x->y);
    for (int k = 0; k < m->nv; k++)
        x->y[k] =
            h * h * (fabs(x->y[k] - i->acc[k]) / 6.0 + i->p.error * fabs(i->acc[k] - x->a[k]));
    for (int b = 0; b < m->nbody; b++) /* what has no mass goes where the others do */
        if (m->body[b].own) memset(x->y + m->body[b].v, 0, (size_t)m->body[b].nv * sizeof(double));
    return fmax(kl_increment_norm(m, x->y, which) / i->tolerance, state_error_of(i, m, h));
}

/* The step to try after Newton failed with a fresh matrix. Near a singular position (a flat
 * four-bar) ever shorter steps end ever nearer to it; a somewhat shorter or longer one lands beside
 * it. */
static double next_try(double whole, double left, bool adaptive, int *tries)
{
    enum { N = 5 };
    /* a fixed step is shortened before it is made longer */
    static const double adaptively[N] = {0.75, 1.3, 0.5, 1.7, 2.5};
    static const double fixed[N]      = {0.75, 0.5, 0.25, 1.3, 1.7};
    for (; *tries < N; (*tries)++) {
        double h = (adaptive ? adaptively : fixed)[*tries] * whole;
        if (h > left) continue;
        (*tries)++;
        return h;
    }
    return whole * pow(0.4, ++*tries - N + 1);
}

/* A matrix with first-order states serves one step size only and costs as much as several iterations.
 * Their models lose energy, so that nothing asks for a step that follows the motion smoothly: it stays
 * while the best one is not much shorter, and becomes longer when two steps in a row ask for it. After a
 * single one the next kink would reject the longer step again: a coach with S1002 wheels on irregular
 * track has 1700 instead of 900 matrices for it. */
static bool keeps_step_size(alpha *i, const kl_model *m, double best)
{
    enum { PATIENCE = 2 };
    i->growth_count = best < 1.5 ? 0 : i->growth_count + 1;
    return m->nz > 0 && best > 0.8 && i->growth_count < PATIENCE;
}

static kl_status alpha_step(void *self, kl_solver *x, double until, kl_statistics *count,
                            kl_diag *diag)
{
    alpha             *i        = self;
    const kl_settings *s        = &x->model->settings;
    bool               adaptive = isnan(s->step);
    double             left     = until - x->s->t,
           most                 = fmin(i->longest, isnan(s->max_step) ? HUGE_VAL : s->max_step);
    /* what rounding of the time leaves; a far `until` must not count */
    double now = fabs(x->s->t), least = fmin(1e-12 * fmax(now, fmin(left, 1.0)), 0.5 * left);
    double want = adaptive ? fmin(i->h, most) : s->step;

    /* accelerations of a step cut short by an event are rough: a fixed step does not start from them */
    if (!adaptive && i->h_old > 0.0 && want > 10.0 * i->h_old)
        KL_TRY(kl_solve_acceleration(x, x->a, x->lambda, diag));

    /* no body turns by more than a radian in a step: angles that count turns would lose some */
    double spin = kl_fastest_turn(x->model, x->s->v);
    if (spin > 0.0) want = fmin(want, 1.0 / spin);

    /* equal steps onto `until`, none of them tiny; fixed steps as asked for, the last one shorter */
    double whole = left / fmax(1.0, ceil(left / want * (1.0 - 1e-6)));
    if (!adaptive && left > want * (1.0 + 1e-6)) whole = want;
    double h       = whole;
    double refused = 0.0, before = 0.0; /* step with too large an error, and that error */
    int    tries = 0;
    i->thorough  = false;
    remember(i, x, count);
    for (;;) {
        if (h < least)
            return kl_step_failed(x, h, count,
                                  tries ? "the Newton iteration does not converge"
                                        : "the error remains above the tolerance",
                                  diag);
        rebase(i, x, h);
        predict(i, x, h);
        kl_status status = attempt(i, x, h, until, count);
        if (status == KL_OK && i->bends) {
            learn_slope(i, x);
            status = attempt(i, x, h, until, count);
        }
        if (status == KL_E_MEMORY) return status;
        if (status != KL_OK) {
            count->rejected++;
            /* a fixed step is not shortened before Newton's method has had a matrix for each iteration:
             * where a contact begins, that of the first one lacks its stiffness */
            if (!adaptive && !i->thorough && i->fresh) i->thorough = true;
            else if (i->fresh || i->stale) h = next_try(whole, left, adaptive, &tries);
            i->stale = i->anew = true;
            continue;
        }
        double error = error_of(i, x, h, &count->limiting);
        if (!adaptive) {
            /* a tolerance below that is meant for Newton's method: nothing else of a fixed step reads it */
            i->newton =
                fmin(newton_limit(x->model, error * i->tolerance), fmax(1e-15, i->tolerance));
            break;
        }
        /* a step that had to jump is longer than it would like to be; the one after a corner is
         * judged by its own slope, and what it lets pass no later step makes good */
        double allowed = tries ? 20.0 : i->bends ? 0.4 : 1.0, least_cut = i->bends ? 0.02 : 0.2;
        /* an error that a step a fifth as long does not lessen is rounding */
        bool rounding = h <= 0.5 * refused && error > 0.5 * before;
        if (error > allowed && h > 2.0 * least && !rounding) {
            count->rejected++;
            refused = h, before = error;
            whole = h *= fmax(least_cut, 0.85 * cbrt(fmin(allowed, 1.0) / error));
            continue;
        }
        /* follow the motion smoothly in both directions: a step that grows late and shrinks early
         * (or the other way round) is not the same forwards and backwards in time, and energy
         * drifts */
        double best = h * cbrt(0.5 / fmax(error, 1e-6)); /* whatever made h as short as it is */
        /* a step that was cut to end at an exchange with a subsystem must not hold the next one back:
         * growth counts from the step that was wanted */
        bool   cut    = x->model->interval > 0.0 && h < want;
        double growth = 1.5 * (cut ? want : h);
        i->h          = fmin(fmax(growth, want), fmax(0.5 * h, best));
        if (keeps_step_size(i, x->model, best / h)) i->h = h;
        if (i->bends) i->h = fmax(0.5 * h, best); /* what came before says nothing */
        if (tries) i->h = fmin(i->h, want);
        break;
    }
    accept(i, x, h, count);
    return KL_OK;
}

/* The next step predicts constant accelerations. What the auxiliary one knows of their old slope
 * costs an error of the third order, once. */
static void alpha_bend(void *self)
{
    alpha *i   = self;
    i->bends   = true;
    i->power.h = 0.0; /* powers have a kink here too: no parabola through what was before */
}

/* Matrix and step stay; powers are those of the new forces. */
static void alpha_change(void *self, const kl_solver *x)
{
    alpha        *i     = self;
    kl_statistics dummy = {0};
    memcpy(i->zd0, x->w->z_dot, (size_t)x->model->nz * sizeof(double));
    i->bends = true;
    i->power = (kl_powers){.begun = false};
    kl_count_energy(x, 0.0, &i->power, &dummy);
}

static double alpha_next(const void *self) { return ((const alpha *)self)->h; }

/* ---- looks into the last step ---------------------------------------------------------------- */

/* v' by the parabola through the last three points; where the integrator began, with v'' there. */
static void accelerations_within(const alpha *i, const kl_model *m, double x, double *a)
{
    const past *b = &i->before;
    double      h = i->h_old, older = i->h_older, bulge = x * (x - 1.0);
    if (older > 0.0 && h > 4.0 * older) bulge = 0.0; /* too far for so short a step */
    for (int k = 0; k < m->nv; k++) {
        double slope = (i->acc[k] - b->acc[k]) / h;
        double bend  = older > 0.0 ? h * (slope - (b->acc[k] - b->acc_old[k]) / older) / (h + older)
                       : i->first  ? slope - i->jerk[k]
                                   : 0.0;
        a[k]         = (1.0 - x) * b->acc[k] + x * i->acc[k] + bulge * h * bend;
    }
}

/* Energy within the step: cubic through energies and powers of both ends. */
static double energy_within(const alpha *i, int k, double x)
{
    double y = 1.0 - x, h = i->h_old;
    return y * y * ((1.0 + 2.0 * x) * i->before.energy[k] + x * h * i->power.before[k]) +
           x * x * ((1.0 + 2.0 * y) * i->energy[k] - y * h * i->power.now[k]);
}

/* v' and lambda of the method belong to its points exactly only without constraints: the velocity
 * constraints give them to second order, and where a track changes its curvature they are off in
 * between. Rows that the model wants interpolated take them all the same. */
static kl_status alpha_look(void *self, kl_solver *x, double t, kl_look *out, kl_diag *diag)
{
    (void)diag;
    alpha          *i     = self;
    const kl_model *m     = x->model;
    const past     *b     = &i->before;
    double          share = (t - b->s->t) / i->h_old;
    kl_step         step  = last_step(i, m);
    kl_between_state(i->between, &step, t, out->s);
    out->forces = step.exact || m->settings.rows == KL_ROWS_INTERPOLATED;
    /* between long steps the polynomial leaves the constraints: by 2e-4 of the length for 30 steps a period */
    out->near = true;
    if (out->forces) accelerations_within(i, m, share, out->a);
    for (int k = 0; out->forces && k < m->nlam; k++)
        out->lambda[k] = (1.0 - share) * b->lambda[k] + share * i->lambda[k];
    for (int k = 0; k < 2; k++) out->energy[k] = energy_within(i, k, share);
    return KL_OK;
}

const kl_integrator kl_generalized_alpha = {.name    = "generalized-alpha",
                                            .create  = alpha_create,
                                            .destroy = alpha_destroy,
                                            .begin   = alpha_begin,
                                            .step    = alpha_step,
                                            .look    = alpha_look,
                                            .back    = alpha_back,
                                            .bend    = alpha_bend,
                                            .change  = alpha_change,
                                            .next    = alpha_next};
