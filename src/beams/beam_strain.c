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
    kl_vec3 gamma = kl_mul_t(&s->at[p].E, w);
    gamma.x -= 1.0;
    kl_store(s->at[p].strain, gamma);
    kl_store(s->at[p].strain + 3, kl_mul(&s->at[p].T, slope));
}

bool kl_beam_shape_of(const kl_beam_rule *b, const kl_vec3 *r, const kl_mat3 *A, kl_beam_shape *s)
{
    const double most = 3.0; /* [rad] */
    s->R              = A[b->reference];
    for (int i = 0; i < b->n; i++) {
        s->u[i] = s->psi[i] = kl_vec(0, 0, 0);
        if (i == b->reference) continue;
        kl_mat3 Rt = kl_transpose(&s->R), turn = kl_matmul(&Rt, &A[i]);
        s->u[i]   = kl_mul(&Rt, kl_sub(r[i], r[b->reference]));
        s->psi[i] = kl_rotation_log(&turn);
        if (!(kl_norm(s->psi[i]) < most)) return false;
    }
    for (int p = 0; p < b->npoint; p++) point_strain(b, s, p);
    return true;
}

/* d(psi_i) = left_inverse (theta_i - theta_R), in the axes R */
static kl_mat3 left_inverse(kl_vec3 psi, kl_turn_form *form)
{
    kl_turn_values c    = kl_turn_series(kl_dot(psi, psi));
    *form               = kl_turn_tangent_inverse(&c);
    kl_turn_form across = kl_turn_transposed(*form);
    return kl_turn_matrix(&across, psi);
}

/* Gradient of the strain energy by u_i (f) and psi_i (g), in the axes R. */
static void gradient(const kl_beam_rule *b, const kl_beam_shape *s,
                     double stress[KL_BEAM_POINTS][6], kl_vec3 *f, kl_vec3 *g)
{
    for (int i = 0; i < b->n; i++) f[i] = g[i] = kl_vec(0, 0, 0);
    for (int p = 0; p < b->npoint; p++) {
        kl_turn_form e = kl_turn_exp(&s->at[p].c), t = kl_turn_tangent(&s->at[p].c);
        e         = kl_turn_transposed(e);
        kl_vec3 n = kl_load(stress[p]), m = kl_load(stress[p] + 3);
        kl_mat3 G    = kl_turn_derivative(&e, s->at[p].psi, s->at[p].w),
                H    = kl_turn_derivative(&t, s->at[p].psi, s->at[p].slope);
        kl_vec3 push = kl_mul(&s->at[p].E, n), along = kl_mul_t(&s->at[p].T, m);
        kl_vec3 turn = kl_add(kl_mul_t(&G, n), kl_mul_t(&H, m));
        for (int i = 0; i < b->n; i++) {
            double N = b->weight[p] * b->N[p][i], D = b->weight[p] * b->D[p][i];
            f[i] = kl_axpy(D, push, f[i]);
            g[i] = kl_axpy(N, turn, kl_axpy(D, along, g[i]));
        }
    }
}

