/* Stress at the faces of shells, of plies and at the fibres of beams, against fields of pure
 * bending whose stress is known: plates, classical lamination theory, beams. */
#include "unit/test.h"

#include <stdlib.h>

#include "fe/assemble.h"
#include "mesh/read.h"
#include "reduce/stress_modes.h"

enum { NX = 4 };
static const double E = 2.1e11, NU = 0.3, T = 0.012, KAPPA = 0.7;

typedef struct found {
    kl_kbody_stress out;
    kl_arena       *arena;
    kl_system       s;
    kl_mesh        *m;
} found;

/* Strip of 4 x 1 quadrilaterals (or pairs of triangles) in the plane; every second one is numbered
 * the other way round, so that its normal points down. */
static kl_mesh *strip(kl_shape shape, const kl_property *property, bool flip)
{
    kl_mesh    *m     = kl_mesh_create("strip");
    kl_material steel = {.name = "steel", .kind = KL_ISOTROPIC, .E = E, .nu = NU, .rho = 7850};
    kl_material fibre = {.name = "fibre",
                         .kind = KL_ORTHOTROPIC,
                         .E1   = 140e9,
                         .E2   = 10e9,
                         .nu12 = 0.3,
                         .G12  = 5e9,
                         .rho  = 1600};
    kl_mesh_add_material(m, &steel);
    kl_mesh_add_material(m, &fibre);
    int p = kl_mesh_add_property(m, property);
    for (int i = 0; i <= NX; i++)
        for (int j = 0; j < 2; j++) kl_mesh_add_node(m, 1 + 2 * i + j, kl_vec(0.1 * i, 0.1 * j, 0));
    for (int i = 0; i < NX; i++) {
        int  a = 2 * i, up[4] = {a, a + 2, a + 3, a + 1}, down[4] = {a, a + 1, a + 3, a + 2};
        int *q = flip && i % 2 ? down : up, first[3] = {q[0], q[1], q[2]},
            second[3] = {q[0], q[2], q[3]};
        if (shape == KL_QUAD4) kl_mesh_add_element(m, shape, 10 + i, p, q);
        else {
            kl_mesh_add_element(m, shape, 10 + 2 * i, p, first);
            kl_mesh_add_element(m, shape, 11 + 2 * i, p, second);
        }
    }
    assert_int_equal(kl_mesh_finish(m, NULL), KL_OK);
    return m;
}

static found recover(kl_mesh *m, bool anticlastic, kl_stress_points where)
{
    found f = {.m = m, .arena = kl_arena_create()};
    assert_int_equal(kl_fe_assemble(m, KL_MASS_CONSISTENT, &f.s, NULL), KL_OK);
    double *X = calloc((size_t)f.s.ndof, sizeof *X), nu = anticlastic ? NU : 0;
    for (int d = 0; d < f.s.ndof; d++) {
        /* w = -kappa x^2/2 + nu kappa y^2/2: exx = kappa z, eyy = -nu kappa z */
        kl_vec3      x         = f.s.x[f.s.dof_node[d]];
        const double motion[6] = {
            0, 0, KAPPA * (nu * x.y * x.y - x.x * x.x) / 2, nu * KAPPA * x.y, KAPPA * x.x, 0};
        X[d] = motion[f.s.dof_component[d]];
    }
    int *node = calloc((size_t)m->nnode, sizeof *node);
    for (int i = 0; i < m->nnode; i++) node[i] = i;
    where.nnode = m->nnode, where.node = node;
    assert_int_equal(kl_stress_modes(m, &f.s, &where, 1, X, f.arena, &f.out, NULL), KL_OK);
    free(node);
    free(X);
    return f;
}

static void found_free(found *f)
{
    kl_arena_destroy(f->arena);
    kl_system_free(&f->s);
    kl_mesh_destroy(f->m);
}

