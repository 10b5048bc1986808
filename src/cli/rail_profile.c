/* klingel rail profile: a wheelset with two wheel profiles on two rails, without dynamics: rolling
 * radius difference, contact angles, jumps, equivalent conicity, Hertz ellipses. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/units.h"
#include "base/vec.h"
#include "cli/rail.h"
#include "figures/rail_figure.h"
#include "railway/conicity.h"
#include "railway/hertz.h"
#include "railway/profile_by_name.h"
#include "railway/profiles.h"
#include "railway/rolling_radius.h"
#include "railway/touch_search.h"
#include "terminal/options.h"

static const double DEGREE = 57.29577951308232, CONTACT_DISTANCE = 1.5, TAPING_LINE = 0.070;

/* What the command line says. Lengths as texts: bare numbers from 10 on are millimetres. */
typedef struct texts {
    const char *wheel[2], *rail[2]; /* right, left */
    const char *radius[2], *gauge, *inclination, *back_to_back, *most, *load, *smoothing, *unit;
    const char *wheel_axes, *rail_axes, *figures, *over;
    bool        csv, conicity;
} texts;

typedef struct request {
    texts                text;
    double               radius[2], back_to_back, most, load, step;
    kl_rail_setting      setting;
    kl_profile_options   wheel_options, rail_options;
    kl_outline           wheel[2], rail[2], placed[2];
    kl_profile_report    wheel_report[2], rail_report[2];
    kl_contact_search    search[2];
    kl_wheelset_on_track set;
    bool                 symmetric;
    int                  n;
    kl_rolling_state    *state;
    double              *y, *dr;
    kl_delta_r           delta_r;
    kl_arena            *arena;
    kl_diag             *diag;
} request;

/* ---- options ---- */

static kl_status length(request *q, const char *option, const char *text, double *value)
{
    if (!text) return KL_OK;
    const char *end = text + strlen(text), *p = kl_scan_number(text, end, value);
    double      factor;
    kl_dim      dim;
    while (p && *p == ' ') p++;
    if (p && *p == '\0') {
        /* No wheel radius or gauge is 10 m, none is 10 mm: the number itself shows its unit. */
        if (fabs(*value) >= 10.0) *value *= 1e-3;
        return KL_OK;
    }
    if (!p || !kl_unit_parse(p, &factor, &dim) || !kl_dim_equal(dim, kl_dim_of("m")))
        return kl_fail(q->diag, KL_E_USAGE, (kl_place){.file = option},
                       "`%s` is not a length; write for example 1435mm (a number without a unit is "
                       "in millimetres if it is at least 10, otherwise in metres)",
                       text);
    *value *= factor;
    return KL_OK;
}

/* "1:40", "1/40", "0.025", "0" */
static kl_status inclination(request *q, const char *text, double *value)
{
    if (!text) return KL_OK;
    const char *end = text + strlen(text), *p = kl_scan_number(text, end, value);
    double      below;
    if (p && (*p == ':' || *p == '/')) {
        p = kl_scan_number(p + 1, end, &below);
        if (p && below > 0.0) *value /= below;
    }
    if (p && *p == '\0' && fabs(*value) < 0.3) return KL_OK;
    return kl_fail(q->diag, KL_E_USAGE, (kl_place){.file = "--inclination"},
                   "`%s` is not an inclination; write for example 1:40", text);
}

static kl_status positive(request *q, const char *option, double value)
{
    if (value > 0.0 && isfinite(value)) return KL_OK;
    return kl_fail(q->diag, KL_E_RANGE, (kl_place){.file = option}, "must be positive");
}

static kl_status unit_option(request *q, const char *text)
{
    double factor;
    kl_dim dim;
    if (!text) return KL_OK;
    if (!kl_unit_parse(text, &factor, &dim) || !kl_dim_equal(dim, kl_dim_of("m")))
        return kl_fail(q->diag, KL_E_USAGE, (kl_place){.file = "--unit"},
                       "`%s` is not a unit of length; write mm, m or in", text);
    q->wheel_options.unit = q->rail_options.unit = factor;
    return KL_OK;
}

