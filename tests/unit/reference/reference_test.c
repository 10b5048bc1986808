/* The reference is made from the tables; whatever it shows must work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "language/build.h"
#include "reference/reference.h"
#include "solve/simulation.h"
#include "unit/test.h"

enum { MOST = 256 };

static void show(const kl_diag *d, const char *what, const char *text)
{
    for (int i = 0; i < kl_diag_size(d); i++)
        fprintf(stderr, "%s: %s\n", what, kl_diag_at(d, i)->text);
    if (kl_diag_failed(d)) fprintf(stderr, "%s\n", text);
}

/* Builds the text and runs it for some steps. */
static void assert_runs(const char *name, const char *text)
{
    kl_diag       *d      = kl_diag_create();
    kl_source     *s      = NULL;
    kl_model      *m      = NULL;
    kl_simulation *r      = NULL;
    kl_status      status = kl_source_parse(text, strlen(text), name, d, &s);
    if (status == KL_OK) status = kl_source_build(s, NULL, 0, d, &m);
    if (status == KL_OK) status = kl_simulation_create(m, d, &r);
    if (status == KL_OK) status = kl_simulation_start(r, d);
    while (status == KL_OK && r->solver->s->t < 0.05) status = kl_simulation_step(r, 0.05, d);
    show(d, name, text);
    assert_int_equal(status, KL_OK);
    kl_simulation_destroy(r);
    kl_model_destroy(m);
    kl_source_destroy(s);
    kl_diag_destroy(d);
}

static void every_example_of_a_type_runs_in_any_folder(void **unused)
{
    (void)unused;
    kl_page pages[MOST];
    int     n = kl_reference_pages(pages, MOST), tried = 0;
    char    home[4096], elsewhere[]                    = "/tmp/klingel-help-XXXXXX";
    assert_non_null(getcwd(home, sizeof home));
    assert_non_null(mkdtemp(elsewhere));
    assert_int_equal(chdir(elsewhere), 0);
    for (int i = 0; i < n; i++) {
        if (!pages[i].body && !pages[i].element) continue;
        kl_text t = {0};
        kl_reference_example(&t, &pages[i]);
        char *text = kl_text_finish(&t);
        if (strlen(text) == 0) fail_msg("%s has no example", pages[i].name);
        assert_runs(pages[i].name, text);
        free(text);
        tried++;
    }
    assert_true(tried > 20);
    assert_int_equal(chdir(home), 0);
    assert_int_equal(rmdir(elsewhere), 0); /* and nothing is left behind */
}

static void every_page_has_a_name_of_its_own_and_says_something(void **unused)
{
    (void)unused;
    kl_page pages[MOST];
    int     n = kl_reference_pages(pages, MOST);
    assert_true(n < MOST);
    for (int i = 0; i < n; i++) {
        assert_non_null(pages[i].help);
        for (int k = 0; k < i; k++) assert_string_not_equal(pages[i].name, pages[k].name);
        kl_page found;
        assert_true(kl_reference_find(pages[i].name, &found));
        for (int style = KL_PAGE_TERMINAL; style <= KL_PAGE_MARKDOWN; style++) {
            kl_text t = {0};
            kl_reference_write(&t, &pages[i], style);
            char *text = kl_text_finish(&t);
            assert_true(strlen(text) > 60);
            free(text);
        }
    }
}

static void every_key_has_help_and_a_unit_that_reads(void **unused)
{
    (void)unused;
    kl_page pages[MOST];
    int     n = kl_reference_pages(pages, MOST);
    for (int i = 0; i < n; i++)
        for (const kl_key *k = pages[i].keys; k && k->name; k++) {
            assert_non_null(k->help);
            if (k->unit && !strpbrk(k->unit, "?|*") && !strstr(k->unit, " over "))
                assert_true(kl_unit_parse(k->unit, NULL, NULL));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_of_a_type_runs_in_any_folder),
        cmocka_unit_test(every_page_has_a_name_of_its_own_and_says_something),
        cmocka_unit_test(every_key_has_help_and_a_unit_that_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
