/* klingel rail TOOL: wheel-rail calculations that need no vehicle. One file a tool, one line a tool
 * in the table below. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/rail.h"
#include "terminal/options.h"

/* The tools, in the order a user meets them. */
static const kl_command *const tools[] = {
    // clang-format off
    &kl_command_rail_profile,
    &kl_command_rail_conicity,
    &kl_command_rail_hertz,
    &kl_command_rail_creep,
    // clang-format on
};

enum { NTOOL = sizeof tools / sizeof *tools };

static int unknown_tool(const char *name)
{
    const char *names[NTOOL + 1] = {0};
    for (int i = 0; i < NTOOL; i++) names[i] = tools[i]->name + strlen("rail ");
    const char *near = kl_nearest(name, names);
    if (near)
        return kl_usage_error(&kl_command_rail, "there is no rail tool '%s'; did you mean '%s'?",
                              name, near);
    return kl_usage_error(
        &kl_command_rail,
        "there is no rail tool '%s'; the tools are profile, conicity, hertz and creep", name);
}

static int run(int argc, char **argv)
{
    for (int i = 0; argc > 1 && i < NTOOL; i++)
        if (strcmp(argv[1], tools[i]->name + strlen("rail ")) == 0)
            return tools[i]->run(argc - 1, argv + 1);
    const kl_option options[] = {{0}};
    kl_arguments    rest;
    int             code = kl_options_parse(&kl_command_rail, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n == 0)
        return kl_usage_error(&kl_command_rail, "give a tool, for example `klingel rail hertz`");
    return unknown_tool(rest.items[0]);
}

const kl_command kl_command_rail = {
    .name      = "rail",
    .arguments = "TOOL ...",
    .summary   = "wheel-rail contact: profiles, Hertz, creep forces",
    .run       = run,
    .help      = "tools (`klingel rail TOOL --help` explains each):\n"
                 "  profile WHEEL RAIL             rolling radii, contact angles, conicity\n"
                 "  conicity DELTA_R.csv           equivalent conicity from a table\n"
                 "  hertz CASES.csv                contact ellipses\n"
                 "  creep CASES.csv --law LAW      creep forces\n"};
