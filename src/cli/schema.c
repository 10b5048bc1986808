/* klingel schema: the JSON Schema of model files, for editors. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "reference/schema.h"
#include "terminal/options.h"

static int schema(int argc, char **argv)
{
    const kl_option options[] = {{0}};
    kl_arguments    rest;
    int             code = kl_options_parse(&kl_command_schema, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (rest.n > 0) return kl_usage_error(&kl_command_schema, "this command takes no arguments");
    kl_text t = {0};
    kl_schema_write(&t);
    char *text = kl_text_finish(&t);
    if (!text) return kl_exit_code(KL_E_MEMORY);
    fputs(text, stdout);
    free(text);
    return KL_EXIT_OK;
}

const kl_command kl_command_schema = {
    .name      = "schema",
    .arguments = "",
    .summary   = "print the JSON Schema of model files, for editors",
    .run       = schema,
    .help      = "  klingel schema > klingel.schema.json\n"
                 "\n"
                 "Editors with a YAML language server need this first line in a model:\n"
                 "  # yaml-language-server: $schema=klingel.schema.json\n"};
