/* Flexible body in a floating frame of reference (papers 000 section 2, 003 section 3).
 *
 * Coordinates: r and Euler parameters p of the frame, modal coordinates w; velocities: r' global,
 * om body-fixed, w'. Inertia: flexible_inertia.c; markers: flexible_marker.c; where the numbers
 * come from: flexible_setup.c. Elastic and damping forces of the modes: -K w - D w'. */
#include "bodies/flexible.h"
#include "bodies/free_start.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/rotation.h"
#include "bodies/bodies.h"

/* ---- cache ---- */

enum { ALIGN = 8 }; /* numbers a line of memory */

static size_t rounded(size_t numbers) { return (numbers + ALIGN - 1) / ALIGN * ALIGN; }

static size_t head_numbers(int nframe)
{
    size_t bytes = sizeof(flexible_cache) + (size_t)nframe * sizeof(flexible_frame_cache);
    return rounded((bytes + sizeof(double) - 1) / sizeof(double));
}

size_t flexible_cache_bytes(const flexible *p)
{
    int    nframe  = p->nframe;
    size_t m       = (size_t)p->n;
    size_t numbers = 2 * rounded(m) + 4 * rounded(3 * m) + 2 * rounded(9 * m) + rounded(6 * m) +
                     rounded(3 * m) + rounded(6 * m * (size_t)nframe);
    size_t bytes = (head_numbers(nframe) + numbers) * sizeof(double);
    return p->plain ? bytes + flexible_cache_bytes(p->plain) : bytes;
}

/* The cache is one block; its arrays follow each other behind the head. */
static flexible_cache *opened(const flexible *p, void *block)
{
    flexible_cache *c  = block;
    size_t          n  = (size_t)p->n;
    double         *at = (double *)block + head_numbers(p->nframe), *along;
    c->frame           = (flexible_frame_cache *)(void *)(c + 1);
    const struct {
        double **to;
        size_t   size;
    } list[] = {{&c->w, n},
                {&c->w_rate, n},
                {&c->S1, 3 * n},
                {&c->H, 3 * n},
                {&c->H_rate, 3 * n},
                {&c->H_lag, 3 * n},
                {&c->G, 9 * n},
                {&c->scratch, 9 * n},
                {&along, 6 * n},
                {&c->E, 3 * n},
                {&c->second, 6 * n * (size_t)p->nframe}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        *list[i].to = at;
        at += rounded(list[i].size);
    }
    c->along = (flexible_screw *)(void *)along;
    c->inner = p->plain ? opened(p->plain, at) : NULL;
    return c;
}

/* ---- coordinates ---- */

void flexible_place(void *data, const kl_placement *p)
{
    flexible *b   = data;
    kl_vec3   vel = kl_load(b->velocity), om = kl_load(b->omega);
    kl_store(b->position, kl_place_point(p, kl_load(b->position)));
    b->orientation = kl_place_rotation(p, &b->orientation);
    if (b->velocity_axes == 0) {
        vel = kl_place_arrow(p, vel), om = kl_place_turn(p, om);
    } else if (p->mirrored) {
        vel = kl_mirror(p, vel), om = kl_neg(kl_mirror(p, om));
    }
    if (p->mirrored && b->file.mirror == 0) b->file.mirror = p->mirror + 1;
    else if (p->mirrored) {
        /* two mirrors: nothing, or half a turn about the third axis */
        kl_placement own = {.mirrored = true, .mirror = b->file.mirror - 1};
        kl_mat3      one = kl_identity();
        for (int i = 0; p->mirror != own.mirror && i < 3; i++)
            one.m[i][i] = i == p->mirror || i == own.mirror ? -1.0 : 1.0;
        b->orientation = kl_matmul(&b->orientation, &one);
        b->file.mirror = 0;
        if (b->velocity_axes == 1) vel = kl_mul(&one, vel), om = kl_mul(&one, om);
    }
    kl_store(b->velocity, vel);
    kl_store(b->omega, om);
}

static double item(const kl_list *l, int i) { return i < l->n ? l->value[i] : 0.0; }

