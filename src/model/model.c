#include "model/model.h"
#include "model/groups.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/rotation.h"
#include "model/start_reading.h"
#include "reduce/kbody.h"
#include "script/lua.h"

/* What to call when the model is destroyed. */
typedef struct ending {
    void (*end)(void *what);
    void          *what;
    struct ending *next;
} ending;

/* Lists that grow while the model is built. */
typedef struct growing {
    kl_model model; /* first member: a kl_model is a growing */
    int      cap_body, cap_element, cap_marker, cap_input, cap_wanted, cap_named, cap_start;
    int      cap_kbody, cap_path, cap_compound;
    kl_names bodies, elements, inputs, compounds, nameds; /* of kl_named: "body.marker" */
    ending  *endings;
} growing;

static const size_t cache_align = 64;

kl_model *kl_model_create(void)
{
    kl_arena *a = kl_arena_create();
    growing  *g = kl_arena_take(a, sizeof *g);
    if (!g) {
        kl_arena_destroy(a);
        return NULL;
    }
    g->model.arena = a;
    g->model.lua   = kl_lua_create();
    if (!g->model.lua) {
        kl_arena_destroy(a);
        return NULL;
    }
    return &g->model;
}

void kl_model_destroy(kl_model *m)
{
    if (!m) return;
    for (ending *e = ((growing *)m)->endings; e; e = e->next) e->end(e->what);
    for (int i = 0; i < m->nkbody; i++) kl_kbody_destroy(m->kbody[i]);
    kl_lua_destroy(m->lua);
    kl_arena_destroy(m->arena); /* the model itself lives in it */
}

kl_body *kl_model_add_body(kl_model *m, const kl_body_type *type, const char *name, kl_place place)
{
    growing *g = (growing *)m;
    kl_body *b = kl_arena_grow(m->arena, (void **)&m->body, m->nbody, &g->cap_body, sizeof *b);
    if (!b) return NULL;
    *b = (kl_body){.name  = kl_arena_text(m->arena, name),
                   .place = place,
                   .type  = type,
                   .data  = kl_arena_take(m->arena, type->data_size)};
    if (!b->name || !kl_names_put(&g->bodies, m->arena, b->name, m->nbody)) return NULL;
    m->nbody++;
    return b;
}

void *kl_body_value(kl_body *b, const char *key)
{
    for (const kl_key *k = b->type->keys; k && k->name; k++)
        if (strcmp(k->name, key) == 0) return (char *)b->data + k->offset;
    return NULL;
}

kl_element *kl_model_add_element(kl_model *m, const kl_element_type *type, const char *name,
                                 kl_place place, bool joint)
{
    growing    *g = (growing *)m;
    kl_element *e =
        kl_arena_grow(m->arena, (void **)&m->element, m->nelement, &g->cap_element, sizeof *e);
    if (!e) return NULL;
    *e = (kl_element){.name   = kl_arena_text(m->arena, name),
                      .place  = place,
                      .type   = type,
                      .joint  = joint,
                      .data   = kl_arena_take(m->arena, type->data_size),
                      .marker = m->nmarker,
                      .of     = {-1, -1}};
    if (!e->name || !kl_names_put(&g->elements, m->arena, e->name, m->nelement)) return NULL;
    m->nelement++;
    return e;
}

kl_status kl_model_add_marker(kl_model *m, int body, const kl_marker *local)
{
    growing   *g = (growing *)m;
    kl_marker *k =
        kl_arena_grow(m->arena, (void **)&m->marker, m->nmarker, &g->cap_marker, sizeof *k);
    if (!k) return KL_E_MEMORY;
    *k      = *local;
    k->body = body;
    m->nmarker++;
    return KL_OK;
}

kl_input *kl_model_add_input(kl_model *m, const char *name)
{
    growing  *g = (growing *)m;
    kl_input *i = kl_arena_grow(m->arena, (void **)&m->input, m->ninput, &g->cap_input, sizeof *i);
    if (!i) return NULL;
    *i = (kl_input){.name = kl_arena_text(m->arena, name)};
    if (!i->name || !kl_names_put(&g->inputs, m->arena, i->name, m->ninput)) return NULL;
    m->ninput++;
    return i;
}

