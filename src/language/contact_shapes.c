#include "language/contact_shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rotation.h"
#include "contact/contact_mesh.h"
#include "contact/contact_shape.h"
#include "contact/pair.h"
#include "geometry/named.h"
#include "language/arc_points.h"
#include "language/resources.h"
#include "language/triangles.h"

typedef struct reading {
    kl_scope      *s;
    kl_model      *m;
    const char    *what;  /* "contact 'x': shapes" */
    const kl_node *node;  /* the shape */
    kl_vec3        axis;  /* z of the shape, in the axes of its marker */
    kl_arc_radii   radii; /* of the arc of the shape whose ends differ most */
} reading;

static const char *const kinds[] = {
    "sphere", "plane",        "cylinder",     "capsule", "box",  "cone", "ellipsoid",
    "torus",  "revolved_arc", "extruded_arc", "surface", "mesh", "skin", NULL};

static kl_status number(const reading *r, const kl_node *n, const char *key, const char *unit,
                        double *out)
{
    char what[200];
    if (!n) return KL_OK;
    snprintf(what, sizeof what, "%.120s: %s", r->what, key);
    return kl_scope_number(r->s, n, what, unit, out);
}

static kl_status axis_of(reading *r, const kl_node *n)
{
    char what[200];
    snprintf(what, sizeof what, "%.120s: axis", r->what);
    return n ? kl_value_axis(r->s, n, what, &r->axis) : KL_OK;
}

static kl_status flag(const reading *r, const kl_node *n, bool *out)
{
    const char *word = NULL;
    if (!n) return KL_OK;
    KL_TRY(kl_value_word(r->s, n, r->what, &word));
    *out = strcmp(word, "true") == 0 || strcmp(word, "yes") == 0;
    return KL_OK;
}

/* `slices: 5`, or `slice_error: 0.01`, from which their number follows */
static kl_status read_slices(const reading *r, const kl_node *n, kl_solid *out)
{
    const kl_node *count = kl_node_get(n, "slices"), *error = kl_node_get(n, "slice_error");
    double         slices = 0.0, most = 0.0;
    KL_TRY(number(r, count, "slices", "1", &slices));
    KL_TRY(number(r, error, "slice_error", "1", &most));
    if (count && error)
        return kl_fail(r->s->diag, KL_E_MODEL, error->place,
                       "%s: `slices` and `slice_error` both give the number of slices; remove one",
                       r->what);
    if (count && (!(slices >= 1.0 && slices <= KL_PAIR_SPOTS) || slices != floor(slices)))
        return kl_fail(r->s->diag, KL_E_RANGE, count->place,
                       "%s: slices is %g; give a whole number from 1 to %d", r->what, slices,
                       KL_PAIR_SPOTS);
    out->slices = error ? kl_pair_slices(most) : (int)slices;
    if (error && out->slices == 0)
        return kl_fail(r->s->diag, KL_E_RANGE, error->place,
                       "%s: slice_error is %g; give %.3f (%d slices) to 1 (one slice)", r->what,
                       most, ceil(1e3 / (KL_PAIR_SPOTS * KL_PAIR_SPOTS)) * 1e-3, KL_PAIR_SPOTS);
    return KL_OK;
}

/* {radius: 1, length: 2, axis: y, inside: true} */
static kl_status read_sizes(reading *r, const kl_node *n, kl_solid *out)
{
    static const char *const known[] = {"radius", "length", "axis",        "inside", "tube",
                                        "top",    "slices", "slice_error", NULL};
    kl_entry entry  = {.name = "", .section = r->what, .place = n->place, .chain = {n, NULL}};
    double   length = 2.0 * out->half;
    if (n->kind != KL_MAP) return number(r, n, kinds[out->kind], "m", &out->radius);
    kl_values_unknown(r->s, &entry, "contacts", NULL, known);
    KL_TRY(number(r, kl_node_get(n, "radius"), "radius", "m", &out->radius));
    KL_TRY(number(r, kl_node_get(n, "length"), "length", "m", &length));
    KL_TRY(number(r, kl_node_get(n, "tube"), "tube", "m", &out->tube));
    KL_TRY(number(r, kl_node_get(n, "top"), "top", "m", &out->tube));
    KL_TRY(read_slices(r, n, out));
    KL_TRY(flag(r, kl_node_get(n, "inside"), &out->inside));
    out->half = 0.5 * length;
    return axis_of(r, kl_node_get(n, "axis"));
}

static kl_status read_plane(reading *r, const kl_node *n, kl_solid *out)
{
    (void)out;
    return axis_of(r, n);
}

