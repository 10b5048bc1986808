/* Geometric stiffness of shells, beams and solids against buckling loads of the textbooks
 * (Timoshenko and Gere, Theory of Elastic Stability, 1961) and against each other. */
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "fe/assemble.h"
#include "reduce/geometric.h"
#include "reduce/invariants.h"
#include "reduce/reduce.h"
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
    kl_kbody *body = NULL;
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
    for (int i = 0; how != BEAMS && i < k.m->nnode; i++) k.m->x[i].y -= 0.5 * B; /* to the middle */
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

static kl_vec3 axis(int c) { return kl_vec(c == 0, c == 1, c == 2); }

/* int rho (e + G p).A p over the body: A the second-order motion of a turn, e + G p a field */
static double work_on(const kl_invariants *t, kl_vec3 e, const kl_mat3 *G, const kl_mat3 *A)
{
    kl_mat3 I  = kl_identity(),
            W  = kl_mat_scale(0.5 * (t->J0.m[0][0] + t->J0.m[1][1] + t->J0.m[2][2]), &I);
    W          = kl_mat_axpy(-1.0, &t->J0, &W);
    kl_mat3 Gt = kl_transpose(G), GA = kl_matmul(&Gt, A), GAW = kl_matmul(&GA, &W);
    return kl_dot(e, kl_mul(A, t->s0)) + GAW.m[0][0] + GAW.m[1][1] + GAW.m[2][2];
}

/* What load l does on the turn A of a free body, with the rigid acceleration that balances it: from
 * mass, centre and inertia alone. */
static double wanted(const kl_invariants *t, int l, kl_vec3 place, const kl_mat3 *A)
{
    kl_vec3 force = {0, 0, 0}, moment = {0, 0, 0}, e = {0, 0, 0};
    kl_mat3 G = {{{0}}}, none = {{{0}}};
    double  direct = 0, M[36] = {0}, c[6];
    if (l < 3) e = axis(l);
    else if (l < 12) G.m[(l - 3) / 3][(l - 3) % 3] = 1;
    else if ((l - 12) % 6 < 3) {
        force  = axis((l - 12) % 6);
        moment = kl_cross(place, force);
        direct = kl_dot(force, kl_mul(A, place));
    } else moment = axis((l - 12) % 6 - 3);
    if (l < 12) {
        kl_mat3 I = kl_identity(),
                W = kl_mat_scale(0.5 * (t->J0.m[0][0] + t->J0.m[1][1] + t->J0.m[2][2]), &I), GW;
        W         = kl_mat_axpy(-1.0, &t->J0, &W);
        GW        = kl_matmul(&G, &W); /* int rho (G p) p' */
        force     = kl_axpy(t->m, e, kl_mul(&G, t->s0));
        moment = kl_add(kl_cross(t->s0, e), kl_vec(GW.m[2][1] - GW.m[1][2], GW.m[0][2] - GW.m[2][0],
                                                   GW.m[1][0] - GW.m[0][1]));
        direct = work_on(t, e, &G, A);
    }
    kl_mat3 S = kl_skew(t->s0);
    for (int i = 0; i < 3; i++) {
        M[7 * i] = t->m;
        for (int j = 0; j < 3; j++) {
            M[6 * (3 + j) + i] = -S.m[i][j], M[6 * i + 3 + j] = -S.m[i][j];
            M[6 * (3 + j) + 3 + i] = t->J0.m[i][j];
        }
    }
    kl_store(c, force), kl_store(c + 3, moment);
    assert_int_equal(kl_dense_solve(6, 1, M, c), KL_OK);
    none = kl_skew(kl_load(c + 3));
    return direct - work_on(t, kl_load(c), &none, A);
}

/* A rigid turn moves every node by theta x (theta x x)/2 in second order and no node by more than the
 * turn itself: whatever the mesh, each load does on it what it does on this motion. */
