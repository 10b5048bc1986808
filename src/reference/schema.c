/* The schema is as strict as the parser where an editor can see it: unknown and missing keys, words,
 * lengths of lists, signs of bare numbers. What stays with the parser: names, units, arithmetic. A
 * word that a parameter holds is written "{name}" (or the editor marks it). An entry that is `like`
 * another has no key of its own that must be there; without a `type` it may have any key of its
 * section. */
#include "reference/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "language/attach.h"
#include "language/build.h"
#include "reference/reference.h"

/* ---- values ---------------------------------------------------------------------------------- */

static void describe(kl_text *t, const kl_key *k)
{
    char text[800], kind[64];
    kl_reference_kind(k, kind, sizeof kind);
    const char *unit = k->unit && strcmp(k->unit, "1") && strcmp(k->unit, "*") ? k->unit : "";
    snprintf(text, sizeof text, "%s (%s%s%s); %s%s", k->help, kind, *unit ? ", " : "", unit,
             k->fallback ? "default " : "", kl_reference_default(k));
    kl_text_add(t, "\"description\": ");
    kl_text_json(t, text);
}

/* "a", "b", "c" of "a b c" */
static void put_words(kl_text *t, const char *words)
{
    for (const char *p = words; *p;) {
        int n = (int)strcspn(p, " ");
        /* to a reader of YAML these two are no texts */
        bool flag = strncmp(p, "true ", 5) == 0 || strncmp(p, "false ", 6) == 0 ||
                    strcmp(p, "true") == 0 || strcmp(p, "false") == 0;
        kl_text_add(t, "%s%s%.*s%s", p == words ? "" : ", ", flag ? "" : "\"", n, p,
                    flag ? "" : "\"");
        p += n;
        while (*p == ' ') p++;
    }
}

/* One of the words, or one with {...} that is filled in. */
static void put_choice(kl_text *t, const char *words)
{
    kl_text_add(t, "\"anyOf\": [{\"enum\": [");
    put_words(t, words);
    /* a choice that also takes true and false may be the name of a parameter, as any flag */
    kl_text_add(t, "]}, {\"$ref\": \"#/definitions/%s\"}]",
                strstr(words, "true") ? "text" : "filled");
}

static void put_number(kl_text *t, const kl_key *k)
{
    bool any = k->min == 0.0 && k->max == 0.0, positive = !any && k->min >= 0.0;
    kl_text_add(t, "\"anyOf\": [{\"type\": \"number\"");
    /* limits of 1e-300 mean "greater than zero", of 1e300 "no limit" */
    if (!any && k->min > 0.0 && k->min < 1e-200) kl_text_add(t, ", \"exclusiveMinimum\": 0");
    else if (!any && k->min > -1e300) kl_text_add(t, ", \"minimum\": %.17g", k->min);
    if (!any && k->max < 1e300) kl_text_add(t, ", \"maximum\": %.17g", k->max);
    kl_text_add(t, "}, {\"$ref\": \"#/definitions/%s\"}]", positive ? "positive" : "text");
}

/* What a key accepts. A schema cannot check units and expressions, so "number" is a number or a
 * text; the reader checks the text. */
static void put_value(kl_text *t, const kl_key *k)
{
    static const char *const shapes[] = {
        [KL_KEY_NUMBER] = "number",     [KL_KEY_NUMBERS] = "numbers", [KL_KEY_AXIS] = "axis",
        [KL_KEY_ROTATION] = "rotation", [KL_KEY_INERTIA] = "inertia", [KL_KEY_MATRIX6] = "matrix",
        [KL_KEY_FUNCTION] = "function", [KL_KEY_WORD] = "text",       [KL_KEY_WORDS] = "text",
        [KL_KEY_FLAG] = "flag",         [KL_KEY_SIGNALS] = "signals", [KL_KEY_TABLE] = "table",
        [KL_KEY_CODE] = "text",         [KL_KEY_TEXT] = "text",       [KL_KEY_SHAPES] = "touching",
        [KL_KEY_RESOURCE] = "text",     [KL_KEY_FILE] = "text",       [KL_KEY_LIST] = "list",
        [KL_KEY_REDUCED] = "body-file", [KL_KEY_TEXTS] = "text"};
    if (k->kind == KL_KEY_WORD) {
        put_choice(t, k->words);
    } else if (k->kind == KL_KEY_WORDS) {
        kl_text_add(t, "\"anyOf\": [{\"type\": \"array\", \"items\": {");
        put_choice(t, k->words);
        kl_text_add(t, "}}, {");
        put_choice(t, k->words);
        kl_text_add(t, "}]");
    } else if (k->kind == KL_KEY_NUMBER) {
        put_number(t, k);
    } else if (k->kind == KL_KEY_TEXTS) {
        kl_text_add(t, "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": "
                       "{\"type\": \"string\"}}]");
    } else if (k->kind == KL_KEY_RESOURCE && k->size > 1) {
        kl_text_add(t,
                    "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": "
                    "{\"type\": \"string\"}, \"minItems\": %d, \"maxItems\": %d}]",
                    k->size, k->size);
    } else {
        kl_text_add(t, "\"allOf\": [{\"$ref\": \"#/definitions/%s\"}]", shapes[k->kind]);
        if (k->kind == KL_KEY_NUMBERS)
            kl_text_add(t, ", \"minItems\": %d, \"maxItems\": %d", k->size, k->size);
    }
}

