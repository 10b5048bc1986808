/* surfaces:
 *   bowl: {revolution: [[0, 0.1], [0.5, 0.6]], spline: cubic, at: [..], orientation: {..}}
 *   gutter: {sweep: [[-1, 0], [1, 0]], track: line}
 *   hill: {net: [[[x, y, z], ...], ...], spline: cubic}
 *   tread: {revolved_arc: {center: [..], first: [..], last: [..]}, x_factor: 1, z_factor: 1}
 *   far: {file: far.ksurf, window: 64}
 *   head: {extruded_arc: {center: ..}, nodes: [{at: [..], orientation: {..}}, {at: [..]}]}
 *
 * Profiles after Ambrosio 2019, section 1.2; arcs after Craveiro Neto 2020, chapter 5. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/named.h"
#include "geometry/surface.h"
#include "language/arc_points.h"
#include "language/resources.h"
#include "store/surface_file.h"

static const char *const profile_splines[] = {
    "linear", "cubic", "akima", "monotone", "quintic", "concavity-preserving", NULL};
/* of a net only those that are linear in the points: else its cells would not meet */
static const char *const net_splines[] = {"linear", "cubic", "quintic", NULL};

static kl_status spline_of(const kl_resource_reader *r, const char *const *words,
                           kl_interpolation *kind)
{
    const kl_node *n    = kl_node_get(r->node, "spline");
    const char    *word = NULL;
    char           list[100];
    size_t         used = 0;
    *kind               = KL_CUBIC;
    if (!n) return KL_OK;
    KL_TRY(kl_value_word(r->s, n, "spline", &word));
    if (words == profile_splines) kl_interpolation_renamed(r->diag, n->place, "spline", &word);
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) return kl_interpolation_find(word, kind), KL_OK;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    }
    const char *near = kl_nearest(word, words);
    return kl_fail(r->diag, KL_E_NAME, n->place, "surface '%s': spline is '%s'%s%s%s; give %s",
                   r->node->key, word, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "", list);
}

/* [a, b], or {to: [a, b], radius: r} for an arc that ends there */
static kl_status profile_point(const kl_resource_reader *r, const kl_node *n, double ab[2],
                               double *radius)
{
    const kl_node *to = n->kind == KL_MAP ? kl_node_get(n, "to") : n;
    *radius           = 0.0;
    if (n->kind == KL_MAP && kl_node_get(n, "radius"))
        KL_TRY(kl_scope_number(r->s, kl_node_get(n, "radius"), "radius", "m", radius));
    if (!to || to->kind != KL_LIST || to->size != 2)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "surface '%s': a profile is a list of [a, b], or {to: [a, b], radius: r} "
                       "for an arc that ends there",
                       r->node->key);
    KL_TRY(kl_scope_number(r->s, to->first, "profile", "m", &ab[0]));
    return kl_scope_number(r->s, to->first->next, "profile", "m", &ab[1]);
}

static kl_status profile_of(const kl_resource_reader *r, const kl_node *list, kl_profile **out)
{
    kl_arena        *a = r->arena;
    kl_profile      *p = kl_arena_array(a, kl_profile, 1);
    kl_interpolation kind;
    double           ab[2], radius;
    if (!p) return KL_E_MEMORY;
    if (list->kind != KL_LIST || list->size < 2)
        return kl_fail(r->diag, KL_E_MODEL, list->place,
                       "surface '%s': a profile needs at least two points: [[a, b], ...]",
                       r->node->key);
    KL_TRY(profile_point(r, list->first, ab, &radius));
    kl_profile_begin(p, a, ab[0], ab[1]);
    if (kl_node_get(r->node, "spline")) {
        double *points = kl_arena_array(a, double, 2 * list->size), *to = points;
        if (!points) return KL_E_MEMORY;
        KL_TRY(spline_of(r, profile_splines, &kind));
        for (const kl_node *c = list->first->next; c; c = c->next, to += 2)
            KL_TRY(profile_point(r, c, to, &radius));
        KL_TRY(kl_profile_points(p, points, list->size - 1, kind, list->place, r->diag));
    } else {
        for (const kl_node *c = list->first->next; c; c = c->next) {
            KL_TRY(profile_point(r, c, ab, &radius));
            /* A positive radius bends to the left in the direction of the profile, a negative one
             * to the right. */
            if (radius != 0.0) KL_TRY(kl_profile_arc(p, ab[0], ab[1], radius, c->place, r->diag));
            else KL_TRY(kl_profile_line(p, ab[0], ab[1], c->place, r->diag));
        }
    }
    KL_TRY(kl_profile_end(p, 0.0, r->diag));
    *out = p;
    return KL_OK;
}

