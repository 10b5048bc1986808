/* Bodies of finite elements that a model describes in place: no mesh file, no body file. */
#include <math.h>
#include <stdlib.h>

#include "reduce/kbody.h"
#include "reference/write_model.h"
#include "unit/build_model.h"

static const double PI = 3.14159265358979323846;

static const char *rod(char *text, size_t size, const char *mesh, const char *file)
{
    snprintf(text, size,
             "klingel: 1\nbodies:\n  rod:\n    type: flexible\n    file:%s\n      mesh: %s\n"
             "      materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850}}\n"
             "      sections: {line: {material: steel, section: circle, radius: 5 mm}}\n"
             "      markers: {left: {at: [0, 0, 0]}, right: {at: [1, 0, 0]}}\n",
             file, mesh);
    return text;
}

static double first_frequency(int parts)
{
    char text[1000], mesh[100];
    snprintf(mesh, sizeof mesh, "{line: [[0, 0, 0], [1 m, 0, 0]], parts: %d}", parts);
    built  b = must_build(rod(text, sizeof text, mesh, ""));
    double f = b.model->kbody[0]->frequency[0];
    built_free(&b);
    return f;
}

/* Free beam of Euler: beta L = 4.730041. Shear and rotary inertia lower it by (r/L)^2 times some
 * tens: r/L = 0.0025. */
static void a_free_rod_has_the_frequency_of_the_book(void **unused)
{
    (void)unused;
    double r = 0.0025, c = sqrt(210e9 / 7850.0);
    double book = 4.730040745 * 4.730040745 / (2.0 * PI) * r * c;
    double fine = first_frequency(16);
    assert_close(fine / book, 1.0, 5e-4);
    assert_true(fabs(first_frequency(4) - book) > 4.0 * fabs(first_frequency(8) - fine));
}

static void what_check_prints_in_full_gives_the_same_body(void **unused)
{
    (void)unused;
    char  text[1000];
    built b = must_build(
        rod(text, sizeof text, "{line: [[0, 0, 0], [1 m, 0, 0]]}", "\n      title: a rod, round"));
    kl_text t = {0};
    kl_write_model(&t, b.model);
    char *full  = kl_text_finish(&t);
    built again = must_build(full);
    assert_int_equal(again.model->nkbody, 1);
    assert_int_equal(again.model->kbody[0]->nmode, b.model->kbody[0]->nmode);
    assert_memory_equal(again.model->kbody[0]->frequency, b.model->kbody[0]->frequency,
                        (size_t)b.model->kbody[0]->nmode * sizeof(double));
    free(full);
    built_free(&again);
    built_free(&b);
}

static void bodies_that_are_alike_are_reduced_once(void **unused)
{
    (void)unused;
    char text[1200];
    rod(text, sizeof text, "{line: [[0, 0, 0], [1 m, 0, 0]]}", "");
    strcat(text, "  other: {like: rod, position: [0, 1, 0]}\n");
    built b = must_build(text);
    assert_int_equal(b.model->nkbody, 1);
    built_free(&b);
}

static void parameters_of_the_model_and_of_the_body_hold_in_it(void **unused)
{
    (void)unused;
    static const char text[] =
        "klingel: 1\nparameters: {L: 2 m, d: 10 mm, shape: circle, n: 16}\nbodies:\n  "
        "\"rod{i}\":\n    for: "
        "{i: 1..2}\n    type: flexible\n    position: [0, i, 0]\n    file:\n      title: the L of "
        "n\n      parameters: {r: d/2, n: 12}\n      mesh: {line: [[0, 0, 0], [i*L/2, 0, 0]], "
        "parts: "
        "n}\n      materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850}}\n      sections: "
        "{line: "
        "{material: steel, section: shape, radius: r}}\n";
    built   b    = must_build(text);
    double  book = 4.730040745 * 4.730040745 / (2.0 * PI) * 0.0025 * sqrt(210e9 / 7850.0);
    kl_text t    = {0};
    assert_int_equal(b.model->nkbody, 2);
    assert_close(b.model->kbody[0]->frequency[0] / book, 1.0, 1e-3);
    assert_close(b.model->kbody[1]->frequency[0] / book, 0.25, 1e-3);
    kl_write_model(&t, b.model);
    char *full  = kl_text_finish(&t);
    built again = must_build(full);
    assert_memory_equal(again.model->kbody[1]->frequency, b.model->kbody[1]->frequency,
                        (size_t)b.model->kbody[1]->nmode * sizeof(double));
    free(full);
    built_free(&again);
    built_free(&b);
}

static void a_line_that_is_none_is_told(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"{line: [[0, 0, 0]]}", "two points or more"},
        {"{}", "give the name of a file, or {line:"},
        {"{line: [[0, 0, 0], [1, 0, 0]], parts: 0}", "parts is 0; give 1 to"},
        {"{line: [[0, 0, 0], [1, 0, 0]], parts: 1e9}", "parts"},
        {"{line: [[0, 0, 0], [1, 0]]}", "mesh: line"},
        {"{line: [[0, 0, 0], [0, 0, 0]]}", ""},
        {"{lines: [[0, 0, 0], [1, 0, 0]]}", "did you mean `line`"},
        {"none.msh", "none.msh"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char  text[1000];
        built b;
        assert_int_not_equal(try_build(rod(text, sizeof text, cases[i][0], ""), &b), KL_OK);
        bool told = false;
        for (int k = 0; k < kl_diag_size(b.diag); k++)
            told |= strstr(kl_diag_at(b.diag, k)->text, cases[i][1]) != NULL;
        if (!told) print_messages(b.diag);
        assert_true(told);
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_rod_has_the_frequency_of_the_book),
        cmocka_unit_test(what_check_prints_in_full_gives_the_same_body),
        cmocka_unit_test(bodies_that_are_alike_are_reduced_once),
        cmocka_unit_test(parameters_of_the_model_and_of_the_body_hold_in_it),
        cmocka_unit_test(a_line_that_is_none_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
