#include "fe/large_shell.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "base/turn.h"
#include "fe/shell.h"

enum { NODES = KL_LARGE_SHELL_NODES, DOF = KL_LARGE_SHELL_DOF };

/* ---- reference configuration ---- */

/* A right-handed frame that the corners alone give: where the search for R begins. */
static kl_mat3 corner_axes(int n, const kl_vec3 *x)
{
    kl_vec3 a = kl_sub(x[n == 3 ? 1 : 2], x[0]), b = kl_sub(x[n == 3 ? 2 : 3], x[n == 3 ? 0 : 1]);
    kl_vec3 e = kl_unit(a), normal = kl_unit(kl_cross(a, b));
    return kl_from_axes(e, kl_cross(normal, e), normal);
}

kl_status kl_large_shell_init(const kl_fe_element *e, kl_large_shell *s)
{
    kl_vec3 mean = kl_vec(0, 0, 0);
    *s           = (kl_large_shell){.n = kl_shape_info_of(e->shape)->nnode};
    for (int a = 0; a < s->n; a++) mean = kl_axpy(1.0 / s->n, e->x[a], mean);
    for (int a = 0; a < s->n; a++) s->X[a] = kl_sub(e->x[a], mean);
    s->axes = corner_axes(s->n, s->X);
    return kl_shell_stiffness(e, NULL, s->K);
}

kl_status kl_large_shell_lump(const kl_fe_element *e, double *mass, double *inertia)
{
    kl_shell q;
    double   r[NODES][2], weight[NODES], share = 0.0;
    KL_TRY(kl_shell_init(e, &q));
    int np = kl_shell_points(q.n, r, weight);
    memset(mass, 0, NODES * sizeof *mass);
    for (int p = 0; p < np; p++) {
        double N[NODES], det = kl_shell_shapes_at(&q, r[p], N);
        if (!(det > 0.0)) return KL_E_MODEL;
        for (int a = 0; a < q.n; a++) mass[a] += weight[p] * det * N[a];
    }
    for (int a = 0; a < q.n; a++) {
        share      = mass[a];
        mass[a]    = q.s.mass * share;
        inertia[a] = q.s.second * share;
    }
    return KL_OK;
}

/* ---- axes that follow the nodes ---- */

/* An element in the axes R: local values, all nodes. */
typedef struct local {
    kl_mat3 R;
    kl_vec3 y[NODES];           /* R'(x - c) */
    kl_vec3 theta[NODES];       /* log(R'A) */
    kl_mat3 turn[NODES];        /* d theta/d(small rotation before it): T^-T of turn.h */
    kl_mat3 S_inverse;          /* of S below */
    double  d[DOF], n[DOF];     /* displacements, and K d */
    kl_vec3 f[NODES], t[NODES]; /* forces, moments */
} local;

/* S = sum (X.y) I - y X', so that sum X x (phi x y) = S phi */
static kl_mat3 spin_matrix(const kl_large_shell *s, const kl_vec3 *y)
{
    kl_mat3 S = {{{0}}};
    for (int a = 0; a < s->n; a++) {
        kl_mat3 part = kl_outer(y[a], s->X[a]);
        double  on   = kl_dot(s->X[a], y[a]);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) S.m[i][j] -= part.m[i][j];
            S.m[i][i] += on;
        }
    }
    return S;
}

