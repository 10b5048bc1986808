/* klingel rail conicity: equivalent conicity from tables of the rolling radius difference. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cases.h"
#include "cli/rail.h"
#include "railway/conicity.h"
#include "terminal/options.h"

typedef struct request {
    const char *file;
    double      step; /* of the amplitude [m] */
    kl_arena   *arena;
    kl_diag    *diag;
    kl_cases    c;
    int         group, y, dr; /* columns; group -1: none */
} request;

static bool same_group(const request *q, int a, int b)
{
    if (q->group < 0) return true;
    const kl_cases *c = &q->c;
    return strcmp(c->cell[a * c->ncolumn + q->group], c->cell[b * c->ncolumn + q->group]) == 0;
}

/* Rows first .. last - 1 as one function delta_r(y). */
static kl_status read_function(const request *q, int first, int last, kl_delta_r *f)
{
    int     n = last - first;
    double *y = kl_arena_array(q->arena, double, n), *dr = kl_arena_array(q->arena, double, n);
    if (!kl_arena_ok(q->arena)) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) {
        KL_TRY(kl_cases_number(&q->c, first + i, q->y, q->diag, &y[i]));
        KL_TRY(kl_cases_number(&q->c, first + i, q->dr, q->diag, &dr[i]));
        y[i] *= 1e-3, dr[i] *= 1e-3;
        if (i > 0 && !(y[i] > y[i - 1]))
            return kl_fail(q->diag, KL_E_RANGE,
                           (kl_place){q->c.file, q->c.line[first + i], q->y + 1},
                           "y_mm must increase from row to row; sort the rows");
    }
    if (n < 3)
        return kl_fail(q->diag, KL_E_RANGE, (kl_place){q->c.file, q->c.line[first], 1},
                       "delta_r needs at least three rows");
    if (y[0] < 0.0) return kl_delta_r_init(y, dr, n, q->arena, f);
    /* only y >= 0 is listed: the function is odd */
    if (y[0] > 0.0)
        return kl_fail(
            q->diag, KL_E_RANGE, (kl_place){q->c.file, q->c.line[first], q->y + 1},
            "y_mm must begin at 0 (the table is then extended as an odd function) or below 0");
    double *yy = kl_arena_array(q->arena, double, 2 * n),
           *dd = kl_arena_array(q->arena, double, 2 * n);
    if (!kl_arena_ok(q->arena)) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) {
        yy[n - 1 + i] = y[i], dd[n - 1 + i] = dr[i];
        yy[n - 1 - i] = -y[i], dd[n - 1 - i] = i == 0 ? dr[0] : -dr[i];
    }
    return kl_delta_r_init(yy, dd, 2 * n - 1, q->arena, f);
}

static void print_function(const request *q, int row, const kl_delta_r *f)
{
    double most = kl_conicity_most(f);
    for (int k = 1; q->step * k <= most + 1e-9; k++) {
        double w = kl_conicity_wavelength(f, q->step * k), h = kl_conicity_harmonic(f, q->step * k);
        if (!isfinite(w) || !isfinite(h)) continue;
        if (q->group >= 0) printf("%s,", q->c.cell[row * q->c.ncolumn + q->group]);
        printf("%.6g,%.4f,%.4f\n", 1e3 * q->step * k, w, h);
    }
}

static kl_status conicity(request *q)
{
    KL_TRY(kl_cases_read(q->file, q->arena, q->diag, &q->c));
    q->group = kl_cases_find(&q->c, "case");
    q->y     = kl_cases_find(&q->c, "y_mm");
    q->dr    = kl_cases_find(&q->c, "delta_r_mm");
    if (q->y < 0 || q->dr < 0)
        return kl_fail(
            q->diag, KL_E_FILE, (kl_place){q->file, 1, 1},
            "columns are missing: give y_mm and delta_r_mm, and `case` if there are several");
    printf("%samplitude_mm,tan_gamma_e_wavelength_method,tan_gamma_e_harmonic\n",
           q->group >= 0 ? "case," : "");
    for (int first = 0, last; first < q->c.nrow; first = last) {
        kl_delta_r f;
        for (last = first + 1; last < q->c.nrow && same_group(q, first, last);) last++;
        KL_TRY(read_function(q, first, last, &f));
        print_function(q, first, &f);
    }
    return KL_OK;
}

static int run(int argc, char **argv)
{
    request         q         = {0};
    double          step      = 0.1;
    const kl_option options[] = {
        {"step", 0, "MM", KL_OPTION_NUMBER, &step, "step of the amplitude [mm] (default 0.1)"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_rail_conicity, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n != 1 || !(step > 0.0))
        return kl_usage_error(&kl_command_rail_conicity,
                              rest.n != 1 ? "give one table of the rolling radius difference"
                                          : "--step must be positive");
    q.file = rest.items[0], q.step = 1e-3 * step;
    q.arena          = kl_arena_create();
    q.diag           = kl_diag_create();
    kl_status status = q.arena && q.diag ? conicity(&q) : KL_E_MEMORY;
    kl_print_diag(q.diag, status == KL_OK ? NULL : "the table was not evaluated");
    kl_diag_destroy(q.diag);
    kl_arena_destroy(q.arena);
    return kl_exit_code(status);
}

const kl_command kl_command_rail_conicity = {
    .name      = "rail conicity",
    .arguments = "DELTA_R.csv",
    .summary   = "equivalent conicity from a rolling radius difference (EN 15302)",
    .run       = run,
    .help      = "columns of DELTA_R.csv: y_mm (lateral displacement, increasing) and delta_r_mm\n"
                 "(right minus left radius); `case` separates several tables. A table that begins at y "
                 "= 0 is\n"
                 "extended as an odd function. The wavelength method integrates the equation of motion "
                 "as in EN 15302;\n"
                 "the harmonic one fits a cone over a sinusoidal motion. Amplitudes beyond the\n"
                 "table are omitted.\n"};
