/* surfaces:
 *   bowl: {revolution: [[0, 0.1], [0.5, 0.6]], spline: cubic, at: [..], orientation: {..}}
 *   gutter: {sweep: [[-1, 0], [1, 0]], track: line}
 *   hill: {net: [[[x, y, z], ...], ...], spline: cubic}
 *   tread: {revolved_arc: {center: [..], first: [..], last: [..]}, x_factor: 1, z_factor: 1}
 *   head: {extruded_arc: {center: ..}, nodes: [{at: [..], orientation: {..}}, {at: [..]}]}
 *
 * Profiles after Ambrosio 2019, section 1.2; arcs after Craveiro Neto 2020, chapter 5. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/surface.h"
#include "language/lines.h"

typedef struct surface_reader {
    kl_builder    *b;
    kl_scope      *s;
    const kl_node *n;
} surface_reader;

static const char *const profile_splines[] = {"linear",           "cubic",   "akima",
                                              "shape-preserving", "quintic", NULL};
/* of a net only those that are linear in the points: else its cells would not meet */
static const char *const net_splines[] = {"linear", "cubic", "quintic", NULL};

static kl_status spline_of(const surface_reader *r, const char *const *words,
                           kl_interpolation *kind)
{
    const kl_node *n    = kl_node_get(r->n, "spline");
    const char    *word = NULL;
    char           list[100];
    size_t         used = 0;
    *kind               = KL_CUBIC;
    if (!n) return KL_OK;
    KL_TRY(kl_value_word(r->s, n, "spline", &word));
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) return kl_interpolation_find(word, kind), KL_OK;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    }
    const char *near = kl_nearest(word, words);
    return kl_fail(r->b->diag, KL_E_NAME, n->place, "surface '%s': spline is '%s'%s%s%s; give %s",
                   r->n->key, word, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "", list);
}

/* [a, b], or {to: [a, b], radius: r} for an arc that ends there */
static kl_status profile_point(const surface_reader *r, const kl_node *n, double ab[2],
                               double *radius)
{
    const kl_node *to = n->kind == KL_MAP ? kl_node_get(n, "to") : n;
    *radius           = 0.0;
    if (n->kind == KL_MAP && kl_node_get(n, "radius"))
        KL_TRY(kl_scope_number(r->s, kl_node_get(n, "radius"), "radius", "m", radius));
    if (!to || to->kind != KL_LIST || to->size != 2)
        return kl_fail(r->b->diag, KL_E_MODEL, n->place,
                       "surface '%s': a profile is a list of [a, b], or {to: [a, b], radius: r} "
                       "for an arc that ends there",
                       r->n->key);
    KL_TRY(kl_scope_number(r->s, to->first, "profile", "m", &ab[0]));
    return kl_scope_number(r->s, to->first->next, "profile", "m", &ab[1]);
}

static kl_status profile_of(const surface_reader *r, const kl_node *list, kl_profile **out)
{
    kl_arena        *a = r->b->m->arena;
    kl_profile      *p = kl_arena_array(a, kl_profile, 1);
    kl_interpolation kind;
    double           ab[2], radius;
    if (!p) return KL_E_MEMORY;
    if (list->kind != KL_LIST || list->size < 2)
        return kl_fail(r->b->diag, KL_E_MODEL, list->place,
                       "surface '%s': a profile wants two points or more, [[a, b], ...]",
                       r->n->key);
    KL_TRY(profile_point(r, list->first, ab, &radius));
    kl_profile_begin(p, a, ab[0], ab[1]);
    if (kl_node_get(r->n, "spline")) {
        double *points = kl_arena_array(a, double, 2 * list->size), *to = points;
        if (!points) return KL_E_MEMORY;
        KL_TRY(spline_of(r, profile_splines, &kind));
        for (const kl_node *c = list->first->next; c; c = c->next, to += 2)
            KL_TRY(profile_point(r, c, to, &radius));
        KL_TRY(kl_profile_points(p, points, list->size - 1, kind, list->place, r->b->diag));
    } else {
        for (const kl_node *c = list->first->next; c; c = c->next) {
            KL_TRY(profile_point(r, c, ab, &radius));
            if (radius != 0.0)
                KL_TRY(kl_profile_arc(p, ab[0], ab[1], radius, c->place, r->b->diag));
            else KL_TRY(kl_profile_line(p, ab[0], ab[1], c->place, r->b->diag));
        }
    }
    KL_TRY(kl_profile_end(p, 0.0, r->b->diag));
    *out = p;
    return KL_OK;
}

static kl_status read_revolution(const surface_reader *r, const kl_node *n, kl_surface **out)
{
    kl_profile    *profile = NULL;
    const kl_node *factors = kl_node_get(r->n, "factors");
    double         f[2]    = {1.0, 1.0};
    KL_TRY(profile_of(r, n, &profile));
    if (factors) {
        if (factors->kind != KL_LIST || factors->size != 2)
            return kl_fail(r->b->diag, KL_E_MODEL, factors->place,
                           "surface '%s': factors are two numbers, [y, z]", r->n->key);
        KL_TRY(kl_scope_number(r->s, factors->first, "factors", "1", &f[0]));
        KL_TRY(kl_scope_number(r->s, factors->first->next, "factors", "1", &f[1]));
    }
    return kl_surface_revolution(profile, f[0], f[1], r->b->m->arena, out);
}

