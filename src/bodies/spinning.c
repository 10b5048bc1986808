/* Rigid body with a spin axis n: wheelset, rotor, flywheel.
 *
 * The rotation is split, A = F R(n, phi): a frame F that does not spin and the spin angle phi.
 * Coordinates: r, Euler parameters of F, phi. Velocities: r' global, om = F'w, the angular velocity
 * in the axes of F. The spin rate is its part along n; the frame follows the rest and never turns
 * about n:
 *
 *   phi' = s = n.om,   F' = F [P om],   P = I - n n'
 *
 * so that there are 8 coordinates, 6 velocities and no singular position. (F, phi) and (F R(n, a),
 * phi - a) are the same orientation; which of them the frame has reached depends on its way, and
 * no result shows it.
 *
 * The angular acceleration in the axes of F is om' + g0, g0 = s om x n: what remains at om' = 0,
 * because the axes do not turn with the body. With J, S the inertia and first moment in the axes of
 * F (constant if the body is symmetric about n; else R J R', R S):
 *
 *   M = [ m I , -F [S] ]     s = [ -F (g0 x S + om x (om x S)) ]
 *       [  .  ,    J   ]         [ -(J g0 + om x J om)         ]
 *
 * For a symmetric body nothing here depends on phi, so a matrix of the integrator that was made once
 * serves while it spins. Increments are like velocities: dx = (dr, d), F -> F exp([P d]), phi -> phi +
 * n.d. Two increments in a row turn F about n by a part of second order, n.(d1 x d2)/2, which one
 * increment cannot do; orientations agree, frames only to that order. This slows Newton by a factor
 * of the transverse turn in a step, and its error is of the order of the integrators' own. */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "bodies/rigid.h"
#include "bodies/spinning.h"
#include "bodies/wheelset.h"

/* P a = a - n (n.a) */
static kl_vec3 across(const rigid *p, kl_vec3 a)
{
    return kl_axpy(-kl_dot(p->spin_axis, a), p->spin_axis, a);
}

/* T P */
static kl_mat3 times_across(const rigid *p, const kl_mat3 *T)
{
    kl_mat3 Tnn = kl_outer(kl_mul(T, p->spin_axis), p->spin_axis);
    return kl_mat_axpy(-1.0, &Tnn, T);
}

/* ---- setup ----------------------------------------------------------------------------------- */

/* Does a turn about n leave the inertia and the centre of mass alone? J n along n, the two other
 * moments alike, S along n. */
static bool is_round(const rigid *p)
{
    const double limit = 1e-12; /* rounding of the axes that the inertia was given in */
    kl_vec3      n = p->spin_axis, Jn = kl_mul(&p->J, n);
    kl_vec3      x = kl_unit(kl_normal_to(n)), y = kl_cross(n, x);
    double       size = fabs(p->J.m[0][0]) + fabs(p->J.m[1][1]) + fabs(p->J.m[2][2]);
    double       xx = kl_dot(x, kl_mul(&p->J, x)), yy = kl_dot(y, kl_mul(&p->J, y)),
           xy  = kl_dot(x, kl_mul(&p->J, y));
    double off = fmax(kl_norm(across(p, Jn)), fmax(fabs(xx - yy), 2.0 * fabs(xy)));
    return off <= limit * size &&
           kl_norm(across(p, rigid_moment(p))) <= limit * kl_norm(rigid_moment(p));
}

kl_status spinning_setup(void *data, const kl_setup *s, kl_body_size *size)
{
    rigid *p = data;
    *size    = (kl_body_size){0};
    kl_size_add(size, KL_TRANSLATION, 3, 3);
    kl_size_add(size, KL_ROTATION, 5, 3);
    KL_TRY(rigid_take_inertia(p, s));
    p->round = is_round(p);
    if (!p->round)
        kl_note(s->diag, s->place,
                "body '%s' is not symmetric about its `spin_axis`; the results are correct, but "
                "fast rotation needs small steps",
                s->name);
    return KL_OK;
}

