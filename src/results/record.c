#define _XOPEN_SOURCE 700 /* realpath */
#include "results/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algebra/filter.h"
#include "base/text.h"
#include "results/fields.h"
#include "results/results.h"
#include "results/scene.h"

/* The columns of the file and the sink that fills them. */
enum { MOST_CORNERS = 32 }; /* markers of an element that gives values of a field */

typedef struct recorder {
    kl_writer           *writer;
    kl_recording        *recording;
    kl_channel_info     *info;
    int                 *channel; /* of each column */
    double              *row;
    char                *scene, *settings, *limits;
    int                  n;
    const kl_simulation *s;
    kl_field_info       *field;   /* of elements that have one, and of compounds */
    int                 *element; /* of each field; -1 - i: of compound i */
    int                  nfield;
    kl_arena            *arena; /* of the fields of compounds */
    double *rise, *pull, *due;  /* values of the largest field; next time of each field */
    int    *share;              /* of each point of a field: elements that give it values */
    long    rows, *missing;     /* rows so far; of each column, without a finite number */
    char   *part; /* name of the file until its first row, where it replaces another; or NULL */
} recorder;

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Displacements of the bodies of a compound, at the state last evaluated. */
static void compound_displacements(const recorder *r, const kl_compound *c, const kl_field *f)
{
    const kl_model *m = r->s->model;
    for (int i = 0; i < f->npoint && (f->body || i < c->nbody); i++) {
        int            on     = c->body + (f->body ? f->body[i] : i);
        const kl_body *b      = &m->body[on];
        kl_marker      origin = {.body = on, .A = kl_identity()};
        if (f->local) origin.r = kl_load(f->local + 3 * (size_t)i);
        kl_motion at;
        b->type->pose(b->data, r->s->solver->w->cache + b->cache, &origin, &at);
        kl_store(r->rise + 3 * (size_t)i, kl_sub(at.r, kl_load(f->point + 3 * (size_t)i)));
    }
}

/* Values that the elements of a compound give at their markers, averaged at the points. */
static void compound_point_values(const recorder *r, const kl_compound *c, const kl_field *f)
{
    const kl_model *m     = r->s->model;
    double         *first = r->rise + 3 * (size_t)f->npoint, at[KL_FIELD_VALUES * MOST_CORNERS];
    const int      *point = f->corner;
    memset(first, 0, (size_t)(f->nvalue * f->npoint) * sizeof *first);
    memset(r->share, 0, (size_t)f->npoint * sizeof *r->share);
    for (int i = c->element; f->nvalue > 0 && i < c->element + c->nelement; i++) {
        const kl_element *e  = &m->element[i];
        kl_reading        in = kl_reading_of(m, r->s->solver->s, r->s->solver->w, e);
        if (!e->type->point_values || e->nmarker > MOST_CORNERS) continue;
        e->type->point_values(&in, at);
        for (int a = 0; a < e->nmarker; a++, point++) {
            r->share[*point]++;
            for (int k = 0; k < f->nvalue; k++)
                first[(size_t)k * (size_t)f->npoint + (size_t)*point] += at[f->nvalue * a + k];
        }
    }
    for (int k = 0; k < f->nvalue; k++)
        for (int i = 0; i < f->npoint; i++)
            if (r->share[i] > 1) first[(size_t)k * (size_t)f->npoint + (size_t)i] /= r->share[i];
}

/* Fields whose time has come, at the state that the row was taken from. */
static kl_status record_fields(recorder *r, double t)
{
    const kl_model *m = r->s->model;
    for (int i = 0; i < r->nfield; i++) {
        int which = r->element[i];
        if (t < r->due[i]) continue;
        r->due[i] = t + r->field[i].field->every * (1.0 - 1e-9);
        if (which < 0) {
            compound_displacements(r, &m->compound[-1 - which], r->field[i].field);
            compound_point_values(r, &m->compound[-1 - which], r->field[i].field);
        } else {
            const kl_element *e  = &m->element[which];
            kl_reading        in = kl_reading_of(m, r->s->solver->s, r->s->solver->w, e);
            e->type->field_values(&in, r->rise, r->pull);
        }
        KL_TRY(kl_writer_field(r->writer, i, t, r->rise, r->pull));
    }
    return KL_OK;
}

