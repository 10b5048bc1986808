#include "solve/statics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/groups.h"
#include "solve/eigenvalues.h"
#include "solve/integrator.h"
#include "solve/static_start.h"
#include "solve/steady_rotation.h"

/* Acceleration over gravity that counts as steady: creepages of a train that runs at 50 m/s are known to
 * rounding of positions over 1 km, which leaves about 1e-8. */
static const double STILL_MOVING = 1e-7;

typedef struct search {
    kl_solver      *x;
    const kl_model *m;
    kl_equilibrium *e;
    kl_matrix      *K; /* coupled: joints add stiffness between bodies here */
    kl_state       *kept;
    kl_arena       *arena;
    double         *a, *force;   /* nv: acceleration and M a = what is not balanced */
    double         *dx, *dz;     /* Newton step */
    double         *step, *held; /* scratch; constraint-projected increments */
    double         *spin;        /* nbody: acceleration of the spin */
    bool            spinning;    /* a body spins, and its rate is free */
    double          rate;        /* gravity over length, or like it [1/s2] */
    double          mu;
} search;

/* Accelerations at the state, as if just let go: drivers are at rest unless the motion is kept. */
static kl_status accelerations(search *k)
{
    kl_solver      *x = k->x;
    const kl_model *m = k->m;
    KL_TRY(kl_eval(m, x->s, x->w));
    kl_weights only_mass = {.mass = 1.0, .state = 1.0};
    KL_TRY(kl_matrix_factor(m, x->s, x->w, x->mass, only_mass, NULL, NULL, NULL));
    kl_eval_residual(m, x->w, NULL, NULL, x->y);
    for (int i = 0; i < m->nv; i++) x->y[i] = -x->y[i];
    memset(x->y + m->nv, 0, (size_t)(m->nz + m->nlam) * sizeof(double));
    if (k->e->moving) kl_eval_gamma(m, x->w, x->y + m->nv + m->nz);
    KL_TRY(kl_matrix_solve_exact(x->mass, x->y));
    memcpy(k->a, x->y, (size_t)m->nv * sizeof(double));
    memcpy(x->lambda, x->y + m->nv + m->nz, (size_t)m->nlam * sizeof(double));
    kl_eval_residual(m, x->w, NULL, x->lambda, k->force);
    for (int i = 0; i < m->nv; i++) k->force[i] = -k->force[i];
    return KL_OK;
}

/* The acceleration of a body's spin, and a way to change its rate. */
static double spin_acceleration(const search *k, const kl_body *b)
{
    kl_group v = kl_body_group(b, KL_ROTATION);
    return kl_dot(kl_body_spin(b), kl_load(k->a + v.v));
}

static void change_spin(search *k, const kl_body *b, double by)
{
    double *v = k->x->s->v + kl_body_group(b, KL_ROTATION).v;
    kl_store(v, kl_axpy(by, kl_body_spin(b), kl_load(v)));
}

static double spin_rate(const search *k, const kl_body *b)
{
    if (!k->e->moving || !b->type->spin) return 0.0;
    return kl_dot(kl_body_spin(b), kl_load(k->x->s->v + kl_body_group(b, KL_ROTATION).v));
}

/* One step of Newton's method for the spin rates of bodies whose spin something brakes or drives, a
 * wheel that rolls: the rate at which no torque is left. `reach`: rates are tried this far off. A
 * torque is taken to depend on the rate of its own body only. Returns the largest change. */
static kl_status roll_step(search *k, double reach, double *most)
{
    const kl_model *m = k->m;
    *most             = 0.0;
    for (int i = 0; i < m->nbody; i++)
        if (spin_rate(k, &m->body[i]) != 0.0) k->spin[i] = spin_acceleration(k, &m->body[i]);
    for (int i = 0; i < m->nbody; i++) {
        double rate = spin_rate(k, &m->body[i]);
        if (rate != 0.0) change_spin(k, &m->body[i], reach * rate);
    }
    KL_TRY(accelerations(k));
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b    = &m->body[i];
        double         rate = spin_rate(k, b) / (1.0 + reach);
        if (rate == 0.0) continue;
        double slope = (spin_acceleration(k, b) - k->spin[i]) / (reach * rate);
        double step  = slope < -1e-9 ? -k->spin[i] / slope : 0.0;
        if (fabs(step) > 0.1 * fabs(rate)) step = copysign(0.1 * rate, step);
        change_spin(k, b, step - reach * rate);
        *most = fmax(*most, fabs(step / rate));
    }
    return accelerations(k);
}

