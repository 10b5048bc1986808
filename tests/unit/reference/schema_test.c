/* The schema for editors takes every model that the program takes, and marks what it refuses where
 * keys, words and shapes are wrong. */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#include "reference/reference.h"
#include "reference/schema.h"
#include "unit/reference/json_schema.h"

typedef struct world {
    kl_arena   *arena;
    json_schema schema;
} world;

static int open_schema(void **state)
{
    static world w;
    kl_text      t = {0};
    kl_schema_write(&t);
    char    *text = kl_text_finish(&t);
    kl_node *root = NULL;
    kl_diag *d    = kl_diag_create();
    w.arena       = kl_arena_create();
    if (kl_doc_parse(text, strlen(text), "schema", w.arena, d, &root) != KL_OK) return 1;
    w.schema.root = root;
    kl_diag_destroy(d);
    free(text);
    *state = &w;
    return 0;
}

static int close_schema(void **state)
{
    kl_arena_destroy(((world *)*state)->arena);
    return 0;
}

static bool accepts(world *w, const char *text)
{
    kl_arena *a    = kl_arena_create();
    kl_diag  *d    = kl_diag_create();
    kl_node  *root = NULL;
    bool      good = kl_doc_parse(text, strlen(text), "text", a, d, &root) == KL_OK &&
                json_valid(&w->schema, w->schema.root, root);
    kl_diag_destroy(d);
    kl_arena_destroy(a);
    return good;
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char  *text = calloc(1, 1 << 21);
    size_t n    = fread(text, 1, (1 << 21) - 1, f);
    text[n]     = '\0';
    fclose(f);
    return text;
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* A model has `klingel:` at the start of a line, before anything but comments. */
static bool is_model(const char *text)
{
    while (*text == '#' || *text == '\n') text += *text == '#' ? strcspn(text, "\n") : 1;
    return strncmp(text, "klingel:", 8) == 0 && !strstr(text, "\ntrack:") &&
           !strstr(text, "\nmesh:");
}

static int try_models(world *w, const char *path)
{
    char *text = read_text(path);
    int   n    = 0;
    assert_non_null(text);
    if (ends_in(path, ".md"))
        for (char *p = text; (p = strstr(p, "```yaml\n")) != NULL;) {
            char *start = p + 8, *end = strstr(start, "```");
            assert_non_null(end);
            *end = '\0';
            if (is_model(start) && ++n && !accepts(w, start))
                fail_msg("%s: %s", path, w->schema.why);
            p = end + 1;
        }
    else if (is_model(text) && ++n && !accepts(w, text)) fail_msg("%s: %s", path, w->schema.why);
    free(text);
    return n;
}

static int try_folder(world *w, const char *folder)
{
    DIR *d = opendir(folder);
    int  n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char        path[1000];
        struct stat info;
        snprintf(path, sizeof path, "%s/%.300s", folder, e->d_name);
        if (e->d_name[0] == '.' || stat(path, &info) != 0) continue;
        if (S_ISDIR(info.st_mode)) n += try_folder(w, path);
        else if (ends_in(path, ".yaml") || ends_in(path, ".md")) n += try_models(w, path);
    }
    closedir(d);
    return n;
}

static void every_good_model_is_accepted(void **state)
{
    world *w = *state;
    assert_true(try_folder(w, KL_SOURCE_DIR "/examples") >= 15);
    assert_true(try_folder(w, KL_SOURCE_DIR "/docs/recipes") >= 20);
    assert_true(try_folder(w, KL_SOURCE_DIR "/docs/guide") >= 1);
    assert_true(try_folder(w, KL_SOURCE_DIR "/docs/reference") >= 20);
    assert_true(try_folder(w, KL_SOURCE_DIR "/tests/corpus/good") >= 30);
}

#define JOINT "klingel: 1\nbodies: {a: {mass: 1}}\njoints: {j: "
#define FORCE "klingel: 1\nbodies: {a: {mass: 1}}\nforces: {f: "

