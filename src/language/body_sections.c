/* Materials and sections of a body file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/body_parts.h"

/* `hardening`: isotropic, kinematic, or the isotropic share as a number */
static kl_status read_hardening(kl_body_reader *r, const kl_node *n, const char *what,
                                kl_material *m)
{
    static const char *const words[] = {"isotropic", "kinematic", NULL};
    const kl_node           *h       = kl_node_get(n, "hardening");
    const char              *word    = NULL;
    m->isotropic                     = 1.0;
    if (!h) return KL_OK;
    for (int i = 0; words[i]; i++)
        if (h->kind == KL_SCALAR && strcmp(h->text, words[i]) == 0) {
            m->isotropic = i == 0;
            return KL_OK;
        }
    if (h->kind == KL_SCALAR && (word = kl_nearest(h->text, words)) != NULL)
        return kl_fail(r->diag, KL_E_NAME, h->place,
                       "%s: hardening '%s' is not known; did you mean '%s'?", what, h->text, word);
    KL_TRY(kl_scope_number(&r->scope, h, what, "1", &m->isotropic));
    if (m->isotropic >= 0.0 && m->isotropic <= 1.0) return KL_OK;
    return kl_fail(
        r->diag, KL_E_RANGE, h->place,
        "%s: hardening is %g; give isotropic, kinematic, or the isotropic share between 0 "
        "and 1",
        what, m->isotropic);
}

/* `yield`: one stress, or a table [[plastic strain, stress], ...] */
static kl_status read_yield(kl_body_reader *r, const kl_node *n, const char *what, kl_material *m)
{
    const kl_node *y = kl_node_get(n, "yield"), *h = kl_node_get(n, "hardening");
    if (!y && !h) return KL_OK;
    if (!y || (y->kind == KL_LIST && y->size == 0))
        return kl_fail(
            r->diag, KL_E_MODEL, y ? y->place : h->place,
            y ? "%s: `yield` has no rows; give a yield stress such as `yield: 250 MPa`, or "
                "remove `yield` for an elastic material"
              : "%s has `hardening` but no `yield`; give a yield stress such as `yield: "
                "250 MPa`, or remove `hardening`",
            what);
    m->nyield = y->kind == KL_LIST ? y->size : 1;
    m->yield  = kl_arena_take(r->arena, (size_t)(m->nyield + 1) * sizeof *m->yield);
    if (!m->yield) return KL_E_MEMORY;
    if (y->kind != KL_LIST) {
        m->yield[0][0] = 0.0;
        KL_TRY(kl_scope_number(&r->scope, y, what, "Pa", &m->yield[0][1]));
        return read_hardening(r, n, what, m);
    }
    int i = 0;
    for (const kl_node *row = y->first; row; row = row->next, i++) {
        if (row->kind != KL_LIST || row->size != 2)
            return kl_fail(
                r->diag, KL_E_MODEL, row->place,
                "%s: a row of `yield` is a plastic strain and a stress, for example [0.02, "
                "300 MPa]",
                what);
        KL_TRY(kl_scope_number(&r->scope, row->first, what, "1", &m->yield[i][0]));
        KL_TRY(kl_scope_number(&r->scope, row->first->next, what, "Pa", &m->yield[i][1]));
        /* dY/dp >= 0: with a falling yield stress the rate equations lose uniqueness */
        if (i > 0 && m->yield[i][1] < m->yield[i - 1][1])
            return kl_fail(
                r->diag, KL_E_RANGE, row->place,
                "%s: the yield stress falls from %g to %g MPa in row %d; it must not fall "
                "with the plastic strain. Leave out the falling part (softening needs "
                "another material law)",
                what, 1e-6 * m->yield[i - 1][1], 1e-6 * m->yield[i][1], i + 1);
        /* p = strain - stress/E: a curve over total strain would begin at Y/E instead of 0 */
        if (i > 0 ? m->yield[i][0] <= m->yield[i - 1][0] : m->yield[0][0] != 0.0)
            return kl_fail(
                r->diag, KL_E_RANGE, row->place,
                "%s: row %d of `yield` has the plastic strain %g; the first row is at 0 and "
                "plastic strain (total strain less stress/E) increases from row to row",
                what, i + 1, m->yield[i][0]);
    }
    return read_hardening(r, n, what, m);
}