static kl_status read_revolution(const kl_resource_reader *r, const kl_node *n, kl_surface **out)
{
    kl_profile    *profile = NULL;
    const kl_node *factors = kl_node_get(r->node, "factors");
    double         f[2]    = {1.0, 1.0};
    KL_TRY(profile_of(r, n, &profile));
    if (factors) {
        if (factors->kind != KL_LIST || factors->size != 2)
            return kl_fail(r->diag, KL_E_MODEL, factors->place,
                           "surface '%s': factors are two numbers, [y, z]", r->node->key);
        KL_TRY(kl_scope_number(r->s, factors->first, "factors", "1", &f[0]));
        KL_TRY(kl_scope_number(r->s, factors->first->next, "factors", "1", &f[1]));
    }
    return kl_surface_revolution(profile, f[0], f[1], r->arena, out);
}

static kl_status read_sweep(const kl_resource_reader *r, const kl_node *n, kl_surface **out)
{
    kl_profile        *profile = NULL;
    const kl_node     *track   = kl_node_get(r->node, "track");
    char               what[160];
    const kl_resource *line = NULL;
    if (!track)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "surface '%s': sweep needs a `track` to sweep along", r->node->key);
    snprintf(what, sizeof what, "surface '%.100s': track", r->node->key);
    KL_TRY(kl_resource_find(r->s, r->m, track, what, "tracks", &line));
    KL_TRY(profile_of(r, n, &profile));
    return kl_surface_sweep(profile, ((const kl_named_track *)line->data)->path, r->arena, out);
}

static kl_status read_net(const kl_resource_reader *r, const kl_node *n, kl_surface **out)
{
    kl_net net = {.place = n->place, .nu = n->kind == KL_LIST ? n->size : 0};
    net.nv     = net.nu > 0 && n->first->kind == KL_LIST ? n->first->size : 0;
    if (net.nu < 2 || net.nv < 2 || (double)net.nu * net.nv > 1e6)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "surface '%s': a net is a list of rows of points, [[[x, y, z], ...], ...], "
                       "at least 2 x 2",
                       r->node->key);
    kl_vec3 *point = kl_arena_array(r->arena, kl_vec3, net.nu * net.nv);
    if (!point) return KL_E_MEMORY;
    net.point = point;
    for (const kl_node *row = n->first; row; row = row->next) {
        if (row->kind != KL_LIST || row->size != net.nv)
            return kl_fail(r->diag, KL_E_MODEL, row->place,
                           "surface '%s': every row of a net has as many points as the first, %d",
                           r->node->key, net.nv);
        for (const kl_node *c = row->first; c; c = c->next)
            KL_TRY(kl_value_vec3(r->s, c, "net", "m", point++));
    }
    KL_TRY(spline_of(r, net_splines, &net.kind));
    return kl_surface_net(&net, r->arena, r->diag, out);
}

/* {center: [a, b], first: [a, b], last: [a, b]}: the shorter way round from first to last. */
static kl_status arc_of(const kl_resource_reader *r, const kl_node *n, kl_arc2 *arc)
{
    static const char *const keys[] = {"center", "first", "last", NULL};
    double                   x[3][2];
    if (n->kind == KL_MAP) {
        kl_entry e = {
            .name = r->node->key, .section = "arc", .place = n->place, .chain = {n, NULL}};
        kl_values_unknown(r->s, &e, "arc", NULL, keys);
    }
    for (int i = 0; i < 3; i++) {
        const kl_node *p = n->kind == KL_MAP ? kl_node_get(n, keys[i]) : NULL;
        if (!p || p->kind != KL_LIST || p->size != 2)
            return kl_fail(r->diag, KL_E_MODEL, p ? p->place : n->place,
                           "surface '%s': an arc is {center: [a, b], first: [a, b], last: [a, b]}",
                           r->node->key);
        KL_TRY(kl_scope_number(r->s, p->first, keys[i], "m", &x[i][0]));
        KL_TRY(kl_scope_number(r->s, p->first->next, keys[i], "m", &x[i][1]));
    }
    char         what[128];
    kl_arc_radii radii = {0};
    snprintf(what, sizeof what, "surface '%.100s'", r->node->key);
    KL_TRY(kl_arc_from_points(r->diag, n->place, what, x, arc, &radii));
    kl_arc_note_radii(r->diag, what, &radii);
    if (!(fabs(arc->theta[1] - arc->theta[0]) > 1e-9))
        return kl_fail(r->diag, KL_E_RANGE, n->place,
                       "surface '%s': first and last are the same point; give two different points",
                       r->node->key);
    return KL_OK;
}

