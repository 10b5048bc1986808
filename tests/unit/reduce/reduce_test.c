/* Invariants against brute-force sums, mode bases against statics and closed forms, ties and
 * markers. */
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "fe/assemble.h"
#include "reduce/basis.h"
#include "reduce/invariants.h"
#include "reduce/marker.h"
#include "unit/test.h"

static int steel(kl_mesh *m)
{
    kl_material material = {.name = "steel", .rho = 7850, .E = 2.1e11, .nu = 0.3};
    kl_property solid    = {
           .name = "all", .kind = KL_SOLID, .material = kl_mesh_add_material(m, &material)};
    return kl_mesh_add_property(m, &solid);
}

/* nx x ny x nz bricks from `origin` on; node numbers from 1 in order of x, then y, then z */
static kl_mesh *bricks(int nx, int ny, int nz, kl_vec3 origin, kl_vec3 size)
{
    kl_mesh *m = kl_mesh_create("bricks");
    int      p = steel(m), e = 0;
    for (int i = 0; i <= nx; i++)
        for (int j = 0; j <= ny; j++)
            for (int k = 0; k <= nz; k++)
                kl_mesh_add_node(m, m->nnode + 1,
                                 kl_vec(origin.x + size.x * i / nx, origin.y + size.y * j / ny,
                                        origin.z + size.z * k / nz));
#define AT(i, j, k) (((i) * (ny + 1) + (j)) * (nz + 1) + (k))
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            for (int k = 0; k < nz; k++)
                kl_mesh_add_element(m, KL_HEX8, ++e, p,
                                    (const int[]){AT(i, j, k), AT(i + 1, j, k), AT(i + 1, j + 1, k),
                                                  AT(i, j + 1, k), AT(i, j, k + 1),
                                                  AT(i + 1, j, k + 1), AT(i + 1, j + 1, k + 1),
                                                  AT(i, j + 1, k + 1)});
#undef AT
    return m;
}

static void assembled(kl_mesh *m, kl_mass_rule rule, kl_system *s)
{
    kl_diag *d = kl_diag_create();
    if (kl_mesh_check(m, d) != KL_OK || kl_fe_assemble(m, rule, s, d) != KL_OK)
        fail_msg("%s", kl_diag_at(d, 0)->text);
    kl_diag_destroy(d);
}

static void made(const kl_system *s, const kl_basis_options *o, kl_basis *b)
{
    kl_diag *d = kl_diag_create();
    if (kl_basis_make(s, o, b, d) != KL_OK) fail_msg("%s", kl_diag_at(d, 0)->text);
    kl_diag_destroy(d);
}

static void evaluate_accelerations(kl_basis *b, kl_system *s, kl_mesh *m)
{
    kl_basis_free(b);
    kl_system_free(s);
    kl_mesh_destroy(m);
}

/* ---- invariants ---- */

static kl_vec3 motion_of(const kl_system *s, int node, const double *x)
{
    double u[6];
    kl_system_motion(s, node, x, u);
    return kl_load(u);
}

/* The mass matrix of the moving body by sums over all pairs of nodes: T = 1/2 sum m_ab v_a.v_b with
 * v = v0 + om x b + X w', against the one from invariants, for random w. */
static void check_invariants(const kl_system *s, int n, const double *X)
{
    kl_arena     *arena = kl_arena_create();
    kl_invariants t     = {0};
    assert_int_equal(kl_invariants_find(s, n, X, arena, &t), KL_OK);
    kl_mass_view view = kl_system_mass(s);
    int          N    = 6 + n;
    double      *w    = calloc((size_t)n, sizeof(double)),
           *B         = calloc((size_t)view.n * (size_t)N, sizeof(double)),
           *MB        = calloc((size_t)view.n * (size_t)N, sizeof(double)),
           *brute     = calloc((size_t)N * (size_t)N, sizeof(double));
    for (int i = 0; i < n; i++) w[i] = 1e-3 * ((i * 37 % 11) - 5);
    /* velocity map of every unknown */
    for (int d = 0; d < view.n; d++) {
        int     c = view.component[d], node = view.node[d];
        kl_vec3 b = s->x[node];
        for (int i = 0; i < n; i++)
            b = kl_axpy(w[i], motion_of(s, node, X + (size_t)i * (size_t)s->ndof), b);
        for (int k = 0; k < 3; k++) {
            kl_vec3 e = kl_vec(k == 0, k == 1, k == 2), r = kl_cross(e, b);
            B[(size_t)k * (size_t)view.n + (size_t)d]       = c == k;
            B[(size_t)(3 + k) * (size_t)view.n + (size_t)d] = c == 0   ? r.x
                                                              : c == 1 ? r.y
                                                              : c == 2 ? r.z
                                                                       : c - 3 == k;
        }
        for (int i = 0; i < n; i++) {
            double u[6];
            kl_system_motion(s, node, X + (size_t)i * (size_t)s->ndof, u);
            B[(size_t)(6 + i) * (size_t)view.n + (size_t)d] = u[c];
        }
    }
    kl_symmetric_multiply(view.M, N, B, MB);
    kl_gemm(true, false, N, N, view.n, 1, B, view.n, MB, view.n, 0, brute, N);

    /* from invariants */
    kl_vec3 S = t.s0;
    kl_mat3 J = t.J0;
    for (int i = 0; i < n; i++) {
        S          = kl_axpy(w[i], kl_load(t.S1 + 3 * i), S);
        kl_mat3 Gt = kl_transpose(&t.G0[i]);
        J          = kl_mat_axpy(w[i], &t.G0[i], &J);
        J          = kl_mat_axpy(w[i], &Gt, &J);
        for (int j = 0; j < n; j++) J = kl_mat_axpy(w[i] * w[j], &t.J2[i * n + j], &J);
    }
    kl_mat3 Sx     = kl_skew(S);
    double  mscale = t.m, jscale = fabs(t.J0.m[0][0]) + fabs(t.J0.m[1][1]) + fabs(t.J0.m[2][2]);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            assert_close(brute[b * N + a], a == b ? t.m : 0, 1e-12 * mscale);
            assert_close(brute[(3 + b) * N + a], -Sx.m[a][b], 1e-12 * sqrt(mscale * jscale));
            assert_close(brute[(3 + b) * N + 3 + a], J.m[a][b], 1e-12 * jscale);
        }
    for (int j = 0; j < n; j++)
        for (int a = 0; a < 3; a++) {
            double H = t.H0[3 * j + a];
            for (int i = 0; i < n; i++) H += w[i] * t.H1[3 * (i * n + j) + a];
            double size = sqrt(brute[(6 + j) * N + 6 + j]);
            assert_close(brute[(6 + j) * N + a], t.S1[3 * j + a], 1e-12 * sqrt(mscale) * size);
            assert_close(brute[(6 + j) * N + 3 + a], H, 1e-12 * sqrt(jscale) * size);
        }
    free(w);
    free(B);
    free(MB);
    free(brute);
    kl_arena_destroy(arena);
}

