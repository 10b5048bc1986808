/* How axes are recognised. A wheel has a flange: the part that stands out farthest from the median
 * height, at the track side of the tread. That gives both directions. A rail's head is convex, which
 * gives the direction of z; which side is the track side cannot be seen on a new rail, so y is taken
 * to point to the field side unless the file is declared otherwise. */
#include "railway/profile_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/smooth_curve.h"

typedef struct work {
    const kl_profile_points  *p;
    const kl_profile_options *options;
    kl_profile_kind           kind;
    int                       n;
    double            *y, *z; /* [m], outward and up, from the track side to the field side */
    int               *line;
    double             sign_y, sign_z;
    kl_diag           *diag;
    kl_profile_report *report;
} work;

static const char *word(const work *w) { return w->kind == KL_PROFILE_WHEEL ? "wheel" : "rail"; }

static kl_place place(const work *w, int i) { return (kl_place){w->p->file, w->line[i], 1}; }

bool kl_profile_axes_parse(const char *text, kl_profile_options *options)
{
    static const struct {
        const char     *word;
        kl_axis_sense   y;
        kl_height_sense z;
    } senses[] = {{"auto", KL_AXIS_AUTO, KL_HEIGHT_AUTO},
                  {"out-up", KL_AXIS_OUT, KL_HEIGHT_UP},
                  {"out-down", KL_AXIS_OUT, KL_HEIGHT_DOWN},
                  {"in-up", KL_AXIS_IN, KL_HEIGHT_UP},
                  {"in-down", KL_AXIS_IN, KL_HEIGHT_DOWN}};
    for (size_t k = 0; k < sizeof senses / sizeof *senses; k++) {
        if (strcmp(text, senses[k].word) != 0) continue;
        options->y = senses[k].y, options->z = senses[k].z;
        return true;
    }
    return false;
}

/* ---- units ---- */

static double extent(const double *v, int n)
{
    double low = v[0], high = v[0];
    for (int i = 1; i < n; i++) low = fmin(low, v[i]), high = fmax(high, v[i]);
    return high - low;
}

/* Wheel profiles are 70 to 180 mm wide, rail heads 30 to 180 mm. */
static bool plausible(const work *w, double width)
{
    return width > (w->kind == KL_PROFILE_WHEEL ? 0.06 : 0.025) && width < 0.2;
}

/* The unit with which the width is that of a profile; none fits: the usual one. */
static const char *fitting_unit(const work *w, double wide)
{
    return plausible(w, wide) ? "m" : plausible(w, 0.0254 * wide) ? "in" : "mm";
}

static kl_status find_unit(work *w)
{
    static const double units[] = {1e-3, 1.0, 0.0254};
    double              wide    = extent(w->p->y, w->p->n),
           unit                 = w->options->unit > 0.0 ? w->options->unit : w->p->unit;
    for (int k = 0; unit == 0.0 && k < 3; k++)
        if (plausible(w, units[k] * wide)) unit = units[k];
    if (unit == 0.0)
        return kl_fail(
            w->diag, KL_E_RANGE, (kl_place){w->p->file, 0, 0},
            "wrong units: the %s profile is %g wide, which fits neither mm nor m nor inch; "
            "check that the columns are y and z",
            word(w), wide);
    if (!plausible(w, unit * wide))
        return kl_fail(
            w->diag, KL_E_RANGE, (kl_place){w->p->file, 0, 0},
            "wrong units: with a unit of %g m the %s profile would be %g mm wide; write "
            "`unit: %s` beside `file:` in the model, or correct the headers of the columns",
            unit, word(w), 1e3 * unit * wide, fitting_unit(w, wide));
    w->report->unit = unit;
    return KL_OK;
}

/* ---- axes ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *v, int n, double *scratch)
{
    memcpy(scratch, v, (size_t)n * sizeof *v);
    qsort(scratch, (size_t)n, sizeof *v, ascending);
    return scratch[n / 2];
}

/* sign_y, sign_z: +1 when the file's axis points outward and up. False: nothing like a flange. */
static bool orient_wheel(work *w, double *scratch)
{
    double z0 = median(w->z, w->n, scratch), y0 = median(w->y, w->n, scratch), far = 0.0;
    int    tip = 0;
    for (int i = 0; i < w->n; i++)
        if (fabs(w->z[i] - z0) > far) far = fabs(w->z[i] - z0), tip = i;
    /* the flange hangs down and is on the track side */
    w->sign_z = w->z[tip] > z0 ? -1.0 : 1.0;
    w->sign_y = w->y[tip] < y0 ? 1.0 : -1.0;
    return far > 0.012;
}

