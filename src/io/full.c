/* All frames are written as markers of their bodies, to the bit; nothing is computed again. */
#include "io/full.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "io/build.h"
#include "model/key_unit.h"
#include "script/function.h"

/* ---- values by key: the way back from values.c ----------------------------------------------- */

typedef struct context {
    const kl_model *m;
    const char    **inputs; /* names of u */
} context;

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

/* The value of a key; false: it has none. */
static bool put_value(kl_text *t, const context *c, const kl_key *k, const void *data)
{
    const void *at = (const char *)data + k->offset;
    switch (k->kind) {
    case KL_KEY_NUMBER:
        if (isnan(*(const double *)at)) return false;
        kl_text_number(t, *(const double *)at);
        return true;
    case KL_KEY_NUMBERS: put_list(t, at, k->size); return true;
    case KL_KEY_AXIS: {
        double x[3];
        kl_store(x, *(const kl_vec3 *)at);
        put_list(t, x, 3);
        return true;
    }
    case KL_KEY_ROTATION: put_rotation(t, at); return true;
    case KL_KEY_INERTIA: {
        const kl_mat3 *J = at;
        double x[]       = {J->m[0][0], J->m[1][1], J->m[2][2], J->m[0][1], J->m[0][2], J->m[1][2]};
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
    case KL_KEY_TRACK: kl_text_add(t, "%s", (*(const kl_guide *const *)at)->name); return true;
    case KL_KEY_SURFACE: kl_text_add(t, "%s", (*(const kl_sheet *const *)at)->name); return true;
    case KL_KEY_LIST:
        put_list(t, ((const kl_list *)at)->value, ((const kl_list *)at)->n);
        return true;
    case KL_KEY_REDUCED: kl_text_json(t, ((const kl_reduced *)at)->file); return true;
    }
    return false;
}

static void unit_of(const kl_key *keys, const kl_key *k, const void *data, char *text, size_t size)
{
    kl_key_unit(keys, data, k->unit ? k->unit : "1", text, size);
    if (strcmp(text, "*") == 0 || strcmp(text, "1") == 0) *text = '\0';
    for (char *p = text; *p; p++)
        if (*p == '|') *p = ',';
}

static void put_keys(kl_text *t, const context *c, const kl_key *keys, const void *data,
                     const char *indent)
{
    for (const kl_key *k = keys; k && k->name; k++) {
        kl_text value = {0};
        char    unit[96];
        unit_of(keys, k, data, unit, sizeof unit);
        bool  there = put_value(&value, c, k, data);
        char *text  = kl_text_finish(&value);
        if (there)
            kl_text_add(t, "%s%s: %s%s%s\n", indent, k->name, text ? text : "",
                        *unit ? "    # " : "", unit);
        else kl_text_add(t, "%s# %s: none\n", indent, k->name);
        free(text);
    }
}

/* ---- markers --------------------------------------------------------------------------------- */

static void put_marker(kl_text *t, const char *name, kl_vec3 r, const kl_mat3 *A)
{
    double x[3];
    kl_store(x, r);
    kl_text_add(t, "      %s: {at: ", name);
    put_list(t, x, 3);
    kl_text_add(t, ", orientation: ");
    put_rotation(t, A);
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
        c.next[i]                  = c.first[m->marker[i].body];
        c.first[m->marker[i].body] = i;
    }
    return c;
}

/* Names that the user gave first, then one a marker of an element: m0, m1, ... */
static void put_markers(kl_text *t, const kl_model *m, int body, const chains *c,
                        const int *named_first, const int *named_next)
{
    if (c->first[body] < 0 && named_first[body] < 0) return;
    kl_text_add(t, "    markers:\n");
    for (int i = named_first[body]; i >= 0; i = named_next[i])
        put_marker(t, m->named[i].name, m->named[i].r, &m->named[i].A);
    for (int i = c->first[body]; i >= 0; i = c->next[i]) {
        char name[32];
        snprintf(name, sizeof name, "m%d", i);
        put_marker(t, name, m->marker[i].r, &m->marker[i].A);
    }
}

