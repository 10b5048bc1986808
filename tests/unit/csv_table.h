/* Tables of reference data: comment lines (#), one header line, numbers. */
#ifndef KL_TESTS_TABLE_H
#define KL_TESTS_TABLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
    char   *names[64];
    int     columns, rows;
    double *values; /* rows x columns */
    char    header[8192];
} table;

static inline table table_read(const char *path)
{
    table t = {0};
    char  line[8192];
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("cannot read %s", path);
    int cap = 0;
    while (f && fgets(line, sizeof line, f)) {
        if (*line == '#' || *line == '\n') continue;
        line[strcspn(line, "\r\n")] = '\0';
        if (t.columns == 0) {
            snprintf(t.header, sizeof t.header, "%s", line);
            for (char *p = strtok(t.header, ","); p && t.columns < 64; p = strtok(NULL, ","))
                t.names[t.columns++] = p;
            continue;
        }
        if (t.rows == cap)
            t.values = realloc(t.values, (size_t)(cap = cap ? 2 * cap : 256) * (size_t)t.columns *
                                             sizeof(double));
        char *p = line;
        for (int c = 0; c < t.columns; c++)
            t.values[t.rows * t.columns + c] = strtod(p, &p), p += *p == ',';
        t.rows++;
    }
    if (f) fclose(f);
    return t;
}

static inline double table_at(const table *t, int row, int column)
{
    return t->values[row * t->columns + column];
}
static inline void table_free(table *t) { free(t->values); }

#endif