static void put_key(kl_text *t, const kl_key *k)
{
    kl_text_json(t, k->name);
    kl_text_add(t, ": {");
    describe(t, k);
    kl_text_add(t, ", ");
    put_value(t, k);
    kl_text_add(t, "}");
}

/* ---- entries --------------------------------------------------------------------------------- */

static void put_property(kl_text *t, const char *name, const char *help, const char *shape,
                         const char *comma)
{
    kl_text_add(t, "%s", comma);
    kl_text_json(t, name);
    kl_text_add(t, ": {\"description\": ");
    kl_text_json(t, help);
    kl_text_add(t, ", \"allOf\": [{\"$ref\": \"#/definitions/%s\"}]}", shape);
}

/* Keys that every entry of a section may have. */
static void put_common(kl_text *t)
{
    put_property(t, "like", "name of another entry whose keys are used as defaults", "text", "");
    put_property(t, "for", "variables of a loop: {i: 1..4} or {side: [left, right]}", "names",
                 ", ");
    put_property(t, "when", "condition; the entry is omitted if the condition is false", "any",
                 ", ");
}

static void put_body_common(kl_text *t)
{
    put_property(t, "markers", "frames on the body: {pin: {at: [x, y, z], axis: z}}", "markers",
                 ", ");
    put_property(
        t, "shape",
        "shape in the viewer: {box: [a, b, c]}, {sphere: r}, {surface: name}, {file: part.stl}",
        "shapes", ", ");
}

/* `list`: "a", "b" */
static void put_required(kl_text *t, const char *list)
{
    /* an entry that is `like` another one may leave out every key, so nothing is required of it */
    if (*list)
        kl_text_add(
            t, ", \"if\": {\"not\": {\"required\": [\"like\"]}}, \"then\": {\"required\": [%s]}",
            list);
}

static void note(char *list, size_t size, const char *name)
{
    size_t n = strlen(list);
    snprintf(list + n, size - n, "%s\"%s\"", n ? ", " : "", name);
}

/* The definition "section-type" with all keys that it may have and those that it must. */
static void put_type(kl_text *t, const char *section, const char *name, const kl_key *keys,
                     const kl_word_key *where, bool usual)
{
    bool body      = strcmp(section, "body") == 0;
    char must[400] = "";
    if (!body && !usual) note(must, sizeof must, "type");
    kl_text_add(t, "    \"%s-%s\": {\"type\": \"object\", \"additionalProperties\": false, ",
                section, name);
    kl_text_add(t, "\"properties\": {\"type\": {}, ");
    put_common(t);
    if (body) put_body_common(t);
    for (const kl_key *k = keys; k && k->name; k++) {
        kl_text_add(t, ", ");
        put_key(t, k);
        if (!k->fallback) note(must, sizeof must, k->name);
    }
    for (const kl_word_key *k = where; k && k->name; k++) {
        /* ways to attach have no kind of key; their word "two ..." says that a list of two names is expected */
        bool pair = strncmp(k->kind, "two ", 4) == 0;
        put_property(t, k->name, k->help,
                     pair                            ? "pair"
                     : strcmp(k->name, "start") == 0 ? "start"
                                                     : "any",
                     ", ");
        if (!k->fallback) note(must, sizeof must, k->name);
    }
    kl_text_add(t, "}");
    put_required(t, must);
    kl_text_add(t, "},\n");
}