kl_wanted *kl_model_add_wanted(kl_model *m, const char *name, kl_place place)
{
    growing   *g = (growing *)m;
    kl_wanted *w =
        kl_arena_grow(m->arena, (void **)&m->wanted, m->nwanted, &g->cap_wanted, sizeof *w);
    if (!w) return NULL;
    *w = (kl_wanted){.name   = kl_arena_text(m->arena, name),
                     .place  = place,
                     .marker = -1,
                     .limit  = {.value = (double)NAN}};
    m->nwanted++;
    return w;
}

kl_named *kl_model_add_named(kl_model *m, const char *name, int body)
{
    growing  *g = (growing *)m;
    kl_named *k = kl_arena_grow(m->arena, (void **)&m->named, m->nnamed, &g->cap_named, sizeof *k);
    if (!k) return NULL;
    *k = (kl_named){.name = kl_arena_text(m->arena, name), .body = body, .A = kl_identity()};
    const char *full = kl_arena_format(m->arena, "%s.%s", m->body[body].name, name);
    if (!full || !kl_names_put(&g->nameds, m->arena, full, m->nnamed)) return NULL;
    m->nnamed++;
    return k;
}

kl_joint_start *kl_model_add_start(kl_model *m)
{
    growing        *g = (growing *)m;
    kl_joint_start *s =
        kl_arena_grow(m->arena, (void **)&m->start, m->nstart, &g->cap_start, sizeof *s);
    if (s) m->nstart++;
    return s;
}

kl_compound *kl_model_add_compound(kl_model *m, const kl_body_type *type, const char *name,
                                   kl_place place)
{
    growing     *g = (growing *)m;
    kl_compound *c =
        kl_arena_grow(m->arena, (void **)&m->compound, m->ncompound, &g->cap_compound, sizeof *c);
    if (!c) return NULL;
    *c = (kl_compound){.name  = kl_arena_text(m->arena, name),
                       .place = place,
                       .type  = type,
                       .data  = kl_arena_take(m->arena, type->data_size)};
    if (!c->name || !kl_names_put(&g->compounds, m->arena, c->name, m->ncompound)) return NULL;
    m->ncompound++;
    return c;
}

static kl_setup setup_of_compound(const kl_model *m, const kl_compound *c, kl_diag *diag)
{
    return (kl_setup){.name  = c->name,
                      .place = c->place,
                      .diag  = diag,
                      .arena = m->arena,
                      .lua   = m->lua,
                      .model = m};
}

kl_status kl_model_expand(kl_model *m, int compound, kl_diag *diag)
{
    kl_setup s                 = setup_of_compound(m, &m->compound[compound], diag);
    m->compound[compound].body = m->nbody;
    kl_status status = m->compound[compound].type->expand(m->compound[compound].data, &s, m);
    m->compound[compound].nbody = m->nbody - m->compound[compound].body;
    for (int i = m->compound[compound].body; i < m->nbody; i++) m->body[i].node = true;
    return status;
}

kl_status kl_model_connect(kl_model *m, kl_diag *diag)
{
    for (int i = 0; i < m->ncompound; i++) {
        kl_compound *c = &m->compound[i];
        kl_setup     s = setup_of_compound(m, c, diag);
        c->element     = m->nelement;
        if (c->type->connect && c->nbody > 0) KL_TRY(c->type->connect(c->data, &s, m));
        c->nelement = m->nelement - c->element;
        for (int k = c->element; k < m->nelement; k++) m->element[k].made = true;
    }
    return KL_OK;
}

static int nearest_body(const kl_model *m, const kl_compound *c, kl_vec3 r)
{
    int    best = -1;
    double near = HUGE_VAL;
    for (int i = c->body; i < c->body + c->nbody; i++) {
        kl_vec3 at;
        kl_mat3 A;
        kl_model_pose(m, i, &at, &A);
        double d = kl_norm(kl_sub(r, at));
        if (d < near) near = d, best = i;
    }
    return best;
}

