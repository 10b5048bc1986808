#include "cli/export_field.h"

#include <stdlib.h>
#include <string.h>

#include "cli/vtk_series.h"
#include "post/field_vtk.h"
#include "terminal/terminal.h"

static const kl_field_points *field_named(kl_reader *r, const char *name)
{
    int                    n    = 0;
    const kl_field_points *list = kl_reader_fields(r, &n);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0) return &list[i];
    fprintf(stderr, "klingel export: there is no field '%s'; ", name);
    if (n == 0) fprintf(stderr, "these results contain no fields\n");
    for (int i = 0; i < n; i++)
        fprintf(stderr, "%s%s%s", i ? ", " : "fields: ", list[i].name, i + 1 < n ? "" : "\n");
    return NULL;
}

int kl_export_field(kl_reader *r, const char *name, double from, double to, FILE *out)
{
    const kl_field_points *f = field_named(r, name);
    if (!f) return KL_EXIT_USAGE;
    int       numbers = (f->width + f->nvalue) * f->npoint;
    double   *rise    = malloc(((size_t)numbers + 1) * sizeof *rise), t;
    kl_status status  = rise ? KL_OK : KL_E_MEMORY;
    fprintf(out, "time_s,x_m,y_m,z_m,%s", f->width == 3 ? "ux_m,uy_m,uz_m" : "rise_m");
    for (int k = 0; k < f->nvalue; k++)
        fprintf(out, ",%s%s%s", f->value_name[k], strcmp(f->value_unit[k], "1") == 0 ? "" : "_",
                strcmp(f->value_unit[k], "1") == 0 ? "" : f->value_unit[k]);
    fputc('\n', out);
    for (int row = 0; status == KL_OK && row < f->rows; row++) {
        status = kl_reader_field(r, f, row, 1, &t, rise, NULL);
        if (status != KL_OK || t < from || t > to) continue;
        for (int i = 0; i < f->npoint; i++) {
            fprintf(out, "%.9g,%.9g,%.9g,%.9g", t, f->point[3 * i], f->point[3 * i + 1],
                    f->point[3 * i + 2]);
            for (int k = 0; k < f->width; k++) fprintf(out, ",%.9g", rise[f->width * i + k]);
            for (int k = 0; k < f->nvalue; k++)
                fprintf(out, ",%.9g", rise[(f->width + k) * f->npoint + i]);
            fputc('\n', out);
        }
    }
    free(rise);
    return kl_exit_code(status);
}

static int write_frame(const kl_field_points *f, const double *row, const char *path)
{
    kl_new_file o;
    if (!kl_output_open(&o, path)) return KL_EXIT_MODEL;
    kl_status status = kl_field_vtp_write(o.stream, f, row);
    if (status == KL_OK) return kl_output_close(&o) ? KL_EXIT_OK : KL_EXIT_MODEL;
    if (!kl_output_discard(&o)) fprintf(stderr, "%s: %s\n", path, kl_status_text(status));
    return kl_exit_code(status);
}

int kl_export_field_vtk(kl_reader *r, const char *name, double from, double to, const char *path)
{
    const kl_field_points *f = field_named(r, name);
    if (!f) return KL_EXIT_USAGE;
    if (f->ntriangle == 0 && f->nline == 0) {
        fprintf(stderr,
                "klingel export: the field '%s' has no surface and no lines; write it as CSV, for "
                "example `-o %s.csv`\n",
                name, name);
        return KL_EXIT_USAGE;
    }
    double       *row = malloc(((size_t)((f->width + f->nvalue) * f->npoint) + 1) * sizeof *row), t;
    int           code = row ? KL_EXIT_OK : KL_EXIT_MODEL;
    char          file[4200], frame[32];
    kl_vtk_series series;
    if (!row || !kl_vtk_series_open(&series, path)) {
        free(row);
        return KL_EXIT_MODEL;
    }
    for (int k = 0; k < f->rows && code == KL_EXIT_OK; k++) {
        kl_status status = kl_reader_field(r, f, k, 1, &t, row, NULL);
        if (status != KL_OK) code = kl_exit_code(status);
        if (status != KL_OK || t < from || t > to) continue;
        snprintf(frame, sizeof frame, "frame-%05d", k);
        kl_vtk_series_add(&series, t, 0, frame, file, sizeof file);
        code = write_frame(f, row, file);
    }
    free(row);
    if (code == KL_EXIT_OK) return kl_vtk_series_close(&series) ? KL_EXIT_OK : KL_EXIT_MODEL;
    kl_vtk_series_discard(&series);
    return code;
}
