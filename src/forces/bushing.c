/* Bushing: six components between two marker frames, stiffness and damping as full 6 x 6 matrices,
 * finite rotation.
 *
 *   x = (d, phi),  d = A_i'(r_j - r_i),  phi = log(A_i' A_j)        energy = x' K x / 2
 *   f = K x + C x' + preload,   wrench = -sum_k f_k row_k
 *
 * row_k is the exact derivative of x_k: for d the primitive `dot2`; for phi, with om = A_i'(w_j -
 * w_i) and T the right Jacobian, phi' = G om, G = T(phi)^-T = I - [phi]/2 + k [phi]^2. So the force
 * comes from a potential whatever the angle.
 *
 * phi goes on past half a turn: of the vectors phi + 2 pi k phi/|phi|, which all give the same
 * rotation, the one nearest to that of the last step is taken (history). It ends short of a whole
 * turn, where G has no value. Without rotational stiffness and preload no phi is needed: then the
 * rates are om itself (G = I), and the bushing may rotate by any number of turns. */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "forces/forces.h"
#include "joints/coordinate.h"

typedef struct bushing {
    double K[36], C[36], preload[6];
    bool   loose;    /* no stiffness against turning */
    bool   diagonal; /* K and C have nothing beside their diagonals */
} bushing;

/* What follows from the position alone. */
typedef struct place {
    kl_vec3 arm, d, log; /* r_j - r_i; the same in marker i; log(A_i' A_j), at most half a turn */
} place;

static const double most_turn = 2.0 * KL_PI - 0.1; /* [rad] */

/* The six coordinates at one state. */
typedef struct six {
    double  x[6], rate[6], f[6];
    double  row[6][12];
    kl_vec3 phi;
    kl_mat3 G;
    bool    loose;
} six;

enum { WI = 3, WJ = 9 };

/* Of the rotation vectors that are the same rotation as phi, the one nearest to `last`. */
static kl_vec3 continued(kl_vec3 phi, kl_vec3 last)
{
    double a = kl_norm(phi);
    if (a == 0.0) return phi;
    double along = kl_dot(phi, last) / a, turns = nearbyint((along - a) / (2.0 * KL_PI));
    return turns == 0.0 ? phi : kl_scale(1.0 + 2.0 * KL_PI * turns / a, phi);
}

static kl_vec3 log_of(const kl_motion *m)
{
    kl_mat3 Ai = kl_transpose(&m[0].A), R = kl_matmul(&Ai, &m[1].A);
    return kl_rotation_log(&R);
}

static kl_status bushing_locate(const kl_reading *in, void *cache)
{
    place *p = cache;
    p->arm   = kl_sub(in->m[1].r, in->m[0].r);
    p->d     = kl_mul_t(&in->m[0].A, p->arm);
    p->log   = log_of(in->m);
    return KL_OK;
}

static void six_eval(const bushing *p, const kl_motion *m, const double *h, six *s)
{
    for (int k = 0; k < 3; k++) {
        kl_scalar d;
        kl_coordinate_eval((kl_coordinate){KL_DOT2, k, 0}, m, 0.0, &d);
        s->x[k]    = d.x;
        s->rate[k] = kl_scalar_rate(&d, m);
        memcpy(s->row[k], d.row, sizeof d.row);
    }
    s->phi     = continued(log_of(m), kl_load(h));
    kl_mat3 Ti = p->loose ? kl_identity() : kl_rotation_tangent_inverse(s->phi);
    s->G       = kl_transpose(&Ti);
    s->loose   = p->loose;
    for (int k = 0; k < 3; k++) {
        /* row of w_j: A_i g_k with g_k the k-th row of G; of w_i: its negative */
        kl_vec3 n = kl_mul(&m[0].A, kl_vec(s->G.m[k][0], s->G.m[k][1], s->G.m[k][2]));
        memset(s->row[3 + k], 0, sizeof s->row[3 + k]);
        kl_store(s->row[3 + k] + WI, kl_neg(n));
        kl_store(s->row[3 + k] + WJ, n);
        s->rate[3 + k] = kl_dot(n, kl_sub(m[1].w, m[0].w));
    }
    kl_store(s->x + 3, s->phi);
    for (int i = 0; i < 6; i++) {
        s->f[i] = p->preload[i];
        for (int j = 0; j < 6; j++)
            s->f[i] += p->K[6 * i + j] * s->x[j] + p->C[6 * i + j] * s->rate[j];
    }
}