static void spinning_start(const void *data, double *q, double *v, unsigned char *held_position,
                           unsigned char *held_velocity)
{
    rigid_start(data, q, v, held_position, held_velocity);
    q[7] = 0.0;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

static void spinning_position(const void *data, const double *q, void *c)
{
    const rigid    *p = data;
    spinning_cache *k = c;
    k->r              = kl_load(q);
    k->F              = kl_quat_matrix(q + 3);
    k->phi            = q[7];
    k->R              = kl_rotation_exp(kl_scale(q[7], p->spin_axis));
    k->A              = kl_matmul(&k->F, &k->R);
    k->flat           = level_frame(p, k);
    k->J = p->J, k->S = rigid_moment(p);
    if (p->round) return;
    kl_mat3 Rt = kl_transpose(&k->R), RJ = kl_matmul(&k->R, &p->J);
    k->J = kl_matmul(&RJ, &Rt);
    k->S = kl_mul(&k->R, rigid_moment(p));
}

static void spinning_velocity(const void *data, const double *v, void *c)
{
    const rigid    *p = data;
    spinning_cache *k = c;
    k->v              = kl_load(v);
    k->om             = kl_load(v + 3);
    k->s              = kl_dot(p->spin_axis, k->om);
    k->g0             = kl_scale(k->s, kl_cross(k->om, p->spin_axis));
    level_rates(k);
}

static void spinning_advance(const void *data, const double *q, const double *dx, double *q_new)
{
    const rigid *p = data;
    kl_vec3      d = kl_load(dx + 3);
    double       dp[4];
    for (int i = 0; i < 3; i++) q_new[i] = q[i] + dx[i];
    kl_quat_exp(across(p, d), dp);
    kl_quat_mul(q + 3, dp, q_new + 3);
    kl_quat_normalize(q_new + 3);
    q_new[7] = q[7] + kl_dot(p->spin_axis, d);
}

/* p(F) p(R): continuous in both, where Euler parameters found from A would jump once a turn */
static void spinning_orientation(const void *data, const double *q, double p[4])
{
    double spin[4];
    kl_quat_exp(kl_scale(q[7], ((const rigid *)data)->spin_axis), spin);
    kl_quat_mul(q + 3, spin, p);
}

/* p' = p (0, P om) / 2,  phi' = n.om */
static void spinning_rate(const void *data, const double *q, const double *v, double *q_dot)
{
    const rigid *p       = data;
    kl_vec3      om      = kl_load(v + 3);
    double       half[4] = {0};
    kl_store(half + 1, kl_scale(0.5, across(p, om)));
    for (int i = 0; i < 3; i++) q_dot[i] = v[i];
    kl_quat_mul(q + 3, half, q_dot + 3);
    q_dot[7] = kl_dot(p->spin_axis, om);
}

/* om = 2 conj(p) p' + n phi': of rates that turn F about n this is the one of the orientation */
static void spinning_speed(const void *data, const double *q, const double *q_dot, double *v)
{
    const rigid *p       = data;
    double       conj[4] = {q[3], -q[4], -q[5], -q[6]}, om[4];
    kl_quat_mul(conj, q_dot + 3, om);
    for (int i = 0; i < 3; i++) v[i] = q_dot[i];
    kl_store(v + 3, kl_axpy(q_dot[7], p->spin_axis, kl_scale(2.0, kl_load(om + 1))));
}

static void spinning_settle(const void *data, double *q)
{
    (void)data;
    kl_quat_normalize(q + 3);
}

/* With u = P d of dx and a = |u|: a further small increment e adds du, ds with T(u) du + n ds = e, T
 * the right Jacobian of exp. Across n that is du along u and (sin a / a) du across it; about n it is
 * n.(u x du) (1 - cos a)/a^2 less ds. */
static kl_mat3 increment_map(const rigid *p, kl_vec3 d)
{
    kl_vec3 n = p->spin_axis, u = across(p, d), column[3];
    double  a2 = kl_dot(u, u), a = sqrt(a2);
    double  stretch = a < 1e-4 ? 1.0 + a2 / 6.0 : a / sin(a);
    double  along   = a2 > 0.0 ? (1.0 - stretch) / a2 : 0.0;
    double  turn    = a < 1e-4 ? 0.5 - a2 / 24.0 : (1.0 - cos(a)) / a2;
    for (int j = 0; j < 3; j++) {
        double e[3] = {0};
        e[j]        = 1.0;
        kl_vec3 t   = across(p, kl_load(e));
        kl_vec3 du  = kl_axpy(along * kl_dot(u, t), u, kl_scale(stretch, t));
        double  ds  = kl_dot(n, kl_load(e)) + turn * kl_dot(n, kl_cross(u, du));
        column[j]   = kl_axpy(ds, n, du);
    }
    return kl_from_axes(column[0], column[1], column[2]);
}

static void spinning_carry(const void *data, const double *dx, bool transposed, double *x, int n)
{
    kl_mat3 D = increment_map(data, kl_load(dx + 3));
    for (int i = 0; i < n; i++) {
        double *turn = x + 6 * i + 3;
        kl_store(turn, transposed ? kl_mul_t(&D, kl_load(turn)) : kl_mul(&D, kl_load(turn)));
    }
}

static kl_axes spinning_axes(const void *data, const void *c)
{
    const spinning_cache *k = c;
    return (kl_axes){.A = k->F, .w = kl_mul(&k->F, across(data, k->om))};
}

static kl_vec3 spinning_spin(const void *data, bool *round)
{
    const rigid *p = data;
    *round         = p->round;
    return p->spin_axis;
}

/* ---- markers --------------------------------------------------------------------------------- */

static bool is_level(const kl_marker *marker) { return marker->node == KL_MARKER_UNSPUN; }

static void spinning_pose(const void *data, const void *c, const kl_marker *marker, kl_motion *m)
{
    const rigid          *p    = data;
    const spinning_cache *k    = c;
    double                same = kl_dot(p->spin_axis, kl_axis(&marker->A, 2)); /* z axis and n */
    kl_mat3               A    = is_level(marker) ? k->flat.G : k->A;
    m->r                       = kl_add(k->r, kl_mul(&A, marker->r));
    m->A                       = kl_marker_is_plain(marker) ? A : kl_matmul(&A, &marker->A);
    m->spins                   = !is_level(marker) && fabs(same) > 1.0 - 1e-9;
    m->turned                  = m->spins ? copysign(1.0, same) * k->phi : 0.0;
}

static void spinning_twist(const void *data, const void *c, const kl_marker *marker, kl_motion *m)
{
    (void)data;
    const spinning_cache *k = c;
    if (is_level(marker)) {
        level_twist(k, marker, m);
        return;
    }
    kl_vec3 u = kl_mul(&k->R, marker->r), turn = kl_cross(k->om, u);
    m->v   = kl_add(k->v, kl_mul(&k->F, turn));
    m->w   = kl_mul(&k->F, k->om);
    m->a0  = kl_mul(&k->F, kl_add(kl_cross(k->g0, u), kl_cross(k->om, turn)));
    m->al0 = kl_mul(&k->F, k->g0);
}

static void put_block(double *B, int r, int c, double s, const kl_mat3 *M)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B[(r + i) * 6 + c + j] = s * M->m[i][j];
}

