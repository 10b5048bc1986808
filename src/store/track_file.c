#include "store/track_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/h5.h"
#include "store/table_file.h"

static const char FORMAT[] = "klingel-track";

enum { CHUNK = 1024, WINDOW = 2048, PIECE_COLUMNS = 4, NUMBERS = 1 + KL_NCLASS };
static const double WHOLE = 32e6; /* bytes of a table that is simply read whole */

/* ---- writing ---- */

/* Rows on their way to the file, a chunk at a time. */
typedef struct pen {
    kl_h5      *file;
    kl_h5_table table;
    double     *rows;
    int         n;
    int64_t     written;
} pen;

static kl_status pen_flush(pen *p)
{
    if (p->n > 0 && !kl_h5_put(p->file, p->table, p->written, p->n, p->rows)) return KL_E_FILE;
    p->written += p->n;
    p->n = 0;
    return KL_OK;
}

static kl_status pen_write(void *context, const double *rows, int n)
{
    pen *p = context;
    for (int i = 0; i < n; i++) {
        memcpy(p->rows + (size_t)p->n * KL_ROW, rows + (size_t)i * KL_ROW, KL_ROW * sizeof *rows);
        if (++p->n == CHUNK) KL_TRY(pen_flush(p));
    }
    return KL_OK;
}

static bool write_names(kl_h5 *f)
{
    const char *name[KL_ROW], *unit[KL_ROW];
    for (int i = 0; i < KL_ROW; i++) name[i] = kl_path_row_name(i), unit[i] = kl_path_row_unit(i);
    return kl_h5_write_texts(f, "table/columns", name, KL_ROW) &&
           kl_h5_write_texts(f, "table/units", unit, KL_ROW);
}

static bool write_texts(kl_h5 *f, const kl_track_texts *t, const kl_path *exact,
                        const kl_table_settings *settings)
{
    const char       *method          = kl_table_method_names()[settings->method];
    const char *const attributes[][2] = {{"title", t->title},
                                         {"frame", t->frame},
                                         {"interpolation", method},
                                         {"closed", exact->closed ? "true" : "false"}};
    bool              good = kl_table_file_stamp(f, FORMAT, KL_TRACK_MAJOR, KL_TRACK_MINOR);
    for (int i = 0; i < 4; i++)
        good = good && kl_h5_write_attribute(f, "/", attributes[i][0],
                                             attributes[i][1] ? attributes[i][1] : "");
    return good && write_names(f) &&
           kl_h5_write_text(f, "source/file", t->source_file ? t->source_file : "") &&
           kl_h5_write_text(f, "source/text", t->source_text ? t->source_text : "");
}

static bool write_pieces(kl_h5 *f, const kl_path_table *t, kl_arena *arena)
{
    kl_h5_table table, numbers;
    double     *row = kl_arena_array(arena, double, (size_t)t->npiece *PIECE_COLUMNS);
    if (!row) return false;
    for (int i = 0; i < t->npiece; i++) {
        const kl_table_piece *p = &t->piece[i];
        double               *r = row + (size_t)i * PIECE_COLUMNS;
        r[0] = p->s, r[1] = p->h, r[2] = p->row, r[3] = p->n;
    }
    double number[NUMBERS] = {t->length};
    memcpy(number + 1, t->error, sizeof t->error);
    return kl_h5_create_table(f, "table/pieces", PIECE_COLUMNS, CHUNK, PIECE_COLUMNS, &table) &&
           kl_h5_put(f, table, 0, t->npiece, row) &&
           kl_h5_create_table(f, "table/numbers", 0, NUMBERS, 0, &numbers) &&
           kl_h5_put(f, numbers, 0, NUMBERS, number);
}

static kl_status write_all(kl_h5 *f, const kl_path *exact, const kl_table_settings *settings,
                           const kl_track_texts *texts, kl_arena *arena, kl_diag *diag,
                           kl_path_table *table)
{
    pen p = {.file = f, .rows = kl_arena_array(arena, double, (size_t)CHUNK *KL_ROW)};
    if (!p.rows) return KL_E_MEMORY;
    if (!write_texts(f, texts, exact, settings) ||
        !kl_h5_create_table(f, "table/rows", KL_ROW, CHUNK, KL_ROW, &p.table))
        return KL_E_FILE;
    KL_TRY(kl_path_table_build(exact, settings, (kl_row_sink){&p, pen_write}, arena, diag, table));
    KL_TRY(pen_flush(&p));
    return write_pieces(f, table, arena) ? KL_OK : KL_E_FILE;
}