static kl_status factor_of(const kl_resource_reader *r, const char *key, double *out)
{
    const kl_node *n = kl_node_get(r->node, key);
    if (!n) return KL_OK;
    KL_TRY(kl_scope_number(r->s, n, key, "1", out));
    if (*out > 0.0) return KL_OK;
    return kl_fail(r->diag, KL_E_RANGE, n->place, "surface '%s': %s is %g; it must be positive",
                   r->node->key, key, *out);
}

static kl_status read_revolved_arc(const kl_resource_reader *r, const kl_node *n, kl_surface **out)
{
    kl_arc2 arc;
    double  x = 1.0, z = 1.0;
    KL_TRY(arc_of(r, n, &arc));
    KL_TRY(factor_of(r, "x_factor", &x));
    KL_TRY(factor_of(r, "z_factor", &z));
    kl_pose here = {.A = kl_identity()};
    return kl_surface_revolved_arc(&arc, x, z, here, r->arena, out);
}

static kl_status read_extruded_arc(const kl_resource_reader *r, const kl_node *n, kl_surface **out)
{
    static const char *const keys[]  = {"at", "orientation", NULL};
    const kl_node           *list    = kl_node_get(r->node, "nodes");
    kl_pose                  node[2] = {{.A = kl_identity()}, {.A = kl_identity()}};
    kl_arc2                  arc;
    KL_TRY(arc_of(r, n, &arc));
    if (!list || list->kind != KL_LIST || list->size != 2 || list->first->kind != KL_MAP ||
        list->first->next->kind != KL_MAP)
        return kl_fail(r->diag, KL_E_MODEL, list ? list->place : n->place,
                       "surface '%s': an arc is extruded between two nodes; give `nodes: [{at: [x, "
                       "y, z], orientation: ...}, {at: [x, y, z]}]`",
                       r->node->key);
    const kl_node *c = list->first;
    for (int i = 0; i < 2; i++, c = c->next) {
        kl_entry e = {
            .name = r->node->key, .section = "node", .place = c->place, .chain = {c, NULL}};
        const kl_node *at = kl_node_get(c, "at"), *turn = kl_node_get(c, "orientation");
        kl_values_unknown(r->s, &e, "node", NULL, keys);
        if (at) KL_TRY(kl_value_vec3(r->s, at, "at", "m", &node[i].r));
        if (turn) KL_TRY(kl_value_rotation(r->s, turn, "orientation", &node[i].A));
    }
    if (!(kl_norm(kl_sub(node[0].r, node[1].r)) > 0.0))
        return kl_fail(r->diag, KL_E_RANGE, list->place,
                       "surface '%s': both nodes are at the same position; move one of them",
                       r->node->key);
    return kl_surface_extruded_arc(&arc, node, r->arena, out);
}

static void close_file(void *file) { kl_surface_file_close(file); }

/* A table that `klingel track --surface` wrote. A large one is read through a window that moves with the
 * contact (Ambrosio 2019, figure 1.6). */
static kl_status read_table(const kl_resource_reader *r, const kl_node *n, kl_surface **out)
{
    const kl_node   *window = kl_node_get(r->node, "window");
    const char      *name   = NULL;
    int              points = 0;
    kl_surface_file *f      = NULL;
    KL_TRY(kl_value_word(r->s, n, "file", &name));
    const char *path = kl_path_beside(r->arena, n, name);
    kl_surface *copy = kl_arena_array(r->arena, kl_surface, 1);
    if (!path || !copy) return KL_E_MEMORY;
    if (window)
        KL_TRY(kl_scope_integer(r->s, window->text ? window->text : "", window->place, "window",
                                &points));
    if (window && (points < 4 || points > 4096))
        return kl_fail(r->diag, KL_E_RANGE, window->place,
                       "surface '%s': window is %d; give the number of points kept in each "
                       "direction, from 4 to 4096",
                       r->node->key, points);
    KL_TRY(kl_surface_file_open(path, points, r->diag, &f));
    KL_TRY(kl_model_at_end(r->m, close_file, f));
    *copy = *kl_surface_file_surface(f); /* placed apart from others of the same file */
    *out  = copy;
    return KL_OK;
}

static kl_status place_surface(const kl_resource_reader *r, kl_surface *surface)
{
    const kl_node *at = kl_node_get(r->node, "at"), *turn = kl_node_get(r->node, "orientation"),
                  *flip = kl_node_get(r->node, "flip");
    kl_pose pose        = {.A = kl_identity()};
    if (at) KL_TRY(kl_value_vec3(r->s, at, "at", "m", &pose.r));
    if (turn) KL_TRY(kl_value_rotation(r->s, turn, "orientation", &pose.A));
    if (at || turn) kl_surface_place(surface, pose);
    if (flip && flip->kind == KL_SCALAR && strcmp(flip->text, "true") == 0)
        surface->flip = !surface->flip;
    return KL_OK;
}

