#include "reference/reference.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "language/attach.h"
#include "language/build.h"
#include "language/doc.h"
#include "language/other_names.h"

enum { MOST_PAGES = 256, MARGIN = 78 };

/* ---- the list of pages ----------------------------------------------------------------------- */

/* All pages in the order of `klingel list`, from the tables of the catalogue, so that a new
 * type has its page without further code. Returns how many there are; `capacity` limits what is
 * written. */
int kl_reference_pages(kl_page *pages, int capacity)
{
    int n = 0;
#define ADD(...)                                                                                   \
    do {                                                                                           \
        if (n < capacity) pages[n] = (kl_page){__VA_ARGS__};                                       \
        n++;                                                                                       \
    } while (0)
    for (int i = 1; kl_body_types[i]; i++) {
        const kl_body_type *t = kl_body_types[i];
        ADD(.name = t->name, .kind = "body", .help = t->help, .body = t, .keys = t->keys);
    }
    for (const kl_element_section *e = kl_element_sections; e->section; e++)
        for (int i = 0; e->types[i]; i++) {
            const kl_element_type *t = e->types[i];
            ADD(.name = t->name, .kind = e->word, .help = t->help, .element = t, .keys = t->keys);
        }
    for (const kl_topic *t = kl_topics; t->name; t++) {
        const kl_key *keys = strcmp(t->kind, "section") != 0      ? NULL
                             : strcmp(t->name, "run") == 0        ? kl_run_keys
                             : strcmp(t->name, "integrator") == 0 ? kl_integrator_keys
                                                                  : NULL;
        ADD(.name = t->name, .kind = t->kind, .help = t->help, .text = t->text, .keys = keys);
    }
    for (const kl_element_section *e = kl_element_sections; e->section; e++)
        ADD(.name = e->section, .kind = "section", .help = e->help, .text = e->text);
    for (int i = 0; kl_resource_types[i]; i++) {
        const kl_resource_type *t = kl_resource_types[i];
        ADD(.name = t->section, .kind = "section", .help = t->help, .resource = t, .text = t->text,
            .keys = t->keys);
    }
#undef ADD
    return n < capacity ? n : capacity;
}

/* Is it that word, or one of many of them: joint, joints? */
static bool names_page(const char *page, const char *word)
{
    size_t n = strlen(word);
    return strncmp(page, word, n) == 0 && (page[n] == 0 || strcmp(page + n, "s") == 0);
}

bool kl_reference_find(const char *name, kl_page *page)
{
    kl_page pages[MOST_PAGES];
    int     n = kl_reference_pages(pages, MOST_PAGES);
    for (int i = 0; i < n; i++)
        if (names_page(pages[i].name, name)) {
            *page = pages[i];
            return true;
        }
    const char *other = kl_other_name(name);
    return other && strcmp(other, name) != 0 && kl_reference_find(other, page);
}

/* ---- words for a key ------------------------------------------------------------------------- */

/* "name of a track", "2 names of profiles" */
static void resource_words(const kl_key *key, char *text, size_t size)
{
    const kl_resource_type *t = kl_resource_type_of(key->words);
    if (key->size > 1) snprintf(text, size, "%d names of %s", key->size, key->words);
    else {
        const char *word = t ? t->word : "resource";
        snprintf(text, size, "name of %s %s", strchr("aeio", *word) ? "an" : "a", word);
    }
}