/* Accelerations, with wheels that roll at the speed at which nothing drives them. */
static kl_status evaluate_accelerations(search *k)
{
    enum { MOST = 12 };
    double change = 1.0;
    KL_TRY(accelerations(k));
    for (int pass = 0; pass < MOST && k->spinning && change > 1e-14; pass++)
        KL_TRY(roll_step(k, 1e-7, &change));
    return KL_OK;
}

/* Largest acceleration over what gravity would give. */
static double residual_acceleration(search *k)
{
    const kl_model *m = k->m;
    for (int i = 0; i < m->nv; i++) k->step[i] = k->a[i] / k->rate;
    double d = kl_increment_norm(m, k->step, &k->e->residual_body);
    for (int i = 0; i < m->nz; i++) d = fmax(d, fabs(k->x->w->z_dot[i]) / sqrt(k->rate));
    return d;
}

/* Positions back onto the constraints. */
static kl_status project(search *k)
{
    const kl_model *m = k->m;
    kl_solver      *x = k->x;
    for (int pass = 0; pass < 12; pass++) {
        kl_eval_motion(m, x->s, x->w);
        KL_TRY(kl_eval_elements(m, x->s, x->w));
        double gap = 0.0;
        for (int i = 0; i < m->nlam; i++) gap = fmax(gap, fabs(x->w->phi[i]));
        if (gap <= 1e-15 * fmax(1.0, m->length)) return KL_OK;
        KL_TRY(kl_matrix_factor_projection(m, x->w, x->mass, NULL));
        memset(x->y, 0, (size_t)(m->nv + m->nz) * sizeof(double));
        for (int i = 0; i < m->nlam; i++) x->y[m->nv + m->nz + i] = -x->w->phi[i];
        KL_TRY(kl_matrix_solve(x->mass, x->y));
        memcpy(k->held, x->y, (size_t)m->nv * sizeof(double));
        double size = kl_increment_norm(m, k->held, NULL);
        if (!(size < 1.0)) return KL_RETRY;
        kl_model_advance(m, x->s->q, k->held, x->s->q);
        if (size < 1e-15) break;
    }
    return KL_OK;
}

/* The step of (K + mu M); its norm over the model, its gain dx . force. */
static kl_status newton_step(search *k, double *norm, double *gain)
{
    kl_solver      *x = k->x;
    const kl_model *m = k->m;
    /* states relax where nothing else determines them */
    kl_weights c = {.mass = k->mu, .stiffness = 1.0, .state = 1e-12 * sqrt(k->rate)};
    memset(k->step, 0, (size_t)m->nv * sizeof(double));
    KL_TRY(kl_matrix_factor(m, x->s, x->w, k->K, c, k->step, x->lambda, NULL));
    memcpy(x->y, k->force, (size_t)m->nv * sizeof(double));
    memcpy(x->y + m->nv, x->w->z_dot, (size_t)m->nz * sizeof(double));
    for (int i = 0; i < m->nlam; i++) x->y[m->nv + m->nz + i] = -x->w->phi[i];
    KL_TRY(kl_matrix_solve(k->K, x->y));
    memcpy(k->dx, x->y, (size_t)m->nv * sizeof(double));
    memcpy(k->dz, x->y + m->nv, (size_t)m->nz * sizeof(double));
    *norm = kl_increment_norm(m, k->dx, NULL);
    *gain = 0.0;
    for (int i = 0; i < m->nv; i++) *gain += k->dx[i] * k->force[i];
    return isfinite(*norm) ? KL_OK : KL_E_SINGULAR;
}

/* Goes along the step as long as the forces do not push back harder than they pulled. */
static kl_status line_search(search *k, double norm, double gain)
{
    const kl_model *m      = k->m;
    kl_state       *s      = k->x->s;
    double          factor = norm > 0.3 ? 0.3 / norm : 1.0;
    kl_state_copy(k->kept, s);
    for (int try = 0; try < 12; try++, factor *= 0.5) {
        for (int i = 0; i < m->nv; i++) k->step[i] = factor * k->dx[i];
        kl_model_advance(m, k->kept->q, k->step, s->q);
        for (int i = 0; i < m->nz; i++) s->z[i] = k->kept->z[i] + factor * k->dz[i];
        if (project(k) != KL_OK || evaluate_accelerations(k) != KL_OK) continue;
        double left = 0.0;
        for (int i = 0; i < m->nv; i++) left += k->dx[i] * k->force[i];
        if (left > -0.9 * gain || norm < 1e-7) {
            kl_commit_history(m, s, k->x->w, k->kept->h);
            memcpy(s->h, k->kept->h, (size_t)m->nh * sizeof(double));
            return KL_OK;
        }
    }
    kl_state_copy(s, k->kept);
    KL_TRY(evaluate_accelerations(k));
    return KL_RETRY;
}

