/* Creep forces of rolling contact: one interface for all laws.
 *
 * x is the rolling direction, y lateral, z the normal. A creepage is the velocity of body 1 (the
 * wheel) relative to body 2 (the rail) over the rolling speed, spin in 1/m; the force is the one on
 * body 1, so a positive creepage gives a negative force. All laws are written free of scale: with
 * the semi-axes a (along x) and b, c = sqrt(a b), the normal force N and the friction mu
 *
 *   ux = G a b xi/(mu N),  uy = G a b eta/(mu N),  uphi = G a b c phi/(mu N)
 *   fx = Fx/(mu N),        fy = Fy/(mu N),         mz   = Mz/(mu N c)
 *
 * In the linear limit fx = -C11 ux, fy = -(C22 uy + C23 uphi), mz = C23 uy - C33 uphi. */
#ifndef KL_RAILWAY_CREEP_H
#define KL_RAILWAY_CREEP_H

/* Kalker's linear coefficients. */
typedef struct kl_kalker {
    double c11, c22, c23, c33;
} kl_kalker;

/* For a/b > 0 and Poisson's ratio 0 to 0.5: Kalker's table, interpolated linearly in a/b (b/a above
 * 1) and by the parabola through the reciprocals in nu; outside the table by Kalker's asymptotes,
 * scaled to join it. */
kl_kalker kl_kalker_of(double a_over_b, double nu);

struct kl_creep_table;

/* A law about one place: f + slopes (u - u0). */
typedef struct kl_creep_about {
    double u[3], f[3], slopes[9];
} kl_creep_about;

/* Options of a law beside the patch. kl_creep_defaults() fills it. */
typedef struct kl_creep_options {
    double                       kA, kS;        /* Polach 2005: reduction in adhesion and in slip */
    int                          strips, cells; /* FASTSIM, half-space: grid across and along */
    const struct kl_creep_table *table;         /* of the law `table` */
    const kl_creep_about        *about;         /* of kl_creep_tangent */
} kl_creep_options;

kl_creep_options kl_creep_defaults(void);

typedef struct kl_creep_input {
    double    a_over_b;
    double    u[3]; /* ux, uy, uphi */
    kl_kalker c;
} kl_creep_input;

typedef struct kl_creep_output {
    double f[3]; /* fx, fy, mz */
    double slip; /* share of the patch area that slips; NaN: the law does not know it */
} kl_creep_output;

typedef struct kl_creep_law {
    const char *name, *help;
    void (*force)(const kl_creep_options *o, const kl_creep_input *in, kl_creep_output *out);
} kl_creep_law;

/* All laws; ended by a NULL name. */
extern const kl_creep_law kl_creep_laws[];

/* By name; NULL when there is none. */
const kl_creep_law *kl_creep_law_find(const char *name);

/* Derivatives df/du by central differences of relative size 1e-4, row-major. */
void kl_creep_slopes(const kl_creep_law *law, const kl_creep_options *o, const kl_creep_input *in,
                     double slopes[9]);

/* A law and its slopes about `in`, and the law that repeats them (options.about): derivatives by many
 * motions then cost six evaluations of the law. */
void                      kl_creep_linearise(const kl_creep_law *law, const kl_creep_options *o,
                                             const kl_creep_input *in, kl_creep_about *out);
extern const kl_creep_law kl_creep_tangent;

/* Friction that falls with the slip velocity w [m/s] (Polach 2005):
 * mu = mu0 ((1 - A) exp(-B w) + A); A = 1 is constant friction. */
typedef struct kl_friction {
    double mu0, A, B; /* [-], [-], [s/m] */
} kl_friction;

double kl_friction_at(const kl_friction *f, double slip_velocity);

/* ---- a patch with its dimensions ---- */

typedef struct kl_patch {
    double    a, b; /* semi-axes along x and y [m] */
    double    N;    /* [N] */
    double    mu, G;
    kl_kalker c; /* of the ellipse, or from coefficients that the user gives */
} kl_patch;

/* Creep coefficients as forces: F = -f11 xi and so on [N, N, N m, N m2]. */
typedef struct kl_creep_coefficients {
    double f11, f22, f23, f33;
} kl_creep_coefficients;

/* Coefficients that represent the given ones in a patch of this size. */
kl_kalker kl_kalker_from(const kl_creep_coefficients *f, double a, double b, double G);

/* The patch and its creepages xi, eta [-], phi [1/m] free of scale; mu N > 0. */
kl_creep_input kl_creep_input_of(const kl_patch *p, const double creepage[3]);

/* Force on the wheel Fx, Fy [N] and moment Mz [N m] for creepages xi, eta [-], phi [1/m]. */
void kl_creep_force(const kl_creep_law *law, const kl_creep_options *o, const kl_patch *p,
                    const double creepage[3], double force[3], double *slip);

#endif
