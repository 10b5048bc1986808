/* Followers of a long table that is read through windows: each keeps its own in its cache. */
#include "geometry/named.h"
#include "geometry/path_table.h"
#include "joints/joints.h"
#include "solve/simulation.h"
#include "unit/own_element.h"

static const char *const text =
    "klingel: 1\ngravity: [0, 0, -9.81]\n"
    "tracks: {line: {layout: [straight 30 m, transition 40 m, curve 100 m radius for 500 m cant 6 "
    "deg], geometry: table}}\n"
    "bodies:\n"
    "  front: {mass: 100 kg, inertia: [10, 10, 10]}\n"
    "  back: {mass: 100 kg, inertia: [10, 10, 10]}\n"
    "joints:\n"
    "  f: {type: path, body: front, track: line, follow: frame, s: 400, speed: 20}\n"
    "  b: {type: path, body: back, track: line, follow: frame, s: 20, speed: 20}\n";

typedef struct store {
    const double *rows;
    int           calls;
} store;

static kl_status store_read(void *context, int row, int n, double *rows)
{
    store *s = context;
    s->calls++;
    memcpy(rows, s->rows + (size_t)row * KL_ROW, (size_t)n * KL_ROW * sizeof *rows);
    return KL_OK;
}

/* The track of a joint as the model names it: the value of its key `track`. */
static const kl_named_track **track_of(kl_element *e)
{
    const kl_key *k = e->type->keys;
    while (strcmp(k->name, "track") != 0) k++;
    return (const kl_named_track **)(void *)((char *)e->data + k->offset);
}

static void run(int window, double *end, int *reads)
{
    own_model            o     = own_begin(text);
    kl_element          *e     = &o.m->element[kl_model_find_element(o.m, "f")];
    const kl_path_table *table = (*track_of(e))->path->data;
    kl_path_table        part  = *table;
    store                s     = {.rows = table->rows};
    kl_named_track       line  = **track_of(e);
    kl_path             *path  = NULL;
    assert_string_equal(line.path->type->name, "table");
    if (window > 0) {
        part.rows = NULL, part.window = window, part.source = (kl_row_source){&s, store_read};
        assert_int_equal(kl_path_from_table(&part, o.m->arena, &path), KL_OK);
        line.path = path;
    }
    *track_of(e) = *track_of(&o.m->element[kl_model_find_element(o.m, "b")]) = &line;
    own_finish(&o);
    kl_simulation *sim = NULL;
    assert_int_equal(kl_simulation_create(o.m, o.text.diag, &sim), KL_OK);
    assert_int_equal(kl_simulation_start(sim, o.text.diag), KL_OK);
    s.calls = 0;
    while (sim->solver->s->t < 2.0)
        assert_int_equal(kl_simulation_step(sim, 2.0, o.text.diag), KL_OK);
    *reads = s.calls;
    memcpy(end, sim->solver->s->q, (size_t)o.m->nq * sizeof *end);
    kl_simulation_destroy(sim);
    own_free(&o);
}

/* Two vehicles 380 m apart would throw each other's rows out of one window in every step. */
static void windows_give_the_same_bits_and_are_read_seldom(void **unused)
{
    (void)unused;
    double whole[32] = {0}, through[32] = {0};
    int    reads;
    run(0, whole, &reads);
    run(40, through, &reads);
    print_message("  %d reads\n", reads);
    assert_memory_equal(whole, through, sizeof whole);
    assert_true(reads > 0 && reads < 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_give_the_same_bits_and_are_read_seldom)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
