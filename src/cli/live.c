/* klingel view --live: the run is that of `klingel run`, with its results file; rows are
 * also pushed to the pages that look at it. What the page gets: motion of the bodies and the
 * model's own outputs. Past rows are kept for pages that open later; when there are many, every
 * other one is dropped and from then on only every second, fourth, ... is sent. */
#include "cli/live.h"
#include "cli/commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/model_options.h"
#include "post/view.h"
#include "results/drawn_lines.h"
#include "results/record.h"
#include "results/scene.h"
#include "terminal/interrupt.h"
#include "terminal/live_server.h"

enum { MOST_SENT = 4000000 }; /* numbers that a page gets before rows are thinned */

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct show {
    kl_server  *server;
    int        *channel; /* of the columns that are sent */
    int         n;
    long        row, every, sent;
    double      begin, end, started, last_update, looked; /* simulated [s]; clock [s] */
    kl_text     rows;                                     /* on their way: "[t, ...], [...]" */
    kl_text     page;
    const char *status; /* NULL while it runs */
} show;

/* ---- the page ---- */

static bool is_motion(const char *name)
{
    static const char *const ends[] = {".position.x",    ".position.y",    ".position.z",
                                       ".orientation.0", ".orientation.1", ".orientation.2",
                                       ".orientation.3"};
    size_t                   n      = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n > strlen(ends[i]) && strcmp(name + n - strlen(ends[i]), ends[i]) == 0) return true;
    return false;
}

static void write_channel_list(show *w, const kl_channels *c, kl_text *t)
{
    kl_text_add(t, ", \"channels\": [");
    for (int i = 0; i < kl_channels_count(c); i++) {
        const kl_channel *k      = kl_channels_at(c, i);
        bool              energy = strncmp(k->name, "energy.", 7) == 0;
        if (!k->recorded || !(k->own || energy || is_motion(k->name))) continue;
        kl_text_add(t, "%s{\"name\": ", w->n ? ", " : "");
        kl_text_json(t, k->name);
        kl_text_add(t, ", \"unit\": ");
        kl_text_json(t, k->unit);
        kl_text_add(t, ", \"about\": ");
        kl_text_json(t, k->description ? k->description : "");
        kl_text_add(t,
                    ", \"own\": %s, \"base\": 0, \"block\": 0, \"place\": %d, \"offset\": 0, "
                    "\"low\": 0, \"high\": 1}",
                    k->own ? "true" : "false", w->n);
        w->channel[w->n++] = i;
    }
    kl_text_add(t, "]");
}

/* The tracks of the model: the page draws them from the start. */
static bool write_tracks(const kl_model *m, kl_text *t)
{
    kl_arena            *arena = kl_arena_create();
    int                  n     = 0;
    const kl_drawn_line *line  = arena ? kl_drawn_lines(m, arena, &n) : NULL;
    kl_track_points     *track = arena ? kl_arena_array(arena, kl_track_points, n + 1) : NULL;
    for (int i = 0; track && i < n; i++)
        track[i] = (kl_track_points){.name     = line[i].name,
                                     .n        = line[i].n,
                                     .position = line[i].position,
                                     .normal   = line[i].normal,
                                     .gauge    = line[i].gauge};
    if (track) kl_view_add_tracks(t, track, n);
    bool good = track && kl_arena_ok(arena);
    kl_arena_destroy(arena);
    return good;
}

static kl_status make_page(show *w, const kl_simulation *s, const char *label, kl_diag *diag)
{
    kl_text head    = {0};
    size_t  written = 0;
    char   *scene   = kl_scene_json(s->model);
    FILE   *f       = tmpfile();
    w->channel      = calloc((size_t)kl_channels_count(s->channels) + 1, sizeof *w->channel);
    if (!scene || !f || !w->channel) {
        free(scene);
        if (f) fclose(f);
        return KL_E_MEMORY;
    }
    kl_text_add(&head, "{\"format\": \"klingel-view\", \"version\": 1, \"kind\": \"live\", "
                       "\"label\": ");
    kl_text_json(&head, label);
    kl_text_add(&head, ", \"title\": ");
    kl_text_json(&head, s->model->title && *s->model->title ? s->model->title : label);
    kl_text_add(&head, ", \"scene\": ");
    kl_text_json(&head, scene);
    kl_text_add(&head,
                ", \"status\": \"running\", \"begin\": %.17g, \"end\": %.17g, \"rows\": 0, "
                "\"bases\": [{\"every\": 1, \"n\": 0}, {\"every\": 1, \"n\": 0}], "
                "\"blocks\": 0, \"skins\": []",
                w->begin, w->end);
    write_channel_list(w, s->channels, &head);
    bool drawn = write_tracks(s->model, &head);
    kl_text_add(&head, "}");
    kl_view_write_head(f, s->model->title, "live");
    kl_status status = head.failed || !drawn
                           ? KL_E_MEMORY
                           : kl_view_write_block(f, 0, "head", head.data, head.n, &written);
    double    none   = 0.0;
    if (status == KL_OK) status = kl_view_write_doubles(f, 0, "time", &none, 0, &written);
    if (status == KL_OK) status = kl_view_write_end(f, diag);
    rewind(f);
    char   piece[4096];
    size_t n;
    while (status == KL_OK && (n = fread(piece, 1, sizeof piece, f)) > 0)
        kl_text_put(&w->page, piece, n);
    fclose(f);
    free(scene);
    kl_text_free(&head);
    return w->page.failed ? KL_E_MEMORY : status;
}