int kl_model_holder(const kl_model *m, int compound, kl_vec3 r, kl_place place, kl_diag *diag)
{
    const kl_compound *c = &m->compound[compound];
    kl_setup           s = setup_of_compound(m, c, diag);
    s.place              = place;
    return c->type->holder ? c->type->holder(c->data, &s, m, r) : nearest_body(m, c, r);
}

kl_status kl_model_at_end(kl_model *m, void (*end)(void *what), void *what)
{
    ending *e = kl_arena_take(m->arena, sizeof *e);
    if (!e) {
        end(what);
        return KL_E_MEMORY;
    }
    *e                      = (ending){end, what, ((growing *)m)->endings};
    ((growing *)m)->endings = e;
    return KL_OK;
}

/* A longer copy of n numbers of `size` bytes, with room for `more`. */
static void *longer(kl_arena *a, const void *old, size_t n, size_t more, size_t size)
{
    void *new = kl_arena_take(a, (n + more + 1) * size);
    if (new) memcpy(new, old, n * size);
    return new;
}

/* Groups of a body: shared with the one before where both have the same. */
static void take_groups(const kl_model *m, kl_body *b, const kl_body_size *size)
{
    size_t         bytes  = (size_t)size->ngroup * sizeof *size->group;
    const kl_body *before = b > m->body ? b - 1 : NULL;
    b->ngroup             = (unsigned char)size->ngroup;
    if (before && before->ngroup == b->ngroup && memcmp(before->group, size->group, bytes) == 0) {
        b->group = before->group;
        return;
    }
    kl_group *own = kl_arena_array(m->arena, kl_group, size->ngroup + 1);
    if (own) memcpy(own, size->group, bytes);
    else b->ngroup = 0;
    b->group = own;
}

/* Where the coordinates of a body stand, and which they are. */
static void take_size(const kl_model *m, kl_body *b, const kl_body_size *size)
{
    b->q = m->nq, b->nq = size->nq;
    b->v = m->nv, b->nv = size->nv;
    b->M      = m->nM;
    b->cache  = m->cache_bytes;
    b->ncache = (unsigned)(size->cache ? size->cache : b->type->cache_size);
    take_groups(m, b, size);
}

kl_body *kl_model_add_own(kl_model *m, const kl_body_type *type, const char *name, kl_place place,
                          const void *data)
{
    kl_body *b = kl_model_add_body(m, type, name, place);
    if (!b || !b->data) return NULL;
    kl_body_size size = {0};
    kl_setup     s    = {.name = b->name, .place = place};
    b->own            = true;
    memcpy(b->data, data, type->data_size);
    type->setup(b->data, &s, &size);
    take_size(m, b, &size);
    size_t nv = (size_t)m->nv, more = (size_t)size.nv;
    m->q0     = longer(m->arena, m->q0, (size_t)m->nq, (size_t)size.nq, sizeof *m->q0);
    m->v0     = longer(m->arena, m->v0, nv, more, sizeof *m->v0);
    m->held_q = longer(m->arena, m->held_q, nv, more, 1);
    m->held_v = longer(m->arena, m->held_v, nv, more, 1);
    if (!kl_arena_ok(m->arena)) return NULL;
    m->nq += size.nq;
    m->nv += size.nv;
    m->nM += size.nv * size.nv;
    m->nstarted = m->nbody;
    m->cache_bytes += (type->cache_size + cache_align - 1) / cache_align * cache_align;
    return b;
}

bool kl_model_own_kbody(kl_model *m, struct kl_kbody *body, const char *path)
{
    growing          *g = (growing *)m;
    struct kl_kbody **b =
        kl_arena_grow(m->arena, (void **)&m->kbody, m->nkbody, &g->cap_kbody, sizeof *b);
    const char **p =
        kl_arena_grow(m->arena, (void **)&m->kbody_path, m->nkbody, &g->cap_path, sizeof *p);
    if (!b || !p) return false;
    *p = kl_arena_text(m->arena, path);
    if (!*p) return false;
    *b = body;
    m->nkbody++;
    return true;
}

