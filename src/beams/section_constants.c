/* Torsion and shear of any section by boundary integrals.
 *
 * Torsion (St Venant): the warping w is harmonic, dw/dn = z n_y - y n_z, and
 *
 *   J = int (y^2 + z^2) dA + contour int w (y n_z - z n_y) ds
 *
 * Shear (no lateral contraction, Poisson's ratio 0): a force Q = (Qy, Qz) changes the bending stress along
 * the beam by f = a.(y, z) per length, with a = I^-1 Q, I = [int y^2, int yz; int yz, int z^2]. The shear
 * stress is the gradient of phi, div grad phi = -f, dphi/dn = 0. With F = (a_y y^3 + a_z z^3)/6:
 * phi = h - F, h harmonic, dh/dn = dF/dn. Then
 *
 *   int grad phi_i.grad phi_j dA = contour int (h_i dF_j/dn - F_j dh_i/dn) ds - int F_i f_j dA
 *   torque about the centroid    = contour int phi (y n_z - z n_y) ds
 *
 * give the shear compliance (times G) and the shear centre. The three harmonic functions follow from their
 * normal derivatives q by the boundary integral equation
 *
 *   u/2 + int u dG/dn ds = int G q ds,   G = -ln(r)/(2 pi)
 *
 * with u quadratic on each panel, discontinuous between panels, met at the Gauss points of the panels.
 * Panels become smaller towards corners, where stresses of re-entrant ones have no bound. A straight panel
 * allows all integrals in closed form. */
#include "beams/section_constants.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/vec.h"

enum { NODES = 3, MOST_UNKNOWNS = 3600, FUNCTIONS = 3 };

static const double gauss[NODES]  = {-0.774596669241483377, 0.0, 0.774596669241483377};
static const double weight[NODES] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};

typedef struct panel {
    double y, z;   /* middle */
    double ty, tz; /* direction; material on the left, the normal (tz, -ty) points out of it */
    double half;   /* half of its length */
} panel;

typedef struct mesh {
    panel *item;
    int    n, room;
} mesh;

/* ---- outlines ---- */

static double signed_area(const kl_outline *o)
{
    double sum = 0.0;
    for (int i = 0; i < o->n; i++) {
        const double *a = o->point + 2 * i, *b = o->point + 2 * ((i + 1) % o->n);
        sum += 0.5 * (a[0] * b[1] - b[0] * a[1]);
    }
    return sum;
}

void kl_outline_moments(const kl_outline *o, double moment[6])
{
    memset(moment, 0, 6 * sizeof *moment);
    for (int i = 0; i < o->n; i++) {
        const double *a = o->point + 2 * i, *b = o->point + 2 * ((i + 1) % o->n);
        double        c = a[0] * b[1] - b[0] * a[1];
        moment[0] += c / 2.0;
        moment[1] += c * (a[0] + b[0]) / 6.0;
        moment[2] += c * (a[1] + b[1]) / 6.0;
        moment[3] += c * (a[1] * a[1] + a[1] * b[1] + b[1] * b[1]) / 12.0;
        moment[4] += c * (a[0] * a[0] + a[0] * b[0] + b[0] * b[0]) / 12.0;
        moment[5] += c * (a[0] * b[1] + 2.0 * a[0] * a[1] + 2.0 * b[0] * b[1] + b[0] * a[1]) / 24.0;
    }
    double sign = moment[0] < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 6; k++) moment[k] *= sign;
}

static double turn_of(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool cross(const double *a, const double *b, const double *c, const double *d)
{
    return turn_of(a, b, c) * turn_of(a, b, d) < 0.0 && turn_of(c, d, a) * turn_of(c, d, b) < 0.0;
}

/* Do edges of two outlines, or of one, cut each other? */
static bool cut(const kl_outline *p, const kl_outline *q)
{
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < q->n; j++)
            if (cross(p->point + 2 * i, p->point + 2 * ((i + 1) % p->n), q->point + 2 * j,
                      q->point + 2 * ((j + 1) % q->n)))
                return true;
    return false;
}

