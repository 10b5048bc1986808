/* What differs between two models, section by section: entries of one name are compared, the others were
 * removed or are new. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "catalogue.h"
#include "language/build.h"
#include "reference/write_model.h"
#include "reference/write_values.h"

/* ---- parts that are one line each ---- */

/* A section as a list of names with a text each. */
typedef struct section {
    const char *word;
    int (*count)(const kl_model *m);
    void (*name)(const kl_model *m, int i, char text[300]);
    void (*write)(kl_text *t, const kl_model *m, int i);
} section;

static int  count_parameters(const kl_model *m) { return m->nparameter; }
static int  count_inputs(const kl_model *m) { return m->ninput; }
static int  count_outputs(const kl_model *m) { return m->nwanted; }
static int  count_starts(const kl_model *m) { return m->nstart; }
static void name_parameter(const kl_model *m, int i, char t[300])
{
    snprintf(t, 300, "%s", m->parameter[i].name);
}
static void name_input(const kl_model *m, int i, char t[300])
{
    snprintf(t, 300, "%s", m->input[i].name);
}
static void name_output(const kl_model *m, int i, char t[300])
{
    snprintf(t, 300, "%s", m->wanted[i].name);
}
static void name_start(const kl_model *m, int i, char t[300])
{
    snprintf(t, 300, "%.200s.%.80s", m->element[m->start[i].joint].name, m->start[i].name);
}
static void write_parameter(kl_text *t, const kl_model *m, int i)
{
    kl_write_quantity(t, &m->parameter[i].value);
}
static void write_start(kl_text *t, const kl_model *m, int i)
{
    kl_text_number(t, m->start[i].value);
    if (m->start[i].fixed) kl_text_add(t, ", fixed");
}

static const section sections[] = {
    {"parameter", count_parameters, name_parameter, write_parameter},
    {"input", count_inputs, name_input, kl_write_input},
    {"start of", count_starts, name_start, write_start},
    {"output", count_outputs, name_output, kl_write_output},
};

static int find_named(const section *s, const kl_model *m, const char *name)
{
    char other[300];
    for (int i = 0; i < s->count(m); i++) {
        s->name(m, i, other);
        if (strcmp(name, other) == 0) return i;
    }
    return -1;
}

/* Entries of a section that were removed, changed or added. They are compared as text, as `check
 * --full` prints them, so that another way of writing the same value is no difference. */
static int diff_section(kl_text *t, const section *s, const kl_model *a, const kl_model *b)
{
    int  n = 0;
    char name[300];
    for (int i = 0; i < s->count(a); i++) {
        s->name(a, i, name);
        int     k = find_named(s, b, name);
        kl_text x = {0}, y = {0};
        s->write(&x, a, i);
        if (k >= 0) s->write(&y, b, k);
        char *was = kl_text_finish(&x), *is = kl_text_finish(&y);
        if (k < 0) kl_text_add(t, "%s '%s' was removed\n", s->word, name), n++;
        else if (was && is && strcmp(was, is) != 0)
            kl_text_add(t, "%s '%s': was %s, is %s\n", s->word, name, was, is), n++;
        free(was);
        free(is);
    }
    for (int i = 0; i < s->count(b); i++) {
        s->name(b, i, name);
        if (find_named(s, a, name) < 0) kl_text_add(t, "%s '%s' is new\n", s->word, name), n++;
    }
    return n;
}

/* ---- markers with a name ---- */

static const kl_named *find_marker(const kl_model *m, const char *body, const char *name)
{
    for (int i = 0; i < m->nnamed; i++)
        if (strcmp(m->named[i].name, name) == 0 &&
            strcmp(m->body[m->named[i].body].name, body) == 0)
            return &m->named[i];
    return NULL;
}

/* How far one frame is from another, in words; false: not at all. */
static bool moved(kl_text *t, const char *what, kl_vec3 r, const kl_mat3 *A, kl_vec3 to,
                  const kl_mat3 *B)
{
    kl_mat3 At = kl_transpose(A), R = kl_matmul(&At, B);
    double  gap = kl_norm(kl_sub(to, r)), turn = kl_norm(kl_rotation_log(&R));
    if (gap == 0.0 && turn <= 1e-12) return false;
    kl_text_add(t, "%s moved by %.6g mm and rotated by %.6g degrees\n", what, 1e3 * gap,
                turn * 180.0 / KL_PI);
    return true;
}

/* m0, m1, ...: what `check --full` writes for the places of elements, which are compared there. */
static bool is_counted(const char *name)
{
    return name[0] == 'm' && name[1] && strspn(name + 1, "0123456789") == strlen(name + 1);
}

/* Markers with names of the user; counted ones (`m3`) belong to elements, which report their own
 * places. */
static int diff_markers(kl_text *t, const kl_model *a, const kl_model *b)
{
    int  n = 0;
    char what[700];
    for (int i = 0; i < a->nnamed; i++) {
        const kl_named *p    = &a->named[i];
        const char     *body = a->body[p->body].name;
        const kl_named *q    = find_marker(b, body, p->name);
        snprintf(what, sizeof what, "marker '%.300s.%.300s'", body, p->name);
        if (is_counted(p->name)) continue;
        if (q) n += moved(t, what, p->r, &p->A, q->r, &q->A);
        if (q && (p->node == KL_MARKER_UNSPUN) != (q->node == KL_MARKER_UNSPUN))
            kl_text_add(t, "%s %s\n", what,
                        q->node == KL_MARKER_UNSPUN ? "no longer spins" : "spins"),
                n++;
        if (q) continue;
        kl_text_add(t, "%s was removed\n", what), n++;
    }
    for (int i = 0; i < b->nnamed; i++)
        if (!is_counted(b->named[i].name) &&
            !find_marker(a, b->body[b->named[i].body].name, b->named[i].name)) {
            kl_text_add(t, "marker '%s.%s' is new\n", b->body[b->named[i].body].name,
                        b->named[i].name);
            n++;
        }
    return n;
}