static kl_status axes(request *q, const char *option, const char *text, kl_profile_options *out)
{
    if (!text || kl_profile_axes_parse(text, out)) return KL_OK;
    return kl_fail(q->diag, KL_E_USAGE, (kl_place){.file = option},
                   "`%s` is not an axis convention; write out-up, out-down, in-up, in-down (y to "
                   "the field side or to the track, z up or down) or auto",
                   text);
}

static kl_status numbers(request *q)
{
    const texts *t = &q->text;
    KL_TRY(length(q, "--gauge", t->gauge, &q->setting.gauge));
    KL_TRY(length(q, "--back-to-back", t->back_to_back, &q->back_to_back));
    KL_TRY(length(q, "--radius", t->radius[0], &q->radius[0]));
    q->radius[1] = q->radius[0];
    KL_TRY(length(q, "--left-radius", t->radius[1], &q->radius[1]));
    KL_TRY(inclination(q, t->inclination, &q->setting.inclination));
    if (t->smoothing) {
        double mm = 0.0;
        if (!kl_scan_number(t->smoothing, t->smoothing + strlen(t->smoothing), &mm) || !(mm > 0.0))
            return kl_fail(q->diag, KL_E_USAGE, (kl_place){.file = "--smoothing"},
                           "give the largest deviation in millimetres, for example 0.01");
        q->wheel_options.smoothing = q->rail_options.smoothing = 1e-3 * mm;
    }
    KL_TRY(unit_option(q, t->unit));
    KL_TRY(axes(q, "--wheel-axes", t->wheel_axes, &q->wheel_options));
    KL_TRY(axes(q, "--rail-axes", t->rail_axes, &q->rail_options));
    KL_TRY(positive(q, "--gauge", q->setting.gauge));
    KL_TRY(positive(q, "--back-to-back", q->back_to_back));
    KL_TRY(positive(q, "--radius", q->radius[0]));
    KL_TRY(positive(q, "--left-radius", q->radius[1]));
    KL_TRY(positive(q, "--load", q->load));
    return positive(q, "--most", q->most);
}

/* ---- geometry ---- */

static kl_status make_side(request *q, int side)
{
    double      shift[2];
    const char *wheel = q->text.wheel[side] ? q->text.wheel[side] : q->text.wheel[0];
    const char *rail  = q->text.rail[side] ? q->text.rail[side] : q->text.rail[0];
    KL_TRY(kl_profile_by_name(wheel, KL_PROFILE_WHEEL, &q->wheel_options, KL_NOWHERE, q->arena,
                              q->diag, &q->wheel[side], &q->wheel_report[side]));
    KL_TRY(kl_profile_by_name(rail, KL_PROFILE_RAIL, &q->rail_options, KL_NOWHERE, q->arena,
                              q->diag, &q->rail[side], &q->rail_report[side]));
    KL_TRY(kl_rail_placed(&q->rail[side], &q->setting, q->arena, &q->placed[side], shift));
    q->set.side[side] = &q->search[side];
    return kl_touch_search_create(&q->wheel[side], q->radius[side], &q->placed[side], shift[0],
                                  q->arena, &q->search[side]);
}

static kl_status check_fit(request *q)
{
    char   why[KL_FIT_TEXT];
    kl_fit fit = kl_wheelset_fit(&q->set, q->setting.gauge, &q->state[q->n / 2], why);
    if (fit == KL_FIT_TIGHT)
        kl_warn(q->diag, KL_NOWHERE,
                "with back-to-back %.1f mm and gauge %.1f mm %s; check --gauge and --back-to-back",
                1e3 * q->back_to_back, 1e3 * q->setting.gauge, why);
    if (fit != KL_FITS_NOT) return KL_OK;
    return kl_fail(q->diag, KL_E_RANGE, KL_NOWHERE,
                   "the wheelset does not fit the track: with back-to-back %.1f mm and gauge %.1f "
                   "mm %s; change --gauge or --back-to-back",
                   1e3 * q->back_to_back, 1e3 * q->setting.gauge, why);
}