static void flexible_start(const void *data, double *q, double *v, unsigned char *held_position,
                           unsigned char *held_velocity)
{
    const flexible *p     = data;
    kl_free_start   start = {.position    = p->position,
                             .velocity    = p->velocity,
                             .omega       = p->omega,
                             .orientation = &p->orientation,
                             .in_body     = p->velocity_axes == 1,
                             .fixed       = p->fixed};
    kl_free_start_write(&start, q, v, held_position, held_velocity);
    for (int j = 0; j < p->n; j++) {
        q[7 + j]             = item(&p->deformation, j);
        v[6 + j]             = item(&p->deformation_rate, j);
        held_position[6 + j] = held_velocity[6 + j] = (p->fixed >> 4) & 1;
    }
}

static flexible_cache *take_position(const flexible *p, const double *q, void *block)
{
    flexible_cache *c = opened(p, block);
    c->r              = kl_load(q);
    c->A              = kl_quat_matrix(q + 3);
    memcpy(c->w, q + 7, (size_t)p->n * sizeof(double));
    return c;
}

static void take_velocity(const flexible *p, const double *v, flexible_cache *c)
{
    c->v  = kl_load(v);
    c->om = kl_load(v + 3);
    memcpy(c->w_rate, v + 6, (size_t)p->n * sizeof(double));
}

static void flexible_position(const void *data, const double *q, void *block)
{
    const flexible *p = data;
    flexible_cache *c = take_position(p, q, block);
    flexible_position_inertia(p, c);
    if (p->plain) {
        memcpy(c->inner->w, c->w, (size_t)p->n * sizeof(double));
        flexible_position_inertia(p->plain, c->inner);
    }
    flexible_position_frames(p, c);
}

static void flexible_velocity(const void *data, const double *v, void *block)
{
    const flexible *p = data;
    flexible_cache *c = block;
    take_velocity(p, v, c);
    flexible_velocity_inertia(p, c);
    if (p->plain) {
        memcpy(c->inner->w_rate, c->w_rate, (size_t)p->n * sizeof(double));
        flexible_velocity_inertia(p->plain, c->inner);
    }
    flexible_velocity_frames(p, c);
}

static void flexible_motion(const void *data, const double *q, const double *v, void *block)
{
    const flexible *p = data;
    flexible_cache *c = take_position(p, q, block);
    take_velocity(p, v, c);
    flexible_position_frames(p, c);
    flexible_velocity_frames(p, c);
}

static void flexible_advance(const void *data, const double *q, const double *dx, double *q_new)
{
    const flexible *p = data;
    double          dp[4];
    for (int i = 0; i < 3; i++) q_new[i] = q[i] + dx[i];
    kl_quat_exp(kl_load(dx + 3), dp);
    kl_quat_mul(q + 3, dp, q_new + 3);
    kl_quat_normalize(q_new + 3);
    for (int j = 0; j < p->n; j++) q_new[7 + j] = q[7 + j] + dx[6 + j];
}

/* p' = p (0, om) / 2 */
static void flexible_rate(const void *data, const double *q, const double *v, double *q_dot)
{
    const flexible *p       = data;
    double          half[4] = {0.0, 0.5 * v[3], 0.5 * v[4], 0.5 * v[5]};
    for (int i = 0; i < 3; i++) q_dot[i] = v[i];
    kl_quat_mul(q + 3, half, q_dot + 3);
    memcpy(q_dot + 7, v + 6, (size_t)p->n * sizeof(double));
}

/* om = 2 conj(p) p' */
static void flexible_speed(const void *data, const double *q, const double *q_dot, double *v)
{
    const flexible *p       = data;
    double          conj[4] = {q[3], -q[4], -q[5], -q[6]}, om[4];
    kl_quat_mul(conj, q_dot + 3, om);
    for (int i = 0; i < 3; i++) v[i] = q_dot[i], v[3 + i] = 2.0 * om[1 + i];
    memcpy(v + 6, q_dot + 7, (size_t)p->n * sizeof(double));
}

static void flexible_settle(const void *data, double *q)
{
    (void)data;
    kl_quat_normalize(q + 3);
}

