#include "beams/beam_strain.h"

#include <string.h>

#include "base/rotation.h"
#include "base/turn.h"

kl_beam_rule kl_beam_rule_of(int nodes, double length)
{
    kl_beam_rule b = {.n = nodes, .npoint = nodes - 1, .reference = nodes - 2, .length = length};
    if (nodes == 2) {
        b.weight[0] = length;
        b.N[0][0] = b.N[0][1] = 0.5;
        b.D[0][0] = -1.0 / length, b.D[0][1] = 1.0 / length;
        return b;
    }
    for (int p = 0; p < 2; p++) {
        double x    = (p == 0 ? -1.0 : 1.0) / sqrt(3.0);
        b.weight[p] = 0.5 * length;
        b.N[p][0] = 0.5 * x * (x - 1.0), b.N[p][1] = 1.0 - x * x, b.N[p][2] = 0.5 * x * (x + 1.0);
        b.D[p][0] = (2.0 * x - 1.0) / length, b.D[p][1] = -4.0 * x / length;
        b.D[p][2] = (2.0 * x + 1.0) / length;
    }
    return b;
}

/* gamma = exp(psi)' w - e1 and kappa = T(psi) psi' at integration point p. */
static void point_strain(const kl_beam_rule *b, kl_beam_shape *s, int p)
{
    kl_vec3 w = kl_vec(0, 0, 0), psi = w, slope = w;
    for (int i = 0; i < b->n; i++) {
        w     = kl_axpy(b->D[p][i], s->u[i], w);
        psi   = kl_axpy(b->N[p][i], s->psi[i], psi);
        slope = kl_axpy(b->D[p][i], s->psi[i], slope);
    }
    s->at[p].c     = kl_turn_series(kl_dot(psi, psi));
    kl_turn_form e = kl_turn_exp(&s->at[p].c), t = kl_turn_tangent(&s->at[p].c);
    s->at[p].w = w, s->at[p].psi = psi, s->at[p].slope = slope;
    s->at[p].E    = kl_turn_matrix(&e, psi);
    s->at[p].T    = kl_turn_matrix(&t, psi);
    s->at[p].H    = kl_turn_derivative(&t, psi, slope);
    e             = kl_turn_transposed(e);
    s->at[p].G    = kl_turn_derivative(&e, psi, w);
    kl_vec3 gamma = kl_mul_t(&s->at[p].E, w);
    gamma.x -= 1.0;
    kl_store(s->at[p].strain, gamma);
    kl_store(s->at[p].strain + 3, kl_mul(&s->at[p].T, slope));
}

/* Rotation of node i against the reference, and the inverse of its left Jacobian. */
static bool node_turn(kl_beam_shape *s, int i, const kl_mat3 *A)
{
    const double most = 3.0; /* [rad]; at pi the rotation vector jumps to its opposite */
    kl_mat3      Rt = kl_transpose(&s->R), turn = kl_matmul(&Rt, A);
    s->psi[i]               = kl_rotation_log(&turn);
    double         x        = kl_dot(s->psi[i], s->psi[i]);
    kl_turn_values c        = kl_turn_series(x);
    s->inverse[i]           = kl_turn_tangent_inverse(&c);
    kl_turn_form transposed = kl_turn_transposed(s->inverse[i]);
    s->L[i]                 = kl_turn_matrix(&transposed, s->psi[i]);
    return x < most * most;
}

bool kl_beam_shape_of(const kl_beam_rule *b, const kl_vec3 *r, const kl_mat3 *A, kl_beam_shape *s)
{
    s->R = A[b->reference];
    for (int i = 0; i < b->n; i++) {
        s->u[i] = s->psi[i] = kl_vec(0, 0, 0);
        if (i == b->reference) continue;
        s->u[i] = kl_mul_t(&s->R, kl_sub(r[i], r[b->reference]));
        if (!node_turn(s, i, &A[i])) return false;
    }
    for (int p = 0; p < b->npoint; p++) point_strain(b, s, p);
    return true;
}

/* Gradient of the strain energy by u_i (f) and psi_i (g), in the axes R. */
static void gradient(const kl_beam_rule *b, const kl_beam_shape *s,
                     double stress[KL_BEAM_POINTS][6], kl_vec3 *f, kl_vec3 *g)
{
    for (int i = 0; i < b->n; i++) f[i] = g[i] = kl_vec(0, 0, 0);
    for (int p = 0; p < b->npoint; p++) {
        kl_vec3 n = kl_load(stress[p]), m = kl_load(stress[p] + 3);
        kl_vec3 push = kl_mul(&s->at[p].E, n), along = kl_mul_t(&s->at[p].T, m);
        kl_vec3 turn = kl_add(kl_mul_t(&s->at[p].G, n), kl_mul_t(&s->at[p].H, m));
        for (int i = 0; i < b->n; i++) {
            double N = b->weight[p] * b->N[p][i], D = b->weight[p] * b->D[p][i];
            f[i] = kl_axpy(D, push, f[i]);
            g[i] = kl_axpy(N, turn, kl_axpy(D, along, g[i]));
        }
    }
}

