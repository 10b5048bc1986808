#include "results/fields.h"

#include <stdio.h>

enum { PATH = 400, CHUNK = 2048 };

static const char *part_of(const char *name, const char *part, char path[PATH])
{
    snprintf(path, PATH, "fields/%.250s/%s", name, part);
    return path;
}

static int chunk_of(int columns) { return columns < 1 ? 1 : columns < CHUNK ? columns : CHUNK; }

static bool create_values(kl_h5 *file, kl_field_table *t)
{
    const kl_field *f    = t->of.field;
    bool            good = true;
    char            path[PATH], part[64];
    if (f->ntriangle > 0)
        good = kl_h5_write_ints(file, part_of(t->of.name, "triangle", path), f->triangle,
                                3 * f->ntriangle);
    for (int k = 0; good && k < f->nvalue; k++) {
        snprintf(part, sizeof part, "value/%s", f->value[k].name);
        good = kl_h5_create_table(file, part_of(t->of.name, part, path), f->npoint, 8,
                                  chunk_of(f->npoint), &t->value[k]) &&
               kl_h5_write_attribute(file, path, "unit", f->value[k].unit);
    }
    return good;
}

bool kl_field_create(kl_h5 *file, kl_arena *arena, kl_field_table *t)
{
    (void)arena;
    const kl_field *f       = t->of.field;
    const char     *name    = t->of.name;
    const int       size[2] = {f->npoint, 3};
    const int       wide    = kl_field_width(f) * f->npoint;
    const char     *moves   = kl_field_width(f) == 3 ? "displacement" : "rise";
    char            path[PATH], group[PATH];
    bool good = kl_h5_write_doubles(file, part_of(name, "point", path), f->point, 2, size) &&
                kl_h5_write_ints(file, part_of(name, "line", path), f->line, f->nline);
    if (good && f->nlink > 0)
        good = kl_h5_write_ints(file, part_of(name, "link", path), f->link, 2 * f->nlink);
    good = good && kl_h5_create_table(file, part_of(name, "time", path), 0, 64, 0, &t->time) &&
           kl_h5_create_table(file, part_of(name, moves, path), wide, 8, chunk_of(wide), &t->rise);
    if (good && f->nlink > 0)
        good = kl_h5_create_table(file, part_of(name, "pull", path), f->nlink, 8,
                                  chunk_of(f->nlink), &t->pull);
    snprintf(group, sizeof group, "fields/%.250s", name);
    return good && create_values(file, t) &&
           kl_h5_write_attribute(file, group, "units",
                                 kl_field_width(f) == 3 ? "point m, time s, displacement m"
                                                        : "point m, time s, rise m, pull N");
}

bool kl_field_row(kl_h5 *file, kl_field_table *t, double time, const double *rise,
                  const double *pull)
{
    const kl_field *f    = t->of.field;
    const double   *next = rise + (size_t)kl_field_width(f) * (size_t)f->npoint;
    bool            good = kl_h5_put(file, t->rise, t->rows, 1, rise);
    for (int k = 0; good && k < f->nvalue; k++, next += f->npoint)
        good = kl_h5_put(file, t->value[k], t->rows, 1, next);
    if (good && f->nlink > 0) good = kl_h5_put(file, t->pull, t->rows, 1, pull);
    good = good && kl_h5_put(file, t->time, t->rows, 1, &time);
    t->rows += good;
    return good;
}

static bool open_values(kl_h5 *file, kl_arena *arena, kl_field_points *out)
{
    char         path[PATH], group[PATH], part[64];
    int          n = 0, corners = kl_h5_count(file, part_of(out->name, "triangle", path));
    const char **name = NULL;
    if (corners > 0) {
        out->ntriangle = corners / 3;
        out->triangle  = kl_h5_read_ints(file, path, corners, arena);
        for (int i = 0; out->triangle && i < corners; i++)
            if (out->triangle[i] < 0 || out->triangle[i] >= out->npoint) return false;
        if (!out->triangle) return false;
        name = kl_h5_list(file, part_of(out->name, "value", group), &n, arena);
    }
    for (int k = 0; name && k < n && k < KL_FIELD_VALUES; k++) {
        snprintf(part, sizeof part, "value/%.50s", name[k]);
        if (!kl_h5_open_table(file, part_of(out->name, part, path), &out->value[k])) return false;
        const char *unit   = kl_h5_read_attribute(file, path, "unit", arena);
        out->value_name[k] = name[k];
        out->value_unit[k] = unit ? unit : "1";
        out->nvalue++;
    }
    return true;
}

bool kl_field_open(kl_h5 *file, kl_arena *arena, const char *name, kl_field_points *out)
{
    char path[PATH];
    *out        = (kl_field_points){.name = name};
    out->npoint = kl_h5_count(file, part_of(name, "point", path)) / 3;
    out->point  = kl_h5_read_doubles(file, path, 3 * (int64_t)out->npoint, arena);
    out->nline  = kl_h5_count(file, part_of(name, "line", path));
    out->line   = kl_h5_read_ints(file, path, out->nline, arena);
    int links   = kl_h5_count(file, part_of(name, "link", path));
    out->nlink  = links > 0 ? links / 2 : 0;
    if (links > 0) out->link = kl_h5_read_ints(file, path, links, arena);
    if (!out->point || !out->line || (links > 0 && !out->link)) return false;
    if (!open_values(file, arena, out)) return false;
    out->width = kl_h5_count(file, part_of(name, "displacement", path)) >= 0 ? 3 : 1;
    if (!kl_h5_open_table(file, part_of(name, "time", path), &out->time) ||
        !kl_h5_open_table(file, part_of(name, out->width == 3 ? "displacement" : "rise", path),
                          &out->rise) ||
        !kl_h5_rows(file, out->time, &out->rows))
        return false;
    return links <= 0 || kl_h5_open_table(file, part_of(name, "pull", path), &out->pull);
}