/* Newton until the step is at rounding. KL_RETRY: did not get there. */
static kl_status newton(search *k)
{
    enum { MOST = 400 };
    /* mu never goes to zero: a direction that nothing holds would turn rounding into steps. Each
     * iteration still gains three digits in the softest direction that gravity holds. */
    const double done = 1e-14, floor_mu = 1e-3;
    int          lost   = 0;
    double       before = INFINITY;
    k->mu               = k->rate;
    KL_TRY(evaluate_accelerations(k));
    for (int pass = 0; pass < MOST; pass++) {
        double norm, gain;
        if (residual_acceleration(k) == 0.0) return KL_OK;
        kl_status status = newton_step(k, &norm, &gain);
        if (status == KL_E_MEMORY) return status;
        bool small = status == KL_OK && norm < 1e-9;
        if (status != KL_OK || (gain <= 0.0 && !small)) { /* not downhill: more mass */
            k->mu *= 10.0;
            if (!(k->mu < 1e14 * k->rate)) return KL_RETRY;
            continue;
        }
        k->e->iterations++;
        status = line_search(k, norm, gain);
        if (status == KL_E_MEMORY) return status;
        if (status != KL_OK) {
            if (small) return KL_OK; /* as near as numbers allow */
            k->mu *= 30.0;
            if (!(k->mu < 1e14 * k->rate)) return KL_RETRY;
            continue;
        }
        if (norm < done || (norm < 1e-10 && norm > 0.5 * before)) return KL_OK;
        lost = norm > 100.0 ? lost + 1 : 0; /* nothing holds it: it falls without end */
        if (lost > 40) return KL_RETRY;
        before = norm;
        k->mu  = fmax(0.1 * k->mu, floor_mu * k->rate);
    }
    return KL_RETRY;
}

/* The spin angle of a body that rolls is no unknown: its rate was found already, and nothing holds the
 * angle, so that Newton's method would turn it without end. */
static void leave_spin_angles(search *k, double *norm)
{
    for (int i = 0; i < k->m->nbody; i++) {
        const kl_body *b = &k->m->body[i];
        if (spin_rate(k, b) == 0.0) continue;
        double *dx   = k->dx + kl_body_group(b, KL_ROTATION).v;
        kl_vec3 axis = kl_body_spin(b);
        kl_store(dx, kl_axpy(-kl_dot(axis, kl_load(dx)), axis, kl_load(dx)));
    }
    *norm = kl_increment_norm(k->m, k->dx, NULL);
}

/* The state `factor` times the step beyond the one kept, on the constraints; its largest acceleration,
 * infinite where there is none. */
static double acceleration_along(search *k, double factor)
{
    const kl_model *m = k->m;
    kl_state       *s = k->x->s;
    for (int i = 0; i < m->nv; i++) k->step[i] = factor * k->dx[i];
    kl_model_advance(m, k->kept->q, k->step, s->q);
    for (int i = 0; i < m->nz; i++) s->z[i] = k->kept->z[i] + factor * k->dz[i];
    memcpy(s->v, k->kept->v, (size_t)m->nv * sizeof(double));
    if (project(k) != KL_OK || evaluate_accelerations(k) != KL_OK) return INFINITY;
    double a = residual_acceleration(k);
    return isfinite(a) ? a : HUGE_VAL;
}

/* Newton for a motion that is kept: forces of rolling and of flow have no potential, so there is no
 * downhill; what must fall is the largest acceleration. A part of the step that lowers it by a tenth is
 * taken at once, otherwise the best of all: a wheel just above its rail falls freely, and only the
 * right distance of many brings it to rest on the rail. */
