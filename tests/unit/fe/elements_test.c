/* Every element: patch test on a distorted patch, rigid motions, no spurious modes, mass; closed
 * forms for beams, plates and bars. */
#include "fe/element.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "fe/assemble.h"
#include "reduce/modes.h"
#include "reduce/stress_modes.h"
#include "unit/test.h"

static const double pi = 3.14159265358979323846;

/* ---- meshes of boxes ---- */

typedef struct box {
    kl_mesh *m;
    int      nx, ny, nz;
    kl_vec3  size;
} box;

static int material_and_property(kl_mesh *m, kl_property_kind kind, double thickness)
{
    kl_material steel = {.name = "steel", .rho = 7850, .E = 2.1e11, .nu = 0.3};
    kl_property p     = {.name      = "all",
                         .kind      = kind,
                         .thickness = thickness,
                         .material  = kl_mesh_add_material(m, &steel)};
    return kl_mesh_add_property(m, &p);
}

/* a smooth, non-trivial push of inner points */
static kl_vec3 pushed(kl_vec3 r, double size)
{
    double bump = size * r.x * (1 - r.x) * r.y * (1 - r.y) * r.z * (1 - r.z) * 16;
    return kl_vec(r.x + 0.9 * bump, r.y - 0.7 * bump, r.z + 1.1 * bump);
}

