#include "algebra/rank.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Rows that touch some groups. The columns of `values` are those of the groups, in order. */
typedef struct block {
    int     nrow, n;
    int    *group;
    double *values; /* row-major; freed when eliminated */
    bool    used;
} block;

/* What elimination leaves of a group: pivots first, then its free columns, then its neighbours. */
typedef struct front {
    int     npivot, ncol; /* rows kept; columns of all groups in it */
    int     n;
    int    *group;  /* groups in it, the eliminated one first */
    int    *order;  /* of the group's own columns after pivoting */
    double *values; /* npivot x ncol */
} front;

struct kl_rank {
    kl_arena *arena;
    int       ngroup, ncol, rank, nfree;
    int      *size, *first; /* of each group: columns, first column */
    block    *blocks;
    int       nblock, block_cap;
    int     **of;           /* of each group: blocks that touch it */
    int      *nof, *of_cap; /* counts */
    int   *degree, *mark;   /* columns of the front the group would make; stamp of the last visit */
    int   *sequence;        /* groups in the order of elimination */
    front *fronts;          /* by group */
    int   *free_column;
    int    stamp;
    double least; /* smallest pivot that counted */
};

kl_rank *kl_rank_create(int ngroup, const int *size)
{
    kl_arena *a = kl_arena_create();
    kl_rank  *r = kl_arena_array(a, kl_rank, 1);
    if (!r) {
        kl_arena_destroy(a);
        return NULL;
    }
    r->arena    = a;
    r->ngroup   = ngroup;
    r->size     = kl_arena_array(a, int, ngroup + 1);
    r->first    = kl_arena_array(a, int, ngroup + 1);
    r->of       = kl_arena_array(a, int *, ngroup + 1);
    r->nof      = kl_arena_array(a, int, ngroup + 1);
    r->of_cap   = kl_arena_array(a, int, ngroup + 1);
    r->degree   = kl_arena_array(a, int, ngroup + 1);
    r->mark     = kl_arena_array(a, int, ngroup + 1);
    r->sequence = kl_arena_array(a, int, ngroup + 1);
    r->fronts   = kl_arena_array(a, front, ngroup + 1);
    if (!kl_arena_ok(a)) {
        kl_arena_destroy(a);
        return NULL;
    }
    for (int g = 0; g < ngroup; g++) {
        r->size[g]  = size[g];
        r->first[g] = r->ncol;
        r->ncol += size[g];
    }
    r->free_column = kl_arena_array(a, int, r->ncol + 1);
    return r;
}

void kl_rank_destroy(kl_rank *r)
{
    if (!r) return;
    for (int i = 0; i < r->nblock; i++) free(r->blocks[i].values);
    for (int i = 0; i < r->ngroup; i++) free(r->fronts[i].values);
    kl_arena_destroy(r->arena); /* the object itself lives in it */
}

static int width_of(const kl_rank *r, int n, const int *group)
{
    int width = 0;
    for (int i = 0; i < n; i++) width += r->size[group[i]];
    return width;
}

/* Takes `values` over. */
static kl_status add_block(kl_rank *r, int nrow, int n, const int *group, double *values)
{
    void  *list = r->blocks;
    block *b    = kl_arena_grow(r->arena, &list, r->nblock, &r->block_cap, sizeof *b);
    r->blocks   = list;
    int *copy   = kl_arena_array(r->arena, int, n + 1);
    if (!b || !copy || !values) {
        free(values);
        return KL_E_MEMORY;
    }
    memcpy(copy, group, (size_t)n * sizeof *copy);
    *b = (block){.nrow = nrow, .n = n, .group = copy, .values = values};
    for (int i = 0; i < n; i++) {
        int   g    = group[i];
        void *mine = r->of[g];
        int  *slot = kl_arena_grow(r->arena, &mine, r->nof[g], &r->of_cap[g], sizeof *slot);
        r->of[g]   = mine;
        if (slot) *slot = r->nblock, r->nof[g]++;
    }
    r->nblock++;
    return kl_arena_ok(r->arena) ? KL_OK : KL_E_MEMORY;
}

void kl_rank_add(kl_rank *r, int nrow, int n, const int *group, const double *values)
{
    size_t bytes = (size_t)nrow * (size_t)width_of(r, n, group) * sizeof(double);
    if (bytes == 0) return;
    double *copy = malloc(bytes);
    if (copy) memcpy(copy, values, bytes);
    (void)add_block(r, nrow, n, group, copy); /* a failed arena stays failed */
    if (!copy) (void)kl_arena_take(r->arena, SIZE_MAX);
}

/* Groups of the front that `g` would make, g first; returns their count. `list` NULL: only the
 * columns are counted, into *width. */
