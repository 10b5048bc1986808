/* The whole matrix against differences of the whole residual, and what follows from it: Newton that
 * converges quadratically. One model with every kind of body, joints, forces, states, an element
 * without a tangent and a path. */
#include <stdlib.h>

#include "dynamics/matrix.h"
#include "unit/bodies/cloud.h"

static const char *const model_text =
    "klingel: 1\ngravity: [0.3, -0.2, -9.81]\n"
    "tracks: {line: {points: [[-4, 1, 0], [-2, 0, 1], [0, 0.5, 0.2], [2, 0, -0.5], [4, 1, 0]], "
    "spline: quintic}}\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [3, 4, 5, 0.3, -0.2, 0.4], center: [0.3, -0.2, 0.5]}\n"
    "  b: {mass: 1, inertia: [1, 2, 1.5], position: [1, 0.5, -0.2]}\n"
    "  p: {type: point, mass: 1.5, position: [0.2, 1, 0.4]}\n"
    "  f: {type: flexible, file: /tmp/kl_assembler.kbody, damping: 0.1, rayleigh: [0.2, 0.3]}\n"
    "  g: {type: flexible, file: /tmp/kl_assembler.kbody, stiffening: true}\n"
    "  w: {mass: 3, inertia: [2, 1, 2], position: [0.5, -0.7, 0.3], spin_axis: y}\n"
    "joints:\n"
    "  j1: {type: cylindrical, between: [a, b], at: [0, 1, 0], axis: [1, 0, 2]}\n"
    "  j2: {type: revolute, between: [b, f.node], at: [1, 1, 0], axis: [0, 1, 2]}\n"
    "  j3: {type: spherical, between: [g.triad, ground]}\n"
    "  way: {type: path, body: a, track: line, at: [0.1, 0.2, 0.4], follow: direction}\n"
    "forces:\n"
    "  k1: {type: bushing, between: [a, g.node], at: [0.3, 0, 0], stiffness: [50, 60, 70, 8, 9, "
    "10], "
    "damping: [2, 3, 4, 0.3, 0.4, 0.5]}\n"
    "  k4: {type: bushing, between: [w, b], at: [0.4, -0.6, 0.2], stiffness: [20, 30, 40, 5, 6, "
    "7], "
    "damping: [1, 2, 3, 0.2, 0.3, 0.4]}\n"
    "  k2: {type: series-spring-damper, between: [p, b], at: [[0.2, 1, 0.4], [1, 0.5, 0]], "
    "stiffness: 40, damping: 7, length: 0.4}\n"
    "  k3: {type: spring-damper, between: [p, f.triad], at: [[0.2, 1, 0.4], [0.3, -0.2, 0.5]], "
    "stiffness: 30, damping: 2, length: 0.7}\n"
    "  c: {type: controller, inputs: {x: j1.angle, v: j1.angular_speed, y: j1.displacement}, "
    "states: {e: 0.2}, outputs: {T: j1.torque, F: j1.force}, lua: \"T = sin(x) - 0.3*v*y + e*e; F "
    "= "
    "x*v - y + t; e_dot = x - e*v\"}\n";

enum { MOST = 120 };

typedef struct fixture {
    built           b;
    const kl_model *m;
    kl_state       *s, *moved;
    kl_work        *w;
    double          a[MOST], lambda[MOST], dx[MOST];
    kl_element_type plain; /* a spring without a tangent of its own */
} fixture;

/* A state off the constraints, everything moving. */
static fixture make(unsigned seed)
{
    cloud c = cloud_make(5);
    cloud_write(&c, "/tmp/kl_assembler.kbody");
    fixture f = {.b = must_build(model_text)};
    f.m       = f.b.model;
    f.s       = kl_state_create(f.m);
    f.moved   = kl_state_create(f.m);
    f.w       = kl_work_create(f.m);
    assert_true(f.m->nv + f.m->nz + f.m->nlam <= MOST);
    for (int i = 0; i < f.m->nv; i++) {
        f.a[i]    = noise(&seed);
        f.dx[i]   = 0.3 * noise(&seed);
        f.s->v[i] = 0.5 * noise(&seed);
    }
    kl_model_advance(f.m, f.s->q, f.dx, f.s->q);
    for (int k = 0; k < f.m->nlam; k++) f.lambda[k] = 3.0 * noise(&seed);
    for (int k = 0; k < f.m->nz; k++) f.s->z[k] = 0.2 * noise(&seed);
    f.s->t = 0.4;
    return f;
}

static void release(fixture *f)
{
    kl_state_destroy(f->s);
    kl_state_destroy(f->moved);
    kl_work_destroy(f->w);
    built_free(&f->b);
}

