/* A shape that a row of nodes carries: rolling from piece to piece without a step, and no power lost on
 * nodes that give way. */
#include "unit/build_model.h"

#include <math.h>

#include "solve/simulation.h"

#define NODE(i, x) "  n" #i ": {mass: 1, inertia: [0.1, 0.1, 0.1], position: [" #x ", 0, 0]}\n"
#define HEAD                                                                                       \
    "klingel: 1\nbodies:\n" NODE(1, 0) NODE(2, 0.5) NODE(3, 1)                                     \
        NODE(4, 1.5) "  wheel: {mass: 1, inertia: [4e-3, 4e-3, 4e-3], position: [0.1, 0, 0.12 - "  \
                     "9.81e-6], "                                                                  \
                     "velocity: [1, 0, 0], omega: [0, 10, 0]}\n"
#define RIDE(more)                                                                                 \
    "contacts:\n  ride: {type: contact-on-nodes, body: wheel, nodes: [n1, n2, n3, n4], shapes: "   \
    "[{sphere: 100 mm}, {cylinder: {radius: 20 mm, length: 10 m}}], law: linear, stiffness: "      \
    "1e6" more "}\n"
#define FIXED(i, x) "  f" #i ": {type: fixed, between: [ground, n" #i "], at: [" #x ", 0, 0]}\n"
#define SOFT(i, x)                                                                                 \
    "  s" #i ": {type: bushing, between: [ground, n" #i "], at: [" #x                              \
    ", 0, 0], stiffness: [1e5, 1e5, 2e4, 2e3, 2e3, 2e3]}\n"

typedef struct track {
    double least, most; /* of channel 0 */
    double first, last; /* of channel 1 */
    int    channel[2], rows;
} track;

static kl_status see(void *context, double t, const double *values)
{
    track *k = context;
    (void)t;
    double x = values[k->channel[0]];
    if (k->rows++ == 0) k->least = k->most = x, k->first = values[k->channel[1]];
    k->least = fmin(k->least, x), k->most = fmax(k->most, x);
    k->last = values[k->channel[1]];
    return KL_OK;
}

static track run(const char *text, const char *first, const char *second)
{
    built          b    = must_build(text);
    kl_simulation *s    = NULL;
    track          k    = {0};
    kl_sink        sink = {.context = &k, .row = see};
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    k.channel[0] = kl_channels_find(s->channels, first);
    k.channel[1] = kl_channels_find(s->channels, second);
    assert_true(k.channel[0] >= 0 && k.channel[1] >= 0);
    kl_status status = kl_simulation_run(s, 1.2, 0.01, &sink, b.diag);
    if (status != KL_OK) print_messages(b.diag);
    assert_int_equal(status, KL_OK);
    kl_simulation_destroy(s);
    built_free(&b);
    return k;
}

static void a_wheel_rolls_across_nodes_without_a_step(void **unused)
{
    (void)unused;
    track k =
        run(HEAD "joints:\n" FIXED(1, 0) FIXED(2, 0.5) FIXED(3, 1) FIXED(4, 1.5)
                RIDE(", damping: 100, friction: stick-slip, mu: 0.3, tangential_stiffness: 1e6"),
            "wheel.position.z", "ride.station");
    assert_close(k.most, k.least, 1e-9);
    assert_close(k.first, 1.2, 1e-9);
    assert_close(k.last, 3.6, 1e-3); /* it has passed two nodes */
}

static void nodes_that_give_way_lose_no_power(void **unused)
{
    (void)unused;
    track k = run(HEAD "forces:\n" SOFT(1, 0) SOFT(2, 0.5) SOFT(3, 1) SOFT(4, 1.5) RIDE(""),
                  "energy.total", "ride.station");
    assert_true(k.last > 3.0);
    assert_close(k.most, k.least, 1e-5); /* of 0.7 J: the wheel rolls, the rail bends under it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wheel_rolls_across_nodes_without_a_step),
        cmocka_unit_test(nodes_that_give_way_lose_no_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
