/* Tracks through control points: in the YAML file itself or in a table of numbers beside it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/number.h"
#include "language/track_parts.h"
#include "language/values.h"

typedef struct point_list {
    kl_vec3  *point;
    double   *roll; /* or NULL where no point has one */
    kl_place *place;
    int       n, capacity, nroll;
    kl_place  first_other; /* the first point that does as the one before did not */
} point_list;

static kl_status add_point(kl_track_reader *r, point_list *l, kl_vec3 p, const double *roll,
                           kl_place place)
{
    if (l->n == l->capacity) { /* three lists that grow together */
        int        more  = l->capacity ? 2 * l->capacity : 256;
        size_t     used  = (size_t)l->n;
        point_list wider = *l;
        wider.capacity   = more;
        wider.point      = kl_arena_array(r->arena, kl_vec3, more);
        wider.roll       = kl_arena_array(r->arena, double, more);
        wider.place      = kl_arena_array(r->arena, kl_place, more);
        if (!kl_arena_ok(r->arena)) return KL_E_MEMORY;
        if (used > 0) {
            memcpy(wider.point, l->point, used * sizeof *l->point);
            memcpy(wider.roll, l->roll, used * sizeof *l->roll);
            memcpy(wider.place, l->place, used * sizeof *l->place);
        }
        *l = wider;
    }
    l->point[l->n] = p, l->place[l->n] = place;
    l->roll[l->n] = roll ? *roll : 0.0;
    bool other    = l->n > 0 && (roll != NULL) != (l->nroll == l->n);
    if (other && !l->first_other.file) l->first_other = place;
    l->nroll += roll != NULL;
    l->n++;
    return KL_OK;
}

/* ---- in the file itself ---- */

static kl_status read_point(kl_track_reader *r, const kl_node *c, point_list *l)
{
    static const char *const unit[] = {"m", "m", "m", "rad"};
    static const char *const name[] = {"x", "y", "z", "roll"};
    double                   x[4]   = {0};
    int                      i      = 0;
    if (c->kind != KL_LIST || (c->size != 3 && c->size != 4))
        return kl_fail(r->diag, KL_E_MODEL, c->place,
                       "a control point is a list [x, y, z] or [x, y, z, roll]");
    for (const kl_node *e = c->first; e; e = e->next, i++) {
        /* a number that is none is reported as what it is, with its place */
        if (e->kind == KL_SCALAR && !e->quoted && strchr(".nN", *e->text) &&
            (strcmp(e->text, ".nan") == 0 || strcmp(e->text, "nan") == 0 ||
             strcmp(e->text, "NaN") == 0))
            return kl_fail(r->diag, KL_E_MODEL, e->place,
                           "control point %d: %s is %s; give a number or remove the point",
                           l->n + 1, name[i], e->text);
        KL_TRY(kl_scope_number(r->s, e, name[i], unit[i], &x[i]));
    }
    return add_point(r, l, kl_load(x), c->size == 4 ? &x[3] : NULL, c->place);
}

static kl_status read_list(kl_track_reader *r, const kl_node *list, point_list *l)
{
    kl_status worst = KL_OK;
    for (const kl_node *c = list->first; c; c = c->next) {
        kl_status s = read_point(r, c, l);
        if (s == KL_E_MEMORY) return s;
        if (s != KL_OK) worst = s;
    }
    return worst;
}

/* ---- in a table beside it ---- */

typedef struct table_reader {
    kl_track_reader *r;
    const char      *path;
    double           factor[4]; /* to SI */
    point_list      *list;
    int              line, wrong;
    bool             started; /* a line of numbers was there */
} table_reader;

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
    return p;
}

static void report_fault(table_reader *t, long column, const char *what)
{
    enum { MOST = 20 };
    kl_place at = {t->path, t->line, (int)column + 1};
    if (t->wrong++ < MOST) kl_fail(t->r->diag, KL_E_SYNTAX, at, "%s", what);
}