static double rigid_turn(kl_mesh *m, int nmarker, const int *marker, bool bordered)
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
    if (kl_geometric_find(m, &s, &b, X + 3 * (size_t)s.ndof, KL_MASS_CONSISTENT, marker, body, d) !=
        KL_OK)
        fail_msg("%s", kl_diag_at(d, 0)->text);
    kl_arena     *arena = kl_arena_create();
    kl_invariants t     = {0};
    double        worst = 0;
    assert_int_equal(kl_invariants_find(&s, 0, NULL, arena, &t), KL_OK);
    for (int l = 0; l < 12 + 6 * nmarker; l++) {
        const double *Y = l < 12
                              ? body->second_mass + (size_t)l * (size_t)(n * n)
                              : body->marker[(l - 12) / 6].second + (size_t)((l - 12) % 6 * n * n);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                kl_mat3 one = kl_skew(axis(i)), two = kl_skew(axis(j)), A = kl_matmul(&one, &two),
                        At = kl_transpose(&A);
                A = kl_mat_axpy(1.0, &A, &At), A = kl_mat_scale(0.5, &A);
                double want =
                    wanted(&t, l, l < 12 ? kl_vec(0, 0, 0) : s.x[marker[(l - 12) / 6]], &A);
                double size = l < 12 ? t.m : 1.0; /* of bodies of about 1 m */
                worst       = fmax(worst, fabs(Y[i * n + j] - want) / size);
            }
    }
    kl_arena_destroy(arena);
    free(X);
    kl_kbody_destroy(body);
    kl_basis_free(&b);
    kl_system_free(&s);
    kl_mesh_destroy(m);
    kl_diag_destroy(d);
    return worst;
}

static kl_material carbon(void)
{
    return (kl_material){.name = "ply",
                         .kind = KL_ORTHOTROPIC,
                         .rho  = 1600,
                         .E1   = 130e9,
                         .E2   = 9e9,
                         .nu12 = 0.3,
                         .G12  = 5e9,
                         .G13  = 5e9,
                         .G23  = 3e9};
}

