/* Between two rows of a path table. */
#ifndef KL_GEOMETRY_ROW_H
#define KL_GEOMETRY_ROW_H

#include "geometry/path_table.h"

/* Class of a column, 1..36. */
int kl_row_class(int column);

/* The row at fraction x in [0, 1] between rows a and b, h apart. out[0] is the length. */
void kl_row_interpolate(kl_table_method method, const double *a, const double *b, double h,
                        double x, double out[KL_ROW]);

/* The same as a point of the path: axes made orthonormal, rates from the axes' derivatives:
 * kappa = 1/2 sum e x e', kappa' = 1/2 sum e x e''. Of a quintic they are the derivatives of the
 * orthonormal axes themselves. */
void kl_row_point(kl_table_method method, const double *a, const double *b, double h, double x,
                  kl_path_point *out);

#endif