/* R by Newton's method on sum X x R'x = 0; false: none found. */
static bool follow(const kl_large_shell *s, const kl_vec3 *x, local *q)
{
    kl_vec3 mean = kl_vec(0, 0, 0), arm[NODES];
    for (int a = 0; a < s->n; a++) mean = kl_axpy(1.0 / s->n, x[a], mean);
    for (int a = 0; a < s->n; a++) arm[a] = kl_sub(x[a], mean);
    kl_mat3 now = corner_axes(s->n, arm), back = kl_transpose(&s->axes);
    q->R = kl_matmul(&now, &back);
    for (int pass = 0; pass < 20; pass++) {
        kl_vec3 gap  = kl_vec(0, 0, 0);
        double  size = 0.0;
        for (int a = 0; a < s->n; a++) {
            q->y[a] = kl_mul_t(&q->R, arm[a]);
            gap     = kl_add(gap, kl_cross(s->X[a], q->y[a]));
            size += kl_dot(s->X[a], s->X[a]);
        }
        kl_mat3 S = spin_matrix(s, q->y);
        if (!(fabs(kl_det(&S)) > 1e-6 * size * size * size)) return false;
        q->S_inverse = kl_inverse(&S);
        kl_vec3 phi  = kl_mul(&q->S_inverse, gap);
        kl_mat3 turn = kl_rotation_exp(phi);
        q->R         = kl_matmul(&q->R, &turn);
        if (kl_norm(phi) < 1e-14) return true; /* y belongs to R but for rounding */
    }
    return false;
}

static bool take_local(const kl_large_shell *s, const kl_vec3 *x, const kl_mat3 *A, local *q)
{
    const double most = 1.6; /* [rad] */
    int          n    = 6 * s->n;
    if (!follow(s, x, q)) return false;
    kl_mat3 Rt = kl_transpose(&q->R);
    for (int a = 0; a < s->n; a++) {
        kl_mat3 Q   = kl_matmul(&Rt, &A[a]);
        q->theta[a] = kl_rotation_log(&Q);
        if (!(kl_norm(q->theta[a]) < most)) return false;
        kl_store(q->d + 6 * a, kl_sub(q->y[a], s->X[a]));
        kl_store(q->d + 6 * a + 3, q->theta[a]);
    }
    for (int i = 0; i < n; i++) {
        q->n[i] = 0.0;
        for (int j = 0; j < n; j++) q->n[i] += s->K[i * n + j] * q->d[j];
    }
    return true;
}

/* f = n + mu x X and t = T^-1 m, where S'mu = -sum(y x n + t) makes dU/dR vanish */
static void take_forces(const kl_large_shell *s, local *q)
{
    kl_vec3 moment = kl_vec(0, 0, 0);
    for (int a = 0; a < s->n; a++) {
        kl_turn_values v    = kl_turn_series(kl_dot(q->theta[a], q->theta[a]));
        kl_turn_form   form = kl_turn_tangent_inverse(&v);
        kl_mat3        T    = kl_turn_matrix(&form, q->theta[a]);
        q->turn[a]          = kl_transpose(&T);
        q->t[a]             = kl_mul(&T, kl_load(q->n + 6 * a + 3));
        q->f[a]             = kl_load(q->n + 6 * a);
        moment              = kl_add(moment, kl_add(kl_cross(q->y[a], q->f[a]), q->t[a]));
    }
    kl_vec3 mu = kl_neg(kl_mul_t(&q->S_inverse, moment));
    for (int a = 0; a < s->n; a++) q->f[a] = kl_add(q->f[a], kl_cross(mu, s->X[a]));
}

/* ---- first derivatives ---- */

/* rows r.. and columns c.. of an n x n matrix += M */
static void add_block(double *K, int n, int r, int c, const kl_mat3 *M)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) K[(r + i) * n + c + j] += M->m[i][j];
}

/* spin of the axes by the nodes' displacements: phi = sum G_a u_a, G_a = S^-1 [X_a] */
static void spin_of(const kl_large_shell *s, const local *q, kl_mat3 *G)
{
    for (int a = 0; a < s->n; a++) {
        kl_mat3 X = kl_skew(s->X[a]);
        G[a]      = kl_matmul(&q->S_inverse, &X);
    }
}

