/* The contract of every body: its map, rates, biases, geometric terms, inertia and increments against differences. */
#include "unit/bodies/cloud.h"

#include "base/rotation.h"
#include "catalogue.h"
#include "dynamics/work.h"

static const char *const model_text =
    "klingel: 1\nbodies:\n"
    "  r: {mass: 2, inertia: [3, 4, 5, 0.3, -0.2, 0.4], center: [0.3, -0.2, 0.5]}\n"
    "  p: {type: point, mass: 1.5}\n"
    "  f: {type: flexible, file: /tmp/kl_contract.kbody, damping: 0.1, rayleigh: [0.2, 0.3]}\n"
    "  g: {type: flexible, file: /tmp/kl_contract.kbody, stiffening: true}\n"
    "  h: {type: flexible, file: /tmp/kl_contract.kbody, conditions: constrained, stiffening: true,\n"
    "      reference: principal-axis}\n"
    "  i: {type: flexible, file: /tmp/kl_contract.kbody, conditions: constrained, reference: mean-axis}\n"
    "  j: {type: flexible, file: /tmp/kl_contract.kbody, conditions: constrained, stiffening: true}\n"
    "  k: {type: flexible, file: /tmp/kl_contract.kbody, stiffening: true, reference: mean-axis}\n"
    "  l: {mass: 2, inertia: [3, 4, 5, 0.3, -0.2, 0.4], center: [0.3, -0.2, 0.5], spin_axis: [2, 1, -1]}\n"
    "  m: {mass: 2, inertia: [3, 5, 3], center: [0, 0.3, 0], spin_axis: y}\n"
    "joints:\n"
    "  gn: {type: fixed, between: [g.node, ground]}\n"
    "  gt: {type: fixed, between: [g.triad, ground]}\n"
    "  hn: {type: fixed, between: [h.node, ground]}\n"
    "  ht: {type: fixed, between: [h.triad, ground]}\n"
    "  kn: {type: fixed, between: [k.node, ground]}\n"
    "  kt: {type: fixed, between: [k.triad, ground]}\n"
    "  n: {type: fixed, between: [f.node, ground]}\n"
    "  t: {type: fixed, between: [f.triad, ground]}\n";

/* Every body, with every kind of marker that it has. */
static const struct {
    int     body, node;
    kl_vec3 r;
} cases[] = {{1, 0, {0.7, -0.4, 0.2}}, {2, 0, {0, 0, 0}},
             {3, 0, {0.7, -0.4, 0.2}}, {3, 1, {0.9, 0.3, -0.4}}, {3, 2, {-0.2, 0.5, 0.6}},
             {4, 1, {0.9, 0.3, -0.4}}, {4, 2, {-0.2, 0.5, 0.6}}, {5, 1, {0.9, 0.3, -0.4}}, {5, 2, {-0.2, 0.5, 0.6}},
             {5, KL_MARKER_CONDITIONS, {0, 0, 0}}, {6, KL_MARKER_CONDITIONS, {0, 0, 0}}, {7, KL_MARKER_CONDITIONS, {0, 0, 0}},
             {8, 1, {0.9, 0.3, -0.4}}, {8, 2, {-0.2, 0.5, 0.6}},
             {9, 0, {0.7, -0.4, 0.2}}, {9, KL_MARKER_UNSPUN, {0.7, -0.4, 0.2}},
             {10, 0, {0.7, -0.4, 0.2}}, {10, KL_MARKER_UNSPUN, {0, -0.4, 0}}};
enum { CASES = sizeof cases / sizeof *cases, MOST = 12 + CLOUD_MODES };

typedef struct fixture {
    built        b;
    kl_state    *s;
    kl_work     *w;
    const kl_body *body;
    kl_marker    marker;
    unsigned     seed;
} fixture;

static fixture make(int which, unsigned seed)
{
    cloud c = cloud_make(5);
    cloud_write(&c, "/tmp/kl_contract.kbody");
    int     body = cases[which].body;
    fixture f    = {.b = must_build(model_text), .seed = seed};
    f.s       = kl_state_create(f.b.model);
    f.w       = kl_work_create(f.b.model);
    f.body    = &f.b.model->body[body];
    double dx[MOST];
    for (int i = 0; i < f.body->nv; i++) dx[i] = noise(&f.seed), f.s->v[f.body->v + i] = noise(&f.seed);
    double q[MOST + 1];
    memcpy(q, f.s->q + f.body->q, (size_t)f.body->nq * sizeof *q);
    f.body->type->advance(f.body->data, q, dx, f.s->q + f.body->q);
    f.marker   = (kl_marker){.body = body, .A = kl_rotation_exp(kl_vec(0.2, 0.4, -0.5))};
    f.marker.r = cases[which].r, f.marker.node = cases[which].node;
    return f;
}

