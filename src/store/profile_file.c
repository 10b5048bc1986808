#include "store/profile_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/number.h"

enum { MOST_BYTES = 50000000, MOST_COLUMNS = 32 };

const char *kl_profile_format_name(kl_profile_format format)
{
    static const char *const names[] = {"two columns", "Simpack", "MiniProf"};
    return names[format];
}

typedef struct reader {
    kl_profile_points *out;
    kl_arena          *arena;
    kl_diag           *diag;
    int                line;      /* present one, from 1 */
    int                capacity;  /* of the points */
    int                column[2]; /* which numbers of a row are y and z */
    bool               in_points; /* Simpack: between point.begin and point.end */
    double             mirror[2], shift[2], rotate, angle_unit;
} reader;

static kl_place here(const reader *r, int column)
{
    return (kl_place){r->out->file, r->line, column};
}

static kl_status add_point(reader *r, double y, double z)
{
    kl_profile_points *p = r->out;
    if (p->n == r->capacity) {
        int     capacity = r->capacity ? 2 * r->capacity : 512;
        double *ys       = kl_arena_array(r->arena, double, capacity),
               *zs       = kl_arena_array(r->arena, double, capacity);
        int *lines       = kl_arena_array(r->arena, int, capacity);
        if (!kl_arena_ok(r->arena)) return KL_E_MEMORY;
        if (p->n > 0) {
            memcpy(ys, p->y, (size_t)p->n * sizeof *ys);
            memcpy(zs, p->z, (size_t)p->n * sizeof *zs);
            memcpy(lines, p->line, (size_t)p->n * sizeof *lines);
        }
        p->y = ys, p->z = zs, p->line = lines, r->capacity = capacity;
    }
    p->y[p->n] = y, p->z[p->n] = z, p->line[p->n++] = r->line;
    return KL_OK;
}

/* Numbers of a row, separated by blanks, commas or semicolons. Stops at a comment, or at a text behind
 * the first two; returns their count, or -1 - (byte) where something else stands. */
static int numbers(const char *p, const char *end, double *value)
{
    const char *start = p;
    int         n     = 0;
    while (p < end) {
        while (p < end && (isspace((unsigned char)*p) || *p == ',' || *p == ';')) p++;
        if (p == end || *p == '#' || *p == '!' || *p == '%') break;
        double      v;
        const char *next = kl_scan_number(p, end, &v);
        if (!next || (next < end && !strchr(" \t\r,;#!%", *next)))
            return n >= 2 ? n : -1 - (int)(p - start);
        if (n < MOST_COLUMNS) value[n++] = v;
        p = next;
    }
    return n;
}

static kl_status row(reader *r, const char *p, const char *end, bool may_be_names)
{
    double value[MOST_COLUMNS];
    int    n = numbers(p, end, value),
        need = r->column[0] > r->column[1] ? r->column[0] : r->column[1];
    if (n == 0) return KL_OK;
    if (n < 0 && may_be_names) return KL_OK;
    if (n < 0)
        return kl_fail(r->diag, KL_E_FILE, here(r, -n),
                       "expected numbers: a profile has one point per line, y and z");
    if (n <= need)
        return kl_fail(r->diag, KL_E_FILE, here(r, 1),
                       "this line has %d number%s; a point needs y and z", n, n == 1 ? "" : "s");
    double y = value[r->column[0]], z = value[r->column[1]];
    if (!isfinite(y) || !isfinite(z))
        return kl_fail(r->diag, KL_E_NAN, here(r, 1),
                       "the point (%g, %g) is not finite; correct or delete this line", y, z);
    return add_point(r, y, z);
}

/* ---- two columns ---- */

/* Names of columns such as `y_mm,z_mm` say the unit. */
static void unit_of_names(reader *r, const char *p, const char *end)
{
    static const struct {
        const char *suffix;
        double      unit;
    } units[]  = {{"_mm", 1e-3}, {"[mm]", 1e-3},  {"_m", 1.0},
                  {"[m]", 1.0},  {"_in", 0.0254}, {"[in]", 0.0254}};
    int length = (int)strcspn(p, ",;\t\n");
    if (length > (int)(end - p)) length = (int)(end - p);
    while (length > 0 && isspace((unsigned char)p[length - 1])) length--;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        int n = (int)strlen(units[k].suffix);
        if (length > n && strncmp(p + length - n, units[k].suffix, (size_t)n) == 0) {
            r->out->unit = units[k].unit;
            return;
        }
    }
}

