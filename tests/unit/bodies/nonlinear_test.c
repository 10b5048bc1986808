/* Nonlinear flexible bodies in a model: tangent, rigid motion, mass, statics, messages. */
#include <math.h>
#include <stdlib.h>

#include "dynamics/assembler.h"
#include "solve/simulation.h"
#include "solve/statics.h"
#include "unit/build_model.h"

#define BEAM(elements, parts)                                                                      \
    "{mesh: {box: [0.4 m, 20 mm, 50 mm], parts: " parts ", elements: " elements "}, "              \
    "material: {E: 2 GPa, nu: 0.3, density: 1000 kg/m3}, "                                         \
    "markers: {root: {set: x0, tie: rbe2}, tip: {set: x1, tie: rbe2}}}"

static const char clamped[] = "klingel: 1\ngravity: 0\n"
                              "bodies:\n  arm: {type: flexible, flexible: nonlinear, file: " BEAM(
                                  "hex8", "[8, 1, 2]") "}\n"
                                                       "joints:\n  clamp: {type: fixed, between: "
                                                       "[ground, arm.root]}\n"
                                                       "forces:\n  load: {type: force, on: "
                                                       "arm.tip, axis: z, value: 40 N}\n";

/* a sheet of shells between rigid edges, damped */
#define SHEET(elements)                                                                            \
    "klingel: 1\ngravity: 0\nbodies:\n  arm: {type: flexible, flexible: nonlinear, "               \
    "rayleigh: [3, 2e-4], file: {mesh: {box: [0.4 m, 0.1 m, 4 mm], parts: [4, 2, 0], "             \
    "elements: " elements "}, material: {E: 2 GPa, nu: 0.3, density: 1000 kg/m3}, "                \
    "markers: {root: {set: x0, tie: rbe2}, tip: {set: x1, tie: rbe2}}}}\n"                         \
    "joints:\n  clamp: {type: fixed, between: [ground, arm.root]}\n"

static const char damped[] =
    "klingel: 1\ngravity: 0\nbodies:\n  arm: {type: flexible, flexible: "
    "nonlinear, rayleigh: [3, 2e-4], file: " BEAM("hex8", "[3, 1, 1]") "}\n";

/* K and C of the assembler against differences of the residual, with rigid parts among the nodes; with
 * damping the part of K that velocities add is left out on purpose, so only C is compared then */
static void check_tangent(const char *text, bool at_rest)
{
    built         b  = must_build(text);
    kl_model     *m  = b.model;
    kl_state     *s  = kl_state_create(m);
    kl_work      *w  = kl_work_create(m);
    kl_assembler *x  = kl_assembler_create(m, KL_COUPLED_BY_CONSTRAINTS);
    double       *dx = calloc((size_t)m->nv, sizeof *dx), *q = calloc((size_t)m->nq, sizeof *q);
    double       *v = calloc((size_t)m->nv, sizeof *v);
    double  *r[2] = {calloc((size_t)m->nv, sizeof(double)), calloc((size_t)m->nv, sizeof(double))};
    unsigned seed = 3;
    for (int i = 0; i < m->nv; i++) dx[i] = 2e-3 * noise(&seed);
    kl_model_advance(m, s->q, dx, s->q);
    for (int i = 0; i < m->nv; i++) s->v[i] = v[i] = at_rest ? 0.0 : noise(&seed);
    memcpy(q, s->q, (size_t)m->nq * sizeof *q);
    memset(dx, 0, (size_t)m->nv * sizeof *dx);
    assert_int_equal(kl_eval(m, s, w), KL_OK);
    kl_eval_residual(m, w, NULL, NULL, r[0]);
    kl_weights weights = at_rest ? (kl_weights){.stiffness = 1.0} : (kl_weights){.damping = 1.0};
    kl_assemble_matrix(m, s, w, x, weights, NULL, NULL, NULL);
    double most = 0.0, off = 0.0, h = at_rest ? 1e-7 : 1e-3;
    for (int j = 0; j < m->nv; j++) {
        for (int side = 0; side < 2; side++) {
            double step = side ? -h : h;
            if (at_rest) {
                dx[j] = step;
                kl_model_advance(m, q, dx, s->q);
            } else s->v[j] = v[j] + step;
            assert_int_equal(kl_eval(m, s, w), KL_OK);
            kl_eval_residual(m, w, NULL, NULL, r[side]);
        }
        dx[j] = 0.0, s->v[j] = v[j];
        for (int i = 0; i < m->nv; i++) {
            int    slot = kl_pattern_slot(&x->p, i, j);
            double K    = slot >= 0 ? x->values[slot] : 0.0;
            most        = fmax(most, fabs(K));
            off         = fmax(off, fabs(K - (r[0][i] - r[1][i]) / (2 * h)));
        }
    }
    assert_true(most > 0.0);
    assert_true(off <= 1e-7 * most);
    free(dx), free(q), free(v), free(r[0]), free(r[1]);
    kl_assembler_destroy(x);
    kl_work_destroy(w);
    kl_state_destroy(s);
    built_free(&b);
}

