/* Sparse symmetric matrices, their factor and eigenpairs: laws on small grids with known answers.
 */
#include "algebra/symmetric.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/arpack.h"
#include "algebra/dense.h"
#include "algebra/lanczos.h"
#include "algebra/mumps.h"
#include "unit/test.h"

static const double pi = 3.14159265358979323846;

/* second differences on a line of n points with fixed ends: eigenvalues 2 - 2 cos(k pi / (n+1)) */
static void line(kl_symmetric *A, int n)
{
    int     nnz = 2 * n - 1, k = 0;
    int    *row = malloc((size_t)nnz * sizeof(int)), *column = malloc((size_t)nnz * sizeof(int));
    double *value = malloc((size_t)nnz * sizeof(double));
    for (int i = n - 1; i >= 0; i--) {
        row[k] = column[k] = i, value[k++] = 2;
        if (i > 0)
            row[k] = i - (i % 2), column[k] = i - 1 + (i % 2),
            value[k++] = -1; /* either triangle */
    }
    assert_int_equal(kl_symmetric_from_triplets(A, n, nnz, row, column, value), KL_OK);
    free(row);
    free(column);
    free(value);
}

static void unit_matrix(kl_symmetric *A, int n)
{
    assert_int_equal(kl_symmetric_from_triplets(A, n, 0, NULL, NULL, NULL), KL_OK);
    for (int i = 0; i < n; i++) A->value[A->start[i]] = 1;
}

static void entries_given_twice_are_added(void **unused)
{
    (void)unused;
    const int    row[5] = {2, 0, 2, 1, 2}, column[5] = {0, 2, 2, 1, 2};
    const double value[5] = {1, 2, 3, 4, 5};
    kl_symmetric A;
    assert_int_equal(kl_symmetric_from_triplets(&A, 3, 5, row, column, value), KL_OK);
    assert_close(A.value[kl_symmetric_find(&A, 0, 2)], 3, 0);
    assert_close(A.value[kl_symmetric_find(&A, 2, 2)], 8, 0);
    assert_int_equal(kl_symmetric_find(&A, 0, 1), -1);
    assert_close(A.value[A.start[0]], 0, 0); /* the diagonal is always there */
    kl_symmetric_free(&A);
    assert_int_equal(kl_symmetric_from_full(&A, 3, 5, row, column, value), KL_OK);
    assert_close(A.value[kl_symmetric_find(&A, 0, 2)], 1, 0); /* the upper triangle is dropped */
    kl_symmetric_free(&A);
    assert_int_equal(kl_symmetric_from_triplets(&A, 2, 5, row, column, value), KL_E_RANGE);
}

static void many_columns_are_as_one_by_one(void **unused)
{
    (void)unused;
    enum { N = 57, K = 11 };
    kl_symmetric A;
    line(&A, N);
    static double X[N * K], Y[N * K], y[N];
    for (int i = 0; i < N * K; i++) X[i] = sin(0.7 * i);
    kl_symmetric_multiply(&A, K, X, Y);
    for (int k = 0; k < K; k++) {
        kl_symmetric_multiply(&A, 1, X + k * N, y);
        for (int i = 0; i < N; i++) assert_close(y[i], Y[k * N + i], 1e-14);
    }
    kl_symmetric_free(&A);
}

static void a_factor_solves_and_a_singular_matrix_is_refused(void **unused)
{
    (void)unused;
    const int sizes[3] = {3, 150, 5000}; /* the last is ordered by groups */
    for (int s = 0; s < 3; s++) {
        int          n = sizes[s];
        kl_symmetric A;
        kl_factor   *f;
        kl_diag     *d = kl_diag_create();
        line(&A, n);
        double *x = malloc(3 * (size_t)n * sizeof(double)),
               *b = malloc(3 * (size_t)n * sizeof(double));
        for (int i = 0; i < 3 * n; i++) x[i] = cos(0.3 * i);
        kl_symmetric_multiply(&A, 3, x, b);
        for (int definite = 0; definite < 2; definite++) {
            double *y = malloc(3 * (size_t)n * sizeof(double));
            memcpy(y, b, 3 * (size_t)n * sizeof(double));
            assert_int_equal(kl_factor_create(&f, &A, definite, d), KL_OK);
            assert_int_equal(kl_factor_solve(f, 3, y, d), KL_OK);
            for (int i = 0; i < 3 * n; i++) assert_close(x[i], y[i], 1e-14 * n * n + 1e-12);
            kl_factor_destroy(f);
            free(y);
        }
        /* without its ends the line is free, and definite no more */
        A.value[A.start[0]] = A.value[A.start[n - 1]] = 1 - 1e-9;
        assert_int_equal(kl_factor_create(&f, &A, true, d), KL_E_SINGULAR);
        assert_null(f);
        assert_true(kl_diag_failed(d));
        free(x);
        free(b);
        kl_symmetric_free(&A);
        kl_diag_destroy(d);
    }
}

