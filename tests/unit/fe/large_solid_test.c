/* Solids with large strain: laws that hold for any element, not numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algebra/dense.h"
#include "fe/large_solid.h"

static double noise(unsigned *seed) /* -1..1 */
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static const kl_yield_row TABLE[] = {{0.0, 250e6}, {0.02, 300e6}, {0.1, 360e6}};

static kl_solid_law steel(kl_strain_kind strain, bool plastic, double isotropic)
{
    kl_solid_law law;
    kl_solid_law_elastic(210e9, 0.3, &law);
    law.strain = strain;
    if (plastic) law.nrow = 3, law.yield = TABLE, law.isotropic = isotropic;
    return law;
}

/* a distorted element of about one metre */
static void shape_element(kl_shape shape, double skew, kl_fe_element *e)
{
    unsigned seed = 7;
    *e            = (kl_fe_element){.shape = shape};
    int n         = kl_shape_info_of(shape)->nnode;
    for (int a = 0; a < n; a++) {
        double r[3];
        kl_shape_node(shape, a, r);
        e->x[a] = kl_vec(r[0] + skew * noise(&seed), 0.8 * r[1] + skew * noise(&seed),
                         1.2 * r[2] + 0.2 * r[0] + skew * noise(&seed));
    }
}

/* positions after a linear map with displacement gradient of about `size`, and noise */
static void deform(const kl_fe_element *e, int n, double size, double wild, unsigned seed,
                   kl_vec3 *x)
{
    double H[9];
    for (int i = 0; i < 9; i++) H[i] = size * noise(&seed);
    for (int a = 0; a < n; a++) {
        kl_vec3 X = e->x[a];
        x[a]      = kl_vec(X.x + H[0] * X.x + H[1] * X.y + H[2] * X.z + wild * noise(&seed),
                           X.y + H[3] * X.x + H[4] * X.y + H[5] * X.z + wild * noise(&seed),
                           X.z + H[6] * X.x + H[7] * X.y + H[8] * X.z + wild * noise(&seed));
    }
}

static kl_mat3 rotation(double a, double b)
{
    kl_mat3 Z = {{{cos(a), -sin(a), 0}, {sin(a), cos(a), 0}, {0, 0, 1}}};
    kl_mat3 X = {{{1, 0, 0}, {0, cos(b), -sin(b)}, {0, sin(b), cos(b)}}};
    return kl_matmul(&Z, &X);
}

typedef struct trial {
    kl_arena        *arena;
    kl_fe_element    e;
    kl_solid_law     law;
    kl_large_solid   s;
    kl_plastic_state old[KL_LARGE_POINTS];
} trial;

static void begin(trial *t, kl_shape shape, double skew, kl_solid_law law)
{
    memset(t, 0, sizeof *t);
    t->arena = kl_arena_create();
    t->law   = law;
    shape_element(shape, skew, &t->e);
    assert_int_equal(kl_large_solid_init(&t->e, &t->law, t->arena, &t->s), KL_OK);
}

static const kl_plastic_state *old_of(const trial *t) { return t->law.nrow ? t->old : NULL; }

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static const kl_shape SHAPES[2] = {KL_TET10, KL_HEX8};

/* the force turns with the body, and a rigid motion of the undeformed body gives none */
static void check_objectivity(kl_shape shape, kl_solid_law law, double size)
{
    trial           t;
    kl_large_answer one, two;
    kl_vec3         x[10], y[10];
    kl_mat3         R = rotation(2.1, -0.7);
    begin(&t, shape, 0.05, law);
    int n = t.s.nnode;
    deform(&t.e, n, size, 0.2 * size, 3, x);
    for (int a = 0; a < n; a++) y[a] = kl_add(kl_mul(&R, x[a]), kl_vec(3, -4, 5));
    assert_int_equal(kl_large_solid_eval(&t.s, x, old_of(&t), NULL, &one, NULL), KL_OK);
    assert_int_equal(kl_large_solid_eval(&t.s, y, old_of(&t), NULL, &two, NULL), KL_OK);
    double scale = largest(one.f, 3 * n), off = 0.0;
    for (int a = 0; a < n; a++) {
        kl_vec3 d = kl_sub(kl_load(two.f + 3 * a), kl_mul(&R, kl_load(one.f + 3 * a)));
        off       = fmax(off, kl_norm(d));
    }
    assert_true(off <= 1e-12 * scale);
    assert_true(fabs(one.stored - two.stored) <= 1e-12 * one.stored);
    for (int a = 0; a < n; a++) y[a] = kl_mul(&R, t.e.x[a]);
    assert_int_equal(kl_large_solid_eval(&t.s, y, old_of(&t), NULL, &two, NULL), KL_OK);
    assert_true(largest(two.f, 3 * n) <= 1e-12 * law.mu);
    kl_arena_destroy(t.arena);
}

