/* A CSV file of cases with one header row: read, checked, printed again with results appended. */
#ifndef KL_CLI_CASES_H
#define KL_CLI_CASES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"

typedef struct kl_cases {
    const char  *file;
    const char **column; /* names */
    int          ncolumn, nrow;
    const char **cell; /* nrow x ncolumn, as written */
    int         *line; /* of each row */
} kl_cases;

/* Texts belong to the arena. Rows of another length than the header are errors. */
kl_status kl_cases_read(const char *path, kl_arena *arena, kl_diag *diag, kl_cases *out);

/* Index of a column, or -1. */
int kl_cases_find(const kl_cases *c, const char *name);

/* The number in a cell; `inf` is one. */
kl_status kl_cases_number(const kl_cases *c, int row, int column, kl_diag *diag, double *value);

/* All of `names` (ended by NULL) as numbers of one row; index -1 leaves the value alone. */
kl_status kl_cases_numbers(const kl_cases *c, int row, const int *index, int n, kl_diag *diag,
                           double *values);

/* The rows, then `results` (nrow x nresult) with `digits` significant digits. A column of the input
 * that has the name of a result is left out, so that every name occurs once. */
void kl_cases_print(FILE *f, const kl_cases *c, const char *const *names, int nresult,
                    const double *results, int digits);

#endif