static void invariants_equal_brute_force_sums(void **unused)
{
    (void)unused;
    const kl_mass_rule rules[2] = {KL_MASS_LUMPED, KL_MASS_CONSISTENT};
    for (int r = 0; r < 2; r++)
        for (int held = 0; held < 2; held++) {
            kl_mesh  *m = bricks(6, 2, 2, kl_vec(0.3, -0.2, 0.1), kl_vec(0.6, 0.1, 0.2));
            kl_system s;
            assembled(m, rules[r], &s);
            kl_node_mask clamp[9];
            for (int i = 0; i < 9; i++) clamp[i] = (kl_node_mask){i, 7};
            kl_basis_options o = {.count      = 10,
                                  .reference  = held ? KL_NODAL : KL_MEAN_AXIS,
                                  .ncondition = 9,
                                  .condition  = clamp};
            kl_basis         b;
            made(&s, &o, &b);
            assert_int_equal(b.n, 10);
            check_invariants(&s, b.n, b.X); /* held modes carry rigid motion, free ones do not */
            evaluate_accelerations(&b, &s, m);
        }
}

/* each tensor by its own formula of docs/design.md, section 2: sums over point masses; the mass
 * matrix alone does not tell a tensor from its transpose */
static void invariants_of_point_masses_are_their_formulas(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(4, 2, 1, kl_vec(0.3, -0.2, 0.1), kl_vec(0.6, 0.1, 0.2));
    kl_system s;
    assembled(m, KL_MASS_LUMPED, &s);
    kl_basis_options o = {.count = 4};
    kl_basis         b;
    made(&s, &o, &b);
    kl_arena     *arena = kl_arena_create();
    kl_invariants t     = {0};
    assert_int_equal(kl_invariants_find(&s, b.n, b.X, arena, &t), KL_OK);
    for (int i = 0; i < b.n; i++)
        for (int j = 0; j < b.n; j++) {
            kl_mat3 G0 = {0}, J2 = {0};
            kl_vec3 H0 = {0, 0, 0}, H1 = {0, 0, 0};
            for (int k = 0; k < s.nnode; k++) {
                double  mass = s.M.value[s.M.start[s.dof[6 * k]]];
                kl_vec3 u    = motion_of(&s, k, b.X + (size_t)i * (size_t)s.ndof),
                        v    = motion_of(&s, k, b.X + (size_t)j * (size_t)s.ndof);
                kl_mat3 I = kl_identity(), vx = kl_outer(v, s.x[k]), uv = kl_outer(u, v);
                G0 = kl_mat_axpy(mass * kl_dot(s.x[k], v), &I, &G0);
                G0 = kl_mat_axpy(-mass, &vx, &G0);
                J2 = kl_mat_axpy(mass * kl_dot(u, v), &I, &J2);
                J2 = kl_mat_axpy(-mass, &uv, &J2);
                H0 = kl_axpy(mass, kl_cross(s.x[k], v), H0);
                H1 = kl_axpy(mass, kl_cross(u, v), H1);
            }
            for (int a = 0; a < 9; a++) {
                assert_close(t.G0[j].m[a / 3][a % 3], G0.m[a / 3][a % 3], 1e-12);
                assert_close(t.J2[i * b.n + j].m[a / 3][a % 3], J2.m[a / 3][a % 3], 1e-12);
            }
            assert_close(kl_norm(kl_sub(kl_load(t.H0 + 3 * j), H0)), 0, 1e-12);
            assert_close(kl_norm(kl_sub(kl_load(t.H1 + 3 * (i * b.n + j)), H1)), 0, 1e-12);
        }
    kl_arena_destroy(arena);
    evaluate_accelerations(&b, &s, m);
}