static void add_block(double *B, int r, int c, double s, const kl_mat3 *M)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B[(r + i) * 6 + c + j] += s * M->m[i][j];
}

/* B = [ I, -F [u] ; 0, F ], u in the axes of F */
static void spinning_map(const void *data, const void *c, const kl_marker *marker, double *B)
{
    (void)data;
    const spinning_cache *k = c;
    if (is_level(marker)) {
        level l = level_of(k, marker);
        level_map(k, &l, B);
        return;
    }
    kl_mat3 U = kl_skew(kl_mul(&k->R, marker->r)), FU = kl_matmul(&k->F, &U), I = kl_identity();
    memset(B, 0, 36 * sizeof *B);
    put_block(B, 0, 0, 1.0, &I);
    put_block(B, 0, 3, -1.0, &FU);
    put_block(B, 3, 3, 1.0, &k->F);
}

/* dv = -F [om x u] P d + F om x (n x u) n.d,  dw = -F [om] P d: u goes round with the spin, the axes
 * of F do not */
static void spinning_map_rate(const void *data, const void *c, const kl_marker *marker, double *W)
{
    const rigid          *p = data;
    const spinning_cache *k = c;
    if (is_level(marker)) {
        level l = level_of(k, marker);
        level_map_rate(k, &l, W);
        return;
    }
    kl_vec3 n = p->spin_axis, u = kl_mul(&k->R, marker->r);
    kl_mat3 U = kl_skew(kl_cross(k->om, u)), O = kl_skew(k->om);
    kl_mat3 FU = kl_matmul(&k->F, &U), FO = kl_matmul(&k->F, &O);
    kl_mat3 spun = kl_outer(kl_mul(&k->F, kl_cross(k->om, kl_cross(n, u))), n);
    FU = times_across(p, &FU), FO = times_across(p, &FO);
    memset(W, 0, 36 * sizeof *W);
    put_block(W, 0, 3, -1.0, &FU);
    add_block(W, 0, 3, 1.0, &spun);
    put_block(W, 3, 3, -1.0, &FO);
}

static void spinning_pull(const void *data, const void *c, const kl_marker *marker,
                          const double wrench[6], double *g)
{
    (void)data;
    const spinning_cache *k = c;
    if (is_level(marker)) {
        level l = level_of(k, marker);
        level_pull(k, &l, wrench, g);
        return;
    }
    kl_vec3 f = kl_mul_t(&k->F, kl_load(wrench)), about = kl_mul_t(&k->F, kl_load(wrench + 3));
    about = kl_add(about, kl_cross(kl_mul(&k->R, marker->r), f));
    for (int i = 0; i < 3; i++) g[i] += wrench[i];
    g[3] += about.x, g[4] += about.y, g[5] += about.z;
}

