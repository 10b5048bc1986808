#include "store/series_file.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/number.h"
#include "store/h5.h"

typedef struct reader {
    const char *path, *column;
    kl_place    place; /* in the model */
    kl_arena   *arena;
    kl_diag    *diag;
    int         line, wanted, capacity; /* wanted: number of the column, from 0; 0: not known yet */
} reader;

static kl_status no_column(const reader *r, const char *names)
{
    return kl_fail(r->diag, KL_E_NAME, r->place,
                   "there is no column `%s` in %s; its columns are: %s", r->column, r->path, names);
}

/* ---- text ---- */

/* `name` as it is in the file, or before a unit in brackets. */
static bool is_name(const char *p, int length, const char *name)
{
    int n = (int)strlen(name);
    if (length < n || strncmp(p, name, (size_t)n) != 0) return false;
    return length == n || (length > n + 1 && p[n] == ' ' && p[n + 1] == '[');
}

static kl_status find_column(reader *r, const char *line)
{
    const char *p = line, *end = line + strcspn(line, "\r\n");
    r->wanted = r->column ? 0 : 1;
    for (int c = 0; p < end && r->column; c++) {
        int length = (int)strcspn(p, ",;\t\r\n");
        if (c > 0 && is_name(p, length, r->column)) r->wanted = c;
        p += length + 1;
    }
    if (r->wanted > 0) return KL_OK;
    return no_column(r, kl_arena_format(r->arena, "%.*s", (int)(end - line), line));
}

static kl_status grow(reader *r, kl_series *out)
{
    int     capacity = r->capacity ? 2 * r->capacity : 1024;
    double *x = kl_arena_array(r->arena, double, capacity), *y = NULL;
    if (x) y = kl_arena_array(r->arena, double, capacity);
    if (!y) return KL_E_MEMORY;
    if (out->n > 0) {
        memcpy(x, out->x, (size_t)out->n * sizeof *x);
        memcpy(y, out->y, (size_t)out->n * sizeof *y);
    }
    out->x = x, out->y = y, r->capacity = capacity;
    return KL_OK;
}

static kl_status read_row(reader *r, const char *line, kl_series *out)
{
    const char *p = line, *end = line + strcspn(line, "\r\n");
    if (out->n == r->capacity) KL_TRY(grow(r, out));
    for (int c = 0; c <= r->wanted; c++) {
        double v = 0.0;
        p += strspn(p, " ");
        const char *next = kl_scan_number(p, end, &v);
        if ((c == 0 || c == r->wanted) && (!next || !isfinite(v)))
            return kl_fail(r->diag, KL_E_FILE, (kl_place){r->path, r->line, (int)(p - line) + 1},
                           "expected a number in column %d", c + 1);
        if (c == 0) out->x[out->n] = v;
        if (c == r->wanted) out->y[out->n] = v;
        p += strcspn(p, ",;\t\r\n");
        p += p < end;
    }
    out->n++;
    return KL_OK;
}

static bool starts_with_number(const char *line)
{
    double v;
    return kl_scan_number(line, line + strcspn(line, ",;\t\r\n"), &v) != NULL;
}

static kl_status read_line(reader *r, const char *line, kl_series *out)
{
    if (line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0') return KL_OK;
    if (r->wanted > 0) return read_row(r, line, out);
    if (!starts_with_number(line)) return find_column(r, line);
    if (r->column)
        return kl_fail(r->diag, KL_E_FILE, (kl_place){r->path, r->line, 1},
                       "the first line does not name the columns; write for example "
                       "`time,%s` there, or leave out `column`",
                       r->column);
    r->wanted = 1;
    return read_row(r, line, out);
}

static kl_status read_text(reader *r, kl_series *out)
{
    char  line[8192];
    FILE *f = kl_file_open(r->path);
    if (!f)
        return kl_fail(r->diag, KL_E_FILE, r->place, "%s cannot be read: %s", r->path,
                       kl_file_reason(errno));
    kl_status status = KL_OK;
    while (status == KL_OK && fgets(line, sizeof line, f)) {
        r->line++;
        status = read_line(r, line, out);
    }
    fclose(f);
    return status;
}

/* ---- results ---- */

static kl_status read_channel(reader *r, kl_h5 *f, kl_series *out)
{
    kl_h5_table  values, time;
    int          n = kl_h5_count(f, "channels/column"), k = 0;
    const char **name  = n > 0 ? kl_h5_read_texts(f, "channels/name", n, r->arena) : NULL;
    int         *where = n > 0 ? kl_h5_read_ints(f, "channels/column", n, r->arena) : NULL;
    if (!name || !where || !kl_h5_open_table(f, "time", &time) ||
        !kl_h5_open_table(f, "values", &values) || !kl_h5_rows(f, time, &out->n))
        return kl_fail(r->diag, KL_E_FILE, r->place, "%s is not a results file of a run", r->path);
    if (!r->column)
        return kl_fail(r->diag, KL_E_MODEL, r->place,
                       "%s holds %d channels; name one: `column: %s`", r->path, n, name[0]);
    while (k < n && strcmp(name[k], r->column) != 0) k++;
    if (k == n)
        return no_column(r, kl_arena_format(r->arena,
                                            "%d channels; `klingel export %s --list` "
                                            "prints their names",
                                            n, r->path));
    out->x = kl_arena_array(r->arena, double, out->n + 1);
    out->y = kl_arena_array(r->arena, double, out->n + 1);
    if (!out->x || !out->y) return KL_E_MEMORY;
    if (!kl_h5_get(f, time, 0, out->n, 0, 1, out->x) ||
        !kl_h5_get(f, values, 0, out->n, where[k], 1, out->y))
        return kl_fail(r->diag, KL_E_FILE, r->place, "%s cannot be read: %s", r->path,
                       kl_h5_error_text(f));
    return KL_OK;
}

static kl_status read_results(reader *r, kl_series *out)
{
    char   why[KL_H5_WHY];
    kl_h5 *f = kl_h5_open(r->path, KL_H5_READ, why);
    if (!f) return kl_fail(r->diag, KL_E_FILE, r->place, "%s cannot be read: %s", r->path, why);
    kl_status status = read_channel(r, f, out);
    kl_h5_close(f, why);
    return status;
}

/* Rows at the same time (before and after an event) count once: the last one. */
static void drop_repeated(kl_series *s)
{
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        if (n > 0 && s->x[i] == s->x[n - 1]) n--;
        s->x[n] = s->x[i], s->y[n++] = s->y[i];
    }
    s->n = n;
}

kl_status kl_series_file_read(const char *path, const char *column, kl_place place, kl_arena *arena,
                              kl_diag *diag, kl_series *out)
{
    reader      r = {.path = path, .column = column, .place = place, .arena = arena, .diag = diag};
    kl_h5_start start;
    *out       = (kl_series){0};
    bool is_h5 = kl_h5_probe(path, &start) && start.is_h5;
    KL_TRY(is_h5 ? read_results(&r, out) : read_text(&r, out));
    drop_repeated(out);
    if (out->n >= 2) return KL_OK;
    return kl_fail(diag, KL_E_FILE, place, "%s: at least 2 rows are needed; %d were found", path,
                   out->n);
}
