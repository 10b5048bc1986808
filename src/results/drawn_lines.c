#include "results/drawn_lines.h"

#include <math.h>
#include <stdio.h>

#include "geometry/path.h"

/* A place each half metre is enough for rails; a small groove gets 200, a railway line 4000. */
static int places_of(double length)
{
    return (int)fmin(4000.0, fmax(200.0, ceil(length / 0.5))) + 1;
}

/* Is the line carried by the ground in all joints that use it? One that a body carries would have
 * to move with it. */
static bool stands(const kl_model *m, const kl_guide *line)
{
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (const kl_key *k = e->type->keys; k->name; k++) {
            if (k->kind != KL_KEY_TRACK) continue;
            const kl_guide *used =
                *(const kl_guide *const *)(const void *)((const char *)e->data + k->offset);
            const kl_marker *carrier = &m->marker[e->marker];
            if (used == line && (carrier->body != 0 || kl_norm(carrier->r) > 0.0)) return false;
        }
    }
    return true;
}

static bool sample(const kl_guide *g, kl_arena *arena, kl_drawn_line *out)
{
    int n         = places_of(g->path->length);
    *out          = (kl_drawn_line){.name = g->name, .gauge = g->gauge, .n = n};
    out->position = kl_arena_array(arena, double, 3 * n);
    out->normal   = kl_arena_array(arena, double, 3 * n);
    if (!out->position || !out->normal) return false;
    kl_path_cursor cursor;
    if (kl_path_cursor_init(g->path, arena, &cursor) != KL_OK) return false;
    for (int i = 0; i < n; i++) {
        kl_path_point at;
        if (kl_path_eval(g->path, g->path->length * i / (n - 1), &cursor, &at) != KL_OK)
            return false;
        kl_store(out->position + 3 * i, at.r);
        kl_store(out->normal + 3 * i, kl_axis(&at.A, 2));
    }
    return true;
}

const kl_drawn_line *kl_drawn_lines(const kl_model *m, kl_arena *arena, int *n)
{
    kl_drawn_line *list = m->nline > 0 ? kl_arena_array(arena, kl_drawn_line, m->nline) : NULL;
    *n                  = 0;
    for (int i = 0; list && i < m->nline; i++)
        if (m->line[i].path && stands(m, &m->line[i])) *n += sample(&m->line[i], arena, &list[*n]);
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
