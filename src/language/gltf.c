/* Khronos glTF 2.0: chunks of a .glb (section 4), accessors (3.6.2), meshes (3.7), nodes (3.5). */
#include "language/gltf.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/number.h"
#include "base/rotation.h"
#include "language/doc.h"

enum { MOST_TRIANGLES = 2000000, MOST_NODES = 100000, DEEPEST = 64 };
enum { BYTES = 5121, SHORTS = 5123, INTS = 5125, FLOATS = 5126, TRIANGLES = 4 };

typedef struct reading {
    const char          *name;
    kl_arena            *arena;
    kl_diag             *diag;
    kl_place             place;
    double               scale;
    kl_triangles        *out;
    int                  cap_vertex, cap_triangle, nodes;
    const kl_node       *root;
    const unsigned char *data; /* of buffer 0 */
    size_t               size;
} reading;

/* A node's place: x -> A x + r; A may stretch. */
typedef struct pose {
    kl_mat3 A;
    kl_vec3 r;
} pose;

static kl_status report_fault(const reading *g, const char *what)
{
    return kl_fail(g->diag, KL_E_SYNTAX, g->place, "%s: %s", g->name, what);
}

/* ---- the description ---- */

/* Item `index` of the list `key`. */
static const kl_node *item(const reading *g, const char *key, double index)
{
    const kl_node *list = kl_node_get(g->root, key);
    if (!list || list->kind != KL_LIST || !(index >= 0.0 && index < list->size)) return NULL;
    const kl_node *c = list->first;
    for (int i = (int)index; c && i > 0; i--) c = c->next;
    return c;
}

/* ---- numbers ---- */

typedef struct view {
    const unsigned char *at;
    size_t               stride;
    int                  count, component;
} view;

static size_t component_size(int component)
{
    return component == BYTES ? 1 : component == SHORTS ? 2 : 4;
}

/* The accessor of that number with `parts` components an element, all within the buffer. */
static kl_status open_view(const reading *g, double index, int parts, view *v)
{
    const kl_node *a = item(g, "accessors", index);
    const kl_node *b = a ? item(g, "bufferViews", kl_node_entry(a, "bufferView", -1.0)) : NULL;
    if (!a || !b || kl_node_get(a, "sparse"))
        return report_fault(g, "an accessor has no uncompressed data");
    double count = kl_node_entry(a, "count", 0.0),
           from  = kl_node_entry(a, "byteOffset", 0.0) + kl_node_entry(b, "byteOffset", 0.0);
    v->component = (int)kl_node_entry(a, "componentType", 0.0);
    if (v->component != BYTES && v->component != SHORTS && v->component != INTS &&
        v->component != FLOATS)
        return report_fault(g, "it contains an unknown number type");
    size_t one    = (size_t)parts * component_size(v->component);
    double stride = kl_node_entry(b, "byteStride", (double)one);
    if (kl_node_entry(b, "buffer", 0.0) != 0.0)
        return report_fault(g, "it has more than one buffer");
    if (!(count >= 1.0 && count <= 3.0 * MOST_TRIANGLES) || !(from >= 0.0) ||
        !(stride >= (double)one) ||
        !(from + stride * (count - 1.0) + (double)one <= (double)g->size))
        return report_fault(g, "it is truncated: data lies outside the file");
    v->at     = g->data + (size_t)from;
    v->stride = (size_t)stride;
    v->count  = (int)count;
    return KL_OK;
}

static uint32_t unsigned_at(const unsigned char *p, size_t size)
{
    uint32_t value = 0;
    for (size_t k = 0; k < size; k++) value |= (uint32_t)p[k] << (8 * k);
    return value;
}