static void both_faces_of_a_bent_plate_carry_what_plate_theory_says(void **unused)
{
    (void)unused;
    const kl_property p = {.name = "sheet", .kind = KL_SHELL, .material = 0, .thickness = T};
    for (int kind = 0; kind < 4; kind++) {
        found f = recover(strip(kind % 2 ? KL_TRI3 : KL_QUAD4, &p, kind >= 2), true,
                          (kl_stress_points){.all_faces = true});
        assert_int_equal(f.out.n, 2 * f.m->nnode);
        for (int k = 0; k < f.out.n; k++) {
            const double *s = f.out.stress + 6 * k, top = E * KAPPA * T / 2;
            assert_int_equal(f.out.layer[k], 0);
            /* the side is that of the first element around a node; its sign must not cancel */
            int side = kind >= 2 && s[0] * f.out.face[k] < 0 ? -1 : 1;
            assert_close(s[0] / top, side * f.out.face[k], 1e-6);
            for (int c = 1; c < 6; c++) assert_close(s[c] / top, 0, 1e-6);
            assert_close(f.out.strain[6 * k + 1] / (KAPPA * T / 2), -NU * side * f.out.face[k],
                         1e-6);
        }
        found_free(&f);
    }
    /* one side, as it is asked for: the middle of a bent plate carries nothing */
    found f = recover(strip(KL_QUAD4, &p, false), true, (kl_stress_points){.side = 0});
    assert_int_equal(f.out.n, f.m->nnode);
    assert_null(f.out.face);
    for (int k = 0; k < f.out.n; k++) assert_close(f.out.stress[6 * k] / 1e6, 0, 1e-6);
    found_free(&f);
}

/* sigma = Q z kappa in each ply, Q11 = E/(1 - nu12 nu21) along and across the fibres */
static void faces_of_plies_carry_what_lamination_theory_says(void **unused)
{
    (void)unused;
    kl_ply            ply[3] = {{1, 0.002, 0}, {1, 0.004, KL_PI / 2}, {1, 0.003, 0}};
    const kl_property p      = {.name     = "stack",
                                .kind     = KL_LAMINATE,
                                .material = -1,
                                .bottom   = (double)NAN,
                                .nply     = 3,
                                .ply      = ply};
    found  f = recover(strip(KL_QUAD4, &p, false), false, (kl_stress_points){.all_faces = true});
    double share = 1 - 0.3 * 0.3 * 10.0 / 140.0, face[4] = {-0.0045, -0.0025, 0.0015, 0.0045};
    assert_int_equal(f.out.n, 6 * f.m->nnode);
    for (int k = 0; k < f.out.n; k++) {
        int    layer = f.out.layer[k];
        double z = face[layer - (f.out.face[k] < 0)], Q = (layer == 2 ? 10e9 : 140e9) / share;
        assert_close(f.out.stress[6 * k] / (Q * KAPPA * z), 1,
                     1e-5); /* a millionth of a ply inside */
    }
    found_free(&f);
}

/* Shells that meet at a right angle are not mixed: a plate that bends stays as it is where a wall
 * without stress stands on it. */
static void shells_across_each_other_are_not_averaged(void **unused)
{
    (void)unused;
    const kl_property p = {.name = "sheet", .kind = KL_SHELL, .material = 0, .thickness = T};
    kl_mesh          *m = strip(KL_QUAD4, &p, false);
    kl_mesh_add_node(m, 101, kl_vec(0.2, 0, 0.1));
    kl_mesh_add_node(m, 102, kl_vec(0.2, 0.1, 0.1));
    kl_mesh_add_element(m, KL_QUAD4, 50, 0, (const int[]){4, 5, 11, 10});
    assert_int_equal(kl_mesh_finish(m, NULL), KL_OK);
    found f       = recover(m, true, (kl_stress_points){.all_faces = true});
    int   at_foot = 0;
    for (int k = 0; k < f.out.n; k++) {
        if (f.out.node_id[k] != 5) continue;
        at_foot++;
        if (at_foot <= 2) assert_close(fabs(f.out.stress[6 * k]) / (E * KAPPA * T / 2), 1, 1e-6);
    }
    assert_int_equal(at_foot, 4);
    found_free(&f);
}

