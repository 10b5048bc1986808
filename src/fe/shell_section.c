/* Sections of shells: integrals through the thickness, of one material or of a stack of plies.
 * Classical laminates: A, B, D from the plies' plane stress stiffness, and the shear of the stack. */
#include <string.h>

#include "fe/shell.h"

static double ply_G(double given, double otherwise) { return given > 0 ? given : otherwise; }

void kl_ply_stiffness(const kl_material *p, double angle, double Q[3][3], double G[2][2])
{
    double E1, E2, nu, G12, G13, G23;
    if (p->kind == KL_ISOTROPIC) {
        E1 = E2 = p->E;
        nu      = p->nu;
        G12 = G13 = G23 = 0.5 * p->E / (1 + p->nu);
    } else {
        E1 = p->E1, E2 = p->E2, nu = p->nu12, G12 = p->G12;
        G13 = ply_G(p->G13, G12), G23 = ply_G(p->G23, G13);
    }
    double d = 1 - nu * nu * E2 / E1, c = cos(angle), s = sin(angle);
    double q[3][3] = {{E1 / d, nu * E2 / d, 0}, {nu * E2 / d, E2 / d, 0}, {0, 0, G12}};
    /* strain in material axes from local strain */
    double T[3][3] = {
        {c * c, s * s, c * s}, {s * s, c * c, -c * s}, {-2 * c * s, 2 * c * s, c * c - s * s}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Q[i][j] = 0;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) Q[i][j] += T[k][i] * q[k][l] * T[l][j];
        }
    G[0][0] = c * c * G13 + s * s * G23;
    G[1][1] = s * s * G13 + c * c * G23;
    G[0][1] = G[1][0] = c * s * (G13 - G23);
}

static void add_ply(kl_shell_section *s, const kl_material *p, double z0, double z1, double angle)
{
    double Q[3][3], G[2][2], h = z1 - z0, h2 = 0.5 * (z1 * z1 - z0 * z0),
                             h3 = (z1 * z1 * z1 - z0 * z0 * z0) / 3,
                             h4 = 0.25 * (z1 * z1 * z1 * z1 - z0 * z0 * z0 * z0);
    kl_ply_stiffness(p, angle, Q, G);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            s->A[i][j] += h * Q[i][j];
            s->B[i][j] += h2 * Q[i][j];
            s->D[i][j] += h3 * Q[i][j];
            s->E[i][j] += h4 * Q[i][j];
        }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) s->H[i][j] += 5.0 / 6.0 * h * G[i][j];
    s->mass += p->rho * h;
    s->first += p->rho * h2;
    s->second += p->rho * h3;
}

double kl_shell_thickness(const kl_property *p)
{
    if (p->kind != KL_LAMINATE) return p->thickness;
    double t = 0;
    for (int k = 0; k < p->nply; k++) t += p->ply[k].thickness;
    return t;
}

double kl_shell_bottom(const kl_property *p)
{
    bool centred = p->kind != KL_LAMINATE || isnan(p->bottom);
    return centred ? -0.5 * kl_shell_thickness(p) : p->bottom;
}

const kl_material *kl_shell_ply_at(const kl_fe_element *e, double z, double *angle)
{
    const kl_property *p = e->property;
    *angle               = e->angle;
    if (p->kind != KL_LAMINATE) return &e->material[p->material];
    double top = kl_shell_bottom(p);
    int    k   = 0;
    for (; k < p->nply - 1; k++) {
        top += p->ply[k].thickness;
        if (z < top) break;
    }
    *angle += p->ply[k].angle;
    return &e->material[p->ply[k].material];
}

void kl_shell_section_init(const kl_fe_element *e, kl_shell_section *s)
{
    const kl_property *p = e->property;
    memset(s, 0, sizeof *s);
    if (p->kind == KL_LAMINATE) {
        double z = kl_shell_bottom(p);
        for (int k = 0; k < p->nply; k++) {
            double top = z + p->ply[k].thickness;
            add_ply(s, &e->material[p->ply[k].material], z, top, e->angle + p->ply[k].angle);
            z = top;
        }
    } else {
        add_ply(s, &e->material[p->material], -0.5 * p->thickness, 0.5 * p->thickness, e->angle);
    }
    s->mass += p->nsm;
    s->middle = kl_shell_bottom(p) + 0.5 * kl_shell_thickness(p);
}
