/* Binary glTF 2.0: a JSON chunk that describes, a chunk of bytes that holds the numbers.
 *
 * glTF has y up and metres; a root node turns the model's "up" there. Every body is a node with a
 * mesh (one primitive a colour would cost much: colours are at the vertices) and two channels of
 * the one animation: translation, rotation (x, y, z, w; the shorter way, so that linear
 * interpolation on the sphere does not turn round). The surface of a flexible body has a morph
 * target a mode, and its modal coordinates are the weights that the animation moves. Format: Khronos glTF 2.0, sections 3 to 5. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "base/text.h"
#include "post/motion_file.h"

typedef struct glb {
    const kl_solids *s;
    const kl_frames *frames;
    int              nframe;
    unsigned char   *data; /* the bytes */
    size_t           n, cap;
    bool             failed;
    kl_text          views, accessors;
    int              nview, naccessor;
    size_t           stride; /* numbers of a frame: 7 a body, then modal coordinates */
} glb;

static void put(glb *g, const void *bytes, size_t n)
{
    if (g->n + n + 8 > g->cap) {
        size_t         cap  = 2 * (g->n + n) + 4096;
        unsigned char *data = realloc(g->data, cap);
        if (!data) {
            g->failed = true;
            return;
        }
        g->data = data;
        g->cap  = cap;
    }
    memcpy(g->data + g->n, bytes, n);
    g->n += n;
}

static void put_u32(glb *g, uint32_t v)
{
    unsigned char b[4];
    for (int k = 0; k < 4; k++) b[k] = (unsigned char)(v >> (8 * k));
    put(g, b, 4);
}

static void put_float(glb *g, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_u32(g, bits);
}

/* What was put since `start` becomes a view; its accessor's number comes back. */
static int accessor(glb *g, size_t start, int target, const char *type, int component, int count,
                    const float *low, const float *high, int n)
{
    kl_text_add(&g->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu",
                g->nview ? "," : "", start, g->n - start);
    if (target) kl_text_add(&g->views, ",\"target\":%d", target);
    kl_text_add(&g->views, "}");
    kl_text_add(&g->accessors,
                "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"",
                g->naccessor ? "," : "", g->nview++, component, count, type);
    if (component == 5121) kl_text_add(&g->accessors, ",\"normalized\":true");
    for (int side = 0; low && side < 2; side++) {
        kl_text_add(&g->accessors, side ? ",\"max\":[" : ",\"min\":[");
        for (int k = 0; k < n; k++)
            kl_text_add(&g->accessors, "%s%.9g", k ? "," : "", (double)(side ? high : low)[k]);
        kl_text_add(&g->accessors, "]");
    }
    kl_text_add(&g->accessors, "}");
    return g->naccessor++;
}

enum { FLOATS = 5126, BYTES = 5121, WHOLE = 5125, VERTICES = 34962, INDICES = 34963 };

/* Vectors of all vertices, with the bounds that positions must have. */
static int put_vectors(glb *g, const float *v, int n)
{
    float low[3]  = {HUGE_VALF, HUGE_VALF, HUGE_VALF},
          high[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    size_t start  = g->n;
    for (int i = 0; i < 3 * n; i++) {
        low[i % 3]  = fminf(low[i % 3], v[i]);
        high[i % 3] = fmaxf(high[i % 3], v[i]);
        put_float(g, v[i]);
    }
    return accessor(g, start, VERTICES, "VEC3", FLOATS, n, low, high, 3);
}

static void put_colour(glb *g, const unsigned char *ink)
{
    unsigned char c[4] = {0, 0, 0, 255};
    for (int k = 0; k < 3; k++) /* colours of glTF are linear */
        c[k] = (unsigned char)lround(255.0 * pow((double)ink[k] / 255.0, 2.2));
    put(g, c, 4);
}

/* Means of the normals around each vertex, weighted by area. */
static void smooth_normals(const kl_solid *s, float *out)
{
    for (int t = 0; t < s->ntriangle; t++) {
        const int *c = s->triangle + 3 * t;
        kl_vec3    a = s->vertex[c[0]];
        kl_vec3    n = kl_cross(kl_sub(s->vertex[c[1]], a), kl_sub(s->vertex[c[2]], a));
        for (int k = 0; k < 3; k++) {
            float *sum = out + 3 * c[k];
            sum[0] += (float)n.x, sum[1] += (float)n.y, sum[2] += (float)n.z;
        }
    }
    for (int i = 0; i < s->nvertex; i++) {
        float *v = out + 3 * i, l = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int k = 0; k < 3; k++) v[k] = l > 0.0F ? v[k] / l : k == 2 ? 1.0F : 0.0F;
    }
}

