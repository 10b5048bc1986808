/* Samples and tables of stress: CSV and HDF5. */
#include "post/stress_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shortest.h"

const char *const kl_sample_names[KL_SAMPLE] = {
    "displacement.x", "displacement.y", "displacement.z", "strain.xx", "strain.yy", "strain.zz",
    "strain.xy",      "strain.yz",      "strain.zx",      "stress.xx", "stress.yy", "stress.zz",
    "stress.xy",      "stress.yz",      "stress.zx",      "von_mises"};

static const char *unit_of(int column)
{
    return column < KL_SAMPLE_STRAIN ? "_m" : column < KL_SAMPLE_STRESS ? "" : "_Pa";
}

/* ---- samples ---- */

static const double *row_of(const kl_modal_run *r, int row)
{
    return r->w + (size_t)row * (size_t)r->n;
}

static void sample(const kl_stress_body *b, int point, int node, const kl_kbody_marker *marker,
                   int row, double *s)
{
    const double *w = row_of(&b->run, row);
    for (int c = 0; c < KL_SAMPLE; c++) s[c] = (double)NAN;
    if (marker) kl_marker_moved(&b->run, marker, w, s, NULL);
    else if (node >= 0) kl_skin_moved(&b->run, node, w, s);
    if (point < 0) return;
    kl_strain_at(&b->run, point, w, s + KL_SAMPLE_STRAIN);
    kl_stress_at(&b->run, point, w, s + KL_SAMPLE_STRESS);
    s[KL_SAMPLE_VON_MISES] = kl_von_mises(s + KL_SAMPLE_STRESS);
}

void kl_stress_sample_point(const kl_stress_body *b, int point, int row, double *s)
{
    sample(b, point, b->skin.node[point], NULL, row, s);
}

void kl_stress_sample_site(const kl_stress_site *site, int row, double *s)
{
    sample(site->body, site->point, site->node, site->marker, row, s);
}

bool kl_stress_site_has(const kl_stress_site *s, int column)
{
    return column < KL_SAMPLE_STRAIN ? s->node >= 0 || s->marker : s->point >= 0;
}

/* ---- CSV ---- */

static void put(FILE *f, double value)
{
    char text[KL_SHORTEST];
    fputc(',', f);
    if (isfinite(value)) fwrite(text, 1, (size_t)kl_print_shortest(text, value), f);
    else if (isinf(value)) fputs(value > 0 ? "inf" : "-inf", f);
}

static void put_place(FILE *f, const kl_stress_body *b, int point)
{
    char    name[KL_POINT_NAME];
    kl_vec3 x = b->run.body->stress.position[point];
    fprintf(f, "%s,%s", b->name, kl_stress_point_name(b->run.body, point, name));
    put(f, x.x), put(f, x.y), put(f, x.z);
}

static void csv_envelope(FILE *f, const kl_stress_request *q)
{
    fputs("body,point,x_m,y_m,z_m,von_mises_Pa,time_s", f);
    for (int c = KL_SAMPLE_STRESS; c < KL_SAMPLE_VON_MISES; c++)
        fprintf(f, ",%s%s", kl_sample_names[c], unit_of(c));
    fputs(",least_Pa,most_Pa,damage\n", f);
    for (int i = 0; i < q->nbody; i++)
        for (int p = 0; p < q->body[i].run.body->stress.n && !ferror(f); p++) {
            const kl_hot_spot *h = &q->body[i].spot[p];
            put_place(f, &q->body[i], p);
            put(f, h->von_mises), put(f, h->time);
            for (int c = 0; c < 6; c++) put(f, h->stress[c]);
            put(f, h->least), put(f, h->most), put(f, h->damage);
            fputc('\n', f);
        }
}

