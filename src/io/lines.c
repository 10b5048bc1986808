/* tracks:
 *   coaster: {file: coaster.yaml, parameters: {spline: cubic}, geometry: table}
 *   coaster: {file: coaster.ktrack}
 *   line: {layout: [straight 50 m, ...], geometry: exact}       # all keys of docs/tracks.md
 * surfaces:
 *   bowl: {revolution: [[0, 0.1], [0.5, 0.6]], spline: cubic, at: [..], orientation: {..}}
 *   gutter: {sweep: [[-1, 0], [1, 0]], track: line}
 *   hill: {net: [[[x, y, z], ...], ...], spline: cubic}
 *
 * `geometry: exact` evaluates curve, frame and roll at every place; `table` looks them up in the
 * papers' 37 columns, made to the error that the track asks for. */
#include "io/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "geometry/path_check.h"
#include "geometry/path_shared.h"
#include "geometry/surface.h"
#include "io/track.h"
#include "io/track_file.h"

enum { MOST_ROWS = 300000 }; /* of a table in memory: 90 MB */

/* Jumps of curvature and roll rate are rounded over this length unless the track says [m]: at 20
 * m/s a hundredth of a second, at a radius of 20 m no more than 0.05 mm beside the line. */
static const double CORNERS = 0.2;

static const char *beside(kl_arena *a, const char *from, const char *name)
{
    const char *slash = from ? strrchr(from, '/') : NULL;
    if (name[0] == '/' || !slash) return kl_arena_text(a, name);
    return kl_arena_format(a, "%.*s/%s", (int)(slash - from), from, name);
}

/* ---- tracks ---- */

static kl_status tabulate(kl_builder *b, const kl_node *n, const kl_track *track,
                          const kl_path **out)
{
    kl_table_settings set   = track->table;
    kl_path_table    *table = NULL;
    kl_path          *path  = NULL;
    if (set.max_rows == 0 || set.max_rows > MOST_ROWS) set.max_rows = MOST_ROWS;
    kl_status status = kl_path_table_in_memory(track->path, &set, b->m->arena, b->diag, &table);
    if (status == KL_E_MEMORY) return status;
    if (status != KL_OK)
        return kl_fail(b->diag, status, n->place,
                       "track '%s': no table of up to %d rows keeps to its error; take a larger "
                       "`error` or `interpolation: quintic` under `table`, write it to a file with "
                       "`klingel track`, or take `geometry: exact`",
                       n->key, MOST_ROWS);
    KL_TRY(kl_path_from_table(table, b->m->arena, &path));
    *out = path;
    return KL_OK;
}

static void close_file(void *file) { kl_track_file_close(file); }

static kl_status open_table(kl_builder *b, const kl_node *n, const char *file, kl_guide *line)
{
    kl_track_file *f = NULL;
    KL_TRY(kl_track_file_open(file, 0, b->diag, &f));
    KL_TRY(kl_model_at_end(b->m, close_file, f));
    line->what  = "table from file";
    line->gauge = 1.435;
    (void)n;
    return kl_path_shared(kl_track_file_path(f), b->m->arena, &line->path);
}

