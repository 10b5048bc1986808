#include "cli/stress_bodies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool deforms(const kl_model *m, int i, kl_modal_body *p)
{
    return kl_model_modal(m, i, p) && p->n > 0;
}

/* ---- one body ---- */

static double or_none(double value) { return isnan(value) ? 0.0 : value; }

static kl_sn_curve curve_of(const kl_modal_body *p)
{
    return (kl_sn_curve){.range       = p->sn_range,
                         .cycles      = p->sn_cycles,
                         .slope       = p->sn_slope,
                         .knee        = or_none(p->sn_knee),
                         .slope_after = or_none(p->sn_slope_after),
                         .mean        = (kl_mean_rule)p->mean_stress,
                         .ultimate    = or_none(p->ultimate)};
}

/* The modal coordinates w.1 ... w.n of a run. The file must have exactly the modes of the body file
 * as it is now: with others the sum over stress modes would be another body's. */
static kl_status read_coordinates(kl_stress_bodies *s, kl_reader *r, const char *file,
                                  kl_modal_run *run, const char *name, kl_diag *diag)
{
    char     channel[512];
    kl_place at     = {.file = file};
    int     *number = kl_arena_array(s->arena, int, run->n + 1);
    double  *w      = kl_arena_array(s->arena, double, (size_t)run->rows *(size_t)run->n + 1);
    if (!number || !w) return KL_E_MEMORY;
    for (int j = 0; j <= run->n; j++) {
        snprintf(channel, sizeof channel, "%s.w.%d", name, j + 1);
        int found = kl_reader_find(r, channel);
        if ((found >= 0) != (j < run->n))
            return kl_fail(diag, KL_E_FILE, at,
                           "%s '%s', but the body file has %d modes now: it has changed since the "
                           "run; run the model again",
                           found < 0 ? "has no" : "has", channel, run->n);
        if (j < run->n) number[j] = found;
    }
    run->w = w;
    return kl_reader_block(r, number, run->n, s->row0, run->rows, w);
}

static kl_status add_body(kl_stress_bodies *s, kl_reader *r, const char *file, const kl_body *body,
                          const kl_modal_body *p, const double *time, int rows, kl_diag *diag)
{
    kl_stress_body *b = &s->list[s->n];
    *b                = (kl_stress_body){.name = body->name,
                                         .run  = {.body  = p->file->body,
                                                  .mode  = p->mode,
                                                  .rigid = p->rigid,
                                                  .n     = p->n,
                                                  .rows  = rows,
                                                  .time  = time}};
    KL_TRY(read_coordinates(s, r, file, &b->run, b->name, diag));
    if (!kl_skin_points_find(p->file->body, false, &b->skin)) return KL_E_MEMORY;
    s->curve[s->n] = curve_of(p);
    if (!isnan(p->sn_range)) b->curve = &s->curve[s->n];
    s->n++;
    return KL_OK;
}

/* ---- which bodies ---- */

static bool is_named(const char *body, char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], body) == 0) return true;
    return n == 0;
}

