#include "railway/profile_by_name.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/number.h"
#include "base/units.h"
#include "railway/profiles.h"

static const double WHEEL_WIDTH = 0.130, RAIL_WIDTH = 0.072;

/* ---- one line a profile ---- */

typedef kl_status (*maker)(double value, kl_arena *arena, kl_outline *out);

static kl_status make_s1002(double value, kl_arena *arena, kl_outline *out)
{
    (void)value;
    return kl_wheel_s1002(arena, out);
}

static kl_status make_cone(double slope, kl_arena *arena, kl_outline *out)
{
    return kl_wheel_cone(slope, WHEEL_WIDTH, arena, out);
}

static kl_status make_wheel_arc(double radius, kl_arena *arena, kl_outline *out)
{
    return kl_wheel_arc(radius, fmin(WHEEL_WIDTH, 1.9 * fabs(radius)), arena, out);
}

static kl_status make_60e1(double value, kl_arena *arena, kl_outline *out)
{
    (void)value;
    return kl_rail_from_head(&kl_rail_60e1, arena, out);
}

static kl_status make_uic60(double value, kl_arena *arena, kl_outline *out)
{
    (void)value;
    return kl_rail_from_head(&kl_rail_uic60, arena, out);
}

static kl_status make_rail_arc(double radius, kl_arena *arena, kl_outline *out)
{
    return kl_rail_arc(radius, fmin(RAIL_WIDTH, 1.98 * radius), arena, out);
}

static const struct {
    kl_profile_kind kind;
    const char     *name, *unit; /* unit of its number; NULL: it has none */
    maker           make;
    double          low; /* the number must be larger */
} built_in[] = {
    {KL_PROFILE_WHEEL, "S1002", NULL, make_s1002, 0.0},
    {KL_PROFILE_WHEEL, "cylinder", NULL, make_cone, 0.0},
    {KL_PROFILE_WHEEL, "cone", "1", make_cone, -0.5},
    {KL_PROFILE_WHEEL, "arc", "m", make_wheel_arc, -1e9},
    {KL_PROFILE_RAIL, "60E1", NULL, make_60e1, 0.0},
    {KL_PROFILE_RAIL, "UIC60", NULL, make_uic60, 0.0},
    {KL_PROFILE_RAIL, "arc", "m", make_rail_arc, 5e-3},
};

enum { NBUILT = sizeof built_in / sizeof *built_in };

/* "0.05", "1/20", "300mm", "300 mm" */
static bool parse_value(const char *text, const char *unit, double *value)
{
    const char *end = text + strlen(text), *p = kl_scan_number(text, end, value);
    double      below, factor;
    if (!p) return false;
    if (*p == '/' && strcmp(unit, "1") == 0) {
        p = kl_scan_number(p + 1, end, &below);
        if (!p || below == 0.0) return false;
        *value /= below;
    }
    while (*p == ' ') p++;
    if (*p == '\0') return true;
    kl_dim dim;
    if (!kl_unit_parse(p, &factor, &dim) || !kl_dim_equal(dim, kl_dim_of(unit))) return false;
    *value *= factor;
    return true;
}

static bool readable(const char *path)
{
    FILE *f = kl_file_open(path);
    if (f) fclose(f);
    return f != NULL;
}

/* `error`: why the file of this name cannot be opened. */
static kl_status unknown(const char *text, int error, kl_profile_kind kind, kl_place place,
                         kl_diag *diag)
{
    const char *names[NBUILT + 1] = {0};
    int         n                 = 0;
    for (int k = 0; k < NBUILT; k++)
        if (built_in[k].kind == kind) names[n++] = built_in[k].name;
    const char *near = kl_nearest(text, names);
    const char *all  = kind == KL_PROFILE_WHEEL ? "S1002, cone:SLOPE, cylinder, arc:RADIUS"
                                                : "60E1, UIC60, arc:RADIUS";
    const char *what = kind == KL_PROFILE_WHEEL ? "wheel" : "rail";
    if (error != ENOENT)
        return kl_fail(diag, KL_E_FILE, place, "%s cannot be read: %s", text,
                       kl_file_reason(error));
    if (near)
        return kl_fail(diag, KL_E_NAME, place,
                       "there is no file `%s` and no %s profile of this name; did you mean `%s`?",
                       text, what, near);
    return kl_fail(diag, KL_E_NAME, place,
                   "there is no file `%s` and no %s profile of this name; give the name of a file, "
                   "or one of %s",
                   text, what, all);
}

/* Is `text` a built-in profile? Then it is made, or its number is refused. */
static bool make_built_in(const char *text, kl_profile_kind kind, kl_place place, kl_arena *arena,
                          kl_diag *diag, kl_outline *out, kl_status *status)
{
    size_t length = strcspn(text, ":");
    for (int k = 0; k < NBUILT; k++) {
        if (built_in[k].kind != kind || strlen(built_in[k].name) != length ||
            strncmp(text, built_in[k].name, length) != 0)
            continue;
        double value = 0.0;
        bool   colon = text[length] == ':', wants = built_in[k].unit != NULL;
        if (wants != colon ||
            (wants && (!parse_value(text + length + 1, built_in[k].unit, &value) ||
                       !(value > built_in[k].low) || !isfinite(value))))
            *status = kl_fail(
                diag, KL_E_RANGE, place,
                wants ? "profile `%s`: write a number after the colon, for example `%s:%s`"
                      : "profile `%s` has no number; write `%s`",
                text, built_in[k].name, strcmp(built_in[k].name, "cone") == 0 ? "1/20" : "300mm");
        else *status = built_in[k].make(value, arena, out);
        return true;
    }
    return false;
}

kl_status kl_profile_by_name(const char *text, kl_profile_kind kind,
                             const kl_profile_options *options, kl_place place, kl_arena *arena,
                             kl_diag *diag, kl_outline *out, kl_profile_report *report)
{
    kl_status         status;
    kl_profile_points points;
    *report = (kl_profile_report){0};
    if (make_built_in(text, kind, place, arena, diag, out, &status)) return status;
    if (!readable(text)) return unknown(text, errno, kind, place, diag);
    KL_TRY(kl_profile_file_read(text, arena, diag, &points));
    return kl_outline_from_points(&points, kind, options, arena, diag, out, report);
}
