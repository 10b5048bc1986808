#include "solve/index1.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double slowest = 1e-2; /* 1/s: below this pace a motion counts as rest */

static double *y_v(const kl_index1 *i, double *y) { return y + i->x->model->nq; }

static void *point_create(kl_arena *arena, kl_point *p, int n)
{
    p->y  = kl_arena_array(arena, double, n);
    p->dy = kl_arena_array(arena, double, n);
    return p->dy;
}

/* All mass that moves [kg]. */
static double mass_of(const kl_solver *x)
{
    const kl_model *m   = x->model;
    double          sum = 0.0;
    for (int k = 0; k < m->nbody; k++) {
        kl_measures of = {0};
        m->body[k].type->measures(m->body[k].data, kl_work_cache(m, x->w, k), &of);
        if (m->body[k].nv > 0) sum += of.mass;
    }
    return sum;
}

kl_status kl_index1_create(kl_solver *x, kl_index1 **out)
{
    const kl_model *m     = x->model;
    kl_arena       *arena = kl_arena_create();
    kl_index1      *i     = kl_arena_array(arena, kl_index1, 1);
    *out                  = NULL;
    if (!i) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    i->x         = x;
    i->arena     = arena;
    i->n         = m->nq + m->nv + m->nz + 2;
    i->tolerance = x->tolerance;
    i->floor     = 1e-12;
    i->near      = kl_index1_near(i->tolerance);
    i->a         = kl_arena_array(arena, double, m->nv + 1);
    i->lambda    = kl_arena_array(arena, double, m->nlam + 1);
    i->dx        = kl_arena_array(arena, double, m->nv + 1);
    i->mix       = kl_arena_array(arena, double, i->n);
    for (int k = 0; k < 3; k++) i->trial[k] = kl_arena_array(arena, double, i->n);
    i->on      = kl_arena_array(arena, double, i->n);
    i->ahead   = kl_arena_array(arena, double, (size_t)KL_INDEX1_NODES *(size_t)(i->n + m->nv));
    i->firm    = kl_matrix_create(m, KL_COUPLED_BY_MASS);
    i->z_scale = kl_arena_array(arena, double, m->nz + 1);
    i->more    = kl_arena_array(arena, double, m->nq + 1);
    i->less    = kl_arena_array(arena, double, m->nq + 1);
    for (int k = 0; k < KL_INDEX1_POINTS; k++) {
        point_create(arena, &i->point[k], i->n);
        i->point[k].bend = kl_arena_array(arena, double, m->nq + 1);
    }
    point_create(arena, &i->known, i->n);
    i->s    = kl_state_create(m);
    i->mass = mass_of(x);
    if (!kl_arena_ok(arena) || !i->s || !i->firm) {
        kl_index1_destroy(i);
        return KL_E_MEMORY;
    }
    *out = i;
    return KL_OK;
}

void kl_index1_destroy(kl_index1 *i)
{
    if (!i) return;
    kl_state_destroy(i->s);
    kl_matrix_destroy(i->firm);
    kl_arena_destroy(i->arena); /* itself lives in it */
}

/* ---- y' = f(t, y) ---------------------------------------------------------------------------- */

static void settle_all(const kl_model *m, double *q)
{
    for (int k = 0; k < m->nbody; k++) {
        const kl_body *b = &m->body[k];
        if (b->type->settle) b->type->settle(b->data, q + b->q);
    }
}

void kl_index1_rates(const kl_model *m, const double *q, const double *v, double *q_dot)
{
    for (int k = 0; k < m->nbody; k++) {
        const kl_body *b = &m->body[k];
        if (b->type->rate) b->type->rate(b->data, q + b->q, v + b->v, q_dot + b->q);
        else memcpy(q_dot + b->q, v + b->v, (size_t)b->nq * sizeof *v);
    }
}

void kl_index1_speeds(const kl_model *m, const double *q, const double *q_dot, double *v)
{
    for (int k = 0; k < m->nbody; k++) {
        const kl_body *b = &m->body[k];
        if (b->type->speed) b->type->speed(b->data, q + b->q, q_dot + b->q, v + b->v);
        else memcpy(v + b->v, q_dot + b->q, (size_t)b->nv * sizeof *v);
    }
}