static void release(fixture *f)
{
    kl_state_destroy(f->s);
    kl_work_destroy(f->w);
    built_free(&f->b);
}

static void *cache_of(fixture *f) { return kl_work_cache(f->b.model, f->w, (int)(f->body - f->b.model->body)); }

/* The cache at q (+) dx and velocities v + dv. */
static void *moved(fixture *f, const double *dx, const double *dv)
{
    double q[MOST + 1], v[MOST];
    f->body->type->advance(f->body->data, f->s->q + f->body->q, dx, q);
    for (int i = 0; i < f->body->nv; i++) v[i] = f->s->v[f->body->v + i] + dv[i];
    f->body->type->position(f->body->data, q, cache_of(f));
    f->body->type->velocity(f->body->data, v, cache_of(f));
    return cache_of(f);
}

static const double zero[MOST];

static void store_motion(const kl_motion *m, double *out)
{
    kl_store(out, m->v);
    kl_store(out + 3, m->w);
}

/* B and W: how markers move and how their velocities change with an increment */
static void maps_are_the_derivatives_of_the_motion(void **unused)
{
    (void)unused;
    const double step = 1e-6;
    for (int body = 0; body < CASES; body++)
        for (unsigned seed = 1; seed < 6; seed++) {
            fixture             f = make(body, seed);
            const kl_body_type *t = f.body->type;
            double              B[6 * MOST], W[6 * MOST];
            int                 n = f.body->nv;
            t->map(f.body->data, moved(&f, zero, zero), &f.marker, B);
            t->map_rate(f.body->data, cache_of(&f), &f.marker, W);
            for (int j = 0; j < n; j++) {
                double    dx[MOST] = {0};
                kl_motion up, down;
                dx[j] = step;
                kl_body_motion(f.body, moved(&f, dx, zero), &f.marker, &up);
                dx[j] = -step;
                kl_body_motion(f.body, moved(&f, dx, zero), &f.marker, &down);
                kl_mat3 Dt = kl_transpose(&down.A), R = kl_matmul(&up.A, &Dt);
                double  place[6], rate_up[6], rate_down[6];
                kl_store(place, kl_scale(0.5 / step, kl_sub(up.r, down.r)));
                kl_store(place + 3, kl_scale(0.5 / step, kl_rotation_log(&R)));
                store_motion(&up, rate_up), store_motion(&down, rate_down);
                for (int i = 0; i < 6; i++) {
                    assert_close(B[i * n + j], place[i], 1e-8);
                    assert_close(W[i * n + j], (rate_up[i] - rate_down[i]) / (2 * step), 1e-8);
                }
            }
            release(&f);
        }
}

/* a0: what is left of the marker's acceleration at v' = 0 */
static void biases_are_what_remains_at_zero_acceleration(void **unused)
{
    (void)unused;
    const double dt = 1e-5;
    for (int body = 0; body < CASES; body++) {
        fixture             f = make(body, 3);
        kl_motion           now, up, down;
        double              dx[MOST];
        kl_body_motion(f.body, moved(&f, zero, zero), &f.marker, &now);
        for (int i = 0; i < f.body->nv; i++) dx[i] = dt * f.s->v[f.body->v + i];
        kl_body_motion(f.body, moved(&f, dx, zero), &f.marker, &up);
        for (int i = 0; i < f.body->nv; i++) dx[i] = -dx[i];
        kl_body_motion(f.body, moved(&f, dx, zero), &f.marker, &down);
        assert_close(kl_norm(kl_sub(kl_scale(0.5 / dt, kl_sub(up.v, down.v)), now.a0)), 0, 1e-7);
        assert_close(kl_norm(kl_sub(kl_scale(0.5 / dt, kl_sub(up.w, down.w)), now.al0)), 0, 1e-7);
        release(&f);
    }
}