static void what_the_parser_refuses_is_marked(void **state)
{
    static const char *const cases[] = {
        "klingel: 1\nbodies: {a: {mas: 1}}",
        "klingel: 1\nbodies: {a: {mass: -1}}",
        "klingel: 1\nbodies: {a: {mass: -1 kg}}",
        "klingel: 1\nbodies: {a: {type: rigd, mass: 1}}",
        "klingel: 1\nbodies: {a: {like: b, mas: 1}}",
        "klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 2]}}",
        "klingel: 1\nbodies: {a: {mass: 1, position: [1, 2]}}",
        "klingel: 1\nbodies: {a: {mass: 1, orientation: {axs: z}}}",
        "klingel: 1\nbodies: {a: {mass: 1, markers: {p: {att: [0, 0, 0]}}}}",
        "klingel: 1\nbodies: {a: {mass: 1, shape: {bx: [1, 1, 1]}}}",
        "klingel: 1\nbodies: {a: {mass: 1, fixed: [positon]}}",
        "klingel: 1\nbodies: {ground: {mass: 1}}",
        "klingel: 1\nbody: {a: {mass: 1}}",
        JOINT "{type: revolute, between: [ground, a], at: [0, 0, 0], stiffness: 3}}",
        JOINT "{between: [ground, a], at: [0, 0, 0]}}",
        JOINT "{type: revolut, between: [ground, a], at: [0, 0, 0]}}",
        JOINT "{type: revolute, at: [0, 0, 0]}}",
        JOINT "{type: revolute, between: [a], at: [0, 0, 0]}}",
        JOINT "{type: revolute, between: [ground, a], at: [0, 0, 0], start: {angel: 1}}}",
        JOINT "{type: spring-damper, between: [ground, a], at: [0, 0, 0]}}",
        JOINT "{like: k, axs: z}}",
        JOINT "{type: driver, of: k, value: {polynom: [1]}}}",
        JOINT "{type: driver, of: k, value: {step: {to: 1, ende: 1}}}}",
        JOINT "{type: driver, of: k, coordinate: angel, value: 1}}",
        FORCE "{type: spring-damper, between: [ground, a], at: [0, 0, 0], dampng: 1}}",
        FORCE "{type: controller, outputs: {T: j.torque}}}",
        FORCE "{type: torque, on: a}}",
        "klingel: 1\nintegrator: {type: rk4}",
        "klingel: 1\nintegrator: {tolerance: -1}",
        "klingel: 1\nrun: {ende: 1}",
        "klingel: 1\ninputs: {u: {unt: N}}",
        "klingel: 1\noutputs: {o: {off: a}}",
        "klingel: 1\nparts: {p: {at: [0, 0, 0]}}",
        "klingel: 1\ntemplates: {t: {bodies: {a: {mas: 1}}}}",
        "klingel: 2",
        "bodies: {a: {mass: 1}}"};
    world *w = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (accepts(w, cases[i])) fail_msg("the schema takes %s", cases[i]);
}

static void parameters_loops_and_like_stay_possible(void **state)
{
    static const char *const cases[] = {
        "klingel: 1\nbodies: {a: {mass: m, inertia: [J, J, 2*J]}, b: {like: a, position: [L, 0, "
        "0]}}",
        "klingel: 1\nbodies: {a: {mass: 2*m - 1 kg}, b: {mass: \"-m\"}, c: {mass: -x + 1 kg}}",
        "klingel: 1\nbodies: {a: {type: \"{kind}\", mass: 1}}",
        JOINT "{type: \"{kind}\", between: [\"a{i}\", b], at: [0, 0, 0]}}",
        JOINT "{like: k, at: [0, 0, 1]}}",
        JOINT "{like: t.k, type: spherical}}",
        JOINT "{type: driver, of: k, coordinate: \"{what}\", value: {input: u}}}",
        "klingel: 1\nintegrator: {type: \"{method}\"}",
        "klingel: 1\nbodies:\njoints:\nrun:"};
    world *w = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!accepts(w, cases[i])) fail_msg("%s: %s", cases[i], w->schema.why);
}

/* Wherever the program speaks of an unknown key or a missing type, the editor does too. */
static void unknown_keys_of_the_corpus_are_marked(void **state)
{
    world *w = *state;
    DIR   *d = opendir(KL_SOURCE_DIR "/tests/corpus/bad");
    int    n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char path[1000];
        if (!ends_in(e->d_name, ".txt")) continue;
        snprintf(path, sizeof path, KL_SOURCE_DIR "/tests/corpus/bad/%.300s", e->d_name);
        char *told       = read_text(path);
        bool  mine       = strstr(told, ": unknown key `") || strstr(told, "type is missing");
        bool  else_where = strstr(told, " in track") || strstr(told, " in surface") ||
                          strstr(told, "in layout") || strstr(told, "in body file");
        free(told);
        if (!mine || else_where) continue;
        strcpy(path + strlen(path) - 4, ".yaml");
        char *model = read_text(path);
        assert_non_null(model);
        if (accepts(w, model)) fail_msg("the schema takes %s", path);
        free(model);
        n++;
    }
    closedir(d);
    assert_true(n >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_good_model_is_accepted),
        cmocka_unit_test(what_the_parser_refuses_is_marked),
        cmocka_unit_test(parameters_loops_and_like_stay_possible),
        cmocka_unit_test(unknown_keys_of_the_corpus_are_marked),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
