/* Nastran bulk data: point masses, springs, rigid and averaging ties, sets, parameters.
 *
 * Directions of a grid point are counted in its own axes (CD). A spring or a partial tie can be
 * used where these axes lie along the global ones, in either sense. */
#include <math.h>

#include "mesh/read_nastran.h"

enum { ALL = 0x3f };

/* ---- masses ---- */

/* CONM2: EID, G, CID, M, X1, X2, X3, -; I11, I21, I22, I31, I32, I33. Products are given with the
 * sign of the integral, so that they stand negative in the tensor. */
void bulk_read_conm2(bulk *b)
{
    kl_point_mass m = {0};
    int           frame;
    double        x[3], I[6];
    kl_mat3       axes;
    m.node = bulk_node(b, 2);
    if (m.node < 0 || !bulk_whole(b, 1, 0, &m.id) || !bulk_whole(b, 3, 0, &frame) ||
        !bulk_real(b, 4, 0.0, &m.mass) || !bulk_reals(b, 5, 3, 0.0, x) ||
        !bulk_reals(b, 9, 6, 0.0, I))
        return;
    kl_vec3 at = b->r->mesh->x[m.node];
    if (!bulk_axes(b, frame == -1 ? 0 : frame, at, &axes)) return;
    m.offset  = frame == -1 ? kl_sub(kl_load(x), at) : kl_mul(&axes, kl_load(x));
    kl_mat3 J = {{{I[0], -I[1], -I[3]}, {-I[1], I[2], -I[4]}, {-I[3], -I[4], I[5]}}};
    kl_mat3 T = kl_transpose(&axes);
    J         = kl_matmul(&J, &T);
    J         = kl_matmul(&axes, &J);
    m.J       = kl_mat_scale(b->wtmass, &J);
    m.mass *= b->wtmass;
    if (kl_mesh_add_mass(b->r->mesh, &m) < 0) b->r->status = KL_E_MEMORY;
}

/* ---- springs ---- */

/* The global direction of direction `c` (0 to 5) of a node; -1 when it lies along none. */
static int global_direction(bulk *b, int node, int c)
{
    kl_mat3 axes;
    if (!bulk_node_axes(b, node, &axes)) return -1;
    kl_vec3 d    = kl_axis(&axes, c % 3);
    double  e[3] = {fabs(d.x), fabs(d.y), fabs(d.z)};
    for (int k = 0; k < 3; k++)
        if (e[k] > 1.0 - 1e-9) return k + c / 3 * 3;
    return -1;
}

/* Ends at fields i (G1, C1) and i + 2 (G2, C2); an empty G is the ground. */
static void scalar_spring(bulk *b, int i, int id, double k)
{
    kl_spring s = {.id = id, .node = {-1, -1}};
    int       c[2], global[2] = {-1, -1}, n = 0;
    for (int e = 0; e < 2; e++) {
        int g;
        if (!bulk_whole(b, i + 2 * e, 0, &g) || !bulk_whole(b, i + 2 * e + 1, 0, &c[e])) return;
        if (g == 0) continue;
        int node = bulk_node_by_id(b, i + 2 * e, g);
        if (node < 0) return;
        if (c[e] < 1 || c[e] > 6) {
            bulk_refuse(b, i + 2 * e + 1,
                        "%s %d: direction %d must be 1 to 6; scalar points cannot be "
                        "used",
                        bulk_name(b), id, c[e]);
            return;
        }
        global[n]   = global_direction(b, node, c[e] - 1);
        s.node[n++] = node;
    }
    if (n == 0) {
        bulk_flaw(b, KL_FLAW_SYNTAX, i, "%s %d has no grid point; give one", bulk_name(b), id);
        return;
    }
    if (global[0] < 0 || (n == 2 && global[0] != global[1])) {
        bulk_refuse(b, i,
                    "%s %d: both ends must use the same global direction; otherwise model it as a "
                    "spring-damper",
                    bulk_name(b), id);
        return;
    }
    s.k[global[0]] = k;
    if (kl_mesh_add_spring(b->r->mesh, &s) < 0) b->r->status = KL_E_MEMORY;
}

/* CELAS2: EID, K, G1, C1, G2, C2 */
void bulk_read_celas2(bulk *b)
{
    int    id;
    double k;
    if (bulk_whole(b, 1, 0, &id) && bulk_real(b, 2, 0.0, &k)) scalar_spring(b, 3, id, k);
}

