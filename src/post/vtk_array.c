#include "post/vtk_array.h"

#include <stdlib.h>
#include <string.h>

#include "post/pack.h"

bool kl_vtk_open(kl_vtk_bytes *b, size_t most)
{
    *b = (kl_vtk_bytes){.data = malloc(most + 4), .n = 4};
    return b->data != NULL;
}

void kl_vtk_close(kl_vtk_bytes *b) { free(b->data); }

void kl_vtk_put_u8(kl_vtk_bytes *b, unsigned char v) { b->data[b->n++] = v; }

void kl_vtk_put_u32(kl_vtk_bytes *b, uint32_t v)
{
    for (int k = 0; k < 4; k++) b->data[b->n++] = (unsigned char)(v >> (8 * k));
}

void kl_vtk_put_float(kl_vtk_bytes *b, double value)
{
    float    v = (float)value;
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    kl_vtk_put_u32(b, bits);
}

kl_status kl_vtk_array(FILE *f, const char *attributes, kl_vtk_bytes *b)
{
    size_t written = 0, n = b->n - 4; /* the size is in front */
    for (int k = 0; k < 4; k++) b->data[k] = (unsigned char)(n >> (8 * k));
    fprintf(f, "<DataArray %s format=\"binary\">", attributes);
    int good = kl_pack_base64(f, b->data, b->n, &written);
    fprintf(f, "</DataArray>\n");
    b->n = 4;
    return good ? KL_OK : KL_E_FILE;
}

void kl_vtk_begin(FILE *f, kl_vtk_piece p)
{
    fprintf(f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt32\">\n<PolyData>\n"
            "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
            p.points, p.verts, p.lines, p.polys);
}

void kl_vtk_end(FILE *f) { fprintf(f, "</Piece>\n</PolyData>\n</VTKFile>\n"); }