/* a mass that is not quite the same in all directions takes the general way, to the same result */
static void both_ways_to_the_invariants_agree(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(4, 2, 1, kl_vec(0.3, -0.2, 0.1), kl_vec(0.6, 0.1, 0.2));
    kl_system s;
    assembled(m, KL_MASS_CONSISTENT, &s);
    kl_basis_options o = {.count = 6};
    kl_basis         b;
    made(&s, &o, &b);
    kl_arena     *arena = kl_arena_create();
    kl_invariants one = {0}, other = {0};
    assert_int_equal(kl_invariants_find(&s, b.n, b.X, arena, &one), KL_OK);
    s.M.value[s.M.start[3]] *= 1 + 1e-15;
    assert_int_equal(kl_invariants_find(&s, b.n, b.X, arena, &other), KL_OK);
    size_t n = (size_t)b.n;
    assert_close(one.m, other.m, 1e-12 * one.m);
    assert_close(kl_norm(kl_sub(one.s0, other.s0)), 0, 1e-12 * one.m);
    const struct {
        const double *a, *b;
        size_t        n;
    } parts[] = {{one.J0.m[0], other.J0.m[0], 9},
                 {one.S1, other.S1, 3 * n},
                 {one.H0, other.H0, 3 * n},
                 {one.H1, other.H1, 3 * n * n},
                 {one.G0[0].m[0], other.G0[0].m[0], 9 * n},
                 {one.J2[0].m[0], other.J2[0].m[0], 9 * n * n}};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (size_t i = 0; i < parts[p].n; i++)
            assert_close(parts[p].a[i], parts[p].b[i], 1e-12 * fmax(1, one.m));
    kl_arena_destroy(arena);
    evaluate_accelerations(&b, &s, m);
}

static void invariants_hold_through_ties(void **unused)
{
    (void)unused;
    kl_mesh *m = bricks(6, 2, 2, kl_vec(0, 0, 0), kl_vec(0.6, 0.1, 0.2));
    int      end[9];
    for (int i = 0; i < 9; i++) end[i] = i;
    int       a = kl_marker_tie(m, "m", KL_RBE2, 9, end, kl_vec(-0.1, 0.05, 0.1));
    kl_system s;
    assembled(m, KL_MASS_LUMPED, &s);
    kl_basis_options o = {.count = 8};
    kl_basis         b;
    made(&s, &o, &b);
    check_invariants(&s, b.n, b.X);
    /* the tied face moves as one: every follower is the reference's rigid motion */
    for (int j = 0; j < b.n; j++) {
        double r[6];
        kl_system_motion(&s, a, b.X + (size_t)j * (size_t)s.ndof, r);
        for (int i = 0; i < 9; i++) {
            kl_vec3 u = motion_of(&s, i, b.X + (size_t)j * (size_t)s.ndof);
            kl_vec3 v = kl_add(kl_load(r), kl_cross(kl_load(r + 3), kl_sub(s.x[i], s.x[a])));
            assert_close(kl_norm(kl_sub(u, v)), 0, 1e-12 * (kl_norm(u) + 1));
        }
    }
    evaluate_accelerations(&b, &s, m);
}

/* ---- bases ---- */

/* an attachment basis answers a unit load at its interface exactly, with six eigenmodes or none */
static void attachment_modes_make_statics_exact(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(8, 2, 2, kl_vec(0, 0, 0), kl_vec(0.8, 0.1, 0.1));
    kl_system s;
    assembled(m, KL_MASS_CONSISTENT, &s);
    kl_node_mask     tip = {s.nnode - 1, 7};
    kl_basis_options o   = {
          .count = 4, .statics = KL_ATTACHMENT, .ninterface = 1, .interface_at = &tip};
    kl_basis b;
    made(&s, &o, &b);
    assert_int_equal(b.nstatic, 3);
    double *f = calloc((size_t)s.ndof, sizeof(double)), *u = calloc((size_t)s.ndof, sizeof(double));
    kl_diag *d                 = kl_diag_create();
    f[s.dof[6 * tip.node + 2]] = 1000.0;
    memcpy(u, f, (size_t)s.ndof * sizeof(double));
    assert_int_equal(kl_modes_static(&s, &b.modes, 1, u, d),
                     KL_OK); /* inertia relief, no rigid part */
    double reduced = 0, full = u[s.dof[6 * tip.node + 2]];
    for (int j = 0; j < b.n; j++) {
        double load = kl_vdot(s.ndof, b.X + (size_t)j * (size_t)s.ndof, f);
        reduced += load * b.X[(size_t)j * (size_t)s.ndof + (size_t)s.dof[6 * tip.node + 2]] /
                   b.Kff[j * b.n + j];
    }
    assert_close(reduced / full, 1, 1e-8);
    /* orthonormal, no rigid motion */
    double *R  = calloc(6 * (size_t)s.ndof, sizeof(double)),
           *MR = calloc(6 * (size_t)s.ndof, sizeof(double));
    kl_system_rigid(&s, kl_vec(0.4, 0.05, 0.05), R);
    kl_symmetric_multiply(&s.M, 6, R, MR);
    for (int j = 0; j < b.n; j++) {
        for (int i = 0; i < b.n; i++) assert_close(b.Mff[j * b.n + i], i == j, 1e-9);
        for (int c = 0; c < 6; c++)
            assert_close(kl_vdot(s.ndof, MR + c * s.ndof, b.X + (size_t)j * (size_t)s.ndof), 0,
                         1e-9);
        if (j > 0) assert_true(b.frequency[j] >= (1 - 1e-10) * b.frequency[j - 1]);
    }
    free(R);
    free(MR);
    free(f);
    free(u);
    kl_diag_destroy(d);
    evaluate_accelerations(&b, &s, m);
}