static void rigid_motion_on_top_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        check_objectivity(SHAPES[i], steel(KL_STRAIN_LOGARITHMIC, false, 1), 0.3);
        check_objectivity(SHAPES[i], steel(KL_STRAIN_GREEN, false, 1), 0.3);
        check_objectivity(SHAPES[i], steel(KL_STRAIN_LOGARITHMIC, true, 0.4), 0.05);
    }
}

/* K against central differences of f; forces are in balance */
static void check_tangent(kl_shape shape, kl_solid_law law, double size, double tolerance)
{
    trial           t;
    kl_large_answer at, plus, minus;
    kl_vec3         x[10];
    double          K[900], D[900], h = 1e-6;
    begin(&t, shape, 0.05, law);
    int n = t.s.nnode, m = 3 * n;
    /* with a plastic history of its own */
    deform(&t.e, n, 0.5 * size, 0.1 * size, 11, x);
    if (law.nrow) {
        assert_int_equal(kl_large_solid_eval(&t.s, x, t.old, NULL, &at, NULL), KL_OK);
        kl_large_solid_commit(&t.s, x, t.old, at.mode, t.old);
        assert_true(t.old[0].a > 0.0);
    }
    deform(&t.e, n, size, 0.2 * size, 3, x);
    assert_int_equal(kl_large_solid_eval(&t.s, x, old_of(&t), NULL, &at, K), KL_OK);
    for (int j = 0; j < m; j++) {
        double *c = j % 3 == 0 ? &x[j / 3].x : j % 3 == 1 ? &x[j / 3].y : &x[j / 3].z, was = *c;
        *c = was + h;
        assert_int_equal(kl_large_solid_eval(&t.s, x, old_of(&t), at.mode, &plus, NULL), KL_OK);
        *c = was - h;
        assert_int_equal(kl_large_solid_eval(&t.s, x, old_of(&t), at.mode, &minus, NULL), KL_OK);
        *c = was;
        for (int i = 0; i < m; i++)
            D[i * m + j] = K[i * m + j] - (plus.f[i] - minus.f[i]) / (2 * h);
        for (int k = 0; k < 3; k++) {
            double sum = 0.0;
            for (int a = 0; a < n; a++) sum += at.f[3 * a + k];
            assert_true(fabs(sum) <= 1e-12 * largest(at.f, m));
        }
    }
    assert_true(largest(D, m * m) <= tolerance * largest(K, m * m));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++)
            assert_true(fabs(K[i * m + j] - K[j * m + i]) <= 1e-14 * largest(K, m * m));
    kl_arena_destroy(t.arena);
}

static void the_tangent_is_the_derivative(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        check_tangent(SHAPES[i], steel(KL_STRAIN_GREEN, false, 1), 0.3, 1e-8);
        check_tangent(SHAPES[i], steel(KL_STRAIN_LOGARITHMIC, false, 1), 0.3, 1e-8);
        check_tangent(SHAPES[i], steel(KL_STRAIN_LOGARITHMIC, false, 1), 1e-3, 1e-8);
        check_tangent(SHAPES[i], steel(KL_STRAIN_LOGARITHMIC, true, 1.0), 0.05, 1e-7);
        check_tangent(SHAPES[i], steel(KL_STRAIN_LOGARITHMIC, true, 0.0), 0.05, 1e-7);
        check_tangent(SHAPES[i], steel(KL_STRAIN_LOGARITHMIC, true, 0.3), 0.02, 1e-7);
    }
}

/* six rigid motions and no hourglass: eigenvalues of the tangent of the undeformed element */
static void only_rigid_motions_are_free(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        trial           t;
        kl_large_answer at;
        double          K[900], w[30];
        begin(&t, SHAPES[i], 0.05, steel(KL_STRAIN_LOGARITHMIC, false, 1));
        int m = 3 * t.s.nnode;
        assert_int_equal(kl_large_solid_eval(&t.s, t.e.x, NULL, NULL, &at, K), KL_OK);
        assert_int_equal(kl_symmetric_eigen(m, K, w), KL_OK);
        for (int k = 0; k < 6; k++) assert_true(fabs(w[k]) <= 1e-12 * w[m - 1]);
        assert_true(w[6] > 1e-3 * w[m - 1]);
        kl_arena_destroy(t.arena);
    }
}