/* One line of three or four numbers with blanks, commas or semicolons between. */
static kl_status read_line(table_reader *t, const char *line, const char *end)
{
    double      x[4] = {0};
    int         n    = 0;
    const char *hash = memchr(line, '#', (size_t)(end - line));
    const char *stop = hash ? hash : end, *p = skip_blanks(line, stop);
    if (p == stop) return KL_OK;
    while (p < stop) {
        double      value;
        const char *next = kl_scan_number(p, stop, &value);
        if (!next) {
            if (!t->started && n == 0) return KL_OK; /* names of the columns */
            report_fault(t, p - line,
                         "a number is missing or cannot be read; give x, y, z and, if you "
                         "like, roll");
            return KL_OK;
        }
        if (n == 4) {
            report_fault(t, p - line,
                         "more than four numbers; give x, y, z and, if you like, roll");
            return KL_OK;
        }
        if (!isfinite(value)) {
            report_fault(t, p - line,
                         "this number is not finite; give a finite number or remove the point");
            return KL_OK;
        }
        x[n] = value * t->factor[n];
        n++;
        p = skip_blanks(next, stop);
        if (p < stop && (*p == ',' || *p == ';')) p = skip_blanks(p + 1, stop);
    }
    t->started = true;
    if (n < 3) {
        report_fault(t, p - line, "fewer than three numbers; give x, y, z and, if you like, roll");
        return KL_OK;
    }
    return add_point(t->r, t->list, kl_load(x), n == 4 ? &x[3] : NULL,
                     (kl_place){t->path, t->line, 1});
}

static kl_status read_units(kl_track_reader *r, const kl_node *units, double factor[4])
{
    static const char *const wants[] = {"m", "m", "m", "rad"};
    int                      i       = 0;
    for (int k = 0; k < 4; k++) factor[k] = 1.0;
    if (!units) return KL_OK;
    if (units->kind != KL_LIST || units->size < 3 || units->size > 4)
        return kl_fail(r->diag, KL_E_MODEL, units->place,
                       "units: give three or four: [m, m, m, deg]");
    for (const kl_node *c = units->first; c; c = c->next, i++) {
        kl_dim dim;
        if (c->kind != KL_SCALAR || !kl_unit_parse(c->text, &factor[i], &dim) ||
            !kl_dim_equal(dim, kl_dim_of(wants[i])))
            return kl_fail(r->diag, KL_E_MODEL, c->place, "units: `%s` is not a unit of %s",
                           c->kind == KL_SCALAR ? c->text : "", i < 3 ? "length" : "angle");
    }
    return KL_OK;
}

/* The whole of a file, or NULL with a message. */
static char *read_text(kl_track_reader *r, const char *path, kl_place place, size_t *size)
{
    FILE *f    = kl_file_open(path);
    char *text = NULL;
    long  n    = -1;
    if (f && fseek(f, 0, SEEK_END) == 0) n = ftell(f);
    if (n >= 0 && n < 2000000000L && fseek(f, 0, SEEK_SET) == 0)
        text = kl_arena_take(r->arena, (size_t)n + 1);
    if (text && fread(text, 1, (size_t)n, f) != (size_t)n) text = NULL;
    if (!text)
        kl_fail(r->diag, KL_E_FILE, place, "%s cannot be read: %s", path,
                kl_file_reason(errno ? errno : EIO));
    if (f) fclose(f);
    *size = n > 0 ? (size_t)n : 0;
    return text;
}

static kl_status read_file(kl_track_reader *r, const kl_node *map, point_list *l)
{
    static const char *const keys[] = {"file", "units", NULL};
    const kl_node           *name   = kl_node_get(map, "file");
    table_reader             t      = {.r = r, .list = l};
    if (!kl_track_keys(r, map, "points", keys)) return KL_E_MODEL;
    if (!name || name->kind != KL_SCALAR || !*name->text)
        return kl_fail(r->diag, KL_E_MODEL, map->place,
                       "points: give the name of a file: {file: p.csv}");
    if (r->options->no_files)
        return kl_fail(r->diag, KL_E_MODEL, name->place,
                       "points cannot be read from a file here; list them");
    KL_TRY(read_units(r, kl_node_get(map, "units"), t.factor));
    /* a name without a leading slash is beside the file that holds it */
    const char *slash  = r->file ? strrchr(r->file, '/') : NULL;
    int         folder = slash && *name->text != '/' ? (int)(slash - r->file) + 1 : 0;
    t.path = kl_arena_format(r->arena, "%.*s%s", folder, folder ? r->file : "", name->text);
    if (!t.path) return KL_E_MEMORY;
    size_t size = 0;
    char  *text = read_text(r, t.path, name->place, &size);
    if (!text) return KL_E_FILE;
    for (const char *p = text, *end = text + size; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) stop = end;
        t.line++;
        KL_TRY(read_line(&t, p, stop));
        p = stop + 1;
    }
    return t.wrong ? KL_E_SYNTAX : KL_OK;
}