static void flexible_carry(const void *data, const double *dx, bool transposed, double *x, int n)
{
    kl_free_carry(dx, transposed, x, n, 6 + ((const flexible *)data)->n);
}

/* w that moves the body's mass by one length on average. Assembly moves a body as a whole before it
 * deforms it, and bends it softly before it bends it stiffly. */
static void flexible_units(const void *data, double length, double *unit, double *weight)
{
    const flexible *p     = data;
    int             n     = p->n;
    double          least = HUGE_VAL;
    for (int j = 0; j < n; j++)
        if (p->K[j * n + j] > 0.0) least = fmin(least, p->K[j * n + j] / p->M[j * n + j]);
    for (int j = 0; j < n; j++) {
        double mass = p->M[j * n + j] / p->m, square = p->K[j * n + j] / p->M[j * n + j];
        unit[6 + j]   = length / sqrt(mass);
        weight[6 + j] = 1e6 * mass * (square > least ? square / least : 1.0);
    }
}

/* ---- forces of its own ---- */

static void flexible_own_force(const void *data, const void *cache, double *g, double *K, double *C)
{
    const flexible       *p = data;
    const flexible_cache *c = cache;
    int                   n = p->n, N = 6 + n;
    for (int i = 0; i < n; i++) {
        int from = p->diagonal ? i : 0, to = p->diagonal ? i + 1 : n;
        for (int j = from; j < to; j++) {
            g[6 + i] -= p->K[i * n + j] * c->w[j] + p->D[i * n + j] * c->w_rate[j];
            if (K) K[(6 + i) * N + 6 + j] -= p->K[i * n + j];
            if (C) C[(6 + i) * N + 6 + j] -= p->D[i * n + j];
        }
    }
}

static double quadratic(int n, const double *A, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += x[i] * A[i * n + j] * x[j];
    return sum;
}

static double flexible_own_energy(const void *data, const void *cache)
{
    const flexible       *p = data;
    const flexible_cache *c = cache;
    return 0.5 * quadratic(p->n, p->K, c->w);
}

static double flexible_own_loss(const void *data, const void *cache)
{
    const flexible       *p = data;
    const flexible_cache *c = cache;
    return quadratic(p->n, p->D, c->w_rate);
}

static unsigned flexible_implied_parts(const void *data)
{
    const flexible *p = data;
    return (p->conditioned ? (unsigned)KL_IMPLIED_CONDITIONS : 0u) |
           (p->attach && p->n > 0 ? (unsigned)KL_IMPLIED_VIRTUAL : 0u) |
           (p->start && p->n > 0 ? (unsigned)KL_IMPLIED_STATIC_START : 0u);
}

static void flexible_modal(const void *data, kl_modal_body *out)
{
    const flexible *p = data;
    *out              = (kl_modal_body){.file           = &p->file,
                                        .n              = p->n,
                                        .mode           = p->mode,
                                        .nrigid         = p->conditioned ? 6 : 0,
                                        .rigid          = p->rigid,
                                        .mass           = p->m,
                                        .sn_range       = p->sn_range,
                                        .sn_cycles      = p->sn_cycles,
                                        .sn_slope       = p->sn_slope,
                                        .sn_knee        = p->sn_knee,
                                        .sn_slope_after = p->sn_slope_after,
                                        .ultimate       = p->ultimate,
                                        .mean_stress    = p->mean_stress};
}

static int flexible_locked_modes(const void *data)
{
    const flexible *p = data;
    return p->n == 0 && p->file.body ? p->file.body->nmode : 0;
}

/* one marker at its reference point gives no information about its size */
static double flexible_reach(const void *data) { return ((const flexible *)data)->gyration; }

/* Why a run failed, or will: the inertia of a stiffened body is cut off behind second order; bent so
 * far that nothing is left of it, the motion is none. */