kl_status kl_model_start_bodies(kl_model *m, kl_diag *diag)
{
    int first = m->nstarted, nq = m->nq, nv = m->nv;
    for (int i = first; i < m->nbody; i++) {
        kl_body     *b    = &m->body[i];
        kl_setup     s    = {.name = b->name, .place = b->place, .diag = diag, .arena = m->arena};
        kl_body_size size = {0};
        if (b->type->variant) b->type = b->type->variant(b->data);
        if (b->type->setup(b->data, &s, &size) == KL_E_MEMORY) return KL_E_MEMORY;
        take_size(m, b, &size);
        m->nq += size.nq;
        m->nv += size.nv;
        m->nM += size.nv * size.nv;
        m->cache_bytes += (b->ncache + cache_align - 1) / cache_align * cache_align;
    }
    const double        *q0 = m->q0, *v0 = m->v0;
    const unsigned char *held_q = m->held_q, *held_v = m->held_v;
    m->q0     = kl_arena_array(m->arena, double, m->nq + 1);
    m->v0     = kl_arena_array(m->arena, double, m->nv + 1);
    m->held_q = kl_arena_array(m->arena, unsigned char, m->nv + 1);
    m->held_v = kl_arena_array(m->arena, unsigned char, m->nv + 1);
    if (!kl_arena_ok(m->arena)) return KL_E_MEMORY;
    if (first > 0) {
        memcpy(m->q0, q0, (size_t)nq * sizeof(double));
        memcpy(m->v0, v0, (size_t)nv * sizeof(double));
        memcpy(m->held_q, held_q, (size_t)nv);
        memcpy(m->held_v, held_v, (size_t)nv);
    }
    for (int i = first; i < m->nbody; i++) {
        kl_body *b = &m->body[i];
        b->type->start(b->data, m->q0 + b->q, m->v0 + b->v, m->held_q + b->v, m->held_v + b->v);
    }
    m->nstarted = m->nbody;
    return kl_diag_failed(diag) ? kl_diag_status(diag) : KL_OK;
}

void kl_body_motion(const kl_body *b, const void *c, const kl_marker *k, kl_motion *out)
{
    out->spins = false, out->turned = 0.0;
    b->type->pose(b->data, c, k, out);
    b->type->twist(b->data, c, k, out);
}

/* The cache of a body in its initial position: `small` or from the heap; NULL: out of memory. */
static void *cache_at_start(const kl_model *m, const kl_body *b, void *small, size_t size)
{
    void *cache = b->ncache <= size ? small : malloc(b->ncache);
    if (!cache) return NULL;
    memset(cache, 0, b->ncache);
    b->type->position(b->data, m->q0 + b->q, cache);
    b->type->velocity(b->data, m->v0 + b->v, cache);
    return cache;
}

void kl_model_motion(const kl_model *m, const kl_marker *k, kl_motion *out)
{
    const kl_body             *b = &m->body[k->body];
    _Alignas(64) unsigned char small[1024];
    void                      *cache = cache_at_start(m, b, small, sizeof small);
    *out                             = (kl_motion){.A = kl_identity()};
    if (!cache) return;
    kl_body_motion(b, cache, k, out);
    if (cache != small) free(cache);
}

bool kl_model_measures(const kl_model *m, int body, kl_measures *out)
{
    const kl_body             *b = &m->body[body];
    _Alignas(64) unsigned char small[1024];
    void                      *cache = cache_at_start(m, b, small, sizeof small);
    *out                             = (kl_measures){0};
    if (!cache) return false;
    b->type->measures(b->data, cache, out);
    if (cache != small) free(cache);
    return true;
}

void kl_model_pose(const kl_model *m, int body, kl_vec3 *r, kl_mat3 *A)
{
    kl_marker origin = {.body = body, .A = kl_identity()};
    kl_motion motion;
    kl_model_motion(m, &origin, &motion);
    *r = motion.r;
    *A = motion.A;
}

