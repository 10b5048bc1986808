/* klingel doctor: what this machine has, what is missing, and the command that mends it. */
#define _DEFAULT_SOURCE /* sysconf(_SC_NPROCESSORS_ONLN) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/starters.h"
#include "language/build.h"
#include "solve/simulation.h"
#include "terminal/options.h"

#ifndef KL_LIBRARIES /* the build names what it found */
#define KL_LIBRARIES "as built"
#endif

static void print_finding(const char *mark, const char *what, const char *text)
{
    printf("%-7s %-12s %s\n", mark, what, text);
}

/* "model name : ..." of /proc/cpuinfo */
static void processor(char *text, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char  line[512];
    snprintf(text, size, "unknown");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            snprintf(text, size, "%s", strchr(line, ':') + 2);
            text[strcspn(text, "\n")] = '\0';
            break;
        }
    if (f) fclose(f);
}

static void machine(void)
{
    struct utsname u;
    char           name[400], text[500];
    processor(name, sizeof name);
    snprintf(text, sizeof text, "%s, %ld threads", name, sysconf(_SC_NPROCESSORS_ONLN));
    print_finding("ok", "processor", text);
    if (uname(&u) == 0) {
        snprintf(text, sizeof text, "%.64s %.64s, %.64s", u.sysname, u.release, u.machine);
        print_finding("ok", "system", text);
    }
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    snprintf(text, sizeof text, "%.1f GB", (double)pages * (double)page / 1e9);
    print_finding("ok", "memory", text);
}

/* Is the program on the PATH? */
static bool on_path(const char *program)
{
    const char *path = getenv("PATH");
    char        file[1200];
    while (path && *path) {
        int n = (int)strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", n < 1000 ? n : 1000, path, program);
        if (access(file, X_OK) == 0) return true;
        path += n;
        if (*path == ':') path++;
    }
    return false;
}

static int tool(const char *program, const char *for_what, const char *mend)
{
    char text[300];
    bool there = on_path(program);
    snprintf(text, sizeof text, there ? "%s" : "not found; needed for %s; install it with `%s`",
             for_what, mend);
    print_finding(there ? "ok" : "missing", program, text);
    return !there;
}

static int write_test(void)
{
    char path[64];
    char text[300];
    snprintf(path, sizeof path, ".klingel-doctor-%ld", (long)getpid());
    FILE *f    = fopen(path, "w");
    bool  good = f && fputs("test", f) >= 0;
    if (f && fclose(f) != 0) good = false;
    remove(path);
    snprintf(text, sizeof text,
             good ? "this folder is writable"
                  : "this folder is not writable; change to a folder where you may write");
    print_finding(good ? "ok" : "problem", "folder", text);
    return !good;
}

/* Builds and runs the first starting model: all libraries of a run have their say. */
static int try_run(void)
{
    kl_diag       *d      = kl_diag_create();
    kl_source     *s      = NULL;
    kl_model      *m      = NULL;
    kl_simulation *r      = NULL;
    const char    *text   = kl_starters[0].text;
    kl_status      status = kl_source_parse(text, strlen(text), "pendulum", d, &s);
    if (status == KL_OK) status = kl_source_build(s, NULL, 0, d, &m);
    if (status == KL_OK) status = kl_simulation_create(m, d, &r);
    if (status == KL_OK) status = kl_simulation_start(r, d);
    while (status == KL_OK && r->solver->s->t < 0.5) status = kl_simulation_step(r, 0.5, d);
    print_finding(status == KL_OK ? "ok" : "problem", "simulation",
                  status == KL_OK ? "a test pendulum was simulated" : kl_status_text(status));
    kl_print_diag(d, NULL);
    kl_simulation_destroy(r);
    kl_model_destroy(m);
    kl_source_destroy(s);
    kl_diag_destroy(d);
    return status != KL_OK;
}

static int doctor(int argc, char **argv)
{
    const kl_option options[] = {{0}};
    kl_arguments    rest;
    int             code = kl_options_parse(&kl_command_doctor, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n) return kl_usage_error(&kl_command_doctor, "this command takes no arguments");
    print_finding("ok", "klingel", KL_VERSION);
    machine();
    print_finding("ok", "libraries", KL_LIBRARIES);
    int missing = tool("gnuplot", "klingel plot", "sudo apt-get install gnuplot-nox");
    missing += tool("gmsh", "creating meshes for klingel fe", "sudo apt-get install gmsh");
    int problems = write_test() + try_run();
    if (problems) printf("\n%d problem%s\n", problems, problems == 1 ? "" : "s");
    else if (missing)
        printf("\nKlingel works; the programs not found are needed only for the commands named\n");
    else printf("\nno problems found\n");
    return problems ? KL_EXIT_MODEL : KL_EXIT_OK;
}

const kl_command kl_command_doctor = {.name      = "doctor",
                                      .arguments = "",
                                      .summary = "check the installation and list missing programs",
                                      .run     = doctor,
                                      .help    = "  klingel doctor\n"};
