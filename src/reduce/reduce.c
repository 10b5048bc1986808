/* The whole way from a mesh to a reduced body; each step is a call to its own file. */
#include "reduce/reduce.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algebra/dense.h"
#include "fe/assemble.h"
#include "reduce/compliance.h"
#include "reduce/geometric.h"
#include "reduce/invariants.h"
#include "reduce/marker.h"
#include "reduce/mechanism.h"
#include "reduce/offset_mass.h"
#include "reduce/skin_modes.h"
#include "reduce/stress_modes.h"

typedef struct work {
    kl_mesh          *mesh; /* may be NULL */
    kl_system        *s;
    const kl_recipe  *r;
    kl_reduce_report *report;
    kl_diag          *diag;
    kl_arena         *arena;       /* for lists */
    int              *marker_node; /* nmarker: index in the system */
    int               ntie;        /* on ready matrices */
    kl_tie           *ties;
    double           *compliance; /* of the markers, or NULL */
    kl_node_mask     *held;       /* by the reference */
    int               nheld;
    kl_basis          basis;
    kl_kbody         *body;
} work;

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- finding nodes ---- */

static int system_node(const work *w, int id)
{
    if (w->mesh) return kl_mesh_find_node(w->mesh, id);
    for (int i = 0; i < w->s->nnode; i++)
        if (w->s->node_id[i] == id) return i;
    return -1;
}

/* the mesh that has names: the one to be reduced, or that of ready matrices */
static kl_mesh *named(const work *w) { return w->mesh ? w->mesh : w->r->sets; }

static kl_status no_set(const work *w, const char *name, kl_place place)
{
    const kl_mesh *m     = named(w);
    const char   **names = kl_arena_array(w->arena, const char *, (m ? m->nset : 0) + 1);
    for (int i = 0; names && m && i < m->nset; i++) names[i] = m->set[i].name;
    const char *near = names ? kl_nearest(name, names) : NULL;
    if (near)
        return kl_fail(w->diag, KL_E_NAME, place, "the mesh has no set '%s'; did you mean '%s'?",
                       name, near);
    return kl_fail(w->diag, KL_E_NAME, place, "the mesh has no set '%s'%s", name,
                   m && m->nset ? "" : "; it has no named sets at all");
}

/* nodes of a set, as indices of the system */
static kl_status set_nodes(const work *w, const char *name, kl_place place, const int **node,
                           int *n)
{
    kl_mesh *m = named(w);
    *node      = m ? kl_mesh_set_nodes(m, name, n) : NULL;
    if (!*node || *n == 0) return no_set(w, name, place);
    if (w->mesh) return KL_OK;
    int *mine = kl_arena_array(w->arena, int, *n);
    if (!mine) return KL_E_MEMORY;
    for (int i = 0; i < *n; i++) {
        int k = (*node)[i], id = m->node_id[k]; /* mostly both have one order */
        mine[i] = k < w->s->nnode && w->s->node_id[k] == id ? k : system_node(w, id);
        if (mine[i] < 0)
            return kl_fail(
                w->diag, KL_E_NAME, place,
                "node %d of the set '%s' has no row in the matrices; remove it from the set",
                m->node_id[(*node)[i]], name);
    }
    *node = mine;
    return KL_OK;
}

/* ---- markers that change the mesh, before assembly ---- */

/* The same on ready matrices: the node and its tie are put into the system at once. */
static kl_status tie_in_system(work *w, const kl_marker_request *q, int n, const int *list,
                               kl_vec3 at, int *node)
{
    int id = 0;
    for (int i = 0; i < w->s->nnode; i++) id = w->s->node_id[i] > id ? w->s->node_id[i] : id;
    int *followers = kl_arena_array(w->arena, int, n);
    *node          = followers ? kl_system_add_node(w->s, id < INT_MAX ? id + 1 : INT_MAX, at) : -1;
    if (*node < 0) return KL_E_MEMORY;
    memcpy(followers, list, (size_t)n * sizeof(int));
    w->ties[w->ntie++] = (kl_tie){.kind       = q->tie,
                                  .reference  = *node,
                                  .components = 0x3f,
                                  .n          = n,
                                  .node       = followers,
                                  .marker     = q->name};
    return KL_OK;
}