/* d(F'n + u x F'f) = ([F'n] + [u][F'f]) P d + (n x u) x F'f n.d */
static void spinning_add_geometric(const void *data, const void *c, const kl_marker *marker,
                                   const double wrench[6], double *K)
{
    const rigid          *p = data;
    const spinning_cache *k = c;
    if (is_level(marker)) {
        level l = level_of(k, marker);
        level_add_geometric(k, &l, wrench, K);
        return;
    }
    kl_vec3 n = p->spin_axis, f = kl_mul_t(&k->F, kl_load(wrench)), u = kl_mul(&k->R, marker->r);
    kl_mat3 F = kl_skew(f), N = kl_skew(kl_mul_t(&k->F, kl_load(wrench + 3)));
    kl_mat3 U = kl_skew(u), UF = kl_matmul(&U, &F), sum = kl_mat_axpy(1.0, &UF, &N);
    kl_mat3 spun = kl_outer(kl_cross(kl_cross(n, u), f), n);
    sum          = times_across(p, &sum);
    add_block(K, 3, 3, 1.0, &sum);
    add_block(K, 3, 3, 1.0, &spun);
}

/* ---- inertia --------------------------------------------------------------------------------- */

static void spinning_inertia(const void *data, const void *c, double *M, double *s)
{
    const rigid          *p = data;
    const spinning_cache *k = c;
    kl_mat3               S = kl_skew(k->S), FS = kl_matmul(&k->F, &S), FSt = kl_transpose(&FS);
    kl_mat3               I = kl_identity();
    put_block(M, 0, 0, p->mass, &I);
    put_block(M, 0, 3, -1.0, &FS);
    put_block(M, 3, 0, -1.0, &FSt);
    put_block(M, 3, 3, 1.0, &k->J);
    kl_vec3 pull = kl_add(kl_cross(k->g0, k->S), kl_cross(k->om, kl_cross(k->om, k->S)));
    kl_vec3 turn = kl_add(kl_mul(&k->J, k->g0), kl_cross(k->om, kl_mul(&k->J, k->om)));
    kl_store(s, kl_neg(kl_mul(&k->F, pull)));
    kl_store(s + 3, kl_neg(turn));
}

/* What a turn of the body about n does to the inertia forces: dS = n x S, dJ = [n] J - J [n]. */
static void add_spun_inertia(const rigid *p, const spinning_cache *k, kl_vec3 be, kl_vec3 a_frame,
                             double *K)
{
    kl_vec3 n = p->spin_axis, dS = kl_cross(n, k->S);
    kl_mat3 N = kl_skew(n), NJ = kl_matmul(&N, &k->J), JN = kl_matmul(&k->J, &N);
    kl_mat3 dJ   = kl_mat_axpy(-1.0, &JN, &NJ);
    kl_vec3 pull = kl_add(kl_cross(be, dS), kl_cross(k->om, kl_cross(k->om, dS)));
    kl_vec3 turn = kl_add(kl_mul(&dJ, be), kl_cross(k->om, kl_mul(&dJ, k->om)));
    kl_mat3 r    = kl_outer(kl_mul(&k->F, pull), n),
            t    = kl_outer(kl_add(turn, kl_cross(dS, a_frame)), n);
    add_block(K, 0, 3, 1.0, &r);
    add_block(K, 3, 3, 1.0, &t);
}

