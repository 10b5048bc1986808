/* Reference figures of wheel and rail: CSV files with one header row, in which some cells are texts
 * (read as NaN). */
#ifndef KL_TESTS_RAILWAY_REFERENCE_H
#define KL_TESTS_RAILWAY_REFERENCE_H

#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reference {
    char   *header, *name[64];
    int     ncolumn, nrow;
    double *value;                    /* nrow x ncolumn */
    char (*first)[64], (*second)[64]; /* texts of the first two columns */
} reference;

static inline reference reference_read(const char *file)
{
    reference r = {0};
    char      path[512], line[4096];
    snprintf(path, sizeof path, KL_SOURCE_DIR "/tests/data/reference/%s", file);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("cannot read %s", path);
    r.header = malloc(4096); /* the names point into it */
    if (!fgets(r.header, 4096, f)) fail_msg("%s is empty", path);
    r.header[strcspn(r.header, "\r\n")] = '\0';
    for (char *p = strtok(r.header, ","); p; p = strtok(NULL, ",")) r.name[r.ncolumn++] = p;
    while (fgets(line, sizeof line, f)) {
        r.value  = realloc(r.value, sizeof(double) * (size_t)((r.nrow + 1) * r.ncolumn));
        r.first  = realloc(r.first, sizeof *r.first * (size_t)(r.nrow + 1));
        r.second = realloc(r.second, sizeof *r.second * (size_t)(r.nrow + 1));
        char *p  = line;
        for (int c = 0; c < r.ncolumn; c++) {
            char *end, *text = c == 0 ? r.first[r.nrow] : r.second[r.nrow];
            int   n = (int)strcspn(p, ",\r\n");
            if (c < 2) snprintf(text, 64, "%.*s", n, p);
            double v                        = strtod(p, &end);
            r.value[r.nrow * r.ncolumn + c] = end == p ? (double)NAN : v;
            p += n + (p[n] == ',');
        }
        r.nrow++;
    }
    fclose(f);
    return r;
}

static inline double reference_at(const reference *r, int row, const char *name)
{
    for (int c = 0; c < r->ncolumn; c++)
        if (strcmp(r->name[c], name) == 0) return r->value[row * r->ncolumn + c];
    fail_msg("no column %s", name);
    return NAN;
}

static inline void reference_free(reference *r)
{
    free(r->header);
    free(r->value);
    free(r->first);
    free(r->second);
}

#endif
