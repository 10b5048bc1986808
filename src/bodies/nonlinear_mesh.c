/* What a nonlinear body takes from its mesh before any body is made: which nodes are used, their mass,
 * the materials, and the sets that move as rigid parts. */
#include <math.h>
#include <string.h>

#include "bodies/nonlinear.h"
#include "reduce/reduce.h"

static const kl_shape KNOWN[] = {KL_TET10, KL_HEX8, KL_TRI3, KL_QUAD4};
enum { NKNOWN = sizeof KNOWN / sizeof *KNOWN };

bool nonlinear_is_shell(kl_shape shape) { return kl_shape_info_of(shape)->dimension == 2; }

static bool is_known(kl_shape shape)
{
    for (int i = 0; i < NKNOWN; i++)
        if (KNOWN[i] == shape) return true;
    return false;
}

/* ---- what cannot be used ---- */

static kl_status check_shapes(const kl_mesh *mesh, const kl_setup *s)
{
    kl_status status = KL_OK;
    int       solids = 0;
    for (int i = 0; i < KL_SHAPE_COUNT; i++) {
        const kl_shape_info *info = kl_shape_info_of((kl_shape)i);
        if (is_known((kl_shape)i)) solids += mesh->block[i].n;
        else if (mesh->block[i].n > 0)
            status =
                kl_fail(s->diag, KL_E_MODEL, s->place,
                        "body '%s': %s has %d %s elements; a nonlinear body consists of ten-node "
                        "tetrahedra (tet10), eight-node hexahedra (hex8), and shells of three and "
                        "four nodes (tri3, quad4). Mesh it again, or write `flexible: modal`",
                        s->name, mesh->source, mesh->block[i].n, info->name);
    }
    if (status == KL_OK && solids == 0)
        status = kl_fail(s->diag, KL_E_MODEL, s->place,
                         "body '%s': %s has no solid or shell elements; mesh the part with tet10, "
                         "hex8, tri3 or quad4 elements",
                         s->name, mesh->source);
    if (mesh->nspring > 0 || mesh->ntie > 0 || mesh->nmass > 0)
        status =
            kl_fail(s->diag, KL_E_MODEL, s->place,
                    "body '%s': %s has springs, point masses or rigid connections (%d); in a "
                    "nonlinear body give them in the model: forces between markers, bodies, and "
                    "markers `{set: NAME, tie: rbe2}`",
                    s->name, mesh->source, mesh->nspring + mesh->ntie + mesh->nmass);
    return status;
}

/* ---- materials ---- */

static kl_status check_table(const kl_material *a, const kl_setup *s)
{
    for (int i = 0; i < a->nyield; i++) {
        double strain = a->yield[i][0], stress = a->yield[i][1];
        bool   first = i == 0;
        if (first ? strain != 0.0 : strain <= a->yield[i - 1][0])
            return kl_fail(
                s->diag, KL_E_RANGE, a->place,
                "material '%s': row %d of `yield` has the plastic strain %g; the table "
                "begins at plastic strain 0 and plastic strain increases from row to row",
                a->name, i + 1, strain);
        if (first ? !(stress > 0.0) : stress < a->yield[i - 1][1])
            return kl_fail(
                s->diag, KL_E_RANGE, a->place,
                "material '%s': row %d of `yield` has the stress %g Pa%s; the yield stress "
                "is positive and must not fall. Softening needs another material law",
                a->name, i + 1, stress, first ? "" : ", less than the row before");
    }
    return KL_OK;
}

