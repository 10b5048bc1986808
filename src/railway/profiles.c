/* Built-in profiles from their geometric definitions.
 *
 * S1002: UIC 510-2 / EN 13715 give the tread as two polynomials (B, C), a line (A) and the flange as
 * arcs (D, F, G, H) and a line (E). There z points towards the flange tip, y to the field side, both
 * in mm from the taping line. The coefficients agree with the point list of the Manchester contact
 * benchmark to 2e-6 mm.
 *
 * 60E1: EN 13674-1, crown R300, shoulder R80, corner R13, side 1:20; joints where the widths of the
 * standard (20.456 and 52.053 mm) have them. Centres follow from tangency. */
#include "railway/profiles.h"

#include <math.h>

#include "base/vec.h"

static const double MM = 1e-3;

/* ---- wheels ---- */

/* A polynomial in mm with z towards the flange becomes one in metres with z up. */
static void add_tread_polynomial(kl_outline *o, const double *p_mm, int n, double y0, double y1)
{
    double p[9], scale = -MM;
    for (int k = 0; k < n; k++, scale /= MM) p[k] = scale * p_mm[k];
    kl_outline_polynomial(o, p, n, MM * y0, MM * y1);
}

/* An arc z = zc +- sqrt(R^2 - (y - yc)^2), z towards the flange, from y0 to y1 [mm]. */
static void flange(kl_outline *o, double yc, double zc, double radius, int side, double y0,
                   double y1)
{
    double cos0 = fmax(-1.0, (y0 - yc) / radius), cos1 = (y1 - yc) / radius;
    /* z up: the arc that bulges towards the flange tip (side +1) is the lower half */
    kl_outline_arc(o, MM * yc, -MM * zc, MM * radius, -side * acos(cos0), -side * acos(cos1));
}

static void value_and_slope(const double *p, int n, double y, double out[2])
{
    out[0] = out[1] = 0.0;
    for (int k = n - 1; k >= 0; k--) out[1] = out[1] * y + out[0], out[0] = out[0] * y + p[k];
}

/* Adds to the polynomial p (n >= 4) the cubic that gives it value and slope `a` at y0, `b` at y1. */
static void join(double *p, int n, double y0, const double a[2], double y1, const double b[2])
{
    double now0[2], now1[2], h = y1 - y0;
    value_and_slope(p, n, y0, now0);
    value_and_slope(p, n, y1, now1);
    double f0 = a[0] - now0[0], s0 = a[1] - now0[1], f1 = b[0] - now1[0], s1 = b[1] - now1[1];
    /* Hermite: f0 + s0 x + c2 x^2 + c3 x^3 with x = y - y0 */
    double c2 = (3 * (f1 - f0) / h - 2 * s0 - s1) / h, c3 = (2 * (f0 - f1) / h + s0 + s1) / (h * h);
    p[0] += f0 - y0 * (s0 - y0 * (c2 - y0 * c3));
    p[1] += s0 - y0 * (2 * c2 - 3 * y0 * c3);
    p[2] += c2 - 3 * y0 * c3;
    p[3] += c3;
}

kl_status kl_wheel_s1002(kl_arena *arena, kl_outline *out)
{
    double              c[] = {-4320.221063,  -1038.384026,    -106.5501873,     -6.051367875,
                               -0.2054332446, -0.004169739389, -4.687195829e-05, -2.25275554e-07};
    static const double b[] = {0.0,
                               -0.03358537058,
                               0.001565681624,
                               -2.810427944e-05,
                               5.844240864e-08,
                               -1.562379023e-08,
                               5.309217349e-15,
                               -5.957839843e-12,
                               2.646656573e-13};
    static const double a[] = {1.36432364, -0.066666667};
    static const double e[] = {-93.576667419, -2.747477419};
    /* rounded coefficients leave C 1e-4 mm off its neighbours, an edge where there is none */
    double root = sqrt(13.0 * 13.0 - (-35.0 + 26.210665) * (-35.0 + 26.210665)), at_b[2];
    value_and_slope(b, 9, -26.0, at_b);
    join(c, 8, -35.0, (double[]){16.446 - root, (-35.0 + 26.210665) / root}, -26.0, at_b);
    kl_outline_begin(out, arena);
    kl_outline_line(out, MM * -70.0, MM * 10.0, MM * -70.0, MM * -9.519259302);
    flange(out, -49.5, 9.519259302, 20.5, 1, -70.0, -62.764705882);
    flange(out, -55.0, 16.0, 12.0, 1, -62.764705882, -49.662510381);
    flange(out, -58.558326413, 8.83492413, 20.0, 1, -49.662510381, -39.764473993);
    add_tread_polynomial(out, e, 2, -39.764473993, -38.426669071);
    flange(out, -26.210665, 16.446, 13.0, -1, -38.426669071, -35.0);
    add_tread_polynomial(out, c, 8, -35.0, -26.0);
    add_tread_polynomial(out, b, 9, -26.0, 32.15796);
    add_tread_polynomial(out, a, 2, 32.15796, 60.0);
    return kl_outline_end(out);
}

kl_status kl_wheel_cone(double slope, double width, kl_arena *arena, kl_outline *out)
{
    kl_outline_begin(out, arena);
    kl_outline_line(out, -0.5 * width, -0.5 * width * slope, 0.5 * width, 0.5 * width * slope);
    return kl_outline_end(out);
}