double kl_model_extent(const kl_model *m, bool attached)
{
    if (!isnan(m->settings.length)) return m->settings.length;
    double low[3]  = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < m->nmarker + m->nbody - 1; i++) {
        kl_marker      frame = {.body = i - m->nmarker + 1, .A = kl_identity()};
        kl_motion      motion;
        const kl_body *b = &m->body[i < m->nmarker ? m->marker[i].body : frame.body];
        if (b->own || (i < m->nmarker && b->type->attach && !attached)) continue;
        kl_model_motion(m, i < m->nmarker ? &m->marker[i] : &frame, &motion);
        double r[3];
        kl_store(r, motion.r);
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], r[k]), high[k] = fmax(high[k], r[k]);
    }
    double size = 0.0;
    for (int k = 0; k < 3; k++)
        if (high[k] - low[k] > size) size = high[k] - low[k];
    for (int i = 0; i < m->nbody; i++)
        if (m->body[i].type->reach) size = fmax(size, m->body[i].type->reach(m->body[i].data));
    return size > 0.0 && isfinite(size) ? size : 1.0;
}

/* Moves a body at the start such that marker k stands where it belongs; rigid bodies and points. */
static void move_body_to(kl_model *m, const kl_marker *k, const kl_own_start *to)
{
    const kl_body *b = &m->body[k->body];
    kl_vec3        r;
    kl_mat3        A;
    double         dx[6] = {0};
    for (int i = 0; i < b->nv; i++)
        if (m->held_q[b->v + i]) return;
    kl_group moves = kl_body_group(b, KL_TRANSLATION), turns = kl_body_group(b, KL_ROTATION);
    if (moves.nv == 0 || b->nv > moves.nv + turns.nv) return;
    kl_model_pose(m, k->body, &r, &A);
    kl_mat3 A_new = A;
    if (to->turns && turns.nv) {
        kl_mat3 back = kl_transpose(&k->A), At = kl_transpose(&A);
        A_new        = kl_matmul(&to->A, &back);
        kl_mat3 turn = kl_matmul(&At, &A_new);
        if (!b->type->spin) kl_store(dx + turns.v - b->v, kl_rotation_log(&turn));
        double *spin = m->v0 + turns.v;
        if (kl_norm(kl_load(spin)) == 0.0 && !m->held_v[turns.v])
            kl_store(spin, kl_mul_t(&A_new, to->w));
    }
    kl_vec3 arm = turns.nv ? kl_mul(&A_new, k->r) : kl_vec(0, 0, 0);
    kl_store(dx + moves.v - b->v, kl_sub(kl_sub(to->r, arm), r));
    double q[16];
    if (b->nq > 16) return;
    memcpy(q, m->q0 + b->q, (size_t)b->nq * sizeof *q);
    b->type->advance(b->data, q, dx, m->q0 + b->q);
    _Alignas(64) unsigned char cache[1024];
    if (b->type->spin && to->turns && b->ncache <= sizeof cache)
        kl_body_turn_to(b, m->q0 + b->q, &A_new, cache);
}

/* Start values of an element's own coordinates, which its last marker shows. A state that was saved
 * comes afterwards and stands. */
static void init_own_coordinates(kl_model *m, const kl_element *e, const kl_setup *s,
                                 kl_motion *motions)
{
    const kl_marker *last  = &m->marker[e->marker + e->nmarker - 1];
    const kl_body   *b     = &m->body[last->body];
    kl_own_start     start = {0};
    if (!b->own || e->type->begin(e->data, s, motions, &start) != KL_OK) return;
    memcpy(m->q0 + b->q, start.x, (size_t)b->nq * sizeof(double));
    memcpy(m->v0 + b->v, start.v, (size_t)b->nv * sizeof(double));
    memset(m->held_q + b->v, start.held_x, (size_t)b->nv);
    memset(m->held_v + b->v, start.held_v, (size_t)b->nv);
    kl_model_motion(m, last, &motions[e->nmarker - 1]);
    if (!start.brings) return;
    move_body_to(m, last - 1, &start);
    kl_model_motion(m, last - 1, &motions[e->nmarker - 2]);
}

