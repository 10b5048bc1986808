#include "fe/strain_measure.h"

#include <math.h>
#include <string.h>

static const int FIRST[6] = {0, 1, 2, 0, 1, 2}, SECOND[6] = {0, 1, 2, 1, 2, 0};
static const int AT[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

/* ---- eigenvectors ---- */

/* One plane rotation of Jacobi's method that makes A[p][q] zero. */
static void rotate(double A[3][3], double V[3][3], int p, int q)
{
    if (A[p][q] == 0.0) return;
    double theta = 0.5 * (A[q][q] - A[p][p]) / A[p][q];
    double t     = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c, off = A[p][q];
    int    r   = 3 - p - q;
    double arp = A[r][p], arq = A[r][q];
    A[p][p] -= t * off, A[q][q] += t * off;
    A[p][q] = A[q][p] = 0.0;
    A[r][p] = A[p][r] = c * arp - s * arq;
    A[r][q] = A[q][r] = s * arp + c * arq;
    for (int k = 0; k < 3; k++) {
        double a = V[k][p], b = V[k][q];
        V[k][p] = c * a - s * b, V[k][q] = s * a + c * b;
    }
}

/* Jacobi: the axes are orthogonal to rounding also where eigenvalues are equal or nearly so. */
static void eigen(double A[3][3], double V[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) V[i][j] = i == j;
    for (int sweep = 0; sweep < 12; sweep++) {
        double off = A[0][1] * A[0][1] + A[0][2] * A[0][2] + A[1][2] * A[1][2];
        double on  = A[0][0] * A[0][0] + A[1][1] * A[1][1] + A[2][2] * A[2][2];
        if (off <= 1e-34 * on) return;
        rotate(A, V, 0, 1), rotate(A, V, 0, 2), rotate(A, V, 1, 2);
    }
}

/* ---- divided differences of the logarithm ---- */

/* ln[a, b] = log1p(x)/(a x), x = b/a - 1 */
static double log_slope(double a, double b)
{
    double x = (b - a) / a;
    if (fabs(x) > 1e-4) return log1p(x) / (x * a);
    return (1.0 + x * (-0.5 + x * (1.0 / 3.0 + x * (-0.25 + x * 0.2)))) / a;
}

/* ln[a, b, c]: from slopes where the values are apart, else Taylor's series about their mean m:
 * sum over k >= 2 of ln^(k)(m)/k! h_(k-2)(a - m, b - m, c - m), h the complete symmetric polynomials */
static double log_curvature(double a, double b, double c)
{
    double low = fmin(a, fmin(b, c)), high = fmax(a, fmax(b, c)), mid = a + b + c - low - high;
    if (high - low > 0.02 * high)
        return (log_slope(mid, high) - log_slope(low, mid)) / (high - low);
    double m = (a + b + c) / 3.0, x = (a - m) / m, y = (b - m) / m, z = (c - m) / m;
    /* e1 = 0, so h_k = -e2 h_(k-2) + e3 h_(k-3) */
    double e2 = x * y + y * z + z * x, e3 = x * y * z, h[8] = {1.0, 0.0, -e2};
    double sum = -0.5, sign = 1.0;
    for (int k = 1; k < 8; k++, sign = -sign) {
        if (k > 2) h[k] = -e2 * h[k - 2] + e3 * h[k - 3];
        sum += sign * h[k] / (k + 2.0);
    }
    return sum / (m * m);
}

/* ---- the strain ---- */

static void green(const kl_mat3 *F, kl_strain_point *p)
{
    kl_mat3 Ft = kl_transpose(F), C = kl_matmul(&Ft, F);
    p->N = kl_identity();
    for (int k = 0; k < 6; k++) {
        int    i = FIRST[k], j = SECOND[k];
        double e    = 0.5 * (C.m[i][j] - (i == j));
        p->E[k]     = i == j ? e : 2.0 * e;
        p->first[k] = 1.0;
    }
}

/* ln l - but the eigenvalue of C - I is the one that is known with all digits when strains are small */
static void logarithmic(const kl_mat3 *F, kl_strain_point *p)
{
    double  l[3], e[3];
    kl_mat3 H = *F, Ht, D; /* C - I = H + H' + H'H with F = I + H */
    for (int i = 0; i < 3; i++) H.m[i][i] -= 1.0;
    Ht = kl_transpose(&H);
    D  = kl_matmul(&Ht, &H);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) D.m[i][j] += H.m[i][j] + H.m[j][i];
    eigen(D.m, p->N.m);
    for (int a = 0; a < 3; a++) l[a] = 1.0 + D.m[a][a], e[a] = 0.5 * log1p(D.m[a][a]);
    for (int k = 0; k < 6; k++) {
        int i = FIRST[k], j = SECOND[k];
        p->E[k] = 0.0;
        for (int a = 0; a < 3; a++) p->E[k] += e[a] * p->N.m[i][a] * p->N.m[j][a];
        if (i != j) p->E[k] *= 2.0;
        p->first[k] = log_slope(l[i], l[j]);
    }
}

void kl_strain_of(kl_strain_kind kind, const kl_mat3 *F, kl_strain_point *p)
{
    p->curved = false;
    if (kind == KL_STRAIN_GREEN) green(F, p);
    else logarithmic(F, p);
}

void kl_strain_second(kl_strain_kind kind, const kl_mat3 *F, kl_strain_point *p)
{
    if (kind == KL_STRAIN_GREEN) return;
    kl_mat3 C, Ft = kl_transpose(F), CN, Nt = kl_transpose(&p->N);
    double  l[3];
    C  = kl_matmul(&Ft, F);
    CN = kl_matmul(&C, &p->N);
    C  = kl_matmul(&Nt, &CN);
    for (int a = 0; a < 3; a++) l[a] = C.m[a][a];
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++)
            for (int c = b; c < 3; c++) {
                double s           = log_curvature(l[a], l[b], l[c]);
                p->second[a][b][c] = p->second[a][c][b] = p->second[b][a][c] = s;
                p->second[b][c][a] = p->second[c][a][b] = p->second[c][b][a] = s;
            }
    p->curved = true;
}

/* ---- turning components ---- */

static void turn(const kl_mat3 *N, const double in[6], double half, double out[6])
{
    double T[3][3], TN[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) T[i][j] = (i == j ? 1.0 : half) * in[AT[i][j]];
    for (int i = 0; i < 3; i++)
        for (int b = 0; b < 3; b++)
            TN[i][b] = T[i][0] * N->m[0][b] + T[i][1] * N->m[1][b] + T[i][2] * N->m[2][b];
    for (int k = 0; k < 6; k++) {
        int a = FIRST[k], b = SECOND[k];
        out[k] = N->m[0][a] * TN[0][b] + N->m[1][a] * TN[1][b] + N->m[2][a] * TN[2][b];
        if (a != b) out[k] /= half;
    }
}

void kl_strain_turn(const kl_mat3 *N, const double e[6], double out[6]) { turn(N, e, 0.5, out); }
void kl_stress_turn(const kl_mat3 *N, const double s[6], double out[6]) { turn(N, s, 1.0, out); }

void kl_strain_add_curvature(const kl_strain_point *p, const double T[6], double (*C)[6])
{
    for (int a = 0; p->curved && a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 3; c++) {
                int    i = AT[a][c], j = AT[c][b];
                double k = 2.0 * T[AT[a][b]] * p->second[a][b][c];
                k *= (a == c ? 1.0 : 0.5) * (c == b ? 1.0 : 0.5);
                C[i][j] += k;
                C[j][i] += k;
            }
}
