/* Tangential rolling contact by Kalker's exact half-space theory, steady rolling, Hertzian patch
 * (Kalker 1990; the discretisation is that of his program CONTACT: constant tractions on equal
 * rectangles, slip from the difference of displacements one cell ahead).
 *
 * Two bodies of the same material; traction p acts on body 1, the bound is mu times the pressure of
 * Hertz. With x = a X, y = b Y, tractions in units of mu N/(a b) and slip over the creepage unit
 * mu N/(G a b):
 *
 *   s(X) = (ux - uphi y/c, uy + uphi x/c) - du/dx,   u(x) = 1/(pi G) int K(x - x') p(x') dx' dy'
 *   K_xx = (1 - nu)/R + nu x^2/R^3,  K_xy = nu x y/R^3,  K_yy = (1 - nu)/R + nu y^2/R^3
 *
 * In adhesion s = 0; in slip |p| = bound and p points against s. Solved directly for the steady state
 * cell after cell, the iteration diverges (measured); so the bodies roll cell by cell: each step asks
 * for the tractions p with
 *
 *   slip = w hx + A p - A_ahead p_before,
 *
 * a convex problem on which Gauss-Seidel converges, and steps are made until nothing changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "railway/half_space.h"

/* Integrals of 1/R-kernels over a rectangle, as the antiderivative at (x, y). */
static void antiderivative(double x, double y, double nu, double k[3])
{
    double R  = hypot(x, y);
    double lx = y == 0.0 ? 0.0 : y * asinh(x / fabs(y)),
           ly = x == 0.0 ? 0.0 : x * asinh(y / fabs(x));
    k[0]      = lx + (1.0 - nu) * ly; /* y ln(x + R) + (1 - nu) x ln(y + R) */
    k[1]      = (1.0 - nu) * lx + ly;
    k[2]      = -nu * R;
}

static void influence(double x, double y, double hx, double hy, double nu, double k[3])
{
    double c[3];
    k[0] = k[1] = k[2] = 0.0;
    for (int i = 0; i < 4; i++) {
        int sx = i & 1 ? 1 : -1, sy = i & 2 ? 1 : -1;
        antiderivative(x + 0.5 * sx * hx, y + 0.5 * sy * hy, nu, c);
        for (int q = 0; q < 3; q++) k[q] += sx * sy * c[q];
    }
}

struct kl_half_space {
    int     m, n;      /* cells across the grid in each direction; cells inside the ellipse */
    double  nu, ratio; /* a over b */
    double *x, *y;     /* n: centres in units of c = sqrt(a b) */
    double *bound;     /* n */
    double *here;      /* 3 x n x n: displacement at row by traction at column, xx, yy, xy */
    double *ahead;     /* the same one cell ahead of the row */
    double *p;         /* 2 n */
    double *s;         /* 2 n: slip of this step without the tractions */
    double  hx, hy;
};

void kl_half_space_destroy(kl_half_space *h)
{
    if (!h) return;
    free(h->x);
    free(h);
}

/* Cells of the grid over the ellipse, from the leading edge on. */
static void lay_cells(kl_half_space *h)
{
    double root = sqrt(h->ratio);
    h->n        = 0;
    h->hx       = 2.0 * root / h->m;
    h->hy       = 2.0 / (root * h->m);
    for (int i = h->m - 1; i >= 0; i--)
        for (int j = 0; j < h->m; j++) {
            double X = -1.0 + (2 * i + 1.0) / h->m, Y = -1.0 + (2 * j + 1.0) / h->m;
            double inside = 1.0 - X * X - Y * Y;
            if (inside <= 0.0) continue;
            h->x[h->n]       = X * root;
            h->y[h->n]       = Y / root;
            h->bound[h->n++] = 1.5 / KL_PI * sqrt(inside); /* Hertz */
        }
    /* the bounds carry the whole load: cells cut by the edge are in or out */
    double sum = 0.0;
    for (int i = 0; i < h->n; i++) sum += h->bound[i] * h->hx * h->hy;
    for (int i = 0; i < h->n; i++) h->bound[i] /= sum;
}

kl_half_space *kl_half_space_create(double a_over_b, double nu, int m)
{
    kl_half_space *h    = calloc(1, sizeof *h);
    size_t         most = (size_t)m * (size_t)m;
    if (!h) return NULL;
    h->m = m, h->nu = nu, h->ratio = a_over_b;
    h->x = calloc(6 * most * most + 7 * most, sizeof(double));
    if (!h->x) {
        free(h);
        return NULL;
    }
    h->y     = h->x + most;
    h->bound = h->y + most;
    h->p     = h->bound + most;
    h->s     = h->p + 2 * most;
    h->here  = h->s + 2 * most;
    h->ahead = h->here + 3 * most * most;
    lay_cells(h);
    size_t n = (size_t)h->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double k[3], dx = h->x[i] - h->x[j], dy = h->y[i] - h->y[j];
            influence(dx, dy, h->hx, h->hy, nu, k);
            for (size_t q = 0; q < 3; q++) h->here[(q * n + i) * n + j] = k[q] / KL_PI;
            influence(dx + h->hx, dy, h->hx, h->hy, nu, k);
            for (size_t q = 0; q < 3; q++) h->ahead[(q * n + i) * n + j] = k[q] / KL_PI;
        }
    return h;
}