static kl_status read_size(reading *r, const kl_node *n, kl_solid *out)
{
    KL_TRY(kl_value_vec3(r->s, n, r->what, "m", &out->size));
    if (out->kind == KL_SOLID_BOX) out->size = kl_scale(0.5, out->size);
    return KL_OK;
}

/* {center: [x, y], first: [x, y], last: [x, y]}, or with radius and angles: [from, to] */
static kl_status read_one_arc(reading *r, const kl_node *n, kl_arc2 *arc, double *side)
{
    static const char *const known[] = {"center", "first", "last",    "radius", "angles", "z",
                                        "side",   "arcs",  "outside", "mirror", NULL};
    kl_entry    entry   = {.name = "", .section = r->what, .place = n->place, .chain = {n, NULL}};
    double      x[3][2] = {{0, 0}}; /* centre, first, last */
    const char *word    = NULL;
    if (n->kind != KL_MAP || !kl_node_get(n, "center"))
        return kl_fail(r->s->diag, KL_E_MODEL, n->place,
                       "%s: an arc needs {center: [x, y], first: [x, y], last: [x, y]}", r->what);
    kl_values_unknown(r->s, &entry, "contacts", NULL, known);
    const kl_node *first = kl_node_get(n, "first"), *last = kl_node_get(n, "last"),
                  *angles = kl_node_get(n, "angles"), *sided = kl_node_get(n, "side");
    KL_TRY(kl_value_numbers(r->s, kl_node_get(n, "center"), r->what, "m", 2, x[0]));
    *arc = (kl_arc2){.c = {x[0][0], x[0][1]}};
    if (first && last) {
        KL_TRY(kl_value_numbers(r->s, first, r->what, "m", 2, x[1]));
        KL_TRY(kl_value_numbers(r->s, last, r->what, "m", 2, x[2]));
        KL_TRY(kl_arc_from_points(r->s->diag, n->place, r->what, x, arc, &r->radii));
    } else if (angles) {
        KL_TRY(kl_value_numbers(r->s, angles, r->what, "rad", 2, arc->theta));
        KL_TRY(number(r, kl_node_get(n, "radius"), "radius", "m", &arc->radius));
    }
    if (sided) KL_TRY(kl_value_word(r->s, sided, r->what, &word));
    if (word) *side = strcmp(word, "inside") == 0 ? -1.0 : 1.0;
    return KL_OK;
}

/* Mirror image: of a revolved arc along y, of an extruded one along x. */
static void mirror_arc(const kl_solid *s, kl_arc2 *arc)
{
    bool revolved    = s->kind == KL_SOLID_REVOLVED_ARC;
    arc->c[revolved] = -arc->c[revolved];
    for (int k = 0; k < 2; k++) arc->theta[k] = revolved ? -arc->theta[k] : KL_PI - arc->theta[k];
}

/* A chain: the outside is on the right of the way from the first point to the last. */
static kl_status read_chain(reading *r, const kl_node *n, const kl_node *list, kl_solid *out)
{
    bool        mirror  = false;
    const char *outside = "right";
    if (list->kind != KL_LIST || list->size < 1 || list->size > 16)
        return kl_fail(
            r->s->diag, KL_E_MODEL, list->place,
            "%s: `arcs` is a list of 1 to 16 arcs, from one end of the chain to the other",
            r->what);
    kl_arc2 *arc  = kl_arena_array(r->m->arena, kl_arc2, list->size);
    double  *side = kl_arena_array(r->m->arena, double, list->size);
    if (!arc || !side) return KL_E_MEMORY;
    KL_TRY(flag(r, kl_node_get(n, "mirror"), &mirror));
    if (kl_node_get(n, "outside"))
        KL_TRY(kl_value_word(r->s, kl_node_get(n, "outside"), r->what, &outside));
    int i = 0;
    for (const kl_node *c = list->first; c; c = c->next, i++) {
        side[i] = 0.0;
        KL_TRY(read_one_arc(r, c, &arc[i], &side[i]));
        bool left = arc[i].theta[1] > arc[i].theta[0]; /* the centre is on the left of the way */
        if (side[i] == 0.0) side[i] = left == (strcmp(outside, "left") != 0) ? 1.0 : -1.0;
        if (mirror) mirror_arc(out, &arc[i]);
    }
    out->arcs = arc, out->sides = side, out->narc = list->size;
    out->arc = arc[0], out->side = side[0];
    return KL_OK;
}

