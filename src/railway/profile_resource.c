/* `profiles:` of a model: wheel and rail profiles by name. */
#include <math.h>
#include <stddef.h>

#include "railway/profile_by_name.h"
#include "railway/profile_resource.h"
#include "railway/profiles.h"

enum { UNIT_AUTO, UNIT_MM, UNIT_M, UNIT_INCH };

static kl_status report_fault(const kl_setup *s, const char *text)
{
    return kl_fail(s->diag, KL_E_MODEL, s->place, "profile '%s': %s", s->name, text);
}

static kl_status profile_setup(void *data, const kl_setup *s)
{
    static const double units[] = {0.0, 1e-3, 1.0, 0.0254};
    static const char  *axes[]  = {"auto", "out-up", "out-down", "in-up", "in-down"};
    kl_named_profile   *p       = data;
    kl_profile_options  options = {.unit = units[p->unit], .smoothing = p->smoothing};
    bool has_cone = !isnan(p->cone), has_arc = !isnan(p->arc), has_file = p->file.path != NULL;
    if (has_cone + has_arc + has_file != 1)
        return report_fault(s, "give one of `file`, `cone` and `arc`");
    if (has_cone && p->kind == KL_PROFILE_RAIL)
        return report_fault(s, "a rail cannot be a cone; write `arc`");
    if (has_cone) return kl_wheel_cone(p->cone, 0.13, s->arena, &p->outline);
    if (has_arc && p->arc == 0.0) return report_fault(s, "the radius of an arc must not be zero");
    if (has_arc && p->kind == KL_PROFILE_RAIL)
        return kl_rail_arc(fabs(p->arc), fmin(0.072, 1.98 * fabs(p->arc)), s->arena, &p->outline);
    if (has_arc) return kl_wheel_arc(p->arc, fmin(0.13, 1.9 * fabs(p->arc)), s->arena, &p->outline);
    kl_profile_axes_parse(axes[p->axes], &options);
    return kl_profile_by_name(p->file.path, (kl_profile_kind)p->kind, &options, s->place, s->arena,
                              s->diag, &p->outline, &p->report);
}

static const char *const built_in[] = {"S1002", "60E1", "UIC60", NULL};

static kl_status profile_make(void *data, const char *name, const kl_setup *s)
{
    kl_named_profile  *p       = data;
    kl_profile_options options = {0};
    p->kind                    = name[0] == 'S' ? KL_PROFILE_WHEEL : KL_PROFILE_RAIL;
    return kl_profile_by_name(name, (kl_profile_kind)p->kind, &options, s->place, s->arena, s->diag,
                              &p->outline, &p->report);
}

static const kl_key keys[] = {
    {.name     = "of",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_named_profile, kind),
     .words    = "wheel rail",
     .fallback = "wheel",
     .help     = "wheel or rail"},
    {.name     = "file",
     .kind     = KL_KEY_FILE,
     .offset   = offsetof(kl_named_profile, file),
     .fallback = "",
     .help     = "points: two columns, Simpack (.prw, .prr) or MiniProf (.whl, .ban)"},
    {.name     = "axes",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_named_profile, axes),
     .words    = "auto out-up out-down in-up in-down",
     .fallback = "auto",
     .help     = "axes of the file: y to the field side or to the track, z up or down"},
    {.name     = "unit",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_named_profile, unit),
     .words    = "auto mm m in",
     .fallback = "auto",
     .help     = "unit of the file"},
    {.name     = "smoothing",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_named_profile, smoothing),
     .unit     = "m",
     .fallback = "0",
     .min      = 0.0,
     .max      = 1e-2,
     .help     = "largest deviation of the smooth curve from the points; 0: by their noise"},
    {.name     = "cone",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_named_profile, cone),
     .unit     = "1",
     .fallback = "",
     .min      = -0.5,
     .max      = 0.5,
     .help     = "slope of a conical tread without flange, instead of a file"},
    {.name     = "arc",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_named_profile, arc),
     .unit     = "m",
     .fallback = "",
     .min      = -100.0,
     .max      = 100.0,
     .help     = "radius of a rail head or of a hollow tread, instead of a file"},
    {0}};

const kl_resource_type kl_profiles = {
    .section   = "profiles",
    .word      = "profile",
    .help      = "cross-sections of wheels and rails",
    .text      = "Built in: S1002 (wheel), 60E1 and UIC60 (rails).\n\n"
                 "    profiles:\n"
                 "      worn: {of: wheel, file: worn.whl, smoothing: 0.01 mm}\n"
                 "      head: {of: rail, arc: 300 mm}\n",
    .example   = "{of: rail, arc: 300 mm}",
    .data_size = sizeof(kl_named_profile),
    .keys      = keys,
    .setup     = profile_setup,
    .built_in  = built_in,
    .make      = profile_make};
