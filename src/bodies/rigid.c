/* Rigid body with any reference point (paper 004, chapter 4).
 *
 * Coordinates: r of the reference point, global, and Euler parameters p; velocities: r' global, om
 * body-fixed. With c the centre of mass in the body, S = m c, J about the reference point, in body
 * axes:
 *
 *   M = [ m I , -A [S] ]     s = [ -A [om][om] S   ]
 *       [  .  ,    J   ]         [ -[om] J om      ]
 *
 * A marker at u in the body:  B = [ I, -A [u] ; 0, A ],  a0 = A [om][om] u,  al0 = 0. */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "bodies/bodies.h"
#include "bodies/free_start.h"
#include "bodies/rigid.h"

typedef struct rigid_cache {
    kl_vec3 r, v;
    kl_mat3 A;
    kl_vec3 om, w; /* angular velocity, body-fixed and global */
} rigid_cache;

/* Moments that no body can have: negative, or larger than the sum of the other two. */
static kl_status check_inertia(const rigid *p, const kl_setup *s, const kl_mat3 *J)
{
    double e[3];
    kl_symmetric_eigenvalues(J, e);
    double slack = 1e-7 * fabs(e[2]); /* a double root of the cubic is good to half the digits */
    if (e[0] < -slack && p->inertia_about == 1 && kl_norm(kl_load(p->center)) > 0.0)
        return kl_fail(
            s->diag, KL_E_RANGE, s->place,
            "body '%s': moved from the reference point to the centre of mass, the inertia "
            "has the principal moment %.6g kg m2, which is negative; give larger moments "
            "(at least mass times the square of the distance), or leave out "
            "`inertia_about: reference`",
            s->name, e[0]);
    if (e[0] < -slack)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "body '%s': inertia has the principal moment %.6g kg m2; a principal moment "
                       "cannot be negative; check the values and signs of all entries",
                       s->name, e[0]);
    if (e[2] > e[0] + e[1] + slack)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "body '%s': principal moments of inertia %.6g, %.6g, %.6g kg m2; none may "
                       "exceed the sum of the other two; check the values and their order",
                       s->name, e[0], e[1], e[2]);
    if (p->mass == 0.0 && e[2] > 0.0)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "body '%s' has inertia but no mass; give a mass", s->name);
    return KL_OK;
}

void rigid_place(void *data, const kl_placement *p)
{
    rigid  *b   = data;
    kl_vec3 vel = kl_load(b->velocity), om = kl_load(b->omega);
    kl_store(b->position, kl_place_point(p, kl_load(b->position)));
    kl_store(b->center, kl_mirror(p, kl_load(b->center)));
    b->inertia      = kl_mirror_tensor(p, &b->inertia);
    b->inertia_axes = kl_mirror_tensor(p, &b->inertia_axes);
    b->orientation  = kl_place_rotation(p, &b->orientation);
    if (p->mirrored) b->spin_axis = kl_neg(kl_mirror(p, b->spin_axis));
    if (b->velocity_axes == 0) {
        vel = kl_place_arrow(p, vel), om = kl_place_turn(p, om);
    } else if (p->mirrored) {
        vel = kl_mirror(p, vel), om = kl_neg(kl_mirror(p, om));
    }
    kl_store(b->velocity, vel);
    kl_store(b->omega, om);
}

kl_status rigid_take_inertia(rigid *p, const kl_setup *s)
{
    /* inertia into body axes, about the centre of mass, then to the reference point (Steiner) */
    kl_mat3 Rt = kl_transpose(&p->inertia_axes), RJ = kl_matmul(&p->inertia_axes, &p->inertia),
            J  = kl_matmul(&RJ, &Rt);
    kl_vec3 c  = kl_load(p->center);
    kl_mat3 cc = kl_outer(c, c), I = kl_identity(), Q = kl_mat_scale(kl_dot(c, c), &I);
    kl_mat3 shift    = kl_mat_axpy(-1.0, &cc, &Q);
    kl_mat3 J_center = p->inertia_about == 0 ? J : kl_mat_axpy(-p->mass, &shift, &J);
    KL_TRY(check_inertia(p, s, &J_center));
    p->J = kl_mat_axpy(p->mass, &shift, &J_center);
    return KL_OK;
}