static void pull_and_geometric_terms_belong_together(void **unused)
{
    (void)unused;
    const double step = 1e-6, wrench[6] = {1, -2, 0.5, 0.3, 0.7, -0.9};
    for (int body = 0; body < CASES; body++) {
        fixture             f = make(body, 5);
        const kl_body_type *t = f.body->type;
        int                 n = f.body->nv;
        double              B[MOST * MOST], g[MOST] = {0}, K[MOST * MOST] = {0};
        t->map(f.body->data, moved(&f, zero, zero), &f.marker, B);
        t->pull(f.body->data, cache_of(&f), &f.marker, wrench, g);
        t->add_geometric(f.body->data, cache_of(&f), &f.marker, wrench, K);
        for (int j = 0; j < n; j++) {
            double sum = 0, up[MOST] = {0}, down[MOST] = {0}, dx[MOST] = {0};
            for (int i = 0; i < 6; i++) sum += B[i * n + j] * wrench[i];
            assert_close(g[j], sum, 1e-14);
            dx[j] = step;
            t->pull(f.body->data, moved(&f, dx, zero), &f.marker, wrench, up);
            dx[j] = -step;
            t->pull(f.body->data, moved(&f, dx, zero), &f.marker, wrench, down);
            for (int i = 0; i < n; i++) assert_close(K[i * n + j], (up[i] - down[i]) / (2 * step), 1e-8);
        }
        release(&f);
    }
}

/* T = v'Mv/2, and v.(M a - s) is its rate for any a: the velocity terms do no work of their own */
static void inertia_agrees_with_the_kinetic_energy(void **unused)
{
    (void)unused;
    const double dt = 1e-5;
    for (int body = 0; body < CASES; body++)
        for (unsigned seed = 1; seed < 6; seed++) {
            fixture             f = make(body, seed);
            const kl_body_type *t = f.body->type;
            int                 n = f.body->nv;
            double              M[MOST * MOST], s[MOST], a[MOST], dx[MOST], dv[MOST], rate = 0, T = 0;
            const double       *v = f.s->v + f.body->v;
            kl_measures         now, up, down;
            t->inertia(f.body->data, moved(&f, zero, zero), M, s);
            t->measures(f.body->data, cache_of(&f), &now);
            for (int i = 0; i < n; i++) a[i] = noise(&f.seed);
            for (int i = 0; i < n; i++) {
                double Ma = 0, Mv = 0;
                for (int j = 0; j < n; j++) Ma += M[i * n + j] * a[j], Mv += M[i * n + j] * v[j];
                for (int j = 0; j < n; j++) assert_close(M[i * n + j], M[j * n + i], 1e-14);
                rate += v[i] * (Ma - s[i]);
                T += 0.5 * v[i] * Mv;
            }
            assert_close(T, now.kinetic, 1e-12);
            for (int i = 0; i < n; i++) dx[i] = dt * v[i], dv[i] = dt * a[i];
            t->measures(f.body->data, moved(&f, dx, dv), &up);
            for (int i = 0; i < n; i++) dx[i] = -dx[i], dv[i] = -dv[i];
            t->measures(f.body->data, moved(&f, dx, dv), &down);
            assert_close(rate, (up.kinetic - down.kinetic) / (2 * dt), 1e-6);
            release(&f);
        }
}

static void inertia_tangents_are_derivatives(void **unused)
{
    (void)unused;
    const double step = 1e-6;
    for (int which = 0; which < CASES; which++) {
        fixture f = make(which, 2);
        double  a[MOST], K[MOST * MOST], C[MOST * MOST];
        int     n = f.body->nv;
        if (!f.body->type->inertia_tangent) {
            release(&f);
            continue;
        }
        for (int i = 0; i < n; i++) a[i] = noise(&f.seed);
        f.body->type->inertia_tangent(f.body->data, moved(&f, zero, zero), a, K, C);
        for (int kind = 0; kind < 2; kind++)
            for (int j = 0; j < n; j++) {
                double d[MOST] = {0}, M[MOST * MOST], s[MOST], r[2][MOST];
                for (int sign = 0; sign < 2; sign++) {
                    d[j] = sign ? -step : step;
                    f.body->type->inertia(f.body->data,
                                          kind ? moved(&f, zero, d) : moved(&f, d, zero), M, s);
                    for (int i = 0; i < n; i++) {
                        r[sign][i] = -s[i];
                        for (int k = 0; k < n; k++) r[sign][i] += M[i * n + k] * a[k];
                    }
                }
                for (int i = 0; i < n; i++)
                    assert_close((kind ? C : K)[i * n + j], (r[0][i] - r[1][i]) / (2 * step), 3e-8);
            }
        release(&f);
    }
}

