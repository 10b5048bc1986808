#include "post/field_vtk.h"

#include "post/vtk_array.h"

/* Component k of the displacement of point i: a field of wires has the vertical one alone. */
static double displacement(const kl_field_points *p, const double *row, int i, int k)
{
    return p->width == 3 ? row[3 * i + k] : k == 2 ? row[i] : 0.0;
}

static kl_status write_values(FILE *f, const kl_field_points *p, const double *row, kl_vtk_bytes *b)
{
    char head[160];
    fprintf(f, "<PointData Vectors=\"displacement\">\n");
    for (int i = 0; i < 3 * p->npoint; i++) kl_vtk_put_float(b, displacement(p, row, i / 3, i % 3));
    KL_TRY(kl_vtk_array(f, "type=\"Float32\" Name=\"displacement\" NumberOfComponents=\"3\"", b));
    for (int k = 0; k < p->nvalue; k++) {
        for (int i = 0; i < p->npoint; i++)
            kl_vtk_put_float(b, row[(p->width + k) * p->npoint + i]);
        snprintf(head, sizeof head, "type=\"Float32\" Name=\"%.100s\"", p->value_name[k]);
        KL_TRY(kl_vtk_array(f, head, b));
    }
    fprintf(f, "</PointData>\n");
    return KL_OK;
}

/* Lines of the field, one behind the other in the list of points. */
static int points_on_lines(const kl_field_points *p)
{
    int n = 0;
    for (int k = 0; k < p->nline; k++) n += p->line[k];
    return n;
}

static kl_status write_lines(FILE *f, const kl_field_points *p, kl_vtk_bytes *b)
{
    int n = points_on_lines(p), end = 0;
    for (int i = 0; i < n; i++) kl_vtk_put_u32(b, (uint32_t)i);
    KL_TRY(kl_vtk_array(f, "type=\"Int32\" Name=\"connectivity\"", b));
    for (int k = 0; k < p->nline; k++) kl_vtk_put_u32(b, (uint32_t)(end += p->line[k]));
    return kl_vtk_array(f, "type=\"Int32\" Name=\"offsets\"", b);
}

static kl_status write_shape(FILE *f, const kl_field_points *p, const double *row, kl_vtk_bytes *b)
{
    fprintf(f, "<Points>\n");
    for (int i = 0; i < 3 * p->npoint; i++)
        kl_vtk_put_float(b, p->point[i] + displacement(p, row, i / 3, i % 3));
    KL_TRY(kl_vtk_array(f, "type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\"", b));
    fprintf(f, "</Points>\n<Lines>\n");
    KL_TRY(write_lines(f, p, b));
    fprintf(f, "</Lines>\n<Polys>\n");
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
    size_t       most = (size_t)p->npoint + (size_t)p->ntriangle + (size_t)p->nline;
    if (points_on_lines(p) > p->npoint) return KL_E_FILE;
    if (!kl_vtk_open(&b, 12 * most + 16)) return KL_E_MEMORY;
    kl_vtk_begin(f, (kl_vtk_piece){.points = p->npoint, .lines = p->nline, .polys = p->ntriangle});
    kl_status status = write_values(f, p, row, &b);
    if (status == KL_OK) status = write_shape(f, p, row, &b);
    kl_vtk_end(f);
    kl_vtk_close(&b);
    return status == KL_OK && ferror(f) ? KL_E_FILE : status;
}
