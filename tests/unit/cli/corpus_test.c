/* Malformed models and what is said to them: tests/corpus/bad has each model with the expected
 * messages beside it. `scripts/renew-corpus` writes them anew, to be read by a person. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "unit/test.h"

enum { LONGEST = 1 << 20 };

static int is_model(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 5 && strcmp(d->d_name + n - 5, ".yaml") == 0;
}

static char *read_all(FILE *f, const char *more)
{
    char  *text = calloc(1, LONGEST + 64);
    size_t n    = text ? fread(text, 1, LONGEST, f) : 0;
    assert_non_null(text);
    memcpy(text + n, more, strlen(more));
    return text;
}

/* What `klingel check` writes to stderr, and its exit code. */
static char *said_to(char *model)
{
    FILE *caught = tmpfile();
    int   out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    char  name[] = "check", *argv[] = {name, model, NULL}, last[32];
    assert_non_null(caught);
    fflush(stdout);
    fflush(stderr);
    dup2(nowhere, STDOUT_FILENO);
    dup2(fileno(caught), STDERR_FILENO);
    int code = kl_command_check.run(2, argv);
    fflush(stdout);
    fflush(stderr);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    close(nowhere);
    rewind(caught);
    snprintf(last, sizeof last, "exit %d\n", code);
    char *text = read_all(caught, last);
    fclose(caught);
    return text;
}

static char *expected_of(const char *model)
{
    char path[512];
    snprintf(path, sizeof path, "%.*s.txt", (int)strlen(model) - 5, model);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("%s is missing; run scripts/renew-corpus", path);
    char *text = read_all(f, "");
    fclose(f);
    return text;
}

static int models(struct dirent ***list)
{
    assert_int_equal(chdir(KL_SOURCE_DIR "/tests/corpus/bad"), 0);
    int n = scandir(".", list, is_model, alphasort);
    assert_true(n > 0);
    return n;
}

static void every_mistake_has_its_message(void **unused)
{
    (void)unused;
    struct dirent **list;
    int             n = models(&list), wrong = 0;
    for (int i = 0; i < n; i++) {
        char *said = said_to(list[i]->d_name), *expected = expected_of(list[i]->d_name);
        if (strcmp(said, expected) != 0 && ++wrong <= 5)
            print_message("%s\n--- expected\n%s--- said\n%s\n", list[i]->d_name, expected, said);
        free(said);
        free(expected);
        free(list[i]);
    }
    free((void *)list);
    print_message("%d malformed models, %d with other messages than expected\n", n, wrong);
    assert_true(n >= 200);
    if (wrong) fail_msg("run scripts/renew-corpus and read the difference");
}

/* "file.yaml:3:5: what": every line but those that count them */
static bool has_a_place(const char *line, const char *model)
{
    size_t n = strlen(model);
    return strncmp(line, model, n) == 0 && line[n] == ':';
}

/* nothing passes without a word, and every word has a place */
static void every_message_has_a_place(void **unused)
{
    (void)unused;
    struct dirent **list;
    int             n = models(&list);
    for (int i = 0; i < n; i++) {
        char *text = expected_of(list[i]->d_name), *rest = NULL;
        int   lines = 0;
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            bool counts = strstr(line, " error") || strstr(line, " warning") ||
                          strncmp(line, "exit ", 5) == 0 || *line == '(';
            bool other = strstr(line, "no such file") != NULL; /* an included one */
            bool shipped =
                strncmp(line, "klingel:", 8) == 0; /* a place in a template of the program */
            bool data = strncmp(line, "profiles/", 9) == 0; /* a place in a file of points */
            if (has_a_place(line, list[i]->d_name) || other || shipped || data) lines++;
            else if (!counts) fail_msg("%s: no place in: %s", list[i]->d_name, line);
        }
        if (lines == 0) fail_msg("%s is accepted without a word", list[i]->d_name);
        free(text);
        free(list[i]);
    }
    free((void *)list);
}

int main(void)
{
    setenv("NO_COLOR", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_has_its_message),
        cmocka_unit_test(every_message_has_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