/* dG/dphi_k, from G = I - [phi]/2 + c [phi]^2, c = (1 - (a/2) cot(a/2)) / a^2 */
static kl_mat3 G_slope(kl_vec3 phi, int k)
{
    double a2 = kl_dot(phi, phi), a = sqrt(a2), c, dc; /* dc = c'(a) / a */
    if (a < 0.05) {
        c  = 1.0 / 12.0 + a2 / 720.0 + a2 * a2 / 30240.0;
        dc = 1.0 / 360.0 + a2 / 7560.0 + a2 * a2 / 201600.0;
    } else {
        double half = 0.5 * a, cot = 1.0 / tan(half), sine = sin(half);
        c = (1.0 - half * cot) / a2;
        dc =
            ((-0.5 * cot + 0.5 * half / (sine * sine)) / a2 - 2.0 * (1.0 - half * cot) / (a2 * a)) /
            a;
    }
    double e[3] = {k == 0, k == 1, k == 2}, p[3];
    kl_store(p, phi);
    kl_mat3 E = kl_skew(kl_load(e)), W = kl_skew(phi), EW = kl_matmul(&E, &W),
            WE = kl_matmul(&W, &E), WW = kl_matmul(&W, &W);
    kl_mat3 D = kl_mat_scale(-0.5, &E);
    D         = kl_mat_axpy(c, &EW, &D);
    D         = kl_mat_axpy(c, &WE, &D);
    return kl_mat_axpy(dc * p[k], &WW, &D);
}

/* K += sum_k scale_k d(row'_(3+k))/d(increment): the rows n = A_i g turn with marker i and change
 * with phi */
static void rotation_curvature(const six *s, const kl_motion *m, const double scale[3], double *K)
{
    kl_vec3 g     = kl_mul_t(&s->G, kl_load(scale)); /* sum_k scale_k g_k, in marker i */
    kl_vec3 n     = kl_mul(&m[0].A, g);
    kl_mat3 turn  = kl_skew(n); /* dtheta_i x n = -[n] dtheta_i */
    kl_mat3 slope = {{{0}}};    /* d n / d phi, columns */
    for (int k = 0; k < 3 && !s->loose; k++) {
        kl_mat3 D     = G_slope(s->phi, k);
        kl_vec3 c     = kl_mul(&m[0].A, kl_mul_t(&D, kl_load(scale)));
        slope.m[0][k] = c.x, slope.m[1][k] = c.y, slope.m[2][k] = c.z;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 12; j++) {
            double v = j >= WI && j < WI + 3 ? -turn.m[i][j - WI] : 0.0;
            for (int k = 0; k < 3; k++) v += slope.m[i][k] * s->row[3 + k][j];
            K[(WJ + i) * 12 + j] += v;
            K[(WI + i) * 12 + j] -= v;
        }
}

static kl_status bushing_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                               kl_element_size *size)
{
    (void)m, (void)nmarker;
    bushing *p    = data;
    double   skew = 0.0, most = 0.0;
    p->loose = p->diagonal = true;
    size->nh               = 3;
    size->cache            = sizeof(place);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double k = p->K[6 * i + j];
            if (k != 0.0 && (i > 2 || j > 2)) p->loose = false;
            if (i != j && (k != 0.0 || p->C[6 * i + j] != 0.0)) p->diagonal = false;
            skew = fmax(skew, fabs(k - p->K[6 * j + i]));
            most = fmax(most, fabs(k));
        }
    for (int i = 3; i < 6; i++) p->loose &= p->preload[i] == 0.0;
    for (int i = 0; i < 6; i++)
        if (p->C[7 * i] < 0.0)
            kl_warn(s->diag, s->place,
                    "force '%s': damping of component %d is %g; a negative value supplies energy "
                    "to the system",
                    s->name, i, p->C[7 * i]);
    static const char *const along[] = {"along x", "along y", "along z",
                                        "about x", "about y", "about z"};
    for (int i = 0; i < 6; i++) {
        if (!(p->K[7 * i] < 0.0)) continue;
        kl_warn(s->diag, s->place,
                "force '%s': its stiffness %s is %.4g %s; a negative value pushes away from the "
                "position without force, as a coil spring does that buckles under its load",
                s->name, along[i], p->K[7 * i], i < 3 ? "N/m" : "N m/rad");
        break; /* one component says enough */
    }
    if (skew > 1e-9 * most)
        kl_warn(s->diag, s->place,
                "force '%s': the stiffness matrix is not symmetric (entries differ by %g), so "
                "energy is not conserved",
                s->name, skew);
    return KL_OK;
}