static kl_status read_sweep(const surface_reader *r, const kl_node *n, kl_surface **out)
{
    kl_profile    *profile = NULL;
    const kl_node *track   = kl_node_get(r->n, "track");
    const char    *word    = NULL;
    if (!track)
        return kl_fail(r->b->diag, KL_E_MODEL, n->place,
                       "surface '%s': sweep needs a `track` to sweep along", r->n->key);
    KL_TRY(kl_value_word(r->s, track, "track", &word));
    int i = kl_model_find_line(r->b->m, word);
    if (i < 0 || !r->b->m->line[i].path)
        return kl_fail(r->b->diag, KL_E_NAME, track->place,
                       "surface '%s': there is no track '%s'; name it under `tracks:`", r->n->key,
                       word);
    KL_TRY(profile_of(r, n, &profile));
    return kl_surface_sweep(profile, r->b->m->line[i].path, r->b->m->arena, out);
}

static kl_status read_net(const surface_reader *r, const kl_node *n, kl_surface **out)
{
    kl_net net = {.place = n->place, .nu = n->kind == KL_LIST ? n->size : 0};
    net.nv     = net.nu > 0 && n->first->kind == KL_LIST ? n->first->size : 0;
    if (net.nu < 2 || net.nv < 2 || (double)net.nu * net.nv > 1e6)
        return kl_fail(r->b->diag, KL_E_MODEL, n->place,
                       "surface '%s': a net is a list of rows of points, [[[x, y, z], ...], ...], "
                       "at least 2 x 2",
                       r->n->key);
    kl_vec3 *point = kl_arena_array(r->b->m->arena, kl_vec3, net.nu * net.nv);
    if (!point) return KL_E_MEMORY;
    net.point = point;
    for (const kl_node *row = n->first; row; row = row->next) {
        if (row->kind != KL_LIST || row->size != net.nv)
            return kl_fail(r->b->diag, KL_E_MODEL, row->place,
                           "surface '%s': every row of a net has as many points as the first, %d",
                           r->n->key, net.nv);
        for (const kl_node *c = row->first; c; c = c->next)
            KL_TRY(kl_value_vec3(r->s, c, "net", "m", point++));
    }
    KL_TRY(spline_of(r, net_splines, &net.kind));
    return kl_surface_net(&net, r->b->m->arena, r->b->diag, out);
}

/* {center: [a, b], first: [a, b], last: [a, b]}: the shorter way round from first to last. */
static kl_status arc_of(const surface_reader *r, const kl_node *n, kl_arc2 *arc)
{
    static const char *const keys[] = {"center", "first", "last", NULL};
    double                   x[3][2];
    if (n->kind == KL_MAP) {
        kl_entry e = {.name = r->n->key, .section = "arc", .place = n->place, .chain = {n, NULL}};
        kl_values_unknown(r->s, &e, "arc", NULL, keys);
    }
    for (int i = 0; i < 3; i++) {
        const kl_node *p = n->kind == KL_MAP ? kl_node_get(n, keys[i]) : NULL;
        if (!p || p->kind != KL_LIST || p->size != 2)
            return kl_fail(r->b->diag, KL_E_MODEL, p ? p->place : n->place,
                           "surface '%s': an arc is {center: [a, b], first: [a, b], last: [a, b]}",
                           r->n->key);
        KL_TRY(kl_scope_number(r->s, p->first, keys[i], "m", &x[i][0]));
        KL_TRY(kl_scope_number(r->s, p->first->next, keys[i], "m", &x[i][1]));
    }
    if (kl_arc2_make(x[0], x[1], x[2], arc) != KL_OK)
        return kl_fail(r->b->diag, KL_E_RANGE, n->place,
                       "surface '%s': first and last are %g and %g m from the center; both must "
                       "lie on the arc",
                       r->n->key, hypot(x[1][0] - x[0][0], x[1][1] - x[0][1]),
                       hypot(x[2][0] - x[0][0], x[2][1] - x[0][1]));
    if (!(fabs(arc->theta[1] - arc->theta[0]) > 1e-9))
        return kl_fail(r->b->diag, KL_E_RANGE, n->place,
                       "surface '%s': first and last are one point; give an arc of some length",
                       r->n->key);
    return KL_OK;
}

static kl_status factor_of(const surface_reader *r, const char *key, double *out)
{
    const kl_node *n = kl_node_get(r->n, key);
    if (!n) return KL_OK;
    KL_TRY(kl_scope_number(r->s, n, key, "1", out));
    if (*out > 0.0) return KL_OK;
    return kl_fail(r->b->diag, KL_E_RANGE, n->place, "surface '%s': %s is %g; give one above zero",
                   r->n->key, key, *out);
}