/* corner grid, split into the shape; quadratic shapes get middles by averaging */
static kl_mesh *solid_box(kl_shape shape, int nx, int ny, int nz, kl_vec3 size, double distort)
{
    kl_mesh *m        = kl_mesh_create("box");
    int      property = material_and_property(m, KL_SOLID, 0), id = 0;
    bool     quadratic = shape == KL_TET10 || shape == KL_HEX20 || shape == KL_WEDGE15;
    for (int k = 0; k <= nz; k++)
        for (int j = 0; j <= ny; j++)
            for (int i = 0; i <= nx; i++) {
                kl_vec3 r = pushed(kl_vec((double)i / nx, (double)j / ny, (double)k / nz), distort);
                kl_mesh_add_node(m, ++id, kl_vec(r.x * size.x, r.y * size.y, r.z * size.z));
            }
    static const int tets[6][4]   = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                     {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    static const int wedges[2][6] = {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
    static const int hex[1][8]    = {{0, 1, 2, 3, 4, 5, 6, 7}};
    kl_shape         linear = shape <= KL_TET10 ? KL_TET4 : shape <= KL_HEX20 ? KL_HEX8 : KL_WEDGE6;
    int              parts  = linear == KL_TET4     ? 6
                              : linear == KL_WEDGE6 ? 2
                                                    : 1,
        nc                  = kl_shape_info_of(linear)->nnode;
    /* middles are found again by the pair of their ends */
    static const int edges[3][12][2] = {
        {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
        {{0, 1},
         {1, 2},
         {2, 3},
         {3, 0},
         {4, 5},
         {5, 6},
         {6, 7},
         {7, 4},
         {0, 4},
         {1, 5},
         {2, 6},
         {3, 7}},
        {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}};
    int  corners = m->nnode, family = linear == KL_TET4 ? 0 : linear == KL_HEX8 ? 1 : 2, eid = 0;
    int *middle = calloc((size_t)corners * (size_t)corners, sizeof(int));
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                int c[8];
                for (int v = 0; v < 8; v++) {
                    int di = (v % 4 == 1 || v % 4 == 2), dj = v % 4 >= 2, dk = v >= 4;
                    c[v] = ((k + dk) * (ny + 1) + j + dj) * (nx + 1) + i + di;
                }
                for (int p = 0; p < parts; p++) {
                    const int *pick = linear == KL_TET4     ? tets[p]
                                      : linear == KL_WEDGE6 ? wedges[p]
                                                            : hex[0];
                    int        node[20];
                    for (int v = 0; v < nc; v++) node[v] = c[pick[v]];
                    for (int e = nc; quadratic && e < kl_shape_info_of(shape)->nnode; e++) {
                        int  a = node[edges[family][e - nc][0]], b = node[edges[family][e - nc][1]];
                        int *slot = &middle[(a < b ? a : b) * corners + (a < b ? b : a)];
                        if (*slot == 0)
                            *slot =
                                kl_mesh_add_node(m, ++id, kl_scale(0.5, kl_add(m->x[a], m->x[b])));
                        node[e] = *slot;
                    }
                    kl_mesh_add_element(m, shape, ++eid, property, node);
                }
            }
    free(middle);
    return m;
}

static const kl_shape solids[6] = {KL_TET4, KL_TET10, KL_HEX8, KL_HEX20, KL_WEDGE6, KL_WEDGE15};

/* ---- the patch test: any constant strain is exact inside a distorted patch ---- */

static void system_of(kl_mesh *m, kl_mass_rule rule, kl_system *s)
{
    kl_diag *d = kl_diag_create();
    if (kl_mesh_check(m, d) != KL_OK || kl_fe_assemble(m, rule, s, d) != KL_OK)
        fail_msg("%s", kl_diag_at(d, 0)->text);
    kl_diag_destroy(d);
}

static void every_solid_passes_the_patch_test(void **unused)
{
    (void)unused;
    const double G[3][3] = {{1e-3, 2e-4, -3e-4}, {5e-4, -7e-4, 1e-4}, {2e-4, 6e-4, 4e-4}};
    for (int e = 0; e < 6; e++) {
        kl_mesh  *m = solid_box(solids[e], 2, 2, 2, kl_vec(1, 0.8, 1.3), 0.15);
        kl_system s;
        system_of(m, KL_MASS_CONSISTENT, &s);
        double *u    = calloc((size_t)s.ndof, sizeof(double)),
               *f    = calloc((size_t)s.ndof, sizeof(double));
        double scale = 0;
        for (int d = 0; d < s.ndof; d++) {
            kl_vec3 x = s.x[s.dof_node[d]];
            int     c = s.dof_component[d];
            u[d]      = G[c][0] * x.x + G[c][1] * x.y + G[c][2] * x.z;
        }
        kl_symmetric_multiply(&s.K, 1, u, f);
        for (int d = 0; d < s.ndof; d++) scale = fmax(scale, fabs(f[d]));
        for (int d = 0; d < s.ndof; d++) {
            kl_vec3 x      = s.x[s.dof_node[d]];
            bool    inside = x.x > 1e-9 && x.x < 1 - 1e-9 && x.y > 1e-9 && x.y < 0.8 - 1e-9 &&
                          x.z > 1e-9 && x.z < 1.3 - 1e-9;
            if (inside) assert_close(f[d] / scale, 0, 1e-12);
        }
        /* and the stress inside is the constant one */
        kl_fe_element element;
        double        strain[6 * 60], stress[6 * 60], r[3];
        kl_fe_gather(m, solids[e], 0, &element);
        kl_shape_centre(solids[e], r);
        r[0] += 0.05;
        assert_int_equal(kl_solid_strain(&element, r, strain, stress), KL_OK);
        int    n   = 3 * kl_shape_info_of(solids[e])->nnode;
        double exx = 0, gxy = 0;
        for (int j = 0; j < n; j++) {
            double v = u[s.dof[6 * m->block[solids[e]].node[j / 3] + j % 3]];
            exx += strain[j] * v, gxy += strain[3 * n + j] * v;
        }
        assert_close(exx, G[0][0], 1e-13);
        assert_close(gxy, G[0][1] + G[1][0], 1e-13);
        free(u);
        free(f);
        kl_system_free(&s);
        kl_mesh_destroy(m);
    }
}

/* eigenvalues of one element's stiffness: exactly six vanish */
static void assert_six_zero_modes(kl_mesh *m, const char *what)
{
    kl_system s;
    system_of(m, KL_MASS_CONSISTENT, &s);
    int     n = s.ndof;
    double *A = calloc((size_t)n * (size_t)n, sizeof(double)),
           *w = calloc((size_t)n, sizeof(double));
    for (int j = 0; j < n; j++)
        for (int64_t p = s.K.start[j]; p < s.K.start[j + 1]; p++)
            A[(size_t)j * (size_t)n + (size_t)s.K.row[p]] =
                A[(size_t)s.K.row[p] * (size_t)n + (size_t)j] = s.K.value[p];
    /* rotations scaled to the element's size, so that the zero is the same for all */
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double si = s.dof_component[i] < 3 ? 1 : 1 / kl_mesh_size(m),
                   sj = s.dof_component[j] < 3 ? 1 : 1 / kl_mesh_size(m);
            A[(size_t)j * (size_t)n + (size_t)i] *= si * sj;
        }
    assert_int_equal(kl_symmetric_eigen(n, A, w), KL_OK);
    int zero = 0;
    for (int i = 0; i < n; i++) zero += fabs(w[i]) < 1e-11 * w[n - 1];
    if (zero != 6) fail_msg("%s: %d zero modes of %d", what, zero, n);
    free(A);
    free(w);
    kl_system_free(&s);
}

static kl_mesh *one_shell(kl_shape shape, double warp, double thickness)
{
    kl_mesh      *m    = kl_mesh_create("shell");
    int           p    = material_and_property(m, KL_SHELL, thickness);
    const kl_vec3 x[4] = {{0, 0, 0}, {1.1, 0.1, 0}, {0.9, 1.2, warp}, {-0.1, 0.8, 0}};
    for (int i = 0; i < (shape == KL_QUAD4 ? 4 : 3); i++) kl_mesh_add_node(m, i + 1, x[i]);
    kl_mesh_add_element(m, shape, 1, p, (const int[]){0, 1, 2, 3});
    return m;
}

static kl_mesh *beam_line(int n, double L, bool oblique)
{
    kl_mesh *m = kl_mesh_create("beam");
    int      p = material_and_property(m, KL_BEAM, 0);
    kl_section_rectangle(&m->property[p], 0.02, 0.03);
    kl_vec3 along = oblique ? kl_unit(kl_vec(1, 2, -0.5)) : kl_vec(1, 0, 0);
    for (int i = 0; i <= n; i++) kl_mesh_add_node(m, i + 1, kl_scale(L * i / n, along));
    for (int i = 0; i < n; i++) kl_mesh_add_element(m, KL_BEAM2, i + 1, p, (const int[]){i, i + 1});
    return m;
}

/* one element alone, corners pushed out of place */
static kl_mesh *one_solid(kl_shape shape)
{
    kl_mesh *whole = solid_box(shape, 1, 1, 1, kl_vec(1, 0.8, 1.3), 0), *m = kl_mesh_create("one");
    int      property = material_and_property(m, KL_SOLID, 0), n = kl_shape_info_of(shape)->nnode;
    int      node[20];
    for (int i = 0; i < n; i++) {
        kl_vec3 x = whole->x[whole->block[shape].node[i]];
        node[i] =
            kl_mesh_add_node(m, i + 1,
                             kl_vec(x.x + 0.15 * x.y * x.z, x.y - 0.1 * x.x * x.z + 0.05 * x.z,
                                    x.z + 0.2 * x.x * x.y));
    }
    kl_mesh_add_element(m, shape, 1, property, node);
    kl_mesh_destroy(whole);
    return m;
}

static void no_element_has_spurious_zero_modes(void **unused)
{
    (void)unused;
    for (int e = 0; e < 6; e++) {
        kl_mesh *m = one_solid(solids[e]);
        assert_six_zero_modes(m, kl_shape_info_of(solids[e])->name);
        kl_mesh_destroy(m);
    }
    for (int e = 0; e < 6; e++) {
        kl_mesh *m = solid_box(solids[e], 1, 1, 1, kl_vec(1, 0.8, 1.3), 0);
        assert_six_zero_modes(m, kl_shape_info_of(solids[e])->name);
        kl_mesh_destroy(m);
    }
    for (int warped = 0; warped < 2; warped++)
        for (int shape = KL_TRI3; shape <= KL_QUAD4; shape++) {
            kl_mesh *m = one_shell((kl_shape)shape, warped ? 0.2 : 0, 0.05);
            assert_six_zero_modes(m, kl_shape_info_of((kl_shape)shape)->name);
            kl_mesh_destroy(m);
        }
    kl_mesh *m = beam_line(1, 0.7, true);
    assert_six_zero_modes(m, "beam2");
    kl_mesh_destroy(m);
}

/* rigid acceleration: mass matrices know mass, and lumped ones stay positive */
static void masses_add_up_and_stay_positive(void **unused)
{
    (void)unused;
    const kl_mass_rule rules[3] = {KL_MASS_CONSISTENT, KL_MASS_CONSISTENT_4_POINT, KL_MASS_LUMPED};
    for (int e = 0; e < 6; e++)
        for (int r = 0; r < 3; r++) {
            kl_mesh  *m = solid_box(solids[e], 2, 1, 2, kl_vec(1, 0.8, 1.3), 0.0);
            kl_system s;
            system_of(m, rules[r], &s);
            double *R = calloc(6 * (size_t)s.ndof, sizeof(double)),
                   *f = calloc(6 * (size_t)s.ndof, sizeof(double));
            kl_system_rigid(&s, kl_vec(0.5, 0.4, 0.65), R);
            kl_symmetric_multiply(&s.M, 6, R, f);
            double mass = 7850 * 1 * 0.8 * 1.3;
            for (int k = 0; k < 3; k++)
                assert_close(kl_vdot(s.ndof, R + k * s.ndof, f + k * s.ndof) / mass, 1, 1e-12);
            if (rules[r] == KL_MASS_CONSISTENT) {
                double J = kl_vdot(s.ndof, R + 5 * s.ndof, f + 5 * s.ndof);
                assert_close(J / (mass * (1 + 0.64) / 12), 1, 1e-12);
            }
            for (int d = 0; d < s.ndof; d++) {
                assert_true(s.M.value[s.M.start[d]] > 0);
                if (rules[r] == KL_MASS_LUMPED)
                    assert_int_equal(s.M.start[d + 1] - s.M.start[d], 1);
            }
            free(R);
            free(f);
            kl_system_free(&s);
            kl_mesh_destroy(m);
        }
}

/* ---- closed forms ---- */

static double lowest_with(kl_mass_rule rule, kl_mesh *m, const unsigned char *fixed_component,
                          double (*where)(kl_vec3), int mode)
{
    kl_system s;
    kl_diag  *diag = kl_diag_create();
    system_of(m, rule, &s);
    unsigned char *fixed = calloc((size_t)s.ndof, 1);
    for (int d = 0; where && d < s.ndof; d++)
        fixed[d] = fixed_component[s.dof_component[d]] && where(s.x[s.dof_node[d]]) != 0;
    kl_mode_options o = {.count = mode + 3, .fixed = where ? fixed : NULL};
    kl_modes        modes;
    if (kl_modes_find(&s, &o, &modes, diag) != KL_OK) fail_msg("%s", kl_diag_at(diag, 0)->text);
    double f = sqrt(modes.omega2[mode]) / (2 * pi);
    kl_modes_free(&modes);
    kl_system_free(&s);
    kl_mesh_destroy(m);
    kl_diag_destroy(diag);
    free(fixed);
    return f;
}

static double lowest(kl_mesh *m, const unsigned char *fixed_component, double (*where)(kl_vec3),
                     int mode)
{
    return lowest_with(KL_MASS_CONSISTENT, m, fixed_component, where, mode);
}

static double              at_root(kl_vec3 x) { return x.x < 1e-9; }
static const unsigned char all_fixed[6] = {1, 1, 1, 1, 1, 1};

static double              everywhere(kl_vec3 x) { return x.x >= -1; }
static const unsigned char across[6] = {0, 1, 1, 0, 0, 0};

/* Waves along a free bar that cannot move sideways: frequency n c / (2 L), c^2 = (lambda + 2 mu) /
 * rho. On linear elements of length h, with k h = n pi / elements, the discrete chain has closed
 * forms: consistent mass (2 c / h) sin(kh/2) / sqrt(1 - 2/3 sin^2(kh/2)) lies above, lumped mass
 * (2 c / h) sin(kh/2) below, both by (kh)^2 / 24 in the end. Higher modes meet those in which each
 * element bends or warps between its held nodes: the lowest of them, u_x = r s t, has omega = (2/3) c/h on lumped
 * mass, above that of the mode n as long as 4.7 n < elements. */
static void lumped_mass_comes_from_below_and_consistent_mass_from_above(void **unused)
{
    (void)unused;
    const double E = 2.1e11, nu = 0.3, rho = 7850, L = 1.6;
    double       c    = sqrt(E * (1 - nu) / ((1 + nu) * (1 - 2 * nu)) / rho);
    kl_vec3      size = kl_vec(L, 0.05, 0.06); /* thin: waves across it are far higher */
    for (int n = 5; n <= 20; n *= 2)
        for (int mode = 1; 5 * mode <= n && mode <= 3; mode++) {
            double exact = mode * c / (2 * L), kh = mode * pi / n, wave = sin(kh / 2);
            double chain = 2 * c * n / L * wave / (2 * pi);
            double low   = lowest_with(KL_MASS_LUMPED, solid_box(KL_HEX8, n, 1, 1, size, 0), across,
                                       everywhere, mode - 1);
            double high  = lowest_with(KL_MASS_CONSISTENT, solid_box(KL_HEX8, n, 1, 1, size, 0),
                                       across, everywhere, mode - 1);
            assert_close(low / chain, 1, 1e-8);
            assert_close(high / (chain / sqrt(1 - 2.0 / 3 * wave * wave)), 1, 1e-8);
            assert_true(low < exact && exact < high);
        }
}

/* the same bar of quadratic elements: lumped mass in proportion to the diagonal converges too */
static void lumped_quadratic_elements_converge_to_the_closed_form(void **unused)
{
    (void)unused;
    const double   E = 2.1e11, nu = 0.3, rho = 7850, L = 1.6;
    double         exact     = sqrt(E * (1 - nu) / ((1 + nu) * (1 - 2 * nu)) / rho) / (2 * L);
    const kl_shape shapes[3] = {KL_TET10, KL_HEX20, KL_WEDGE15};
    for (int i = 0; i < 3; i++) {
        double error[2];
        for (int k = 0; k < 2; k++)
            error[k] = fabs(
                lowest_with(KL_MASS_LUMPED,
                            solid_box(shapes[i], 6 << k, 1 << k, 1 << k, kl_vec(L, 0.2, 0.25), 0),
                            across, everywhere, 0) /
                    exact -
                1);
        double order = log2(error[0] / error[1]);
        if (!(order > 1.7) || !(error[1] < 0.02))
            fail_msg("%s: errors %g, %g", kl_shape_info_of(shapes[i])->name, error[0], error[1]);
    }
}

/* Saint-Venant's bending, curvature 1 about y: u = (x z, -nu y z, -(x^2 + nu (z^2 - y^2)) / 2) from
 * the middle of the section; sigma_xx = E z and nothing else. */
static double bent(int component, kl_vec3 x, kl_vec3 middle)
{
    double  nu = 0.3;
    kl_vec3 r  = kl_sub(x, middle);
    return component == 0   ? r.x * r.z
           : component == 1 ? -nu * r.y * r.z
                            : -0.5 * (r.x * r.x + nu * (r.z * r.z - r.y * r.y));
}

/* The energy of the bent bar is E I L / 2 on any number of elements over the height: no locking, of
 * quadratic elements and of the linear hexahedron with its incompatible modes. */
static void bending_energy_is_exact_on_one_layer(void **unused)
{
    (void)unused;
    const kl_shape shapes[4] = {KL_HEX8, KL_TET10, KL_HEX20, KL_WEDGE15};
    const double   L = 2, b = 0.3, h = 0.1;
    for (int i = 0; i < 4; i++) {
        kl_mesh  *m = solid_box(shapes[i], 4, 1, 1, kl_vec(L, b, h), 0);
        kl_system s;
        system_of(m, KL_MASS_CONSISTENT, &s);
        double *u = calloc(2 * (size_t)s.ndof, sizeof(double)), *f = u + s.ndof;
        for (int d = 0; d < s.ndof; d++)
            u[d] = bent(s.dof_component[d], s.x[s.dof_node[d]], kl_vec(0, b / 2, h / 2));
        kl_symmetric_multiply(&s.K, 1, u, f);
        double exact = 2.1e11 * b * h * h * h / 12 * L;
        assert_close(kl_vdot(s.ndof, u, f) / exact, 1, 1e-9);
        free(u);
        kl_system_free(&s);
        kl_mesh_destroy(m);
    }
}

/* stress modes of tension and of bending, at element centres and at nodes */
static void stress_modes_have_the_closed_forms(void **unused)
{
    (void)unused;
    const kl_shape shapes[4] = {KL_HEX8, KL_TET10, KL_HEX20, KL_WEDGE15};
    const double   E = 2.1e11, nu = 0.3, b = 0.3, h = 0.1;
    for (int i = 0; i < 4; i++) {
        kl_mesh  *m      = solid_box(shapes[i], 4, 1, 2, kl_vec(2, b, h), 0);
        kl_vec3   middle = kl_vec(0, b / 2, h / 2);
        kl_system s;
        kl_diag  *diag  = kl_diag_create();
        kl_arena *arena = kl_arena_create();
        system_of(m, KL_MASS_CONSISTENT, &s);
        double *X = calloc(2 * (size_t)s.ndof, sizeof(double)); /* tension, bending */
        for (int d = 0; d < s.ndof; d++) {
            int     c     = s.dof_component[d];
            kl_vec3 x     = s.x[s.dof_node[d]];
            X[d]          = c == 0 ? x.x : c == 1 ? -nu * x.y : -nu * x.z;
            X[s.ndof + d] = bent(c, x, middle);
        }
        int            *node = calloc((size_t)m->nnode, sizeof(int)), count = m->block[shapes[i]].n;
        kl_element_ref *element = calloc((size_t)count, sizeof *element);
        for (int k = 0; k < m->nnode; k++) node[k] = k;
        for (int k = 0; k < count; k++) element[k] = (kl_element_ref){shapes[i], k, 0};
        kl_stress_points where = {count, m->nnode, element, node, 0, false};
        kl_kbody_stress  out   = {0};
        assert_int_equal(kl_stress_modes(m, &s, &where, 2, X, arena, &out, diag), KL_OK);
        assert_int_equal(out.n, count + m->nnode);
        for (int p = 0; p < out.n; p++) {
            double z = out.position[p].z - middle.z;
            for (int mode = 0; mode < 2; mode++)
                for (int c = 0; c < 6; c++) {
                    size_t at      = ((size_t)p * 2 + (size_t)mode) * 6 + (size_t)c;
                    double stretch = mode ? z : 1;
                    double strain  = c == 0 ? stretch : c < 3 ? -nu * stretch : 0;
                    assert_close(out.stress[at] / E, c == 0 ? stretch : 0, 1e-9);
                    assert_close(out.strain[at], strain, 1e-9);
                }
        }
        free(X);
        free(node);
        free(element);
        kl_system_free(&s);
        kl_mesh_destroy(m);
        kl_arena_destroy(arena);
        kl_diag_destroy(diag);
    }
}

/* the linear hexahedron's frequencies fall with the square of the element length to those of the
 * quadratic one, mode by mode, as CalculiX's C3D8I does */
static void linear_hexahedra_converge_with_second_order(void **unused)
{
    (void)unused;
    kl_vec3 size = kl_vec(1, 0.1, 0.08);
    double  fine = lowest(solid_box(KL_HEX20, 16, 2, 2, size, 0), NULL, NULL, 0);
    double  a    = lowest(solid_box(KL_HEX8, 8, 2, 2, size, 0), NULL, NULL, 0) / fine - 1,
           b     = lowest(solid_box(KL_HEX8, 16, 2, 2, size, 0), NULL, NULL, 0) / fine - 1;
    if (!(log2(a / b) > 1.8 && log2(a / b) < 2.4 && b < 0.01)) fail_msg("errors %g, %g", a, b);
}

/* one layer of linear bricks over the height bends like a beam: the element does not lock */
static void thin_cantilevers_do_not_lock(void **unused)
{
    (void)unused;
    const double L = 1, h = 0.02, b = 0.05;
    double euler = pow(1.8751040687, 2) / (2 * pi) * sqrt(2.1e11 * h * h / 12 / 7850) / (L * L);
    double hex   = lowest(solid_box(KL_HEX8, 40, 1, 1, kl_vec(L, b, h), 0), all_fixed, at_root, 0);
    double hex20 = lowest(solid_box(KL_HEX20, 10, 1, 1, kl_vec(L, b, h), 0), all_fixed, at_root, 0);
    double wedge =
        lowest(solid_box(KL_WEDGE15, 10, 1, 1, kl_vec(L, b, h), 0), all_fixed, at_root, 0);
    assert_close(hex / euler, 1, 0.02);
    assert_close(hex20 / euler, 1, 0.02);
    assert_close(wedge / euler, 1, 0.02);
}

/* Timoshenko beam: error falls with the fourth power of the element length */
static void beams_converge_with_fourth_order(void **unused)
{
    (void)unused;
    const double L = 1;
    double       f[4];
    for (int k = 0; k < 4; k++) f[k] = lowest(beam_line(2 << k, L, false), all_fixed, at_root, 2);
    double order = log2((f[1] - f[2]) / (f[2] - f[3]));
    if (!(order > 3.5)) fail_msg("order %g: %.9g %.9g %.9g %.9g", order, f[0], f[1], f[2], f[3]);
    /* slender: within shear and rotary inertia of the Euler-Bernoulli value */
    double I = 0.03 * pow(0.02, 3) / 12, A = 0.02 * 0.03;
    double euler = pow(1.8751040687, 2) / (2 * pi) * sqrt(2.1e11 * I / (7850 * A));
    double first = lowest(beam_line(16, L, false), all_fixed, at_root, 0);
    assert_true(first < euler && first > 0.998 * euler);
    /* turning the beam in space changes nothing */
    kl_mesh *straight = beam_line(8, L, false), *oblique = beam_line(8, L, true);
    double   a = lowest(straight, NULL, NULL, 0), c = lowest(oblique, NULL, NULL, 0);
    assert_close(a / c, 1, 1e-6);
}

static kl_mesh *plate(kl_shape shape, int n, double a, double t, double distort)
{
    kl_mesh *m = kl_mesh_create("plate");
    int      p = material_and_property(m, KL_SHELL, t), e = 0;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            kl_vec3 r = pushed(kl_vec((double)i / n, (double)j / n, 0.5), distort);
            kl_mesh_add_node(m, j * (n + 1) + i + 1, kl_vec(a * r.x, a * r.y, 0));
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int v = j * (n + 1) + i, q[4] = {v, v + 1, v + n + 2, v + n + 1};
            if (shape == KL_QUAD4) kl_mesh_add_element(m, KL_QUAD4, ++e, p, q);
            else {
                kl_mesh_add_element(m, KL_TRI3, ++e, p, (const int[]){q[0], q[1], q[2]});
                kl_mesh_add_element(m, KL_TRI3, ++e, p, (const int[]){q[0], q[2], q[3]});
            }
        }
    return m;
}

