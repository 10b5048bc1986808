/* Elasticity and J2 plasticity in strain space: stress T of a strain E that is conjugate to it.
 *
 *   T = D (E - Ep),  |dev T - X| <= sqrt(2/3) s(a),  dEp = dg n,  a' = sqrt(2/3) g',
 *   s(a) = Y(0) + b (Y(a) - Y(0)),  dX = sqrt(2/3) (1 - b) (Y(a + da) - Y(a)) n
 *
 * with the yield stress Y over the accumulated plastic strain a as a table, extrapolated with its end
 * slope; b is the share of isotropic hardening. Backward Euler (Simo and Hughes, Computational
 * Inelasticity, 1998, boxes 3.1 and 3.2), exact for a table of straight pieces. With Hencky's strain
 * this is large-strain plasticity without further ado (Miehe, Apel, Lambrecht 2002). */
#ifndef KL_FE_PLASTICITY_H
#define KL_FE_PLASTICITY_H

#include <stdbool.h>

#include "fe/strain_measure.h"
#include "klingel/status.h"

typedef struct kl_yield_row {
    double strain, stress; /* plastic strain [-], yield stress [Pa] */
} kl_yield_row;

typedef struct kl_solid_law {
    double              lambda, mu; /* Lame [Pa] */
    kl_strain_kind      strain;
    int                 nrow;      /* 0: elastic */
    const kl_yield_row *yield;     /* begins at plastic strain zero; never falls */
    double              isotropic; /* share of isotropic hardening, 0 (kinematic) to 1 */
} kl_solid_law;

/* What a point remembers. */
typedef struct kl_plastic_state {
    double Ep[6], X[6]; /* plastic strain (engineering shear), back stress [Pa] */
    double a;           /* accumulated plastic strain */
    double work;        /* plastic work [J/m3] */
} kl_plastic_state;

enum { KL_PLASTIC_NUMBERS = sizeof(kl_plastic_state) / sizeof(double) };

void kl_solid_law_elastic(double E, double nu, kl_solid_law *law);

/* Stress, energy stored elastically [J/m3] and, unless NULL, dT/dE and the new state. `old` NULL: an
 * elastic law. */
typedef struct kl_stress_answer {
    double T[6], stored;
    double work; /* plastic work so far [J/m3] */
    double a;    /* accumulated plastic strain */
} kl_stress_answer;
void kl_solid_law_eval(const kl_solid_law *law, const double E[6], const kl_plastic_state *old,
                       kl_stress_answer *out, double D[6][6], kl_plastic_state *new);

/* Yield stress and its slope at an accumulated plastic strain. */
double kl_yield_at(const kl_solid_law *law, double a, double *slope);

/* Equivalent stress of von Mises. */
double kl_mises(const double s[6]);

#endif