static kl_status scan(request *q)
{
    q->symmetric = !q->text.wheel[1] && !q->text.rail[1] && q->radius[0] == q->radius[1];
    q->set.half  = 0.5 * q->back_to_back + TAPING_LINE;
    q->n         = 2 * (int)lround(q->most / q->step) + 1;
    q->state     = kl_arena_array(q->arena, kl_rolling_state, q->n);
    q->y         = kl_arena_array(q->arena, double, q->n);
    q->dr        = kl_arena_array(q->arena, double, q->n);
    if (!kl_arena_ok(q->arena)) return KL_E_MEMORY;
    kl_wheelset_scan(&q->set, q->most, q->n, q->state);
    KL_TRY(check_fit(q));
    /* what lies beyond the first shift without a position is left out */
    for (int i = 0; i < q->n; i++) q->y[i] = q->state[i].y, q->dr[i] = q->state[i].delta_r;
    return kl_delta_r_init(q->y, q->dr, q->n, q->arena, &q->delta_r);
}

/* ---- tables for programs ---- */

static double angle(const kl_rolling_state *s, int side)
{
    double roll = side == KL_RIGHT ? -s->roll : s->roll; /* against the axle */
    return DEGREE * (kl_contact_angle(&s->touch[side]) + roll);
}

static double plain(double x) { return fabs(x) < 5e-8 ? 0.0 : x; } /* rounding noise is zero */

static void print_csv(const request *q)
{
    int every = (int)lround(1e-4 / q->step);
    printf("y_mm,delta_r_mm,r_right_mm,r_left_mm,roll_mrad,centre_height_minus_r0_mm,"
           "y_contact_wheel_right_mm,y_contact_wheel_left_mm,y_contact_track_right_mm,"
           "y_contact_track_left_mm,contact_angle_right_deg,contact_angle_left_deg,"
           "delta_r_no_roll_mm\n");
    for (int i = q->symmetric ? q->n / 2 : 0; i < q->n; i += every) {
        const kl_rolling_state *s = &q->state[i];
        const kl_touch         *r = &s->touch[KL_RIGHT], *l = &s->touch[KL_LEFT];
        if (!isfinite(s->delta_r)) continue;
        printf("%.1f,%.4f,%.4f,%.4f,%.5f,%.4f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.4f\n", 1e3 * s->y,
               plain(1e3 * s->delta_r), 1e3 * r->radius, 1e3 * l->radius, plain(1e3 * s->roll),
               1e3 * s->height, 1e3 * r->wheel_u, 1e3 * l->wheel_u, 1e3 * r->wheel.y,
               -1e3 * l->wheel.y, angle(s, KL_RIGHT), angle(s, KL_LEFT),
               plain(1e3 * s->delta_r_level));
    }
}

static void print_conicity(const request *q)
{
    printf("amplitude_mm,tan_gamma_e_wavelength_method,tan_gamma_e_harmonic\n");
    for (int k = 1; 0.1e-3 * k <= kl_conicity_most(&q->delta_r) + 1e-9; k++) {
        double w = kl_conicity_wavelength(&q->delta_r, 1e-4 * k);
        double h = kl_conicity_harmonic(&q->delta_r, 1e-4 * k);
        if (isfinite(w) && isfinite(h)) printf("%.1f,%.4f,%.4f\n", 0.1 * k, w, h);
    }
}

/* ---- the report ---- */

static void print_profile(const char *word, const char *name, const kl_profile_report *r)
{
    if (!r->axes) return;
    printf("  %-22s %s: %d points, %s, unit %g mm%s;\n"
           "  %-22s noise %.2g um, smooth curve within %.2g um of every point\n",
           word, name, r->npoint, r->axes, 1e3 * r->unit,
           r->reversed ? ", listed from the field side" : "", "", 1e6 * r->noise,
           1e6 * r->deviation);
    if (r->origin[0] != 0.0)
        printf("  %-22s the running circle is at y = %.2f mm of the file, 70 mm from the back of "
               "the flange\n",
               "", 1e3 * r->origin[0]);
}