static kl_status rigid_setup(void *data, const kl_setup *s, kl_body_size *size)
{
    *size = (kl_body_size){0};
    kl_size_add(size, KL_TRANSLATION, 3, 3);
    kl_size_add(size, KL_ROTATION, 4, 3);
    return rigid_take_inertia(data, s);
}

static const kl_body_type *rigid_variant(const void *data)
{
    return kl_norm(((const rigid *)data)->spin_axis) > 0.0 ? &kl_spinning : &kl_rigid;
}

void rigid_start(const void *data, double *q, double *v, unsigned char *held_position,
                 unsigned char *held_velocity)
{
    const rigid  *p     = data;
    kl_free_start start = {.position    = p->position,
                           .velocity    = p->velocity,
                           .omega       = p->omega,
                           .orientation = &p->orientation,
                           .in_body     = p->velocity_axes == 1,
                           .fixed       = p->fixed};
    kl_free_start_write(&start, q, v, held_position, held_velocity);
}

static void rigid_position(const void *data, const double *q, void *c)
{
    (void)data;
    rigid_cache *k = c;
    k->r           = kl_load(q);
    k->A           = kl_quat_matrix(q + 3);
}

static void rigid_velocity(const void *data, const double *v, void *c)
{
    (void)data;
    rigid_cache *k = c;
    k->v           = kl_load(v);
    k->om          = kl_load(v + 3);
    k->w           = kl_mul(&k->A, k->om);
}

static void rigid_advance(const void *data, const double *q, const double *dx, double *q_new)
{
    (void)data;
    double dp[4];
    for (int i = 0; i < 3; i++) q_new[i] = q[i] + dx[i];
    kl_quat_exp(kl_load(dx + 3), dp);
    kl_quat_mul(q + 3, dp, q_new + 3);
    kl_quat_normalize(q_new + 3);
}

/* p' = p (0, om) / 2 */
static void rigid_rate(const void *data, const double *q, const double *v, double *q_dot)
{
    (void)data;
    double half[4] = {0.0, 0.5 * v[3], 0.5 * v[4], 0.5 * v[5]};
    for (int i = 0; i < 3; i++) q_dot[i] = v[i];
    kl_quat_mul(q + 3, half, q_dot + 3);
}

/* om = 2 conj(p) p' */
static void rigid_speed(const void *data, const double *q, const double *q_dot, double *v)
{
    (void)data;
    double conj[4] = {q[3], -q[4], -q[5], -q[6]}, om[4];
    kl_quat_mul(conj, q_dot + 3, om);
    for (int i = 0; i < 3; i++) v[i] = q_dot[i], v[3 + i] = 2.0 * om[1 + i];
}

static void rigid_settle(const void *data, double *q)
{
    (void)data;
    kl_quat_normalize(q + 3);
}

static void rigid_carry(const void *data, const double *dx, bool transposed, double *x, int n)
{
    (void)data;
    kl_free_carry(dx, transposed, x, n, 6);
}

static void rigid_pose(const void *data, const void *c, const kl_marker *marker, kl_motion *m)
{
    (void)data;
    const rigid_cache *k = c;
    m->r                 = kl_add(k->r, kl_mul(&k->A, marker->r));
    m->A                 = kl_marker_is_plain(marker) ? k->A : kl_matmul(&k->A, &marker->A);
}

static void rigid_twist(const void *data, const void *c, const kl_marker *marker, kl_motion *m)
{
    (void)data;
    const rigid_cache *k    = c;
    kl_vec3            turn = kl_cross(k->w, kl_mul(&k->A, marker->r));
    m->v                    = kl_add(k->v, turn);
    m->w                    = k->w;
    m->a0                   = kl_cross(k->w, turn);
    m->al0                  = kl_vec(0, 0, 0);
}

