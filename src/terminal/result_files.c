#include "terminal/result_files.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening ---- */

static void print_run_status(kl_reader *r, const char *path)
{
    const char *status = kl_reader_text(r, "status");
    int         rows   = kl_reader_rows(r);
    if (kl_reader_running(r))
        fprintf(stderr, "%s: note: the run is still in progress; %d rows so far\n", path, rows);
    else if (kl_reader_unfinished(r))
        fprintf(stderr, "%s: note: the run was killed; it contains %d rows\n", path, rows);
    else if (status && strcmp(status, "complete") != 0)
        fprintf(stderr, "%s: note: the run was not completed (%s); it contains %d rows\n", path,
                status, rows);
}

kl_reader *kl_open_results(const char *path, kl_diag *diag)
{
    kl_reader *r = NULL;
    if (kl_reader_open(path, diag, &r) != KL_OK) {
        if (kl_diag_size(diag) == 0) fprintf(stderr, "%s: out of memory\n", path);
        kl_print_diag(diag, NULL);
        return NULL;
    }
    print_run_status(r, path);
    return r;
}

/* ---- choosing channels ---- */

static int *list_of(int n) { return n > 0 ? calloc((size_t)n, sizeof(int)) : NULL; }

static bool is_pattern(const char *text) { return strpbrk(text, "*?[") != NULL; }

/* Adds the channels that one name or pattern means; gives how many it means. */
static int add_matching(const kl_reader *r, const char *pattern, bool *taken, kl_selection *s)
{
    int found = 0, exact = kl_reader_find(r, pattern), n = kl_reader_channels(r);
    for (int i = exact < 0 ? 0 : exact; i < (exact < 0 ? n : exact + 1); i++) {
        if (i != exact &&
            !(is_pattern(pattern) && fnmatch(pattern, kl_reader_channel(r, i)->name, 0) == 0))
            continue;
        found++;
        if (!taken[i]) s->channels[s->n++] = i;
        taken[i] = true;
    }
    return found;
}

/* How many channels start with `name` and a dot. */
static int count_below(const kl_reader *r, const char *name)
{
    int    found  = 0;
    size_t length = strlen(name);
    for (int i = 0; i < kl_reader_channels(r); i++) {
        const char *full = kl_reader_channel(r, i)->name;
        found += strncmp(full, name, length) == 0 && full[length] == '.';
    }
    return found;
}

static void report_unknown(const kl_reader *r, const char *file, const char *name, kl_diag *diag)
{
    kl_place     at = {.file = file};
    int          n = kl_reader_channels(r), below = count_below(r, name);
    const char **names = calloc((size_t)n + 1, sizeof *names);
    for (int i = 0; names && i < n; i++) names[i] = kl_reader_channel(r, i)->name;
    const char *near = names ? kl_nearest(name, names) : NULL;
    for (int i = 0; names && i < n; i++) { /* `theta` for `balance.theta` */
        size_t have = strlen(names[i]), want = strlen(name);
        if (have <= want || names[i][have - want - 1] != '.') continue;
        if (strcmp(names[i] + have - want, name) == 0) near = names[i];
    }
    if (is_pattern(name))
        kl_fail(
            diag, KL_E_NAME, at,
            "no channel matches the pattern '%s'; `klingel export FILE --list` lists all channels",
            name);
    else if (below > 0)
        kl_fail(diag, KL_E_NAME, at,
                "there is no channel '%s'; the pattern '%s.*' matches %d channel%s", name, name,
                below, below == 1 ? "" : "s");
    else if (near)
        kl_fail(diag, KL_E_NAME, at, "there is no channel '%s'; did you mean '%s'?", name, near);
    else
        kl_fail(diag, KL_E_NAME, at,
                "there is no channel '%s'; `klingel export %s --list` lists all channels", name,
                file);
    free(names);
}

bool kl_select_channels(const kl_reader *r, const char *file, char *const *patterns, int n,
                        kl_diag *diag, kl_selection *out)
{
    int   nchannel = kl_reader_channels(r);
    bool *taken    = calloc((size_t)nchannel, sizeof *taken);
    bool  good     = true;
    *out           = (kl_selection){.channels = list_of(nchannel)};
    for (int i = 0; taken && out->channels && i < n; i++) {
        if (strcmp(patterns[i], "time") == 0 && kl_reader_find(r, "time") < 0) continue;
        if (add_matching(r, patterns[i], taken, out) > 0) continue;
        report_unknown(r, file, patterns[i], diag);
        good = false;
    }
    good = good && taken && out->channels;
    free(taken);
    if (!good) kl_selection_free(out);
    return good;
}

int kl_select_one(const kl_reader *r, const char *file, const char *name, kl_diag *diag)
{
    int found = kl_reader_find(r, name);
    if (found < 0) report_unknown(r, file, name, diag);
    return found;
}

bool kl_select_default(const kl_reader *r, bool all, kl_selection *out)
{
    int n = kl_reader_channels(r), own = 0;
    for (int i = 0; i < n; i++) own += kl_reader_channel(r, i)->own;
    *out = (kl_selection){.channels = list_of(n)};
    for (int i = 0; out->channels && i < n; i++)
        if (all || own == 0 || kl_reader_channel(r, i)->own) out->channels[out->n++] = i;
    return out->channels != NULL;
}

void kl_selection_free(kl_selection *s)
{
    free(s->channels);
    *s = (kl_selection){0};
}

/* ---- files that appear whole ---- */

bool kl_same_file(const char *a, const char *b)
{
    struct stat sa, sb;
    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino;
}

static bool cannot_write(const kl_new_file *o)
{
    fprintf(stderr, "%s could not be written: %s\n", o->path, kl_file_reason(errno));
    return false;
}

bool kl_output_open(kl_new_file *o, const char *path)
{
    return kl_new_file_open(o, path) ? true : cannot_write(o);
}

bool kl_output_discard(kl_new_file *o)
{
    bool failed = o->stream && ferror(o->stream);
    if (failed) (void)cannot_write(o);
    kl_new_file_discard(o);
    return failed;
}

bool kl_output_close(kl_new_file *o) { return kl_new_file_close(o) ? true : cannot_write(o); }