static bool inside(const kl_outline *o, const double *x)
{
    bool in = false;
    for (int i = 0, j = o->n - 1; i < o->n; j = i++) {
        const double *a = o->point + 2 * i, *b = o->point + 2 * j;
        if ((a[1] > x[1]) != (b[1] > x[1]) &&
            x[0] < (b[0] - a[0]) * (x[1] - a[1]) / (b[1] - a[1]) + a[0])
            in = !in;
    }
    return in;
}

static const char *section_fault(const kl_outline *outer, const kl_outline *hole, int nhole)
{
    double area = fabs(signed_area(outer)), most = 0.0;
    if (outer->n < 3) return "give at least three points";
    for (int i = 0; i < outer->n; i++)
        most = fmax(most, hypot(outer->point[2 * i] - outer->point[0],
                                outer->point[2 * i + 1] - outer->point[1]));
    if (cut(outer, outer)) return "its sides cross each other; give the points in order";
    if (!(area > 1e-12 * most * most)) return "it has no area; give points that enclose one";
    for (int k = 0; k < nhole; k++) {
        if (hole[k].n < 3 || !(fabs(signed_area(&hole[k])) > 0.0))
            return "its hole has no area; give points that enclose one";
        if (cut(&hole[k], &hole[k]) || cut(outer, &hole[k]) || !inside(outer, hole[k].point))
            return "its hole is not inside; move the points of `hole` inside the outline `points`";
    }
    return NULL;
}

/* ---- panels ---- */

typedef struct corners {
    const double *point;
    const double *finest; /* of each: smallest panel there, over the size of the section */
    int           n;
} corners;

/* Is a panel of this middle and length short enough? Near a corner: not longer than half its distance. */
static bool fine(const corners *c, double y, double z, double length, double size)
{
    for (int i = 0; i < c->n; i++) {
        double far = hypot(y - c->point[2 * i], z - c->point[2 * i + 1]);
        if (length > 0.5 * far && length > 1.01 * c->finest[i] * size) return false;
    }
    return true;
}

static bool divide(mesh *m, const corners *c, const double *a, const double *b, double size)
{
    double middle[2] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
    double length    = hypot(b[0] - a[0], b[1] - a[1]);
    if (!fine(c, middle[0], middle[1], length, size))
        return divide(m, c, a, middle, size) && divide(m, c, middle, b, size);
    if (m->n == m->room) return false;
    m->item[m->n++] =
        (panel){middle[0], middle[1], (b[0] - a[0]) / length, (b[1] - a[1]) / length, 0.5 * length};
    return true;
}

/* Exponent of the strongest singularity r^(pi/angle) decides how small panels must be at a corner: errors
 * of the constants are proportional to the panel size to twice this power. */
static double finest_at(const kl_outline *o, int i, double sign, double accuracy)
{
    const double *a = o->point + 2 * ((i + o->n - 1) % o->n), *b = o->point + 2 * i,
                 *c = o->point + 2 * ((i + 1) % o->n);
    double u[2] = {b[0] - a[0], b[1] - a[1]}, v[2] = {c[0] - b[0], c[1] - b[1]};
    double turn  = sign * atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]);
    double angle = KL_PI - turn;       /* of the material */
    if (fabs(turn) < 0.2) return 0.25; /* nearly straight */
    return pow(accuracy, 0.5 * fmax(angle / KL_PI, 0.5));
}

static bool make_panels(const kl_outline *const *all, int n, double size, double accuracy, mesh *m)
{
    int     points = 0, at = 0;
    bool    ok = true;
    corners c;
    for (int k = 0; k < n; k++) points += all[k]->n;
    double *point = malloc((size_t)(3 * points) * sizeof *point), *finest = point + 2 * points;
    if (!point) return false;
    for (int k = 0; k < n; k++) {
        double sign = (signed_area(all[k]) > 0.0) == (k == 0) ? 1.0 : -1.0;
        for (int i = 0; i < all[k]->n; i++, at++) {
            memcpy(point + 2 * at, all[k]->point + 2 * i, 2 * sizeof *point);
            finest[at] = finest_at(all[k], i, sign, accuracy);
        }
    }
    c    = (corners){point, finest, points};
    m->n = 0;
    for (int k = 0; k < n && ok; k++) {
        bool along = (signed_area(all[k]) > 0.0) == (k == 0);
        for (int i = 0; i < all[k]->n && ok; i++) {
            const double *a = all[k]->point + 2 * i, *b = all[k]->point + 2 * ((i + 1) % all[k]->n);
            if (hypot(b[0] - a[0], b[1] - a[1]) == 0.0) continue;
            ok = along ? divide(m, &c, a, b, size) : divide(m, &c, b, a, size);
        }
    }
    free(point);
    return ok;
}

