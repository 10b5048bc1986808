/* Sparse symmetric matrices: building by two counting sorts, products. */
#include "algebra/symmetric.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void kl_symmetric_free(kl_symmetric *A)
{
    free(A->start);
    free(A->row);
    free(A->value);
    *A = (kl_symmetric){0};
}

static kl_status take(kl_symmetric *A, int n, int64_t nnz)
{
    *A       = (kl_symmetric){n, NULL, NULL, NULL};
    A->start = calloc((size_t)n + 1, sizeof(int64_t));
    A->row   = malloc((size_t)(nnz > 0 ? nnz : 1) * sizeof(int));
    A->value = malloc((size_t)(nnz > 0 ? nnz : 1) * sizeof(double));
    if (A->start && A->row && A->value) return KL_OK;
    kl_symmetric_free(A);
    return KL_E_MEMORY;
}

kl_status kl_symmetric_copy(kl_symmetric *to, const kl_symmetric *from)
{
    int64_t nnz = kl_symmetric_nnz(from);
    KL_TRY(take(to, from->n, nnz));
    memcpy(to->start, from->start, ((size_t)from->n + 1) * sizeof(int64_t));
    memcpy(to->row, from->row, (size_t)nnz * sizeof(int));
    memcpy(to->value, from->value, (size_t)nnz * sizeof(double));
    return KL_OK;
}

/* Two counting sorts (by row, then by column) leave the rows of each column ascending. The diagonal
 * is put in with value zero first, so it is always there. */
static kl_status build(kl_symmetric *A, int n, int64_t nnz, const int *row, const int *column,
                       const double *value, bool drop_upper)
{
    for (int64_t k = 0; k < nnz; k++)
        if (row[k] < 0 || row[k] >= n || column[k] < 0 || column[k] >= n) return KL_E_RANGE;
    int64_t   total  = nnz + n;
    int64_t  *count  = calloc((size_t)n + 1, sizeof(int64_t));
    int      *by_col = malloc((size_t)total * sizeof(int));
    double   *by_val = malloc((size_t)total * sizeof(double));
    int      *by_row = malloc((size_t)total * sizeof(int));
    kl_status status = count && by_col && by_val && by_row ? take(A, n, total) : KL_E_MEMORY;
    if (status != KL_OK) goto done;

    /* sort by row; entries of the other triangle are mirrored or dropped */
    for (int i = 0; i < n; i++) count[i + 1]++;
    for (int64_t k = 0; k < nnz; k++) {
        if (drop_upper && row[k] < column[k]) continue;
        count[(row[k] > column[k] ? row[k] : column[k]) + 1]++;
    }
    for (int i = 0; i < n; i++) count[i + 1] += count[i];
    int64_t used = count[n];
    for (int i = 0; i < n; i++) {
        int64_t p = count[i]++;
        by_row[p] = by_col[p] = i;
        by_val[p]             = 0.0;
    }
    for (int64_t k = 0; k < nnz; k++) {
        if (drop_upper && row[k] < column[k]) continue;
        int i     = row[k] > column[k] ? row[k] : column[k],
            j     = row[k] > column[k] ? column[k] : row[k];
        int64_t p = count[i]++;
        by_row[p] = i, by_col[p] = j, by_val[p] = value[k];
    }

    /* sort by column, stable, adding neighbours of the same place */
    memset(count, 0, ((size_t)n + 1) * sizeof(int64_t));
    for (int64_t p = 0; p < used; p++) count[by_col[p] + 1]++;
    for (int i = 0; i < n; i++) count[i + 1] += count[i];
    for (int64_t p = 0; p < used; p++) {
        int64_t q = count[by_col[p]]++;
        A->row[q] = by_row[p], A->value[q] = by_val[p];
    }
    int64_t kept = 0, q = 0;
    for (int j = 0; j < n; j++) {
        A->start[j] = kept;
        for (; q < count[j]; q++) {
            if (kept > A->start[j] && A->row[kept - 1] == A->row[q])
                A->value[kept - 1] += A->value[q];
            else A->row[kept] = A->row[q], A->value[kept] = A->value[q], kept++;
        }
    }
    A->start[n] = kept;
done:
    free(count);
    free(by_col);
    free(by_val);
    free(by_row);
    return status;
}

kl_status kl_symmetric_from_triplets(kl_symmetric *A, int n, int64_t nnz, const int *row,
                                     const int *column, const double *value)
{
    return build(A, n, nnz, row, column, value, false);
}

kl_status kl_symmetric_from_full(kl_symmetric *A, int n, int64_t nnz, const int *row,
                                 const int *column, const double *value)
{
    return build(A, n, nnz, row, column, value, true);
}

/* one column of X */
static void multiply_one(const kl_symmetric *A, const double *x, double *y)
{
    memset(y, 0, (size_t)A->n * sizeof(double));
    for (int j = 0; j < A->n; j++) {
        int64_t p  = A->start[j];
        double  xj = x[j], sum = A->value[p] * xj;
        for (p++; p < A->start[j + 1]; p++) {
            int i = A->row[p];
            y[i] += A->value[p] * xj;
            sum += A->value[p] * x[i];
        }
        y[j] += sum;
    }
}

