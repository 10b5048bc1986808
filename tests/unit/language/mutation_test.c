/* Mutations that stay valid must run. tests/corpus/good has small models, one a feature; here they
 * are changed in ways that leave them models: comments, sections in another order and other names
 * must not change a bit of the motion; other masses, stiffnesses and loads must run. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "klingel/klingel.h"
#include "unit/test.h"

enum { LONGEST = 1 << 16, MOST_BLOCKS = 64, STEPS = 4, MOST_CHANNELS = 2000 };

/* ---- texts ---- */

typedef struct text {
    char *at;
    int   n;
} text;

static void put(text *t, const char *from, size_t n)
{
    assert_true(t->n + (int)n < LONGEST);
    memcpy(t->at + t->n, from, n);
    t->n += (int)n;
    t->at[t->n] = '\0';
}

static unsigned next(unsigned *seed) { return (*seed = *seed * 1664525u + 1013904223u) >> 8; }

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-'; }

/* Sections: blocks that begin with a letter or quote in the first column. Returns how many. */
static int sections(const char *model, const char *block[MOST_BLOCKS + 1])
{
    int n = 0;
    for (const char *p = model; *p && n < MOST_BLOCKS; p = strchr(p, '\n') + 1) {
        if (isalpha((unsigned char)*p)) block[n++] = p;
        if (!strchr(p, '\n')) break;
    }
    block[n] = model + strlen(model);
    return n;
}

/* ---- mutations ---- */

static void with_comments(const char *model, unsigned seed, text *out)
{
    for (const char *p = model; *p;) {
        size_t n = strcspn(p, "\n");
        put(out, p, n);
        if (n == 0 || next(&seed) % 2) put(out, "   # a note: {x: [1, 2", 22);
        put(out, "\n", 1);
        if (next(&seed) % 3 == 0) put(out, "# - another\n\n", 13);
        p += n + (p[n] == '\n');
    }
}

static void in_other_order(const char *model, unsigned seed, text *out)
{
    const char *block[MOST_BLOCKS + 1];
    int         n = sections(model, block), order[MOST_BLOCKS];
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = (int)(next(&seed) % (unsigned)(i + 1)), was = order[i];
        order[i] = order[k];
        order[k] = was;
    }
    for (int i = 0; i < n; i++)
        put(out, block[order[i]], (size_t)(block[order[i] + 1] - block[order[i]]));
}

static int count_keys(const char *model, const char *name, size_t n)
{
    int count = 0;
    for (const char *p = strstr(model, name); p; p = strstr(p + 1, name))
        count += (p == model || !is_word(p[-1])) && p[n] == ':';
    return count;
}

/* The k-th name at the left of a line of a section that holds names; NULL: no more. */
static const char *name_of(const char *model, int k, size_t *n)
{
    for (const char *line = model; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "  ", 2) != 0 || !isalpha((unsigned char)line[2])) continue;
        size_t length = 0;
        while (is_word(line[2 + length])) length++;
        if (line[2 + length] != ':' || k-- > 0) continue;
        *n = length;
        return line + 2;
    }
    return NULL;
}

/* Every whole word `name` becomes `name_x`; what follows a dot is a quantity. */
static void renamed(const char *model, const char *name, size_t n, text *out)
{
    for (const char *p = model; *p; p++) {
        bool whole = strncmp(p, name, n) == 0 && !is_word(p[n]) &&
                     (p == model || (!is_word(p[-1]) && p[-1] != '.' && p[-1] != '"'));
        put(out, p, whole ? n : 1);
        if (whole) put(out, "_x", 2), p += n - 1;
    }
}

/* The value behind `key:` up to the end of its brackets or its comma. */
static size_t value_length(const char *p)
{
    int    depth = 0;
    size_t n     = 0;
    for (; p[n] && p[n] != '\n'; n++) {
        if (strchr("[{(", p[n])) depth++;
        if (strchr("]})", p[n]) && depth-- == 0) return n;
        if (p[n] == ',' && depth == 0) return n;
    }
    return n;
}

/* Numbers of one value times a factor; what belongs to a word (m2, link1) or a power stays. */
static void scale_value(const char *from, size_t n, double factor, text *out)
{
    for (size_t i = 0; i < n;) {
        bool starts = isdigit((unsigned char)from[i]) &&
                      (i == 0 || (!is_word(from[i - 1]) && !strchr("^/.", from[i - 1])) ||
                       (from[i - 1] == '-' && (i == 1 || !is_word(from[i - 2]))));
        if (!starts) {
            put(out, from + i++, 1);
            continue;
        }
        char  *end, number[40];
        double v = strtod(from + i, &end);
        snprintf(number, sizeof number, "%.12g", v * factor);
        put(out, number, strlen(number));
        i = (size_t)(end - from);
    }
}

/* Masses, inertias, stiffnesses and dampings of a line by factors between a half and two. A list
 * keeps its proportions, so that an inertia stays one that a body can have. */
static void scaled(const char *model, unsigned seed, text *out)
{
    static const char *const keys[] = {
        "mass: ", "inertia: ", "stiffness: ", "damping: ", "preload: ", "parallel: ", "gravity: "};
    for (const char *p = model; *p;) {
        size_t i = 0, k = 0, n = sizeof keys / sizeof *keys;
        for (; i < n && strncmp(p, keys[i], strlen(keys[i])) != 0; i++) continue;
        bool whole = i < n && (p == model || !is_word(p[-1]));
        if (!whole) {
            put(out, p++, 1);
            continue;
        }
        k = strlen(keys[i]);
        put(out, p, k);
        size_t length = value_length(p + k);
        scale_value(p + k, length, pow(2.0, (next(&seed) % 2001) / 1000.0 - 1.0), out);
        p += k + length;
    }
}