/* The state at y: bodies on their own manifolds. */
static void unpack(const kl_index1 *i, double t, const double *y, kl_state *s)
{
    const kl_model *m = i->x->model;
    s->t              = t;
    memcpy(s->q, y, (size_t)m->nq * sizeof *y);
    memcpy(s->v, y + m->nq, (size_t)m->nv * sizeof *y);
    memcpy(s->z, y + m->nq + m->nv, (size_t)m->nz * sizeof *y);
    settle_all(m, s->q);
}

static kl_status factor(kl_index1 *i)
{
    kl_solver *x         = i->x;
    kl_weights only_mass = {.mass = 1.0, .state = 1.0};
    i->factorizations++;
    return kl_matrix_factor(x->model, i->s, x->w, x->matrix, only_mass, NULL, NULL, NULL);
}

/* a and lambda at the evaluated state, with the factored matrix. */
kl_status kl_index1_accelerate(kl_index1 *i)
{
    kl_solver      *x     = i->x;
    const kl_model *m     = x->model;
    double         *gamma = x->y + m->nv + m->nz;
    kl_eval_residual(m, x->w, NULL, NULL, x->y);
    for (int k = 0; k < m->nv; k++) x->y[k] = -x->y[k];
    memset(x->y + m->nv, 0, (size_t)m->nz * sizeof(double));
    kl_eval_gamma(m, x->w, gamma);
    if (i->baumgarte > 0.0) {
        double b = i->baumgarte;
        kl_eval_rate(m, x->w, x->rate);
        for (int k = 0; k < m->nlam; k++) gamma[k] -= 2.0 * b * x->rate[k] + b * b * x->w->phi[k];
    }
    /* two passes: what eps = 1e-10 leaves is below rounding where constraints hold firmly; where
     * they hold weakly, more passes would only raise what is not smooth */
    KL_TRY(kl_matrix_solve_passes(x->matrix, x->y, 2));
    memcpy(i->a, x->y, (size_t)m->nv * sizeof(double));
    memcpy(i->lambda, gamma, (size_t)m->nlam * sizeof(double));
    if (kl_index1_weak(i)) i->careful = 20, i->passed = 0.0;
    return KL_OK;
}

/* dy from what was evaluated at y. */
static void pack_rate(const kl_index1 *i, const double *y, double *dy)
{
    const kl_model *m = i->x->model;
    const kl_work  *w = i->x->w;
    kl_index1_rates(m, y, y + m->nq, dy);
    memcpy(dy + m->nq, i->a, (size_t)m->nv * sizeof *dy);
    memcpy(dy + m->nq + m->nv, w->z_dot, (size_t)m->nz * sizeof *dy);
    double loss = kl_eval_loss(m, w), supply = 0.0;
    for (int k = 0; k < m->nelement; k++) supply += w->supply[k];
    for (int k = 0; k < m->nlam; k++) supply += i->lambda[k] * w->phi_t[k];
    dy[i->n - 2] = loss;
    dy[i->n - 1] = supply;
}

kl_status kl_index1_evaluate(kl_index1 *i, double t, const double *y)
{
    unpack(i, t, y, i->s);
    i->evaluations++;
    return kl_eval(i->x->model, i->s, i->x->w);
}

/* Is f to be evaluated on the constraints? */
static bool is_evaluated_on_constraints(const kl_index1 *i) { return i->always || i->careful > 0; }

/* ---- constraints ----------------------------------------------------------------------------- */

static double size_of(const double *x, int n)
{
    double largest = 0.0;
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(x[k]));
    return largest;
}

/* The smallest change, weighted by the mass, that takes `gap` away, into i->dx. False: the change
 * is out of proportion, as near a singular position, where a later step does it with less. */