/* ---- the spline ---- */

static void read_spline(kl_track_reader *r, kl_control_points *in, const char **name)
{
    static const char *const spacing[]    = {"chord", "centripetal", "uniform", NULL};
    static const char *const ends[]       = {"free", "natural", NULL};
    const kl_node           *direction[2] = {kl_node_get(r->node, "start_direction"),
                                             kl_node_get(r->node, "end_direction")};
    const char              *word;
    *name = "cubic";
    kl_track_spline_word(r, r->node, "spline", name);
    kl_interpolation_find(*name, &in->kind);
    /* The parameter grows between points in proportion to |chord|, sqrt|chord| or 1. */
    if (kl_track_word(r, r->node, "knots", spacing, &word))
        in->spacing = *word == 'u'     ? KL_SPACING_UNIFORM
                      : word[1] == 'e' ? KL_SPACING_CENTRIPETAL
                                       : KL_SPACING_CHORD;
    if (kl_track_word(r, r->node, "ends", ends, &word) && *word == 'n')
        in->end[0] = in->end[1] = KL_END_NATURAL;
    for (int i = 0; i < 2; i++)
        if (direction[i] &&
            kl_value_axis(r->s, direction[i], i ? "end_direction" : "start_direction",
                          &in->direction[i]) == KL_OK)
            in->end[i] = KL_END_SLOPE;
    static const char *const truth[] = {"true", "false", NULL};
    if (kl_track_word(r, r->node, "closed", truth, &word)) in->closed = *word == 't';
}

kl_status kl_track_spline(kl_track_reader *r, const kl_vec3 *point, const kl_place *place, int n,
                          kl_place whole, const char *from)
{
    kl_control_points in = {.point = point, .place = place, .whole = whole, .n = n};
    const char       *spline;
    const double     *u = NULL;
    read_spline(r, &in, &spline);
    KL_TRY(kl_curve_through(&in, r->arena, r->diag, &r->curve, &u));
    /* a closed curve may have dropped a repeated last point */
    int used = in.closed ? r->curve->piece[r->curve->npiece - 1].source + 1 : n;
    if (r->nroll > 0) r->roll_u = u, r->nroll = used;
    r->what = kl_arena_format(r->arena, "%s spline through %d points%s%s%s", spline, used,
                              in.closed ? ", closed" : "", from ? " of " : "", from ? from : "");
    return r->what ? KL_OK : KL_E_MEMORY;
}

kl_status kl_track_points(kl_track_reader *r)
{
    const kl_node *n = kl_node_get(r->node, "points"), *again = kl_node_get(r->node, "resample");
    point_list     l = {0};
    if (n->kind == KL_SCALAR)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "points is a value; give a list of [x, y, z] or {file: points.csv}");
    if (again)
        return kl_fail(r->diag, KL_E_MODEL, again->key_place,
                       "`resample` needs a `layout` or `segments`, but this track is already given "
                       "by points; remove `resample`");
    KL_TRY(n->kind == KL_LIST ? read_list(r, n, &l) : read_file(r, n, &l));
    if (l.nroll > 0 && l.nroll < l.n)
        return kl_fail(r->diag, KL_E_MODEL, l.first_other,
                       "%d of %d control points have a roll; give it for all or for none", l.nroll,
                       l.n);
    if (l.nroll > 0) r->roll_angle = l.roll, r->nroll = l.n;
    return kl_track_spline(r, l.point, l.place, l.n, n->place, NULL);
}