static kl_status read_revolved_arc(const surface_reader *r, const kl_node *n, kl_surface **out)
{
    kl_arc2 arc;
    double  x = 1.0, z = 1.0;
    KL_TRY(arc_of(r, n, &arc));
    KL_TRY(factor_of(r, "x_factor", &x));
    KL_TRY(factor_of(r, "z_factor", &z));
    kl_pose here = {.A = kl_identity()};
    return kl_surface_revolved_arc(&arc, x, z, here, r->b->m->arena, out);
}

static kl_status read_extruded_arc(const surface_reader *r, const kl_node *n, kl_surface **out)
{
    static const char *const keys[]  = {"at", "orientation", NULL};
    const kl_node           *list    = kl_node_get(r->n, "nodes");
    kl_pose                  node[2] = {{.A = kl_identity()}, {.A = kl_identity()}};
    kl_arc2                  arc;
    KL_TRY(arc_of(r, n, &arc));
    if (!list || list->kind != KL_LIST || list->size != 2 || list->first->kind != KL_MAP ||
        list->first->next->kind != KL_MAP)
        return kl_fail(r->b->diag, KL_E_MODEL, list ? list->place : n->place,
                       "surface '%s': an arc is extruded between two nodes; give `nodes: [{at: [x, "
                       "y, z], orientation: ...}, {at: [x, y, z]}]`",
                       r->n->key);
    const kl_node *c = list->first;
    for (int i = 0; i < 2; i++, c = c->next) {
        kl_entry e = {.name = r->n->key, .section = "node", .place = c->place, .chain = {c, NULL}};
        const kl_node *at = kl_node_get(c, "at"), *turn = kl_node_get(c, "orientation");
        kl_values_unknown(r->s, &e, "node", NULL, keys);
        if (at) KL_TRY(kl_value_vec3(r->s, at, "at", "m", &node[i].r));
        if (turn) KL_TRY(kl_value_rotation(r->s, turn, "orientation", &node[i].A));
    }
    if (!(kl_norm(kl_sub(node[0].r, node[1].r)) > 0.0))
        return kl_fail(r->b->diag, KL_E_RANGE, list->place,
                       "surface '%s': both nodes are in one place; put them apart", r->n->key);
    return kl_surface_extruded_arc(&arc, node, r->b->m->arena, out);
}

static kl_status place_surface(const surface_reader *r, kl_surface *surface)
{
    const kl_node *at = kl_node_get(r->n, "at"), *turn = kl_node_get(r->n, "orientation"),
                  *flip = kl_node_get(r->n, "flip");
    kl_pose pose        = {.A = kl_identity()};
    if (at) KL_TRY(kl_value_vec3(r->s, at, "at", "m", &pose.r));
    if (turn) KL_TRY(kl_value_rotation(r->s, turn, "orientation", &pose.A));
    if (at || turn) kl_surface_place(surface, pose);
    if (flip && flip->kind == KL_SCALAR && strcmp(flip->text, "true") == 0)
        surface->flip = !surface->flip;
    return KL_OK;
}

kl_status kl_surface_read(kl_builder *b, const kl_node *n)
{
    static const char *const known[] = {"revolution",   "sweep",       "net",     "revolved_arc",
                                        "extruded_arc", "spline",      "factors", "x_factor",
                                        "z_factor",     "nodes",       "track",   "flip",
                                        "at",           "orientation", NULL};
    static const struct {
        const char *key;
        kl_status (*read)(const surface_reader *r, const kl_node *n, kl_surface **out);
    } kinds[]          = {{"revolution", read_revolution},
                          {"sweep", read_sweep},
                          {"net", read_net},
                          {"revolved_arc", read_revolved_arc},
                          {"extruded_arc", read_extruded_arc}};
    surface_reader r   = {b, &b->now->scope, n};
    kl_surface    *out = NULL;
    if (n->kind != KL_MAP)
        return kl_fail(b->diag, KL_E_MODEL, n->place,
                       "surface '%s' is %s; give {revolution: [[a, r], ...]}, {sweep: ...} or "
                       "{net: ...}",
                       n->key, kl_node_kind_word(n->kind));
    kl_entry e = {.name = n->key, .section = "surface", .place = n->place, .chain = {n, NULL}};
    kl_values_unknown(r.s, &e, "surface", NULL, known);
    kl_sheet *skin = kl_model_add_skin(b->m, n->key, n->place);
    if (!skin || !(skin->text = kl_value_text(&b->now->scope, n, b->m->arena))) return KL_E_MEMORY;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const kl_node *one = kl_node_get(n, kinds[i].key);
        if (!one) continue;
        KL_TRY(kinds[i].read(&r, one, &out));
        KL_TRY(place_surface(&r, out));
        skin->surface = out;
        return KL_OK;
    }
    return kl_fail(b->diag, KL_E_MODEL, n->place,
                   "surface '%s': nothing says what it is; give `revolution`, `sweep`, `net`, "
                   "`revolved_arc` or `extruded_arc`",
                   n->key);
}
