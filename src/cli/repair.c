/* klingel repair: makes the results of a killed run an ordinary file. */
#include <stdio.h>

#include "cli/commands.h"
#include "terminal/options.h"
#include "terminal/result_files.h"

static void report_repair(const char *file, const kl_repair_report *found)
{
    if (found->rows > 0)
        printf("%s: %d rows, from %g to %g s\n", file, found->rows, found->first_time,
               found->last_time);
    else printf("%s: no rows\n", file);
    if (found->was_marked) printf("repaired: any HDF5 program can now open the file\n");
    else printf("nothing to repair: the run ended normally\n");
}

static int repair_run(int argc, char **argv)
{
    const kl_option options[] = {{0}};
    kl_arguments    rest;
    int             code = kl_options_parse(&kl_command_repair, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n < 1) return kl_usage_error(&kl_command_repair, "give a results file (.h5)");

    for (int i = 0; i < rest.n; i++) {
        kl_repair_report found  = {0};
        kl_diag         *diag   = kl_diag_create();
        kl_status        status = kl_results_repair(rest.items[i], diag, &found);
        if (status == KL_OK) report_repair(rest.items[i], &found);
        else {
            kl_print_diag(diag, NULL);
            code = kl_exit_code(status);
        }
        kl_diag_destroy(diag);
    }
    return code == KL_OPTIONS_OK ? KL_EXIT_OK : code;
}

const kl_command kl_command_repair = {
    .name      = "repair",
    .arguments = "OUT.h5...",
    .summary   = "make the results of a killed run readable for HDF5 programs",
    .run       = repair_run,
    .help      = "The commands of Klingel read the results of a killed run without repair; other\n"
                 "HDF5 programs need it. A file that a running process writes is not changed.\n",
};
