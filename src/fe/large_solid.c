#include "fe/large_solid.h"

#include <math.h>
#include <string.h>

#include "fe/inside_out.h"

enum { NODES = KL_LARGE_NODES, POINTS = KL_LARGE_POINTS, MODES = KL_LARGE_MODES, DOF = 3 * NODES };

static const int FIRST[6] = {0, 1, 2, 0, 1, 2}, SECOND[6] = {0, 1, 2, 1, 2, 0};

/* Enhanced modes of the hexahedron: component of natural strain, the coordinate it is linear in, and a second
 * one (-1: none), always the one that is not in the shear strain. */
static const int MODE_STRAIN[MODES]        = {0, 1, 2, 3, 3, 4, 4, 5, 5, 3, 3, 4, 4, 5, 5};
static const int MODE_COORDINATE[MODES][2] = {{0, -1}, {1, -1}, {2, -1}, {0, -1}, {1, -1},
                                              {1, -1}, {2, -1}, {2, -1}, {0, -1}, {0, 2},
                                              {1, 2},  {1, 0},  {2, 0},  {2, 1},  {0, 1}};

/* ---- reference configuration ---- */

/* strain in global axes from covariant natural strain: E = J^-T e J^-1, engineering shear */
static void natural_turn(const kl_mat3 *inverse, double T[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            int    a = FIRST[i], b = SECOND[i], k = FIRST[j], l = SECOND[j];
            double pair = inverse->m[k][a] * inverse->m[l][b];
            if (k != l) pair = 0.5 * (pair + inverse->m[l][a] * inverse->m[k][b]);
            T[i][j] = (a == b ? 1.0 : 2.0) * pair;
        }
}

/* dx_i/dr_k of natural derivatives */
static kl_mat3 jacobian(int nnode, const kl_vec3 *x, const double (*dN)[3])
{
    kl_mat3 J = {{{0}}};
    for (int a = 0; a < nnode; a++)
        for (int k = 0; k < 3; k++) {
            J.m[0][k] += x[a].x * dN[a][k];
            J.m[1][k] += x[a].y * dN[a][k];
            J.m[2][k] += x[a].z * dN[a][k];
        }
    return J;
}

/* M of point p has the columns amount[c] T0[:, MODE_STRAIN[c]] */
static void amounts_at(const kl_large_solid *s, int p, double amount[MODES])
{
    for (int c = 0; c < MODES; c++) {
        const int *at = MODE_COORDINATE[c];
        amount[c]     = s->ratio[p] * s->at[p][at[0]] * (at[1] < 0 ? 1.0 : s->at[p][at[1]]);
    }
}

/* A += w M' D M, from G = T0' D T0. Where the material flows in shear without hardening D may have no say
 * over a mode at all: a trace of elasticity, in this matrix only, keeps it definite. */
static void add_modes_at(const kl_large_solid *s, int p, const double D[6][6], double *A)
{
    double amount[MODES], DT[6][6], G[6][6], trace = s->law->nrow ? 1e-10 * s->law->mu : 0.0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            DT[i][j] = trace * s->T0[i][j];
            for (int k = 0; k < 6; k++) DT[i][j] += D[i][k] * s->T0[k][j];
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            G[i][j] = 0.0;
            for (int k = 0; k < 6; k++) G[i][j] += s->T0[k][i] * DT[k][j];
        }
    amounts_at(s, p, amount);
    for (int c = 0; c < MODES; c++)
        for (int d = 0; d < MODES; d++)
            A[MODES * c + d] +=
                s->volume[p] * amount[c] * amount[d] * G[MODE_STRAIN[c]][MODE_STRAIN[d]];
}

/* Inverse of a symmetric positive definite matrix by Gauss and Jordan; false: it is not. */
static bool invert_modes(const double *A, double *X)
{
    memcpy(X, A, sizeof(double) * MODES * MODES);
    for (int k = 0; k < MODES; k++) {
        double pivot = X[MODES * k + k];
        if (!(pivot > 0.0)) return false;
        X[MODES * k + k] = 1.0;
        for (int j = 0; j < MODES; j++) X[MODES * k + j] /= pivot;
        for (int i = 0; i < MODES; i++) {
            double f = X[MODES * i + k];
            if (i == k) continue;
            X[MODES * i + k] = 0.0;
            for (int j = 0; j < MODES; j++) X[MODES * i + j] -= f * X[MODES * k + j];
        }
    }
    return true;
}