static double on_edge(kl_vec3 x)
{
    return x.x < 1e-9 || x.y < 1e-9 || x.x > 1 - 1e-9 || x.y > 1 - 1e-9;
}

/* simply supported square plate: w11 = 2 pi^2 / a^2 sqrt(D / rho t) (Leissa 1969) */
static void plates_converge_to_the_closed_form(void **unused)
{
    (void)unused;
    const unsigned char held[6] = {1, 1, 1, 0, 0, 0};
    const double        t = 0.005, D = 2.1e11 * t * t * t / (12 * (1 - 0.09));
    double              exact = 2 * pi * pi * sqrt(D / (7850 * t)) / (2 * pi);
    for (int shape = KL_TRI3; shape <= KL_QUAD4; shape++) {
        double f[3];
        for (int k = 0; k < 3; k++)
            f[k] = lowest(plate((kl_shape)shape, 4 << k, 1, t, 0), held, on_edge, 0);
        for (int k = 0; k < 2; k++) assert_true(fabs(f[k + 1] - exact) < 0.4 * fabs(f[k] - exact));
        assert_close(f[2] / exact, 1, 0.01);
        /* a distorted mesh stays near */
        assert_close(lowest(plate((kl_shape)shape, 16, 1, t, 0.03), held, on_edge, 0) / exact, 1,
                     0.015);
    }
}