static kl_status take_law(const kl_material *a, int strain, const kl_setup *s, kl_solid_law *law)
{
    if (a->kind != KL_ISOTROPIC)
        return kl_fail(s->diag, KL_E_MODEL, a->place,
                       "body '%s': material '%s' is orthotropic; a nonlinear body needs isotropic "
                       "materials",
                       s->name, a->name);
    if (!(a->nu < 0.5) || !(a->E > 0.0))
        return kl_fail(s->diag, KL_E_RANGE, a->place,
                       "material '%s': E is %g Pa and nu is %g; give E above 0 and nu below 0.5",
                       a->name, a->E, a->nu);
    KL_TRY(check_table(a, s));
    kl_solid_law_elastic(a->E, a->nu, law);
    law->strain = (kl_strain_kind)strain;
    if (a->nyield == 0) return KL_OK;
    if (strain != KL_STRAIN_LOGARITHMIC)
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "body '%s': material '%s' has a yield stress, so write `strain: logarithmic`", s->name,
            a->name);
    kl_yield_row *row = kl_arena_array(s->arena, kl_yield_row, a->nyield);
    for (int i = 0; row && i < a->nyield; i++)
        row[i] = (kl_yield_row){a->yield[i][0], a->yield[i][1]};
    law->nrow = a->nyield, law->yield = row, law->isotropic = a->isotropic;
    return row ? KL_OK : KL_E_MEMORY;
}

/* Do elements of this dimension consist of material i? */
static bool consists_of_material(const kl_mesh *m, int material, int dimension)
{
    for (int s = 0; s < KL_SHAPE_COUNT; s++)
        for (int e = 0; kl_shape_info_of((kl_shape)s)->dimension == dimension && e < m->block[s].n;
             e++) {
            const kl_property *p = &m->property[m->block[s].property[e]];
            if (p->material == material && p->kind != KL_LAMINATE) return true;
        }
    return false;
}

/* ---- mass ---- */

kl_status nonlinear_lump(const kl_fe_element *e, const kl_fe_rules *rules, double *mass,
                         double *inertia)
{
    double M[KL_MAX_ELEMENT_DOF * KL_MAX_ELEMENT_DOF];
    int    n = kl_shape_info_of(e->shape)->nnode;
    memset(inertia, 0, (size_t)n * sizeof *inertia);
    if (nonlinear_is_shell(e->shape)) return kl_large_shell_lump(e, mass, inertia);
    KL_TRY(kl_solid_mass(e, rules, KL_MASS_LUMPED, M));
    for (int a = 0; a < n; a++) mass[a] = M[(3 * a) * (3 * n) + 3 * a];
    return KL_OK;
}

kl_status nonlinear_consistent(const kl_fe_element *e, const kl_fe_rules *rules, double *mass)
{
    double M[KL_MAX_ELEMENT_DOF * KL_MAX_ELEMENT_DOF];
    bool   shell = nonlinear_is_shell(e->shape);
    int    n = kl_shape_info_of(e->shape)->nnode, each = shell ? 6 : 3;
    KL_TRY((shell ? kl_shell_mass : kl_solid_mass)(e, rules, KL_MASS_CONSISTENT, M));
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) mass[a * n + b] = M[(each * a) * (each * n) + each * b];
    return KL_OK;
}

static kl_status lump_element(nonlinear_mesh *w, kl_shape shape, int index,
                              const kl_fe_rules *rules, const kl_setup *s)
{
    kl_fe_element e;
    double        mass[KL_LARGE_NODES], inertia[KL_LARGE_NODES];
    int           n = kl_shape_info_of(shape)->nnode;
    kl_fe_gather(w->mesh, shape, index, &e);
    if (nonlinear_lump(&e, rules, mass, inertia) != KL_OK)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "body '%s': element %d of %s is inside out or has no volume; correct its "
                       "nodes in the mesh",
                       s->name, e.id, w->mesh->source);
    const int *node = w->mesh->block[shape].node + (size_t)index * (size_t)n;
    for (int a = 0; a < n; a++) w->mass[node[a]] += mass[a], w->inertia[node[a]] += inertia[a];
    return KL_OK;
}

static kl_status lump(nonlinear_mesh *w, const kl_setup *s)
{
    for (int k = 0; k < NKNOWN; k++) {
        kl_fe_rules rules;
        if (!nonlinear_is_shell(KNOWN[k])) kl_fe_rules_init(&rules, KNOWN[k]);
        for (int i = 0; i < w->mesh->block[KNOWN[k]].n; i++)
            KL_TRY(lump_element(w, KNOWN[k], i, &rules, s));
    }
    return KL_OK;
}

/* ---- rigid parts ---- */

