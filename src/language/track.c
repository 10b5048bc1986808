#include "language/track.h"

#include "geometry/path_rounded.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "language/track_parts.h"
#include "language/values.h"

/* ---- small things ---- */

bool kl_track_keys(kl_track_reader *r, const kl_node *map, const char *what,
                   const char *const *known)
{
    bool good = true;
    if (map->kind != KL_MAP) {
        kl_fail(r->diag, KL_E_MODEL, map->place, "%s is %s; give keys and values: {key: value}",
                what, kl_node_kind_word(map->kind));
        return false;
    }
    for (const kl_node *c = map->first; c; c = c->next) {
        bool found = false;
        for (int i = 0; known[i]; i++) found = found || strcmp(known[i], c->key) == 0;
        if (found) continue;
        const char *near = kl_nearest(c->key, known);
        kl_fail(r->diag, KL_E_NAME, c->key_place, "unknown key `%s` in %s%s%s%s", c->key, what,
                near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
        good = false;
    }
    return good;
}

bool kl_track_number(kl_track_reader *r, const kl_node *map, const char *key, const char *unit,
                     double *out)
{
    const kl_node *n = kl_node_get(map, key);
    return n && kl_scope_number(r->s, n, key, unit, out) == KL_OK;
}

bool kl_track_word(kl_track_reader *r, const kl_node *map, const char *key,
                   const char *const *words, const char **out)
{
    const kl_node *n = kl_node_get(map, key);
    if (!n || kl_value_word(r->s, n, key, out) != KL_OK) return false;
    char   list[200] = "";
    size_t used      = 0;
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], *out) == 0) return true;
        if (used < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    }
    const char *near = kl_nearest(*out, words);
    kl_fail(r->diag, KL_E_NAME, n->place, "%s is '%s'%s%s%s; give one of %s", key, *out,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list);
    return false;
}

bool kl_track_spline_word(kl_track_reader *r, const kl_node *map, const char *key, const char **out)
{
    const kl_node *n = kl_node_get(map, key);
    if (n && kl_value_word(r->s, n, key, out) == KL_OK &&
        kl_interpolation_renamed(r->diag, n->place, key, out))
        return true;
    return kl_track_word(r, map, key, kl_interpolation_names(), out);
}

kl_status kl_track_cant(kl_track_reader *r, const kl_node *n, double base, double *angle)
{
    kl_diag *diag    = r->s->diag;
    double   height  = 0.0;
    r->s->diag       = NULL; /* first try, without a word */
    kl_status length = kl_scope_number(r->s, n, "cant", "m", &height);
    kl_status turned = length == KL_OK ? KL_OK : kl_scope_number(r->s, n, "cant", "rad", angle);
    r->s->diag       = diag;
    if (length != KL_OK && turned != KL_OK) {
        /* once more aloud, for what is wrong inside the expression */
        if (kl_scope_number(r->s, n, "cant", "*", &height) != KL_OK) return KL_E_MODEL;
        return kl_fail(diag, KL_E_MODEL, n->place,
                       "cant is `%s`; give a height such as 120 mm or an angle such as 5 deg",
                       n->text);
    }
    if (length != KL_OK) return KL_OK;
    if (!(fabs(height) < base))
        return kl_fail(diag, KL_E_RANGE, n->place,
                       "cant is %g m over a base of %g m; give less, or an angle such as 58 deg",
                       height, base);
    *angle = asin(height / base);
    return KL_OK;
}

/* ---- frame and roll ---- */

static kl_status read_frame(kl_track_reader *r, kl_frame_settings *set, const char **name)
{
    bool           segments = kl_node_get(r->node, "segments") != NULL;
    const kl_node *n        = kl_node_get(r->node, "frame");
    *set                    = (kl_frame_settings){.kind = KL_FRAME_LEVEL};
    *name                   = segments ? "minimal-rotation" : "level";
    kl_track_word(r, r->node, "frame", kl_frame_names(), name);
    kl_frame_find(*name, &set->kind);
    /* The curvatures `left` and `up` of segments are components in the rolling frame. Another frame
     * would give the same numbers another meaning. */
    if (segments && r->roll && set->kind != KL_FRAME_MINIMAL_ROTATION) {
        bool rolls = false;
        for (int i = 0; i < r->roll->n; i++)
            rolls = rolls || !r->roll->piece[i].shape || r->roll->piece[i].f0 != 0.0 ||
                    r->roll->piece[i].f1 != 0.0;
        if (rolls)
            return kl_fail(r->diag, KL_E_MODEL, n->place,
                           "segments with roll define their own frame; remove `frame`");
    }
    const kl_node *up = kl_node_get(r->node, "up");
    if (up) KL_TRY(kl_value_axis(r->s, up, "up", &set->up));
    kl_track_number(r, r->node, "frame_limit", set->kind == KL_FRAME_FRENET ? "1/m" : "rad",
                    &set->limit);
    return KL_OK;
}