kl_status kl_track_file_write(const char *path, const kl_path *exact,
                              const kl_table_settings *settings, const kl_track_texts *texts,
                              kl_arena *arena, kl_diag *diag, kl_path_table *table)
{
    kl_table_file out;
    KL_TRY(kl_table_file_begin(&out, path, arena, diag));
    kl_status status = write_all(out.file, exact, settings, texts, arena, diag, table);
    return kl_table_file_end(&out, status, diag);
}

/* ---- reading ---- */

enum { WHY = 160, MOST_CHECKED = 4000000 }; /* rows looked at when a file is opened: 1.2 GB */

struct kl_track_file {
    kl_arena      *arena;
    kl_h5         *file;
    kl_h5_table    rows;
    kl_path_table  table;
    kl_path       *path;
    kl_track_texts texts;
    char           why[WHY]; /* what is wrong with a row; empty: nothing was seen */
};

/* The fault of a row that is impossible: axes that are not unit vectors, or a step longer than its length. */
static const char *row_fault(const double *row, const double *before)
{
    static const int unit[4] = {KL_ROW_T, KL_ROW_B, KL_ROW_N, KL_ROW_G1};
    const double     rough   = 1e-6;
    for (int k = 0; k < 4; k++)
        if (!(fabs(kl_norm(kl_load(row + unit[k])) - 1.0) <= rough))
            return "an axis is not a unit vector";
    kl_vec3 t = kl_load(row + KL_ROW_T), b = kl_load(row + KL_ROW_B), n = kl_load(row + KL_ROW_N);
    if (!(fabs(kl_dot(t, b)) <= rough && fabs(kl_dot(b, n)) <= rough &&
          fabs(kl_dot(n, t)) <= rough))
        return "its axes are not orthogonal";
    if (!before) return NULL;
    double step = row[KL_ROW_L] - before[KL_ROW_L];
    double way  = kl_norm(kl_sub(kl_load(row + KL_ROW_G), kl_load(before + KL_ROW_G)));
    if (step < -rough) return "its length is smaller than the length of the previous row";
    if (!(way <= step + rough * (1.0 + step)))
        return "its distance from the previous row exceeds the length along the track";
    return NULL;
}

static kl_status check_row(kl_track_file *f, int number, const double *row, const double *before)
{
    const char *why = NULL;
    char        text[WHY];
    for (int k = 0; k < KL_ROW && !why; k++)
        if (!isfinite(row[k])) {
            snprintf(text, sizeof text, "%s is not finite", kl_path_row_name(k));
            why = text;
        }
    if (!why) why = row_fault(row, before);
    if (!why) return KL_OK;
    snprintf(f->why, sizeof f->why, "row %d (at %g m): %.100s", number + 1, row[KL_ROW_L], why);
    return KL_E_FILE;
}

static kl_status rows_read(void *context, int row, int n, double *rows)
{
    kl_track_file *f = context;
    if (!kl_h5_get(f->file, f->rows, row, n, 0, KL_ROW, rows)) return KL_E_FILE;
    for (int i = 0; i < n; i++)
        KL_TRY(check_row(f, row + i, rows + (size_t)i * KL_ROW,
                         i > 0 ? rows + (size_t)(i - 1) * KL_ROW : NULL));
    return KL_OK;
}

/* Looks at all rows of a table that stays in its file, a chunk at a time with one row in common. */
static kl_status check_rows(kl_track_file *f)
{
    if (f->table.nrow > MOST_CHECKED) return KL_OK;
    double   *rows   = malloc(CHUNK * KL_ROW * sizeof *rows);
    kl_status status = rows ? KL_OK : KL_E_MEMORY;
    for (int i = 0; status == KL_OK && i < f->table.nrow; i += CHUNK - 1) {
        int left = f->table.nrow - i;
        status   = rows_read(f, i, left < CHUNK ? left : CHUNK, rows);
    }
    free(rows);
    return status;
}

