/* Hertz contact of two elastic bodies, point contact with an elliptic patch.
 *
 * The gap of the undeformed surfaces is Ax x^2 + By y^2. For one approach `depth`
 *
 *   N = stiffness depth^(3/2),   a = a1 sqrt(depth),   b = b1 sqrt(depth)
 *
 * so a pair of curvatures is solved once and then serves any load. */
#ifndef KL_RAILWAY_HERTZ_H
#define KL_RAILWAY_HERTZ_H

/* Elastic constants of a pair of bodies. */
typedef struct kl_elastic_pair {
    double E; /* contact modulus E*: 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2 [Pa] */
    double G; /* shear modulus, combined: 2/G = 1/G1 + 1/G2 [Pa] */
    double nu;
} kl_elastic_pair;

typedef struct kl_hertz {
    double a1, b1;    /* semi-axes along x and y over sqrt(depth) [sqrt(m)] */
    double stiffness; /* [N/m^1.5] */
} kl_hertz;

/* Two bodies of one material with Young's modulus E [Pa]. */
kl_elastic_pair kl_elastic_same(double E, double nu);

/* Curvatures Ax, By > 0 [1/m]. Well conditioned for all ratios. */
kl_hertz kl_hertz_of(double Ax, double By, double contact_modulus);

/* The same by a table over the logarithm of By/Ax, made once: within 1e-8 of it and twenty times
 * faster. Beyond ratios of 1e4 the table calls kl_hertz_of. */
enum { KL_HERTZ_NODES = 257 };
typedef struct kl_hertz_table {
    struct {
        double value[3], slope[3];
    } node[KL_HERTZ_NODES];
} kl_hertz_table;

void     kl_hertz_table_fill(kl_hertz_table *t);
kl_hertz kl_hertz_by_table(const kl_hertz_table *t, double Ax, double By, double contact_modulus);

/* Approach that carries the normal force N >= 0 [m]. */
double kl_hertz_depth(const kl_hertz *h, double N);

/* Complete elliptic integrals for the complementary modulus k1 = sqrt(1 - k^2) in (0, 1]:
 * D = (K - E)/k^2 and B = K - D = (E - k1^2 K)/k^2, free of cancellation. */
void kl_elliptic(double k1, double *K, double *D, double *B);

#endif
