/* klingel track: a track as an engineer writes it becomes a table for models; with a report, checks
 * and figures on the way. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/model_options.h"
#include "figures/track_figure.h"
#include "geometry/named.h"
#include "geometry/path_check.h"
#include "language/track.h"
#include "store/surface_file.h"
#include "store/track_file.h"
#include "terminal/options.h"
#include "terminal/result_files.h"

static const double DEGREE = 57.29577951308232;

typedef struct request {
    const char *file, *output, *figures, *csv, *surface;
    bool        quiet;
    kl_texts    set;
    kl_arena   *arena;
    kl_diag    *diag;
} request;

/* ---- the report ---- */

static void print_radius(const char *word, kl_extreme e)
{
    if (isfinite(e.value)) printf("  %-22s %10.4g m        at %.6g m\n", word, e.value, e.s);
    else printf("  %-22s       none\n", word);
}

static void print_extreme(const char *word, kl_extreme e, double factor, const char *unit)
{
    printf("  %-22s %10.4g %-8s at %.6g m\n", word, factor * e.value, unit, e.s);
}

static void print_jumps(const char *word, kl_jumps j, double factor, const char *unit)
{
    if (j.count == 0) return;
    printf("  %-22s %10.4g %-8s at %.6g m (%d place%s)\n", word, factor * j.largest, unit, j.s,
           j.count, j.count == 1 ? "" : "s");
}

static void print_report(const kl_path *path, const kl_path_report *r, const char *what,
                         const char *frame)
{
    printf("%s, %s frame\n", what, frame);
    printf("  %-22s %10.7g m%s\n", "length", r->length, path->closed ? ", closed" : "");
    printf("  %-22s %g..%g, %g..%g, %g..%g m\n", "box x, y, z", r->low.x, r->high.x, r->low.y,
           r->high.y, r->low.z, r->high.z);
    print_radius("smallest radius", r->radius);
    print_radius("  in plan", r->plan_radius);
    print_radius("  upright", r->vertical_radius);
    print_extreme("steepest", r->slope, DEGREE, "deg");
    print_extreme("largest roll", r->roll, DEGREE, "deg");
    print_extreme("  roll rate", r->roll_rate, DEGREE, "deg/m");
    print_extreme("  change of roll rate", r->roll_jerk, DEGREE, "deg/m2");
    print_jumps("gap", r->gap, 1.0, "m");
    print_jumps("kink of direction", r->kink, DEGREE, "deg");
    print_jumps("jump of roll", r->twist, DEGREE, "deg");
    print_jumps("jump of curvature", r->curvature, 1.0, "1/m");
    print_jumps("jump of roll rate", r->roll_rate_jump, DEGREE, "deg/m");
}

static void print_table(const kl_path_table *t)
{
    printf("  %-22s %d rows in %d pieces, %s; errors %.1g m, %.1g, %.1g 1/m, %.1g 1/m2\n", "table",
           t->nrow, t->npiece, kl_table_method_names()[t->method], t->error[0], t->error[1],
           t->error[2], t->error[3]);
}

/* ---- checks ---- */

static void check_jumps(const kl_track *t, const kl_path_report *r, kl_diag *diag)
{
    if (r->gap.count > 0)
        kl_warn(diag, kl_track_place(t, r->gap.s), "the track has a gap of %g m at %g m",
                r->gap.largest, r->gap.s);
    if (r->kink.count > 0)
        kl_warn(diag, kl_track_place(t, r->kink.s),
                "the direction has a kink of %.3g deg at %g m (%d in all): a body that follows the "
                "track receives an impulse there; insert a curve",
                DEGREE * r->kink.largest, r->kink.s, r->kink.count);
    if (r->twist.count > 0)
        kl_warn(diag, kl_track_place(t, r->twist.s),
                "the roll jumps by %.3g deg at %g m (%d in all): insert a transition, or choose "
                "another `frame`",
                DEGREE * r->twist.largest, r->twist.s, r->twist.count);
}