static void explain_lost_inertia(const flexible *p, const double *q, kl_notice *notice)
{
    size_t  N      = 6 + (size_t)p->n;
    void   *block  = calloc(1, flexible_cache_bytes(p));
    double *M      = calloc(N * N + 2 * N, sizeof(double));
    bool    looked = block && M, sound = true;
    if (looked) {
        flexible_position(p, q, block);
        flexible_velocity(p, M, block); /* at rest */
        flexible_inertia(p, block, M, M + N * N);
        for (size_t i = 0; i < N; i++) /* none in some direction is no fault: lines do not twist */
            M[i * (N + 1)] +=
                1e-9 * fabs(M[i * (N + 1)]) + 1e-14 * p->m * p->gyration * p->gyration;
        sound = kl_cholesky((int)N, M) == KL_OK;
    }
    free(M);
    free(block);
    if (sound) return;
    notice->count = 1;
    notice->stop  = true;
    snprintf(notice->text, sizeof notice->text,
             "is bent so far that the second-order shortening is no longer valid; check its loads, "
             "divide it into several bodies, or write `stiffening: false`");
}

/* A body that rotates with om is softened by the rotation of its axes, by about om^2 of the square of its
 * natural frequencies, and stiffened by the centrifugal forces, which stretch it, by as much or more.
 * Without the second part its vibration is wrong. A body that is slender along its spin axis is hardly
 * stretched: its moment of inertia about it, over the largest one, counts. */
static void check_rotation_stiffening(const flexible *p, kl_vec3 om, kl_notice *notice)
{
    const double MOST = 0.02; /* of the stiffness of the first mode */
    if (p->S2 || !(p->first > 0.0) || notice->count > 0) return;
    double change = kl_dot(om, kl_mul(&p->J0, om)) / (p->largest_inertia * p->first * p->first);
    if (!(change > MOST)) return;
    notice->count = 1;
    snprintf(notice->text, sizeof notice->text,
             "rotates at %.3g rad/s and has its first natural frequency at %.4g Hz: the geometric "
             "stiffness that is left out is more than %.0f %% of its stiffness; write `stiffening: "
             "true`%s",
             kl_norm(om), p->first / (2.0 * KL_PI), 100.0 * MOST,
             p->file.body->second_mass ? "" : " here and `stiffening: yes` in its body file");
}

static void flexible_look(const void *data, const double *q, const double *v, kl_notice *notice)
{
    const flexible *p = data;
    flexible_watch(p, q, notice);
    if (p->conditioned) flexible_watch_conditions(p, q + 7, notice);
    if (notice->failed && p->S2 && !p->conditioned && notice->count == 0)
        explain_lost_inertia(p, q, notice);
    check_rotation_stiffening(p, kl_load(v + 3), notice);
}

/* ---- keys ---- */

