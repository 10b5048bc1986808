/* What every command needs: exit codes, the table of a command, messages on the terminal.
 *
 * Results go to standard output, everything else to standard error. */
#ifndef KL_TERMINAL_TERMINAL_H
#define KL_TERMINAL_TERMINAL_H

#include "base/diag.h"
#include "klingel/status.h"

enum {
    KL_EXIT_OK          = 0,
    KL_EXIT_MODEL       = 1, /* the model or another file has mistakes */
    KL_EXIT_USAGE       = 2,
    KL_EXIT_NUMERICAL   = 3,
    KL_EXIT_LIMIT       = 4, /* `assess`: a limit is exceeded */
    KL_EXIT_INTERRUPTED = 130,
};

typedef struct kl_command {
    const char *name, *arguments, *summary; /* "export", "OUT.h5 [CHANNEL...]", one line */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit code */
    const char
        *help; /* what follows the list of options in `klingel NAME --help`: examples, hints */
} kl_command;

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
