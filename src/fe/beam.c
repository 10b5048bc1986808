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

static void local_stiffness(const beam *b, double local[12][12])
{
    double L = b->L;
    memset(local, 0, 144 * sizeof(double));
    add_axial(local, 0, b->EA / L, -b->EA / L);
    add_axial(local, 3, b->GJ / L, -b->GJ / L);
    for (int k = 0; k < 2; k++) {
        double f = b->phi[k], c = b->EI[k] / (L * L * L * (1 + f));
        double m[4][4] = {{12, 6 * L, -12, 6 * L},
                          {6 * L, (4 + f) * L * L, -6 * L, (2 - f) * L * L},
                          {-12, -6 * L, 12, -6 * L},
                          {6 * L, (2 - f) * L * L, -6 * L, (4 + f) * L * L}};
        for (int i = 0; i < 16; i++) m[i / 4][i % 4] *= c;
        add_bending(local, k, m);
    }
}

kl_status kl_beam_stiffness(const kl_fe_element *e, const kl_fe_rules *rules, double *K)
{
    (void)rules;
    beam   b;
    double local[12][12];
    KL_TRY(beam_init(e, &b));
    local_stiffness(&b, local);
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

/* derivatives of th */
static void curvature_shapes(const beam *b, int k, double s, double d[4])
{
    double f = b->phi[k], L = b->L, c = 1 / ((1 + f) * L);
    d[0] = c * 6 / L * (2 * s - 1), d[1] = c * (-4 + 6 * s - f);
    d[2] = -d[0], d[3] = c * (-2 + 6 * s + f);
}

/* Gauss-Legendre, 4 points on 0..1: exact for the products of cubics */
static const double gauss_s[4] = {0.0694318442029737124, 0.330009478207571867599,
                                  0.669990521792428132401, 0.9305681557970262876};
static const double gauss_w[4] = {0.173927422568726928687, 0.326072577431273071313,
                                  0.326072577431273071313, 0.173927422568726928687};

/* Consistent mass: rho A L/3 and /6 axially and for torsion (linear shapes); for bending in both planes
 * int (rho A v_i v_j + rho I th_i th_j) ds with the shapes v and rotations th of the shear-flexible beam. */
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
        double d[4];
        curvature_shapes(&b, k, s, d);
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

/* ---- geometric stiffness ---- */

/* Points of the section move by u + theta x r; of the stress only what its resultants tell is known,
 * N, S = int s r dA (moments: S_y = -M_z, S_z = M_y), Q = S' and the torque T, which shear carries
 * half along y and half along z. They do (element.h has the form)
 *
 *   N (u'.u' + I_z/A |theta' x e_y|^2 + I_y/A |theta' x e_z|^2) + 2 u'.(theta' x S) + 2 u'.(theta x Q)
 *   + T (theta_y' theta_z - theta_z' theta_y)
 *
 * and, with rotations as vectors, r turns to r + theta x r + theta x (theta x r)/2: the moment m of
 * the element at a node does theta_x (m_y theta_z - m_z theta_y) on it. Loads that follow no node
 * then stay conservative, and what meets at a corner fits. */

typedef struct geometric_maker {
    beam                b;
    double              K[12][12]; /* forces on the nodes, local, per local unknown */
    kl_geometric_point *p;
} geometric_maker;

/* row over global unknowns += factor times a row over local ones */
static void add_row(const beam *b, const double *local, double factor, double *row)
{
    for (int J = 0; J < 4; J++)
        for (int l = 0; l < 3; l++)
            for (int j = 0; j < 3; j++)
                row[3 * J + j] += factor * local[3 * J + l] * b->axes.m[l][j];
}

/* local rows at s: u' (3), theta (3), theta' (3) */
static void beam_fields(const beam *b, double s, double row[9][12])
{
    double L = b->L, s2 = s * s;
    memset(row, 0, 9 * 12 * sizeof(double));
    row[0][0] = row[6][3] = -1 / L, row[0][6] = row[6][9] = 1 / L;
    row[3][3] = 1 - s, row[3][9] = s;
    for (int k = 0; k < 2; k++) {
        double f = b->phi[k], c = 1 / (1 + f), v[4], th[4];
        bending_shapes(b, k, s, v, th);
        double dv[4] = {c * (6 * s2 - 6 * s - f) / L,
                        c * (1 - 4 * s + 3 * s2 + 0.5 * f * (1 - 2 * s)),
                        c * (6 * s - 6 * s2 + f) / L, c * (3 * s2 - 2 * s - 0.5 * f * (1 - 2 * s))};
        double dth[4];
        curvature_shapes(b, k, s, dth);
        /* plane x-y turns about z by th, plane x-z about y by -th */
        int    turn = k == 0 ? 2 : 1;
        double sign = k == 0 ? 1 : -1;
        for (int i = 0; i < 4; i++) {
            row[1 + k][bend_dof[k][i]]    = bend_sign[k][i] * dv[i];
            row[3 + turn][bend_dof[k][i]] = sign * bend_sign[k][i] * th[i];
            row[6 + turn][bend_dof[k][i]] = sign * bend_sign[k][i] * dth[i];
        }
    }
}

static void put_fields(const geometric_maker *k, double s)
{
    double              row[9][12];
    const beam         *b = &k->b;
    kl_geometric_point *p = k->p;
    beam_fields(b, s, row);
    for (int c = 0; c < 3; c++) add_row(b, row[c], 1.0, p->field[0][c]);
    for (int d = 0; d < 2; d++) { /* theta' and theta: t x e_y = (-t_z, 0, t_x), t x e_z */
        double(*t)[12] = d == 0 ? row + 6 : row + 3;
        add_row(b, t[2], -1.0, p->field[1 + 2 * d][0]);
        add_row(b, t[0], 1.0, p->field[1 + 2 * d][2]);
        add_row(b, t[1], 1.0, p->field[2 + 2 * d][0]);
        add_row(b, t[0], -1.0, p->field[2 + 2 * d][1]);
    }
    p->nfield = 5;
}

static void put_point(const geometric_maker *k, double s, double weight)
{
    const beam        *b = &k->b;
    kl_geometric_term *t;
    kl_geometric_clear(k->p);
    put_fields(k, s);
    t        = kl_geometric_add(k->p, 0, 0, 1.0);
    t->npair = 3, t->a[1] = t->b[1] = 1, t->a[2] = t->b[2] = 2;
    t->factor[1] = b->EI[0] / b->EA, t->factor[2] = b->EI[1] / b->EA;
    add_row(b, k->K[6], weight, t->force);
    /* S from the moments m = S x e_x at the far end and -S x e_x at the near one */
    for (int d = 0; d < 2; d++) {
        int    moment = d == 0 ? 5 : 4;
        double sign   = d == 0 ? -1 : 1;
        t             = kl_geometric_add(k->p, 0, 1 + d, 2.0);
        add_row(b, k->K[moment], -sign * weight * (1 - s), t->force);
        add_row(b, k->K[6 + moment], sign * weight * s, t->force);
        t = kl_geometric_add(k->p, 0, 3 + d, 2.0);
        add_row(b, k->K[moment], sign * weight / b->L, t->force);
        add_row(b, k->K[6 + moment], sign * weight / b->L, t->force);
    }
    t = kl_geometric_add(k->p, 1, 4, 1.0);
    add_row(b, k->K[9], weight, t->force);
    t->npair = 2, t->a[1] = 2, t->b[1] = 3, t->factor[1] = -1.0;
}

static void put_node(const geometric_maker *k, int i)
{
    kl_geometric_point *p = k->p;
    kl_geometric_clear(p);
    p->nfield = 3;
    for (int c = 0; c < 3; c++)
        for (int j = 0; j < 3; j++) p->field[c][0][6 * i + 3 + j] = k->b.axes.m[c][j];
    add_row(&k->b, k->K[6 * i + 4], 1.0, kl_geometric_add(p, 0, 2, 1.0)->force);
    add_row(&k->b, k->K[6 * i + 5], -1.0, kl_geometric_add(p, 0, 1, 1.0)->force);
}

kl_status kl_beam_geometric(const kl_fe_element *e, const kl_fe_rules *rules, kl_geometric_point *p,
                            kl_geometric_sink sink, void *context)
{
    (void)rules;
    geometric_maker k = {.p = p};
    KL_TRY(beam_init(e, &k.b));
    local_stiffness(&k.b, k.K);
    for (int i = 0; i < 4; i++) {
        put_point(&k, gauss_s[i], gauss_w[i] * k.b.L);
        sink(context, p);
    }
    for (int i = 0; i < 2; i++) {
        put_node(&k, i);
        sink(context, p);
    }
    return KL_OK;
}

/* sections turn as the mass has them do, bending and twist; their middle is on the nodes' line */
kl_status kl_beam_masses(const kl_fe_element *e, kl_mass_point *p, kl_mass_sink sink, void *context)
{
    beam b;
    KL_TRY(beam_init(e, &b));
    kl_vec3 y  = kl_vec(b.axes.m[1][0], b.axes.m[1][1], b.axes.m[1][2]),
            z  = kl_vec(b.axes.m[2][0], b.axes.m[2][1], b.axes.m[2][2]);
    kl_mat3 yy = kl_outer(y, y), zz = kl_outer(z, z), W = kl_mat_scale(b.rhoI[0], &yy);
    W = kl_mat_axpy(b.rhoI[1], &zz, &W);
    memset(p->u, 0, sizeof p->u);
    p->first = kl_vec(0, 0, 0);
    p->along = kl_vec(b.axes.m[0][0], b.axes.m[0][1], b.axes.m[0][2]);
    for (int i = 0; i < 4; i++) {
        double row[9][12];
        beam_fields(&b, gauss_s[i], row);
        memset(p->turn, 0, sizeof p->turn);
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < 3; l++) add_row(&b, row[3 + l], b.axes.m[l][c], p->turn[c]);
        p->x      = kl_axpy(gauss_s[i], kl_sub(e->x[1], e->x[0]), e->x[0]);
        p->second = kl_mat_scale(gauss_w[i] * b.L, &W);
        sink(context, p);
    }
    return KL_OK;
}
