/* All frames are written as markers of their bodies, to the bit; nothing is computed again. */
#include "reference/write_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "catalogue.h"
#include "contact/contact_shape.h"
#include "language/build.h"
#include "model/key_unit.h"
#include "reference/write_values.h"
#include "script/function.h"

/* ---- values by key: the way back from values.c ----------------------------------------------- */

static void put_list(kl_text *t, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        kl_text_add(t, i ? ", " : "[");
        kl_text_number(t, x[i]);
    }
    kl_text_add(t, n ? "]" : "[]");
}

static void put_rotation(kl_text *t, const kl_mat3 *A)
{
    kl_text_add(t, "{matrix: ");
    put_list(t, &A->m[0][0], 9);
    kl_text_add(t, "}");
}

/* A name, or what such a file holds, which is there as it was written. */
static void put_reduced(kl_text *t, const char *file)
{
    if (*file == '{') kl_text_add(t, "%s", file);
    else kl_text_json(t, file);
}

static void put_word(kl_text *t, const char *words, int index)
{
    for (; index > 0 && strchr(words, ' '); index--) words = strchr(words, ' ') + 1;
    kl_text_add(t, "%.*s", (int)strcspn(words, " "), words);
}

static void put_words(kl_text *t, const char *words, int bits)
{
    bool first = true;
    kl_text_add(t, "[");
    for (int i = 0; i < 31; i++)
        if (bits >> i & 1) {
            kl_text_add(t, first ? "" : ", ");
            put_word(t, words, i);
            first = false;
        }
    kl_text_add(t, "]");
}

static void put_signals(kl_text *t, const kl_signals *s)
{
    kl_text_add(t, "{");
    for (int i = 0; i < s->n; i++) {
        const kl_signal *one = &s->item[i];
        kl_text_add(t, "%s%s: %s", i ? ", " : "", one->name, one->text);
    }
    kl_text_add(t, "}");
}

static void put_table(kl_text *t, const kl_table *table)
{
    kl_text_add(t, "{");
    for (int i = 0; i < table->n; i++) {
        kl_text_add(t, "%s%s: ", i ? ", " : "", table->name[i]);
        kl_text_number(t, table->value[i]);
    }
    kl_text_add(t, "}");
}

/* constants become locals, so that the text needs no parameter */
static void put_code(kl_text *t, const kl_code *c)
{
    kl_text s = {0};
    for (int i = 0; c->constant && c->constant[i]; i++) {
        kl_text_add(&s, "local %s = ", c->constant[i]);
        kl_text_number(&s, c->value[i]);
        kl_text_add(&s, "\n");
    }
    kl_text_add(&s, "%s", c->text);
    char *text = kl_text_finish(&s);
    kl_text_json(t, text ? text : "");
    free(text);
}

static bool put_resources(kl_text *t, const kl_model *m, int n, const void *at)
{
    const void *const *data = at;
    if (!data[0]) return false;
    for (int i = 0; i < n; i++) {
        const kl_resource *r = kl_model_resource_of(m, data[i]);
        kl_text_add(t, "%s%s", i ? ", " : n > 1 ? "[" : "", r ? r->name : "");
    }
    if (n > 1) kl_text_add(t, "]");
    return true;
}

static bool put_texts(kl_text *t, const kl_text_list *list)
{
    if (list->n == 0) return false;
    for (int i = 0; i < list->n; i++) {
        kl_text_add(t, i ? ", " : "[");
        kl_text_json(t, list->item[i]);
    }
    kl_text_add(t, "]");
    return true;
}