static const char *marker_name(const kl_model *m, int i, char text[300])
{
    snprintf(text, 300, "%.250s.m%d", m->body[m->marker[i].body].name, i);
    return text;
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

static void put_place(kl_text *t, const kl_model *m, const kl_element *e)
{
    char a[300], b[300];
    switch (e->type->attach) {
    case KL_ATTACH_PAIR:
    case KL_ATTACH_JOINT:
        if (e->of[0] >= 0) kl_text_add(t, "    of: %s\n", m->element[e->of[0]].name);
        else
            kl_text_add(t, "    between: [%s, %s]\n", marker_name(m, e->marker, a),
                        marker_name(m, e->marker + 1, b));
        break;
    case KL_ATTACH_ONE: kl_text_add(t, "    on: %s\n", marker_name(m, e->marker, a)); break;
    case KL_ATTACH_JOINTS:
        kl_text_add(t, "    joints: [%s, %s]\n", m->element[e->of[0]].name,
                    m->element[e->of[1]].name);
        break;
    case KL_ATTACH_SET:
        kl_text_add(t, "    pilot: %s\n    nodes: [", m->body[m->marker[e->marker].body].name);
        for (int i = 1; i < e->nmarker; i += 2)
            kl_text_add(t, "%s%s", i > 1 ? ", " : "", m->body[m->marker[e->marker + i].body].name);
        kl_text_add(t, "]\n");
        break;
    case KL_ATTACH_FOLLOW:
        kl_text_add(t, "    on: %s\n    body: %s\n", marker_name(m, e->marker, a),
                    marker_name(m, e->marker + 1, b));
        break;
    case KL_ATTACH_SIGNALS: break; /* its keys name them */
    }
}

/* ---- sections -------------------------------------------------------------------------------- */

static void put_quantity(kl_text *t, const kl_quantity *q)
{
    char unit[KL_UNIT_TEXT] = "";
    if (!q->bare) kl_unit_format(q->dim, unit, sizeof unit);
    kl_text_number(t, q->value);
    kl_text_add(t, "%s%s", *unit ? " " : "", unit);
}

static void put_head(kl_text *t, const kl_model *m)
{
    double g[3];
    kl_store(g, m->gravity);
    kl_text_add(t, "klingel: 1\ntitle: ");
    kl_text_json(t, m->title);
    kl_text_add(t, "\ngravity: ");
    put_list(t, g, 3);
    kl_text_add(t, "    # m/s2\n");
    if (m->nparameter) kl_text_add(t, "\nparameters:\n");
    for (int i = 0; i < m->nparameter; i++) {
        kl_text_add(t, "  %s: ", m->parameter[i].name);
        put_quantity(t, &m->parameter[i].value);
        kl_text_add(t, "\n");
    }
    if (m->nline) kl_text_add(t, "\ntracks:\n");
    for (int i = 0; i < m->nline; i++)
        kl_text_add(t, "  %s: %s\n", m->line[i].name, m->line[i].text);
    if (m->nskin) kl_text_add(t, "\nsurfaces:\n");
    for (int i = 0; i < m->nskin; i++)
        kl_text_add(t, "  %s: %s\n", m->skin[i].name, m->skin[i].text);
    if (m->ninput) kl_text_add(t, "\ninputs:\n");
    for (int i = 0; i < m->ninput; i++) {
        kl_text_add(t, "  %s: {unit: \"%s\", value: ", m->input[i].name, m->input[i].unit);
        kl_text_number(t, m->input[i].value);
        kl_text_add(t, "}\n");
    }
}

static void put_bodies(kl_text *t, const context *c)
{
    const kl_model *m     = c->m;
    chains          list  = chain_markers(m);
    int            *first = malloc(((size_t)m->nbody + 1) * sizeof *first),
        *next             = malloc(((size_t)m->nnamed + 1) * sizeof *next);
    t->failed |= !list.first || !list.next || !first || !next;
    if (!t->failed) {
        for (int i = 0; i < m->nbody; i++) first[i] = -1;
        for (int i = m->nnamed - 1; i >= 0; i--) {
            next[i]                 = first[m->named[i].body];
            first[m->named[i].body] = i;
        }
        kl_text_add(t, "\nbodies:\n");
        for (int i = 0; i < m->nbody; i++) {
            const kl_body *b = &m->body[i];
            if (b->own || (i == 0 && list.first[0] < 0 && first[0] < 0)) continue;
            kl_text_add(t, "  %s:\n", b->name);
            if (i > 0) kl_text_add(t, "    type: %s\n", b->type->name);
            if (i > 0) put_keys(t, c, b->type->keys, b->data, "    ");
            put_markers(t, m, i, &list, first, next);
        }
    }
    free(list.first);
    free(list.next);
    free(first);
    free(next);
}

static void put_elements(kl_text *t, const context *c, bool joints)
{
    bool first = true;
    for (int i = 0; i < c->m->nelement; i++) {
        const kl_element *e = &c->m->element[i];
        if (e->joint != joints) continue;
        if (first) kl_text_add(t, joints ? "\njoints:\n" : "\nforces:\n");
        first = false;
        kl_text_add(t, "  %s:\n    type: %s\n", e->name, e->type->name);
        put_place(t, c->m, e);
        put_start(t, c->m, i);
        put_keys(t, c, e->type->keys, e->data, "    ");
    }
}

static void put_wanted(kl_text *t, const kl_model *m, const kl_wanted *w)
{
    kl_text_add(t, "  %s: ", w->name);
    if (!w->quantity) {
        kl_text_add(t, "{expression: ");
        kl_text_json(t, w->expression);
        kl_text_add(t, "}\n");
        return;
    }
    double x[3];
    kl_store(x, m->marker[w->marker].r);
    kl_text_add(t, "{of: %s, point: ", m->body[m->marker[w->marker].body].name);
    put_list(t, x, 3);
    kl_text_add(t, ", quantity: %s}\n", w->quantity);
}

static bool open_context(context *c, const kl_model *m)
{
    *c = (context){.m = m, .inputs = malloc(((size_t)m->ninput + 1) * sizeof *c->inputs)};
    for (int i = 0; c->inputs && i < m->ninput; i++) c->inputs[i] = m->input[i].name;
    return c->inputs != NULL;
}

void kl_full_write(kl_text *t, const kl_model *m)
{
    context c;
    t->failed |= !open_context(&c, m);
    if (!t->failed) {
        put_head(t, m);
        put_bodies(t, &c);
        put_elements(t, &c, true);
        put_elements(t, &c, false);
        if (m->nwanted) kl_text_add(t, "\noutputs:\n");
        for (int i = 0; i < m->nwanted; i++) put_wanted(t, m, &m->wanted[i]);
        kl_text_add(t, "\nrun:\n");
        put_keys(t, &c, kl_run_keys, &m->settings, "  ");
        kl_settings with = m->settings;
        with.length      = m->length;
        kl_text_add(t, "\nintegrator:\n");
        put_keys(t, &c, kl_integrator_keys, &with, "  ");
    }
    free((void *)c.inputs);
}

/* ---- differences ----------------------------------------------------------------------------- */

static int diff_keys(kl_text *t, const char *what, const context *a, const context *b,
                     const kl_key *keys, const void *old, const void *new)
{
    int n = 0;
    for (const kl_key *k = keys; k && k->name; k++) {
        kl_text x = {0}, y = {0};
        char    unit[96];
        bool    has = put_value(&x, a, k, old), had = put_value(&y, b, k, new);
        char   *was = kl_text_finish(&x), *is = kl_text_finish(&y);
        unit_of(keys, k, new, unit, sizeof unit);
        if (has != had || (was && is && strcmp(was, is) != 0)) {
            kl_text_add(t, "%s: %s was %s, is %s%s%s\n", what, k->name, has ? was : "not given",
                        had ? is : "not given", had && *unit ? " " : "", had ? unit : "");
            n++;
        }
        free(was);
        free(is);
    }
    return n;
}

static int diff_place(kl_text *t, const char *what, const kl_model *a, const kl_element *p,
                      const kl_model *b, const kl_element *q)
{
    int n = 0;
    if (p->nmarker != q->nmarker) {
        kl_text_add(t, "%s: stood at %d frames, stands at %d\n", what, p->nmarker, q->nmarker);
        return 1;
    }
    for (int i = 0; i < p->nmarker; i++) {
        const kl_marker *x = &a->marker[p->marker + i], *y = &b->marker[q->marker + i];
        const char      *was = a->body[x->body].name, *is = b->body[y->body].name;
        kl_mat3          At = kl_transpose(&x->A), R = kl_matmul(&At, &y->A);
        double           gap = kl_norm(kl_sub(y->r, x->r)), turn = kl_norm(kl_rotation_log(&R));
        if (strcmp(was, is) != 0) {
            kl_text_add(t, "%s: stood on '%s', stands on '%s'\n", what, was, is);
            n++;
        } else if (gap > 0.0 || turn > 1e-12) {
            kl_text_add(t, "%s: its place on '%s' moved by %.6g mm and %.6g degrees\n", what, is,
                        1e3 * gap, turn * 180.0 / KL_PI);
            n++;
        }
    }
    return n;
}

static int diff_bodies(kl_text *t, const context *a, const context *b)
{
    int  n = 0;
    char what[300];
    for (int i = 1; i < a->m->nbody; i++) {
        const kl_body *p = &a->m->body[i];
        if (p->own) continue;
        int k = kl_model_find_body(b->m, p->name);
        snprintf(what, sizeof what, "body '%.200s'", p->name);
        if (k < 0) {
            kl_text_add(t, "%s is gone\n", what);
            n++;
        } else if (b->m->body[k].type != p->type) {
            kl_text_add(t, "%s: type was %s, is %s\n", what, p->type->name,
                        b->m->body[k].type->name);
            n++;
        } else {
            n += diff_keys(t, what, a, b, p->type->keys, p->data, b->m->body[k].data);
        }
    }
    for (int i = 1; i < b->m->nbody; i++)
        if (!b->m->body[i].own && kl_model_find_body(a->m, b->m->body[i].name) < 0) {
            kl_text_add(t, "body '%s' is new\n", b->m->body[i].name);
            n++;
        }
    return n;
}

static int diff_elements(kl_text *t, const context *a, const context *b)
{
    int  n = 0;
    char what[300];
    for (int i = 0; i < a->m->nelement; i++) {
        const kl_element *p = &a->m->element[i];
        int               k = kl_model_find_element(b->m, p->name);
        snprintf(what, sizeof what, "%s '%.200s'", p->joint ? "joint" : "force", p->name);
        if (k < 0) {
            kl_text_add(t, "%s is gone\n", what);
            n++;
            continue;
        }
        const kl_element *q = &b->m->element[k];
        if (p->type != q->type) {
            kl_text_add(t, "%s: type was %s, is %s\n", what, p->type->name, q->type->name);
            n++;
            continue;
        }
        n += diff_place(t, what, a->m, p, b->m, q);
        n += diff_keys(t, what, a, b, p->type->keys, p->data, q->data);
    }
    for (int i = 0; i < b->m->nelement; i++)
        if (kl_model_find_element(a->m, b->m->element[i].name) < 0) {
            kl_text_add(t, "%s '%s' is new\n", b->m->element[i].joint ? "joint" : "force",
                        b->m->element[i].name);
            n++;
        }
    return n;
}

static int diff_head(kl_text *t, const kl_model *a, const kl_model *b)
{
    int     n = 0;
    kl_vec3 g = b->gravity, old = a->gravity;
    if (strcmp(a->title, b->title) != 0) {
        kl_text_add(t, "title: was '%s', is '%s'\n", a->title, b->title);
        n++;
    }
    if (kl_norm(kl_sub(g, old)) > 0.0) {
        kl_text_add(t, "gravity: was [%g, %g, %g], is [%g, %g, %g] m/s2\n", old.x, old.y, old.z,
                    g.x, g.y, g.z);
        n++;
    }
    for (int i = 0; i < b->nparameter; i++)
        for (int k = 0; k < a->nparameter; k++)
            if (strcmp(a->parameter[k].name, b->parameter[i].name) == 0 &&
                a->parameter[k].value.value != b->parameter[i].value.value) {
                kl_text_add(t, "parameter '%s': was ", b->parameter[i].name);
                put_quantity(t, &a->parameter[k].value);
                kl_text_add(t, ", is ");
                put_quantity(t, &b->parameter[i].value);
                kl_text_add(t, "\n");
                n++;
            }
    return n;
}

int kl_full_diff(kl_text *t, const kl_model *a, const kl_model *b)
{
    context p, q;
    bool    ready = open_context(&p, a);
    ready         = open_context(&q, b) && ready;
    int n         = 0;
    t->failed |= !ready;
    if (ready) {
        n += diff_head(t, a, b);
        n += diff_bodies(t, &p, &q);
        n += diff_elements(t, &p, &q);
        n += diff_keys(t, "run", &p, &q, kl_run_keys, &a->settings, &b->settings);
        kl_settings old = a->settings, new = b->settings;
        old.length = a->length, new.length = b->length;
        n += diff_keys(t, "integrator", &p, &q, kl_integrator_keys, &old, &new);
    }
    free((void *)p.inputs);
    free((void *)q.inputs);
    return n;
}