/* Wrenches in global axes: (f_i, L_i' g_i) for each node, since dpsi_i = L_i (dtheta_i - dtheta_R). The
 * reference node balances them: force -sum f_i, moment -sum (m_i + u_i x f_i). */
void kl_beam_forces(const kl_beam_rule *b, const kl_beam_shape *s, double stress[KL_BEAM_POINTS][6],
                    double *wrench)
{
    kl_vec3 f[KL_BEAM_NODES], g[KL_BEAM_NODES], force = kl_vec(0, 0, 0), moment = force;
    int     ref = b->reference;
    gradient(b, s, stress, f, g);
    for (int i = 0; i < b->n; i++) {
        if (i == ref) continue;
        kl_vec3 m = kl_mul_t(&s->L[i], g[i]);
        force     = kl_sub(force, f[i]);
        moment    = kl_sub(moment, kl_add(m, kl_cross(s->u[i], f[i])));
        kl_store(wrench + 6 * i, kl_mul(&s->R, f[i]));
        kl_store(wrench + 6 * i + 3, kl_mul(&s->R, m));
    }
    kl_store(wrench + 6 * ref, kl_mul(&s->R, force));
    kl_store(wrench + 6 * ref + 3, kl_mul(&s->R, moment));
}

void kl_beam_strain_rate(const kl_beam_rule *b, const kl_beam_shape *s, int p, const double *V,
                         double rate[6])
{
    int     ref = b->reference;
    kl_vec3 v0  = kl_mul_t(&s->R, kl_load(V + 6 * ref)),
            w0  = kl_mul_t(&s->R, kl_load(V + 6 * ref + 3));
    kl_vec3 dw = kl_vec(0, 0, 0), dpsi = dw, dslope = dw;
    for (int i = 0; i < b->n; i++) {
        if (i == ref) continue;
        kl_vec3 du = kl_sub(kl_mul_t(&s->R, kl_load(V + 6 * i)), v0);
        kl_vec3 d  = kl_mul(&s->L[i], kl_sub(kl_mul_t(&s->R, kl_load(V + 6 * i + 3)), w0));
        du         = kl_add(du, kl_cross(s->u[i], w0));
        dw         = kl_axpy(b->D[p][i], du, dw);
        dpsi       = kl_axpy(b->N[p][i], d, dpsi);
        dslope     = kl_axpy(b->D[p][i], d, dslope);
    }
    kl_store(rate, kl_add(kl_mul_t(&s->at[p].E, dw), kl_mul(&s->at[p].G, dpsi)));
    kl_store(rate + 3, kl_add(kl_mul(&s->at[p].T, dslope), kl_mul(&s->at[p].H, dpsi)));
}

/* ---- tangent ----
 * The energy of a point depends on the nine numbers (w, slope, psi), which are sums over the nodes with D, D and N.
 * Its 9 x 9 second derivative is formed once for each point and shared by all pairs of nodes; the sums then go
 * into global axes once for each pair. */

enum { W = 0, SLOPE = 3, PSI = 6, POINT = 9 };

/* Second derivative of the energy by (u, psi) of a pair of nodes (i, j). */
typedef struct pair {
    kl_mat3 uu, up, pu, pp;
} pair;

/* B = d(gamma, kappa)/d(w, slope, psi) = [E' 0 G; 0 T H] */
static void strain_map(const kl_beam_shape *s, int p, double B[6][POINT])
{
    memset(B, 0, 6 * POINT * sizeof B[0][0]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            B[r][W + c]         = s->at[p].E.m[c][r];
            B[r][PSI + c]       = s->at[p].G.m[r][c];
            B[3 + r][SLOPE + c] = s->at[p].T.m[r][c];
            B[3 + r][PSI + c]   = s->at[p].H.m[r][c];
        }
}

/* P += terms of the stresses, because strains are not linear in psi: d(E n)/dpsi, d(T'm)/dpsi and the second
 * derivative of n.gamma + m.kappa. */
