/* klingel export --field: many points of an element as one table. */
#ifndef KL_CLI_EXPORT_FIELD_H
#define KL_CLI_EXPORT_FIELD_H

#include <stdio.h>

#include "results/results.h"

/* Rows "time, x, y, z of a point, its motion and values" as CSV, one for each record and point, from time
 * `from` to `to`. Tells on standard error what is wrong; returns the exit code. */
int kl_export_field(kl_reader *r, const char *name, double from, double to, FILE *out);

/* The surface of a field of finite elements with its values as a series of VTK files; `path` ends in
 * .pvd. */
int kl_export_field_vtk(kl_reader *r, const char *name, double from, double to, const char *path);

#endif
