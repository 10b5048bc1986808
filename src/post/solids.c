#include "post/solids.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/rotation.h"
#include "language/doc.h"

enum { ROUND = 20, SMOOTH = 12 }; /* corners of a cylinder, rings of a sphere */

/* Okabe and Ito's colours, toned for surfaces: distinguished by colour-blind people. */
static const unsigned char inks[][3] = {{47, 127, 184}, {224, 160, 51},  {45, 157, 124},
                                        {201, 100, 43}, {124, 184, 221}, {185, 118, 155},
                                        {138, 143, 69}, {111, 123, 138}};

/* ---- numbers of the scene ---- */

static kl_vec3 vector(const kl_node *n)
{
    double v[3] = {0};
    kl_node_numbers(n, v, 3);
    return kl_vec(v[0], v[1], v[2]);
}

static const char *text(const kl_node *map, const char *key)
{
    const kl_node *n = kl_node_get(map, key);
    return n && n->kind == KL_SCALAR ? n->text : "";
}

/* ---- growing a body ---- */

typedef struct maker {
    kl_arena     *arena;
    kl_solid     *s;
    int           vertex_cap, triangle_cap, ink_cap;
    kl_vec3       at; /* of the shape in the body */
    kl_mat3       A;
    unsigned char ink[3];
} maker;

static int add_vertex(maker *m, double x, double y, double z)
{
    void    *data = m->s->vertex;
    kl_vec3 *slot = kl_arena_grow(m->arena, &data, m->s->nvertex, &m->vertex_cap, sizeof *slot);
    m->s->vertex  = data;
    if (!slot) return 0;
    *slot = kl_add(m->at, kl_mul(&m->A, kl_vec(x, y, z)));
    return m->s->nvertex++;
}

static void add_triangle(maker *m, int a, int b, int c)
{
    struct three {
        int i[3];
    } * slot;
    struct rgb {
        unsigned char c[3];
    } * ink;
    void *data = m->s->triangle, *inked = m->s->ink;
    slot = kl_arena_grow(m->arena, &data, m->s->ntriangle, &m->triangle_cap, sizeof *slot);
    ink  = kl_arena_grow(m->arena, &inked, m->s->ntriangle, &m->ink_cap, sizeof *ink);
    m->s->triangle = data;
    m->s->ink      = inked;
    if (!slot || !ink) return;
    *slot = (struct three){{a, b, c}};
    memcpy(ink->c, m->ink, 3);
    m->s->ntriangle++;
}

static void add_quad(maker *m, int a, int b, int c, int d)
{
    add_triangle(m, a, b, c);
    add_triangle(m, a, c, d);
}

static void add_box(maker *m, kl_vec3 size)
{
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int f = 0; f < 6; f++) { /* corners of their own, so that edges stay sharp */
        int v[4];
        for (int k = 0; k < 4; k++) {
            int i = faces[f][k];
            v[k] = add_vertex(m, i & 1 ? size.x / 2 : -size.x / 2, i & 2 ? size.y / 2 : -size.y / 2,
                              i & 4 ? size.z / 2 : -size.z / 2);
        }
        add_quad(m, v[0], v[1], v[2], v[3]);
    }
}

static void ring(maker *m, double radius, double z, int *v)
{
    for (int i = 0; i < ROUND; i++) {
        double a = 6.283185307179586 * i / ROUND;
        v[i]     = add_vertex(m, radius * cos(a), radius * sin(a), z);
    }
}

static void join_rings(maker *m, const int *low, const int *high)
{
    for (int i = 0; i < ROUND; i++) {
        int k = (i + 1) % ROUND;
        add_quad(m, low[i], low[k], high[k], high[i]);
    }
}

static void cap(maker *m, const int *v, double z, bool up)
{
    int middle = add_vertex(m, 0, 0, z);
    for (int i = 0; i < ROUND; i++) {
        int k = (i + 1) % ROUND;
        if (up) add_triangle(m, middle, v[i], v[k]);
        else add_triangle(m, middle, v[k], v[i]);
    }
}

static void add_cylinder(maker *m, double radius, double length)
{
    int low[ROUND], high[ROUND];
    ring(m, radius, -length / 2, low);
    ring(m, radius, length / 2, high);
    join_rings(m, low, high);
    ring(m, radius, -length / 2, low);
    ring(m, radius, length / 2, high);
    cap(m, low, -length / 2, false);
    cap(m, high, length / 2, true);
}