/* The middle of the head lies above its sides. */
static void orient_rail(work *w)
{
    double mid = 0.0, wide = extent(w->y, w->n), low = INFINITY;
    int    inner = 0;
    for (int i = 0; i < w->n; i++) low = fmin(low, w->y[i]);
    for (int i = 0; i < w->n; i++)
        if (fabs(w->y[i] - low - 0.5 * wide) < 0.25 * wide) mid += w->z[i], inner++;
    mid /= inner > 0 ? inner : 1;
    double ends = 0.5 * (w->z[0] + w->z[w->n - 1]);
    w->sign_z   = mid > ends ? 1.0 : -1.0;
    w->sign_y   = 1.0;
}

static kl_status check_declared(work *w, bool y_is_known)
{
    double y = w->options->y == KL_AXIS_IN ? -1.0 : 1.0;
    double z = w->options->z == KL_HEIGHT_DOWN ? -1.0 : 1.0;
    if (w->options->z != KL_HEIGHT_AUTO && z != w->sign_z)
        return kl_fail(w->diag, KL_E_RANGE, (kl_place){w->p->file, 0, 0},
                       "the %s profile is upside down: z is declared to point %s, but its %s; "
                       "declare the other direction, or leave it out to have it recognised",
                       word(w), z > 0.0 ? "up" : "down",
                       w->kind == KL_PROFILE_WHEEL ? "flange points the other way"
                                                   : "head is hollow then");
    if (w->options->y != KL_AXIS_AUTO && y_is_known && y != w->sign_y)
        return kl_fail(w->diag, KL_E_RANGE, (kl_place){w->p->file, 0, 0},
                       "the %s profile is mirrored: with y pointing %s its flange is on the field "
                       "side; declare the other direction, or leave it out to have it recognised",
                       word(w), y > 0.0 ? "outward" : "inward");
    if (w->options->y != KL_AXIS_AUTO) w->sign_y = y;
    return KL_OK;
}

static const char *axes_text(double y, double z)
{
    static const char *const texts[2][2] = {
        {"y towards the track, z down", "y towards the track, z up"},
        {"y towards the field side, z down", "y towards the field side, z up"}};
    return texts[y > 0.0][z > 0.0];
}

static void reverse(work *w)
{
    for (int i = 0, j = w->n - 1; i < j; i++, j--) {
        double y = w->y[i], z = w->z[i];
        int    line = w->line[i];
        w->y[i] = w->y[j], w->z[i] = w->z[j], w->line[i] = w->line[j];
        w->y[j] = y, w->z[j] = z, w->line[j] = line;
    }
}

static kl_status find_axes(work *w, double *scratch)
{
    bool flange = true;
    if (w->kind == KL_PROFILE_WHEEL) flange = orient_wheel(w, scratch);
    else orient_rail(w);
    if (!flange)
        return kl_fail(
            w->diag, KL_E_RANGE, (kl_place){w->p->file, 0, 0},
            "the wheel profile has no flange: no point lies more than 12 mm from the tread; "
            "for a tread alone write `cone: 1:40` or `arc: 300 mm` instead of `file`, or give the "
            "whole "
            "profile");
    KL_TRY(check_declared(w, w->kind == KL_PROFILE_WHEEL));
    for (int i = 0; i < w->n; i++) w->y[i] *= w->sign_y, w->z[i] *= w->sign_z;
    w->report->axes     = axes_text(w->sign_y, w->sign_z);
    w->report->reversed = w->y[0] > w->y[w->n - 1];
    if (w->report->reversed) reverse(w);
    return KL_OK;
}

/* ---- mistakes ---- */

/* Equal neighbours are one point. */
static void drop_repeated(work *w)
{
    int n = 1;
    for (int i = 1; i < w->n; i++) {
        if (hypot(w->y[i] - w->y[n - 1], w->z[i] - w->z[n - 1]) < 1e-9) continue;
        w->y[n] = w->y[i], w->z[n] = w->z[i], w->line[n++] = w->line[i];
    }
    w->n = n;
}

