#include "store/irregularity_file.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/number.h"

enum { MOST = 64, S = KL_IRREGULARITY_COLUMNS };

static const char *const names[] = {"vertical",      "lateral",        "cross_level",
                                    "gauge",         "left_lateral",   "left_vertical",
                                    "right_lateral", "right_vertical", "s"};

typedef struct reader {
    const char *path;
    kl_arena   *arena;
    kl_diag    *diag;
    bool        spectrum; /* columns of kl_spectrum_file_read */
    int         ncolumn, line, capacity;
    char        between;    /* columns: the first of ; , tab and blank that the line of names has */
    int         what[MOST]; /* of each column: index into names, -1: passed over */
    double      unit[MOST];
} reader;

static kl_place here(const reader *r, int column) { return (kl_place){r->path, r->line, column}; }

/* Of a spectrum: the names have no unit but that of W. */
static void read_spectrum_name(reader *r, const char *p, int length)
{
    static const char W[]  = "W_rad_per_m";
    int               what = -1;
    if (length == (int)strlen(W) && strncmp(p, W, strlen(W)) == 0) what = S;
    for (int k = 0; k < 4; k++)
        if ((int)strlen(names[k]) == length && strncmp(p, names[k], (size_t)length) == 0) what = k;
    r->what[r->ncolumn] = what, r->unit[r->ncolumn++] = 1.0;
}

static void read_name(reader *r, const char *p, int length)
{
    int    what = -1, suffix = 0;
    double unit = 1.0;
    if (length > 3 && strncmp(p + length - 3, "_mm", 3) == 0) suffix = 3, unit = 1e-3;
    else if (length > 3 && strncmp(p + length - 3, "_km", 3) == 0) suffix = 3, unit = 1e3;
    else if (length > 2 && strncmp(p + length - 2, "_m", 2) == 0) suffix = 2;
    for (int k = 0; suffix > 0 && k <= S; k++)
        if ((int)strlen(names[k]) == length - suffix &&
            strncmp(p, names[k], (size_t)(length - suffix)) == 0)
            what = k;
    if (unit == 1e3 && what != S) what = -1;
    r->what[r->ncolumn] = what, r->unit[r->ncolumn++] = unit;
}

static kl_status read_names(reader *r, const char *line)
{
    bool s = false, any = false;
    if (strncmp(line, "\xEF\xBB\xBF", 3) == 0)
        line += 3; /* mark of UTF-8, as spreadsheets write it */
    r->between        = *(strpbrk(line, ";")    ? ";"
                          : strpbrk(line, ",")  ? ","
                          : strpbrk(line, "\t") ? "\t"
                                                : " ");
    const char ends[] = {r->between, '\r', '\n', '\0'};
    for (const char *p = line; *p && *p != '\r' && *p != '\n' && r->ncolumn < MOST;) {
        p += strspn(p, " ");
        int length = (int)strcspn(p, ends), name = length;
        while (name > 0 && strchr(" \t\"", p[name - 1])) name--;
        if (name > 0 && *p == '"')
            (r->spectrum ? read_spectrum_name : read_name)(r, p + 1, name - 1);
        else (r->spectrum ? read_spectrum_name : read_name)(r, p, name);
        p += length;
        p += *p == r->between;
        p += strspn(p, " ");
    }
    for (int c = 0; c < r->ncolumn; c++) {
        if (r->what[c] == S) s = true;
        else if (r->what[c] >= 0) any = true;
    }
    if (!s || !any)
        return kl_fail(r->diag, KL_E_FILE, here(r, 1),
                       "the first line must name the columns: %s; other columns are passed over; "
                       "found: %.*s",
                       r->spectrum ? "W_rad_per_m and some of vertical, lateral, cross_level, gauge"
                                   : "s_m (or s_km) and some of vertical_mm, lateral_mm, "
                                     "cross_level_mm, gauge_mm, or left_lateral_mm, "
                                     "left_vertical_mm, right_lateral_mm, right_vertical_mm",
                       (int)fmin(120.0, (double)strcspn(line, "\r\n")), line);
    return KL_OK;
}

