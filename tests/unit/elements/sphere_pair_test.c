/* Two spheres that push each other apart, their nearest points found by a search that starts from
 * the last accepted step. An element of this file alone.
 *
 * The search turns a direction n half of the way towards the line through the centres until it no
 * longer changes: slow on purpose, so that the start matters. The closed form is the reference. */
#include <stdlib.h>

#include "solve/simulation.h"
#include "unit/own_element.h"

typedef struct pair {
    double Ri, Rj, k;
} pair;

typedef struct pair_cache {
    kl_vec3 n; /* from i to j, global */
    double  depth;
    bool    known;
} pair_cache;

static long passes, searches;

static kl_status pair_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                            kl_element_size *size)
{
    (void)data, (void)s, (void)m, (void)nmarker;
    size->nevent = 1;
    size->cache  = sizeof(pair_cache);
    return KL_OK;
}

static kl_status pair_locate(const kl_reading *in, void *cache)
{
    const pair       *p    = in->data;
    const pair_cache *last = in->accepted;
    pair_cache       *c    = cache;
    kl_vec3           d = kl_sub(in->m[1].r, in->m[0].r), along = kl_unit(d);
    /* from where the last accepted step ended, else from above */
    kl_vec3 n = last->known ? last->n : kl_vec(0, 0, 1);
    searches++;
    for (int k = 0; k < 100; k++) {
        kl_vec3 was = n;
        passes++;
        n = kl_unit(kl_add(n, along));
        if (kl_norm(kl_sub(n, was)) < 1e-10) break;
    }
    c->known = true;
    c->n     = n;
    c->depth = p->Ri + p->Rj - kl_dot(n, d);
    return KL_OK;
}

static kl_status pair_eval(const kl_reading *in, kl_writing *out)
{
    const pair       *p = in->data;
    const pair_cache *c = in->cache;
    if (c->depth <= 0.0) return KL_OK;
    double f = p->k * c->depth;
    kl_store(out->wrench, kl_scale(-f, c->n));
    kl_store(out->wrench + 6, kl_scale(f, c->n));
    out->energy = 0.5 * f * c->depth;
    return KL_OK;
}

static void pair_crossings(const kl_reading *in, kl_crossing *out)
{
    const pair_cache *c = in->cache;
    *out                = (kl_crossing){.value = -c->depth,
                                        .rate  = kl_dot(c->n, kl_sub(in->m[1].v, in->m[0].v)),
                                        .kind  = KL_CROSSING_KINK};
}

static const kl_key          no_keys[]   = {{0}};
static const kl_element_type sphere_pair = {.name      = "sphere-pair",
                                            .keys      = no_keys,
                                            .data_size = sizeof(pair),
                                            .setup     = pair_setup,
                                            .locate    = pair_locate,
                                            .eval      = pair_eval,
                                            .crossings = pair_crossings};

/* An oblique blow of two equal balls that spin. */
static const char *const text =
    "klingel: 1\ngravity: 0\nintegrator: {tolerance: 1e-7}\nbodies:\n"
    "  a: {mass: 1 kg, inertia: [0.01, 0.01, 0.01], velocity: [2, 0, 0], omega: [0, 0, 3]}\n"
    "  b: {mass: 1 kg, inertia: [0.01, 0.01, 0.01], position: [0.5, 0.12, 0.05]}\n";

static own_model make(const kl_element_type *type)
{
    own_model o = own_begin(text);
    *(pair *)own_add(&o, type, "contact", (const char *[]){"a", "b", NULL}) =
        (pair){0.1, 0.15, 1e5};
    own_finish(&o);
    return o;
}

static void run_to(kl_simulation *s, double end, kl_diag *diag)
{
    while (s->solver->s->t < end) assert_int_equal(kl_simulation_step(s, end, diag), KL_OK);
}

/* Frictionless spheres exchange the velocities along the line of centres and nothing else. */
static void an_oblique_blow_keeps_momentum_and_energy(void **unused)
{
    (void)unused;
    own_model      o = make(&sphere_pair);
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(o.m, o.text.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, o.text.diag), KL_OK);
    run_to(s, 0.4, o.text.diag);
    const double *va = s->solver->s->v + o.m->body[1].v, *vb = s->solver->s->v + o.m->body[2].v;
    double        energy = 0.0;
    for (int k = 0; k < 3; k++) {
        assert_close(va[k] + vb[k], k == 0 ? 2.0 : 0.0, 1e-6);
        energy += 0.5 * (va[k] * va[k] + vb[k] * vb[k]);
    }
    print_message("  energy %.6f J of 2 J; b leaves with (%.4f, %.4f, %.4f) m/s\n", energy, vb[0],
                  vb[1], vb[2]);
    assert_close(energy, 2.0, 2e-4);
    assert_true(kl_norm(kl_load(vb)) > 1.0);
    assert_close(va[5], 3.0, 1e-6); /* no friction: the spin stays */
    kl_simulation_destroy(s);
    own_free(&o);
}

static kl_status cold_locate(const kl_reading *in, void *cache)
{
    pair_cache none = {0};
    kl_reading cold = *in;
    cold.accepted   = &none;
    return pair_locate(&cold, cache);
}

static double passes_with(const kl_element_type *type)
{
    own_model      o = make(type);
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(o.m, o.text.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, o.text.diag), KL_OK);
    passes = searches = 0;
    run_to(s, 0.4, o.text.diag);
    kl_simulation_destroy(s);
    own_free(&o);
    return (double)passes / (double)searches;
}

static void a_warm_start_saves_passes(void **unused)
{
    (void)unused;
    kl_element_type cold = sphere_pair;
    cold.locate          = cold_locate;
    double with = passes_with(&sphere_pair), without = passes_with(&cold);
    print_message("  %.2f passes a search, %.2f from a cold start\n", with, without);
    assert_true(with < 0.9 * without);
}

/* Goes on from a checkpoint as if nothing had happened, caches and all. */
static void a_restart_gives_the_same_bits(void **unused)
{
    (void)unused;
    const double   cut = 0.1445, end = 0.4; /* cut while they touch */
    own_model      o     = make(&sphere_pair);
    kl_simulation *whole = NULL, *part = NULL;
    kl_diag       *diag = o.text.diag;
    assert_int_equal(kl_simulation_create(o.m, diag, &whole), KL_OK);
    assert_int_equal(kl_simulation_start(whole, diag), KL_OK);
    run_to(whole, cut, diag);
    int     n    = kl_simulation_pack_size(whole);
    double *pack = calloc((size_t)n, sizeof *pack);
    assert_non_null(pack);
    kl_simulation_pack(whole, pack);
    /* a checkpoint in the run that goes on: as kl_simulation_run takes it */
    assert_int_equal(kl_simulation_resume(whole, pack, n, diag), KL_OK);
    run_to(whole, end, diag);
    assert_int_equal(kl_simulation_create(o.m, diag, &part), KL_OK);
    assert_int_equal(kl_simulation_resume(part, pack, n, diag), KL_OK);
    run_to(part, end, diag);
    assert_memory_equal(part->solver->s->x, whole->solver->s->x,
                        (size_t)whole->solver->s->n * sizeof(double));
    assert_int_equal(part->count.evaluations, whole->count.evaluations);
    free(pack);
    kl_simulation_destroy(whole);
    kl_simulation_destroy(part);
    own_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_oblique_blow_keeps_momentum_and_energy),
        cmocka_unit_test(a_warm_start_saves_passes),
        cmocka_unit_test(a_restart_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