/* E = dd/d(u, w) in the axes R: du_a - phi x y_a and T^-T (w_a - phi) */
static void motion_of(const kl_large_shell *s, const local *q, const kl_mat3 *G, double *E)
{
    int     n   = 6 * s->n;
    kl_mat3 one = kl_identity();
    memset(E, 0, (size_t)(n * n) * sizeof *E);
    for (int a = 0; a < s->n; a++) {
        kl_mat3 y = kl_skew(q->y[a]), back = kl_mat_scale(-1.0, &q->turn[a]);
        add_block(E, n, 6 * a, 6 * a, &one);
        add_block(E, n, 6 * a + 3, 6 * a + 3, &q->turn[a]);
        for (int b = 0; b < s->n; b++) {
            kl_mat3 u = kl_matmul(&y, &G[b]), w = kl_matmul(&back, &G[b]);
            add_block(E, n, 6 * a, 6 * b, &u);
            add_block(E, n, 6 * a + 3, 6 * b, &w);
        }
    }
}

/* H = scale E'K E */
static void material_part(const kl_large_shell *s, const double *E, double scale, double *H)
{
    int    n = 6 * s->n;
    double KE[DOF * DOF];
    memset(KE, 0, sizeof KE);
    memset(H, 0, (size_t)(n * n) * sizeof *H);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double f = scale * s->K[i * n + k];
            for (int j = 0; f != 0.0 && j < n; j++) KE[i * n + j] += f * E[k * n + j];
        }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            double f = E[k * n + i];
            for (int j = 0; f != 0.0 && j < n; j++) H[i * n + j] += f * KE[k * n + j];
        }
}

/* ---- second derivatives ---- */

/* w't(theta) of second order: the symmetric part of d(T^-1 m)/dtheta T^-T */
static kl_mat3 moment_curvature(const local *q, int a)
{
    kl_turn_values v    = kl_turn_series(kl_dot(q->theta[a], q->theta[a]));
    kl_turn_form   form = kl_turn_tangent_inverse(&v);
    kl_mat3        D    = kl_turn_derivative(&form, q->theta[a], kl_load(q->n + 6 * a + 3));
    kl_mat3        N = kl_matmul(&D, &q->turn[a]), Nt = kl_transpose(&N);
    N = kl_mat_axpy(1.0, &Nt, &N);
    return kl_mat_scale(0.5, &N);
}

/* At fixed forces, with phi = G u, the second-order terms of U + mu.(sum X x y) are
 *   phi.(f x u) + (phi.f phi.y - f.y phi.phi)/2 + phi.(t x w)/2 + (w - phi)'N (w - phi)/2 */
static void add_curvature(const kl_large_shell *s, const local *q, const kl_mat3 *G, double *H)
{
    int     n = 6 * s->n;
    kl_mat3 W = {{{0}}}, N[NODES];
    for (int a = 0; a < s->n; a++) {
        kl_mat3 fy = kl_outer(q->f[a], q->y[a]), yf = kl_transpose(&fy);
        double  on = kl_dot(q->f[a], q->y[a]);
        N[a]       = moment_curvature(q, a);
        W          = kl_mat_axpy(0.5, &fy, &W);
        W          = kl_mat_axpy(0.5, &yf, &W);
        W          = kl_mat_axpy(1.0, &N[a], &W);
        for (int i = 0; i < 3; i++) W.m[i][i] -= on;
    }
    for (int a = 0; a < s->n; a++) {
        kl_mat3 Gt = kl_transpose(&G[a]), GW = kl_matmul(&Gt, &W);
        for (int b = 0; b < s->n; b++) {
            kl_mat3 f = kl_skew(q->f[b]), t = kl_skew(q->t[b]);
            kl_mat3 uu = kl_matmul(&GW, &G[b]), uf = kl_matmul(&Gt, &f), fu = kl_transpose(&uf);
            t          = kl_mat_scale(0.5, &t);
            t          = kl_mat_axpy(-1.0, &N[b], &t);
            kl_mat3 uw = kl_matmul(&Gt, &t), wu = kl_transpose(&uw);
            add_block(H, n, 6 * a, 6 * b, &uu);
            add_block(H, n, 6 * a, 6 * b, &uf);
            add_block(H, n, 6 * b, 6 * a, &fu);
            add_block(H, n, 6 * a, 6 * b + 3, &uw);
            add_block(H, n, 6 * b + 3, 6 * a, &wu);
        }
        add_block(H, n, 6 * a + 3, 6 * a + 3, &N[a]);
    }
}