static void the_assembled_tangent_is_the_derivative(void **state)
{
    (void)state;
    check_tangent(clamped, true);
    check_tangent(SHEET("quad4"), true);
    check_tangent(SHEET("tri3"), true);
}

/* gyroscopic terms of the rigid parts are tangents of the body, not of the damping: `a` is not given */
static void the_assembled_damping_is_the_derivative(void **state)
{
    (void)state;
    check_tangent(damped, false);
    check_tangent(SHEET("quad4"), false);
}

static double channel(kl_simulation *s, const char *name)
{
    int i = kl_channels_find(s->channels, name);
    if (i < 0) fail_msg("no channel %s", name);
    kl_moment now = {.a = s->solver->a, .lambda = s->solver->lambda};
    return kl_channels_eval(s->channels, s->model, s->solver->s, s->solver->w, &now)[i];
}

/* A free body that flies and spins: it keeps its shape but for the stretch of the spin, its centre
 * goes straight, and its mass is that of its volume. */
static void a_free_body_flies(void **state)
{
    (void)state;
    built          b    = must_build("klingel: 1\ngravity: 0\nrun: {end: 0.02 s, every: 0.02 s}\n"
                                                 "integrator: {tolerance: 1e-8}\n"
                                                 "bodies:\n  arm: {type: flexible, flexible: nonlinear, velocity: [1, 2, "
                                                 "3], omega: [0, 0, 0.1], orientation: {axis: y, angle: 30 deg}, "
                                                 "position: [1, 0, 0], file: " BEAM("tet10", "[2, 1, 1]") "}\n");
    kl_model      *m    = b.model;
    kl_simulation *s    = NULL;
    double         mass = 0.0;
    for (int i = 1; i < m->nbody; i++) {
        const kl_body *body = &m->body[i];
        double         M[36], v[6];
        double         cache[64];
        body->type->position(body->data, m->q0 + body->q, cache);
        body->type->velocity(body->data, m->v0 + body->v, cache);
        body->type->inertia(body->data, cache, M, v);
        mass += M[0];
    }
    assert_true(fabs(mass - 0.4) < 1e-12); /* 0.4 m x 20 mm x 50 mm x 1000 kg/m3 */
    assert_int_equal(kl_simulation_create(m, b.diag, &s), KL_OK);
    double    before[3] = {channel(s, "arm.center.x"), channel(s, "arm.center.y"),
                           channel(s, "arm.center.z")};
    kl_status status    = kl_simulation_start(s, b.diag);
    while (status == KL_OK && s->solver->s->t < 0.02) status = kl_simulation_step(s, 0.02, b.diag);
    if (status != KL_OK) print_messages(b.diag);
    assert_int_equal(status, KL_OK);
    static const char *const name[] = {"arm.center.x", "arm.center.y", "arm.center.z"};
    /* the centre of mass is 0.2 m along the turned x axis, and moves with w x r there */
    double arm = 0.2 * cos(acos(-1.0) / 6), v[3] = {1, 2 + 0.1 * arm, 3};
    for (int k = 0; k < 3; k++)
        assert_true(fabs(channel(s, name[k]) - before[k] - v[k] * 0.02) < 1e-10);
    assert_true(channel(s, "arm.elastic_energy") < 1e-6);
    kl_simulation_destroy(s);
    built_free(&b);
}

