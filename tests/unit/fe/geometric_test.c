/* Geometric stiffness of shells, beams and solids against buckling loads of the textbooks
 * (Timoshenko and Gere, Theory of Elastic Stability, 1961) and against each other. */
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "fe/assemble.h"
#include "fe/geometric.h"
#include "fe/reduce.h"
#include "unit/test.h"

static const double E = 70e9, NU = 0.3, RHO = 2700;

/* ---- meshes ---- */

static int material(kl_mesh *m)
{
    kl_material p = {.name = "aluminium", .rho = RHO, .E = E, .nu = NU};
    return kl_mesh_add_material(m, &p);
}

static int shell_of(kl_mesh *m, double t)
{
    kl_property p = {.name = "sheet", .kind = KL_SHELL, .material = material(m), .thickness = t};
    return kl_mesh_add_property(m, &p);
}

static void put(kl_mesh *m, const char *set, int node)
{
    kl_mesh_set_put_node(m, kl_mesh_set(m, KL_NODE_SET, set), node);
}

typedef enum cut { QUADS, TRIANGLES } cut;

/* nx x ny elements over a x b in the plane of `x` and `y`; sets: x0 x1 y0 y1 */
static void lay(kl_mesh *m, int property, cut how, int nx, int ny, kl_vec3 x, kl_vec3 y)
{
    int first = m->nnode, id = kl_mesh_count(m);
    for (int i = 0; i <= nx; i++)
        for (int j = 0; j <= ny; j++) {
            int node = kl_mesh_add_node(
                m, m->nnode + 1, kl_add(kl_scale((double)i / nx, x), kl_scale((double)j / ny, y)));
            put(m, "all", node);
            if (i == 0) put(m, "x0", node);
            if (i == nx) put(m, "x1", node);
            if (j == 0) put(m, "y0", node);
            if (j == ny) put(m, "y1", node);
            if (i == nx && 2 * j == ny) put(m, "tip", node);
        }
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++) {
            int a = first + i * (ny + 1) + j, q[4] = {a, a + ny + 1, a + ny + 2, a + 1};
            if (how == QUADS) kl_mesh_add_element(m, KL_QUAD4, ++id, property, q);
            else if ((i + j) % 2) {
                kl_mesh_add_element(m, KL_TRI3, ++id, property, (const int[]){q[0], q[1], q[2]});
                kl_mesh_add_element(m, KL_TRI3, ++id, property, (const int[]){q[0], q[2], q[3]});
            } else {
                kl_mesh_add_element(m, KL_TRI3, ++id, property, (const int[]){q[0], q[1], q[3]});
                kl_mesh_add_element(m, KL_TRI3, ++id, property, (const int[]){q[1], q[2], q[3]});
            }
        }
}

/* a node whose `components` lead those of a set: a slide that loads the set evenly */
static int lead(kl_mesh *m, const char *set, const char *name, unsigned components)
{
    int        n, node = kl_mesh_add_node(m, 100000 + m->ntie, kl_vec(0, 0, 0));
    const int *list = kl_mesh_set_nodes(m, set, &n);
    int       *copy = kl_arena_array(m->arena, int, n);
    memcpy(copy, list, (size_t)n * sizeof(int));
    kl_tie tie = {.id         = 1,
                  .kind       = KL_RBE2,
                  .reference  = node,
                  .components = components,
                  .n          = n,
                  .node       = copy};
    kl_mesh_add_tie(m, &tie);
    put(m, name, node);
    return node;
}

/* ---- reduction and buckling ---- */

typedef struct task {
    kl_mesh          *m;
    int               modes, nfix, nmarker;
    kl_fix_request    fix[12];
    kl_marker_request marker[4];
    kl_statics        statics;
    kl_reference      reference;
} task;

static void hold(task *t, const char *set, unsigned components)
{
    t->fix[t->nfix++] = (kl_fix_request){.name = set, .components = components};
}

static void mark(task *t, const char *set, kl_tie_kind tie)
{
    t->marker[t->nmarker++] = (kl_marker_request){
        .name = set, .how = KL_AT_SET, .set = set, .tie = tie, .axes = kl_identity()};
}

