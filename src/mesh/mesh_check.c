/* What can be found wrong with a mesh before anything is computed, with counts and first offenders.
 */
#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* First offenders of one kind: the message names up to five. */
typedef struct offenders {
    int count, first[5];
} offenders;

static void note(offenders *o, int id)
{
    if (o->count < 5) o->first[o->count] = id;
    o->count++;
}

static const char *listed(const offenders *o, char *text, size_t size)
{
    size_t used = 0;
    text[0]     = '\0';
    for (int i = 0; i < o->count && i < 5; i++) {
        char   number[16];
        size_t length = (size_t)snprintf(number, sizeof number, i ? ", %d" : "%d", o->first[i]);
        if (used + length + 1 > size) break;
        memcpy(text + used, number, length + 1);
        used += length;
    }
    if (o->count > 5 && used + 6 < size) memcpy(text + used, ", ...", 6);
    return text;
}

static kl_place whole(const kl_mesh *m)
{
    return m->place.file ? m->place : (kl_place){m->source, 0, 0};
}

static void report(const kl_mesh *m, kl_diag *diag, const offenders *o, const char *what,
                   const char *remedy)
{
    char text[128];
    if (o->count == 0) return;
    kl_fail(diag, KL_E_MODEL, whole(m), "%d %s (first: %s); %s", o->count, what,
            listed(o, text, sizeof text), remedy);
}

/* ---- elements ---- */

static const int *nodes_of(const kl_mesh *m, kl_shape shape, int e)
{
    return &m->block[shape].node[(size_t)e * (size_t)kl_shape_info_of(shape)->nnode];
}

static double corner_volume(const kl_mesh *m, const int *n, int a, int b, int c, int d)
{
    kl_vec3 x = m->x[n[a]];
    return kl_dot(kl_cross(kl_sub(m->x[n[b]], x), kl_sub(m->x[n[c]], x)), kl_sub(m->x[n[d]], x));
}

/* Smallest corner volume of a solid, area of a shell, length of a beam: > 0 for a sound element. */
static double smallest_measure(const kl_mesh *m, kl_shape shape, const int *n)
{
    static const int hex[8][4]   = {{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7},
                                    {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}};
    static const int wedge[6][4] = {{0, 1, 2, 3}, {1, 2, 0, 4}, {2, 0, 1, 5},
                                    {3, 5, 4, 0}, {4, 3, 5, 1}, {5, 4, 3, 2}};
    double           least       = INFINITY;
    switch (shape) {
    case KL_TET4:
    case KL_TET10: return corner_volume(m, n, 0, 1, 2, 3);
    case KL_HEX8:
    case KL_HEX20:
        for (int i = 0; i < 8; i++)
            least = fmin(least, corner_volume(m, n, hex[i][0], hex[i][1], hex[i][2], hex[i][3]));
        return least;
    case KL_WEDGE6:
    case KL_WEDGE15:
        for (int i = 0; i < 6; i++)
            least = fmin(least,
                         corner_volume(m, n, wedge[i][0], wedge[i][1], wedge[i][2], wedge[i][3]));
        return least;
    case KL_QUAD4: {
        kl_vec3 normal = kl_cross(kl_sub(m->x[n[2]], m->x[n[0]]), kl_sub(m->x[n[3]], m->x[n[1]]));
        for (int i = 0; i < 4; i++) {
            kl_vec3 a = kl_sub(m->x[n[(i + 1) % 4]], m->x[n[i]]);
            kl_vec3 b = kl_sub(m->x[n[(i + 3) % 4]], m->x[n[i]]);
            least     = fmin(least, kl_dot(kl_cross(a, b), normal));
        }
        return least;
    }
    case KL_TRI3:
        return kl_norm(kl_cross(kl_sub(m->x[n[1]], m->x[n[0]]), kl_sub(m->x[n[2]], m->x[n[0]])));
    case KL_BEAM2: return kl_norm(kl_sub(m->x[n[1]], m->x[n[0]]));
    default: return 0.0;
    }
}

static bool repeats(const int *n, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (n[i] == n[j]) return true;
    return false;
}