static void add_stress_terms(const kl_beam_shape *s, int p, double weight, const double *stress,
                             double P[POINT][POINT])
{
    kl_turn_form e = kl_turn_exp(&s->at[p].c), t = kl_turn_tangent(&s->at[p].c),
                 et = kl_turn_transposed(e), tt = kl_turn_transposed(t);
    kl_vec3 n = kl_scale(weight, kl_load(stress)), m = kl_scale(weight, kl_load(stress + 3)),
            psi  = s->at[p].psi;
    kl_mat3 push = kl_turn_derivative(&e, psi, n), slope = kl_turn_derivative(&tt, psi, m);
    kl_mat3 A = kl_turn_second(&et, psi, s->at[p].w, n),
            B = kl_turn_second(&t, psi, s->at[p].slope, m);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            P[W + r][PSI + c] += push.m[r][c];
            P[SLOPE + r][PSI + c] += slope.m[r][c];
            P[PSI + r][PSI + c] += A.m[r][c] + B.m[r][c];
        }
}

/* P = weight (B' C B + terms of the stresses); blocks (psi, w) and (psi, slope) follow by symmetry and are not set. */
static void point_hessian(const kl_beam_shape *s, int p, double weight, const double *stress,
                          const double *C, double P[POINT][POINT])
{
    double B[6][POINT], S[6][POINT] = {{0}};
    strain_map(s, p, B);
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 6; k++) {
            double c = weight * C[6 * r + k];
            if (c == 0.0) continue;
            for (int j = 0; j < POINT; j++) S[r][j] += c * B[k][j];
        }
    memset(P, 0, POINT * POINT * sizeof P[0][0]);
    for (int k = 0; k < 3; k++)
        for (int r = 0; r < 3; r++)
            for (int j = 0; j < POINT; j++) {
                P[W + r][j] += B[k][W + r] * S[k][j];
                P[SLOPE + r][j] += B[3 + k][SLOPE + r] * S[3 + k][j];
            }
    for (int k = 0; k < 6; k++)
        for (int r = 0; r < 3; r++)
            for (int j = 0; j < 3; j++) P[PSI + r][PSI + j] += B[k][PSI + r] * S[k][PSI + j];
    add_stress_terms(s, p, weight, stress, P);
}

static void add_to_pair(double P[POINT][POINT], double Ni, double Di, double Nj, double Dj, pair *h)
{
    double dd = Di * Dj, dn = Di * Nj, nd = Ni * Dj, nn = Ni * Nj;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            h->uu.m[r][c] += dd * P[W + r][W + c];
            h->up.m[r][c] += dd * P[W + r][SLOPE + c] + dn * P[W + r][PSI + c];
            h->pu.m[r][c] += dd * P[W + c][SLOPE + r] + nd * P[W + c][PSI + r];
            h->pp.m[r][c] += dd * P[SLOPE + r][SLOPE + c] + dn * P[SLOPE + r][PSI + c] +
                             nd * P[SLOPE + c][PSI + r] + nn * P[PSI + r][PSI + c];
        }
}

static void put(double *K, int wide, int row, int column, const kl_mat3 *M)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) K[(row + r) * wide + column + c] = M->m[r][c];
}

static void put_transposed(double *K, int wide, int row, int column, const kl_mat3 *M)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) K[(row + r) * wide + column + c] = M->m[c][r];
}

/* Left' M right */
static kl_mat3 between(const kl_mat3 *left, const kl_mat3 *M, const kl_mat3 *right)
{
    kl_mat3 t = kl_transpose(left), P = kl_matmul(&t, M);
    return kl_matmul(&P, right);
}

/* Rows of node i and columns of node j in global axes, and by symmetry the other way round. X: d(psi) by increments of the
 * node, Rt: d(u). m_i = X_i' g_i adds R d(T^-1 g)/dpsi X_i, which is not symmetric. */
static void put_pair(const kl_beam_shape *s, int i, int j, const pair *h, const kl_mat3 *X,
                     const kl_vec3 *g, int wide, double *K)
{
    kl_mat3 Rt = kl_transpose(&s->R), uu = between(&Rt, &h->uu, &Rt),
            up = between(&Rt, &h->up, &X[j]), pu, pp = between(&X[i], &h->pp, &X[j]);
    put(K, wide, 6 * i, 6 * j, &uu);
    put(K, wide, 6 * i, 6 * j + 3, &up);
    if (i == j) {
        kl_mat3 turn = kl_turn_derivative(&s->inverse[i], s->psi[i], g[i]);
        turn         = between(&Rt, &turn, &X[i]);
        pp           = kl_mat_axpy(1.0, &turn, &pp);
        put_transposed(K, wide, 6 * i + 3, 6 * i, &up);
        put(K, wide, 6 * i + 3, 6 * i + 3, &pp);
        return;
    }
    pu = between(&X[i], &h->pu, &Rt);
    put(K, wide, 6 * i + 3, 6 * j, &pu);
    put(K, wide, 6 * i + 3, 6 * j + 3, &pp);
    put_transposed(K, wide, 6 * j, 6 * i, &uu);
    put_transposed(K, wide, 6 * j + 3, 6 * i, &up);
    put_transposed(K, wide, 6 * j, 6 * i + 3, &pu);
    put_transposed(K, wide, 6 * j + 3, 6 * i + 3, &pp);
}