static bool correction(kl_index1 *i, const double *gap, double size)
{
    kl_solver      *x    = i->x;
    const kl_model *m    = x->model;
    const double    most = 1e3; /* so much more than the gap a change may be */
    memset(x->y, 0, (size_t)(m->nv + m->nz) * sizeof(double));
    for (int k = 0; k < m->nlam; k++) x->y[m->nv + m->nz + k] = -gap[k];
    if (kl_matrix_solve(x->matrix, x->y) != KL_OK) return false;
    memcpy(i->dx, x->y, (size_t)m->nv * sizeof(double));
    return kl_increment_norm(m, i->dx, NULL) <= most * size;
}

void kl_index1_advance(const kl_model *m, const double *dx, double *q)
{
    for (int k = 0; k < m->nbody; k++) {
        const kl_body *b = &m->body[k];
        b->type->advance(b->data, q + b->q, dx + b->v, q + b->q);
    }
}

/* Brings y onto the constraints; leaves the elements evaluated and the matrix factored there. */
kl_status kl_index1_project_onto_constraints(kl_index1 *i, double t, double *y)
{
    kl_solver      *x     = i->x;
    const kl_model *m     = x->model;
    const double    worth = is_evaluated_on_constraints(i) ? 4e-16 : 1e-14;
    double length = fmin(m->length, 1.0); /* a constraint is a length, an angle or a cosine */
    KL_TRY(kl_index1_evaluate(i, t, y));
    KL_TRY(factor(i));
    memcpy(y, i->s->q, (size_t)m->nq * sizeof *y);

    /* far below the tolerance: what is left off the constraints acts with a pole at singular
     * positions, and mechanisms were seen to leave their branch there */
    const int passes = is_evaluated_on_constraints(i) ? 6 : 3;
    for (int pass = 0; pass < passes && m->nlam > 0; pass++) {
        double gap = size_of(x->w->phi, m->nlam) / length;
        if (gap <= worth || !correction(i, x->w->phi, gap)) break;
        kl_index1_advance(m, i->dx, y);
        KL_TRY(kl_index1_evaluate(i, t, y));
        if (is_evaluated_on_constraints(i) && gap > 1e-9) KL_TRY(factor(i));
    }
    /* masses too unequal for this matrix, or no position left that closes: better none than wrong
     */
    const double hopeless = 1e-6;
    if (size_of(x->w->phi, m->nlam) / length > hopeless) return KL_RETRY;
    for (int pass = 0; pass < (is_evaluated_on_constraints(i) ? 2 : 1); pass++) {
        kl_eval_rate(m, x->w, x->rate);
        double rate = size_of(x->rate, m->nlam) / length;
        if (rate <= worth * i->pace || !correction(i, x->rate, rate)) break;
        double *v = y_v(i, y);
        for (int k = 0; k < m->nv; k++) v[k] += i->dx[k];
        KL_TRY(kl_index1_evaluate(i, t, y));
    }
    return KL_OK;
}

static kl_status plain_rate(kl_index1 *i, double t, const double *y, double *dy)
{
    KL_TRY(kl_index1_evaluate(i, t, y));
    KL_TRY(factor(i));
    KL_TRY(kl_index1_accelerate(i));
    pack_rate(i, y, dy);
    return KL_OK;
}

/* y onto the constraints but for directions that they hardly hold: in a singular position they say
 * nothing about those but rounding errors, magnified. */
kl_status kl_index1_project_regularised(kl_index1 *i, double t, double *y)
{
    kl_matrix_soften(i->x->matrix, KL_INDEX1_SOFTEST);
    kl_status status = kl_index1_project_onto_constraints(i, t, y);
    kl_matrix_soften(i->x->matrix, KL_INDEX1_SOFT);
    return status;
}

/* a and lambda at i->on, the point of the constraints nearest to y. */
static kl_status accelerate_on(kl_index1 *i, double t, const double *y)
{
    memcpy(i->on, y, (size_t)i->n * sizeof *y);
    KL_TRY(kl_index1_project_onto_constraints(i, t, i->on));
    return kl_index1_accelerate(i);
}

/* f near a singular position: at the nearest point of the constraints, where f is smooth (stages
 * and predictors are off by more than the pole there would bear), or across it. */