/* Who sets an angle at the start says how many turns it has there; all that share the joint count
 * from the same. */
static void find_turns(kl_model *m, const double *u)
{
    for (int i = 0; i < m->nelement; i++) {
        kl_element *e    = &m->element[i];
        double      turn = e->type->turn ? e->type->turn(e->data, u) : HUGE_VAL;
        if (!isfinite(turn)) continue;
        e->turn = turn;
        if (e->of[0] >= 0) m->element[e->of[0]].turn = turn;
    }
}

static double turn_of(const kl_model *m, const kl_element *e, int pair)
{
    if (e->of[pair] >= 0) return m->element[e->of[pair]].turn;
    return pair == 0 ? e->turn : 0.0;
}

static kl_setup setup_of(const kl_model *m, const kl_element *e, const double *u, kl_diag *diag)
{
    return (kl_setup){.model  = m,
                      .turn   = {turn_of(m, e, 0), turn_of(m, e, 1)},
                      .u      = u,
                      .name   = e->name,
                      .place  = e->place,
                      .traits = e->type->traits,
                      .diag   = diag,
                      .arena  = m->arena,
                      .lua    = m->lua};
}

/* States and histories of all elements as each says. */
static kl_status start_elements(kl_model *m, const double *u, kl_diag *diag)
{
    m->z0      = kl_arena_array(m->arena, double, m->nz + 1);
    m->z_scale = kl_arena_array(m->arena, double, m->nz + 1);
    m->h0      = kl_arena_array(m->arena, double, m->nh + 1);
    if (!kl_arena_ok(m->arena)) return KL_E_MEMORY;
    for (int k = 0; k < m->nz; k++) m->z_scale[k] = 1e-6;
    /* an element that was not set up must not be asked */
    for (int i = 0; i < m->nelement && !kl_diag_failed(diag); i++) {
        const kl_element *e = &m->element[i];
        if (!e->type->start) continue;
        kl_start_reading at;
        kl_setup         s      = setup_of(m, e, u, diag);
        kl_element_start out    = {e->nz, e->nh, m->z0 + e->z, m->z_scale + e->z, m->h0 + e->h};
        kl_status        status = kl_start_reading_open(m, e, &at);
        if (status == KL_OK) status = e->type->start(&at.in, &s, &out);
        kl_start_reading_drop(&at);
        if (status == KL_E_MEMORY) return status;
    }
    return KL_OK;
}

static kl_status setup_element(kl_model *m, kl_element *e, const double *u, kl_diag *diag)
{
    kl_setup   s       = setup_of(m, e, u, diag);
    kl_motion *motions = calloc((size_t)e->nmarker + 1, sizeof *motions);
    if (!motions) return KL_E_MEMORY;
    for (int i = 0; i < e->nmarker; i++) {
        kl_marker *k = &m->marker[e->marker + i];
        kl_body   *b = &m->body[k->body];
        kl_setup   t = {
              .name = b->name, .place = e->place, .diag = diag, .arena = m->arena, .model = m};
        bool rolls = i < 32 && (e->type->rolls >> i & 1u);
        if (rolls && k->node == KL_MARKER_UNSPUN) k->node = 0;
        if (b->type->attach) b->type->attach(b->data, &t, k);
        kl_model_motion(m, k, &motions[i]);
    }
    kl_element_size size = {0};
    if (e->type->own > 0 && e->nmarker > 0) init_own_coordinates(m, e, &s, motions);
    kl_status status = e->type->setup(e->data, &s, motions, e->nmarker, &size);
    free(motions);
    e->phi = m->nlam, e->nphi = size.nphi;
    e->rows = m->nrows;
    e->z = m->nz, e->nz = size.nz;
    e->h = m->nh, e->nh = size.nh;
    e->event = m->nevent, e->nevent = size.nevent;
    e->path_dependent = size.path_dependent;
    m->nevent += size.nevent;
    m->nlam += size.nphi;
    m->nrows += size.nphi * 6 * e->nmarker;
    m->nz += size.nz;
    m->nh += size.nh;
    if (size.cache > INT_MAX - m->element_cache_bytes - cache_align) return KL_E_MEMORY;
    e->cache = (int)m->element_cache_bytes, e->ncache = (int)size.cache;
    e->nkept = (int)(size.cache - size.buffer);
    if (size.interval > 0.0 && !(m->interval > 0.0 && m->interval <= size.interval))
        m->interval = size.interval;
    m->element_cache_bytes += (size.cache + cache_align - 1) / cache_align * cache_align;
    m->commits |= (e->type->commit && size.nh > 0) || e->nkept > 0;
    m->reads_reactions |= e->type->reads_reaction;
    m->states_relax &= size.nz == 0 || e->type->states_relax;
    m->velocities_relax |= e->type->velocities_relax;
    return status;
}