/* Traction on the circle of radius g that is opposite to its slip s = s0 + diag(kx, ky) p: the zero of
 * f(th) = sin(th) s_x - cos(th) s_y where cos(th) s_x + sin(th) s_y < 0. */
static void slide(double s0x, double s0y, double kx, double ky, double g, double *px, double *py)
{
    double th = atan2(-s0y, -s0x);
    for (int pass = 0; pass < 20; pass++) {
        double c = cos(th), s = sin(th);
        double f  = s * s0x - c * s0y + (kx - ky) * g * s * c;
        double df = c * s0x + s * s0y + (kx - ky) * g * (c * c - s * s);
        /* at the wanted zero f falls; where it does not, go with its sign */
        double step = df < 0.0 ? -f / df : copysign(0.3, f);
        if (fabs(step) > 0.3) step = copysign(0.3, step);
        th += step;
        if (fabs(step) < 1e-10) break;
    }
    *px = g * cos(th), *py = g * sin(th);
}

/* Displacement at cell i by all tractions. */
static inline void displacement(const double *K, size_t n, size_t i, const double *p, double *ux,
                                double *uy)
{
    const double *xx = K + i * n, *yy = xx + n * n, *xy = yy + n * n, *py = p + n;
    double        sx = 0.0, sy = 0.0;
    for (size_t j = 0; j < n; j++) {
        sx += xx[j] * p[j] + xy[j] * py[j];
        sy += xy[j] * p[j] + yy[j] * py[j];
    }
    *ux = sx, *uy = sy;
}

/* What the step slips by if the tractions vanish: rigid slip, and displacement that is given up. */
static void begin_step(kl_half_space *h, const double u[3])
{
    size_t n = (size_t)h->n;
    for (size_t i = 0; i < n; i++) {
        double ux, uy;
        displacement(h->ahead, n, i, h->p, &ux, &uy);
        h->s[i]     = h->hx * (u[0] - u[2] * h->y[i]) - ux;
        h->s[n + i] = h->hx * (u[1] + u[2] * (h->x[i] + 0.5 * h->hx)) - uy;
    }
}

/* One pass over all cells; returns the largest change of a traction. */
static double sweep(kl_half_space *h, double spin)
{
    size_t  n  = (size_t)h->n;
    double *px = h->p, *py = h->p + n, most = 0.0, behind = 0.5 * h->hx * h->hx * spin;
    for (size_t i = 0; i < n; i++) {
        double sx, sy, kx = h->here[i * n + i], ky = h->here[(n + i) * n + i], g = h->bound[i];
        displacement(h->here, n, i, h->p, &sx, &sy);
        sx += h->s[i], sy += h->s[n + i];
        double nx = px[i] - sx / kx, ny = py[i] - sy / ky;
        /* the traction of a cell that slips points against the slip at its centre, half a cell behind
         * the place that the difference belongs to */
        if (nx * nx + ny * ny > g * g)
            slide(sx - kx * px[i], sy - ky * py[i] - behind, kx, ky, g, &nx, &ny);
        most  = fmax(most, fabs(nx - px[i]) + fabs(ny - py[i]));
        px[i] = nx;
        py[i] = ny;
    }
    return most;
}

int kl_half_space_solve(kl_half_space *h, const double u[3], bool warm, double f[3])
{
    enum { STEPS = 400, PASSES = 15 };
    int    step = 0, sweeps = 0;
    double area = h->hx * h->hy, change = INFINITY;
    size_t n = (size_t)h->n;
    if (!warm) memset(h->p, 0, 2 * n * sizeof(double));
    for (; step < STEPS && change > 1e-5; step++) {
        begin_step(h, u);
        change = 0.0;
        for (int pass = 0; pass < PASSES; pass++, sweeps++) {
            double most = sweep(h, u[2]);
            change      = fmax(change, most);
            if (most < 1e-6) break;
        }
    }
    f[0] = f[1] = f[2] = 0.0;
    for (size_t i = 0; i < n; i++) {
        f[0] += area * h->p[i];
        f[1] += area * h->p[n + i];
        f[2] += area * (h->x[i] * h->p[n + i] - h->y[i] * h->p[i]);
    }
    return sweeps;
}

/* The error of a grid of m cells goes with 1/m: a straight line through two grids. */
static void half_space_force(const kl_creep_options *o, const kl_creep_input *in,
                             kl_creep_output *out)
{
    (void)o;
    static const int m[2] = {14, 21};
    double           f[2][3];
    for (int i = 0; i < 2; i++) {
        kl_half_space *h = kl_half_space_create(in->a_over_b, 0.28, m[i]);
        for (int k = 0; k < 3; k++) f[i][k] = (double)NAN;
        if (h) kl_half_space_solve(h, in->u, false, f[i]);
        kl_half_space_destroy(h);
    }
    for (int k = 0; k < 3; k++) out->f[k] = (m[1] * f[1][k] - m[0] * f[0][k]) / (m[1] - m[0]);
    out->slip = (double)NAN;
}

const kl_creep_law kl_half_space_law = {"half-space", "Kalker's exact theory of half-spaces; slow",
                                        half_space_force};