/* A `type` that the schema does not know: any key of the section. */
static void put_any_type(kl_text *t, const char *section, const char *const *names, int n)
{
    kl_text_add(t, "    \"%s-any\": {\"type\": \"object\", \"additionalProperties\": false, ",
                section);
    kl_text_add(t, "\"properties\": {\"type\": {}, ");
    put_common(t);
    if (strcmp(section, "body") == 0) put_body_common(t);
    for (int i = 0; i < n; i++) kl_text_add(t, ", \"%s\": {}", names[i]);
    kl_text_add(t, "}},\n");
}

typedef struct variant {
    const char        *name;
    const kl_key      *keys;
    const kl_word_key *where;
} variant;

static void gather(const char **names, int *n, int most, const char *name)
{
    for (int i = 0; i < *n; i++)
        if (strcmp(names[i], name) == 0) return;
    if (*n < most) names[(*n)++] = name;
}

static void put_names(kl_text *t, const variant *list)
{
    for (const variant *v = list; v->name; v++)
        kl_text_add(t, "%s\"%s\"", v == list ? "" : ", ", v->name);
}

/* Which of the definitions an entry of the section must meet. `usual`: where it names no type. */
static void put_choice_of_type(kl_text *t, const char *section, const variant *list,
                               const char *usual)
{
    kl_text_add(
        t,
        "    \"%s\": {\"type\": \"object\", \"properties\": {\"type\": {\"anyOf\": [{\"enum\": [",
        section);
    put_names(t, list);
    kl_text_add(t, "]}, {\"$ref\": \"#/definitions/filled\"}]}}, \"allOf\": [");
    for (const variant *v = list; v->name; v++)
        kl_text_add(t,
                    "\n      {\"if\": {\"required\": [\"type\"], \"properties\": {\"type\": "
                    "{\"const\": \"%s\"}}}, \"then\": {\"$ref\": \"#/definitions/%s-%s\"}},",
                    v->name, section, v->name);
    if (usual)
        kl_text_add(
            t,
            "\n      {\"if\": {\"not\": {\"anyOf\": [{\"required\": [\"type\"]}, "
            "{\"required\": [\"like\"]}]}}, \"then\": {\"$ref\": \"#/definitions/%s-%s\"}},",
            section, usual);
    else
        kl_text_add(t, "\n      {\"if\": {\"not\": {\"required\": [\"like\"]}}, \"then\": "
                       "{\"required\": [\"type\"]}},");
    kl_text_add(t,
                "\n      {\"if\": {\"not\": {\"required\": [\"type\"], \"properties\": {\"type\": "
                "{\"enum\": [");
    put_names(t, list);
    kl_text_add(t, "]}}}}, \"then\": {\"$ref\": \"#/definitions/%s-any\"}}]},\n", section);
}

static void put_kind(kl_text *t, const char *section, const variant *list, const char *usual)
{
    const char *names[256];
    int         n = 0;
    put_choice_of_type(t, section, list, usual);
    for (const variant *v = list; v->name; v++) {
        put_type(t, section, v->name, v->keys, v->where, usual && strcmp(usual, v->name) == 0);
        for (const kl_key *k = v->keys; k && k->name; k++) gather(names, &n, 256, k->name);
        for (const kl_word_key *k = v->where; k && k->name; k++) gather(names, &n, 256, k->name);
    }
    put_any_type(t, section, names, n);
}

static void put_elements(kl_text *t, const kl_element_section *section)
{
    const kl_element_type *const *types    = section->types;
    variant                       list[64] = {0};
    for (int i = 0; types[i] && i < 63; i++)
        list[i] = (variant){types[i]->name, types[i]->keys, kl_attach_help(types[i])};
    put_kind(t, section->word, list, section->usual ? section->usual->name : NULL);
}

static void put_bodies(kl_text *t)
{
    variant list[32] = {0};
    for (int i = 1; kl_body_types[i] && i < 32; i++)
        list[i - 1] = (variant){.name = kl_body_types[i]->name, .keys = kl_body_types[i]->keys};
    put_kind(t, "body", list, list[0].name);
}

/* ---- sections -------------------------------------------------------------------------------- */