static kl_kbody *reduced(task *t)
{
    kl_diag  *d = kl_diag_create();
    kl_kbody *body;
    kl_recipe r = {.modes      = t->modes,
                   .reference  = t->reference,
                   .statics    = t->statics,
                   .nmarker    = t->nmarker,
                   .nfix       = t->nfix,
                   .marker     = t->marker,
                   .fix        = t->fix,
                   .no_skin    = true,
                   .stiffening = true};
    if (kl_mesh_finish(t->m, d) != KL_OK || kl_mesh_check(t->m, d) != KL_OK ||
        kl_reduce(t->m, NULL, &r, &body, NULL, d) != KL_OK)
        fail_msg("%s", kl_diag_at(d, 0)->text);
    kl_diag_destroy(d);
    kl_mesh_destroy(t->m);
    return body;
}

/* lowest load factor at which K + factor Kg is singular; second = -Kg */
static double buckles(const kl_kbody *b, const double *second)
{
    size_t  n = (size_t)b->nmode;
    double *A = malloc(n * n * sizeof(double)), *B = malloc(n * n * sizeof(double)),
           *w = malloc(n * sizeof(double));
    memcpy(A, second, n * n * sizeof(double));
    memcpy(B, b->Kff, n * n * sizeof(double));
    assert_int_equal(kl_generalized_eigen((int)n, A, B, w), KL_OK);
    double most = w[n - 1];
    free(A);
    free(B);
    free(w);
    return 1 / most;
}

static const double *load(const kl_kbody *b, int marker, int component, double sign)
{
    size_t  nn = (size_t)(b->nmode * b->nmode);
    double *K  = b->marker[marker].second + (size_t)component * nn;
    for (size_t i = 0; sign < 0 && i < nn; i++) K[i] = -K[i];
    return K;
}

/* ---- plates ---- */

static const double PI = 3.14159265358979323846;

static double plate(cut how, int n, double t, bool shear)
{
    const double b = 1.0;
    task         k = {.m         = kl_mesh_create("plate"),
                      .modes     = !shear  ? 6
                                   : n < 8 ? 10
                                           : 40,
                      .reference = KL_NODAL};
    lay(k.m, shell_of(k.m, t), how, n, n, kl_vec(b, 0, 0), kl_vec(0, b, 0));
    lead(k.m, shear ? "y1" : "x1", "edge", 0x01);
    const char *edges[4] = {"x0", "x1", "y0", "y1"};
    for (int i = 0; i < 4; i++)
        hold(&k, edges[i], 0x04 | (i < 2 ? 0x08 : 0x10) | (shear ? 0x02 : 0));
    hold(&k, shear ? "y0" : "x0", 0x01);
    if (!shear) hold(&k, "y0", 0x02);
    hold(&k, "edge", 0x3e);
    mark(&k, "edge", KL_RBE2);
    kl_kbody *body = reduced(&k);
    double    N    = buckles(body, load(body, 0, 0, shear ? 1 : -1)) / b;
    kl_kbody_destroy(body);
    return N * 12 * (1 - NU * NU) * b * b / (E * t * t * t * PI * PI);
}

/* ---- strips ---- */

static const double L = 1.0, B = 0.05, T = 0.002;

typedef enum meshing { SHELL_QUADS, SHELL_TRIANGLES, SOLIDS, BEAMS } meshing;

static int beam_of(kl_mesh *m, kl_vec3 orientation)
{
    double      J = B * T * T * T * (1.0 / 3 - 0.21 * T / B);
    kl_property p = {.name        = "strip",
                     .kind        = KL_BEAM,
                     .material    = material(m),
                     .area        = B * T,
                     .Iz          = T * B * B * B / 12,
                     .Iy          = B * T * T * T / 12,
                     .J           = J,
                     .ky          = 5.0 / 6,
                     .kz          = 5.0 / 6,
                     .orientation = orientation};
    return kl_mesh_add_property(m, &p);
}

static void lay_solids(kl_mesh *m, int nx, int ny)
{
    kl_property p        = {.name = "bar", .kind = KL_SOLID, .material = material(m)};
    int         property = kl_mesh_add_property(m, &p), e = 0;
    for (int i = 0; i <= nx; i++)
        for (int j = 0; j <= ny; j++)
            for (int k = 0; k < 2; k++) {
                int node = kl_mesh_add_node(m, m->nnode + 1,
                                            kl_vec(L * i / nx, B * j / ny, T * (k - 0.5)));
                put(m, "all", node);
                if (i == 0) put(m, "x0", node);
                if (i == nx) put(m, "x1", node);
                if (i == nx && 2 * j == ny && k == 0) put(m, "tip", node);
            }
#define AT(i, j, k) (((i) * (ny + 1) + (j)) * 2 + (k))
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            kl_mesh_add_element(m, KL_HEX8, ++e, property,
                                (const int[]){AT(i, j, 0), AT(i + 1, j, 0), AT(i + 1, j + 1, 0),
                                              AT(i, j + 1, 0), AT(i, j, 1), AT(i + 1, j, 1),
                                              AT(i + 1, j + 1, 1), AT(i, j + 1, 1)});
#undef AT
}