static kl_status init_modes(const kl_fe_element *e, kl_large_solid *s)
{
    double centre[3], N[KL_MAX_SOLID_NODES], dN[KL_MAX_SOLID_NODES][3], D[6][6];
    kl_shape_centre(s->shape, centre);
    kl_shape_eval(s->shape, centre, N, dN);
    kl_mat3 J  = jacobian(s->nnode, e->x, (const double(*)[3])dN);
    double  j0 = kl_det(&J), A[MODES * MODES] = {0}, zero[6] = {0};
    if (!(j0 > 0.0)) return KL_E_MODEL;
    kl_mat3 inverse = kl_inverse(&J);
    natural_turn(&inverse, s->T0);
    kl_stress_answer out;
    kl_solid_law_eval(s->law, zero, NULL, &out, D, NULL);
    for (int p = 0; p < s->npoint; p++) {
        s->ratio[p] *= j0;
        add_modes_at(s, p, (const double(*)[6])D, A);
    }
    return invert_modes(A, s->inverse) ? KL_OK : KL_E_MODEL;
}

kl_status kl_large_solid_init(const kl_fe_element *e, const kl_solid_law *law, kl_arena *arena,
                              kl_large_solid *s)
{
    kl_rule rule;
    kl_rule_init(&rule, e->shape, KL_RULE_STIFFNESS);
    *s             = (kl_large_solid){.shape = e->shape, .law = law, .npoint = rule.n};
    s->nnode       = kl_shape_info_of(e->shape)->nnode;
    s->nmode       = e->shape == KL_HEX8 ? MODES : 0;
    s->gradient    = kl_arena_take(arena, (size_t)(s->npoint * s->nnode) * sizeof *s->gradient);
    s->volume      = kl_arena_array(arena, double, s->npoint);
    s->ratio       = kl_arena_array(arena, double, s->npoint);
    double(*at)[3] = kl_arena_take(arena, (size_t)s->npoint * sizeof *at);
    s->at          = (const double(*)[3])at;
    if (!s->gradient || !s->volume || !s->ratio || !at) return KL_E_MEMORY;
    for (int p = 0; p < s->npoint; p++) {
        double dN[KL_MAX_SOLID_NODES][3];
        memcpy(dN, rule.dN[p], sizeof dN);
        memcpy(at[p], rule.r[p], sizeof at[p]);
        double j = kl_shape_gradient(s->nnode, e->x, dN, s->gradient + p * s->nnode);
        if (!(j > 0.0)) return KL_E_MODEL;
        s->volume[p] = rule.weight[p] * j;
        s->ratio[p]  = 1.0 / j;
        s->jacobian += j / s->npoint;
    }
    if (kl_large_solid_is_inside_out(s, e->x)) return KL_E_MODEL;
    return s->nmode > 0 ? init_modes(e, s) : KL_OK;
}

/* ---- motion ---- */

static kl_mat3 gradient_of(const kl_large_solid *s, const kl_vec3 *x, int p)
{
    return jacobian(s->nnode, x, (const double(*)[3])(s->gradient + p * s->nnode));
}

/* strain of all points; KL_RETRY: one is turned inside out */
static kl_status strains(const kl_large_solid *s, const kl_vec3 *x, kl_mat3 *F, kl_strain_point *q)
{
    for (int p = 0; p < s->npoint; p++) {
        F[p] = gradient_of(s, x, p);
        if (!(kl_det(&F[p]) > 0.0)) return KL_RETRY;
        kl_strain_of(s->law->strain, &F[p], &q[p]);
    }
    return KL_OK;
}

static void whole_strain(const kl_large_solid *s, int p, const kl_strain_point *q,
                         const double *mode, double E[6])
{
    double amount[MODES], natural[6] = {0};
    memcpy(E, q->E, sizeof q->E);
    if (s->nmode == 0) return;
    amounts_at(s, p, amount);
    for (int c = 0; c < MODES; c++) natural[MODE_STRAIN[c]] += amount[c] * mode[c];
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < 6; j++) E[k] += s->T0[k][j] * natural[j];
}