static kl_status tie_marker(work *w, const kl_marker_request *q, int *node)
{
    const int *list;
    int        n;
    KL_TRY(set_nodes(w, q->set, q->place, &list, &n));
    if (n == 1 && !q->has_point) { /* nothing to tie: the node is the marker */
        *node = list[0];
        return KL_OK;
    }
    const kl_vec3 *x      = w->mesh ? w->mesh->x : w->s->x;
    kl_vec3        middle = {0, 0, 0};
    for (int i = 0; i < n; i++) middle = kl_axpy(1.0 / n, x[list[i]], middle);
    kl_vec3 at = q->has_point ? q->point : middle;
    if (!w->mesh) return tie_in_system(w, q, n, list, at, node);
    *node = kl_marker_tie(w->mesh, q->name, q->tie, n, list, at);
    return *node < 0 ? KL_E_MEMORY : KL_OK;
}

static kl_status place_markers_before(work *w)
{
    w->marker_node = kl_arena_array(w->arena, int, w->r->nmarker + 1);
    w->ties        = kl_arena_array(w->arena, kl_tie, w->r->nmarker + 1);
    if (!w->marker_node || !w->ties) return KL_E_MEMORY;
    kl_status status = KL_OK;
    for (int i = 0; i < w->r->nmarker; i++) {
        const kl_marker_request *q = &w->r->marker[i];
        w->marker_node[i]          = -1;
        if (q->how == KL_AT_SET) {
            kl_status one = tie_marker(w, q, &w->marker_node[i]);
            if (one != KL_OK) status = one;
        }
    }
    if (status == KL_OK && w->ntie > 0) status = kl_system_tie(w->s, w->ntie, w->ties, w->diag);
    return status;
}

static double size_of(const kl_system *s, kl_vec3 *side)
{
    kl_vec3 lo = s->x[0], hi = s->x[0];
    for (int i = 1; i < s->nnode; i++) {
        lo = kl_vec(fmin(lo.x, s->x[i].x), fmin(lo.y, s->x[i].y), fmin(lo.z, s->x[i].z));
        hi = kl_vec(fmax(hi.x, s->x[i].x), fmax(hi.y, s->x[i].y), fmax(hi.z, s->x[i].z));
    }
    *side = kl_sub(hi, lo);
    return kl_norm(*side);
}

/* A marker at a point sits on the nearest node: the distance is reported, and the point is refused
 * where it can hardly be meant. */
static kl_status check_distance(const work *w, const kl_marker_request *q, int node)
{
    kl_vec3 side, x = w->s->x[node];
    double  far = kl_norm(kl_sub(x, q->point)), size = size_of(w->s, &side);
    if (far > 0.1 * size)
        return kl_fail(w->diag, KL_E_RANGE, q->place,
                       "marker '%s': the nearest node to (%g, %g, %g) is %d at (%g, %g, %g), %.3g "
                       "m away in a mesh of %.3g m; give the position of a node, or connect a node "
                       "set to this point with `set:`",
                       q->name, q->point.x, q->point.y, q->point.z, w->s->node_id[node], x.x, x.y,
                       x.z, far, size);
    if (far > 1e-6 * size)
        kl_note(w->diag, q->place,
                "marker '%s' is placed on node %d at (%g, %g, %g), %.3g m from its `at`", q->name,
                w->s->node_id[node], x.x, x.y, x.z, far);
    return KL_OK;
}