void kl_reference_kind(const kl_key *key, char *text, size_t size)
{
    switch (key->kind) {
    case KL_KEY_NUMBER: snprintf(text, size, "number"); return;
    case KL_KEY_NUMBERS: snprintf(text, size, "%d numbers", key->size); return;
    case KL_KEY_AXIS: snprintf(text, size, "axis"); return;
    case KL_KEY_ROTATION: snprintf(text, size, "rotation"); return;
    case KL_KEY_INERTIA: snprintf(text, size, "inertia"); return;
    case KL_KEY_MATRIX6: snprintf(text, size, "3, 6 or 36 numbers"); return;
    case KL_KEY_FUNCTION:
        snprintf(text, size, "function of %s", key->by && strcmp(key->by, "s") ? key->by : "time");
        return;
    case KL_KEY_WORD: snprintf(text, size, "word"); return;
    case KL_KEY_WORDS: snprintf(text, size, "list of words"); return;
    case KL_KEY_FLAG: snprintf(text, size, "true or false"); return;
    case KL_KEY_SIGNALS: snprintf(text, size, "names of quantities"); return;
    case KL_KEY_TABLE: snprintf(text, size, "names and numbers"); return;
    case KL_KEY_CODE: snprintf(text, size, "text in Lua"); return;
    case KL_KEY_TEXT: snprintf(text, size, "expression"); return;
    case KL_KEY_SHAPES: snprintf(text, size, "two shapes"); return;
    case KL_KEY_RESOURCE: resource_words(key, text, size); return;
    case KL_KEY_FILE: snprintf(text, size, "name of a file"); return;
    case KL_KEY_LIST:
        snprintf(text, size, key->size > 1 ? "list of lists of numbers" : "list of numbers");
        return;
    case KL_KEY_REDUCED: snprintf(text, size, "name of a file, or its contents"); return;
    case KL_KEY_TEXTS: snprintf(text, size, "list of texts"); return;
    }
    snprintf(text, size, "%s", "value");
}

/* "m", or "m, rad, m (by coordinate)", or "rad, m / rad, m (by second, first)" */
static void unit_words(const char *unit, char *text, size_t size)
{
    *text = '\0';
    if (!unit || strcmp(unit, "1") == 0) return;
    if (strcmp(unit, "*") == 0) {
        snprintf(text, size, "any");
        return;
    }
    char        by[64] = "";
    kl_text     t      = {0};
    const char *p      = unit;
    for (const char *power; *p;) {
        const char *over = strstr(p, " over "), *end = over ? over : p + strlen(p);
        power = strstr(p, " ^ ");
        if (power && power < end) end = power;
        /* "coordinate?rad|m": the unit depends on the choice made for the key `coordinate` */
        const char *mark = memchr(p, '?', (size_t)(end - p));
        if (mark) {
            size_t n = strlen(by);
            snprintf(by + n, sizeof by - n, "%s%.*s", n ? ", " : "", (int)(mark - p), p);
            p = mark + 1;
        }
        for (; p < end; p++) {
            if (*p == '|') kl_text_add(&t, ", ");
            else kl_text_put(&t, p, 1);
        }
        /* "N over m ^ exponent": the exponent is the value of another key */
        if (power && end == power) {
            kl_text_add(&t, ", each to the power `%s`", power + 3);
            break;
        }
        if (!over) break;
        kl_text_add(&t, " over ");
        p = over + strlen(" over ");
    }
    char *words = kl_text_finish(&t);
    snprintf(text, size, "%s%s%s%s", words ? words : "", *by ? " (by " : "", by, *by ? ")" : "");
    free(words);
}

static void range_words(const kl_key *k, char *text, size_t size)
{
    *text = '\0';
    if (k->min == 0.0 && k->max == 0.0) return;
    if (k->max >= 1e300) snprintf(text, size, k->min > 0.0 ? "; positive" : "; not negative");
    else snprintf(text, size, "; %g to %g", k->min, k->max);
}