/* A surface that deforms: vertices are shared, a target a mode. */
static void add_soft_mesh(glb *g, kl_text *meshes, const kl_solid *s)
{
    float *v = calloc(3 * (size_t)s->nvertex + 1, sizeof *v);
    if (!v) {
        g->failed = true;
        return;
    }
    for (int i = 0; i < s->nvertex; i++)
        for (int k = 0; k < 3; k++) {
            double x[3];
            kl_store(x, s->vertex[i]);
            v[3 * i + k] = (float)x[k];
        }
    int position = put_vectors(g, v, s->nvertex);
    memset(v, 0, 3 * (size_t)s->nvertex * sizeof *v);
    smooth_normals(s, v);
    int normal = put_vectors(g, v, s->nvertex);
    free(v);
    size_t start = g->n;
    for (int i = 0; i < s->nvertex; i++) put_colour(g, s->color);
    int colour = accessor(g, start, VERTICES, "VEC4", BYTES, s->nvertex, NULL, NULL, 0);
    start      = g->n;
    for (int i = 0; i < 3 * s->ntriangle; i++) put_u32(g, (uint32_t)s->triangle[i]);
    int corners = accessor(g, start, INDICES, "SCALAR", WHOLE, 3 * s->ntriangle, NULL, NULL, 0);
    kl_text_add(meshes,
                ",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"COLOR_0\":%d},"
                "\"indices\":%d,\"material\":0,\"targets\":[",
                position, normal, colour, corners);
    for (int j = 0; j < s->nmode; j++)
        kl_text_add(meshes, "%s{\"POSITION\":%d}", j ? "," : "",
                    put_vectors(g, s->mode + 3 * (size_t)j * (size_t)s->nvertex, s->nvertex));
    kl_text_add(meshes, "]}],\"weights\":[");
    for (int j = 0; j < s->nmode; j++) kl_text_add(meshes, j ? ",0" : "0");
    kl_text_add(meshes, "]}");
}

