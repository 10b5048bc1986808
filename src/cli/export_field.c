#include "cli/export_field.h"

#include <stdlib.h>
#include <string.h>

#include "results/fields.h"
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
    double   *rise   = malloc(((size_t)(f->width * f->npoint) + 1) * sizeof *rise), t;
    kl_status status = rise ? KL_OK : KL_E_MEMORY;
    fprintf(out, "time_s,x_m,y_m,z_m,%s\n", f->width == 3 ? "ux_m,uy_m,uz_m" : "rise_m");
    for (int row = 0; status == KL_OK && row < f->rows; row++) {
        status = kl_reader_field(r, f, row, 1, &t, rise, NULL);
        if (status != KL_OK || t < from || t > to) continue;
        for (int i = 0; i < f->npoint; i++) {
            fprintf(out, "%.9g,%.9g,%.9g,%.9g", t, f->point[3 * i], f->point[3 * i + 1],
                    f->point[3 * i + 2]);
            for (int k = 0; k < f->width; k++) fprintf(out, ",%.9g", rise[f->width * i + k]);
            fputc('\n', out);
        }
    }
    free(rise);
    return kl_exit_code(status);
}
