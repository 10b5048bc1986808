/* klingel rail hertz: contact ellipses for a list of curvatures and loads. */
#include <math.h>

#include "cli/cases.h"
#include "cli/rail.h"
#include "railway/hertz.h"
#include "terminal/options.h"

enum { ROLLING, WHEEL, RAIL, LOAD, YOUNG, POISSON, NINPUT };
static const char *const inputs[] = {
    "R_wheel_rolling_m", "R_wheel_transverse_m", "R_rail_transverse_m", "N_N", "E_Pa", "nu"};
static const char *const results[] = {"Ax_1_per_m", "By_1_per_m", "a_x_mm",
                                      "b_y_mm",     "delta_um",   "p0_MPa"};
enum { NRESULT = sizeof results / sizeof *results };

static kl_status columns(const kl_cases *c, int *index, kl_diag *diag)
{
    kl_status status = KL_OK;
    for (int i = 0; i < NINPUT; i++) {
        index[i] = kl_cases_find(c, inputs[i]);
        if (index[i] < 0 && i <= LOAD)
            status = kl_fail(diag, KL_E_FILE, (kl_place){c->file, 1, 1},
                             "there is no column `%s`; needed are R_wheel_rolling_m, "
                             "R_wheel_transverse_m, R_rail_transverse_m and N_N",
                             inputs[i]);
    }
    return status;
}

static kl_status solve(const kl_cases *c, int row, const double *in, kl_diag *diag, double *out)
{
    kl_place place = {c->file, c->line[row], 1};
    /* Gap between the undeformed surfaces z = Ax x^2 + By y^2; the rail is straight along x. */
    double Ax = 0.5 / in[ROLLING], By = 0.5 * (1.0 / in[WHEEL] + 1.0 / in[RAIL]);
    if (!(in[LOAD] >= 0.0) || !(in[YOUNG] > 0.0) || !(fabs(in[POISSON]) <= 0.5))
        return kl_fail(diag, KL_E_RANGE, place,
                       "N_N must not be negative, E_Pa must be positive and nu at most 0.5");
    if (!(Ax > 0.0 && By > 0.0))
        return kl_fail(
            diag, KL_E_RANGE, place,
            "the curvatures Ax = %g 1/m and By = %g 1/m must both be positive; a concave radius is "
            "negative and its absolute value must exceed the convex radius",
            Ax, By);
    kl_elastic_pair steel = kl_elastic_same(in[YOUNG], in[POISSON]);
    kl_hertz        h     = kl_hertz_of(Ax, By, steel.E);
    double          depth = kl_hertz_depth(&h, in[LOAD]);
    /* Semi-axes grow with the root of the approach; largest pressure p0 = 3 N/(2 pi a b). */
    double a = h.a1 * sqrt(depth), b = h.b1 * sqrt(depth);
    out[0] = Ax, out[1] = By, out[2] = 1e3 * a, out[3] = 1e3 * b, out[4] = 1e6 * depth;
    out[5] = in[LOAD] > 0.0 ? 1e-6 * 1.5 * in[LOAD] / (3.14159265358979323846 * a * b) : 0.0;
    return KL_OK;
}

static kl_status hertz(const char *file, kl_arena *arena, kl_diag *diag)
{
    kl_cases c;
    int      index[NINPUT];
    KL_TRY(kl_cases_read(file, arena, diag, &c));
    KL_TRY(columns(&c, index, diag));
    double *out = kl_arena_array(arena, double, (size_t)c.nrow *NRESULT + 1);
    if (!out) return KL_E_MEMORY;
    kl_status status = KL_OK;
    for (int row = 0; row < c.nrow; row++) {
        double    in[NINPUT] = {[YOUNG] = 2.1e11, [POISSON] = 0.28};
        kl_status one        = kl_cases_numbers(&c, row, index, NINPUT, diag, in);
        if (one == KL_OK) one = solve(&c, row, in, diag, out + (size_t)row * NRESULT);
        if (one != KL_OK) status = one;
    }
    if (status == KL_OK) kl_cases_print(stdout, &c, results, NRESULT, out, 7);
    return status;
}

static int run(int argc, char **argv)
{
    const kl_option options[] = {{0}};
    kl_arguments    rest;
    int             code = kl_options_parse(&kl_command_rail_hertz, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n != 1) return kl_usage_error(&kl_command_rail_hertz, "give one file of cases");
    kl_arena *arena  = kl_arena_create();
    kl_diag  *diag   = kl_diag_create();
    kl_status status = arena && diag ? hertz(rest.items[0], arena, diag) : KL_E_MEMORY;
    kl_print_diag(diag, status == KL_OK ? NULL : "no results were printed");
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
    return kl_exit_code(status);
}

const kl_command kl_command_rail_hertz = {
    .name      = "rail hertz",
    .arguments = "CASES.csv",
    .summary   = "contact ellipses after Hertz: semi-axes, approach, largest pressure",
    .run       = run,
    .help =
        "columns of CASES.csv: R_wheel_rolling_m, R_wheel_transverse_m, R_rail_transverse_m, N_N\n"
        "and, if the material is not steel (210 GPa, 0.28), E_Pa and nu. A radius may be `inf`;\n"
        "a concave radius is negative. Further columns are passed through.\n"
        "Appended: Ax_1_per_m, By_1_per_m, a_x_mm (along the rail), b_y_mm, delta_um, p0_MPa\n"};
