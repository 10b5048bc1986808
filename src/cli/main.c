/* klingel: finds the subcommand and runs it. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "cli/commands.h"

/* The subcommands, in the order a user meets them: one line each. */
const kl_command *const kl_commands[] = {
    // clang-format off
    &kl_command_run,
    &kl_command_check,
    &kl_command_statics,
    &kl_command_kinematics,
    &kl_command_inverse,
    &kl_command_modes,
    &kl_command_locus,
    &kl_command_critical_speed,
    &kl_command_sweep,
    &kl_command_contacts,
    &kl_command_fe,
    &kl_command_track,
    &kl_command_rail,
    &kl_command_catenary,
    &kl_command_list,
    &kl_command_help,
    &kl_command_export,
    &kl_command_plot,
    &kl_command_view,
    &kl_command_report,
    &kl_command_stress,
    &kl_command_assess,
    &kl_command_vehicle,
    &kl_command_psd,
    &kl_command_compare,
    &kl_command_repair,
    &kl_command_new,
    &kl_command_demo,
    &kl_command_doctor,
    &kl_command_schema,
    NULL,
    // clang-format on
};

enum { NCOMMAND = sizeof kl_commands / sizeof *kl_commands - 1 };

/* Fits a terminal of 80 columns. */
static void print_help(FILE *f)
{
    fprintf(f, "usage: klingel COMMAND [ARGUMENTS]      simulates mechanisms and rail vehicles\n");
    for (int i = 0; i < NCOMMAND; i++)
        fprintf(f, "  %-14s %s\n", kl_commands[i]->name, kl_commands[i]->summary);
    fprintf(f, "`klingel COMMAND --help` describes a command; `--version` prints the version.\n");
}

static int unknown_command(const char *name)
{
    const char *names[NCOMMAND + 1] = {0};
    for (int i = 0; i < NCOMMAND; i++) names[i] = kl_commands[i]->name;
    const char *near = kl_nearest(name, names);
    fprintf(stderr, "klingel: there is no command '%s'", name);
    if (near) fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\n`klingel --help` lists the commands\n");
    return KL_EXIT_USAGE;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return KL_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return KL_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("klingel " KL_VERSION "\n");
        return KL_EXIT_OK;
    }
    for (int i = 0; i < NCOMMAND; i++)
        if (strcmp(argv[1], kl_commands[i]->name) == 0)
            return kl_commands[i]->run(argc - 1, argv + 1);
    return unknown_command(argv[1]);
}

/* Standard output is buffered: that its disk is full shows only when the last bytes are written. A pipe
 * fails only because its reader has seen enough (`| head`), which is no mistake. */
static int close_output(int code)
{
    struct stat about;
    errno        = 0;
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    int  error   = errno;
    bool pipe =
        fstat(fileno(stdout), &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
    if (written || pipe || code == KL_EXIT_MODEL) return code;
    fprintf(stderr, "klingel: standard output could not be written completely: %s\n",
            error ? kl_file_reason(error) : "is the disk full?");
    return KL_EXIT_MODEL;
}

int main(int argc, char **argv) { return close_output(run_command(argc, argv)); }
