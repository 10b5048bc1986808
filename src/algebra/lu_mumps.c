#include "algebra/lu_mumps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/mumps.h"
#include "algebra/order.h"

/* One of the two: for symmetric values, for any. */
typedef struct half {
    kl_elimination *mumps;
    int            *row, *column; /* from 1 */
    int            *from;         /* value of the pattern that each entry takes; NULL: in order */
    double         *value;
    int64_t         n;
} half;

struct kl_fronts {
    const kl_pattern *p;
    int              *order;  /* position of each unknown, from 1; NULL: AMD */
    int              *mirror; /* of each value the one across the diagonal */
    half              symmetric, general;
    half             *last; /* that holds the factors */
};

/* ---- order: nested dissection of groups of unknowns with the same neighbours ---- */

static bool same_column(const kl_pattern *p, int j)
{
    int here = p->start[j + 1] - p->start[j], before = p->start[j] - p->start[j - 1];
    return here == before &&
           memcmp(p->row + p->start[j], p->row + p->start[j - 1], (size_t)here * sizeof(int)) == 0;
}

static int find_groups(const kl_pattern *p, int *group)
{
    int count = 0;
    for (int j = 0; j < p->n; j++) {
        if (j == 0 || !same_column(p, j)) count++;
        group[j] = count - 1;
    }
    return count;
}

/* edges below the diagonal, from 1; counts only while row is NULL */
static int64_t group_edges(const kl_pattern *p, const int *group, int *row, int *column)
{
    int64_t count = 0;
    for (int j = 0; j < p->n; j++) {
        int last = group[j];
        if (j > 0 && group[j] == group[j - 1]) continue;
        for (int i = p->start[j]; i < p->start[j + 1]; i++) {
            int g = group[p->row[i]];
            if (g <= last) continue;
            last = g;
            if (row) row[count] = g + 1, column[count] = group[j] + 1;
            count++;
        }
    }
    return count;
}

static void find_order(kl_fronts *f)
{
    const kl_pattern *p     = f->p;
    size_t            n     = (size_t)p->n;
    int              *group = malloc(n * sizeof(int)), *position = malloc(n * sizeof(int));
    int              *first = malloc((n + 1) * sizeof(int)), *order = malloc(n * sizeof(int));
    bool              good = group && position && first && order;
    if (good) {
        int     ngroup = find_groups(p, group);
        int64_t nedge  = group_edges(p, group, NULL, NULL);
        int    *row    = malloc((size_t)(nedge + 1) * sizeof(int));
        int    *column = malloc((size_t)(nedge + 1) * sizeof(int));
        if (row && column) group_edges(p, group, row, column);
        good = row && column && kl_order_dissect(ngroup, nedge, row, column, position);
        if (good) kl_order_spread(p->n, ngroup, group, position, first, order);
        free(row), free(column);
    }
    if (good) f->order = order;
    else free(order);
    free(group), free(position), free(first);
}

/* ---- making ---- */

static int *find_mirror(const kl_pattern *p)
{
    int *mirror = malloc((size_t)(p->nnz + 1) * sizeof(int));
    for (int j = 0; mirror && j < p->n; j++)
        for (int i = p->start[j]; i < p->start[j + 1]; i++) {
            mirror[i] = kl_pattern_slot(p, j, p->row[i]);
            if (mirror[i] < 0) { /* never symmetric */
                free(mirror);
                return NULL;
            }
        }
    return mirror;
}

kl_fronts *kl_fronts_create(const kl_pattern *p)
{
    kl_fronts *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->p      = p;
    f->mirror = find_mirror(p);
    find_order(f);
    return f;
}

static void close_half(half *h)
{
    kl_elimination_close(h->mumps);
    free(h->row), free(h->column), free(h->from), free(h->value);
}

void kl_fronts_destroy(kl_fronts *f)
{
    if (!f) return;
    close_half(&f->symmetric);
    close_half(&f->general);
    free(f->order), free(f->mirror);
    free(f);
}

static bool list_entries(const kl_pattern *p, bool lower, half *h)
{
    size_t most = (size_t)p->nnz + 1;
    h->row = malloc(most * sizeof(int)), h->column = malloc(most * sizeof(int));
    h->from = malloc(most * sizeof(int)), h->value = malloc(most * sizeof(double));
    if (!h->row || !h->column || !h->from || !h->value) return false;
    for (int j = 0; j < p->n; j++)
        for (int i = p->start[j]; i < p->start[j + 1]; i++) {
            if (lower && p->row[i] < j) continue;
            h->row[h->n] = p->row[i] + 1, h->column[h->n] = j + 1, h->from[h->n++] = i;
        }
    return true;
}

static kl_status open_half(kl_fronts *f, half *h, bool symmetric)
{
    if (!list_entries(f->p, symmetric, h)) return KL_E_MEMORY;
    kl_elimination_matrix A = {.symmetric = symmetric,
                               .n         = f->p->n,
                               .nnz       = h->n,
                               .row       = h->row,
                               .column    = h->column,
                               .value     = h->value,
                               .order     = f->order};
    return kl_elimination_open(&h->mumps, &A);
}

/* ---- use ---- */

static bool is_symmetric(const kl_fronts *f, const double *values)
{
    double most = 0.0, off = 0.0;
    if (!f->mirror) return false;
    for (int i = 0; i < f->p->nnz; i++) {
        most = fmax(most, fabs(values[i]));
        off  = fmax(off, fabs(values[i] - values[f->mirror[i]]));
    }
    return off <= 1e-12 * most;
}

kl_status kl_fronts_factor(kl_fronts *f, const double *values)
{
    bool  symmetric = is_symmetric(f, values);
    half *h         = symmetric ? &f->symmetric : &f->general;
    if (!h->mumps) KL_TRY(open_half(f, h, symmetric));
    for (int64_t i = 0; i < h->n; i++) h->value[i] = values[h->from[i]];
    f->last = NULL;
    KL_TRY(kl_elimination_factor(h->mumps));
    f->last = h;
    return KL_OK;
}

kl_status kl_fronts_solve(kl_fronts *f, double *x)
{
    if (!f->last) return KL_E_SINGULAR;
    return kl_elimination_solve(f->last->mumps, x);
}
