/* Stress on the surface of a body as PolyData. Where several points lie at one node (both sides of
 * a shell, plies, fibres of a beam), the worst of them is shown. A body without a surface is drawn
 * as its points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "post/stress_file.h"
#include "post/vtk_array.h"

typedef struct sheet {
    const kl_stress_body *b;
    int                   row;
    bool                  skin; /* on the skin's nodes; else on the points themselves */
    int                   n;
    int                  *point; /* n: the point that is shown there, or -1 */
    kl_vtk_bytes          bytes;
} sheet;

static double damage_or_stress(const sheet *s, int point)
{
    double v[KL_SAMPLE];
    if (s->row < 0) return s->b->curve ? s->b->spot[point].damage : s->b->spot[point].von_mises;
    kl_stress_sample_point(s->b, point, s->row, v);
    return v[KL_SAMPLE_VON_MISES];
}

static void choose_points(sheet *s)
{
    for (int i = 0; i < s->n; i++) {
        s->point[i] = s->skin ? s->b->skin.first[i] : i;
        if (!s->skin || s->point[i] < 0 || s->b->skin.next[s->point[i]] < 0) continue;
        double worst = damage_or_stress(s, s->point[i]);
        for (int p = s->b->skin.next[s->point[i]]; p >= 0; p = s->b->skin.next[p])
            if (damage_or_stress(s, p) > worst) worst = damage_or_stress(s, p), s->point[i] = p;
    }
}

/* an array of one part of the samples */
static kl_status put_part(FILE *f, sheet *s, const char *name, int first, int size)
{
    char   attributes[160];
    double v[KL_SAMPLE];
    for (int i = 0; i < s->n; i++) {
        if (s->point[i] >= 0) kl_stress_sample_point(s->b, s->point[i], s->row, v);
        else
            for (int c = 0; c < KL_SAMPLE; c++) v[c] = (double)NAN;
        if (s->skin && first == 0)
            kl_skin_moved(&s->b->run, i, s->b->run.w + (size_t)s->row * (size_t)s->b->run.n, v);
        for (int c = 0; c < size; c++) kl_vtk_put_float(&s->bytes, v[first + c]);
    }
    snprintf(attributes, sizeof attributes,
             "type=\"Float32\" Name=\"%s\" NumberOfComponents=\"%d\"", name, size);
    return kl_vtk_array(f, attributes, &s->bytes);
}

static kl_status put_field(FILE *f, sheet *s)
{
    KL_TRY(put_part(f, s, "von_mises", KL_SAMPLE_VON_MISES, 1));
    KL_TRY(put_part(f, s, "displacement", 0, 3));
    KL_TRY(put_part(f, s, "stress", KL_SAMPLE_STRESS, 6));
    return put_part(f, s, "strain", KL_SAMPLE_STRAIN, 6);
}

static kl_status put_spots(FILE *f, sheet *s, const char *name, size_t offset)
{
    char attributes[120];
    for (int i = 0; i < s->n; i++) {
        double v = (double)NAN;
        if (s->point[i] >= 0) memcpy(&v, (const char *)&s->b->spot[s->point[i]] + offset, sizeof v);
        kl_vtk_put_float(&s->bytes, v);
    }
    snprintf(attributes, sizeof attributes, "type=\"Float32\" Name=\"%s\"", name);
    return kl_vtk_array(f, attributes, &s->bytes);
}

static kl_status put_envelope(FILE *f, sheet *s)
{
    KL_TRY(put_spots(f, s, "von_mises_max", offsetof(kl_hot_spot, von_mises)));
    KL_TRY(put_spots(f, s, "time_of_max", offsetof(kl_hot_spot, time)));
    KL_TRY(put_spots(f, s, "least", offsetof(kl_hot_spot, least)));
    KL_TRY(put_spots(f, s, "most", offsetof(kl_hot_spot, most)));
    return s->b->curve ? put_spots(f, s, "damage", offsetof(kl_hot_spot, damage)) : KL_OK;
}

/* cells of `corners` points each; NULL: the points one by one */
static kl_status put_cells(FILE *f, sheet *s, const char *tag, const int *corner, int corners,
                           int n)
{
    fprintf(f, "<%s>\n", tag);
    for (int i = 0; i < corners * n; i++)
        kl_vtk_put_u32(&s->bytes, (uint32_t)(corner ? corner[i] : i));
    KL_TRY(kl_vtk_array(f, "type=\"Int32\" Name=\"connectivity\"", &s->bytes));
    for (int i = 1; i <= n; i++) kl_vtk_put_u32(&s->bytes, (uint32_t)(corners * i));
    KL_TRY(kl_vtk_array(f, "type=\"Int32\" Name=\"offsets\"", &s->bytes));
    fprintf(f, "</%s>\n", tag);
    return KL_OK;
}

static kl_status put_sheet(FILE *f, sheet *s)
{
    const kl_kbody      *b     = s->b->run.body;
    const kl_kbody_skin *k     = &b->skin;
    const kl_vec3       *x     = s->skin ? k->x : b->stress.position;
    kl_vtk_piece         piece = {.points = s->n,
                                  .verts  = s->skin ? 0 : s->n,
                                  .lines  = s->skin ? k->nline : 0,
                                  .polys  = s->skin ? k->ntriangle : 0};
    kl_vtk_begin(f, piece);
    fprintf(f, "<PointData Scalars=\"%s\">\n", s->row < 0 ? "von_mises_max" : "von_mises");
    KL_TRY(s->row < 0 ? put_envelope(f, s) : put_field(f, s));
    fprintf(f, "</PointData>\n<Points>\n");
    for (int i = 0; i < s->n; i++) {
        kl_vtk_put_float(&s->bytes, x[i].x);
        kl_vtk_put_float(&s->bytes, x[i].y);
        kl_vtk_put_float(&s->bytes, x[i].z);
    }
    KL_TRY(kl_vtk_array(f, "type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\"", &s->bytes));
    fprintf(f, "</Points>\n");
    if (!s->skin) KL_TRY(put_cells(f, s, "Verts", NULL, 1, s->n));
    if (piece.lines) KL_TRY(put_cells(f, s, "Lines", k->line, 2, k->nline));
    if (piece.polys) KL_TRY(put_cells(f, s, "Polys", k->triangle, 3, k->ntriangle));
    kl_vtk_end(f);
    return ferror(f) ? KL_E_FILE : KL_OK;
}

kl_status kl_stress_write_vtp(FILE *f, const kl_stress_body *b, int row)
{
    const kl_kbody *k = b->run.body;
    sheet           s = {.b = b, .row = row, .skin = k->skin.nnode > 0 && b->skin.found > 0};
    s.n               = s.skin ? k->skin.nnode : k->stress.n;
    size_t cells      = 3 * (size_t)k->skin.ntriangle + 2 * (size_t)k->skin.nline;
    s.point           = malloc(((size_t)s.n + 1) * sizeof *s.point);
    kl_status status  = KL_E_MEMORY;
    if (s.point && kl_vtk_open(&s.bytes, 4 * (6 * (size_t)s.n + cells))) {
        choose_points(&s);
        status = put_sheet(f, &s);
        kl_vtk_close(&s.bytes);
    }
    free(s.point);
    return status;
}
