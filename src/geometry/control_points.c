/* A curve through control points: each coordinate is interpolated over a common parameter u that
 * grows with the chord from point to point (Pombo and Ambrosio 2003; paper of Ambrosio 2012,
 * "pre-processor"). Chord lengths keep u close to the arc length, so that no loops form where the
 * points are unevenly spaced. */
#include <math.h>
#include <stdlib.h>

#include "geometry/curve.h"

enum { MESSAGES = 20 }; /* of one kind; more would only hide the first */

static kl_place place_of(const kl_control_points *in, int i)
{
    return in->place ? in->place[i] : in->whole;
}

/* Says `what` about point i unless enough was said. */
static bool may_report(kl_diag *diag, const kl_control_points *in, int *said)
{
    if (*said == MESSAGES)
        kl_note(diag, in->whole, "more control points have the same problem; they are not listed");
    return (*said)++ < MESSAGES;
}

static kl_status check_finite(const kl_control_points *in, kl_diag *diag)
{
    int said = 0;
    for (int i = 0; i < in->n; i++) {
        kl_vec3 p = in->point[i];
        if (kl_finite(p) || !may_report(diag, in, &said)) continue;
        kl_fail(diag, KL_E_NAN, place_of(in, i),
                "control point %d is (%g, %g, %g); give three finite numbers or remove it", i + 1,
                p.x, p.y, p.z);
    }
    return said ? KL_E_NAN : KL_OK;
}

static double extent(const kl_control_points *in)
{
    double size = 0.0;
    for (int i = 1; i < in->n; i++) size = fmax(size, kl_norm(kl_sub(in->point[i], in->point[0])));
    return size;
}

