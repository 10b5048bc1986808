/* The two-node beam with shear (Timoshenko), any section, six unknowns a node.
 *
 * Exact static interpolation; bending in each principal plane with phi = 12 E I / (k G A L^2):
 *
 *   v  = [1 - 3s^2 + 2s^3 + phi (1-s), L (s - 2s^2 + s^3 + phi/2 (s - s^2)),
 *         3s^2 - 2s^3 + phi s, L (-s^2 + s^3 - phi/2 (s - s^2))] / (1 + phi),   s = x/L
 *   th = [6/L (s^2 - s), 1 - 4s + 3s^2 + phi (1-s), 6/L (s - s^2), -2s + 3s^2 + phi s] / (1 + phi)
 *
 * The mass integrates rho A v v + rho I th th with the same functions (Friedman and Kosmatka 1993).
 * Axial motion and torsion are linear. Local x from node 0 to 1; y, z principal axes of the
 * section. */
#include "fe/element.h"

#include <string.h>

typedef struct beam {
    double  L, EA, GJ, EI[2], phi[2]; /* [0]: plane x-y with Iz, [1]: plane x-z with Iy */
    double  rhoA, rhoI[2], rhoJ;
    kl_mat3 axes;         /* rows are the local axes */
    double  cosine, sine; /* of the turn from the given to the principal axes */
} beam;

/* principal axes of the section: y' = c y + s z */
static void principal(const kl_property *p, double *c, double *s, double *Iz, double *Iy)
{
    *c = 1, *s = 0, *Iz = p->Iz, *Iy = p->Iy;
    if (p->Iyz == 0.0) return;
    double turn = 0.5 * atan2(2 * p->Iyz, p->Iz - p->Iy);
    double mean = 0.5 * (p->Iz + p->Iy), radius = hypot(0.5 * (p->Iz - p->Iy), p->Iyz);
    *c = cos(turn), *s = sin(turn);
    *Iz = mean + radius, *Iy = mean - radius;
}

static double shear_modulus(const kl_material *p)
{
    return p->kind == KL_ISOTROPIC ? 0.5 * p->E / (1 + p->nu) : p->G12;
}

static kl_status beam_init(const kl_fe_element *e, beam *b)
{
    const kl_property *p = e->property;
    const kl_material *m = &e->material[p->material];
    double             E = m->kind == KL_ISOTROPIC ? m->E : m->E1, G = shear_modulus(m), Iz, Iy;
    kl_vec3            d = kl_sub(e->x[1], e->x[0]);
    b->L                 = kl_norm(d);
    if (!(b->L > 0.0)) return KL_E_MODEL;

    kl_vec3 x      = kl_scale(1 / b->L, d),
            hint   = kl_norm(e->orientation) > 0 ? e->orientation : p->orientation;
    kl_vec3 across = kl_cross(x, hint);
    if (!(kl_norm(across) > 1e-6 * kl_norm(hint)) || kl_norm(hint) == 0.0) {
        if (kl_norm(hint) > 0.0) return KL_E_RANGE; /* orientation along the beam */
        across = kl_cross(x, kl_normal_to(x));
    }
    kl_vec3 z = kl_unit(across), y = kl_cross(z, x);
    principal(p, &b->cosine, &b->sine, &Iz, &Iy);
    kl_vec3 y1 = kl_add(kl_scale(b->cosine, y), kl_scale(b->sine, z)), z1 = kl_cross(x, y1);
    kl_mat3 columns = kl_from_axes(x, y1, z1);
    b->axes         = kl_transpose(&columns);

    double shear[2] = {p->ky * G * p->area, p->kz * G * p->area};
    b->EA = E * p->area, b->GJ = G * p->J;
    b->EI[0] = E * Iz, b->EI[1] = E * Iy;
    for (int k = 0; k < 2; k++)
        b->phi[k] = shear[k] > 0 ? 12 * b->EI[k] / (shear[k] * b->L * b->L) : 0.0;
    b->rhoA    = m->rho * p->area + p->nsm;
    b->rhoI[0] = m->rho * Iz, b->rhoI[1] = m->rho * Iy;
    b->rhoJ = m->rho * (Iz + Iy);
    return KL_OK;
}