static kl_status read_material(kl_body_reader *r, const kl_node *n, const char *name, int *index)
{
    static const char *const keys[] = {"E",   "nu",   "density", "E1",        "E2",
                                       "E3",  "nu12", "nu13",    "nu23",      "G12",
                                       "G13", "G23",  "yield",   "hardening", NULL};
    const char              *what   = kl_arena_format(r->arena, "material '%s'", name);
    kl_material              m      = {.name = name, .place = n->place};
    KL_TRY(kl_body_check_keys(r, n, what, keys));
    /* E1 alone decides; the checks of the material then ask for the other constants of its kind. */
    m.kind = kl_node_get(n, "E1") ? KL_ORTHOTROPIC : KL_ISOTROPIC;
    const struct {
        const char *key, *unit;
        double     *to;
    } values[] = {{"E", "Pa", &m.E},      {"nu", "1", &m.nu},     {"density", "kg/m3", &m.rho},
                  {"E1", "Pa", &m.E1},    {"E2", "Pa", &m.E2},    {"E3", "Pa", &m.E3},
                  {"nu12", "1", &m.nu12}, {"nu13", "1", &m.nu13}, {"nu23", "1", &m.nu23},
                  {"G12", "Pa", &m.G12},  {"G13", "Pa", &m.G13},  {"G23", "Pa", &m.G23}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        KL_TRY(kl_body_number(r, n, values[i].key, what, values[i].unit, values[i].to));
    KL_TRY(read_yield(r, n, what, &m));
    if (m.kind == KL_ISOTROPIC && !kl_node_get(n, "E"))
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "%s has no Young's modulus; give `E`, for example `E: 210 GPa`", what);
    if (!kl_node_get(n, "density"))
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "%s has no density; give `density`, for example `density: 7850 kg/m3`",
                       what);
    *index = kl_mesh_add_material(r->out->mesh, &m);
    if (*index >= 0) r->out->mesh->material[*index].place = n->place;
    return *index < 0 ? KL_E_MEMORY : KL_OK;
}

static kl_status material_by_name(kl_body_reader *r, const kl_node *n, const char *what, int *index)
{
    const char *name;
    if (!n)
        return kl_fail(r->diag, KL_E_MODEL, KL_NOWHERE,
                       "%s has no material; give `material: NAME` with a name under `materials:`",
                       what);
    KL_TRY(kl_value_word(&r->scope, n, what, &name));
    *index = kl_mesh_find_material(r->out->mesh, name);
    if (*index >= 0) return KL_OK;
    return kl_fail(r->diag, KL_E_NAME, n->place,
                   "%s: there is no material '%s'; define it under `materials:`", what, name);
}

static kl_status read_plies(kl_body_reader *r, const kl_node *n, const char *what, kl_property *p)
{
    static const char *const keys[] = {"material", "thickness", "angle", NULL};
    p->kind                         = KL_LAMINATE;
    /* NAN: bottom face at -t/2, so that the nodes lie in the middle of the laminate */
    p->bottom = (double)NAN;
    p->nply   = 0;
    p->ply    = kl_arena_array(r->arena, kl_ply, n->size + 1);
    if (!p->ply) return KL_E_MEMORY;
    if (n->kind != KL_LIST)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "%s: `plies` must be a list of plies, the bottom ply first", what);
    for (const kl_node *c = n->first; c; c = c->next) {
        kl_ply *ply = &p->ply[p->nply++];
        KL_TRY(kl_body_check_keys(r, c, what, keys));
        KL_TRY(material_by_name(r, kl_node_get(c, "material"), what, &ply->material));
        KL_TRY(kl_body_number(r, c, "thickness", what, "m", &ply->thickness));
        KL_TRY(kl_body_number(r, c, "angle", what, "rad", &ply->angle));
    }
    return KL_OK;
}

/* What a shape of beam section needs, and nothing else of these; all are positive. */
static kl_status check_sizes(kl_body_reader *r, const kl_node *n, const char *what,
                             const char *shape, const char *const *needs)
{
    static const char *const sizes[] = {"radius", "thickness", "width", "height", "flange", "web",
                                        "area",   "Iy",        "Iz",    "J",      NULL};
    for (int i = 0; sizes[i]; i++) {
        const kl_node *given = kl_node_get(n, sizes[i]);
        int            k     = 0;
        double         value = 0;
        while (needs[k] && strcmp(needs[k], sizes[i]) != 0) k++;
        if (!given && needs[k])
            return kl_fail(r->diag, KL_E_MODEL, n->place, "%s: `section: %s` needs `%s`", what,
                           shape, sizes[i]);
        if (given && !needs[k] && i < 6)
            return kl_fail(r->diag, KL_E_MODEL, given->place,
                           "%s: `section: %s` has no `%s`; remove it", what, shape, sizes[i]);
        if (!given) continue;
        KL_TRY(kl_body_number(r, n, sizes[i], what, i < 6 ? "m" : i == 6 ? "m2" : "m4", &value));
        if (!(value > 0))
            return kl_fail(r->diag, KL_E_RANGE, given->place, "%s: `%s` is %g; it must be positive",
                           what, sizes[i], value);
    }
    return KL_OK;
}