/* `roll: [[0 m, 0 deg], [20 m, 5 deg], ...]` */
static kl_status read_roll_list(kl_track_reader *r, const kl_node *list, double length, double **x,
                                double **f, int *count)
{
    if (list->kind != KL_LIST || list->size < 2)
        return kl_fail(r->diag, KL_E_MODEL, list->place,
                       "roll is a list of at least two pairs: [[0 m, 0 deg], [20 m, 5 deg]]");
    int n = list->size, i = 0;
    *x = kl_arena_array(r->arena, double, n), *f = kl_arena_array(r->arena, double, n);
    if (!kl_arena_ok(r->arena)) return KL_E_MEMORY;
    for (const kl_node *c = list->first; c; c = c->next, i++) {
        if (c->kind != KL_LIST || c->size != 2)
            return kl_fail(r->diag, KL_E_MODEL, c->place, "roll: give pairs [length, angle]");
        KL_TRY(kl_scope_number(r->s, c->first, "roll: length", "m", &(*x)[i]));
        KL_TRY(kl_scope_number(r->s, c->first->next, "roll: angle", "rad", &(*f)[i]));
        if (i > 0 && !((*x)[i] > (*x)[i - 1]))
            return kl_fail(r->diag, KL_E_RANGE, c->place,
                           "roll: length %g m is not greater than %g m before it; list the pairs "
                           "in increasing order",
                           (*x)[i], (*x)[i - 1]);
        if ((*x)[i] < 0.0 || (*x)[i] > length + 1e-6)
            return kl_fail(r->diag, KL_E_RANGE, c->place,
                           "roll: length %g m is outside the track, which is %g m long", (*x)[i],
                           length);
    }
    *count = n;
    return KL_OK;
}

static kl_status read_roll(kl_track_reader *r, const kl_arc *arc)
{
    const kl_node *list = kl_node_get(r->node, "roll"), *kind = kl_node_get(r->node, "roll_spline");
    kl_interpolation spline = KL_MONOTONE;
    const char      *word   = "monotone";
    const char      *own    = NULL;
    if (kind && !kl_track_spline_word(r, r->node, "roll_spline", &word)) return KL_E_MODEL;
    if (!kind && r->nroll > 0 && kl_track_spline_word(r, r->node, "spline", &own)) word = own;
    /* roll along linear ramps has corners, which a curve without inflections would make sharp */
    if (!kind && strcmp(word, "concavity-preserving") == 0) word = "monotone";
    kl_interpolation_find(word, &spline);
    if (list && (r->nroll > 0 || r->roll))
        return kl_fail(r->diag, KL_E_MODEL, list->place,
                       "roll is given twice: here and with the points or segments; remove one");
    if (r->roll) {
        kl_piecewise_map(r->roll, kl_arc_length_at, arc);
        return KL_OK;
    }
    double *x = NULL, *f = NULL;
    int     n      = 0;
    bool    closed = r->nroll > 0 && arc->curve->closed;
    if (r->nroll > 0) {
        n = r->nroll;
        x = kl_arena_array(r->arena, double, n + 1), f = kl_arena_array(r->arena, double, n);
        if (!kl_arena_ok(r->arena)) return KL_E_MEMORY;
        for (int i = 0; i < n; i++)
            x[i] = kl_arc_length_at(arc, r->roll_u[i]), f[i] = r->roll_angle[i];
        x[n] = arc->length;
    } else if (list) {
        KL_TRY(read_roll_list(r, list, arc->length, &x, &f, &n));
    }
    if (n == 0) return KL_OK;
    r->roll = kl_arena_array(r->arena, kl_piecewise, 1);
    if (!r->roll) return KL_E_MEMORY;
    kl_arena *scratch = kl_arena_create();
    kl_status status =
        scratch ? kl_piecewise_through(r->roll, r->arena, scratch, spline, x, f, n, closed)
                : KL_E_MEMORY;
    kl_arena_destroy(scratch);
    return status;
}