static kl_status check_repeated(const kl_control_points *in, int n, kl_diag *diag)
{
    int    said = 0, last = in->closed ? n : n - 1;
    double size = extent(in);
    for (int i = 0; i < last; i++) {
        int    j        = (i + 1) % n;
        double distance = kl_norm(kl_sub(in->point[j], in->point[i]));
        if (distance > 1e-9 * size || !may_report(diag, in, &said)) continue;
        kl_fail(diag, KL_E_RANGE, place_of(in, j),
                "control points %d and %d coincide (%g m apart); remove one of them", j + 1, i + 1,
                distance);
    }
    return said ? KL_E_RANGE : KL_OK;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Median distance of neighbouring points; 0 if there are too few points. */
static kl_status usual_step(const kl_control_points *in, int np, kl_arena *scratch, double *middle)
{
    *middle = 0.0;
    if (np < 4) return KL_OK;
    double *step = kl_arena_array(scratch, double, np);
    if (!step) return KL_E_MEMORY;
    for (int i = 0; i < np; i++)
        step[i] = kl_norm(kl_sub(in->point[(i + 1) % in->n], in->point[i]));
    qsort(step, (size_t)np, sizeof *step, compare);
    *middle = step[np / 2];
    return KL_OK;
}

/* A step far longer than the others: a point is probably missing. Far shorter: one was measured
 * twice, and the difference of the two is noise that bends the spline; an error where nobody can
 * have meant it. */
static kl_status check_steps(const kl_control_points *in, int np, kl_arena *scratch, kl_diag *diag)
{
    const double longer = 10.0, shorter = 0.01, twice = 1e-5;
    double       usual;
    int          said[3] = {0}, n = in->n;
    KL_TRY(usual_step(in, np, scratch, &usual));
    if (usual == 0.0) return KL_OK;
    for (int i = 0; i < np; i++) {
        int      j  = (i + 1) % n;
        double   h  = kl_norm(kl_sub(in->point[j], in->point[i]));
        kl_place at = place_of(in, j);
        if (h > longer * usual && may_report(diag, in, &said[0]))
            kl_warn(diag, place_of(in, i),
                    "control points %d and %d are %g m apart, but the usual distance is %g m; "
                    "check for a missing point",
                    i + 1, j + 1, h, usual);
        else if (h <= twice * usual && may_report(diag, in, &said[1]))
            kl_fail(diag, KL_E_RANGE, at,
                    "control points %d and %d are %g m apart, but the usual distance is %g m; "
                    "remove one of them",
                    i + 1, j + 1, h, usual);
        else if (h > twice * usual && h < shorter * usual && may_report(diag, in, &said[2]))
            kl_warn(diag, at,
                    "control points %d and %d are only %g m apart, but the usual distance is %g m; "
                    "check for a point measured twice",
                    i + 1, j + 1, h, usual);
    }
    return said[1] ? KL_E_RANGE : KL_OK;
}

/* Warns where the polygon turns back on itself: two points are probably swapped. */
static void check_reversals(const kl_control_points *in, int n, kl_diag *diag)
{
    const double back = -0.5; /* cosine of 120 degrees */
    int          said = 0, first = in->closed ? 0 : 1, last = in->closed ? n : n - 1;
    for (int i = first; i < last; i++) {
        kl_vec3 a = kl_sub(in->point[i], in->point[(i + n - 1) % n]);
        kl_vec3 b = kl_sub(in->point[(i + 1) % n], in->point[i]);
        double  c = kl_dot(kl_unit(a), kl_unit(b));
        if (c >= back || !may_report(diag, in, &said)) continue;
        kl_warn(diag, place_of(in, i),
                "the line turns by %.0f degrees at control point %d; check the order of the points",
                57.29577951308232 * acos(fmax(c, -1.0)), i + 1);
    }
}

/* Where a piece is slowest, as a share of its speed along the chord. */
static double slowest(const kl_curve *c, int i, double *at)
{
    enum { LOOKS = 8 };
    double  a = c->piece[i].u, h = kl_curve_piece_end(c, i) - a, least = HUGE_VAL;
    kl_vec3 from[1], to[1], d[2];
    *at = a;
    kl_curve_eval(c, i, a, 0, from);
    kl_curve_eval(c, i, a + h, 0, to);
    for (int k = 0; k <= LOOKS; k++) {
        kl_curve_eval(c, i, a + k * h / LOOKS, 1, d);
        if (kl_norm(d[1]) < least) least = kl_norm(d[1]), *at = a + k * h / LOOKS;
    }
    double speed = kl_norm(kl_sub(to[0], from[0])) / h;
    if (least > 0.5 * speed) return least / speed;
    /* by thirds between the looks beside the least */
    double low = fmax(a, *at - h / LOOKS), high = fmin(a + h, *at + h / LOOKS);
    for (int k = 0; k < 40; k++) {
        double  x = low + (high - low) / 3.0, y = high - (high - low) / 3.0;
        kl_vec3 e[2];
        kl_curve_eval(c, i, x, 1, d);
        kl_curve_eval(c, i, y, 1, e);
        if (kl_norm(d[1]) < kl_norm(e[1])) high = y;
        else low = x;
    }
    *at = 0.5 * (low + high);
    kl_curve_eval(c, i, *at, 1, d);
    return kl_norm(d[1]) / speed;
}

/* Warns of cusps: between two points dr/du nearly vanishes and the line turns sharply. */
static void check_cusps(const kl_control_points *in, const kl_curve *c, kl_diag *diag)
{
    const double slowest_allowed = 0.05;
    int          said            = 0;
    for (int i = 0; i < c->npiece; i++) {
        double at, share = slowest(c, i, &at);
        if (share >= slowest_allowed || !may_report(diag, in, &said)) continue;
        kl_vec3 d[1];
        kl_curve_eval(c, i, at, 0, d);
        kl_warn(
            diag, place_of(in, c->piece[i].source),
            "the line has a very small radius between control points %d and %d, near (%g, %g, %g); "
            "check the order of the points, add a point there, or write `knots: centripetal`",
            c->piece[i].source + 1, (c->piece[i].source + 1) % in->n + 1, d[0].x, d[0].y, d[0].z);
    }
}

static double step_of(const kl_control_points *in, int i, int j)
{
    double chord = kl_norm(kl_sub(in->point[j], in->point[i]));
    if (in->spacing == KL_SPACING_CENTRIPETAL) return sqrt(chord);
    return in->spacing == KL_SPACING_UNIFORM ? 1.0 : chord;
}

/* Slopes by u at the ends: a direction of unit length, times the speed of the first chord. */
static void end_slopes(const kl_control_points *in, const double *u, int n, int axis, kl_end end[2])
{
    for (int side = 0; side < 2; side++) {
        int     i     = side ? n - 2 : 0;
        kl_vec3 dir   = kl_unit(in->direction[side]);
        double  chord = kl_norm(kl_sub(in->point[i + 1], in->point[i]));
        double  speed = chord / (u[i + 1] - u[i]);
        double  part  = axis == 0 ? dir.x : axis == 1 ? dir.y : dir.z;
        end[side]     = (kl_end){in->end[side], speed * part};
    }
}

static kl_status check_points(const kl_control_points *in, int n, kl_diag *diag)
{
    KL_TRY(check_finite(in, diag));
    int need = in->closed ? 3 : 2;
    if (n < need)
        return kl_fail(diag, KL_E_RANGE, in->whole, "%s curve needs at least %d points, got %d",
                       in->closed ? "a closed" : "an open", need, n);
    KL_TRY(check_repeated(in, n, diag));
    for (int side = 0; side < 2; side++)
        if (!in->closed && in->end[side] == KL_END_SLOPE &&
            !(kl_norm(in->direction[side]) > 0.0 && kl_finite(in->direction[side])))
            return kl_fail(diag, KL_E_RANGE, in->whole,
                           "the %s direction is a zero vector; give a direction such as [1, 0, 0]",
                           side ? "end" : "start");
    return KL_OK;
}

/* Coefficients of all pieces, xyz together. */
static kl_status coefficients(const kl_control_points *in, int n, const double *u, kl_pieces *out,
                              kl_arena *scratch)
{
    kl_points points = {
        .n = n, .dim = 3, .closed = in->closed, .x = u, .f = (const double *)in->point};
    kl_end end[3][2];
    for (int axis = 0; axis < 3 && !in->closed; axis++) end_slopes(in, u, n, axis, end[axis]);
    return kl_interpolate_pieces(in->kind, &points, in->closed ? NULL : (const kl_end(*)[2])end,
                                 out, scratch);
}

static kl_status lay_curve(const kl_control_points *in, int n, kl_arena *arena, kl_arena *scratch,
                           kl_diag *diag, kl_curve *curve, double *u)
{
    int       np = in->closed ? n : n - 1;
    kl_pieces found;
    for (int i = 0; i < np; i++) u[i + 1] = u[i] + step_of(in, i, (i + 1) % n);
    KL_TRY(check_steps(in, np, scratch, diag));
    check_reversals(in, n, diag);
    KL_TRY(coefficients(in, n, u, &found, scratch));

    int degree          = in->kind == KL_LINEAR ? 1 : in->kind == KL_QUINTIC ? 5 : 3;
    curve->source_word  = "control point";
    curve->source_place = in->place;
    curve->closed       = in->closed;
    for (int i = 0; i < found.n; i++) {
        kl_vec3 coef[KL_NCOEFFICIENT];
        double  end = i + 1 < found.n ? found.x[i + 1] : u[np];
        for (int k = 0; k < KL_NCOEFFICIENT; k++)
            coef[k] = kl_load(found.c + ((size_t)i * KL_NCOEFFICIENT + (size_t)k) * 3);
        KL_TRY(kl_curve_add(curve, arena, end, found.x[i], coef, degree, found.interval[i], false));
    }
    if (in->kind != KL_LINEAR) check_cusps(in, curve, diag);
    return KL_OK;
}

kl_status kl_curve_through(const kl_control_points *in, kl_arena *arena, kl_diag *diag,
                           kl_curve **out, const double **u_out)
{
    int n = in->n;
    /* a closed curve whose first point is written again at the end */
    if (in->closed && n > 3 && kl_finite(in->point[0]) &&
        kl_norm(kl_sub(in->point[n - 1], in->point[0])) <= 1e-9 * extent(in))
        n--;
    KL_TRY(check_points(in, n, diag));
    kl_curve *curve   = kl_arena_array(arena, kl_curve, 1);
    double   *u       = kl_arena_array(arena, double, n + 1);
    kl_arena *scratch = kl_arena_create();
    kl_status status  = kl_arena_ok(arena) && scratch
                            ? lay_curve(in, n, arena, scratch, diag, curve, u)
                            : KL_E_MEMORY;
    kl_arena_destroy(scratch);
    if (status != KL_OK) return status;
    *out = curve;
    if (u_out) *u_out = u;
    return KL_OK;
}