const kl_key kl_flexible_keys[] = {
    {.name   = "file",
     .kind   = KL_KEY_REDUCED,
     .offset = offsetof(flexible, file),
     .by     = "flexible nonlinear",
     .help = "reduced body (.kbody), or a body file (.yaml), which is reduced and saved next to it "
             "({body: panel.yaml, ply: 30 deg} sets its parameters), or the contents of a body "
             "file in braces"},
    {.name     = "flexible",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(flexible, deforms),
     .words    = "false modal nonlinear true",
     .fallback = "modal",
     .help = "false: rigid body; modal (or true): small deformations by modes; nonlinear: large "
             "deformations, with the nodes of the mesh as degrees of freedom"},
    {.name     = "strain",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(flexible, strain),
     .words    = "logarithmic green",
     .fallback = "logarithmic",
     .help = "strain measure of a nonlinear body, to which the stress is proportional; plasticity "
             "needs logarithmic"},
    {.name     = "mass_matrix",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(flexible, mass_matrix),
     .words    = "lumped consistent",
     .fallback = "lumped",
     .help     = "mass of a nonlinear body: lumped at the nodes, or the consistent mass of its "
                 "elements (the rotary inertia of shells is always lumped)"},
    {.name     = "modes",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(flexible, count),
     .unit     = "1",
     .fallback = "",
     .min      = 0,
     .max      = 1e6,
     .help     = "number of modes of the file, lowest frequencies first (default: all)"},
    {.name     = "up_to",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(flexible, up_to),
     .unit     = "Hz",
     .fallback = "",
     .min      = 0,
     .max      = 1e300,
     .help     = "use only modes up to this frequency"},
    {.name     = "effective_mass",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(flexible, share),
     .unit     = "1",
     .fallback = "",
     .min      = 0,
     .max      = 1,
     .help = "use only modes whose effective mass is at least this fraction of the mass or of a "
             "moment of inertia"},
    {.name     = "pick",
     .kind     = KL_KEY_LIST,
     .offset   = offsetof(flexible, chosen),
     .unit     = "1",
     .fallback = "[]",
     .help     = "numbers of the modes to use: [1, 2, 5]; with `modes`, only the first of them"},
    {.name     = "mirror",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(flexible, file.mirror),
     .words    = "none x y z",
     .fallback = "none",
     .help     = "mirror image of the body: the coordinate along this axis changes its sign"},
    {.name     = "reference",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(flexible, reference),
     .words    = "as-in-file mean-axis principal-axis",
     .fallback = "as-in-file",
     .help = "reference conditions of the floating frame; fixed nodes are given in the body file "
             "(with stiffening, mean axes are always used)"},
    {.name     = "conditions",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(flexible, conditions),
     .words    = "eliminated constrained",
     .fallback = "eliminated",
     .help =
         "rigid body motion is eliminated from the modes, or kept and suppressed by constraints"},
    {.name     = "attach",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(flexible, attach),
     .words    = "marker virtual-body",
     .fallback = "marker",
     .help = "joints and forces attach to the markers directly, or to massless bodies fixed to the "
             "markers"},
    {.name     = "stiffening",
     .kind     = KL_KEY_FLAG,
     .offset   = offsetof(flexible, stiffening),
     .fallback = "false",
     .help     = "geometric stiffening due to acceleration, rotation and loads; the body file must "
                 "contain it"},
    {.name     = "damping",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(flexible, damping),
     .unit     = "1",
     .fallback = "0",
     .min      = 0,
     .max      = 10,
     .help     = "damping ratio of every mode, for example 0.02"},
    {.name     = "rayleigh",
     .kind     = KL_KEY_NUMBERS,
     .offset   = offsetof(flexible, rayleigh),
     .unit     = "*",
     .size     = 2,
     .fallback = "[0, 0]",
     .help = "[a, b]: damping a M + b K, a in 1/s, b in s; for nonlinear bodies K is the elastic "
             "stiffness"},
    {.name     = "position",
     .kind     = KL_KEY_NUMBERS,
     .offset   = offsetof(flexible, position),
     .unit     = "m",
     .size     = 3,
     .fallback = "[0, 0, 0]",
     .help = "initial position of the reference point (origin of the mesh or of the frame of the "
             "file)"},
    {.name     = "orientation",
     .kind     = KL_KEY_ROTATION,
     .offset   = offsetof(flexible, orientation),
     .fallback = "{axis: z, angle: 0}",
     .help = "initial orientation: {axis, angle}, {quaternion}, {euler}, {cardan} or {x, y} (two "
             "vectors)"},
    {.name     = "velocity",
     .kind     = KL_KEY_NUMBERS,
     .offset   = offsetof(flexible, velocity),
     .unit     = "m/s",
     .size     = 3,
     .fallback = "[0, 0, 0]",
     .help     = "initial velocity of the reference point"},
    {.name     = "omega",
     .kind     = KL_KEY_NUMBERS,
     .offset   = offsetof(flexible, omega),
     .unit     = "rad/s",
     .size     = 3,
     .fallback = "[0, 0, 0]",
     .help     = "initial angular velocity"},
    {.name     = "velocity_axes",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(flexible, velocity_axes),
     .words    = "global body",
     .fallback = "global",
     .help     = "axes in which velocity and omega are given"},
    {.name     = "start",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(flexible, start),
     .words    = "given static",
     .fallback = "given",
     .help = "initial deformation: as given, or static under the initial loads and motion, which "
             "avoids initial vibration"},
    {.name     = "deformation",
     .kind     = KL_KEY_LIST,
     .offset   = offsetof(flexible, deformation),
     .unit     = "1",
     .fallback = "[]",
     .help     = "initial modal coordinates; modes that are not listed start at 0"},
    {.name     = "deformation_rate",
     .kind     = KL_KEY_LIST,
     .offset   = offsetof(flexible, deformation_rate),
     .unit     = "1",
     .fallback = "[]",
     .help     = "initial rates of the modal coordinates"},
    {.name     = "sn_range",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(flexible, sn_range),
     .unit     = "Pa",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "fatigue (`klingel stress`): stress range at sn_cycles, for example 90 MPa"},
    {.name     = "sn_cycles",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(flexible, sn_cycles),
     .unit     = "1",
     .fallback = "2e6",
     .min      = 1e-3,
     .max      = 1e300,
     .help     = "cycles to failure at sn_range"},
    {.name     = "sn_slope",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(flexible, sn_slope),
     .unit     = "1",
     .fallback = "3",
     .min      = 1,
     .max      = 1000,
     .help     = "m of N = sn_cycles (sn_range/S)^m; 3 for welds"},
    {.name     = "sn_knee",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(flexible, sn_knee),
     .unit     = "1",
     .fallback = "",
     .min      = 1,
     .max      = 1e300,
     .help     = "cycles at the knee of the S-N curve (default: no knee)"},
    {.name     = "sn_slope_after",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(flexible, sn_slope_after),
     .unit     = "1",
     .fallback = "",
     .min      = 1,
     .max      = 1000,
     .help     = "exponent m beyond the knee (default: smaller ranges cause no damage)"},
    {.name     = "mean_stress",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(flexible, mean_stress),
     .words    = "none goodman gerber swt",
     .fallback = "none",
     .help     = "mean stress correction; goodman and gerber need `ultimate`"},
    {.name     = "ultimate",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(flexible, ultimate),
     .unit     = "Pa",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "tensile strength, for example 510 MPa"},
    {.name     = "fixed",
     .kind     = KL_KEY_WORDS,
     .offset   = offsetof(flexible, fixed),
     .words    = "position orientation velocity omega deformation",
     .fallback = "[]",
     .help     = "initial values that assembly must keep; the others are initial guesses"},
    {0}};