/* ---- enhanced strain ---- */

static double larger(double a, double b) { return a > b ? a : b; }

/* What the search for the modes looks at. */
typedef struct mode_residual {
    double h[MODES]; /* int M' T dV */
    double size;     /* that h is small against */
    bool   flows;    /* a point does, so that dh/dmode is not the elastic one */
} mode_residual;

static void eval_modes(const kl_large_solid *s, const kl_strain_point *q,
                       const kl_plastic_state *old, const double *mode, mode_residual *r)
{
    memset(r, 0, sizeof *r);
    for (int p = 0; p < s->npoint; p++) {
        double           E[6], amount[MODES], work[6], most = 0.0;
        kl_stress_answer out;
        whole_strain(s, p, &q[p], mode, E);
        kl_solid_law_eval(s->law, E, old ? old + p : NULL, &out, NULL, NULL);
        r->flows |= old && out.a != old[p].a;
        amounts_at(s, p, amount);
        for (int j = 0; j < 6; j++) {
            work[j] = 0.0;
            for (int k = 0; k < 6; k++) {
                /* an elastic strain may be the difference of two larger ones: their rounding counts */
                double part = larger(fabs(out.T[k]), s->law->mu * fabs(E[k]));
                work[j] += s->T0[k][j] * out.T[k];
                most = larger(most, fabs(s->T0[k][j]) * part);
            }
        }
        for (int c = 0; c < MODES; c++) {
            r->h[c] += s->volume[p] * amount[c] * work[MODE_STRAIN[c]];
            r->size = larger(r->size, s->volume[p] * fabs(amount[c]) * most);
        }
    }
}

static bool mode_slopes(const kl_large_solid *s, const kl_strain_point *q,
                        const kl_plastic_state *old, const double *mode, double *inverse)
{
    double A[MODES * MODES] = {0};
    for (int p = 0; p < s->npoint; p++) {
        double           E[6], D[6][6];
        kl_stress_answer out;
        whole_strain(s, p, &q[p], mode, E);
        kl_solid_law_eval(s->law, E, old + p, &out, D, NULL);
        add_modes_at(s, p, (const double(*)[6])D, A);
    }
    return invert_modes(A, inverse);
}

/* Newton; while no point yields, the matrix is the elastic one, which is kept. */
static kl_status find_modes(const kl_large_solid *s, const kl_strain_point *q,
                            const kl_plastic_state *old, kl_large_answer *out)
{
    double        inverse[MODES * MODES];
    mode_residual r;
    for (int pass = 1; pass <= 30; pass++) {
        double most = 0.0;
        eval_modes(s, q, old, out->mode, &r);
        for (int c = 0; c < MODES; c++) most = larger(most, fabs(r.h[c]));
        out->passes = pass;
        if (most <= 1e-13 * r.size) return KL_OK;
        if (r.flows && !mode_slopes(s, q, old, out->mode, inverse)) return KL_RETRY;
        const double *inv = r.flows ? inverse : s->inverse;
        for (int c = 0; c < MODES; c++)
            for (int d = 0; d < MODES; d++) out->mode[c] -= inv[MODES * d + c] * r.h[d];
        if (s->law->nrow == 0) return KL_OK; /* linear */
    }
    return KL_RETRY;
}

/* ---- force and tangent ---- */

/* What a point gives to the tangent, in the axes N of its strain. */
typedef struct point_slopes {
    double C[6][6];       /* dS/dG */
    double H[6][6];       /* by rows: dS/d(natural strain) */
    double amount[MODES]; /* of natural strain for each mode */
} point_slopes;