/* ---- global axes ---- */

/* K = R H R', block by block */
static void to_global(int n, const kl_mat3 *R, const double *H, double *K)
{
    kl_mat3 Rt = kl_transpose(R);
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    for (int a = 0; a < n; a += 3)
        for (int b = 0; b < n; b += 3) {
            kl_mat3 M;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) M.m[i][j] = H[(a + i) * n + b + j];
            M = kl_matmul(R, &M);
            M = kl_matmul(&M, &Rt);
            add_block(K, n, a, b, &M);
        }
}

/* The derivative of a moment by a rotation is not symmetric: exp(a) exp(b) = exp(a + b + a x b/2 ..) */
static void add_order_of_turns(const kl_large_shell *s, const kl_large_shell_answer *out, double *K)
{
    for (int a = 0; a < s->n; a++) {
        kl_mat3 t = kl_skew(kl_load(out->f + 6 * a + 3));
        t         = kl_mat_scale(-0.5, &t);
        add_block(K, 6 * s->n, 6 * a + 3, 6 * a + 3, &t);
    }
}

/* Adds damping E'K E v to the local forces; returns the power lost. */
static double add_damping(const kl_large_shell *s, local *q, const double *E, const double *V,
                          double damping)
{
    int    n = 6 * s->n;
    double v[DOF], rate[DOF] = {0}, loss = 0.0;
    for (int a = 0; a < 2 * s->n; a++) kl_store(v + 3 * a, kl_mul_t(&q->R, kl_load(V + 3 * a)));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) rate[i] += E[i * n + j] * v[j];
    for (int i = 0; i < n; i++) {
        double force = 0.0;
        for (int j = 0; j < n; j++) force += damping * s->K[i * n + j] * rate[j];
        loss += force * rate[i];
        for (int a = 0; a < s->n; a++) {
            const double *u = E + i * n + 6 * a;
            q->f[a]         = kl_axpy(force, kl_load(u), q->f[a]);
            q->t[a]         = kl_axpy(force, kl_load(u + 3), q->t[a]);
        }
    }
    return loss;
}

kl_status kl_large_shell_eval(const kl_large_shell *s, const kl_vec3 *x, const kl_mat3 *A,
                              const double *V, double damping, kl_large_shell_answer *out,
                              double *K, double *C)
{
    int     n = 6 * s->n;
    local   q;
    kl_mat3 G[NODES];
    double  E[DOF * DOF], H[DOF * DOF];
    bool    damped = V && damping > 0.0;
    memset(out, 0, sizeof *out);
    if (!take_local(s, x, A, &q)) return KL_RETRY;
    take_forces(s, &q);
    out->R = q.R;
    memcpy(out->d, q.d, sizeof out->d);
    for (int i = 0; i < n; i++) out->stored += 0.5 * q.d[i] * q.n[i];
    if (K || damped) {
        spin_of(s, &q, G);
        motion_of(s, &q, G, E);
    }
    if (K) {
        material_part(s, E, 1.0, H);
        if (C) to_global(n, &q.R, H, C);
        for (int i = 0; C && i < n * n; i++) C[i] *= damping;
        add_curvature(s, &q, G, H);
        to_global(n, &q.R, H, K);
    }
    if (damped) out->loss = add_damping(s, &q, E, V, damping);
    for (int a = 0; a < s->n; a++) {
        kl_store(out->f + 6 * a, kl_mul(&q.R, q.f[a]));
        kl_store(out->f + 6 * a + 3, kl_mul(&q.R, q.t[a]));
    }
    if (K) add_order_of_turns(s, out, K);
    return KL_OK;
}