static void lay_beams(kl_mesh *m, int nx)
{
    int property = beam_of(m, kl_vec(0, 1, 0));
    for (int i = 0; i <= nx; i++) {
        int node = kl_mesh_add_node(m, i + 1, kl_vec(L * i / nx, 0, 0));
        put(m, "all", node);
        if (i == 0) put(m, "x0", node);
        if (i == nx) put(m, "x1", node), put(m, "tip", node);
        if (i > 0) kl_mesh_add_element(m, KL_BEAM2, i, property, (const int[]){i - 1, i});
    }
}

static task strip(meshing how, int nx, int ny, int modes)
{
    task k = {.m = kl_mesh_create("strip"), .modes = modes, .reference = KL_NODAL};
    if (how == BEAMS) lay_beams(k.m, nx);
    else if (how == SOLIDS) lay_solids(k.m, nx, ny);
    else
        lay(k.m, shell_of(k.m, T), how == SHELL_QUADS ? QUADS : TRIANGLES, nx, ny, kl_vec(L, 0, 0),
            kl_vec(0, B, 0));
    hold(&k, "x0", 0x3f);
    return k;
}

static double column(meshing how, int nx, int ny, bool edge_on, kl_statics statics)
{
    task k = strip(how, nx, ny, edge_on ? 6 : 8);
    if (edge_on) hold(&k, "all", how == SOLIDS ? 0x04 : 0x1c), hold(&k, "x1", 0x1c);
    mark(&k, "x1", KL_RBE2);
    k.statics                        = statics;
    k.marker[0].interface_components = statics ? 0x3f : 0;
    kl_kbody *body                   = reduced(&k);
    double    P                      = buckles(body, load(body, 0, 0, -1));
    kl_kbody_destroy(body);
    return P / (PI * PI * E * (edge_on ? T * B * B * B : B * T * T * T) / 12 / (4 * L * L));
}

static double lateral(meshing how, int nx, int ny)
{
    task k = strip(how, nx, ny, 24);
    mark(&k, "tip", KL_RBE2);
    kl_kbody *body = reduced(&k);
    double    P    = buckles(body, load(body, 0, 1, 1));
    kl_kbody_destroy(body);
    return P;
}

/* ---- a rigid turn ---- */

static double at(kl_vec3 x, int c) { return c == 0 ? x.x : c == 1 ? x.y : x.z; }

static kl_vec3 axis(int c) { return kl_vec(c == 0, c == 1, c == 2); }

/* (theta_i x (theta_j x x) + theta_j x (theta_i x x))/2: second-order motion of a rigid turn */
static kl_vec3 turned(int i, int j, kl_vec3 x)
{
    kl_vec3 one = kl_cross(axis(i), kl_cross(axis(j), x)),
            two = kl_cross(axis(j), kl_cross(axis(i), x));
    return kl_scale(0.5, kl_add(one, two));
}

/* Loads on the nodes' own unknowns, balanced by inertia: N x nload. */
static double *balanced(const kl_system *s, const int *marker, int nmarker)
{
    kl_mass_view v     = kl_system_mass(s);
    size_t       N     = (size_t)v.n;
    int          nload = 12 + 6 * nmarker;
    double      *f = calloc(N * (size_t)nload, sizeof(double)), *R = calloc(6 * N, sizeof(double)),
           *MR = calloc(6 * N, sizeof(double)), *field = calloc(12 * N, sizeof(double)), G[36],
           *c = calloc(6 * (size_t)nload, sizeof(double));
    for (size_t q = 0; q < N; q++) {
        kl_vec3 x = s->x[v.node[q]];
        int     k = v.component[q];
        for (int a = 0; a < 3; a++) {
            R[(size_t)a * N + q]       = k == a;
            R[(size_t)(3 + a) * N + q] = k < 3 ? at(kl_cross(axis(a), x), k) : k - 3 == a;
            field[(size_t)a * N + q]   = k == a;
            for (int d = 0; d < 3; d++)
                field[(size_t)(3 + 3 * a + d) * N + q] =
                    k < 3 ? (k == a) * at(x, d) : 0.5 * at(kl_cross(axis(d), axis(a)), k - 3);
        }
        for (int i = 0; i < nmarker; i++)
            if (v.node[q] == marker[i]) f[(size_t)(12 + 6 * i + k) * N + q] = 1;
    }
    kl_symmetric_multiply(v.M, 12, field, f);
    kl_symmetric_multiply(v.M, 6, R, MR);
    kl_gemm(true, false, 6, 6, v.n, 1, R, v.n, MR, v.n, 0, G, 6);
    kl_gemm(true, false, 6, nload, v.n, 1, R, v.n, f, v.n, 0, c, 6);
    assert_int_equal(kl_dense_solve(6, nload, G, c), KL_OK);
    kl_gemm(false, false, v.n, nload, 6, -1, MR, v.n, c, 6, 1, f, v.n);
    free(R), free(MR), free(field), free(c);
    return f;
}

