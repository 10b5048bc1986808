/* tracks:
 *   coaster: {file: coaster.yaml, parameters: {spline: cubic}, geometry: table}
 *   coaster: {file: coaster.ktrack}
 *   line: {layout: [straight 50 m, ...], geometry: exact}       # all keys of docs/tracks.md
 *
 * `geometry: exact` evaluates curve, frame and roll at every place; `table` looks them up in the
 * papers' 37 columns, made to the error that the track asks for. */
#include "language/resources.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "geometry/named.h"
#include "geometry/path_check.h"
#include "language/track.h"
#include "store/track_file.h"

enum { MOST_ROWS = 300000 }; /* of a table in memory: 90 MB */

/* Jumps of curvature and roll rate are rounded over this length unless the track says [m]: at 20
 * m/s a hundredth of a second, at a radius of 20 m no more than 0.05 mm beside the line. */
static const double CORNERS = 0.2;

static kl_status tabulate(kl_resource_reader *r, const kl_track *track, const kl_path **out)
{
    kl_table_settings set   = track->table;
    kl_path_table    *table = NULL;
    kl_path          *path  = NULL;
    /* In memory a table is limited; `klingel track` writes longer ones, which are read through a
     * window. */
    if (set.max_rows == 0 || set.max_rows > MOST_ROWS) set.max_rows = MOST_ROWS;
    kl_status status = kl_path_table_in_memory(track->path, &set, r->arena, r->diag, &table);
    if (status == KL_E_MEMORY) return status;
    if (status != KL_OK)
        return kl_fail(r->diag, status, r->node->place,
                       "track '%s': its table could not be made (see the previous message); "
                       "correct that, write a table of more than %d rows to a file with `klingel "
                       "track`, or use `geometry: exact`",
                       r->node->key, MOST_ROWS);
    KL_TRY(kl_path_from_table(table, r->arena, &path));
    *out = path;
    return KL_OK;
}

/* A body that follows a frame whose turn jumps is struck there; a kink strikes any. */
static kl_status warn_of_jumps(kl_resource_reader *r, const kl_path *path, const char *remedy)
{
    kl_jumps kink, turn;
    KL_TRY(kl_path_jumps(path, r->arena, &kink, &turn));
    if (kink.count > 0)
        kl_warn(r->diag, r->node->place,
                "track '%s' has a kink of %.3g deg at %g m (%d in all): a body that follows it "
                "receives an impulse there and energy is not conserved; insert a curve",
                r->node->key, 57.29577951308232 * kink.largest, kink.s, kink.count);
    else if (turn.count > 0)
        kl_warn(r->diag, r->node->place,
                "track '%s': the rotation rate of its frame jumps by %.3g rad/m at %g m (%d in "
                "all): a body whose rotation follows the track receives an impulse there and "
                "energy is not conserved; %s",
                r->node->key, turn.largest, turn.s, turn.count, remedy);
    return KL_OK;
}

static void close_file(void *file) { kl_track_file_close(file); }

static kl_status open_table(kl_resource_reader *r, const char *file, kl_named_track *line)
{
    kl_track_file *f = NULL;
    KL_TRY(kl_track_file_open(file, 0, r->diag, &f));
    KL_TRY(kl_model_at_end(r->m, close_file, f));
    line->what  = "table from file";
    line->gauge = 1.435;
    KL_TRY(warn_of_jumps(r, kl_track_file_path(f),
                         "make the table again with `corners: 0.2 m` in its track"));
    line->path = kl_track_file_path(f);
    return KL_OK;
}