/* The linear element at small displacement: K of fe/solid.c, for a brick to rounding, for a skew one
 * of the same enhanced modes up to how they are written. */
static void small_displacements_give_the_linear_element(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        trial           t;
        kl_large_answer at;
        kl_property     property = {.material = 0};
        kl_material     material = {.E = 210e9, .nu = 0.3, .rho = 7850};
        double          K[900], L[900];
        kl_fe_rules     rules;
        begin(&t, SHAPES[i], 0.0, steel(KL_STRAIN_LOGARITHMIC, false, 1));
        t.e.property = &property, t.e.material = &material;
        int m = 3 * t.s.nnode;
        kl_fe_rules_init(&rules, SHAPES[i]);
        assert_int_equal(kl_solid_stiffness(&t.e, &rules, L), KL_OK);
        assert_int_equal(kl_large_solid_eval(&t.s, t.e.x, NULL, NULL, &at, K), KL_OK);
        for (int k = 0; k < m * m; k++) assert_true(fabs(K[k] - L[k]) <= 1e-12 * largest(L, m * m));
        kl_arena_destroy(t.arena);
    }
}

/* ---- patch of distorted hexahedra ---- */

/* A cube of 2 x 2 x 2 elements whose middle node is anywhere: under a homogeneous deformation of the
 * surface the middle node follows, with the same stress in all points. */
static void a_patch_deforms_homogeneously(void **state)
{
    (void)state;
    kl_solid_law     law = steel(KL_STRAIN_LOGARITHMIC, false, 1);
    kl_vec3          X[27], x[27];
    const double     H[3][3] = {{0.10, 0.05, -0.02}, {0.03, -0.08, 0.04}, {-0.06, 0.02, 0.12}};
    unsigned         seed    = 5;
    kl_arena        *arena   = kl_arena_create();
    kl_large_solid   s[8];
    int              node[8][8];
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int k = 0; k < 27; k++) {
        X[k] = kl_vec(k % 3, (k / 3) % 3, k / 9);
        if (k == 13) X[k] = kl_vec(1.13, 0.86, 1.09);
        if (k == 4 || k == 10) X[k].x += 0.1 * noise(&seed); /* faces too */
        x[k] = X[k];
        x[k].x += H[0][0] * X[k].x + H[0][1] * X[k].y + H[0][2] * X[k].z;
        x[k].y += H[1][0] * X[k].x + H[1][1] * X[k].y + H[1][2] * X[k].z;
        x[k].z += H[2][0] * X[k].x + H[2][1] * X[k].y + H[2][2] * X[k].z;
    }
    for (int e = 0; e < 8; e++) {
        kl_fe_element f = {.shape = KL_HEX8};
        for (int a = 0; a < 8; a++) {
            int i = e % 2 + corner[a][0], j = (e / 2) % 2 + corner[a][1], k = e / 4 + corner[a][2];
            node[e][a] = i + 3 * j + 9 * k;
            f.x[a]     = X[node[e][a]];
        }
        assert_int_equal(kl_large_solid_init(&f, &law, arena, &s[e]), KL_OK);
    }
    /* Newton for the middle node alone, started beside its place; quadratic at the end */
    kl_vec3 exact = x[13];
    double  change[20], size = 1.0;
    int     passes = 0;
    x[13].x += 0.1, x[13].y -= 0.05;
    while (passes < 12 && size > 1e-13) {
        kl_mat3 K = {{{0}}};
        kl_vec3 f = {0, 0, 0};
        for (int e = 0; e < 8; e++)
            for (int a = 0; a < 8; a++) {
                kl_vec3         y[8];
                kl_large_answer at;
                double          Ke[576];
                if (node[e][a] != 13) continue;
                for (int b = 0; b < 8; b++) y[b] = x[node[e][b]];
                assert_int_equal(kl_large_solid_eval(&s[e], y, NULL, NULL, &at, Ke), KL_OK);
                f = kl_add(f, kl_load(at.f + 3 * a));
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++) K.m[i][j] += Ke[(3 * a + i) * 24 + 3 * a + j];
            }
        kl_mat3 inverse  = kl_inverse(&K);
        kl_vec3 d        = kl_mul(&inverse, f);
        x[13]            = kl_sub(x[13], d);
        change[passes++] = size = kl_norm(d);
    }
    assert_true(kl_norm(kl_sub(x[13], exact)) <= 1e-12);
    assert_true(passes <= 7);
    assert_true(change[passes - 2] < 30 * change[passes - 3] * change[passes - 3]);
    kl_large_point first[8], p[8];
    for (int e = 0; e < 8; e++) {
        kl_vec3         y[8];
        kl_large_answer at;
        for (int b = 0; b < 8; b++) y[b] = x[node[e][b]];
        assert_int_equal(kl_large_solid_eval(&s[e], y, NULL, NULL, &at, NULL), KL_OK);
        kl_large_solid_points(&s[e], y, NULL, at.mode, e ? p : first);
        for (int k = 0; k < 8; k++)
            for (int c = 0; c < 6; c++)
                assert_true(fabs((e ? p : first)[k].stress[c] - first[0].stress[c]) <=
                            1e-12 * law.mu);
    }
    kl_arena_destroy(arena);
}

