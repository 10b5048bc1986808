/* Pages of modes and of eigenvalues over a parameter. See view.h for the blocks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "post/view.h"

enum { PHASES = 61 };

static void add_number(kl_text *t, double value)
{
    if (isfinite(value)) kl_text_add(t, "%.9g", value);
    else kl_text_add(t, "null");
}

/* The head of a page without rows, up to its list of modes. */
static void start_head(kl_text *t, const char *label, const char *title, const char *scene)
{
    kl_text_add(t,
                "{\"format\": \"klingel-view\", \"version\": 1, \"kind\": \"modes\", \"label\": ");
    kl_text_json(t, label);
    kl_text_add(t, ", \"title\": ");
    kl_text_json(t, title && *title ? title : label);
    kl_text_add(t, ", \"scene\": ");
    kl_text_json(t, scene);
    kl_text_add(t, ", \"status\": \"complete\", \"rows\": 0, \"bases\": [{\"every\": 1, \"n\": 0}, "
                   "{\"every\": 1, \"n\": 0}], \"blocks\": 0, \"channels\": [], \"modes\": [");
}

static void add_mode(kl_text *t, int i, double re, double im, double frequency, double damping,
                     const char *text)
{
    kl_text_add(t, "%s{\"number\": %d, \"re\": ", i ? ", " : "", i + 1);
    add_number(t, re);
    kl_text_add(t, ", \"im\": ");
    add_number(t, im);
    kl_text_add(t, ", \"frequency\": ");
    add_number(t, frequency);
    kl_text_add(t, ", \"damping\": ");
    add_number(t, damping);
    kl_text_add(t, ", \"text\": ");
    kl_text_json(t, text ? text : "");
    kl_text_add(t, "}");
}

static kl_status write_page(FILE *f, kl_text *head, const double *shapes, size_t nshape,
                            kl_text *skins, kl_diag *diag, size_t *bytes)
{
    double phase[PHASES];
    for (int i = 0; i < PHASES; i++) phase[i] = (double)i / (PHASES - 1);
    kl_text_add(head, ", \"skins\": %s}", skins->data ? skins->data : "[]");
    if (head->failed || skins->failed) return KL_E_MEMORY;
    KL_TRY(kl_view_write_block(f, 0, "head", head->data, head->n, bytes));
    KL_TRY(kl_view_write_doubles(f, 0, "time", phase, PHASES, bytes));
    if (nshape) KL_TRY(kl_view_write_doubles(f, 0, "shapes", shapes, nshape, bytes));
    return kl_view_write_end(f, diag);
}

/* Surfaces as they are in the file; their entries for the head into `list`. */
static kl_status write_kept_skins(FILE *f, const kl_modes_scene *m, kl_text *list, size_t *bytes)
{
    kl_text_add(list, "[");
    for (int k = 0; k < m->nskin; k++) {
        char name[24];
        snprintf(name, sizeof name, "skin%d", k);
        kl_text_add(list, "%s%s", k ? ", " : "", m->skin[k].head);
        KL_TRY(kl_view_write_block(f, 0, name, m->skin[k].words,
                                   (size_t)m->skin[k].nword * sizeof(int), bytes));
    }
    kl_text_add(list, "]");
    return KL_OK;
}

/* Positions of bodies, how modes move them, then what each surface does. */
static double *gather_shapes(const kl_modes_scene *m, size_t *n)
{
    size_t nbase = 7 * (size_t)m->nbody, nmotion = 12 * (size_t)m->nbody * (size_t)m->nmode;
    *n = nbase + nmotion;
    for (int k = 0; k < m->nskin; k++) *n += (size_t)(1 + 2 * m->nmode) * (size_t)m->skin[k].n;
    double *shapes = malloc((*n + 1) * sizeof *shapes), *at = shapes;
    if (!shapes) return NULL;
    memcpy(at, m->base, nbase * sizeof *shapes), at += nbase;
    memcpy(at, m->motion, nmotion * sizeof *shapes), at += nmotion;
    for (int k = 0; k < m->nskin; k++) {
        size_t size = (size_t)(1 + 2 * m->nmode) * (size_t)m->skin[k].n;
        memcpy(at, m->skin[k].modal, size * sizeof *shapes), at += size;
    }
    return shapes;
}

kl_status kl_view_write_modes(FILE *f, const kl_modes_scene *m, const char *label, kl_diag *diag,
                              size_t *bytes)
{
    kl_text head = {0}, skins = {0};
    size_t  n;
    double *shapes = gather_shapes(m, &n);
    if (!shapes) return KL_E_MEMORY;
    start_head(&head, label, m->title, m->json);
    for (int i = 0; i < m->nmode; i++) {
        const double *e = m->eigenvalue + 4 * i;
        add_mode(&head, i, e[0], e[1], e[2], e[3], m->text ? m->text[i] : "");
    }
    kl_text_add(&head, "], \"mode_bodies\": [");
    for (int i = 0; i < m->nbody; i++) {
        if (i) kl_text_add(&head, ", ");
        kl_text_json(&head, m->body[i]);
    }
    kl_text_add(&head, "]");
    kl_view_add_tracks(&head, m->track, m->ntrack);
    kl_view_write_head(f, m->title && *m->title ? m->title : label, "view");
    kl_status status = write_kept_skins(f, m, &skins, bytes);
    if (status == KL_OK) status = write_page(f, &head, shapes, n, &skins, diag, bytes);
    kl_text_free(&head);
    kl_text_free(&skins);
    free(shapes);
    return status;
}