static void add_sphere(maker *m, double radius)
{
    int last[ROUND], next[ROUND];
    for (int k = 0; k <= SMOOTH; k++) {
        double a = 3.141592653589793 * k / SMOOTH;
        /* the poles are small rings, not points: every triangle has an area */
        ring(m, radius * fmax(sin(a), 1e-3), -radius * cos(a), next);
        if (k > 0) join_rings(m, last, next);
        memcpy(last, next, sizeof last);
    }
}

/* A cylinder from a to b. */
static void add_bar(maker *m, kl_vec3 a, kl_vec3 b, double radius)
{
    kl_vec3 d      = kl_sub(b, a);
    double  length = kl_norm(d);
    if (!(length > 0.0)) return;
    kl_vec3 z = kl_scale(1.0 / length, d);
    kl_vec3 x = kl_cross(fabs(z.x) < 0.7 ? kl_vec(1, 0, 0) : kl_vec(0, 1, 0), z);
    x         = kl_scale(1.0 / kl_norm(x), x);
    kl_vec3 y = kl_cross(z, x);
    m->A      = kl_from_axes(x, y, z);
    m->at     = kl_scale(0.5, kl_add(a, b));
    add_cylinder(m, radius, length);
}

/* ---- bodies ---- */

static bool read_color(const char *hex, unsigned char rgb[3])
{
    unsigned r, g, b;
    if (sscanf(hex, "#%2x%2x%2x", &r, &g, &b) != 3) return false;
    rgb[0] = (unsigned char)r, rgb[1] = (unsigned char)g, rgb[2] = (unsigned char)b;
    return true;
}

static void add_mesh(maker *m, const kl_node *shape)
{
    const kl_node *v = kl_node_get(shape, "vertices"), *t = kl_node_get(shape, "triangles");
    int            first = m->s->nvertex, n = 0, i[3], k = 0;
    double         x[3];
    for (const kl_node *c = v ? v->first : NULL; c; c = c->next) {
        x[k++] = kl_node_number(c, 0.0);
        if (k == 3) add_vertex(m, x[0], x[1], x[2]), n++, k = 0;
    }
    k = 0;
    for (const kl_node *c = t ? t->first : NULL; c; c = c->next) {
        double index = kl_node_number(c, -1.0);
        i[k++]       = index >= 0 && index < n ? first + (int)index : first;
        if (k == 3) add_triangle(m, i[0], i[1], i[2]), k = 0;
    }
}

static void add_shape(maker *m, const kl_node *shape)
{
    double      p[4] = {1, 0, 0, 0};
    const char *kind = text(shape, "kind");
    m->at            = vector(kl_node_get(shape, "at"));
    kl_node_numbers(kl_node_get(shape, "orientation"), p, 4);
    m->A = kl_quat_matrix(p);
    if (!read_color(text(shape, "color"), m->ink)) memcpy(m->ink, m->s->color, 3);
    if (strcmp(kind, "box") == 0) add_box(m, vector(kl_node_get(shape, "size")));
    else if (strcmp(kind, "sphere") == 0) add_sphere(m, kl_node_entry(shape, "radius", 0.0));
    else if (strcmp(kind, "cylinder") == 0)
        add_cylinder(m, kl_node_entry(shape, "radius", 0.0), kl_node_entry(shape, "length", 0.0));
    else if (strcmp(kind, "mesh") == 0) add_mesh(m, shape);
}

/* The uniform box of a body's inertia where that lies along its axes: m a^2 / 12 = (J2 + J3 - J1)
 * / 2 for each side. False where there is none that could be believed: inertia that was made up for
 * a plane gives bulky boxes. */
static bool box_of(const kl_node *body, double reach, double length, double side[3])
{
    double J[6] = {0}, mass = kl_node_entry(body, "mass", 0.0);
    if (!(mass > 0.0) || kl_node_numbers(kl_node_get(body, "inertia"), J, 6) < 6) return false;
    double sum = J[0] + J[1] + J[2], most = 0.0;
    if (!(sum > 0.0) || fmax(fabs(J[3]), fmax(fabs(J[4]), fabs(J[5]))) > 0.02 * sum) return false;
    for (int k = 0; k < 3; k++) {
        side[k] = sqrt(fmax(0.0, 6.0 * (sum - 2.0 * J[k]) / mass));
        most    = fmax(most, side[k]);
    }
    return most <= (reach > 0.0 ? 2.6 * reach : 0.4 * length);
}