/* local unknowns of bending in plane k: v, th, v, th; in plane x-z the rotation is -th_y */
static const int    bend_dof[2][4]  = {{1, 5, 7, 11}, {2, 4, 8, 10}};
static const double bend_sign[2][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}};

static void add_bending(double local[12][12], int k, double (*m)[4])
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            local[bend_dof[k][i]][bend_dof[k][j]] += bend_sign[k][i] * bend_sign[k][j] * m[i][j];
}

static void add_axial(double local[12][12], int dof, double diagonal, double other)
{
    local[dof][dof] += diagonal, local[dof + 6][dof + 6] += diagonal;
    local[dof][dof + 6] += other, local[dof + 6][dof] += other;
}

/* K = R' k R with R the local axes in each 3 x 3 block */
static void to_global(const beam *b, double local[12][12], double *K)
{
    for (int I = 0; I < 4; I++)
        for (int J = 0; J < 4; J++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double sum = 0;
                    for (int k = 0; k < 3; k++)
                        for (int l = 0; l < 3; l++)
                            sum += b->axes.m[k][i] * local[3 * I + k][3 * J + l] * b->axes.m[l][j];
                    K[(3 * I + i) * 12 + 3 * J + j] = sum;
                }
}

kl_status kl_beam_stiffness(const kl_fe_element *e, const kl_fe_rules *rules, double *K)
{
    (void)rules;
    beam   b;
    double local[12][12] = {{0}};
    KL_TRY(beam_init(e, &b));
    double L = b.L;
    add_axial(local, 0, b.EA / L, -b.EA / L);
    add_axial(local, 3, b.GJ / L, -b.GJ / L);
    for (int k = 0; k < 2; k++) {
        double f = b.phi[k], c = b.EI[k] / (L * L * L * (1 + f));
        double m[4][4] = {{12, 6 * L, -12, 6 * L},
                          {6 * L, (4 + f) * L * L, -6 * L, (2 - f) * L * L},
                          {-12, -6 * L, 12, -6 * L},
                          {6 * L, (2 - f) * L * L, -6 * L, (4 + f) * L * L}};
        for (int i = 0; i < 16; i++) m[i / 4][i % 4] *= c;
        add_bending(local, k, m);
    }
    to_global(&b, local, K);
    return KL_OK;
}

static void bending_shapes(const beam *b, int k, double s, double v[4], double th[4])
{
    double L = b->L, f = b->phi[k], c = 1 / (1 + f), s2 = s * s, s3 = s2 * s;
    v[0]  = c * (1 - 3 * s2 + 2 * s3 + f * (1 - s));
    v[1]  = c * L * (s - 2 * s2 + s3 + 0.5 * f * (s - s2));
    v[2]  = c * (3 * s2 - 2 * s3 + f * s);
    v[3]  = c * L * (-s2 + s3 - 0.5 * f * (s - s2));
    th[0] = c * 6 / L * (s2 - s);
    th[1] = c * (1 - 4 * s + 3 * s2 + f * (1 - s));
    th[2] = -th[0];
    th[3] = c * (-2 * s + 3 * s2 + f * s);
}

/* Gauss-Legendre, 4 points on 0..1: exact for the products of cubics */
static const double gauss_s[4] = {0.0694318442029737124, 0.330009478207571867599,
                                  0.669990521792428132401, 0.9305681557970262876};
static const double gauss_w[4] = {0.173927422568726928687, 0.326072577431273071313,
                                  0.326072577431273071313, 0.173927422568726928687};

