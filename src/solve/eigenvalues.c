#include "solve/eigenvalues.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "solve/mode_text.h"

/* Zero eigenvalues come in defective pairs (position and speed of a free motion): rounding splits
 * them by the root of its unit times the size of the matrix. */
static const double rounding_root = 3e-7;

/* Eigenvectors of the first-order form, by columns. */
typedef struct pencil {
    double *wr, *wi, *beta, *V, *A, *E;
} pencil;

static void by_columns(int n, const double *from, double *to)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            to[(size_t)j * (size_t)n + (size_t)i] = from[(size_t)i * (size_t)n + (size_t)j];
}

/* A <- E^-1 A where E can be inverted; false when not */
static bool divide_mass(int n, pencil *s)
{
    double *E  = malloc((size_t)n * (size_t)n * sizeof *E);
    double *A  = malloc((size_t)n * (size_t)n * sizeof *A);
    bool    ok = E && A;
    if (ok) {
        /* rows of unit size, so that pivots can be compared */
        for (int i = 0; i < n; i++) {
            double most = 0.0;
            for (int j = 0; j < n; j++)
                most = fmax(most, fabs(s->E[(size_t)j * (size_t)n + (size_t)i]));
            ok &= most > 0.0;
            for (int j = 0; ok && j < n; j++) {
                size_t k = (size_t)j * (size_t)n + (size_t)i;
                E[k]     = s->E[k] / most;
                A[k]     = s->A[k] / most;
            }
        }
        if (ok) ok = kl_dense_solve(n, n, E, A) == KL_OK;
        /* a singular mass shows as absurd entries */
        double least = INFINITY, largest = 0.0;
        for (int i = 0; ok && i < n; i++) {
            double d = fabs(E[(size_t)i * (size_t)n + (size_t)i]); /* diagonal of U */
            least    = fmin(least, d);
            largest  = fmax(largest, d);
        }
        ok = ok && least > 1e-12 * largest;
        if (ok) memcpy(s->A, A, (size_t)n * (size_t)n * sizeof *A);
    }
    free(E);
    free(A);
    return ok;
}

static kl_status solve(const kl_linear *l, pencil *s, bool shapes)
{
    int n = l->nx;
    by_columns(n, l->A, s->A);
    by_columns(n, l->E, s->E);
    for (int i = 0; i < n; i++) s->beta[i] = 1.0;
    if (divide_mass(n, s)) return kl_general_eigen(n, s->A, s->wr, s->wi, shapes ? s->V : NULL);
    return kl_pencil_eigen(n, s->A, s->E, s->wr, s->wi, s->beta, shapes ? s->V : NULL);
}

/* y = Z p of eigenvector columns (c, c + 1), scaled so that its largest entry is real and one. */
static void shape_of(const kl_model *m, const kl_linear *l, const pencil *s, int c, bool pair,
                     double sign, kl_eigenmode *mode)
{
    const double *re = s->V + (size_t)c * (size_t)l->nx, *im = re + l->nx;
    double        top_re = 1.0, top_im = 0.0, top = 0.0;
    for (int i = 0; i < m->nbody; i++)
        for (int k = 0; k < m->body[i].nv; k++) {
            int    row = m->body[i].v + k;
            double a = 0.0, b = 0.0, unit = m->unit[row];
            for (int j = 0; j < l->n; j++) {
                double z = l->Z[(size_t)row * (size_t)l->n + (size_t)j];
                a += z * re[j];
                if (pair) b += sign * z * im[j];
            }
            mode->shape[0][row] = a;
            mode->shape[1][row] = b;
            if (hypot(a, b) / unit > top)
                top = hypot(a, b) / unit, top_re = a / unit, top_im = b / unit;
        }
    double square = top_re * top_re + top_im * top_im;
    if (top == 0.0 || square == 0.0) return;
    for (int i = 0; i < m->nv; i++) { /* divided by the complex number at the top */
        double a = mode->shape[0][i], b = mode->shape[1][i];
        mode->shape[0][i] = (a * top_re + b * top_im) / square;
        mode->shape[1][i] = (b * top_re - a * top_im) / square;
    }
}

static int by_frequency(const void *p, const void *q)
{
    const kl_eigenmode *a = p, *b = q;
    double              fa = hypot(a->re, a->im), fb = hypot(b->re, b->im);
    if (fabs(fa - fb) > 1e-12 * (fa + fb)) return fa < fb ? -1 : 1;
    if (fabs(a->re - b->re) > 1e-9 * (fa + fb)) return a->re > b->re ? -1 : 1;
    return (a->im < b->im) - (a->im > b->im);
}

/* Do no forces act along eigenvector c (and c + 1, its imaginary part)? Of A x with x = (p, 0, z) each row is
 * compared with its largest entry: rounding leaves 1e-16 of it, while the lowest bending mode of a beam leaves
 * 1e-5, though its frequency may be 1e-7 of the beam's highest one. */
static bool is_rigid(const kl_linear *l, const pencil *s, int c, bool pair)
{
    const double rounding = 1e-10;
    for (int part = 0; part < (pair ? 2 : 1); part++) {
        const double *x    = s->V + (size_t)(c + part) * (size_t)l->nx;
        double        most = 0.0;
        for (int j = 0; j < l->nx; j++)
            if (j < l->n || j >= 2 * l->n) most = fmax(most, fabs(x[j]));
        for (int i = l->n; i < l->nx; i++) { /* the first rows only say that p' is the rate of p */
            const double *row = l->A + (size_t)i * (size_t)l->nx;
            double        sum = 0.0, scale = 0.0;
            for (int j = 0; j < l->nx; j++) {
                if (j >= l->n && j < 2 * l->n) continue;
                sum += row[j] * x[j];
                scale = fmax(scale, fabs(row[j]));
            }
            if (fabs(sum) > rounding * scale * most) return false;
        }
    }
    return true;
}