/* a fold, laid with quadrilaterals or triangles; its far half warped by `twist` */
static kl_mesh *fold(cut how, double twist, double bottom)
{
    kl_mesh *m = kl_mesh_create("fold");
    int      p;
    if (isnan(bottom)) p = shell_of(m, 0.004);
    else {
        kl_material c        = carbon();
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
static kl_mesh *frame(int each)
{
    kl_mesh *m = kl_mesh_create("frame");
    int      p = beam_of(m, kl_vec(0.3, 0.9, 0.5));
    for (int i = 0; i <= 3 * each; i++) {
        double s = (double)i / each;
        kl_mesh_add_node(m, i + 1,
                         s <= 1   ? kl_vec(0.6 * s, 0.1, 0)
                         : s <= 2 ? kl_vec(0.6, 0.9 * s - 0.8, 0)
                                  : kl_vec(0.6, 1.0, 0.75 * (s - 2)));
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
        /* where quadrilaterals warp, the arms from their planes to the nodes carry mass that does not
         * turn: 1e-5 of the whole */
        double turn = rigid_turn(fold(how, twist, bottom), 2, ends, false);
        assert_true(turn < (how == QUADS && twist > 0 ? 2e-5 : 1e-9));
    }
    /* mass between the nodes of beams rides on their second-order motion up to the square of h */
    double coarse = rigid_turn(frame(3), 2, (const int[]){0, 9}, false),
           fine   = rigid_turn(frame(6), 2, (const int[]){0, 18}, false);
    assert_true(fine < 0.27 * coarse && fine < 1e-3);
}

static void a_rigid_turn_is_one_with_interfaces_held(void **unused)
{
    (void)unused;
    const int ends[2] = {1, 33};
    assert_true(rigid_turn(fold(QUADS, 0, 0.01), 2, ends, true) < 1e-9);
    assert_true(rigid_turn(fold(TRIANGLES, 0.01, (double)NAN), 2, ends, true) < 1e-9);
    double one = rigid_turn(frame(3), 2, (const int[]){0, 9}, false);
    assert_close(rigid_turn(frame(3), 2, (const int[]){0, 9}, true), one, 1e-9);
}

static void a_rigid_turn_is_one_through_ties(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 4; kind++) {
        kl_mesh *m =
            fold(kind % 2 ? QUADS : TRIANGLES, kind % 2 ? 0 : 0.01, kind < 2 ? 0.01 : (double)NAN);
        int a = tie(m, KL_RBE2, kl_vec(-0.1, 0.3, 0.3), 3, (const int[]){0, 1, 2});
        int b = tie(m, kind < 2 ? KL_RBE2 : KL_RBE3, kl_vec(0.6, 0.1, 0.4), 4,
                    (const int[]){30, 32, 33, 34});
        assert_true(rigid_turn(m, 2, (const int[]){a, b}, false) < 1e-9);
    }
    /* leaders in a line, and one alone, turn as their rotations do */
    for (int n = 1; n <= 3; n += 2) {
        kl_mesh *m = fold(QUADS, 0, (double)NAN);
        int      a = tie(m, KL_RBE2, kl_vec(-0.1, 0.3, 0.3), 4, (const int[]){30, 32, 33, 34});
        int      b = tie(m, KL_RBE3, kl_vec(0.6, 0.1, 0.4), n, (const int[]){0, 1, 2});
        assert_true(rigid_turn(m, 2, (const int[]){a, b}, false) < 1e-9);
    }
    /* on solids, and ties that hang on ties; a bar this thin loses digits to its own stiffness */
    kl_mesh *m = kl_mesh_create("bar");
    lay_solids(m, 10, 2);
    int face = tie(m, KL_RBE2, kl_vec(-0.1, 0.03, 0.02), 4, (const int[]){0, 1, 2, 3});
    int mean = tie(m, KL_RBE3, kl_vec(1.1, 0.1, 0.04), 6, (const int[]){60, 61, 62, 63, 64, 65});
    int far  = tie(m, KL_RBE2, kl_vec(-0.3, 0.03, 0.2), 1, &face);
    assert_true(rigid_turn(m, 2, (const int[]){far, mean}, false) < 1e-6);
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
    kl_material  c = carbon();
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

/* the frequency of the mode that twists and does nothing else */
static double twist_of(const kl_kbody *b, double Omega)
{
    double f[16], rest = 0;
    for (int j = 0; j < b->nmode; j++)
        if (rest == 0 &&
            fabs(b->marker[0].rotation[3 * j]) > 2 * fabs(b->marker[0].rotation[3 * j + 1]) +
                                                     2 * fabs(b->marker[0].rotation[3 * j + 2]))
            rest = 6.28318530717958647693 * b->frequency[j];
    spin(b, Omega, f);
    return nearest(f, b->nmode, sqrt(rest * rest + 2.07 * Omega * Omega));
}

/* Out of the plane the blade swings with 7.36037 and 26.80908 at eta = 6 (Wright, Smith, Thresher and
 * Wang 1982); the clamp that holds its width gives 0.3 % more. Twist sin(pi x/2L) gets stiffer by the
 * pull on its fibres, (pi^2/12 + 1/4) Omega^2, and by the spread of its mass, nearly Omega^2. */
static void blades_of_shells_spin_as_those_of_beams_and_solids(void **unused)
{
    (void)unused;
    static const double published[2] = {7.36037, 26.80908};
    const double        gain         = PI * PI / 12 + 0.25 + (B * B - T * T) / (B * B + T * T);
    const double        unit         = sqrt(E * B * T * T * T / 12 / (RHO * B * T)) / (L * L);
    static const struct {
        meshing how;
        int     nx, ny;
        double  tolerance;
    } mesh[] = {{BEAMS, 20, 1, 0.001},
                {SHELL_QUADS, 40, 4, 0.005},
                {SHELL_TRIANGLES, 60, 8, 0.005},
                {SOLIDS, 120, 4, 0.005}};
    for (size_t k = 0; k < sizeof mesh / sizeof *mesh; k++) {
        task t = strip(mesh[k].how, mesh[k].nx, mesh[k].ny, 16);
        mark(&t, "tip", KL_RBE2);
        kl_kbody *body = reduced(&t);
        double    f[16];
        spin(body, 6 * unit, f);
        for (int i = 0; i < 2; i++)
            assert_close(nearest(f, body->nmode, published[i] * unit) / unit / published[i], 1.0,
                         mesh[k].tolerance);
        /* of solids and shells alike, so that the turn of a beam's sections is right too */
        double Omega = 20 * unit, rest = twist_of(body, 0), spun = twist_of(body, Omega);
        assert_close((spun * spun - rest * rest) / (Omega * Omega), gain, 0.02 * gain);
        kl_kbody_destroy(body);
    }
}

/* A lump with an offset is one at the end of a rigid arm. */
static void lumps_turn_as_if_on_arms(void **unused)
{
    (void)unused;
    const kl_vec3 arm = {0.1, 0.2, 0.05};
    kl_kbody     *body[2];
    for (int armed = 0; armed < 2; armed++) {
        task t = strip(BEAMS, 10, 1, 6);
        mark(&t, "tip", KL_RBE2);
        kl_point_mass p = {.id = 1, .node = 10, .mass = 0.3, .offset = arm};
        if (armed) {
            int last        = 10;
            p.node          = kl_mesh_add_node(t.m, 50, kl_add(t.m->x[10], arm));
            p.offset        = kl_vec(0, 0, 0);
            int   *follower = kl_arena_array(t.m->arena, int, 1);
            kl_tie tie      = {.id         = 1,
                               .kind       = KL_RBE2,
                               .reference  = last,
                               .components = 0x3f,
                               .n          = 1,
                               .node       = follower};
            *follower       = p.node;
            kl_mesh_add_tie(t.m, &tie);
        }
        kl_mesh_add_mass(t.m, &p);
        body[armed] = reduced(&t);
    }
    const kl_kbody *a = body[0], *b = body[1];
    const int       n = a->nmode;
    double          sign[6];
    for (int i = 0; i < n; i++) { /* modes come with either sign */
        double dot = 0;
        for (int c = 0; c < 3; c++)
            dot += a->marker[0].rotation[3 * i + c] * b->marker[0].rotation[3 * i + c];
        sign[i] = dot > 0 ? 1 : -1;
        assert_close(a->frequency[i], b->frequency[i], 1e-6 * a->frequency[i]);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int    at = i * n + j;
            double s  = sign[i] * sign[j];
            for (int c = 0; c < 9; c++) {
                if (i == 0)
                    assert_close(a->inertia.G0[j].m[c / 3][c % 3],
                                 sign[j] * b->inertia.G0[j].m[c / 3][c % 3], 1e-6);
                assert_close(a->inertia.J2[at].m[c / 3][c % 3],
                             s * b->inertia.J2[at].m[c / 3][c % 3], 1e-6);
            }
            for (int c = 0; c < 3; c++)
                assert_close(a->inertia.H1[3 * at + c], s * b->inertia.H1[3 * at + c], 1e-6);
            for (int l = 0; l < 12; l++) {
                double one = a->second_mass[l * n * n + at],
                       two = s * b->second_mass[l * n * n + at];
                assert_close(one, two, 1e-5 * (1 + fabs(one)));
            }
        }
    kl_kbody_destroy(body[0]), kl_kbody_destroy(body[1]);
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
        cmocka_unit_test(lumps_turn_as_if_on_arms),
        cmocka_unit_test(blades_of_shells_spin_as_those_of_beams_and_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