static int gather(kl_rank *r, int g, int *list, int *width)
{
    int n      = 1;
    *width     = r->size[g];
    r->mark[g] = ++r->stamp;
    if (list) list[0] = g;
    for (int i = 0; i < r->nof[g]; i++) {
        const block *b = &r->blocks[r->of[g][i]];
        for (int k = 0; !b->used && k < b->n; k++) {
            int other = b->group[k];
            if (r->mark[other] == r->stamp) continue;
            r->mark[other] = r->stamp;
            *width += r->size[other];
            if (list) list[n] = other;
            n++;
        }
    }
    return n;
}

/* One Householder reflection that clears column c below row k; rows from k, columns from c on. */
static void reflect(double *F, int nrow, int ncol, int k, int c)
{
    double sum = 0.0;
    for (int i = k; i < nrow; i++)
        sum += F[(size_t)i * (size_t)ncol + (size_t)c] * F[(size_t)i * (size_t)ncol + (size_t)c];
    double *pivot = F + (size_t)k * (size_t)ncol + c, norm = sqrt(sum);
    if (norm == 0.0) return;
    double alpha = *pivot > 0.0 ? -norm : norm, head = *pivot - alpha;
    double beta = -1.0 / (alpha * head); /* 2 / u'u with u = (head, rest of the column) */
    for (int j = c + 1; j < ncol; j++) {
        double dot = head * F[(size_t)k * (size_t)ncol + (size_t)j];
        for (int i = k + 1; i < nrow; i++)
            dot +=
                F[(size_t)i * (size_t)ncol + (size_t)c] * F[(size_t)i * (size_t)ncol + (size_t)j];
        dot *= beta;
        F[(size_t)k * (size_t)ncol + (size_t)j] -= dot * head;
        for (int i = k + 1; i < nrow; i++)
            F[(size_t)i * (size_t)ncol + (size_t)j] -=
                dot * F[(size_t)i * (size_t)ncol + (size_t)c];
    }
    *pivot = alpha;
    for (int i = k + 1; i < nrow; i++) F[(size_t)i * (size_t)ncol + (size_t)c] = 0.0;
}

/* Largest of the columns k .. own-1, measured from row k on. */
static int best_column(const double *F, int nrow, int ncol, int k, int own, double *norm)
{
    int best = k;
    *norm    = -1.0;
    for (int j = k; j < own; j++) {
        double sum = 0.0;
        for (int i = k; i < nrow; i++)
            sum +=
                F[(size_t)i * (size_t)ncol + (size_t)j] * F[(size_t)i * (size_t)ncol + (size_t)j];
        if (sum > *norm) *norm = sum, best = j;
    }
    *norm = sqrt(*norm);
    return best;
}

static void swap_columns(double *F, int nrow, int ncol, int a, int b)
{
    for (int i = 0; a != b && i < nrow; i++) {
        double *row = F + (size_t)i * (size_t)ncol, kept = row[a];
        row[a] = row[b];
        row[b] = kept;
    }
}

/* Pivots among the first `own` columns; order says where each column came from. Returns the count.
 */
static int pivot_columns(double *F, int nrow, int ncol, int own, int *order, double tolerance,
                         double *least)
{
    int k = 0;
    for (int j = 0; j < own; j++) order[j] = j;
    for (; k < own && k < nrow; k++) {
        double norm;
        int    j = best_column(F, nrow, ncol, k, own, &norm);
        if (!(norm > tolerance)) break;
        *least = fmin(*least, norm);
        swap_columns(F, nrow, ncol, k, j);
        int kept = order[k];
        order[k] = order[j];
        order[j] = kept;
        reflect(F, nrow, ncol, k, k);
    }
    return k;
}

/* All blocks of group g on top of each other, their columns sorted into those of the front. */
static double *stack(kl_rank *r, int g, const front *f, int *where, int *nrow)
{
    int at = 0;
    for (int i = 0; i < f->n; i++) where[f->group[i]] = at, at += r->size[f->group[i]];
    *nrow = 0;
    for (int i = 0; i < r->nof[g]; i++) {
        const block *b = &r->blocks[r->of[g][i]];
        if (!b->used) *nrow += b->nrow;
    }
    double *F = calloc((size_t)*nrow * (size_t)f->ncol + 1, sizeof *F);
    if (!F) return NULL;
    double *row = F;
    for (int i = 0; i < r->nof[g]; i++) {
        block *b = &r->blocks[r->of[g][i]];
        if (b->used) continue;
        const double *from = b->values;
        for (int k = 0; k < b->nrow; k++, row += f->ncol)
            for (int j = 0; j < b->n; j++) {
                size_t bytes = (size_t)r->size[b->group[j]] * sizeof(double);
                memcpy(row + where[b->group[j]], from, bytes);
                from += r->size[b->group[j]];
            }
        b->used = true;
        free(b->values);
        b->values = NULL;
    }
    return F;
}