static const char *damaged_pieces(kl_track_file *f)
{
    kl_path_table *t = &f->table;
    kl_h5_table    pieces, numbers;
    double         number[NUMBERS];
    int            n = 0, nnumber = 0;
    if (!kl_h5_open_table(f->file, "table/numbers", &numbers) ||
        !kl_h5_rows(f->file, numbers, &nnumber) || nnumber < NUMBERS || numbers.ncolumn != 0 ||
        !kl_h5_get(f->file, numbers, 0, NUMBERS, 0, 0, number))
        return "table/numbers cannot be read";
    if (!kl_h5_open_table(f->file, "table/pieces", &pieces) || pieces.ncolumn != PIECE_COLUMNS ||
        !kl_h5_rows(f->file, pieces, &n) || n < 1)
        return "table/pieces cannot be read";
    double *row = kl_arena_array(f->arena, double, (size_t)n *PIECE_COLUMNS);
    t->piece    = kl_arena_array(f->arena, kl_table_piece, n);
    if (!kl_arena_ok(f->arena)) return "it is too large for memory";
    if (!kl_h5_get(f->file, pieces, 0, n, 0, PIECE_COLUMNS, row))
        return "table/pieces cannot be read";
    t->npiece = n;
    t->length = number[0];
    memcpy(t->error, number + 1, sizeof t->error);
    for (int i = 0; i < n; i++) {
        const double *r = row + (size_t)i * PIECE_COLUMNS;
        if (!(r[2] >= 0 && r[2] < 2147483647.0 && r[3] >= 1 && r[3] < 2147483647.0))
            return "a piece has a row or size out of range";
        t->piece[i] = (kl_table_piece){r[0], r[1], (int)r[2], (int)r[3]};
    }
    return NULL;
}

/* Reads all but the rows; a reason when something does not fit. */
static const char *read_head(kl_track_file *f)
{
    kl_path_table *t      = &f->table;
    const char    *method = kl_h5_read_attribute(f->file, "/", "interpolation", f->arena);
    const char    *closed = kl_h5_read_attribute(f->file, "/", "closed", f->arena);
    if (!method || !kl_table_method_find(method, &t->method)) return "its interpolation is unknown";
    t->closed = closed && strcmp(closed, "true") == 0;
    f->texts  = (kl_track_texts){kl_h5_read_attribute(f->file, "/", "title", f->arena),
                                 kl_h5_read_attribute(f->file, "/", "frame", f->arena),
                                 kl_h5_read_text(f->file, "source/file", f->arena),
                                 kl_h5_read_text(f->file, "source/text", f->arena)};
    if (!kl_h5_open_table(f->file, "table/rows", &f->rows) || f->rows.ncolumn != KL_ROW ||
        !kl_h5_rows(f->file, f->rows, &t->nrow))
        return "table/rows cannot be read";
    return damaged_pieces(f);
}

static kl_status open_rows(kl_track_file *f, int window)
{
    kl_path_table *t     = &f->table;
    double         bytes = 8.0 * KL_ROW * t->nrow;
    if (window > 0 || bytes > WHOLE) {
        t->window = window > 0 ? (window < 2 ? 2 : window) : WINDOW;
        t->source = (kl_row_source){f, rows_read};
        return check_rows(f);
    }
    double *rows = kl_arena_array(f->arena, double, (size_t)t->nrow *KL_ROW);
    if (!rows) return KL_E_MEMORY;
    t->rows = rows;
    return rows_read(f, 0, t->nrow, rows);
}

static kl_status open_all(kl_track_file *f, const char *path, int window, kl_diag *diag)
{
    kl_place at = {.file = path};
    KL_TRY(kl_table_file_open(path, FORMAT, "a track", KL_TRACK_MAJOR, f->arena, diag, &f->file));
    const char *why = read_head(f);
    if (why)
        return kl_fail(diag, KL_E_FILE, at, "is damaged: %s; write it again with `klingel track`",
                       why);
    kl_status status = open_rows(f, window);
    if (status == KL_OK) status = kl_path_from_table(&f->table, f->arena, &f->path);
    if (status == KL_E_MODEL)
        return kl_fail(
            diag, KL_E_FILE, at,
            "is damaged: its pieces do not fit its rows; write it again with `klingel track`");
    if (status == KL_E_FILE)
        return kl_fail(diag, status, at, "is damaged: %s; write it again with `klingel track`",
                       *f->why ? f->why : "its rows cannot be read");
    return status;
}

kl_status kl_track_file_open(const char *path, int window, kl_diag *diag, kl_track_file **out)
{
    kl_arena      *arena = kl_arena_create();
    kl_track_file *f     = kl_arena_array(arena, kl_track_file, 1);
    *out                 = NULL;
    if (!f) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    f->arena         = arena;
    kl_status status = open_all(f, path, window, diag);
    if (status == KL_OK) *out = f;
    else kl_track_file_close(f);
    return status;
}

void kl_track_file_close(kl_track_file *f)
{
    char why[KL_H5_WHY];
    if (!f) return;
    kl_h5_close(f->file, why);
    kl_arena_destroy(f->arena);
}

const kl_path       *kl_track_file_path(const kl_track_file *f) { return f->path; }
const kl_path_table *kl_track_file_table(const kl_track_file *f) { return &f->table; }
kl_track_texts       kl_track_file_texts(const kl_track_file *f) { return f->texts; }
