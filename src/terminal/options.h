/* Options of a subcommand as a table: from it come parsing, messages and the help text.
 *
 *     const char *output = NULL;
 *     double      end    = 0.0;
 *     kl_texts    set    = {0};
 *     const kl_option options[] = {
 *         {"output", 'o', "FILE", KL_OPTION_TEXT, &output, "results file"},
 *         {"end", 0, "T", KL_OPTION_TIME, &end, "stop at this time [s]"},
 *         {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set, "change a parameter"},
 *         {0},
 *     };
 *     kl_arguments rest;
 *     int          code = kl_options_parse(&kl_command_run, options, argc, argv, &rest);
 *     if (code != KL_OPTIONS_OK) return code;
 *     ...
 *     kl_texts_free(&set);
 */
#ifndef KL_TERMINAL_OPTIONS_H
#define KL_TERMINAL_OPTIONS_H

#include "terminal/terminal.h"

typedef enum kl_option_kind {
    KL_OPTION_FLAG,   /* bool *        no argument */
    KL_OPTION_TEXT,   /* const char ** borrowed from argv */
    KL_OPTION_NUMBER, /* double *      finite */
    KL_OPTION_TIME,   /* double *      seconds; with a unit if one likes: 50ms */
    KL_OPTION_COUNT,  /* int *         from 1 on */
    KL_OPTION_TEXTS,  /* kl_texts *    may be repeated */
} kl_option_kind;

typedef struct kl_texts {
    const char **items; /* borrowed texts */
    int          n;
} kl_texts;

typedef struct kl_option {
    const char    *name;     /* long name without dashes; NULL ends the table */
    char           letter;   /* short name, or 0 */
    const char    *argument; /* word shown in the help; NULL for a flag */
    kl_option_kind kind;
    void          *target; /* written only when the option is given */
    const char    *help;
} kl_option;

/* What is left: names of files and the like, in order, without the command's own name. */
typedef struct kl_arguments {
    char **items;
    int    n;
} kl_arguments;

enum { KL_OPTIONS_OK = -1 };

/* Reads all options; they may be between the arguments, `--` ends them, `--name=value`, `-o
 * FILE` and `-oFILE` are understood, and what looks like a negative number is an argument. Returns
 * KL_OPTIONS_OK, or the exit code to return at once: a mistake (reported with a suggestion), or
 * --help (printed). */
int kl_options_parse(const kl_command *command, const kl_option *options, int argc, char **argv,
                     kl_arguments *rest);

void kl_texts_free(kl_texts *texts);

#endif