/* r, -f and Phi at a state. */
static void residual(fixture *f, const kl_state *s, const double *a, const double *lambda,
                     double *out)
{
    const kl_model *m = f->m;
    assert_int_equal(kl_eval(m, s, f->w), KL_OK);
    kl_eval_residual(m, f->w, a, lambda, out);
    for (int k = 0; k < m->nz; k++) out[m->nv + k] = -f->w->z_dot[k];
    for (int k = 0; k < m->nlam; k++) out[m->nv + m->nz + k] = f->w->phi[k];
}

/* change <- D change */
static void carry(const fixture *f, double *change)
{
    for (int i = 0; i < f->m->nbody; i++) {
        const kl_body *b = &f->m->body[i];
        if (b->type->carry) b->type->carry(b->data, f->dx + b->v, false, change + b->v, 1);
    }
}

/* The residual when unknown j has changed by `step`. */
static void residual_beside(fixture *f, kl_weights c, int j, double step, double *out)
{
    const kl_model *m       = f->m;
    double          d[MOST] = {0}, De[MOST] = {0}, a[MOST], lambda[MOST];
    memcpy(a, f->a, sizeof a);
    memcpy(lambda, f->lambda, sizeof lambda);
    kl_state_copy(f->moved, f->s);
    if (j < m->nv) {
        d[j] = De[j] = step;
        carry(f, De);
        kl_model_advance(m, f->s->q, d, f->moved->q);
        for (int k = 0; k < m->nv; k++) {
            f->moved->v[k] += c.damping * De[k];
            a[k] += c.mass * De[k];
        }
    } else if (j < m->nv + m->nz) {
        f->moved->z[j - m->nv] += step;
    } else {
        lambda[j - m->nv - m->nz] += step;
    }
    residual(f, f->moved, a, lambda, out);
    if (j >= m->nv && j < m->nv + m->nz) out[j] += c.state * step;
}

static void the_matrix_is_the_derivative_of_the_residual(void **unused)
{
    (void)unused;
    const double     step = 1e-6;
    const kl_weights c    = {.mass = 1.3, .stiffness = 1.0, .damping = 0.7, .state = 1.9};
    for (unsigned seed = 1; seed < 6; seed++) {
        fixture       f = make(seed);
        int           n = f.m->nv + f.m->nz + f.m->nlam;
        kl_assembler *x = kl_assembler_create(f.m, KL_COUPLED_BY_CONSTRAINTS);
        double        r[MOST], up[MOST], down[MOST];
        double       *column = calloc((size_t)n, sizeof *column);
        assert_non_null(x);
        assert_non_null(column);
        residual(&f, f.s, f.a, f.lambda, r);
        kl_assemble_matrix(f.m, f.s, f.w, x, c, f.a, f.lambda, f.dx);
        for (int j = 0; j < n; j++) {
            residual_beside(&f, c, j, step, up);
            residual_beside(&f, c, j, -step, down);
            memset(column, 0, (size_t)n * sizeof *column);
            for (int i = x->p.start[j]; i < x->p.start[j + 1]; i++)
                column[x->p.row[i]] = x->values[i];
            for (int i = 0; i < n; i++) {
                double slope = (up[i] - down[i]) / (2.0 * step);
                if (!(fabs(slope - column[i]) < 2e-6 * (1.0 + fabs(slope))))
                    fail_msg("entry (%d, %d) of %d: %.9g, differences say %.9g", i, j, n, column[i],
                             slope);
            }
        }
        free(column);
        kl_assembler_destroy(x);
        release(&f);
    }
}

static void assert_same_values(const kl_assembler *x, const kl_assembler *y)
{
    for (int i = 0; i < x->p.nnz; i++)
        if (!(fabs(x->values[i] - y->values[i]) < 1e-11 * (1.0 + fabs(x->values[i]))))
            fail_msg("value %d: %.12g and %.12g", i, x->values[i], y->values[i]);
}