/* A rigid turn moves every node by theta x (theta x x)/2 in second order and no node by more than the
 * turn itself: whatever the mesh, each load does on it what it does on this motion. */
static void check_rigid_turn(kl_mesh *m, int nmarker, const int *marker, bool bordered,
                             double tolerance)
{
    kl_diag     *d = kl_diag_create();
    kl_system    s;
    kl_basis     b;
    kl_node_mask at_marker[4];
    for (int i = 0; i < nmarker; i++) at_marker[i] = (kl_node_mask){marker[i], 0x3f};
    kl_basis_options o = {.count = 4};
    if (bordered) o.statics = KL_CRAIG_BAMPTON, o.ninterface = nmarker, o.interface_at = at_marker;
    if (kl_mesh_finish(m, d) != KL_OK || kl_mesh_check(m, d) != KL_OK ||
        kl_fe_assemble(m, KL_MASS_CONSISTENT, &s, d) != KL_OK ||
        kl_basis_make(&s, &o, &b, d) != KL_OK)
        fail_msg("%s", kl_diag_at(d, 0)->text);
    double   *X    = calloc(6 * (size_t)s.ndof, sizeof(double));
    kl_kbody *body = kl_kbody_create();
    const int n    = 3;
    body->nmode    = n;
    body->nmarker  = nmarker;
    body->marker   = kl_arena_array(body->arena, kl_kbody_marker, nmarker + 1);
    kl_system_rigid(&s, kl_vec(0, 0, 0), X);
    if (kl_geometric_find(m, &s, &b, X + 3 * (size_t)s.ndof, marker, body, d) != KL_OK)
        fail_msg("%s", kl_diag_at(d, 0)->text);
    kl_mass_view v = kl_system_mass(&s);
    double      *f = balanced(&s, marker, nmarker);
    for (int l = 0; l < 12 + 6 * nmarker; l++) {
        const double *Y    = l < 12
                                 ? body->second_mass + (size_t)l * (size_t)(n * n)
                                 : body->marker[(l - 12) / 6].second + (size_t)((l - 12) % 6 * n * n);
        double        size = 1e-3; /* all bodies here weigh and measure more */
        for (int q = 0; q < v.n; q++)
            size += fabs(f[(size_t)l * (size_t)v.n + (size_t)q]) * kl_norm(s.x[v.node[q]]);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double want = 0;
                for (int q = 0; q < v.n; q++)
                    if (v.component[q] < 3)
                        want += f[(size_t)l * (size_t)v.n + (size_t)q] *
                                at(turned(i, j, s.x[v.node[q]]), v.component[q]);
                assert_close(Y[i * n + j] / size, want / size, tolerance);
            }
    }
    free(f), free(X);
    kl_kbody_destroy(body);
    kl_basis_free(&b);
    kl_system_free(&s);
    kl_mesh_destroy(m);
    kl_diag_destroy(d);
}