static kl_status check_names(const kl_model *m, char *const *names, int n, const char *file,
                             kl_arena *arena, kl_diag *diag)
{
    kl_status     status = KL_OK;
    kl_place      at     = {.file = file};
    const char  **known  = kl_arena_array(arena, const char *, m->nbody + 1);
    int           count  = 0;
    kl_modal_body p;
    if (!known) return KL_E_MEMORY;
    for (int i = 0; i < m->nbody; i++)
        if (deforms(m, i, &p)) known[count++] = m->body[i].name;
    if (count == 0)
        return kl_fail(
            diag, KL_E_NAME, at,
            "has no flexible bodies with modes; for a `type: beam` record the section "
            "forces of its elements, such as `klingel export %s arm.e1.N arm.e1.My`: the "
            "stress at the edge is N/A + My c/Iy + Mz c/Iz",
            file);
    for (int i = 0; i < n; i++) {
        bool found = false;
        for (int k = 0; k < count; k++) found |= strcmp(known[k], names[i]) == 0;
        const char *near = found ? NULL : kl_nearest(names[i], known);
        if (!found)
            status = kl_fail(diag, KL_E_NAME, at, "has no flexible body '%s'%s%s%s", names[i],
                             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return status;
}

static kl_status take_bodies(kl_stress_bodies *s, kl_reader *r, const char *file,
                             char *const *names, int nname, const double *time, int rows,
                             kl_diag *diag)
{
    const kl_model *m = s->loaded.model;
    for (int i = 0; i < m->nbody; i++) {
        kl_modal_body p;
        if (!deforms(m, i, &p) || !is_named(m->body[i].name, names, nname)) continue;
        if (p.file->body->stress.n == 0) {
            s->without++;
            /* Without names on the command line, bodies without stress data are omitted; a named
             * one is an error. */
            if (nname == 0) continue;
            return kl_fail(diag, KL_E_MODEL, m->body[i].place,
                           "body '%s' has no stress data; write `stress: {nodes: surface}` in the "
                           "body file%s (the model need not be run again)",
                           m->body[i].name,
                           strstr(p.file->file, ".kbody") ? " and reduce it again" : "");
        }
        KL_TRY(add_body(s, r, file, &m->body[i], &p, time, rows, diag));
    }
    return KL_OK;
}

/* ---- rows ---- */

static kl_status choose_rows(kl_stress_bodies *s, kl_reader *r, const char *file,
                             kl_time_range range, const double **time, int *rows, kl_diag *diag)
{
    int     n = kl_reader_rows(r), end = n;
    double *t = kl_arena_array(s->arena, double, n + 1);
    if (!t) return KL_E_MEMORY;
    KL_TRY(kl_reader_time(r, t));
    /* Times of rows are rounded: a row at the bound belongs to the range. */
    double slack = n > 0 ? 1e-9 * fmax(fabs(t[0]), fabs(t[n - 1])) : 0.0;
    while (s->row0 < n && t[s->row0] < range.from - slack) s->row0++;
    while (end > s->row0 && t[end - 1] > range.to + slack) end--;
    *time = t + s->row0;
    *rows = end - s->row0;
    if (*rows > 0) return KL_OK;
    return kl_fail(diag, KL_E_RANGE, (kl_place){.file = file},
                   n ? "has no rows in this time range; it lasts from %g to %g s" : "has no rows",
                   n ? t[0] : 0.0, n ? t[n - 1] : 0.0);
}

kl_status kl_stress_bodies_open(kl_stress_bodies *s, const kl_command *command, const char *results,
                                kl_reader *r, char *const *names, int nname, kl_time_range range,
                                kl_diag *diag)
{
    const double *time;
    int           rows;
    *s = (kl_stress_bodies){.arena = kl_arena_create()};
    if (!s->arena) return KL_E_MEMORY;
    if (kl_loaded_from_results(command, results, diag, &s->loaded) != KL_EXIT_OK)
        return kl_diag_failed(diag) ? kl_diag_status(diag) : KL_E_MEMORY;
    s->open           = true;
    const kl_model *m = s->loaded.model;
    s->list           = kl_arena_array(s->arena, kl_stress_body, m->nbody + 1);
    s->curve          = kl_arena_array(s->arena, kl_sn_curve, m->nbody + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    KL_TRY(check_names(m, names, nname, results, s->arena, diag));
    KL_TRY(choose_rows(s, r, results, range, &time, &rows, diag));
    KL_TRY(take_bodies(s, r, results, names, nname, time, rows, diag));
    if (s->n > 0) return KL_OK;
    return kl_fail(diag, KL_E_MODEL, (kl_place){.file = results},
                   "none of its flexible bodies has stress data; write `stress: {nodes: surface}` "
                   "in the body files (the model need not be run again)");
}

kl_status kl_stress_bodies_envelope(kl_stress_bodies *s, int i)
{
    kl_stress_body *b = &s->list[i];
    b->spot           = kl_arena_array(s->arena, kl_hot_spot, b->run.body->stress.n + 1);
    if (!b->spot) return KL_E_MEMORY;
    return kl_stress_envelope(&b->run, b->measure, b->curve, b->spot);
}

void kl_stress_bodies_close(kl_stress_bodies *s)
{
    for (int i = 0; i < s->n; i++) kl_skin_points_free(&s->list[i].skin);
    if (s->open) kl_loaded_close(&s->loaded);
    kl_arena_destroy(s->arena);
    *s = (kl_stress_bodies){0};
}