static kl_status place_markers_after(work *w)
{
    kl_status status = KL_OK;
    for (int i = 0; i < w->r->nmarker; i++) {
        const kl_marker_request *q = &w->r->marker[i];
        if (q->how == KL_AT_NODE) w->marker_node[i] = system_node(w, q->node_id);
        if (q->how == KL_AT_POINT) w->marker_node[i] = kl_marker_nearest(w->s, q->point);
        int node = w->marker_node[i];
        if (node >= 0 && kl_system_has(w->s, node, 0)) {
            kl_status one = q->how == KL_AT_POINT ? check_distance(w, q, node) : KL_OK;
            if (one != KL_OK) status = one;
            continue;
        }
        if (q->how == KL_AT_NODE)
            status = kl_fail(w->diag, KL_E_NAME, q->place, "marker '%s': %s node %d", q->name,
                             node < 0 ? "there is no" : "nothing moves", q->node_id);
        else
            status = kl_fail(w->diag, KL_E_MODEL, q->place,
                             "marker '%s': no free node is near this point", q->name);
    }
    return status;
}

/* ---- reference and interfaces ---- */

static int marker_index(const work *w, const char *name)
{
    for (int i = 0; i < w->r->nmarker; i++)
        if (strcmp(w->r->marker[i].name, name) == 0) return i;
    return -1;
}

/* into w->held */
static kl_status fix_one(work *w, const kl_fix_request *q, int *cap)
{
    int        single, count = 1;
    const int *node = &single;
    int        m    = q->name ? marker_index(w, q->name) : -1;
    if (m >= 0) single = w->marker_node[m];
    else if (q->name) KL_TRY(set_nodes(w, q->name, q->place, &node, &count));
    else {
        single = system_node(w, q->node_id);
        if (single < 0)
            return kl_fail(w->diag, KL_E_NAME, q->place, "there is no node %d", q->node_id);
    }
    int held = 0;
    for (int i = 0; i < count; i++) {
        void         *data = w->held;
        kl_node_mask *slot = kl_arena_grow(w->arena, &data, w->nheld, cap, sizeof *slot);
        if (!slot) return KL_E_MEMORY;
        w->held        = data;
        unsigned there = 0;
        for (int c = 0; c < 6; c++) there |= (unsigned)(w->s->dof[6 * node[i] + c] >= 0) << c;
        /* of a whole set only what its nodes have is held; a single node must have all that is
         * asked */
        *slot = (kl_node_mask){node[i], count > 1 ? q->components & there : q->components};
        held += slot->components != 0;
        w->nheld++;
    }
    if (held == 0)
        return kl_fail(
            w->diag, KL_E_MODEL, q->place,
            "reference: no component of '%s' can be fixed, because its nodes depend on others (a "
            "tie) or have no such components; fix the marker that they are connected to",
            q->name ? q->name : "the node");
    return KL_OK;
}

static kl_status hold(work *w)
{
    int cap = 0;
    for (int i = 0; w->r->reference == KL_NODAL && i < w->r->nfix; i++)
        KL_TRY(fix_one(w, &w->r->fix[i], &cap));
    return KL_OK;
}