/* Craig-Bampton is exact for static loads at the interface; two halves of a cantilever, each
 * reduced and joined at the common face, converge to the whole from above. */
static double two_halves(int modes)
{
    /* plain Craig-Bampton matrices of the half beam with interfaces on both end faces */
    kl_mesh  *m = bricks(6, 1, 1, kl_vec(0, 0, 0), kl_vec(0.5, 0.05, 0.05));
    kl_system s;
    assembled(m, KL_MASS_CONSISTENT, &s);
    kl_node_mask at[8];
    for (int i = 0; i < 4; i++)
        at[i] = (kl_node_mask){i, 7}, at[4 + i] = (kl_node_mask){s.nnode - 4 + i, 7};
    kl_basis_options o = {.count        = modes,
                          .statics      = KL_CRAIG_BAMPTON,
                          .ninterface   = 8,
                          .interface_at = at,
                          .plain        = true};
    kl_basis         b;
    made(&s, &o, &b);
    /* unknowns of the pair: modes of both, common face (12); the root face of the first is held */
    int     k = b.neigen, N = 2 * k + 24, n = b.n;
    double *K = calloc((size_t)N * (size_t)N, sizeof(double)),
           *M = calloc((size_t)N * (size_t)N, sizeof(double)),
           *w = calloc((size_t)N, sizeof(double));
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int p[2], q[2] = {i, j};
                for (int e = 0; e < 2; e++) {
                    int left = q[e] - k, right = q[e] - k - 12;
                    if (q[e] < k) p[e] = half * k + q[e];
                    else if (right < 0) p[e] = half == 0 ? -1 : 2 * k + left;
                    else p[e] = half == 0 ? 2 * k + right : 2 * k + 12 + right;
                }
                if (p[0] < 0 || p[1] < 0) continue;
                K[p[1] * N + p[0]] += b.Kff[j * n + i];
                M[p[1] * N + p[0]] += b.Mff[j * n + i];
            }
    assert_int_equal(kl_generalized_eigen(N, K, M, w), KL_OK);
    double f = sqrt(w[3]);
    free(K);
    free(M);
    free(w);
    evaluate_accelerations(&b, &s, m);
    return f;
}

/* a cantilever that is held at one interface and loaded at the other by a unit force: the reduced
 * stiffness gives the tip's motion of the whole mesh to rounding, with two modes or ten */
static void craig_bampton_makes_statics_at_interfaces_exact(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(8, 1, 1, kl_vec(0, 0, 0), kl_vec(0.5, 0.05, 0.04));
    kl_system s;
    kl_diag  *d = kl_diag_create();
    assembled(m, KL_MASS_CONSISTENT, &s);
    kl_node_mask at[8];
    for (int i = 0; i < 4; i++)
        at[i] = (kl_node_mask){i, 7}, at[4 + i] = (kl_node_mask){s.nnode - 4 + i, 7};
    /* the whole */
    unsigned char *fixed = calloc((size_t)s.ndof, 1);
    double        *u     = calloc((size_t)s.ndof, sizeof(double));
    int            tip   = s.dof[6 * (s.nnode - 1) + 2];
    for (int i = 0; i < s.ndof; i++) fixed[i] = s.dof_node[i] < 4;
    kl_mode_options full = {.count = 1, .fixed = fixed};
    kl_modes        modes;
    assert_int_equal(kl_modes_find(&s, &full, &modes, d), KL_OK);
    u[tip] = 1;
    assert_int_equal(kl_modes_static(&s, &modes, 1, u, d), KL_OK);
    for (int count = 2; count <= 10; count += 8) {
        kl_basis_options o = {.count        = count,
                              .statics      = KL_CRAIG_BAMPTON,
                              .ninterface   = 8,
                              .interface_at = at,
                              .plain        = true};
        kl_basis         b;
        made(&s, &o, &b);
        /* columns: modes, 12 of the root, 12 of the tip; the root is held */
        int    n = b.n - 12;
        double K[22 * 22], f[22] = {0};
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                K[j * n + i] = b.Kff[(j < count ? j : j + 12) * b.n + (i < count ? i : i + 12)];
        f[n - 1] = 1;
        assert_int_equal(kl_dense_solve(n, 1, K, f), KL_OK);
        for (int i = 0; i < 12; i++) {
            double whole = u[s.dof[6 * (s.nnode - 4 + i / 3) + i % 3]];
            assert_close(f[count + i], whole, 1e-9 * fabs(u[tip]));
        }
        kl_basis_free(&b);
    }
    free(fixed);
    free(u);
    kl_modes_free(&modes);
    kl_system_free(&s);
    kl_mesh_destroy(m);
    kl_diag_destroy(d);
}

