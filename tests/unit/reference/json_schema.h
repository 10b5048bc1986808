/* A small validator of JSON Schema, draft 7, for what our schema uses; any other word of the schema
 * fails the test. Values come from kl_doc, so YAML is seen as the program sees it. */
#ifndef KL_TESTS_JSON_SCHEMA_H
#define KL_TESTS_JSON_SCHEMA_H

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "language/doc.h"
#include "unit/test.h"

typedef struct json_schema {
    const kl_node *root;
    char           why[400]; /* the innermost complaint of the last refusal */
} json_schema;

static inline bool json_valid(json_schema *s, const kl_node *rule, const kl_node *value);

static inline bool json_number(const kl_node *n, double *out)
{
    char *end;
    if (n->kind != KL_SCALAR || n->quoted || !*n->text) return false;
    *out = strtod(n->text, &end);
    return *end == '\0' && isfinite(*out);
}

static inline const char *json_type(const kl_node *n)
{
    double x;
    if (n->kind != KL_SCALAR) return n->kind == KL_MAP ? "object" : "array";
    if (n->quoted) return "string";
    if (!*n->text || strcmp(n->text, "null") == 0 || strcmp(n->text, "~") == 0) return "null";
    if (strcmp(n->text, "true") == 0 || strcmp(n->text, "false") == 0) return "boolean";
    return json_number(n, &x) ? "number" : "string";
}

static inline bool json_same(const kl_node *rule, const kl_node *value)
{
    return value->kind == KL_SCALAR && strcmp(rule->text, value->text) == 0 &&
           (strcmp(json_type(rule), "string") == 0) == (strcmp(json_type(value), "string") == 0);
}

static inline bool json_refuse(json_schema *s, const kl_node *value, const char *what,
                               const char *detail)
{
    snprintf(s->why, sizeof s->why, "line %d: %s %s", value->place.line, what, detail);
    return false;
}

/* ---- one function a word of the schema ---- */

typedef bool json_word(json_schema *s, const kl_node *rule, const kl_node *value,
                       const kl_node *whole);

static inline bool json_ref(json_schema *s, const kl_node *rule, const kl_node *value,
                            const kl_node *whole)
{
    (void)whole;
    static const char lead[] = "#/definitions/";
    assert_int_equal(strncmp(rule->text, lead, sizeof lead - 1), 0);
    const kl_node *found =
        kl_node_get(kl_node_get(s->root, "definitions"), rule->text + sizeof lead - 1);
    if (!found) fail_msg("the schema has no %s", rule->text);
    return json_valid(s, found, value);
}

static inline bool json_is_type(json_schema *s, const kl_node *rule, const kl_node *value,
                                const kl_node *whole)
{
    (void)whole;
    for (const kl_node *c = rule->kind == KL_LIST ? rule->first : rule; c;
         c                = rule->kind == KL_LIST ? c->next : NULL)
        if (strcmp(c->text, json_type(value)) == 0) return true;
    return json_refuse(s, value, "wrong type:", json_type(value));
}

static inline bool json_const(json_schema *s, const kl_node *rule, const kl_node *value,
                              const kl_node *whole)
{
    (void)whole;
    return json_same(rule, value) || json_refuse(s, value, "is not", rule->text);
}

static inline bool json_enum(json_schema *s, const kl_node *rule, const kl_node *value,
                             const kl_node *whole)
{
    (void)whole;
    for (const kl_node *c = rule->first; c; c = c->next)
        if (json_same(c, value)) return true;
    return json_refuse(s, value, "not one of the words:", value->text ? value->text : "");
}

static inline bool json_properties(json_schema *s, const kl_node *rule, const kl_node *value,
                                   const kl_node *whole)
{
    (void)whole;
    if (value->kind != KL_MAP) return true;
    for (const kl_node *c = value->first; c; c = c->next) {
        const kl_node *its = kl_node_get(rule, c->key);
        if (its && !json_valid(s, its, c)) return false;
    }
    return true;
}

static inline bool json_additional(json_schema *s, const kl_node *rule, const kl_node *value,
                                   const kl_node *whole)
{
    if (value->kind != KL_MAP) return true;
    for (const kl_node *c = value->first; c; c = c->next) {
        if (kl_node_get(kl_node_get(whole, "properties"), c->key)) continue;
        if (rule->kind == KL_SCALAR) return json_refuse(s, c, "unknown key", c->key);
        if (!json_valid(s, rule, c)) return false;
    }
    return true;
}

static inline bool json_required(json_schema *s, const kl_node *rule, const kl_node *value,
                                 const kl_node *whole)
{
    (void)whole;
    if (value->kind != KL_MAP) return true;
    for (const kl_node *c = rule->first; c; c = c->next)
        if (!kl_node_get(value, c->text)) return json_refuse(s, value, "lacks", c->text);
    return true;
}