/* whole: no file beside it */
static const char flexible_example[] =
    "rod: {type: flexible, damping: 0.01, modes: 8, file: {mesh: {line: [[0, 0, 0], [1 m, 0, 0]], "
    "parts: 8}, materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}}, sections: {line: "
    "{material: steel, section: circle, radius: 5 mm}}, markers: {left: {at: [0, 0, 0]}, right: "
    "{at: [1 m, 0, 0]}}}}";

const kl_body_type kl_flexible = {.name    = "flexible",
                                  .help    = "flexible body with floating frame of reference: six "
                                             "degrees of freedom and deformation modes",
                                  .example = flexible_example,
                                  .keys    = kl_flexible_keys,
                                  .choice_key      = "flexible",
                                  .choice_word     = "nonlinear",
                                  .chosen          = &kl_nonlinear,
                                  .data_size       = sizeof(flexible),
                                  .cache_size      = sizeof(flexible_cache),
                                  .place           = flexible_place,
                                  .setup           = flexible_setup,
                                  .attach          = flexible_attach,
                                  .start           = flexible_start,
                                  .position        = flexible_position,
                                  .motion          = flexible_motion,
                                  .velocity        = flexible_velocity,
                                  .advance         = flexible_advance,
                                  .rate            = flexible_rate,
                                  .speed           = flexible_speed,
                                  .settle          = flexible_settle,
                                  .carry           = flexible_carry,
                                  .pose            = flexible_pose,
                                  .twist           = flexible_twist,
                                  .map             = flexible_map,
                                  .map_rate        = flexible_map_rate,
                                  .pull            = flexible_pull,
                                  .add_geometric   = flexible_add_geometric,
                                  .inertia         = flexible_inertia,
                                  .inertia_tangent = flexible_inertia_tangent,
                                  .own_force       = flexible_own_force,
                                  .own_energy      = flexible_own_energy,
                                  .own_loss        = flexible_own_loss,
                                  .units           = flexible_units,
                                  .implied_parts   = flexible_implied_parts,
                                  .locked_modes    = flexible_locked_modes,
                                  .modal           = flexible_modal,
                                  .reach           = flexible_reach,
                                  .measures        = flexible_measures,
                                  .watch           = flexible_look};