/* A file that replaces the results of an earlier run takes their name when the run has started: a start that
 * fails must not cost them. */
static kl_status take_name(recorder *r)
{
    if (!r->part) return KL_OK;
    free(r->part);
    r->part = NULL;
    return kl_writer_rename(r->writer, r->recording->path);
}

static kl_status record_row(void *context, double t, const double *values)
{
    recorder           *r = context;
    const kl_recording *o = r->recording;
    for (int i = 0; i < r->n; i++) {
        r->row[i] = values[r->channel[i]];
        r->missing[i] += !isfinite(r->row[i]);
    }
    r->rows++;
    KL_TRY(kl_writer_row(r->writer, t, r->row));
    KL_TRY(record_fields(r, t));
    KL_TRY(take_name(r));
    if (o->row) o->row(o->context, t, values);
    return KL_OK;
}

static bool record_continue(void *context, double t)
{
    const kl_recording *r = ((recorder *)context)->recording;
    return !r->continue_run || r->continue_run(r->context, t);
}

static kl_status record_checkpoint(void *context, const double *pack)
{
    return kl_writer_checkpoint(((recorder *)context)->writer, pack);
}

/* Columns of the old file in the order of the new one. */
static kl_status match_columns(const recorder *r, const kl_reader *old, int *column, kl_diag *diag)
{
    for (int i = 0; i < r->n; i++) {
        column[i] = kl_reader_find(old, r->info[i].name);
        if (column[i] < 0)
            return kl_fail(diag, KL_E_MODEL, (kl_place){.file = r->recording->restart},
                           "has no channel '%s', so it belongs to another model; restart with the "
                           "model of the run",
                           r->info[i].name);
    }
    return KL_OK;
}

/* Rows before the checkpoint, as they are. */
static kl_status copy_rows(recorder *r, kl_reader *old, long rows, kl_diag *diag)
{
    enum { AT_ONCE = 256 };
    int       have   = kl_reader_rows(old);
    int      *column = calloc((size_t)r->n + 1, sizeof *column);
    double   *values = calloc((size_t)AT_ONCE * (size_t)(r->n + 1), sizeof *values);
    double   *time   = calloc((size_t)have + 1, sizeof *time);
    kl_status status = column && values && time ? match_columns(r, old, column, diag) : KL_E_MEMORY;
    if (status == KL_OK && have < rows)
        status =
            kl_fail(diag, KL_E_FILE, (kl_place){.file = r->recording->restart},
                    "is damaged: it has %d rows, but its checkpoint was written after %ld rows",
                    have, rows);
    if (status == KL_OK) status = kl_reader_time(old, time);
    for (int row = 0; status == KL_OK && row < rows; row += AT_ONCE) {
        int n  = rows - row < AT_ONCE ? (int)rows - row : AT_ONCE;
        status = kl_reader_block(old, column, r->n, row, n, values);
        for (int i = 0; status == KL_OK && i < n; i++)
            status = kl_writer_row(r->writer, time[row + i], values + (size_t)i * (size_t)r->n);
    }
    free(time);
    free(values);
    free(column);
    return status;
}

/* Records of fields before the checkpoint; the next one is due after the last of them. */
static kl_status copy_fields(recorder *r, kl_reader *old, double until)
{
    int                    n    = 0;
    const kl_field_points *list = kl_reader_fields(old, &n);
    for (int i = 0; i < r->nfield; i++)
        for (int k = 0; k < n; k++) {
            const kl_field *f    = r->field[i].field;
            double          time = -HUGE_VAL;
            bool            same = strcmp(list[k].name, r->field[i].name) == 0 &&
                        list[k].npoint == f->npoint && list[k].nlink == f->nlink &&
                        list[k].width == kl_field_width(f) && list[k].nvalue == f->nvalue;
            for (int row = 0; same && row < list[k].rows; row++) {
                KL_TRY(kl_reader_field(old, &list[k], row, 1, &time, r->rise, r->pull));
                if (time > until) break;
                KL_TRY(kl_writer_field(r->writer, i, time, r->rise, r->pull));
                r->due[i] = time + f->every * (1.0 - 1e-9);
            }
        }
    return KL_OK;
}