static void fibres_of_a_beam_carry_what_bending_and_pull_say(void **unused)
{
    (void)unused;
    kl_mesh    *m     = kl_mesh_create("beam");
    kl_material steel = {.name = "steel", .kind = KL_ISOTROPIC, .E = E, .nu = NU, .rho = 7850};
    kl_property p     = {.name = "bar", .kind = KL_BEAM, .material = 0, .orientation = {0, 1, 0}};
    kl_section_rectangle(&p, 0.03, 0.05); /* along y, along z */
    kl_mesh_add_material(m, &steel);
    int bar = kl_mesh_add_property(m, &p);
    for (int i = 0; i <= NX; i++) kl_mesh_add_node(m, i + 1, kl_vec(0.1 * i, 0, 0));
    for (int i = 0; i < NX; i++)
        kl_mesh_add_element(m, KL_BEAM2, i + 1, bar, (const int[]){i, i + 1});
    assert_int_equal(kl_mesh_finish(m, NULL), KL_OK);
    found f = recover(m, false, (kl_stress_points){0});
    assert_int_equal(f.out.n, 4 * (NX + 1));
    int seen[2] = {0, 0};
    for (int k = 0; k < f.out.n; k++) {
        assert_int_equal(f.out.layer[k], -1 - k % 4);
        double share = f.out.stress[6 * k] / (E * KAPPA * 0.025);
        assert_close(fabs(share), 1, 1e-9);
        seen[share > 0]++;
    }
    assert_int_equal(seen[0], seen[1]);
    found_free(&f);
}

/* A round rod of six curved sides, ten-node tetrahedra whose map is all but singular at corners on
 * the circle, bent as beam theory says: only sxx = -E kappa z. */
static void a_coarse_round_rod_carries_what_beam_theory_says(void **unused)
{
    (void)unused;
    found       f       = {.arena = kl_arena_create()};
    kl_material steel   = {.name = "steel", .kind = KL_ISOTROPIC, .E = E, .nu = NU, .rho = 7850};
    kl_property solid   = {.name = "all", .kind = KL_SOLID};
    double      squares = 0.0, misses = 0.0, other = 0.0, top = 0.0;
    assert_int_equal(kl_mesh_read(KL_SOURCE_DIR "/examples/fe-rod/rod.msh", NULL, &f.m, NULL),
                     KL_OK);
    solid.material = kl_mesh_add_material(f.m, &steel);
    int p          = kl_mesh_add_property(f.m, &solid);
    for (int e = 0; e < f.m->block[KL_TET10].n; e++) f.m->block[KL_TET10].property[e] = p;
    assert_int_equal(kl_fe_assemble(f.m, KL_MASS_LUMPED, &f.s, NULL), KL_OK);
    double *X    = calloc((size_t)f.s.ndof, sizeof *X);
    int    *node = calloc((size_t)f.m->nnode, sizeof *node);
    for (int d = 0; d < f.s.ndof; d++) {
        kl_vec3      x         = f.s.x[f.s.dof_node[d]];
        const double motion[3] = {-KAPPA * x.x * x.z, NU * KAPPA * x.y * x.z,
                                  KAPPA / 2 * (x.x * x.x + NU * (x.z * x.z - x.y * x.y))};
        X[d]                   = motion[f.s.dof_component[d]];
    }
    for (int i = 0; i < f.m->nnode; i++) node[i] = i;
    kl_stress_points where = {.nnode = f.m->nnode, .node = node};
    assert_int_equal(kl_stress_modes(f.m, &f.s, &where, 1, X, f.arena, &f.out, NULL), KL_OK);
    for (int k = 0; k < f.out.n; k++) {
        const double *s = f.out.stress + 6 * k, want = -E * KAPPA * f.out.position[k].z;
        squares += want * want;
        misses += (s[0] - want) * (s[0] - want);
        top = fmax(top, fabs(want));
        for (int c = 1; c < 6; c++) other = fmax(other, fabs(s[c]));
    }
    print_message("rod: sxx off by %.3g, others up to %.3g\n", sqrt(misses / squares), other / top);
    assert_true(sqrt(misses / squares) < 0.08); /* evaluated at the nodes: 0.48 and 3.9 */
    assert_true(other < 0.25 * top);
    free(node);
    free(X);
    found_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coarse_round_rod_carries_what_beam_theory_says),
        cmocka_unit_test(both_faces_of_a_bent_plate_carry_what_plate_theory_says),
        cmocka_unit_test(faces_of_plies_carry_what_lamination_theory_says),
        cmocka_unit_test(shells_across_each_other_are_not_averaged),
        cmocka_unit_test(fibres_of_a_beam_carry_what_bending_and_pull_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