/* ---- table and checks ---- */

static kl_status read_table(kl_track_reader *r, kl_table_settings *t)
{
    static const char *const keys[] = {
        "interpolation", "error",        "position_error", "direction_error",
        "first_error",   "second_error", "step",           NULL};
    const kl_node *n      = kl_node_get(r->node, "table");
    const char    *method = "cubic";
    double         error  = 0.0;
    *t                    = (kl_table_settings){.method = KL_TABLE_CUBIC};
    if (!n || !kl_track_keys(r, n, "table", keys)) return KL_OK;
    kl_track_word(r, n, "interpolation", kl_table_method_names(), &method);
    kl_table_method_find(method, &t->method);
    /* one number for all columns, each in its own unit */
    if (kl_track_number(r, n, "error", "*", &error))
        for (int k = 0; k < KL_NCLASS; k++) t->error[k] = error;
    kl_track_number(r, n, "position_error", "m", &t->error[KL_CLASS_POSITION]);
    kl_track_number(r, n, "direction_error", "1", &t->error[KL_CLASS_DIRECTION]);
    kl_track_number(r, n, "first_error", "1/m", &t->error[KL_CLASS_FIRST]);
    kl_track_number(r, n, "second_error", "1/m2", &t->error[KL_CLASS_SECOND]);
    kl_track_number(r, n, "step", "m", &t->step);
    for (int k = 0; k < KL_NCLASS; k++)
        if (t->error[k] < 0.0 || t->step < 0.0)
            return kl_fail(r->diag, KL_E_RANGE, n->place,
                           "table: errors and step must be positive");
    return KL_OK;
}

static void read_limits(kl_track_reader *r, kl_track_limits *l)
{
    static const struct {
        const char *key, *unit;
        size_t      offset;
    } limits[] = {
        {"radius", "m", offsetof(kl_track_limits, radius)},
        {"vertical_radius", "m", offsetof(kl_track_limits, vertical_radius)},
        {"slope", "rad", offsetof(kl_track_limits, slope)},
        {"roll", "rad", offsetof(kl_track_limits, roll)},
        {"roll_rate", "rad/m", offsetof(kl_track_limits, roll_rate)},
        {"roll_jerk", "rad/m2", offsetof(kl_track_limits, roll_jerk)},
        {"clearance", "m", offsetof(kl_track_limits, clearance)},
    };
    enum { N = sizeof limits / sizeof limits[0] };
    const kl_node *n           = kl_node_get(r->node, "checks");
    const char    *keys[N + 1] = {0};
    *l                         = (kl_track_limits){.clearance = 0.1};
    for (int i = 0; i < N; i++) keys[i] = limits[i].key;
    if (!n || !kl_track_keys(r, n, "checks", keys)) return;
    for (int i = 0; i < N; i++) {
        double *value = (double *)(void *)((char *)l + limits[i].offset);
        kl_track_number(r, n, limits[i].key, limits[i].unit, value);
    }
}

/* ---- all of it ---- */

static kl_status read_line(kl_track_reader *r)
{
    static const struct {
        const char *key;
        kl_status (*read)(kl_track_reader *r);
    } ways[] = {
        {"points", kl_track_points}, {"layout", kl_track_layout}, {"segments", kl_track_segments}};
    int found = -1;
    for (int i = 0; i < 3; i++) {
        const kl_node *n = kl_node_get(r->node, ways[i].key);
        if (!n) continue;
        if (found >= 0)
            return kl_fail(r->diag, KL_E_MODEL, n->key_place,
                           "track: `%s` and `%s` both define the line; remove one", ways[found].key,
                           ways[i].key);
        found = i;
    }
    if (found < 0)
        return kl_fail(r->diag, KL_E_MODEL, r->node->place,
                       "track: the line is not defined; give `points`, `layout` or `segments`");
    return ways[found].read(r);
}

static bool wants_closed(const kl_track_reader *r)
{
    const kl_node *n = kl_node_get(r->node, "closed");
    return n && n->kind == KL_SCALAR && strcmp(n->text, "true") == 0;
}