/* The value of a key; false: it has none. */
bool kl_write_value(kl_text *t, const kl_write_context *c, const kl_key *k, const void *data)
{
    const void *at = (const char *)data + k->offset;
    switch (k->kind) {
    case KL_KEY_NUMBER:
        /* NaN marks a key without default that was not given */
        if (isnan(*(const double *)at)) return false;
        kl_text_number(t, *(const double *)at);
        return true;
    case KL_KEY_NUMBERS: put_list(t, at, k->size); return true;
    case KL_KEY_AXIS: {
        double x[3];
        kl_store(x, *(const kl_vec3 *)at);
        /* an axis that was not given is the zero vector */
        if (kl_norm(kl_load(x)) == 0.0) return false;
        put_list(t, x, 3);
        return true;
    }
    case KL_KEY_ROTATION: put_rotation(t, at); return true;
    case KL_KEY_INERTIA: {
        const kl_mat3 *J = at;
        /* the order of the key: xx, yy, zz, xy, xz, yz, entries of the tensor and not negated products */
        double x[] = {J->m[0][0], J->m[1][1], J->m[2][2], J->m[0][1], J->m[0][2], J->m[1][2]};
        put_list(t, x, 6);
        return true;
    }
    case KL_KEY_MATRIX6: put_list(t, at, 36); return true;
    case KL_KEY_FUNCTION:
        if (!*(kl_function *const *)at) return false;
        kl_function_write(*(kl_function *const *)at, c->inputs, t);
        return true;
    case KL_KEY_WORD: put_word(t, k->words, *(const int *)at); return true;
    case KL_KEY_WORDS: put_words(t, k->words, *(const int *)at); return true;
    case KL_KEY_FLAG: kl_text_add(t, *(const bool *)at ? "true" : "false"); return true;
    case KL_KEY_SIGNALS: put_signals(t, *(kl_signals *const *)at); return true;
    case KL_KEY_TABLE: put_table(t, *(kl_table *const *)at); return true;
    case KL_KEY_CODE: put_code(t, at); return true;
    case KL_KEY_TEXT:
        if (!((const kl_code *)at)->text) return false;
        kl_text_json(t, ((const kl_code *)at)->text);
        return true;
    case KL_KEY_RESOURCE: return put_resources(t, c->m, k->size > 1 ? k->size : 1, at);
    case KL_KEY_FILE:
        if (!((const kl_file *)at)->name) return false;
        kl_text_json(t, ((const kl_file *)at)->name);
        return true;
    case KL_KEY_SHAPES:
        kl_contact_shapes_write(((const kl_shapes *)at)->item, ((const kl_shapes *)at)->n, t);
        return true;
    case KL_KEY_LIST:
        put_list(t, ((const kl_list *)at)->value, ((const kl_list *)at)->n);
        return true;
    case KL_KEY_TEXTS: return put_texts(t, at);
    case KL_KEY_REDUCED: {
        const kl_reduced *r = (const kl_reduced *)at;
        if (r->text) kl_text_add(t, "%s", r->text);
        else put_reduced(t, r->file);
        return true;
    }
    }
    return false;
}

void kl_write_unit(const kl_key *keys, const kl_key *k, const void *data, char *text, size_t size)
{
    kl_key_unit(keys, data, k->unit ? k->unit : "1", text, size);
    if (strcmp(text, "*") == 0 || strcmp(text, "1") == 0) *text = '\0';
    for (char *p = text; *p; p++)
        if (*p == '|') *p = ',';
}

static void put_keys(kl_text *t, const kl_write_context *c, const kl_key *keys, const void *data,
                     const char *indent)
{
    for (const kl_key *k = keys; k && k->name; k++) {
        kl_text value = {0};
        char    unit[96];
        kl_write_unit(keys, k, data, unit, sizeof unit);
        bool  there = kl_write_value(&value, c, k, data);
        char *text  = kl_text_finish(&value);
        if (there)
            kl_text_add(t, "%s%s: %s%s%s\n", indent, k->name, text ? text : "",
                        *unit ? "    # " : "", unit);
        else kl_text_add(t, "%s# %s: none\n", indent, k->name);
        free(text);
    }
}

/* ---- markers --------------------------------------------------------------------------------- */

/* name of the marker of a flexible body's file, or `frame`, that a marker is fixed to; NULL: none */
static const char *fixed_to(const kl_model *m, int body, int node)
{
    for (int i = 0; node != 0 && i < m->nnamed; i++)
        if (m->named[i].body == body && m->named[i].node == node && !m->named[i].on)
            return m->named[i].name;
    return NULL;
}