/* out += M x */
static void add_product(const double *M, bool diagonal, const double *x, double *out)
{
    for (int i = 0; i < 6; i++) {
        if (diagonal) out[i] += M[7 * i] * x[i];
        for (int j = 0; j < 6 && !diagonal; j++) out[i] += M[6 * i + j] * x[j];
    }
}

/* G y, or with sign 1 its transpose: y -+ phi x y / 2 + c phi x (phi x y) */
static kl_vec3 G_times(kl_vec3 phi, double c, double sign, kl_vec3 y)
{
    kl_vec3 turn = kl_cross(phi, y);
    return kl_axpy(c, kl_cross(phi, turn), kl_axpy(0.5 * sign, turn, y));
}

/* The forces without the rows: with F = A_i f, N = A_i G' t they act on j as -F, -N, on i as F, N -
 * F x arm. */
static kl_status bushing_eval(const kl_reading *in, kl_writing *out)
{
    const bushing   *p  = in->data;
    const place     *at = in->cache;
    const kl_motion *i = &in->m[0], *j = &in->m[1];
    kl_vec3          phi = continued(at->log, kl_load(in->h));
    if (!p->loose && kl_norm(phi) > most_turn) return KL_RETRY;
    double  c  = p->loose ? 0.0 : kl_rotation_curvature(phi);
    kl_vec3 om = kl_mul_t(&i->A, kl_sub(j->w, i->w));
    double  x[6], rate[6], elastic[6] = {0}, damping[6] = {0}, f[6];
    kl_store(x, at->d), kl_store(x + 3, phi);
    kl_store(rate, kl_mul_t(&i->A, kl_sub(kl_sub(j->v, i->v), kl_cross(i->w, at->arm))));
    kl_store(rate + 3, p->loose ? om : G_times(phi, c, -1.0, om));
    add_product(p->K, p->diagonal, x, elastic);
    add_product(p->C, p->diagonal, rate, damping);
    for (int k = 0; k < 6; k++) {
        f[k] = p->preload[k] + elastic[k] + damping[k];
        out->energy += (0.5 * elastic[k] + p->preload[k]) * x[k];
        out->loss += damping[k] * rate[k];
    }
    kl_vec3 t = kl_load(f + 3);
    kl_vec3 F = kl_mul(&i->A, kl_load(f)),
            N = kl_mul(&i->A, p->loose ? t : G_times(phi, c, 1.0, t));
    kl_store(out->wrench, F), kl_store(out->wrench + WI, kl_sub(N, kl_cross(F, at->arm)));
    kl_store(out->wrench + 6, kl_neg(F)), kl_store(out->wrench + WJ, kl_neg(N));
    return KL_OK;
}

/* w = -sum_k r_k' f_k, f = preload + K x + C x', with the rows r_k = dx_k/dq and x'_j = r_j V:
 *
 *   dw/dq = -sum_kj r_k' (K_kj r_j + C_kj d(r_j V)/dq) - sum_k f_k dr_k'/dq,   dw/dV = -sum_kj r_k' C_kj r_j
 *
 * The sum with dr_k/dq is the geometric stiffness of the load; it keeps Newton's method quadratic. */
