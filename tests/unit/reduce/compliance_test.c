/* Compliance at markers: beam formulas for loads that balance each other, whatever holds the frame;
 * modes reach it from below; static modes reach it at once. */
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/body.h"
#include "reduce/compliance.h"

static const char path[] = "/tmp/kl_compliance_test.yaml";
enum { ROOT, MIDDLE, TIP, WIDE = 18 };
static const double L = 10, EA = 2.8e7, EI = 1.4e4;

/* The spin-up beam: 20 elements without shear, 10 m. */
static kl_kbody *beam(const char *rest)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "mesh: " KL_SOURCE_DIR "/examples/rotating-beam/beam.inp\n"
            "materials: {stuff: {E: 70 GPa, nu: 0.3, density: 3000 kg/m3}}\n"
            "sections: {beam: {section: general, material: stuff, area: 4e-4, Iz: 2e-7, Iy: 2e-3, "
            "J: 2e-2, ky: 0, kz: 0, orientation: [0, 1, 0]}}\n"
            "markers: {root: {node: 1}, middle: {node: 11}, tip: {node: 21}}\n%s",
            rest);
    fclose(f);
    kl_body_file file;
    kl_kbody    *b = NULL;
    kl_diag     *d = kl_diag_create();
    kl_status    s = kl_body_file_read(path, &file, d);
    if (s == KL_OK) s = kl_reduce(file.mesh, NULL, &file.recipe, &b, NULL, d);
    if (s != KL_OK)
        fail_msg("%s%s", rest, kl_diag_size(d) ? kl_diag_at(d, 0)->text : kl_status_text(s));
    kl_body_file_free(&file);
    kl_diag_destroy(d);
    return b;
}

static double work_of(const double *G, const double *load)
{
    double sum = 0;
    for (int i = 0; i < WIDE; i++)
        for (int j = 0; j < WIDE; j++) sum += load[i] * G[i * WIDE + j] * load[j];
    return sum;
}

static void loads_that_balance_give_the_formulas_of_beams(void **unused)
{
    (void)unused;
    static const char *const references[] = {
        "modes: 3\n", "modes: 5\nstatics: attachment\ninterfaces: {tip: [y]}\n",
        "modes: 3\nreference: {1: all}\n", "modes: 3\nreference: {1: [x, y, z, rx], 21: [y, z]}\n"};
    for (int i = 0; i < 4; i++) {
        kl_kbody *b = beam(references[i]);
        assert_non_null(b->compliance);
        double pull[WIDE] = {0}, bend[WIDE] = {0}, couple[WIDE] = {0};
        pull[6 * ROOT] = -1, pull[6 * TIP] = 1;
        bend[6 * ROOT + 1] = bend[6 * TIP + 1] = -0.5, bend[6 * MIDDLE + 1] = 1;
        couple[6 * ROOT + 5] = -1, couple[6 * TIP + 5] = 1;
        assert_close(work_of(b->compliance, pull) / (L / EA), 1, 1e-6);
        assert_close(work_of(b->compliance, bend) / (L * L * L / (48 * EI)), 1, 1e-6);
        assert_close(work_of(b->compliance, couple) / (L / EI), 1, 1e-6);
        kl_kbody_destroy(b);
    }
}

static void modes_reach_it_from_below_and_static_ones_at_once(void **unused)
{
    (void)unused;
    kl_kbody *b = beam("modes: 60\n");
    double    G[WIDE * WIDE], before = 0;
    int       y = 6 * TIP + 1, at = y * WIDE + y;
    for (int k = 1; k <= 60; k++) {
        assert_int_equal(kl_compliance_of_modes(b, k, NULL, G), KL_OK);
        assert_true(G[at] >= before && G[at] <= b->compliance[at] * (1 + 1e-9));
        before = G[at];
    }
    assert_close(before / b->compliance[at], 1, 1e-4);
    assert_int_equal(kl_compliance_of_modes(b, 0, NULL, G), KL_OK);
    assert_close(G[at], 0, 0);
    double whole = b->compliance[at];
    kl_kbody_destroy(b);
    /* a force along y at the tip is an interface, a couple there is not */
    b = beam("modes: 2\nstatics: attachment\ninterfaces: {tip: [y]}\n");
    assert_int_equal(kl_compliance_of_modes(b, b->nmode, NULL, G), KL_OK);
    assert_close(G[at] / whole, 1, 1e-8);
    assert_true(G[(y + 4) * WIDE + y + 4] < 0.99 * b->compliance[(y + 4) * WIDE + y + 4]);
    /* chosen by number, in any order */
    const int two[2] = {1, 0};
    double    H[WIDE * WIDE];
    assert_int_equal(kl_compliance_of_modes(b, 2, two, G), KL_OK);
    assert_int_equal(kl_compliance_of_modes(b, 2, NULL, H), KL_OK);
    for (int i = 0; i < WIDE * WIDE; i++) assert_close(G[i], H[i], 1e-12 * fabs(whole));
    kl_kbody_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_that_balance_give_the_formulas_of_beams),
        cmocka_unit_test(modes_reach_it_from_below_and_static_ones_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