/* Rows that the old results have beyond the new end would be lost. */
static kl_status refuse_to_shorten(const kl_recording *o, kl_reader *old, kl_diag *diag)
{
    int     n    = kl_reader_rows(old);
    double *time = calloc((size_t)n + 1, sizeof *time);
    if (!time) return KL_E_MEMORY;
    kl_status status = n > 0 ? kl_reader_time(old, time) : KL_OK;
    double    last   = n > 0 ? time[n - 1] : 0.0;
    free(time);
    if (status != KL_OK || o->end >= last * (1.0 - 1e-12)) return status;
    return kl_fail(diag, KL_E_MODEL, (kl_place){.file = o->restart},
                   "has rows up to t = %.9g s, which a run that ends at %.9g s would delete; give "
                   "--end %.9g or later, or another file with -o",
                   last, o->end, last);
}

/* The simulation at its checkpoint. */
static kl_status resume(kl_simulation *s, kl_reader *old, double *pack, kl_diag *diag)
{
    KL_TRY(kl_reader_checkpoint(old, pack));
    return kl_simulation_resume(s, pack, kl_reader_checkpoint_size(old), diag);
}

/* Settings as they were used: the model's, with what was found for those left open. */
static char *settings_json(const kl_simulation *s, const kl_recording *o)
{
    const kl_settings *k = &s->model->settings;
    kl_text            t = {0};
    kl_text_add(&t,
                "{\"integrator\": \"%s\", \"end_s\": %.9g, \"every_s\": %.9g, \"tolerance\": %.9g",
                s->integrator->name, o->end, k->every, k->tolerance);
    if (isfinite(k->step)) kl_text_add(&t, ", \"step_s\": %.9g", k->step);
    if (isfinite(k->max_step)) kl_text_add(&t, ", \"max_step_s\": %.9g", k->max_step);
    kl_text_add(&t, ", \"spectral_radius\": %.9g, \"length_m\": %.9g}", k->spectral_radius,
                s->model->length);
    return kl_text_finish(&t);
}

/* Limits that the model sets its outputs; NULL text where there are none. */
static char *limits_json(const kl_simulation *s)
{
    const kl_model *m = s->model;
    kl_text         t = {0};
    int             n = 0;
    for (int i = 0; i < m->nwanted; i++) {
        const kl_wanted *w = &m->wanted[i];
        if (isnan(w->limit.value)) continue;
        int channel = kl_channels_find(s->channels, w->name);
        kl_text_add(&t, n++ ? ", {\"name\": " : "[{\"name\": ");
        kl_text_json(&t, w->name);
        kl_text_add(&t, ", \"rule\": ");
        kl_text_json(&t, w->rule ? w->rule : "defined in the model");
        kl_text_add(&t, ", \"unit\": ");
        kl_text_json(&t, channel < 0 ? "1" : kl_channels_at(s->channels, channel)->unit);
        kl_text_add(&t, ", \"limit\": %.9g}", w->limit.value);
    }
    kl_text_add(&t, n ? "]" : "[]");
    return kl_text_finish(&t);
}

/* The field of a compound: its own lines, or one line through all its bodies. */
static const kl_field *field_of_compound(recorder *r, const kl_compound *c)
{
    const kl_model *m = r->s->model;
    const kl_field *f = c->type->shape ? c->type->shape(c->data) : NULL;
    if (f) return f;
    kl_field *own   = kl_arena_array(r->arena, kl_field, 1);
    double   *point = kl_arena_array(r->arena, double, 3 * (size_t)c->nbody + 1);
    int      *line  = kl_arena_array(r->arena, int, 1);
    if (!kl_arena_ok(r->arena)) return NULL;
    for (int i = 0; i < c->nbody; i++) {
        kl_vec3 at;
        kl_mat3 A;
        kl_model_pose(m, c->body + i, &at, &A);
        kl_store(point + 3 * (size_t)i, at);
    }
    *line = c->nbody;
    *own  = (kl_field){.npoint = c->nbody,
                       .nline  = 1,
                       .width  = 3,
                       .point  = point,
                       .line   = line,
                       .every  = m->settings.every};
    return own;
}

