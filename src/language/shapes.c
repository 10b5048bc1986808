#include "language/shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rotation.h"
#include "geometry/named.h"
#include "geometry/surface.h"
#include "language/resources.h"
#include "language/triangles.h"

typedef struct shaping {
    kl_scope   *s;
    kl_model   *m;
    const char *body;
} shaping;

static const char *what(const shaping *g, const char *key, char text[256])
{
    snprintf(text, 256, "body '%s': shape: %s", g->body, key);
    return text;
}

static kl_status positive(const shaping *g, const kl_node *n, const char *key, double *out)
{
    char text[256];
    if (!n) return KL_OK;
    KL_TRY(kl_scope_number(g->s, n, what(g, key, text), "m", out));
    if (*out > 0.0) return KL_OK;
    return kl_fail(g->s->diag, KL_E_RANGE, n->place, "%s is %g m; a length must be positive", text,
                   *out);
}

static kl_status read_box(const shaping *g, const kl_node *n, kl_drawn *out)
{
    char text[256];
    KL_TRY(kl_value_vec3(g->s, n, what(g, "box", text), "m", &out->size));
    if (out->size.x > 0.0 && out->size.y > 0.0 && out->size.z > 0.0) return KL_OK;
    return kl_fail(g->s->diag, KL_E_RANGE, n->place, "%s: edge lengths must be positive", text);
}

/* Axes with z along the axis. */
static kl_status read_cylinder(const shaping *g, const kl_node *n, kl_drawn *out)
{
    static const char *const known[] = {"radius", "length", "axis", NULL};
    char                     text[256];
    kl_vec3                  axis = kl_vec(0, 0, 1);
    kl_entry entry = {.name = g->body, .section = "shape", .place = n->place, .chain = {n, NULL}};
    if (n->kind != KL_MAP || !kl_node_get(n, "radius") || !kl_node_get(n, "length"))
        return kl_fail(g->s->diag, KL_E_MODEL, n->place,
                       "%s needs {radius: ..., length: ..., axis: z}", what(g, "cylinder", text));
    kl_values_unknown(g->s, &entry, "cylinder", NULL, known);
    KL_TRY(positive(g, kl_node_get(n, "radius"), "cylinder: radius", &out->radius));
    KL_TRY(positive(g, kl_node_get(n, "length"), "cylinder: length", &out->length));
    const kl_node *along = kl_node_get(n, "axis");
    if (along) KL_TRY(kl_value_axis(g->s, along, what(g, "cylinder: axis", text), &axis));
    /* the turn that carries z into the axis */
    kl_vec3 turn = kl_cross(kl_vec(0, 0, 1), axis);
    double  sine = kl_norm(turn), angle = atan2(sine, axis.z);
    out->A = sine > 1e-12 ? kl_rotation_exp(kl_scale(angle / sine, turn)) : kl_identity();
    return KL_OK;
}

static kl_status read_sphere(const shaping *g, const kl_node *n, kl_drawn *out)
{
    return positive(g, n, "sphere", &out->radius);
}

/* A file beside the model file. */
static kl_status read_surface(const shaping *g, const kl_node *n, const kl_node *entry,
                              kl_drawn *out)
{
    char           text[256], path[4096];
    const char    *name = NULL, *model = g->m->file ? g->m->file : "";
    const kl_node *scale  = kl_node_get(entry, "scale");
    double         factor = 1.0;
    KL_TRY(kl_value_word(g->s, n, what(g, "file", text), &name));
    if (scale) KL_TRY(kl_scope_number(g->s, scale, what(g, "scale", text), "1", &factor));
    const char *slash = strrchr(model, '/');
    if (*name == '/' || !slash) snprintf(path, sizeof path, "%s", name);
    else snprintf(path, sizeof path, "%.*s/%s", (int)(slash - model), model, name);
    return kl_triangles_read(path, factor, g->m->arena, n->place, g->s->diag, &out->surface);
}

/* One of the model's surfaces, as a net of triangles over its parameters. */
static kl_status read_sheet(const shaping *g, const kl_node *n, kl_drawn *out)
{
    enum { N = 48 };
    char               text[256];
    const kl_resource *named = NULL;
    KL_TRY(kl_resource_find(g->s, g->m, n, what(g, "surface", text), "surfaces", &named));
    const kl_surface *s = ((const kl_named_surface *)named->data)->surface;
    kl_triangles     *t = &out->surface;
    t->nvertex = (N + 1) * (N + 1), t->ntriangle = 2 * N * N;
    t->vertex   = kl_arena_array(g->m->arena, float, 3 * t->nvertex);
    t->triangle = kl_arena_array(g->m->arena, int, 3 * t->ntriangle);
    kl_surface_cursor cursor;
    KL_TRY(kl_surface_cursor_init(s, g->m->arena, &cursor));
    if (!kl_arena_ok(g->m->arena)) return KL_E_MEMORY;
    for (int k = 0, corner = 0; k < t->nvertex; k++) {
        int              a = k / (N + 1), b = k % (N + 1);
        double           u = s->u[0] + (s->u[1] - s->u[0]) * a / N;
        double           v = s->v[0] + (s->v[1] - s->v[0]) * b / N;
        kl_surface_point at;
        KL_TRY(kl_surface_eval(s, u, v, &cursor, &at));
        t->vertex[3 * k]     = (float)at.r.x;
        t->vertex[3 * k + 1] = (float)at.r.y;
        t->vertex[3 * k + 2] = (float)at.r.z;
        if (a == N || b == N) continue;
        const int two[6] = {k, k + N + 1, k + 1, k + 1, k + N + 1, k + N + 2};
        for (int j = 0; j < 6; j++) t->triangle[corner++] = two[j];
    }
    return KL_OK;
}