static const double *spring_property(bulk *b, int i, int id, const char *card)
{
    int pid;
    if (!bulk_whole(b, i, id, &pid)) return NULL;
    int at = kl_int_map_find(&b->springs, (uint64_t)pid);
    if (at >= 0) return b->spring_k[at];
    bulk_flaw(b, KL_FLAW_UNKNOWN_PROPERTY, i,
              "%s %d refers to %s %d, which does not exist; define it or correct the number",
              bulk_name(b), id, card, pid);
    return NULL;
}

/* CELAS1: EID, PID, G1, C1, G2, C2 */
void bulk_read_celas1(bulk *b)
{
    int           id;
    const double *k = bulk_whole(b, 1, 0, &id) ? spring_property(b, 2, id, "PELAS") : NULL;
    if (k) scalar_spring(b, 3, id, k[0]);
}

/* CBUSH: EID, PID, GA, GB, X1 or G0, X2, X3, CID: usable with CID = 0, the basic axes. */
void bulk_read_cbush(bulk *b)
{
    int           id, frame;
    const double *k = bulk_whole(b, 1, 0, &id) ? spring_property(b, 2, id, "PBUSH") : NULL;
    kl_spring     s = {.id = id, .node = {-1, -1}};
    if (!k || !bulk_whole(b, 8, -1, &frame)) return;
    s.node[0] = bulk_node(b, 3);
    if (!bulk_empty(b, 4)) s.node[1] = bulk_node(b, 4);
    if (s.node[0] < 0 || (!bulk_empty(b, 4) && s.node[1] < 0)) return;
    kl_vec3 d = s.node[1] < 0 ? kl_vec(0, 0, 0)
                              : kl_sub(b->r->mesh->x[s.node[1]], b->r->mesh->x[s.node[0]]);
    if (frame != 0 || kl_norm(d) > 1e-6 * kl_mesh_size(b->r->mesh)) {
        bulk_refuse(b, 8,
                    "CBUSH %d: only CID = 0 and coincident ends are supported; otherwise model it "
                    "as a bushing",
                    id);
        return;
    }
    for (int i = 0; i < 6; i++) s.k[i] = k[i];
    if (kl_mesh_add_spring(b->r->mesh, &s) < 0) b->r->status = KL_E_MEMORY;
}

/* ---- ties ---- */

/* Are some but not all of three directions tied, so that the axes they are counted in matter? */
static bool partial(unsigned components)
{
    unsigned t = components & 7u, r = components >> 3 & 7u;
    return (t != 0 && t != 7) || (r != 0 && r != 7);
}

static bool turned(bulk *b, int node)
{
    kl_mat3 axes;
    if (!bulk_node_axes(b, node, &axes)) return true;
    return fabs(axes.m[0][0] + axes.m[1][1] + axes.m[2][2] - 3.0) > 1e-9;
}

/* Node indices of numbers, in place; false when one is missing or its axes are in the way. */
static bool nodes_of(bulk *b, int i, kl_int_list *ids, unsigned components, int reference)
{
    bool   ok   = true;
    size_t kept = 0;
    for (size_t k = 0; k < ids->n; k++) {
        int node = bulk_node_by_id(b, i, ids->v[k]);
        if (node < 0) ok = false;
        else if (partial(components) && turned(b, node)) {
            bulk_refuse(b, i, "%s: GRID %d has its own axes (CD); connect 123, 456 or 123456",
                        bulk_name(b), ids->v[k]);
            return false;
        } else if (node != reference) {
            ids->v[kept++] = node;
        }
    }
    ids->n = kept;
    return ok && kept > 0;
}

static void put_tie(bulk *b, const kl_tie *t)
{
    if (kl_mesh_add_tie(b->r->mesh, t) < 0) b->r->status = KL_E_MEMORY;
}

/* RBE2: EID, GN, CM, GM1, ...; perhaps ALPHA at the end */
void bulk_read_rbe2(bulk *b)
{
    kl_tie      t   = {.kind = KL_RBE2};
    kl_int_list ids = {0};
    t.reference     = bulk_node(b, 2);
    if (!bulk_whole(b, 1, 0, &t.id) || !bulk_directions(b, 3, &t.components)) return;
    int next = bulk_list(b, 4, false, &ids);
    if (next < b->nfield && !bulk_is_real(b, next)) {
        bulk_field f = bulk_at(b, next);
        bulk_flaw(b, KL_FLAW_NUMBER, next, "RBE2 %d: '%s' is not a GRID number; correct this field",
                  t.id, kl_quote(b->r, f.first, f.last));
    } else if (ids.n == 0 || t.components == 0) {
        bulk_flaw(b, KL_FLAW_SYNTAX, 4,
                  "RBE2 %d connects no nodes or no directions; give directions and nodes", t.id);
    } else if (nodes_of(b, 4, &ids, t.components, t.reference) && t.reference >= 0) {
        t.n    = (int)ids.n;
        t.node = ids.v;
        put_tie(b, &t);
    }
    kl_int_list_free(&ids);
}