/* writes s M into the 3 x 3 block (r, c) of a matrix with `n` columns */
static void put_block(double *B, int n, int r, int c, double s, const kl_mat3 *M)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B[(r + i) * n + c + j] = s * M->m[i][j];
}

static void add_block(double *B, int n, int r, int c, double s, const kl_mat3 *M)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B[(r + i) * n + c + j] += s * M->m[i][j];
}

static void rigid_map(const void *data, const void *c, const kl_marker *marker, double *B)
{
    (void)data;
    const rigid_cache *k = c;
    kl_mat3            U = kl_skew(marker->r), AU = kl_matmul(&k->A, &U), I = kl_identity();
    memset(B, 0, 36 * sizeof *B);
    put_block(B, 6, 0, 0, 1.0, &I);
    put_block(B, 6, 0, 3, -1.0, &AU);
    put_block(B, 6, 3, 3, 1.0, &k->A);
}

/* dv = A [dpi] (om x u) = -A [om x u] dpi,  dw = -A [om] dpi */
static void rigid_map_rate(const void *data, const void *c, const kl_marker *marker, double *W)
{
    (void)data;
    const rigid_cache *k = c;
    kl_mat3            U = kl_skew(kl_cross(k->om, marker->r)), O = kl_skew(k->om);
    kl_mat3            AU = kl_matmul(&k->A, &U), AO = kl_matmul(&k->A, &O);
    memset(W, 0, 36 * sizeof *W);
    put_block(W, 6, 0, 3, -1.0, &AU);
    put_block(W, 6, 3, 3, -1.0, &AO);
}

static void rigid_pull(const void *data, const void *c, const kl_marker *marker,
                       const double wrench[6], double *g)
{
    (void)data;
    const rigid_cache *k = c;
    kl_vec3 f = kl_mul_t(&k->A, kl_load(wrench)), n = kl_mul_t(&k->A, kl_load(wrench + 3));
    kl_vec3 about = kl_add(n, kl_cross(marker->r, f));
    for (int i = 0; i < 3; i++) g[i] += wrench[i];
    g[3] += about.x, g[4] += about.y, g[5] += about.z;
}

/* K_pp += [u][A'f] + [A'n] */
static void rigid_add_geometric(const void *data, const void *c, const kl_marker *marker,
                                const double wrench[6], double *K)
{
    (void)data;
    const rigid_cache *k = c;
    kl_mat3            F = kl_skew(kl_mul_t(&k->A, kl_load(wrench))),
            N            = kl_skew(kl_mul_t(&k->A, kl_load(wrench + 3)));
    kl_mat3 U = kl_skew(marker->r), UF = kl_matmul(&U, &F);
    add_block(K, 6, 3, 3, 1.0, &UF);
    add_block(K, 6, 3, 3, 1.0, &N);
}

static void rigid_inertia(const void *data, const void *c, double *M, double *s)
{
    const rigid       *p = data;
    const rigid_cache *k = c;
    kl_mat3 S = kl_skew(rigid_moment(p)), AS = kl_matmul(&k->A, &S), ASt = kl_transpose(&AS),
            I = kl_identity();
    put_block(M, 6, 0, 0, p->mass, &I);
    put_block(M, 6, 0, 3, -1.0, &AS);
    put_block(M, 6, 3, 0, -1.0, &ASt);
    put_block(M, 6, 3, 3, 1.0, &p->J);
    kl_store(s, kl_neg(kl_mul(&k->A, kl_cross(k->om, kl_cross(k->om, rigid_moment(p))))));
    kl_store(s + 3, kl_neg(kl_cross(k->om, kl_mul(&p->J, k->om))));
}