static kl_status no_set(const kl_mesh *mesh, const kl_marker_request *q, kl_diag *diag)
{
    const char *names[64];
    int         n = 0;
    for (int i = 0; i < mesh->nset && n < 63; i++) names[n++] = mesh->set[i].name;
    names[n]         = NULL;
    const char *near = kl_nearest(q->set, names);
    return kl_fail(diag, KL_E_NAME, q->place, "marker '%s': the mesh has no set '%s'%s%s%s",
                   q->name, q->set, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

static int nearest_node(const nonlinear_mesh *w, kl_vec3 r)
{
    int    best = -1;
    double near = HUGE_VAL;
    for (int i = 0; i < w->mesh->nnode; i++) {
        double d = kl_norm(kl_sub(w->mesh->x[i], r));
        if (w->mass[i] > 0.0 && d < near) near = d, best = i;
    }
    return best;
}

/* nodes that are used, of the set */
static kl_status take_set(nonlinear_mesh *w, const kl_marker_request *q, nonlinear_part *part,
                          const kl_setup *s)
{
    int        n    = 0;
    const int *list = kl_mesh_set_nodes(w->mesh, q->set, &n);
    int       *used = kl_arena_array(s->arena, int, n + 1);
    if (!list || n == 0) return no_set(w->mesh, q, s->diag);
    if (!used) return KL_E_MEMORY;
    part->at = kl_vec(0, 0, 0);
    for (int i = 0; i < n; i++)
        if (w->mass[list[i]] > 0.0) used[part->n++] = list[i];
    for (int i = 0; i < part->n; i++)
        part->at = kl_axpy(1.0 / part->n, w->mesh->x[used[i]], part->at);
    if (q->has_point) part->at = q->point;
    part->node  = used;
    part->rigid = part->n > 1 || (part->n == 1 && w->inertia[used[0]] > 0.0);
    if (part->n > 0) return KL_OK;
    return kl_fail(s->diag, KL_E_MODEL, q->place,
                   "marker '%s': no element uses the nodes of '%s'; choose a set of nodes of solid "
                   "or shell elements",
                   q->name, q->set);
}

static kl_status take_node(nonlinear_mesh *w, const kl_marker_request *q, nonlinear_part *part,
                           const kl_setup *s)
{
    int *node = kl_arena_array(s->arena, int, 1);
    if (!node) return KL_E_MEMORY;
    *node =
        q->how == KL_AT_NODE ? kl_mesh_find_node(w->mesh, q->node_id) : nearest_node(w, q->point);
    if (*node < 0 || !(w->mass[*node] > 0.0))
        return kl_fail(
            s->diag, KL_E_NAME, q->place,
            "marker '%s': no element uses node %d; choose a node of a solid or shell element",
            q->name, q->node_id);
    part->node = node, part->n = 1, part->at = w->mesh->x[*node];
    part->rigid = w->inertia[*node] > 0.0;
    return KL_OK;
}

/* three nodes that are not on a line, else the part could turn about that line for nothing; or nodes of
 * shells, which resist that */
static bool spans(const nonlinear_mesh *w, const nonlinear_part *part)
{
    for (int i = 0; i < part->n; i++)
        if (w->inertia[part->node[i]] > 0.0) return true;
    kl_vec3 a = w->mesh->x[part->node[0]], far = a;
    double  most = 0.0, off = 0.0;
    for (int i = 1; i < part->n; i++) {
        double d = kl_norm(kl_sub(w->mesh->x[part->node[i]], a));
        if (d > most) most = d, far = w->mesh->x[part->node[i]];
    }
    kl_vec3 u = kl_unit(kl_sub(far, a));
    for (int i = 1; i < part->n; i++)
        off = fmax(off, kl_norm(kl_cross(u, kl_sub(w->mesh->x[part->node[i]], a))));
    return off > 1e-6 * most;
}

static kl_status take_part(nonlinear_mesh *w, const kl_marker_request *q, const kl_setup *s)
{
    nonlinear_part *part = &w->part[w->npart];
    *part                = (nonlinear_part){.name = q->name, .body = w->npart};
    if (q->how == KL_AT_SET) KL_TRY(take_set(w, q, part, s));
    else KL_TRY(take_node(w, q, part, s));
    if (part->rigid && !spans(w, part))
        return kl_fail(
            s->diag, KL_E_MODEL, q->place,
            "marker '%s': the nodes of '%s' lie on a line, so as a rigid part they could "
            "rotate about it freely; choose a set with at least three nodes that are not "
            "on a line",
            q->name, q->set);
    if (part->n > 1 && q->tie == KL_RBE3)
        kl_note(
            s->diag, q->place,
            "marker '%s': in the nonlinear body '%s' its nodes move as a rigid part; `tie: rbe3` "
            "applies to modal bodies",
            q->name, s->name);
    for (int i = 0; i < part->n; i++) {
        int *body = &w->body[part->node[i]];
        if (*body >= 0)
            return kl_fail(s->diag, KL_E_MODEL, q->place,
                           "markers '%s' and '%s' both contain node %d; a node can belong to only "
                           "one marker: remove it from one of the sets",
                           w->part[*body].name, q->name, w->mesh->node_id[part->node[i]]);
        *body                   = w->npart;
        w->local[part->node[i]] = kl_sub(w->mesh->x[part->node[i]], part->at);
    }
    w->npart++;
    return KL_OK;
}

/* ---- units ---- */

/* A part of 30 mm that is taken for one of 30 m weighs a billion times as much. */
static kl_status check_size(const nonlinear_mesh *w, double mass, bool lenient, const kl_setup *s)
{
    double size = kl_mesh_size(w->mesh);
    bool   big  = size > 200.0 || (size > 5.0 && mass > 1e6);
    if (!big || lenient) return KL_OK;
    return kl_fail(
        s->diag, KL_E_RANGE, s->place,
        "body '%s': %s is %.4g m long and weighs %.3g kg; if its coordinates are in "
        "millimetres, write `units: {length: mm}` beside `mesh`; if the sizes are right, "
        "write `lenient: yes` there",
        s->name, w->mesh->source, size, mass);
}

/* ---- all ---- */

kl_status nonlinear_mesh_take(flexible *p, const kl_setup *s)
{
    kl_mesh         *mesh = p->file.mesh;
    const kl_recipe *r    = p->file.recipe;
    nonlinear_mesh  *w    = kl_arena_array(s->arena, nonlinear_mesh, 1);
    if (!w) return KL_E_MEMORY;
    *w         = (nonlinear_mesh){.mesh = mesh};
    p->nodes   = w;
    w->mass    = kl_arena_array(s->arena, double, mesh->nnode + 1);
    w->inertia = kl_arena_array(s->arena, double, mesh->nnode + 1);
    w->body    = kl_arena_array(s->arena, int, mesh->nnode + 1);
    w->local   = kl_arena_array(s->arena, kl_vec3, mesh->nnode + 1);
    w->part    = kl_arena_array(s->arena, nonlinear_part, r->nmarker + 1);
    w->law     = kl_arena_array(s->arena, kl_solid_law, mesh->nmaterial + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    KL_TRY(check_shapes(mesh, s));
    for (int i = 0; i < mesh->nmaterial; i++) {
        const kl_material *a = &mesh->material[i];
        if (consists_of_material(mesh, i, 3)) KL_TRY(take_law(a, p->strain, s, &w->law[i]));
        if (consists_of_material(mesh, i, 2) && a->nyield > 0)
            return kl_fail(s->diag, KL_E_MODEL, a->place,
                           "body '%s': material '%s' has a yield stress, but nonlinear shells are "
                           "elastic; remove `yield`, or mesh the body with solid elements",
                           s->name, a->name);
    }
    KL_TRY(lump(w, s));
    kl_vec3 moment = kl_vec(0, 0, 0);
    double  mass   = 0.0;
    for (int i = 0; i < mesh->nnode; i++) {
        w->body[i] = -1;
        mass += w->mass[i];
        moment = kl_axpy(w->mass[i], mesh->x[i], moment);
    }
    KL_TRY(check_size(w, mass, r->lenient, s));
    if (r->centre) w->shift = kl_scale(1.0 / mass, moment);
    for (int i = 0; i < r->nmarker; i++) KL_TRY(take_part(w, &r->marker[i], s));
    return KL_OK;
}