static void print_profiles(const request *q)
{
    static const char *const words[2][2] = {{"wheel", "left wheel"}, {"rail", "left rail"}};
    for (int side = 0; side < (q->symmetric ? 1 : 2); side++) {
        const char *wheel = q->text.wheel[side] ? q->text.wheel[side] : q->text.wheel[0];
        const char *rail  = q->text.rail[side] ? q->text.rail[side] : q->text.rail[0];
        print_profile(words[0][side], wheel, &q->wheel_report[side]);
        print_profile(words[1][side], rail, &q->rail_report[side]);
    }
}

/* The shift at which a contact jumps, between the states i and i + 1, to 1e-3 mm. */
static double locate_jump(const request *q, int i, int side)
{
    kl_rolling_state low = q->state[i], high = q->state[i + 1];
    while (high.y - low.y > 1e-6) {
        kl_rolling_state mid = fabs(low.y) < fabs(high.y) ? low : high;
        if (!kl_wheelset_rest(&q->set, 0.5 * (low.y + high.y), 0.0, &mid)) break;
        bool near_low = fabs(mid.touch[side].wheel_u - low.touch[side].wheel_u) <
                        fabs(mid.touch[side].wheel_u - high.touch[side].wheel_u);
        if (near_low) low = mid;
        else high = mid;
    }
    return 0.5 * (low.y + high.y);
}

static void print_jumps(const request *q)
{
    static const char *const sides[] = {"right", "left"};
    for (int side = 0; side < 2; side++)
        for (int i = q->symmetric ? q->n / 2 : 0; i + 1 < q->n; i++) {
            const kl_touch *a = &q->state[i].touch[side], *b = &q->state[i + 1].touch[side];
            if (!isfinite(q->state[i].delta_r) || !isfinite(q->state[i + 1].delta_r)) continue;
            if (fabs(a->wheel_u - b->wheel_u) < 2e-3) continue;
            printf("  %-22s at a lateral displacement of %.3f mm from %+.1f to %+.1f mm on the %s "
                   "wheel\n",
                   "contact jumps", 1e3 * locate_jump(q, i, side), 1e3 * a->wheel_u,
                   1e3 * b->wheel_u, sides[side]);
        }
}

static void print_flange(const request *q)
{
    double clearance = kl_wheelset_clearance(&q->set, q->setting.gauge);
    if (isfinite(clearance))
        printf("  %-22s %.1f mm, both flanges together\n", "flange clearance", 1e3 * clearance);
    for (int i = q->n / 2; i < q->n; i++) {
        const kl_rolling_state *s = &q->state[i];
        if (!isfinite(s->delta_r) || s->touch[KL_RIGHT].region == KL_TOUCH_TREAD) continue;
        printf("  %-22s at lateral displacements above %.2f mm\n", "flange contact", 1e3 * s->y);
        return;
    }
}

static void print_shifts(const request *q)
{
    kl_elastic_pair steel = kl_elastic_same(2.1e11, 0.28);
    /* States are computed every `step`; the table shows one for each millimetre. */
    int every = (int)lround(1e-3 / q->step);
    printf(
        "\n  shift  delta r   roll    contact angle [deg]   contact on wheel [mm]   right wheel, "
        "%g kN (Hertz)\n",
        1e-3 * q->load);
    printf(
        "   [mm]     [mm]  [mrad]     right      left        right      left     a [mm]  b [mm]  "
        "p0 [MPa]\n");
    for (int i = q->symmetric ? q->n / 2 : 0; i < q->n; i += every) {
        const kl_rolling_state *s = &q->state[i];
        const kl_touch         *r = &s->touch[KL_RIGHT];
        if (!isfinite(s->delta_r)) continue;
        printf("  %5.1f %8.3f %7.3f %9.3f %9.3f    %9.2f %9.2f", 1e3 * s->y, 1e3 * s->delta_r,
               1e3 * s->roll, angle(s, KL_RIGHT), angle(s, KL_LEFT), 1e3 * r->wheel_u,
               1e3 * s->touch[KL_LEFT].wheel_u);
        if (r->By > 0.0) {
            kl_hertz h = kl_hertz_of(r->Ax, r->By, steel.E);
            /* The vertical load Q belongs to a normal force N = Q/cos(contact angle). */
            double depth = kl_hertz_depth(&h, q->load / cos(kl_contact_angle(r)));
            double a = h.a1 * sqrt(depth), b = h.b1 * sqrt(depth);
            printf("   %8.2f %7.2f %9.0f", 1e3 * a, 1e3 * b,
                   1e-6 * 1.5 * q->load / cos(kl_contact_angle(r)) / (KL_PI * a * b));
        }
        printf("\n");
    }
}

