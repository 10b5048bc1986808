/* A beam in a model file: one entry that becomes rigid nodes and beam elements.
 *
 * Nodes carry the lumped inertia of the beam: half an element each for two-node elements, 1/6, 4/6,
 * 1/6 for three-node elements (the rule of Simpson, which keeps the element's order). With
 * `mass_matrix: consistent` elements add what the integral of rho A N_i N_j has beyond that; rotary
 * inertia stays at the nodes. Axes of nodes are those of the section at the start: x along the beam. */
#include "beams/beam.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "model/model.h"
#include "script/function.h"

enum { MOST_CHANNELS = 40 }; /* elements of a beam whose forces are recorded */

#define AT(field) offsetof(kl_beam_data, field)
#define POINT(word, field, si, otherwise, text)                                                    \
    {                                                                                              \
        .name = word, .kind = KL_KEY_NUMBERS, .offset = AT(field), .unit = si, .size = 3,          \
        .fallback = otherwise, .help = text                                                        \
    }

static const kl_key keys[] = {
    POINT("from", from, "m", "[0, 0, 0]", "first end"),
    POINT("to", to, "m", "[0, 0, 0]", "last end"),
    POINT("through", through, "m", "[1e300, 0, 0]",
          "point between the ends: the beam is the circular arc through it; default: straight"),
    {.name     = "track",
     .kind     = KL_KEY_RESOURCE,
     .words    = "tracks",
     .offset   = AT(track),
     .fallback = "",
     .help = "track that the beam follows, instead of from and to; the track gives the axes of the "
             "sections"},
    {.name     = "z_axis",
     .kind     = KL_KEY_AXIS,
     .offset   = AT(z_axis),
     .fallback = "",
     .help     = "direction of the section's z axis (its height); default: z, for a beam along z: "
                 "x, for an arc: normal to its plane"},
    {.name   = "section",
     .kind   = KL_KEY_RESOURCE,
     .words  = "sections",
     .offset = AT(section),
     .help   = "cross section, a name under `sections:`"},
    {.name     = "material",
     .kind     = KL_KEY_RESOURCE,
     .words    = "materials",
     .offset   = AT(material),
     .fallback = "",
     .help     = "material, a name under `materials:`, or steel, aluminium, ..."},
    {.name     = "elements",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(elements),
     .unit     = "1",
     .fallback = "10",
     .min      = 1,
     .max      = 100000,
     .help     = "number of elements; the forces of single elements (BEAM.e1.force.x) are channels "
                 "where there are at most 40"},
    {.name     = "element_nodes",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(element_nodes),
     .unit     = "1",
     .fallback = "2",
     .min      = 2,
     .max      = 3,
     .help     = "nodes of an element: 2 (error of second order) or 3 (fourth order)"},
    {.name     = "stations",
     .kind     = KL_KEY_TABLE,
     .offset   = AT(stations),
     .unit     = "m",
     .fallback = "{}",
     .help =
         "named nodes at given arc lengths from the first end, anywhere on the span: {pin: 0.4 m}; "
         "joints, forces and contacts refer to them like to bodies: BEAM.pin"},
    POINT("velocity", velocity, "m/s", "[0, 0, 0]", "initial velocity of the first end"),
    POINT("omega", omega, "rad/s", "[0, 0, 0]", "initial angular velocity"),
    {.name     = "pretension",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(pretension),
     .unit     = "N",
     .fallback = "0",
     .help     = "axial force at the start"},
    POINT("load", load, "N/m", "[0, 0, 0]", "distributed load, force per length, global axes"),
    {.name     = "load_factor",
     .kind     = KL_KEY_FUNCTION,
     .offset   = AT(load_factor),
     .unit     = "1",
     .fallback = "",
     .help     = "factor of the distributed load over time"},
    {.name     = "mass_matrix",
     .kind     = KL_KEY_WORD,
     .offset   = AT(mass_matrix),
     .words    = "lumped consistent",
     .fallback = "lumped",
     .help = "lumped: mass at the nodes only; consistent: integral of the shape functions, which "
             "couples the nodes"},
    {.name     = "damping",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(damping),
     .unit     = "s",
     .fallback = "0",
     .min      = 0,
     .max      = 1e300,
     .help     = "material damping: stress = C (strain + damping strain rate)"},
    {0}};