static kl_status read_arc(reading *r, const kl_node *n, kl_solid *out)
{
    const kl_node *list = n->kind == KL_MAP ? kl_node_get(n, "arcs") : NULL,
                  *z    = n->kind == KL_MAP ? kl_node_get(n, "z") : NULL;
    bool mirror         = false;
    out->z[0] = -1.0, out->z[1] = 1.0;
    if (z) KL_TRY(kl_value_numbers(r->s, z, r->what, "m", 2, out->z));
    r->radii = (kl_arc_radii){0};
    KL_TRY(list ? read_chain(r, n, list, out) : read_one_arc(r, n, &out->arc, &out->side));
    kl_arc_note_radii(r->s->diag, r->what, &r->radii);
    if (list) return KL_OK;
    KL_TRY(flag(r, kl_node_get(n, "mirror"), &mirror));
    if (mirror) mirror_arc(out, &out->arc);
    return KL_OK;
}

static kl_status read_surface(reading *r, const kl_node *n, kl_solid *out)
{
    const kl_resource *found = NULL;
    KL_TRY(kl_resource_find(r->s, r->m, n, r->what, "surfaces", &found));
    const kl_named_surface *named = found->data;
    out->surface                  = named->surface;
    out->name                     = named->name;
    return KL_OK;
}

static kl_status read_mesh(reading *r, const kl_node *n, kl_solid *out)
{
    const char  *word = NULL, *model = r->m->file ? r->m->file : "", *slash = strrchr(model, '/');
    kl_triangles t = {0};
    KL_TRY(kl_value_word(r->s, n, r->what, &word));
    out->scale = 1.0;
    KL_TRY(number(r, kl_node_get(r->node, "scale"), "scale", "1", &out->scale));
    out->name        = kl_arena_text(r->m->arena, word);
    const char *path = *word == '/' || !slash ? out->name
                                              : kl_arena_format(r->m->arena, "%.*s/%s",
                                                                (int)(slash - model), model, word);
    if (!path) return KL_E_MEMORY;
    KL_TRY(kl_triangles_read(path, out->scale, r->m->arena, n->place, r->s->diag, &t));
    kl_vec3 *p      = kl_arena_array(r->m->arena, kl_vec3, t.nvertex);
    int(*corner)[3] = kl_arena_take_array(r->m->arena, (size_t)t.ntriangle, sizeof *corner);
    kl_hull *hull   = NULL;
    if (!p || !corner) return KL_E_MEMORY;
    for (int i = 0; i < t.nvertex; i++)
        p[i] = kl_vec((double)t.vertex[3 * i], (double)t.vertex[3 * i + 1],
                      (double)t.vertex[3 * i + 2]);
    memcpy(corner, t.triangle, (size_t)t.ntriangle * sizeof *corner);
    KL_TRY(kl_hull_create(p, t.nvertex, (const int(*)[3])corner, t.ntriangle, n->place, r->m->arena,
                          r->s->diag, &hull));
    out->mesh = hull;
    return KL_OK;
}

/* {skin: all}, or the part in a box: {skin: {from: [x, y, z], to: [x, y, z]}} */
static kl_status read_skin(reading *r, const kl_node *n, kl_solid *out)
{
    static const char *const known[] = {"from", "to", NULL};
    kl_entry       entry = {.name = "", .section = r->what, .place = n->place, .chain = {n, NULL}};
    const kl_node *from, *to;
    kl_vec3        low, high;
    out->size = kl_vec((double)INFINITY, (double)INFINITY, (double)INFINITY);
    if (n->kind == KL_SCALAR && strcmp(n->text, "all") == 0) return KL_OK;
    if (n->kind == KL_MAP) kl_values_unknown(r->s, &entry, "contacts", NULL, known);
    from = n->kind == KL_MAP ? kl_node_get(n, "from") : NULL;
    to   = n->kind == KL_MAP ? kl_node_get(n, "to") : NULL;
    if (!from || !to)
        return kl_fail(r->s->diag, KL_E_MODEL, n->place,
                       "%s: write {skin: all}, or the part of the skin that can touch as a box in "
                       "the axes of the body: {skin: {from: [x, y, z], to: [x, y, z]}}",
                       r->what);
    KL_TRY(kl_value_vec3(r->s, from, r->what, "m", &low));
    KL_TRY(kl_value_vec3(r->s, to, r->what, "m", &high));
    out->size   = kl_scale(0.5, kl_sub(high, low));
    out->pose.r = kl_scale(0.5, kl_add(high, low));
    if (!(out->size.x >= 0.0 && out->size.y >= 0.0 && out->size.z >= 0.0))
        return kl_fail(
            r->s->diag, KL_E_RANGE, n->place,
            "%s: `from` of a skin must be the lower corner of the box and `to` the upper "
            "one; exchange the coordinates that are not",
            r->what);
    return KL_OK;
}