static void slopes_at(const kl_large_solid *s, int p, const kl_strain_point *q, const double T[6],
                      const double D[6][6], point_slopes *out)
{
    /* D in the axes N: its columns turned as stresses, then its rows */
    double half[6][6], DN[6][6];
    for (int i = 0; i < 6; i++) kl_stress_turn(&q->N, D[i], half[i]); /* D is symmetric */
    for (int j = 0; j < 6; j++) {
        double column[6], turned[6];
        for (int i = 0; i < 6; i++) column[i] = half[i][j];
        kl_stress_turn(&q->N, column, turned);
        for (int i = 0; i < 6; i++) DN[i][j] = turned[i];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) out->C[i][j] = q->first[i] * DN[i][j] * q->first[j];
    kl_strain_add_curvature(q, T, out->C);
    if (s->nmode == 0) return;
    for (int j = 0; j < 6; j++) {
        double column[6], m[6];
        for (int k = 0; k < 6; k++) column[k] = s->T0[k][j];
        kl_strain_turn(&q->N, column, m);
        for (int i = 0; i < 6; i++) {
            out->H[j][i] = 0.0;
            for (int k = 0; k < 6; k++) out->H[j][i] += q->first[i] * DN[i][k] * m[k];
        }
    }
    amounts_at(s, p, out->amount);
}

/* B of all nodes in the axes N: Fn = F N, gn = N' g */
static void strain_rows(int nnode, const kl_mat3 *Fn, const double (*gn)[3], double (*B)[DOF])
{
    for (int k = 0; k < 6; k++) {
        int i = FIRST[k], j = SECOND[k];
        for (int a = 0; a < nnode; a++)
            for (int c = 0; c < 3; c++)
                B[k][3 * a + c] = i == j ? Fn->m[c][i] * gn[a][i]
                                         : Fn->m[c][i] * gn[a][j] + Fn->m[c][j] * gn[a][i];
    }
}

/* K += w (B' C B + (g . S g) I) */
static void add_stiffness(int nnode, const double (*B)[DOF], const double C[6][6],
                          const double (*gn)[3], const double S[6], double w, double *K)
{
    int    n = 3 * nnode;
    double CB[6][DOF];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < 6; k++) sum += C[i][k] * B[k][j];
            CB[i][j] = w * sum;
        }
    for (int i = 0; i < n; i++) {
        double *row = K + (size_t)i * (size_t)n;
        int     j0  = i - i % 3; /* upper blocks only */
        double  b0 = B[0][i], b1 = B[1][i], b2 = B[2][i], b3 = B[3][i], b4 = B[4][i], b5 = B[5][i];
        for (int j = j0; j < n; j++)
            row[j] += b0 * CB[0][j] + b1 * CB[1][j] + b2 * CB[2][j] + b3 * CB[3][j] +
                      b4 * CB[4][j] + b5 * CB[5][j];
    }
    for (int a = 0; a < nnode; a++) {
        const double *g    = gn[a];
        double        t[3] = {w * (S[0] * g[0] + S[3] * g[1] + S[5] * g[2]),
                              w * (S[3] * g[0] + S[1] * g[1] + S[4] * g[2]),
                              w * (S[5] * g[0] + S[4] * g[1] + S[2] * g[2])};
        for (int b = a; b < nnode; b++) {
            double k = t[0] * gn[b][0] + t[1] * gn[b][1] + t[2] * gn[b][2];
            for (int c = 0; c < 3; c++) K[(3 * a + c) * n + 3 * b + c] += k;
        }
    }
}

static void mirror_lower(int n, double *K)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) K[i * n + j] = K[j * n + i];
}

/* K -= G' A^-1 G with G = dh/dx, A = dh/dmode */
static void condense(int n, const double *inverse, const double (*G)[DOF], double *K)
{
    double AG[MODES][DOF];
    for (int c = 0; c < MODES; c++)
        for (int j = 0; j < n; j++) {
            AG[c][j] = 0.0;
            for (int d = 0; d < MODES; d++) AG[c][j] += inverse[MODES * d + c] * G[d][j];
        }
    for (int i = 0; i < n; i++)
        for (int c = 0; c < MODES; c++)
            for (int j = i - i % 3; j < n; j++) K[i * n + j] -= G[c][i] * AG[c][j];
}