static void put_marker(kl_text *t, const char *name, kl_vec3 r, const kl_mat3 *A, const char *on,
                       int node)
{
    double x[3];
    kl_store(x, r);
    kl_text_add(t, "      %s: {at: ", name);
    put_list(t, x, 3);
    kl_text_add(t, ", orientation: ");
    put_rotation(t, A);
    if (on && *on) kl_text_add(t, ", on: %s", on);
    if (node == KL_MARKER_UNSPUN) kl_text_add(t, ", spins: false");
    kl_text_add(t, "}\n");
}

/* Markers of elements by body: next[i] is the one after marker i on the same body. */
typedef struct chains {
    int *first, *next;
} chains;

static chains chain_markers(const kl_model *m)
{
    chains c = {malloc(((size_t)m->nbody + 1) * sizeof(int)),
                malloc(((size_t)m->nmarker + 1) * sizeof(int))};
    if (!c.first || !c.next) return c;
    for (int i = 0; i < m->nbody; i++) c.first[i] = -1;
    for (int i = m->nmarker_elements - 1; i >= 0; i--) {
        if (m->marker[i].node <= KL_MARKER_SKIN) continue; /* the contact names them */
        c.next[i]                  = c.first[m->marker[i].body];
        c.first[m->marker[i].body] = i;
    }
    return c;
}

/* Names that the user gave first, then one a marker of an element: m0, m1, ... */
static void put_markers(kl_text *t, const kl_model *m, int body, const chains *c,
                        const int *named_first, const int *named_next)
{
    bool any = c->first[body] >= 0;
    for (int i = named_first[body]; i >= 0; i = named_next[i]) any |= m->named[i].on != NULL;
    if (!any) return;
    kl_text_add(t, "    markers:\n");
    for (int i = named_first[body]; i >= 0; i = named_next[i])
        if (m->named[i].on) /* others come with the file of a flexible body */
            put_marker(t, m->named[i].name, m->named[i].r, &m->named[i].A, m->named[i].on,
                       m->named[i].node);
    for (int i = c->first[body]; i >= 0; i = c->next[i]) {
        char name[32];
        snprintf(name, sizeof name, "m%d", i);
        put_marker(t, name, m->marker[i].r, &m->marker[i].A, fixed_to(m, body, m->marker[i].node),
                   m->marker[i].node);
    }
}

/* start: {angle: 0.5, angular_speed: 2, fixed: [angle]} */
static void put_start(kl_text *t, const kl_model *m, int joint)
{
    int n = 0, fixed = 0;
    for (int i = 0; i < m->nstart; i++) {
        if (m->start[i].joint != joint) continue;
        kl_text_add(t, "%s%s: ", n++ ? ", " : "    start: {", m->start[i].name);
        kl_text_number(t, m->start[i].value);
    }
    for (int i = 0; i < m->nstart; i++)
        if (m->start[i].joint == joint && m->start[i].fixed)
            kl_text_add(t, "%s%s", fixed++ ? ", " : ", fixed: [", m->start[i].name);
    if (n) kl_text_add(t, "%s}\n", fixed ? "]" : "");
}

/* ---- sections -------------------------------------------------------------------------------- */

void kl_write_quantity(kl_text *t, const kl_quantity *q)
{
    char unit[KL_UNIT_TEXT] = "";
    if (!q->bare) kl_unit_format(q->dim, unit, sizeof unit);
    kl_text_number(t, q->value);
    kl_text_add(t, "%s%s", *unit ? " " : "", unit);
}

void kl_write_input(kl_text *t, const kl_model *m, int i)
{
    kl_text_add(t, "{unit: \"%s\", value: ", m->input[i].unit);
    kl_text_number(t, m->input[i].value);
    kl_text_add(t, "}");
}

/* Each kind of resource in its section; those that the program has built in need no entry. */
static void put_resource_sections(kl_text *t, const kl_write_context *c)
{
    const kl_resource_type *last = NULL;
    for (int k = 0; kl_resource_types[k]; k++)
        for (int i = 0; i < c->m->nresource; i++) {
            const kl_resource *r = c->m->resource[i];
            if (r->type != kl_resource_types[k] || r->made) continue;
            if (last != r->type) kl_text_add(t, "\n%s:\n", r->type->section);
            last = r->type;
            if (r->text) kl_text_add(t, "  %s: %s\n", r->name, r->text);
            else kl_text_add(t, "  %s:\n", r->name);
            if (!r->text) put_keys(t, c, r->type->keys, r->data, "    ");
        }
}