/* Below a smallest or above a largest value that the file asks for. */
static void check_limit(const kl_track *t, kl_extreme e, double limit, bool smallest, double factor,
                        const char *unit, const char *word, kl_diag *diag)
{
    if (limit <= 0.0 ||
        (smallest ? e.value >= limit * (1.0 - 1e-9) : e.value <= limit * (1.0 + 1e-9)))
        return;
    kl_warn(diag, kl_track_place(t, e.s), "%s is %.4g %s at %g m; the limit is %.4g %s", word,
            factor * e.value, unit, e.s, factor * limit, unit);
}

static void check_limits(const kl_track *t, const kl_path_report *r, kl_diag *diag)
{
    const kl_track_limits *l = &t->limits;
    check_limit(t, r->radius, l->radius, true, 1.0, "m", "the radius", diag);
    check_limit(t, r->vertical_radius, l->vertical_radius, true, 1.0, "m", "the vertical radius",
                diag);
    check_limit(t, r->slope, l->slope, false, DEGREE, "deg", "the slope", diag);
    check_limit(t, r->roll, l->roll, false, DEGREE, "deg", "the roll", diag);
    check_limit(t, r->roll_rate, l->roll_rate, false, DEGREE, "deg/m", "the roll rate", diag);
    check_limit(t, r->roll_jerk, l->roll_jerk, false, DEGREE, "deg/m2",
                "the change of the roll rate", diag);
    /* a rate that jumps has an endless jerk */
    if (l->roll_jerk > 0.0 && r->roll_rate_jump.count > 0)
        kl_warn(diag, kl_track_place(t, r->roll_rate_jump.s),
                "the roll rate jumps by %.3g deg/m at %g m (%d in all), so the roll acceleration "
                "is unlimited there; use a smoother transition such as `bloss`",
                DEGREE * r->roll_rate_jump.largest, r->roll_rate_jump.s, r->roll_rate_jump.count);
}

static kl_status check_crossings(const kl_track *t, kl_diag *diag)
{
    enum { MOST = 10 };
    kl_meeting found[MOST];
    int        n = 0;
    if (t->limits.clearance <= 0.0) return KL_OK;
    KL_TRY(kl_path_crossings(t->path, t->limits.clearance, 0.0, found, MOST, &n));
    for (int i = 0; i < n && i < MOST; i++)
        kl_warn(diag, kl_track_place(t, found[i].s[1]),
                "the track crosses itself: the points at %g m and %g m along it are %.3g m apart",
                found[i].s[0], found[i].s[1], found[i].distance);
    if (n > MOST)
        kl_note(diag, KL_NOWHERE, "%d more places where the track crosses itself", n - MOST);
    return KL_OK;
}

static kl_status check_track(request *q, const kl_track *t, kl_path_report *r)
{
    KL_TRY(kl_path_check(t->path, 0.0, q->arena, r));
    check_jumps(t, r, q->diag);
    check_limits(t, r, q->diag);
    return check_crossings(t, q->diag);
}

/* ---- the table as text ---- */

static bool write_csv(const kl_track_file *f, const char *path)
{
    const kl_path_table *t     = kl_track_file_table(f);
    const kl_path       *way   = kl_track_file_path(f);
    kl_arena            *arena = kl_arena_create();
    kl_path_cursor       cursor;
    kl_new_file          o;
    bool                 good = kl_path_cursor_init(way, arena, &cursor) == KL_OK;
    if (!kl_output_open(&o, path)) {
        kl_arena_destroy(arena);
        return false;
    }
    for (int k = 0; k < KL_ROW; k++) fprintf(o.stream, "%s%s", k ? "," : "", kl_path_row_name(k));
    fputc('\n', o.stream);
    for (int i = 0; good && i < t->npiece; i++)
        for (int j = 0; good && j <= t->piece[i].n; j++) {
            const kl_table_piece *p     = &t->piece[i];
            bool                  last  = j == p->n;
            bool                  again = j == 0 && i > 0 && p->row == p[-1].row + p[-1].n;
            double        s = last ? (i + 1 < t->npiece ? p[1].s : t->length) : p->s + j * p->h;
            kl_path_point at;
            double        row[KL_ROW];
            if (again) continue; /* a row that both pieces share */
            good = kl_path_eval_side(way, s, last ? -1 : 1, &cursor, &at) == KL_OK;
            kl_path_row(&at, s, row);
            for (int k = 0; good && k < KL_ROW; k++)
                fprintf(o.stream, "%s%.17g", k ? "," : "", row[k]);
            fputc('\n', o.stream);
        }
    kl_arena_destroy(arena);
    if (!good) {
        kl_output_discard(&o);
        return false;
    }
    if (!kl_output_close(&o)) return false;
    printf("%s\n", path);
    return true;
}