/* elastic and damping forces: derivatives, and energy and loss against power */
static void own_forces_belong_to_their_energy(void **unused)
{
    (void)unused;
    const double step = 1e-6;
    fixture      f    = make(2, 3);
    int          n = f.body->nv;
    double       g[MOST] = {0}, K[MOST * MOST] = {0}, C[MOST * MOST] = {0}, power = 0, slope = 0;
    const kl_body_type *t = f.body->type;
    t->own_force(f.body->data, moved(&f, zero, zero), g, K, C);
    double loss = t->own_loss(f.body->data, cache_of(&f));
    for (int j = 0; j < n; j++) {
        double v = f.s->v[f.body->v + j], unit[MOST] = {0};
        power += g[j] * v;
        unit[j] = step;
        slope += v * t->own_energy(f.body->data, moved(&f, unit, zero)) / (2 * step);
        unit[j] = -step;
        slope -= v * t->own_energy(f.body->data, moved(&f, unit, zero)) / (2 * step);
        for (int kind = 0; kind < 2; kind++) {
            double up[MOST] = {0}, down[MOST] = {0};
            unit[j] = step;
            t->own_force(f.body->data, kind ? moved(&f, zero, unit) : moved(&f, unit, zero), up, NULL, NULL);
            unit[j] = -step;
            t->own_force(f.body->data, kind ? moved(&f, zero, unit) : moved(&f, unit, zero), down, NULL, NULL);
            for (int i = 0; i < n; i++)
                assert_close((kind ? C : K)[i * n + j], (up[i] - down[i]) / (2 * step), 1e-8);
        }
    }
    assert_true(loss > 0);
    assert_close(power, -slope - loss, 1e-8);
    release(&f);
}

/* Axes that do not spin may differ between two coordinates of the same orientation. */
static void assert_same_place(fixture *f, const double *q, const double *also)
{
    const kl_body_type *t = f->body->type;
    kl_marker           k = f->marker;
    kl_motion           one, two;
    k.node = 0;
    t->position(f->body->data, q, cache_of(f));
    t->pose(f->body->data, cache_of(f), &k, &one);
    t->position(f->body->data, also, cache_of(f));
    t->pose(f->body->data, cache_of(f), &k, &two);
    assert_close(kl_norm(kl_sub(one.r, two.r)), 0, 1e-11);
    for (int j = 0; j < 3; j++)
        assert_close(kl_norm(kl_sub(kl_axis(&one.A, j), kl_axis(&two.A, j))), 0, 1e-11);
}

/* rate is the derivative of q (+) t v, and speed takes it back */
static void rates_of_coordinates_belong_to_velocities(void **unused)
{
    (void)unused;
    const double dt = 1e-5;
    for (int which = 0; which < CASES; which++) {
        fixture             f = make(which, 6);
        const kl_body_type *t = f.body->type;
        const double       *q = f.s->q + f.body->q, *v = f.s->v + f.body->v;
        double              dx[MOST], rate[MOST + 2], back[MOST], up[MOST + 2], down[MOST + 2];
        if (t->rate) {
            t->rate(f.body->data, q, v, rate);
            t->speed(f.body->data, q, rate, back);
            for (int i = 0; i < f.body->nv; i++) assert_close(back[i], v[i], 1e-14);
            for (int i = 0; i < f.body->nv; i++) dx[i] = dt * v[i];
            t->advance(f.body->data, q, dx, up);
            for (int i = 0; i < f.body->nv; i++) dx[i] = -dx[i];
            t->advance(f.body->data, q, dx, down);
            for (int i = 0; i < f.body->nq; i++)
                assert_close(rate[i], (up[i] - down[i]) / (2 * dt), 1e-8);
        }
        release(&f);
    }
}