/* A line that is to be closed by its points must come back to where it began. */
static kl_status check_closing(kl_track_reader *r, const kl_arc *arc, double spacing)
{
    const double bridged = 1.5, seen = 1e-3, kink = 0.0175; /* spacings, [m], [rad] */
    kl_vec3      a[2], b[2];
    kl_place     at = kl_node_get(r->node, "closed")->place;
    kl_arc_eval(arc, 0, 0.0, 1, a);
    kl_arc_eval(arc, arc->n - 1, arc->length, 1, b);
    double gap  = kl_norm(kl_sub(a[0], b[0]));
    double turn = atan2(kl_norm(kl_cross(a[1], b[1])), kl_dot(a[1], b[1]));
    if (gap > bridged * spacing)
        return kl_fail(r->diag, KL_E_RANGE, at,
                       "the line ends at (%g, %g, %g), %g m from its beginning, and cannot be "
                       "closed; let both ends coincide, or remove `closed`",
                       b[0].x, b[0].y, b[0].z, gap);
    if (gap > seen || turn > kink)
        kl_warn(r->diag, at,
                "the line ends %g m from its beginning, at an angle of %.3g deg to it; the spline "
                "closes the gap",
                gap, 57.29577951308232 * turn);
    return KL_OK;
}

/* `resample: {spacing: 1 m}`: takes points from the line as it is and lays the spline through them,
 * as a measured track would be. */
static kl_status resample(kl_track_reader *r, const kl_node *n, double tolerance)
{
    static const char *const keys[]  = {"spacing", NULL};
    double                   spacing = 0.0;
    kl_arc                  *arc     = NULL;
    if (!kl_track_keys(r, n, "resample", keys)) return KL_E_MODEL;
    if (!kl_track_number(r, n, "spacing", "m", &spacing) || !(spacing > 0.0))
        return kl_fail(r->diag, KL_E_MODEL, n->place, "resample: give a spacing: {spacing: 1 m}");
    KL_TRY(kl_arc_build(r->curve, tolerance, r->arena, r->diag, &arc));
    if (wants_closed(r)) KL_TRY(check_closing(r, arc, spacing));
    if (r->roll) kl_piecewise_map(r->roll, kl_arc_length_at, arc);
    double count = ceil(arc->length / spacing - 1e-9);
    if (!(count < 1e7))
        return kl_fail(
            r->diag, KL_E_RANGE, n->place,
            "resample: %g m with a point every %g m gives too many points; use a larger spacing",
            arc->length, spacing);
    int       m = count < 1.0 ? 1 : (int)count, interval = 0, hint = 0;
    kl_vec3  *point = kl_arena_array(r->arena, kl_vec3, m + 1);
    kl_place *place = kl_arena_array(r->arena, kl_place, m + 1);
    double   *angle = kl_arena_array(r->arena, double, m + 1);
    if (!kl_arena_ok(r->arena)) return KL_E_MEMORY;
    for (int i = 0; i <= m; i++) {
        double s = arc->length * i / m, f[KL_LAW_DERIVATIVES];
        interval = kl_arc_find(arc, s, i == m ? -1 : 1, interval);
        kl_arc_eval(arc, interval, s, 0, &point[i]);
        place[i] = kl_curve_place(arc->curve, arc->interval[interval].piece);
        if (r->roll) kl_piecewise_eval(r->roll, s, 1, &hint, f), angle[i] = f[0];
    }
    if (r->roll) r->roll_angle = angle, r->nroll = m + 1;
    r->roll = NULL;
    return kl_track_spline(r, point, place, m + 1, n->place, r->what);
}

static kl_place written_at(const void *track, double s) { return kl_track_place(track, s); }

static kl_status build(kl_track_reader *r, kl_track *t)
{
    kl_frame_settings set;
    kl_frame         *frame     = NULL;
    kl_arc           *arc       = NULL;
    double            tolerance = 0.0;
    KL_TRY(read_line(r));
    KL_TRY(read_frame(r, &set, &t->frame));
    KL_TRY(read_table(r, &t->table));
    read_limits(r, &t->limits);
    t->gauge = 1.435;
    kl_track_number(r, r->node, "gauge", "m", &t->gauge);
    kl_track_number(r, r->node, "tolerance", "m", &tolerance);
    const kl_node *again = kl_node_get(r->node, "resample");
    if (kl_diag_failed(r->diag)) return KL_E_MODEL;
    if (again) KL_TRY(resample(r, again, tolerance));
    if (wants_closed(r) && !r->curve->closed)
        return kl_fail(r->diag, KL_E_MODEL, kl_node_get(r->node, "closed")->place,
                       "only a line through points can be `closed`; give `points`, or sample this "
                       "line with `resample: {spacing: 1 m}`");

    /* Each stage needs the one before: arc length u(s) of the curve, roll phi(s), frame A(s) without roll,
     * path with both, and last the rounded corners of its curvature. */
    KL_TRY(kl_arc_build(r->curve, tolerance, r->arena, r->diag, &arc));
    KL_TRY(read_roll(r, arc));
    KL_TRY(kl_frame_build(arc, &set, r->arena, r->diag, &frame));
    kl_path *path    = NULL;
    double   corners = r->options->corners;
    KL_TRY(kl_path_exact(arc, frame, r->roll, r->arena, &path));
    kl_track_number(r, r->node, "corners", "m", &corners);
    KL_TRY(kl_path_rounded(path, corners, r->arena, &t->path));
    t->arc = arc, t->what = r->what;
    t->table.where = written_at, t->table.written = t;
    return kl_diag_failed(r->diag) ? KL_E_MODEL : KL_OK;
}