void kl_beam_forces(const kl_beam_rule *b, const kl_beam_shape *s, double stress[KL_BEAM_POINTS][6],
                    double *wrench)
{
    kl_vec3 f[KL_BEAM_NODES], g[KL_BEAM_NODES], force = kl_vec(0, 0, 0), moment = force;
    int     ref = b->reference;
    gradient(b, s, stress, f, g);
    for (int i = 0; i < b->n; i++) {
        if (i == ref) continue;
        kl_turn_form form;
        kl_mat3      L = left_inverse(s->psi[i], &form);
        kl_vec3      m = kl_mul_t(&L, g[i]);
        force          = kl_sub(force, f[i]);
        moment         = kl_sub(moment, kl_add(m, kl_cross(s->u[i], f[i])));
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
        kl_turn_form form;
        kl_mat3      L  = left_inverse(s->psi[i], &form);
        kl_vec3      du = kl_sub(kl_mul_t(&s->R, kl_load(V + 6 * i)), v0);
        kl_vec3      d  = kl_mul(&L, kl_sub(kl_mul_t(&s->R, kl_load(V + 6 * i + 3)), w0));
        du              = kl_add(du, kl_cross(s->u[i], w0));
        dw              = kl_axpy(b->D[p][i], du, dw);
        dpsi            = kl_axpy(b->N[p][i], d, dpsi);
        dslope          = kl_axpy(b->D[p][i], d, dslope);
    }
    kl_turn_form e = kl_turn_exp(&s->at[p].c), t = kl_turn_tangent(&s->at[p].c);
    e         = kl_turn_transposed(e);
    kl_mat3 G = kl_turn_derivative(&e, s->at[p].psi, s->at[p].w),
            H = kl_turn_derivative(&t, s->at[p].psi, s->at[p].slope);
    kl_store(rate, kl_add(kl_mul_t(&s->at[p].E, dw), kl_mul(&G, dpsi)));
    kl_store(rate + 3, kl_add(kl_mul(&s->at[p].T, dslope), kl_mul(&H, dpsi)));
}

/* ---- tangent: in the axes R, by (u_i, psi_i), then by increments of the nodes ---- */

enum { MOVES = 6 * (KL_BEAM_NODES - 1) }; /* of the nodes other than the reference */

/* d(gamma, kappa) by (u_i, psi_i), 6 x 6: [ D E' , N G ; 0 , D T + N H ] */
static void strain_map(const kl_beam_rule *b, const kl_beam_shape *s, int p, int i,
                       const kl_mat3 *G, const kl_mat3 *H, double J[36])
{
    double N = b->N[p][i], D = b->D[p][i];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            J[6 * r + c]           = D * s->at[p].E.m[c][r];
            J[6 * r + 3 + c]       = N * G->m[r][c];
            J[6 * (3 + r) + c]     = 0.0;
            J[6 * (3 + r) + 3 + c] = D * s->at[p].T.m[r][c] + N * H->m[r][c];
        }
}

/* Q = C J */
static void multiply6(const double *C, const double *J, double *Q)
{
    memset(Q, 0, 36 * sizeof *Q);
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 6; k++) {
            double c = C[6 * r + k];
            if (c == 0.0) continue;
            for (int j = 0; j < 6; j++) Q[6 * r + j] += c * J[6 * k + j];
        }
}

/* block += weight A' Q */
static void add_product(double *block, int wide, double weight, const double *A, const double *Q)
{
    for (int k = 0; k < 6; k++)
        for (int r = 0; r < 6; r++) {
            double a = weight * A[6 * k + r];
            for (int c = 0; c < 6; c++) block[r * wide + c] += a * Q[6 * k + c];
        }
}

/* What the stresses add because strains are not linear in (u, psi). */
typedef struct stress_terms {
    kl_mat3 push, bend, slope; /* d(E n)/dpsi; d2/dpsi2 of n.gamma + m.kappa; d(T'm)/dpsi */
} stress_terms;

static stress_terms stress_terms_of(const kl_beam_shape *s, int p, const double *stress)
{
    kl_turn_form e = kl_turn_exp(&s->at[p].c), t = kl_turn_tangent(&s->at[p].c),
                 et = kl_turn_transposed(e), tt = kl_turn_transposed(t);
    kl_vec3 n = kl_load(stress), m = kl_load(stress + 3), psi = s->at[p].psi;
    kl_mat3 A = kl_turn_second(&et, psi, s->at[p].w, n),
            B = kl_turn_second(&t, psi, s->at[p].slope, m);
    return (stress_terms){.push  = kl_turn_derivative(&e, psi, n),
                          .bend  = kl_mat_axpy(1.0, &A, &B),
                          .slope = kl_turn_derivative(&tt, psi, m)};
}