static void put_head(kl_text *t, const kl_write_context *c)
{
    const kl_model *m = c->m;
    double          g[3];
    kl_store(g, m->gravity);
    kl_text_add(t, "klingel: 1\ntitle: ");
    kl_text_json(t, m->title);
    kl_text_add(t, "\ngravity: ");
    put_list(t, g, 3);
    kl_text_add(t, "    # m/s2\n");
    if (m->nparameter) kl_text_add(t, "\nparameters:\n");
    for (int i = 0; i < m->nparameter; i++) {
        kl_text_add(t, "  %s: ", m->parameter[i].name);
        kl_write_quantity(t, &m->parameter[i].value);
        kl_text_add(t, "\n");
    }
    put_resource_sections(t, c);
    if (m->ninput) kl_text_add(t, "\ninputs:\n");
    for (int i = 0; i < m->ninput; i++) {
        kl_text_add(t, "  %s: ", m->input[i].name);
        kl_write_input(t, m, i);
        kl_text_add(t, "\n");
    }
}

static void put_bodies(kl_text *t, const kl_write_context *c)
{
    const kl_model *m     = c->m;
    chains          list  = chain_markers(m);
    int            *first = malloc(((size_t)m->nbody + 1) * sizeof *first),
        *next             = malloc(((size_t)m->nnamed + 1) * sizeof *next);
    t->failed |= !list.first || !list.next || !first || !next;
    if (!t->failed) {
        for (int i = 0; i < m->nbody; i++) first[i] = -1;
        /* lists of named markers by body; built from the end, so that each list is in the order of the file */
        for (int i = m->nnamed - 1; i >= 0; i--) {
            next[i]                 = first[m->named[i].body];
            first[m->named[i].body] = i;
        }
        kl_text_add(t, "\nbodies:\n");
        for (int i = 0; i < m->nbody; i++) {
            const kl_body *b = &m->body[i];
            /* massless bodies of elements, bodies that Klingel added and nodes of beams come back with their owners */
            if (b->own || b->made || b->node || (i == 0 && list.first[0] < 0 && first[0] < 0))
                continue;
            kl_text_add(t, "  %s:\n", b->name);
            if (i > 0) kl_text_add(t, "    type: %s\n", b->type->name);
            if (i > 0) put_keys(t, c, b->type->keys, b->data, "    ");
            put_markers(t, m, i, &list, first, next);
        }
        /* beams are compounds: one entry of the file that became many bodies and elements */
        for (int i = 0; i < m->ncompound; i++) {
            kl_text_add(t, "  %s:\n    type: %s\n", m->compound[i].name, m->compound[i].type->name);
            put_keys(t, c, m->compound[i].type->keys, m->compound[i].data, "    ");
        }
    }
    free(list.first);
    free(list.next);
    free(first);
    free(next);
}

/* Where elements of this type are listed; of types that no section has: by what they do. */
static const kl_element_section *section_of(const kl_element *e)
{
    const kl_element_section *s = kl_section_of(e->type);
    return s ? s : &kl_element_sections[e->joint ? 0 : 1];
}

static void put_elements(kl_text *t, const kl_write_context *c, const kl_element_section *section)
{
    bool first = true;
    for (int i = 0; i < c->m->nelement; i++) {
        const kl_element *e = &c->m->element[i];
        if (section_of(e) != section || e->made) continue;
        if (first) kl_text_add(t, "\n%s:\n", section->section);
        first = false;
        kl_text_add(t, "  %s:\n    type: %s\n", e->name, e->type->name);
        if (e->type->attach && e->type->attach->write) e->type->attach->write(t, c->m, e);
        put_start(t, c->m, i);
        put_keys(t, c, e->type->keys, e->data, "    ");
    }
}

static void put_limit(kl_text *t, const kl_wanted *w)
{
    char unit[KL_UNIT_TEXT];
    if (w->lowpass > 0.0) {
        kl_text_add(t, ", lowpass: ");
        kl_text_number(t, w->lowpass);
    }
    if (isnan(w->limit.value)) return;
    kl_unit_format(w->limit.dim, unit, sizeof unit);
    kl_text_add(t, ", limit: ");
    kl_text_number(t, w->limit.value);
    if (!w->limit.bare && *unit) kl_text_add(t, " %s", unit);
    if (!w->rule) return;
    kl_text_add(t, ", rule: ");
    kl_text_json(t, w->rule);
}