/* a fold, laid with quadrilaterals or triangles; its far half warped by `twist` */
static kl_mesh *fold(cut how, double twist, double bottom)
{
    kl_mesh *m = kl_mesh_create("fold");
    int      p;
    if (isnan(bottom)) p = shell_of(m, 0.004);
    else {
        kl_material c        = {.name = "ply",
                                .kind = KL_ORTHOTROPIC,
                                .rho  = 1600,
                                .E1   = 130e9,
                                .E2   = 9e9,
                                .nu12 = 0.3,
                                .G12  = 5e9,
                                .G13  = 5e9,
                                .G23  = 3e9};
        int         ply      = kl_mesh_add_material(m, &c);
        kl_ply      plies[3] = {{ply, 0.002, 0}, {ply, 0.001, 0.7}, {ply, 0.001, 1.3}};
        kl_property q        = {
                   .name = "stack", .kind = KL_LAMINATE, .bottom = bottom, .nply = 3, .ply = plies};
        p = kl_mesh_add_property(m, &q);
    }
    const int nx = 4, ny = 3;
    for (int i = 0; i <= 2 * nx; i++)
        for (int j = 0; j <= ny; j++) {
            double s = 0.3 * i / nx, y = 0.4 * j / ny;
            kl_mesh_add_node(m, m->nnode + 1,
                             i <= nx ? kl_vec(s, y + 0.02 * i * j, 0.1)
                                     : kl_vec(0.3 + 0.3 * (s - 0.3) + twist * (i - nx) * j,
                                              y + 0.02 * nx * j, 0.1 + s - 0.3));
        }
    int e = 0;
    for (int i = 0; i < 2 * nx; i++)
        for (int j = 0; j < ny; j++) {
            int q[4] = {i * (ny + 1) + j, (i + 1) * (ny + 1) + j, (i + 1) * (ny + 1) + j + 1,
                        i * (ny + 1) + j + 1};
            if (how == QUADS) {
                kl_mesh_add_element(m, KL_QUAD4, ++e, p, q);
                continue;
            }
            kl_mesh_add_element(m, KL_TRI3, ++e, p, (const int[]){q[0], q[1], q[2]});
            kl_mesh_add_element(m, KL_TRI3, ++e, p, (const int[]){q[0], q[2], q[3]});
        }
    return m;
}

static int tie(kl_mesh *m, kl_tie_kind kind, kl_vec3 x, int n, const int *nodes)
{
    int  node = kl_mesh_add_node(m, 1000 + m->ntie, x);
    int *copy = kl_arena_array(m->arena, int, n);
    memcpy(copy, nodes, (size_t)n * sizeof(int));
    kl_tie t = {.id = 1, .kind = kind, .reference = node, .components = 0x3f, .n = n, .node = copy};
    kl_mesh_add_tie(m, &t);
    return node;
}

/* beams round a corner and up */
static kl_mesh *frame(void)
{
    kl_mesh *m = kl_mesh_create("frame");
    int      p = beam_of(m, kl_vec(0.3, 0.9, 0.5));
    for (int i = 0; i <= 9; i++) {
        kl_mesh_add_node(m, i + 1,
                         i <= 3   ? kl_vec(0.2 * i, 0.1, 0)
                         : i <= 6 ? kl_vec(0.6, 0.1 + 0.3 * (i - 3), 0)
                                  : kl_vec(0.6, 1.0, 0.25 * (i - 6)));
        if (i > 0) kl_mesh_add_element(m, KL_BEAM2, i, p, (const int[]){i - 1, i});
    }
    return m;
}

static void a_rigid_turn_is_one_whatever_the_mesh(void **unused)
{
    (void)unused;
    const int ends[2] = {1, 33};
    for (int kind = 0; kind < 8; kind++) {
        cut    how   = kind % 2 ? TRIANGLES : QUADS;
        double twist = kind / 2 % 2 ? 0.01 : 0.0, bottom = kind < 4 ? (double)NAN : 0.01;
        check_rigid_turn(fold(how, twist, bottom), 2, ends, false, 1e-9);
    }
    check_rigid_turn(frame(), 2, (const int[]){0, 9}, false, 1e-9);
}

static void a_rigid_turn_is_one_with_interfaces_held(void **unused)
{
    (void)unused;
    const int ends[2] = {1, 33};
    check_rigid_turn(fold(QUADS, 0.01, 0.01), 2, ends, true, 1e-9);
    check_rigid_turn(fold(TRIANGLES, 0.01, (double)NAN), 2, ends, true, 1e-9);
    check_rigid_turn(frame(), 2, (const int[]){0, 9}, true, 1e-9);
}