/* ---- one-dimensional closed forms ---- */

/* A cube stretched along x with free sides: Newton on the lateral stretch. */
static double uniaxial(trial *t, double stretch, double *lateral, kl_large_answer *at)
{
    kl_vec3 x[10];
    double  l = *lateral, h = 1e-7, f[2];
    for (int pass = 0; pass < 30; pass++) {
        for (int k = 1; k >= 0; k--) {
            for (int a = 0; a < 8; a++) {
                double side = l + k * h;
                x[a]        = kl_vec(stretch * t->e.x[a].x, side * t->e.x[a].y, side * t->e.x[a].z);
            }
            assert_int_equal(kl_large_solid_eval(&t->s, x, old_of(t), NULL, at, NULL), KL_OK);
            f[k] = at->f[3 * 2 + 1];
        }
        double step = -f[0] * h / (f[1] - f[0]);
        l += step;
        if (fabs(step) < 1e-14) break;
    }
    *lateral = l;
    if (t->law.nrow) kl_large_solid_commit(&t->s, x, t->old, at->mode, t->old);
    double force = 0.0;
    for (int a = 0; a < 8; a++)
        if (t->e.x[a].x > 0) force += at->f[3 * a];
    return force;
}

static void cube(trial *t, kl_solid_law law)
{
    memset(t, 0, sizeof *t);
    t->arena = kl_arena_create();
    t->law   = law;
    t->e     = (kl_fe_element){.shape = KL_HEX8};
    for (int a = 0; a < 8; a++) {
        double r[3];
        kl_shape_node(KL_HEX8, a, r);
        t->e.x[a] = kl_vec(0.5 * r[0], 0.5 * r[1], 0.5 * r[2]);
    }
    assert_int_equal(kl_large_solid_init(&t->e, &t->law, t->arena, &t->s), KL_OK);
}

/* Hencky: the Kirchhoff stress is E ln(stretch), so the force on the unit cube is that over stretch. */
static void a_bar_of_hencky_material_has_the_closed_force(void **state)
{
    (void)state;
    trial           t;
    kl_large_answer at;
    cube(&t, steel(KL_STRAIN_LOGARITHMIC, false, 1));
    for (double stretch = 0.6; stretch < 2.0; stretch += 0.2) {
        double lateral = pow(stretch, -0.3), force = uniaxial(&t, stretch, &lateral, &at);
        assert_true(fabs(force - 210e9 * log(stretch) / stretch) <= 1e-7 * 210e9);
        assert_true(fabs(lateral - pow(stretch, -0.3)) <= 1e-10);
    }
    kl_arena_destroy(t.arena);
}

/* Beyond yield: true stress follows the table at the logarithmic plastic strain; reversal begins to yield
 * at minus the same stress (isotropic) or 2 Y0 below it (kinematic). */
