/* Elimination without pivoting: the matrices of splines are diagonally dominant or positive
 * definite. A closed system keeps its first block as a border. */
#include "geometry/block_tridiagonal.h"

#include <string.h>

bool kl_blocks_create(kl_blocks *s, int n, int b, kl_arena *scratch)
{
    s->n = n, s->b = b;
    s->lower = kl_arena_array(scratch, double, n *b *b);
    s->diag  = kl_arena_array(scratch, double, n *b *b);
    s->upper = kl_arena_array(scratch, double, n *b *b);
    s->rhs   = kl_arena_array(scratch, double, n *b);
    return kl_arena_ok(scratch);
}

/* D^-1 for b <= 2. */
static void block_inverse(int b, const double *D, double *inv)
{
    if (b == 1) {
        inv[0] = 1.0 / D[0];
        return;
    }
    double det = D[0] * D[3] - D[1] * D[2];
    inv[0] = D[3] / det, inv[1] = -D[1] / det, inv[2] = -D[2] / det, inv[3] = D[0] / det;
}

/* C (b x k) -= A (b x b) B (b x k) */
static void block_subtract(int b, int k, const double *A, const double *B, double *C)
{
    for (int i = 0; i < b; i++)
        for (int j = 0; j < k; j++)
            for (int l = 0; l < b; l++) C[i * k + j] -= A[i * b + l] * B[l * k + j];
}

/* X (b x k) <- A (b x b) X */
static void block_apply(int b, int k, const double *A, double *X)
{
    double Y[8] = {0};
    for (int i = 0; i < b; i++)
        for (int j = 0; j < k; j++)
            for (int l = 0; l < b; l++) Y[i * k + j] += A[i * b + l] * X[l * k + j];
    memcpy(X, Y, sizeof(double) * (size_t)(b * k));
}

/* Solves rows first..n-1 for k right sides in X, (n - first) blocks of b x k. Overwrites diag and
 * upper of those rows. */
static void blocks_sweep(kl_blocks *s, int first, int k, double *X)
{
    int    b  = s->b;
    size_t bb = (size_t)(b * b), bk = (size_t)(b * k);
    double inv[4];
    for (int i = first; i < s->n; i++) {
        double *D = s->diag + (size_t)i * bb, *U = s->upper + (size_t)i * bb;
        double *x = X + (size_t)(i - first) * bk;
        if (i > first) {
            const double *L = s->lower + (size_t)i * bb;
            block_subtract(b, b, L, U - bb, D);
            block_subtract(b, k, L, x - bk, x);
        }
        block_inverse(b, D, inv);
        block_apply(b, k, inv, x);
        block_apply(b, b, inv, U);
    }
    for (int i = s->n - 2; i >= first; i--) {
        double *x = X + (size_t)(i - first) * bk;
        block_subtract(b, k, s->upper + (size_t)i * bb, x + bk, x);
    }
}

/* The closed system: rows 1..n-1 are solved for the right side and for the columns of the first
 * block; the first row then gives that block. */
static bool blocks_solve_closed(kl_blocks *s, kl_arena *scratch)
{
    int     n = s->n, b = s->b, k = 1 + b;
    size_t  bb = (size_t)(b * b), bk = (size_t)(b * k);
    double *X = kl_arena_array(scratch, double, (n - 1) * b * k);
    if (!X) return false;
    for (int i = 1; i < n; i++)
        for (int r = 0; r < b; r++) X[(size_t)(i - 1) * bk + (size_t)(r * k)] = s->rhs[i * b + r];
    double *top = X, *bottom = X + (size_t)(n - 2) * bk;
    for (int r = 0; r < b; r++)
        for (int c = 0; c < b; c++) {
            top[r * k + 1 + c] += s->lower[bb + (size_t)(r * b + c)];
            bottom[r * k + 1 + c] += s->upper[(size_t)(n - 1) * bb + (size_t)(r * b + c)];
        }
    blocks_sweep(s, 1, k, X);

    /* first row: (D0 - U0 E_top - L0 E_bottom) y = rhs0 - U0 X_top - L0 X_bottom */
    const double *U = s->upper, *L = s->lower;
    double        D[4] = {0}, y[2] = {0}, inv[4];
    memcpy(D, s->diag, bb * sizeof *D);
    for (int r = 0; r < b; r++) {
        y[r] = s->rhs[r];
        for (int l = 0; l < b; l++) {
            y[r] -= U[r * b + l] * top[l * k] + L[r * b + l] * bottom[l * k];
            for (int c = 0; c < b; c++)
                D[r * b + c] -=
                    U[r * b + l] * top[l * k + 1 + c] + L[r * b + l] * bottom[l * k + 1 + c];
        }
    }
    block_inverse(b, D, inv);
    block_apply(b, 1, inv, y);
    memcpy(s->rhs, y, (size_t)b * sizeof *y);
    for (int i = 1; i < n; i++)
        for (int r = 0; r < b; r++) {
            const double *x   = X + (size_t)(i - 1) * bk + (size_t)(r * k);
            s->rhs[i * b + r] = x[0];
            for (int c = 0; c < b; c++) s->rhs[i * b + r] -= x[1 + c] * y[c];
        }
    return true;
}

bool kl_blocks_solve(kl_blocks *s, bool closed, kl_arena *scratch)
{
    if (closed) return blocks_solve_closed(s, scratch);
    blocks_sweep(s, 0, 1, s->rhs);
    return true;
}