static kl_status find_compounds(recorder *r, size_t *numbers)
{
    const kl_model *m = r->s->model;
    if (m->ncompound > 0 && !(r->arena = kl_arena_create())) return KL_E_MEMORY;
    for (int i = 0; i < m->ncompound; i++) {
        const kl_field *f = field_of_compound(r, &m->compound[i]);
        if (!f) return KL_E_MEMORY;
        if (kl_field_numbers(f) > *numbers) *numbers = kl_field_numbers(f);
        r->element[r->nfield] = -1 - i;
        r->due[r->nfield]     = -HUGE_VAL;
        r->field[r->nfield++] = (kl_field_info){m->compound[i].name, f};
    }
    return KL_OK;
}

/* Elements with a field, compounds, and space for the largest. */
static kl_status find_fields(recorder *r, const kl_simulation *s)
{
    const kl_model *m   = s->model;
    size_t          all = (size_t)(m->nelement + m->ncompound) + 1, points = 1, links = 1;
    r->s       = s;
    r->field   = calloc(all, sizeof *r->field);
    r->element = calloc(all, sizeof *r->element);
    r->due     = calloc(all, sizeof *r->due);
    if (!r->field || !r->element || !r->due) return KL_E_MEMORY;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        const kl_field   *f = e->type->field ? e->type->field(e->data) : NULL;
        if (!f) continue;
        size_t numbers = kl_field_numbers(f);
        if (numbers > points) points = numbers;
        if ((size_t)f->nlink > links) links = (size_t)f->nlink;
        r->element[r->nfield] = i;
        r->due[r->nfield]     = -HUGE_VAL;
        r->field[r->nfield++] = (kl_field_info){e->name, f};
    }
    KL_TRY(find_compounds(r, &points));
    r->rise  = calloc(points, sizeof *r->rise);
    r->pull  = calloc(links, sizeof *r->pull);
    r->share = calloc(points, sizeof *r->share);
    return r->rise && r->pull && r->share ? KL_OK : KL_E_MEMORY;
}

static kl_status recorder_init(recorder *r, const kl_simulation *s)
{
    KL_TRY(find_fields(r, s));
    size_t all  = (size_t)kl_channels_count(s->channels);
    r->info     = calloc(all + 1, sizeof *r->info);
    r->channel  = calloc(all + 1, sizeof *r->channel);
    r->row      = calloc(all + 1, sizeof *r->row);
    r->scene    = kl_scene_json(s->model);
    r->missing  = calloc(all + 1, sizeof *r->missing);
    r->settings = settings_json(s, r->recording);
    r->limits   = limits_json(s);
    if (!r->info || !r->channel || !r->row || !r->scene || !r->missing || !r->settings ||
        !r->limits)
        return KL_E_MEMORY;
    for (int i = 0; i < (int)all; i++) {
        const kl_channel *c = kl_channels_at(s->channels, i);
        if (!c->recorded) continue;
        r->info[r->n] = (kl_channel_info){
            .name = c->name, .unit = c->unit, .description = c->description, .own = c->own};
        r->channel[r->n++] = i;
    }
    /* fixed steps are judged by their energies; fields belong to elements that must be evaluated */
    kl_channels_want(s->channels, r->channel, r->n,
                     isfinite(s->model->settings.step) || r->nfield > 0);
    return KL_OK;
}

static void recorder_free(recorder *r)
{
    kl_arena_destroy(r->arena);
    free(r->field);
    free(r->share);
    free(r->element);
    free(r->due);
    free(r->rise);
    free(r->pull);
    free(r->missing);
    free(r->scene);
    free(r->settings);
    free(r->limits);
    free(r->row);
    free(r->channel);
    free(r->info);
    free(r->part);
}