/* in-plane constant strain and constant curvature are exact on a distorted patch */
static void shells_pass_the_patch_test(void **unused)
{
    (void)unused;
    for (int shape = KL_TRI3; shape <= KL_QUAD4; shape++)
        for (int load = 0; load < 2; load++) {
            kl_mesh  *m = plate((kl_shape)shape, 3, 1, 0.01, 0.2);
            kl_system s;
            system_of(m, KL_MASS_CONSISTENT, &s);
            double *u = calloc((size_t)s.ndof, sizeof(double)),
                   *f = calloc((size_t)s.ndof, sizeof(double)), scale[2] = {0, 0};
            for (int d = 0; d < s.ndof; d++) {
                kl_vec3 x = s.x[s.dof_node[d]];
                /* membrane: u = ax + by, v = cx + dy, rotation (c - b)/2; bending: w = quadratic,
                 * th_x = w_y, th_y = -w_x */
                double in[6]  = {1e-3 * x.x + 2e-3 * x.y, 5e-4 * x.x - 7e-4 * x.y, 0, 0, 0,
                                 0.5 * (5e-4 - 2e-3)};
                double out[6] = {0,
                                 0,
                                 0.5 * x.x * x.x - 0.3 * x.y * x.y + 0.4 * x.x * x.y,
                                 -0.6 * x.y + 0.4 * x.x,
                                 -(x.x + 0.4 * x.y),
                                 0};
                u[d]          = load ? out[s.dof_component[d]] : in[s.dof_component[d]];
            }
            kl_symmetric_multiply(&s.K, 1, u, f);
            for (int d = 0; d < s.ndof; d++) {
                double *most = &scale[s.dof_component[d] > 2];
                *most        = fmax(*most, fabs(f[d]));
            }
            double size = fmax(scale[0], scale[1]);
            for (int d = 0; d < s.ndof; d++) {
                kl_vec3 x = s.x[s.dof_node[d]];
                if (on_edge(x) == 0 && fabs(f[d]) > 1e-10 * size)
                    fail_msg("%s, load %d: node %d component %d left with %g of %g",
                             kl_shape_info_of((kl_shape)shape)->name, load, s.dof_node[d],
                             s.dof_component[d], f[d], size);
            }
            free(u);
            free(f);
            kl_system_free(&s);
            kl_mesh_destroy(m);
        }
}

