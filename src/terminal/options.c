#include "terminal/options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/expression.h"

enum { MOST_OPTIONS = 64, HELP_COLUMN = 27, HELP_WIDTH = 79 };

/* What is being parsed: the table, and the arguments from `next` on. */
typedef struct parser {
    const kl_command *command;
    const kl_option  *options;
    int               argc, next;
    char            **argv;
} parser;

/* ---- help ---- */

/* Words of `text`, broken at the right margin; the cursor is at HELP_COLUMN. */
static void print_wrapped(const char *text)
{
    int column = HELP_COLUMN;
    while (*text) {
        int  length = (int)strcspn(text, " ");
        bool first  = column == HELP_COLUMN;
        if (!first && column + 1 + length > HELP_WIDTH) {
            printf("\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (!first) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
        column += length;
        text += length;
        while (*text == ' ') text++;
    }
    putchar('\n');
}

static void print_option(const kl_option *o)
{
    char left[80];
    int  n = snprintf(left, sizeof left, "  %c%c%s --%s%s%s", o->letter ? '-' : ' ',
                     o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
                     o->argument ? " " : "", o->argument ? o->argument : "");
    printf("%s", left);
    if (n > HELP_COLUMN - 2) printf("\n%*s", HELP_COLUMN, "");
    else printf("%*s", HELP_COLUMN - n, "");
    print_wrapped(o->help);
}

static int print_help(const parser *p)
{
    static const kl_option help = {"help", 'h', NULL, KL_OPTION_FLAG, NULL, "show this text"};
    printf("klingel %s %s\n\n%s\n\nOptions:\n", p->command->name, p->command->arguments,
           p->command->summary);
    for (const kl_option *o = p->options; o->name; o++) print_option(o);
    print_option(&help);
    if (p->command->help) printf("\n%s", p->command->help);
    return KL_EXIT_OK;
}

/* ---- values ---- */

static int number(const parser *p, const kl_option *o, const char *text)
{
    char  *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value))
        return kl_usage_error(p->command, "--%s needs a number, not '%s'", o->name, text);
    *(double *)o->target = value;
    return KL_OPTIONS_OK;
}

/* 2.5, 50ms, "3 min": seconds when bare */
static int seconds(const parser *p, const kl_option *o, const char *text)
{
    kl_quantity q;
    kl_diag    *diag   = kl_diag_create();
    kl_status   status = kl_expression_number(text, KL_NOWHERE, &(kl_symbols){0}, NULL, diag, &q);
    kl_diag_destroy(diag);
    if (status != KL_OK || !isfinite(q.value))
        return kl_usage_error(
            p->command,
            "--%s: '%s' is not a time; give seconds, or a number with a unit such as 50ms", o->name,
            text);
    if (!kl_quantity_fits(q, kl_dim_of("s"))) {
        const char *word = kl_dim_word(q.dim);
        return kl_usage_error(p->command, "--%s: '%s' is %s; give a time such as 2.5 or 50ms",
                              o->name, text, word ? word : "no time");
    }
    *(double *)o->target = q.value;
    return KL_OPTIONS_OK;
}

static int count(const parser *p, const kl_option *o, const char *text)
{
    char *end;
    errno      = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno || value < 1 || value > INT_MAX)
        return kl_usage_error(p->command, "--%s: '%s' is not a whole number of at least 1", o->name,
                              text);
    *(int *)o->target = (int)value;
    return KL_OPTIONS_OK;
}

static int add_text(const parser *p, const kl_option *o, const char *text)
{
    kl_texts *list = o->target;
    if (!list->items) list->items = calloc((size_t)p->argc, sizeof *list->items);
    if (!list->items) return kl_usage_error(p->command, "out of memory");
    list->items[list->n++] = text;
    return KL_OPTIONS_OK;
}

