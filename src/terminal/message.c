/* Messages to people: diagnostics in colour, mistakes in a call, exit codes. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal/terminal.h"

/* no-color.org: any value but an empty one switches colour off. */
static bool colour(void)
{
    const char *no   = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return !(no && *no) && !(term && strcmp(term, "dumb") == 0) && isatty(STDERR_FILENO);
}

/* The place in front ("model.yaml:12:5: ") stands out by severity. */
static void print_message(const kl_message *m, bool in_colour)
{
    static const char *const paint[] = {"\033[36m", "\033[33m", "\033[31m"};
    const char              *end     = strstr(m->text, ": ");
    if (!in_colour || !end) {
        fprintf(stderr, "%s\n", m->text);
        return;
    }
    fprintf(stderr, "%s%.*s\033[0m%s\n", paint[m->severity], (int)(end - m->text), m->text, end);
}

static void print_count(int n, const char *word, const char *before)
{
    if (n > 0) fprintf(stderr, "%s%d %s%s", before, n, word, n == 1 ? "" : "s");
}

void kl_print_diag(const kl_diag *diag, const char *closing)
{
    bool in_colour = colour();
    int  n = kl_diag_size(diag), errors = kl_diag_count(diag, KL_ERROR);
    int  warnings = kl_diag_count(diag, KL_WARNING);
    fflush(stdout);
    for (int i = 0; i < n; i++) print_message(kl_diag_at(diag, i), in_colour);
    int silent = errors + warnings + kl_diag_count(diag, KL_NOTE) - n;
    if (silent > 0) fprintf(stderr, "(and %d more)\n", silent);
    if (errors + warnings == 0) return;
    print_count(errors, "error", "");
    print_count(warnings, "warning", errors ? ", " : "");
    if (closing) fprintf(stderr, "; %s", closing);
    fputc('\n', stderr);
}

int kl_exit_code(kl_status status)
{
    switch (status) {
    case KL_OK: return KL_EXIT_OK;
    case KL_E_USAGE: return KL_EXIT_USAGE;
    case KL_E_INTERRUPTED: return KL_EXIT_INTERRUPTED;
    case KL_RETRY:
    case KL_E_SINGULAR:
    case KL_E_STEP:
    case KL_E_NAN:
    case KL_E_STOPPED:
    case KL_E_INTERNAL: return KL_EXIT_NUMERICAL;
    default: return KL_EXIT_MODEL;
    }
}

int kl_usage_error(const kl_command *command, const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fprintf(stderr, "klingel %s: ", command->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n`klingel %s --help` describes the usage\n", command->name);
    return KL_EXIT_USAGE;
}