/* Units of all coordinates; weights only where a body has its own, for models of many bodies. */
static void find_units(kl_model *m)
{
    bool own = false;
    for (int i = 0; i < m->nbody; i++) own |= m->body[i].type->units != NULL;
    m->unit   = kl_arena_array(m->arena, double, m->nv + 1);
    m->weight = own ? kl_arena_array(m->arena, double, m->nv + 1) : NULL;
    for (int i = 0; m->unit && i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        for (int k = b->v; k < b->v + b->nv; k++) {
            bool length = kl_group_traits_of(kl_body_group_at(b, k).kind)->length;
            m->unit[k]  = length ? m->length : 1.0;
            if (m->weight) m->weight[k] = length ? 1.0 : m->length * m->length;
        }
        if (m->weight && b->type->units)
            b->type->units(b->data, m->length, m->unit + b->v, m->weight + b->v);
        /* a virtual body follows its marker, and has no say in where assembly brings the others */
        for (int k = 0; m->weight && b->made && k < b->nv; k++) m->weight[b->v + k] *= 1e-6;
    }
}

/* Bodies that spin with nothing on them that goes round: their own inertia is symmetric, and all
 * elements act on the axis, or on markers that do not spin. A step may then be longer than a turn. */
static void find_steady(kl_model *m)
{
    for (int i = 0; i < m->nbody; i++) {
        bool round = false;
        if (m->body[i].type->spin) (void)m->body[i].type->spin(m->body[i].data, &round);
        m->body[i].steady = round;
    }
    for (int i = 0; i < m->nmarker_elements; i++) {
        const kl_marker *k   = &m->marker[i];
        kl_vec3          n   = kl_body_spin(&m->body[k->body]);
        kl_vec3          off = kl_axpy(-kl_dot(n, k->r), n, k->r);
        if (k->node != KL_MARKER_UNSPUN && kl_norm(off) > 1e-9 * m->length)
            m->body[k->body].steady = false;
    }
}