static inline bool json_all(json_schema *s, const kl_node *rule, const kl_node *value,
                            const kl_node *whole)
{
    (void)whole;
    for (const kl_node *c = rule->first; c; c = c->next)
        if (!json_valid(s, c, value)) return false;
    return true;
}

static inline bool json_any(json_schema *s, const kl_node *rule, const kl_node *value,
                            const kl_node *whole)
{
    (void)whole;
    for (const kl_node *c = rule->first; c; c = c->next)
        if (json_valid(s, c, value)) return true;
    return false;
}

static inline bool json_not(json_schema *s, const kl_node *rule, const kl_node *value,
                            const kl_node *whole)
{
    (void)whole;
    return !json_valid(s, rule, value) || json_refuse(s, value, "is what it must not be", "");
}

static inline bool json_if(json_schema *s, const kl_node *rule, const kl_node *value,
                           const kl_node *whole)
{
    return !json_valid(s, rule, value) || json_valid(s, kl_node_get(whole, "then"), value);
}

static inline bool json_items(json_schema *s, const kl_node *rule, const kl_node *value,
                              const kl_node *whole)
{
    (void)whole;
    for (const kl_node *c = value->kind == KL_LIST ? value->first : NULL; c; c = c->next)
        if (!json_valid(s, rule, c)) return false;
    return true;
}

static inline bool json_pattern(json_schema *s, const kl_node *rule, const kl_node *value,
                                const kl_node *whole)
{
    (void)whole;
    regex_t re;
    if (strcmp(json_type(value), "string") != 0) return true;
    assert_int_equal(regcomp(&re, rule->text, REG_EXTENDED | REG_NOSUB), 0);
    bool match = regexec(&re, value->text, 0, NULL, 0) == 0;
    regfree(&re);
    return match || json_refuse(s, value, "does not match", rule->text);
}

static inline bool json_nothing(json_schema *s, const kl_node *rule, const kl_node *value,
                                const kl_node *whole)
{
    (void)s, (void)rule, (void)value, (void)whole;
    return true;
}

/* minimum, maxItems and the like: a measure and its bound */
static inline bool json_bound(json_schema *s, const kl_node *rule, const kl_node *value)
{
    double bound = strtod(rule->text, NULL), x = NAN;
    bool   items = strstr(rule->key, "Items") != NULL,
         props   = strstr(rule->key, "Properties") != NULL;
    if (items || props) {
        if (value->kind == (items ? KL_LIST : KL_MAP)) x = value->size;
    } else if (!json_number(value, &x)) {
        x = NAN;
    }
    if (isnan(x)) return true;
    bool good = strcmp(rule->key, "exclusiveMinimum") == 0 ? x > bound
                : strncmp(rule->key, "min", 3) == 0        ? x >= bound
                                                           : x <= bound;
    return good || json_refuse(s, value, "out of range:", rule->key);
}

static inline bool json_valid(json_schema *s, const kl_node *rule, const kl_node *value)
{
    static const struct {
        const char *name;
        json_word  *check;
    } words[]          = {{"type", json_is_type},
                          {"const", json_const},
                          {"enum", json_enum},
                          {"properties", json_properties},
                          {"required", json_required},
                          {"additionalProperties", json_additional},
                          {"allOf", json_all},
                          {"anyOf", json_any},
                          {"not", json_not},
                          {"if", json_if},
                          {"items", json_items},
                          {"pattern", json_pattern},
                          {"then", json_nothing},
                          {"description", json_nothing},
                          {"title", json_nothing},
                          {"$schema", json_nothing},
                          {"definitions", json_nothing}};
    const kl_node *ref = kl_node_get(rule, "$ref");
    if (ref) { /* draft 7 leaves out what stands beside it, so nothing may */
        assert_int_equal(rule->size, 1);
        return json_ref(s, ref, value, rule);
    }
    for (const kl_node *c = rule->first; c; c = c->next) {
        size_t i = 0;
        while (i < sizeof words / sizeof *words && strcmp(words[i].name, c->key) != 0) i++;
        if (i < sizeof words / sizeof *words) {
            if (!words[i].check(s, c, value, rule)) return false;
        } else if (strncmp(c->key, "min", 3) == 0 || strncmp(c->key, "max", 3) == 0 ||
                   strcmp(c->key, "exclusiveMinimum") == 0) {
            if (!json_bound(s, c, value)) return false;
        } else {
            fail_msg("the test does not know the word %s of the schema", c->key);
        }
    }
    return true;
}

#endif
