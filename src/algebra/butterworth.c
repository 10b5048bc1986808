/* Sections of second order by the bilinear transform with the cut-off frequency kept (Oppenheim and
 * Schafer, Discrete-Time Signal Processing, section 7.2). With W = tan(pi fc dt) and the pole pair of
 * damping q_k = sin(pi (2k + 1)/(2 order)):
 *   y = g (x + 2 x1 + x2) - a1 y1 - a2 y2,   g = W^2/D,  D = 1 + 2 q W + W^2,
 *   a1 = 2 (W^2 - 1)/D,  a2 = (1 - 2 q W + W^2)/D                                           */
#include "algebra/butterworth.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

typedef struct section {
    double g, a1, a2;
} section;

static section section_of(double W, int k, int order)
{
    double q = sin(KL_PI * (2 * k + 1) / (2.0 * order)), D = 1.0 + 2.0 * q * W + W * W;
    return (section){W * W / D, 2.0 * (W * W - 1.0) / D, (1.0 - 2.0 * q * W + W * W) / D};
}

/* One section over x with stride +1 or -1; starts at rest at its first value. */
static void pass(const section *s, double *x, int n, int stride)
{
    double x1 = x[0], x2 = x[0], y1 = x[0], y2 = x[0];
    for (int i = 0; i < n; i++, x += stride) {
        double in = *x, y = s->g * (in + 2.0 * x1 + x2) - s->a1 * y1 - s->a2 * y2;
        x2 = x1, x1 = in, y2 = y1, y1 = y;
        *x = y;
    }
}

kl_status kl_butterworth_zero_phase(double *x, int n, double dt, double cutoff, int order)
{
    if (n < 2 || !(cutoff * dt < 0.5)) return KL_OK;
    double  W   = tan(KL_PI * cutoff * dt);
    int     pad = (int)fmin(n - 1.0, ceil(3.0 / (cutoff * dt))), all = n + 2 * pad;
    double *y = malloc((size_t)all * sizeof *y);
    if (!y) return KL_E_MEMORY;
    for (int i = 0; i < pad; i++) { /* reflected about its end points */
        y[i]           = 2.0 * x[0] - x[pad - i];
        y[pad + n + i] = 2.0 * x[n - 1] - x[n - 2 - i];
    }
    for (int i = 0; i < n; i++) y[pad + i] = x[i];
    for (int k = 0; k < order / 2; k++) {
        section s = section_of(W, k, order);
        pass(&s, y, all, 1);
        pass(&s, y + all - 1, all, -1);
    }
    for (int i = 0; i < n; i++) x[i] = y[pad + i];
    free(y);
    return KL_OK;
}
