/* A beam that vibrates while all of it also travels: the deformation is that of the beam that stays. */
#include "unit/solve/simulate.h"

#include <math.h>

static const char *const flying =
    "klingel: 1\ngravity: 0\n"
    "sections: {bar: {shape: rectangle, width: 20 mm, height: 5 mm}}\n"
    "materials: {soft: {E: 70 GPa, density: 2700 kg/m3}}\n"
    "bodies:\n"
    "  rod: {type: beam, to: [1, 0, 0], section: bar, material: soft, elements: 8, stations: {mid: 0.5},"
    " velocity: [%s]}\n"
    "forces:\n"
    "  f: {type: force, on: rod.end, axis: z, value: {step: {from: 2 N, to: 0 N, start: 0.01, end: 0.02}}}\n"
    "outputs:\n"
    "  dx: {expression: rod.end.position.x - rod.start.position.x}\n"
    "  dz: {expression: rod.end.position.z - rod.start.position.z}\n"
    "  sag: {expression: rod.mid.position.z - rod.start.position.z}\n"
    "run: {end: 0.1, every: 1 ms}\nintegrator: {type: generalized-alpha, step: 0.1 ms}\n";

static void run_at(const char *velocity, rows *r)
{
    static const char *const names[] = {"dx", "dz", "sag", NULL};
    char                     text[1500];
    kl_statistics            count;
    snprintf(text, sizeof text, flying, velocity);
    built b = must_build(text);
    simulate(&b, 0.1, 1e-3, names, r, &count);
    built_free(&b);
}

static void a_travelling_beam_deforms_as_one_that_stays(void **unused)
{
    (void)unused;
    static rows rests, travels;
    double      most = 0.0, moved = 0.0;
    run_at("0, 0, 0", &rests);
    run_at("7, -3, 11", &travels);
    assert_int_equal(rests.count, travels.count);
    for (int i = 0; i < rests.count; i++)
        for (int k = 0; k < 3; k++) {
            most  = fmax(most, fabs(rests.value[i][k] - travels.value[i][k]));
            moved = fmax(moved, k > 0 ? fabs(rests.value[i][k]) : 0.0);
        }
    assert_true(moved > 0.05);
    if (!(most <= 1e-12)) fail_msg("the deformation differs by %.3g m", most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_travelling_beam_deforms_as_one_that_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
