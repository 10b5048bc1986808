#include "cli/stress_sites.h"

#include <stdlib.h>
#include <string.h>

typedef struct finder {
    kl_stress_sites  *out;
    kl_stress_bodies *s;
    const char       *file;
    kl_diag          *diag;
} finder;

/* "node 17 top" as part of a channel's name: node_17_top */
static const char *named(finder *k, const kl_stress_body *b, const char *name)
{
    char *text = kl_arena_format(k->s->arena, "%s.%s", b->name, name);
    for (char *p = text; p && *p; p++)
        if (*p == ' ') *p = '_';
    return text;
}

/* once, however often it is named */
static kl_status add(finder *k, kl_stress_site site)
{
    for (int i = 0; site.name && i < k->out->n; i++)
        if (strcmp(k->out->list[i].name, site.name) == 0) return KL_OK;
    void           *data = k->out->list;
    kl_stress_site *slot = kl_arena_grow(k->s->arena, &data, k->out->n, &k->out->cap, sizeof *slot);
    if (!slot || !site.name) return KL_E_MEMORY;
    k->out->list = data;
    *slot        = site;
    k->out->n++;
    return KL_OK;
}

static int skin_node(const kl_kbody *b, int id)
{
    for (int i = 0; i < b->skin.nnode; i++)
        if (b->skin.node_id[i] == id) return i;
    return -1;
}

static kl_status add_point(finder *k, const kl_stress_body *b, int point)
{
    char name[KL_POINT_NAME];
    return add(k,
               (kl_stress_site){.body = b,
                                .name = named(k, b, kl_stress_point_name(b->run.body, point, name)),
                                .point = point,
                                .node  = b->skin.node[point]});
}

/* with the stress of its node; where that has several points (faces, plies, fibres), they follow
 * under their own names */
static kl_status add_marker(finder *k, const kl_stress_body *b, const kl_kbody_marker *m)
{
    const kl_kbody_stress *s     = &b->run.body->stress;
    int                    count = 0, last = -1;
    for (int p = 0; p < s->n; p++)
        if (s->node_id[p] == m->node_id) count++, last = p;
    KL_TRY(add(k, (kl_stress_site){.body   = b,
                                   .name   = named(k, b, m->name),
                                   .marker = m,
                                   .node   = -1,
                                   .point  = count == 1 ? last : -1}));
    for (int p = 0; count > 1 && p < s->n; p++)
        if (s->node_id[p] == m->node_id) KL_TRY(add_point(k, b, p));
    return KL_OK;
}

/* every point of a node or an element; a node without stress still moves */
static kl_status add_number(finder *k, const kl_stress_body *b, int id, bool element, bool *found)
{
    const kl_kbody_stress *s = &b->run.body->stress;
    for (int p = 0; p < s->n; p++) {
        if ((element ? s->element_id[p] : s->node_id[p]) != id) continue;
        *found = true;
        KL_TRY(add_point(k, b, p));
    }
    int node = *found || element ? -1 : skin_node(b->run.body, id);
    if (node < 0) return KL_OK;
    *found = true;
    return add(k, (kl_stress_site){.body  = b,
                                   .name  = kl_arena_format(k->s->arena, "%s.node_%d", b->name, id),
                                   .point = -1,
                                   .node  = node});
}

static kl_status add_hot(finder *k, int i, int count)
{
    kl_stress_body *b = &k->s->list[i];
    int             n = b->run.body->stress.n;
    if (!b->spot) KL_TRY(kl_stress_bodies_envelope(k->s, i));
    kl_hot_spot *sorted = malloc(((size_t)n + 1) * sizeof *sorted);
    kl_status    status = sorted ? KL_OK : KL_E_MEMORY;
    if (sorted) memcpy(sorted, b->spot, (size_t)n * sizeof *sorted);
    if (sorted) kl_hot_spots_sort(sorted, n);
    int found =
        sorted ? kl_hot_spots_pick(b->run.body, sorted, n, kl_hot_spots_apart(b->run.body), count)
               : 0;
    for (int h = 0; h < found && status == KL_OK; h++) status = add_point(k, b, sorted[h].point);
    free(sorted);
    return status;
}

static bool number_of(const char *text, const char *prefix, int *value)
{
    char  *end;
    size_t n = strlen(prefix);
    if (strncmp(text, prefix, n) != 0 || text[n] == '\0') return false;
    long v = strtol(text + n, &end, 10);
    *value = (int)v;
    return *end == '\0' && v >= 0 && v < 2147483647L;
}