/* What is left below the pivots becomes a block of the neighbours, with no more rows than columns.
 */
static kl_status pass_on(kl_rank *r, const front *f, int own, double *F, int nrow)
{
    int rest = f->ncol - own, left = nrow - f->npivot;
    if (rest == 0 || left == 0) return KL_OK;
    double *low = F + (size_t)f->npivot * (size_t)f->ncol;
    if (left > rest)
        for (int k = 0; k < rest; k++) reflect(low, left, f->ncol, k, own + k);
    int     keep   = left < rest ? left : rest;
    double *values = malloc((size_t)keep * (size_t)rest * sizeof *values);
    for (int i = 0; values && i < keep; i++)
        memcpy(values + (size_t)i * (size_t)rest, low + (size_t)i * (size_t)f->ncol + own,
               (size_t)rest * sizeof *values);
    return add_block(r, keep, f->n - 1, f->group + 1, values);
}

static kl_status eliminate_group(kl_rank *r, int g, int *where, double tolerance)
{
    front *f = &r->fronts[g];
    f->n     = gather(r, g, NULL, &f->ncol);
    f->group = kl_arena_array(r->arena, int, f->n);
    f->order = kl_arena_array(r->arena, int, r->size[g] + 1);
    if (!f->group || !f->order) return KL_E_MEMORY;
    (void)gather(r, g, f->group, &f->ncol);
    int     nrow;
    double *F = stack(r, g, f, where, &nrow);
    if (!F) return KL_E_MEMORY;

    int own   = r->size[g];
    f->npivot = pivot_columns(F, nrow, f->ncol, own, f->order, tolerance, &r->least);
    r->rank += f->npivot;
    for (int k = f->npivot; k < own; k++) r->free_column[r->nfree++] = r->first[g] + f->order[k];
    kl_status status = pass_on(r, f, own, F, nrow);
    size_t    bytes  = (size_t)f->npivot * (size_t)f->ncol * sizeof(double);
    f->values        = malloc(bytes + sizeof(double));
    if (f->values) memcpy(f->values, F, bytes);
    free(F);
    return f->values ? status : KL_E_MEMORY;
}

static int compare_ints(const void *a, const void *b)
{
    const int *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

kl_status kl_rank_eliminate(kl_rank *r, double tolerance, bool in_order)
{
    int  *where = kl_arena_array(r->arena, int, r->ngroup + 1);
    bool *done  = kl_arena_array(r->arena, bool, r->ngroup + 1);
    if (!kl_arena_ok(r->arena)) return KL_E_MEMORY;
    r->least = INFINITY;
    for (int g = 0; g < r->ngroup; g++) (void)gather(r, g, NULL, &r->degree[g]);
    for (int k = 0; k < r->ngroup; k++) {
        int best = k, least = INT_MAX;
        for (int g = 0; !in_order && g < r->ngroup; g++)
            if (!done[g] && r->degree[g] < least) best = g, least = r->degree[g];
        done[best]     = true;
        r->sequence[k] = best;
        KL_TRY(eliminate_group(r, best, where, tolerance));
        const front *f = &r->fronts[best];
        for (int i = 1; i < f->n; i++) (void)gather(r, f->group[i], NULL, &r->degree[f->group[i]]);
    }
    qsort(r->free_column, (size_t)r->nfree, sizeof(int), compare_ints);
    return KL_OK;
}

int        kl_rank_value(const kl_rank *r) { return r->rank; }
int        kl_rank_nullity(const kl_rank *r) { return r->nfree; }
double     kl_rank_least(const kl_rank *r) { return r->least; }
const int *kl_rank_free(const kl_rank *r) { return r->free_column; }

void kl_rank_null(const kl_rank *r, double *x)
{
    for (int k = r->ngroup - 1; k >= 0; k--) {
        int          g = r->sequence[k], own = r->size[g];
        const front *f = &r->fronts[g];
        for (int i = f->npivot - 1; i >= 0; i--) {
            const double *row = f->values + (size_t)i * (size_t)f->ncol;
            double        sum = 0.0;
            for (int j = i + 1; j < own; j++) sum += row[j] * x[r->first[g] + f->order[j]];
            for (int n = 1, at = own; n < f->n; n++) {
                int other = f->group[n];
                for (int j = 0; j < r->size[other]; j++, at++)
                    sum += row[at] * x[r->first[other] + j];
            }
            x[r->first[g] + f->order[i]] = -sum / row[i];
        }
    }
}