static void put_settings(kl_text *t, const char *name, const kl_key *keys)
{
    kl_text_add(t,
                "    \"%s\": {\"type\": [\"object\", \"null\"], \"additionalProperties\": false, "
                "\"properties\": {",
                name);
    for (const kl_key *k = keys; k->name; k++) {
        kl_text_add(t, "%s", k == keys ? "" : ", ");
        put_key(t, k);
    }
    kl_text_add(t, "}},\n");
}

/* A section is a map whose entries have any name; an empty section (null) is allowed, so that a
 * file under work stays valid. */
static void put_section(kl_text *t, const char *name, const char *entry, const char *comma)
{
    kl_page page;
    kl_text_add(t, "%s\n    \"%s\": {", comma, name);
    if (kl_reference_find(name, &page)) {
        kl_text_add(t, "\"description\": ");
        kl_text_json(t, page.help);
        kl_text_add(t, ", ");
    }
    if (!entry) {
        kl_text_add(t, "\"allOf\": [{\"$ref\": \"#/definitions/%s\"}]}", name);
        return;
    }
    kl_text_add(t, "\"type\": [\"object\", \"null\"], ");
    if (strcmp(entry, "body") == 0)
        kl_text_add(t, "\"properties\": {\"ground\": {\"$ref\": \"#/definitions/ground\"}}, ");
    kl_text_add(t, "\"additionalProperties\": {\"$ref\": \"#/definitions/%s\"}}", entry);
}

/* Sections that a model and a template share. */
static void put_sections(kl_text *t)
{
    put_section(t, "parameters", "any", "");
    put_section(t, "inputs", "input", ",");
    put_section(t, "parts", "part", ",");
    put_section(t, "bodies", "body", ",");
    for (const kl_element_section *s = kl_element_sections; s->section; s++)
        put_section(t, s->section, s->word, ",");
    put_section(t, "outputs", "output", ",");
    for (int i = 0; kl_resource_types[i]; i++) {
        const kl_resource_type *r = kl_resource_types[i];
        put_section(t, r->section, r->keys ? r->word : "names", ",");
    }
}

/* An entry of a section of resources; those that only their own code can read may be any map. */
static void put_resource(kl_text *t, const kl_resource_type *type)
{
    char must[400] = "";
    if (!type->keys) return;
    kl_text_add(t,
                "    \"%s\": {\"type\": \"object\", \"additionalProperties\": false, "
                "\"properties\": {",
                type->word);
    put_common(t);
    for (const kl_key *k = type->keys; k->name; k++) {
        kl_text_add(t, ", ");
        put_key(t, k);
        if (!k->fallback) note(must, sizeof must, k->name);
    }
    for (const kl_word_key *k = type->more; k && k->name; k++) {
        put_property(t, k->name, k->help, "any", ", ");
        if (!k->fallback) note(must, sizeof must, k->name);
    }
    kl_text_add(t, "}");
    put_required(t, must);
    kl_text_add(t, "},\n");
}

/* `keys`: "of point"; `must`: those that an entry of its own needs, or "" */
static void put_plain_entry(kl_text *t, const char *name, const char *keys, const char *must)
{
    kl_text_add(t,
                "    \"%s\": {\"type\": \"object\", \"additionalProperties\": false, "
                "\"properties\": {",
                name);
    put_common(t);
    for (const char *p = keys; *p;) {
        int n = (int)strcspn(p, " ");
        kl_text_add(t, ", \"%.*s\": {}", n, p);
        p += n + (p[n] == ' ');
    }
    kl_text_add(t, "}");
    put_required(t, must);
    kl_text_add(t, "},\n");
}