/* plies of one material are the plain shell; a symmetric cross-ply bends stiffer along its outer
 * plies */
static void laminates_reduce_to_the_plain_shell(void **unused)
{
    (void)unused;
    kl_mesh *m = one_shell(KL_QUAD4, 0.1, 0.03), *l = one_shell(KL_QUAD4, 0.1, 0.03);
    kl_ply   plies[3]     = {{0, 0.01, 0.3}, {0, 0.012, -0.7}, {0, 0.008, 1.2}};
    l->property[0].kind   = KL_LAMINATE;
    l->property[0].bottom = NAN;
    l->property[0].nply   = 3;
    l->property[0].ply    = plies;
    kl_fe_element a, b;
    double        Ka[24 * 24], Kb[24 * 24], Ma[24 * 24], Mb[24 * 24];
    kl_fe_gather(m, KL_QUAD4, 0, &a);
    kl_fe_gather(l, KL_QUAD4, 0, &b);
    assert_int_equal(kl_shell_stiffness(&a, NULL, Ka), KL_OK);
    assert_int_equal(kl_shell_stiffness(&b, NULL, Kb), KL_OK);
    assert_int_equal(kl_shell_mass(&a, NULL, KL_MASS_CONSISTENT, Ma), KL_OK);
    assert_int_equal(kl_shell_mass(&b, NULL, KL_MASS_CONSISTENT, Mb), KL_OK);
    for (int i = 0; i < 24 * 24; i++) {
        assert_close(Ka[i], Kb[i], 1e-9 * Ka[0]);
        assert_close(Ma[i], Mb[i], 1e-9 * Ma[0]);
    }
    kl_mesh_destroy(m);
    kl_mesh_destroy(l);
}