kl_status kl_wheel_arc(double radius, double width, kl_arena *arena, kl_outline *out)
{
    /* a hollow wheel has its highest point in the middle: the upper half of a circle below it */
    double half = asin(fmin(1.0, 0.5 * width / fabs(radius))), up = radius > 0.0 ? 1.0 : -1.0;
    kl_outline_begin(out, arena);
    kl_outline_arc(out, 0.0, -radius, fabs(radius), up * (0.5 * KL_PI + half),
                   up * (0.5 * KL_PI - half));
    return kl_outline_end(out);
}

/* ---- rails ---- */

const kl_rail_head kl_rail_60e1  = {.r1    = 0.300,
                                    .r2    = 0.080,
                                    .r3    = 0.013,
                                    .y12   = 0.010228,
                                    .y23   = 0.0260265,
                                    .side  = 1.0 / 20.0,
                                    .depth = 0.0298};
const kl_rail_head kl_rail_uic60 = {.r1    = 0.300,
                                    .r2    = 0.080,
                                    .r3    = 0.013,
                                    .y12   = 0.0105,
                                    .y23   = 0.025988036,
                                    .side  = 1.0 / 20.0,
                                    .depth = 0.0298};

/* Half a rail head, from the top to the foot of the side or back, mirrored: three arcs, a line. */
typedef struct half_head {
    double centre[3][2], radius[3], angle[4]; /* arcs; angles of the normal at their ends, from z */
    double side[2][2];                        /* the line's ends */
} half_head;

static half_head solve_head(const kl_rail_head *h)
{
    half_head r = {.radius = {h->r1, h->r2, h->r3}, .centre = {{0.0, -h->r1}}};
    r.angle[1]  = asin(h->y12 / h->r1);
    /* a smaller circle that touches a larger one from inside has its centre on the common normal */
    for (int k = 1; k < 3; k++) {
        double less = r.radius[k - 1] - r.radius[k];
        for (int e = 0; e < 2; e++)
            r.centre[k][e] =
                r.centre[k - 1][e] + less * (e == 0 ? sin(r.angle[k]) : cos(r.angle[k]));
        if (k == 1) r.angle[2] = asin((h->y23 - r.centre[1][0]) / h->r2);
    }
    r.angle[3]   = atan2(1.0, h->side);
    r.side[0][0] = r.centre[2][0] + h->r3 * sin(r.angle[3]);
    r.side[0][1] = r.centre[2][1] + h->r3 * cos(r.angle[3]);
    r.side[1][1] = -h->depth;
    r.side[1][0] = r.side[0][0] + h->side * (r.side[0][1] + h->depth);
    return r;
}

kl_status kl_rail_from_head(const kl_rail_head *head, kl_arena *arena, kl_outline *out)
{
    half_head    h     = solve_head(head);
    const double right = 0.5 * KL_PI;
    kl_outline_begin(out, arena);
    kl_outline_line(out, -h.side[1][0], h.side[1][1], -h.side[0][0], h.side[0][1]);
    for (int k = 2; k >= 0; k--)
        kl_outline_arc(out, -h.centre[k][0], h.centre[k][1], h.radius[k], right + h.angle[k + 1],
                       right + h.angle[k]);
    for (int k = 0; k < 3; k++)
        kl_outline_arc(out, h.centre[k][0], h.centre[k][1], h.radius[k], right - h.angle[k],
                       right - h.angle[k + 1]);
    kl_outline_line(out, h.side[0][0], h.side[0][1], h.side[1][0], h.side[1][1]);
    return kl_outline_end(out);
}

kl_status kl_rail_arc(double radius, double width, kl_arena *arena, kl_outline *out)
{
    double half = asin(fmin(1.0, 0.5 * width / radius));
    kl_outline_begin(out, arena);
    kl_outline_arc(out, 0.0, -radius, radius, 0.5 * KL_PI + half, 0.5 * KL_PI - half);
    return kl_outline_end(out);
}

/* ---- into the track ---- */

double kl_outline_innermost(const kl_outline *o, double floor)
{
    double least = INFINITY;
    for (int i = 0; i < o->n; i++) {
        /* where a piece crosses the floor, the crossing counts: it is monotone in z there */
        kl_outline_rates a = kl_outline_rates_at(o, (kl_outline_place){i, 0.0});
        kl_outline_rates b = kl_outline_rates_at(o, (kl_outline_place){i, 1.0});
        if (a.z >= floor) least = fmin(least, a.y);
        if (b.z >= floor) least = fmin(least, b.y);
        if ((a.z >= floor) == (b.z >= floor)) continue;
        double t = (floor - a.z) / (b.z - a.z);
        for (int k = 0; k < 4; k++) {
            kl_outline_rates r = kl_outline_rates_at(o, (kl_outline_place){i, t});
            t                  = fmin(fmax(t + (floor - r.z) / r.z1, 0.0), 1.0);
        }
        least = fmin(least, kl_outline_rates_at(o, (kl_outline_place){i, t}).y);
    }
    return least;
}

kl_status kl_rail_placed(const kl_outline *rail, const kl_rail_setting *setting, kl_arena *arena,
                         kl_outline *out, double shift[2])
{
    kl_outline leaned;
    double     lean = atan(setting->inclination);
    KL_TRY(kl_outline_moved(rail, lean, 0.0, 0.0, arena, &leaned));
    double top  = kl_outline_rates_at(&leaned, kl_outline_extreme(&leaned, 1)).z;
    double side = kl_outline_innermost(&leaned, top - setting->gauge_depth);
    double dy = 0.5 * setting->gauge - side, dz = -top;
    if (shift) shift[0] = dy, shift[1] = dz;
    return kl_outline_moved(rail, lean, dy, dz, arena, out);
}