/* Shapes of values that no table knows. */
static const char *const values[] = {
    "    \"any\": {},\n",
    "    \"text\": {\"type\": \"string\"},\n",
    "    \"filled\": {\"type\": \"string\", \"pattern\": \"[{].*[}]\", \"description\": \"a word "
    "that "
    "a parameter or a loop fills in\"},\n",
    "    \"positive\": {\"type\": \"string\", \"not\": {\"pattern\": "
    "\"^-[0-9.]+([eE][-+]?[0-9]+)?( "
    "*[A-Za-z%][A-Za-z0-9/^ ]*)?$\"}},\n",
    "    \"number\": {\"type\": [\"number\", \"string\"]},\n",
    "    \"flag\": {\"type\": [\"boolean\", \"string\"]},\n",
    "    \"numbers\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/number\"}},\n",
    "    \"list\": {\"anyOf\": [{\"$ref\": \"#/definitions/number\"}, {\"$ref\": "
    "\"#/definitions/numbers\"}, {\"type\": \"array\", \"items\": {\"$ref\": "
    "\"#/definitions/numbers\"}}]},\n",
    "    \"point\": {\"allOf\": [{\"$ref\": \"#/definitions/numbers\"}], \"minItems\": 3, "
    "\"maxItems\": 3},\n",
    "    \"inertia\": {\"anyOf\": [{\"$ref\": \"#/definitions/point\"}, {\"allOf\": [{\"$ref\": "
    "\"#/definitions/numbers\"}], \"minItems\": 6, \"maxItems\": 6}]},\n",
    "    \"axis\": {\"anyOf\": [{\"enum\": [\"x\", \"y\", \"z\", \"-x\", \"-y\", \"-z\", \"+x\", "
    "\"+y\", \"+z\"]}, {\"$ref\": \"#/definitions/text\"}, {\"$ref\": "
    "\"#/definitions/point\"}]},\n",
    "    \"rotation\": {\"type\": \"object\", \"additionalProperties\": false, \"minProperties\": "
    "1, "
    "\"maxProperties\": 2, \"properties\": {\"axis\": {\"$ref\": \"#/definitions/axis\"}, "
    "\"angle\": "
    "{\"$ref\": \"#/definitions/number\"}, \"quaternion\": {\"$ref\": \"#/definitions/numbers\"}, "
    "\"euler\": {\"$ref\": \"#/definitions/point\"}, \"cardan\": {\"$ref\": "
    "\"#/definitions/point\"}, \"matrix\": {\"$ref\": \"#/definitions/numbers\"}, \"x\": "
    "{\"$ref\": "
    "\"#/definitions/axis\"}, \"y\": {\"$ref\": \"#/definitions/axis\"}}},\n",
    "    \"matrix\": {\"type\": [\"number\", \"string\", \"array\"]},\n",
    "    \"names\": {\"type\": \"object\"},\n",
    "    \"signals\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}},\n",
    "    \"table\": {\"type\": \"object\", \"additionalProperties\": {\"$ref\": "
    "\"#/definitions/number\"}},\n",
    "    \"pair\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"type\": "
    "\"string\"}},\n",
    "    \"body-file\": {\"type\": [\"string\", \"object\"]},\n",
    "    \"start\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": "
    "{\"angle\": {\"$ref\": \"#/definitions/number\"}, \"angular_speed\": {\"$ref\": "
    "\"#/definitions/number\"}, \"displacement\": {\"$ref\": \"#/definitions/number\"}, "
    "\"length\": "
    "{\"$ref\": \"#/definitions/number\"}, \"speed\": {\"$ref\": \"#/definitions/number\"}, "
    "\"fixed\": {\"type\": [\"string\", \"array\"]}}},\n",
    "    \"markers\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"object\", "
    "\"additionalProperties\": false, \"properties\": {\"at\": {\"$ref\": "
    "\"#/definitions/point\"}, "
    "\"axis\": {\"$ref\": \"#/definitions/axis\"}, \"x_axis\": {\"$ref\": \"#/definitions/axis\"}, "
    "\"orientation\": {\"$ref\": \"#/definitions/rotation\"}, \"on\": {\"type\": \"string\"}, "
    "\"spins\": {\"type\": \"boolean\"}}}},\n",
    "    \"shapes\": {\"anyOf\": [{\"const\": \"none\"}, {\"$ref\": \"#/definitions/shape\"}, "
    "{\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/shape\"}}]},\n",
    "    \"shape\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": "
    "{\"box\": {\"$ref\": \"#/definitions/point\"}, \"cylinder\": {\"type\": \"object\", "
    "\"additionalProperties\": false, \"required\": [\"radius\", \"length\"], \"properties\": "
    "{\"radius\": {\"$ref\": \"#/definitions/number\"}, \"length\": {\"$ref\": "
    "\"#/definitions/number\"}, \"axis\": {\"$ref\": \"#/definitions/axis\"}}}, \"sphere\": "
    "{\"$ref\": \"#/definitions/number\"}, \"surface\": {\"$ref\": \"#/definitions/text\"}, "
    "\"file\": {\"$ref\": \"#/definitions/text\"}, \"at\": "
    "{\"$ref\": \"#/definitions/point\"}, \"orientation\": {\"$ref\": \"#/definitions/rotation\"}, "
    "\"color\": {\"type\": \"string\", \"pattern\": \"^#[0-9a-fA-F]{6}$\"}, \"scale\": {\"$ref\": "
    "\"#/definitions/number\"}}},\n",
    "    \"touching\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": "
    "{\"type\": [\"object\", \"string\"]}},\n",
    "    \"ground\": {\"type\": [\"object\", \"null\"], \"additionalProperties\": false, "
    "\"properties\": {\"markers\": {\"$ref\": \"#/definitions/markers\"}, \"shape\": {\"$ref\": "
    "\"#/definitions/shapes\"}}},\n",
    "    \"series\": {\"anyOf\": [{\"type\": \"array\"}, {\"type\": \"object\", "
    "\"additionalProperties\": false, \"required\": [\"file\"], \"properties\": {\"file\": {}, "
    "\"column\": {}}}]},\n",
    "    \"function\": {\"anyOf\": [{\"$ref\": \"#/definitions/number\"}, {\"type\": \"object\", "
    "\"additionalProperties\": false, \"minProperties\": 1, \"maxProperties\": 1, \"properties\": "
    "{\"polynomial\": {\"$ref\": \"#/definitions/numbers\"}, \"table\": {\"$ref\": "
    "\"#/definitions/series\"}, "
    "\"linear_table\": {\"$ref\": \"#/definitions/series\"}, \"harmonic\": {\"type\": \"object\", "
    "\"additionalProperties\": false, \"required\": [\"amplitude\"], \"properties\": {\"offset\": "
    "{}, \"amplitude\": {}, \"phase\": {}, \"omega\": {}, \"frequency\": {}}}, \"step\": "
    "{\"type\": "
    "\"object\", \"additionalProperties\": false, \"required\": [\"to\", \"end\"], \"properties\": "
    "{\"from\": {}, \"to\": {}, \"start\": {}, \"end\": {}}}, \"expression\": {\"type\": "
    "[\"string\", "
    "\"number\"]}, \"lua\": {\"type\": [\"string\", \"number\"]}, \"input\": {\"type\": "
    "\"string\"}, \"sum\": {\"type\": \"array\", \"items\": {\"$ref\": "
    "\"#/definitions/function\"}}}}]},\n",
    NULL};