static kl_status columns_line(reader *r, const char *p, const char *end)
{
    double value[MOST_COLUMNS];
    bool   names = r->out->n == 0 && numbers(p, end, value) < 0;
    if (names) unit_of_names(r, p, end);
    return row(r, p, end, r->out->n == 0);
}

/* ---- keys and values ---- */

/* Cuts `key = value` out of a line; false when there is no `=`. */
static bool key_value(const char *p, const char *end, char key[64], char value[128])
{
    const char *equal = memchr(p, '=', (size_t)(end - p));
    if (!equal) return false;
    const char *k = p, *ke = equal, *v = equal + 1, *ve = end;
    while (k < ke && isspace((unsigned char)*k)) k++;
    while (ke > k && isspace((unsigned char)ke[-1])) ke--;
    while (v < ve && (isspace((unsigned char)*v) || *v == '\'' || *v == '"')) v++;
    while (ve > v && (isspace((unsigned char)ve[-1]) || ve[-1] == '\'' || ve[-1] == '"')) ve--;
    snprintf(key, 64, "%.*s", (int)(ke - k < 63 ? ke - k : 63), k);
    snprintf(value, 128, "%.*s", (int)(ve - v < 127 ? ve - v : 127), v);
    return true;
}

/* ---- Simpack ---- */

static void simpack_key(reader *r, const char *key, const char *value)
{
    double v = atof(value);
    if (strcmp(key, "units.len.f") == 0 && v > 0.0) r->out->unit = 1.0 / v;
    else if (strcmp(key, "units.ang.f") == 0 && v > 0.0) r->angle_unit = 1.0 / v;
    else if (strcmp(key, "mirror.y") == 0 && v != 0.0) r->mirror[0] = -1.0;
    else if (strcmp(key, "mirror.z") == 0 && v != 0.0) r->mirror[1] = -1.0;
    else if (strcmp(key, "shift.y") == 0) r->shift[0] = v;
    else if (strcmp(key, "shift.z") == 0) r->shift[1] = v;
    else if (strcmp(key, "rotate") == 0) r->rotate = v;
    else if (strcmp(key, "inversion") == 0) r->out->reversed = v != 0.0;
}

static kl_status simpack_line(reader *r, const char *p, const char *end)
{
    char key[64], value[128];
    while (p < end && isspace((unsigned char)*p)) p++;
    if (end - p >= 11 && strncmp(p, "point.begin", 11) == 0) r->in_points = true;
    else if (end - p >= 9 && strncmp(p, "point.end", 9) == 0) r->in_points = false;
    else if (r->in_points) return row(r, p, end, false);
    else if (key_value(p, end, key, value)) simpack_key(r, key, value);
    return KL_OK;
}

/* Mirrored, then turned, then shifted. */
static void simpack_finish(reader *r)
{
    double c = cos(r->rotate * r->angle_unit), s = sin(r->rotate * r->angle_unit);
    for (int i = 0; i < r->out->n; i++) {
        double y = r->mirror[0] * r->out->y[i], z = r->mirror[1] * r->out->z[i];
        r->out->y[i] = c * y - s * z + r->shift[0];
        r->out->z[i] = s * y + c * z + r->shift[1];
    }
    if (r->out->unit == 0.0) r->out->unit = 1.0;
}

/* ---- MiniProf ---- */

/* ColumnDef=X,Y,A,... says which columns hold the point. */
static void miniprof_columns(reader *r, const char *value)
{
    int column = 0;
    for (const char *p = value; *p; column++) {
        if (*p == 'X' || *p == 'x') r->column[0] = column;
        if (*p == 'Y' || *p == 'y') r->column[1] = column;
        p += strcspn(p, ",");
        p += *p == ',';
    }
}

