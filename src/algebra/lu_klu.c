/* The only file that knows SuiteSparse KLU, and the choice between KLU and MUMPS: KLU's analysis shows how
 * much work a factorisation is. */
#include "algebra/lu.h"

#include <klu.h>
#include <math.h>
#include <stdlib.h>

#include "algebra/lu_mumps.h"

struct kl_lu {
    const kl_pattern *p;
    klu_common        common;
    klu_symbolic     *symbolic;
    klu_numeric      *numeric;
    int               pivotings;
    double            condition;
    kl_fronts        *fronts; /* of a large matrix, instead of the above */
};

/* Work of a factorisation [flops] beyond which dense fronts pay (bench/bench_fronts). KLU does
 * about 1e9 a second, number by number. */
static const double MUCH_WORK = 3e8;

kl_lu *kl_lu_create(const kl_pattern *p)
{
    kl_lu *lu = calloc(1, sizeof *lu);
    if (!lu) return NULL;
    lu->p = p;
    klu_defaults(&lu->common);
    lu->common.scale = -1;  /* the caller scales */
    lu->common.btf   = 0;   /* saddle matrices are one block */
    lu->common.tol   = 0.1; /* prefer the diagonal unless it is ten times smaller than its column */
    lu->symbolic     = klu_analyze(p->n, p->start, p->row, &lu->common);
    if (!lu->symbolic) {
        free(lu);
        return NULL;
    }
    if (lu->symbolic->est_flops > MUCH_WORK) lu->fronts = kl_fronts_create(p);
    return lu;
}

void kl_lu_destroy(kl_lu *lu)
{
    if (!lu) return;
    klu_free_numeric(&lu->numeric, &lu->common);
    klu_free_symbolic(&lu->symbolic, &lu->common);
    kl_fronts_destroy(lu->fronts);
    free(lu);
}

void kl_lu_invalidate(kl_lu *lu)
{
    if (lu->numeric) klu_free_numeric(&lu->numeric, &lu->common);
}

/* KLU takes non-const arrays but only reads them. */
static kl_status factor_anew(kl_lu *lu, double *values)
{
    kl_lu_invalidate(lu);
    lu->numeric = klu_factor(lu->p->start, lu->p->row, values, lu->symbolic, &lu->common);
    lu->pivotings++;
    if (!lu->numeric) return lu->common.status == KLU_OUT_OF_MEMORY ? KL_E_MEMORY : KL_E_SINGULAR;
    return KL_OK;
}

static kl_status factor_fronts(kl_lu *lu, const double *values)
{
    lu->condition = 1.0; /* not known */
    lu->pivotings++;
    return kl_fronts_factor(lu->fronts, values);
}

kl_status kl_lu_factor(kl_lu *lu, const double *values)
{
    if (lu->fronts) return factor_fronts(lu, values);
    union {
        const double *in;
        double       *out;
    } same = {.in = values};

    /* pivots that shrank this much against the largest mean lost digits: choose new ones */
    const double worn = 1e-13;
    if (lu->numeric &&
        klu_refactor(lu->p->start, lu->p->row, same.out, lu->symbolic, lu->numeric, &lu->common)) {
        klu_rcond(lu->symbolic, lu->numeric, &lu->common);
        lu->condition = lu->common.rcond;
        if (isfinite(lu->condition) && lu->condition > worn) return KL_OK;
    }
    kl_status status = factor_anew(lu, same.out);
    if (status != KL_OK) return status;
    klu_rcond(lu->symbolic, lu->numeric, &lu->common);
    lu->condition = lu->common.rcond;
    return isfinite(lu->condition) && lu->condition > 0.0 ? KL_OK : KL_E_SINGULAR;
}

static kl_status solve(const kl_lu *lu, double *x, int columns)
{
    klu_common common = lu->common; /* klu_solve writes its status: keep ours const */
    int        n      = lu->p->n;
    for (int c = 0; lu->fronts && c < columns; c++) KL_TRY(kl_fronts_solve(lu->fronts, x + c * n));
    if (lu->fronts) return KL_OK;
    if (!lu->numeric) return KL_E_SINGULAR;
    return klu_solve(lu->symbolic, lu->numeric, n, columns, x, &common) ? KL_OK : KL_E_SINGULAR;
}

kl_status kl_lu_solve(const kl_lu *lu, double *x) { return solve(lu, x, 1); }
kl_status kl_lu_solve_two(const kl_lu *lu, double *x) { return solve(lu, x, 2); }

int kl_lu_bad_column(const kl_lu *lu)
{
    int k = lu->fronts ? -1 : lu->common.singular_col;
    return k >= 0 && k < lu->p->n ? k : -1;
}

int    kl_lu_pivotings(const kl_lu *lu) { return lu->pivotings; }
double kl_lu_condition(const kl_lu *lu) { return lu->condition; }
double kl_lu_work(const kl_lu *lu) { return lu->symbolic->est_flops; }