static void csv_history(FILE *f, const kl_stress_request *q)
{
    double        s[KL_SAMPLE];
    const double *time = q->site[0].body->run.time;
    fputs("time_s", f);
    for (int i = 0; i < q->nsite; i++)
        for (int c = 0; c < KL_SAMPLE; c++)
            if (kl_stress_site_has(&q->site[i], c))
                fprintf(f, ",%s.%s%s", q->site[i].name, kl_sample_names[c], unit_of(c));
    fputc('\n', f);
    for (int row = 0; row < q->site[0].body->run.rows && !ferror(f); row++) {
        char text[KL_SHORTEST];
        fwrite(text, 1, (size_t)kl_print_shortest(text, time[row]), f);
        for (int i = 0; i < q->nsite; i++) {
            kl_stress_sample_site(&q->site[i], row, s);
            for (int c = 0; c < KL_SAMPLE; c++)
                if (kl_stress_site_has(&q->site[i], c)) put(f, s[c]);
        }
        fputc('\n', f);
    }
}

static void csv_fields(FILE *f, const kl_stress_request *q)
{
    double s[KL_SAMPLE];
    char   text[KL_SHORTEST];
    fputs("time_s,body,point,x_m,y_m,z_m", f);
    for (int c = 0; c < KL_SAMPLE; c++) fprintf(f, ",%s%s", kl_sample_names[c], unit_of(c));
    fputc('\n', f);
    for (int k = 0; k < q->nrow; k++)
        for (int i = 0; i < q->nbody; i++)
            for (int p = 0; p < q->body[i].run.body->stress.n && !ferror(f); p++) {
                const kl_stress_body *b = &q->body[i];
                fwrite(text, 1, (size_t)kl_print_shortest(text, b->run.time[q->row[k]]), f);
                fputc(',', f);
                put_place(f, b, p);
                kl_stress_sample_point(b, p, q->row[k], s);
                for (int c = 0; c < KL_SAMPLE; c++) put(f, s[c]);
                fputc('\n', f);
            }
}

kl_status kl_stress_write_csv(FILE *f, const kl_stress_request *q)
{
    if (q->nsite > 0) csv_history(f, q);
    else if (q->nrow > 0) csv_fields(f, q);
    else csv_envelope(f, q);
    return ferror(f) ? KL_E_FILE : KL_OK;
}

/* ---- HDF5 ---- */

typedef struct out {
    kl_h5 *f;
    char   name[512];
} out;

static const char *in_body(out *o, const kl_stress_body *b, const char *part)
{
    snprintf(o->name, sizeof o->name, "%s/%s", b->name, part);
    return o->name;
}

static bool h5_points(out *o, const kl_stress_body *b)
{
    const kl_kbody_stress *s = &b->run.body->stress;
    int                    n = s->n;
    bool good                = n == 0 || kl_h5_write_doubles(o->f, in_body(o, b, "points/position"),
                                                             &s->position[0].x, 2, (const int[]){n, 3});
    good = good && kl_h5_write_ints(o->f, in_body(o, b, "points/node_id"), s->node_id, n);
    good = good && kl_h5_write_ints(o->f, in_body(o, b, "points/element_id"), s->element_id, n);
    if (s->layer) good = good && kl_h5_write_ints(o->f, in_body(o, b, "points/layer"), s->layer, n);
    if (s->face) good = good && kl_h5_write_ints(o->f, in_body(o, b, "points/face"), s->face, n);
    return good;
}

/* one number of all spots, by its place in the struct */
static bool h5_of_spots(out *o, const kl_stress_body *b, const char *name, size_t offset, int size)
{
    int     n = b->run.body->stress.n;
    double *v = malloc(((size_t)n * (size_t)size + 1) * sizeof *v);
    for (int p = 0; v && p < n; p++)
        memcpy(v + (size_t)p * (size_t)size, (const char *)&b->spot[p] + offset,
               (size_t)size * sizeof *v);
    bool good = v && kl_h5_write_doubles(o->f, in_body(o, b, name), v, size > 1 ? 2 : 1,
                                         (const int[]){n, size});
    free(v);
    return good;
}

static bool h5_envelope(out *o, const kl_stress_body *b)
{
    static const struct {
        const char *name;
        size_t      offset;
        int         size;
    } parts[] = {{"envelope/von_mises", offsetof(kl_hot_spot, von_mises), 1},
                 {"envelope/time", offsetof(kl_hot_spot, time), 1},
                 {"envelope/stress", offsetof(kl_hot_spot, stress), 6},
                 {"envelope/least", offsetof(kl_hot_spot, least), 1},
                 {"envelope/most", offsetof(kl_hot_spot, most), 1},
                 {"envelope/damage", offsetof(kl_hot_spot, damage), 1}};
    int n     = (int)(sizeof parts / sizeof *parts) - !b->curve;
    for (int i = 0; i < n; i++)
        if (!h5_of_spots(o, b, parts[i].name, parts[i].offset, parts[i].size)) return false;
    return true;
}

