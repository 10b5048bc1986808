/* STL: 80 bytes, a count, then 50 bytes a triangle (little endian), or text `vertex x y z` between
 * `facet` and `endfacet`. OBJ: `v x y z`, `f a b c ...` with indices from 1, negative from the end.
 */
#include "language/triangles.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "language/gltf.h"

enum { MOST_TRIANGLES = 2000000, MOST_BYTES = 256 << 20 };

typedef struct reading {
    const char   *name;
    kl_arena     *arena;
    kl_diag      *diag;
    kl_place      place;
    double        scale;
    kl_triangles *out;
    int           cap_vertex, cap_triangle;
    int          *slots; /* hash of vertices, -1: free */
    int           nslot;
} reading;

static kl_status report_fault(const reading *r, const char *what)
{
    return kl_fail(r->diag, KL_E_SYNTAX, r->place, "%s: %s", r->name, what);
}

/* ---- vertices and triangles ---- */

static kl_status add_vertex(reading *r, const float v[3], int *index)
{
    kl_triangles *s    = r->out;
    float        *room = kl_arena_grow(r->arena, (void **)&s->vertex, s->nvertex, &r->cap_vertex,
                                       3 * sizeof *s->vertex);
    if (!room) return KL_E_MEMORY;
    for (int k = 0; k < 3; k++) {
        if (!isfinite(v[k])) return report_fault(r, "a coordinate is not a number");
        s->vertex[3 * s->nvertex + k] = (float)(r->scale * (double)v[k]);
    }
    *index = s->nvertex++;
    return KL_OK;
}

static uint32_t hash_of(const float v[3])
{
    uint32_t h = 2166136261u, bits;
    for (int k = 0; k < 3; k++) {
        float x = v[k] + 0.0f; /* -0 is 0 */
        memcpy(&bits, &x, sizeof bits);
        h = (h ^ bits) * 16777619u;
        h ^= h >> 15;
    }
    return h;
}

/* The number of an equal vertex, or of a new one. */
static kl_status find_vertex(reading *r, const float v[3], int *index)
{
    float    scaled[3] = {(float)(r->scale * (double)v[0]), (float)(r->scale * (double)v[1]),
                          (float)(r->scale * (double)v[2])};
    uint32_t slot      = hash_of(scaled) % (uint32_t)r->nslot;
    for (; r->slots[slot] >= 0; slot = (slot + 1) % (uint32_t)r->nslot) {
        const float *o = r->out->vertex + 3 * r->slots[slot];
        if (o[0] == scaled[0] && o[1] == scaled[1] && o[2] == scaled[2]) {
            *index = r->slots[slot];
            return KL_OK;
        }
    }
    KL_TRY(add_vertex(r, v, index));
    r->slots[slot] = *index;
    return KL_OK;
}

static kl_status add_triangle(reading *r, const int corner[3])
{
    kl_triangles *s = r->out;
    int *room       = kl_arena_grow(r->arena, (void **)&s->triangle, s->ntriangle, &r->cap_triangle,
                                    3 * sizeof *s->triangle);
    if (!room) return KL_E_MEMORY;
    if (s->ntriangle >= MOST_TRIANGLES)
        return report_fault(r, "it has more than two million triangles; use a coarser mesh");
    memcpy(s->triangle + 3 * s->ntriangle++, corner, 3 * sizeof *corner);
    return KL_OK;
}

static kl_status make_slots(reading *r, int ncorner)
{
    r->nslot = 2 * ncorner + 17;
    r->slots = malloc((size_t)r->nslot * sizeof *r->slots);
    if (!r->slots) return KL_E_MEMORY;
    for (int i = 0; i < r->nslot; i++) r->slots[i] = -1;
    return KL_OK;
}

/* ---- STL ---- */