static kl_status newton_moving(search *k)
{
    enum { MOST = 100, HALVES = 24 };
    KL_TRY(evaluate_accelerations(k));
    for (int pass = 0; pass < MOST; pass++) {
        double norm, gain, before = residual_acceleration(k), least = before, best = 0.0, now = 0.0;
        if (before <= 1e-13) return KL_OK;
        k->mu = 1e-6 * k->rate; /* a direction that nothing holds does not move */
        KL_TRY(newton_step(k, &norm, &gain));
        leave_spin_angles(k, &norm);
        k->e->iterations++;
        kl_state_copy(k->kept, k->x->s);
        double factor = norm > 0.3 ? 0.3 / norm : 1.0;
        for (int half = 0; half < HALVES && least > 0.9 * before; half++, factor *= 0.5) {
            now = acceleration_along(k, factor);
            if (now < least) least = now, best = factor;
        }
        if (best > 0.0) {
            if (now != least) acceleration_along(k, best);
            continue;
        }
        kl_state_copy(k->x->s, k->kept);
        KL_TRY(evaluate_accelerations(k));
        return before <= STILL_MOVING ? KL_OK : KL_RETRY;
    }
    return KL_RETRY;
}

/* Pseudo-transient continuation: (K + mu M) dx = force is a step of implicit Euler in a time in which the
 * model creeps instead of moves. The acceleration may grow on the way, as it does where a wheel meets its
 * rail or a wheelset off the centre finds back to it; mu follows the acceleration, and becomes small where
 * it does. */
static kl_status creep_to_rest(search *k)
{
    enum { MOST = 300 };
    const double near = 1e-5;
    double       now, norm, gain;
    k->mu = 1e4 * k->rate;
    KL_TRY(evaluate_accelerations(k));
    for (int pass = 0; pass < MOST; pass++) {
        double before = residual_acceleration(k);
        double mu     = k->mu;
        if (before <= near) return newton_moving(k);
        KL_TRY(newton_step(k, &norm, &gain));
        leave_spin_angles(k, &norm);
        k->e->iterations++;
        kl_state_copy(k->kept, k->x->s);
        now   = acceleration_along(k, norm > 0.1 ? 0.1 / norm : 1.0);
        k->mu = fmax(mu * fmin(10.0, fmax(0.1, 0.8 * now / before)), 1e-6 * k->rate);
        if (isfinite(now)) continue;
        kl_state_copy(k->x->s, k->kept);
        KL_TRY(evaluate_accelerations(k));
        k->mu = 100.0 * mu;
    }
    return KL_RETRY;
}

/* Lets the model go and stops it at each peak of the kinetic energy. */
static kl_status relax(search *k, kl_diag *diag)
{
    enum { PEAKS = 60, STEPS = 20000 };
    kl_solver           *x      = k->x;
    const kl_model      *m      = k->m;
    const kl_integrator *method = &kl_generalized_alpha;
    kl_statistics        count  = {.limiting = -1};
    void                *self   = NULL;
    kl_diag             *quiet  = kl_diag_create(); /* a step that fails here is not yet an error */
    double               t0 = x->s->t, peak = 0.0;
    long                 steps  = 0;
    kl_status            status = quiet ? method->create(x, &self) : KL_E_MEMORY;
    memset(x->s->v, 0, (size_t)m->nv * sizeof(double));
    if (status == KL_OK) status = kl_solve_acceleration(x, x->a, x->lambda, quiet);
    if (status == KL_OK) status = method->begin(self, x, quiet);
    while (status == KL_OK && k->e->peaks < PEAKS && steps++ < STEPS) {
        status = method->step(self, x, x->s->t + 1e3 / sqrt(k->rate), &count, quiet);
        if (status != KL_OK) break;
        double now = kl_eval_energy(m, x->w, NULL).kinetic;
        if (now < peak) {
            k->e->peaks++;
            peak = 0.0;
            memset(x->s->v, 0, (size_t)m->nv * sizeof(double));
            status = kl_solve_acceleration(x, x->a, x->lambda, quiet);
            if (status == KL_OK) status = method->begin(self, x, quiet);
        } else {
            peak = now;
        }
    }
    if (self) method->destroy(self);
    kl_diag_destroy(quiet);
    (void)diag;
    x->s->t = t0;
    memset(x->s->v, 0, (size_t)m->nv * sizeof(double));
    if (status == KL_E_MEMORY) return status;
    return project(k);
}

static bool moves_at_the_start(const kl_model *m)
{
    for (int i = 0; i < m->nv; i++)
        if (m->v0[i] != 0.0) return true;
    return false;
}

static const char *scale_of_accelerations(const search *k)
{
    return kl_norm(k->m->gravity) > 0.0 ? "gravity" : "its initial acceleration";
}