/* RBAR: EID, GA, GB, CNA, CNB, CMA, CMB: usable when all of one end is independent. */
void bulk_read_rbar(bulk *b)
{
    kl_tie   t = {.kind = KL_RBE2};
    unsigned a, c;
    int      end[2] = {bulk_node(b, 2), bulk_node(b, 3)};
    if (end[0] < 0 || end[1] < 0 || !bulk_whole(b, 1, 0, &t.id) || !bulk_directions(b, 4, &a) ||
        !bulk_directions(b, 5, &c))
        return;
    if (!(a == ALL && c == 0) && !(c == ALL && a == 0)) {
        bulk_refuse(b, 4, "RBAR %d: only CNA or CNB = 123456 can be used", t.id);
        return;
    }
    int      first = a == ALL ? 0 : 1, follower = end[1 - first];
    unsigned tied;
    if (!bulk_directions(b, first == 0 ? 7 : 6, &tied)) return;
    t.components = tied ? tied : ALL;
    t.reference  = end[first];
    t.n          = 1;
    t.node       = &follower;
    if (partial(t.components) && turned(b, follower))
        bulk_refuse(b, 6,
                    "RBAR %d: its end has its own axes (CD), which is not supported; leave CD of "
                    "this GRID blank",
                    t.id);
    else put_tie(b, &t);
}

typedef struct weights {
    double *v;
    int     n, cap;
} weights;

/* Groups WTi, Ci, Gi,1, Gi,2, ... from field 5 on. */
static bool rbe3_groups(bulk *b, int id, kl_int_list *ids, weights *w)
{
    int i = 5;
    while (i < b->nfield) {
        double   weight;
        unsigned components;
        if (bulk_empty(b, i)) {
            i++;
            continue;
        }
        if (bulk_is(b, i, "UM") || bulk_is(b, i, "ALPHA")) break;
        if (!bulk_real(b, i, 1.0, &weight) || !bulk_directions(b, i + 1, &components)) return false;
        if ((components & 7u) != 7u)
            bulk_refuse(b, i + 1, "RBE3 %d: weights of single directions cannot be used; give 123",
                        id);
        else if (components & ~7u)
            kl_warn(b->r->diag, kl_source_place(b->card->t, b->card->first),
                    "RBE3 %d: rotations of its nodes are used only if the nodes lie on one line",
                    id);
        size_t before = ids->n;
        i             = bulk_list(b, i + 2, false, ids);
        for (size_t k = before; k < ids->n; k++) {
            double *slot = kl_arena_grow(b->r->arena, (void **)&w->v, w->n, &w->cap, sizeof *slot);
            if (!slot) return false;
            *slot = weight;
            w->n++;
        }
        if (i < b->nfield && !bulk_is_real(b, i) && !bulk_is(b, i, "UM") &&
            !bulk_is(b, i, "ALPHA")) {
            bulk_field f = bulk_at(b, i);
            bulk_flaw(b, KL_FLAW_NUMBER, i,
                      "RBE3 %d: '%s' is neither a GRID number nor a weight; correct this field", id,
                      kl_quote(b->r, f.first, f.last));
            return false;
        }
    }
    return true;
}

/* RBE3: EID, -, REFGRID, REFC, then groups */
void bulk_read_rbe3(bulk *b)
{
    kl_tie      t   = {.kind = KL_RBE3};
    kl_int_list ids = {0};
    weights     w   = {0};
    t.reference     = bulk_node(b, 3);
    if (!bulk_whole(b, 1, 0, &t.id) || !bulk_directions(b, 4, &t.components)) return;
    if (partial(t.components) && t.reference >= 0 && turned(b, t.reference)) {
        bulk_refuse(b, 4,
                    "RBE3 %d: its reference node has its own axes (CD), which is not supported; "
                    "leave CD of this GRID blank",
                    t.id);
    } else if (rbe3_groups(b, t.id, &ids, &w) && t.reference >= 0) {
        if (nodes_of(b, 5, &ids, 7u, -1)) {
            t.n      = (int)ids.n;
            t.node   = ids.v;
            t.weight = w.v;
            put_tie(b, &t);
        } else if (ids.n == 0) {
            bulk_flaw(b, KL_FLAW_SYNTAX, 5, "RBE3 %d has no nodes; give weight, 123 and the nodes",
                      t.id);
        }
    }
    kl_int_list_free(&ids);
}

/* ---- sets and parameters ---- */

