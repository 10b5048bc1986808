/* PolyData of VTK, XML with arrays in base64.
 *
 * Format: VTK File Formats, kitware, "XML File Formats", serial PolyData. */
#include <stdlib.h>

#include "base/rotation.h"
#include "post/motion_file.h"
#include "post/vtk_array.h"

kl_status kl_frames_row(const kl_frames *f, int k, double *row)
{
    int  n   = kl_reader_channels(f->reader);
    int *all = malloc(((size_t)n + 1) * sizeof *all);
    if (!all) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) all[i] = i;
    kl_status status = kl_reader_block(f->reader, all, n, f->row0 + k * f->every, 1, row);
    free(all);
    return status == KL_OK ? kl_solids_field_row(f->reader, f->time[f->row0 + k * f->every], row)
                           : status;
}

static void put_points(kl_vtk_bytes *b, const kl_solids *s, const double *row, kl_vec3 *x)
{
    for (int i = 0; i < s->n; i++) {
        kl_solid_place(&s->list[i], row, x);
        for (int k = 0; k < s->list[i].nvertex; k++)
            kl_vtk_put_float(b, x[k].x), kl_vtk_put_float(b, x[k].y), kl_vtk_put_float(b, x[k].z);
    }
}

/* How far the deformation of flexible bodies moves each point, in space. */
static void put_deformations(kl_vtk_bytes *b, const kl_solids *s, const double *row)
{
    for (int i = 0; i < s->n; i++) {
        const kl_solid *body = &s->list[i];
        kl_vec3         r;
        double          p[4];
        kl_solid_pose(body, row, &r, p);
        kl_mat3 A = kl_quat_matrix(p);
        for (int k = 0; k < body->nvertex; k++) {
            kl_vec3 u = kl_mul(&A, kl_solid_deformation(body, row, k));
            kl_vtk_put_float(b, u.x), kl_vtk_put_float(b, u.y), kl_vtk_put_float(b, u.z);
        }
    }
}

static void put_corners(kl_vtk_bytes *b, const kl_solids *s)
{
    int first = 0;
    for (int i = 0; i < s->n; first += s->list[i++].nvertex)
        for (int k = 0; k < 3 * s->list[i].ntriangle; k++)
            kl_vtk_put_u32(b, (uint32_t)(first + s->list[i].triangle[k]));
}

static kl_status write_arrays(FILE *f, const kl_solids *s, const double *row, kl_vec3 *x,
                              kl_vtk_bytes *b)
{
    fprintf(f, "<PointData Vectors=\"deformation\">\n");
    put_deformations(b, s, row);
    KL_TRY(kl_vtk_array(f, "type=\"Float32\" Name=\"deformation\" NumberOfComponents=\"3\"", b));
    fprintf(f, "</PointData>\n");
    fprintf(f, "<CellData Scalars=\"body\">\n");
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->list[i].ntriangle; k++) kl_vtk_put_u32(b, (uint32_t)i);
    KL_TRY(kl_vtk_array(f, "type=\"Int32\" Name=\"body\"", b));
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 3 * s->list[i].ntriangle; k++) kl_vtk_put_u8(b, s->list[i].ink[k]);
    KL_TRY(kl_vtk_array(f, "type=\"UInt8\" Name=\"colour\" NumberOfComponents=\"3\"", b));
    fprintf(f, "</CellData>\n<Points>\n");
    put_points(b, s, row, x);
    KL_TRY(kl_vtk_array(f, "type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\"", b));
    fprintf(f, "</Points>\n<Polys>\n");
    put_corners(b, s);
    KL_TRY(kl_vtk_array(f, "type=\"Int32\" Name=\"connectivity\"", b));
    for (int k = 1; k <= s->ntriangle; k++) kl_vtk_put_u32(b, (uint32_t)(3 * k));
    return kl_vtk_array(f, "type=\"Int32\" Name=\"offsets\"", b);
}

kl_status kl_vtp_write(FILE *f, const kl_solids *s, const double *row, kl_vec3 *x)
{
    kl_vtk_bytes b;
    if (!kl_vtk_open(&b, 12 * ((size_t)s->nvertex + (size_t)s->ntriangle) + 16)) return KL_E_MEMORY;
    kl_vtk_begin(f, (kl_vtk_piece){.points = s->nvertex, .polys = s->ntriangle});
    kl_status status = write_arrays(f, s, row, x, &b);
    fprintf(f, "</Polys>\n");
    kl_vtk_end(f);
    kl_vtk_close(&b);
    return status == KL_OK && ferror(f) ? KL_E_FILE : status;
}
