/* Evaluation of a few bodies and what holds on to them, against that of all. */
#include <string.h>

#include "dynamics/work.h"
#include "unit/build_model.h"

/* A chain of bodies, each on the next; the first and the last are joined. */
static const char *const chain =
    "klingel: 1\ngravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [3, 4, 5, 0.3, -0.2, 0.4], center: [0.3, -0.2, 0.5]}\n"
    "  b: {mass: 1, inertia: [1, 2, 1.5], position: [1, 0.5, -0.2]}\n"
    "  c: {type: point, mass: 1.5, position: [0.2, 1, 0.4]}\n"
    "  d: {mass: 3, inertia: [2, 1, 2], position: [0.5, -0.7, 0.3]}\n"
    "forces:\n"
    "  ab: {type: bushing, between: [a, b], at: [0.3, 0, 0], stiffness: [50, 60, 70, 8, 9, 10], "
    "damping: 2}\n"
    "  bc: {type: series-spring-damper, between: [c, b], at: [[0.2, 1, 0.4], [1, 0.5, 0]], "
    "stiffness: 40, "
    "damping: 7, length: 0.4}\n"
    "  cd: {type: spring-damper, between: [c, d], at: [[0.2, 1, 0.4], [0.3, -0.2, 0.5]], "
    "stiffness: 30, "
    "damping: 2, length: 0.7}\n"
    "joints:\n"
    "  ad: {type: spherical, between: [a, d], at: [0.3, -0.2, 0.5]}\n";

enum { A = 1, B, C, D, BODIES };

static void move(const kl_model *m, kl_state *s, double size)
{
    double dx[64];
    for (int k = 0; k < m->nv; k++) {
        dx[k] = size * (k % 5 - 2);
        s->v[k] += 3.0 * size * (k % 3 - 1);
    }
    kl_model_advance(m, s->q, dx, s->q);
    for (int k = 0; k < m->nz; k++) s->z[k] += size;
}

static void a_part_has_the_residual_of_the_whole(void **unused)
{
    (void)unused;
    built           b      = must_build(chain);
    const kl_model *m      = b.model;
    kl_state       *s      = kl_state_create(m);
    kl_state       *before = kl_state_create(m);
    kl_work        *whole = kl_work_create(m), *w = kl_work_create(m);
    double          all[64], old[64], r[64], a[64], lambda[3] = {1.0, -2.0, 3.0};
    assert_true(m->nv <= 64 && m->nz > 0 && m->nlam == 3);
    for (int k = 0; k < m->nv; k++) a[k] = 0.1 * k;
    /* each pair of bodies, and how many elements hold on to it */
    static const int pair[][3] = {{A, A, 2}, {B, B, 2}, {C, D, 3}, {A, D, 3}, {B, D, 4}};
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        unsigned char part[BODIES] = {0};
        int           count;
        part[pair[k][0]] = part[pair[k][1]] = 1;
        assert_int_equal(kl_eval(m, s, w), KL_OK);
        double state = w->z_dot[0];
        kl_eval_residual(m, w, a, lambda, old);
        kl_state_copy(before, s);
        move(m, s, 0.01);
        assert_int_equal(kl_eval(m, s, whole), KL_OK);
        kl_eval_residual(m, whole, a, lambda, all);
        assert_int_equal(kl_eval_part(m, s, w, part, &count), KL_OK);
        kl_eval_part_residual(m, w, part, a, lambda, r);
        assert_int_equal(count, pair[k][2]);
        for (int i = 0; i < m->nbody; i++)
            for (int c = m->body[i].v; c < m->body[i].v + m->body[i].nv; c++)
                assert_true(r[c] == (part[i] ? all[c] : 0.0));
        for (int c = 0; part[A] + part[D] > 0 && c < m->nlam; c++)
            assert_true(w->phi[c] == whole->phi[c]);
        assert_true(w->z_dot[0] == (part[B] || part[C] ? whole->z_dot[0] : state));
        /* what the stages have done is forgotten: the state of before is evaluated again */
        assert_int_equal(kl_eval(m, before, w), KL_OK);
        kl_eval_residual(m, w, a, lambda, r);
        assert_memory_equal(r, old, (size_t)m->nv * sizeof *r);
    }
    kl_state_destroy(s);
    kl_state_destroy(before);
    kl_work_destroy(w);
    kl_work_destroy(whole);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_part_has_the_residual_of_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