/* A list must go to the end of its card. */
static void check_rest(bulk *b, int next)
{
    bulk_field f = bulk_at(b, next);
    if (next < b->nfield)
        bulk_flaw(b, KL_FLAW_NUMBER, next, "%s: '%s' is not a valid number in a list", bulk_name(b),
                  kl_quote(b->r, f.first, f.last));
}

/* Numbers of a set that the mesh does not have: a set for another purpose, or a mistake. */
static void report_missing(bulk *b, int missing, int all, int first)
{
    if (missing == 0) return;
    kl_warn(b->r->diag, kl_source_place(b->card->t, b->card->first),
            "%s: %d of %d numbers are not in the mesh (first: %d) and are ignored", bulk_name(b),
            missing, all, first);
}

static void put_node_set(bulk *b, const char *name, int i)
{
    kl_int_list ids = {0};
    check_rest(b, bulk_list(b, i, false, &ids));
    int set = name ? kl_mesh_set(b->r->mesh, KL_NODE_SET, name) : -1, missing = 0, first = 0;
    for (size_t k = 0; k < ids.n; k++) {
        int node = kl_mesh_find_node(b->r->mesh, ids.v[k]);
        if (node >= 0) kl_mesh_set_put_node(b->r->mesh, set, node);
        else if (missing++ == 0) first = ids.v[k];
    }
    report_missing(b, missing, (int)ids.n, first);
    kl_int_list_free(&ids);
}

static void put_element_set(bulk *b, const char *name, int i)
{
    kl_int_list ids = {0};
    check_rest(b, bulk_list(b, i, true, &ids));
    int set = name ? kl_mesh_set(b->r->mesh, KL_ELEMENT_SET, name) : -1, missing = 0, first = 0;
    for (size_t k = 0; k < ids.n; k++) {
        kl_element_ref ref;
        if (kl_mesh_find_element(b->r->mesh, ids.v[k], &ref))
            kl_mesh_set_put_element(b->r->mesh, set, ref);
        else if (missing++ == 0) first = ids.v[k];
    }
    report_missing(b, missing, (int)ids.n, first);
    kl_int_list_free(&ids);
}

/* SET1: SID, numbers: of grid points, as far as they exist */
void bulk_read_set1(bulk *b)
{
    int id;
    if (!bulk_whole(b, 1, 0, &id)) return;
    if (bulk_is(b, 2, "SKIN")) kl_import_ignore(b->r, b->card->t, b->card->first, "SET1, SKIN");
    else put_node_set(b, kl_arena_format(b->r->arena, "set-%d", id), 2);
}

/* SET3: SID, GRID or ELEM, numbers */
void bulk_read_set3(bulk *b)
{
    int id;
    if (!bulk_whole(b, 1, 0, &id)) return;
    const char *name = kl_arena_format(b->r->arena, "set-%d", id);
    if (bulk_is(b, 2, "GRID")) put_node_set(b, name, 3);
    else if (bulk_is(b, 2, "ELEM") || bulk_is(b, 2, "ELEMENT")) put_element_set(b, name, 3);
    else kl_import_ignore(b->r, b->card->t, b->card->first, "SET3");
}

/* ASET1, BSET1: directions, numbers. ASET, BSET: pairs of number and directions. Interface nodes.
 */
void bulk_read_aset(bulk *b)
{
    const char *name = bulk_name(b);
    bool        list = name[4] == '1';
    const char *set  = name[0] == 'A' ? "ASET" : "BSET";
    if (list) {
        put_node_set(b, set, 2);
        return;
    }
    for (int i = 1; i < b->nfield; i += 2) {
        int node = bulk_empty(b, i) ? -1 : bulk_node(b, i);
        if (node >= 0)
            kl_mesh_set_put_node(b->r->mesh, kl_mesh_set(b->r->mesh, KL_NODE_SET, set), node);
    }
}

/* PARAM: WTMASS turns weight into mass; the others do not touch the mesh. */
void bulk_read_param(bulk *b)
{
    bulk_field f = bulk_at(b, 1);
    if (!bulk_is(b, 1, "WTMASS")) {
        const char *what =
            kl_arena_format(b->r->arena, "PARAM, %s", kl_quote(b->r, f.first, f.last));
        kl_import_ignore(b->r, b->card->t, b->card->first, what);
        return;
    }
    if (bulk_real(b, 2, 1.0, &b->wtmass) && !(b->wtmass > 0.0)) {
        bulk_flaw(b, KL_FLAW_RANGE, 2, "PARAM, WTMASS = %g must be positive", b->wtmass);
        b->wtmass = 1.0;
    }
}