kl_status kl_model_freeze(kl_model *m, kl_diag *diag)
{
    double *u = kl_arena_array(m->arena, double, KL_INPUT_VALUES * m->ninput + 1);
    if (!u) return KL_E_MEMORY;
    for (int i = 0; i < m->ninput; i++) u[i] = m->input[i].value;
    find_turns(m, u);
    m->states_relax = true;
    for (int i = 0; i < m->nelement; i++)
        if (setup_element(m, &m->element[i], u, diag) == KL_E_MEMORY) return KL_E_MEMORY;
    for (int i = 0; i < m->nwanted; i++) {
        if (m->wanted[i].marker < 0) continue;
        kl_marker *k = &m->marker[m->wanted[i].marker];
        kl_body   *b = &m->body[k->body];
        kl_setup   t = {.name  = b->name,
                        .place = m->wanted[i].place,
                        .diag  = diag,
                        .arena = m->arena,
                        .model = m};
        if (b->type->attach) b->type->attach(b->data, &t, k);
    }
    m->length = kl_model_extent(m, true);
    find_units(m);
    find_steady(m);
    if (!kl_arena_ok(m->arena)) return KL_E_MEMORY;
    KL_TRY(start_elements(m, u, diag));
    return kl_diag_failed(diag) ? kl_diag_status(diag) : KL_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

bool kl_model_modal(const kl_model *m, int body, kl_modal_body *out)
{
    const kl_body *b = &m->body[body];
    *out             = (kl_modal_body){0};
    if (b->type->modal) b->type->modal(b->data, out);
    return out->file && out->file->body;
}

int kl_model_find_body(const kl_model *m, const char *name)
{
    return kl_names_get(&((const growing *)m)->bodies, name);
}

int kl_model_find_compound(const kl_model *m, const char *name)
{
    return kl_names_get(&((const growing *)m)->compounds, name);
}

int kl_model_bodies(const kl_model *m)
{
    int n = 0;
    for (int i = 1; i < m->nbody; i++) n += !m->body[i].own;
    return n;
}

int kl_model_find_element(const kl_model *m, const char *name)
{
    return kl_names_get(&((const growing *)m)->elements, name);
}

int kl_model_find_input(const kl_model *m, const char *name)
{
    return kl_names_get(&((const growing *)m)->inputs, name);
}

int kl_model_find_named(const kl_model *m, const char *name)
{
    return kl_names_get(&((const growing *)m)->nameds, name);
}

/* ---- state ----------------------------------------------------------------------------------- */

kl_state *kl_state_create(const kl_model *m)
{
    int       n = m->nq + m->nv + m->nz + m->nh + KL_INPUT_NUMBERS * m->ninput;
    kl_state *s = calloc(1, sizeof *s + ((size_t)n + 1) * sizeof(double));
    if (!s) return NULL;
    s->n = n;
    s->x = (double *)(s + 1);
    s->q = s->x;
    s->v = s->q + m->nq;
    s->z = s->v + m->nv;
    s->h = s->z + m->nz;
    s->u = s->h + m->nh;
    memcpy(s->q, m->q0, (size_t)m->nq * sizeof(double));
    memcpy(s->v, m->v0, (size_t)m->nv * sizeof(double));
    memcpy(s->z, m->z0, (size_t)m->nz * sizeof(double));
    memcpy(s->h, m->h0, (size_t)m->nh * sizeof(double));
    for (int i = 0; i < m->ninput; i++) s->u[i] = m->input[i].value;
    s->t = m->t0;
    return s;
}

void kl_state_copy(kl_state *to, const kl_state *from)
{
    to->t = from->t;
    memcpy(to->x, from->x, (size_t)from->n * sizeof(double));
}

void kl_state_destroy(kl_state *s) { free(s); }

void kl_state_set_input(const kl_model *m, kl_state *s, int input, const double *c, int n)
{
    for (int k = 0; k <= KL_INPUT_DEGREE; k++) s->u[k * m->ninput + input] = k < n ? c[k] : 0.0;
    s->u[(KL_INPUT_DEGREE + 1) * m->ninput + input] = s->t;
}

void kl_inputs_at(const kl_model *m, const kl_state *s, double *values)
{
    int n = m->ninput;
    for (int i = 0; i < n; i++) {
        double dt = s->t - s->u[(KL_INPUT_DEGREE + 1) * n + i], f = 0.0, f1 = 0.0, f2 = 0.0;
        for (int k = KL_INPUT_DEGREE; k >= 0; k--) { /* Horner, with two derivatives */
            f2 = f2 * dt + 2.0 * f1;
            f1 = f1 * dt + f;
            f  = f * dt + s->u[k * n + i];
        }
        values[i] = f, values[n + i] = f1, values[2 * n + i] = f2;
    }
}

void kl_model_advance(const kl_model *m, const double *q, const double *dx, double *q_new)
{
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        b->type->advance(b->data, q + b->q, dx + b->v, q_new + b->q);
    }
}