/* property 0 becomes a laminate of carbon plies, which name material 0 = the ply's */
static void carbon(kl_mesh *m, int n, const kl_ply *plies)
{
    static kl_ply list[8];
    kl_material   ply = {.name = "ply",
                         .kind = KL_ORTHOTROPIC,
                         .rho  = 1600,
                         .E1   = 140e9,
                         .E2   = 10e9,
                         .nu12 = 0.3,
                         .G12  = 5e9,
                         .G13  = 5e9,
                         .G23  = 5e9};
    int           i   = kl_mesh_add_material(m, &ply);
    for (int k = 0; k < n; k++) list[k] = plies[k], list[k].material = i;
    for (int shape = KL_TRI3; shape <= KL_QUAD4; shape++)
        for (int e = 0; e < m->block[shape].n; e++)
            m->block[shape].angle[e] = kl_shell_angle(m, (kl_shape)shape, e, kl_vec(1, 0, 0));
    m->property[0].kind = KL_LAMINATE, m->property[0].bottom = NAN, m->property[0].nply = n,
    m->property[0].ply = list;
}

/* plies that couple stretch and bending: still six rigid motions and no other, flat or warped, and
 * constant strains and curvatures together leave inner nodes in balance */
static void unbalanced_laminates_have_six_rigid_motions_and_pass_the_patch_test(void **unused)
{
    (void)unused;
    const kl_ply plies[3] = {{0, 0.004, 0.4}, {0, 0.003, -0.9}, {0, 0.003, 1.3}};
    for (int shape = KL_TRI3; shape <= KL_QUAD4; shape++) {
        for (int warped = 0; warped < 2; warped++) {
            kl_mesh *m = one_shell((kl_shape)shape, warped ? 0.2 : 0, 0.01);
            carbon(m, 3, plies);
            assert_six_zero_modes(m, kl_shape_info_of((kl_shape)shape)->name);
            kl_mesh_destroy(m);
        }
        kl_mesh  *m = plate((kl_shape)shape, 3, 1, 0.01, 0.2);
        kl_system s;
        carbon(m, 3, plies);
        system_of(m, KL_MASS_CONSISTENT, &s);
        double *u = calloc(2 * (size_t)s.ndof, sizeof(double)), *f = u + s.ndof, size = 0;
        for (int d = 0; d < s.ndof; d++) {
            kl_vec3 x    = s.x[s.dof_node[d]];
            double  v[6] = {1e-3 * x.x + 2e-3 * x.y,
                            5e-4 * x.x - 7e-4 * x.y,
                            0.05 * x.x * x.x - 0.03 * x.y * x.y + 0.04 * x.x * x.y,
                            -0.06 * x.y + 0.04 * x.x,
                            -(0.1 * x.x + 0.04 * x.y),
                            0.5 * (5e-4 - 2e-3)};
            u[d]         = v[s.dof_component[d]];
        }
        kl_symmetric_multiply(&s.K, 1, u, f);
        for (int d = 0; d < s.ndof; d++) size = fmax(size, fabs(f[d]));
        for (int d = 0; d < s.ndof; d++)
            if (on_edge(s.x[s.dof_node[d]]) == 0 && fabs(f[d]) > 1e-10 * size)
                fail_msg("%s: component %d of node %d is left with %g of %g",
                         kl_shape_info_of((kl_shape)shape)->name, s.dof_component[d], s.dof_node[d],
                         f[d], size);
        free(u);
        kl_system_free(&s);
        kl_mesh_destroy(m);
    }
}

/* simply supported cross-ply plate [0/90]s: w = pi^2/a^2 sqrt((D11 + 2(D12 + 2 D66) + D22)/rho t)
 * (Jones, Mechanics of Composite Materials, section 5.5) */
static void cross_ply_plate_has_the_closed_form(void **unused)
{
    (void)unused;
    const unsigned char held[6] = {1, 1, 1, 0, 0, 0};
    const double        t = 0.004, E1 = 140e9, E2 = 10e9, nu = 0.3, G = 5e9, rho = 1600;
    double              d = 1 - nu * nu * E2 / E1, Q11 = E1 / d, Q22 = E2 / d, Q12 = nu * E2 / d;
    double              outer = t * t * t / 12 * 7 / 8, inner = t * t * t / 12 / 8;
    double              D11 = Q11 * outer + Q22 * inner, D22 = Q22 * outer + Q11 * inner,
           D12 = Q12 * (outer + inner), D66 = G * (outer + inner);
    double exact = pi * pi * sqrt((D11 + 2 * (D12 + 2 * D66) + D22) / (rho * t)) / (2 * pi);
    for (int shape = KL_TRI3; shape <= KL_QUAD4; shape++) {
        const kl_ply plies[4] = {
            {0, t / 4, 0}, {0, t / 4, pi / 2}, {0, t / 4, pi / 2}, {0, t / 4, 0}};
        double error[2];
        for (int k = 0; k < 2; k++) {
            kl_mesh *m = plate((kl_shape)shape, 8 << k, 1, t, 0);
            carbon(m, 4, plies);
            error[k] = fabs(lowest(m, held, on_edge, 0) / exact - 1);
        }
        if (!(error[1] < 0.4 * error[0]) || !(error[1] < 0.01))
            fail_msg("%s: errors %g, %g", kl_shape_info_of((kl_shape)shape)->name, error[0],
                     error[1]);
    }
}

/* a cube converges to itself: the error of the lowest frequency falls with order 2 (linear) */
static void cube_frequencies_converge_from_above(void **unused)
{
    (void)unused;
    kl_vec3 size = kl_vec(1, 1, 1);
    double  fine = lowest(solid_box(KL_HEX20, 4, 4, 4, size, 0), NULL, NULL, 0);
    double  h[3];
    for (int k = 0; k < 3; k++)
        h[k] = lowest(solid_box(KL_TET4, 2 << k, 2 << k, 2 << k, size, 0), NULL, NULL, 0);
    for (int k = 0; k < 2; k++) assert_true(h[k] > h[k + 1]);
    assert_true(h[2] > fine);
    double order = log2((h[0] - fine) / (h[1] - fine));
    assert_true(order > 1.2 && order < 2.5);
    double t1        = lowest(solid_box(KL_TET10, 2, 2, 2, size, 0), NULL, NULL, 0);
    double t2        = lowest(solid_box(KL_TET10, 4, 4, 4, size, 0), NULL, NULL, 0);
    double reference = lowest(solid_box(KL_HEX20, 6, 6, 6, size, 0), NULL, NULL, 0);
    assert_true(fabs(t2 - reference) < 0.2 * fabs(t1 - reference));
}