/* Tangents that were kept serve other weights, and those that are made again belong to the new state. */
static void kept_tangents_are_those_of_their_state(void **unused)
{
    (void)unused;
    const kl_weights first = {.mass = 1.3, .stiffness = 1.0, .damping = 0.7, .state = 1.9},
                     other = {.mass = 9.0, .stiffness = 1.0, .damping = 3.1, .state = 4.0};
    fixture       f        = make(2);
    kl_assembler *x        = kl_assembler_create(f.m, KL_COUPLED_BY_CONSTRAINTS),
                 *kept     = kl_assembler_create(f.m, KL_COUPLED_BY_CONSTRAINTS);
    unsigned char *none = calloc((size_t)f.m->nbody, 1), *all = malloc((size_t)f.m->nbody);
    double         r[MOST];
    assert_true(x && kept && none && all);
    memset(all, 1, (size_t)f.m->nbody);
    residual(&f, f.s, f.a, f.lambda, r);
    kl_assemble_matrix(f.m, f.s, f.w, x, first, f.a, f.lambda, f.dx);
    assert_int_equal(kl_assemble_kept(f.m, f.s, f.w, kept, first, f.a, f.lambda, f.dx, none), 0);
    assert_same_values(x, kept);
    kl_assemble_matrix(f.m, f.s, f.w, x, other, f.a, f.lambda, f.dx);
    assert_int_equal(kl_assemble_kept(f.m, f.s, f.w, kept, other, f.a, f.lambda, f.dx, none), 0);
    assert_same_values(x, kept);

    /* kept ones do not follow the motion until they are asked to */
    const kl_element *e = &f.m->element[0];
    for (int i = 0; strcmp(e->name, "k4") != 0; i++) e = &f.m->element[i];
    int w       = f.m->body[f.m->marker[e->marker].body].v,
        b       = f.m->body[f.m->marker[e->marker + 1].body].v;
    int    slot = kl_pattern_slot(&x->p, w, b + 3);
    double was  = kept->values[slot];
    for (int i = 0; i < f.m->nv; i++) f.dx[i] += 0.1;
    kl_model_advance(f.m, f.s->q, f.dx, f.s->q);
    residual(&f, f.s, f.a, f.lambda, r);
    kl_assemble_matrix(f.m, f.s, f.w, x, other, f.a, f.lambda, f.dx);
    assert_int_equal(kl_assemble_kept(f.m, f.s, f.w, kept, other, f.a, f.lambda, f.dx, none), 0);
    assert_true(slot >= 0 && fabs(kept->values[slot] - was) < 1e-12 &&
                fabs(x->values[slot] - was) > 1e-3);
    assert_int_equal(kl_assemble_kept(f.m, f.s, f.w, kept, other, f.a, f.lambda, f.dx, all), 0);
    assert_same_values(x, kept);
    free(none);
    free(all);
    kl_assembler_destroy(x);
    kl_assembler_destroy(kept);
    release(&f);
}

/* One implicit step: v = c1 dx, a = c2 dx, state (z - z0) = f, Phi = 0. Newton with the whole matrix
 * takes its error from e to C e^2. */
static void newton_with_the_whole_matrix_is_quadratic(void **unused)
{
    (void)unused;
    enum { PASSES = 12 };
    const kl_weights c     = {.mass = 400.0, .stiffness = 1.0, .damping = 20.0, .state = 20.0};
    fixture          f     = make(3);
    const kl_model  *m     = f.m;
    kl_matrix       *x     = kl_matrix_create(m, KL_COUPLED_BY_CONSTRAINTS);
    kl_state        *start = kl_state_create(m);
    double           y[MOST], size[PASSES] = {0};
    assert_non_null(x);
    assert_non_null(start);
    memset(f.dx, 0, sizeof f.dx);
    memset(f.lambda, 0, sizeof f.lambda);
    kl_state_copy(f.s, start);
    int last = 0;
    for (int k = 0; k < PASSES; k++, last = k) {
        kl_model_advance(m, start->q, f.dx, f.s->q);
        for (int i = 0; i < m->nv; i++) f.s->v[i] = c.damping * f.dx[i], f.a[i] = c.mass * f.dx[i];
        residual(&f, f.s, f.a, f.lambda, y);
        for (int i = 0; i < m->nz; i++) y[m->nv + i] += c.state * (f.s->z[i] - start->z[i]);
        assert_int_equal(kl_matrix_factor(m, f.s, f.w, x, c, f.a, f.lambda, f.dx), KL_OK);
        for (int i = 0; i < kl_matrix_size(x); i++) y[i] = -y[i];
        assert_int_equal(kl_matrix_solve_exact(x, y), KL_OK);
        carry(&f, y);
        for (int i = 0; i < m->nv; i++) f.dx[i] += y[i], size[k] = fmax(size[k], fabs(y[i]));
        for (int i = 0; i < m->nz; i++) f.s->z[i] += y[m->nv + i];
        for (int i = 0; i < m->nlam; i++) f.lambda[i] += y[m->nv + m->nz + i];
        print_message("  change %d: %.3e\n", k + 1, size[k]);
        if (size[k] < 1e-13) break;
    }
    /* the last three changes that are well above rounding */
    assert_true(last < PASSES);
    int k = last;
    while (k > 1 && size[k] < 1e-13) k--;
    double order = log(size[k] / size[k - 1]) / log(size[k - 1] / size[k - 2]);
    print_message("  order %.2f\n", order);
    assert_true(order > 1.7);
    kl_matrix_destroy(x);
    kl_state_destroy(start);
    release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_is_the_derivative_of_the_residual),
        cmocka_unit_test(kept_tangents_are_those_of_their_state),
        cmocka_unit_test(newton_with_the_whole_matrix_is_quadratic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
