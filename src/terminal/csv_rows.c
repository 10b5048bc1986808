/* CSV: a line of names, then numbers with the fewest digits that keep their bits.
 * MAT: variables time (n x 1), values (n x m), names, units, descriptions (m x 1 cells), title. */
#include "terminal/csv_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/shortest.h"
#include "store/mat.h"

enum {
    CSV_BLOCK = 1 << 18,
    MAT_BLOCK = 1 << 25
}; /* numbers that are read at a time: 2 and 256 MB */

static int columns_of(const kl_table *t) { return t->selection.n; }

static int rows_of(const kl_table *t)
{
    return t->row1 > t->row0 ? (t->row1 - t->row0 - 1) / t->every + 1 : 0;
}

static const kl_channel_info *column_info(const kl_table *t, int j)
{
    return kl_reader_channel(t->reader, t->selection.channels[j]);
}

/* ---- CSV ---- */

static void print_number(FILE *f, double value)
{
    char text[KL_SHORTEST];
    /* -0.0 + 0.0 is 0.0: tables show no negative zeros */
    fwrite(text, 1, (size_t)kl_print_shortest(text, value + 0.0), f);
}

/* Names are quoted only where a comma, a quote or a line break would be misread (RFC 4180). */
static void print_name(FILE *f, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        fputs(name, f);
        return;
    }
    fputc('"', f);
    for (; *name; name++) {
        if (*name == '"') fputc('"', f);
        fputc(*name, f);
    }
    fputc('"', f);
}

static void print_rows(FILE *f, const kl_table *t, const double *values, int row0, int nrow)
{
    int n = columns_of(t);
    for (int i = 0; i < nrow && !ferror(f); i++) {
        if ((row0 + i - t->row0) % t->every != 0) continue;
        print_number(f, t->time[row0 + i]);
        for (int j = 0; j < n; j++) {
            fputc(',', f);
            print_number(f, values[(size_t)i * (size_t)n + (size_t)j]);
        }
        fputc('\n', f);
    }
}

static kl_status write_csv(FILE *f, const kl_table *t)
{
    int     n    = columns_of(t);
    int     rows = n > 0 && CSV_BLOCK / n > 1 ? CSV_BLOCK / n : 1;
    double *v    = malloc(((size_t)rows * (size_t)n + 1) * sizeof *v);
    if (!v) return KL_E_MEMORY;
    fputs("time", f);
    for (int j = 0; j < n; j++) {
        fputc(',', f);
        print_name(f, column_info(t, j)->name);
    }
    fputc('\n', f);
    kl_status status = KL_OK;
    for (int row = t->row0; status == KL_OK && row < t->row1 && !ferror(f); row += rows) {
        int nrow = t->row1 - row < rows ? t->row1 - row : rows;
        status   = kl_reader_block(t->reader, t->selection.channels, n, row, nrow, v);
        if (status == KL_OK) print_rows(f, t, v, row, nrow);
    }
    free(v);
    return status;
}

/* ---- MAT ---- */

static void write_columns(FILE *f, const kl_table *t, const double *values, int ncolumn)
{
    for (int j = 0; j < ncolumn; j++)
        for (int row = t->row0; row < t->row1; row += t->every)
            fwrite(values + (size_t)(row - t->row0) * (size_t)ncolumn + j, sizeof *values, 1, f);
}

/* The file has columns, the results have rows: as many columns as memory allows are turned at once.
 */
static kl_status write_values(FILE *f, const kl_table *t)
{
    int n = columns_of(t), all = t->row1 - t->row0;
    int some = all > 0 && MAT_BLOCK / all > 1 ? MAT_BLOCK / all : 1;
    if (some > n) some = n;
    double *v = malloc(((size_t)all * (size_t)some + 1) * sizeof *v);
    if (!v) return KL_E_MEMORY;
    kl_status status = KL_OK;
    kl_mat_matrix(f, "values", rows_of(t), n);
    for (int j = 0; status == KL_OK && j < n && all > 0 && !ferror(f); j += some) {
        int ncolumn = n - j < some ? n - j : some;
        status = kl_reader_block(t->reader, t->selection.channels + j, ncolumn, t->row0, all, v);
        if (status == KL_OK) write_columns(f, t, v, ncolumn);
    }
    free(v);
    return status;
}

static void write_times(FILE *f, const kl_table *t)
{
    kl_mat_matrix(f, "time", rows_of(t), 1);
    for (int row = t->row0; row < t->row1; row += t->every)
        fwrite(&t->time[row], sizeof *t->time, 1, f);
}

static kl_status write_mat(FILE *f, const kl_table *t)
{
    int          n     = columns_of(t);
    const char  *title = kl_reader_text(t->reader, "title");
    const char **texts = calloc(3 * (size_t)n + 1, sizeof *texts);
    if (!texts) return KL_E_MEMORY;
    for (int j = 0; j < n; j++) {
        const kl_channel_info *c = column_info(t, j);
        texts[j] = c->name, texts[n + j] = c->unit, texts[2 * n + j] = c->description;
    }
    kl_mat_begin(f, "MATLAB 5.0 MAT-file, results of a simulation with klingel");
    kl_mat_text(f, "title", title ? title : "");
    kl_mat_texts(f, "names", texts, n);
    kl_mat_texts(f, "units", texts + n, n);
    kl_mat_texts(f, "descriptions", texts + 2 * n, n);
    write_times(f, t);
    free(texts);
    return write_values(f, t);
}

/* ---- the formats ---- */

static const kl_table_format formats[] = {
    {"csv", true, write_csv},
    {"mat", false, write_mat},
};
enum { NFORMAT = sizeof formats / sizeof *formats };

const kl_table_format *kl_table_format_find(const char *name)
{
    for (int i = 0; i < NFORMAT; i++)
        if (strcmp(name, formats[i].name) == 0) return &formats[i];
    return NULL;
}

const kl_table_format *kl_table_format_of_file(const char *file)
{
    const char *end = strrchr(file, '.');
    return end ? kl_table_format_find(end + 1) : NULL;
}
