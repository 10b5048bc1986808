#include "catenary/line_modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/lanczos.h"
#include "base/vec.h"

/* The eigenproblem in the unknowns that are not held. */
typedef struct problem {
    const kl_line *line;
    kl_arena      *arena;
    int           *number; /* ndof: among the free unknowns, -1: held */
    int            nfree;
    double        *x, *Cx; /* ndof */
    double        *value, *vector;
    kl_symmetric   K, M;
    kl_factor     *factor;
} problem;

/* Lower triangle of the free part of a matrix with the line's profile. */
static kl_status free_part(const problem *p, const kl_skyline *A, kl_symmetric *out)
{
    int     most = A->size, n = 0;
    int    *row = malloc((size_t)most * sizeof *row), *column = malloc((size_t)most * sizeof *row);
    double *value    = malloc((size_t)most * sizeof *value);
    kl_status status = row && column && value ? KL_OK : KL_E_MEMORY;
    for (int i = 0; i < A->n && status == KL_OK; i++)
        for (int j = A->first[i]; j <= i; j++) {
            double a = *kl_skyline_at(A, i, j);
            if (p->number[i] < 0 || p->number[j] < 0 || (a == 0.0 && i != j)) continue;
            row[n] = p->number[i], column[n] = p->number[j], value[n++] = a;
        }
    if (status == KL_OK) status = kl_symmetric_from_triplets(out, p->nfree, n, row, column, value);
    free(row), free(column), free(value);
    return status;
}

/* K holds every dropper as taut; those that are slack at rest do nothing here. */
static kl_status stiffness_at_rest(const problem *p, kl_symmetric *out)
{
    const kl_line *line  = p->line;
    kl_skyline     K     = kl_skyline_create(p->arena, line->ndof, line->first);
    bool          *slack = kl_arena_array(p->arena, bool, line->ndropper + 1);
    if (!kl_arena_ok(p->arena)) return KL_E_MEMORY;
    for (int i = 0; i < line->ndropper; i++) slack[i] = line->dropper[i].rest < 0.0;
    kl_line_add_stiffness(
        line, (kl_stiffness_parts){.springs = true, .droppers = true, .slack = slack}, &K);
    return free_part(p, &K, out);
}

static kl_status open_problem(const kl_line *line, int n, problem *p, kl_diag *diag)
{
    *p        = (problem){.line = line, .arena = kl_arena_create()};
    p->number = kl_arena_array(p->arena, int, line->ndof);
    p->x      = kl_arena_array(p->arena, double, line->ndof);
    p->Cx     = kl_arena_array(p->arena, double, line->ndof);
    if (!kl_arena_ok(p->arena)) return KL_E_MEMORY;
    for (int i = 0; i < line->ndof; i++) p->number[i] = line->fixed[i] ? -1 : p->nfree++;
    if (n > p->nfree / 2)
        return kl_fail(diag, KL_E_RANGE, line->design->place,
                       "catenary '%s': %d modes are requested, but its mesh resolves only %d; "
                       "request fewer, or give shorter elements with `element`",
                       line->design->name, n, p->nfree / 2);
    p->value  = kl_arena_array(p->arena, double, n);
    p->vector = kl_arena_array(p->arena, double, (size_t)n *(size_t)p->nfree);
    if (!kl_arena_ok(p->arena)) return KL_E_MEMORY;
    KL_TRY(stiffness_at_rest(p, &p->K));
    KL_TRY(free_part(p, &line->M, &p->M));
    return kl_factor_create(&p->factor, &p->K, true, diag);
}

static void close_problem(problem *p)
{
    kl_factor_destroy(p->factor);
    kl_symmetric_free(&p->K), kl_symmetric_free(&p->M);
    kl_arena_destroy(p->arena);
}

/* Where the shape x (ndof) is largest. */
static void find_largest(const kl_line *line, const double *x, kl_line_mode *mode)
{
    double most = 0.0;
    for (int w = 0; w < line->nwire; w++)
        for (int i = 0; i < line->wire[w].n; i++)
            for (int k = 0; k < line->per; k += 2) {
                double size = fabs(x[line->wire[w].dof[i] + k]);
                if (size <= most) continue;
                most    = size;
                mode->x = line->wire[w].x[i], mode->wire = line->wire[w].kind;
                mode->lateral = k == 2;
            }
}

static void describe(problem *p, int k, kl_line_mode *mode, double *shape)
{
    const kl_line *line  = p->line;
    double         omega = sqrt(p->value[k]), c = 0.0;
    for (int i = 0; i < line->ndof; i++)
        p->x[i] =
            p->number[i] < 0 ? 0.0 : p->vector[(size_t)k * (size_t)p->nfree + (size_t)p->number[i]];
    memset(p->Cx, 0, (size_t)line->ndof * sizeof *p->Cx);
    kl_skyline_multiply(&line->C, p->x, p->Cx);
    for (int i = 0; i < line->ndof; i++) c += p->x[i] * p->Cx[i];
    *mode = (kl_line_mode){.frequency = omega / (2.0 * KL_PI), .damping = c / (2.0 * omega)};
    find_largest(line, p->x, mode);
    if (shape) memcpy(shape, p->x, (size_t)line->ndof * sizeof *shape);
}

kl_status kl_line_modes(const kl_line *line, int n, kl_line_mode *mode, double *shape,
                        kl_diag *diag)
{
    problem    p;
    kl_lanczos l      = {.nev = n, .tolerance = 1e-10};
    int        found  = 0;
    kl_status  status = open_problem(line, n, &p, diag);
    if (status == KL_OK)
        status = kl_lanczos_solve(&l, &p.M, p.factor, p.value, p.vector, &found, diag);
    for (int k = 0; k < n && status == KL_OK; k++)
        describe(&p, k, &mode[k], shape ? shape + (size_t)k * (size_t)line->ndof : NULL);
    close_problem(&p);
    return status;
}