static void two_substructures_converge_to_the_whole(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(12, 1, 1, kl_vec(0, 0, 0), kl_vec(1, 0.05, 0.05));
    kl_system s;
    assembled(m, KL_MASS_CONSISTENT, &s);
    unsigned char *fixed = calloc((size_t)s.ndof, 1);
    for (int d = 0; d < s.ndof; d++) fixed[d] = s.dof_node[d] < 4;
    kl_mode_options o = {.count = 8, .fixed = fixed};
    kl_modes        modes;
    kl_diag        *diag = kl_diag_create();
    assert_int_equal(kl_modes_find(&s, &o, &modes, diag), KL_OK);
    double    whole     = sqrt(modes.omega2[3]), error[3];
    const int counts[3] = {2, 8, 24};
    for (int i = 0; i < 3; i++) error[i] = two_halves(counts[i]) / whole - 1;
    assert_true(error[0] > error[1] && error[1] > error[2] && error[2] > -1e-10);
    assert_true(error[1] < 1e-3 && error[2] < 1e-5);
    kl_modes_free(&modes);
    kl_system_free(&s);
    kl_mesh_destroy(m);
    kl_diag_destroy(diag);
    free(fixed);
}

/* orthogonalised Craig-Bampton: same space without rigid motion */
static void orthogonalised_craig_bampton_drops_six(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(6, 1, 1, kl_vec(0, 0, 0), kl_vec(0.5, 0.05, 0.05));
    kl_system s;
    assembled(m, KL_MASS_CONSISTENT, &s);
    kl_node_mask at[4];
    for (int i = 0; i < 4; i++) at[i] = (kl_node_mask){i, 7};
    kl_basis_options o = {
        .count = 6, .statics = KL_CRAIG_BAMPTON, .ninterface = 4, .interface_at = at};
    kl_basis b;
    made(&s, &o, &b);
    assert_int_equal(b.n, 6 + 12 - 6);
    assert_int_equal(b.ndropped, 6);
    assert_true(b.frequency[0] > 100);
    evaluate_accelerations(&b, &s, m);
}

static void principal_axis_conditions_keep_products_of_inertia(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(6, 2, 2, kl_vec(0.1, 0.2, 0.3), kl_vec(0.6, 0.1, 0.2));
    kl_system s;
    assembled(m, KL_MASS_LUMPED, &s);
    kl_basis_options o = {.count = 6, .reference = KL_PRINCIPAL_AXIS};
    kl_basis         b;
    made(&s, &o, &b);
    kl_arena     *arena = kl_arena_create();
    kl_invariants t;
    assert_int_equal(kl_invariants_find(&s, b.n, b.X, arena, &t), KL_OK);
    kl_vec3 c = kl_scale(1 / t.m, t.s0);
    for (int j = 0; j < b.n; j++) {
        /* first-order change of the products of inertia about the centre of mass */
        kl_vec3 S = kl_load(t.S1 + 3 * j);
        assert_close(kl_norm(S), 0, 1e-8);
        kl_mat3 G = t.G0[j], Gt = kl_transpose(&G), J = kl_mat_axpy(1, &Gt, &G);
        assert_close(J.m[0][1], 0, 1e-8);
        assert_close(J.m[0][2], 0, 1e-8);
        assert_close(J.m[1][2], 0, 1e-8);
    }
    (void)c;
    evaluate_accelerations(&b, &s, m);
    /* a square bar has two equal moments: refused by name */
    m = bricks(6, 2, 2, kl_vec(0, 0, 0), kl_vec(0.6, 0.1, 0.1));
    assembled(m, KL_MASS_LUMPED, &s);
    kl_diag *d = kl_diag_create();
    assert_int_equal(kl_basis_make(&s, &o, &b, d), KL_E_SINGULAR);
    assert_non_null(strstr(kl_diag_at(d, 0)->text, "three different principal moments"));
    kl_diag_destroy(d);
    kl_system_free(&s);
    kl_mesh_destroy(m);
    kl_arena_destroy(arena);
}

/* Principal axes hold the frame of a body, not the body: with static modes too its modes are the free
 * ones, frequency by frequency, and what of them is not rigid motion is the same. */