/* The first element whose constraints move by themselves: at v = 0 its Phi_t or its bias (Phi'' at
 * v' = 0) is not zero. NULL: none. */
static const kl_element *moving_driver(search *k)
{
    const kl_model *m = k->m;
    memset(k->x->s->v, 0, (size_t)m->nv * sizeof(double));
    if (kl_eval(m, k->x->s, k->x->w) != KL_OK) return NULL;
    for (int i = 0; i < m->nelement; i++)
        for (int row = m->element[i].phi; row < m->element[i].phi + m->element[i].nphi; row++)
            if (k->x->w->phi_t[row] != 0.0 || k->x->w->bias[row] != 0.0) return &m->element[i];
    return NULL;
}

static kl_status driver_moves(const search *k, const kl_element *driver, kl_diag *diag)
{
    return kl_fail(
        diag, KL_E_STEP, driver->place,
        "no equilibrium was found, because %s '%s' moves the mechanism: '%s' still accelerates at "
        "%.3g times %s. To hold every driver at its value at the start, use `klingel modes "
        "--rest`, "
        "`klingel locus --rest` or `klingel statics` (without `--moving`); for another position "
        "give '%s' a constant value, for example `value: 0.5`",
        driver->type->name, driver->name, k->m->body[k->e->residual_body].name,
        k->e->residual_acceleration, scale_of_accelerations(k), driver->name);
}

static kl_status not_found(search *k, kl_diag *diag)
{
    const kl_model   *m      = k->m;
    const char       *name   = m->body[k->e->residual_body].name;
    const kl_element *driver = k->e->moving ? moving_driver(k) : NULL;
    if (driver) return driver_moves(k, driver, diag);
    return kl_fail(
        diag, KL_E_STEP, m->body[k->e->residual_body].place,
        "no equilibrium was found: '%s' still accelerates at %.3g times %s. Check that a spring or "
        "joint acts in every loaded direction%s%s",
        name, k->e->residual_acceleration, scale_of_accelerations(k),
        k->spinning                   ? ""
        : k->e->relax || k->e->moving ? ", or start closer to the equilibrium"
                                      : ", start closer to the equilibrium, or use `klingel "
                                        "statics --relax`",
        k->spinning
            ? ", and start wheels that roll near the middle of their track, at the height of their "
              "radius, with the speed of the vehicle"
        : !k->e->moving
            ? (moves_at_the_start(m) ? ". The model moves at the start: `klingel statics --moving` "
                                       "finds its steady motion"
                                     : "")
        : kl_body_deforms(&m->body[k->e->residual_body])
            ? ". The deformation under a steady rotation is computed with `start: static` of the "
              "body"
            : ". A steady rotation about an axis (a conical pendulum, a rotating governor) is not "
              "searched for; start the model in the steady motion");
}

/* Growing motions about the equilibrium, named. */
static void judge(search *k, kl_diag *diag)
{
    int          most  = k->e->judged > 0 ? k->e->judged : 900;
    kl_linear   *l     = NULL;
    kl_spectrum *s     = NULL;
    kl_diag     *quiet = kl_diag_create();
    k->e->unstable     = -1;
    if (k->m->nv <= most && quiet && kl_linearize(k->x, NULL, quiet, &l) == KL_OK &&
        kl_spectrum_find(k->x, l, true, quiet, &s) == KL_OK) {
        k->e->unstable = s->unstable;
        for (int i = 0; i < s->n && s->unstable; i++) {
            const kl_eigenmode *mode = &s->mode[i];
            if (mode->neutral || mode->re <= 0.0 || mode->im < 0.0) continue;
            kl_warn(diag, KL_NOWHERE,
                    "the equilibrium is unstable: the motion '%s' grows by a factor of e in %.3g s",
                    mode->text, 1.0 / mode->re);
            break;
        }
    }
    kl_spectrum_destroy(s);
    kl_linear_destroy(l);
    kl_diag_destroy(quiet);
}

/* Accelerations that the forces would give without joints: what rounding is to be compared with
 * where joints carry the whole load and there is no gravity. */
static double acceleration_without_joints(search *k)
{
    const kl_model *m = k->m;
    kl_eval_residual(m, k->x->w, NULL, NULL, k->step);
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        for (int j = 0; j < b->nv; j++) {
            double mass       = k->x->w->M[b->M + j * (b->nv + 1)];
            k->step[b->v + j] = mass > 0.0 ? k->step[b->v + j] / mass : 0.0;
        }
    }
    return kl_increment_norm(m, k->step, NULL);
}

