#include "solve/preload.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "model/groups.h"
#include "solve/linearize.h"

enum { MOST_MARKERS = 8, MOST_STATES = 16, MOST_ROWS = 64 };

/* One number of an element's data that may change. */
typedef struct knob {
    int           element;
    const kl_key *key;
    size_t        offset; /* in the data */
    double        step;
} knob;

typedef struct search {
    kl_solver *x;
    kl_arena  *arena;
    knob      *knob;
    int        n;
    void     **data; /* of each element: its own copy */
    double    *Z;    /* nv x free */
    int        free;
    double    *r, *up, *down; /* nv: what is not balanced */
} search;

static const kl_key *find_key(const kl_element_type *t, const char *name, kl_key_kind kind)
{
    for (const kl_key *k = t->keys; k && k->name; k++)
        if (strcmp(k->name, name) == 0 && k->kind == kind) return k;
    return NULL;
}

/* A force with a free length or angle has one knob; one with six preloads has six. */
static void list_knobs(search *s)
{
    const kl_model *m = s->x->model;
    for (int e = 0; e < m->nelement; e++) {
        const kl_element *el = &m->element[e];
        if (el->nphi > 0 || el->nmarker > MOST_MARKERS || el->nz > MOST_STATES) continue;
        const kl_key *key = find_key(el->type, "length", KL_KEY_NUMBER);
        if (!key) key = find_key(el->type, "angle", KL_KEY_NUMBER);
        if (key) {
            s->knob[s->n++] = (knob){.element = e, .key = key, .offset = key->offset, .step = 1e-3};
            continue;
        }
        key = find_key(el->type, "preload", KL_KEY_NUMBERS);
        for (int k = 0; key && k < key->size; k++)
            s->knob[s->n++] = (knob){.element = e,
                                     .key     = key,
                                     .offset  = key->offset + (size_t)k * sizeof(double),
                                     .step    = 1.0};
    }
}

static double *value_of(const search *s, const knob *k)
{
    return (double *)(void *)((char *)s->data[k->element] + k->offset);
}

/* Wrenches of one element with its changed data, into the work area. */
static kl_status evaluate_element(search *s, int index)
{
    const kl_model   *m                  = s->x->model;
    const kl_element *e                  = &m->element[index];
    double            z_dot[MOST_STATES] = {0};
    kl_reading        in                 = kl_reading_of(m, s->x->s, s->x->w, e);
    kl_writing        out = {.wrench = s->x->w->wrench + 6 * (size_t)e->marker, .z_dot = z_dot};
    in.data               = s->data[index];
    memset(out.wrench, 0, 6 * (size_t)e->nmarker * sizeof(double));
    return e->type->eval(&in, &out);
}

/* What is not balanced, without reactions. */
static void residual(search *s, double *r)
{
    kl_eval_residual(s->x->model, s->x->w, NULL, NULL, r);
}

/* y (free) = Z' P r, P: moments in space as Z has them */
static void reduce(const search *s, const double *r, double *y)
{
    const kl_model *m = s->x->model;
    for (int j = 0; j < s->free; j++) y[j] = 0.0;
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b     = &m->body[i];
        kl_group       turns = kl_body_group(b, KL_ROTATION);
        double         moment[3];
        if (turns.nv) {
            kl_axes at = kl_body_axes(b, s->x->w->cache + b->cache);
            kl_store(moment, kl_mul(&at.A, kl_load(r + turns.v)));
        }
        for (int k = 0; k < b->nv; k++) {
            int    turn = b->v + k - turns.v;
            double v    = turn >= 0 && turn < turns.nv ? moment[turn] : r[b->v + k];
            for (int j = 0; j < s->free; j++)
                y[j] += s->Z[(size_t)(b->v + k) * (size_t)s->free + (size_t)j] * v;
        }
    }
}

/* One Newton step of the knobs: least forces. Returns what is left, over the weight of the model.
 */