static kl_status rate_near_singularity(kl_index1 *i, double t, const double *y, double *dy)
{
    KL_TRY(accelerate_on(i, t, y));
    if (kl_index1_weak(i) && kl_index1_across(i, t, y) != KL_OK) {
        if (!i->always) return plain_rate(i, t, y, dy);
        KL_TRY(accelerate_on(i, t, y));
    }
    pack_rate(i, i->on, dy);
    return KL_OK;
}

/* f, whatever the position. */
static kl_status rate_anywhere(kl_index1 *i, double t, const double *y, double *dy)
{
    bool careful = is_evaluated_on_constraints(i) && i->baumgarte == 0.0;
    return careful ? rate_near_singularity(i, t, y, dy) : plain_rate(i, t, y, dy);
}

kl_status kl_index1_settle(kl_index1 *i, double t, const double *y)
{
    i->known.t = NAN;
    KL_TRY(rate_anywhere(i, t, y, i->known.dy));
    i->known.t = t;
    memcpy(i->known.y, y, (size_t)i->n * sizeof *y);
    return KL_OK;
}

/* Does the projection leave out what the constraints hardly hold at y? */
static bool is_soft(kl_index1 *i, double t, const double *y)
{
    if (i->blocked > 0) return false;
    if (i->always) return true;
    return i->careful > 0 && plain_rate(i, t, y, i->known.dy) == KL_OK && kl_index1_weak(i);
}

kl_status kl_index1_project(kl_index1 *i, double t, double *y)
{
    bool soft  = is_soft(i, t, y);
    i->known.t = NAN;
    KL_TRY(soft ? kl_index1_project_regularised(i, t, y)
                : kl_index1_project_onto_constraints(i, t, y));
    KL_TRY(kl_index1_settle(i, t, y));
    if (!soft || i->blocked == 0) return KL_OK;
    KL_TRY(kl_index1_project_onto_constraints(i, t, y)); /* there was no way across */
    return kl_index1_settle(i, t, y);
}