/* ---- the command ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The model's name without folder and ending, with .ktrack behind it. */
static void default_output(const char *file, char *name, size_t size)
{
    const char *slash = strrchr(file, '/');
    snprintf(name, size - 8, "%s", slash ? slash + 1 : file);
    char *dot = strrchr(name, '.');
    if (dot && dot != name) *dot = '\0';
    strncat(name, ".ktrack", size - strlen(name) - 1);
}

static kl_status draw_and_export(request *q, const kl_path *path, const char *title, double gauge,
                                 const char *table)
{
    if (q->figures && !kl_track_figures(path, title, gauge, q->figures)) return KL_E_FILE;
    if (!q->csv) return KL_OK;
    kl_track_file *f = NULL;
    KL_TRY(kl_track_file_open(table, 0, q->diag, &f));
    bool good = write_csv(f, q->csv);
    kl_track_file_close(f);
    return good ? KL_OK : KL_E_FILE;
}

static kl_status make_table(request *q)
{
    kl_track      *t    = NULL;
    const char    *text = NULL;
    kl_override   *set;
    kl_path_report r;
    kl_path_table  table;
    char           name[1024];
    default_output(q->file, name, sizeof name);
    if (!q->output) q->output = name;
    set = kl_overrides(&q->set, 0, q->arena, q->diag);
    if (!set) return kl_diag_failed(q->diag) ? KL_E_USAGE : KL_E_MEMORY;
    kl_track_options options = {.set = set, .nset = q->set.n};
    KL_TRY(kl_track_read(q->file, &options, q->arena, q->diag, &t, &text));
    KL_TRY(check_track(q, t, &r));
    kl_track_texts texts = {t->title, t->frame, q->file, text};
    KL_TRY(kl_track_file_write(q->output, t->path, &t->table, &texts, q->arena, q->diag, &table));
    if (!q->quiet) {
        print_report(t->path, &r, t->what, t->frame);
        print_table(&table);
    }
    printf("%s\n", q->output);
    return draw_and_export(q, t->path, t->title, t->gauge, q->output);
}

static kl_status show_table(request *q)
{
    kl_track_file *f = NULL;
    kl_path_report r;
    KL_TRY(kl_track_file_open(q->file, 0, q->diag, &f));
    kl_track_texts texts  = kl_track_file_texts(f);
    kl_status      status = kl_path_check(kl_track_file_path(f), 0.0, q->arena, &r);
    if (status == KL_OK && !q->quiet) {
        print_report(kl_track_file_path(f), &r, texts.title && *texts.title ? texts.title : q->file,
                     texts.frame ? texts.frame : "unknown");
        print_table(kl_track_file_table(f));
    }
    if (status == KL_OK)
        status = draw_and_export(q, kl_track_file_path(f), texts.title ? texts.title : "", 1.435,
                                 q->file);
    kl_track_file_close(f);
    return status;
}

/* The table of a surface of a model. */
static kl_status make_surface_table(request *q, const kl_model *m)
{
    char                            name[1024];
    const kl_surface_table_settings exact = {.method = KL_TABLE_CUBIC};
    kl_surface_table                table = {0};
    const kl_resource              *found = kl_model_find_resource(m, "surfaces", q->surface);
    if (!found)
        return kl_fail(q->diag, KL_E_NAME, KL_NOWHERE,
                       "--surface: %s has no surface '%s'; define it under `surfaces`", q->file,
                       q->surface);
    snprintf(name, sizeof name, "%.1000s.ksurf", q->surface);
    if (!q->output) q->output = name;
    const kl_surface *s = ((const kl_named_surface *)found->data)->surface;
    KL_TRY(kl_surface_file_write(q->output, s, &exact, q->surface, q->arena, q->diag, &table));
    if (!q->quiet)
        printf("surface %s\n  %d x %d points, largest error %.2g m, of the axes %.2g\n", q->surface,
               table.nu, table.nv, table.error[0], table.error[1]);
    printf("%s\n", q->output);
    return KL_OK;
}