static void statistics_json(const kl_simulation *s, double wall, char *text, size_t size)
{
    const kl_statistics *c = &s->count;
    const kl_model      *m = s->model;
    kl_energy            e = kl_eval_energy(m, s->solver->w, s->lambda);
    kl_drift             d = s->worst; /* of the rows */
    snprintf(text, size,
             "{\"integrator\": \"%s\", \"simulated_s\": %.17g, \"wall_s\": %.6g, \"steps\": %ld, "
             "\"rejected\": %ld, \"iterations\": %ld, "
             "\"factorizations\": %ld, \"evaluations\": %ld, \"least_step_s\": %.6g, "
             "\"largest_step_s\": %.6g, \"kinetic_J\": %.17g, "
             "\"potential_J\": %.17g, \"lost_J\": %.17g, \"supplied_J\": %.17g, \"gap_m\": %.6g, "
             "\"gap_rad\": %.6g, \"bodies\": %d, "
             "\"elements\": %d, \"unknowns\": %d, \"constraints\": %d}",
             s->integrator->name, s->solver->s->t, wall, c->steps, c->rejected, c->iterations,
             c->factorizations, c->evaluations, c->least_step, c->largest_step, e.kinetic,
             e.potential, c->lost + e.spent, c->supplied, d.position, d.rotation,
             kl_model_bodies(m), m->nelement, m->nv, m->nlam);
}

/* Warnings of building and running, or why a run failed, one per line. */
static kl_status note_messages(kl_writer *w, const char *name, kl_severity kind,
                               const kl_diag *diag)
{
    kl_text t = {0};
    for (int i = 0; diag && i < kl_diag_size(diag); i++)
        if (kl_diag_at(diag, i)->severity == kind)
            kl_text_add(&t, "%s\n", kl_diag_at(diag, i)->text);
    kl_status status = t.n && !t.failed ? kl_writer_note(w, name, t.data) : KL_OK;
    kl_text_free(&t);
    return status;
}

/* Ends the file with how the run went. */
static kl_status finish(recorder *r, const kl_simulation *s, const kl_diag *diag, kl_status run)
{
    char text[2048];
    /* a run without them is still a run */
    (void)note_messages(r->writer, "warnings", KL_WARNING, diag);
    (void)note_messages(r->writer, "failure", KL_ERROR, diag);
    const char *word = run == KL_OK              ? "complete"
                       : run == KL_E_INTERRUPTED ? "interrupted"
                                                 : "failed";
    statistics_json(s, r->recording->wall, text, sizeof text);
    kl_status first  = kl_writer_note(r->writer, "statistics", text);
    kl_status second = kl_writer_note(r->writer, "status", word);
    kl_status closed = kl_writer_close(r->writer);
    if (r->part) remove(r->part);
    if (run != KL_OK) return run;
    return first != KL_OK ? first : second != KL_OK ? second : closed;
}

static char *beside(const char *path, const char *ending)
{
    char *name = malloc(strlen(path) + strlen(ending) + 1);
    if (name) sprintf(name, "%s%s", path, ending);
    return name;
}

/* A new file for a run from the start. */
static kl_status open_fresh(recorder *r, const kl_results_info *head, kl_diag *diag)
{
    char       *target = realpath(r->recording->path, NULL);
    const char *name   = r->recording->path;
    kl_status   status = KL_OK;
    if (target) {
        status = kl_writer_may_replace(r->recording->path, diag);
        if (status == KL_OK && !(r->part = beside(target, ".starting"))) status = KL_E_MEMORY;
        name = r->part;
    }
    free(target);
    if (status == KL_OK) status = kl_writer_create(name, head, r->info, r->n, diag, &r->writer);
    if (status != KL_OK && r->part) remove(r->part);
    return status;
}

/* A new file, from the start or with what an older one holds up to its checkpoint. */
static kl_status open_writer(recorder *r, kl_simulation *s, kl_diag *diag)
{
    kl_recording   *o    = r->recording;
    kl_results_info head = {.title      = s->model->title,
                            .model_file = s->model->file,
                            .model_text = o->model_text,
                            .folder     = o->folder,
                            .scene_json = r->scene,
                            .lines      = s->model,
                            .set        = o->set,
                            .inputs     = o->inputs};
    s->checkpoint        = o->checkpoint;
    if (o->checkpoint > 0.0 || o->restart) head.checkpoint_size = kl_simulation_pack_size(s);
    head.settings_json = r->settings;
    head.limits_json   = r->limits;
    head.fields        = r->field;
    head.nfield        = r->nfield;
    if (!o->restart) return open_fresh(r, &head, diag);

    kl_reader *old = NULL;
    KL_TRY(kl_reader_open(o->restart, diag, &old));
    int n            = kl_reader_checkpoint_size(old),
        size         = n > head.checkpoint_size ? n : head.checkpoint_size;
    double   *pack   = calloc((size_t)size + 1, sizeof *pack);
    char     *part   = beside(o->path, ".restarting");
    kl_status status = pack && part ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK && kl_reader_running(old))
        status =
            kl_fail(diag, KL_E_FILE, (kl_place){.file = o->restart}, "is being written by a run");
    if (status == KL_OK && strcmp(o->restart, o->path) == 0)
        status = refuse_to_shorten(o, old, diag);
    if (status == KL_OK) status = resume(s, old, pack, diag);
    if (status == KL_OK) status = kl_writer_create(part, &head, r->info, r->n, diag, &r->writer);
    if (status == KL_OK) status = copy_rows(r, old, s->row, diag);
    if (status == KL_OK) status = copy_fields(r, old, s->solver->s->t);
    if (status == KL_OK) status = kl_writer_checkpoint(r->writer, pack);
    kl_reader_close(old);
    if (status == KL_OK) status = kl_writer_rename(r->writer, o->path);
    if (status != KL_OK && r->writer) {
        (void)kl_writer_close(r->writer);
        r->writer = NULL;
        remove(part);
    }
    free(part);
    free(pack);
    return status;
}

