#include "post/field_vtk.h"

#include "post/vtk_array.h"

static kl_status write_values(FILE *f, const kl_field_points *p, const double *row, kl_vtk_bytes *b)
{
    char head[160];
    fprintf(f, "<PointData Vectors=\"displacement\">\n");
    for (int i = 0; i < 3 * p->npoint; i++) kl_vtk_put_float(b, row[i]);
    KL_TRY(kl_vtk_array(f, "type=\"Float32\" Name=\"displacement\" NumberOfComponents=\"3\"", b));
    for (int k = 0; k < p->nvalue; k++) {
        for (int i = 0; i < p->npoint; i++) kl_vtk_put_float(b, row[(3 + k) * p->npoint + i]);
        snprintf(head, sizeof head, "type=\"Float32\" Name=\"%.100s\"", p->value_name[k]);
        KL_TRY(kl_vtk_array(f, head, b));
    }
    fprintf(f, "</PointData>\n");
    return KL_OK;
}

static kl_status write_shape(FILE *f, const kl_field_points *p, const double *row, kl_vtk_bytes *b)
{
    fprintf(f, "<Points>\n");
    for (int i = 0; i < 3 * p->npoint; i++) kl_vtk_put_float(b, p->point[i] + row[i]);
    KL_TRY(kl_vtk_array(f, "type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\"", b));
    fprintf(f, "</Points>\n<Polys>\n");
    for (int k = 0; k < 3 * p->ntriangle; k++) kl_vtk_put_u32(b, (uint32_t)p->triangle[k]);
    KL_TRY(kl_vtk_array(f, "type=\"Int32\" Name=\"connectivity\"", b));
    for (int k = 1; k <= p->ntriangle; k++) kl_vtk_put_u32(b, (uint32_t)(3 * k));
    KL_TRY(kl_vtk_array(f, "type=\"Int32\" Name=\"offsets\"", b));
    fprintf(f, "</Polys>\n");
    return KL_OK;
}

kl_status kl_field_vtp_write(FILE *f, const kl_field_points *p, const double *row)
{
    kl_vtk_bytes b;
    if (!kl_vtk_open(&b, 12 * ((size_t)p->npoint + (size_t)p->ntriangle) + 16)) return KL_E_MEMORY;
    kl_vtk_begin(f, (kl_vtk_piece){.points = p->npoint, .polys = p->ntriangle});
    kl_status status = write_values(f, p, row, &b);
    if (status == KL_OK) status = write_shape(f, p, row, &b);
    kl_vtk_end(f);
    kl_vtk_close(&b);
    return status == KL_OK && ferror(f) ? KL_E_FILE : status;
}