void kl_schema_write(kl_text *t)
{
    kl_text_add(t,
                "{\n"
                "  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
                "  \"title\": \"Klingel model file\",\n"
                "  \"type\": \"object\",\n"
                "  \"required\": [\"klingel\"],\n"
                "  \"additionalProperties\": false,\n"
                "  \"properties\": {\n"
                "    \"klingel\": {\"const\": 1, \"description\": \"version of the language\"},\n"
                "    \"title\": {\"type\": \"string\"},\n"
                "    \"include\": {\"type\": [\"string\", \"array\"], \"description\": \"files "
                "whose sections are included\"},\n"
                "    \"gravity\": {\"description\": \"acceleration of gravity, m/s2\"},\n"
                "    \"state\": {\"type\": \"object\"},\n"
                "    \"templates\": {\"type\": [\"object\", \"null\"], \"additionalProperties\": "
                "{\"$ref\": \"#/definitions/template\"}},");
    put_sections(t);
    put_section(t, "run", NULL, ",");
    put_section(t, "integrator", NULL, ",");
    kl_text_add(t, "\n  },\n  \"definitions\": {\n");
    for (int i = 0; values[i]; i++) kl_text_put(t, values[i], strlen(values[i]));
    put_plain_entry(t, "input", "unit value", "");
    put_plain_entry(t, "output", "of point quantity expression limit rule lowpass", "");
    put_plain_entry(t, "part", "template at orientation mirror parameters", "\"template\"");
    for (int i = 0; kl_resource_types[i]; i++) put_resource(t, kl_resource_types[i]);
    put_bodies(t);
    for (const kl_element_section *s = kl_element_sections; s->section; s++) put_elements(t, s);
    put_settings(t, "run", kl_run_keys);
    put_settings(t, "integrator", kl_integrator_keys);
    kl_text_add(t, "    \"template\": {\"type\": \"object\", \"additionalProperties\": false, "
                   "\"properties\": {");
    put_sections(t);
    kl_text_add(t, "\n    }}\n  }\n}\n");
}