/* ---- integrals over one panel ---- */

/* Integrals of s^k ln(x - s) and s^k/(x - s) over (-1, 1), k = 0, 1, 2; x complex, in half lengths. */
static void moments_of(double complex x, double complex logs[NODES], double complex poles[NODES])
{
    static const double node[8] = {
        -0.960289856497536232, -0.796666477413626740, -0.525532409916328986, -0.183434642495649805,
        0.183434642495649805,  0.525532409916328986,  0.796666477413626740,  0.960289856497536232};
    static const double gw[8] = {0.101228536290376259, 0.222381034453374471, 0.313706645877887287,
                                 0.362683783378361983, 0.362683783378361983, 0.313706645877887287,
                                 0.222381034453374471, 0.101228536290376259};
    for (int k = 0; k < NODES; k++) logs[k] = poles[k] = 0.0;
    if (cabs(x) > 6.0) { /* far: smooth there, while the closed form loses digits */
        for (int i = 0; i < 8; i++) {
            double complex d = x - node[i], l = clog(d);
            double         s = gw[i];
            for (int k = 0; k < NODES; k++, s *= node[i]) logs[k] += s * l, poles[k] += s / d;
        }
        return;
    }
    double complex plus = clog(x + 1.0), minus = clog(x - 1.0), c = plus - minus;
    for (int k = 0; k < NODES; k++) {
        if (k) c = x * c - (k % 2 ? 2.0 : 0.0); /* int s^(k-1) ds: 2, 0 */
        poles[k]            = c;
        double complex next = x * c - (k % 2 ? 0.0 : 2.0 / (k + 1));
        /* by parts: [s^(k+1) ln(x - s)] + int s^(k+1)/(x - s) */
        logs[k] = (minus - (k % 2 ? 1.0 : -1.0) * plus + next) / (k + 1);
    }
}

/* From values at the Gauss points to coefficients of 1, s, s^2, transposed: integrals of s^k become those
 * of the shape functions. */
static void to_shapes(const double moment[NODES], double out[NODES])
{
    double g = gauss[2];
    out[0]   = (moment[2] / g - moment[1]) / (2.0 * g);
    out[2]   = (moment[2] / g + moment[1]) / (2.0 * g);
    out[1]   = moment[0] - moment[2] / (g * g);
}

/* Integrals of G and dG/dn times the shape functions of panel p, seen from (y, z). */
static void influence(const panel *p, double y, double z, bool own, double single[NODES],
                      double twice[NODES])
{
    double         dy = y - p->y, dz = z - p->z;
    double complex x = (dy * p->ty + dz * p->tz) / p->half +
                       (dz * p->ty - dy * p->tz) / p->half * (double complex)I;
    double complex logs[NODES], poles[NODES];
    double         log_moment[NODES], pole_moment[NODES];
    if (own) x = creal(x);
    moments_of(x, logs, poles);
    for (int k = 0; k < NODES; k++) {
        double whole  = k == 1 ? 0.0 : 2.0 / (k + 1); /* int s^k ds */
        log_moment[k] = -p->half * (creal(logs[k]) + log(p->half) * whole) / (2.0 * KL_PI);
        /* dG/dn = (x - s).n/(2 pi r^2), and (x - s).n = -Im x; Im 1/(x - s) = -Im x/r^2 */
        pole_moment[k] = own ? 0.0 : cimag(poles[k]) / (2.0 * KL_PI);
    }
    to_shapes(log_moment, single);
    to_shapes(pole_moment, twice);
}

