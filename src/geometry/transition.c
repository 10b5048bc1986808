#include "geometry/transition.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static void clothoid_series(const double p[2], double x, bool left, kl_series *f)
{
    (void)p, (void)left;
    *f = (kl_series){{x, 1.0}};
}

static void bloss_series(const double p[2], double x, bool left, kl_series *f)
{
    (void)p, (void)left;
    static const double c[] = {0, 0, 3, -2};
    *f                      = kl_series_shift(c, 4, x);
}

static void viennese_series(const double p[2], double x, bool left, kl_series *f)
{
    (void)p, (void)left;
    static const double c[] = {0, 0, 0, 0, 35, -84, 70, -20};
    *f                      = kl_series_shift(c, 8, x);
}

static void helmert_series(const double p[2], double x, bool left, kl_series *f)
{
    (void)p;
    static const double first[] = {0, 0, 2}, second[] = {-1, 4, -2};
    bool                early = x < 0.5 || (x == 0.5 && left);
    *f                        = kl_series_shift(early ? first : second, 3, x);
}

/* cos(w x0 + w x) and sin of it */
static void harmonic(double w, double x, kl_series *c, kl_series *s)
{
    kl_series phase = {{w * x, w}};
    kl_series_cos_sin(&phase, c, s);
}

static void cosine_series(const double p[2], double x, bool left, kl_series *f)
{
    (void)p, (void)left;
    kl_series c, s;
    harmonic(PI, x, &c, &s);
    for (int n = 0; n < KL_SERIES; n++) f->c[n] = -0.5 * c.c[n];
    f->c[0] += 0.5;
}

static void sine_series(const double p[2], double x, bool left, kl_series *f)
{
    (void)p, (void)left;
    kl_series c, s;
    harmonic(2.0 * PI, x, &c, &s);
    for (int n = 0; n < KL_SERIES; n++) f->c[n] = -s.c[n] / (2.0 * PI);
    f->c[0] += x;
    f->c[1] += 1.0;
}

/* ---- the cubic parabola y = a x^3 ---- */

/* Length of y = a x^3 from 0 to x; slope 3 a x^2. Gauss-Legendre with 8 points is exact to rounding
 * for the gentle slopes (below 1/sqrt 5) that can occur. */
static double parabola_length(double a, double x)
{
    static const double node[]   = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                    0.9602898564975363};
    static const double weight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                    0.1012285362903763};
    double              sum      = 0.0;
    for (int i = 0; i < 4; i++)
        for (int side = -1; side <= 1; side += 2) {
            double y = 0.5 * x * (1.0 + side * node[i]), slope = 3.0 * a * y * y;
            sum += weight[i] * sqrt(1.0 + slope * slope);
        }
    return 0.5 * x * sum;
}

/* x at length l. */
static double parabola_x(double a, double l)
{
    double x = l;
    for (int i = 0; i < 20; i++) {
        double slope = 3.0 * a * x * x;
        double step  = (parabola_length(a, x) - l) / sqrt(1.0 + slope * slope);
        x -= step;
        if (fabs(step) < 1e-16) break;
    }
    return x;
}

/* Finds a such that length 1 ends with curvature `turn`. Curvature grows up to slope 1/sqrt 5 only.
 */
static bool parabola_setup(double turn, double p[2])
{
    if (turn == 0.0) {
        p[0] = p[1] = 0.0;
        return true;
    }
    /* curvature at the end 6 a x/(1 + slope^2)^(3/2) rises with a while slope < 1/sqrt 5 */
    double low = 0.0, high = turn;
    for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
        double a = 0.5 * (low + high), x = parabola_x(a, 1.0), slope = 3.0 * a * x * x;
        double k = 6.0 * a * x / pow(1.0 + slope * slope, 1.5);
        if (slope < 1.0 / sqrt(5.0) && k < turn) low = a;
        else high = a;
    }
    double x = parabola_x(low, 1.0), slope = 3.0 * low * x * x;
    p[0] = low, p[1] = turn;
    return fabs(6.0 * low * x / pow(1.0 + slope * slope, 1.5) - turn) < 1e-12 * turn;
}

/* From x' = cos b, b' = 6 a x cos^3 b by length, b the slope angle: term by term. */
static void parabola_series(const double p[2], double l, bool left, kl_series *f)
{
    (void)left;
    double a = p[0];
    if (p[1] == 0.0) { /* no turn: the limit is the clothoid */
        clothoid_series(p, l, left, f);
        return;
    }
    kl_series x = {{parabola_x(a, l)}}, b, c = {{0}}, s = {{0}}, c2 = {{0}}, c3 = {{0}};
    b.c[0] = atan(3.0 * a * x.c[0] * x.c[0]);
    c.c[0] = cos(b.c[0]), s.c[0] = sin(b.c[0]);
    for (int n = 0; n < KL_SERIES; n++) {
        if (n > 0) {
            double u = 0.0, v = 0.0;
            for (int k = 1; k <= n; k++) {
                u -= k * b.c[k] * s.c[n - k];
                v += k * b.c[k] * c.c[n - k];
            }
            c.c[n] = u / n, s.c[n] = v / n;
        }
        c2.c[n] = kl_series_product_term(&c, &c, n);
        c3.c[n] = kl_series_product_term(&c2, &c, n);
        f->c[n] = 6.0 * a / p[1] * kl_series_product_term(&x, &c3, n);
        if (n + 1 == KL_SERIES) break;
        x.c[n + 1] = c.c[n] / (n + 1);
        b.c[n + 1] = p[1] * f->c[n] / (n + 1);
    }
}

static bool no_setup(double turn, double p[2])
{
    (void)turn;
    p[0] = p[1] = 0.0;
    return true;
}

const kl_shape kl_shape_clothoid = {
    "clothoid", "curvature linear in length", 0.0, false, no_setup, clothoid_series};

static const kl_shape others[] = {
    {"bloss", "3 x^2 - 2 x^3", 0.0, false, no_setup, bloss_series},
    {"cosine", "(1 - cos pi x)/2, also called half-sine", 0.0, false, no_setup, cosine_series},
    {"sine", "x - sin(2 pi x)/(2 pi), Klein", 0.0, false, no_setup, sine_series},
    {"helmert", "two parabolas, Schramm", 0.5, false, no_setup, helmert_series},
    {"viennese", "35 x^4 - 84 x^5 + 70 x^6 - 20 x^7", 0.0, false, no_setup, viennese_series},
    {"cubic-parabola", "y = a x^3, from or to a straight", 0.0, true, parabola_setup,
     parabola_series},
};

const kl_shape *kl_shape_find(const char *name)
{
    if (strcmp(name, "clothoid") == 0 || strcmp(name, "linear") == 0) return &kl_shape_clothoid;
    if (strcmp(name, "half-sine") == 0) name = "cosine";
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i].name) == 0) return &others[i];
    return NULL;
}

const char *const *kl_shape_names(void)
{
    static const char *const names[] = {"clothoid",       "linear", "bloss",   "cosine",
                                        "half-sine",      "sine",   "helmert", "viennese",
                                        "cubic-parabola", NULL};
    return names;
}
