#include "algebra/pattern.h"

#include <stdlib.h>
#include <string.h>

typedef struct kl_block_list {
    int row, nrow, column, ncol;
} block;

void kl_pattern_add(kl_arena *a, kl_pattern *p, int row, int nrow, int column, int ncol)
{
    if (nrow <= 0 || ncol <= 0) return;
    block *b = kl_arena_grow(a, (void **)&p->blocks, p->nblock, &p->cap, sizeof *b);
    if (!b) return;
    *b = (block){row, nrow, column, ncol};
    p->nblock++;
}

static int by_column_then_row(const void *x, const void *y)
{
    const block *a = x, *b = y;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->nrow < b->nrow) - (a->nrow > b->nrow);
}

/* Blocks cut into single columns, so that blocks of different width may overlap. */
static block *single_columns(kl_arena *a, const kl_pattern *p, int *n)
{
    size_t total = 0;
    for (int i = 0; i < p->nblock; i++) total += (size_t)p->blocks[i].ncol;
    block *columns = kl_arena_array(a, block, total);
    if (!columns) return NULL;
    *n = 0;
    for (int i = 0; i < p->nblock; i++)
        for (int c = 0; c < p->blocks[i].ncol; c++)
            columns[(*n)++] =
                (block){p->blocks[i].row, p->blocks[i].nrow, p->blocks[i].column + c, 1};
    qsort(columns, (size_t)*n, sizeof *columns, by_column_then_row);
    return columns;
}

/* Walks the sorted runs; with `row` NULL only counts. */
static int fill(const block *columns, int ncolumn, int n, int *start, int *row)
{
    int nnz = 0, k = 0;
    for (int c = 0; c < n; c++) {
        int next = 0; /* first row not yet taken in this column */
        start[c] = nnz;
        for (; k < ncolumn && columns[k].column == c; k++) {
            int from = columns[k].row > next ? columns[k].row : next,
                to   = columns[k].row + columns[k].nrow;
            for (int r = from; r < to; r++) {
                if (row) row[nnz] = r;
                nnz++;
            }
            if (to > next) next = to;
        }
    }
    start[n] = nnz;
    return nnz;
}

bool kl_pattern_close(kl_arena *a, kl_pattern *p)
{
    kl_arena *scratch = kl_arena_create();
    int       ncolumn = 0;
    block    *columns = scratch ? single_columns(scratch, p, &ncolumn) : NULL;
    p->start          = kl_arena_array(a, int, p->n + 1);
    if (columns && p->start) {
        p->nnz = fill(columns, ncolumn, p->n, p->start, NULL);
        p->row = kl_arena_array(a, int, p->nnz);
        if (p->row) fill(columns, ncolumn, p->n, p->start, p->row);
    }
    kl_arena_destroy(scratch);
    return p->row != NULL;
}

int kl_pattern_slot(const kl_pattern *p, int row, int column)
{
    int low = p->start[column], high = p->start[column + 1] - 1;
    while (low <= high) {
        int mid = (low + high) / 2;
        if (p->row[mid] == row) return mid;
        if (p->row[mid] < row) low = mid + 1;
        else high = mid - 1;
    }
    return -1;
}
