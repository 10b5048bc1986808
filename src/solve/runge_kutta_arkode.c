/* Explicit Runge-Kutta pair of order 8(7) on the index 1 equations, with the constraints met by
 * projection after each step. For smooth motion without stiff forces. The door to ARKODE.
 *
 * Elements carry their histories from step to step by rules of second order, such as the elastic gap of
 * friction, g + (u_0 + u) h/2. Both solutions of the pair use the same history, so their difference does
 * not contain the error of these rules. Where such histories decide (path_dependent), steps are therefore
 * no longer than those in which a method of second order would be within the tolerance.
 *
 * The pair is RK8(7)13M of Prince and Dormand 1981 (J. Comput. Appl. Math. 7, 67-75). ARKODE's own
 * pair of this order, Fehlberg's, sees no error at all where forces depend on time alone. */
#include <arkode/arkode_erkstep.h>
#include <math.h>
#include <string.h>

#include "solve/index1.h"
#include "solve/sundials.h"

enum { STAGES = 13 };

/* clang-format off */
static const double table_c[STAGES] = {
    0.0, 1.0/18, 1.0/12, 1.0/8, 5.0/16, 3.0/8, 59.0/400, 93.0/200, 5490023248.0/9719169821.0,
    13.0/20, 1201146811.0/1299019798.0, 1.0, 1.0};
static const double table_a[STAGES][STAGES] = {
    {0.0},
    {1.0/18},
    {1.0/48, 1.0/16},
    {1.0/32, 0.0, 3.0/32},
    {5.0/16, 0.0, -75.0/64, 75.0/64},
    {3.0/80, 0.0, 0.0, 3.0/16, 3.0/20},
    {29443841.0/614563906, 0.0, 0.0, 77736538.0/692538347, -28693883.0/1125000000,
     23124283.0/1800000000},
    {16016141.0/946692911, 0.0, 0.0, 61564180.0/158732637, 22789713.0/633445777,
     545815736.0/2771057229.0, -180193667.0/1043307555},
    {39632708.0/573591083, 0.0, 0.0, -433636366.0/683701615, -421739975.0/2616292301.0,
     100302831.0/723423059, 790204164.0/839813087, 800635310.0/3783071287.0},
    {246121993.0/1340847787, 0.0, 0.0, -37695042795.0/15268766246.0, -309121744.0/1061227803,
     -12992083.0/490766935, 6005943493.0/2108947869.0, 393006217.0/1396673457,
     123872331.0/1001029789},
    {-1028468189.0/846180014, 0.0, 0.0, 8478235783.0/508512852, 1311729495.0/1432422823,
     -10304129995.0/1701304382, -48777925059.0/3047939560.0, 15336726248.0/1032824649,
     -45442868181.0/3398467696.0, 3065993473.0/597172653},
    {185892177.0/718116043, 0.0, 0.0, -3185094517.0/667107341, -477755414.0/1098053517,
     -703635378.0/230739211, 5731566787.0/1027545527, 5232866602.0/850066563,
     -4093664535.0/808688257, 3962137247.0/1805957418, 65686358.0/487910083},
    {403863854.0/491063109, 0.0, 0.0, -5068492393.0/434740067, -411421997.0/543043805,
     652783627.0/914296604, 11173962825.0/925320556, -13158990841.0/6184727034.0,
     3936647629.0/1978049680, -160528059.0/685178525, 248638103.0/1413531060, 0.0}};
static const double table_b[STAGES] = {
    14005451.0/335480064, 0.0, 0.0, 0.0, 0.0, -59238493.0/1068277825, 181606767.0/758867731,
    561292985.0/797845732, -1041891430.0/1371343529, 760417239.0/1151165299, 118820643.0/751138087,
    -528747749.0/2220607170.0, 0.25};
static const double table_d[STAGES] = {
    13451932.0/455176623, 0.0, 0.0, 0.0, 0.0, -808719846.0/976000145, 1757004468.0/5645159321.0,
    656045339.0/265891186, -3867574721.0/1518517206, 465885868.0/322736535, 53011238.0/667516719,
    2.0/45, 0.0};
/* clang-format on */

typedef struct runge_kutta {
    kl_index1 *ode;
    SUNContext context;
    N_Vector   y;
    void      *ark;
    double     h;      /* length of the step that it would take next [s] */
    double     want;   /* the same before the last step */
    bool       resume; /* ARKODE must be informed: an event made the last step short */
    double     carry;  /* longest step for the rules of histories [s] */
    bool       path;   /* histories decide: an element is path-dependent */
    double    *lambda; /* multipliers before the last step */
    bool       first;  /* the last step was the first one since the start */
    bool bends; /* accelerations have a corner at its end: polynomials between points begin there */
} runge_kutta;