static double acceleration_scale(search *k)
{
    const double    rounding = 1e-8, nothing = 1e-14; /* [1/s2]: a length in a hundred days */
    const kl_model *m = k->m;
    double          g = kl_norm(m->gravity) / m->length, most = kl_increment_norm(m, k->a, NULL);
    most = fmax(most, rounding * acceleration_without_joints(k));
    return fmax(g, most > nothing ? most : 1.0);
}

/* Largest entry on the diagonal of the tangent over the mass that it moves: of the nodes of finite
 * elements alone (`nodes`), or of all bodies. With their stiffness [1/s2] the acceleration that a change
 * of place by one length gives; with their damping [1/s] that of a change of velocity, for example by the
 * creep of a wheel. */
static double steepest(search *k, kl_weights weights, bool nodes)
{
    const kl_model *m     = k->m;
    double          most  = 0.0;
    int             parts = nodes ? m->ncompound : 1;
    kl_assembler   *p     = parts > 0 ? kl_assembler_create(m, KL_COUPLED_BY_CONSTRAINTS) : NULL;
    if (!p) return 0.0;
    kl_assemble_matrix(m, k->x->s, k->x->w, p, weights, NULL, NULL, NULL);
    for (int c = 0; c < parts; c++) {
        int first = nodes ? m->compound[c].body : 0, n = nodes ? m->compound[c].nbody : m->nbody;
        for (const kl_body *b = m->body + first; b < m->body + first + n; b++)
            for (int j = 0; j < b->nv; j++) {
                double mass = k->x->w->M[b->M + j * (b->nv + 1)];
                if (mass > 0.0) most = fmax(most, fabs(p->values[p->diagonal[b->v + j]]) / mass);
            }
    }
    kl_assembler_destroy(p);
    return most;
}

/* Acceleration that rounding alone gives a flexible or rolling body, like residual_acceleration: a model
 * that nothing loads knows no other. Eight elements with eight nodes each meet in a node, and a consistent
 * mass gives up to eight times the acceleration of the lumped one. */
static double rounding(search *k)
{
    const double    share = 8.0 * 8.0 * 8.0;
    const kl_model *m     = k->m;
    double          speed = kl_increment_norm(m, k->x->s->v, NULL);
    double          most  = share * steepest(k, (kl_weights){.stiffness = 1.0}, true);
    /* of the velocities, where there are any */
    if (speed > 0.0) most = fmax(most, speed * steepest(k, (kl_weights){.damping = 1.0}, false));
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        size_t         n = (size_t)b->nv;
        double        *K = b->type->own_force ? calloc(2 * n * n + n, sizeof(double)) : NULL;
        if (!K) continue;
        b->type->own_force(b->data, k->x->w->cache + b->cache, K + 2 * n * n, K, K + n * n);
        for (size_t j = 0; j < n; j++) {
            double mass = k->x->w->M[(size_t)b->M + j * (n + 1)];
            if (mass > 0.0) most = fmax(most, fabs(K[j * (n + 1)]) / mass);
        }
        free(K);
    }
    return DBL_EPSILON * most / k->rate;
}

static kl_status search_create(kl_solver *x, kl_equilibrium *e, search *k)
{
    const kl_model *m = x->model;
    *k                = (search){.x = x, .m = m, .e = e, .arena = kl_arena_create()};
    k->a              = kl_arena_array(k->arena, double, m->nv + 1);
    k->force          = kl_arena_array(k->arena, double, m->nv + 1);
    k->dx             = kl_arena_array(k->arena, double, m->nv + 1);
    k->dz             = kl_arena_array(k->arena, double, m->nz + 1);
    k->step           = kl_arena_array(k->arena, double, m->nv + 1);
    k->held           = kl_arena_array(k->arena, double, m->nv + 1);
    k->spin           = kl_arena_array(k->arena, double, m->nbody + 1);
    for (int i = 0; i < m->nbody; i++) k->spinning |= spin_rate(k, &m->body[i]) != 0.0;
    k->kept = kl_state_create(m);
    k->K    = kl_matrix_create(m, KL_COUPLED_BY_CONSTRAINTS);
    return kl_arena_ok(k->arena) && k->kept && k->K ? KL_OK : KL_E_MEMORY;
}