/* An output that never was a number is a mistake; one that was so at times is worth a word. */
static void report_non_finite_outputs(const recorder *r, const kl_simulation *s, kl_diag *diag)
{
    for (int i = 0; i < r->n; i++) {
        if (!r->info[i].own || r->missing[i] == 0) continue;
        kl_place place = {.file = s->model->file};
        for (int k = 0; k < s->model->nwanted; k++)
            if (strcmp(s->model->wanted[k].name, r->info[i].name) == 0)
                place = s->model->wanted[k].place;
        if (r->missing[i] == r->rows)
            kl_warn(diag, place,
                    "output '%s' is not a finite number at any time; check for a division by zero",
                    r->info[i].name);
        else
            kl_warn(diag, place,
                    "output '%s' is not a finite number in %ld of %ld rows; check for a division "
                    "by zero",
                    r->info[i].name, r->missing[i], r->rows);
    }
}

typedef struct lowpass {
    double frequency, every; /* [Hz], [s] */
} lowpass;

/* Butterworth of order 6 forwards and backwards: no phase shift (the filter of EN 50318). */
static kl_status filter_column(double *values, int n, const void *context)
{
    const lowpass *p = context;
    kl_filter      f;
    if (n < 2 || kl_filter_lowpass(&f, 6, p->frequency, 1.0 / p->every) != KL_OK) return KL_OK;
    kl_filter_run_both_ways(&f, values, n);
    return KL_OK;
}

static int column_of(const recorder *r, const char *name)
{
    for (int i = 0; i < r->n; i++)
        if (strcmp(r->info[i].name, name) == 0) return i;
    return -1;
}

/* Outputs with `lowpass` need the whole record. */
static kl_status filter_outputs(recorder *r, const kl_simulation *s)
{
    for (int i = 0; i < s->model->nwanted; i++) {
        const kl_wanted *w = &s->model->wanted[i];
        lowpass          p = {w->lowpass, s->model->settings.every};
        int from = w->lowpass > 0.0 ? column_of(r, w->expression) : -1, to = column_of(r, w->name);
        if (from >= 0 && to >= 0) KL_TRY(kl_writer_derive(r->writer, from, to, filter_column, &p));
    }
    return KL_OK;
}

kl_status kl_record(kl_simulation *s, kl_recording *recording, kl_diag *diag)
{
    recorder  r      = {.recording = recording};
    kl_status status = recorder_init(&r, s);
    if (status == KL_OK) status = open_writer(&r, s, diag);
    if (status == KL_OK) {
        kl_sink sink  = {.context      = &r,
                         .row          = record_row,
                         .continue_run = record_continue,
                         .checkpoint   = s->checkpoint > 0.0 ? record_checkpoint : NULL};
        double  begin = wall_clock();
        status        = kl_simulation_run(s, recording->end, s->model->settings.every, &sink, diag);
        recording->wall = wall_clock() - begin;
        report_non_finite_outputs(&r, s, diag);
        kl_status filtered = filter_outputs(&r, s);
        if (status == KL_OK) status = filtered;
        status = finish(&r, s, diag, status);
    }
    recorder_free(&r);
    return status;
}