static kl_status improve(search *s, double *A, double *b, double *scale)
{
    int rows = s->free, tall = rows > s->n ? rows : s->n;
    residual(s, s->r);
    reduce(s, s->r, b);
    for (int i = 0; i < rows; i++) b[i] = -b[i];
    for (int k = 0; k < s->n; k++) {
        double *p = value_of(s, &s->knob[k]), kept = *p, *column = A + (size_t)k * (size_t)rows;
        *p = kept + s->knob[k].step;
        KL_TRY(evaluate_element(s, s->knob[k].element));
        residual(s, s->up);
        *p = kept - s->knob[k].step;
        KL_TRY(evaluate_element(s, s->knob[k].element));
        residual(s, s->down);
        *p = kept;
        KL_TRY(evaluate_element(s, s->knob[k].element));
        double size = 0.0;
        for (int i = 0; i < s->x->model->nv; i++) {
            s->up[i] = (s->up[i] - s->down[i]) / (2.0 * s->knob[k].step);
            size     = hypot(size, s->up[i]);
        }
        /* in units of force, so that the least norm means the least forces */
        scale[k] = size > 0.0 ? 1.0 / size : 1.0;
        for (int i = 0; i < s->x->model->nv; i++) s->up[i] *= scale[k];
        reduce(s, s->up, column);
    }
    int rank;
    KL_TRY(kl_least_squares(rows, s->n, 1, A, b, tall, 1e-10, &rank));
    for (int k = 0; k < s->n; k++) *value_of(s, &s->knob[k]) += scale[k] * b[k];
    for (int k = 0; k < s->n; k++) KL_TRY(evaluate_element(s, s->knob[k].element));
    return KL_OK;
}

/* Size of what is not balanced against the forces at hand; its direction's body. */
static double unbalanced(search *s, double *y, double weight, const double *Z, int *body)
{
    const kl_model *m     = s->x->model;
    double          worst = 0.0;
    residual(s, s->r);
    reduce(s, s->r, y);
    for (int j = 0; j < s->free; j++)
        if (fabs(y[j]) > worst) {
            worst       = fabs(y[j]);
            double most = 0.0;
            for (int b = 0; b < m->nbody; b++)
                for (int k = 0; k < m->body[b].nv; k++) {
                    double z = fabs(Z[(size_t)(m->body[b].v + k) * (size_t)s->free + (size_t)j]);
                    if (z > most) most = z, *body = b;
                }
        }
    return worst / weight;
}