/* Is the motion steady already, in axes that turn with it? The search itself works in axes at rest.
 */
static bool is_steady_rotation(search *k)
{
    kl_solver   *x      = k->x;
    const double enough = 1e-6;
    if (!k->e->moving || kl_solve_acceleration(x, x->a, x->lambda, NULL) != KL_OK) return false;
    k->e->omega = kl_steady_rotation_find(x);
    if (!(kl_norm(k->e->omega) > 0.0)) return false;
    k->rate = fmax(k->rate, kl_dot(k->e->omega, k->e->omega)); /* that of going round */
    kl_steady_rotation_residual(x, k->e->omega, k->a);
    return residual_acceleration(k) <= enough;
}

/* Or is it, once flexible bodies are bent as their spin has it? Else nothing has changed. */
static bool goes_round_bent(search *k)
{
    const kl_model *m        = k->m;
    bool            flexible = false;
    for (int i = 0; i < m->nbody; i++) flexible |= kl_body_deforms(&m->body[i]);
    if (!k->e->moving || !flexible) return false;
    kl_state_copy(k->kept, k->x->s);
    if (kl_deform_statically(k->x) == KL_OK && is_steady_rotation(k)) return true;
    kl_state_copy(k->x->s, k->kept);
    (void)evaluate_accelerations(k);
    return false;
}

kl_status kl_find_equilibrium(kl_solver *x, kl_equilibrium *e, kl_diag *diag)
{
    const kl_model *m = x->model;
    search          k;
    kl_status       status = search_create(x, e, &k);
    e->iterations = e->peaks = e->residual_body = 0;
    if (status == KL_OK) {
        if (!e->moving) memset(x->s->v, 0, (size_t)m->nv * sizeof(double));
        status = evaluate_accelerations(&k);
        if (status == KL_RETRY || status == KL_E_SINGULAR || status == KL_E_NAN)
            status = kl_solve_acceleration(x, x->a, x->lambda, diag); /* says why */
    }
    if (status == KL_OK) {
        k.rate            = acceleration_scale(&k);
        bool      round   = is_steady_rotation(&k) || goes_round_bent(&k);
        bool      resting = !e->moving || kl_increment_norm(m, x->s->v, NULL) == 0.0;
        kl_state *start   = kl_state_create(m);
        if (!start) status = KL_E_MEMORY;
        else kl_state_copy(start, x->s);
        if (!round && start) {
            e->omega = (kl_vec3){0};
            status   = e->relax && !e->moving ? KL_RETRY
                       : k.spinning           ? newton_moving(&k)
                                              : newton(&k);
            if (status == KL_RETRY && e->moving) {
                kl_state_copy(x->s, start);
                status = k.spinning ? newton(&k) : newton_moving(&k);
            }
            if (status == KL_RETRY && k.spinning) {
                kl_state_copy(x->s, start);
                status = creep_to_rest(&k);
            }
        }
        /* from the place that Newton reached, and if that fails from the start: Newton may have left a
         * position of a linkage from which no equilibrium can be reached */
        for (int try = 0; try < 2 && status != KL_OK && status != KL_E_MEMORY && resting; try++) {
            if (try == 1) kl_state_copy(x->s, start);
            e->peaks = 0;
            status   = relax(&k, diag);
            if (status == KL_OK) status = newton(&k);
        }
        kl_state_destroy(start);
        e->residual_acceleration = residual_acceleration(&k);
        /* rounding may keep the last steps from shrinking: at rest is at rest */
        double noise = e->residual_acceleration > 1e-9 ? rounding(&k) : 0.0;
        if (status == KL_RETRY &&
            e->residual_acceleration <= fmax(e->moving ? STILL_MOVING : 1e-9, noise))
            status = KL_OK;
        if (status == KL_OK && e->residual_acceleration > fmax(1e-6, noise)) status = KL_RETRY;
        if (status != KL_OK && status != KL_E_MEMORY) status = not_found(&k, diag);
    }
    if (status == KL_OK) {
        judge(&k, diag);
        if (!(kl_norm(e->omega) > 0.0)) { /* multipliers at rest: judge() lets the drivers move */
            status = evaluate_accelerations(&k);
            memset(x->a, 0, (size_t)m->nv * sizeof(double));
        }
    }
    kl_matrix_destroy(k.K);
    kl_state_destroy(k.kept);
    kl_arena_destroy(k.arena);
    return status;
}