kl_status kl_track_section(kl_scope *scope, const kl_node *node, const char *file,
                           const kl_track_options *options, kl_track **out)
{
    static const char *const      keys[] = {"points",
                                            "spline",
                                            "knots",
                                            "ends",
                                            "start_direction",
                                            "end_direction",
                                            "closed",
                                            "layout",
                                            "profile",
                                            "segments",
                                            "start",
                                            "resample",
                                            "cant_base",
                                            "frame",
                                            "frame_limit",
                                            "up",
                                            "roll",
                                            "roll_spline",
                                            "tolerance",
                                            "table",
                                            "checks",
                                            "gauge",
                                            "corners",
                                            "geometry", /* read by models */
                                            NULL};
    static const kl_track_options plain  = {0};
    kl_track_reader               r      = {.s       = scope,
                                            .node    = node,
                                            .file    = file,
                                            .options = options ? options : &plain,
                                            .arena   = scope->arena,
                                            .diag    = scope->diag};
    kl_track                     *t      = kl_arena_array(scope->arena, kl_track, 1);
    if (!t) return KL_E_MEMORY;
    if (!kl_track_keys(&r, node, "track", keys)) return KL_E_MODEL;
    KL_TRY(build(&r, t));
    *out = t;
    return KL_OK;
}

kl_status kl_track_build(const kl_node *root, const char *file, const kl_track_options *options,
                         kl_arena *arena, kl_diag *diag, kl_track **out)
{
    static const char *const keys[] = {"klingel", "title", "parameters", "track", NULL};
    kl_scope                 s;
    KL_TRY(kl_scope_init(&s, arena, diag));
    kl_track_reader r = {.s = &s, .arena = arena, .diag = diag};
    if (!kl_track_keys(&r, root, "a track file", keys)) return KL_E_MODEL;
    const kl_node *version = kl_node_get(root, "klingel"), *track = kl_node_get(root, "track");
    const kl_node *title = kl_node_get(root, "title");
    int            which = 0;
    if (!version)
        return kl_fail(diag, KL_E_MODEL, root->place,
                       "the line `klingel: 1` (version of the language) is missing; put it first");
    if (version->kind != KL_SCALAR ||
        kl_scope_integer(&s, version->text, version->place, "klingel", &which) != KL_OK ||
        which != 1)
        return kl_fail(diag, KL_E_VERSION, version->place,
                       "this program reads version 1 of the language, not '%s'",
                       version->kind == KL_SCALAR ? version->text : "a list");
    if (!track)
        return kl_fail(diag, KL_E_MODEL, root->place,
                       "the section `track` is missing; see `klingel track --help`");
    KL_TRY(kl_scope_parameters(&s, kl_node_get(root, "parameters"), options ? options->set : NULL,
                               options ? options->nset : 0));
    KL_TRY(kl_track_section(&s, track, file, options, out));
    (*out)->title = title && title->kind == KL_SCALAR ? title->text : "";
    return KL_OK;
}

kl_status kl_track_read(const char *path, const kl_track_options *options, kl_arena *arena,
                        kl_diag *diag, kl_track **out, const char **text)
{
    kl_node *root = NULL;
    KL_TRY(kl_doc_read(path, arena, diag, &root, text));
    return kl_track_build(root, path, options, arena, diag, out);
}

kl_place kl_track_place(const kl_track *track, double s)
{
    int i = kl_arc_find(track->arc, s, 1, 0);
    return kl_curve_place(track->arc->curve, track->arc->interval[i].piece);
}