static void beam_place(void *data, const kl_placement *p)
{
    kl_beam_data *b = data;
    kl_store(b->from, kl_place_point(p, kl_load(b->from)));
    kl_store(b->to, kl_place_point(p, kl_load(b->to)));
    if (b->through[0] < 1e299) kl_store(b->through, kl_place_point(p, kl_load(b->through)));
    if (kl_norm(b->z_axis) > 0.0) b->z_axis = kl_place_arrow(p, b->z_axis);
    kl_store(b->velocity, kl_place_arrow(p, kl_load(b->velocity)));
    kl_store(b->omega, kl_place_turn(p, kl_load(b->omega)));
    kl_store(b->load, kl_place_arrow(p, kl_load(b->load)));
}

static kl_status refuse(const kl_setup *s, const char *what)
{
    return kl_fail(s->diag, KL_E_MODEL, s->place, "beam '%s': %s", s->name, what);
}

static kl_status take_line(kl_beam_data *b, const kl_setup *s)
{
    b->line           = (kl_beam_line){.from    = kl_load(b->from),
                                       .to      = kl_load(b->to),
                                       .through = kl_load(b->through),
                                       .arc     = b->through[0] < 1e299,
                                       .z       = b->z_axis,
                                       .path    = b->track ? b->track->path : NULL};
    const char *wrong = kl_beam_line_close(&b->line);
    return wrong ? refuse(s, wrong) : KL_OK;
}

static kl_status take_law(kl_beam_data *b, const kl_setup *s)
{
    if (!b->section) return KL_E_MODEL; /* reported when the key was read */
    if (!b->material && b->section->shape != KL_SECTION_STIFFNESS)
        return refuse(s,
                      "`material` is missing; name one under `materials:`, or give a section with "
                      "`shape: stiffness`");
    b->law = kl_beam_law_of(b->section, b->material);
    for (int i = 0; i < 6; i++)
        if (!(b->law.C[i] > 0.0))
            return refuse(s,
                          "its section has no stiffness in one direction; give all of EA, GA, GJ "
                          "and EI greater than 0");
    if (!b->material || !b->material->yields) return KL_OK;
    b->fibres = kl_fibres_create(b->section, b->material, &b->law, s->arena);
    if (!b->fibres)
        return refuse(
            s,
            "its material yields, so its section needs a shape with sizes instead of numbers, for "
            "example {shape: circle, radius: 6 mm} (rectangle, circle, tube, i, channel or "
            "polygon)");
    return KL_OK;
}

/* ---- where nodes lie ---- */

typedef struct station {
    const char *name;
    double      s;
} station;

static int by_length(const void *a, const void *b)
{
    double x = ((const station *)a)->s, y = ((const station *)b)->s;
    return (x > y) - (x < y);
}

/* Ends and stations in order. */
static kl_status take_stations(const kl_beam_data *b, const kl_setup *s, station **list, int *n)
{
    double length = b->line.length;
    *list         = kl_arena_array(s->arena, station, b->stations->n + 2);
    if (!*list) return KL_E_MEMORY;
    (*list)[0] = (station){"start", 0.0};
    for (int i = 0; i < b->stations->n; i++) {
        station at = {b->stations->name[i], b->stations->value[i]};
        if (strcmp(at.name, "start") == 0 || strcmp(at.name, "end") == 0)
            return kl_fail(
                s->diag, KL_E_MODEL, s->place,
                "beam '%s': `%s` is the name of its end node; choose another name for the "
                "station",
                s->name, at.name);
        if (!(at.s > 1e-9 * length && at.s < length * (1.0 - 1e-9)))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "beam '%s': station '%s' is at %.6g m; give an arc length between 0 and "
                           "%.6g m (its ends are called start and end)",
                           s->name, at.name, at.s, length);
        (*list)[i + 1] = at;
    }
    *n              = b->stations->n + 2;
    (*list)[*n - 1] = (station){"end", length};
    qsort(*list, (size_t)*n, sizeof **list, by_length);
    for (int i = 1; i < *n; i++)
        if ((*list)[i].s - (*list)[i - 1].s < 1e-9 * length)
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "beam '%s': stations '%s' and '%s' are at the same place; remove one",
                           s->name, (*list)[i - 1].name, (*list)[i].name);
    return KL_OK;
}

