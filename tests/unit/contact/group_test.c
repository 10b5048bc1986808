/* Contact between groups of bodies: the same as pair by pair, whatever the order in the file, across a
 * checkpoint, and for bodies that come fast. */
#include "unit/build_model.h"

#include <math.h>
#include <stdlib.h>

#include "solve/simulation.h"

#define LAW "law: hunt-crossley, stiffness: 1e6, restitution: 0.8, friction: smooth, mu: 0.2"
#define BALL(name, x, z, v)                                                                        \
    "  " name ": {mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [" #x ", 0.01, " #z              \
    "], velocity: [" #v ", 0, 0]}\n"
#define TAIL "run: {end: 0.3, every: 0.1}\nintegrator: {tolerance: 1e-10}\n"

static const char in_order[] = "klingel: 1\nbodies:\n" BALL("a", 0.0, 0.06, 1)
    BALL("b", 0.2, 0.07, 0) BALL("c", 0.35, 0.08, -1);
static const char turned_round[] = "klingel: 1\nbodies:\n" BALL("c", 0.35, 0.08, -1)
    BALL("b", 0.2, 0.07, 0) BALL("a", 0.0, 0.06, 1);
static const char groups[] =
    "contacts:\n"
    "  balls: {between: [[a, b, c], [a, b, c]], shapes: [{sphere: 50 mm}, {sphere: 50 mm}], " LAW
    "}\n"
    "  floor: {between: [[a, b, c], ground], shapes: [{sphere: 50 mm}, plane], " LAW "}\n" TAIL;
#define PAIR(name, first, second)                                                                  \
    "  " name ": {between: [" first ", " second                                                    \
    "], shapes: [{sphere: 50 mm}, {sphere: 50 mm}], " LAW "}\n"
#define FLOOR(ball)                                                                                \
    "  floor_" ball ": {between: [" ball ", ground], shapes: [{sphere: 50 mm}, plane], " LAW "}\n"
static const char pairs[] = "contacts:\n" PAIR("ab", "a", "b") PAIR("ac", "a", "c")
    PAIR("bc", "b", "c") FLOOR("a") FLOOR("b") FLOOR("c") TAIL;

static const char pairs_backwards[] = "contacts:\n" FLOOR("c") FLOOR("b") FLOOR("a")
    PAIR("bc", "b", "c") PAIR("ac", "a", "c") PAIR("ab", "a", "b") TAIL;

static kl_status ignore(void *context, double t, const double *values)
{
    (void)context, (void)t, (void)values;
    return KL_OK;
}

typedef struct ended {
    double x[6], touched;
    double pack[20000];
    int    npack;
} ended;

static kl_status keep_pack(void *context, const double *pack)
{
    ended *e = context;
    memcpy(e->pack, pack, (size_t)e->npack * sizeof *pack);
    return KL_OK;
}

/* Where the balls are at the end. `from`: a checkpoint to go on from. */
static void run(const char *bodies, const char *contacts, double checkpoint, const ended *from,
                ended *out)
{
    static const char *const names[] = {"a", "b", "c"};
    char                     text[8000];
    kl_simulation           *s    = NULL;
    kl_sink                  sink = {.context = out, .row = ignore, .checkpoint = keep_pack};
    snprintf(text, sizeof text, "%s%s", bodies, contacts);
    built b = must_build(text);
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    s->checkpoint = checkpoint;
    out->npack    = kl_simulation_pack_size(s);
    assert_true(out->npack < 20000);
    if (from) assert_int_equal(kl_simulation_resume(s, from->pack, from->npack, b.diag), KL_OK);
    kl_status status = kl_simulation_run(s, 0.3, 0.1, &sink, b.diag);
    if (status != KL_OK) print_messages(b.diag);
    assert_int_equal(status, KL_OK);
    for (int i = 0; i < 3; i++) {
        const kl_body *body = &b.model->body[kl_model_find_body(b.model, names[i])];
        memcpy(out->x + 2 * i, s->solver->s->q + body->q, 2 * sizeof(double));
    }
    const double *values;
    int           impacts = kl_channels_find(s->channels, "balls.impacts");
    assert_int_equal(kl_simulation_sample(s, b.diag, &values), KL_OK);
    out->touched = impacts < 0 ? 0.0 : values[impacts];
    kl_simulation_destroy(s);
    built_free(&b);
}

static void same(const ended *a, const ended *b, double tolerance)
{
    for (int i = 0; i < 6; i++) assert_close(a->x[i], b->x[i], tolerance);
}

static ended one, two;

static void groups_do_what_their_pairs_do(void **unused)
{
    (void)unused;
    run(in_order, groups, 0.0, NULL, &one);
    run(in_order, pairs, 0.0, NULL, &two);
    assert_true(one.touched >= 2.0);
    same(&one, &two, 1e-7);
}

static void order_in_the_file_does_not_matter(void **unused)
{
    (void)unused;
    run(in_order, groups, 0.0, NULL, &one);
    run(turned_round, groups, 0.0, NULL, &two);
    same(&one, &two, 1e-9);
    run(in_order, pairs, 0.0, NULL, &one);
    run(in_order, pairs_backwards, 0.0, NULL, &two);
    same(&one, &two, 0.0);
}

static void checkpoints_keep_the_pool(void **unused)
{
    (void)unused;
    run(in_order, groups, 0.15, NULL, &one);
    static ended cut;
    cut = one;
    run(in_order, groups, 0.15, &cut, &two);
    same(&one, &two, 0.0);
}

/* A ball that would cross its diameter hundreds of times in one step of its free flight is still met. */
static void a_fast_ball_does_not_tunnel(void **unused)
{
    (void)unused;
    static const char text[] = "klingel: 1\ngravity: [0, 0, 0]\nbodies:\n"
                               "  a: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [-200, 0, "
                               "0], velocity: [2000, 0, 0]}\n"
                               "  b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}\n"
                               "  c: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [0, 5, 0]}\n";
    static const char law[] =
        "contacts:\n"
        "  balls: {between: ['*', '*'], shapes: [{sphere: 50 mm}, {sphere: 50 "
        "mm}], law: hertz, stiffness: 1e10}\n"
        "run: {end: 0.3, every: 0.1}\nintegrator: {tolerance: 1e-6}\n";
    run(text, law, 0.0, NULL, &one);
    assert_close(one.touched, 1.0, 0.0);
    assert_true(one.x[2] > 100.0 && one.x[0] < 10.0); /* b flies on, a stays */
}

static void a_group_without_bodies_is_refused(void **unused)
{
    (void)unused;
    built b;
    char  text[4000];
    snprintf(text, sizeof text,
             "%scontacts: {x: {between: ['ball*', ground], shapes: [{sphere: 1}, plane], "
             "stiffness: 1}}\n",
             in_order);
    assert_int_not_equal(try_build(text, &b), KL_OK);
    assert_non_null(strstr(kl_diag_at(b.diag, 0)->text, "no body has a name that matches"));
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_do_what_their_pairs_do),
        cmocka_unit_test(order_in_the_file_does_not_matter),
        cmocka_unit_test(checkpoints_keep_the_pool),
        cmocka_unit_test(a_fast_ball_does_not_tunnel),
        cmocka_unit_test(a_group_without_bodies_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