/* The largest eigenvalue, to which rounding errors refer [1/s]. */
static double size_of(const kl_linear *l, const pencil *s)
{
    double size = 0.0;
    for (int i = 0; i < l->nx; i++)
        if (fabs(s->beta[i]) > 1e-13)
            size = fmax(size, hypot(s->wr[i], s->wi[i]) / fabs(s->beta[i]));
    return size;
}

static bool near_zero(const pencil *s, int i, double size)
{
    return hypot(s->wr[i], s->wi[i]) <= rounding_root * size * fabs(s->beta[i]);
}

/* Eigenvectors are needed for shapes, and to tell a rigid body motion from a slow one. */
static kl_status solve_with_vectors(const kl_linear *l, pencil *s, bool shapes)
{
    bool any = false;
    KL_TRY(solve(l, s, shapes));
    double size = size_of(l, s);
    for (int i = 0; i < l->nx && !shapes; i++)
        any |= fabs(s->beta[i]) > 1e-13 && near_zero(s, i, size);
    return any ? solve(l, s, true) : KL_OK;
}

/* One mode of each finite eigenvalue. */
static void collect(const kl_solver *x, const kl_linear *l, const pencil *s, bool shapes,
                    kl_spectrum *modes, double *y, double *dx)
{
    const double    nothing = 1e-14; /* of the largest eigenvalue */
    const kl_model *m       = x->model;
    double          size    = size_of(l, s);
    for (int i = 0; i < l->nx; i++) {
        if (fabs(s->beta[i]) <= 1e-13) continue; /* infinite: no mass, no state */
        kl_eigenmode *mode = &modes->mode[modes->n++];
        mode->re           = s->wr[i] / s->beta[i];
        mode->im           = s->wi[i] / s->beta[i];
        double r           = hypot(mode->re, mode->im);
        bool   pair = s->wi[i] != 0.0, second = s->wi[i] < 0.0;
        /* values below the error of the eigenvalues count as zero */
        mode->neutral = r <= nothing * size ||
                        (near_zero(s, i, size) && is_rigid(l, s, second ? i - 1 : i, pair));
        if (mode->neutral)
            r = mode->re = mode->im = 0.0; /* else noise looks like a damping ratio of 1 */
        mode->frequency = r / (2.0 * KL_PI);
        mode->damping   = r > 0.0 ? -mode->re / r : 0.0;
        if (!mode->neutral && mode->re > 1e-9 * size) modes->unstable++;
        if (!shapes) continue;
        mode->shape[0] = kl_arena_array(modes->arena, double, m->nv + 1);
        mode->shape[1] = kl_arena_array(modes->arena, double, m->nv + 1);
        if (!kl_arena_ok(modes->arena)) return;
        shape_of(m, l, s, second ? i - 1 : i, pair, second ? -1.0 : 1.0, mode);
        mode->text = kl_mode_text(modes->arena, m, x->w, mode, y, dx);
    }
}

kl_status kl_spectrum_find(const kl_solver *x, const kl_linear *l, bool shapes, kl_diag *diag,
                           kl_spectrum **out)
{
    size_t       n = (size_t)l->nx, nv = (size_t)x->model->nv;
    kl_arena    *arena = kl_arena_create(), *scratch = kl_arena_create();
    kl_spectrum *modes = kl_arena_array(arena, kl_spectrum, 1);
    pencil       s     = {.wr   = kl_arena_array(scratch, double, n + 1),
                          .wi   = kl_arena_array(scratch, double, n + 1),
                          .beta = kl_arena_array(scratch, double, n + 1),
                          .V    = kl_arena_array(scratch, double, n *n + 1),
                          .A    = kl_arena_array(scratch, double, n *n + 1),
                          .E    = kl_arena_array(scratch, double, n *n + 1)};
    double      *y     = kl_arena_array(scratch, double, nv + 1),
           *dx         = kl_arena_array(scratch, double, nv + 1);
    kl_status status   = KL_E_MEMORY;
    *out               = NULL;
    if (modes && kl_arena_ok(scratch)) {
        modes->arena = arena;
        modes->mode  = kl_arena_array(arena, kl_eigenmode, n + 1);
        status       = modes->mode ? solve_with_vectors(l, &s, shapes) : KL_E_MEMORY;
        if (status == KL_OK) collect(x, l, &s, shapes, modes, y, dx);
        else if (status != KL_E_MEMORY)
            status =
                kl_fail(diag, status, KL_NOWHERE, "the eigenvalue computation did not converge");
        if (status == KL_OK && !kl_arena_ok(arena)) status = KL_E_MEMORY;
    }
    kl_arena_destroy(scratch);
    if (status != KL_OK) {
        kl_arena_destroy(arena);
        return status;
    }
    qsort(modes->mode, (size_t)modes->n, sizeof *modes->mode, by_frequency);
    *out = modes;
    return KL_OK;
}

void kl_spectrum_destroy(kl_spectrum *s)
{
    if (s) kl_arena_destroy(s->arena); /* the modes themselves live in it */
}
