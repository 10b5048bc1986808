/* PolyData of VTK, XML with arrays in base64, each with its size in front (UInt32).
 *
 * Format: VTK File Formats, kitware, "XML File Formats", serial PolyData. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "post/motion_file.h"
#include "post/pack.h"

kl_status kl_frames_row(const kl_frames *f, int k, double *row)
{
    int  n   = kl_reader_channels(f->reader);
    int *all = malloc(((size_t)n + 1) * sizeof *all);
    if (!all) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) all[i] = i;
    kl_status status = kl_reader_block(f->reader, all, n, f->row0 + k * f->every, 1, row);
    free(all);
    return status;
}

/* Bytes on their way into an array, little endian. */
typedef struct bytes {
    unsigned char *data;
    size_t         n;
} bytes;

static void put_u32(bytes *b, uint32_t v)
{
    for (int k = 0; k < 4; k++) b->data[b->n++] = (unsigned char)(v >> (8 * k));
}

static void put_float(bytes *b, double value)
{
    float    v = (float)value;
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_u32(b, bits);
}

static kl_status write_array(FILE *f, const char *attributes, bytes *b)
{
    size_t written = 0, n = b->n - 4; /* the size stands in front */
    for (int k = 0; k < 4; k++) b->data[k] = (unsigned char)(n >> (8 * k));
    fprintf(f, "<DataArray %s format=\"binary\">", attributes);
    int good = kl_pack_base64(f, b->data, b->n, &written);
    fprintf(f, "</DataArray>\n");
    b->n = 4;
    return good ? KL_OK : KL_E_FILE;
}

static void put_points(bytes *b, const kl_solids *s, const double *row, kl_vec3 *x)
{
    for (int i = 0; i < s->n; i++) {
        kl_solid_place(&s->list[i], row, x);
        for (int k = 0; k < s->list[i].nvertex; k++)
            put_float(b, x[k].x), put_float(b, x[k].y), put_float(b, x[k].z);
    }
}

static void put_corners(bytes *b, const kl_solids *s)
{
    int first = 0;
    for (int i = 0; i < s->n; first += s->list[i++].nvertex)
        for (int k = 0; k < 3 * s->list[i].ntriangle; k++)
            put_u32(b, (uint32_t)(first + s->list[i].triangle[k]));
}

static kl_status write_arrays(FILE *f, const kl_solids *s, const double *row, kl_vec3 *x, bytes *b)
{
    fprintf(f, "<CellData Scalars=\"body\">\n");
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->list[i].ntriangle; k++) put_u32(b, (uint32_t)i);
    KL_TRY(write_array(f, "type=\"Int32\" Name=\"body\"", b));
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 3 * s->list[i].ntriangle; k++) b->data[b->n++] = s->list[i].ink[k];
    KL_TRY(write_array(f, "type=\"UInt8\" Name=\"colour\" NumberOfComponents=\"3\"", b));
    fprintf(f, "</CellData>\n<Points>\n");
    put_points(b, s, row, x);
    KL_TRY(write_array(f, "type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\"", b));
    fprintf(f, "</Points>\n<Polys>\n");
    put_corners(b, s);
    KL_TRY(write_array(f, "type=\"Int32\" Name=\"connectivity\"", b));
    for (int k = 1; k <= s->ntriangle; k++) put_u32(b, (uint32_t)(3 * k));
    return write_array(f, "type=\"Int32\" Name=\"offsets\"", b);
}

kl_status kl_vtp_write(FILE *f, const kl_solids *s, const double *row, kl_vec3 *x)
{
    size_t most = 12 * ((size_t)s->nvertex + (size_t)s->ntriangle) + 16;
    bytes  b    = {.data = malloc(most), .n = 4};
    if (!b.data) return KL_E_MEMORY;
    fprintf(f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt32\">\n<PolyData>\n"
            "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
            s->nvertex, s->ntriangle);
    kl_status status = write_arrays(f, s, row, x, &b);
    fprintf(f, "</Polys>\n</Piece>\n</PolyData>\n</VTKFile>\n");
    free(b.data);
    return status == KL_OK && ferror(f) ? KL_E_FILE : status;
}