static kl_status find_in(finder *k, int i, const char *word, bool *found)
{
    const kl_stress_body  *b     = &k->s->list[i];
    const kl_kbody_marker *m     = kl_kbody_find_marker(b->run.body, word);
    int                    value = 1;
    if (m) {
        *found = true;
        return add_marker(k, b, m);
    }
    if (strcmp(word, "hot") == 0 || (number_of(word, "hot:", &value) && value > 0)) {
        *found = true;
        return add_hot(k, i, value);
    }
    if (number_of(word, "element:", &value)) return add_number(k, b, value, true, found);
    if (number_of(word, "node:", &value) || number_of(word, "", &value))
        return add_number(k, b, value, false, found);
    return KL_OK;
}

/* What is kept instead of the node or element asked for, and how to get it; of all bodies, or `only`
 * of one. */
static kl_status report_missing_site(finder *k, int only, int id, bool element)
{
    int      nodes = 0, elements = 0;
    kl_place at = {.file = k->file};
    for (int i = 0; i < k->s->n; i++) {
        const kl_kbody_stress *s = &k->s->list[i].run.body->stress;
        for (int p = 0; (only < 0 || only == i) && p < s->n; p++) {
            /* points of a node or an element are together */
            nodes += s->node_id[p] >= 0 && (p == 0 || s->node_id[p] != s->node_id[p - 1]);
            elements +=
                s->element_id[p] >= 0 && (p == 0 || s->element_id[p] != s->element_id[p - 1]);
        }
    }
    if (element)
        return kl_fail(k->diag, KL_E_NAME, at,
                       "there is no stress data at element %d (only at %d elements and %d nodes); "
                       "write `stress: {nodes: surface, elements: all}`, or a set of elements, in "
                       "the body file (the model need not be run again)",
                       id, elements, nodes);
    return kl_fail(k->diag, KL_E_NAME, at,
                   "node %d is not on the surface, and has no stress data (only %d nodes and %d "
                   "elements have); write `stress: {nodes: SET}` with a node set that contains it "
                   "in the body file (the model need not be run again)",
                   id, nodes, elements);
}

static kl_status not_found(finder *k, const char *word, const char *rest, int only)
{
    int n = 0, count = 0, id = 0;
    if (number_of(rest, "element:", &id)) return report_missing_site(k, only, id, true);
    if (number_of(rest, "node:", &id) || number_of(rest, "", &id))
        return report_missing_site(k, only, id, false);
    for (int i = 0; i < k->s->n; i++) count += k->s->list[i].run.body->nmarker;
    const char **known = kl_arena_array(k->s->arena, const char *, count + 1);
    for (int i = 0; known && i < k->s->n; i++)
        for (int j = 0; j < k->s->list[i].run.body->nmarker; j++)
            known[n++] = k->s->list[i].run.body->marker[j].name;
    const char *near = known ? kl_nearest(word, known) : NULL;
    kl_place    at   = {.file = k->file};
    if (near)
        return kl_fail(k->diag, KL_E_NAME, at, "there is no point '%s'; did you mean '%s'?", word,
                       near);
    return kl_fail(k->diag, KL_E_NAME, at,
                   "there is no point '%s'; give a marker, the number of a node that has stress "
                   "data or lies on the surface, element:5, or hot:3",
                   word);
}

static kl_status find_word(finder *k, const char *word)
{
    const char *rest  = word;
    int         only  = -1;
    bool        found = false;
    for (int i = 0; i < k->s->n; i++) {
        size_t n = strlen(k->s->list[i].name);
        if (strncmp(word, k->s->list[i].name, n) == 0 && word[n] == '.')
            only = i, rest = word + n + 1;
    }
    for (int i = 0; i < k->s->n; i++)
        if (only < 0 || only == i) KL_TRY(find_in(k, i, rest, &found));
    return found ? KL_OK : not_found(k, word, rest, only);
}

kl_status kl_stress_sites_find(kl_stress_sites *out, kl_stress_bodies *s, const char *text,
                               const char *file, kl_diag *diag)
{
    finder    k      = {out, s, file, diag};
    kl_status status = KL_OK;
    for (const char *p = text; *p;) {
        size_t      n    = strcspn(p, ",");
        const char *word = kl_arena_format(s->arena, "%.*s", (int)n, p);
        kl_status   one  = word ? find_word(&k, word) : KL_E_MEMORY;
        if (one != KL_OK) status = one;
        p += n + (p[n] == ',');
    }
    return status;
}