/* q (+) (dx + D e) = (q (+) dx) (+) e to first order in e */
static void increments_add_through_their_map(void **unused)
{
    (void)unused;
    const double step = 1e-6;
    for (int which = 0; which < CASES; which++) {
        if (which == 1) continue; /* a point adds plainly */
        fixture f = make(which, 4);
        int     n = f.body->nv;
        double  dx[MOST], D[MOST * MOST], q[MOST + 1], there[MOST + 1];
        for (int i = 0; i < n; i++) dx[i] = 0.6 * noise(&f.seed);
        /* the vectors of the unit matrix, one after the other: D' by rows, or D itself */
        double other[MOST * MOST];
        for (int i = 0; i < n * n; i++) D[i] = other[i] = i % (n + 1) == 0;
        f.body->type->carry(f.body->data, dx, true, D, n);
        f.body->type->carry(f.body->data, dx, false, other, n);
        for (int i = 0; i < n * n; i++) assert_close(D[i], other[i % n * n + i / n], 1e-15);
        f.body->type->advance(f.body->data, f.s->q + f.body->q, dx, there);
        for (int j = 0; j < n; j++) {
            double e[MOST] = {0}, sum[MOST], a[MOST + 1];
            e[j] = step;
            for (int i = 0; i < n; i++) sum[i] = dx[i] + step * D[i * n + j];
            f.body->type->advance(f.body->data, f.s->q + f.body->q, sum, q);
            f.body->type->advance(f.body->data, there, e, a);
            if (f.body->type->spin) assert_same_place(&f, q, a);
            else
                for (int i = 0; i < n + 1; i++) assert_close(q[i], a[i], 1e-11);
        }
        release(&f);
    }
}

/* momentum and angular momentum of a swarm of points that move as the body does */
static void measures_equal_a_sum_over_points(void **unused)
{
    (void)unused;
    built        b = must_build("klingel: 1\nbodies: {r: {mass: 4, inertia: [2, 3, 4, 0.5, 0.2, -0.1], center: [0.1, 0.2, -0.3]}}\n");
    kl_state    *s = kl_state_create(b.model);
    kl_work     *w = kl_work_create(b.model);
    kl_body     *body = &b.model->body[1];
    unsigned     seed = 11;
    double       dx[6], q[7];
    for (int i = 0; i < 6; i++) dx[i] = noise(&seed), s->v[i] = noise(&seed);
    memcpy(q, s->q, sizeof q);
    body->type->advance(body->data, q, dx, s->q);
    kl_eval_motion(b.model, s, w);

    /* six points with the same mass, centre and inertia: centre -+ along principal-like directions solved from J */
    kl_measures t;
    body->type->measures(body->data, kl_work_cache(b.model, w, 1), &t);
    kl_marker centre = {.body = 1, .r = kl_vec(0.1, 0.2, -0.3), .A = kl_identity()};
    kl_motion c;
    kl_body_motion(body, kl_work_cache(b.model, w, 1), &centre, &c);
    assert_close(kl_norm(kl_sub(t.center, c.r)), 0, 1e-14);
    assert_close(kl_norm(kl_sub(t.p, kl_scale(4, c.v))), 0, 1e-13);
    kl_mat3 J = {{{2, 0.5, 0.2}, {0.5, 3, -0.1}, {0.2, -0.1, 4}}};
    kl_vec3 spin = kl_mul(&c.A, kl_mul(&J, kl_mul_t(&c.A, c.w)));
    assert_close(kl_norm(kl_sub(t.L, kl_add(kl_cross(c.r, t.p), spin))), 0, 1e-13);
    assert_close(t.kinetic, 0.5 * 4 * kl_dot(c.v, c.v) + 0.5 * kl_dot(c.w, spin), 1e-13);
    kl_state_destroy(s);
    kl_work_destroy(w);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_the_derivatives_of_the_motion),
        cmocka_unit_test(biases_are_what_remains_at_zero_acceleration),
        cmocka_unit_test(pull_and_geometric_terms_belong_together),
        cmocka_unit_test(inertia_agrees_with_the_kinetic_energy),
        cmocka_unit_test(inertia_tangents_are_derivatives),
        cmocka_unit_test(own_forces_belong_to_their_energy),
        cmocka_unit_test(rates_of_coordinates_belong_to_velocities),
        cmocka_unit_test(increments_add_through_their_map),
        cmocka_unit_test(measures_equal_a_sum_over_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