/* Parameters handed to a track file, as texts. */
static kl_status overrides_of(kl_builder *b, const kl_node *list, kl_track_options *options)
{
    if (!list) return KL_OK;
    kl_scope *s = &b->now->scope;
    if (list->kind != KL_MAP)
        return kl_fail(b->diag, KL_E_MODEL, list->place,
                       "parameters is %s; give {name: value} for the track file",
                       kl_node_kind_word(list->kind));
    kl_override *set = kl_arena_array(b->m->arena, kl_override, list->size + 1);
    if (!set) return KL_E_MEMORY;
    options->set = set;
    for (const kl_node *c = list->first; c; c = c->next) {
        kl_quantity value;
        const char *word               = NULL;
        char        unit[KL_UNIT_TEXT] = "";
        KL_TRY(kl_scope_value(s, c, c->key, &value, &word));
        if (!word && !value.bare) kl_unit_format(value.dim, unit, sizeof unit);
        set[options->nset++] = (kl_override){
            c->key, word ? word : kl_arena_format(b->m->arena, "%.17g %s", value.value, unit)};
    }
    return kl_arena_ok(b->m->arena) ? KL_OK : KL_E_MEMORY;
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static kl_status from_file(kl_builder *b, const kl_node *n, const kl_node *file, kl_guide *line,
                           kl_track **track)
{
    static const char *const known[] = {"file", "geometry", "parameters", NULL};
    kl_entry e = {.name = n->key, .section = "track", .place = n->place, .chain = {n, NULL}};
    kl_track_options options = {.corners = CORNERS};
    const char      *name    = NULL;
    kl_values_unknown(&b->now->scope, &e, "track", NULL, known);
    KL_TRY(kl_value_word(&b->now->scope, file, "file", &name));
    const char *path = beside(b->m->arena, n->place.file, name);
    if (!path) return KL_E_MEMORY;
    if (ends_in(path, ".ktrack")) {
        if (kl_node_get(n, "parameters") || kl_node_get(n, "geometry"))
            return kl_fail(b->diag, KL_E_MODEL, n->place,
                           "track '%s': a table from a file is what it is; leave `parameters` and "
                           "`geometry` out, or name the track file it was made from",
                           n->key);
        return open_table(b, n, path, line);
    }
    KL_TRY(overrides_of(b, kl_node_get(n, "parameters"), &options));
    return kl_track_read(path, &options, b->m->arena, b->diag, track, NULL);
}

/* Places where the line meets itself: allowed, but seldom meant. */
static kl_status warn_of_crossings(kl_builder *b, const kl_node *n, const kl_track *t)
{
    enum { MOST = 3 };
    const double longest = 20e3; /* [m]: longer lines are looked at by `klingel track` */
    kl_meeting   found[MOST];
    int          count = 0;
    if (!(t->limits.clearance > 0.0) || t->path->length > longest) return KL_OK;
    KL_TRY(kl_path_crossings(t->path, t->limits.clearance, 0.0, found, MOST, &count));
    for (int i = 0; i < count && i < MOST; i++)
        kl_warn(b->diag, kl_track_place(t, found[i].s[1]),
                "track '%s' meets itself: %g m and %g m along it are %.3g m apart (%d in all; "
                "`checks: {clearance: 0 m}` if that is meant)",
                n->key, found[i].s[0], found[i].s[1], found[i].distance, count);
    return KL_OK;
}

static kl_status read_track(kl_builder *b, const kl_node *n)
{
    static const char *const ways[] = {"exact", "table", NULL};
    kl_scope                *s      = &b->now->scope;
    const kl_node           *file = kl_node_get(n, "file"), *geometry = kl_node_get(n, "geometry");
    kl_track                *track = NULL;
    const char              *way   = "exact";
    if (n->kind != KL_MAP)
        return kl_fail(b->diag, KL_E_MODEL, n->place,
                       "track '%s' is %s; give {file: track.yaml} or its keys", n->key,
                       kl_node_kind_word(n->kind));
    kl_guide *line = kl_model_add_line(b->m, n->key, n->place);
    if (!line || !(line->text = kl_value_text(&b->now->scope, n, b->m->arena))) return KL_E_MEMORY;
    if (geometry) KL_TRY(kl_value_word(s, geometry, "geometry", &way));
    bool table = strcmp(way, "table") == 0;
    if (!table && strcmp(way, "exact") != 0) {
        const char *near = kl_nearest(way, ways);
        return kl_fail(b->diag, KL_E_NAME, geometry->place,
                       "track '%s': geometry is '%s'%s%s%s; give exact or table", n->key, way,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (file) KL_TRY(from_file(b, n, file, line, &track));
    else {
        kl_track_options options = {.corners = CORNERS};
        KL_TRY(kl_track_section(s, n, n->place.file, &options, &track));
    }
    if (!track) return KL_OK;
    KL_TRY(warn_of_crossings(b, n, track));
    line->path = track->path, line->gauge = track->gauge, line->what = track->what;
    return table ? tabulate(b, n, track, &line->path) : KL_OK;
}

/* ---- surfaces ---- */

typedef struct surface_reader {
    kl_builder    *b;
    kl_scope      *s;
    const kl_node *n;
} surface_reader;

static kl_status spline_of(const surface_reader *r, kl_interpolation *kind)
{
    const kl_node *n    = kl_node_get(r->n, "spline");
    const char    *word = NULL;
    *kind               = KL_CUBIC;
    if (!n) return KL_OK;
    KL_TRY(kl_value_word(r->s, n, "spline", &word));
    if (kl_interpolation_find(word, kind)) return KL_OK;
    const char *near = kl_nearest(word, kl_interpolation_names());
    return kl_fail(r->b->diag, KL_E_NAME, n->place, "spline is '%s'%s%s%s", word,
                   near ? "; did you mean '"
                        : "; give linear, cubic, akima, shape-preserving or "
                          "quintic",
                   near ? near : "", near ? "'?" : "");
}

/* [a, b], or {to: [a, b], radius: r} for an arc that ends there */
static kl_status profile_point(const surface_reader *r, const kl_node *n, double ab[2],
                               double *radius)
{
    const kl_node *to = n->kind == KL_MAP ? kl_node_get(n, "to") : n;
    *radius           = 0.0;
    if (n->kind == KL_MAP && kl_node_get(n, "radius"))
        KL_TRY(kl_scope_number(r->s, kl_node_get(n, "radius"), "radius", "m", radius));
    if (!to || to->kind != KL_LIST || to->size != 2)
        return kl_fail(r->b->diag, KL_E_MODEL, n->place,
                       "surface '%s': a profile is a list of [a, b], or {to: [a, b], radius: r} "
                       "for an arc that ends there",
                       r->n->key);
    KL_TRY(kl_scope_number(r->s, to->first, "profile", "m", &ab[0]));
    return kl_scope_number(r->s, to->first->next, "profile", "m", &ab[1]);
}

static kl_status profile_of(const surface_reader *r, const kl_node *list, kl_profile **out)
{
    kl_arena        *a = r->b->m->arena;
    kl_profile      *p = kl_arena_array(a, kl_profile, 1);
    kl_interpolation kind;
    double           ab[2], radius;
    if (!p) return KL_E_MEMORY;
    if (list->kind != KL_LIST || list->size < 2)
        return kl_fail(r->b->diag, KL_E_MODEL, list->place,
                       "surface '%s': a profile wants two points or more, [[a, b], ...]",
                       r->n->key);
    KL_TRY(profile_point(r, list->first, ab, &radius));
    kl_profile_begin(p, a, ab[0], ab[1]);
    if (kl_node_get(r->n, "spline")) {
        double *points = kl_arena_array(a, double, 2 * list->size), *to = points;
        if (!points) return KL_E_MEMORY;
        KL_TRY(spline_of(r, &kind));
        for (const kl_node *c = list->first->next; c; c = c->next, to += 2)
            KL_TRY(profile_point(r, c, to, &radius));
        KL_TRY(kl_profile_points(p, points, list->size - 1, kind, list->place, r->b->diag));
    } else {
        for (const kl_node *c = list->first->next; c; c = c->next) {
            KL_TRY(profile_point(r, c, ab, &radius));
            if (radius != 0.0)
                KL_TRY(kl_profile_arc(p, ab[0], ab[1], radius, c->place, r->b->diag));
            else KL_TRY(kl_profile_line(p, ab[0], ab[1], c->place, r->b->diag));
        }
    }
    KL_TRY(kl_profile_end(p, 0.0, r->b->diag));
    *out = p;
    return KL_OK;
}

static kl_status read_revolution(const surface_reader *r, const kl_node *n, kl_surface **out)
{
    kl_profile    *profile = NULL;
    const kl_node *factors = kl_node_get(r->n, "factors");
    double         f[2]    = {1.0, 1.0};
    KL_TRY(profile_of(r, n, &profile));
    if (factors) {
        if (factors->kind != KL_LIST || factors->size != 2)
            return kl_fail(r->b->diag, KL_E_MODEL, factors->place,
                           "surface '%s': factors are two numbers, [y, z]", r->n->key);
        KL_TRY(kl_scope_number(r->s, factors->first, "factors", "1", &f[0]));
        KL_TRY(kl_scope_number(r->s, factors->first->next, "factors", "1", &f[1]));
    }
    return kl_surface_revolution(profile, f[0], f[1], r->b->m->arena, out);
}

static kl_status read_sweep(const surface_reader *r, const kl_node *n, kl_surface **out)
{
    kl_profile    *profile = NULL;
    const kl_node *track   = kl_node_get(r->n, "track");
    const char    *word    = NULL;
    if (!track)
        return kl_fail(r->b->diag, KL_E_MODEL, n->place,
                       "surface '%s': sweep needs a `track` to sweep along", r->n->key);
    KL_TRY(kl_value_word(r->s, track, "track", &word));
    int i = kl_model_find_line(r->b->m, word);
    if (i < 0 || !r->b->m->line[i].path)
        return kl_fail(r->b->diag, KL_E_NAME, track->place,
                       "surface '%s': there is no track '%s'; name it under `tracks:`", r->n->key,
                       word);
    KL_TRY(profile_of(r, n, &profile));
    return kl_surface_sweep(profile, r->b->m->line[i].path, r->b->m->arena, out);
}

static kl_status read_net(const surface_reader *r, const kl_node *n, kl_surface **out)
{
    kl_net net = {.place = n->place, .nu = n->kind == KL_LIST ? n->size : 0};
    net.nv     = net.nu > 0 && n->first->kind == KL_LIST ? n->first->size : 0;
    if (net.nu < 2 || net.nv < 2 || (double)net.nu * net.nv > 1e6)
        return kl_fail(r->b->diag, KL_E_MODEL, n->place,
                       "surface '%s': a net is a list of rows of points, [[[x, y, z], ...], ...], "
                       "at least 2 x 2",
                       r->n->key);
    kl_vec3 *point = kl_arena_array(r->b->m->arena, kl_vec3, net.nu * net.nv);
    if (!point) return KL_E_MEMORY;
    net.point = point;
    for (const kl_node *row = n->first; row; row = row->next) {
        if (row->kind != KL_LIST || row->size != net.nv)
            return kl_fail(r->b->diag, KL_E_MODEL, row->place,
                           "surface '%s': every row of a net has as many points as the first, %d",
                           r->n->key, net.nv);
        for (const kl_node *c = row->first; c; c = c->next)
            KL_TRY(kl_value_vec3(r->s, c, "net", "m", point++));
    }
    KL_TRY(spline_of(r, &net.kind));
    return kl_surface_net(&net, r->b->m->arena, r->b->diag, out);
}

static kl_status place_surface(const surface_reader *r, kl_surface *surface)
{
    const kl_node *at = kl_node_get(r->n, "at"), *turn = kl_node_get(r->n, "orientation"),
                  *flip = kl_node_get(r->n, "flip");
    kl_pose pose        = {.A = kl_identity()};
    if (at) KL_TRY(kl_value_vec3(r->s, at, "at", "m", &pose.r));
    if (turn) KL_TRY(kl_value_rotation(r->s, turn, "orientation", &pose.A));
    if (at || turn) kl_surface_place(surface, pose);
    if (flip && flip->kind == KL_SCALAR && strcmp(flip->text, "true") == 0)
        surface->flip = !surface->flip;
    return KL_OK;
}

static kl_status read_surface(kl_builder *b, const kl_node *n)
{
    static const char *const known[] = {"revolution", "sweep", "net", "spline",      "factors",
                                        "track",      "flip",  "at",  "orientation", NULL};
    static const struct {
        const char *key;
        kl_status (*read)(const surface_reader *r, const kl_node *n, kl_surface **out);
    } kinds[]        = {{"revolution", read_revolution}, {"sweep", read_sweep}, {"net", read_net}};
    surface_reader r = {b, &b->now->scope, n};
    kl_surface    *out = NULL;
    if (n->kind != KL_MAP)
        return kl_fail(b->diag, KL_E_MODEL, n->place,
                       "surface '%s' is %s; give {revolution: [[a, r], ...]}, {sweep: ...} or "
                       "{net: ...}",
                       n->key, kl_node_kind_word(n->kind));
    kl_entry e = {.name = n->key, .section = "surface", .place = n->place, .chain = {n, NULL}};
    kl_values_unknown(r.s, &e, "surface", NULL, known);
    kl_sheet *skin = kl_model_add_skin(b->m, n->key, n->place);
    if (!skin || !(skin->text = kl_value_text(&b->now->scope, n, b->m->arena))) return KL_E_MEMORY;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const kl_node *one = kl_node_get(n, kinds[i].key);
        if (!one) continue;
        KL_TRY(kinds[i].read(&r, one, &out));
        KL_TRY(place_surface(&r, out));
        skin->surface = out;
        return KL_OK;
    }
    return kl_fail(b->diag, KL_E_MODEL, n->place,
                   "surface '%s': nothing says what it is; give `revolution`, `sweep` or `net`",
                   n->key);
}

/* ---- both ---- */

static kl_status read_section(kl_builder *b, const char *name,
                              kl_status (*read)(kl_builder *b, const kl_node *n),
                              int (*find)(const kl_model *m, const char *name))
{
    const kl_part *p = b->part[0];
    for (int i = 0; i < p->nroot; i++) {
        const kl_node *list = kl_node_get(p->root[i], name);
        if (!list || (list->kind == KL_SCALAR && !*list->text)) continue;
        if (list->kind != KL_MAP) {
            kl_fail(b->diag, KL_E_MODEL, list->place, "`%s` is %s; give names, each with its keys",
                    name, kl_node_kind_word(list->kind));
            continue;
        }
        for (const kl_node *n = list->first; n; n = n->next) {
            if (find(b->m, n->key) >= 0)
                kl_fail(b->diag, KL_E_NAME, n->key_place, "'%s' is there twice under `%s`", n->key,
                        name);
            else if (read(b, n) == KL_E_MEMORY) return KL_E_MEMORY;
        }
    }
    return KL_OK;
}

kl_status kl_lines_read(kl_builder *b)
{
    b->now = b->part[0];
    KL_TRY(read_section(b, "tracks", read_track, kl_model_find_line));
    return read_section(b, "surfaces", read_surface, kl_model_find_skin);
}
