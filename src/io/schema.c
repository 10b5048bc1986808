#include "io/schema.h"

#include <stdio.h>
#include <string.h>

#include "catalogue.h"
#include "io/attach.h"
#include "io/build.h"
#include "io/reference.h"

static void describe(kl_text *t, const kl_key *k)
{
    char text[800], kind[64];
    kl_reference_kind(k, kind, sizeof kind);
    const char *unit = k->unit && strcmp(k->unit, "1") && strcmp(k->unit, "*") ? k->unit : "";
    snprintf(text, sizeof text, "%s (%s%s%s)%s%s", k->help, kind, *unit ? ", " : "", unit,
             !k->fallback   ? "; must be given"
             : *k->fallback ? "; default "
                            : "",
             k->fallback ? k->fallback : "");
    kl_text_add(t, "\"description\": ");
    kl_text_json(t, text);
}

static void put_words(kl_text *t, const char *words)
{
    kl_text_add(t, "[");
    for (const char *p = words; *p;) {
        int n = (int)strcspn(p, " ");
        kl_text_add(t, "%s\"%.*s\"", p == words ? "" : ", ", n, p);
        p += n;
        while (*p == ' ') p++;
    }
    kl_text_add(t, "]");
}

static void put_key(kl_text *t, const kl_key *k)
{
    static const char *const shapes[] = {
        [KL_KEY_NUMBER] = "number",     [KL_KEY_NUMBERS] = "numbers", [KL_KEY_AXIS] = "axis",
        [KL_KEY_ROTATION] = "rotation", [KL_KEY_INERTIA] = "numbers", [KL_KEY_MATRIX6] = "matrix",
        [KL_KEY_FUNCTION] = "function", [KL_KEY_WORD] = "word",       [KL_KEY_WORDS] = "words",
        [KL_KEY_FLAG] = "flag",         [KL_KEY_SIGNALS] = "names",   [KL_KEY_TABLE] = "names",
        [KL_KEY_CODE] = "text",         [KL_KEY_TEXT] = "text",       [KL_KEY_TRACK] = "word",
        [KL_KEY_SURFACE] = "word",      [KL_KEY_LIST] = "matrix",     [KL_KEY_REDUCED] = "text"};
    kl_text_json(t, k->name);
    kl_text_add(t, ": {");
    describe(t, k);
    /* a word may also be a parameter that holds one */
    if (k->kind == KL_KEY_WORD) {
        kl_text_add(t, ", \"anyOf\": [{\"enum\": ");
        put_words(t, k->words);
        kl_text_add(t, "}, {\"type\": \"string\"}]");
    } else {
        kl_text_add(t, ", \"allOf\": [{\"$ref\": \"#/definitions/%s\"}]", shapes[k->kind]);
    }
    kl_text_add(t, "}");
}

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
    put_property(t, "like", "name of another entry whose keys it takes over", "text", "");
    put_property(t, "for", "variables of a loop: {i: 1..4} or {side: [left, right]}", "names",
                 ", ");
    put_property(t, "when", "condition; the entry is left out where it does not hold", "any", ", ");
}

static void put_type(kl_text *t, const char *name, const kl_key *keys, const kl_attach_key *where,
                     bool usual, bool first)
{
    kl_text_add(t,
                "%s\n      {\"if\": {%s\"properties\": {\"type\": {\"const\": \"%s\"}}}, \"then\": "
                "{\"properties\": {",
                first ? "" : ",", usual ? "" : "\"required\": [\"type\"], ", name);
    bool comma = false;
    for (const kl_key *k = keys; k && k->name; k++, comma = true) {
        kl_text_add(t, "%s", comma ? ", " : "");
        put_key(t, k);
    }
    for (const kl_attach_key *k = where; k && k->name; k++, comma = true)
        put_property(t, k->name, k->help, "any", comma ? ", " : "");
    kl_text_add(t, "}}}");
}

static void put_elements(kl_text *t, const char *section, const kl_element_type *const *types)
{
    kl_text_add(t, "    \"%s\": {\"type\": \"object\", \"properties\": {\"type\": {\"enum\": [",
                section);
    for (int i = 0; types[i]; i++) kl_text_add(t, "%s\"%s\"", i ? ", " : "", types[i]->name);
    kl_text_add(t, "]}, ");
    put_common(t);
    kl_text_add(t, "}, \"allOf\": [");
    for (int i = 0; types[i]; i++)
        put_type(t, types[i]->name, types[i]->keys, kl_attach_help(types[i]), false, i == 0);
    kl_text_add(t, "]},\n");
}

static void put_bodies(kl_text *t)
{
    kl_text_add(t, "    \"body\": {\"type\": \"object\", \"properties\": {\"type\": {\"enum\": [");
    for (int i = 1; kl_body_types[i]; i++)
        kl_text_add(t, "%s\"%s\"", i > 1 ? ", " : "", kl_body_types[i]->name);
    kl_text_add(t, "]}, ");
    put_common(t);
    put_property(t, "markers", "frames on the body: {pin: {at: [x, y, z], axis: z}}", "names",
                 ", ");
    kl_text_add(t, "}, \"allOf\": [");
    for (int i = 1; kl_body_types[i]; i++)
        put_type(t, kl_body_types[i]->name, kl_body_types[i]->keys, NULL, i == 1, i == 1);
    kl_text_add(t, "]},\n");
}