static void principal_axes_keep_the_modes_of_the_free_body(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(6, 2, 2, kl_vec(0.1, 0.2, 0.3), kl_vec(0.6, 0.1, 0.2));
    kl_system s;
    for (int i = 0; i < m->nnode; i++)
        m->x[i].y += m->x[i].x * m->x[i].x; /* bent, so they differ */
    assembled(m, KL_MASS_CONSISTENT, &s);
    kl_node_mask at[1] = {{0, 7}};
    for (int statics = 0; statics < 2; statics++) {
        kl_basis_options o = {.count        = 6,
                              .statics      = statics ? KL_ATTACHMENT : KL_NO_STATICS,
                              .ninterface   = statics,
                              .interface_at = at};
        kl_basis         mean, principal;
        made(&s, &o, &mean);
        o.reference = KL_PRINCIPAL_AXIS;
        made(&s, &o, &principal);
        assert_int_equal(principal.n, mean.n);
        double most = 0;
        for (int j = 0; j < mean.n; j++) {
            most = fmax(most, principal.Mff[j * (mean.n + 1)]);
            assert_close(principal.frequency[j], mean.frequency[j], 1e-9 * mean.frequency[j]);
            assert_close(principal.residual[j], mean.residual[j], 1e-6);
            double stiffness = mean.Kff[j * (mean.n + 1)];
            assert_close(principal.Kff[j * (mean.n + 1)], stiffness, 1e-9 * stiffness);
        }
        assert_true(most > 1.01);
        kl_basis_free(&mean);
        kl_basis_free(&principal);
    }
    kl_system_free(&s);
    kl_mesh_destroy(m);
}

static void conditions_that_do_not_hold_are_refused(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(4, 1, 1, kl_vec(0, 0, 0), kl_vec(0.6, 0.1, 0.2));
    kl_system s;
    assembled(m, KL_MASS_LUMPED, &s);
    kl_node_mask     pin[2] = {{0, 7}, {4, 7}};
    kl_basis_options o = {.count = 2, .reference = KL_NODAL, .ncondition = 2, .condition = pin};
    kl_basis         b;
    kl_diag         *d = kl_diag_create();
    assert_int_equal(kl_basis_make(&s, &o, &b, d), KL_E_MODEL);
    assert_string_equal(kl_diag_at(d, 0)->text,
                        "the reference conditions leave 1 rigid body motion: rotation about the "
                        "line through (0.075, 0, 0) along x; fix also {2: [y]}, or use mean-axis");
    kl_diag_clear(d);
    pin[0].components = 0x3f;
    assert_int_equal(kl_basis_make(&s, &o, &b, d), KL_E_MODEL);
    assert_non_null(strstr(kl_diag_at(d, 0)->text, "has no component rx"));
    kl_diag_destroy(d);
    kl_system_free(&s);
    kl_mesh_destroy(m);
}

/* Conditions as the message gives them: "fix also {17: [x, y], 9: [z]}, ..." */
static int advised(const kl_system *s, const char *text, kl_node_mask *to)
{
    int n = 0;
    for (const char *p = strstr(text, "fix also {") + 9; *p != '}';) {
        int id = atoi(p + 1);
        for (int i = 0; i < s->nnode; i++)
            if (s->node_id[i] == id) to[n] = (kl_node_mask){.node = i};
        for (p = strchr(p, '['); *p != ']'; p++)
            if (*p >= 'x' && *p <= 'z') to[n].components |= 1u << (*p - 'x');
        n++, p++;
    }
    return n;
}

/* Whatever is held too little: what is left is named, and with what the message says to hold the body
 * has modes, and not one condition more than it needs. */
static void the_motions_left_are_named_with_what_holds_them(void **unused)
{
    (void)unused;
    static const struct {
        kl_node_mask held[2];
        const char  *left;
        int          count;
    } cases[] = {
        {{{0, 7}, {0, 7}}, "motions: every rotation about (0, 0, 0);", 3},
        {{{0, 6}, {16, 6}},
         "motions: shift along x, rotation about the line through (0.3, 0, 0) along x;",
         2},
        {{{0, 1}, {0, 1}},
         "motions: shift along y, shift along z, every rotation about (0, 0, 0);",
         5},
        {{{0, 7}, {17, 7}},
         "motion: rotation about the line through (0.3, 0, 0.1) along (0.9487, 0, 0.3162);",
         1},
    };
    kl_mesh  *m = bricks(4, 1, 1, kl_vec(0, 0, 0), kl_vec(0.6, 0.1, 0.2));
    kl_system s;
    assembled(m, KL_MASS_LUMPED, &s);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        kl_node_mask     hold[8] = {cases[c].held[0], cases[c].held[1]};
        kl_diag         *d       = kl_diag_create();
        kl_basis         b;
        kl_basis_options o = {
            .count = 2, .reference = KL_NODAL, .ncondition = 2, .condition = hold};
        assert_int_equal(kl_basis_make(&s, &o, &b, d), KL_E_MODEL);
        const char *text = kl_diag_at(d, 0)->text;
        if (!strstr(text, cases[c].left)) fail_msg("'%s' does not say '%s'", text, cases[c].left);
        o.ncondition += advised(&s, text, hold + 2);
        int added = 0;
        for (int i = 2; i < o.ncondition; i++)
            for (int a = 0; a < 3; a++) added += hold[i].components >> a & 1u;
        assert_int_equal(added, cases[c].count);
        assert_int_equal(kl_basis_make(&s, &o, &b, d), KL_OK);
        kl_basis_free(&b);
        kl_diag_destroy(d);
    }
    kl_system_free(&s);
    kl_mesh_destroy(m);
}