/* ---- the three harmonic functions ---- */

typedef struct problem {
    mesh    m;
    double  a[2][2]; /* of Qy and Qz: a = I^-1 Q */
    double *matrix;  /* by columns */
    double *u;       /* n x 3: warping, h of Qy, h of Qz; first the right-hand sides */
    double *q;       /* n x 3: their normal derivatives */
} problem;

static void place_of(const panel *p, int k, double *y, double *z)
{
    *y = p->y + gauss[k] * p->half * p->ty;
    *z = p->z + gauss[k] * p->half * p->tz;
}

static double slope_of(const double *a, const panel *p, double y, double z) /* dF/dn */
{
    return 0.5 * (a[0] * y * y * p->tz - a[1] * z * z * p->ty);
}

static double panel_moment_factor(const panel *p, double y, double z) /* y n_z - z n_y */
{
    return -y * p->ty - z * p->tz;
}

static void set_slopes(problem *x)
{
    int n = NODES * x->m.n;
    for (int i = 0; i < x->m.n; i++)
        for (int k = 0; k < NODES; k++) {
            const panel *p = &x->m.item[i];
            double       y, z;
            place_of(p, k, &y, &z);
            x->q[NODES * i + k]         = -panel_moment_factor(p, y, z);
            x->q[n + NODES * i + k]     = slope_of(x->a[0], p, y, z);
            x->q[2 * n + NODES * i + k] = slope_of(x->a[1], p, y, z);
        }
}

/* The functions are known but for a constant: their integral over the boundary is set to zero. */
static kl_status solve_functions(problem *x)
{
    int    n     = NODES * x->m.n;
    double whole = 0.0;
    memset(x->u, 0, (size_t)(FUNCTIONS * n) * sizeof *x->u);
    for (int i = 0; i < x->m.n; i++) whole += 2.0 * x->m.item[i].half;
    for (int row = 0; row < n; row++) {
        double y, z;
        place_of(&x->m.item[row / NODES], row % NODES, &y, &z);
        for (int j = 0; j < x->m.n; j++) {
            const panel *p = &x->m.item[j];
            double       single[NODES], twice[NODES];
            influence(p, y, z, j == row / NODES, single, twice);
            for (int k = 0; k < NODES; k++) {
                int column = NODES * j + k;
                x->matrix[(size_t)column * (size_t)n + (size_t)row] =
                    twice[k] + (column == row ? 0.5 : 0.0) + p->half * weight[k] / whole;
                for (int f = 0; f < FUNCTIONS; f++)
                    x->u[f * n + row] += single[k] * x->q[f * n + column];
            }
        }
    }
    return kl_dense_solve(n, FUNCTIONS, x->matrix, x->u);
}

/* int F_i f_j dA, of degree 4: the flux of (y, z)/6 times it through the sides. */
static double area_term(const mesh *m, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < m->n; i++)
        for (int k = 0; k < NODES; k++) {
            const panel *p = &m->item[i];
            double       y, z;
            place_of(p, k, &y, &z);
            double F = (a[0] * y * y * y + a[1] * z * z * z) / 6.0, f = b[0] * y + b[1] * z;
            sum += p->half * weight[k] * F * f * (y * p->tz - z * p->ty) / 6.0;
        }
    return sum;
}