/* Eight columns at once, stored row by row: each entry of the matrix is read once and meets eight
 * neighbouring numbers, where column by column the product would wait for memory. */
enum { TOGETHER = 8 };

static inline __attribute__((always_inline)) void
rows_product(const kl_symmetric *A, const double *restrict X, double *restrict Y)
{
    memset(Y, 0, TOGETHER * (size_t)A->n * sizeof(double));
    for (int j = 0; j < A->n; j++) {
        int64_t       p  = A->start[j];
        const double *xj = X + TOGETHER * (size_t)j;
        double        d  = A->value[p], sum[TOGETHER], own[TOGETHER];
        for (int c = 0; c < TOGETHER; c++) own[c] = xj[c], sum[c] = d * own[c];
        for (p++; p < A->start[j + 1]; p++) {
            double        v = A->value[p];
            const double *x = X + TOGETHER * (size_t)A->row[p];
            double       *y = Y + TOGETHER * (size_t)A->row[p];
            for (int c = 0; c < TOGETHER; c++) y[c] += v * own[c], sum[c] += v * x[c];
        }
        double *y = Y + TOGETHER * (size_t)j;
        for (int c = 0; c < TOGETHER; c++) y[c] += sum[c];
    }
}

/* The same code for processors with wide registers, asked at run time: the program is built for
 * any processor of its kind. */
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void
rows_product_wide(const kl_symmetric *A, const double *restrict X, double *restrict Y)
{
    rows_product(A, X, Y);
}

static void multiply_rows(const kl_symmetric *A, const double *X, double *Y)
{
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) rows_product_wide(A, X, Y);
    else rows_product(A, X, Y);
}
#else
static void multiply_rows(const kl_symmetric *A, const double *X, double *Y)
{
    rows_product(A, X, Y);
}
#endif

/* columns to rows and back, by tiles that stay in the cache; k <= TOGETHER columns */
enum { TILE = 64 };

static void pack(size_t n, int k, const double *restrict X, double *restrict rows)
{
    if (k < TOGETHER) memset(rows, 0, TOGETHER * n * sizeof(double));
    for (size_t from = 0; from < n; from += TILE) {
        size_t to = n - from < TILE ? n : from + TILE;
        for (int c = 0; c < k; c++) {
            const double *x = X + (size_t)c * n;
            for (size_t i = from; i < to; i++) rows[TOGETHER * i + (size_t)c] = x[i];
        }
    }
}

static void unpack(size_t n, int k, const double *restrict rows, double *restrict X)
{
    for (size_t from = 0; from < n; from += TILE) {
        size_t to = n - from < TILE ? n : from + TILE;
        for (int c = 0; c < k; c++) {
            double *x = X + (size_t)c * n;
            for (size_t i = from; i < to; i++) x[i] = rows[TOGETHER * i + (size_t)c];
        }
    }
}

/* k <= TOGETHER columns through the row-wise scratch of 2 x TOGETHER x n */
static void multiply_some(const kl_symmetric *A, int k, const double *X, double *Y, double *scratch)
{
    size_t  n = (size_t)A->n;
    double *x = scratch, *y = scratch + TOGETHER * n;
    pack(n, k, X, x);
    multiply_rows(A, x, y);
    unpack(n, k, y, Y);
}

void kl_symmetric_multiply(const kl_symmetric *A, int k, const double *X, double *Y)
{
    size_t  n       = (size_t)A->n;
    double *scratch = k >= 3 ? malloc(2 * TOGETHER * n * sizeof(double)) : NULL;
    for (int c = 0; c < k; c += scratch ? TOGETHER : 1) {
        size_t from = (size_t)c * n;
        if (scratch)
            multiply_some(A, k - c < TOGETHER ? k - c : TOGETHER, X + from, Y + from, scratch);
        else multiply_one(A, X + from, Y + from);
    }
    free(scratch);
}

int64_t kl_symmetric_find(const kl_symmetric *A, int i, int j)
{
    int     row = i > j ? i : j, column = i > j ? j : i;
    int64_t lo = A->start[column], hi = A->start[column + 1] - 1;
    while (lo <= hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (A->row[mid] == row) return mid;
        if (A->row[mid] < row) lo = mid + 1;
        else hi = mid - 1;
    }
    return -1;
}

double kl_symmetric_norm(const kl_symmetric *A)
{
    double *sum = calloc((size_t)A->n + 1, sizeof(double));
    if (!sum) return INFINITY;
    for (int j = 0; j < A->n; j++)
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
            sum[j] += fabs(A->value[p]);
            if (A->row[p] != j) sum[A->row[p]] += fabs(A->value[p]);
        }
    double largest = 0.0;
    for (int j = 0; j < A->n; j++) largest = fmax(largest, sum[j]);
    free(sum);
    return largest;
}
