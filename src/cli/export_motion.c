#include "cli/export_motion.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/view_skins.h"
#include "cli/vtk_series.h"
#include "figures/ffmpeg.h"

enum {
    MOST_VTK = 200,
    MOST_GLB = 5000,
    MOST_OLD = 100000
}; /* frames, unless --every says otherwise */

typedef int (*writer)(kl_motion_request *q, const kl_solids *s, kl_diag *diag);

static void thin(kl_motion_request *q, int most)
{
    int n = kl_frames_count(&q->frames);
    if (q->every_given || n <= most) return;
    q->frames.every = (n + most - 1) / most;
    fprintf(stderr, "%s: contains one row in %d of %d rows (--every 1 writes all rows)\n",
            q->output, q->frames.every, n);
}

static int report_failure(kl_status status, const char *path, kl_diag *diag)
{
    if (kl_diag_size(diag)) kl_print_diag(diag, "nothing was written");
    else if (status == KL_E_RANGE)
        fprintf(stderr, "%s: would exceed 4 GB; write fewer rows with --every N\n", path);
    else fprintf(stderr, "%s: %s\n", path, kl_status_text(status));
    return kl_exit_code(status);
}

/* ---- VTK: NAME.pvd beside a folder NAME with a file a frame ---- */

static int write_vtp(const kl_motion_request *q, const kl_solids *s, const char *path, int k,
                     double *row, kl_vec3 *x, kl_diag *diag)
{
    kl_new_file o;
    kl_status   status = kl_frames_row(&q->frames, k, row);
    if (status != KL_OK) return report_failure(status, q->file, diag);
    if (!kl_output_open(&o, path)) return KL_EXIT_MODEL;
    status = kl_vtp_write(o.stream, s, row, x);
    if (status == KL_OK) return kl_output_close(&o) ? KL_EXIT_OK : KL_EXIT_MODEL;
    return kl_output_discard(&o) ? KL_EXIT_MODEL : report_failure(status, path, diag);
}

static int write_vtk(kl_motion_request *q, const kl_solids *s, kl_diag *diag)
{
    char          path[4200], name[32];
    kl_vtk_series series;
    thin(q, MOST_VTK);
    if (!kl_vtk_series_open(&series, q->output)) return KL_EXIT_MODEL;
    double  *row = malloc(((size_t)kl_solids_row_size(q->frames.reader) + 1) * sizeof *row);
    kl_vec3 *x   = malloc(((size_t)s->nvertex + 1) * sizeof *x);
    int      n = kl_frames_count(&q->frames), code = row && x ? KL_EXIT_OK : KL_EXIT_MODEL;
    for (int k = 0; k < n && code == KL_EXIT_OK; k++) {
        snprintf(name, sizeof name, "frame-%05d", k);
        kl_vtk_series_add(&series, q->frames.time[q->frames.row0 + k * q->frames.every], 0, name,
                          path, sizeof path);
        code = write_vtp(q, s, path, k, row, x, diag);
    }
    free(x);
    free(row);
    if (code != KL_EXIT_OK) {
        kl_vtk_series_discard(&series);
        return code;
    }
    for (int k = n; k < MOST_OLD; k++) { /* of an older, longer series */
        snprintf(path, sizeof path, "%s/frame-%05d.vtp", series.folder, k);
        if (unlink(path) != 0) break;
    }
    return kl_vtk_series_close(&series) ? KL_EXIT_OK : KL_EXIT_MODEL;
}

/* ---- glTF ---- */

static int write_glb(kl_motion_request *q, const kl_solids *s, kl_diag *diag)
{
    kl_new_file o;
    thin(q, MOST_GLB);
    if (!kl_output_open(&o, q->output)) return KL_EXIT_MODEL;
    kl_status status =
        kl_glb_write(o.stream, s, &q->frames, kl_reader_text(q->frames.reader, "title"));
    if (status == KL_OK) return kl_output_close(&o) ? KL_EXIT_OK : KL_EXIT_MODEL;
    return kl_output_discard(&o) ? KL_EXIT_MODEL : report_failure(status, q->output, diag);
}

/* ---- films ---- */

/* Real time where that lasts between two seconds and a minute, else what comes near it. */
static double fitting_speed(const kl_frames *f)
{
    int    n        = kl_frames_count(f);
    double duration = f->time[f->row0 + (n - 1) * f->every] - f->time[f->row0];
    return duration > 60.0                    ? duration / 60.0
           : duration > 0.0 && duration < 2.0 ? duration / 5.0
                                              : 1.0;
}