/* The one body of a reduced body, as a scene. */
static void body_scene(kl_text *t, const kl_kbody *b)
{
    kl_vec3 c      = kl_kbody_centre(b);
    double  low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < b->skin.nnode; i++) {
        double x[3];
        kl_store(x, b->skin.x[i]);
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
    }
    kl_text_add(t,
                "{\"version\": 1, \"gravity\": [0, 0, 0], \"length\": 1, \"bodies\": [{\"name\": "
                "\"body\", \"type\": \"flexible\", \"mass\": %.9g, \"center\": [%.9g, %.9g, %.9g], "
                "\"points\": [",
                b->inertia.m, c.x, c.y, c.z);
    for (int i = 0; i < 8 && low[0] <= high[0]; i++)
        kl_text_add(t, "%s[%.9g, %.9g, %.9g]", i ? ", " : "", i & 1 ? high[0] : low[0],
                    i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
    kl_text_add(t, "]}], \"elements\": [], \"watched\": []}");
}

kl_status kl_view_write_body(FILE *f, const kl_kbody *b, const char *label, kl_diag *diag,
                             size_t *bytes)
{
    kl_text head = {0}, skins = {0}, scene = {0};
    if (b->skin.nnode < 1)
        return kl_fail(diag, KL_E_NAME, (kl_place){.file = label},
                       "this body was reduced without a surface (`skin: no`), so it cannot be "
                       "drawn; reduce it again without `skin: no`");
    kl_skin     skin  = kl_skin_plan("body", b, NULL, NULL, b->nmode);
    const char *title = b->title && *b->title ? b->title : label;
    body_scene(&scene, b);
    start_head(&head, label, title, scene.data ? scene.data : "");
    for (int i = 0; i < skin.kept; i++)
        add_mode(&head, i, 0.0, 6.283185307179586 * b->frequency[i], b->frequency[i], (double)NAN,
                 "");
    kl_text_add(&head, "]");
    kl_view_write_head(f, title, "view");
    kl_status status =
        scene.failed ? KL_E_MEMORY : kl_view_write_skins(f, 0, &skin, 1, &skins, bytes);
    if (status == KL_OK) status = write_page(f, &head, NULL, 0, &skins, diag, bytes);
    kl_text_free(&head);
    kl_text_free(&skins);
    kl_text_free(&scene);
    return status;
}

/* ---- tables ---- */

static bool is_locus(const char *table)
{
    const char       *line = strchr(table, '\n'), *comma = strchr(table, ',');
    static const char rest[] = ",real,imag,frequency_hz,damping_ratio";
    return line && comma && comma < line && strncmp(comma, rest, sizeof rest - 1) == 0;
}

/* Cells of a line between commas, and how many of them are numbers. */
static int cells_in(const char *line, int *numbers)
{
    int n    = 1;
    *numbers = 0;
    for (const char *cell = line;; cell++, n++) {
        char *end;
        strtod(cell, &end);
        *numbers += end > cell && strchr(" ,\r\n", *end) != NULL; /* also the end of the text */
        cell = strpbrk(cell, ",\n");
        if (!cell || *cell == '\n') return n;
    }
}

/* A head of names, and somewhere below it a row of as many cells with two numbers. Names in quotes
 * may hold commas. */
static bool is_table(const char *table)
{
    int head = 0, numbers;
    for (const char *line = table; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line == '#' || strchr("\r\n", *line)) continue;
        int cells = cells_in(line, &numbers);
        if (head && numbers >= 2 && (cells == head || strchr(table, '"'))) return true;
        if (!head) head = cells;
    }
    return false;
}

kl_status kl_view_write_table(FILE *f, const char *table, const char *label, kl_diag *diag,
                              size_t *bytes)
{
    kl_text     head = {0};
    const char *kind = is_locus(table) ? "locus" : "table";
    if (!is_table(table))
        return kl_fail(diag, KL_E_SYNTAX, (kl_place){.file = label},
                       "this is not a table; a CSV table has a line of names, then rows with at "
                       "least two numbers separated by commas");
    kl_text_add(
        &head,
        "{\"format\": \"klingel-view\", \"version\": 1, \"kind\": \"%s\", \"label\": ", kind);
    kl_text_json(&head, label);
    kl_text_add(&head, ", \"table\": ");
    kl_text_json(&head, table);
    kl_text_add(&head, "}");
    kl_view_write_head(f, label, kind);
    kl_status status =
        head.failed ? KL_E_MEMORY : kl_view_write_block(f, 0, "head", head.data, head.n, bytes);
    kl_text_free(&head);
    return status == KL_OK ? kl_view_write_end(f, diag) : status;
}