kl_status kl_beam_mass(const kl_fe_element *e, const kl_fe_rules *rules, kl_mass_rule rule,
                       double *M)
{
    (void)rules;
    beam   b;
    double local[12][12] = {{0}};
    KL_TRY(beam_init(e, &b));
    if (rule == KL_MASS_LUMPED) {
        for (int i = 0; i < 3; i++) add_axial(local, i, 0.5 * b.rhoA * b.L, 0);
        add_axial(local, 3, 0.5 * b.rhoJ * b.L, 0);
        add_axial(local, 4, 0.5 * b.rhoI[1] * b.L, 0);
        add_axial(local, 5, 0.5 * b.rhoI[0] * b.L, 0);
        to_global(&b, local, M);
        return KL_OK;
    }
    add_axial(local, 0, b.rhoA * b.L / 3, b.rhoA * b.L / 6);
    add_axial(local, 3, b.rhoJ * b.L / 3, b.rhoJ * b.L / 6);
    for (int k = 0; k < 2; k++) {
        double m[4][4] = {{0}}, v[4], th[4];
        for (int p = 0; p < 4; p++) {
            bending_shapes(&b, k, gauss_s[p], v, th);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    m[i][j] +=
                        gauss_w[p] * b.L * (b.rhoA * v[i] * v[j] + b.rhoI[k] * th[i] * th[j]);
        }
        add_bending(local, k, m);
    }
    to_global(&b, local, M);
    return KL_OK;
}

/* Axial stress of stretching and bending at a stress point; shear is not recovered. */
kl_status kl_beam_strain(const kl_fe_element *e, const double r[3], double *strain, double *stress)
{
    beam b;
    KL_TRY(beam_init(e, &b));
    const kl_material *m = &e->material[e->property->material];
    double             E = m->kind == KL_ISOTROPIC ? m->E : m->E1, s = 0.5 * (1 + r[0]);
    int                point = (int)r[1];
    if (point < 0 || point > 3) return KL_E_RANGE;
    double y0 = e->property->stress_y[point], z0 = e->property->stress_z[point];
    double at[2] = {b.cosine * y0 + b.sine * z0, -b.sine * y0 + b.cosine * z0};

    /* exx = u' - y th_z' + z th_y', curvature th' of each plane by its own derivative */
    double row[12] = {0};
    row[0] = -1 / b.L, row[6] = 1 / b.L;
    for (int k = 0; k < 2; k++) {
        double f = b.phi[k], c = 1 / ((1 + f) * b.L), L = b.L;
        double d[4] = {c * 6 / L * (2 * s - 1), c * (-4 + 6 * s - f), c * 6 / L * (1 - 2 * s),
                       c * (-2 + 6 * s + f)};
        for (int i = 0; i < 4; i++) row[bend_dof[k][i]] -= at[k] * bend_sign[k][i] * d[i];
    }
    memset(strain, 0, 72 * sizeof(double));
    memset(stress, 0, 72 * sizeof(double));
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    double           axis[3] = {b.axes.m[0][0], b.axes.m[0][1], b.axes.m[0][2]};
    for (int J = 0; J < 4; J++)
        for (int j = 0; j < 3; j++) {
            double value = 0;
            for (int l = 0; l < 3; l++) value += row[3 * J + l] * b.axes.m[l][j];
            for (int i = 0; i < 6; i++) {
                double dyad                = axis[first[i]] * axis[second[i]];
                strain[i * 12 + 3 * J + j] = (i < 3 ? 1 : 2) * dyad * value;
                stress[i * 12 + 3 * J + j] = dyad * E * value;
            }
        }
    return KL_OK;
}

/* N int v' v' dx in both planes */
kl_status kl_beam_geometric(const kl_fe_element *e, double *axial, double *Kg)
{
    beam   b;
    double local[12][12] = {{0}};
    KL_TRY(beam_init(e, &b));
    for (int k = 0; k < 2; k++) {
        double m[4][4] = {{0}}, f = b.phi[k], c = 1 / (1 + f);
        for (int p = 0; p < 4; p++) {
            double s = gauss_s[p], s2 = s * s;
            double d[4] = {
                c * (6 * s2 - 6 * s - f) / b.L, c * (1 - 4 * s + 3 * s2 + 0.5 * f * (1 - 2 * s)),
                c * (6 * s - 6 * s2 + f) / b.L, c * (3 * s2 - 2 * s - 0.5 * f * (1 - 2 * s))};
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) m[i][j] += gauss_w[p] * b.L * d[i] * d[j];
        }
        add_bending(local, k, m);
    }
    to_global(&b, local, Kg);
    for (int i = 0; i < 12; i++) axial[i] = 0;
    for (int i = 0; i < 3; i++) {
        axial[i]     = -b.EA / b.L * b.axes.m[0][i];
        axial[6 + i] = b.EA / b.L * b.axes.m[0][i];
    }
    return KL_OK;
}