/* "left": the named marker that this one is where a point alone would not determine it, or NULL */
static const char *marker_meant(const kl_model *m, const kl_marker *p)
{
    kl_mat3 I     = kl_identity();
    bool    plain = p->node == 0 && memcmp(&p->A, &I, sizeof I) == 0;
    for (int i = 0; !plain && i < m->nnamed; i++) {
        const kl_named *n = &m->named[i];
        if (n->body == p->body && n->node == p->node && kl_norm(kl_sub(n->r, p->r)) == 0.0 &&
            memcmp(&n->A, &p->A, sizeof p->A) == 0)
            return n->name;
    }
    return NULL;
}

void kl_write_output(kl_text *t, const kl_model *m, int i)
{
    const kl_wanted *w = &m->wanted[i];
    if (!w->quantity) {
        kl_text_add(t, "{expression: ");
        kl_text_json(t, w->expression);
        put_limit(t, w);
        kl_text_add(t, "}");
        return;
    }
    const kl_marker *p     = &m->marker[w->marker];
    const char      *named = marker_meant(m, p);
    if (named) {
        kl_text_add(t, "{of: %s.%s", m->body[p->body].name, named);
    } else {
        double x[3];
        kl_store(x, p->r);
        kl_text_add(t, "{of: %s, point: ", m->body[p->body].name);
        put_list(t, x, 3);
    }
    kl_text_add(t, ", quantity: %s", w->quantity);
    put_limit(t, w);
    kl_text_add(t, "}");
}

bool kl_write_open(kl_write_context *c, const kl_model *m)
{
    *c = (kl_write_context){.m = m, .inputs = malloc(((size_t)m->ninput + 1) * sizeof *c->inputs)};
    for (int i = 0; c->inputs && i < m->ninput; i++) c->inputs[i] = m->input[i].name;
    return c->inputs != NULL;
}

/* Markers that the program put on virtual bodies, back on the bodies that these ride on: those of
 * the first marker of the joint that it made. Joints of its own get none. NULL: no memory. */
static kl_marker *markers_as_written(const kl_model *m)
{
    kl_marker *list = malloc(((size_t)m->nmarker + 1) * sizeof *list);
    for (int i = 0; list && i < m->nmarker; i++) list[i] = m->marker[i];
    for (int i = 0; list && i < m->nelement; i++) {
        const kl_element *e     = &m->element[i];
        int               rider = e->made ? m->marker[e->marker + 1].body : 0;
        if (!e->made || !m->body[rider].made) continue;
        const kl_marker *on = &m->marker[e->marker];
        for (int k = 0; k < m->nmarker; k++)
            if (m->marker[k].body == rider)
                list[k].body = on->body, list[k].r = kl_add(m->marker[k].r, on->r);
    }
    return list;
}

void kl_write_model(kl_text *t, const kl_model *model)
{
    kl_write_context c;
    kl_model         written = *model, *m = &written;
    written.marker = markers_as_written(model);
    t->failed |= !written.marker || !kl_write_open(&c, m);
    if (!t->failed) {
        put_head(t, &c);
        put_bodies(t, &c);
        for (const kl_element_section *s = kl_element_sections; s->section; s++)
            put_elements(t, &c, s);
        if (m->nwanted) kl_text_add(t, "\noutputs:\n");
        for (int i = 0; i < m->nwanted; i++) {
            kl_text_add(t, "  %s: ", m->wanted[i].name);
            kl_write_output(t, m, i);
            kl_text_add(t, "\n");
        }
        kl_text_add(t, "\nrun:\n");
        put_keys(t, &c, kl_run_keys, &m->settings, "  ");
        kl_settings with = m->settings;
        with.length      = m->length;
        kl_text_add(t, "\nintegrator:\n");
        put_keys(t, &c, kl_integrator_keys, &with, "  ");
    }
    if (written.marker) free((void *)c.inputs);
    free(written.marker);
}