/* Corners of a triangle get vertices of their own: then each has its face's normal and colour. */
static void add_stiff_mesh(glb *g, kl_text *meshes, const kl_solid *s)
{
    float low[3]  = {HUGE_VALF, HUGE_VALF, HUGE_VALF},
          high[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    size_t start  = g->n;
    int    n      = 3 * s->ntriangle;
    for (int i = 0; i < n; i++) {
        kl_vec3 v    = s->vertex[s->triangle[i]];
        float   x[3] = {(float)v.x, (float)v.y, (float)v.z};
        for (int k = 0; k < 3; k++) {
            low[k]  = fminf(low[k], x[k]);
            high[k] = fmaxf(high[k], x[k]);
            put_float(g, x[k]);
        }
    }
    int position = accessor(g, start, VERTICES, "VEC3", FLOATS, n, low, high, 3);
    start        = g->n;
    for (int t = 0; t < s->ntriangle; t++) {
        const int *c  = s->triangle + 3 * t;
        kl_vec3    a  = s->vertex[c[0]];
        kl_vec3    nn = kl_cross(kl_sub(s->vertex[c[1]], a), kl_sub(s->vertex[c[2]], a));
        double     l  = kl_norm(nn);
        nn            = l > 0.0 ? kl_scale(1.0 / l, nn) : kl_vec(0, 0, 1);
        for (int k = 0; k < 3; k++)
            put_float(g, (float)nn.x), put_float(g, (float)nn.y), put_float(g, (float)nn.z);
    }
    int normal = accessor(g, start, VERTICES, "VEC3", FLOATS, n, NULL, NULL, 0);
    start      = g->n;
    for (int i = 0; i < n; i++) put_colour(g, s->ink + 3 * (i / 3));
    int colour = accessor(g, start, VERTICES, "VEC4", BYTES, n, NULL, NULL, 0);
    kl_text_add(meshes,
                ",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"COLOR_0\":%d},"
                "\"material\":0}]}",
                position, normal, colour);
}

static void add_mesh(glb *g, kl_text *meshes, const kl_solid *s, bool first)
{
    kl_text_add(meshes, "%s{\"name\":", first ? "" : ",");
    kl_text_json(meshes, s->name);
    if (s->nmode) add_soft_mesh(g, meshes, s);
    else add_stiff_mesh(g, meshes, s);
}

/* ---- animation ---- */

/* Values of every frame: 7 of each body, then the modal coordinates of each. */
static kl_status read_poses(const glb *g, double *poses)
{
    double *row = malloc(((size_t)kl_solids_row_size(g->frames->reader) + 1) * sizeof *row);
    if (!row) return KL_E_MEMORY;
    kl_status status = KL_OK;
    for (int k = 0; k < g->nframe && status == KL_OK; k++) {
        status = kl_frames_row(g->frames, k, row);
        for (int i = 0; i < g->s->n && status == KL_OK; i++) {
            double *out = poses + (size_t)k * g->stride + 7 * (size_t)i;
            kl_vec3 r;
            kl_solid_pose(&g->s->list[i], row, &r, out + 3);
            kl_store(out, r);
            double dot = 0.0;
            for (int j = 3; j < 7 && k > 0; j++) dot += out[j] * *(out + j - g->stride);
            for (int j = 3; j < 7 && dot < 0.0; j++) out[j] = -out[j];
        }
        double *w = poses + (size_t)k * g->stride + 7 * (size_t)g->s->n;
        for (int i = 0; i < g->s->n && status == KL_OK; i++)
            for (int j = 0; j < g->s->list[i].nmode; j++) {
                double v = row[g->s->list[i].modal[j]];
                *w++     = isfinite(v) ? v : 0.0;
            }
    }
    free(row);
    return status;
}

static int put_times(glb *g)
{
    size_t start = g->n;
    float  low = HUGE_VALF, high = -HUGE_VALF, last = -1.0F;
    for (int k = 0; k < g->nframe; k++) {
        int   row = g->frames->row0 + k * g->frames->every;
        float t   = (float)(g->frames->time[row] - g->frames->time[g->frames->row0]);
        if (!(t > last)) t = nextafterf(last, HUGE_VALF); /* strictly ascending */
        if (k == 0) t = 0.0F;
        last = t;
        low  = fminf(low, t);
        high = fmaxf(high, t);
        put_float(g, t);
    }
    return accessor(g, start, 0, "SCALAR", FLOATS, g->nframe, &low, &high, 1);
}

/* One channel of the animation: node and what of it moves, with `size` numbers a frame. */
typedef struct track {
    int         node, size;
    const char *path, *type;
    size_t      from;  /* first number within a frame */
    const int  *order; /* of the numbers; NULL: as they stand */
} track;

static void add_track(glb *g, const double *poses, int times, const track *k, kl_text *samplers,
                      kl_text *channels, int *n)
{
    size_t start = g->n;
    int    count = g->nframe * (strcmp(k->type, "SCALAR") == 0 ? k->size : 1);
    for (int i = 0; i < g->nframe; i++) {
        const double *q = poses + (size_t)i * g->stride + k->from;
        for (int j = 0; j < k->size; j++) put_float(g, (float)q[k->order ? k->order[j] : j]);
    }
    int out = accessor(g, start, 0, k->type, FLOATS, count, NULL, NULL, 0);
    kl_text_add(samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}",
                *n ? "," : "", times, out);
    kl_text_add(channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                *n ? "," : "", *n, k->node, k->path);
    ++*n;
}

static void add_tracks(glb *g, const double *poses, kl_text *samplers, kl_text *channels)
{
    static const int xyzw[4] = {1, 2, 3, 0};
    int              times = put_times(g), n = 0;
    size_t           modal = 7 * (size_t)g->s->n;
    for (int i = 0; i < g->s->n; i++) {
        const kl_solid *s       = &g->s->list[i];
        const track     kinds[] = {{i + 1, 3, "translation", "VEC3", 7 * (size_t)i, NULL},
                                   {i + 1, 4, "rotation", "VEC4", 7 * (size_t)i + 3, xyzw},
                                   {i + 1, s->nmode, "weights", "SCALAR", modal, NULL}};
        for (int k = 0; k < 3; k++)
            if (k == 2 ? s->nmode > 0 : s->channel[0] >= 0)
                add_track(g, poses, times, &kinds[k], samplers, channels, &n);
        modal += (size_t)s->nmode;
    }
}

/* ---- the file ---- */