static void evaluate(const problem *x, kl_section_constants *out)
{
    int    n = NODES * x->m.n;
    double D[2][2], turn[2] = {0}, torsion = out->Iy + out->Iz;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) D[i][j] = -area_term(&x->m, x->a[i], x->a[j]);
    for (int row = 0; row < n; row++) {
        const panel *p = &x->m.item[row / NODES];
        double       y, z, ds = p->half * weight[row % NODES], F[2];
        place_of(p, row % NODES, &y, &z);
        torsion += ds * x->u[row] * panel_moment_factor(p, y, z);
        for (int i = 0; i < 2; i++) {
            F[i] = (x->a[i][0] * y * y * y + x->a[i][1] * z * z * z) / 6.0;
            turn[i] += ds * (x->u[(1 + i) * n + row] - F[i]) * panel_moment_factor(p, y, z);
        }
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                const double *h = x->u + (1 + i) * n, *dh = x->q + (1 + i) * n,
                             *dF = x->q + (1 + j) * n;
                D[i][j] += ds * (h[row] * dF[row] - F[j] * dh[row]);
            }
    }
    out->J               = torsion;
    out->shear_center[0] = turn[1]; /* Mx = ys Qz - zs Qy */
    out->shear_center[1] = -turn[0];
    double cross_term    = 0.5 * (D[0][1] + D[1][0]),
           det           = D[0][0] * D[1][1] - cross_term * cross_term;
    out->shear[0]        = D[1][1] / (det * out->area);
    out->shear[1]        = D[0][0] / (det * out->area);
    out->shear[2]        = -cross_term / (det * out->area);
}

/* ---- */

static void plain_moments(const kl_outline *const *all, int n, kl_section_constants *out)
{
    double sum[6] = {0};
    for (int k = 0; k < n; k++) {
        double one[6];
        kl_outline_moments(all[k], one);
        for (int i = 0; i < 6; i++) sum[i] += k ? -one[i] : one[i];
    }
    double y = sum[1] / sum[0], z = sum[2] / sum[0];
    *out = (kl_section_constants){.area   = sum[0],
                                  .center = {y, z},
                                  .Iy     = sum[3] - sum[0] * z * z,
                                  .Iz     = sum[4] - sum[0] * y * y,
                                  .Iyz    = sum[5] - sum[0] * y * z};
}

/* Panels, as fine as the room allows; positions count from the centroid. */
static bool panels_of(const kl_outline *const *all, int n, const kl_section_constants *c, mesh *m)
{
    double size = sqrt(c->area);
    for (double accuracy = 1e-8; accuracy < 1.0; accuracy *= 10.0)
        if (make_panels(all, n, size, accuracy, m)) {
            for (int i = 0; i < m->n; i++)
                m->item[i].y -= c->center[0], m->item[i].z -= c->center[1];
            return true;
        }
    return false;
}

static const char *solve(const kl_outline *const *all, int n, kl_section_constants *out)
{
    static const char *memory = "there is not enough memory to compute it; give fewer points";
    problem            x      = {.m = {.room = MOST_UNKNOWNS / NODES}};
    const char        *wrong  = memory;
    x.m.item                  = malloc((size_t)x.m.room * sizeof *x.m.item);
    if (x.m.item && !panels_of(all, n, out, &x.m))
        wrong = "it has too many points; give fewer than 200";
    else if (x.m.item) {
        size_t unknowns = (size_t)(NODES * x.m.n);
        double det      = out->Iz * out->Iy - out->Iyz * out->Iyz;
        x.a[0][0] = out->Iy / det, x.a[0][1] = x.a[1][0] = -out->Iyz / det;
        x.a[1][1] = out->Iz / det;
        x.matrix  = malloc(unknowns * unknowns * sizeof *x.matrix);
        x.u       = malloc(FUNCTIONS * unknowns * sizeof *x.u);
        x.q       = malloc(FUNCTIONS * unknowns * sizeof *x.q);
        if (x.matrix && x.u && x.q) {
            set_slopes(&x);
            wrong = solve_functions(&x) == KL_OK
                        ? NULL
                        : "its constants cannot be computed; check the points for very thin parts";
            if (!wrong) evaluate(&x, out);
        }
    }
    free(x.matrix), free(x.u), free(x.q), free(x.m.item);
    return wrong;
}

const char *kl_section_constants_of(const kl_outline *outer, const kl_outline *hole, int nhole,
                                    kl_section_constants *out)
{
    enum { MOST = 16 };
    const kl_outline *all[MOST + 1] = {outer};
    const char       *wrong         = section_fault(outer, hole, nhole);
    if (wrong) return wrong;
    if (nhole > MOST) return "it has more than 16 holes; leave some out";
    for (int k = 0; k < nhole; k++) all[1 + k] = &hole[k];
    plain_moments(all, 1 + nhole, out);
    return solve(all, 1 + nhole, out);
}
