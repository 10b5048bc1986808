/* Every command that the guide shows is run, in its order, in an empty folder; models that it shows
 * are saved under the name that stands before them. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/test.h"

/* The last `name.yaml` in the text before `end`. */
static void name_before(const char *text, const char *end, char name[100])
{
    snprintf(name, 100, "model.yaml");
    for (const char *p = text; (p = strchr(p, '`')) != NULL && p < end; p++) {
        size_t n = strcspn(p + 1, "`\n ");
        if (n > 5 && n < 90 && strncmp(p + 1 + n - 5, ".yaml", 5) == 0 && p[1 + n] == '`')
            snprintf(name, 100, "%.*s", (int)n, p + 1);
    }
}

static void save(const char *name, const char *text, size_t n)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fwrite(text, 1, n, f);
    fclose(f);
}

static int run_lines(const char *page, const char *text, size_t n)
{
    int count = 0;
    for (const char *p = text; p < text + n;) {
        int  length = (int)strcspn(p, "\n");
        char command[2000];
        if (strncmp(p, "klingel ", 8) == 0) {
            snprintf(command, sizeof command,
                     "PATH=\"$(dirname '%s')\":$PATH; %.*s >out 2>&1; code=$?; "
                     "test $code -eq 0 -o $code -eq 4 || { cat out; exit 1; }", /* 4: a limit */
                     KL_PROGRAM, length, p);
            if (system(command) != 0) fail_msg("%s: `%.*s` failed", page, length, p);
            count++;
        }
        p += length + 1;
    }
    return count;
}

static int run_page(const char *page)
{
    char  path[300];
    char *text  = calloc(1, 1 << 18);
    int   count = 0;
    snprintf(path, sizeof path, KL_SOURCE_DIR "/docs/guide/%s", page);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, (1 << 18) - 1, f) > 0);
    fclose(f);
    for (char *p = text; (p = strstr(p, "\n```")) != NULL;) {
        char *start = strchr(p + 1, '\n') + 1, *end = strstr(start, "```");
        assert_non_null(end);
        char name[100];
        name_before(text, p, name);
        if (strncmp(p, "\n```yaml", 8) == 0) save(name, start, (size_t)(end - start));
        if (strncmp(p, "\n```sh", 6) == 0) count += run_lines(page, start, (size_t)(end - start));
        p = end + 3;
    }
    free(text);
    return count;
}

static void every_command_of_the_guide_works(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/klingel-guide-XXXXXX", back[1000], clean[200];
    assert_non_null(mkdtemp(folder));
    assert_non_null(getcwd(back, sizeof back));
    assert_int_equal(chdir(folder), 0);
    assert_true(run_page("first-hour.md") >= 15);
    assert_true(run_page("looking.md") >= 18);
    assert_true(run_page("editors.md") >= 1);
    (void)run_page("language.md");
    assert_true(run_page("railway-hour.md") >= 22);
    assert_int_equal(chdir(back), 0);
    snprintf(clean, sizeof clean, "rm -r %s", folder);
    assert_int_equal(system(clean), 0);
}

/* What `klingel demo` says there is to see. */
static void every_demo_shows_what_it_says(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *channels, *law;
    } claims[] = {
        {"pendulum", "energy.lost energy.total", "NR == 2 {e = $3} END {exit !($2 > 0 && $3 < e)}"},
        {"four-bar", "time drift.position", "NR > 1 && $2 > 1e-9 {exit 1}"},
        {"slider-crank", "stroke", /* its length is twice the crank */
         "NR > 1 {if ($2 < a) a = $2} END {exit !(a < -0.0999 && a > -0.1001)}"},
        {"cart", "hinge.angle rail.displacement",
         "NR == 2 {a = $2} END {exit !(a > 0.13 && $2*$2 < 1e-4 && $3*$3 < 0.0025)}"},
        {"quarter-car", "wheel.position.z body.position.z",
         "NR > 1 {if ($2 - 0.3 > w) w = $2 - 0.3; if ($3 - 0.8 > b) b = $3 - 0.8}"
         "END {exit !(w > 0.03 && b < 0.6*w)}"},
    };
    char folder[] = "/tmp/klingel-demo-XXXXXX", command[3000];
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        snprintf(command, sizeof command,
                 "cd %s && '%s' demo %s >out 2>&1 && '%s' export demo-%s.h5 %s | awk -F, '%s'",
                 folder, KL_PROGRAM, claims[i].name, KL_PROGRAM, claims[i].name, claims[i].channels,
                 claims[i].law);
        if (system(command) != 0) fail_msg("%s does not show it", claims[i].name);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_of_the_guide_works),
        cmocka_unit_test(every_demo_shows_what_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