static void print_report(const request *q)
{
    char name[200];
    snprintf(name, sizeof name, "%.80s on %.80s", q->text.wheel[0], q->text.rail[0]);
    printf("%s, gauge %.1f mm, inclination %s%.4g, back-to-back %.1f mm, radius %.1f mm\n", name,
           1e3 * q->setting.gauge, q->setting.inclination != 0.0 ? "1:" : "",
           q->setting.inclination != 0.0 ? 1.0 / q->setting.inclination : 0.0,
           1e3 * q->back_to_back, 1e3 * q->radius[0]);
    print_profiles(q);
    double w = kl_conicity_wavelength(&q->delta_r, 3e-3),
           h = kl_conicity_harmonic(&q->delta_r, 3e-3);
    if (isfinite(w)) {
        printf(
            "  %-22s %.4f at 3 mm by the wavelength (EN 15302), %.4f by harmonic linearisation\n",
            "equivalent conicity", w, h);
        printf("  %-22s %.2f m at an amplitude of 3 mm\n", "Klingel's wavelength",
               kl_klingel_wavelength(w, CONTACT_DISTANCE, 0.5 * (q->radius[0] + q->radius[1])));
    } else {
        printf("  %-22s not defined at 3 mm: these profiles do not steer the wheelset back to the "
               "centre\n",
               "equivalent conicity");
    }
    print_jumps(q);
    print_flange(q);
    print_shifts(q);
}

static kl_rail_figure_data figure_data(const request *q)
{
    return (kl_rail_figure_data){.state      = q->state,
                                 .n          = q->n,
                                 .delta_r    = &q->delta_r,
                                 .wheel      = &q->wheel[0],
                                 .rail       = &q->placed[0],
                                 .half       = q->set.half,
                                 .radius     = q->radius[0],
                                 .wheel_name = q->text.wheel[0]};
}

/* Profiles, placed and run through all shifts. */
static kl_status evaluate(request *q)
{
    KL_TRY(make_side(q, KL_RIGHT));
    KL_TRY(make_side(q, KL_LEFT));
    return scan(q);
}

/* The second wheel on the same rails; its own numbers where both are printed. */
static kl_status figures(const request *q)
{
    kl_rail_figure_data d = figure_data(q), e;
    request            *o = kl_arena_array(q->arena, request, 1);
    char                title[300];
    if (!o) return KL_E_MEMORY;
    snprintf(title, sizeof title, "%.80s on %.80s", q->text.wheel[0], q->text.rail[0]);
    if (q->text.over) {
        *o               = *q;
        o->text.wheel[0] = q->text.over, o->text.wheel[1] = NULL;
        KL_TRY(evaluate(o));
        e       = figure_data(o);
        d.other = &e;
        if (!q->text.csv && !q->text.conicity)
            printf("\nequivalent conicity at 3 mm (EN 15302): %.4f with %s, %.4f with %s\n",
                   kl_conicity_wavelength(&q->delta_r, 3e-3), q->text.wheel[0],
                   kl_conicity_wavelength(&o->delta_r, 3e-3), q->text.over);
    }
    if (!q->text.figures) return KL_OK;
    return kl_rail_figures(&d, title, q->text.figures) ? KL_OK : KL_E_FILE;
}

static kl_status profile(request *q)
{
    KL_TRY(numbers(q));
    KL_TRY(evaluate(q));
    if (q->text.conicity) print_conicity(q);
    else if (q->text.csv) print_csv(q);
    else print_report(q);
    return figures(q);
}