static kl_status (*const readers[KL_SOLID_KINDS])(reading *r, const kl_node *n, kl_solid *out) = {
    read_sizes, read_plane, read_sizes, read_sizes,   read_size, read_sizes, read_size,
    read_sizes, read_arc,   read_arc,   read_surface, read_mesh, read_skin};

static kl_status no_kind(const reading *r, const char *word)
{
    const char *near = kl_nearest(word, kinds);
    return kl_fail(r->s->diag, KL_E_NAME, r->node->place, "%s: there is no shape '%s'%s%s%s",
                   r->what, word,
                   near ? "; did you mean '" : "; `klingel help contacts` lists them",
                   near ? near : "", near ? "'?" : "");
}

static int kind_of(const char *word)
{
    for (int k = 0; kinds[k]; k++)
        if (strcmp(kinds[k], word) == 0) return k;
    return -1;
}

/* Where it stands: `at` and `orientation`, then the turn that carries z into `axis`. */
static kl_status read_pose(reading *r, kl_solid *out)
{
    const kl_node *at = kl_node_get(r->node, "at"), *turn = kl_node_get(r->node, "orientation");
    kl_vec3        across = kl_cross(kl_vec(0, 0, 1), r->axis);
    double         sine = kl_norm(across), angle = atan2(sine, r->axis.z);
    kl_mat3        R = kl_identity();
    if (sine > 1e-12) R = kl_rotation_exp(kl_scale(angle / sine, across));
    else if (r->axis.z < 0.0) R = kl_rotation_exp(kl_vec(KL_PI, 0, 0));
    if (at) KL_TRY(kl_value_vec3(r->s, at, r->what, "m", &out->pose.r));
    if (turn) KL_TRY(kl_value_rotation(r->s, turn, r->what, &out->pose.A));
    out->pose.A = kl_matmul(&out->pose.A, &R);
    return KL_OK;
}

static kl_status read_one(reading *r, kl_solid *out)
{
    const kl_node *n = r->node, *value = NULL;
    int            kind = -1;
    *out                = (kl_solid){.pose.A = kl_identity(), .side = 1.0};
    r->axis             = kl_vec(0, 0, 1);
    if (n->kind == KL_SCALAR) {
        kind = kind_of(n->text);
        if (kind < 0) return no_kind(r, n->text);
        if (kind != KL_SOLID_PLANE && kind != KL_SOLID_SKIN)
            return kl_fail(
                r->s->diag, KL_E_MODEL, n->place,
                "%s: the shape %s has no size; write for example {sphere: 50 mm} or {box: [0.2, "
                "0.1, 0.1]}; `klingel help contacts` shows each shape",
                r->what, n->text);
        out->kind = (kl_solid_kind)kind;
        out->size = kl_vec((double)INFINITY, (double)INFINITY, (double)INFINITY);
        return KL_OK;
    }
    for (const kl_node *c = n->kind == KL_MAP ? n->first : NULL; c; c = c->next) {
        if (kind_of(c->key) >= 0) kind = kind_of(c->key), value = c;
        else if (strcmp(c->key, "at") && strcmp(c->key, "orientation") && strcmp(c->key, "scale"))
            return no_kind(r, c->key);
    }
    if (kind < 0)
        return kl_fail(r->s->diag, KL_E_MODEL, n->place,
                       "%s: give a shape such as {sphere: 50 mm} or plane", r->what);
    out->kind = (kl_solid_kind)kind;
    KL_TRY(readers[kind](r, value, out));
    const char *fault = kl_solid_fault(out);
    if (fault) return kl_fail(r->s->diag, KL_E_RANGE, value->place, "%s: %s", r->what, fault);
    return read_pose(r, out);
}

kl_status kl_contact_shapes_read(kl_scope *s, kl_model *m, const kl_node *n, const char *what,
                                 kl_shapes *out)
{
    if (n->kind != KL_LIST || n->size != 2)
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s: give the two shapes, [{sphere: 50 mm}, plane], in the order of "
                       "`between`",
                       what);
    out->n    = 2;
    out->item = kl_arena_array(m->arena, kl_solid, 2);
    if (!out->item) return KL_E_MEMORY;
    kl_status status = KL_OK;
    int       i      = 0;
    for (const kl_node *c = n->first; c; c = c->next, i++) {
        reading   r   = {.s = s, .m = m, .what = what, .node = c};
        kl_status one = read_one(&r, &out->item[i]);
        if (one != KL_OK) status = one;
    }
    return status;
}