static int set(const parser *p, const kl_option *o, const char *text)
{
    switch (o->kind) {
    case KL_OPTION_FLAG: *(bool *)o->target = true; break;
    case KL_OPTION_TEXT: *(const char **)o->target = text; break;
    case KL_OPTION_NUMBER: return number(p, o, text);
    case KL_OPTION_TIME: return seconds(p, o, text);
    case KL_OPTION_COUNT: return count(p, o, text);
    case KL_OPTION_TEXTS: return add_text(p, o, text);
    }
    return KL_OPTIONS_OK;
}

/* ---- the walk over the arguments ---- */

static int unknown_long(const parser *p, const char *name, int length)
{
    char        word[64];
    const char *words[MOST_OPTIONS + 2] = {"help"};
    int         n                       = 1;
    for (const kl_option *o = p->options; o->name && n < MOST_OPTIONS; o++) words[n++] = o->name;
    snprintf(word, sizeof word, "%.*s", length, name);
    const char *near = kl_nearest(word, words);
    if (near)
        return kl_usage_error(p->command, "there is no option --%s; did you mean --%s?", word,
                              near);
    return kl_usage_error(p->command, "there is no option --%s", word);
}

/* The option's value: glued on, or the next argument. NULL when there is none. */
static const char *take_value(parser *p, const char *glued)
{
    if (glued) return glued;
    return p->next < p->argc ? p->argv[p->next++] : NULL;
}

static int apply(parser *p, const kl_option *o, const char *glued)
{
    if (o->kind == KL_OPTION_FLAG) {
        if (glued) return kl_usage_error(p->command, "--%s takes no value; remove it", o->name);
        return set(p, o, NULL);
    }
    const char *value = take_value(p, glued);
    if (!value) return kl_usage_error(p->command, "--%s needs a value: %s", o->name, o->argument);
    return set(p, o, value);
}

static int parse_long(parser *p, const char *text)
{
    const char *equals = strchr(text, '=');
    int         length = equals ? (int)(equals - text) : (int)strlen(text);
    for (const kl_option *o = p->options; o->name; o++)
        if ((int)strlen(o->name) == length && strncmp(o->name, text, (size_t)length) == 0)
            return apply(p, o, equals ? equals + 1 : NULL);
    return unknown_long(p, text, length);
}

/* "-o FILE", "-oFILE", and flags one after the other as in "-qv". */
static int parse_short(parser *p, const char *text)
{
    for (; *text; text++) {
        const kl_option *o = p->options;
        while (o->name && o->letter != *text) o++;
        if (!o->name) return kl_usage_error(p->command, "there is no option -%c", *text);
        if (o->kind != KL_OPTION_FLAG) return apply(p, o, text[1] ? text + 1 : NULL);
        int code = apply(p, o, NULL);
        if (code != KL_OPTIONS_OK) return code;
    }
    return KL_OPTIONS_OK;
}

static bool is_option(const char *text)
{
    bool number_like = isdigit((unsigned char)text[1]) || text[1] == '.';
    return text[0] == '-' && text[1] != '\0' && !number_like;
}

int kl_options_parse(const kl_command *command, const kl_option *options, int argc, char **argv,
                     kl_arguments *rest)
{
    parser p = {command, options, argc, 1, argv};
    *rest    = (kl_arguments){.items = argv + 1};
    while (p.next < argc) {
        char *text = argv[p.next++];
        if (strcmp(text, "--") == 0) {
            while (p.next < argc) rest->items[rest->n++] = argv[p.next++];
        } else if (!is_option(text)) {
            rest->items[rest->n++] = text;
        } else if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
            return print_help(&p);
        } else {
            int code = text[1] == '-' ? parse_long(&p, text + 2) : parse_short(&p, text + 1);
            if (code != KL_OPTIONS_OK) return code;
        }
    }
    return KL_OPTIONS_OK;
}

void kl_texts_free(kl_texts *texts)
{
    free(texts->items);
    *texts = (kl_texts){0};
}