/* F_r = m a + A (al x S + om x (om x S)),  F_pi = J al + om x J om + S x A'a */
static void rigid_inertia_tangent(const void *data, const void *c, const double *a, double *K,
                                  double *C)
{
    const rigid       *p  = data;
    const rigid_cache *k  = c;
    kl_vec3            al = kl_load(a + 3), om = k->om, omS = kl_cross(om, rigid_moment(p));
    memset(K, 0, 36 * sizeof *K);
    memset(C, 0, 36 * sizeof *C);

    /* by rotation: dA = A [dpi], d(A'a) = [A'a] dpi */
    kl_mat3 inner = kl_skew(kl_add(kl_cross(al, rigid_moment(p)), kl_cross(om, omS))),
            Ai    = kl_matmul(&k->A, &inner);
    kl_mat3 S = kl_skew(rigid_moment(p)), a_body = kl_skew(kl_mul_t(&k->A, kl_load(a))),
            Sa = kl_matmul(&S, &a_body);
    put_block(K, 6, 0, 3, -1.0, &Ai);
    put_block(K, 6, 3, 3, 1.0, &Sa);

    /* by om: d(om x (om x S)) = -([om x S] + [om][S]) dom,  d(om x J om) = ([om] J - [J om]) dom */
    kl_mat3 O = kl_skew(om), OS = kl_matmul(&O, &S), oS = kl_skew(omS),
            sum  = kl_mat_axpy(1.0, &OS, &oS);
    kl_mat3 Asum = kl_matmul(&k->A, &sum), OJ = kl_matmul(&O, &p->J),
            Jo = kl_skew(kl_mul(&p->J, om));
    put_block(C, 6, 0, 3, -1.0, &Asum);
    put_block(C, 6, 3, 3, 1.0, &OJ);
    add_block(C, 6, 3, 3, -1.0, &Jo);
}

static void rigid_measures(const void *data, const void *c, kl_measures *m)
{
    const rigid       *p    = data;
    const rigid_cache *k    = c;
    kl_vec3            turn = kl_mul(
                   &k->A, kl_cross(k->om, rigid_moment(p))); /* m times velocity of the centre about r */
    kl_vec3 offset = kl_mul(&k->A, rigid_moment(p));
    m->mass        = p->mass;
    m->center      = p->mass > 0.0 ? kl_axpy(1.0 / p->mass, offset, k->r) : k->r;
    m->p           = kl_axpy(p->mass, k->v, turn);
    /* L about the origin: r x p + S x v + A J om, all global */
    m->L       = kl_add(kl_add(kl_cross(k->r, m->p), kl_cross(offset, k->v)),
                        kl_mul(&k->A, kl_mul(&p->J, k->om)));
    m->kinetic = 0.5 * p->mass * kl_dot(k->v, k->v) + kl_dot(k->v, turn) +
                 0.5 * kl_dot(k->om, kl_mul(&p->J, k->om));
}

const kl_key kl_rigid_keys[] = {
    KL_RIGID_KEYS,
    {.name     = "spin_axis",
     .kind     = KL_KEY_AXIS,
     .offset   = offsetof(rigid, spin_axis),
     .fallback = "",
     .help =
         "spin axis in the body (wheelset, rotor): the equations are written in a frame that does "
         "not spin, with the spin angle as a coordinate, so fast rotation needs no smaller steps"},
    {0}};

const kl_body_type kl_rigid = {.name    = "rigid",
                               .help    = "rigid body: six degrees of freedom, any reference point",
                               .example = "crank: {mass: 2 kg, inertia: [0.01, 0.02, 0.02], "
                                          "position: [0.1, 0, 0]}",
                               .keys    = kl_rigid_keys,
                               .data_size       = sizeof(rigid),
                               .cache_size      = sizeof(rigid_cache),
                               .variant         = rigid_variant,
                               .place           = rigid_place,
                               .setup           = rigid_setup,
                               .start           = rigid_start,
                               .position        = rigid_position,
                               .velocity        = rigid_velocity,
                               .advance         = rigid_advance,
                               .rate            = rigid_rate,
                               .speed           = rigid_speed,
                               .settle          = rigid_settle,
                               .carry           = rigid_carry,
                               .pose            = rigid_pose,
                               .twist           = rigid_twist,
                               .map             = rigid_map,
                               .map_rate        = rigid_map_rate,
                               .pull            = rigid_pull,
                               .add_geometric   = rigid_add_geometric,
                               .inertia         = rigid_inertia,
                               .inertia_tangent = rigid_inertia_tangent,
                               .measures        = rigid_measures};
