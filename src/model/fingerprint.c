/* FNV-1a over the parts of a model (Fowler, Noll, Vo; 64 bit), the upper half folded into the lower. */
#include "model/fingerprint.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "script/function.h"

typedef uint64_t hash;

static void add_bytes(hash *h, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; i++) *h = (*h ^ b[i]) * 1099511628211u;
}

static void add_int(hash *h, int64_t value) { add_bytes(h, &value, sizeof value); }

static void add_text(hash *h, const char *text)
{
    if (text) add_bytes(h, text, strlen(text) + 1);
    else add_int(h, -1);
}

/* Mantissa of 30 bits: what another compiler rounds differently does not count. */
static void add_numbers(hash *h, const double *value, int n)
{
    for (int i = 0; i < n; i++) {
        int    exponent = 0;
        double mantissa = isfinite(value[i]) ? frexp(value[i], &exponent) : 2.0;
        add_int(h, (int64_t)llround(ldexp(mantissa, 30)));
        add_int(h, mantissa == 0.0 ? 0 : exponent);
    }
}

/* A function is what it gives: its values at a few arguments. */
static void add_function(hash *h, const kl_function *f, const double *u)
{
    static const double at[] = {-1.0, -0.1, -0.01, 0.0, 0.003, 0.02, 0.1, 0.5, 1.0, 3.0, 10.0};
    add_int(h, f != NULL);
    for (size_t i = 0; f && i < sizeof at / sizeof *at; i++) {
        double out[3];
        kl_function_eval(f, at[i], u, out);
        add_numbers(h, out, 1);
    }
}

static void add_table(hash *h, const kl_table *t)
{
    for (int i = 0; t && i < t->n; i++) add_text(h, t->name[i]);
    if (t) add_numbers(h, t->value, t->n);
}

static void add_signals(hash *h, const kl_signals *s)
{
    for (int i = 0; s && i < s->n; i++) add_text(h, s->item[i].text);
}

static void add_resources(hash *h, const kl_model *m, const void *const *data, int n)
{
    for (int i = 0; i < n; i++) {
        const kl_resource *r = data[i] ? kl_model_resource_of(m, data[i]) : NULL;
        add_text(h, r ? r->name : NULL);
    }
}

/* The value of one key at `at`. Shapes are not looked into: their markers and sizes count. */
static void add_value(hash *h, const kl_model *m, const kl_key *k, const void *at, const double *u)
{
    switch (k->kind) {
    case KL_KEY_NUMBER: add_numbers(h, at, 1); return;
    case KL_KEY_NUMBERS: add_numbers(h, at, k->size); return;
    case KL_KEY_AXIS: add_numbers(h, at, 3); return;
    case KL_KEY_ROTATION:
    case KL_KEY_INERTIA: add_numbers(h, at, 9); return;
    case KL_KEY_MATRIX6: add_numbers(h, at, 36); return;
    case KL_KEY_FUNCTION: add_function(h, *(kl_function *const *)at, u); return;
    case KL_KEY_WORD:
    case KL_KEY_WORDS: add_int(h, *(const int *)at); return;
    case KL_KEY_FLAG: add_int(h, *(const bool *)at); return;
    case KL_KEY_SIGNALS: add_signals(h, *(kl_signals *const *)at); return;
    case KL_KEY_TABLE: add_table(h, *(kl_table *const *)at); return;
    case KL_KEY_CODE:
    case KL_KEY_TEXT: add_text(h, ((const kl_code *)at)->text); return;
    case KL_KEY_SHAPES: add_int(h, ((const kl_shapes *)at)->n); return;
    case KL_KEY_RESOURCE: add_resources(h, m, at, k->size > 1 ? k->size : 1); return;
    case KL_KEY_FILE: add_text(h, ((const kl_file *)at)->name); return;
    case KL_KEY_LIST:
        add_numbers(h, ((const kl_list *)at)->value, ((const kl_list *)at)->n);
        return;
    case KL_KEY_REDUCED: add_text(h, ((const kl_reduced *)at)->file); return;
    case KL_KEY_TEXTS:
        for (int i = 0; i < ((const kl_text_list *)at)->n; i++)
            add_text(h, ((const kl_text_list *)at)->item[i]);
        return;
    }
}

static void add_data(hash *h, const kl_model *m, const kl_key *k, const void *data, const double *u)
{
    for (; k && k->name; k++) add_value(h, m, k, (const char *)data + k->offset, u);
}

static void add_markers(hash *h, const kl_model *m)
{
    for (int i = 0; i < m->nmarker; i++) {
        const kl_marker *k = &m->marker[i];
        add_int(h, k->body);
        add_numbers(h, &k->r.x, 3);
        add_numbers(h, (const double *)&k->A, 9);
    }
}

static void add_sizes(hash *h, const kl_model *m)
{
    const int size[] = {m->nbody, m->nelement, m->nq,     m->nv,     m->nlam,
                        m->nz,    m->nh,       m->ninput, m->nmarker};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) add_int(h, size[i]);
    add_numbers(h, &m->gravity.x, 3);
}

/* 52 bits of it, which a double holds exactly */
static double folded(hash h) { return (double)((h ^ (h >> 52)) & ((UINT64_C(1) << 52) - 1)); }

double kl_numbers_fingerprint(const double *value, int n)
{
    hash h = 14695981039346656037u;
    add_bytes(&h, value, (size_t)n * sizeof *value);
    return folded(h);
}

double kl_model_fingerprint(const kl_model *m)
{
    enum { INPUTS = 64 };
    hash   h                           = 14695981039346656037u;
    double u[KL_INPUT_VALUES * INPUTS] = {
        0}; /* of functions: further inputs count by their names */
    bool few = m->ninput <= INPUTS;
    for (int i = 0; few && i < m->ninput; i++) u[i] = m->input[i].value;
    add_sizes(&h, m);
    for (int i = 0; i < m->nparameter; i++) {
        add_text(&h, m->parameter[i].name);
        add_numbers(&h, &m->parameter[i].value.value, 1);
    }
    for (int i = 0; i < m->ninput; i++) add_text(&h, m->input[i].name);
    for (int i = 0; i < m->nresource; i++) {
        const kl_resource *r = m->resource[i];
        add_text(&h, r->type->section), add_text(&h, r->name), add_text(&h, r->text);
        if (few) add_data(&h, m, r->type->keys, r->data, u);
    }
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        add_text(&h, b->name), add_text(&h, b->type->name), add_int(&h, b->nv);
        if (few) add_data(&h, m, b->type->keys, b->data, u);
    }
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        add_text(&h, e->name), add_text(&h, e->type->name), add_int(&h, e->marker);
        if (few) add_data(&h, m, e->type->keys, e->data, u);
    }
    add_markers(&h, m);
    return folded(h);
}
