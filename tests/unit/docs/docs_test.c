/* What the documents show works: every model in them is built and run for a while, every reference
 * page is the one that the tables give. Set KL_RENEW=1 to write the generated pages anew. */
#include <dirent.h>
#include <stdlib.h>

#include "reference/reference.h"
#include "reference/schema.h"
#include "solve/simulation.h"
#include "unit/build_model.h"

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char  *text = calloc(1, 1 << 20);
    size_t n    = fread(text, 1, (1 << 20) - 1, f);
    text[n]     = '\0';
    fclose(f);
    return text;
}

static void run_model(const char *where, const char *text)
{
    built b;
    if (try_build(text, &b) != KL_OK) {
        print_messages(b.diag);
        fail_msg("%s: the model is not built", where);
    }
    kl_simulation *s      = NULL;
    double         end    = b.model->settings.end < 0.3 ? b.model->settings.end : 0.3;
    kl_status      status = kl_simulation_create(b.model, b.diag, &s);
    if (status == KL_OK) status = kl_simulation_start(s, b.diag);
    while (status == KL_OK && s->solver->s->t < end) status = kl_simulation_step(s, end, b.diag);
    if (status != KL_OK) {
        print_messages(b.diag);
        fail_msg("%s: the model does not run", where);
    }
    kl_simulation_destroy(s);
    built_free(&b);
}

/* Models between ```yaml and ``` that begin with `klingel:`. */
static int run_models(const char *path)
{
    char *text = read_text(path);
    int   n    = 0;
    assert_non_null(text);
    for (char *p = text; (p = strstr(p, "```yaml\n")) != NULL;) {
        char *start = p + 8, *end = strstr(start, "```");
        assert_non_null(end);
        *end = '\0';
        if (strncmp(start, "klingel:", 8) == 0) {
            run_model(path, start);
            n++;
        }
        p = end + 1;
    }
    free(text);
    return n;
}

static int run_folder(const char *folder)
{
    DIR *d = opendir(folder);
    int  n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char path[600];
        snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
        if (strlen(e->d_name) > 3 && strcmp(e->d_name + strlen(e->d_name) - 3, ".md") == 0)
            n += run_models(path);
    }
    closedir(d);
    return n;
}

static void every_recipe_runs(void **unused)
{
    (void)unused;
    assert_true(run_folder(KL_SOURCE_DIR "/docs/recipes") >= 20);
}

static void every_model_of_the_guide_runs(void **unused)
{
    (void)unused;
    assert_true(run_folder(KL_SOURCE_DIR "/docs/guide") >= 1);
}

static void assert_current(const char *name, kl_text *t)
{
    char  path[300];
    char *want = kl_text_finish(t);
    snprintf(path, sizeof path, KL_SOURCE_DIR "/docs/reference/%s", name);
    if (getenv("KL_RENEW")) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        fputs(want, f);
        fclose(f);
    }
    char *have = read_text(path);
    if (!have || strcmp(have, want) != 0)
        fail_msg("docs/reference/%s is not what the tables say; renew it with KL_RENEW=1 "
                 "build/tests/unit-docs-docs_test",
                 name);
    free(have);
    free(want);
}

static void the_reference_is_what_the_tables_say(void **unused)
{
    (void)unused;
    kl_page pages[256];
    int     n = kl_reference_pages(pages, 256);
    for (int i = 0; i < n; i++) {
        char    name[100];
        kl_text t = {0};
        snprintf(name, sizeof name, "%.80s.md", pages[i].name);
        kl_reference_write(&t, &pages[i], KL_PAGE_MARKDOWN);
        assert_current(name, &t);
    }
    kl_text index = {0}, schema = {0};
    kl_text_add(&index, "# Reference\n\nMade from the tables of the program; `klingel help NAME` "
                        "shows the same pages.\n");
    kl_reference_list(&index, KL_PAGE_MARKDOWN);
    assert_current("README.md", &index);
    kl_schema_write(&schema);
    assert_current("klingel.schema.json", &schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recipe_runs),
        cmocka_unit_test(every_model_of_the_guide_runs),
        cmocka_unit_test(the_reference_is_what_the_tables_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
