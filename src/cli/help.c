/* klingel help NAME: keys, units, defaults, equation, channels and an example of one part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help_template.h"
#include "language/other_names.h"
#include "reference/reference.h"
#include "terminal/options.h"

enum { MOST = 256 };

static int unknown(const char *name)
{
    kl_page     pages[MOST];
    const char *names[MOST + 1] = {0};
    int         n               = kl_reference_pages(pages, MOST);
    for (int i = 0; i < n; i++) names[i] = pages[i].name;
    const char *near = kl_other_name(name);
    for (int i = 0; kl_commands[i]; i++)
        if (strcmp(kl_commands[i]->name, name) == 0)
            return kl_usage_error(&kl_command_help,
                                  "there is no help page '%s'; `klingel %s --help` describes the "
                                  "command",
                                  name, name);
    char template[KL_HELP_TEMPLATE_NAME];
    if (!near) near = kl_help_template_nearest(name, template);
    if (!near) near = kl_nearest(name, names);
    if (near)
        return kl_usage_error(&kl_command_help, "there is no help page '%s'; did you mean '%s'?",
                              name, near);
    return kl_usage_error(&kl_command_help,
                          "there is no help page '%s'; `klingel list` lists all pages", name);
}

static int print(kl_text *t)
{
    char *text = kl_text_finish(t);
    if (!text) return kl_exit_code(KL_E_MEMORY);
    fputs(text, stdout);
    free(text);
    return KL_EXIT_OK;
}

static int help(int argc, char **argv)
{
    bool            example = false, markdown = false;
    const kl_option options[] = {
        {"example", 0, NULL, KL_OPTION_FLAG, &example, "print a complete small model that uses it"},
        {"markdown", 0, NULL, KL_OPTION_FLAG, &markdown, "print the page as Markdown"},
        {0}};
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_help, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    kl_text       t     = {0};
    kl_page_style style = markdown ? KL_PAGE_MARKDOWN : KL_PAGE_TERMINAL;
    if (rest.n > 1) return kl_usage_error(&kl_command_help, "give the name of one page");
    if (rest.n == 0) {
        kl_reference_list(&t, style);
        if (!markdown) kl_help_template_list(&t);
        kl_text_add(&t, "\n`klingel help NAME` describes one of them.\n");
        return print(&t);
    }
    kl_page page;
    /* a word that other programs use for an element, such as `damper`, may be the name of a template */
    bool page_found = kl_reference_find(rest.items[0], &page), template = false;
    if (!page_found || strcmp(page.name, rest.items[0]) != 0)
        template = !example && !markdown && kl_help_template(&t, rest.items[0]);
    if (template && page_found)
        kl_text_add(&t, "\n`klingel help %s` describes the element of this meaning.\n", page.name);
    if (template) return print(&t);
    if (!page_found) return unknown(rest.items[0]);
    if (example && !page.body && !page.element)
        return kl_usage_error(&kl_command_help, "only bodies, joints and forces have an --example; "
                                                "`klingel new` writes a model to start from");
    if (example) kl_reference_example(&t, &page);
    else kl_reference_write(&t, &page, style);
    if (!example && !markdown) {
        kl_text also = {0};
        if (kl_help_template(&also, rest.items[0])) {
            kl_text_add(&t, "\n");
            kl_help_template(&t, rest.items[0]);
        }
        free(kl_text_finish(&also));
    }
    return print(&t);
}

const kl_command kl_command_help = {.name      = "help",
                                    .arguments = "[NAME]",
                                    .summary =
                                        "describe a body, joint, force, template, section or topic",
                                    .run  = help,
                                    .help = "  klingel help spring-damper\n"
                                            "  klingel help air_spring\n"
                                            "  klingel help units\n"
                                            "  klingel help revolute --example > hinge.yaml\n"};
