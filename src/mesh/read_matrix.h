/* Ready matrices: what the parts of their reader share. Private to read_matrix*.c. */
#ifndef KL_MESH_READ_MATRIX_H
#define KL_MESH_READ_MATRIX_H

#include "mesh/read_import.h"

/* A matrix as its file gives it. Malloc, freed by kl_triplets_free. */
typedef struct kl_triplets {
    int     rows, columns; /* 0: the file does not say (CalculiX) */
    bool    symmetric;     /* each entry once, of either triangle */
    int64_t n, cap;
    int    *row, *column; /* from 0 */
    double *value;
} kl_triplets;

bool kl_triplets_put(kl_import *r, kl_triplets *m, int row, int column, double value);
void kl_triplets_free(kl_triplets *m);

/* Matrix Market: coordinate or array, real or integer, general or symmetric. */
void kl_read_matrix_market(kl_import *r, kl_source *t, kl_triplets *m);
/* CalculiX .sti and .mas: row, column, value a line. */
void kl_read_matrix_storage(kl_import *r, kl_source *t, kl_triplets *m);

/* A symmetric matrix of n rows; one that is not is a flaw. */
void kl_triplets_to_symmetric(kl_import *r, kl_source *t, const kl_triplets *m, int n,
                              kl_symmetric *A);

#endif