static kl_status grow(reader *r, kl_irregularity_rows *out)
{
    int     capacity = r->capacity ? 2 * r->capacity : 1024;
    double *s        = kl_arena_array(r->arena, double, capacity);
    if (!s) return KL_E_MEMORY;
    if (out->n > 0) memcpy(s, out->s, (size_t)out->n * sizeof *s);
    out->s = s;
    for (int c = 0; c < r->ncolumn; c++) {
        int k = r->what[c];
        if (k < 0 || k == S) continue;
        double *v = kl_arena_array(r->arena, double, capacity);
        if (!v) return KL_E_MEMORY;
        if (out->n > 0) memcpy(v, out->value[k], (size_t)out->n * sizeof *v);
        out->value[k] = v;
    }
    r->capacity = capacity;
    return KL_OK;
}

/* Decimal commas become points where columns are separated by semicolons or tabs. */
static void replace_commas(const reader *r, char *line)
{
    for (char *p = line; (r->between == ';' || r->between == '\t') && *p; p++)
        if (*p == ',') *p = '.';
}

static kl_status read_row(reader *r, const char *line, kl_irregularity_rows *out)
{
    const char *p = line, *end = line + strcspn(line, "\r\n");
    p += strspn(p, " \t");
    if (p >= end || *p == '#') return KL_OK;
    if (out->n == r->capacity) KL_TRY(grow(r, out));
    const char ends[] = {r->between, '\r', '\n', '\0'};
    for (int c = 0; c < r->ncolumn; c++) {
        double v = 0.0;
        p += strspn(p, r->between == '\t' ? " " : " \t");
        const char *next = kl_scan_number(p, end, &v);
        /* behind a number only blanks may stand before the next separator */
        const char *blanks = r->between == ' ' ? "" : r->between == '\t' ? " " : " \t";
        const char *after  = next ? next + strspn(next, blanks) : NULL;
        bool        ended  = after && (after >= end || *after == r->between);
        if (r->what[c] >= 0 && (!ended || !isfinite(v)))
            return kl_fail(r->diag, KL_E_FILE, here(r, (int)(p - line) + 1),
                           "expected a number in column %d (%s)", c + 1, names[r->what[c]]);
        if (ended) p = after;
        p += strcspn(p, ends);
        p += p < end && *p == r->between;
        if (r->what[c] == S) out->s[out->n] = r->unit[c] * v;
        else if (r->what[c] >= 0) out->value[r->what[c]][out->n] = r->unit[c] * v;
    }
    if (out->n > 0 && !(out->s[out->n] > out->s[out->n - 1]))
        return kl_fail(
            r->diag, KL_E_RANGE, here(r, 1),
            "the first column must increase from row to row: %g follows %g; sort the rows",
            out->s[out->n], out->s[out->n - 1]);
    out->n++;
    return KL_OK;
}

static kl_status read_file(const char *path, bool spectrum, kl_arena *arena, kl_diag *diag,
                           kl_irregularity_rows *out)
{
    char   line[4096];
    reader r = {.path = path, .arena = arena, .diag = diag, .spectrum = spectrum};
    FILE  *f = kl_file_open(path);
    *out     = (kl_irregularity_rows){0};
    if (!f)
        return kl_fail(diag, KL_E_FILE, (kl_place){path, 0, 0}, "cannot be read: %s",
                       kl_file_reason(errno));
    kl_status status = KL_OK;
    while (status == KL_OK && fgets(line, sizeof line, f)) {
        r.line++;
        if (line[0] == '#') continue;
        if (r.ncolumn > 0) replace_commas(&r, line);
        status = r.ncolumn == 0 ? read_names(&r, line) : read_row(&r, line, out);
    }
    fclose(f);
    if (status == KL_OK && out->n < 4)
        return kl_fail(diag, KL_E_FILE, (kl_place){path, 0, 0},
                       "at least 4 rows are needed; %d were found", out->n);
    return status;
}

kl_status kl_irregularity_file_read(const char *path, kl_arena *arena, kl_diag *diag,
                                    kl_irregularity_rows *out)
{
    return read_file(path, false, arena, diag, out);
}

kl_status kl_spectrum_file_read(const char *path, kl_arena *arena, kl_diag *diag,
                                kl_irregularity_rows *out)
{
    return read_file(path, true, arena, diag, out);
}