/* reactions where the body is held are no error of a mode; and no mode is missed */
static void modes_of_a_held_body_have_small_residuals_and_are_all_there(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(6, 1, 1, kl_vec(0, 0, 0), kl_vec(0.6, 0.1, 0.2));
    kl_system s;
    assembled(m, KL_MASS_CONSISTENT, &s);
    kl_node_mask     pin[3] = {{0, 7}, {1, 7}, {7, 7}};
    kl_basis_options o      = {
             .count = 8, .reference = KL_NODAL, .ncondition = 3, .condition = pin, .count_check = true};
    kl_basis b;
    made(&s, &o, &b);
    assert_int_equal(b.n, 8);
    for (int j = 0; j < 8; j++) assert_true(b.residual[j] < 1e-6);
    assert_true(b.modes.counted >= 1 && b.modes.counted < 8);
    kl_basis_free(&b);
    o = (kl_basis_options){.count = 8, .count_check = true}; /* free: six more below zero */
    made(&s, &o, &b);
    assert_int_equal(b.nrigid, 6);
    assert_true(b.modes.counted >= 1);
    evaluate_accelerations(&b, &s, m);
}

/* user vectors that repeat others are dropped, not kept as noise */
static void dependent_vectors_are_dropped(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(4, 1, 1, kl_vec(0, 0, 0), kl_vec(0.6, 0.1, 0.2));
    kl_system s;
    assembled(m, KL_MASS_CONSISTENT, &s);
    kl_basis_options o = {.count = 5};
    kl_basis         a, b;
    made(&s, &o, &a);
    double *user = malloc(2 * (size_t)s.ndof * sizeof(double));
    for (int i = 0; i < s.ndof; i++) {
        user[i]          = 3 * a.X[i] - a.X[(size_t)s.ndof + (size_t)i]; /* inside the eigenmodes */
        user[s.ndof + i] = s.dof_component[i] == 0;                      /* rigid */
    }
    o.nuser = 2, o.user = user;
    made(&s, &o, &b);
    assert_int_equal(b.n, 5);
    assert_int_equal(b.ndropped, 2);
    for (int j = 0; j < 5; j++) assert_close(a.frequency[j] / b.frequency[j], 1, 1e-9);
    kl_basis_free(&a);
    kl_basis_free(&b);
    free(user);
    kl_system_free(&s);
    kl_mesh_destroy(m);
}

/* ---- markers ---- */

/* under a rigid rotation, all three kinds of marker report that rotation */
static void markers_follow_rigid_motion(void **unused)
{
    (void)unused;
    kl_mesh *m = bricks(4, 2, 2, kl_vec(0, 0, 0), kl_vec(0.6, 0.1, 0.2));
    int      face[9];
    for (int i = 0; i < 9; i++) face[i] = i;
    int mean = kl_marker_tie(m, "m", KL_RBE3, 9, face, kl_vec(-0.2, 0.3, 0.1));
    for (int i = 0; i < 9; i++) face[i] = m->nnode - 2 - i;
    int       stiff = kl_marker_tie(m, "m", KL_RBE2, 9, face, kl_vec(0.9, 0, 0));
    kl_system s;
    assembled(m, KL_MASS_CONSISTENT, &s);
    double *R = malloc(6 * (size_t)s.ndof * sizeof(double));
    kl_system_rigid(&s, kl_vec(0, 0, 0), R);
    kl_arena *arena    = kl_arena_create();
    kl_diag  *d        = kl_diag_create();
    const int nodes[3] = {mean, stiff, 13};
    for (int k = 0; k < 3; k++) {
        kl_kbody_marker marker = {.axes = kl_identity()};
        assert_int_equal(kl_marker_motion(&s, nodes[k], 6, R, 0.1, arena, &marker, d), KL_OK);
        assert_int_equal(marker.kind, k == 2 ? KL_MARKER_TRIAD : KL_MARKER_NODE);
        for (int j = 0; j < 6; j++) {
            kl_vec3 turn = j < 3 ? kl_vec(0, 0, 0) : kl_vec(j == 3, j == 4, j == 5);
            kl_vec3 move = j < 3 ? kl_vec(j == 0, j == 1, j == 2) : kl_cross(turn, s.x[nodes[k]]);
            assert_close(kl_norm(kl_sub(kl_load(marker.rotation + 3 * j), turn)), 0, 1e-12);
            assert_close(kl_norm(kl_sub(kl_load(marker.translation + 3 * j), move)), 0, 1e-12);
        }
    }
    kl_diag_destroy(d);
    kl_arena_destroy(arena);
    free(R);
    kl_system_free(&s);
    kl_mesh_destroy(m);
}