static bool out_of_mesh(const kl_mesh *m, const int *n, int count)
{
    for (int i = 0; i < count; i++)
        if (n[i] < 0 || n[i] >= m->nnode) return true;
    return false;
}

static void check_elements(const kl_mesh *m, kl_diag *diag)
{
    offenders missing = {0}, repeated = {0}, inverted = {0}, propertyless = {0};
    for (int s = 0; s < KL_SHAPE_COUNT; s++) {
        const kl_block *b = &m->block[s];
        for (int e = 0; e < b->n; e++) {
            const int *n     = nodes_of(m, (kl_shape)s, e);
            int        count = kl_shape_info_of((kl_shape)s)->nnode;
            if (out_of_mesh(m, n, count)) note(&missing, b->id[e]);
            else if (repeats(n, count)) note(&repeated, b->id[e]);
            else if (!(smallest_measure(m, (kl_shape)s, n) > 0.0)) note(&inverted, b->id[e]);
            if (b->property[e] < 0 || b->property[e] >= m->nproperty) note(&propertyless, b->id[e]);
        }
    }
    report(m, diag, &missing, "elements refer to nodes that are not in the mesh",
           "check that the file is complete");
    report(m, diag, &repeated, "elements use a node twice",
           "they are degenerate; create the mesh again");
    report(m, diag, &inverted, "elements have a negative or zero volume",
           "check the node order or create the mesh again");
    report(m, diag, &propertyless, "elements have no property and therefore no material",
           "give a section in the mesh file or `material:` in the body file");
}

/* ---- materials and properties ---- */

static void bad_material(const kl_material *p, kl_diag *diag, const char *what, double value)
{
    kl_fail(diag, KL_E_RANGE, p->place, "material '%s': %s is %g", p->name, what, value);
}

/* The determinant of the orthotropic compliance but for positive factors. Lempriere 1968. */
static double stability(const kl_material *p)
{
    double E3   = p->E3 > 0.0 ? p->E3 : p->E2;
    double nu21 = p->nu12 * p->E2 / p->E1, nu31 = p->nu13 * E3 / p->E1, nu32 = p->nu23 * E3 / p->E2;
    return 1.0 - p->nu12 * nu21 - p->nu23 * nu32 - p->nu13 * nu31 - 2.0 * nu21 * nu32 * p->nu13;
}

static void check_material(const kl_material *p, kl_diag *diag)
{
    if (!(p->rho >= 0.0) || !isfinite(p->rho)) bad_material(p, diag, "density", p->rho);
    if (p->kind == KL_ISOTROPIC) {
        if (!(p->E > 0.0) || !isfinite(p->E)) bad_material(p, diag, "Young's modulus", p->E);
        if (!(p->nu > -1.0 && p->nu < 0.5))
            bad_material(p, diag, "Poisson's ratio (must be above -1, below 0.5)", p->nu);
        return;
    }
    if (!(p->E1 > 0.0)) bad_material(p, diag, "E1", p->E1);
    if (!(p->E2 > 0.0)) bad_material(p, diag, "E2", p->E2);
    if (!(p->G12 > 0.0)) bad_material(p, diag, "G12", p->G12);
    if (!(p->E1 > 0.0 && p->E2 > 0.0)) return;
    if (!(p->nu12 * p->nu12 < p->E1 / p->E2))
        bad_material(p, diag, "nu12 (its square must stay below E1/E2)", p->nu12);
    else if (!(stability(p) > 0.0))
        bad_material(p, diag,
                     "1 - nu12 nu21 - nu23 nu32 - nu31 nu13 - 2 nu21 nu32 nu13 (must be positive, "
                     "otherwise the strain energy could be negative)",
                     stability(p));
}

static void bad_property(const kl_property *p, kl_diag *diag, const char *what, double value)
{
    kl_fail(diag, KL_E_RANGE, p->place, "property '%s': %s is %g; it must be positive", p->name,
            what, value);
}

static bool has_material(const kl_mesh *m, int i) { return i >= 0 && i < m->nmaterial; }

