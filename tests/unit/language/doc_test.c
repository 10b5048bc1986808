#include "language/doc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "unit/test.h"

typedef struct fixture {
    kl_arena *arena;
    kl_diag  *diag;
    kl_node  *root;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->arena   = kl_arena_create();
    f->diag    = kl_diag_create();
    *state     = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    kl_arena_destroy(f->arena);
    kl_diag_destroy(f->diag);
    free(f);
    return 0;
}

static kl_node *parse(fixture *f, const char *text)
{
    f->root = NULL;
    if (kl_doc_parse(text, strlen(text), "f.yaml", f->arena, f->diag, &f->root) != KL_OK)
        fail_msg("%s", kl_diag_size(f->diag) ? kl_diag_at(f->diag, 0)->text : "no message");
    return f->root;
}

static void is_text(const kl_node *n, const char *text, bool quoted)
{
    assert_non_null(n);
    assert_int_equal(n->kind, KL_SCALAR);
    assert_string_equal(n->text, text);
    assert_int_equal(n->quoted, quoted);
}

static void is_at(kl_place p, int line, int column)
{
    assert_string_equal(p.file, "f.yaml");
    assert_int_equal(p.line, line);
    assert_int_equal(p.column, column);
}

static void the_tree_keeps_order_and_places(void **state)
{
    const kl_node *root = parse(*state, "# a comment\n"
                                        "title: Double pendulum\n"
                                        "list: [1 mm, \"two\", {three: ~}]\n"
                                        "bodies:\n"
                                        "  upper: {mass: m}\n"
                                        "  b\xc3\xbchne:   'x'\n"
                                        "empty:\n"
                                        "items:\n"
                                        "- a\n"
                                        "-   b\n"
                                        "text: |\n"
                                        "  one\n"
                                        "  two\n");
    assert_int_equal(root->kind, KL_MAP);
    assert_int_equal(root->size, 6);
    is_text(kl_node_get(root, "title"), "Double pendulum", false);
    is_at(kl_node_get(root, "title")->place, 2, 8);
    is_at(kl_node_get(root, "title")->key_place, 2, 1);
    const kl_node *list = kl_node_get(root, "list");
    is_text(list->first, "1 mm", false);
    assert_null(list->first->key);
    is_text(list->first->next, "two", true);
    is_at(list->first->next->place, 3, 15);
    is_text(kl_node_get(list->first->next->next, "three"), "~", false);
    assert_null(list->first->next->next->next);
    const kl_node *bodies = kl_node_get(root, "bodies");
    is_text(kl_node_get(kl_node_get(bodies, "upper"), "mass"), "m", false);
    is_text(kl_node_get(bodies, "b\xc3\xbchne"), "x", true);
    is_at(kl_node_get(bodies, "b\xc3\xbchne")->place, 6, 13); /* columns count characters */
    is_text(kl_node_get(root, "empty"), "", false);
    const kl_node *items = kl_node_get(root, "items");
    assert_int_equal(items->kind, KL_LIST);
    is_text(items->first->next, "b", false);
    is_at(items->first->next->place, 10, 5);
    is_text(kl_node_get(root, "text"), "one\ntwo\n", true);
    assert_null(kl_node_get(root, "nothing"));
    assert_null(kl_node_get(NULL, "nothing"));
    assert_null(kl_node_get(list, "nothing"));
}

static void json_is_read_too(void **state)
{
    const kl_node *root =
        parse(*state, "{\"a\": [1, 2.5e3, true, null, {\"b\": \"c\\u00e4\\n\"}]}");
    const kl_node *a = kl_node_get(root, "a");
    assert_int_equal(a->size, 5);
    is_text(a->first->next, "2.5e3", false);
    is_text(a->first->next->next->next, "null", false);
    is_text(kl_node_get(a->first->next->next->next->next, "b"), "c\xc3\xa4\n", true);
}

static void a_byte_order_mark_and_line_ends_of_windows_do_no_harm(void **state)
{
    const kl_node *root = parse(*state, "\xef\xbb\xbf"
                                        "a: 1\r\nb: 2\r\n");
    is_text(kl_node_get(root, "a"), "1", false);
    is_at(kl_node_get(root, "a")->place, 1, 4);
    is_text(kl_node_get(root, "b"), "2", false);
    is_at(kl_node_get(root, "b")->place, 2, 4);
}