static void the_triad_stays_clear_of_its_axes(void **unused)
{
    (void)unused;
    kl_mesh  *m = bricks(4, 2, 2, kl_vec(0, 0, 0), kl_vec(0.4, 0.1, 0.1));
    kl_system s;
    assembled(m, KL_MASS_CONSISTENT, &s);
    kl_mat3  axes = kl_identity();
    int      t[3];
    kl_diag *d = kl_diag_create();
    assert_int_equal(kl_marker_triad(&s, kl_vec(0.01, 0.05, 0.05), &axes, 0.1, t, d), KL_OK);
    kl_vec3 e1 = kl_unit(kl_sub(s.x[t[1]], s.x[t[0]])), a = kl_unit(kl_sub(s.x[t[2]], s.x[t[0]]));
    kl_vec3 e2 = kl_unit(kl_cross(e1, a));
    assert_true(fabs(e1.y) < 0.9 && fabs(e1.z) < 0.9 && fabs(kl_dot(e1, a)) < 0.9 &&
                fabs(e2.z) < 0.9);
    /* the nearest node is the middle of the end face */
    assert_close(kl_norm(kl_sub(s.x[t[0]], kl_vec(0, 0.05, 0.05))), 0, 1e-12);
    assert_int_equal(kl_marker_triad(&s, kl_vec(0, 0, 0), &axes, 1.0, t, d), KL_E_SINGULAR);
    kl_diag_destroy(d);
    kl_system_free(&s);
    kl_mesh_destroy(m);
}

static void an_rbe3_on_a_line_of_solids_is_refused(void **unused)
{
    (void)unused;
    kl_mesh *m = bricks(4, 1, 1, kl_vec(0, 0, 0), kl_vec(0.4, 0.1, 0.1));
    kl_marker_tie(m, "m", KL_RBE3, 3, (const int[]){0, 4, 8}, kl_vec(0, 0, 0));
    kl_system s;
    kl_diag  *d = kl_diag_create();
    assert_int_equal(kl_fe_assemble(m, KL_MASS_LUMPED, &s, d), KL_E_MODEL);
    assert_non_null(strstr(kl_diag_at(d, 0)->text, "lie on one line along (1, 0, 0) and have no "));
    kl_diag_destroy(d);
    kl_mesh_destroy(m);
}

/* springs and masses: two lumps on a spring, closed form */
static void springs_and_point_masses_vibrate(void **unused)
{
    (void)unused;
    kl_mesh *m = kl_mesh_create("lumps");
    kl_mesh_add_node(m, 1, kl_vec(0, 0, 0));
    kl_mesh_add_node(m, 2, kl_vec(1, 0, 0));
    kl_spring k      = {.id = 1, .node = {0, 1}, .k = {1000, 0, 0, 0, 0, 0}},
              ground = {.id = 2, .node = {0, -1}, .k = {0, 50, 60, 0, 0, 0}},
              other  = {.id = 3, .node = {1, -1}, .k = {500, 70, 80, 0, 0, 0}};
    kl_mesh_add_spring(m, &k);
    kl_mesh_add_spring(m, &ground);
    kl_mesh_add_spring(m, &other);
    for (int i = 0; i < 2; i++) {
        kl_point_mass p = {.id = 10 + i, .node = i, .mass = 2 + i};
        kl_mesh_add_mass(m, &p);
    }
    kl_system s;
    assembled(m, KL_MASS_LUMPED, &s);
    kl_mode_options o = {.count = 4};
    kl_modes        modes;
    kl_diag        *d = kl_diag_create();
    assert_int_equal(kl_modes_find(&s, &o, &modes, d), KL_OK);
    const double expected[4] = {70.0 / 3, 50.0 / 2, 80.0 / 3, 60.0 / 2};
    for (int i = 0; i < 4; i++) assert_close(modes.omega2[i] / expected[i], 1, 1e-9);
    kl_modes_free(&modes);
    kl_system_free(&s);
    kl_mesh_destroy(m);
    kl_diag_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants_equal_brute_force_sums),
        cmocka_unit_test(invariants_of_point_masses_are_their_formulas),
        cmocka_unit_test(both_ways_to_the_invariants_agree),
        cmocka_unit_test(invariants_hold_through_ties),
        cmocka_unit_test(attachment_modes_make_statics_exact),
        cmocka_unit_test(craig_bampton_makes_statics_at_interfaces_exact),
        cmocka_unit_test(two_substructures_converge_to_the_whole),
        cmocka_unit_test(orthogonalised_craig_bampton_drops_six),
        cmocka_unit_test(principal_axis_conditions_keep_products_of_inertia),
        cmocka_unit_test(principal_axes_keep_the_modes_of_the_free_body),
        cmocka_unit_test(conditions_that_do_not_hold_are_refused),
        cmocka_unit_test(the_motions_left_are_named_with_what_holds_them),
        cmocka_unit_test(modes_of_a_held_body_have_small_residuals_and_are_all_there),
        cmocka_unit_test(dependent_vectors_are_dropped),
        cmocka_unit_test(markers_follow_rigid_motion),
        cmocka_unit_test(the_triad_stays_clear_of_its_axes),
        cmocka_unit_test(an_rbe3_on_a_line_of_solids_is_refused),
        cmocka_unit_test(springs_and_point_masses_vibrate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