static kl_status read_surface(kl_resource_reader *r, void *data)
{
    static const char *const known[] = {
        "revolution", "sweep",    "net",   "revolved_arc", "extruded_arc", "spline", "factors",
        "x_factor",   "z_factor", "nodes", "track",        "flip",         "at",     "orientation",
        "file",       "window",   NULL};
    static const struct {
        const char *key;
        kl_status (*read)(const kl_resource_reader *r, const kl_node *n, kl_surface **out);
    } kinds[]              = {{"revolution", read_revolution},
                              {"sweep", read_sweep},
                              {"net", read_net},
                              {"revolved_arc", read_revolved_arc},
                              {"extruded_arc", read_extruded_arc},
                              {"file", read_table}};
    kl_named_surface *skin = data;
    kl_surface       *out  = NULL;
    kl_entry          e    = {.name    = r->node->key,
                              .section = "surface",
                              .place   = r->node->place,
                              .chain   = {r->node, NULL}};
    kl_values_unknown(r->s, &e, "surface", NULL, known);
    KL_TRY(kl_resource_refuse_mirror(r));
    skin->name = r->resource->name;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const kl_node *one = kl_node_get(r->node, kinds[i].key);
        if (!one) continue;
        KL_TRY(kinds[i].read(r, one, &out));
        KL_TRY(place_surface(r, out));
        skin->surface = out;
        return KL_OK;
    }
    return kl_fail(r->diag, KL_E_MODEL, r->node->place,
                   "surface '%s': its kind is missing; give `revolution`, `sweep`, `net`, "
                   "`revolved_arc`, `extruded_arc` or `file`",
                   r->node->key);
}

const kl_resource_type kl_surfaces = {
    .section = "surfaces",
    .word    = "surface",
    .help    = "surfaces that points of bodies stay on",
    .text =
        "    surfaces:\n"
        "      bowl: {revolution: [[0, 0.1], [0.2, 0.5], [0.5, 0.7]], spline: cubic, orientation: "
        "...}\n"
        "      dome: {revolution: [[-1, 0.01], {to: [1, 0.01], radius: -1}]}          # an arc\n"
        "      gutter: {sweep: [[-1, 0.2], [0, 0], [1, 0.2]], track: line, spline: cubic}\n"
        "      hill: {net: [[[0, 0, 0], [0, 1, 0.2]], [[1, 0, 0.1], [1, 1, 0]]]}\n"
        "      ball: {revolved_arc: {center: [0, 0], first: [0, -1], last: [0, 1]}, x_factor: 2}\n"
        "      rail: {extruded_arc: {center: [0, 0], first: [-3, -4], last: [3, -4]},\n"
        "             nodes: [{at: [0, 0, 0], orientation: ...}, {at: [2, 0, 0]}]}\n"
        "      far: {file: far.ksurf, window: 64}      # written by klingel track --surface\n\n"
        "A profile whose last point equals its first is closed (a torus, a tube).\n"
        "`revolution` turns a profile of points [x, radius] about the x axis of the surface, with\n"
        "`factors: [y, z]` to flatten it; `sweep` carries a profile [left, up] along a track; "
        "`net`\n"
        "interpolates rows of points (linear, cubic or quintic). `spline` lays a smooth line "
        "through\n"
        "the points, otherwise they are joined by straight lines and arcs {to: [a, b], radius: "
        "r}.\n"
        "`revolved_arc` turns an arc [x, y] about the y axis, `x_factor` and `z_factor` make it "
        "oval;\n"
        "`extruded_arc` joins an arc [x, y] of one node with the same arc of another, straight "
        "from\n"
        "point to point; an arc goes the shorter way from `first` to `last` about `center`.\n"
        "`file` reads a table of points and axes; of a large one only `window` x `window` points "
        "are\nin memory, around the contact.\n"
        "`at` and `orientation` place a surface, `flip: true` reverses its normal. The joint\n"
        "`point-on-surface` uses it; parameters are lengths along the profile (u) and the angle "
        "or\n"
        "length (v), of arcs the angle of revolution or -1 to 1 from node to node (u) and the "
        "angle\n"
        "along the arc (v). A body that carries it draws it with `shape: {surface: hill}`.\n",
    .example   = "{net: [[[-1, -1, 1], [-1, 0, 0.5], [-1, 1, 1]], [[0, -1, 0.5], [0, 0, 0], [0, 1, "
                 "0.5]],\n    [[1, -1, 1], [1, 0, 0.5], [1, 1, 1]]]}",
    .data_size = sizeof(kl_named_surface),
    .read      = read_surface,
};