static void aliases_repeat_and_merges_fill_in(void **state)
{
    const kl_node *root = parse(*state, "a: &a {p: 1, q: 2}\n"
                                        "b: &b {q: 20, s: 4}\n"
                                        "c: {q: 3, <<: *a, r: 4}\n"
                                        "d: {<<: [*a, *b], t: 5}\n"
                                        "e: *a\n"
                                        "f: [*a, *b]\n"
                                        "g: {\"<<\": 3}\n"
                                        "h: {<<: {p: 1}, p: 2}\n");
    const kl_node *c = kl_node_get(root, "c"), *d = kl_node_get(root, "d");
    assert_int_equal(c->size, 3);
    is_text(c->first, "3", false);
    is_text(c->first->next, "1", false);
    is_text(kl_node_get(c, "r"), "4", false);
    assert_int_equal(d->size, 4);
    is_text(kl_node_get(d, "q"), "2", false); /* the first of a list counts */
    is_text(kl_node_get(d, "s"), "4", false);
    is_at(kl_node_get(d, "s")->place, 2, 18); /* where it is written */
    const kl_node *e = kl_node_get(root, "e");
    assert_string_equal(e->key, "e");
    is_at(e->key_place, 5, 1);
    is_text(kl_node_get(e, "q"), "2", false);
    const kl_node *list = kl_node_get(root, "f");
    assert_int_equal(list->size, 2);
    assert_null(list->first->key);
    is_text(kl_node_get(list->first->next, "s"), "4", false);
    is_text(kl_node_get(kl_node_get(root, "g"), "<<"), "3", false);
    is_text(kl_node_get(kl_node_get(root, "h"), "p"), "2", false);
    assert_int_equal(kl_node_get(root, "a")->size, 2); /* the original is untouched */
}