static double cross(const work *w, int a, int b, int c)
{
    return (w->y[b] - w->y[a]) * (w->z[c] - w->z[a]) - (w->z[b] - w->z[a]) * (w->y[c] - w->y[a]);
}

static kl_status check_crossing(const work *w)
{
    for (int i = 0; i + 1 < w->n; i++)
        for (int j = i + 2; j + 1 < w->n; j++) {
            if (fmax(w->y[i], w->y[i + 1]) < fmin(w->y[j], w->y[j + 1]) ||
                fmin(w->y[i], w->y[i + 1]) > fmax(w->y[j], w->y[j + 1]))
                continue;
            if (cross(w, i, i + 1, j) * cross(w, i, i + 1, j + 1) < 0.0 &&
                cross(w, j, j + 1, i) * cross(w, j, j + 1, i + 1) < 0.0)
                return kl_fail(w->diag, KL_E_RANGE, place(w, j),
                               "the %s profile crosses itself: the segment from this point to the "
                               "next meets the segment from line %d to line %d; list the points in "
                               "order along the profile",
                               word(w), w->line[i], w->line[i + 1]);
        }
    return KL_OK;
}

static double chord(const work *w, int i)
{
    return hypot(w->y[i + 1] - w->y[i], w->z[i + 1] - w->z[i]);
}

/* Angle between the chords i and i + 1 [rad]. */
static double turn(const work *w, int i)
{
    double ay = w->y[i + 1] - w->y[i], az = w->z[i + 1] - w->z[i];
    double by = w->y[i + 2] - w->y[i + 1], bz = w->z[i + 2] - w->z[i + 1];
    return fabs(atan2(ay * bz - az * by, ay * by + az * bz));
}

/* A long step is a gap unless it goes on straight, as a cone of two points does. */
static kl_status check_gaps(const work *w, double *scratch)
{
    for (int i = 0; i + 1 < w->n; i++) scratch[i] = chord(w, i);
    qsort(scratch, (size_t)(w->n - 1), sizeof *scratch, ascending);
    double usual = scratch[(w->n - 1) / 2];
    for (int i = 0; i + 1 < w->n; i++) {
        double step = chord(w, i), bend = 0.0;
        if (i > 0) bend = fmax(bend, turn(w, i - 1));
        if (i + 2 < w->n) bend = fmax(bend, turn(w, i));
        if (step > 3e-3 && step > 8.0 * usual && bend > 0.05)
            return kl_fail(
                w->diag, KL_E_RANGE, place(w, i + 1),
                "the %s profile has a gap of %.2f mm between lines %d and %d, in a curve; "
                "points are usually %.2f mm apart: fill it, or cut the profile there",
                word(w), 1e3 * step, w->line[i], w->line[i + 1], 1e3 * usual);
    }
    return KL_OK;
}

static kl_status check_backtracking(const work *w)
{
    for (int i = 0; i + 2 < w->n; i++)
        if (turn(w, i) > 2.4)
            return kl_fail(
                w->diag, KL_E_RANGE, place(w, i + 1),
                "the %s profile turns back at this point; list the points in order along "
                "the profile, each once",
                word(w));
    return KL_OK;
}

/* ---- origin ---- */

/* Height at y by linear interpolation of the lower (wheel) points. */
static bool height_at(const work *w, double y, double *z)
{
    for (int i = w->n - 2; i >= 0; i--)
        if (w->y[i] <= y && w->y[i + 1] >= y && w->y[i + 1] > w->y[i]) {
            *z = w->z[i] + (w->z[i + 1] - w->z[i]) * (y - w->y[i]) / (w->y[i + 1] - w->y[i]);
            return true;
        }
    return false;
}

/* The taping line is where the file has (0, 0); if the profile does not pass there it is 70 mm
 * outward of the back of the flange. */
static void find_wheel_origin(work *w)
{
    double z, back = w->y[0], origin = 0.0;
    for (int i = 1; i < w->n; i++) back = fmin(back, w->y[i]);
    if (!height_at(w, 0.0, &z) || fabs(z) > 0.2e-3 || back > -0.04) {
        origin = back + 0.070;
        if (!height_at(w, origin, &z)) z = 0.0;
    } else {
        z = 0.0;
    }
    w->report->origin[0] = origin, w->report->origin[1] = z;
    for (int i = 0; i < w->n; i++) w->y[i] -= origin, w->z[i] -= z;
}