static int share_of(const kl_beam_data *b, double length)
{
    int n = (int)(b->elements * length / b->line.length + 0.5);
    return n > 0 ? n : 1;
}

/* ---- nodes ---- */

static kl_status add_node(kl_beam_data *b, const kl_setup *s, kl_model *m, const char *name,
                          double at)
{
    char number[16];
    snprintf(number, sizeof number, "%d", b->nnode + 1);
    const char *full = kl_arena_format(s->arena, "%s.%s", s->name, name ? name : number);
    kl_body    *node = full ? kl_model_add_body(m, &kl_rigid, full, s->place) : NULL;
    kl_vec3     r;
    kl_mat3     A;
    if (!node || !node->data) return KL_E_MEMORY;
    kl_beam_line_at(&b->line, at, &r, &A);
    kl_vec3 arm = kl_sub(r, kl_load(b->from)), w = kl_load(b->omega);
    kl_store(kl_body_value(node, "position"), r);
    kl_store(kl_body_value(node, "velocity"), kl_add(kl_load(b->velocity), kl_cross(w, arm)));
    kl_store(kl_body_value(node, "omega"), w);
    *(kl_mat3 *)kl_body_value(node, "orientation")  = A;
    *(kl_mat3 *)kl_body_value(node, "inertia_axes") = kl_identity();
    node->quiet                                     = name == NULL;
    node->hidden                                    = true;
    b->s[b->nnode++]                                = at;
    return KL_OK;
}

/* Adds the inertia of a length of beam to a node. */
static void add_inertia(kl_body *node, const kl_beam_law *law, double length)
{
    *(double *)kl_body_value(node, "mass") += law->mass * length;
    kl_mat3 *J = kl_body_value(node, "inertia");
    for (int i = 0; i < 3; i++) J->m[i][i] += law->inertia[i] * length;
    J->m[1][2] -= law->inertia_yz * length, J->m[2][1] -= law->inertia_yz * length;
}

static kl_status add_nodes(kl_beam_data *b, const kl_setup *s, kl_model *m, const station *list,
                           int n)
{
    int per = (int)b->element_nodes - 1;
    KL_TRY(add_node(b, s, m, list[0].name, 0.0));
    for (int i = 1; i < n; i++) {
        int pieces = per * share_of(b, list[i].s - list[i - 1].s);
        for (int k = 1; k <= pieces; k++) {
            double part = (double)k / pieces, at = list[i - 1].s * (1.0 - part) + list[i].s * part;
            KL_TRY(add_node(b, s, m, k == pieces ? list[i].name : NULL, at));
        }
    }
    return KL_OK;
}

/* sqrt(12 EI/EA) is the height of a rectangle. One above twice the length is no beam but a missing `mm`. */
static void look_at_size(const kl_beam_data *b, const kl_setup *s)
{
    double height = sqrt(12.0 * fmax(b->law.C[4], b->law.C[5]) / b->law.C[0]);
    if (height > 2.0 * b->line.length && isfinite(height))
        kl_warn(
            s->diag, s->place,
            "beam '%s': its section is about %.3g m high and it is %.3g m long; check the units "
            "of the section, for example `height: 40 mm`",
            s->name, height, b->line.length);
}

static kl_status beam_expand(void *data, const kl_setup *s, kl_model *m)
{
    kl_beam_data *b    = data;
    station      *list = NULL;
    int           n = 0, first = m->nbody, per = (int)b->element_nodes - 1, pieces = 0;
    if (b->elements != floor(b->elements) || b->element_nodes != floor(b->element_nodes))
        return refuse(s, "`elements` and `element_nodes` must be whole numbers");
    KL_TRY(take_line(b, s));
    KL_TRY(take_law(b, s));
    look_at_size(b, s);
    KL_TRY(take_stations(b, s, &list, &n));
    for (int i = 1; i < n; i++) pieces += share_of(b, list[i].s - list[i - 1].s);
    b->s = kl_arena_array(s->arena, double, per *pieces + 1);
    if (!b->s) return KL_E_MEMORY;
    KL_TRY(add_nodes(b, s, m, list, n));
    for (int i = 0; i + per < b->nnode; i += per) {
        double length = b->s[i + per] - b->s[i];
        for (int k = 0; k <= per; k++)
            add_inertia(&m->body[first + i + k], &b->law,
                        length * (per == 1 ? 0.5
                                  : k == 1 ? 4.0 / 6.0
                                           : 1.0 / 6.0));
    }
    return KL_OK;
}

