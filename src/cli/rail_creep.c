/* klingel rail creep: creep forces for a list of patches and creepages, by any law. */
#include <math.h>
#include <string.h>

#include "cli/cases.h"
#include "cli/rail.h"
#include "railway/creep_table.h"
#include "railway/half_space.h"
#include "terminal/options.h"

/* Two ways to write a case. */
enum { RATIO, UX, UY, UPHI, NFREE };
static const char *const free_columns[] = {"a_over_b", "ux", "uy", "uphi"};
enum { A_MM, B_MM, LOAD, FRICTION, SHEAR, POISSON, XI, ETA, PHI, NFULL };
static const char *const full_columns[] = {"a_mm", "b_mm", "N_N", "mu",         "G_Pa",
                                           "nu",   "xi",   "eta", "phi_1_per_m"};
static const char *const results[]      = {"Fx_over_muN", "Fy_over_muN", "Mz_over_muNc"};

static const double SCALE_FREE_POISSON = 0.28;

typedef struct request {
    const char         *file;
    const kl_creep_law *law;
    kl_creep_options    options;
    kl_arena           *arena;
    kl_diag            *diag;
} request;

/* True when all `names` are columns. */
static bool has_all(const kl_cases *c, const char *const *names, int n, int *index)
{
    bool all = true;
    for (int i = 0; i < n; i++) {
        index[i] = kl_cases_find(c, names[i]);
        all      = all && index[i] >= 0;
    }
    return all;
}

static kl_status free_case(const request *q, const kl_cases *c, int row, const int *index,
                           kl_creep_input *in)
{
    double v[NFREE];
    KL_TRY(kl_cases_numbers(c, row, index, NFREE, q->diag, v));
    if (!(v[RATIO] > 0.0 && isfinite(v[RATIO])))
        return kl_fail(q->diag, KL_E_RANGE, (kl_place){c->file, c->line[row], index[RATIO] + 1},
                       "a_over_b must be positive");
    *in = (kl_creep_input){
        v[RATIO], {v[UX], v[UY], v[UPHI]}, kl_kalker_of(v[RATIO], SCALE_FREE_POISSON)};
    return KL_OK;
}

static kl_status full_case(const request *q, const kl_cases *c, int row, const int *index,
                           kl_creep_input *in)
{
    double v[NFULL];
    KL_TRY(kl_cases_numbers(c, row, index, NFULL, q->diag, v));
    bool good = v[A_MM] > 0.0 && v[B_MM] > 0.0 && v[LOAD] > 0.0 && v[FRICTION] > 0.0 &&
                v[SHEAR] > 0.0 && v[POISSON] >= 0.0 && v[POISSON] <= 0.5;
    if (!good)
        return kl_fail(q->diag, KL_E_RANGE, (kl_place){c->file, c->line[row], 1},
                       "a_mm, b_mm, N_N, mu and G_Pa must be positive, nu between 0 and 0.5");
    double a = 1e-3 * v[A_MM], b = 1e-3 * v[B_MM];
    double unit = v[SHEAR] * a * b / (v[FRICTION] * v[LOAD]);
    *in         = (kl_creep_input){a / b,
                                   {unit * v[XI], unit * v[ETA], unit * sqrt(a * b) * v[PHI]},
                                   kl_kalker_of(a / b, v[POISSON])};
    return KL_OK;
}