/* With be = om' + g0:  F_r = m a + F (be x S + om x (om x S)),  F_d = J be + om x J om + S x F'a */
static void spinning_inertia_tangent(const void *data, const void *c, const double *a, double *K,
                                     double *C)
{
    const rigid          *p = data;
    const spinning_cache *k = c;
    kl_vec3               n = p->spin_axis, om = k->om, be = kl_add(kl_load(a + 3), k->g0);
    kl_vec3               omS = kl_cross(om, k->S), a_frame = kl_mul_t(&k->F, kl_load(a));
    memset(K, 0, 36 * sizeof *K);
    memset(C, 0, 36 * sizeof *C);

    /* by a turn of F: dF = F [P d], d(F'a) = [F'a] P d */
    kl_mat3 inner = kl_skew(kl_add(kl_cross(be, k->S), kl_cross(om, omS)));
    kl_mat3 Fi = kl_matmul(&k->F, &inner), S = kl_skew(k->S), af = kl_skew(a_frame);
    kl_mat3 Sa = kl_matmul(&S, &af);
    Fi = times_across(p, &Fi), Sa = times_across(p, &Sa);
    put_block(K, 0, 3, -1.0, &Fi);
    put_block(K, 3, 3, 1.0, &Sa);
    if (!p->round) add_spun_inertia(p, k, be, a_frame, K);

    /* by om: dg0 = G dom, G = (om x n) n' - s [n];  d(om x (om x S)) = -([om x S] + [om][S]) dom;
     * d(om x J om) = ([om] J - [J om]) dom */
    kl_mat3 N = kl_skew(n), on = kl_outer(kl_cross(om, n), n), G = kl_mat_axpy(-k->s, &N, &on);
    kl_mat3 O = kl_skew(om), OS = kl_matmul(&O, &S), oS = kl_skew(omS), SG = kl_matmul(&S, &G);
    kl_mat3 sum  = kl_mat_axpy(1.0, &OS, &oS);
    sum          = kl_mat_axpy(1.0, &SG, &sum);
    kl_mat3 Fsum = kl_matmul(&k->F, &sum), JG = kl_matmul(&k->J, &G), OJ = kl_matmul(&O, &k->J);
    kl_mat3 Jo = kl_skew(kl_mul(&k->J, om));
    put_block(C, 0, 3, -1.0, &Fsum);
    put_block(C, 3, 3, 1.0, &JG);
    add_block(C, 3, 3, 1.0, &OJ);
    add_block(C, 3, 3, -1.0, &Jo);
}

static void spinning_measures(const void *data, const void *c, kl_measures *m)
{
    const rigid          *p      = data;
    const spinning_cache *k      = c;
    kl_vec3               turn   = kl_mul(&k->F, kl_cross(k->om, k->S));
    kl_vec3               offset = kl_mul(&k->F, k->S), Jom = kl_mul(&k->J, k->om);
    m->mass   = p->mass;
    m->center = p->mass > 0.0 ? kl_axpy(1.0 / p->mass, offset, k->r) : k->r;
    m->p      = kl_axpy(p->mass, k->v, turn);
    /* L about the origin: r x p + S x v + F J om, all global */
    m->L       = kl_add(kl_add(kl_cross(k->r, m->p), kl_cross(offset, k->v)), kl_mul(&k->F, Jom));
    m->kinetic = 0.5 * p->mass * kl_dot(k->v, k->v) + kl_dot(k->v, turn) + 0.5 * kl_dot(k->om, Jom);
}

static void spinning_output(const void *data, const void *c, double *values)
{
    (void)data;
    const spinning_cache *k = c;
    values[0] = k->phi, values[1] = k->s;
}

static const kl_output spinning_outputs[] = {
    {"spin", "rad", "angle of rotation about the spin axis since the start"},
    {"spin_rate", "rad/s", "angular velocity about the spin axis"},
    {0}};

/* What a wheelset has in common with any body that spins; a wheelset begins with the data of one. */
#define SPINNING                                                                                   \
    .cache_size = sizeof(spinning_cache), .place = rigid_place, .start = spinning_start,           \
    .position = spinning_position, .velocity = spinning_velocity, .advance = spinning_advance,     \
    .rate = spinning_rate, .speed = spinning_speed, .settle = spinning_settle,                     \
    .orientation = spinning_orientation, .carry = spinning_carry, .axes = spinning_axes,           \
    .spin = spinning_spin, .pose = spinning_pose, .twist = spinning_twist, .map = spinning_map,    \
    .map_rate = spinning_map_rate, .pull = spinning_pull, .add_geometric = spinning_add_geometric, \
    .inertia = spinning_inertia, .inertia_tangent = spinning_inertia_tangent,                      \
    .measures = spinning_measures, .outputs = spinning_outputs, .output = spinning_output

const kl_body_type kl_spinning = {.name      = "rigid",
                                  .help      = "rigid body with a spin axis",
                                  .keys      = kl_rigid_keys,
                                  .data_size = sizeof(rigid),
                                  .setup     = spinning_setup,
                                  SPINNING};

const kl_body_type kl_wheelset = {
    .name = "wheelset",
    .help = "axle with two wheels; its markers do not spin, and wheel-rail uses its dimensions",
    .example =
        "axle: {type: wheelset, mass: 1500 kg, inertia: [900, 100, 900], radius: 0.46 m, wheel: "
        "S1002, position: [0, 0, 0.46], rolling: 20 m/s}",
    .keys      = kl_wheelset_keys,
    .data_size = sizeof(wheelset),
    .setup     = wheelset_setup,
    .wheels    = wheelset_wheels,
    .markers   = wheelset_markers,
    SPINNING};