static int run(int argc, char **argv)
{
    request         q    = {.radius       = {0.46, 0.46},
                            .back_to_back = 1.36,
                            .most         = 7e-3,
                            .step         = 5e-5,
                            .load         = 80e3,
                            .setting      = KL_RAIL_SETTING};
    double          most = 7.0, load = 80.0;
    texts          *t         = &q.text;
    const kl_option options[] = {
        {"gauge", 0, "LENGTH", KL_OPTION_TEXT, &t->gauge, "track gauge (default 1435mm)"},
        {"inclination", 0, "1:N", KL_OPTION_TEXT, &t->inclination,
         "rail inclination (default 1:40; 0 if the rail file is already inclined)"},
        {"back-to-back", 0, "LENGTH", KL_OPTION_TEXT, &t->back_to_back,
         "distance between the flange backs (default 1360mm)"},
        {"radius", 0, "LENGTH", KL_OPTION_TEXT, &t->radius[0],
         "wheel radius at the running circle (default 460mm)"},
        {"left-wheel", 0, "WHEEL", KL_OPTION_TEXT, &t->wheel[1],
         "profile of the left wheel (default: as right)"},
        {"left-rail", 0, "RAIL", KL_OPTION_TEXT, &t->rail[1],
         "profile of the left rail (default: as right)"},
        {"left-radius", 0, "LENGTH", KL_OPTION_TEXT, &t->radius[1],
         "radius of the left wheel (default: as right)"},
        {"most", 0, "MM", KL_OPTION_NUMBER, &most, "largest lateral displacement [mm] (default 7)"},
        {"load", 0, "KN", KL_OPTION_NUMBER, &load,
         "wheel load for Hertz ellipses [kN] (default 80)"},
        {"csv", 0, NULL, KL_OPTION_FLAG, &t->csv, "print all lateral displacements as CSV"},
        {"conicity", 0, NULL, KL_OPTION_FLAG, &t->conicity,
         "print equivalent conicity over amplitude as CSV"},
        {"over", 0, "WHEEL", KL_OPTION_TEXT, &t->over,
         "second wheel profile, drawn over the first in the figures"},
        {"figures", 0, "DIR", KL_OPTION_TEXT, &t->figures,
         "draw figures and a page index.html into this folder"},
        {"wheel-axes", 0, "AXES", KL_OPTION_TEXT, &t->wheel_axes,
         "axes of wheel files: out-up, out-down, in-up, in-down, auto (default)"},
        {"rail-axes", 0, "AXES", KL_OPTION_TEXT, &t->rail_axes,
         "axes of rail files (default auto)"},
        {"unit", 0, "UNIT", KL_OPTION_TEXT, &t->unit, "unit of profile files: mm, m or in"},
        {"smoothing", 0, "MM", KL_OPTION_TEXT, &t->smoothing,
         "largest deviation of the smooth curve from the points of a file [mm]"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_rail_profile, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n != 2)
        return kl_usage_error(&kl_command_rail_profile,
                              "give a wheel and a rail profile, for example `S1002 60E1`");
    t->wheel[0] = rest.items[0], t->rail[0] = rest.items[1];
    q.most = 1e-3 * most, q.load = 1e3 * load;
    q.arena          = kl_arena_create();
    q.diag           = kl_diag_create();
    kl_status status = q.arena && q.diag ? profile(&q) : KL_E_MEMORY;
    kl_print_diag(q.diag, status == KL_OK ? NULL : "no results were printed");
    kl_diag_destroy(q.diag);
    kl_arena_destroy(q.arena);
    return kl_exit_code(status);
}

const kl_command kl_command_rail_profile = {
    .name      = "rail profile",
    .arguments = "WHEEL RAIL",
    .summary   = "wheel profile on rail profile: rolling radii, contact angles, conicity",
    .run       = run,
    .help      = "  klingel rail profile S1002 60E1 --inclination 1:40\n"
                 "  klingel rail profile worn.whl 60E1 --left-wheel worn-left.whl --conicity\n"
                 "  klingel rail profile worn.whl 60E1 --over S1002 --figures figures\n"
                 "\n"
                 "WHEEL is S1002, cone:1/20, cylinder, arc:RADIUS (hollow) or a file; RAIL is\n"
                 "60E1, UIC60, arc:RADIUS or a file. Files: two columns, Simpack (.prw, .prr),\n"
                 "MiniProf (.whl, .ban).\n"
                 "The lateral displacement y is positive to the right; a positive roll angle lifts\n"
                 "the right wheel.\n"};