static void add_stress_terms(double *block, int wide, const stress_terms *k, double weight,
                             double Ni, double Di, double Nj, double Dj)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            block[r * wide + 3 + c] += weight * Di * Nj * k->push.m[r][c];
            block[(3 + r) * wide + c] += weight * Ni * Dj * k->push.m[c][r];
            block[(3 + r) * wide + 3 + c] +=
                weight * (Ni * Nj * k->bend.m[r][c] + Di * Nj * k->slope.m[r][c] +
                          Ni * Dj * k->slope.m[c][r]);
        }
}

/* Second derivative of the energy by (u_i, psi_i) of the nodes other than the reference. */
static void local_hessian(const kl_beam_rule *b, const kl_beam_shape *s,
                          double stress[KL_BEAM_POINTS][6], double C[KL_BEAM_POINTS][36],
                          const int *node, int moving, double *H)
{
    int wide = 6 * moving;
    memset(H, 0, (size_t)(wide * wide) * sizeof *H);
    for (int p = 0; p < b->npoint; p++) {
        kl_turn_form e = kl_turn_exp(&s->at[p].c), t = kl_turn_tangent(&s->at[p].c);
        e                   = kl_turn_transposed(e);
        kl_mat3 G           = kl_turn_derivative(&e, s->at[p].psi, s->at[p].w),
                Hk          = kl_turn_derivative(&t, s->at[p].psi, s->at[p].slope);
        stress_terms bent   = stress_terms_of(s, p, stress[p]);
        double       weight = b->weight[p], J[KL_BEAM_NODES - 1][36], Q[36];
        for (int i = 0; i < moving; i++) strain_map(b, s, p, node[i], &G, &Hk, J[i]);
        for (int j = 0; j < moving; j++) {
            multiply6(C[p], J[j], Q);
            for (int i = 0; i < moving; i++) {
                double *block = H + 6 * i * wide + 6 * j;
                add_product(block, wide, weight, J[i], Q);
                add_stress_terms(block, wide, &bent, weight, b->N[p][node[i]], b->D[p][node[i]],
                                 b->N[p][node[j]], b->D[p][node[j]]);
            }
        }
    }
}

/* The 3 x 3 block at (row, column). */
static kl_mat3 block_of(const double *K, int wide, int row, int column)
{
    kl_mat3 M;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) M.m[r][c] = K[(row + r) * wide + column + c];
    return M;
}

static void add_to(double *K, int wide, int row, int column, double scale, const kl_mat3 *M)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) K[(row + r) * wide + column + c] += scale * M->m[r][c];
}

/* H by (u, psi) becomes derivatives of (f_i, m_i) by (dr_i - dr_R, dtheta_i - dtheta_R):
 * rows and columns of psi are multiplied with L_i' and L_i; m_i = L_i' g_i adds Y_i L_i. */
static void to_increments(const kl_beam_shape *s, const int *node, int moving, const kl_vec3 *g,
                          double *H)
{
    int     wide = 6 * moving;
    kl_mat3 L[KL_BEAM_NODES - 1], Y[KL_BEAM_NODES - 1];
    for (int i = 0; i < moving; i++) {
        kl_turn_form form;
        L[i]      = left_inverse(s->psi[node[i]], &form);
        kl_mat3 D = kl_turn_derivative(&form, s->psi[node[i]], g[node[i]]);
        Y[i]      = kl_matmul(&D, &L[i]);
    }
    for (int i = 0; i < moving; i++) {
        kl_mat3 Lt = kl_transpose(&L[i]);
        for (int c = 0; c < wide; c += 3) {
            kl_mat3 M = block_of(H, wide, 6 * i + 3, c), P = kl_matmul(&Lt, &M);
            add_to(H, wide, 6 * i + 3, c, -1.0, &M);
            add_to(H, wide, 6 * i + 3, c, 1.0, &P);
        }
    }
    for (int j = 0; j < moving; j++)
        for (int r = 0; r < wide; r += 3) {
            kl_mat3 M = block_of(H, wide, r, 6 * j + 3), P = kl_matmul(&M, &L[j]);
            add_to(H, wide, r, 6 * j + 3, -1.0, &M);
            add_to(H, wide, r, 6 * j + 3, 1.0, &P);
        }
    for (int i = 0; i < moving; i++) add_to(H, wide, 6 * i + 3, 6 * i + 3, 1.0, &Y[i]);
}