static kl_status make_basis(work *w)
{
    const kl_recipe *r          = w->r;
    kl_node_mask    *interfaces = kl_arena_array(w->arena, kl_node_mask, r->nmarker + 1);
    int              ninterface = 0;
    const char     **names      = kl_arena_array(w->arena, const char *, r->nmarker + 1);
    const char     **markers    = kl_arena_array(w->arena, const char *, r->nmarker + 1);
    if (!interfaces || !names || !markers) return KL_E_MEMORY;
    for (int i = 0; i < r->nmarker; i++) markers[i] = r->marker[i].name;
    for (int i = 0; i < r->nmarker; i++) {
        unsigned components = r->marker[i].interface_components;
        if (!components) continue;
        /* a set of one node is that node, which may have no rotations */
        bool set = r->marker[i].how == KL_AT_SET;
        if ((set || components == KL_ALL_COMPONENTS) && !kl_system_has(w->s, w->marker_node[i], 3))
            components &= 0x07;
        components &= 0x3f;
        names[ninterface]        = r->marker[i].name;
        interfaces[ninterface++] = (kl_node_mask){w->marker_node[i], components};
    }
    if (r->statics != KL_NO_STATICS && ninterface == 0)
        return kl_fail(w->diag, KL_E_MODEL, KL_NOWHERE,
                       "static modes need interface markers; name them in `interfaces:`");

    double *user = NULL;
    if (r->nuser > 0) {
        user = calloc((size_t)w->s->ndof * (size_t)r->nuser, sizeof(double));
        if (!user) return KL_E_MEMORY;
        int given = r->user_nnode; /* marker nodes come last and are not in the file */
        for (int j = 0; j < r->nuser; j++)
            for (int d = 0; d < w->s->ndof; d++) {
                int q = 6 * w->s->dof_node[d] + w->s->dof_component[d];
                if (w->s->dof_node[d] < given)
                    user[(size_t)j * (size_t)w->s->ndof + (size_t)d] =
                        r->user[(size_t)j * 6 * (size_t)given + (size_t)q];
            }
    }
    kl_basis_options o = {
        .count          = r->modes,
        .method         = r->method,
        .count_check    = r->count_check,
        .threads        = r->threads,
        .reference      = r->reference,
        .ncondition     = w->nheld,
        .condition      = w->held,
        .statics        = r->statics,
        .ninterface     = ninterface,
        .interface_at   = interfaces,
        .interface_name = names,
        .names          = {r->nmarker, w->marker_node, markers},
        .plain          = r->plain,
        .nuser          = r->nuser,
        .user           = user,
        .user_frequency = r->user_frequency,
        .rank_tolerance = r->rank_tolerance,
        .progress       = r->progress,
        .context        = r->context,
    };
    kl_status status = kl_basis_make(w->s, &o, &w->basis, w->diag);
    free(user);
    return status;
}

/* What the mesh does at its markers under loads there, while the factor is at hand. With interfaces
 * held (Craig-Bampton) the factor does not know it. */
static kl_status find_compliance(work *w)
{
    size_t n = 6 * (size_t)w->r->nmarker;
    if (n == 0 || w->r->statics == KL_CRAIG_BAMPTON || w->r->user_frequency) return KL_OK;
    w->compliance = kl_arena_array(w->arena, double, n *n);
    if (!w->compliance) return KL_E_MEMORY;
    return kl_compliance_of_mesh(w->s, &w->basis.modes, w->r->nmarker, w->marker_node,
                                 w->compliance, w->diag);
}

/* ---- the body ---- */

static double *copied(kl_arena *a, const double *from, size_t n)
{
    double *to = kl_arena_array(a, double, n);
    if (to && n) memcpy(to, from, n * sizeof(double));
    return to;
}

static kl_status fill_markers(work *w)
{
    kl_kbody *b = w->body;
    b->nmarker  = w->r->nmarker;
    size_t wide = 6 * (size_t)b->nmarker;
    if (w->compliance) b->compliance = copied(b->arena, w->compliance, wide * wide);
    b->marker = kl_arena_array(b->arena, kl_kbody_marker, b->nmarker + 1);
    if (!b->marker) return KL_E_MEMORY;
    kl_status status = KL_OK;
    for (int i = 0; i < b->nmarker; i++) {
        const kl_marker_request *q = &w->r->marker[i];
        kl_kbody_marker         *m = &b->marker[i];
        m->name                    = kl_arena_text(b->arena, q->name);
        m->axes                    = q->axes;
        m->position                = w->s->x[w->marker_node[i]];
        kl_status one =
            kl_marker_motion(w->s, w->marker_node[i], w->basis.n, w->basis.X,
                             q->tolerance > 0 ? q->tolerance : 0.1, b->arena, m, w->diag);
        if (one != KL_OK) status = one;
    }
    return status;
}