static bool is_colour(const char *text)
{
    return strlen(text) == 7 && text[0] == '#' && strspn(text + 1, "0123456789abcdefABCDEF") == 6;
}

static kl_status read_common(const shaping *g, const kl_node *n, kl_drawn *out)
{
    char           text[256];
    const kl_node *at = kl_node_get(n, "at"), *turn = kl_node_get(n, "orientation"),
                  *color = kl_node_get(n, "color");
    if (at) KL_TRY(kl_value_vec3(g->s, at, what(g, "at", text), "m", &out->at));
    if (turn) {
        kl_mat3 A;
        KL_TRY(kl_value_rotation(g->s, turn, what(g, "orientation", text), &A));
        out->A = kl_matmul(&A, &out->A);
    }
    if (!color) return KL_OK;
    if (color->kind != KL_SCALAR || !is_colour(color->text))
        return kl_fail(g->s->diag, KL_E_MODEL, color->place,
                       "%s must be written as a hexadecimal colour, such as \"#2f7fb8\"",
                       what(g, "color", text));
    out->color = kl_arena_text(g->m->arena, color->text); /* the model outlives its source */
    return out->color ? KL_OK : KL_E_MEMORY;
}

static kl_status read_shape(const shaping *g, const kl_node *n, kl_drawn *out)
{
    static const char *const known[] = {"box", "cylinder",    "sphere", "surface", "file",
                                        "at",  "orientation", "color",  "scale",   NULL};
    kl_entry                 entry   = {.section = "shape", .name = g->body, .chain = {n, NULL}};
    *out                             = (kl_drawn){.A = kl_identity()};
    if (n->kind != KL_MAP)
        return kl_fail(g->s->diag, KL_E_MODEL, n->place,
                       "body '%s': shape is %s; give {box: [a, b, c]}, {cylinder: {radius, length, "
                       "axis}}, {sphere: radius}, {surface: name} or {file: part.stl}",
                       g->body, kl_node_kind_word(n->kind));
    entry.place = n->place;
    kl_values_unknown(g->s, &entry, "shape", NULL, known);
    const kl_node *box = kl_node_get(n, "box"), *cylinder = kl_node_get(n, "cylinder"),
                  *sphere = kl_node_get(n, "sphere"), *file = kl_node_get(n, "file"),
                  *sheet = kl_node_get(n, "surface");
    if (!!box + !!cylinder + !!sphere + !!file + !!sheet != 1)
        return kl_fail(g->s->diag, KL_E_MODEL, n->place,
                       "body '%s': a shape is one of box, cylinder, sphere, surface, file",
                       g->body);
    out->kind = box        ? KL_DRAWN_BOX
                : cylinder ? KL_DRAWN_CYLINDER
                : sphere   ? KL_DRAWN_SPHERE
                           : KL_DRAWN_TRIANGLES;
    if (box) KL_TRY(read_box(g, box, out));
    if (cylinder) KL_TRY(read_cylinder(g, cylinder, out));
    if (sphere) KL_TRY(read_sphere(g, sphere, out));
    if (sheet) KL_TRY(read_sheet(g, sheet, out));
    if (file) KL_TRY(read_surface(g, file, n, out));
    return read_common(g, n, out);
}

static void put_cylinder(kl_body *b, double radius, double length, double y, const char *color)
{
    kl_drawn *d = &b->shape[b->nshape++];
    *d          = (kl_drawn){.kind   = KL_DRAWN_CYLINDER,
                             .radius = radius,
                             .length = length,
                             .at     = kl_vec(0.0, y, 0.0),
                             .A      = kl_from_axes(kl_vec(0, 0, 1), kl_vec(1, 0, 0), kl_vec(0, 1, 0)),
                             .color  = color};
}

kl_status kl_shapes_own(kl_model *m, int index)
{
    const double width = 0.135, rim = 0.03, flange = 0.028, axle = 0.09, beyond = 0.3; /* [m] */
    kl_body     *b = &m->body[index];
    if (b->shape || b->hidden || !b->type->wheels) return KL_OK;
    const kl_wheels *w = b->type->wheels(b->data);
    b->shape           = kl_arena_array(m->arena, kl_drawn, 6);
    if (!b->shape) return KL_E_MEMORY;
    put_cylinder(b, axle, w->back_to_back + 2.0 * width + beyond, 0.0, "#6b7683");
    for (int k = 0; k < 2; k++) {
        double side = k ? -1.0 : 1.0, r = k && w->radius_right > 0.0 ? w->radius_right : w->radius;
        double inner = 0.5 * w->back_to_back;
        put_cylinder(b, r, width - rim, side * (inner + rim + 0.5 * (width - rim)), "#8a939c");
        put_cylinder(b, r + flange, rim, side * (inner + 0.5 * rim), "#4d5661");
    }
    return KL_OK;
}

kl_status kl_shapes_read(kl_scope *s, kl_model *m, const kl_entry *body, int index)
{
    const kl_node *n = kl_entry_get(body, "shape");
    shaping        g = {.s = s, .m = m, .body = body->name};
    if (!n) return KL_OK;
    kl_body *b = &m->body[index];
    if (n->kind == KL_SCALAR && strcmp(n->text, "none") == 0) {
        b->hidden = true;
        return KL_OK;
    }
    int count = n->kind == KL_LIST ? n->size : 1, good = 0;
    b->shape = kl_arena_array(m->arena, kl_drawn, count + 1);
    if (!b->shape) return KL_E_MEMORY;
    for (const kl_node *c = n->kind == KL_LIST ? n->first : n; c && good < count;
         c                = n->kind == KL_LIST ? c->next : NULL) {
        kl_status status = read_shape(&g, c, &b->shape[good++]);
        if (status == KL_E_MEMORY) return status;
    }
    b->nshape = good;
    return KL_OK;
}
