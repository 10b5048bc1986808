/* Inertia of a flexible body in a floating frame, from invariants: cost O(modes^2), never O(nodes).
 *
 * With V = A'r' the kinetic energy is
 *
 *   T = m V.V/2 + V.(om x S) + V.S1 w' + om.J om/2 + om.H w' + w'.Mff w'/2
 *   S = s0 + S1 w (+ w'S2 w/2),  J = J0 + sum_j w_j (G0_j' + G_j),  H = H0 + sum_i w_i H1_i
 *   G_j = G0_j + sum_i w_i J2_ji,  so dJ/dw_j = G_j + G_j'
 *
 * and the equations of Boltzmann and Hamel give, for any such tensors,
 *
 *   F_r    = m r'' + A (al x S + S1 w'' + om x (om x S) + 2 om x S1 w' + S1' w')
 *   F_pi   = S x A'r'' + J al + H w'' + J' om + om x J om + om x H w' + H' w'
 *   F_f,j  = S1_j.A'r'' + H_j.al + (Mff w'')_j + H'_j.om - om.G_j om - om.(H1_j w')
 *
 * F = M a - s. For point masses H1_i[:, j] = -H1_j[:, i] and these are the equations of paper 000;
 * in this form the energy is kept also where consistent mass matrices of beams or geometric terms
 * break that symmetry. */
#include <string.h>

#include "bodies/flexible.h"

void flexible_position_inertia(const flexible *p, flexible_cache *c)
{
    int n = p->n;
    if (n > 0) { /* a body that could not be set up has no arrays */
        memcpy(c->S1, p->S1, 3 * (size_t)n * sizeof(double));
        memcpy(c->H, p->H0, 3 * (size_t)n * sizeof(double));
        memcpy(c->G, p->G0, 9 * (size_t)n * sizeof(double));
    }
    flexible_add_blocks(n, 3 * n, c->w, p->H1, c->H);
    flexible_add_blocks(n, 9 * n, c->w, p->J2, c->G);
    if (p->S2) flexible_add_blocks(n, 3 * n, c->w, p->S2, c->S1);
    double J[3][3], S[3];
    memcpy(J, p->J0.m, sizeof J);
    kl_store(S, p->s0);
    for (int j = 0; j < n; j++) {
        const double *G = c->G + 9 * j, *G0 = p->G0 + 9 * j;
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) J[a][b] += c->w[j] * (G[3 * a + b] + G0[3 * b + a]);
            S[a] += 0.5 * c->w[j] * (p->S1[3 * j + a] + c->S1[3 * j + a]);
        }
    }
    for (int a = 0; a < 3; a++) /* symmetric to the last bit */
        for (int b = 0; b < 3; b++) c->J.m[a][b] = 0.5 * (J[a][b] + J[b][a]);
    c->S = kl_load(S);
}

/* sum_j x_j of columns of three */
static kl_vec3 combine(int n, const double *columns, const double *x)
{
    double s[3] = {0};
    for (int j = 0; j < n; j++)
        for (int a = 0; a < 3; a++) s[a] += columns[3 * j + a] * x[j];
    return kl_load(s);
}

void flexible_velocity_inertia(const flexible *p, flexible_cache *c)
{
    int n = p->n;
    memset(c->H_rate, 0, 3 * (size_t)n * sizeof(double));
    memset(c->H_lag, 0, 3 * (size_t)n * sizeof(double));
    flexible_add_blocks(n, 3 * n, c->w_rate, p->H1, c->H_rate);
    flexible_add_blocks(n, 3 * n, c->w_rate, p->H1t, c->H_lag);
    c->S_rate = combine(n, c->S1, c->w_rate);
    c->S_bias = kl_vec(0, 0, 0);
    for (int i = 0; p->S2 && i < n; i++)
        c->S_bias = kl_axpy(c->w_rate[i], combine(n, p->S2 + 3 * (size_t)i * (size_t)n, c->w_rate),
                            c->S_bias);
}

static kl_vec3 column(const double *columns, int j) { return kl_load(columns + 3 * j); }

/* J' = sum w'_j (G_j + G_j') */
kl_mat3 flexible_inertia_rate(const flexible *p, const flexible_cache *c)
{
    kl_mat3 R = {{{0}}};
    for (int j = 0; j < p->n; j++) {
        const double *G = c->G + 9 * j;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) R.m[a][b] += c->w_rate[j] * (G[3 * a + b] + G[3 * b + a]);
    }
    return R;
}

/* om.G om */
static double square(const double *G, kl_vec3 om)
{
    kl_mat3 M = flexible_mat3(G);
    return kl_dot(om, kl_mul(&M, om));
}

static void put3(double *M, int n, int r, int c, const kl_mat3 *B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) M[(r + i) * n + c + j] = B->m[i][j];
}

/* a column of three below each other, and with `mirror` the same in the row */
static void put_column(double *M, int n, int r, int c, kl_vec3 a, bool mirror)
{
    double x[3];
    kl_store(x, a);
    for (int i = 0; i < 3; i++) {
        M[(r + i) * n + c] = x[i];
        if (mirror) M[c * n + r + i] = x[i];
    }
}