/* The clamped beam under its tip load: the same deflection as the equations of the elastica at small
 * load, and the tip turns with the rigid part that carries the load. */
static void statics_finds_the_bent_beam(void **state)
{
    (void)state;
    built          b = must_build(clamped);
    kl_simulation *s = NULL;
    kl_equilibrium e = {0};
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_find_equilibrium(s->solver, &e, b.diag), KL_OK);
    int    tip  = kl_model_find_body(b.model, "arm.tip");
    double down = s->solver->s->q[b.model->body[tip].q + 2];
    /* F L^3/(3 E I) + F L/(kappa G A), kappa = 5/6 */
    double I = 0.02 * 0.05 * 0.05 * 0.05 / 12, A = 0.02 * 0.05, G = 2e9 / 2.6;
    double exact = 40 * 0.064 / (3 * 2e9 * I) + 40 * 0.4 / (5.0 / 6.0 * G * A);
    assert_true(fabs(down - exact) < 0.04 * exact); /* the clamped end is held across too */
    kl_simulation_destroy(s);
    built_free(&b);
}

static void check_message(const char *text, const char *part)
{
    built b;
    assert_int_not_equal(try_build(text, &b), KL_OK);
    bool found = false;
    for (int i = 0; i < kl_diag_size(b.diag); i++)
        found |= strstr(kl_diag_at(b.diag, i)->text, part) != NULL;
    if (!found) print_messages(b.diag);
    assert_true(found);
    built_free(&b);
}

#define WITH(file)                                                                                 \
    "klingel: 1\nbodies:\n  a: {type: flexible, flexible: nonlinear, file: " file "}\n"
#define STEEL "E: 210 GPa, nu: 0.3, density: 7850 kg/m3"
#define BOX "mesh: {box: [1 m, 0.1 m, 0.1 m], parts: [2, 1, 1]}"

static void mistakes_are_told_with_a_remedy(void **state)
{
    (void)state;
    check_message(WITH("{" BOX ", material: {" STEEL ", yield: [[0, 300 MPa], [0.1, 250 MPa]]}}"),
                  "the yield stress falls from 300 to 250 MPa in row 2");
    check_message(WITH("{" BOX ", material: {" STEEL ", yield: [[0.1, 300 MPa]]}}"),
                  "the first row is at 0");
    check_message(WITH("{" BOX ", material: {" STEEL ", yield: 300 MPa, hardening: isotopic}}"),
                  "did you mean 'isotropic'");
    check_message(WITH("{" BOX ", material: {" STEEL "}, markers: {root: {set: x9, tie: rbe2}}}"),
                  "the mesh has no set 'x9'");
    check_message(WITH("{" BOX ", material: {" STEEL "}, markers: {r: {set: x0, tie: rbe2}, s: "
                       "{set: z0, tie: rbe2}}}"),
                  "a node can belong to only one marker");
    check_message(WITH("{" BOX "}"), "material");
    check_message(WITH("{mesh: {line: [[0, 0, 0], [1 m, 0, 0]]}, materials: {s: {" STEEL
                       "}}, sections: {line: {material: s, section: circle, radius: 5 mm}}}"),
                  "ten-node tetrahedra");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_assembled_tangent_is_the_derivative),
        cmocka_unit_test(the_assembled_damping_is_the_derivative),
        cmocka_unit_test(a_free_body_flies),
        cmocka_unit_test(statics_finds_the_bent_beam),
        cmocka_unit_test(mistakes_are_told_with_a_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