static void mistakes_are_told_in_our_words_at_their_place(void **state)
{
    static const char *const cases[][2] = {
        {"a: 1\nb: 2\na: 3", "f.yaml:3:1: key `a` occurs twice; it is already given in line 1, "
                             "column 1: remove or rename one"},
        {"a:\n\tb: 1", "f.yaml:2:1: a tab indents this line; use spaces"},
        {"a:\n  b: 1\n\tc: 1", "f.yaml:3:1: a tab indents this line; use spaces"},
        {"a:\n  b: 1\n c: 2", "f.yaml:3:2: this does not line up with the keys above it"},
        {"a: b: c", "f.yaml:1:5: unexpected `:`; put a value that contains `: ` in quotes"},
        {"a: x\n b: 2", "f.yaml:2:3: unexpected `:`"},
        {"a: [1,\n 2\nb: 3", "f.yaml:3:2: `,` or `]` is missing here, in a list that began in line "
                             "1, column 4"},
        {"a: {b: 1", "f.yaml:2:1: `,` or `}` is missing here, in a map that began in line 1"},
        {"a: \"abc\nb: 1", "f.yaml:1:4: this quote is not closed"},
        {"a: 'abc", "f.yaml:1:4: this quote is not closed"},
        {"a: @foo", "f.yaml:1:4: a value cannot start with `@`; put the value in quotes"},
        {"a: `foo`", "f.yaml:1:4: a value cannot start with ```; put the value in quotes"},
        {"a: %foo", "f.yaml:1:4: a value cannot start with `%`; put the value in quotes"},
        {"a: 1\nfoo\nb: 2", "f.yaml:2:1: this is neither `key: value` nor a `- item`"},
        {"", "f.yaml: the file is empty; a model begins with a line such as `klingel: 1`"},
        {"# only this\n", "f.yaml: the file is empty"},
        {"---\n...\n", "f.yaml: the file is empty"},
        {"a: 1\n---\nb: 2", "f.yaml:2:1: a second YAML document starts here; a model file has one"},
        {"a: *x", "f.yaml:1:4: `*x` refers to a value marked `&x`, but no value above is marked so"},
        {"&a [*a]", "f.yaml:1:5: alias `*a` is used inside its own anchor"},
        {"a: &x 1\n*x : 2", "f.yaml:2:1: an alias cannot be a key"},
        {"a: * 3", "f.yaml:1:4: `&` and `*` begin the name of an anchor or alias"},
        {"a: \xe4", "f.yaml:1:4: byte 0xE4 is not UTF-8; save the file as UTF-8"},
        {"\n x: \xc3\xa4\xed\xa0\x80", "f.yaml:2:6: byte 0xED is not UTF-8"},
        {"\x89HDF\r\n\x1a\n..klingel-results..",
         "f.yaml: this is a results file; open it with `klingel view` or `klingel plot`"},
        {"\x89HDF\r\n\x1a\n", "f.yaml: this is an HDF5 file; a model is a YAML text"},
        {"a: \x01",
         "f.yaml:1:4: control character U+0001: this is not a text file; a model is a YAML text"},
        {"a: \xef\xbb\xbf", "f.yaml:1:4: YAML does not allow the character U+FEFF; remove it"},
        {"\xff\xfe"
         "a",
         "f.yaml: this is a binary or UTF-16 file; a model is a YAML text in UTF-8"},
        {"? [a]\n: 1", "f.yaml:1:3: a key must be a word, this is a list"},
        {"{a: 1}: 2", "f.yaml:1:1: a key must be a word, this is a map"},
        {"{\"\": 1}", "f.yaml:1:3: a name is missing before `:`; write one"},
        {"a: !foo x", "f.yaml:1:4: `!foo` is a YAML tag"},
        {"a: !<x", "f.yaml:1:4: a `!` begins a YAML tag"},
        {"a: > 5",
         "f.yaml:1:4: `|` and `>` begin a block of text; put a value that starts with one"},
        {"a: \"\\q\"", "f.yaml:1:5: this is not an escape in double quotes"},
        {"a: \"\\xzz\"", "f.yaml:1:7: hexadecimal digits are missing"},
        {"a: \"\\0\"", "f.yaml:1:4: this text contains \\0"},
        {"a: 1\n- b", "f.yaml:2:1: this does not line up"},
        {"- 1\nb: 2", "f.yaml:2:1: this does not line up with the items above it"},
        {"a: - b", "f.yaml:1:4: a `- item` cannot start here"},
        {"a: \"x\" y", "f.yaml:1:8: this does not line up with the keys above it, or follows a "
                       "value that has already ended"},
        {"%FOO\na: 1", "f.yaml:1:1: a line that starts with `%` is not part of a model"},
        {"%YAML 3.1\n---\na: 1", "f.yaml:1:1: this YAML version is not known"},
        {"<<: 3", "f.yaml:1:1: `<<` takes the alias of a map"},
        {"a: &a [1]\n<<: *a", "f.yaml:2:1: `<<` takes the alias of a map"},
        {"a: {<<: {b: 1}, <<: {c: 1}, d: 1}", NULL},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kl_diag_clear(f->diag);
        f->root = NULL;
        kl_status s =
            kl_doc_parse(cases[i][0], strlen(cases[i][0]), "f.yaml", f->arena, f->diag, &f->root);
        if (!cases[i][1]) {
            assert_int_equal(s, KL_OK);
            continue;
        }
        if (s == KL_OK) fail_msg("`%s` is accepted", cases[i][0]);
        assert_null(f->root);
        assert_int_equal(kl_diag_size(f->diag), 1);
        if (strncmp(kl_diag_at(f->diag, 0)->text, cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("`%s`: %s", cases[i][0], kl_diag_at(f->diag, 0)->text);
    }
}

static void all_keys_that_stand_twice_are_told_in_one_run(void **state)
{
    fixture    *f    = *state;
    const char *text = "a: {x: 1, x: 2}\nb: {y: 1, z: 1, y: 2, y: 3}\n";
    assert_int_equal(kl_doc_parse(text, strlen(text), "f.yaml", f->arena, f->diag, &f->root),
                     KL_E_SYNTAX);
    assert_int_equal(kl_diag_count(f->diag, KL_ERROR), 3);
}

/* A text of `n` repetitions, each by sprintf with its number; on the heap. */
static char *repeat(const char *before, const char *format, int n, const char *after)
{
    size_t size = strlen(before) + strlen(after) + (size_t)n * (strlen(format) + 24) + 1;
    char  *text = malloc(size), *p = text;
    p += sprintf(p, "%s", before);
    for (int i = 0; i < n; i++) p += sprintf(p, format, i, i);
    sprintf(p, "%s", after);
    return text;
}

static kl_status parse_and_free(fixture *f, char *text)
{
    kl_status s = kl_doc_parse(text, strlen(text), "f.yaml", f->arena, f->diag, &f->root);
    free(text);
    return s;
}

static void large_maps_are_read_and_searched_fast(void **state)
{
    fixture *f     = *state;
    clock_t  start = clock();
    assert_int_equal(parse_and_free(f, repeat("", "key%d: %d\n", 100000, "")), KL_OK);
    assert_int_equal(f->root->size, 100000);
    for (int i = 0; i < 100000; i++) {
        char key[32], value[32];
        sprintf(key, "key%d", i);
        sprintf(value, "%d", i);
        const kl_node *n = kl_node_get(f->root, key);
        assert_non_null(n);
        assert_string_equal(n->text, value);
    }
    assert_null(kl_node_get(f->root, "key100000"));
    assert_int_equal(parse_and_free(f, repeat("", "key%d: %d\n", 100000, "key99999: 1\n")),
                     KL_E_SYNTAX);
    assert_int_equal(parse_and_free(f, repeat("", "- &x%d 1\n- *x%d\n", 100000, "")), KL_OK);
    /* far below what a search along the list would take (some 10^10 steps) */
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
}

static void a_merge_into_a_large_map_keeps_order_and_index(void **state)
{
    fixture *f = *state;
    assert_int_equal(parse_and_free(f, repeat("a: &a {x: 1, k5: 7}\nb:\n  first: 0\n  <<: *a\n",
                                              "  k%d: %d\n", 50, "")),
                     KL_OK);
    const kl_node *b = kl_node_get(f->root, "b");
    assert_int_equal(b->size, 52);
    assert_string_equal(b->first->key, "first");
    assert_string_equal(b->first->next->key, "x");
    assert_string_equal(b->first->next->next->key, "k0");
    is_text(kl_node_get(b, "k5"), "5", false);
    is_text(kl_node_get(b, "x"), "1", false);
}

static void what_grows_without_end_is_stopped(void **state)
{
    static const struct {
        const char *before, *format;
        int         n;
        const char *after, *message;
    } cases[] = {
        {"", "[", 101, "", "nested more than 100 levels deep"},
        {"", "[", 1000000, "", "nested more than 100 levels deep"},
        {"", "{a: ", 1000000, "", "nested more than 100 levels deep"},
        {"", "- ", 1000000, "", "nested more than 100 levels deep"},
        {"", "? ", 1000000, "", "nested more than 100 levels deep"},
        {"[", "1,", 2000001, "]", "more than 2000000 values once aliases are expanded"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kl_diag_clear(f->diag);
        kl_status s =
            parse_and_free(f, repeat(cases[i].before, cases[i].format, cases[i].n, cases[i].after));
        assert_int_equal(s, KL_E_RANGE);
        assert_non_null(strstr(kl_diag_at(f->diag, 0)->text, cases[i].message));
    }
    char deep[400] = "";
    memset(deep, '[', 100);
    memset(deep + 100, ']', 100);
    parse(f, deep);

    // a billion laughs, and a list that grows deeper with every alias
    char laughs[2000] = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n", deeper[8000] = "- &b0 [x]\n";
    for (int i = 1; i < 12; i++)
        sprintf(laughs + strlen(laughs), "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i,
                i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    for (int i = 1; i < 120; i++) sprintf(deeper + strlen(deeper), "- &b%d [*b%d]\n", i, i - 1);
    size_t before = kl_arena_bytes(f->arena);
    kl_diag_clear(f->diag);
    assert_int_equal(kl_doc_parse(laughs, strlen(laughs), NULL, f->arena, f->diag, &f->root),
                     KL_E_RANGE);
    assert_int_equal(kl_doc_parse(deeper, strlen(deeper), NULL, f->arena, f->diag, &f->root),
                     KL_E_RANGE);
    assert_true(kl_arena_bytes(f->arena) - before < 200000);
    assert_non_null(strstr(kl_diag_at(f->diag, 1)->text, "after this alias is expanded"));
}

static void files_that_cannot_be_read_say_why(void **state)
{
    fixture *f        = *state;
    char     folder[] = "/tmp/klingel-doc-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    assert_int_equal(kl_doc_read(path, f->arena, f->diag, &f->root, NULL), KL_E_FILE);
    assert_non_null(strstr(kl_diag_at(f->diag, 0)->text, "model.yaml: there is no such file"));
    assert_int_equal(kl_doc_read(folder, f->arena, f->diag, &f->root, NULL), KL_E_FILE);
    assert_non_null(strstr(kl_diag_at(f->diag, 1)->text, ": this is a folder; name a file in it"));

    const char *text, *content = "klingel: 1\nx: 3 mm\n";
    FILE       *out = fopen(path, "w");
    fputs(content, out);
    fclose(out);
    kl_diag_clear(f->diag);
    assert_int_equal(kl_doc_read(path, f->arena, f->diag, &f->root, &text), KL_OK);
    assert_string_equal(text, content);
    assert_string_equal(f->root->first->place.file, path);

    // one byte too much
    out = fopen(path, "w");
    assert_int_equal(ftruncate(fileno(out), 64L * 1024 * 1024 + 1), 0);
    fclose(out);
    assert_int_equal(kl_doc_read(path, f->arena, f->diag, &f->root, NULL), KL_E_RANGE);
    assert_non_null(strstr(kl_diag_at(f->diag, 0)->text, "the text is larger than 64 MB"));
    remove(path);
    rmdir(folder);
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(the_tree_keeps_order_and_places),
        WITH_FIXTURE(json_is_read_too),
        WITH_FIXTURE(a_byte_order_mark_and_line_ends_of_windows_do_no_harm),
        WITH_FIXTURE(aliases_repeat_and_merges_fill_in),
        WITH_FIXTURE(mistakes_are_told_in_our_words_at_their_place),
        WITH_FIXTURE(all_keys_that_stand_twice_are_told_in_one_run),
        WITH_FIXTURE(large_maps_are_read_and_searched_fast),
        WITH_FIXTURE(a_merge_into_a_large_map_keeps_order_and_index),
        WITH_FIXTURE(what_grows_without_end_is_stopped),
        WITH_FIXTURE(files_that_cannot_be_read_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
