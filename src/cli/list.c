/* klingel list: what a model may be made of, one line each. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/help_template.h"
#include "reference/reference.h"
#include "terminal/options.h"

static int list(int argc, char **argv)
{
    const kl_option options[] = {{0}};
    kl_arguments    rest;
    int             code = kl_options_parse(&kl_command_list, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n > 0)
        return kl_usage_error(
            &kl_command_list,
            "this command takes no arguments; `klingel help %s` describes one entry",
            rest.items[0]);
    kl_text t = {0};
    kl_reference_list(&t, KL_PAGE_TERMINAL);
    kl_help_template_list(&t);
    char *text = kl_text_finish(&t);
    if (!text) return kl_exit_code(KL_E_MEMORY);
    printf("%s\n`klingel help NAME` describes one of them.\n", text);
    free(text);
    return KL_EXIT_OK;
}

const kl_command kl_command_list = {.name      = "list",
                                    .arguments = "",
                                    .summary = "list bodies, joints, forces, templates and topics",
                                    .run     = list,
                                    .help    = "  klingel list\n"};