/* Columns of the reference node: du_j = dr_j - dr_R + u_j x theta_R, and rows: forces balance. */
static void add_reference(const kl_beam_rule *b, const kl_beam_shape *s, const int *node,
                          int moving, const double *H, const kl_vec3 *f, double *K)
{
    int wide = 6 * moving, all = 6 * b->n, ref = 6 * b->reference;
    for (int i = 0; i < moving; i++)
        for (int j = 0; j < moving; j++) {
            int     row = 6 * node[i], column = 6 * node[j];
            kl_mat3 U = kl_skew(s->u[node[j]]);
            for (int half = 0; half < 6; half += 3) {
                kl_mat3 F = block_of(H, wide, 6 * i + half, 6 * j),
                        M = block_of(H, wide, 6 * i + half, 6 * j + 3), FU = kl_matmul(&F, &U);
                add_to(K, all, row + half, column, 1.0, &F);
                add_to(K, all, row + half, column + 3, 1.0, &M);
                add_to(K, all, row + half, ref, -1.0, &F);
                add_to(K, all, row + half, ref + 3, -1.0, &M);
                add_to(K, all, row + half, ref + 3, 1.0, &FU);
            }
        }
    for (int i = 0; i < moving; i++) {
        int     row = 6 * node[i];
        kl_mat3 U = kl_skew(s->u[node[i]]), F = kl_skew(f[node[i]]), FU = kl_matmul(&F, &U);
        for (int c = 0; c < all; c += 3) {
            kl_mat3 df = block_of(K, all, row, c), dm = block_of(K, all, row + 3, c),
                    Udf = kl_matmul(&U, &df);
            add_to(K, all, ref, c, -1.0, &df);
            add_to(K, all, ref + 3, c, -1.0, &dm);
            add_to(K, all, ref + 3, c, -1.0, &Udf);
        }
        add_to(K, all, ref + 3, row, 1.0, &F); /* -du x f = f x du */
        add_to(K, all, ref + 3, ref, -1.0, &F);
        add_to(K, all, ref + 3, ref + 3, 1.0, &FU);
    }
}

/* Forces turn with the axes R (-F x theta_R), and all blocks go into global axes. */
static void to_global(const kl_beam_rule *b, const kl_mat3 *R, const double *local, double *K)
{
    int     all = 6 * b->n, ref = 6 * b->reference;
    kl_mat3 Rt = kl_transpose(R);
    for (int r = 0; r < all; r += 3) {
        kl_mat3 F = kl_skew(kl_load(local + r));
        add_to(K, all, r, ref + 3, -1.0, &F);
        for (int c = 0; c < all; c += 3) {
            kl_mat3 M = block_of(K, all, r, c), RM = kl_matmul(R, &M), G = kl_matmul(&RM, &Rt);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) K[(r + i) * all + c + j] = G.m[i][j];
        }
    }
}

void kl_beam_tangent(const kl_beam_rule *b, const kl_beam_shape *s,
                     double stress[KL_BEAM_POINTS][6], double C[KL_BEAM_POINTS][36], double *K)
{
    kl_vec3 f[KL_BEAM_NODES], g[KL_BEAM_NODES];
    double  H[MOVES * MOVES], local[KL_BEAM_WIDE];
    int     node[KL_BEAM_NODES], moving = 0;
    for (int i = 0; i < b->n; i++)
        if (i != b->reference) node[moving++] = i;
    memset(K, 0, (size_t)(36 * b->n * b->n) * sizeof *K);
    gradient(b, s, stress, f, g);
    local_hessian(b, s, stress, C, node, moving, H);
    to_increments(s, node, moving, g, H);
    add_reference(b, s, node, moving, H, f, K);
    kl_beam_forces(b, s, stress, local);
    for (int i = 0; i < 2 * b->n; i++)
        kl_store(local + 3 * i, kl_mul_t(&s->R, kl_load(local + 3 * i)));
    to_global(b, &s->R, local, K);
}