/* f += w F S g in the axes N */
static void add_force(int nnode, const kl_mat3 *Fn, const double (*gn)[3], const double S[6],
                      double w, double *f)
{
    double P[3][3];
    for (int i = 0; i < 3; i++) {
        const double *F = Fn->m[i];
        P[i][0]         = w * (F[0] * S[0] + F[1] * S[3] + F[2] * S[5]);
        P[i][1]         = w * (F[0] * S[3] + F[1] * S[1] + F[2] * S[4]);
        P[i][2]         = w * (F[0] * S[5] + F[1] * S[4] + F[2] * S[2]);
    }
    for (int a = 0; a < nnode; a++)
        for (int i = 0; i < 3; i++)
            f[3 * a + i] += P[i][0] * gn[a][0] + P[i][1] * gn[a][1] + P[i][2] * gn[a][2];
}

static void turned_gradients(const kl_large_solid *s, int p, const kl_mat3 *N, double (*gn)[3])
{
    const double(*g)[3] = (const double(*)[3])(s->gradient + p * s->nnode);
    for (int a = 0; a < s->nnode; a++)
        for (int k = 0; k < 3; k++)
            gn[a][k] = N->m[0][k] * g[a][0] + N->m[1][k] * g[a][1] + N->m[2][k] * g[a][2];
}

/* G += w dh/dx: rows of the modes over the nodes; modes of the same strain differ by their amounts */
static void add_coupling(const kl_large_solid *s, const point_slopes *t, const double (*B)[DOF],
                         double w, double (*G)[DOF])
{
    double HB[6][DOF];
    int    n = 3 * s->nnode;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < n; j++) {
            HB[i][j] = 0.0;
            for (int k = 0; k < 6; k++) HB[i][j] += t->H[i][k] * B[k][j];
        }
    for (int c = 0; c < s->nmode; c++) {
        const double  amount = w * t->amount[c];
        const double *row    = HB[MODE_STRAIN[c]];
        for (int j = 0; j < n; j++) G[c][j] += amount * row[j];
    }
}

/* Internal forces f = sum w F S g and stiffness K of one element. The enhanced modes of the hexahedron have no
 * forces of their own: they are found first so that their residual h is zero, and then condensed,
 * K = f_x - G' A^-1 G with G = dh/dx, A = dh/dmode. For elastic materials A is constant and inverted once. */
kl_status kl_large_solid_eval(const kl_large_solid *s, const kl_vec3 *x,
                              const kl_plastic_state *old, const double *mode0,
                              kl_large_answer *out, double *K)
{
    kl_mat3         F[POINTS];
    kl_strain_point q[POINTS];
    double          A[MODES * MODES] = {0}, G[MODES][DOF];
    int             n                = 3 * s->nnode;
    bool            elastic          = s->law->nrow == 0;
    memset(out, 0, sizeof *out);
    KL_TRY(strains(s, x, F, q));
    if (mode0 && s->nmode) memcpy(out->mode, mode0, sizeof out->mode);
    if (s->nmode) KL_TRY(find_modes(s, q, old, out));
    if (K) memset(K, 0, (size_t)(n * n) * sizeof *K);
    if (K && s->nmode) memset(G, 0, sizeof G);
    for (int p = 0; p < s->npoint; p++) {
        double           E[6], D[6][6], T[6], S[6], gn[NODES][3], w = s->volume[p];
        kl_stress_answer law;
        whole_strain(s, p, &q[p], out->mode, E);
        kl_solid_law_eval(s->law, E, old ? old + p : NULL, &law, K ? D : NULL, NULL);
        out->stored += w * law.stored;
        out->work += w * law.work;
        kl_stress_turn(&q[p].N, law.T, T);
        for (int k = 0; k < 6; k++) S[k] = q[p].first[k] * T[k];
        kl_mat3 Fn = kl_matmul(&F[p], &q[p].N);
        turned_gradients(s, p, &q[p].N, gn);
        add_force(s->nnode, &Fn, (const double(*)[3])gn, S, w, out->f);
        if (!K) continue;
        double       B[6][DOF];
        point_slopes t;
        kl_strain_second(s->law->strain, &F[p], &q[p]);
        slopes_at(s, p, &q[p], T, (const double(*)[6])D, &t);
        strain_rows(s->nnode, &Fn, (const double(*)[3])gn, B);
        add_stiffness(s->nnode, (const double(*)[DOF])B, (const double(*)[6])t.C,
                      (const double(*)[3])gn, S, w, K);
        if (s->nmode == 0) continue;
        if (!elastic) add_modes_at(s, p, (const double(*)[6])D, A);
        add_coupling(s, &t, (const double(*)[DOF])B, w, G);
    }
    if (!K) return KL_OK;
    if (s->nmode) {
        double inverse[MODES * MODES];
        if (!elastic && !invert_modes(A, inverse)) return KL_RETRY;
        condense(n, elastic ? s->inverse : inverse, (const double(*)[DOF])G, K);
    }
    mirror_lower(n, K);
    return KL_OK;
}