static void check_property(const kl_mesh *m, const kl_property *p, kl_diag *diag)
{
    if (p->kind == KL_LAMINATE) {
        for (int k = 0; k < p->nply; k++) {
            if (!has_material(m, p->ply[k].material))
                kl_fail(diag, KL_E_NAME, p->place,
                        "property '%s': ply %d has no material; name one", p->name, k + 1);
            if (!(p->ply[k].thickness > 0.0))
                bad_property(p, diag, "a ply's thickness", p->ply[k].thickness);
        }
        if (p->nply == 0) bad_property(p, diag, "the number of plies", 0);
        return;
    }
    if (!has_material(m, p->material))
        kl_fail(diag, KL_E_NAME, p->place,
                "property '%s' has no material; name one in its section or in the body file",
                p->name);
    if (p->kind == KL_SHELL && !(p->thickness > 0.0))
        bad_property(p, diag, "thickness", p->thickness);
    if (p->kind != KL_BEAM) return;
    if (!(p->area > 0.0)) bad_property(p, diag, "area", p->area);
    if (!(p->Iy > 0.0)) bad_property(p, diag, "Iy", p->Iy);
    if (!(p->Iz > 0.0)) bad_property(p, diag, "Iz", p->Iz);
    if (!(p->J > 0.0)) bad_property(p, diag, "J", p->J);
}

static bool uses(const kl_property *p, int material)
{
    if (p->kind != KL_LAMINATE) return p->material == material;
    for (int k = 0; k < p->nply; k++)
        if (p->ply[k].material == material) return true;
    return false;
}

/* A material without density is stiffness without mass: meant at most for a part of the body. */
static void check_density(const kl_mesh *m, kl_diag *diag)
{
    bool any = m->nmass > 0;
    for (int i = 0; i < m->nproperty; i++) {
        any = any || m->property[i].nsm > 0.0;
        for (int k = 0; k < m->nmaterial && !any; k++)
            any = m->material[k].rho > 0.0 && uses(&m->property[i], k);
    }
    for (int k = 0; k < m->nmaterial; k++) {
        const kl_material *p    = &m->material[k];
        bool               used = false;
        for (int i = 0; i < m->nproperty && !used; i++) used = uses(&m->property[i], k);
        if (!used || p->rho != 0.0) continue;
        if (any)
            kl_warn(diag, p->place,
                    "material '%s' has no density, so its elements have no mass; give it if they "
                    "are not meant to be massless",
                    p->name);
        else
            kl_fail(diag, KL_E_MODEL, p->place,
                    "material '%s' has no density, so the body has no mass; give it in the mesh "
                    "file (*DENSITY, RHO of MAT1)",
                    p->name);
    }
}

/* an element must have a property of its own kind */
static void check_kinds(const kl_mesh *m, kl_diag *diag)
{
    offenders wrong = {0};
    for (int s = 0; s < KL_SHAPE_COUNT; s++) {
        int dimension = kl_shape_info_of((kl_shape)s)->dimension;
        for (int e = 0; e < m->block[s].n; e++) {
            int i = m->block[s].property[e];
            if (i < 0 || i >= m->nproperty) continue;
            kl_property_kind kind  = m->property[i].kind;
            int              wants = kind == KL_SOLID ? 3 : kind == KL_BEAM ? 1 : 2;
            if (wants != dimension) note(&wrong, m->block[s].id[e]);
        }
    }
    report(m, diag, &wrong, "elements have a property of another kind (solid, shell, beam)",
           "check the section definitions");
}

/* ---- nodes ---- */

typedef struct numbered_point {
    double along; /* a direction that no regular mesh has its planes across */
    int    node;
} numbered_point;

