#include "cli/cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/number.h"

/* ---- reading ---- */

static char *whole_file(const char *path, kl_arena *arena, kl_diag *diag, kl_status *status)
{
    FILE *f = kl_file_open(path);
    long  n = -1;
    if (f && fseek(f, 0, SEEK_END) == 0) n = ftell(f);
    char *text = n >= 0 ? kl_arena_take(arena, (size_t)n + 1) : NULL;
    if (text) {
        rewind(f);
        if (fread(text, 1, (size_t)n, f) != (size_t)n) text = NULL;
    }
    if (f) fclose(f);
    *status = text ? KL_OK
                   : kl_fail(diag, KL_E_FILE, (kl_place){.file = path},
                             "the file cannot be read; give a CSV file with one header row");
    return text;
}

static int count_fields(const char *line)
{
    int n = 1;
    for (; *line; line++) n += *line == ',';
    return n;
}

/* Splits `line` in place; blanks around a field are dropped. */
static void split(char *line, const char **field, int most)
{
    for (int i = 0; i < most && line; i++) {
        char *comma = strchr(line, ',');
        if (comma) *comma = '\0';
        line += strspn(line, " \t\"");
        size_t n = strlen(line);
        while (n > 0 && strchr(" \t\"", line[n - 1])) line[--n] = '\0';
        field[i] = line;
        line     = comma ? comma + 1 : NULL;
    }
}

/* The next line that holds anything and is no comment; NULL at the end. */
static char *next_line(char **text, int *number)
{
    while (*text) {
        char *line = *text, *end = strchr(line, '\n');
        if (end) *end = '\0';
        *text = end ? end + 1 : NULL;
        ++*number;
        size_t n = strlen(line);
        if (n > 0 && line[n - 1] == '\r') line[n - 1] = '\0';
        if (line[strspn(line, " \t")] != '\0' && line[0] != '#') return line;
    }
    return NULL;
}

static int count_lines(const char *text)
{
    int n = 1;
    for (; *text; text++) n += *text == '\n';
    return n;
}

kl_status kl_cases_read(const char *path, kl_arena *arena, kl_diag *diag, kl_cases *out)
{
    kl_status status;
    int       number = 0;
    char     *text   = whole_file(path, arena, diag, &status);
    if (!text) return status;
    /* An upper bound of the rows: empty lines and comments are among them. */
    int most = count_lines(text);
    *out     = (kl_cases){.file = path};
    /* Spreadsheets write a byte order mark. */
    if ((unsigned char)text[0] == 0xEF && strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
    char *line = next_line(&text, &number);
    if (!line)
        return kl_fail(diag, KL_E_FILE, (kl_place){.file = path},
                       "the file is empty; give a CSV file with one header row");
    out->ncolumn = count_fields(line);
    out->column  = kl_arena_array(arena, const char *, out->ncolumn);
    out->cell    = kl_arena_array(arena, const char *, (size_t)most *(size_t)out->ncolumn);
    out->line    = kl_arena_array(arena, int, most);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    split(line, out->column, out->ncolumn);
    while ((line = next_line(&text, &number))) {
        int n = count_fields(line);
        if (n != out->ncolumn) {
            status = kl_fail(
                diag, KL_E_FILE, (kl_place){path, number, 1},
                "this row has %d fields, but the header has %d; give every row the same number", n,
                out->ncolumn);
            continue;
        }
        split(line, out->cell + (size_t)out->nrow * (size_t)out->ncolumn, n);
        out->line[out->nrow++] = number;
    }
    return status;
}

int kl_cases_find(const kl_cases *c, const char *name)
{
    for (int i = 0; i < c->ncolumn; i++)
        if (strcmp(c->column[i], name) == 0) return i;
    return -1;
}

kl_status kl_cases_number(const kl_cases *c, int row, int column, kl_diag *diag, double *value)
{
    const char *text = c->cell[(size_t)row * (size_t)c->ncolumn + (size_t)column];
    const char *stop = kl_scan_number(text, text + strlen(text), value);
    if (stop && *stop == '\0' && *value == *value) return KL_OK;
    return kl_fail(diag, KL_E_FILE, (kl_place){c->file, c->line[row], column + 1},
                   "'%s' is not a number (column %s); write a number", text, c->column[column]);
}

kl_status kl_cases_numbers(const kl_cases *c, int row, const int *index, int n, kl_diag *diag,
                           double *values)
{
    kl_status status = KL_OK;
    for (int i = 0; i < n; i++) {
        if (index[i] < 0) continue;
        kl_status one = kl_cases_number(c, row, index[i], diag, &values[i]);
        if (status == KL_OK) status = one;
    }
    return status;
}

/* ---- printing ---- */

static bool is_result(const char *name, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

void kl_cases_print(FILE *f, const kl_cases *c, const char *const *names, int nresult,
                    const double *results, int digits)
{
    for (int row = -1; row < c->nrow; row++) {
        const char *const *cell = row < 0 ? c->column : c->cell + (size_t)row * (size_t)c->ncolumn;
        for (int i = 0; i < c->ncolumn; i++)
            if (!is_result(c->column[i], names, nresult)) fprintf(f, "%s,", cell[i]);
        for (int i = 0; i < nresult; i++) {
            if (row < 0) fprintf(f, "%s", names[i]);
            else fprintf(f, "%.*g", digits, results[(size_t)row * (size_t)nresult + (size_t)i]);
            fputc(i + 1 < nresult ? ',' : '\n', f);
        }
    }
}
