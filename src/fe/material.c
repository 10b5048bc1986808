/* Elasticity matrices: Hooke's law, isotropic and orthotropic, turned into global axes.
 *
 *   compliance S (order 11 22 33 12 23 31): 1/E1, -nu12/E1, ..., 1/G12, 1/G23, 1/G31;  D = S^-1
 *   turned: D_global = T' D T with T the strain transformation (Jones, Mechanics of Composite
 *   Materials, ch. 2; Bathe, Finite Element Procedures, section 4.2.3) */
#include "fe/element.h"

#include <string.h>

/* inverse of a symmetric 3 x 3 */
static bool invert3(const double S[3][3], double D[3][3])
{
    kl_mat3 M;
    memcpy(M.m, S, sizeof M.m);
    double det = kl_det(&M);
    if (!(det > 0.0) || !isfinite(det)) return false;
    kl_mat3 I = kl_inverse(&M);
    memcpy(D, I.m, sizeof I.m);
    return true;
}

static void isotropic(const kl_material *p, double D[6][6])
{
    double lambda = p->E * p->nu / ((1 + p->nu) * (1 - 2 * p->nu)), mu = 0.5 * p->E / (1 + p->nu);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) D[i][j] = lambda + (i == j ? 2 * mu : 0);
    for (int i = 3; i < 6; i++) D[i][i] = mu;
}

static kl_status orthotropic(const kl_material *p, double D[6][6])
{
    /* a lamina's data leaves the third direction open: take it like the second */
    bool         lamina = !(p->E3 > 0);
    double       E3 = lamina ? p->E2 : p->E3, nu13 = lamina && p->nu13 == 0 ? p->nu12 : p->nu13;
    double       G13 = p->G13 > 0 ? p->G13 : p->G12, G23 = p->G23 > 0 ? p->G23 : G13;
    const double S[3][3] = {{1 / p->E1, -p->nu12 / p->E1, -nu13 / p->E1},
                            {-p->nu12 / p->E1, 1 / p->E2, -p->nu23 / p->E2},
                            {-nu13 / p->E1, -p->nu23 / p->E2, 1 / E3}};
    double       C[3][3];
    if (!invert3(S, C)) return KL_E_RANGE;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) D[i][j] = C[i][j];
    D[3][3] = p->G12, D[4][4] = G23, D[5][5] = G13;
    return KL_OK;
}

/* strain in material axes from strain in global axes; columns of A are the material's axes */
static void strain_turn(const kl_mat3 *A, double T[6][6])
{
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            int    a = first[i], b = second[i], k = first[j], l = second[j];
            double pair = A->m[k][a] * A->m[l][b];
            if (k != l) pair = 0.5 * (pair + A->m[l][a] * A->m[k][b]);
            T[i][j] = (i < 3 ? 1.0 : 2.0) * pair;
        }
}

kl_status kl_material_solid(const kl_material *p, const kl_mat3 *axes, double D[6][6])
{
    double local[6][6] = {{0}}, T[6][6], DT[6][6];
    if (p->kind == KL_ISOTROPIC) {
        memset(D, 0, 36 * sizeof(double));
        isotropic(p, D);
        return KL_OK;
    }
    KL_TRY(orthotropic(p, local));
    strain_turn(axes, T);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            DT[i][j] = 0;
            for (int k = 0; k < 6; k++) DT[i][j] += local[i][k] * T[k][j];
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            D[i][j] = 0;
            for (int k = 0; k < 6; k++) D[i][j] += T[k][i] * DT[k][j];
        }
    return KL_OK;
}
