/* klingel new TEMPLATE [DIR]: a commented model to start from. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/starters.h"
#include "terminal/options.h"
#include "terminal/result_files.h"

static void list_starters(FILE *f)
{
    for (const kl_starter *s = kl_starters; s->name; s++)
        fprintf(f, "  %-16s %s\n", s->name, s->help);
}

static const kl_starter *find(const kl_command *command, const char *name, int *code)
{
    const char *names[32] = {0};
    int         n         = 0;
    for (const kl_starter *s = kl_starters; s->name && n < 31; s++) {
        if (strcmp(s->name, name) == 0) return s;
        names[n++] = s->name;
    }
    const char *near = kl_nearest(name, names);
    *code =
        near ? kl_usage_error(command, "there is no template '%s'; did you mean '%s'?", name, near)
             : kl_usage_error(command, "there is no template '%s'; the templates are:", name);
    if (!near) list_starters(stderr);
    return NULL;
}

const kl_starter *kl_starter_find(const kl_command *command, const char *name, int *code);

/* For `klingel demo`, too. */
const kl_starter *kl_starter_find(const kl_command *command, const char *name, int *code)
{
    return find(command, name, code);
}

static int write_model(const kl_starter *s, const char *folder)
{
    char path[1024];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "klingel new: cannot create the folder %s: %s\n", folder,
                kl_file_reason(errno));
        return KL_EXIT_MODEL;
    }
    snprintf(path, sizeof path, "%.1000s/model.yaml", folder);
    if (access(path, F_OK) == 0) { /* never over a file that is there */
        fprintf(stderr, "klingel new: %s already exists; give another folder\n", path);
        return KL_EXIT_MODEL;
    }
    kl_new_file o;
    if (!kl_output_open(&o, path)) return KL_EXIT_MODEL;
    fputs(kl_starter_text(s), o.stream);
    if (!kl_output_close(&o)) return KL_EXIT_MODEL;
    printf("%s: %s\n\nnext:\n  klingel run %s -o %s.h5\n  klingel plot %s.h5 %s\n", path, s->help,
           path, s->name, s->name, s->plot);
    return KL_EXIT_OK;
}

static int new_model(int argc, char **argv)
{
    const kl_option options[] = {{0}};
    kl_arguments    rest;
    int             code = kl_options_parse(&kl_command_new, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n == 0) {
        printf("templates:\n");
        list_starters(stdout);
        printf("\n`klingel new NAME` writes NAME/model.yaml\n");
        return KL_EXIT_OK;
    }
    if (rest.n > 2)
        return kl_usage_error(&kl_command_new, "give one template and at most one folder");
    const kl_starter *s = find(&kl_command_new, rest.items[0], &code);
    return s ? write_model(s, rest.n > 1 ? rest.items[1] : s->name) : code;
}

const kl_command kl_command_new = {.name      = "new",
                                   .arguments = "[TEMPLATE [DIR]]",
                                   .summary   = "write a commented model to start from",
                                   .run       = new_model,
                                   .help      = "  klingel new                 list the templates\n"
                                                "  klingel new pendulum        pendulum/model.yaml\n"
                                                "  klingel new cart mine       mine/model.yaml\n"};