static int rk_rate(realtype t, N_Vector y, N_Vector dy, void *self)
{
    runge_kutta *r = self;
    kl_status    s = kl_index1_rate(r->ode, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    return s == KL_E_MEMORY ? -1 : 0; /* values too large make the error test fail: no other way */
}

static int rk_project(realtype t, N_Vector y, void *self)
{
    runge_kutta *r = self;
    return kl_index1_project(r->ode, t, N_VGetArrayPointer(y)) == KL_OK ? 0 : -1;
}

static int rk_weights(N_Vector y, N_Vector weight, void *self)
{
    runge_kutta *r = self;
    kl_index1_weights(r->ode, N_VGetArrayPointer(y), N_VGetArrayPointer(weight));
    return 0;
}

static int rk_longest(N_Vector y, realtype t, realtype *h, void *self)
{
    (void)y, (void)t;
    *h = fmin(kl_index1_longest(((runge_kutta *)self)->ode), 1e30);
    return 0;
}

static void rk_destroy(void *self)
{
    runge_kutta *r = self;
    if (!r) return;
    kl_index1 *ode = r->ode;
    if (r->ark) ERKStepFree(&r->ark);
    if (r->y) N_VDestroy(r->y);
    if (r->context) SUNContext_Free(&r->context);
    kl_index1_destroy(ode); /* its arena holds `r` */
}

static int set_table(void *ark)
{
    double c[STAGES], b[STAGES], d[STAGES], a[STAGES * STAGES];
    for (int i = 0; i < STAGES; i++) {
        c[i] = table_c[i], b[i] = table_b[i], d[i] = table_d[i];
        for (int j = 0; j < STAGES; j++) a[i * STAGES + j] = table_a[i][j];
    }
    ARKodeButcherTable table = ARKodeButcherTable_Create(STAGES, 8, 7, c, a, b, d);
    if (!table) return -1;
    int flag = ERKStepSetTable(ark, table); /* copies */
    ARKodeButcherTable_Free(table);
    return flag;
}

static int configure(runge_kutta *r, const kl_settings *s)
{
    int flag = ERKStepSetUserData(r->ark, r);
    flag |= ERKStepSetErrHandlerFn(r->ark, kl_sundials_silence, NULL);
    flag |= set_table(r->ark);
    flag |= ERKStepWFtolerances(r->ark, rk_weights);
    flag |= ERKStepSetPostprocessStepFn(r->ark, rk_project);
    flag |= ERKStepSetInterpolantType(r->ark, ARK_INTERP_LAGRANGE); /* cheapest: not used */
    flag |= ERKStepSetStabilityFn(r->ark, rk_longest, r);
    flag |= ERKStepSetCFLFraction(r->ark, 0.99);
    flag |= ERKStepSetMaxErrTestFails(r->ark, 50);
    flag |= ERKStepSetMaxNumSteps(r->ark, -1);
    flag |= ERKStepSetMaxGrowth(r->ark, 3.0);
    flag |= ERKStepSetMaxFirstGrowth(r->ark, 5.0);
    if (!isnan(s->max_step)) flag |= ERKStepSetMaxStep(r->ark, s->max_step);
    return flag;
}

static kl_status rk_create(kl_solver *x, void **self)
{
    kl_index1 *ode;
    *self = NULL;
    KL_TRY(kl_index1_create(x, &ode));
    runge_kutta *r = kl_arena_array(ode->arena, runge_kutta, 1);
    if (!r) {
        kl_index1_destroy(ode);
        return KL_E_MEMORY;
    }
    r->ode     = ode;
    r->lambda  = kl_arena_array(ode->arena, double, x->model->nlam + 1);
    ode->floor = 1e-11;
    for (int k = 0; k < x->model->nelement; k++) r->path |= x->model->element[k].path_dependent;
    if (SUNContext_Create(NULL, &r->context) == 0) r->y = kl_sundials_vector(ode->n, r->context);
    if (r->y) r->ark = ERKStepCreate(rk_rate, 0.0, r->y, r->context);
    if (!r->ark || !r->lambda || configure(r, &x->model->settings) != 0) {
        rk_destroy(r);
        return KL_E_MEMORY;
    }
    *self = r;
    return KL_OK;
}

static kl_status rk_begin(void *self, kl_solver *x, kl_diag *diag)
{
    runge_kutta       *r = self;
    const kl_settings *s = &x->model->settings;
    (void)diag;
    KL_TRY(kl_index1_begin(r->ode, N_VGetArrayPointer(r->y)));
    int flag = ERKStepReInit(r->ark, rk_rate, x->s->t, r->y);
    /* short enough for the polynomial between the first two points, and near what follows */
    double first =
        isnan(s->first_step) ? 0.1 / r->ode->pace * pow(x->tolerance, 0.125) : s->first_step;
    r->carry = r->path ? kl_index1_second_order_step(r->ode, HUGE_VAL) : HUGE_VAL;
    first    = fmin(first, r->carry);
    if (isnan(s->step)) flag |= ERKStepSetInitStep(r->ark, first);
    else flag |= ERKStepSetFixedStep(r->ark, s->step);
    r->h      = isnan(s->step) ? first : s->step;
    r->resume = r->bends = false;
    return flag == 0 ? KL_OK : KL_E_INTERNAL;
}

/* Goes on from y with steps of the length r->h: a one-step method needs no more. */
static int rk_resume(runge_kutta *r, const kl_solver *x)
{
    int flag  = ERKStepReInit(r->ark, rk_rate, x->s->t, r->y);
    r->resume = false;
    kl_state_copy(r->ode->s, x->s); /* history and inputs as they are now */
    return isnan(x->model->settings.step) ? flag | ERKStepSetInitStep(r->ark, r->h) : flag;
}

/* The next step after one from t0 to t. ARKODE cuts its own proposal where the next step would reach
 * `until`, and takes what was cut for the size that accuracy wants; so the size is set again. A step that
 * passed the error test at once, but was cut, says nothing against the size wanted before it. */
static void propose(runge_kutta *r, double t0, double t, double until, bool failed)
{
    double next = 0.0, taken = t - t0;
    double want = !failed && taken < 0.9 * r->h ? r->h : taken;
    (void)ERKStepGetCurrentStep(r->ark, &next);
    r->resume = t + next >= until - 1e-6 * next && next < want;
    r->h      = r->resume ? want : next;
}

/* The error of a history is seen after the step. */
static void limit_by_history(runge_kutta *r)
{
    if (!r->path) return;
    r->carry = kl_index1_second_order_step(r->ode, 2.0 * r->carry);
    if (r->h <= r->carry) return;
    r->h      = r->carry;
    r->resume = true;
}

static kl_status rk_step(void *self, kl_solver *x, double until, kl_statistics *count,
                         kl_diag *diag)
{
    runge_kutta *r = self;
    double       t = x->s->t, h = 0.0, t0 = t;
    long         fails0 = 0, fails1 = 0;
    int          flag = r->resume ? rk_resume(r, x) : 0;
    memcpy(r->lambda, x->lambda, (size_t)x->model->nlam * sizeof *r->lambda);
    if (r->bends) kl_index1_cut(r->ode); /* not before: rows may lie within the last step */
    r->bends = false;
    r->first = r->ode->begun;
    r->want  = r->h;
    (void)ERKStepGetNumErrTestFails(r->ark, &fails0);
    if (flag == 0) flag = ERKStepSetStopTime(r->ark, until);
    if (flag == 0) flag = ERKStepEvolve(r->ark, until, r->y, &t, ARK_ONE_STEP);
    (void)ERKStepGetNumErrTestFails(r->ark, &fails1);
    count->rejected += fails1 - fails0;
    if (flag < 0) {
        (void)ERKStepGetCurrentStep(r->ark, &h);
        return kl_step_failed(x, h, count, "the error remains above the tolerance", diag);
    }
    propose(r, t0, t, until, fails1 > fails0);
    kl_index1_accept(r->ode, t, N_VGetArrayPointer(r->y), count);
    limit_by_history(r);
    count->order = 8;
    return kl_index1_same_branch(r->ode, count, diag);
}

static kl_status rk_look(void *self, kl_solver *x, double t, kl_look *out, kl_diag *diag)
{
    (void)x, (void)diag;
    kl_index1_interpolate(((runge_kutta *)self)->ode, t, out->s, out->energy);
    out->near = true;
    return KL_OK;
}

/* The last step is taken back; the next one is as long as it wanted to be, or ends at the event. */
static void rk_back(void *self, kl_solver *x)
{
    runge_kutta *r = self;
    kl_index1_back(r->ode, N_VGetArrayPointer(r->y), r->first);
    memcpy(x->a, r->ode->a, (size_t)x->model->nv * sizeof *x->a);
    memcpy(x->lambda, r->lambda, (size_t)x->model->nlam * sizeof *x->lambda);
    r->h      = r->want; /* an error that a corner within the step made says nothing */
    r->resume = true;
}

/* Forces have jumped: polynomials between points begin here, the length of the steps stays. */
static void rk_change(void *self, const kl_solver *x)
{
    runge_kutta *r = self;
    kl_state_copy(r->ode->s, x->s);
    (void)kl_index1_settle(r->ode, x->s->t, N_VGetArrayPointer(r->y));
    kl_index1_cut(r->ode);
    r->resume = true;
}

static void rk_bend(void *self) { ((runge_kutta *)self)->bends = true; }

static double rk_next(const void *self) { return ((const runge_kutta *)self)->h; }

const kl_integrator kl_runge_kutta = {.name    = "runge-kutta",
                                      .create  = rk_create,
                                      .destroy = rk_destroy,
                                      .begin   = rk_begin,
                                      .step    = rk_step,
                                      .look    = rk_look,
                                      .back    = rk_back,
                                      .cut     = rk_bend,
                                      .bend    = rk_bend,
                                      .change  = rk_change,
                                      .next    = rk_next};