/* ---- damping ---- */

/* rate of the strain, global axes: f[l_a, l_b] (F'F')_ab in the axes N */
static void strain_rate(const kl_large_solid *s, const kl_vec3 *v, int p, const kl_mat3 *F,
                        const kl_strain_point *q, double rate[6])
{
    kl_mat3 L = gradient_of(s, v, p), Ft = kl_transpose(F), G = kl_matmul(&Ft, &L);
    kl_mat3 Nt = kl_transpose(&q->N);
    double  green[6], turned[6];
    for (int k = 0; k < 6; k++) {
        int i = FIRST[k], j = SECOND[k];
        green[k] = i == j ? G.m[i][i] : G.m[i][j] + G.m[j][i];
    }
    kl_strain_turn(&q->N, green, turned);
    for (int k = 0; k < 6; k++) turned[k] *= q->first[k];
    kl_strain_turn(&Nt, turned, rate);
}

/* int B' P' D P B dV with the enhanced modes condensed: what a small strain rate meets */
static void elastic_slopes(const kl_large_solid *s, const kl_mat3 *F, const kl_strain_point *q,
                           double *C)
{
    double           G[MODES][DOF], D[6][6], zero[6] = {0};
    int              n = 3 * s->nnode;
    kl_stress_answer law;
    kl_solid_law_eval(s->law, zero, NULL, &law, D, NULL);
    memset(C, 0, (size_t)(n * n) * sizeof *C);
    memset(G, 0, sizeof G);
    for (int p = 0; p < s->npoint; p++) {
        double       gn[NODES][3], B[6][DOF], w = s->volume[p];
        point_slopes t;
        kl_mat3      Fn = kl_matmul(&F[p], &q[p].N);
        turned_gradients(s, p, &q[p].N, gn);
        slopes_at(s, p, &q[p], zero, (const double(*)[6])D, &t);
        strain_rows(s->nnode, &Fn, (const double(*)[3])gn, B);
        add_stiffness(s->nnode, (const double(*)[DOF])B, (const double(*)[6])t.C,
                      (const double(*)[3])gn, zero, w, C);
        if (s->nmode) add_coupling(s, &t, (const double(*)[DOF])B, w, G);
    }
    if (s->nmode) condense(n, s->inverse, (const double(*)[DOF])G, C);
    mirror_lower(n, C);
}

kl_status kl_large_solid_damp(const kl_large_solid *s, const kl_vec3 *x, const kl_vec3 *v,
                              double *f, double *power, double *C)
{
    kl_mat3         F[POINTS];
    kl_strain_point q[POINTS];
    kl_large_answer found = {0};
    KL_TRY(strains(s, x, F, q));
    if (C) elastic_slopes(s, F, q, C);
    for (int p = 0; p < s->npoint; p++) strain_rate(s, v, p, &F[p], &q[p], q[p].E);
    if (s->nmode) KL_TRY(find_modes(s, q, NULL, &found)); /* their rates: all is linear */
    memset(f, 0, (size_t)(3 * s->nnode) * sizeof *f);
    *power = 0.0;
    for (int p = 0; p < s->npoint; p++) {
        double           E[6], T[6], S[6], gn[NODES][3];
        kl_stress_answer law;
        whole_strain(s, p, &q[p], found.mode, E);
        kl_solid_law_eval(s->law, E, NULL, &law, NULL, NULL);
        *power += 2.0 * s->volume[p] * law.stored;
        kl_stress_turn(&q[p].N, law.T, T);
        for (int k = 0; k < 6; k++) S[k] = q[p].first[k] * T[k];
        kl_mat3 Fn = kl_matmul(&F[p], &q[p].N);
        turned_gradients(s, p, &q[p].N, gn);
        add_force(s->nnode, &Fn, (const double(*)[3])gn, S, s->volume[p], f);
    }
    return KL_OK;
}