static void bushing_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const bushing *p = in->data;
    six            s;
    six_eval(p, in->m, in->h, &s);

    /* slopes of the rates by increments: D_k V */
    double rate_slope[6][12];
    bool   damped = false;
    for (int i = 0; i < 36; i++) damped |= p->C[i] != 0.0;
    if (damped) {
        double V[12];
        kl_store(V, in->m[0].v), kl_store(V + 3, in->m[0].w), kl_store(V + 6, in->m[1].v),
            kl_store(V + 9, in->m[1].w);
        for (int k = 0; k < 3; k++)
            kl_coordinate_rate_slope((kl_coordinate){KL_DOT2, k, 0}, in->m, rate_slope[k]);
        for (int k = 0; k < 3; k++) {
            double D[144] = {0}, e[3] = {k == 0, k == 1, k == 2};
            rotation_curvature(&s, in->m, e, D);
            for (int j = 0; j < 12; j++) {
                rate_slope[3 + k][j] = 0.0;
                for (int i = 0; i < 12; i++) rate_slope[3 + k][j] += V[i] * D[12 * i + j];
            }
        }
    }

    for (int k = 0; k < 6; k++) {
        double slope[12] = {0}, damping[12] = {0};
        for (int j = 0; j < 6; j++)
            for (int i = 0; i < 12; i++) {
                slope[i] += p->K[6 * k + j] * s.row[j][i];
                if (damped)
                    slope[i] += p->C[6 * k + j] * rate_slope[j][i],
                        damping[i] += p->C[6 * k + j] * s.row[j][i];
            }
        kl_add_outer(-1.0, s.row[k], slope, out->K);
        if (damped) kl_add_outer(-1.0, s.row[k], damping, out->C);
    }
    for (int k = 0; k < 3; k++)
        kl_coordinate_curvature((kl_coordinate){KL_DOT2, k, 0}, in->m, -s.f[k], out->K);
    const double turn[3] = {-s.f[3], -s.f[4], -s.f[5]};
    rotation_curvature(&s, in->m, turn, out->K);
}

static void bushing_commit(const kl_reading *in, double *h_new)
{
    kl_store(h_new, continued(((const place *)in->cache)->log, kl_load(in->h)));
}

static void bushing_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const place *at = in->cache;
    kl_store(values, at->d);
    kl_store(values + 3, continued(at->log, kl_load(in->h)));
}

/* y of the marker turns round: y changes its sign, and so do the turns about x and z */
static void bushing_mirror(void *data)
{
    static const double D[6] = {1, -1, 1, -1, 1, -1};
    bushing            *p    = data;
    for (int i = 0; i < 6; i++) {
        p->preload[i] *= D[i];
        for (int j = 0; j < 6; j++) {
            p->K[6 * i + j] *= D[i] * D[j];
            p->C[6 * i + j] *= D[i] * D[j];
        }
    }
}

static const kl_key bushing_keys[] = {
    {.name     = "stiffness",
     .kind     = KL_KEY_MATRIX6,
     .offset   = offsetof(bushing, K),
     .unit     = "N/m",
     .fallback = "0",
     .help = "3 numbers (along x, y, z), 6 numbers (also about x, y, z) or a 6 x 6 matrix; N/m, "
             "N/rad, N, N m/rad"},
    {.name     = "damping",
     .kind     = KL_KEY_MATRIX6,
     .offset   = offsetof(bushing, C),
     .unit     = "N s/m",
     .fallback = "0",
     .help     = "damping, with the same layout as stiffness; N s/m, N m s/rad"},
    {.name     = "preload",
     .kind     = KL_KEY_NUMBERS,
     .offset   = offsetof(bushing, preload),
     .unit     = "N|N|N|N m|N m|N m",
     .size     = 6,
     .fallback = "[0, 0, 0, 0, 0, 0]",
     .help     = "constant force and moment opposite to the six displacements"},
    {0}};
static const kl_output bushing_outputs[] = {{"x", "m", "displacement along x of the first marker"},
                                            {"y", "m", "displacement along y of the first marker"},
                                            {"z", "m", "displacement along z of the first marker"},
                                            {"turn_x", "rad", "rotation vector, x"},
                                            {"turn_y", "rad", "rotation vector, y"},
                                            {"turn_z", "rad", "rotation vector, z"},
                                            {0}};

const kl_element_type kl_bushing = {
    .name     = "bushing",
    .help     = "six-component spring and damper between two frames",
    .equation = "f = K x + C x' + preload, x = (A_i'(r_j - r_i), log A_i'A_j)",
    .example  = "mount: {type: bushing, between: [engine, car], at: [0, 0, 1], stiffness: [1 MN/m, "
                "1 MN/m, 2 MN/m]}",
    .keys     = bushing_keys,
    .outputs  = bushing_outputs,
    .attach   = &kl_attach_pair,
    .turns    = 1,
    .data_size = sizeof(bushing),
    .mirror    = bushing_mirror,
    .setup     = bushing_setup,
    .locate    = bushing_locate,
    .eval      = bushing_eval,
    .tangent   = bushing_tangent,
    .commit    = bushing_commit,
    .limit =
        "its frames are about to rotate by a full revolution relative to each other, where the "
        "rotation vector is singular; use a `rotational-spring-damper` for large rotations",
    .output = bushing_output};
