/* Reference tables whose cells may be words: one header line, cells without quotes. */
#ifndef KL_TESTS_CSV_TEXT_H
#define KL_TESTS_CSV_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/test.h"

typedef struct csv_text {
    char cell[600][16][120]; /* rows without the header */
    char name[16][120];
    int  rows, columns;
} csv_text;

static inline int csv_split(char *line, char cell[16][120])
{
    int n                       = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *p = line; p && n < 16; n++) {
        char *comma = strchr(p, ',');
        if (comma) *comma = '\0';
        size_t length = strnlen(p, 119);
        memcpy(cell[n], p, length);
        cell[n][length] = 0;
        p               = comma ? comma + 1 : NULL;
    }
    return n;
}

static inline csv_text *csv_read(const char *file)
{
    char      path[1024], line[4096];
    csv_text *t = calloc(1, sizeof *t);
    snprintf(path, sizeof path, "%s/tests/data/reference/%s", KL_SOURCE_DIR, file);
    FILE *f = fopen(path, "r");
    if (!f || !t) fail_msg("cannot read %s", path);
    else {
        if (fgets(line, sizeof line, f)) t->columns = csv_split(line, t->name);
        while (t->rows < 600 && fgets(line, sizeof line, f)) csv_split(line, t->cell[t->rows++]);
        fclose(f);
    }
    return t;
}

static inline const char *csv_cell(const csv_text *t, int row, const char *column)
{
    for (int c = 0; c < t->columns; c++)
        if (strcmp(t->name[c], column) == 0) return t->cell[row][c];
    fail_msg("no column %s", column);
    return "";
}

static inline double csv_number(const csv_text *t, int row, const char *column)
{
    return strtod(csv_cell(t, row, column), NULL);
}

/* Second column of the row whose first cell is `quantity`. */
static inline double csv_quantity(const csv_text *t, const char *quantity)
{
    for (int r = 0; r < t->rows; r++)
        if (strcmp(t->cell[r][0], quantity) == 0) return strtod(t->cell[r][1], NULL);
    fail_msg("no quantity %s", quantity);
    return 0.0;
}

#endif
