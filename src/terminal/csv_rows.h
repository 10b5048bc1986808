/* Chosen channels and rows of results as a table for other programs. */
#ifndef KL_TERMINAL_CSV_ROWS_H
#define KL_TERMINAL_CSV_ROWS_H

#include <stdio.h>

#include "terminal/result_files.h"

typedef struct kl_table {
    kl_reader    *reader;
    kl_selection  selection;
    const double *time;              /* all rows of the results */
    int           row0, row1, every; /* rows row0, row0 + every, ... before row1 */
} kl_table;

/* A kind of file. Errors of the results are in their reader's diag; errors of the stream are in ferror(). */
typedef struct kl_table_format {
    const char *name; /* of --format, and the ending of file names */
    bool        text; /* fit for a terminal */
    kl_status (*write)(FILE *f, const kl_table *t);
} kl_table_format;

/* By name, or by the ending of a file's name; NULL when there is none. */
const kl_table_format *kl_table_format_find(const char *name);
const kl_table_format *kl_table_format_of_file(const char *file);

#endif