static void put_settings(kl_text *t, const char *name, const kl_key *keys)
{
    kl_text_add(
        t, "    \"%s\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {",
        name);
    for (const kl_key *k = keys; k->name; k++) {
        kl_text_add(t, "%s", k == keys ? "" : ", ");
        put_key(t, k);
    }
    kl_text_add(t, "}},\n");
}

static void put_section(kl_text *t, const char *name, const char *entry, const char *comma)
{
    kl_page page;
    kl_text_add(t, "%s\n    \"%s\": {", comma, name);
    if (kl_reference_find(name, &page)) {
        kl_text_add(t, "\"description\": ");
        kl_text_json(t, page.help);
        kl_text_add(t, ", ");
    }
    if (entry)
        kl_text_add(t,
                    "\"type\": [\"object\", \"null\"], \"additionalProperties\": {\"$ref\": "
                    "\"#/definitions/%s\"}}",
                    entry);
    else kl_text_add(t, "\"allOf\": [{\"$ref\": \"#/definitions/%s\"}]}", name);
}

/* Sections that a model and a template share. */
static void put_sections(kl_text *t)
{
    put_section(t, "parameters", "any", "");
    put_section(t, "inputs", "names", ",");
    put_section(t, "parts", "part", ",");
    put_section(t, "bodies", "body", ",");
    put_section(t, "joints", "joint", ",");
    put_section(t, "forces", "force", ",");
    put_section(t, "outputs", "output", ",");
}

void kl_schema_write(kl_text *t)
{
    kl_text_add(
        t, "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
           "  \"title\": \"Klingel model file\",\n  \"type\": \"object\",\n"
           "  \"required\": [\"klingel\"],\n  \"additionalProperties\": false,\n"
           "  \"properties\": {\n"
           "    \"klingel\": {\"const\": 1, \"description\": \"version of the language\"},\n"
           "    \"title\": {\"type\": \"string\"},\n"
           "    \"include\": {\"type\": [\"string\", \"array\"], \"description\": \"files that "
           "are taken in\"},\n"
           "    \"gravity\": {\"description\": \"acceleration of gravity, m/s2\"},\n"
           "    \"state\": {\"type\": \"object\"},\n"
           "    \"templates\": {\"type\": \"object\", \"additionalProperties\": {\"$ref\": "
           "\"#/definitions/template\"}},");
    put_sections(t);
    put_section(t, "tracks", "names", ",");
    put_section(t, "surfaces", "names", ",");
    put_section(t, "run", NULL, ",");
    put_section(t, "integrator", NULL, ",");
    kl_text_add(
        t, "\n  },\n  \"definitions\": {\n"
           "    \"any\": {},\n    \"text\": {\"type\": \"string\"},\n"
           "    \"number\": {\"type\": [\"number\", \"string\"]},\n"
           "    \"flag\": {\"type\": [\"boolean\", \"string\"]},\n"
           "    \"word\": {\"type\": \"string\"},\n"
           "    \"words\": {\"type\": [\"array\", \"string\"]},\n"
           "    \"numbers\": {\"type\": \"array\", \"items\": {\"$ref\": "
           "\"#/definitions/number\"}},\n"
           "    \"axis\": {\"type\": [\"string\", \"array\"]},\n"
           "    \"rotation\": {\"type\": \"object\"},\n"
           "    \"matrix\": {\"type\": [\"number\", \"string\", \"array\"]},\n"
           "    \"names\": {\"type\": \"object\"},\n"
           "    \"function\": {\"type\": [\"number\", \"string\", \"object\"]},\n"
           "    \"output\": {\"type\": \"object\", \"properties\": {\"of\": {}, \"point\": {}, "
           "\"quantity\": {}, \"expression\": {}, ");
    put_common(t);
    kl_text_add(
        t, "}, \"additionalProperties\": false},\n"
           "    \"part\": {\"type\": \"object\", \"properties\": {\"template\": {}, \"at\": {}, "
           "\"orientation\": {}, \"mirror\": {}, \"parameters\": {}, ");
    put_common(t);
    kl_text_add(t, "}, \"additionalProperties\": false},\n");
    put_bodies(t);
    put_elements(t, "joint", kl_joint_types);
    put_elements(t, "force", kl_force_types);
    put_settings(t, "run", kl_run_keys);
    put_settings(t, "integrator", kl_integrator_keys);
    kl_text_add(t, "    \"template\": {\"type\": \"object\", \"additionalProperties\": false, "
                   "\"properties\": {");
    put_sections(t);
    kl_text_add(t, "\n    }}\n  }\n}\n");
}