static uint32_t word_at(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static kl_status read_binary_stl(reading *r, const unsigned char *p, uint32_t n)
{
    if (n > MOST_TRIANGLES)
        return report_fault(r, "it has more than two million triangles; use a coarser mesh");
    KL_TRY(make_slots(r, 3 * (int)n));
    for (uint32_t i = 0; i < n; i++) {
        const unsigned char *facet = p + 84 + 50 * (size_t)i + 12; /* behind the normal */
        int                  corner[3];
        for (int k = 0; k < 3; k++) {
            float v[3];
            for (int c = 0; c < 3; c++) {
                uint32_t bits = word_at(facet + 12 * k + 4 * c);
                memcpy(&v[c], &bits, sizeof bits);
            }
            KL_TRY(find_vertex(r, v, &corner[k]));
        }
        KL_TRY(add_triangle(r, corner));
    }
    return KL_OK;
}

/* The next three numbers; false when there are none. Moves the text on. */
static bool three(const char **text, float v[3])
{
    for (int k = 0; k < 3; k++) {
        char *end;
        v[k] = strtof(*text, &end);
        if (end == *text) return false;
        *text = end;
    }
    return true;
}

/* Only the lines "vertex x y z" matter; three of them are a triangle. Equal corners become
 * one vertex, found through a hash table, which the triangles share. */
static kl_status read_text_stl(reading *r, const char *text)
{
    int corner[3], k = 0, count = 0;
    for (const char *p = text; (p = strstr(p, "vertex")) != NULL; p += 6) count++;
    if (count / 3 > MOST_TRIANGLES)
        return report_fault(r, "it has more than two million triangles; use a coarser mesh");
    KL_TRY(make_slots(r, count));
    for (const char *p = text; (p = strstr(p, "vertex")) != NULL;) {
        float v[3];
        p += 6;
        if (!three(&p, v)) return report_fault(r, "a `vertex` line does not have three numbers");
        KL_TRY(find_vertex(r, v, &corner[k]));
        k = (k + 1) % 3;
        if (k == 0) KL_TRY(add_triangle(r, corner));
    }
    return k == 0 ? KL_OK : report_fault(r, "it ends inside a triangle");
}

static kl_status read_stl(reading *r, const char *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    /* binary files may begin with "solid" too: their length decides */
    if (n >= 84 && n == 84 + 50 * (size_t)word_at(p + 80))
        return read_binary_stl(r, p, word_at(p + 80));
    if (n >= 5 && memcmp(bytes, "solid", 5) == 0) return read_text_stl(r, bytes);
    return report_fault(r, "it is neither a text nor a whole binary STL file");
}

/* ---- OBJ ---- */

static kl_status read_face(reading *r, const char *p)
{
    int corner[3], k = 0;
    for (;; k++) {
        char *end;
        long  index = strtol(p, &end, 10);
        if (end == p) break;
        if (index < 0) index += r->out->nvertex + 1;
        if (index < 1 || index > r->out->nvertex)
            return report_fault(r, "a face refers to a vertex that does not exist");
        corner[k < 2 ? k : 2] = (int)index - 1;
        if (k >= 2) {
            KL_TRY(add_triangle(r, corner));
            corner[1] = corner[2];
        }
        for (p = end; *p && !strchr(" \t\r\n", *p);) p++; /* /texture/normal */
    }
    return k >= 3 ? KL_OK : report_fault(r, "a face has fewer than three vertices");
}

static kl_status read_obj(reading *r, const char *text)
{
    for (const char *line = text; *line;) {
        const char *p = line + 2;
        float       v[3];
        int         index;
        if (line[0] == 'v' && (line[1] == ' ' || line[1] == '\t')) {
            if (!three(&p, v)) return report_fault(r, "a `v` line does not have three numbers");
            KL_TRY(add_vertex(r, v, &index));
        } else if (line[0] == 'f' && (line[1] == ' ' || line[1] == '\t')) KL_TRY(read_face(r, p));
        line += strcspn(line, "\n");
        if (*line) line++;
    }
    return KL_OK;
}

/* ---- files ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    if (n < k) return false;
    for (size_t i = 0; i < k; i++)
        if ((text[n - k + i] | 0x20) != end[i]) return false;
    return true;
}

kl_status kl_triangles_parse(const char *name, const char *bytes, size_t n, double scale,
                             kl_arena *arena, kl_place place, kl_diag *diag, kl_triangles *out)
{
    reading r = {
        .name = name, .arena = arena, .diag = diag, .place = place, .scale = scale, .out = out};
    *out = (kl_triangles){0};
    kl_status status;
    if (ends_with(name, ".stl")) status = read_stl(&r, bytes, n);
    else if (ends_with(name, ".obj")) status = read_obj(&r, bytes);
    else if (ends_with(name, ".glb") || ends_with(name, ".gltf"))
        status = kl_gltf_parse(name, bytes, n, scale, arena, place, diag, out);
    else status = report_fault(&r, "only .stl, .obj, .glb and .gltf files can be drawn");
    free(r.slots);
    if (status == KL_OK && out->ntriangle == 0)
        status = report_fault(&r, "it contains no triangles");
    return status;
}

kl_status kl_triangles_read(const char *path, double scale, kl_arena *arena, kl_place place,
                            kl_diag *diag, kl_triangles *out)
{
    FILE *f = kl_file_open(path);
    if (!f)
        return kl_fail(diag, KL_E_FILE, place, "cannot read '%s': %s", path, kl_file_reason(errno));
    long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (size < 0 || size > MOST_BYTES) {
        fclose(f);
        return kl_fail(diag, KL_E_FILE, place, "'%s' is not a regular file of at most 256 MB",
                       path);
    }
    rewind(f);
    char     *bytes  = malloc((size_t)size + 1);
    size_t    n      = bytes ? fread(bytes, 1, (size_t)size, f) : 0;
    kl_status status = KL_E_MEMORY;
    if (bytes) {
        bytes[n] = '\0';
        status   = kl_triangles_parse(path, bytes, n, scale, arena, place, diag, out);
    }
    free(bytes);
    fclose(f);
    return status;
}