static void a_rigid_turn_is_one_through_ties(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 4; kind++) {
        kl_mesh *m = fold(kind % 2 ? QUADS : TRIANGLES, 0.01, kind < 2 ? 0.01 : (double)NAN);
        int      a = tie(m, KL_RBE2, kl_vec(-0.1, 0.3, 0.3), 3, (const int[]){0, 1, 2});
        int      b = tie(m, kind < 2 ? KL_RBE2 : KL_RBE3, kl_vec(0.6, 0.1, 0.4), 4,
                         (const int[]){30, 32, 33, 34});
        check_rigid_turn(m, 2, (const int[]){a, b}, false, 1e-9);
    }
    /* on solids, and ties that hang on ties; a bar this thin loses digits to its own stiffness */
    kl_mesh *m = kl_mesh_create("bar");
    lay_solids(m, 10, 2);
    int face = tie(m, KL_RBE2, kl_vec(-0.1, 0.03, 0.02), 4, (const int[]){0, 1, 2, 3});
    int mean = tie(m, KL_RBE3, kl_vec(1.1, 0.1, 0.04), 6, (const int[]){60, 61, 62, 63, 64, 65});
    int far  = tie(m, KL_RBE2, kl_vec(-0.3, 0.03, 0.2), 1, &face);
    check_rigid_turn(m, 2, (const int[]){far, mean}, false, 1e-6);
}

/* k = 4 and 9.34 of simply supported squares, by N = k pi^2 D/b^2 (Timoshenko and Gere, 9.2, 9.7) */
static void square_plates_buckle_as_they_should(void **unused)
{
    (void)unused;
    double coarse = plate(QUADS, 8, 0.002, false) - 4, fine = plate(QUADS, 16, 0.002, false) - 4;
    assert_close(coarse / fine, 4.0, 0.4);
    assert_close(fine, 0.0, 0.004);
    assert_close(plate(TRIANGLES, 16, 0.002, false), 4.0, 0.006);
    assert_close(plate(QUADS, 16, 0.002, true), 9.34, 0.04);
    assert_close(plate(TRIANGLES, 16, 0.002, true), 9.34, 0.05);
}

/* Euler's column in both planes; edge-on shear takes 0.16 % and the clamp's hold on the width gives as
 * much */
static void strips_are_columns_in_both_planes(void **unused)
{
    (void)unused;
    assert_close(column(BEAMS, 10, 1, false, 0), 1.0, 0.001);
    assert_close(column(BEAMS, 10, 1, true, 0), 0.9984, 0.0005);
    assert_close(column(SHELL_QUADS, 20, 2, false, 0), 1.0, 0.006);
    assert_close(column(SHELL_QUADS, 20, 2, true, 0), 1.0, 0.004);
    assert_close(column(SHELL_TRIANGLES, 40, 4, false, 0), 1.0, 0.006);
    assert_close(column(SHELL_TRIANGLES, 40, 4, true, 0), 1.0, 0.004);
    assert_close(column(SOLIDS, 40, 4, false, 0), 1.0, 0.01);
}

static void the_load_does_not_ask_for_the_static_modes(void **unused)
{
    (void)unused;
    for (meshing how = SHELL_QUADS; how <= BEAMS; how++) {
        double with = column(how, 20, 2, false, KL_CRAIG_BAMPTON);
        assert_close(with, column(how, 20, 2, false, KL_ATTACHMENT), 1e-4 * with);
    }
}

/* A deep strip clamped at one end and loaded at the other tips over at 4.013 sqrt(EI GJ)/L^2. Wide
 * against its length it bears 3 % more, as the clamp holds its width: CalculiX 2.20 with 40 x 4 S8R
 * elements gives 11.819 N, where torsion is softer by 1.2 % (J = b t^3 (1 - 0.63 t/b)/3). */
static void deep_strips_tip_over(void **unused)
{
    (void)unused;
    double EI = E * B * T * T * T / 12,
           GJ = E / (2 * (1 + NU)) * B * T * T * T * (1.0 / 3 - 0.21 * T / B);
    assert_close(lateral(BEAMS, 20, 1) / (4.013 * sqrt(EI * GJ) / (L * L)), 1.0, 0.001);
    assert_close(lateral(SHELL_QUADS, 40, 8), 11.819, 0.007 * 11.819);
    assert_close(lateral(SHELL_TRIANGLES, 40, 8), 11.819, 0.007 * 11.819);
    assert_close(lateral(SOLIDS, 40, 8), 11.819, 0.02 * 11.819);
}

/* A right angle of two deep strips, its ends turned in its plane, gives way out of it at the moment
 * pi sqrt(EI GJ)/L, whichever way it is turned (Argyris and others, CMAME 20, 1979, 105-154): here
 * moments go round a corner, which asks for rotations of the second order. */