/* No shape was given: the box of its inertia, and bars to the points that lie outside of it; a ball
 * where the mass is when there is no box. */
static void add_found(maker *m, const kl_node *body, double length)
{
    kl_vec3        center = vector(kl_node_get(body, "center"));
    const kl_node *points = kl_node_get(body, "points");
    double         reach  = 0.0, side[3];
    for (const kl_node *p = points ? points->first : NULL; p; p = p->next)
        reach = fmax(reach, kl_norm(kl_sub(vector(p), center)));
    double thin = reach > 0.0 ? fmin(0.012 * length, 0.08 * reach) : 0.012 * length;
    bool   box  = box_of(body, reach, length, side);
    for (const kl_node *p = points ? points->first : NULL; p; p = p->next) {
        kl_vec3 d      = kl_sub(vector(p), center);
        bool    inside = box && fabs(d.x) <= 0.55 * side[0] + thin &&
                      fabs(d.y) <= 0.55 * side[1] + thin && fabs(d.z) <= 0.55 * side[2] + thin;
        if (!inside) add_bar(m, center, vector(p), thin);
    }
    m->A  = kl_identity();
    m->at = center;
    if (!box) add_sphere(m, 2.0 * thin);
    else add_box(m, kl_vec(fmax(side[0], thin), fmax(side[1], thin), fmax(side[2], thin)));
}

static void find_channels(const kl_reader *r, kl_solid *s)
{
    static const char *const parts[7] = {"position.x",    "position.y",    "position.z",
                                         "orientation.0", "orientation.1", "orientation.2",
                                         "orientation.3"};
    char                     name[512];
    for (int k = 0; k < 7; k++) {
        snprintf(name, sizeof name, "%.480s.%s", s->name, parts[k]);
        s->channel[k] = kl_reader_find(r, name);
    }
}

static void read_body(kl_reader *r, kl_arena *arena, const kl_node *body, kl_solids *out)
{
    kl_solid      *s      = &out->list[out->n];
    bool           ground = strcmp(text(body, "type"), "ground") == 0;
    const kl_node *shapes = kl_node_get(body, "shapes");
    s->name               = kl_arena_text(arena, text(body, "name"));
    if (!s->name) return;
    memcpy(s->color, inks[(size_t)out->n % (sizeof inks / sizeof *inks)], 3);
    if (ground) s->color[0] = s->color[1] = s->color[2] = 140;
    maker m = {.arena = arena, .s = s};
    memcpy(m.ink, s->color, 3);
    find_channels(r, s);
    if (strcmp(text(body, "hidden"), "true") == 0) return;
    if (shapes && shapes->first)
        for (const kl_node *c = shapes->first; c; c = c->next) add_shape(&m, c);
    else if (!ground) add_found(&m, body, out->length);
    out->nvertex += s->nvertex;
    out->ntriangle += s->ntriangle;
    out->n += s->ntriangle > 0;
}

kl_status kl_solids_read(kl_reader *r, const char *file, kl_arena *arena, kl_diag *diag,
                         kl_solids *out)
{
    *out              = (kl_solids){.up = kl_vec(0, 0, 1)};
    const char *scene = kl_reader_text(r, "scene");
    kl_node    *root  = NULL;
    if (!scene || !*scene)
        return kl_fail(diag, KL_E_NAME, (kl_place){.file = file},
                       "this results file does not describe its bodies; run the model again with "
                       "this version");
    KL_TRY(kl_doc_parse(scene, strlen(scene), file, arena, diag, &root));
    const kl_node *bodies = kl_node_get(root, "bodies");
    kl_vec3        g      = vector(kl_node_get(root, "gravity"));
    if (kl_norm(g) > 0.0) out->up = kl_scale(-1.0 / kl_norm(g), g);
    out->length = kl_node_entry(root, "length", 1.0);
    if (!(out->length > 0.0)) out->length = 1.0;
    out->list = kl_arena_array(arena, kl_solid, (bodies ? bodies->size : 0) + 1);
    if (!out->list) return KL_E_MEMORY;
    for (const kl_node *b = bodies ? bodies->first : NULL; b; b = b->next) {
        memset(&out->list[out->n], 0, sizeof *out->list);
        read_body(r, arena, b, out);
    }
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    return KL_OK;
}