/* ---- the curve ---- */

static kl_status lay_curve(work *w, kl_arena *arena, kl_outline *out)
{
    kl_smooth_curve c;
    w->report->noise = kl_points_noise(w->y, w->z, w->n, arena);
    double limit =
        w->options->smoothing > 0.0 ? w->options->smoothing : fmax(2e-6, 6.0 * w->report->noise);
    KL_TRY(kl_smooth_curve_fit(w->y, w->z, w->n, KL_OUTLINE_STEP, limit,
                               w->options->smoothing > 0.0 ? limit : w->report->noise, arena, &c));
    w->report->deviation = c.deviation;
    kl_outline_begin(out, arena);
    for (int k = 0; k < c.n; k++) {
        kl_outline_piece piece = {{0}, {0}};
        kl_smooth_curve_piece(&c, k, piece.y, piece.z);
        kl_outline_piece_add(out, &piece);
    }
    return kl_arena_ok(arena) ? KL_OK : KL_E_MEMORY;
}

/* Measured rails often end a little below the corner: their sides go on straight to 30 mm below the
 * top, so that a flange meets them there, too. */
static void extend_sides(kl_outline *o)
{
    double           top    = -INFINITY;
    kl_outline_point a      = kl_outline_at(o, (kl_outline_place){0, 0.0}),
                     b      = kl_outline_at(o, (kl_outline_place){o->n - 1, 1.0});
    kl_outline_piece *piece = o->piece;
    int               n     = o->n;
    for (int i = 0; i < n; i++) top = fmax(top, piece[i].z[0]);
    double     down_a = a.z - (top - 0.03), down_b = b.z - (top - 0.03);
    kl_outline whole;
    kl_outline_begin(&whole, o->arena);
    if (a.tz > 0.8 && down_a > 0.0)
        kl_outline_line(&whole, a.y - down_a * a.ty / a.tz, a.z - down_a, a.y, a.z);
    for (int i = 0; i < n; i++) kl_outline_piece_add(&whole, &piece[i]);
    if (b.tz < -0.8 && down_b > 0.0)
        kl_outline_line(&whole, b.y, b.z, b.y - down_b * b.ty / b.tz, b.z - down_b);
    *o = whole;
}

static kl_status take_points(work *w, double **scratch, kl_arena *arena)
{
    w->n     = w->p->n;
    w->y     = kl_arena_array(arena, double, w->n);
    w->z     = kl_arena_array(arena, double, w->n);
    w->line  = kl_arena_array(arena, int, w->n);
    *scratch = kl_arena_array(arena, double, w->n);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    memcpy(w->line, w->p->line, (size_t)w->n * sizeof *w->line);
    for (int i = 0; i < w->n; i++)
        w->y[i] = w->report->unit * w->p->y[i], w->z[i] = w->report->unit * w->p->z[i];
    return KL_OK;
}

kl_status kl_outline_from_points(const kl_profile_points *p, kl_profile_kind kind,
                                 const kl_profile_options *options, kl_arena *arena, kl_diag *diag,
                                 kl_outline *out, kl_profile_report *report)
{
    work    w = {.p = p, .kind = kind, .options = options, .diag = diag, .report = report};
    double *scratch;
    *report = (kl_profile_report){.npoint = p->n};
    KL_TRY(find_unit(&w));
    KL_TRY(take_points(&w, &scratch, arena));
    drop_repeated(&w);
    if (w.n < 8)
        return kl_fail(diag, KL_E_RANGE, (kl_place){p->file, 0, 0},
                       "the %s profile has only %d different points; it needs at least 8", word(&w),
                       w.n);
    KL_TRY(check_crossing(&w));
    KL_TRY(check_backtracking(&w));
    KL_TRY(check_gaps(&w, scratch));
    KL_TRY(find_axes(&w, scratch));
    if (kind == KL_PROFILE_WHEEL) find_wheel_origin(&w);
    KL_TRY(lay_curve(&w, arena, out));
    if (kind == KL_PROFILE_RAIL) extend_sides(out);
    return kl_outline_end(out);
}