/* Columns of the reference node: it moves all others by -dr_R, d(u_j) = u_j x theta_R, and turns the axes that forces are
 * given in: df = theta_R x f. */
static void add_reference_columns(const kl_beam_rule *b, const kl_vec3 *u, const double *wrench,
                                  double *K)
{
    int all = 6 * b->n, ref = 6 * b->reference;
    for (int row = 0; row < all; row++) {
        if (row / 6 == b->reference) continue;
        double *k    = K + row * all;
        kl_vec3 move = kl_vec(0, 0, 0), turn = move;
        for (int j = 0; j < b->n; j++) {
            if (j == b->reference) continue;
            kl_vec3 by_r = kl_load(k + 6 * j);
            move         = kl_sub(move, by_r);
            turn         = kl_add(turn, kl_sub(kl_cross(by_r, u[j]), kl_load(k + 6 * j + 3)));
        }
        kl_store(k + ref, move);
        kl_store(k + ref + 3, turn);
    }
    for (int r = 0; r < all; r += 3) {
        if (r / 6 == b->reference) continue;
        kl_mat3 F = kl_skew(kl_load(wrench + r));
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++) K[(r + i) * all + ref + 3 + c] -= F.m[i][c];
    }
}

/* Rows of the reference node: f_R = -sum f_i, m_R = -sum (m_i + (r_i - r_R) x f_i). */
static void add_reference_rows(const kl_beam_rule *b, const kl_vec3 *u, const double *wrench,
                               double *K)
{
    int     all = 6 * b->n, ref = 6 * b->reference;
    double *f = K + ref * all, *m = f + 3 * all;
    memset(f, 0, (size_t)(6 * all) * sizeof *f);
    for (int i = 0; i < b->n; i++) {
        if (i == b->reference) continue;
        const double *df = K + 6 * i * all, *dm = df + 3 * all;
        for (int c = 0; c < 3 * all; c++) f[c] -= df[c], m[c] -= dm[c];
        for (int c = 0; c < all; c++) {
            m[c] -= u[i].y * df[2 * all + c] - u[i].z * df[all + c];
            m[all + c] -= u[i].z * df[c] - u[i].x * df[2 * all + c];
            m[2 * all + c] -= u[i].x * df[all + c] - u[i].y * df[c];
        }
        kl_mat3 F = kl_skew(kl_load(wrench + 6 * i));
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                m[r * all + 6 * i + c] += F.m[r][c];
                m[r * all + ref + c] -= F.m[r][c];
            }
    }
}

void kl_beam_tangent(const kl_beam_rule *b, const kl_beam_shape *s,
                     double stress[KL_BEAM_POINTS][6], double C[KL_BEAM_POINTS][36], double *K)
{
    kl_vec3 f[KL_BEAM_NODES], g[KL_BEAM_NODES], u[KL_BEAM_NODES];
    kl_mat3 X[KL_BEAM_NODES], Rt = kl_transpose(&s->R);
    double  wrench[KL_BEAM_WIDE], P[KL_BEAM_POINTS][POINT][POINT];
    gradient(b, s, stress, f, g);
    for (int p = 0; p < b->npoint; p++) point_hessian(s, p, b->weight[p], stress[p], C[p], P[p]);
    for (int i = 0; i < b->n; i++) {
        if (i == b->reference) continue;
        X[i] = kl_matmul(&s->L[i], &Rt);
        u[i] = kl_mul(&s->R, s->u[i]);
        kl_store(wrench + 6 * i, kl_mul(&s->R, f[i]));
        kl_store(wrench + 6 * i + 3, kl_mul_t(&X[i], g[i]));
        for (int j = i; j >= 0; j--) {
            pair h = {0};
            if (j == b->reference) continue;
            for (int p = 0; p < b->npoint; p++)
                add_to_pair(P[p], b->N[p][j], b->D[p][j], b->N[p][i], b->D[p][i], &h);
            put_pair(s, j, i, &h, X, g, 6 * b->n, K);
        }
    }
    add_reference_columns(b, u, wrench, K);
    add_reference_rows(b, u, wrench, K);
}
