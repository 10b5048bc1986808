#include "post/skin.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "post/skin_points.h"

static const double BUDGET = 48e6; /* bytes of modes in the browser */

kl_skin kl_skin_plan(const char *body, const kl_kbody *of, const int *mode, const double *rigid,
                     int n)
{
    kl_skin        s    = {.body = body, .of = of, .mode = mode, .rigid = rigid, .n = n, .kept = n};
    double         node = fmax(1.0, of->skin.nnode);
    kl_skin_points r    = {0};
    /* stress is worth showing where most of the surface has it */
    if (of->stress.n > 0 && kl_skin_points_find(of, true, &r)) s.stress = r.found > 0.6 * node;
    kl_skin_points_free(&r);
    if (s.stress && 18.0 * node * n > BUDGET) s.stress = false, s.no_room = true;
    if (6.0 * node * n > BUDGET) s.kept = (int)fmax(1.0, BUDGET / (6.0 * node));
    return s;
}

/* ---- bytes ---- */

typedef struct bytes {
    unsigned char *data;
    size_t         n;
} bytes;

static void put(bytes *b, uint32_t v, int size)
{
    for (int k = 0; k < size; k++) b->data[b->n++] = (unsigned char)(v >> (8 * k));
}

static void put_float(bytes *b, double value)
{
    float    v = (float)value;
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    put(b, bits, 4);
}

static int file_mode(const kl_skin *s, int j) { return s->mode ? s->mode[j] : j; }

kl_vec3 kl_skin_mode_at(const kl_skin *s, int node, int j)
{
    const kl_kbody *b   = s->of;
    int             m   = file_mode(s, j);
    kl_vec3         sum = kl_vec(0, 0, 0);
    if (m >= 0) {
        const float *at = b->skin.motion + 3 * ((size_t)node * (size_t)b->nmode + (size_t)m);
        sum             = kl_vec((double)at[0], (double)at[1], (double)at[2]);
    }
    if (!s->rigid) return sum;
    kl_vec3 turn = kl_load(s->rigid + 6 * j + 3);
    sum          = kl_add(sum, kl_load(s->rigid + 6 * j));
    return kl_add(sum, kl_cross(turn, kl_sub(b->skin.x[node], kl_kbody_centre(b))));
}

static double motion(const kl_skin *s, int node, int j, int c)
{
    double v[3];
    kl_store(v, kl_skin_mode_at(s, node, j));
    return v[c];
}

static double stress(const kl_skin *s, const kl_skin_points *r, int node, int j, int c)
{
    const kl_kbody *b   = s->of;
    double          sum = 0.0;
    int             n   = 0;
    if (file_mode(s, j) < 0) return 0.0;
    for (int p = r->first[node]; p >= 0; p = r->next[p], n++)
        sum +=
            b->stress
                .stress[((size_t)p * (size_t)b->nmode + (size_t)file_mode(s, j)) * 6 + (size_t)c];
    return n ? sum / n : 0.0;
}

/* All of one mode: `parts` columns of nodes, as numbers of a common scale. */
static double put_mode(bytes *b, const kl_skin *s, const kl_skin_points *r, int j, int parts)
{
    double most = 0.0;
    int    n    = s->of->skin.nnode;
    for (int pass = 0; pass < 2; pass++)
        for (int c = 0; c < parts; c++)
            for (int i = 0; i < n; i++) {
                double v = parts == 3 ? motion(s, i, j, c) : stress(s, r, i, j, c);
                if (!isfinite(v)) v = 0.0;
                if (pass == 0) most = fmax(most, fabs(v));
                else put(b, (uint32_t)(int32_t)lround(most > 0.0 ? 32767.0 * v / most : 0.0), 2);
            }
    return most / 32767.0;
}

static void put_modes(bytes *b, const kl_skin *s, const kl_skin_points *r, int parts, kl_text *head)
{
    for (int j = 0; j < s->kept; j++) {
        double scale = put_mode(b, s, r, j, parts);
        kl_text_add(head, "%s%.9g", j ? ", " : "", scale);
    }
}

unsigned char *kl_skin_pack(const kl_skin *s, kl_text *head, size_t *size)
{
    const kl_kbody_skin *k    = &s->of->skin;
    size_t               node = (size_t)k->nnode, parts = s->stress ? 9 : 3;
    kl_skin_points       r = {0};
    bytes b = {.data = malloc(12 * node + 12 * (size_t)k->ntriangle + 8 * (size_t)k->nline +
                              4 * node + 2 * parts * node * (size_t)s->kept + 1)};
    if (!b.data || (s->stress && !kl_skin_points_find(s->of, true, &r))) {
        free(b.data);
        return NULL;
    }
    kl_text_add(head, "{\"body\": ");
    kl_text_json(head, s->body);
    kl_text_add(head,
                ", \"nodes\": %d, \"triangles\": %d, \"lines\": %d, \"modes\": %d, \"of\": %d, "
                "\"no_room\": %s, \"damaged\": %s, \"span\": %.9g, \"scale\": [",
                k->nnode, k->ntriangle, k->nline, s->kept, s->n, s->no_room ? "true" : "false",
                s->damage ? "true" : "false", s->span);
    for (int i = 0; i < k->nnode; i++)
        put_float(&b, k->x[i].x), put_float(&b, k->x[i].y), put_float(&b, k->x[i].z);
    for (int i = 0; i < 3 * k->ntriangle; i++) put(&b, (uint32_t)k->triangle[i], 4);
    for (int i = 0; i < 2 * k->nline; i++) put(&b, (uint32_t)k->line[i], 4);
    for (int i = 0; s->damage && i < k->nnode; i++) put_float(&b, (double)s->damage[i]);
    put_modes(&b, s, &r, 3, head);
    kl_text_add(head, "], \"stress\": ");
    kl_text_add(head, s->stress ? "[" : "null");
    if (s->stress) put_modes(&b, s, &r, 6, head);
    kl_text_add(head, s->stress ? "]}" : "}");
    kl_skin_points_free(&r);
    *size = b.n;
    return b.data;
}