kl_status kl_index1_rate(kl_index1 *i, double t, const double *y, double *dy)
{
    if (t == i->known.t && memcmp(y, i->known.y, (size_t)i->n * sizeof *y) == 0) {
        memcpy(dy, i->known.dy, (size_t)i->n * sizeof *dy);
        return KL_OK;
    }
    kl_status status = rate_anywhere(i, t, y, dy);
    if (status == KL_OK) return KL_OK;
    i->failed = true;
    for (int k = 0; k < i->n; k++) dy[k] = 1e12;
    return status == KL_E_MEMORY ? status : KL_RETRY;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void update_rate_scale(kl_index1 *i)
{
    const kl_model *m = i->x->model;
    double now = fmax(kl_increment_norm(m, i->s->v, NULL), sqrt(kl_increment_norm(m, i->a, NULL)));
    i->pace    = fmax(fmax(now, 0.5 * i->pace), slowest);
    for (int k = 0; k < m->nz; k++) i->z_scale[k] = fmax(i->z_scale[k], fabs(i->s->z[k]));
}

static void keep_point(kl_index1 *i)
{
    kl_point oldest = i->point[KL_INDEX1_POINTS - 1];
    for (int k = KL_INDEX1_POINTS - 1; k > 0; k--) i->point[k] = i->point[k - 1];
    oldest.t = i->known.t;
    memcpy(oldest.y, i->known.y, (size_t)i->n * sizeof(double));
    memcpy(oldest.dy, i->known.dy, (size_t)i->n * sizeof(double));
    oldest.bent = false;
    i->point[0] = oldest;
    if (i->npoint < KL_INDEX1_POINTS) i->npoint++;
    i->nchosen = 0;
}

kl_status kl_index1_begin(kl_index1 *i, double *y)
{
    kl_solver      *x = i->x;
    const kl_model *m = x->model;
    memcpy(y, x->s->q, (size_t)m->nq * sizeof *y);
    memcpy(y + m->nq, x->s->v, (size_t)m->nv * sizeof *y);
    memcpy(y + m->nq + m->nv, x->s->z, (size_t)m->nz * sizeof *y);
    kl_state_copy(i->s, x->s);
    kl_matrix_invalidate(x->matrix);
    kl_matrix_soften(x->matrix, KL_INDEX1_SOFT);
    y[i->n - 2] = y[i->n - 1] = 0.0;
    i->begun                  = true;
    i->npoint = i->careful = i->blocked = 0;
    i->total                            = NAN;
    i->usual                            = HUGE_VAL;
    i->pace                             = 0.0;
    memset(i->z_scale, 0, (size_t)m->nz * sizeof(double));
    memset(i->known.y, 0, (size_t)i->n * sizeof(double));
    i->known.t = NAN;
    KL_TRY(kl_index1_rate(i, x->s->t, y, i->known.dy));
    i->known.t = x->s->t;
    memcpy(i->known.y, y, (size_t)i->n * sizeof *y);
    i->usual = kl_matrix_weakness(x->matrix);
    update_rate_scale(i);
    keep_point(i);
    return KL_OK;
}

void kl_index1_back(kl_index1 *i, double *y, bool begun)
{
    const kl_model *m      = i->x->model;
    kl_point        newest = i->point[0];
    for (int k = 0; k + 1 < KL_INDEX1_POINTS; k++) i->point[k] = i->point[k + 1];
    i->point[KL_INDEX1_POINTS - 1] = newest;
    i->npoint--;
    i->nchosen = 0;
    i->begun   = begun;
    i->known.t = i->point[0].t;
    memcpy(i->known.y, i->point[0].y, (size_t)i->n * sizeof(double));
    memcpy(i->known.dy, i->point[0].dy, (size_t)i->n * sizeof(double));
    memcpy(y, i->known.y, (size_t)i->n * sizeof *y);
    memcpy(i->a, i->known.dy + m->nq, (size_t)m->nv * sizeof *i->a);
}

void kl_index1_cut(kl_index1 *i)
{
    i->npoint = 0;
    keep_point(i);
}

double kl_index1_accept(kl_index1 *i, double t, const double *y, kl_statistics *count)
{
    kl_solver      *x = i->x;
    const kl_model *m = x->model;
    double          h = t - x->s->t;
    unpack(i, t, y, i->s);
    if (m->reads_reactions) kl_eval_totals(m, x->w, i->lambda);
    kl_commit_history(m, i->s, x->w, x->s->h);
    memcpy(i->s->h, x->s->h, (size_t)m->nh * sizeof(double));
    kl_state_copy(x->s, i->s);
    memcpy(x->a, i->a, (size_t)m->nv * sizeof(double));
    memcpy(x->lambda, i->lambda, (size_t)m->nlam * sizeof(double));
    update_rate_scale(i);
    keep_point(i);
    /* long steps leave the position behind sooner than short ones */
    i->passed += h * i->pace;
    if (i->careful > 0) i->careful = i->passed > 0.5 ? 0 : i->careful - 1;
    i->usual = fmin(i->usual, kl_matrix_weakness(x->matrix));
    if (i->begun) i->energy[0] = count->lost, i->energy[1] = count->supplied;
    i->begun        = false;
    count->lost     = i->energy[0] + y[i->n - 2];
    count->supplied = i->energy[1] + y[i->n - 1];
    count->evaluations += i->evaluations;
    count->factorizations += i->factorizations;
    i->evaluations = i->factorizations = 0;
    count->steps++;
    if (count->least_step == 0.0 || h < count->least_step) count->least_step = h;
    if (h > count->largest_step) count->largest_step = h;
    count->step = h;
    return h;
}

kl_status kl_index1_same_branch(kl_index1 *i, const kl_statistics *count, kl_diag *diag)
{
    kl_solver   *x     = i->x;
    const double share = 2e-2; /* of the kinetic energy: no few steps err by so much */
    kl_energy    e     = kl_eval_energy(x->model, x->w, i->lambda);
    double       total = e.kinetic + e.potential + count->lost - count->supplied;
    double       speed = x->model->length * i->pace, usual = 0.5 * i->mass * speed * speed;
    double       jump = fabs(total - i->total), gap = kl_solver_drift(x).position;
    if (i->careful == 0 || isnan(i->total)) i->total = total; /* before the passage */
    if (i->careful == 0 || !(jump > share * fmax(e.kinetic, 0.01 * usual))) return KL_OK;
    if (kl_dead_point(x, diag)) return KL_E_STEP;
    return kl_fail(diag, KL_E_STEP, KL_NOWHERE,
                   "stopped at t = %.9g s: the mechanism passed a singular position and changed "
                   "its branch: its energy changed by %.3g J (kinetic energy %.6g J), constraint "
                   "error %.3g m. Try `integrator: {type: runge-kutta}`, or `gear` with "
                   "`formulation: projection`, or a smaller `tolerance`",
                   x->s->t, jump, e.kinetic, gap);
}

kl_status kl_index1_accept_with(kl_index1 *i, double t, const double *y, const double *a,
                                const double *lambda, kl_statistics *count)
{
    const kl_model *m = i->x->model;
    KL_TRY(kl_index1_evaluate(i, t, y));
    memcpy(i->a, a, (size_t)m->nv * sizeof *a);
    memcpy(i->lambda, lambda, (size_t)m->nlam * sizeof *a);
    i->known.t = t;
    memcpy(i->known.y, y, (size_t)i->n * sizeof *y);
    pack_rate(i, y, i->known.dy);
    kl_index1_accept(i, t, y, count);
    return KL_OK;
}

void kl_index1_weights(kl_index1 *i, const double *y, double *weight)
{
    const kl_model *m = i->x->model;
    const double   *z = y + m->nq + m->nv;
    /* near singular positions no more than this is left of rounding errors, most of it in
     * directions that the next projections set right */
    double one =
        1.0 / (is_evaluated_on_constraints(i) ? fmax(i->tolerance, i->floor) : i->tolerance);
    for (int k = 0; k < m->nbody; k++) {
        const kl_body *b = &m->body[k];
        const double  *u = m->unit + b->v;
        for (int g = 0; g < b->ngroup; g++)
            for (int j = 0; j < b->group[g].nq; j++) {
                /* Euler parameters are more than turns, and all of them count alike */
                int v  = b->group[g].v + (b->group[g].nq == b->group[g].nv ? j : 0);
                int at = b->q + b->group[g].q + j;
                /* far from the origin no more is left than rounding errors of the coordinate */
                double round = 16.0 * DBL_EPSILON * fabs(y[at]);
                weight[at]   = 1.0 / fmax(u[v] / one, round);
            }
        for (int j = 0; j < b->nv; j++) weight[m->nq + b->v + j] = one / u[j] / i->pace;
    }
    for (int k = 0; k < m->nz; k++)
        weight[m->nq + m->nv + k] = one / kl_state_scale(m, k, fmax(i->z_scale[k], fabs(z[k])));
    /* energies are held loosely: errors of velocities as large as allowed make errors like these */
    double speed     = m->length * i->pace,
           energy    = 10.0 * i->tolerance * 0.5 * i->mass * speed * speed;
    weight[i->n - 2] = weight[i->n - 1] = 1.0 / fmax(energy, 1e-30);
}

double kl_index1_longest(const kl_index1 *i)
{
    double speed = kl_fastest_turn(i->x->model, i->s->v);
    return speed > 0.0 ? 1.0 / speed : HUGE_VAL;
}

double kl_index1_second_order_step(kl_index1 *i, double most)
{
    const kl_model *m = i->x->model;
    double          h = i->point[0].t - i->point[1].t, allowed = cbrt(0.5 * i->tolerance / 0.084);
    if (i->npoint < 2 || !(h > 0.0)) return fmin(most, allowed / i->pace);
    for (int k = 0; k < m->nv; k++)
        i->dx[k] = (i->point[0].dy[m->nq + k] - i->point[1].dy[m->nq + k]) / h;
    double jerk = kl_increment_norm(m, i->dx, NULL);
    return jerk > 0.0 ? fmin(most, allowed / cbrt(jerk)) : most;
}

/* ---- between the points ---------------------------------------------------------------------- */

/* Lagrange's polynomial of node k among n points at t, and its first two derivatives at the node. */
static double lagrange(const kl_index1 *i, const int *chosen, int n, int k, double t, double d[2])
{
    double at = i->point[chosen[k]].t, l = 1.0, sum = 0.0, squares = 0.0;
    for (int j = 0; j < n; j++) {
        if (j == k) continue;
        double other = i->point[chosen[j]].t, apart = at - other;
        l *= (t - other) / apart;
        sum += 1.0 / apart;
        squares += 1.0 / (apart * apart);
    }
    d[0] = sum;
    d[1] = sum * sum - squares;
    return l;
}

/* Hermite's basis from Lagrange's, x = t - t_k: (1 - 2 l' x) l^2 for values, x l^2 for slopes. */
static void basis(const kl_index1 *i, double t, double *value, double *slope)
{
    for (int k = 0; k < i->nchosen; k++) {
        double d[2], x = t - i->point[i->chosen[k]].t;
        double l = lagrange(i, i->chosen, i->nchosen, k, t, d);
        value[k] = (1.0 - 2.0 * d[0] * x) * l * l;
        slope[k] = x * l * l;
    }
}

/* The same with second derivatives: (1 - 3 l' x + (6 l'^2 - 3/2 l'') x^2) l^3, (1 - 3 l' x) x l^3 and
 * x^2/2 l^3. */
static void bending_basis(const kl_index1 *i, double t, double *value, double *slope, double *bend)
{
    for (int k = 0; k < i->nbending; k++) {
        double d[2], x = t - i->point[i->bending[k]].t;
        double l = lagrange(i, i->bending, i->nbending, k, t, d), l3 = l * l * l;
        value[k] = (1.0 - 3.0 * d[0] * x + (6.0 * d[0] * d[0] - 1.5 * d[1]) * x * x) * l3;
        slope[k] = (1.0 - 3.0 * d[0] * x) * x * l3;
        bend[k]  = 0.5 * x * x * l3;
    }
}

/* The two ends of the last step, then older points as long as errors are magnified by no more than
 * thirty in the middle of it. */
static void choose_points(kl_index1 *i)
{
    const double most = 30.0;
    double       value[KL_INDEX1_CHOSEN], slope[KL_INDEX1_CHOSEN], bend[KL_INDEX1_CHOSEN];
    double       middle = 0.5 * (i->point[0].t + i->point[i->npoint > 1].t), pace = i->pace;
    i->nchosen = i->nbending = 0;
    for (int k = 0; k < i->npoint; k++) {
        double sum = 0.0;
        if (i->nchosen < KL_INDEX1_CHOSEN) {
            i->chosen[i->nchosen++] = k;
            basis(i, middle, value, slope);
            for (int j = 0; j < i->nchosen; j++) sum += fabs(value[j]) + fabs(slope[j]) * pace;
            if (k > 1 && sum > most) i->nchosen--;
        }
        if (i->nbending == KL_INDEX1_CHOSEN) continue;
        i->bending[i->nbending++] = k;
        bending_basis(i, middle, value, slope, bend);
        sum = 0.0;
        for (int j = 0; j < i->nbending; j++)
            sum += fabs(value[j]) + fabs(slope[j]) * pace + fabs(bend[j]) * pace * pace;
        if (k > 1 && sum > most) i->nbending--;
    }
}

/* q'' of a point, with q' = R(q) v:  R(q) a + d/dt R(q) v at fixed v. R is linear in q for Euler
 * parameters, so that the difference is exact; for other coordinates it is of second order. */
static void find_bend(kl_index1 *i, kl_point *p)
{
    const kl_model *m = i->x->model;
    const double   *v = p->y + m->nq, *a = p->dy + m->nq;
    const double    tiny = 1e-3 / i->pace; /* s */
    if (p->bent) return;
    for (int k = 0; k < m->nq; k++) i->more[k] = p->y[k] + tiny * p->dy[k];
    kl_index1_rates(m, i->more, v, p->bend);
    for (int k = 0; k < m->nq; k++) i->more[k] = p->y[k] - tiny * p->dy[k];
    kl_index1_rates(m, i->more, v, i->less);
    kl_index1_rates(m, p->y, a, i->more);
    for (int k = 0; k < m->nq; k++)
        p->bend[k] = i->more[k] + (p->bend[k] - i->less[k]) / (2.0 * tiny);
    p->bent = true;
}

/* Positions at t into i->mix. */
static void mix_positions(kl_index1 *i, double t)
{
    double value[KL_INDEX1_CHOSEN], slope[KL_INDEX1_CHOSEN], bend[KL_INDEX1_CHOSEN];
    bending_basis(i, t, value, slope, bend);
    for (int k = 0; k < i->nbending; k++) {
        kl_point *p = &i->point[i->bending[k]];
        find_bend(i, p);
        for (int c = 0; c < i->x->model->nq; c++)
            i->mix[c] += value[k] * p->y[c] + slope[k] * p->dy[c] + bend[k] * p->bend[c];
    }
}

/* Components from..to-1 at t into i->mix, by values and slopes. */
static void mix_slopes(kl_index1 *i, double t, int from, int to)
{
    double value[KL_INDEX1_CHOSEN], slope[KL_INDEX1_CHOSEN];
    basis(i, t, value, slope);
    for (int k = 0; k < i->nchosen; k++) {
        const double *y = i->point[i->chosen[k]].y, *dy = i->point[i->chosen[k]].dy;
        for (int c = from; c < to; c++) i->mix[c] += value[k] * y[c] + slope[k] * dy[c];
    }
}

static void clear_mix(kl_index1 *i) { memset(i->mix, 0, (size_t)i->n * sizeof(double)); }

/* How far components from..to-1 of i->mix are from those of `last`, over the errors allowed; keeps them there. */
static double moved(const kl_index1 *i, const double *weight, double *last, int from, int to)
{
    double most = 0.0;
    for (int c = from; c < to; c++) {
        most    = fmax(most, weight[c] * fabs(i->mix[c] - last[c]));
        last[c] = i->mix[c];
    }
    return most;
}

/* Older points help where the motion was as smooth as in the last step. Behind a part that was not, such as brakes that
 * come on, they would bend the polynomial in a long step: a point is taken only if it changes the middle of the step by
 * less than the point before it did, or by less than the error that is allowed. */
static void leave_out_points(kl_index1 *i)
{
    const kl_model *m      = i->x->model;
    double         *weight = i->trial[0], *last = i->trial[1], *bent = i->trial[2];
    double          middle, before = HUGE_VAL;
    int             count = i->nchosen, bending = i->nbending;
    if (i->npoint < 2) return;
    middle = 0.5 * (i->point[0].t + i->point[1].t);
    kl_index1_weights(i, i->point[0].y, weight);
    for (int c = 0; c < i->n; c++) last[c] = 0.5 * (i->point[0].y[c] + i->point[1].y[c]);
    for (int n = 2; n <= count; n++) {
        i->nchosen = n;
        clear_mix(i);
        mix_slopes(i, middle, n == 2 ? 0 : m->nq, i->n);
        if (n == 2) memcpy(bent, i->mix, (size_t)m->nq * sizeof *bent);
        double change = moved(i, weight, last, m->nq, i->n);
        if (n > 2 && change > fmax(before, 1.0)) {
            i->nchosen = n - 1;
            break;
        }
        before = change;
    }
    before = HUGE_VAL;
    for (int n = 2; n <= bending; n++) {
        i->nbending = n;
        clear_mix(i);
        mix_positions(i, middle);
        double change = moved(i, weight, bent, 0, m->nq);
        if (n > 2 && change > fmax(before, 1.0)) {
            i->nbending = n - 1;
            break;
        }
        before = change;
    }
}

void kl_index1_interpolate(kl_index1 *i, double t, kl_state *s, double energy[2])
{
    if (i->nchosen == 0) {
        choose_points(i);
        leave_out_points(i);
    }
    clear_mix(i);
    mix_positions(i, t);
    mix_slopes(i, t, i->x->model->nq, i->n);
    kl_index1_state(i, t, i->mix, s, energy);
}

void kl_index1_state(const kl_index1 *i, double t, const double *y, kl_state *s, double energy[2])
{
    kl_state_copy(s, i->x->s);
    unpack(i, t, y, s);
    for (int k = 0; k < 2; k++) energy[k] = i->energy[k] + y[i->n - 2 + k];
}