/* ---- runs ---- */

typedef struct motion {
    int    n;
    double value[MOST_CHANNELS];
} motion;

/* A few steps; fails the test when they cannot be made. */
static void run(const char *model, const char *name, motion *m)
{
    kl_machine *k      = kl_machine_parse(model, strlen(model), name);
    kl_status   status = kl_machine_start(k);
    for (int i = 0; i < STEPS && status == KL_OK; i++) status = kl_machine_step(k, 0.05);
    if (status != KL_OK)
        fail_msg("%s\n%s", kl_machine_messages(k) ? kl_machine_message(k, 0) : "?", model);
    m->n = kl_machine_channels(k);
    assert_true(m->n <= MOST_CHANNELS);
    for (int i = 0; i < m->n; i++) {
        m->value[i] = kl_machine_value(k, i);
        if (!isfinite(m->value[i]))
            fail_msg("%s: %s is %g\n%s", name, kl_machine_channel_name(k, i), m->value[i], model);
    }
    kl_machine_free(k);
}

static int is_model(const struct dirent *d) { return strstr(d->d_name, ".yaml") != NULL; }

/* Mutated models that really differ from the model they come from. */
static int mutants;

typedef void (*check)(const char *model, const char *name, const motion *was);

static void for_all(check c, int least)
{
    mutants = 0;
    struct dirent **list;
    motion         *was   = malloc(sizeof *was);
    char           *model = calloc(1, LONGEST);
    int             n     = scandir(KL_SOURCE_DIR "/tests/corpus/good", &list, is_model, alphasort);
    assert_true(n >= 30 && was && model);
    for (int i = 0; i < n; i++) {
        char path[1024];
        snprintf(path, sizeof path, KL_SOURCE_DIR "/tests/corpus/good/%s", list[i]->d_name);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        model[fread(model, 1, LONGEST - 1, f)] = '\0';
        fclose(f);
        run(model, list[i]->d_name, was);
        c(model, list[i]->d_name, was);
        free(list[i]);
    }
    free((void *)list);
    free(model);
    free(was);
    print_message("%d mutated models ran\n", mutants);
    assert_true(mutants >= least);
}

static void expect_same(const char *model, const char *name, const motion *was)
{
    motion *now = malloc(sizeof *now);
    assert_non_null(now);
    run(model, name, now);
    assert_int_equal(now->n, was->n);
    for (int i = 0; i < was->n; i++)
        if (now->value[i] != was->value[i])
            fail_msg("%s: channel %d is %.17g, was %.17g\n%s", name, i, now->value[i],
                     was->value[i], model);
    free(now);
}

static void check_comments(const char *model, const char *name, const motion *was)
{
    text t = {.at = calloc(1, LONGEST)};
    with_comments(model, (unsigned)strlen(model), &t);
    mutants += strcmp(t.at, model) != 0;
    expect_same(t.at, name, was);
    free(t.at);
}

static void check_order(const char *model, const char *name, const motion *was)
{
    for (unsigned seed = 1; seed <= 3; seed++) {
        text t = {.at = calloc(1, LONGEST)};
        in_other_order(model, seed * 2654435761u, &t);
        mutants += strcmp(t.at, model) != 0;
        expect_same(t.at, name, was);
        free(t.at);
    }
}

static void check_names(const char *model, const char *name, const motion *was)
{
    size_t      n;
    const char *word;
    for (int k = 0; (word = name_of(model, k, &n)) != NULL; k++) {
        char key[128];
        snprintf(key, sizeof key, "%.*s", (int)n, word);
        /* a name that is a key or type too would need a parser to rename; parts of templates need
         * the dotted names renamed */
        if (count_keys(model, key, n) != 1 || strstr(model, "templates:")) continue;
        char type[160];
        snprintf(type, sizeof type, "type: %s", key);
        if (strstr(model, type)) continue;
        text t = {.at = calloc(1, LONGEST)};
        renamed(model, word, n, &t);
        mutants += strcmp(t.at, model) != 0;
        expect_same(t.at, name, was);
        free(t.at);
    }
}

static void check_numbers(const char *model, const char *name, const motion *was)
{
    (void)was;
    motion *now = malloc(sizeof *now);
    assert_non_null(now);
    for (unsigned seed = 1; seed <= 8; seed++) {
        text t = {.at = calloc(1, LONGEST)};
        scaled(model, seed * 2654435761u, &t);
        mutants += strcmp(t.at, model) != 0;
        run(t.at, name, now);
        free(t.at);
    }
    free(now);
}

static void comments_change_nothing(void **unused)
{
    (void)unused;
    for_all(check_comments, 40);
}
static void the_order_of_sections_changes_nothing(void **unused)
{
    (void)unused;
    for_all(check_order, 100);
}
static void names_change_nothing(void **unused)
{
    (void)unused;
    for_all(check_names, 60);
}
static void other_numbers_run(void **unused)
{
    (void)unused;
    for_all(check_numbers, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_change_nothing),
        cmocka_unit_test(the_order_of_sections_changes_nothing),
        cmocka_unit_test(names_change_nothing),
        cmocka_unit_test(other_numbers_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
