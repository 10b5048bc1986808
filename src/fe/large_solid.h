/* Solids with large rotations and strains: ten-node tetrahedra and eight-node hexahedra.
 *
 * Total Lagrangian, which for stresses derived from an energy is the updated Lagrangian form written in
 * other axes (Bathe, Finite Element Procedures, section 6.2.3). With reference gradients g_a of the
 * shape functions, F = sum x_a g_a', strain E(F) of strain_measure.h and stress T of plasticity.h:
 *
 *   f_a = int F S g_a dV,   K_ab = int B_a' C B_b + (g_a . S g_b) I dV
 *
 * The hexahedron carries 15 enhanced strain modes, E + (j0/j) M(r) w, so that it neither locks in
 * bending, nor in transverse shear where its faces converge, nor when the material is incompressible; they
 * are formed with the Jacobian of the element's centre, so the patch test holds (Simo and Rifai 1990; for
 * large strain Klinkel and Wagner 1997; the bilinear shear strains as by Andelfinger and Ramm 1993). The
 * modes are found inside the element: the force is a function of the nodes' positions alone. All 8
 * points are integrated, so there is no hourglass mode. */
#ifndef KL_FE_LARGE_SOLID_H
#define KL_FE_LARGE_SOLID_H

#include "base/arena.h"
#include "fe/element.h"
#include "fe/plasticity.h"

enum { KL_LARGE_NODES = 10, KL_LARGE_POINTS = 8, KL_LARGE_MODES = 15 };

/* What an element keeps of its reference configuration. */
typedef struct kl_large_solid {
    kl_shape            shape;
    int                 nnode, npoint, nmode;
    const kl_solid_law *law;
    double (*gradient)[3]; /* npoint x nnode [1/m] */
    double *volume;        /* npoint [m3] */
    double  jacobian;      /* det dx/dr of the reference shape, mean of the points */
    /* hexahedra: */
    double  T0[6][6];      /* natural strain at the centre to global strain */
    double *ratio;         /* npoint: j0/j */
    const double (*at)[3]; /* npoint: natural coordinates */
    double inverse[KL_LARGE_MODES * KL_LARGE_MODES]; /* of the elastic stiffness of the modes */
} kl_large_solid;

/* Takes the element's reference shape; all memory from `arena`. KL_E_MODEL: inside out, be it only at a corner. */
kl_status kl_large_solid_init(const kl_fe_element *e, const kl_solid_law *law, kl_arena *arena,
                              kl_large_solid *s);

typedef struct kl_large_answer {
    double f[3 * KL_LARGE_NODES]; /* internal forces on the nodes [N], to be balanced by loads */
    double stored, work;          /* elastic energy, plastic work [J] */
    double mode[KL_LARGE_MODES];  /* enhanced strain */
    int    passes;                /* iterations for it */
} kl_large_answer;

/* x: positions of the nodes. old: npoint states, NULL for an elastic law. mode0: where the search for
 * the enhanced strain begins (nmode; NULL: zero). K: (3 nnode)^2 by rows, or NULL. KL_RETRY: turned inside out, or
 * no enhanced strain found. */
kl_status kl_large_solid_eval(const kl_large_solid *s, const kl_vec3 *x,
                              const kl_plastic_state *old, const double *mode0,
                              kl_large_answer *out, double *K);

/* Damping of the material, stress = D (strain rate) with the elastic D: forces on the nodes at velocities
 * v for one second of damping time, the power they take [W] and, unless NULL, their slope by v,
 * (3 nnode)^2 by rows. A rigid motion is not damped. KL_RETRY: turned inside out. */
kl_status kl_large_solid_damp(const kl_large_solid *s, const kl_vec3 *x, const kl_vec3 *v,
                              double *f, double *power, double *C);

/* States at these positions: what a step commits. `mode` as found by eval. */
void kl_large_solid_commit(const kl_large_solid *s, const kl_vec3 *x, const kl_plastic_state *old,
                           const double *mode, kl_plastic_state *new);

/* Cauchy stress [Pa] (global axes), accumulated plastic strain and logarithmic or Green strain at the points. */
typedef struct kl_large_point {
    double stress[6], strain[6], a;
} kl_large_point;
void kl_large_solid_points(const kl_large_solid *s, const kl_vec3 *x, const kl_plastic_state *old,
                           const double *mode, kl_large_point *p);

/* Least volume of a point over its volume at the start: 0 is where the element turns inside out. */
double kl_large_solid_least_volume(const kl_large_solid *s, const kl_vec3 *x);
/* Is it inside out anywhere, be it between the points or at a corner? */
bool kl_large_solid_is_inside_out(const kl_large_solid *s, const kl_vec3 *x);

/* Shares of the points in the value at node a, by the linear or trilinear function through the points. */
void kl_large_solid_shares(const kl_large_solid *s, int a, double *share);

#endif
