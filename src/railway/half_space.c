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

/* The grid covers the rectangle round the ellipse: column i = 0 leads, j goes along y. */
struct kl_half_space {
    int     m;         /* cells in each direction */
    double  nu, ratio; /* a over b */
    double  hx, hy;    /* a cell, in units of c = sqrt(a b) */
    double *bound;     /* m x m: mu times the pressure; 0 outside the ellipse */
    double *kernel; /* (2 m) x (2 m - 1) x 3: displacement xx, yy, xy by a traction at an offset */
    double *p;      /* 2 x m x m: traction along x and y */
    double *u;      /* 2 x (m + 1) x m: displacement; its first column lies ahead of the grid */
    double *s;      /* 2 x m x m: slip of this step without the tractions */
};

static double place_x(const kl_half_space *h, int i) { return (0.5 * (h->m - 1) - i) * h->hx; }
static double place_y(const kl_half_space *h, int j) { return (j - 0.5 * (h->m - 1)) * h->hy; }

void kl_half_space_destroy(kl_half_space *h)
{
    if (!h) return;
    free(h->bound);
    free(h);
}

/* Mean of Hertz's pressure over cell (i, j), but for a factor: cells cut by the edge take their share. */
static double mean_pressure(const kl_half_space *h, int i, int j)
{
    enum { PARTS = 8 };
    double root = sqrt(h->ratio), sum = 0.0;
    for (int k = 0; k < PARTS * PARTS; k++) {
        double dx = ((k % PARTS + 0.5) / PARTS - 0.5) * h->hx;
        double dy = ((k / PARTS + 0.5) / PARTS - 0.5) * h->hy;
        double X = (place_x(h, i) + dx) / root, Y = (place_y(h, j) + dy) * root;
        sum += sqrt(fmax(0.0, 1.0 - X * X - Y * Y));
    }
    return sum / (PARTS * PARTS);
}

static void set_bounds(kl_half_space *h)
{
    int    n   = h->m * h->m;
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        h->bound[k] = mean_pressure(h, k / h->m, k % h->m);
        sum += h->bound[k] * h->hx * h->hy;
    }
    for (int k = 0; k < n; k++) h->bound[k] /= sum;
}

/* At a field point di columns behind and dj rows beside a loaded cell, -m <= di < m, |dj| < m. */
static double *kernel_at(const kl_half_space *h, int di, int dj)
{
    return h->kernel + ((di + h->m) * (2 * h->m - 1) + dj + h->m - 1);
}

static void set_kernel(kl_half_space *h)
{
    int size = 2 * h->m * (2 * h->m - 1);
    for (int di = -h->m; di < h->m; di++)
        for (int dj = 1 - h->m; dj < h->m; dj++) {
            double k[3];
            influence(-di * h->hx, dj * h->hy, h->hx, h->hy, h->nu, k);
            for (int q = 0; q < 3; q++) kernel_at(h, di, dj)[q * size] = k[q] / KL_PI;
        }
}

kl_half_space *kl_half_space_create(double a_over_b, double nu, int m)
{
    kl_half_space *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    *h       = (kl_half_space){.m     = m,
                               .nu    = nu,
                               .ratio = a_over_b,
                               .hx    = 2.0 * sqrt(a_over_b) / m,
                               .hy    = 2.0 / (sqrt(a_over_b) * m)};
    size_t n = (size_t)m * (size_t)m, kernel = 3 * 2 * (size_t)m * (size_t)(2 * m - 1);
    h->bound = calloc(n + kernel + 2 * n + 2 * (n + (size_t)m) + 2 * n, sizeof(double));
    if (!h->bound) {
        free(h);
        return NULL;
    }
    h->kernel = h->bound + n;
    h->p      = h->kernel + kernel;
    h->u      = h->p + 2 * n;
    h->s      = h->u + 2 * (n + (size_t)m);
    set_bounds(h);
    set_kernel(h);
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

/* Changes the traction of cell (i, j), and the displacements everywhere with it. */
static void load(kl_half_space *h, int i, int j, double dx, double dy)
{
    int     m = h->m, n = m * m, size = 2 * m * (2 * m - 1);
    double *ux = h->u, *uy = h->u + n + m;
    h->p[i * m + j] += dx;
    h->p[n + i * m + j] += dy;
    for (int r = -1; r < m; r++) {
        const double *xx = kernel_at(h, r - i, -j), *yy = xx + size, *xy = yy + size;
        double       *x = ux + (r + 1) * m, *y = uy + (r + 1) * m;
        for (int k = 0; k < m; k++) {
            x[k] += xx[k] * dx + xy[k] * dy;
            y[k] += xy[k] * dx + yy[k] * dy;
        }
    }
}

/* What the step slips by if the tractions vanish: rigid slip, less the displacement one cell ahead. */
static void begin_step(kl_half_space *h, const double u[3])
{
    int m = h->m, n = m * m;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            int k       = i * m + j;
            h->s[k]     = h->hx * (u[0] - u[2] * place_y(h, j)) - h->u[k];
            h->s[n + k] = h->hx * (u[1] + u[2] * (place_x(h, i) + 0.5 * h->hx)) - h->u[n + m + k];
        }
}