static kl_status read_beam(kl_body_reader *r, const kl_node *n, const char *what, kl_property *p)
{
    static const char *const shapes[]   = {"circle", "tube", "rectangle", "i", "general", NULL};
    static const char *const needs[][5] = {{"radius"},
                                           {"radius", "thickness"},
                                           {"width", "height"},
                                           {"height", "width", "flange", "web"},
                                           {"area", "Iy", "Iz", "J"}};
    double                   radius = 0, thickness = 0, width = 0, height = 0, flange = 0, web = 0;
    int                      shape = 0;
    KL_TRY(kl_body_choice(r, kl_node_get(n, "section"), what, shapes, &shape));
    KL_TRY(check_sizes(r, n, what, shapes[shape], needs[shape]));
    const struct {
        const char *key, *unit;
        double     *to;
    } sizes[] = {{"radius", "m", &radius}, {"thickness", "m", &thickness}, {"width", "m", &width},
                 {"height", "m", &height}, {"flange", "m", &flange},       {"web", "m", &web}},
      constant[] = {{"area", "m2", &p->area}, {"Iy", "m4", &p->Iy}, {"Iz", "m4", &p->Iz},
                    {"Iyz", "m4", &p->Iyz},   {"J", "m4", &p->J},   {"ky", "1", &p->ky},
                    {"kz", "1", &p->kz}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        KL_TRY(kl_body_number(r, n, sizes[i].key, what, sizes[i].unit, sizes[i].to));
    if ((shape == 1 && thickness > radius) || (shape == 3 && (2 * flange > height || web > width)))
        return kl_fail(r->diag, KL_E_RANGE, n->place,
                       "%s: the walls are thicker than the %s; make them thinner", what,
                       shape == 1 ? "tube's `radius`" : "section");
    p->kind = KL_BEAM;
    if (shape == 0) kl_section_circle(p, radius);
    if (shape == 1) kl_section_tube(p, radius, thickness);
    if (shape == 2) kl_section_rectangle(p, width, height);
    if (shape == 3) kl_section_i(p, height, width, flange, web);
    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
        KL_TRY(kl_body_number(r, n, constant[i].key, what, constant[i].unit, constant[i].to));
    return KL_OK;
}

/* beams: a vector in the local x-y plane; shells: where fibres at angle zero go, by default x */
static kl_status read_orientation(kl_body_reader *r, const kl_node *n, const char *what,
                                  kl_property *p)
{
    const kl_node *o = kl_node_get(n, "orientation");
    if (p->kind == KL_SHELL || p->kind == KL_LAMINATE) p->orientation = kl_vec(1, 0, 0);
    if (!o) return KL_OK;
    if (p->kind == KL_SOLID)
        return kl_fail(r->diag, KL_E_MODEL, o->place,
                       "%s: orientation is for beams and shells; solids have `axes`", what);
    KL_TRY(kl_value_vec3(&r->scope, o, what, "1", &p->orientation));
    if (kl_norm(p->orientation) > 0) return KL_OK;
    return kl_fail(r->diag, KL_E_RANGE, o->place,
                   "%s: orientation has no length; give a direction "
                   "such as [1, 0, 0]",
                   what);
}

/* Fibres at angle zero follow the projection of `along`; where that stands across the shell, the
 * axis after it. The order of an element's nodes, which a mesher chooses freely, has no say. */
static void turn_fibres(kl_mesh *m, kl_element_ref ref, kl_vec3 along)
{
    enum { STEEP = 1000 }; /* 0.06 degrees from the normal count as across */
    kl_vec3 n = kl_shell_normal(m, ref.shape, ref.index), d = kl_unit(along);
    if (kl_norm(kl_cross(d, n)) < 1.0 / STEEP) d = kl_vec(d.z, d.x, d.y);
    m->block[ref.shape].angle[ref.index] = kl_shell_angle(m, ref.shape, ref.index, d);
}

static void assign(kl_mesh *m, kl_element_ref ref, int property, int dimension, bool only_empty)
{
    if (kl_shape_info_of(ref.shape)->dimension != dimension) return;
    int *slot = &m->block[ref.shape].property[ref.index];
    if (only_empty && *slot >= 0) return;
    *slot = property;
    if (dimension == 2) turn_fibres(m, ref, m->property[property].orientation);
}

/* gives the property to a set's elements of its own dimension; "all": to those that have none yet
 */
static kl_status assign_set(kl_body_reader *r, const char *set, kl_place place, int property)
{
    kl_mesh         *m         = r->out->mesh;
    kl_property_kind kind      = m->property[property].kind;
    int              dimension = kind == KL_SOLID ? 3 : kind == KL_BEAM ? 1 : 2;
    if (strcmp(set, "all") == 0) {
        for (int s = 0; s < KL_SHAPE_COUNT; s++)
            for (int e = 0; e < m->block[s].n; e++)
                assign(m, (kl_element_ref){(kl_shape)s, e, 0}, property, dimension, true);
        return KL_OK;
    }
    int i = kl_mesh_find_set(m, KL_ELEMENT_SET, set);
    if (i < 0)
        return kl_fail(
            r->diag, KL_E_NAME, place,
            "sections: the mesh has no element set '%s'; name a set of the mesh, or `all`", set);
    for (int k = 0; k < m->set[i].n; k++)
        assign(m, m->set[i].element[k], property, dimension, false);
    return KL_OK;
}

/* sqrt(12 I/A) is the height of a rectangle. One above twice the size of the mesh is no beam but a missing
 * `mm`. */
static void look_at_size(kl_body_reader *r, const kl_property *p, const char *what)
{
    const kl_mesh *m   = r->out->mesh;
    kl_vec3        low = m->nnode > 0 ? m->x[0] : kl_vec(0, 0, 0), high = low;
    double         height = sqrt(12.0 * fmax(p->Iy, p->Iz) / p->area), size;
    for (int i = 1; i < m->nnode; i++) {
        low  = kl_vec(fmin(low.x, m->x[i].x), fmin(low.y, m->x[i].y), fmin(low.z, m->x[i].z));
        high = kl_vec(fmax(high.x, m->x[i].x), fmax(high.y, m->x[i].y), fmax(high.z, m->x[i].z));
    }
    size = kl_norm(kl_sub(high, low));
    if (size > 0.0 && height > 2.0 * size)
        kl_warn(r->diag, p->place,
                "%s: it is about %.3g m high and the mesh is %.3g m long; check the units, for "
                "example `height: 40 mm`",
                what, height, size);
}

static kl_status read_section(kl_body_reader *r, const kl_node *n)
{
    static const char *const keys[] = {"material", "thickness",   "plies",  "section",    "radius",
                                       "width",    "height",      "flange", "web",        "area",
                                       "Iy",       "Iz",          "Iyz",    "J",          "ky",
                                       "kz",       "orientation", "axes",   "extra-mass", NULL};
    const char              *what   = kl_arena_format(r->arena, "section of '%s'", n->key);
    kl_property              p      = {.name = n->key, .material = -1, .place = n->place};
    KL_TRY(kl_body_check_keys(r, n, what, keys));
    if (kl_node_get(n, "plies")) KL_TRY(read_plies(r, kl_node_get(n, "plies"), what, &p));
    else KL_TRY(material_by_name(r, kl_node_get(n, "material"), what, &p.material));
    if (kl_node_get(n, "section")) {
        KL_TRY(read_beam(r, n, what, &p));
        look_at_size(r, &p, what);
    } else if (kl_node_get(n, "thickness")) {
        p.kind = KL_SHELL;
        KL_TRY(kl_body_number(r, n, "thickness", what, "m", &p.thickness));
    } else if (p.kind != KL_LAMINATE) p.kind = KL_SOLID;
    KL_TRY(read_orientation(r, n, what, &p));
    KL_TRY(kl_body_number(r, n, "extra-mass", what, p.kind == KL_BEAM ? "kg/m" : "kg/m2", &p.nsm));
    if (kl_node_get(n, "axes")) {
        p.has_axes = true;
        KL_TRY(kl_value_rotation(&r->scope, kl_node_get(n, "axes"), what, &p.axes));
    }
    int index = kl_mesh_add_property(r->out->mesh, &p);
    if (index < 0) return KL_E_MEMORY;
    r->out->mesh->property[index].place = n->place;
    return assign_set(r, n->key, n->key_place, index);
}

kl_status kl_body_read_materials(kl_body_reader *r, const kl_node *root)
{
    kl_status      status = KL_OK;
    int            index  = -1;
    const kl_node *one = kl_node_get(root, "material"), *many = kl_node_get(root, "materials"),
                  *sections = kl_node_get(root, "sections");
    for (const kl_node *n = many ? many->first : NULL; n; n = n->next) {
        kl_status s = read_material(r, n, n->key, &index);
        if (s != KL_OK) status = s;
    }
    for (const kl_node *n = sections ? sections->first : NULL; n; n = n->next) {
        kl_status s = read_section(r, n);
        if (s != KL_OK) status = s;
    }
    if (!one || status != KL_OK) return status;
    KL_TRY(read_material(r, one, "material", &index));
    kl_property all = {.name = "solid", .kind = KL_SOLID, .material = index, .place = one->place};
    if (r->thickness > 0.0) {
        all.name = "shell", all.kind = KL_SHELL, all.thickness = r->thickness;
        all.orientation = kl_vec(1, 0, 0);
    }
    int p = kl_mesh_add_property(r->out->mesh, &all);
    if (p < 0) return KL_E_MEMORY;
    return assign_set(r, "all", one->place, p);
}
