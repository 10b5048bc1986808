/* {"version": 1, "title": ..., "gravity": [x, y, z], "length": L,
 *  "bodies": [{"name", "type", "mass", "center": [x, y, z], "points": [[x, y, z], ...]}], in body
 * axes "elements": [{"name", "type", "joint", "markers": [{"body": name, "r": [x, y, z], "axis":
 * [x, y, z]}]}]} */
#include "io/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char  *data;
    size_t n, cap;
    bool   failed;
} text;

__attribute__((format(printf, 2, 3))) static void say(text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int more = vsnprintf(NULL, 0, format, args);
    if (more > 0 && !t->failed) {
        if (t->n + (size_t)more + 1 > t->cap) {
            size_t cap  = 2 * (t->n + (size_t)more + 512);
            char  *data = realloc(t->data, cap);
            if (data) t->data = data, t->cap = cap;
            else t->failed = true;
        }
        if (!t->failed) vsnprintf(t->data + t->n, t->cap - t->n, format, again);
        if (!t->failed) t->n += (size_t)more;
    }
    va_end(again);
    va_end(args);
}

static void say_string(text *t, const char *s)
{
    say(t, "\"");
    for (; s && *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') say(t, "\\%c", c);
        else if (c < 0x20) say(t, "\\u%04x", c);
        else say(t, "%c", c);
    }
    say(t, "\"");
}

static void say_vec(text *t, kl_vec3 a) { say(t, "[%.9g, %.9g, %.9g]", a.x, a.y, a.z); }

static kl_measures measures_of(const kl_model *m, int body)
{
    const kl_body *b     = &m->body[body];
    kl_measures    out   = {0};
    void          *cache = calloc(1, b->type->cache_size + 1);
    if (!cache) return out;
    b->type->position(b->data, m->q0 + b->q, cache);
    b->type->velocity(b->data, m->v0 + b->v, cache);
    b->type->measures(b->data, cache, &out);
    free(cache);
    return out;
}

static void say_body(text *t, const kl_model *m, int index)
{
    const kl_body *b    = &m->body[index];
    kl_measures    mass = measures_of(m, index);
    kl_vec3        r;
    kl_mat3        A;
    bool           first = true;
    kl_model_pose(m, index, &r, &A);
    say(t, "%s{\"name\": ", index ? ", " : "");
    say_string(t, b->name);
    say(t, ", \"type\": \"%s\", \"mass\": %.9g, \"center\": ", b->type->name, mass.mass);
    say_vec(t, index ? kl_mul_t(&A, kl_sub(mass.center, r)) : kl_vec(0, 0, 0));
    say(t, ", \"points\": [");
    for (int k = 0; k < m->nmarker_elements; k++)
        if (m->marker[k].body == index) {
            say(t, first ? "" : ", ");
            say_vec(t, m->marker[k].r);
            first = false;
        }
    say(t, "]}");
}

static void say_element(text *t, const kl_model *m, int index)
{
    const kl_element *e = &m->element[index];
    say(t, "%s{\"name\": ", index ? ", " : "");
    say_string(t, e->name);
    say(t, ", \"type\": \"%s\", \"joint\": %s, \"markers\": [", e->type->name,
        e->joint ? "true" : "false");
    for (int k = 0; k < e->nmarker; k++) {
        const kl_marker *p = &m->marker[e->marker + k];
        say(t, "%s{\"body\": ", k ? ", " : "");
        say_string(t, m->body[p->body].name);
        say(t, ", \"r\": ");
        say_vec(t, p->r);
        say(t, ", \"axis\": ");
        say_vec(t, kl_axis(&p->A, 2));
        say(t, "}");
    }
    say(t, "]}");
}

char *kl_scene_json(const kl_model *m)
{
    text t = {0};
    say(&t, "{\"version\": 1, \"title\": ");
    say_string(&t, m->title);
    say(&t, ", \"gravity\": ");
    say_vec(&t, m->gravity);
    say(&t, ", \"length\": %.9g, \"bodies\": [", m->length);
    for (int i = 0; i < m->nbody; i++) say_body(&t, m, i);
    say(&t, "], \"elements\": [");
    for (int i = 0; i < m->nelement; i++) say_element(&t, m, i);
    say(&t, "]}");
    if (t.failed) {
        free(t.data);
        return NULL;
    }
    return t.data;
}