/* Mass matrix and quadratic terms of (r', omega in body axes, w'), with S = int x dm, J = inertia at the present
 * deformation, S1_j and H_j = int (phi_j, x cross phi_j) dm:
 *
 *       [ m I      -A [S]x    A S1 ]
 *   M = [ [S]x A'   J          H   ]       M v' = s + g
 *       [ S1' A'    H'         Mff ]
 *
 *   s_r = -A (om x (om x S) + 2 om x dS/dt + S_bias),   s_om = -(dJ/dt om + om x (J om + H w') + dH/dt w')
 *   s_j = om.G_j om + om.(H_lag_j - dH_j/dt): centrifugal and Coriolis forces on mode j */
void flexible_inertia(const void *data, const void *cache, double *M, double *s)
{
    const flexible       *p = data;
    const flexible_cache *c = cache;
    int                   n = p->n, N = 6 + n;
    kl_vec3               om    = c->om;
    const double         *modal = flexible_modal_mass(p);
    kl_mat3               S = kl_skew(c->S), AS = kl_matmul(&c->A, &S), AS_t = kl_transpose(&AS);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            M[i * N + j]           = i == j ? p->m : 0.0;
            M[i * N + 3 + j]       = -AS.m[i][j];
            M[(3 + i) * N + j]     = -AS_t.m[i][j];
            M[(3 + i) * N + 3 + j] = c->J.m[i][j];
        }
    for (int j = 0; j < n; j++) {
        put_column(M, N, 0, 6 + j, kl_mul(&c->A, column(c->S1, j)), true);
        put_column(M, N, 3, 6 + j, column(c->H, j), true);
        memcpy(M + (6 + j) * N + 6, modal + j * n, (size_t)n * sizeof(double));
    }

    kl_mat3 J_rate = flexible_inertia_rate(p, c);
    kl_vec3 Hw     = combine(n, c->H, c->w_rate);
    kl_vec3 sum    = kl_add(kl_cross(om, kl_axpy(2.0, c->S_rate, kl_cross(om, c->S))), c->S_bias);
    kl_vec3 turn   = kl_add(kl_mul(&J_rate, om), kl_cross(om, kl_add(kl_mul(&c->J, om), Hw)));
    turn           = kl_add(turn, combine(n, c->H_rate, c->w_rate));
    kl_store(s, kl_neg(kl_mul(&c->A, sum)));
    kl_store(s + 3, kl_neg(turn));
    for (int j = 0; j < n; j++)
        s[6 + j] = square(c->G + 9 * j, om) +
                   kl_dot(om, kl_sub(column(c->H_lag, j), column(c->H_rate, j)));
    if (p->plain) flexible_second_inertia(p, c, M, s);
}

/* columns and rows of K and C that belong to mode k */
static void mode_tangent(const flexible *p, const flexible_cache *c, const double *a, int k,
                         kl_vec3 a_body, double *K, double *C)
{
    int           n = p->n, N = 6 + n;
    kl_vec3       om = c->om, al = kl_load(a + 3), S1 = column(c->S1, k);
    const double *w2 = a + 6, *Gr = c->scratch + 9 * k;
    kl_mat3 G = flexible_mat3(c->G + 9 * k), Gt = kl_transpose(&G), Jk = kl_mat_axpy(1.0, &G, &Gt);
    kl_mat3 R = flexible_mat3(Gr), Rt = kl_transpose(&R), Jk_rate = kl_mat_axpy(1.0, &R, &Rt);
    size_t  block = 3 * (size_t)k * (size_t)n;
    kl_vec3 S2w = {0, 0, 0}, S2a = {0, 0, 0};
    if (p->S2) {
        S2w = combine(n, p->S2 + block, c->w_rate);
        S2a = combine(n, p->S2 + block, w2);
    }
    /* by w_k */
    kl_vec3 r = kl_add(kl_cross(al, S1), S2a);
    r         = kl_add(r, kl_cross(om, kl_axpy(2.0, S2w, kl_cross(om, S1))));
    put_column(K, N, 0, 6 + k, kl_mul(&c->A, r), false);
    kl_vec3 t = kl_add(kl_cross(S1, a_body), kl_mul(&Jk, al));
    t         = kl_add(t, combine(n, p->H1 + block, w2));
    t         = kl_add(t, kl_mul(&Jk_rate, om));
    t         = kl_add(t, kl_cross(om, kl_add(kl_mul(&Jk, om), column(c->H_lag, k))));
    put_column(K, N, 3, 6 + k, t, false);
    for (int j = 0; j < n; j++) {
        double f = kl_dot(column(p->H1 + block, j), al) - square(p->J2 + 3 * block + 9 * j, om);
        if (p->S2) f += kl_dot(column(p->S2 + block, j), a_body);
        K[(6 + j) * N + 6 + k] = f;
    }
    /* row k by rotation: a_body turns */
    kl_vec3 turned = kl_cross(S1, a_body); /* S1_k'[a_body] as a row */
    double  row[3];
    kl_store(row, turned);
    for (int i = 0; i < 3; i++) K[(6 + k) * N + 3 + i] = row[i];

    /* by w'_k */
    put_column(C, N, 0, 6 + k, kl_mul(&c->A, kl_scale(2.0, kl_add(kl_cross(om, S1), S2w))), false);
    t = kl_add(kl_mul(&Jk, om), kl_cross(om, column(c->H, k)));
    t = kl_add(t, kl_add(column(c->H_lag, k), column(c->H_rate, k)));
    put_column(C, N, 3, 6 + k, t, false);
    for (int j = 0; j < n; j++)
        C[(6 + j) * N + 6 + k] =
            kl_dot(om, kl_sub(column(p->H1 + block, j), column(p->H1t + block, j)));
    /* row k by om */
    kl_store(row, kl_sub(kl_sub(column(c->H_rate, k), column(c->H_lag, k)), kl_mul(&Jk, om)));
    for (int i = 0; i < 3; i++) C[(6 + k) * N + 3 + i] = row[i];
}