/* Lame's mode of a free block a x a x b: u = (cos kx sin ky, -sin kx cos ky, 0), k = pi/a, leaves
 * no stress on any face and has omega^2 = 2 k^2 G / rho exactly (Graff, Wave Motion in Elastic
 * Solids, section 8.1). The mode of the mesh that is most like it, and how far off it is. */
static double lame_error(kl_shape shape, int n)
{
    const double a = 1, b = 0.5, k = pi / a, G = 2.1e11 / 2.6, rho = 7850;
    kl_mesh     *m    = solid_box(shape, n, n, n / 2, kl_vec(a, a, b), 0);
    kl_diag     *diag = kl_diag_create();
    kl_system    s;
    kl_modes     modes;
    system_of(m, KL_MASS_CONSISTENT, &s);
    /* what does not move in it is held, which keeps other modes away */
    unsigned char *still = calloc((size_t)s.ndof, 1);
    for (int d = 0; d < s.ndof; d++) {
        kl_vec3 x      = s.x[s.dof_node[d]];
        double  beside = s.dof_component[d] == 0 ? x.y : x.x;
        still[d]       = s.dof_component[d] == 2 || beside < 1e-9 || beside > a - 1e-9;
    }
    kl_mode_options o = {.count = 4, .fixed = still};
    if (kl_modes_find(&s, &o, &modes, diag) != KL_OK) fail_msg("%s", kl_diag_at(diag, 0)->text);
    double *u = calloc(2 * (size_t)s.ndof, sizeof(double)), *Mu = u + s.ndof, most = 0, w2 = 0;
    for (int d = 0; d < s.ndof; d++) {
        kl_vec3 x = s.x[s.dof_node[d]];
        int     c = s.dof_component[d];
        u[d] = c == 0 ? cos(k * x.x) * sin(k * x.y) : c == 1 ? -sin(k * x.x) * cos(k * x.y) : 0;
    }
    kl_symmetric_multiply(&s.M, 1, u, Mu);
    for (int j = 0; j < modes.n; j++) {
        double like = fabs(kl_vdot(s.ndof, modes.vector + (size_t)j * (size_t)s.ndof, Mu));
        if (like > most) most = like, w2 = modes.omega2[j];
    }
    if (!(most > 0.9 * sqrt(kl_vdot(s.ndof, u, Mu))))
        fail_msg("%s: no mode is like Lame's: %g", kl_shape_info_of(shape)->name,
                 most / sqrt(kl_vdot(s.ndof, u, Mu)));
    free(u);
    free(still);
    kl_modes_free(&modes);
    kl_system_free(&s);
    kl_mesh_destroy(m);
    kl_diag_destroy(diag);
    return sqrt(w2 / (2 * k * k * G / rho)) - 1;
}

static void every_solid_converges_to_lames_mode_at_its_rate(void **unused)
{
    (void)unused;
    for (int e = 0; e < 6; e++) {
        bool   quadratic = kl_shape_info_of(solids[e])->nnode > 8;
        double coarse = lame_error(solids[e], 4), fine = lame_error(solids[e], 8);
        double order = log2(coarse / fine), expected = quadratic ? 4 : 2;
        if (!(fabs(order - expected) < 0.4) || !(fine > 0))
            fail_msg("%s: errors %g, %g, order %g", kl_shape_info_of(solids[e])->name, coarse, fine,
                     order);
    }
}

/* stretch, twist and constant curvature are exact along a line of unequal elements in space */
static void beams_pass_the_patch_test(void **unused)
{
    (void)unused;
    kl_vec3      along = kl_unit(kl_vec(1, 2, -0.5)), y, z;
    const double at[5] = {0, 0.1, 0.45, 0.6, 1};
    kl_mesh     *m     = kl_mesh_create("beam");
    int          p     = material_and_property(m, KL_BEAM, 0);
    kl_section_rectangle(&m->property[p], 0.02, 0.03);
    m->property[p].orientation = kl_vec(0, 0, 1);
    for (int i = 0; i < 5; i++) kl_mesh_add_node(m, i + 1, kl_scale(at[i], along));
    for (int i = 0; i < 4; i++) kl_mesh_add_element(m, KL_BEAM2, i + 1, p, (const int[]){i, i + 1});
    y = kl_unit(kl_cross(kl_vec(0, 0, 1), along)), z = kl_cross(along, y);
    kl_system s;
    system_of(m, KL_MASS_CONSISTENT, &s);
    double *u = calloc(2 * (size_t)s.ndof, sizeof(double)), *f = u + s.ndof;
    for (int load = 0; load < 4; load++) {
        for (int d = 0; d < s.ndof; d++) {
            double t = at[s.dof_node[d]];
            /* stretch, twist, curvature about z (rotation t z, motion t^2/2 y) and about y */
            kl_vec3 shift = load == 0   ? kl_scale(t, along)
                            : load == 2 ? kl_scale(0.5 * t * t, y)
                            : load == 3 ? kl_scale(-0.5 * t * t, z)
                                        : kl_vec(0, 0, 0);
            kl_vec3 turn  = load == 1   ? kl_scale(t, along)
                            : load == 2 ? kl_scale(t, z)
                            : load == 3 ? kl_scale(t, y)
                                        : kl_vec(0, 0, 0);
            double  v[6]  = {shift.x, shift.y, shift.z, turn.x, turn.y, turn.z};
            u[d]          = v[s.dof_component[d]];
        }
        kl_symmetric_multiply(&s.K, 1, u, f);
        const double E = 2.1e11, A = 0.02 * 0.03;
        double       size = 0, energy = kl_vdot(s.ndof, u, f);
        for (int d = 0; d < s.ndof; d++) size = fmax(size, fabs(f[d]));
        for (int d = 0; d < s.ndof; d++)
            if (s.dof_node[d] > 0 && s.dof_node[d] < 4) assert_close(f[d] / size, 0, 1e-9);
        /* twice the energy of a unit length: E A, E I about either axis */
        if (load == 0) assert_close(energy / (E * A), 1, 1e-10);
        double I[2] = {0.02 * pow(0.03, 3) / 12, 0.03 * pow(0.02, 3) / 12};
        if (load >= 2)
            assert_true(fabs(energy / (E * I[0]) - 1) < 1e-9 ||
                        fabs(energy / (E * I[1]) - 1) < 1e-9);
    }
    free(u);
    kl_system_free(&s);
    kl_mesh_destroy(m);
}

/* Twice the kinetic energy of one beam element that rotates with rate 1 about `axis` through its
 * middle: v = w x r at both nodes. */
