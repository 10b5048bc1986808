#include "script/jumps.h"

#include <math.h>
#include <stdlib.h>

/* ---- finding them ---- */

static double value_at(const kl_function *f, double x, const double *u)
{
    double y[3];
    kl_function_eval(f, x, u, y);
    return y[0];
}

/* Does f take two values around x, with nothing between? Slopes shrink with the distance d, jumps
 * do not. */
static void test_point(const kl_function *f, double x, const double *u, kl_jumps *out)
{
    double d = 1e-12 * fmax(1.0, fabs(x)), low = value_at(f, x - d, u),
           high = value_at(f, x + d, u);
    double wide = value_at(f, x + 1e3 * d, u) - value_at(f, x - 1e3 * d, u);
    double size = fabs(low) + fabs(high);
    if (!(fabs(high - low) > 1e-6 * size) || !(fabs(high - low) > 0.5 * fabs(wide))) return;
    int i = out->n;
    if (i >= KL_MOST_JUMPS) return;
    for (int k = 0; k < i; k++)
        if (fabs(out->at[k] - x) <= 2.0 * d) return;
    for (; i > 0 && out->at[i - 1] > x; i--) {
        out->at[i]    = out->at[i - 1];
        out->below[i] = out->below[i - 1];
        out->above[i] = out->above[i - 1];
    }
    out->at[i] = x, out->below[i] = low, out->above[i] = high;
    out->n++;
}

/* Where the branch changes between a and b. */
static double bisect(const kl_function *f, double a, double b, const double *u)
{
    unsigned long left = kl_function_branch(f, a, u);
    for (int pass = 0; pass < 200; pass++) {
        double middle = 0.5 * (a + b);
        if (middle <= a || middle >= b) break;
        if (kl_function_branch(f, middle, u) == left) a = middle;
        else b = middle;
    }
    return fabs(a) < 1e-300 || fabs(b) < 1e-300 ? 0.0 : 0.5 * (a + b);
}

/* Place i of a grid from -1e4 to 1e4, finest at zero: 40 places for each factor of ten. */
static double grid(int i)
{
    enum { MIDDLE = 401 };
    if (i == MIDDLE) return 0.0;
    double size = pow(10.0, -6.0 + 0.025 * (abs(i - MIDDLE) - 1));
    return i < MIDDLE ? -size : size;
}

void kl_function_find_jumps(const kl_function *f, const double *u, kl_jumps *out)
{
    enum { CORNERS = 256, PLACES = 803 };
    double corner[CORNERS];
    out->n = 0;
    int n  = kl_function_corners(f, corner, CORNERS);
    for (int i = 0; i < n && n <= CORNERS; i++) test_point(f, corner[i], u, out);
    if (!kl_function_branches(f)) return;
    unsigned long before = kl_function_branch(f, grid(0), u);
    for (int i = 1; i < PLACES; i++) {
        unsigned long now = kl_function_branch(f, grid(i), u);
        if (now != before) test_point(f, bisect(f, grid(i - 1), grid(i), u), u, out);
        before = now;
    }
}

/* ---- the function without them ---- */

typedef struct bridged {
    const kl_function *f;
    kl_jumps           jumps;
    double             w[KL_MOST_JUMPS]; /* half width of each bridge */
} bridged;

/* Cubic from (x - w, y0, d0) to (x + w, y1, d1) at s = -1 .. 1, with its derivatives. */
static void cubic(double s, double w, const double low[3], const double high[3], double out[3])
{
    double mean = 0.5 * (low[0] + high[0]), half = 0.5 * (high[0] - low[0]);
    double p = 0.5 * w * (high[1] + low[1]), q = 0.25 * w * (high[1] - low[1]);
    /* y = mean + half (3 s - s^3)/2 + p (s^3 - s)/2 + q (s^2 - 1) */
    out[0] =
        mean + half * 0.5 * s * (3.0 - s * s) + 0.5 * p * s * (s * s - 1.0) + q * (s * s - 1.0);
    out[1] = (half * 1.5 * (1.0 - s * s) + 0.5 * p * (3.0 * s * s - 1.0) + 2.0 * q * s) / w;
    out[2] = (-3.0 * half * s + 3.0 * p * s + 2.0 * q) / (w * w);
}

static void bridged_eval(const void *data, double x, const double *u, double out[3])
{
    const bridged *b = data;
    for (int i = 0; i < b->jumps.n; i++) {
        double at = b->jumps.at[i], w = b->w[i], low[3], high[3];
        if (!(fabs(x - at) < w)) continue;
        kl_function_eval(b->f, at - w, u, low);
        kl_function_eval(b->f, at + w, u, high);
        cubic((x - at) / w, w, low, high, out);
        return;
    }
    kl_function_eval(b->f, x, u, out);
}

static int bridged_corners(const void *data, double *x, int capacity)
{
    const bridged *b = data;
    int            n = kl_function_corners(b->f, x, capacity);
    for (int i = 0; i < b->jumps.n; i++)
        for (int side = -1; side <= 1; side += 2, n++)
            if (n < capacity) x[n] = b->jumps.at[i] + side * b->w[i];
    return n;
}

static void bridged_write(const void *data, const char *const *inputs, kl_text *t)
{
    kl_function_write(((const bridged *)data)->f, inputs, t);
}

static unsigned long bridged_branch(const void *data, double x, const double *u)
{
    return kl_function_branch(((const bridged *)data)->f, x, u);
}

static bool bridged_branches(const void *data)
{
    return kl_function_branches(((const bridged *)data)->f);
}

static const kl_function_type bridged_type = {.name     = "bridged",
                                              .eval     = bridged_eval,
                                              .corners  = bridged_corners,
                                              .write    = bridged_write,
                                              .branch   = bridged_branch,
                                              .branches = bridged_branches};

kl_function *kl_function_without_jumps(kl_arena *a, const kl_function *f, const kl_jumps *jumps,
                                       double w)
{
    bridged *b = kl_arena_take(a, sizeof *b);
    if (!b) return NULL;
    *b = (bridged){.f = f, .jumps = *jumps};
    for (int i = 0; i < jumps->n; i++) {
        b->w[i] = w;
        if (i > 0) b->w[i] = fmin(b->w[i], 0.4 * (jumps->at[i] - jumps->at[i - 1]));
        if (i + 1 < jumps->n) b->w[i] = fmin(b->w[i], 0.4 * (jumps->at[i + 1] - jumps->at[i]));
    }
    return kl_function_create(a, &bridged_type, b);
}