/* Values of all keys of one entry, defaults included: a key that is written in one model and has
 * its default in the other is no difference if the values agree. */
static int diff_keys(kl_text *t, const char *what, const kl_write_context *a,
                     const kl_write_context *b, const kl_key *keys, const void *old,
                     const void *new)
{
    int n = 0;
    for (const kl_key *k = keys; k && k->name; k++) {
        kl_text x = {0}, y = {0};
        char    unit[96];
        bool    has = kl_write_value(&x, a, k, old), had = kl_write_value(&y, b, k, new);
        char   *was = kl_text_finish(&x), *is = kl_text_finish(&y);
        kl_write_unit(keys, k, new, unit, sizeof unit);
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

static bool is_listed(const kl_resource *r) { return r && !r->made; }

static int diff_resource(kl_text *t, const kl_write_context *a, const kl_write_context *b,
                         const kl_resource *p, const kl_resource *q)
{
    char what[400];
    snprintf(what, sizeof what, "%s '%.300s'", p->type->word, p->name);
    if (!is_listed(q)) return kl_text_add(t, "%s was removed\n", what), 1;
    if (!p->text || !q->text) return diff_keys(t, what, a, b, p->type->keys, p->data, q->data);
    if (strcmp(p->text, q->text) == 0) return 0;
    kl_text_add(t, "%s: was %s, is %s\n", what, p->text, q->text);
    return 1;
}

/* Named resources; built-in ones that a name made (`made`) exist only where they are used. */
static int diff_resources(kl_text *t, const kl_write_context *a, const kl_write_context *b)
{
    int n = 0;
    for (int i = 0; i < a->m->nresource; i++) {
        const kl_resource *p = a->m->resource[i];
        if (!p->made)
            n += diff_resource(t, a, b, p, kl_model_find_resource(b->m, p->type->section, p->name));
    }
    for (int i = 0; i < b->m->nresource; i++) {
        const kl_resource *q = b->m->resource[i];
        if (q->made || is_listed(kl_model_find_resource(a->m, q->type->section, q->name))) continue;
        kl_text_add(t, "%s '%s' is new\n", q->type->word, q->name);
        n++;
    }
    return n;
}

/* Markers of an element: number, body, and position and axes on that body. */
static int diff_place(kl_text *t, const char *what, const kl_model *a, const kl_element *p,
                      const kl_model *b, const kl_element *q)
{
    int n = 0;
    if (p->nmarker != q->nmarker) {
        kl_text_add(t, "%s: had %d markers, now has %d\n", what, p->nmarker, q->nmarker);
        return 1;
    }
    for (int i = 0; i < p->nmarker; i++) {
        const kl_marker *x = &a->marker[p->marker + i], *y = &b->marker[q->marker + i];
        const char      *was = a->body[x->body].name, *is = b->body[y->body].name;
        char             place[700];
        snprintf(place, sizeof place, "%s: its marker on '%.300s'", what, is);
        if (strcmp(was, is) != 0) {
            kl_text_add(t, "%s: was on body '%s', is on body '%s'\n", what, was, is);
            n++;
        } else n += moved(t, place, x->r, &x->A, y->r, &y->A);
    }
    return n;
}

/* Bodies by name; those that Klingel added itself (`own`) follow from other entries. */
static int diff_bodies(kl_text *t, const kl_write_context *a, const kl_write_context *b)
{
    int  n = 0;
    char what[300];
    for (int i = 1; i < a->m->nbody; i++) {
        const kl_body *p = &a->m->body[i];
        if (p->own) continue;
        int k = kl_model_find_body(b->m, p->name);
        snprintf(what, sizeof what, "body '%.200s'", p->name);
        if (k < 0) {
            kl_text_add(t, "%s was removed\n", what);
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

static int diff_elements(kl_text *t, const kl_write_context *a, const kl_write_context *b)
{
    int  n = 0;
    char what[300];
    for (int i = 0; i < a->m->nelement; i++) {
        const kl_element *p = &a->m->element[i];
        int               k = kl_model_find_element(b->m, p->name);
        snprintf(what, sizeof what, "%s '%.200s'", kl_element_word(p->type), p->name);
        if (k < 0) {
            kl_text_add(t, "%s was removed\n", what);
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
            kl_text_add(t, "%s '%s' is new\n", kl_element_word(b->m->element[i].type),
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
    return n;
}

int kl_model_diff(kl_text *t, const kl_model *a, const kl_model *b)
{
    kl_write_context p, q;
    bool             ready = kl_write_open(&p, a);
    ready                  = kl_write_open(&q, b) && ready;
    int n                  = 0;
    t->failed |= !ready;
    if (ready) {
        n += diff_head(t, a, b);
        n += diff_bodies(t, &p, &q);
        n += diff_markers(t, a, b);
        n += diff_elements(t, &p, &q);
        n += diff_resources(t, &p, &q);
        for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
            n += diff_section(t, &sections[i], a, b);
        n += diff_keys(t, "run", &p, &q, kl_run_keys, &a->settings, &b->settings);
        kl_settings old = a->settings, new = b->settings;
        /* the size counts where someone gave one; a found one follows from the rest */
        if (!isnan(old.length) || !isnan(new.length))
            old.length = a->length, new.length = b->length;
        n += diff_keys(t, "integrator", &p, &q, kl_integrator_keys, &old, &new);
    }
    free((void *)p.inputs);
    free((void *)q.inputs);
    return n;
}