static void frames_tip_over_round_a_corner(void **unused)
{
    (void)unused;
    const double c  = 0.70710678118654752;
    const int    n  = 24;
    task         k  = {.m = kl_mesh_create("frame"), .modes = 40, .reference = KL_NODAL};
    int          p  = beam_of(k.m, kl_vec(0.3, 1, 0));
    double       EI = E * B * T * T * T / 12, GJ = E / (2 * (1 + NU)) * k.m->property[p].J;
    for (int i = 0; i <= 2 * n; i++) {
        double s = (double)i / n;
        kl_mesh_add_node(k.m, i + 1, kl_vec(c * L * s, c * L * (i <= n ? s : 2 - s), 0));
        if (i > 0) kl_mesh_add_element(k.m, KL_BEAM2, i, p, (const int[]){i - 1, i});
    }
    put(k.m, "left", 0), put(k.m, "right", 2 * n);
    hold(&k, "left", 0x1f), hold(&k, "right", 0x1e);
    mark(&k, "left", KL_RBE2), mark(&k, "right", KL_RBE2);
    kl_kbody     *body = reduced(&k);
    int           nn   = body->nmode * body->nmode;
    const double *left = load(body, 0, 5, 1), *right = load(body, 1, 5, 1);
    double       *both = malloc((size_t)nn * sizeof(double));
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < nn; i++) both[i] = sign * (right[i] - left[i]);
        assert_close(buckles(body, both) / (PI * sqrt(EI * GJ) / L), 1.0, 0.002);
    }
    free(both);
    kl_kbody_destroy(body);
}

/* A narrow strip of any plies is a column of EI = b/d_11, [a b; b d] = [A B; B D]^-1; its load acts
 * where it does not bend it. */
static void laminates_are_columns(void **unused)
{
    (void)unused;
    kl_mesh     *m = kl_mesh_create("plies");
    kl_material  c = {.name = "ply",
                      .kind = KL_ORTHOTROPIC,
                      .rho  = 1600,
                      .E1   = 130e9,
                      .E2   = 9e9,
                      .nu12 = 0.3,
                      .G12  = 5e9,
                      .G13  = 5e9,
                      .G23  = 3e9};
    const double b = 0.02, t = 5e-4;
    int          ply      = kl_mesh_add_material(m, &c);
    kl_ply       plies[3] = {{ply, t, 0}, {ply, t, 0.6}, {ply, t, PI / 2}};
    kl_property  q        = {
                .name = "stack", .kind = KL_LAMINATE, .bottom = (double)NAN, .nply = 3, .ply = plies};
    double ABD[36] = {0}, unit[6] = {0, 0, 0, 1, 0, 0};
    for (int k = 0; k < 3;
         k++) { /* the textbook's sums, as in Jones, Mechanics of Composite Materials */
        double cs = cos(plies[k].angle), sn = sin(plies[k].angle), z0 = (k - 1.5) * t, z1 = z0 + t;
        double d = 1 - 0.3 * 0.3 * 9.0 / 130, Q11 = 130e9 / d, Q22 = 9e9 / d, Q12 = 0.3 * Q22,
               G = 5e9;
        double Q[3][3];
        Q[0][0] = Q11 * pow(cs, 4) + 2 * (Q12 + 2 * G) * cs * cs * sn * sn + Q22 * pow(sn, 4);
        Q[1][1] = Q11 * pow(sn, 4) + 2 * (Q12 + 2 * G) * cs * cs * sn * sn + Q22 * pow(cs, 4);
        Q[0][1] = Q[1][0] =
            (Q11 + Q22 - 4 * G) * cs * cs * sn * sn + Q12 * (pow(sn, 4) + pow(cs, 4));
        Q[2][2] = (Q11 + Q22 - 2 * Q12 - 2 * G) * cs * cs * sn * sn + G * (pow(sn, 4) + pow(cs, 4));
        Q[0][2] = Q[2][0] =
            (Q11 - Q12 - 2 * G) * sn * pow(cs, 3) + (Q12 - Q22 + 2 * G) * pow(sn, 3) * cs;
        Q[1][2] = Q[2][1] =
            (Q11 - Q12 - 2 * G) * pow(sn, 3) * cs + (Q12 - Q22 + 2 * G) * sn * pow(cs, 3);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                ABD[6 * i + j] += Q[i][j] * t;
                ABD[6 * i + 3 + j] += Q[i][j] * (z1 * z1 - z0 * z0) / 2;
                ABD[6 * (3 + i) + j] += Q[i][j] * (z1 * z1 - z0 * z0) / 2;
                ABD[6 * (3 + i) + 3 + j] += Q[i][j] * (pow(z1, 3) - pow(z0, 3)) / 3;
            }
    }
    assert_int_equal(kl_dense_solve(6, 1, ABD, unit), KL_OK);
    double P = PI * PI * b / unit[3] / (4 * L * L);
    for (cut how = QUADS; how <= TRIANGLES; how++) {
        task k = {
            .m = how == QUADS ? m : kl_mesh_create("plies"), .modes = 10, .reference = KL_NODAL};
        if (how != QUADS) kl_mesh_add_material(k.m, &c);
        lay(k.m, kl_mesh_add_property(k.m, &q), how, 50, 2, kl_vec(L, 0, 0), kl_vec(0, b, 0));
        for (int i = 0; i < k.m->block[KL_TRI3].n; i++)
            k.m->block[KL_TRI3].angle[i] = kl_shell_angle(k.m, KL_TRI3, i, kl_vec(1, 0, 0));
        hold(&k, "x0", 0x3f);
        mark(&k, "tip", KL_RBE2);
        kl_kbody *body = reduced(&k);
        assert_close(buckles(body, load(body, 0, 0, -1)) / P, 1.0, 0.01);
        kl_kbody_destroy(body);
    }
}