static int write_film(kl_motion_request *q, const kl_solids *s, bool gif, kl_diag *diag)
{
    char      part[4128];
    kl_ffmpeg m;
    kl_film   film  = {.width = gif ? 640 : 1280, .height = gif ? 360 : 720, .fps = gif ? 15 : 30};
    int       count = 0;
    film.speed      = q->speed > 0.0 ? q->speed : fitting_speed(&q->frames);
    snprintf(part, sizeof part, "%.4000s.%ld.part", q->output, (long)getpid());
    if (!kl_ffmpeg_start(&m, part, gif, film.width, film.height, film.fps)) return KL_EXIT_MODEL;
    kl_status status = kl_film_write(m.pictures, s, &q->frames, &film, &count);
    bool      good   = kl_ffmpeg_end(&m) && status == KL_OK;
    if (good && rename(part, q->output) == 0) {
        fprintf(stderr, "%s: %d frames, %g s of motion per second of film\n", q->output, count,
                film.speed);
        return KL_EXIT_OK;
    }
    unlink(part);
    if (good) fprintf(stderr, "%s: cannot be written: %s\n", q->output, strerror(errno));
    else if (status != KL_OK && status != KL_E_FILE) report_failure(status, q->output, diag);
    return KL_EXIT_MODEL;
}

static int write_mp4(kl_motion_request *q, const kl_solids *s, kl_diag *diag)
{
    return write_film(q, s, false, diag);
}

static int write_gif(kl_motion_request *q, const kl_solids *s, kl_diag *diag)
{
    return write_film(q, s, true, diag);
}

/* ---- which ---- */

typedef struct kind {
    const char *ending;
    writer      write;
    bool        fields; /* shows beams and nonlinear bodies; a glTF node only moves or has modes */
} kind;

static const kind kinds[] = {{".pvd", write_vtk, true},
                             {".glb", write_glb, false},
                             {".mp4", write_mp4, true},
                             {".gif", write_gif, true}};

static const kind *find_kind(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (n > 4 && strcmp(name + n - 4, kinds[i].ending) == 0) return &kinds[i];
    return NULL;
}

bool kl_motion_file(const char *name) { return find_kind(name) != NULL; }

/* Shapes of bodies, tracks and, where the file can show them, fields. */
static kl_status find_solids(kl_motion_request *q, const kl_view_source *source, kl_arena *arena,
                             kl_diag *diag, kl_solids *s)
{
    kl_reader *r = q->frames.reader;
    KL_TRY(kl_solids_wear(s, r, source->skins, source->nskin, arena));
    bool shown = find_kind(q->output)->fields;
    if (shown) KL_TRY(kl_solids_add_fields(s, r, arena));
    if (s->n == 0)
        return kl_fail(diag, KL_E_NAME, (kl_place){.file = q->file},
                       "no body in these results has a shape that this kind of file can show; add "
                       "`shapes:` to a body and run the model again; a file NAME.pvd and films "
                       "show beams and nonlinear bodies too");
    if (!shown && kl_solids_row_size(r) > kl_reader_channels(r))
        fprintf(stderr,
                "%s: shows no beams and no nonlinear bodies; a file NAME.pvd and films do\n",
                q->output);
    return kl_solids_add_tracks(s, r, arena);
}

int kl_motion_export(kl_motion_request *q, kl_diag *diag)
{
    kl_solids      solids;
    kl_view_skins  skins  = {0};
    kl_view_source source = {.reader = q->frames.reader};
    kl_arena      *arena  = kl_arena_create();
    int            code   = KL_EXIT_MODEL;
    kl_status      status =
        arena ? kl_solids_read(q->frames.reader, q->file, arena, diag, &solids) : KL_E_MEMORY;
    if (status == KL_OK) {
        kl_view_skins_find(&skins, q->file, &source);
        status = find_solids(q, &source, arena, diag, &solids);
    }
    if (status != KL_OK) code = report_failure(status, q->file, diag);
    else if (kl_frames_count(&q->frames) < 1)
        fprintf(stderr, "%s: the results have no rows in this time range; nothing was written\n",
                q->file);
    else code = find_kind(q->output)->write(q, &solids, diag);
    kl_view_skins_free(&skins);
    kl_arena_destroy(arena);
    return code;
}