/* ---- rows ---- */

static void send_rows(show *w, double t)
{
    kl_text event = {0};
    kl_text_add(&event, "{\"time\": %.17g, \"every\": %ld, \"wall\": %.4g, \"status\": ", t,
                w->every, wall_clock() - w->started);
    if (w->status) kl_text_json(&event, w->status);
    else kl_text_add(&event, "null");
    kl_text_add(&event, ", \"rows\": [%s]}", w->rows.data ? w->rows.data : "");
    if (!event.failed && !w->rows.failed) kl_server_send(w->server, event.data);
    kl_text_free(&event);
    kl_text_free(&w->rows);
    w->rows = (kl_text){0};
}

static void take_row(void *context, double t, const double *values)
{
    show *w = context;
    if (w->row++ % w->every != 0) return;
    kl_text_add(&w->rows, "%s[%.12g", w->rows.n ? "," : "", t);
    for (int i = 0; i < w->n; i++) {
        double v = values[w->channel[i]];
        kl_text_add(&w->rows, isfinite(v) ? ",%.8g" : ",null", v);
    }
    kl_text_add(&w->rows, "]");
    w->sent += w->n + 1;
    if (w->sent > MOST_SENT) w->every *= 2, w->sent /= 2;
}

static bool continue_run(void *context, double t)
{
    show  *w     = context;
    double clock = wall_clock();
    if (clock - w->last_update > 0.1) {
        w->last_update = clock;
        send_rows(w, t);
    }
    if (clock - w->looked > 0.01) {
        w->looked = clock;
        kl_server_turn(w->server, 0);
    }
    return !kl_interrupted() && !kl_server_stop_wanted(w->server);
}

/* Serves until all rows are sent and all pages are closed, or until Ctrl-C. */
static void serve_until_closed(show *w)
{
    double alone = wall_clock();
    if (!kl_server_had_listener(w->server) && !kl_interrupted())
        fprintf(stderr, "the run has ended; the page stays available until you press Ctrl-C\n");
    while (!kl_interrupted()) {
        kl_server_turn(w->server, 100);
        if (kl_server_listeners(w->server) > 0 || !kl_server_had_listener(w->server))
            alone = wall_clock();
        if (wall_clock() - alone > 2.0) return;
    }
}

static int run(const kl_live *live, const kl_loaded *l, const char *path, kl_diag *diag)
{
    kl_simulation *s      = NULL;
    show           w      = {.every = 1, .begin = l->model->t0, .end = l->model->settings.end};
    kl_status      status = kl_simulation_create(l->model, diag, &s);
    if (status == KL_OK) status = make_page(&w, s, path, diag);
    kl_interrupt_watch(); /* Ctrl-C must work while the user copies the address */
    if (status == KL_OK) w.server = kl_server_create(live->port, w.page.data, w.page.n);
    int code = w.server ? KL_EXIT_OK : kl_exit_code(status != KL_OK ? status : KL_E_FILE);
    if (w.server) {
        fprintf(stderr, "%s\n", kl_server_address(w.server));
        if (!live->no_open) kl_open_in_browser(kl_server_address(w.server));
        char         folder[4096];
        kl_recording r = {.path         = path,
                          .model_text   = kl_source_text(l->source),
                          .folder       = getcwd(folder, sizeof folder),
                          .end          = w.end,
                          .continue_run = continue_run,
                          .row          = take_row,
                          .context      = &w};
        w.started = w.last_update = wall_clock();
        status                    = kl_record(s, &r, diag);
        w.status                  = status == KL_OK              ? "complete"
                                    : status == KL_E_INTERRUPTED ? "interrupted"
                                                                 : "failed";
        send_rows(&w, s->solver->s->t);
        code = kl_exit_code(status);
        /* a stop from the page keeps the server for looking at the results; Ctrl-C ends the program */
        if (kl_server_stop_wanted(w.server)) code = KL_EXIT_OK;
        bool began = s->count.steps > 0 || status == KL_OK || status == KL_E_INTERRUPTED;
        if (began) {
            fprintf(stderr, "%.6g s simulated in %.3g s; results: %s\n", s->solver->s->t, r.wall,
                    path);
            serve_until_closed(&w);
        }
    }
    kl_server_destroy(w.server);
    kl_text_free(&w.page);
    kl_text_free(&w.rows);
    free(w.channel);
    kl_simulation_destroy(s);
    return code;
}

static void default_output(const char *model, char *path, size_t size)
{
    const char *base = strrchr(model, '/'), *stem = base ? base + 1 : model;
    snprintf(path, size, "%.*s.h5", (int)strcspn(stem, "."), stem);
}

int kl_live_run(const kl_live *live, const char *model)
{
    char      path[1024];
    kl_loaded l;
    kl_diag  *diag = kl_diag_create();
    default_output(model, path, sizeof path);
    int code = kl_loaded_open(&kl_command_view, model, &live->set, diag, &l);
    if (code == KL_EXIT_OK) {
        code = run(live, &l, live->output ? live->output : path, diag);
        kl_loaded_close(&l);
    }
    kl_print_diag(diag, NULL);
    kl_diag_destroy(diag);
    return code;
}