static kl_status miniprof_line(reader *r, const char *p, const char *end)
{
    char key[64], value[128];
    if (!key_value(p, end, key, value)) return row(r, p, end, false);
    if (strcmp(key, "ColumnDef") == 0) miniprof_columns(r, value);
    return KL_OK;
}

/* ---- the file ---- */

static const struct {
    kl_status (*line)(reader *r, const char *p, const char *end);
    void (*finish)(reader *r);
} formats[] = {
    [KL_PROFILE_COLUMNS]  = {columns_line, NULL},
    [KL_PROFILE_SIMPACK]  = {simpack_line, simpack_finish},
    [KL_PROFILE_MINIPROF] = {miniprof_line, NULL},
};

static kl_profile_format recognise(const char *text, size_t n)
{
    char head[4000];
    snprintf(head, sizeof head, "%.*s", (int)(n < sizeof head ? n : sizeof head - 1), text);
    if (strstr(head, "spline.begin") || strstr(head, "header.begin")) return KL_PROFILE_SIMPACK;
    /* a key at the start of a line, before any number */
    const char *equal = strchr(head, '=');
    if (strstr(head, "ColumnDef") || (equal && isalpha((unsigned char)head[0])))
        return KL_PROFILE_MINIPROF;
    return KL_PROFILE_COLUMNS;
}

static kl_status load(const char *path, kl_arena *arena, kl_diag *diag, char **text, size_t *n)
{
    kl_place place = {path, 0, 0};
    FILE    *f     = kl_file_open(path);
    if (!f) return kl_fail(diag, KL_E_FILE, place, "cannot be read: %s", kl_file_reason(errno));
    size_t capacity = 1 << 16;
    char  *data     = malloc(capacity);
    *n              = 0;
    while (data) {
        *n += fread(data + *n, 1, capacity - *n, f);
        if (*n < capacity || capacity >= MOST_BYTES) break;
        char *more = realloc(data, capacity *= 2);
        if (!more) free(data);
        data = more;
    }
    bool failed = ferror(f) != 0;
    fclose(f);
    *text       = data ? kl_arena_text_n(arena, data, *n) : NULL;
    bool binary = data && memchr(data, 0, *n);
    free(data);
    if (!*text) return KL_E_MEMORY;
    if (failed) return kl_fail(diag, KL_E_FILE, place, "cannot be read: %s", kl_file_reason(errno));
    if (binary)
        return kl_fail(diag, KL_E_FILE, place,
                       "this is not a text file; a profile is a text with one point per line");
    return KL_OK;
}

kl_status kl_profile_file_parse(const char *path, const char *text, size_t n, kl_arena *arena,
                                kl_diag *diag, kl_profile_points *out)
{
    *out        = (kl_profile_points){.file = kl_arena_text(arena, path)};
    out->format = recognise(text, n);
    reader r    = {.out        = out,
                   .arena      = arena,
                   .diag       = diag,
                   .column     = {0, 1},
                   .mirror     = {1.0, 1.0},
                   .angle_unit = 1.0};
    if (out->format == KL_PROFILE_MINIPROF) out->unit = 1e-3;
    for (const char *p = text, *stop = text + n; p < stop;) {
        const char *end = memchr(p, '\n', (size_t)(stop - p));
        if (!end) end = stop;
        r.line++;
        KL_TRY(formats[out->format].line(&r, p, end));
        p = end + 1;
    }
    if (formats[out->format].finish) formats[out->format].finish(&r);
    if (out->n < 8)
        return kl_fail(diag, KL_E_FILE, (kl_place){path, 0, 0},
                       "a profile needs at least 8 points; %d were found (read as %s); give one "
                       "point per line, such as -12.5, 0.31",
                       out->n, kl_profile_format_name(out->format));
    return KL_OK;
}

kl_status kl_profile_file_read(const char *path, kl_arena *arena, kl_diag *diag,
                               kl_profile_points *out)
{
    char  *text = NULL;
    size_t n    = 0;
    KL_TRY(load(path, arena, diag, &text, &n));
    return kl_profile_file_parse(path, text, n, arena, diag, out);
}