void kl_large_solid_commit(const kl_large_solid *s, const kl_vec3 *x, const kl_plastic_state *old,
                           const double *mode, kl_plastic_state *new)
{
    for (int p = 0; p < s->npoint; p++) {
        kl_mat3          F = gradient_of(s, x, p);
        kl_strain_point  q;
        kl_stress_answer law;
        double           E[6];
        kl_strain_of(s->law->strain, &F, &q);
        whole_strain(s, p, &q, mode, E);
        kl_solid_law_eval(s->law, E, old + p, &law, NULL, new + p);
    }
}

/* sigma = F S F'/det F */
static void cauchy(const kl_mat3 *Fn, const double S[6], double out[6])
{
    double  det = kl_det(Fn);
    kl_mat3 M   = {{{S[0], S[3], S[5]}, {S[3], S[1], S[4]}, {S[5], S[4], S[2]}}};
    kl_mat3 Ft = kl_transpose(Fn), FM = kl_matmul(Fn, &M), R = kl_matmul(&FM, &Ft);
    for (int k = 0; k < 6; k++) out[k] = R.m[FIRST[k]][SECOND[k]] / det;
}

void kl_large_solid_points(const kl_large_solid *s, const kl_vec3 *x, const kl_plastic_state *old,
                           const double *mode, kl_large_point *out)
{
    for (int p = 0; p < s->npoint; p++) {
        kl_mat3          F = gradient_of(s, x, p);
        kl_strain_point  q;
        kl_stress_answer law;
        double           T[6], S[6];
        kl_strain_of(s->law->strain, &F, &q);
        whole_strain(s, p, &q, mode, out[p].strain);
        kl_solid_law_eval(s->law, out[p].strain, old ? old + p : NULL, &law, NULL, NULL);
        kl_stress_turn(&q.N, law.T, T);
        for (int k = 0; k < 6; k++) S[k] = q.first[k] * T[k];
        kl_mat3 Fn = kl_matmul(&F, &q.N);
        cauchy(&Fn, S, out[p].stress);
        out[p].a = law.a;
    }
}

/* Hexahedra have points at +-1/sqrt(3). Of tetrahedra each point is near one corner: three of its
 * barycentric coordinates are equal, the fourth is larger. */
void kl_large_solid_shares(const kl_large_solid *s, int a, double *share)
{
    double r[3];
    kl_shape_node(s->shape, a, r);
    for (int p = 0; p < s->npoint; p++) {
        const double *at = s->at[p];
        if (s->shape == KL_HEX8) {
            share[p] = 1.0;
            for (int k = 0; k < 3; k++) share[p] *= 0.5 * (1.0 + 3.0 * r[k] * at[k]);
            continue;
        }
        double own[4]  = {1.0 - at[0] - at[1] - at[2], at[0], at[1], at[2]};
        double here[4] = {1.0 - r[0] - r[1] - r[2], r[0], r[1], r[2]};
        int    near    = 0;
        for (int k = 1; k < 4; k++)
            if (own[k] > own[near]) near = k;
        double other = own[(near + 1) % 4];
        share[p]     = (here[near] - other) / (own[near] - other);
    }
}

double kl_large_solid_least_volume(const kl_large_solid *s, const kl_vec3 *x)
{
    double least = HUGE_VAL;
    for (int p = 0; p < s->npoint; p++) {
        kl_mat3 F = gradient_of(s, x, p);
        least     = fmin(least, kl_det(&F));
    }
    return least;
}

bool kl_large_solid_is_inside_out(const kl_large_solid *s, const kl_vec3 *x)
{
    return kl_least_jacobian(s->shape, x, s->jacobian) < 0.0;
}
