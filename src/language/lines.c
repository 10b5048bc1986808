/* tracks:
 *   coaster: {file: coaster.yaml, parameters: {spline: cubic}, geometry: table}
 *   coaster: {file: coaster.ktrack}
 *   line: {layout: [straight 50 m, ...], geometry: exact}       # all keys of docs/tracks.md
 *
 * `geometry: exact` evaluates curve, frame and roll at every place; `table` looks them up in the
 * papers' 37 columns, made to the error that the track asks for. */
#include "language/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "geometry/path_check.h"
#include "language/track.h"
#include "store/track_file.h"

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
                       "track '%s' has no table (see the message before); change that, write a "
                       "table of more than %d rows to a file with `klingel track`, or take "
                       "`geometry: exact`",
                       n->key, MOST_ROWS);
    KL_TRY(kl_path_from_table(table, b->m->arena, &path));
    *out = path;
    return KL_OK;
}

/* A body that follows a frame whose turn jumps is struck there; a kink strikes any. */
static kl_status warn_of_jumps(kl_builder *b, const kl_node *n, const kl_path *path,
                               const char *remedy)
{
    kl_jumps kink, turn;
    KL_TRY(kl_path_jumps(path, b->m->arena, &kink, &turn));
    if (kink.count > 0)
        kl_warn(b->diag, n->place,
                "track '%s' has a kink of %.3g deg at %g m (%d in all): what follows it is struck "
                "there, and energy is not kept; put a curve between",
                n->key, 57.29577951308232 * kink.largest, kink.s, kink.count);
    else if (turn.count > 0)
        kl_warn(b->diag, n->place,
                "track '%s': the turn of its frame jumps by %.3g rad/m at %g m (%d in all): a body "
                "that follows more than its point is struck there, and energy is not kept; %s",
                n->key, turn.largest, turn.s, turn.count, remedy);
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
    KL_TRY(warn_of_jumps(b, n, kl_track_file_path(f),
                         "make the table again with `corners: 0.2 m` in its track"));
    line->path = kl_track_file_path(f);
    return KL_OK;
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
    KL_TRY(warn_of_jumps(b, n, track->path, "leave `corners: 0` out, or take smooth transitions"));
    line->path = track->path, line->gauge = track->gauge, line->what = track->what;
    return table ? tabulate(b, n, track, &line->path) : KL_OK;
}

/* ---- tracks and surfaces ---- */

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
    return read_section(b, "surfaces", kl_surface_read, kl_model_find_skin);
}