static double float_at(const unsigned char *p)
{
    uint32_t bits = unsigned_at(p, 4);
    float    value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* ---- meshes ---- */

static kl_status add_vertex(reading *g, kl_vec3 x)
{
    kl_triangles *s = g->out;
    if (!kl_arena_grow(g->arena, (void **)&s->vertex, s->nvertex, &g->cap_vertex,
                       3 * sizeof *s->vertex))
        return KL_E_MEMORY;
    if (!kl_finite(x)) return report_fault(g, "a coordinate is not a number");
    float *v = s->vertex + 3 * s->nvertex++;
    v[0]     = (float)(g->scale * x.x); /* y up becomes z up */
    v[1]     = (float)(-g->scale * x.z);
    v[2]     = (float)(g->scale * x.y);
    return KL_OK;
}

static kl_status add_triangle(reading *g, int a, int b, int c)
{
    kl_triangles *s = g->out;
    if (s->ntriangle >= MOST_TRIANGLES) return report_fault(g, "more than two million triangles");
    if (!kl_arena_grow(g->arena, (void **)&s->triangle, s->ntriangle, &g->cap_triangle,
                       3 * sizeof *s->triangle))
        return KL_E_MEMORY;
    int *t = s->triangle + 3 * s->ntriangle++;
    t[0] = a, t[1] = b, t[2] = c;
    return KL_OK;
}

/* Triangles of a primitive: three indices each, or without indices three consecutive vertices.
 * `first` is the number of its first vertex in the whole drawing. */
static kl_status add_corners(reading *g, const kl_node *primitive, int first, int count)
{
    const kl_node *n = kl_node_get(primitive, "indices");
    view           v = {0};
    if (!n) {
        for (int i = 0; i + 2 < count; i += 3)
            KL_TRY(add_triangle(g, first + i, first + i + 1, first + i + 2));
        return KL_OK;
    }
    KL_TRY(open_view(g, kl_node_number(n, -1.0), 1, &v));
    if (v.component == FLOATS) return report_fault(g, "its vertex indices are not integers");
    int corner[3], k = 0;
    for (int i = 0; i < v.count; i++) {
        uint32_t at = unsigned_at(v.at + (size_t)i * v.stride, component_size(v.component));
        if (at >= (uint32_t)count)
            return report_fault(g, "a triangle refers to a vertex that does not exist");
        corner[k++] = first + (int)at;
        if (k == 3) KL_TRY(add_triangle(g, corner[0], corner[1], corner[2]));
        k %= 3;
    }
    return KL_OK;
}

static kl_status add_primitive(reading *g, const kl_node *primitive, const pose *at)
{
    view           v;
    const kl_node *attributes = kl_node_get(primitive, "attributes");
    int            first      = g->out->nvertex;
    if (kl_node_entry(primitive, "mode", TRIANGLES) != TRIANGLES) return KL_OK; /* lines, points */
    KL_TRY(open_view(g, kl_node_entry(attributes, "POSITION", -1.0), 3, &v));
    if (v.component != FLOATS)
        return report_fault(g, "its positions are compressed; save it without compression");
    for (int i = 0; i < v.count; i++) {
        const unsigned char *p = v.at + (size_t)i * v.stride;
        kl_vec3              x = kl_vec(float_at(p), float_at(p + 4), float_at(p + 8));
        KL_TRY(add_vertex(g, kl_add(at->r, kl_mul(&at->A, x))));
    }
    return add_corners(g, primitive, first, v.count);
}

/* ---- nodes ---- */

static pose pose_of(const kl_node *node)
{
    double m[16], r[3] = {0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    pose   p;
    if (kl_node_numbers(kl_node_get(node, "matrix"), m, 16) == 16) { /* column by column */
        p.A = kl_from_axes(kl_load(m), kl_load(m + 4), kl_load(m + 8));
        p.r = kl_load(m + 12);
        return p;
    }
    kl_node_numbers(kl_node_get(node, "translation"), r, 3);
    kl_node_numbers(kl_node_get(node, "rotation"), q, 4); /* x, y, z, w */
    kl_node_numbers(kl_node_get(node, "scale"), s, 3);
    double e[4] = {q[3], q[0], q[1], q[2]};
    kl_quat_normalize(e);
    kl_mat3 A = kl_quat_matrix(e);
    p.A       = kl_from_axes(kl_scale(s[0], kl_axis(&A, 0)), kl_scale(s[1], kl_axis(&A, 1)),
                             kl_scale(s[2], kl_axis(&A, 2)));
    p.r       = kl_load(r);
    return p;
}

static kl_status add_node(reading *g, double index, const pose *parent, int depth)
{
    const kl_node *node = item(g, "nodes", index);
    if (!node) return report_fault(g, "it refers to a node that does not exist");
    /* A tree visits each node once; a file whose nodes refer back to their parents would never
     * end. */
    if (depth > DEEPEST || ++g->nodes > MOST_NODES)
        return report_fault(g, "its nodes form a cycle");
    pose own = pose_of(node);
    /* x_parent = r + A x: poses multiply from the root of the scene to the leaves. */
    pose at = {.A = kl_matmul(&parent->A, &own.A),
               .r = kl_add(parent->r, kl_mul(&parent->A, own.r))};
    if (kl_node_get(node, "mesh")) {
        const kl_node *mesh = item(g, "meshes", kl_node_entry(node, "mesh", -1.0));
        const kl_node *list = kl_node_get(mesh, "primitives");
        for (const kl_node *p = list ? list->first : NULL; p; p = p->next)
            KL_TRY(add_primitive(g, p, &at));
    }
    const kl_node *children = kl_node_get(node, "children");
    for (const kl_node *c = children ? children->first : NULL; c; c = c->next)
        KL_TRY(add_node(g, kl_node_number(c, -1.0), &at, depth + 1));
    return KL_OK;
}

static kl_status add_scene(reading *g)
{
    pose           here  = {.A = kl_identity(), .r = kl_vec(0, 0, 0)};
    const kl_node *scene = item(g, "scenes", kl_node_entry(g->root, "scene", 0.0));
    const kl_node *roots = kl_node_get(scene, "nodes");
    if (!roots) return report_fault(g, "it has no scene");
    for (const kl_node *c = roots->first; c; c = c->next)
        KL_TRY(add_node(g, kl_node_number(c, -1.0), &here, 0));
    return KL_OK;
}

/* ---- the file ---- */

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The buffer of a .gltf, which must be in the file itself. */
static kl_status read_inline(reading *g)
{
    const kl_node *uri  = kl_node_get(item(g, "buffers", 0.0), "uri");
    const char    *text = uri && uri->kind == KL_SCALAR ? strstr(uri->text, ";base64,") : NULL;
    if (!text || strncmp(uri->text, "data:", 5) != 0)
        return report_fault(g, "its data is in another file; save it as one binary file (.glb)");
    text += 8;
    unsigned char *data = kl_arena_array(g->arena, unsigned char, strlen(text) + 4);
    uint32_t       bits = 0;
    int            have = 0;
    if (!data) return KL_E_MEMORY;
    for (; *text && *text != '='; text++) {
        int digit = base64_digit(*text);
        if (digit < 0) return report_fault(g, "its base64 text is damaged");
        bits = bits << 6 | (uint32_t)digit;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        data[g->size++] = (unsigned char)(bits >> have);
    }
    g->data = data;
    return KL_OK;
}

/* Finds the two chunks of a .glb. */
static kl_status split(reading *g, const unsigned char *bytes, size_t n, const char **json,
                       size_t *length)
{
    if (n < 20 || memcmp(bytes, "glTF", 4) != 0) return report_fault(g, "this is not a glTF file");
    if (unsigned_at(bytes + 4, 4) != 2) return report_fault(g, "only version 2 of glTF is read");
    size_t first = unsigned_at(bytes + 12, 4);
    if (first > n - 20) return report_fault(g, "it is truncated");
    *json   = (const char *)bytes + 20;
    *length = first;
    if (n - 20 - first < 8) return KL_OK; /* no numbers: it will be missed later */
    size_t second = unsigned_at(bytes + 20 + first, 4);
    if (second > n - 28 - first) return report_fault(g, "it is truncated");
    g->data = bytes + 28 + first;
    g->size = second;
    return KL_OK;
}

kl_status kl_gltf_parse(const char *name, const char *bytes, size_t n, double scale,
                        kl_arena *arena, kl_place place, kl_diag *diag, kl_triangles *out)
{
    reading g = {
        .name = name, .arena = arena, .diag = diag, .place = place, .scale = scale, .out = out};
    const char *json   = bytes;
    size_t      length = n;
    kl_node    *root   = NULL;
    /* .glb: a JSON chunk and a binary chunk in one file; .gltf: JSON with its data in base64. */
    bool   binary = n >= 4 && memcmp(bytes, "glTF", 4) == 0;
    size_t dot    = strlen(name);
    *out          = (kl_triangles){0};
    if (!binary && dot > 4 && strcmp(name + dot - 4, ".glb") == 0)
        return report_fault(&g, "this is not a glTF file");
    if (binary) KL_TRY(split(&g, (const unsigned char *)bytes, n, &json, &length));
    if (kl_doc_parse(json, length, name, arena, NULL, &root) != KL_OK || !root)
        return report_fault(&g, "its JSON description cannot be read");
    g.root = root;
    if (!binary) KL_TRY(read_inline(&g));
    KL_TRY(add_scene(&g));
    if (out->ntriangle == 0) return report_fault(&g, "it contains no triangles");
    return KL_OK;
}