/* Frequencies of the blade that turns about z, in its frame and without Coriolis' forces: K less
 * Omega^2 times what the centrifugal field does on second-order motion and in the plane. */
static void spin(const kl_kbody *b, double Omega, double *frequency)
{
    size_t        n = (size_t)b->nmode, nn = n * n;
    double       *A = malloc(nn * sizeof(double)), *M = malloc(nn * sizeof(double));
    const double *xx = b->second_mass + 3 * nn, *yy = b->second_mass + 7 * nn;
    for (size_t i = 0; i < nn; i++)
        A[i] = b->Kff[i] - Omega * Omega * (xx[i] + yy[i] + b->inertia.J2[i].m[2][2]);
    memcpy(M, b->Mff, nn * sizeof(double));
    assert_int_equal(kl_generalized_eigen(b->nmode, A, M, frequency), KL_OK);
    for (size_t i = 0; i < n; i++) frequency[i] = sqrt(frequency[i]);
    free(A), free(M);
}

static double nearest(const double *list, int n, double wanted)
{
    double best = list[0];
    for (int i = 1; i < n; i++)
        if (fabs(list[i] - wanted) < fabs(best - wanted)) best = list[i];
    return best;
}

/* Out of the plane the blade swings with 7.36037 and 26.80908 at eta = 6 (Wright, Smith, Thresher and
 * Wang 1982); the clamp that holds its width gives 0.3 % more. */
static void blades_of_shells_spin_as_those_of_beams_and_solids(void **unused)
{
    (void)unused;
    static const double published[2] = {7.36037, 26.80908};
    const double        unit         = sqrt(E * B * T * T * T / 12 / (RHO * B * T)) / (L * L);
    static const struct {
        meshing how;
        int     nx, ny;
        double  tolerance;
    } mesh[] = {{BEAMS, 20, 1, 0.001},
                {SHELL_QUADS, 40, 4, 0.005},
                {SHELL_TRIANGLES, 40, 4, 0.005},
                {SOLIDS, 120, 4, 0.005}};
    for (size_t k = 0; k < sizeof mesh / sizeof *mesh; k++) {
        task      t    = strip(mesh[k].how, mesh[k].nx, mesh[k].ny, 16);
        kl_kbody *body = reduced(&t);
        double    f[16];
        spin(body, 6 * unit, f);
        for (int i = 0; i < 2; i++)
            assert_close(nearest(f, body->nmode, published[i] * unit) / unit / published[i], 1.0,
                         mesh[k].tolerance);
        kl_kbody_destroy(body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_turn_is_one_whatever_the_mesh),
        cmocka_unit_test(a_rigid_turn_is_one_with_interfaces_held),
        cmocka_unit_test(a_rigid_turn_is_one_through_ties),
        cmocka_unit_test(square_plates_buckle_as_they_should),
        cmocka_unit_test(strips_are_columns_in_both_planes),
        cmocka_unit_test(the_load_does_not_ask_for_the_static_modes),
        cmocka_unit_test(deep_strips_tip_over),
        cmocka_unit_test(frames_tip_over_round_a_corner),
        cmocka_unit_test(laminates_are_columns),
        cmocka_unit_test(blades_of_shells_spin_as_those_of_beams_and_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
