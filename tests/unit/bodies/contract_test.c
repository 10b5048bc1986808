/* The contract of every body: its map, rates, biases, geometric terms, inertia and increments against differences. */
#include "unit/build.h"

#include "base/rotation.h"
#include "catalogue.h"
#include "dynamics/work.h"

static const char *const model_text =
    "klingel: 1\nbodies:\n"
    "  r: {mass: 2, inertia: [3, 4, 5, 0.3, -0.2, 0.4], center: [0.3, -0.2, 0.5]}\n"
    "  p: {type: point, mass: 1.5}\n";

typedef struct fixture {
    built        b;
    kl_state    *s;
    kl_work     *w;
    const kl_body *body;
    kl_marker    marker;
    unsigned     seed;
} fixture;

static fixture make(int body, unsigned seed)
{
    fixture f = {.b = must_build(model_text), .seed = seed};
    f.s       = kl_state_create(f.b.model);
    f.w       = kl_work_create(f.b.model);
    f.body    = &f.b.model->body[body];
    double dx[6];
    for (int i = 0; i < f.body->nv; i++) dx[i] = noise(&f.seed), f.s->v[f.body->v + i] = noise(&f.seed);
    double q[7];
    memcpy(q, f.s->q + f.body->q, (size_t)f.body->nq * sizeof *q);
    f.body->type->advance(f.body->data, q, dx, f.s->q + f.body->q);
    bool point  = f.body->nv == 3;
    f.marker    = (kl_marker){.body = body, .A = kl_rotation_exp(kl_vec(0.2, 0.4, -0.5))};
    f.marker.r  = point ? kl_vec(0, 0, 0) : kl_vec(0.7, -0.4, 0.2);
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
    double q[7], v[6];
    f->body->type->advance(f->body->data, f->s->q + f->body->q, dx, q);
    for (int i = 0; i < f->body->nv; i++) v[i] = f->s->v[f->body->v + i] + dv[i];
    f->body->type->position(f->body->data, q, cache_of(f));
    f->body->type->velocity(f->body->data, v, cache_of(f));
    return cache_of(f);
}

static const double zero[6];

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
    for (int body = 1; body <= 2; body++)
        for (unsigned seed = 1; seed < 6; seed++) {
            fixture             f = make(body, seed);
            const kl_body_type *t = f.body->type;
            double              B[36], W[36];
            int                 n = f.body->nv;
            t->map(f.body->data, moved(&f, zero, zero), &f.marker, B);
            t->map_rate(f.body->data, cache_of(&f), &f.marker, W);
            for (int j = 0; j < n; j++) {
                double    dx[6] = {0};
                kl_motion up, down;
                dx[j] = step;
                t->motion(f.body->data, moved(&f, dx, zero), &f.marker, &up);
                dx[j] = -step;
                t->motion(f.body->data, moved(&f, dx, zero), &f.marker, &down);
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
    for (int body = 1; body <= 2; body++) {
        fixture             f = make(body, 3);
        const kl_body_type *t = f.body->type;
        kl_motion           now, up, down;
        double              dx[6];
        t->motion(f.body->data, moved(&f, zero, zero), &f.marker, &now);
        for (int i = 0; i < f.body->nv; i++) dx[i] = dt * f.s->v[f.body->v + i];
        t->motion(f.body->data, moved(&f, dx, zero), &f.marker, &up);
        for (int i = 0; i < f.body->nv; i++) dx[i] = -dx[i];
        t->motion(f.body->data, moved(&f, dx, zero), &f.marker, &down);
        assert_close(kl_norm(kl_sub(kl_scale(0.5 / dt, kl_sub(up.v, down.v)), now.a0)), 0, 1e-7);
        assert_close(kl_norm(kl_sub(kl_scale(0.5 / dt, kl_sub(up.w, down.w)), now.al0)), 0, 1e-7);
        release(&f);
    }
}

static void pull_and_geometric_terms_belong_together(void **unused)
{
    (void)unused;
    const double step = 1e-6, wrench[6] = {1, -2, 0.5, 0.3, 0.7, -0.9};
    for (int body = 1; body <= 2; body++) {
        fixture             f = make(body, 5);
        const kl_body_type *t = f.body->type;
        int                 n = f.body->nv;
        double              B[36], g[6] = {0}, K[36] = {0};
        t->map(f.body->data, moved(&f, zero, zero), &f.marker, B);
        t->pull(f.body->data, cache_of(&f), &f.marker, wrench, g);
        t->add_geometric(f.body->data, cache_of(&f), &f.marker, wrench, K);
        for (int j = 0; j < n; j++) {
            double sum = 0, up[6] = {0}, down[6] = {0}, dx[6] = {0};
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
    for (int body = 1; body <= 2; body++)
        for (unsigned seed = 1; seed < 6; seed++) {
            fixture             f = make(body, seed);
            const kl_body_type *t = f.body->type;
            int                 n = f.body->nv;
            double              M[36], s[6], a[6], dx[6], dv[6], rate = 0, T = 0;
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
    const double  step = 1e-6;
    fixture       f = make(1, 2);
    const double  a[6] = {0.3, -1, 0.5, 0.7, 0.2, -0.4};
    double        K[36], C[36];
    f.body->type->inertia_tangent(f.body->data, moved(&f, zero, zero), a, K, C);
    for (int kind = 0; kind < 2; kind++)
        for (int j = 0; j < 6; j++) {
            double d[6] = {0}, M[36], s[6], r[2][6];
            for (int sign = 0; sign < 2; sign++) {
                d[j] = sign ? -step : step;
                f.body->type->inertia(f.body->data, kind ? moved(&f, zero, d) : moved(&f, d, zero), M, s);
                for (int i = 0; i < 6; i++) {
                    r[sign][i] = -s[i];
                    for (int k = 0; k < 6; k++) r[sign][i] += M[i * 6 + k] * a[k];
                }
            }
            for (int i = 0; i < 6; i++) assert_close((kind ? C : K)[i * 6 + j], (r[0][i] - r[1][i]) / (2 * step), 1e-8);
        }
    release(&f);
}

/* q (+) (dx + D e) = (q (+) dx) (+) e to first order in e */
static void increments_add_through_their_map(void **unused)
{
    (void)unused;
    const double step = 1e-6;
    fixture      f = make(1, 4);
    double       dx[6] = {0.3, -0.1, 0.2, 0.5, -0.8, 0.3}, D[36], q[7], there[7];
    f.body->type->increment(f.body->data, dx, D);
    f.body->type->advance(f.body->data, f.s->q + f.body->q, dx, there);
    for (int j = 0; j < 6; j++) {
        double e[6] = {0}, sum[6], a[7];
        e[j] = step;
        for (int i = 0; i < 6; i++) sum[i] = dx[i] + step * D[i * 6 + j];
        f.body->type->advance(f.body->data, f.s->q + f.body->q, sum, q);
        f.body->type->advance(f.body->data, there, e, a);
        for (int i = 0; i < 7; i++) assert_close(q[i], a[i], 1e-11);
    }
    release(&f);
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
    body->type->motion(body->data, kl_work_cache(b.model, w, 1), &centre, &c);
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
        cmocka_unit_test(increments_add_through_their_map),
        cmocka_unit_test(measures_equal_a_sum_over_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
