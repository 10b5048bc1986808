/* Arrays of an XML file of VTK: base64 with the size in front (UInt32), little endian. */
#ifndef KL_POST_VTK_ARRAY_H
#define KL_POST_VTK_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "klingel/status.h"

/* Bytes on their way into an array; the first four are kept for the size. */
typedef struct kl_vtk_bytes {
    unsigned char *data;
    size_t         n;
} kl_vtk_bytes;

bool kl_vtk_open(kl_vtk_bytes *b, size_t most); /* room for so many; false when out of memory */
void kl_vtk_close(kl_vtk_bytes *b);

void kl_vtk_put_u8(kl_vtk_bytes *b, unsigned char v);
void kl_vtk_put_u32(kl_vtk_bytes *b, uint32_t v);
void kl_vtk_put_float(kl_vtk_bytes *b, double value);

/* Writes <DataArray `attributes`> with all that was put, and begins anew. */
kl_status kl_vtk_array(FILE *f, const char *attributes, kl_vtk_bytes *b);

/* Head and end of a PolyData file of one piece. */
typedef struct kl_vtk_piece {
    int points, verts, lines, polys;
} kl_vtk_piece;
void kl_vtk_begin(FILE *f, kl_vtk_piece piece);
void kl_vtk_end(FILE *f);

#endif