static kl_status all_elements(const kl_mesh *m, kl_arena *arena, kl_element_ref **list, int *n)
{
    *n    = kl_mesh_count(m);
    *list = kl_arena_array(arena, kl_element_ref, *n + 1);
    if (!*list) return KL_E_MEMORY;
    int k = 0;
    for (int s = 0; s < KL_SHAPE_COUNT; s++)
        for (int e = 0; e < m->block[s].n; e++) (*list)[k++] = (kl_element_ref){(kl_shape)s, e, 0};
    return KL_OK;
}

static int *all_nodes(const work *w)
{
    int *list = kl_arena_array(w->arena, int, w->mesh->nnode + 1);
    for (int i = 0; list && i < w->mesh->nnode; i++) list[i] = i;
    return list;
}

/* `nodes` of `stress`: the surface, all, or a set */
static kl_status stress_nodes(const work *w, const int *skin_index, kl_stress_points *where)
{
    const char *set = w->r->stress_nodes;
    if (strcmp(set, "surface") == 0) {
        where->node = skin_index, where->nnode = w->body->skin.nnode;
        return KL_OK;
    }
    if (strcmp(set, "all") != 0 || kl_mesh_find_set(w->mesh, KL_NODE_SET, set) >= 0)
        return set_nodes(w, set, w->r->stress_nodes_place, &where->node, &where->nnode);
    where->node = all_nodes(w), where->nnode = w->mesh->nnode;
    return where->node ? KL_OK : KL_E_MEMORY;
}

static kl_status fill_stress(work *w, const int *skin_index)
{
    kl_stress_points where = {.side = w->r->stress_side, .all_faces = w->r->stress_faces};
    if (!w->mesh || (!w->r->stress_elements && !w->r->stress_nodes)) return KL_OK;
    if (w->r->stress_elements) {
        kl_element_ref *list = NULL;
        int             set  = kl_mesh_find_set(w->mesh, KL_ELEMENT_SET, w->r->stress_elements);
        if (set >= 0)
            where.element = w->mesh->set[set].element, where.nelement = w->mesh->set[set].n;
        else if (strcmp(w->r->stress_elements, "all") != 0)
            return no_set(w, w->r->stress_elements, w->r->stress_elements_place);
        else {
            KL_TRY(all_elements(w->mesh, w->arena, &list, &where.nelement));
            where.element = list;
        }
    }
    if (w->r->stress_nodes) KL_TRY(stress_nodes(w, skin_index, &where));
    return kl_stress_modes(w->mesh, w->s, &where, w->basis.n, w->basis.X, w->body->arena,
                           &w->body->stress, w->diag);
}

/* the frame's origin moved to the centre of mass: only positions change */
static void shift_to_centre(work *w, kl_vec3 c)
{
    for (int i = 0; i < w->s->nnode; i++) w->s->x[i] = kl_sub(w->s->x[i], c);
    for (int i = 0; w->mesh && i < w->mesh->nnode; i++) w->mesh->x[i] = kl_sub(w->mesh->x[i], c);
}

/* Before anything costly: is this a body at all? */
static kl_status check_mass(work *w)
{
    kl_invariants t;
    kl_place      place = {w->mesh ? w->mesh->source : NULL, 0, 0};
    kl_vec3       side;
    KL_TRY(kl_invariants_find(w->s, 0, NULL, w->arena, &t));
    if (!(t.m > 0))
        return kl_fail(w->diag, KL_E_MODEL, place, "the body has no mass; give a density");
    if (t.m > 1e9 && !w->r->lenient) /* the heaviest ship has 7e8 kg */
        return kl_fail(
            w->diag, KL_E_RANGE, place,
            "the body has %.3g kg at a size of %.3g m, which is implausible; if lengths are in mm, "
            "write `units: {length: mm}`; if the values are right, write `lenient: yes`",
            t.m, size_of(w->s, &side));
    if (w->r->centre) shift_to_centre(w, kl_scale(1 / t.m, t.s0));
    return KL_OK;
}