static kl_status creep(const request *q)
{
    kl_cases  c;
    int       index[NFULL];
    kl_status status = KL_OK;
    KL_TRY(kl_cases_read(q->file, q->arena, q->diag, &c));
    bool scale_free = has_all(&c, free_columns, NFREE, index);
    if (!scale_free && !has_all(&c, full_columns, NFULL, index))
        return kl_fail(q->diag, KL_E_FILE, (kl_place){c.file, 1, 1},
                       "columns are missing: give a_over_b, ux, uy, uphi, or a_mm, b_mm, N_N, mu, "
                       "G_Pa, nu, xi, eta, phi_1_per_m");
    double *out = kl_arena_array(q->arena, double, (size_t)c.nrow * 3 + 1);
    if (!out) return KL_E_MEMORY;
    for (int row = 0; row < c.nrow; row++) {
        kl_creep_input  in;
        kl_creep_output force;
        kl_status       one = (scale_free ? free_case : full_case)(q, &c, row, index, &in);
        if (one != KL_OK) {
            status = one;
            continue;
        }
        q->law->force(&q->options, &in, &force);
        /* rounding noise is zero */
        for (int k = 0; k < 3; k++) out[3 * row + k] = fabs(force.f[k]) < 1e-12 ? 0.0 : force.f[k];
    }
    if (status == KL_OK) kl_cases_print(stdout, &c, results, 3, out, 7);
    return status;
}

static int unknown_law(const char *name)
{
    const char *names[32] = {0};
    char        all[300]  = "";
    for (int i = 0, n = 0; kl_creep_laws[i].name && i < 31; i++) {
        names[i] = kl_creep_laws[i].name;
        n += snprintf(all + n, sizeof all - (size_t)n, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = kl_nearest(name, names);
    if (near)
        return kl_usage_error(&kl_command_rail_creep, "there is no law '%s'; did you mean '%s'?",
                              name, near);
    return kl_usage_error(&kl_command_rail_creep, "there is no law '%s'; laws are %s", name, all);
}

static int run(int argc, char **argv)
{
    request         q    = {.options = kl_creep_defaults()};
    const char     *name = "fastsim";
    int             grid = 400; /* a converged FASTSIM: a tool for figures, not for the time loop */
    const kl_option options[] = {
        {"law", 'l', "LAW", KL_OPTION_TEXT, &name,
         "linear, heuristic, polach, fastsim (default), table or half-space (exact, slow)"},
        {"grid", 0, "N", KL_OPTION_COUNT, &grid,
         "strips and cells per strip of fastsim (default 400)"},
        {"kA", 0, "K", KL_OPTION_NUMBER, &q.options.kA,
         "polach: reduction factor in the adhesion area (default 1)"},
        {"kS", 0, "K", KL_OPTION_NUMBER, &q.options.kS,
         "polach: reduction factor in the slip area (default 1)"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_rail_creep, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n != 1) return kl_usage_error(&kl_command_rail_creep, "give one file of cases");
    q.file = rest.items[0];
    q.law =
        strcmp(name, kl_half_space_law.name) == 0 ? &kl_half_space_law : kl_creep_law_find(name);
    if (!q.law) return unknown_law(name);
    q.options.strips = q.options.cells = grid;
    q.arena                            = kl_arena_create();
    q.diag                             = kl_diag_create();
    kl_status status                   = q.arena && q.diag ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK && q.law->force == kl_creep_by_table) {
        q.options.table = kl_creep_table_create(q.arena);
        if (!q.options.table) status = KL_E_MEMORY;
    }
    if (status == KL_OK) status = creep(&q);
    kl_print_diag(q.diag, status == KL_OK ? NULL : "no results were printed");
    kl_diag_destroy(q.diag);
    kl_arena_destroy(q.arena);
    return kl_exit_code(status);
}

const kl_command kl_command_rail_creep = {
    .name      = "rail creep",
    .arguments = "CASES.csv",
    .summary   = "creep forces of rolling contact by a chosen law",
    .run       = run,
    .help      = "columns of CASES.csv, scale-free (Poisson's ratio 0.28):\n"
                 "  a_over_b, ux, uy, uphi   ux = G a b xi/(mu N), uphi = G (a b)^1.5 phi/(mu N)\n"
                 "or a_mm, b_mm, N_N, mu, G_Pa, nu, xi, eta, phi_1_per_m\n"
                 "x is the rolling direction; a creepage is wheel minus rail; the force acts on the\n"
                 "wheel, so a positive creepage gives a negative force. Further columns are passed\n"
                 "through. Appended: Fx_over_muN, Fy_over_muN, Mz_over_muNc with c = sqrt(a b)\n"};