static bool h5_field(out *o, const kl_stress_body *b, int k, int row)
{
    static const struct {
        const char *name;
        int         first, size;
    } parts[]    = {{"displacement", 0, 3},
                    {"strain", KL_SAMPLE_STRAIN, 6},
                    {"stress", KL_SAMPLE_STRESS, 6},
                    {"von_mises", KL_SAMPLE_VON_MISES, 1}};
    int     n    = b->run.body->stress.n;
    double *v    = malloc(6 * ((size_t)n + 1) * sizeof *v), s[KL_SAMPLE];
    bool    good = v != NULL;
    for (int i = 0; good && i < 4; i++) {
        char part[64];
        int  size = parts[i].size;
        for (int p = 0; p < n; p++) {
            kl_stress_sample_point(b, p, row, s);
            memcpy(v + p * size, s + parts[i].first, (size_t)size * sizeof *v);
        }
        snprintf(part, sizeof part, "fields/%d/%s", k, parts[i].name);
        good = kl_h5_write_doubles(o->f, in_body(o, b, part), v, size > 1 ? 2 : 1,
                                   (const int[]){n, size});
    }
    free(v);
    return good;
}

static bool h5_history(out *o, const kl_stress_site *site)
{
    enum { BLOCK = 512 };
    const kl_modal_run *r = &site->body->run;
    kl_h5_table         table;
    double             *v = malloc(BLOCK * KL_SAMPLE * sizeof *v);
    snprintf(o->name, sizeof o->name, "history/%s", site->name);
    bool good = v && kl_h5_create_table(o->f, o->name, KL_SAMPLE, BLOCK, KL_SAMPLE, &table);
    for (int row = 0; good && row < r->rows; row += BLOCK) {
        int some = r->rows - row < BLOCK ? r->rows - row : BLOCK;
        for (int i = 0; i < some; i++)
            kl_stress_sample_site(site, row + i, v + (size_t)i * KL_SAMPLE);
        good = kl_h5_put(o->f, table, row, some, v);
    }
    free(v);
    return good;
}

static bool h5_histories(out *o, const kl_stress_request *q)
{
    const kl_modal_run *r = &q->site[0].body->run;
    if (!kl_h5_write_doubles(o->f, "history/time", r->time, 1, &r->rows) ||
        !kl_h5_write_texts(o->f, "history/columns", kl_sample_names, KL_SAMPLE))
        return false;
    for (int i = 0; i < q->nsite; i++)
        if (!h5_history(o, &q->site[i])) return false;
    return true;
}

bool kl_stress_write_h5(kl_h5 *f, const kl_stress_request *q)
{
    out  o    = {.f = f};
    bool good = kl_h5_write_attribute(f, "/", "format", "klingel-stress") &&
                kl_h5_write_attribute(f, "/", "units", "SI: m, s, Pa") &&
                kl_h5_write_attribute(f, "/", "version", "1.0") &&
                kl_h5_write_attribute(f, "/", "program", "klingel " KL_VERSION);
    if (q->nsite > 0) return good && h5_histories(&o, q);
    for (int i = 0; good && i < q->nbody; i++) {
        const kl_stress_body *b = &q->body[i];
        double               *t = malloc(((size_t)q->nrow + 1) * sizeof *t);
        good                    = t && h5_points(&o, b);
        for (int k = 0; good && k < q->nrow; k++) {
            t[k] = b->run.time[q->row[k]];
            good = h5_field(&o, b, k, q->row[k]);
        }
        if (good && q->nrow > 0)
            good = kl_h5_write_doubles(f, in_body(&o, b, "fields/time"), t, 1, &q->nrow);
        if (good && q->nrow == 0) good = h5_envelope(&o, b);
        free(t);
    }
    return good;
}