static void check_bar(double isotropic)
{
    trial           t;
    kl_large_answer at;
    double          lateral = 1.0, unused;
    cube(&t, steel(KL_STRAIN_LOGARITHMIC, true, isotropic));
    for (int i = 1; i <= 50; i++) {
        double stretch = exp(0.001 * i), tau;
        tau            = uniaxial(&t, stretch, &lateral, &at) * stretch;
        double a       = t.old[0].a;
        assert_true(fabs(a - (0.001 * i - tau / 210e9)) <= 1e-7);
        if (a > 0) assert_true(fabs(tau - kl_yield_at(&t.law, a, &unused)) <= 1e-4 * tau);
    }
    double before = t.old[0].a, tau = 0.0, top = 0.0, found = NAN;
    for (int i = 1; i <= 60; i++) {
        double stretch = exp(0.05 - 0.0001 * i);
        tau            = uniaxial(&t, stretch, &lateral, &at) * stretch;
        if (i == 1) top = tau;
        if (isnan(found) && t.old[0].a > before + 1e-9) found = tau;
    }
    double Y        = kl_yield_at(&t.law, before, &unused);
    double expected = isotropic == 1.0 ? -Y : Y - 2 * 250e6;
    assert_true(top < Y);
    assert_true(fabs(found - expected) <= 25e6); /* one step of unloading */
    /* all work is stored or dissipated: force over the path against energies */
    assert_true(at.work > 0.0 && at.stored >= 0.0);
    kl_arena_destroy(t.arena);
}

static void a_bar_beyond_yield_follows_its_table(void **state)
{
    (void)state;
    check_bar(1.0);
    check_bar(0.0);
}

/* ---- no locking ---- */

/* Pure bending of one element six times as long as high: exact for a beam when nothing locks. Also with an incompressible
 * material. The element's end faces turn against each other; the moment is E I times the curvature. */
static double bending_ratio(double nu)
{
    trial           t;
    kl_large_answer at;
    kl_solid_law    law;
    kl_solid_law_elastic(1e6, nu, &law);
    memset(&t, 0, sizeof t);
    t.arena = kl_arena_create(), t.law = law;
    t.e = (kl_fe_element){.shape = KL_HEX8};
    kl_vec3 x[8];
    double  turn = 1e-6, moment = 0.0;
    for (int a = 0; a < 8; a++) {
        double r[3];
        kl_shape_node(KL_HEX8, a, r);
        t.e.x[a] = kl_vec(3 * r[0], 0.5 * r[1], 0.5 * r[2]);
        x[a]     = t.e.x[a];
        x[a].x -= 0.5 * turn * r[0] * t.e.x[a].z;
    }
    assert_int_equal(kl_large_solid_init(&t.e, &t.law, t.arena, &t.s), KL_OK);
    assert_int_equal(kl_large_solid_eval(&t.s, x, NULL, NULL, &at, NULL), KL_OK);
    for (int a = 0; a < 8; a++)
        if (t.e.x[a].x > 0) moment -= at.f[3 * a] * t.e.x[a].z;
    kl_arena_destroy(t.arena);
    return moment / (1e6 / 12.0 * turn / 6.0);
}

static void a_slender_hexahedron_bends_without_locking(void **state)
{
    (void)state;
    assert_true(fabs(bending_ratio(0.0) - 1.0) < 1e-5);
    assert_true(fabs(bending_ratio(0.3) - 1.0) < 0.15); /* the section keeps its shape across */
    assert_true(bending_ratio(0.4999) < 1.5);
}

static void an_inverted_element_is_refused(void **state)
{
    (void)state;
    trial           t;
    kl_large_answer at;
    kl_vec3         x[10];
    begin(&t, KL_TET10, 0.0, steel(KL_STRAIN_LOGARITHMIC, false, 1));
    for (int a = 0; a < 10; a++) x[a] = kl_vec(t.e.x[a].x, t.e.x[a].y, -t.e.x[a].z);
    assert_int_equal(kl_large_solid_eval(&t.s, x, NULL, NULL, &at, NULL), KL_RETRY);
    kl_arena_destroy(t.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_motion_on_top_changes_nothing),
        cmocka_unit_test(the_tangent_is_the_derivative),
        cmocka_unit_test(only_rigid_motions_are_free),
        cmocka_unit_test(small_displacements_give_the_linear_element),
        cmocka_unit_test(a_patch_deforms_homogeneously),
        cmocka_unit_test(a_bar_of_hencky_material_has_the_closed_force),
        cmocka_unit_test(a_bar_beyond_yield_follows_its_table),
        cmocka_unit_test(a_slender_hexahedron_bends_without_locking),
        cmocka_unit_test(an_inverted_element_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