static int compare_along(const void *a, const void *b)
{
    double x = ((const numbered_point *)a)->along, y = ((const numbered_point *)b)->along;
    return (x > y) - (x < y);
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void unite(int *parent, int a, int b) { parent[root_of(parent, a)] = root_of(parent, b); }

/* nodes joined by elements, springs and ties */
static void unite_all(const kl_mesh *m, int *parent, bool *used)
{
    for (int s = 0; s < KL_SHAPE_COUNT; s++)
        for (int e = 0; e < m->block[s].n; e++) {
            const int *n     = nodes_of(m, (kl_shape)s, e);
            int        count = kl_shape_info_of((kl_shape)s)->nnode;
            if (out_of_mesh(m, n, count)) continue;
            for (int i = 0; i < count; i++) used[n[i]] = true, unite(parent, n[i], n[0]);
        }
    for (int i = 0; i < m->nspring; i++) {
        const int *n = m->spring[i].node;
        if (out_of_mesh(m, n, 1)) continue;
        used[n[0]] = true;
        if (n[1] >= 0 && n[1] < m->nnode) used[n[1]] = true, unite(parent, n[0], n[1]);
    }
    for (int i = 0; i < m->ntie; i++) {
        const kl_tie *t = &m->tie[i];
        if (out_of_mesh(m, &t->reference, 1) || out_of_mesh(m, t->node, t->n)) continue;
        for (int k = 0; k < t->n; k++)
            used[t->node[k]] = true, unite(parent, t->node[k], t->reference);
        used[t->reference] = true;
    }
}

static void check_parts(const kl_mesh *m, kl_diag *diag, int *parent, bool *used)
{
    unite_all(m, parent, used);
    int       nparts = 0, first = -1, unused = 0;
    offenders parts = {0};
    for (int i = 0; i < m->nnode; i++) {
        if (!used[i]) unused++;
        else if (root_of(parent, i) == i) nparts++;
    }
    for (int i = 0; i < m->nnode && nparts > 1; i++) {
        if (!used[i]) continue;
        int root = root_of(parent, i);
        if (first < 0) first = root;
        if (root == first || !used[root]) continue;
        note(&parts, m->node_id[i]);
        used[root] = false; /* each part is named once */
    }
    report(m, diag, &parts, "parts are not connected to the first one (one node of each)",
           "all parts of a body must be connected: merge nodes, add ties, or model the parts as "
           "separate bodies");
    if (unused > 0)
        kl_note(diag, whole(m), "%d nodes belong to no element and are ignored", unused);
}

/* Two used nodes closer than 1e-9 of the body's size: an open seam, if they belong to the mesh. */
static void check_coincident(const kl_mesh *m, kl_diag *diag, numbered_point *p, const bool *used,
                             const int *in_spring)
{
    int           n         = 0;
    const kl_vec3 direction = {0.7390851332, 0.5671432904, 0.3635648231}; /* of length 1.00004 */
    for (int i = 0; i < m->nnode; i++)
        if (used[i] && !in_spring[i]) p[n++] = (numbered_point){kl_dot(m->x[i], direction), i};
    qsort(p, (size_t)n, sizeof *p, compare_along);
    double    near = 1e-9 * kl_mesh_size(m);
    offenders same = {0};
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n && p[j].along - p[i].along <= 1.001 * near; j++)
            if (kl_norm(kl_sub(m->x[p[i].node], m->x[p[j].node])) <= near) {
                note(&same, m->node_id[p[j].node]);
                break; /* once is enough: a file of zeros has every node on every other */
            }
    char text[128];
    if (same.count > 0)
        kl_warn(diag, whole(m),
                "%d nodes coincide with another node (first: %s), so the mesh is not connected "
                "there; merge them in the mesh program unless a crack is intended",
                same.count, listed(&same, text, sizeof text));
}

static void check_nodes(const kl_mesh *m, kl_diag *diag)
{
    offenders wild = {0};
    for (int i = 0; i < m->nnode; i++)
        if (!kl_finite(m->x[i])) note(&wild, m->node_id[i]);
    report(m, diag, &wild, "nodes have coordinates that are not finite numbers", "check the file");
    if (wild.count > 0) return;

    size_t          n      = (size_t)m->nnode + 1;
    int            *parent = malloc(n * sizeof(int)), *tied = calloc(n, sizeof(int));
    bool           *used = calloc(n, sizeof(bool)), *kept = calloc(n, sizeof(bool));
    numbered_point *points = malloc(n * sizeof *points);
    if (parent && tied && used && kept && points) {
        for (int i = 0; i < m->nnode; i++) parent[i] = i;
        for (int i = 0; i < m->nspring; i++)
            for (int k = 0; k < 2; k++)
                if (!out_of_mesh(m, &m->spring[i].node[k], 1)) tied[m->spring[i].node[k]] = 1;
        for (int i = 0; i < m->ntie; i++)
            if (!out_of_mesh(m, &m->tie[i].reference, 1)) tied[m->tie[i].reference] = 1;
        check_parts(m, diag, parent, used);
        memset(kept, 0, n);
        unite_all(m, parent, kept);
        check_coincident(m, diag, points, kept, tied);
    } else {
        kl_fail(diag, KL_E_MEMORY, whole(m), "out of memory while checking the mesh");
    }
    free(parent);
    free(tied);
    free(used);
    free(kept);
    free(points);
}