static void add_nodes(kl_text *nodes, const glb *g, const double *poses)
{
    /* the shortest turn from the model's "up" to y */
    kl_vec3 up = g->s->up, axis = kl_cross(up, kl_vec(0, 1, 0));
    double  w = 1.0 + up.y, n = sqrt(w * w + kl_dot(axis, axis));
    if (n < 1e-9) axis = kl_vec(1, 0, 0), w = 0.0, n = 1.0;
    kl_text_add(nodes, "{\"name\":\"model\",\"rotation\":[%.9g,%.9g,%.9g,%.9g],\"children\":[",
                axis.x / n, axis.y / n, axis.z / n, w / n);
    for (int i = 0; i < g->s->n; i++) kl_text_add(nodes, "%s%d", i ? "," : "", i + 1);
    kl_text_add(nodes, "]}");
    for (int i = 0; i < g->s->n; i++) {
        const double *p = poses + 7 * (size_t)i;
        kl_text_add(nodes, ",{\"name\":");
        kl_text_json(nodes, g->s->list[i].name);
        kl_text_add(nodes,
                    ",\"mesh\":%d,\"translation\":[%.9g,%.9g,%.9g],\"rotation\":[%.9g,%.9g,%.9g,"
                    "%.9g]}",
                    i, p[0], p[1], p[2], p[4], p[5], p[6], p[3]);
    }
}

static void write_u32(FILE *f, size_t v)
{
    for (int k = 0; k < 4; k++) fputc((int)(v >> (8 * k) & 255), f);
}

static kl_status write_chunks(FILE *f, glb *g, kl_text *json)
{
    while (json->n % 4) kl_text_add(json, " ");
    while (g->n % 4) put(g, "", 1);
    if (json->failed || g->failed) return KL_E_MEMORY;
    size_t total = 12 + 8 + json->n + 8 + g->n;
    if (total > UINT32_MAX) return KL_E_RANGE;
    write_u32(f, 0x46546C67); /* "glTF" */
    write_u32(f, 2);
    write_u32(f, total);
    write_u32(f, json->n);
    write_u32(f, 0x4E4F534A); /* "JSON" */
    fwrite(json->data, 1, json->n, f);
    write_u32(f, g->n);
    write_u32(f, 0x004E4942); /* "BIN" */
    fwrite(g->data, 1, g->n, f);
    return ferror(f) ? KL_E_FILE : KL_OK;
}

static kl_status compose(FILE *f, glb *g, const double *poses, const char *title)
{
    kl_text json = {0}, meshes = {0}, nodes = {0}, samplers = {0}, channels = {0};
    for (int i = 0; i < g->s->n; i++) add_mesh(g, &meshes, &g->s->list[i], i == 0);
    if (g->nframe > 1) add_tracks(g, poses, &samplers, &channels);
    add_nodes(&nodes, g, poses);
    bool failed = meshes.failed || nodes.failed || samplers.failed || channels.failed ||
                  g->views.failed || g->accessors.failed;
    kl_text_add(&json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"klingel " KL_VERSION
                       "\"},\"scene\":0,\"scenes\":[{\"name\":");
    kl_text_json(&json, title);
    kl_text_add(&json, ",\"nodes\":[0]}],\"nodes\":[%s],\"meshes\":[%s],", nodes.data, meshes.data);
    if (samplers.n)
        kl_text_add(&json,
                    "\"animations\":[{\"name\":\"motion\",\"samplers\":[%s],\"channels\":[%s]}],",
                    samplers.data, channels.data);
    kl_text_add(&json,
                "\"materials\":[{\"name\":\"body\",\"doubleSided\":true,\"pbrMetallicRoughness\":"
                "{\"metallicFactor\":0.1,\"roughnessFactor\":0.6}}],"
                "\"accessors\":[%s],\"bufferViews\":[%s],\"buffers\":[{\"byteLength\":%zu}]}",
                g->accessors.data, g->views.data, g->n);
    kl_status status = failed ? KL_E_MEMORY : write_chunks(f, g, &json);
    kl_text_free(&json);
    kl_text_free(&meshes);
    kl_text_free(&nodes);
    kl_text_free(&samplers);
    kl_text_free(&channels);
    return status;
}

kl_status kl_glb_write(FILE *f, const kl_solids *s, const kl_frames *frames, const char *title)
{
    glb g    = {.s = s, .frames = frames, .nframe = kl_frames_count(frames)};
    g.stride = 7 * (size_t)s->n;
    for (int i = 0; i < s->n; i++) g.stride += (size_t)s->list[i].nmode;
    double *poses = calloc(g.stride * ((size_t)g.nframe + 1), sizeof *poses);
    if (!poses) return KL_E_MEMORY;
    kl_status status = read_poses(&g, poses);
    if (status == KL_OK) status = compose(f, &g, poses, title && *title ? title : "klingel");
    kl_text_free(&g.views);
    kl_text_free(&g.accessors);
    free(g.data);
    free(poses);
    return status;
}
