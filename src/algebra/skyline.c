/* Factorization by rows, L D L' with the diagonal of D inverted in place of that of L
 * (Jennings 1966; Bathe, Finite Element Procedures, section 8.2.3). */
#include "algebra/skyline.h"

#include <math.h>
#include <string.h>

kl_skyline kl_skyline_create(kl_arena *arena, int n, const int *first)
{
    kl_skyline A = {
        .n = n, .first = kl_arena_array(arena, int, n), .start = kl_arena_array(arena, int, n)};
    if (!kl_arena_ok(arena)) return A;
    for (int i = 0; i < n; i++) {
        A.first[i] = first[i];
        A.start[i] = A.size - first[i];
        A.size += i - first[i] + 1;
    }
    A.value = kl_arena_array(arena, double, A.size);
    return A;
}

/* Rows i and i + 1 that begin in the same column are taken together: their sums do not wait for each
 * other, and each x is read once. */
static inline bool paired(const kl_skyline *A, int i)
{
    return i + 1 < A->n && A->first[i] == A->first[i + 1];
}

void kl_skyline_multiply(const kl_skyline *A, const double *x, double *y)
{
    for (int i = 0; i < A->n;) {
        bool          two = paired(A, i);
        const double *row = A->value + A->start[i], *next = A->value + A->start[i + two];
        double        xi = x[i], xn = two ? x[i + 1] : 0.0, sum = 0.0, sum_next = 0.0;
        for (int j = A->first[i]; j < i; j++) {
            sum += row[j] * x[j];
            sum_next += next[j] * x[j];
            y[j] += row[j] * xi + next[j] * xn;
        }
        y[i] += sum + row[i] * xi + (two ? next[i] * xn : 0.0);
        if (two) y[i + 1] += sum_next + next[i] * xi + next[i + 1] * xn;
        i += 1 + two;
    }
}

/* Row i of L times D, then L and D: the entries before j are finished when j is reached. */
static bool factor_row(kl_skyline *A, int i)
{
    double *row   = A->value + A->start[i];
    double  scale = fabs(row[i]);
    for (int j = A->first[i]; j < i; j++) {
        const double *other = A->value + A->start[j];
        int           from  = A->first[i] > A->first[j] ? A->first[i] : A->first[j];
        for (int k = from; k < j; k++) row[j] -= row[k] * other[k];
    }
    for (int j = A->first[i]; j < i; j++) {
        double scaled = row[j] * A->value[A->start[j] + j]; /* the diagonal holds 1/D */
        row[i] -= scaled * row[j];
        row[j] = scaled;
    }
    const double rounding = 1e-13;
    if (!(row[i] > rounding * scale)) return false;
    row[i] = 1.0 / row[i];
    return true;
}

kl_status kl_skyline_factor(kl_skyline *A, int *bad)
{
    for (int i = 0; i < A->n; i++)
        if (!factor_row(A, i)) {
            if (bad) *bad = i;
            return KL_E_SINGULAR;
        }
    return KL_OK;
}

static inline void forward(const kl_skyline *A, double *x, int i, int from)
{
    const double *row = A->value + A->start[i];
    double        sum = x[i];
    for (int j = A->first[i] > from ? A->first[i] : from; j < i; j++) sum -= row[j] * x[j];
    x[i] = sum;
}

static inline void backward(const kl_skyline *A, double *x, int i, int low)
{
    const double *row = A->value + A->start[i];
    double        xi  = x[i];
    for (int j = A->first[i] > low ? A->first[i] : low; j < i; j++) x[j] -= row[j] * xi;
}

/* Both rows of a pair, as `forward` and `backward` do one. */
static inline void forward_pair(const kl_skyline *A, double *x, int i)
{
    const double *row = A->value + A->start[i], *next = A->value + A->start[i + 1];
    double        sum = 0.0, sum_next = 0.0;
    for (int j = A->first[i]; j < i; j++) {
        sum += row[j] * x[j];
        sum_next += next[j] * x[j];
    }
    /* stored at once, as the next rows read them: a load that spans two stores has to wait */
    double pair[2] = {x[i] - sum, 0.0};
    pair[1]        = x[i + 1] - sum_next - next[i] * pair[0];
    memcpy(x + i, pair, sizeof pair);
}

static inline void backward_pair(const kl_skyline *A, double *x, int i)
{
    const double *row = A->value + A->start[i], *next = A->value + A->start[i + 1];
    double        xn = x[i + 1], xi = x[i] - next[i] * xn;
    x[i] = xi;
    for (int j = A->first[i]; j < i; j++) x[j] -= row[j] * xi + next[j] * xn;
}

void kl_skyline_solve(const kl_skyline *A, double *x)
{
    for (int i = 0; i < A->n;) {
        bool two = paired(A, i);
        if (two) forward_pair(A, x, i);
        else forward(A, x, i, 0);
        i += 1 + two;
    }
    for (int i = 0; i < A->n; i++) x[i] *= A->value[A->start[i] + i];
    for (int i = A->n - 1; i >= 0;) {
        bool two = i > 0 && paired(A, i - 1);
        if (two) backward_pair(A, x, i - 1);
        else backward(A, x, i, 0);
        i -= 1 + two;
    }
}

/* Largest entry of row i's part of the band, from column `low` on. */
static double largest_of_row(const kl_skyline *A, const double *x, int i, int low)
{
    double most = 0.0;
    for (int j = A->first[i] > low ? A->first[i] : low; j <= i; j++) {
        double size = fabs(x[j]);
        if (size > most) most = size;
    }
    return most;
}

void kl_skyline_solve_window(const kl_skyline *A, double *x, kl_window w, int *from, int *to)
{
    int    end = *to, high = w.high < A->n ? w.high : A->n;
    double largest = 0.0, recent = HUGE_VAL;
    /* forwards until a whole band of entries is negligible: nothing behind it can be larger */
    for (int i = *from; i < high && (i < *to || recent > w.share * largest); i++) {
        forward(A, x, i, *from);
        if (fabs(x[i]) > largest) largest = fabs(x[i]);
        end    = i + 1;
        recent = largest_of_row(A, x, i, *from);
    }
    for (int i = *from; i < end; i++) x[i] *= A->value[A->start[i] + i];
    int begin = *from;
    largest = 0.0, recent = HUGE_VAL;
    /* backwards: each row spreads to the columns in front of it */
    for (int i = end - 1; i >= w.low; i--) {
        if (fabs(x[i]) > largest) largest = fabs(x[i]);
        backward(A, x, i, w.low);
        if (A->first[i] < begin) begin = A->first[i];
        if (i > *from || largest_of_row(A, x, i, w.low) > w.share * largest) continue;
        for (int j = begin > w.low ? begin : w.low; j < i; j++) x[j] = 0.0;
        begin = i;
        break;
    }
    *from = begin > w.low ? begin : w.low;
    *to   = end;
}
