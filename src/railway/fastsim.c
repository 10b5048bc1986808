/* FASTSIM: Kalker's simplified theory of rolling contact (Kalker 1982).
 *
 * The surface displacement is taken proportional to the local traction, with three flexibilities
 * that give Kalker's linear coefficients in full adhesion. A particle enters at the leading edge
 * x = a sqrt(1 - y^2/b^2) with no traction; along its strip the traction grows with the rigid slip
 * and is cut to the friction bound, a paraboloid. With X = x/a, Y = y/b and tractions in units of
 * mu N/(a b), going in the direction of -X:
 *
 *   dpx = -(3/8 C11 ux - 4/pi C23 (b/a) uphi Y) dX,   dpy = -(3/8 C22 uy + 4/pi C23 uphi X) dX
 *   |p| <= 2/pi (1 - X^2 - Y^2)
 *
 * from L1 = 8a/(3 G C11), L2 = 8a/(3 G C22), L3 = pi a sqrt(a/b)/(4 G C23). Each strip is cut into
 * the same number of cells; the first step goes half a cell, to its centre. */
#include <math.h>

#include "base/vec.h"
#include "railway/creep_laws.h"

typedef struct slopes {
    double x0, xy; /* px: x0 + xy Y */
    double y0, yx; /* py: y0 + yx X */
} slopes;

/* Adds one strip at Y of width dY; returns the number of cells that slip. */
static int strip(const slopes *s, double Y, double dY, int cells, double sum[4])
{
    double half = sqrt(fmax(0.0, 1.0 - Y * Y)), dX = 2.0 * half / cells;
    double px = 0.0, py = 0.0, X = half, sx = s->x0 + s->xy * Y;
    double fx = 0.0, fy = 0.0, moment = 0.0;
    int    slipping = 0;
    for (int i = 0; i < cells; i++) {
        double step = i == 0 ? 0.5 * dX : dX, middle = X - 0.5 * step;
        X -= step;
        px -= sx * step;
        py -= (s->y0 + s->yx * middle) * step;
        double bound = 2.0 / KL_PI * (half * half - X * X), size2 = px * px + py * py;
        if (size2 >
            bound * bound) { /* slip: the traction keeps its direction and is cut to the bound */
            double cut = bound / sqrt(size2);
            px *= cut;
            py *= cut;
            slipping++;
        }
        fx += px;
        fy += py;
        moment += X * py;
    }
    double area = dX * dY;
    sum[0] += fx * area;
    sum[1] += fy * area;
    sum[2] += moment * area;
    sum[3] += Y * fx * area;
    return slipping;
}

void kl_fastsim(const kl_creep_options *o, const kl_creep_input *in, kl_creep_output *out)
{
    double       root = sqrt(in->a_over_b), spin = 4.0 / KL_PI * in->c.c23 * in->u[2];
    const slopes s      = {3.0 / 8.0 * in->c.c11 * in->u[0], -spin / in->a_over_b,
                           3.0 / 8.0 * in->c.c22 * in->u[1], spin};
    double       sum[4] = {0}, dY = 2.0 / o->strips, area = 0.0, slipping = 0.0;
    for (int j = 0; j < o->strips; j++) {
        double Y = -1.0 + (j + 0.5) * dY, length = sqrt(1.0 - Y * Y);
        slipping += length * strip(&s, Y, dY, o->cells, sum) / o->cells;
        area += length;
    }
    out->f[0] = sum[0];
    out->f[1] = sum[1];
    out->f[2] = root * sum[2] - sum[3] / root;
    out->slip = slipping / area;
}