static kl_status solve(search *s, kl_diag *diag)
{
    const kl_model *m    = s->x->model;
    size_t          tall = (size_t)(s->free > s->n ? s->free : s->n) + 1;
    double *A     = kl_arena_array(s->arena, double, (size_t)(s->free + 1) * (size_t)(s->n + 1));
    double *b     = kl_arena_array(s->arena, double, tall);
    double *scale = kl_arena_array(s->arena, double, s->n + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    double weight = 0.0;
    residual(s, s->r);
    for (int i = 0; i < m->nv; i++) weight = fmax(weight, fabs(s->r[i]));
    if (weight == 0.0) weight = 1.0;
    int body = 0;
    for (int pass = 0; pass < 20 && unbalanced(s, b, weight, s->Z, &body) > 1e-13; pass++)
        KL_TRY(improve(s, A, b, scale));
    double left = unbalanced(s, b, weight, s->Z, &body);
    if (left > 1e-8)
        return kl_fail(diag, KL_E_MODEL, m->body[body].place,
                       "no preloads balance this position: no spring takes the load on "
                       "'%s' in every direction; %s",
                       m->body[body].name,
                       m->velocities_relax
                           ? "of a vehicle on rails use `klingel statics --moving`: the forces of "
                             "springs that it prints are their preloads"
                           : "add a spring (a `spring-damper` takes part with a `stiffness` or a "
                             "`preload`), or move the body");
    return KL_OK;
}

/* A force without stiffness, whose free length has no effect, takes part with its preload, if it has one:
 * dampers do not. */
static kl_status use_preloads(search *s)
{
    for (int i = 0; i < s->n; i++) {
        knob             *k   = &s->knob[i];
        const kl_element *e   = &s->x->model->element[k->element];
        const kl_key     *key = find_key(e->type, "preload", KL_KEY_NUMBER);
        double            before[6 * MOST_MARKERS], *p = value_of(s, k), kept = *p;
        const double     *now = s->x->w->wrench + 6 * (size_t)e->marker;
        size_t            n   = 6 * (size_t)e->nmarker * sizeof(double);
        if (!key || k->key->kind != KL_KEY_NUMBER) continue;
        KL_TRY(evaluate_element(s, k->element));
        memcpy(before, now, n);
        *p = kept + k->step;
        KL_TRY(evaluate_element(s, k->element));
        bool acts = memcmp(before, now, n) != 0;
        *p        = kept;
        KL_TRY(evaluate_element(s, k->element));
        knob preload = {.element = k->element, .key = key, .offset = key->offset, .step = 1.0};
        if (!acts && *value_of(s, &preload) != 0.0) *k = preload;
    }
    return KL_OK;
}

static kl_status search_create(kl_solver *x, kl_diag *diag, search *s, kl_linear **l)
{
    const kl_model *m = x->model;
    *s                = (search){.x = x, .arena = kl_arena_create()};
    memset(x->s->v, 0, (size_t)m->nv * sizeof(double));
    KL_TRY(kl_linearize(x, NULL, diag, l));
    s->Z    = (*l)->Z;
    s->free = (*l)->n;
    s->knob = kl_arena_array(s->arena, knob, 6 * (size_t)m->nelement + 1);
    s->data = kl_arena_array(s->arena, void *, m->nelement + 1);
    s->r    = kl_arena_array(s->arena, double, m->nv + 1);
    s->up   = kl_arena_array(s->arena, double, m->nv + 1);
    s->down = kl_arena_array(s->arena, double, m->nv + 1);
    for (int e = 0; kl_arena_ok(s->arena) && e < m->nelement; e++) {
        s->data[e] = kl_arena_take(s->arena, m->element[e].type->data_size + 1);
        if (s->data[e]) memcpy(s->data[e], m->element[e].data, m->element[e].type->data_size);
    }
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    list_knobs(s);
    if (s->n == 0)
        return kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                       "the model has no spring or bushing whose preload could be changed");
    KL_TRY(kl_eval(m, x->s, x->w));
    return use_preloads(s);
}

static kl_status collect(const search *s, kl_preload **out)
{
    kl_arena   *arena = kl_arena_create();
    kl_preload *p     = kl_arena_array(arena, kl_preload, 1);
    if (p) p->item = kl_arena_array(arena, kl_preloaded, s->n + 1);
    if (!kl_arena_ok(arena)) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    p->arena = arena;
    for (int i = 0; i < s->n; i++) {
        const knob *k    = &s->knob[i];
        const char *from = (const char *)s->x->model->element[k->element].data + k->offset;
        int         part = (int)((k->offset - k->key->offset) / sizeof(double));
        double      before;
        memcpy(&before, from, sizeof before);
        bool list       = k->key->kind == KL_KEY_NUMBERS;
        p->item[p->n++] = (kl_preloaded){
            .element = k->element,
            .key  = list ? kl_arena_format(arena, "%s[%d]", k->key->name, part + 1) : k->key->name,
            .unit = list ? (part < 3 ? "N" : "N m") : k->key->unit,
            .before = before,
            .value  = *value_of(s, k)};
    }
    *out = p;
    return KL_OK;
}

kl_status kl_find_preload(kl_solver *x, kl_diag *diag, kl_preload **out)
{
    search     s;
    kl_linear *l      = NULL;
    kl_status  status = search_create(x, diag, &s, &l);
    *out              = NULL;
    if (status == KL_OK) status = solve(&s, diag);
    if (status == KL_OK) status = collect(&s, out);
    kl_linear_destroy(l);
    kl_arena_destroy(s.arena);
    return status;
}

void kl_preload_destroy(kl_preload *p)
{
    if (p) kl_arena_destroy(p->arena); /* the list itself lives in it */
}