/* ---- surfaces of flexible bodies ---- */

/* Channels of the modal coordinates `BODY.w.1`, ...; NULL when one is not recorded. */
static const int *modal_channels(const kl_reader *r, const char *body, int n, kl_arena *arena)
{
    char name[512];
    int *list = kl_arena_array(arena, int, n + 1);
    for (int j = 0; list && j < n; j++) {
        snprintf(name, sizeof name, "%.480s.w.%d", body, j + 1);
        list[j] = kl_reader_find(r, name);
        if (list[j] < 0) return NULL;
    }
    return list;
}

static void wear(kl_solid *s, const kl_reader *r, const kl_skin *skin, kl_arena *arena)
{
    const kl_kbody_skin *k    = &skin->of->skin;
    size_t               node = (size_t)k->nnode, n = (size_t)skin->kept;
    float               *mode = kl_arena_array(arena, float, 3 * node * n + 1);
    unsigned char       *ink  = kl_arena_array(arena, unsigned char, 3 * (size_t)k->ntriangle + 1);
    s->modal                  = modal_channels(r, s->name, skin->kept, arena);
    if (!mode || !ink || !s->modal || k->ntriangle == 0) return; /* as it was */
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < node; i++) {
            kl_vec3 v   = kl_skin_mode_at(skin, (int)i, (int)j);
            float  *out = mode + 3 * (j * node + i);
            out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z;
        }
    for (int t = 0; t < k->ntriangle; t++) memcpy(ink + 3 * t, s->color, 3);
    s->vertex    = k->x;
    s->triangle  = k->triangle;
    s->ink       = ink;
    s->nvertex   = k->nnode;
    s->ntriangle = k->ntriangle;
    s->mode      = mode;
    s->nmode     = skin->kept;
}

kl_status kl_solids_wear(kl_solids *s, const kl_reader *r, const kl_skin *skins, int n,
                         kl_arena *arena)
{
    s->nvertex = s->ntriangle = 0;
    for (int i = 0; i < s->n; i++) {
        for (int k = 0; k < n; k++)
            if (strcmp(s->list[i].name, skins[k].body) == 0) wear(&s->list[i], r, &skins[k], arena);
        s->nvertex += s->list[i].nvertex;
        s->ntriangle += s->list[i].ntriangle;
    }
    return kl_arena_ok(arena) ? KL_OK : KL_E_MEMORY;
}

/* ---- places ---- */

void kl_solid_pose(const kl_solid *s, const double *row, kl_vec3 *r, double p[4])
{
    double q[7] = {0, 0, 0, 1, 0, 0, 0};
    for (int k = 0; k < 7; k++)
        if (s->channel[k] >= 0 && isfinite(row[s->channel[k]])) q[k] = row[s->channel[k]];
    double n = sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
    *r       = kl_vec(q[0], q[1], q[2]);
    for (int k = 0; k < 4; k++) p[k] = n > 0.0 ? q[3 + k] / n : k == 0;
}

kl_vec3 kl_solid_deformation(const kl_solid *s, const double *row, int vertex)
{
    kl_vec3 sum = kl_vec(0, 0, 0);
    if (s->field) return kl_solid_field_displacement(s, row, vertex);
    for (int j = 0; j < s->nmode; j++) {
        const float *m = s->mode + 3 * ((size_t)j * (size_t)s->nvertex + (size_t)vertex);
        double       w = row[s->modal[j]];
        if (isfinite(w)) sum = kl_axpy(w, kl_vec((double)m[0], (double)m[1], (double)m[2]), sum);
    }
    return sum;
}

void kl_solid_place(const kl_solid *s, const double *row, kl_vec3 *x)
{
    kl_vec3 r;
    double  p[4];
    if (s->field) {
        kl_solid_field_place(s, row, x);
        return;
    }
    kl_solid_pose(s, row, &r, p);
    kl_mat3 A = kl_quat_matrix(p);
    for (int i = 0; i < s->nvertex; i++) {
        kl_vec3 v = s->nmode ? kl_add(s->vertex[i], kl_solid_deformation(s, row, i)) : s->vertex[i];
        x[i]      = kl_add(r, kl_mul(&A, v));
    }
}
