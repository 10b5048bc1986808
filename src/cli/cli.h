/* The frame of the command line: one file a subcommand, one line a subcommand in main.c.
 *
 * Only this room prints. Results go to standard output, everything else to standard error. */
#ifndef KL_CLI_CLI_H
#define KL_CLI_CLI_H

#include "base/diag.h"
#include "klingel/status.h"

enum {
    KL_EXIT_OK          = 0,
    KL_EXIT_MODEL       = 1, /* the model or another file has mistakes */
    KL_EXIT_USAGE       = 2,
    KL_EXIT_NUMERICAL   = 3,
    KL_EXIT_INTERRUPTED = 130,
};

typedef struct kl_command {
    const char *name, *arguments, *summary; /* "export", "OUT.h5 [CHANNEL...]", one line */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit code */
    const char
        *help; /* what follows the list of options in `klingel NAME --help`: examples, hints */
} kl_command;

/* One a file, in the order of main.c. */
extern const kl_command kl_command_run, kl_command_check, kl_command_list, kl_command_help;
extern const kl_command kl_command_fe, kl_command_track;
extern const kl_command kl_command_statics, kl_command_kinematics, kl_command_inverse;
extern const kl_command kl_command_modes, kl_command_locus, kl_command_sweep;
extern const kl_command kl_command_schema, kl_command_new, kl_command_demo, kl_command_doctor;
extern const kl_command kl_command_export, kl_command_plot, kl_command_view, kl_command_report,
    kl_command_repair, kl_command_stress;

/* Prints all messages to standard error, in colour on a terminal unless NO_COLOR is set; then, if
 * there were any, "2 errors, 1 warning; " and `closing` ("nothing was run"; NULL: only the count).
 */
void kl_print_diag(const kl_diag *diag, const char *closing);

/* The exit code that belongs to a status. */
int kl_exit_code(kl_status status);

/* "klingel NAME: message", and where to find help; returns KL_EXIT_USAGE. */
int kl_usage_error(const kl_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