/* sum_i w'_i J2_ki for all k */
void flexible_turn_rates(const flexible *p, const flexible_cache *c)
{
    size_t n = (size_t)p->n;
    memset(c->scratch, 0, 9 * n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        flexible_add((int)(9 * n), c->w_rate[i], p->J2 + 9 * i * n, c->scratch);
}

void flexible_inertia_tangent(const void *data, const void *cache, const double *a, double *K,
                              double *C)
{
    const flexible       *p = data;
    const flexible_cache *c = cache;
    int                   n = p->n, N = 6 + n;
    kl_vec3               om = c->om, al = kl_load(a + 3), a_body = kl_mul_t(&c->A, kl_load(a));
    memset(K, 0, (size_t)(N * N) * sizeof(double));
    memset(C, 0, (size_t)(N * N) * sizeof(double));

    /* by rotation */
    kl_vec3 inner = kl_add(kl_cross(al, c->S), combine(n, c->S1, a + 6));
    inner         = kl_add(inner, kl_cross(om, kl_axpy(2.0, c->S_rate, kl_cross(om, c->S))));
    kl_mat3 I_ = kl_skew(kl_neg(kl_add(inner, c->S_bias))), AI = kl_matmul(&c->A, &I_);
    kl_mat3 S = kl_skew(c->S), As = kl_skew(a_body), SA = kl_matmul(&S, &As);
    put3(K, N, 0, 3, &AI);
    put3(K, N, 3, 3, &SA);

    /* by om */
    kl_mat3 O = kl_skew(om), OS = kl_matmul(&O, &S);
    kl_mat3 sum  = kl_skew(kl_axpy(2.0, c->S_rate, kl_cross(om, c->S)));
    sum          = kl_mat_axpy(1.0, &OS, &sum);
    kl_mat3 Asum = kl_matmul(&c->A, &sum), J_rate = flexible_inertia_rate(p, c),
            OJ   = kl_matmul(&O, &c->J);
    kl_vec3 spin = kl_add(kl_mul(&c->J, om), combine(n, c->H, c->w_rate));
    kl_mat3 L = kl_skew(spin), turn = kl_mat_axpy(1.0, &J_rate, &OJ);
    turn = kl_mat_axpy(-1.0, &L, &turn);
    Asum = kl_mat_scale(-1.0, &Asum);
    put3(C, N, 0, 3, &Asum);
    put3(C, N, 3, 3, &turn);

    flexible_turn_rates(p, c);
    for (int k = 0; k < n; k++) mode_tangent(p, c, a, k, a_body, K, C);
    if (p->plain) flexible_second_tangent(p, c, a, K, C);
}

void flexible_measures(const void *data, const void *cache, kl_measures *m)
{
    const flexible       *p = data;
    const flexible_cache *c = cache;
    int                   n = p->n;
    kl_vec3               V = kl_mul_t(&c->A, c->v), Hw = combine(n, c->H, c->w_rate);
    kl_vec3       moved = kl_add(kl_cross(c->om, c->S), c->S_rate), spin = kl_mul(&c->J, c->om);
    double        elastic = 0.0;
    const double *modal   = flexible_modal_mass(p);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) elastic += c->w_rate[i] * modal[i * n + j] * c->w_rate[j];
    kl_vec3 p_body = kl_axpy(p->m, V, moved);
    kl_vec3 L_body = kl_add(kl_cross(c->S, V), kl_add(spin, Hw));
    m->mass        = p->m;
    m->center      = kl_axpy(1.0 / p->m, kl_mul(&c->A, c->S), c->r);
    m->p           = kl_mul(&c->A, p_body);
    m->L           = kl_add(kl_cross(c->r, m->p), kl_mul(&c->A, L_body));
    m->kinetic     = 0.5 * p->m * kl_dot(V, V) + kl_dot(V, moved) + 0.5 * kl_dot(c->om, spin) +
                 kl_dot(c->om, Hw) + 0.5 * elastic;
    if (p->plain) m->kinetic += flexible_second_energy(p, c);
}