static kl_status solve(void *context, double *x) { return kl_factor_solve(context, 1, x, NULL); }

static void both_eigensolvers_find_the_known_values(void **unused)
{
    (void)unused;
    enum { N = 200, NEV = 30 };
    kl_symmetric A, M;
    kl_factor   *f;
    kl_diag     *d = kl_diag_create();
    line(&A, N);
    unit_matrix(&M, N);
    assert_int_equal(kl_factor_create(&f, &A, true, d), KL_OK);
    static double w[NEV], X[N * NEV], v[NEV], Y[N * NEV];
    int           found;
    kl_lanczos    l = {.nev = NEV, .tolerance = 1e-10};
    assert_int_equal(kl_lanczos_solve(&l, &M, f, w, X, &found, d), KL_OK);
    assert_int_equal(found, NEV);
    assert_int_equal(kl_arpack_shift_invert(&M, 0, NEV, 1e-12, solve, f, v, Y, d), KL_OK);
    for (int k = 0; k < NEV; k++) {
        double exact = 2 - 2 * cos((k + 1) * pi / (N + 1));
        assert_close(w[k] / exact, 1, 1e-10);
        assert_close(v[k] / exact, 1, 1e-10);
        for (int j = 0; j <= k; j++) assert_close(kl_vdot(N, X + k * N, X + j * N), j == k, 1e-10);
    }
    /* a small basis forces restarts and gives the same */
    kl_lanczos small = {.nev = NEV, .tolerance = 1e-10, .block = 2, .basis = 36};
    assert_int_equal(kl_lanczos_solve(&small, &M, f, v, Y, &found, d), KL_OK);
    for (int k = 0; k < NEV; k++) assert_close(v[k] / w[k], 1, 1e-9);
    /* staying away from known vectors gives the next ones */
    kl_lanczos next = {.nev = 4, .tolerance = 1e-10, .ndeflate = 10, .deflate = X};
    assert_int_equal(kl_lanczos_solve(&next, &M, f, v, Y, &found, d), KL_OK);
    for (int k = 0; k < 4; k++) assert_close(v[k] / w[10 + k], 1, 1e-9);
    kl_factor_destroy(f);
    kl_symmetric_free(&A);
    kl_symmetric_free(&M);
    kl_diag_destroy(d);
}

/* all of a tiny problem, and one whose mass has rank two */
static void small_and_degenerate_problems_end(void **unused)
{
    (void)unused;
    kl_symmetric A, M;
    kl_factor   *f;
    kl_diag     *d = kl_diag_create();
    line(&A, 6);
    unit_matrix(&M, 6);
    assert_int_equal(kl_factor_create(&f, &A, true, d), KL_OK);
    double     w[6], X[36];
    int        found;
    kl_lanczos l = {.nev = 6, .tolerance = 1e-10};
    assert_int_equal(kl_lanczos_solve(&l, &M, f, w, X, &found, d), KL_OK);
    assert_int_equal(found, 6);
    for (int k = 0; k < 6; k++) assert_close(w[k] / (2 - 2 * cos((k + 1) * pi / 7)), 1, 1e-10);
    for (int i = 2; i < 6; i++) M.value[M.start[i]] = 0;
    assert_int_equal(kl_lanczos_solve(&l, &M, f, w, X, &found, d), KL_OK);
    assert_int_equal(found, 2);
    kl_factor_destroy(f);
    kl_symmetric_free(&A);
    kl_symmetric_free(&M);
    kl_diag_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_given_twice_are_added),
        cmocka_unit_test(many_columns_are_as_one_by_one),
        cmocka_unit_test(a_factor_solves_and_a_singular_matrix_is_refused),
        cmocka_unit_test(both_eigensolvers_find_the_known_values),
        cmocka_unit_test(small_and_degenerate_problems_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