static const char *const reference_words[3] = {"mean-axis", "principal-axis", "nodal"};
static const char *const mass_words[3]      = {"consistent", "consistent-4-point", "lumped"};

static kl_status fill_body(work *w)
{
    kl_kbody *b = w->body = kl_kbody_create();
    if (!b) return KL_E_MEMORY;
    size_t n     = (size_t)w->basis.n;
    b->title     = kl_arena_text(b->arena, w->r->title ? w->r->title : "");
    b->source    = kl_arena_text(b->arena, w->mesh && w->mesh->source ? w->mesh->source : "");
    b->reference = reference_words[w->r->reference];
    b->mass_rule = w->mesh ? mass_words[w->r->mass] : "given";
    b->nmode     = w->basis.n;
    b->frequency = copied(b->arena, w->basis.frequency, n);
    b->residual  = copied(b->arena, w->basis.residual, n);
    b->Mff       = copied(b->arena, w->basis.Mff, n * n);
    b->Kff       = copied(b->arena, w->basis.Kff, n * n);
    double start = wall_clock();
    KL_TRY(kl_invariants_find(w->s, w->basis.n, w->basis.X, b->arena, &b->inertia));
    if (w->mesh) KL_TRY(kl_invariants_turn(w->mesh, w->s, w->basis.n, w->basis.X, &b->inertia));
    w->report->seconds_invariants = wall_clock() - start;
    KL_TRY(fill_markers(w));
    int *skin_index = NULL;
    if (w->mesh && !w->r->no_skin) {
        KL_TRY(kl_skin_find(w->mesh, b->arena, &b->skin, &skin_index));
        KL_TRY(kl_skin_motion(w->s, skin_index, w->basis.n, w->basis.X, b->arena, &b->skin));
    }
    KL_TRY(fill_stress(w, skin_index));
    return kl_arena_ok(b->arena) ? KL_OK : KL_E_MEMORY;
}

/* ---- units that do not fit each other show in the result ---- */

static void check_plausible(const work *w)
{
    const kl_kbody  *b     = w->body;
    const kl_system *s     = w->s;
    kl_place         place = {b->source, 0, 0};
    double           m = b->inertia.m, lowest = b->nmode > 0 ? b->frequency[0] : 1;
    kl_vec3          side;
    double           size = size_of(s, &side), box = side.x * side.y * side.z;
    bool             flat = fmin(side.x, fmin(side.y, side.z)) < 0.01 * size; /* shells, beams */
    if (m > 1e6)
        kl_warn(w->diag, place,
                "the body has %.3g kg at a size of %.3g m; if lengths are in mm, write `units: "
                "{length: mm}`",
                m, size);
    else if (!flat && m > 2.5e4 * box) /* osmium has 22 590 kg/m3 */
        kl_warn(w->diag, place,
                "the body has %.3g kg in a bounding box of %.3g m3, which is denser than any "
                "solid; check the units of mass and length",
                m, box);
    else if (m < 1e-9)
        kl_warn(w->diag, place,
                "the body has %.3g kg; check that density and lengths are in SI units", m);
    if (lowest > 1e7 || (lowest > 0 && lowest < 1e-3))
        kl_warn(w->diag, place,
                "the lowest natural frequency is %.3g Hz; check the units of stiffness, mass and "
                "length",
                lowest);
}

static kl_status stiffen(work *w)
{
    if (!w->mesh)
        return kl_fail(w->diag, KL_E_MODEL, KL_NOWHERE,
                       "`stiffening` needs a mesh, because the stress cannot be computed from "
                       "matrices; remove it or give a mesh");
    return kl_geometric_find(w->mesh, w->s, &w->basis, w->basis.X, w->r->mass, w->marker_node,
                             w->body, w->diag);
}