const char *kl_reference_default(const kl_key *k)
{
    if (!k->fallback) return "must be given";
    /* 1e300 marks a point that was not given */
    return *k->fallback && !strstr(k->fallback, "1e300") ? k->fallback : "none";
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* One row of a page: up to five cells. On a terminal the last is wrapped below. */
typedef struct row {
    char name[64], kind[64], unit[96], fallback[96], help[600];
} row;

/* Text wrapped at MARGIN. `column` is where the cursor is now, `indent` where further lines
 * begin. */
static void wrapped(kl_text *t, const char *text, int indent, int column)
{
    bool first = true;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (!first && column + 1 + length > MARGIN) {
            kl_text_add(t, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            kl_text_add(t, " ");
            column++;
        }
        kl_text_put(t, text, (size_t)length);
        column += length;
        text += length;
        while (*text == ' ') text++;
        first = false;
    }
    kl_text_add(t, "\n");
}

/* bars would end a cell of a Markdown table */
static void cell(kl_text *t, const char *text)
{
    for (; *text; text++) {
        if (*text == '|') kl_text_add(t, "\\");
        kl_text_put(t, text, 1);
    }
    kl_text_add(t, " | ");
}

static void add_row(kl_text *t, const row *r, kl_page_style style)
{
    if (style == KL_PAGE_MARKDOWN) {
        kl_text_add(t, "| `%s` | ", r->name);
        cell(t, r->kind);
        cell(t, r->unit);
        cell(t, r->fallback);
        cell(t, r->help);
        t->n--; /* no blank at the end of the line */
        kl_text_add(t, "\n");
        return;
    }
    kl_text_add(t, "  %-17s %s%s%s%s%s%s\n", r->name, r->kind, *r->unit ? " [" : "", r->unit,
                *r->unit ? "]" : "", *r->fallback ? ", " : "", "");
    if (*r->fallback) {
        t->n--;
        kl_text_add(t, "%s%s\n", strcmp(r->fallback, "must be given") ? "default " : "",
                    r->fallback);
    }
    kl_text_add(t, "%*s", 20, "");
    wrapped(t, r->help, 20, 20);
}

static void table_head(kl_text *t, const char *title, bool outputs, kl_page_style style)
{
    if (style == KL_PAGE_TERMINAL) {
        kl_text_add(t, "\n%s\n", title);
        return;
    }
    kl_text_add(t, "\n## %s\n\n", title);
    if (outputs) kl_text_add(t, "| channel | unit | meaning |\n|---|---|---|\n");
    else kl_text_add(t, "| key | takes | unit | default | meaning |\n|---|---|---|---|---|\n");
}

static void add_word_keys(kl_text *t, const kl_word_key *keys, kl_page_style style)
{
    for (const kl_word_key *k = keys; k && k->name; k++) {
        row r = {0};
        snprintf(r.name, sizeof r.name, "%s", k->name);
        snprintf(r.kind, sizeof r.kind, "%s", k->kind);
        snprintf(r.unit, sizeof r.unit, "%s", k->unit);
        snprintf(r.fallback, sizeof r.fallback, "%s", k->fallback ? k->fallback : "must be given");
        snprintf(r.help, sizeof r.help, "%s", k->help);
        add_row(t, &r, style);
    }
}

static void add_keys(kl_text *t, const kl_key *keys, kl_page_style style)
{
    if (!keys || !keys->name) return;
    table_head(t, "Keys", false, style);
    for (const kl_key *k = keys; k->name; k++) {
        row  r = {0};
        char range[64], words[256] = "";
        snprintf(r.name, sizeof r.name, "%s", k->name);
        kl_reference_kind(k, r.kind, sizeof r.kind);
        unit_words(k->unit, r.unit, sizeof r.unit);
        snprintf(r.fallback, sizeof r.fallback, "%s", kl_reference_default(k));
        range_words(k, range, sizeof range);
        if (k->words && k->kind != KL_KEY_RESOURCE) {
            snprintf(words, sizeof words, "; one of: %s", k->words);
            for (char *c = words + 10; *c; c++)
                if (*c == ' ') *c = ',';
            /* a blank behind each comma */
            char spaced[256];
            int  n = 0;
            for (const char *c = words; *c && n < 253; c++) {
                spaced[n++] = *c;
                if (*c == ',') spaced[n++] = ' ';
            }
            spaced[n] = '\0';
            snprintf(words, sizeof words, "%s", spaced);
        }
        snprintf(r.help, sizeof r.help, "%s%s%s", k->help, range, words);
        add_row(t, &r, style);
    }
}

static void add_attachment(kl_text *t, const kl_element_type *how, kl_page_style style)
{
    if (!kl_attach_help(how)) return;
    table_head(t, "Bodies and position", false, style);
    add_word_keys(t, kl_attach_help(how), style);
}

static void add_output(kl_text *t, const char *name, const char *unit, const char *help,
                       kl_page_style style)
{
    char text[96];
    unit_words(unit, text, sizeof text);
    if (style == KL_PAGE_MARKDOWN) {
        kl_text_add(t, "| `%s` | ", name);
        cell(t, text);
        cell(t, help);
        t->n--;
        kl_text_add(t, "\n");
    } else {
        kl_text_add(t, "  %-17s [%s] ", name, *text ? text : "-");
        wrapped(t, help, 20, 23 + (int)strlen(text));
    }
}

/* Channels of the type itself, then those that every element with two markers has. Types with
 * `describe` name their channels only when the model is known (controllers, contact groups). */
static void add_outputs(kl_text *t, const kl_element_type *type, kl_page_style style)
{
    table_head(t, "Channels", true, style);
    for (const kl_output *o = type->outputs; o && o->name; o++)
        add_output(t, o->name, o->unit, o->help, style);
    if (type->describe) {
        add_output(t, "NAME", "1", "each of its outputs, inputs and states, by its name", style);
        return;
    }
    if (type->attach->loaded < 0) return;
    if (type->attach->nodes) {
        add_output(t, "NODE.force.x, .y, .z", "N", "force on each node, by the name of its body",
                   style);
        add_output(t, "NODE.torque.x, .y, .z", "N m",
                   "torque on each node, about its reference point", style);
        return;
    }
    add_output(t, "force.x, .y, .z", "N", "force on the second body (or the only one), global axes",
               style);
    add_output(
        t, "torque.x, .y, .z", "N m",
        "torque on the second body (or the only one) about the marker of that body, global axes",
        style);
    add_output(t, "local_force.x, ...", "N",
               "force in the axes of its marker; only for `outputs`, not recorded automatically",
               style);
    add_output(t, "local_torque.x, ...", "N m",
               "torque in the axes of its marker; only for `outputs`", style);
    add_output(t, "energy, loss", "J, W", "stored energy, dissipated power; for `outputs`", style);
}

static void add_body_outputs(kl_text *t, kl_page_style style)
{
    static const kl_output list[] = {
        {"position", "m", "position of the reference point; .x, .y, .z"},
        {"orientation", "1", "Euler parameters, scalar first; .0 to .3"},
        {"velocity", "m/s", "velocity of the reference point; .x, .y, .z"},
        {"omega", "rad/s", "angular velocity, global axes; .x, .y, .z"},
        {"acceleration", "m/s2", "acceleration of the reference point; .x, .y, .z"},
        {"alpha", "rad/s2", "angular acceleration, global axes; .x, .y, .z"},
        {"omega_body", "rad/s", "angular velocity in body axes; in expressions"},
        {"center", "m", "centre of mass; in expressions"},
        {"momentum", "kg m/s", "linear momentum; in expressions"},
        {"kinetic_energy", "J", "kinetic energy; in expressions"},
        {0}};
    table_head(t, "Channels", true, style);
    for (const kl_output *o = list; o->name; o++) add_output(t, o->name, o->unit, o->help, style);
}

/* ---- examples -------------------------------------------------------------------------------- */

static bool seen(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static void collect(const kl_node *n, const char **names, int *count)
{
    if (!n) return;
    for (const kl_node *c = n->kind == KL_LIST ? n->first : n; c;
         c                = n->kind == KL_LIST ? c->next : NULL)
        if (c->kind == KL_LIST) collect(c, names, count);
        else if (c->kind == KL_SCALAR && *count < 15 && !seen(names, *count, c->text) &&
                 strcmp(c->text, "ground") != 0)
            names[(*count)++] = c->text;
}

static void put_rigid(kl_text *t, const char *name, const char *part, double x)
{
    kl_text_add(t, "  %s%s: {mass: 1 kg, inertia: [0.1, 0.1, 0.1], position: [%g, 0, 0]}\n", name,
                part, x);
}

static void put_flexible(kl_text *t, const char *name, double x)
{
    kl_text_add(
        t,
        "  %s: {type: flexible, position: [%g, 0, 0], modes: 6, file: {mesh: {box: [0.2 m, 0.2 "
        "m, 10 mm], parts: [4, 4, 1]}, material: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}, "
        "modes: 6, markers: {corner: {at: [0, 0, -5 mm]}}}}\n",
        name, x);
}

/* Bodies and joints that the example of an element names, in such places that it can work. */
static void around_element(kl_text *t, const kl_node *e, const kl_element_type *type, bool joint)
{
    const char *bodies[16], *joints[16];
    int         nbody = 0, njoint = 0;
    bool        bends = false; /* the second body */
    for (const kl_word_key *k = type->attach->keys; k && k->name; k++) {
        if (strstr(k->kind, "bod")) collect(kl_node_get(e, k->name), bodies, &nbody);
        if (strstr(k->kind, "joint")) collect(kl_node_get(e, k->name), joints, &njoint);
        bends |= strstr(k->kind, "second flexible") != NULL;
    }
    static const char *const signals[] = {"inputs", "outputs"};
    char                     object[8][64];
    int                      nobject = 0;
    for (int k = 0; k < 2; k++) {
        const kl_node *list = kl_node_get(e, signals[k]);
        for (const kl_node *c = list ? list->first : NULL; c && nobject < 8; c = c->next) {
            snprintf(object[nobject], sizeof *object, "%.*s", (int)strcspn(c->text, "."), c->text);
            if (!seen(joints, njoint, object[nobject]) && njoint < 15)
                joints[njoint++] = object[nobject];
            nobject++;
        }
    }
    kl_text_add(t, "bodies:\n");
    for (int i = 0; i < nbody + njoint; i++)
        if (bends && i == 1) put_flexible(t, bodies[i], 0.25 + 0.5 * i);
        else
            put_rigid(t, i < nbody ? bodies[i] : joints[i - nbody], i < nbody ? "" : "-part",
                      0.25 + 0.5 * i);
    if (joint || njoint > 0) kl_text_add(t, "\njoints:\n");
    for (int i = 0; i < njoint; i++)
        kl_text_add(t, "  %s: {type: %s, between: [ground, %s-part], at: [%g, 0, 0], axis: z}\n",
                    joints[i], strcmp(joints[i], "guide") ? "revolute" : "translational", joints[i],
                    0.5 * i);
}

/* Resources that the example names, each as the example of its own kind. */
static void resources_of(kl_text *t, const kl_node *e, const kl_key *keys)
{
    for (const kl_key *k = keys; k && k->name; k++) {
        const kl_node          *name = kl_node_get(e, k->name);
        const kl_resource_type *type = kl_resource_type_of(k->words ? k->words : "");
        if (k->kind == KL_KEY_RESOURCE && type && name && name->kind == KL_SCALAR)
            kl_text_add(t, "%s:\n  %s: %s\n\n", type->section, name->text, type->example);
    }
}

static void put_element_example(kl_text *t, const kl_page *page, const kl_node *entry)
{
    const kl_element_section *s = kl_section_of(page->element);
    around_element(t, entry, page->element, s->joints);
    if (!s->joints) kl_text_add(t, "\n%s:\n", s->section);
    kl_text_add(t, "  %s\n", page->element->example);
}

void kl_reference_example(kl_text *t, const kl_page *page)
{
    const char *line = page->body      ? page->body->example
                       : page->element ? page->element->example
                                       : NULL;
    kl_arena   *a    = kl_arena_create();
    kl_node    *root = NULL;
    if (line && a && kl_doc_parse(line, strlen(line), "example", a, NULL, &root) == KL_OK &&
        root->first) {
        /* The example of a type is one line; around it go a body for every name in it and the
         * resources that its keys name, so that the whole runs. */
        kl_text_add(t, "klingel: 1\ntitle: Example of %s\n\n", page->name);
        if (page->body) {
            resources_of(t, root->first, page->keys);
            kl_text_add(t, "bodies:\n  ");
            wrapped(t, line, 6, 2);
        }
        if (page->element) resources_of(t, root->first, page->keys);
        if (page->element) put_element_example(t, page, root->first);
        kl_text_add(t, "\nrun: {end: 0.1, every: 0.01}\n");
    }
    kl_arena_destroy(a);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void add_equation(kl_text *t, const char *equation, kl_page_style style)
{
    if (!equation) return;
    kl_text_add(t, style == KL_PAGE_MARKDOWN ? "\n    %s\n" : "\n  %s\n", equation);
}

static void add_example(kl_text *t, const kl_page *page, kl_page_style style)
{
    const char *line = page->body ? page->body->example : page->element->example;
    if (!line) return;
    if (style == KL_PAGE_MARKDOWN) {
        kl_text_add(t, "\n## Example\n\n```yaml\n");
        kl_reference_example(t, page);
        kl_text_add(t, "```\n");
        return;
    }
    kl_text_add(t, "\nExample (`klingel help %s --example` prints a whole model)\n  ", page->name);
    wrapped(t, line, 6, 2);
}

/* Names that need no entry. */
static void add_built_in(kl_text *t, const kl_resource_type *type, kl_page_style style)
{
    if (!type->built_in) return;
    kl_text_add(t, style == KL_PAGE_MARKDOWN ? "\n## Built in\n\n" : "\nBuilt in\n  ");
    for (int i = 0; type->built_in[i]; i++)
        kl_text_add(t, "%s`%s`", i ? ", " : "", type->built_in[i]);
    kl_text_add(t, "\n");
}

void kl_reference_write(kl_text *t, const kl_page *page, kl_page_style style)
{
    bool markdown = style == KL_PAGE_MARKDOWN;
    kl_text_add(t, markdown ? "# %s (%s)\n\n%s\n" : "%s (%s): %s\n", page->name, page->kind,
                page->help);
    if (page->element) add_equation(t, page->element->equation, style);
    if (page->text) kl_text_add(t, "\n%s", page->text);
    if (page->element) add_attachment(t, page->element, style);
    add_keys(t, page->keys, style);
    if (page->resource) add_word_keys(t, page->resource->more, style);
    if (page->resource) add_built_in(t, page->resource, style);
    if (page->element) add_outputs(t, page->element, style);
    if (page->body) add_body_outputs(t, style);
    if (page->element || page->body) add_example(t, page, style);
}

/* All pages of a kind, under a title. */
static void list_kind(kl_text *t, const char *kind, const char *title, kl_page_style style)
{
    kl_page pages[MOST_PAGES];
    int     n     = kl_reference_pages(pages, MOST_PAGES);
    bool    first = t->n == 0;
    kl_text_add(t,
                style == KL_PAGE_MARKDOWN ? "\n## %c%s\n\n"
                : first                   ? "%c%s\n"
                                          : "\n%c%s\n",
                toupper((unsigned char)*title), title + 1);
    for (int i = 0; i < n; i++) {
        if (strcmp(pages[i].kind, kind) != 0) continue;
        if (style == KL_PAGE_MARKDOWN) {
            kl_text_add(t, "- [%s](%s.md): %s\n", pages[i].name, pages[i].name, pages[i].help);
        } else {
            kl_text_add(t, "  %-25s ", pages[i].name);
            wrapped(t, pages[i].help, 28, 28);
        }
    }
}

void kl_reference_list(kl_text *t, kl_page_style style)
{
    list_kind(t, "body", "bodies (type: ...)", style);
    for (const kl_element_section *s = kl_element_sections; s->section; s++)
        list_kind(t, s->word, s->section, style);
    list_kind(t, "section", "sections of a model file", style);
    list_kind(t, "topic", "topics", style);
}