/* ---- elements ---- */

/* rho A times the integrals of N_i N_j, less the row sums that the nodes carry. */
static void set_mass(kl_beam_piece *p, double mass)
{
    static const double two[4]   = {2, 1, 1, 2};                   /* over 6 */
    static const double three[9] = {4, 2, -1, 2, 16, 2, -1, 2, 4}; /* over 30 */
    int                 n        = p->rule.n;
    double              scale    = mass * p->rule.length / (n == 2 ? 6.0 : 30.0);
    const double       *N        = n == 2 ? two : three;
    memset(p->mass, 0, sizeof p->mass);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            p->mass[i * n + j] += scale * N[i * n + j];
            p->mass[i * n + i] -= scale * N[i * n + j];
        }
}

static kl_status beam_connect(void *data, const kl_setup *s, kl_model *m)
{
    kl_beam_data *b     = data;
    const char   *first = kl_arena_format(s->arena, "%s.start", s->name);
    int           node = first ? kl_model_find_body(m, first) : -1, per = (int)b->element_nodes - 1;
    if (node < 0) return KL_E_MEMORY;
    int pieces = (b->nnode - 1) / per;
    for (int i = 0; i < pieces; i++) {
        const char *name = kl_arena_format(s->arena, "%s.e%d", s->name, i + 1);
        kl_element *e =
            name ? kl_model_add_element(m, &kl_beam_element, name, s->place, false) : NULL;
        if (!e || !e->data) return KL_E_MEMORY;
        kl_beam_piece *p = e->data;
        p->beam          = b;
        p->rule          = kl_beam_rule_of(per + 1, b->s[(i + 1) * per] - b->s[i * per]);
        set_mass(p, b->law.mass);
        e->nmarker      = per + 1;
        e->quiet        = pieces > MOST_CHANNELS;
        kl_marker frame = {.A = kl_identity()};
        for (int k = 0; k <= per; k++) KL_TRY(kl_model_add_marker(m, node + i * per + k, &frame));
    }
    return KL_OK;
}

/* A joint at a point of the beam holds the section there: the node must be in that section. */
static int beam_holder(const void *data, const kl_setup *s, const kl_model *m, kl_vec3 r)
{
    const kl_beam_data *b     = data;
    const char         *first = kl_arena_format(s->arena, "%s.start", s->name);
    int                 node = first ? kl_model_find_body(m, first) : -1, best = 0;
    double              near = HUGE_VAL, along = 0.0, where = 0.0;
    for (int i = 0; i < b->nnode; i++) {
        kl_vec3 at;
        kl_mat3 A;
        kl_beam_line_at(&b->line, b->s[i], &at, &A);
        kl_vec3 d = kl_sub(r, at);
        if (kl_norm(d) >= near) continue;
        near  = kl_norm(d);
        best  = i;
        along = kl_dot(d, kl_axis(&A, 0));
        where = b->s[i] + along;
    }
    if (fabs(along) > 1e-6 * b->line.length) {
        kl_fail(s->diag, KL_E_MODEL, s->place,
                "beam '%s' has no node at this point; give it one with `stations: {pin: %.6g}` and "
                "name `%s.pin`",
                s->name, where, s->name);
        return -1;
    }
    return node < 0 ? -1 : node + best;
}

const kl_body_type kl_beam = {
    .name      = "beam",
    .help      = "slender part with large deformations: rigid nodes and beam elements between them",
    .example   = "rod: {type: beam, from: [0, 0, 0], to: [1, 0, 0], section: bar, material: steel, "
                 "elements: 10}",
    .keys      = keys,
    .data_size = sizeof(kl_beam_data),
    .place     = beam_place,
    .expand    = beam_expand,
    .connect   = beam_connect,
    .holder    = beam_holder};