/* One pass over all cells; returns the largest change of a traction. Changes that do not matter are
 * left for a later pass. */
static double sweep(kl_half_space *h, double spin, double small)
{
    int           m = h->m, n = m * m;
    const double *ux = h->u + m, *uy = ux + n + m;
    double        most = 0.0, behind = 0.5 * h->hx * h->hx * spin, kx = *kernel_at(h, 0, 0),
           ky = kernel_at(h, 0, 0)[2 * m * (2 * m - 1)];
    for (int k = 0; k < n; k++) {
        double g = h->bound[k], px = h->p[k], py = h->p[n + k];
        if (g == 0.0) continue;
        double sx = h->s[k] + ux[k], sy = h->s[n + k] + uy[k];
        double nx = px - sx / kx, ny = py - sy / ky;
        /* the traction of a cell that slips points against the slip at its centre, half a cell behind
         * the place that the difference belongs to */
        if (nx * nx + ny * ny > g * g)
            slide(sx - kx * px, sy - ky * py - behind, kx, ky, g, &nx, &ny);
        double change = fabs(nx - px) + fabs(ny - py);
        if (change < small) continue;
        most = fmax(most, change);
        load(h, k / m, k % m, nx - px, ny - py);
    }
    return most;
}

/* Share of the cells of the ellipse whose traction is at its bound. */
static double slipping(const kl_half_space *h)
{
    int n = h->m * h->m, inside = 0, slip = 0;
    for (int k = 0; k < n; k++) {
        if (h->bound[k] == 0.0) continue;
        inside++;
        slip += hypot(h->p[k], h->p[n + k]) > (1.0 - 1e-9) * h->bound[k];
    }
    return (double)slip / inside;
}

int kl_half_space_solve(kl_half_space *h, const double u[3], bool warm, kl_creep_output *out)
{
    enum { STEPS = 400, PASSES = 15 };
    const double steady = 1e-5, small = 5e-7; /* changes of a traction; Hertz's largest is 0.5 */
    int          m = h->m, n = m * m, sweeps = 0;
    double       change = INFINITY, area = h->hx * h->hy;
    if (!warm) memset(h->p, 0, (size_t)(2 * n + 2 * (n + m)) * sizeof(double)); /* p and u */
    for (int step = 0; step < STEPS && change > steady; step++) {
        begin_step(h, u);
        change = 0.0;
        for (int pass = 0; pass < PASSES; pass++, sweeps++) {
            double most = sweep(h, u[2], small);
            change      = fmax(change, most);
            if (most < 2.0 * small) break;
        }
    }
    *out = (kl_creep_output){.slip = slipping(h)};
    for (int k = 0; k < n; k++) {
        double x = place_x(h, k / m), y = place_y(h, k % m);
        out->f[0] += area * h->p[k];
        out->f[1] += area * h->p[n + k];
        out->f[2] += area * (x * h->p[n + k] - y * h->p[k]);
    }
    return sweeps;
}

/* The error of a grid of m x m cells goes with 1/m, because cells cut by the edge carry their share of the
 * pressure: a straight line through two grids. */
static void half_space_force(const kl_creep_options *o, const kl_creep_input *in,
                             kl_creep_output *out)
{
    (void)o;
    static const int m[2] = {14, 21};
    kl_creep_output  f[2];
    for (int i = 0; i < 2; i++) {
        kl_half_space *h = kl_half_space_create(in->a_over_b, 0.28, m[i]);
        f[i]             = (kl_creep_output){{NAN, NAN, NAN}, NAN};
        if (h) kl_half_space_solve(h, in->u, false, &f[i]);
        kl_half_space_destroy(h);
    }
    for (int k = 0; k < 3; k++) out->f[k] = (m[1] * f[1].f[k] - m[0] * f[0].f[k]) / (m[1] - m[0]);
    out->slip = f[1].slip;
}

const kl_creep_law kl_half_space_law = {"half-space", "Kalker's exact theory of half-spaces; slow",
                                        half_space_force};
