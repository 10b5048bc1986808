/* Shapes as a model file writes them; language/contact_shapes.c reads them. */
#include <math.h>

#include "contact/contact_shape.h"

static void put_list(kl_text *t, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        kl_text_add(t, i ? ", " : "[");
        kl_text_number(t, x[i]);
    }
    kl_text_add(t, "]");
}

static void put_number(kl_text *t, const char *key, double x)
{
    kl_text_add(t, "%s: ", key);
    kl_text_number(t, x);
}

static void put_vec(kl_text *t, kl_vec3 v, double factor)
{
    double x[3];
    kl_store(x, kl_scale(factor, v));
    put_list(t, x, 3);
}

static void put_one_arc(kl_text *t, const kl_arc2 *arc)
{
    kl_text_add(t, "center: ");
    put_list(t, arc->c, 2);
    put_number(t, ", radius", arc->radius);
    kl_text_add(t, ", angles: ");
    put_list(t, arc->theta, 2);
}

static void put_arc(kl_text *t, const kl_solid *s)
{
    kl_text_add(t, "{");
    if (s->narc == 0) put_one_arc(t, &s->arc);
    for (int i = 0; i < s->narc; i++) {
        kl_text_add(t, i ? ", {" : "arcs: [{");
        put_one_arc(t, &s->arcs[i]);
        kl_text_add(t, ", side: %s}", s->sides[i] > 0.0 ? "outside" : "inside");
    }
    if (s->narc) kl_text_add(t, "]");
    if (s->kind == KL_SOLID_EXTRUDED_ARC) {
        kl_text_add(t, ", z: ");
        put_list(t, s->z, 2);
    }
    if (s->narc == 0) kl_text_add(t, ", side: %s", s->side > 0.0 ? "outside" : "inside");
    kl_text_add(t, "}");
}

static void put_sizes(kl_text *t, const kl_solid *s)
{
    const char *inside = s->inside ? ", inside: true" : "";
    kl_text_add(t, "{");
    put_number(t, "radius", s->radius);
    if (s->kind == KL_SOLID_TORUS) put_number(t, ", tube", s->tube);
    else if (s->kind != KL_SOLID_SPHERE) put_number(t, ", length", 2.0 * s->half);
    if (s->kind == KL_SOLID_CONE) put_number(t, ", top", s->tube);
    if (s->slices) kl_text_add(t, ", slices: %d", s->slices);
    kl_text_add(t, "%s}", inside);
}

static void put_skin(kl_text *t, const kl_solid *s)
{
    if (isinf(s->size.x)) {
        kl_text_add(t, "all}");
        return;
    }
    kl_text_add(t, "{from: ");
    put_vec(t, kl_sub(s->pose.r, s->size), 1.0);
    kl_text_add(t, ", to: ");
    put_vec(t, kl_add(s->pose.r, s->size), 1.0);
    kl_text_add(t, "}}");
}

static void put_one(kl_text *t, const kl_solid *s)
{
    static const char *const word[KL_SOLID_KINDS] = {
        "sphere", "plane",        "cylinder",     "capsule", "box",  "cone", "ellipsoid",
        "torus",  "revolved_arc", "extruded_arc", "surface", "mesh", "skin"};
    kl_text_add(t, "{%s: ", word[s->kind]);
    if (s->kind == KL_SOLID_SKIN) {
        put_skin(t, s);
        return;
    }
    switch (s->kind) {
    case KL_SOLID_PLANE: kl_text_add(t, "z"); break;
    case KL_SOLID_BOX: put_vec(t, s->size, 2.0); break;
    case KL_SOLID_ELLIPSOID: put_vec(t, s->size, 1.0); break;
    case KL_SOLID_REVOLVED_ARC:
    case KL_SOLID_EXTRUDED_ARC: put_arc(t, s); break;
    case KL_SOLID_SURFACE: kl_text_add(t, "%s", s->name); break;
    case KL_SOLID_MESH:
        kl_text_json(t, s->name);
        put_number(t, ", scale", s->scale);
        break;
    default: put_sizes(t, s);
    }
    kl_text_add(t, ", at: ");
    put_vec(t, s->pose.r, 1.0);
    kl_text_add(t, ", orientation: {matrix: ");
    put_list(t, &s->pose.A.m[0][0], 9);
    kl_text_add(t, "}}");
}

void kl_contact_shapes_write(const kl_solid *s, int n, kl_text *t)
{
    kl_text_add(t, "[");
    for (int i = 0; i < n; i++) {
        if (i) kl_text_add(t, ", ");
        put_one(t, &s[i]);
    }
    kl_text_add(t, "]");
}
