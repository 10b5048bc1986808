#include "results/drawn_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The data of the resource that an element names by key `k`; NULL: none. */
static const void *used_by(const kl_element *e, const kl_key *k)
{
    return *(const void *const *)(const void *)((const char *)e->data + k->offset);
}

/* Is the line fixed to the ground in all joints that use it? A line on a moving body is not drawn. */
static bool is_fixed_to_ground(const kl_model *m, const kl_resource *line)
{
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (const kl_key *k = e->type->keys; k->name; k++) {
            if (k->kind != KL_KEY_RESOURCE || e->nmarker < 1) continue;
            const void      *used    = used_by(e, k);
            const kl_marker *carrier = &m->marker[e->marker];
            double           off     = kl_norm(kl_sub(carrier->r, line->part.r));
            if (used == line->data && (carrier->body != 0 || off > 0.0)) return false;
        }
    }
    return true;
}

/* An unused line is scenery, and shown, unless something in the model chose not to follow it: a
 * vehicle that runs on straight rails or on another track although the model has this one for other
 * cases. */
static bool is_left_out(const kl_model *m, const kl_resource *line)
{
    bool avoided = false;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (const kl_key *k = e->type->keys; k->name; k++) {
            if (k->kind != KL_KEY_RESOURCE || !k->words || strcmp(k->words, line->type->section))
                continue;
            if (used_by(e, k) == line->data) return false;
            avoided = true;
        }
    }
    return avoided;
}

/* From the axes of the part that lists it to space. */
static void place(const kl_placement *part, kl_drawn_line *line)
{
    for (int i = 0; i < line->n; i++) {
        double *r = line->position + 3 * (size_t)i, *n = line->normal + 3 * (size_t)i;
        kl_store(r, kl_place_point(part, kl_load(r)));
        kl_store(n, kl_place_arrow(part, kl_load(n)));
    }
}

const kl_drawn_line *kl_drawn_lines(const kl_model *m, kl_arena *arena, int *n)
{
    kl_drawn_line *list =
        m->nresource > 0 ? kl_arena_array(arena, kl_drawn_line, m->nresource) : NULL;
    *n = 0;
    for (int i = 0; list && i < m->nresource; i++) {
        const kl_resource *r = m->resource[i];
        if (!r->type->draw || !is_fixed_to_ground(m, r) || is_left_out(m, r) ||
            !r->type->draw(r->data, arena, &list[*n]))
            continue;
        place(&r->part, &list[(*n)++]);
    }
    return list;
}

bool kl_drawn_lines_write(kl_h5 *file, const kl_drawn_line *list, int n)
{
    bool good = true;
    for (int i = 0; good && i < n; i++) {
        const kl_drawn_line *l       = &list[i];
        const int            size[2] = {l->n, 3};
        char                 group[300], part[320], gauge[32];
        snprintf(group, sizeof group, "scene/tracks/%.250s", l->name);
        snprintf(gauge, sizeof gauge, "%.9g", l->gauge);
        snprintf(part, sizeof part, "%s/position", group);
        good = kl_h5_write_doubles(file, part, l->position, 2, size);
        snprintf(part, sizeof part, "%s/normal", group);
        good = good && kl_h5_write_doubles(file, part, l->normal, 2, size);
        good = good && kl_h5_write_attribute(file, group, "gauge", gauge);
    }
    return good;
}

static bool read_line(kl_h5 *file, kl_arena *arena, const char *name, kl_track_points *t)
{
    char path[400], part[420];
    snprintf(path, sizeof path, "/scene/tracks/%.300s", name);
    snprintf(part, sizeof part, "%s/position", path);
    int n = kl_h5_count(file, part);
    if (n < 6 || n % 3) return false;
    *t          = (kl_track_points){.name = name, .n = n / 3};
    t->position = kl_h5_read_doubles(file, part, n, arena);
    snprintf(part, sizeof part, "%s/normal", path);
    t->normal         = kl_h5_read_doubles(file, part, n, arena);
    const char *gauge = kl_h5_read_attribute(file, path, "gauge", arena);
    if (gauge) t->gauge = strtod(gauge, NULL);
    return t->position && t->normal;
}

const kl_track_points *kl_drawn_lines_read(kl_h5 *file, kl_arena *arena, int *n)
{
    int              count = 0;
    const char     **name  = kl_h5_list(file, "/scene/tracks", &count, arena);
    kl_track_points *list  = name ? kl_arena_array(arena, kl_track_points, count) : NULL;
    *n                     = 0;
    for (int i = 0; list && i < count; i++) *n += read_line(file, arena, name[i], &list[*n]);
    return list;
}
