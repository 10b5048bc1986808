/* klingel assess: results against the limits of a standard. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/share.h"
#include "cli/commands.h"
#include "post/assess.h"
#include "terminal/options.h"
#include "terminal/result_files.h"

typedef struct request {
    const char *limits, *domain;
    bool        csv, list, print_limits;
    bool        several; /* files: each row of the CSV names its file */
} request;

static const char *const verdict_word[] = {"", "within", "exceeded"};

static void list_domains(void)
{
    for (int i = 0; kl_assess_domains[i]; i++)
        printf("%-20s %s\n", kl_assess_domains[i]->name, kl_assess_domains[i]->help);
}

static void print_csv_number(double x)
{
    if (isnan(x)) putchar(',');
    else printf("%.9g,", x);
}

/* A text as a field of CSV: in quotation marks where it contains a comma or quotation marks. */
static void print_csv_text(const char *text)
{
    bool quoted = strpbrk(text, ",\"\n") != NULL;
    if (quoted) putchar('"');
    for (; *text; text++) {
        if (*text == '"') putchar('"');
        putchar(*text);
    }
    fputs(quoted ? "\"," : ",", stdout);
}

/* `file`: printed first in each row; NULL: not printed. */
static void print_csv(const kl_assessment *a, const char *file)
{
    for (int i = 0; i < a->n; i++) {
        const kl_assessed *r = &a->row[i];
        if (file) print_csv_text(file);
        printf("%s,", r->quantity);
        print_csv_number(r->place);
        printf("%.9g,%s,", r->value, r->unit);
        print_csv_number(r->limit);
        print_csv_number(r->utilisation);
        puts(verdict_word[r->verdict]);
    }
}

static void print_table(const kl_assessment *a)
{
    int wide = 8;
    for (int i = 0; i < a->n; i++) {
        int n = (int)strlen(a->row[i].quantity);
        wide  = n > wide ? n : wide;
    }
    printf("%-*s %10s %10s %-5s %10s %6s  %s\n", wide, "quantity", "place [m]", "value", "unit",
           "limit", "used", "verdict");
    for (int i = 0; i < a->n; i++) {
        const kl_assessed *r = &a->row[i];
        const char        *unit;
        printf("%-*s ", wide, r->quantity);
        if (isnan(r->place)) printf("%10s ", "");
        else printf("%10.1f ", r->place);
        double value = kl_assess_shown(r, r->value, &unit);
        printf("%10.4g %-5s ", value, unit);
        if (r->verdict == KL_NO_LIMIT) puts("");
        else
            printf("%10.4g %5.0f%%  %s\n", kl_assess_shown(r, r->limit, &unit),
                   100.0 * r->utilisation, verdict_word[r->verdict]);
    }
}

/* One results file; the exit code. */
static int assess_file(const char *file, const request *q)
{
    kl_diag       *diag   = kl_diag_create();
    kl_arena      *arena  = kl_arena_create();
    kl_reader     *reader = kl_open_results(file, diag);
    const kl_node *limits = NULL;
    kl_assessment  a      = {0};
    int            code   = reader && arena ? KL_EXIT_OK : KL_EXIT_MODEL;
    if (code == KL_EXIT_OK) {
        kl_status status = kl_assess_limits(q->limits, arena, diag, &limits);
        if (status == KL_OK) status = kl_assess(reader, file, limits, q->domain, arena, diag, &a);
        kl_print_diag(diag, status == KL_OK ? NULL : "no assessment was made");
        code = status == KL_OK ? KL_EXIT_OK : KL_EXIT_MODEL;
        if (code == KL_EXIT_OK && q->csv) print_csv(&a, q->several ? file : NULL);
        else if (code == KL_EXIT_OK) print_table(&a);
        for (int i = 0; code != KL_EXIT_MODEL && i < a.n; i++)
            if (a.row[i].verdict == KL_EXCEEDS_LIMIT) code = KL_EXIT_LIMIT;
    }
    kl_reader_close(reader);
    kl_arena_destroy(arena);
    kl_diag_destroy(diag);
    return code;
}

static int assess_run(int argc, char **argv)
{
    request         q         = {0};
    const kl_option options[] = {
        {"csv", 0, NULL, KL_OPTION_FLAG, &q.csv, "print CSV"},
        {"limits", 'l', "FILE", KL_OPTION_TEXT, &q.limits, "read zones and limits from this file"},
        {"only", 0, "NAME", KL_OPTION_TEXT, &q.domain, "make only this assessment (see --list)"},
        {"list", 0, NULL, KL_OPTION_FLAG, &q.list,
         "list the assessments and the channels they need"},
        {"print-limits", 0, NULL, KL_OPTION_FLAG, &q.print_limits, "print the built-in limits"},
        {0}};
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_assess, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) return code;
    if (q.list) return list_domains(), KL_EXIT_OK;
    if (q.print_limits) return fputs(kl_share_find("assessment.yaml")->text, stdout), KL_EXIT_OK;
    if (rest.n < 1) return kl_usage_error(&kl_command_assess, "give a results file (.h5)");
    q.several = rest.n > 1;
    if (q.csv)
        printf("%squantity,place_m,value,unit,limit,utilisation,verdict\n",
               q.several ? "file," : "");
    int worst = KL_EXIT_OK;
    for (int i = 0; i < rest.n; i++) {
        if (q.several && !q.csv) printf("%s%s\n", i ? "\n" : "", rest.items[i]);
        code  = assess_file(rest.items[i], &q);
        worst = worst == KL_EXIT_MODEL || code == KL_EXIT_OK ? worst : code;
    }
    return worst;
}

const kl_command kl_command_assess = {
    .name      = "assess",
    .arguments = "OUT.h5...",
    .summary   = "evaluate results following railway standards, with limits",
    .run       = assess_run,
    .help      = "  klingel assess out.h5                 table; exit code 4: a limit is exceeded\n"
                 "  klingel assess out.h5 --csv           quantity,place_m,value,unit,limit,...\n"
                 "  klingel assess a.h5 b.h5 --csv        the same after a first column `file`\n"
                 "  klingel assess --print-limits > my.yaml      copy of the limits to edit\n"
                 "  klingel assess out.h5 --limits my.yaml\n\n"
                 "The limits are common values of the standards; a result is not a certificate.\n",
};