static double twice_the_energy_of_rotation(const kl_fe_element *e, const double *M, kl_vec3 axis)
{
    double  u[12], sum = 0;
    kl_vec3 middle = kl_scale(0.5, kl_add(e->x[0], e->x[1]));
    for (int i = 0; i < 2; i++) {
        kl_vec3 v        = kl_cross(axis, kl_sub(e->x[i], middle));
        double  state[6] = {v.x, v.y, v.z, axis.x, axis.y, axis.z};
        memcpy(u + 6 * i, state, sizeof state);
    }
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) sum += u[i] * M[12 * i + j] * u[j];
    return sum;
}

/* A rotating beam b x h x L has 2 T = rho L (Iy + Iz) about its own axis and, about a transverse
 * axis, rho L (I + A L^2/12). Lumped masses lie at the ends: A L^2/4 takes the place of A L^2/12,
 * and the rotary inertia of the section stays. */
static void rotating_beams_have_the_rotary_inertia_of_their_section(void **unused)
{
    (void)unused;
    const double b = 0.1, h = 0.3, L = 0.2, rho = 7850, A = b * h;
    double       Iy = b * h * h * h / 12, Iz = h * b * b * b / 12;
    kl_vec3      x = kl_unit(kl_vec(1, 2, -0.5)), hint = kl_vec(0, 0, 1);
    kl_vec3      z = kl_unit(kl_cross(x, hint)), y = kl_cross(z, x);
    kl_mesh     *m = beam_line(1, L, true);
    kl_section_rectangle(&m->property[0], b, h);
    m->property[0].orientation = hint;
    kl_fe_element e;
    kl_fe_gather(m, KL_BEAM2, 0, &e);
    const kl_mass_rule rule[2]  = {KL_MASS_LUMPED, KL_MASS_CONSISTENT};
    const double       share[2] = {4, 12};
    for (int k = 0; k < 2; k++) {
        double M[144], along = A * L * L / share[k];
        assert_int_equal(kl_beam_mass(&e, NULL, rule[k], M), KL_OK);
        double about_x = twice_the_energy_of_rotation(&e, M, x) / (rho * L),
               about_y = twice_the_energy_of_rotation(&e, M, y) / (rho * L),
               about_z = twice_the_energy_of_rotation(&e, M, z) / (rho * L);
        assert_close(about_x / (Iy + Iz), 1, 1e-12);
        assert_close((about_y - along) / Iy, 1, 1e-11);
        assert_close((about_z - along) / Iz, 1, 1e-11);
    }
    kl_mesh_destroy(m);
}

/* Simply supported square plate under the load q sin(pi x) sin(pi y), Mindlin's theory with
 * l^2 = 2 pi^2 and shear stiffness S = 5/6 G t: w = W sin sin and rotations beta = B grad(w)/W,
 *   W/q = 1/(D l^4) + 1/(S l^2),   B = -W S/(S + D l^2),   2 U = q W/4.
 * At t/a = 0.2 shear has 18 % of the compliance: a shear factor of 1 raises the energy by 3.8 %. */
static double thick_plate_error(kl_shape shape, int n)
{
    const double t = 0.2, E = 2.1e11, nu = 0.3, l2 = 2 * pi * pi;
    const double D = E * t * t * t / (12 * (1 - nu * nu)), S = 5.0 / 6 * E / (2 * (1 + nu)) * t;
    double       turn = S / (S + D * l2), exact = 0.25 / (1 / (D * l2 * l2) + 1 / (S * l2));
    kl_mesh     *m = plate(shape, n, 1, t, 0);
    kl_system    s;
    system_of(m, KL_MASS_CONSISTENT, &s);
    double *u = calloc(2 * (size_t)s.ndof, sizeof(double)), *f = u + s.ndof;
    for (int d = 0; d < s.ndof; d++) {
        kl_vec3 x  = s.x[s.dof_node[d]];
        double  wx = pi * cos(pi * x.x) * sin(pi * x.y), wy = pi * sin(pi * x.x) * cos(pi * x.y);
        /* beta_x = theta_y, beta_y = -theta_x */
        double v[6] = {0, 0, sin(pi * x.x) * sin(pi * x.y), turn * wy, -turn * wx, 0};
        u[d]        = v[s.dof_component[d]];
    }
    kl_symmetric_multiply(&s.K, 1, u, f);
    double error = kl_vdot(s.ndof, u, f) / exact - 1;
    free(u);
    kl_system_free(&s);
    kl_mesh_destroy(m);
    return error;
}

static void thick_plates_have_the_shear_factor_of_mindlin(void **unused)
{
    (void)unused;
    for (int shape = KL_TRI3; shape <= KL_QUAD4; shape++) {
        double coarse = thick_plate_error((kl_shape)shape, 16),
               fine   = thick_plate_error((kl_shape)shape, 32);
        if (!(fabs(fine) < 0.004) || !(fabs(fine) < 0.3 * fabs(coarse)))
            fail_msg("%s: errors %g, %g", kl_shape_info_of((kl_shape)shape)->name, coarse, fine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solid_converges_to_lames_mode_at_its_rate),
        cmocka_unit_test(beams_pass_the_patch_test),
        cmocka_unit_test(every_solid_passes_the_patch_test),
        cmocka_unit_test(no_element_has_spurious_zero_modes),
        cmocka_unit_test(masses_add_up_and_stay_positive),
        cmocka_unit_test(thin_cantilevers_do_not_lock),
        cmocka_unit_test(lumped_mass_comes_from_below_and_consistent_mass_from_above),
        cmocka_unit_test(lumped_quadratic_elements_converge_to_the_closed_form),
        cmocka_unit_test(bending_energy_is_exact_on_one_layer),
        cmocka_unit_test(stress_modes_have_the_closed_forms),
        cmocka_unit_test(linear_hexahedra_converge_with_second_order),
        cmocka_unit_test(beams_converge_with_fourth_order),
        cmocka_unit_test(shells_pass_the_patch_test),
        cmocka_unit_test(plates_converge_to_the_closed_form),
        cmocka_unit_test(laminates_reduce_to_the_plain_shell),
        cmocka_unit_test(unbalanced_laminates_have_six_rigid_motions_and_pass_the_patch_test),
        cmocka_unit_test(cross_ply_plate_has_the_closed_form),
        cmocka_unit_test(cube_frequencies_converge_from_above),
        cmocka_unit_test(rotating_beams_have_the_rotary_inertia_of_their_section),
        cmocka_unit_test(thick_plates_have_the_shear_factor_of_mindlin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