static void fill_report(work *w)
{
    kl_reduce_report *r = w->report;
    const kl_modes   *m = &w->basis.modes;
    r->nnode = w->s->nnode, r->nelement = w->mesh ? kl_mesh_count(w->mesh) : 0,
    r->ndof   = w->s->ndof;
    r->nrigid = m->nrigid, r->neigen = w->basis.neigen, r->nstatic = w->basis.nstatic;
    r->nuser = w->basis.nuser, r->ndropped = w->basis.ndropped, r->condition = w->basis.condition;
    r->nsolve = m->nsolve, r->nblock = m->nblock, r->sigma = m->sigma;
    r->entries_K      = (double)kl_symmetric_nnz(&w->s->K),
    r->entries_M      = (double)kl_symmetric_nnz(&w->s->M);
    r->factor_entries = m->factor_stats.entries, r->factor_bytes = m->factor_stats.bytes;
    r->seconds_factor = m->seconds_factor, r->seconds_modes = m->seconds_modes;
    r->largest_residual = 0, r->counted = m->counted;
    for (int i = 0; i < m->n; i++) r->largest_residual = fmax(r->largest_residual, m->residual[i]);
}

static kl_status run(work *w, kl_system *own)
{
    KL_TRY(place_markers_before(w));
    double start = wall_clock();
    if (w->mesh) {
        if (w->r->progress && !w->r->progress(w->r->context, "assembly", 0))
            return KL_E_INTERRUPTED;
        KL_TRY(kl_fe_assemble(w->mesh, w->r->mass, own, w->diag));
        w->s = own;
    }
    w->report->seconds_assembly = wall_clock() - start;
    KL_TRY(place_markers_after(w)); /* by points of the mesh's own frame */
    KL_TRY(hold(w));
    if (w->mesh) /* with the markers' ties */
        KL_TRY(kl_mesh_check_mechanism(w->mesh, w->nheld, w->held, w->diag));
    KL_TRY(check_mass(w));
    start = wall_clock();
    KL_TRY(make_basis(w));
    KL_TRY(find_compliance(w));
    fill_report(w);
    if (w->r->modes_place.file && w->basis.neigen < w->r->modes && !w->r->user_frequency)
        kl_note(w->diag, w->r->modes_place,
                "`modes: %d` exceeds the %d modes of a mesh with %d unknowns; request fewer modes",
                w->r->modes, w->basis.neigen, w->s->ndof);
    w->report->seconds_statics =
        wall_clock() - start - w->report->seconds_factor - w->report->seconds_modes;
    if (!w->r->stiffening) {
        /* the largest piece of memory is not needed any more */
        kl_factor_destroy(w->basis.modes.factor);
        w->basis.modes.factor = NULL;
    }
    if (w->r->progress && !w->r->progress(w->r->context, "inertia", 0)) return KL_E_INTERRUPTED;
    KL_TRY(fill_body(w));
    check_plausible(w);
    return w->r->stiffening ? stiffen(w) : KL_OK;
}

kl_status kl_reduce(kl_mesh *mesh, kl_system *matrices, const kl_recipe *recipe, kl_kbody **body,
                    kl_reduce_report *report, kl_diag *diag)
{
    kl_reduce_report unused;
    kl_system        own = {0};
    work             w   = {.mesh   = mesh,
                            .s      = matrices,
                            .r      = recipe,
                            .report = report ? report : &unused,
                            .diag   = diag,
                            .arena  = kl_arena_create()};
    memset(w.report, 0, sizeof *w.report);
    *body            = NULL;
    kl_status status = w.arena ? kl_blas_ready() : KL_E_MEMORY;
    if (status == KL_OK) status = run(&w, &own);
    if (status == KL_E_MEMORY && !kl_diag_failed(diag))
        kl_fail(diag, status, KL_NOWHERE, "out of memory");
    if (status == KL_OK) *body = w.body;
    else kl_kbody_destroy(w.body);
    kl_basis_free(&w.basis);
    kl_system_free(&own);
    kl_arena_destroy(w.arena);
    return status;
}
