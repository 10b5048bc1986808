/* klingel demo [NAME]: writes a ready model, runs it, and says what to look at. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/starters.h"
#include "terminal/options.h"

const kl_starter *kl_starter_find(const kl_command *command, const char *name, int *code);

static int run_starter(const kl_starter *s)
{
    char model[64], results[64];
    snprintf(model, sizeof model, "demo-%.40s.yaml", s->name);
    snprintf(results, sizeof results, "demo-%.40s.h5", s->name);
    kl_new_file f;
    bool        ok = kl_new_file_open(&f, model);
    if (ok) (void)fputs(kl_starter_text(s), f.stream); /* closing shows whether it was written */
    if (!ok || !kl_new_file_close(&f)) {
        fprintf(stderr,
                "klingel demo: cannot write %s in this folder; change to a folder where you may "
                "write\n",
                model);
        return KL_EXIT_MODEL;
    }
    char  run[] = "run", option[] = "-o";
    char *arguments[] = {run, model, option, results, NULL};
    printf("%s: %s\n", model, s->help);
    fflush(stdout);
    int code = kl_command_run.run(4, arguments);
    if (code != KL_EXIT_OK) return code;
    printf("\nto see the results:\n  klingel plot %s %s -o %s.svg\n  klingel view %s\n\n%s\n",
           results, s->plot, s->name, results, s->watch);
    return KL_EXIT_OK;
}

static int demo(int argc, char **argv)
{
    const kl_option options[] = {{0}};
    kl_arguments    rest;
    int             code = kl_options_parse(&kl_command_demo, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n > 1) return kl_usage_error(&kl_command_demo, "give the name of one demo");
    if (rest.n == 1) {
        const kl_starter *s = kl_starter_find(&kl_command_demo, rest.items[0], &code);
        return s ? run_starter(s) : code;
    }
    printf("demos:\n");
    for (const kl_starter *s = kl_starters; s->name; s++) printf("  %-16s %s\n", s->name, s->help);
    printf("\n`klingel demo cart` runs one of them in this folder\n");
    return KL_EXIT_OK;
}

const kl_command kl_command_demo = {.name      = "demo",
                                    .arguments = "[NAME]",
                                    .summary   = "run a demonstration model",
                                    .run       = demo,
                                    .help      = "  klingel demo\n  klingel demo cart\n"};
