/* klingel-fe-mpi: `klingel fe` on several processes.
 *
 *     mpirun -n 4 klingel-fe-mpi BODY.yaml -o BODY.kbody [--csv] */
#include <stdio.h>
#include <string.h>

#include "algebra/dense.h"
#include "language/body.h"
#include "mpi/serve.h"
#include "reduce/kbody_file.h"

static int usage(void)
{
    fprintf(stderr, "usage: mpirun -n N klingel-fe-mpi BODY.yaml -o BODY.kbody [--csv]\n");
    return 2;
}

static void print_messages(const kl_diag *d)
{
    for (int i = 0; i < kl_diag_size(d); i++) fprintf(stderr, "%s\n", kl_diag_at(d, i)->text);
}

static int reduce(const char *input, const char *output, bool csv)
{
    kl_diag     *diag   = kl_diag_create();
    kl_body_file file   = {0};
    kl_kbody    *body   = NULL;
    kl_status    status = output ? kl_kbody_check_name(output, diag) : KL_OK;
    if (status == KL_OK) status = kl_body_file_read(input, &file, diag);
    if (status == KL_OK)
        status = kl_reduce(file.mesh, file.has_matrices ? &file.system : NULL, &file.recipe, &body,
                           NULL, diag);
    if (status == KL_OK && output) status = kl_kbody_write(body, output, diag);
    print_messages(diag);
    if (status == KL_OK && csv) {
        printf("mode,frequency_hz\n");
        for (int j = 0; j < body->nmode; j++) printf("%d,%.10g\n", j + 1, body->frequency[j]);
    }
    kl_kbody_destroy(body);
    kl_body_file_free(&file);
    kl_diag_destroy(diag);
    return status == KL_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *input = NULL, *output = NULL;
    bool        csv = false, wrong = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--csv") == 0) csv = true;
        else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) output = argv[++i];
        else if (argv[i][0] != '-' && !input) input = argv[i];
        else wrong = true;
    }
    int rank = kl_mpi_begin(&argc, &argv), code = 0;
    if (rank < 0) return 3;
    kl_blas_threads(1);
    if (wrong || !input || (!output && !csv)) code = rank == 0 ? usage() : 0;
    else if (rank == 0) code = reduce(input, output, csv);
    else {
        kl_mpi_serve();
        kl_mpi_end(rank);
        return 0;
    }
    if (rank > 0) kl_mpi_serve();
    kl_mpi_end(rank);
    return code;
}
