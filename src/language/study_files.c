/* Names of the results files that a study keeps: {PARAMETER} stands for its value, {run} for the number of the
 * run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/study.h"

enum { LONGEST_PATH = 1000, LONGEST_NAME = 240 /* with .part behind it below 255 */ };

static int parameter_called(const kl_study *s, const char *name, size_t length)
{
    for (int p = 0; p < s->nparameter; p++)
        if (strlen(s->parameter[p]) == length && strncmp(s->parameter[p], name, length) == 0)
            return p;
    return -1;
}

static void value_of(const kl_study *s, int run, const char *name, size_t length, char *value,
                     size_t size)
{
    int p = parameter_called(s, name, length);
    if (p >= 0) kl_study_number(s, run, p, value, size);
    else snprintf(value, size, "%d", run + 1);
}

/* Length of the next name between braces, and how many characters stand before its brace; 0: there is none. */
static size_t next_name(const char *path, const char **name, size_t *before)
{
    *before = strcspn(path, "{");
    if (!path[*before]) return 0;
    *name = path + *before + 1;
    return strcspn(*name, "}");
}

void kl_study_file(const kl_study *s, int run, char *path, size_t size)
{
    const char *rest = s->keep, *name = NULL;
    size_t      n = 0, before, length;
    char        value[160];
    while ((length = next_name(rest, &name, &before)) > 0 && n < size) {
        value_of(s, run, name, length, value, sizeof value);
        n += (size_t)snprintf(path + n, size - n, "%.*s%s", (int)before, rest, value);
        rest = name + length + 1;
    }
    if (n < size) snprintf(path + n, size - n, "%s", rest);
}

/* ---- checks ---- */

static kl_status no_such_parameter(const kl_study *s, const char *name, size_t length,
                                   kl_place place, kl_diag *diag)
{
    const char **names   = kl_arena_array(s->arena, const char *, s->nparameter + 2);
    const char  *written = kl_arena_text_n(s->arena, name, length);
    if (!names || !written) return KL_E_MEMORY;
    for (int p = 0; p < s->nparameter; p++) names[p] = s->parameter[p];
    names[s->nparameter] = "run";
    const char *near     = kl_nearest(written, names);
    return kl_fail(diag, KL_E_NAME, place, "{%s} is not a parameter of the study; %s%s%s", written,
                   near ? "did you mean {" : "{run} is the number of the run", near ? near : "",
                   near ? "}?" : "");
}

/* A word with a slash would name another folder. */
static kl_status check_words(const kl_study *s, int p, kl_place place, kl_diag *diag)
{
    for (int run = 0; s->words[p] && run < s->nrun; run++) {
        char value[160];
        kl_study_number(s, run, p, value, sizeof value);
        if (strchr(value, '/'))
            return kl_fail(diag, KL_E_MODEL, place,
                           "the value `%s` of '%s' has a slash and cannot be part of a file "
                           "name; use {run}, the number of the run",
                           value, s->parameter[p]);
    }
    return KL_OK;
}

static kl_status check_braces(const kl_study *s, kl_place place, kl_diag *diag)
{
    const char *rest = s->keep, *name = NULL;
    for (size_t before, length; strchr(rest, '{'); rest = name + length + 1) {
        length = next_name(rest, &name, &before);
        if (name[length] != '}')
            return kl_fail(diag, KL_E_SYNTAX, place, "the `{` has no matching `}`; add one");
        int p = parameter_called(s, name, length);
        if (p < 0 && (length != 3 || strncmp(name, "run", 3) != 0))
            return no_such_parameter(s, name, length, place, diag);
        if (p >= 0) KL_TRY(check_words(s, p, place, diag));
    }
    return KL_OK;
}

typedef struct file_of_run {
    const char *path;
    int         run;
} file_of_run;

static int by_path(const void *a, const void *b)
{
    const file_of_run *one = a, *other = b;
    int                order = strcmp(one->path, other->path);
    return order ? order : one->run - other->run;
}

/* A parameter in which two runs differ; "run" where there is none. */
static const char *difference(const kl_study *s, int a, int b)
{
    char one[160], other[160];
    for (int p = 0; p < s->nparameter; p++) {
        kl_study_number(s, a, p, one, sizeof one);
        kl_study_number(s, b, p, other, sizeof other);
        if (strcmp(one, other) != 0) return s->parameter[p];
    }
    return "run";
}

static kl_status check_files(const kl_study *s, kl_place place, kl_diag *diag)
{
    file_of_run *file = kl_arena_array(s->arena, file_of_run, s->nrun + 1);
    for (int run = 0; file && run < s->nrun; run++) {
        char path[LONGEST_PATH + 200];
        kl_study_file(s, run, path, sizeof path);
        const char *slash = strrchr(path, '/');
        if (strlen(path) > LONGEST_PATH || strlen(slash ? slash : path) > LONGEST_NAME)
            return kl_fail(diag, KL_E_MODEL, place,
                           "the name of a file is too long; use {run}, the number of the run");
        file[run] = (file_of_run){kl_arena_text(s->arena, path), run};
        if (!file[run].path) return KL_E_MEMORY;
    }
    if (!file) return KL_E_MEMORY;
    qsort(file, (size_t)s->nrun, sizeof *file, by_path);
    for (int i = 1; i < s->nrun; i++)
        if (strcmp(file[i - 1].path, file[i].path) == 0)
            return kl_fail(diag, KL_E_NAME, place,
                           "runs %d and %d would have the same file `%s`; add {%s} to the "
                           "name",
                           file[i - 1].run + 1, file[i].run + 1, file[i].path,
                           difference(s, file[i - 1].run, file[i].run));
    return KL_OK;
}

static bool is_results_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".h5") == 0;
}

kl_status kl_study_keep(kl_study *s, const char *names, kl_place place, kl_diag *diag)
{
    if (s->analysis == KL_STUDY_MODES || s->analysis == KL_STUDY_STATICS)
        return kl_fail(diag, KL_E_MODEL, place,
                       "only runs have results files; remove `keep`, or give `analysis: run`");
    bool folder = !is_results_file(names);
    s->keep     = folder ? kl_arena_format(s->arena, "%s/run-{run}.h5", names)
                         : kl_arena_text(s->arena, names);
    if (!s->keep) return KL_E_MEMORY;
    KL_TRY(check_braces(s, place, diag));
    return check_files(s, place, diag);
}