static int surface(request *q)
{
    kl_loaded loaded = {0};
    q->arena         = kl_arena_create();
    q->diag          = kl_diag_create();
    int code         = kl_loaded_open(&kl_command_track, q->file, &q->set, q->diag, &loaded);
    if (code == KL_EXIT_OK) {
        code = kl_exit_code(make_surface_table(q, loaded.model));
        kl_loaded_close(&loaded);
    }
    kl_print_diag(q->diag, code == KL_EXIT_OK ? NULL : "no surface was written");
    kl_diag_destroy(q->diag);
    kl_arena_destroy(q->arena);
    return code;
}

static int track(request *q)
{
    bool table = ends_with(q->file, ".ktrack");
    if (table && (q->output || q->set.n > 0))
        return kl_usage_error(&kl_command_track, "%s is already a table; remove -o and --set",
                              q->file);
    if (q->output && kl_same_file(q->output, q->file))
        return kl_usage_error(
            &kl_command_track,
            "the table would overwrite its source %s; choose another name with -o", q->file);
    q->arena         = kl_arena_create();
    q->diag          = kl_diag_create();
    kl_status status = q->arena && q->diag ? (table ? show_table(q) : make_table(q)) : KL_E_MEMORY;
    kl_print_diag(q->diag, status == KL_OK ? NULL : "no track was written");
    kl_diag_destroy(q->diag);
    kl_arena_destroy(q->arena);
    /* a number that is no number in a track is a mistake in the file, not of the numerics */
    return status == KL_E_NAN ? KL_EXIT_MODEL : kl_exit_code(status);
}

static int run(int argc, char **argv)
{
    request         q         = {0};
    const kl_option options[] = {
        {"output", 'o', "TRACK.ktrack", KL_OPTION_TEXT, &q.output,
         "track table to write (default: named after FILE)"},
        {"figures", 0, "DIR", KL_OPTION_TEXT, &q.figures,
         "draw plan, profile, curvature, cant and a 3D view into this folder"},
        {"csv", 0, "FILE.csv", KL_OPTION_TEXT, &q.csv, "write the table as CSV (37 columns)"},
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &q.set, "set a parameter (may be repeated)"},
        {"surface", 0, "NAME", KL_OPTION_TEXT, &q.surface,
         "write the table of this surface of a model (NAME.ksurf)"},
        {"quiet", 'q', NULL, KL_OPTION_FLAG, &q.quiet, "no report"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_track, options, argc, argv, &rest);
    if (code == KL_OPTIONS_OK && rest.n != 1)
        code = kl_usage_error(&kl_command_track,
                              rest.n ? "give one track file"
                                     : "the track is missing; name its file, such as track.yaml");
    if (code == KL_OPTIONS_OK) {
        q.file = rest.items[0];
        code   = q.surface ? surface(&q) : track(&q);
    }
    kl_texts_free(&q.set);
    return code;
}

const kl_command kl_command_track = {
    .name      = "track",
    .arguments = "FILE",
    .summary   = "compute a track table from points or segments, with figures",
    .run       = run,
    .help      = "  klingel track examples/tracks/railway.yaml -o r.ktrack --figures figures\n"
                 "  klingel track r.ktrack --figures figures      (draws an existing table)\n"
                 "  klingel track model.yaml --surface hill -o hill.ksurf\n"
                 "A track file (docs/tracks.md) has `klingel: 1` and a section `track` with one of\n"
                 "  points:   [[0, 0, 30], [10, 0, 29], ...]  and  spline: quintic\n"
                 "  layout:   [straight 50 m, transition 60 m,\n"
                 "             curve 300 m radius left for 200 m cant 120 mm]\n"
                 "  segments: [{length: 20 m}, {length: 12 m, up: [0, 1/9]}, ...]\n"};