/* Parameters handed to a track file, as texts. */
static kl_status overrides_of(kl_resource_reader *r, const kl_node *list, kl_track_options *options)
{
    if (!list) return KL_OK;
    if (list->kind != KL_MAP)
        return kl_fail(r->diag, KL_E_MODEL, list->place,
                       "parameters is %s; give {name: value} for the track file",
                       kl_node_kind_word(list->kind));
    kl_override *set = kl_arena_array(r->arena, kl_override, list->size + 1);
    if (!set) return KL_E_MEMORY;
    options->set = set;
    for (const kl_node *c = list->first; c; c = c->next) {
        kl_quantity value;
        const char *word               = NULL;
        char        unit[KL_UNIT_TEXT] = "";
        KL_TRY(kl_scope_value(r->s, c, c->key, &value, &word));
        if (!word && !value.bare) kl_unit_format(value.dim, unit, sizeof unit);
        set[options->nset++] = (kl_override){
            c->key, word ? word : kl_arena_format(r->arena, "%.17g %s", value.value, unit)};
    }
    return kl_arena_ok(r->arena) ? KL_OK : KL_E_MEMORY;
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static kl_status from_file(kl_resource_reader *r, const kl_node *file, kl_named_track *line,
                           kl_track **track)
{
    static const char *const known[] = {"file", "geometry", "parameters", NULL};
    kl_entry                 e       = {.name    = r->node->key,
                                        .section = "track",
                                        .place   = r->node->place,
                                        .chain   = {r->node, NULL}};
    kl_track_options         options = {.corners = CORNERS};
    const char              *name    = NULL;
    kl_values_unknown(r->s, &e, "track", NULL, known);
    KL_TRY(kl_value_word(r->s, file, "file", &name));
    const char *path = kl_path_beside(r->arena, file, name);
    if (!path) return KL_E_MEMORY;
    if (ends_in(path, ".ktrack")) {
        if (kl_node_get(r->node, "parameters") || kl_node_get(r->node, "geometry"))
            return kl_fail(
                r->diag, KL_E_MODEL, r->node->place,
                "track '%s': a .ktrack file is fixed, so `parameters` and `geometry` have no "
                "effect on it; remove them, or give the track file (.yaml) it was made from",
                r->node->key);
        return open_table(r, path, line);
    }
    KL_TRY(overrides_of(r, kl_node_get(r->node, "parameters"), &options));
    return kl_track_read(path, &options, r->arena, r->diag, track, NULL);
}

/* Places where the line meets itself: allowed, but seldom meant. */
static kl_status warn_of_crossings(kl_resource_reader *r, const kl_track *t)
{
    enum { MOST = 3 };
    const double longest = 20e3; /* [m]: longer lines are looked at by `klingel track` */
    kl_meeting   found[MOST];
    int          count = 0;
    if (!(t->limits.clearance > 0.0) || t->path->length > longest) return KL_OK;
    KL_TRY(kl_path_crossings(t->path, t->limits.clearance, 0.0, found, MOST, &count));
    for (int i = 0; i < count && i < MOST; i++)
        kl_warn(r->diag, kl_track_place(t, found[i].s[1]),
                "track '%s' crosses itself: the points at %g m and %g m are %.3g m apart (%d such "
                "places); set `checks: {clearance: 0 m}` if this is intended",
                r->node->key, found[i].s[0], found[i].s[1], found[i].distance, count);
    return KL_OK;
}

static kl_status read_track(kl_resource_reader *r, void *data)
{
    static const char *const ways[] = {"exact", "table", NULL};
    const kl_node           *file   = kl_node_get(r->node, "file"),
                  *geometry         = kl_node_get(r->node, "geometry");
    kl_track       *track           = NULL;
    const char     *way             = "exact";
    kl_named_track *line            = data;
    KL_TRY(kl_resource_refuse_mirror(r));
    line->name = r->resource->name;
    if (geometry) KL_TRY(kl_value_word(r->s, geometry, "geometry", &way));
    bool table = strcmp(way, "table") == 0;
    if (!table && strcmp(way, "exact") != 0) {
        const char *near = kl_nearest(way, ways);
        return kl_fail(r->diag, KL_E_NAME, geometry->place,
                       "track '%s': geometry is '%s'%s%s%s; give exact or table", r->node->key, way,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (file) KL_TRY(from_file(r, file, line, &track));
    else {
        kl_track_options options = {.corners = CORNERS};
        KL_TRY(kl_track_section(r->s, r->node, r->node->place.file, &options, &track));
    }
    if (!track) return KL_OK;
    KL_TRY(warn_of_crossings(r, track));
    KL_TRY(warn_of_jumps(r, track->path, "remove `corners: 0`, or use smooth transitions"));
    line->path = track->path, line->gauge = track->gauge, line->what = track->what;
    return table ? tabulate(r, track, &line->path) : KL_OK;
}

/* ---- drawing ---- */

/* A place each half metre is enough for rails; a small groove gets 200, a railway line 4000. */
static int places_of(double length)
{
    return (int)fmin(4000.0, fmax(200.0, ceil(length / 0.5))) + 1;
}

static bool draw_track(const void *data, kl_arena *arena, kl_drawn_line *out)
{
    const kl_named_track *g = data;
    if (!g->path) return false;
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

const kl_resource_type kl_tracks = {
    .section = "tracks",
    .word    = "track",
    .help    = "lines in space that bodies follow: rails, guides, grooves",
    .text =
        "    tracks:\n"
        "      coaster: {file: coaster.yaml, parameters: {spline: cubic}, geometry: table}\n"
        "      line: {layout: [straight 50 m, transition 60 m, curve 300 m radius for 100 m]}\n"
        "      far: {file: far.ktrack}                       # a table made by `klingel track`\n\n"
        "docs/tracks.md describes tracks: `layout`, `points` or `segments` with `profile`, "
        "`spline`,\n"
        "`frame`, `roll` and more, here or in a separate file with its own parameters.\n"
        "`geometry: exact` (default) evaluates the curve at each point, `geometry: table` "
        "interpolates\n"
        "in a table with the accuracy given by `table` of the track. A `path` joint follows it; "
        "long tables from a file\n"
        "are read through a window.\n",
    .example   = "{points: [[0, 0, 0], [1, 0, 0], [2, 0.5, -0.2], [3, 1, 0]]}",
    .data_size = sizeof(kl_named_track),
    .read      = read_track,
    .draw      = draw_track,
};
