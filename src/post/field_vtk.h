/* The surface of a field of finite elements, or the lines of beams and wires, as PolyData of VTK: displaced points, displacement and values. */
#ifndef KL_POST_FIELD_VTK_H
#define KL_POST_FIELD_VTK_H

#include <stdio.h>

#include "results/fields.h"
#include "results/results.h"

/* `row`: as kl_reader_field gives it. */
kl_status kl_field_vtp_write(FILE *f, const kl_field_points *p, const double *row);

#endif
