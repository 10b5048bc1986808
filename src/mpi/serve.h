/* What the other ranks do while rank 0 runs the reduction. */
#ifndef KL_MPI_SERVE_H
#define KL_MPI_SERVE_H

/* Starts MPI, PETSc and SLEPc; returns this process's rank, or -1. */
int kl_mpi_begin(int *argc, char ***argv);
int kl_mpi_size(void);
/* Ranks above 0: carries out orders until rank 0 says goodbye. */
void kl_mpi_serve(void);
/* Rank 0: sends the others home. All ranks: ends MPI. */
void kl_mpi_end(int rank);

#endif
