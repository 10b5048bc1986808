#include "store/surface_file.h"

#include <string.h>

#include "store/table_file.h"

static const char FORMAT[] = "klingel-surface";

enum { WINDOW = 64, CHUNK = 16, NUMBERS = 9 };
static const double WHOLE = 32e6; /* bytes of a table that is simply read whole */

/* ---- writing ---- */

typedef struct pen {
    kl_h5      *file;
    kl_h5_table table;
    int         row;
} pen;

static kl_status pen_begin(void *context, int nu, int nv)
{
    pen *p = context;
    (void)nu;
    int  chunk = nv < CHUNK ? nv : CHUNK;
    bool good =
        kl_h5_make_group(p->file, "table") &&
        kl_h5_create_table(p->file, "table/cells", nv * KL_CELL, CHUNK, chunk * KL_CELL, &p->table);
    return good ? KL_OK : KL_E_FILE;
}

static kl_status pen_write(void *context, const double *row)
{
    pen *p = context;
    return kl_h5_put(p->file, p->table, p->row++, 1, row) ? KL_OK : KL_E_FILE;
}

static kl_status write_all(kl_h5 *f, const kl_surface *exact,
                           const kl_surface_table_settings *settings, const char *title,
                           kl_arena *arena, kl_diag *diag, kl_surface_table *t)
{
    pen          p    = {.file = f};
    kl_cell_sink sink = {&p, pen_begin, pen_write};
    kl_h5_table  numbers;
    KL_TRY(kl_surface_table_build(exact, settings, sink, arena, diag, t));
    double number[NUMBERS] = {t->u[0],     t->u[1], t->v[0],     t->v[1],    t->closed_u,
                              t->closed_v, t->flip, t->error[0], t->error[1]};
    bool   good =
        kl_table_file_stamp(f, FORMAT, KL_SURFACE_MAJOR, KL_SURFACE_MINOR) &&
        kl_h5_write_attribute(f, "/", "title", title ? title : "") &&
        kl_h5_write_attribute(f, "/", "interpolation", kl_table_method_names()[t->method]) &&
        kl_h5_create_table(f, "table/numbers", 0, NUMBERS, 0, &numbers) &&
        kl_h5_put(f, numbers, 0, NUMBERS, number);
    return good ? KL_OK : KL_E_FILE;
}

kl_status kl_surface_file_write(const char *path, const kl_surface *exact,
                                const kl_surface_table_settings *settings, const char *title,
                                kl_arena *arena, kl_diag *diag, kl_surface_table *table)
{
    kl_table_file out;
    KL_TRY(kl_table_file_begin(&out, path, arena, diag));
    return kl_table_file_end(&out, write_all(out.file, exact, settings, title, arena, diag, table),
                             diag);
}

/* ---- reading ---- */

struct kl_surface_file {
    kl_arena        *arena;
    kl_h5           *file;
    kl_h5_table      cells;
    kl_surface_table table;
    kl_surface      *surface;
};

static kl_status cells_read(void *context, int u0, int nu, int v0, int nv, double *cells)
{
    kl_surface_file *f = context;
    return kl_h5_get(f->file, f->cells, u0, nu, v0 * KL_CELL, nv * KL_CELL, cells) ? KL_OK
                                                                                   : KL_E_FILE;
}

/* Reads all but the cells; a reason when something does not fit. */
static const char *read_head(kl_surface_file *f)
{
    kl_surface_table *t      = &f->table;
    const char       *method = kl_h5_read_attribute(f->file, "/", "interpolation", f->arena);
    kl_h5_table       numbers;
    double            n[NUMBERS];
    int               rows = 0;
    if (!method || !kl_table_method_find(method, &t->method)) return "its interpolation is unknown";
    if (!kl_h5_open_table(f->file, "table/numbers", &numbers) || numbers.ncolumn != 0 ||
        !kl_h5_rows(f->file, numbers, &rows) || rows < NUMBERS ||
        !kl_h5_get(f->file, numbers, 0, NUMBERS, 0, 0, n))
        return "table/numbers cannot be read";
    if (!kl_h5_open_table(f->file, "table/cells", &f->cells) || f->cells.ncolumn % KL_CELL != 0 ||
        !kl_h5_rows(f->file, f->cells, &t->nu))
        return "table/cells cannot be read";
    t->nv   = f->cells.ncolumn / KL_CELL;
    t->u[0] = n[0], t->u[1] = n[1], t->v[0] = n[2], t->v[1] = n[3];
    t->closed_u = n[4] != 0.0, t->closed_v = n[5] != 0.0, t->flip = n[6] != 0.0;
    t->error[0] = n[7], t->error[1] = n[8];
    return NULL;
}

static kl_status open_cells(kl_surface_file *f, int window)
{
    kl_surface_table *t     = &f->table;
    double            bytes = 8.0 * KL_CELL * t->nu * t->nv;
    if (window > 0 || bytes > WHOLE) {
        t->window_u = t->window_v = window > 0 ? (window < 4 ? 4 : window) : WINDOW;
        t->source                 = (kl_cell_source){f, cells_read};
        return KL_OK;
    }
    double *cells = kl_arena_array(f->arena, double, (size_t)t->nu *(size_t)t->nv *KL_CELL);
    if (!cells) return KL_E_MEMORY;
    t->cells = cells;
    return cells_read(f, 0, t->nu, 0, t->nv, cells);
}

static kl_status open_all(kl_surface_file *f, const char *path, int window, kl_diag *diag)
{
    kl_place at = {.file = path};
    KL_TRY(
        kl_table_file_open(path, FORMAT, "a surface", KL_SURFACE_MAJOR, f->arena, diag, &f->file));
    const char *why = read_head(f);
    if (why) return kl_fail(diag, KL_E_FILE, at, "is damaged: %s", why);
    kl_status status = open_cells(f, window);
    if (status == KL_OK) status = kl_surface_from_table(&f->table, f->arena, &f->surface);
    if (status == KL_E_MODEL)
        return kl_fail(diag, KL_E_FILE, at, "is damaged: its sizes are inconsistent");
    if (status == KL_E_FILE) return kl_fail(diag, status, at, "its cells cannot be read");
    return status;
}

kl_status kl_surface_file_open(const char *path, int window, kl_diag *diag, kl_surface_file **out)
{
    kl_arena        *arena = kl_arena_create();
    kl_surface_file *f     = kl_arena_array(arena, kl_surface_file, 1);
    *out                   = NULL;
    if (!f) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    f->arena         = arena;
    kl_status status = open_all(f, path, window, diag);
    if (status == KL_OK) *out = f;
    else kl_surface_file_close(f);
    return status;
}

void kl_surface_file_close(kl_surface_file *f)
{
    char why[KL_H5_WHY];
    if (!f) return;
    kl_h5_close(f->file, why);
    kl_arena_destroy(f->arena);
}

const kl_surface       *kl_surface_file_surface(const kl_surface_file *f) { return f->surface; }
const kl_surface_table *kl_surface_file_table(const kl_surface_file *f) { return &f->table; }