kl_status kl_mesh_check(const kl_mesh *m, kl_diag *diag)
{
    int before = kl_diag_count(diag, KL_ERROR);
    if (m->nduplicate_node > 0)
        kl_fail(diag, KL_E_MODEL, whole(m),
                "%d node numbers are given twice with different coordinates (first: %d); renumber "
                "the mesh",
                m->nduplicate_node, m->first_duplicate_node);
    if (m->nduplicate_element > 0)
        kl_fail(diag, KL_E_MODEL, whole(m),
                "%d element numbers are given twice (first: %d); renumber the mesh",
                m->nduplicate_element, m->first_duplicate_element);
    if (kl_mesh_count(m) + m->nspring == 0)
        kl_fail(diag, KL_E_MODEL, whole(m),
                "the mesh has no elements that carry stiffness; write solids, shells or beams to "
                "the file");
    for (int i = 0; i < m->nmaterial; i++) check_material(&m->material[i], diag);
    for (int i = 0; i < m->nproperty; i++) check_property(m, &m->property[i], diag);
    check_nodes(m, diag);
    check_elements(m, diag);
    check_kinds(m, diag);
    check_density(m, diag);
    return kl_diag_count(diag, KL_ERROR) > before ? KL_E_MODEL : KL_OK;
}

/* ---- units ---- */

/* Bar waves run at 1 to 12 km/s in metals, stone and composites, at 50 m/s in soft rubber; the
 * lightest solid, an aerogel, has 0.2 kg/m3. */
static kl_status check_material_units(const kl_material *p, bool lenient, kl_diag *diag)
{
    double E = p->kind == KL_ISOTROPIC ? p->E : p->E1, speed = sqrt(E / p->rho);
    if (!(E > 0.0) || !(p->rho > 0.0)) return KL_OK;
    char text[320];
    bool impossible = true;
    if (p->rho < 1e-3) {
        snprintf(text, sizeof text,
                 "density %g kg/m3 looks like tonne/mm3; if the mesh is in mm, tonne, s, write "
                 "`units: {length: mm, mass: t}` in the body file",
                 p->rho);
    } else if (speed < 50.0 || speed > 50e3) {
        impossible =
            speed < 10.0 || speed > 1e6; /* E is at times raised by a thousand on purpose */
        snprintf(text, sizeof text,
                 "E = %g Pa and density %g kg/m3 give a wave speed of %.3g m/s, which %s solid "
                 "has; check that E and density use the same system of units",
                 E, p->rho, speed, impossible ? "no" : "hardly any");
    } else {
        return KL_OK;
    }
    if (!impossible || lenient) {
        kl_warn(diag, p->place, "material '%s': %s", p->name, text);
        return KL_OK;
    }
    return kl_fail(diag, KL_E_RANGE, p->place,
                   "material '%s': %s; if the values are right, write `lenient: yes`", p->name,
                   text);
}

kl_status kl_mesh_check_units(const kl_mesh *m, bool lenient, kl_diag *diag)
{
    double    size   = kl_mesh_size(m);
    kl_status status = KL_OK;
    for (int i = 0; i < m->nmaterial; i++) {
        kl_status one = check_material_units(&m->material[i], lenient, diag);
        if (one != KL_OK) status = one;
    }
    if (m->nmaterial > 0 && size > 200.0)
        kl_warn(
            diag, whole(m),
            "the mesh is %.4g m long; if its coordinates are in mm, write `units: {length: mm}`",
            size);
    if (m->nmaterial > 0 && size > 0.0 && size < 1e-4)
        kl_warn(diag, whole(m), "the mesh is only %.3g m long; check the unit of length", size);
    return status;
}
