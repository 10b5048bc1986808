/* Runs of small models, for tests of integrators. */
#ifndef KL_TESTS_SIMULATE_H
#define KL_TESTS_SIMULATE_H

#include "solve/simulation.h"
#include "unit/build_model.h"

static const char *const double_pendulum =
    "klingel: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {c: cos(45 deg)*0.5 m}\n"
    "bodies:\n"
    "  upper: {mass: 1 kg, inertia: [0, 1/12, 1/12], position: [c, -c, 0],\n"
    "          orientation: {axis: z, angle: -45 deg}}\n"
    "  lower: {mass: 1 kg, inertia: [0, 1/12, 1/12], position: [3*c, -3*c, 0],\n"
    "          orientation: {axis: z, angle: -45 deg}}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: z}\n"
    "  hinge: {type: revolute, between: [upper, lower], at: [2*c, -2*c, 0], axis: z}\n"
    "outputs:\n"
    "  x: {of: lower, point: [0.5, 0, 0], quantity: position.x}\n"
    "  y: {of: lower, point: [0.5, 0, 0], quantity: position.y}\n";

static const char *const four_bars = /* flat, and singular there, again and again */
    "klingel: 1\n"
    "parameters: {loops: 6, L: 1 m, m: 1 kg, I: m*L^2/12, v0: 1 m/s}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  \"post{i}\": {for: {i: 0..loops}, mass: m, inertia: [I, 0, I], position: [i*L, L/2, 0],\n"
    "    velocity: [v0/2, 0, 0], omega: [0, 0, -v0/L * 1 rad], fixed: [omega]}\n"
    "  \"beam{i}\": {for: {i: 1..loops}, mass: m, inertia: [0, I, I], position: [(i - 0.5)*L, L, "
    "0],\n"
    "    velocity: [v0, 0, 0]}\n"
    "joints:\n"
    "  \"foot{i}\":  {for: {i: 0..loops}, type: revolute, between: [ground, \"post{i}\"], at: "
    "[i*L, "
    "0, 0], axis: z}\n"
    "  \"left{i}\":  {for: {i: 1..loops}, type: revolute, between: [\"post{i-1}\", \"beam{i}\"], "
    "at: "
    "[(i - 1)*L, L, 0], axis: z}\n"
    "  \"right{i}\": {for: {i: 1..loops}, type: revolute, between: [\"post{i}\", \"beam{i}\"], at: "
    "[i*L, L, 0], axis: z}\n"
    "outputs:\n"
    "  x: {of: post0, point: [0, L/2, 0], quantity: position.x}\n"
    "  y: {of: post0, point: [0, L/2, 0], quantity: position.y}\n";

/* Rows of a few channels, as a run hands them over. */
typedef struct rows {
    int    channel[8], n;
    double t[4096], value[4096][8];
    int    count;
} rows;

static inline kl_status rows_take(void *context, double t, const double *values)
{
    rows *r = context;
    assert_true(r->count < 4096);
    r->t[r->count] = t;
    for (int i = 0; i < r->n; i++) r->value[r->count][i] = values[r->channel[i]];
    r->count++;
    return KL_OK;
}

static inline int channel_of(const kl_simulation *s, const char *name)
{
    for (int i = 0; i < kl_channels_count(s->channels); i++)
        if (strcmp(kl_channels_at(s->channels, i)->name, name) == 0) return i;
    fail_msg("no channel %s", name);
    return -1;
}

/* Runs to `end`; the names are ended by NULL. Statistics in *count if not NULL. */
static inline void simulate(built *b, double end, double every, const char *const *names, rows *r,
                            kl_statistics *count)
{
    kl_simulation *s = NULL;
    if (kl_simulation_create(b->model, b->diag, &s) != KL_OK) {
        print_messages(b->diag);
        fail_msg("no simulation");
    }
    r->n = r->count = 0;
    for (; names[r->n]; r->n++) r->channel[r->n] = channel_of(s, names[r->n]);
    kl_sink sink = {.context = r, .row = rows_take};
    if (kl_simulation_run(s, end, every, &sink, b->diag) != KL_OK) {
        print_messages(b->diag);
        fail_msg("the run stopped");
    }
    if (count) *count = s->count;
    kl_simulation_destroy(s);
}

#endif
